"""What is private of the very machine that shares: secrets in its environment, its user, its home, its name."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from planscope.safe.secret_names import environment_secrets, places_of, standing
from planscope.sharing.hits import HOST, NAMED, PERSONAL, Hit
from planscope.sharing.word_lists import words


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
