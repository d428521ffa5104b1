"""A third family of faulty agents: order, forgetting, numbers, lengths, places, words, names, hours, two at once.

``python -m tests.bench.bench_family tests/bench/third.py``. Numbers below 1000 are for tuning the method; what is
reported begins at 5000.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from planscope.language.problem import Span
from tests.bench.bench_family import Agent, Fault, Part, Query

Make = Callable[[random.Random, Query], Fault | None]
Found = Sequence[Span] | None


def whole(q: Query) -> Span:
    return (0, len(q.text))


def fixed(fault: Fault) -> Make:
    """A fault that needs nothing of the query."""
    return lambda rng, query: fault


def parts(test: Callable[[Query, Part], bool]) -> Make:
    """Every clause that passes a test is misread."""
    return fixed(lambda q: [p.span for p in q.parts if test(q, p)] or None)


def first_places(q: Query) -> dict[str, Span]:
    return {t: s[0] for t in q.tools if (s := q.mentions(t))}


def later_ones(q: Query) -> set[tuple[str, str]]:
    """All pairs of which the first must come before the second, also by way of others."""
    pairs = set(q.orders)
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return pairs


# ---- order ----


def first_clause_backwards(q: Query) -> Found:
    """What is named first in the text's first clause is taken to be earlier."""
    part = min(q.parts, key=lambda p: p.span)
    places = first_places(q)
    inside = [t for t in (*part.subjects, *part.objects) if t in places]
    if len(inside) < 2:
        return None
    first = min(inside, key=lambda t: q.mentions(t, part.span)[0] if q.mentions(t, part.span) else (10**6, 0))
    return [part.span] if any((other, first) in q.orders for other in inside) else None


def last_named_is_last(q: Query) -> Found:
    """The tool that the text names last is called last, though another one must come after it."""
    ends = {t: s[-1] for t in q.tools if (s := q.mentions(t))}
    last = max(ends, key=lambda t: ends[t])
    return [ends[last]] if any(a == last for a, _ in q.orders) else None


def two_as_named(rng: random.Random, query: Query) -> Fault | None:
    """Of two tools, by their places in the list of tools, the one that is named first is called first."""
    if not query.orders:
        return None
    early, late = map(query.tools.index, rng.choice(query.orders))

    def fault(q: Query) -> Found:
        one, other = q.tools[early], q.tools[late]
        places = first_places(q)
        if (one, other) not in later_ones(q) or not {one, other} <= set(places):
            return None
        return [places[other]] if places[other] < places[one] else None

    return fault


def as_listed(q: Query) -> Found:
    """The second tool of the list of tools may not come before the first one."""
    return [] if (q.tools[1], q.tools[0]) in later_ones(q) else None


def two_before_one(q: Query) -> Found:
    """A tool that has two others before it and one after it."""
    pairs = later_ones(q)
    return (
        []
        if any(sum(b == t for _, b in pairs) >= 2 and any(a == t for a, _ in pairs) for t in q.tools)
        else None
    )


# ---- forgetting ----


def middle(q: Query) -> Found:
    return list(q.sentences[1:-1]) or None


def objects_in_list(q: Query) -> Found:
    """A clause with several objects is misread: one of them is forgotten."""
    return [p.span for p in q.parts if len(p.objects) > 1] or None


def three_in_list(q: Query) -> Found:
    return [p.span for p in q.parts if max(len(p.subjects), len(p.objects)) >= 3] or None


# ---- numbers and lengths ----


