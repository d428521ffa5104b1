"""Cuts rule sentences into items: sets of calls with their conditions, phrases of the lexicon, keywords, numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from planscope.language.problem import Span
from planscope.language.scan import surfaces
from planscope.rules.rule import (
    Calls,
    CallSet,
    Combined,
    Compare,
    Condition,
    Operator,
    Path,
    Scalar,
    Source,
    loose,
)

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<line>\n)|(?P<quoted>`[^`\n]*`)|(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<time>[0-9]{1,2}:[0-9]{2}(?!\w))|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w*]))
    |(?P<word>[\w*]+(?:['\u2019]\w+)*)|(?P<mark>!=|<=|>=|[^\s])""",
    re.VERBOSE,
)

KEYWORDS = frozenset(
    """
    every each if then never not only within first last exactly once twice times time at least most no
    more than has have its own it right away immediately directly call calls called use second seconds
    minute minutes the latest had and or but both either which is are be come comes must should may can
    do does don't doesn't mustn't shouldn't cannot can't shall will per for same as while whereas yet
    neither nor reads read writes write before after by with where whose that followed between until
    unless when always message
    """.split()  # noqa: SIM905
)
"""Words with which no tool's name begins or ends, unless it is in backquotes or the tool is known."""

REFUSING = (
    *(
        f"{modal} {no} be"
        for modal in ("must", "should", "may", "can", "shall", "will")
        for no in ("not", "never")
    ),
    *(f"{modal} be" for modal in ("mustn't", "shouldn't", "cannot", "can't")),
    *(f"{verb} {no}" for verb in ("is", "are") for no in ("not", "never")),
)
"""What stands before "called" if a call is forbidden."""

VERB_LIKE = ("VP", "VP0")

NOT_BEFORE_NAMES = frozenset(
    """
    S V0 N COND which that never not only must should may can do does don't doesn't mustn't shouldn't cannot can't
    shall will
    """.split()  # noqa: SIM905
)
"""Codes of items after which a verb is read as a verb, and not as a tool with that name."""


