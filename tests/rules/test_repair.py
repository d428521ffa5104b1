"""Repairs: the nearest that a person could follow, within a budget. ``tests.rules.many_repairs`` tries more."""

from __future__ import annotations

from random import Random
from time import process_time

import pytest

from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.rules.budget import Budget
from planscope.rules.judge import Rulebook, known_tools
from planscope.rules.reading import read_rules
from planscope.rules.repair import RulesRepair, repair
from planscope.rules.words import repair_text
from tests.nightly import nightly
from tests.rules.many_repairs import case

NONE = "no change of the calls keeps rule 1; an inserted call would need"


@pytest.mark.parametrize("first", [20, 40, *nightly(0, 8, 28, 48)])
def test_random_repairs_are_the_nearest(first: int) -> None:
    for seed in range(first, first + 8):
        case(seed)


def call(tool: str, answer: str = "fine", *, failed: bool = False, **arguments: object) -> ToolCall:
    return ToolCall(tool, arguments, answer=answer, answered=True, failed=failed)


def fixed(rules: str, *items: ToolCall | Said | str, budget: Budget | None = None) -> RulesRepair:
    """The repair of a trace. A text is what a user says if it has a blank, else a tool that is called."""
    file = read_rules(rules)
    said = [
        (Said("user", one) if " " in one else call(one)) if isinstance(one, str) else one for one in items
    ]
    trace = Trace(said)
    book = Rulebook(file.rules).for_tools({one.tool for one in trace.calls})
    return repair(book, known_tools(book, trace), trace, reads=file.only_reads, budget=budget)


def text(rules: str, *items: ToolCall | Said | str) -> str:
    return repair_text(fixed(rules, *items)).removeprefix("Nearest repair: ").partition(". Moved")[0]


def test_moves_come_before_insertions_and_these_before_removals() -> None:
    assert text("a comes before b.", "b", "a") == "move step 1 (b) to the end"
    assert text("a comes before b.", "b") == "insert a before step 1."
    assert text("a never happens.", "b", "a") == "remove step 2 (a)."


def test_calls_move_by_few_places() -> None:
    """Every place cost the same, so terms were accepted before the login."""
    calls = ("login", "search", "select", "enter_passenger", "pay", "accept_terms", "confirm")
    assert text("accept_terms comes before pay.", *calls) == "move step 5 (pay) before step 7"
    rules = (
        "accept_terms comes before pay. login comes before accept_terms. accept_terms comes before confirm."
    )
    assert text(rules, *calls) == "move step 5 (pay) before step 7"
    assert text("a comes before c.", "b", "c", "b", "b") == "insert a before step 2."


def test_a_write_stays_behind_the_reads_and_turns_before_it() -> None:
    """The mark of the moved call counts, and of what it passes."""
    turn = "log comes before a user message."
    assert text(turn, "yes please", "log") == "insert log in front of the user message right before step 1."
    reads = text(f"{turn} log only reads.", "yes please", "log")
    assert reads == "move step 1 (log) in front of the user message right before step 1"
    first = "pay happens first."
    assert text(first, "look", "look", "pay", "look") == "move step 3 (pay) before step 1"
    assert text(f"{first} look only reads.", "look", "look", "pay", "look") == "remove step 3 (pay)."
    assert text(f"{first} look only reads. pay only reads. pay writes.", "look", "pay") == (
        "move step 1 (look) to the end"
    )


def test_a_read_whose_answer_counts_stays_before_the_writes_behind_it() -> None:
    rules, failed = "send never happens after check that failed.", call("check", failed=True)
    assert text(f"{rules} check only reads.", failed, "send") == "remove step 2 (send)."
    assert text(rules, failed, "send") == "move step 1 (check) to the end"


