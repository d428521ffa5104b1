"""Walks through a session's JSON: finds every string with its place, and rewrites strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from planscope.safe.secret_names import names_secret
from planscope.session import model
from planscope.sharing.redact.hits import RedactionError
from planscope.sharing.redact.spellings import decoded

Json = Any

DEEPEST = 3
"""The number of levels of JSON inside strings of JSON that are read."""

MOST_DECODED = 500_000
"""Limit of values in all JSON inside strings. No real session has more."""


def strings(document: Json) -> dict[str, None]:
    """Return every string, key and number of a document once, also those inside strings of JSON.

    Raises RedactionError if these hold more than ``MOST_DECODED`` values.
    """
    found: dict[str, None] = {}
    rest: list[tuple[Json, int]] = [(document, 0)]
    inside = 0
    while rest:
        one, depth = rest.pop()
        if isinstance(one, dict):
            rest += [(each, depth) for pair in one.items() for each in pair]
        elif isinstance(one, list):
            rest += [(each, depth) for each in one]
        inside += depth > 0
        if inside > MOST_DECODED:
            raise RedactionError(
                f"the texts of the session contain more than {MOST_DECODED:,} JSON values, too many to be searched; "
                "--no-redact shares it unchanged"
            )
        if isinstance(one, str) and one not in found and depth < DEEPEST:
            rest += [(each, depth + 1) for each in decoded(one)]
        if one is not None and not isinstance(one, dict | list | bool):
            found[str(one)] = None
    return found


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

    parts = (one for one in vars(model).values() if isinstance(one, type))
    return frozenset(name for part in parts for name in getattr(part, "model_fields", ()))


def rewrite(document: Json, change: Change, number: ChangeNumber) -> Json:
    """Rewrite a session's JSON: ``change`` rewrites strings and keys that are data, ``number`` numbers in data.

    Types of events and the like stay.
    """
    return _Walker(change, number).part(document, Place(""))


def rewrite_below(value: Json, spot: Spot, change: Change, number: ChangeNumber) -> Json:
    """Rewrite JSON that was found inside a string at ``spot``."""
    return _Walker(change, number).data(value, spot)


class _Walker:
    def __init__(self, change: Change, number: ChangeNumber) -> None:
        self._change = change
        self._number = number
        self._known = _fields()

    def part(self, part: dict[str, Json], place: Place) -> Json:
        """Rewrite one of a session's own models. Keys beyond its fields are data."""
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
        return self._change(value, spot) if isinstance(value, str) else value

    def _grammar(self, value: Json, spot: Spot) -> Json:
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
        new = self._change(key, Spot(place._replace(field=f"{place.field} (key)")))
        n = 1
        while new in taken:
            n += 1
            new = f"{new}_{n}"
        return new


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
