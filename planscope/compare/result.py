"""The result of comparing two runs or variants (sides ``a`` and ``b``), as plain data for two columns.

Spans are half-open ranges of code points of that side's text; steps are indexes into that side's ``steps``; unknown
values are None and named in ``unknown``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from planscope.frozen import frozen
from planscope.language.errors import ParseError
from planscope.language.outline import OutlineNode
from planscope.language.problem import Action, Constraint, Problem, Span
from planscope.oracle.trace import Ending, ToolCall
from planscope.oracle.verdict_types import Core, Finding, State, StepNo, Verdict
from planscope.session.record import NO_HELP, Help

SideName = Literal["a", "b"]
Matched = Literal["ids", "names"]
"""How actions were matched: by ids (the variants have a common ancestor), or by names."""

Change = Literal["same", "changed", "added", "gone"]
"""The change from ``a`` to ``b``. ``added`` has no ``a``, ``gone`` has no ``b``."""

Differing = Literal["name", "tool", "duration"]

CallChange = Literal["same", "changed", "moved", "added", "gone"]
"""``changed``: the same action with other arguments. ``moved``: called in both runs, at different places."""


@frozen
class StepSide:
    """One step of one run. ``index`` counts from 0, the state before the first call.

    ``action`` is the id of the action whose tool was called, None for any other tool. ``state``, ``start`` and
    ``end`` are None if the run is not judged. ``refused_by``: the guard or the user, if one of them blocked the call.
    ``core``: the conflict, from the step on at which the plan was lost; ``why`` explains it, in hostile text.
    """

    index: int
    step: StepNo
    attempt: int
    call: ToolCall | None = None
    action: str | None = None
    answer: str | None = None
    answered: Literal["ok", "error"] | None = None
    refused_by: str | None = None
    state: State | None = None
    start: int | None = None
    end: int | None = None
    findings: tuple[Finding, ...] = ()
    core: Core | None = None
    why: str = ""


@frozen
class Side:
    """One side. ``run``, ``ending`` and ``verdict`` are None, and ``steps`` is empty, if no run is compared.

    ``problem`` is None and ``outline`` is empty if the text cannot be parsed; ``errors`` then gives the reasons.
    ``contradiction``: ids of a minimal unsat core if the query has no correct plan; None: not known.
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


@frozen
class TextPart:
    """A span of each text. Together the parts cover both texts in order; ``added`` is empty in ``a``."""

    change: Change
    a: Span
    b: Span


@frozen
class TextDiff:
    """The differences of the texts, word by word. ``minimal``: the diff is the shortest (skipped in huge texts)."""

    parts: tuple[TextPart, ...]
    minimal: bool = True

    @property
    def same(self) -> bool:
        return all(part.change == "same" for part in self.parts)


@frozen
class ActionRow:
    """An action of both sides. ``differs`` names its changed fields; durations count only in timed queries."""

    change: Change
    a: Action | None
    b: Action | None
    differs: tuple[Differing, ...] = ()


@frozen
class ConstraintRow:
    """A constraint with the same meaning on both sides, or on one side only. ``words_a``, ``words_b``: plain words.

    ``follows``: the other side's constraints imply this added or dropped one. False is proved; None: not known.
    """

    change: Literal["same", "added", "gone"]
    a: Constraint | None
    b: Constraint | None
    words_a: str | None
    words_b: str | None
    follows: bool | None = None


class _Rows:
    """A difference as a list of rows."""

    __slots__ = ()
    rows: tuple[ActionRow | ConstraintRow | TreeRow | CallRow, ...]

    @property
    def same(self) -> bool:
        return all(row.change == "same" for row in self.rows)


@frozen
class ConstraintDiff(_Rows):
    """``equivalent``: both sides have the same correct plans, up to renaming. None: not known, or a contradiction."""

    rows: tuple[ConstraintRow, ...]
    equivalent: bool | None


@frozen
class TreeRow:
    """A line of the outline. ``a`` and ``b`` index the sides' outlines. Child nodes have rows of their own."""

    change: Change
    a: int | None
    b: int | None


@frozen
class TreeDiff(_Rows):
    """The rows in the order of the text, parents first. ``minimal`` as in ``TextDiff``, by lines of the outline."""

    rows: tuple[TreeRow, ...]
    minimal: bool = True


@frozen
class ArgumentChange:
    """An argument that differs. Ignore ``a`` if it was added, and ``b`` if it is gone."""

    name: str
    change: Literal["changed", "added", "gone"]
    a: Any
    b: Any


@frozen
class CallRow:
    """Two aligned calls, or a call of one side only. ``a`` and ``b`` index the sides' ``steps``.

    A ``moved`` call has two rows, one for each side; ``partner`` is the other side's step with the same call.
    ``arguments``: the differing arguments of a ``changed`` or ``moved`` call.
    """

    change: CallChange
    a: int | None
    b: int | None
    partner: int | None = None
    arguments: tuple[ArgumentChange, ...] = ()


@frozen
class CallDiff(_Rows):
    """The aligned calls. ``attempts``: pairs of aligned attempts, counted from 1; None: one side has no such attempt.

    ``cost``: a same call costs 0, a changed one 1, a call of one run only 2, a moved call 4 (2 on each side).
    ``minimal``: no alignment is cheaper (not computed for huge runs).
    """

    rows: tuple[CallRow, ...]
    attempts: tuple[tuple[int | None, int | None], ...]
    cost: int
    minimal: bool = True


Reason = Literal["call", "arguments", "answer", "state", "ending"]


@frozen
class Divergence:
    """The first step at which the runs differ. ``a`` and ``b`` index ``steps``.

    The indexes are equal unless one run has already ended; its index is then its end.
    """

    a: int
    b: int
    reasons: tuple[Reason, ...]


@frozen
class Kept:
    """Both runs share their first ``steps`` calls because of a fork; ``run`` is the run that made these calls."""

    run: str
    steps: int


Value = str | int | float | None


@frozen
class Field:
    """A property of both sides. A value is None if it is missing or unknown."""

    name: str
    a: Value
    b: Value

    @property
    def same(self) -> bool:
        return self.a == self.b


@frozen
class Unknown:
    """An unknown fact about one side, or about both (None), and the reason in one line."""

    side: SideName | None
    what: Literal["request", "verdict", "states", "calls", "equivalence"]
    why: str


@frozen
class Comparison:
    """The comparison. ``tree`` and ``constraints`` are None if a text cannot be parsed, ``calls`` without two runs.

    ``divergence`` is None if the runs do not differ, or if a run is missing. ``matched``: actions were matched by
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
