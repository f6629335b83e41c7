"""Every experiment of the papers, on your own machine: `windrow bench`."""
