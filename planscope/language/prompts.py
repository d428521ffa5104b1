"""What an agent is told: the query's text in the paper's words (Figures 5 and 7), or in the user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from planscope.errors import UserError

PLACE = "[text]"


class PromptError(UserError, ValueError):
    """A file of prompts cannot be used; the message says why, on one line."""


def read_prompts(data: str, where: str) -> Mapping[str, str]:
    """The templates "base" and "timed" of a TOML document; PromptError names ``where``."""
    try:
        found = tomllib.loads(data)
    except tomllib.TOMLDecodeError as error:
        raise PromptError(f"{where}: {error}") from error
    for key in ("base", "timed"):
        template = found.get(key)
        if not isinstance(template, str) or PLACE not in template:
            raise PromptError(f"{where}: {key} must be a text with {PLACE} in it")
    return found


@cache
def _bundled() -> Mapping[str, str]:
    path = files("planscope.language") / "data" / "prompts.toml"
    return read_prompts(path.read_text(encoding="utf-8"), "prompts.toml")


def prompt_for(text: str, *, timed: bool, file: Path | None = None) -> str:
    """The prompt of a query. ``file``: the user's own templates, a TOML file like ``data/prompts.toml``.

    PromptError where that file is not such a file, OSError where it cannot be opened.
    """
    if file is None:
        templates = _bundled()
    else:
        try:
            templates = read_prompts(file.read_text(encoding="utf-8"), file.name)
        except UnicodeDecodeError as error:
            raise PromptError(f"{file.name}: not a text in UTF-8") from error
    return templates["timed" if timed else "base"].replace(PLACE, text)
