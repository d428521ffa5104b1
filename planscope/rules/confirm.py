"""Z3 confirms cores: an unrolling of the trace with free calls behind it, by the formulas of ``kinds.py``.

Nothing here looks at the automata.

A core is confirmed if Z3 finds no continuation that keeps its rules, and finds one once any member is dropped.

**The bound.** A rule's future depends only on what its automaton remembers (``machine.py``). If some continuation
keeps the rules, then one does that visits no combination of these states twice, since a loop can be cut out. So it is
no longer than the product of the rules' numbers of states that are not broken, less one. For rules that go by values
the factor is counted for each value that occurs or that a condition names; one that no call has yet is a state more.
What an answer shows counts from the next message on, so for such rules the unrolling says where messages begin: a state
remembers what counts later, and its automaton has it as a state of its own. Z3 is not asked about cores with a larger
bound than ``MOST_FREE``, with deadlines in seconds, with two names for one value, or with uncaptured content.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from math import prod
from typing import Any, Literal

from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import Proof
from planscope.rules.core import Core, heard
from planscope.rules.judge import Event, Rulebook, events, seen_by
from planscope.rules.kinds import KINDS
from planscope.rules.letters import Alphabet, Letter, Place, Undecided
from planscope.rules.machine import ANY_FIRST, FIRST, MET, THEN, USER
from planscope.rules.rule import Rule
from planscope.rules.satisfiable import TooMany
from planscope.rules.values import Key

MOST_FREE = 40
MOST_EVENTS = 60
EFFORT = 50_000_000
"""Z3's rlimit for one question. Unlike a time limit, it gives the same answer on a busy machine."""

Answer = Literal["lost", "kept", "gave_up", "not_asked"]

MARKS = (0, ANY_FIRST, THEN, USER, MET, FIRST)
Row = tuple[Any, ...]
"""Formulas about an event: whether the rule sees it, and whether it sees it as each of the other ``MARKS``."""


def confirmed(
    book: Rulebook, tools: Sequence[str], core: Core, happened: Sequence[tuple[Event, int]]
) -> Proof:
    """Ask Z3 to confirm the core, unless the bound is too large. ``happened``: the events up to the lost step
    (``Lost``)."""
    from planscope.oracle.smt import fresh_context  # imported late because it imports Z3

    context = fresh_context()
    rules = [rule for rule in book.rules if rule.id in core.rules]
    kept = [(e, s) for e, s in happened if not isinstance(e, ToolCall) or e.step in core.steps]
    end = core.step == "end"
    whole = _lost(context, book, tools, rules, kept, end)
    if whole != "lost":
        return "denied" if whole == "kept" else whole
    answers = [_lost(context, book, tools, [r for r in rules if r is not rule], kept, end) for rule in rules]
    for event, _ in kept:
        if isinstance(event, ToolCall):
            answers.append(_lost(context, book, tools, rules, [k for k in kept if k[0] is not event], end))
    return "denied" if "lost" in answers else _sure(answers) or "confirmed"


def mends(
    book: Rulebook, tools: Sequence[str], given_up: Core, happened: Sequence[tuple[Event, int]]
) -> Proof:
    """Ask Z3 whether the rest can be kept without these rules and calls, but not if one of them is put back.
    ``happened``: the events up to the lost step."""
    from planscope.oracle.smt import fresh_context  # imported late because it imports Z3

    context = fresh_context()

    def lost(members: Collection[str | int]) -> Answer:
        rules = [rule for rule in book.rules if rule.id not in members]
        kept = [(e, s) for e, s in happened if not isinstance(e, ToolCall) or e.step not in members]
        return _lost(context, book, tools, rules, kept, given_up.step == "end")

    members: set[str | int] = {*given_up.rules, *given_up.steps}
    answers = [lost(members), *(lost(members - {one}) for one in members)]
    confirmed = answers[0] == "kept" and "kept" not in answers[1:]
    return _sure(answers) or ("confirmed" if confirmed else "denied")


def kept_confirmed(book: Rulebook, trace: Trace, *, open_end: bool = False) -> Proof:
    """Ask Z3 whether a whole trace keeps every rule, unless it is too long or broke off (``open_end``)."""
    if open_end:
        return "not_asked"
    from planscope.oracle.smt import fresh_context

    context, happened = fresh_context(), heard(book, list(events(trace.items)))
    answers = [_lost(context, book, (), [rule], happened, True) for rule in book.rules]
    return "denied" if "lost" in answers else _sure(answers) or "confirmed"


def _sure(answers: Collection[Answer]) -> Proof | None:
    """Return why Z3's answers say nothing, or None if they do."""
    return "gave_up" if "gave_up" in answers else "not_asked" if "not_asked" in answers else None


