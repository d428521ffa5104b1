"""``rules check`` explains a file of rules; ``rules mine`` finds rules that good traces keep."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from planscope.commands import Command, set_example
from planscope.commands.common import (
    ProgressLine,
    add_actions,
    columns,
    print_json,
    read_text,
    say,
    say_all,
    whole,
)
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.rules.checking import Findings
    from planscope.rules.rule import RuleFile
    from planscope.traces.shape import Trace

ABOUT = (
    "Work with rules: sentences about the calls of an agent, such as: get_order comes before cancel_order. Each is "
    "judged on traces by planscope check TRACE --rules FILE."
)
ACTIONS = {
    "check": "explain each rule; find contradictions, and rules that others imply",
    "mine": "find rules that good traces keep, and with --bad those that bad ones break",
}
MOST_TRACES = 100_000
"""Traces that mining keeps in memory, of each side."""
EXAMPLE = "echo 'get_order comes before cancel_order.' | planscope rules check -"


def _add(parser: argparse.ArgumentParser) -> None:
    made = add_actions(parser, ACTIONS, required=True)
    check = made["check"]
    check.add_argument("file", metavar="RULES", help="a file of rules; - for standard input")
    check.add_argument("--json", action="store_true", help="print one JSON document")
    set_example(check, EXAMPLE)

    mine = made["mine"]
    mine.add_argument("good", metavar="GOOD", nargs="+", help="traces that went well: files, folders, globs")
    mine.add_argument(
        "--bad", metavar="BAD", nargs="+", default=[], help="traces that went wrong: files, folders, globs"
    )
    mine.add_argument(
        "--within", metavar="N", type=whole(1, 1000), default=0, help="look for rules within N calls, too"
    )
    mine.add_argument("--seed", metavar="N", type=whole(0), default=0, help="draw other shuffles (default 0)")
    mine.add_argument("--json", action="store_true", help="print one JSON document")
    set_example(mine, "planscope rules mine good/*.json --bad bad/*.json")


def _run(args: argparse.Namespace) -> int:
    return {"check": _check, "mine": _mine}[args.action](args)


def _mine(args: argparse.Namespace) -> int:
    from planscope.rules.mining import mine
    from planscope.wording.phrases import plural

    line = ProgressLine()
    try:
        good, bad = _traces(args.good, line), _traces(args.bad, line)
        if not any(trace.calls for trace in good):
            raise UserError("the good traces have no calls; there is nothing to find")
        found = mine(good, bad, within=args.within, seed=args.seed, tick=line.show)
    finally:
        line.clear()
    if args.json:
        rules = [
            {
                "text": one.rule.text,
                "kind": one.rule.kind,
                "support": one.support,
                "confidence": one.confidence,
                "good": list(one.good),
                "bad": list(one.bad),
                "p": one.p,
            }
            for one in found
        ]
        print_json({"rules": rules})
        return 0
    with_bad = "" if not bad else f" and {plural(len(bad), 'bad one')}"
    say(f"# {plural(len(found), 'rule')} that {plural(len(good), 'good trace')} keep{with_bad}")
    for one in found:
        broken = one.bad[1] - one.bad[0]
        told = f"kept in all {one.good[1]} that test it"
        if bad:
            told += f"; broken in {broken} of {len(bad)} bad ones, p = {one.p:.2g}"
        say(one.rule.text)
        say(f"#     {told}")
    return 0


def _traces(names: list[str], line: ProgressLine) -> list[Trace]:
    from planscope.traces import open_traces

    found: list[Trace] = []
    problems: list[str] = []
    for trace in open_traces(names, on_problem=problems.append):
        found.append(trace)
        if len(found) % 100 == 0:
            line.show(f"{len(found):,} traces read")
        if len(found) >= MOST_TRACES:
            break
    if problems and not found:
        raise UserError(problems[0])
    return found


def _check(args: argparse.Namespace) -> int:
    from planscope.language.errors import ParseFailure
    from planscope.rules.checking import examine
    from planscope.rules.reading import read_rules

    text = read_text(args.file)
    try:
        file = read_rules(text)
    except ParseFailure as failure:
        if not args.json:
            lines = [f"line {e.line}, column {e.column}: {e.message}" for e in failure.errors]
            say_all(lines)
            return 1
        from planscope.documents.query import ErrorsDocument

        print_json(ErrorsDocument.of(failure).as_data())
        return 1
    if not file.rules and not (file.reads or file.writes):
        raise UserError("there is no rule in it; write one sentence a line, such as: a comes before b.")
    if args.json:
        from planscope.documents.rules import RulesDocument

        print_json(RulesDocument.about(file).as_data())
    else:
        say_all(_lines(file, examine(file.rules)))
    return 0


def _lines(file: RuleFile, findings: Findings) -> Iterator[str]:
    from planscope.report import sentence
    from planscope.rules.words import meaning, set_text

    width = columns()
    for rule in file.rules:
        name = f"{rule.name} ({rule.id})" if rule.name else rule.id
        yield from sentence(f"{name}, line {rule.line}: {rule.text}", width)
        yield from sentence(meaning(rule), width, "    ")
    for words, calls in (("Only reads", file.reads), ("Writes", file.writes)):
        if calls:
            yield from sentence(f"{words}: {set_text(calls).replace(' or ', ', ')}.", width)
    yield ""
    if findings.contradiction is not None:
        names = ", ".join(findings.contradiction)
        yield from sentence(f"Contradiction: no trace keeps {names} together.", width)
        return
    for rule_id, by in findings.implied:
        why = f"implied by {', '.join(by)}" if by else "always kept"
        yield from sentence(f"{rule_id} is {why}: leave it out, or keep it for its words.", width)
    for tool in findings.uncallable:
        yield from sentence(f"{tool} can never be called: no trace that keeps the rules calls it.", width)
    if not findings.implied and not findings.uncallable:
        yield "No contradiction, and no rule is implied by others."


COMMANDS = {"rules": Command(ABOUT, EXAMPLE, _add, _run)}
