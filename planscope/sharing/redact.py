"""Redaction: what is private in a session is found, shown, and replaced, before anything of it leaves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planscope.sharing.findings import Finding, Place, Redaction, RedactionError

if TYPE_CHECKING:
    from planscope.session.model import Session

__all__ = ["Finding", "Place", "Redaction", "RedactionError", "look_through", "redact"]

_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def look_through(session: Session) -> Redaction:
    """Everything private in a session: its findings, each with its places and the proposed replacement."""
    found = dict.fromkeys(m[0] for v in session.variants for m in _MAIL.finditer(v.query.text))
    return Redaction(
        tuple(
            Finding(n, "email", "e-mail address", text, f"REDACTED_EMAIL_{n}")
            for n, text in enumerate(found, 1)
        )
    )


def redact(session: Session, redaction: Redaction) -> Session:
    """A new session with the findings that are not kept replaced everywhere, and nothing else changed.

    Every run keeps its steps, order and verdict, every span its words, every action a name of its own.
    RedactionError where that cannot be.
    """
    from planscope.session.store import dumps, loads

    text = dumps(session).decode()
    for finding in redaction.replaced:
        text = text.replace(finding.text, finding.replacement)
    return loads(text.encode(), "the redacted session")
