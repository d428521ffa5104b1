"""Walks through a session's JSON: finds its clean parts and every string with its place, and rewrites strings.

Most strings of a large session occur many times and contain nothing private. They are scanned once, and the parts that
consist of them are then kept whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from planscope.safe.secret_names import names_secret
from planscope.sharing.redact.hits import RedactionError, words
from planscope.sharing.redact.spellings import decoded

Json = Any

DEEPEST = 3
"""The number of levels of JSON inside strings of JSON that are read."""

MOST_DECODED = 500_000
"""Limit of values in all JSON inside strings. No real session has more."""


class Skim:
    """Separates clean ("dull") parts of a document from others.

    ``texts``: every string once, keys and numbers too. ``within``: those inside strings of JSON.
    """

    def __init__(self, document: Json) -> None:
        self.texts: dict[str, None] = {}
        self.within: dict[str, None] = {}
        self._document = document
        self._holds: dict[str, list[str]] = {}
        self._telling: dict[str, bool] = {}
        self._odd: set[str] = set()
        self._dull: set[str] = set()
        self._busy: set[int] = set()
        self._shapes: dict[tuple[str, ...], bool] = {}
        self._decoded = 0
        _strings(document, self.texts)
        self._open(self.texts, 0)

    def _open(self, texts: Iterable[str], depth: int) -> None:
        """Read the strings that are JSON, and note the odd ones, which must always be scanned alone."""
        deeper: dict[str, None] = {}
        for text in texts:
            if text in self._holds:
                continue
            if len(text) > MOST_DECODED:
                self._check(sum(map(text.count, ",[{")))
            for inside in decoded(text):
                if depth == DEEPEST:
                    self._odd.add(text)
                    break
                found: dict[str, None] = {}
                self._decoded += _strings(inside, found)
                self._check(self._decoded)
                self._holds[text] = list(found)
                if any(map(self.tells, found)) or any(one.startswith("-") for one in found):
                    self._odd.add(text)
                deeper |= found
        if deeper:
            self.within |= deeper
            self._open(deeper, depth + 1)

    def _check(self, values: int) -> None:
        if values > MOST_DECODED:
            raise RedactionError(
                f"the texts of the session contain more than {MOST_DECODED:,} JSON values, too many to be searched; "
                "--no-redact shares it unchanged"
            )

    def tells(self, name: str) -> bool:
        """Return whether a key says that its value is private. Then the value is always scanned."""
        found = self._telling.get(name)
        if found is None:
            folded = name.lower()
            known = folded in words("host", "keys") or folded in words("user", "keys")
            found = self._telling[name] = known or names_secret(name)
        return found

    def settle(self, clean: Container[str]) -> None:
        """Find the parts without anything private. ``clean``: the strings without a hit."""
        self._dull = {t for t in (*self.texts, *self.within) if t in clean and t not in self._odd}
        for _ in range(DEEPEST + 1):  # each round marks the strings around one that is not dull
            self._dull -= {text for text, held in self._holds.items() if not self._dull.issuperset(held)}
        self._busy.clear()
        self._shapes.clear()
        self._mark(self._document)

    @property
    def dull(self) -> Iterable[str]:
        """Return the strings that stay as they are, unless their key says otherwise."""
        return self._dull

    def is_dull(self, value: Json) -> bool:
        """Return whether a part of the document, or a string, contains nothing private."""
        if isinstance(value, str):
            return value in self._dull
        if isinstance(value, dict | list):
            return id(value) not in self._busy
        return value is None or isinstance(value, bool) or str(value) in self._dull

    def _mark(self, value: Json) -> bool:
        """Return whether a list or an object contains something private, and note all that do."""
        dull = self._dull
        if isinstance(value, dict):
            busy = self._keys_tell(tuple(value)) or bool(what_pairs_tell(value))
            below: Iterable[Json] = value.values()
        else:
            busy = bool(what_lists_tell(value))
            below = value
        for one in below:
            kind = type(one)
            if kind is str:
                busy = busy or one not in dull
            elif kind is dict or kind is list:
                busy = self._mark(one) or busy
            elif one is not None and kind is not bool:
                busy = busy or str(one) not in dull
        if busy:
            self._busy.add(id(value))
        return busy

    def _keys_tell(self, keys: tuple[str, ...]) -> bool:
        """Return whether an object's keys are private or say that a value is. Many objects have the same keys."""
        found = self._shapes.get(keys)
        if found is None:
            found = self._shapes[keys] = any(key not in self._dull or self.tells(key) for key in keys)
        return found


def _strings(value: Json, found: dict[str, None]) -> int:
    """Note every string, key and number. Return the number of values."""
    rest = [value]
    count = 0
    shapes: set[tuple[str, ...]] = set()
    while rest:
        one = rest.pop()
        count += 1
        kind = type(one)
        if kind is str:
            found[one] = None
        elif kind is dict:
            keys = tuple(one)
            if keys not in shapes:
                shapes.add(keys)
                found.update(dict.fromkeys(keys))
            rest += one.values()
        elif kind is list:
            rest += one
        elif one is not None and kind is not bool:
            found[str(one)] = None
    return count


