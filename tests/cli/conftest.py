"""The command line in process, and a folder for sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import Cli, Files


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Calls in an empty folder, at 80 columns, without keys or settings of the person who runs the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("PLANSCOPE_TRACEBACK", raising=False)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    return Cli(capsys, monkeypatch)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)
