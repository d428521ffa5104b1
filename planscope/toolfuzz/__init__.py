"""Fuzzes the tools of agents: finds inputs that a tool's schema accepts and on which the tool fails.

The tool runs in a child process (``child.py``), in a sandbox (``sandbox.py``). The search (``search.py``) draws
arguments from the schema and from what the tool's code does with them (``source.py``, ``taint.py``). Importing this
package is quick; pydantic and the tool are imported in the child only.
"""

from __future__ import annotations

from planscope.stats import chao1

__all__ = ["chao1"]
