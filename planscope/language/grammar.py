"""Finds the readings of a sentence as patterns: trees over the places of tokens, without words and spans.

A sentence's structure depends only on the types of its tokens (and, if it is irregular, on the number of its verbs), so
patterns are cached by the sequence of types. Lark's Earley parser finds every reading. There are four grammars:
``grammar`` (regular English), ``lenient`` (irregular English that is accepted), ``unsaid`` (never accepted, but perhaps
meant) and ``continued`` (lists that go on after their relative clause, which are not accepted either but make a
sentence ambiguous).

Of all readings, those with the fewest irregularities count. An irregularity is a rule that lenient.lark names ``odd_``
or unsaid.lark ``unsaid_``, or a singular verb after a list. Irregularities add up, so the best readings of a node
consist of the best readings of its parts, and a forest of many readings is walked only once. Parts with lists and parts
without are kept apart, because a later verb may have to agree with them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import product
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from planscope.frozen import frozen
from planscope.language.lexicon import TERMINALS, VERBS, Lexicon, Modal, load_lexicon
from planscope.language.tree import FORMS, RELATIONS, Form, RelativeForm, terminals

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.grammar import Rule
    from lark.parsers.earley_forest import SymbolNode


Types = tuple[str, ...]

MAX_READINGS = 16
"""Limit of readings of one sentence. Two that differ are an error anyway."""


class NPPattern(NamedTuple):
    """A noun phrase. ``rest``: actions that its list adds after the relative clause; readings with such are never
    accepted."""

    actions: tuple[int, ...]
    relative: RelativePattern | None = None
    rest: tuple[int, ...] = ()


class RelativePattern(NamedTuple):
    form: RelativeForm
    which: int
    words: tuple[int, ...]
    object: NPPattern | int
    """The pattern of a noun phrase, or the place of a clock time's token."""


class ClausePattern(NamedTuple):
    form: Form
    subject: NPPattern
    object: NPPattern | int
    words: tuple[int, ...]


class SentencePattern(NamedTuple):
    clauses: tuple[ClausePattern, ...]
    conj: int | None = None


VERB_PLACES: dict[Form, tuple[tuple[bool, int], ...]] = {
    "direct": ((True, 0),),
    "adjunct": ((True, 0),),
    "fronted": ((True, 1),),
    "compound": ((True, 0), (False, 2)),
    "fronted_compound": ((False, 1), (True, 2)),
}
"""By form: the noun phrases with a verb of their own (True: the subject), and that verb's place among the words."""


def disagreements(clause: ClausePattern, numbers: Sequence[str]) -> int:
    """Count the singular verbs after lists, those of relative clauses included."""
    nps = [np for np in (clause.subject, clause.object) if isinstance(np, NPPattern)]
    verbs = [(np, np.relative.words[0]) for np in nps if np.relative is not None]
    for of_subject, word in VERB_PLACES[clause.form]:
        np = clause.subject if of_subject else clause.object
        assert isinstance(np, NPPattern), "a clock time has no verb of its own"
        verbs.append((NPPattern(np.actions + np.rest), clause.words[word]))
    return sum(len(np.actions) > 1 and numbers[verb] == "s" for np, verb in verbs)


MAX_UNITS = 100
"""A sentence with more tokens (a list's folded middle counts as one) is not parsed."""


class FoundSentence(NamedTuple):
    """A reading. ``odd`` counts missing or extra marks and conjunctions, ``disagreeing`` singular verbs after lists.

    ``unsaid``: a necessary "and" is missing.
    """

    pattern: SentencePattern
    odd: int
    disagreeing: int
    unsaid: bool


class Stuck(NamedTuple):
    """No reading was found. ``at``: the first token that fits none (or the number of tokens); ``expected``: types
    that fit."""

    at: int
    expected: frozenset[str]


Start = Literal["sentence", "clause"]
Grammar = Literal["grammar", "lenient", "unsaid", "continued"]

