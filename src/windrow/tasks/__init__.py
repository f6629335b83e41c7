"""One task of a distributed engine: Arrow batches in, Arrow batches out."""
