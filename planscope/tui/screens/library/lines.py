"""Lays out the library: one row for each session, and a preview of the chosen one. All texts are hostile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from planscope.session.library_index import Entry
from planscope.tui.controllers.library_list import HERE, Contents, Preview, SessionList, verdict_of
from planscope.tui.keys import key_for
from planscope.tui.panes.run_line import run_runs
from planscope.tui.style.lines import BLANK, Line, Run, cut, labelled, line, paragraph, shown, width_of
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


@dataclass(frozen=True, slots=True)
class Wishes:
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


@dataclass(frozen=True, slots=True)
class Columns:
    """The width of each column, in cells; 0 if it does not fit. Without ``error``, ``verdict`` fits the error type."""

    verdict: int
    right: int
    title: int
    error: int
    agent: int
    model: int
    place: int
    date: int
    size: int


def columns_for(width: int, wishes: Wishes = Wishes()) -> Columns:
    """Choose the columns that fit into ``width`` cells; the title takes the rest."""
    wide, broad = width >= 108, width >= 150
    verdict, error = (wishes.verdict, _ERROR) if wide else (_ERROR + 2, 0)
    agent = wishes.agent if wide else 0
    right = wishes.right if width >= 72 else 0
    model = min(wishes.model, 24 if broad else 20 if wide else 14) if width >= 72 + 2 * right else 0
    place, date = (7 if wide and wishes.place else 0), (16 if broad else 10)
    size = 7 if broad or (wide and not right) else 0  # the title needs this width more
    used = 2 + sum(part + _GAP for part in (verdict, right, error, agent, model, place, date, size) if part)
    if (
        size and width - used < wishes.title
    ):  # a whole title is worth more than the size, which the preview has
        used, size = used - size - _GAP, 0
    return Columns(verdict, right, max(width - used, 8), error, agent, model, place, date, size)


def alike(entries: Iterable[Entry]) -> frozenset[str]:
    """Find the titles that several sessions share; their rows display the names, too."""
    return frozenset(title for title, many in Counter(e.title for e in entries).items() if many > 1)


def head_line(columns: Columns) -> Line:
    names = [
        ("verdict", columns.verdict),
        ("right", columns.right),
        ("session", columns.title),
        ("error", columns.error),
    ]
    names += [("agent", columns.agent), ("model", columns.model), ("", columns.place)]
    cells = [_cell(Run(name, "label"), width) for name, width in names if width]
    date = Run("date".ljust(columns.date), "label")
    size = Run("size".rjust(columns.size + _GAP) if columns.size else "", "label")
    return Line(_flat([Run("  "), *cells, date, size]))


def row_line(
    entry: Entry, columns: Columns, chosen: bool, here: bool, now: datetime, named: bool = False
) -> Line:
    """Lay out one session's row. ``here``: the session is open. ``named``: another session has the same title."""
    text, role = _VERDICTS[verdict_of(entry)]
    title = [Run(shown(entry.title, 120), "strong" if chosen else "")]
    if here:
        title.insert(0, Run("● ", "mark"))
    if named:
        name = cut([Run(shown(entry.name, 60), "dim")], columns.title // 2)
        title = [*cut(title, columns.title - width_of(name) - _GAP), Run(" " * _GAP), *name]
    error = phrases.outcome("", entry.outcome.headline if entry.outcome is not None else "")
    if error and not columns.error and verdict_of(entry) == "wrong":
        text = f"✗ {shown(error, 40)}"
    problem = Run(shown(error, 40), "finding")
    if entry.helped and entry.verdict == "right":
        text = text if columns.error else f"{text}, helped"
        problem = Run("helped", "caution")
    doubtful = entry.outcomes.doubtful if entry.outcomes is not None else 0
    if doubtful and entry.verdict == "right":
        graded = f"{doubtful} graded 0" if entry.runs > 1 else "graded 0"
        text = text if columns.error else f"{text}, {graded}"
        problem = Run(graded, "caution")
    mark = Run("▶ " if chosen else "  ", "mark")
    runs: list[Run | tuple[Run, ...]] = [mark, _cell(Run(text, role), columns.verdict)]
    if columns.right:
        runs.append(_cell(_share(entry), columns.right))
    if entry.wrong is None:
        cells = [
            (problem, columns.error),
            (Run(shown(entry.agent or "", 40)), columns.agent),
        ]
        cells.append((Run(shown(entry.model or "", 60)), columns.model))
        runs += [_cells(title, columns.title), *(_cell(run, width) for run, width in cells if width)]
    else:
        title.append(Run(f"  {shown(entry.why_wrong, 200)}", "caution"))
        widths = [w for w in (columns.title, columns.error, columns.agent, columns.model) if w]
        runs.append(_cells(title, sum(widths) + _GAP * (len(widths) - 1)))
    if columns.place:
        runs.append(_cell(Run(_PLACES[entry.place], "dim"), columns.place))
    runs.append(Run(told_date(entry.when, columns.date, now).ljust(columns.date), "dim"))
    if columns.size:
        runs.append(Run(told_size(entry.size).rjust(columns.size + _GAP), "dim"))
    return Line(_flat(runs), "cursor" if chosen else "")


def _share(entry: Entry) -> Run:
    """Show how many of a session's runs are right."""
    found = entry.outcomes
    if found is None:
        return Run("")
    return Run(found.share, "caution" if found.any_wrong and found.right else "dim")


def told_date(when: datetime, width: int, now: datetime) -> str:
    """Write a date as ``2026-11-08`` or ``today``, with the time if it fits."""
    try:
        local = when.astimezone()
    except (OverflowError, ValueError, OSError):
        return ""
    if local.date() == now.date():
        return f"today {local:%H:%M}" if width > 10 else "today"
    return f"{local.date()} {local:%H:%M}" if width > 10 else str(local.date())


def told_size(size: int) -> str:
    """Write a file size: ``812 B``, ``17 kB``, ``3.2 MB``."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.0f} kB" if size < 999_500 else f"{size / 1e6:.1f} MB"


def _cell(run: Run, width: int) -> tuple[Run, ...]:
    return _cells([run], width)


def _cells(runs: Sequence[Run], width: int) -> tuple[Run, ...]:
    """Fit a text into a column and add the gap after it."""
    kept = cut(runs, width)
    return (*kept, Run(" " * (width - width_of(kept) + _GAP)))


def _flat(runs: Sequence[Run | tuple[Run, ...]]) -> tuple[Run, ...]:
    made: list[Run] = []
    for run in runs:
        made += [run] if isinstance(run, Run) else run
    return tuple(made)


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
    return [Line(runs) for runs in paragraph(text, width, "dim")]


def preview_lines(entry: Entry, preview: Preview | None, width: int) -> list[Line]:
    """Show the chosen session: its file and problems, its query, its runs."""
    lines: list[Line] = []

    def say(label: str, text: str, role: str = "") -> None:
        body = paragraph(text, max(width - _LABEL, 10), role)
        lines.extend(Line(runs) for runs in labelled(label, body, indent=_LABEL))

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
    say("file", f"{phrases.place(entry.path, 200)}  {told_size(entry.size)}", "dim")
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
