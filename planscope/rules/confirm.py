"""Z3 confirms cores: an unrolling of the trace with free calls behind it, by the formulas of ``kinds.py``.

Nothing here looks at the automata.

A core is confirmed if Z3 finds no continuation that keeps its rules, and finds one once any member is dropped.

**The bound.** A rule's future depends only on what its automaton remembers (``machine.py``). If some continuation
keeps the rules, then one does that visits no combination of these states twice, since a loop can be cut out. So it is
no longer than the product of the rules' numbers of states that are not broken, less one. States in which something
waits for an answer count only for rules that ask answers. For rules that go by values
the factor is counted for each value that occurs or that a condition names; one that no call has yet is a state more.
What an answer shows counts from the next message on, so for such rules the unrolling says where messages begin: a state
remembers what counts later, and its automaton has it as a state of its own. Z3 is not asked about cores with a larger
bound than ``MOST_FREE``, with deadlines in seconds, with two names for one value, or with uncaptured content.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import Literal

import z3

from planscope.language.calls import Against, Path
from planscope.oracle.smt import fresh_context
from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import Core, Correction, Proof, StepNo
from planscope.rules.core import Happened, Lost
from planscope.rules.future import Plan
from planscope.rules.judge import Rulebook, events, said_by, seen_by
from planscope.rules.kinds import KINDS
from planscope.rules.letters import Alphabet, Letter, Undecided
from planscope.rules.machine import FIRST
from planscope.rules.rule import Rule
from planscope.rules.satisfiable import TooMany
from planscope.rules.unrolled import MARKS, Holds, Row, Unrolled, some
from planscope.rules.values import UNKNOWN, Key, Place, agrees, wanted

MOST_FREE = 40
MOST_EVENTS = 60
EFFORT = 50_000_000
"""Z3's rlimit for one question. Unlike a time limit, it gives the same answer on a busy machine."""

Answer = Literal["lost", "kept", "gave_up", "not_asked"]


def confirmed(lost: Lost, core: Core) -> Proof:
    """Ask Z3 to confirm the core, unless the bound is too large."""
    ask = _asking(lost)
    members: set[str | StepNo] = {*core.constraints, *core.steps}
    whole = ask(members)
    if whole != "lost":
        return "denied" if whole == "kept" else whole
    answers = [ask(members - {one}) for one in (*core.constraints, *core.steps)]
    return "denied" if "lost" in answers else _sure(answers) or "confirmed"


def mends(lost: Lost, given_up: Correction) -> Proof:
    """Ask Z3 whether the rest can be kept without these members and calls, but not if one of them is put back."""
    ask = _asking(lost)
    dropped: set[str | StepNo] = {*given_up.constraints, *given_up.steps}
    rest: set[str | StepNo] = {*lost.members}
    rest = rest.union(event.step for event, _ in lost.happened if isinstance(event, ToolCall)) - dropped
    answers = [ask(rest), *(ask(rest | {one}) for one in dropped)]
    confirmed = answers[0] == "kept" and "kept" not in answers[1:]
    return _sure(answers) or ("confirmed" if confirmed else "denied")


def _asking(lost: Lost) -> Callable[[Collection[str | StepNo]], Answer]:
    """Return a function that asks whether these members are lost after these calls, by their steps."""
    context = fresh_context()

    def ask(members: Collection[str | StepNo]) -> Answer:
        rules = [lost.book.rules[i] for i in lost.rules(name for name in lost.members if name in members)]
        kept = [(e, s) for e, s in lost.happened if not isinstance(e, ToolCall) or e.step in members]
        return _lost(context, lost.book, lost.tools, rules, kept, lost.step == "end")

    return ask


def kept_confirmed(book: Rulebook, trace: Trace, *, open_end: bool = False) -> Proof:
    """Ask Z3 whether a whole trace keeps every rule, unless it is too long or broke off (``open_end``)."""
    if open_end:
        return "not_asked"
    context, happened = fresh_context(), list(events(trace.items, book.hears))
    answers = [_lost(context, book, (), [rule], happened, True) for rule in book.rules]
    return "denied" if "lost" in answers else _sure(answers) or "confirmed"


def _sure(answers: Collection[Answer]) -> Proof | None:
    """Return why Z3's answers say nothing, or None if they do."""
    return "gave_up" if "gave_up" in answers else "not_asked" if "not_asked" in answers else None


