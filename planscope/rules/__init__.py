"""Rules about tool calls: sentences in a file, judged call by call on traces. Begin reading at ``rule.py``.

``planscope.rules(...)`` explains rules: the package can be called, since the public function has its name.
"""

from __future__ import annotations

import sys
from types import ModuleType


class _Package(ModuleType):
    def __call__(self, source: object) -> object:
        """Explain rules; see ``rules`` in ``planscope/doors/python.py``."""
        from importlib import import_module

        return import_module("planscope.doors.python").rules(source)


sys.modules[__name__].__class__ = _Package
