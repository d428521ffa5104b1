"""Runs with a known first mistake, the weights that are fitted on them, and the table of docs/causes.md."""
