"""``check --rules``: judges traces, or the runs of a session, by a file of rules."""

from __future__ import annotations

import time
from argparse import Namespace
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.case import find_run, judge_by
from planscope.commands.common import (
    ProgressLine,
    columns,
    complain,
    emit,
    leave_out,
    output_file,
    read_text,
    tell,
)
from planscope.errors import UserError
from planscope.oracle.verdict_types import graded
from planscope.rules.names import read_tools, tools_in, tools_named, tools_of_session
from planscope.rules.rule import RuleFile, names_of, unknown_names
from planscope.safe import cell_width, clip, visible
from planscope.show.blocks import GAP, Block, Code, Para
from planscope.wording.phrases import percent, plural, time_left
from planscope.wording.terms import NOT_DECIDED, VERDICTS, VIOLATED

if TYPE_CHECKING:
    from planscope.oracle.trace import Trace
    from planscope.rules.ci import JUnit, Sarif
    from planscope.rules.many import Judged
    from planscope.rules.report import Checked, CheckOptions, Summary
    from planscope.session.model import Session
    from planscope.traces.source import Source

SHOWN = 20
"""The text output lists this many wrong traces."""


def read_rule_file(name: str, tools: Collection[str] = (), text: str | None = None) -> RuleFile:
    """Read a file of rules, or its ``text``. ``tools``: known names. Raises UserError with the place of the first
    error."""
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.rules.reading import read_rules

    text = read_text(name) if text is None else text
    try:
        found = read_rules(text, tools)
    except ParseFailure as failure:
        raise UserError(f"{name}: {in_a_line(failure.errors)} (see: planscope rules check {name})") from None
    if not found.rules:
        raise UserError(
            f"{name} has no rule; write one sentence a line, such as: get_order comes before cancel_order."
        )
    return found


def rules_about(args: Namespace, session: Session | None, where: str | Source) -> tuple[RuleFile, set[str]]:
    """Read the rules for these traces, or for this session. Return the tools that are known before the traces are
    judged, too. Raises UserError."""

    if args.rules is None:
        return RuleFile("", ()), set()
    given = getattr(args, "tools", None)
    known = read_tools(read_text(given)) if given is not None else set()
    found = tools_of_session(session) if session is not None else tools_in(where)
    known |= set(found or ())
    file = read_rule_file(args.rules, known)
    if getattr(args, "allow_unknown", False) or where == "-":
        return file, known.union(file.declared)  # what a stream's traces call is known at its end
    if found is None:
        return file.among(known | tools_named(where, names_of(file.rules))), known.union(file.declared)
    file = file.among(known)
    return file, set(file.known or ())


def session_or_traces(name: str) -> tuple[Session | None, str | Source]:
    """Return the session of that name or file, or None for traces; and what to read these from. Standard input is kept,
    since it is read more than once."""
    if name != "-":
        from planscope.session.locations import session_at

        if (path := session_at(name)) is None:
            return None, name
        from planscope.session.store import load

        return load(path), name
    from planscope.session.containers import holds_session, read_stream
    from planscope.session.store import loads
    from planscope.traces.source import standard_input

    source = standard_input()
    with source.raw() as file:
        session = holds_session(file)
    return loads(read_stream(source.raw()), source.name) if session else None, source


