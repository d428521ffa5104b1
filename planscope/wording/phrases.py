"""Writes short pieces of text: hours, counts, calls, endings. Text from outside is made safe to show here."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from planscope.language.problem import Problem
from planscope.oracle.verdict_types import (
    Finding,
    Move,
    PlannedCall,
    Repair,
    State,
    StepNo,
    StepView,
    Verdict,
)
from planscope.safe import visible
from planscope.wording.terms import (
    ABORTED,
    ALL_KEPT,
    COMPLETE_MEANS,
    FINDINGS,
    MOVES,
    REASONS,
    RULES_MEAN,
    RULES_MOVES,
    STATE_MEANS,
    VERDICTS,
    capital,
    ended,
    said,
    state,
)

if TYPE_CHECKING:
    from planscope.oracle.judged import Judged

MOST_ARGUMENTS = 12


class Ended(Protocol):
    """The end of a run, as far as it is known."""

    @property
    def ending(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def cause(self) -> str | None: ...


class Costly(Protocol):
    """What a run took: answers of the model, tokens (None if not counted), seconds (None if not recorded)."""

    @property
    def model_calls(self) -> int: ...
    @property
    def input_tokens(self) -> int | None: ...
    @property
    def output_tokens(self) -> int | None: ...
    @property
    def known_seconds(self) -> float | None: ...


class Forked(Protocol):
    """The origin of a fork: a run and its step."""

    @property
    def run(self) -> str: ...
    @property
    def step(self) -> int: ...


def clock(hour: int) -> str:
    return f"{hour}:00"


def hours(start: int | None, end: int | None) -> str:
    """Write hours as ``9:00-11:00``; empty if they are not known."""
    return "" if start is None or end is None else f"{clock(start)}-{clock(end)}"


def duration(seconds: float) -> str:
    """Write a time as the first paper's Table 2 does, ``01:12.50``, or with hours, ``2:00:01``."""
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02}:{whole % 60:02}"
    return f"{whole // 60:02}:{seconds % 60:05.2f}"


def measured(seconds: float) -> str:
    """Write a time that was measured, with three digits: ``0.25 s``, ``59.4 s``, ``1,240 s``."""
    if 0 < seconds < 0.001:
        return "under 0.001 s"
    return f"{seconds:,.0f} s" if seconds >= 99.95 else f"{seconds:.3g} s"


def time_left(seconds: float) -> str:
    """Write a remaining time: ``45 s left``, ``3 min left``."""
    return f"{seconds:.0f} s left" if seconds < 90 else f"{seconds / 60:.0f} min left"


def date(when: datetime | None, now: datetime | None = None, *, short: bool = False) -> str:
    """Write a date and its time in the local time zone: ``2026-11-08 10:42``, or ``today 10:42`` if ``now`` is given.

    ``short``: without the time. The text is empty where there is no such date.
    """
    try:
        local = when.astimezone() if when is not None else None
    except (OverflowError, ValueError, OSError):
        local = None
    if local is None:
        return ""
    day = "today" if now is not None and local.date() == now.date() else str(local.date())
    return day if short else f"{day} {local:%H:%M}"


def file_size(size: int) -> str:
    """Write a size or the limit of one: ``812 B``, ``17 kB``, ``3.2 MB``, ``64 MB``. 1 kB is 1,024 B."""
    if size < 1024:
        return f"{size} B"
    return (
        f"{size / 2**10:.0f} kB" if size < 1023.5 * 2**10 else f"{size / 2**20:,.1f} MB".replace(".0 ", " ")
    )


def plural(number: int, one: str, more: str = "") -> str:
    """Write a count: ``1 call``, ``1,200 calls``."""
    return f"{number} {one}" if number == 1 else f"{number:,} {more or one + 's'}"


def orders(number: int | None) -> str:
    """Say how many orders are still valid: ``valid orders left: 3``. None means too many to count."""
    return f"valid orders left: {count(number)}"


def count(number: int | None) -> str:
    return "many" if number is None else f"{number:,}"


def percent(rate: float | None) -> str:
    """Write a rate as a whole percentage, ``95 %``, or ``-`` if there is none. Only exactly 1 is 100 %."""
    if rate is None:
        return "-"
    shown = round(rate * 100)
    return f"{99 if shown == 100 and rate < 1 else shown} %"


def difference(rate: float) -> str:
    """Write the difference of two rates in percent, with its sign: ``+12.5 %``."""
    return f"{100 * rate:+.1f} %"


def share(part: int, whole: int) -> str:
    """Write a count with its share, ``19 (95 %)``, or ``-`` if it is of nothing."""
    return f"{part} ({percent(part / whole)})" if whole else "-"


