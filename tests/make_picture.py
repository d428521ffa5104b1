"""Make the README's moving picture again: ``python -m tests.make_picture [FILE]``.

Its frames are the debugger's own, on a bundled session, one after each key. The picture is one SVG file: a style sheet
moves it, so it needs no script and no font, and GitHub shows it. What two frames have in common is in it once.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from planscope.tui.actions import BY_ID
from planscope.tui.keys import shown_key
from tests.tui.screen import Driven, opened

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / ".readme" / "debugger.svg"
SESSION = "first-look"
SIZE = (110, 34)
"""Columns and rows: the smallest window that shows all five panes."""

_TOP, _SIDE = 41, 9
"""Pixels above and beside the screen, as Rich's pictures have them."""


GAP = "\u00a0" * 3
"""Between keys and what they do: blanks that no viewer drops."""


class Scene(NamedTuple):
    """One frame: ``keys`` are pressed first; ``words`` must be on the screen then; it is shown for ``seconds``."""

    keys: tuple[str, ...]
    caption: str
    words: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Shot:
    """A frame that was taken: Rich's SVG of the screen."""

    svg: str
    caption: str
    seconds: float


def _caption(*ids: str) -> str:
    """Keys, and what the last of them does, from the table of actions."""
    keys = " ".join(shown_key(BY_ID[id].keys[0]) for id in ids)
    return f"{keys}{GAP}{BY_ID[ids[-1]].help}"


SCENES = (
    Scene((), f"$ planscope {SESSION} --step 0", ("Before any call",), 4.0),
    Scene(("f",), _caption("first-violation"), ("Step 2",), 5.0),
    Scene(("x",), _caption("explain"), ("confirmed by Z3",), 6.0),
    Scene(("escape", "n"), _caption("deselect", "next-call"), ("Step 3",), 5.0),
)


async def take() -> list[Shot]:
    """Open the session, press the keys, and photograph the screen after each scene."""
    shots = []
    async with opened(ROOT / "sessions" / f"{SESSION}.planscope.json", SIZE, step="0") as driven:
        for scene in SCENES:
            for key in scene.keys:
                await driven.press(key)
            await driven.sees(*scene.words)
            await _still(driven)
            shots.append(Shot(driven.app.export_screenshot(simplify=True), scene.caption, scene.seconds))
    return shots


async def _still(driven: Driven) -> None:
    """Wait until two looks at the screen, a moment apart, are the same."""
    before = ""
    while driven.text != before:
        before = driven.text
        await driven.answered()
        await asyncio.sleep(0.1)


Drawn = tuple[str, str]
"""An element of a picture without its class, and the style that the class stands for."""


def _drawn(svg: str) -> list[Drawn]:
    """What a picture of Rich's draws, in its order."""
    root = ElementTree.fromstring(svg)
    name = root.tag.removesuffix("svg")
    css = "".join(style.text or "" for style in root.iter(f"{name}style"))
    styles = dict(re.findall(r"\.(\S+-r\d+) \{ (.*?);? \}", css))
    screen = root.findall(f"{name}g")[-1]
    drawn: list[Drawn] = []
    for element in screen.iter():
        kind = element.tag.removeprefix(name)
        place = {key: element.get(key, "") for key in ("x", "y")}
        if kind == "rect":
            sides = f'width="{element.get("width")}" height="{element.get("height")}"'
            drawn.append(
                (f'<rect x="{place["x"]}" y="{place["y"]}" {sides}/>', f"fill: {element.get('fill')}")
            )
        elif kind == "text" and (text := (element.text or "").rstrip("\n")):
            start = f'<text x="{place["x"]}" y="{place["y"]}" textLength="{element.get("textLength")}"'
            drawn.append((f"{start}>{escape(text)}</text>", styles[element.get("class", "")]))
    return drawn


