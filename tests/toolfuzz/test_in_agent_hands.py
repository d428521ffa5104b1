"""What a model and an agent say about findings. A refusal is no finding; a model that is down is infrastructure."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from planscope.cli import main
from planscope.session.model import CallEvent, FuzzFinding, FuzzLed
from planscope.session.store import load
from planscope.toolfuzz.agent_hands import InAgentHands, priors_of
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.formats import pytest_file
from planscope.toolfuzz.host import End
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.keeping import predicted
from planscope.toolfuzz.outcome import Places
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.served import ServedTools
from planscope.toolfuzz.serving import serve
from planscope.toolfuzz.tool_report import ToolReport
from tests.agents.support import Scripted, says, scripted
from tests.agents.wire.replies import Say, call, calls
from tests.agents.wire.server import WireServer
from tests.toolfuzz.printed import data_of, models_of, text_of

TARGET = "tests.toolfuzz.model_tools:second"


@pytest.fixture(scope="module")
def served() -> Iterator[ServedTools]:
    with ServedTools(Options(TARGET, call_limit=1.0)) as tools:
        yield tools


def found(served: ServedTools, given: dict[str, Any], **changes: Any) -> Report:
    """A report with the finding that these arguments lead to."""
    with served.stage() as stage:
        outcome = stage.call("second", given).outcome
    report = Report(TARGET, 1, [ToolReport(one.name, one.description, one.schema) for one in served.tools])
    data = {"tool": "second", **outcome.as_finding(), "input": given, "at_call": 1, **changes}
    report.findings[("second", "k")] = FuzzFinding.model_validate(data)
    return report


def judged(served: ServedTools, report: Report, *script: Any, **options: Any) -> Any:
    """The finding after the model and the agent have said these lines."""
    InAgentHands(models_of(scripted(*script), **options), served, report).run()
    return report.findings[("second", "k")]


def sane(yes: bool) -> Any:
    return says(text=json.dumps({"sane": yes, "reason": "because"}))


REQUEST = says(text='{"request": "Second word of nothing?"}')


def test_a_finding_fails_in_the_agents_hands_and_its_run_is_kept(served: ServedTools) -> None:
    report = found(served, {"text": ""})
    one = judged(
        served,
        report,
        sane(True),
        REQUEST,
        says(("second", {"text": "a b"})),
        says(("second", {"text": ""})),
        says(text="It broke."),
    )
    assert (one.sane, one.reason) == (True, "because")
    assert one.agent == FuzzLed(hit=True, request="Second word of nothing?", step=2, tries=1)
    [(key, kept)] = report.agent_runs.items()
    assert report.findings[key] is one and sum(isinstance(e, CallEvent) for e in kept.events) == 2


def test_a_call_that_the_model_would_not_make_no_longer_counts_and_the_agent_is_not_asked(
    served: ServedTools,
) -> None:
    report = found(served, {"text": ""})
    one = judged(served, report, sane(False))
    assert one.sane is False and one.agent is None
    assert report.counted() == [] and data_of(report)["statistics"]["unique_errors"] == 0


def test_an_answer_that_cannot_be_read_is_null_and_the_finding_counts(served: ServedTools) -> None:
    report = found(served, {"text": ""})
    one = judged(
        served, report, says(text="Perhaps."), says(text='{"sane": "yes"}'), says(text="?"), says(text="?")
    )
    assert one.sane is None and report.counted() == [one]
    assert one.agent == FuzzLed(why="no request could be read")


def test_an_agent_that_refuses_shows_nothing_and_a_schema_that_refuses_neither(served: ServedTools) -> None:
    report = found(served, {"text": ""})
    one = judged(served, report, sane(True), REQUEST, says(text="I cannot do that."))
    assert (one.agent.hit, one.agent.why) == (False, "the agent did not call the tool")
    report = found(served, {"text": ""})
    one = judged(served, report, sane(True), REQUEST, says(("second", {"words": 1})), says(text="No."))
    assert one.agent.why == "the tool's schema refused what the agent sent"
    assert len(report.findings) == 1


def test_other_arguments_are_tried_when_the_first_do_not_fail(served: ServedTools) -> None:
    report = found(served, {"text": "   "}, shrunk={"text": ""})
    model = scripted(
        sane(True),
        REQUEST,
        says(("second", {"text": "a b"})),
        says(text="b"),
        says(text='{"request": "Second word of blanks?"}'),
        says(("second", {"text": "   "})),
        says(text="It broke."),
    )
    InAgentHands(models_of(model), served, report).run()
    one = report.findings[("second", "k")]
    assert (one.agent.hit, one.agent.tries) == (True, 2)
    assert one.agent.request == "Second word of blanks?" and len(report.agent_runs) == 1
    assert isinstance(model.chat, Scripted)
    asked = [str(messages[-1].text) for messages in model.chat.seen]
    assert '{"text": ""}' in asked[1] and '{"text": "   "}' in asked[4]


def test_an_agent_or_a_model_that_is_down_is_infrastructure(served: ServedTools) -> None:
    report = found(served, {"text": ""})
    one = judged(served, report, sane(True), REQUEST, ConnectionError("gone"))
    assert one.agent.hit is None and "could not be reached" in one.agent.why
    [down] = [f for f in report.findings.values() if f.kind == "infrastructure"]
    assert "the agent did not run: the server could not be reached" in down.message
    assert report.counted() == [one] and report.sorted() == [one, down]
    assert [line.strip() for line in text_of(report).splitlines()].count("listed only") == 1
    assert pytest_file(report).count("def test_") == 1
    report = found(served, {"text": ""})
    one = judged(served, report, ConnectionError("gone"))
    assert one.agent is None and "1 finding was not tried with the agent" in report.remarks[0]
    assert [f.kind for f in report.findings.values()] == ["raised", "infrastructure"]


def test_a_budget_ends_it_and_says_what_was_left_out(served: ServedTools) -> None:
    report = found(served, {"text": ""})
    one = judged(served, report, sane(True), REQUEST, tokens=10)
    assert one.sane is True and one.agent is None
    assert report.remarks == ["The budget of 10 tokens is spent; 1 finding was not tried with the agent."]


def test_values_of_the_model_are_sent_and_what_is_no_value_is_left_out(served: ServedTools) -> None:
    report = Report(TARGET, 1)
    said = says(
        text=json.dumps({"text": ["one two", "x" * 3000, *map(str, range(9))], "other": ["a"], "a": 3})
    )
    priors = priors_of(models_of(scripted(said)), served.tools, report)
    assert priors == {"second": {"text": ["one two", *map(str, range(7))]}}
    seen = "tests.toolfuzz.model_tools:passphrase"
    with_it = Fuzz(
        Options(seen, calls=20, sequences=0, priors={"passphrase": {"words": ["correct horse battery"]}})
    )
    assert [one.exception for one in with_it.run().sorted()] == ["RuntimeError"]
    assert Fuzz(Options(seen, calls=20, sequences=0)).run().sorted() == []


def test_the_command_judges_tries_and_keeps_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    replies = [
        Say('{"text": ["one two"]}'),
        Say('{"sane": true, "reason": "it is a text"}'),
        Say('{"request": "Second word, please: <nothing>"}'),
        calls(call("second", {"text": ""})),
        Say("It broke."),
    ]
    kept = tmp_path / "kept.planscope.json"
    with WireServer(replies) as server:
        given = [
            "fuzz",
            TARGET,
            "--runtime",
            "--calls",
            "60",
            "--model",
            "openai:local",
            "--base-url",
            server.base_url,
        ]
        status = main([*given, "-o", str(kept), "--json", "--price", "1,2"])
    assert status == 1
    document = json.loads(capsys.readouterr().out)
    [one] = document["findings"]
    assert one["sane"] is True and one["agent"]["hit"] is True
    assert document["model"] == {
        "model": "openai:local", "agent": "tools", "prompt_model": "openai:local", "temperature": None,
        "model_calls": 5, "tokens_in": 35, "tokens_out": 15, "tokens_estimated": 0, "money": 65e-6,
    }  # fmt: skip
    session = load(kept)
    [run] = session.runs
    from planscope.session.record import record_of

    [step] = predicted(session, record_of(run))
    assert (step.step, step.exactly) == (1, True)
    [fuzzing] = list(session.fuzzings or ())
    assert fuzzing.findings[0].agent.run == run.id


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--agent", "react"], "--agent needs --model"),
        (["--no-sanity"], "--no-sanity needs --model"),
        (["--model", "openai:x", "--budget-money", "1"], "--budget-money needs --price IN,OUT"),
        (["--model", "openai:x", "--price", "1"], "'1' is not a price; write IN,OUT, such as 2.5,10"),
        (["--model", "openai:x", "--prompts", "missing.toml"], "missing.toml cannot be read: No such file"),
        (["--model", "sim:careful"], "reads no documentation; name a real model"),
    ],
)
def test_options_that_do_not_fit_are_told_in_one_line(
    options: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    try:
        status: object = main(["fuzz", TARGET, *options])
    except SystemExit as ended:
        status = ended.code
    assert status == 2 and why in capsys.readouterr().err


def test_a_call_that_ends_as_it_is_stopped_has_an_answer(tmp_path: Path) -> None:
    """The parent waits for an answer to each call, also to one whose process was ended just after it."""
    ends = iter([End("slow", 1), End("done")])
    host = SimpleNamespace(run=lambda *_: next(ends), places=Places("", False))
    commands, parent = os.pipe()
    os.write(parent, b'{"do": "begin"}\n')
    os.close(parent)
    sent: list[Any] = []
    stage: Any = SimpleNamespace(host=host, limit=1.0)
    serve(stage, tmp_path, commands, lambda event, **said: sent.append((event, said)))
    os.close(commands)
    ((event, said),) = sent
    assert event == "made"
    assert said["made"]["outcome"]["kind"] == "hung"
