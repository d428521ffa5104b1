"""Provenance: which earlier answer, turn of the user or system prompt holds a value that a call was given.

One walk over a trace indexes each value and each word once, under the forms in which it may come back, so that the time
grows with the size of the trace. What a call alone brought into a trace, and answers only repeat, is no source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Literal

from planscope.frozen import frozen
from planscope.language.calls import Path, path_text
from planscope.oracle.trace import Json, Said, ToolCall, Trace
from planscope.rules.values import read_answer
from planscope.safe.secret_names import PLACEHOLDER

How = Literal["equal", "case", "date", "unit", "sum", "part", "nowhere"]
"""``case``: but for upper and lower case. ``date``: the same day, written otherwise. ``unit``: the same number.
``sum``: a sum or difference of numbers of one answer. ``part``: words of a longer text, which may be apart there."""

MOST_PLACES = 12
"""Places of one value that are remembered, the last ones."""
MOST_LEAVES = 20_000
"""Values of one answer that are looked at."""
MOST_LOOKED_AT = 250_000
"""Values and words of one trace that are looked at before the search for a cause ends: about 2 seconds."""
MOST_NUMBERS = 12
"""Numbers side by side of which sums and differences of two are known, besides the sum of all."""
LONGEST, LONGEST_TEXT = 200, 100_000
"""Characters of a value, and of a text, that are looked at."""
_WORD = re.compile(r"[^\s,;:()\[\]{}\"'<>|=!?*`]+")
_PIECE = re.compile(r"[^\W_]+")
_ID = re.compile(r"#?\w[\w#@.+-]*")
_FILE = re.compile(r"\.[A-Za-z]\w{0,4}$")
_NO_IDS = frozenset(
    """
    acid aid android avoid bid covid did fluid grid hybrid invalid kid laid lid mid overpaid paid plaid postpaid prepaid
    raid rapid repaid rid said skid solid squid unpaid valid void
    """.split()
)
"""Words that end in id and name no id."""
_LAST_WORD = re.compile(r"[A-Z]?[a-z]*id$|[A-Z]*I[dD]$")
_NUMBER = re.compile(r"[-+]?[$€£]?\d[\d,]*(?:\.\d+)?")
_SUM = re.compile(r"[\d\s.,$€£()*/%+-]*[+*/][\d\s.,$€£()*/%+-]*|[\d\s.,$€£()-]+ - [\d\s.,$€£()-]+")
_DAY = re.compile(r"(?:(\d{4})-)?(\d{1,2})-(\d{1,2})(?:T.*)?$")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = re.compile(
    rf"\b({'|'.join(_MONTHS)})[a-z]*\.?\s+(\d{{1,2}})|\b(\d{{1,2}})(?:st|nd|rd|th)?\s+({'|'.join(_MONTHS)})",
    re.I,
)


@frozen
class Place:
    """Where a value stands. ``step``: of the call whose answer has it, 0 for what was said. ``path``: the path in the
    answer. ``text``: the text of which it is a word there."""

    by: Literal["answer", "user", "system", "model"]
    step: int
    message: int
    path: Path = ()
    text: str = ""


@frozen
class Source:
    """Where the value of one argument of a call came from. ``place`` is None if it came from nowhere; else the last
    place that is like the argument. ``first``: the call that brought a value from nowhere into the trace.

    ``like_id``: it reads like an id. ``in_sum``: it is a number in a text that is a sum, a product and so on:
    ``"12.50 + 3 * 9.90"``.
    """

    step: int
    path: Path
    value: Json
    how: How
    place: Place | None
    like_id: bool = False
    first: int = 0
    in_sum: bool = False

    @property
    def name(self) -> str:
        """The argument: ``item_ids[0]``."""
        return path_text(self.path)

    @property
    def is_date(self) -> bool:
        return bool(_day(str(self.value)))

    @property
    def invented(self) -> bool:
        """Whether it is an id from nowhere."""
        return self.how == "nowhere" and self.like_id


def holds_id(path: Path) -> bool:
    """Return whether a field's name ends in id: ``order_id``, ``userId``, ``uuid``, but not ``isValid``."""
    last = _LAST_WORD.search(_name(path).removesuffix("s"))
    return last is not None and last[0].lower() not in _NO_IDS


def field_of(path: Path) -> str:
    """Return the last name in a path, in small letters and without its plural."""
    return _name(path).lower().removesuffix("s")


def _name(path: Path) -> str:
    return next((str(part) for part in reversed(path) if isinstance(part, str)), "")


