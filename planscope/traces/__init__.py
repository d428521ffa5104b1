"""Traces that people bring: readers for the formats of other programs, behind one interface."""
