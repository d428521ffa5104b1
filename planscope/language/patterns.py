"""Lark's part of reading: token types to patterns, that is trees over the places of the tokens.

What a sentence's structure is depends on the types of its tokens only, so patterns are kept for each sequence
of types. Earley's algorithm finds every reading. The strict grammar is what the synthesizer writes; the lenient
one adds what people write besides.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice, product
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from planscope.language.tree import Form, RelativeForm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark import Lark, Token, Tree

Types = tuple[str, ...]

MAX_READINGS = 16
"""More readings of one sentence are not looked at: two that differ are an error anyway."""

MAX_UNITS = 100
"""A longer sentence (with long lists folded) is not given to Earley's algorithm."""


class NPPattern(NamedTuple):
    actions: tuple[int, ...]
    relative: RelativePattern | None = None


class RelativePattern(NamedTuple):
    form: RelativeForm
    which: int
    words: tuple[int, ...]
    object: NPPattern | int
    """A clock time is its token's place."""


class ClausePattern(NamedTuple):
    form: Form
    subject: NPPattern
    object: NPPattern | int
    words: tuple[int, ...]


class SentencePattern(NamedTuple):
    clauses: tuple[ClausePattern, ...]
    conj: int | None = None


class Stuck(NamedTuple):
    """Nothing can be read: the first token that fits nothing (or the number of tokens), and what would."""

    at: int
    expected: frozenset[str]


Start = Literal["sentence", "clause"]
_lock = Lock()


@cache
def _parser(lenient: bool) -> Lark:
    from lark import Lark, Token
    from lark.lexer import Lexer

    class Given(Lexer):
        """The tokens are scanned already; a token's value is its place."""

        def __init__(self, conf: object) -> None:
            pass

        def lex(self, data: Types) -> Iterator[Token]:  # type: ignore[override]  # ours takes types, not text
            return (Token(kind, str(place)) for place, kind in enumerate(data))

    data = files("planscope.language") / "data"
    grammar = (data / "grammar.lark").read_text(encoding="utf-8")
    if lenient:
        grammar += (data / "lenient.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        parser="earley",
        lexer=Given,
        ambiguity="explicit",
        start=["sentence", "clause"],
        maybe_placeholders=False,
    )


def strict_rules() -> dict[str, list[tuple[str, ...]]]:
    """The strict grammar's rules: what each nonterminal expands to, one row of symbols for each alternative."""
    rules: dict[str, list[tuple[str, ...]]] = {}
    for rule in _parser(False).rules:
        rules.setdefault(str(rule.origin.name), []).append(tuple(str(part.name) for part in rule.expansion))
    return rules


def _parse(types: Types, start: Start, lenient: bool) -> Tree[Token] | Stuck:
    from lark.exceptions import UnexpectedEOF, UnexpectedToken

    with _lock:
        try:
            # Lark's signature says text; with a lexer of our own it is whatever that takes.
            return _parser(lenient).parse(cast("str", types), start=start)
        except UnexpectedEOF as error:
            return Stuck(len(types), frozenset(error.expected))
        except UnexpectedToken as error:
            return Stuck(int(error.token), frozenset(error.expected))


@lru_cache(maxsize=8192)
def clause_patterns(types: Types) -> tuple[ClausePattern, ...] | Stuck:
    """All strict readings of one clause."""
    tree = _parse(types, "clause", False)
    return tree if isinstance(tree, Stuck) else tuple(islice(_clauses(tree), MAX_READINGS))


@lru_cache(maxsize=1024)
def sentence_patterns(types: Types, lenient: bool = True) -> tuple[SentencePattern, ...] | Stuck:
    """The readings of a sentence, its period included; at most ``MAX_READINGS``."""
    tree = _parse(types, "sentence", lenient)
    return tree if isinstance(tree, Stuck) else tuple(islice(_sentences(tree), MAX_READINGS))


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if not isinstance(child, str)]


def _alternatives(tree: Tree[Token]) -> Iterator[Tree[Token]]:
    if tree.data == "_ambig":
        for child in _trees(tree):
            yield from _alternatives(child)
    else:
        yield tree


def _places(tree: Tree[Token], *types: str) -> tuple[int, ...]:
    return tuple(int(child) for child in tree.children if isinstance(child, str) and child.type in types)


def _sentences(tree: Tree[Token]) -> Iterator[SentencePattern]:
    for one in _alternatives(tree):
        match _trees(one):
            case [clause]:
                for pattern in _clauses(clause):
                    yield SentencePattern((pattern,))
            case [first, conj, second]:
                for mark in _alternatives(conj):
                    place = _places(mark, "SEMI", "AND", "BUT", "WHILE")[0]
                    some = (islice(_clauses(clause), MAX_READINGS) for clause in (first, second))
                    for pair in product(*some):
                        yield SentencePattern(pair, place)


def _clauses(tree: Tree[Token]) -> Iterator[ClausePattern]:
    for one in _alternatives(tree):
        form = cast("Form", str(one.data))
        words = _places(one, "VP", "VP0", "P", "SC", "PSC")
        first, second = _trees(one)
        fronted = form in ("fronted", "fronted_compound")
        subject, target = (second, first) if fronted else (first, second)
        for np in _nps(subject):
            for other in _objects(target):
                yield ClausePattern(form, np, other, words)


def _objects(tree: Tree[Token]) -> Iterator[NPPattern | int]:
    for one in _alternatives(tree):
        if time := _places(one, "TIME"):
            yield time[0]
        else:
            yield from _nps(one)


def _nps(tree: Tree[Token]) -> Iterator[NPPattern]:
    for one in _alternatives(tree):
        actions = _places(one, "ACTION")
        match _trees(one):
            case []:
                yield NPPattern(actions)
            case [relative]:
                for pattern in _relatives(relative):
                    yield NPPattern(actions, pattern)


def _relatives(tree: Tree[Token]) -> Iterator[RelativePattern]:
    for one in _alternatives(tree):
        words = _places(one, "VP", "VP0", "P", "PSC")
        form: RelativeForm = "direct" if len(words) == 1 else "adjunct"
        for target in _objects(_trees(one)[0]):
            yield RelativePattern(form, _places(one, "WHICH")[0], words, target)
