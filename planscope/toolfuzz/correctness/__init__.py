"""Finds documentation that misleads: prompts that mean the same must lead an agent to the same call (ToolFuzz, 4.2).

``templates.py`` makes the prompts of a set, ``search.py`` has an agent run them, ``checks.py`` compares what it did.
The model and the agent are given (``search.Door``): nothing here imports one.
"""
