"""The syntax tree of a query (paper, Figures 4 and 6): cheap immutable nodes.

A node's ``span`` is a half-open range of code points of the query's text. A tree without a text has ``NOWHERE``
everywhere; rendering and reading return the tree with its spans.

Paths (``NodePath``) name nodes from the root, which is ``()``::

    (s,)                      sentence s             (s, "conj")                 its conjunction
    (s, "clause", c)          clause c of it         CLAUSE + ("word", w)        word w, in the text's order
    CLAUSE + ("subject",)     noun phrase            CLAUSE + ("object",)        noun phrase or clock time
    NP + ("action", i)        one action of a list   NP + ("relative",)          its relative clause
    RELATIVE + ("word", w)    word w of it           RELATIVE + ("object",)      plain noun phrase or time
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from planscope.language.problem import NodePath, Span

Relation = Literal["<", ">"]
Form = Literal["direct", "adjunct", "fronted", "compound", "fronted_compound"]
RelativeForm = Literal["direct", "adjunct"]
Terminal = Literal["VP<", "VP>", "VP0", "P<", "P>", "SC<", "SC>", "J"]

NOWHERE: Span = (0, 0)

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


class Sentence(NamedTuple):
    """One clause, or two with a conjunction (a word of terminal "J") between them."""

    clauses: tuple[Clause, ...]
    conj: Word | None = None
    span: Span = NOWHERE


class Query(NamedTuple):
    """The sentences of a query."""

    sentences: tuple[Sentence, ...]
    span: Span = NOWHERE


Node = Query | Sentence | Clause | Relative | NP | ActionRef | Time | Word


def children(node: Node) -> Iterator[tuple[NodePath, Node]]:
    """Return the node's children, each with its path from this node, in an order fixed by the kind of node."""
    match node:
        case Query(sentences=sentences):
            for i, sentence in enumerate(sentences):
                yield (i,), sentence
        case Sentence(clauses=clauses, conj=conj):
            for i, clause in enumerate(clauses):
                yield ("clause", i), clause
            if conj is not None:
                yield ("conj",), conj
        case Clause(words=words):
            yield ("subject",), node.subject
            yield ("object",), node.object
            for i, word in enumerate(words):
                yield ("word", i), word
        case Relative(words=words):
            for i, word in enumerate(words):
                yield ("word", i), word
            yield ("object",), node.object
        case NP(actions=actions, relative=relative):
            for i, action in enumerate(actions):
                yield ("action", i), action
            if relative is not None:
                yield ("relative",), relative
        case _:
            return


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
        case None:
            return ()


def same_tree(one: Node, other: Node) -> bool:
    """Return whether two trees are equal up to lexical synonyms (and spans)."""
    return skeleton(one) == skeleton(other)
