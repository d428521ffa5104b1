"""The public Python interface: ``planscope.load``, ``check``, ``replay``, ``reasons``, ``repair``, ``explain`` and
``rules``.

Each function takes a session or traces: the path of a file, the name of a session, messages, or what :func:`load`
returned. Each answers with the JSON document that the command of its name prints with ``--json``; ``as_data()`` returns
that as a dict. Without ``rules`` the query of the session judges. Wrong input raises :class:`planscope.UserError`, one
line that says what is wrong and what to do.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planscope.case import find_run, judge, listed, need_run
from planscope.errors import UserError
from planscope.safe import visible

if TYPE_CHECKING:
    from planscope.case import Case
    from planscope.documents.judgement import CheckDocument, ReasonsDocument, RepairDocument, ReplayDocument
    from planscope.documents.rules import (
        RulesCheckedDocument,
        RulesDocument,
        RulesRepairDocument,
        RulesReplayDocument,
    )
    from planscope.rules.report import Checked
    from planscope.rules.rule import RuleFile
    from planscope.session.model import Run, Session
    from planscope.traces.shape import Trace

MOST_TRACES = 10_000
"""Limit of traces in memory. ``planscope check`` judges any number, one by one."""
LARGEST_RULES = 1_000_000
"""Limit of a text of rules, in characters."""
CONFIRM_LIMIT = 2_000
"""Milliseconds that Z3 has to confirm one core or correction."""
_MARK = b"planscope-session"
_LOOKED_AT = 2**16


@dataclass(frozen=True)
class Loaded:
    """A session, or traces, that were read once; every function takes it in place of a path.

    ``source``: where it comes from. ``runs``: ids of its runs or traces, the last one last. ``problems``: one line for
    each file that could not be read.
    """

    source: str
    runs: tuple[str, ...]
    problems: tuple[str, ...]
    _session: Session | None
    _traces: tuple[Trace, ...]

    @property
    def is_session(self) -> bool:
        """Whether this is a session, and not traces of another program."""
        return self._session is not None


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
        session = _session_named(name)
        if session is not None:
            return Loaded(name, tuple(run.id for run in session.runs), (), session, ())
        return _loaded_traces(name)
    return _of_messages(source)


def check(
    source: Source,
    *,
    rules: Rules | None = None,
    run: str | None = None,
    strict: bool = False,
    certify: bool = True,
) -> CheckDocument | RulesCheckedDocument:
    """Judge a run, by default the last. With ``rules`` every run or trace, or the one that ``run`` names.

    ``strict``: warnings about a query's run count as errors. ``certify``: Z3 confirms the verdict.
    """
    loaded = load(source)
    if rules is not None:
        return _checked(loaded, read_rules_of(rules), run)
    from planscope.documents.judgement import CheckDocument
    from planscope.session.record import help_of

    session, chosen = find(loaded, run)
    if chosen is None:
        return CheckDocument.of_nothing("The session has no run.", run=None)
    replayed = judge(session, chosen).replay
    verdict = replayed.verdict(strict=strict)
    certified = replayed.certify() if certify else None
    more: dict[str, Any] = {"certified": certified, "run": chosen.id, "helped": help_of(chosen)}
    if certified is False:
        verdict = replace(verdict, verdict="unknown", error_type=None)
        more["explanation"] = "Z3 does not confirm this result: a bug in planscope. Please report it."
    return CheckDocument.about(replayed, verdict, **more)


def replay(
    source: Source, *, rules: Rules | None = None, run: str | None = None, changes: bool = False
) -> ReplayDocument | RulesReplayDocument:
    """Judge every step of a run, by default of the last: state, safe next calls, core.

    ``changes``: each step has only the constraints or rules whose status changed.
    """
    loaded = load(source)
    if rules is not None:
        from planscope.documents.rules import RulesReplayDocument
        from planscope.rules.judge import Rulebook

        file = read_rules_of(rules)
        return RulesReplayDocument.about(Rulebook(file.rules), _one_trace(loaded, run), changes=changes)
    from planscope.case import check_size
    from planscope.documents.judgement import CheckDocument, ReplayDocument

    case = _case(loaded, run)
    assert case.run is not None
    check_size(case.replay)
    verdict = CheckDocument.about(case.replay, case.replay.verdict(), helped=case.help)
    document = ReplayDocument.about(case.replay, case.run.id, changes=changes, check=verdict)
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

    ``most`` limits each list, ``seconds`` the search. With ``rules`` there is one core, no correction, no choice of the
    step, and ``complete`` is false.
    """
    from planscope.documents.judgement import ReasonsDocument

    loaded = load(source)
    if rules is not None:
        if step is not None:
            raise UserError("with rules, reasons are about the first lost step; leave out step")
        return _rule_reasons(loaded, read_rules_of(rules), run)

    session, chosen = find(loaded, run)
    replayed = judge(session, chosen).replay
    known = {str(view.step): view.index for view in replayed.steps}
    if step is not None and str(step) not in known:
        raise UserError(f"there is no step {visible(str(step)[:40])}; the steps are {listed(known)}")
    index = None if step is None else known[str(step)]
    found = replayed.reasons(index, most=most, stopped=_after(seconds))
    certified = None
    if found.cores:
        certified = replayed.certify_reasons(found, CONFIRM_LIMIT, stopped=_after(seconds))
    return ReasonsDocument.about(replayed, found, chosen.id if chosen else None, certified)


