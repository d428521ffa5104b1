"""Debuggers attach to agents over a real socket: they decide, watch, leave, are killed, and are up to no good."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from planscope.agents import record
from planscope.agents.attach import listener, place
from planscope.agents.attach.client import AttachedAgent, AttachedRun, attachable, found
from planscope.agents.attach.place import (
    CannotAttach,
    check_peer,
    checked_folder,
    id_of,
    socket_folder,
    sockets,
)
from planscope.agents.attach.protocol import (
    Asked,
    Beat,
    Decided,
    Hello,
    Message,
    Messages,
    News,
    ProtocolError,
    RunNews,
    Welcome,
    decoded,
    encoded,
)
from planscope.agents.gate import (
    Answer,
    EditAnswer,
    EditArguments,
    GoOn,
    PendingCall,
    Refuse,
    Stop,
    StoppedAtGate,
    Verb,
)
from planscope.agents.own_agent import FileRecorder
from planscope.session.model import Run
from planscope.session.record import BROKEN_OFF, record_of
from planscope.session.recordings import placed
from planscope.session.store import load
from tests.nightly import nightly

from .support import answers_of, calls_of, check_record, end_of, says
from .test_own_agent import Both
from .test_own_live import BUILD, DONE, SCRIPT, TOOLS, Gate

pytestmark = pytest.mark.skipif(sys.platform not in place.SYSTEMS, reason="there are no such sockets")
ROOT = Path(__file__).parent.parent.parent
ASKED = {"messages": [HumanMessage("Ship it.")]}
PATIENCE = 20.0


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    DONE.clear()
    yield
    listener._close_all()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "desk.planscope.json"


@pytest.fixture
def work() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as made:
        yield made


def agent_of(recorder: Any, *script: Any, tools: Any = TOOLS) -> Any:
    return create_agent(Both(script=list(script or SCRIPT)), tools, middleware=[recorder])


def invoke(agent: Any, kind: str = "sync") -> Any:
    return agent.invoke(ASKED) if kind == "sync" else asyncio.run(agent.ainvoke(ASKED))


def debugger(purpose: Any = "debug") -> AttachedAgent:
    """Attached to the only agent there is, and welcomed."""
    (place,) = sockets()
    return attachable(id_of(place), purpose)


def until(what: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < ends
        time.sleep(0.005)


class Held(Gate):
    """Decides only when it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.paused = threading.Event()
        self.answer: Future[Verb] = Future()

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        self.seen.append(call)
        self.paused.set()
        return await asyncio.wrap_future(self.answer)


def followed(agent: AttachedAgent, gate: Gate, session: Any = None) -> Run:
    """Follow one run of the agent to its end."""
    tail = agent.next_run()
    assert tail is not None and tail.run is not None
    from planscope.session.model import Session

    _, header = placed(session or Session(id="s1", title="x"), tail.run)
    return AttachedRun(agent, tail, header, gate=gate).wait()


def the_run(recorder: FileRecorder, number: int = -1) -> Run:
    """The run as it is in the session."""
    recorder.close()
    run = load(recorder.path).runs[number]
    check_record(run.events)
    return run


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_each_decision_is_carried_out_and_recorded(path: Path, work: ThreadPoolExecutor, kind: str) -> None:
    recorder = record(path, attach=True)
    verbs = [
        EditArguments({"tag": "v2"}),
        EditAnswer("said so"),
        Answer("by hand"),
        Refuse("not yet"),
        GoOn(),
    ]
    script = [*(says(BUILD) for _ in verbs), SCRIPT[-1]]
    desk, gate = debugger(), Gate(*verbs)
    seen = work.submit(followed, desk, gate)
    until(lambda: recorder.talks.watch)
    done = work.submit(invoke, agent_of(recorder, *script), kind).result(PATIENCE)
    live = seen.result(PATIENCE)
    desk.leave()
    assert DONE == ["build v2", "build v1", "build v1"]
    assert [m.content for m in done["messages"] if m.type == "tool"] == [
        "built v2",
        "said so",
        "by hand",
        "Refused: not yet",
        "built v1",
    ]
    assert [call.step for call in gate.seen] == [1, 2, 3, 4, 5]
    run = the_run(recorder)
    assert next((c.arguments, c.asked) for c in calls_of(run)) == ({"tag": "v2"}, {"tag": "v1"})
    assert [(a.said, a.given_by, a.refused_by) for a in answers_of(run)] == [
        (None, None, None),
        ("built v1", None, None),
        (None, "user", None),
        (None, None, "user"),
        (None, None, None),
    ]
    assert live.events == run.events


