"""What is wrong with something that a person gave us, in one line."""

from __future__ import annotations


class UserError(Exception):
    """One line: what is wrong, where, and what to do. The command line prints it and exits with 2."""
