"""The calls that a continuation can make, as far as rules can tell them apart.

A continuation calls tools that the trace defines or calls or that a rule names, or one other tool. Its calls have every
combination of conditions that some call can have (``satisfiable.py``), the values that rules have been judged by so
far, or none. A new value would only add to what must be kept, so it is needed only if a condition requires it; then the
search does not decide. Deadlines in seconds are met, since calls may follow at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import product

from planscope.frozen import frozen
from planscope.language.calls import ASSISTANT, USER, Calls, Compare, Condition, Path, compares
from planscope.oracle.trace import ToolCall
from planscope.rules.judge import Rulebook, names
from planscope.rules.machine import FIRST, LATER, MET, THEN
from planscope.rules.rule import Rule
from planscope.rules.satisfiable import ABSENT, MOST, Formula, combinations, completed
from planscope.rules.values import MISSING, OTHER, Place, at, belongs, meets, near, same
from planscope.rules.values import key_part as part_of

FAILED = Formula(outcome="failed")
MOST_LETTERS = 20_000
MOST_KEPT = 50_000
"""Letters whose effects are remembered."""

OTHER_TOOL = "*"
"""Stands for every tool that is not known. Only "any call" names it."""

Values = Callable[[tuple[Formula, ...], Path], tuple[tuple[object, ...], bool]]


class Undecided(Exception):
    """A limit was reached, or a condition requires a value that is not searched."""


@frozen
class Letter:
    """One possible call: a tool, the truth of conditions, and values (canonical, see ``values.key_part``) by path.

    ``fresh``: the call begins a message. ``tool`` is USER or ASSISTANT for a message.
    """

    tool: str
    truths: tuple[tuple[Formula, bool], ...] = ()
    values: tuple[tuple[Path, object], ...] = ()
    fresh: bool = True


Effects = tuple[tuple[int, int], ...]
"""Numbers of places, each with the letter of its automaton."""

Row = tuple[tuple[tuple[Place, int], ...], tuple[tuple[int, int], ...]]
"""What a call does: the rules and values that it touches, each with its letter; and for a user message the rules that
hear it for every value."""


class Alphabet:
    """The possible calls of one rulebook with one set of known tools."""

    def __init__(self, book: Rulebook, tools: Sequence[str]) -> None:
        self.book = book
        self.tools = tools
        self.formulas: Callable[[str], dict[Formula, None]] = cache(self._formulas)
        """Every condition that a rule has on calls of a tool, or on user messages ("")."""
        self.row: Callable[[Letter], Row] = lru_cache(MOST_KEPT)(self._row)
        """What the call does to the rules that see it."""
        self.of: Callable[[tuple[Place, ...]], tuple[tuple[Letter, ...], bool]] = lru_cache(1_000)(self._of)
        """Every call that some of these rules can tell from the others, and whether there are no more. Raises
        Undecided for more than ``MOST_LETTERS``."""
        self.completed: Callable[[Letter], Letter] = lru_cache(MOST_KEPT)(self._completed)
        """The letter, completed with a truth value for every condition that a rule has on its tool."""
        self._of_any: Callable[[str, tuple[Place, ...]], list[Letter]] = lru_cache(MOST_KEPT)(self._beginning)

    def effect(self, letter: Letter, place: Place) -> int | None:
        """Return what the call is to a rule (a letter of its automaton), or None if the rule does not see it."""
        touched, every = self.row(letter)
        return dict(every).get(place[0]) if letter.tool in (USER, ASSISTANT) else dict(touched).get(place)

    def _row(self, letter: Letter) -> Row:
        truths, values = dict(letter.truths), dict(letter.values)

        def has(calls: Calls) -> bool:
            return calls.plain or truths.get(Formula.of(calls), False)

        def met(condition: Condition | None) -> bool:
            return truths.get(Formula(condition), False)

        def get(path: Path) -> object:
            value = values.get(path, ABSENT)
            return None if value is ABSENT else value

        touched: list[tuple[Place, int]] = []
        every: list[tuple[int, int]] = []
        for i in self.book.seeing(letter.tool):
            touch = self.book.touch(i, letter.tool)
            assert touch is not None
            (bits,) = touch.letters(has, met)
            if self.book.rules[i].against is not None:  # it agrees, and some call can agree with its answer
                bits |= (MET if bits & THEN else 0) | (FIRST if bits & LATER else 0)
            key = touch.value(get)
            if letter.tool in (USER, ASSISTANT):
                every.append((i, bits))
            elif key is not None or not touch.paths:
                touched.append(((i, key), bits))
        return tuple(touched), tuple(every)

    def effects(
        self, letter: Letter, places: Mapping[Place, int], heard: Mapping[int, Sequence[int]]
    ) -> Effects:
        """Return the effect on each of these places, by its number, where there is one.

        ``places`` numbers them; ``heard`` has the numbers of each rule's places.
        """
        touched, every = self.row(letter)
        found = [(places[place], bits) for place, bits in touched if place in places]
        for i, bits in every:
            found += [(k, bits) for k in heard.get(i, ())]
        found.sort()
        return tuple(found)

    def _of(self, places: tuple[Place, ...]) -> tuple[tuple[Letter, ...], bool]:
        rules = {i: self.book.rules[i] for i, _ in places}
        late = any(self.book.late[i] for i in rules)
        numbers, heard = numbered(places)
        complete = True
        found: dict[tuple[bool, Effects], Letter] = {}
        said: frozenset[str] = frozenset().union(*(rule.hears for rule in rules.values()))
        for tool in [*self.tools, OTHER_TOOL, *sorted(said)]:
            for letter in self.of_tool(tool, places):
                if letter is None:
                    complete = False
                    continue
                effects = self.effects(letter, numbers, heard)
                if not effects and not late:
                    continue
                found.setdefault((True, effects), letter)
                if late:
                    found.setdefault((False, effects), replace(letter, fresh=False))
                if len(found) > MOST_LETTERS:
                    raise Undecided
        return tuple(found.values()), complete

    def of_tool(
        self, tool: str, places: Sequence[Place], call: ToolCall | None = None, values: Values | None = None
    ) -> Iterator[Letter | None]:
        """Return letters of one tool, or None if there may be others. ``call``: only those that agree with this
        unanswered call. ``values``: those to try for an argument that rules are judged by and conditions test, and
        whether they are enough."""
        formulas = self._conditions(tool, {i: self.book.rules[i] for i, _ in places}.values())
        if self._drops_failed(formulas):
            formulas[FAILED] = None
        paths = self._values_of(tool, places)
        known = {FAILED: False} if self.book.succeeded_only else {}
        if call is not None:
            # what the call has counts for all rules, not only for those of ``places``
            truths = {f: truth for f in self.formulas(tool) if (truth := _known(f, call)) is not None}
            sure = tuple((f, truth) for f, truth in truths.items() if f not in formulas)
            every = (self.book.rules[i] for i in self.book.seeing(tool))
            paths |= {path: {ABSENT} for rule in every for path in (*rule.per, *rule.per_then)}
            found = ((path, at(call.arguments or {}, path)) for path in paths)
            given = {path: ABSENT if value is MISSING else part_of(value) for path, value in found}
            truths |= {f: truth for f in formulas if (truth := _known(f, call)) is not None}
            yield from letters_with(tool, formulas, {**truths, **known}, given, {}, sure)
            return
        asked = self.asked(formulas)
        complete = len(asked) < 2 or values is not None
        for path in asked:
            more, enough = (values or _values)(tuple(formulas), path)
            paths.setdefault(path, {ABSENT}).update(more)
            complete = complete and enough
        if not complete:
            yield None
        some = (sorted(ones, key=lambda v: (v is ABSENT, repr(v))) for ones in paths.values())
        for chosen in product(*some):
            given = dict(zip(paths, chosen, strict=True))
            yield from letters_with(tool, formulas, known, given, {path: given[path] for path in asked})

    def _values_of(self, tool: str, places: Sequence[Place]) -> dict[Path, set[object]]:
        """Return the arguments by which these rules judge calls of a tool, each with the values so far, and none."""
        found: dict[Path, set[object]] = {}
        for i, key in places:
            rule = self.book.rules[i]
            if key is None or tool in (USER, ASSISTANT):
                continue
            if rule.every_call or any(c.names(tool) for c in rule.sets):
                for paths in (rule.per, rule.per_then):
                    for path, value in zip(paths, key, strict=False):
                        found.setdefault(path, {ABSENT}).add(value)
        return found

    def _formulas(self, tool: str) -> dict[Formula, None]:
        return self._conditions(tool, self.book.rules)

    def _conditions(self, tool: str, rules: Iterable[Rule]) -> dict[Formula, None]:
        found: dict[Formula, None] = {}
        for rule in rules:
            named = [calls for calls in rule.sets if names(calls, tool)]
            found.update((Formula.of(calls), None) for calls in named if not calls.plain)
            if rule.kind == "latest" and any(calls in rule.first for calls in named):
                found[Formula(rule.condition)] = None
        return found

    def _drops_failed(self, formulas: Iterable[Formula]) -> bool:
        """Return whether failed calls do not count, where conditions look at answers."""
        return self.book.succeeded_only and any(f.calls.needs_answer for f in formulas)

    def asked(self, formulas: Iterable[Formula]) -> list[Path]:
        """Return the arguments that rules are judged by and that conditions test."""
        used = {c.path for f in formulas for c in compares(f.condition) if c.source == "argument"}
        by = {path for rule in self.book.rules for path in (*rule.per, *rule.per_then)} if used else set()
        return sorted((path for path in by if any(_same_root(path, other) for other in used)), key=repr)

    def _completed(self, letter: Letter) -> Letter:
        known = dict(letter.truths)
        rest = [formula for formula in self.formulas(letter.tool) if formula not in known]
        if self._drops_failed((*known, *rest)):
            known[FAILED] = False
        rest = [formula for formula in rest if formula not in known]
        values = dict(letter.values)
        fixed = {path: values.get(path, ABSENT) for path in self.asked([*known, *rest])}
        truths = completed(known, rest, fixed) if rest else ()
        return replace(letter, truths=(*known.items(), *zip(rest, truths, strict=True)))

    def beginnings(self, places: Sequence[Place], first: ToolCall | str) -> list[Letter]:
        """Return what the next call can be, as a new message: of a tool, or a call that is made but not answered
        yet. Calls that fail come last."""
        if isinstance(first, ToolCall):
            return self._beginning(first.tool, places, first)
        return self._of_any(first, tuple(places))

    def _beginning(self, tool: str, places: Sequence[Place], call: ToolCall | None = None) -> list[Letter]:
        found = [self.completed(one) for one in self.of_tool(tool, places, call) if one is not None]
        return sorted(found, key=lambda one: any(f.outcome == "failed" and truth for f, truth in one.truths))


def letters_with(
    tool: str,
    formulas: Iterable[Formula],
    known: Mapping[Formula, bool],
    given: Mapping[Path, object],
    fixed: Mapping[Path, object],
    sure: tuple[tuple[Formula, bool], ...] = (),
) -> Iterator[Letter]:
    """Yield the letters of a tool with these values, whose conditions are true or false as it is known of some.
    ``fixed``: the values that conditions test; ``sure``: what is known of other conditions."""
    had = tuple((path, value) for path, value in given.items() if value is not ABSENT)
    for truths in combinations(list(formulas), fixed):
        paired = tuple(zip(formulas, truths, strict=True))
        if all(known.get(formula, truth) is truth for formula, truth in paired):
            yield Letter(tool, (*paired, *sure), had)


def numbered(places: Sequence[Place]) -> tuple[dict[Place, int], dict[int, list[int]]]:
    """Number the places, and return each rule's numbers too."""
    numbers = {place: k for k, place in enumerate(places)}
    heard: dict[int, list[int]] = {}
    for k, (i, _) in enumerate(places):
        heard.setdefault(i, []).append(k)
    return numbers, heard


