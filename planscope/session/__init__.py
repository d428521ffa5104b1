"""Debugging sessions: the tree of variants with runs, and its files."""
