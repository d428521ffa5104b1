"""Z3 confirms cores: an unrolling of the trace with free calls behind it, written from the table, without automata.

A core is confirmed if Z3 finds no continuation that keeps its rules, and finds one once any member is dropped.

**The bound.** A rule's future depends only on what its automaton remembers (``machine.py``). If some continuation
keeps the rules, then one does that visits no combination of these states twice, since a loop can be cut out. So it is
no longer than the product of the rules' numbers of states that are not broken, less one. For rules that go by values
the factor is counted for each value that occurs. What an answer shows counts from the next message on, so for such
rules the unrolling says where messages begin: a state remembers what counts later, and its automaton has it as a state
of its own. Cores with a larger bound than ``MOST_FREE``, with deadlines in seconds, with two names for one value, or
with uncaptured content, are not confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from planscope.rules.core import Core
from planscope.rules.judge import Event, Rulebook, events, letters_of
from planscope.rules.machine import FIRST, MET, THEN, USER
from planscope.rules.rule import Rule
from planscope.rules.values import Key, key_of, said_among
from planscope.traces.shape import ToolCall, Trace

MOST_FREE = 40
MOST_CALLS = 60
EFFORT = 50_000_000
"""Z3's rlimit for one question. Unlike a time limit, it gives the same answer on a busy machine."""

Row = tuple[Any, Any, Any, Any, Any]
"""Formulas about an event: whether the rule sees it, whether it is in ``first`` and in ``then``, whether it is a call,
and whether its answer meets the condition of ``latest``."""


def confirmed(book: Rulebook, tools: Sequence[str], core: Core, trace: Trace) -> bool | None:
    """Return whether Z3 confirms the core; None if the bound is too large, or if Z3 does not decide."""
    rules = [rule for rule in book.rules if rule.id in core.rules]
    if any(rule.unit == "seconds" or rule.per_then for rule in rules):
        return None
    if len(core.steps) > MOST_CALLS:
        return None
    kept = [
        (e, s)
        for e, s in events(trace.items)
        if (isinstance(e, ToolCall) and e.step in core.steps)
        or (not isinstance(e, ToolCall) and (core.step == "end" or s <= int(core.step)))
    ]
    import z3

    end = core.step == "end"
    context = z3.Context()
    answers = [_lost(context, book, tools, rules, kept, end)]
    if answers[0] is not True:
        return answers[0]
    for rule in rules:
        answers.append(_lost(context, book, tools, [r for r in rules if r is not rule], kept, end))
    for event, _ in kept:
        if isinstance(event, ToolCall):
            answers.append(_lost(context, book, tools, rules, [k for k in kept if k[0] is not event], end))
    if None in answers:
        return None
    return not any(answers[1:])


def kept_confirmed(book: Rulebook, trace: Trace, *, open_end: bool = False) -> bool | None:
    """Return whether Z3 agrees that a whole trace keeps every rule; None if it is too long or does not decide.

    A trace that broke off (``open_end``) is not asked about.
    """
    happened = list(events(trace.items))
    rules = book.rules
    if open_end or len(happened) > MOST_CALLS:
        return None
    if any(rule.unit == "seconds" or rule.per_then for rule in rules):
        return None
    import z3

    context = z3.Context()
    for rule in rules:
        lost = _lost(context, book, (), [rule], happened, True)
        if lost is not False:
            return None if lost is None else False
    return True


