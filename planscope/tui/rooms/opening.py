"""How a session gets onto the screen: first what its file says, then what is judged, each in a thread."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from planscope.debugger import cursor
from planscope.debugger.breakpoints import parse_breakpoint
from planscope.debugger.cursor import DebugState
from planscope.debugger.errors import DebuggerError
from planscope.debugger.linked import Links
from planscope.debugger.run_index import RunIndex
from planscope.debugger.watches import parse_watch
from planscope.errors import UserError
from planscope.tui.desk import Desk
from planscope.tui.judging import (
    JudgedRun,
    Opened,
    ReadQuery,
    judge,
    lay_out,
    open_session,
    read_variant,
    refuted,
)
from planscope.tui.lines import shown
from planscope.tui.messages import NotOpened
from planscope.tui.paint import Paint
from planscope.tui.rooms.resting import Resting
from planscope.tui.rooms.start import MOST_SET, first_state
from planscope.tui.state import RoomState
from planscope.tui.unjudged import unjudged

if TYPE_CHECKING:
    from planscope.language.outline import OutlineNode
    from planscope.tui.saving import Saver

_LONG_RUN = 200
_KEPT_RUNS = 12

Parsed = TypeVar("Parsed")


class Opening(Resting):
    """Opens, reads and judges; keeps what was found out, so that going back to a run costs nothing.

    ``saver`` keeps the session's file, None where nothing is saved. ``given``: the session was loaded already.
    """

    def __init__(self, state: RoomState, paint: Paint, desk: Desk, *, asked_for_step: bool = False) -> None:
        super().__init__(state, paint, desk)
        self.asked_for_step = asked_for_step
        self.saver: Saver | None = None
        self.given: Opened | None = None
        self._readings: dict[str, ReadQuery] = {}
        self._judged: dict[str | None, JudgedRun] = {}

    @property
    def at_rest(self) -> bool:
        """Whether all is shown that will be without a key."""
        if self.state.progress in ("reading", "judging"):
            return False
        if self.state.run is not None and self.state.run.under_way:
            waits = self.state.run.pending or self.state.play is not None
            return waits and not self.jobs.running("judge")
        return self.state.progress != "judged" or (
            self.state.facts is not None
            and self.state.certificate != "asked"
            and not self.jobs.running("tree")
        )

    def begin(self) -> None:
        """Load what is not loaded yet, then read and judge the current run. For after the first frame."""
        path = self.state.path
        if self.desk.session is not None:
            self.read()
        elif self.given is not None:
            self._on_opened(self.given)
        elif path is not None:
            hold = self.saver.hold if self.saver is not None else None
            self.jobs.start(
                "open", lambda ticket: open_session(path, hold), self._on_opened, self._not_opened
            )
        else:
            self.change(progress="failed", trouble="No session is open. L shows yours and the bundled ones.")

    def _not_opened(self, error: Exception) -> None:
        self._failed(error)
        if isinstance(error, UserError):
            self.post_message(NotOpened(str(error)))

    def _failed(self, error: Exception) -> None:
        """One line, never fatal; whatever is on the screen stays."""
        known = isinstance(error, UserError | DebuggerError)
        text = str(error) if known else f"{type(error).__name__}: {error}"
        self.change(
            progress="failed", trouble=shown(text.splitlines()[0] if text else "unknown trouble", 400)
        )
        self.tell(self.state.trouble)

    def _on_opened(self, opened: Opened) -> None:
        state = self.state
        self.desk.open(opened.session, state.path, opened.glance)
        if opened.glance != state.session:
            number = state.run_number
            if number is None or number >= len(opened.glance.runs):
                number = len(opened.glance.runs) - 1 if opened.glance.runs else None
            read = first_state(state.path, opened.glance, number, None)
            self.change(
                session=read.session,
                run_number=number,
                debug=cursor.go_to(read.debug, state.debug.index),
                strange_breakpoints=state.strange_breakpoints or read.strange_breakpoints,
                strange_watches=state.strange_watches or read.strange_watches,
            )
        self.read()

    def read(self) -> None:
        """Read the query of the current run, then judge the run."""
        if self.desk.session is None:
            return
        wanted = self.state.variant
        variant = self.desk.variant(wanted.id) if wanted is not None else None
        if variant is None:
            self.change(progress="failed", trouble="This session has no query.")
            return
        if variant.id in self._readings:
            self._on_read(self._readings[variant.id])
        else:
            self.jobs.start("read", lambda ticket: read_variant(variant), self._on_read, self._failed)

    def _on_read(self, read: ReadQuery) -> None:
        self._readings[read.variant] = read
        if read.reading is None:
            run, debug = self.state.run, self.state.debug
            if run is not None and run.under_way:  # who follows a run stands at its end
                debug = cursor.go_end(DebugState(RunIndex(unjudged(run, self.state.variant))))
            self.change(progress="unreadable", outline=(), errors=read.errors, links=None, debug=debug)
            self.settled()
            return
        state = self.state
        run = state.run
        key = run.id if run else None
        if key in self._judged:
            self._on_judged(self._judged[key])
            return
        bare = unjudged(run, state.variant, read.reading.problem)
        debug = replace(state.debug, run=RunIndex(bare))
        self.change(progress="judging", outline=read.outline, errors=(), debug=debug)
        kept = self.desk.run_ahead(key) if key is not None else None
        live = key in self.desk.under_way
        self.jobs.start("judge", lambda ticket: judge(kept, read, live=live), self._on_judged, self._failed)

    def _on_judged(self, judged: JudgedRun) -> None:
        state = self.state
        key = state.run.id if state.run else None
        self.keep_judged(key, judged)
        breakpoints, strange_breaks, wrong_breaks = _parsed(
            (*map(str, state.breakpoints), *state.strange_breakpoints),
            lambda text: parse_breakpoint(text, judged.debug.run),
        )
        watches, strange_watches, wrong_watches = _parsed(
            (*map(str, state.watches), *state.strange_watches),
            lambda text: parse_watch(text, judged.debug.run.problem),
        )
        wrong = (*wrong_breaks, *wrong_watches)
        debug = self._first_place(judged)
        read = self._readings[state.variant.id] if state.variant else None
        certificate = self.certificates.get(key, "asked")
        self.change(
            progress="judged",
            outline=read.outline if read else (),
            errors=(),
            debug=debug,
            verdict=refuted(judged.verdict) if certificate == "denied" else judged.verdict,
            certificate=certificate,
            links=judged.links,
            repair=judged.repair,
            breakpoints=breakpoints,
            strange_breakpoints=strange_breaks,
            watches=watches,
            strange_watches=strange_watches,
            facts=self.known_facts(debug.index),
            notice=wrong[0] if wrong else state.notice,
        )
        if len(debug.run.steps) > _LONG_RUN:
            gc.freeze()  # what was judged stays; looking through all of it again would hold up a key
        if read is not None and read.reading is not None and not read.outline:
            reading = read.reading
            self.jobs.start("tree", lambda ticket: lay_out(reading), self._on_tree, self._failed)
        else:
            self.begin_to_look_ahead()
        self.rest_soon(0.01)
        self.settled()

    def keep_judged(self, key: str | None, judged: JudgedRun) -> None:
        """Going back to a run costs nothing, as long as it was one of the last that were looked at."""
        self._judged.pop(key, None)
        self._judged[key] = judged
        self.facts.update({(key, index): facts for index, facts in judged.facts.items()})
        while len(self._judged) > _KEPT_RUNS:
            oldest = next(iter(self._judged))
            del self._judged[oldest]
            self.facts = {place: facts for place, facts in self.facts.items() if place[0] != oldest}

    def settled(self) -> None:
        """The run that is looked at was judged, or cannot be."""

    def _on_tree(self, laid: tuple[tuple[OutlineNode, ...], Links]) -> None:
        outline, links = laid
        key = self.state.run.id if self.state.run else None
        if self.state.variant is not None:
            read = self._readings[self.state.variant.id]
            self._readings[read.variant] = replace(read, outline=outline)
        if key in self._judged:
            self._judged[key] = replace(self._judged[key], links=links)
        self.change(outline=outline, links=links)
        self.begin_to_look_ahead()

    def _first_place(self, judged: JudgedRun) -> DebugState:
        """Where one is or asked to begin, else where the file was left, else where the run was lost."""
        here = self.state.debug
        if self.state.run is not None and self.state.run.under_way:
            return cursor.go_end(judged.debug)
        debug = cursor.go_to(judged.debug, here.index)
        if here.selection is not None:
            return cursor.select(debug, here.selection)
        if self.asked_for_step or here.index != 0:
            return debug
        record = self.state.session.cursor
        if record.get("run") == (self.state.run.id if self.state.run else None) and record.get("index"):
            return cursor.restore_cursor(debug, record)
        found = cursor.first_violation(debug)
        return cursor.go_end(debug) if found is debug and judged.verdict.verdict == "aborted" else found

    def open_run_number(self, number: int | None) -> None:
        """Turn to another run of the session; None: to its newest request, without a run."""
        if number != self.state.run_number:
            self._look_at(number)

    def show_variant(self, id: str) -> None:
        """Turn to a request without a run."""
        self._look_at(None, id)

    def _look_at(self, number: int | None, bare: str = "") -> None:
        for name in ("open", "read", "judge", "tree", "ahead", "facts", "certify", "continue"):
            self.jobs.cancel(name)
        session = self.state.session
        run = None if number is None else session.runs[number]
        if run is None:  # what is known of a request without a run may be that of another one
            self._judged.pop(None, None)
            self.certificates.pop(None, None)
            self.facts = {place: facts for place, facts in self.facts.items() if place[0] is not None}
        self.asked_for_step = False
        variant = (session.variant(bare) if run is None else None) or session.variant_of(run)
        self.change(
            run_number=number,
            bare=variant.id if run is None and variant is not None else "",
            debug=cursor.open_run(unjudged(run, variant)),
            progress="reading",
            trouble="",
            outline=(),
            errors=(),
            verdict=None,
            certificate="asked",
            repair=None,
            facts=None,
            links=None,
            search=None,
            hit=None,
            notice="",
        )
        self.begin()


def _parsed(
    texts: Iterable[str], parse: Callable[[str], Parsed]
) -> tuple[tuple[Parsed, ...], tuple[str, ...], tuple[str, ...]]:
    """What could be read, the texts that could not (kept for a save), and a line about each of these."""
    made: dict[Parsed, None] = {}
    strange, wrong = [], []
    for text in list(texts)[:MOST_SET]:
        try:
            made[parse(text)] = None
        except DebuggerError as error:
            strange.append(text)
            wrong.append(f"not usable in this run: {error}")
    return tuple(made), tuple(strange), tuple(wrong)
