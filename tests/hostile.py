"""Strings that a model, a tool or a file may hold, and that must be shown as they are and do nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
WHOLE = bool(os.environ.get("PLANSCOPE_WHOLE"))


def in_turn(cases: Sequence[T], turn: int, of: int) -> list[T]:
    """Every case of number ``turn`` modulo ``of``, so that many turns try all; all where PLANSCOPE_WHOLE is set."""
    return list(cases) if WHOLE else list(cases[turn % of :: of])


ESC = "\x1b"

HOSTILE: tuple[str, ...] = (
    # markup
    "[bold]loud[/bold]",
    "[/",
    "[/]",
    "[",
    "]",
    "[[",
    "\\[",
    "\\",
    "[$primary]coloured",
    "$primary",
    "[@click=app.quit]press me[/]",
    "[@click=app.bell()]ring",
    "[link=https://example.invalid]x[/link]",
    "a[i] == b[j]",
    "[red on blue]",
    "[/nonsense]",
    "[not a style at all!]",
    ":smile: :warning:",
    "{0} {name} %s %(x)s ${HOME} $(id) `id`",
    "<script>alert(1)</script>&amp;",
    "# heading\n- [link](https://example.invalid)",
    # what a terminal obeys
    f"{ESC}]0;a new title\x07",
    f"{ESC}]8;;https://example.invalid{ESC}\\link{ESC}]8;;{ESC}\\",
    f"{ESC}]52;c;cm0gLXJmIC8=\x07",
    f"{ESC}[31mred{ESC}[0m",
    f"{ESC}[2J{ESC}[H",
    f"{ESC}[?1049h",
    f"{ESC}[6n",
    f"{ESC}c",
    f"{ESC}P+q544e{ESC}\\",
    f"{ESC}_Gf=24;AAAA{ESC}\\",
    ESC,
    "\x9b31mred",
    "\x9d52;c;AAAA\x9c",
    "\x90\x98\x9e\x9f\x84\x85",
    "\x00",
    "a\x00b",
    "".join(map(chr, range(0x20))),
    "".join(map(chr, range(0x7F, 0xA1))),
    "over\rwritten",
    "back\b\b\b\bspace",
    "bell\x07 shift\x0e\x0f form\x0c vertical\x0b",
    "tab\tbed",
    # reading direction
    "user\u202egpj.exe",
    "\u202a\u202b\u202d\u202e\u202c",
    "\u2066isolate\u2069 \u2067rtl\u2069 \u2068first\u2069",
    "\u200e\u200f\u061c",
    "שלום עולם",
    "مرحبا بالعالم",
    # invisible
    "zero\u200bwidth\u200cnon\u200djoiner\u2060word",
    "\ufeffbom",
    "soft\u00adhyphen",
    "line\u2028separator\u2029paragraph",
    "next\u0085line",
    "\u115f\u1160\u3164\uffa0\u2800\u180e",
    "\u2061\u2062\u2063\u2064\u206a\u206f",
    "\ufff9anchor\ufffanote\ufffb",
    "a\U000e0041\U000e0042\U000e007f",
    "a\ufe0f\ufe0e\ufe01b\U000e0100",
    "\ue000\uf8ff\U000f0000\U0010fffd",
    "\uffff\ufdd0\U0001ffff\u0378",
    "non\u00a0break\u2003em\u3000ideographic",
    # marks and width
    "Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349a\u0334\u0335l\u0336g\u0337o",
    "e" + "\u0301" * 5000,
    "\u0301leading mark",
    "a\n\u0301b",
    "\u20dd\u20e3",
    "ไม่ได้ नमस्ते क्षि",
    "각 한 \u1161\u1161\u1161\u1161\u1161\u1161",
    "👨\u200d👩\u200d👧\u200d👦",
    "👍🏽 👍 🏽 x🏽",
    "❤\ufe0f ✔\ufe0f 1\ufe0f\u20e3 ☝\ufe0f🏽",
    "🇩🇪🇫🇷🇩",
    "先检查网络状态,然后诊断。",
    "全角ABC ハンカク",
    "䷀☰⚊𝌀",
    # size and form
    "",
    " ",
    " " * 300,
    "\n",
    "\n\n\n",
    "\r\n",
    "one\ntwo\r\nthree\rfour",
    "x" * 100_000,
    "word " * 5_000,
    "字" * 3_000,
    # encoding
    "\ud800",
    "\udfff\ud800",
    "a\udcffb",
    "\ufffd",
    "Ω𝔘𝕟𝖎ß \u017f İ ŉ ǰ ΐ",
    "A" + "\u030a" + "Å",
    # things that look like our own words
    "c1",
    "b7",
    "end",
    "none",
    "true",
    "ask_for_restart",
    "../../etc/passwd",
    "'; DROP TABLE runs; --",
)
"""Every one is a ``str``; some cannot be encoded (lone surrogates)."""

SAVEABLE: tuple[str, ...] = tuple(s for s in HOSTILE if not any("\ud800" <= c <= "\udfff" for c in s))
"""Those that UTF-8 can encode: what can stand in a file."""