def test_a_run_is_followed_from_its_middle_and_then_the_next_one(
    path: Path, work: ThreadPoolExecutor
) -> None:
    inside, goes_on = threading.Event(), threading.Event()

    @tool
    def build_image(tag: str) -> str:
        """Build an image."""
        inside.set()
        goes_on.wait(PATIENCE)
        return "built"

    recorder = record(path, attach=True)
    agent = agent_of(recorder, tools=[build_image, TOOLS[1]])
    first = work.submit(invoke, agent)
    assert inside.wait(PATIENCE)
    desk, gate = debugger(), Gate()
    seen = work.submit(followed, desk, gate)
    until(lambda: recorder.talks.watch)
    goes_on.set()
    first.result(PATIENCE)
    assert [call.tool for call in gate.seen] == ["deploy_image"] and len(seen.result(PATIENCE).events) == 9
    seen = work.submit(followed, desk, gate)
    agent_of(recorder).invoke(ASKED)
    assert end_of(seen.result(PATIENCE)).ending == "stopped" and len(gate.seen) == 3
    desk.leave()
    agent_of(recorder).invoke(ASKED)
    assert len(gate.seen) == 3, "nobody is asked any more"
    recorder.close()
    assert [len(run.events) for run in load(path).runs] == [9, 9, 9]


def test_stopping_ends_the_run_and_says_so_in_the_program(path: Path, work: ThreadPoolExecutor) -> None:
    recorder = record(path, attach=True)
    desk = debugger()
    seen = work.submit(followed, desk, Gate(GoOn(), Stop()))
    until(lambda: recorder.talks.watch)
    with pytest.raises(StoppedAtGate):
        agent_of(recorder).invoke(ASKED)
    seen.result(PATIENCE)
    desk.leave()
    run = the_run(recorder)
    assert (end_of(run).ending, end_of(run).reason) == ("aborted", "stopped by the user")
    assert DONE == ["build v1"] and len(calls_of(run)) == 1


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_debugger_that_leaves_lets_a_paused_call_go_on(
    path: Path, work: ThreadPoolExecutor, kind: str
) -> None:
    recorder = record(path, attach=True)
    desk, gate = debugger(), Held()
    seen = work.submit(followed, desk, gate)
    until(lambda: recorder.talks.watch)
    done = work.submit(invoke, agent_of(recorder), kind)
    assert gate.paused.wait(PATIENCE) and DONE == []
    desk.leave()
    done.result(PATIENCE)
    assert len(calls_of(seen.result(PATIENCE))) <= 2
    run = the_run(recorder)
    assert (end_of(run).ending, len(calls_of(run)), DONE) == ("stopped", 2, ["build v1", "deploy v1"])


def test_a_call_that_the_agent_gives_up_waits_no_longer(path: Path, work: ThreadPoolExecutor) -> None:
    recorder = record(path, attach=True)
    desk, gate = debugger(), Held()
    seen = work.submit(followed, desk, gate)
    until(lambda: recorder.talks.watch)

    async def impatient() -> None:
        called = asyncio.create_task(agent_of(recorder).ainvoke(ASKED))
        assert await asyncio.to_thread(gate.paused.wait, PATIENCE)
        called.cancel()
        await called

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(impatient())
    until(lambda: gate.answer.cancelled())
    recorder.close()
    seen.result(PATIENCE)
    desk.leave()
    assert end_of(the_run(recorder)).ending == "aborted" and DONE == []


def test_the_second_debugger_only_watches(path: Path, work: ThreadPoolExecutor) -> None:
    recorder = record(path, attach=True)
    first, second, third = debugger(), debugger(), debugger("watch")
    gates = Gate(), Gate(), Gate()
    seen = []
    for desk, gate in zip((first, second, third), gates, strict=True):
        seen.append(work.submit(followed, desk, gate))
        until(lambda desk=desk: desk._loop)
    assert [desk.watches for desk in (first, second, third)] == [False, True, True]
    assert found()[0].welcome.busy
    agent_of(recorder).invoke(ASKED)
    runs = [one.result(PATIENCE) for one in seen]
    assert [len(gate.seen) for gate in gates] == [2, 0, 0]
    assert runs[0].events == runs[1].events == runs[2].events
    for desk in (first, second, third):
        desk.leave()


