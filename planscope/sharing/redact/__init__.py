"""Redaction: find what is private in a session, let the user review it, and replace it before anything is shared."""

from planscope.sharing.redact.hits import RedactionError
from planscope.sharing.redact.review import (
    Finding,
    Redacted,
    RedactedComparison,
    Redaction,
    look_through,
    redact,
    redact_data,
    redact_two,
    redacted,
    redacted_comparison,
)
from planscope.sharing.redact.scan import Surroundings, own
from planscope.sharing.redact.walk import Place

__all__ = [
    "Finding",
    "Place",
    "Redacted",
    "RedactedComparison",
    "Redaction",
    "RedactionError",
    "Surroundings",
    "look_through",
    "own",
    "redact",
    "redact_data",
    "redact_two",
    "redacted",
    "redacted_comparison",
]
