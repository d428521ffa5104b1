"""Fuzzes the tools of agents: finds inputs that a tool's schema accepts and on which the tool fails.

The tool runs in a child process (``child.py``), in a sandbox (``sandbox.py``). The search (``search.py``) draws
arguments from the schema, from constants of the tool's code (``hints.py``) and from what the code does with them
(``taint.py``). Importing this package is quick; pydantic and the tool are imported in the child only.
"""

from __future__ import annotations

from planscope.stats import chao1

__all__ = ["chao1"]
