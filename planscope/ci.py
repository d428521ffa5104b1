"""Writes results for continuous integration: JUnit XML and SARIF.

Texts of traces and tools are hostile: what XML does not allow is replaced.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from planscope import __version__

MOST_RESULTS = 5_000
"""Limit of results in one SARIF file. GitHub reads no more of a run."""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TAGS = ("failure", "error", "skipped")


def xml_text(text: str) -> str:
    """Return text that XML allows, with U+FFFD for other characters."""
    return escape(_NOT_XML.sub("\ufffd", text))


def xml_attribute(text: str) -> str:
    """Return text in quotes as an attribute's value."""
    return quoteattr(_NOT_XML.sub("\ufffd", text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


class JUnitFile:
    """A JUnit report, written case by case."""

    def __init__(self, suite: str) -> None:
        self._suite = suite
        self._cases: IO[str] = tempfile.SpooledTemporaryFile(8 * 2**20, "w+", encoding="utf-8")  # noqa: SIM115
        self._counts = dict.fromkeys(("all", *TAGS), 0)

    def add(
        self, group: str, name: str, tag: str | None = None, message: str = "", body: str = "", said: str = ""
    ) -> None:
        """Add a case. ``tag``: ``failure``, ``error`` or ``skipped``, or None if it passed. ``said``: its output."""
        self._counts["all"] += 1
        inner = ""
        if tag is not None:
            self._counts[tag] += 1
            inner = f"<{tag} message={xml_attribute(message)}>{xml_text(body)}</{tag}>"
        inner += f"<system-out>{xml_text(said)}</system-out>" if said else ""
        names = f"classname={xml_attribute(group)} name={xml_attribute(name)}"
        self._cases.write(f"    <testcase {names}>{inner}</testcase>\n")

    def write(self, path: Path) -> None:
        """Write the file."""
        counts = self._counts
        numbers = (
            f'tests="{counts["all"]}" failures="{counts["failure"]}" errors="{counts["error"]}" '
            f'skipped="{counts["skipped"]}"'
        )
        self._cases.seek(0)
        with path.open("w", encoding="utf-8") as file:
            file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
            file.write(
                f'<testsuites name="planscope" {numbers}>\n  <testsuite name="{self._suite}" {numbers}>\n'
            )
            while piece := self._cases.read(2**20):
                file.write(piece)
            file.write("  </testsuite>\n</testsuites>\n")

    def close(self) -> None:
        """Delete the temporary data."""
        self._cases.close()


def sarif_result(
    rule: tuple[str, int],
    text: str,
    place: tuple[str, int],
    logical: tuple[str, str],
    fingerprint: str,
    level: str = "error",
    column: int | None = None,
) -> dict[str, Any]:
    """Return a SARIF result. ``rule``: id and index; ``place``: file and line; ``column``: in characters from 1, None
    if it is not known; ``logical``: name and full name."""
    region = {"startLine": place[1]} | ({"startColumn": column} if column is not None else {})
    return {
        "ruleId": rule[0],
        "ruleIndex": rule[1],
        "level": level,
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(place[0])},
                    "region": region,
                },
                "logicalLocations": [{"name": logical[0], "fullyQualifiedName": logical[1]}],
            }
        ],
        "partialFingerprints": {"planscope/v1": fingerprint},
    }


def sarif_note(text: str, file: str, level: str) -> dict[str, Any]:
    """Return a SARIF notification about what was read of a file. ``level``: ``note`` or ``warning``."""
    place = {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}}}
    return {"level": level, "message": {"text": text}, "locations": [place]}


def sarif_log(
    rules: Iterable[tuple[str, str, str, str]],
    results: Sequence[Mapping[str, Any]],
    left_out: int = 0,
    notes: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return a SARIF 2.1.0 log. ``rules``: id, short and full description, level. ``notes``: about the reading."""
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "planscope",
                "version": __version__,
                "rules": [
                    {
                        "id": id,
                        "shortDescription": {"text": short},
                        "fullDescription": {"text": full},
                        "defaultConfiguration": {"level": level},
                    }
                    for id, short, full, level in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": list(results),
    }
    if notes:
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": list(notes)}]
    if left_out:
        run["properties"] = {"resultsLeftOut": left_out}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


def write_sarif(path: Path, log: Mapping[str, Any]) -> None:
    """Write a log to a file."""
    path.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")


def _uri(name: str) -> str:
    return quote(name.replace("\\", "/"), safe="/:~.-_")
