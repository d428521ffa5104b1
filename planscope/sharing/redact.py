"""Redaction: what is private in a session is found, shown, and replaced, before anything of it leaves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from planscope.sharing.findings import Finding, Place, Redaction, RedactionError
from planscope.sharing.plan import Decision, Plan
from planscope.sharing.spellings import canonical
from planscope.sharing.surroundings import Surroundings, own

if TYPE_CHECKING:
    from planscope.session.model import Session

__all__ = ["Finding", "Place", "Redacted", "Redaction", "RedactionError", "look_through", "redact"]


def look_through(session: Session, around: Surroundings | None = None) -> Redaction:
    """Everything private in a session: its findings, each with its places and the proposed replacement.

    ``around``: what counts as private of this machine (its environment, user, home, name), by default this process's.
    """
    around = own() if around is None else around
    with _shallow():
        plan = Plan(_document(session), around)
        plan.apply()
    return Redaction(plan.findings(), around)


class Redacted:
    """A redacted session, with what it takes to make sure of everything that is made of it."""

    def __init__(self, session: Session, plan: Plan) -> None:
        self.session = session
        self._plan = plan

    def check(self, text: str) -> None:
        """Raise RedactionError where a text that was made of the session holds a value that was to be replaced."""
        left = self._plan.left_in(text)
        if left is not None:
            raise RedactionError(f"a {left} could not be replaced everywhere, so nothing was written")


def redact(session: Session, redaction: Redaction) -> Session:
    """The session with the findings that are not kept replaced everywhere, and nothing else changed.

    Every run keeps its steps, order and verdict, every span its words, every action a name of its own.
    RedactionError where that cannot be.
    """
    return redacted(session, redaction).session


def redacted(session: Session, redaction: Redaction) -> Redacted:
    """As :func:`redact`, together with a check for what is made of the session."""
    from planscope.session.files import SessionError
    from planscope.session.store import from_document
    from planscope.sharing.unchanged import check_unchanged

    with _shallow():
        document = _document(session)
        plan = Plan(document, redaction.around, _decisions(redaction))
        made = plan.apply()
    if made == document:
        return Redacted(session, plan)
    try:
        after = from_document(made, "the redacted session")
    except SessionError as error:
        raise RedactionError(f"redaction would break the session: {error}") from None
    check_unchanged(session, after)
    return Redacted(after, plan)


@contextmanager
def _shallow() -> Iterator[None]:
    """For what is looked through level by level: JSON may be nested deeply, and inside strings of JSON again."""
    try:
        yield
    except RecursionError:
        raise RedactionError(
            "the session holds data that is nested too deeply to be looked through; with --no-redact it is shared as "
            "it is"
        ) from None


def _document(session: Session) -> Any:
    """A session's JSON as data; unlike in a file, numbers in it may be without end."""
    from planscope.session.json_bytes import without_surrogates

    try:
        return without_surrogates(session.model_dump(mode="json", exclude_none=True))
    except (ValueError, RecursionError):
        raise RedactionError("the arguments of a call are nested too deeply to be looked through") from None


def _decisions(redaction: Redaction) -> dict[str, Decision]:
    return {canonical(f.kind, f.text): Decision(f.kept, f.replacement) for f in redaction.findings}
