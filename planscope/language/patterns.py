"""Lark's part of reading: token types to patterns, that is trees over the places of the tokens.

What a sentence's structure is depends on the types of its tokens (and, where it is irregular, on the number of
its verbs), so patterns are kept for each sequence of types. Earley's algorithm finds every reading. There are four
grammars: regular English, what people write besides, what is never accepted but may have been meant, and lists that
go on behind their relative clause, which are not accepted either but make a sentence doubtful.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from planscope.language.pattern_types import (
    ClausePattern,
    SentencePattern,
    Types,
    disagreements,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lark import Lark, Token
    from lark.parsers.earley_forest import SymbolNode

MAX_UNITS = 100
"""A longer sentence (with long lists folded) is not given to Earley's algorithm."""


class FoundSentence(NamedTuple):
    """A reading. ``odd``: marks and conjunctions too many or too few; ``disagreeing``: singular verbs behind lists.

    ``unsaid``: an "and" without which nothing can be accepted.
    """

    pattern: SentencePattern
    odd: int
    disagreeing: int
    unsaid: bool


class Stuck(NamedTuple):
    """Nothing can be read: the first token that fits nothing (or the number of tokens), and what would."""

    at: int
    expected: frozenset[str]


Start = Literal["sentence", "clause"]
Grammar = Literal["grammar", "lenient", "unsaid", "continued"]

GRAMMARS: tuple[Grammar, ...] = ("grammar", "lenient", "unsaid", "continued")
"""Each adds to the one before it, from a file of its name."""
_lock = Lock()


@cache
def _parser(grammar: Grammar) -> Lark:
    from lark import Lark, Token
    from lark.lexer import Lexer

    class Given(Lexer):
        """The tokens are scanned already; a token's value is its place."""

        def __init__(self, conf: object) -> None:
            pass

        def lex(self, data: Types) -> Iterator[Token]:  # type: ignore[override]  # ours takes types, not text
            return (Token(kind, str(place)) for place, kind in enumerate(data))

    data = files("planscope.language") / "data"
    names = GRAMMARS[: GRAMMARS.index(grammar) + 1]
    return Lark(
        "".join((data / f"{name}.lark").read_text(encoding="utf-8") for name in names),
        parser="earley",
        lexer=Given,
        ambiguity="forest",
        start=["sentence", "clause"],
        maybe_placeholders=False,
    )


def strict_rules() -> dict[str, list[tuple[str, ...]]]:
    """The strict grammar's rules: what each nonterminal expands to, one row of symbols for each alternative."""
    rules: dict[str, list[tuple[str, ...]]] = {}
    for rule in _parser("grammar").rules:
        rules.setdefault(str(rule.origin.name), []).append(tuple(str(part.name) for part in rule.expansion))
    return rules


def _parse(types: Types, start: Start, grammar: Grammar) -> SymbolNode | Stuck:
    from lark.exceptions import UnexpectedEOF, UnexpectedToken

    with _lock:
        try:
            # Lark's signature says text and tree; with a lexer of our own and a forest it is what those take and give.
            return cast("SymbolNode", _parser(grammar).parse(cast("str", types), start=start))
        except UnexpectedEOF as error:
            return Stuck(len(types), frozenset(error.expected))
        except UnexpectedToken as error:
            return Stuck(int(error.token), frozenset(error.expected))


@lru_cache(maxsize=8192)
def clause_patterns(types: Types) -> tuple[ClausePattern, ...] | Stuck:
    """All strict readings of one clause."""
    from planscope.language.forest import fewest

    root = _parse(types, "clause", "grammar")
    if isinstance(root, Stuck):
        return root
    return tuple(cast("ClausePattern", part) for part, _, _ in fewest(root, types, ("",) * len(types)))


@lru_cache(maxsize=1024)
def sentence_patterns(
    types: Types, numbers: tuple[str, ...] = (), grammar: Grammar = "unsaid"
) -> tuple[FoundSentence, ...] | Stuck:
    """The readings of a sentence, its period included, with the fewest irregularities; at most ``MAX_READINGS``.

    ``numbers``: by place, a verb's ("s", "p", or "" where its form does not tell); () where they do not matter.
    """
    from planscope.language.forest import fewest

    numbers = numbers or ("",) * len(types)
    root = _parse(types, "sentence", grammar)
    if isinstance(root, Stuck):
        return root
    found = []
    for part, cost, unsaid in fewest(root, types, numbers):
        pattern = cast("SentencePattern", part)
        disagreeing = sum(disagreements(clause, numbers) for clause in pattern.clauses)
        found.append(FoundSentence(pattern, cost - disagreeing, disagreeing, unsaid))
    return tuple(found)
