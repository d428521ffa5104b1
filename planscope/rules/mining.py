"""Rules that good traces keep: candidates over single tools and pairs, judged on every trace and on shuffled ones.

Answers give candidates too: a field that the latest look at the same thing always had, and an answer among whose values
an argument always was.

A candidate is listed if every good trace keeps it, it is put to the test, other listed rules do not imply it, and it
says something. Either it would be broken if each trace's calls were shuffled, in at least ``SHUFFLED`` of the traces
that put it to the test, and often enough that it is unlikely (``LUCK``) that all good traces keep it by luck. Or bad
traces break it more often than good ones, by the test below without its correction.
What says something may still be an accident of these traces. So each is left out once: a candidate that it alone breaks
would have been listed without it, and would have judged it wrong. Kinds of rules that judge the fewest left out traces
wrong are listed, as long as that are at most ``ACCUSED`` of all.
With bad traces the rules are ranked by Fisher's exact test: of the traces that put a rule to the test, do more bad ones
than good ones break it? It is corrected for the number of candidates (Bonferroni). Traces that do not test a rule say
nothing about it: a tool that only hard tasks need would otherwise make each rule about it significant.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Literal, NamedTuple

from planscope.language.calls import EACH, Against, Calls, Compare, Path, path_text
from planscope.language.constructions import Kind
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.checking import implied_by
from planscope.rules.judge import Judge, Rulebook
from planscope.rules.kinds import KINDS
from planscope.rules.rule import Rule
from planscope.rules.values import answer_of
from planscope.rules.words import sentence_of
from planscope.stats import LEVEL, fisher
from planscope.wording.phrases import p_value

SHUFFLED = 0.05
LUCK = 0.04
ACCUSED, NEW = 0.065, 0.008
"""Of the good traces, the most that may be judged wrong by rules that are mined from the others; and what each kind of
rules is expected to add, of traces that are not seen yet."""
SHUFFLES = 5
"""Shuffles of each trace."""
MOST_TOOLS = 60
"""The most frequent tools that candidates are made of."""
MOST_KINDS, LONGEST, DEEPEST = 12, 100, 5
"""Values of a field that rules ask for are fewer; they and texts that are compared are at most so long, and lie at most
so deep in an answer."""
LEAST_RUNS = 8
"""Traces that have an argument, at least, if a place for it is looked for among all of an answer."""
MOST_SEEN = 50
"""Answers of a tool in which arguments are looked for, the last ones."""
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
    slip: int | None = None
    """The one good trace that breaks it, by its number."""
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
    names = _arguments(good_calls)
    candidates = [*_candidates(good_calls, names, within), *_Answers(good_calls, names).rules()]
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


def _candidates(
    traces: Sequence[list[ToolCall]], arguments: Mapping[str, set[str]], within: int
) -> list[Rule]:
    """Return every rule of the table over the most frequent tools, for whole traces and for values that tools share."""
    frequency: dict[str, int] = {}
    for calls in traces:
        for tool in {call.tool for call in calls}:
            frequency[tool] = frequency.get(tool, 0) + 1
    tools = sorted(frequency, key=lambda tool: (-frequency[tool], tool))[:MOST_TOOLS]
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


class _Answers:
    """Rules about answers that nearly every trace keeps: "A only if the latest B for the same X had Y = V", and "A only
    with X among an earlier B's Y", of which one is made for each argument."""

    def __init__(self, traces: Sequence[list[ToolCall]], arguments: Mapping[str, set[str]]) -> None:
        self._names = arguments
        self._runs: dict[Rule, set[int]] = {}
        """By a rule, the traces in which a call keeps it."""
        self._tested: dict[tuple[str, str], set[int]] = {}
        self._values: dict[tuple[str, str], set[str]] = {}
        for number, calls in enumerate(traces):
            earlier: dict[str, list[_Seen]] = {}
            for call in calls:
                for name, value in (call.arguments or {}).items():
                    self._tested.setdefault((call.tool, name), set()).add(number)
                    for made in earlier.values():
                        for rule in self._kept(call.tool, name, value, made):
                            self._runs.setdefault(rule, set()).add(number)
                self._add(call, earlier)

    def _add(self, call: ToolCall, earlier: dict[str, list[_Seen]]) -> None:
        answer = answer_of(call)
        if isinstance(answer, (dict, str)) and not call.failed:
            seen = earlier.setdefault(call.tool, [])
            seen.append(_Seen(call, answer, dict[str, set[Path]]()))
            _hold(answer, (), seen[-1].places)
            del seen[:-MOST_SEEN]
        for field, value in answer.items() if isinstance(answer, dict) else ():
            if isinstance(value, (str, bool)):
                self._values.setdefault((call.tool, field), set()).add(str(value))

    def _kept(self, tool: str, name: str, value: object, earlier: Sequence[_Seen]) -> Iterator[Rule]:
        """Yield what holds of a call and the earlier answers of a tool."""
        other = earlier[0].call.tool
        looks = name in self._names.get(tool, ()) and name in self._names.get(other, ())
        latest = [one for one in earlier if looks and (one.call.arguments or {}).get(name) == value][-1:]
        for field, had in latest[0].answer.items() if latest and isinstance(latest[0].answer, dict) else ():
            if isinstance(had, (str, bool)) and len(str(had)) <= LONGEST:
                yield replace(
                    _rule("latest", other, tool, per=name), condition=Compare("answer", (field,), "=", had)
                )
        every = value if isinstance(value, list) else [value]
        wanted = [one for one in every if isinstance(one, str) and 4 <= len(one) <= LONGEST]
        for some in (earlier[-1:], earlier) if wanted and len(wanted) == len(every) else ():
            held = (set[Path]().union(*(seen.places.get(one, ()) for seen in some)) for one in wanted)
            for path in set[Path].intersection(*held):
                against = Against((name,), "among", path, every=some is earlier)
                yield replace(_rule("compared", other, tool, int(against.every)), against=against)

    def rules(self) -> list[Rule]:
        """Return the candidates."""
        found: list[Rule] = []
        places: dict[tuple[str, str], list[tuple[Rule, set[int]]]] = {}
        for rule, ones in sorted(
            self._runs.items(), key=lambda one: (-len(one[1]), one[0].count, sentence_of(one[0]))
        ):
            tool = rule.then[0].name
            if rule.against is not None:
                places.setdefault((tool, str(rule.against.argument[0])), []).append((rule, ones))
            elif (
                isinstance(rule.condition, Compare)
                and len(self._tested[tool, str(rule.per[0][0])]) - len(ones) < 2
            ):
                kinds = len(self._values[rule.first[0].name, str(rule.condition.path[0])])
                found += [rule] if 1 < kinds < MOST_KINDS else []
        supported = ((some, len(self._tested[argument])) for argument, some in places.items())
        best = (_nearly_all(some, runs) for some, runs in supported if runs >= LEAST_RUNS)
        # that an argument is among the answers to calls with the same one is said by their order
        return [*found, *(r for r in best if r and r.against and r.against.answer != r.against.argument)]


