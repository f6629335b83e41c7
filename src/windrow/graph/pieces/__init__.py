"""The pieces of text that a graph's code is put together from, by form."""