def test_an_answer_that_the_trace_contradicts_is_not_asked_for() -> None:
    rules = 'check only reads. pay only if the latest check for the same id had status = "ok".'
    bad, good = '{"status": "bad"}', '{"status": "ok"}'
    assert text(rules, call("check", bad, id=1), call("pay", id=1)) == "remove step 2 (pay)."
    wanted = 'insert check with answer.status = "ok" and id = 1 before step 2.'
    assert text(rules, call("check", bad, id=2), call("pay", id=1)) == wanted
    # the last answer before the place counts, else the first one after it
    once = f"{rules} Every pay has its own check before it."
    two = (call("check", bad, id=1), call("check", good, id=1), call("pay", id=1), call("pay", id=1))
    wanted = 'insert check with id = 1 and answer.status = "ok" before step 4.'
    assert text(f"{once} check with id = 1 happens 3 times.", *two) == wanted
    changed = (call("check", good, id=1), call("pay", id=1), call("check", bad, id=1), call("pay", id=1))
    assert text(once, *changed) == "remove step 4 (pay)."
    assert text(rules, call("pay", id=1), call("check", bad, id=1)) == "remove step 1 (pay)."
    rules = 'pay only if the latest check had status = "ok". pay happens.'
    reason = fixed(rules, call("check", bad), call("pay")).reason
    none = NONE.replace("rule 1", "rule 1, rule 2")
    assert reason == f"{none} an answer that the trace contradicts"


def test_a_value_that_is_found_nowhere_is_not_asked_for() -> None:
    rules = "pay with amount > 100 happens."
    assert fixed(rules, "look").reason == f"{NONE} a value that is found nowhere"
    assert text(rules, call("look", total=150)) == "insert pay with amount > 100 before the end."
    assert text(rules, "give them 150, please", "look") == "insert pay with amount > 100 before the end."
    assert text("pay with amount = 100 happens.", "look") == "insert pay with amount = 100 before the end."


def test_values_that_conditions_state_are_tried() -> None:
    """The search threw away the mark that there may be other values, and believed that it was complete."""
    rules = (
        'get_it only if the latest del_it with x = 2 had status = "ok".\n'
        "Each put_it is immediately followed by get_it per x."
    )
    found = fixed(rules, call("get_it", x="a"), call("get_it", y=1))
    assert repair_text(found) == (
        'Nearest repair: insert del_it with x = 2 and answer.status = "ok" before step 1.'
    )
    rules = "The last call must be get_it with x = 2.\nPer x, put_it happens last."
    assert text(rules, "log") == "insert get_it with x = 2 before the end."
    rules = "get_it with x > 2 happens.\nPer x, put_it happens last."
    assert text(rules, call("log", x=3)) == "insert get_it with x = 3 before the end."
    assert not fixed("get_it with x.y > 2 happens.\nPer x, put_it happens last.", call("log", x=3)).exact


def test_an_inserted_call_says_only_what_it_needs() -> None:
    assert text("del_it with x = 2 or del_it comes before a.", "a") == "insert del_it before step 1."
    assert text("login comes before a. login with x = 2 never happens.", "a") == (
        "insert login with not x = 2 before step 1."
    )
    assert text("login comes before a per user.", call("a", user="ann")) == (
        'insert login with user = "ann" before step 1.'
    )
    rules = "login comes before a. Every login is followed by logout per user."
    assert text(rules, "a") == "insert login with no user before step 1."


def test_a_place_beside_a_turn_is_told() -> None:
    found = fixed("log comes before a user message.", "go on", "c")
    assert [(one.tool, one.before, one.turns) for one in found.inserted] == [("log", 1, 1)]
    assert (
        repair_text(found) == "Nearest repair: insert log in front of the user message right before step 1."
    )
    rule = "log comes before a user message."
    several = "insert log in front of the 2 user messages right before step 1."
    assert text(rule, "oh hi", "go on", "c") == several
    assert text(rule, "c", "oh hi") == "insert log in front of the last user message."


def test_a_message_of_its_own_can_be_enough() -> None:
    calls = [ToolCall(tool, answered=True, answer="", failed=False, message=1) for tool in ("a", "b")]
    assert text("a that succeeded comes before b.", *calls) == "make step 2 (b) in a message of its own"


