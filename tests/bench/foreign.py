"""The second family of faulty agents: 40 kinds of faults that the simulated models do not have, each with a label.

They were written, and labelled, before the dissection was changed for them and without a look at its code. An agent
reads the text of a variant like a careful one, misreads the places that concern its fault, and plans with what is left:
in the order of mention, as far as its reading allows. A label says which change cures: other words (Terminal), other
actions (Topic), other sentences with the same constraints (Structure), other constraints (Constraint), another throw of
the dice (Probability), or nothing (none). Two faults at once have two labels, and either is right.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

from planscope.language.problem import Constraint, NodePath, Problem, Span
from planscope.language.topics import load_topics
from planscope.language.tree import NP, RELATION_WORD, Clause, Query, Relative, Sentence, Time, Word
from planscope.language.tree_json import dump
from planscope.oracle.replay import replay
from planscope.oracle.verdict_types import PlannedCall
from planscope.oracle.walk import plan_of
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    Origin,
    PromptEvent,
    Run,
    Session,
    Variant,
    make_variant,
)
from planscope.session.oracle_input import problem_of, reading_of
from planscope.session.traces import trace_of
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request


class Piece(NamedTuple):
    """A clause or a relative clause, with the constraints that it states. ``second``: it is in the second clause."""

    node: Clause | Relative
    subject: NP
    ids: tuple[str, ...]
    sentence: int
    second: bool
    path: NodePath

    @property
    def words(self) -> tuple[Word, ...]:
        return self.node.words

    @property
    def relation(self) -> Word:
        """The word that says before or after."""
        return self.node.words[RELATION_WORD[self.node.form]]

    @property
    def verb(self) -> Word | None:
        """The verb of the piece itself, not of the clause below it."""
        own = [w for w in self.words if w.terminal.startswith("VP")]
        last = self.node.form in ("fronted", "fronted_compound")
        return own[-1 if last else 0] if own else None


class Seen:
    """A query as an agent sees it: text, tools and what a careful reader makes of them."""

    def __init__(self, text: str, tree: Query, problem: Problem) -> None:
        self.text, self.tree, self.problem = text, tree, problem
        self.names = [a.name for a in problem.actions]
        self.ids = tuple(c.id for c in problem.said)

    def says(self, span: Span) -> str:
        return self.text[span[0] : span[1]]

    def pieces(self) -> Iterator[Piece]:
        at: dict[NodePath, list[str]] = {}
        for c in self.problem.said:
            at.setdefault(c.node, []).append(c.id)
        for s, sentence in enumerate(self.tree.sentences):
            for k, clause in enumerate(sentence.clauses):
                assert isinstance(clause, Clause)
                path: NodePath = (s, "clause", k)
                yield Piece(clause, clause.subject, tuple(at.get(path, ())), s, k > 0, path)
                for role, np in (("subject", clause.subject), ("object", clause.object)):
                    if isinstance(np, NP) and np.relative is not None:
                        inner = (*path, role, "relative")
                        yield Piece(np.relative, np, tuple(at.get(inner, ())), s, k > 0, inner)

    def sentence_ids(self, s: int) -> tuple[str, ...]:
        return tuple(c.id for c in self.problem.said if c.sentence == s)

    def mentions(self, sentence: Sentence) -> int:
        """The number of times that a sentence names an action."""
        lists = [np for c in sentence.clauses if isinstance(c, Clause) for np in (c.subject, c.object)]
        lists += [np.relative.object for np in lists if isinstance(np, NP) and np.relative is not None]
        return sum(len(np.actions) for np in lists if isinstance(np, NP))

    def in_order_of_mention(self) -> list[str]:
        """Ids of the actions, by their first place in the text."""
        low = self.text.casefold()
        return [a.id for a in sorted(self.problem.actions, key=lambda a: low.find(a.name.casefold()))]


@dataclass(frozen=True)
class Fault:
    """One place that an agent misreads.

    ``flip``: constraints that it reads as their opposites; ``drop``: those that it does not read. ``swap``: two actions
    that it mistakes for each other; ``lose``: an action that it forgets; ``fail``: it is wrong, whatever it read.
    ``planted``: the words in the text to blame, in equally good choices.
    """

    flip: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    swap: tuple[str, str] | None = None
    lose: str | None = None
    fail: bool = False
    planted: tuple[Span, ...] = ()


Trigger = Callable[[Seen], list[Fault]]


@dataclass(frozen=True)
class Kind:
    """A kind of faulty agent. ``causes``: the labels. ``culprits``: kinds of culprit that are right for one place.

    ``draw`` makes the fault for a query, or returns None if it does not concern it. ``asks`` changes the request that
    the query is drawn from. ``timed``: only for queries with hours.
    """

    name: str
    causes: frozenset[str]
    draw: Callable[[random.Random, Seen], Trigger | None]
    culprits: frozenset[str] = frozenset()
    asks: tuple[tuple[str, Any], ...] = ()
    timed: bool = False
    success: float | None = None
    """The agent's chance to be right, whatever it is asked, for agents whose cause is chance."""


