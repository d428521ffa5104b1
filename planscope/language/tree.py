"""The syntax tree of a query (paper, Figures 4 and 6): cheap immutable nodes.

A node's ``span`` is a half-open range of code points of the query's text. A tree without a text has ``NOWHERE``
everywhere; rendering and reading return the tree with its spans.

Paths (``NodePath``) name nodes from the root, which is ``()``::

    (s,)                      sentence s             (s, "conj")                 its conjunction
    (s, "clause", c)          clause c of it         CLAUSE + ("word", w)        word w, in the text's order
    CLAUSE + ("subject",)     noun phrase            CLAUSE + ("object",)        noun phrase or clock time
    NP + ("action", i)        one action of a list   NP + ("relative",)          its relative clause
    CLAUSE + ("item", i)      item of a natural clause   CLAUSE + ("cue", i)     its words
    RELATIVE + ("word", w)    word w of it           RELATIVE + ("object",)      plain noun phrase or time
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from planscope.language.problem import NodePath, Span

Relation = Literal["<", ">"]
Form = Literal["direct", "adjunct", "fronted", "compound", "fronted_compound"]
RelativeForm = Literal["direct", "adjunct"]
Terminal = Literal["VP<", "VP>", "VP0", "P<", "P>", "SC<", "SC>", "J"]

NaturalKind = Literal["chain", "order", "fronted", "place"]
"""The kind of a natural clause: "first A, then B"; subject first; object first; "A comes first"."""

NOWHERE: Span = (0, 0)

NATURAL_KINDS: tuple[NaturalKind, ...] = ("chain", "order", "fronted", "place")
FORMS: tuple[Form, ...] = ("direct", "adjunct", "fronted", "compound", "fronted_compound")
RELATIVE_FORMS: tuple[RelativeForm, ...] = ("direct", "adjunct")
RELATIONS: tuple[Relation, ...] = ("<", ">")

_TERMINALS: dict[tuple[str, str], tuple[Terminal, ...]] = {
    ("direct", "<"): ("VP<",),
    ("direct", ">"): ("VP>",),
    ("adjunct", "<"): ("VP0", "P<"),
    ("adjunct", ">"): ("VP0", "P>"),
    ("fronted", "<"): ("P<", "VP0"),
    ("fronted", ">"): ("P>", "VP0"),
    ("compound", "<"): ("VP0", "SC<", "VP0"),
    ("compound", ">"): ("VP0", "SC>", "VP0"),
    ("fronted_compound", "<"): ("SC<", "VP0", "VP0"),
    ("fronted_compound", ">"): ("SC>", "VP0", "VP0"),
}

RELATION_WORD: dict[str, int] = {
    "direct": 0,
    "adjunct": 1,
    "fronted": 0,
    "compound": 1,
    "fronted_compound": 0,
}
"""By form, the place of the word that carries the relation."""


def terminals(form: Form, relation: Relation) -> tuple[Terminal, ...]:
    """Return the terminals of a clause's words, in the order of the text. It works for relative clauses as well."""
    return _TERMINALS[form, relation]


class Word(NamedTuple):
    """A phrase of the lexicon. ``entry`` is its key there; ``modal`` is "" or a modal's key ("should")."""

    terminal: Terminal
    entry: str
    modal: str = ""
    span: Span = NOWHERE


class ActionRef(NamedTuple):
    """One mention of an action, by its id ("a1")."""

    action: str
    span: Span = NOWHERE


class Time(NamedTuple):
    """A clock time: a whole hour, 0 to 24 (timed language only)."""

    hour: int
    span: Span = NOWHERE


class NP(NamedTuple):
    """A list of actions, perhaps with a relative clause, which is about the whole list."""

    actions: tuple[ActionRef, ...]
    relative: Relative | None = None
    span: Span = NOWHERE


class Relative(NamedTuple):
    """A relative clause: "which precedes B" (direct), "which occurs before B" (adjunct). Its object has none of its
    own."""

    form: RelativeForm
    relation: Relation
    words: tuple[Word, ...]
    object: NP | Time
    span: Span = NOWHERE


class Clause(NamedTuple):
    """One clause. ``relation`` is the subject's relation to the object: "<" means before, ">" after."""

    form: Form
    relation: Relation
    subject: NP
    object: NP | Time
    words: tuple[Word, ...]
    span: Span = NOWHERE


class Cue(NamedTuple):
    """Words of a natural clause, in lower case: "then", "must wait for"."""

    words: str
    span: Span = NOWHERE


class Rest(NamedTuple):
    """All actions except the subject's, which "first" and "last" mean in "A comes first"."""

    span: Span = NOWHERE


class Link(NamedTuple):
    """One relation in a natural clause. ``subject`` and ``object`` count its items, ``cue`` its cues."""

    subject: int
    relation: Relation
    cue: int
    object: int


class Natural(NamedTuple):
    """A clause that people write and the paper's grammar does not have. It is read, never written.

    ``items`` and ``cues`` are in the order of the text. ``links`` say which item comes before which; the subject of
    each is an ``NP``.
    """

    kind: NaturalKind
    items: tuple[NP | Time | Rest, ...]
    cues: tuple[Cue, ...]
    links: tuple[Link, ...]
    span: Span = NOWHERE


MAX_CLAUSES = 8
"""A sentence of the paper's grammar has at most two."""


