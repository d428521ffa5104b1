"""Shows the private values in a session and their replacements, so that the user decides before anything is shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.widget import Widget

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.tui.dialogs.base import LIST_KEYS, Dialog, Said, TextBox, choice
from planscope.tui.dialogs.form import ask_dialog
from planscope.tui.keys import fixed_keys
from planscope.tui.style.lines import BLANK, Line, Run, cut, line, shown, width_of
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.sharing.redact import Finding, Redaction

AS_IT_IS = "no-redact"
"""The user types this to share without redaction."""

_MARK = 5
"""A click in the first columns of a row switches between replacing and keeping the value."""

_MOST_PLACES = 3
"""How many places of a value are listed."""


_BROAD = 80
"""From this width on, in cells, a row also names the kind of its value."""

_WORD = 26
"""The width of a replacement, in cells."""


@frozen
class Approved:
    """The redaction that the user approved; None: share without redaction."""

    redaction: Redaction | None

    @property
    def summary(self) -> tuple[str, str]:
        """One line about what is replaced, and its role."""
        if self.redaction is None:
            return "! nothing is replaced: shared without redaction", "finding"
        replaced = len(self.redaction.replaced)
        stay = len(self.redaction.findings) - replaced
        if stay:
            values = phrases.plural(stay, "private value is", "private values are")
            return f"! {values} kept; {replaced} replaced", "caution"
        if replaced:
            return f"✓ {phrases.plural(replaced, 'private value')} replaced", "holds"
        return "✓ nothing private was found", "holds"


class PreviewDialog(Dialog[Approved]):
    """Lists the private values. ``about``: what the file contains. ``before``: an earlier approval, to begin with."""

    BINDINGS = fixed_keys(
        {**LIST_KEYS, "space": "let_stay", "e": "change_word", "a": "as_it_is", "enter": "take"}
    )

    def __init__(self, title: str, about: str = "", before: Approved | None = None) -> None:
        super().__init__(title)
        self.about = about
        self.redaction: Redaction | None = before.redaction if before is not None else None
        self.trouble = ""
        self.as_it_is = before is not None and before.redaction is None

    def count(self) -> int:
        return len(self.findings)

    def body(self) -> Sequence[Widget]:
        self.gives_way = TextBox(
            lambda: [choice(self._row(f), i == self.at) for i, f in enumerate(self.findings)],
            at=self.chosen_row,
            clicked=self._clicked,
        )
        return TextBox(self._head), self.gives_way, TextBox(self._places)

    def found(self, redaction: Redaction) -> None:
        """Show the private values that the search found; go on if it found none."""
        self.redaction = redaction
        if redaction.findings:
            self.show()
        else:
            self.call_after_refresh(self.action_take)

    def failed(self, trouble: str) -> None:
        """Show that the search failed, so that nothing can be redacted."""
        self.trouble = trouble
        self.show()

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.redaction.findings if self.redaction is not None else ()

    # Display:

    def _head(self) -> list[Line]:
        return self.told([(self.about, "dim")] * bool(self.about) + self._verdict())

    def _verdict(self) -> list[Said]:
        if self.as_it_is:
            return [("! Shared without redaction: private values stay in the file.", "finding"), ""]
        if self.trouble:
            return [(f"✗ {shown(self.trouble, 300)}", "broken"), ""]
        if self.redaction is None:
            return [("looking for private values…", "dim")]
        if not self.findings:
            return [
                "Nothing private was found: no keys, tokens, addresses, home directories, host names or values of "
                "the environment. Check yourself for anything that no program can know to be private."
            ]
        count = len(self.redaction.replaced)
        stay = len(self.findings) - count
        said = f"{phrases.plural(count, 'private value')} will be replaced"
        return [(f"{said}, {stay} will stay:", "caution") if stay else f"{said}:", ""]

    def _row(self, finding: Finding) -> list[Run]:
        stays = finding.kept or self.as_it_is
        word = Run("kept", "caution") if stays else Run(shown(finding.replacement, 60), "safe")
        word = Run(cut([word], _WORD)[0].text, word.role)
        kind = f"{shown(finding.label, 30):<20}  " if self.text_width >= _BROAD else ""
        return [
            Run("! ", "caution") if stays else Run("✓ ", "holds"),
            word,
            Run(" " * (_WORD - width_of([word]) + 2)),
            Run(kind, "dim"),
            Run(shown(finding.text, 120)),
        ]

    def _places(self) -> list[Line]:
        if not self.findings:
            return [BLANK]
        finding = self.findings[self.at]
        told = [Run(f"   {shown(finding.label, 40)}: ", "label"), Run(shown(finding.text, 400))]
        lines = [BLANK, Line(cut(told, self.text_width))]
        for place in finding.places[:_MOST_PLACES]:
            lines.append(line(Run("   in ", "label"), Run(shown(str(place), 100), "dim")))
        if len(finding.places) > _MOST_PLACES:
            more = phrases.plural(len(finding.places) - _MOST_PLACES, "more place")
            lines.append(line(Run(f"   and in {more}", "dim")))
        return [*lines, *[BLANK] * (_MOST_PLACES + 3 - len(lines))]

    def hint(self) -> Sequence[Said]:
        if self.as_it_is:
            return ("Enter: continue, a: replace after all, Esc: back",)
        if self.redaction is None:
            return ("a: share without redaction, Esc: back",)
        if not self.findings:
            return ("Enter: continue, Esc: back",)
        other = "replace" if self.findings[self.at].kept else "keep"
        keys = f"Enter: continue, Space: {other}, e: another replacement"
        return keys, "a: share without redaction, Esc: back"

    # Keys

    def _clicked(self, at: int, column: int) -> None:
        self.at = at
        if column < _MARK:
            self.action_let_stay()
        self.show()

    def action_let_stay(self) -> None:
        if self.redaction is not None and self.findings and not self.as_it_is:
            finding = self.findings[self.at]
            self.redaction = self.redaction.keep(finding.number, not finding.kept)
            self.show()

    def action_change_word(self) -> None:
        if self.redaction is None or not self.findings or self.as_it_is:
            return
        redaction, finding = self.redaction, self.findings[self.at]

        def check(word: str) -> str | None:
            try:
                redaction.replace_by(finding.number, word.strip())
            except UserError as error:
                return str(error)
            return None

        def done(word: str | None) -> None:
            if word is not None:
                self.found(redaction.replace_by(finding.number, word.strip()))

        before = (f"Replaces {shown(finding.text, 120)}",)
        hint = "one word: letters, digits, _ and -"
        dialog = ask_dialog("Another replacement", hint, check, value=finding.replacement, before=before)
        self.app.push_screen(dialog, done)

    def action_as_it_is(self) -> None:
        """Share without redaction after the user types ``no-redact``; the same key undoes it."""

        def done(typed: str | None) -> None:
            self.as_it_is = typed is not None
            self.show()

        if self.as_it_is:
            done(None)
            return

        def check(typed: str) -> str | None:
            return None if typed.strip() == AS_IT_IS else f"that is not {AS_IT_IS}"

        found = phrases.plural(len(self.findings), "private value") if self.findings else "Everything private"
        before = (f"{found} would be in the file for everybody to read.",)
        hint = f"type {AS_IT_IS} to share without redaction; Esc: back"
        self.app.push_screen(ask_dialog("Replace nothing?", hint, check, before=before), done)

    def action_take(self) -> None:
        if self.as_it_is:
            self.dismiss(Approved(None))
        elif self.redaction is not None:
            self.dismiss(Approved(self.redaction))
