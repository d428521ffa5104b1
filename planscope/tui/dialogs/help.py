"""The help screen: the keys of a screen, then the meaning of the signs; a filter finds an entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from planscope.safe import cell_width
from planscope.tui.actions import KeyAction, Where
from planscope.tui.dialogs.base import Dialog, SafeInput, Said, TextBox
from planscope.tui.keys import KeyChoice, fixed_keys, help_sections
from planscope.tui.style.lines import BLANK, Line, Run, indented, paragraph
from planscope.wording import terms

Works = Callable[[KeyAction], bool]

_IN_PANES = (
    ("↑ ↓", "Select the next or previous item in the pane; so do j and k where they are free."),
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
    *(
        (_sign(status), terms.STATUS_ROLES[status], f"a rule: {terms.STATUS_MEANS[status]}")
        for status in ("kept", "kept_so_far", "owed", "unknown")
    ),
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
    (terms.CAUSE, "caution", f"the step most likely to blame, before {terms.LOST_HERE}; runs open there"),
    (terms.HIT_GLYPH, "hit-mark", "a search hit"),
    ("◆", "stop-mark", "a breakpoint"),
    (terms.WRITES_GLYPH, "caution", "a call of a tool that writes, as the rules say"),
    (terms.PAUSED_GLYPH, "stop", "a paused call, which is not done yet"),
    ("!", "caution", "a call that failed, a warning, or a run that was aborted"),
    ("▲ ▼ 2 linked", "mark", "how many lines that belong to the selection stand above or below"),
    (
        "P SC",
        "dim",
        "the tree has the grammar's symbols: P a preposition, SC a conjunction, such as before, until",
    ),
    (
        "VP VP0 J",
        "dim",
        "VP a verb that orders two actions, VP0 one that does not, J a word that joins clauses",
    ),
    ("< >", "dim", "behind a symbol: the action comes earlier, or later"),
    (
        " ".join(terms.DRAFT_SIGNS.values()),
        "mark",
        "while editing: a constraint is added, gone, the same, not read",
    ),
    ("~ ↕", "mark", "while comparing: changed, moved to another place"),
    (terms.PARTED_GLYPH, "mark", "the first difference of two runs"),
    (terms.BLAMED_GLYPH, "mark", "the words of a query that a dissection blames"),
    ("±", "caution", "a query that is answered right in some runs and wrong in others"),
    ("█▓░", "tool", "a rate: its lowest likely value, the measured one, its highest likely value"),
)


def help_lines(
    choice: KeyChoice,
    width: int,
    where: Where = "debug",
    wanted: str = "",
    works: Works = lambda action: True,
) -> list[Line]:
    """Make the lines of a screen's help: the entries that ``wanted`` finds. A single character finds a key."""
    sections = [
        (name, [(Run(e.keys, "key"), e.help, e.title) for e in entries])
        for name, entries in help_sections(choice, where, works)
    ]
    if where == "debug":
        sections.append(("In a pane", [(Run(keys, "key"), text, "") for keys, text in _IN_PANES]))
    cells = max(cell_width(head.text) for _, entries in sections for head, *_ in entries) + 2
    sections.append(("Signs", [(Run(sign, role), text, "") for sign, role, text in _SIGNS]))
    lines: list[Line] = []
    for name, entries in sections:
        whole = wanted.strip().casefold() == name.casefold()
        found = [
            (head, text)
            for head, text, more in entries
            if whole or _finds(wanted, head.text, f"{more} {text}")
        ]
        if found:
            lines += [*([BLANK] if lines else []), Line((Run(name, "title"),))]
            for head, text in found:
                lines += _entry(head, text, cells, width)
    return lines or [Line((Run("Nothing is found.", "dim"),))]


def _finds(wanted: str, keys: str, text: str) -> bool:
    """Return whether an entry has all the words of a filter."""
    folded = wanted.casefold().split()
    if len(wanted.strip()) == 1:
        return folded[0] in keys.casefold().split()
    return all(word in f"{keys} {text}".casefold() for word in folded)


def _entry(head: Run, text: str, cells: int, width: int) -> Iterator[Line]:
    """Return a key or a sign with its explanation, wrapped."""
    room = max(cells, cell_width(head.text) + 1)
    for i, runs in enumerate(paragraph(text, max(width - room - 2, 20))):
        left = (head, Run(" " * (room - cell_width(head.text)))) if i == 0 else (Run(" " * room),)
        yield Line((Run("  "), *left, *runs))


class _Filter(SafeInput):
    """The filter. It leaves ``?`` to the dialog."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return key != "question_mark" and super().check_consume_key(key, character)


class HelpDialog(Dialog[None]):
    """The help. Typing filters it; Enter, Esc, ? and F1 close it."""

    BINDINGS = fixed_keys(
        {
            "question_mark,f1": "leave",
            "down": "go(1)",
            "up": "go(-1)",
            "pagedown": "go(10)",
            "pageup": "go(-10)",
            "end": "go(100000)",
            "home": "go(-100000)",
        },
        first=True,
    )

    def __init__(self, choice: KeyChoice, where: Where, works: Works) -> None:
        super().__init__("Keys")
        self.keys, self.of, self.wanted, self.works_below = choice, where, "", works

    def body(self) -> Sequence[Widget]:
        self.text = self.gives_way = TextBox(self._lines)
        return self.text, _Filter(placeholder="Type a word or a key to filter")

    def show(self) -> None:
        self.text.styles.min_height = min(len(self._lines("")), self.room(9))
        super().show()

    def hint(self) -> Sequence[Said]:
        return ("↑ ↓ PgUp PgDn Home End: scroll, Esc: close; · in the palette alone",)

    def _lines(self, wanted: str | None = None) -> list[Line]:
        find = self.wanted if wanted is None else wanted
        return indented(help_lines(self.keys, self.text_width, self.of, find, self.works_below))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.wanted = event.value
        self.text.show()
        self.text.scroll_lines(-len(self.text.lines))

    def action_go(self, by: int) -> None:
        self.text.scroll_lines(by)
