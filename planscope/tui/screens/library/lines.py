"""Lays out the library: the columns of its list, and a preview of the chosen session. All texts are hostile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from planscope.session.library_index import Entry
from planscope.tui.controllers.library_list import HERE, Contents, Preview, SessionList, verdict_of
from planscope.tui.keys import key_for
from planscope.tui.panes.columns import Column, row_line
from planscope.tui.panes.run_line import run_runs
from planscope.tui.style.lines import (
    BLANK,
    Line,
    Run,
    cut,
    labelled_lines,
    line,
    shown,
    width_of,
    wrapped,
)
from planscope.tui.style.roles import OUTCOMES
from planscope.wording import phrases
from planscope.wording.terms import OUTCOME_GLYPHS, VERDICTS

_OTHERWISE = (("no run", "· no run", "dim"), ("broken", "✗ BROKEN", "broken"), ("", "… judging", "dim"))
_VERDICTS = {kind: (text, role) for kind, text, role in _OTHERWISE} | {
    kind: (f"{OUTCOME_GLYPHS[kind]} {word}", OUTCOMES[kind]) for kind, word in VERDICTS.items()
}
_PLACES = {"library": "mine", "bundled": "bundled", "trash": "trash", "file": ""}
_ERROR = 15
"""Width of the error type column, in cells. It fits ``parameter error``."""

_LABEL = 10
_GAP = 2
_HERE = 2
"""The cells of the mark before the title of the open session."""

_LONGEST_TITLE = 60


class Item(NamedTuple):
    """A session in the list. ``here``: it is open. ``named``: another has the same title. ``chosen``: by the cursor."""

    entry: Entry
    here: bool
    named: bool
    chosen: bool


class Wishes(NamedTuple):
    """The wanted widths of the columns. ``place``: the list has sessions of several places.

    ``right``: for the column with the number of right runs; 0 if no session has several runs. ``title``: the longest
    title, up to a limit. ``verdict``: the longest word of a verdict, with its sign.
    """

    agent: int = 12
    model: int = 24
    place: bool = True
    right: int = 0
    title: int = 0
    verdict: int = 9


def wishes_of(entries: Iterable[Entry], place: bool) -> Wishes:
    """Compute the widths that the longest agent and model names need, up to a limit."""
    most, found = Wishes(), list(entries)
    agents, models = {e.agent for e in found}, {e.model for e in found}
    agent, model = (max((len(text) for text in texts if text), default=0) for texts in (agents, models))
    shares = [len(e.outcomes.share) for e in found if e.outcomes is not None]
    right = min(max(max(shares, default=0), 5), 9) if any(shares) else 0
    title = min(max((len(e.title) for e in found), default=0) + _HERE, _LONGEST_TITLE)
    verdict = max([most.verdict, *(len(_VERDICTS[verdict_of(e)][0]) for e in found)])
    return Wishes(
        min(max(agent, 5), most.agent), min(max(model, 5), most.model), place, right, title, verdict
    )


class Columns(NamedTuple):
    """The columns that fit, and those of a session that cannot be opened, whose title is followed by the reason."""

    whole: tuple[Column[Item], ...]
    broken: tuple[Column[Item], ...]

    def row(self, item: Item) -> Line:
        columns = self.whole if item.entry.wrong is None else self.broken
        return row_line(columns, item, item.chosen)


def columns_for(width: int, wishes: Wishes, now: datetime) -> Columns:
    """Choose the columns that fit into ``width`` cells; the title takes the rest. ``now``: for the word "today"."""
    wide, broad = width >= 108, width >= 150
    verdict, error = (wishes.verdict, _ERROR) if wide else (_ERROR + 2, 0)
    agent = wishes.agent if wide else 0
    right = wishes.right if width >= 72 else 0
    model = min(wishes.model, 24 if broad else 20 if wide else 14) if width >= 72 + 2 * right else 0
    place, date = (7 if wide and wishes.place else 0), (16 if broad else 10)
    size = 7 if broad or (wide and not right) else 0  # the title needs this width more
    used = 2 + sum(part + _GAP for part in (verdict, right, error, agent, model, place, date, size) if part)
    if size and width - used < wishes.title:
        used, size = used - size - _GAP, 0  # a whole title is worth more than the size, which the preview has
    title = max(width - used, 8)
    columns: list[Column[Item]] = [
        Column("verdict", verdict, lambda item: [_verdict(item, not error)]),
        Column("right", right, _share),
        Column("session", title, lambda item: _title(item, title)),
        Column("error", error, lambda item: [_problem(item.entry)]),
        Column("agent", agent, lambda item: [Run(shown(item.entry.agent or "", 40))]),
        Column("model", model, lambda item: [Run(shown(item.entry.model or "", 60))]),
        Column("", place, lambda item: [Run(_PLACES[item.entry.place], "dim")]),
        Column(
            "date",
            date,
            lambda item: [Run(phrases.date(item.entry.when, now, short=date <= 10), "dim")],
            _GAP if size else 0,
        ),
        Column("size", size, lambda item: [Run(phrases.file_size(item.entry.size), "dim")], 0, right=True),
    ]
    whole = [column for column in columns if column.width]
    rest = [column for column in whole if column.name in ("error", "agent", "model")]
    over = title + sum(column.width + _GAP for column in rest)
    reason: Column[Item] = Column("session", over, lambda item: _broken(item, title))
    broken = [reason if column.name == "session" else column for column in whole if column not in rest]
    return Columns(tuple(whole), tuple(broken))


def alike(entries: Iterable[Entry]) -> frozenset[str]:
    """Find the titles that several sessions share; their rows display the names, too."""
    return frozenset(title for title, many in Counter(e.title for e in entries).items() if many > 1)


def _verdict(item: Item, with_error: bool) -> Run:
    """Show the verdict. ``with_error``: and the type of error, which has no column."""
    entry = item.entry
    text, role = _VERDICTS[verdict_of(entry)]
    error = _error(entry)
    if with_error and error and verdict_of(entry) == "wrong":
        text = f"✗ {error}"
    return Run(", ".join((text, *(_doubts(entry) if with_error else ()))), role)


def _problem(entry: Entry) -> Run:
    """Show the type of error, or why a right run is doubtful."""
    doubts = _doubts(entry)
    return Run(doubts[-1], "caution") if doubts else Run(_error(entry), "finding")


def _error(entry: Entry) -> str:
    return shown(phrases.outcome("", entry.outcome.headline if entry.outcome is not None else ""), 40)


def _doubts(entry: Entry) -> list[str]:
    """Say why a right run is doubtful: the agent was helped, or a grader gave nothing for it."""
    if entry.verdict != "right":
        return []
    graded = entry.outcomes.doubtful if entry.outcomes is not None else 0
    told = f"{graded} graded 0" if entry.runs > 1 else "graded 0"
    return ["helped"] * bool(entry.helped) + [told] * bool(graded)


def _share(item: Item) -> list[Run]:
    """Show how many of a session's runs are right."""
    found = item.entry.outcomes
    if found is None:
        return []
    return [Run(found.share, "caution" if found.any_wrong and found.right else "dim")]


