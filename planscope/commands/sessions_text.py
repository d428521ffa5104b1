"""What ``planscope sessions`` tells people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.commands.common import columns
from planscope.report import hanging, table
from planscope.safe import cell_width, clip, visible
from planscope.wording.phrases import outcome, plural

if TYPE_CHECKING:
    from planscope.documents.library import RunLine, SessionDocument
    from planscope.session.library_index import Entry
    from planscope.session.recovery import LeftDraft, Recovery

_WIDEST_NAME = 34
_WIDEST_MODEL = 24
"""Cells of a column."""


def list_lines(found: list[Entry], folder: Path) -> Iterator[str]:
    heads = {
        "library": f"Library ({folder})",
        "bundled": "Bundled with planscope",
        "trash": "Trash (planscope sessions restore NAME takes one out)",
    }
    for place, head in heads.items():
        rows = [entry for entry in found if entry.place == place]
        if rows:
            yield head
            yield from _rows(rows)
    late = sum(entry.pending for entry in found if entry.place != "trash")
    if late:
        yield f"{late} not judged yet (--verdict, --error-type or words judge all of them)"
    if not found:
        yield "there is none"


def _rows(found: list[Entry]) -> Iterator[str]:
    cells: list[tuple[str, ...]] = []
    shares = [entry.outcomes.share if entry.outcomes is not None else "" for entry in found]
    for entry, share in zip(found, shares, strict=True):
        when = entry.when.astimezone().strftime("%Y-%m-%d %H:%M")
        by = f"{entry.agent} {entry.model}" if entry.agent and entry.model else ""
        row = (
            clip(entry.name, _WIDEST_NAME),
            _verdict(entry),
            *([share] if any(shares) else []),
            clip(by, _WIDEST_MODEL),
            when,
            _size(entry.size),
        )
        cells.append(tuple(visible(cell) for cell in row))
    widths = [max(map(cell_width, column)) for column in zip(*cells, strict=True)]
    for texts, entry in zip(cells, found, strict=True):
        padded = [c + " " * (w - cell_width(c)) for c, w in zip(texts, widths, strict=True)]
        least = 20 if entry.wrong is None else 50
        if entry.wrong is not None:  # what by whom and when matters less than why
            padded = padded[:2]
        line = "  " + "  ".join(padded)
        yield f"{line}  {clip(entry.why_wrong or entry.title, max(least, columns() - cell_width(line) - 2))}"


def _verdict(entry: Entry) -> str:
    if entry.wrong is not None:
        return "cannot be opened"
    if entry.verdict is None:
        return "not judged yet" if entry.pending else "no run"
    verdict = outcome(entry.verdict, entry.error_type)
    return f"{verdict}, helped" if entry.helped else verdict


def _size(size: int) -> str:
    for unit, bytes_of in (("MB", 1_000_000), ("kB", 1_000)):
        if size >= bytes_of:
            return f"{size / bytes_of:.1f} {unit}"
    return f"{size} B"


def _local(moment: str | None) -> str:
    """A time of a document as it is here."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M:%S}" if moment else ""
    except (ValueError, OverflowError):
        return moment or ""


def session_lines(document: SessionDocument) -> Iterator[str]:
    facts = [
        ("title", document.title),
        ("file", document.path),
        ("size", _size(document.size)),
        ("created", _local(document.created)),
        ("changed", _local(document.changed)),
        ("topic", document.topic or ""),
        ("notes", document.notes),
        ("breakpoints", ", ".join(document.breakpoints)),
        ("watches", ", ".join(document.watches)),
        ("dissections", str(document.dissections or "")),
    ]
    if document.writer is not None:
        facts.append(("written by", f"process {document.writer.pid} on {document.writer.host}"))
    if document.recovery is not None:
        facts.append(("unsaved", f"{document.recovery.saved}: {document.recovery.why}"))
    for label, value in facts:
        if value:
            yield from hanging(label, clip(value, 500), 13, columns())
    yield "Variants"
    for one in document.variant_list:
        about = f"{one.origin}, {one.actions} actions: {one.text}"
        yield from hanging(f"  {clip(one.id, 20)}", clip(about, 500), 13, columns())
    came_out = document.outcomes
    yield f"Runs: {came_out.text}" if came_out is not None and len(document.run_list) > 1 else "Runs"
    rows = [
        (
            clip(one.id, 20),
            (outcome(one.verdict, one.error_type) if one.verdict else "not judged")
            + (f", helped: {one.helped.text}" if one.helped else ""),
            plural(one.calls, "call"),
            clip(f"{_agent(one)} {one.model}", 60),
            _local(one.started),
        )
        for one in document.run_list
    ]
    yield from table(rows) if rows else ("  none",)


def _agent(run: RunLine) -> str:
    return f"{run.agent} + guard" if run.helped and run.helped.refused_by_guard else run.agent


def recovery_lines(left: Sequence[Recovery], drafts: Sequence[LeftDraft]) -> Iterator[str]:
    for one in left:
        yield f"{one.path}"
        yield f"  {one.saved.astimezone():%Y-%m-%d %H:%M:%S}: {one.why}"
    for draft in drafts:
        yield f"{draft.path}"
        began = clip(draft.variant.parent or "", 20)
        yield f"  {draft.saved.astimezone():%Y-%m-%d %H:%M:%S}: a draft of {began}; e goes on with it on screen"
    if not (left or drafts):
        yield "nothing is left unsaved"
