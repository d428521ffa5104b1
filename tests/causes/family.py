"""Judge the search for a cause on a family of damaged runs, beside the trivial baselines.

    python -m tests.causes.family FILE.py [--seed 1] [--runs GOOD.json]

FILE.py has ``family(good, seed)``: from the good runs as ``json.load`` gives them it makes runs in tau-bench's form,
each with ``id``, ``step`` (the number of the first wrong call, from 1; null if nothing is wrong) and ``kind`` besides.
FILE.json has such runs already. ``RULES`` in FILE.py are rules to judge them by; without it those of retail.rules.
"""

from __future__ import annotations

import argparse
import json
import runpy
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from planscope.traces import open_traces
from tests.causes.damage import Labelled
from tests.causes.measure import RETAIL, Judge, by_grade, by_kind, table
from tests.rules.test_policies import GOOD


def labelled(records: Sequence[Mapping[str, Any]], family: str) -> list[Labelled]:
    """Read runs through the door that a user's file takes. Their labels are not in what is read."""
    hidden = ("id", "step", "kind")
    plain = [{key: value for key, value in one.items() if key not in hidden} for one in records]
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(plain, file)
        file.flush()
        traces = list(open_traces([file.name]))
    runs = [
        Labelled(replace(trace, id=str(one["id"])), one["step"], str(one["kind"]), family)
        for trace, one in zip(traces, records, strict=True)
    ]
    for run in runs:
        if run.label is not None and not 1 <= run.label <= len(run.trace.calls):
            raise SystemExit(f"{run.trace.id}: step {run.label} of {len(run.trace.calls)} calls")
    return runs


def drawn(path: Path, good: Path, seed: int) -> tuple[list[Labelled], str | None]:
    """Return the runs of a family, and the rules that it brings along."""
    if path.suffix == ".json":
        return labelled(json.loads(path.read_text(encoding="utf-8")), path.stem), None
    held = runpy.run_path(str(path))
    records = held["family"](json.loads(good.read_text(encoding="utf-8")), seed)
    return labelled(records, path.stem), held.get("RULES")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=GOOD)
    args = parser.parse_args()
    runs, rules = drawn(args.file, args.runs, args.seed)
    judge = Judge(RETAIL if rules is None else rules)
    table(f"Family of {args.file.name}", runs, judge)
    by_grade(runs, judge)
    by_kind(runs, judge)


if __name__ == "__main__":
    main()
