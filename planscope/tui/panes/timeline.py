"""Pane 4: the calls of the run, one on each line, with the state of the plan after each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from textual import events

from planscope.debugger.nesting import Nesting
from planscope.debugger.run_index import RunIndex
from planscope.debugger.search import Hit
from planscope.debugger.selection import SelectedStep
from planscope.debugger.survival import LOST, UNKNOWN, Cell, counts_left, curve
from planscope.drawing.agents import has_lanes
from planscope.drawing.hours import RAN, Bar, Hours, axis, cells_of, windows
from planscope.language.problem import DAY
from planscope.oracle.trace import RESTART_TOOL
from planscope.oracle.verdict_types import Finding, StepView
from planscope.safe import cell_width
from planscope.session.record import MODEL, SPEAKERS, RunRecord, by_speaker
from planscope.tui.messages import PaneClicked, Picked
from planscope.tui.panes.base import LinePane
from planscope.tui.panes.hit_places import place_in
from planscope.tui.style.lines import Line, Run, cut, glyph_runs, justify, shown, width_of, with_span
from planscope.tui.view import TURNS, DebugView
from planscope.wording import phrases, terms

_CURVE = "orders left "
_HIGH = 12
"""From so many rows on, the curve has a row for the mark of the current step."""
_STATE_CELLS = max(map(len, terms.STATES.values()))
_HOUR_CELLS = len(phrases.hours(10, 12))

_BAR = DAY + 2
"""The cells of a bar of hours, with a gap before it and one behind it, above which the border has the hours."""

_AFTER_LOSS = ("mark", "stop-mark", "hit")
"""The roles that stay behind the call that lost the plan."""

_LONGEST_CALL = 40
"""A call with more cells than this does not count when it is decided whether bars fit."""


CALL = 1 << 30
"""Stands for a call where turns before it are numbered."""

_DEEPEST = 6
"""Calls are indented by at most so many levels of calls around them."""


class TimelinePane(LinePane):
    """The timeline. Line i shows the step with index i: the start, then the calls, then the end."""

    name_in_state = "timeline"
    head_words = "4 Timeline"

    def prepare(self, state: DebugView, width: int) -> None:
        run = state.debug.run
        self._steps = run.steps
        self._findings = run.findings
        self._writes = run.problem.writes
        self._lost = frozenset(run.doomed) if state.progress == "judged" else frozenset()
        self._judged = state.progress == "judged" and not run.problem.unjudged
        self._cause, self._waits = state.cause_at, state.waits_at
        self._ground = "cursor" if isinstance(state.focus, SelectedStep) else "current"
        self._digits = max(len(str(run.last)), 3)
        if self.prepared_for != (run, width, state.progress):
            self.prepared_for = (run, width, state.progress)
            self._made: dict[tuple[int, str, str, bool, Hit | None, bool, bool], Line] = {}
            calls = state.run.calls if state.run is not None else ()
            self._said = turns_of(state.run, len(self._steps)) if state.play is None else {}
            self._hidden: tuple[frozenset[int], frozenset[int]] | None = None
            self._agents = has_lanes(calls)
            self._nesting = Nesting(calls if self._agents else ())
            self._windows = (
                windows(run.problem, {}) if run.problem.timed and self._has_bars(run, width) else None
            )
        self._width = width if self._windows is None else width - _BAR
        self._folded = state.folded_here
        hidden = self._nesting.hidden(self._folded, state.debug.index) if self._folded else frozenset()
        self.tail = self._curve(state, width)
        if (hidden, self._folded) != self._hidden:
            self._hidden = hidden, self._folded
            self._turns = {} if TURNS in self._folded else self._said
            self._made = {}
            steps = (i for i in range(len(self._steps)) if i not in hidden)
            lines = ((i, turn) for i in steps for turn in (*range(len(self._turns.get(i, ()))), CALL))
            self._shown = list(lines) if hidden or self._turns else ()

    _nesting = Nesting(())
    _folded: frozenset[int] = frozenset()
    _turns: Mapping[int, Sequence[tuple[str, str]]] = {}
    """By the index of a step, the turns before it: speaker and words. None if they are folded away."""
    _shown: Sequence[tuple[int, int]] = ()
    """For each line its step, and the number of the turn or CALL, if not every line is a step."""

    def _row(self, index: int) -> int:
        """Return the line of a step, or of the folded call that it is in."""
        return bisect_right(self._shown, (index, CALL)) - 1 if self._shown else index

    def _hides(self, index: int) -> bool:
        """Return whether a call's inner calls are folded away now."""
        inner = self._nesting.inner(index)
        return bool(self._shown) and bool(inner) and self._index(self._row(inner[0])) != inner[0]

    def _index(self, row: int) -> int:
        return self._shown[row][0] if self._shown else row

    def _turn(self, row: int) -> tuple[str, str] | None:
        """Return who said what on a line, or None if it is a step."""
        index, turn = self._shown[row] if self._shown else (row, CALL)
        return None if turn == CALL else self._turns[index][turn]

    def _has_bars(self, run: RunIndex, width: int) -> bool:
        """Return whether bars of hours fit beside the calls and their states."""
        longest = max(
            (
                cell_width(phrases.call(view.call.tool, view.call.arguments))
                for view in run.steps
                if view.call
            ),
            default=0,
        )
        beside = 1 + _HOUR_CELLS + 1 + _STATE_CELLS + _BAR
        return self._digits + 5 + min(longest, _LONGEST_CALL) + beside <= width

    def size_of(self) -> int:
        return len(self._shown or self._steps)

    def wanted(self) -> tuple[int, int]:
        row = self._row(self.state.debug.index)
        return row, row

    _windows: Mapping[str, Hours | None] | None = None
    _agents = False

    def note(self) -> tuple[Run, ...]:
        state = self.state
        if state.run is None:
            return ()
        calls = len(state.run.calls)
        told = phrases.plural(calls, "call")
        if state.run.under_way and state.play is None:
            told += " so far"
        fork = state.run.forked_from
        origin = phrases.fork_point(fork) if fork is not None else ""
        if state.run.kept:
            told += f", {state.run.kept} kept from {origin}"
        elif origin and state.play is None:
            told += f", forked from {origin}"
        if self._windows is not None:
            told += "  " + axis(1)[:DAY].ljust(DAY)
        return (Run(told, "dim"),)

    # The survival curve, below the calls

    _cells: tuple[Cell, ...] = ()
    _cells_for: object = None
    _sliding = False

    def _curve(self, state: DebugView, width: int) -> list[Line]:
        """Draw the valid orders left at each step as a curve, with a mark below the current step if there is room."""
        run = state.debug.run
        known = run.counted * 100 // len(run.steps)  # of a long run it is not drawn again for each count
        problem, made_for = run.problem, (run, known, width, state.progress)
        if self._cells_for != made_for:
            self._cells_for = made_for
            drawn = state.progress == "judged" and problem.counted and not problem.unjudged
            self._cells = curve(counts_left(run), run.doomed, width - len(_CURVE)) if drawn else ()
        if not self._cells:
            return []
        index = state.debug.index
        here = [cell.first <= index <= cell.last for cell in self._cells]
        roles = {LOST: "core", UNKNOWN: "dim"}
        drawn_cells = (
            (cell.glyph, "here" if at else roles.get(cell.glyph, "safe"))
            for cell, at in zip(self._cells, here, strict=True)
        )
        lines = [Line((Run(_CURVE, "dim"), *glyph_runs(drawn_cells)))]
        if self.cells[1] >= _HIGH:
            lines.append(Line((Run(" " * (len(_CURVE) + here.index(True))), Run("▲", "key"))))
        return lines

    def step_under(self, x: int, y: int, *, near: bool = False) -> int | None:
        """Return the step of the curve at a cell of this pane. ``near``: a cell beside the curve means its nearest
        end."""
        at = x - 1 - self.edge - len(_CURVE)
        last = len(self._cells) - 1
        if last < 0 or (not near and not (0 <= at <= last and y >= self.cells[1] - len(self.tail))):
            return None
        return self._cells[min(max(at, 0), last)].first

    def on_mouse_down(self, event: events.MouseDown) -> None:
        index = self.step_under(event.x, event.y)
        if index is not None and event.button == 1:
            event.prevent_default()  # no text is selected
            self._sliding = True
            self.capture_mouse()
            self._slide(index)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._sliding:
            event.prevent_default()
            self._slide(self.step_under(event.x, event.y, near=True))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._sliding:
            event.prevent_default()
            self._sliding = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        if self.step_under(event.x, event.y) is not None:
            event.prevent_default()
            self.post_message(PaneClicked(self.name_in_state))

    def _slide(self, index: int | None) -> None:
        if index is not None and index != self.state.debug.index:
            self.post_message(Picked(SelectedStep(index)))

    def line_at(self, row: int) -> Line:
        state, index = self.state, self._index(row)
        if (said := self._turn(row)) is not None:
            speaker, words = f"{' ' * (self._digits + 5)}{said[0]:<5} ", shown(said[1], 400)
            return Line(
                cut((Run(speaker, "mark" if said[0] == "user" else "dim"), Run(words, "quote")), self._width)
            )
        here = index == state.debug.index
        lit = index in state.lit.steps
        ground = self._ground if here else "lit" if lit else ""
        hit = state.hit if state.hit is not None and state.hit.document.index == index else None
        mark = terms.HIT_GLYPH if hit else "▶" if here else "┃" if lit else " "
        stop = index in state.stops
        key = (index, ground, mark, stop, hit, index == self._waits, self._hides(index))
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._line(state, index, ground, mark, stop)
        return made

    def _line(self, state: DebugView, index: int, ground: str, mark: str, stop: bool) -> Line:
        view = self._steps[index]
        judged = self._judged
        glyph = terms.STATE_GLYPHS[view.state] if judged else "·"
        role: str = view.state if judged else "dim"
        word, waits = phrases.step_word(state.debug.run.replay, view), index == self._waits
        if view.step == "end" and state.run is not None and state.run.ending == "aborted":
            glyph, role = "!", "unknown"
        if waits:
            glyph, role, word = terms.PAUSED_GLYPH, "caution", terms.NOT_DONE
        left = [
            Run(mark, "mark"),
            Run("◆" if stop else " ", "stop-mark"),
            Run(str(view.step).rjust(self._digits), "dim"),
            Run(f" {glyph} ", role),
            *self._pen(view),
            *_with_hit(self._what(state, view), state.hit if mark == terms.HIT_GLYPH else None),
        ]
        flags = self._flags(state, index, state.debug.run.findings[index])
        hours = "" if waits else phrases.hours(view.start, view.end)
        if hours:
            flags.append((6, Run(f"{hours:>{_HOUR_CELLS}}", "dim")))
        lost = index in self._lost and not waits
        if judged and lost:  # it says the state, too
            flags.append((1, Run(f"{terms.LOST_HERE:<{_STATE_CELLS}}", "stop")))
        elif judged:
            flags.append((1, Run(f"{word:<{_STATE_CELLS}}", role if waits else view.state)))
        right = _that_fits(left, flags, self._width)
        runs = justify(left, right, self._width, gap=0)
        if judged and view.lost and not lost and not waits:
            runs = tuple(Run(text, role if role in _AFTER_LOSS else "dim") for text, role, _ in runs)
        return Line((*runs, *self._bar(view, index)), ground)

    def _pen(self, view: StepView) -> tuple[Run, ...]:
        """Mark the calls of tools that write, where rules tell which do."""
        if not self._writes or view.call is None:
            return ()
        return (Run(f"{terms.WRITES_GLYPH} " if view.call.tool in self._writes else "  ", "caution"),)

    def _bar(self, view: StepView, index: int) -> list[Run]:
        """Draw the hours that a call took, and the window that the text leaves to its action."""
        if self._windows is None:
            return []
        if view.action is None:
            return [Run(" " * _BAR)]
        ran = (view.start, view.end) if view.start is not None and view.end is not None else None
        bar = Bar(view.action, "done", ran, self._windows.get(view.action))
        wrong = view.index in self._lost or bool(self._findings[index])
        drawn = (
            (glyph, "dim" if glyph != RAN else "core" if wrong else "tool") for glyph in cells_of(bar, 1)
        )
        return [Run(" "), *glyph_runs(drawn), Run(" ")]

    def _flags(self, state: DebugView, index: int, findings: Sequence[Finding]) -> list[tuple[int, Run]]:
        """Return the flags of a call, each with a number. The flag with the highest number is left out first."""
        flags = []
        run, waits = state.run, index == self._waits
        if run is not None and not waits and 0 < index <= run.kept:
            flags.append((4, Run("kept", "dim")))
        told = state.call_at(index)
        if self._hides(index):
            inner = len(self._nesting.inner(index))
            flags.append((3, Run(f"{phrases.plural(inner, 'call')} folded", "mark")))
        if TURNS in self._folded and (turns := self._said.get(index)):
            flags.append((3, Run(f"{phrases.plural(len(turns), 'turn')} folded", "mark")))
        if told is not None and any(message.by == "handoff" for message in told.messages):
            flags.append((3, Run(SPEAKERS["handoff"], "mark")))
        if self._agents and told is not None:
            flags.append((4, Run(shown(told.agent or run.agent, 16) if run is not None else "", "dim")))
        if told is not None and told.refused_by:
            flags.append((3, Run("refused", "caution")))
        elif told is not None and (told.asked is not None or told.said is not None):
            flags.append((3, Run("edited", "caution")))
        if phrases.failed(self._steps[index]):
            flags.append((2, Run(terms.FAILED, "caution")))
        if waits and index in self._lost:
            flags.append((2, Run(f"would lose {phrases.what_is_lost(state.debug.run.problem)}", "core")))
        if index == self._cause:
            flags.append((2, Run(terms.CAUSE, "caution")))
        if findings:
            errors = any(f.severity == "error" for f in findings)
            would = "would be " if waits and index not in self._lost else ""
            role = "finding" if errors else "caution"
            flags.append((2, Run(f"{would}{phrases.findings(findings)}", role)))
        return flags

    def _what(self, state: DebugView, view: StepView) -> list[Run]:
        if view.call is None:
            text = "before any call" if view.step == 0 else phrases.ending(state.run)
            return [Run(text, "dim")]
        told = state.call_at(view.index)
        text = phrases.call(view.call.tool, view.call.arguments)
        if view.call.tool == RESTART_TOOL:
            return [Run(text, "caution"), Run(f"  attempt {view.attempt} begins", "dim")]
        refused = view.call.error is not None or (told is not None and told.failed)
        said = Run(text, "caution" if refused else "tool")
        depth = min(self._nesting.depth(view.index), _DEEPEST)
        return [Run("  " * depth, "dim"), said] if depth else [said]

    def linked_lines(self) -> Sequence[int]:
        return sorted({self._row(index) for index in self.state.lit.steps})

    def neighbour(self, by: int) -> SelectedStep | None:
        row = min(max(self._row(self.state.debug.index) + by, 0), self.size_of() - 1)
        while (
            self._turn(row) is not None
        ):  # the step after a turn is on a later line, the one before on an earlier
            row += 1 if by > 0 else -1
        return SelectedStep(self._index(row))

    def clicked(self, row: int, column: int) -> None:
        self.post_message(Picked(SelectedStep(self._index(row))))


