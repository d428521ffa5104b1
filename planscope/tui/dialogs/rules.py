"""The dialog for the rules of a session: their text, what each rule means, and what this run makes of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any

from textual import events, on
from textual.widget import Widget

from planscope.oracle.trace import Trace
from planscope.rules.offers import labelled, look, offers, reading_lines, result_words
from planscope.rules.words import meaning
from planscope.safe import cell_width
from planscope.tui.app_screen import AppScreen
from planscope.tui.dialogs.base import Dialog, SafeTextArea, Said, TextBox
from planscope.tui.keys import fixed_keys
from planscope.tui.style.lines import BLANK, Line, Run, indented, line, paragraph, shown
from planscope.tui.style.lines import labelled as beside
from planscope.tui.style.roles import EXAMPLE_ROLES
from planscope.wording import terms

Finder = Callable[[AppScreen[Any], str, str], Coroutine[Any, Any, str | None]]
"""Asks for more rules, in a flow. It is given the rules so far and a policy that was pasted, and returns more lines, or
None."""

_NO_FINDERS: Mapping[str, Finder] = {}


class _RulesArea(SafeTextArea):
    def on_paste(self, event: events.Paste) -> None:
        """Leave a policy to the dialog; other texts are typed."""
        dialog: Any = self.screen
        if dialog.takes_policy(event.text):
            event.stop()
            event.prevent_default()


class RulesDialog(Dialog[str]):
    """Edits the rules of a session, and returns those to save. ``trace`` is the displayed run, for which each rule's
    state is shown.

    ``finders``: ways to find more rules, ``mine`` and ``draft``. ``keep`` is given the text when the dialog closes or
    planscope is left, and it was not saved.
    """

    AUTO_FOCUS = "SafeTextArea"
    BINDINGS = fixed_keys(
        {
            "ctrl+s": "take",
            "tab": "offer(1)",
            "shift+tab": "offer(-1)",
            "ctrl+g": "find('mine')",
            "ctrl+d": "find('draft')",
        },
        first=True,
    )

    def __init__(
        self,
        text: str,
        trace: Trace | None,
        finders: Mapping[str, Finder] = _NO_FINDERS,
        keep: Callable[[str], object] = str,
    ) -> None:
        super().__init__("Rules that every run of this session has to keep")
        self.text, self.trace, self.finders, self.keep = text, trace, finders, keep
        self.offered: list[str] = []
        self.at_offer = -1
        self.seen = look("", None)
        self.area = _RulesArea(self.text, id="rules-text", highlight_cursor_line=False)

    def body(self) -> Sequence[Widget]:
        self.gives_way = TextBox(self._lines)
        return self.area, TextBox(lambda: [BLANK]), self.gives_way

    def show(self) -> None:
        self.area.styles.height = min(self.app.size.height // 4, 12)
        super().show()

    def hint(self) -> Sequence[Said]:
        finders = "Ctrl+G: find rules in runs, Ctrl+D: from a policy, or paste one"
        return (
            "",
            "Ctrl+S: save, Esc: close (your text is kept), Tab: offer a rule",
            finders if self.finders else "",
        )

    def on_mount(self) -> None:
        self.area.move_cursor(self.area.document.end)
        self.call_after_refresh(self._look_first)  # no frame waits until a long run is judged

    def _look_first(self) -> None:
        self.offered = offers(self.trace) if self.trace is not None else []
        self.read_now()

    @on(SafeTextArea.Rested)
    def read_now(self) -> None:
        """Read the text, and show what it means."""
        self.seen = look(self.area.text, self.trace)
        self.show()

    def _lines(self) -> Iterator[Line]:
        seen = self.seen
        if not self.area.text.strip():
            yield from self.wrapped(
                "Write one sentence a line. Some to begin with, and what this run does:", "dim"
            )
            for word, one in labelled(self.offered[:6], self.trace) if self.trace is not None else ():
                said = paragraph(one, self.text_width - 10, "tool")
                yield from indented(map(Line, beside(f"  {word}", said, indent=10, role=EXAMPLE_ROLES[word])))
            return
        for error in seen.errors:
            yield from self.wrapped(f"✗ line {error.line}: {error.message}", "broken")
            yield from (line("     ", Run(shown(one, 200), "tool")) for one in reading_lines(error))
        for k, rule in enumerate(seen.file.rules if seen.file is not None else ()):
            words, status = result_words(seen.results[k]) if k < len(seen.results) else ("", "unknown")
            sign = terms.STATUS_GLYPHS[status] if words else " "
            body = paragraph(meaning(rule), self.text_width - 6)
            if words:
                body = (*body, (Run(words, terms.STATUS_ROLES[status]),))
            label = f"{sign} {rule.name or rule.id.removeprefix('c')}"
            fits = cell_width(label) < 6
            if not fits:
                yield from self.wrapped(label, "label")
            yield from indented(map(Line, beside(label if fits else "", body, indent=6)))
        if seen.clash:
            told = "✗ These rules contradict each other: no run can keep all of them."
            yield from self.wrapped(told, "broken")
        yield from self.told([f"! {shown(warning, 200)}" for warning in seen.warnings[:4]], "caution")

    def _write(self, text: str) -> None:
        """Put another text in the place of this one, and the cursor at its end."""
        self.area.text = text
        self.area.move_cursor(self.area.document.end)
        self.read_now()

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
        self._write(_joined(text, self.offered[self.at_offer]))
        self.tell(f"rule {self.at_offer + 1} of {len(self.offered)} to begin with")

    def action_find(self, way: str) -> None:
        """Find more rules; those that are taken become rules of the session at once, if the text can be read."""
        if way in self.finders:
            self.start_flow(self._find(self.finders[way]))

    def takes_policy(self, text: str) -> bool:
        """Show each sentence of a pasted policy with its rule; return False for a text of one line, and for rules.

        Rules with some mistakes are rules: in a policy at most half of the lines can be read.
        """
        lines = len(text.strip().splitlines())
        if "draft" not in self.finders or lines < 2 or len(look(text, None).errors) * 2 < lines:
            return False
        self.start_flow(self._find(self.finders["draft"], text))
        return True

    async def _find(self, finder: Finder, pasted: str = "") -> None:
        if found := await finder(self, self.area.text, pasted):
            self._write(_joined(self.area.text, found))
            self.action_take()
        elif pasted:
            self.area.insert(pasted)

    def action_take(self) -> None:
        self.read_now()
        if self.seen.file is not None or not self.area.text.strip():
            self.dismiss(self.area.text)
        else:
            self.tell("a sentence cannot be read yet")

    def keep_typed(self) -> None:
        self.keep(self.area.text)


def _joined(text: str, more: str) -> str:
    return f"{text}\n{more}" if text and not text.endswith("\n") else text + more
