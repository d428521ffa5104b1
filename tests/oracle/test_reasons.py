"""All reasons against every subset tried by brute force, against Z3 asked member by member, and their duality."""

from __future__ import annotations

import gc
import random
import re
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise, permutations, product
from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.problem import Problem
from planscope.oracle import marco, smt
from planscope.oracle import timed as timed_module
from planscope.oracle.replay import Replay, replay
from planscope.oracle.smt import Judge
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import Core, Correction, Reasons, StepView
from planscope.wording.explain import explain_core, explain_correction
from tests.nightly import examples, rounds
from tests.oracle import brute
from tests.oracle.build import problem, trace

Sets = set[frozenset[str]]

LOW, HIGH = -10, 36
"""Hours that brute force tries for each action."""


def names_of(one: Core | Correction) -> frozenset[str]:
    return frozenset([*one.constraints, *("end" if s == "end" else f"step{s}" for s in one.steps)])


def executed(run: Replay, index: int) -> list[StepView]:
    """The executions of the attempt at an index, up to it."""
    attempt = run.steps[index].attempt
    return [v for v in run.steps[1 : index + 1] if v.attempt == attempt and v.action and v.call]


def members_of(run: Replay, index: int) -> list[str]:
    ended = run.steps[index].step == "end" and run.trace.ending != "aborted"
    steps = [f"step{v.step}" for v in executed(run, index)]
    return [c.id for c in run.problem.constraints] + steps + ["end"] * ended


def worlds(run: Replay, index: int) -> Iterator[tuple[frozenset[str], frozenset[frozenset[str]]]]:
    """Every way in which the actions could come: which members are false in it, and which pairs cannot both be true."""
    made = run.problem
    ran = executed(run, index)
    first: dict[str, StepView] = {}
    again = set[frozenset[str]]()
    for v in ran:
        assert v.action is not None
        if v.action in first:
            again.add(frozenset(["b1", f"step{first[v.action].step}", f"step{v.step}"]))
        first.setdefault(v.action, v)
    if "end" in members_of(run, index) and len(first) < len(made.actions):
        again.add(frozenset(["b2", "end"]))
    for false, clash in timed_worlds(made, first) if made.timed else base_worlds(made, first):
        yield frozenset(false), frozenset(again | clash)


def base_worlds(made: Problem, first: dict[str, StepView]) -> Iterator[tuple[set[str], Sets]]:
    for order in permutations(brute.ids(made)):
        false = {c.id for c in made.said if not brute.true_in(c, order)}
        for a, v in first.items():
            later = [b for b in order if b not in first or first[b].index > v.index]
            if any(order.index(b) < order.index(a) for b in later):
                false.add(f"step{v.step}")
        yield false, set()


def timed_worlds(made: Problem, first: dict[str, StepView]) -> Iterator[tuple[set[str], Sets]]:
    takes = {a.id: a.duration or 1 for a in made.actions}
    for hours in product(range(LOW, HIGH), repeat=len(made.actions)):
        starts = dict(zip(brute.ids(made), hours, strict=True))
        false = {c.id for c in made.said if not brute.timed_one(made, c, starts)}
        spans = sorted((s, s + takes[a]) for a, s in starts.items())
        if any(x[1] > y[0] for x, y in pairwise(spans)):
            false.add("b3")
        if not all(0 <= s <= 23 for s in hours):
            false.add("b4")
        if not all(1 <= s + takes[a] <= 24 for a, s in starts.items()):
            false.add("b5")
        clash: Sets = set()
        for a, v in first.items():
            assert v.end is not None
            later = [b for b in starts if b not in first or first[b].index > v.index]
            if starts[a] != v.start:
                false.add(f"step{v.step}")
            if any(starts[b] < v.end for b in later):
                clash.add(frozenset(["b3", f"step{v.step}"]))
        yield false, clash


