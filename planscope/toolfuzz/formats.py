"""A report in other formats: a web page, a pytest file, JUnit and SARIF."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from planscope.ci import MOST_RESULTS, JUnitFile, sarif_log, sarif_result, write_sarif
from planscope.safe import visible
from planscope.safe.page_policy import policy_tag
from planscope.session.model import FuzzFinding, FuzzSet
from planscope.toolfuzz.correctness.page import STYLE, sections, tried_section
from planscope.toolfuzz.correctness.said import set_lines
from planscope.toolfuzz.markup import safe_html as _safe
from planscope.toolfuzz.outcome import KINDS
from planscope.toolfuzz.report import Report, interval_words, is_counted, is_sequence, rate_sentence

MEANINGS = {
    "raised": "The tool raised an exception on arguments that its schema accepts.",
    "returned": "The tool gave an error back as its answer. Listed only.",
    "hung": "The call did not end within its time limit.",
    "killed": "The call ended the process, or used up memory or disk.",
    "outside": "The tool tried to write outside its folder. The sandbox refused it.",
    "sequence": "The answers to several calls contradict each other.",
    "lying": "The answer says success, and a read shows otherwise.",
    "protocol": "The server broke the protocol.",
    "inconsistent": "Prompts of the same meaning led to different calls, different outputs, and wrong answers.",
    "infrastructure": "Network or permissions failed, not the tool. Listed only.",
}


def title(finding: FuzzFinding, *, with_kind: bool = True) -> str:
    """Return a finding's kind, exception and message in one line."""
    message = " ".join(finding.message.split())
    name = (finding.exception or "").rpartition(".")[2]
    said = f"{name}: {message}" if name and message else name or message
    return f"{finding.kind} {said}".strip() if with_kind else said


def smallest_lines(finding: FuzzFinding) -> list[str]:
    """Return the smallest arguments as one line of JSON, or the calls of a sequence with a line for each."""
    given = smallest(finding)
    if not isinstance(given, list) or not all(isinstance(one, dict) and "tool" in one for one in given):
        return [json.dumps(given)]
    return [f"{one['tool']} {json.dumps(one.get('arguments'))}" for one in given]


def smallest(finding: FuzzFinding) -> Any:
    """Return the shrunk arguments of a finding, or those that were sent."""
    return finding.input if finding.shrunk is None else finding.shrunk


def label_text(one: FuzzFinding | FuzzSet) -> str:
    """Return what the user says of a finding: ``true, under-specified``; "" if nothing."""
    return ", ".join(filter(None, (one.label, f"{one.specified}-specified" if one.specified else "")))


def agent_lines(finding: FuzzFinding) -> list[str]:
    """Return what model and agent said of a finding, a line each; none without a model."""
    lines = []
    if finding.sane is not None:
        would = "would make this call" if finding.sane else "would not make this call"
        reason = " ".join(finding.reason.split())
        lines.append(f"the model {would}" + (f": {reason}" if reason else ""))
    agent = finding.agent
    if agent is not None:
        request = " ".join((agent.request or "").split())
        asked = f', asked "{request[:300]}"' if request else ""
        if agent.hit:
            lines.append(f"failed in the agent's hands, in its call {agent.step}{asked}")
        else:
            lines.append(f"did not fail in the agent's hands, because {agent.why}{asked}")
    return lines


def cost_line(model: Mapping[str, object]) -> str:
    """Return what the models have cost, in a line."""
    tokens = f"{model['tokens_in']:,} tokens in, {model['tokens_out']:,} out"
    told = f"{model['model']}: {model['model_calls']:,} calls, {tokens}"
    guessed = f", {model['tokens_estimated']:,} of them estimated" if model["tokens_estimated"] else ""
    return told + guessed + ("" if model["money"] is None else f", cost {model['money']:.4f}")


# --- JUnit and SARIF ---


