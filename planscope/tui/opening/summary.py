"""Summarizes a session's file for the first frame: the query and the calls of one run, not judged.

It is read from raw JSON, since importing the session model takes half as long as painting a frame. Values of a wrong
type count as absent, and all strings are untrusted. The raw JSON is kept, so that the file is parsed once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from planscope.session.containers import session_json
from planscope.session.files import LARGEST, Fingerprint, SessionError, fingerprint_of, read_bytes
from planscope.session.json_bytes import parse_json
from planscope.session.run_names import run_named

MOST_CALLS = 80  # a first frame has no more rows


class Called(NamedTuple):
    """One call of the displayed run. ``arguments`` are empty if they could not be read."""

    tool: str
    arguments: Mapping[str, Any]


class Summary(NamedTuple):
    """A session's file as the first frame shows it. ``run_ids``: the ids of all runs. ``run_id``: the id of the
    displayed run, or "". ``calls``: its first ones. ``bare``: it answers no query, and there are no rules; ``text`` is
    then the user's.

    ``raw`` is the file's whole JSON, as it was at ``stamp``; None if it could not be read.
    """

    title: str = ""
    text: str = ""
    run_ids: tuple[str, ...] = ()
    run_id: str = ""
    model: str = ""
    calls: tuple[Called, ...] = ()
    raw: Mapping[str, Any] | None = None
    stamp: Fingerprint | None = None
    bare: bool = False

    @property
    def simulated(self) -> bool:
        return self.model.casefold().startswith(("sim:", "simulated"))


def summary_of(path: Path | None, wanted: str | None = None) -> Summary:
    """Summarize a session's file. The summary is empty if the file is no session; loading it will say why.

    ``wanted``: the id of the run to display; by default the run at the saved cursor, else the last run that no
    dissection made.
    """
    if path is None:
        return Summary()
    try:
        if path.stat().st_size > LARGEST:
            return Summary()
        stamp = fingerprint_of(path)
        raw = parse_json(session_json(read_bytes(path), path.name), path.name)
    except (OSError, ValueError, SessionError):
        return Summary()
    return _summary(raw, wanted, stamp) if isinstance(raw, dict) else Summary()


def _summary(raw: Mapping[str, Any], wanted: str | None, stamp: Fingerprint | None) -> Summary:
    runs = {_text(run.get("id")): run for run in _items(raw.get("runs"))}
    run_id = _first_run(raw, list(runs), wanted)
    run = runs.get(run_id, {})
    variants = {_text(v.get("id")): v for v in _items(raw.get("variants"))}
    last: Mapping[str, Any] = next(reversed(variants.values()), {})
    variant = variants.get(_text(run.get("variant")), last)
    events = list(_items(run.get("events")))
    calls = islice((event for event in events if event.get("type") == "call"), MOST_CALLS)
    text = _text(_mapping(variant.get("query")).get("text"))
    asked = next((_text(event.get("text")) for event in events[:1] if event.get("type") == "prompt"), "")
    return Summary(
        _text(raw.get("title")) or _text(raw.get("id")),
        text if text.strip() else asked,
        tuple(runs),
        run_id,
        _text(run.get("model")),
        tuple(Called(_text(call.get("tool")), _mapping(call.get("arguments"))) for call in calls),
        raw,
        stamp,
        bool(run) and not (text.strip() or _text(raw.get("rules")).strip()),
    )


def _first_run(raw: Mapping[str, Any], ids: list[str], wanted: str | None) -> str:
    if wanted is not None:
        return run_named(ids, wanted) or ""
    return run_to_open(ids, _mapping(raw.get("cursor")).get("run"), _trials(raw))


def run_to_open(ids: Sequence[str], left: object, trials: Collection[str]) -> str:
    """Return the id of the run that a session opens at: where it was left, or else the last that no dissection made,
    or "".

    ``left`` is what the session's cursor says, ``trials`` are the ids of the runs that dissections made.
    """
    if isinstance(left, str) and left in ids:
        return left
    own = [id for id in ids if id not in trials]
    return (own or [*ids] or [""])[-1]


def _trials(raw: Mapping[str, Any]) -> frozenset[str]:
    """Return the ids of the runs that dissections made."""
    cells = (cell for one in _items(raw.get("dissections")) for cell in _items(one.get("cells")))
    lists = (cell.get("runs") for cell in cells)
    return frozenset(id for runs in lists if isinstance(runs, list) for id in runs if isinstance(id, str))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _items(value: object) -> Iterable[Mapping[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