def by_brute_force(run: Replay, index: int) -> tuple[Sets, Sets]:
    """Every minimal core and every minimal correction set, by trying all subsets of the members in all worlds."""
    members = members_of(run, index)
    bit = {m: 1 << k for k, m in enumerate(members)}
    known = {
        (sum(bit[m] for m in false), tuple(sum(bit[m] for m in pair) for pair in clash))
        for false, clash in worlds(run, index)
    }
    n = len(members)
    possible = [
        any(not s & false and all(s & pair != pair for pair in clash) for false, clash in known)
        for s in range(1 << n)
    ]
    cores, corrections = set(), set()
    for s in range(1 << n):
        if not possible[s] and all(possible[s ^ 1 << k] for k in range(n) if s >> k & 1):
            cores.add(frozenset(members[k] for k in range(n) if s >> k & 1))
        if possible[s] and not any(possible[s | 1 << k] for k in range(n) if not s >> k & 1):
            corrections.add(frozenset(members[k] for k in range(n) if not s >> k & 1))
    return cores, corrections - {frozenset()}


def lost(run: Replay) -> list[int]:
    """Where to ask: the first doomed step and the last step, where they are lost."""
    found = {run.first_doomed, len(run.steps) - 1} - {None}
    return sorted(i for i in found if i is not None and run.steps[i].state in ("doomed", "broken"))


def check(run: Replay, index: int) -> Reasons:
    found = run.reasons(index, most=10_000)
    cores, corrections = by_brute_force(run, index)
    assert found.complete
    assert {names_of(c) for c in found.cores} == cores
    assert {names_of(c) for c in found.corrections} == corrections
    assert len(found.cores) == len(cores) and len(found.corrections) == len(corrections)
    core = run.steps[index].core
    assert core is not None
    assert names_of(found.cores[0]) == names_of(core), "the oracle's own core comes first"
    if index == run.first_doomed:
        assert found.cores[0] == core
    return found


@pytest.mark.parametrize("chunk", range(4))
def test_base_every_subset(chunk: int) -> None:
    seen = 0
    for seed in range(chunk, rounds(60, 120), 4):
        made, calls = brute.random_base(random.Random(seed), most=4)
        run = replay(made, calls)
        for index in lost(run):
            if len(members_of(run, index)) <= 12:
                check(run, index)
                seen += 1
    assert seen > rounds(5, 10)


def test_base_contradictions_without_a_run() -> None:
    seen = 0
    for seed in range(80):
        rng = random.Random(seed)
        names = "ABCD"[: rng.randint(2, 4)]
        said = [f"{rng.choice(names)}<{rng.choice(names)}" for _ in range(rng.randint(2, 7))]
        run = replay(problem(" ".join(names), *said), Trace((), "running"))
        if run.steps[0].state != "completable":
            assert check(run, 0).step == 0
            seen += 1
    assert seen > 25


@pytest.mark.parametrize("chunk", range(4))
def test_timed_every_subset(chunk: int) -> None:
    seen = 0
    for seed in range(chunk, rounds(50, 100), 4):
        made, calls = brute.random_timed(random.Random(seed), most=2)
        run = replay(made, calls)
        for index in lost(run):
            if len(members_of(run, index)) <= 12:
                check(run, index)
                seen += 1
    assert seen > rounds(4, 8)


@pytest.mark.nightly
def test_timed_every_subset_of_three_actions() -> None:
    made, calls = brute.random_timed(random.Random(68), most=3)
    run = replay(made, calls)
    assert len(made.actions) == 3 and lost(run)
    for index in lost(run):
        check(run, index)


def hits_minimally(one: frozenset[str], others: Sets) -> bool:
    return all(one & other for other in others) and all(
        any(not (one - {m}) & other for other in others) for m in one
    )


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_each_kind_is_what_hits_the_other(seed: int, timed: bool) -> None:
    rng = random.Random(seed)
    made, calls = brute.random_timed(rng, most=4) if timed else brute.random_base(rng, most=6)
    run = replay(made, calls)
    for index in lost(run):
        found = run.reasons(index, most=300)
        cores = {names_of(c) for c in found.cores}
        corrections = {names_of(c) for c in found.corrections}
        assert all(core & correction for core in cores for correction in corrections)
        if found.complete:
            assert cores and corrections
            assert all(hits_minimally(core, corrections) for core in cores)
            assert all(hits_minimally(correction, cores) for correction in corrections)
        for some in (cores, corrections):
            assert not any(a < b or b < a for a, b in combinations(some, 2))