def _lost(
    context: Any,
    book: Rulebook,
    tools: Sequence[str],
    rules: Sequence[Rule],
    kept: Sequence[tuple[Event, int]],
    end: bool,
) -> bool | None:
    """Return whether no continuation keeps the rules. At the end, return whether they are not kept."""
    import z3

    from planscope.rules.letters import Alphabet, Undecided
    from planscope.rules.satisfiable import TooMany

    book = Rulebook(rules, succeeded_only=book.succeeded_only)
    keys: dict[int, list[Key | None]] = {}
    for i, rule in enumerate(rules):
        found: dict[Key | None, None] = {} if rule.per else {None: None}
        for event, _ in kept:
            if rule.per and isinstance(event, ToolCall):
                if event.arguments is None:
                    return None
                if book.touch(i, event.tool) is not None and (key := key_of(rule, event, False)) is not None:
                    found[key] = None
        keys[i] = list(found)
    for i, rule in enumerate(rules):  # a continuation may bring a value to a rule that did not see it yet
        same = [k for k, other in enumerate(rules) if other.per == rule.per]
        keys[i] = list(dict.fromkeys(key for k in same for key in keys[k]))
    places = [(i, key) for i in keys for key in keys[i]]
    length = 0
    if not end:
        bound = 1
        for i, _ in places:
            bound *= sum(s != "broken" for s in book.machines[i].status[: book.machines[i].size])
        length = bound - 1
        if length > MOST_FREE:
            return None
    try:
        letters, complete = Alphabet(book, tools).of(places) if not end else ((), True)
    except (Undecided, TooMany):
        return None
    if not complete:
        return None
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", EFFORT)
    true, false = z3.BoolVal(True, context), z3.BoolVal(False, context)
    free = [z3.Int(f"call {k}", context) for k in range(length)]
    for k, call in enumerate(free):
        solver.add(call >= -1, call < len(letters))
        if k:
            solver.add(z3.Implies(free[k - 1] == -1, call == -1))
    messages = [event.message for event, _ in kept]
    begins = [true, *(_b(one != other, true, false) for one, other in pairwise(messages))][: len(kept)]
    for call in free:
        begins.append(z3.Or(false, *(call == n for n, letter in enumerate(letters) if letter.fresh)))
    for i, key in places:
        rows: list[Row] = []
        where: list[int] = []
        for place, (event, _) in enumerate(kept):
            bits = _bits(book, i, key, event)
            if bits is None:
                continue
            if bits < 0:
                return None
            marks = [_b(bits & bit, true, false) for bit in (FIRST, THEN, USER, MET)]
            rows.append((true, marks[0], marks[1], z3.Not(marks[2]), marks[3]))
            where.append(place)
        for place, call in enumerate(free, len(kept)):
            effects = [
                (n, e) for n, one in enumerate(letters) if (e := one.effect(book, (i, key))) is not None
            ]
            there, *marks = (
                z3.Or(false, *(call == n for n, e in effects if not bit or e & bit))
                for bit in (0, FIRST, THEN, USER, MET)
            )
            rows.append((there, marks[0], marks[1], z3.Not(marks[2]), marks[3]))
            where.append(place)

        def apart(one: int, other: int, places: Sequence[int] = where, late: bool = book.late[i]) -> Any:
            return z3.Or(false, *begins[places[one] + 1 : places[other] + 1]) if late else true

        solver.add(_kept(z3, context, rules[i], rows, apart))
    answer = solver.check()
    return None if answer == z3.unknown else bool(answer == z3.unsat)


def _b(bit: int, true: Any, false: Any) -> Any:
    return true if bit else false


def _bits(book: Rulebook, i: int, key: Key | None, event: Event) -> int | None:
    """Return the letter of an event for a rule; None if the rule does not see it, -1 if the trace does not tell."""
    rule = book.rules[i]
    if not isinstance(event, ToolCall):
        if not rule.hears_users:
            return None
        return USER | said_among(rule.first, event) * FIRST | said_among(rule.then, event) * THEN
    if event.refused or (book.succeeded_only and event.failed):
        return None
    touch = book.touch(i, event.tool)
    if touch is None or (rule.per and key_of(rule, event, False) != key):
        return None
    letters = letters_of(rule, touch, event)
    return letters[0] if len(letters) == 1 else -1


