"""The page of two policies: its rules are read, its figures are true, and its sentences are those of the policies."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from planscope.oracle.trace import Trace
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.reading import read_rules
from planscope.traces import open_traces

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(os.environ.get("PLANSCOPE_TRACES", ROOT.parent.parent / "shared" / "traces"))
PAGE = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
RETAIL, BANK = PAGE.split("\n## ")[1:]
RULE = re.compile(
    r"^   - `(?P<rule>.*)`(?: \((?P<kept>\d+) kept, (?P<broken>\d+) violated\))?$", re.MULTILINE
)
GOOD = FOLDER / "tau_retail_good.json"
needs_traces = pytest.mark.skipif(not GOOD.exists(), reason="the real traces are not there")


def rows(part: str) -> list[tuple[str, str]]:
    """Each sentence, and what stands below it."""
    found = re.split(r"^\d+\. ", part, flags=re.MULTILINE)[1:]
    return [(one.split("\n")[0], one.split("\n", 1)[1]) for one in found]


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("part", [RETAIL, BANK], ids=["retail", "bank"])
def test_the_rules_of_the_page_are_read(part: str) -> None:
    for sentence, below in rows(part):
        rules = [match["rule"] for match in RULE.finditer(below)]
        assert rules or "**Cannot be said**: " in below or "The same as the sentence before" in below, (
            sentence
        )
        for rule in rules:
            assert read_rules(rule).rules, rule


@pytest.mark.parametrize(
    "part,name", [(RETAIL, "retail agent of tau-bench"), (BANK, "service agent of a bank")]
)
def test_the_page_counts_what_can_be_said(part: str, name: str) -> None:
    found = rows(part)
    no = sum("**Cannot be said**: " in below for _, below in found)
    half = sum("*(in part)*" in sentence for sentence, _ in found)
    plain = len(found) - no - half
    assert f"| {name} | {len(found)} | {plain} | {half} | {no} |" in PAGE
    assert plain * 6 >= len(found) * 5


def test_the_sentences_are_those_of_the_bank() -> None:
    """They were written down before the forms existed, and all stand on the page."""
    policy = (Path(__file__).parent / "corpus" / "bank_policy.txt").read_text(encoding="utf-8")
    assert [line[2:] for line in policy.splitlines() if line.startswith("- ")] == [
        one for one, _ in rows(BANK)
    ]


@needs_traces
def test_the_sentences_are_those_of_the_retail_policy() -> None:
    policy = words((FOLDER / "tau_retail_policy.txt").read_text(encoding="utf-8"))
    for sentence, _ in rows(RETAIL):
        for part in re.split(r"\[[^]]*\],?", sentence.removesuffix(" *(in part)*")):
            assert words(part.strip()).rstrip(".") in policy, part


def runs() -> Iterator[Trace]:
    return iter(open_traces([GOOD]))


@needs_traces
def test_the_figures_of_the_page() -> None:
    traces = list(runs())
    tools = {call.tool for trace in traces for call in trace.calls}
    for _, below in rows(RETAIL):
        for match in RULE.finditer(below):
            book = Rulebook(read_rules(match["rule"], tools).rules)
            states = [{one.state for one in judge_trace(book, trace).results(trace)} for trace in traces]
            assert not any("unknown" in one for one in states)
            broken = sum("broken" in one for one in states)
            kept = sum("kept" in one and "broken" not in one for one in states)
            assert (str(kept), str(broken)) == (match["kept"], match["broken"]), match["rule"]


@needs_traces
def test_what_is_violated_is_counted_by_hand() -> None:
    """Three exchanges of an order that was not delivered; items and payments that no answer had."""
    exchanged, items, payments = [], [], []
    for trace in runs():
        answers: list[str] = []
        status: dict[str, str] = {}
        for call in trace.calls:
            given = dict(call.arguments or {})
            if call.tool == "get_order_details":
                status[str(given.get("order_id"))] = call.answer or ""
            if call.tool == "exchange_delivered_order_items":
                known = status.get(str(given.get("order_id")), "")
                exchanged += [trace.id] if '"status": "delivered"' not in known else []
                news = given["new_item_ids"]
                free = [
                    re.search(rf'"item_id": "{new}", "options": {{[^}}]*}}, "available": true', text)
                    for new in news
                    for text in answers
                ]
                items += [trace.id] if sum(one is not None for one in free) < len(news) else []
                payments += (
                    [trace.id] if not any(f'"{given["payment_method_id"]}"' in a for a in answers) else []
                )
            answers.append(call.answer or "")
    assert len(set(exchanged)) == 3 and len(set(items)) == 2 and not payments
