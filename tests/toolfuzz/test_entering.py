"""Getting in: what exists in a tool's data is learned; and every report says how far it got."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.toolfuzz.engine import Fuzz, Options
from planscope.toolfuzz.report import Report
from tests.toolfuzz.printed import data_of, text_of
from tests.toolfuzz.test_fuzz import without_time

HERE = "tests.toolfuzz.data_stores:"


def fuzz(name: str, **more: Any) -> Report:
    return Fuzz(Options(HERE + name, calls=200, sequences=0, **more)).run()


def test_keys_columns_and_formats_are_learned_where_they_are_looked_up() -> None:
    report = fuzz("DATA")
    assert {one.name: one.succeeded > 0 for one in report.tools} == {one.name: True for one in report.tools}
    assert len(report.tools) == 5 and without_time(report) == without_time(fuzz("DATA"))


def test_a_report_says_that_a_tool_was_never_entered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data,) = data_of(fuzz("never"))["tools"]
    assert (data["succeeded"], data["entered"], data["refusal"]) == (0, False, "Error: the shop is closed")
    assert data["branches"] and "never entered: never; 0 errors in 200 calls" in text_of(fuzz("never"))
    junit, command = (
        tmp_path / "a.xml",
        ["fuzz", HERE + "never", "--calls", "20", "-o", str(tmp_path / "a.planscope.json")],
    )
    assert main([*command, "--junit", str(junit)]) == 0
    assert '<skipped message="never entered: Error: the shop is closed"' in junit.read_text()
    capsys.readouterr()
    assert main([*command, "--fail-never-entered", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["tools"][0]["entered"] is False
    kept = json.loads((tmp_path / "a.planscope.json").read_text())["fuzzings"][0]["tools"][0]
    assert (kept["succeeded"], kept["refusal"]) == (0, "Error: the shop is closed")
