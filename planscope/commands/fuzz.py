"""``planscope fuzz``: finds inputs on which an agent's tools fail."""

from __future__ import annotations

import itertools
import json
import shlex
import time
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.commands import Command
from planscope.commands.common import (
    ProgressLine,
    amount,
    answer,
    complain,
    declare,
    given_for,
    leave_out,
    number,
    output_file,
    price,
    read_text,
    say,
    whole,
)
from planscope.commands.fuzz_fix import FIX, is_wanted, write_fixes
from planscope.errors import UserError
from planscope.oracle.trace import ToolCall
from planscope.session.files import SessionError, write_atomic
from planscope.wording.phrases import measured, plural

if TYPE_CHECKING:
    from planscope.toolfuzz.job import Options
    from planscope.toolfuzz.models import FuzzModels
    from planscope.toolfuzz.outcome import Call
    from planscope.toolfuzz.prompting import PromptOptions
    from planscope.toolfuzz.report import Report

ABOUT = (
    "Find inputs that a tool's schema accepts and on which the tool fails. TARGET is module:object (a LangChain tool, "
    "a function with type hints, a list of them, or a factory), SCHEMA.json=module:function, or 'mcp:COMMAND ARGS', an "
    "MCP server. Each tool runs in a child process, in an empty folder, without network. The exit status is 1 if there "
    "are findings. With --model, the model says of each finding whether it would make the call, an agent tries to get "
    "there, and documentation that misleads it is found by prompts that mean the same."
)
CALLS = 2000
SETS, PROMPTS = 4, 6
MOST_NAMES = 500
MOST_QUIET = 5.0
"""Seconds before the time that is left is said."""
MOST_CONTEXT = 20_000
"""Characters of ``--context`` that the model is told."""


_NEED_MODEL = (
    "correctness both context sets set_size method files agent prompt_model base_url temperature prompts "
    "no_sanity budget_tokens budget_money price fix fix_write fix_patch"
).split()


_seconds = number(1e6, "a number of seconds above 0", positive=True)


_OPTIONS: tuple[Any, ...] = (
    (
        "target TARGET",
        "module:object, SCHEMA.json=module:function, 'mcp:COMMAND ARGS', or mcp:http(s)://ADDRESS",
    ),
    ("--tool NAME...", "only this tool; may be repeated", None, []),
    (
        ("--calls N", f"calls for each tool (default {CALLS})", whole(1)),
        ("--seconds S", "seconds for each tool, instead of calls", _seconds),
    ),
    ("--stop-early", "stop when the estimate and 1,500 calls in a row say that little is left"),
    ("--seed N", "same seed, same findings (default 1)", whole(0), 1),
    ("--call-limit S", "seconds that a call may take (default 2)", _seconds, 2.0),
    (
        "--sequences N",
        "sequences of calls to all tools together (default: a tenth of --calls, at most 200; 0: none)",
        whole(0, 100_000),
    ),
    ("--reads NAME...", "this tool reads what --writes writes", None, []),
    ("--writes NAME...", "the tool that writes; as often as --reads", None, []),
    ("--reset MODULE:FUNCTION", "resets the tool's state before each call"),
    (
        "--example FILE...",
        'calls that work, to begin with: {"tool": ..., "arguments": {...}} or arguments alone, as JSON or JSON '
        "lines, or a session or trace; may be repeated. The runs of a session at -o are always taken",
        None,
        [],
    ),
    ("--folder DIR", "give the tools a copy of this folder, under its own path; up to 1 GB"),
    ("--network", "allow the network"),
    ("--live-writes", "call also tools of a server at an address that do not say that they only read"),
    ("--env NAME...", "pass this variable on; may be repeated", None, []),
    (
        "-o FILE",
        "keep the findings in this session, made if it is not there (default: fuzz-TARGET in the library)",
    ),
    (
        "--sample N",
        "draw N findings and sets of prompts of each tool, to be labelled on screen with the verdict hidden",
        whole(1, 10_000),
    ),
    (
        ("--runtime", "look for failing calls (default without --model)"),
        ("--correctness", "look for documentation that misleads; needs --model"),
        ("--both", "look for both (default with --model)"),
    ),
    (
        "--fail-never-entered",
        "exit status 1 also if no call of a tool succeeded, that is: answered, and not with an error",
    ),
    ("--html FILE", "write a web page"),
    ("--pytest FILE", "write a test for each finding"),
    ("--junit FILE", "write JUnit XML"),
    ("--sarif FILE", "write SARIF"),
    ("--json", "print the result as JSON"),
    (
        "--redact",
        "replace keys, passwords, homes and the like: by default in --html, --junit and --sarif; with --redact "
        "in --json and --pytest, too; with --no-redact nowhere. The session keeps what was sent",
        {"action": BooleanOptionalAction},
    ),
)