def repair(
    source: Source, *, rules: Rules | None = None, run: str | None = None, from_step: int = 0
) -> RepairDocument | RulesRepairDocument | None:
    """Return the correct plan nearest to a run, by default the last; ``from_step`` calls are kept as they are.

    With ``rules``: the cheapest change of the calls, empty if none is needed, None if none is known.
    """
    loaded = load(source)
    if rules is not None:
        if from_step:
            raise UserError("with rules, the repair is of the whole trace; leave out from_step")
        return _rule_repair(loaded, read_rules_of(rules), run)
    from planscope.documents.judgement import RepairDocument

    case = _case(loaded, run)
    assert case.run is not None
    if not 0 <= from_step <= len(case.replay.facts):
        raise UserError(f"there is no step {from_step}; the steps are 0 to {len(case.replay.facts)}")
    return RepairDocument.of(case.replay.repair(from_step), run=case.run.id, from_step=from_step)


def explain(source: Source, *, rules: Rules | None = None, run: str | None = None) -> str:
    """Say in words what ``check`` and ``repair`` answer: verdict, explanation, core, repair. Safe to display."""
    loaded = load(source)
    if rules is not None:
        return "\n\n".join(explained(loaded, one) for one in judged(loaded, read_rules_of(rules), run))
    from planscope.report import repair_lines, verdict_lines

    session, chosen = find(loaded, run)
    if chosen is None:
        return "The session has no run."
    case = judge(session, chosen)
    lines = list(verdict_lines(case.replay, case.replay.verdict(), help=case.help))
    verdict = case.replay.verdict()
    if verdict.verdict == "wrong":
        if verdict.first_violation is not None:
            lines += ["", f"core: {_core_text(verdict.first_violation.core)}"]
        lines += ["", "nearest correct plan:", *repair_lines(case.replay, case.replay.repair())]
    return "\n".join(lines)


def rules(source: Rules) -> RulesDocument:
    """Explain rules: the meaning of each, contradictions, implied rules. ``errors`` has what cannot be read."""
    from planscope.documents.query import ErrorsDocument
    from planscope.documents.rules import RulesDocument
    from planscope.language.errors import ParseFailure
    from planscope.rules.reading import read_rules

    try:
        return RulesDocument.about(read_rules(rules_text(source)))
    except ParseFailure as failure:
        wrong = ErrorsDocument.of(failure).errors
        return RulesDocument(rules=[], errors=wrong, contradiction=None, implied=[], uncallable=[])


# sessions and traces --------------------------------------------------------------------------------------------------


