"""Topics from a model: over a real socket with the real client, and in process; what is written loads again."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from planscope.agents.models import LoadedModel, ModelSpec, ModelUnavailable
from planscope.agents.options import RunOptions
from planscope.agents.topic_writer import TopicsNotWritten, Written, prompt, write_topics
from planscope.cli import main
from planscope.errors import UserError
from planscope.language.topics import MAX_FILE_BYTES, load_topics
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.hostile import HOSTILE

from .support import Scripted, scripted
from .wire.replies import Fail, Raw, Say, Slow
from .wire.server import WireServer, nobody

KEY = "sk-planted-0123456789abcdef"
BEES = "1. Hive inspection\n2. Honey extraction\n3. Frame repair"
BEE_NAMES = ("hive inspection", "honey extraction", "frame repair")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "LANGSMITH_GATEWAY", "OPENAI_ORG_ID", "OPENAI_PROXY"):
        monkeypatch.delenv(name, raising=False)


class Answering(Scripted):
    """Answers by what it is asked; counts how many questions wait at a time."""

    answer: Callable[[str], Any]
    waiting: list[int] = [0, 0]  # noqa: RUF012  (pydantic copies it for each instance)
    seconds: float = 0.0

    async def _agenerate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        import asyncio

        self.waiting[0] += 1
        self.waiting[1] = max(self.waiting)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.waiting[0] -= 1
        said = self.answer(messages[-1].content)
        if isinstance(said, BaseException):
            raise said
        return ChatResult(generations=[ChatGeneration(message=AIMessage(said))])


def answering(answer: Callable[[str], Any], seconds: float = 0.0) -> LoadedModel:
    return LoadedModel(Answering(script=[], answer=answer, seconds=seconds), ModelSpec("test:answering"))


def numbered(items: list[str]) -> str:
    return "\n".join(f"{i}. {item}" for i, item in enumerate(items, 1))


def letters(number: int) -> str:
    return "".join("bcdfghjklm"[int(digit)] for digit in str(number))


def fifty(asked: str) -> str:
    """What a model that does as it is told answers."""
    if "typical jobs" in asked:
        return numbered([f"Keeper {letters(i)}" for i in range(50)])
    role = re.search(r"that a keeper (\w+) may", asked)
    assert role
    return numbered([f"{role[1]}{letters(i)} duty" for i in range(20)])


def loaded(written: Written, tmp_path: Path) -> dict[str, tuple[str, ...]]:
    """The topics, from the file as another command reads it."""
    path = tmp_path / "topics.toml"
    path.write_text(written.toml)
    everything = load_topics(path)
    return {job: everything[job] for job in written.topics}


# --- what is asked --------------------------------------------------------------------------------------


def test_the_papers_prompts() -> None:
    assert prompt("jobs", 50) == (
        "Please provide a list of 50 typical jobs. Ensure that these 50 positions span a variety of industries."
    )
    assert prompt("activities", 20, "teacher") == (
        "Please list 20 activities in noun phrase format that a teacher may need to do in a day."
    )
    assert "a [count] may" in prompt("activities", 20, "[count]")


def test_over_the_wire(tmp_path: Path) -> None:
    with WireServer([Say(BEES)]) as server:
        written = write_topics(RunOptions(model="openai:local", base_url=server.base_url), job="Beekeeper")
    assert written.count == 1
    assert loaded(written, tmp_path) == {"Beekeeper": BEE_NAMES}
    (sent,) = server.requests
    assert sent["messages"] == [{"role": "user", "content": prompt("activities", 20, "Beekeeper")}]
    assert sent["temperature"] == 0
    assert "tools" not in sent
    assert KEY not in written.toml


def test_jobs_over_the_wire(tmp_path: Path) -> None:
    jobs = "Sure! Here they are:\n\n**Farming**\n1. Beekeeper\n2. A Shepherd (of sheep)\n\n**Sea**\n3. Fisher"
    sheep, fish = (
        "- Flock count\n- Wool sorting\n- Fence repair",
        "net mending, bait preparation, deck cleaning",
    )
    with WireServer([Say(jobs), Say(BEES), Say(sheep), Say(fish)]) as server:
        written = write_topics(
            RunOptions(model="openai:local", base_url=server.base_url), jobs=3, activities=3, at_once=1
        )
    assert loaded(written, tmp_path) == {
        "beekeeper": BEE_NAMES,
        "shepherd": ("flock count", "wool sorting", "fence repair"),
        "fisher": ("net mending", "bait preparation", "deck cleaning"),
    }
    assert written.problems == ()
    assert [body["messages"][0]["content"] for body in server.requests] == [
        prompt("jobs", 3),
        *(prompt("activities", 3, job) for job in ("beekeeper", "shepherd", "fisher")),
    ]


def test_no_setting_of_tool_calls_is_sent_without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenAI answers 400 to one; it is set where no other server is named on the command line."""
    with WireServer([Say(BEES)]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert write_topics(RunOptions(model="openai:local"), job="beekeeper").count == 1
    assert "parallel_tool_calls" not in server.requests[0]


def test_nothing_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    from langsmith import utils

    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_planted")
    utils.get_env_var.cache_clear()
    traced: list[Any] = []

    def note(asked: str) -> str:
        traced.append(utils.tracing_is_enabled())
        return fifty(asked) if "typical" in asked else BEES

    assert utils.tracing_is_enabled() is True
    write_topics(answering(note), jobs=2)
    monkeypatch.undo()
    utils.get_env_var.cache_clear()
    assert traced == [False] * 3


# --- how it is asked ------------------------------------------------------------------------------------


def test_fifty_jobs_a_few_at_a_time_and_in_their_order(tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    model = answering(fifty, 0.005)
    written = write_topics(model, on_progress=lambda done, total: seen.append((done, total)))
    assert list(written.topics) == [f"keeper {letters(i)}" for i in range(50)]
    assert {len(names) for names in loaded(written, tmp_path).values()} == {20}
    assert written.problems == ()
    assert 2 <= model.chat.waiting[1] <= 4
    assert seen == [(0, None), *((i, 50) for i in range(51))]


def test_never_more_than_asked_for() -> None:
    written = write_topics(answering(fifty), jobs=3, activities=5)
    assert written.count == 3
    assert {len(names) for names in written.topics.values()} == {5}


@pytest.mark.parametrize(
    "wrong", [{"jobs": 0}, {"jobs": 101}, {"activities": 1}, {"activities": 101}, {"at_once": 0}]
)
def test_bounds_of_what_is_asked_for(wrong: dict[str, int]) -> None:
    with pytest.raises(TopicsNotWritten, match="ask for 1 to 100 jobs"):
        write_topics(scripted(), **wrong)


@pytest.mark.parametrize("job", ["", "  ", "x" * 61, "bee\x1b[2Jkeeper", "bee\u202ekeeper", "bee\udc80"])
def test_a_job_that_is_no_name_is_not_asked_about(job: str) -> None:
    model = scripted(AIMessage(BEES))
    with pytest.raises(TopicsNotWritten, match="not the name of a job") as caught:
        write_topics(model, job=job)
    assert str(caught.value).isprintable()
    assert model.chat.seen == []


@pytest.mark.parametrize("model", ["sim:careful", "sim:literal?seed=3"])
def test_simulated_models_cannot_write(model: str) -> None:
    with pytest.raises(UserError, match="a simulated model cannot write topics; name a real one"):
        write_topics(RunOptions(model=model, base_url="http://127.0.0.1:9/v1"), job="beekeeper")


def test_a_model_that_is_none() -> None:
    with pytest.raises(ModelUnavailable, match="is not a model"):
        write_topics(RunOptions(model="gpt"))


def test_a_model_that_was_given_stays_open() -> None:
    model = scripted(AIMessage(BEES), AIMessage(BEES))
    assert [write_topics(model, job="beekeeper").count for _ in range(2)] == [1, 1]


# --- what goes wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (Fail(401, f"Incorrect API key provided: {KEY}"), "refused the key (401); check OPENAI_API_KEY"),
        (Fail(404), "no such model or path (404)"),
        (Fail(400, "bad\x1b[2J thing"), "refused the request"),
        (Raw(b"<html>no</html>", "text/html"), "could not be used"),
        (Raw(b'{"choices": []}'), "could not be used"),
        (Raw(b'{"choices"', cut=True), "closed the connection"),
    ],
)
def test_trouble_is_one_line_and_nothing_is_written(
    reply: Any, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "topics.toml"
    with WireServer([reply] * 3) as server:
        status = main(
            [
                "topics",
                "beekeeper",
                "--model",
                "openai:local",
                "--base-url",
                server.base_url,
                "-o",
                str(target),
            ]
        )
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1 and err[:-1].isprintable()
    assert KEY not in err
    assert list(tmp_path.iterdir()) == []


def test_one_failure_among_many_ends_the_others() -> None:
    def answer(asked: str) -> Any:
        return RuntimeError("gone") if "keeper d " in asked else fifty(asked)

    model = answering(answer, 0.01)
    with pytest.raises(TopicsNotWritten, match="RuntimeError: gone"):
        write_topics(model)
    assert model.chat.waiting[0] == 0


def test_nobody_there() -> None:
    with (
        nobody() as address,
        pytest.raises(TopicsNotWritten, match=r"127\.0\.0\.1:\d+ could not be reached"),
    ):
        write_topics(RunOptions(model="openai:local", base_url=address), job="beekeeper")


def test_a_slow_answer_and_a_slow_whole() -> None:
    with WireServer([Slow(20, Say(BEES))] * 2) as server:
        began = time.perf_counter()
        with pytest.raises(TopicsNotWritten, match=r"did not answer within 0\.2 seconds"):
            write_topics(
                RunOptions(model="openai:local", base_url=server.base_url),
                job="beekeeper",
                answer_seconds=0.2,
            )
        with pytest.raises(TopicsNotWritten, match=r"of 0\.2 seconds was reached after 0 topics"):
            write_topics(RunOptions(model="openai:local", base_url=server.base_url), total_seconds=0.2)
        assert time.perf_counter() - began < 18
    with pytest.raises(TopicsNotWritten, match=r"of 2 seconds was reached after [1-9]\d* topics"):
        write_topics(answering(fifty, 0.4), total_seconds=2)


def test_a_model_that_cancels_itself() -> None:
    import asyncio

    with pytest.raises(TopicsNotWritten, match=r"gave up its answer|could not be used"):
        write_topics(scripted(asyncio.CancelledError()), job="beekeeper")


def test_an_interrupt_ends_it_at_once(tmp_path: Path) -> None:
    with WireServer([Slow(60, Say(BEES))]) as server:
        command = [sys.executable, "-W", "error", "-m", "planscope", "topics", "--model", "openai:local"]
        command += ["--base-url", server.base_url, "-o", str(tmp_path / "x.toml")]
        root = Path(__file__).parents[2]
        with subprocess.Popen(
            command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            while not server.requests:
                assert process.poll() is None
                time.sleep(0.05)
            began = time.perf_counter()
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=50)
        assert (process.returncode, out, errors) == (130, "", "")
        assert time.perf_counter() - began < 40
    assert list(tmp_path.iterdir()) == []


def test_refusals_are_no_topics() -> None:
    no = AIMessage("I'm sorry, but I can't help with that.")
    with pytest.raises(TopicsNotWritten, match="not a list of jobs: I'm sorry"):
        write_topics(scripted(no))
    with pytest.raises(TopicsNotWritten, match=r"no usable topic: .*no usable activities.*I'm sorry"):
        write_topics(scripted(no), job="beekeeper")
    with pytest.raises(TopicsNotWritten, match=r"\(nothing\)"):
        write_topics(scripted(AIMessage("")), job="beekeeper")


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "reasoning", "text": "1. Thought"}, {"type": "text", "text": BEES}],
        [{"type": "text", "text": BEES[:30]}, {"type": "text", "text": BEES[30:]}],
        "<think>1. Thinking\n2. Pondering</think>" + BEES,
    ],
)
def test_answers_in_parts(content: Any) -> None:
    assert write_topics(scripted(AIMessage(content)), job="beekeeper").topics == {"beekeeper": BEE_NAMES}


