"""Writes results for continuous integration: JUnit XML with a test for each trace, SARIF with a result for each
broken rule.

Both are written trace by trace. Texts of traces are hostile: what XML does not allow is replaced.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

from planscope import __version__
from planscope.rules.report import Checked, step_text
from planscope.rules.rule import Rule
from planscope.rules.words import meaning

MOST_RESULTS = 5_000
"""Limit of results in one SARIF file. GitHub reads no more of a run."""
_TAGS = (("wrong", "failure"), ("aborted", "error"), ("unknown", "skipped"))
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Return text that XML allows, with U+FFFD for other characters."""
    return escape(_NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


class JUnit:
    """A JUnit report: a wrong trace is a failure, an aborted one an error, an undecided one is skipped."""

    def __init__(self) -> None:
        self._cases: IO[str] = tempfile.SpooledTemporaryFile(8 * 2**20, "w+", encoding="utf-8")  # noqa: SIM115
        self._counts = {"wrong": 0, "aborted": 0, "unknown": 0, "right": 0}

    def add(self, checked: Checked, source: str) -> None:
        """Add one trace."""
        self._counts[checked.verdict] += 1
        tag = next((tag for verdict, tag in _TAGS if verdict == checked.verdict), None)
        inner = ""
        if tag:
            lines = [
                f"{r.rule.name or r.rule.id}: {r.rule.text} ({', '.join(map(step_text, r.broken_at))})"
                for r in checked.broken
            ]
            body = "" if tag == "skipped" else xml_text("\n".join(lines))
            inner = f"<{tag} message={_attribute(checked.explanation)}>{body}</{tag}>"
        names = f"classname={_attribute(source or 'traces')} name={_attribute(checked.id)}"
        self._cases.write(f"    <testcase {names}>{inner}</testcase>\n")

    def write(self, path: Path) -> None:
        """Write the file."""
        counts = self._counts
        numbers = (
            f'tests="{sum(counts.values())}" failures="{counts["wrong"]}" errors="{counts["aborted"]}" '
            f'skipped="{counts["unknown"]}"'
        )
        self._cases.seek(0)
        with path.open("w", encoding="utf-8") as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
            file.write(f'<testsuites name="planscope" {numbers}>\n  <testsuite name="rules" {numbers}>\n')
            while piece := self._cases.read(2**20):
                file.write(piece)
            file.write("  </testsuite>\n</testsuites>\n")

    def close(self) -> None:
        """Delete the temporary data."""
        self._cases.close()


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

    def add(self, checked: Checked, source: str) -> None:
        """Add one trace."""
        for result in checked.broken:
            if len(self._results) >= MOST_RESULTS:
                self._left_out += 1
                continue
            k = self._index[result.rule.id]
            at = step_text(result.broken_at[0])
            value = f" (for {result.value})" if result.value is not None else ""
            text = f"Trace {checked.id} breaks “{result.rule.text}”{value} at {at}."
            if result.rule.id in checked.more.get("first_violation", {}).get("rules", ()):
                text += f" {checked.explanation}"
            self._results.append(
                {
                    "ruleId": self._ids[k],
                    "ruleIndex": k,
                    "level": "error",
                    "message": {"text": text},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": _uri(source or self._file)},
                                "region": {"startLine": 1},
                            },
                            "logicalLocations": [
                                {"name": checked.id, "fullyQualifiedName": f"{checked.id}, {at}"}
                            ],
                        }
                    ],
                    "partialFingerprints": {"planscope/v1": f"{checked.id}/{self._ids[k]}"},
                }
            )

    def log(self) -> dict[str, Any]:
        """Return the whole log."""
        run: dict[str, Any] = {
            "tool": {
                "driver": {
                    "name": "planscope",
                    "version": __version__,
                    "rules": [
                        {
                            "id": id,
                            "shortDescription": {"text": rule.text or id},
                            "fullDescription": {"text": meaning(rule)},
                            "defaultConfiguration": {"level": "error"},
                        }
                        for id, rule in zip(self._ids, self._rules, strict=True)
                    ],
                }
            },
            "columnKind": "unicodeCodePoints",
            "results": self._results,
        }
        if self._left_out:
            run["properties"] = {"resultsLeftOut": self._left_out}
        return {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        }

    def write(self, path: Path) -> None:
        """Write the file."""
        path.write_text(json.dumps(self.log(), indent=1) + "\n", encoding="utf-8")


def _uri(name: str) -> str:
    from urllib.parse import quote

    return quote(name.replace("\\", "/"), safe="/:~.-_")
