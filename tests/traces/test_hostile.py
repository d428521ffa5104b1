"""Damaged and hostile traces: one line, or what can be read."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest
import zstandard

from planscope import extensions
from planscope.traces import Unreadable, open_traces, opening
from tests.fuzz.hostile_traces import check, mutated
from tests.traces.samples import SAMPLES, span, whole


@pytest.mark.parametrize("name", SAMPLES)
def test_a_damaged_file_never_crashes_a_reader(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANSCOPE_TRACEBACK", "1")
    for seed in range(6):
        draw = random.Random(f"{name} {seed}")
        check(tmp_path, mutated(SAMPLES[name][1], draw))


def read(path: Path, data: bytes) -> list[object]:
    path.write_bytes(data)
    return list(open_traces([path]))


def test_a_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planscope.traces import source

    monkeypatch.setattr(source, "BOMB_FROM", 2**20)
    blank = b"\n" * 2**23
    bomb = zstandard.ZstdCompressor().compress(SAMPLES["chat, a message a line"][1] + blank)
    (trace,) = read(tmp_path / "a.zst", bomb)
    assert "unpacks to more than 250 times its size" in str(trace.problem) and len(trace.calls) == 2
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", b"[" + b" " * 2**23)
    (trace,) = read(tmp_path / "a.eval", made.getvalue())
    assert "unpacks to more than 250 times its size" in str(trace.problem)


def test_a_line_without_an_end_ends_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planscope.traces import json_stream

    monkeypatch.setattr(json_stream.Lines.__init__, "__defaults__", (2**20,))
    data = SAMPLES["chat, a message a line"][1] + b'{"role": "user", "content": "' + b"x" * 2**21
    (trace,) = read(tmp_path / "a", data)
    assert trace.problem == "line 7: a line is longer than 1 MB" and len(trace.calls) == 2


def test_a_damaged_line_in_the_middle_is_said_with_its_place(tmp_path: Path) -> None:
    lines = SAMPLES["codex"][1].splitlines(keepends=True)
    (trace,) = read(tmp_path / "a", b"".join([*lines[:5], b'{"half": \n', *lines[5:]]))
    assert str(trace.problem).startswith("line 6: it is not JSON") and trace.ending == "stopped"
    assert len(trace.calls) == 2
    assert [(one.kind, one.path) for one in trace.left_out] == [("not understood", "line 6")]


def test_a_reader_of_another_package_that_does_not_work_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site" / "theirs-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(f"[{opening.GROUP}]\ntheirs = theirs:Reader\n")
    (tmp_path / "site" / "theirs.py").write_text('raise ImportError("no module\\nnamed theirs")')
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    caches = (opening.other_readers, extensions.entries, extensions.loaded)
    for cache in caches:
        cache.cache_clear()
    said: list[str] = []
    path = tmp_path / "a"
    path.write_bytes(SAMPLES["chat"][1])
    try:
        assert len(list(open_traces([path], on_problem=said.append))) == 1
    finally:
        for cache in caches:
            cache.cache_clear()
    assert said == [
        "the trace reader theirs (theirs:Reader) of another package cannot be used: ImportError: no module named theirs"
    ]


def test_one_bad_file_among_many_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{}")
    (tmp_path / "b.json").write_bytes(SAMPLES["chat"][1])
    (tmp_path / "c.jsonl").write_bytes(SAMPLES["codex"][1])
    said: list[str] = []
    assert [t.format for t in open_traces([tmp_path], on_problem=said.append)] == ["openai-chat", "codex"]
    assert len(said) == 1 and "a.json" in said[0]
    with pytest.raises(Unreadable, match=r"a\.json"):
        list(open_traces([tmp_path]))


def test_spans_that_are_above_one_another_are_read(tmp_path: Path) -> None:
    names = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    around = [span("a", "b", "x", 0, names), span("b", "a", "y", 1, names), span("c", "c", "z", 2, names)]
    (tmp_path / "x.json").write_bytes(whole({"resourceSpans": [{"scopeSpans": [{"spans": around}]}]}))
    (trace,) = open_traces([tmp_path / "x.json"])
    assert [(call.tool, call.agent) for call in trace.calls] == [("search", None)] * 3
