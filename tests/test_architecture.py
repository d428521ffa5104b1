"""Imports go one way, without circles; no class is a tower; light imports stay light; no room grows unseen."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.count_tokens import counted, tokens_of

ROOT = Path(__file__).parent.parent / "planscope"

LAYERS = [
    {"frozen"},
    {"errors", "extensions", "safe", "resources", "signals", "ci", "stats"},
    {"language", "show", "json_text"},
    {"document"},
    {"oracle"},
    {"wording"},
    {"synthesis", "session"},
    {"traces"},
    {"rules"},
    {"agents", "debugger", "compare"},
    {"cause"},
    {"dissection", "drawing", "toolfuzz"},
    {"campaign"},
    {"case"},
    {"report"},
    {"documents"},
    {"views"},
    {"sharing", "doors"},
    {"tui", "walk"},
    {"commands"},
    {"cli"},
    {"__main__"},
]
"""From the bottom up. A part imports from layers below its own, and from itself."""

ONLY_IN = {
    "z3": {"oracle", "rules"},
    "textual": {"tui"},
    "rich": {"tui"},
    "langchain": {"agents"},
    "langchain_core": {"agents"},
    "langchain_openai": {"agents"},
    "langgraph": {"agents"},
    "langsmith": {"agents"},
    "openai": {"agents"},
    "lark": {"language"},
    "mcp": {"doors"},
    "pytest": {"doors"},
    "pydantic": {"session", "document", "documents", "toolfuzz", "agents", "campaign"},
}


def part(path: Path) -> str:
    """The package or module at the top of planscope that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, at its top or inside a function; ``if TYPE_CHECKING`` counts too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


FILES = sorted(ROOT.rglob("*.py"))


def wrong_imports(path: Path) -> Iterator[str]:
    """What a file imports and must not."""
    if path == ROOT / "__init__.py":
        yield from (name for name in imports(path) if name.startswith("planscope"))
        return
    level = {name: k for k, layer in enumerate(LAYERS) for name in layer}
    own = part(path)
    for name in imports(path):
        words = name.split(".")
        if words[0] == "planscope" and len(words) > 1 and words[1] != "__version__":
            other = words[1]
            if other != own and level[other] >= level[own]:
                yield f"{own} must not import {name}"
        if words[0] in ONLY_IN and own not in ONLY_IN[words[0]]:
            yield f"only {ONLY_IN[words[0]]} may import {words[0]}, not {own}"


def test_imports_go_one_way() -> None:
    assert [(str(path.relative_to(ROOT)), wrong) for path in FILES for wrong in wrong_imports(path)] == []


def test_every_part_has_its_layer() -> None:
    known = set().union(*LAYERS) | {"__init__", "__pycache__", "data"}
    assert {part(p) for p in FILES} <= known


def test_no_module_is_named_like_one_of_the_standard_library() -> None:
    for path in FILES:
        name = path.stem
        if name.startswith("__") or path.parent != ROOT:
            continue
        assert name not in sys.stdlib_module_names, path