def test_calls_run_at_once_unless_a_debugger_decides(path: Path, work: ThreadPoolExecutor) -> None:
    together = threading.Barrier(2)

    @tool
    def meet(tag: str) -> str:
        """Wait for the other call."""
        try:
            together.wait(1.0)
        except threading.BrokenBarrierError:
            return "alone"
        return "met"

    recorder = record(path, attach=True)
    both = says(("meet", {"tag": "a"}), ("meet", {"tag": "b"}))
    agent = agent_of(recorder, both, SCRIPT[-1], tools=[meet])
    agent.invoke(ASKED)
    desk, gate = debugger(), Gate()
    seen = work.submit(followed, desk, gate)
    until(lambda: recorder.talks.watch)
    agent_of(recorder, both, SCRIPT[-1], tools=[meet]).invoke(ASKED)
    seen.result(PATIENCE)
    desk.leave()
    recorder.close()
    unwatched, watched = load(path).runs
    assert [a.text for a in answers_of(unwatched)] == ["met", "met"]
    assert [a.text for a in answers_of(watched)] == ["alone", "alone"] and len(gate.seen) == 2


def test_callbacks_can_only_be_watched(path: Path, work: ThreadPoolExecutor) -> None:
    recorder = record(path, attach=True)
    desk, gate = debugger(), Gate()
    run_found = work.submit(desk.next_run)
    until(lambda: recorder.talks.watch)
    create_agent(Both(script=list(SCRIPT)), TOOLS).invoke(ASKED, {"callbacks": [recorder]})
    run = run_found.result(PATIENCE)
    assert run is not None and not desk.gated(run.token)
    live = AttachedRun(desk, run, Run(id="r1", variant="v1", agent="x", model="x"), gate=gate).wait()
    desk.leave()
    assert gate.seen == [] and live.events == the_run(recorder).events and DONE == ["build v1", "deploy v1"]


def test_spans_can_only_be_watched(path: Path, work: ThreadPoolExecutor) -> None:
    pytest.importorskip("opentelemetry.sdk")
    from .test_span_recorder import agent, tracer

    made, provider = tracer(path, attach=True)
    desk = debugger()
    seen = work.submit(followed, desk, Gate())
    until(lambda: desk._loop)
    agent(made, "build", "deploy")
    run = seen.result(PATIENCE)
    desk.leave()
    assert provider.force_flush()
    assert [c.tool for c in calls_of(run)] == ["build", "deploy"] and end_of(run).ending == "stopped"


# Who may attach, and where


def test_sockets_lie_in_a_folder_of_the_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    run_time = tmp_path / "r"
    run_time.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(run_time))
    assert socket_folder() == run_time / "planscope"
    run_time.chmod(0o777)  # anyone could put a folder of theirs there
    monkeypatch.setattr(place.tempfile, "gettempdir", lambda: str(tmp_path))
    mine = tmp_path / f"planscope-{os.geteuid()}"
    if socket_folder().parent == tmp_path:  # this machine has no /run/user/UID
        assert socket_folder() == mine
    monkeypatch.setattr(place, "socket_folder", lambda: mine)
    assert checked_folder() == mine and mine.stat().st_mode & 0o777 == 0o700
    mine.chmod(0o750)
    with pytest.raises(CannotAttach, match="not safe"):
        checked_folder()
    mine.rmdir()
    mine.symlink_to(run_time)
    with pytest.raises(CannotAttach, match="not safe"):
        checked_folder()
    with pytest.warns(RuntimeWarning, match="no debugger can be attached to this agent: the folder"):
        recorder = record(path, attach=True)
    agent_of(recorder).invoke(ASKED)
    assert len(calls_of(the_run(recorder))) == 2


def test_elsewhere_one_line_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place.sys, "platform", "win32")
    with pytest.warns(RuntimeWarning, match="attach works on Linux and macOS only"):
        recorder = record(path, attach=True)
    with pytest.raises(CannotAttach, match="only"):
        found()
    monkeypatch.undo()
    agent_of(recorder).invoke(ASKED)
    assert len(calls_of(the_run(recorder))) == 2


