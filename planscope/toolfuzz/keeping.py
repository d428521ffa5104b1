"""Keeps findings in sessions, and finds the steps of runs that failed as the fuzzer predicts."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from planscope.language.problem import is_tool_name
from planscope.session.files import SessionError
from planscope.session.model import (
    ActionRecord,
    FuzzedTool,
    FuzzFinding,
    Fuzzing,
    FuzzLed,
    FuzzSet,
    Session,
    Variant,
    next_fuzzing_id,
    next_run_id,
    next_variant_id,
    variant_of_tools,
)
from planscope.session.record import RecordedCall, RunRecord
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.labels import was_sampled
from planscope.toolfuzz.outcome import LISTED_ONLY, normal, returned_error
from planscope.toolfuzz.recorded import offered_to
from planscope.toolfuzz.report import Report

_NAMES_ONLY = ("title", "description", "examples", "default")


def fingerprint(schema: Mapping[str, object]) -> str:
    """Return a digest of a tool's schema: its arguments, their types and limits, but no titles and descriptions."""
    text = json.dumps(_bare(schema), sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _bare(schema: object, names: bool = False) -> object:
    if isinstance(schema, Mapping):
        kept = (k for k in schema if names or k not in (*_NAMES_ONLY, "additionalProperties"))
        return {k: _bare(schema[k], k == "properties") for k in kept}
    return [_bare(one) for one in schema] if isinstance(schema, list) else schema


def record_of(report: Report, reset: str | None = None) -> Fuzzing:
    """Return a report as a session keeps it. The id is given by :func:`put`."""
    tools = [
        FuzzedTool(
            tool=one.name,
            description=one.description,
            fingerprint=fingerprint(one.schema),
            calls=one.calls + one.played,
            succeeded=one.succeeded + one.answered,
            refusal=report.refusal(one),
            wrapped=one.wrapped,
            variable=one.variable,
            skipped=one.skipped,
        )
        for one in report.tools
    ]
    return Fuzzing(
        id="",
        target=report.target,
        seed=report.seed,
        started=datetime.now(UTC).replace(microsecond=0),
        calls=report.calls,
        seconds=report.seconds,
        reset=reset,
        settings=report.settings or None,
        model=report.model,
        fixes=report.fixes or None,
        statistics=report.figures().model_dump(),
        tools=tools,
        findings=report.sorted(),
        sets=list(report.sets),
        matrix=report.matrix,
    )


def put(session: Session, fuzzing: Fuzzing) -> None:
    """Add a run of the fuzzer to a session. It replaces the one of the same target, but labels stay."""
    kept = list(session.fuzzings or ())
    before = next((one for one in kept if one.target == fuzzing.target), None)
    id = before.id if before is not None else next_fuzzing_id(session)
    made = (with_labels(fuzzing, before) if before is not None else fuzzing).model_copy(update={"id": id})
    session.fuzzings = [made if one is before else one for one in kept] if before else [*kept, made]


def with_labels(fuzzing: Fuzzing, before: Fuzzing) -> Fuzzing:
    """Return a fuzzing with the labels that the same findings and sets of prompts had before.

    Which of them were drawn to be labelled stays, too, unless the new ones were drawn again.
    """
    again = was_sampled(fuzzing) > 0
    findings = {_same(one, before): _label_of(one, again) for one in before.findings}
    sets = {(one.tool, one.template): _label_of(one, again) for one in before.sets}
    return fuzzing.model_copy(
        update={
            "findings": [
                one.model_copy(update=findings.get(_same(one, fuzzing), {})) for one in fuzzing.findings
            ],
            "sets": [one.model_copy(update=sets.get((one.tool, one.template), {})) for one in fuzzing.sets],
        }
    )


def _label_of(one: FuzzFinding | FuzzSet, again: bool = False) -> dict[str, object]:
    return {"label": one.label, "specified": one.specified} | ({} if again else {"sampled": one.sampled})


def take_labels(report: Report, path: Path) -> None:
    """Put the labels that the same findings have in a session into a report. A session that cannot be read has none."""
    from planscope.session.store import load

    try:
        kept = load(path).fuzzings or () if path.exists() else ()
    except SessionError:
        return
    before = next((one for one in kept if one.target == report.target), None)
    if before is None:
        return
    for key, labelled in zip(report.order(), with_labels(record_of(report), before).findings, strict=True):
        report.change(key, **_label_of(labelled))


def _same(one: FuzzFinding, fuzzing: Fuzzing) -> tuple[str, str, str | None, str | None, str]:
    found = set_of(one, fuzzing)
    said = normal(one.message, one.input) if found is None else found.template
    return one.tool, one.kind, one.exception, one.location, said


def set_of(one: FuzzFinding, fuzzing: Fuzzing) -> PromptSet | None:
    """Return the set of prompts that shows a finding, or None."""
    known = one.set is not None and 0 < one.set <= len(fuzzing.sets)
    return PromptSet.of(fuzzing.sets[(one.set or 0) - 1]) if known else None


def own_session(target: str) -> Path:
    """Return the file in the library that keeps the findings of a target, ``fuzz-TARGET``."""
    from planscope.session.locations import library_folder

    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", target).strip("-.")[:80] or "tools"
    return library_folder() / f"fuzz-{name}.planscope.json"


def keep(fuzzing: Fuzzing, path: Path, report: Report | None = None) -> None:
    """Write findings to a session file: to the session that is there, or to a new one. Raises SessionError.

    ``report``: where the findings come from; the runs of its agents are kept with them.
    """
    from planscope.session.locations import make_folder
    from planscope.session.store import load, save
    from planscope.session.writer import adding

    if not path.exists():
        if not path.parent.is_dir():
            make_folder(path.parent)
        session = Session(id=path.name.partition(".")[0], title=f"Findings in {fuzzing.target}"[:200])
        put(session, _with_runs(session, fuzzing, report))
        save(session, path)
        return
    session = load(path)
    with adding(session, path, path, [one.id for one in session.variants]) as now:
        put(now, _with_runs(now, fuzzing, report))


def _with_runs(session: Session, fuzzing: Fuzzing, report: Report | None) -> Fuzzing:
    """Add the runs of the report's agents to the session: those of findings, and those of faulty sets of prompts.

    Return the findings and the sets with the ids of their runs.
    """
    if report is None:
        return fuzzing
    prompts = {id(prompt): run for prompt, run in report.prompt_runs}
    kept = [
        (k, n, prompts[id(one)])
        for k, made in enumerate(report.sets)
        if made.faulty
        for n, one in enumerate(made.runs)
        if id(one) in prompts
    ]
    if not report.agent_runs and not kept:
        return fuzzing
    variant = _variant_of(session, report)
    places = {key: k for k, key in enumerate(report.order())}
    findings = list(fuzzing.findings)
    for key, done in report.agent_runs.items():
        run = done.model_copy(update={"id": next_run_id(session), "variant": variant.id})
        session.runs.append(run)
        one = findings[places[key]]
        led = (one.agent or FuzzLed()).model_copy(update={"run": run.id})
        findings[places[key]] = one.model_copy(update={"agent": led})
    sets = [one.model_copy(update={"runs": list(one.runs)}) for one in fuzzing.sets]
    for at, number, own in kept:
        run = own.model_copy(update={"id": next_run_id(session), "variant": variant.id})
        session.runs.append(run)
        sets[at].runs[number] = sets[at].runs[number].model_copy(update={"run": run.id})
    return fuzzing.model_copy(update={"findings": findings, "sets": sets})


def _variant_of(session: Session, report: Report) -> Variant:
    """Return the session's variant with these tools, or a new one."""
    from planscope.session.oracle_input import plain_name

    names = Counter(plain_name(one.name).casefold() for one in report.tools)
    actions = [
        ActionRecord(
            id=f"a{k}",
            name=one.name if names[plain_name(one.name).casefold()] > 1 else plain_name(one.name),
            tool=one.name,
            description=one.description,
            parameters=one.schema,
        )
        for k, one in enumerate(
            (one for one in report.tools if not one.skipped and is_tool_name(one.name)), 1
        )
    ]
    for one in session.variants:
        if one.own and one.origin.kind == "imported" and not one.query.text and one.actions == actions:
            return one
    made = variant_of_tools(next_variant_id(session), actions)
    session.variants.append(made)
    return made


# --- steps of runs ---


class Predicted(NamedTuple):
    """A step of a run that failed as a finding says. ``step``: the call's index from 1. ``exactly``: the agent sent
    the very arguments that the fuzzer did."""

    step: int
    fuzzing: Fuzzing
    finding: FuzzFinding
    exactly: bool


def predicted(session: Session, run: RunRecord) -> list[Predicted]:
    """Return the failed calls of a run that the findings of its session explain.

    A finding explains a call if it is about the same tool, whose schema the run recorded likewise or not at all, and if
    the call's error names the same exception or has the same message, without numbers, paths and what was sent.
    """
    if not session.fuzzings:
        return []
    schemas = {one.name: fingerprint(one.schema) for one in offered_to(run) if one.skipped is None}
    found = []
    for step, call in enumerate(run.calls, 1):
        said = _error_of(call)
        if said is None:
            continue
        fits = [
            Predicted(step, fuzzing, finding, call.arguments in (finding.input, finding.shrunk))
            for fuzzing in session.fuzzings
            for finding in _of_tool(fuzzing, call.tool, schemas.get(call.tool))
            if _same_error(finding, said, call.arguments)
        ]
        found += sorted(fits, key=lambda one: (one.finding.kind in LISTED_ONLY, not one.exactly))[:1]
    return found


def _of_tool(fuzzing: Fuzzing, tool: str, schema: str | None) -> Iterator[FuzzFinding]:
    prints = {one.tool: one.fingerprint for one in fuzzing.tools}
    if schema is None or prints.get(tool) in (None, schema):
        yield from (one for one in fuzzing.findings if one.tool == tool)


def _error_of(call: RecordedCall) -> str | None:
    """Return what a failed call said, or None if it did not fail. A call that was refused did not reach the tool."""
    if call.refused_by or call.error:
        return None
    if call.failed or call.troubles or returned_error(call.answer) is not None:
        return "\n".join((call.answer or "", *call.troubles))
    return None


_LEAST = 8
"""A message of fewer characters, once numbers and names are gone, is no sign of the same error."""


def _same_error(finding: FuzzFinding, said: str, given: Mapping[str, object] | None) -> bool:
    name = (finding.exception or "").rpartition(".")[2]
    if name and re.search(rf"\b{re.escape(name)}\b", said):
        return True
    message = normal(finding.message, finding.input)
    return len(message) >= _LEAST and message in normal(said, given)
