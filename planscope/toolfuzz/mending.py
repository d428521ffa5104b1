"""Proposes new documentation for tools that the fuzzer found to fail or to mislead (ToolFuzz paper, 5.3).

A model writes candidates from the documentation and the failures (Figures 22 to 24). An agent is asked for other
things of the same kind, each in several wordings: the candidate is chosen on one half of these, and what it changes is
reported on the other half. No candidate has seen a request of either half, nor one that means the same.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from planscope.session.model import FuzzFix
from planscope.toolfuzz.agent_hands import LONGEST_REQUEST, told
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.correctness.search import expectation, judge
from planscope.toolfuzz.correctness.templates import same_meaning
from planscope.toolfuzz.formats import smallest
from planscope.toolfuzz.models import FuzzModels, ModelDown
from planscope.toolfuzz.prompting import prompt_run
from planscope.toolfuzz.report import Report, is_counted, is_sequence
from planscope.toolfuzz.served import ServedTools, ToolsLost
from planscope.toolfuzz.spending import BudgetSpent
from planscope.toolfuzz.tool_report import ToolReport
from planscope.wording.phrases import plural
from planscope.wording.terms import capital

CANDIDATES = 10
MOST_WORDS = 100
VALUES = 6
"""Other requests that a model is asked for, for each finding; :data:`HALF` choose, as many report."""
HALF = 2
WORDINGS = 3
"""Wordings of each request; two at least."""
MOST_PAIRS = 40
"""Pairs of requests that a model compares at once."""
MOST_GROUPS = 5
"""Findings of a tool that new documentation is tried on."""
EXAMPLES = 6
"""Failures that a model is shown for one candidate."""
LONGEST_EXAMPLE = 1500
_FROM = ("mend_prompts", "mend_source", "mend_prompts", "mend_source", "mend_text")

TOO_FEW = (
    f"too few other requests: each half needs {HALF} that mean different things, in 2 wordings at least, and the model "
    "gave fewer"
)

Heard = Callable[[str], None]


@dataclass
class Value:
    """Something that an agent is asked for. ``wordings``: a set of prompts that all mean it; ``half``: 0 chooses, 1
    reports; ``expected``: what the answer should say, by the model without tools."""

    wordings: list[str]
    half: int = 0
    expected: str | None = None


@dataclass
class Group:
    """A finding to mend. ``number``: in the report, from 1. ``examples``: what a model is shown; ``shown``: requests
    among them. ``rank``: what failed in the agent's hands comes first. ``values``: other things to ask for."""

    number: int
    examples: list[str]
    shown: list[str]
    rank: int = 0
    values: list[Value] = field(default_factory=list)

    def half(self, number: int) -> list[Value]:
        """The values of a half: 0 chooses, 1 reports."""
        return [one for one in self.values if one.half == number]

    @property
    def fair(self) -> bool:
        """Whether each half has enough values."""
        return all(len(self.half(number)) >= HALF for number in (0, 1))


