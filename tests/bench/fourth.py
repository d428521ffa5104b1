"""A fourth family: words, names, clauses, constraints, numbers, lengths, positions, chance, two at once.

``python -m tests.bench.bench_family tests/bench/fourth.py --first 5000 --cases 2``. Its faults were written before a
look at how causes and words are found, and its cases were opened once.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from planscope.language.problem import Span
from tests.bench.bench_family import Agent, Fault, Part, Query

Make = Callable[[random.Random, Query], Fault | None]
Found = Sequence[Span] | None


def fixed(fault: Fault) -> Make:
    return lambda rng, query: fault


def clauses(test: Callable[[Query, Part], bool]) -> Make:
    """Clauses that pass a test are misread."""
    return fixed(lambda q: [p.span for p in q.parts if test(q, p)] or None)


# ---- words ----


def relations(test: Callable[[str], bool]) -> Make:
    """Words of order that pass a test are misread."""
    return fixed(lambda q: [p.relation for p in q.parts if test(q.says(p.relation).lower())] or None)


def once_only(rng: random.Random, query: Query) -> Fault | None:
    """A phrase that this query has once is misread."""
    said = [query.says(p.relation).lower() for p in query.parts]
    once = [w for w in said if said.count(w) == 1]
    if not once:
        return None
    word = rng.choice(once)
    return lambda q: [p.relation for p in q.parts if q.says(p.relation).lower() == word] or None


def time_noun(rng: random.Random, query: Query) -> Fault | None:
    """Phrases with one noun of time ("point", "moment", "time", "stage") are misread."""
    noun = rng.choice(("point", "moment", "time", "stage"))
    return lambda q: [p.relation for p in q.parts if noun in q.says(p.relation).lower().split()] or None


def begins(rng: random.Random, query: Query) -> Fault | None:
    """Verbs of one beginning ("is", "takes", "needs") are misread."""
    verbs = [query.says(p.verb).split()[0].lower() for p in query.parts if p.verb and p.form != "direct"]
    if not verbs:
        return None
    first = rng.choice(verbs)
    return lambda q: (
        [p.verb for p in q.parts if p.verb and q.says(p.verb).split()[0].lower() == first] or None
    )


def obligation(q: Query) -> Found:
    """Anything that must, has to or needs to happen is put off."""
    return [p.verb for p in q.parts if p.verb and p.modal] or None


# ---- names ----


def called(pick: Callable[[random.Random, Query], Callable[[str], bool] | None]) -> Make:
    def make(rng: random.Random, query: Query) -> Fault | None:
        test = pick(rng, query)
        if test is None or sum(map(test, query.tools)) != 1:
            return None
        return lambda q: [at for t in q.tools if test(t) for at in q.mentions(t)] or None

    return make


def last_word(rng: random.Random, query: Query) -> Callable[[str], bool] | None:
    word = rng.choice(query.tools).split()[-1]
    return lambda name: name.split()[-1] == word


def rare_letter(rng: random.Random, query: Query) -> Callable[[str], bool] | None:
    letters = [c for c in "jkqvwxyz" if sum(c in t.lower() for t in query.tools) == 1]
    if not letters:
        return None
    letter = rng.choice(letters)
    return lambda name: letter in name.lower()


def three_words(rng: random.Random, query: Query) -> Callable[[str], bool]:
    return lambda name: len(name.split()) >= 3


# ---- counts and lengths ----


def many(count: Callable[[Query], int], least: int) -> Make:
    """It gives up where there are as many of something as in this query, or at least some."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        limit = max(least, count(query) - rng.choice((0, 1)))
        return None if count(query) < limit else lambda q: [(0, len(q.text))] if count(q) >= limit else None

    return make


def nearly(size: Callable[[Query], float], share: float) -> Make:
    """It gives up where something is as long as in this query, or nearly."""

    def make(rng: random.Random, query: Query) -> Fault:
        limit = size(query) * share
        return lambda q: [(0, len(q.text))] if size(q) >= limit else None

    return make


def mean_sentence(q: Query) -> float:
    return q.words() / len(q.sentences)


# ---- places ----


def last_sentence(q: Query) -> Found:
    """Of three sentences or more, the last is forgotten."""
    return [q.sentences[-1]] if len(q.sentences) >= 3 else None


def second_half(q: Query) -> Found:
    """Second clauses of the last sentence are forgotten."""
    return [p.span for p in q.parts if p.second and p.sentence == len(q.sentences) - 1] or None


def order_of_mention(q: Query) -> Found:
    """The action that is named last is always done last."""
    last = max(q.tools, key=lambda t: max((at[0] for at in q.mentions(t)), default=-1))
    return [] if any(before == last for before, _ in q.orders) else None


def first_of_first(q: Query) -> Found:
    """The action that is named first is always done first."""
    first = min(q.tools, key=lambda t: min((at[0] for at in q.mentions(t)), default=10**6))
    return [] if any(after == first for _, after in q.orders) else None


