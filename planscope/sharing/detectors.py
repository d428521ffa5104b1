"""Every detector over one string: own rules, what surrounds this process, and a library's where it is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from planscope.sharing import assigned, hosts, more_rules, personal, randomness, secret_rules
from planscope.sharing.hits import HOST, NAMED, PERSONAL, Hit, beside_settled, cover, settle, settled_in
from planscope.sharing.surroundings import Surroundings
from planscope.sharing.word_lists import words

_ROUNDS = 4
_MOST = 50_000
"""Strings remembered."""


@dataclass
class Detectors:
    """``users``: names known from home directories, looked for as parts of other paths.

    What is asked again for the same string is answered from memory.
    """

    around: Surroundings
    users: frozenset[str] = frozenset()
    _memory: dict[tuple[str, str, bool, bool], list[Hit]] = field(default_factory=dict, repr=False)

    def find(
        self, text: str, *, named: str = "", below_secret: bool = False, number: bool = False
    ) -> list[Hit]:
        """What is private in a text, without overlaps, in order.

        ``named``: the key under which it stands in a mapping; ``below_secret``: all below is secret; ``number``: it
        is the number of a message or a call, which looks random.
        """
        key = (text, named, below_secret, number)
        found = self._memory.get(key)
        if found is None:
            if len(self._memory) >= _MOST:
                self._memory.clear()
            found = self._memory[key] = self._look(text, named, below_secret, number)
        return found

    def _look(self, text: str, named: str, below_secret: bool, number: bool) -> list[Hit]:
        """Look, cover what was found, and look again: one value may have hidden another."""
        if len(text) < 3:
            return []
        found: list[Hit] = []
        covered = text
        for _ in range(_ROUNDS):
            settled = settled_in(covered)
            hits = settle(
                part
                for hit in self._all(covered, named, below_secret, number)
                for part in beside_settled(hit, settled)
            )
            if not hits:
                break
            found += hits
            covered = cover(covered, hits)
        return sorted(found)

    def _all(self, text: str, named: str, below_secret: bool, number: bool) -> Iterator[Hit]:
        lowered = text.lower()
        yield from secret_rules.shaped(text, lowered)
        if not number:
            yield from secret_rules.beside_words(text, lowered)
            yield from randomness.random_looking(text)
        yield from assigned.assigned(text)
        yield from self.around.hits(text)
        yield from more_rules.found_by_library(text)
        yield from personal.personal(text)
        yield from hosts.hosts(text)
        yield from self._users(text)
        if named or below_secret:
            yield from _by_key(text, named, below_secret)

    def _users(self, text: str) -> Iterator[Hit]:
        for user in self.users:
            if user in text:
                name = re.escape(user)
                for match in re.finditer(
                    rf"(?<=[/\\]){name}(?=[/\\\s\"',:;)]|$)|(?<![\w.-]){name}(?=@)"
                    rf"|(?i:\b(?:user(?:name)?|owner|login)[\"']?\s{{0,2}}[=:]\s{{0,2}}[\"']?)(?P<user>{name})(?![\w-])",
                    text,
                ):
                    start, end = match.span("user") if match["user"] else match.span()
                    yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)


@lru_cache(maxsize=1)
def detectors_for(around: Surroundings, users: frozenset[str]) -> Detectors:
    """The same for the same: who looks a session through mostly redacts it next."""
    return Detectors(around, users)


def _by_key(text: str, named: str, below_secret: bool) -> Iterator[Hit]:
    """What the key of a mapping says about the whole value."""
    stripped = text.strip()
    start = text.find(stripped)
    end = start + len(stripped)
    if below_secret or assigned.names_secret(named):
        if assigned.is_value(text):
            yield Hit(start, end, assigned.KIND, assigned.LABEL, NAMED, assigned.is_telling(stripped))
    elif named.lower() in words("host", "keys"):
        if hosts.is_host(stripped):
            yield Hit(start, end, "host", "host name", HOST, strong=len(stripped) >= 6, edged=True)
    elif named.lower() in words("user", "keys") and re.fullmatch(r"[\w.@-]{2,64}", stripped):
        yield Hit(start, end, "user-name", "user name", PERSONAL, strong=False)