def _title(item: Item, width: int) -> list[Run]:
    title = [Run("● ", "mark")] if item.here else []
    title.append(Run(shown(item.entry.title, 120), "strong" if item.chosen else ""))
    if not item.named:
        return title
    name = cut([Run(shown(item.entry.name, 60), "dim")], width // 2)
    return [*cut(title, width - width_of(name) - _GAP), Run(" " * _GAP), *name]


def _broken(item: Item, width: int) -> list[Run]:
    return [*_title(item, width), Run(f"  {shown(item.entry.why_wrong, 200)}", "caution")]


def empty_lines(state: SessionList, width: int) -> list[Line]:
    """Say why the list is empty, and what the user can do."""
    if not state.complete:
        text = "reading…"
    elif state.filtered:
        text = f"No session matches. {key_for('leave-library')} clears search and filters."
    elif state.shown == "trash":
        text = "The trash is empty."
    else:
        text = (
            f"You have no sessions yet. {key_for('new-session')} makes one; a bundled one that you change is "
            f"copied here ({key_for('show-bundled-sessions')} lists them)."
        )
    return wrapped(text, width, "dim")


def preview_lines(entry: Entry, preview: Preview | None, width: int) -> list[Line]:
    """Show the chosen session: its file and problems, its query, its runs."""
    lines: list[Line] = []

    def say(label: str, text: str, role: str = "") -> None:
        lines.extend(labelled_lines(label, text, width, indent=_LABEL, role=role))

    if entry.wrong is not None:
        say("broken", entry.wrong, "broken")
        say("", "It cannot be opened. - moves it to the trash." if entry.place == "library" else "")
    if preview is not None and preview.entry.path == entry.path:
        for label, text in (("unsaved", preview.unsaved), ("open", preview.held), ("", preview.trouble)):
            if text:
                say(label, text, "" if text == HERE else "caution")
        if (contents := preview.contents) is not None:
            if contents.text:
                say("query", " ".join(contents.text.split()))
            if contents.notes.strip():
                say("notes", contents.notes.strip(), "quote")
            lines.append(BLANK)
            lines += _run_lines(contents, entry.outcomes.text if entry.outcomes is not None else "")
    lines.append(BLANK)
    say("file", f"{phrases.place(entry.path, 200)}  {phrases.file_size(entry.size)}", "dim")
    return lines


def _run_lines(contents: Contents, came_out: str) -> list[Line]:
    told = phrases.plural(contents.runs, "run")
    if contents.variants != 1:
        told += f" of {phrases.plural(contents.variants, 'query', 'queries')}"
    if contents.own < contents.runs:
        told += f", {contents.runs - contents.own} of them made by dissections"
    lines = [line(Run("runs".ljust(_LABEL), "label"), Run(told))]
    if came_out and contents.own > 1:
        lines.append(line(" " * _LABEL, Run(came_out)))
    for number, record in contents.records:
        lines.append(line(" " * (_LABEL - 2), *run_runs(record, number, here=False)))
    if contents.own > len(contents.records):
        lines.append(line(" " * _LABEL, Run(f"and {contents.own - len(contents.records)} before", "dim")))
    return lines
