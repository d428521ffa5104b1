"""The record, variants and runs of a dissection so far, under a lock for use by several threads."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from planscope.dissection.blame import Cells
from planscope.dissection.evidence import KINDS, Counts, Evidence
from planscope.dissection.summary import failed_before, judged, readable
from planscope.language.problem import Problem
from planscope.safe.secret_names import without_secrets
from planscope.session.model import (
    Cell,
    CellKind,
    Dissection,
    Run,
    Session,
    Variant,
    all_runs,
    all_variants,
    next_dissection_id,
)

_Named = TypeVar("_Named", Variant, Run)


class Results:
    """Collects results, beginning with what the session has of the dissection. ``failed``: see :func:`rates.decide`."""

    def __init__(self, session: Session, dissection: Dissection, variant: Variant) -> None:
        self._lock = threading.RLock()
        self.asked = variant
        self._dissection = dissection.model_copy(deep=True)
        named = {variant.id, *(cell.variant for cell in dissection.cells)}
        spent = {run for cell in dissection.cells for run in cell.runs}
        self._variants = {v.id: v for v in session.variants if v.id in named} | {variant.id: variant}
        self._runs = {r.id: r for r in session.runs if r.id in spent}
        self._problems: dict[str, Problem | None] = {v: readable(x) for v, x in self._variants.items()}
        self._counts: dict[tuple[CellKind, int], Counts] = {}
        for cell in dissection.cells:
            for run in (self._runs[r] for r in cell.runs if r in self._runs):
                self._count(cell, run)
        first = next((r for r in session.runs if r.id == dissection.run), None)
        verdict = judged(self._problems[variant.id], first) if first is not None else None
        self.failed = failed_before(dissection, first, verdict)
        self._taken = {v.id for v in all_variants(session)} | {r.id for r in all_runs(session)}

    def copy(self) -> Dissection:
        with self._lock:
            return self._dissection.model_copy(deep=True)

    @property
    def spent(self) -> int:
        with self._lock:
            return sum(len(cell.runs) for cell in self._dissection.cells)

    @property
    def closed(self) -> frozenset[CellKind]:
        with self._lock:
            return frozenset(self._dissection.closed)

    def cells(self, kind: CellKind) -> list[Cell]:
        """Copies of the cells of a kind, by number; the evidence has the same order."""
        with self._lock:
            found = (c.model_copy(deep=True) for c in self._dissection.cells if c.kind == kind)
            return sorted(found, key=lambda c: c.number)

    def by_kind(self) -> Cells:
        """Return the cells of every kind, by number, with their counts and variants."""
        with self._lock:
            return {
                kind: [
                    (c, self._counts.get((kind, c.number), Counts()), self._variants[c.variant])
                    for c in self.cells(kind)
                ]
                for kind in KINDS
            }

    def evidence(self) -> Evidence:
        return {kind: [counts for _, counts, _ in cells] for kind, cells in self.by_kind().items()}

    def counts(self) -> list[tuple[Variant, Counts]]:
        """Return the variants that were run, with the counts of their runs; one may come several times."""
        return [(v, counts) for cells in self.by_kind().values() for _, counts, v in cells if counts.runs]

    def variant(self, cell: Cell) -> Variant:
        with self._lock:
            return self._variants[cell.variant]

    def texts(self) -> set[str]:
        """Return the texts of the query and all mutants."""
        with self._lock:
            return {v.query.text for v in self._variants.values()}

    def fresh_id(self, letter: str) -> str:
        """Return the next free id: ``d1v1``, ``d1r1`` and so on."""
        with self._lock:
            number = 1 + sum(key.startswith(f"{self._dissection.id}{letter}") for key in self._taken)
            while (found := f"{self._dissection.id}{letter}{number}") in self._taken:
                number += 1
            self._taken.add(found)
            return found

    def add_cell(
        self, kind: CellKind, number: int, variant: Variant, changes: Sequence[int] | None = None
    ) -> Cell:
        with self._lock:
            self._variants.setdefault(variant.id, variant)
            self._problems.setdefault(variant.id, readable(variant))
            cell = Cell(
                kind=kind,
                number=number,
                variant=variant.id,
                changes=None if changes is None else sorted(changes),
            )
            self._dissection.cells.append(cell)
            return cell.model_copy(deep=True)

    def add_run(self, kind: CellKind, number: int, run: Run) -> Cell:
        with self._lock:
            cell = next(c for c in self._dissection.cells if (c.kind, c.number) == (kind, number))
            self._runs[run.id] = run
            cell.runs.append(run.id)
            self._count(cell, run)
            return cell.model_copy(deep=True)

    def close(self, kind: CellKind, why: str) -> None:
        """Note that no more mutants of this kind can be made. Secrets of the environment are taken out of ``why``."""
        with self._lock:
            self._dissection.closed[kind] = without_secrets(why)

    def began(self, now: datetime) -> None:
        with self._lock:
            self._dissection.stopped = None
            self._dissection.started = self._dissection.started or now

    def ended(self, stopped: str | None) -> None:
        """Note why the runs ended: ``user``, ``budget``, or an error in words, without secrets of the environment."""
        with self._lock:
            self._dissection.stopped = None if stopped is None else without_secrets(stopped)

    def _count(self, cell: Cell, run: Run) -> None:
        verdict = judged(self._problems.get(run.variant), run).verdict
        key = (cell.kind, cell.number)
        one = Counts(int(verdict == "right"), int(verdict == "wrong"))
        self._counts[key] = self._counts.get(key, Counts()) + one

    def add_to(self, session: Session) -> Dissection:
        """Add the dissection to a session, or update it there; everything else in the session stays."""
        with self._lock:
            there = next((d for d in session.dissections if d.id == self._dissection.id), None)
            if there is not None and there.started != self._dissection.started:
                self._rename(next_dissection_id(session), session)
                there = None
            _extend(session.variants, self._variants.values())
            _extend(session.runs, self._runs.values())
            record = self._dissection.model_copy(deep=True)
            if there is None:
                session.dissections.append(record)
            else:
                session.dissections[session.dissections.index(there)] = record
            return record

    def _rename(self, identity: str, session: Session) -> None:
        """Give this dissection and everything that it made new ids, because the session has another one with its id."""
        taken = {v.id for v in all_variants(session)} | {r.id for r in all_runs(session)} | {identity}
        self._taken |= taken
        mine = self._dissection.id
        self._dissection.id = identity
        original = self._dissection.variant
        variants = {v: self.fresh_id("v") for v in self._variants if v != original and v.startswith(mine)}
        runs = {r: self.fresh_id("r") for r in self._runs}
        self._variants = {
            variants.get(i, i): v.model_copy(update={"id": variants.get(i, i)})
            for i, v in self._variants.items()
        }
        self._problems = {variants.get(i, i): p for i, p in self._problems.items()}
        self._runs = {
            runs[i]: r.model_copy(update={"id": runs[i], "variant": variants.get(r.variant, r.variant)})
            for i, r in self._runs.items()
        }
        for cell in self._dissection.cells:
            cell.variant = variants.get(cell.variant, cell.variant)
            cell.runs = [runs[r] for r in cell.runs]


def _extend(there: list[_Named], new: Iterable[_Named]) -> None:
    known = {one.id for one in there}
    there.extend(one for one in new if one.id not in known)
