"""Writes ``planscope/language/data/patterns.json``: the readings of clauses with plain lists, as the grammar has them.

``python -m tests.language.make_patterns`` writes it anew; a test says when that is due.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import planscope.language
from planscope.language.grammar import NPPattern, Stuck, parsed_clause, strict_rules

FILE = Path(planscope.language.__file__).parent / "data" / "patterns.json"
LISTS = (
    "ACTION",
    "ACTION AND ACTION",
    "ACTION COMMA ACTION AND ACTION",
    "ACTION COMMA ACTION COMMA AND ACTION",
)


def clauses() -> Iterator[str]:
    """Yield the types of every strict clause whose lists are in ``LISTS`` and have no relative clause."""
    rules = strict_rules()
    plain: dict[str, tuple[str, ...]] = {"subject": LISTS, "object": (*LISTS, "TIME")}
    for symbol in ("p", "sc", "fronting"):
        plain[symbol] = tuple(" ".join(expansion) for expansion in rules[symbol])
    for expansion in rules["clause"]:
        yield from map(" ".join, product(*(plain.get(symbol, (symbol,)) for symbol in expansion)))


def _np(pattern: NPPattern | int) -> list[int] | int:
    return pattern if isinstance(pattern, int) else list(pattern.actions)


def made() -> str:
    rows = []
    for types in sorted(set(clauses())):
        found = parsed_clause(tuple(types.split()))
        assert not isinstance(found, Stuck)
        readings = [[form, _np(one), _np(other), list(words)] for form, one, other, words in found]
        rows.append(f"{json.dumps(types)}: {json.dumps(readings)}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(made(), encoding="utf-8")
