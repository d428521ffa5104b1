"""Dialogs. Each is imported when it is first opened: the first frame does not need them."""
