"""Shows the private values in a session and their replacements, so that the user decides before anything is shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from planscope.tui.dialogs.base import LIST_KEYS, Dialog, TextBox
from planscope.tui.dialogs.form import ask_dialog
from planscope.tui.style.lines import BLANK, Line, Run, cut, shown, width_of
from planscope.tui.style.painter import Painter
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.sharing.redact import Finding, Redaction

AS_IT_IS = "no-redact"
"""The user types this to share without redaction."""

_MARK = 5
"""A click in the first columns of a row switches between replacing and keeping the value."""

_MOST_PLACES = 3
"""How many places of a value are listed; one fewer on a low screen."""

_HIGH = 30
"""A screen with fewer rows than this counts as low."""

_BROAD = 80
"""From this width on, in cells, a row also names the kind of its value."""

_WORD = 26
"""The width of a replacement, in cells."""


@dataclass(frozen=True, slots=True)
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

    BINDINGS: ClassVar[list[BindingType]] = [
        *LIST_KEYS,
        ("space", "let_stay", "Keep or replace"),
        ("e", "change_word", "Another replacement"),
        ("a", "as_it_is", "Share without redaction"),
        ("enter", "take", "Continue"),
    ]

    def __init__(self, paint: Painter, title: str, about: str = "", before: Approved | None = None) -> None:
        super().__init__(paint, title)
        self.about = about
        self.redaction: Redaction | None = before.redaction if before is not None else None
        self.trouble = ""
        self.as_it_is = before is not None and before.redaction is None
        self.at = 0

    def body(self) -> Sequence[Widget]:
        rows = max(self.app.size.height * 9 // 10 - (17 if self.app.size.height >= _HIGH else 16), 3)
        self.head = TextBox(self.paint, self._head())
        self.list = TextBox(self.paint, self._rows(), most=rows, clicked=self._clicked)
        self.places = TextBox(self.paint, self._places())
        self.keys = TextBox(self.paint, self._keys())
        return (self.head, self.list, self.places, self.keys)

    def on_mount(self) -> None:
        self.call_after_refresh(self.refresh_all)

    def found(self, redaction: Redaction) -> None:
        """Show the private values that the search found."""
        self.redaction = redaction
        self.refresh_all()

    def failed(self, trouble: str) -> None:
        """Show that the search failed, so that nothing can be redacted."""
        self.trouble = trouble
        self.refresh_all()

    def refresh_all(self) -> None:
        if not self.is_mounted:
            return
        self.head.set_lines(self._head())
        self.list.set_lines(self._rows(), self.at if self.findings else None)
        self.places.set_lines(self._places())
        self.keys.set_lines(self._keys())

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.redaction.findings if self.redaction is not None else ()

    # Display:

    def _head(self) -> list[Line]:
        about = self.wrapped(self.about, "dim") if self.about else []
        return [*about, *self._verdict()]

    def _verdict(self) -> list[Line]:
        if self.as_it_is:
            return [
                *self.wrapped("! Shared without redaction: private values stay in the file.", "finding"),
                BLANK,
            ]
        if self.trouble:
            return [*self.wrapped(f"✗ {shown(self.trouble, 300)}", "broken"), BLANK]
        if self.redaction is None:
            return self.wrapped("looking for private values…", "dim")
        if not self.findings:
            return self.wrapped(
                "Nothing private was found: no keys, tokens, addresses, home directories, host names or values of "
                "the environment. Check yourself for anything that no program can know to be private."
            )
        count = len(self.redaction.replaced)
        stay = len(self.findings) - count
        said = f"{phrases.plural(count, 'private value')} will be replaced"
        said = f"{said}, {stay} will stay:" if stay else f"{said}:"
        return [*self.wrapped(said, "caution" if stay else ""), BLANK]

    def _rows(self) -> list[Line]:
        return [self._row(i, finding) for i, finding in enumerate(self.findings)]

    def _row(self, i: int, finding: Finding) -> Line:
        here = i == self.at
        stays = finding.kept or self.as_it_is
        word = Run("kept", "caution") if stays else Run(shown(finding.replacement, 60), "safe")
        word = Run((cut([word], _WORD)[0]).text, word.role)
        head = [
            Run(" ▶ " if here else "   ", "mark"),
            Run("! " if stays else "✓ ", "caution" if stays else "holds"),
            word,
            Run(" " * (_WORD - width_of([word]) + 2)),
        ]
        if self.text_width >= _BROAD:
            head.append(Run(f"{shown(finding.label, 30):<20}  ", "dim"))
        return Line((*head, Run(shown(finding.text, 120))), "cursor" if here else "")

    def _places(self) -> list[Line]:
        if not self.findings:
            return [BLANK]
        finding = self.findings[self.at]
        told = [Run(f"   {shown(finding.label, 40)}: ", "label"), Run(shown(finding.text, 400))]
        lines = [BLANK, Line(cut(told, self.text_width))]
        most = _MOST_PLACES if self.app.size.height >= _HIGH else _MOST_PLACES - 1
        for place in finding.places[:most]:
            lines.append(Line((Run("   in ", "label"), Run(shown(str(place), 100), "dim"))))
        if len(finding.places) > most:
            more = phrases.plural(len(finding.places) - most, "more place")
            lines.append(Line((Run(f"   and in {more}", "dim"),)))
        return [*lines, *[BLANK] * (most + 4 - len(lines))]

    def _keys(self) -> list[Line]:
        if self.as_it_is:
            return self.wrapped("Enter: continue, a: replace after all, Esc: back", "dim")
        if self.redaction is None:
            return self.wrapped("a: share without redaction, Esc: back", "dim")
        if not self.findings:
            return self.wrapped("Enter: continue, Esc: back", "dim")
        other = "replace" if self.findings[self.at].kept else "keep"
        return [
            *self.wrapped(f"Enter: continue, Space: {other}, e: another replacement", "dim"),
            *self.wrapped("a: share without redaction, Esc: back", "dim"),
        ]

    # Keys

    def _clicked(self, at: int, column: int) -> None:
        self.at = at
        if column < _MARK:
            self.action_let_stay()
        self.refresh_all()

    def action_go(self, by: int) -> None:
        self.at = min(max(self.at + by, 0), max(len(self.findings) - 1, 0))
        self.refresh_all()

    def action_let_stay(self) -> None:
        if self.redaction is not None and self.findings and not self.as_it_is:
            finding = self.findings[self.at]
            self.redaction = self.redaction.keep(finding.number, not finding.kept)
            self.refresh_all()

    def action_change_word(self) -> None:
        if self.redaction is None or not self.findings or self.as_it_is:
            return
        from planscope.errors import UserError

        redaction, finding = self.redaction, self.findings[self.at]

        def check(word: str) -> str | None:
            try:
                redaction.replace_by(finding.number, word.strip())
            except UserError as error:
                return str(error)
            return None

        def done(word: str | None) -> None:
            if word is not None:
                self.redaction = redaction.replace_by(finding.number, word.strip())
                self.refresh_all()

        before = (f"Replaces {shown(finding.text, 120)}",)
        hint = "one word: letters, digits, _ and -"
        dialog = ask_dialog(
            self.paint, "Another replacement", hint, check, value=finding.replacement, before=before
        )
        self.app.push_screen(dialog, done)

    def action_as_it_is(self) -> None:
        """Share without redaction after the user types ``no-redact``; the same key undoes it."""
        if self.as_it_is:
            self.as_it_is = False
            self.refresh_all()
            return

        def check(typed: str) -> str | None:
            return None if typed.strip() == AS_IT_IS else f"that is not {AS_IT_IS}"

        def done(typed: str | None) -> None:
            if typed is not None:
                self.as_it_is = True
                self.refresh_all()

        found = phrases.plural(len(self.findings), "private value") if self.findings else "Everything private"
        before = (f"{found} would be in the file for everybody to read.",)
        hint = f"type {AS_IT_IS} to share without redaction; Esc: back"
        self.app.push_screen(ask_dialog(self.paint, "Replace nothing?", hint, check, before=before), done)

    def action_take(self) -> None:
        if self.as_it_is:
            self.dismiss(Approved(None))
        elif self.redaction is not None:
            self.dismiss(Approved(self.redaction))
