"""What is measured on runs with labels: planscope beside the trivial baselines, and how sure it may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from planscope.cause.find import breaks_of, find_cause
from planscope.cause.ranking import marks, shares
from planscope.cause.signs import Break, Evidence, evidence, reader
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import StepNo
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.reading import read_rules
from tests.causes.damage import Labelled

Guess = Callable[[Trace], tuple[StepNo | None, float]]
RETAIL = (Path(__file__).parent / "retail.rules").read_text(encoding="utf-8")


class Judge:
    """The rules of a family, and the guesses that are measured: each names a step, and says how sure it is."""

    def __init__(self, rules: str) -> None:
        self.file = read_rules(rules)
        self.book = Rulebook(self.file.rules)
        self.reads = reader(self.file)

    def breaks(self, trace: Trace) -> list[Break]:
        return breaks_of(judge_trace(self.book, trace).results(trace)) if self.file.rules else []

    def evidence(self, trace: Trace) -> Evidence:
        return evidence(trace, self.breaks(trace), self.file)

    def planscope(self, trace: Trace) -> tuple[StepNo | None, float]:
        found = find_cause(trace, self.breaks(trace), self.file)
        return found.step, found.confidence

    def suspect(self, trace: Trace) -> tuple[StepNo | None, float]:
        """The step that is named or, if none is, the suspect."""
        found = find_cause(trace, self.breaks(trace), self.file)
        return (
            (found.suspect.step, found.suspect.confidence)
            if found.suspect
            else (found.step, found.confidence)
        )

    def forced(self, trace: Trace) -> tuple[StepNo | None, float]:
        """The likeliest step, however likely it is that there is none: as the baselines, it always names one."""
        found = self.evidence(trace)
        likely = shares(marks(found))
        step = max(found.by_step, key=lambda one: likely.get(one, 0.0), default=None)
        return step, likely[step]

    def rule_of_thumb(self, trace: Trace) -> tuple[StepNo | None, float]:
        """The first error, else the last write, else the last call."""
        step, _ = self.first_error(trace)
        return self.last_write(trace) if step is None else (step, 1.0)

    def last_write(self, trace: Trace) -> tuple[StepNo | None, float]:
        """The last call that changes something, else the last call."""
        writes = [call.step for call in trace.calls if not self.reads(call.tool)]
        return (writes[-1:] or [len(trace.calls)])[0], 1.0

    def first_error(self, trace: Trace) -> tuple[StepNo | None, float]:
        return next((call.step for call in trace.calls if call.failed), None), 1.0

    def first_break(self, trace: Trace) -> tuple[StepNo | None, float]:
        breaks = self.breaks(trace)
        return (breaks[0].step if breaks else None), 1.0

    def last_call(self, trace: Trace) -> tuple[StepNo | None, float]:
        return len(trace.calls), 1.0

    def guesses(self) -> dict[str, Guess]:
        return {
            "planscope": self.planscope,
            "planscope, made to name a step": self.forced,
            "first error, else last write, else last call": self.rule_of_thumb,
            "last write, else last call": self.last_write,
            "last call": self.last_call,
            "first error": self.first_error,
            "first broken rule": self.first_break,
        }


def without_gold(one: Labelled) -> Labelled:
    return replace(one, trace=replace(one.trace, expected=[]))


@dataclass
class Row:
    """Counts over runs: labelled ones, of those spoken of, exact, within 1 and 3; good ones, and of those accused."""

    name: str
    labelled: int = 0
    spoken: int = 0
    exact: int = 0
    within_1: int = 0
    within_3: int = 0
    good: int = 0
    accused: int = 0

    def add(self, label: int | None, step: StepNo | None, calls: int) -> None:
        if label is None:
            self.good += 1
            self.accused += step is not None
            return
        self.labelled += 1
        if step is not None:
            off = abs((calls + 1 if step == "end" else step) - label)
            self.spoken += 1
            self.exact += off == 0
            self.within_1 += off <= 1
            self.within_3 += off <= 3

    def line(self) -> str:
        shares = (self.spoken, self.exact, self.within_1, self.within_3)
        told = [f"{100 * one / max(1, self.labelled):.0f} %" for one in shares]
        return " | ".join([self.name, *told, f"{100 * self.accused / max(1, self.good):.0f} %"])


def calibration(pairs: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Return the expected calibration error: the mean distance of confidence and share of right answers, by bins."""
    error = 0.0
    for k in range(bins):
        held = [
            (sure, right)
            for sure, right in pairs
            if k / bins < sure <= (k + 1) / bins or (not k and sure == 0)
        ]
        if held:
            error += abs(sum(sure for sure, _ in held) - sum(right for _, right in held)) / len(pairs)
    return error


