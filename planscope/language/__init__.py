"""The controlled English of planning queries: text, syntax tree, constraints (paper 4.1, 4.2, 4.4)."""
