"""Two sessions redacted alike: the same private value is the same word in both, another value another word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planscope.sharing.findings import Finding, Redaction
from planscope.sharing.redact import Redacted, look_through, redacted
from planscope.sharing.spellings import canonical

if TYPE_CHECKING:
    from planscope.session.model import Session

_SECOND = "-b"
"""Behind the word for a value that only the second session has."""


def redact_two(a: Session, b: Session) -> tuple[Redacted, Redacted, tuple[Redaction, ...]]:
    """Both without what is private, and what was replaced. Raises RedactionError where that cannot be."""
    first = look_through(a)
    safe = redacted(a, first)
    if b is a:
        return safe, safe, (first,)
    second = agreeing(first, look_through(b))
    return safe, redacted(b, second), (first, second)


def agreeing(first: Redaction, second: Redaction) -> Redaction:
    """The second with the first one's words for the first one's values."""
    known = {_key(f): f.replacement for f in first.findings}
    for finding in second.findings:
        second = second.replace_by(finding.number, finding.replacement + _SECOND)
    for finding in second.findings:
        word = known.get(_key(finding))
        if word is not None:
            second = second.replace_by(finding.number, word)
    return second


def _key(finding: Finding) -> str:
    return canonical(finding.kind, finding.text)
