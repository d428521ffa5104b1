"""Regular expressions that take time linear in the text: an automaton without backtracking, so no look-around and no
back-references."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

MOST_TEXT = 100_000
"""So many characters of a text are looked at."""
MOST_STATES = 2_000
MOST_REPEATED = 100
MOST_STEPS = 30_000
"""Limit of characters that are tried behind texts."""
DEEPEST = 50

Test = Callable[[str, str], bool]
"""Whether a step may be taken between two characters ("" at an end), or over the second one."""

_ATOM = re.compile(
    r"(?P<open>\((?:\?:)?(?!\?))|(?P<set>\[\^?\]?(?:\\[dwsDWS\W]|[^\]\\])*\])|(?P<edge>[$^]|\\[bB])"
    r"|(?P<one>\\[dwsDWSnt]|\\\W|[^\\()\[\]|*+?{}$^])"
)
_REPEAT = re.compile(r"(?P<sign>[*+?])|\{(?P<low>\d{1,3})(?P<comma>,(?P<high>\d{1,3})?)?\}")


class Pattern:
    """A regular expression, in any case of letters. Raises ValueError with one line for what it does not know."""

    def __init__(self, text: str) -> None:
        self.text, self._at, self._depth = text, 0, 0
        self._edges: list[list[tuple[Test | None, bool, int]]] = []
        """By state: what must hold (None: nothing), whether a character is taken, and the state behind it."""
        begin, self._end = self._choice()
        self._start = begin
        if self._at < len(text):
            raise ValueError(f"{text[self._at :][:10]!r} is not understood in a regular expression")

    def is_in(self, text: str) -> bool:
        """Return whether the pattern fits somewhere in a text, of which the first ``MOST_TEXT`` characters count."""
        text = text[:MOST_TEXT]
        now: frozenset[int] = frozenset()
        for k in range(len(text) + 1):
            fits, now = self.step(now, text[k - 1 : k] if k else "", text[k : k + 1])
            if fits:
                return True
        return False

    def step(self, now: frozenset[int], before: str, here: str) -> tuple[bool, frozenset[int]]:
        """Return whether the pattern fits before a character ("" at the end), and the states behind it."""
        closed = self._closed({*now, self._start}, before, here)
        steps = (edge for state in closed for edge in self._edges[state] if edge[1])
        after = frozenset(to for test, _, to in steps if here and test is not None and test(before, here))
        return self._end in closed, after

    @property
    def tests(self) -> list[Test]:
        """The tests of its characters."""
        return [test for edge in self._edges for test, takes, _ in edge if takes and test is not None]

    def _closed(self, states: set[int], before: str, here: str) -> set[int]:
        todo = list(states)
        for state in todo:
            for test, takes, to in self._edges[state]:
                if not takes and to not in states and (test is None or test(before, here)):
                    states.add(to)
                    todo.append(to)
        return states

    def _state(self) -> int:
        if len(self._edges) >= MOST_STATES:
            raise ValueError("the regular expression is too long")
        self._edges.append([])
        return len(self._edges) - 1

    def _free(self, one: int, other: int) -> None:
        self._edges[one].append((None, False, other))

    def _choice(self) -> tuple[int, int]:
        begin, end = self._state(), self._state()
        while True:
            first, last = self._row()
            self._free(begin, first)
            self._free(last, end)
            if self.text[self._at : self._at + 1] != "|":
                return begin, end
            self._at += 1

    def _row(self) -> tuple[int, int]:
        begin = last = self._state()
        while self._at < len(self.text) and self.text[self._at] not in "|)":
            place = self._at
            first, end = self._atom()
            if repeat := _REPEAT.match(self.text, self._at):
                behind = repeat.end()
                low, high = _bounds(repeat)
                copies = list(self._copies(place, max(low, high or 0, 1), (first, end)))
                first, end = self._repeated(copies, low, high)
                self._at = behind
            self._free(last, first)
            last = end
        return begin, last

    def _copies(self, place: int, number: int, made: tuple[int, int]) -> Iterator[tuple[int, int]]:
        yield made
        for _ in range(number - 1):
            self._at = place
            yield self._atom()

    def _repeated(self, copies: list[tuple[int, int]], low: int, high: int | None) -> tuple[int, int]:
        begin = last = self._state()
        end = self._state()
        for number, (first, behind) in enumerate(copies[:high]):
            if number >= low:
                self._free(last, end)
            self._free(last, first)
            last = behind
        if high is None:
            self._free(last, copies[-1][0])
        self._free(last, end)
        return begin, end

    def _atom(self) -> tuple[int, int]:
        match = _ATOM.match(self.text, self._at)
        if match is None:
            raise ValueError(f"{self.text[self._at :][:10]!r} is not understood in a regular expression")
        self._at = match.end()
        if match["open"]:
            self._depth += 1
            if self._depth > DEEPEST:
                raise ValueError("the brackets of the regular expression are nested too deeply")
            inner = self._choice()
            self._depth -= 1
            if self.text[self._at : self._at + 1] != ")":
                raise ValueError("a bracket is not closed in a regular expression")
            self._at += 1
            return inner
        begin, end = self._state(), self._state()
        self._edges[begin].append((_test(match), not match["edge"], end))
        return begin, end


def telling(patterns: Sequence[Pattern], several: int) -> Iterator[str]:
    """Yield texts, the shortest first, of which ``several`` meet each choice of patterns that a text can meet, or as
    many as there are. Raises ValueError if that takes more than ``MOST_STEPS``."""
    signs = _signs(patterns, several)
    todo = deque([("", tuple((False, frozenset[int]()) for _ in patterns))])
    seen, met = Counter[object](), Counter[tuple[bool, ...]]()
    steps = 0
    while todo:
        text, states = todo.popleft()
        before = text[-1:]
        choice = tuple(
            fits or one.step(now, before, "")[0] for one, (fits, now) in zip(patterns, states, strict=True)
        )
        met[choice] += 1
        if met[choice] <= several:
            yield text
        for sign in signs:
            steps += 1
            if steps > MOST_STEPS:
                raise ValueError("the regular expressions have too many states")
            after = []
            for one, (fits, now) in zip(patterns, states, strict=True):
                fitted, behind = one.step(now, before, sign)
                after.append((True, frozenset[int]()) if fits or fitted else (False, behind))
            key = _is_word(sign), tuple(after)
            seen[key] += 1
            if seen[key] <= several:
                todo.append((text + sign, key[1]))


def _signs(patterns: Sequence[Pattern], several: int) -> list[str]:
    """Return characters, ``several`` of each kind that the patterns can tell apart: what they name, what lies beside
    it, and some of each class."""
    named = dict.fromkeys(
        chain("0a5mz9 AZ_-~\n\u00e9", *(one.text.lower() + one.text.upper() for one in patterns))
    )
    beside = (chr(ord(sign) + by) for sign in named for by in (-1, 1) if 0 < ord(sign) < 0xFFFF)
    tests = [test for one in patterns for test in one.tests]
    kinds: dict[tuple[bool, ...], list[str]] = defaultdict(list)
    for sign in dict.fromkeys((*named, *beside)):
        kinds[(_is_word(sign), *(test("", sign) for test in tests))].append(sign)
    return [sign for some in kinds.values() for sign in some[:several]]


def _bounds(repeat: re.Match[str]) -> tuple[int, int | None]:
    if repeat["sign"]:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[repeat["sign"]]
    low = int(repeat["low"])
    high = low if not repeat["comma"] else int(repeat["high"]) if repeat["high"] else None
    if max(low, high or 0) > MOST_REPEATED or (high is not None and high < low):
        raise ValueError(f"a regular expression repeats at most {MOST_REPEATED} times")
    return low, high


def _test(match: re.Match[str]) -> Test:
    """Return the test of one character, or of the place between two."""
    if match["edge"] in ("^", "$"):
        begins = match["edge"] == "^"
        return lambda before, here: not (before if begins else here)
    if match["edge"]:
        edge = match["edge"] == r"\b"
        return lambda before, here: (_is_word(before) != _is_word(here)) is edge
    try:
        one = re.compile(match[0], re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{match[0]!r} is not understood in a regular expression: {error.msg}") from None
    return lambda before, here: one.fullmatch(here) is not None


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


@lru_cache(maxsize=256)
def pattern(text: str) -> Pattern:
    """Return a regular expression. Raises ValueError with one line for what it does not know."""
    return Pattern(text)
