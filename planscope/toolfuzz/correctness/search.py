"""Makes sets of prompts that mean the same, has an agent run them, and has its answers judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from planscope.toolfuzz.correctness.checks import PromptRun, PromptSet, cross_calls, read_score
from planscope.toolfuzz.correctness.templates import (
    Filled,
    natural,
    prompts,
    read_fillings,
    read_templates,
    same_meaning,
)

SETS = 4
"""Sets of prompts for each tool, if nothing else is asked for."""

PROMPTS = 6
"""Prompts of a set."""

TRIES = 3
"""Times that a model is asked for templates, before what there is must do."""

MOST_TOLD = 4000
"""Characters of a tool's output or an agent's answer that the judge is told."""

NOT_CALLED = "(the tool was not called)"
NO_OUTPUT = "(no output)"


class Door(Protocol):
    """What the search needs of a model and of an agent."""

    def ask(self, name: str, **fields: str) -> Any:
        """Ask the model a prompt of the data file. Return its JSON answer, None if it cannot be read."""

    def run(self, filled: Filled, prompt: str) -> PromptRun:
        """Have the agent run a prompt with all tools of the target, from their first state."""


@dataclass(frozen=True)
class About:
    """A tool as prompts tell of it. ``source``: its code, for ``whitebox`` alone."""

    name: str
    description: str
    schema: Mapping[str, Any]
    source: str = ""

    def told(self, *, source: bool = False) -> str:
        """Describe the tool: what an agent is told, and its code if that is asked for."""
        arguments = json.dumps(self.schema.get("properties", {}))
        text = f"{self.name}: {' '.join(self.description.split())}\nArguments: {arguments}"
        return f"{text}\nSource code:\n{self.source}" if source and self.source else text


@dataclass
class Correctness:
    """The search for correctness failures. ``sets`` and ``remarks`` grow while it runs, and are whole at any moment.

    ``heard`` is told after each prompt and each score. What the door raises ends the search: the set that is being made
    is kept if two of its prompts were run.
    """

    tools: Sequence[About]
    door: Door
    seed: int = 1
    context: str = ""
    most_sets: int = SETS
    most_prompts: int = PROMPTS
    heard: Callable[[], None] = lambda: None
    sets: list[PromptSet] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    made_for: list[tuple[str, PromptRun]] = field(default_factory=list)

    def run(self) -> None:
        """Test all tools, one after another."""
        for tool in self.tools:
            self.run_tool(tool)

    def run_tool(self, tool: About) -> None:
        used: list[str] = []
        templates = self._templates(tool)
        if not templates:
            self.remarks.append(f"{tool.name}: the model gave no template of a prompt that can be used.")
        for template in templates[: self.most_sets]:
            fillings = self._fillings(tool, template, used)
            if fillings is None:
                self.remarks.append(f"{tool.name}: the model gave no synonyms for {template!r}.")
                continue
            used += [words[0] for words in fillings.values()]
            self._set(tool, template, fillings)

    @property
    def matrix(self) -> list[dict[str, Any]]:
        """Which tools the prompts for each tool led to (``checks.cross_calls``)."""
        return cross_calls(self.made_for, [tool.name for tool in self.tools])

    # --- prompts ---

    def _templates(self, tool: About) -> list[str]:
        """Ask for templates until there are enough (Figure 12)."""
        found: dict[str, str] = {}
        for _ in range(TRIES):
            answer = self.door.ask(
                "templates", tool_prompt=tool.told(), tool_context=self.context, count=str(self.most_sets)
            )
            for one in read_templates(answer):
                found.setdefault(one.casefold(), one)
            if len(found) >= self.most_sets:
                break
        return list(found.values())

    def _fillings(self, tool: About, template: str, used: Sequence[str]) -> dict[str, list[str]] | None:
        """Ask for synonyms that fill a template (Figure 13)."""
        for _ in range(TRIES):
            answer = self.door.ask(
                "fillings",
                template_prompt=template,
                tool_prompt=tool.told(),
                tool_context=self.context,
                used_args=json.dumps(used[-40:], ensure_ascii=False),
            )
            found = read_fillings(answer, template)
            if found is not None:
                return found
        return None

    def _worded(self, tool: About, filled: Sequence[Filled]) -> list[str]:
        """Ask for natural wordings (Figure 14). One is used only if the model says that it means the same."""
        plain = [one.text for one in filled]
        answer = self.door.ask(
            "natural", tool_prompt=tool.told(), prompts=json.dumps(plain, ensure_ascii=False)
        )
        worded = natural(filled, answer)
        if worded is None or worded == plain:
            return plain
        pairs = [{"before": a, "after": b} for a, b in zip(plain, worded, strict=True)]
        answer = self.door.ask("same_meaning", pairs=json.dumps(pairs, ensure_ascii=False))
        same = same_meaning(answer, len(plain)) or [False] * len(plain)
        made = [b if good else a for a, b, good in zip(plain, worded, same, strict=True)]
        return made if len(set(made)) == len(made) else plain

    # --- one set ---

    def _set(self, tool: About, template: str, fillings: Mapping[str, Sequence[str]]) -> None:
        filled = prompts(template, fillings, self.most_prompts, f"{self.seed}\x1f{tool.name}")
        worded = self._worded(tool, filled)
        made = PromptSet(tool.name, template, fillings)
        self.sets.append(made)
        try:
            for one, prompt in zip(filled, worded, strict=True):
                run = self.door.run(one, prompt)
                made.runs.append(run)
                self.made_for.append((tool.name, run))
                self.heard()
            made.expectation = self._expectation(tool, worded)
            for run in made.runs:
                self._judge(made, run)
                self.heard()
        except BaseException:
            if len(made.runs) < 2:
                self.sets.remove(made)
            raise

    def _expectation(self, tool: About, worded: Sequence[str]) -> str | None:
        """Have the model answer the prompts without tools, and merge the answers (Figures 15 and 16)."""
        answers = _texts(self.door.ask("answers", tool_prompt=tool.told(), questions="\n".join(worded)))
        if not answers:
            return None
        merged = _texts(self.door.ask("expectation", sentences="\n".join(answers)))
        return " ".join(merged) or None

    def _judge(self, made: PromptSet, run: PromptRun) -> None:
        """Score an answer by what the tool gave back and by the expectation (Figure 17)."""
        if not run.answered or made.expectation is None:
            return
        outputs = [NO_OUTPUT if c.output is None else c.output for c in run.calls if c.tool == made.tool]
        said = self.door.ask(
            "judge",
            agent_output=(run.answer or "")[:MOST_TOLD],
            tool_output="\n".join(outputs)[:MOST_TOLD] or NOT_CALLED,
            expected=made.expectation[:MOST_TOLD],
        )
        run.score, run.reason = read_score(said)


def _texts(answer: Any) -> list[str]:
    """Return the texts of an answer: a text, a list of texts, or an object that has either."""
    if isinstance(answer, str):
        return [answer] if answer.strip() else []
    if isinstance(answer, Mapping):
        return [text for value in answer.values() if isinstance(value, str | list) for text in _texts(value)]
    if isinstance(answer, list):
        return [text for value in answer for text in _texts(value)]
    return []
