"""The most likely cause on screen: where a run opens, its marks, the chain, and where arguments come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.session.locations import bundled
from planscope.session.model import Session
from planscope.session.store import load
from planscope.session.traces import session_of, trace_of
from planscope.tui.dialogs.help import help_lines
from planscope.tui.dialogs.look import SOURCES, LookDialog
from planscope.tui.dialogs.why import WhyDialog, explanation
from planscope.tui.keys import keys_of
from planscope.tui.panes.hints import debug_hints, named_hints
from planscope.tui.screens.debug import doors
from planscope.walk.walker import Walker
from planscope.wording.terms import CAUSE, LOST_HERE
from tests.causes.test_cause import ASKED, YES, cancel, look
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import opened, rows
from tests.tui.stage import FakeStage

NEVER = "cancel_order never happens."
TOLD = debug_hints(lambda action: (*keys_of(action), "")[0])
MARK = f"{CAUSE} step 1"


def invented(
    rules: str = NEVER, *, reward: float | None = 0.0, more: tuple[ToolCall | Said, ...] = ()
) -> Session:
    """A run whose first call looks up an order that nobody named, and whose second cancels it."""
    items = [ASKED, look("#W7777777"), *more, YES, cancel("#W7777777")]
    session = session_of([Trace(items, id="t", reward=reward)])
    if rules:
        add_rules(session, rules)
    return session


@pytest.mark.parametrize(
    ("rules", "size"), [(NEVER, (80, 24)), ("", (120, 40)), *nightly((NEVER, (120, 40)), ("", (80, 24)))]
)
async def test_a_run_opens_at_its_cause(tmp_path: Path, size: tuple[int, int], rules: str) -> None:
    async with opened(sessions.write(invented(rules), tmp_path), size) as driven:
        shown = rows(driven.app)
        assert driven.state.debug.index == 1 and MARK in shown[0]
        (row,) = (line for line in shown if "▶" in line and "get_order" in line)
        assert CAUSE in row and LOST_HERE not in row
        assert "Most likely cause: step 1 (" in " ".join(driven.text.split())
        if rules:
            await driven.press("f")
            assert driven.state.debug.index == 2 and LOST_HERE in driven.text
        await driven.press("x")
        await driven.sees("Most likely cause: step 1 (", "which stands in no answer")
        told = [line.text for line in explanation(driven.state, 60)]
        assert told[0].strip().startswith("Most likely cause: step 1 ("), "what to mend comes first"
        if not rules:
            assert "not judged: there is no query and no rule; e writes rules." in " ".join(told).lower()
        if rules:
            await driven.sees("step 1, origin: ", "step 2, lost, shows: ")
        await driven.press("escape", "g", "n", "space")
        await driven.sees(SOURCES, 'order_id "#W7777777"  from nowhere')
        assert driven.screen is not driven.app.screen
        await driven.press("down", "y")
        await driven.sees("The value (")


@pytest.mark.parametrize("looks,way", [([look("#W7777777")], True), ([], False)])
async def test_a_way_is_promised_where_there_is_one(tmp_path: Path, looks: list[ToolCall], way: bool) -> None:
    session = session_of([Trace([ASKED, *looks, YES, cancel("#W7777777")], id="t", reward=0.0)])
    async with opened(sessions.write(session, tmp_path), (80, 24)) as driven:
        said = " ".join(driven.text.split())
        assert "Most likely cause: step 1 (" in said and ("shows the way from here" in said) is way


def test_a_run_that_went_right_and_a_run_of_a_query_open_as_before() -> None:
    right = FakeStage(invented("cancel_order happens at most once.", reward=1.0), "t")
    assert (
        right.view.verdict is not None and right.view.verdict.verdict == "right" and right.view.cause is None
    )
    graded = FakeStage(invented("", reward=1.0), "t")
    assert graded.view.cause is None and graded.view.cause_at is None
    query = FakeStage(load(bundled()["figure-10"]), "r2")
    assert (
        query.view.verdict is not None and query.view.verdict.verdict == "wrong" and query.view.cause is None
    )


def test_a_run_that_keeps_its_rules_and_is_graded_0_has_a_cause() -> None:
    graded = FakeStage(invented("cancel_order happens at most once."), "t")
    assert graded.view.verdict is not None and graded.view.verdict.verdict == "right"
    assert graded.view.cause is not None and graded.view.cause.step == 1 and graded.view.cause_at == 1
    bare = FakeStage(invented("cancel_order happens at most once.", reward=None), "t")
    assert bare.view.cause is None, "without a grade nothing says that it went wrong"


def test_a_cause_after_the_lost_step_is_told_and_not_marked() -> None:
    stage = FakeStage(load(bundled()["returns-desk"]), "r2")
    assert stage.view.cause is not None and stage.view.cause.step == 5 and stage.view.cause.lost == 4
    assert stage.view.cause_at is None


def test_x_tells_the_cause_of_a_run_that_nothing_judges() -> None:
    stage = FakeStage(invented(""), "t")
    doors.explain(stage)
    assert [type(screen) for screen, _ in stage.app.pushed] == [WhyDialog]
    plain = FakeStage(invented("", reward=1.0), "t")
    doors.explain(plain)
    assert plain.app.pushed == [] and plain.told
    assert "explain" not in {hint.id for hint in named_hints(plain.view, TOLD)}
    unsure = Trace([ASKED, look("#W1000001"), YES, cancel("#W1000001")], id="t")
    doubted = FakeStage(session_of([unsure]), "t")
    assert doubted.view.cause is not None and doubted.view.cause.step is None and doubted.view.cause.suspect
    assert "explain" in {hint.id for hint in named_hints(doubted.view, TOLD)}
    doors.explain(doubted)
    assert [type(screen) for screen, _ in doubted.app.pushed] == [WhyDialog]


async def test_a_run_that_was_graded_0_is_a_failure_whatever_judges_it(tmp_path: Path) -> None:
    """It keeps all rules: f in the list and O find it, as they find a run that breaks one."""
    session = invented("get_order comes before cancel_order.")
    session = session_of([Trace([ASKED, look("#W1")], id="fine", reward=1.0), *map(trace_of, session.runs)])
    add_rules(session, "get_order comes before cancel_order.")
    async with opened(sessions.write(session, tmp_path), (120, 40), run="fine") as driven:
        await driven.press("O")
        await driven.until(lambda: driven.state.run.id == "t")
        assert "✓ RIGHT  graded wrong" in rows(driven.app)[0]


async def test_the_list_counts_the_runs_that_have_a_cause(tmp_path: Path) -> None:
    """None of them was lost, since nothing judges them."""
    session = invented("")
    session = session_of([*map(trace_of, session.runs), Trace([ASKED, ToolCall("lookup", {})], id="fine")])
    async with opened(sessions.write(session, tmp_path), (120, 40)) as driven:
        await driven.press("o")
        await driven.sees("By cause", "2 of 2 runs")
        await driven.press("/")
        await driven.type("fine")
        await driven.sees("Lost at", "The others: 1 not judged")


def test_space_finds_the_sources_of_one_call() -> None:
    stage = FakeStage(invented(), "t", 2)
    doors.look(stage)
    dialog = stage.app.pushed[0][0]
    assert isinstance(dialog, LookDialog) and dialog.seeks
    assert dialog.pages[0].parts[0].value == {'order_id "#W7777777"': "from nowhere, as at step 1"}
    start = FakeStage(invented(), "t", 0)
    doors.look(start)
    assert not start.app.pushed[0][0].seeks


def test_the_mark_is_in_the_legend() -> None:
    text = " ".join(" ".join(line.text for line in help_lines({}, 100)).split())
    assert re.search(rf"{CAUSE}\s+the step most likely to blame, before {LOST_HERE}", text)


def test_the_walker_begins_there_and_says_the_chain() -> None:
    walker = Walker(invented())
    greeting = "\n".join(walker.greeting())
    assert walker.state.index == 1 and "Most likely cause: step 1 (" in greeting
    told = "\n".join(walker.do("x"))
    assert "Step 1, origin: " in told and "Step 2, lost, shows: " in told
    assert "most likely the cause" in next(line for line in walker.do("4") if line.startswith("Step 1"))
    assert 'order_id "#W7777777": from nowhere' in list(walker.do("look"))
