"""Offers rules to begin with, from the calls of a run, and says what a text of rules makes of that run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planscope.language.errors import ParseError, ParseFailure
from planscope.rules.future import Future
from planscope.rules.in_session import read_text
from planscope.rules.judge import Judge, Rulebook, Tested, judge_trace, known_tools
from planscope.rules.rule import RuleFile, path_text
from planscope.traces.shape import ToolCall, Trace

MOST_OFFERED = 40


def offers(trace: Trace) -> list[str]:
    """Return sentences about the tools that were called, those first that order two tools the other way round than
    they were first called."""
    first: dict[str, ToolCall] = {}
    for call in trace.calls:
        first.setdefault(call.tool, call)
    called = list(first)
    pairs = [(later, earlier) for k, later in enumerate(called) for earlier in reversed(called[:k])]
    made = [
        f"{_name(later)} comes before {_name(earlier)}{_same(first, later, earlier)}."
        for later, earlier in pairs
    ]
    others = [tool for tool in trace.tools if tool not in first]
    made += [f"{_name(tool)} comes before {_name(one)}." for tool in others[:5] for one in called[:3]]
    made += [f"{_name(tool)} happens at most once." for tool in called]
    made += [f"{_name(tool)} never happens." for tool in called]
    return made[:MOST_OFFERED]


def _name(tool: str) -> str:
    return tool if tool.replace("_", "a").isalnum() else f"`{tool}`"


def _same(first: dict[str, ToolCall], one: str, other: str) -> str:
    """Return "for the same X" for the first argument that both calls have with the same value."""
    mine, theirs = first[one].arguments or {}, first[other].arguments or {}
    shared = [name for name, value in mine.items() if theirs.get(name) == value and name.isidentifier()]
    return f" for the same {shared[0]}" if shared else ""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a text of rules makes of one run. ``clash``: no trace keeps all rules."""

    file: RuleFile | None
    errors: tuple[ParseError, ...] = ()
    results: tuple[Tested, ...] = ()
    clash: bool = False
    warnings: tuple[str, ...] = ()


def look(text: str, trace: Trace | None) -> Seen:
    """Read a text of rules, and judge a run by it."""
    from planscope.rules.report import name_warnings

    try:
        file = read_text(text)
    except ParseFailure as failure:
        return Seen(None, tuple(failure.errors))
    book = Rulebook(file.rules)
    if trace is None or not file.rules:
        return Seen(file)
    judge = judge_trace(book, trace)
    results = judge.results(trace, open_end=trace.ended != "complete")
    clash = Future(judge.book, known_tools(judge.book, trace)).of(Judge(judge.book)).possible is False
    seen = [*trace.tools, *(call.tool for call in trace.calls)]
    return Seen(file, (), tuple(results), clash, tuple(name_warnings(file.rules, seen)))


def result_words(result: Tested) -> tuple[str, str]:
    """Return what a run does with a rule, in words, and its status."""
    if result.state == "broken":
        at = result.broken_at[0] if result.broken_at else "end"
        where = "at the end" if at == "end" else f"at step {at}"
        names = " and ".join(map(path_text, result.rule.per))
        value = f" for {names} {result.value}" if result.value is not None else ""
        return f"violated {where}{value}", "broken"
    if result.state == "unknown":
        return "the trace does not tell", "unknown"
    if result.state == "not_applicable":
        return "kept: it was not put to the test", "kept_so_far"
    return "kept", "kept"


def reading_lines(error: ParseError) -> Iterator[str]:
    """Return the sentences that an unclear one could mean."""
    yield from (str(reading) for reading in error.readings)