def test_topics_that_cannot_be_used_are_left_out_and_named(tmp_path: Path) -> None:
    def answer(asked: str) -> str:
        if "typical jobs" in asked:
            return "1. Beekeeper\n2. Poet\n3. x ]] y\n4. Judge\n5. BEEKEEPER"
        return {"beekeeper": BEES, "poet": "1. Walk\n2. Lunch, then nap"}.get(asked.split()[10], "No.")

    written = write_topics(answering(answer), jobs=5)
    assert loaded(written, tmp_path) == {"beekeeper": BEE_NAMES}
    told = "\n".join(written.problems)
    assert '"x ]] y" is not the name of a job' in told
    assert "2 of 5 jobs, which the model did not name" in told
    assert 'topic "poet": "lunch, then nap" is not words' in told
    assert 'topic "poet" as a whole: 1 usable activity in the answer (1. Walk' in told
    assert 'topic "judge" as a whole: no usable activities in the answer (No.)' in told
    assert all(line.isprintable() for line in written.problems)


def test_style_is_remarked_on_once_a_topic_and_kept() -> None:
    plural = "1. Hives\n2. Honey jar labels\n3. Honey jar order"
    written = write_topics(scripted(AIMessage(plural)), job="beekeeper", activities=3)
    assert written.topics["beekeeper"] == ("hives", "honey jar labels", "honey jar order")
    assert written.problems == ()
    (line,) = written.remarks
    assert line.startswith('topic "beekeeper": "hives"') and "more remarks on this topic" in line