class SentenceError(Exception):
    """A sentence cannot be read. ``span``: the words to blame. ``readings``: what it could mean."""

    def __init__(
        self, span: Span, message: str, expected: tuple[str, ...] = (), readings: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.span, self.message, self.expected, self.readings = span, message, expected, readings


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign. ``kind``: a group of ``_TOKEN``. ``key``: the text in lower case, for comparison."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def key(self) -> str:
        return self.text.casefold().replace("\u2019", "'")


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a sentence. ``code``: S (a set of calls), N (a number), V0 (happens), NOT_V0 (must not be called),
    FOLLOWED, COND, or a word."""

    code: str
    span: Span
    calls: CallSet = ()
    number: float = 0
    condition: Condition | None = None


@dataclass(slots=True)
class Items:
    """A sentence as items, and the arguments that it is judged by."""

    items: list[Item] = field(default_factory=list)
    per: tuple[Path, ...] = ()
    per_then: tuple[Path, ...] = ()


def tokens(text: str) -> Iterator[Token]:
    """Return all tokens of a text. Comments are left out."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "mark"
        if kind != "comment":
            yield Token(kind, match[0], match.start(), match.end())


def sentences(text: str) -> Iterator[list[Token]]:
    """Return the tokens of each sentence, without its period. A sentence ends with a period or with its line."""
    found: list[Token] = []
    row = list(tokens(text))
    for k, token in enumerate(row):
        following = row[k + 1] if k + 1 < len(row) else None
        inside = (
            following is not None and following.start == token.end and following.kind in ("word", "quoted")
        )
        ends = token.kind == "line" or (token.text == "." and not (inside and found))
        if not ends:
            found.append(token)
        elif found:
            yield found
            found = []
    if found:
        yield found


@cache
def phrases() -> dict[tuple[str, ...], str]:
    """Return the lexicon's phrases as words, with the code of each: V0, NOT_V0, FOLLOWED, or its words."""
    found = {}
    for surface, meaning in surfaces().items():
        words = tuple(surface.split())
        entries = {entry for _, (entry, _) in meaning.words}
        if meaning.type == "VP0":
            code = "V0"
        elif entries & {"be followed by", "be succeeded by"}:
            code = "FOLLOWED"
        else:
            code = "_".join(words) if meaning.type not in VERB_LIKE else "VP"
        found[words] = code
    for modal in ("", "must ", "should "):
        for verb in ("be called", "be used", "be made") if modal else ("is called", "are called", "is used"):
            found[(*modal.split(), *verb.split())] = "V0"
    for modal in REFUSING:
        for verb in ("called", "used", "made"):
            found[(*modal.split(), verb)] = "NOT_V0"
    return found


@cache
def _longest_phrase() -> int:
    return max(map(len, phrases()))


_OPERATORS: dict[tuple[str, ...], Operator] = {
    ("is", "one", "of"): "is one of",
    ("is", "missing"): "is missing",
    ("contains",): "contains",
    ("containing",): "contains",
    ("starts", "with"): "starts with",
    ("starting", "with"): "starts with",
    ("ends", "with"): "ends with",
    ("ending", "with"): "ends with",
}
_SIGNS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=")


class Scanner:
    """Scans the sentences of one file. ``tools``: known names, which may be written with blanks and in any case."""

    def __init__(self, text: str, tools: Collection[str] = ()) -> None:
        self.text = text
        self.tools = {tuple(loose(tool).split("_")): tool for tool in sorted(tools) if loose(tool)}
        self.longest_tool = max(map(len, self.tools), default=0)

    def items(self, row: Sequence[Token]) -> Items:
        """Return the items of a sentence. Raises SentenceError."""
        return _Sentence(self, row).read()


class _Sentence:
    def __init__(self, scanner: Scanner, row: Sequence[Token]) -> None:
        self.scanner, self.row = scanner, row
        self.at = 0
        self.found = Items()

    def _key(self, ahead: int = 0) -> str:
        k = self.at + ahead
        return self.row[k].key if k < len(self.row) else ""

    def _kind(self, ahead: int = 0) -> str:
        k = self.at + ahead
        return self.row[k].kind if k < len(self.row) else ""

    def _is(self, *words: str) -> bool:
        return all(self._key(k) == word for k, word in enumerate(words))

    def _take(self, *words: str) -> bool:
        if self._is(*words):
            self.at += len(words)
            return True
        return False

    def _error(self, message: str, *expected: str, ahead: int = 0) -> SentenceError:
        k = min(self.at + ahead, len(self.row))
        last = self.row[-1].end
        span = (self.row[k].start, self.row[k].end) if k < len(self.row) else (last, last)
        return SentenceError(span, message, expected)

    def read(self) -> Items:
        items = self.found.items
        while self.at < len(self.row):
            token = self.row[self.at]
            expecting = not items or items[-1].code not in NOT_BEFORE_NAMES
            start = token.start
            if token.kind == "time":
                raise self._error(
                    "clock times cannot be judged: rules are about calls, their order and their number"
                )
            if self._per():
                continue
            if (calls := self._set(expecting)) is not None:
                calls = self._modified(calls)
                end = self.row[self.at - 1].end
                calls = replace(calls, text=" ".join(self.scanner.text[start:end].split()))
                items.append(Item("S", (start, end), (calls,)))
                continue
            if token.key in ("had", "has") and self._key(1) != "its":
                self.at += 1
                condition = self._condition("answer")
                items.append(Item("COND", (start, self.row[self.at - 1].end), condition=condition))
                continue
            width, code = self._phrase()
            if width:
                self.at += width
                items.append(Item(code, (start, self.row[self.at - 1].end)))
            elif token.kind == "number":
                self.at += 1
                items.append(Item("N", (start, token.end), number=float(token.text)))
            elif token.kind == "word" or token.text in ",;:":
                self.at += 1
                items.append(Item(token.key, (start, token.end)))
            else:
                raise self._error(f"{token.text!r} is not expected here", "a tool", "a verb such as happens")
        return self.found

    def _phrase(self) -> tuple[int, str]:
        """Return the longest phrase of the lexicon that begins here: its number of words and its code."""
        best = (0, "")
        words: list[str] = []
        for k in range(_longest_phrase()):
            if self._kind(k) != "word":
                break
            words.append(self._key(k))
            code = phrases().get(tuple(words))
            if code is not None:
                best = (k + 1, code)
        return best

    def _known(self) -> tuple[int, str]:
        """Return the longest known tool whose words begin here."""
        best = (0, "")
        words: list[str] = []
        for k in range(self.scanner.longest_tool):
            if self._kind(k) != "word":
                break
            words += [part for part in self._key(k).split("_") if part]
            tool = self.scanner.tools.get(tuple(words))
            if tool is not None:
                best = (k + 1, tool)
        return best

    def _set(self, expecting: bool) -> Calls | None:
        """Return a set of calls, without its conditions, if one begins here."""
        begun = self.at
        if self._is("any", "call") or self._is("any", "calls"):
            self.at += 2
            if not self._take("of"):
                return Calls("*")
            name = self._name()
            if name is None:
                raise self._error("'any call of' needs the name of tools, such as update_*", "a tool's name")
            return Calls(name)
        for article in ("a", "the", "any", "every", "each", ""):
            if self._is(*filter(None, (article, "user", "message"))) or (
                article == "" and self._is("user", "messages")
            ):
                if article in ("every", "each"):
                    return None
                self.at += 2 + bool(article)
                return Calls("")
        if self._is("the") and self._key(1) not in ("first", "last", "latest", "same"):
            self.at += 1
        elif self._key() in ("a", "any") and self._is(self._key(), "call", "of"):
            self.at += 3
        name = self._name(expecting)
        if name is None:
            self.at = begun
            return None
        return Calls(name)

    def _name(self, expecting: bool = True) -> str | None:
        token = self.row[self.at] if self.at < len(self.row) else None
        if token is None:
            return None
        if token.kind == "quoted":
            if len(token.text) < 3:
                raise self._error("there is no name between the backquotes", "a tool's name")
            self.at += 1
            return token.text[1:-1]
        if token.kind != "word":
            return None
        width, tool = self._known()
        size, code = self._phrase()
        if width and width >= size and not (token.key in KEYWORDS and not expecting):
            self.at += width
            return tool
        if size and not (expecting and size == 1 and code in ("V0", "VP") and self._verb_follows()):
            return None
        if token.key in KEYWORDS or not re.search(r"[\w*]", token.text):
            return None
        words = [token.text]
        self.at += 1
        while "_" not in words[-1] and "*" not in words[-1] and self._kind() == "word":
            if self._key() in KEYWORDS or self._phrase()[0]:
                break
            words.append(self.row[self.at].text)
            self.at += 1
        self._no_marks_in_name()
        return "_".join(words)

    def _verb_follows(self) -> bool:
        """Return whether a verb follows; after a comma ("A, which follows B, precedes C") only then a verb is a
        tool's name."""
        if self.at == 0 or self._key(-1) != ",":
            return True
        self.at += 1
        follows = self._phrase()[0] > 0
        self.at -= 1
        return follows

    def _no_marks_in_name(self) -> None:
        token = self.row[self.at] if self.at < len(self.row) else None
        before = self.row[self.at - 1]
        if token is not None and token.start == before.end and token.text in (".", "-", "/", ":"):
            following = self.row[self.at + 1] if self.at + 1 < len(self.row) else None
            if following is not None and following.start == token.end:
                raise self._error(f"a name with {token.text!r} in it must be in backquotes", "`name`")

    def _modified(self, calls: Calls) -> Calls:
        """Return the set narrowed by the words after it: with CONDITION, that failed, by AGENT."""
        while True:
            if self._key() in ("with", "where", "whose"):
                self.at += 1
                if calls.condition is not None:
                    raise self._error("a tool has one condition; join its parts by 'and'", ahead=-1)
                calls = replace(calls, condition=self._condition("text" if calls.is_user else "argument"))
            elif self._is("that", "failed") or self._is("that", "fails"):
                self.at += 2
                calls = replace(calls, outcome="failed")
            elif self._is("that", "succeeded") or self._is("that", "succeeds"):
                self.at += 2
                calls = replace(calls, outcome="succeeded")
            elif self._is("by") and self._kind(1) in ("word", "quoted", "string"):
                token = self.row[self.at + 1]
                self.at += 2
                agent = token.text if token.kind == "word" else token.text[1:-1]
                calls = replace(calls, agent=json.loads(token.text) if token.kind == "string" else agent)
            else:
                break
            if calls.is_user and (calls.outcome or calls.agent):
                raise self._error("a user message has no outcome and no agent", ahead=-1)
        return calls

    def _condition(self, source: Source) -> Condition:
        """Read a condition: ``or`` of ``and`` of comparisons and brackets."""
        parts = [self._all(source)]
        while self._is("or") and self._compares(1):
            self.at += 1
            parts.append(self._all(source))
        return parts[0] if len(parts) == 1 else Combined(False, tuple(parts))

    def _all(self, source: Source) -> Condition:
        parts = [self._part(source)]
        while self._is("and") and self._compares(1):
            self.at += 1
            parts.append(self._part(source))
        return parts[0] if len(parts) == 1 else Combined(True, tuple(parts))

    def _part(self, source: Source) -> Condition:
        if self._take("("):
            inner = self._condition(source)
            if not self._take(")"):
                raise self._error("a bracket is not closed", ")")
            return inner
        path = self._path()
        if source == "argument" and path[0] == "answer":
            source, path = "answer", path[1:]
        elif source == "answer" and path[0] == "answer":
            path = path[1:]
        elif source == "text":
            if path != ("text",):
                raise self._error("a condition on a user message can only test its text", "text", ahead=-1)
            path = ()
        operator = self._operator()
        if operator == "is missing":
            return Compare(source, path, operator)
        if operator == "is one of":
            return Compare(source, path, operator, self._list())
        value = self._value()
        if operator in ("<", "<=", ">", ">="):
            from planscope.rules.values import moment, number

            if number(value) is None and not (isinstance(value, str) and moment(value) is not None):
                raise self._error(
                    f'{operator} compares numbers and ISO dates, such as 5 or "2026-01-31"', ahead=-1
                )
        elif operator in ("starts with", "ends with") and not isinstance(value, str):
            raise self._error(f"{operator!r} needs a string in double quotes", ahead=-1)
        if value is None:
            raise self._error("null counts as missing; write 'is missing'", ahead=-1)
        return Compare(source, path, operator, value)

    def _compares(self, ahead: int) -> bool:
        """Return whether a comparison or a bracket begins ``ahead`` tokens from here."""
        saved = self.at
        self.at += ahead
        try:
            while self._take("("):
                pass
            self._path()
            self._operator()
        except SentenceError:
            return False
        finally:
            self.at = saved
        return True

    def _path(self) -> Path:
        token = self.row[self.at] if self.at < len(self.row) else None
        if token is None or token.kind not in ("word", "quoted"):
            raise self._error("the name of an argument is missing", "an argument such as order_id")
        path: list[str | int] = [token.text[1:-1] if token.kind == "quoted" else token.text]
        self.at += 1
        while self.at < len(self.row) and self.row[self.at].start == self.row[self.at - 1].end:
            if self._is(".") and self._kind(1) in ("word", "quoted"):
                token = self.row[self.at + 1]
                path.append(token.text[1:-1] if token.kind == "quoted" else token.text)
                self.at += 2
            elif self._is("[") and self._kind(1) == "number" and self._key(2) == "]":
                if not self._key(1).isdigit():
                    raise self._error("a place in a list is a whole number from 0", ahead=1)
                path.append(int(self._key(1)))
                self.at += 3
            else:
                break
        return tuple(path)

    def _operator(self) -> Operator:
        for sign in _SIGNS:
            if self._take(sign):
                return sign
        for words, operator in _OPERATORS.items():
            if self._take(*words):
                return operator
        raise self._error("a comparison is missing here", *_SIGNS, *dict.fromkeys(_OPERATORS.values()))

    def _value(self) -> Scalar:
        token = self.row[self.at] if self.at < len(self.row) else None
        value: Scalar
        if token is not None and token.kind in ("string", "number"):
            try:
                value = json.loads(token.text)
            except ValueError:
                raise self._error("this is not a JSON value", 'a string such as "yes"', "a number") from None
        elif token is not None and token.key in ("true", "false", "null"):
            value = {"true": True, "false": False, "null": None}[token.key]
        else:
            raise self._error(
                "a value is missing here", 'a string in double quotes, such as "yes"', "a number"
            )
        self.at += 1
        return value

    def _list(self) -> tuple[Scalar, ...]:
        if not self._take("["):
            raise self._error("a list is missing here", '[ such as in ["a", "b"]')
        values: list[Scalar] = []
        while not self._take("]"):
            if values and not self._take(","):
                raise self._error("a list needs commas between its values", ",", "]")
            values.append(self._value())
        return tuple(values)

    def _per(self) -> bool:
        """Read ``per A and B`` or ``for the same A [as B]``, which is noted and is no item."""
        begun = self.at
        if not (self._take("per") or self._take("for", "the", "same") or self._take("for", "each")):
            return False
        names = self._paths()
        other: tuple[Path, ...] = ()
        if self.row[begun].key == "for" and self._take("as"):
            other = self._paths()
            if len(other) != len(names):
                raise self._error("there must be as many names before 'as' as after it", ahead=-1)
        if self.found.per:
            self.at = begun
            raise self._error("a sentence can be judged by one value only; join the names by 'and'")
        self.found.per, self.found.per_then = names, other if other != names else ()
        if not self.found.items:
            self._take(",")
        return True

    def _paths(self) -> tuple[Path, ...]:
        names = [self._path()]
        while self._is("and") and self._kind(1) in ("word", "quoted"):
            saved = self.at
            self.at += 1
            path = self._path()
            verb = self._phrase()[0] or self._key() in (
                "never",
                "must",
                "should",
                "is",
                "are",
                "comes",
                "only",
            )
            if verb or self._is("and") or self._is("or"):
                self.at = saved
                break
            names.append(path)
        return tuple(names)
