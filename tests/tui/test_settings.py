"""The config file: every setting is read, whatever is wrong is named, and what is chosen on screen is remembered."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.command import CommandList

from planscope.agents.paradigms import AGENTS
from planscope.cli import main
from planscope.commands.setup import _settings_document
from planscope.dissection.options import DissectOptions
from planscope.safe import visible
from planscope.tui.arrangement import FIRST, KINDS, Arrangement
from planscope.tui.controllers.dissecting import DissectChoice
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.dialogs.base import Dialog
from planscope.tui.dialogs.forms import MOST_RUNS as FORM_RUNS
from planscope.tui.palette import Palette
from planscope.tui.screens.debug import running
from planscope.tui.settings import (
    BY_NAME,
    MOST_BYTES,
    MOST_RUNS,
    SECTIONS,
    SETTINGS,
    THEME,
    Config,
    Remembered,
    ScreenSettings,
    arrangement_of,
    config_file,
    read_config,
    settings_of,
    state_file,
    toml,
)
from planscope.tui.style.themes import DEFAULT, FEW_COLOURS, few_colours
from tests.hostile import SAVEABLE
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import opened


def config(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    made = read_config(path)
    made.read_late()
    return made


def test_the_table_is_sound() -> None:
    assert len(BY_NAME) == len(SETTINGS)
    assert {s.section for s in SETTINGS} == {"", *SECTIONS}
    assert THEME == DEFAULT and MOST_RUNS == FORM_RUNS
    assert BY_NAME["defaults.agent"].kind.names == AGENTS
    assert DissectChoice("tools", "x").budget == BY_NAME["defaults.budget"].default
    assert DissectChoice("tools", "x").method == BY_NAME["defaults.method"].default
    assert DissectOptions().method in BY_NAME["defaults.method"].kind.names
    usual = RunChoice()
    for key in ("agent", "model", "seed", "guard", "stepping"):
        assert BY_NAME[f"defaults.{key}"].default == getattr(usual, key)
    for setting in SETTINGS:
        assert setting.help.endswith(".") and setting.kind.takes
        if setting.default is not None:
            assert setting.kind.read(setting.default) == setting.default
            assert setting.kind.read(tomllib.loads(f"x = {toml(setting.default)}")["x"]) == setting.default
    for kind in KINDS:
        assert arrangement_of(kind, lambda name: BY_NAME[name].default) == FIRST[kind]
        assert settings_of(kind, FIRST[kind]).keys() <= BY_NAME.keys()


def test_the_example_is_a_config_file_that_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from planscope.tui.keys import read_keys

    assert main(["config", "--example"]) == 0
    example = capsys.readouterr().out
    assert config(tmp_path, example).problems == []
    lines = [line.removeprefix("# ") for line in example.splitlines() if not re.search(r"\.$|seed", line)]
    made = config(tmp_path, "\n".join(lines))
    assert made.problems == []
    assert made.given == {s.name: s.default for s in SETTINGS if s.default is not None}
    choice, problems = read_keys(config=made.file)
    assert problems == () and len(choice) > 80


def test_every_setting_is_read(tmp_path: Path) -> None:
    text = """
