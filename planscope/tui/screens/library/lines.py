"""Lays out the library: the columns of its list, and a preview of the chosen session. All texts are hostile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from planscope.session.library_index import Entry
from planscope.tui.controllers.library_list import HERE, Contents, Preview, SessionList, verdict_of
from planscope.tui.keys import key_for
from planscope.tui.panes.columns import Column, row_line
from planscope.tui.panes.header import run_runs
from planscope.tui.style.lines import Line, Page, Run, cut, shown, width_of, wrapped
from planscope.tui.style.roles import OUTCOMES
from planscope.wording import phrases
from planscope.wording.terms import OUTCOME_GLYPHS, VERDICTS

_OTHERWISE = (("no run", "· no run", "dim"), ("broken", "✗ BROKEN", "broken"), ("", "… judging", "dim"))
_VERDICTS = {kind: (text, role) for kind, text, role in _OTHERWISE} | {
    kind: (f"{OUTCOME_GLYPHS[kind]} {word}", OUTCOMES[kind]) for kind, word in VERDICTS.items()
}
_LABEL = 10
_GAP = 2


class Columns(NamedTuple):
    """The columns that fit, and those of a session that cannot be opened, whose title is followed by the reason."""

    whole: tuple[Column[Entry], ...]
    broken: tuple[Column[Entry], ...]

    def row(self, entry: Entry, chosen: bool) -> Line:
        return row_line(self.whole if entry.wrong is None else self.broken, entry, chosen)


def columns_for(
    width: int, entries: Sequence[Entry], now: datetime, here: Path | None = None, *, place: bool = True
) -> Columns:
    """Choose the columns that fit into ``width`` cells; the title takes the rest.

    They are as wide as ``entries`` need, up to a limit. ``now``: for the word "today". ``here``: the file of the open
    session. ``place``: the list has sessions of several places.
    """

    def longest(texts: Iterable[str | None], least: int, most: int) -> int:
        return min(max([least, *(len(text) for text in texts if text)]), most)

    broad = width >= 150
    verdict = longest((_verdict(e).text for e in entries), 9, 20)
    runs = longest(map(_runs, entries), 4, 13)
    model = longest((e.model for e in entries), 5, 24 if broad else 16) if width >= 90 else 0
    agent, size = (longest((e.agent for e in entries), 5, 12), 7) if broad else (0, 0)
    date = 16 if broad else 10
    used = 2 + sum(part + _GAP for part in (verdict, runs, model, agent, date, size) if part)
    title = max(width - used, 8)
    titles = Counter(e.title for e in entries)

    def named(entry: Entry) -> list[Run]:
        """Show the title; if several sessions share it, the name, too."""
        told = [Run("● " if entry.path == here else "", "mark"), Run(shown(entry.title, 120))]
        if titles[entry.title] < 2:
            return told
        name = cut([Run(shown(entry.name, 60), "dim")], title // 2)
        return [*cut(told, title - width_of(name) - _GAP), Run(" " * _GAP), *name]

    def reason(entry: Entry) -> list[Run]:
        return [*named(entry), Run(f"  {shown(entry.why_wrong, 200)}", "caution")]

    def when(entry: Entry) -> list[Run]:
        bundled = place and entry.place == "bundled"
        return [Run("bundled" if bundled else phrases.date(entry.when, now, short=not broad), "dim")]

    columns: list[Column[Entry]] = [
        Column("verdict", verdict, _verdict_cell),
        Column("runs", runs, lambda e: [Run(_runs(e), _doubt(e))]),
        Column("session", title, named, strong=True),
        Column("agent", agent, lambda e: [Run(shown(e.agent or "", 40))]),
        Column("model", model, lambda e: [Run(shown(e.model or "", 60))]),
        Column("date", date, when, _GAP if size else 0),
        Column("size", size, lambda e: [Run(phrases.file_size(e.size), "dim")], 0, right=True),
    ]
    whole = [column for column in columns if column.width]
    rest = [column for column in whole if column.name in ("agent", "model")]
    over = Column("session", title + sum(column.width + _GAP for column in rest), reason, strong=True)
    broken = [over if column.name == "session" else column for column in whole if column not in rest]
    return Columns(tuple(whole), tuple(broken))


def _verdict_cell(entry: Entry) -> list[Run]:
    """Show the verdict with its sign alone in colour: most rows of a list may be wrong."""
    text, role, _ = _verdict(entry)
    return [Run(text[:1], role), Run(text[1:], "dim" if role == "dim" else "")]


def _verdict(entry: Entry) -> Run:
    """Show the verdict: what is wrong, or why a right run is doubtful."""
    text, role = _VERDICTS[verdict_of(entry)]
    error = phrases.outcome("", entry.outcome.headline if entry.outcome is not None else "")
    if error and verdict_of(entry) == "wrong":
        text = f"✗ {shown(error, 40)}"
    return Run(", ".join((text, *_doubts(entry))), role)


def _runs(entry: Entry) -> str:
    """Show how many of a session's runs are right, or the number of runs."""
    share = entry.outcomes.share if entry.outcomes is not None else ""
    return f"{share} right" if share else (f"{entry.runs:,}" if entry.runs else "")


