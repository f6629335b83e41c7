"""The version, below everything that has to compare it."""

__version__ = "0.2.0"