_FILES: dict[Grammar, tuple[str, ...]] = {
    "grammar": ("grammar",),
    "lenient": ("grammar", "lenient"),
    "unsaid": ("grammar", "lenient", "unsaid"),
    "continued": ("grammar", "lenient", "unsaid", "continued"),
}
"""Each grammar extends the one before it. Its rules are in the file of the same name."""
_lock = Lock()


@cache
def _parser(grammar: Grammar) -> Lark:
    from lark import Lark, Token
    from lark.lexer import Lexer

    class Given(Lexer):
        """Passes on tokens that are scanned already. A token's value is its place."""

        def __init__(self, conf: object) -> None:
            pass

        def lex(self, data: Types) -> Iterator[Token]:  # type: ignore[override]  # ours takes types, not text
            return (Token(kind, str(place)) for place, kind in enumerate(data))

    data = files("planscope.language") / "data"
    return Lark(
        "".join((data / f"{name}.lark").read_text(encoding="utf-8") for name in _FILES[grammar]),
        parser="earley",
        lexer=Given,
        ambiguity="forest",
        start=["sentence", "clause"],
        maybe_placeholders=False,
    )


def strict_rules() -> dict[str, list[tuple[str, ...]]]:
    """Return the strict grammar's rules: for each nonterminal its alternatives, as rows of symbols."""
    rules: dict[str, list[tuple[str, ...]]] = {}
    for rule in _parser("grammar").rules:
        rules.setdefault(str(rule.origin.name), []).append(tuple(str(part.name) for part in rule.expansion))
    return rules


def _parse(types: Types, start: Start, grammar: Grammar) -> SymbolNode | Stuck:
    from lark.exceptions import UnexpectedEOF, UnexpectedToken

    with _lock:
        try:
            # By its signature Lark takes text and returns a tree, but our lexer takes types and "forest" returns a
            # node.
            return cast("SymbolNode", _parser(grammar).parse(cast("str", types), start=start))
        except UnexpectedEOF as error:
            return Stuck(len(types), frozenset(error.expected))
        except UnexpectedToken as error:
            return Stuck(int(error.token), frozenset(error.expected))


@cache
def known_patterns() -> dict[str, tuple[ClausePattern, ...]]:
    """Return the strict readings of plain clauses, by their types, from ``data/patterns.json``: to read them, Lark need
    not be imported. ``python -m tests.language.make_patterns`` writes the file."""

    def np(places: list[int] | int) -> NPPattern | int:
        return places if isinstance(places, int) else NPPattern(tuple(places))

    text = (files("planscope.language") / "data" / "patterns.json").read_text(encoding="utf-8")
    return {
        types: tuple(
            ClausePattern(form, cast("NPPattern", np(subject)), np(target), tuple(words))
            for form, subject, target, words in rows
        )
        for types, rows in json.loads(text).items()
    }


@lru_cache(maxsize=8192)
def clause_patterns(types: Types) -> tuple[ClausePattern, ...] | Stuck:
    """Return all strict readings of one clause."""
    return known_patterns().get(" ".join(types)) or parsed_clause(types)


def parsed_clause(types: Types) -> tuple[ClausePattern, ...] | Stuck:
    """Return all strict readings of one clause, as Lark finds them."""
    root = _parse(types, "clause", "grammar")
    if isinstance(root, Stuck):
        return root
    return tuple(cast("ClausePattern", part) for part, _, _ in fewest(root, types, ("",) * len(types)))


@lru_cache(maxsize=1024)
def sentence_patterns(
    types: Types, numbers: tuple[str, ...] = (), grammar: Grammar = "unsaid"
) -> tuple[FoundSentence, ...] | Stuck:
    """Return the readings of a sentence with its period that have the fewest irregularities; at most
    ``MAX_READINGS``.

    ``numbers``: for each token "s" or "p" if it is a verb whose form shows its number, else ""; () if they do not
    matter.
    """
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


Part = int | NPPattern | RelativePattern | ClausePattern | SentencePattern
"""The place of a token, or a pattern made of several parts."""

Parts = tuple[Part, ...]

_WORDS = ("VP", "VP0", "P", "SC", "PSC")


Lists = tuple[bool, ...]
"""For each noun phrase among some parts, whether it is a list. A later verb has to agree with it."""


