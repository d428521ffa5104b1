"""The public Python interface: ``planscope.load``, ``check``, ``replay``, ``reasons``, ``repair``, ``explain`` and
``rules``.

Each function takes a session or traces: the path of a file, the name of a session, messages, or what :func:`load`
returned. Each answers with the JSON document that the command of its name prints with ``--json``; ``as_data()`` returns
that as a dict. Without ``rules`` the query of the session judges. Wrong input raises :class:`planscope.UserError`, one
line that says what is wrong and what to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planscope.case import Asked, asked_in, asked_run, asked_trace, find_run, listed, need_run
from planscope.errors import UserError
from planscope.safe import visible

if TYPE_CHECKING:
    from planscope.documents.judgement import CheckDocument, ReasonsDocument, RepairDocument, ReplayDocument
    from planscope.documents.rules import RulesCheckedDocument, RulesDocument, RulesRepairDocument
    from planscope.language.problem import Problem
    from planscope.oracle.trace import Trace
    from planscope.oracle.verdict_types import Core
    from planscope.rules.report import Checked, Summary
    from planscope.rules.rule import RuleFile
    from planscope.session.model import Run, Session

MOST_TRACES = 10_000
"""Limit of traces in memory. ``planscope check`` judges any number, one by one."""
LARGEST_RULES = 1_000_000
"""Limit of a text of rules, in characters."""


@dataclass(frozen=True)
class Loaded:
    """A session, or traces, that were read once; every function takes it in place of a path.

    ``source``: where it comes from. ``runs``: ids of its runs or traces, the last one last. ``problems``: one line for
    each file that could not be read. ``session`` is None for ``traces``.
    """

    source: str
    runs: tuple[str, ...]
    problems: tuple[str, ...]
    session: Session | None
    traces: tuple[Trace, ...]

    @property
    def is_session(self) -> bool:
        """Whether this is a session, and not traces of another program."""
        return self.session is not None


Source: TypeAlias = Loaded | str | os.PathLike[str] | Sequence[Any] | Mapping[str, Any]
"""A path, the name of a session, messages (dicts or objects of LangChain, also under the key ``messages``)."""
Rules: TypeAlias = str | os.PathLike[str]
"""A file of rules, or their text: a ``str`` is a file if there is one of that name, else text."""


def load(source: Source) -> Loaded:
    """Read a session, a file or folder or glob of traces, or messages. Raises UserError."""
    if isinstance(source, Loaded):
        return source
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        return load_named(name, name)
    return _of_messages(source)


def check(
    source: Source,
    *,
    rules: Rules | None = None,
    run: str | None = None,
    strict: bool = False,
    certify: bool = True,
    allow_unknown: bool = False,
) -> CheckDocument | RulesCheckedDocument:
    """Judge a run, by default the last. With ``rules`` every run or trace, or the one that ``run`` names.

    ``strict``: warnings about a query's run count as errors. ``certify``: Z3 confirms the verdict. ``allow_unknown``: a
    rule about a tool that nothing calls or defines gets a warning, and is not undecided.
    """
    loaded = load(source)
    if rules is not None:
        return _checked(loaded, read_rules_of(rules, loaded, allow_unknown), run)
    from planscope.documents.judgement import CheckDocument

    session, chosen = find(loaded, run)
    if chosen is None:
        return CheckDocument.of_nothing(run=None)
    asked = asked_run(session, chosen)
    verdict = asked.verdict(strict=strict, certify=certify)
    return CheckDocument.about(asked.replay, verdict, run=chosen.id, helped=asked.help)


def replay(
    source: Source, *, rules: Rules | None = None, run: str | None = None, changes: bool = False
) -> ReplayDocument:
    """Judge every step of a run, by default of the last: state, safe next calls, core.

    ``changes``: each step has only the constraints or rules whose status changed.
    """
    from planscope.case import check_size
    from planscope.documents.judgement import ReplayDocument

    asked = _asked(load(source), rules, run)
    check_size(asked.replay)
    document = ReplayDocument.asked(asked, changes=changes)
    document.steps = list(document.steps)  # the command prints them one by one and does not keep them
    return document


def reasons(
    source: Source,
    *,
    rules: Rules | None = None,
    run: str | None = None,
    step: int | str | None = None,
    most: int = 100,
    seconds: float = 60,
) -> ReasonsDocument:
    """List the minimal cores, and the minimal corrections, at a step (default: where the last attempt was lost).

    ``most`` limits each list, ``seconds`` the search.
    """
    from planscope.documents.judgement import ReasonsDocument

    asked = _asked(load(source), rules, run, need=False)
    found, proof = asked.reasons(step, most, seconds)
    return ReasonsDocument.about(asked.replay, found, asked.id, proof)


def repair(
    source: Source, *, rules: Rules | None = None, run: str | None = None, from_step: int = 0
) -> RepairDocument | RulesRepairDocument | None:
    """Return the correct plan nearest to a run, by default the last; ``from_step`` calls are kept as they are.

    With ``rules``: the cheapest change of the calls, empty if none is needed, None if none is known.
    """
    loaded = load(source)
    asked = _asked(loaded, rules, run)
    if asked.of_calls:
        from planscope.documents.rules import RulesRepairDocument

        if from_step:
            raise UserError("with rules, the repair is of the whole trace; leave out from_step")
        found = RulesRepairDocument.about(asked.replay)
        return found if found.reason is None else None
    from planscope.documents.judgement import RepairDocument

    if not 0 <= from_step <= len(asked.replay.facts):
        raise UserError(f"there is no step {from_step}; the steps are 0 to {len(asked.replay.facts)}")
    return RepairDocument.about(asked.replay, asked.id, from_step)


def explain(source: Source, *, rules: Rules | None = None, run: str | None = None) -> str:
    """Say in words what ``check`` and ``repair`` answer: verdict, explanation, core, repair. Safe to display."""
    from planscope.report import repair_blocks, verdict_blocks, warning_blocks
    from planscope.show.blocks import GAP, Block, Para
    from planscope.show.text import lines

    loaded = load(source)
    if rules is not None:
        file = read_rules_of(rules, loaded)
        checked = list(judged(loaded, file, run))
        summary, warned = summed(loaded, file, checked)
        warnings = "\n".join([*summary.notes(), *lines(warning_blocks(warned))])
        return "\n\n".join([*map(explained, checked), *([warnings] if warnings else [])])
    session, chosen = find(loaded, run)
    if chosen is None:
        return "The session has no run."
    asked = asked_run(session, chosen)
    verdict = asked.replay.verdict()
    told: list[Block] = [*verdict_blocks(asked.replay, verdict, asked.help)]
    if verdict.verdict == "wrong":
        if verdict.first_violation is not None:
            told += [GAP, Para(f"core: {_core_text(asked.replay.problem, verdict.first_violation.core)}")]
        title = "nearest correct plan:" if asked.replay.problem.counted else "what to change:"
        told += [GAP, Para(title), *repair_blocks(asked.replay, asked.replay.repair())]
    return "\n".join(lines(told))


def rules(source: Rules) -> RulesDocument:
    """Explain rules: the meaning of each, contradictions, implied rules. ``errors`` has what cannot be read."""
    from planscope.documents.rules import RulesDocument
    from planscope.language.errors import ParseFailure
    from planscope.rules.reading import read_rules

    try:
        return RulesDocument.about(read_rules(rules_text(source)))
    except ParseFailure as failure:
        return RulesDocument.unread(failure)


# sessions and traces --------------------------------------------------------------------------------------------------


def load_named(name: str, shown: str, *, siblings: bool = True) -> Loaded:
    """Read a session or traces, without ``siblings`` no files beside it that belong to it. Raises UserError."""
    from planscope.session.locations import session_at
    from planscope.traces import Options, open_traces

    if (path := session_at(name)) is not None:
        from planscope.session.store import load as load_session

        session = load_session(path)
        return Loaded(shown, tuple(run.id for run in session.runs), (), session, ())
    problems: list[str] = []
    traces = open_traces([name], options=Options(siblings), on_problem=problems.append)
    return _of_traces(name, traces, problems)


def _of_traces(name: str, traces: Iterable[Trace], problems: list[str]) -> Loaded:
    kept = []
    for trace in traces:
        kept.append(trace)
        if len(kept) > MOST_TRACES:
            raise UserError(
                f"{name} has more than {MOST_TRACES:,} traces; use: planscope check {name} --rules RULES"
            )
    if not kept:
        raise UserError(problems[0] if problems else f"there is no trace in {name}")
    return Loaded(name, tuple(trace.id for trace in kept), tuple(problems), None, tuple(kept))


def _of_messages(messages: Any) -> Loaded:
    """Read messages by the readers of files, so that they mean the same in memory."""
    import io
    import json

    from planscope.traces import Options
    from planscope.traces.opening import read
    from planscope.traces.source import stream_source

    name = "messages"
    if not isinstance(messages, Mapping | Iterable) or isinstance(messages, bytes | bytearray):
        raise UserError(
            f"a source is a path, the name of a session, or messages, not {type(messages).__name__}"
        )
    whole = {**messages} if isinstance(messages, Mapping) else {"messages": messages}
    rows = whole.get("messages")
    if isinstance(rows, Iterable) and not isinstance(rows, str | bytes | Mapping):
        whole["messages"] = rows = list(map(_message, rows))
        if not rows:
            raise UserError("there are no messages; give those of a whole run")
    try:
        data = json.dumps(whole, default=_plain).encode("utf-8", "replace")
    except (ValueError, TypeError, RecursionError) as error:
        raise UserError(f"the messages cannot be written as JSON: {error}") from None
    problems: list[str] = []
    return _of_traces(name, read(stream_source(io.BytesIO(data), name), Options(), problems.append), problems)


def _message(value: Any) -> Any:
    """Return a message as a dict. ``("user", "text")`` is a message for LangChain, too."""
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value):
        return {"role": {"human": "user", "ai": "assistant"}.get(value[0], value[0]), "content": value[1]}
    return value


def _plain(value: Any) -> Any:
    """Return what JSON can hold of an object: the fields of a pydantic model, or its text."""
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return dump()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)


def find(loaded: Loaded, run: str | None) -> tuple[Session, Run | None]:
    """Return a session with the run that is named, by default its last."""
    if loaded.session is not None:
        return loaded.session, find_run(loaded.session, run)
    from planscope.session.traces import session_of

    made = session_of([_one_trace(loaded, run, last=True)])
    return made, find_run(made, None)


def _asked(loaded: Loaded, rules: Rules | None, run: str | None, *, need: bool = True) -> Asked:
    """Return a judged run, by default the last, or a judged trace. ``need``: raise UserError if there is none."""
    file = read_rules_of(rules, loaded) if rules is not None else None
    if file is not None and loaded.session is None:
        return asked_trace(_one_trace(loaded, run), file)
    session, chosen = find(loaded, run)
    return asked_in(session, chosen.id if chosen is not None else run, file, need)


def _one_trace(loaded: Loaded, run: str | None, *, last: bool = False) -> Trace:
    """Return one trace, by default the only one, or ``last`` the last one."""
    if run is not None:
        for trace in loaded.traces:
            if trace.id == run:
                return trace
        raise UserError(f"there is no trace {visible(str(run)[:40])}; the traces: {listed(loaded.runs)}")
    if len(loaded.traces) > 1 and not last:
        raise UserError(
            f"{loaded.source} has {len(loaded.traces):,} traces; choose one: {listed(loaded.runs)}"
        )
    return loaded.traces[-1]


# rules ----------------------------------------------------------------------------------------------------------------


def rules_text(source: Rules) -> str:
    """Return the text of rules. Raises UserError for a file that cannot be read."""
    if isinstance(source, str):
        there = False
        if len(source) < 4096 and "\n" not in source:
            with suppress(OSError, ValueError):
                there = Path(source).is_file()
        if not there:
            if source.strip() and not any(c.isspace() for c in source.strip()):
                raise UserError(f"there is no file {visible(source, limit=200)}, and one word is no rule")
            return source
    elif not isinstance(source, os.PathLike):
        raise UserError(f"rules are a path or a text, not {type(source).__name__}")
    try:
        with Path(source).open("rb") as file:
            data = file.read(4 * LARGEST_RULES + 1)
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise UserError(f"{visible(os.fspath(source), limit=200)} cannot be read: {why}") from None
    if len(text) > LARGEST_RULES:
        raise UserError(f"the rules are longer than {LARGEST_RULES:,} characters; split them")
    return text


def tools_of(loaded: Loaded) -> set[str]:
    """Return the tools that the session or the traces call or define."""
    from planscope.rules import names

    session = loaded.session
    return names.tools_of(loaded.traces).union(names.tools_of_session(session) if session else ())


def read_rules_of(source: Rules, loaded: Loaded, allow_unknown: bool = False) -> RuleFile:
    """Read rules about these traces. ``allow_unknown``: they may name other tools, too. Raises UserError with the place
    of the first error."""
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.rules.reading import read_rules

    try:
        tools = tools_of(loaded)
        found = read_rules(rules_text(source), tools)
    except ParseFailure as failure:
        raise UserError(f"the rules cannot be read: {in_a_line(failure.errors)}") from None
    if not found.rules:
        raise UserError(
            "there is no rule in it; write one sentence a line, such as: get_order comes before cancel_order."
        )
    return found if allow_unknown else found.among(tools)


def judged(loaded: Loaded, file: RuleFile, run: str | None) -> Iterator[Checked]:
    """Judge by rules, one by one: one run or trace, or all of them. If a run has a query, that must hold too. What went
    wrong has its cause."""
    from planscope.case import judge_by
    from planscope.cause.find import add_cause
    from planscope.rules.budget import Budget
    from planscope.rules.many import check_traces
    from planscope.rules.report import CheckOptions
    from planscope.session.model import own_runs

    session = loaded.session
    if session is not None:
        runs = [need_run(session, run)] if run is not None else own_runs(session)
        budget = Budget.of(len(runs))
        for chosen in runs:
            yield judge_by(session, chosen, file, budget=budget)
        return
    traces = [_one_trace(loaded, run)] if run is not None else loaded.traces
    for one in check_traces(traces, file, CheckOptions()):
        add_cause(one, file)
        yield one.checked


def summed(loaded: Loaded, file: RuleFile, checked: Sequence[Checked]) -> tuple[Summary, list[str]]:
    """Return the sums over these judged runs, and the warnings about them."""
    from planscope.rules.report import Summary, warnings_of

    summary = Summary(list(file.rules))
    for one in checked:
        summary.add(one)
    return summary, warnings_of(file, tools_of(loaded).union(file.declared), summary)


def _checked(loaded: Loaded, file: RuleFile, run: str | None) -> RulesCheckedDocument:
    from planscope.documents.rules import RulesCheckedDocument, SummaryDocument, TraceDocument

    checked = list(judged(loaded, file, run))
    summary, warnings = summed(loaded, file, checked)
    return RulesCheckedDocument(
        traces=[TraceDocument.about(one) for one in checked],
        summary=SummaryDocument.about(summary),
        warnings=[*warnings, *loaded.problems],
    )


def explained(checked: Checked) -> str:
    """Return a judged run in words: verdict, explanation with the repair, the rules and steps of the core."""
    from planscope.cause.told import told
    from planscope.show.text import sentence
    from planscope.wording.terms import VERDICTS

    lines = [*sentence(f"{checked.id}: {VERDICTS[checked.told].upper()}. {checked.explanation}")]
    why = checked.why
    if why is not None and why.step is not None:
        rules = [result.rule for result in checked.results if result.rule.id in why.rules]
        lines.append("core:")
        lines += [line for r in rules for line in sentence(f"{r.title}: {r.text}", indent="  ")]
        lines.append(f"  {_steps_text(tuple(dict.fromkeys([*why.steps, why.step])))}")
    lines += sentence(told(checked.cause)) if checked.cause is not None else ()
    return "\n".join(lines)


def _core_text(problem: Problem, core: Core) -> str:
    from planscope.wording.constraints import label

    names = [label(problem.by_id[id]) for id in core.constraints]
    return ", ".join([*names, *([_steps_text(core.steps)] if core.steps else [])])


def _steps_text(steps: Sequence[Any]) -> str:
    from planscope.wording.phrases import step_name

    return ", ".join(map(step_name, steps))
