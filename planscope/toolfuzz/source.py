"""Reads what a tool does with its arguments from its source and its documentation, without running it.

An abstract walk over the syntax tree: each expression that is derived from an argument has a :class:`Node`. What the
walk does not understand it skips; taint learns it while the tool runs.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from planscope.toolfuzz.nodes import Knowledge, Node

DEEPEST_CALL = 3
MOST_CONSTANTS = 200
SAME = frozenset(
    (
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "casefold",
        "title",
        "capitalize",
        "swapcase",
        "expandtabs",
        "copy",
        "zfill",
        "ljust",
        "rjust",
        "replace",
    )
)
THROUGH = frozenset(
    (
        "str",
        "list",
        "tuple",
        "set",
        "frozenset",
        "sorted",
        "reversed",
        "dict",
        "iter",
        "next",
        "enumerate",
        "StringIO",
        "BytesIO",
        "Path",
    )
)
REGEX = frozenset(
    (
        "match",
        "search",
        "fullmatch",
        "findall",
        "finditer",
        "split",
        "sub",
        "subn",
        "compile",
    )
)
MISSING: Any = object()


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


def source_tree(function: Callable[..., object]) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the syntax tree of a function, or None if there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError, IndentationError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return node
    return None


def read_function(function: Callable[..., object], knowledge: Knowledge, hints: Hints) -> None:
    """Learn from a function's source; its parameters are the arguments of the tool."""
    function = inspect.unwrap(function)
    plain = getattr(function, "__func__", function)
    tree = source_tree(plain)
    if tree is None:
        return
    owner = getattr(function, "__self__", None)
    names = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
    given: dict[str, Node] = {name: knowledge.node(name) for name in names if name not in ("self", "cls")}
    _Walk(getattr(plain, "__globals__", {}), hints, owner, _closed_over(plain)).function(tree, given)


def _closed_over(function: Any) -> dict[str, object]:
    try:
        return dict(inspect.getclosurevars(function).nonlocals)
    except (TypeError, ValueError):
        return {}