class Place(NamedTuple):
    """The place of a value. ``field`` is a path such as ``query.text``, ``actions.0.name`` or ``arguments.key``.

    ``variant`` or ``run`` is an id; ``event`` counts the run's events from 0; without any of them it is a field of the
    session itself. ``step`` is the call of the event, if any. A field that ends in ``(key)`` is the key of an object.
    """

    field: str
    variant: str | None = None
    run: str | None = None
    event: int | None = None
    step: int | None = None

    def __str__(self) -> str:
        """Return the place in words: ``run r1, step 2, arguments.key``."""
        where = []
        if self.variant is not None:
            where.append(f"variant {self.variant}")
        if self.run is not None:
            where.append(f"run {self.run}")
        if self.step is not None:
            where.append(f"step {self.step}")
        elif self.event is not None:
            where.append(f"event {self.event + 1}")
        return ", ".join([*where, self.field])


class Spot(NamedTuple):
    """The place of a string and what it says about the string.

    ``named``: its key, if that is data. ``below_secret``: it lies below a key such as ``credentials``. ``number``: it
    is an id, which looks random. ``lead``: the words of a command before it in a list.
    """

    place: Place
    named: str = ""
    lead: str = ""
    below_secret: bool = False
    number: bool = False


Change = Callable[[str, Spot], str]
ChangeNumber = Callable[[int | float, Spot], Json]

_DATA = {"arguments", "asked", "message", "cursor", "parameters", "artifact", "to_graph", "structured"}
_GRAMMAR = {"tree", "constraints"}
_FIXED = {"format", "type", "status", "ending", "refused_by", "method", "created", "started"}
_TYPE = re.compile(r"[A-Za-z_]{1,20}|planscope-session|[0-9T:.+Z-]{10,40}")
"""The value of a fixed field is one of our own words or a time. A foreign field of that name may contain anything."""

_NUMBERS = {
    "id",
    "parent",
    "variant",
    "run",
    "call_id",
    "recording",
    "fingerprint",
    "signature",
    "encrypted_content",
    "hash",
}


@cache
def _fields() -> frozenset[str]:
    """Return the names of all fields of a session's own models."""
    from planscope.session import model

    parts = (one for one in vars(model).values() if isinstance(one, type))
    return frozenset(name for part in parts for name in getattr(part, "model_fields", ()))


def rewrite(document: Json, change: Change, number: ChangeNumber, skim: Skim) -> Json:
    """Rewrite a session's JSON: ``change`` rewrites strings and keys that are data, ``number`` numbers in data.

    Types of events and the like stay. Parts that are clean by ``skim`` are not copied.
    """
    return _Walker(change, number, skim).part(document, Place(""))


def rewrite_below(value: Json, spot: Spot, change: Change, number: ChangeNumber) -> Json:
    """Rewrite JSON that was found inside a string at ``spot``."""
    return _Walker(change, number, None).data(value, spot)


class _Walker:
    def __init__(self, change: Change, number: ChangeNumber, skim: Skim | None) -> None:
        self._change = change
        self._number = number
        self._skim = skim
        self._known = _fields()

    def part(self, part: dict[str, Json], place: Place) -> Json:
        """Rewrite one of a session's own models. Keys beyond its fields are data."""
        if self._dull(part):
            return part
        made: dict[str, Json] = {}
        for key, value in part.items():
            known = key in self._known
            new = key if known else self._key(key, _below(place, key), made)
            made[new] = self._field(key, value, place)
        return made

    def _field(self, key: str, value: Json, place: Place) -> Json:
        here = _below(place, key)
        if key in _DATA:
            return self.data(value, Spot(here))
        if key in _GRAMMAR:
            return self._grammar(value, Spot(here))
        if key not in self._known:
            below = names_secret(key) and isinstance(value, dict | list)
            return self.data(value, Spot(here, named=key, below_secret=below))
        if isinstance(value, dict):
            return self.part(value, here)
        if isinstance(value, list):
            return [
                self.part(one, _place_of(one, n, here))
                if isinstance(one, dict)
                else self._text(one, Spot(_below(here, str(n)), number=key in _NUMBERS))
                for n, one in enumerate(value)
            ]
        if (key in _FIXED or (key == "kind" and place.event is None)) and _says_type(value):
            return value
        return self._text(value, Spot(here, number=key in _NUMBERS))

    def _text(self, value: Json, spot: Spot) -> Json:
        return self._change(value, spot) if isinstance(value, str) and not self._dull(value) else value

    def _grammar(self, value: Json, spot: Spot) -> Json:
        if self._dull(value):
            return value
        if isinstance(value, dict):
            made: dict[str, Json] = {}
            for key, one in value.items():
                here = Spot(_below(spot.place, key), named=key, below_secret=names_secret(key))
                new = key if _TYPE.fullmatch(key) else self._key(key, here.place, made)
                made[new] = (self.data if here.below_secret else self._grammar)(one, here)
            return made
        if isinstance(value, list):
            return [
                self._grammar(v, spot._replace(place=_below(spot.place, str(n)))) for n, v in enumerate(value)
            ]
        return self._text(value, spot)

    def data(self, value: Json, spot: Spot) -> Json:
        if not (spot.below_secret or spot.lead or self._tells(spot.named)) and self._dull(value):
            return value
        if isinstance(value, str):
            return self._change(value, spot._replace(number=_is_number(spot.named)))
        if isinstance(value, list):
            told = what_lists_tell(value)
            return [
                self.data(
                    v,
                    Spot(
                        _below(spot.place, str(n)),
                        *told.get(n, (spot.named, "")),
                        spot.below_secret,
                        spot.number,
                    ),
                )
                for n, v in enumerate(value)
            ]
        if isinstance(value, dict):
            return self._mapping(value, spot)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value, spot)
        return value

    def _mapping(self, value: dict[str, Json], spot: Spot) -> Json:
        made: dict[str, Json] = {}
        told = what_pairs_tell(value)
        for key, one in value.items():
            place = _below(spot.place, key)
            named = told.get(key, key)
            below = spot.below_secret or (names_secret(named) and isinstance(one, dict | list))
            new = self._key(key, place, made)
            made[new] = self.data(one, Spot(place, named=named, below_secret=below))
        return made

    def _key(self, key: str, place: Place, taken: Container[str]) -> str:
        """Rewrite a key that is data, so that it differs from those already taken."""
        new = key
        if not self._dull(key):
            new = self._change(key, Spot(place._replace(field=f"{place.field} (key)")))
        n = 1
        while new in taken:
            n += 1
            new = f"{new}_{n}"
        return new

    def _dull(self, value: Json) -> bool:
        return self._skim is not None and self._skim.is_dull(value)

    def _tells(self, key: str) -> bool:
        return self._skim is None or self._skim.tells(key)


