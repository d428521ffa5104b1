"""The open session, which is changed only here. Each change is announced in a message.

All methods are for the screen's thread. Threads that save or judge the session get a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from textual.message import Message

from planscope.frozen import frozen
from planscope.session.locations import is_bundled
from planscope.tui.messages import DocumentChanged

if TYPE_CHECKING:
    from planscope.session.model import CallEvent, Dissection, Event, Run, Session, Variant
    from planscope.session.record import RunRecord
    from planscope.session.tally import Outcome
    from planscope.toolfuzz.keeping import Predicted

Post = Callable[[Message], object]
"""Posts a message to the open screens."""

RunKey = tuple[str, str, int]
"""A session's id, a run's id, and the number of the run's events."""


def key_of(session: Session, run: Run) -> RunKey:
    return session.id, run.id, len(run.events)


@frozen
class Saving:
    """The save status. ``""``: nothing was changed yet. ``trouble``: why saving failed, one line of untrusted text."""

    state: Literal["", "changed", "saved", "failed"] = ""
    trouble: str = ""


NOTHING_CHANGED = Saving()


class Document:
    """The session, its path, its save status, and which of its runs are live.

    ``unsaved``: the number of changes since the last save. ``under_way``: ids of runs that may get more events.
    ``pending``: the calls before which they are paused, by run; no event records them. ``passing``: ids of runs that
    are displayed and not saved (what-if play). ``followed``: ids of runs that another program records; they are saved,
    but their events are no changes of this session. ``outcomes``: the known verdicts of runs. ``version``: the number
    of announced changes.
    """

    def __init__(self, path: Path | None, post: Post = lambda message: None) -> None:
        self.path = path
        self.session: Session | None = None
        self.unsaved = 0
        self.saving = NOTHING_CHANGED
        self.under_way: set[str] = set()
        self.pending: dict[str, CallEvent] = {}
        self.passing: set[str] = set()
        self.followed: set[str] = set()
        self.outcomes: dict[RunKey, Outcome] = {}
        self.version = 0
        self._records: dict[str, RunRecord] = {}
        self._say = post

    def _post(self, message: DocumentChanged) -> None:
        self.version += 1
        self._say(message)

    def open(self, session: Session, path: Path | None = None) -> None:
        """Open a session. ``path``: its file, if it differs from the one given before."""
        self.path = path or self.path
        self.session = session
        self.unsaved = 0
        self.saving = NOTHING_CHANGED
        self._records.clear()
        self._post(DocumentChanged("opened"))

    # Reading

    @property
    def open_session(self) -> Session:
        """The session. One must be open."""
        assert self.session is not None
        return self.session

    @property
    def runs(self) -> list[Run]:
        return [] if self.session is None else self.session.runs

    @property
    def variants(self) -> list[Variant]:
        return [] if self.session is None else self.session.variants

    @property
    def title(self) -> str:
        return "" if self.session is None else self.session.title or self.session.id

    def run(self, id: str | None) -> Run | None:
        return next((run for run in reversed(self.runs) if run.id == id), None)

    def variant(self, id: str | None) -> Variant | None:
        return next((variant for variant in reversed(self.variants) if variant.id == id), None)

    def number_of(self, run_id: str | None) -> int | None:
        """Return the index of a run in the session."""
        runs = self.runs
        return next((k for k in range(len(runs) - 1, -1, -1) if runs[k].id == run_id), None)

    def record(self, run_id: str) -> RunRecord:
        """Return a run's events, grouped by call. A paused call is included, as if it had been done."""
        from planscope.session.record import record_of, with_event

        found = self._records.get(run_id)
        if found is None:
            run = self.run(run_id)
            assert run is not None
            found = self._records[run_id] = record_of(run, under_way=run_id in self.under_way)
        pending = self.pending.get(run_id)
        return found if pending is None else with_event(found, pending)._replace(pending=True)

    def predicted(self, run: RunRecord | None) -> tuple[Predicted, ...]:
        """Return the steps of a run that failed as a finding of the fuzzer says, if the session has findings."""
        if run is None or self.session is None or not self.session.fuzzings:
            return ()
        from planscope.toolfuzz.keeping import predicted

        return tuple(predicted(self.session, run))

    def snapshot(self, played: str | None = None) -> Session:
        """Return a copy of the session for a thread. Later changes do not affect it.

        ``played``: the id of a passing run that is to be in it.
        """
        session = self.open_session
        lists = ("variants", "dissections", "breakpoints", "watches")
        copies: dict[str, object] = {name: list(getattr(session, name)) for name in lists}
        runs = [run for run in self.runs if run.id == played or run.id not in self.passing]
        copies["runs"] = [_copy(r) if r.id in self.under_way | self.passing else r for r in runs]
        return session.model_copy(update=copies)

    def kept_runs(self) -> list[Run]:
        return [run for run in self.runs if run.id not in self.passing]

    # Writing

    def put_variant(self, variant: Variant, *, followed: bool = False) -> None:
        """Add a variant, or replace the variant with its id. ``followed``: another program records it."""
        message = DocumentChanged("variant", variant.id, _put(self.open_session.variants, variant))
        (self._post if followed else self._changed)(message)

    def put_run(
        self, run: Run, *, under_way: bool = False, passing: bool = False, followed: bool = False
    ) -> None:
        """Add a run, or replace the run with its id.

        ``under_way``: more events will come (:meth:`append`). ``passing``: the run is displayed and not saved.
        ``followed``: another program records it.
        """
        (self.followed.add if followed else self.followed.discard)(run.id)
        copy = _copy(run)
        fresh = _put(self.open_session.runs, copy)
        (self.under_way.add if under_way else self.under_way.discard)(run.id)
        (self.passing.add if passing else self.passing.discard)(run.id)
        self.pending.pop(run.id, None)
        self._records.pop(run.id, None)
        self._changed(DocumentChanged("run", run.id, fresh))

    def append(self, run_id: str, event: Event) -> None:
        """Add an event to a live run."""
        from planscope.session.record import with_event

        run = self.run(run_id)
        assert run is not None and run_id in self.under_way
        record = self.record(run_id) if run_id not in self._records else self._records[run_id]
        run.events.append(event)
        self.pending.pop(run_id, None)
        self._records[run_id] = with_event(record, event)
        self._changed(DocumentChanged("run", run_id, False))

    def pause(self, run_id: str, call: CallEvent | None) -> None:
        """Note that a live run is paused before a call, or (None) that it goes on."""
        assert run_id in self.under_way
        if call is not None:
            self.pending[run_id] = call
        elif self.pending.pop(run_id, None) is None:
            return
        self._post(DocumentChanged("run", run_id, False))

    removed_last = False
    """Whether the last thing that can be taken back is a deletion."""

    def drop_run(self, id: str) -> None:
        """Remove a passing run."""
        assert id in self.passing
        session = self.open_session
        session.runs[:] = [run for run in session.runs if run.id != id]
        self.passing.discard(id)
        self.under_way.discard(id)
        self._records.pop(id, None)
        self._post(DocumentChanged("run", id, False))

    def remove(
        self, variants: Collection[str] = (), runs: Collection[str] = (), *, busy: Collection[str] = ()
    ) -> str:
        """Delete queries and runs and what depends on them. They stay in the file, and can be restored.

        ``busy``: ids of dissections in progress. Returns what was deleted, in words. Raises UserError if that is not
        possible.
        """
        from planscope.session.removal import remove, with_dependents

        parts = with_dependents(
            self.open_session, variants, runs, busy={*busy, *self.under_way, *self.passing}
        )
        remove(self.open_session, parts)
        for id in parts.runs:
            self._records.pop(id, None)
        self.removed_last = True
        self._changed(DocumentChanged("removed"))
        return parts.text

    def take_back(self) -> str:
        """Restore the last deletion. Return what was restored, in words. Raises UserError if it is not possible."""
        from planscope.session.removal import take_back, text_of

        removal = take_back(self.open_session)
        self.removed_last = bool(self.open_session.removed)
        self._changed(DocumentChanged("removed"))
        return text_of(removal)

    def delete_for_good(self) -> int:
        """Delete everything that was deleted for good. Return the number of its runs and queries."""
        from planscope.session.removal import delete_for_good

        count = delete_for_good(self.open_session)
        self.removed_last = False
        self._changed(DocumentChanged("removed"))
        return count

    def put_dissection(self, dissection: Dissection) -> None:
        copy = dissection.model_copy(deep=True)
        self._changed(DocumentChanged("dissection", copy.id, _put(self.open_session.dissections, copy)))

    def edit(self, *, change: bool = True, **fields: Any) -> None:
        """Set fields of the session: title, notes, breakpoints, watches, cursor.

        ``change`` False: the fields are saved only together with the next change.
        """
        self.session = self.open_session.model_copy(update=fields)
        self.unsaved += change
        self._post(DocumentChanged("fields"))

    def put_rules(self, text: str) -> bool:
        """Replace the rules of the session, which judge all its runs; "" removes them. Return False if they are the
        same.

        Raises ParseFailure for a text that cannot be read.
        """
        from planscope.rules.in_session import with_rules

        return self._take_rules(with_rules(self.open_session, text))

    def undo_rules(self) -> bool:
        """Restore the rules before their last change. Return False if they were never changed."""
        from planscope.rules.in_session import without_change

        return self._take_rules(without_change(self.open_session))

    def _take_rules(self, made: Session) -> bool:
        if made is self.open_session:
            return False
        self.outcomes.clear()
        self.removed_last = False
        self.edit(rules=made.rules, rules_before=made.rules_before)
        return True

    def mark(self, *, breakpoints: list[str], watches: list[str]) -> None:
        """Set breakpoints and watches. In a bundled session they are saved only with the first real change, to a
        copy."""
        session = self.session
        if session is None or (session.breakpoints, session.watches) == (breakpoints, watches):
            return
        looks = self.path is not None and is_bundled(self.path) and not self.unsaved
        self.edit(change=not looks, breakpoints=breakpoints, watches=watches)

    def judged(self, key: RunKey, outcome: Outcome) -> None:
        """Remember the verdict of a run, for lists of runs."""
        self.outcomes[key] = outcome

    # Saving

    def touch(self) -> None:
        """Count a change although the session was not changed here: its file differs from it."""
        self.unsaved += 1

    def saved(self, changes: int) -> None:
        """Note that ``changes`` of the unsaved changes were saved."""
        self.unsaved = max(self.unsaved - changes, 0)

    def set_saving(self, saving: Saving, path: Path | None = None) -> None:
        """Set the save status and, if the file moved, its path. Every finished save is announced."""
        if saving.state != "changed" or saving != self.saving or (path is not None and path != self.path):
            self.saving = saving
            self.path = path or self.path
            self._post(DocumentChanged("saving"))

    def _changed(self, message: DocumentChanged) -> None:
        if message.what != "run" or message.id not in self.passing | self.followed:
            self.unsaved += 1
        self._post(message)


def _copy(run: Run) -> Run:
    return run.model_copy(update={"events": list(run.events)})


def _put(things: list[Any], thing: Any) -> bool:
    """Append ``thing``, or replace the one with its id. Return whether it is new."""
    for place in range(len(things) - 1, -1, -1):
        if things[place].id == thing.id:
            things[place] = thing
            return False
    things.append(thing)
    return True