def _lists(parts: Parts) -> Lists:
    return tuple([len(part.actions) + len(part.rest) > 1 for part in parts if isinstance(part, NPPattern)])


class _Best:
    """The best readings of a part, by ``Lists``: their number of irregularities, and up to ``MAX_READINGS`` of them,
    each with whether a necessary "and" is missing."""

    __slots__ = ("kinds",)

    def __init__(self) -> None:
        self.kinds: dict[Lists, tuple[int, dict[Parts, bool]]] = {}

    def add(self, cost: int, parts: Parts, unsaid: bool) -> None:
        kind = _lists(parts)
        least, readings = self.kinds.get(kind, (cost, {}))
        if not readings or cost < least:
            self.kinds[kind] = cost, {parts: unsaid}
        elif cost == least and (parts in readings or len(readings) < MAX_READINGS):
            readings[parts] = unsaid and readings.get(parts, True)

    def all(self) -> Iterator[tuple[int, Parts, bool]]:
        for cost, readings in self.kinds.values():
            for parts, unsaid in readings.items():
                yield cost, parts, unsaid


_NOTHING = _Best()
_NOTHING.add(0, (), False)


class _Forest:
    """Computes the best readings of every node of a parse forest, from the leaves up. No node is below itself."""

    def __init__(self, types: Types, numbers: Sequence[str]) -> None:
        from lark.parsers.earley_forest import TokenNode

        self.token_node = TokenNode
        self.types = types
        self.numbers = numbers
        self.best: dict[int, _Best] = {}

    def readings(self, root: SymbolNode) -> _Best:
        stack: list[Any] = [root]
        while stack:
            node = stack[-1]
            below = [part for packed in node.children for part in (packed.left, packed.right)]
            unread = [part for part in below if self._of(part) is None]
            if not unread:
                self._read(stack.pop())
            stack += unread
        return self.best[id(root)]

    def _read(self, node: SymbolNode) -> None:
        best = self.best[id(node)] = _Best()
        for packed in node.children:
            left, right = self._of(packed.left), self._of(packed.right)
            assert left is not None and right is not None
            for (cost, one, gap), (more, other, lack) in product(left.all(), right.all()):
                if node.is_intermediate:
                    best.add(cost + more, one + other, gap or lack)
                else:
                    self._complete(best, packed.rule, cost + more, one + other, gap or lack)

    def _of(self, node: Any) -> _Best | None:
        """Return the readings of a node, or None if they are not computed yet."""
        if node is None:
            return _NOTHING
        found = self.best.get(id(node))
        if found is None and isinstance(node, self.token_node):
            found = self.best[id(node)] = _Best()
            found.add(0, (int(node.token),), False)
        return found

    def _complete(self, best: _Best, rule: Rule, cost: int, parts: Parts, unsaid: bool) -> None:
        name = str(rule.alias or rule.origin.name)
        if name.startswith("odd_"):
            best.add(cost + 1, parts, unsaid)
        elif name.startswith("unsaid_"):
            best.add(cost + 1, parts, True)
        elif name in FORMS:
            clause = self._clause(name, parts)
            best.add(cost + disagreements(clause, self.numbers), (clause,), unsaid)
        else:
            best.add(cost, self._node(name, parts), unsaid)

    def _node(self, name: str, parts: Parts) -> Parts:
        match name:
            case "sentence":
                clauses = tuple(part for part in parts if isinstance(part, ClausePattern))
                return (SentencePattern(clauses, self._conj(parts[1:-2])),)
            case "relative":
                words = self._places(parts, *_WORDS)
                which, target = parts[0], parts[-1]
                assert isinstance(which, int) and isinstance(target, int | NPPattern)
                return (RelativePattern("direct" if len(words) == 1 else "adjunct", which, words, target),)
            case "subject" | "object" | "plain":
                if time := self._places(parts, "TIME"):
                    return time
                relative = next((part for part in parts if isinstance(part, RelativePattern)), None)
                end = len(parts) if relative is None else parts.index(relative)
                actions, rest = self._places(parts[:end], "ACTION"), self._places(parts[end:], "ACTION")
                return (NPPattern(actions, relative, rest),)
        return parts

    def _clause(self, form: Form, parts: Parts) -> ClausePattern:
        words = self._places(parts, *_WORDS)
        first, second = (part for part in parts if isinstance(part, NPPattern) or self._is(part, "TIME"))
        subject, target = (second, first) if "fronted" in form else (first, second)
        assert isinstance(subject, NPPattern) and isinstance(target, int | NPPattern)
        return ClausePattern(form, subject, target, words)

    def _conj(self, marks: Parts) -> int | None:
        """Return the place of the conjunction. A comma counts only if there is no other mark or word."""
        places = self._places(marks, "SEMI", "AND", "BUT", "WHILE") or self._places(marks, "COMMA")
        return places[0] if places else None

    def _is(self, part: Part, *types: str) -> bool:
        return isinstance(part, int) and self.types[part] in types

    def _places(self, parts: Iterable[Part], *types: str) -> tuple[int, ...]:
        return tuple(part for part in parts if isinstance(part, int) and self.types[part] in types)


