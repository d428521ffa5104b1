"""The worked example: the retail agent's rules on 73 runs that were graded as good, against counting by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.reading import read_rules
from planscope.traces import open_traces

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(os.environ.get("PLANSCOPE_TRACES", ROOT.parent.parent / "shared" / "traces"))
RULES = ROOT / "docs" / "tau-retail.rules"


def test_every_sentence_is_read() -> None:
    found = read_rules(RULES.read_text(encoding="utf-8"))
    assert len(found.rules) == 13 and all(rule.name for rule in found.rules) and found.reads and found.writes


@pytest.mark.skipif(not (FOLDER / "tau_retail_good.json").exists(), reason="the real traces are not there")
def test_good_runs() -> None:
    book = Rulebook(read_rules(RULES.read_text(encoding="utf-8")).rules)
    broken: dict[str, list[str]] = {}
    exchanged = 0
    for trace in open_traces([FOLDER / "tau_retail_good.json"]):
        for result in judge_trace(book, trace).results(trace):
            assert result.state != "unknown"
            if result.state == "broken":
                broken.setdefault(result.rule.name or "", []).append(trace.id)
        looked: dict[str, str] = {}
        wrong = False
        for call in trace.calls:
            order = str((call.arguments or {}).get("order_id"))
            if call.tool == "get_order_details":
                looked[order] = call.answer or ""
            elif call.tool == "exchange_delivered_order_items":
                wrong = wrong or '"status": "delivered"' not in looked.get(order, "")
        exchanged += wrong
    assert set(broken) == {"exchange delivered", "asked"}
    assert len(broken["exchange delivered"]) == exchanged == 3
    assert len(broken["asked"]) == 3
