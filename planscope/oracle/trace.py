"""The oracle's input: the calls that an agent made, in order, and how its run ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Ending = Literal["stopped", "timeout", "call_limit", "aborted", "running"]
"""``stopped``: the agent said that it was done. ``timeout``, ``call_limit``: a limit ended the run. ``aborted``: the
model, the network or the user ended it. ``running``: the run has not ended."""

RESTART_TOOL = "ask_for_restart"


@dataclass(frozen=True, slots=True)
class Heard:
    """A user message. ``at``: seconds since the run began, None if not known."""

    text: str
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Around:
    """What is known around a call. Queries do not ask for it; rules do.

    ``answer`` is what the model read, None if there was none or, with ``answered``, if it was not captured. ``begins``:
    the call begins a message of the model; the calls of one message do not know each other's answers. ``heard``: what
    the user said since the call before.
    """

    answer: str | None = None
    answered: bool = False
    begins: bool = True
    at: float | None = None
    agent: str | None = None
    heard: tuple[Heard, ...] = ()


NOTHING_AROUND = Around()


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as the agent made it. ``arguments`` is None if they could not be read (``error`` says why).

    ``refused``: a guard or the user blocked the call, so it is no execution and no error of the agent. ``failed``: the
    tool answered with an error; it matters for real tools only, because the oracle judges mock tools itself.
    """

    tool: str
    arguments: Mapping[str, Any] | None = field(default_factory=dict)
    error: str | None = None
    refused: bool = False
    failed: bool = False
    around: Around = field(default=NOTHING_AROUND, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Trace:
    """The calls of one run. Steps count from 1 in this order, over all attempts; the end is a step of its own.

    For rules: ``heard`` is what the user said after the last call; ``tools`` are the schemas of the tools that the
    agent was given, by name, None if not recorded.
    """

    calls: tuple[Call, ...] = ()
    ending: Ending = "stopped"
    reason: str | None = None
    heard: tuple[Heard, ...] = field(default=(), compare=False, repr=False)
    tools: Mapping[str, Mapping[str, Any] | None] | None = field(default=None, compare=False, repr=False)