def _lost(
    context: Any,
    book: Rulebook,
    tools: Sequence[str],
    rules: Sequence[Rule],
    kept: Sequence[tuple[Event, int]],
    end: bool,
) -> Answer:
    """Return whether no continuation keeps the rules. At the end, return whether they are not kept."""
    if len(kept) > MOST_EVENTS or any(rule.seconds or rule.per_then for rule in rules):
        return "not_asked"
    import z3

    book = Rulebook(rules, succeeded_only=book.succeeded_only)
    seen = [dict(seen_by(book, event)) for event, _ in kept]
    keys: dict[int, dict[Key | None, None]] = {
        i: {} if rule.per else {None: None} for i, rule in enumerate(rules)
    }
    for (event, _), places_of in zip(kept, seen, strict=True):
        uncaptured = isinstance(event, ToolCall) and event.arguments is None
        if any(len(letters) > 1 for letters in places_of.values()) or (
            uncaptured and any(r.per for r in rules)
        ):
            return "not_asked"
        for i, key in places_of:
            keys[i] |= {key: None} if rules[i].per and key is not None else {}
    for i, rule in enumerate(rules):  # a continuation may bring a value to a rule that did not see it yet
        keys[i] = dict.fromkeys(
            key for k, other in enumerate(rules) if other.per == rule.per for key in keys[k]
        )
    places: dict[Place, bool] = {(i, key): True for i in keys for key in keys[i]}
    """The rules and values, and whether a call had the value. What only free calls bring is kept if they do."""
    length, alphabet = 0, Alphabet(book, tools)
    letters: tuple[Letter, ...] = ()
    while not end:
        sizes = (
            sum(s != "broken" for s in m.status[: m.size]) for m in (book.machines[i] for i, _ in places)
        )
        length = prod(sizes) - 1
        if length > MOST_FREE:
            return "not_asked"
        try:
            letters, complete = alphabet.of(list(places))
        except (Undecided, TooMany):
            return "not_asked"
        if not complete:
            return "not_asked"
        brought = {place for letter in letters for place, _ in alphabet.row(letter)[0] if place not in places}
        if not brought:
            break
        places |= dict.fromkeys(sorted(brought, key=repr), False)
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", EFFORT)
    free = [z3.Int(f"call {k}", context) for k in range(length)]
    for k, call in enumerate(free):
        solver.add(call >= -1, call < len(letters))
        if k:
            solver.add(z3.Implies(free[k - 1] == -1, call == -1))

    def one_of(call: Any, numbers: Sequence[int]) -> Any:
        return some(z3, [call == n for n in numbers])

    messages = [event.message for event, _ in kept]
    begins: list[Any] = [True, *(one != other for one, other in pairwise(messages))][: len(kept)]
    begins += [one_of(call, [n for n, letter in enumerate(letters) if letter.fresh]) for call in free]
    for (i, key), had in places.items():
        rows: list[Row] = []
        where: list[int] = []
        for place, found in enumerate(seen):
            for bits in found.get((i, key)) or found.get((i, None)) or ():
                rows.append(tuple(not bit or bool(bits & bit) for bit in MARKS))
                where.append(place)
        effects = [(n, alphabet.effect(one, (i, key))) for n, one in enumerate(letters)]
        for place, call in enumerate(free, len(kept)):
            rows.append(
                tuple(
                    one_of(call, [n for n, e in effects if e is not None and (not bit or e & bit)])
                    for bit in MARKS
                )
            )
            where.append(place)

        def apart(one: int, other: int, places: Sequence[int] = where, late: bool = book.late[i]) -> Any:
            return some(z3, begins[places[one] + 1 : places[other] + 1]) if late else True

        u = Unrolled(z3, rows, apart)
        holds = KINDS[rules[i].kind].formula(u, rules[i].count)
        solver.add(holds if had else u.implies(u.some(u.call), holds))
    answer = solver.check()
    return "gave_up" if answer == z3.unknown else "lost" if answer == z3.unsat else "kept"


def some(z3: Any, parts: Iterable[Any]) -> Any:
    """Some of these hold. What is known is True or False, and no formula is made of it."""
    left = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            left.append(part)
    return False if not left else left[0] if len(left) == 1 else z3.Or(left)


class Unrolled:
    """The events that a rule sees, as formulas, and how ``kinds.py`` joins them. Indexes count these events.

    ``a``, ``b``: the event is in ``first``, in ``then``; ``call``: it is a call and no user message; ``met``: its
    answer meets the condition of ``latest``, or it is in ``until``; ``there``: it happens at all. ``counts[i, j]``:
    that event ``i`` is in ``first`` counts for ``j``: the call alone shows it, or a message begins between them.
    """

    def __init__(self, z3: Any, rows: Sequence[Row], apart: Callable[[int, int], Any]) -> None:
        self.z3 = z3
        self.all: range = range(len(rows))
        self.there: list[Any] = [row[0] for row in rows]
        self.a: list[Any] = [row[1] for row in rows]
        self.b: list[Any] = [row[2] for row in rows]
        self.call: list[Any] = [self.both(row[0], self.no(row[3])) for row in rows]
        self.met: list[Any] = [row[4] for row in rows]
        self.counts: dict[tuple[int, int], Any] = {
            (i, j): self.some((rows[i][5], apart(i, j))) for j in self.all for i in range(j)
        }

    def after(self, i: int) -> range:
        return range(i + 1, len(self.all))

    def some(self, parts: Iterable[Any]) -> Any:
        return some(self.z3, parts)

    def every(self, parts: Iterable[Any]) -> Any:
        return self.no(self.some(map(self.no, parts)))

    def both(self, *parts: Any) -> Any:
        return self.every(parts)

    def no(self, part: Any) -> Any:
        return not part if isinstance(part, bool) else self.z3.Not(part)

    def implies(self, one: Any, other: Any) -> Any:
        return self.some((self.no(one), other))

    def total(self, parts: Iterable[Any]) -> Any:
        """The number of these that hold."""
        return sum(self.choice(part, 1, 0) for part in parts)

    def choice(self, test: Any, one: Any, other: Any) -> Any:
        return (one if test else other) if isinstance(test, bool) else self.z3.If(test, one, other)

    def before(self, j: int, more: Callable[[int, int], Any] | None = None) -> Any:
        """Some A counts for event ``j``, and there is more to say of it."""
        return self.some(
            self.both(self.a[i], self.counts[i, j], *([more(i, j)] if more else [])) for i in range(j)
        )

    def none_between(self, i: int, j: int, what: Sequence[Any]) -> Any:
        """None of these counts A at ``i`` as earlier and comes before ``j``."""
        return self.every(self.no(self.both(what[k], self.counts[i, k])) for k in range(i + 1, j))
