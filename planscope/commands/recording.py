"""Helpers that the commands which record runs share: the agent, its limits, the session that is written."""

from __future__ import annotations

import math
import sys
import threading
import time
from argparse import Namespace
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from planscope.case import listed, variant_shown
from planscope.commands.common import SESSION, given_for, number, output_file, session_path, whole
from planscope.errors import UserError
from planscope.safe import visible
from planscope.wording.phrases import file_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planscope.agents.options import RunOptions
    from planscope.session.model import Limits, Run, Session, Variant

SAVED_EVERY = 10.0
"""Seconds between two saves while a command makes runs."""

FIRST_RUNS = 5
"""How many of the first runs are measured to estimate the size of all runs."""


def prints_aside() -> redirect_stdout[TextIO]:
    """Send what a user's own agent prints to standard error; standard output is for the command."""
    return redirect_stdout(sys.stderr)


def agent_choice(models: str) -> tuple[Any, ...]:
    """Return the arguments for the session, the model and the agent. ``models``: examples of simulated models."""
    return (
        SESSION,
        ("--model M!", f"{models}, ... or provider:name (planscope models lists all)"),
        (
            "--agent A",
            "tools (default), react, responses, or your own: package.module:factory",
            None,
            "tools",
        ),
    )


LONGEST = 7 * 24 * 3600.0
"""The longest time limit of a run, in seconds."""
_SECONDS = "a number of seconds above 0 and up to a week"


LIMITS = (
    ("--max-seconds S", "time limit in seconds (default 180)", number(LONGEST, _SECONDS, positive=True)),
    ("--max-calls N", "at most N model calls (default 50)", whole(1)),
)
"""The arguments for the limits of a run."""


def limits_of(args: Namespace, variant: Variant) -> Limits:
    """Return the variant's limits, replaced by those of the command line."""
    given = {"seconds": args.max_seconds, "model_calls": args.max_calls}
    return variant.limits.model_copy(update={k: v for k, v in given.items() if v is not None})


def options_of(args: Namespace, limits: Limits | None = None, rules: str | None = None) -> RunOptions:
    """Return the options of a run that the command line gives. ``rules``: the session's."""
    from planscope.agents.options import RunOptions

    return RunOptions(**given_for(RunOptions, args) | {"limits": limits, "rules": rules})


def chosen_variant(session: Session, wanted: str | None) -> Variant:
    """Return the variant of that id, by default the newest. Raises UserError if it has no query."""
    newest = variant_shown(session)
    if wanted is None:
        return _with_query(newest)
    for variant in session.variants:
        if variant.id == wanted:
            return _with_query(variant)
    known = listed(v.id for v in session.variants)
    raise UserError(f"the session has no variant {wanted!r}; its variants: {known}")


def newest_original(session: Session, wanted: str | None) -> Variant:
    """Return the variant of that id, by default the newest that is not a mutant."""
    from planscope.session.model import own_variants

    originals = [v for v in own_variants(session) if v.origin.mutation is None]
    return _with_query(originals[-1]) if wanted is None and originals else chosen_variant(session, wanted)


def _with_query(variant: Variant) -> Variant:
    from planscope.session.oracle_input import has_own_tools

    if has_own_tools(variant) and not variant.query.text.strip():
        raise UserError(
            f"variant {visible(variant.id, limit=40)} has no query, so no agent can run it; name another variant"
        )
    return variant


@contextmanager
def recorded_late(interrupted: bool) -> Iterator[None]:
    """After an interrupt, turn an error while recording into the interrupt's message: it may name the file."""
    try:
        yield
    except UserError as error:
        if interrupted:
            raise KeyboardInterrupt(f"interrupted; {error}") from None
        raise


