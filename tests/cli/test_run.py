"""An agent's run from the command line: recorded whatever happens."""

from __future__ import annotations

import gc
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from planscope.agents import many_runs
from planscope.agents.options import RunOptions
from planscope.agents.runner import LiveRun
from planscope.session.model import Event, Run, Variant
from planscope.session.store import load, save
from tests.agents.wire.server import nobody
from tests.cli.contract import check_verdict
from tests.cli.support import Cli, Files, begun, run, session, variant
from tests.nightly import rounds

ABC = variant("A comes after B. B comes after C.", ["a", "b", "c"])


def test_a_right_run_and_a_wrong_one_both_exit_with_0(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    right = cli("run", path, "--model", "sim:careful", "--json")
    assert right.status == 0 and right.err == ""
    assert right.json["check"]["verdict"] == "right"
    wrong = cli("run", path, "--model", "sim:literal", "--json")
    assert wrong.status == 0
    check_verdict(wrong.json["check"])
    assert wrong.json["check"]["verdict"] == "wrong" and wrong.json["check"]["error_type"] == "order_error"
    assert [r.id for r in load(path).runs] == ["r1", "r2"] == [right.json["run"], wrong.json["run"]]
    assert cli("check", path, "--run", "r1").status == 0 and cli("check", path).status == 1


def test_the_document_holds_what_was_recorded(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    document = cli("run", path, "--model", "sim:literal", "--json").json
    (recorded,) = load(path).runs
    assert document["session"] == str(path)
    assert (
        (document["agent"], document["model"]) == (recorded.agent, recorded.model) == ("tools", "sim:literal")
    )
    assert document["events"] == [e.model_dump(mode="json", exclude_none=True) for e in recorded.events]
    assert [e["type"] for e in document["events"]][0 :: len(document["events"]) - 1] == ["prompt", "end"]
    checked = cli("check", path, "--json").json
    plain = {k: v for k, v in checked.items() if k != "run"} | {"certified": None, "proof": "not_asked"}
    assert document["check"] == plain


def test_a_person_reads_the_verdict_first(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    out = cli("run", path, "--model", "sim:literal").out
    assert out.startswith("WRONG: order error\nAt step 1 a ran before b")
    assert out.endswith(f"run r1: agent tools, model sim:literal, 3 calls; recorded in {path}\n")


@pytest.mark.parametrize(
    "limits,error", [(["--max-calls", "2"], "timeout"), (["--max-seconds", "0.000001"], "timeout")]
)
def test_a_limit_is_an_error_of_the_agent(cli: Cli, files: Files, limits: list[str], error: str) -> None:
    path = files.keep(session(ABC))
    done = cli("run", path, "--model", "sim:careful", *limits, "--json")
    assert done.status == 0
    assert (done.json["check"]["verdict"], done.json["check"]["error_type"]) == ("wrong", error)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the client's own sockets, when it gives up
def test_an_aborted_run_exits_with_2_and_is_recorded(cli: Cli, files: Files) -> None:
    pytest.importorskip("langchain_openai")
    path = files.keep(session(ABC))
    with nobody() as url:
        done = cli("run", path, "--model", "openai:gpt", "--base-url", url, "--json")
    assert done.status == 2 and done.err == ""
    check_verdict(done.json["check"])
    assert done.json["check"]["verdict"] == "aborted" and done.json["check"]["error_type"] is None
    (recorded,) = load(path).runs
    assert [e.type for e in recorded.events] == ["prompt", "error", "end"]
    assert cli("check", path).status == 2
    assert url not in path.read_text()
    gc.collect()  # what is left of them is said here, not in another test


def test_the_session_stays_as_it_is_with_another_file_named(cli: Cli, files: Files, tmp_path: Path) -> None:
    path = files.keep(session(ABC))
    before = path.read_bytes()
    done = cli("run", path, "--model", "sim:careful", "-o", "other.json", "--json")
    assert done.status == 0 and done.json["session"] == "other.json"
    assert path.read_bytes() == before
    assert len(load(tmp_path / "other.json").runs) == 1


def test_a_bundled_session_is_run_into_a_file(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "figure-7", "--model", "sim:careful", "-o", "mine.json").status == 0
    assert [r.id for r in load(tmp_path / "mine.json").runs] == ["r1", "r2", "r3"]


def test_the_variant_is_chosen(cli: Cli, files: Files) -> None:
    newer = variant("A comes before B.", ["a", "b", "c"]).model_copy(update={"id": "v2", "parent": "v1"})
    made = session(ABC)
    made.variants.append(newer)
    path = files.keep(made)
    cli("run", path, "--model", "sim:careful")
    cli("run", path, "--model", "sim:careful", "--variant", "v1")
    assert [r.variant for r in load(path).runs] == ["v2", "v1"]


def test_seed_role_and_prompts(cli: Cli, files: Files, tmp_path: Path) -> None:
    path = files.keep(session(ABC))
    (tmp_path / "prompts.toml").write_text('base = "Please: [text]"\ntimed = "In time: [text]"\n')
    cli(
        "run",
        path,
        "--model",
        "sim:forgetful",
        "--seed",
        "5",
        "--role",
        "You cook.",
        "--prompts",
        "prompts.toml",
    )
    (recorded,) = load(path).runs
    assert recorded.seed == 5
    prompt = recorded.events[0]
    assert prompt.type == "prompt" and prompt.system == "You cook."
    assert prompt.text == "Please: A comes after B. B comes after C."


def test_a_guard_keeps_the_plan_alive(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    assert cli("run", path, "--model", "sim:literal", "--guard", "--json").json["check"]["verdict"] == "right"
    steps = cli("replay", path, "--json").json["steps"]
    assert any(s["call"]["refused"] for s in steps[1:-1])
    assert "refused: the call was blocked before it reached the tool" in cli("replay", path).out


def test_what_was_added_meanwhile_stays(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    from planscope.agents import runner

    path = files.keep(session(ABC))
    wait = runner.LiveRun.wait

    def slow(self: runner.LiveRun):
        files.keep(session(ABC, run("a", run_id="r1")))
        return wait(self)

    monkeypatch.setattr(runner.LiveRun, "wait", slow)
    assert cli("run", path, "--model", "sim:careful", "--json").json["run"] == "r2"
    assert [r.id for r in load(path).runs] == ["r1", "r2"]


def test_an_interrupted_run_is_recorded_and_exits_with_130(
    cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = files.keep(session(ABC))
    cli("run", path, "--model", "sim:careful")  # everything is imported by now
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    signal.siginterrupt(signal.SIGINT, True)  # Z3 may have run here, and puts the handler back without it
    asked = threading.Event()
    put = LiveRun._put

    def heard(self: LiveRun, event: Event) -> None:
        put(self, event)
        asked.set()

    def interrupt() -> None:
        if asked.wait(50):
            time.sleep(0.1)
            signal.pthread_kill(main_thread, signal.SIGINT)

    monkeypatch.setattr(LiveRun, "_put", heard)
    hand = threading.Thread(target=interrupt)
    hand.start()
    began = time.monotonic()
    done = cli("run", path, "--model", "sim:slow?seconds=60", "--json")
    hand.join()
    assert time.monotonic() - began < 55
    assert done.status == 130 and done.out == ""
    assert done.err == f"planscope: interrupted; the run until then is recorded as r2 in {path}\n"
    recorded = load(path).runs[-1]
    assert [e.type for e in recorded.events] == ["prompt", "end"]
    assert cli("check", path, "--json").json["verdict"] == "aborted"


@pytest.mark.parametrize("times", [[], ["--times", "2"]])
def test_an_interrupted_run_that_cannot_be_recorded_is_told_of(
    times: list[str], cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = files.keep(session(ABC))
    begin, ended = LiveRun.wait, many_runs.run_simulated

    def interrupted() -> None:
        save(session(ABC).model_copy(update={"id": "another"}), path)
        signal.raise_signal(signal.SIGINT)

    def wait(self: LiveRun) -> Run:
        begin(self)
        interrupted()
        return self.run

    def native(variant: Variant, options: RunOptions) -> Run:
        if options.seed:
            interrupted()
        return ended(variant, options)

    monkeypatch.setattr(LiveRun, "wait", wait)
    monkeypatch.setattr(many_runs, "run_simulated", native)
    done = cli("run", path, "--model", "sim:careful", *times)
    assert done.status == 130 and done.out == ""
    said = f"planscope: interrupted; {path} was changed by another program since it was read"
    assert done.err.startswith(said) and done.err.count("\n") == 1
    kept = Path(done.err.partition("the new session is in ")[2].strip())
    assert len(load(kept).runs) == 1 and load(path).runs == []


def test_an_interrupt_at_any_moment_leaves_a_whole_session(files: Files) -> None:
    path = files.keep(session(ABC))
    command = ["run", path, "--model", "sim:slow?seconds=60", "--json"]
    for seconds in (0.6, 0.0, 2.5)[: rounds(1, 3)]:
        with begun(*command, stdout=subprocess.PIPE) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=50)
        assert process.returncode == 130 and out == ""
        assert "Traceback" not in err and err.count("\n") <= 1, err
        for recorded in load(path).runs:
            assert recorded.events[-1].type == "end"