class Sentence(NamedTuple):
    """One clause, or two with a conjunction (a word of terminal "J") between them; in natural sentences up to
    ``MAX_CLAUSES``, with the first of their conjunctions."""

    clauses: tuple[Clause | Natural, ...]
    conj: Word | None = None
    span: Span = NOWHERE


class Query(NamedTuple):
    """The sentences of a query."""

    sentences: tuple[Sentence, ...]
    span: Span = NOWHERE


Node = Query | Sentence | Clause | Natural | Relative | NP | ActionRef | Time | Rest | Word | Cue


_FIELDS: Mapping[type, str] = {
    Query: "sentences",
    Sentence: "clauses conj",
    Clause: "subject object words",
    Natural: "items cues",
    Relative: "words object",
    NP: "actions relative",
}
"""Where nodes have their children. Those in the plural are tuples."""


def children(node: Node) -> Iterator[tuple[NodePath, Node]]:
    """Return the node's children, each with its path from this node, in an order fixed by the kind of node."""
    for field in _FIELDS.get(type(node), "").split():
        below = getattr(node, field)
        if field.endswith("s"):
            name = () if field == "sentences" else (field[:-1],)
            yield from (((*name, i), one) for i, one in enumerate(below))
        elif below is not None:
            yield (field,), below


def walk(node: Node, path: NodePath = ()) -> Iterator[tuple[NodePath, Node]]:
    """Yield the node and all nodes below it, parents first, each with its path."""
    yield path, node
    for step, child in children(node):
        yield from walk(child, path + step)


def at(node: Node, path: NodePath) -> Node:
    """Return the node at ``path``. Raises LookupError if there is none."""
    while path:
        for step, child in children(node):
            if path[: len(step)] == step:
                node, path = child, path[len(step) :]
                break
        else:
            raise LookupError(f"no node at {path!r} below {type(node).__name__}")
    return node


Skeleton = tuple[object, ...]


def skeleton(node: Node | None) -> Skeleton:
    """Return the tree without spans and choice of words, which is equal for trees that differ only in synonyms."""
    match node:
        case Query(sentences=sentences):
            return ("query", *map(skeleton, sentences))
        case Sentence(clauses=clauses):
            return ("sentence", *map(skeleton, clauses))
        case Clause(form=form, relation=relation):
            return ("clause", form, relation, skeleton(node.subject), skeleton(node.object))
        case Natural(kind=kind, items=items, links=links):
            said = ((one, relation, other) for one, relation, _, other in links)
            return ("natural", kind, tuple(map(skeleton, items)), tuple(said))
        case Relative(form=form, relation=relation):
            return ("relative", form, relation, skeleton(node.object))
        case NP(actions=actions, relative=relative):
            return ("np", tuple(ref.action for ref in actions), skeleton(relative))
        case ActionRef(action=action):
            return ("action", action)
        case Time(hour=hour):
            return ("time", hour)
        case Word(terminal=terminal):
            return ("word", terminal)
        case Rest() | Cue():
            return (type(node).__name__,)
        case None:
            return ()


def same_tree(one: Node, other: Node) -> bool:
    """Return whether two trees are equal up to lexical synonyms (and spans)."""
    return skeleton(one) == skeleton(other)


def is_natural(tree: Query) -> bool:
    """Return whether the query has a clause, or a sentence of more than two, that the paper's grammar does not have."""
    return any(
        len(sentence.clauses) > 2 or any(isinstance(clause, Natural) for clause in sentence.clauses)
        for sentence in tree.sentences
    )


def paper_tree(tree: Query, actions: Iterable[str]) -> Query:
    """Return the tree with every natural clause as sentences of the paper's grammar that have the same constraints.

    ``actions``: the ids of all actions, which "A comes first" is about. New nodes have no spans.
    """
    if not is_natural(tree):
        return tree
    ids = tuple(actions)
    sentences: list[Sentence] = []
    for sentence in tree.sentences:
        if len(sentence.clauses) < 3 and not any(isinstance(clause, Natural) for clause in sentence.clauses):
            sentences.append(sentence)
            continue
        for clause in sentence.clauses:
            clauses = paper_clauses(clause, ids) if isinstance(clause, Natural) else (clause,)
            sentences += [Sentence((one,), None, NOWHERE) for one in clauses]
    return Query(tuple(sentences))


def paper_clauses(natural: Natural, actions: tuple[str, ...]) -> Iterator[Clause]:
    """Return one clause for each link of a natural clause, in the order of their constraints."""
    for subject, relation, _, target in ordered_links(natural):
        one, other = natural.items[subject], natural.items[target]
        assert isinstance(one, NP)
        if isinstance(other, Rest):
            other = rest_of(one, other, actions)
            if not other.actions:
                continue
        if isinstance(other, Time):
            words = (Word("VP0", "happen"), Word("P<", "before") if relation == "<" else Word("P>", "after"))
            yield Clause("adjunct", relation, one, other, words)
        else:
            word = Word("VP<", "precede") if relation == "<" else Word("VP>", "follow")
            yield Clause("direct", relation, one, other, (word,))


def ordered_links(natural: Natural) -> list[Link]:
    """Return the links of a natural clause by the place of their words in the text."""
    return sorted(natural.links, key=lambda link: (natural.cues[link.cue].span, link.object))


def rest_of(subject: NP, rest: Rest, actions: Iterable[str]) -> NP:
    """Return all other actions, each with the span of the word that means them."""
    own = {ref.action for ref in subject.actions}
    return NP(tuple(ActionRef(a, rest.span) for a in actions if a not in own), None, rest.span)
