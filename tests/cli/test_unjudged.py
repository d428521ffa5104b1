"""A recorded run of somebody's own agent without a query: it opens everywhere, and one line says what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    MessageEvent,
    Origin,
    PromptEvent,
    Query,
    Run,
    Session,
    Variant,
)
from planscope.session.oracle_input import UNJUDGED
from planscope.session.store import load, save
from planscope.walk.walker import Walker
from tests.tui.screen import opened, rows

from .support import Cli

LINE = f"{UNJUDGED}."
TOOLS = ["read_log", "build_image", "page_owner"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two runs as recorders write them, the second of which ends with a refusal."""
    place = tmp_path / "own.planscope.json"
    actions = [
        ActionRecord(id=f"a{i}", name=t.replace("_", " "), tool=t, parameters={"type": "object"})
        for i, t in enumerate(TOOLS, 1)
    ]
    variant = Variant(
        id="v1", origin=Origin(kind="imported"), query=Query(text=""), actions=actions, own=True
    )
    runs = []
    for number, called in enumerate((["read_log", "build_image", "build_image"], ["read_log"]), 1):
        events = [PromptEvent(text="Ship it."), MessageEvent(at=1, text="I begin.")]
        for step, tool in enumerate(called, 1):
            events.append(CallEvent(at=step, step=step, tool=tool, arguments={"tag": "v1"}))
            events.append(AnswerEvent(at=step, step=step, text=f"{tool} is done"))
        refusal = "I cannot ship that." if number == 2 else None
        events += [MessageEvent(at=9, text="", refusal=refusal), EndEvent(at=9, ending="stopped")]
        runs.append(Run(id=f"r{number}", variant="v1", agent="own", model="m", events=events))
    save(Session(id="s1", title="own", variants=[variant], runs=runs), place)
    return place


def test_check_says_how_to_add_a_query(path: Path, cli: Cli) -> None:
    done = cli("check", path)
    assert (done.status, done.err) == (2, "")
    assert " ".join(done.out.split()).startswith(f"NOT JUDGED {LINE}") and "Z3" not in done.out
    document = cli("check", path, "--json").json
    assert (document["verdict"], document["explanation"], document["findings"]) == ("unknown", LINE, [])


@pytest.mark.parametrize("run", ["r1", "r2"])
def test_every_command_opens_it(path: Path, cli: Cli, run: str) -> None:
    replayed = cli("replay", path, "--run", run, "--json")
    assert {s["state"] for s in replayed.json["steps"]} == {"unknown"}
    assert next(s["call"]["tool"] for s in replayed.json["steps"] if s["call"]) == "read_log"
    for command in ("repair", "reasons"):
        done = cli(command, path, "--run", run)
        assert done.status == 0 and " ".join(done.out.split()) == LINE
        assert cli(command, path, "--run", run, "--json").status == 0
    compared = cli("compare", path, "r1", "r2")
    assert compared.status == 0 and "solver" not in compared.out
    assert cli("compare", path, "r1", "r2", "--json").status == 0


@pytest.mark.parametrize("form", ["html", "markdown", "text", "svg", "pytest", "session", "json"])
def test_it_can_be_shared(path: Path, cli: Cli, form: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{form}"
    done = cli("export", path, "--run", "r1", "--format", form, "-o", out)
    assert done.status == 0, done.err
    text = out.read_text(encoding="utf-8")
    assert "build_image" in text
    if form == "html":
        assert load(out).runs[0].events == load(path).runs[0].events
    if form == "session":
        (variant,) = json.loads(text)["variants"]
        assert variant["own"] is True and variant["actions"][0]["parameters"] == {"type": "object"}


def test_walking_tells_calls_and_messages(path: Path) -> None:
    walker = Walker(load(path), "r2")
    said = "\n".join([*walker.greeting(), *walker.do("n"), *walker.do("G"), *walker.do("x")])
    assert LINE in said and "It called read_log" in said and "Answer: read_log is done" in said
    assert "(the model refused: I cannot ship that.)" in said


async def test_the_screen_shows_calls_messages_and_the_line(path: Path) -> None:
    async with opened(path, size=(160, 40), run="r2") as driven:
        shown = "\n".join(rows(driven.app))
        assert "NOT JUDGED" in shown and "read_log" in shown and "Not judged: there is no query" in shown
        for key in ("n", "end", "f", "x", "escape", "s", "N"):
            await driven.pilot.press(key)
            await driven.rest()
        await driven.pilot.press("end")
        await driven.rest()
        assert "the model refused: I cannot ship that." in "\n".join(rows(driven.app))


@pytest.mark.parametrize(
    "command",
    [["mutate", "--kind", "QuerySynthesize"], ["run"], ["dissect", "--budget", "2"]],
    ids=lambda c: c[0],
)
def test_what_needs_a_query_says_so(path: Path, cli: Cli, command: list[str]) -> None:
    model = [] if command[0] == "mutate" else ["--model", "sim:careful"]
    before = path.read_bytes()
    assert "has no query" in cli(command[0], path, *command[1:], *model).complaint()
    assert path.read_bytes() == before
