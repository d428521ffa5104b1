"""What is private of the very machine that shares: secrets in its environment, its user, its home, its name."""

from __future__ import annotations

import getpass
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from planscope.sharing.assigned import is_value, names_secret
from planscope.sharing.hits import HOST, NAMED, PERSONAL, Hit
from planscope.sharing.word_lists import words

_NAME_ENDS = re.compile(r"(?i:(?:^|_)(?:auth|creds?|key|keys|dsn|pat|webhook)$|_url$|connection)")
_SHORTEST = 6


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
            for start in _places(text, value, edged=value.isalnum() and len(value) < 16):
                yield Hit(start, start + len(value), "environment", f"value of ${name}", NAMED)
        if self.home:
            for start in _places(text, self.home, edged=True):
                yield Hit(start, start + len(self.home), "home", "home directory", PERSONAL, edged=True)
        for host in self.hosts:
            for start in _places(text, host, edged=True):
                yield Hit(start, start + len(host), "host", "host name", HOST, edged=True)


def _places(text: str, value: str, *, edged: bool) -> Iterator[int]:
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not edged or not (_in_word(before) or _in_word(after)):
            yield start
        start = text.find(value, end)


def _in_word(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


def own(environment: Mapping[str, str] | None = None) -> Surroundings:
    """The surroundings of this process."""
    found = os.environ if environment is None else environment
    values = {}
    for name, value in sorted(found.items()):
        if (names_secret(name) or _NAME_ENDS.search(name)) and _is_secret(name, value):
            values[name] = value
    home = user = ""
    with suppress(RuntimeError, OSError, KeyError):
        home = str(Path.home())
    with suppress(OSError, KeyError, ImportError):
        user = getpass.getuser()
    with suppress(OSError):
        names = dict.fromkeys([socket.gethostname(), socket.gethostname().partition(".")[0]])
        return Surroundings(
            tuple(values.items()),
            home if home.count("/") + home.count("\\") and len(home) > 3 else "",
            "" if user.lower() in words("user", "common") or len(user) < 3 else user,
            tuple(n for n in names if len(n) >= 4 and n.lower() not in words("host", "common")),
        )
    return Surroundings(tuple(values.items()), home, user)


def _is_secret(name: str, value: str) -> bool:
    """No path, no switch, no word that anybody writes; of an address, only one that holds a login."""
    if len(value) < _SHORTEST or not is_value(value) or value.startswith(("/", "~", "./")) or value.isdigit():
        return False
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", value):
        return "@" in value or "hooks." in value
    if value.isalpha() and (value.islower() or value.isupper()):
        return len(value) >= 12
    return not re.fullmatch(r"[A-Za-z]:\\.*", value)