def turns_of(run: RunRecord | None, steps: int) -> dict[int, list[tuple[str, str]]]:
    """Return by the index of a step the turns before it, after the first prompt: speaker and words. The last ones of an
    imported run, with what the model said at the end, are before the end."""
    if run is None:
        return {}
    told = {k: by_speaker(call.messages, "")[0] for k, call in enumerate(run.calls, 1) if call.messages}
    if steps > len(run.calls) + 1:
        turns, said = by_speaker(run.last_messages, run.last_words)
        told[steps - 1] = [*turns, *([(MODEL, said)] if said and run.cost.imported else [])]
    return {k: turns for k, turns in told.items() if turns}


def _that_fits(left: Sequence[Run], beside: Sequence[tuple[int, Run]], width: int) -> list[Run]:
    """Return the flags that fit beside a call. The flag with the highest number is left out first.

    A long call is cut to its tool, so that its flags have the rest of the row.
    """
    tool = width_of(left[:-1]) + cell_width(left[-1].text.partition("(")[0])
    room = max(width - width_of(left), width - max(tool + 2, width // 3))
    kept = list(beside)
    while kept and sum(width_of([run]) + 1 for _, run in kept) > room:
        kept.remove(max(kept, key=lambda part: part[0]))
    return [run for _, part in kept for run in (Run(" "), part)]


def _with_hit(runs: list[Run], hit: Hit | None) -> list[Run]:
    """Highlight a search hit in a call. Pane 5 shows hits in thoughts and answers."""
    at = 1 if not runs[0].text.strip() and len(runs) > 1 else 0
    span = place_in(runs[at].text, hit) if hit is not None and hit.document.kind == "call" else None
    return runs if span is None else [*runs[:at], *with_span(runs[at], span), *runs[at + 1 :]]
