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
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import FunctionType, ModuleType

from planscope.toolfuzz.nodes import Knowledge, Node, Step, spread

DEEPEST_CALL = 3
MOST_CONSTANTS = 200
MOST_OF_ONE = 40
"""Constants that are taken of one list, set or dictionary."""

STEPS: dict[str, Step] = {"len": ("len",), "int": ("int",), "float": ("float",), "loads": ("json",)}
"""What a function of this name makes of its first argument."""

THROUGH = spread({
    "str list tuple set frozenset sorted reversed dict iter next enumerate StringIO BytesIO Path": True,
    "gather fromkeys deepcopy from_iterable": True
})  # fmt: skip
"""Functions whose answer is their first argument in another form."""

REGEX = spread({"match search fullmatch findall finditer split sub subn compile": True})
METHODS = spread({
    "startswith removeprefix": "startswith", "endswith removesuffix": "endswith",
    "find rfind index rindex count replace": "contains",
    "strip lstrip rstrip lower upper casefold title capitalize swapcase expandtabs copy zfill ljust rjust": "same",
    "split rsplit": "split", "partition rpartition": "partition", "get pop setdefault": "key", "keys items": "itself",
    "values": "values", "splitlines": "lines",
})  # fmt: skip
"""What a method does with its object."""

MISSING = object()
Function = ast.FunctionDef | ast.AsyncFunctionDef


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


def source_tree(function: Callable[..., object]) -> Function | None:
    """Return the syntax tree of a function, or None if there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError, IndentationError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, Function):
            return node
    return None


def read_function(function: Callable[..., object], knowledge: Knowledge, hints: Hints) -> None:
    """Learn from a function's source; its parameters are the arguments of the tool."""
    function = inspect.unwrap(function)
    plain = getattr(function, "__func__", function)
    tree = source_tree(plain)
    if tree is None:
        return
    closed: Mapping[str, object] = {}
    with suppress(TypeError, ValueError):
        closed = inspect.getclosurevars(plain).nonlocals
    names = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]
    given = {name: knowledge.node(name) for name in names if name not in ("self", "cls")}
    owner = getattr(function, "__self__", None)
    _Walk(hints, owner, getattr(plain, "__globals__", {}), closed).function(tree, given)