def measured(runs: Sequence[Labelled], guess: Guess, name: str) -> tuple[Row, str]:
    """Return the counts, and the calibration errors of all answers and of those that name a step."""
    row = Row(name)
    pairs, named = [], []
    for run in runs:
        step, sure = guess(run.trace)
        row.add(run.label, step, len(run.trace.calls))
        pairs.append((sure, step == run.label))
        if step is not None:
            named.append(pairs[-1])
    return row, f"{calibration(pairs):.3f} ({calibration(named):.3f} of the answers that name a step)"


def table(title: str, runs: Sequence[Labelled], judge: Judge, gold: bool = True) -> None:
    labelled = sum(run.label is not None for run in runs)
    print(f"\n### {title}\n\n{labelled} labelled runs, {len(runs) - labelled} without a mistake.\n")
    print(
        "| named by | speaks of | exact | within 1 | within 3 | false alarms |\n| --- | --- | --- | --- | --- | --- |"
    )
    plain = [without_gold(run) for run in runs]
    errors = []
    for name, guess in judge.guesses().items():
        row, error = measured(plain, guess, name)
        errors.append(error)
        print(f"| {row.line()} |")
    said = f"\nExpected calibration error: {errors[0]}"
    if gold:
        row, error = measured(runs, judge.planscope, "planscope, with the gold plan")
        print(f"| {row.line()} |")
        said += f" without the gold plan, {error} with it"
    print(f"{said}.")


def by_grade(runs: Sequence[Labelled], judge: Judge) -> None:
    """Print who is exact where a grade says that the run went wrong, and where nothing or a good grade does.
    ``suspect``: the step that is named or, if none is, the one that is likeliest if the run went wrong."""
    print(
        "\n| grade | labelled | planscope | or its suspect | first error, else last write, else last call |"
    )
    print("| --- | --- | --- | --- | --- |")
    plain = [without_gold(run) for run in runs if run.label is not None]
    for grade in ("below 1", "1", "none"):
        mine = [run for run in plain if _grade(run.trace) == grade]
        guesses = (judge.planscope, judge.suspect, judge.rule_of_thumb)
        exact = [sum(guess(run.trace)[0] == run.label for run in mine) for guess in guesses]
        if mine:
            told = " | ".join(f"{100 * one / len(mine):.0f} %" for one in exact)
            print(f"| {grade} | {len(mine)} | {told} |")


def _grade(trace: Trace) -> str:
    return "none" if trace.reward is None else "below 1" if trace.reward < 1 else "1"


def by_kind(runs: Sequence[Labelled], judge: Judge) -> None:
    print("\n| kind | runs | exact | spoken of |\n| --- | --- | --- | --- |")
    for kind in dict.fromkeys(run.kind for run in runs):
        mine = [without_gold(run) for run in runs if run.kind == kind]
        found = [(run.label, judge.planscope(run.trace)[0]) for run in mine]
        right, spoken = sum(a == b for a, b in found), sum(b is not None for _, b in found)
        print(f"| {kind} | {len(mine)} | {right} | {spoken} |")
