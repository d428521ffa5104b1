"""Do the tests of a room notice a change of its code? ``python -m tests.mutate ROOM [COUNT] [SEED]``.

Draws ``COUNT`` places of ``planscope/ROOM``, changes one at a time in a copy of the checkout, and runs ``tests/ROOM``:
first the suite, then, if that notices nothing, the nightly cases too. Prints a line for each that is not killed by the
suite, and how many are killed by what. A change that makes the tests hang counts as killed.
"""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
PAIRS: list[tuple[Any, Any]] = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
    *(
        (ast.And, ast.Or),
        (ast.BitAnd, ast.BitOr),
        (ast.LShift, ast.RShift),
        (ast.Mult, ast.Add),
        (ast.Add, ast.Sub),
    ),
]
SWAPPED: dict[type, Any] = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}


def places(tree: ast.Module) -> Iterator[ast.AST]:
    """What can be changed, in an order that is always the same. Types are left alone."""
    types: set[int] = set()
    for node in ast.walk(tree):
        hint = getattr(node, "returns", None) or getattr(node, "annotation", None)
        types.update(map(id, ast.walk(hint)) if hint is not None else ())
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            types.update(map(id, ast.walk(node)))
    for node in ast.walk(tree):
        operator = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)
        number = isinstance(node, ast.Constant) and isinstance(node.value, int)
        returns = isinstance(node, ast.Return) and ast.unparse(node) not in ("return", "return None")
        if id(node) not in types and (
            type(operator) in SWAPPED or number or returns or isinstance(node, ast.If)
        ):
            yield node


def change(node: ast.AST) -> None:
    """Another operator, the next number, the other branch, or None as the result."""
    match node:
        case ast.Compare():
            node.ops[0] = SWAPPED[type(node.ops[0])]()
        case ast.Constant(bool(value)):
            node.value = not value
        case ast.Constant(int(value)):
            node.value = value + 1
        case ast.If():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Return():
            node.value = ast.Constant(None)
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign():
            node.op = SWAPPED[type(node.op)]()


def noticed(folder: Path, room: str, seconds: float, *, nightly: bool = False) -> bool:
    """Run the tests of a room in a copy; whether one fails, or they do not end in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"tests/{room}"]
    environment = {**os.environ, "PLANSCOPE_NIGHTLY": "all" if nightly else "", "PYTHONPATH": str(folder)}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(seconds) != 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return True


def main(room: str, count: int = 20, seed: int = 0) -> None:
    killed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="planscope-mutants-") as name:
        folder = Path(name) / "checkout"
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        began = time.monotonic()
        code = f"import planscope, sys; sys.exit(not planscope.__file__.startswith({str(folder)!r}))"
        subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)  # the copy is what is tested
        if noticed(folder, room, 3600):
            sys.exit(f"tests/{room} fails before anything is changed")
        patience = 120 + 8 * (time.monotonic() - began)
        files = sorted((folder / "planscope" / room).rglob("*.py"))
        drawn = [(file, n) for file in files for n, _ in enumerate(places(ast.parse(file.read_text())))]
        for file, number in Random(seed).sample(drawn, min(count, len(drawn))):
            source = file.read_text()
            tree = ast.parse(source)
            node = list(places(tree))[number]
            before = ast.unparse(node).splitlines()[0]
            change(node)
            file.write_text(ast.unparse(ast.fix_missing_locations(tree)))
            by = "suite"
            if not noticed(folder, room, patience):
                by = "nightly" if noticed(folder, room, 3 * patience, nightly=True) else "nothing"
                place = f"{file.relative_to(folder)}:{node.lineno}"
                print(f"{place}: {before}: killed by {by}", flush=True)
            file.write_text(source)
            killed[by] += 1
    print(f"{room}, seed {seed}: {dict(killed)}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
