"""Labels of findings: kept, drawn, and the rate that follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planscope.cli import main
from planscope.session.model import FuzzedTool, FuzzFinding, Fuzzing, FuzzSet, Session
from planscope.session.store import load, save
from planscope.toolfuzz.labels import Place, sampled, was_sampled, with_label
from planscope.toolfuzz.report import false_discovery
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.finding_list import FindingList

TARGET = "planscope.toolfuzz.examples:map_search"


def fuzzing(*findings: FuzzFinding, sets: int = 0) -> Fuzzing:
    made = [FuzzSet(tool="f", template=f"Who is on [day] {k}?") for k in range(sets)]
    return Fuzzing(id="z1", target="m:f", tools=[FuzzedTool(tool="f")], findings=list(findings), sets=made)


def finding(label: str | None = None, kind: str = "raised", drawn: bool = False) -> FuzzFinding:
    return FuzzFinding.model_validate({"tool": "f", "kind": kind, "label": label, "sampled": drawn})


def test_the_rate_of_false_findings_counts_what_was_drawn() -> None:
    own = [finding("false"), finding("true"), finding(), finding("false", "returned")]
    assert false_discovery(own[2:]) is None
    told = false_discovery(own)
    assert told is not None and (told.labelled, told.false, told.rate) == (2, 1, 0.5)
    told = false_discovery([*own, finding("true", drawn=True), finding(drawn=True)])
    assert told is not None and (told.labelled, told.false, told.ci[0]) == (1, 0, 0)


def test_a_sample_is_drawn_of_each_tool_and_stays_the_same() -> None:
    one = fuzzing(*[finding() for _ in range(6)], finding(kind="returned"), sets=6)
    drawn = sampled(one, 5, 1)
    assert was_sampled(drawn) == 5 and drawn == sampled(one, 5, 1) and drawn != sampled(one, 5, 2)
    assert was_sampled(sampled(one, 100, 1)) == 12 and not sampled(one, 100, 1).findings[-1].sampled


def test_labels_go_round_and_are_kept_in_the_session() -> None:
    document = Document(None)
    document.open(Session(id="s", title="s", fuzzings=[fuzzing(finding(), finding("true"), sets=1)]))
    rows = FindingList(document, lambda _: None)
    assert not rows.state.hidden and [rows.label() for _ in range(4)] == ["true", "false", None, "true"]
    assert [rows.specify() for _ in range(4)] == ["under", "over", "ill", None]
    rows.choose(2)
    rows.label()
    (kept,) = document.open_session.fuzzings or ()
    assert [one.label for one in kept.findings] == ["true", "true"] and kept.sets[0].label == "true"
    assert document.unsaved and rows.rate is not None and rows.rate.rate == 0


def test_verdicts_are_hidden_while_a_sample_waits_for_labels() -> None:
    document = Document(None)
    drawn = sampled(fuzzing(*[finding() for _ in range(4)], sets=4), 6, 1)
    document.open(Session(id="s", title="s", fuzzings=[drawn]))
    rows = FindingList(document, lambda _: None)
    assert rows.state.hidden and len(rows.state.listed) == 6
    assert [row.finding is None for row in rows.state.listed] != sorted(
        row.finding is None for row in rows.state.listed
    )
    rows.choose(3)
    place = rows.state.listed[3].place
    rows.arrange(hidden=False)
    assert len(rows.state.listed) == 8 and rows.state.chosen is not None and rows.state.chosen.place == place


def test_the_command_draws_and_reports_labels(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path, page = tmp_path / "mine.planscope.json", tmp_path / "page.html"
    command = ["fuzz", TARGET, "--calls", "40", "-o", str(path)]
    assert main([*command, "--sample", "1"]) == 1
    assert "t shows 1 of them to be labelled" in capsys.readouterr().out
    session = load(path)
    (kept,) = session.fuzzings or ()
    at = next(k for k, one in enumerate(kept.findings) if one.sampled)
    session.fuzzings = with_label([kept], Place(kept.id, "findings", at), label="false", specified="under")
    save(session, path)
    assert main([*command, "--json", "--html", str(page)]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["statistics"]["false_discovery"] == {
        "labelled": 1,
        "false": 1,
        "rate": 1.0,
        "ci": [0.2065, 1.0],
    }
    assert [one.get("specified") for one in document["findings"]].count("under") == 1
    assert "false, under-specified" in page.read_text() and "alse discovery rate 100 %" in page.read_text()
    assert main(command) == 1
    assert "false discovery rate 100 %" in capsys.readouterr().out
    (again,) = load(path).fuzzings or ()
    assert [one.label for one in again.findings].count("false") == 1 and was_sampled(again) == 1


def test_tools_without_findings_are_listed_and_have_no_label() -> None:
    one = fuzzing(finding()).model_copy(
        update={"tools": [FuzzedTool(tool="f"), FuzzedTool(tool="g", calls=9)]}
    )
    document = Document(None)
    document.open(Session(id="s", title="s", fuzzings=[one]))
    rows = FindingList(document, lambda _: None)
    assert [row.tool for row in rows.state.listed] == ["f", "g"] and rows.state.count == 1
    rows.choose(1)
    assert rows.label() is None and rows.specify() is None and not document.unsaved
    rows.arrange(hidden=True)
    assert [row.tool for row in rows.state.listed] == ["f"]
