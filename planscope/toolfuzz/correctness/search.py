"""Makes sets of prompts that mean the same, has an agent run them, and has its answers judged."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from planscope.session.model import FuzzPrompt
from planscope.toolfuzz.correctness.checks import PromptSet, cross_calls, read_score
from planscope.toolfuzz.correctness.templates import (
    Filled,
    natural,
    prompts,
    read_fillings,
    read_templates,
    same_meaning,
)
from planscope.toolfuzz.outcome import Made
from planscope.toolfuzz.tool_report import ToolReport

SETS = 4
"""Sets of prompts for each tool, if nothing else is asked for."""

PROMPTS = 6
"""Prompts of a set."""

TRIES = 3
"""Times that a model is asked for templates, before what there is must do."""

MOST_USED = 40
"""Fillings that the model is told not to use again."""

MOST_TOLD = 4000
"""Characters of a tool's output or an agent's answer that the judge is told."""

NOT_CALLED = "(the tool was not called)"
NO_OUTPUT = "(no output)"

Value = TypeVar("Value")


class Asks(Protocol):
    """What is needed of a model."""

    def ask_for(
        self, name: str, read: Callable[[object], Value | None], fields: Mapping[str, str]
    ) -> Value | None:
        """Ask the model a prompt of the data file. Return what ``read`` makes of its JSON; None: unreadable."""


class Door(Asks, Protocol):
    """What the search needs of a model and of an agent."""

    def run(self, prompt: str, filled: Filled) -> tuple[FuzzPrompt, Sequence[Made]]:
        """Have the agent run a prompt with all tools of the target, from their first state. Return also its calls."""


@dataclass
class Correctness:
    """The search for correctness failures. ``sets`` and ``remarks`` grow while it runs, and are whole at any moment.

    ``heard`` is told after each prompt and each score. What the door raises ends the search: the set that is being made
    is kept if two of its prompts were run. ``most_calls`` and ``seconds``: budgets of each tool.
    """

    tools: Sequence[ToolReport]
    door: Door
    seed: int = 1
    context: str = ""
    most_sets: int = SETS
    most_prompts: int = PROMPTS
    most_calls: int | None = None
    seconds: float | None = None
    heard: Callable[[], None] = lambda: None
    sets: list[PromptSet] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    made_for: list[tuple[str, FuzzPrompt]] = field(default_factory=list)

    def run(self) -> None:
        """Test all tools, one after another."""
        for tool in self.tools:
            self.run_tool(tool)

    def run_tool(self, tool: ToolReport) -> None:
        """Test one tool. No set is begun once the tool's budget of seconds or calls is spent."""
        began = time.monotonic()
        used: list[str] = []
        templates = self._templates(tool)
        if not templates:
            self.remarks.append(f"{tool.name}: the model gave no template of a prompt that can be used.")
        made = 0
        for template in templates:
            if made == self.most_sets or self._spent(tool, time.monotonic() - began):
                break
            fillings = self._fillings(tool, template, used)
            if fillings is None:
                self.remarks.append(f"{tool.name}: the model gave no synonyms for {template!r}.")
                continue
            used += [words[0] for words in fillings.values()]
            self._set(tool, template, fillings)
            made += 1

    def _spent(self, tool: ToolReport, seconds: float) -> bool:
        calls = sum(call.tool == tool.name for _, run in self.made_for for call in run.calls)
        return (self.most_calls is not None and calls >= self.most_calls) or (
            self.seconds is not None and seconds >= self.seconds
        )

    @property
    def matrix(self) -> list[dict[str, object]]:
        """Which tools the prompts for each tool led to (``checks.cross_calls``)."""
        return cross_calls(self.made_for, [tool.name for tool in self.tools])

    # --- prompts ---

    def _templates(self, tool: ToolReport) -> list[str]:
        """Ask for templates until there are enough (Figure 12)."""
        found: dict[str, str] = {}
        loose: dict[str, str] = {}
        fields = {"tool_prompt": tool.told(), "tool_context": self.context, "count": str(self.most_sets)}
        for _ in range(TRIES):
            before = len(loose)
            said = self.door.ask_for("templates", _templates_in, fields) or ((), ())
            for kept, some in zip((found, loose), said, strict=True):
                for one in some:
                    kept.setdefault(one.casefold(), one)
            if len(found) >= self.most_sets or (loose and len(loose) == before):
                break
        return list((found or loose).values())

    def _fillings(self, tool: ToolReport, template: str, used: Sequence[str]) -> dict[str, list[str]] | None:
        """Ask for synonyms that fill a template (Figure 13)."""
        fields = {
            "template_prompt": template,
            "tool_prompt": tool.told(),
            "tool_context": self.context,
            "used_args": json.dumps(used[-MOST_USED:], ensure_ascii=False),
        }
        return self.door.ask_for("fillings", lambda said: read_fillings(said, template), fields)

    def _worded(self, tool: ToolReport, filled: Sequence[Filled]) -> list[str]:
        """Ask for natural wordings (Figure 14). One is used only if the model says that it means the same."""
        plain = [one.text for one in filled]
        fields = {"tool_prompt": tool.told(), "prompts": json.dumps(plain, ensure_ascii=False)}
        worded = self.door.ask_for("natural", lambda said: natural(filled, said), fields)
        if worded is None or worded == plain:
            return plain
        pairs = [{"before": a, "after": b} for a, b in zip(plain, worded, strict=True)]
        fields = {"pairs": json.dumps(pairs, ensure_ascii=False)}
        same = self.door.ask_for("same_meaning", lambda said: same_meaning(said, len(plain)), fields)
        if same is None:
            return plain
        made = [b if good else a for a, b, good in zip(plain, worded, same, strict=True)]
        return made if len(set(made)) == len(made) else plain

    # --- one set ---

    def _set(self, tool: ToolReport, template: str, fillings: dict[str, list[str]]) -> None:
        filled = prompts(template, fillings, self.most_prompts, f"{self.seed}\x1f{tool.name}")
        worded = self._worded(tool, filled)
        made = PromptSet(tool=tool.name, template=template, fillings=fillings)
        self.sets.append(made)
        try:
            for one, prompt in zip(filled, worded, strict=True):
                run, _ = self.door.run(prompt, one)
                made.runs.append(run)
                self.made_for.append((tool.name, run))
                self.heard()
            if any(run.answered for run in made.runs):
                made.expectation = expectation(self.door, tool.told(), worded)
            for run in made.runs:
                judge(self.door, made, run)
                self.heard()
        except BaseException:
            if len(made.runs) < 2:
                self.sets.remove(made)
            raise


