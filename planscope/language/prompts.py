"""Makes the agent's prompt from a template and the query's text. The templates are the paper's (Figures 5 and 7) or
the user's own."""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from planscope.errors import UserError

PLACE = "[text]"

LARGEST = 256 * 1024
"""Size limit of a file of templates, in bytes."""


class PromptError(UserError, ValueError):
    """A file of prompts cannot be used. The message, one line, says why."""


def read_prompts(data: str, where: str) -> Mapping[str, str]:
    """Read the templates "base" and "timed" of a TOML document. PromptError names ``where``."""
    try:
        found = tomllib.loads(data)
    except RecursionError as error:
        raise PromptError(f"{where} is nested too deeply to be a file of prompts") from error
    # tomllib raises ValueError, too, for integers of more digits than Python reads
    except ValueError as error:
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


def templates(file: Path | None) -> Mapping[str, str]:
    """Return the user's own templates, from a TOML file like ``data/prompts.toml``, or else the bundled ones. Raises
    PromptError."""
    if file is None:
        return _bundled()
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise _no_prompts(file)
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise PromptError(f"{file} cannot be read: {error.strerror or error}") from None
    if len(data) > LARGEST:
        raise _no_prompts(file)
    try:
        return read_prompts(data.decode(), file.name)
    except UnicodeDecodeError as error:
        raise PromptError(f"{file.name} is not UTF-8 text") from error


def _no_prompts(file: Path) -> PromptError:
    return PromptError(f"{file} is not a file of prompts; name a TOML file of at most {LARGEST // 1024} kB")


def query_in(prompt: str) -> tuple[str, bool]:
    """Return the query in a prompt, and whether it is timed. If the prompt fits no bundled template, all of it is
    the query."""
    for kind, template in sorted(_bundled().items(), reverse=True):
        before, _, after = template.partition(PLACE)
        said = prompt.strip()
        if kind in ("base", "timed") and said.startswith(before.strip()) and said.endswith(after.strip()):
            return said.removeprefix(before.strip()).removesuffix(after.strip()).strip(), kind == "timed"
    return prompt, False


def prompt_for(text: str, *, timed: bool, file: Path | None = None) -> str:
    """Return the prompt of a query. ``file``: see :func:`templates`. Raises PromptError."""
    return templates(file)["timed" if timed else "base"].replace(PLACE, text)