_WITH_MODEL = (
    ("--model M", "provider:name (planscope models lists all providers)"),
    ("--agent A", "tools (default), react, responses, or your own: package.module:factory"),
    ("--prompt-model M", "the model that is asked (default: --model)"),
    ("--base-url URL", "another server for the models"),
    ("--temperature T", "of the models (default 0)", amount),
    ("--prompts FILE", "prompts in place of the paper's (TOML)", Path),
    ("--context FILE", "what the model is told of where the tools work; of a folder, its names"),
    ("--sets N", f"sets of prompts for each tool (default {SETS})", whole(1, 1000)),
    ("--set-size N", f"prompts of a set (default {PROMPTS})", whole(2, 1000)),
    (
        "--method METHOD",
        "graybox, whitebox: a model makes prompts from the documentation, or also from the code, as the paper's "
        "baselines do",
        ("toolfuzz", "graybox", "whitebox"),
    ),
    ("--files FOLDER", "text files that the tools' folder has when an agent begins", Path),
    ("--no-sanity", "do not ask the model whether it would make the call"),
    ("--budget-tokens N", "stop asking after N tokens", whole(1)),
    ("--budget-money X", "stop asking when X is spent; needs --price", amount),
    ("--price IN,OUT", "of a million tokens in and out; no price is built in", price),
    *FIX,
)


def _add(parser: ArgumentParser) -> None:
    declare(parser, *_OPTIONS)
    declare(parser.add_argument_group("with a model"), *_WITH_MODEL)


def _fuzz(args: Namespace) -> int:
    from planscope.documents.fuzz import FuzzDocument
    from planscope.sharing.redact import redact_data
    from planscope.toolfuzz.job import Options
    from planscope.toolfuzz.keeping import own_session, take_labels
    from planscope.toolfuzz.recorded import recorded_calls
    from planscope.toolfuzz.report import Report
    from planscope.views.fuzz import fuzz_blocks

    formats = ("html", "pytest", "junit", "sarif")
    if not (args.json or any(getattr(args, name) for name in formats)):
        leave_out(
            args, ("redact",), "replaces nothing on the screen; add --json or --pytest, or leave it out"
        )
    if args.correctness:
        runtime = ("calls", "seconds", "stop_early", "sequences", "no_sanity")
        leave_out(args, runtime, "is for calls of the tools alone; leave it out, or write --both")
    files = {name: output_file(given) for name in formats if (given := getattr(args, name)) is not None}
    if len(args.reads) != len(args.writes):
        raise UserError("--reads and --writes name tools in pairs; give both equally often")
    kept = _session_file(args.output)
    recorded = recorded_calls(kept) if kept else []
    options = Options(
        **given_for(Options, args),
        tools=tuple(args.tool),
        environment=tuple(args.env),
        examples=[*recorded, *itertools.chain(*map(_calls_in, args.example))],
    )
    fix = is_wanted(args)
    models = _models(args)
    prompts = _prompts(args)
    report = Report(args.target, args.seed)
    line = ProgressLine()
    interrupted: KeyboardInterrupt | None = None
    try:
        with models or nullcontext():
            _find(options, report, models, line, prompts, sanity=not args.no_sanity, fix=fix)
    except KeyboardInterrupt as signal:
        interrupted = signal
        report.interrupted = True
    finally:
        line.clear()
    take_labels(report, kept or own_session(report.target))
    if args.json and fix and interrupted is None:
        write_fixes(report, args)
    shown = redact_data(report) if args.redact and args.json else report
    answer(args, FuzzDocument.of_report(shown), fuzz_blocks, quiet=True)
    if fix and not args.json and interrupted is None:
        try:
            write_fixes(report, args)
        except KeyboardInterrupt as signal:  # at the question: what was found is kept all the same
            interrupted = signal
    _write(report, files, args)
    _keep(report, kept, args)
    if interrupted is not None:
        raise interrupted
    return int(bool(report.counted()) or (args.fail_never_entered and bool(report.never_entered())))


