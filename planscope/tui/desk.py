"""The open session while it is worked on: every room sees the same one, and each hears of what is new in it.

Rooms do not know each other. They put variants, runs and dissections on the desk, and listen. All of this happens
on the screen's thread; what is put here is not changed behind the desk's back (a run under way is put again).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from planscope.tui.glance import SessionGlance, glance_of, run_glance, variant_glance

if TYPE_CHECKING:
    from planscope.session.events import CallEvent
    from planscope.session.model import Dissection, Run, Session, Variant

RunKey = tuple[str, str, int]
"""A session's id, a run's, and how many events it has."""

Outcome = tuple[str, str]
"""A verdict, and the type of error that its headline names where it is ``wrong``."""

What = Literal["opened", "variant", "run", "dissection", "fields", "saving"]


@dataclass(frozen=True, slots=True)
class Saving:
    """How it stands with the session's file. ``failed``: not in it is what ``trouble`` says, one line of hostile text.

    ``""``: nothing was changed yet.
    """

    state: Literal["", "changed", "saved", "failed"] = ""
    trouble: str = ""


NOTHING_CHANGED = Saving()


@dataclass(frozen=True, slots=True)
class News:
    """What is new on the desk: a thing of the session by its id, or ``opened`` and ``fields`` for the whole.

    ``saving``: nothing of the session, but how it stands with its file.
    """

    what: What
    id: str = ""
    fresh: bool = True
    """False where it was there before and was put again, such as a run with more events."""


Listener = Callable[[News], None]


class Desk:
    """The session, the same at a glance, and where it is kept.

    ``unsaved`` counts what changed since the last save. ``under_way`` are the ids of runs that go on, ``pending``
    the calls at which they wait; those stand in no record. ``passing`` are ids of runs that are shown and not kept.
    ``outcomes``: how runs came out, as far as a list of them was judged.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.session: Session | None = None
        self.glance = SessionGlance("", "")
        self.unsaved = 0
        self.saving = NOTHING_CHANGED
        self.under_way: set[str] = set()
        self.pending: dict[str, CallEvent] = {}
        self.passing: set[str] = set()
        self.outcomes: dict[RunKey, Outcome] = {}
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def forget(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def open(self, session: Session, path: Path | None, glance: SessionGlance | None = None) -> None:
        """Lay another session on the desk."""
        self.path = path
        self.session = session
        self.glance = glance or glance_of(session.model_dump(mode="json"))
        self.unsaved = 0
        self.saving = NOTHING_CHANGED
        self._tell(News("opened"))

    def put_variant(self, variant: Variant) -> None:
        fresh = _put(self.open_session.variants, variant)
        glances = _glance_put(self.glance.variants, variant_glance(variant.model_dump(mode="json")))
        self.glance = self.glance._replace(variants=glances)
        self._changed(News("variant", variant.id, fresh))

    def put_run(
        self,
        run: Run,
        *,
        under_way: bool = False,
        pending: CallEvent | None = None,
        passing: bool = False,
    ) -> None:
        """A run, or the same again with what came to it.

        ``pending``: a call that waits and is not done yet. ``passing``: to be looked at, and not saved.
        """
        copy = run.model_copy(update={"events": list(run.events)})
        fresh = _put(self.open_session.runs, copy)
        (self.under_way.add if under_way else self.under_way.discard)(run.id)
        (self.passing.add if passing else self.passing.discard)(run.id)
        self.pending.pop(run.id, None)
        if pending is not None:
            self.pending[run.id] = pending
        raw = self.run_ahead(run.id).model_dump(mode="json")
        glance = run_glance(raw, under_way)._replace(pending=pending is not None)
        self.glance = self.glance._replace(runs=_glance_put(self.glance.runs, glance))
        self._changed(News("run", run.id, fresh))

    def run_ahead(self, id: str) -> Run:
        """A run with the call that waits, as if it were done: to see what it would do."""
        run = self.run(id)
        assert run is not None
        pending = self.pending.get(id)
        return run if pending is None else run.model_copy(update={"events": [*run.events, pending]})

    def drop_run(self, id: str) -> None:
        """Take away a run that was only passing."""
        assert id in self.passing
        session = self.open_session
        session.runs[:] = [run for run in session.runs if run.id != id]
        self.passing.discard(id)
        self.under_way.discard(id)
        self.glance = self.glance._replace(runs=tuple(run for run in self.glance.runs if run.id != id))
        self._tell(News("run", id, fresh=False))

    def put_dissection(self, dissection: Dissection) -> None:
        copy = dissection.model_copy(deep=True)
        self._changed(News("dissection", copy.id, _put(self.open_session.dissections, copy)))

    def set_fields(self, *, change: bool = True, **fields: Any) -> None:
        """Title, notes, breakpoints, watches, cursor: what is not a list of things with ids.

        ``change`` False: nothing that has to be saved by itself; it goes along with the next change.
        """
        self.session = self.open_session.model_copy(update=fields)
        seen = {name: fields[name] for name in ("title", "notes") if name in fields}
        self.glance = self.glance._replace(**seen)
        if change:
            self._changed(News("fields"))
        else:
            self._tell(News("fields"))

    def set_saving(self, saving: Saving, path: Path | None = None) -> None:
        """How it stands with the file now, and where that is, if it is not where it was.

        A save that ended is news, also where it ended as the one before.
        """
        if saving.state != "changed" or saving != self.saving or (path is not None and path != self.path):
            self.saving = saving
            self.path = path or self.path
            self._tell(News("saving"))

    @property
    def open_session(self) -> Session:
        """The session; there has to be one."""
        assert self.session is not None
        return self.session

    def run(self, id: str) -> Run | None:
        return None if self.session is None else next((r for r in self.session.runs if r.id == id), None)

    def variant(self, id: str) -> Variant | None:
        return None if self.session is None else next((v for v in self.session.variants if v.id == id), None)

    def snapshot(self) -> Session:
        """The session as it is now, for a thread that writes or judges it while more is put here."""
        session = self.open_session
        lists = ("variants", "dissections", "breakpoints", "watches")
        copies: dict[str, object] = {name: list(getattr(session, name)) for name in lists}
        copies["runs"] = [run for run in session.runs if run.id not in self.passing]
        return session.model_copy(update=copies)

    def _changed(self, news: News) -> None:
        if not (news.what == "run" and news.id in self.passing):
            self.unsaved += 1
        self._tell(news)

    def _tell(self, news: News) -> None:
        for listener in tuple(self._listeners):
            listener(news)


def _put(things: list[Any], thing: Any) -> bool:
    """Append, or take the place of what has the same id; whether it is new."""
    for place in range(len(things) - 1, -1, -1):
        if things[place].id == thing.id:
            things[place] = thing
            return False
    things.append(thing)
    return True


def _glance_put(things: tuple[Any, ...], thing: Any) -> tuple[Any, ...]:
    for place in range(len(things) - 1, -1, -1):
        if things[place].id == thing.id:
            return (*things[:place], thing, *things[place + 1 :])
    return (*things, thing)