class _Seen(NamedTuple):
    """An answer, and the places of its texts."""

    call: ToolCall
    answer: object
    places: dict[str, set[Path]]


def _nearly_all(places: Sequence[tuple[Rule, set[int]]], runs: int) -> Rule | None:
    """Return the first place that has an argument in all runs but at most one, or else two tools that have it so."""
    for rule, ones in places:
        if runs - len(ones) < 2:
            return rule
    for (rule, ones), (other, others) in combinations(places[:MOST_KINDS], 2):
        if rule.against == other.against and rule.first != other.first and runs - len(ones | others) < 2:
            return replace(rule, first=rule.first + other.first)
    return None


def _hold(value: object, path: Path, held: dict[str, set[Path]]) -> None:
    """Add the places of texts: keys of objects, and values, with ``*`` for any element."""
    if isinstance(value, str):
        held.setdefault(value, set()).add(path)
    elif isinstance(value, dict) and len(path) < DEEPEST:
        for key, one in value.items():
            held.setdefault(key, set()).add(path)
            _hold(one, (*path, key), held)
    elif isinstance(value, list) and len(path) < DEEPEST:
        for one in value:
            _hold(one, path if isinstance(one, str) else (*path, EACH), held)


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
    alive = _kept_by_nearly_all(candidates, good, counts, tick)
    pool = [call for calls in good for call in calls]
    book = Rulebook([candidates[k] for k in alive])
    for number, calls in enumerate(good):
        if number % 20 == 0:
            tick(f"shuffling trace {number + 1} of {len(good)}")
        for _ in range(SHUFFLES):
            mixed = _shuffled(calls, chance)
            drawn = _renumbered(chance.choices(pool, k=len(calls))) if pool else []
            for k, ordered, other in zip(alive, _results(book, mixed), _results(book, drawn), strict=True):
                rule = candidates[k]
                loose = rule.against is not None or (not KINDS[rule.kind].ordered and not rule.per)
                kept, tested = other if loose else ordered  # drawn anew from all traces
                counts[k].shuffled_tested += tested
                counts[k].shuffled_broken += tested and not kept
    for calls in bad:
        for k, (kept, tested) in zip(alive, _results(book, calls), strict=True):
            counts[k].bad_tested += tested
            counts[k].bad_kept += tested and kept
    telling = [k for k in alive if candidates[k].kind == "never" or counts[k].says_something]
    trusted = _trusted([(candidates[k], counts[k].slip) for k in telling], len(good))
    return [
        (candidates[k], counts[k])
        for k in telling
        if counts[k].slip is None and (_kind(candidates[k]) in trusted or (bad and counts[k].chance <= LEVEL))
    ]


