"""Offers rules to begin with, from the calls of a run, and says what a text of rules makes of that run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from planscope.frozen import frozen
from planscope.language.calls import path_text
from planscope.language.errors import ParseError, ParseFailure
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.future import Future
from planscope.rules.in_session import read_text
from planscope.rules.judge import Judge, Rulebook, Tested, judge_trace, known_tools
from planscope.rules.rule import Rule, RuleFile
from planscope.rules.words import tool_text
from planscope.safe import visible
from planscope.wording.phrases import at_step

MOST_OFFERED = 40
MOST_MINED = 200
"""So many mined rules are listed."""


def offers(trace: Trace) -> list[str]:
    """Return sentences about the tools that were called, those first that order two tools the other way round than
    they were first called, and of these the ones about calls with the same value; the second one is kept."""
    first: dict[str, ToolCall] = {}
    for call in trace.calls:
        first.setdefault(call.tool, call)
    called = list(first)[:MOST_OFFERED]  # a thousand tools have half a million pairs
    pairs = [(later, earlier) for k, later in enumerate(called) for earlier in reversed(called[:k])]
    made = [
        f"{tool_text(later)} comes before {tool_text(earlier)}{_same(first, later, earlier)}."
        for later, earlier in pairs
    ]
    made.sort(key=lambda text: " for the same " not in text)  # calls about the same thing belong together
    made[1:1] = [text for word, text in examples(called) if word == "keeps"]
    others = [tool for tool in trace.tools if tool not in first]
    made += [f"{tool_text(tool)} comes before {tool_text(one)}." for tool in others[:5] for one in called[:3]]
    made += [f"{tool_text(tool)} happens at most once." for tool in called]
    made += [f"{tool_text(tool)} never happens." for tool in called]
    return made[:MOST_OFFERED]


def examples(called: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return a rule that a run keeps and one that it breaks, each with that word. ``called``: its tools, in the order
    in which they were first called."""
    names = list(map(tool_text, called[:2]))
    if not names:
        return ()
    one, other = names[0], names[-1]
    if len(names) == 1:
        return ("keeps", f"{one} happens at least once."), ("breaks", f"{one} never happens.")
    return ("keeps", f"{one} comes before {other}."), ("breaks", f"{other} comes before {one}.")


def labelled(offered: Sequence[str], trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield rules that are offered, each after what the run does with it: ``keeps`` or ``breaks``."""
    for text in offered:
        results = look(text, trace).results
        yield "breaks" if any(one.state == "broken" for one in results) else "keeps", text


def _same(first: dict[str, ToolCall], one: str, other: str) -> str:
    """Return "for the same X" for the first argument that both calls have with the same value."""
    mine, theirs = first[one].arguments or {}, first[other].arguments or {}
    shared = [name for name, value in mine.items() if theirs.get(name) == value and name.isidentifier()]
    return f" for the same {shared[0]}" if shared else ""


@frozen
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
    results = judge.results(trace, open_end=trace.open_end)
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


@frozen
class Offered:
    """A rule to choose. ``source``: the sentence of the policy that it comes from; ``about``: what else is known of it,
    each in a line. ``rules`` is empty if no rule can say the source, and ``about`` says why."""

    text: str
    rules: tuple[Rule, ...] = ()
    about: tuple[str, ...] = ()
    source: str = ""
    results: tuple[Tested, ...] = ()
    """What the displayed run makes of the rules."""


def tried(offered: Sequence[Offered], trace: Trace | None) -> list[Offered]:
    """Return the same rules with their results on a run."""
    if trace is None:
        return list(offered)
    book = Rulebook([rule for one in offered for rule in one.rules])
    results = iter(judge_trace(book, trace).results(trace, open_end=trace.open_end))
    return [replace(one, results=tuple(next(results) for _ in one.rules)) for one in offered]


def mined(
    good: Sequence[Trace],
    bad: Sequence[Trace],
    tick: Callable[[str], None] = lambda text: None,
    *,
    within: int = 0,
) -> list[Offered]:
    """Return the rules that the good runs keep, with who puts them to the test and who breaks them. Those come first
    that tell the bad runs best, and of these the ones that were violated earliest. ``within``: also rules within so
    many calls (0: none)."""
    from planscope.rules.mining import evidence, mine

    found = mine(good, bad, within=within, tick=tick)[:MOST_MINED]
    tick("looking where the bad runs break them")
    book = Rulebook([one.rule for one in found])
    first: dict[int, tuple[float, str]] = {}
    for trace in bad:
        for k, result in enumerate(judge_trace(book, trace).results(trace)):
            if result.broken_at:
                at = result.broken_at[0]
                place = (
                    float("inf") if at == "end" else float(at),
                    f"{at_step(at)} in {visible(trace.id, limit=40)}",
                )
                first[k] = min(first.get(k, place), place)

    def rank(k: int) -> tuple[float, int, float]:
        chance = found[k].p
        step = first[k][0] if k in first else float("inf")
        return (1.0 if chance is None else chance, -found[k].broken, step)

    def where(k: int) -> str:
        return f", first {first[k][1]}" if k in first else ""

    return [
        Offered(one.rule.text, (one.rule,), tuple(evidence(one, len(good), len(bad), where(k))))
        for k, one in ((k, found[k]) for k in sorted(range(len(found)), key=rank))
    ]