class _Walk:
    """A walk through one function. Each kind of syntax has a method of its name; what has none is only walked through.

    A method returns the node of an expression, None if it is not derived from an argument.
    """

    def __init__(
        self,
        hints: Hints,
        owner: object,
        names: Mapping[str, object],
        closed: Mapping[str, object],
        depth: int = 0,
    ) -> None:
        self.hints, self.owner, self.globals, self.closed, self.depth = hints, owner, names, closed, depth
        self.nodes: dict[str, Node] = {}
        self.constants: dict[str, object] = {}
        self.local: dict[str, Function] = {}

    def function(self, tree: Function, given: Mapping[str, Node]) -> None:
        self.nodes.update(given)
        documented = isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant)
        self.each(tree.body[1:] if documented else tree.body)

    def each(self, several: Iterable[ast.AST]) -> None:
        for one in several:
            self.visit(one)

    def visit(self, one: ast.AST | None) -> Node | None:
        if one is None:
            return None
        method: Callable[[ast.AST], Node | None] | None = getattr(self, type(one).__name__, None)
        if method is not None:
            return method(one)
        self.each(ast.iter_child_nodes(one))
        return None

    # --- statements ---

    def Assign(self, one: ast.Assign) -> None:
        node = self.visit(one.value)
        for target in one.targets:
            self._bind(target, node, one.value)

    def AnnAssign(self, one: ast.AnnAssign) -> None:
        if one.value is not None:
            self._bind(one.target, self.visit(one.value), one.value)

    def For(self, one: ast.For | ast.AsyncFor) -> None:
        self._bind_each(one.target, one.iter)
        self.each((*one.body, *one.orelse))

    AsyncFor = For

    def FunctionDef(self, one: Function) -> None:
        self.local[one.name] = one

    AsyncFunctionDef = FunctionDef

    def ClassDef(self, one: ast.ClassDef) -> None:
        """What a class does with an argument is not followed."""

    def withitem(self, one: ast.withitem) -> None:
        node = self.visit(one.context_expr)
        if one.optional_vars is not None:
            self._bind(one.optional_vars, node, one.context_expr)

    def Match(self, one: ast.Match) -> None:
        node = self.visit(one.subject)
        for case in one.cases:
            for pattern in ast.walk(case.pattern):
                if isinstance(pattern, ast.MatchValue) and node is not None:
                    _fact(node, "eq", self._constant(pattern.value))
            self.each(case.body)

    def _bind(self, target: ast.expr, node: Node | None, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            constant = self._constant(value)
            self.constants.pop(target.id, None)
            if node is not None:
                self.nodes[target.id] = node
            elif constant is not MISSING:
                self.nodes.pop(target.id, None)
                self.constants[target.id] = constant
        elif isinstance(target, ast.Tuple | ast.List) and node is not None:
            node.learn("parts", len(target.elts))
            for k, one in enumerate(target.elts):
                self._bind(one, node.child(("item", k)), value)

    def _bind_each(self, target: ast.expr, iterated: ast.expr) -> None:
        node = self.visit(iterated)
        if node is None:
            return
        of = iterated.func if isinstance(iterated, ast.Call) else None
        name = of.attr if isinstance(of, ast.Attribute) else of.id if isinstance(of, ast.Name) else ""
        step = ("values",) if name == "items" else ("each",)
        pair = name in ("items", "enumerate") and isinstance(target, ast.Tuple)
        self._bind(
            target.elts[-1] if pair and isinstance(target, ast.Tuple) else target, node.child(step), iterated
        )

    # --- constants ---

    def _constant(self, one: ast.expr | None) -> object:
        """Return the constant value of an expression, or MISSING."""
        try:
            return MISSING if one is None else ast.literal_eval(one)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            pass
        if isinstance(one, ast.Name):
            several = (self.constants, self.closed, self.globals)
            found = next((names[one.id] for names in several if one.id in names), MISSING)
            return MISSING if isinstance(found, FunctionType | type | ModuleType) else found
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name):
            if one.value.id == "self" and self.owner is not None:
                return inspect.getattr_static(self.owner, one.attr, MISSING)
            holder = self.globals.get(one.value.id)
            if isinstance(holder, type) and issubclass(holder, enum.Enum):
                return getattr(holder.__members__.get(one.attr), "value", MISSING)
        return MISSING

    # --- expressions ---

    def Name(self, one: ast.Name) -> Node | None:
        if one.id not in self.nodes:
            self._collect(self.globals.get(one.id))
        return self.nodes.get(one.id)

    def _collect(self, value: object) -> None:
        """Keep the constants of a global that the code names."""
        text = value.pattern if isinstance(value, re.Pattern) else None
        if isinstance(text, str) and text not in self.hints.patterns:
            self.hints.patterns.append(text)
        for one in _several(value):
            self.hints.add(one)

    def Constant(self, one: ast.Constant) -> None:
        self.hints.add(one.value)

    def Subscript(self, one: ast.Subscript) -> Node | None:
        node, inner = self.visit(one.value), self.visit(one.slice)
        if node is None:
            if inner is not None:
                _fact(inner, "eq", self._constant(one.value))  # RATES[argument]
            return None
        if isinstance(one.slice, ast.Slice):
            low, high = self._constant(one.slice.lower), self._constant(one.slice.upper)
            ends = low if isinstance(low, int) else 0, high if isinstance(high, int) else None
            return node.child(("slice", *ends))
        constant = self._constant(one.slice)
        named = "key" if isinstance(constant, str) else "item"
        return node.child((named, constant) if isinstance(constant, str | int) else ("each",))

    def Attribute(self, one: ast.Attribute) -> Node | None:
        node = self.visit(one.value)
        return node.child(("key", one.attr)) if node is not None else None

    def Compare(self, one: ast.Compare) -> None:
        sides = [one.left, *one.comparators]
        nodes = [self.visit(side) for side in sides]
        for k, operation in enumerate(one.ops):
            inside = isinstance(operation, ast.In | ast.NotIn)
            same = isinstance(operation, ast.Eq | ast.NotEq | ast.Is | ast.IsNot)
            kinds = ("eq", "contains") if inside else ("eq", "eq") if same else ("cmp", "cmp")
            for node, other, kind in zip(nodes[k : k + 2], (sides[k + 1], sides[k]), kinds, strict=True):
                if node is not None:
                    _fact(node, kind, self._constant(other))

    def BinOp(self, one: ast.BinOp) -> Node | None:
        a, b = self.visit(one.left), self.visit(one.right)
        if b is not None and isinstance(one.op, ast.Div | ast.FloorDiv | ast.Mod):
            b.learn("cmp", 0)
        by = self._constant(one.right)
        if a is None or isinstance(by, bool) or not isinstance(by, int):
            return None
        if isinstance(one.op, ast.Add | ast.Sub):
            return a.child(("add", by if isinstance(one.op, ast.Add) else -by))
        step = {ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod"}.get(type(one.op))
        return a.child((step, by)) if step and by else None

    def BoolOp(self, one: ast.BoolOp) -> Node | None:
        return _first([self.visit(value) for value in one.values])

    def NamedExpr(self, one: ast.NamedExpr) -> Node | None:
        node = self.visit(one.value)
        self._bind(one.target, node, one.value)
        return node

    def Await(self, one: ast.Await | ast.Starred) -> Node | None:
        return self.visit(one.value)

    Starred = Await

    def IfExp(self, one: ast.IfExp) -> Node | None:
        self.visit(one.test)
        return _first([self.visit(one.body), self.visit(one.orelse)])

    def ListComp(self, one: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        for part in one.generators:
            self._bind_each(part.target, part.iter)
            self.each(part.ifs)
        self.each(child for child in ast.iter_child_nodes(one) if isinstance(child, ast.expr))

    SetComp = GeneratorExp = DictComp = ListComp

    # --- calls ---

    def Call(self, call: ast.Call) -> Node | None:
        given = [self.visit(one) for one in call.args]
        self.each(keyword.value for keyword in call.keywords)
        if isinstance(call.func, ast.Name):
            return self._plain_call(call.func.id, call, given)
        if isinstance(call.func, ast.Attribute):
            return self._attribute_call(call.func, call, given)
        self.visit(call.func)
        return None

    def _attribute_call(
        self, func: ast.Attribute, call: ast.Call, given: Sequence[Node | None]
    ) -> Node | None:
        """A call of a module's function, of a method of something derived from an argument, or of another object."""
        name, first = func.attr, given[0] if given else None
        module = func.value.id if isinstance(func.value, ast.Name) and func.value.id not in self.nodes else ""
        constants = [self._constant(one) for one in call.args]
        pattern = self._constant(func.value)
        if name in REGEX and (module == "re" or isinstance(pattern, re.Pattern)):
            subjects = given[1:] if module == "re" else given
            _regex(constants[0] if module == "re" and constants else pattern, subjects)
            return None
        node = self.visit(func.value)
        if node is not None:
            return _method(node, name, constants[0] if constants else MISSING)
        if first is not None:
            if name == "strptime":
                _fact(first, "strptime", constants[1] if len(constants) > 1 else MISSING)
            elif name in ("fromisoformat", "fromisocalendar"):
                first.learn("strptime", "%Y-%m-%d")
            elif module == "csv":
                return first.child(("csv", name))
            elif name == "split":  # shlex.split and others
                return first.child(("split", " "))
            elif name in ("get", "index", "count"):
                _fact(first, "eq", pattern)
            elif name in STEPS or name in THROUGH:
                return first.child(STEPS[name]) if name in STEPS else first
        if module == "self" and self.owner is not None:
            self._follow(getattr(type(self.owner), name, None), given, skip=1)
        return None

    def _plain_call(self, name: str, call: ast.Call, given: Sequence[Node | None]) -> Node | None:
        first = given[0] if given else None
        if first is not None and name == "isinstance" and len(call.args) > 1:
            for part in ast.walk(call.args[1]):
                if isinstance(part, ast.Name):
                    first.learn("type", part.id)
        elif first is not None and name == "open":
            first.learn("meaning", "path")
        elif first is not None and (name in STEPS or name in THROUGH):
            return first.child(STEPS[name]) if name in STEPS else first
        elif first is not None and name == "DictReader":
            return first.child(("csv", name))
        else:
            self._follow(self.local.get(name) or self.globals.get(name), given)
        return None

    def _follow(self, called: object, given: Sequence[Node | None], skip: int = 0) -> None:
        """Walk into a function of the same module or class that gets a part of an argument."""
        if self.depth >= DEEPEST_CALL or not any(given):
            return
        names: Mapping[str, object] = self.globals
        tree: Function | None = called if isinstance(called, ast.FunctionDef) else None
        if isinstance(called, FunctionType) and (skip or called.__module__ == names.get("__name__")):
            tree, names = source_tree(called), called.__globals__
        if tree is None:
            return
        parameters = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)][skip:]
        nodes = {p: node for p, node in zip(parameters, given, strict=False) if node is not None}
        if all(node.depth < 6 for node in nodes.values()):
            closed = {**self.closed, **self.constants}
            walk = _Walk(self.hints, self.owner, names, closed, self.depth + 1)
            walk.local = dict(self.local)
            walk.function(tree, nodes)


