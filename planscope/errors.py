"""The error for wrong input from a person."""

from __future__ import annotations


class UserError(Exception):
    """One line that says what is wrong, where, and what to do. The command line prints it and exits with 2."""
