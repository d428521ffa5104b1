"""Constants of a tool's code and documentation, read without running it. Taint says what they are for."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import CodeType

from planscope.toolfuzz.outcome import ERROR_TEXT

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
        # A tool that is sent its own error text seems to give back what it got.
        if isinstance(value, bool) or (isinstance(value, str) and ERROR_TEXT.match(value)):
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


MOST_LISTED = 12
_QUOTED = re.compile(r"""(?<!\w)'([^'\n]{1,120})'(?!\w)|"([^"\n]{1,120})"|`([^`\n]{1,120})`""")
_LISTED = re.compile(r"(?:such as|one of|e\.g\.|for example|like|:)\s*([\w\-., ]{3,160})", re.I)
_EXAMPLE = re.compile(r"\b(?:such as|e\.g\.|for example|examples?:|example)[,:]?\s*(.{1,160})", re.I)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")


def read_words(text: str, hints: Hints) -> None:
    """Learn from documentation: what is quoted, what is listed after "such as" or a colon, numbers."""
    for one in (*_quoted(text), *(word for match in _LISTED.finditer(text) for word in _listed(match[1]))):
        hints.add(one)
    for number in _NUMBER.findall(text):
        if len(number) <= 18:
            hints.add(float(number) if "." in number else int(number))


def _quoted(text: str) -> list[str]:
    return ["".join(match.groups("")).rstrip(",.") for match in _QUOTED.finditer(text)]


def _listed(text: str) -> list[str]:
    words = (word.strip(" .()") for word in re.split(r",|;|\bor\b|\band\b|\. ", text)[:MOST_LISTED])
    return [word for word in words if 0 < len(word) <= 40]


def examples_of(name: str, schema: object, documentation: str) -> list[object]:
    """Return what the schema of an argument gives as its examples, and the documentation where it tells of it."""
    part = schema if isinstance(schema, Mapping) else {}
    several = part.get("examples")
    found = [*(several if isinstance(several, list) else ()), part.get("example"), part.get("default")]
    own = rf"^\W*(?:param )?{re.escape(name)}\b[^:\n]*:(.*(?:\n[ \t]++(?!\w+ ?[:(]).*)*)"
    for text in (str(part.get("description", "")), *re.findall(own, documentation, re.MULTILINE)):
        for match in _EXAMPLE.finditer(text):
            found += _quoted(match[1]) or _listed(match[1])
    return [one for one in found if one is not None]


def calls_in(documentation: str, tool: str, names: Sequence[str]) -> Iterator[dict[str, object]]:
    """Yield the arguments of a tool's calls in its docstring, such as ``>>> tool("a", number=1)``."""
    for text in re.findall(r">>> *(.+)", documentation):
        with suppress(SyntaxError, ValueError, RecursionError):
            found = ast.parse(text.strip(), mode="eval").body
            if isinstance(found, ast.Call) and ast.unparse(found.func) == tool:
                given = {str(one.arg): one.value for one in found.keywords} | dict(
                    zip(names, found.args, strict=False)
                )
                yield {key: ast.literal_eval(value) for key, value in given.items()}