def fewest(root: SymbolNode, types: Types, numbers: Sequence[str]) -> Iterator[tuple[Part, int, bool]]:
    """Yield the best readings of a forest: the pattern, its number of irregularities, whether an "and" is missing.

    ``numbers``: for each token "s" or "p" if it is a verb whose form shows its number, else "".
    """
    for cost, parts, unsaid in _Forest(types, numbers).readings(root).all():
        yield parts[0], cost, unsaid


_RELATED = {"VP": "VP", "p": "P", "sc": "SC"}
"""Prefixes of the grammar's symbols that exist for "<" and for ">", each with the name of its terminal."""


@cache
def clause_skeletons(timed: bool = False) -> int:
    """Count the structures of clauses, those with "<" and ">" apart. Words and lengths of lists do not count."""
    rules = strict_rules()
    lexicon = load_lexicon()

    def count(symbol: str) -> int:
        if symbol in _RELATED:
            return sum(f"{_RELATED[symbol]}{relation}" in lexicon.entries for relation in RELATIONS)
        if symbol == "TIME":
            return int(timed)
        if symbol == "list" or symbol not in rules:
            return 1
        total = 0
        for expansion in rules[symbol]:
            product = 1
            for part in expansion:
                product *= count(part)
            total += product
        return total

    return count("clause")


def wordings(form: Form, lexicon: Lexicon | None = None) -> int:
    """Count the ways to write one clause of this form between two actions, without modals and relative clauses."""
    lexicon = lexicon or load_lexicon()
    total = 0
    for relation in RELATIONS:
        product = 1
        for terminal in terminals(form, relation):
            product *= len(lexicon.written(terminal, fronted="fronted" in form))
        total += product
    return total


@frozen
class Phrase:
    """A phrase of the lexicon and its allowed places. ``parse_only``: it is read, but never written."""

    phrase: str
    singular: str
    plural: str
    adjunct: bool
    fronted: bool
    clock: bool
    parse_only: bool


@frozen
class GrammarReport:
    """Counts of the grammar, and its words by the paper's terminals, for `planscope grammar`."""

    clause_skeletons: dict[str, int]
    wordings: dict[str, int]
    modals: tuple[Modal, ...]
    terminals: dict[str, list[Phrase]]


def grammar_report() -> GrammarReport:
    lexicon = load_lexicon()
    by_form: dict[str, int] = {form: wordings(form) for form in FORMS}
    return GrammarReport(
        {"base": clause_skeletons(), "timed": clause_skeletons(timed=True)},
        {"total": sum(by_form.values()), **by_form},
        lexicon.modals,
        {
            terminal: [
                Phrase(
                    entry.key,
                    *entry.forms[""],
                    adjunct=entry.adjunct and not entry.parse_only and terminal not in (*VERBS, "J"),
                    fronted=entry.fronted,
                    clock=entry.clock,
                    parse_only=entry.parse_only,
                )
                for entry in lexicon.entries[terminal].values()
            ]
            for terminal in TERMINALS
        },
    )
