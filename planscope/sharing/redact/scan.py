"""Finds what is private in one string: by name, by shape, as personal, as a host, or as known from this machine."""

from __future__ import annotations

import getpass
import os
import re
import socket
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from planscope.safe.secret_names import (
    environment_secrets,
    holds_secret,
    is_count,
    is_value,
    names_secret,
    places_of,
    standing,
)
from planscope.sharing.redact import names, people, shapes
from planscope.sharing.redact.hits import (
    FILLER,
    HOST,
    NAMED,
    PERSONAL,
    Hit,
    RedactionError,
    beside_settled,
    cover,
    is_telling,
    lower,
    settle,
    settled_in,
    words,
)
from planscope.sharing.redact.readings import readings


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is private because of this machine: secrets of the environment (name, value), home, user, hosts.

    Unknown ones are empty.
    """

    values: tuple[tuple[str, str], ...] = ()
    home: str = ""
    user: str = ""
    hosts: tuple[str, ...] = ()

    def hits(self, text: str) -> Iterator[Hit]:
        """Find these values in a text."""
        for name, value in self.values:
            for start, end in places_of(text, value):
                yield Hit(start, end, "environment", f"value of ${name}", NAMED)
        if self.home:
            for start, end in standing(text, self.home, edged=True):
                yield Hit(start, end, "home", "home directory", PERSONAL, edged=True)
        for host in self.hosts:
            for start, end in standing(text, host, edged=True):
                yield Hit(start, end, "host", "host name", HOST, edged=True)


def own(environment: Mapping[str, str] | None = None) -> Surroundings:
    """Return the surroundings of this process."""
    found = os.environ if environment is None else environment
    values = environment_secrets(found)
    home = user = ""
    with suppress(RuntimeError, OSError, KeyError):
        home = str(Path.home())
    with suppress(OSError, KeyError, ImportError):
        user = getpass.getuser()
    with suppress(OSError):
        names = dict.fromkeys([socket.gethostname(), socket.gethostname().partition(".")[0]])
        return Surroundings(
            values,
            home if home.count("/") + home.count("\\") and len(home) > 3 else "",
            "" if user.lower() in words("user", "common") or len(user) < 3 else user,
            tuple(n for n in names if len(n) >= 4 and n.lower() not in words("host", "common")),
        )
    return Surroundings(values, home, user)


_ROUNDS = 4
_LONG = 20_000
"""A text of more characters is scanned once, not in rounds."""

_MOST = 2_000_000
"""Limit of strings whose result is remembered."""

MOST_LOOKED_AT = 8_000_000
"""Limit of characters scanned for one session, which is some seconds of work. Texts with hits are scanned twice."""

_OVERHEAD = 250
"""Scanning a text alone costs as much time as this many additional characters."""

_BATCH = 50_000
"""The number of characters scanned at once."""

_BETWEEN = f"\n{FILLER}\n"
"""Separates joined texts. It ends a word like the end of a text, and no pattern takes it for a blank before a value."""


@dataclass
class Scanner:
    """Scans strings, each once. Raises RedactionError if there is too much to scan.

    ``users`` are known from home directories and searched for in other paths. ``clean``: the strings without a hit.
    """

    around: Surroundings
    users: frozenset[str] = frozenset()
    _memory: dict[tuple[str, str, bool, bool], list[Hit]] = field(default_factory=dict, repr=False)
    clean: set[str] = field(default_factory=set, repr=False)
    _looked_at: int = field(default=0, repr=False)

    def look_ahead(self, texts: Iterable[str]) -> None:
        """Scan many texts joined into one. Most have no hit, and are never scanned again."""
        self._looked_at = 0
        batch: list[tuple[str, str]] = []
        size = 0
        for text in dict.fromkeys(texts):
            if text in self.clean:
                continue
            for reading in readings(text):
                batch.append((reading.text, text))
                size += len(reading.text)
            if size > _BATCH:
                self._look_at(batch)
                batch, size = [], 0
        if batch:
            self._look_at(batch)

    def _look_at(self, batch: list[tuple[str, str]]) -> None:
        """Scan a batch of readings, each with its text. What one contains is also found in the joined text.

        A hit across several texts may hide others, so every text that it touches is scanned alone later.
        """
        starts = [0, *accumulate(len(reading) + len(_BETWEEN) for reading, _ in batch)]
        touched: set[str] = set()
        joined = _BETWEEN.join(reading for reading, _ in batch)
        for hit in self._read(joined, "", False, False):
            first, last = bisect_right(starts, hit.start) - 1, bisect_left(starts, hit.end)
            touched.update(text for _, text in batch[first:last])
        if len(self.clean) >= _MOST:
            self.clean.clear()
        self.clean.update(text for _, text in batch if text not in touched)

    def find(
        self,
        text: str,
        *,
        named: str = "",
        below_secret: bool = False,
        number: bool = False,
        lead: str = "",
    ) -> list[Hit]:
        """Return the hits in a text, in order and without overlaps.

        ``named``: the key of the text in an object; ``below_secret``: it lies below the name of a secret; ``number``:
        it is the id of a message or a call, which looks random; ``lead``: the words of a command before it.
        """
        if lead:
            after = (
                hit._replace(start=hit.start - len(lead), end=hit.end - len(lead))
                for hit in self.find(lead + text)
            )
            own = [hit for hit in after if hit.start >= 0]
            return settle([*own, *self.find(text, named=named, below_secret=below_secret, number=number)])
        key = (text, named, below_secret, number)
        found = self._memory.get(key)
        if found is None:
            if len(self._memory) >= _MOST:
                self._memory.clear()
            found = self._memory[key] = self._look(text, named, below_secret, number)
        return found

    def _look(self, text: str, named: str, below_secret: bool, number: bool) -> list[Hit]:
        """Scan, cover the hits, and scan again: one value may have hidden another.

        In a long text only the rest of a partly covered hit is added.
        """
        if len(text) < 3:
            return []
        if text in self.clean:
            return settle(_by_key(text, named, below_secret)) if named or below_secret else []
        found: list[Hit] = []
        covered = text
        for _ in range(_ROUNDS):
            settled = settled_in(covered)
            hits = list(self._all(covered, named, below_secret, number))
            taken = settle(part for hit in hits for part in beside_settled(hit, settled))
            if not taken:
                break
            found += taken
            if len(text) > _LONG:
                spans = sorted([*settled, *((hit.start, hit.end) for hit in taken)])
                found += settle(part for hit in hits for part in beside_settled(hit, spans))
                break
            covered = cover(covered, taken)
        return sorted(found)

    def _all(self, text: str, named: str, below_secret: bool, number: bool) -> Iterator[Hit]:
        """Yield the hits of all readings of a text, where they stand in it."""
        for reading in readings(text):
            for hit in self._read(reading.text, named, below_secret, number):
                if reading.under is None:
                    yield hit
                else:
                    start, end = reading.written(hit.start, hit.end)
                    yield hit._replace(start=start, end=end, read=reading.text[hit.start : hit.end])

    def _read(self, text: str, named: str, below_secret: bool, number: bool) -> Iterator[Hit]:
        self._looked_at += len(text) + _OVERHEAD
        if self._looked_at > MOST_LOOKED_AT:
            raise RedactionError(
                "the session contains too many different texts to be searched for private data; --no-redact shares it "
                "unchanged"
            )
        lowered = lower(text)
        yield from shapes.shaped(text, lowered)
        if not number:
            yield from shapes.beside_words(text, lowered)
            yield from shapes.random_looking(text)
        yield from names.named(text, lowered)
        yield from self.around.hits(text)
        yield from shapes.found_by_library(text)
        yield from people.personal(text, lowered)
        yield from people.hosts(text, lowered)
        for start, end in people.users_in(text, self.users) if self.users else ():
            yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)
        if named or below_secret:
            yield from _by_key(text, named, below_secret)


@lru_cache(maxsize=1)
def scanner_for(around: Surroundings, users: frozenset[str]) -> Scanner:
    """Return a scanner. The latest one is cached, since a session is usually redacted right after its review."""
    return Scanner(around, users)


def _by_key(text: str, named: str, below_secret: bool) -> Iterator[Hit]:
    """Return the hit that covers the whole value of an object, if its key says so."""
    stripped = text.strip()
    start = text.find(stripped)
    end = start + len(stripped)
    if below_secret or names_secret(named):
        below = (
            below_secret and is_value(stripped) and not stripped.isalpha() and not is_count(named, stripped)
        )
        if below or holds_secret(named, stripped):
            yield Hit(start, end, names.KIND, names.LABEL, NAMED, is_telling(stripped))
    elif named.lower() in words("host", "keys"):
        if people.is_host(stripped):
            yield Hit(start, end, "host", "host name", HOST, strong=len(stripped) >= 6, edged=True)
    elif named.lower() in words("user", "keys") and re.fullmatch(r"[\w.@-]{2,64}", stripped):
        yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)
