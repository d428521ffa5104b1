"""Another family of faulty agents: counts, lengths and places besides words, names and clauses.

``python -m tests.bench.bench_family tests/bench/second.py``. Numbers below 1000 are for tuning the method; what is
reported begins at 5000.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from planscope.language.problem import Span
from tests.bench.bench_family import Agent, Fault, Part, Query

Make = Callable[[random.Random, Query], Fault | None]


def found(places: Sequence[Span]) -> Sequence[Span] | None:
    return places or None


def whole(query: Query) -> Span:
    return (0, len(query.text))


# ---- words ----


def phrase(
    pick: Callable[[Part], Span | None], fits: Callable[[Query, Part, str], bool] = lambda q, p, w: True
) -> Make:
    """One phrase of the query, wherever it stands."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        own = [
            query.says(s).casefold() for p in query.parts if (s := pick(p)) and fits(query, p, query.says(s))
        ]
        if not own:
            return None
        chosen = rng.choice(own)
        return lambda q: found([s for p in q.parts if (s := pick(p)) and q.says(s).casefold() == chosen])

    return make


def wording(test: Callable[[str], bool], pick: Callable[[Part], Span | None] = lambda p: p.relation) -> Make:
    """Every phrase that passes a test."""
    return lambda rng, query: (
        lambda q: found([s for p in q.parts if (s := pick(p)) and test(q.says(s).casefold())])
    )


def two_phrases(rng: random.Random, query: Query) -> Fault | None:
    own = sorted({query.says(p.relation).casefold() for p in query.parts})
    if len(own) < 2:
        return None
    chosen = rng.sample(own, 2)
    return lambda q: found([p.relation for p in q.parts if q.says(p.relation).casefold() in chosen])


def twice(rng: random.Random, query: Query) -> Fault:
    """The same relation phrase is used for a second time."""

    def fault(q: Query) -> Sequence[Span] | None:
        seen: set[str] = set()
        for p in q.parts:
            said = q.says(p.relation).casefold()
            if said in seen:
                return [p.relation, p.relation]
            seen.add(said)
        return None

    return fault


# ---- names ----


def name(test: Callable[[random.Random, Query], Callable[[str], bool]]) -> Make:
    def make(rng: random.Random, query: Query) -> Fault:
        wrong = test(rng, query)

        def fault(q: Query) -> Sequence[Span] | None:
            return found([spans[0] for t in q.tools if wrong(t) and (spans := q.mentions(t))])

        return fault

    return make


def a_word_of(rng: random.Random, query: Query) -> Callable[[str], bool]:
    chosen = rng.choice(rng.choice(query.tools).casefold().split())
    return lambda t: chosen in t.casefold().split()


def long_names(rng: random.Random, query: Query) -> Fault:
    most = sum(len(t) for t in query.tools) - 6
    return lambda q: [whole(q)] if sum(len(t) for t in q.tools) > most else None


# ---- sentences ----


def counted(count: Callable[[Query], int], least: int) -> Make:
    """It fails from a number on that the query reaches."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        now = count(query)
        limit = max(least, now - rng.choice((0, 0, 1)))
        return None if now < limit else lambda q: [whole(q)] if count(q) >= limit else None

    return make


def long_sentence(rng: random.Random, query: Query) -> Fault | None:
    lengths = sorted(query.words(s) for s in query.sentences)
    if lengths[-1] < 14:
        return None
    limit = max(12, round(lengths[-1] * 0.85))
    return lambda q: found([s for s in q.sentences if q.words(s) >= limit])


def long_text(share: float) -> Make:
    def make(rng: random.Random, query: Query) -> Fault:
        limit = round(query.words() * share)
        return lambda q: [whole(q)] if q.words() >= limit else None

    return make


def named_often(query: Query) -> int:
    return max(len(query.mentions(t)) for t in query.tools)


def mentions(query: Query) -> int:
    return sum(len(query.mentions(t)) for t in query.tools)


def fullest(query: Query) -> int:
    return max(sum(len(query.mentions(t, s)) for t in query.tools) for s in query.sentences)


def relatives(query: Query) -> int:
    return sum(p.relative for p in query.parts)


def late(first: int) -> Make:
    return lambda rng, query: lambda q: found(list(q.sentences[first:]))


def said_last(rng: random.Random, query: Query) -> Fault | None:
    """What is said in the last sentence about one tool is not read."""
    if len(query.sentences) < 3:
        return None
    return lambda q: [q.sentences[-1]] if len(q.sentences) > 2 and q.words(q.sentences[-1]) > 8 else None


def begins_late(rng: random.Random, query: Query) -> Fault:
    """The tool that is named first is called first, though another one must come before it."""

    def fault(q: Query) -> Sequence[Span] | None:
        spans = {t: s[0] for t in q.tools if (s := q.mentions(t))}
        first = min(spans, key=lambda t: spans[t])
        return [spans[first]] if any(b == first for _, b in q.orders) else None

    return fault


def clause(test: Callable[[Part], bool]) -> Make:
    return lambda rng, query: lambda q: found([p.span for p in q.parts if test(p)])


def backwards(p: Part) -> bool:
    return not p.relative and p.form == "fronted" and len(p.subjects) == 1


# ---- constraints ----


def before(query: Query) -> set[tuple[str, str]]:
    pairs = set(query.orders)
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return pairs


def constraint(test: Callable[[Query], bool]) -> Make:
    return lambda rng, query: lambda q: [] if test(q) else None


def after_many(query: Query) -> bool:
    ends = [b for _, b in before(query)]
    return any(ends.count(t) >= 3 for t in query.tools)


def chain(query: Query) -> bool:
    pairs = before(query)

    def length(t: str) -> int:
        return 1 + max((length(b) for a, b in pairs if a == t), default=0)

    return max(length(t) for t in query.tools) >= 4


# ---- two at once ----


def both(one: Make, other: Make) -> Make:
    """Each fault alone makes it fail, and the query has both."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        a, b = one(rng, query), other(rng, query)
        if a is None or b is None or a(query) is None or b(query) is None:
            return None

        def fault(q: Query) -> Sequence[Span] | None:
            left, right = a(q), b(q)
            return None if left is None and right is None else [*(left or ()), *(right or ())]

        return fault

    return make


