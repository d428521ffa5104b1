"""Runs an agent with the prompts of ``planscope fuzz --correctness``, and remembers its runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from planscope.session.model import FuzzCall, FuzzPrompt
from planscope.toolfuzz.correctness.baselines import Aim, Baseline
from planscope.toolfuzz.correctness.search import PROMPTS, SETS, Correctness
from planscope.toolfuzz.correctness.templates import Filled
from planscope.toolfuzz.models import FuzzModels, ModelDown, ToolRun
from planscope.toolfuzz.outcome import UNRECORDED, Made
from planscope.toolfuzz.report import Report, infrastructure
from planscope.toolfuzz.served import ServedTools, ToolsLost
from planscope.toolfuzz.spending import BudgetSpent
from planscope.wording.phrases import plural
from planscope.wording.terms import capital

Value = TypeVar("Value")

MOST_DOWN = 3
"""Runs of an agent that may be down one after another, before the search ends."""

LARGEST_OUTPUT = 100_000
"""Characters of a tool's output and of an agent's answer that are compared and kept."""


class PromptDoor:
    """The door of the search (``toolfuzz.correctness.search.Door``) to models and to an agent with sandboxed tools.

    ``runs``: what the agent did with each prompt.
    """

    def __init__(self, models: FuzzModels, tools: ServedTools) -> None:
        self.models, self.tools = models, tools
        self.runs: list[tuple[FuzzPrompt, ToolRun]] = []
        self._down = 0

    def ask_for(
        self, name: str, read: Callable[[object], Value | None], fields: Mapping[str, str]
    ) -> Value | None:
        """Ask a prompt of the data file (:meth:`FuzzModels.ask_for`)."""
        return self.models.ask_for(name, read, fields)

    def run(self, prompt: str, filled: Filled) -> tuple[FuzzPrompt, Sequence[Made]]:
        """Have the agent run a prompt. A model that is down is the run's ``error``.

        Raises BudgetSpent, ToolsLost, and ModelDown when the agent was down :data:`MOST_DOWN` times one after another.
        """
        made = self.models.run(prompt, self.tools)
        self._down = self._down + 1 if made.down else 0
        if self._down >= MOST_DOWN:
            raise ModelDown(made.down)
        run = prompt_run(made, filled)
        self.runs.append((run, made))
        return run, made.calls


def prompt_run(made: ToolRun, filled: Filled | None = None) -> FuzzPrompt:
    """Return a run of the agent as the checks of a set want it. ``filled``: the template's filling that it ran."""
    calls = [
        FuzzCall(
            tool=call.tool,
            arguments=call.arguments,
            output=None if call.kind == UNRECORDED else call.text[:LARGEST_OUTPUT],
            failed=call.kind != "ok",
        )
        for call in made.calls
    ]
    one = filled or Filled(made.request, {})
    return FuzzPrompt(
        prompt=made.request, filled=one.text, words=dict(one.words), calls=calls, score=None, reason="", run=None,
        answer=made.answer[:LARGEST_OUTPUT] or None, error=made.down or None,
    )  # fmt: skip


Method = Literal["toolfuzz", "graybox", "whitebox"]


@dataclass(frozen=True)
class PromptOptions:
    """What to search with prompts. ``runtime`` and ``correctness``: the aims; the own method has no prompts for the
    first. ``context``: what the model is told of where the tool works. ``sets``: of a tool; ``prompts``: of a set.
    """

    runtime: bool = True
    correctness: bool = True
    method: Method = "toolfuzz"
    context: str = ""
    sets: int = SETS
    prompts: int = PROMPTS


def search_prompts(
    models: FuzzModels,
    tools: ServedTools,
    report: Report,
    options: PromptOptions,
    heard: Callable[[str], None] = lambda _: None,
) -> None:
    """Search with prompts of a model. The report grows, and is whole at any moment.

    A budget that is spent ends the search with a remark; a model that is down is also a finding that blames no tool.
    """
    door = PromptDoor(models, tools)
    search: Correctness | Baseline
    if options.method == "toolfuzz":
        search = Correctness(
            tools.tools,
            door,
            seed=report.seed,
            context=options.context,
            most_sets=options.sets,
            most_prompts=options.prompts,
            most_calls=tools.options.most_calls,
            seconds=tools.options.seconds,
        )
    else:
        wanted: dict[Aim, bool] = {"runtime": options.runtime, "correctness": options.correctness}
        aims = [aim for aim, is_wanted in wanted.items() if is_wanted]
        most = options.sets * options.prompts
        search = Baseline(tools.tools, door, aims, options.method == "whitebox", most)

    def take() -> None:
        if isinstance(search, Baseline):
            report.put_tried(options.method, search.tried)
            heard(f"{plural(len(search.tried), 'prompt')}")
            return
        report.put_sets(search.sets, search.matrix)
        report.prompt_runs = [(prompt, made.run) for prompt, made in door.runs]
        prompts = sum(len(one.runs) for one in search.sets)
        heard(f"{plural(len(search.sets), 'set')} of prompts, {plural(prompts, 'run')} of the agent")

    search.heard = take
    began = time.monotonic()
    try:
        search.run()
    except (BudgetSpent, ModelDown, ToolsLost) as error:
        said = str(error)
        search.remarks.append(f"{capital(said)}; the search with prompts ended there.")
        if isinstance(error, ModelDown) and tools.tools:
            name = tools.tools[0].name
            report.findings[(name, "prompts")] = infrastructure(
                name, f"the search with prompts ended: {said}"
            )
    finally:
        take()
        report.seconds = round(report.seconds + time.monotonic() - began, 3)
        report.remarks += search.remarks
