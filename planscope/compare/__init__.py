"""Two runs or variants side by side: words, tree, constraints, calls, and where they part.

``compare`` does it all; what it gives back is plain data, and ``result`` says what is in it.
"""

from planscope.compare.engine import compare
from planscope.compare.result import Comparison

__all__ = ["Comparison", "compare"]
