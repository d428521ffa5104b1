"""Says in sentences what the last dissection of a query found: the cause, and the words to blame."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.dissection.blame import NOT_NAMED, in_words
from planscope.dissection.culprit import Culprit
from planscope.dissection.summary import Summary, summary
from planscope.frozen import frozen
from planscope.language.problem import Span
from planscope.session.model import Dissection, Session
from planscope.wording import terms
from planscope.wording.phrases import percent


@frozen
class Found:
    """What a dissection found. ``sentences``: the cause with its confidence, why, and the words to blame."""

    dissection: str
    sentences: tuple[str, ...]
    culprit: Culprit | None

    @property
    def spans(self) -> tuple[Span, ...]:
        """The words of the query that are to blame."""
        return tuple(span for _, span, _ in self.culprit.places) if self.culprit is not None else ()

    @property
    def cured(self) -> str:
        """The query that the agent gets right, in which only these words differ; "" if none is known."""
        return self.culprit.cured if self.culprit is not None else ""


def last_of(session: Session, variant: str) -> Dissection | None:
    """Return the last dissection of a query that has runs."""
    return next(
        (
            one
            for one in reversed(session.dissections)
            if one.variant == variant and any(cell.runs for cell in one.cells)
        ),
        None,
    )


def found_in(session: Session, variant: str) -> Found | None:
    """Return what the last dissection of a query found, judged anew, or None if there is none."""
    record = last_of(session, variant)
    if record is None:
        return None
    found = summary(session, record)
    return Found(record.id, tuple(sentences_of(found)), found.culprit)


NO_FAILURE = "No failure to explain"


def headline(found: Summary) -> str:
    """Return the cause or the causes, or that none is in the query, with confidences."""
    decision = found.decision
    sure = "" if decision.confidence is None else f", confidence {percent(decision.confidence)}"
    if decision.several:
        named = " and ".join(f"{cause} ({percent(share)})" for cause, share in decision.causes)
        return f"{terms.sentence(terms.MORE_CAUSES)[:-1]}: {named}"
    if decision.cause is not None:
        return f"Cause: {decision.cause}{sure}"
    if decision.blameless:
        return f"{terms.sentence(terms.NO_CAUSE)[:-1]}{sure}" if sure else NO_FAILURE
    return "Undecided"


def sentences_of(found: Summary) -> Iterator[str]:
    """Return the cause with its confidence, why, and the words to blame."""
    yield f"{headline(found)}."
    yield terms.sentence(found.decision.reason)
    yield from blamed(found)


def blamed(found: Summary) -> list[str]:
    """Say what is to blame, or else what the right queries have in common; nothing if it was not looked for."""
    if found.culprit is not None:
        return [in_words(found.culprit)]
    looked = any(row.kind == "Culprit" for row in found.rows)
    return list(filter(None, (NOT_NAMED, found.shared))) if looked else []
