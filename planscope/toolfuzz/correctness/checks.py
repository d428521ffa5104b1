"""What an agent did with the prompts of a set, and the three checks: inputs agree, outputs agree, oracle."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, Field

from planscope.session.model import FuzzCall, FuzzPrompt, FuzzSet
from planscope.toolfuzz.correctness.canonical import canonical, canonical_output
from planscope.wording.phrases import plural

Oracle = Literal["passes", "fails", "unjudged", "no data"]

_SCORE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3})?)\s*(?:/\s*10\s*)?", re.ASCII)

PASSES = 5
"""The lowest score of an answer that passes."""

MOST_WORDS = 2
"""Placeholders that together may explain what differs."""


class Bucket(BaseModel):
    """Prompts of a set, by their numbers from 1, that led to the same."""

    prompts: list[int]
    calls: list[Any] = Field(description="the arguments of the first one's calls, in order; [] is no call")
    outputs: list[str | None] = Field(description="what the tool gave back, in order")


class SetValue(BaseModel):
    """A value, and the numbers of its prompts."""

    value: Any
    prompts: list[int]


class Difference(BaseModel):
    """An argument that differs within a set; null is the number of calls."""

    argument: str | None
    values: list[SetValue]
    words: tuple[str, ...] = Field(
        description="the placeholders whose fillings decide it, as far as the prompts show"
    )


class PromptSet(FuzzSet):
    """A set with its checks."""

    @classmethod
    def of(cls, kept: FuzzSet) -> Self:
        """Return the set that a session keeps."""
        return cls.model_construct(**{name: getattr(kept, name) for name in FuzzSet.model_fields})

    # --- the checks ---

    @property
    def inputs(self) -> list[Bucket]:
        """The prompts by the calls to the tool, in order. No call is a bucket, too."""
        return self._buckets(lambda call: canonical(call.arguments))

    @property
    def outputs(self) -> list[Bucket]:
        """The prompts by what the tool gave back, in order."""
        return self._buckets(lambda call: canonical_output(call.output))

    @property
    def inputs_agree(self) -> bool | None:
        """None: fewer than two runs."""
        return len(self.inputs) == 1 if len(self._data()) > 1 else None

    @property
    def outputs_agree(self) -> bool | None:
        """None: no run has an output, or fewer than two are known.

        An output is not known if the call is one that no run recorded; such prompts are left out.
        """
        if not any(call.output is not None for run in self._data() for call in self._own(run)):
            return None
        known = [one for one in self.outputs if None not in one.outputs]
        return len(known) == 1 if sum(len(one.prompts) for one in known) > 1 else None

    @property
    def oracle(self) -> Oracle:
        """It fails when half of the answers or more score below :data:`PASSES`. An answer whose score could not be read
        leaves it unjudged if it would make the difference."""
        scores = [run.score for run in self.runs if run.answered]
        low = sum(score is not None and score < PASSES for score in scores)
        unread = scores.count(None)
        if not scores:
            return "no data"
        if 2 * low >= len(scores):
            return "fails"
        return "passes" if 2 * (low + unread) < len(scores) else "unjudged"

    @property
    def faulty(self) -> bool:
        return self.inputs_agree is False and self.outputs_agree is False and self.oracle == "fails"

    @property
    def agrees_wrongly(self) -> bool:
        """Whether all prompts led to the same, and to wrong answers. It is no finding by the paper's rule."""
        return self.inputs_agree is True and self.outputs_agree is not False and self.oracle == "fails"

    # --- what differs, and by which words ---

    @property
    def differences(self) -> list[Difference]:
        """The arguments that differ between the prompts, each with the words that decide it."""
        data = [(k, run) for k, run in enumerate(self.runs, 1) if run.error is None]
        counts = {k: len(self._own(run)) for k, run in data}
        found = []
        if len(set(counts.values())) > 1:
            found.append(self._difference(None, counts))
        called = [(k, [call.arguments for call in self._own(run)]) for k, run in data if counts[k]]
        names = dict.fromkeys(
            name for _, calls in called for one in calls if isinstance(one, Mapping) for name in one
        )
        for name in names:
            values = {k: _of(calls, name) for k, calls in called}
            if len({canonical(value) for value in values.values()}) > 1:
                found.append(self._difference(str(name), values))
        return found

    @property
    def output_words(self) -> tuple[str, ...]:
        """The placeholders whose fillings decide what the tool gives back; empty if outputs agree, or if none do."""
        forms = {k: str(b) for b, bucket in enumerate(self.outputs) for k in bucket.prompts}
        return self._deciding(forms) if len(set(forms.values())) > 1 else ()

    def _difference(self, argument: str | None, values: Mapping[int, object]) -> Difference:
        by_form: dict[str, list[int]] = {}
        for k, value in values.items():
            by_form.setdefault(canonical(value), []).append(k)
        shown = [SetValue(value=values[some[0]], prompts=some) for some in by_form.values()]
        words = self._deciding({k: canonical(value) for k, value in values.items()})
        return Difference(argument=argument, values=shown, words=words)

    def _deciding(self, forms: Mapping[int, str]) -> tuple[str, ...]:
        """Return the fewest placeholders whose fillings decide these forms.

        Words that come once prove nothing: at least one filling must come twice, unless nothing else varies.
        """
        names = [name for name, words in self.fillings.items() if len(words) > 1]
        for size in range(1, MOST_WORDS + 1):
            for some in itertools.combinations(names, size):
                seen: dict[tuple[str | None, ...], str] = {}
                words = {k: tuple(self.runs[k - 1].words.get(name) for name in some) for k in forms}
                proof = len(names) == 1 or len(set(words.values())) < len(words)
                if proof and all(seen.setdefault(words[k], form) == form for k, form in forms.items()):
                    return some
        return ()

    # --- parts ---

    def _data(self) -> list[FuzzPrompt]:
        return [run for run in self.runs if run.error is None]

    def _own(self, run: FuzzPrompt) -> list[FuzzCall]:
        return [call for call in run.calls if call.tool == self.tool]

    def _buckets(self, form: Callable[[FuzzCall], str]) -> list[Bucket]:
        found: dict[tuple[str, ...], list[int]] = {}
        for k, run in enumerate(self.runs, 1):
            if run.error is None:
                found.setdefault(tuple(map(form, self._own(run))), []).append(k)
        first = ((numbers, self._own(self.runs[numbers[0] - 1])) for numbers in found.values())
        return [
            Bucket(prompts=n, calls=[c.arguments for c in own], outputs=[c.output for c in own])
            for n, own in first
        ]

    @property
    def prompts(self) -> list[str]:
        return [run.prompt for run in self.runs]

    @property
    def scores(self) -> list[int | None]:
        return [run.score for run in self.runs]

    @property
    def message(self) -> str:
        """What a faulty set found, in one sentence."""
        ways = plural(len(self.inputs), "way")
        named = [f"argument {d.argument}" for d in self.differences if d.argument is not None]
        differs = f": {', '.join(named)}" if named else ""
        return (
            f'{plural(len(self.runs), "prompt")} like "{self.template}" led to {ways} of calling it{differs}'
        )