def _session_named(name: str) -> Session | None:
    """Return the session of that file or name, or None for a file, a folder or a glob of traces."""
    from planscope.session.containers import CONTAINER_SUFFIXES
    from planscope.session.locations import SUFFIXES, recorded, resolve
    from planscope.session.store import load as load_session

    if not name:
        raise UserError("the name is empty; name a session or a file")
    path = Path(name)
    try:
        if os.path.lexists(name):
            if not path.is_file():  # a folder; or a device or pipe, which could make reading wait for ever
                return None
            with path.open("rb") as file:
                marked = _MARK in file.read(_LOOKED_AT)
            sure = marked or name.endswith((*SUFFIXES, *CONTAINER_SUFFIXES)) or recorded(path)
            return load_session(path) if sure else None
        found = resolve(name)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{visible(name, limit=200)} cannot be read: {why}") from None
    except UserError:
        if any(sign in name for sign in "*?["):
            return None
        raise
    return load_session(found)


def load_alone(path: Path) -> Loaded:
    """Read one file, and no files beside it that belong to it. Raises UserError."""
    session = _session_named(str(path))
    if session is not None:
        return Loaded(path.name, tuple(run.id for run in session.runs), (), session, ())
    return _loaded_traces(str(path), siblings=False)


def _loaded_traces(name: str, *, siblings: bool = True) -> Loaded:
    from planscope.traces import Options, open_traces

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
    if loaded._session is not None:
        return loaded._session, find_run(loaded._session, run)
    from planscope.traces.events import session_of

    made = session_of([_one_trace(loaded, run, last=True)])
    return made, find_run(made, None)


def _case(loaded: Loaded, run: str | None) -> Case:
    """Return a judged run. Raises UserError if there is none."""
    session, chosen = find(loaded, run)
    return judge(session, chosen if chosen is not None else need_run(session, run))


def _one_trace(loaded: Loaded, run: str | None, *, last: bool = False) -> Trace:
    """Return one trace, by default the only one, or ``last`` the last one."""
    if loaded._session is not None:
        from planscope.rules.runs import trace_of_run

        return trace_of_run(need_run(loaded._session, run))
    if run is not None:
        for trace in loaded._traces:
            if trace.id == run:
                return trace
        raise UserError(f"there is no trace {visible(str(run)[:40])}; the traces: {listed(loaded.runs)}")
    if len(loaded._traces) > 1 and not last:
        raise UserError(
            f"{loaded.source} has {len(loaded._traces):,} traces; choose one: {listed(loaded.runs)}"
        )
    return loaded._traces[-1]


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


def read_rules_of(source: Rules) -> RuleFile:
    """Read rules. Raises UserError with the place of the first error."""
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.rules.reading import read_rules

    try:
        found = read_rules(rules_text(source))
    except ParseFailure as failure:
        raise UserError(f"the rules cannot be read: {in_a_line(failure.errors)}") from None
    if not found.rules:
        raise UserError(
            "there is no rule in it; write one sentence a line, such as: get_order comes before cancel_order."
        )
    return found


def judged(loaded: Loaded, file: RuleFile, run: str | None) -> Iterator[Checked]:
    """Judge by rules, one by one: one run or trace, or all of them. If a run has a query, that must hold too."""
    from planscope.case import judge_by
    from planscope.rules.judge import Rulebook
    from planscope.rules.many import check_traces
    from planscope.rules.report import CheckOptions
    from planscope.session.model import own_runs

    book, session = Rulebook(file.rules), loaded._session
    if session is not None:
        for chosen in [need_run(session, run)] if run is not None else own_runs(session):
            yield judge_by(session, chosen, book, CheckOptions()).checked
        return
    for trace in [_one_trace(loaded, run)] if run is not None else loaded._traces:
        yield from (one.checked for one in check_traces([trace], book, CheckOptions()))


def name_warnings_of(loaded: Loaded, file: RuleFile, checked: Sequence[Checked]) -> list[str]:
    """Return a line for each name in the rules that no judged run calls or defines."""
    from planscope.rules.report import name_warnings

    seen = {tool for trace in loaded._traces for tool in trace.tools}.union(*(one.tools for one in checked))
    return name_warnings(file.rules, seen) if checked else []