def p_value(p: float) -> str:
    return f"p = {p:.2g}"


def interval(ends: tuple[float, float] | None) -> str:
    """Return the interval of a rate as text, ``-`` if there is none."""
    return "-" if ends is None else f"{percent(ends[0])} to {percent(ends[1])}"


def listed(parts: Iterable[str], last: str = "and") -> str:
    """Write a list: ``a``, ``a and b``, ``a, b and c``."""
    found = list(parts)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} {last} {found[-1]}" if found else ""


def step_name(step: StepNo) -> str:
    return "the end" if step == "end" else f"step {step}"


def at_step(step: StepNo) -> str:
    return "at the end" if step == "end" else "before any call" if step == 0 else f"at step {step}"


def value(something: Any, limit: int = 60) -> str:
    """Write one argument as JSON, cut to ``limit`` code points."""
    return visible(json_text(something), limit=limit)


def json_text(something: Any, indent: int | None = None) -> str:
    """Write a value as JSON, not made safe."""
    try:
        return json.dumps(something, ensure_ascii=False, default=str, indent=indent)
    except (ValueError, RecursionError):
        return "(cannot be shown)"


def arguments(given: Mapping[str, Any] | None, *, named: bool = False, limit: int = 60) -> str:
    """Write a call's arguments: a single one by its value alone, unless ``named``. None means unreadable."""
    if given is None:
        return "unreadable"
    if len(given) == 1 and not named:
        return value(next(iter(given.values())), limit)
    shown = [
        f"{visible(str(k), limit=40)}={value(v, limit)}" for k, v in list(given.items())[:MOST_ARGUMENTS]
    ]
    return ", ".join([*shown, *["…"] * (len(given) > MOST_ARGUMENTS)])


def call(tool: str, given: Mapping[str, Any] | None, *, named: bool = False, limit: int = 60) -> str:
    """Write a call: ``tool(8)``, or ``tool(start_time=8)`` if ``named``."""
    return f"{visible(tool, limit=80)}({arguments(given, named=named, limit=limit)})"


def ending(run: Ended | None) -> str:
    """Say how a run ended: ``out of time: ...``."""
    if run is None:
        return "no run"
    words = ended(run.ending, run.cause)
    why = run.reason or (REASONS.get(run.cause or "", "") if words == ABORTED else "")
    if not why or run.ending == "stopped":
        return words
    return visible(why if why.startswith(words) else f"{words}: {why}", limit=160)


def fork_point(fork: Forked) -> str:
    return f"{visible(fork.run, limit=40)} at step {fork.step}"


def cost(cost: Costly, *, simulated: bool = False) -> str:
    """Write what a run took: ``7 answers, 1,200 tokens read, 80 written, 3.1 s``."""
    tokens = "" if simulated else ", tokens not recorded"
    if cost.input_tokens is not None and cost.output_tokens is not None:
        tokens = f", {cost.input_tokens:,} tokens read, {cost.output_tokens:,} written"
    seconds = "time not recorded" if cost.known_seconds is None else f"{cost.known_seconds:.1f} s"
    return f"{plural(cost.model_calls, 'answer')}{tokens}, {seconds}" + " (simulated)" * simulated


def failed(view: StepView) -> bool:
    """Return whether the tool answered a call with an error that no finding of the step tells."""
    call = view.call
    told = call is not None and (call.error or any(one.type == "act_error" for one in view.findings))
    return call is not None and call.failed is True and not told


def finding(found: Finding) -> str:
    """Name a finding: ``parameter error``, or ``failed call (warning)``."""
    return FINDINGS[found.type] + (" (warning)" if found.severity == "warning" else "")


def findings(found: Iterable[Finding]) -> str:
    return ", ".join(dict.fromkeys(map(finding, found)))


def outcome(told: str, headline: str | None) -> str:
    """Name a run's outcome in a word or two: the error of its headline, or its verdict."""
    return said(headline or told)


def headline(verdict: Verdict) -> str:
    """Return the error that a verdict's headline names; empty if the run is not wrong."""
    return FINDINGS[verdict.headline.type] if verdict.headline is not None else ""


def verdict_line(verdict: Verdict, note: str = "") -> str:
    """Write a verdict: ``WRONG: order error``, ``RIGHT, helped: 1 call refused``. ``note``: the help."""
    error = headline(verdict)
    kind = VERDICTS[verdict.told].upper()
    why = REASONS.get(verdict.reason or "", "") if verdict.told == "aborted" else ""
    return (f"{kind}: {error}" if error else f"{kind} ({why})" if why else kind) + note


