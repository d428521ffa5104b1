"""The keys that open a dialog or write something. Dialogs are imported when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from planscope.debugger import cursor
from planscope.debugger.breakpoints import parse_breakpoint
from planscope.debugger.errors import DebuggerError
from planscope.debugger.search import Document, Haystack, documents
from planscope.debugger.watches import parse_watch
from planscope.tui import words
from planscope.tui.lines import Run, shown
from planscope.tui.rooms.keeping import Keeping
from planscope.tui.rooms.moving import Moving
from planscope.tui.run_tree import run_runs
from planscope.tui.state import RoomState

if TYPE_CHECKING:
    from planscope.tui.palette import Command

_BREAKPOINT_HINT = (
    "tool NAME · step 3 · breaks c2 (before the call that breaks it) · doomed · error [TYPE] · "
    "when valid_completions < 3"
)
_WATCH_HINT = (
    "ACTION.place · ACTION.start · ACTION.end · c2 · valid_completions · state · "
    "or a comparison: c2 == broken"
)


class Asking(Moving, Keeping):
    def palette_entries(self) -> Iterator[Command]:
        from planscope.tui.palette import Command

        yield from super().palette_entries()
        for number in range(len(self.state.session.runs)):
            title = "Run " + "".join(run.text for run in run_line(self.state, number)).strip()
            yield Command(title, "Open this run.", partial(self.open_run_number, number))
        for name, hidden in self.hidden_panes():
            do = partial(self.show_hidden if hidden else self.hide_pane, name)
            yield Command(f"{'Show' if hidden else 'Hide'} the {name} pane", "Arrange the panes.", do)

    def action_go_to_step(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        run = self.state.debug.run

        def check(text: str) -> str | None:
            return _wrong(lambda: cursor.parse_step(run, text))

        def go(text: str | None) -> None:
            if text is not None and self.state.debug.run is run:
                self.move(cursor.go_to(self.state.debug, cursor.parse_step(run, text)))

        last = run.steps[-1].step
        hint = f"a step from 0 to {run.last if last != 'end' else run.last - 1}, start or end"
        self.app.push_screen(AskDialog(self.paint, "Go to step", hint, check), go)

    def action_list_breakpoints(self) -> None:
        from planscope.tui.dialogs.ask import SetDialog

        def add(text: str) -> str | None:
            try:
                made = parse_breakpoint(text, self.state.debug.run)
            except DebuggerError as error:
                return str(error)
            if made in self.state.breakpoints:
                return f"{made} is set already"
            self.change(breakpoints=(*self.state.breakpoints, made))
            self.touched()
            return None

        def remove(at: int) -> None:
            self.change(breakpoints=_without(self.state.breakpoints, at))
            self.touched()

        def listed() -> Sequence[str]:
            return [str(b) for b in self.state.breakpoints]

        self.app.push_screen(SetDialog(self.paint, "Breakpoints", _BREAKPOINT_HINT, listed, add, remove))

    def action_watch(self) -> None:
        from planscope.tui.dialogs.ask import SetDialog

        def add(text: str) -> str | None:
            try:
                made = parse_watch(text, self.state.debug.run.problem)
            except DebuggerError as error:
                return str(error)
            if made in self.state.watches:
                return f"{made} is watched already"
            self.change(watches=(*self.state.watches, made))
            self.touched()
            return None

        def remove(at: int) -> None:
            self.change(watches=_without(self.state.watches, at))
            self.touched()

        def listed() -> Sequence[str]:
            return [f"{watch.text} = {watch.value}" for watch in self.state.watch_lines]

        self.app.push_screen(SetDialog(self.paint, "Watches", _WATCH_HINT, listed, add, remove))

    def action_search(self) -> None:
        from planscope.tui.dialogs.ask import AskDialog

        state = self.state
        haystack = Haystack(_searched(state))

        def check(text: str) -> str | None:
            if not text.strip():
                return "type what to look for"
            found = haystack.find(text)
            return (
                None if found.hits else f"{shown(text, 60)} is nowhere in the request, constraints or calls"
            )

        def go(text: str | None) -> None:
            if text is not None and self.state.debug.run is state.debug.run:
                found = haystack.find(text)
                self.move_to_hit(found)
                self.tell(f"1 of {words.plural(len(found.hits), 'place')}; h and H go through them")

        old = state.search.needle if state.search else ""
        dialog = AskDialog(
            self.paint, "Search", "in the request, constraints, thoughts, calls and answers", check, value=old
        )
        self.app.push_screen(dialog, go)

    def action_explain(self) -> None:
        from planscope.tui.dialogs.why import WhyDialog

        self.app.push_screen(WhyDialog(self.paint, self.state, self.jobs))

    def action_choose_run(self) -> None:
        from planscope.tui.dialogs.runs import RunsDialog

        state = self.state
        if not state.session.runs:
            self.tell("this session has no run: r runs the request")
            return

        def go(place: int | None) -> None:
            if place is None:
                return
            branch = dialog.branches[place]
            if branch.number is not None:
                self.open_run_number(branch.number)
            else:
                self.show_variant(branch.variant.id)

        title = "Requests and runs of this session"
        dialog = RunsDialog(self.paint, title, self.desk, self.jobs, here=state.run_number)
        self.app.push_screen(dialog, go)

    def action_open_selected(self) -> None:
        """Enter: on a constraint to the step that breaks it, elsewhere to the words' or node's first step."""
        lit = sorted(self.state.lit.steps - {self.state.debug.index})
        later = [index for index in lit if index > self.state.debug.index]
        if not lit:
            self.tell("no other step belongs to what is selected")
        else:
            kept = self.state.debug.selection
            moved = replace(cursor.go_to(self.state.debug, (later or lit)[0]), selection=kept)
            self.move(moved)


def _wrong(read: Callable[[], object]) -> str | None:
    try:
        read()
    except DebuggerError as error:
        return str(error)
    return None


def _without(things: tuple[object, ...], at: int) -> tuple[object, ...]:
    return things[:at] + things[at + 1 :]


def _searched(state: RoomState) -> tuple[Document, ...]:
    run = state.debug.run
    calls = state.run.calls if state.run else ()
    return documents(
        state.text,
        run,
        plain={c.id: words.constraint_names(c, run.problem) for c in run.problem.constraints},
        answers={i: call.answer for i, call in enumerate(calls, 1) if call.answer},
        thoughts={i: call.thought for i, call in enumerate(calls, 1) if call.thought},
    )


def run_line(state: RoomState, number: int) -> tuple[Run, ...]:
    """One run of the session in a line, safe to show."""
    return tuple(run_runs(state.session.runs[number], number, here=number == state.run_number))