def _doubt(entry: Entry) -> str:
    found = entry.outcomes
    return "caution" if found is not None and found.any_wrong and found.right else "dim"


def _doubts(entry: Entry) -> list[str]:
    """Say why a right run is doubtful: the agent was helped, or a grader gave nothing for it."""
    if entry.verdict != "right":
        return []
    graded = entry.outcomes.doubtful if entry.outcomes is not None else 0
    told = f"{graded} graded 0" if entry.runs > 1 else "graded 0"
    return ["helped"] * bool(entry.helped) + [told] * bool(graded)


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
            f"You have no sessions yet. {key_for('new-session')} makes one, or imports a trace; a bundled one "
            f"that you change is copied here ({key_for('show-bundled-sessions')} lists them)."
        )
    return wrapped(text, width, "dim")


def preview_lines(entry: Entry, preview: Preview | None, width: int) -> list[Line]:
    """Show the chosen session: its file and problems, its query, its runs."""
    page = Page(width, _LABEL)
    if entry.wrong is not None:
        page.say("broken", entry.wrong, "broken")
        if entry.place == "library":
            page.say("", "It cannot be opened. - moves it to the trash.")
    if preview is not None and preview.entry.path == entry.path:
        for label, text in (("unsaved", preview.unsaved), ("open", preview.held), ("", preview.trouble)):
            if text:
                page.say(label, text, "" if text == HERE else "caution")
        if preview.contents is not None:
            _contents(page, preview.contents, entry.outcomes.text if entry.outcomes is not None else "")
    page.add()
    page.say("file", f"{phrases.place(entry.path, 200)}  {phrases.file_size(entry.size)}", "dim")
    return page.lines


def _contents(page: Page, contents: Contents, came_out: str) -> None:
    if contents.text:
        page.say("query", " ".join(contents.text.split()))
    if contents.notes.strip():
        page.say("notes", contents.notes.strip(), "quote")
    page.add()
    if contents.findings is not None:
        page.say("found", f"{phrases.plural(contents.findings, 'finding')} in tools")
        if not contents.runs:
            return
    told = phrases.plural(contents.runs, "run")
    if contents.variants > 1:
        told += f" of {phrases.plural(contents.variants, 'query', 'queries')}"
    if contents.own < contents.runs:
        told += f", {contents.runs - contents.own} of them made by dissections"
    page.add(Run("runs".ljust(_LABEL), "label"), told)
    if came_out and contents.own > 1:
        page.add(" " * _LABEL, came_out)
    for number, record in contents.records:
        page.add(" " * (_LABEL - 2), *run_runs(record, number, here=False))
    if contents.own > len(contents.records):
        page.add(" " * _LABEL, Run(f"and {contents.own - len(contents.records)} before", "dim"))
