"""Markdown for issues: what a run is about, and nothing of it is ever a link, a mention or HTML."""

from __future__ import annotations

import base64
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planscope.dissection.told import found_in
from planscope.safe import visible
from planscope.session.locations import bundled
from planscope.session.model import (
    CallEvent,
    EndEvent,
    Event,
    MessageEvent,
    PromptEvent,
    Run,
    SeenTool,
    Session,
    Usage,
)
from planscope.session.store import load
from planscope.sharing.formats import share
from planscope.show.blocks import Table
from planscope.show.markdown import fenced as block
from planscope.show.markdown import inline as code
from planscope.show.markdown import markdown
from tests.nightly import nightly
from tests.sharing.cases import planted, run_of, written

IMAGE = re.compile(
    r'<img alt="(?:Order|Hours) of the actions" src="data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)">'
)
OWN = {"svg", "title", "style", "rect", "path", "g", "text"}
"""What a picture of ours consists of."""


def test_it_tells_what_matters() -> None:
    text = share(load(bundled()["figure-10"]), None, "markdown", redaction=None)
    assert text.startswith("## ✗ Wrong: parameter error, lost at step 1, shows at step 2\n")
    for words in (
        "run `r2`: agent `tools`, model `sim:time-blind`",
        "### Query\n\n```text\nAttending training sessions follow 10:00.",
        "| ● | 1 | `attending_training_sessions(10)` | 10:00-12:00 | lost | 0 | **LOST HERE** (point of no return): ",
        "| **● conflict** | c3 | `applying hair color before attending training sessions` |",
        "### A correct plan\n\n|  |  |  |  |\n| --- | --- | --- | --- |\n| 1 | `applying hair color` | at 8:00 |",
        "### Constraints at the end\n",
    ):
        assert words in text, words
    assert text.endswith("\n") and "\n\n\n" not in text


def test_it_tells_where_an_earlier_attempt_was_lost() -> None:
    text = share(load(bundled()["figure-7"]), "r1", "markdown", redaction=None)
    assert text.startswith("## ✓ Right\n")
    assert "| 14:00-16:00 | lost | 0 | **LOST HERE** (point of no return): " in text
    assert text.count("LOST HERE") == 1


def test_the_words_to_blame_and_the_cured_query_are_told_there_and_on_the_page() -> None:
    session = load(bundled()["cause-terminal"])
    text = share(session, None, "markdown", redaction=None)
    assert "### What in the query makes the agent fail\n\n```text\nCause: Terminal, confidence 99 %." in text
    assert "It fails where sentence 1 says “postdates”" in text.replace("\n", " ")
    found = found_in(session, "v1")
    assert found is not None and found.cured.split(".")[0][:40] in text.replace("\n", " ")
    page = share(session, None, "html", redaction=None)
    assert "<mark>postdates</mark>" in page and "With these words changed the agent is right:" in page
    assert all(one in unescape(page) for one in found.sentences)


def test_a_request_alone() -> None:
    session = Session(id="s", title="t", variants=[written()])
    text = share(session, None, "markdown", redaction=None)
    assert text.startswith("## A planning query\n") and "no run yet" in text and "### Steps" not in text


def test_long_runs_are_cut_around_what_went_wrong() -> None:
    variant = written()
    session = Session(id="s", title="t", variants=[variant], runs=[run_of(variant, (1, 0, 2) * 300)])
    text = share(session, None, "markdown", redaction=None)
    assert (
        text.count("\n| ✗ | ") < 320 and "more steps are left out here." in text and "**LOST HERE**" in text
    )


def spans(line: str) -> str:
    """A line of Markdown without its code spans, as GitHub's rules read it (spec 0.29, 6.3)."""
    made, at = "", 0
    while at < len(line):
        ticks = re.compile("`+").match(line, at)
        if ticks is None:
            made += line[at]
            at += 1
            continue
        closing = re.compile(rf"(?<!`){ticks[0]}(?!`)").search(line, ticks.end())
        assert closing is not None, f"a code span is not closed: {line!r}"
        at = closing.end()
    return made


def cell(text: str) -> str:
    return code(text, cell=True)


def cells(row: str) -> list[str]:
    """A row of a table cut as GitHub cuts it: at every pipe that no backslash escapes."""
    return re.split(r"(?<!\\)(?:\\\\)*\|", row)


@given(st.text())
@example("`")
@example("``")
@example("\\")
@example("\\|")
@example("a\\\\|b")
@example("|")
@example("` ``")
@example("\t")
@example("@everyone <img src=x> https://acme-corp.com #1 [a](b)")
def test_code_holds_anything(text: str) -> None:
    for made in (code(text), cell(text), code(text, 5)):
        assert "\n" not in made
        assert spans(made) == "" or (not visible(text).strip(" ") and made in ("(nothing)", "(blank)"))
    assert len(cells(f"| {cell(text)} | x |")) == 4, "it is one cell of a table"
    assert len(markdown([Table([(text, "x")], ("a", "b"))]).splitlines()) == 3


def test_a_pipe_stays_one_where_no_table_is() -> None:
    assert code("a|b") == "`a|b`" and cell("a|b") == "`a\\|b`"
    session = Session(id="s", title="this | that", variants=[written()])
    assert "Session `this | that`" in share(session, None, "markdown", redaction=None)