def from_on(count: Callable[[Query], int], least: int, off: Sequence[int] = (0, 0, 1)) -> Make:
    """It fails from a number on that this query has reached."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        limit = max(least, count(query) - rng.choice(off))
        return (lambda q: [whole(q)] if count(q) >= limit else None) if count(query) >= limit else None

    return make


def named(q: Query) -> int:
    return sum(len(q.mentions(t)) for t in q.tools)


def afters(q: Query) -> int:
    """How many clauses name what is later first."""
    return sum(bool(p.subjects and p.objects) and (p.objects[0], p.subjects[0]) in q.orders for p in q.parts)


def share_of(size: Callable[[Query], int], share: float) -> Make:
    def make(rng: random.Random, query: Query) -> Fault:
        limit = round(size(query) * share)
        return lambda q: [whole(q)] if size(q) >= limit else None

    return make


def long_clause(rng: random.Random, query: Query) -> Fault | None:
    longest = max(query.words(p.span) for p in query.parts)
    return None if longest < 9 else lambda q: [p.span for p in q.parts if q.words(p.span) >= longest] or None


# ---- positions ----


def after_words(rng: random.Random, query: Query) -> Fault | None:
    """What stands behind so many words is not read."""
    least = rng.choice((20, 25, 30))
    if query.words() <= least + 4:
        return None
    return lambda q: [p.span for p in q.parts if q.words((0, p.span[0])) >= least] or None


def long_beginning(q: Query) -> Found:
    first = q.sentences[0]
    return [first] if len(q.sentences) > 1 and q.words(first) > 11 else None


def hour_at_the_end(q: Query) -> Found:
    last = max(q.parts, key=lambda p: p.span)
    return [last.span] if last.hour is not None else None


# ---- words ----


def said(pick: Callable[[Part], Span | None], test: Callable[[Query, str], bool] = lambda q, w: True) -> Make:
    """One phrase of this query, wherever it is said."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        own = [w for p in query.parts if (s := pick(p)) and test(query, w := query.says(s).casefold())]
        if not own:
            return None
        chosen = rng.choice(own)
        return lambda q: [s for p in q.parts if (s := pick(p)) and q.says(s).casefold() == chosen] or None

    return make


def modal(rng: random.Random, query: Query) -> Fault | None:
    own = sorted({p.modal for p in query.parts if p.modal and p.verb})
    if not own:
        return None
    chosen = rng.choice(own)
    return lambda q: [p.verb for p in q.parts if p.verb and p.modal == chosen] or None


def long_word(q: Query) -> Found:
    return [p.relation for p in q.parts if max(map(len, q.says(p.relation).split())) >= 9] or None


def first_word(rng: random.Random, query: Query) -> Fault | None:
    """The text begins with this relation phrase."""
    part = min(query.parts, key=lambda p: p.relation)
    if part.relation[0]:
        return None
    chosen = query.says(part.relation).casefold()
    return lambda q: [(0, len(chosen))] if q.text.casefold().startswith(chosen + " ") else None


# ---- names ----


def names(test: Callable[[random.Random, Query], Callable[[str], bool] | None]) -> Make:
    def make(rng: random.Random, query: Query) -> Fault | None:
        wrong = test(rng, query)
        if wrong is None:
            return None
        return lambda q: [s[0] for t in q.tools if wrong(t) and (s := q.mentions(t))] or None

    return make


def one_name(rng: random.Random, query: Query) -> Callable[[str], bool]:
    chosen = rng.choice(query.tools)
    return lambda t: t == chosen


def one_beginning(rng: random.Random, query: Query) -> Callable[[str], bool]:
    chosen = rng.choice(query.tools).split()[0].casefold()
    return lambda t: t.split()[0].casefold() == chosen


def too_long(rng: random.Random, query: Query) -> Callable[[str], bool] | None:
    """Names of so many characters; jobs rarely have one."""
    return (lambda t: len(t) >= 29) if max(map(len, query.tools)) >= 29 else None


# ---- clock times ----


def hour(rng: random.Random, query: Query) -> Fault | None:
    """One clock time of this query is misread, whatever it is about."""
    if not query.hours:
        return None
    chosen = rng.choice(query.hours)[2]
    return lambda q: [] if any(h == chosen for *_, h in q.hours) else None


def late_limit(q: Query) -> Found:
    return [] if any(how == "until" and h > 12 for _, how, h in q.hours) else None


# ---- two at once ----


