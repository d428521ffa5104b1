"""What a run of the fuzzer found."""

from __future__ import annotations

import json
from collections.abc import Iterator

from planscope.documents.fuzz import FuzzDocument, FuzzedToolDocument
from planscope.session.model import FuzzFinding, FuzzFix
from planscope.show.blocks import Block, Code, Heading, Para, Picture, Table
from planscope.toolfuzz.formats import MEANINGS, agent_lines, label_text, smallest, smallest_lines, title
from planscope.toolfuzz.mended import ORIGINS, difference
from planscope.toolfuzz.report import interval_words, is_counted, is_sequence, missing, rate_sentence
from planscope.views.prompt_sets import cut, sets_blocks
from planscope.wording.phrases import plural

LONGEST_INPUT = 200
WIDE, HIGH = 320, 64
"""The size of a discovery curve."""


def fuzz_blocks(found: FuzzDocument, *, whole: bool = False) -> Iterator[Block]:
    """Yield the report. ``whole``: nothing is cut, as on a page; else tracebacks and the like are left out."""
    yield from _tools(found)
    for tool in found.tools if whole else ():
        if tool.curve:
            yield Picture(f"{tool.tool}: errors over calls", _curve(tool))
    for number, one in enumerate(found.findings, 1):
        if whole or not one.set:
            yield from _finding(one, number, whole)
    yield from sets_blocks(found.sets, found.matrix, whole=whole)
    yield from _baseline(found, whole)
    yield from _summary(found)
    yield from fix_blocks(found)
    if whole:
        yield Heading("Sandbox")
        yield Table([*found.sandbox.items()])


def _tools(found: FuzzDocument) -> Iterator[Block]:
    rows = []
    for tool in found.tools:
        note = "skipped, because " + tool.skipped if tool.skipped else ""
        if tool.stopped == "hung":
            note = "the search ended early, because too many calls hung"
        if tool.stopped == "unusable":
            note = "it cannot run here, because a package is missing"
        if never_entered(tool):
            note = "; ".join(filter(None, (f"never entered: {tool.refusal}"[:LONGEST_INPUT], note)))
        errors = "" if tool.skipped else str(tool.statistics.unique_errors)
        more = (tool.branches, tool.agent_calls, tool.refused)
        rows.append(
            (tool.tool, errors, f"{tool.calls:,}", f"{tool.succeeded:,}", *(str(n or "") for n in more), note)
        )
    if found.sequences is not None:
        errors = str(sum(is_sequence(one) and is_counted(one) for one in found.findings))
        played = f"{plural(found.sequences.sequences, 'sequence')} of calls"
        rows.append(("all tools together", errors, f"{found.sequences.calls:,}", *[""] * 4, played))
    yield Table(
        rows,
        (
            "tool",
            "errors",
            "calls",
            "succeeded",
            "branches",
            "the agent's calls",
            "refused by the schema",
            "",
        ),
        indent="",
    )


def how_far(tool: FuzzedToolDocument) -> str:
    """Say in one line how far the search got into a tool."""
    if tool.skipped:
        return f"skipped, because {tool.skipped}"
    reached = "" if tool.branches is None else f", {plural(tool.branches, 'branch', 'branches')} reached"
    refusal = f"; never entered: {tool.refusal}" if never_entered(tool) else ""
    return f"{tool.succeeded:,} of {plural(tool.calls, 'call')} succeeded{reached}{refusal}"


def never_entered(tool: FuzzedToolDocument) -> bool:
    """Return whether no call of a tool succeeded, though calls were made."""
    return bool(tool.calls) and not tool.entered


def _curve(tool: FuzzedToolDocument) -> str:
    """Draw unique errors over calls."""
    most, calls = max(unique for _, unique in tool.curve), max(tool.calls, 1)
    points, last = [f"0,{HIGH}"], 0
    for at, unique in [*tool.curve, [calls, tool.curve[-1][1]]]:
        points += [f"{WIDE * at / calls:.1f},{HIGH - HIGH * n / most:.1f}" for n in (last, unique)]
        last = unique
    return (
        f'<svg viewBox="-5 -5 {WIDE + 40} {HIGH + 30}" role="img" aria-label="discovery curve">'
        f'<polyline fill="none" stroke="#888" points="0,0 0,{HIGH} {WIDE},{HIGH}"/>'
        f'<polyline fill="none" stroke="#c33" stroke-width="2" points="{" ".join(points)}"/>'
        f'<text x="{WIDE + 6}" y="{HIGH - HIGH * last / most + 5:.1f}" fill="currentColor">{last}</text>'
        f'<text x="{WIDE}" y="{HIGH + 18}" text-anchor="end" fill="currentColor">{tool.calls:,} calls</text></svg>'
    )


def _finding(one: FuzzFinding, number: int, whole: bool) -> Iterator[Block]:
    yield Heading(f"{number}. {one.tool}: {title(one)[:300]}", 3)
    yield from (_fact(label, said) for label, said in _facts(one, whole))
    if one.set or not one.at_call:
        return
    label = "sent" if one.shrunk is None else "smallest"
    lines = smallest_lines(one)
    if whole:
        yield Para(f"{label}:")
        yield Code(lines if is_sequence(one) else json.dumps(smallest(one), indent=1).splitlines())
        parts = (("only after these calls:", json.dumps(one.needs, indent=1) if one.needs else ""),
        ("traceback:", one.traceback), ("printed:", one.printed))  # fmt: skip
        for said, text in parts:
            if text:
                yield from (Para(said), Code(text.splitlines()))
        return
    yield from (_fact(label if k == 0 else "", cut(line, LONGEST_INPUT)) for k, line in enumerate(lines))
    if one.needs:
        yield _fact("", f"only after {plural(len(one.needs), 'other call')} (--json shows them)")


