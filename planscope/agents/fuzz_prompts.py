"""Runs an agent with the prompts of ``planscope fuzz --correctness``, and remembers its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from planscope.agents.fuzz_models import FuzzModels, ToolRun
from planscope.toolfuzz.correctness.checks import Call, PromptRun
from planscope.toolfuzz.correctness.templates import Filled
from planscope.toolfuzz.served import ServedTools

Value = TypeVar("Value")


class PromptDoor:
    """The door of the search (``toolfuzz.correctness.search.Door``) to models and to an agent with sandboxed tools.

    ``runs``: what the agent did, by the identity of each ``PromptRun``.
    """

    def __init__(self, models: FuzzModels, tools: ServedTools) -> None:
        self.models, self.tools = models, tools
        self.runs: list[tuple[PromptRun, ToolRun]] = []

    def ask_for(
        self, name: str, read: Callable[[Any], Value | None], fields: Mapping[str, str]
    ) -> Value | None:
        """Ask a prompt of the data file (:meth:`FuzzModels.ask_for`)."""
        return self.models.ask_for(name, read, fields)

    def run(self, prompt: str, filled: Filled) -> PromptRun:
        """Have the agent run a prompt. A model that is down is the run's ``error``. Raises BudgetSpent."""
        made = self.models.run(prompt, self.tools)
        run = PromptRun(
            prompt,
            filled.text,
            filled.words,
            [
                Call(
                    call.tool,
                    call.arguments,
                    call.text,
                    call.outcome.failed or call.outcome.kind == "refused",
                    call.outcome,
                )
                for call in made.calls
            ],
            answer=made.answer or None,
            error=made.down or None,
        )
        self.runs.append((run, made))
        return run
