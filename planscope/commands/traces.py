"""``planscope import``: makes sessions of traces that other programs wrote."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from planscope.commands import Command
from planscope.commands.common import (
    STANDARD_INPUT,
    answer,
    complain,
    leave_out,
    output_of,
    print_json,
    quoted,
    say,
    say_all,
)
from planscope.errors import UserError
from planscope.wording.phrases import plural
from planscope.wording.terms import sentence

if TYPE_CHECKING:
    from pathlib import Path

    from planscope.documents.listings import TraceLineDocument
    from planscope.oracle.trace import Trace
    from planscope.rules.rule import RuleFile
    from planscope.session.model import Session

ABOUT = (
    "Import a trace of an agent as a session, which the debugger opens. The format is recognised by the content: chats "
    "of OpenAI and Anthropic, sessions of Claude Code, Codex and Gemini CLI, LangChain, LangSmith, OpenTelemetry, "
    "Langfuse, OpenAI Agents SDK, pydantic-ai, ATIF, Inspect, tau-bench, AgentDojo, MCP. TRACE is a file, a folder, a "
    "glob or - (standard input). If there are many traces, they are listed; then choose with --pick or --all."
)
EXAMPLE = """echo '[{"role":"user","content":"hi"}]' | planscope import -"""
AGENTS = ("claude", "codex", "gemini")


_IMPORT = (
    ("trace TRACE*", "a file, a folder, a glob, or - (standard input)"),
    ("-o,--output SESSION", "write to this file (default: a new session in your library)"),
    (("--pick ID", "import only the trace with this id"), ("--all", "all traces as runs of one session")),
    ("--last AGENT", f"the newest session of {', '.join(AGENTS)} on this machine", AGENTS),
    ("--rules RULES", "give the session the rules of this file"),
    ("--list", "only list the traces"),
    ("--json", "print JSON"),
)


def _import(args: Namespace) -> int:
    from planscope.traces.listing import newest

    paths = list(args.trace)
    if args.last is not None:
        if paths:
            raise UserError("--last finds the trace itself; leave out TRACE")
        paths = [newest(args.last)]
    if not paths:
        raise UserError("name a trace: a file, a folder, - (standard input), or --last claude")
    target = output_of(args)
    if args.list:
        leave_out(args, ("output", "pick", "all", "rules"), "makes a session, and --list none; leave one out")
        from planscope.documents.listings import TraceLineDocument

        _print_list(args, list(map(TraceLineDocument.about, _traces(paths, []))))
        return 0
    chosen = _chosen(paths, args)
    if chosen is None:
        return 2
    rules = None
    if args.rules is not None:
        from planscope.commands.check_rules import read_rule_file
        from planscope.rules.names import tools_of

        rules = read_rule_file(args.rules, tools_of(chosen))
    return _save(chosen, args, target, rules)


def _traces(paths: list[str | Path], troubles: list[str]) -> Iterator[Trace]:
    """Yield the traces. Files that cannot be read are reported at once; if there is only one file, it is an error."""
    from planscope.traces import open_traces
    from planscope.traces.source import Unreadable

    count = 0
    for trace in open_traces(paths, on_problem=troubles.append):
        count += 1
        yield trace
    if not count and len(troubles) == 1:
        raise Unreadable(troubles[0])
    complain(troubles)
    if not count:
        raise Unreadable("no trace could be read")


def _chosen(paths: list[str | Path], args: Namespace) -> list[Trace] | None:
    """Return the traces that become the session, or None if the list was printed because the user has to choose."""
    from planscope.documents.listings import TraceLineDocument
    from planscope.traces.importing import MOST_TOGETHER

    first: Trace | None = None
    kept: list[Trace] = []
    lines: list[TraceLineDocument] = []
    for trace in _traces(paths, []):
        if args.pick is not None:
            if trace.id == args.pick:
                return [trace]
            lines.append(TraceLineDocument.about(trace))
            continue
        if args.all:
            kept.append(trace)
            if len(kept) > MOST_TOGETHER:
                raise UserError(
                    f"more than {MOST_TOGETHER:,} traces do not fit into a session; choose some with --pick"
                )
            continue
        first = first or trace
        lines.append(TraceLineDocument.about(trace))
    if args.all:
        return kept
    if args.pick is not None:
        known = ", ".join(one.id for one in lines[:10])
        raise UserError(
            f"there is no trace {quoted(args.pick)}; the traces are: {known}{', ...' if len(lines) > 10 else ''}"
        )
    if first is not None and len(lines) == 1:
        return [first]
    _print_list(args, lines)
    sys.stdout.flush()
    raise UserError(f"there are {len(lines):,} traces; choose one with --pick ID, or all with --all")


def _print_list(args: Namespace, lines: list[TraceLineDocument]) -> None:
    from planscope.documents.listings import TracesDocument
    from planscope.views.traces import list_blocks

    answer(args, partial(TracesDocument, traces=lines), list_blocks(lines))


def _save(traces: list[Trace], args: Namespace, target: Path | None, rules: RuleFile | None) -> int:
    from planscope.documents.listings import TraceLineDocument, TracesDocument
    from planscope.traces.importing import together
    from planscope.traces.source import file_name

    stem = file_name(traces[0].source)
    session = together(traces, traces[0].source)
    if rules is not None:
        from planscope.rules.in_session import add_rules

        add_rules(session, rules.text)
    wanted = "trace" if stem == STANDARD_INPUT else stem
    if args.pick is not None:
        wanted = f"{wanted}-{args.pick}"[:80]
    path = _write(session, wanted, target)
    if args.json:
        print_json(TracesDocument(traces=list(map(TraceLineDocument.about, traces)), session=str(path)))
        return 0
    _tell(traces, session, path, in_library=target is None)
    return 0


def _write(session: Session, wanted: str, target: Path | None) -> Path:
    if target is None:
        from planscope.session.library import add

        return add(session, wanted)
    from planscope.session.store import save

    save(session, target)
    return target


def _tell(traces: list[Trace], session: Session, path: Path, *, in_library: bool) -> None:
    """Say what was imported, what was not read, and what to do next."""
    from planscope.session.locations import name_of
    from planscope.traces.importing import what_was_read

    say(what_was_read(traces))
    forks = sum(len(trace.branches) for trace in traces)
    if forks:
        say(f"{plural(forks, 'rewound branch', 'rewound branches')} became forks of their runs")
    for line in session.notes.splitlines():
        say(line)
    name = name_of(path) if in_library else str(path)
    if session.rules is not None:
        from planscope.commands.check_rules import session_summary, table
        from planscope.rules.in_session import rules_of

        file = rules_of(session)
        assert file is not None
        summary, warnings = session_summary(session, file)
        say_all([*table(summary), *summary.notes()])
        say_all(sentence(f"Warning: {warning}") for warning in warnings)
        say(f"planscope {name} opens it")
        return
    say(f"not judged: planscope check {name} --rules RULES judges it; planscope {name} opens it")


COMMANDS = {"import": Command(ABOUT, EXAMPLE, _IMPORT, _import)}