class Mending:
    """Mends the documentation of a report's tools. ``report.fixes`` grows while it runs."""

    def __init__(
        self, models: FuzzModels, tools: ServedTools, report: Report, heard: Heard = lambda _: None
    ) -> None:
        self.models, self.tools, self.report, self.heard = models, tools, report, heard

    def run(self) -> None:
        """Mend all tools that have findings. If a model is down or a budget spent, the report says so."""
        for tool in self.tools.tools:
            fix = FuzzFix(tool=tool.name, before=tool.description)
            try:
                self._mend(self.report.tool(tool.name), fix)
            except (BudgetSpent, ModelDown, ToolsLost) as error:
                why = str(error)
                if fix.after is not None:
                    fix.after, fix.why = None, f"{why}, before the best was reported on other prompts"
                self.report.remarks.append(f"{capital(why)}; the documentation of {tool.name} is not mended.")
                return
            finally:
                if fix.why or fix.after is not None:
                    self.report.fixes.append(FuzzFix(**dict(fix)))  # all fields are printed

    # --- what there is to mend ---

    def _groups(self, tool: ToolReport) -> Iterator[Group]:
        for number, one in enumerate(self.report.sorted(), 1):
            if one.tool != tool.name or not is_counted(one) or is_sequence(one):
                continue
            if one.set is not None:
                yield _of_set(number, self.report.sets[one.set - 1])
                continue
            said = f"{one.exception or one.kind}: {one.message}".strip(": ")
            request = one.agent.request if one.agent is not None else None
            lead = f"request: {request}\n" if request else ""
            example = f"{lead}arguments: {json.dumps(smallest(one))}\nerror: {said}"
            rank = 0 if one.agent is not None and one.agent.hit else 1
            yield Group(number, [example[:LONGEST_EXAMPLE]], [request] if request else [], rank)

    def _ask_for_values(self, tool: ToolReport, group: Group, known: list[Value]) -> None:
        """Ask for other requests of the same kind, each in several wordings. ``known``: of the tool's other findings.

        A request that means what the finding's own does is left out; one that means the same as a known one is in its
        half.
        """
        about, given = told(tool, self.models), dict[str, list[str]]()
        fields = {
            "tool_prompt": about, "requests": "\n\n".join(group.examples), "count": str(VALUES),
            "wordings": str(WORDINGS),
        }  # fmt: skip

        def read(answer: object) -> bool | None:
            given.update({some[0]: some for some in _wordings(answer)})
            return len(given) >= 2 * HALF or None

        self.models.ask_for("similar", read, fields)
        values = [Value(some) for some in list(given.values())[:VALUES]]
        pairs = [(one.wordings[0], text) for one in values for text in one.wordings[1:]]
        same = self._same(pairs, False)
        for one in values:
            one.wordings[1:] = [text for text in one.wordings[1:] if same[one.wordings[0], text]]
        values = [one for one in values if len(one.wordings) > 1]
        alike = self._same(
            [
                (one.wordings[0], text)
                for k, one in enumerate(values)
                for text in (*group.shown, *(other.wordings[0] for other in (*known, *values[:k])))
            ],
            True,
        )
        for k, one in enumerate(values):
            first = one.wordings[0]
            if any(alike[first, text] for text in group.shown) or any(
                alike[first, other.wordings[0]] for other in values[:k]
            ):
                continue
            twins = [other for other in known if alike[first, other.wordings[0]]]
            if len({other.half for other in twins}) > 1:
                continue
            half = twins[0].half if twins else int(len(group.half(0)) > len(group.half(1)))
            if len(group.half(half)) == HALF:
                continue
            the_same = next((other for other in twins if other.wordings[0] == first), None)
            if the_same is not None:
                group.values.append(the_same)
                continue
            one.half, one.expected = half, expectation(self.models, about, one.wordings)
            if one.expected is not None:
                group.values.append(one)

    def _same(self, pairs: Sequence[tuple[str, str]], unknown: bool) -> dict[tuple[str, str], bool]:
        """Say of pairs of requests which mean the same, as the model says. ``unknown``: if it does not say."""
        found: dict[tuple[str, str], bool] = {}
        for k in range(0, len(pairs), MOST_PAIRS):
            some = pairs[k : k + MOST_PAIRS]
            fields = {"pairs": json.dumps([{"before": a, "after": b} for a, b in some], ensure_ascii=False)}
            said = self.models.ask_for("same_meaning", partial(same_meaning, count=len(some)), fields)
            found.update(zip(some, said or [unknown] * len(some), strict=True))
        return {(a, b): " ".join(a.split()) == " ".join(b.split()) or same for (a, b), same in found.items()}

    # --- mending one tool ---

    def _mend(self, tool: ToolReport, fix: FuzzFix) -> None:
        groups = sorted(self._groups(tool), key=lambda one: one.rank)[:MOST_GROUPS]
        if not groups:
            return
        for one in groups:
            self.heard(f"{tool.name}: requests like finding {one.number}")
            self._ask_for_values(tool, one, [value for group in groups for value in group.values])
        fix.untried = [one.number for one in groups if not one.fair]
        groups = [one for one in groups if one.fair]
        if not groups:
            fix.why = TOO_FEW
            return
        self.heard(f"{tool.name}: the agent with the documentation as it is")
        trials = _Trials(self.models, self.tools, tool.name, groups)
        before, prompts = trials.right(0, None), trials.prompts(0)
        fix.choosing = {"before": before, "after": None, "prompts": prompts}
        if before == prompts:
            fix.why = "the agent does all prompts of this kind right with the documentation as it is"
            return
        self._choose(tool, trials, fix, before)
        if fix.after is not None:
            self.heard(f"{tool.name}: the agent with prompts that had no part in the choice")
            _report(trials, fix)

    def _choose(self, tool: ToolReport, trials: _Trials, fix: FuzzFix, best: int) -> None:
        for k, (origin, text) in enumerate(self._candidates(tool, trials.groups), 1):
            self.heard(f"{tool.name}: candidate {k} of {CANDIDATES}")
            least = best + (fix.after is None)
            passed = trials.right(0, text, least)
            whole = passed >= least  # else it could no longer be the best, and the rest was not tried
            fix.candidates.append({
                "from": origin, "text": text, "passed": passed if whole else None, "complete": whole, "chosen": False
            })  # fmt: skip
            shorter = fix.after is not None and len(text.split()) < len(fix.after.split())
            if (passed > best or (shorter and passed == best)) and trials.cured(0, text):
                best, fix.after = passed, text
        if fix.after is None:
            none = "the model gave no documentation that can be used"
            worse = "no candidate cures a finding and is better than the documentation as it is"
            fix.why = worse if fix.candidates else none

    def _candidates(self, tool: ToolReport, groups: Sequence[Group]) -> Iterator[tuple[str, str]]:
        """Yield different documentation, each with the prompt that it comes from. Each is made of other examples."""
        draw = random.Random(f"{self.report.seed}\x1fmend\x1f{tool.name}")
        examples = [text for one in groups for text in one.examples]
        seen = {" ".join(tool.description.split())}
        code = tool.source
        for k in range(CANDIDATES):
            origin = _FROM[k % len(_FROM)]
            if origin == "mend_source" and not code:
                origin = "mend_prompts"
            some = draw.sample(examples, min(EXAMPLES, len(examples)))
            fields = {
                "tool_description": told(tool, self.models), "bad_examples": "\n\n".join(some), "tool_source": code
            }  # fmt: skip
            text = self.models.ask_for(origin, new_description, fields)
            if text is not None and " ".join(text.split()) not in seen:
                seen.add(" ".join(text.split()))
                yield origin, text