def _calls_in(name: str) -> list[Call]:
    """Return the calls in a file of calls, or those of a session's or trace's runs. Raises UserError."""
    from planscope.traces import open_traces

    text, records = read_text(name), list[object]()
    for lines in ([text], text.splitlines()):
        with suppress(ValueError, RecursionError):
            records = [json.loads(line) for line in lines if line.strip()]
            break
    records = records[0] if len(records) == 1 and isinstance(records[0], list) else records
    found = [_call_of(one) for one in records if isinstance(one, dict)]
    whole = [one for one in found if one["tool"]]
    if not whole:
        for trace in open_traces([name], on_problem=lambda _: None):
            items = (one for one in trace.items if isinstance(one, ToolCall))
            whole += [{"tool": one.tool, "arguments": dict(one.arguments)} for one in items if one.arguments]
    if not (whole or found):
        raise UserError(f'{name} has no calls; write {{"tool": "...", "arguments": {{...}}}}, one a line')
    return whole or found


def _call_of(record: dict[str, object]) -> Call:
    """Return a call as JSON has it; a record without a tool's name is its arguments."""
    tool, arguments = record.get("tool", record.get("name")), record.get("arguments")
    if isinstance(tool, str) and isinstance(arguments, dict):
        return {"tool": tool, "arguments": arguments}
    return {"tool": "", "arguments": arguments if isinstance(arguments, dict) else record}


def _models(args: Namespace) -> FuzzModels | None:
    """Return the models of the command line, or None if there is none."""
    if args.model is None:
        leave_out(args, _NEED_MODEL, "needs --model; add it, or leave this out")
        return None
    from planscope.toolfuzz.models import FuzzModels, ModelOptions

    return FuzzModels(
        ModelOptions(
            **given_for(ModelOptions, args)
            | {
                "tokens": args.budget_tokens,
                "money": args.budget_money,
                "files": _texts_in(args.files) if args.files is not None else {},
            }
        )
    )


def _prompts(args: Namespace) -> PromptOptions | None:
    """Return what to search with prompts, or None without a model."""
    if args.model is None:
        return None
    from planscope.toolfuzz.prompting import PromptOptions
    from planscope.toolfuzz.recorded import session_of

    answers = session_of(args.target) is not None and not args.both  # there is nothing to call
    return PromptOptions(
        runtime=args.runtime or not (args.correctness or answers),
        correctness=not args.runtime,
        method=args.method or "toolfuzz",
        context=_context(args.context),
        sets=args.sets or SETS,
        prompts=args.set_size or PROMPTS,
    )


def _context(name: str | None) -> str:
    """Return the text of ``--context``: of a file, or the names in a folder. Raises UserError."""
    if name is None:
        return ""
    path = Path(name)
    if path.is_dir():
        names = (one.relative_to(path).as_posix() + "/" * one.is_dir() for one in sorted(path.rglob("*")))
        return "\n".join(itertools.islice(names, MOST_NAMES))[:MOST_CONTEXT]
    return read_text(name)[:MOST_CONTEXT]


def _texts_in(folder: Path) -> dict[str, str]:
    """Return the text files of a folder by their relative names. Raises UserError."""
    from planscope.toolfuzz.job import LARGEST_FILES, MOST_FILES

    if not folder.is_dir():
        raise UserError(f"--files: {folder} is not a folder")
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        try:
            found[path.relative_to(folder).as_posix()] = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise UserError(f"{path} cannot be read as text: {error}") from None
        if len(found) > MOST_FILES or sum(map(len, found.values())) > LARGEST_FILES:
            raise UserError(
                f"{folder} is too large; name one of up to {MOST_FILES} files and {LARGEST_FILES:,} bytes"
            )
    return found


def _find(
    options: Options,
    report: Report,
    models: FuzzModels | None,
    line: ProgressLine,
    prompts: PromptOptions | None,
    *,
    sanity: bool,
    fix: bool,
) -> None:
    """Fuzz the tools alone; with models, have them judge and try what was found, search with prompts, and mend.

    The report grows.
    """
    from planscope.toolfuzz.engine import Fuzz

    if models is None or prompts is None:
        Fuzz(options, report).run(partial(_show, line, options, time.monotonic()))
        return
    from planscope.toolfuzz.agent_hands import InAgentHands, priors_of
    from planscope.toolfuzz.prompting import search_prompts
    from planscope.toolfuzz.recorded import session_of
    from planscope.toolfuzz.served import ServedTools
    from planscope.toolfuzz.served_answers import ServedAnswers

    served = ServedTools if session_of(options.target) is None or prompts.runtime else ServedAnswers
    try:
        with served(options) as tools:
            if prompts.runtime and prompts.method == "toolfuzz":
                line.show("the model is asked for values that the arguments mean")
                options = replace(options, priors=priors_of(models, tools.tools, report))
                Fuzz(options, report).run(partial(_show, line, options, time.monotonic()))
                InAgentHands(models, tools, report, sanity=sanity, heard=line.show).run()
            else:
                report.tools, report.sandbox = tools.all, tools.sandbox
            if prompts.correctness or prompts.method != "toolfuzz":
                search_prompts(models, tools, report, prompts, line.show)
            if fix:
                from planscope.toolfuzz.mending import Mending

                Mending(models, tools, report, heard=line.show).run()
    finally:
        report.model = models.as_data()