def _kind(rule: Rule) -> tuple[str, bool, str]:
    """Return what rules have in common that are trusted together."""
    return rule.kind, bool(rule.per), path_text(rule.against.argument) if rule.against is not None else ""


def _trusted(telling: Sequence[tuple[Rule, int | None]], runs: int) -> set[tuple[str, bool, str]]:
    """Return the kinds of rules by which few left out traces would be judged wrong. Each kind costs those that it alone
    accuses, and ``NEW`` for those that may come."""
    accused: dict[tuple[str, bool, str], set[int]] = {}
    sure: Counter[tuple[str, bool, str]] = Counter()
    for rule, slip in telling:
        accused.setdefault(_kind(rule), set()).update(() if slip is None else (slip,))
        sure[_kind(rule)] += slip is None
    found: dict[tuple[str, bool, str], set[int]] = {}
    for kind in sorted(accused, key=lambda kind: (len(accused[kind]) / (1 + sure[kind]), -sure[kind], kind)):
        every = accused[kind].union(*found.values())
        if len(every) + (len(found) + 1) * NEW * runs <= ACCUSED * runs:
            found[kind] = accused[kind]
    return set(found)


def _kept_by_nearly_all(
    candidates: Sequence[Rule],
    good: Sequence[list[ToolCall]],
    counts: Sequence[_Count],
    tick: Callable[[str], None],
) -> list[int]:
    """Return the candidates, by index, that all good traces keep but for at most one, and that one of them tests; count
    both."""
    alive = list(range(len(candidates)))
    book = Rulebook(candidates)
    for number, calls in enumerate(good):
        if number % 20 == 0:
            tick(f"trace {number + 1} of {len(good)}, {len(alive):,} candidates left")
        results = _results(book, calls)
        for k, (kept, tested) in zip(alive, results, strict=True):
            counts[k].tested += tested
            counts[k].kept += tested and kept
        broken = {k for k, (kept, _) in zip(alive, results, strict=True) if not kept}
        if gone := {k for k in broken if counts[k].slip is not None}:
            alive = [k for k in alive if k not in gone]
            book = Rulebook([candidates[k] for k in alive])
        for k in broken:
            counts[k].slip = number
    return [k for k in alive if counts[k].kept or candidates[k].kind == "never"]


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
