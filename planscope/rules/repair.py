"""Finds the cheapest change after which a trace keeps every rule: calls moved, inserted and removed, each at a cost
of one.

Of equally cheap changes the one with more moves wins, then with more insertions, then the one that moves calls by fewer
places, then the one with the later places, then names that come first in the alphabet. A person must be able to follow
it:

- A call that is not marked ``only reads`` is not moved to before a read or a message of the user that it stood after,
  because the agent may have made it for what it read there. The mark of the moved call counts: a read may go anywhere.
  What is passed is a read only if it is marked. Nor is a marked read whose answer a rule goes by moved to after a write
  that stood after it, which would be the same.
- No call is inserted on condition of an answer if the trace's own answer to such a call contradicts it: the last one
  before that place, or else the first one after it. Arguments that the inserted call leaves open count as the same.
- No call is inserted with a value that is found nowhere: in no argument, answer or user message of the trace, and in
  no condition of a rule.

Like ``future.py``, the search begins with the broken rules and adds those that a change breaks. Rules that share no
call are repaired one by one (``nearest.py``).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import product

from planscope.frozen import frozen
from planscope.language.calls import USER, Compare, Path
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.budget import SECONDS, Budget, Spent
from planscope.rules.future import Future
from planscope.rules.judge import (
    Event,
    Judge,
    Rulebook,
    StepNo,
    compared_letters,
    counts,
    events,
    said_by,
    seen_by,
)
from planscope.rules.letters import Alphabet, Letter, compared, letters_with, met
from planscope.rules.machine import LATER
from planscope.rules.nearest import (
    Edit,
    Effects,
    Insertion,
    Search,
    Seen,
    Trail,
)
from planscope.rules.satisfiable import ABSENT, Formula, TooMany, example
from planscope.rules.values import MISSING, Place, agreement, answer_of, at, key_part, meets, plain_value
from planscope.wording.phrases import plural

MOST_TRIED = 2_000
"""Limit of other calls that are tried to find out what an inserted call needs."""
MOST_ROUNDS = 5
MOST_VALUES = 2_000
"""Limit of values of a trace that are tried for a condition."""

NEW = "\0"
"""Stands for a value that no call has yet."""

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@frozen
class Moved:
    """A call to move. ``turns``: messages of the user between its new place and the step ``before``. ``alone``: it
    keeps its place, but is made in a message of its own."""

    step: int
    tool: str
    before: StepNo
    turns: int = 0
    alone: bool = False


@frozen
class Inserted:
    """A call to insert. ``letter`` has what it needs, and no more: conditions that it meets or does not meet, and
    values that it has or does not have (ABSENT)."""

    tool: str
    before: StepNo
    letter: Letter
    turns: int = 0


@frozen
class Removed:
    step: int
    tool: str


@frozen
class RulesRepair:
    """The changes of a repair. ``exact``: fewer are not enough. Moved calls keep their answers.

    ``placed``: the moved and inserted calls in their order, which tells those before the same step apart. ``reason``:
    why there is none. ``sought``: False if the budget ended before that was clear.
    """

    moved: tuple[Moved, ...] = ()
    inserted: tuple[Inserted, ...] = ()
    removed: tuple[Removed, ...] = ()
    exact: bool = True
    placed: tuple[Moved | Inserted, ...] = ()
    reason: str = ""
    sought: bool = True

    @property
    def cost(self) -> int:
        return len(self.moved) + len(self.inserted) + len(self.removed)


def repair(
    book: Rulebook,
    tools: Sequence[str],
    trace: Trace,
    *,
    reads: Callable[[str], bool] = lambda tool: False,
    budget: Budget | None = None,
) -> RulesRepair:
    """Return the cheapest change, or why there is none. ``reads``: whether a tool is marked as only reading."""
    return _Repair(book, tools, trace, reads, budget if budget is not None else Budget()).found()


class _Repair:
    """The repair of one trace."""

    def __init__(
        self,
        book: Rulebook,
        tools: Sequence[str],
        trace: Trace,
        reads: Callable[[str], bool],
        budget: Budget,
    ) -> None:
        budget.until = time.thread_time() + SECONDS
        happened = list(events(trace.items, (USER, *book.hears)))
        self.book, self.tools, self.budget = book, sorted(tools), budget
        self.happened = [event for event, _ in happened]
        self.steps = [step for _, step in happened]
        self.alphabet = Alphabet(book, tools)
        sees = list(_seen(book, self.happened))
        whole: list[Place] = [(i, None) for i, rule in enumerate(book.rules) if not rule.per]
        by_value = dict.fromkeys(place for ones in sees for place, _ in ones if place[1] is not None)
        self.places = sorted([*whole, *by_value], key=lambda place: place[0])
        called = (call.tool for call in trace.calls)
        self.trail = Trail(book, self.happened, sees, reads, {*tools, *called}, self._effects)
        self.sure = True
        self.lacks: set[str] = set()
        """What calls would need that must not be inserted."""

    def _effects(self, letter: Letter) -> list[Seen]:
        return [(place, (bits,)) for place, bits in self.alphabet.row(letter)[0]]

    def found(self) -> RulesRepair:
        broken = [place for place in self.places if not self.trail.keeps(place)]
        for i, _ in broken:
            if self.book.seconds[i]:
                return self._none(
                    f"{self.book.rules[i].title} has a deadline in seconds, and times cannot be changed"
                )
        try:
            return self._nearest(broken, self.budget.part(1 / 3))
        except Spent:
            pass
        if Future(self.book, self.tools).of(Judge(self.book)).possible is False:
            return self._none("no sequence of calls keeps these rules together")
        try:
            return self._one_by_one(broken)
        except Spent:
            return self._unsought(len({i for i, _ in broken}))

    def _nearest(self, chosen: list[Place], budget: Budget) -> RulesRepair:
        """Return the repair of all broken rules, or that there is none. Raises Spent."""
        while True:
            found = self._solved(self.trail, chosen, frozenset(), budget)
            if isinstance(found, str):
                return self._none(found)
            said = self._said(*found)
            if isinstance(said, RulesRepair):
                return said
            more = [place for place in said if place not in chosen]
            if not more:
                raise Spent
            chosen = [*chosen, *more]

    def _one_by_one(self, broken: list[Place]) -> RulesRepair:
        """Repair one broken rule after another, each in the trace that the repairs before it leave. If that
        goes quickly, no repair breaks what was kept; else it is repaired in the next round. Raises Spent."""
        trail = self.trail
        every_call = [rule.every_call for rule in self.book.rules]
        for _ in range(MOST_ROUNDS):
            for i in sorted({i for i, _ in broken}, key=lambda i: (every_call[i], i)):
                own = [place for place in broken if place[0] == i and not trail.keeps(place)]
                others = frozenset(broken)
                found = self._solved(trail, own, None, self.budget)
                with suppress(Spent):
                    found = self._solved(trail, own, others, self.budget.part(1 / 4))
                if isinstance(found, str):
                    raise Spent
                trail = trail.changed(found[0])
            broken = [place for place in self.places if not trail.keeps(place)]
            if not broken:
                break
        edits = trail.edits(len(self.happened))
        after = self.trail.changed(edits)
        kept = all(map(after.keeps, self._touched(self.trail, edits, self.places)))
        legal = all(self.trail.may_move(k, place) for kind, k, _, place in edits if kind == "move")
        said = self._said(edits, False) if kept and legal else []
        if not isinstance(said, RulesRepair):
            raise Spent
        return said

    def _solved(
        self, trail: Trail, chosen: list[Place], broken: frozenset[Place] | None, budget: Budget
    ) -> tuple[list[Edit], bool] | str:
        """Return changes after which these rules are kept, and whether fewer cannot do; or why there are none.
        ``broken``: rules that need not be kept unless they are chosen, None: all. Raises Spent."""
        solved = trail.solved
        joined = False
        while True:
            edits: list[Edit] = []
            sure = True
            for part in [chosen] if joined else self._parts(trail, chosen):
                key = frozenset(part)
                if key not in solved:
                    best = Search(trail, part, self._insertions(trail, part), budget).best()
                    if best is None:
                        return self._why(part)
                    solved[key] = best
                edits += solved[key][0]
                sure = sure and solved[key][1]
            edits.sort(key=lambda edit: edit[3])
            touched = self._touched(trail, edits, chosen) if broken is not None else chosen
            touched = [p for p in touched if p in chosen or p not in (broken or ())]
            after = trail.changed(edits)
            wrong = [place for place in touched if not after.keeps(place)]
            if not wrong:
                return edits, sure
            if any(self.book.seconds[i] for i, _ in wrong):
                raise Spent
            more = [place for place in wrong if place not in chosen]
            if not more and joined:
                raise Spent
            joined = joined or not more
            chosen = [*chosen, *more]

    def _none(self, reason: str) -> RulesRepair:
        return RulesRepair(exact=self.sure, reason=reason)

    def _unsought(self, rules: int) -> RulesRepair:
        calls = sum(isinstance(event, ToolCall) for event in self.happened)
        what = f"{plural(rules, 'rule')} broken in {plural(calls, 'call')}"
        return RulesRepair(exact=False, reason=f"not sought further ({what})", sought=False)

    def _why(self, part: Sequence[Place]) -> str:
        """Say why there is no repair of these rules."""
        names = ", ".join(dict.fromkeys(self.book.rules[i].title for i, _ in part))
        lacks = f"; an inserted call would need {' or '.join(sorted(self.lacks))}" if self.lacks else ""
        tried = "" if self.sure else " that was tried"
        return f"no change of the calls{tried} keeps {names}{lacks}"

    # Which rules a change concerns

    def _parts(self, trail: Trail, places: Sequence[Place]) -> list[list[Place]]:
        """Return the rules and values in groups that share no call."""
        if trail.splits(places):
            return [list(places)]
        self.budget.spend(len(places) ** 2 // 50)
        parts: list[list[Place]] = []
        for place in places:
            near = [part for part in parts if any(trail.share(place, other) for other in part)]
            parts = [part for part in parts if part not in near]
            parts.append([*(other for part in near for other in part), place])
        return sorted(parts, key=len)

    def _touched(self, trail: Trail, edits: Sequence[Edit], chosen: Sequence[Place]) -> list[Place]:
        """Return the rules and values that a change may matter to, with those that inserted calls bring."""
        found = dict.fromkeys(chosen)
        for _, k, letter, _ in edits:
            if letter is not None:
                found |= dict.fromkeys(place for place, _ in self.alphabet.row(letter)[0])
            else:
                found |= dict.fromkeys(place for place, _ in trail.sees[k])
        if edits and any(self.book.late):
            found |= dict.fromkeys(place for place in self.places if self.book.late[place[0]])
        return list(found)

    # Calls to insert

    def _insertions(self, trail: Trail, places: Sequence[Place]) -> Iterator[Insertion]:
        """Yield calls that can be inserted, by the alphabet. If others may be needed, the repair is not exact."""
        rules = [self.book.rules[i] for i in dict.fromkeys(i for i, _ in places)]
        unnamed = False

        def values(formulas: tuple[Formula, ...], path: Path) -> tuple[tuple[object, ...], bool]:
            tests = compared(formulas, path)
            if tests is None:
                return (), False
            return tuple(key_part(value) for value in self._differing(tests, taken)), True

        taken: set[object] = set()
        for tool in self.tools:
            if not any(calls.names(tool) for rule in rules for calls in rule.sets):
                if unnamed:
                    continue  # rules cannot tell it from the first one
                unnamed = True
            taken = {part for i, key in places if self.book.touch(i, tool) for part in key or ()}
            try:
                for letter in self.alphabet.of_tool(tool, places, values=values):
                    self.budget.spend(1)
                    if letter is None:
                        self.sure = False
                    elif (one := self._insertion(trail, letter)) is not None:
                        whole = self.alphabet.completed(letter)
                        yield one._replace(letter=whole, sees=self._effects(whole))
            except TooMany:
                self.sure = False

    def _insertion(self, trail: Trail, letter: Letter) -> Insertion | None:
        """Return the call, with the answers that the trace has to such calls; None if no value for it is found."""
        if not self._is_found(letter):
            self.lacks.add("a value that is found nowhere")
            return None
        if not any(formula.calls.needs_answer for formula, _ in letter.truths):
            return Insertion(letter, [])
        answers = []
        for k, call in enumerate(trail.happened):
            if not isinstance(call, ToolCall) or call.tool != letter.tool:
                continue
            if call.arguments is None or not call.answered or not counts(self.book, call):
                continue
            had = ((path, at(call.arguments, path)) for path, _ in letter.values)
            if {path: MISSING if v is MISSING else key_part(v) for path, v in had} != dict(letter.values):
                continue
            open_call = replace(call, answer=None, failed=None)
            if all(met(formula, open_call) in (None, truth) for formula, truth in letter.truths):
                answers.append(
                    (k, all(met(formula, call) in (None, truth) for formula, truth in letter.truths))
                )
        if all(good for _, good in answers):
            return Insertion(letter, [])
        self.lacks.add("an answer that the trace contradicts")
        return Insertion(letter, [], tuple(answers))

    def _is_found(self, letter: Letter) -> bool:
        """Return whether values that are found somewhere meet what the letter says of arguments."""
        given = {path: value for path, value in letter.values if value is not ABSENT}
        try:
            if example(letter.truths, given, self._differing) is not None:
                return True
            self.sure = self.sure and len(self._values) < MOST_VALUES
        except TooMany:
            self.sure = False
        return False

    def _differing(self, tests: Sequence[Compare], taken: Collection[object] = ()) -> list[object]:
        """Return a value for every way in which values that are found meet these conditions or do not. ``taken``:
        values (canonical) that are not wanted."""
        found: dict[tuple[bool, ...], object] = {}
        named = [v for c in tests for v in (c.value if isinstance(c.value, tuple) else (c.value,))]
        for value in (*named, *self._values):
            truths = tuple(meets(value, compare) for compare in tests)
            if value is not None and truths not in found and key_part(value) not in taken:
                found[truths] = value
        return list(found.values())

    @cached_property
    def _values(self) -> list[object]:
        """The values of arguments, answers and user messages, of the latter every word."""
        found: dict[tuple[type, object], object] = {}

        def add(value: object) -> None:
            todo = [value]
            while todo and len(found) < MOST_VALUES:
                one = todo.pop()
                if isinstance(one, Mapping):
                    todo += one.values()
                elif isinstance(one, list):
                    todo += one
                elif isinstance(one, (str, int, float)):
                    found.setdefault((type(one), one), one)

        for event in self.happened:
            if isinstance(event, ToolCall):
                add(event.arguments)
                add(answer_of(event))
            else:
                words = [word.strip(".,;:!?()\"'") for word in event.text.split()]
                add([event.text, *words, *(float(word) for word in words if _NUMBER.fullmatch(word))])
        return list(found.values())

    # The result

    def _said(self, edits: Sequence[Edit], exact: bool) -> RulesRepair | list[Place]:
        """Return the repair; or the rules for whose sake a call would be inserted that must not be, none if calls
        would no longer agree with the answers before them."""
        after = self.trail.changed(edits)
        if not self._agree(after):
            return []
        placed: list[Moved | Inserted] = []
        removed: list[Removed] = []
        effects: dict[int, Effects] = {}
        insertions = (k for k, one in enumerate(after.origin) if isinstance(one, Letter))
        for kind, k, letter, place in edits:
            call = next(
                (j for j in range(place, len(self.steps)) if isinstance(self.happened[j], ToolCall)), -1
            )
            before: StepNo = "end" if call < 0 else self.steps[call]
            turns = (len(self.steps) if call < 0 else call) - place
            if letter is not None:
                at = next(insertions)
                needs, effects[at] = self._needs(after, at, letter, effects)
                given = tuple((path, value) for path, value in needs.values if value is not ABSENT)
                one = self._insertion(self.trail, replace(needs, values=given))
                if one is None or not one.allowed(place):
                    return [place for place, _ in self.alphabet.row(letter)[0]]
                placed.append(Inserted(letter.tool, before, needs, turns))
                continue
            event = self.happened[k]
            assert isinstance(event, ToolCall)
            if kind == "move":
                placed.append(Moved(event.step, event.tool, before, turns, place in (k, k + 1)))
            else:
                removed.append(Removed(event.step, event.tool))
        moved = tuple(one for one in placed if isinstance(one, Moved))
        inserted = tuple(one for one in placed if isinstance(one, Inserted))
        return RulesRepair(moved, inserted, tuple(removed), exact and self.sure, tuple(placed))

    def _agree(self, trail: Trail) -> bool:
        """Return whether calls still agree with the answers that they are compared with."""
        compared = [i for i, rule in enumerate(self.book.rules) if rule.against is not None]
        if not compared:
            return True
        judge = Judge(self.book)
        for event, origin in zip(trail.happened, trail.origin, strict=True):
            if isinstance(origin, Letter):
                values = {str(path[0]): plain_value(v) for path, v in origin.values if v is not ABSENT}
                event = ToolCall(origin.tool, values, answered=True, message=event.message)
            judge.take(event, 0)
        return all(judge.rule_status(i) != "broken" for i in compared)

    def _needs(
        self, trail: Trail, at: int, letter: Letter, others: Mapping[int, Effects]
    ) -> tuple[Letter, Effects]:
        """Return what an inserted call needs so that every rule is kept, and no more; and what such calls can be to
        rules. ``trail``: the changed trace, in which it stands at an index. ``others``: the same of insertions before.

        What can be left out is found by trying: a condition or value stays if without it some call would break a rule.
        """
        alphabet, given = self.alphabet, dict(letter.values)
        formulas = list(alphabet.formulas(letter.tool))
        choices, fixed = self._choices(letter.tool, formulas)
        values = {path: given.get(path, ABSENT) for path in choices}
        truths = {formula: truth for formula, truth in letter.truths if formula in formulas}
        results: dict[tuple[Place, int | None], bool] = {}

        def kept(place: Place, bits: int | None) -> bool:
            key = place, bits
            if key not in results:
                self.budget.spend(1)
                results[key] = trail.keeps(place, {**others, at: {place: [bits]}})
            return results[key]

        must = {place for place, _ in alphabet.row(letter)[0] if not kept(place, None)}

        def enough(truths: Mapping[Formula, bool], values: Mapping[Path, object]) -> bool:
            for number, touched in enumerate(self._calls(letter.tool, formulas, choices, truths, values)):
                if number > MOST_TRIED or not must <= touched.keys():
                    return False
                if not all(kept(place, bits) for place, bits in touched.items()):
                    return False
            return True

        with suppress(TooMany):
            for path in [path for path in values if path not in fixed]:
                fewer = {p: v for p, v in values.items() if p != path}
                values = fewer if enough(truths, fewer) else values
            for formula in sorted(truths, key=lambda f: truths[f]):
                rest = {f: t for f, t in truths.items() if f != formula}
                truths = rest if enough(rest, values) else truths
            every = list(self._calls(letter.tool, formulas, choices, truths, values))
            effects = {place: {one.get(place) for one in every} for one in every for place in one}
            return Letter(letter.tool, tuple(truths.items()), tuple(values.items())), effects
        return letter, {place: {bits} for place, bits in alphabet.row(letter)[0]}

    def _choices(self, tool: str, formulas: list[Formula]) -> tuple[dict[Path, list[object]], set[Path]]:
        """Return the values that a call of a tool can have where rules look, and the arguments that it must state."""
        choices = {path: [ABSENT, NEW, *values] for path, values in self._known(tool).items()}
        fixed = set()
        for path in self.alphabet.asked(formulas):
            tests = compared(formulas, path)
            some = [key_part(value) for value in self._differing(tests or ())]
            choices[path] = list(dict.fromkeys([*choices.get(path, (ABSENT, NEW)), *some]))
            if tests is None or any(test.operator not in ("=", "is one of") for test in tests):
                fixed.add(path)
        return choices, fixed

    def _calls(
        self,
        tool: str,
        formulas: list[Formula],
        choices: Mapping[Path, list[object]],
        truths: Mapping[Formula, bool],
        values: Mapping[Path, object],
    ) -> Iterator[dict[Place, int]]:
        """Yield for every call with these truths and values what it is to rules. ``choices``: values for the rest."""
        asked = self.alphabet.asked(formulas)
        free = [path for path in choices if path not in values]
        for chosen in product(*(choices[path] for path in free)):
            has = {**values, **dict(zip(free, chosen, strict=True))}
            fixed = {path: has[path] for path in asked}
            for letter in letters_with(tool, formulas, truths, has, fixed):
                yield dict(self.alphabet.row(letter)[0])

    def _known(self, tool: str) -> dict[Path, list[object]]:
        """Return the arguments of a tool that rules are judged by, with the values so far."""
        found: dict[Path, dict[object, None]] = {}
        seeing = {
            i for i, rule in enumerate(self.book.rules) if rule.per and self.book.touch(i, tool) is not None
        }
        for i in seeing:
            rule = self.book.rules[i]
            found |= {path: {} for path in (*rule.per, *rule.per_then) if path not in found}
        for i, key in self.places:
            for names in (self.book.rules[i].per, self.book.rules[i].per_then) if i in seeing else ():
                for path, value in zip(names, key or (), strict=False):
                    found[path][value] = None
        return {path: list(values) for path, values in found.items()}


def _seen(book: Rulebook, happened: Sequence[Event]) -> Iterator[list[Seen]]:
    """Yield who sees each event, as what, wherever it stands: a call that is compared with an answer agrees with it if
    it agrees with all answers of the trace, or with none but where it stands."""
    sees = [list(seen_by(book, event)) for event in happened]
    answers: dict[Place, list[tuple[int, int, object]]] = {}
    for k, (event, ones) in enumerate(zip(happened, sees, strict=True)):
        for place, letters in ones:
            if book.rules[place[0]].against is not None and letters[-1] & LATER:
                answers.setdefault(place, []).append((k, event.message, said_by(event)))
    for k, (event, ones) in enumerate(zip(happened, sees, strict=True)):
        found: list[Seen] = []
        for place, letters in ones:
            against = book.rules[place[0]].against
            if against is not None:
                own = answers.get(place, [])
                before = [answer for j, message, answer in own if j < k and message != event.message]
                known = before if against.every else before[-1:]
                if isinstance(event, ToolCall):
                    agreeing = [one for *_, one in own if agreement(event.arguments, (one,), against)]
                    known = agreeing if len(agreeing) == len(own) else known
                letters = compared_letters(letters, event, known, against, unsure=not own)
            found.append((place, letters))
        yield found