def runtime_imports(path: Path, types: bool = False) -> set[str]:
    """The modules of ours that a file imports when it runs, at its top or in a function. ``types``: and those that it
    imports for types alone."""
    found: set[str] = set()

    def walk(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue
            if not types and isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                for other in child.orelse:
                    walk(other)
                continue
            if isinstance(child, ast.Import):
                found.update(alias.name for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                for alias in child.names:
                    full = f"{child.module}.{alias.name}"
                    found.add(full if full in MODULES else str(child.module))
            walk(child)

    walk(tree(path))
    return found & MODULES.keys()


def module(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module(path): path for path in FILES}


@cache
def all_imports() -> dict[str, set[str]]:
    return {name: runtime_imports(path) - {name} for name, path in MODULES.items()}


def circles(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """What is left without what imports nothing of the rest, and without what nothing of the rest imports."""
    left = {name: set(others) & graph.keys() for name, others in graph.items()}
    while loose := {
        name for name in left if not left[name] or not any(name in others for others in left.values())
    }:
        left = {name: others - loose for name, others in left.items() if name not in loose}
    return sorted(left)


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert circles(all_imports()) == []


def test_no_modules_name_one_another_s_types_in_a_circle() -> None:
    graph = {name: runtime_imports(path, types=True) - {name} for name, path in MODULES.items()}
    assert circles(graph) == []


def folder(name: str) -> str:
    """The folder that a module of the screen lies in; a loose module of the screen counts as a folder of its own."""
    path = MODULES[name].relative_to(ROOT)
    if path.parts[0] != "tui":
        return path.parts[0]
    return "/".join(path.parts[:-1]) if len(path.parts) > 2 else str(path)


def test_folders_of_the_screen_import_one_way() -> None:
    folders: dict[str, set[str]] = {}
    for name, others in all_imports().items():
        folders.setdefault(folder(name), set()).update(
            folder(other) for other in others if folder(other) != folder(name)
        )
    assert circles(folders) == []


def test_no_class_of_the_screen_is_a_tower() -> None:
    """At most two ancestors of ours."""
    towers = []
    for name in (n for n in MODULES if n.startswith("planscope.tui.")):
        for thing in vars(import_module(name)).values():
            if isinstance(thing, type) and thing.__module__ == name:
                ours = [
                    base.__name__ for base in thing.__mro__[1:] if base.__module__.startswith("planscope.")
                ]
                if len(ours) > 2:
                    towers.append(f"{thing.__name__}: {', '.join(ours)}")
    assert towers == []


def assigned(path: Path) -> Iterator[str]:
    """Attributes that are assigned to other objects than ``self``, as they are written."""
    for node in ast.walk(tree(path)):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) else ():
            for part_of in ast.walk(target):
                stored = isinstance(part_of, ast.Attribute) and isinstance(part_of.ctx, ast.Store)
                if stored and ast.unparse(part_of.value) not in ("self", "cls"):
                    yield ast.unparse(part_of)


TEXTUALS_OWN = re.compile(r"(.*\.)?(styles\.\w+|display|theme|value|text|disabled|__class__)|sys\.\w+")
"""What Textual wants to be assigned, and the streams of the process."""


def test_no_state_of_an_object_is_set_from_outside() -> None:
    paths = [path for path in FILES if part(path) == "tui"]
    assert len(paths) > 100
    assert [
        (str(path.relative_to(ROOT)), name)
        for path in paths
        for name in assigned(path)
        if TEXTUALS_OWN.fullmatch(name) is None
    ] == []


HEAVY = ["textual", "rich", "z3", "lark", "langchain", "langchain_core", "langgraph", "openai", "pydantic"]


@pytest.mark.parametrize(
    "module,heavy",
    [
        ("planscope.cli", HEAVY),
        ("planscope.commands.open", HEAVY),
        ("planscope.session.locations", HEAVY),
        ("planscope.language.problem", HEAVY),
        ("planscope.language.reading", [m for m in HEAVY if m != "lark"]),
        ("planscope.oracle.verdict_types", HEAVY),
        ("planscope.cause.find", HEAVY),
        ("planscope.debugger.played", HEAVY),
        ("planscope.session.store", [m for m in HEAVY if m != "pydantic"]),
        ("planscope.agents.models", [m for m in HEAVY if m != "pydantic"]),
        ("planscope.toolfuzz", [*HEAVY, "asyncio", "inspect"]),
        ("planscope.debugger", [m for m in HEAVY if m != "pydantic"]),
        ("planscope.tui.launch", ["z3", "lark", "langchain", "langchain_core", "langgraph", "openai"]),
    ],
)
def test_light_imports_stay_light(module: str, heavy: list[str]) -> None:
    code = f"import sys, {module}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


TOKENS = {
    "tui": 194_743,
    "rules": 84_546,
    "toolfuzz": 87_440,
    "agents": 71_839,
    "traces": 56_675,
    "commands": 45_401,
    "language": 102_288,
    "session": 40_273,
    "oracle": 34_963,
    "sharing": 31_783,
    "debugger": 27_185,
    "dissection": 27_627,
    "synthesis": 17_374,
    "documents": 13_636,
    "compare": 13_827,
    "cause": 9_668,
    "campaign": 14_233,
    "top": 11_552,
    "wording": 7_707,
    "drawing": 7_956,
    "doors": 5_783,
    "walk": 4_902,
    "safe": 4_776,
    "show": 3_624,
    "views": 7_847,
}
"""The most tokens that a room may have (``python -m tests.count_tokens``). Lower a line when its room has shrunk; a
commit that raises one says in its body what that buys."""

OTHER_BYTES = {
    "language": 78_288,
    "sharing": 65_355,
    "show": 25_240,
    "toolfuzz": 23_527,
    "tui": 7_010,
    "agents": 3_075,
    "top": 0,
}
"""The same for the bytes of files that are not Python."""


def test_no_room_grows_unseen() -> None:
    tokens, other = counted()
    wrong = [
        f"{room}: {count:,} {unit}, of at most {ceilings.get(room, 0):,}"
        for ceilings, counts, unit in ((TOKENS, tokens, "tokens"), (OTHER_BYTES, other, "bytes"))
        for room, count in sorted(counts.items())
        if count > ceilings.get(room, 0)
    ]
    assert wrong == [], "make it smaller, or raise its line in this file and say in the commit what that buys"


@pytest.mark.parametrize(
    "source,tokens",
    [
        ('"""A docstring that is longer than forty characters counts one, as it is read by people."""\n', 1),
        ("x = 1  # a comment\n\n\n", 3),
        ('x = "' + "a" * 78 + '"\n', 3 + 2),
        (
            'x = f"{y!r:>{wide}} and {z["k"]}"\n'
            if sys.version_info >= (3, 12)
            else 'x = f"{y!r:>{wide}}"\n',
            3,
        ),
        ("def f(a):\n    return a\n", 6 + 2),
        ('x = ("' + "a" * 38 + '"\n     f"' + "b" * 37 + '{c}")\n', 2 + 2 + 2 + 2),
    ],
)
def test_tokens_are_counted_by_one_rule(source: str, tokens: int) -> None:
    assert tokens_of(source) == tokens