def test_arguments_that_are_cut_say_so() -> None:
    session = Session(id="s", title="t", variants=[written()], runs=[run_of(written(), (0,))])
    call = next(e for e in session.runs[0].events if isinstance(e, CallEvent))
    many = {"note": "long " * 50, "more": 1} | {f"k{n}": n for n in range(100)}
    session.runs[0].events[2] = call.model_copy(update={"arguments": many})
    line = next(
        row for row in share(session, None, "markdown", redaction=None).splitlines() if "note=" in row
    )
    assert re.search(r'note="long long [^|]*…[^|]*, more=1, k0=0, [^|]*…\)`', line), line


@given(st.lists(st.text(alphabet="`~ab\n\\<>@"), max_size=5))
def test_a_block_is_closed_by_its_own_fence_alone(lines: list[str]) -> None:
    first, *inside, last = block(lines).split("\n")
    fence = first.removesuffix("text")
    assert set(fence) == {"`"} and len(fence) >= 3 and last == fence
    assert not [line for line in inside if re.match(rf" {{0,3}}`{{{len(fence)},}}\s*$", line)]


HOSTILE = (
    "@everyone <img src=x onerror=alert(1)>",
    "](https://evil.example) ![x](https://evil.example/x.png)",
    "``` \n# heading\n<script>",
    "| a | b |\n|---|---|",
    "`````",
    "fixes #1 and GH-1",
)


def test_hostile_text_stays_in_code(tmp_path: Path) -> None:
    session = planted(HOSTILE)
    session.title = " ".join(HOSTILE)
    session.runs[0].agent, session.runs[0].model = HOSTILE[0], HOSTILE[1]
    text = share(session, None, "markdown", redaction=None)
    outside, fence = [], ""
    for line in text.splitlines():
        if fence:
            fence = "" if line == fence else fence
        elif line.startswith("```"):
            fence = line.removesuffix("text").removesuffix("json")
        elif (image := IMAGE.fullmatch(line)) is not None:
            drawn = ElementTree.fromstring(base64.b64decode(image[1]).decode())
            assert {one.tag.partition("}")[2] for one in drawn.iter()} <= OWN
        else:
            outside.append(spans(line))
    assert not fence
    for bad in ("@", "<", "evil", "http", "#1", "GH-1", "]("):
        assert bad not in "\n".join(outside), bad
    rows = [line for line in text.splitlines() if line.startswith("| ✗ ")]
    assert rows and len({len(cells(row)) for row in rows}) == 1


@pytest.mark.parametrize("name", [*sorted(bundled())[::2], *nightly(*sorted(bundled())[1::2])])
def test_every_bundled_session_can_be_shared(name: str) -> None:
    session = load(bundled()[name])
    for run in session.runs[:: len(session.runs) // 3 + 1]:
        assert share(session, run.id, "markdown", redaction=None).count("\n") > 10


def test_it_says_what_the_model_was_given_and_said() -> None:
    variant = written()
    tool = SeenTool(name="mail", description="Sends | it.", parameters={"type": "object"})
    raw = {"type": "ai", "data": {"content": "<b>I send</b>"}}
    events: list[Event] = [
        PromptEvent(text="Do it: ```\nall", system="You *plan*.", tools=[tool]),
        MessageEvent(took=0.5, usage=Usage(input_tokens=9, output_tokens=2), message=raw, at=1.5),
        CallEvent(step=1, tool=variant.actions[0].tool, arguments={}),
        EndEvent(ending="stopped"),
    ]
    run = Run(id="r1", variant="v1", agent="tools", model="sim:x", events=events)
    made = share(Session(id="s", title="A", variants=[variant], runs=[run]), None, "markdown", redaction=None)
    said = made[made.index("### What the model was given") :]
    assert "```text\nYou *plan*.\n```" in said
    assert "````text\nDo it: ```\nall\n````" in said
    assert '```text\nmail: Sends | it.\n{"type": "object"}\n```' in said
    assert "Tokens and time: `9 tokens read, 2 written, 0.5 s, 1.5 s after the start`" in said
    assert '"content": "<b>I send</b>"' in said
    old = run.model_copy(update={"events": [PromptEvent(text="Do it."), EndEvent(ending="stopped")]})
    made = share(Session(id="s", title="A", variants=[variant], runs=[old]), None, "markdown", redaction=None)
    assert "Tools: `not recorded`" in made


def test_the_plan_is_a_picture_in_it() -> None:
    text = share(load(bundled()["figure-10"]), None, "markdown", redaction=None)
    found = re.findall(r'### (.*)\n\n<img alt="(.*?)" src="data:image/svg\+xml;base64,([^"]+)">', text)
    assert [(heading, title) for heading, title, _ in found] == [
        ("Order of the actions at step 1", "Order of the actions"),
        ("Hours of the actions at step 1", "Hours of the actions"),
    ]
    for *_, data in found:
        words = "".join(ElementTree.fromstring(base64.b64decode(data).decode()).itertext())
        assert "✗ applying hair color" in words
    assert "<img" not in share(load(bundled()["error-lost"]), None, "text", redaction=None)
