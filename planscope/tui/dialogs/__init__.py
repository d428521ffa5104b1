"""Dialogs. They are imported when they are first opened, since the first frame does not need them."""
