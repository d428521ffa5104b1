"""The paper's baselines (5.1): a model makes prompts from the documentation, for ``whitebox`` also from the code.

For errors at run time the agent runs prompts that should make the tool crash (Figure 18). For wrong answers it runs
prompts that should mislead it (Figure 19), and a judge says of each answer alone whether it is correct (Figure 20).
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from planscope.safe import visible
from planscope.toolfuzz.correctness.checks import Call, PromptRun
from planscope.toolfuzz.correctness.search import MOST_TOLD, TRIES, About, Door
from planscope.toolfuzz.correctness.templates import LONGEST, Filled, texts_in
from planscope.wording.phrases import plural

Aim = Literal["crash_prompts", "wrong_prompts"]


@dataclass
class Tried:
    """A prompt that a model made for a tool. ``correct``: what the judge says of the answer; None: unjudged, or not
    asked."""

    tool: str
    aim: Aim
    run: PromptRun
    correct: bool | None = None

    def as_data(self) -> dict[str, Any]:
        """Return the prompt as the JSON document has it."""
        run = self.run
        return {
            "tool": self.tool,
            "aim": "runtime" if self.aim == "crash_prompts" else "correctness",
            "prompt": run.prompt,
            "calls": [call.as_data() for call in run.calls],
            "answer": run.answer,
            "correct": self.correct,
            "reason": run.reason,
            "error": run.error,
        }


@dataclass
class Baseline:
    """A search by one of the baselines. ``tried`` grows while it runs. ``most``: prompts for each tool and aim."""

    tools: Sequence[About]
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

    def _run(self, tool: About, aim: Aim) -> None:
        prompts = self._prompts(tool, aim)
        if not prompts:
            self.remarks.append(f"{tool.name}: the model gave no prompt that can be used.")
        for prompt in prompts:
            one = Tried(tool.name, aim, self.door.run(prompt, Filled(prompt, {})))
            self.tried.append(one)
            if aim == "wrong_prompts" and one.run.answered:
                fields = {"question": prompt, "answer": (one.run.answer or "")[:MOST_TOLD]}
                said = self.door.ask_for("is_correct", read_correct, fields)
                if said is not None:
                    one.correct, one.run.reason = said
            self.heard()

    def _prompts(self, tool: About, aim: Aim) -> list[str]:
        found: dict[str, None] = {}
        for _ in range(TRIES):
            fields = {"tool_info": tool.told(source=self.source)}
            found.update(dict.fromkeys(self.door.ask_for(aim, _prompts_in, fields) or ()))
            if len(found) >= self.most:
                break
        return list(found)[: self.most]


def _prompts_in(answer: Any) -> list[str] | None:
    return [one for one in texts_in(answer) if one.strip() and len(one) <= LONGEST] or None


def read_correct(answer: Any) -> tuple[bool, str] | None:
    """Return whether a judge calls an answer correct, and its reason; None if it does not say."""
    if not isinstance(answer, Mapping) or not isinstance(answer.get("correct"), bool):
        return None
    reason = next((answer[k] for k in ("reason", "reasoning") if isinstance(answer.get(k), str)), "")
    return answer["correct"], reason


def found_by(tried: Sequence[Tried]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the findings of a baseline as the report has them: an error of a tool once, each wrong answer alone."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    numbers: Counter[str] = Counter()
    for one in tried:
        numbers[one.tool] += 1
        if one.aim == "crash_prompts":
            for call in one.run.calls:
                outcome = call.outcome
                if outcome is None or not outcome.failed:
                    continue
                key = (call.tool, outcome.key)
                if key in found:
                    found[key]["occurrences"] += 1
                else:
                    found[key] = _finding(one, call, numbers[one.tool])
        elif one.correct is False:
            own = next((call for call in one.run.calls if call.tool == one.tool), None)
            found[(one.tool, f"wrong\x1f{len(found)}")] = _finding(one, own, numbers[one.tool])
    return found


def _finding(one: Tried, call: Call | None, at: int) -> dict[str, Any]:
    crash = one.aim == "crash_prompts"
    outcome = call.outcome if call is not None and crash else None
    return {
        "tool": call.tool if call is not None and crash else one.tool,
        "kind": "inconsistent" if outcome is None else outcome.kind,
        "exception": None if outcome is None else outcome.exception,
        "message": f"the judge calls the answer wrong: {one.run.reason}"
        if outcome is None
        else outcome.message,
        "location": None if outcome is None else outcome.location,
        "input": call.arguments if call is not None and isinstance(call.arguments, dict) else {},
        "shrunk": None,
        "at_call": at,
        "occurrences": 1,
        "shrink_calls": 0,
        "needs": None,
        "documented": False,
        "traceback": "" if outcome is None else outcome.traceback,
        "source": "" if outcome is None else outcome.line,
        "printed": "",
        "prompt": one.run.prompt,
    }


def outcome_of(one: Tried) -> str:
    """Say how a prompt ended: whether the tool failed, or what the judge says."""
    if one.aim == "crash_prompts":
        failed = any(call.outcome is not None and call.outcome.failed for call in one.run.calls)
        return "failed" if failed else "no failure"
    return {True: "correct", False: "wrong", None: "unjudged"}[one.correct]


def tried_lines(tried: Sequence[Tried], width: int) -> Iterator[str]:
    """Yield the prompts of a baseline as text."""
    for aim, told in (
        ("crash_prompts", "should make it crash"),
        ("wrong_prompts", "should make its answer wrong"),
    ):
        some = [one for one in tried if one.aim == aim]
        if not some:
            continue
        yield f"prompts that {told}: {plural(len(some), 'prompt')}"
        for one in some:
            ended = f"no data: {one.run.error}" if one.run.error else outcome_of(one)
            text = visible(f"  {one.tool}, {ended}: {one.run.prompt}")
            yield from textwrap.wrap(text, width, subsequent_indent="     ", max_lines=4, placeholder=" ...")
        yield ""