def check_with_rules(args: Namespace) -> int:
    """Judge and print. Return the exit status. Without rules only causes are sought."""
    from planscope.rules.report import CheckOptions, Summary, warnings_of
    from planscope.traces.opening import other_readers

    leave_out(
        args, ("no_certify",), "is for a session's own verdict; rules have their core confirmed; leave it out"
    )
    streams = args.session == "-" and args.running and args.run is None
    session, where = (None, "-") if streams else session_or_traces(args.session)
    if session is not None:
        leave_out(args, ("branches",), "is for traces: a session has them as runs; leave it out")
    file, known = rules_about(args, session, where)
    reports = _reports(file, args)
    options = CheckOptions(args.running, args.branches, args.details, args.succeeded_only)
    summary = Summary(list(file.rules))
    problems: list[str] = []
    warnings: list[str] = []
    told: list[str] = []
    stream = None
    if streams:
        from planscope.commands.check_running import followed

        stream = where = followed(file, options, json=args.json)

    def judged() -> Iterator[Checked]:
        """Yield every trace. After the last one, the summary and the warnings are complete."""
        for one in _judged(args, session, file, options, problems, where):
            if one.trace is not None:
                from planscope.cause.find import add_cause  # imported late because most traces need none

                add_cause(one, file)
            checked = one.checked
            doubts = file.warnings or checked.warnings or checked.problem
            if args.strict and checked.verdict == "right" and doubts:
                checked.verdict = "unknown"
                checked.explanation += " With --strict its warnings leave this undecided."
            summary.add(checked)
            known.update(one.tools)
            for report, _ in reports:
                report.add(one)
            yield checked
        if not args.allow_unknown:
            summary.settle(unknown_names(file.rules, known))
        warnings.extend(warnings_of(file, known, summary))
        # that a reader of traces could not be loaded is no reason for another exit status
        told.extend((*warnings, *other_readers()[1]))
        for report, path in reports:
            report.write(path)

    if args.json and stream is None:
        from planscope.documents.rules import RulesCheckedDocument

        document = RulesCheckedDocument.streamed(judged(), summary, lambda: [*told, *problems])
        _print(document.as_pieces())
    else:
        bad = (one for one in judged() if one.verdict != "right" or one.cause is not None)
        wrong = [in_words(one) for one in islice(bad, SHOWN)]
        deque(bad, 0)  # judges the rest
        if not args.json:  # else each change was a document of its own
            with suppress(BrokenPipeError):
                tell(_blocks(summary, wrong, told))
    complain(problems)
    status = summary.status
    return 2 if status == 0 and (problems or (args.strict and warnings)) else status


def in_words(one: Checked) -> str:
    """Say the verdict on a trace, and its cause, not yet safe to display."""
    from planscope.cause.told import told

    cause = "" if one.cause is None else f" {told(one.cause)}"
    grade, differs, _ = graded(one.reward, one.verdict).partition(",")
    verdict = VERDICTS[one.told].upper() + (f" ({grade})" if differs else "")
    return f"{one.id}: {verdict}. {one.explanation}{cause}"


def _print(pieces: Iterable[str]) -> None:
    """Print a document while its traces are judged. If nobody reads it any more, the exit status still tells the
    verdict."""
    closed = False
    for piece in pieces:
        if not closed:
            try:
                emit(piece)
            except BrokenPipeError:
                closed = True
    with suppress(BrokenPipeError):
        emit("" if closed else "\n")


def _judged(
    args: Namespace,
    session: Session | None,
    file: RuleFile,
    options: CheckOptions,
    problems: list[str],
    where: str | Source,
) -> Iterator[Judged]:
    """Yield every trace, judged: all runs of a session, or the one that --run names."""
    from planscope.rules.many import check_many, check_traces

    if session is not None:
        yield from _session_judged(session, args, file, options)
        return
    if args.run is not None:
        traces = _of_id(where, args.run, problems)
        yield from check_traces(traces, file, options)
        return
    line = ProgressLine()
    begun = time.monotonic()

    def progress(done: int, total: int) -> None:
        passed = time.monotonic() - begun
        left = passed * (total - done) / max(done, 1)
        line.show(f"{percent(done / max(total, 1))}, about {time_left(left)}")

    try:
        yield from check_many([where], file, options, problems.append, progress)
    finally:
        line.clear()


def session_summary(session: Session, file: RuleFile) -> tuple[Summary, list[str]]:
    """Judge all runs of a session by these rules. Return the sums, and warnings."""
    from planscope.rules.report import Summary, warnings_of
    from planscope.session.model import own_runs

    summary = Summary(list(file.rules))
    file = file.among(tools_of_session(session))
    for run in own_runs(session):
        summary.add(judge_by(session, run, file, details=False))
    return summary, [*clash_lines(session, file), *warnings_of(file, set(file.known or ()), summary)]


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


