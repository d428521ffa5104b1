"""Rules that good traces keep: candidates over single tools and pairs, judged on every trace and on shuffled ones.

Candidates that compare an argument with an answer are those that agree in each call of a tool: values like ids that the
latest answer of another tool has, or some earlier one, at the same place.

A candidate is listed if every good trace keeps it, it is put to the test, other listed rules do not imply it, and it
says something. Either it would be broken if each trace's calls were shuffled, in at least ``SHUFFLED`` of the traces
that put it to the test, and often enough that it is unlikely (``LUCK``) that all good traces keep it by luck. Or bad
traces break it more often than good ones, by the test below without its correction.
With bad traces the rules are ranked by Fisher's exact test: of the traces that put a rule to the test, do more bad ones
than good ones break it? It is corrected for the number of candidates (Bonferroni). Traces that do not test a rule say
nothing about it: a tool that only hard tasks need would otherwise make each rule about it significant.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

from planscope.language.calls import EACH, Against, Calls, Path
from planscope.language.constructions import Kind
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.checking import implied_by
from planscope.rules.judge import Judge, Rulebook
from planscope.rules.kinds import KINDS
from planscope.rules.rule import Rule
from planscope.rules.values import MISSING, UNKNOWN, answer_of
from planscope.rules.words import sentence_of
from planscope.stats import LEVEL, fisher
from planscope.wording.phrases import p_value

SHUFFLED = 0.05
LUCK = 0.04
SHUFFLES = 5
"""Shuffles of each trace."""
MOST_TOOLS = 60
"""The most frequent tools that candidates are made of."""
LEAST_COMPARED = 5
"""Calls that an argument which is compared with an answer must have."""
MOST_PLACES = 2_000
"""Limit of the values of an answer that are looked at."""
LEAST_VALUES = 2
"""Different values that an argument must have to be one that rules go by."""


@dataclass(slots=True)
class Mined:
    """A rule with its counts. ``good`` and ``bad``: of the traces that put it to the test, how many keep it, and how
    many there are. ``p`` is None without bad traces."""

    rule: Rule
    good: tuple[int, int]
    bad: tuple[int, int] = (0, 0)
    p: float | None = None

    @property
    def support(self) -> int:
        """Good traces that put it to the test and keep it."""
        return self.good[0]

    @property
    def broken(self) -> int:
        """Bad traces that break it."""
        return self.bad[1] - self.bad[0]

    @property
    def confidence(self) -> float:
        return self.good[0] / self.good[1] if self.good[1] else 0.0


@dataclass(slots=True)
class _Count:
    kept: int = 0
    tested: int = 0
    shuffled_broken: int = 0
    shuffled_tested: int = 0
    bad_kept: int = 0
    bad_tested: int = 0

    @property
    def chance(self) -> float:
        """How likely so many bad traces break the rule, and no good one, if they do so equally often."""
        return fisher(self.bad_tested - self.bad_kept, self.bad_tested, self.tested - self.kept, self.tested)

    @property
    def says_something(self) -> bool:
        """Whether shuffled traces, or bad ones, would break the rule."""
        share = self.shuffled_broken / max(1, self.shuffled_tested)
        return (share >= SHUFFLED and (1 - share) ** self.tested <= LUCK) or self.chance <= LEVEL


def mine(
    good: Iterable[Trace],
    bad: Iterable[Trace] = (),
    *,
    within: int = 0,
    seed: int = 0,
    tick: Callable[[str], None] = lambda text: None,
) -> list[Mined]:
    """The rules that the good traces keep, best first. ``within``: also "within N calls" (0: not).

    The same traces and the same seed give the same rules.
    """
    good_calls = [_slim(trace) for trace in good]
    bad_calls = [_slim(trace) for trace in bad]
    candidates = [*_candidates(good_calls, within), *_compared(good_calls)]
    if bad_calls:
        known = {call.tool for calls in good_calls for call in calls}
        strange = dict.fromkeys(call.tool for calls in bad_calls for call in calls if call.tool not in known)
        candidates += [_rule("never", tool) for tool in strange]
    tick(f"{len(candidates):,} candidates")
    kept = _judged(candidates, good_calls, bad_calls, random.Random(seed), tick)
    found = []
    for rule, count in kept:
        rule = replace(rule, text=sentence_of(rule))
        one = Mined(rule, (count.kept, count.tested), (count.bad_kept, count.bad_tested))
        if bad_calls:
            one.p = min(1.0, count.chance * len(candidates))
        found.append(one)
    found = _not_implied(found, tick)
    if bad_calls:
        found.sort(key=lambda m: (m.p if m.p is not None else 1.0, -m.broken, -m.support, m.rule.text))
    else:
        found.sort(key=lambda m: (-m.support, m.rule.text))
    return found


def _slim(trace: Trace) -> list[ToolCall]:
    return [replace(call, raw=None, message=k) for k, call in enumerate(trace.calls) if not call.refused]


def _rule(kind: Kind, first: str, then: str = "", count: int = 0, per: str = "") -> Rule:
    sets = [(Calls(name, text=name),) if name else () for name in (first, then)]
    unit: Literal["calls", ""] = "calls" if kind == "within" else ""
    return Rule("", kind, sets[0], sets[1], count, unit, ((per,),) if per else ())


def _candidates(traces: Sequence[list[ToolCall]], within: int) -> list[Rule]:
    """Every rule of the table over the most frequent tools, for whole traces and for values that tools share."""
    frequency: dict[str, int] = {}
    for calls in traces:
        for tool in {call.tool for call in calls}:
            frequency[tool] = frequency.get(tool, 0) + 1
    tools = sorted(frequency, key=lambda tool: (-frequency[tool], tool))[:MOST_TOOLS]
    arguments = _arguments(traces)
    found: list[Rule] = []

    for a, b in [*((tool, "") for tool in tools), *permutations(tools, 2)]:
        for kind, about in KINDS.items():
            if (
                not about.mined
                or ("{b}" in about.sentence) != bool(b)
                or (kind == "not_coexistence" and a > b)
            ):
                continue
            shared = arguments.get(a, set()) & arguments.get(b or a, set()) if b or kind == "absence" else ()
            for per in ("", *sorted(shared)):
                found.append(_rule(kind, a, b, int("{times}" in about.sentence), per))
        if within and b:
            found.append(_rule("within", a, b, within))
    return found


def _compared(traces: Sequence[list[ToolCall]]) -> list[Rule]:
    """Return a rule for each argument that the latest answer of a tool, or an earlier one, has in every call, at one of
    its places."""
    seen: dict[tuple[str, str], list[set[tuple[bool, str, Path]]]] = {}
    for calls in traces:
        known: dict[tuple[bool, str], dict[object, set[Path]]] = {}
        """By whether all answers count, and tool: values with their places."""
        for call in calls:
            for name, value in (call.arguments or {}).items() if call.failed is not True else ():
                parts = value if isinstance(value, list) else [value]
                if parts and name.isidentifier() and all(map(_like_id, parts)):
                    found = {
                        (every, tool, path)
                        for (every, tool), places in known.items()
                        for path in set.intersection(*(places.get(part, set()) for part in parts))
                    }
                    seen.setdefault((call.tool, name), []).append(found)
            if (answer := answer_of(call)) is not UNKNOWN and answer is not MISSING:
                places = dict(_places(answer))
                known[False, call.tool] = places
                before = known.setdefault((True, call.tool), {})
                before |= {value: before.get(value, set()) | some for value, some in places.items()}
    made = []
    for (tool, name), ones in seen.items():
        always = set.intersection(*ones) if len(ones) >= LEAST_COMPARED else set()
        for every, other, path in sorted(always, key=lambda one: (one[0], len(one[2]), repr(one)))[:1]:
            against = Against((name,), "among", path, every=every)
            made.append(replace(_rule("compared", other, tool, int(every)), against=against))
    return made


def _like_id(value: object) -> bool:
    """Return whether a value says by itself what it is about: a text of six characters or more with a digit."""
    return isinstance(value, str) and len(value) >= 6 and any(map(str.isdigit, value))


def _places(answer: object) -> Iterator[tuple[object, set[Path]]]:
    """Yield the values like ids of an answer, and keys like ids, each with its places."""
    found: dict[object, set[Path]] = {}
    todo: list[tuple[Path, object]] = [((), answer)]
    for path, value in todo:
        if len(todo) > MOST_PLACES:
            break
        if isinstance(value, dict):
            for key, one in value.items():
                if _like_id(key):
                    found.setdefault(key, set()).add(path)
                todo.append(((*path, EACH if _like_id(key) else key), one))
        elif isinstance(value, list):
            todo += [((*path, EACH), one) for one in value]
        elif _like_id(value):
            found.setdefault(value, set()).add(path)
    yield from found.items()


def _arguments(traces: Sequence[list[ToolCall]]) -> dict[str, set[str]]:
    """For each tool, the arguments with strings or numbers that vary."""
    values: dict[tuple[str, str], set[str]] = {}
    for calls in traces:
        for call in calls:
            for name, value in (call.arguments or {}).items():
                if (
                    isinstance(value, (str, int, float))
                    and not isinstance(value, bool)
                    and name.isidentifier()
                ):
                    seen = values.setdefault((call.tool, name), set())
                    if len(seen) < LEAST_VALUES:
                        seen.add(json.dumps(value))
    found: dict[str, set[str]] = {}
    for (tool, name), seen in values.items():
        if len(seen) >= LEAST_VALUES:
            found.setdefault(tool, set()).add(name)
    return found


def _judged(
    candidates: Sequence[Rule],
    good: Sequence[list[ToolCall]],
    bad: Sequence[list[ToolCall]],
    chance: random.Random,
    tick: Callable[[str], None],
) -> list[tuple[Rule, _Count]]:
    """The candidates that all good traces keep, that are put to the test, and that shuffled traces break."""
    counts = [_Count() for _ in candidates]
    alive = _kept_by_all(candidates, good, counts, tick)
    pool = [call for calls in good for call in calls]
    book = Rulebook([candidates[k] for k in alive])
    for number, calls in enumerate(good):
        if number % 20 == 0:
            tick(f"shuffling trace {number + 1} of {len(good)}")
        for _ in range(SHUFFLES):
            mixed = _shuffled(calls, chance)
            drawn = _renumbered(chance.choices(pool, k=len(calls))) if pool else []
            for k, ordered, other in zip(alive, _results(book, mixed), _results(book, drawn), strict=True):
                loose = not KINDS[candidates[k].kind].ordered and not candidates[k].per
                kept, tested = other if loose else ordered  # drawn anew from all traces
                counts[k].shuffled_tested += tested
                counts[k].shuffled_broken += tested and not kept
    for calls in bad:
        for k, (kept, tested) in zip(alive, _results(book, calls), strict=True):
            counts[k].bad_tested += tested
            counts[k].bad_kept += tested and kept
    return [
        (candidates[k], counts[k]) for k in alive if candidates[k].kind == "never" or counts[k].says_something
    ]


def _kept_by_all(
    candidates: Sequence[Rule],
    good: Sequence[list[ToolCall]],
    counts: Sequence[_Count],
    tick: Callable[[str], None],
) -> list[int]:
    """Return the candidates, by index, that all good traces keep and that one of them tests; count both."""
    alive = list(range(len(candidates)))
    book = Rulebook(candidates)
    for number, calls in enumerate(good):
        if number % 20 == 0:
            tick(f"trace {number + 1} of {len(good)}, {len(alive):,} candidates left")
        results = _results(book, calls)
        for k, (kept, tested) in zip(alive, results, strict=True):
            counts[k].tested += tested
            counts[k].kept += tested and kept
        if not all(kept for kept, _ in results):
            alive = [k for k, (kept, _) in zip(alive, results, strict=True) if kept]
            book = Rulebook([candidates[k] for k in alive])
    return [k for k in alive if counts[k].tested or candidates[k].kind == "never"]


def _shuffled(calls: Sequence[ToolCall], chance: random.Random) -> list[ToolCall]:
    mixed = list(calls)
    chance.shuffle(mixed)
    return _renumbered(mixed)


def _renumbered(calls: Sequence[ToolCall]) -> list[ToolCall]:
    return [replace(call, step=k + 1, message=k) for k, call in enumerate(calls)]


def _results(book: Rulebook, calls: Sequence[ToolCall]) -> list[tuple[bool, bool]]:
    """For each rule: does the trace keep it, and put it to the test? If that is unknown, neither counts."""
    judge = Judge(book)
    for call in calls:
        judge.take(call, call.step)
    trace = Trace()
    return [
        (r.state in ("kept", "not_applicable"), r.applicable and r.state != "unknown")
        for r in judge.results(trace)
    ]


def evidence(one: Mined, good: int, bad: int, first: str = "") -> Iterator[str]:
    """Say which of so many good and bad traces speak for a rule. ``first``: where it was violated first, or empty."""

    def of(tested: int, whole: int) -> str:
        return "" if tested == whole else f", of {whole:,}"

    kept = one.good[1]
    runs = "the only good run that tests" if kept == 1 else f"all {kept:,} good runs that test"
    yield f"kept in {runs} it{of(kept, good)}"
    if one.p is None:
        return
    if not one.bad[1]:
        yield "no bad run tests it"
    elif bad == 1:
        yield f"{'violated' if one.broken else 'kept'} in the bad run{first}, {p_value(one.p)}"
    else:
        runs = "bad run that tests" if one.bad[1] == 1 else "bad runs that test"
        told = f"violated in {one.broken:,} of {one.bad[1]:,} {runs} it{of(one.bad[1], bad)}"
        yield f"{told}{first}, {p_value(one.p)}"


def _not_implied(found: list[Mined], tick: Callable[[str], None]) -> list[Mined]:
    """Without the rules that others imply; of rules with values and without, only those of the same kind count."""
    left = found
    for number, one in enumerate(reversed(found), 1):
        tick(f"leaving out what others imply: rule {number} of {len(found)}")
        names = {calls.name for calls in one.rule.sets}
        others = [
            m
            for m in left
            if m is not one
            and m.rule.per == one.rule.per
            and names.intersection(calls.name for calls in m.rule.sets)
        ]
        near = [m for m in others if {c.name for c in m.rule.sets} <= names] + [
            m for m in others if not {c.name for c in m.rule.sets} <= names
        ]
        plain = [replace(m.rule, id=str(k), per=()) for k, m in enumerate(near)]
        if implied_by(replace(one.rule, per=()), plain) is not None:
            left = [m for m in left if m is not one]
    return left