def _checked(loaded: Loaded, file: RuleFile, run: str | None) -> RulesCheckedDocument:
    from planscope.documents.rules import RulesCheckedDocument
    from planscope.rules.report import Summary

    summary = Summary(list(file.rules))
    checked = list(judged(loaded, file, run))
    for one in checked:
        summary.add(one)
    warnings = [*name_warnings_of(loaded, file, checked), *loaded.problems]
    traces = [one.fields() for one in checked]
    return RulesCheckedDocument.model_validate(
        {"traces": traces, "summary": summary.fields(), "warnings": warnings}
    )


def _rule_reasons(loaded: Loaded, file: RuleFile, run: str | None) -> ReasonsDocument:
    from planscope.documents.judgement import CoreDocument, ReasonsDocument

    trace = _one_trace(loaded, run)
    (checked,) = judged(loaded, file, trace.id)
    lost = checked.more.get("first_violation")
    cores = []
    if lost is not None:
        told = checked.explanation.partition(" Nearest repair:")[0]
        cores = [
            CoreDocument(constraints=lost["rules"], steps=lost["steps"], foreseeable=True, explanation=told)
        ]
    state = "completable" if checked.verdict == "right" else "unknown"
    if lost is not None:
        state = "broken" if any(lost["step"] in one.broken_at for one in checked.results) else "doomed"
    return ReasonsDocument(
        run=trace.id,
        step="end" if lost is None else lost["step"],
        state=state,  # type: ignore[arg-type]
        cores=cores,
        corrections=[],
        complete=not cores and checked.verdict == "right",
        ended="most" if cores else "all" if checked.verdict == "right" else "unknown",
        certified=None if lost is None else lost["confirmed"],
    )


def _rule_repair(loaded: Loaded, file: RuleFile, run: str | None) -> RulesRepairDocument | None:
    from planscope.documents.rules import RulesRepairDocument

    trace = _one_trace(loaded, run)
    (checked,) = judged(loaded, file, trace.id)
    found = checked.more.get("repair")
    if found is None:
        if any(result.state == "broken" for result in checked.results):
            return None
        found = {"moved": [], "inserted": [], "removed": [], "exact": True}
    return RulesRepairDocument.model_validate(found)


def explained(loaded: Loaded, checked: Checked) -> str:
    """Return a judged run in words: verdict, explanation with the repair, the rules and steps of the core; then what
    its query says, if that is not met."""
    from planscope.report import sentence
    from planscope.wording.terms import VERDICTS

    lines = [*sentence(f"{checked.id}: {VERDICTS[checked.verdict].upper()}. {checked.explanation}")]
    lost = checked.more.get("first_violation")
    if lost is not None:
        names = {result.rule.id: result.rule.text for result in checked.results}
        lines.append("core:")
        lines += [
            line for id in lost["rules"] for line in sentence(f"{id}: {names.get(id, '')}", indent="  ")
        ]
        steps = [step for step in lost["steps"] if step != lost["step"]]
        lines.append(f"  {_steps_text([*steps, lost['step']])}")
    if checked.more.get("query", "right") != "right":
        assert loaded._session is not None  # only a session has queries
        alone = replace(loaded, _session=loaded._session.model_copy(update={"rules": None}))
        lines += ["", "The query:", explain(alone, run=checked.id)]
    return "\n".join(lines)


def _core_text(core: Any) -> str:
    return ", ".join([*core.constraints, *([_steps_text(core.steps)] if core.steps else [])])


def _steps_text(steps: Sequence[Any]) -> str:
    from planscope.wording.phrases import step_name

    return ", ".join(map(step_name, steps))


def _after(seconds: float) -> Callable[[], bool]:
    """Return a function that tells whether ``seconds`` have passed since this call."""
    import time

    over = time.monotonic() + seconds
    return lambda: time.monotonic() > over
