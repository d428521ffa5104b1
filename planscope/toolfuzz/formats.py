"""A finding in words, and findings as tests for pytest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from planscope.safe import visible
from planscope.session.model import FuzzFinding, FuzzSet
from planscope.toolfuzz.report import Report, is_sequence

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
    """Return a finding's kind, exception and message in one line. A letter that comes again and again comes thrice."""
    name = (finding.exception or "").rpartition(".")[2]
    if with_kind:
        name = f"{finding.kind} {name}".rstrip()
    said = re.sub(r"(.)\1\1\1{20,}", r"\1\1\1…", " ".join(finding.message.split()))
    return ": ".join(filter(None, (name, said)))


def smallest_lines(finding: FuzzFinding) -> list[str]:
    """Return the smallest arguments as one line of JSON, or the calls of a sequence with a line for each."""
    calls = _calls_of(finding)
    if not calls or not all(isinstance(one, dict) and "tool" in one for one in calls):
        return [json.dumps(smallest(finding))]
    return [f"{one['tool']} {json.dumps(one.get('arguments'))}" for one in calls]


def _calls_of(finding: FuzzFinding) -> list[dict[str, object]]:
    """Return the calls of a sequence; none of another finding."""
    given = smallest(finding)
    return given if isinstance(given, list) else []


def smallest(finding: FuzzFinding) -> object:
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


# --- pytest ---


def pytest_file(report: Report, reset: str | None = None) -> str:
    """Return a test for each finding that counts. It fails as long as the tool fails in this way."""
    return tests_of(report.target, report.seed, report.counted(), reset, report.settings)


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
    names = set[str]()
    for finding in findings:
        name = _test_name(finding, names)
        needs = f", needs=json.loads({json.dumps(finding.needs)!r})" if finding.needs else ""
        hook = f", reset={reset!r}" if reset else ""
        lines += ["", "", f"def {name}() -> None:", f"    # {visible(title(finding))[:100]}"]
        if is_sequence(finding):
            calls = [f"        json.loads({json.dumps(one)!r})," for one in _calls_of(finding)]
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
    names = settings.get("environment")
    limit = settings.get("limit")
    found = [f"environment={tuple(map(str, names))!r}"] if isinstance(names, list) and names else []
    found += ["network=True"] if settings.get("network") is True else []
    folder = settings.get("folder")
    found += [f"folder={folder!r}"] if isinstance(folder, str) else []
    number = float(limit) if isinstance(limit, int | float) and not isinstance(limit, bool) else 0.0
    found += [f"limit={number!r}"] if 0 < number < 1e6 else []
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
