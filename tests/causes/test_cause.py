"""The step to blame: what is found in runs with a known mistake, the words for it, and what is not blamed."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from planscope.cause.find import breaks_of, find_cause
from planscope.cause.provenance import Provenance, sources_of
from planscope.cause.ranking import WEIGHTS, marks, shares
from planscope.cause.signs import TOLD, Break, evidence, reader
from planscope.cause.told import told
from planscope.doors.python import check, explain
from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.oracle.verdict_types import Blame
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.reading import read_rules
from planscope.traces import open_traces
from tests.causes.test_provenance import call
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("PLANSCOPE_TRACES", ROOT.parent.parent / "shared" / "traces"))
real = pytest.mark.skipif(
    not (FOLDER / "tau_retail_good.json").exists(), reason="the real traces are not there"
)
LOOK = "get_order comes before cancel_order for the same order_id."
ASKED = Said("user", "Please cancel my orders #W1000001 and #W1000002.")
YES = Said("user", "Yes, do that.")


def look(order: str, **more: Any) -> ToolCall:
    return call("get_order", {"order_id": order, "status": "pending", **more}, order_id=order)


def cancel(order: str) -> ToolCall:
    return call("cancel_order", {"order_id": order, "status": "cancelled"}, order_id=order)


def blamed(*items: ToolCall | Said, rules: str = LOOK, expected: list[ToolCall] | None = None) -> Blame:
    trace = Trace(items, expected=expected or [])
    file = read_rules(rules)
    return find_cause(trace, breaks_of(judge_trace(Rulebook(file.rules), trace).results(trace)), file)


def test_a_good_run_has_no_cause() -> None:
    found = blamed(
        ASKED, look("#W1000001"), Said("model", "Shall I cancel #W1000001?"), YES, cancel("#W1000001")
    )
    assert (found.step, found.lost, found.shows) == (None, None, None)
    assert found.suspect is not None and found.suspect.step == 2 and found.confidence > 0.5
    assert told(found).startswith(
        "No step stands out as the cause; if the run went wrong, it is most likely step 2 ("
    )
    assert blamed(ASKED).suspect is None and told(blamed(ASKED)) == "No step stands out as the cause."


def test_a_run_whose_user_changed_their_mind_has_no_suspect() -> None:
    said = Said("user", "Never mind, I want to keep it.")
    found = blamed(ASKED, look("#W1000001"), Said("model", "Shall I cancel #W1000001?"), said)
    assert (found.step, found.suspect) == (None, None)


def test_a_write_before_looking() -> None:
    found = blamed(ASKED, look("#W1000001"), YES, cancel("#W1000001"), cancel("#W1000002"))
    assert (found.step, found.lost, found.shows, found.origin) == (3, 3, 3, 3)
    assert "violates" in found.label and "no call read order_id" in " ".join(found.reasons)


def test_an_invented_id_is_blamed_where_it_came_in() -> None:
    found = blamed(ASKED, look("#W7777777"), YES, cancel("#W7777777"), rules="cancel_order never happens.")
    assert (found.step, found.shows, found.origin) == (1, 2, 1)
    assert [link.step for link in found.chain] == [1, 2]
    assert found.label == "get_order with an id from nowhere"
    assert found.sources[0].how == "nowhere" and found.sources[0].by is None


def test_a_member_of_a_core_alone_is_not_to_blame() -> None:
    trace = Trace([Said("user", "do a, x and b"), call("a"), call("x"), call("b")])
    file = read_rules("b never happens after a.")
    found = find_cause(trace, breaks_of(judge_trace(Rulebook(file.rules), trace).results(trace)), file)
    assert found.shows == 3 and found.origin == 3 and found.step in (3, None)


def test_the_first_write_that_leaves_the_gold_plan() -> None:
    plan = [ToolCall("get_order", {"order_id": "#W1000001"}), ToolCall("cancel_order", {"order_id": "#W1000001"}),
            ToolCall("cancel_order", {"order_id": "#W1000002"})]  # fmt: skip

    def gold(*calls: ToolCall) -> list[Any]:
        found = evidence(Trace([ASKED, *calls], expected=plan), [])
        return [step for step, signs in found.by_step.items() if "gold" in signs]

    one, two = cancel("#W1000001"), cancel("#W1000002")
    assert gold(look("#W1000001"), one, two) == []
    assert gold(look("#W1000001"), look("#W1000002"), two, one) == [], "reads and the order are free"
    assert gold(look("#W1000001"), one, cancel("#W1000003")) == [3]
    assert gold(call("return_order", order_id="#W1000001"), one, two) == [1]
    assert gold(one) == ["end"]


def signs_of(*items: ToolCall | Said) -> dict[Any, set[str]]:
    """The signs of each step, but for being the last one."""
    found = evidence(Trace(items), []).by_step
    return {step: set(signs) - {"last"} for step, signs in found.items() if set(signs) != {"last"}}


def test_a_failed_look_is_mended_unless_what_it_looked_for_is_written() -> None:
    failed = dataclasses.replace(look("#W1000001"), answer="Error: timed out", failed=True)
    other, ask = look("#W1000002"), Said("model", "Shall I?")
    assert "mended" in signs_of(ASKED, failed, other, ask, YES, cancel("#W1000002"))[1]
    assert "mended" in signs_of(ASKED, failed, look("#W1000001"), ask, YES, cancel("#W1000001"))[1]
    ignored = signs_of(ASKED, failed, other, ask, YES, cancel("#W1000001"))
    assert "ignored" in ignored[1] and "mended" not in ignored[1]
    assert find_cause(Trace([ASKED, failed, other, ask, YES, cancel("#W1000001")], reward=0.0)).step == 1


def test_numbers_of_a_sum_are_traced_one_by_one() -> None:
    priced = call("get_order", {"items": [{"price": 12.5}, {"price": 9.9}]}, order_id="#W1000001")
    right, wrong = (call("calculate", "22.4", expression=f"12.50 + {price}") for price in ("9.90", "19.90"))
    assert 2 not in signs_of(ASKED, priced, right)
    assert signs_of(ASKED, priced, wrong)[2] == {"sum"}
    found = evidence(Trace([ASKED, priced, wrong]), []).sources.by_step[2]
    assert [(one.value, one.how, one.name) for one in found] == [
        (12.5, "equal", "expression"), (19.9, "nowhere", "expression"),
    ]  # fmt: skip
    for text in ("2024-05-01", "555-0100", "a + b", "C++", "*", "1.5 apples + 2"):
        (whole,) = evidence(Trace([call("note", text=text)]), []).sources.by_step[1]
        assert whole.value == text, "it is no sum"


def test_the_last_change_is_named_if_the_run_is_graded_0_and_nothing_else_speaks() -> None:
    run = ASKED, look("#W1000001"), Said("model", "Shall I?"), YES, cancel("#W1000001"), look("#W1000001")
    found = find_cause(Trace(run, reward=0.0))
    assert found.step == 2 and found.confidence < 0.8 and find_cause(Trace(run)).step is None
    assert found.reasons == ("it is the last call that changes something",)


SHALL = Said("model", "I found #W1000001. Shall I cancel it?")
WRONG_ONE = Said("user", "Wait, that's not right. I asked for the other one.")


def test_what_the_user_objects_to_is_blamed_and_not_the_try_to_mend_it() -> None:
    run = ASKED, look("#W1000001"), look("#W1000002"), SHALL, YES, cancel("#W1000001"), WRONG_ONE
    signs = signs_of(*run, cancel("#W1000002"))
    assert "protest" in signs[3] and signs[4] == {"amends"}
    assert find_cause(Trace([*run, cancel("#W1000002")], reward=0.0)).step == 3
    assert 3 not in signs_of(*run[:-1], Said("user", "Thank you."), cancel("#W1000002"))


def test_a_call_for_a_part_of_what_had_to_be_one_call() -> None:
    def give_back(*items: str, failed: bool = False) -> ToolCall:
        done = call("return_items", {}, order_id="#W1000001", item_ids=list(items))
        return dataclasses.replace(done, answer="Error: not delivered", failed=True) if failed else done

    first, again = give_back(LAMP), give_back(LAMP)
    assert "split" in signs_of(ASKED, SHALL, YES, first, give_back(BOTTLE, failed=True))[1]
    assert "again" in signs_of(ASKED, SHALL, YES, first, again)[2]
    both = signs_of(ASKED, SHALL, YES, first, Said("user", "And the bottle."), give_back(BOTTLE))
    assert not {"split", "again"} & (both.get(1, set()) | both[2]), "the user asked for more"


def test_a_look_that_fails_is_the_agents_slip_unless_the_user_said_so() -> None:
    gone = dataclasses.replace(look("#W1000003"), answer="Error: not found", failed=True)
    assert "slip" in signs_of(ASKED, gone, look("#W1000001"))[1]
    said = Said("user", "It is #W1000003. No, #W1000001.")
    assert "slip" not in signs_of(said, gone, look("#W1000001"))[1]


def test_a_yes_holds_over_looks_and_for_all_that_was_proposed() -> None:
    thought = call("think", thought="The user agrees.")
    for between in ([thought], [look("#W1000001")], [look("#W1000001"), thought]):
        signs = signs_of(ASKED, look("#W1000001"), SHALL, YES, *between, cancel("#W1000001"))
        assert "at once" not in signs.get(2 + len(between), set())
    both = Said("model", "Shall I cancel #W1000001 and #W1000002?")
    run = ASKED, look("#W1000001"), look("#W1000002"), both, YES, cancel("#W1000001")
    assert "at once" not in signs_of(*run, cancel("#W1000002")).get(4, set())
    assert "at once" in signs_of(*run, cancel("#W1000003"))[4]
    assert "at once" in signs_of(ASKED, look("#W1000001"), cancel("#W1000001"), YES)[2]


def test_to_give_up_because_the_agent_declines_is_no_change_of_mind() -> None:
    never = Said("user", "Okay, never mind.")
    no = Said("model", "I am unable to do this.")
    assert evidence(Trace([ASKED, look("#W1000001"), SHALL, never]), []).dropped
    assert not evidence(Trace([ASKED, look("#W1000001"), no, never]), []).dropped


def test_a_trace_that_is_too_large_is_not_sought_further(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Trace([ASKED, look("#W7777777"), YES, cancel("#W7777777")], reward=0.0)
    assert find_cause(run).step == 1
    monkeypatch.setattr(Provenance.__init__, "__defaults__", (20,))
    found = find_cause(run, [Break(2, "x")])
    assert (found.step, found.confidence, found.lost, found.shows) == (None, 0.0, 2, 2)
    assert told(found) == "The cause was not sought further, because the trace is too large."
    assert sources_of(run, 2)[0].how == "nowhere", "one call is looked at all the same"


def test_a_hostile_run_ends_within_the_budget() -> None:
    held = {"items": [{"item_id": str(10**9 + n), "name": f"thing {n % 7}"} for n in range(100)]}
    ids = [one["item_id"] for one in held["items"]]
    run = [ASKED, *(call("update", held, order_id=f"#W{n:07}", item_ids=ids) for n in range(1_000))]
    begun = time.process_time()
    assert find_cause(Trace(run, reward=0.0)).step is None
    assert time.process_time() - begun < 10, "2 seconds on a machine that does nothing else"


LAMP, BOTTLE = "8384507844", "7453605304"
ITEMS = [
    {"name": "Desk Lamp", "item_id": LAMP, "price": 12.5},
    {"name": "Water Bottle", "item_id": BOTTLE, "price": 9.9},
]


def returned(*items: str, told: str, asked: str = "") -> dict[Any, set[str]]:
    shown = call("get_order", {"order_id": "#W1000001", "items": ITEMS}, order_id="#W1000001")
    back = call("return_items", {"status": "returned"}, order_id="#W1000001", item_ids=list(items))
    return signs_of(
        ASKED, shown, Said("model", f"I will return: {asked}. Shall I?"), YES, back, Said("model", told)
    )


def test_something_else_than_was_said() -> None:
    assert "other" in returned(BOTTLE, asked="Desk Lamp", told="Done.")[2]
    assert 2 not in returned(LAMP, asked="Desk Lamp", told="Done.")
    assert 2 not in returned(LAMP, asked="Desk Lamp and Water Bottle", told="Done."), (
        "words that fit both alike"
    )
    assert 2 not in returned(LAMP, BOTTLE, asked="Desk Lamp", told="Done."), (
        "the words are told of what is given"
    )


def test_an_item_that_is_left_out() -> None:
    both = "The return of the Desk Lamp and the Water Bottle has been submitted."
    assert returned(LAMP, told=both)[2] == {"left"}
    assert 2 not in returned(LAMP, BOTTLE, told=both)
    assert 2 not in returned(LAMP, told="The Desk Lamp goes back. You keep the Water Bottle.")


@pytest.mark.parametrize(
    "text,told",
    [
        ("I have cancelled your order.", True),
        ("Your address has been successfully updated.", True),
        ("I've also cancelled the other one. Bye!", True),
        ("I have cancelled nothing.", False),
        ("Once you confirm, it has been cancelled.", False),
        ("Shall I say that it has been cancelled?", False),
        ("You have cancelled it yourself.", False),
        ("I will cancel it.", False),
    ],
)
def test_a_claim_without_a_call(text: str, told: bool) -> None:
    run = [ASKED, look("#W1000001"), Said("model", text), YES]
    assert (1 in signs_of(*run)) is told
    assert 1 not in signs_of(
        *run[:2], Said("model", "Shall I?"), YES, cancel("#W1000001"), Said("model", text)
    )


def test_a_claim_of_something_else_than_was_done() -> None:
    run = [ASKED, look("#W1000001"), Said("model", "Shall I?"), YES]
    back = call("return_items", {"status": "returned"}, order_id="#W1000001")
    assert "claim" in signs_of(*run, back, Said("model", "I have cancelled it."))[2]
    assert 2 not in signs_of(*run, back, Said("model", "I have returned it."))


def test_a_write_against_the_users_no() -> None:
    def answered(text: str) -> set[str]:
        run = (
            ASKED,
            look("#W1000001"),
            Said("model", "Shall I cancel it?"),
            Said("user", text),
            cancel("#W1000001"),
        )
        return signs_of(*run).get(2, set())

    for no in ("No, please do not.", "Wait, not yet.", "I have changed my mind.", "Don\u2019t cancel it."):
        assert answered(no) == {"refused"}
    for yes in (
        "Yes, please.",
        "No problem, go ahead.",
        "No worries.",
        "Please proceed, I do not want to wait.",
    ):
        assert answered(yes) == set()


KEPT = Said("user", "I have changed my mind, please keep it.")


def test_a_user_who_changes_their_mind_is_no_mistake_of_the_agent() -> None:
    asked = [ASKED, look("#W1000001"), Said("model", "Shall I cancel it?")]
    assert find_cause(Trace([*asked, KEPT], reward=0.0)).step is None
    assert find_cause(Trace([*asked, Said("user", "Thank you.")], reward=0.0)).step == 1
    evidence_of = [evidence(Trace([*asked, KEPT, *more]), []) for more in ([], [cancel("#W1000001")])]
    assert [(one.withdrawn, one.dropped) for one in evidence_of] == [(True, True), (True, False)]
    other = [look("#W1000002"), Said("model", "Shall I cancel #W1000002?"), YES, cancel("#W1000002")]
    assert find_cause(Trace([*asked, KEPT, *other], reward=0.0)).step is None, (
        "what the grade says is not known"
    )
    for text in (
        "Keep the length at 34 inch, please.",
        "I don't want to be transferred.",
        "I no longer need it.",
    ):
        assert not evidence(Trace([*asked, Said("user", text)]), []).withdrawn


def test_a_mistake_is_seen_though_the_user_changes_their_mind() -> None:
    run = [ASKED, look("#W7777777"), Said("model", "Shall I cancel it?"), KEPT, cancel("#W7777777")]
    assert find_cause(Trace(run, reward=0.0)).step in (1, 2)
    wrong = [ASKED, look("#W1000001"), Said("model", "Shall I?"), KEPT, cancel("#W1000001")]
    assert find_cause(Trace(wrong, reward=0.0)).step == 2


def test_where_the_user_speaks_once_no_call_is_made_without_asking() -> None:
    assert 2 not in signs_of(ASKED, look("#W1000001"), cancel("#W1000001"))
    assert "at once" in signs_of(ASKED, look("#W1000001"), cancel("#W1000001"), Said("user", "Oh."))[2]


def test_marks_of_rules_say_what_reads_and_else_the_name() -> None:
    reads = reader(read_rules("get_key writes. audit only reads. audit happens at most once."))
    assert [reads(tool) for tool in ("get_key", "audit", "get_order", "cancel_order", "listen", "mcp__db__query")] == [
        False, True, True, False, False, True,
    ]  # fmt: skip


def test_shares_are_probabilities() -> None:
    found = evidence(Trace([ASKED, look("#W7777777"), cancel("#W1000001")]), [Break(2, "r")])
    likely = shares(marks(found))
    assert sum(likely.values()) == pytest.approx(1) and None in likely
    used = {name for ones in marks(found).values() for name in ones}
    assert used - WEIGHTS.keys() <= TOLD.keys(), "a sign without a weight of its own counts as a sign"


def file_of(tmp_path: Path, *runs: list[ToolCall | Said]) -> Path:
    records = []
    for number, items in enumerate(runs):
        messages: list[dict[str, Any]] = []
        for item in Trace(items).items:
            if isinstance(item, ToolCall):
                asked = {"id": f"c{item.step}", "type": "function",
                         "function": {"name": item.tool, "arguments": json.dumps(item.arguments)}}  # fmt: skip
                messages.append({"role": "assistant", "tool_calls": [asked]})
                messages.append({"role": "tool", "tool_call_id": f"c{item.step}", "content": item.answer})
            elif isinstance(item, Said):
                messages.append({"role": {"model": "assistant"}.get(item.by, item.by), "content": item.text})
        records.append({"id": f"r{number}", "messages": messages})
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


WRONG: list[ToolCall | Said] = [ASKED, look("#W1000001"), YES, cancel("#W1000001"), cancel("#W1000002")]
RIGHT: list[ToolCall | Said] = [ASKED, look("#W1000001"), YES, cancel("#W1000001")]


def test_check_groups_runs_by_cause(tmp_path: Path, cli: Cli) -> None:
    path = file_of(tmp_path, WRONG, RIGHT, WRONG)
    rules = tmp_path / "r.rules"
    rules.write_text(f"look: {LOOK}", encoding="utf-8")
    done = cli("check", path, "--rules", rules, "--json")
    document = json.loads(done.out)
    assert done.status == 1
    first, second, _ = document["traces"]
    assert first["cause"]["step"] == 3 and "cause" not in second
    assert document["summary"]["causes"] == [
        {"label": "cancel_order violates look", "count": 2, "traces": ["r0", "r2"]}
    ]
    text = cli("check", path, "--rules", rules).out
    assert (
        "Most likely cause: step 3" in " ".join(text.split())
        and "2 traces: cancel_order violates look" in text
    )
    off = json.loads(cli("check", path, "--rules", rules, "--json", "--details", "0").out)
    assert "causes" not in off["summary"] or off["summary"]["causes"] == []


def test_check_without_rules_seeks_causes_and_decides_nothing(tmp_path: Path, cli: Cli) -> None:
    done = cli("check", file_of(tmp_path, [ASKED, look("#W7777777"), YES, cancel("#W7777777")]), "--json")
    assert done.status == 2
    (trace,) = json.loads(done.out)["traces"]
    assert (trace["verdict"], trace["judged"], trace["cause"]["step"]) == ("unknown", False, 1)
    text = cli("check", file_of(tmp_path, [ASKED, look("#W7777777"), YES, cancel("#W7777777")])).out
    assert "r0: NOT JUDGED. There is no rule to judge by." in text and "1 trace: 1 not judged" in text


def test_sessions_and_walk_name_the_cause_of_a_run_that_rules_judge(tmp_path: Path, cli: Cli) -> None:
    path, rules, session = file_of(tmp_path, WRONG), tmp_path / "r.rules", tmp_path / "s.planscope.json"
    rules.write_text(LOOK, encoding="utf-8")
    assert cli("import", path, "--rules", rules, "-o", session).status in (0, 1)
    assert "Most likely cause: step 3" in " ".join(cli("check", session).out.split())
    assert json.loads(cli("check", session, "--json").out)["cause"]["step"] == 3
    assert "Most likely cause: step 3" in " ".join(cli("walk", session, stdin="x\nq\n").out.split())


def test_json_has_the_cause_where_the_text_tells_it(tmp_path: Path, cli: Cli) -> None:
    document, lost = json.loads(cli("check", "figure-7", "--json").out), check("figure-7")
    assert document["first_violation"]["step"] == 1, "in a run of a query the lost step is the cause"
    assert document.get("cause") is None and lost.cause is None
    path = file_of(tmp_path, [ASKED, look("#W7777777"), YES, cancel("#W7777777")])
    assert "Most likely cause: step 1" in " ".join(explain(path).split())
    unjudged = check(path)
    assert not unjudged.judged and unjudged.cause.step == 1


def test_words_of_a_trace_are_made_safe(tmp_path: Path, cli: Cli) -> None:
    evil = call("get_order\x1b]0;x\x07", order_id="#W\x1b[31m777777")
    text = cli("check", file_of(tmp_path, [ASKED, evil, YES, cancel("#W1000001")])).out
    assert "\x1b" not in text and "\x07" not in text


def test_python_answers_the_same(tmp_path: Path) -> None:
    document = check(file_of(tmp_path, WRONG), rules=LOOK)
    assert document.as_data()["traces"][0]["cause"]["step"] == 3


@real
def test_good_runs_are_rarely_accused() -> None:
    file = read_rules((Path(__file__).parent / "retail.rules").read_text(encoding="utf-8"))
    book = Rulebook(file.rules)
    traces = list(open_traces([FOLDER / "tau_retail_good.json"]))
    accused = 0
    for trace in traces:
        trace.expected = []
        accused += (
            find_cause(trace, breaks_of(judge_trace(book, trace).results(trace)), file).step is not None
        )
    assert accused <= 8


@real
def test_gold_plans_are_read() -> None:
    assert all(trace.expected for trace in open_traces([FOLDER / "tau_bench_airline_3.json"]))
    (one,) = open_traces([FOLDER / "tau2_mock_create_task.json"])
    assert [(c.tool, c.arguments) for c in one.expected] == [
        ("create_task", {"user_id": "user_1", "title": "Important Meeting"})
    ]
