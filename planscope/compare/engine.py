"""Compares two runs or variants: reads each query, judges each run, finds their first difference.

What cannot be read or judged is left out, and ``Comparison.unknown`` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planscope.compare.calls import Keys, align, keys
from planscope.compare.matching import Matching, compare_constraints, match_actions
from planscope.compare.result import (
    Comparison,
    ConstraintDiff,
    Divergence,
    Field,
    Kept,
    Reason,
    Side,
    SideName,
    StepSide,
    Unknown,
    Value,
)
from planscope.compare.texts import compare_texts
from planscope.compare.trees import compare_trees
from planscope.errors import UserError
from planscope.language.errors import ParseError, ParseFailure, in_a_line
from planscope.language.scan import Phrases, cut, phrase_key
from planscope.oracle.trace import RESTART_TOOL, ToolCall, Trace
from planscope.session.model import AnswerEvent, Run, Session, Variant, variant_of
from planscope.session.oracle_input import actions_of
from planscope.session.record import NO_HELP, cost_of, help_of
from planscope.session.traces import trace_of
from planscope.wording.explain import explain_core, explain_verdict

if TYPE_CHECKING:
    from planscope.language.reading import Reading
    from planscope.oracle.replay import Replay
    from planscope.oracle.verdict_types import Core


_SURE = ("completable", "doomed", "broken")


def kept(
    session_a: Session, a: Run, session_b: Session, b: Run, of_a: tuple[Side, Keys], of_b: tuple[Side, Keys]
) -> Kept | None:
    """Return the calls that both runs share because of forks from one run (perhaps one of the two), or None."""
    if session_a.id != session_b.id or a.id == b.id:
        return None
    line_a, line_b = dict(_line(session_a, a)), dict(_line(session_b, b))
    shared = [(min(steps, line_b[run]), run) for run, steps in line_a.items() if run in line_b]
    if not shared:
        return None
    steps, run = max(shared, key=lambda one: one[0])
    (side_a, keys_a), (side_b, keys_b) = of_a, of_b
    same = 0
    for (at, one), other in zip(list(keys_a.items())[:steps], keys_b.values(), strict=False):
        if one != other or side_a.steps[at].attempt != side_b.steps[at].attempt:
            break
        same = at
    return Kept(run, same) if same else None


def _line(session: Session, run: Run) -> Iterator[tuple[str, int]]:
    """Yield the run with all its steps, then the runs that it was forked from, each with the number of steps kept."""
    known = {r.id: r for r in session.runs}
    seen: set[str] = set()
    steps = len(run.events)
    here: Run | None = run
    while here is not None and here.id not in seen:
        seen.add(here.id)
        yield here.id, steps
        fork = here.forked_from
        steps = min(steps, fork.step) if fork is not None else 0
        here = known.get(fork.run) if fork is not None else None


def divergence(a: Side, b: Side, keys_a: Keys, keys_b: Keys, matching: Matching) -> Divergence | None:
    """Return the first step at which call, answer or state differ, or None if there is none."""
    said_a, said_b = _renaming(matching, "a"), _renaming(matching, "b")
    for index in range(max(len(a.steps), len(b.steps)) if a.steps and b.steps else 0):
        one, other = (steps[index] if index < len(steps) else None for steps in (a.steps, b.steps))
        if one is None or other is None:  # a run that has not ended has no end step
            return Divergence(min(index, len(a.steps) - 1), min(index, len(b.steps) - 1), ("ending",))
        reasons: list[Reason] = []
        key_a, key_b = keys_a.get(index), keys_b.get(index)
        if key_a != key_b:
            reasons.append("arguments" if key_a and key_b and key_a.action == key_b.action else "call")
        elif _answered(one, said_a) != _answered(other, said_b):
            reasons.append("answer")
        if one.state in _SURE and other.state in _SURE and one.state != other.state:
            reasons.append("state")
        if one.step == other.step == "end" and a.ending != b.ending:
            reasons.append("ending")
        if reasons:
            return Divergence(index, index, tuple(reasons))
    return None


def _answered(step: StepSide, said: Callable[[str], list[str]]) -> tuple[object, ...]:
    return step.answered, step.refused_by, None if step.answer is None else said(step.answer)


def _renaming(matching: Matching, side: SideName) -> Callable[[str], list[str]]:
    """Return a function that splits a text into words, with one key for each matched action whose names differ."""
    keys = matching.keys_a if side == "a" else matching.keys_b
    names: Phrases[str] = Phrases()
    renamed = False
    for row in matching.rows:
        action = row.a if side == "a" else row.b
        if action is not None and ("name" in row.differs or "tool" in row.differs):
            renamed = True
            for name in (action.name, action.tool):
                if key := phrase_key(name):
                    names.add(key, f"action {keys[action.id]}")

    def words(text: str) -> list[str]:
        pieces = list(cut(text))
        found: list[str] = []
        at = 0
        while at < len(pieces):
            width, action = names.longest(pieces, at)
            found.append(action or text[pieces[at].start : pieces[at].end])
            at += max(width, 1)
        return found

    return words if renamed else lambda text: [text]


_LONGEST = 500
"""Limit of the reason in ``Unknown``, in code points."""


def compare(
    session_a: Session,
    a: Run | Variant,
    session_b: Session,
    b: Run | Variant,
    *,
    replay_a: Replay | None = None,
    replay_b: Replay | None = None,
) -> Comparison:
    """Compare two runs or variants, of one session or two. A run brings its variant along.

    ``replay_a`` and ``replay_b`` are judgements that the caller has already. What cannot be read or judged is
    compared as far as it can be, and ``Comparison.unknown`` says what is missing; nothing is raised.
    """
    one = know("a", session_a, a, replay_a)
    other = know("b", session_b, b, replay_b, one)
    side_a, side_b = one.side, other.side
    matching = match_actions(session_a, one.variant, session_b, other.variant)
    keys_a, keys_b = keys(side_a.steps, matching.keys_a), keys(side_b.steps, matching.keys_b)
    tree = calls = begun = None
    if one.reading is not None and other.reading is not None:
        tree = compare_trees(side_a, one.reading.tree, side_b, other.reading.tree, matching)
    constraints = compare_constraints(side_a, side_b, matching)
    if one.run is not None and other.run is not None:
        begun = kept(session_a, one.run, session_b, other.run, (side_a, keys_a), (side_b, keys_b))
        calls = align(side_a.steps, side_b.steps, keys_a, keys_b, begun.steps if begun is not None else 0)
    return Comparison(
        a=side_a,
        b=side_b,
        fields=_fields(one, other),
        matched=matching.matched,
        text=compare_texts(side_a.text, side_b.text),
        actions=matching.rows,
        tree=tree,
        constraints=constraints,
        calls=calls,
        kept=begun,
        divergence=divergence(side_a, side_b, keys_a, keys_b, matching),
        unknown=tuple(_unknown(one, other, matching, constraints)),
    )


def _unknown(
    one: Known, other: Known, matching: Matching, constraints: ConstraintDiff | None
) -> Iterator[Unknown]:
    """Return the unknown facts about each side, and about the two together."""
    a, b = one.side, other.side
    of_runs = one.run is not None or other.run is not None  # without runs nobody asked for calls
    yield from (u for u in (*one.unknown, *other.unknown) if of_runs or u.what != "calls")
    if a.steps and b.steps and (a.verdict is None) != (b.verdict is None):
        yield Unknown(
            None,
            "states",
            "one run is not judged, so the first difference is found by calls and answers alone",
        )
    if constraints is None or constraints.equivalent is not None:
        return
    if a.timed != b.timed:
        why = "one query is timed and the other is not"
    elif a.contradiction or b.contradiction:
        why = "a query that contradicts itself has no correct plan"
    elif not matching.same_durations:
        why = "durations differ"
    else:
        why = "no proof was found that they mean the same, nor that they do not"
    yield Unknown(None, "equivalence", why)


def _fields(a: Known, b: Known) -> tuple[Field, ...]:
    """Return every field once, in a fixed order; those of runs only if at least one side has a run."""
    of_a, of_b = _values(a), _values(b)
    return tuple(Field(name, of_a.get(name), of_b.get(name)) for name in of_a | of_b)


def _values(known: Known) -> dict[str, Value]:
    variant, origin, run, verdict = known.variant, known.variant.origin, known.run, known.side.verdict
    how = (origin.kind, origin.mutation, origin.number)
    found: dict[str, Value] = {
        "session": known.session.id,
        "variant": variant.id,
        "origin": " ".join(str(part) for part in how if part is not None),
        "topic": variant.query.topic,
        "language": "timed" if variant.query.timed else "base",
        "limit_seconds": variant.limits.seconds,
        "limit_model_calls": variant.limits.model_calls,
    }
    if run is None:
        return found
    cost = cost_of(run)
    violation = verdict.first_violation if verdict is not None else None
    return found | {
        "run": run.id,
        "agent": run.agent,
        "model": run.model,
        "seed": run.seed,
        "verdict": verdict.verdict if verdict is not None else None,
        "error_type": verdict.error_type if verdict is not None else None,
        "helped": known.side.help.text or None,
        "first_violation": violation.step if violation is not None else None,
        "ending": known.side.ending,
        "calls": sum(step.call is not None for step in known.side.steps),
        "model_calls": cost.model_calls,
        "input_tokens": cost.input_tokens,
        "output_tokens": cost.output_tokens,
        "seconds": cost.known_seconds,
        "model_seconds": cost.known_model_seconds,
    }


@dataclass(frozen=True)
class Known:
    """A side with its session, variant, run and reading. ``reading`` is None if the text cannot be read."""

    side: Side
    session: Session
    variant: Variant
    run: Run | None
    reading: Reading | None
    unknown: tuple[Unknown, ...]


def know(
    name: SideName,
    session: Session,
    chosen: Run | Variant,
    judged: Replay | None,
    read: Known | None = None,
) -> Known:
    """Read and judge one side. ``judged``: its judgement, if known. ``read``: a side whose reading is reused."""
    run = chosen if isinstance(chosen, Run) else None
    variant = variant_of(session, chosen) if isinstance(chosen, Run) else chosen
    unknown: list[Unknown] = []
    reading, errors = _read(name, session, variant, unknown, read)
    trace = trace_of(run) if run is not None else Trace((), "running")
    replay = judged
    if reading is not None and replay is None:
        from planscope.oracle.replay import replay as judge

        replay = judge(reading.problem, trace)
    if replay is not None:
        trace = replay.trace
    if run is None:
        unknown.append(Unknown(name, "calls", f"variant {variant.id[:40]} is compared without a run"))
    elif replay is None:
        unknown.append(Unknown(name, "verdict", "a run is judged by its query, which cannot be read"))
    verdict = replay.verdict() if replay is not None and run is not None else None
    side = Side(
        session=session.id,
        title=session.title,
        variant=variant.id,
        run=run.id if run is not None else None,
        text=variant.query.text,
        timed=variant.query.timed,
        actions=actions_of(variant),
        problem=reading.problem if reading is not None else None,
        errors=errors,
        outline=reading.outline if reading is not None else (),
        contradiction=_contradiction(name, replay, unknown),
        steps=tuple(_steps(variant, run, trace, replay)) if run is not None else (),
        ending=trace.ending if run is not None else None,
        help=help_of(run) if run is not None else NO_HELP,
        verdict=verdict,
        explanation=explain_verdict(replay, verdict) if replay is not None and verdict is not None else "",
    )
    return Known(side, session, variant, run, reading, tuple(unknown))


def _read(
    name: SideName, session: Session, variant: Variant, unknown: list[Unknown], read: Known | None
) -> tuple[Reading | None, tuple[ParseError, ...]]:
    from planscope.rules.in_session import (
        reading_in,
    )  # knows Z3, which a program that only asks for schemas spares

    same_rules = read is not None and read.session.rules == session.rules
    if read is not None and same_rules and read.variant is variant and read.reading is not None:
        return read.reading, ()
    try:
        return reading_in(session, variant), ()
    except UserError as error:
        errors = error.errors if isinstance(error, ParseFailure) else ()
        unknown.append(
            Unknown(name, "request", in_a_line(errors, _LONGEST) if errors else str(error)[:_LONGEST])
        )
        return None, errors


def _contradiction(name: SideName, replay: Replay | None, unknown: list[Unknown]) -> tuple[str, ...] | None:
    if replay is None:
        return None
    begin = replay.steps[0]
    if begin.state == "completable" or replay.problem.unjudged:
        return ()
    if begin.core is not None:
        return begin.core.constraints
    unknown.append(Unknown(name, "states", "the solver gave up before it knew whether the query can be met"))
    return None


def _steps(variant: Variant, run: Run, trace: Trace, replay: Replay | None) -> Iterator[StepSide]:
    """Return every step from the start to the end. A run without a verdict has its calls, too."""
    answers: dict[int, AnswerEvent] = {}
    for event in run.events:
        if isinstance(event, AnswerEvent):
            answers.setdefault(event.step, event)
    tools = {action.tool: action.id for action in variant.actions}
    why: dict[Core | None, str] = {None: ""}
    ended = [] if trace.ending == "running" else [None]
    attempt = 1
    for index, call in enumerate([None, *trace.calls, *ended]):
        answer = answers.get(index) if call is not None else None
        if call is not None and variant.query.timed and _restarts(call, tools):
            attempt += 1
        view = replay.steps[index] if replay is not None else None
        core = view.core if view is not None else None
        if core not in why and replay is not None and core is not None:
            why[core] = explain_core(replay, core)
        yield StepSide(
            index=index,
            step=index if call is not None or index == 0 else "end",
            attempt=view.attempt if view is not None else attempt,
            call=call,
            action=tools.get(call.tool) if call is not None else None,
            answer=answer.text if answer is not None else None,
            answered=answer.status if answer is not None else None,
            refused_by=answer.refused_by if answer is not None else None,
            state=view.state if view is not None else None,
            start=view.start if view is not None else None,
            end=view.end if view is not None else None,
            findings=view.findings if view is not None else (),
            core=core,
            why=why[core],
        )


def _restarts(call: ToolCall, tools: Mapping[str, str]) -> bool:
    """Return whether the call begins an attempt, as the judge counts them. Unreadable and blocked calls do not."""
    refused = call.refused or call.arguments is None or call.error is not None
    return call.tool == RESTART_TOOL and call.tool not in tools and not refused