# ---- words ----


def _by_word(
    wanted: Callable[[Seen, Piece, Word], bool], pick: Callable[[Piece], Word | None]
) -> Callable[[Seen], list[Fault]]:
    """Return a trigger that flips each piece whose picked word is wanted."""

    def trigger(seen: Seen) -> list[Fault]:
        found = []
        for piece in seen.pieces():
            word = pick(piece)
            if word is not None and wanted(seen, piece, word):
                found.append(Fault(flip=piece.ids, planted=(word.span,)))
        return found

    return trigger


def _relation(piece: Piece) -> Word:
    return piece.relation


def _verb(piece: Piece) -> Word | None:
    return piece.verb


def _one_entry(
    pick: Callable[[Piece], Word | None], fits: Callable[[Piece, Word], bool]
) -> Callable[[random.Random, Seen], Trigger | None]:
    """Return how to draw one phrase of the query that the agent misreads wherever ``fits`` holds."""

    def draw(rng: random.Random, seen: Seen) -> Trigger | None:
        own = [(p, w) for p in seen.pieces() if (w := pick(p)) is not None and fits(p, w)]
        if not own:
            return None
        _, chosen = rng.choice(own)
        return _by_word(lambda _, p, w: w[:2] == chosen[:2] and fits(p, w), pick)

    return draw


def _any_modal(rng: random.Random, seen: Seen) -> Trigger | None:
    return _by_word(lambda _, p, w: bool(w.modal), _verb)


def _one_modal(rng: random.Random, seen: Seen) -> Trigger | None:
    own = [w.modal for p in seen.pieces() if (w := p.verb) is not None and w.modal]
    if not own:
        return None
    chosen = rng.choice(own)

    def trigger(seen: Seen) -> list[Fault]:
        return [
            Fault(drop=p.ids, planted=(p.verb.span,))
            for p in seen.pieces()
            if p.verb is not None and p.verb.modal == chosen
        ]

    return trigger


def _bare(piece: Piece, word: Word) -> bool:
    return word.terminal in ("VP<", "VP>") and not word.modal


def _is_fronted(piece: Piece, word: Word) -> bool:
    return piece.node.form == "fronted"


def _with_clock(piece: Piece, word: Word) -> bool:
    return isinstance(piece.node.object, Time)


def _no_clock(piece: Piece, word: Word) -> bool:
    return not isinstance(piece.node.object, Time)


def _subordinator(piece: Piece, word: Word) -> bool:
    return word.terminal.startswith("SC")


def _verb_zero(rng: random.Random, seen: Seen) -> Trigger | None:
    own = [w.entry for p in seen.pieces() if (w := p.verb) is not None and w.terminal == "VP0"]
    if not own:
        return None
    chosen = rng.choice(own)
    return _by_word(lambda _, p, w: w.terminal == "VP0" and w.entry == chosen, _verb)


def _conjunction(rng: random.Random, seen: Seen) -> Trigger | None:
    own = [s.conj.entry for s in seen.tree.sentences if s.conj is not None]
    if not own:
        return None
    chosen = rng.choice(own)

    def trigger(seen: Seen) -> list[Fault]:
        found = []
        for s, sentence in enumerate(seen.tree.sentences):
            if sentence.conj is not None and sentence.conj.entry == chosen:
                ids = [
                    i for p in seen.pieces() if p.sentence == s and p.path == (s, "clause", 1) for i in p.ids
                ]
                found.append(Fault(flip=tuple(ids), planted=(sentence.conj.span,)))
        return found

    return trigger


def _long_phrase(rng: random.Random, seen: Seen) -> Trigger | None:
    most = rng.choice((3, 4))
    return _by_word(lambda seen, p, w: len(seen.says(w.span).split()) > most, _relation)


