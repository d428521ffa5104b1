"""Finds what is private in one string: by name, by shape, as personal, as a host, or as known from this machine."""

from __future__ import annotations

import getpass
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from planscope.frozen import frozen
from planscope.safe.secret_names import (
    environment_secrets,
    holds_secret,
    is_count,
    is_value,
    names_secret,
    places_of,
    standing,
)
from planscope.sharing.redact import labels, names, people, shapes
from planscope.sharing.redact.hits import (
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


@frozen
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

MOST_LOOKED_AT = 20_000_000
"""Limit of characters scanned for one session, which is a minute of work. Texts with hits are scanned twice."""

_OVERHEAD = 250
"""Scanning a text costs as much time as this many additional characters."""


@dataclass
class Scanner:
    """Scans strings, each once. Raises RedactionError if there is too much to scan.

    ``users`` are known from home directories and searched for in other paths. ``looked_at``: what it has cost so far.
    """

    around: Surroundings
    users: frozenset[str] = frozenset()
    _memory: dict[tuple[str, str, bool, bool], list[Hit]] = field(default_factory=dict, repr=False)
    looked_at: int = field(default=0, repr=False)

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
        self.looked_at += len(text) + _OVERHEAD
        if self.looked_at > MOST_LOOKED_AT:
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
        return
    what = "" if labels.is_column(named) else labels.kind_of(named)
    if what == labels.HOST and people.is_host(stripped):
        yield Hit(start, end, "host", "host name", HOST, strong=len(stripped) >= 6, edged=True)
    elif what == labels.USER and re.fullmatch(r"[\w.@-]{2,64}", stripped) and people.is_somebody(stripped):
        yield Hit(start, end, "user-name", "user name", PERSONAL, is_telling(stripped), edged=True)
