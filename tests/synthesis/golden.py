"""Queries pinned in ``golden.json``: the same seed, the same query. Of many more the sums are pinned in ``sums.json``.

Written anew by ``python -m tests.synthesis.golden`` when the lexicon, the topics or the synthesis change on purpose.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from planscope.language.reading import Reading
from planscope.language.tree import FORMS
from planscope.synthesis.generate import synthesize
from planscope.synthesis.mutants import KINDS, CannotMutate, mutants
from planscope.synthesis.request import Request, SynthesisError

FILE = Path(__file__).with_name("golden.json")
SUMS = Path(__file__).with_name("sums.json")

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


MANY: dict[str, list[dict[str, Any]]] = {
    "sizes": [{"actions": n} for n in (2, 3, 4, 6, 9)],
    "sizes, timed": [{"actions": n, "timed": True} for n in (2, 3, 4, 6, 9)],
    "clock times": [{"timed": True, "clock_times": share, "actions": 4} for share in (0.0, 0.5, 1.0)],
    "redundant": [{"redundant": share, "actions": 4} for share in (0.0, 0.3, 0.6, 1.0)],
    "redundant, timed": [
        {"redundant": share, "actions": n, "timed": True, "clock_times": 0.7, "repeats": n == 4}
        for share in (0.0, 0.3, 0.6, 1.0)
        for n in (3, 4)
    ],
    "sentences": [{"sentences": k, "actions": 3, "timed": k == 4} for k in (1, 2, 4, 8)],
    "repeats": [{"sentences": 6, "actions": 3, "repeats": True, "timed": t} for t in (False, True)],
    "orders": [{"valid_orders": o, "actions": 5} for o in ((1, 1), (2, 3), (7, 9), (20, 24))],
    "orders, redundant": [{"valid_orders": (2, 6), "redundant": s, "actions": 4} for s in (0.0, 0.5, 1.0)],
    "orders, timed": [
        {"valid_orders": o, "actions": 4, "timed": True} for o in ((1, 1), (2, 4), (5, 6), (7, 20))
    ],
    "orders in sentences": [
        {"valid_orders": (2, 8), "sentences": k, "actions": 4, "timed": k == 3} for k in (1, 2, 3, 5)
    ],
    "forms": [{"forms": {form: 1.0}, "timed": timed} for form in FORMS for timed in (False, True)],
    "lists": [{"lists": 1.0, "list_length": k, "actions": 6} for k in (1, 2, 4)],
    "relatives": [{"relatives": 1.0, "second_clauses": k, "timed": k == 1.0} for k in (0.0, 1.0)],
    "modals": [{"modals": share, "actions": 3} for share in (0.0, 1.0)],
    "cannot be": [
        {"actions": 4, "valid_orders": (7, 9)},
        {"actions": 4, "valid_orders": (23, 24), "timed": True},
        {"actions": 4, "valid_orders": (5, 5), "sentences": 1},
        {"actions": 8, "valid_orders": (4001, 4003)},
    ],
    "names": [{"actions": ("buy milk", "eat", "run home"), "topic": "cook"}, {"actions": ("a", "b")}],
}
SEEDS = range(20, 28)


def _said(name: str, seed: int) -> Iterator[object]:
    for arguments in MANY[name]:
        try:
            made = synthesize(Request(seed=seed, **arguments))
        except SynthesisError as error:
            yield str(error)
        else:
            durations = [a.duration for a in made.problem.actions]
            yield made.topic, made.text, made.valid_orders, durations


def _mutants(kind: Any, timed: bool, seed: int) -> Iterator[object]:
    made = synthesize(Request(seed=seed, timed=timed, actions=4, clock_times=0.5))
    reading = Reading(made.text, made.tree, made.problem)
    try:
        for mutant in islice(mutants(reading, kind, topic=made.topic, seed=seed), 6):
            yield mutant.number, mutant.topic, mutant.problem.text
    except CannotMutate as error:
        yield str(error)


def sums(seeds: Sequence[int] = SEEDS) -> dict[str, list[str]]:
    """For each kind of request and of mutant, a checksum of what each seed gives now."""
    found = {name: [list(_said(name, seed)) for seed in seeds] for name in MANY}
    for kind in KINDS:
        for timed in (False, True):
            name = f"{kind}, timed" if timed else kind
            found[name] = [list(_mutants(kind, timed, seed)) for seed in seeds]
    return {name: [_sum(said) for said in by_seed] for name, by_seed in found.items()}


def _sum(said: list[object]) -> str:
    return sha256(json.dumps(said).encode()).hexdigest()[:16]


if __name__ == "__main__":
    SUMS.write_text(json.dumps(sums(), indent=1) + "\n", encoding="utf-8")
    FILE.write_text(json.dumps(current(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