def compared(formulas: Iterable[Formula], path: Path) -> list[Compare] | None:
    """Return the conditions on an argument, or None if there are conditions on a part of it or on what has it."""
    here = [c for f in formulas for c in compares(f.condition) if c.source == "argument"]
    ones = [c for c in here if _same_root(c.path, path)]
    return ones if all(c.path == path for c in ones) else None


@lru_cache(maxsize=1024)
def _values(formulas: tuple[Formula, ...], path: Path) -> tuple[tuple[object, ...], bool]:
    """Return values that conditions on an argument name, and whether no others are needed: those of rules that were
    judged by this argument come to them.

    Others are not needed if a call without the argument can meet whatever one with yet another value can meet. Else
    there is one value for each way to meet the conditions.
    """
    ones = compared(formulas, path)
    if ones is None or len(formulas) > MOST - 2:
        return (), False
    named = [
        v for c in ones for v in (c.value if isinstance(c.value, tuple) else (c.value,)) if v is not None
    ]
    marks = (
        Formula(Compare("argument", path, "is one of", tuple(named))),
        Formula(Compare("argument", path, "is missing")),
    )
    others = {truths[:-2] for truths in combinations([*formulas, *marks]) if not any(truths[-2:])}
    if others <= set(combinations(formulas, {path: ABSENT})):
        return tuple(dict.fromkeys(map(part_of, named))), True
    ways: dict[tuple[bool, ...], object] = {}
    for value in (*near(ones), OTHER):
        if not any(same(value, one) for one in named):
            ways.setdefault(tuple(meets(value, one) for one in ones), value)
    return tuple(dict.fromkeys(map(part_of, (*named, *ways.values())))), False


def _same_root(one: Path, other: Path) -> bool:
    size = min(len(one), len(other))
    return one[:size] == other[:size]


def met(formula: Formula, call: ToolCall) -> bool | None:
    """Return whether a call meets a formula; None if the trace does not tell."""
    return belongs(formula.calls, call)


def _known(formula: Formula, call: ToolCall) -> bool | None:
    """Return whether a call that is not answered yet meets a formula; None if that depends on its answer."""
    return met(formula, replace(call, answered=True, answer=None, failed=None))