def like_id(path: Path, value: Json) -> bool:
    """Return whether a value reads like an id: six characters or more with a digit, or in a field that ends in id.
    True, zero, dates and words of a fixed list are none."""
    if isinstance(value, bool) or value in (None, "", 0) or not isinstance(value, (str, int)):
        return False
    text = str(value)
    if PLACEHOLDER.search(text):  # it stood for a private value, which may be left as it is elsewhere
        return False
    if holds_id(path):
        return len(text) <= LONGEST
    if not isinstance(value, str) or _ID.fullmatch(text) is None or _DAY.match(text) or _FILE.search(text):
        return False
    return 6 <= len(text) <= 64 and any(c.isdigit() for c in text) and not _NUMBER.fullmatch(text)


def leaves(value: Json, *, keys: bool = False) -> Iterator[tuple[Path, Json]]:
    """Yield the paths of all plain values in JSON, not deeper than 50 levels. ``keys``: a key with a digit is a value
    of its object, too."""
    stack: list[tuple[Json, Path]] = [(value, ())]
    left = MOST_LEAVES
    while stack and left:
        at, here = stack.pop()
        left -= 1
        if isinstance(at, Mapping):
            inner = [(one, (*here, str(key))) for key, one in at.items()] if len(here) < 50 else []
            stack += reversed(inner)
            if keys:
                yield from ((here, str(key)) for key in at if any(c.isdigit() for c in str(key)))
        elif isinstance(at, list | tuple):
            stack += [(one, (*here, k)) for k, one in reversed(list(enumerate(at)))] if len(here) < 50 else []
        elif at is not None:
            yield here, at


def _day(text: str) -> str:
    """Return the month and day of a date, or an empty text."""
    found = _DAY.match(text) if "-" in text else None
    return f"{int(found[2])}-{int(found[3])}" if found else ""


def _amount(value: Json) -> str:
    """Return a number in one form, with or without unit and commas, or an empty text."""
    if isinstance(value, bool):
        return ""
    text = str(value).strip()
    if isinstance(value, str):
        number = re.search(_NUMBER, text)
        rest = text.replace(number[0], "", 1).strip() if number else text
        if number is None or (rest and not re.fullmatch(r"[A-Za-z$€£%]{1,5}", rest)):
            return ""
        text = re.sub(r"[$€£,+]", "", number[0])
    try:
        return f"{float(text):.2f}"
    except (ValueError, OverflowError):
        return ""


def _numbers(value: Json) -> list[Json]:
    """Return the numbers of a text that is a sum, a product and so on; any other value as it is."""
    if not isinstance(value, str) or len(value) > LONGEST or _SUM.fullmatch(value) is None:
        return [value]
    return [float(re.sub(r"[$€£,+-]", "", one)) for one in _NUMBER.findall(value)] or [value]


def _bare(text: str) -> str:
    return text.strip("#@.,:;!?-_'\"").lower()


