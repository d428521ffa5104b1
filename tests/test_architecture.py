"""Imports go one way, the engine stays free of the screen, and light imports stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "planscope"

LAYERS = [
    {"errors", "safe", "resources", "signals"},
    {"language"},
    {"oracle"},
    {"synthesis", "session"},
    {"agents", "debugger", "compare"},
    {"dissection"},
    {"documents", "report", "case"},
    {"sharing"},
    {"tui", "walk"},
    {"commands"},
    {"cli"},
    {"__main__"},
]
"""From the bottom up. A part imports from layers below its own, and from itself."""

ONLY_IN = {
    "z3": {"oracle"},
    "textual": {"tui"},
    "rich": {"tui"},
    "langchain": {"agents"},
    "langchain_core": {"agents"},
    "langchain_openai": {"agents"},
    "langgraph": {"agents"},
    "langsmith": {"agents"},
    "openai": {"agents"},
    "lark": {"language"},
    "pydantic": {"session", "documents"},
}


def part(path: Path) -> str:
    """The package or module at the top of planscope that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, at its top or inside a function; ``if TYPE_CHECKING`` counts too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


FILES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    if path == ROOT / "__init__.py":
        assert not [name for name in imports(path) if name.startswith("planscope")]
        return
    level = {name: k for k, layer in enumerate(LAYERS) for name in layer}
    own = part(path)
    for name in imports(path):
        words = name.split(".")
        if words[0] == "planscope" and len(words) > 1 and words[1] != "__version__":
            other = words[1]
            assert other == own or level[other] < level[own], f"{own} must not import {name}"
        if words[0] in ONLY_IN:
            assert own in ONLY_IN[words[0]], f"only {ONLY_IN[words[0]]} may import {words[0]}, not {own}"


def test_every_part_has_its_layer() -> None:
    known = set().union(*LAYERS) | {"__init__", "__pycache__", "data"}
    assert {part(p) for p in FILES} <= known


def test_no_module_is_named_like_one_of_the_standard_library() -> None:
    for path in FILES:
        name = path.stem
        if name.startswith("__") or path.parent != ROOT:
            continue
        assert name not in sys.stdlib_module_names, path


HEAVY = ["textual", "rich", "z3", "lark", "langchain", "langchain_core", "langgraph", "openai", "pydantic"]


@pytest.mark.parametrize(
    "module,heavy",
    [
        ("planscope.cli", HEAVY),
        ("planscope.language.problem", HEAVY),
        ("planscope.language.reading", [m for m in HEAVY if m != "lark"]),
        ("planscope.oracle.verdict_types", HEAVY),
        ("planscope.oracle.reason_types", HEAVY),
        ("planscope.debugger.played", HEAVY),
        ("planscope.session.store", [m for m in HEAVY if m != "pydantic"]),
        ("planscope.agents.models", [m for m in HEAVY if m != "pydantic"]),
        ("planscope.debugger", [m for m in HEAVY if m != "pydantic"]),
        ("planscope.tui.launch", ["z3", "lark", "langchain", "langchain_core", "langgraph", "openai"]),
    ],
)
def test_light_imports_stay_light(module: str, heavy: list[str]) -> None:
    code = f"import sys, {module}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
