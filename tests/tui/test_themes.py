"""Themes: legible, complete, and whatever a file holds, the rest stays usable."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import Theme
from textual.widgets import Input, OptionList, Static

from planscope.safe import visible
from planscope.tui.style.themes import (
    BASE_COLORS,
    ROLES,
    bundled_themes,
    load_themes,
    no_color,
)
from planscope.tui.toml_file import MAX_BYTES
from tests.hostile import SAVEABLE

BUNDLED = ("dark", "colour-blind", "high-contrast", "light", "terminal")
NOWHERE = Path("/nonexistent/themes")


def themes() -> dict[str, Theme]:
    loaded, problems = load_themes(user=NOWHERE)
    assert problems == ()
    return {theme.name: theme for theme in loaded}


def test_the_bundled_themes_are_there() -> None:
    assert tuple(themes()) == BUNDLED
    assert {p.name for p in bundled_themes().iterdir()} == {f"{name}.toml" for name in BUNDLED}
    assert [themes()[name].dark for name in BUNDLED] == [True, True, True, False, True]
    assert [name for name in BUNDLED if themes()[name].ansi] == ["terminal"]


def test_each_bundled_theme_defines_every_role_itself() -> None:
    for path in bundled_themes().iterdir():
        text = path.read_text(encoding="utf-8")
        for key in (*BASE_COLORS, *ROLES):
            assert f"\n{key} = " in text, (path.name, key)
        assert "inherits" not in text


class Shop(App[None]):
    """A little of everything that a theme colours."""

    CSS = "Static { color: $planscope-holds; background: $planscope-linked-ground; border: round $planscope-frame; }"

    def __init__(self, found: tuple[Theme, ...]) -> None:
        super().__init__()
        for theme in found:
            self.register_theme(theme)
        self.theme = found[0].name

    def compose(self) -> ComposeResult:
        yield Static("words")
        yield Input("typed")
        yield OptionList("one", "two")


async def test_textual_paints_every_theme() -> None:
    found, _ = load_themes(user=NOWHERE)
    app = Shop(found)
    async with app.run_test() as pilot:
        for theme in found:
            app.theme = theme.name
            await pilot.pause()
            assert app.theme_variables["planscope-holds"] == theme.variables["planscope-holds"]
            assert app.export_screenshot()


def user_folder(tmp_path: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_users_theme_inherits_what_it_does_not_say(tmp_path: Path) -> None:
    folder = user_folder(
        tmp_path,
        mine='name = "mine"\n[roles]\nholds = "#00ff00"\n[colors]\nprimary = "orchid"\n',
        day='inherits = "light"\ndark = false\n[roles]\nbroken = "#800"\n',
        evening='inherits = "mine"\n[roles]\nopen = "#ccc"\n',
        noon="dark = false\n",
        sixteen='ansi = true\n[roles]\nholds = "ansi_blue"\n',
    )
    loaded, problems = load_themes(user=folder)
    assert problems == ()
    found = {theme.name: theme for theme in loaded}
    assert tuple(found) == (*BUNDLED, "day", "evening", "mine", "noon", "sixteen")
    dark, light = found["dark"], found["light"]
    assert found["mine"].variables["planscope-holds"] == "#00ff00"
    assert found["mine"].primary == "orchid"
    assert found["mine"].background == dark.background
    assert found["evening"].variables["planscope-holds"] == "#00ff00"
    assert found["evening"].variables["planscope-open"] == "#ccc"
    assert found["day"].background == found["noon"].background == light.background
    assert (found["day"].dark, found["evening"].dark) == (False, True)
    assert found["sixteen"].ansi
    assert found["sixteen"].background == "ansi_default"


def test_a_user_may_change_a_bundled_theme(tmp_path: Path) -> None:
    folder = user_folder(tmp_path, dark='inherits = "dark"\n[colors]\nbackground = "#000"\n')
    loaded, problems = load_themes(user=folder)
    assert problems == ()
    assert [theme.name for theme in loaded] == list(BUNDLED)
    assert loaded[0].background == "#000"
    assert loaded[0].foreground == themes()["dark"].foreground


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ('[colors]\nprimary = "#12345"', 2, "primary: '#12345' is not a colour"),
        ('[colors]\n\nprimary = "}{"', 3, "primary: '}{' is not a colour"),
        ('[colors]\nprimary = "blurple"', 2, "primary: 'blurple' is not the name of a colour"),
        ('[colors]\nprimary = "transparent"', 2, "primary: 'transparent' is not opaque"),
        ('[colors]\nprimary = "#ffffff80"', 2, "primary: '#ffffff80' is not a colour"),
        ('[colors]\nprimary = "ansi_red"', 2, "primary: 'ansi_red' needs 'ansi = true'"),
        ('ansi = true\n[colors]\nprimary = "red"', 3, "primary: 'red' is not one of the terminal's"),
        ("[colors]\nprimary = 3", 2, "primary: a colour is a text"),
        ('[colors]\nprimry = "red"', 2, "unknown colour 'primry'; nearest: 'primary'"),
        ('[roles]\nhold = "red"', 2, "unknown role 'hold'; nearest: 'holds'"),
        ('[roles]\nholds = "red; color: blue"', 2, "holds: 'red; color: blue' is not a colour"),
        ('roles.holds = "nope"', 1, "holds: 'nope' is not the name of a colour"),
        ('roles = { holds = "nope" }', 1, "holds: 'nope' is not the name of a colour"),
        ('[[roles]]\nholds = "red"', None, "'roles' must be a table"),
        ('\nroles = "red"', 2, "'roles' must be a table"),
        ('dark = "yes"', 1, "'dark' must be true or false"),
        ('nmae = "x"', 1, "unknown key 'nmae'; nearest: 'name'"),
        ('name = "No Capitals"', 1, "is not a name for a theme"),
        ('name = "../../etc/passwd"', 1, "is not a name for a theme"),
        ('\ninherits = "drak"', 2, "inherits from an unknown theme 'drak'; nearest: 'dark'"),
        ('inherits = "broken"', 1, "inherits from an unknown theme 'broken'"),
        ('inherits = "terminal"', 1, "must be the same"),
        ('name = "x"\ncolors', 2, "is not TOML"),
        ('name = "x', 1, "is not TOML"),
        ("a = " + "[" * 5000, None, "is nested too deeply"),
        ("a = " + "9" * 5000, None, "is not TOML"),
        ("#" * (MAX_BYTES + 1), None, "is larger than 64 kB"),
    ],
)
def test_a_broken_file_is_named_with_its_line(
    tmp_path: Path, text: str, line: int | None, complaint: str
) -> None:
    folder = user_folder(tmp_path, broken=text, good='[roles]\nholds = "#0f0"\n')
    loaded, problems = load_themes(user=folder)
    assert [theme.name for theme in loaded] == [*BUNDLED, "good"]
    assert len(problems) == 1
    assert complaint in str(problems[0])
    assert str(problems[0]).startswith("broken.toml:" if line is None else f"broken.toml:{line}: ")


def test_every_fault_of_a_file_is_told_at_once(tmp_path: Path) -> None:
    folder = user_folder(
        tmp_path, bad='dark = 1\n[colors]\nprimary = "x"\n[roles]\nholds = "y"\nzzz = "#000"\n'
    )
    _, problems = load_themes(user=folder)
    assert [problem.line for problem in problems] == [1, 3, 5, 6]


def test_circles_and_doubles(tmp_path: Path) -> None:
    folder = user_folder(
        tmp_path,
        a='inherits = "b"\n',
        b='inherits = "a"\n',
        c='name = "twin"\n',
        d='name = "twin"\n',
        dark='inherits = "nowhere"\n',
        e='inherits = "dark"\n',
    )
    loaded, problems = load_themes(user=folder)
    assert [theme.name for theme in loaded] == [*BUNDLED, "twin"]
    said = sorted(map(str, problems))
    assert said[:2] == ["a.toml:1: inherits in a circle", "b.toml:1: inherits in a circle"]
    assert [line.split(":")[0] for line in said[2:]] == ["d.toml", "dark.toml", "e.toml"]
    assert "e.toml: inherits from dark.toml, which cannot be used" in said
    assert "d.toml:1: 'twin' is the name of c.toml already" in said
    assert any("dark.toml:1: inherits from an unknown theme 'nowhere'" in line for line in said)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "dangling.toml").symlink_to(tmp_path / "gone")
    (tmp_path / "latin.toml").write_bytes(b'# ok\nname = "\xe9"\n')
    (tmp_path / "bom.toml").write_bytes(b'\xef\xbb\xbfname = "bom"\n')
    (tmp_path / "notes.txt").write_text("not a theme", encoding="utf-8")
    loaded, problems = load_themes(user=tmp_path)
    assert [theme.name for theme in loaded] == [*BUNDLED, "bom"]
    assert sorted(map(str, problems)) == [
        "dangling.toml: is not a file",
        "folder.toml: is not a file",
        "latin.toml:2: is not UTF-8 text",
        "pipe.toml: is not a file",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret.toml"
    path.write_text('name = "secret"', encoding="utf-8")
    path.chmod(0)
    _, problems = load_themes(user=tmp_path)
    assert [str(problem) for problem in problems] == ["secret.toml: cannot be read: Permission denied"]


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "themes"
    path.write_text("x", encoding="utf-8")
    loaded, problems = load_themes(user=path)
    assert [theme.name for theme in loaded] == list(BUNDLED)
    assert str(problems[0]).startswith("themes: cannot be read")


def test_names_of_files_are_hostile_too(tmp_path: Path) -> None:
    (tmp_path / "\x1b]0;x\x07\u202e.toml").write_text('name = "evil"\ninherits = "no"', encoding="utf-8")
    (tmp_path / "child.toml").write_text('inherits = "evil"', encoding="utf-8")
    _, problems = load_themes(user=tmp_path)
    assert len(problems) == 2
    for problem in problems:
        assert visible(str(problem)) == str(problem)


def check_sound(folder: Path) -> None:
    loaded, problems = load_themes(user=folder)
    assert {*BUNDLED} <= {theme.name for theme in loaded}
    for theme in loaded:
        theme.to_color_system().generate()
        colors = [getattr(theme, key) for key in BASE_COLORS]
        colors += [value for key, value in theme.variables.items() if not key.endswith("text-style")]
        for color in colors:
            assert Color.parse(color).a == 1
    for problem in problems:
        assert visible(str(problem)) == str(problem)


keys = st.sampled_from(["name", "dark", "ansi", "inherits", "colors", "roles", "primary", "holds", "x"])
values: st.SearchStrategy[Any] = st.one_of(
    st.booleans(),
    st.integers(),
    st.text(max_size=12),
    st.sampled_from(["dark", "red", "#fff", "ansi_red", "auto", "$primary", "}{", "terminal", "#fff 50%"]),
    st.sampled_from(SAVEABLE),
)


def quote(text: str) -> str:
    escaped = "".join(c if c.isalnum() and c.isascii() else f"\\U{ord(c):08X}" for c in text)
    return f'"{escaped}"'


def written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else quote(str(value))


lines = st.one_of(
    st.sampled_from(["[colors]", "[roles]", "[[roles]]", "[x.y]"]),
    st.tuples(st.one_of(keys, st.sampled_from(SAVEABLE)), values).map(
        lambda pair: f"{quote(pair[0])} = {written(pair[1])}" if len(pair[0]) < 500 else ""
    ),
)


@given(st.one_of(st.binary(max_size=200), st.lists(lines, max_size=8).map(lambda ls: "\n".join(ls).encode())))
def test_no_file_breaks_anything(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "any.toml").write_bytes(data)
        check_sound(Path(name))


def test_no_color() -> None:
    assert no_color({"NO_COLOR": "1"})
    assert not no_color({"NO_COLOR": ""})
    assert not no_color({})
