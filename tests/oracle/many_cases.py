"""Random runs judged by the oracle and by trying everything: ``python -m tests.oracle.many_cases [COUNT [SEED]]``.

Half of them base, half timed; calls with every kind of mistake, repeats and restarts, requests that contradict
themselves. Everything that is said of a run is compared: states, statuses, findings, verdict, first violation, cores,
what could be foreseen, safe moves and hours, counts, one way on, and repair from the start and from a step.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from dataclasses import replace

from planscope.language.problem import Constraint, Problem
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import Core
from planscope.wording.explain import explain_verdict
from tests.oracle import brute, worlds
from tests.oracle.judged import Judged

CERTIFIED = 50
"""One case in so many is put to Z3 as well."""


def random_case(rng: random.Random, timed: bool, most: int) -> tuple[Problem, Trace]:
    made, trace = brute.random_timed(rng, most) if timed else brute.random_base(rng, most)
    said = list(made.said)
    if said and rng.random() < 0.1:  # the contrary of something said
        c = rng.choice(said)
        contrary = {
            "order": replace(c, before=c.after, after=c.before),
            "start_at_least": replace(c, kind="end_at_most"),
            "end_at_most": replace(c, kind="start_at_least"),
        }[str(c.kind)]
        said.append(replace(contrary, id=f"c{len(said) + 1}"))
    rules: list[Constraint] = [c for c in made.constraints if c.is_rule]
    problem = replace(made, constraints=(*said, *rules))
    calls = list(trace.calls)
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 2, 3])):
        calls.insert(rng.randint(0, len(calls)), _odd_call(rng, problem))
    if not timed and rng.random() < 0.1:
        calls.insert(rng.randint(0, len(calls)), ToolCall("ask_for_restart", {}))
    return problem, replace(trace, items=calls)


def _odd_call(rng: random.Random, problem: Problem) -> ToolCall:
    tool = rng.choice(problem.actions).tool
    hour = {"start_time": rng.randint(-2, 25)} if problem.timed else {}
    kind = rng.randrange(8)
    if kind == 0:
        return ToolCall(tool, None, "not JSON")
    if kind == 1:
        return ToolCall(
            tool, {"start_time": rng.choice(["8", True, None, 8.5])} if problem.timed else {"x": 1}
        )
    if kind == 2:
        return ToolCall(tool, {**hour, "x": 1})
    if kind == 3:
        return ToolCall(tool, hour, refused=True)
    if kind == 4:
        return ToolCall("ask_for_restart", {"why": "lost"} if rng.random() < 0.3 else {})
    if kind == 5 and problem.timed:
        return ToolCall(tool, {"start_time": float(rng.randint(0, 23))})
    return ToolCall(tool, hour)


def compare(problem: Problem, trace: Trace, *, certify: bool) -> str:
    """Raises AssertionError where the two differ; what kind of case it was."""
    run, truth = replay(problem, trace), Judged(problem, trace)
    assert len(run.steps) == truth.last + 1
    at_end = truth.last > len(truth.steps)
    for view in run.steps:
        k = view.index
        assert view.state == truth.state(k), ("state", k)
        assert view.attempt == truth.attempt(k), ("attempt", k)
        said = {c.id: truth.status(c, k) for c in problem.said}
        assert {c: run.status(c, k) for c in said} == said, ("statuses", k)
        rules = {c.id for c in problem.constraints if c.is_rule and run.status(c.id, k) == "broken"}
        assert rules == truth.broken(k) - set(said), ("rules", k)
        _compare_ways(run, truth, k)
        lost = truth.first_lost(view.attempt)
        expected = None if lost is None or lost > k else (truth.core(lost), truth.foreseeable(lost))
        assert _core(view.core) == expected, ("core", k, _core(view.core), expected)
    _compare_verdict(run, truth)
    for step in {0, random.Random(len(trace.calls)).randint(0, len(trace.calls))}:
        _compare_repair(run, truth, step)
    if certify:
        assert run.certify() == "confirmed", "certify"
    first = run.verdict().first_violation
    return (
        f"{run.steps[-1].state} {'' if first is None or first.core.foreseeable else 'not foreseeable'}".strip()
        if (at_end)
        else "not over"
    )


def _core(core: Core | None) -> tuple[tuple[str, ...], bool] | None:
    if core is None:
        return None
    steps = ("end" if s == "end" else f"step{s}" for s in core.steps)
    return (*core.constraints, *steps), core.foreseeable


def _compare_ways(run: Replay, truth: Judged, k: int) -> None:
    if truth.state(k) != "completable":
        assert run.valid_completions(k) == 0 and run.safe_moves(k) == () and run.one_way(k) is None, (
            "ways",
            k,
        )
        return
    left = truth.orders_left(k)
    assert run.valid_completions(k) == len(left), ("count", k)
    found = {m.action: m.hours for m in run.safe_moves(k)}
    spans = {
        action: None if hours is None else (min(hours), max(hours)) for action, hours in truth.safe(k).items()
    }
    assert found == spans, ("safe moves", k, found, spans)
    for hours in truth.safe(k).values():  # a span says all of them
        assert hours is None or hours == set(range(min(hours), max(hours) + 1)), ("hours with a gap", k)
    way = run.one_way(k)
    assert way is not None
    order = tuple(truth.place[p.action] for p in way)
    mask = left[order]
    if truth.problem.timed:
        for i, call in zip(order, way, strict=True):
            assert call.start is not None
            mask &= worlds.hours(truth.n).at(i, call.start)
    assert mask, ("one way", k)


def _compare_verdict(run: Replay, truth: Judged) -> None:
    verdict = run.verdict()
    found = tuple((f.type, f.step, f.constraints, f.severity, f.actions) for f in verdict.findings)
    assert found == truth.findings(), ("findings", found, truth.findings())
    for strict in (False, True):
        judged = run.verdict(strict=strict)
        assert (judged.verdict, judged.error_type) == truth.verdict(strict), ("verdict", strict)
    lost = truth.first_lost(truth.attempt(len(truth.steps)))
    first = verdict.first_violation
    if lost is None:
        assert first is None
    else:
        assert first is not None
        assert first.step == ("end" if lost > len(truth.steps) else lost), "first violation"
        assert first.constraint == truth.core(lost)[0], "first violated constraint"
    unforeseen = first is not None and not truth.foreseeable(lost or 0)
    assert ("could not have known" in explain_verdict(run, verdict)) == unforeseen, "explanation"
    if verdict.verdict == "wrong":
        here = first if first is not None and first.step != "end" else None
        there = [f for f in verdict.findings if here and f.step == here.step and f.severity == "error"]
        assert verdict.headline in (there or verdict.findings[:1]), "headline"


def _compare_repair(run: Replay, truth: Judged, step: int) -> None:
    fixed, nearest = run.repair(step), truth.nearest(step)
    if nearest is None:
        assert fixed.order is None and fixed.reason, ("repair", step, fixed)
        return
    order, starts, swaps = nearest
    assert fixed.order == order and fixed.swaps == swaps and fixed.exact, ("repair", step, fixed, nearest)
    if starts is not None:
        assert fixed.starts is not None
        hour = {truth.ids[s.action]: s.start for s in truth.firsts(len(truth.steps))}

        def far(at: dict[str, int]) -> tuple[int, int]:
            return sum(abs(at[a] - hour[a]) for a in hour), sum(at.values())

        assert far(dict(fixed.starts)) == far(starts), ("hours of the repair", step, fixed, nearest)
    assert set(fixed.inserted) == {a for i, a in enumerate(truth.ids) if i not in truth.own}
    again = [s for s in truth.ran(len(truth.steps)) if s.effect == "repeated" and s.step > step]
    assert list(fixed.removed) == [truth.ids[s.action] for s in again]


def case(seed: int, base: int = 5, timed: int = 3) -> str:
    """The case of a number: even ones are base with at most ``base`` actions, odd ones timed."""
    rng = random.Random(seed)
    problem, trace = random_case(rng, seed % 2 == 1, timed if seed % 2 else base)
    kind = compare(problem, trace, certify=seed // 2 % CERTIFIED == 0)
    return f"{'timed' if seed % 2 else 'base'} {kind}"


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    kinds: Counter[str] = Counter()
    wrong, began = 0, time.monotonic()
    for k, seed in enumerate(range(first, first + count), 1):
        try:
            kinds[case(seed)] += 1
        except AssertionError as error:
            wrong += 1
            print(f"case {seed}: {error}", flush=True)
        if k % 1_000 == 0 or k == count:
            print(f"{k} cases, {wrong} differ, {time.monotonic() - began:.0f} s", flush=True)
    for kind, times in sorted(kinds.items()):
        print(f"{times:>8}  {kind}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