def far_apart(q: Query) -> Found:
    """Clauses whose two actions stand more than eleven words apart are misread."""
    bad = []
    for p in q.parts:
        places = [at for t in (*p.subjects, *p.objects) for at in q.mentions(t, p.span)]
        if len(places) > 1 and q.words((min(places)[1], max(places)[0])) > 11:
            bad.append(p.span)
    return bad or None


# ---- constraints ----


def chain(q: Query) -> Found:
    """A chain of four is too much."""
    after: dict[str, list[str]] = {}
    for a, b in q.orders:
        after.setdefault(a, []).append(b)

    def depth(name: str) -> int:
        return 1 + max((depth(n) for n in after.get(name, ())), default=0)

    return [] if max(map(depth, q.tools)) >= 4 else None


def hub(q: Query) -> Found:
    """An action that three others wait for is too much."""
    return [] if any(sum(a == t for a, _ in q.orders) >= 3 for t in q.tools) else None


def early_start(q: Query) -> Found:
    """An action that may begin only from an hour on is begun at once."""
    return [] if any(how == "from" for _, how, _ in q.hours) else None


# ---- two at once ----


def both_faults(one: Make, other: Make) -> Make:
    """Either fault makes it fail, and this query has both."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        a, b = one(rng, query), other(rng, query)
        if a is None or b is None or a(query) is None or b(query) is None:
            return None

        def fault(q: Query) -> Found:
            found = [at for at in (a(q), b(q)) if at is not None]
            return [span for at in found for span in at] if found else None

        return fault

    return make


RELATIVE = clauses(lambda q, p: p.relative)
TIMED = {"timed": True, "clock_times": 0.5}
LONG = {"sentences": 5}

AGENTS = [
    Agent("a phrase of three words", "Terminal", relations(lambda w: len(w.split()) >= 3), "word"),
    Agent("a phrase said once", "Terminal", once_only, "word"),
    Agent("a noun of time", "Terminal", time_noun, "word"),
    Agent("a verb's beginning", "Terminal", begins, "word"),
    Agent("obligation", "Terminal", fixed(obligation), "word", {"modals": 0.35}),
    Agent("later, subsequent", "Terminal", relations(lambda w: "later" in w or "subsequent" in w), "word"),
    Agent("how a name ends", "Topic", called(last_word), "action"),
    Agent("a rare letter", "Topic", called(rare_letter), "action"),
    Agent("a name of three words", "Topic", called(three_words), "action"),
    Agent("relatives", "Structure", RELATIVE, "clause sentence"),
    Agent(
        "before B occurs, A",
        "Structure",
        clauses(lambda q, p: p.form == "fronted_compound"),
        "clause sentence",
    ),
    Agent(
        "a second clause", "Structure", clauses(lambda q, p: p.second and not p.relative), "clause sentence"
    ),
    Agent(
        "two objects",
        "Structure",
        clauses(lambda q, p: len(p.objects) > 1),
        "clause sentence",
        {"lists": 0.35},
    ),
    Agent("relatives by number", "Structure", many(lambda q: sum(p.relative for p in q.parts), 2), "number"),
    Agent("sentences by number", "Structure", many(lambda q: len(q.sentences), 3), "number", LONG),
    Agent(
        "names by number", "Structure", many(lambda q: sum(len(q.mentions(t)) for t in q.tools), 7), "number"
    ),
    Agent("words of the text", "Structure", nearly(lambda q: q.words(), 0.9), "length", LONG),
    Agent(
        "words of a sentence",
        "Structure",
        nearly(lambda q: max(map(q.words, q.sentences)), 0.9),
        "length sentence",
    ),
    Agent("mean length of sentences", "Structure", nearly(mean_sentence, 0.9), "length number sentence"),
    Agent("the last sentence", "Structure", fixed(last_sentence), "position number sentence", LONG),
    Agent("a second clause at the end", "Structure", fixed(second_half), "position clause sentence"),
    Agent("named last, done last", "Structure", fixed(order_of_mention), "position clause sentence"),
    Agent("named first, done first", "Structure", fixed(first_of_first), "position clause sentence"),
    Agent("far apart", "Structure", fixed(far_apart), "length clause sentence"),
    Agent("a chain of four", "Constraint", fixed(chain)),
    Agent("three wait", "Constraint", fixed(hub)),
    Agent("begun too early", "Constraint", fixed(early_start), asks=TIMED),
    Agent("chance 0.5", "Probability", success=0.5),
    Agent("phrase and relatives", "Terminal Structure", both_faults(once_only, RELATIVE)),
    Agent(
        "name and number",
        "Topic Structure",
        both_faults(called(last_word), many(lambda q: len(q.sentences), 3)),
        asks=LONG,
    ),
]
