"""Finds what in a query makes an agent fail (paper, section 4.5): runs mutants of it and compares their rates.

``Dissector`` (``engine``) spends the runs and reports each when it ends. ``summary`` evaluates them from the session
alone: the matrix, the rates with their intervals, the decision. ``belief`` has the statistics of the method ``rates``;
``paper`` is Algorithm 2 as published.
"""