def _of_id(where: str | Source, id: str, problems: list[str]) -> Iterator[Trace]:
    from planscope.traces import open_traces

    for trace in open_traces([where], on_problem=problems.append):
        if trace.id == id:
            yield trace
            return
    raise UserError(f"there is no trace {id[:40]!r}; planscope check lists the ids with --json")


def _session_judged(
    session: Session, args: Namespace, file: RuleFile, options: CheckOptions
) -> Iterator[Judged]:
    """Yield the runs of a session, judged."""
    from planscope.rules.budget import Budget
    from planscope.rules.many import Judged
    from planscope.session.model import own_runs
    from planscope.session.traces import trace_of

    chosen = find_run(session, args.run) if args.run is not None else None
    budget = Budget.of(args.details)
    for run in [chosen] if chosen is not None else own_runs(session):
        checked = judge_by(session, run, file, strict=args.strict, budget=budget, options=options)
        yield Judged(checked, tools=checked.tools | trace_of(run).tools.keys())


def _reports(file: RuleFile, args: Namespace) -> list[tuple[JUnit | Sarif, Path]]:
    """Return the reports that are wanted, with their files."""
    if args.junit is None and args.sarif is None:
        return []
    from planscope.rules.ci import JUnit, Sarif  # imported late because few need it

    made: list[tuple[JUnit | Sarif, Path]] = []
    if args.junit is not None:
        made.append((JUnit(), output_file(args.junit)))
    if args.sarif is not None:
        made.append((Sarif(file.rules, args.rules), output_file(args.sarif)))
    return made


def _blocks(summary: Summary, wrong: list[str], warnings: list[str]) -> Iterator[Block]:
    """Return what ``check --rules`` prints as text: the wrong traces, then a table of rules."""
    for one in wrong:
        yield from (Para(one), GAP)
    bad = sum(count for verdict, count in summary.verdicts.items() if verdict != "right")
    if bad > len(wrong):
        yield from (Code([f"... and {plural(bad - len(wrong), 'more trace')} (--json lists all)"]), GAP)
    if summary.rules:
        yield from (Code(table(summary)), GAP)
    counts = ", ".join(f"{count:,} {VERDICTS[kind]}" for kind, count in sorted(summary.told.items()))
    yield Code([f"{plural(summary.traces, 'trace')}: {counts or 'none'}"])
    yield from map(Para, summary.notes())
    if warnings:
        from planscope.report import warning_blocks  # imported late because few traces need it

        yield from warning_blocks(warnings)


def table(summary: Summary) -> Iterator[str]:
    """Return the rules with how often they were tested, violated and not decided, and where first. What no
    trace put to the test is said, since it looks like a rule that is kept."""

    rows, width = [], columns()
    for rule in summary.rules:
        one = summary.sums[rule.id]
        rows.append((rule.title, one.applicable, one.broken, one.unknown, one.first or "", rule.text))
    name = min(24, max([4, *(len(visible(row[0])) for row in rows)]))
    yield f"{'rule':<{name}}  tested  {VIOLATED}  {NOT_DECIDED}"
    for title, applicable, broken, unknown, first, text in rows:
        numbers = f"{applicable:>6,}  {broken:>8,}  {unknown:>11,}"
        shown = clip(title, name)
        yield f"{shown + ' ' * (name - cell_width(shown))}  {numbers}  {clip(text, max(20, width - name - 33))}"
        if first:
            yield f"{'':<{name}}  first: {clip(first, max(20, width - name - 10))}"
        elif summary.traces and not applicable and not unknown:
            yield f"{'':<{name}}  not put to the test"


def one_trace(where: str | Source, id: str | None) -> Trace:
    """Return one trace: the only one, or the one that is named. Raises UserError."""
    if id is not None:
        return next(_of_id(where, id, []))
    from planscope.traces import open_traces

    traces = open_traces([where])
    first = next(traces, None)
    if first is None:
        raise UserError("there is no trace in it")
    if next(traces, None) is not None:
        raise UserError(f"there is more than one trace; choose one with --run ID, such as --run {first.id}")
    return first
