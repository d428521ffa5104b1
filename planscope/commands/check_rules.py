"""``check --rules`` and ``replay --rules``: judge traces, or the runs of a session, by a file of rules."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.commands.common import (
    ProgressLine,
    columns,
    emit,
    open_session,
    output_file,
    read_text,
    say,
    say_all,
)
from planscope.documents.json_text import json_text
from planscope.errors import UserError
from planscope.safe import cell_width, clip, visible

if TYPE_CHECKING:
    from planscope.rules.judge import Rulebook
    from planscope.rules.many import Judged
    from planscope.rules.report import CheckOptions, Summary
    from planscope.rules.rule import RuleFile
    from planscope.session.model import Session
    from planscope.traces.shape import Trace

SESSION_MARK = b"planscope-session"
SHOWN = 20
"""The text output lists this many wrong traces."""


def read_rule_file(name: str) -> RuleFile:
    """Read a file of rules. Raises UserError with the place of the first error."""
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.rules.reading import read_rules

    text = read_text(name)
    try:
        found = read_rules(text)
    except ParseFailure as failure:
        raise UserError(f"{name}: {in_a_line(failure.errors)} (see: planscope rules check {name})") from None
    if not found.rules:
        raise UserError(
            f"{name} has no rule; write one sentence a line, such as: get_order comes before cancel_order."
        )
    return found


def session_named(name: str) -> Session | None:
    """Return the session of that name or file, or None if it is a file, a folder or a glob of traces."""
    from planscope.session.locations import resolve

    if name == "-":
        return None
    if os.path.lexists(name):
        path = Path(name)
        if path.is_dir():
            return None
        with suppress(OSError), path.open("rb") as file:
            head = file.read(2**16)
            if SESSION_MARK in head or name.endswith((".planscope.json", ".planscope.json.gz")):
                return open_session(name)
        return None
    try:
        resolve(name)
    except (UserError, OSError):
        return None
    return open_session(name)


def check_with_rules(args: argparse.Namespace) -> int:
    """Judge and print. Return the exit status."""
    from planscope.rules.ci import JUnit, Sarif
    from planscope.rules.judge import Rulebook
    from planscope.rules.report import CheckOptions, Summary
    from planscope.traces.opening import other_readers
    from planscope.wording.terms import VERDICTS

    file = read_rule_file(args.rules)
    junit_path = output_file(args.junit) if args.junit is not None else None
    sarif_path = output_file(args.sarif) if args.sarif is not None else None
    book = Rulebook(file.rules, succeeded_only=args.succeeded_only)
    options = CheckOptions(args.running, args.branches, args.details)
    summary = Summary(list(file.rules))
    junit = JUnit() if junit_path is not None else None
    sarif = Sarif(file.rules, args.rules)
    problems: list[str] = []
    seen: set[str] = set()
    wrong: list[str] = []
    closed = False
    if args.json:
        emit('{"traces": [')
    for count, judged in enumerate(_judged(args, book, options, problems)):
        checked = judged.checked
        summary.add(checked)
        seen.update(judged.tools)
        if junit is not None:
            junit.add(checked, judged.source)
        if sarif_path is not None:
            sarif.add(checked, judged.source)
        if args.json and not closed:
            try:
                emit(("," if count else "") + "\n" + json_text(checked.fields()))
            except BrokenPipeError:  # the exit status still tells the verdict
                closed = True
        elif checked.verdict != "right" and len(wrong) < SHOWN:
            wrong.append(f"{checked.id}: {VERDICTS[checked.verdict].upper()}. {checked.explanation}")
    warnings = _warnings(file, seen, summary)
    troubles = other_readers()[1]  # no reason for another exit status: every file may have been read
    if junit is not None and junit_path is not None:
        junit.write(junit_path)
        junit.close()
    if sarif_path is not None:
        sarif.write(sarif_path)
    with suppress(BrokenPipeError):
        if args.json and not closed:
            more = [*warnings, *troubles, *problems]
            emit(f'\n],\n"summary": {json_text(summary.fields())},\n"warnings": {json_text(more)}\n}}\n')
        elif not args.json:
            say_all(_lines(summary, wrong, [*warnings, *troubles], problems))
    status = summary.status
    if status == 0 and (problems or (args.strict and warnings)):
        return 2
    return status


def _judged(
    args: argparse.Namespace, book: Rulebook, options: CheckOptions, problems: list[str]
) -> Iterator[Judged]:
    """Yield every trace, judged: all runs of a session, or the one that --run names."""
    from planscope.rules.many import check_many, check_traces

    session = session_named(args.session)
    if session is not None:
        yield from _session_judged(session, args, book, options)
        return
    if args.run is not None:
        traces = _of_id(args.session, args.run, problems)
        yield from check_traces(traces, book, options)
        return
    line = ProgressLine()
    begun = time.monotonic()

    def progress(done: int, total: int) -> None:
        passed = time.monotonic() - begun
        left = passed * (total - done) / max(done, 1)
        line.show(f"{done * 100 // max(total, 1)} %, about {left:.0f} s left")

    try:
        yield from check_many([args.session], book, options, problems.append, progress)
    finally:
        line.clear()


def session_summary(session: Session, file: RuleFile) -> tuple[Summary, list[str]]:
    """Judge all runs of a session by these rules. Return the sums, and warnings about names."""
    from planscope.case import judge_by
    from planscope.rules.judge import Rulebook
    from planscope.rules.report import CheckOptions, Summary
    from planscope.session.model import own_runs

    summary = Summary(list(file.rules))
    seen: set[str] = set()
    book, options = Rulebook(file.rules), CheckOptions(details=0)
    for judged in (judge_by(session, run, book, options) for run in own_runs(session)):
        summary.add(judged.checked)
        seen.update(judged.tools)
    return summary, [*clash_lines(session, file), *_warnings(file, seen, summary)]


def clash_lines(session: Session, file: RuleFile) -> list[str]:
    """Return a line for each query of a session that cannot be met together with the rules."""
    from planscope.rules.in_session import clashes
    from planscope.wording.explain import explain_core

    lines = []
    for variant, run in clashes(session, file):
        core = run.steps[0].core
        assert core is not None
        lines.append(f"query {visible(variant.id, limit=40)}: {explain_core(run, core)}".removesuffix("."))
    return lines


def _of_id(name: str, id: str, problems: list[str]) -> Iterator[Trace]:
    from planscope.traces import open_traces

    for trace in open_traces([name], on_problem=problems.append):
        if trace.id == id:
            yield trace
            return
    raise UserError(f"there is no trace {id[:40]!r} in {name}; planscope check lists the ids with --json")


def _session_judged(
    session: Session, args: argparse.Namespace, book: Rulebook, options: CheckOptions
) -> Iterator[Judged]:
    """Yield the runs of a session, judged."""
    from planscope.case import find_run, judge_by
    from planscope.session.model import own_runs

    chosen = find_run(session, args.run) if args.run is not None else None
    for run in [chosen] if chosen is not None else own_runs(session):
        yield judge_by(session, run, book, options, strict=args.strict)


def _warnings(file: RuleFile, seen: set[str], summary: Summary) -> list[str]:
    from planscope.rules.report import argument_warnings, name_warnings

    return [*name_warnings(file.rules, seen), *argument_warnings(summary)] if summary.traces else []


def _lines(summary: Summary, wrong: list[str], warnings: list[str], problems: list[str]) -> Iterator[str]:
    """Return what ``check --rules`` prints as text: the wrong traces, then a table of rules."""
    from planscope.report import sentence
    from planscope.wording.phrases import plural
    from planscope.wording.terms import VERDICTS
    from planscope.wording.terms import sentence as ended

    width = columns()
    for one in wrong:
        yield from sentence(one, width)
        yield ""
    bad = sum(count for verdict, count in summary.verdicts.items() if verdict != "right")
    if bad > len(wrong):
        yield f"... and {plural(bad - len(wrong), 'more trace')} (--json lists all)"
        yield ""
    yield from table(summary, width)
    yield ""
    counts = ", ".join(
        f"{count:,} {VERDICTS[verdict]}" for verdict, count in sorted(summary.verdicts.items())
    )
    yield f"{plural(summary.traces, 'trace')}: {counts or 'none'}"
    for warning in warnings:
        yield from sentence(ended(f"Warning: {warning}"), width)
    for problem in problems:
        yield from sentence(f"Not read: {problem}", width)


def table(summary: Summary, width: int) -> Iterator[str]:
    """Return the rules with how often they were tested, broken and undecided, and where they broke first. What no
    trace put to the test is said, since it looks like a rule that is kept."""
    rows = []
    for rule in summary.rules:
        one = summary.sums[rule.id]
        rows.append(
            (rule.name or rule.id, one.applicable, one.broken, one.unknown, one.first or "", rule.text)
        )
    name = min(24, max([4, *(len(visible(row[0])) for row in rows)]))
    yield f"{'rule':<{name}}  tested  broken  unknown"
    for title, applicable, broken, unknown, first, text in rows:
        numbers = f"{applicable:>6,}  {broken:>6,}  {unknown:>7,}"
        shown = clip(title, name)
        yield f"{shown + ' ' * (name - cell_width(shown))}  {numbers}  {clip(text, max(20, width - name - 28))}"
        if first:
            yield f"{'':<{name}}  first: {clip(first, max(20, width - name - 10))}"
        elif summary.traces and not applicable and not unknown:
            yield f"{'':<{name}}  not put to the test"


def replay_with_rules(args: argparse.Namespace) -> int:
    """Print every step of one trace."""
    from planscope.rules.judge import Rulebook
    from planscope.rules.steps import steps
    from planscope.wording.terms import STATES

    file = read_rule_file(args.rules)
    trace = one_trace(args.session, args.run)
    book = Rulebook(file.rules)
    if not args.json:
        for one in steps(book, trace):
            tool = one.call.tool if one.call is not None else ""
            open_rules = [id for id, status in one.statuses.items() if status in ("owed", "broken")]
            shown = f"  {', '.join(open_rules)}" if open_rules else ""
            say(f"{one.step!s:>5}  {STATES[one.state]:<11}  {clip(tool, 40)}{shown}")
        return 0
    before: dict[str, str] = {}
    emit(f'{{"trace": {json_text(trace.id)},\n"steps": [')
    lost = _core_of(book, trace)
    for count, one in enumerate(steps(book, trace)):
        call = None
        if one.call is not None:
            call = {"tool": one.call.tool, "arguments": one.call.arguments or {}}
        statuses = {id: s for id, s in one.statuses.items() if not args.changes or before.get(id) != s}
        before = dict(one.statuses)
        fields = {
            "step": one.step,
            "attempt": 1,
            "call": call,
            "state": one.state,
            "safe_next": list(one.safe_next),
            "valid_completions": None,
            "constraints": statuses,
            "core": lost[1] if lost is not None and one.step == lost[0] else [],
        }
        emit(("," if count else "") + "\n" + json_text(fields))
    emit("\n]}\n")
    return 0


def _core_of(book: Any, trace: Trace) -> tuple[int | str, list[str]] | None:
    """Return the first lost step and the rules of its core."""
    from planscope.rules.core import find_core, first_lost
    from planscope.rules.judge import known_tools

    book = book.for_tools({*trace.tools, *(call.tool for call in trace.calls)})
    tools = known_tools(book, trace)
    lost = first_lost(book, tools, trace, open_end=trace.ended != "complete")
    return None if lost is None else (lost[0], list(find_core(book, tools, *lost).rules))


def one_trace(name: str, id: str | None) -> Trace:
    """Return one trace: of a session the last run, or the one that is named."""
    from planscope.case import need_run
    from planscope.rules.runs import trace_of_run

    session = session_named(name)
    if session is not None:
        return trace_of_run(need_run(session, id))
    problems: list[str] = []
    if id is not None:
        return next(_of_id(name, id, problems))
    from planscope.traces import open_traces

    traces = open_traces([name])
    first = next(traces, None)
    if first is None:
        raise UserError(f"there is no trace in {name}")
    if next(traces, None) is not None:
        raise UserError(f"{name} has more than one trace; choose one with --run ID, such as --run {first.id}")
    return first