def moving(shots: Sequence[Shot]) -> str:
    """One SVG that shows the shots in turn, for ever. Who wants no motion sees the second, and so does a printer."""
    frames: dict[Drawn, list[int]] = {}
    for number, shot in enumerate(shots):
        for drawn in _drawn(shot.svg):
            frames.setdefault(drawn, []).append(number)
    styles = {style: f"s{k}" for k, style in enumerate(dict.fromkeys(style for _, style in frames))}
    layers: dict[tuple[bool, str], list[str]] = {}
    for (element, style), seen in frames.items():
        kind, rest = element.split(" ", 1)
        layer = layers.setdefault((kind == "<text", _shown(seen)), [])
        layer.append(f'{kind} class="{styles[style]}" {rest}')
    width, height = _size(shots[0].svg)
    title = "".join(
        f'<text class="title {_shown([k])}" x="{width / 2:g}" y="27">{escape(shot.caption)}</text>\n'
        for k, shot in enumerate(shots)
    )
    body = "".join(
        f'<g class="{shown}">\n' + "\n".join(layers[text, shown]) + "\n</g>\n"
        for text, shown in sorted(layers)
    )
    looks = "".join(f".{name} {{ {style} }}\n" for style, name in styles.items())
    shown = sorted({shown for _, shown in layers} | {_shown([k]) for k in range(len(shots))})
    motion = "".join(_motion(name, [shot.seconds for shot in shots]) for name in shown)
    return _SVG.format(width=width, height=height, looks=looks, motion=motion, title=title, body=body)


def _shown(frames: Sequence[int]) -> str:
    """The class of what is seen in these frames, counted from 0: ``f02``."""
    return "f" + "".join(str(k) for k in sorted(set(frames)))


def _motion(name: str, seconds: Sequence[float]) -> str:
    """The rules that show a class in its frames and hide it in the others."""
    seen = {int(digit) for digit in name[1:]}
    if len(seen) == len(seconds):
        return ""
    whole = sum(seconds)
    began = [sum(seconds[:k]) / whole for k in range(len(seconds))]
    stops = " ".join(f"{at:.2%} {{ opacity: {int(k in seen)} }}" for k, at in enumerate(began))
    return (
        f"@keyframes {name} {{ {stops} }}\n"
        f".{name} {{ opacity: {int(1 in seen)}; animation: {name} {whole:g}s step-end infinite }}\n"
    )


def _size(svg: str) -> tuple[float, float]:
    box = re.search(r'viewBox="0 0 (\S+) (\S+)"', svg)
    assert box
    return float(box[1]), float(box[2])


_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">
<!-- made by: python -m tests.make_picture -->
<style>
text {{ font: 20px "Fira Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
.title {{ fill: #e9bd6e; font-weight: bold; text-anchor: middle }}
rect {{ shape-rendering: crispEdges }}
{looks}{motion}@media (prefers-reduced-motion: reduce), print {{ * {{ animation: none !important }} }}
</style>
<rect fill="#292929" stroke="#5f5f5f" x="1" y="1" width="100%" height="100%" rx="8"/>
<circle cx="26" cy="22" r="7" fill="#ff5f57"/>
<circle cx="48" cy="22" r="7" fill="#febc2e"/>
<circle cx="70" cy="22" r="7" fill="#28c840"/>
{title}<g transform="translate(9, 41)">
{body}</g>
</svg>
"""


def texts(svg: str) -> list[list[str]]:
    """The words of each frame of a moving picture, caption first, then as they stand from top left to bottom right."""
    root = ElementTree.fromstring(svg)
    name = root.tag.removesuffix("svg")
    found: dict[int, list[tuple[float, float, str]]] = {}
    for group in root.iter(f"{name}g"):
        for element in group.findall(f"{name}text"):
            place = float(element.get("y", "0")), float(element.get("x", "0"))
            for digit in group.get("class", "f")[1:]:
                found.setdefault(int(digit), []).append((*place, element.text or ""))
    captions = [e for e in root.findall(f"{name}text") if "title" in e.get("class", "")]
    return [[captions[k].text or "", *(text for _, _, text in sorted(found[k]))] for k in sorted(found)]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    target.write_text(moving(asyncio.run(take())), encoding="utf-8")
    sys.stdout.write(f"{target}: {target.stat().st_size / 1000:.0f} kB\n")