class _Walk:
    def __init__(
        self,
        names: Mapping[str, object],
        hints: Hints,
        owner: object,
        closed: Mapping[str, object],
        depth: int = 0,
    ) -> None:
        self._globals, self._hints, self._owner, self._depth = names, hints, owner, depth
        self._closed = closed
        self._nodes: dict[str, Node] = {}
        self._constants: dict[str, object] = {}
        self._local: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}

    def function(self, tree: ast.FunctionDef | ast.AsyncFunctionDef, given: Mapping[str, Node]) -> None:
        self._nodes.update(given)
        body = tree.body
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        for statement in body:
            self._statement(statement)

    def _statement(self, one: ast.stmt) -> None:
        match one:
            case ast.Assign(targets=targets, value=value):
                node = self._value(value)
                for target in targets:
                    self._bind(target, node, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._bind(target, self._value(value), value)
            case ast.For(target=target, iter=iterated) | ast.AsyncFor(target=target, iter=iterated):
                self._bind_each(target, iterated)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._local[name] = one
            case ast.Match(subject=subject):
                self._match(self._value(subject), one)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        bound = isinstance(one, ast.Assign | ast.AnnAssign)
        for child in ast.iter_child_nodes(one):
            if isinstance(child, ast.stmt):
                self._statement(child)
            elif isinstance(child, ast.ExceptHandler | ast.match_case):
                for inner in child.body:
                    self._statement(inner)
            elif isinstance(child, ast.withitem):
                node = self._value(child.context_expr)
                if child.optional_vars is not None:
                    self._bind(child.optional_vars, node, child.context_expr)
            elif isinstance(child, ast.expr) and not bound:
                self._value(child)

    def _match(self, node: Node | None, one: ast.Match) -> None:
        for case in one.cases:
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchValue) and node is not None:
                    self._fact(node, "eq", self._constant(pattern.value))

    def _bind(self, target: ast.expr, node: Node | None, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            constant = self._constant(value)
            self._constants.pop(target.id, None)
            if node is not None:
                self._nodes[target.id] = node
            elif constant is not MISSING:
                self._nodes.pop(target.id, None)
                self._constants[target.id] = constant
        elif isinstance(target, ast.Tuple | ast.List) and node is not None:
            node.learn("parts", len(target.elts))
            for k, one in enumerate(target.elts):
                if not isinstance(one, ast.Starred):
                    self._bind(one, node.child(("item", k)), value)

    def _bind_each(self, target: ast.expr, iterated: ast.expr) -> None:
        node = self._value(iterated)
        if node is None:
            return
        of = iterated.func if isinstance(iterated, ast.Call) else None
        each = node.child(("each",))
        if isinstance(of, ast.Attribute) and of.attr == "items" and isinstance(target, ast.Tuple):
            self._bind(target.elts[-1], node.child(("values",)), iterated)
        elif isinstance(of, ast.Name) and of.id == "enumerate" and isinstance(target, ast.Tuple):
            self._bind(target.elts[-1], each, iterated)
        else:
            self._bind(target, each, iterated)

    def _constant(self, one: ast.expr | None) -> object:
        """Return the constant value of an expression, or MISSING."""
        if one is None:
            return MISSING
        try:
            return ast.literal_eval(one)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            pass
        if isinstance(one, ast.Name):
            for names in (self._constants, self._closed, self._globals):
                if one.id in names:
                    found = names[one.id]
                    return MISSING if isinstance(found, FunctionType | type | ModuleType) else found
        if isinstance(one, ast.Attribute):
            if isinstance(one.value, ast.Name) and one.value.id == "self" and self._owner is not None:
                return inspect.getattr_static(self._owner, one.attr, MISSING)
            if isinstance(one.value, ast.Name):
                holder = self._globals.get(one.value.id)
                if isinstance(holder, type) and issubclass(holder, enum.Enum):
                    return getattr(holder.__members__.get(one.attr), "value", MISSING)
        return MISSING

    def _fact(self, node: Node, operation: str, constant: object) -> None:
        if constant is MISSING:
            return
        values: Iterator[object] = iter((constant,))
        if isinstance(constant, Mapping | list | tuple | set | frozenset):
            values = iter(list(constant)[:40])
        for one in values:
            if isinstance(one, str | int | float | None):
                node.learn(operation, one)

    def _value(self, one: ast.expr | None) -> Node | None:
        """Return the node of an expression, and learn from it and everything inside it."""
        match one:
            case None:
                return None
            case ast.Name(id=name):
                if name not in self._nodes:
                    self._collect(self._globals.get(name))
                return self._nodes.get(name)
            case ast.Constant(value=value):
                self._hints.add(value)
                return None
            case ast.Subscript(value=value, slice=index):
                return self._subscript(self._value(value), index, value)
            case ast.Attribute(value=value, attr=attribute):
                node = self._value(value)
                return node.child(("key", attribute)) if node is not None else None
            case ast.Compare(left=left, ops=operations, comparators=right):
                self._compare(left, operations, right)
                return None
            case ast.Call():
                return self._call(one)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._arithmetic(left, operator, right)
            case ast.BoolOp(values=values):
                found = [self._value(value) for value in values]
                return next((node for node in found if node is not None), None)
            case ast.NamedExpr(target=target, value=value):
                node = self._value(value)
                self._bind(target, node, value)
                return node
            case ast.Await(value=value) | ast.Starred(value=value):
                return self._value(value)
            case ast.IfExp(test=test, body=body, orelse=other):
                self._value(test)
                first, second = self._value(body), self._value(other)
                return first if first is not None else second
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for part in one.generators:
                    self._bind_each(part.target, part.iter)
                    for test in part.ifs:
                        self._value(test)
                for inner in ast.iter_child_nodes(one):
                    if isinstance(inner, ast.expr):
                        self._value(inner)
                return None
            case ast.Lambda(body=body):
                self._value(body)
                return None
        for inner in ast.iter_child_nodes(one):
            if isinstance(inner, ast.expr):
                self._value(inner)
        return None

    def _collect(self, value: object) -> None:
        """Keep the constants of a global that the code names."""
        if isinstance(value, str | int | float):
            self._hints.add(value)
        elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            if value.pattern not in self._hints.patterns:
                self._hints.patterns.append(value.pattern)
        elif isinstance(value, Mapping | list | tuple | set | frozenset):
            for inner in (
                sorted(value, key=repr)[:40] if isinstance(value, set | frozenset) else list(value)[:40]
            ):
                self._hints.add(inner)

    def _subscript(self, node: Node | None, index: ast.expr, value: ast.expr) -> Node | None:
        inner = self._value(index)
        if inner is not None and node is None:
            self._fact(inner, "eq", self._constant(value))  # RATES[argument]
        if node is None:
            return None
        if isinstance(index, ast.Slice):
            low, high = self._constant(index.lower), self._constant(index.upper)
            low = low if isinstance(low, int) else 0
            return node.child(("slice", low, high if isinstance(high, int) else None))
        constant = self._constant(index)
        if isinstance(constant, str):
            return node.child(("key", constant))
        if isinstance(constant, int):
            return node.child(("item", constant))
        return node.child(("each",))

    def _compare(self, left: ast.expr, operations: list[ast.cmpop], right: list[ast.expr]) -> None:
        sides = [left, *right]
        nodes = [self._value(side) for side in sides]
        for k, operation in enumerate(operations):
            a, b = nodes[k], nodes[k + 1]
            if isinstance(operation, ast.In | ast.NotIn):
                if a is not None:
                    self._fact(a, "eq", self._constant(sides[k + 1]))
                if b is not None:
                    self._fact(b, "contains", self._constant(sides[k]))
                continue
            kind = "eq" if isinstance(operation, ast.Eq | ast.NotEq | ast.Is | ast.IsNot) else "cmp"
            if a is not None:
                self._fact(a, kind, self._constant(sides[k + 1]))
            if b is not None:
                self._fact(b, kind, self._constant(sides[k]))

    def _arithmetic(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> Node | None:
        a, b = self._value(left), self._value(right)
        if b is not None and isinstance(operator, ast.Div | ast.FloorDiv | ast.Mod):
            b.learn("cmp", 0)
        constant = self._constant(right)
        if a is None or isinstance(constant, bool) or not isinstance(constant, int):
            return None
        if isinstance(operator, ast.Add):
            return a.child(("add", constant))
        if isinstance(operator, ast.Sub):
            return a.child(("add", -constant))
        if isinstance(operator, ast.Mult) and constant:
            return a.child(("mul", constant))
        if isinstance(operator, ast.FloorDiv) and constant:
            return a.child(("floordiv", constant))
        if isinstance(operator, ast.Mod) and constant:
            return a.child(("mod", constant))
        return None

    def _call(self, call: ast.Call) -> Node | None:
        arguments = [self._value(one) for one in call.args]
        for keyword in call.keywords:
            self._value(keyword.value)
        first = arguments[0] if arguments else None
        constants = [self._constant(one) for one in call.args]
        match call.func:
            case ast.Name(id=name):
                return self._plain_call(name, call, arguments, first)
            case ast.Attribute(value=value, attr=name):
                module = value.id if isinstance(value, ast.Name) and value.id not in self._nodes else ""
                if module == "json" and name in ("loads", "load"):
                    return first.child(("json",)) if first is not None else None
                if name in REGEX and (module == "re" or isinstance(self._constant(value), re.Pattern)):
                    return self._regex(value, module, constants, arguments)
                if name == "strptime" and first is not None:
                    self._fact(first, "strptime", constants[1] if len(constants) > 1 else MISSING)
                    return None
                if name in ("fromisoformat", "fromisocalendar") and first is not None:
                    first.learn("strptime", "%Y-%m-%d")
                    return None
                if module == "csv" and first is not None:
                    return first.child(("csv", name))
                node = self._value(value)
                if node is None:
                    if name in THROUGH or name in ("gather", "fromkeys", "deepcopy"):
                        return first
                    if name == "split" and first is not None:  # shlex.split and others
                        return first.child(("split", " "))
                    if name in ("get", "index", "count") and first is not None:
                        self._fact(first, "eq", self._constant(value))
                    self._follow_method(value, name, call, arguments)
                    return first if name in ("from_iterable",) else None
                return self._method(node, name, constants)
        self._value(call.func)
        return None

    def _plain_call(
        self, name: str, call: ast.Call, arguments: list[Node | None], first: Node | None
    ) -> Node | None:
        if first is not None:
            if name == "len":
                return first.child(("len",))
            if name in ("int", "float"):
                return first.child((name,))
            if name in THROUGH:
                return first
            if name == "isinstance" and len(call.args) > 1:
                for part in ast.walk(call.args[1]):
                    if isinstance(part, ast.Name):
                        first.learn("type", part.id)
                return None
            if name in ("open",):
                first.learn("meaning", "path")
                return None
            if name in ("max", "min", "sum", "any", "all", "abs", "zip", "map", "filter"):
                return None
            if name in ("loads",):
                return first.child(("json",))
            if name == "DictReader":
                return first.child(("csv", name))
        self._follow(self._local.get(name) or self._globals.get(name), call, arguments)
        return None

    def _follow_method(self, value: ast.expr, name: str, call: ast.Call, given: list[Node | None]) -> None:
        if isinstance(value, ast.Name) and value.id == "self" and self._owner is not None:
            method = getattr(type(self._owner), name, None)
            self._follow(method, call, given, skip=1)

    def _follow(self, called: object, call: ast.Call, given: list[Node | None], skip: int = 0) -> None:
        """Walk into a function of the same module or class that gets a part of an argument."""
        if self._depth >= DEEPEST_CALL or not any(given):
            return
        if isinstance(called, FunctionType):
            tree, names = source_tree(called), called.__globals__
            if called.__module__ != self._globals.get("__name__") and not skip:
                return
        else:
            tree, names = called if isinstance(called, ast.FunctionDef) else None, dict(self._globals)
        if tree is None:
            return
        parameters = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)][skip:]
        nodes = {p: node for p, node in zip(parameters, given, strict=False) if node is not None}
        if all(node.depth < 6 for node in nodes.values()):
            walk = _Walk(
                names, self._hints, self._owner, {**self._closed, **self._constants}, self._depth + 1
            )
            walk._local = dict(self._local)
            walk.function(tree, nodes)

    def _regex(
        self, value: ast.expr, module: str, constants: list[object], arguments: list[Node | None]
    ) -> Node | None:
        if module == "re":
            pattern = constants[0] if constants else MISSING
            subjects = arguments[1:]
        else:
            pattern, subjects = self._constant(value), arguments
        if isinstance(pattern, re.Pattern):
            pattern = pattern.pattern
        if isinstance(pattern, str):
            for node in subjects:
                if node is not None:
                    node.learn("regex", pattern)
        return None

    def _method(self, node: Node, name: str, constants: list[object]) -> Node | None:
        constant = constants[0] if constants else MISSING
        if name in ("split", "rsplit", "partition", "rpartition"):
            separator = constant if isinstance(constant, str) and constant else None
            kind = "split" if name.endswith("split") else "partition"
            return node.child((kind, separator))
        if name == "splitlines":
            return node.child(("split", "\n"))
        if name in ("startswith", "endswith", "removeprefix", "removesuffix"):
            kind = "startswith" if name in ("startswith", "removeprefix") else "endswith"
            self._fact(node, kind, constant)
            if name == "removeprefix" and isinstance(constant, str):
                return node.child(("slice", len(constant), None))
            return None
        if name in ("get", "pop", "setdefault"):
            if isinstance(constant, str):
                return node.child(("key", constant))
            return node.child(("each",))
        if name in ("keys", "items"):
            return node
        if name == "values":
            return node.child(("values",))
        if name in ("find", "rfind", "index", "rindex", "count", "replace"):
            self._fact(node, "contains", constant)
        if name.startswith("is") and not constants:
            node.learn("is", name)
        if name in SAME:
            return node.child(("same", name))
        return None


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
