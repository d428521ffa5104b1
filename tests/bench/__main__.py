"""All benchmarks, one table after the other: ``python -m tests.bench``."""

from __future__ import annotations

import importlib

for name in (
    "synthesis",
    "replay",
    "reasons",
    "certificate",
    "parse",
    "mutants",
    "attribution",
    "first_frame",
    "live_run",
    "keys",
    "edit",
    "guard",
    "recorder",
    "compare",
    "library",
    "page",
    "stop",
    "rules",
    "attach",
):
    importlib.import_module(f"tests.bench.bench_{name}").main()
