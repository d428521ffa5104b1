"""Writes judged traces for continuous integration: JUnit XML with a test for each trace, SARIF with a result for each
broken rule."""

from __future__ import annotations

import json
import mmap
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.ci import MOST_RESULTS, JUnitFile, sarif_log, sarif_note, sarif_result, write_sarif
from planscope.rules.report import Checked
from planscope.rules.rule import Rule
from planscope.rules.words import meaning
from planscope.wording.phrases import step_name

if TYPE_CHECKING:
    from planscope.rules.judge import StepNo
    from planscope.rules.many import Judged


OWN = 16
"""An id of so many characters is no other call's. A shorter one, such as ``call_1``, may be."""


class Places:
    """Finds calls in the files that they were read from, by their ids."""

    def __init__(self) -> None:
        self._at = ("", 1, 0)
        """A file, the number of a line in it, and where that line begins."""

    def of(self, judged: Judged, step: StepNo) -> tuple[int, int | None] | None:
        """Return line and column of a call, in characters from 1. The column is None if only the trace's line is known;
        None if nothing is: in packed files, and if the call has no id or shares it with others."""
        id = judged.ids.get(step)
        known = None if judged.line is None else (judged.line, None)
        if id is None or not judged.source:
            return known
        try:
            with (
                Path(judged.source).open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
            ):
                return self._found(data, judged, id) or known
        except (OSError, ValueError):
            return known

    def _found(self, data: mmap.mmap, judged: Judged, id: str) -> tuple[int, int | None] | None:
        start, end = 0, len(data)
        if judged.line is not None:
            _, start = self._walked(data, judged.source, line=judged.line)
            end = data.find(b"\n", start) + 1 or end
        for wanted in (json.dumps(id), json.dumps(id, ensure_ascii=False)):
            needle = wanted.encode("utf-8", "replace")
            at = data.find(needle, start, end)
            if at < 0:
                continue
            answer = data.find(needle, at + 1, end)
            if len(id) < OWN and answer >= 0 and data.find(needle, answer + 1, end) >= 0:
                return None
            line = judged.line or self._walked(data, judged.source, place=at)[0]
            begin = data.rfind(b"\n", 0, at) + 1
            return line, len(data[begin:at].decode("utf-8", "replace")) + 1
        return None

    def _walked(self, data: mmap.mmap, source: str, line: float = inf, place: float = inf) -> tuple[int, int]:
        """Return the number of the line that is wanted, or that a place is in, and where it begins. Traces come in the
        order of their lines."""
        file, number, at = self._at
        if file != source or number > line or at > place:
            number, at = 1, 0
        while number < line and 0 < (after := data.find(b"\n", at) + 1) <= place:
            number, at = number + 1, after
        self._at = source, number, at
        return number, at


class JUnit:
    """A JUnit report: a wrong trace is a failure, an aborted one an error, an undecided one is skipped."""

    def __init__(self) -> None:
        self._file, self._places = JUnitFile("rules"), Places()

    def add(self, judged: Judged) -> None:
        """Add one trace."""
        checked = judged.checked
        tag = _tag(checked)
        lines = []
        for r in checked.broken:
            place = self._places.of(judged, r.broken_at[0])
            steps = ", ".join(map(step_name, r.broken_at)) + (f"; line {place[0]}" if place else "")
            lines.append(f"{r.rule.title}: {r.rule.text} ({steps})")
        body = "" if tag == "skipped" else "\n".join(lines)
        said = "\n".join(one.text for one in checked.left_out)
        self._file.add(judged.source or "traces", checked.id, tag, checked.explanation, body, said)

    def write(self, path: Path) -> None:
        """Write the file, and delete the temporary data."""
        self._file.write(path)
        self._file.close()


def _tag(checked: Checked) -> str | None:
    if checked.verdict == "wrong":
        return "failure"
    if checked.verdict == "aborted":
        return "error"
    return "skipped" if checked.verdict == "unknown" else None


def rule_ids(rules: Sequence[Rule]) -> list[str]:
    """Return a SARIF id for each rule: its name (with its id if others have the same name), or else its id."""
    names = [rule.name for rule in rules]
    return [
        rule.id
        if rule.name is None
        else rule.name
        if names.count(rule.name) == 1
        else f"{rule.name}/{rule.id}"
        for rule in rules
    ]


class Sarif:
    """A SARIF 2.1.0 log: a result for each rule that a trace breaks, at its first place."""

    def __init__(self, rules: Sequence[Rule], rules_file: str) -> None:
        self._rules, self._file = rules, rules_file
        self._ids = rule_ids(rules)
        self._index = {rule.id: k for k, rule in enumerate(rules)}
        self._results: list[dict[str, Any]] = []
        self._left_out = 0
        self._notes: list[dict[str, Any]] = []
        self._places = Places()

    def add(self, judged: Judged) -> None:
        """Add one trace. A run of a session has no place in a file: there the result is at the rule."""
        checked, source = judged.checked, judged.source
        for one in checked.left_out:
            if len(self._notes) < MOST_RESULTS:
                level = "warning" if one.kind == "not understood" else "note"
                self._notes.append(sarif_note(f"Trace {checked.id}: {one.text}", source or self._file, level))
        for result in checked.broken:
            if len(self._results) >= MOST_RESULTS:
                self._left_out += 1
                continue
            k = self._index[result.rule.id]
            at = step_name(result.broken_at[0])
            value = f" (for {result.value})" if result.value is not None else ""
            text = f"Trace {checked.id} violates “{result.rule.text}”{value} at {at}."
            if checked.why is not None and result.rule.id in checked.why.rules:
                text += f" {checked.explanation}"
            place = self._places.of(judged, result.broken_at[0])
            if source and place is None:
                text += " Where the call is in the file is not known."
            line, column = place or (1 if source else result.rule.line, None)
            self._results.append(
                sarif_result(
                    (self._ids[k], k),
                    text,
                    (source or self._file, line),
                    (checked.id, f"{checked.id}, {at}"),
                    f"{checked.id}/{self._ids[k]}",
                    column=column,
                )
            )

    def log(self) -> dict[str, Any]:
        """Return the whole log."""
        described = (
            (id, rule.text or id, meaning(rule), "error")
            for id, rule in zip(self._ids, self._rules, strict=True)
        )
        return sarif_log(described, self._results, self._left_out, self._notes)

    def write(self, path: Path) -> None:
        """Write the file."""
        write_sarif(path, self.log())