def _first_letter(rng: random.Random, seen: Seen) -> Trigger | None:
    letter = rng.choice("aeilps")
    return _by_word(lambda seen, p, w: seen.says(w.span)[:1].casefold() == letter, _relation)


def _capital_word(rng: random.Random, seen: Seen) -> Trigger | None:
    own = {seen.says(p.relation.span) for p in seen.pieces() if seen.says(p.relation.span)[:1].isupper()}
    if not own:
        return None
    chosen = rng.choice(sorted(own))
    return _by_word(lambda seen, p, w: seen.says(w.span) == chosen, _relation)


# ---- names ----


def _planted_name(seen: Seen, *ids: str) -> tuple[Span, ...]:
    low, spans = seen.text.casefold(), []
    for action in seen.problem.actions:
        if action.id in ids:
            begin = low.find(action.name.casefold())
            spans.append((begin, begin + len(action.name)))
    return tuple(spans)


def _same_initial(rng: random.Random, seen: Seen) -> Trigger | None:
    def trigger(seen: Seen) -> list[Fault]:
        first: dict[str, str] = {}
        for a in seen.problem.actions:
            other = first.setdefault(a.name[:1].casefold(), a.id)
            if other != a.id:
                return [Fault(swap=(other, a.id), planted=_planted_name(seen, other, a.id))]
        return []

    return trigger


def _shared_word(rng: random.Random, seen: Seen) -> Trigger | None:
    def trigger(seen: Seen) -> list[Fault]:
        first: dict[str, str] = {}
        for a in seen.problem.actions:
            for word in a.name.casefold().split():
                other = first.setdefault(word, a.id)
                if other != a.id:
                    return [Fault(swap=(other, a.id), planted=_planted_name(seen, other, a.id))]
        return []

    return trigger


def _long_name(rng: random.Random, seen: Seen) -> Trigger | None:
    least = rng.choice((27, 28, 29))

    def trigger(seen: Seen) -> list[Fault]:
        long = [a.id for a in seen.problem.actions if len(a.name) >= least]
        return [Fault(lose=a, planted=_planted_name(seen, a)) for a in long]

    return trigger


@cache
def _jobs() -> dict[str, str]:
    return {name.casefold(): job for job, names in load_topics().items() for name in names}


def _job(rng: random.Random, seen: Seen) -> Trigger | None:
    salt = rng.randrange(10**6)

    def trigger(seen: Seen) -> list[Fault]:
        job = _jobs().get(seen.names[0].casefold(), "")
        return [Fault(fail=True)] if random.Random(f"{salt} {job}").random() < 0.4 else []

    return trigger


def _ending(rng: random.Random, seen: Seen) -> Trigger | None:
    chosen = rng.choice(seen.names).split()[-1].casefold()

    def trigger(seen: Seen) -> list[Fault]:
        found = []
        for a in seen.problem.actions:
            if a.name.split()[-1].casefold() == chosen:
                ids = tuple(c.id for c in seen.problem.said if a.id in c.actions)
                found.append(Fault(flip=ids, planted=_planted_name(seen, a.id)))
        return found

    return trigger


# ---- sentences ----


def _in_list(position: int) -> Callable[[random.Random, Seen], Trigger | None]:
    """The action at ``position`` (0: first, -1: last) of a list is read on the wrong side."""

    def trigger(seen: Seen) -> list[Fault]:
        found = []
        by_id = seen.problem.by_id
        for piece in seen.pieces():
            for np in (piece.subject, piece.node.object):
                if isinstance(np, NP) and len(np.actions) > 1:
                    bad = np.actions[position].action
                    ids = tuple(i for i in piece.ids if bad in by_id[i].actions)
                    found.append(Fault(flip=ids, planted=(np.span, piece.node.span)))
        return found

    return lambda rng, seen: trigger


def _relative(rng: random.Random, seen: Seen) -> Trigger | None:
    role, form = rng.choice(("subject", "object")), rng.choice(("direct", "adjunct"))

    def trigger(seen: Seen) -> list[Fault]:
        return [
            Fault(flip=p.ids, planted=(p.node.span,))
            for p in seen.pieces()
            if p.path[-1] == "relative" and p.path[-2] == role and p.node.form == form
        ]

    return trigger


