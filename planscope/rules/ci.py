"""Writes judged traces for continuous integration: JUnit XML with a test for each trace, SARIF with a result for each
broken rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planscope.ci import MOST_RESULTS, JUnitFile, sarif_log, sarif_note, sarif_result, write_sarif
from planscope.rules.report import Checked, step_text
from planscope.rules.rule import Rule
from planscope.rules.words import meaning


class JUnit:
    """A JUnit report: a wrong trace is a failure, an aborted one an error, an undecided one is skipped."""

    def __init__(self) -> None:
        self._file = JUnitFile("rules")

    def add(self, checked: Checked, source: str) -> None:
        """Add one trace."""
        tag = _tag(checked)
        lines = [
            f"{r.rule.name or r.rule.id}: {r.rule.text} ({', '.join(map(step_text, r.broken_at))})"
            for r in checked.broken
        ]
        body = "" if tag == "skipped" else "\n".join(lines)
        said = "\n".join(one.text for one in checked.left_out)
        self._file.add(source or "traces", checked.id, tag, checked.explanation, body, said)

    def write(self, path: Path) -> None:
        """Write the file."""
        self._file.write(path)

    def close(self) -> None:
        """Delete the temporary data."""
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

    def add(self, checked: Checked, source: str) -> None:
        """Add one trace."""
        for one in checked.left_out:
            if len(self._notes) < MOST_RESULTS:
                level = "warning" if one.kind == "not understood" else "note"
                self._notes.append(sarif_note(f"Trace {checked.id}: {one.text}", source or self._file, level))
        for result in checked.broken:
            if len(self._results) >= MOST_RESULTS:
                self._left_out += 1
                continue
            k = self._index[result.rule.id]
            at = step_text(result.broken_at[0])
            value = f" (for {result.value})" if result.value is not None else ""
            text = f"Trace {checked.id} violates “{result.rule.text}”{value} at {at}."
            if checked.why is not None and result.rule.id in checked.why.rules:
                text += f" {checked.explanation}"
            self._results.append(
                sarif_result(
                    (self._ids[k], k),
                    text,
                    (source or self._file, 1),
                    (checked.id, f"{checked.id}, {at}"),
                    f"{checked.id}/{self._ids[k]}",
                )
            )

    def log(self) -> dict[str, Any]:
        """Return the whole log."""
        described = (
            (id, rule.text or id, meaning(rule)) for id, rule in zip(self._ids, self._rules, strict=True)
        )
        return sarif_log(described, self._results, self._left_out, self._notes)

    def write(self, path: Path) -> None:
        """Write the file."""
        write_sarif(path, self.log())
