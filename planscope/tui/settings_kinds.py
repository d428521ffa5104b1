"""What a setting can be: each kind reads what TOML or JSON gives, and says in one line why something is none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from planscope.safe import visible

MOST_SHARE = 100_000


class Kind:
    """The base of all kinds. ``late``: what is needed to read one is not imported before the first frame."""

    late: ClassVar[bool] = False

    def read(self, value: object) -> Any:
        """The value, checked. Raises ``ValueError`` with one line, which continues the setting's name."""
        raise NotImplementedError

    @property
    def allowed(self) -> str:
        """What it takes, in a few words."""
        raise NotImplementedError


class Flag(Kind):
    def read(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError(f"has to be true or false, not {said(value)}")
        return value

    @property
    def allowed(self) -> str:
        return "true or false"


class Whole(Kind):
    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def read(self, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise ValueError(f"has to be {self.allowed}, not {said(value)}")
        return value

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.low} to {self.high}"


class Choice(Kind):
    def __init__(self, *names: str) -> None:
        self.names = names

    def read(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.names:
            raise ValueError(f"has to be {self.allowed}, not {said(value)}{hint(value, self.names)}")
        return value

    @property
    def allowed(self) -> str:
        return " or ".join((", ".join(self.names[:-1]), self.names[-1]))


class Agent(Choice):
    """One of ours, or a factory of the user's own; nothing is imported to find out whether that is there."""

    def read(self, value: object) -> str:
        if isinstance(value, str) and _FACTORY.fullmatch(value):
            return value
        return Choice.read(self, value)

    @property
    def allowed(self) -> str:
        return ", ".join((*self.names, "or package.module:factory"))


class Model(Kind):
    """As ``--model`` takes it. Whether it is ready (its package, its key) is found out when it is used."""

    late = True

    def read(self, value: object) -> str:
        from planscope.agents.models import parse_model
        from planscope.errors import UserError

        if not isinstance(value, str):
            raise ValueError(f"has to be {self.allowed}, not {said(value)}")
        try:
            return parse_model(value).text
        except UserError as error:
            raise ValueError(f"is no model: {visible(str(error), limit=200)}") from None

    @property
    def allowed(self) -> str:
        return "a model, such as sim:careful or openai:gpt-4o-mini"


class ThemeName(Kind):
    """A theme's name; whether there is one is for whoever has read the themes."""

    def read(self, value: object) -> str:
        if not isinstance(value, str) or not value or len(value) > 60:
            raise ValueError(f"has to be the name of a theme, not {said(value)}")
        return value

    @property
    def allowed(self) -> str:
        return "the name of a theme (planscope themes)"


class Shares(Kind):
    """How a length is divided."""

    def __init__(self, count: int) -> None:
        self.count = count

    def read(self, value: object) -> tuple[int, ...]:
        if not isinstance(value, (list, tuple)) or len(value) != self.count or not all(map(_share, value)):
            raise ValueError(f"has to be {self.allowed}, not {said(value)}")
        return tuple(value)

    @property
    def allowed(self) -> str:
        return f"a list of {self.count} whole numbers from 1 on (shares)"


class Panes(Kind):
    """Panes by their names; at least one of those that cannot all be missing is not among them."""

    def __init__(self, names: tuple[str, ...], needed: tuple[str, ...]) -> None:
        self.names = names
        self.needed = needed

    def read(self, value: object) -> frozenset[str]:
        if not isinstance(value, (list, tuple, frozenset)):
            raise ValueError(f"has to be {self.allowed}, not {said(value)}")
        for one in value:
            if not isinstance(one, str) or one not in self.names:
                raise ValueError(f"has to be {self.allowed}; there is no {said(one)}{hint(one, self.names)}")
        if not set(self.needed) - set(value):
            raise ValueError("hides every pane; one has to stay")
        return frozenset(value)

    @property
    def allowed(self) -> str:
        return f"a list of some of {', '.join(self.names)}"


_FACTORY = re.compile(r"[A-Za-z_][\w.]{0,200}:[A-Za-z_][\w.]{0,100}")


def _share(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_SHARE


def said(value: object) -> str:
    """A value for an error, cut where it is long."""
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return visible(text, limit=50)


def hint(value: object, names: Iterable[str]) -> str:
    """The nearest of the names, if one is near."""
    from difflib import get_close_matches

    near = get_close_matches(value[:60], list(names), n=1) if isinstance(value, str) else []
    return f"; nearest: '{near[0]}'" if near else ""


def toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (tuple, list, frozenset)):
        items = sorted(value) if isinstance(value, frozenset) else value
        return f"[{', '.join(map(toml, items))}]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
