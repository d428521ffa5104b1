"""The README says what the code does: its keys, its commands, its picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from pathlib import Path

import pytest

from planscope.cli import COMMANDS, build_parser
from planscope.tui.keys import markdown

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_keys_are_those_of_the_table_of_actions() -> None:
    kept = README.split("<!-- keys -->\n")[1].split("<!-- end of keys -->")[0]
    assert kept.strip() == markdown().strip(), "paste the output of: python -m planscope.tui.keys"


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


MAP = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")


def places(path: str) -> list[Path]:
    """Where a path of the map may be: it is told as from the top, or as from a folder named before it."""
    folders = ["", "planscope", "planscope/tui", "tests"]
    return [ROOT / folder / path for folder in (*folders, *re.findall(r"`(planscope/[\w/]+/)`", MAP))]


def test_every_path_in_the_map_exists() -> None:
    paths = set(re.findall(r"`([\w/]+(?:\.py|/))`", MAP))
    assert len(paths) > 60
    gone = [path for path in paths if not any(place.exists() for place in places(path))]
    assert gone == []


def test_every_name_on_the_three_ways_is_in_its_file() -> None:
    stops = re.findall(r"^\d+\. `(planscope/[\w/.]+)`, `([\w.]+)`", MAP, re.MULTILINE)
    assert len(stops) > 20
    for path, name in stops:
        assert re.search(rf"\b(def|class) {name.split('.')[-1]}\b", (ROOT / path).read_text()), (path, name)


@pytest.mark.parametrize("name", ["open command", "test command"])
def test_the_two_commands_stand_there(name: str) -> None:
    assert re.search(rf"<!-- {name} -->\n```sh\npython3 -m venv .*\n```", README)