def _fact(label: str, said: str) -> Block:
    return Para(said, "   ", label=label or " ")


def _facts(one: FuzzFinding, whole: bool) -> Iterator[tuple[str, str]]:
    if whole:
        yield "means", MEANINGS[one.kind]
    if one.set:
        yield "see", f"set {one.set}"
    elif one.at_call:
        if one.location:
            yield "where", one.location
        if one.source and whole:
            yield "line", one.source
        if one.branches:
            yield "reached", plural(one.branches, "branch", "branches")
        unit = "prompt" if one.prompt else "call"
        yield "found", f"first in {unit} {one.at_call:,}, {plural(one.occurrences, 'time')}"
    if not is_counted(one):
        yield "", "listed only"
    if one.documented:
        yield "", "the documentation states the limit"
    if told := label_text(one):
        yield "labelled", told
    if one.prompt:
        yield "prompt", one.prompt if whole else cut(one.prompt, LONGEST_INPUT)
    yield from (("model", text) for text in agent_lines(one))


def _baseline(found: FuzzDocument, whole: bool) -> Iterator[Block]:
    if not found.baseline:
        return
    yield Heading(f"Prompts of the baseline, {found.method}")
    rows = []
    for one in found.baseline:
        if one.error:
            ended = f"no data: {one.error}"
        elif one.aim == "runtime":
            ended = "a call failed" if any(call.failed for call in one.calls) else "no failure"
        else:
            ended = {True: "correct", False: "wrong", None: "unjudged"}[one.correct]
        calls = "\n".join(f"{c.tool} {json.dumps(c.arguments)}: {c.output or ''}" for c in one.calls)
        more = (calls, one.answer or "", one.reason) if whole else ("", "", "")
        rows.append((one.tool, ended, one.prompt if whole else cut(one.prompt, LONGEST_INPUT), *more))
    yield Table(rows, ("tool", "outcome", "prompt", "calls", "answer", "judge"))


def _summary(found: FuzzDocument) -> Iterator[Block]:
    figures = found.statistics
    made = found.calls + sum(tool.agent_calls for tool in found.tools)
    never = [tool.tool for tool in found.tools if never_entered(tool)]
    lead = f"never entered: {', '.join(never)}; " if never else ""
    yield Heading(
        f"{lead}{plural(figures.unique_errors, 'error')} in {plural(made, 'call')}, seed {found.seed}"
    )
    if figures.unique_errors:
        yield Para(f"estimate of all errors: {figures.chao1:g} ({interval_words(figures)}), under guidance")
    if figures.false_discovery:
        yield Para(rate_sentence(figures.false_discovery))
    if found.model is not None:
        used = found.model
        tokens = f"{used.tokens_in:,} tokens in, {used.tokens_out:,} out"
        guessed = f", {used.tokens_estimated:,} of them estimated" if used.tokens_estimated else ""
        money = "" if used.money is None else f", cost {used.money:.4f}"
        yield Para(f"{used.model}: {used.model_calls:,} calls, {tokens}{guessed}{money}")
    yield from map(Para, [*missing(found.sandbox), *found.remarks])
    if found.interrupted:
        yield Para("interrupted; these are the findings so far")


def fix_blocks(found: FuzzDocument) -> Iterator[Block]:
    """Yield the new documentation that is proposed, as a diff."""
    names = [f"set {one.set}" if one.set else f"finding {k}" for k, one in enumerate(found.findings, 1)]
    for one in found.fixes:
        yield Heading(f"documentation of {one.tool}: {plural(len(one.candidates), 'candidate')} tried", 3)
        yield from _fix(one, names)


def _fix(one: FuzzFix, names: list[str]) -> Iterator[Block]:
    choosing, reporting = one.choosing or {}, one.reporting
    if one.untried and choosing.get("prompts"):
        tried = ", ".join(names[number - 1] for number in sorted(one.untried))
        yield Para(f"not tried on {tried}: the model gave too few other requests", "  ")
    chosen = next((some for some in one.candidates if some["chosen"]), None)
    if one.after is None or chosen is None:
        yield Para(f"nothing is proposed: {one.why}", "  ")
        return
    words = plural(len(one.after.split()), "word")
    yield Para(f"the best, of {words}, was made from {ORIGINS[chosen['from']]}:", "  ")
    yield Code(difference(one.before, one.after), indent="    ")
    for said, half in (("chosen by", choosing), ("reported on others", reporting)):
        if half:
            right = f"{half['after']} of {plural(half['prompts'], 'prompt')} right"
            yield Para(f"{said}: {right}, {half['before']} as it was", "  ")
    for word, numbers in (("cures", one.cures), ("does not cure", one.leaves)):
        if numbers:
            yield Para(f"{word} {', '.join(names[number - 1] for number in sorted(numbers))}", "  ")
