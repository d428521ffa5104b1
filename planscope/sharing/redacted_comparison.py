"""Two runs or requests compared without what is private in their sessions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from planscope.compare import compare
from planscope.compare.result import Comparison
from planscope.session.model import Run
from planscope.sharing.findings import Redaction
from planscope.sharing.redact_two import redact_two

if TYPE_CHECKING:
    from planscope.session.model import Session, Variant


class RedactedComparison(NamedTuple):
    """``check`` is handed what is made of it, and raises RedactionError where something private is left in that."""

    comparison: Comparison
    check: Callable[[str], None]
    redactions: tuple[Redaction, ...]

    def replaced_in(self, text: str) -> int:
        """How many private values a text that was made of it has words for."""
        return sum(word in text for word in {f.replacement for one in self.redactions for f in one.replaced})


def redacted_comparison(
    session: Session, a: Run | Variant, other: Session, b: Run | Variant
) -> RedactedComparison:
    """``a`` is of ``session`` and ``b`` of ``other``, which may be the same. Raises RedactionError."""
    safe, safe_other, redactions = redact_two(session, other)
    first, second = _same(a, session, safe.session), _same(b, other, safe_other.session)

    def check(text: str) -> None:
        safe.check(text)
        safe_other.check(text)

    return RedactedComparison(compare(safe.session, first, safe_other.session, second), check, redactions)


def _same(chosen: Run | Variant, before: Session, after: Session) -> Run | Variant:
    """The same run or variant of a redacted session, where its id may be another one."""
    if isinstance(chosen, Run):
        return after.runs[next(k for k, run in enumerate(before.runs) if run is chosen)]
    return after.variants[next(k for k, variant in enumerate(before.variants) if variant is chosen)]
