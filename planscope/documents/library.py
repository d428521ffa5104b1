"""What ``sessions`` prints: a list of sessions, one session looked at, what was changed, what can be recovered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from planscope.session.library_entry import Entry
    from planscope.session.lock import Holder
    from planscope.session.model import Run, Session
    from planscope.session.recovery import Recovery


def time_text(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment is not None else None


def entry_document(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "open": entry.address,
        "place": entry.place,
        "path": str(entry.path),
        "title": entry.title,
        "topic": entry.topic,
        "agent": entry.agent,
        "model": entry.model,
        "runs": entry.runs,
        "variants": entry.variants,
        "verdict": entry.verdict,
        "error_type": entry.error_type,
        "created": time_text(entry.created),
        "changed": time_text(entry.changed),
        "deleted": time_text(entry.deleted),
        "size": entry.size,
        "wrong": entry.wrong,
    }


def recovery_document(found: Recovery) -> dict[str, Any]:
    return {
        "path": str(found.path),
        "saved": time_text(found.saved),
        "why": found.why,
        "file": str(found.file),
    }


def sessions_document(folder: Path, found: list[Entry], left: list[Recovery]) -> dict[str, Any]:
    return {
        "folder": str(folder),
        "sessions": [entry_document(one) for one in found],
        "recoveries": [recovery_document(one) for one in left],
    }


def session_document(
    entry: Entry,
    session: Session,
    verdicts: Mapping[str, tuple[str, str | None]],
    holder: Holder | None,
    left: Recovery | None,
) -> dict[str, Any]:
    """``verdicts``: verdict and error type by the ids of the runs that were judged."""
    writer = None
    if holder is not None:
        writer = {"pid": holder.pid, "host": holder.host, "since": time_text(holder.since)}
    return entry_document(entry) | {
        "id": session.id,
        "notes": session.notes,
        "variant_list": [
            {
                "id": v.id,
                "parent": v.parent,
                "origin": v.origin.kind,
                "text": v.query.text,
                "actions": len(v.actions),
            }
            for v in session.variants
        ],
        "run_list": [_run_line(run, verdicts) for run in session.runs],
        "dissections": len(session.dissections),
        "breakpoints": session.breakpoints,
        "watches": session.watches,
        "writer": writer,
        "recovery": recovery_document(left) if left is not None else None,
    }


def _run_line(run: Run, verdicts: Mapping[str, tuple[str, str | None]]) -> dict[str, Any]:
    verdict, error_type = verdicts.get(run.id, (None, None))
    return {
        "id": run.id,
        "variant": run.variant,
        "agent": run.agent,
        "model": run.model,
        "seed": run.seed,
        "started": time_text(run.started),
        "calls": sum(event.type == "call" for event in run.events),
        "verdict": verdict,
        "error_type": error_type,
    }


def changed_document(action: str, places: Mapping[str, Path], removed: int = 0) -> dict[str, Any]:
    return {
        "action": action,
        "sessions": [{"name": name, "path": str(path)} for name, path in places.items()],
        "removed": removed,
    }
