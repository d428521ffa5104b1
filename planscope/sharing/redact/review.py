"""Reviews what is private in a session, and redacts it.

A redacted session is checked to say the same as before: the same problems, steps and verdicts, apart from names.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field, fields, is_dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.errors import ParseFailure
from planscope.language.problem import Problem
from planscope.session.files import SessionError
from planscope.session.json_bytes import without_collection, without_surrogates
from planscope.sharing.redact.hits import RedactionError
from planscope.sharing.redact.replace import Decision, Plan
from planscope.sharing.redact.scan import Surroundings, own
from planscope.sharing.redact.spellings import canonical
from planscope.sharing.redact.walk import Place

if TYPE_CHECKING:
    from planscope.compare.result import Comparison
    from planscope.session.model import Run, Session, Variant

T = TypeVar("T")


@frozen
class Finding:
    """One private value. ``text`` is its first spelling; ``replacement`` replaces it everywhere.

    ``kind`` is an id such as ``openai-key``, ``label`` its name for people. ``kept``: the user keeps it as it is.
    ``number`` counts from 1; the user's decisions refer to it.
    """

    number: int
    kind: str
    label: str
    text: str
    replacement: str
    places: tuple[Place, ...] = ()
    kept: bool = False


@frozen
class Redaction:
    """The findings in one session with the user's decisions. Immutable: every decision makes a new one.

    ``around`` is what is private because of this machine. ``plan`` saves scanning the session again.
    """

    findings: tuple[Finding, ...] = ()
    around: Surroundings = field(default_factory=Surroundings)
    plan: object = field(default=None, repr=False, compare=False)

    def keep(self, number: int, kept: bool = True) -> Redaction:
        """Do not replace a finding (with False: replace it after all)."""
        return self._with(number, lambda f: replace(f, kept=kept))

    def replace_by(self, number: int, replacement: str) -> Redaction:
        """Choose another replacement. RedactionError if it is no plain word or replaces another value already."""
        check_replacement(replacement, {f.replacement for f in self.findings if f.number != number})
        return self._with(number, lambda f: replace(f, replacement=replacement, kept=False))

    @property
    def replaced(self) -> tuple[Finding, ...]:
        """The findings that are not kept."""
        return tuple(f for f in self.findings if not f.kept)

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how many values will be replaced, by label, in the order in which they were found."""
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
    """Raise RedactionError if a replacement is not a plain word, or already replaces another value.

    Letters, digits, ``_`` and ``-`` are allowed in paths, names of tools, addresses and quoted texts alike.
    """
    if (
        not 0 < len(text) <= 40
        or not text.isascii()
        or not text.replace("_", "a").replace("-", "a").isalnum()
    ):
        raise RedactionError("a replacement is one word of at most 40 letters, digits, _ and -")
    if text.casefold() in {other.casefold() for other in others}:
        raise RedactionError(f"{text} replaces another value already; choose another word")


def look_through(session: Session, around: Surroundings | None = None) -> Redaction:
    """Find everything private in a session, with places and proposed replacements.

    ``around``: what is private because of this machine (environment, user, home, host name), by default this process's.
    Raises RedactionError if there is too much to scan.
    """
    around = own() if around is None else around
    with _shallow():
        plan = _plan(session, around)
        plan.decide({})
        plan.apply()
    placed = (
        value for value in plan.values.values() if value.places
    )  # other values occur only inside longer ones
    findings = (
        Finding(n, v.kind, v.label, v.text, v.replacement, tuple(v.places), v.kept)
        for n, v in enumerate(placed, 1)
    )
    return Redaction(tuple(findings), around, plan)


class Redacted:
    """A redacted session, with a check for every text that is made from it."""

    def __init__(self, session: Session, plan: Plan) -> None:
        self.session = session
        self._plan = plan

    def check(self, text: str) -> None:
        """Raise RedactionError if a text made from the session contains a value that was to be replaced."""
        left = self._plan.left_in(text)
        if left is not None:
            raise RedactionError(f"a {left} could not be replaced everywhere, so nothing was written")


def redact(session: Session, redaction: Redaction) -> Session:
    """Return the session with every finding replaced that is not kept, and nothing else changed.

    Every run keeps its steps, order and verdict, every span its words, every action a name of its own. Raises
    RedactionError if that is impossible.
    """
    return redacted(session, redaction).session


