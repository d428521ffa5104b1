"""A dialog to tick rules that were found: what each means, where it comes from, what this run makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from planscope.rules.offers import Offered, look, result_words
from planscope.rules.words import meaning
from planscope.tui.dialogs.base import LIST_KEYS, Dialog, TextBox
from planscope.tui.style.lines import BLANK, Line, Run, cut, paragraph, shown
from planscope.tui.style.painter import Painter
from planscope.wording import terms
from planscope.wording.phrases import plural

_ABOUT_ROWS = 8
"""The height of the part that tells about the rule at the cursor."""


class TickDialog(Dialog[tuple[Offered, ...]]):
    """Asks which of the rules to take, and answers with those that were ticked."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *LIST_KEYS,
        ("space,enter", "tick", "Tick"),
        ("a", "all", "All"),
        Binding("ctrl+s", "take", show=False, priority=True),
    ]

    def __init__(self, paint: Painter, title: str, offered: Sequence[Offered]) -> None:
        super().__init__(paint, title)
        self.offered = offered
        self.ticked: set[int] = set()
        self.at = 0
        self._row_of: list[int] = []

    def body(self) -> Sequence[Widget]:
        most = max(self.app.size.height * 9 // 10 - _ABOUT_ROWS - 9, 3)
        self.list = TextBox(self.paint, list(self._lines()), most=most, clicked=self._clicked)
        self.about = TextBox(self.paint, self._about(), most=_ABOUT_ROWS)
        keys = "↑ ↓: select, Space: tick, a: all, Ctrl+S: take them as rules of this session, Esc: back"
        return (
            self.list,
            TextBox(self.paint, [BLANK]),
            self.about,
            TextBox(self.paint, [BLANK, *self.wrapped(keys, "dim")]),
        )

    def on_mount(self) -> None:
        self.call_after_refresh(self._show)

    def _lines(self) -> Iterator[Line]:
        self._row_of = []
        row, source, sayable = 0, "", True
        for i, one in enumerate(self.offered):
            if sayable and not one.rules:
                sayable = False
                yield from (BLANK, Line((Run(" No rule can say, or it cannot be read:", "title"),)))
                row += 2
            if one.rules and one.source and one.source != source:
                source = one.source
                yield Line(cut((Run(f" “{shown(source, 400)}”", "dim"),), self.text_width))
                row += 1
            self._row_of.append(row)
            yield self._line(i, one)
            row += 1

    def _line(self, i: int, one: Offered) -> Line:
        here = i == self.at
        mark = Run(" ▶ " if here else "   ", "mark")
        if not one.rules:
            return Line(cut((mark, Run(shown(one.text or f"“{one.source}”", 400), "dim")), self.text_width))
        tick = Run("[x] " if i in self.ticked else "[ ] ", "strong" if i in self.ticked else "dim")
        _, status = self._state(one)
        sign = Run(f"{terms.STATUS_GLYPHS[status]} ", terms.STATUS_ROLES[status]) if one.results else Run("")
        return Line(
            cut((mark, tick, sign, Run(shown(one.text, 400), "tool")), self.text_width),
            "cursor" if here else "",
        )

    def _state(self, one: Offered) -> tuple[str, str]:
        """Return what this run makes of the rule, in words, and its status: the worst, if it is several."""
        words = [result_words(result) for result in one.results]
        return next((w for w in words if w[1] == "broken"), words[0] if words else ("", "unknown"))

    def _about(self) -> list[Line]:
        if not self.offered:
            return []
        one = self.offered[self.at]
        lines = [line for rule in one.rules for line in self.wrapped(meaning(rule))]
        if one.results:
            words, status = self._state(one)
            lines += self.wrapped(
                f"{terms.STATUS_GLYPHS[status]} this run: {words}", terms.STATUS_ROLES[status]
            )
        if not one.rules and one.source:
            lines += self.wrapped(f"“{shown(one.source, 400)}”", "dim")
        lines += [line for text in one.about for line in self.wrapped(shown(text, 300))]
        if self.ticked:
            lines += self._together()
        return [*lines[:_ABOUT_ROWS], *[BLANK] * (_ABOUT_ROWS - len(lines))]

    def _together(self) -> list[Line]:
        """Say how many are ticked, and whether they contradict each other."""
        seen = look("\n".join(self.offered[i].text for i in sorted(self.ticked)), None)
        if seen.clash:
            return self.wrapped(
                f"✗ The {len(self.ticked)} ticked rules contradict each other: no run can keep all.", "broken"
            )
        return [
            Line((Run(" "), *runs))
            for runs in paragraph(f"{plural(len(self.ticked), 'rule')} ticked", 60, "dim")
        ]

    def _show(self) -> None:
        lines = list(self._lines())
        self.list.set_lines(lines, self._row_of[self.at])
        self.about.set_lines(self._about())

    def action_go(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), len(self.offered) - 1)
        self._show()

    def action_tick(self) -> None:
        """Tick the rule at the cursor, or take the tick away."""
        if self.offered[self.at].rules:
            self.ticked ^= {self.at}
            self._show()
        else:
            self.tell("this is no rule")

    def action_all(self) -> None:
        """Tick all rules, or none if all are ticked."""
        every = {i for i, one in enumerate(self.offered) if one.rules}
        self.ticked = set() if self.ticked == every else every
        self._show()

    def _clicked(self, row: int, column: int) -> None:
        if row in self._row_of:
            self.at = self._row_of.index(row)
            self.action_tick()

    def action_take(self) -> None:
        if self.ticked:
            self.dismiss(tuple(self.offered[i] for i in sorted(self.ticked)))
        else:
            self.tell("nothing is ticked yet: tick the rule at the cursor with Space")