def test_a_file_is_never_larger_than_can_be_read(tmp_path: Path) -> None:
    wide = "\U00010400"  # a letter that is ten characters of TOML, and whose small form is one too

    def answer(asked: str) -> str:
        if "typical jobs" in asked:
            return numbered([f"keeper {letters(i)}" for i in range(50)])
        return numbered([f"{letters(i)} {wide * 70}" for i in range(20)])

    written = write_topics(answering(answer))
    assert len(written.toml.encode()) <= MAX_FILE_BYTES
    assert 10 <= written.count < 50
    assert len([line for line in written.problems if "too large" in line]) == 50 - written.count
    assert loaded(written, tmp_path) == written.topics


# --- hostile answers ------------------------------------------------------------------------------------

hostile = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [*HOSTILE, '"]]\n[[topic]]\njob = "x', "\\", "'''", '"""', "\\u0000", "\x00\x7f\x85", "#"]
    ),
)


@given(
    st.lists(hostile, max_size=8),
    st.lists(st.lists(hostile, max_size=8), min_size=1, max_size=4),
    st.sampled_from(["{i}. {item}", "- {item}", "{item},", "{item}"]),
)
def test_whatever_a_model_says_the_file_loads(jobs: list[str], lists: list[list[str]], shape: str) -> None:
    turn = iter(range(10**6))

    def answer(asked: str) -> str:
        jobs_asked = "typical jobs" in asked
        items = [*jobs, "Beekeeper"] if jobs_asked else [*lists[next(turn) % len(lists)], *BEE_NAMES]
        return "\n".join(shape.format(i=i, item=item) for i, item in enumerate(items, 1))

    check(answering(answer), None)


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=60), hostile)
def test_a_job_in_any_letters(job: str, said: str) -> None:
    check(scripted(AIMessage(f"{BEES}\n4. {said}")), job)


