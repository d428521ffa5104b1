"""The compare screen: two runs or requests beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.session.locations import bundled
from planscope.session.model import ForkPoint, Origin, Query, Run, Session, Variant
from planscope.session.store import load
from planscope.session.tally import Outcome
from planscope.session.traces import session_of
from planscope.tui.controllers.run_list import judge_runs
from planscope.tui.panes.compare_lines import PAGES
from planscope.tui.screens.compare.comparable import Chosen, nearest, unrelated
from planscope.tui.screens.compare.screen import CompareScreen
from tests.hostile import SAVEABLE
from tests.nightly import nightly
from tests.tui.screen import Driven, opened
from tests.tui.sessions import figure_10, no_run, write
from tests.tui.test_live import until

FIRST = bundled()["first-look"]


async def entered(driven: Driven) -> CompareScreen:
    await driven.press("d")
    await until(
        driven, lambda: isinstance(driven.app.screen, CompareScreen)
    )  # the other run is sought in a thread
    screen = driven.app.screen
    assert isinstance(screen, CompareScreen)
    await until(driven, lambda: screen.at_rest)
    await driven.answered()
    return screen


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_two_runs_beside_each_other(size: tuple[int, int], same_frame: object) -> None:
    async with opened(FIRST, size) as driven:
        await entered(driven)
        assert "RIGHT" in driven.text and "PARAMETER ERROR" in driven.text
        assert driven.text.count("school_tour") >= 2
        if size == (120, 40):
            same_frame(driven.app, "compare-calls")


async def test_the_room_opens_at_the_call_that_lost_the_plan_and_goes_through_the_differences() -> None:
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        places = [i for i, row in enumerate(screen.rows) if row.differs]
        row = screen.rows[screen.state.at]
        assert (
            row.lost and "LOST HERE" in driven.text and driven.text.count("LOST HERE") == 2
        )  # row and detail
        await driven.press("home")
        for place in places[places[0] == 0 :]:
            await driven.press("n")
            assert screen.state.at == place
        await driven.press("n")
        assert screen.state.at == places[-1] and "no difference below" in driven.text
        await driven.press("N")
        assert screen.state.at == places[-2]


async def test_the_loss_is_one_loud_row_and_facts_are_in_words() -> None:
    async with opened(bundled()["cause-structure"]) as driven:
        screen = await entered(driven)
        looks = [{run.role for run in row.b.runs if run.text.strip().startswith("✗")} for row in screen.rows]
        lost = next(k for k, row in enumerate(screen.rows) if row.lost)
        assert looks[lost] == {"stop"} and set().union(*looks[lost + 1 :]) == {"dim"}
        await driven.press("4")
        await driven.sees("other sentences 1", "order only", "4.25")
        assert "mutated" not in driven.text and "base" not in driven.text


async def test_every_page_shows_something() -> None:
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        seen = set()
        for digit, page in zip("1234", PAGES, strict=True):
            await driven.press(digit)
            assert screen.state.page == page
            seen.add(driven.text)
        assert len(seen) == len(PAGES)


@pytest.mark.usefixtures("own_file")
async def test_all_pages_are_copied_as_text_without_private_values(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    async with opened(FIRST) as driven:
        document = driven.screen.work.document
        for run in list(document.runs)[-2:]:
            events = [
                e.model_copy(update={"arguments": {"to": "kim.lee@northwind.de"}}) if e.type == "call" else e
                for e in run.events
            ]
            document.put_run(run.model_copy(update={"events": events}))
        await entered(driven)
        monkeypatch.setattr(driven.app, "copy_to_clipboard", copied.append)
        await driven.press("y")
        await driven.sees("was sent to the terminal's clipboard")
        assert "replaced in it" in driven.text
    (text,) = copied
    heads = [one.partition(":")[0] for one in text.splitlines() if one and one[0].isupper()]
    assert heads == [
        "First difference",
        "Calls",
        "Words",
        "Actions",
        "Constraints",
        "Tree",
        "Other differences",
    ]
    assert "kim.lee" not in text and text.startswith("a: run ")


async def test_sides_change_places_and_can_be_chosen() -> None:
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        a, b = screen.state.a, screen.state.b
        await driven.press("%")
        await until(driven, lambda: screen.at_rest)
        assert (screen.state.a, screen.state.b) == (b, a)
        await driven.press("]", "home", "enter")
        await until(driven, lambda: screen.at_rest)
        assert screen.state.b.run is None
        assert "not run" in driven.text or screen.state.page == "words"


async def test_enter_opens_the_run_at_the_step() -> None:
    async with opened(FIRST) as driven:
        screen = await entered(driven)
        while screen.rows[screen.state.at].steps[1] != 3:
            await driven.press("down")
        await driven.press("enter")
        await driven.rest()
        assert driven.app.screen is driven.screen
        assert driven.state.run.id == screen.state.b.run and driven.state.debug.index == 3


async def test_a_fork_is_compared_with_what_it_was_forked_from() -> None:
    async with opened(FIRST) as driven:
        document = driven.screen.work.document
        run = document.session.runs[0]
        document.put_run(run.model_copy(update={"id": "r7", "forked_from": ForkPoint(run=run.id, step=2)}))
        driven.open_run_number(2)
        await driven.rest()
        screen = await entered(driven)
        assert (screen.state.a.run, screen.state.b.run) == (run.id, "r7")


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),))])
async def test_a_fork_says_what_was_kept_and_what_was_edited(
    size: tuple[int, int], same_frame: object
) -> None:
    async with opened(FIRST, size) as driven:
        document = driven.screen.work.document
        run = document.session.runs[1]
        second = [e for e in run.events if e.type == "answer"][1]
        begun = run.events[: run.events.index(second)]
        edited = second.model_copy(update={"text": "It is closed today.", "said": second.text})
        events = [e.model_copy(update={"kept": True}) for e in (*begun, edited)]
        events += [e for e in run.events if e.type == "end"]
        fork = {"id": "r7", "forked_from": ForkPoint(run=run.id, step=2), "events": events}
        document.put_run(run.model_copy(update=fork))
        document.session.runs[:1] = []  # else it is compared with this one, which is right
        driven.open_run_number(1)
        await driven.rest()
        screen = await entered(driven)
        assert "r7 forks here" in driven.text and "kept from r2 up to here" in driven.text
        assert "takes 1" in driven.text and "It is closed" in driven.text
        assert screen.rows[screen.state.at].steps == (2, 2)  # where they part, and not what is said of it
        if size == (80, 24):
            await driven.sees("copied to your library")
            same_frame(driven.app, "compare-fork")


async def test_what_differs_is_seen_where_there_is_little_room() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        screen = await entered(driven)
        row = next(r for r in screen.rows if r.differs and "~" in r.a.text)
        a, b = (side.steps[1].call.arguments["start_time"] for side in sides(screen))
        assert f"replica_procurement({a})" in row.a.text and f"replica_procurement({b})" in row.b.text
        assert "3 Constraints" in driven.text and "first difference: step 1" in driven.text


async def test_a_run_is_opened_at_its_own_place_from_a_page_without_steps() -> None:
    async with opened(FIRST) as driven:
        await entered(driven)
        await driven.press("5", "o")
        await driven.rest()
        assert driven.app.screen is driven.screen and driven.state.debug.index == 2


def sides(screen: CompareScreen) -> tuple[Any, Any]:
    compared = screen.state.compared
    assert compared is not None
    return compared.a, compared.b


def test_what_a_run_is_compared_with() -> None:
    def variant(id: str, parent: str | None = None, mutation: str | None = None) -> Variant:
        origin = Origin(kind="mutated" if mutation else "written", mutation=mutation)
        return Variant(id=id, parent=parent, origin=origin, query=Query(text=""), actions=[])

    variants = [
        variant("v1"),
        variant("v2", "v1"),
        variant("d1v1", "v1", "TopicChange"),
        variant("v3", "v3"),  # a file may say so
        variant("v4", "v1"),
    ]
    told = [
        ("r1", "v1", ""),
        ("r2", "v1", ""),
        ("r3", "v2", ""),
        ("m1", "d1v1", ""),
        ("m2", "d1v1", ""),
        ("r4", "v1", "r1"),
        ("r5", "v3", ""),
        ("r6", "v2", "r6"),
    ]
    runs = [
        Run(
            id=id,
            variant=of,
            agent="tools",
            model="sim:careful",
            forked_from=ForkPoint(run=fork, step=1) if fork else None,
        )
        for id, of, fork in told
    ]
    session = Session(id="s", title="", variants=variants, runs=runs)
    found = {id: nearest(session, Chosen(of, id), {}) for id, of, _ in told}
    assert {id: one and one.run for id, one in found.items()} == {
        "r1": "r2",
        "r2": "r1",
        "r3": "r6",
        "m1": "r1",
        "m2": "r1",
        "r4": "r1",
        "r5": "r1",
        "r6": "r3",
    }
    assert nearest(session, Chosen("v4", None), {}) == Chosen("v1", None)
    for run, reward in zip(runs, (0.0, 0.5, 1.0, 1.0), strict=False):
        run.reward = reward
    graded = nearest(session, Chosen("v1", "r1"), {})
    assert (
        graded is not None and graded.run == "r3"
    )  # of a run that was graded 0 the nearest that was graded 1
    alone = Session(id="s", title="", variants=variants[:1], runs=runs[:1])
    assert all(nearest(alone, Chosen("v1", id), {}) is None for id in ("r1", None))


@pytest.mark.parametrize("known", [True, False], ids=["judged", "not judged yet"])
async def test_a_wrong_run_is_compared_with_the_right_run_most_like_it(known: bool) -> None:
    session = load(bundled()["cause-structure"])
    verdicts = {
        run.id: outcome
        for run, (_, outcome) in zip(session.runs, judge_runs(session, session.runs), strict=True)
    }
    wrong = [run for run in session.runs if verdicts[run.id].verdict == "wrong"]
    assert wrong and len(wrong) < len(session.runs)
    for run in session.runs:
        found = nearest(session, Chosen(run.variant, run.id), verdicts if known else {})
        assert found is not None and found.run != run.id
        if run in wrong:
            assert verdicts[found.run or ""].verdict == "right"


def test_of_the_right_runs_the_one_with_the_same_calls_but_one_is_nearest() -> None:
    made = figure_10()
    wrong, right = made.runs[0], Outcome("right")

    def like(id: str, events: list[Any]) -> Run:
        return wrong.model_copy(update={"id": id, "events": events})

    calls = [event for event in wrong.events if event.type == "call"]
    near = like("near", [event for event in wrong.events if event is not calls[-1]])
    far = like("far", [event for event in wrong.events if event.type != "call"])
    made = made.model_copy(update={"runs": [far, wrong, near, like("same", wrong.events)]})
    known = {"far": right, "near": right, wrong.id: Outcome("wrong"), "same": Outcome("wrong")}
    here = Chosen(wrong.variant, wrong.id)
    assert nearest(made, here, known) == Chosen(wrong.variant, "near")
    prompt = next(event for event in wrong.events if event.type == "prompt")
    other = prompt.model_copy(update={"text": "Book a flight."})
    near.events[near.events.index(prompt)] = other
    assert nearest(made, here, known) == Chosen(wrong.variant, "far")  # of the same task
    near.events[near.events.index(other)] = prompt
    forked = wrong.model_copy(update={"id": "fork", "forked_from": ForkPoint(run=wrong.id, step=2)})
    fork = made.model_copy(update={"runs": [*made.runs, forked]})
    for verdict, other in (("wrong", "near"), ("right", wrong.id)):
        found = nearest(fork, Chosen(wrong.variant, "fork"), {**known, "fork": Outcome(verdict)})
        assert found == Chosen(wrong.variant, other)
    none = {**known, "near": Outcome("wrong"), "far": Outcome("unknown")}
    assert nearest(made, here, none) == Chosen(wrong.variant, "near")  # not with an equal run


def test_runs_of_unrelated_tasks_are_known() -> None:
    def run(asked: str, *tools: str) -> Run:
        return session_of([Trace([Said("user", asked), *(ToolCall(tool, {}) for tool in tools)])]).runs[0]

    refund = run("Please refund my order of yesterday", "look_order", "refund_order")
    again = run("I want a refund for the order of yesterday, please", "refund_order")
    flight = run("Book the cheapest flight to Paris", "search_flights", "book_flight")
    other = run("Which weather does Paris have tomorrow", "look_order")
    assert not unrelated([refund, again]) and not unrelated([refund, run("", "look_order")])
    assert (
        unrelated([refund, flight]) and unrelated([refund, other]) and unrelated([run("", "a"), run("", "b")])
    )


async def test_the_runs_of_unrelated_tasks_are_said_to_be_so(tmp_path: Path) -> None:
    one, other = (
        Trace([Said("user", "Refund my order"), ToolCall("refund", {})]),
        Trace([ToolCall("book", {})]),
    )
    async with opened(write(session_of([one, other]), tmp_path)) as driven:
        await driven.press("d")
        await driven.sees("different tasks, it seems")
        assert "NOT JUDGED" in driven.text and "? not judged" not in driven.text, "said once of each run"


async def test_one_query_is_not_said_to_mean_the_same_as_itself() -> None:
    async with opened(bundled()["cause-structure"]) as driven:
        screen = await entered(driven)
        assert screen.state.a.run != screen.state.b.run and "RIGHT" in driven.text
        await driven.press("3")
        same = screen.state.a.variant == screen.state.b.variant
        assert ("Both runs are of one query" in driven.text, "mean the same" in driven.text) == (
            same,
            not same,
        )


async def test_requests_are_compared_by_their_words() -> None:
    async with opened(FIRST) as driven:
        document = driven.screen.work.document
        first = document.session.variants[0]
        text = first.query.text.replace("before", "after", 1)
        query = first.query.model_copy(update={"text": text})
        edited = {"id": "v2", "parent": first.id, "origin": Origin(kind="edited"), "query": query}
        document.put_variant(first.model_copy(update=edited))
        screen = await entered(driven)
        await driven.press("]", "end", "enter")
        await until(driven, lambda: screen.at_rest)
        await driven.press("2")
        marked = [
            run for row in screen.rows for run in (*row.a.runs, *row.b.runs) if run.role.startswith("diff")
        ]
        assert {run.text for run in marked} >= {"before", "after"}
        await driven.press("3")
        assert "do not mean the same" in driven.text


async def test_nothing_to_compare_with_is_said(tmp_path: Path) -> None:
    async with opened(write(no_run(), tmp_path)) as driven:
        await driven.press("d")
        await driven.sees("nothing to compare with")
        assert driven.app.screen is driven.screen


async def test_hostile_texts_are_shown_as_text(tmp_path: Path) -> None:
    made = figure_10()
    hostile = "".join(SAVEABLE)[:3000]
    events = [
        e.model_copy(update={"text": hostile}) if e.type in ("message", "answer") else e
        for e in made.runs[0].events
    ]
    other = made.runs[0].model_copy(update={"id": "r9", "agent": hostile, "model": hostile, "events": events})
    made.runs.append(other)
    made.variants[0].actions[0] = made.variants[0].actions[0].model_copy(update={"name": hostile[:200]})
    async with opened(write(made, tmp_path)) as driven:
        await entered(driven)
        for digit in "12345":
            await driven.press(digit)
            assert "\x1b" not in driven.text and "\x07" not in driven.text


async def test_the_chosen_row_is_one_of_the_rows_however_few_a_wider_window_needs() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        screen = await entered(driven)
        await driven.press("2", "end")
        before = screen.state.at
        assert before == len(screen.rows) - 1
        await driven.pilot.resize_terminal(200, 60)
        await driven.until(lambda: len(screen.rows) <= before)
        assert screen.state.at == len(screen.rows) - 1
        await driven.press("N", "up", "n", "enter")
        assert driven.app.screen is driven.screen


async def test_a_run_opens_from_behind_the_last_row() -> None:
    async with opened(FIRST) as driven:
        await driven.press("d")
        screen = driven.app.screen
        assert isinstance(screen, CompareScreen)
        await until(driven, lambda: screen.state.compared is not None and bool(screen.rows))
        screen.change(at=len(screen.rows))  # as where rows became fewer meanwhile
        await driven.press("o")
        assert driven.app.screen is driven.screen
