"""What planscope suggests for a command line when somebody presses Tab."""

from __future__ import annotations

import io
import shlex

import pytest
from argcomplete.finders import CompletionFinder

from planscope.cli import build_parser
from planscope.commands.completion import complete


class Left(Exception):
    """argcomplete has answered, and would leave the process."""


def leave(status: int) -> None:
    raise Left


def words(*typed: str, shell: str = "fish") -> list[str]:
    """What is suggested for the last of these words."""
    line = f"planscope {shlex.join(typed[:-1])}".rstrip() + f" {typed[-1]}"
    return answered(line, shell)


def answered(line: str, shell: str) -> list[str]:
    stream = io.StringIO()
    told = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "_ARGCOMPLETE_SHELL": shell,
        "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n\"'><=;|&(:" if shell == "bash" else "",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (told | {"COMP_LINE": line, "COMP_POINT": str(len(line))}).items():
            patch.setenv(name, value)
        patch.setattr(CompletionFinder, "_init_debug_stream", lambda self: None)  # it would take descriptor 9
        with pytest.raises(Left):
            complete(build_parser, stream=stream, leave=leave)
    return stream.getvalue().split("\v") if stream.getvalue() else []
