"""Compares two runs or variants: words, tree, constraints, calls, and their first difference.

``compare`` is the entry point. It returns plain data, which ``result`` defines.
"""

from planscope.compare.engine import compare
from planscope.compare.result import Comparison

__all__ = ["Comparison", "compare"]