def redacted(session: Session, redaction: Redaction) -> Redacted:
    """Like :func:`redact`, with a check for the texts that are made from the session."""
    from planscope.session.validation import from_document

    with _shallow():
        known = redaction.plan
        plan = _plan(session, redaction.around, known if isinstance(known, Plan) else None)
        plan.decide({canonical(f.kind, f.text): Decision(f.kept, f.replacement) for f in redaction.findings})
        made = plan.apply()
    if made == plan.document:
        return Redacted(session, plan)
    try:
        after = from_document(made, "the redacted session")
    except SessionError as error:
        raise RedactionError(f"redaction would break the session: {error}") from None
    check_unchanged(session, after)
    return Redacted(after, plan)


def redact_data(value: T, around: Surroundings | None = None) -> T:
    """Return a copy of data (JSON, tuples, dataclasses, pydantic's models) with everything private replaced, the same
    value by the same word everywhere. Objects of other classes stay as they are.

    Raises RedactionError if there is too much to scan.
    """
    with _shallow():
        plan = Plan({"data": _as_json(value)}, own() if around is None else around)
        plan.decide({})
        made: T = _like(value, plan.apply()["data"])
        return made


def _as_json(value: Any) -> Any:
    """Return data as JSON, of the same length in every place; keys that are no text are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _as_json(getattr(value, f.name)) for f in fields(value)}
    if hasattr(value, "model_copy"):
        return {name: _as_json(one) for name, one in value}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _as_json(one) for key, one in value.items()}
    if isinstance(value, Mapping):
        return [_as_json(one) for one in value.values()]
    if isinstance(value, list | tuple):
        return [_as_json(one) for one in value]
    return value if isinstance(value, str | int | float | bool) else None


def _like(value: Any, made: Any) -> Any:
    """Return what was made of :func:`_as_json`, in the classes of ``value``."""
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{name: _like(getattr(value, name), one) for name, one in made.items()})
    if hasattr(value, "model_copy"):
        return value.model_copy(update={name: _like(getattr(value, name), one) for name, one in made.items()})
    if isinstance(value, Mapping):
        keys, values = (made, made.values()) if isinstance(made, Mapping) else (value, made)
        return {
            key: _like(*pair)
            for key, pair in zip(keys, zip(value.values(), values, strict=True), strict=True)
        }
    if isinstance(value, list | tuple):
        parts = map(_like, value, made)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value if made is None else made


@contextmanager
def _shallow() -> Iterator[None]:
    """Turn a RecursionError into a RedactionError: JSON may be nested deeply, also inside strings of JSON."""

    try:
        with without_collection():
            yield
    except RecursionError:
        raise RedactionError(
            "the session contains data that is nested too deeply to be searched; --no-redact shares it unchanged"
        ) from None


def _plan(session: Session, around: Surroundings, known: Plan | None = None) -> Plan:
    """Return the plan of a session; scan it unless it is known and unchanged."""
    text = None
    # raised for halves of surrogate pairs, and for data nested too deeply for pydantic
    with suppress(ValueError):
        text = session.model_dump_json(exclude_none=True)
    if known is not None and text is not None and known.text == text:
        return known
    return Plan(_document(session, text), around, text)


def _document(session: Session, text: str | None) -> Any:
    """Return a session's JSON as data. Unlike a file, it may contain infinite numbers."""

    if text is not None:
        with suppress(ValueError):  # raised for numbers of too many digits
            return json.loads(text)
    try:
        return without_surrogates(session.model_dump(mode="json", exclude_none=True))
    except (ValueError, RecursionError):
        raise RedactionError("the arguments of a call are nested too deeply to be searched") from None


def check_unchanged(before: Session, after: Session) -> None:
    """Raise RedactionError if a query reads differently than before, or a run is judged differently."""
    if len(before.variants) != len(after.variants) or len(before.runs) != len(after.runs):
        raise RedactionError("redaction would lose a part of the session; keep what was found in ids")
    problems: dict[str, tuple[Problem, Problem] | None] = {}
    for old, new in zip(before.variants, after.variants, strict=True):
        problems[old.id] = _same_problem((before, old), (after, new))
    for run, same in zip(before.runs, after.runs, strict=True):
        pair = problems[run.variant]
        if pair is not None and _judgement(pair[0], run) != _judgement(pair[1], same):
            raise RedactionError(
                f"run {run.id[:40]} would be judged differently after redaction; keep what was found in its calls "
                "or choose another replacement"
            )


