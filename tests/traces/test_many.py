"""Many traces by worker processes: the same ids and results in the same order as in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.traces import many, open_traces
from planscope.traces.shape import Trace
from tests.bench.bench_traces import write
from tests.traces.samples import SAMPLES


def tools_of(trace: Trace) -> tuple[str, list[str], str | None]:
    return trace.source, [call.tool for call in trace.calls], trace.problem


def test_workers_give_what_one_process_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "PIECE", 100_000)
    count = write(tmp_path / "a.jsonl", 1)
    with (tmp_path / "a.jsonl").open("ab") as file:
        file.write(b'{"id": "last", "messages": [{"role": "user", "content": "x"}, {"role"')
    (tmp_path / "b.jsonl").write_bytes(SAMPLES["codex"][1])
    (tmp_path / "c.json").write_bytes(b"{}")
    said: list[str] = []
    found = list(many.map_traces([tmp_path], tools_of, workers=2, on_problem=said.append))
    alone = [(trace.id, tools_of(trace)) for trace in open_traces([tmp_path], on_problem=said.append)]
    assert found == alone and len(found) == count + 2
    assert found[-2][0] == "last" and "the file ends there" not in str(found[-2][1][2]) and found[-2][1][2]
    assert len(said) == 2 and said[0] == said[1]
