"""The paper's baselines (5.1): a model makes prompts from the documentation, for ``whitebox`` also from the code.

For errors at run time the agent runs prompts that should make the tool crash (Figure 18). For wrong answers it runs
prompts that should mislead it (Figure 19), and a judge says of each answer alone whether it is correct (Figure 20).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from planscope.session.model import FuzzFinding, FuzzPrompt
from planscope.toolfuzz.correctness.search import MOST_TOLD, TRIES, Door
from planscope.toolfuzz.correctness.templates import LONGEST, Filled, texts_in
from planscope.toolfuzz.outcome import Made, Outcome
from planscope.toolfuzz.tool_report import ToolReport

Aim = Literal["runtime", "correctness"]
PROMPTS: Mapping[Aim, str] = {"runtime": "crash_prompts", "correctness": "wrong_prompts"}
"""The prompt of the data file for each aim."""


@dataclass
class Tried:
    """A prompt that a model made for a tool. ``correct``: what the judge says of the answer; None: unjudged, or not
    asked."""

    tool: str
    aim: Aim
    run: FuzzPrompt
    made: Sequence[Made] = ()
    correct: bool | None = None


@dataclass
class Baseline:
    """A search by one of the baselines. ``tried`` grows while it runs. ``most``: prompts for each tool and aim."""

    tools: Sequence[ToolReport]
    door: Door
    aims: Sequence[Aim]
    source: bool
    most: int
    heard: Callable[[], None] = lambda: None
    tried: list[Tried] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Test all tools, one after another."""
        for tool in self.tools:
            for aim in self.aims:
                self._run(tool, aim)

    def _run(self, tool: ToolReport, aim: Aim) -> None:
        prompts = self._prompts(tool, aim)
        if not prompts:
            self.remarks.append(f"{tool.name}: the model gave no prompt that can be used.")
        for prompt in prompts:
            one = Tried(tool.name, aim, *self.door.run(prompt, Filled(prompt, {})))
            self.tried.append(one)
            if aim == "correctness" and one.run.answered:
                fields = {"question": prompt, "answer": (one.run.answer or "")[:MOST_TOLD]}
                said = self.door.ask_for("is_correct", read_correct, fields)
                if said is not None:
                    one.correct, one.run.reason = said
            self.heard()

    def _prompts(self, tool: ToolReport, aim: Aim) -> list[str]:
        found: dict[str, None] = {}
        for _ in range(TRIES):
            fields = {"tool_info": tool.told(source=self.source)}
            found.update(dict.fromkeys(self.door.ask_for(PROMPTS[aim], _prompts_in, fields) or ()))
            if len(found) >= self.most:
                break
        return list(found)[: self.most]


def _prompts_in(answer: object) -> list[str] | None:
    return [one for one in texts_in(answer) if one.strip() and len(one) <= LONGEST] or None


def read_correct(answer: object) -> tuple[bool, str] | None:
    """Return whether a judge calls an answer correct, and its reason; None if it does not say."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("correct"), bool):
        return None
    reason = next((answer[k] for k in ("reason", "reasoning") if isinstance(answer.get(k), str)), "")
    return answer["correct"], reason


def found_by(tried: Sequence[Tried]) -> dict[tuple[str, str], FuzzFinding]:
    """Return the findings of a baseline as the report has them: an error of a tool once, each wrong answer alone."""
    found: dict[tuple[str, str], FuzzFinding] = {}
    numbers: Counter[str] = Counter()
    for one in tried:
        numbers[one.tool] += 1
        at = numbers[one.tool]
        if one.correct is False:
            own = next((call for call in one.made if call.tool == one.tool), None)
            wrong = Outcome("inconsistent", message=f"the judge calls the answer wrong: {one.run.reason}")
            found[one.tool, f"wrong\x1f{len(found)}"] = _finding(one, one.tool, wrong, own, at)
        for call in one.made if one.aim == "runtime" else ():
            if call.outcome.failed:
                key = (call.tool, call.outcome.key)
                made = found.get(key) or _finding(one, call.tool, call.outcome, call, at)
                found[key] = made.model_copy(update={"occurrences": made.occurrences + (key in found)})
    return found


def _finding(one: Tried, tool: str, outcome: Outcome, call: Made | None, at: int) -> FuzzFinding:
    given = call.arguments if call is not None else {}
    data = {"tool": tool, **outcome.as_finding(), "input": given, "at_call": at, "prompt": one.run.prompt}
    return FuzzFinding.model_validate(data)