class _Trials:
    """Runs of the agent with documentation of one tool. Each prompt runs once with each documentation."""

    def __init__(self, models: FuzzModels, tools: ServedTools, tool: str, groups: Sequence[Group]) -> None:
        self.models, self.tools, self.tool, self.groups = models, tools, tool, groups
        self._right: dict[tuple[str | None, str], bool] = {}

    def prompts(self, half: int) -> int:
        """Count the prompts of a half: 0 chooses, 1 reports."""
        return sum(len(one.wordings) for one in self._values(half))

    def _values(self, half: int) -> list[Value]:
        values = {one.wordings[0]: one for group in self.groups for one in group.half(half)}
        return list(values.values())

    def right(self, half: int, text: str | None, least: int = 0) -> int:
        """Return how many prompts go right with this documentation (None: the tool's own).

        The wordings of a value go right together or not at all. Stops when fewer than ``least`` can still be reached.
        """
        left = self.prompts(half)
        for one in self._values(half):
            if left < least:
                break
            left -= 0 if self._is_right(one, text) else len(one.wordings)
        return left

    def cured(self, half: int, text: str | None) -> list[int]:
        """Return the numbers of the findings all of whose values go right now, and did not before."""
        return [
            group.number
            for group in self.groups
            if self._all_right(group, half, text) and not self._all_right(group, half, None)
        ]

    def left(self, half: int, text: str | None) -> list[int]:
        """Return the numbers of the findings some of whose values do not go right."""
        return [group.number for group in self.groups if not self._all_right(group, half, text)]

    def _all_right(self, group: Group, half: int, text: str | None) -> bool:
        return all(self._is_right(one, text) for one in group.half(half))

    def _is_right(self, value: Value, text: str | None) -> bool:
        """Return whether the tool answers, its inputs and outputs agree for all wordings, and the oracle passes. Raises
        ModelDown."""
        key = (text, value.wordings[0])
        if key not in self._right:
            self._right[key] = self._judged(value, text)
        return self._right[key]

    def _judged(self, value: Value, text: str | None) -> bool:
        words = None if text is None else {self.tool: text}
        made = PromptSet(tool=self.tool, template=value.wordings[0], expectation=value.expected)
        for prompt in value.wordings:
            done = self.models.run(prompt, self.tools, descriptions=words)
            if done.down and not done.calls:
                raise ModelDown(done.down)
            made.runs.append(prompt_run(done))
            kinds = [call.outcome.kind for call in done.calls if call.tool == self.tool]
            if "ok" not in kinds or not set(kinds) <= {"ok", "refused"} or made.inputs_agree is False:
                return False
        if made.outputs_agree is not True:
            return False
        for run in made.runs:
            judge(self.models, made, run)
        return made.oracle == "passes"