def _kept(z3: Any, context: Any, rule: Rule, rows: Sequence[Row], apart: Callable[[int, int], Any]) -> Any:
    """Write when the rule is kept. ``apart``: whether what the earlier event shows counts for the later one: always,
    or if a message begins between them."""
    n = range(len(rows))
    there = [row[0] for row in rows]
    a = [z3.And(row[0], row[1]) for row in rows]
    b = [z3.And(row[0], row[2]) for row in rows]
    call = [z3.And(row[0], row[3]) for row in rows]
    met = [row[4] for row in rows]
    false = z3.BoolVal(False, context)
    counts = {(i, j): apart(i, j) for j in n for i in range(j)}

    def some(parts: Any) -> Any:
        return z3.Or(false, *parts)

    def every(parts: Any) -> Any:
        return z3.And(z3.BoolVal(True, context), *parts)

    def before(j: int, more: Callable[[int, int], Any] | None = None) -> Any:
        """Some A counts for event ``j``, and there is more to say of it."""
        return some(z3.And(a[i], counts[i, j], *([more(i, j)] if more else [])) for i in range(j))

    def none_between(i: int, j: int, what: Sequence[Any]) -> Any:
        """None of these counts A at ``i`` as earlier and comes before ``j``."""
        return every(z3.Not(z3.And(what[k], counts[i, k])) for k in range(i + 1, j))

    def total(parts: Sequence[Any]) -> Any:
        zero = z3.IntVal(0, context)
        return z3.Sum([zero, *(z3.If(p, z3.IntVal(1, context), zero) for p in parts)])

    match rule.kind:
        case "precedence":
            return every(z3.Implies(b[j], before(j)) for j in n)
        case "alternate_precedence":
            return every(z3.Implies(b[j], before(j, lambda i, j: none_between(i, j, b))) for j in n)
        case "response":
            return every(
                z3.Implies(a[i], some(z3.And(b[j], counts[i, j]) for j in range(i + 1, len(rows)))) for i in n
            )
        case "chain_precedence":
            return every(
                z3.Implies(b[j], before(j, lambda i, j: every(z3.Not(there[k]) for k in range(i + 1, j))))
                for j in n
            )
        case "chain_response":
            return every(
                z3.Implies(
                    a[i],
                    some(
                        z3.And(b[j], counts[i, j], none_between(i, j, there)) for j in range(i + 1, len(rows))
                    ),
                )
                for i in n
            )
        case "within":
            return every(
                z3.Implies(
                    a[i],
                    some(
                        z3.And(
                            b[j],
                            counts[i, j],
                            total([z3.And(call[k], counts[i, k]) for k in range(i + 1, j)]) < rule.count,
                        )
                        for j in range(i + 1, len(rows))
                    ),
                )
                for i in n
            )
        case "existence":
            return total(a) >= rule.count
        case "absence":
            return total(a) <= rule.count
        case "exactly":
            return total(a) == rule.count
        case "never":
            return every(z3.Not(x) for x in a)
        case "not_succession":
            return every(z3.Not(z3.And(b[j], before(j))) for j in n)
        case "not_coexistence":
            return z3.Not(z3.And(some(a), some(b)))
        case "responded_existence":
            return z3.Implies(some(a), some(b))
        case "first":
            return every(z3.Not(z3.And(a[j], call[i], z3.Not(a[i]))) for j in n for i in range(j))
        case "last":
            return every(z3.Not(z3.And(call[j], z3.Not(a[j]), before(j))) for j in n)
        case "init":
            return some(z3.And(a[j], every(z3.Not(call[k]) for k in range(j))) for j in n)
        case "end":
            return some(z3.And(a[j], every(z3.Not(call[k]) for k in range(j + 1, len(rows)))) for j in n)
        case "latest":
            return every(
                z3.Implies(
                    b[j],
                    before(
                        j,
                        lambda i, j: z3.And(
                            met[i],
                            every(z3.Not(z3.And(a[k], counts[k, j])) for k in range(i + 1, j)),
                        ),
                    ),
                )
                for j in n
            )
    raise AssertionError(rule.kind)
