"""The prompts for models: the paper's own (Figures 10 to 24), which a user's file may replace."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from planscope.errors import UserError
from planscope.safe import visible

LARGEST_FILE = 1_000_000
LONGEST_FIELD = 40_000
"""Characters of one field that a model is told."""
_FIELD = re.compile(r"\{([a-z_]+)\}")
_ANSWER = "format_instructions"


def describe(name: str, description: str, schema: Mapping[str, object]) -> str:
    """Describe a tool to a model: what an agent is told of it."""
    arguments = json.dumps(schema.get("properties", {}))
    return f"{name}: {' '.join(description.split())}\nArguments: {arguments}"


@dataclass(frozen=True)
class Prompts:
    """Texts by name, with fields in braces, and the form of the answer that each asks for."""

    texts: Mapping[str, str]
    forms: Mapping[str, str]

    def filled(self, name: str, fields: Mapping[str, str]) -> str:
        """Return a prompt with its fields filled in, once: braces in a field are text. Raises KeyError for one without
        a value."""
        values = {**fields, _ANSWER: self.forms[name]}
        return _FIELD.sub(lambda m: values[m[1]][:LONGEST_FIELD], self.texts[name]).strip()


def load_prompts(file: Path | None = None) -> Prompts:
    """Return the prompts, with those of a user's file in place of the same names. Raises UserError with one line."""
    own = tomllib.loads((files("planscope.toolfuzz") / "data" / "prompts.toml").read_text(encoding="utf-8"))
    forms: dict[str, str] = own.pop(_ANSWER)
    if file is None:
        return Prompts(own, forms)
    given = _read(file)
    new_forms = given.pop(_ANSWER, {})
    if not isinstance(new_forms, dict):
        raise UserError(f"{file}: {_ANSWER} must be a table, [{_ANSWER}], with a text for each prompt")
    for name, text in [*given.items(), *new_forms.items()]:
        if name not in own:
            raise UserError(
                f"{file}: there is no prompt {visible(name, limit=40)!r}; the prompts are {', '.join(own)}"
            )
        if not isinstance(text, str) or not text.strip():
            raise UserError(f"{file}: {name} must be a text")
    texts = {name: str(text) for name, text in given.items()}
    for name, text in texts.items():
        allowed, used = _fields(own[name]), _fields(text)
        if wrong := sorted(used - allowed):
            raise UserError(f"{file}: {name} has no field {{{wrong[0]}}}; its fields are {_named(allowed)}")
        if _ANSWER not in used:
            raise UserError(f"{file}: {name} must have {{{_ANSWER}}}, which says what the answer looks like")
        if not used - {_ANSWER}:
            raise UserError(f"{file}: {name} uses no field; its fields are {_named(allowed)}")
    return Prompts({**own, **texts}, {**forms, **new_forms})


def _fields(text: str) -> set[str]:
    return set(_FIELD.findall(text))


def _named(fields: set[str]) -> str:
    return ", ".join(f"{{{one}}}" for one in sorted(fields))


def _read(file: Path) -> dict[str, object]:
    try:
        with file.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise UserError(f"{file} is larger than a megabyte; it must be a file of prompts (TOML)")
        return dict(tomllib.loads(data.decode("utf-8")))
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file} is not TOML: {visible(str(error), limit=200)}") from None
