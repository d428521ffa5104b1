"""The dissect screen: a matrix that fills, the cause above it, any mutant opened or compared."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from pathlib import Path

import pytest

from planscope.dissection.evidence import RARE
from planscope.session.locations import bundled
from planscope.session.model import Dissection, Origin, Run, Session, make_variant
from planscope.session.store import dumps, loads
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.panes.dissect_lines import cause_lines, matrix_lines
from planscope.tui.screens.compare.screen import CompareScreen
from planscope.tui.screens.dissect.screen import DissectScreen
from planscope.wording.terms import MUTATIONS
from tests.nightly import nightly
from tests.tui.screen import Driven, opened
from tests.tui.sessions import write
from tests.tui.test_live import until


def a_session(seed: int = 3, actions: int = 5) -> Session:
    made = synthesize(Request(actions=actions, seed=seed, repeats=True))
    variant = make_variant(made.problem, Origin(kind="synthesized"), topic=made.topic)
    return Session(id="s", title="dissected", variants=[variant])


async def entered(driven: Driven, model: str = "sim:word-blind") -> DissectScreen:
    driven.screen.work.live.last_choice = RunChoice(model=model)
    await driven.press("m")
    screen = driven.app.screen
    assert isinstance(screen, DissectScreen)
    await driven.answered()
    return screen


async def dissected(driven: Driven, screen: DissectScreen) -> None:
    await until(driven, lambda: screen.at_rest, 60)
    await driven.answered()


async def test_the_cause_is_named_and_all_is_in_the_session(tmp_path: Path, same_frame: object) -> None:
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven)
        assert "Not run yet; press m" in driven.text
        foot = driven.text.splitlines()[-1]
        assert "m dissect" in foot and "one more run" in foot
        assert not any(key in foot for key in ("o open", "d compare", "Q cured", "O earlier", "y copy"))
        assert all(name in driven.text for kind, name in MUTATIONS.items() if kind not in RARE)
        await driven.press("m")
        await dissected(driven, screen)
        assert screen.state.summary.decision.cause == "Terminal"
        assert "TERMINAL, the words" in driven.text and "sure" in driven.text
        assert len(driven.screen.app.screen.cause.lines) + 1 == screen.cause.cells[1], "as high as its words"
        session = driven.screen.work.document.snapshot()
        (record,) = session.dissections
        assert sum(len(cell.runs) for cell in record.cells) == len(session.runs)
        assert loads(dumps(session)).dissections == session.dissections


@pytest.mark.parametrize("size", [(80, 24), *nightly(((200, 60),))])
async def test_it_is_seen_at_every_size(size: tuple[int, int]) -> None:
    async with opened(bundled()["cause-terminal"], size) as driven:
        screen = await entered(driven)
        await dissected(driven, screen)
        for text in ("TERMINAL", "other words", "other sentences", "Cause"):
            assert text in driven.text


async def test_a_kind_and_a_single_mutant_are_run_alone(tmp_path: Path) -> None:
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven)
        await driven.press("down", "down", "*")
        await driven.press("home", "ctrl+k", "2", "enter")
        await dissected(driven, screen)
        row = screen.state.summary.row("TerminalSubstitute")
        assert [len(cell.runs) for cell in row.cells] == [1, 1] and screen.state.summary.runs == 2
        await driven.press(".")
        await dissected(driven, screen)
        row = screen.state.summary.row("TerminalSubstitute")
        assert [len(cell.runs) for cell in row.cells] == [2, 1]
        assert len(driven.screen.work.document.session.dissections) == 1


async def test_it_can_be_stopped_and_gone_on_with(tmp_path: Path) -> None:
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven, "sim:flaky?p=0.5")
        await driven.press("m")
        await until(driven, lambda: screen.state.summary is not None and screen.state.summary.runs > 0)
        await driven.press("X")
        await dissected(driven, screen)
        before = screen.state.summary.runs
        assert before > 0 and not screen.dissecting.running
        await driven.press("m")
        await until(driven, lambda: screen.state.summary.runs > before)
        await driven.press("X")
        await dissected(driven, screen)
        assert len(driven.screen.work.document.session.dissections) == 1


async def test_what_is_settled_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "own.planscope.json"  # of a bundled session a later notice says that it was copied
    path.write_bytes(bundled()["cause-structure"].read_bytes())
    async with opened(path, (80, 24)) as driven:
        await driven.press("m")
        screen = driven.app.screen
        assert isinstance(screen, DissectScreen)
        await dissected(driven, screen)
        spent = screen.state.summary.runs
        assert "more runs would not change this" not in driven.text
        await driven.press("m")
        await until(driven, lambda: "more runs would not change this" in driven.text)
        await until(driven, lambda: screen.at_rest)
        assert screen.state.summary.runs == spent


async def test_a_title_leaves_out_what_does_not_fit(tmp_path: Path) -> None:
    for size in ((80, 24), (120, 40)):
        async with opened(bundled()["cause-terminal"], size) as driven:
            await driven.press("m")
            await dissected(driven, driven.app.screen)
            title = driven.text.splitlines()[0]
            assert "…" not in title and "sim:word-blind simulated" in title and "of at most 100 runs" in title
            assert ("compare rates" in title) == (size[0] > 80)
        async with opened(bundled()["first-look"], size) as driven:
            await driven.press("e", "x")
            title = driven.text.splitlines()[0]
            assert "v1 → a new variant" in title and "not kept yet" in title


async def test_it_goes_on_when_the_room_is_left(tmp_path: Path) -> None:
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven)
        await driven.press("m", "escape")
        assert driven.app.screen is driven.screen
        await until(driven, lambda: not screen.dissecting.running, 60)
        again = await entered(driven)
        await dissected(driven, again)
        assert again.state.summary.decision.cause == "Terminal"


async def test_a_mutant_is_opened_and_compared() -> None:
    async with opened(bundled()["cause-terminal"]) as driven:
        screen = await entered(driven)
        await dissected(driven, screen)
        row = next(i for i, row in enumerate(screen.state.summary.rows) if row.kind == "TerminalSubstitute")
        for _ in range(row - screen.state.row):
            await driven.press("down")
        assert "diff-added" in {run.role for line in screen.mutant.lines for run in line.runs}
        await driven.press("d")
        compare = driven.app.screen
        assert isinstance(compare, CompareScreen)
        await until(driven, lambda: compare.at_rest)
        assert compare.state.b.variant == screen.cell.variant
        await driven.press("escape", "enter")
        await driven.rest()
        assert driven.app.screen is driven.screen
        assert driven.state.run.id in [run.run for run in screen.cell.runs]


async def test_another_dissection_with_another_model(tmp_path: Path) -> None:
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven)
        await driven.press("m")
        await dissected(driven, screen)
        await driven.press("+")
        assert isinstance(driven.app.screen, FormDialog)
        await driven.press("home", "ctrl+k")
        await driven.type("sim:careful")
        await driven.press("enter")
        await dissected(driven, screen)
        assert len(driven.screen.work.document.session.dissections) == 2
        assert screen.state.summary.decision.cause is None and "sim:careful" in driven.text
        await driven.press("O", "up", "enter")
        await dissected(driven, screen)
        assert screen.state.summary.decision.cause == "Terminal"


async def test_what_cannot_be_dissected_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven, "openai:none")
        await driven.press("m")
        await dissected(driven, screen)
        assert "✗" in driven.text and screen.state.trouble


async def test_runs_that_cannot_be_judged_say_so_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abcdefghijklmnop0123456789")
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven)

        def summary(*of: object) -> None:
            raise ValueError("no sk-abcdefghijklmnop0123456789 here")

        monkeypatch.setattr("planscope.dissection.summary.summary", summary)
        await driven.press("m")
        await dissected(driven, screen)
        assert "the runs cannot be judged: no " in driven.text and "sk-abc" not in driven.text


async def test_leaving_the_application_ends_it(tmp_path: Path) -> None:
    async with opened(write(a_session(), tmp_path)) as driven:
        await entered(driven, "sim:flaky?p=0.5")
        await driven.press("m", "q")
        assert "A dissection is in progress" in driven.text
        await driven.press("q")
    for _ in range(1200):
        left = [t.name for t in threading.enumerate() if t.name == "planscope dissect"]
        if not left:
            break
        await asyncio.sleep(0.05)
    assert not left


async def test_an_agent_that_a_file_names_is_never_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session and a module beside it, as in a repository that somebody else wrote."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planscope_canary.py").write_text("open('touched', 'w').close()\n")
    session = a_session()
    session.dissections = [
        Dissection(id="d1", variant="v1", agent="planscope_canary:factory", model="sim:careful")
    ]
    async with opened(write(session, tmp_path)) as driven:
        screen = await entered(driven)
        await driven.press("m")
        await driven.sees("code named by a file is never run")
        assert not screen.dissecting.running
    assert not (tmp_path / "touched").exists() and "planscope_canary" not in sys.modules


async def test_that_no_cause_is_in_the_query_stands_above_with_its_confidence_where_there_is_little_room(
    tmp_path: Path, same_frame: object
) -> None:
    async with opened(write(a_session(actions=3), tmp_path), (80, 24)) as driven:
        screen = await entered(driven, "sim:forgetful")
        await driven.press("m")
        await dissected(driven, screen)
        assert "NO CAUSE IN THE QUERY" in driven.text and "UNDECIDED" not in driven.text
        assert screen.state.summary.decision.confidence < 1 and re.search(r"9\d % sure", driven.text)
        said = " ".join(line.strip("│┃ ") for line in driven.text.splitlines())
        assert "Missing: an easier query, or another model: it fails at fresh queries" in said
        same_frame(driven.app, "dissect-no-cause")
        no_heading_is_green_and_no_rate_of_0(screen, "NO CAUSE")


async def test_a_contradictory_request_is_not_run(tmp_path: Path) -> None:
    session = a_session()
    variant = session.variants[0]
    one, other = (a.name for a in variant.actions[:2])
    text = f"{one.capitalize()} comes before {other}. {other.capitalize()} comes before {one}."
    query = variant.query.model_copy(update={"text": text, "tree": None})
    session.variants = [variant.model_copy(update={"query": query, "constraints": []})]
    async with opened(write(session, tmp_path)) as driven:
        screen = await entered(driven)
        await driven.press("m")
        await dissected(driven, screen)
        assert "contradicts itself" in driven.text and not driven.screen.work.document.session.runs


async def test_from_a_mutant_one_comes_back_to_its_place_in_the_dissection() -> None:
    async with opened(bundled()["cause-terminal"]) as driven:
        screen = await entered(driven)
        await dissected(driven, screen)
        row = next(i for i, row in enumerate(screen.state.summary.rows) if row.cells and i > 1)
        while screen.state.row < row:
            await driven.press("down")
        await driven.press("end")
        cell = screen.cell
        await driven.press("o")
        await driven.rest()
        assert driven.state.variant.id == cell.variant
        again = await entered(driven)
        await dissected(driven, again)
        assert again.state.record.id == "d1" and again.cell == cell
        assert again.variant == "v1" and again.wanted.run is None


async def test_only_runs_that_are_new_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import planscope.dissection.results  # noqa: F401  (imported before the name is replaced, it counts for itself)
    from planscope.dissection import summary

    judged: list[str] = []
    judge = summary.judged

    def counted(problem: object, run: Run) -> object:
        judged.append(run.id)
        return judge(problem, run)

    monkeypatch.setattr(summary, "judged", counted)
    async with opened(write(a_session(), tmp_path)) as driven:
        screen = await entered(driven)
        await driven.press("m")
        await dissected(driven, screen)
        assert len(judged) == len(set(judged)) == screen.state.summary.runs


async def test_the_cured_query_is_one_key_away_beside_the_original() -> None:
    async with opened(bundled()["cause-terminal"]) as driven:
        screen = await entered(driven)
        await dissected(driven, screen)
        assert "Q shows a query that it gets right beside yours." in driven.text
        await driven.press("Q")
        compared = driven.app.screen
        assert isinstance(compared, CompareScreen)
        await until(driven, lambda: compared.at_rest)
        assert (
            compared.state.compared.b.verdict.verdict == "right" and compared.state.compared.a.variant == "v1"
        )
        await driven.press("escape")
        assert screen.kind == "Culprit" and "small changes" in driven.text
        await driven.press("enter")
        assert isinstance(driven.app.screen, CompareScreen), "Enter shows the query beside the original, too"
        await driven.press("escape", "up", "up", "up")
        assert screen.kind == "QuerySynthesize" and "▶ other sentences" in driven.text


async def test_before_the_first_run_the_steps_are_told(tmp_path: Path) -> None:
    async with opened(write(a_session(), tmp_path)) as driven:
        await entered(driven)
        assert "1. The query as it is, several times" in driven.text and "names the cause" in driven.text
        await driven.press("Q")
        assert "no cured query: no cause is stated yet" in driven.text


@pytest.mark.parametrize("model", ["sim:scripted", "not recorded", "claude-sonnet-4-20250514"])
async def test_a_model_that_cannot_be_run_is_no_offer_and_another_is_asked_for(
    model: str, tmp_path: Path
) -> None:
    made = a_session()
    run = Run(id="r1", variant="v1", agent="tools", model=model)
    async with opened(write(made.model_copy(update={"runs": [run]}), tmp_path), (120, 40)) as driven:
        await driven.press("m")
        await driven.sees(f"This run's model ({model}) cannot be asked from here: m asks for one that can.")
        await driven.press("m")
        await driven.answered()
        dialog = driven.app.screen
        assert isinstance(dialog, FormDialog) and "choose one that can" in driven.text
        assert "is not a model" not in driven.text and "no profile" not in driven.text


async def test_a_run_without_a_query_says_that_there_are_no_words_to_change() -> None:
    async with opened(bundled()["returns-desk"]) as driven:
        await driven.press("m")
        await driven.sees("there is no query to dissect: a dissection changes its words")


def no_heading_is_green_and_no_rate_of_0(screen: DissectScreen, head: str) -> None:
    found = screen.state.summary
    (first, *_) = cause_lines(found, "", False, 100)
    assert head in first.text and "right" not in {run.role for run in first.runs}
    for row, line in zip(found.rows, matrix_lines(found, -1, 0, 110), strict=True):
        if row.rate.rate == 0:
            assert not [run for run in line.runs if run.role == "holds" and run.text.strip("✓ ")]


async def test_a_heading_is_green_for_nothing(tmp_path: Path) -> None:
    async with opened(write(a_session(), tmp_path), (120, 40)) as driven:
        screen = await entered(driven, "sim:careful")
        await driven.press("m")
        await dissected(driven, screen)
        no_heading_is_green_and_no_rate_of_0(screen, "No failure to explain")


async def test_the_words_to_blame_are_marked_in_the_query_with_the_cured_query_one_key_away() -> None:
    async with opened(bundled()["cause-terminal"], (120, 40)) as driven:
        await driven.rest()
        culprit = driven.state.found.culprit
        pane = driven.screen.pane("query")
        runs = [run for at in range(pane.size_of()) for run in pane.line_at(at).runs]
        assert culprit.text in "".join(run.text for run in runs if run.role == "blamed")
        told = " ".join(
            " ".join(row.partition("│")[0].strip(" ┃") for row in driven.text.splitlines()).split()
        )
        assert "It fails where sentence 1 says" in told and "Cause: Terminal, confidence 99 %" in told
        await driven.press("1", "enter")
        compared = driven.app.screen
        assert isinstance(compared, CompareScreen)
        await until(driven, lambda: compared.at_rest)
        assert compared.state.compared.b.variant == culprit.variant
