"""Fixtures of the screen's tests: no user's own files, and frames kept as text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from inspect import CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from textual import _callback, message_pump
from textual.binding import Binding, BindingsMap, KeymapApplyResult
from textual.css.stylesheet import Stylesheet
from textual.design import ColorSystem
from textual.message import Message
from textual.message_pump import MessagePump

from planscope.tui import keys
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

# What Textual computes anew at each key, message and start, from the same: a fifth of the time of these tests.

_apply_keymap = BindingsMap.apply_keymap
_mapped: dict[tuple[object, ...], tuple[dict[str, list[Binding]], KeymapApplyResult]] = {}


def _apply_once(bindings: BindingsMap, keymap: dict[str, str]) -> KeymapApplyResult:
    key = (*((key, *bound) for key, bound in bindings.key_to_bindings.items()), *keymap.items())
    if key not in _mapped:
        result = _apply_keymap(bindings, keymap)
        _mapped[key] = bindings.copy().key_to_bindings, result
    kept, result = _mapped[key]
    bindings.key_to_bindings = {key: list(bound) for key, bound in kept.items()}
    return result


_count_parameters = _callback._count_parameters


def _count_by_code(function: Any) -> int:
    if not isinstance(function, FunctionType) or function.__dict__:  # it may have another signature
        return _count_parameters(function)
    code = function.__code__
    stars = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + stars


_get_dispatch_methods = MessagePump._get_dispatch_methods
_heard: dict[tuple[type, str, type], list[tuple[type, str]] | None] = {}


def _dispatch_what_is_heard(pump: MessagePump, method: str, message: Message) -> Iterator[tuple[type, Any]]:
    """The methods that handle a message are looked for once for each class, but where selectors choose them."""
    key = (type(pump), method, type(message))
    if key not in _heard:
        _heard[key] = _named(*key)
    named = _heard[key]
    if named is None:
        yield from _get_dispatch_methods(pump, method, message)
        return
    for cls, name in named:
        if message._no_default_action:
            break
        yield cls, vars(cls)[name].__get__(pump, cls)


def _named(pump: type, method: str, message: type) -> list[tuple[type, str]] | None:
    """The classes that handle a message by a method's name; None where one does so by a decorator."""
    named = []
    for cls in pump.__mro__:
        if set(message.__mro__) & (vars(cls).get("_decorated_handlers") or {}).keys():
            return None
        name = next((name for name in (f"_{method}", method) if vars(cls).get(name)), None)
        if name is not None and not getattr(vars(cls)[name], "_textual_on", None):
            named.append((cls, name))
    return named


class _NoLog:
    """Where no console of Textual's listens, each message made two loggers to say so."""

    event = property(lambda self: self)

    def verbosity(self, verbose: bool) -> _NoLog:
        return self

    def __call__(self, *words: object) -> None:
        pass


_generate = ColorSystem.generate
_generated: dict[str, dict[str, str]] = {}


def _generate_once(colours: ColorSystem) -> dict[str, str]:
    key = repr(vars(colours))
    if key not in _generated:
        _generated[key] = _generate(colours)
    return dict(_generated[key])


BindingsMap.apply_keymap = _apply_once
_callback._count_parameters = _count_by_code
MessagePump._get_dispatch_methods = _dispatch_what_is_heard
ColorSystem.generate = _generate_once
message_pump.log = _NoLog()
keys.normal = cache(keys.normal)


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
