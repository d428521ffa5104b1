"""Files that are none of ours, or too much, or made to do harm: what every command and every pane must stand.

``FILES`` is the list; each entry writes its file into a folder of the caller's. ``documents`` and ``damaged`` are
Hypothesis strategies for more of them. ``python -m tests.fuzz.hostile_files FOLDER`` writes all of them.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import socket
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hypothesis import strategies as st

from planscope.session.store import dumps
from tests.hostile import HOSTILE
from tests.session.make import figure_10

Fate = Literal["opens", "refused", "either"]
"""What a reader does with it: opens it, says in one line what is wrong, or one of both."""

GOOD: bytes = dumps(figure_10())
"""A sound session of one run."""

MB = 2**20


@dataclass(frozen=True)
class HostileFile:
    """``write(folder)`` makes it and returns its path. ``large``: takes seconds to make or read; for few tests only."""

    name: str
    write: Callable[[Path], Path]
    fate: Fate = "either"
    large: bool = False


def _bytes(
    name: str, data: Callable[[], bytes] | bytes, fate: Fate, file: str = "", large: bool = False
) -> HostileFile:
    def write(folder: Path) -> Path:
        path = folder / (file or "x.planscope.json")
        path.write_bytes(data if isinstance(data, bytes) else data())
        return path

    return HostileFile(name, write, fate, large)


def edited(change: Callable[[dict[str, Any]], object]) -> bytes:
    """The good session with a change, as JSON; numbers without end as 1e999, halves of surrogates as escapes."""
    document = json.loads(GOOD)
    change(document)
    return json.dumps(document).replace("-Infinity", "-1e999").replace("Infinity", "1e999").encode()


def spliced(place: str, text: str) -> bytes:
    """The good session with JSON text put where the words of ``place`` lead (``runs.0.events.1``)."""
    mark = "HERE-IT-COMES"

    def change(document: dict[str, Any]) -> None:
        here: Any = document
        *steps, last = place.split(".")
        for step in steps:
            here = here[int(step)] if isinstance(here, list) else here.setdefault(step, {})
        here[int(last) if isinstance(here, list) else last] = mark

    return edited(change).replace(f'"{mark}"'.encode(), text.encode("utf-8", "surrogatepass"))


# -- bytes that are no JSON ---------------------------------------------------------------------------------------

_NO_TEXT: dict[str, bytes] = {
    "empty": b"",
    "blank": b" \n\t\r\n",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "zeros": bytes(5000),
    "all bytes": bytes(range(256)) * 20,
    "noise": random.Random(1).randbytes(20_000),
    "utf-16": GOOD.decode().encode("utf-16"),
    "utf-16 without mark": GOOD.decode().encode("utf-16-le"),
    "utf-32": GOOD.decode().encode("utf-32"),
    "latin-1": '{"title": "é"}'.encode("latin-1"),
    "overlong utf-8": b'{"format": "planscope-session", "x": "\xc0\xaf"}',
    "a surrogate in utf-8": b'{"format": "planscope-session", "x": "\xed\xa0\x80"}',
    "beyond unicode": b'{"format": "planscope-session", "x": "\xf4\x90\x80\x80"}',
    "a lone continuation byte": GOOD.replace(b"Figure 10", b"Figure \x80"),
    "an escape byte": b"\x1b[31m" + GOOD,
    "a pickle": b"cos\nsystem\n(S'touch canary'\ntR.",
    "a binary pickle": b"\x80\x04\x95\x1a\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    "yaml": b"!!python/object/apply:os.system ['touch canary']\n",
    "toml": b'format = "planscope-session"\nversion = 1\n',
    "python": b"__import__('os').system('touch canary')\n",
    "javascript": b"module.exports = {format: 'planscope-session'}\n",
    "a shell script": b"#!/bin/sh\ntouch canary\n",
    "an ELF file": b"\x7fELF\x02\x01\x01" + bytes(200),
    "a zip file": b"PK\x03\x04" + bytes(200),
    "a PNG": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "sqlite": b"SQLite format 3\x00" + bytes(100),
    "JSON lines": b'{"a": 1}\n{"a": 2}\n',
    "text": b"A comes before B.\n",
}

_NO_JSON: dict[str, bytes] = {
    "two documents": GOOD + GOOD,
    "something after it": GOOD + b"x",
    "a comment": b"// hello\n" + GOOD,
    "single quotes": GOOD.replace(b'"', b"'"),
    "a comma at the end": GOOD.rstrip()[:-1] + b",}",
    "NaN": spliced("runs.0.events.1.x", "NaN"),
    "Infinity": spliced("x", "Infinity"),
    "-Infinity": spliced("x", "-Infinity"),
    "a hexadecimal number": spliced("x", "0x10"),
    "a number with zeros before it": spliced("x", "007"),
    "a number with a plus": spliced("x", "+1"),
    "a dot without digits": spliced("x", "1."),
    "a control byte in a text": spliced("x", '"\x07"'),
    "a line end in a text": spliced("x", '"a\nb"'),
    "an unknown escape": spliced("x", r'"\x41"'),
    "half an escape": spliced("x", r'"\u00"'),
    "a name that is no text": b"{1: 2}",
    "brackets that do not match": spliced("x", "[}"),
    "a text without end": b'{"format": "' + b'\\"' * 5000,
    "true in capitals": spliced("x", "True"),
    "a fullwidth number": spliced("x", "\uff11\uff12"),
}

_OTHER_JSON: dict[str, bytes] = {
    name: text.encode()
    for name, text in {
        "null": "null",
        "a number": "3",
        "a text": '"planscope-session"',
        "a list": "[1, 2]",
        "an empty object": "{}",
        "another format": '{"format": "something-else", "version": 1}',
        "a format that is a list": '{"format": ["planscope-session"], "version": 1}',
        "no version": '{"format": "planscope-session"}',
        "version 0": '{"format": "planscope-session", "version": 0}',
        "version -1": '{"format": "planscope-session", "version": -1}',
        "version true": '{"format": "planscope-session", "version": true}',
        "version 1.0": '{"format": "planscope-session", "version": 1.0}',
        "version as text": '{"format": "planscope-session", "version": "1"}',
        "version 99": '{"format": "planscope-session", "version": 99}',
        "a huge version": '{"format": "planscope-session", "version": ' + "9" * 900 + "}",
        "version 1e999": '{"format": "planscope-session", "version": 1e999}',
        "only format and version": '{"format": "planscope-session", "version": 1}',
        "a recovery file": '{"format": "planscope-recovery", "version": 1, "session": {}}',
    }.items()
}


def _twice() -> Iterator[HostileFile]:
    for name, old, new in [
        ("format", b'"format":', b'"format": "x", "format":'),
        ("runs", b'"runs":', b'"runs": [], "runs":'),
        ("a call's arguments", b'"start_time":', b'"start_time": 3, "start_time":'),
        ("a name and its escape", b'"title":', b'"t\\u0069tle": "x", "title":'),
    ]:
        yield _bytes(f"{name} twice", GOOD.replace(old, new, 1), "refused")
    yield _bytes("__proto__ twice", spliced("x", '{"__proto__": 1, "__proto__": 2}'), "refused")
    many = ",".join(f'"{k}": 0' for k in range(100_000))
    yield _bytes("one of many names twice", lambda: spliced("x", f'{{{many}, "7": 1}}'), "refused")


def _cut() -> Iterator[HostileFile]:
    for part in range(1, 20):
        yield _bytes(f"cut at {part}/20", GOOD[: len(GOOD) * part // 20], "refused")


# -- numbers ------------------------------------------------------------------------------------------------------

_NUMBERS = {
    "1e999": "1e999",
    "-1e999": "-1e999",
    "20 digits": "9" * 20,
    "310 digits": "9" * 310,
    "1,000 digits": "9" * 1000,
    "4,300 digits": "9" * 4300,
    "minus 4,300 digits": "-" + "9" * 4300,
    "a million digits": "9" * 1_000_000,
    "1e-400": "1e-400",
    "many decimals": "0." + "1" * 20_000,
    "minus zero": "-0",
    "minus one": "-1",
    "a half": "0.5",
    "a text": '"7"',
    "true": "true",
    "null": "null",
    "a list": "[1]",
}
_NUMBER_FIELDS = [
    "runs.0.events.2.arguments.start_time",
    "runs.0.events.2.step",
    "runs.0.events.1.at",
    "runs.0.events.1.took",
    "runs.0.events.1.usage.input_tokens",
    "runs.0.seed",
    "runs.0.forked_from.step",
    "variants.0.actions.0.duration",
    "variants.0.query.seed",
    "variants.0.limits.seconds",
    "variants.0.limits.model_calls",
    "variants.0.origin.number",
    "cursor.index",
    "x",
]


def _numbers() -> Iterator[HostileFile]:
    for place in _NUMBER_FIELDS:
        for name, text in _NUMBERS.items():
            fate: Fate = "refused" if len(text) > 1001 and "." not in text else "either"
            yield _bytes(f"{place} = {name}", spliced(place, text), fate)


# -- depth and size -----------------------------------------------------------------------------------------------


def _deep() -> Iterator[HostileFile]:
    def mixed(n: int) -> str:
        return '{"a":[' * (n // 2) + "]}" * (n // 2)

    for place in (
        "x",
        "runs.0.events.2.arguments.x",
        "variants.0.query.tree.x",
        "cursor.x",
        "runs.0.events.1.message.x",
    ):
        own = place.count(".") + 1
        yield _bytes(
            f"{place}: as deep as may be", spliced(place, "[" * (200 - own) + "]" * (200 - own)), "opens"
        )
        for depth in (201, 1000):
            yield _bytes(f"{place}: {depth} lists", spliced(place, "[" * depth + "]" * depth), "refused")
        yield _bytes(f"{place}: 400 objects and lists", spliced(place, mixed(400)), "refused")
    for n in (1000, 200_000):
        yield _bytes(f"{n} lists", b"[" * n + b"]" * n, "refused")
        yield _bytes(f"{n} lists without end", b"[" * n, "refused")
        yield _bytes(f"{n} objects without end", b'{"a":' * n, "refused")
    yield _bytes("brackets in a text are no depth", spliced("title", json.dumps('[{"\\' * 500)), "opens")


def _fill(unit: str, size: int) -> str:
    return unit * (size // len(unit))


_WORDS = (
    "the plan is to begin with sanitizing tools and then call apply_hair_color because the order matters at 10:00 for "
    'every step, check the result {"status": "ok", "start_time": 9} next after-before finished (see host-1 or 1.5)'
)


def _prose(draw: random.Random, size: int) -> str:
    return " ".join(draw.choices(_WORDS.split(), k=size // 6))


_LOOKED_AT: dict[str, tuple[Callable[[random.Random, int], str], int]] = {
    "9 MB of prose": (lambda draw, k: _prose(draw, 700), 12_000),
    "13 MB of prose": (lambda draw, k: _prose(draw, 700), 18_000),
    "13 MB of one text": (lambda draw, k: _prose(draw, 13 * MB // 2), 2),
    "13 MB of JSON in texts": (
        lambda draw, k: json.dumps([{"at": n, "said": f"{n}.{k}"} for n in range(25)]),
        11_000,
    ),
    "13 MB of noise": (lambda draw, k: draw.randbytes(9000).hex(" ", 3), 580),
    "13 MB that look like keys": (
        lambda draw, k: f"r8_{k} sk- AKIA eyJ{k}.eyJ token: AIza hf_ ghp_ xox" * 9,
        28_000,
    ),
    "5,000 addresses of mail": (lambda draw, k: f"mail user{k}@corp{k % 99}.acmecorp.org now", 5_000),
    "59,000 addresses of mail": (lambda draw, k: f"mail user{k}@corp{k % 99}.acmecorp.org now", 59_000),
    "one address of mail, 59,000 times": (lambda draw, k: "mail bob@corp.acmecorp.org, /home/bob/x", 59_000),
    "59,000 random tokens": (lambda draw, k: draw.randbytes(30).hex(), 59_000),
    "59,000 home directories": (lambda draw, k: f"cd /home/user{k}/work; ls ../user{k + 1}/x", 59_000),
    "2,000 home directories": (
        lambda draw, k: f"cd /home/user{k % 2000}/work{k}; ls ../user{k % 1900}/x",
        59_000,
    ),
    "59,000 keys": (lambda draw, k: f"sk-ant-api03-{draw.randbytes(16).hex()}", 59_000),
    "values of JSON in a text": (lambda draw, k: f"[{'1,' * 3_000_000}1]", 1),
    "objects of JSON in texts": (lambda draw, k: '{"a":' * 150 + str(k) + "}" * 150, 9_000),
}
"""Texts by their number, and how many of them a run says: what is shared is looked through for what is private."""


def _saying(text: Callable[[random.Random, int], str], count: int) -> bytes:
    draw = random.Random(1)
    said = [{"type": "error", "kind": "said", "text": text(draw, k)} for k in range(count)]
    return edited(
        lambda d: d["runs"][0].update(
            events=[*d["runs"][0]["events"][:-1], *said, d["runs"][0]["events"][-1]]
        )
    )


def calls(count: int) -> str:
    return ",".join(f'{{"type": "call", "step": {k}, "tool": "x"}}' for k in range(1, count + 1))


def _large() -> Iterator[HostileFile]:
    """What would fill memory: each a few hundred times as large there as on the disk, or long to judge."""
    last = '{"type": "end", "ending": "stopped"}'
    for size in (5, 15):
        units = {
            "empty lists": ("x", "[{}1]", "[],"),
            "short texts": ("x", "[{}1]", '"ab",'),
            "numbers": ("x", "[{}1]", "1.5,"),
            "errors": ("runs.0.events", f"[{{}}{last}]", '{"type":"error","kind":"","text":""},'),
            "letters and an emoji": ("notes", '"{}\U0001f600"', "a"),
            "escapes of surrogates": ("notes", '"{}"', "\\ud83d\\ude00"),
            "halves of surrogates": ("notes", '"{}"', "\\ud83d"),
            "quotes": ("notes", '"{}"', '\\"'),
            "messages": (
                "runs.0.events",
                f"[{{}}{last}]",
                '{"type":"message","text":"%s\U0001f600"},' % ("x" * 900),
            ),
        }
        for name, (place, around, unit) in units.items():
            yield _bytes(
                f"{size} MB of {name}",
                lambda place=place, around=around, unit=unit, size=size: spliced(
                    place, around.replace("{}", _fill(unit, size * MB), 1)
                ),
                "either",
                large=True,
            )
    for name, (text, count) in _LOOKED_AT.items():
        yield _bytes(name, lambda text=text, count=count: _saying(text, count), "opens", large=True)
    errors = '{"type":"error","kind":"","text":""},' * 59_000
    yield _bytes("59,000 errors", lambda: spliced("runs.0.events", f"[{errors}{last}]"), "opens", large=True)
    yield _bytes("65 MB of blanks", lambda: b" " * (65 * MB), "refused", large=True)
    yield _bytes("16 MB that are one number", lambda: b"9" * (16 * MB), "refused", large=True)
    yield _bytes(
        "100,000 calls", lambda: spliced("runs.0.events", f"[{calls(100_000)},{last}]"), "opens", large=True
    )
    yield _bytes(
        "100,001 calls", lambda: spliced("runs.0.events", f"[{calls(100_001)},{last}]"), "refused", large=True
    )
    yield _bytes(
        "10,000 calls", lambda: spliced("runs.0.events", f"[{calls(10_000)},{last}]"), "opens", large=True
    )
    yield _bytes("1,000 calls", lambda: spliced("runs.0.events", f"[{calls(1000)},{last}]"), "opens")
    yield _bytes("1,000 actions in a chain", lambda: chain(1000), "opens", large=True)
    yield _bytes("1,001 actions", lambda: chain(1001), "refused")
    yield _bytes("2,000 runs", lambda: edited(_many_runs), "opens", large=True)
    yield _bytes(
        "2,000 variants, each the parent of the next", lambda: edited(_many_variants), "opens", large=True
    )


def chain(count: int) -> bytes:
    """A request that orders all of its actions, and a run that does them the other way round."""

    def change(document: dict[str, Any]) -> None:
        variant, run = document["variants"][0], document["runs"][0]
        variant["actions"] = [
            {"id": f"a{k}", "name": f"act {k}", "tool": f"act_{k}"} for k in range(1, count + 1)
        ]
        text = " ".join(f"Act {k} comes before act {k + 1}." for k in range(1, count))
        variant["query"] = {"text": text, "timed": False}
        order = [f"act_{k}" for k in range(count, 0, -1)]
        made = [{"type": "call", "step": k, "tool": tool, "arguments": {}} for k, tool in enumerate(order, 1)]
        run["events"] = [*made, {"type": "end", "ending": "stopped"}]

    return edited(change)


def _many_runs(document: dict[str, Any]) -> None:
    document["runs"] = [document["runs"][0] | {"id": f"r{k}"} for k in range(2000)]


def _many_variants(document: dict[str, Any]) -> None:
    first = document["variants"][0]
    more = [first | {"id": f"w{k}", "parent": f"w{k - 1}" if k else "v1"} for k in range(2000)]
    document["variants"] = [first, *more]


def _long() -> Iterator[HostileFile]:
    for place in (
        "title",
        "id",
        "notes",
        "runs.0.agent",
        "runs.0.model",
        "runs.0.events.1.text",
        "watches.0",
    ):
        text = json.dumps("x" * 300_000)
        data = spliced(place, text) if place != "watches.0" else spliced("watches", f"[{text}]")
        yield _bytes(f"a long {place}", data, "opens")
    yield _bytes("a long run id", edited(lambda d: d["runs"][0].update(id="r" * 100_000)), "opens")
    yield _bytes(
        "a long action name", spliced("variants.0.actions.0.name", json.dumps("tidy " * 20_000)), "either"
    )
    yield _bytes("many breakpoints", spliced("breakpoints", json.dumps(["step 1"] * 5000)), "opens")
    yield _bytes(
        "long watches",
        spliced("watches", json.dumps(["(" * 50_000, "not " * 50_000, "1+" * 50_000])),
        "opens",
    )
    yield _bytes(
        "breakpoints that are no expressions", spliced("breakpoints", json.dumps(HOSTILE[:60:2])), "opens"
    )


# -- gzip ---------------------------------------------------------------------------------------------------------


def bomb(size: int = 2**30) -> bytes:
    """Gzip of ``size`` blanks: a thousandth of that on the disk."""
    packer = zlib.compressobj(9, wbits=-15)
    piece = b" " * MB
    packed = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)  # the same bytes for each piece
    crc = 0
    for _ in range(size // MB):
        crc = zlib.crc32(piece, crc)
    head, tail = gzip.compress(b"")[:10], struct.pack("<II", crc, size % 2**32)
    return b"".join([head, *[packed] * (size // MB), packer.flush(), tail])


def _gzip() -> Iterator[HostileFile]:
    file = "x.planscope.json.gz"
    packed = gzip.compress(GOOD, mtime=0)
    yield _bytes("gzip that is sound", packed, "opens", file)
    yield _bytes("gzip without its suffix", packed, "opens")
    yield _bytes("no gzip, with its suffix", GOOD, "opens", file)
    yield _bytes("a gzip bomb of a gigabyte", bomb, "refused", file, large=True)
    yield _bytes(
        "a gzip bomb after a session", lambda: gzip.compress(GOOD + b" " * (70 * MB)), "refused", file
    )
    yield _bytes("gzip in gzip", lambda: gzip.compress(packed), "refused", file)
    yield _bytes("gzip ten times", lambda: _packed_again(10), "refused", file)
    yield _bytes("two members", packed + packed, "either", file)
    yield _bytes("gzip with noise after it", packed + b"noise", "either", file)
    yield _bytes("gzip that is cut", packed[:-20], "refused", file)
    yield _bytes("gzip that is cut in its head", packed[:5], "refused", file)
    yield _bytes("a wrong checksum", packed[:-8] + b"\0\0\0\0" + packed[-4:], "refused", file)
    yield _bytes("an unknown method", packed[:2] + b"\x07" + packed[3:], "refused", file)
    yield _bytes("empty gzip", gzip.compress(b""), "refused", file)
    yield _bytes("a path as the name in gzip", _named_gzip(b"../../canary"), "opens", file)
    for at in (12, 100, 300):
        yield _bytes(f"gzip, byte {at} changed", _flipped(packed, at), "either", file)


def _packed_again(times: int) -> bytes:
    data = GOOD
    for _ in range(times):
        data = gzip.compress(data)
    return data


def _named_gzip(name: bytes) -> bytes:
    packed = gzip.compress(GOOD, mtime=0)
    return packed[:3] + b"\x08" + packed[4:10] + name + b"\0" + packed[10:]


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


# -- pages --------------------------------------------------------------------------------------------------------


def page(inside: str, around: str = "{}") -> bytes:
    """A page (HTML) as sharing makes it, roughly: the session in an element that is no script."""
    element = f'<script type="application/json" id="planscope-session">{inside}</script>'
    return f"<!doctype html><title>x</title>{around.replace('{}', element)}".encode("utf-8", "surrogatepass")


def _pages() -> Iterator[HostileFile]:
    evil = "<script>fetch('http://127.0.0.1:9/canary')</script>"
    safe = GOOD.decode().replace("<", "\\u003c")
    titled = edited(lambda d: d.update(title=evil)).decode()
    for name, data, fate in [
        ("a page without a session", f"<!doctype html><p>hello</p>{evil}".encode(), "refused"),
        ("a page with a session", page(safe), "either"),
        ("a page with two sessions", page(safe, "{}{}"), "refused"),
        ("a page whose session is cut", page(safe)[: len(page(safe)) // 2], "refused"),
        ("a page with a script in the data", page(titled), "refused"),
        ("a page with an escaped script in the data", page(titled.replace("<", "\\u003c")), "either"),
        ("a page with a comment round the session", page(safe, "<!--{}-->"), "either"),
        ("a page with an empty session", page(""), "refused"),
        (
            "a page that includes another",
            b'<iframe src="file:///etc/passwd"></iframe><link rel=import href=canary>',
            "refused",
        ),
        ("a page with entities", page(safe.replace('"', "&quot;")), "refused"),
        ("an SVG", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "refused"),
        (
            "a billion laughs",
            b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>',
            "refused",
        ),
        ("an outside entity", b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', "refused"),
    ]:
        yield _bytes(name, data, fate, "page.html")
    yield _bytes("a page called like a session", page(safe), "either")
    yield _bytes("a session called like a page", GOOD, "opens", "page.html")


# -- what it says -------------------------------------------------------------------------------------------------

CANARY = "planscope_canary"
"""A module that must never be imported, a path and an address that must never be touched."""

ADDRESSES = (
    "http://127.0.0.1:{port}/canary",
    "file:///etc/passwd",
    "\\\\127.0.0.1\\share",
    "../../canary",
    "/etc/passwd",
)


def naming(what: str) -> bytes:
    """A session that names ``what`` wherever a careless program might act on a name."""

    def change(document: dict[str, Any]) -> None:
        spread = {
            "base_url": what, "api_base": what, "url": what, "path": what, "file": what, "module": what,
            "import": what, "include": what, "$ref": what, "__class__": what, "__module__": what, "__reduce__": what,
            "py/object": what, "plugin": what, "prompts": what, "topics_file": what, "theme": what, "command": what,
            "lc": 1, "type_": "constructor", "schema": what, "$schema": what,
        }  # fmt: skip
        document |= spread | {"title": what, "id": what, "notes": what, "cursor": {"run": what, "file": what}}
        document["variants"][0] |= spread
        document["variants"][0]["query"] |= spread | {"topic": what}
        run = document["runs"][0]
        run |= spread | {"agent": what, "model": what}
        for event in run["events"]:
            event |= {k: v for k, v in spread.items() if k not in event}
            if event["type"] == "message":
                event["message"] = {
                    "lc": 1,
                    "type": "constructor",
                    "id": what.split(":"),
                    "kwargs": {"content": what},
                }

    return edited(change)


def _names() -> Iterator[HostileFile]:
    for what in (
        f"{CANARY}:factory", f"{CANARY}.sub:factory", "os:system", "builtins:exec", "planscope.cli:main",
        "openai:gpt@http://127.0.0.1:9/canary", "sim:careful?path=/etc/passwd", "provider:..%2f..%2fcanary",
        *ADDRESSES, "~/canary", "$(touch canary)", "`touch canary`", "; touch canary", "%s%n%x", "{0.__class__}",
        "{self.__init__.__globals__}", "${jndi:ldap://127.0.0.1:9/a}", "CON", "NUL.json", "-rf", "--help", "a\0b",
    ):  # fmt: skip
        yield _bytes(f"names {what}", naming(what), "opens")


_SHADOWS = (
    *(
        "model_dump",
        "model_fields",
        "model_config",
        "model_extra",
        "model_copy",
        "__class__",
        "__dict__",
        "__init__",
    ),
    *("copy", "json", "dict", "__pydantic_extra__", "__proto__", "constructor", "_", "", "self", "cls"),
)


def _shadows() -> Iterator[HostileFile]:
    """Fields called like what the classes behind have."""
    for name in _SHADOWS:

        def change(document: dict[str, Any], name: str = name) -> None:
            for part in (
                document,
                document["variants"][0],
                document["runs"][0],
                document["runs"][0]["events"][1],
            ):
                part[name] = {"x": 1}

        yield _bytes(f"a field {name!r}", edited(change), "either")


_CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "two runs of one id": lambda d: d["runs"].append(d["runs"][0]),
    "two variants of one id": lambda d: d["variants"].append(d["variants"][0]),
    "two actions of one id": lambda d: d["variants"][0]["actions"][1].update(id="a1"),
    "two actions of one tool": lambda d: d["variants"][0]["actions"][1].update(
        tool=d["variants"][0]["actions"][0]["tool"]
    ),
    "a run of no variant": lambda d: d["runs"][0].update(variant="v7"),
    "a variant that is its own parent": lambda d: d["variants"][0].update(parent="v1"),
    "a parent that is not there": lambda d: d["variants"][0].update(parent="v7"),
    "a fork of no run": lambda d: d["runs"][0].update(forked_from={"run": "r7", "step": 1}),
    "calls out of order": lambda d: d["runs"][0]["events"][2].update(step=3),
    "an answer to no call": lambda d: d["runs"][0]["events"].insert(
        1, {"type": "answer", "step": 9, "text": "x"}
    ),
    "an unknown event": lambda d: d["runs"][0]["events"].insert(1, {"type": "exec", "code": "1"}),
    "an event without a type": lambda d: d["runs"][0]["events"].insert(1, {}),
    "an unknown ending": lambda d: d["runs"][0]["events"][-1].update(ending="boom"),
    "an action id that is none": lambda d: d["variants"][0]["actions"][0].update(id="a1) (exit"),
    "a tool name with an escape": lambda d: d["variants"][0]["actions"][0].update(tool="\x1b[31m"),
    "a tool name of blanks": lambda d: d["variants"][0]["actions"][0].update(tool="a b"),
    "runs that are no list": lambda d: d.update(runs={"0": d["runs"][0]}),
    "runs that are null": lambda d: d.update(runs=None),
    "a dissection of no variant": lambda d: d.update(
        dissections=[{"id": "d1", "variant": "v7", "agent": "tools", "model": "m"}]
    ),
    "a time that is none": lambda d: d.update(created="yesterday"),
    "a time before time": lambda d: d.update(created="0001-01-01T00:00:00+14:00"),
    "a time after all": lambda d: d.update(created="9999-12-31T23:59:59-14:00"),
    "a time as a number": lambda d: d.update(created=1e300),
    "a negative time of day": lambda d: d["runs"][0].update(started=-62135596800),
}
_ODD: dict[str, Callable[[dict[str, Any]], object]] = {
    "no variants": lambda d: d.update(variants=[], runs=[]),
    "no runs": lambda d: d.update(runs=[]),
    "no events": lambda d: d["runs"][0].update(events=[]),
    "two endings": lambda d: d["runs"][0]["events"].append(d["runs"][0]["events"][-1]),
    "events after the end": lambda d: d["runs"][0]["events"].append(
        {"type": "error", "kind": "x", "text": "y"}
    ),
    "an ending first": lambda d: d["runs"][0]["events"].insert(0, {"type": "end", "ending": "aborted"}),
    "answers before their calls": lambda d: (
        d["runs"][0]["events"].reverse()
        or [
            e.update(step=k)
            for k, e in enumerate((e for e in d["runs"][0]["events"] if e["type"] == "call"), 1)
        ]
    ),
    "no actions": lambda d: d["variants"][0].update(actions=[]),
    "an empty request": lambda d: d["variants"][0]["query"].update(text=""),
    "a request of blanks": lambda d: d["variants"][0]["query"].update(text=" \n \t "),
    "a request that cannot be read": lambda d: d["variants"][0]["query"].update(text="Tidy up, please!"),
    "a contradiction": lambda d: d["variants"][0]["query"].update(
        text="Sanitizing tools comes before applying hair color. Applying hair color comes before sanitizing tools."
    ),
    "a timed request read as untimed": lambda d: d["variants"][0]["query"].update(timed=False),
    "relative clauses without end": lambda d: d["variants"][0]["query"].update(
        text="Sanitizing tools, " + "which comes before applying hair color, " * 1400
    ),
    "punctuation": lambda d: d["variants"][0]["query"].update(text=".,;:" * 14_000),
    "brackets": lambda d: d["variants"][0]["query"].update(text="(" * 50_000),
    "one long word": lambda d: d["variants"][0]["query"].update(text="x" * 50_000),
    "and and and": lambda d: d["variants"][0]["query"].update(text="Sanitizing tools and " * 2500 + "."),
    "a sentence often": lambda d: d["variants"][0]["query"].update(
        text="Sanitizing tools comes before applying hair color. " * 1100
    ),
    "a request that is too long": lambda d: d["variants"][0]["query"].update(text="x" * 300_001),
    "a timed request that is too long": lambda d: d["variants"][0]["query"].update(text="x" * 60_001),
    "actions of one name": lambda d: [a.update(name="tidying") for a in d["variants"][0]["actions"]],
    "a name that is a keyword": lambda d: d["variants"][0]["actions"][0].update(name="comes before"),
    "a name that is empty": lambda d: d["variants"][0]["actions"][0].update(name=""),
    "names within names": lambda d: [
        a.update(name=n) for a, n in zip(d["variants"][0]["actions"], ("a", "a a", "a a a"), strict=True)
    ],
    "constraints that lie": lambda d: d["variants"][0].update(
        constraints=[{"id": "c1", "kind": "order"}] * 50
    ),
    "a tree that lies": lambda d: d["variants"][0]["query"].update(tree={"kind": ["sentence"] * 50}),
    "a cursor that points nowhere": lambda d: d.update(cursor={"index": 10**9, "run": "r9", "line": -1}),
    "arguments that are no hours": lambda d: d["runs"][0]["events"][2].update(
        arguments={"start_time": {"a": [1]}}
    ),
    "arguments that are null": lambda d: d["runs"][0]["events"][2].update(
        arguments=None, raw="{", error="no JSON"
    ),
    "usage that is negative": lambda d: d["runs"][0]["events"][1].update(usage={"input_tokens": -5}),
    "a tool that asks for a restart": lambda d: d["variants"][0]["actions"][0].update(tool="ask_for_restart"),
}


def _said() -> Iterator[HostileFile]:
    for name, change in _CHANGES.items():
        yield _bytes(name, edited(change), "refused" if "time" not in name else "either")
    for name, change in _ODD.items():
        yield _bytes(name, edited(change), "either")


def hostile_text(text: str) -> bytes:
    """The good session with ``text`` wherever texts are free."""

    def change(document: dict[str, Any]) -> None:
        document |= {
            "title": text,
            "notes": text,
            "breakpoints": [text],
            "watches": [text],
            "cursor": {text: text},
        }
        document["variants"][0]["query"]["topic"] = text
        run = document["runs"][0]
        run |= {"agent": text, "model": text, "id": text}
        run["events"][0] |= {"text": text, "system": text}
        run["events"][1] |= {"text": text, "message": {text: text}}
        run["events"][3] |= {"text": text, "said": text}
        run["events"].insert(1, {"type": "error", "kind": text, "text": text})
        run["events"][-1] |= {"ending": "aborted", "reason": text}

    return edited(change)


def _texts() -> Iterator[HostileFile]:
    for number, text in enumerate(HOSTILE):
        yield _bytes(f"text {number}: {text[:16]!r}", hostile_text(text), "opens")


# -- things that are no files -------------------------------------------------------------------------------------


def _made(name: str, make: Callable[[Path], object], fate: Fate = "refused") -> HostileFile:
    def write(folder: Path) -> Path:
        path = folder / "x.planscope.json"
        make(path)
        return path

    return HostileFile(name, write, fate)


def _beside(path: Path) -> Path:
    other = path.with_name("other.json")
    other.write_bytes(GOOD)
    return other


def _precious(path: Path) -> Path:
    """A file that nobody may write to, whatever leads to it; no real one, since tests may be run by root."""
    other = path.with_name("precious")
    other.write_text("root:x:0:0:root:/root:/bin/sh\n", encoding="utf-8")
    return other


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made, suppress(OSError):  # too long a path for one
        made.bind(str(path))


def _places() -> Iterator[HostileFile]:
    yield _made("a directory", lambda p: p.mkdir())
    yield _made("a pipe", os.mkfifo)
    yield _made("a socket", _socket)
    yield _made("nothing there", lambda p: None)
    yield _made("a link to a session", lambda p: p.symlink_to(_beside(p)), "opens")
    yield _made("a link to a link", lambda p: _twice_linked(p), "opens")
    yield _made("a link to nothing", lambda p: p.symlink_to("gone"))
    yield _made("a link to itself", lambda p: p.symlink_to(p.name))
    yield _made("a link to a folder", lambda p: p.symlink_to(p.parent))
    yield _made("a link to what is no session", lambda p: p.symlink_to(_precious(p)))
    for device in ("/dev/zero", "/dev/null", "/dev/full", "/dev/tty"):
        yield _made(f"a link to {device}", lambda p, device=device: p.symlink_to(device))
    yield _made("a link to standard input", lambda p: p.symlink_to("/dev/stdin"), "either")
    yield _made("a hard link", lambda p: p.hardlink_to(_beside(p)), "opens")
    for name in (
        "\x1b[31mred",
        "a\u202eb",
        "two\nlines",
        "[bold]",
        "-rf",
        "~",
        "a b",
        "é",
        "x" * 200,
        "%n",
        "..",
    ):
        yield _bytes(f"a file called {name[:20]!r}", GOOD, "opens", f"{name}.planscope.json")


def _twice_linked(path: Path) -> None:
    middle = path.with_name("middle.json")
    middle.symlink_to(_beside(path))
    path.symlink_to(middle)


FILES: tuple[HostileFile, ...] = (
    _bytes("a sound session", GOOD, "opens"),
    _bytes("a sound session after a byte order mark", b"\xef\xbb\xbf" + GOOD, "opens"),
    *(_bytes(name, data, "refused") for name, data in {**_NO_TEXT, **_NO_JSON, **_OTHER_JSON}.items()),
    *_twice(),
    *_cut(),
    *_numbers(),
    *_deep(),
    *_large(),
    *_long(),
    *_gzip(),
    *_pages(),
    *_names(),
    *_shadows(),
    *_said(),
    *_texts(),
    *_places(),
)
"""Some seven hundred. Those that are ``large`` take up to 65 MB on the disk each."""

SMALL: tuple[HostileFile, ...] = tuple(file for file in FILES if not file.large)


# -- more of them -------------------------------------------------------------------------------------------------

_json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([float("inf"), 10**400, -1, 0, "", *HOSTILE[:70]])
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def _places_in(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places_in(one, (*at, key))


_PLACES = sorted(_places_in(json.loads(GOOD)), key=repr)


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """The good session with up to four values replaced, dropped or doubled: JSON of the right kind, nearly."""
    document = json.loads(GOOD)
    for _ in range(draw(st.integers(1, 4))):
        *path, last = draw(st.sampled_from(_PLACES))
        here: Any = document
        with suppress(LookupError, TypeError):
            for key in path:
                here = here[key]
            kind = draw(st.sampled_from(("replace", "drop", "double")))
            if kind == "drop":
                del here[last]
            elif kind == "double" and isinstance(here, list):
                here.append(here[last])
            else:
                here[last] = draw(_json_values)
    return json.dumps(document).replace("Infinity", "1e999").encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """The good session, or its gzip, with bytes changed, dropped or put in."""
    data = bytearray(draw(st.sampled_from([GOOD, gzip.compress(GOOD, mtime=0)])))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data) - 1))
        kind = draw(st.sampled_from(("change", "drop", "insert", "cut")))
        if kind == "change":
            data[at] = draw(st.integers(0, 255))
        elif kind == "drop":
            del data[at : at + draw(st.integers(1, 40))]
        elif kind == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=20))
        else:
            del data[at:]
        if not data:
            break
    return bytes(data)


def main() -> None:
    """Write all of them, each into a folder of its own below the one named."""
    base = Path(sys.argv[1])
    for number, file in enumerate(FILES):
        folder = base / f"{number:03}"
        folder.mkdir(parents=True)
        file.write(folder)


if __name__ == "__main__":
    main()
