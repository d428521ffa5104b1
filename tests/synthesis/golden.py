"""Queries pinned in ``golden.json``: the same seed, the same query.

Written anew by ``python -m tests.synthesis.golden`` when the lexicon, the topics or the synthesis change on purpose.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request

FILE = Path(__file__).with_name("golden.json")

REQUESTS: dict[str, dict[str, Any]] = {
    "base": {"seed": 1},
    "base, repeats": {"seed": 1, "repeats": True},
    "base, large seed": {"seed": 2**61 - 1},
    "base, 12 actions": {"seed": 2, "actions": 12},
    "base, 30 actions": {"seed": 3, "actions": 30, "sentences": 9},
    "timed": {"seed": 4, "timed": True},
    "timed, 9 actions": {"seed": 5, "actions": 9, "timed": True},
    "valid orders": {"seed": 6, "valid_orders": (1, 6)},
    "valid orders, timed": {"seed": 7, "valid_orders": (4, 9), "timed": True, "actions": 6},
    "knobs": {"seed": 8, "redundant": 0.5, "relatives": 0.8, "lists": 0.5, "modals": 0.5, "topic": "waiter"},
}


def current() -> dict[str, Any]:
    """What these requests give now."""
    found = {}
    for name, arguments in REQUESTS.items():
        made = synthesize(Request(**arguments))
        found[name] = {
            "topic": made.topic,
            "text": made.text,
            "valid_orders": made.valid_orders,
            "durations": [a.duration for a in made.problem.actions],
        }
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(current(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