def _says_type(value: Json) -> bool:
    return not isinstance(value, str) or _TYPE.fullmatch(value) is not None


def _below(place: Place, name: str) -> Place:
    field, *where = place
    return Place._make((f"{field}.{name}" if field else name, *where))


def _place_of(part: dict[str, Json], n: int, place: Place) -> Place:
    """Return the place of part ``n`` of a list. Variants, runs and events have places of their own."""
    match place:
        case Place("variants"):
            return Place("", variant=str(part.get("id")))
        case Place("runs"):
            return Place("", run=str(part.get("id")))
        case Place("events", run=run) if run is not None:
            step = part.get("step")
            return Place("", run=run, event=n, step=step if isinstance(step, int) else None)
    return _below(place, str(n))


def _is_number(key: str) -> bool:
    return key in _NUMBERS or key.endswith(("_id", "_ids", "fingerprint", "_hash"))


_PAIR_NAME = re.compile(
    r"(?i:.{0,20}(?:name|key|field|variable|header|parameter|option|label|id|column|setting|property|attribute))\Z"
)
_PAIR_VALUE = re.compile(r"(?i:.{0,20}(?:values?|default|content|data|to))\Z")


@lru_cache(maxsize=10_000)
def _pairs(keys: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Yield the keys of an object that may hold a name, each with the keys that would hold its value."""
    values = [key for key in keys if _PAIR_VALUE.match(key)]
    named = [(key, [other for other in values if other != key]) for key in keys if _PAIR_NAME.match(key)]
    return [(key, others) for key, others in named if others]


def what_pairs_tell(value: dict[str, Json]) -> dict[str, str]:
    """Return the names that an object gives to its values, by key: in ``{"name": "API_TOKEN", "value": V}`` V is the
    token.

    A model's log probabilities call pieces of text tokens, too; these are none.
    """
    if "token" in value and "logprob" in value:
        return {"token": ""}
    told: dict[str, str] = {}
    for key, others in _pairs(tuple(value)):
        name = value[key]
        if isinstance(name, str) and len(name) <= 80 and names_secret(name):
            told |= dict.fromkeys(others, name)
    return told


def what_lists_tell(value: list[Json]) -> dict[int, tuple[str, str]]:
    """Return, by index in a list, the name of a value in a pair, and the words of a command before it."""
    first = value[0] if value else None
    if not isinstance(first, str) or len(value) < 2:
        return {}
    if len(value) == 2 and isinstance(value[1], str) and names_secret(first) and not value[1].isalpha():
        return {1: (first, "")}
    if not any(isinstance(one, str) and one.startswith("-") for one in value):
        return {}
    told: dict[int, tuple[str, str]] = {}
    for n, (before, one) in enumerate(pairwise(value), 1):
        if not isinstance(one, str) or one.startswith("--"):
            continue
        if isinstance(before, str) and before.startswith("-") and "=" not in before and names_secret(before):
            told[n] = (before, "")
        else:
            told[n] = ("", " ".join(str(w)[:100] for w in value[max(0, n - 8) : n]) + " ")
    return told
