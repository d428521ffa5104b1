"""All that is told of the runs of a session: what the model saw, what it cost, where runs were lost, their filters.

``PLANSCOPE_UPDATE_READINGS=1`` writes ``told.txt`` anew; look at the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from planscope.errors import UserError
from planscope.session import locations, removal
from planscope.session.files import SessionError
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    ForkPoint,
    Given,
    MessageEvent,
    PromptEvent,
    Run,
    SeenMessage,
    SeenTool,
    Usage,
)
from planscope.session.record import record_of
from planscope.session.run_list import (
    Facet,
    ListedRun,
    Outcome,
    counts_of,
    facets_of,
    loss_lines,
    losses_of,
    matches,
    query_matches,
    tally,
)
from planscope.session.run_names import run_named
from planscope.session.seen import as_json, first_of_message, said_at
from planscope.session.traces import items_of, trace_of
from tests.session.make import figure_10

EXPECTED = Path(__file__).with_name("told.txt")
TOOL = SeenTool(name="look", description="Looks", parameters={"type": "object"})
SAID = [SeenMessage(role="user", text="Go on.")]


def run_of(*events: Event, **fields: object) -> Run:
    return Run(
        **{"id": "r1", "variant": "v1", "agent": "tools", "model": "sim:x", "events": list(events), **fields}
    )


def call(step: int, tool: str = "look", **fields: object) -> CallEvent:
    return CallEvent(**{"at": step, "step": step, "tool": tool, "arguments": {}, **fields})


def answer(step: int, text: str = "done", **fields: object) -> AnswerEvent:
    return AnswerEvent(**{"at": step + 0.5, "step": step, "text": text, **fields})


RUNS = (
    run_of(),
    run_of(PromptEvent(text="Do it."), call(1), answer(1), EndEvent(ending="stopped")),
    run_of(
        PromptEvent(text="Do it.", system="You plan.", tools=[TOOL], messages=SAID),
        MessageEvent(at=0.5, text="I look.", took=0.25, usage=Usage(input_tokens=1200, output_tokens=8)),
        call(1, arguments={"x": 1}, asked={"x": 2}, call_id="k1"),
        call(2, "go", inside=1, agent="sub", message=3),
        answer(1, '{"found": [1]}', took=1.25, artifact={"a": 1}, to_graph={"goto": "x"}),
        answer(2, " [1, ", said="[2]", status="error", refused_by="user"),
        ErrorEvent(kind="network", text="slow"),
        MessageEvent(
            at=3, text="", took=0.5, message={"type": "ai"}, given=Given(system="", tools=[], messages=SAID)
        ),
        MessageEvent(at=3.5, text="Stop!", by="user"),
        call(3, "go", arguments=None, raw="{", error="no JSON"),
        answer(3, "Error", status="error"),
        MessageEvent(at=4, text="Bye.", raw={"odd": 1}, refusal="no"),
        EndEvent(at=5, ending="aborted", reason="the network is gone"),
    ),
    run_of(
        PromptEvent(text="Do it.", tools=[]),
        MessageEvent(at=1, text="x", given=Given(system="Own.", tools=[TOOL], messages=SAID), kept=True),
        call(1, kept=True),
        answer(1, kept=True),
        call(2),
        forked_from=ForkPoint(run="r0", step=1),
    ),
)


def of_records() -> Iterator[str]:
    for run in RUNS:
        record = record_of(run)
        yield f"run {record.ending} {record.reason!r} {record.cost} {record.cost.seconds} kept {record.kept}"
        yield f"  {record.last_words!r} {record.unanswered} {record.help} {record.help.text!r} {record.troubles}"
        for index in range(-1, len(record.calls) + 2):
            yield f"  {index} {first_of_message(record, index)}"
            yield from (f"    {part.name}: {part.value} {part.known}" for part in said_at(record, index))
        for own in (True, False):
            live = trace_of(run, live=own)
            yield f"  {live.ending} {live.cause} {live.tools} {live.reason!r}"
        yield from (f"  {one}" for one in items_of(record))
        yield f"  {items_of(record, 1, 2)}"
    for text in ('{"a": 1}', " [1]", "[1", "5", "", '"x"', "{" * 9999, "[" + "1," * 600_000 + "1]"):
        yield f"{text[:9]!r} {type(as_json(text)).__name__}"


OUTCOMES = (
    Outcome("right"),
    Outcome("wrong", "order_error", "2", "look"),
    Outcome("wrong", "order_error", "2", "go"),
    Outcome("wrong", "action_lost", "end"),
    Outcome("wrong", "order_error", "0"),
    Outcome("wrong", "act_error"),
    Outcome("unknown"),
    Outcome("aborted"),
    None,
    Outcome("wrong", "order_error", "5", "look"),
    Outcome("right"),
)


def listed() -> list[ListedRun]:
    records = [record_of(run) for run in RUNS]
    made = []
    for number, one in enumerate(OUTCOMES, 1):
        record = records[number % len(records)]._replace(
            id=f"r{number}", model="sim:y" if number > 6 else "sim:x"
        )
        made.append(ListedRun(number, record, one, trial=number in (3, 9)))
    return made


def of_lists() -> Iterator[str]:
    runs = listed()
    for some in (runs, runs[:1], runs[:2], [], runs[5:9]):
        yield f"{[(facet.kind, facet.text, n) for facet, n in counts_of(map(facets_of, some))]}"
        losses = losses_of(some)
        yield f"{losses.most} {losses}"
        for width in (1, 10):
            yield from loss_lines(losses, width)
        yield f"{tally(some)} {tally(some).text} {tally(some).share!r}"
    for words in (
        "wrong",
        "order error",
        "look",
        "r1",
        "forked",
        "lost at the end",
        "helped",
        "7",
        "sim:y wrong",
        "zork",
    ):
        yield f"{words}: {[one.number for one in runs if matches(one, words, ())]}"
    for facets in (
        [Facet("verdict", "wrong")],
        [Facet("verdict", "wrong"), Facet("verdict", "right")],
        [Facet("verdict", "wrong"), Facet("lost", "2")],
        [Facet("made", "of a dissection")],
        [Facet("made", "helped"), Facet("model", "sim:y")],
    ):
        yield f"{[facet.text for facet in facets]}: {[one.number for one in runs if matches(one, '', facets)]}"
    yield f"{[(one.failed, one.lost, sorted(facets_of(one))) for one in runs[:4]]}"
    variant = figure_10().variants[0]
    for words in ("v1", "WRITTEN hair", "zork", ""):
        yield f"{words} {query_matches(variant, words)}"
    for ids in (["r1", "r5", "x"], ["a", "b"], []):
        yield f"{ids} {[run_named(ids, one) for one in ('1', 'r5', '5', 'x', '2', '0', '9' * 10, 'b', '-1')]}"


def everything() -> str:
    return "\n".join(line.rstrip() for line in (*of_records(), *of_lists())) + "\n"


def test_all_that_is_told_of_runs() -> None:
    made = everything()
    if os.environ.get("PLANSCOPE_UPDATE_READINGS"):
        EXPECTED.write_text(made, encoding="utf-8")
    assert made.splitlines() == EXPECTED.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "it is empty, or begins or ends with a blank"),
        (" x", "it is empty, or begins or ends with a blank"),
        (".x", "it begins with '.'"),
        ("~x", "it begins with '~'"),
        ("a:b*", "it contains '*'"),
        ("a\u200bb", "it contains invisible characters"),
        ("a\u3000b", "it contains invisible characters"),
        ("ü" * 61, "it is longer than 120 bytes"),
        ("ü" * 60, None),
        ("a b", None),
    ],
)
def test_why_a_name_is_none(name: str, why: str | None) -> None:
    assert locations.wrong_name(name) == why
    if why is None:
        assert locations.checked_name(f"{name}.planscope.json") == name
    else:
        with pytest.raises(SessionError) as caught:
            locations.checked_name(name)
        assert str(caught.value) == f"{name[:120]!r} cannot be a session's name: {why}"


def test_names_of_files() -> None:
    names = ("x.planscope.json", "x.planscope.json.gz", "x.html", "x.py.gz", "x.txt", ".planscope.json")
    assert [locations.name_of(Path(name)) for name in names] == [
        "x",
        "x",
        "x",
        "x",
        "x.txt",
        ".planscope.json",
    ]
    assert [locations.suffix_of(Path(name)) for name in names[:3]] == [
        ".planscope.json",
        ".planscope.json.gz",
        ".planscope.json",
    ]
    assert [locations.free_name(name) for name in ("..a/b", "\u200b", "figure-10", "x" * 200, "ü" * 70)] == [
        "a-b",
        "session",
        "figure-10-2",
        "x" * 120,
        "ü" * 60,
    ]
    assert locations.free_name("x", {"x", "x-2"}) == "x-3"
    trashed = locations.trashed(Path("x.planscope.json.gz"))
    name, when = locations.before_trash(Path(trashed))
    assert name == "x" and when is not None and trashed.endswith(".planscope.json.gz")
    assert locations.before_trash(Path("x.planscope.json")) == ("x", None)
    assert locations.before_trash(Path("x~20269999T000000-abcdef.planscope.json")) == ("x", None)


def test_what_a_session_that_is_not_there_might_be() -> None:
    locations.library_folder().mkdir(parents=True)
    (locations.library_folder() / "monday.planscope.json").write_text("{}")
    assert locations.resolve("monday").name == "monday.planscope.json"
    with pytest.raises(SessionError) as caught:
        locations.resolve("mondey")
    shipped = list(locations.bundled())
    assert str(caught.value) == (
        f"there is no file mondey, nor a bundled session of that name ({', '.join(shipped[:6])}, ...), "
        "nor in your library (is it monday?); see: planscope sessions list"
    )
    with pytest.raises(SessionError, match=r"\(figure-10.*\), nor in your library; see"):
        locations.resolve("figure-1O")


def test_what_was_deleted_in_words() -> None:
    text = removal.parts_text
    assert text([], ["r" * 30], []) != text([], ["r2"], []) == "run r2"
    assert text(["v1"], ["r1", "r2"], ["d1"]) == "1 query, 2 runs, 1 dissection"
    assert text(["v1", "v2"], ["r1"], []) == "2 queries, 1 run" and text([], ["r1"], ["d1", "d2"]) == (
        "1 run, 2 dissections"
    )
    session = figure_10()
    for given, why in (
        (((), ()), "there is nothing to delete"),
        ((("v1",), ()), "a session keeps at least one query; delete the session itself in the library"),
    ):
        with pytest.raises(UserError) as caught:
            removal.with_dependents(session, *given)
        assert str(caught.value) == why
    with pytest.raises(UserError, match=r"^it is in progress; stop it first$"):
        removal.with_dependents(session, (), ("r1",), busy=("r1",))
    parts = removal.with_dependents(session, (), ("r1",))
    assert (parts.text, removal.text_of(removal.remove(session, parts))) == ("run r1", "run r1")
    assert removal.delete_for_good(session) == 1 and session.gone == ["r1"] and session.removed is None
    assert removal.without_removed(session).gone is None
    with pytest.raises(UserError, match="nothing was deleted that could be restored"):
        removal.take_back(session)