def check(model: LoadedModel, job: str | None) -> None:
    import tempfile

    try:
        written = write_topics(model, job=job)
    except TopicsNotWritten as error:
        assert str(error).isprintable()
        return
    assert written.toml.isascii()
    assert written.toml.replace("\n", "").isprintable()
    assert all(line.isprintable() for line in (*written.problems, *written.remarks))
    with tempfile.TemporaryDirectory() as folder:
        assert loaded(written, Path(folder)) == written.topics


def test_what_was_written_makes_queries(tmp_path: Path) -> None:
    written = write_topics(scripted(AIMessage(BEES)), job="beekeeper")
    path = tmp_path / "topics.toml"
    path.write_text(written.toml)
    made = synthesize(Request(actions=3, seed=1, topic="beekeeper", topics=load_topics(path)))
    assert {a.name for a in made.problem.actions} == set(BEE_NAMES)


# --- the command ----------------------------------------------------------------------------------------

ODD = f"{BEES}\n4. Tea, and\x1b[2J cake\n5. Queen\x07 search"


def run(server: WireServer, *args: str) -> int:
    return main(["topics", "beekeeper", "--model", "openai:local", "--base-url", server.base_url, *args])


def test_standard_output_holds_the_file_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with WireServer([Say(ODD)]) as server:
        assert run(server) == 0
    out, err = capsys.readouterr()
    path = tmp_path / "topics.toml"
    path.write_text(out)
    assert load_topics(path)["beekeeper"] == BEE_NAMES
    assert len(re.findall("^left out: ", err, re.MULTILINE)) == 2
    assert "left out" not in out
    assert err.replace("\n", "").isprintable()