class Provenance:
    """The sources of all arguments of a trace: ``by_step``, for the step of each call."""

    def __init__(self, trace: Trace, most: float = MOST_LOOKED_AT) -> None:
        """``most``: values and words that are looked at. If there are more, ``left`` is below 0, and what follows is
        not known."""
        self.left = most
        self.by_step: dict[int, list[Source]] = {}
        self.answers: dict[int, Json] = {}
        """By step, what the answer reads as."""
        self._index: dict[tuple[str, str], list[Place]] = {}
        """Places by a form and what stands there in this form: ``equal``, ``word``, ``date``, ``unit``, ``sum``."""
        self._brought: dict[str, int] = {}
        """By an id from nowhere, the first call that has it."""
        waiting: list[ToolCall] = []
        for item in trace.items:
            if self.left < 0:
                break
            if waiting and item.message != waiting[0].message:
                for call in waiting:
                    self._answer(call)
                waiting = []
            if isinstance(item, ToolCall):
                self.by_step[item.step] = [
                    self._source(item, path, one, in_sum=one is not value)
                    for path, value in leaves(item.arguments or {})
                    for one in _numbers(value)
                ]
                self.left -= 5 * len(self.by_step[item.step])  # an argument costs as much as five words
                waiting.append(item)
            elif isinstance(item, Said):
                self._text(item.text, Place(item.by, 0, item.message))

    def places(self, value: Json) -> list[Place]:
        """Return where a value stands in the trace, equal."""
        return self._found("equal", str(value))

    def _found(self, form: str, key: str) -> list[Place]:
        return self._index.get((form, key), [])

    # Filling the index

    def _answer(self, call: ToolCall) -> None:
        if call.answer is None:
            return
        given = {str(one.value) for one in self.by_step[call.step] if call.failed or one.place is None}
        value = self.answers[call.step] = read_answer(call.answer)
        numbers: dict[Path, list[float]] = {}
        for path, one in leaves(value, keys=True):
            if self.left < 0:
                break
            self.left -= 1
            place = Place("answer", call.step, call.message, path)
            if isinstance(one, str):
                self._text(one, place, given)
            elif str(one) not in given:  # else the answer repeats what it was asked
                self._add("equal", str(one), place)
                self._add("unit", _amount(one), place)
                if not isinstance(one, bool):
                    shape: Path = tuple(
                        "*" if isinstance(part, int) or part.isdigit() else part for part in path
                    )
                    numbers.setdefault(shape, []).append(float(one))
        for shape, ones in numbers.items():
            few = list(dict.fromkeys(ones))[:MOST_NUMBERS]
            totals = {abs(a + sign * b) for k, a in enumerate(few) for b in few[:k] for sign in (1, -1)}
            for total in totals | {sum(ones)}:
                self._add("sum", f"{total:.2f}", Place("answer", call.step, call.message, shape))

    def _text(self, text: str, place: Place, given: Collection[str] = ()) -> None:
        """Index a text, and its words. ``given``: words that are no news."""
        if place.path and text not in given:
            self._add("equal", text, place)
        held = text[:LONGEST] if place.by == "answer" else ""
        at = Place(place.by, place.step, place.message, place.path, held)
        words = dict.fromkeys(_WORD.findall(text[:LONGEST_TEXT]))
        self.left -= len(words)
        for word in words:
            word = word.rstrip(".,")
            if word not in given:
                for form, key in (
                    ("equal", word),
                    ("word", _bare(word)),
                    ("date", _day(word)),
                    ("unit", _amount(word)),
                ):
                    self._add(form, key, at)
        for found in _MONTH.finditer(text[:LONGEST_TEXT]):
            month = _MONTHS.index((found[1] or found[4]).lower()[:3]) + 1
            self._add("date", f"{month}-{int(found[2] or found[3])}", at)

    def _add(self, form: str, key: str, place: Place) -> None:
        if key:
            known = self._index.setdefault((form, key), [])
            if len(known) >= MOST_PLACES:
                del known[1]
            known.append(place)

    # Asking it

    def _source(self, call: ToolCall, path: Path, value: Json, in_sum: bool) -> Source:
        text = str(value)
        words = [bare for word in _WORD.findall(text[:LONGEST]) if (bare := _bare(word))]
        texts, amount = self._holding(words), _amount(value)
        ways: tuple[tuple[How, list[Place]], ...] = (
            ("equal", self._found("equal", text)),
            ("case", [one for one in texts if len(words) == 1 and text.lower() in one.text.lower()]),
            ("date", self._found("date", _day(text))),
            ("unit", self._found("unit", amount)),
            ("sum", self._found("sum", amount)),
            (
                "part",
                texts
                or self._holding([bare for one in _PIECE.findall(text[:LONGEST]) if (bare := _bare(one))]),
            ),
        )
        nowhere: tuple[How, list[Place]] = "nowhere", []
        some = ((how, [place for place in places if place.by != "model"]) for how, places in ways)
        how, found = next(filter(itemgetter(1), some), nowhere)
        is_id = like_id(path, value)
        first = self._brought.setdefault(text, call.step) if is_id and not found else 0
        place = max(found, key=lambda one: (_alike(path, one), one.message), default=None)
        return Source(call.step, path, value, how, place, is_id, first, in_sum)

    def _holding(self, words: list[str]) -> list[Place]:
        """Return the texts that have all of these words."""
        held = [self._found("word", word) for word in words]
        rare = min(held, key=len, default=[])
        others = [{(one.message, one.path) for one in some} for some in held if some is not rare]
        return [one for one in rare if all((one.message, one.path) in some for some in others)]


def _alike(path: Path, place: Place) -> int:
    """Return how much a field is like an argument, by their names: 2 equal, 1 alike or said, 0 not."""
    if place.by != "answer" or not place.path:
        return 1
    return 2 if same_field(path, place.path) else 0


def same_field(argument: Path, field: Path) -> bool:
    """Return whether two names mean one thing: ``order_id`` and ``orders[2]``, ``new_item_ids`` and ``item_id``."""
    one, other = field_of(argument), field_of(field)
    one, other = one.removesuffix("_id").removesuffix("id"), other.removesuffix("_id").removesuffix("id")
    return bool(one) and bool(other) and (one.endswith(other) or other.endswith(one))


def sources_of(trace: Trace, step: int) -> list[Source]:
    """Return where the arguments of one call came from. Only what stands before it is looked at."""
    last = next(
        k for k, item in enumerate(trace.items, 1) if isinstance(item, ToolCall) and item.step == step
    )
    return Provenance(replace(trace, items=trace.items[:last]), float("inf")).by_step[step]
