"""``rules check`` explains a file of rules, ``add`` gives them to a session, ``mine`` finds rules that good traces
keep, ``draft`` reads the sentences of a policy as rules, or has a model propose them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planscope.commands import Command
from planscope.commands.check_rules import clash_lines, session_summary, table
from planscope.commands.common import (
    SESSION,
    ProgressLine,
    changing,
    complain,
    open_session,
    output_of,
    print_json,
    read_text,
    say,
    say_all,
    tell,
    whole,
    write_or_print,
)
from planscope.errors import UserError
from planscope.language.errors import ParseFailure, in_a_line
from planscope.rules.checking import Findings, examine, warnings_about
from planscope.rules.names import read_tools, tools_of, tools_of_session
from planscope.rules.policy import Draft, Proposal, read_policy, rules_file, try_on
from planscope.rules.reading import read_rules
from planscope.rules.rule import RuleFile, names_of
from planscope.show.blocks import GAP, Block, Para
from planscope.wording.phrases import plural
from planscope.wording.terms import sentence

if TYPE_CHECKING:
    from planscope.oracle.trace import Trace
    from planscope.session.model import Session

ABOUT = (
    "Work with rules: sentences about the calls of an agent, such as: get_order comes before cancel_order. Each is "
    "judged on traces by planscope check TRACE --rules FILE."
)
MOST_TRACES = 100_000
"""Traces that mining keeps in memory, of each side."""
EXAMPLE = "echo 'get_order comes before cancel_order.' | planscope rules check -"
_FILE = ("file RULES", "a file of rules; - for standard input")
_TOOLS = ("--tools FILE", "names or definitions of tools; a rule about another one is named")
_JSON = ("--json", "print one JSON document")


def _add_to_session(args: Namespace) -> None:
    from planscope.rules.in_session import add_rules

    with changing(args.session) as session:
        text = read_text(args.file)
        try:
            more = read_rules(text, tools_of_session(session))
        except ParseFailure as failure:
            raise UserError(f"{args.file}: {in_a_line(failure.errors)}") from None
        if not (more.rules or more.reads or more.writes):
            raise UserError(f"{args.file} has no rule; write one sentence a line, such as: a comes before b.")
        file = add_rules(session, text)
    summary, warnings = session_summary(session, file)
    if args.json:
        from planscope.documents.rules import RulesAddedDocument

        added = [rule.id for rule in file.rules[len(file.rules) - len(more.rules) :]]
        print_json(RulesAddedDocument.about(args.session, added, summary, warnings))
        return
    say(f"added {plural(len(more.rules), 'rule')}; {args.session} has {len(file.rules)}")
    if summary.traces:
        say_all(table(summary))
    say_all(sentence(f"Warning: {warning}") for warning in warnings)


def _draft(args: Namespace) -> None:
    import sys

    from planscope.session.traces import trace_of

    output = output_of(args)
    asks = output is not None and not args.yes
    if args.json and asks:
        raise UserError("--json does not ask; add --yes to write all rules that can be read, or leave out -o")
    if asks and not (sys.stdin is not None and sys.stdin.isatty()):
        raise UserError("-o asks for each rule in a terminal; add --yes to write all that can be read")
    session = open_session(args.session) if args.session is not None else None
    policy, tools = read_text(args.policy), _tools(args, session)
    line = ProgressLine()
    try:
        traces = _traces(args.traces, line) if args.traces else []
        traces += map(trace_of, session.runs if session is not None else ())
        tools |= tools_of(traces)
        if args.model is None:
            draft = read_policy(policy, tools, traces, line.show)
        else:
            from planscope.agents.rule_writer import draft_rules
            from planscope.commands.recording import options_of

            draft = draft_rules(policy, options_of(args), tools, on_progress=line.show)
        count = try_on(draft.proposals, traces) if traces else 0
    finally:
        line.clear()
    if args.json:
        from planscope.documents.rules import DraftedDocument

        print_json(DraftedDocument.about(draft, count, args.model or "reader"))
    chosen = draft.proposals if args.yes else []
    if not args.json:
        chosen = _told(draft, count, asks=asks) if not args.yes else chosen
    if output is not None and (chosen or args.yes):
        write_or_print(rules_file(chosen, draft.unsaid), output)
        if not args.json:
            say(f"{len(chosen)} of {len(draft.proposals)} rules written to {args.output}")
    elif output is not None and not args.json:
        say("no rule was chosen; nothing was written")


def _told(draft: Draft, count: int, *, asks: bool) -> list[Proposal]:
    """Print the proposals, each beside its sentence, and ask for each if wanted. Return those that the user wants."""
    chosen: list[Proposal] = []
    all_of_them = over = False
    for one in draft.proposals:
        tell(_proposal_blocks(one, count))
        if asks and not over:
            answer = "y" if all_of_them else _asked("    take it? [y]es, [n]o, [a]ll from here, [q]uit: ")
            all_of_them = all_of_them or answer == "a"
            over = answer == "q"
            if answer in ("y", "a"):
                chosen.append(one)
        say()
    for title, some in (
        ("Cannot be read, or in two ways:", draft.unread),
        ("No rule was read:", draft.unsaid),
    ):
        if some:
            say(title)
        for one in some:
            text = "" if one.text == one.policy else one.text
            tell([Para(f"“{one.policy}” {text}".rstrip(), "    ")])
            if one.why:
                tell([Para(one.why, "        ")])
    if not (draft.proposals or draft.unread or draft.unsaid):
        say("Nothing is proposed: the policy has no sentence.")
    return chosen


def _asked(question: str) -> str:
    """Ask until the answer begins with one of the letters. The end of input quits."""
    while True:
        try:
            answer = input(question).strip().lower()[:1]
        except EOFError:
            return "q"
        if answer in ("y", "n", "a", "q"):
            return answer


def _proposal_blocks(one: Proposal, count: int) -> Iterator[Block]:
    mark = "" if one.quoted else " (not in the policy in these words)"
    mark = f" (below “{one.below}”)" if one.below else mark
    yield Para(f"“{one.policy}”{mark}")
    for words in (one.text, *one.meanings):
        yield Para(words, "    ")
    if count:
        told = f"{plural(count, 'trace')}: {one.tested} test it, {one.kept} keep it"
        if one.broken:
            told += f"; broken first in {', '.join(one.broken)}"
        yield Para(told, "    ")


def _mine(args: Namespace) -> None:
    from planscope.rules.mining import evidence, mine

    line = ProgressLine()
    try:
        good, bad = _traces(args.good, line), _traces(args.bad, line)
        if not any(trace.calls for trace in good):
            raise UserError("the good traces have no calls; there is nothing to find")
        found = mine(good, bad, within=args.within, seed=args.seed, tick=line.show)
    finally:
        line.clear()
    if args.json:
        from planscope.documents.rules import MinedDocument

        print_json(MinedDocument.about(found))
        return
    with_bad = "" if not bad else f" and {plural(len(bad), 'bad one')}"
    say(f"# {plural(len(found), 'rule')} that {plural(len(good), 'good trace')} keep{with_bad}")
    for one in found:
        say(one.rule.text)
        for told in evidence(one, len(good), len(bad)):
            say(f"#     {told}")


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
    line.clear()
    complain(problems)
    return found


def _tools(args: Namespace, session: Session | None) -> set[str]:
    """Return the tools that a file names, and those of a session."""

    named = read_tools(read_text(args.tools)) if args.tools is not None else set()
    return named | (tools_of_session(session) if session is not None else set())


def _check(args: Namespace) -> int:

    session = open_session(args.session) if args.session is not None else None
    text = read_text(args.file)
    tools = _tools(args, session)
    try:
        file = read_rules(text, tools)
    except ParseFailure as failure:
        if not args.json:
            lines = [f"line {e.line}, column {e.column}: {e.message}" for e in failure.errors]
            known = (
                []
                if tools
                else ["No tool is known here; where tools are (--tools, --session), more is read."]
            )
            say_all([*lines, *known])
            return 1
        from planscope.documents.rules import RulesDocument

        print_json(RulesDocument.unread(failure))
        return 1
    if not file.rules and not (file.reads or file.writes):
        raise UserError("there is no rule in it; write one sentence a line, such as: a comes before b.")
    if args.json:
        from planscope.documents.rules import RulesDocument

        print_json(RulesDocument.about(file, session, tools))
        return 0

    tell(_blocks(file, examine(file.rules), warnings_about(file, tools)))
    if session is not None:
        lines = clash_lines(session, file) or ["each query of the session can be met together with the rules"]
        tell(Para(f"{line[:1].upper()}{line[1:]}.") for line in lines)
    return 0


def _blocks(file: RuleFile, findings: Findings, warnings: Sequence[str]) -> Iterator[Block]:
    from planscope.report import warning_blocks
    from planscope.rules.words import meaning, set_text

    titles = {rule.id: rule.title for rule in file.rules}
    for rule in file.rules:
        yield Para(f"{rule.title}, line {rule.line}: {rule.text}")
        yield Para(meaning(rule), "    ")
    for words, calls in (("Only reads", file.reads), ("Writes", file.writes)):
        if calls:
            yield Para(f"{words}: {set_text(calls).replace(' or ', ', ')}.")
    if tools := names_of(file.rules):
        yield Para(f"Tools: {', '.join(tools)}.")
    yield from (*warning_blocks(warnings), GAP)
    if findings.contradiction is not None:
        names = ", ".join(titles[id] for id in findings.contradiction)
        yield Para(f"Contradiction: no trace keeps {names} together.")
        return
    for rule_id, by in findings.implied:
        why = f"implied by {', '.join(titles[id] for id in by)}" if by else "always kept"
        yield Para(f"{titles[rule_id]} is {why}: leave it out, or keep it for its words.")
    for tool in findings.uncallable:
        yield Para(f"{tool} can never be called: no trace that keeps the rules calls it.")
    if not findings.implied and not findings.uncallable:
        yield Para("No contradiction, and no rule is implied by others.")


_ACTIONS = {
    "check": Command(
        "explain each rule; find contradictions, and rules that others imply",
        EXAMPLE,
        (
            _FILE,
            ("--session SESSION", "say which queries of this session contradict the rules, too"),
            _TOOLS,
            _JSON,
        ),
        _check,
    ),
    "add": Command(
        "append rules to a session's own, save it, and judge all its runs anew",
        "planscope rules add my-session rules.txt",
        (SESSION, _FILE, _JSON),
        _add_to_session,
    ),
    "mine": Command(
        "find rules that good traces keep, and with --bad those that bad ones break",
        "planscope rules mine good/*.json --bad bad/*.json",
        (
            ("good GOOD+", "traces that went well: files, folders, globs"),
            ("--bad BAD+", "traces that went wrong: files, folders, globs", None, []),
            ("--within N", "look for rules within N calls, too", whole(1, 1000), 0),
            ("--seed N", "draw other shuffles (default 0)", whole(0), 0),
            _JSON,
        ),
        _mine,
    ),
    "draft": Command(
        "read each sentence of a policy as a rule, or have a model propose them; none counts until you say yes",
        "planscope rules draft policy.txt runs/ -o rules.txt",
        (
            _TOOLS,
            ("policy POLICY", "a text file with the policy; - for standard input"),
            ("traces TRACE*", "traces that name the tools and try each rule"),
            ("--session SESSION", "a session that names the tools, and whose runs try each rule"),
            (
                "--model M",
                "ask a model, such as openai:gpt-4o-mini, which may cost money; without it, each "
                "sentence is read as it stands",
            ),
            ("--base-url URL", "with --model: another server for it"),
            ("-o FILE", "ask for each rule, and write those that you want to this file"),
            ("--yes", "with -o: write all rules that can be read, without asking"),
            _JSON,
        ),
        _draft,
    ),
}

COMMANDS = {"rules": Command(ABOUT, EXAMPLE, _ACTIONS)}