def write_junit(report: Report, path: Path) -> None:
    """Write a test for each tool without errors and for each finding."""
    file = JUnitFile("fuzz")
    try:
        for tool in report.tools:
            if tool.skipped:
                file.add(report.target, tool.name, "skipped", tool.skipped)
            elif not report.counted(tool.name):
                file.add(report.target, tool.name)
        for k, finding in enumerate(report.sorted(), 1):
            tag = "failure" if is_counted(finding) else None
            body = "\n".join(_body(finding, report))
            name = f"{finding.tool} {k}: {title(finding)[:120]}"
            file.add(report.target, name, tag, title(finding), body)
        file.write(path)
    finally:
        file.close()


def _body(finding: FuzzFinding, report: Report) -> Iterator[str]:
    if finding.set:
        yield from set_lines(report.sets[finding.set - 1], finding.set, 100)
        return
    yield from ("arguments:", *smallest_lines(finding), "", finding.traceback)


def write_fuzz_sarif(report: Report, path: Path) -> None:
    """Write a result for each finding, at its line."""
    rules = [(kind, kind, MEANINGS[kind]) for kind in KINDS]
    results = []
    for finding in report.sorted()[:MOST_RESULTS]:
        file, _, line = str(finding.location or "").rpartition(":")
        results.append(
            sarif_result(
                (finding.kind, KINDS.index(finding.kind)),
                f"{finding.tool}: {title(finding)}. Arguments: {'; '.join(smallest_lines(finding))[:500]}",
                (file or report.target, int(line) if line.isdigit() else 1),
                (finding.tool, f"{report.target}, {finding.tool}"),
                f"{finding.tool}/{finding.kind}/{finding.exception}/{finding.location}",
                "error" if is_counted(finding) else "note",
            )
        )
    write_sarif(path, sarif_log(rules, results, max(0, len(report.findings) - MOST_RESULTS)))


# --- pytest ---


def pytest_file(report: Report, reset: str | None = None) -> str:
    """Return a test for each finding. It fails as long as the tool fails in this way."""
    return tests_of(report.target, report.seed, report.sorted(), reset, report.settings)


