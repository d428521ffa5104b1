"""What a search found is marked where it is to be seen, by a sign and by its look, until one goes elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.debugger.search import Document, Hit
from planscope.tui.panes.hit_places import place_in
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows, styles


async def find(driven: Driven, text: str) -> None:
    await driven.press("slash", *["backspace"] * 40)
    await driven.type(text)
    await driven.press("enter")


def found(driven: Driven) -> list[str]:
    """The stretches of the screen that look like a hit."""
    look = driven.app.paint.style("hit", "")
    cursor = driven.app.paint.style("hit", "cursor")
    return [text for row in styles(driven.app) for text, style in row if style in (look, cursor)]


def signed(driven: Driven) -> list[str]:
    return [row for row in rows(driven.app) if "»" in row]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sessions.write(sessions.figure_10(), tmp_path)


async def test_words_of_the_request(path: Path) -> None:
    async with opened(path) as driven:
        await find(driven, "FOLLOW 18")
        assert signed(driven) and all(row.startswith((" ●»", " ┃»")) for row in signed(driven))
        assert "".join(found(driven)).split() in (["follow", "18"], ["follow18"])
        await driven.press("escape")
        assert found(driven) == [] == signed(driven)


async def test_a_constraint(path: Path) -> None:
    async with opened(path, (200, 60)) as driven:
        await find(driven, "ends at 12:00")
        assert [row for row in signed(driven) if "c6" in row and "│ »✓" in row]
        assert found(driven).count("ends at 12:00") >= 1


async def test_a_constraint_is_turned_to_where_one_pane_is_seen_of_three(path: Path) -> None:
    async with opened(path, (80, 24)) as driven:
        assert "1 Query" in driven.text
        await find(driven, "ends at 12:00")
        assert driven.state.top == "constraints" and driven.state.pane == "timeline"
        assert " »✓  holds" in driven.text
        await find(driven, "takes 1 hour")
        await driven.press("1", "z", "h")
        assert driven.state.pane == "step" and "»Sanitizing" in driven.text


async def test_a_call_is_marked_in_the_timeline_and_in_the_step(path: Path) -> None:
    async with opened(path) as driven:
        await find(driven, "color(")
        assert found(driven) == ["color(", "color("]
        assert any(" »   2 ✗ applying_hair_color(8)" in row for row in rows(driven.app))
        assert "call    »applying_hair_color" in driven.text
        await driven.press("n")
        assert found(driven) == [] == signed(driven)


async def test_an_answer_and_a_thought(path: Path) -> None:
    async with opened(path) as driven:
        await find(driven, "takes 1 hour")
        assert driven.state.debug.index == 3
        assert found(driven) == ["takes 1 hour"]
        assert "answer  »Sanitizing tools takes 1 hour." in driven.text
        await find(driven, "comes SAN")
        assert found(driven) == ["comes san"] and "thought »Next comes" in driven.text


@pytest.mark.parametrize("words", [60, 3000])
async def test_what_stands_deep_in_a_long_answer_is_shown(words: int, tmp_path: Path) -> None:
    answer = "dull " * words + "the needle here " + "dull " * 50
    calls: list[tuple[str, dict[str, object] | None, str]] = [
        ("network_audit", {}, answer),
        ("disk_check", {}, "Done."),
    ]
    made = sessions.session(
        "long", sessions.variant("Network audit precedes disk check.", sessions.ABC), sessions.events(calls)
    )
    async with opened(sessions.write(made, tmp_path), (80, 24)) as driven:
        await find(driven, "needle")
        assert found(driven) == ["needle"] and any("needle" in row for row in signed(driven))


def test_the_nearest_of_several_places_is_meant() -> None:
    document = Document("call", "tool(hour=8, other=8)", 1)
    assert place_in("tool(8, 8)", Hit(document, (10, 11))) == (8, 9)
    assert place_in("tool(8, 8)", Hit(document, (5, 9))) is None
    assert place_in("Straße", Hit(Document("answer", "STRASSE", 1), (4, 6))) == (4, 5)
