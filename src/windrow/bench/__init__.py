"""The experiments of the papers, and the data that they run on."""
