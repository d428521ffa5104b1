"""Constants of a tool's code and documentation, read without running it. Taint says what they are for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import CodeType

MOST_CONSTANTS = 200
MOST_OF_ONE = 40
"""Constants that are taken of one list, set or dictionary."""

MOST_CODES = 60
"""Functions that are read, the tool's own among them."""


@dataclass
class Hints:
    """Constants of a tool's code and documentation that belong to no argument in particular."""

    strings: list[str] = field(default_factory=list)
    numbers: list[int | float] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)

    def add(self, value: object) -> None:
        if isinstance(value, bool):
            return
        if isinstance(value, str):
            if len(value) <= 200 and value not in self.strings and len(self.strings) < MOST_CONSTANTS:
                self.strings.append(value)
        elif (
            isinstance(value, int | float)
            and value not in self.numbers
            and len(self.numbers) < MOST_CONSTANTS
        ):
            self.numbers.append(value)


def read_function(function: Callable[..., object], hints: Hints) -> None:
    """Learn the constants of a function's code, of the globals that it names, and of functions of its module that it
    names."""
    plain = inspect.unwrap(function)
    plain = getattr(plain, "__func__", plain)
    names: Mapping[str, object] = getattr(plain, "__globals__", {})
    codes = [code] if isinstance(code := getattr(plain, "__code__", None), CodeType) else []
    for code in codes:  # it grows
        for one in (*code.co_consts, *(names[name] for name in code.co_names if name in names)):
            inner = getattr(one, "__code__", None) if _module_of(one) == names.get("__name__") else one
            if isinstance(inner, CodeType) and inner not in codes and len(codes) < MOST_CODES:
                codes.append(inner)
            pattern = one.pattern if isinstance(one, re.Pattern) else None
            if isinstance(pattern, str) and pattern not in hints.patterns:
                hints.patterns.append(pattern)
            if one is not plain.__doc__:
                for constant in _several(one):
                    hints.add(constant)


def _module_of(one: object) -> object:
    return getattr(one, "__module__", None)


def _several(constant: object) -> list[object]:
    """Return the constants in a constant."""
    if isinstance(constant, set | frozenset):
        return sorted(constant, key=repr)[:MOST_OF_ONE]
    several = isinstance(constant, Mapping | list | tuple)
    return list(constant)[:MOST_OF_ONE] if isinstance(constant, Iterable) and several else [constant]


_QUOTED = re.compile(r"""(?<!\w)'([^'\n]{1,120})'(?!\w)|"([^"\n]{1,120})"|`([^`\n]{1,120})`""")
_LISTED = re.compile(r"(?:such as|one of|e\.g\.|for example|like|:)\s*([\w\-., ]{3,160})", re.I)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")


def read_words(text: str, hints: Hints) -> None:
    """Learn from documentation: what is quoted, what is listed after "such as" or a colon, numbers."""
    for match in _QUOTED.finditer(text):
        hints.add(next(group for group in match.groups() if group is not None).rstrip(",."))
    for match in _LISTED.finditer(text):
        for word in re.split(r",|\bor\b|\band\b|\. ", match[1])[:12]:
            word = word.strip(" .")
            if 0 < len(word) <= 40:
                hints.add(word)
    for number in _NUMBER.findall(text):
        if len(number) <= 18:
            hints.add(float(number) if "." in number else int(number))
