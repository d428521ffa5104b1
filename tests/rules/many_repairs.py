"""Random repairs against all changes, tried one by one: ``python -m tests.rules.many_repairs 5000 [SEED]``.

It prints how many traces had a repair, of which kinds it was, and how many were exact.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from random import Random
from typing import Any, NamedTuple

from planscope.language.calls import Compare
from planscope.oracle.trace import ToolCall
from planscope.rules.judge import Rulebook
from planscope.rules.letters import Letter, met
from planscope.rules.repair import Inserted, Moved, RulesRepair, repair
from planscope.rules.satisfiable import ABSENT
from planscope.rules.values import key_part
from tests.rules.brute import all_kept
from tests.rules.many_cases import trace_of
from tests.rules.table import Event, as_items
from tests.rules.worlds import MODES, World, make_world

MOST = 3
"""Changes that are tried at once."""
TRIED = 60_000
"""No more changed traces are tried for one case."""
IDS = (None, "u", "v", "", "new", 0, "ok", "yes", "other")
XS = (None, 0, 1, 2, 3, "ok", "no", "yes", "u")

Rank = tuple[int, int, int, int, tuple[int, ...]]
"""Changes; insertions and removals; removals; places moved; places, later ones first."""


class Change(NamedTuple):
    """``source``: the event that is moved or removed, or None. ``place``: the event before which it is put, or None."""

    source: int | None
    place: int | None
    event: Event | None


class Case(NamedTuple):
    world: World
    trace: list[Event]
    reads: frozenset[str]


def make_case(seed: int, longest: int = 4) -> Case:
    """A trace that breaks a rule, if one is soon found."""
    random = Random(seed)
    world = make_world(random, modes=(*(mode for mode in MODES if mode != "both"), "asked"))
    trace: list[Event] = []
    for _ in range(20):
        trace = world.trace(random, longest)
        if not all_kept(world.rules, trace):
            break
    tools = sorted({event.tool for event in world.letters if event.tool})
    return Case(world, trace, frozenset(tool for tool in tools if random.random() < 0.25))


def may_move(case: Case, source: int, place: int) -> bool:
    """A call that does not only read stays behind the reads and turns of the user before it; a read whose answer
    a rule goes by stays before the writes behind it."""
    reads = [event.tool == "" or event.tool in case.reads for event in case.trace]
    if place <= source:
        return reads[source] or not any(reads[place:source])
    tool = case.trace[source].tool
    rules = case.world.rules
    asked = reads[source] and any(c.names(tool) and rule.later(c) for rule in rules for c in rule.first)
    return not asked or all(reads[source + 1 : place])


def found_values(case: Case) -> set[Any]:
    """All that the trace and the conditions of rules say."""
    found = {value for event in case.trace for _, value in event.arguments}
    found |= {event.status for event in case.trace if event.tool and event.failed is not None}
    found |= {"yes" for event in case.trace if not event.tool}
    every = [c.condition for rule in case.world.rules for c in rule.sets]
    return found.union(c.value for c in every if isinstance(c, Compare) and c.source == "argument") - {None}


def insertable(case: Case, place: int) -> list[Event]:
    """Calls with values that are found somewhere, and with the answer that the trace has to such a call."""
    values = found_values(case)
    names = {name for event in case.world.letters for name, _ in event.arguments}
    given: list[tuple[tuple[str, Any], ...]] = [()]
    for name in names:
        given += [((name, value),) for value in values]
    found = []
    for letter in {letter._replace(arguments=()) for letter in case.world.letters if letter.tool}:
        own = [(k, e) for k, e in enumerate(case.trace) if e.tool == letter.tool and e.failed is not None]
        before = [e for k, e in own if k < place]
        answer = before[-1] if before else own[0][1] if own else None
        if answer is None or (answer.failed, answer.status) == (letter.failed, letter.status):
            found += [letter._replace(arguments=some) for some in given]
    return sorted(dict.fromkeys(found), key=repr)


def changed(trace: Sequence[Event], placed: Sequence[tuple[int, Event]], gone: set[int]) -> list[Event]:
    """The trace after a change. A call that is placed is a message of its own."""
    after: list[Event] = []
    last, message = -1, 0
    for k in range(len(trace) + 1):
        for place, event in placed:
            if place == k:
                message += 1
                after.append(event._replace(message=message))
                last = -1
        if k < len(trace) and k not in gone:
            message += trace[k].message != last
            last = trace[k].message
            after.append(trace[k]._replace(message=message))
    return after


def changes(case: Case, cost: int) -> Iterator[tuple[Rank, list[Event]]]:
    """Every change of so many calls that is allowed, with its rank, and the trace after it."""
    n = len(case.trace)
    calls = [k for k in range(n) if case.trace[k].tool]
    new = [(place, event) for place in range(n + 1) for event in insertable(case, place)]
    for moves in range(cost, -1, -1):
        for removals in range(cost - moves + 1):
            for moved in combinations(calls, moves):
                spots = [[p for p in range(n + 1) if may_move(case, k, p)] for k in moved]
                for removed in combinations([k for k in calls if k not in moved], removals):
                    gone = {*moved, *removed}
                    for where in product(*spots):
                        far = sum(k - p if p <= k else p - k - 1 for k, p in zip(moved, where, strict=True))
                        own = [(p, case.trace[k]) for k, p in zip(moved, where, strict=True)]
                        for inserted in combinations_with_replacement(new, cost - moves - removals):
                            placed = [*own, *inserted]
                            places = sorted([*(p for p, _ in placed), *removed])
                            rank = cost, cost - moves, removals, far, tuple(-p for p in places)
                            for order in dict.fromkeys(permutations(placed)):
                                yield rank, changed(case.trace, order, gone)


def nearest(case: Case, cost: int) -> tuple[Rank | None, bool]:
    """The best rank of a change of at most so many calls; and whether all were tried."""
    for number in range(cost + 1):
        best: Rank | None = None
        for tried, (rank, after) in enumerate(changes(case, number)):
            if tried > TRIED:
                return None, False
            if (best is None or rank < best) and all_kept(case.world.rules, after):
                best = rank
        if best is not None:
            return best, True
    return None, True


def spots_of(case: Case, fixed: RulesRepair) -> list[tuple[int, Moved | Inserted]]:
    """Where the placed calls are put, as the repair says it to a person."""
    steps = [k for k, event in enumerate(case.trace) if event.tool]
    found = []
    for one in fixed.placed:
        place = len(case.trace) if one.before == "end" else steps[one.before - 1]
        found.append((place - one.turns, one))
    return found


def rank_of(case: Case, fixed: RulesRepair) -> Rank:
    steps = [k for k, event in enumerate(case.trace) if event.tool]
    spots = spots_of(case, fixed)
    far = 0
    for place, one in spots:
        if isinstance(one, Moved):
            k = steps[one.step - 1]
            far += k - place if place <= k else place - k - 1
    places = sorted([*(place for place, _ in spots), *(steps[one.step - 1] for one in fixed.removed)])
    kinds = len(fixed.removed)
    return fixed.cost, fixed.cost - len(fixed.moved), kinds, far, tuple(-place for place in places)


def applied(case: Case, fixed: RulesRepair, random: Random) -> list[Event]:
    """The trace after a repair. What an inserted call does not need is drawn."""
    steps = [k for k, event in enumerate(case.trace) if event.tool]
    placed = []
    for place, one in spots_of(case, fixed):
        event = case.trace[steps[one.step - 1]] if isinstance(one, Moved) else drawn(one.letter, random)
        placed.append((place, event))
    gone = {steps[one.step - 1] for one in fixed.moved} | {steps[one.step - 1] for one in fixed.removed}
    return changed(case.trace, placed, gone)


def drawn(letter: Letter, random: Random) -> Event:
    """A call with what the letter says, and anything else."""
    some = []
    needs = {str(path[0]): value for path, value in letter.values}
    for id, x, failed, status in product(IDS, XS, (True, False, None), ("ok", "no", None)):
        given = {name: value for name, value in (("id", id), ("x", x)) if value is not None}
        event = Event(letter.tool, tuple(given.items()), failed, status=status)
        parts = {name: key_part(given[name]) if name in given else ABSENT for name in needs}
        (call,) = as_items([event])
        assert isinstance(call, ToolCall)
        if parts == needs and all(met(formula, call) is truth for formula, truth in letter.truths):
            some.append(event)
    return random.choice(some)


def case(seed: int) -> str:
    """Check one case, and say what the repair was."""
    made = make_case(seed)
    tools = sorted({event.tool for event in made.world.letters if event.tool})
    book = Rulebook(made.world.rules)
    fixed = repair(book, tools, trace_of(made.trace), reads=lambda tool: tool in made.reads)
    about = (made, fixed)
    assert fixed.sought, about
    if fixed.reason:
        best, _ = nearest(made, 2)
        assert best is None, (best, about)
        return "none"
    random = Random(seed)
    for _ in range(5):
        after = applied(made, fixed, random)
        assert all_kept(made.world.rules, after), (after, about)
    rank = rank_of(made, fixed)
    if fixed.cost > MOST:
        return "more"
    best, whole = nearest(made, fixed.cost)
    if not whole:
        return "not tried"
    assert best is not None and (not fixed.exact or rank == best), (rank, best, about)
    kinds = [name for name in ("moved", "inserted", "removed") if getattr(fixed, name)]
    return f"{'exact' if fixed.exact else 'not exact'}: {' and '.join(kinds) or 'nothing'}"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    told: Counter[str] = Counter()
    for seed in range(first, first + count):
        try:
            told[case(seed)] += 1
        except BaseException:
            sys.stderr.write(f"seed {seed}\n")
            raise
    for words, number in told.most_common():
        sys.stdout.write(f"{number:6} {words}\n")


if __name__ == "__main__":
    main()
