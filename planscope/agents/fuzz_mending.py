"""Proposes new documentation for tools that the fuzzer found to fail or to mislead (ToolFuzz paper, 5.3).

A model writes candidates from the documentation and the failures (Figures 22 to 24). An agent runs prompts of the same
kind with each: the candidate is chosen on one half of the prompts, and what it changes is reported on the other half.
No candidate has seen a prompt of either half.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planscope.agents.fuzz_findings import LONGEST_REQUEST, told
from planscope.agents.fuzz_models import FuzzModels, ModelDown, ToolRun
from planscope.toolfuzz.correctness.canonical import canonical
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.correctness.templates import prompts as filled_prompts
from planscope.toolfuzz.mended import Candidate, Mended
from planscope.toolfuzz.report import Report, ToolReport, is_counted, is_sequence
from planscope.toolfuzz.served import ServedTools, ToolsLost
from planscope.toolfuzz.spending import BudgetSpent
from planscope.wording.terms import capital

CANDIDATES = 10
MOST_WORDS = 100
PROMPTS = 6
"""Held-out prompts of each finding; one half chooses, the other one reports."""
MOST_GROUPS = 5
"""Findings of a tool that new documentation is tried on."""
EXAMPLES = 6
"""Failures that a model is shown for one candidate."""
LONGEST_EXAMPLE = 1500
_FROM = ("mend_prompts", "mend_source", "mend_prompts", "mend_source", "mend_text")

Heard = Callable[[str], None]


@dataclass
class Group:
    """A finding to mend. ``number``: in the report, from 1. ``same``: its prompts mean the same, so their calls must be
    equal. ``examples``: what a model is shown; ``choosing`` and ``reporting``: the halves of the prompts. ``rank``:
    what failed in the agent's hands comes first."""

    number: int
    same: bool
    examples: list[str]
    rank: int = 0
    choosing: list[str] = field(default_factory=list)
    reporting: list[str] = field(default_factory=list)

    def half(self, number: int) -> list[str]:
        """The prompts of a half: 0 chooses, 1 reports."""
        return self.reporting if number else self.choosing


class Mending:
    """Mends the documentation of a report's tools. ``report.mended`` grows while it runs."""

    def __init__(
        self, models: FuzzModels, tools: ServedTools, report: Report, heard: Heard = lambda _: None
    ) -> None:
        self.models, self.tools, self.report, self.heard = models, tools, report, heard

    def run(self) -> None:
        """Mend all tools that have findings. If a model is down or a budget spent, the report says so."""
        for tool in self.tools.tools:
            try:
                self._mend(self.report.tool(tool.name))
            except (BudgetSpent, ModelDown, ToolsLost) as error:
                why = str(error)
                last = self.report.mended[-1] if self.report.mended else None
                if last is not None and last.tool == tool.name and last.after and last.reported is None:
                    last.after, last.why = None, f"{why}, before the best was reported on other prompts"
                self.report.remarks.append(f"{capital(why)}; the documentation of {tool.name} is not mended.")
                return

    # --- what there is to mend ---

    def _groups(self, tool: ToolReport) -> Iterator[Group]:
        for number, one in enumerate(self.report.sorted(), 1):
            if one["tool"] != tool.name or not is_counted(one) or is_sequence(one):
                continue
            if one.get("set") is not None:
                yield _of_set(number, self.report.sets[one["set"] - 1], self.report.seed)
                continue
            given = one["input"] if one["shrunk"] is None else one["shrunk"]
            said = f"{one['exception'] or one['kind']}: {one['message']}".strip(": ")
            request = (one.get("agent") or {}).get("request")
            lead = f"request: {request}\n" if request else ""
            example = f"{lead}arguments: {json.dumps(given)}\nerror: {said}"
            rank = 0 if (one.get("agent") or {}).get("hit") else 1
            yield Group(number, False, [example[:LONGEST_EXAMPLE]], rank)

    def _prompts(self, tool: ToolReport, group: Group, halves: dict[str, int]) -> None:
        """Ask for prompts of the same kind, where a template does not give them. A prompt stays in its half."""
        if not group.same:
            fields = {
                "tool_prompt": told(tool, self.models), "requests": "\n\n".join(group.examples), "count": str(PROMPTS)
            }  # fmt: skip
            found = self.models.ask_for("similar", _texts, fields) or []
            shown = " ".join(group.examples)
            for prompt in [one for one in found if one not in shown][:PROMPTS]:
                half = halves.setdefault(prompt, int(len(group.choosing) > len(group.reporting)))
                (group.reporting if half else group.choosing).append(prompt)

    # --- mending one tool ---

    def _mend(self, tool: ToolReport) -> None:
        groups = sorted(self._groups(tool), key=lambda one: one.rank)[:MOST_GROUPS]
        if not groups:
            return
        mended = Mended(tool.name, tool.description, source=tool.place)
        halves: dict[str, int] = {}
        for one in groups:
            self.heard(f"{tool.name}: prompts like finding {one.number}")
            self._prompts(tool, one, halves)
        groups = [one for one in groups if one.choosing and one.reporting]
        if not groups:
            mended.why = "the model gave no prompts to try new documentation on"
            self.report.mended.append(mended)
            return
        self.heard(f"{tool.name}: the agent with the documentation as it is")
        trials = _Trials(self.models, self.tools, tool.name, groups)
        mended.of = len(trials.prompts(0))
        mended.before = trials.right(0, None)
        if mended.before == mended.of:
            mended.why = "the agent does all prompts of this kind right with the documentation as it is"
            self.report.mended.append(mended)
            return
        self._choose(tool, trials, mended)
        self.report.mended.append(mended)
        if mended.after is not None:
            self.heard(f"{tool.name}: the agent with prompts that had no part in the choice")
            _report(trials, mended)

    def _choose(self, tool: ToolReport, trials: _Trials, mended: Mended) -> None:
        best = mended.before
        for k, (origin, text) in enumerate(self._candidates(tool, trials.groups), 1):
            self.heard(f"{tool.name}: candidate {k} of {CANDIDATES}")
            least = best + (mended.after is None)
            passed = trials.right(0, text, least)
            whole = passed >= least
            one = Candidate(origin, text, passed, whole)
            mended.candidates.append(one)
            chosen = mended.chosen
            better = passed > best or (chosen is not None and passed == best and one.words < chosen.words)
            if better:
                best, mended.after = passed, text
        if mended.after is None:
            none = "the model gave no documentation that can be used"
            mended.why = (
                "no candidate is better than the documentation as it is" if mended.candidates else none
            )

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
        self._runs: dict[tuple[str | None, str], ToolRun] = {}

    def prompts(self, half: int) -> list[str]:
        """The different prompts of a half: 0 chooses, 1 reports."""
        return list(dict.fromkeys(one for group in self.groups for one in group.half(half)))

    def right(self, half: int, text: str | None, least: int = 0) -> int:
        """Return how many prompts go right with this documentation (None: the tool's own).

        A prompt of several groups must be right in all. Stops when fewer than ``least`` can still be reached.
        """
        wrong: set[str] = set()
        for group in self.groups:
            if len(self.prompts(half)) - len(wrong) < least:
                break
            wrong.update(prompt for prompt, good in self.group(group, half, text).items() if not good)
        return len(self.prompts(half)) - len(wrong)

    def group(self, group: Group, half: int, text: str | None) -> dict[str, bool]:
        """Return which prompts of a group go right. Raises ModelDown."""
        prompts = group.half(half)
        flags = passes(self.tool, [self._run(prompt, text) for prompt in prompts], same=group.same)
        return dict(zip(prompts, flags, strict=True))

    def _run(self, prompt: str, text: str | None) -> ToolRun:
        key = (text, prompt)
        if key not in self._runs:
            words = None if text is None else {self.tool: text}
            run = self.models.run(prompt, self.tools, descriptions=words)
            if run.down and not run.calls:
                raise ModelDown(run.down)
            self._runs[key] = run
        return self._runs[key]