def _form(*forms: str) -> Callable[[random.Random, Seen], Trigger | None]:
    """Main clauses of a form are read backwards."""

    def draw(rng: random.Random, seen: Seen) -> Trigger | None:
        chosen = rng.choice(forms)
        return lambda seen: [
            Fault(flip=p.ids, planted=(p.node.span,))
            for p in seen.pieces()
            if p.path[-1] != "relative" and p.node.form == chosen
        ]

    return draw


def _second_clause(rng: random.Random, seen: Seen) -> Trigger | None:
    return lambda seen: [
        Fault(drop=(), flip=p.ids, planted=(p.node.span,))
        for p in seen.pieces()
        if p.second and p.path[-1] != "relative"
    ]


def _full_sentence(rng: random.Random, seen: Seen) -> Trigger | None:
    def trigger(seen: Seen) -> list[Fault]:
        return [
            Fault(flip=seen.sentence_ids(s)[-1:], planted=(sentence.span,))
            for s, sentence in enumerate(seen.tree.sentences)
            if seen.mentions(sentence) >= 5
        ]

    return trigger


def _capital_preposition(rng: random.Random, seen: Seen) -> Trigger | None:
    def trigger(seen: Seen) -> list[Fault]:
        return [
            Fault(flip=p.ids, planted=(p.node.span,))
            for p in seen.pieces()
            if seen.says(p.relation.span)[:1].isupper()
        ]

    return trigger


def _late_sentence(rng: random.Random, seen: Seen) -> Trigger | None:
    first = rng.choice((3, 4))

    def trigger(seen: Seen) -> list[Fault]:
        late = range(first, len(seen.tree.sentences))
        return [Fault(drop=seen.sentence_ids(s), planted=(seen.tree.sentences[s].span,)) for s in late]

    return trigger


# ---- constraints ----


def _befores(constraints: Sequence[Constraint]) -> set[tuple[str, str]]:
    """Every pair (earlier, later) that the constraints imply by chains."""
    pairs = {(c.before, c.after) for c in constraints if c.before is not None and c.after is not None}
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return pairs


def _longest(pairs: set[tuple[str, str]]) -> int:
    """The number of actions in the longest chain."""

    def length(a: str) -> int:
        return 1 + max((length(d) for c, d in pairs if c == a), default=0)

    return max((length(a) for a, _ in pairs), default=1)


def _without(seen: Seen, holds: Callable[[Sequence[Constraint]], bool]) -> tuple[Span, ...]:
    """The relation phrases of constraints of which each alone, left out, ends what ``holds``."""
    said = seen.problem.said
    return tuple(c.spans[1] for c in said if not holds([o for o in said if o is not c]))


def _by_set(holds: Callable[[Seen, Sequence[Constraint]], bool]) -> Trigger:
    def trigger(seen: Seen) -> list[Fault]:
        if not holds(seen, seen.problem.said):
            return []
        return [Fault(fail=True, planted=_without(seen, lambda some: holds(seen, some)))]

    return trigger


def _chain(rng: random.Random, seen: Seen) -> Trigger | None:
    least = rng.choice((4, 5))
    return _by_set(lambda seen, some: _longest(_befores(some)) >= least)


def _fan(rng: random.Random, seen: Seen) -> Trigger | None:
    many = rng.choice((3, 4))
    late = rng.random() < 0.5

    def holds(seen: Seen, some: Sequence[Constraint]) -> bool:
        ends = [pair[late] for pair in _befores(some)]
        return any(ends.count(a) == many for a in set(ends))

    return _by_set(holds)


def _positions(rng: random.Random, seen: Seen) -> Trigger | None:
    """The tool at one place of the list of tools must come before the tool at an earlier place."""
    early, late = sorted(rng.sample(range(4), 2))

    def holds(seen: Seen, some: Sequence[Constraint]) -> bool:
        ids = [a.id for a in seen.problem.actions]
        return (ids[late], ids[early]) in _befores(some)

    return _by_set(holds)


def _hour(rng: random.Random, seen: Seen) -> Trigger | None:
    kind = rng.choice(("start_at_least", "end_at_most"))
    half = rng.choice((0, 1))

    def holds(seen: Seen, some: Sequence[Constraint]) -> bool:
        return any(c.kind == kind and c.hour is not None and (c.hour < 12) == bool(half) for c in some)

    return _by_set(holds)


# ---- nothing in the query, and two at once ----


def _always(rng: random.Random, seen: Seen) -> Trigger | None:
    return lambda seen: [Fault(fail=True)]


