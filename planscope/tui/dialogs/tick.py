"""A dialog to tick rules that were found: what each means, where it comes from, what this run makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.widget import Widget

from planscope.rules.offers import Offered, look, result_words
from planscope.rules.words import meaning
from planscope.tui.dialogs.base import LIST_KEYS, Dialog, Said, TextBox, choice
from planscope.tui.keys import fixed_keys
from planscope.tui.style.lines import BLANK, Line, Run, cut, line, shown
from planscope.wording import terms
from planscope.wording.phrases import plural

_ABOUT_ROWS = 8
"""The most rows that tell about the rule at the cursor."""


class TickDialog(Dialog[tuple[Offered, ...]]):
    """Asks which of the rules to take, and answers with those that were ticked."""

    AUTO_FOCUS = ""
    BINDINGS = fixed_keys({**LIST_KEYS, "space,enter": "tick", "a": "all"}) + fixed_keys(
        {"ctrl+s": "take"}, first=True
    )

    def __init__(self, title: str, offered: Sequence[Offered]) -> None:
        super().__init__(title)
        self.offered = offered
        self.ticked: set[int] = set()
        self._row_of: list[int] = []

    def count(self) -> int:
        return len(self.offered)

    def chosen_row(self) -> tuple[int, int]:
        row = self._row_of[self.at]
        return row, row

    def body(self) -> Sequence[Widget]:
        self.gives_way = TextBox(self._lines, at=self.chosen_row, clicked=self._clicked)
        return self.gives_way, TextBox(lambda: [BLANK]), TextBox(self._about)

    def hint(self) -> Sequence[Said]:
        return "", "Space: tick, a: all, Ctrl+S: make them rules of this session, Esc: back"

    def _lines(self) -> list[Line]:
        made: list[Line] = []
        self._row_of = []
        source, sayable = "", True
        for i, one in enumerate(self.offered):
            if sayable and not one.rules:
                sayable = False
                made += [BLANK, line(Run(" No rule was read:", "title"))]
            if one.rules and one.source and one.source != source:
                source = one.source
                made.append(Line(cut((Run(f" “{shown(source, 400)}”", "dim"),), self.text_width)))
            self._row_of.append(len(made))
            row = choice(self._rule(i, one), i == self.at)
            made.append(Line(cut(row.runs, self.text_width), row.ground if one.rules else ""))
            if not one.rules:
                why = one.about[0] if one.about else "no form of rule says this"
                made.append(
                    Line(cut((Run(f"     cannot be said: {shown(why, 300)}", "caution"),), self.text_width))
                )
        return made

    def _rule(self, i: int, one: Offered) -> Iterator[Run]:
        if not one.rules:
            yield Run(shown(one.text or f"“{one.source}”", 400), "dim")
            return
        yield Run("[x] ", "strong") if i in self.ticked else Run("[ ] ", "dim")
        if one.results:
            yield Run(f"{self._state(one)[0]} ", self._state(one)[1])
        yield Run(shown(one.text, 400), "tool")

    def _state(self, one: Offered) -> tuple[str, str, str]:
        """Return sign, role and words of what this run makes of the rule: the worst, if it is several."""
        found = [result_words(result) for result in one.results]
        words, status = next((w for w in found if w[1] == "broken"), found[0])
        return terms.STATUS_GLYPHS[status], terms.STATUS_ROLES[status], words

    def _about(self) -> list[Line]:
        if not self.offered:
            return []
        one = self.offered[self.at]
        told: list[Said] = [meaning(rule) for rule in one.rules]
        if one.results:
            sign, role, words = self._state(one)
            told.append((f"{sign} this run: {words}", role))
        if not one.rules and one.source:
            told.append((f"“{shown(one.source, 400)}”", "dim"))
        told += [shown(text, 300) for text in one.about]
        if self.ticked:
            told.append(self._together())
        lines = self.told(told)
        rows = min(_ABOUT_ROWS, self.app.size.height // 5)
        return [*lines[:rows], *[BLANK] * (rows - len(lines))]

    def _together(self) -> Said:
        """Say how many are ticked, and whether they contradict each other."""
        count = len(self.ticked)
        if look("\n".join(self.offered[i].text for i in sorted(self.ticked)), None).clash:
            return f"✗ The {count} ticked rules contradict each other: no run can keep all.", "broken"
        return f"{plural(count, 'rule')} ticked", "dim"

    def action_tick(self) -> None:
        """Tick the rule at the cursor, or take the tick away."""
        if self.offered[self.at].rules:
            self.ticked ^= {self.at}
            self.show()
        else:
            self.tell("this is no rule")

    def action_all(self) -> None:
        """Tick all rules, or none if all are ticked."""
        every = {i for i, one in enumerate(self.offered) if one.rules}
        self.ticked = set() if self.ticked == every else every
        self.show()

    def _clicked(self, row: int, column: int) -> None:
        if row in self._row_of:
            self.at = self._row_of.index(row)
            self.action_tick()

    def action_take(self) -> None:
        if self.ticked:
            self.dismiss(tuple(self.offered[i] for i in sorted(self.ticked)))
        else:
            self.tell("nothing is ticked yet: tick the rule at the cursor with Space")