def either(one: Make, other: Make) -> Make:
    """Two faults, each of which alone makes it fail; this query has both."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        a, b = one(rng, query), other(rng, query)
        if a is None or b is None or a(query) is None or b(query) is None:
            return None

        def fault(q: Query) -> Found:
            left, right = a(q), b(q)
            return None if left is None and right is None else [*(left or ()), *(right or ())]

        return fault

    return make


RELATION = said(lambda p: p.relation if p.hour is None else None)
VERB = said(lambda p: p.verb)
RELATIVE = parts(lambda q, p: p.relative)
SENTENCES = from_on(lambda q: len(q.sentences), 3)
TIMED = {"timed": True, "clock_times": 0.5}
LONG = {"sentences": 5}
LISTS = {"lists": 0.35}
MODALS = {"modals": 0.35}

AGENTS = [
    Agent("first clause backwards", "Structure", fixed(first_clause_backwards), "position clause sentence"),
    Agent("last named is last", "Structure", fixed(last_named_is_last), "position clause sentence"),
    Agent("two as named", "Structure", two_as_named, "position clause sentence"),
    Agent("as listed", "Constraint", fixed(as_listed)),
    Agent("two before one", "Constraint", fixed(two_before_one)),
    Agent("the middle", "Structure", fixed(middle), "position sentence number", {"sentences": 3}),
    Agent("an object of a list", "Structure", fixed(objects_in_list), "clause sentence", LISTS),
    Agent("three in a list", "Structure", fixed(three_in_list), "clause sentence number", LISTS),
    Agent("after so many mentions", "Structure", from_on(named, 8), "number", LONG),
    Agent("many sentences", "Structure", SENTENCES, "number", LONG),
    Agent("many commas", "Structure", from_on(lambda q: q.text.count(","), 3), "number"),
    Agent("many clauses", "Structure", from_on(lambda q: len(q.parts), 4), "number", LONG),
    Agent("later ones first", "Structure", from_on(afters, 2), "number clause"),
    Agent(
        "a tool named three times",
        "Structure",
        from_on(lambda q: max(len(q.mentions(t)) for t in q.tools), 3),
        "number",
    ),
    Agent("many characters", "Structure", share_of(lambda q: len(q.text), 0.85), "length", LONG),
    Agent("many words", "Structure", share_of(lambda q: q.words(), 0.85), "length"),
    Agent(
        "a sentence of many characters",
        "Structure",
        share_of(lambda q: max(b - a for a, b in q.sentences), 0.9),
        "length sentence",
    ),
    Agent("a long clause", "Structure", long_clause, "length clause sentence"),
    Agent("after so many words", "Structure", after_words, "position length sentence number", LONG),
    Agent("a long beginning", "Structure", fixed(long_beginning), "position length sentence"),
    Agent("an hour at the end", "Structure", fixed(hour_at_the_end), "position clause sentence", TIMED),
    Agent("one relation", "Terminal", RELATION, "word"),
    Agent("one modal", "Terminal", modal, "word", MODALS),
    Agent("a long word", "Terminal", fixed(long_word), "word"),
    Agent("one verb", "Terminal", VERB, "word"),
    Agent("the first word", "Terminal", first_word, "word"),
    Agent("a relation after which", "Terminal", said(lambda p: p.relation if p.relative else None), "word"),
    Agent("one name", "Topic", names(one_name), "action"),
    Agent("how a name begins", "Topic", names(one_beginning), "action"),
    Agent("the longest name", "Topic", names(too_long), "action"),
    Agent("one hour", "Constraint", hour, asks=TIMED),
    Agent("until the afternoon", "Constraint", fixed(late_limit), asks=TIMED),
    Agent(
        "a relation before an hour",
        "Terminal",
        said(lambda p: p.relation if p.hour is not None else None),
        "word",
        TIMED,
    ),
    Agent(
        "an hour in front",
        "Structure",
        parts(lambda q, p: p.hour is not None and p.form.startswith("fronted")),
        "clause sentence",
        TIMED,
    ),
    Agent("relation and which", "Terminal Structure", either(RELATION, RELATIVE)),
    Agent("verb and name", "Terminal Topic", either(VERB, names(one_name))),
    Agent("name and many sentences", "Topic Structure", either(names(one_beginning), SENTENCES), asks=LONG),
    Agent("relation and hour", "Terminal Constraint", either(RELATION, hour), asks=TIMED),
    Agent("chance 0.4", "Probability", success=0.4),
    Agent("always", "none", fixed(lambda q: [])),
]
