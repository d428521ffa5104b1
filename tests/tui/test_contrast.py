"""Every theme can be read: by its roles, and by what is on the screens. Nothing is told by colour alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.command import CommandList
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender
from textual.theme import Theme

from planscope.debugger.selection import SelectedConstraint
from planscope.session.model import Session
from planscope.tui.panes.base import LinePane
from planscope.tui.style.lines import Line
from planscope.tui.style.painter import GROUNDS, ROLES, Painter
from planscope.tui.style.themes import FRAME_ROLES, GROUND_ROLES, TEXT_ROLES, VARIABLE, load_themes
from planscope.tui.style.themes import ROLES as THEME_ROLES
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.colours import EYES, contrast, difference
from tests.tui.screen import Driven, opened, styles

LEAST = {"dark": 4.5, "light": 4.5, "colour-blind": 4.5, "high-contrast": 7.0}
"""WCAG 2.1: AA for text, and AAA where high contrast is promised. The terminal's own colours are not ours to know."""

GRAPHICS = 3.0
"""WCAG 2.1: what is no text, but has to be seen."""

BOXES = re.compile(r"[\s─│┃╭╮╰╯├└┌┐┘┤┬┴┼▏▕▔▁▎▊▀▄█▓░·]*")
"""Lines and bars: no text."""

ENDS = {*ScrollBarRender.VERTICAL_BARS} - {" "}


def themes() -> dict[str, Theme]:
    loaded, problems = load_themes(user=Path("/nonexistent"))
    assert problems == ()
    return {theme.name: theme for theme in loaded}


def painted(theme: Theme) -> Painter:
    paint = Painter()
    variables = {"background": theme.background, "foreground": theme.foreground, **theme.variables}
    paint.use({key: value for key, value in variables.items() if value}, bare=False)
    return paint


def colours(style: Style) -> tuple[str, str]:
    """Text and ground of a style, as they are seen."""
    assert style.color is not None and style.bgcolor is not None
    over, under = (
        Color.from_rich_color(c).rich_color.get_truecolor().hex for c in (style.color, style.bgcolor)
    )
    return (under, over) if style.reverse else (over, under)


def test_every_shipped_theme_is_held_to_a_contrast() -> None:
    assert {name for name, theme in themes().items() if not theme.ansi} == set(LEAST)


@pytest.mark.parametrize("name", LEAST)
def test_every_role_can_be_read_on_every_ground(name: str) -> None:
    paint = painted(themes()[name])
    faint = {}
    for role in ROLES:
        for ground in GROUNDS:
            ratio = contrast(*colours(paint.style(role, ground)))
            least = (
                (0.0 if role != "frame-on" else GRAPHICS)
                if role in ("faint", "frame", "frame-on")
                else LEAST[name]
            )
            if ratio < least:
                faint[role, ground] = round(ratio, 2)
    assert faint == {}


@pytest.mark.parametrize("name", LEAST)
def test_a_theme_file_has_colours_that_can_be_read(name: str) -> None:
    """As above, with the colours that Textual's own widgets use (inputs, the palette)."""
    theme = themes()[name]
    role = {key: theme.variables[VARIABLE + key] for key in THEME_ROLES}
    assert theme.foreground and theme.background and theme.surface and theme.panel
    grounds = {"background": theme.background, "surface": theme.surface, "panel": theme.panel}
    grounds |= {key: role[key] for key in GROUND_ROLES}
    texts = {"foreground": theme.foreground} | {key: role[key] for key in TEXT_ROLES}
    faint = {
        (text, ground): round(contrast(texts[text], grounds[ground]), 2)
        for text in texts
        for ground in grounds
        if contrast(texts[text], grounds[ground]) < LEAST[name]
    }
    assert faint == {}
    assert contrast(role["frame-active"], theme.background) >= GRAPHICS
    for state in ("", "-hover", "-active"):
        bar, ground = (theme.variables[f"scrollbar{part}{state}"] for part in ("", "-background"))
        assert contrast(bar, ground) >= LEAST[name], state
    for ground in GROUND_ROLES[:-1]:
        assert contrast(role[ground], theme.background) > 1.1, f"{ground} cannot be told from the background"
    assert {*TEXT_ROLES, *GROUND_ROLES, *FRAME_ROLES} == set(THEME_ROLES)


