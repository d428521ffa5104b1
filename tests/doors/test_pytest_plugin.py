"""The pytest plugin in pytest: what a failing test says, the marker, where rules are looked for, what it costs."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from pathlib import Path

import pytest

from planscope.session.locations import bundled

pytest_plugins = ["pytester"]

RUN = """
import sys, pytest
LOADED = [m for m in sys.modules if m.startswith("planscope.")]
import planscope
RUN = [
    {"role": "user", "content": "Cancel order 7"},
    {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "cancel",
        "arguments": '{"id": 7}'}}]},
    {"role": "tool", "tool_call_id": "1", "content": "cancelled"},
]
"""
TESTS = """
def test_pytest_starts_without_the_engine():
    assert LOADED == ["planscope.doors", "planscope.doors.pytest_plugin"]

def test_broken(plan_rules):
    plan_rules("look first: look comes before cancel for the same id.").check(RUN)

@pytest.mark.plan_rules("rules.txt")
def test_marked(plan_rules):
    plan_rules.check(RUN)

def test_right(plan_rules):
    plan_rules("cancel happens.").check(RUN)
    planscope.plan_rules("cancel happens.").check({"messages": RUN})

def test_undecided_is_not_right(plan_rules):
    plan_rules("cancel happens. lock comes before cancel for the same cid.").check(RUN)

def test_strict(plan_rules):
    plan_rules("lock comes before unlock.", allow_unknown=True).check(RUN)
    plan_rules("lock comes before unlock.", allow_unknown=True, strict=True).check(RUN)

def test_without_rules(plan_rules):
    plan_rules.check(RUN)

def test_wrong_rules(plan_rules):
    plan_rules("cancel is followed by mail.").check(RUN)

@pytest.mark.plan_rules("docent_training happens.")
def test_session(plan_rules):
    plan_rules.check("first-look", run="r2")
"""


@pytest.fixture
def installed(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """planscope with the entry point that pyproject.toml names, as if it were just installed."""
    root = Path(__file__).parents[2]
    entry = tomllib.loads((root / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    folder = pytester.mkdir("installed")
    distribution = folder / "some-1.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text("Name: some\nVersion: 1\n")
    (distribution / "entry_points.txt").write_text(f"[pytest11]\nplanscope = {entry['planscope']}\n")
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{root}")


def test_failures_say_what_is_wrong_and_what_would_be_right(
    pytester: pytest.Pytester, installed: None
) -> None:
    folder = pytester.mkdir("checks")
    (folder / "test_agent.py").write_text(RUN + TESTS)
    (folder / "rules.txt").write_text("Every cancel is followed by mail.\n")
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    (example,) = re.findall(r"<!-- a file of tests -->\n```python\n(.*?)```", page, re.DOTALL)
    (folder / "test_example.py").write_text(f"from test_agent import RUN as messages\n{example}")
    shutil.copy(bundled()["first-look"], pytester.path / "my_agent.planscope.json")
    others = [part for name in ("cacheprovider", "xdist", "asyncio") for part in ("-p", f"no:{name}")]
    done = pytester.runpytest_subprocess("--strict-markers", *others)
    done.assert_outcomes(passed=2, failed=9)  # the example's tools are not those of this run
    done.stdout.fnmatch_lines(
        [
            '>       plan_rules("look first: look comes before cancel for the same id.").check(RUN)',
            "E       AssertionError: messages: WRONG. Step 1 (cancel) violates the rule “look first”*",
            "E       *Nearest repair: insert look with id = 7 before step 1.",
            "E       core:",
            "E         look first: look comes before cancel for the same id",
            "E         step 1",
        ]
    )
    said = " ".join(done.stdout.str().replace("\nE ", " ").split())
    for words in (
        "messages: WRONG. The run ends, after step 1 (cancel) and does not keep the rule",
        "insert mail before the end",
        "messages: NOT DECIDED. The trace does not tell whether it keeps “lock comes",
        "note: line 1: no trace calls or defines lock",
        "messages: NOT DECIDED. “get_order comes before cancel_order” names get_order,",
        "note: line 1: no call of cancel has cid; did you mean id?",
        "no rules: write plan_rules(",
        "UserError: the rules cannot be read: line 1, column",
        "r2: WRONG. At step 3 docent training started at 8:00",
        "Nearest correct plan: ",
    ):
        assert words in said, words
    done.stdout.no_fnmatch_line("*doors/python.py*")