class Addition:
    """A session that a command adds to, and the file that it is written to: that of -o, or its own.

    Raises UserError, before runs are made that could not be saved, for a bundled session, a path that cannot be
    written, a file that another planscope has open, and a session that could not be written again.
    """

    def __init__(self, args: Namespace) -> None:
        from planscope.session.files import read_bytes
        from planscope.session.store import dumps, loads
        from planscope.session.writer import SavedFiles, digest_of

        self._source = session_path(args.session)
        self.target = _target(args, self._source)
        self.name = str(args.output or self.target)
        data = read_bytes(self._source)
        self.session = loads(data, str(self._source))
        self._read, self.kept = digest_of(data), SavedFiles()
        self._size, self._saved = len(data), time.monotonic()
        if not data.startswith(b'{\n "format": "planscope-session",\n '):  # planscope itself did not write it
            try:
                dumps(self.session)
            except UserError as error:
                raise UserError(
                    f"{args.session} cannot be written again: {error}; repair it, or start with a new session"
                ) from None

    def adding(self, *variants: str) -> AbstractContextManager[Session]:
        """Give the session to add to, which may have changed since it was read, but still has these variants. It is
        written when the block ends."""
        from planscope.session.writer import adding

        return adding(self.session, self._source, self.target, variants, read=self._read, kept=self.kept)

    def record(self, made: Sequence[Run]) -> list[Run]:
        """Add runs to the session, and return them as they were recorded."""
        from planscope.session.model import next_run_id

        with self.adding(*(run.variant for run in made)) as session:
            for run in made:
                session.runs.append(run.model_copy(update={"id": next_run_id(session)}))
        self.session = session
        return self.session.runs[-len(made) :]

    def record_early(self, made: Sequence[Run]) -> list[Run]:
        """Record some runs before the others are made, so that a crash does not lose them. Return none if it is too
        early, one file may not hold all, or it fails: the last save reports that."""
        from planscope.session.json_bytes import LARGEST
        from planscope.session.store import size_in_file
        from planscope.session.writer import check_nobody_writes

        if time.monotonic() - self._saved < SAVED_EVERY:
            return []
        size = self._size + sum(map(size_in_file, made))
        if size > LARGEST / 2:
            return []
        before = self.session.model_copy(update={"runs": list(self.session.runs)})
        try:
            check_nobody_writes(self.target)
            recorded = self.record(made)
        except UserError:
            self.session, self._saved = before, math.inf
            return []
        self._size, self._saved = size, time.monotonic()
        return recorded

    def where(self, run: str) -> str:
        """Return the name of the file that holds a new run."""
        return self.kept.where(run, self.name)

    def more_files(self) -> list[str]:
        """Return lines that name the files of the runs, if they did not fit into one."""
        from planscope.session.json_bytes import LARGEST

        told = self.kept.beyond(self.name)
        if told is None:
            return []
        each = "; ".join(f"{_from_to(runs)} in {file}" for file, runs in told)
        return [f"a session file has at most {file_size(LARGEST)}, so there are several: {each}"]


def _target(args: Namespace, source: Path) -> Path:
    from planscope.session.containers import is_session_file
    from planscope.session.locations import is_bundled
    from planscope.session.writer import check_nobody_writes

    if args.output is None and is_bundled(source):
        raise UserError(
            f"{args.session} is a bundled session, which is read-only; name a file to write with -o FILE"
        )
    target = output_file(str(source) if args.output is None else args.output)
    if not is_session_file(target):
        raise UserError(f"{target} is a page or a test, not a session file; use -o NAME.planscope.json")
    check_nobody_writes(target)
    return target


def _from_to(runs: Sequence[str]) -> str:
    return f"run {runs[0]}" if len(runs) == 1 else f"runs {runs[0]} to {runs[-1]}"


class Filling:
    """Warns early if the runs will not fit into one file."""

    def __init__(self, place: Addition, runs: int) -> None:
        self._sizes: list[int] = []
        self._place, self._runs = place, runs
        self.told = False
        self._lock = threading.Lock()

    def one_more(self, run: Run) -> None:
        """Count one finished run. May be called from any thread."""
        from planscope.session.json_bytes import LARGEST
        from planscope.session.store import FULL, file_beside, size_in_file

        with self._lock:
            if self.told or len(self._sizes) >= FIRST_RUNS:
                return
            self._sizes.append(size_in_file(run))
            if len(self._sizes) < min(FIRST_RUNS, self._runs):
                return
            there = sum(map(size_in_file, self._place.session.runs))
            each = sum(self._sizes) / len(self._sizes)
            if there + each * self._runs <= FULL * LARGEST:
                return
            self.told = True

        fit = max(int((FULL * LARGEST - there) / each), 0)
        sys.stderr.write(
            f"planscope: {self._runs} runs of about {file_size(int(each))} exceed the limit of a session file "
            f"({file_size(LARGEST)}): about {fit} go to {visible(str(self._place.target))}, the others to "
            f"{visible(str(file_beside(self._place.target)))}\n"
        )
        sys.stderr.flush()
