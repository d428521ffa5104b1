"""New documentation in the user's source: one literal changes, whatever a model wrote."""

from __future__ import annotations

import ast
import json
import random
import subprocess
from pathlib import Path

import pytest

from planscope.toolfuzz.rewriting import NotRewritten, rewritten

SOURCE = '''"""Tools."""
from langchain_core.tools import tool

@tool("find", return_direct=True)
def find(query: str) -> str:  # ä
    """Find ä thing.

    More words.
    """
    return "Find ä thing. More words."


class Own:
    description: str = "Look " "at it."


def other(x): "Do not touch."; return x
'''

HOSTILE = [
    "Plain new text.",
    'Ends with a quote "',
    'Has """ and \\ and \\" and \\',
    "Two\n\nparagraphs " + "long " * 60,
    "bell \x07 and \u202e and \ud7ff \u200b",
    '"""\nimport os\nos.system("x")\n"""',
    "A word of " + "0" * 150 + " characters",
    "{braces} %s \\N{BELL} \\x41",
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def described(path: Path, name: str) -> str:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return ast.get_docstring(node) or ""
        if isinstance(node, ast.AnnAssign) and name == "description":
            return str(ast.literal_eval(node.value)) if node.value is not None else ""
    raise AssertionError(name)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_docstring_changes_and_a_patch_says_the_same(here: Path, text: str, newline: str) -> None:
    path = here / "tools.py"
    path.write_bytes(SOURCE.replace("\n", newline).encode())
    path.chmod(0o640)
    made = rewritten(str(path), 4, "Find ä thing.\n\nMore words.", text)
    assert path.read_bytes() == made.before
    made.write()
    assert described(path, "find").split() == text.split()
    assert path.stat().st_mode & 0o777 == 0o640
    left = path.read_bytes().decode()
    assert left.endswith(SOURCE[SOURCE.index('    return "Find') :].replace("\n", newline))
    if newline == "\n":
        path.write_bytes(made.before)
        subprocess.run(["git", "apply", "-"], input=made.patch.encode(), check=True, cwd=here)
        assert path.read_bytes() == made.after


def test_a_literal_that_is_no_docstring_changes_in_place(here: Path) -> None:
    (here / "tools.py").write_text(SOURCE)
    rewritten("tools.py", 14, "Look at it.", 'New "words" \\ é').write()
    assert described(here / "tools.py", "description") == 'New "words" \\ é'


def test_a_schema_in_json_changes_in_place(here: Path) -> None:
    data = {"name": "a", "description": "Say é\n.", "parameters": {"x": {"description": "Say"}}}
    (here / "tool.json").write_text(json.dumps(data, indent=1))
    rewritten("tool.json", 1, "Say é\n.", 'New "x"').write()
    assert json.loads((here / "tool.json").read_text()) == {**data, "description": 'New "x"'}


@pytest.mark.parametrize(
    ("source", "before", "why"),
    [
        ("def f():\n    return 'a b'\nX = 'a b'\n", "a b", "not one string"),
        ("def f():\n    return f'a b{1}'\n", "a b", "not one string"),
        ("def f(:\n", "a b", "cannot be read as Python"),
        ("X = ''\n", "", "not one string"),
    ],
)
def test_what_is_not_one_literal_is_left_alone(here: Path, source: str, before: str, why: str) -> None:
    (here / "tools.py").write_text(source)
    with pytest.raises(NotRewritten, match=why):
        rewritten("tools.py", 1, before, "new")
    assert (here / "tools.py").read_text() == source


def test_a_file_elsewhere_or_changed_meanwhile_is_left_alone(here: Path) -> None:
    (here / "inner").mkdir()
    path = here / "tools.py"
    path.write_text(SOURCE)
    made = rewritten("tools.py", 4, "Find ä thing. More words.", "new")
    path.write_text(SOURCE + "\n")
    with pytest.raises(NotRewritten, match="changed meanwhile"):
        made.write()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here / "inner")
        with pytest.raises(NotRewritten, match="not in the current folder"):
            rewritten(str(path), 4, "Find ä thing. More words.", "new")


def test_random_texts_never_change_more_than_the_docstring(here: Path) -> None:
    draw = random.Random(5)
    parts = [
        '"',
        "'",
        "\\",
        "\n",
        "\t",
        "a",
        " ",
        "\x00",
        "é",
        "\u2028",
        "\x85",
        "\r",
        "{",
        "#",
        '"""',
        "N{",
        "x4",
    ]
    path = here / "tools.py"
    path.write_text(SOURCE)
    for _ in range(300):
        text = "".join(draw.choice(parts) for _ in range(draw.randrange(1, 30)))
        made = rewritten("tools.py", 4, "Find ä thing. More words.", text or "x")
        tree = ast.parse(made.after)
        assert len(tree.body) == len(ast.parse(SOURCE).body)
