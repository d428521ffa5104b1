"""Secrets in structured places, and ordinary texts: written before the rules that must tell them apart."""

from __future__ import annotations

import base64
import html
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


STYLES = (
    *VALUES,
    "Tr0ub4dor&3-{n}",
    "9f86d081884c7d659a2f{n}aa0c55ad",
    "S0mmer{n}!Regen",
    "b3BlbnNz{n}aC1rZXk=",
)
"""Values in the corpus of agents' texts: as people choose them and as programs make them."""

USERS = ("mkowalska", "tbrandt", "j.okafor", "yuki", "svenja-h", "rdasilva3", "annika", "wzhang")
HOSTS = ("acme-db01", "build-7", "prod-web-3", "k8s-worker-12", "nas02", "fra1-cache-1", "gpu-node-4")


def agents(places: int, first: int = 0) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield group, place, text and secrets: each fragment and each kind of key at so many places, from ``first`` on."""
    from tests.sharing.seeds import seeds

    around = [*_lines("places.txt")]
    fragments = [*_lines("fragments.txt")]
    keys = [seed for seed in seeds(7) if "\n" not in seed.secret]
    fragments += [("key", "§")] * len(keys)
    for number, (group, template) in enumerate(fragments):
        secret = STYLES[number % len(STYLES)].format(n=number)
        user, host = USERS[number % len(USERS)], HOSTS[number % len(HOSTS)]
        left = [v for mark, v in zip("§¤‡", (secret, user, host), strict=True) if mark in template]
        left += re.findall(r"\b10\.42\.7\.19|192\.168\.17\.44", template)
        text = template.replace("§", secret).replace("¤", user).replace("‡", host)
        if group == "key":
            seed = keys[number - len(fragments)]
            text, left = seed.text, [seed.secret]
        if "-home-" in template or "-Users-" in template:  # Claude Code's spelling of a folder
            text = text.replace(user, re.sub(r"[^A-Za-z0-9]", "-", user))
            left = [re.sub(r"[^A-Za-z0-9]", "-", user)]
        for step in range(places):
            place, pattern = around[(first + number * 9 + step * 4) % len(around)]
            yield group, place, _placed(pattern, text), tuple(left)


def outputs() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield group, text and secrets of whole outputs, which stand on lines of their own."""
    for number, (group, template) in enumerate(_lines("outputs.txt")):
        user, host = USERS[number % len(USERS)], HOSTS[number % len(HOSTS)]
        text = _written(template).replace("¤", user).replace("‡", host)
        left = [name for mark, name in (("¤", user), ("‡", host)) if mark in template]
        left += re.findall("⟪(.*?)⟫", text)
        yield group, re.sub("[⟪⟫]", "", text), tuple(left)


def harmless() -> Iterator[tuple[str, Any]]:
    for group, template in (*_lines("harmless.txt"), *_lines("ordinary.txt")):
        whole = template.startswith("JSON:")
        yield group, json.loads(template[5:]) if whole else _written(template)


def _lines(name: str) -> Iterator[tuple[str, str]]:
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            group, _, template = line.partition("\t")
            yield group, template


def _placed(pattern: str, text: str) -> str:
    encoded = re.search(r"((?:JSON:|HTML:)*)§", pattern)
    assert encoded is not None
    for how in encoded[1].split(":")[:-1]:
        text = json.dumps(text) if how == "JSON" else html.escape(text)
    return _written(pattern[: encoded.start()]) + text + _written(pattern[encoded.end() :])


def _written(template: str) -> str:
    ends = {"n": "\n", "r": "\r", "t": "\t", "x1b": "\x1b", "\\": "\\"}
    return re.sub(r"\\(n|r|t|x1b|\\)", lambda m: ends[m[1]], template)


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