def test_into_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "topics.toml"
    with WireServer([Say(ODD)]) as server:
        assert run(server, "-o", str(path)) == 0
    out, err = capsys.readouterr()
    assert out == f"1 topic in {path}\n"
    assert "left out: " in err
    assert load_topics(path)["beekeeper"] == BEE_NAMES
    assert main(["topics", "beekeeper", "--file", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == list(BEE_NAMES)


@pytest.mark.parametrize("into_a_file", [False, True])
def test_json(into_a_file: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "topics.toml"
    with WireServer([Say(BEES)]) as server:
        assert run(server, "--json", *(["-o", str(path)] if into_a_file else [])) == 0
    assert json.loads(capsys.readouterr().out) == {
        "topics": [{"job": "beekeeper", "activities": list(BEE_NAMES)}]
    }
    assert path.exists() == into_a_file


@pytest.mark.parametrize("args", [["-o", "."], ["-o", "x.toml.gz"], ["--file", "x.toml"]])
def test_what_must_fail_fails_before_anything_is_asked(
    args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with WireServer([Say(BEES)]) as server:
        assert run(server, *args) == 2
    assert server.requests == []
    assert capsys.readouterr().err.count("\n") == 1


def test_a_simulated_model_at_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topics", "--model", "sim:careful"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "planscope: a simulated model cannot write topics; name a real one, for example openai:gpt-4o-mini\n"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("terminal", [Terminal, io.StringIO])
def test_progress_is_for_terminals(terminal: type[io.StringIO], monkeypatch: pytest.MonkeyPatch) -> None:
    with WireServer([Say("1. Beekeeper\n2. Judge"), Say(BEES), Say(BEES)]) as server:
        shown = terminal()
        monkeypatch.setattr(sys, "stderr", shown)
        assert main(["topics", "--model", "openai:local", "--base-url", server.base_url]) == 0
    text = shown.getvalue()
    if terminal is Terminal:
        parts = [part.strip() for part in text.split("\r")]
        assert parts[1:6] == [
            "asking the model for jobs",
            "topics: 0 of 2",
            "topics: 1 of 2",
            "topics: 2 of 2",
            "",
        ]
        assert parts[6].startswith("left out: 48 of 50 jobs")
    else:
        assert "\r" not in text and "topics:" not in text


def test_importing_the_writer_is_light() -> None:
    code = (
        "import sys, planscope.agents.topic_writer; print([m for m in sys.modules if m.startswith('lang')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_no_thread_but_the_shared_one_is_left() -> None:
    write_topics(answering(fifty), jobs=3)
    before = set(threading.enumerate())
    write_topics(answering(fifty), jobs=3)
    assert set(threading.enumerate()) <= before
