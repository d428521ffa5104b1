"""Secrets in structured places, and ordinary texts: written before the rules that must tell them apart."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

MARK = "§"
VALUES = ("Ottermarmor{n}7", "quiet-heron{n}-lake", "xK2m{n}Q7vLp4ZtR9")
"""A word with a digit, small words, and letters at random: no rule may lean on how a secret looks."""


class Case(NamedTuple):
    """``secrets``: what must not be left, base64 of it too. ``group``: in the environment the name of a variable."""

    group: str
    line: str
    content: Any
    secrets: tuple[str, ...]
    value: str


def secrets(style: int) -> Iterator[Case]:
    return _cases("secrets.txt", style)


def environment(style: int) -> Iterator[Case]:
    return _cases("environment.txt", style)


def ordinary() -> Iterator[Case]:
    return _cases("ordinary.txt", 0)


def _cases(name: str, style: int) -> Iterator[Case]:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(line for line in lines if not line.startswith("#")):
        group, _, template = line.partition("\t")
        value = VALUES[style].format(n=number)
        left = [value] if MARK in re.sub("⟦.*?⟧", "", template) else []
        left += [_base64(inner.replace(MARK, value)) for inner in re.findall("⟦(.*?)⟧", template)]
        yield Case(group, line, _content(template, value), tuple(left), value)


def _content(template: str, value: str) -> Any:
    filled = re.sub("⟦(.*?)⟧", lambda m: _base64(m[1].replace(MARK, value)), template).replace(MARK, value)
    if filled.startswith("JSON:"):
        return json.loads(filled.removeprefix("JSON:"))
    return filled.replace("\\n", "\n").replace("\\t", "\t")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
