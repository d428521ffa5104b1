"""The formats, a module each. Each module has ``READERS``; the first of the surest readers reads a file."""

MODULES = ("chat", "tau")
"""The modules of this package, in the order in which they are asked."""