@pytest.mark.parametrize("eye", EYES)
def test_the_colour_blind_theme_tells_states_apart_for_every_eye(eye: str) -> None:
    variables = themes()["colour-blind"].variables
    near = {
        (one, other): round(apart, 1)
        for one, other in combinations(("holds", "open", "broken", "core", "doomed", "unknown"), 2)
        if (apart := difference(variables[VARIABLE + one], variables[VARIABLE + other], EYES[eye])) <= 18
    }
    assert near == {}


def test_the_measure_tells_what_eyes_cannot() -> None:
    """The colours that everybody else uses fail it: red and green of one brightness."""
    assert (
        difference("#c04040", "#6f7f20", EYES["deutan"])
        < 18
        < difference("#c04040", "#6f7f20", EYES["tritan"])
    )
    assert contrast("#000000", "#ffffff") == pytest.approx(21) and contrast("#777777", "#ffffff") < 4.5


# What is on the screens


def shown(app: App[int]) -> Iterator[tuple[str, Style]]:
    """The texts in front, with their styles: of a dialog what is in its box."""
    boxes = app.screen.query("#box, CommandPalette > Vertical")
    region = boxes.first().region if boxes else app.screen.region
    for y, row in enumerate(styles(app)):
        x = 0
        for text, style in row:
            if region.contains(x, y) and not BOXES.fullmatch(text):
                yield text, style
            x += len(text)


def too_faint(driven: Driven) -> dict[tuple[str, str], tuple[str, float]]:
    """Texts that cannot be read, by theme and colours."""
    found = {}
    for text, style in shown(driven.app):
        if style is None or style.color is None or style.bgcolor is None:
            continue
        over, under = colours(style)
        ratio = contrast(over, under)
        if style.dim or ratio < LEAST[driven.app.theme]:
            found[driven.app.theme, f"{over} on {under}"] = (text.strip(), round(ratio, 2))
    return found


STOPS: list[tuple[str, list[str]]] = [
    ("at first", []),
    ("first step", ["g", "n"]),
    ("linked", ["3", "down", "down"]),
    ("searched", ["slash", "h", "a", "i", "r", "enter"]),
    ("reasons", ["x"]),
    ("help", ["escape", "question_mark"]),
    ("palette", ["escape", "ctrl+p"]),
    ("themes", ["escape", "ctrl+t"]),
    ("runs", ["escape", "o"]),
    ("breakpoints", ["escape", "b", "B"]),
    ("watch", ["escape", "w"]),
    ("run form", ["escape", "r"]),
    ("title and notes", ["escape", "D"]),
    ("rules", ["escape", "W"]),
    ("fork form", ["escape", "F"]),
    ("what if", ["escape", "g", "p"]),
    ("edit", ["escape", "escape", "e"]),
    ("editing", ["i", "x", "x"]),
    ("compare", ["escape", "escape", "d"]),
    ("compare words", ["2"]),
    ("compare constraints", ["3"]),
    ("dissect", ["escape", "m"]),
]
"""Where to look, and the keys from the place before."""


@pytest.mark.parametrize("many", [1, *nightly(len(LEAST))])
async def test_what_is_on_the_screens_can_be_read_in_every_theme(many: int, tmp_path: Path) -> None:
    """All themes at every place, or one at each: in turn, which the roles of each theme above allow."""
    faint = {}
    seen = set()
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (120, 40)) as driven:
        for stop, (name, keys) in enumerate(STOPS):
            await driven.press(*keys)
            await driven.answered()
            seen.add(type(driven.app.screen).__name__)
            if name == "palette":
                await driven.until(lambda: driven.app.screen.query_one(CommandList).highlighted == 0)
                drawn = "".join(text for text, _ in shown(driven.app))
                assert all(words in drawn for words in ("earch for commands", "Next", "Go to the next call"))
            for theme in [*LEAST, *LEAST][stop % len(LEAST) :][:many]:
                if driven.app.theme != theme:
                    driven.app.theme = theme
                    await driven.pilot.pause()
                for (theme_name, pair), what in too_faint(driven).items():
                    faint[name, theme_name, pair] = what
    assert faint == {}
    assert {"DebugScreen", "EditScreen", "CompareScreen", "DissectScreen", "Palette", "ChooseDialog"} <= seen


