"""Shares a session or a run in a format for other people, after private data is replaced."""