_Placed = tuple["Session", "Variant"]


def _same_problem(old: _Placed, new: _Placed) -> tuple[Problem, Problem] | None:
    """Return both problems, or None if neither query can be read."""
    was, now = _read(*old), _read(*new)
    if was is None and now is None:
        return None
    if was is None or now is None or _shape(was) != _shape(now):
        raise RedactionError(
            f"the query of variant {old[1].id[:40]} would read differently after redaction; keep what was found in it "
            "or choose another replacement"
        )
    return was, now


def _read(session: Session, variant: Variant) -> Problem | None:
    from planscope.rules.in_session import problem_in

    try:
        return problem_in(session, variant)
    except (ParseFailure, UserError):
        return None


def _shape(problem: Problem) -> tuple[Any, ...]:
    """Return a problem without its names and spans, which redaction changes."""
    actions = [(a.id, a.duration) for a in problem.actions]
    about = attrgetter(
        "id", "kind", "before", "after", "action", "hour", "sentence", "node", "source", "about"
    )
    said = [(*about(c), c.text if c.kind != "of_calls" else "", len(c.spans)) for c in problem.constraints]
    return (problem.timed, actions, said)


def _judgement(problem: Problem, run: Run) -> tuple[Any, ...]:
    from planscope.oracle.replay import replay
    from planscope.session.traces import trace_of

    judged = replay(problem, trace_of(run))
    steps = [
        (s.step, s.attempt, s.action, s.start, s.end, s.state, s.changed, s.core, len(s.findings))
        for s in judged.steps
    ]
    verdict = judged.verdict()
    findings = [(f.type, f.step, f.constraints, f.severity, f.actions) for f in verdict.findings]
    return (steps, verdict.verdict, verdict.error_type, findings, verdict.first_violation)


_SECOND = "-b"
"""Appended to the replacement of a value that only the second session contains."""


def redact_two(a: Session, b: Session) -> tuple[Redacted, Redacted, tuple[Redaction, ...]]:
    """Redact two sessions that are compared. Raises RedactionError if that is impossible."""
    first = look_through(a)
    safe = redacted(a, first)
    if b is a:
        return safe, safe, (first,)
    second = agreeing(first, look_through(b))
    return safe, redacted(b, second), (first, second)


def agreeing(first: Redaction, second: Redaction) -> Redaction:
    """Return the second redaction, with the replacements of the first for the values that both have."""
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


class RedactedComparison(NamedTuple):
    """A comparison of redacted sessions. ``check`` raises RedactionError if a text made from it is still private."""

    comparison: Comparison
    check: Callable[[str], None]
    redactions: tuple[Redaction, ...]

    def replaced_in(self, text: str) -> int:
        """Count the private values that are replaced in a text that was made from it."""
        return sum(word in text for word in {f.replacement for one in self.redactions for f in one.replaced})


def redacted_comparison(
    session: Session, a: Run | Variant, other: Session, b: Run | Variant
) -> RedactedComparison:
    """Compare after redaction: ``a`` of ``session`` with ``b`` of ``other`` (or the same). Raises RedactionError."""
    from planscope.compare import compare

    safe, safe_other, redactions = redact_two(session, other)
    first, second = _same(a, session, safe.session), _same(b, other, safe_other.session)

    def check(text: str) -> None:
        safe.check(text)
        safe_other.check(text)

    return RedactedComparison(compare(safe.session, first, safe_other.session, second), check, redactions)


def _same(chosen: Run | Variant, before: Session, after: Session) -> Run | Variant:
    """Return the same run or variant in the redacted session, where its id may differ. Raises UserError if the session
    does not have it any more."""
    from planscope.session.model import Run

    pairs: Iterator[tuple[Run | Variant, Run | Variant]] = (
        zip(before.runs, after.runs, strict=True)
        if isinstance(chosen, Run)
        else zip(before.variants, after.variants, strict=True)
    )
    for one, other in pairs:
        if one.id == chosen.id:
            return other
    raise UserError(f"{chosen.id} is not in the session any more")
