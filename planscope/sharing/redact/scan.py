"""Finding what is private in one string: named or shaped so, a person's, a machine's, or of this very machine."""

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


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``values``: name and value of secrets in the environment. Empty texts stand for what is not known."""

    values: tuple[tuple[str, str], ...] = ()
    home: str = ""
    user: str = ""
    hosts: tuple[str, ...] = ()

    def hits(self, text: str) -> Iterator[Hit]:
        """Where any of it stands in a text."""
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
    """The surroundings of this process."""
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
"""Characters of a text that is not looked through a second time."""

_MOST = 2_000_000
"""Strings remembered."""

MOST_LOOKED_AT = 8_000_000
"""Characters that are looked at in one session, its texts once and what holds something again: seconds of work."""

_OVERHEAD = 250
"""A text that is looked at by itself takes as long as so many characters."""

_BATCH = 50_000
"""Characters that are looked through in one go."""

_BETWEEN = f"\n{FILLER}\n"
"""Between two texts: it ends words as the end of a text does, and nothing takes it for a blank before a value."""


@dataclass
class Scanner:
    """``users``: names known from home directories, looked for as parts of other paths.

    What is asked again for the same string is answered from memory. ``clean``: strings that hold nothing. Raises
    RedactionError where there is too much to look at.
    """

    around: Surroundings
    users: frozenset[str] = frozenset()
    _memory: dict[tuple[str, str, bool, bool], list[Hit]] = field(default_factory=dict, repr=False)
    clean: set[str] = field(default_factory=set, repr=False)
    _looked_at: int = field(default=0, repr=False)

    def look_ahead(self, texts: Iterable[str]) -> None:
        """Look through many texts in one go, as if they were one: most hold nothing, and are not looked at again."""
        self._looked_at = 0
        batch: list[str] = []
        size = 0
        for text in dict.fromkeys(texts):
            if text in self.clean:
                continue
            batch.append(text)
            size += len(text)
            if size > _BATCH:
                self._look_at(batch)
                batch, size = [], 0
        if batch:
            self._look_at(batch)

    def _look_at(self, batch: list[str]) -> None:
        """What is in one of the texts is found in all of them together.

        A hit that reaches over several may hide others, so all that it touches are looked at one by one later.
        """
        starts = [0, *accumulate(len(text) + len(_BETWEEN) for text in batch)]
        touched: set[int] = set()
        joined = _BETWEEN.join(batch)
        for hit in self._all(joined, "", False, False):
            touched.update(range(bisect_right(starts, hit.start) - 1, bisect_left(starts, hit.end)))
        if len(self.clean) >= _MOST:
            self.clean.clear()
        self.clean.update(text for n, text in enumerate(batch) if n not in touched)

    def find(
        self,
        text: str,
        *,
        named: str = "",
        below_secret: bool = False,
        number: bool = False,
        lead: str = "",
    ) -> list[Hit]:
        """What is private in a text, without overlaps, in order.

        ``named``: the key under which it stands in a mapping; ``below_secret``: all below is secret; ``number``: it
        is the number of a message or a call, which looks random; ``lead``: words that stand before it.
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
        """Look, cover what was found, and look again: one value may have hidden another.

        In a long text only what was hit in part is looked at again.
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
        self._looked_at += len(text) + _OVERHEAD
        if self._looked_at > MOST_LOOKED_AT:
            raise RedactionError(
                "the session holds too many different texts to be looked through for what is private; with "
                "--no-redact it is shared as it is"
            )
        lowered = lower(text)
        yield from shapes.shaped(text, lowered)
        if not number:
            yield from shapes.beside_words(text, lowered)
            yield from shapes.random_looking(text)
        yield from names.named(text, lowered)
        yield from self.around.hits(text)
        yield from shapes.found_by_library(text)
        yield from people.personal(text)
        yield from people.hosts(text, lowered)
        for start, end in people.users_in(text, self.users) if self.users else ():
            yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)
        if named or below_secret:
            yield from _by_key(text, named, below_secret)


@lru_cache(maxsize=1)
def scanner_for(around: Surroundings, users: frozenset[str]) -> Scanner:
    """The same for the same: who looks a session through mostly redacts it next."""
    return Scanner(around, users)


def _by_key(text: str, named: str, below_secret: bool) -> Iterator[Hit]:
    """What the key of a mapping says about the whole value."""
    stripped = text.strip()
    start = text.find(stripped)
    end = start + len(stripped)
    if below_secret or names_secret(named):
        if len(stripped) >= 3 and is_value(stripped) and not is_count(named, stripped):
            yield Hit(start, end, names.KIND, names.LABEL, NAMED, is_telling(stripped))
    elif named.lower() in words("host", "keys"):
        if people.is_host(stripped):
            yield Hit(start, end, "host", "host name", HOST, strong=len(stripped) >= 6, edged=True)
    elif named.lower() in words("user", "keys") and re.fullmatch(r"[\w.@-]{2,64}", stripped):
        yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)