def test_only_the_same_user_may_attach(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = socket.socketpair()
    check_peer(one)
    mine = os.geteuid()
    monkeypatch.setattr(place.os, "geteuid", lambda: mine + 1)
    with pytest.raises(CannotAttach, match="another user"):
        check_peer(other)
    one.close()
    other.close()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_refused(path: Path) -> None:
    """Even if the modes of socket and folders let them through."""
    recorder = record(path, attach=True)
    (at,) = sockets()
    opened = (at, at.parent, at.parent.parent, at.parent.parent.parent)
    for one in opened:
        one.chmod(0o777)
    code = (
        "import os, socket, sys; os.setgid(65534); os.setuid(65534)\n"
        "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(5)\n"
        "try:\n    s.sendall(bytes.fromhex(sys.argv[2])); print(len(s.recv(100)))\n"
        "except (BrokenPipeError, ConnectionResetError): print(0)\n"
    )
    command = [sys.executable, "-c", code, str(at), encoded(Hello("debug")).hex()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for one in opened[1:]:
        one.chmod(0o700)
    assert done.stdout == "0\n", done.stderr
    assert not recorder.talks.watch and recorder._point is not None and not recorder._point.decides


def test_without_attach_nothing_of_it_is_imported_and_with_it_nothing_heavy(path: Path) -> None:
    code = (
        "import sys; from planscope import record\n"
        "record(sys.argv[1]); print([m for m in sys.modules if m.startswith('planscope.agents.attach')])\n"
        "record(sys.argv[1], attach=True); print([m for m in ('textual', 'z3') if m in sys.modules])\n"
    )
    env = {**os.environ, "PLANSCOPE_ATTACH": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=env,
    )
    assert done.stdout == "[]\n[]\n", done.stderr
    assert sockets() == [], "the socket is gone with its process"


def test_the_environment_lets_debuggers_attach(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANSCOPE_ATTACH", "1")
    recorders = [record(path), record(path), record(path.with_name("other.planscope.json"))]
    assert len(sockets()) == 2 and len(found()) == 2, "one for each file"
    assert record(path, attach=False)._point is None
    listener._close_all()
    again = record(path)
    recorders.clear()
    gc.collect()
    assert len(sockets()) == len(found()) == 1, "whoever is gone takes no other's socket along"
    del again
    gc.collect()
    until(lambda: not sockets())


# Processes


SCRIPT_OF_AGENT = """
import sys, time
from tests.agents.test_attach import *
recorder = record(sys.argv[1], attach=True)
print("ready", flush=True)
while not recorder.talks.watch:
    time.sleep(0.01)
for _ in range(int(sys.argv[2])):
    agent_of(recorder).invoke(ASKED)
recorder.close()
print("done", DONE, flush=True)
"""
SCRIPT_OF_DEBUGGER = """
import sys
from tests.agents.test_attach import *
gate = Held()
threading.Thread(target=lambda: gate.paused.wait() and print("paused", flush=True), daemon=True).start()
print(len(calls_of(followed(debugger(), gate))))
"""


SCRIPT_OF_BOTH = """
from tests.agents.test_attach import *
attached = os.fork()
if attached:
    print(attached, flush=True)
    exec(SCRIPT_OF_AGENT)
else:
    until(sockets)
    exec(SCRIPT_OF_DEBUGGER)
"""


def started(code: str, *words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def test_an_agent_that_is_killed_leaves_a_whole_session(path: Path, work: ThreadPoolExecutor) -> None:
    process = started(SCRIPT_OF_AGENT, path, 1000)
    assert said(process) == "ready"
    desk, gate = debugger(), Held()
    gate.verbs = [GoOn()] * 9
    seen = work.submit(followed, desk, gate)
    assert gate.paused.wait(PATIENCE)
    kill(process)
    live = seen.result(PATIENCE)
    assert desk.next_run() is None and not desk.trouble
    record_ = record_of(live)
    assert (record_.ending, record_.reason) == ("aborted", BROKEN_OFF)
    kept = next(run for run in load(path).runs if run.recording == live.recording)
    assert kept.events == live.events
    assert found() == [] and sockets() == [], "its socket is removed"


def test_a_debugger_that_is_killed_leaves_the_agent_running(path: Path) -> None:
    process = started(SCRIPT_OF_BOTH, path, 3)
    attached = int(said(process))
    assert [said(process), said(process)] == ["ready", "paused"]
    os.kill(attached, signal.SIGKILL)
    assert said(process).startswith("done")
    process.wait()
    process.stdout.close()
    assert [len(calls_of(run)) for run in load(path).runs] == [2, 2, 2]


def test_a_debugger_that_stands_still_is_let_go_and_the_paused_call_goes_on(
    path: Path, work: ThreadPoolExecutor
) -> None:
    recorder = record(path, attach=True)
    debuggers = started(SCRIPT_OF_DEBUGGER)
    until(lambda: recorder.talks.watch)
    done = work.submit(invoke, agent_of(recorder))
    assert said(debuggers) == "paused"
    debuggers.send_signal(signal.SIGSTOP)
    done.result(3 * PATIENCE)
    assert debuggers.poll() is None and listener.SILENT <= 3.0
    kill(debuggers)
    run = the_run(recorder)
    assert (end_of(run).ending, len(calls_of(run)), DONE) == ("stopped", 2, ["build v1", "deploy v1"])
    assert not any(call.asked for call in calls_of(run))


def test_a_debugger_whose_event_loop_is_busy_is_not_silent(
    path: Path, work: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person may think, and the loop may compute."""
    monkeypatch.setattr("planscope.agents.attach.client.BEAT", 0.02)
    beats = threading.Semaphore(0)
    take = listener.AttachPoint._take

    def counted(self: Any, peer: Any, message: Message) -> None:
        take(self, peer, message)
        if isinstance(message, Beat):
            beats.release()

    class Busy(Gate):
        async def ask(self, call: PendingCall, later: bool) -> Verb:
            for _ in range(5):
                assert beats.acquire(timeout=PATIENCE)
            return await super().ask(call, later)

    monkeypatch.setattr(listener.AttachPoint, "_take", counted)
    recorder = record(path, attach=True)
    desk, gate = debugger(), Busy(EditAnswer("thought over"))
    seen = work.submit(followed, desk, gate)
    until(lambda: recorder.talks.watch)
    invoke(agent_of(recorder))
    desk.leave()
    assert answers_of(seen.result(PATIENCE))[0].text == "thought over"


SCRIPT_OF_INTERRUPTED = """
import sys
from tests.agents.test_attach import *
recorder = record(sys.argv[1], attach=True)
agent = agent_of(recorder)


def tell_when_it_waits():
    main, names = threading.main_thread().ident, set()
    while not (recorder._point._asks and names & {"result", "select"}):
        time.sleep(0.005)
        frame, names = sys._current_frames()[main], set()
        while frame is not None:
            names.add(frame.f_code.co_name)
            frame = frame.f_back
    print("waits", flush=True)


print("ready", flush=True)
try:
    while not recorder.talks.watch:
        time.sleep(0.01)
    threading.Thread(target=tell_when_it_waits, daemon=True).start()
    invoke(agent, sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", DONE, flush=True)
"""


@pytest.mark.parametrize("kind", ["sync", *nightly("async")])
def test_an_interrupt_at_a_paused_call_ends_the_agent(
    path: Path, work: ThreadPoolExecutor, kind: str
) -> None:
    """As Ctrl-C does without a debugger; the record is whole.

    The main thread must wait for the call: while it still starts the call's thread, Python itself does not end it. On a
    busy machine it may not wait yet, so Ctrl-C is pressed again.
    """
    process = started(SCRIPT_OF_INTERRUPTED, path, kind)
    assert said(process) == "ready"
    gate = Held()
    seen = work.submit(followed, debugger(), gate)
    assert gate.paused.wait(3 * PATIENCE) and said(process) == "waits"
    process.send_signal(signal.SIGINT)
    again = threading.Timer(PATIENCE, process.send_signal, (signal.SIGINT,))
    again.start()
    try:
        assert said(process) == "interrupted []"
        again.cancel()
        assert process.wait(3 * PATIENCE) == 0
    finally:
        again.cancel()
        kill(process)
    seen.result(3 * PATIENCE)
    (run,) = load(path).runs
    check_record(run.events)
    assert end_of(run).ending == "aborted" and not calls_of(run)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_listens_itself(path: Path, work: ThreadPoolExecutor) -> None:
    recorder = record(path, attach=True)
    (mine,) = sockets()
    agent = agent_of(recorder)
    context = multiprocessing.get_context("fork")
    begins = context.Event()

    def child() -> None:
        begins.wait(PATIENCE)
        agent.invoke(ASKED)
        recorder.close()

    process = context.Process(target=child)
    process.start()
    try:
        until(lambda: len(sockets()) == 2)
        theirs = next(one for one in sockets() if one != mine)
        assert id_of(theirs) == str(process.pid)
        desk, gate = attachable(id_of(theirs)), Gate(EditAnswer("from outside"))
        seen = work.submit(followed, desk, gate)
        until(lambda desk=desk: desk._loop)
        begins.set()
        live = seen.result(PATIENCE)
        process.join(PATIENCE)
        desk.leave()
        assert [a.text for a in answers_of(live)] == ["from outside", "deployed v1"]
        assert recorder._point is not None and not recorder._point.decides
        assert [one.id for one in found()] == [id_of(mine)]
        assert calls_of(the_run(recorder))[0].tool == "build_image"
    finally:
        process.kill()


# Hostile peers


def raw(purpose: Any = None) -> socket.socket:
    (at,) = sockets()
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.connect(str(at))
    made.settimeout(PATIENCE)
    if purpose is not None:
        made.sendall(encoded(Hello(purpose)))
        assert made.recv(100_000)
    return made


def is_dropped(peer: socket.socket) -> bool:
    with suppress(ConnectionResetError):
        while peer.recv(1_000_000):
            pass
    peer.close()
    return True


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff" * 70_000,
        (20).to_bytes(4, "big") + b'{"is": "no message"}',
        encoded(Decided(1, GoOn())),
        encoded(Beat()),
        encoded(Hello("debug")) + encoded(Hello("debug")),
        encoded(Hello("debug")) + (2**31).to_bytes(4, "big"),
        encoded(Hello("debug")) + (9).to_bytes(4, "big") + b"[" * 9,
        encoded(Hello("watch")) + encoded(Decided(1, GoOn())),
        encoded(Hello("debug")) + encoded(Beat()) * 500,
        encoded(Hello("debug")) + b"".join(encoded(Decided(i, Stop())) for i in range(500)),
        encoded(News(())),
    ],
    ids=range(12),
)
def test_garbage_ends_the_connection_and_nothing_else(path: Path, sent: bytes) -> None:
    recorder = record(path, attach=True)
    peer = raw()
    with suppress(BrokenPipeError, ConnectionResetError):
        peer.sendall(sent)
    assert is_dropped(peer)
    agent_of(recorder).invoke(ASKED)
    assert [c.tool for c in calls_of(the_run(recorder))] == ["build_image", "deploy_image"]
    assert debugger().welcome.title == "desk", "others can attach still"


@pytest.mark.parametrize("half", [b"", b"\x00\x00", encoded(Beat())[:-3]], ids=["silent", "prefix", "half"])
def test_a_debugger_that_falls_silent_is_dropped_and_the_call_goes_on(
    path: Path, monkeypatch: pytest.MonkeyPatch, half: bytes
) -> None:
    monkeypatch.setattr(listener, "SILENT", 0.3)
    monkeypatch.setattr(listener, "HELLO_WITHIN", 0.3)
    recorder = record(path, attach=True)
    mute, peer = raw(), raw("debug")
    peer.sendall(half)
    began = time.monotonic()
    agent_of(recorder).invoke(ASKED)
    assert time.monotonic() - began < 3 and is_dropped(peer) and is_dropped(mute)
    assert len(calls_of(the_run(recorder))) == 2


def test_a_debugger_that_never_reads_costs_the_agent_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "MOST_UNREAD", 1_000_000)
    recorder = record(path, attach=True)
    watcher, decider = raw("watch"), raw("debug")
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(0.2):
            with suppress(OSError):
                decider.sendall(encoded(Beat()))
                watcher.sendall(encoded(Beat()))

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        large = ("build_image", {"tag": "x" * 3_000_000})
        agent_of(recorder, says(large), *SCRIPT).invoke(ASKED)
    finally:
        stop.set()
        thread.join()
    assert is_dropped(decider)
    watcher.close()
    assert len(calls_of(the_run(recorder))) == 3


def test_a_crowd_of_connections_is_turned_away(path: Path) -> None:
    recorder = record(path, attach=True)
    crowd = [raw() for _ in range(listener.MOST_PEERS + 5)]
    agent_of(recorder).invoke(ASKED)
    assert all(is_dropped(peer) for peer in crowd[listener.MOST_PEERS :])
    for peer in crowd:
        peer.close()
    until(lambda: not recorder._point._peers)
    assert debugger().welcome.title == "desk"


TOKEN = "0" * 24
WELCOME = Welcome(1, "/tmp/x.planscope.json", "x", "debug", False, (RunNews(TOKEN, True, True),))
CALL = PendingCall(1, "x", {})


@pytest.mark.parametrize(
    ("sent", "trouble"),
    [
        (b"", ""),
        (b"\xff" * 100, "too large"),
        ((9).to_bytes(4, "big") + b"not JSON!", "cannot be read"),
        (encoded(Beat()), "only a debugger"),
        (encoded(News(())) * 20_000, ""),
        (b"".join(encoded(Asked(i, TOKEN, CALL)) for i in range(1000)), "too many calls"),
        (encoded(Asked(1, TOKEN, CALL))[:-5], ""),
    ],
    ids=range(7),
)
def test_an_agent_that_is_none_does_the_debugger_no_harm(sent: bytes, trouble: str) -> None:
    at = checked_folder() / "77.sock"
    at.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(at))
        server.listen()

        def serve() -> None:
            for what in (b"", sent):
                peer, _ = server.accept()
                with peer, suppress(BrokenPipeError, ConnectionResetError):
                    peer.recv(1000)
                    peer.sendall(encoded(WELCOME) + what)

        thread = threading.Thread(target=serve)
        thread.start()
        desk = attachable("77")
        assert desk.next_run() is None
        thread.join()
        at.unlink()
    assert trouble in desk.trouble and bool(trouble) == bool(desk.trouble)


@pytest.mark.parametrize("sent", [b"", b"220 mail\r\n", encoded(Beat()), encoded(Beat())[:3]])
def test_a_socket_of_something_else_is_listed_with_its_trouble(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planscope.agents.attach.client.ANSWERS_WITHIN", 0.2)
    at = checked_folder() / "78.sock"
    at.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(at))
        server.listen()

        def serve() -> None:
            peer, _ = server.accept()
            with peer:
                peer.sendall(sent)
                peer.recv(1000)
                peer.recv(1000)

        thread = threading.Thread(target=serve)
        thread.start()
        (one,) = found()
        thread.join()
        at.unlink()
    assert one.id == "78" and one.welcome is None and one.trouble


MESSAGES: list[Message] = [
    Hello("watch"),
    WELCOME,
    News((RunNews(TOKEN, False, True),)),
    Asked(3, TOKEN, PendingCall(2, "tool", {"a": [1, {"b": None}], "ü": "\u2028"}, "c1", agent="desk")),
    Decided(3, EditArguments({"a": 1.5})),
    Decided(3, EditAnswer("x")),
    Decided(3, Answer("x")),
    Decided(3, Refuse("")),
    Decided(3, Stop()),
    Decided(3, GoOn()),
    Beat(),
]


def test_messages_arrive_as_they_were_sent_however_they_are_cut() -> None:
    data = b"".join(map(encoded, MESSAGES))
    for size in (1, 7, len(data)):
        reader = Messages()
        got = [m for i in range(0, len(data), size) for m in reader.feed(data[i : i + size])]
        assert got == MESSAGES


@pytest.mark.parametrize(
    "value", ["x" * 17_000_000, "x" * 11_000_000, [0] * 4_100_000], ids=["all", "one", "many"]
)
def test_arguments_too_large_to_send_are_told_by_their_size(value: Any) -> None:
    (asked,) = Messages().feed(encoded(Asked(1, TOKEN, PendingCall(1, "x", {"a": value}))))
    assert isinstance(asked, Asked)
    assert str(asked.call.arguments["(not shown)"]).endswith("bytes of arguments")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b'{"is": ["hello"]}',
        b'{"is": "hello", "for": "all", "version": 1}',
        b'{"is": "hello", "for": "list", "version": true}',
        b'{"is": "withdrawn", "id": -1}',
        b'{"is": "withdrawn", "id": 1e3}',
        b'{"is": "news", "runs": [{"token": "../../etc/passwd", "open": true, "gated": true}]}',
        b'{"is": "decided", "id": 1, "do": "edit arguments", "arguments": []}',
        b'{"is": "decided", "id": 1, "do": "dance"}',
        encoded(WELCOME)[4:].replace(b"/tmp/", b"../"),
        b'{"a":' * 100_000,
    ],
    ids=range(13),
)
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        decoded(line)