@pytest.mark.parametrize("timed", [False, True])
def test_z3_agrees_member_by_member(timed: bool) -> None:
    seen = 0
    for seed in range(rounds(9, 25)):
        rng = random.Random(seed)
        made, calls = brute.random_timed(rng, most=5) if timed else brute.random_base(rng, most=7)
        run = replay(made, calls)
        for index in lost(run):
            assert run.certify_reasons(run.reasons(index, most=12)) == "confirmed", seed
            seen += 1
    assert seen > rounds(4, 10)


def test_z3_denies_what_is_no_core_and_no_correction() -> None:
    run = replay(problem("A B C", "A<C", "B<C"), trace("C"))
    found = run.reasons()
    wrong: list[Core | Correction] = [
        Core(("c1",), ()),
        Core(("c1", "c2"), (1,)),
        Correction(("c1",), ()),
        Correction(("c1", "c2"), (1,)),
    ]
    for one in wrong:
        cores = (*found.cores, one) if isinstance(one, Core) else found.cores
        corrections = (*found.corrections, one) if isinstance(one, Correction) else found.corrections
        more = replace(found, cores=cores, corrections=corrections)
        assert run.certify_reasons(more) == "denied", one
    assert run.certify_reasons(found, stopped=lambda: True) == "gave_up"
    assert run.certify_reasons(found, started=lambda halt: halt()) == "gave_up"
    assert run.certify_reasons(replace(found, cores=())) == "not_asked"


def test_z3_finds_the_same_where_scheduling_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0
    for seed in range(rounds(6, 16)):
        made, calls = brute.random_timed(random.Random(seed), most=4)
        run = replay(made, calls)
        for index in lost(run):
            quick = run.reasons(index, most=50)
            with monkeypatch.context() as patch:
                patch.setattr(timed_module, "EFFORT", -1)
                slow = run.reasons(index, most=50)
            if quick.complete:
                assert slow == quick, seed
                seen += 1
    assert seen > 5


def test_words_name_actions_and_never_ids() -> None:
    seen = 0
    for seed in range(120):
        rng = random.Random(seed)
        made, calls = brute.random_timed(rng) if seed % 2 else brute.random_base(rng)
        run = replay(made, calls)
        for index in lost(run):
            found = run.reasons(index, most=20)
            texts = [explain_core(run, core) for core in found.cores]
            texts += [explain_correction(run, index, one) for one in found.corrections]
            for text in texts:
                assert text.endswith(".") and text[0].isupper() and ".." not in text, text
                assert not re.search(r"\b[abc][0-9]+\b", text), text
                assert "  " not in text and "None" not in text and "?" not in text, text
                seen += 1
    assert seen > 200


def test_what_would_have_to_be_given_up_in_words() -> None:
    run = replay(
        problem("X Y Z", "X<Y", "X>=9", timed=True, durations=[2, 1, 1]),
        trace("Y@3 Y@4 Z@2"),
    )
    said = {explain_correction(run, 4, c) for c in run.reasons(4).corrections}
    assert (
        "Without the requirement that X ends before Y starts (sentence 1), and had step 2 not done Y again, "
        "step 3 not done Z from 2:00 to 3:00 and the run not ended there, the plan could still be finished."
    ) in said


def test_nothing_is_lost_and_nothing_is_found() -> None:
    run = replay(problem("A B", "A<B"), trace("A B"))
    assert run.reasons() == Reasons(3, "end", (), (), "all")
    assert replay(problem("A B", "B<A"), trace("A B")).reasons(0) == Reasons(0, 0, (), (), "all")


