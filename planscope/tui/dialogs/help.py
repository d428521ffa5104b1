"""The help screen: every key by what it does, then what the signs mean."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.safe import cell_width
from planscope.tui.actions import Where
from planscope.tui.keys import KeyChoice, help_sections
from planscope.tui.style.lines import BLANK, Line, Run, paragraph
from planscope.wording import terms

_IN_PANES = (
    ("↑ ↓", "Select the next or the previous thing in the pane."),
    ("PgUp PgDn", "Scroll the pane."),
    ("Enter", "Go to the next step that belongs to what is selected."),
    ("mouse", "Click selects, the wheel scrolls, a double click zooms."),
)
_SIGNS = (
    ("✓ holds", "holds", "met, whatever is called next"),
    ("○ open", "open", "can still be met or broken"),
    ("✗ broken", "broken", "cannot be met any more"),
    ("● CORE", "core", "one of the few that cannot all be met: why the plan is lost"),
    ("✓ completable", "completable", "the plan can still be finished from here"),
    ("● doomed", "doomed", f"it cannot; the first such step is marked {terms.LOST_HERE}"),
    ("? unknown", "unknown", "the solver gave no answer"),
    ("▶", "mark", "where you are, or what is selected"),
    ("┃", "mark", "what belongs to it in the other panes"),
    (terms.HIT_GLYPH, "hit-mark", "what a search found"),
    ("◆", "stop-mark", "a breakpoint stops here"),
)


def help_lines(choice: KeyChoice, width: int, where: Where = "debug") -> list[Line]:
    """All lines of a room's help screen."""
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
    """A key or a sign, and beside it all that is said of it."""
    room = max(cells, cell_width(head.text) + 1)
    for i, runs in enumerate(paragraph(text, max(width - room - 2, 20))):
        left = (head, Run(" " * (room - cell_width(head.text)))) if i == 0 else (Run(" " * room),)
        yield Line((Run("  "), *left, *runs))