def where(verdict: Verdict, at: Callable[[StepNo], str] = at_step, *, brief: bool = False) -> str:
    """Say where a run was lost and where its error shows, the cause before the symptom: ``lost at step 2, shows at
    step 3``; empty if no step did it. ``at``: writes a step. ``brief``: as short as a headline on screen."""
    named = verdict.headline
    shows = None if named is None else named.step
    if verdict.first_violation is None:
        return "" if shows is None else at(shows)
    lost = verdict.first_violation.step
    told = "contradictory query" if lost == 0 else f"lost {at(lost)}"
    if shows is None or shows == lost or (brief and lost == 0):
        return told
    earlier = lost == "end" or (shows != "end" and shows < lost)
    symptom = f"{shows}" if brief and not earlier and shows != "end" else at(shows)
    return f"{symptom}, {told}" if earlier else f"{told}, shows {symptom}"


def rules_alone(problem: Problem) -> bool:
    """Return whether rules judge the run, and no query: there is no plan then."""
    return bool(problem.constraints) and all(c.kind == "of_calls" for c in problem.constraints)


def what_is_lost(problem: Problem) -> str:
    """Name what calls can lose: ``the plan``, or ``the run`` if only rules judge it."""
    return "the run" if rules_alone(problem) else "the plan"


def move_does(problem: Problem, after: State) -> str:
    """Return the effect of a possible call, by the state after it: ``loses the plan``."""
    return (RULES_MOVES if rules_alone(problem) else MOVES)[after]


def step_ended(run: Judged, view: StepView) -> bool:
    """Return whether a step is the end of a run that was not aborted."""
    return view.step == "end" and run.trace.ending != "aborted"


def step_word(run: Judged, view: StepView) -> str:
    """Return the state of a step in a word."""
    return state(view.state, step_ended(run, view), run.problem.unjudged)


def state_means(problem: Problem, found: State, ended: bool = False) -> str:
    """Say what a state means. ``ended``: as for ``terms.state``."""
    rules = rules_alone(problem)
    if ended and found == "completable":
        return ALL_KEPT if rules else COMPLETE_MEANS
    return (RULES_MEAN if rules else STATE_MEANS)[found]


def tool_of(problem: Problem, action: str) -> str:
    found = problem.action_by_id.get(action)
    return visible(found.tool if found else action, limit=80)


def move(problem: Problem, safe: Move) -> str:
    """Write a possible next call: ``docent_training, start 9 to 18``."""
    tool = tool_of(problem, safe.action)
    if safe.hours is None:
        return tool
    first, last = safe.hours
    return f"{tool}, start {first}" if first == last else f"{tool}, start {first} to {last}"


def moves(problem: Problem, safe: Sequence[Move], most: int, last: str = "or") -> str:
    """Write possible next calls: ``a or b`` without hours, ``a, start 9; or b, start 10 to 12`` with them. The rest
    is counted."""
    words = [move(problem, one) for one in safe[:most]]
    words += [plural(len(safe) - most, "other")] * (len(safe) > most)
    between = "; " if any(one.hours for one in safe) else ", "
    if len(words) < 2:
        return "".join(words)
    head = between.join(words[:-1])
    return f"{head}{between.rstrip() if between == '; ' else ''} {last} {words[-1]}"


def planned(problem: Problem, step: PlannedCall) -> str:
    """Write a planned call: ``tool(8)``."""
    needs = "" if step.needs is None else visible(step.needs, limit=80)
    return f"{tool_of(problem, step.action)}({needs if step.start is None else step.start})"


def plan(repair: Repair) -> tuple[PlannedCall, ...]:
    """Write a repair's calls in order; empty if there is no plan."""
    starts = repair.starts or {}
    return tuple(PlannedCall(action, starts.get(action)) for action in repair.order or ())


def changes(repair: Repair) -> Iterator[str]:
    """Write what has to change so that every rule is kept, a sentence for each change."""
    for one in repair.changes:
        yield visible(f"{capital(one)}.", limit=400)
    if any(one.startswith("move") for one in repair.changes):
        yield "Moved calls keep their answers."
    if not repair.exact:
        yield "The best that was found; a smaller change may exist."


def place(path: Path, limit: int = 70) -> str:
    """Write a file's path; only the end of a long one."""
    home = str(Path.home())
    text = str(path)
    if text.startswith(home + os.sep):
        text = "~" + text[len(home) :]
    return visible(text, limit=4000) if len(text) <= limit else "…" + visible(text[1 - limit :], limit=4000)
