"""The families of damaged runs, and the command that judges one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.causes import family_d, family_e, family_m, family_p, who_when
from tests.causes.family import drawn, labelled, main
from tests.causes.measure import Judge, measured
from tests.nightly import nightly

FOLDER = Path(os.environ.get("PLANSCOPE_TRACES", Path(__file__).resolve().parents[4] / "shared" / "traces"))
GOOD = FOLDER / "tau_retail_good.json"
real = pytest.mark.skipif(not GOOD.exists(), reason="the real traces are not there")


def record(id: str, step: int | None, *tools: str) -> dict[str, Any]:
    """A run in tau-bench's form: each tool is called once, without arguments."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Help."},
        {"role": "user", "content": "Hi"},
    ]
    for number, tool in enumerate(tools):
        function = {"name": tool, "arguments": "{}"}
        messages += [
            {"role": "assistant", "content": None,
             "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": f"c{number}", "name": tool, "content": "done"},
        ]  # fmt: skip
    return {"task_id": 0, "trial": 0, "reward": 0.0, "info": {}, "traj": messages,
            "id": id, "step": step, "kind": "k"}  # fmt: skip


def test_labels_are_kept_apart_from_what_is_read() -> None:
    runs = labelled([record("r1", 2, "get_a", "set_b"), record("r2", None, "get_a")], "f")
    assert [(run.trace.id, run.label, run.kind) for run in runs] == [("r1", 2, "k"), ("r2", None, "k")]
    assert [[call.tool for call in run.trace.calls] for run in runs] == [["get_a", "set_b"], ["get_a"]]
    assert all("step" not in str(item) or "kind" not in str(item) for run in runs for item in run.trace.items)


def test_a_label_that_no_call_has_is_refused() -> None:
    with pytest.raises(SystemExit, match="r1: step 3 of 2 calls"):
        labelled([record("r1", 3, "get_a", "set_b")], "f")


def test_what_is_measured_is_counted() -> None:
    runs = labelled([record("r1", 2, "get_a", "set_b"), record("r2", 1, "get_a", "set_b"),
                     record("r3", None, "get_a")], "f")  # fmt: skip
    row, error = measured(runs, Judge("").last_call, "last call")
    assert (row.labelled, row.exact, row.within_1, row.good, row.accused) == (2, 1, 2, 1, 1)
    assert error == "0.667 (0.667 of the answers that name a step)"


def test_the_command_judges_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, good = tmp_path / "mine.py", tmp_path / "good.json"
    good.write_text(json.dumps([record("x", None, "get_a", "set_b")]), encoding="utf-8")
    path.write_text(
        "RULES = ''\n"
        "def family(good, seed):\n"
        "    return [{**one, 'id': f'r{n}', 'step': n or None, 'kind': 'k'} for n in range(3) for one in good]\n",
        encoding="utf-8",
    )
    runs, rules = drawn(path, good, 1)
    assert rules == "" and [run.label for run in runs] == [None, 1, 2]
    monkeypatch.setattr(sys, "argv", ["family", str(path), "--runs", str(good)])
    main()
    told = capsys.readouterr().out
    assert "2 labelled runs, 1 without a mistake." in told
    assert "| last call | 100 % | 50 % | 100 % | 100 % | 100 % |" in told and "| k | 3 |" in told


def test_turns_of_agents_are_read_as_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = [
        ("human", "What is 1 / 0?"), ("Orchestrator (-> Coder)", "Compute it."), ("Coder", "print(1 / 0)"),
        ("Computer_terminal", "exitcode: 1 (execution failed)\nCode output: error"), ("Coder", "It is 0."),
    ]  # fmt: skip
    held = {
        "question": "What is 1 / 0?",
        "history": [{"role": who, "content": text} for who, text in talk],
        "mistake_step": "2",
    }
    for part in ("Algorithm-Generated", "Hand-Crafted"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "1.json").write_text(json.dumps(held), encoding="utf-8")
    trace, turns, label = who_when.run_of(tmp_path / "Hand-Crafted" / "1.json")
    assert [(call.tool, call.failed, call.answer) for call in trace.calls] == [
        ("Orchestrator", False, None), ("Coder", True, talk[3][1]), ("Coder", False, None),
    ]  # fmt: skip
    assert (turns, label) == ([1, 2, 4], 2)
    monkeypatch.setattr(sys, "argv", ["who_when", str(tmp_path)])
    who_when.main()
    told = capsys.readouterr().out
    assert told.count("1 labelled runs") == 2
    assert "| first error | 100 % | 100 % | 100 % | 100 % |" in told
    assert "| last call | 100 % | 0 % | 0 % | 100 % |" in told


@real
def test_runs_of_another_job_are_damaged() -> None:
    good = json.loads((FOLDER / "tau_bench_airline_3.json").read_text(encoding="utf-8"))
    records = family_e.family([{**one, "reward": 1.0} for one in good], 1)
    runs = labelled(records, "E")
    assert len({run.kind for run in runs}) > 15
    assert all((run.label is None) == (run.kind in family_e.FINE_KINDS) for run in runs)
    assert records == family_e.family([{**one, "reward": 1.0} for one in good], 1)


@real
@pytest.mark.parametrize(
    "family,every,runs,fine",
    [
        (family_m.family, 16, 281, 65),
        (family_p.family, 16, 317, 77),
        (family_d.family, 16, 177, 51),
        *nightly(
            (family_m.family, 1, 340, 100), (family_p.family, 1, 356, 92), (family_d.family, 1, 263, 68)
        ),
    ],
)
def test_families_are_drawn_the_same_each_time(family: Any, every: int, runs: int, fine: int) -> None:
    good = json.loads(GOOD.read_text(encoding="utf-8"))[::every]
    records = family(good, 1)
    assert good == json.loads(GOOD.read_text(encoding="utf-8"))[::every], "good runs stay as they are"
    assert len({one["id"] for one in records}) == len(records) == runs
    assert [(one["id"], one["step"], one["kind"]) for one in family(good, 1)] == [
        (one["id"], one["step"], one["kind"]) for one in records
    ]
    assert sum(one["step"] is None for one in records) == fine
    labelled(records, "x")