def _report(trials: _Trials, fix: FuzzFix) -> None:
    """Try both documentations on the other half. One that cures nothing there is not proposed."""
    before, after, prompts = trials.right(1, None), trials.right(1, fix.after), trials.prompts(1)
    fix.reporting = {"before": before, "after": after, "prompts": prompts}
    fix.cures, fix.leaves = trials.cured(1, fix.after), trials.left(1, fix.after)
    if not fix.cures:
        right = f"{after} of {plural(prompts, 'prompt')} right, {before} as it was"
        fix.after, fix.why = None, f"the best candidate cures nothing where it was not chosen: {right}"
    for candidate in fix.candidates:
        candidate["chosen"] = candidate["text"] == fix.after
        if candidate["chosen"]:
            fix.choosing = {**(fix.choosing or {}), "after": candidate["passed"]}


def _of_set(number: int, one: PromptSet) -> Group:
    """Return a faulty set as a group."""
    examples = []
    for run in one.runs:
        calls = "\n".join(
            f"call: {call.tool} {json.dumps(call.arguments)}\nanswer: {(call.output or '')[:300]}"
            for call in run.calls
        )
        examples.append(f"request: {run.prompt}\n{calls or 'no call'}"[:LONGEST_EXAMPLE])
    return Group(number, examples, [one.runs[0].prompt])


def _wordings(answer: object) -> Iterator[list[str]]:
    """Yield the requests of an answer that have two wordings, at most :data:`WORDINGS` of each."""
    found = answer.get("requests") if isinstance(answer, Mapping) else answer
    for one in found if isinstance(found, list) else ():
        given = one if isinstance(one, list) else []
        texts = [text.strip() for text in given if isinstance(text, str) and 0 < len(text) <= LONGEST_REQUEST]
        some = [text for text in dict.fromkeys(texts) if text]
        if len(some) > 1:
            yield some[:WORDINGS]


def new_description(answer: object) -> str | None:
    """Return the documentation in an answer, or None if it has none or more than :data:`MOST_WORDS`."""
    text = answer.get("description") if isinstance(answer, Mapping) else None
    if not isinstance(text, str) or not 0 < len(text.split()) <= MOST_WORDS or len(text) > 40 * MOST_WORDS:
        return None
    return text.strip()
