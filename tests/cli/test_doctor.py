"""``planscope doctor``: it names every extra, and says what is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from planscope.commands.doctor import EXTRAS
from tests.cli.support import Cli


def test_the_extras_are_those_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = {
        name: needs for name, needs in project["optional-dependencies"].items() if name not in ("test", "dev")
    }
    assert set(EXTRAS) == set(extras)
    for name, extra in EXTRAS.items():
        assert any(need.startswith(f"{extra.package}>") for need in extras[name]), name


def test_a_healthy_machine(cli: Cli) -> None:
    done = cli("doctor")
    assert done.status == 0 and "Nothing is wrong" in done.out and "terminal: none here" in done.out
    assert "browser: not needed; network: not contacted" in done.out
    found = cli("doctor", "--json").json
    assert found["problems"] == [] and all(one["version"] for one in found["packages"])


def test_what_is_wrong_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("planscope.commands.doctor.PACKAGES", ("textual", "no-such-package"))
    monkeypatch.setenv("NO_COLOR", "1")
    done = cli("doctor")
    said = " ".join(done.out.split())
    assert done.status == 2
    assert "wrong: the package no-such-package is missing; install planscope again" in said
    assert "(library) cannot be written to" in said and "no colours (NO_COLOR)" in said