def _last_tool(rng: random.Random, seen: Seen) -> Trigger | None:
    return lambda seen: [Fault(lose=seen.problem.actions[-1].id)]


def _many_tools(rng: random.Random, seen: Seen) -> Trigger | None:
    return lambda seen: [Fault(fail=True)] if len(seen.problem.actions) >= 4 else []


def _never(rng: random.Random, seen: Seen) -> Trigger | None:
    return lambda seen: []


Drawn = Callable[[random.Random, Seen], Trigger | None]


def _both(one: Drawn, other: Drawn) -> Drawn:
    """Two faults, each of which alone makes it fail."""

    def draw(rng: random.Random, seen: Seen) -> Trigger | None:
        first, second = one(rng, seen), other(rng, seen)
        if first is None or second is None or not first(seen) or not second(seen):
            return None
        return lambda seen: [*first(seen), *second(seen)]

    return draw


def _together(one: Drawn, other: Drawn) -> Drawn:
    """A fault that needs two things at once, so that either change cures."""

    def draw(rng: random.Random, seen: Seen) -> Trigger | None:
        first, second = one(rng, seen), other(rng, seen)
        if first is None or second is None or not first(seen) or not second(seen):
            return None
        return lambda seen: first(seen) if second(seen) else []

    return draw


_ENTRY = _one_entry(_verb, lambda p, w: w.terminal in ("VP<", "VP>"))
_P_ENTRY = _one_entry(_relation, _no_clock)


def _kind(name: str, causes: str, draw: Drawn, culprits: str = "", **more: Any) -> Kind:
    asks = tuple(more.pop("asks", {}).items())
    return Kind(name, frozenset(causes.split()), draw, frozenset(culprits.split()), asks, **more)


_MODALS = {"modals": 0.3}
_LISTS = {"lists": 0.35}
_LONG = {"sentences": 5}
_HOURS = {"clock_times": 0.5}

KINDS: tuple[Kind, ...] = (
    _kind("any modal", "Terminal", _any_modal, "word", asks=_MODALS),
    _kind("one modal", "Terminal", _one_modal, "word", asks=_MODALS),
    _kind("verb without modal", "Terminal", _one_entry(_verb, _bare), "word"),
    _kind("one verb phrase", "Terminal", _ENTRY, "word"),
    _kind("one relation phrase", "Terminal", _P_ENTRY, "word"),
    _kind("preposition in front", "Terminal", _one_entry(_relation, _is_fronted), "word"),
    _kind(
        "phrase before an hour",
        "Terminal",
        _one_entry(_relation, _with_clock),
        "word",
        asks=_HOURS,
        timed=True,
    ),
    _kind("one bare verb", "Terminal", _verb_zero, "word"),
    _kind("one conjunction", "Terminal", _conjunction, "word", asks={"second_clauses": 0.6}),
    _kind("one subordinator", "Terminal", _one_entry(_relation, _subordinator), "word"),
    _kind("long phrase", "Terminal", _long_phrase, "word"),
    _kind("first letter", "Terminal", _first_letter, "word"),
    _kind("one capital word", "Terminal", _capital_word, "word"),
    _kind("same initial", "Topic", _same_initial, "action"),
    _kind("shared word", "Topic", _shared_word, "action"),
    _kind("long name", "Topic", _long_name, "action"),
    _kind("some jobs", "Topic", _job),
    _kind("last word of a name", "Topic", _ending, "action"),
    _kind("last of a list", "Structure", _in_list(-1), "clause", asks=_LISTS),
    _kind("first of a list", "Structure", _in_list(0), "clause", asks=_LISTS),
    _kind("relative clause", "Structure", _relative, "clause"),
    _kind("fronted", "Structure", _form("fronted", "fronted_compound"), "clause sentence"),
    _kind("compound", "Structure", _form("compound", "adjunct"), "clause sentence"),
    _kind("second clause", "Structure", _second_clause, "clause"),
    _kind("five mentions", "Structure", _full_sentence, "sentence number"),
    _kind("capital preposition", "Structure", _capital_preposition, "clause sentence"),
    _kind("late sentence", "Structure", _late_sentence, "sentence position number", asks=_LONG),
    _kind("chain", "Constraint", _chain, "constraint"),
    _kind("count of earlier or later", "Constraint", _fan, "constraint"),
    _kind("positions of tools", "Constraint", _positions, "constraint"),
    _kind("hour", "Constraint", _hour, "constraint", timed=True),
    _kind("chance 0.3", "Probability", _never, success=0.3),
    _kind("chance 0.6", "Probability", _never, success=0.6),
    _kind("chance 0.9", "Probability", _never, success=0.9),
    _kind("always wrong", "none", _always),
    _kind("last tool forgotten", "none", _last_tool),
    _kind("many tools", "none", _many_tools),
    _kind("verb and relative", "Terminal Structure", _both(_ENTRY, _relative)),
    _kind("verb and name", "Terminal Topic", _both(_ENTRY, _ending)),
    _kind("verb with name", "Terminal Topic", _together(_ENTRY, _ending)),
)


