"""The version, which is that of the library: both are released together."""

__version__ = "0.2.0"
