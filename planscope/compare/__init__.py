"""Two runs or variants side by side: words, tree, constraints, calls, and where they part."""