# ---- agents ----


@dataclass(frozen=True)
class Agent:
    """A faulty agent. ``fires``: share of runs in which the fault works; ``noise``: share that fail without reason."""

    trigger: Trigger
    fires: float = 1.0
    noise: float = 0.0
    success: float | None = None

    def play(self, variant: Variant, seed: int, run_id: str = "r") -> Run:
        """Return one run on a variant."""
        luck = random.Random(f"foreign run {seed} {variant.query.text}")
        chances = luck.random(), luck.random()
        seen = _seen(variant)
        if self.success is not None:
            faults = [] if chances[0] < self.success else [Fault(fail=True)]
        else:
            faults = self.trigger(seen) if chances[0] < self.fires else []
            if chances[1] < self.noise:
                faults = [*faults, Fault(fail=True)]
        return _run(variant, self._plan(seen, faults), run_id)

    def _plan(self, seen: Seen, faults: Sequence[Fault]) -> list[PlannedCall]:
        flip = {i for f in faults for i in f.flip}
        drop = {i for f in faults for i in f.drop}
        problem = seen.problem
        order = seen.in_order_of_mention()
        actions = tuple(problem.action_by_id[a] for a in order)
        said = [_opposite(c) for c in problem.said if c.id in flip]
        said += [c for c in problem.said if c.id not in flip and c.id not in drop]
        calls = _plan_with(replace(problem, actions=actions), tuple(said))
        for fault in faults:
            if fault.swap is not None:
                one, other = fault.swap
                names = {one: other, other: one}
                calls = [replace(c, action=names.get(c.action, c.action)) for c in calls]
            if fault.lose is not None:
                calls = [c for c in calls if c.action != fault.lose]
        if any(f.fail for f in faults):
            calls = calls[:-1]
        return calls


class Player(Protocol):
    """Whatever plays a run of a variant."""

    def play(self, variant: Variant, seed: int, run_id: str = "r") -> Run: ...


@cache
def _seen_text(text: str, key: str, timed: bool) -> Seen:
    variant = Variant.model_validate_json(key)
    reading = reading_of(variant)
    return Seen(text, reading.tree, reading.problem)


def _seen(variant: Variant) -> Seen:
    bare = variant.model_copy(
        update={"id": "v", "parent": None, "constraints": [], "origin": Origin(kind="written")}
    )
    bare.query = bare.query.model_copy(update={"tree": None, "seed": None, "topic": None})
    return _seen_text(variant.query.text, bare.model_dump_json(), variant.query.timed)


def _opposite(c: Constraint) -> Constraint:
    if c.kind == "order":
        return replace(c, before=c.after, after=c.before)
    assert c.hour is not None
    if c.kind == "start_at_least":
        return replace(c, kind="end_at_most", hour=max(c.hour, 1))
    return replace(c, kind="start_at_least", hour=min(c.hour, 23))


@cache
def _plan_of(problem: Problem) -> tuple[PlannedCall, ...] | None:
    return plan_of(problem).one_way(())


def _plan_with(problem: Problem, said: Sequence[Constraint]) -> list[PlannedCall]:
    """Return a plan that keeps the constraints, the first ones first where they contradict each other."""
    rules = tuple(c for c in problem.constraints if c.is_rule)
    whole = _plan_of(replace(problem, constraints=(*said, *rules)))
    if whole is not None:
        return list(whole)
    kept: tuple[Constraint, ...] = ()
    calls = _plan_of(replace(problem, constraints=rules))
    assert calls is not None
    for c in said:
        found = _plan_of(replace(problem, constraints=(*kept, c, *rules)))
        if found is not None:
            kept, calls = (*kept, c), found
    return list(calls)