def bars(driven: Driven) -> list[Region]:
    """Where Textual draws scroll bars."""
    shown = [one for one in driven.app.screen.query(ScrollView) if one.show_vertical_scrollbar]
    return [one.vertical_scrollbar.region for one in shown]


@pytest.mark.parametrize("name", [next(iter(LEAST)), *nightly(*list(LEAST)[1:])])
async def test_scroll_bars_can_be_read_wherever_they_end(name: str, tmp_path: Path) -> None:
    """Their ends are blocks of some eighths of a cell: signs, and no lines."""
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (80, 24), theme=name) as driven:
        for keys, move in ((["ctrl+p"], "down"), (["escape", "W", *["x", "enter"] * 20], "up")):
            await driven.press(*keys)
            await driven.until(lambda: bars(driven))
            drawn = {}
            for _ in range(16):
                await driven.press(move)
                for region in bars(driven):
                    rows = styles(driven.app)[region.y : region.bottom]
                    for text, style in (segment for row in rows for segment in row):
                        if style is not None and text and set(text) <= ENDS:
                            drawn[text] = contrast(*colours(style))
            assert len(drawn) > 2 and min(drawn.values()) >= LEAST[name], (keys, drawn)


# Nothing is told by colour alone

SIGNS = {
    "holds": "✓|confirmed",
    "open": "○",
    "broken": "✗|break",
    "core": "●|LOST HERE",
    "completable": "✓|possible",
    "doomed": "✗|●|lost",
    "unknown": r"\?|unknown|! aborted",
    "finding": "✗|!",
    "wrong": "✗",
    "right": "✓",
    "stop": r"LOST HERE|‖|!|\?",
    "running": r"▷|\?",
    "diff-gone": "-|gone",
    "diff-added": r"\+|added",
    "stop-mark": "■|◆|●",
}
"""What has to stand on a line on which a state is told by a colour."""

KEPT = {role for role, look in ROLES.items() if {"underline", "reverse"} & set(look.attributes.split())}
"""Roles that are told by an attribute as well, which stays where there are no colours."""


def lines_of(pane: LinePane) -> list[Line]:
    return [pane.line_at(i) for i in range(pane.size_of())] if pane.seen else []


def told_by_colour_alone(driven: Driven) -> dict[tuple[str, str], str]:
    """Lines where a role that is a state has no sign beside it; a paragraph has it where it begins."""
    found = {}
    for pane in driven.screen.panes:
        lines = lines_of(pane)
        for at, line in enumerate([*lines, Line(pane.title()), Line(pane.note())]):
            said = [run for run in line.runs if run.text.strip()]
            for i, run in enumerate(said):
                begins = max(at - 6, 0) if i == 0 else at
                near = " ".join(one.text for one in (*lines[begins:at], line))
                if run.role in SIGNS and run.role not in KEPT and not re.search(SIGNS[run.role], near):
                    found[run.role, pane.id or ""] = line.text
    return found


@pytest.mark.parametrize(
    "made",
    [
        sessions.figure_10(),
        sessions.out_of_order(),
        sessions.contradictory(),
        sessions.unreadable(),
        sessions.aborted(),
        sessions.restarted(),
        sessions.no_run(),
    ],
    ids=lambda made: made.title,
)
async def test_every_state_has_a_sign_or_a_word_beside_its_colour(made: Session, tmp_path: Path) -> None:
    async with opened(sessions.write(made, tmp_path), (200, 60)) as driven:
        alone = told_by_colour_alone(driven)
        for key in ("g", "n", "n", "s", "s", "n", "b", "n", "n", "f", "p"):
            await driven.press(key)
            await driven.answered()
            alone |= told_by_colour_alone(driven)
        assert alone == {}


async def test_what_is_lit_and_chosen_is_seen_without_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (120, 40)) as driven:
        await driven.press("g", "n")
        driven.screen.pick(SelectedConstraint(next(iter(driven.state.debug.run.problem.by_id))))
        await driven.answered()
        segments = [
            (text, style) for row in styles(driven.app) for text, style in row if text.strip() and style
        ]
        assert {c.name for _, style in segments for c in (style.color, style.bgcolor) if c} <= {"default"}
        assert [text for text, style in segments if style.underline], "the words that are lit"
        assert [text for text, style in segments if style.reverse], "what is chosen"
        assert "┃" in driven.text and "▶" in driven.text