def tests_of(
    target: str,
    seed: int,
    findings: Sequence[FuzzFinding],
    reset: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> str:
    """Return a test for each of these findings in one target that a call has shown. ``settings``: of the report."""
    more = _settings(settings or {})
    findings = [one for one in findings if one.at_call]
    left = sum(finding.kind == "inconsistent" for finding in findings)
    findings = [finding for finding in findings if finding.kind != "inconsistent"]
    sequences = [is_sequence(finding) for finding in findings]
    used = ["check"] * (not all(sequences)) + ["check_sequence"] * any(sequences) or ["check"]
    lines = [
        f'"""What planscope fuzz found in {_in_docstring(target)} (seed {seed}).',
        "",
        "Each test fails as long as its call fails. Calls are made in planscope's sandbox.",
        *([f"What {left} of the findings show needs a model; there is no test of it here."] if left else []),
        '"""',
        "",
        "import json",
        "",
        f"from planscope.toolfuzz.reproduce import {', '.join(used)}",
        "",
        f"TARGET = {target!r}",
    ]
    names: set[str] = set()
    for finding in findings:
        name = _test_name(finding, names)
        needs = f", needs=json.loads({json.dumps(finding.needs)!r})" if finding.needs else ""
        hook = f", reset={reset!r}" if reset else ""
        lines += ["", "", f"def {name}() -> None:", f"    # {visible(title(finding))[:100]}"]
        if is_sequence(finding):
            calls = [f"        json.loads({json.dumps(one)!r})," for one in smallest(finding)]
            lines += ["    calls = [", *calls, "    ]"]
            knows = f", knows=json.loads({json.dumps(finding.knows)!r})" if finding.knows else ""
            what = f"{finding.kind!r}, {finding.exception!r}"
            lines.append(f"    check_sequence(TARGET, calls, {what}{knows}{hook}{more})")
            continue
        lines += [
            f"    given = json.loads({json.dumps(smallest(finding))!r})",
            f"    check(TARGET, {finding.tool!r}, given{needs}{hook}{more})",
        ]
    return "\n".join(lines) + "\n"


def _settings(settings: Mapping[str, object]) -> str:
    """Return settings as further arguments. They may come from a session, so only values of the right types are."""
    names: Any = settings.get("environment")
    limit: Any = settings.get("limit")
    found = [f"environment={tuple(map(str, names))!r}"] if isinstance(names, list) and names else []
    found += ["network=True"] if settings.get("network") is True else []
    found += [f"limit={float(limit)!r}"] if type(limit) in (int, float) and 0 < limit < 1e6 else []
    return "".join(f", {one}" for one in found)


def _in_docstring(text: str) -> str:
    return visible(text).replace("\\", "/").replace('"', "'")


def _test_name(finding: FuzzFinding, used: set[str]) -> str:
    what = str(finding.exception or finding.kind).rpartition(".")[2]
    name = re.sub(r"\W+", "_", f"test_{finding.tool}_{finding.kind}_{what}", flags=re.ASCII).lower()
    found, k = name, 2
    while found in used:
        found, k = f"{name}_{k}", k + 1
    used.add(found)
    return found


# --- web page ---

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
body { color: #222; background: #fff }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2.2rem } table { border-collapse: collapse }
td, th { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top }
pre { background: #f4f4f4; padding: .6rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
.kind { font-weight: 600 } .listed { color: #666 } svg { max-width: 100% }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #1b1b1b } pre { background: #282828 } .listed { color: #999 }
}
"""


def page(report: Report) -> str:
    """Return one self-contained page. It loads nothing."""
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8">{policy_tag(_STYLE + STYLE)}',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{_safe(report.target)}: fuzzing</title><style>{_STYLE}{STYLE}</style></head><body>",
            f"<h1>Fuzzing {_safe(report.target)}</h1>",
            *_summary(report),
            *_curve(report),
            *(line for finding in report.sorted() for line in _finding(finding)),
            *sections(report.sets, report.matrix),
            *tried_section(report.tried, report.method),
            *_fixes(report),
            *_sandbox(report),
            "</body></html>\n",
        ]
    )


def _summary(report: Report) -> Iterator[str]:
    agent = report.agent_calls()
    figures = report.figures()
    estimate = ""
    if figures.upper is not None:
        bounds = interval_words(figures).replace(" %", "&nbsp;%")
        estimate = f" An estimate under guidance: {figures.chao1:g} errors in all, {bounds} (Chao1)."
    yield (
        f"<p>{report.calls:,} calls{f', {agent:,} of the agent' if agent else ''}, seed {report.seed}.{estimate}</p>"
    )
    if told := figures.false_discovery:
        yield f"<p>{_safe(rate_sentence(told).capitalize())}.</p>"
    head = "<th>the agent's calls</th>" if agent else ""
    yield f"<table><tr><th>tool</th><th>calls</th>{head}<th>refused by the schema</th><th>errors</th></tr>"
    for tool in report.tools:
        errors = len(report.counted(tool.name))
        said = f"skipped: {_safe(tool.skipped)}" if tool.skipped else f"{errors}"
        yield (
            f"<tr><td>{_safe(tool.name)}</td><td>{tool.calls:,}</td>"
            + (f"<td>{report.agent_calls(tool.name):,}</td>" if agent else "")
            + f"<td>{tool.refused:,}</td><td>{said}</td></tr>"
        )
    yield "</table>"


def _curve(report: Report) -> Iterator[str]:
    """Draw unique errors over calls, for each tool that has some."""
    for tool in report.tools:
        if not tool.curve:
            continue
        most = max(point[1] for point in tool.curve)
        wide, high = 600, 120
        calls = max(tool.calls, 1)
        points, last = ["0," + str(high)], 0
        for at, unique in tool.curve:
            x = wide * at / calls
            points += [
                f"{x:.1f},{high - high * last / most:.1f}",
                f"{x:.1f},{high - high * unique / most:.1f}",
            ]
            last = unique
        points.append(f"{wide},{high - high * last / most:.1f}")
        yield f"<h2>{_safe(tool.name)}: errors over calls</h2>"
        yield (
            f'<svg viewBox="-5 -5 {wide + 60} {high + 30}" width="{wide + 60}" role="img" aria-label="discovery curve">'
            f'<polyline fill="none" stroke="#888" points="0,0 0,{high} {wide},{high}"/>'
            f'<polyline fill="none" stroke="#c33" stroke-width="2" points="{" ".join(points)}"/>'
            f'<text x="{wide + 6}" y="{high - high * last / most + 5:.1f}" fill="currentColor">{last}</text>'
            f'<text x="{wide - 60}" y="{high + 18}" fill="currentColor">{tool.calls:,} calls</text></svg>'
        )


def _finding(finding: FuzzFinding) -> Iterator[str]:
    listed = "" if is_counted(finding) else ' class="listed"'
    yield f'<h2{listed}><span class="kind">{_safe(finding.tool)}</span>: {_safe(title(finding)[:300])}</h2>'
    yield f"<p>{MEANINGS[finding.kind]}{' The documentation states the limit.' if finding.documented else ''}</p>"
    if told := label_text(finding):
        yield f"<p>Labelled {_safe(told)}.</p>"
    if finding.set:
        yield f'<p>See <a href="#set{finding.set}">set {finding.set}</a>.</p>'
        return
    if not finding.at_call:
        return
    yield "<table>"
    where = finding.location or "not known"
    yield f"<tr><td>where</td><td>{_safe(where)}</td></tr>"
    if finding.source:
        yield f"<tr><td>line</td><td><code>{_safe(finding.source)}</code></td></tr>"
    times = f"call {finding.at_call:,}, {finding.occurrences:,} in all"
    yield f"<tr><td>found</td><td>{times}</td></tr>"
    yield from (f"<tr><td>with a model</td><td>{_safe(text)}</td></tr>" for text in agent_lines(finding))
    yield "</table>"
    label = "sent, as small as it fails" if finding.shrunk is not None else "sent"
    if is_sequence(finding):
        calls = "\n".join(smallest_lines(finding))
        yield f"<p>Calls {label}:</p><pre>{_safe(calls)}</pre>"
    else:
        yield f"<p>Arguments {label}:</p><pre>{_safe(json.dumps(smallest(finding), indent=1))}</pre>"
    if finding.needs:
        yield f"<p>It fails only after these calls:</p><pre>{_safe(json.dumps(finding.needs, indent=1))}</pre>"
    if finding.traceback:
        yield f"<pre>{_safe(finding.traceback)}</pre>"
    if finding.printed:
        yield f"<p>The tool printed:</p><pre>{_safe(finding.printed)}</pre>"


def _fixes(report: Report) -> Iterator[str]:
    """Show new documentation that is proposed, as a diff."""
    for one in report.mended:
        yield f"<h2>New documentation of {_safe(one.tool)}</h2>"
        if one.after is None:
            yield f"<p>Nothing is proposed: {_safe(one.why)}.</p>"
            continue
        if one.reported is not None:
            before, after, of = one.reported
            yield (
                f"<p>The agent does {after} of {of} prompts of the same kind right, {before} with the documentation as "
                "it is. They had no part in the choice.</p>"
            )
        yield f"<pre>{_safe(chr(10).join(one.diff))}</pre>"


def _sandbox(report: Report) -> Iterator[str]:
    yield "<h2>Sandbox</h2><table>"
    for what, how in report.sandbox.items():
        yield f"<tr><td>{_safe(what)}</td><td>{_safe(how)}</td></tr>"
    yield "</table>"
    for remark in [*report.missing(), *report.remarks]:
        yield f"<p>{_safe(remark)}</p>"