@pytest.mark.parametrize("timed", [False, True])
def test_its_solvers_are_gone_with_it(monkeypatch: pytest.MonkeyPatch, timed: bool) -> None:
    """A solver holds megabytes that Python does not count, so it must not wait for the garbage collection."""
    contexts: list[weakref.ref[z3.Context]] = []
    make = smt.fresh_solver

    def fresh_solver(**given: int) -> tuple[Any, Any]:
        context, solver = make(**given)
        contexts.append(weakref.ref(context))
        return context, solver

    monkeypatch.setattr(smt, "fresh_solver", fresh_solver)
    monkeypatch.setattr(marco, "fresh_solver", fresh_solver)
    monkeypatch.setattr(marco, "hitting_sets", marco.HittingSetsByZ3)
    monkeypatch.setattr(timed_module, "EFFORT", -1)
    run = replay(problem("A B C", "A<C", "B<C", timed=timed), trace("C@1" if timed else "C"))
    gc.collect()
    gc.disable()
    try:
        assert run.reasons().cores
        assert len(contexts) >= 2 and [ref for ref in contexts if ref() is not None] == []
    finally:
        gc.enable()


def test_two_cores_of_the_golden_case() -> None:
    found = replay(problem("A B C", "A<C", "B<C"), trace("C")).reasons()
    assert found.cores == (Core(("c1",), (1,)), Core(("c2",), (1,)))
    assert found.corrections == (Correction((), (1,)), Correction(("c1", "c2"), ()))


def test_the_last_attempt_counts() -> None:
    run = replay(
        problem("X Y", "X<Y", "Y<=12", timed=True, durations=[2, 1]), trace("Y@3 restart X@11 Y@13 Y@14")
    )
    assert run.reasons().index == 3
    assert {s for c in run.reasons(5).cores for s in c.steps} == {3, 4, 5}
    assert {s for c in run.reasons(1).cores for s in c.steps} == {1}


def knot(size: int) -> Replay:
    """A request with more contradictions than anyone wants to see: everything before everything else."""
    names = [f"T{i}" for i in range(size)]
    said = [f"{a}<{b}" for a in names for b in names if a != b]
    return replay(problem(" ".join(names), *said), Trace((), "running"))


def test_no_more_than_are_wanted_and_each_told_as_it_comes() -> None:
    told: list[Core | Correction] = []
    found = knot(8).reasons(most=7, on_core=told.append, on_correction=told.append)
    assert len(found.cores) <= 7 and len(found.corrections) <= 7
    assert not found.complete and found.ended == "most"
    assert told[0] == found.cores[0]
    assert sorted(map(repr, told)) == sorted(map(repr, [*found.cores, *found.corrections]))
    assert found == knot(8).reasons(most=7), "the same every time"
    sizes = [len(names_of(c)) for c in found.corrections]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_where_few_are_wanted_there_are_some_of_each(most: int) -> None:
    for run in (knot(4), knot(8), replay(problem("A B C D", "A<D", "B<D", "C<D"), trace("D A B C"))):
        found = run.reasons(most=most)
        assert 0 < len(found.cores) <= most and 0 < len(found.corrections) <= most
        assert found.complete == (found.ended == "all") and (found.complete or found.ended == "most")
        assert run.certify_reasons(found) == "confirmed"


def test_it_stops_when_it_is_told_to() -> None:
    asked = 0

    def enough() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    found = knot(8).reasons(most=1000, stopped=enough)
    assert found.ended == "stopped" and not found.complete and found.cores
    assert asked <= 42


def test_it_stops_when_it_is_interrupted() -> None:
    stops: list[Callable[[], None]] = []
    cores: list[Core] = []

    def on_core(core: Core) -> None:
        cores.append(core)
        if len(cores) == 3:
            stops[0]()

    found = knot(8).reasons(on_core=on_core, started=stops.append)
    assert len(stops) == 1
    assert found.ended == "stopped" and len(found.cores) == 3


def test_what_z3_cannot_tell_in_time_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run = replay(problem("X Y", "X<Y", timed=True, durations=[2, 1]), trace("Y@3"))
    monkeypatch.setattr(timed_module, "EFFORT", -1)
    monkeypatch.setattr(Judge, "check", lambda self, members=None: "unknown")
    found = run.reasons(1)
    assert found.ended == "unknown" and not found.complete
    assert found.cores == (run.steps[1].core,)
