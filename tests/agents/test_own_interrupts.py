"""A user's agent that asks a person (``interrupt()``): it is answered under the debugger, and goes on in its run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel

from planscope.agents import record
from planscope.agents.gate import Answer, EditArguments, GoOn, Question, Refuse, Stop, Verb
from planscope.agents.interrupts import NO_CHECKPOINTER, NOT_RECORDED, by_verbs
from planscope.agents.own_live import OwnRun, load_agent
from planscope.agents.reruns import RecordedAnswers, first_input
from planscope.session.model import Run
from planscope.session.store import load

from .support import answers_of, calls_of, check_record, end_of, says
from .test_own_agent import Both
from .test_own_ends import said_by_system
from .test_own_graphs import graph
from .test_own_kinds import ASKED, path
from .test_own_live import (
    BUILD,
    DEPLOY,
    DONE,
    TOOLS,
    Gate,
    Name,
    OnlySync,
    named,
    nothing_done,
    simple,
)

__all__ = ["named", "nothing_done", "path"]

BOTH = says(BUILD, DEPLOY)
THREAD: Any = {"configurable": {"thread_id": "t"}}


class Time(BaseModel):
    hour: int


@tool
def ask_person(question: str) -> str:
    """Ask."""
    return repr(interrupt(question))


@tool
def ask_time() -> str:
    """Ask for an hour."""
    return repr(interrupt("when?", response_schema=Time))


class Person:
    """Answers each question in turn; ``seen`` are the questions."""

    def __init__(self, *verbs: Verb) -> None:
        self.verbs, self.seen = list(verbs), list[Question]()

    async def answer(self, question: Question) -> Verb:
        self.seen.append(question)
        return self.verbs.pop(0)


def run_of(named: Name, made: Any, *verbs: Verb, gate: Any = None) -> tuple[Run, Person]:
    person = Person(*verbs)
    agent = load_agent(named(made))
    run = OwnRun(
        agent, "Ship it.", variant="v1", run_id="r1", gate=gate, person=by_verbs(person.answer)
    ).wait()
    check_record(run.events)
    return run, person


def asking(*script: Any, **options: Any) -> Any:
    return simple(
        *script, tools=[*TOOLS, ask_person, ask_time], **{"checkpointer": InMemorySaver(), **options}
    )


QUESTION = says(("ask_person", {"question": "now?"}))


@pytest.mark.parametrize("sync", [True, False])
@pytest.mark.parametrize(
    ("text", "value"),
    [("not yet", "'not yet'"), ("{}", "{}"), ("[1, true]", "[1, True]"), ('"5"', "'5'"), ("5", "5")],
)
def test_a_question_is_answered_with_a_text_or_a_value(
    named: Name, text: str, value: str, sync: bool
) -> None:
    made = asking(QUESTION, AIMessage("Done."))
    run, person = run_of(named, OnlySync(made) if sync else made, Answer(text))
    assert [q.text for q in person.seen] == ["now?"]
    assert [c.tool for c in calls_of(run)] == ["ask_person"], "the call is one step, though it is made twice"
    assert [a.text for a in answers_of(run)] == [value]
    assert end_of(run).ending == "stopped" and end_of(run).reason is None
    first, second = said_by_system(run)
    assert first == "waits for a person: now?" and second.startswith("a person answered: ")


def approving(mode: Any = "batched", **options: Any) -> Any:
    wait = HumanInTheLoopMiddleware(
        interrupt_on={"deploy_image": options.get("allowed") or True, "build_image": True},
        interrupt_mode=mode,
    )
    return asking(BOTH, AIMessage("Done."), middleware=[wait])


@pytest.mark.parametrize("mode", ["batched", "per_call"])
def test_calls_are_approved_edited_rejected_and_answered(named: Name, mode: str) -> None:
    gate = Gate()
    run, person = run_of(named, approving(mode), EditArguments({"tag": "v2"}), Refuse("no"), gate=gate)
    assert [(q.tool, q.arguments) for q in person.seen] == [
        ("build_image", {"tag": "v1"}),
        ("deploy_image", {"tag": "v1"}),
    ]
    assert DONE == ["build v2"]
    build, deploy = calls_of(run)
    assert (build.arguments, build.asked) == ({"tag": "v2"}, {"tag": "v1"})
    assert deploy.arguments == {"tag": "v1"}
    assert "no" in answers_of(run)[-1].text and end_of(run).ending == "stopped"
    assert not gate.seen or gate.seen[0].arguments == {"tag": "v2"} or mode == "per_call"

    DONE.clear()
    run, person = run_of(named, approving(mode), GoOn(), Answer("it is there"))
    assert DONE == ["build v1"] and answers_of(run)[-1].text == "it is there"


def test_what_the_agent_does_not_allow_is_asked_again(named: Name) -> None:
    made = approving(allowed={"allowed_decisions": ["approve", "reject"]})
    run, person = run_of(named, made, GoOn(), EditArguments({"tag": "v2"}), GoOn())
    assert person.seen[1].allowed == ("approve", "reject")
    assert [q.wrong for q in person.seen] == ["", "", "the agent does not let this call be edited"]
    assert DONE == ["build v1", "deploy v1"] and end_of(run).reason is None


def test_an_answer_that_the_graph_refuses_is_asked_again(named: Name) -> None:
    made = asking(says(("ask_time", {})), AIMessage("Done."))
    run, person = run_of(named, made, Answer("soon"), Answer('{"hour": 8}'))
    assert "the agent does not take that answer" in person.seen[1].wrong
    assert "8" in answers_of(run)[-1].text and end_of(run).ending == "stopped"


def test_stopped_at_a_question(named: Name) -> None:
    run, _ = run_of(named, asking(QUESTION), Stop())
    assert (end_of(run).ending, end_of(run).reason) == ("aborted", "stopped by the user")


def test_without_a_checkpointer_one_line_says_so(named: Name) -> None:
    run, person = run_of(named, asking(QUESTION, checkpointer=None))
    assert end_of(run).reason == f"the agent waits for a person: now? ({NO_CHECKPOINTER})" and not person.seen


def test_a_graph_that_asks_before_its_first_model_call(named: Name) -> None:
    def ask(state: Any) -> Any:
        return {"messages": [("user", f"It is {interrupt({'what': 'time'})}.")]}

    def think(state: Any) -> Any:
        return {"messages": [Both(script=[AIMessage("Hello.")]).invoke(state["messages"])]}

    made = graph(ask=ask, think=think)
    made.add_edge("ask", "think")
    run, person = run_of(named, made.compile(checkpointer=InMemorySaver()), Answer("noon"))
    assert [q.text for q in person.seen] == ['{"what": "time"}'] and end_of(run).ending == "stopped"
    assert said_by_system(run) == ['waits for a person: {"what": "time"}', "a person answered: noon"]


def test_questions_of_calls_made_at_once(named: Name) -> None:
    two = says(("ask_person", {"question": "a?"}), ("ask_person", {"question": "b?"}))
    run, person = run_of(named, asking(two, AIMessage("Done.")), Answer("x"), Answer("y"))
    assert [q.text for q in person.seen] == ["a?", "b?"]
    assert [a.text for a in answers_of(run)] == ["'x'", "'y'"]


@pytest.mark.parametrize("live", [True, False])
def test_a_rerun_answers_as_the_person_did(named: Name, path: Path, live: bool) -> None:
    """A record of the debugger, or of a program that resumed its agent by itself. What a tool asks that the record
    answers is not asked again."""

    def made(*middleware: Any) -> Any:
        wait = HumanInTheLoopMiddleware(interrupt_on={"deploy_image": True})
        return asking(QUESTION, BOTH, AIMessage("Done."), middleware=[*middleware, wait])

    approved = {
        "decisions": [{"type": "edit", "edited_action": {"name": "deploy_image", "args": {"tag": "v2"}}}]
    }
    if live:
        run, _ = run_of(named, made(), Answer('{"at": 8}'), EditArguments({"tag": "v2"}))
    else:
        recorded = made(record(path))
        steps: list[Any] = [ASKED, Command(resume={"at": 8}), Command(resume=approved)]
        for given in steps:
            recorded.invoke(given, THREAD)
        run = load(path).runs[-1]
    first = {"{'at': 8}", "built v1"}  # the calls of one message may be answered in any order
    assert first < {a.text for a in answers_of(run)} and sorted(DONE) == ["build v1", "deploy v2"]
    DONE.clear()
    answers = RecordedAnswers(run)
    agent = load_agent(named(made()))
    again = OwnRun(
        agent, first_input(run), variant="v1", run_id="r2", gate=answers, person=answers.person
    ).wait()
    assert end_of(again).reason is None and not DONE
    assert first < {a.text for a in answers_of(again)}
    assert len(answers_of(again)) == 3


def test_a_rerun_that_has_no_answer_of_a_person_stops_or_asks(named: Name) -> None:
    run, _ = run_of(named, simple(BOTH, AIMessage("Done.")))
    DONE.clear()
    agent = load_agent(named(approving()))
    answers = RecordedAnswers(run)
    again = OwnRun(agent, "x", variant="v1", run_id="r2", gate=answers, person=answers.person).wait()
    assert end_of(again).ending == "aborted" and NOT_RECORDED in str(end_of(again).reason)

    agent = load_agent(named(approving()))
    asked = RecordedAnswers(run, unmatched="ask", ask_person=lambda question: GoOn())
    again = OwnRun(agent, "x", variant="v1", run_id="r2", gate=asked, person=asked.person).wait()
    assert end_of(again).ending == "stopped" and not DONE
    assert [a.text for a in answers_of(again)] == ["built v1", "deployed v1"]