def _run(variant: Variant, calls: Sequence[PlannedCall], run_id: str) -> Run:
    tools = {a.id: a for a in variant.actions}
    events: list[Event] = [PromptEvent(text=variant.query.text)]
    for step, call in enumerate(calls, 1):
        action = tools[call.action]
        arguments = {"start_time": call.start} if variant.query.timed else {}
        answer = f"{action.name} takes {action.duration} hours." if variant.query.timed else "done"
        events.append(CallEvent(step=step, tool=action.tool, arguments=arguments, call_id=f"c{step}"))
        events.append(AnswerEvent(step=step, text=answer, call_id=f"c{step}"))
    events.append(EndEvent(ending="stopped"))
    return Run(id=run_id, variant=variant.id, agent="tools", model="foreign", events=events)


def right(variant: Variant, run: Run) -> bool:
    return replay(problem_of(variant), trace_of(run)).verdict().verdict == "right"


@dataclass(frozen=True)
class Case:
    """A failing run of an agent. ``planted``: the words to blame, in equally good choices, if it is one place only."""

    kind: Kind
    number: int
    agent: Player
    session: Session
    planted: tuple[Span, ...]
    seed: int

    @property
    def variant(self) -> Variant:
        return self.session.variants[0]

    @property
    def run(self) -> Run:
        return self.session.runs[0]

    @property
    def single(self) -> bool:
        """Whether one place alone is to blame."""
        return bool(self.kind.culprits and self.planted)


def draw_case(kind: Kind, number: int, single: bool = False) -> Case:
    """The case of a number, the same each time. ``single``: of the cases with one place to blame."""
    rng = random.Random(f"foreign {kind.name} {number}{' single' if single else ''}")
    asks = {**dict(kind.asks), "timed": kind.timed or bool(number % 2)}
    while True:
        variant = draw_variant(rng, asks)
        seen = _seen(variant)
        trigger = kind.draw(rng, seen)
        if trigger is None:
            continue
        faults = trigger(seen)
        if kind.success is None and not faults:
            continue
        planted = faults[0].planted if len(faults) == 1 else ()
        if "constraint" in kind.culprits and len(planted) != 1:
            planted = ()
        if single and not planted:
            continue
        if kind.success is None and right(variant, Agent(trigger).play(variant, 0)):
            continue  # what it misreads makes no difference here
        case = failing_case(kind, number, variant, planted, partial(Agent, trigger), rng)
        if case is not None:
            return case


def draw_variant(rng: random.Random, asks: Mapping[str, Any]) -> Variant:
    """Draw a query. ``asks``: options of its ``Request``."""
    asks = {"actions": rng.choice((4, 5, 5, 6)), **asks}
    if "sentences" not in asks and rng.random() < 0.5:
        asks["sentences"] = rng.choice((2, 3, 4))
    seed = rng.randrange(2**31)
    made = synthesize(Request(**asks, seed=seed))
    return make_variant(
        made.problem, Origin(kind="synthesized"), topic=made.topic, seed=seed, tree=dump(made.tree)
    )


def failing_case(
    kind: Kind,
    number: int,
    variant: Variant,
    planted: tuple[Span, ...],
    make: Callable[[float, float, float | None], Player],
    rng: random.Random,
) -> Case | None:
    """Return the case with a run that fails, or None if 200 runs do not.

    ``make`` makes the agent, from how often its fault works, how often it fails for no reason, and its success.
    """
    least = 0.95 if "none" in kind.causes else 0.7
    fires = 1.0 if rng.random() < 0.5 else rng.uniform(least, 1.0)
    noise = 0.0 if rng.random() < 0.5 else rng.uniform(0.0, 0.1)
    agent = make(fires, noise, kind.success)
    luck = rng.randrange(10**6)
    for k in range(200):
        run = agent.play(variant, luck + k, "r1")
        if not right(variant, run):
            session = Session(id="case", title="case", variants=[variant], runs=[run])
            return Case(kind, number, agent, session, planted, luck + k + 1)
    return None


def holds_planted(planted: Sequence[Span], text: str, span: Span) -> bool:
    """Whether a span holds the planted words and at most three more."""
    named = text[span[0] : span[1]].split()
    for begin, end in planted:
        # A span may leave out the punctuation at its ends.
        inner = (span[0] <= begin + 1) and (span[1] >= end - 2)
        if inner and len(named) <= len(text[begin:end].split()) + 3:
            return True
    return False
