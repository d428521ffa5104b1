"""The help screen: the keys of a screen, then the meaning of the signs."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.safe import cell_width
from planscope.tui.actions import Where
from planscope.tui.keys import KeyChoice, help_sections
from planscope.tui.style.lines import BLANK, Line, Run, paragraph
from planscope.wording import terms

_IN_PANES = (
    ("↑ ↓", "Select the next or previous item in the pane; so do j and k."),
    ("PgUp PgDn", "Scroll the pane."),
    ("Enter", "Go to the next step that belongs to the selection."),
    ("mouse", "Click selects, the wheel scrolls, a double click zooms."),
)


def _sign(status: str) -> str:
    return f"{terms.STATUS_GLYPHS[status]} {terms.STATUSES[status]}"


def _state(state: str) -> str:
    return f"{terms.STATE_GLYPHS[state]} {terms.STATES[state]}"


_SIGNS = (
    (_sign("holds"), "holds", "the constraint is met, whatever is called next"),
    (_sign("open"), "open", "it can still be met or violated"),
    (_sign("broken"), "broken", "it cannot be met any more"),
    (f"{terms.CORE_GLYPH} CONFLICT", "core", f"it belongs to the unsat core: {terms.CONFLICT_MEANS}"),
    (_state("completable"), "completable", terms.STATE_MEANS["completable"]),
    (
        _state("doomed"),
        "doomed",
        f"{terms.STATE_MEANS['doomed']}; {terms.LOST_HERE} marks the {terms.NO_RETURN}",
    ),
    (_state("unknown"), "unknown", "the solver gave no answer"),
    ("▶", "mark", "the current step or the selection"),
    ("┃", "mark", "what belongs to the selection in other panes"),
    (terms.HIT_GLYPH, "hit-mark", "a search hit"),
    ("◆", "stop-mark", "a breakpoint"),
)


def help_lines(choice: KeyChoice, width: int, where: Where = "debug") -> list[Line]:
    """Make the lines of a screen's help."""
    sections = [(name, [(e.keys, e.help) for e in entries]) for name, entries in help_sections(choice, where)]
    if where == "debug":
        sections.append(("In a pane", list(_IN_PANES)))
    cells = max(cell_width(keys) for _, entries in sections for keys, _ in entries) + 2
    lines = []
    for name, entries in sections:
        lines.append(Line((Run(name, "title"),)))
        for keys, text in entries:
            lines += _entry(Run(keys, "key"), text, cells, width)
        lines.append(BLANK)
    lines.append(Line((Run("Signs", "title"),)))
    for sign, role, text in _SIGNS:
        lines += _entry(Run(sign, role), text, cells, width)
    return lines


def _entry(head: Run, text: str, cells: int, width: int) -> Iterator[Line]:
    """Return a key or a sign with its explanation, wrapped."""
    room = max(cells, cell_width(head.text) + 1)
    for i, runs in enumerate(paragraph(text, max(width - room - 2, 20))):
        left = (head, Run(" " * (room - cell_width(head.text)))) if i == 0 else (Run(" " * room),)
        yield Line((Run("  "), *left, *runs))