def _first(nodes: Sequence[Node | None]) -> Node | None:
    return next((node for node in nodes if node is not None), None)


def _several(constant: object) -> list[object]:
    """Return the constants in a constant."""
    if isinstance(constant, set | frozenset):
        return sorted(constant, key=repr)[:MOST_OF_ONE]
    several = isinstance(constant, Mapping | list | tuple)
    return list(constant)[:MOST_OF_ONE] if isinstance(constant, Iterable) and several else [constant]


def _fact(node: Node, operation: str, constant: object) -> None:
    for one in _several(constant):
        if isinstance(one, str | int | float | None):
            node.learn(operation, one)


def _regex(pattern: object, subjects: Sequence[Node | None]) -> None:
    text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    for node in subjects:
        if node is not None and isinstance(text, str):
            node.learn("regex", text)


def _method(node: Node, name: str, constant: object) -> Node | None:
    """Learn from a method of a value that is derived from an argument, and return what it makes of it."""
    does = METHODS.get(name, "")
    if does in ("split", "partition"):
        return node.child((does, constant if isinstance(constant, str) and constant else None))
    if does == "key":
        return node.child(("key", constant) if isinstance(constant, str) else ("each",))
    if does in ("startswith", "endswith", "contains"):
        _fact(node, does, constant)
    elif name.startswith("is") and constant is MISSING:
        node.learn("is", name)
    if name == "removeprefix" and isinstance(constant, str):
        return node.child(("slice", len(constant), None))
    if does == "same" or name == "replace":
        return node.child(("same", name))
    if does == "itself":
        return node
    return (
        node.child(("values",) if does == "values" else ("split", "\n"))
        if does in ("values", "lines")
        else None
    )


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
