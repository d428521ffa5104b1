"""The door of ``planscope fuzz`` to models: questions that are answered as JSON, and agents with sandboxed tools.

What comes back is hostile text. A model that cannot be reached is never a fault of a tool: :class:`ModelDown`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self, TypeVar

from planscope.agents.asking import ask
from planscope.agents.event_loop import wait_for
from planscope.agents.models import LoadedModel, load_model, parse_model
from planscope.agents.paradigms import load_factory
from planscope.agents.toolset import ToolSpec
from planscope.errors import UserError
from planscope.session.json_bytes import plain_text, without_surrogates
from planscope.session.model import (
    EndEvent,
    Event,
    Limits,
    MessageEvent,
    Run,
)
from planscope.toolfuzz.answers import LARGEST, read_json
from planscope.toolfuzz.outcome import Made
from planscope.toolfuzz.prompts import Prompts, load_prompts
from planscope.toolfuzz.served import ServedTools, ToolsLost
from planscope.toolfuzz.spending import Spending

Value = TypeVar("Value")
ANSWER_SECONDS = 120.0
RUN_LIMITS = Limits(seconds=120.0, model_calls=15)
"""The limits of one run of the agent."""


class ModelDown(UserError):
    """A model cannot be reached, or refuses to work. The message says why, in one line without secrets."""


@dataclass
class ToolRun:
    """What an agent did with a user's request. ``run``: its record, without a variant.

    ``down``: why the agent did not get to an end, though no tool is to blame; "" if it did. ``answer``: its last words.
    ``files``: texts of the tools' folder at the end.
    """

    request: str
    run: Run
    calls: list[Made] = field(default_factory=list)
    answer: str = ""
    down: str = ""
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelOptions:
    """Which models, and what they may cost. ``prompt_model``: asks and judges, the agent's own by default.

    ``temperature`` is that of both; None: 0 where a model has one. ``prompts``: a user's file. ``tokens``, ``money``
    and ``price`` as in :class:`Spending`. ``files``: texts in the tools' folder at the start of each run of the agent.
    """

    model: str
    agent: str = "tools"
    prompt_model: str | None = None
    base_url: str | None = None
    temperature: float | None = None
    prompts: Path | None = None
    tokens: int | None = None
    money: float | None = None
    price: tuple[float, float] | None = None
    files: Mapping[str, str] = field(default_factory=dict)


class FuzzModels:
    """Models ready to be asked and to run as agents; ``with FuzzModels(options) as models``. From any thread.

    ``loaded``: the model that is the agent and is asked, if it is there already. Raises ``ModelUnavailable``,
    ``UnknownAgent`` or another UserError with one line.
    """

    def __init__(self, options: ModelOptions, loaded: LoadedModel | None = None) -> None:
        if options.money is not None and options.price is None:
            raise UserError("--budget-money needs --price IN,OUT: what a million tokens cost")
        for name in (options.model, options.prompt_model):
            if loaded is None and name is not None and parse_model(name).simulated:
                raise UserError(
                    f"{name} plans queries and reads no documentation; name a real model, such as openai:gpt-4o-mini"
                )
        self.options = options
        self.prompts: Prompts = load_prompts(options.prompts)
        self.spending = Spending(options.tokens, options.money, options.price)
        self.factory = load_factory(options.agent)
        self.agent = loaded or self._loaded(options.model, options.agent == "responses")
        asks = options.prompt_model or options.model
        same = loaded or (asks == options.model and options.agent != "responses")
        self.asked = self.agent if same else self._loaded(asks, False)

    def _loaded(self, name: str, responses: bool) -> LoadedModel:
        model = load_model(name, base_url=self.options.base_url, responses=responses)
        if self.options.temperature is not None:
            if not hasattr(model.chat, "temperature"):
                raise UserError(f"{name} has no temperature; leave --temperature out")
            model.chat.temperature = self.options.temperature
        return model

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def as_data(self) -> dict[str, object]:
        """Return models and costs as the JSON document has them."""
        return {
            "model": self.agent.spec.text,
            "agent": self.options.agent,
            "prompt_model": self.asked.spec.text,
            "temperature": self.options.temperature,
            **self.spending.as_data(),
        }

    def close(self) -> None:
        """Close the connections."""
        for model in {id(one): one for one in (self.agent, self.asked)}.values():
            wait_for(model.aclose())

    # --- questions ---

    def ask_for(
        self, name: str, read: Callable[[object], Value | None], fields: Mapping[str, str]
    ) -> Value | None:
        """Ask one of the prompts, and return what ``read`` makes of its JSON.

        An answer that is no JSON, or of which ``read`` makes None, is asked for once more; then it is None. ``sane`` is
        asked of the agent's model, which would make the call. Raises :class:`BudgetSpent` and :class:`ModelDown`.
        """
        text = plain_text(self.prompts.filled(name, fields))
        model = self.agent if name == "sane" else self.asked
        for _ in range(2):
            self.spending.check()
            said = wait_for(ask(model, text, ANSWER_SECONDS, LARGEST, ModelDown))
            self.spending.count(said.usage, len(text), len(said.text))
            answer = without_surrogates(read_json(said.text))
            value = None if answer is None else read(answer)
            if value is not None:
                return value
        return None

    # --- agents ---

    def run(
        self,
        request: str,
        tools: ServedTools,
        *,
        descriptions: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
        limits: Limits = RUN_LIMITS,
    ) -> ToolRun:
        """Have the agent run a user's request with the tools, from their first state.

        ``descriptions``: documentation in place of the tools' own, by name; ``files``: texts in the tools' folder, by
        default those of the options. A failure of model or agent is in ``down``. Raises :class:`BudgetSpent`, if a
        budget is spent before or meanwhile.
        """
        from planscope.agents.served_tool import ServedRun

        self.spending.check()
        options, words = self.options, descriptions or {}
        run = Run(
            id="r1", variant="v1", agent=options.agent, model=self.agent.spec.text, started=datetime.now(UTC)
        )
        made, read, lost = ToolRun(request, run), 0, ""
        specs = [ToolSpec(one.name, words.get(one.name, one.description), one.schema) for one in tools.tools]

        def replies(tool: str, arguments: Mapping[str, object] | None) -> tuple[str, bool]:
            """Make a call of the agent in the sandbox. Return the answer, and whether the tool gave it."""
            nonlocal lost
            try:
                call = tools.call(tool, dict(arguments or {}))
            except ToolsLost as error:
                lost = str(error)
                raise
            made.calls.append(call)
            return call.text, call.outcome.kind == "ok"

        def heard(event: Event) -> None:
            """Count what an event cost. Raises BudgetSpent."""
            nonlocal read
            read += len(getattr(event, "text", None) or "")
            if isinstance(event, MessageEvent):
                made.answer = event.text
                usage = (event.usage.input_tokens, event.usage.output_tokens) if event.usage else None
                self.spending.count(usage, read, len(event.text))
                self.spending.check()

        live = ServedRun(
            run, self.agent, limits, self.factory, request=request, specs=specs, call=replies, on_event=heard,
            lost=lambda: lost,
        )  # fmt: skip
        with tools.stage(options.files if files is None else files):
            wait_for(live.go())
        made.files = tools.files
        end = run.events[-1]
        if isinstance(end, EndEvent) and end.ending == "timeout":
            made.down = f"the agent did not end within {limits.seconds:g} seconds"
        elif isinstance(end, EndEvent) and end.ending == "aborted":
            made.down = end.reason or "the agent stopped"
        return made