theme = "light"
defaults = { agent = "mine.agents:make", model = "sim:flaky?p=0.5", seed = 7, guard = true }
[layout.wide]
rows = [1, 2]
hide = ["tree", "step"]
[layout]
narrow.rows = [3, 2, 1]
broad = { sides = [3, 1], hide = ["inspector"] }
"""
    made = config(tmp_path, text)
    assert made.problems == []
    assert made["defaults.agent"] == "mine.agents:make" and made["defaults.model"] == "sim:flaky?p=0.5"
    assert made["defaults.seed"] == 7 and made["defaults.guard"] is True and made["defaults.budget"] == 60
    assert made["layout.wide.rows"] == (1, 2) and made["layout.wide.upper"] == (8, 7, 9)
    settings = ScreenSettings(made, Remembered(None))
    assert settings.arrangements()["narrow"].rows == (3, 2, 1)
    assert settings.arrangements()["broad"].hidden == {"inspector"}
    assert made.line(BY_NAME["layout.wide.rows"]) == 5
    sources = {told.name: told.source for told in _settings_document(settings, {}, []).settings}
    assert sources["theme"] == "config.toml:2" and sources["defaults.seed"] == "config.toml:3"
    assert (
        sources["layout.narrow.rows"] == "config.toml:8" and sources["layout.broad.sides"] == "config.toml:9"
    )
    assert sources["defaults.budget"] == "default"


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ('thme = "light"', 1, "no setting 'thme'; nearest: 'theme'"),
        ("theme = 3", 1, "theme must be the name of a theme, not 3"),
        ("\n[layot]\nx = 1", 2, "no setting 'layot'"),
        ("[layout.wide]\n\nrow = [1, 2]", 3, "no setting 'layout.wide.row'; nearest: 'layout.wide.rows'"),
        ("[layout.wide]\nrows = [1, 2, 3]", 2, "layout.wide.rows must be a list of 2 whole numbers"),
        ("[layout.wide]\nrows = [0, 2]", 2, "not [0, 2]"),
        ("[layout.wide]\nrows = [true, 2]", 2, "not [True, 2]"),
        ("[layout.narrow]\nupper = [1, 1, 1]", 2, "no setting 'layout.narrow.upper'"),
        ('[layout.wide]\nhide = ["three"]', 2, "there is no 'three'; nearest: 'tree'"),
        ('[layout.wide]\nhide = ["inspector"]', 2, "there is no 'inspector'"),
        (
            '[layout.wide]\nhide = ["query", "tree", "constraints", "timeline", "step"]',
            2,
            "hides every pane; at least one must stay visible",
        ),
        ("layout = 3", 1, "'layout' must be a table: [layout]"),
        ("[layout]\nwide = 3", 2, "'layout.wide' must be a table: [layout.wide]"),
        ("[defaults]\nbudget = 0", 2, "defaults.budget must be a whole number from 1 to 1000, not 0"),
        ("[defaults]\nbudget = 1e3", 2, "not 1000.0"),
        ("[defaults]\nbudget = true", 2, "not true"),
        ('[defaults]\nguard = "yes"', 2, "defaults.guard must be true or false, not 'yes'"),
        ('[defaults]\nagent = "reakt"', 2, "nearest: 'react'"),
        ('[defaults]\nagent = "os.system()"', 2, "defaults.agent must be tools, react"),
        ('[defaults]\nmodel = "sim:litteral"', 2, "defaults.model is not a model: "),
        ("[defaults]\nmodel = 3", 2, "defaults.model must be a model"),
        ('[defaults]\nmethod = "papers"', 2, "nearest: 'paper'"),
        ('"layout.wide" = 3', 1, "no setting 'layout.wide'"),
        ("[[defaults]]\nguard = true", None, "'defaults' must be a table"),
        ("[defaults", 1, "is not TOML"),
        ("defaults.guard.x = 1", 1, "defaults.guard must be true or false"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, text: str, line: int | None, complaint: str
) -> None:
    made = config(tmp_path, text)
    assert made.given == {}
    assert [problem.line for problem in made.problems] == [line]
    assert complaint in str(made.problems[0])
    assert str(made.problems[0]).startswith("config.toml:")


def test_one_wrong_line_leaves_the_others(tmp_path: Path) -> None:
    made = config(tmp_path, 'theme = "light"\nx = 1\n[defaults]\nguard = 3\nseed = 4\n')
    assert made.given == {"theme": "light", "defaults.seed": 4}
    assert [problem.line for problem in made.problems] == [2, 4]


def test_files_that_are_none(tmp_path: Path) -> None:
    assert read_config(tmp_path / "none.toml").problems == []
    assert "is not a file" in str(read_config(tmp_path).problems[0])
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    assert len(read_config(tmp_path / "loop.toml").problems) == 1
    (tmp_path / "big.toml").write_text("#" * 70_000)
    assert "is larger than" in str(read_config(tmp_path / "big.toml").problems[0])


keys = st.sampled_from([*BY_NAME, "layout", "layout.wide", "defaults", "keys", "x"]) | st.sampled_from(
    SAVEABLE
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(SAVEABLE),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.tuples(keys, values), max_size=6))
def test_no_value_breaks_anything(pairs: list[tuple[str, Any]]) -> None:
    lines = [f"{name} = {json.dumps(value)}" for name, value in pairs]
    with tempfile.TemporaryDirectory() as folder:
        made = config(Path(folder), "\n".join(lines))
        settings = ScreenSettings(made, Remembered(None))
        for problem in made.problems:
            assert visible(str(problem)) == str(problem)
        assert all(settings.arrangements()[kind].rows for kind in KINDS)
        (Path(folder) / "state.json").write_text(
            json.dumps({"chosen": {name: {"value": value} for name, value in pairs}})
        )
        remembered = Remembered(Path(folder) / "state.json")
        assert all(ScreenSettings(made, remembered).arrangements()[kind].rows for kind in KINDS)


# What is chosen on screen


def test_a_choice_counts_until_the_config_file_says_something_else(tmp_path: Path) -> None:
    path = tmp_path / "state" / "screen.json"
    settings = ScreenSettings(config(tmp_path, 'theme = "light"'), Remembered(path))
    settings.choose("theme", "terminal")
    settings.remembered.write()
    again = ScreenSettings(config(tmp_path, 'theme = "light"'), Remembered(path))
    assert again["theme"] == "terminal" and again.chosen("theme")
    assert (
        ScreenSettings(config(tmp_path, 'theme = "high-contrast"'), Remembered(path))["theme"]
        == "high-contrast"
    )
    again.choose("theme", "light")
    again.remembered.write()
    assert json.loads(path.read_text())["chosen"] == {}


def test_two_screens_do_not_undo_each_others_choices(tmp_path: Path) -> None:
    path = tmp_path / "screen.json"
    one, other = (ScreenSettings(Config(tmp_path / "none.toml"), Remembered(path)) for _ in range(2))
    one.choose("theme", "light")
    one.remembered.write()
    other.choose_arrangement("wide", Arrangement((1, 1)))
    other.remembered.write()
    third = ScreenSettings(Config(tmp_path / "none.toml"), Remembered(path))
    assert third["theme"] == "light" and third.arrangements()["wide"].rows == (1, 1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"chosen": 3}',
        b'{"chosen": {"theme": 3}}',
        b"[" * 50_000,
        b" " * (MOST_BYTES + 1),
    ],
)
def test_a_damaged_memory_is_as_good_as_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "screen.json"
    path.write_bytes(data)
    settings = ScreenSettings(Config(tmp_path / "none.toml"), Remembered(path))
    assert settings["theme"] == THEME
    settings.choose("theme", "light")
    settings.remembered.write()
    assert Remembered(path).get("theme", THEME) == "light"


# On the screen


def write(text: str) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text, encoding="utf-8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sessions.write(sessions.figure_10(), tmp_path)


async def test_the_screen_opens_as_the_file_says(path: Path) -> None:
    write(
        'theme = "light"\n[keys]\nnext-call = "j"\n[defaults]\nmodel = "sim:flaky"\nguard = true\nbudget = 9\n'
    )
    async with opened(path) as driven:
        assert driven.app.theme == "light" and driven.state.notice == ""
        await driven.press("home", "j")
        assert driven.state.debug.index == 1
        choice = running.default_choice(driven.screen)
        assert (choice.model, choice.guard) == ("sim:time-blind", True), "as the run that is looked at"
        assert driven.screen.start.budget == 9
    async with opened(sessions.write(sessions.no_run(), path.parent)) as driven:
        assert running.default_choice(driven.screen) == RunChoice(model="sim:flaky", guard=True)


async def test_the_first_thing_that_is_wrong_is_said_and_the_app_stays_up(path: Path) -> None:
    write('theme = "drak"\n[defaults]\nmodel = "sim:x"\n[keys]\nnext-cal = "j"\n')
    async with opened(path) as driven:
        assert driven.app.theme == "dark"
        assert driven.state.notice.startswith(
            "config.toml:1: theme: no theme 'drak'; nearest: 'dark'; there are:"
        )
        assert driven.state.notice.endswith("(and 2 more: planscope config)")


async def test_the_command_line_comes_before_the_file_and_what_was_chosen(path: Path) -> None:
    write('theme = "light"')
    async with opened(path, theme="terminal") as driven:
        assert driven.app.theme == "terminal"
    assert not state_file().exists(), "what was only asked for is not remembered"


async def test_a_theme_that_was_chosen_and_is_gone_is_forgotten(path: Path) -> None:
    settings = ScreenSettings()
    settings.choose("theme", "mine")
    settings.remembered.write()
    async with opened(path) as driven:
        assert driven.app.theme == "dark" and driven.state.notice == ""


async def test_the_theme_dialog_shows_and_remembers(path: Path) -> None:
    async with opened(path) as driven:
        await driven.press("ctrl+t", "down", "down")
        assert driven.app.theme == "high-contrast"
        await driven.press("escape")
        assert driven.app.theme == "dark"
        await driven.press("ctrl+t", "down", "enter")
        assert driven.app.theme == "colour-blind"
    async with opened(path) as driven:
        assert driven.app.theme == "colour-blind"
    assert "theme" not in config_file().read_text()


async def test_the_palette_opens_the_list_of_themes(path: Path) -> None:
    async with opened(path) as driven:
        await driven.press("ctrl+p")
        await driven.find("theme")
        await driven.press("enter", "down")
        await driven.until(lambda: driven.app.theme == "colour-blind")
        await driven.press("escape")
        assert driven.app.theme == "dark" and driven.app.screen is driven.screen


async def test_the_palettes_key_is_the_users_to_change(path: Path) -> None:
    write('[keys]\npalette = "f6"\nzoom = "ctrl+p"\n')
    async with opened(path) as driven:
        await driven.press("ctrl+p")
        assert driven.state.zoomed and driven.app.screen is driven.screen
        await driven.press("f6")
        assert isinstance(driven.app.screen, Palette)
        await driven.press("escape", "r", "ctrl+p")
        assert isinstance(driven.app.screen, Dialog), "dialogs have no palette"


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),))])
async def test_the_palettes_list_stays_inside_its_frame(path: Path, size: tuple[int, int]) -> None:
    async with opened(path, size) as driven:
        await driven.press("ctrl+p")
        palette = driven.app.screen
        await driven.until(lambda: palette.query_one(CommandList).option_count > 30)
        frame, found = palette.query_one("#--container").region, palette.query_one(CommandList).region
        assert found.height > 10 and frame.bottom > found.bottom and frame.contains_region(found)


async def test_the_palettes_page_keys_may_come_too_soon(path: Path) -> None:
    async with opened(path) as driven:
        for key in ("pagedown", "pageup"):
            for message in (events.Key("ctrl+p", None), *[events.Key(key, None)] * 5):
                driven.app.post_message(message)
                await asyncio.sleep(0.003)
            await driven.until(lambda: isinstance(driven.app.screen, Palette))
            await driven.answered()
            assert driven.app.is_running and isinstance(driven.app.screen, Palette)
            await driven.press("pagedown", "pageup", "escape")
            assert driven.app.screen is driven.screen


async def test_the_palette_is_left_once(path: Path) -> None:
    """Two clicks beside it, the second of which comes before it is gone."""
    async with opened(path) as driven:
        await driven.press("ctrl+p")
        palette = driven.app.screen
        assert isinstance(palette, Palette)
        palette.dismiss()
        palette.dismiss()
        palette.dismiss()
        await driven.until(lambda: driven.app.screen is driven.screen)
        await driven.press("z")
        assert driven.state.zoomed and driven.app.is_running


async def test_the_palette_may_be_left_before_it_is_there(path: Path) -> None:
    async with opened(path) as driven:
        app = driven.app
        app.action_command_palette()
        below = app.screen_stack[:-1]
        app._screen_stack[:] = below[-1:]  # as between two sessions
        await driven.pilot.pause(0.2)
        app._screen_stack[:] = below
        assert app.is_running and app.screen is driven.screen


@pytest.mark.parametrize("size", [(1, 1), (80, 3), *nightly(((4, 2),), ((59, 40),))])
async def test_the_palette_closes_where_it_has_no_room(path: Path, size: tuple[int, int]) -> None:
    async with opened(path) as driven:
        await driven.press("ctrl+p")
        await driven.until(lambda: isinstance(driven.app.screen, Palette))
        await driven.pilot.resize_terminal(*size)
        await driven.press("ctrl+p")
        await driven.pilot.resize_terminal(120, 40)
        await driven.pilot.pause()
        assert driven.app.screen is driven.screen and "Timeline" in driven.text


async def test_what_cannot_be_remembered_is_said(path: Path) -> None:
    state_file().mkdir(parents=True)
    async with opened(path) as driven:
        await driven.press("2", "greater_than_sign")
        await driven.sees("this choice could not be saved")


@pytest.mark.parametrize(
    ("environ", "few"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm"}, True),
        ({"TERM": "linux"}, True),
        ({"TERM": "xterm-kitty"}, False),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, False),
        ({"TERM": "xterm-256color", "TEXTUAL_COLOR_SYSTEM": "standard"}, True),
        ({"TERM": "linux", "TEXTUAL_COLOR_SYSTEM": "256"}, False),
        ({}, True),
    ],
)
def test_a_terminal_of_few_colours(environ: dict[str, str], few: bool) -> None:
    assert few_colours(environ) is few


def test_the_terminals_theme_is_a_default_that_the_user_overrules(tmp_path: Path) -> None:
    remembered = Remembered(tmp_path / "state.json")
    settings = ScreenSettings(Config(tmp_path / "none.toml"), remembered)
    settings.config.defaults["theme"] = FEW_COLOURS
    assert settings["theme"] == FEW_COLOURS
    settings.choose("theme", "dark")
    assert settings["theme"] == "dark"
    assert ScreenSettings(config(tmp_path, 'theme = "light"'), Remembered(None))["theme"] == "light"