def _show(
    line: ProgressLine, options: Options, began: float, message: Mapping[str, Any], report: Report
) -> None:
    seconds = time.monotonic() - began
    if message["event"] == "sequences":
        line.show(f"{plural(message['sequences'], 'sequence')}, {plural(message['calls'], 'call')}")
    if message["event"] == "progress":
        told = f"{plural(message['calls'], 'call')}, {plural(message['unique'], 'error')}"
        line.show(f"{str(message['tool'])[:40]}: {told}{_left(report, options, seconds)}")


def _left(report: Report, options: Options, seconds: float) -> str:
    """Say how long the calls to each tool still take, at the rate so far. Sequences come on top."""
    several = [tool for tool in report.tools if not tool.skipped and not tool.stopped]
    done = sum(min(tool.calls, options.most_calls or 0) for tool in report.tools)
    most = (options.most_calls or 0) * len(several) + sum(tool.calls for tool in report.tools if tool.stopped)
    left = seconds * (most - done) / done if done else (options.seconds or 0) * len(several) - seconds
    return f", about {measured(max(left, 1.0))} left" if seconds > MOST_QUIET and left > 0 else ""


def _write(report: Report, files: dict[str, Path], args: Namespace) -> None:
    from planscope.documents.fuzz import FuzzDocument
    from planscope.sharing.fuzz_files import fuzz_page, write_fuzz_junit, write_fuzz_sarif
    from planscope.sharing.redact import redact_data
    from planscope.toolfuzz.formats import pytest_file

    for name, path in files.items():
        redacts = name != "pytest" if args.redact is None else args.redact
        shown = redact_data(report) if redacts else report
        found = FuzzDocument.of_report(shown)
        try:
            if name == "html":
                write_atomic(path, fuzz_page(found).encode())
            elif name == "pytest":
                write_atomic(path, pytest_file(shown, args.reset).encode("utf-8", "replace"))
            elif name == "junit":
                write_fuzz_junit(found, path)
            else:
                write_fuzz_sarif(found, path)
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror or error}") from None


def _session_file(name: str | None) -> Path | None:
    """Return the session's file of ``-o``: a session that is there, or a file to make."""
    if name is None:
        return None
    from planscope.session.containers import is_session_file
    from planscope.session.locations import in_library, is_bundled

    path = in_library(name) or Path(name)
    if path.exists():
        from planscope.session.store import load

        load(path)  # an error is raised here, before the tools are called
        if is_bundled(path):
            raise UserError(f"{name} is bundled with planscope and read-only; name another file")
        return path
    if not is_session_file(path):
        raise UserError(f"{name} is no session file; name it NAME.planscope.json")
    return output_file(name)


def _keep(report: Report, kept: Path | None, args: Namespace) -> None:
    """Keep the findings in the session that was asked for, or else in the library's own of the target."""
    from planscope.toolfuzz.keeping import keep, own_session, record_of
    from planscope.toolfuzz.labels import sampled, was_sampled

    path = kept or own_session(report.target)
    if not report.tools or (kept is None and not report.findings and not path.exists()):
        return
    try:
        record = record_of(report, args.reset)
        if args.sample is not None:
            record = sampled(record, args.sample, report.seed)
        keep(record, path, report)
    except SessionError as error:
        if kept is not None:
            raise
        complain((f"the findings are not kept: {error}",))
        return
    if not args.json:
        name = args.output or path.name.partition(".planscope")[0]
        to_label = "" if args.sample is None else f" (t shows {was_sampled(record):,} of them to be labelled)"
        say(f"findings kept: planscope open {shlex.quote(name)}{to_label}")


COMMANDS = {
    "fuzz": Command(ABOUT, "planscope fuzz planscope.toolfuzz.examples:map_search --calls 200", _add, _fuzz),
}