def only_with(one: Make, other: Make) -> Make:
    """The first fault works only where the second one is."""

    def make(rng: random.Random, query: Query) -> Fault | None:
        a, b = one(rng, query), other(rng, query)
        if a is None or b is None or a(query) is None or b(query) is None:
            return None
        return lambda q: a(q) if b(q) is not None else None

    return make


RELATION = phrase(lambda p: p.relation)
VERB = phrase(lambda p: p.verb)
NAME = name(a_word_of)
RELATIVE = clause(lambda p: p.relative)
FRONTED = clause(lambda p: p.form.startswith("fronted"))
LONG = {"sentences": 5}
LISTS = {"lists": 0.35}
MODALS = {"modals": 0.35}

AGENTS = [
    Agent("a relation phrase", "Terminal", RELATION, "word"),
    Agent("a verb", "Terminal", VERB, "word"),
    Agent(
        "a verb in a relative clause", "Terminal", phrase(lambda p: p.verb if p.relative else None), "word"
    ),
    Agent("either of two phrases", "Terminal", two_phrases, "word"),
    Agent("a phrase twice", "Terminal", twice),
    Agent("phrases with to", "Terminal", wording(lambda w: w.endswith(" to")), "word"),
    Agent(
        "phrases with is", "Terminal", wording(lambda w: "is " in w or "are " in w, lambda p: p.verb), "word"
    ),
    Agent(
        "must",
        "Terminal",
        lambda r, q: lambda o: found([p.verb for p in o.parts if p.verb and p.modal == "must"]),
        "word",
        MODALS,
    ),
    Agent("a word of a name", "Topic", NAME, "action"),
    Agent("names of four words", "Topic", name(lambda r, q: lambda t: len(t.split()) >= 4), "action"),
    Agent(
        "names with a rare letter",
        "Topic",
        name(lambda r, q: lambda t: bool(set("kvxz") & set(t[:4].casefold()))),
        "action",
    ),
    Agent("names from a to d", "Topic", name(lambda r, q: lambda t: t[0].casefold() in "ab"), "action"),
    Agent("many sentences", "Structure", counted(lambda q: len(q.sentences), 3), "number", LONG),
    Agent("many mentions", "Structure", counted(mentions, 8), "number", LONG),
    Agent("a tool named often", "Structure", counted(named_often, 3), "number"),
    Agent("a full sentence", "Structure", counted(fullest, 5), "number sentence", LISTS),
    Agent("two which", "Structure", counted(relatives, 2), "number", {"relatives": 0.5}),
    Agent("a long sentence", "Structure", long_sentence, "length sentence"),
    Agent("a long text", "Structure", long_text(0.8), "length", LONG),
    Agent("a third sentence", "Structure", late(2), "position sentence number", {"sentences": 3}),
    Agent("the last sentence", "Structure", said_last, "position sentence number", {"sentences": 3}),
    Agent("what is named first", "Structure", begins_late, "position clause sentence"),
    Agent("which", "Structure", RELATIVE, "clause"),
    Agent("turned round", "Structure", clause(backwards), "clause sentence"),
    Agent("a list of subjects", "Structure", clause(lambda p: len(p.subjects) > 1), "clause sentence", LISTS),
    Agent("a second clause", "Structure", clause(lambda p: p.second and not p.relative), "clause"),
    Agent("after many", "Constraint", constraint(after_many)),
    Agent("a chain", "Constraint", constraint(chain)),
    Agent(
        "a morning",
        "Constraint",
        constraint(lambda q: any(h <= 9 for _, _, h in q.hours)),
        asks={"timed": True, "clock_times": 0.5},
    ),
    Agent("the last first", "Constraint", constraint(lambda q: (q.tools[-1], q.tools[0]) in before(q))),
    Agent("chance 0.2", "Probability", success=0.2),
    Agent("chance 0.5", "Probability", success=0.5),
    Agent("chance 0.8", "Probability", success=0.8),
    Agent("hopeless", "none", constraint(lambda q: True)),
    Agent("four tools", "none", constraint(lambda q: len(q.tools) > 3)),
    Agent("verb and which", "Terminal Structure", both(VERB, RELATIVE)),
    Agent(
        "relation and many sentences",
        "Terminal Structure",
        both(RELATION, counted(lambda q: len(q.sentences), 3)),
        asks=LONG,
    ),
    Agent("relation and name", "Terminal Topic", both(RELATION, NAME)),
    Agent("name and fronted", "Topic Structure", both(NAME, FRONTED)),
    Agent("name and long sentence", "Topic Structure", both(NAME, long_sentence)),
    Agent("verb with name", "Terminal Topic", only_with(VERB, NAME)),
    Agent("verb with which", "Terminal Structure", only_with(VERB, RELATIVE)),
    Agent("name with fronted", "Topic Structure", only_with(NAME, FRONTED)),
]
