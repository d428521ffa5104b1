"""The README says what the code does: its keys, its commands, its picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from pathlib import Path

import pytest

from planscope.cli import COMMANDS, build_parser
from planscope.tui.keymap import markdown

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_keys_are_those_of_the_table_of_actions() -> None:
    kept = README.split("<!-- keys -->\n")[1].split("<!-- end of keys -->")[0]
    assert kept.strip() == markdown().strip(), "paste the output of: python -m planscope.tui.keymap"


def test_every_command_that_it_shows_is_understood() -> None:
    shown = re.findall(r"^(?:echo .*\| )?planscope (.*?)(?:\s+#.*)?$", README, re.MULTILINE)
    assert len(shown) > 8
    for line in shown:
        words = re.findall(r'"[^"]*"|\S+', line)
        if words[0] in COMMANDS:
            build_parser().parse_args([w.strip('"') for w in words])


def test_the_picture_is_there() -> None:
    picture = re.search(r"!\[.*\]\((.*\.svg)\)", README)
    assert picture
    xml.etree.ElementTree.parse(ROOT / picture[1])


def test_every_path_in_the_map_exists() -> None:
    rows = re.findall(r"^\| (`planscope/.*|`sessions/.*|`tests/.*) \|", README, re.MULTILINE)
    assert len(rows) > 8
    for row in rows:
        cells = row.split(" | ")
        folder = ""
        for path in re.findall(r"`([^` ]+)`", cells[0]):
            folder = path if "/" in path and not path.startswith("safe") else f"planscope/{path}"
            assert (ROOT / folder).exists(), folder
        first = re.findall(r"`([^` ]+)`", cells[0])[0]
        for path in re.findall(r"`([\w/.]+\.py)`", cells[-1].rstrip(" |")):
            places = [ROOT / first / path, ROOT / "planscope" / path, ROOT / "planscope" / "documents" / path]
            assert any(p.exists() for p in places), path


@pytest.mark.parametrize("name", ["open command", "test command"])
def test_the_two_commands_stand_there(name: str) -> None:
    assert re.search(rf"<!-- {name} -->\n```sh\npython3 -m venv .*\n```", README)
