"""Fixtures of the screen's tests: no user's own files, and frames kept as text."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.css.stylesheet import Stylesheet

from tests.tui.screen import rows

FRAMES = Path(__file__).parent.parent / "frames"

_parse_rules = Stylesheet._parse_rules
_parsed: dict[tuple[object, ...], object] = {}


def _parse_once(sheet: Stylesheet, css: str, *args: object, **options: object) -> object:
    """Style sheets are parsed once for all applications: it was a tenth of the time of their tests."""
    key = (css, args, *options.items(), frozenset(sheet._variables.items()))
    if key not in _parsed:
        _parsed[key] = _parse_rules(sheet, css, *args, **options)
    return _parsed[key]


Stylesheet._parse_rules = _parse_once


@pytest.fixture(autouse=True)
def _nobody_at_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Key and theme files of whoever runs the tests have no say, nor has NO_COLOR.

    Every action has a key, so that tests can press it, but where a module has ``DEFAULT_KEYS``.
    """
    if not getattr(request.module, "DEFAULT_KEYS", False):
        config = tmp_path / "home" / "planscope" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text('[keys]\npreset = "all"\n')
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def own_file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module's ``FIRST`` is the user's own: saving it tells of no copy, at a moment that no test can know."""
    path = tmp_path / request.module.FIRST.name
    path.write_bytes(request.module.FIRST.read_bytes())
    monkeypatch.setattr(request.module, "FIRST", path)


@pytest.fixture
def same_frame() -> Callable[[object, str], None]:
    """``same_frame(app, name)``: the screen is as kept in ``tests/frames/name.txt``.

    ``PLANSCOPE_UPDATE_FRAMES=1 pytest tests/tui`` keeps what is there now; look at the difference before it goes in.
    """

    def check(app: object, name: str) -> None:
        frame = "\n".join(row.rstrip() for row in rows(app)) + "\n"
        path = FRAMES / f"{name}.txt"
        if os.environ.get("PLANSCOPE_UPDATE_FRAMES"):
            path.write_text(frame, encoding="utf-8")
        assert path.exists(), f"no {path.name} yet: PLANSCOPE_UPDATE_FRAMES=1 pytest tests/tui"
        assert frame == path.read_text(encoding="utf-8")

    return check