def _of(calls: Sequence[object], name: str) -> object:
    """Return an argument of a single call, or the list of it in all calls. Where it is left out, it is None."""
    values = [one.get(name) if isinstance(one, Mapping) else None for one in calls]
    return values[0] if len(values) == 1 else values


def read_score(answer: object) -> tuple[int, str] | None:
    """Return a judge's score, 0 to 10, and its reason, or None if there is no score.

    The scale is 1 to 10; the paper's prompt gives 0 to an answer that satisfies neither criterion.
    """
    if not isinstance(answer, Mapping):
        return None
    names = ("correctness_degree", "score", "degree", "rating")
    value = next((answer[name] for name in names if name in answer), None)
    reason = next((answer[k] for k in ("reason", "reasoning") if isinstance(answer.get(k), str)), "")
    if isinstance(value, str) and (written := _SCORE.fullmatch(value)):
        value = float(written[1])
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10:
        return None
    return int(value), reason


def cross_calls(runs: Sequence[tuple[str, FuzzPrompt]], tools: Sequence[str]) -> list[dict[str, object]]:
    """Return the matrix of calls: for the prompts made for a tool, how many led to a call of each tool.

    ``runs``: each with the tool that its prompt was made for. Each row is ``{"tool", "prompts", "none", "called"}``;
    ``none`` counts prompts that led to no call at all. Runs without data are left out.
    """
    rows = []
    for tool in tools:
        own = [run for name, run in runs if name == tool and run.error is None]
        called = {
            other: sum(any(call.tool == other for call in run.calls) for run in own)
            for other in dict.fromkeys((*tools, *(call.tool for run in own for call in run.calls)))
        }
        rows.append({
            "tool": tool, "prompts": len(own), "none": sum(not run.calls for run in own), "called": called,
        })  # fmt: skip
    return rows
