"""Arguments that tell what a tool does with them: strings, numbers, lists and dictionaries with a node each.

A tainted value behaves like the plain one; what is derived from it (split, strip, slices, ``json.loads``, items)
stays tainted. Comparisons, ``in``, ``startswith``, regular expressions and keys are learned. Findings are confirmed
without taint, so nothing that taint alone causes is reported.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex

from planscope.toolfuzz.lookups import look_up
from planscope.toolfuzz.nodes import Node


def taint(value: object, node: Node) -> object:
    """Return the value with taint. What cannot carry taint (None, bool, other objects) is returned unchanged."""
    carrier = _CARRIERS.get(type(value))
    if carrier is not None:
        return carrier(value, node)
    fields = getattr(type(value), "model_fields", None)
    if fields is not None and hasattr(value, "__pydantic_fields_set__"):
        for name in fields:
            inner = value.__dict__.get(name)
            if inner is not None:
                value.__dict__[name] = taint(inner, node.child(("key", name)))
    return value


Method = Callable[..., object]


def _asks(plain: Method, operation: str) -> Method:
    """Learn the texts that a text is compared with."""

    def method(self: TStr, *given: object) -> object:
        for one in given[0] if isinstance(given[0], tuple) else given[:1]:
            if isinstance(one, str) and type(one) is not TStr:
                self.node.learn(operation, one)
        return plain(self, *given)

    return method


def _same(plain: Method, name: str) -> Method:
    """Learn that the tool looks at the text in another form."""
    return lambda self, *given: TStr(plain(self, *given), self.node.child(("same", name)))


def _question(plain: Method, name: str) -> Method:
    """Learn that the tool asks for letters of a sort."""

    def method(self: TStr) -> object:
        self.node.learn("is", name)
        return plain(self)

    return method


def _parts(plain: Method, step: str) -> Method:
    """Learn that the tool takes the text apart."""

    def method(self: TStr, sep: object = None, *given: object, **more: object) -> object:
        node = self.node.child((step, sep))
        made = plain(self, sep, *given, **more)
        if isinstance(made, list):
            return TList(made, node)
        assert isinstance(made, tuple)
        return tuple(TStr(part, node.child(("item", k))) for k, part in enumerate(made))

    return method


def _compared(plain: Method, operation: str) -> Method:
    """Learn what a value that is no text is compared with: numbers, and texts that it should equal."""

    def method(self: TInt | TFloat | TList | TDict, other: object) -> object:
        if type(other) in (int, float) or (operation == "eq" and type(other) is str):
            self.node.learn(operation, other)
        return plain(self, other)

    return method


def _divides(plain: Method, operation: str) -> Method:
    """Learn that the tool divides by the number."""

    def method(self: TInt | TFloat, other: object) -> object:
        self.node.learn("cmp", 0)
        return plain(self, other)

    return method


def _derived(plain: Method, step: str) -> Method:
    """Learn what the tool computes from the number."""

    def method(self: TInt, other: object) -> object:
        made = plain(self, other)
        if type(made) is not int or type(other) is not int:
            return made
        child = (step, other) if step != "sub" else ("add", -other)
        return TInt(made, self.node.child(child))

    return method


def _missing(self: Any, name: str) -> object:
    """Learn the type that the tool takes a value for, by the attribute that it asks for."""
    plain = type(self).__mro__[1]
    for kind in (dict, list, str) if name != "node" else ():
        if hasattr(kind, name):
            self.node.learn("type", kind.__name__)
    raise AttributeError(f"{plain.__name__!r} object has no attribute {name!r}", name=name, obj=self)


_TEXT: dict[str, tuple[Callable[[Method, str], Method], str]] = {
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__": (_asks, "eq"),
    "__contains__ find rfind index rindex count": (_asks, "contains"),
    "startswith": (_asks, "startswith"),
    "endswith": (_asks, "endswith"),
    "strip lstrip rstrip lower upper casefold title capitalize zfill": (_same, ""),
    "isdigit isalpha isalnum isnumeric isdecimal isspace isupper islower isidentifier": (_question, ""),
    "split rsplit": (_parts, "split"),
    "partition rpartition": (_parts, "partition"),
}
_EQUALS: dict[str, tuple[Callable[[Method, str], Method], str]] = {"__eq__ __ne__": (_compared, "eq")}
_COMPARED: dict[str, tuple[Callable[[Method, str], Method], str]] = {
    **_EQUALS,
    "__lt__ __le__ __gt__ __ge__": (_compared, "cmp"),
    "__rtruediv__": (_divides, ""),
}
_NUMBER: dict[str, tuple[Callable[[Method, str], Method], str]] = {
    **_COMPARED,
    "__rfloordiv__ __rmod__": (_divides, ""),
    "__add__ __radd__": (_derived, "add"),
    "__sub__": (_derived, "sub"),
    "__mul__": (_derived, "mul"),
    "__mod__": (_derived, "mod"),
    "__floordiv__": (_derived, "floordiv"),
}
"""What each method of a plain type tells, by the names of the methods."""


def _methods(kind: type, table: dict[str, tuple[Callable[[Method, str], Method], str]]) -> dict[str, Method]:
    found = {}
    for names, (make, operation) in table.items():
        for name in names.split():
            found[name] = made = make(getattr(kind, name), operation or name)
            made.__name__ = name
    return found


class TStr(str):
    """A string with taint."""

    node: Node
    __getattr__ = _missing

    def __hash__(self) -> int:
        look_up(self.node, inspect.currentframe())
        return str.__hash__(self)

    locals().update(_methods(str, _TEXT))

    def __new__(cls, value: object, node: Node) -> TStr:
        made = str.__new__(cls, value)
        made.node = node
        return made

    def __reduce__(self) -> tuple[object, ...]:
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
        if not isinstance(key, slice):
            return TStr(made, self.node.child(("slice", key, None)))
        if key.step in (None, 1) and (key.start is None or key.start >= 0):
            return TStr(made, self.node.child(("slice", key.start or 0, key.stop)))
        return made

    def replace(self, old: str, new: str, count: SupportsIndex = -1) -> str:
        self.node.learn("contains", old)
        return TStr(str.replace(self, old, new, count), self.node.child(("same", "replace")))

    def removeprefix(self, prefix: str, /) -> str:
        self.node.learn("startswith", prefix)
        return TStr(str.removeprefix(self, prefix), self.node.child(("slice", len(prefix), None)))

    def removesuffix(self, suffix: str, /) -> str:
        self.node.learn("endswith", suffix)
        return TStr(str.removesuffix(self, suffix), self.node.child(("same", "removesuffix")))

    def splitlines(self, keepends: bool = False) -> list[str]:
        return TList(str.splitlines(self, keepends), self.node.child(("split", "\n")))


class TInt(int):
    """A whole number with taint."""

    node: Node
    __getattr__ = _missing

    def __hash__(self) -> int:
        look_up(self.node, inspect.currentframe())
        return int.__hash__(self)

    locals().update(_methods(int, _NUMBER))

    def __new__(cls, value: int, node: Node) -> TInt:
        made = int.__new__(cls, value)
        made.node = node
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return int, (int.__int__(self),)


class TFloat(float):
    """A number with taint."""

    node: Node
    __getattr__ = _missing
    __hash__ = float.__hash__
    locals().update(_methods(float, _COMPARED))

    def __new__(cls, value: float, node: Node) -> TFloat:
        made = float.__new__(cls, value)
        made.node = node
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return float, (float.__float__(self),)


class TList(list[Any]):
    """A list with taint; an item gets its own when the tool takes it."""

    __getattr__ = _missing

    def __init__(self, values: Iterable[object], node: Node) -> None:
        self.node = node
        super().__init__(values)

    def __reduce__(self) -> tuple[object, ...]:
        return list, (list(self),)

    locals().update(_methods(list, _EQUALS))

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

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)

    locals().update(_methods(dict, _EQUALS))

    def _asked(self, key: object) -> None:
        if not isinstance(key, str):
            return
        child = self.node.child(("key", key))
        made = dict.get(self, key)
        if type(made) in _CARRIERS:
            dict.__setitem__(self, key, taint(made, child))

    def __getitem__(self, key: object) -> Any:
        self._asked(key)
        return dict.__getitem__(self, key)

    def __contains__(self, key: object) -> bool:
        self._asked(key)
        return dict.__contains__(self, key)

    def get(self, key: object, default: object = None) -> object:
        """An empty default carries taint, too: what is asked of it would be asked of the value."""
        self._asked(key)
        made = dict.get(self, key, default)
        if made is default and type(made) is dict and not made and isinstance(key, str):
            return TDict({}, self.node.child(("key", key)))
        return made

    def pop(self, key: object, *default: object) -> object:
        self._asked(key)
        return dict.pop(self, key, *default)


_CARRIERS: dict[type, Callable[[Any, Node], object]] = {
    str: TStr, int: TInt, float: TFloat, list: TList, dict: TDict
}  # fmt: skip


def length(value: Any) -> int:
    """``len`` that keeps the taint; it stands for ``len`` in the modules of the tool."""
    node = getattr(value, "node", None) if isinstance(value, TStr | TList | TDict) else None
    found = len(value)
    return TInt(found, node.child(("len",))) if node is not None else found


def _loads(text: str, *arguments: object, **options: Any) -> object:
    node = text.node.child(("json",)) if isinstance(text, TStr) else None
    made: object = _PLAIN_LOADS(str(text) if node is not None else text, *arguments, **options)
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


def _dated(text: object, form: object = "") -> object:
    if isinstance(text, TStr):
        text.node.learn("strptime", form)
    return _PLAIN_STRPTIME(text, form)


_PLAIN_LOADS = json.loads
_DATES = vars(importlib.import_module("_strptime"))
_PLAIN_STRPTIME = _DATES["_strptime"]
_REGEX = ("match", "search", "fullmatch", "findall", "finditer", "split", "sub", "subn")


def watch(modules: Iterable[dict[str, object]]) -> None:
    """Replace ``len``, ``json.loads`` and the functions of ``re`` by ones that keep taint, and ``strptime`` by one that
    tells its format. For a child process only.

    ``modules``: the namespaces of the tool's own modules.
    """
    replaced = {id(_PLAIN_LOADS): _loads}
    vars(json)["loads"] = _loads
    _DATES["_strptime"] = _dated
    for name in _REGEX:
        plain = getattr(re, name)
        replaced[id(plain)] = made = _with_pattern(plain)
        setattr(re, name, made)
    for names in modules:
        names.setdefault("len", length)
        for name, value in list(names.items()):
            if id(value) in replaced:
                names[name] = replaced[id(value)]
