"""Pane 5 in what-if play: the calls that are possible next, and the state of the plan after each."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.debugger.played import Option
from planscope.debugger.selection import Selection
from planscope.tui.controllers.what_if import Play
from planscope.tui.keys import key_for
from planscope.tui.messages import OptionChosen
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import Line, Page, Run, justify, labelled, paragraph, shown
from planscope.tui.view import DebugView
from planscope.wording import phrases, terms
from planscope.wording.constraints import brief, label


class PlayPane(LinePane):
    """The options, one on each line; below them the effect of the chosen one, and the keys."""

    name_in_state = "step"
    head_words = "5 What if"

    def prepare(self, state: DebugView, width: int) -> None:
        play = state.play
        key = (play, width, state.facts, state.debug)
        if self.prepared_for == key or play is None:
            return
        self.prepared_for = key
        self.chosen = play.at
        problem = play.played.problem
        page = Page(width)
        for i, option in enumerate(play.options):
            page.lines.append(
                _option_line(problem.timed, play, i, phrases.tool_of(problem, option.action), width)
            )
        page.add()
        _told(page, play, state)
        self.lines = page.lines

    def size_of(self) -> int:
        return len(self.lines) if self.state.play is not None else 0

    def note(self) -> tuple[Run, ...]:
        play = self.state.play
        return (
            () if play is None else (Run(f"{phrases.plural(len(play.played.calls), 'call')} played", "dim"),)
        )

    def neighbour(self, by: int) -> Selection | None:
        play = self.state.play
        if play is not None and play.options:
            self.post_message(OptionChosen(min(max(play.at + by, 0), len(play.options) - 1), False))
        return None

    def clicked(self, index: int, column: int) -> None:
        play = self.state.play
        if play is not None and index < len(play.options):
            self.post_message(OptionChosen(index, index == play.at))


def _option_line(timed: bool, play: Play, i: int, tool: str, width: int) -> Line:
    option = play.options[i]
    here = i == play.at
    role = "dim" if _is_lost_already(option, play) else option.becomes
    glyph = terms.STATE_GLYPHS[option.becomes]
    hours = ""
    if timed:
        start = play.start if here and play.start is not None else option.start
        hours = "" if start is None else str(start)
    elif option.way is not None:
        hours = phrases.arguments(option.way.arguments, limit=30)
    left = [
        Run("▶ " if here else "  ", "mark"),
        Run(f"{glyph} ", role),
        Run(f"{tool}({hours})", "tool"),
    ]
    about = "done already" if option.again else _becomes(option, play)
    right = [Run(f" {about}", role)]
    return Line(justify(left, right, width), "cursor" if here else "")


def _is_lost_already(option: Option, play: Play) -> bool:
    """Return whether the call changes nothing, since all was lost before it."""
    lost = option.becomes == play.played.view.state and option.becomes in ("doomed", "broken")
    return lost and not option.breaks


def _becomes(option: Option, play: Play) -> str:
    """Return the state of the plan after the option."""
    problem = play.played.problem
    if option.breaks:
        more = f" and {len(option.breaks) - 2} more" if len(option.breaks) > 2 else ""
        return f"violates {', '.join(label(problem.by_id[c]) for c in option.breaks[:2])}{more}"
    if _is_lost_already(option, play):
        return f"{terms.STATES[option.becomes]} already"
    return phrases.move_does(problem, option.becomes)


def _told(page: Page, play: Play, state: DebugView) -> None:
    """Describe the effect of the chosen call, and the keys that change it."""
    option = play.chosen
    for text in _about(option, play) if option is not None else ():
        page.text(text)
    page.add()
    if state.progress == "judged":
        _so_far(page, state)
    turn, keys = f"{key_for('later-hour')} {key_for('earlier-hour')}", ""
    if play.played.problem.timed:
        keys = f"{turn}: change the hour"
    elif option is not None and option.way is not None:
        others = f"{turn}: other arguments, " if len(option.ways) > 1 else ""
        typed = f"{key_for('edit-arguments')} {key_for('edit-answer')}"
        keys = f"{others}{typed}: type arguments and answer"
    page.add()
    page.text(keys, "dim")


def _so_far(page: Page, state: DebugView) -> None:
    """Show the state of the plan at the current step."""
    view, facts, problem = state.debug.view, state.facts, state.debug.run.problem
    word = f"{terms.STATE_GLYPHS[view.state]} {terms.STATES[view.state]}  "
    told = paragraph(phrases.state_means(problem, view.state), max(page.width - len(word), 8), "dim")
    page.lines.extend(map(Line, labelled(word, told, indent=len(word), role=view.state)))
    if facts is not None and facts.why:
        page.text(facts.why)
    elif facts is not None and view.state == "completable" and facts.safe and problem.counted:
        page.text(phrases.orders(facts.orders), "dim")


def _way(option: Option) -> Iterator[str]:
    """Describe the arguments and the answer that the call would have."""
    way = option.way
    if way is None:
        return
    number = f"{option.ways.index(way) + 1} of {len(option.ways)}" if way in option.ways else "as typed"
    about = ", ".join(part for part in (number if number != "1 of 1" else "", way.about) if part)
    if way.said:
        yield f"after the user says {phrases.value(way.said)}"
    given = phrases.arguments(way.arguments, named=True) or "no arguments"
    yield f"with {given}" + (f" ({about})" if about else "")
    if way.answer is None:
        yield "fails, without an answer" if way.failed else "the tool does not answer"
    else:
        yield f"{'fails with' if way.failed else 'answers'} {shown(way.answer, 160)}"


def _about(option: Option, play: Play) -> list[str]:
    problem = play.played.problem  # the displayed run may not be judged yet and then has no constraints
    told = list(_way(option))
    if option.hours is not None:
        first, last = option.hours
        told.append(f"safe at {first}" if first == last else f"safe from {first} to {last}")
    if option.takes is not None:
        told.append(f"it takes {phrases.plural(option.takes, 'hour')}")
    if option.breaks:
        broken = [f"“{brief(problem.by_id[c], problem)}”" for c in option.breaks[:3]]
        told.append(f"violates {', '.join(broken)}")
    return told
