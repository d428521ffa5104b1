"""What redaction found: each private value once, with all its places and with what will stand there instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from planscope.sharing.redact.hits import RedactionError
from planscope.sharing.redact.scan import Surroundings


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands. ``field`` is a path such as ``query.text``, ``actions.0.name`` or ``arguments.key``.

    ``variant`` or ``run`` is an id; ``event`` counts the run's events from 0; all None: a field of the session
    itself. ``step`` is the call that the event belongs to, if any. A field that ends in ``(key)`` is the key
    of a mapping.
    """

    field: str
    variant: str | None = None
    run: str | None = None
    event: int | None = None
    step: int | None = None

    def __str__(self) -> str:
        """``run r1, step 2, arguments.key``."""
        where = []
        if self.variant is not None:
            where.append(f"variant {self.variant}")
        if self.run is not None:
            where.append(f"run {self.run}")
        if self.step is not None:
            where.append(f"step {self.step}")
        elif self.event is not None:
            where.append(f"event {self.event + 1}")
        return ", ".join([*where, self.field])


@dataclass(frozen=True, slots=True)
class Finding:
    """One private value. ``text`` is the value as it was found first; ``replacement`` stands for it everywhere.

    ``kind`` is an id such as ``openai-key``, ``label`` its name for people. ``kept``: the user lets it stay.
    ``number`` is the finding's own, from 1, by which the user's decisions name it.
    """

    number: int
    kind: str
    label: str
    text: str
    replacement: str
    places: tuple[Place, ...] = ()
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Redaction:
    """What was found in one session, and the user's decisions. Immutable: every decision makes a new one.

    ``around`` is what counted as private of this machine; ``plan`` what was learned of the session on the way.
    """

    findings: tuple[Finding, ...] = ()
    around: Surroundings = field(default_factory=Surroundings)
    plan: object = field(default=None, repr=False, compare=False)

    def keep(self, number: int, kept: bool = True) -> Redaction:
        """Let a finding stay as it is (or, with False, be replaced after all)."""
        return self._with(number, lambda f: replace(f, kept=kept))

    def replace_by(self, number: int, replacement: str) -> Redaction:
        """Another replacement. RedactionError where it could not stand in every place, or stands for another value."""
        check_replacement(replacement, {f.replacement for f in self.findings if f.number != number})
        return self._with(number, lambda f: replace(f, replacement=replacement, kept=False))

    @property
    def replaced(self) -> tuple[Finding, ...]:
        """The findings that are not kept."""
        return tuple(f for f in self.findings if not f.kept)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many values of each kind (by its label) will be replaced, in the order in which they were found."""
        found: dict[str, int] = {}
        for finding in self.replaced:
            found[finding.label] = found.get(finding.label, 0) + 1
        return found

    def _with(self, number: int, change: Callable[[Finding], Finding]) -> Redaction:
        if not any(f.number == number for f in self.findings):
            known = (
                f"they count from 1 to {len(self.findings)}" if self.findings else "nothing private was found"
            )
            raise RedactionError(f"there is no finding {number}; {known}")
        return replace(self, findings=tuple(change(f) if f.number == number else f for f in self.findings))


def check_replacement(text: str, others: set[str]) -> None:
    """Raise RedactionError for a replacement that is no plain word, or that stands for another value already.

    Letters, digits, ``_`` and ``-`` stand in a path, a tool's name, an address and a quoted text alike.
    """
    if (
        not 0 < len(text) <= 40
        or not text.isascii()
        or not text.replace("_", "a").replace("-", "a").isalnum()
    ):
        raise RedactionError("a replacement is one word of at most 40 letters, digits, _ and -")
    if text.casefold() in {other.casefold() for other in others}:
        raise RedactionError(f"{text} stands for another value already; choose another word")
