"""The picture of the screen: well-formed, of the run that was asked for, and asking the network for nothing."""

from __future__ import annotations

import re
import xml.etree.ElementTree
from pathlib import Path

import pytest

from planscope.errors import UserError
from planscope.session.bundled import bundled
from planscope.tui.picture import export_svg


async def test_the_picture_shows_the_run(tmp_path: Path) -> None:
    svg = await export_svg(bundled()["figure-10"], size=(120, 40), theme="light")
    xml.etree.ElementTree.fromstring(svg)
    text = re.sub(r"<[^>]*>", "", svg).replace("\u00a0", " ").replace("&#160;", " ")
    assert "PARAMETER ERROR" in text and "NO WAY ON" in text and "CORE" in text
    fetched = [
        u for u in re.findall(r"https?://[^\s\"')]+", svg) if "w3.org" not in u and "textualize" not in u
    ]
    assert fetched == []


async def test_what_is_not_there_is_said() -> None:
    with pytest.raises(UserError, match="theme"):
        await export_svg(bundled()["figure-10"], theme="nope")
