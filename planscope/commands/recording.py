"""What one run and many have in common: limits, prompts of one's own, the session that they are recorded in."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planscope.session.costs import Cost
    from planscope.session.model import Limits, Run, Session, Variant

LARGEST_PROMPTS = 256 * 1024
"""Bytes of a file of templates."""


def limits_of(args: argparse.Namespace, variant: Variant) -> Limits:
    given = {"seconds": args.max_seconds, "model_calls": args.max_calls}
    return variant.limits.model_copy(update={k: v for k, v in given.items() if v is not None})


def check_prompts(file: Path | None) -> None:
    """Raise UserError, or OSError, for what is no file of prompts."""
    if file is not None and file.stat() and not _is_small_file(file):
        raise UserError(f"{file} is no file of prompts: a TOML file of at most 256 KiB")


def _is_small_file(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= LARGEST_PROMPTS


def record(made: Sequence[Run], session: Session, source: Path, target: Path) -> Session:
    """Add the runs to what the file holds by now: somebody else may have written to it meanwhile."""
    from planscope.session.edit import next_run_id
    from planscope.session.store import load, save

    if target == source or (target.exists() and source.exists() and target.samefile(source)):
        with suppress(UserError):
            now = load(target)
            if now.id == session.id and {r.variant for r in made} <= {v.id for v in now.variants}:
                session = now
    for run in made:
        session.runs.append(run.model_copy(update={"id": next_run_id(session)}))
    save(session, target)
    return session


def cost_line(cost: Cost) -> str:
    """Model calls, tokens and seconds in a line."""
    tokens = ""
    if cost.input_tokens is not None and cost.output_tokens is not None:
        tokens = f", {cost.input_tokens:,} tokens read and {cost.output_tokens:,} written"
    plural = "" if cost.model_calls == 1 else "s"
    return f"{cost.model_calls} answer{plural} of the model{tokens}, {cost.seconds:.1f} s"
