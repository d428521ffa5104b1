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


@dataclass(frozen=True, slots=True)
class Trace:
    """The calls of one run. Steps count from 1 in this order, over all attempts; the end is a step of its own."""

    calls: tuple[Call, ...] = ()
    ending: Ending = "stopped"
    reason: str | None = None
