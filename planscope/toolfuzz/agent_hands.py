"""What a model and an agent say about findings of the fuzzer: would anybody call it so, and does an agent get there?

For each finding the model is asked whether it would make the call (Figure 10 of the ToolFuzz paper). If it would, it
writes a user's request that leads to the call (Figure 11), and the agent runs it with the tools. A model that is down
is infrastructure; a refusal is no finding.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from planscope.session.model import FuzzFinding, FuzzLed
from planscope.toolfuzz.models import FuzzModels, ModelDown, ToolRun
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.toolfuzz.report import Key, Report, infrastructure, is_counted, is_sequence
from planscope.toolfuzz.served import ServedTools, ToolsLost
from planscope.toolfuzz.spending import BudgetSpent
from planscope.toolfuzz.tool_report import ToolReport
from planscope.wording.terms import capital

LONGEST_ARGUMENTS = 4000
"""Characters of arguments that a model is told."""
LONGEST_REQUEST = 20_000
MOST_PRIORS = 8
LARGEST_PRIOR = 2000
MOST_DOWN = 2
"""Runs of an agent that may be down one after another, before no more are tried."""

Heard = Callable[[str], None]


def told(tool: ToolReport, models: FuzzModels) -> str:
    """Describe a tool as an agent is told of it, and the files in its folder."""
    text = tool.told()
    names = ", ".join(models.options.files)[:LONGEST_ARGUMENTS]
    return f"{text}\nFiles in its folder: {names}" if names else text


def priors_of(
    models: FuzzModels, tools: Sequence[ToolReport], report: Report
) -> dict[str, dict[str, list[object]]]:
    """Ask the model for values that fit the meaning of each tool's arguments. A tool without an answer is left out.

    A model that is down, or a spent budget, is a remark in the report.
    """
    found: dict[str, dict[str, list[object]]] = {}
    try:
        for tool in tools:
            names = tool.schema.get("properties")
            if isinstance(names, Mapping) and names:
                said = models.ask_for("priors", partial(_values, names), {"tool_prompt": told(tool, models)})
                found |= {tool.name: said} if said is not None else {}
    except (BudgetSpent, ModelDown) as error:
        report.remarks.append(f"The model gave no values for arguments: {error}.")
    return found


def _values(names: Mapping[str, object], answer: object) -> dict[str, list[object]] | None:
    """Return the values of an answer for arguments that there are, at most ``MOST_PRIORS`` each, or None."""
    found: dict[str, list[object]] = {}
    for name, values in answer.items() if isinstance(answer, Mapping) else ():
        if name in names and isinstance(values, list):
            found[name] = [one for one in values if len(json.dumps(one)) <= LARGEST_PRIOR][:MOST_PRIORS]
    return {name: values for name, values in found.items() if values} or None


class InAgentHands:
    """Judges the findings of a report, and has the agent try to get there. The report is whole at any moment."""

    def __init__(
        self,
        models: FuzzModels,
        tools: ServedTools,
        report: Report,
        *,
        sanity: bool = True,
        heard: Heard = lambda _: None,
    ) -> None:
        self.models, self.tools, self.report, self.sanity, self.heard = models, tools, report, sanity, heard
        self._down = 0

    def run(self) -> None:
        """Judge all findings that count and need one call.

        If a model is down, a budget spent or the tools' process lost, the report says what was left out.
        """
        todo = [
            key
            for key in self.report.order()
            if (one := self.report.findings[key]).kind not in LISTED_ONLY and not is_sequence(one)
        ]
        try:
            for number, key in enumerate(todo, 1):
                if self.sanity:
                    self.heard(f"would the model call it so? finding {number} of {len(todo)}")
                    self.judge(key)
            real = [key for key in todo if is_counted(self.report.findings[key])]
            for number, key in enumerate(real, 1):
                self.heard(f"the agent tries finding {number} of {len(real)}")
                self.try_it(key)
        except (BudgetSpent, ToolsLost, ModelDown) as error:
            findings = [self.report.findings[key] for key in todo]
            left = sum(one.agent is None and is_counted(one) for one in findings)
            count = "1 finding was" if left == 1 else f"{left} findings were"
            self.report.remarks.append(f"{capital(str(error))}; {count} not tried with the agent.")
            if isinstance(error, ModelDown):
                self._infrastructure(todo[0][0], str(error))

    def _infrastructure(self, tool: str, why: str) -> None:
        self.report.findings[(tool, "agent")] = infrastructure(tool, f"the agent did not run: {why}")

    def judge(self, key: Key) -> None:
        """Ask whether the model would make the call: ``sane`` is true, false, or null if the answer cannot be read."""
        tool = self.report.tool(key[0])

        def read(answer: object) -> tuple[bool, str] | None:
            said = answer.get("sane") if isinstance(answer, Mapping) else None
            reason = answer.get("reason") if isinstance(answer, Mapping) else None
            return (said, str(reason or "")[:500]) if isinstance(said, bool) else None

        fields = {
            "tool_prompt": told(tool, self.models),
            "tool_name": tool.name,
            "bad_arg": _shown(next(_arguments(self.report.findings[key]))),
        }
        sane, reason = self.models.ask_for("sane", read, fields) or (None, "")
        self.report.change(key, sane=sane, reason=reason)

    def try_it(self, key: Key) -> None:
        """Have the agent run a request that leads to the call; if the tool does not fail, one for other arguments.

        The finding's ``agent`` says how it went: ``hit`` is true if the tool failed so in the agent's hands, false if
        not, null if that is not known.
        """
        finding = self.report.findings[key]
        tries = 0
        led = FuzzLed(why="the agent was down" if self._down >= MOST_DOWN else "no request could be read")
        for given in _arguments(finding):
            request = self._request(finding.tool, given) if self._down < MOST_DOWN else None
            if request is None:
                continue
            tries += 1
            done = self.models.run(request, self.tools)
            step = _step_of(finding, done)
            why = "" if step else done.down or _why_not(finding.tool, done)
            hit = True if step else None if done.down else False
            led = FuzzLed(hit=hit, request=request, step=step, why=why)
            self.report.agent_runs[key] = done.run  # the last one, which failed if any did
            self._down = self._down + 1 if done.down and not step else 0
            if done.down and not step:
                self._infrastructure(finding.tool, done.down)
            if step or done.down:
                break
        self.report.change(key, agent=led.model_copy(update={"tries": tries}))

    def _request(self, tool: str, given: object) -> str | None:
        def read(answer: object) -> str | None:
            text = answer.get("request") if isinstance(answer, Mapping) else None
            good = isinstance(text, str) and text.strip() and len(text) <= LONGEST_REQUEST
            return text.strip() if good and isinstance(text, str) else None

        one = self.report.tool(tool)
        fields = {"tool_prompt": told(one, self.models), "tool_name": tool, "bad_arg": _shown(given)}
        return self.models.ask_for("request", read, fields)


def _arguments(finding: FuzzFinding) -> Iterator[object]:
    """Yield the smallest arguments, then those that were sent first if they differ."""
    if finding.shrunk is not None:
        yield finding.shrunk
    if finding.input != finding.shrunk:
        yield finding.input


def _shown(given: object) -> str:
    text = json.dumps(given)
    cut = f"{text[:LONGEST_ARGUMENTS]}... ({len(text):,} characters)"
    return text if len(text) <= LONGEST_ARGUMENTS else cut


def _step_of(finding: FuzzFinding, done: ToolRun) -> int | None:
    """Return the number of the agent's call that failed as the finding says, from 1, or None."""
    wanted = (finding.tool, finding.kind, finding.exception, finding.location)
    for step, one in enumerate(done.calls, 1):
        if (one.tool, one.kind, one.outcome.exception, one.outcome.location) == wanted:
            return step
    return None


def _why_not(tool: str, done: ToolRun) -> str:
    calls = [one for one in done.calls if one.tool == tool]
    if not calls:
        return "the agent did not call the tool"
    if all(one.outcome.kind == "refused" for one in calls):
        return "the tool's schema refused what the agent sent"
    return "the tool did not fail so"
