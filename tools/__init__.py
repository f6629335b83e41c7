"""What keeps the project's own promises: coverage, mutants, the matrix, pictures."""