def expectation(models: Asks, tool: str, prompts: Sequence[str]) -> str | None:
    """Have the model answer prompts that mean the same without tools, and merge the answers (Figures 15 and 16)."""
    answers = models.ask_for("answers", _texts, {"tool_prompt": tool, "questions": "\n".join(prompts)})
    if not answers:
        return None
    merged = models.ask_for("expectation", _texts, {"sentences": "\n".join(answers)})
    return " ".join(merged) if merged else None


def judge(models: Asks, made: PromptSet, run: FuzzPrompt) -> None:
    """Score an answer by what the tool gave back and by the set's expectation (Figure 17)."""
    if not run.answered or made.expectation is None:
        return
    outputs = [NO_OUTPUT if c.output is None else c.output for c in run.calls if c.tool == made.tool]
    fields = {
        "agent_output": (run.answer or "")[:MOST_TOLD],
        "tool_output": "\n".join(outputs)[:MOST_TOLD] or NOT_CALLED,
        "expected": made.expectation[:MOST_TOLD],
    }
    found = models.ask_for("judge", read_score, fields)
    if found is not None:
        run.score, run.reason = found


def _templates_in(answer: object) -> tuple[list[str], list[str]] | None:
    """Return the good templates of an answer, and all that can be used."""
    loose = read_templates(answer, loose=True)
    return (read_templates(answer), loose) if loose else None


def _texts(answer: object) -> list[str] | None:
    """Return the texts of an answer: a text, a list of texts, or an object that has either. None if there is none."""
    if isinstance(answer, str):
        return [answer] if answer.strip() else None
    parts = (
        list(answer.values()) if isinstance(answer, Mapping) else answer if isinstance(answer, list) else []
    )
    return [text for part in parts for text in _texts(part) or ()] or None