def _lost(
    context: z3.Context,
    book: Rulebook,
    tools: Sequence[str],
    rules: Sequence[Rule],
    kept: Happened,
    end: bool,
) -> Answer:
    """Return whether no continuation keeps the rules. At the end, return whether they are not kept."""
    if len(kept) > MOST_EVENTS or any(rule.seconds or rule.per_then for rule in rules):
        return "not_asked"
    book = Rulebook(rules, succeeded_only=book.succeeded_only)
    seen = [dict(seen_by(book, event)) for event, _ in kept]
    alphabet = Alphabet(book, tools)
    places = _places(book, kept, seen)
    free = None if places is None else (0, ()) if end else _free(alphabet, places)
    if places is None or free is None:
        return "not_asked"
    length, letters = free
    solver = z3.Solver(ctx=context)
    solver.set("rlimit", EFFORT)
    calls = [z3.Int(f"call {k}", context) for k in range(length)]
    for k, call in enumerate(calls):
        solver.add(call >= -1, call < len(letters))
        if k:
            solver.add(z3.Implies(calls[k - 1] == -1, call == -1))
    messages = [event.message for event, _ in kept]
    begins: list[Holds] = [True, *(one != other for one, other in pairwise(messages))][: len(kept)]
    begins += [some(call == n for n, letter in enumerate(letters) if letter.fresh) for call in calls]
    for (i, key), had in places.items():
        rows: list[tuple[int, Row]] = []
        for at, found in enumerate(seen):
            for bits in found.get((i, key)) or found.get((i, None)) or ():
                rows.append((at, tuple(not bit or bool(bits & bit) for bit in MARKS)))
        late_only = ~FIRST if rules[i].against is not None else ~0
        found_bits = ((n, alphabet.effect(letter, (i, key))) for n, letter in enumerate(letters))
        effects = [(n, None if e is None else e & late_only) for n, e in found_bits]
        numbers = [[n for n, e in effects if e is not None and (not bit or e & bit)] for bit in MARKS]
        for at, call in enumerate(calls, len(kept)):
            rows.append((at, tuple(some(call == n for n in ones) for ones in numbers)))
        agree = _agreeing(
            kept, rules[i].against, [at for at, row in rows if at < len(kept) and row[1] is True]
        )
        if agree is None:
            return "not_asked"
        u = Unrolled(rows, begins if book.late[i] else None, agree)
        holds = KINDS[rules[i].kind].formula(u, rules[i].count)
        solver.add(holds if had else u.implies(u.some(u.call), holds))
    unsure = [n for n, one in enumerate(letters) if Plan((one,), alphabet).unsure]
    answer = solver.check(*(call != n for call in calls for n in unsure))
    if unsure and answer == z3.unsat:  # even if such a call could always agree?
        answer = solver.check()
        return "gave_up" if answer == z3.unknown else "lost" if answer == z3.unsat else "not_asked"
    return "gave_up" if answer == z3.unknown else "lost" if answer == z3.unsat else "kept"


def _agreeing(
    kept: Happened, against: Against | None, asked: Collection[int]
) -> Callable[[int, int], Holds] | None:
    """Return whether the event at one place agrees with the answer at another, of which both may be free; None if an
    answer was not captured. ``asked``: the places of all answers. If every earlier one counts, it is about all."""
    if against is None:
        return lambda i, j: True
    answers = [said_by(event) for event, _ in kept]
    if any(answers[i] is UNKNOWN for i in asked):
        return None

    def agree(i: int, j: int) -> Holds:
        if i >= len(kept):
            return True
        if j >= len(kept):
            return bool(wanted(answers[i], against))
        call, message = kept[j][0], kept[j][0].message
        before = [k for k in asked if k < j and kept[k][0].message != message] if against.every else [i]
        given = call.arguments if isinstance(call, ToolCall) else None
        return agrees(given, [answers[k] for k in before], against)

    return agree


def _places(
    book: Rulebook, kept: Happened, seen: Sequence[Mapping[Place, tuple[int, ...]]]
) -> dict[Place, bool] | None:
    """Return the rules and values that these events bring; None if something was not captured. A continuation may bring
    a value to a rule that did not see it yet."""
    rules = book.rules
    by_value = any(rule.per for rule in rules)
    keys: dict[tuple[Path, ...], dict[Key | None, None]] = {rule.per: {} for rule in rules if rule.per}
    for (event, _), found in zip(kept, seen, strict=True):
        uncaptured = by_value and isinstance(event, ToolCall) and event.arguments is None
        if uncaptured or any(len(letters) > 1 for letters in found.values()):
            return None
        for i, key in found:
            if key is not None:
                keys[rules[i].per][key] = None
    return {(i, key): True for i, rule in enumerate(rules) for key in keys.get(rule.per, (None,))}


def _free(alphabet: Alphabet, places: dict[Place, bool]) -> tuple[int, tuple[Letter, ...]] | None:
    """Return how many calls may have to follow, and what they can be; None if they are too many. Rules with values that
    only these calls bring are added to ``places``, and are kept if they do (False)."""
    while True:
        book = alphabet.book
        length = prod(book.machines[i].remembered(late=book.late[i]) for i, _ in places) - 1
        if length > MOST_FREE:
            return None
        try:
            letters, complete = alphabet.of(tuple(places))
        except (Undecided, TooMany):
            return None
        if not complete:
            return None
        brought = {place for letter in letters for place, _ in alphabet.row(letter)[0] if place not in places}
        if not brought:
            return length, letters
        places |= dict.fromkeys(sorted(brought, key=repr), False)
