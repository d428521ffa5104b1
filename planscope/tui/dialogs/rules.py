"""The dialog for the rules of a session: their text, what each rule means, and what this run makes of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from planscope.oracle.trace import Trace
from planscope.rules.offers import Seen, look, offers, reading_lines, result_words
from planscope.rules.words import meaning
from planscope.tui.app_screen import AppScreen
from planscope.tui.dialogs.base import Dialog, TextBox
from planscope.tui.dialogs.describe import SafeTextArea
from planscope.tui.style.lines import BLANK, Line, Run, labelled, paragraph, shown
from planscope.tui.style.painter import Painter
from planscope.wording import terms

PAUSE = 0.2
"""Seconds without a change of the text after which it is read."""


Finder = Callable[[AppScreen[Any], str], Coroutine[Any, Any, str | None]]
"""Asks for more rules, in a flow. It is given the rules so far, and returns more lines, or None."""

_NO_FINDERS: Mapping[str, Finder] = {}


@dataclass(frozen=True, slots=True)
class Written:
    """The text when the dialog was closed. ``save``: it becomes the session's rules; else it is a draft."""

    text: str
    save: bool


class RulesDialog(Dialog[Written]):
    """Edits the rules of a session. ``trace`` is the displayed run, for which each rule's state is shown.

    ``finders``: ways to find more rules, ``mine`` and ``draft``.
    """

    AUTO_FOCUS = "SafeTextArea"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", show=False, priority=True),
        Binding("tab", "offer(1)", show=False, priority=True),
        Binding("shift+tab", "offer(-1)", show=False, priority=True),
        Binding("ctrl+g", "find('mine')", show=False, priority=True),
        Binding("ctrl+d", "find('draft')", show=False, priority=True),
    ]

    def __init__(
        self,
        paint: Painter,
        text: str,
        trace: Trace | None,
        finders: Mapping[str, Finder] = _NO_FINDERS,
    ) -> None:
        super().__init__(paint, "Rules that every run of this session has to keep")
        self.text, self.trace, self.finders = text, trace, finders
        self.offered = offers(trace) if trace is not None else []
        self.at_offer = -1
        self._waiting: Timer | None = None

    def body(self) -> Sequence[Widget]:
        rows = self.app.size.height
        self.area = SafeTextArea(self.text, id="rules-text", highlight_cursor_line=False, compact=True)
        self.area.styles.height = max(min(rows // 3, 12), 3)
        first = list(self._lines(look(self.text, self.trace)))
        self.said = TextBox(self.paint, first, most=max(rows * 9 // 10 - max(min(rows // 3, 12), 3) - 8, 3))
        finders = "Ctrl+G: find rules in good and bad runs, Ctrl+D: draft rules from a policy, "
        keys = f"Tab: offer a rule about this run, {finders if self.finders else ''}Ctrl+S: save, Esc: close"
        return (
            self.area,
            TextBox(self.paint, [BLANK]),
            self.said,
            TextBox(self.paint, [BLANK, *self.wrapped(keys, "dim")]),
        )

    def on_mount(self) -> None:
        self.area.move_cursor(self.area.document.end)

    @on(TextArea.Changed)
    def _text_changed(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(PAUSE, self.read_now)

    def read_now(self) -> Seen:
        """Read the text, and show what it means."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        seen = look(self.area.text, self.trace)
        self.said.set_lines(list(self._lines(seen)))
        return seen

    def _lines(self, seen: Seen) -> Iterator[Line]:
        if not self.area.text.strip():
            yield from self.wrapped("Write one sentence a line. Some to begin with:", "dim")
            yield from (Line((Run("   "), Run(shown(one, 200), "tool"))) for one in self.offered[:6])
            return
        for error in seen.errors:
            yield from self.wrapped(f"✗ line {error.line}: {error.message}", "broken")
            yield from (Line((Run("     "), Run(shown(one, 200), "tool"))) for one in reading_lines(error))
        for k, rule in enumerate(seen.file.rules if seen.file is not None else ()):
            words, status = result_words(seen.results[k]) if k < len(seen.results) else ("", "unknown")
            sign = terms.STATUS_GLYPHS[status] if words else " "
            role = terms.STATUS_ROLES[status]
            body = paragraph(meaning(rule), self.text_width - 6)
            if words:
                body = (*body, (Run(words, role),))
            yield from (Line((Run(" "), *runs)) for runs in labelled(f"{sign} {rule.id}", body, indent=6))
        if seen.clash:
            yield from self.wrapped(
                "✗ These rules contradict each other: no run can keep all of them.", "broken"
            )
        for warning in seen.warnings[:4]:
            yield from self.wrapped(f"! {shown(warning, 200)}", "caution")

    def action_offer(self, by: int) -> None:
        """Put the next offered rule into the text; it replaces an offer that was not changed."""
        if not self.offered:
            self.tell("no tool was called in this run")
            return
        before = self.offered[self.at_offer] if self.at_offer >= 0 else None
        self.at_offer = (self.at_offer + by) % len(self.offered) if self.at_offer >= 0 else 0
        text = self.area.text
        if before is not None and text.rstrip("\n").endswith(before):
            text = text.rstrip("\n").removesuffix(before)
        elif text and not text.endswith("\n"):
            text += "\n"
        self.area.text = text + self.offered[self.at_offer]
        self.area.move_cursor(self.area.document.end)
        self.read_now()
        self.tell(f"rule {self.at_offer + 1} of {len(self.offered)} to begin with")

    def action_find(self, way: str) -> None:
        """Find more rules; those that are taken become rules of the session at once, if the text can be read."""
        if way in self.finders:
            self.start_flow(self._find(self.finders[way]))

    async def _find(self, finder: Finder) -> None:
        found = await finder(self, self.area.text)
        if not found:
            return
        text = self.area.text
        self.area.text = f"{text}\n{found}" if text and not text.endswith("\n") else text + found
        self.area.move_cursor(self.area.document.end)
        self.action_take()

    def action_take(self) -> None:
        seen = self.read_now()
        if seen.file is not None or not self.area.text.strip():
            self.dismiss(Written(self.area.text, True))
        else:
            self.tell("a sentence cannot be read yet")

    def action_leave(self) -> None:
        self.dismiss(Written(self.area.text, False))
