"""Typed events of a run, in the order in which they happened. ``at`` is seconds since the run began."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Event(BaseModel):
    """``kept``: it happened in the run that this one was forked from, and is no part of what was run anew."""

    model_config = ConfigDict(extra="allow", frozen=True, ser_json_inf_nan="constants")

    at: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    kept: Literal[True] | None = None


class PromptEvent(_Event):
    """What the agent was asked; ``system`` is its role prompt, if any."""

    type: Literal["prompt"] = "prompt"
    text: str
    system: str | None = None


class Usage(BaseModel):
    """Tokens of one model call, as the provider counts them."""

    model_config = ConfigDict(extra="allow", frozen=True, ser_json_inf_nan="constants")

    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class MessageEvent(_Event):
    """One answer of the model: its text or thought. ``message`` is the whole message as JSON (to fork from).

    ``refusal``: the model refused, in these words. ``finish``: why it stopped early (``length``, ``content_filter``).
    ``structured``: the answer as data, of an agent that was asked for a certain form.
    """

    type: Literal["message"] = "message"
    text: str = ""
    took: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    usage: Usage | None = None
    message: dict[str, Any] | None = None
    refusal: str | None = None
    finish: str | None = None
    structured: Any = None


class CallEvent(_Event):
    """One tool call, a step. ``arguments`` is None where they could not be read: ``raw`` and ``error`` say more.

    ``asked``: what the agent had passed where the user changed the arguments before the call was done.
    """

    type: Literal["call"] = "call"
    step: int = Field(ge=1)
    tool: str
    arguments: dict[str, Any] | None = None
    raw: str | None = None
    error: str | None = None
    call_id: str | None = None
    asked: dict[str, Any] | None = None


class AnswerEvent(_Event):
    """What the tool of ``step`` answered.

    ``refused_by``: the call was kept from its tool, and ``text`` tells the agent why. ``said``: what the tool had
    answered where the user changed it. ``to_graph``: what a tool told the graph besides, as LangGraph's ``Command``:
    where to ``goto``, what to ``update``. ``artifact``: what it gave to the program, and no model was sent.
    """

    type: Literal["answer"] = "answer"
    step: int = Field(ge=1)
    text: str
    status: Literal["ok", "error"] = "ok"
    took: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    call_id: str | None = None
    refused_by: Literal["guard", "user"] | None = None
    said: str | None = None
    to_graph: dict[str, Any] | None = None
    artifact: Any = None


class ErrorEvent(_Event):
    """Trouble that is not the agent's planning: of the model, the network, the tool's code."""

    type: Literal["error"] = "error"
    kind: str
    text: str


class EndEvent(_Event):
    """How the run came to an end (``planscope.oracle.trace.Ending``, less ``running``)."""

    type: Literal["end"] = "end"
    ending: Literal["stopped", "timeout", "call_limit", "aborted"]
    reason: str | None = None


Event = Annotated[
    PromptEvent | MessageEvent | CallEvent | AnswerEvent | ErrorEvent | EndEvent, Field(discriminator="type")
]
