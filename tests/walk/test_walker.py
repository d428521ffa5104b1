"""The debugger line by line: the same places as on the screen, in sentences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.cli import main
from planscope.debugger import cursor
from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.session.locations import bundled
from planscope.session.model import own_runs
from planscope.session.store import load
from planscope.session.traces import session_of
from planscope.walk.commands import COMMANDS, ELSEWHERE
from planscope.walk.walker import Walker
from tests.hostile import SAVEABLE
from tests.nightly import examples

FIRST = load(bundled()["first-look"])


def said(walker: Walker, *lines: str) -> str:
    return "\n".join(line for text in lines for line in walker.do(text))


def test_it_begins_where_the_plan_was_lost() -> None:
    walker = Walker(FIRST)
    greeting = "\n".join(walker.greeting())
    assert "Verdict: wrong, parameter error." in greeting and "Lost here, the point of no return." in greeting
    assert walker.state.step == 2


def test_it_moves_as_the_screen_does() -> None:
    walker = Walker(FIRST)
    state = cursor.first_violation(cursor.open_run(walker.replay))
    moves = {
        "n": cursor.next_call,
        "N": cursor.previous_call,
        "s": cursor.next_check,
        "S": cursor.previous_check,
        "g": cursor.go_start,
        "G": cursor.go_end,
        "f": cursor.first_violation,
    }
    for key in "nnNssSgsssfSSGNg":
        walker.do(key)
        state = moves[key](state)
        assert (walker.state.index, walker.state.check) == (state.index, state.check), key


def test_ends_are_said() -> None:
    walker = Walker(FIRST)
    assert said(walker, "g", "N").endswith("This is the start.")
    assert said(walker, "G", "n").endswith("This is the end.")


def test_breakpoints_stop_it() -> None:
    walker = Walker(FIRST)
    assert "Breakpoint set: tool gallery_label_writing" in said(walker, "b tool gallery_label_writing")
    walker.do("G")
    assert "tool gallery_label_writing" in said(walker, "C")
    assert walker.state.step == 4
    assert "cleared" in said(walker, "b tool gallery_label_writing")
    assert "No breakpoint is set." in said(walker, "B")


def test_what_is_wrong_is_one_sentence() -> None:
    walker = Walker(FIRST)
    for line in ("goto 99", "b nonsense", "w a1.colour", "o r99", "frst", "n 3", "goto", "/"):
        (one,) = walker.do(line)
        assert (one and one.endswith(".")) or "there are" in one, line
    assert "did you mean first" in said(walker, "frst")


def test_every_command_says_something_at_every_step() -> None:
    walker = Walker(FIRST)
    for index in range(len(walker.state.run.steps)):
        for word in COMMANDS:
            if word.name not in ("quit", "runs"):
                walker.state = cursor.go_to(walker.state, index)
                assert list(walker.do(word.key)), word


def test_keys_of_the_screen_say_where_else() -> None:
    walker = Walker(FIRST)
    for key in ELSEWHERE:
        (line,) = walker.do(key)
        assert "planscope" in line
    assert not {w.key for w in COMMANDS} & set(ELSEWHERE)


def test_another_run() -> None:
    walker = Walker(FIRST)
    assert "Verdict: right." in said(walker, "o 1")
    assert "There is no violation" in said(walker, "f")
    assert "this one" in said(walker, "o").splitlines()[0]


def test_the_run_that_is_walked_through_is_none_that_a_dissection_made() -> None:
    session = load(bundled()["cause-terminal"])
    walker = Walker(session)
    assert len(session.runs) > 1 and walker.run is own_runs(session)[-1]
    assert "Run 1 of" in "\n".join(walker.greeting())
    session.runs = []
    assert Walker(session).run is None


def test_what_a_dissection_found_is_said_with_the_words_to_blame() -> None:
    walker = Walker(load(bundled()["cause-terminal"]))
    cause, _, blame, cured = walker.do("m")
    assert cause == "Cause: Terminal, confidence 99 %." and "It fails where sentence 1 says" in blame
    assert cured.startswith("The cured query: ")
    assert "was not dissected" in said(Walker(FIRST), "m")


@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([w.key for w in COMMANDS if w.key != "q"]),
            st.sampled_from(SAVEABLE),
            st.text(max_size=12),
        ),
        max_size=12,
    )
)
def test_no_line_breaks_it(lines: list[str]) -> None:
    walker = Walker(FIRST)
    for line in lines:
        for text in walker.do(line):
            assert "\x1b" not in text and "\n" not in text
    assert 0 <= walker.state.index <= walker.state.run.last


def test_it_reads_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("n\nx\nq\nn\n"))
    assert main(["walk", "figure-10"]) == 0
    out = capsys.readouterr().out
    assert "CONFLICT (unsat core): these cannot all hold." in out and out.count("Step ") >= 2


def test_a_session_that_cannot_be_read_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    made = FIRST.model_copy(deep=True)
    made.variants[0].query.text = "Nonsense is this."
    from planscope.session.store import save

    path = tmp_path / "bad.planscope.json"
    save(made, path)
    assert main(["walk", str(path)]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and "cannot be read" in err


def test_the_core_says_its_steps_with_their_calls() -> None:
    assert "Step 2: school_tour_guidance, start_time 12." in list(Walker(FIRST).do("x"))


def test_what_was_done_to_calls_is_heard_in_the_timeline() -> None:
    session = FIRST.model_copy(deep=True)
    run = session.runs[-1]
    done = {1: {"kept": True}, 2: {"said": "no"}, 3: {"refused_by": "user"}}
    run.events = [e.model_copy(update=done.get(e.step, {})) if e.type == "answer" else e for e in run.events]
    run.events = [
        e.model_copy(update={"kept": True}) if e.type == "call" and e.step == 1 else e for e in run.events
    ]
    said = list(Walker(session).do("4"))
    assert ", kept from another run: possible" in said[1]
    assert ", edited by hand: lost" in said[2] and ", refused: " in said[3]
    assert not any("kept" in line or "edited" in line for line in said[4:])


def test_it_says_what_the_model_saw_whole() -> None:
    walker = Walker(FIRST)
    start = said(walker, "g", "look")
    prompt = walker.record.prompt if walker.record is not None else None
    assert prompt is not None and prompt.text in start and "System prompt: none" in start
    for tool in prompt.tools or ():
        assert f"{tool.name}: {tool.description}" in start
    assert '"start_time"' in start
    step = said(walker, "n", "saw")
    assert (
        "Tokens and time: " in step
        and "Raw message\n{" in step
        and "Answer: Replica procurement takes" in step
    )


def test_what_the_user_says_between_calls_is_no_thought() -> None:
    items = [
        ToolCall("look", {}, answer="none", answered=True),
        Said("user", "It is 8."),
        Said("model", "I see."),
        ToolCall("look", {"id": 8}),
    ]
    walker = Walker(session_of([Trace(items, title="Look it up.")]))
    assert next(walker.greeting()) == "Look it up."
    walker.do("g")
    told = said(walker, "n", "n")
    assert "User: It is 8.\nThought: I see.\nIt called look" in told and "user:" not in told
