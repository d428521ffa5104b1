"""The test file that a case becomes: it runs by itself, and holds nothing but literals of the session."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from planscope.session.locations import bundled
from planscope.session.model import Session
from planscope.session.store import load
from planscope.sharing.formats import share
from tests.sharing.cases import plain_session, planted, written


def ran(folder: Path, files: dict[str, str], lines: bool = True, **environment: str) -> dict[str, str]:
    """What pytest says of each file, run far from this repository's configuration: its lines alone, or all it says."""
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n")
    names = [f"test_{name}.py" for name in files]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-rs", "-p", "no:cacheprovider", *names],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "COLUMNS": "200",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "",
            **environment,
        },
        timeout=120,
    )
    if not lines:
        return dict.fromkeys(files, done.stdout)
    every = done.stdout.splitlines()
    return {name: "\n".join(line for line in every if f"test_{name}.py" in line) for name in files}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Test files: of a run that failed, of one of somebody's own agent, of a request without a run."""
    own = plain_session()
    own.runs[0].agent, own.runs[0].model = "os:getcwd", "openai:gpt-none"
    ruled = load(bundled()["first-look"])
    ruled.rules = (
        "a user message comes before any call.\nloan_request_evaluation comes before replica_procurement."
    )
    bare = Session(id="s", title="t", variants=[written()])
    return {
        "failed": share(load(bundled()["first-look"]), None, "pytest", redaction=None),
        "ruled": share(ruled, None, "pytest", redaction=None),
        "own": share(own, None, "pytest", redaction=None),
        "bare": share(bare, None, "pytest", redaction=None),
    }


def test_they_judge_the_record_and_a_new_run(texts: dict[str, str], tmp_path: Path) -> None:
    said = ran(tmp_path, texts)
    assert said["failed"].count(" PASSED ") == 2
    assert said["ruled"].count(" PASSED ") == 2, "the rules judge, too"
    assert said["own"].count(" PASSED ") == 1 and "say which code that is with PLANSCOPE_AGENT" in said["own"]
    assert said["bare"].count(" PASSED ") == 1 and "no run was recorded" in said["bare"]
    assert 'AGENT = os.environ.get("PLANSCOPE_AGENT", None)' in texts["own"], "no code is named by a session"


@pytest.fixture(scope="module")
def from_outside(texts: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """All that pytest says where another model, agent and verdict are wanted."""
    environment = {"PLANSCOPE_WANTED": "right", "PLANSCOPE_AGENT": "react", "PLANSCOPE_MODEL": "sim:literal"}
    files = {name: texts[name] for name in ("failed", "own")}
    return ran(tmp_path_factory.mktemp("outside"), files, lines=False, **environment)["own"]


def test_another_model_agent_and_verdict_are_named_from_outside(
    texts: dict[str, str], from_outside: str, tmp_path: Path
) -> None:
    results = [line.split()[:2] for line in from_outside.splitlines() if "::" in line]
    assert sorted((name.partition("::")[0], result) for name, result in results) == [
        *(("test_failed.py", "FAILED"), ("test_failed.py", "PASSED")),
        *[("test_own.py", "PASSED")] * 2,
    ]
    missing = ran(tmp_path, {"own": texts["own"]}, PLANSCOPE_AGENT="tools", OPENAI_API_KEY="")
    assert missing["own"].count(" PASSED ") == 1 and "SKIPPED" in missing["own"]


def test_a_failure_tells_the_whole_run(texts: dict[str, str], from_outside: str, tmp_path: Path) -> None:
    """What was wanted, what came, each step of the new run, and a correct plan; no traceback."""
    for words in (
        "The new run is wrong; wanted is right.",
        "parameter error",
        "school_tour_guidance(1)",
        "A correct plan",
    ):
        assert words in from_outside, from_outside
    assert "Traceback" not in from_outside and "def test_" not in from_outside
    failed = {"failed": texts["failed"]}
    failed["changed"] = texts["failed"].replace("'lost_at': 2", "'lost_at': 1")
    mended = ran(tmp_path, failed, lines=False, PLANSCOPE_MODEL="sim:careful")["failed"]
    assert 'right; wanted is wrong. The agent does it right now: write WANTED = "right"' in mended
    assert mended.count("judges the recorded run otherwise") == 1 and "'lost_at': 1" in mended


HOSTILE = (
    "'''",
    '"""',
    "@session@",
    "@model@ @title@",
    "\\",
    "{x}",
    "\u2028\x1b[31m\x00é",
    "'); import os; os.abort() #",
)


def test_everything_from_a_session_is_a_literal() -> None:
    session = planted(HOSTILE)
    session.title = " ".join(HOSTILE)
    session.runs[0].model = session.runs[0].agent = " ".join(HOSTILE)
    text = share(session, None, "pytest", redaction=None)
    assert text.isascii()
    tree = ast.parse(text)
    plain = ast.parse(share(plain_session(), None, "pytest", redaction=None))
    shape = [ast.dump(node)[:40] for node in tree.body]
    assert shape == [ast.dump(node)[:40] for node in plain.body]
    constants = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    assert HOSTILE[0] in ast.literal_eval(constants["RECORDED_AGENT"])
    assert "abort" not in {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert session.runs[0].events[0].text not in text, "prompts stay out"


@pytest.mark.parametrize("name", sorted(bundled()))
def test_every_bundled_session_becomes_python(name: str) -> None:
    compile(share(load(bundled()[name]), None, "pytest", redaction=None), "case.py", "exec")
