"""The result of comparing two runs or variants, as plain data; the two sides are ``a`` and ``b``.

Everything is there to show two columns beside each other. Spans are half-open ranges of code points of that
side's text; steps are indexes into that side's ``steps``; unknown values are None and named in ``unknown``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from planscope.language.errors import ParseError
from planscope.language.outline import OutlineNode
from planscope.language.problem import Action, Constraint, Problem, Span
from planscope.oracle.trace import Call, Ending
from planscope.oracle.verdict_types import Finding, State, StepNo, Verdict
from planscope.session.record import NO_HELP, Help

SideName = Literal["a", "b"]
Matched = Literal["ids", "names"]
"""How actions were matched: by ids (the variants have a common ancestor), or by names."""

Change = Literal["same", "changed", "added", "gone"]
"""The change from ``a`` to ``b``. ``added`` has no ``a``, ``gone`` has no ``b``."""

Differing = Literal["name", "tool", "duration"]

CallChange = Literal["same", "changed", "moved", "added", "gone"]
"""``changed``: the same action with other arguments. ``moved``: done in both, at another place."""


@dataclass(frozen=True, slots=True)
class StepSide:
    """One step of one run; ``index`` counts from 0, which is before any call, to the end.

    ``action`` is the id of the action whose tool was called, None for any other tool. ``state``, ``start`` and
    ``end`` are None where the run is not judged. ``refused_by``: a guard or the user kept it from its tool.
    """

    index: int
    step: StepNo
    attempt: int
    call: Call | None = None
    action: str | None = None
    answer: str | None = None
    answered: Literal["ok", "error"] | None = None
    refused_by: str | None = None
    state: State | None = None
    start: int | None = None
    end: int | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two. ``run``, ``ending`` and ``verdict`` are None, and ``steps`` empty, where no run is compared.

    ``problem`` is None and ``outline`` empty where the text cannot be read; ``errors`` then say why.
    ``contradiction``: ids of the minimal core if the query itself cannot be met; None: not known.
    ``explanation``: the verdict in plain words.
    """

    session: str
    title: str
    variant: str
    run: str | None
    text: str
    timed: bool
    actions: tuple[Action, ...]
    problem: Problem | None
    errors: tuple[ParseError, ...]
    outline: tuple[OutlineNode, ...]
    contradiction: tuple[str, ...] | None
    steps: tuple[StepSide, ...]
    ending: Ending | None
    verdict: Verdict | None
    help: Help = NO_HELP
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A span of each text. Together the parts cover both texts in order; ``added`` is empty in ``a``."""

    change: Change
    a: Span
    b: Span


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The texts by words. ``minimal``: no fewer words could have been changed (not looked for in huge texts)."""

    parts: tuple[TextPart, ...]
    minimal: bool = True

    @property
    def same(self) -> bool:
        return all(part.change == "same" for part in self.parts)


@dataclass(frozen=True, slots=True)
class ActionRow:
    """An action in both. ``differs`` names what changed; durations count in timed queries only."""

    change: Change
    a: Action | None
    b: Action | None
    differs: tuple[Differing, ...] = ()


@dataclass(frozen=True, slots=True)
class ConstraintRow:
    """A constraint in both, the same by its meaning, or in one of them; ``words_a`` and ``words_b`` in plain words.

    ``follows``: what is added or gone follows from what the other one says anyway. False is sure; None: not known.
    """

    change: Literal["same", "added", "gone"]
    a: Constraint | None
    b: Constraint | None
    words_a: str | None
    words_b: str | None
    follows: bool | None = None


class _Rows:
    """A difference in rows."""

    __slots__ = ()
    rows: tuple[ActionRow | ConstraintRow | TreeRow | CallRow, ...]

    @property
    def same(self) -> bool:
        return all(row.change == "same" for row in self.rows)


@dataclass(frozen=True, slots=True)
class ConstraintDiff(_Rows):
    """``equivalent``: the same plans are right under both, actions renamed. None: not known, or a contradiction."""

    rows: tuple[ConstraintRow, ...]
    equivalent: bool | None


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A line of the outline: ``a`` and ``b`` are indexes into the sides' outlines. What is below has its own rows."""

    change: Change
    a: int | None
    b: int | None


@dataclass(frozen=True, slots=True)
class TreeDiff(_Rows):
    """The rows in the order of the text, parents first. ``minimal`` as in ``TextDiff``, by lines of the outline."""

    rows: tuple[TreeRow, ...]
    minimal: bool = True


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """An argument that differs. Ignore ``a`` of an added argument, and ``b`` of one that is gone."""

    name: str
    change: Literal["changed", "added", "gone"]
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class CallRow:
    """Two calls beside each other, or one alone. ``a`` and ``b`` are indexes into the sides' ``steps``.

    A ``moved`` call stands in two rows, each with one side, and ``partner`` is the step of the other side where
    it is done instead. ``arguments``: what is different in them (``changed``, and ``moved`` ones perhaps).
    """

    change: CallChange
    a: int | None
    b: int | None
    partner: int | None = None
    arguments: tuple[ArgumentChange, ...] = ()


@dataclass(frozen=True, slots=True)
class CallDiff(_Rows):
    """The calls aligned. ``attempts``: which attempt (from 1) of each is beside which; None: it has none there.

    ``cost``: 0 a same call, 1 a changed one, 2 one that is in one run only; what moved counts as two of those.
    ``minimal``: there is no cheaper way (not looked for in huge runs).
    """

    rows: tuple[CallRow, ...]
    attempts: tuple[tuple[int | None, int | None], ...]
    cost: int
    minimal: bool = True


Reason = Literal["call", "arguments", "answer", "state", "ending"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first step at which the runs differ, both run from their beginnings: ``a`` and ``b`` index ``steps``.

    The indexes are equal unless one run has already ended; its index is then its end.
    """

    a: int
    b: int
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """Both runs begin with the same ``steps`` calls, because they were forked: ``run`` is where those were made."""

    run: str
    steps: int


Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Field:
    """A property of both sides; a value is None if there is none or it is not known."""

    name: str
    a: Value
    b: Value

    @property
    def same(self) -> bool:
        return self.a == self.b


@dataclass(frozen=True, slots=True)
class Unknown:
    """A fact that is not known, about one side or (None) both together, and the reason in one line."""

    side: SideName | None
    what: Literal["request", "verdict", "states", "calls", "equivalence"]
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """All of it. ``tree`` and ``constraints`` are None where a text cannot be read, ``calls`` where a run is missing.

    ``divergence`` is None where the runs do not differ, or there are none. ``matched``: actions were matched by
    their ids (the variants descend from each other) or by their names.
    """

    a: Side
    b: Side
    fields: tuple[Field, ...]
    matched: Matched
    text: TextDiff
    actions: tuple[ActionRow, ...]
    tree: TreeDiff | None
    constraints: ConstraintDiff | None
    calls: CallDiff | None
    kept: Kept | None
    divergence: Divergence | None
    unknown: tuple[Unknown, ...]

    @property
    def differing(self) -> Iterator[Field]:
        """The fields whose values differ."""
        return (field for field in self.fields if not field.same)
