"""What a theme file may hold, and what is wrong with one by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from textual.color import Color, ColorParseError

from planscope.safe import visible
from planscope.tui.toml_file import FileProblem, TomlFile

BASE_COLORS: tuple[str, ...] = (
    "primary",
    "secondary",
    "warning",
    "error",
    "success",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
)
TEXT_ROLES: tuple[str, ...] = (
    "dim",
    "holds",
    "open",
    "broken",
    "core",
    "doomed",
    "safe",
    "unknown",
    "caution",
    "linked",
    "selected",
    "step-current",
    "action",
    "tool",
    "number",
    "key",
    "breakpoint",
)
"""Colours of text and signs; legible on every ground."""
GROUND_ROLES: tuple[str, ...] = ("linked-ground", "selected-ground", "current-ground", "hit-ground", "bar")
"""Colours behind text, to be used as they are. In an ``ansi`` theme they are the terminal's default."""
FRAME_ROLES: tuple[str, ...] = ("frame", "frame-active")
ROLES: tuple[str, ...] = (*TEXT_ROLES, *GROUND_ROLES, *FRAME_ROLES)

_NAME = re.compile(r"[a-z0-9][a-z0-9 _-]{0,39}")
_COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-z][a-z_]{1,30}")
_TOP = {"name": str, "inherits": str, "dark": bool, "ansi": bool, "colors": dict, "roles": dict}
_KINDS = {str: "a text", bool: "true or false", dict: "a table"}
TABLES: Mapping[str, tuple[str, ...]] = {"colors": BASE_COLORS, "roles": ROLES}


def name_of(file: TomlFile) -> str:
    return str(file.table.get("name", file.name.removesuffix(".toml").casefold()))


def check_theme(file: TomlFile) -> Iterable[FileProblem]:
    """What is wrong with a file by itself."""
    for key, value in file.table.items():
        if key not in _TOP:
            yield file.problem(f"unknown key {nearest(key, _TOP)}", None, key)
        elif type(value) is not _TOP[key]:
            yield file.problem(f"'{key}' has to be {_KINDS[_TOP[key]]}", None, key)
        elif isinstance(value, dict):
            yield from _check_table(file, key, value)
    if not _NAME.fullmatch(name_of(file)):
        shown = visible(name_of(file), limit=50)
        yield file.problem(f"'{shown}' is no name for a theme (small letters, digits, - and _)", None, "name")


def _check_table(file: TomlFile, section: str, table: dict[str, Any]) -> Iterable[FileProblem]:
    ansi = file.table.get("ansi")
    for key, value in table.items():
        if key not in TABLES[section]:
            what = "colour" if section == "colors" else "role"
            yield file.problem(f"unknown {what} {nearest(key, TABLES[section])}", section, key)
            continue
        complaint = _color_problem(value, ansi)
        if complaint:
            yield file.problem(f"{key}: {complaint}", section, key)


def _color_problem(value: object, ansi: object) -> str | None:
    if not isinstance(value, str):
        return 'a colour is a text such as "#2f4d73"'
    shown = visible(value, limit=40)
    if not _COLOR.fullmatch(value):
        return f"'{shown}' is no colour; say #rrggbb or a name"
    try:
        color = Color.parse(value)
    except ColorParseError:
        return f"'{shown}' is no colour that is known by name"
    if color.a != 1:
        return f"'{shown}' is not opaque"
    if ansi is True and color.ansi is None:
        return f"'{shown}' is not one of the terminal's colours (ansi_red, ansi_default, ...)"
    if ansi is not True and color.ansi is not None:
        return f"'{shown}' needs 'ansi = true' in this file"
    return None


def nearest(key: str, known: Iterable[str]) -> str:
    near = get_close_matches(key[:60], list(known), n=1)
    return f"'{visible(key, limit=60)}'" + (f"; nearest: '{near[0]}'" if near else "")
