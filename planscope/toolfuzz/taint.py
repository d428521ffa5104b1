"""Arguments that tell what a tool does with them: strings, numbers, lists and dictionaries with a node each.

A tainted value behaves like the plain one; what is derived from it (split, strip, slices, ``json.loads``, items)
stays tainted. Comparisons, ``in``, ``startswith``, regular expressions and keys are learned. Findings are confirmed
without taint, so nothing that taint alone causes is reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex

from planscope.toolfuzz.nodes import Node


def taint(value: Any, node: Node) -> object:
    """Return the value with taint. What cannot carry taint (None, bool, other objects) is returned unchanged."""
    kind = type(value)
    if kind is str:
        return TStr(value, node)
    if kind is int:
        return TInt(value, node)
    if kind is float:
        return TFloat(value, node)
    if kind is list:
        return TList(value, node)
    if kind is dict:
        return TDict(value, node)
    fields = getattr(kind, "model_fields", None)
    if fields is not None and hasattr(value, "__pydantic_fields_set__"):
        for name in fields:
            inner = value.__dict__.get(name)
            if inner is not None:
                value.__dict__[name] = taint(inner, node.child(("key", name)))
    return value


def _pairwise(name: str, operation: str) -> Callable[..., Any]:
    plain = getattr(str, name)

    def method(self: TStr, other: object, *more: object) -> object:
        if isinstance(other, str) and type(other) is not TStr:
            self.node.learn(operation, other)
        elif isinstance(other, tuple):
            for one in other:
                self.node.learn(operation, one)
        return plain(self, other, *more)

    method.__name__ = name
    return method


def _same(name: str) -> Callable[..., object]:
    plain = getattr(str, name)

    def method(self: TStr, *arguments: object) -> object:
        return TStr(plain(self, *arguments), self.node.child(("same", name)))

    method.__name__ = name
    return method


def _question(name: str) -> Callable[..., object]:
    plain = getattr(str, name)

    def method(self: TStr) -> object:
        self.node.learn("is", name)
        return plain(self)

    method.__name__ = name
    return method


class TStr(str):
    """A string with taint."""

    node: Node

    def __new__(cls, value: str, node: Node) -> TStr:
        made = str.__new__(cls, value)
        made.node = node
        return made

    __eq__ = _pairwise("__eq__", "eq")
    __ne__ = _pairwise("__ne__", "eq")
    __lt__ = _pairwise("__lt__", "eq")
    __le__ = _pairwise("__le__", "eq")
    __gt__ = _pairwise("__gt__", "eq")
    __ge__ = _pairwise("__ge__", "eq")
    __contains__ = _pairwise("__contains__", "contains")
    find = _pairwise("find", "contains")
    rfind = _pairwise("rfind", "contains")
    index = _pairwise("index", "contains")
    rindex = _pairwise("rindex", "contains")
    count = _pairwise("count", "contains")
    startswith = _pairwise("startswith", "startswith")
    endswith = _pairwise("endswith", "endswith")
    __hash__ = str.__hash__
    for _name in ("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize", "zfill"):
        locals()[_name] = _same(_name)
    for _name in (
        "isdigit",
        "isalpha",
        "isalnum",
        "isnumeric",
        "isdecimal",
        "isspace",
        "isupper",
        "islower",
        "isidentifier",
    ):
        locals()[_name] = _question(_name)
    del _name

    def __reduce__(self) -> Any:
        return str, (str.__str__(self),)

    def __str__(self) -> str:
        return str.__getitem__(self, slice(None))  # plain, since ``sys.intern`` and others take nothing else

    def __int__(self) -> int:
        self.node.child(("int",))
        return int(str.__getitem__(self, slice(None)))

    def __float__(self) -> float:
        self.node.child(("float",))
        return float(str.__getitem__(self, slice(None)))

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        made = str.__getitem__(self, key)
        if isinstance(key, slice):
            if key.step in (None, 1) and (key.start is None or key.start >= 0):
                return TStr(made, self.node.child(("slice", key.start or 0, key.stop)))
            return made
        return TStr(made, self.node.child(("slice", key, None)))

    def replace(self, old: str, new: str, count: SupportsIndex = -1) -> str:
        self.node.learn("contains", old)
        return TStr(str.replace(self, old, new, count), self.node.child(("same", "replace")))

    def removeprefix(self, prefix: str, /) -> str:
        self.node.learn("startswith", prefix)
        return TStr(str.removeprefix(self, prefix), self.node.child(("slice", len(prefix), None)))

    def removesuffix(self, suffix: str, /) -> str:
        self.node.learn("endswith", suffix)
        return TStr(str.removesuffix(self, suffix), self.node.child(("same", "removesuffix")))

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> Any:
        return TList(str.split(self, sep, maxsplit), self.node.child(("split", sep)))

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> Any:
        return TList(str.rsplit(self, sep, maxsplit), self.node.child(("split", sep)))

    def splitlines(self, keepends: bool = False) -> Any:
        return TList(str.splitlines(self, keepends), self.node.child(("split", "\n")))

    def partition(self, sep: str, /) -> Any:
        node = self.node.child(("partition", sep))
        return tuple(TStr(part, node.child(("item", k))) for k, part in enumerate(str.partition(self, sep)))

    def rpartition(self, sep: str, /) -> Any:
        node = self.node.child(("partition", sep))
        return tuple(TStr(part, node.child(("item", k))) for k, part in enumerate(str.rpartition(self, sep)))


def _compared(kind: type, name: str, operation: str) -> Callable[..., Any]:
    plain = getattr(kind, name)

    def method(self: Any, other: object) -> object:
        if type(other) is int or type(other) is float:
            self.node.learn(operation, other)
        return plain(self, other)

    method.__name__ = name
    return method


class TInt(int):
    """A whole number with taint."""

    node: Node

    def __new__(cls, value: int, node: Node) -> TInt:
        made = int.__new__(cls, value)
        made.node = node
        return made

    __eq__ = _compared(int, "__eq__", "eq")
    __ne__ = _compared(int, "__ne__", "eq")
    __lt__ = _compared(int, "__lt__", "cmp")
    __le__ = _compared(int, "__le__", "cmp")
    __gt__ = _compared(int, "__gt__", "cmp")
    __ge__ = _compared(int, "__ge__", "cmp")
    __hash__ = int.__hash__

    def __reduce__(self) -> Any:
        return int, (int.__int__(self),)

    def _derived(self, made: object, step: str, other: object) -> Any:
        if type(made) is int and type(other) is int:
            return TInt(made, self.node.child((step, other)))
        return made

    def __add__(self, other: int) -> int:
        return self._derived(int.__add__(self, other), "add", other)  # type: ignore[no-any-return]

    def __radd__(self, other: int) -> int:
        return self._derived(int.__radd__(self, other), "add", other)  # type: ignore[no-any-return]

    def __sub__(self, other: int) -> int:
        return self._derived(int.__sub__(self, other), "add", -other if type(other) is int else other)  # type: ignore[no-any-return]

    def __mul__(self, other: int) -> int:
        return self._derived(int.__mul__(self, other), "mul", other)  # type: ignore[no-any-return]

    def __mod__(self, other: int) -> int:
        return self._derived(int.__mod__(self, other), "mod", other)  # type: ignore[no-any-return]

    def __floordiv__(self, other: int) -> int:
        return self._derived(int.__floordiv__(self, other), "floordiv", other)  # type: ignore[no-any-return]

    def __rtruediv__(self, other: int) -> float:
        self.node.learn("cmp", 0)
        return int.__rtruediv__(self, other)

    def __rfloordiv__(self, other: int) -> int:
        self.node.learn("cmp", 0)
        return int.__rfloordiv__(self, other)

    def __rmod__(self, other: int) -> int:
        self.node.learn("cmp", 0)
        return int.__rmod__(self, other)


class TFloat(float):
    """A number with taint."""

    node: Node

    def __new__(cls, value: float, node: Node) -> TFloat:
        made = float.__new__(cls, value)
        made.node = node
        return made

    __eq__ = _compared(float, "__eq__", "eq")
    __ne__ = _compared(float, "__ne__", "eq")
    __lt__ = _compared(float, "__lt__", "cmp")
    __le__ = _compared(float, "__le__", "cmp")
    __gt__ = _compared(float, "__gt__", "cmp")
    __ge__ = _compared(float, "__ge__", "cmp")
    __hash__ = float.__hash__

    def __reduce__(self) -> Any:
        return float, (float.__float__(self),)

    def __rtruediv__(self, other: float) -> float:
        self.node.learn("cmp", 0)
        return float.__rtruediv__(self, other)


class TList(list[Any]):
    """A list with taint; an item gets its own when the tool takes it."""

    def __init__(self, values: Iterable[object], node: Node) -> None:
        self.node = node
        super().__init__(values)

    def __reduce__(self) -> Any:
        return list, (list(self),)

    def _taken(self, at: int) -> object:
        made = list.__getitem__(self, at)
        if type(made) in _CARRIERS:
            made = taint(made, self.node.child(("item", at) if -2 <= at < 4 else ("each",)))
            list.__setitem__(self, at, made)
        return made

    def __getitem__(self, key: Any) -> Any:
        if type(key) is not int:
            return list.__getitem__(self, key)
        self.node.child(("item", key))
        return self._taken(key)

    def __iter__(self) -> Iterator[object]:
        self.node.child(("each",))
        at = 0
        while at < len(self):
            yield self._taken(at)
            at += 1

    def __contains__(self, one: object) -> bool:
        self.node.child(("each",)).learn("eq", one)
        return list.__contains__(self, one)


class TDict(dict[Any, Any]):
    """A dictionary with taint. The keys that a tool asks for are learned, found or not; no others are."""

    def __init__(self, values: dict[object, object], node: Node) -> None:
        self.node = node
        super().__init__(values)

    def __reduce__(self) -> Any:
        return dict, (dict(self),)

    def _asked(self, key: object) -> None:
        if not isinstance(key, str):
            return
        child = self.node.child(("key", key))
        made = dict.get(self, key)
        if type(made) in _CARRIERS:
            dict.__setitem__(self, key, taint(made, child))

    def __getitem__(self, key: Any) -> Any:
        self._asked(key)
        return dict.__getitem__(self, key)

    def __contains__(self, key: object) -> bool:
        self._asked(key)
        return dict.__contains__(self, key)

    def get(self, key: Any, default: Any = None) -> object:
        self._asked(key)
        return dict.get(self, key, default)

    def pop(self, key: Any, *default: Any) -> object:
        self._asked(key)
        return dict.pop(self, key, *default)


_CARRIERS = (str, int, float, list, dict)


def length(value: Any) -> int:
    """``len`` that keeps the taint; it stands for ``len`` in the modules of the tool."""
    node = getattr(value, "node", None) if isinstance(value, TStr | TList | TDict) else None
    found = len(value)
    return TInt(found, node.child(("len",))) if node is not None else found


def _loads(text: Any, *arguments: Any, **options: Any) -> object:
    node = text.node.child(("json",)) if isinstance(text, TStr) else None
    made = _PLAIN_LOADS(text, *arguments, **options)
    return made if node is None or options else taint(made, node)


def _with_pattern(function: Callable[..., object]) -> Callable[..., object]:
    def call(pattern: object, *arguments: object, **options: object) -> object:
        text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
        for one in arguments:
            if isinstance(one, TStr):
                one.node.learn("regex", text)
        return function(pattern, *arguments, **options)

    call.__name__ = function.__name__
    return call


_PLAIN_LOADS = json.loads
_REGEX = ("match", "search", "fullmatch", "findall", "finditer", "split", "sub", "subn")


def watch(modules: Iterable[dict[str, object]]) -> None:
    """Replace ``len``, ``json.loads`` and the functions of ``re`` by ones that keep taint. For a child process only.

    ``modules``: the namespaces of the tool's own modules.
    """
    replaced = {id(_PLAIN_LOADS): _loads}
    setattr(json, "loads", _loads)  # noqa: B010
    for name in _REGEX:
        plain = getattr(re, name)
        replaced[id(plain)] = made = _with_pattern(plain)
        setattr(re, name, made)
    for names in modules:
        names.setdefault("len", length)
        for name, value in list(names.items()):
            if id(value) in replaced:
                names[name] = replaced[id(value)]