def _report(trials: _Trials, mended: Mended) -> None:
    """Try both documentations on the other half of the prompts."""
    mended.reported = (trials.right(1, None), trials.right(1, mended.after), len(trials.prompts(1)))
    for group in trials.groups:
        old, new = (trials.group(group, 1, text) for text in (None, mended.after))
        if not all(new.values()):
            mended.leaves.append(group.number)
        elif not all(old.values()):
            mended.cures.append(group.number)


def passes(tool: str, runs: Sequence[ToolRun], *, same: bool) -> list[bool]:
    """Return which runs went right: the tool gave an answer and did not fail once.

    ``same``: the prompts mean the same; only runs with the most frequent calls are right, if two agree.
    """
    good, forms = [], []
    for run in runs:
        kinds = [one.outcome.kind for one in run.calls if one.tool == tool]
        good.append("ok" in kinds and all(kind in ("ok", "refused") for kind in kinds))
        forms.append(
            canonical([one.arguments for one in run.calls if one.tool == tool and one.outcome.kind == "ok"])
        )
    if not same:
        return good
    [(most, count)] = Counter(forms).most_common(1)
    return [
        right and form == most and (count > 1 or len(runs) == 1)
        for right, form in zip(good, forms, strict=True)
    ]


def _of_set(number: int, one: PromptSet, seed: int) -> Group:
    """Return a faulty set as a group: its own prompts are examples, other fillings of its template are held out."""
    examples = []
    for run in one.runs:
        calls = "\n".join(
            f"call: {call.tool} {json.dumps(call.arguments)}\nanswer: {(call.output or '')[:300]}"
            for call in run.calls
        )
        examples.append(f"request: {run.prompt}\n{calls or 'no call'}"[:LONGEST_EXAMPLE])
    shown = {run.filled for run in one.runs} | {run.prompt for run in one.runs}
    drawn = filled_prompts(
        one.template, one.fillings, len(one.runs) + PROMPTS, f"{seed}\x1fmend\x1f{one.tool}"
    )
    fresh = [filled.text for filled in drawn if filled.text not in shown][:PROMPTS]
    if len(fresh) < PROMPTS:  # too few fillings: the second half of the set's own prompts is held out instead
        half = len(one.runs) // 2
        fresh, examples = fresh + [run.prompt for run in one.runs[half:]], examples[:half]
    return Group(number, True, examples, 0, fresh[0::2], fresh[1::2])


def _texts(answer: Any) -> list[str] | None:
    found = answer.get("requests") if isinstance(answer, Mapping) else answer
    texts = [one.strip() for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return [one for one in dict.fromkeys(texts) if one and len(one) <= LONGEST_REQUEST] or None


def new_description(answer: Any) -> str | None:
    """Return the documentation in an answer, or None if it has none or more than :data:`MOST_WORDS`."""
    text = answer.get("description") if isinstance(answer, Mapping) else None
    if not isinstance(text, str) or not 0 < len(text.split()) <= MOST_WORDS or len(text) > 40 * MOST_WORDS:
        return None
    return text.strip()