def test_why_there_is_none() -> None:
    assert repair_text(fixed("a happens. a never happens.", "b")).startswith("Repair: none (")
    late = [ToolCall(tool, at=at, answer="", answered=True) for tool, at in (("a", 0.0), ("c", 90.0))]
    found = fixed("Every a is followed by b within 30 seconds.", *late)
    assert found.reason == "rule 1 has a deadline in seconds, and times cannot be changed" and found.sought


RULES = """Every write_file is followed by run_tests within 50 calls.
read_file comes before write_file for the same path.
list_dir comes before read_file.
run_tests comes before git_commit.
ask happens at most 400 times.
search happens.
If git_commit happens, run_tests happens.
The first call is list_dir.
Every ask is followed by read_file.
login comes before git_commit.
Every write_file is followed by git_commit.
read_file comes before ask per id.
Every search is followed by read_file within 30 calls.
list_dir happens at least 3 times.
git_commit only if the latest run_tests had status = "ok".
Every git_commit has its own run_tests before it.
deploy never happens.
If ask happens, search happens.
git_commit never happens after logout.
Every login is followed by search within 100 calls."""


def long_trace(random: Random, size: int, damage: int) -> list[ToolCall]:
    """Work that keeps these rules but for a few calls that are gone, elsewhere, or too many."""
    made = [("list_dir", {}), ("login", {})]
    while len(made) < size:
        here = {"path": f"f{random.randrange(60)}.py", "id": f"R{random.randrange(20)}"}
        made += [(random.choice(("list_dir", "search")), {}), ("read_file", here)]
        made += [("ask", here), ("read_file", here)] if random.random() < 0.3 else []
        made += [("write_file", here)] if random.random() < 0.7 else []
        made += [("run_tests", {}), ("git_commit", here)] if random.random() < 0.6 else []
    made += [("search", {}), ("read_file", {"path": "f0.py"}), ("run_tests", {}), ("git_commit", {})]
    for _ in range(damage):
        one = made.pop(random.randrange(len(made)))
        if random.random() < 0.5:
            made.insert(random.randrange(len(made)), one)
        elif random.random() < 0.3:
            made.insert(random.randrange(len(made)), ("deploy", {}))
    return [call(tool, '{"status": "ok"}', **given) for tool, given in made]


@pytest.mark.parametrize(("size", "damage"), [(1_000, 40), *nightly((200, 10), (1_000, 10), (2_000, 40))])
def test_long_traces_are_repaired_quickly(size: int, damage: int) -> None:
    """200 calls with five rules took half a minute, and 2,000 calls 30 minutes and 4.5 GB."""
    begun = process_time()
    found = fixed(RULES, *long_trace(Random(size + damage), size, damage))
    assert found.sought and not found.reason and found.cost
    assert process_time() - begun < 10  # 0.5 s on a free machine


def test_a_repair_ends_with_its_budget() -> None:
    calls = long_trace(Random(5), 200, 10)
    found = fixed(RULES, *calls, budget=Budget(100))
    assert not found.sought and not found.exact and not found.placed
    assert repair_text(found).startswith("Repair: not sought further (")
    spent = []
    for _ in range(2):
        budget = Budget()
        first = fixed(RULES, *calls, budget=budget)
        spent.append((budget.nodes, first))
    assert spent[0] == spent[1]  # counted in nodes, so that it is the same everywhere


def test_a_batch_shares_its_budget() -> None:
    whole, every = Budget.of(20), Budget().nodes
    first = whole.part(3 / 4)
    assert first.nodes == every * 3 // 4
    first.part(1 / 2).spend(30_000)
    assert first.nodes == every * 3 // 4 - 30_000 and whole.nodes == every - 30_000
    assert whole.part(1 / 2).nodes == (every - 30_000) // 2
    whole.nodes = 0
    assert whole.part(1 / 2).nodes == every // 20


def test_a_tool_may_have_a_value_that_a_rule_goes_by_which_does_not_name_it() -> None:
    """The value of a condition was not tried for such a tool, since a rule for each value had it already."""
    assert case(4253) == "exact: inserted"
