"""Ctrl-C while ``planscope run`` is at work: exit status 130 soon, the record kept, nothing said but where it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from planscope.session.model import Session
from planscope.session.store import load, save
from tests.nightly import nightly

from .stopping import speak
from .support import abc, check_record, end_of
from .wire.replies import Drip, Reply, Slow
from .wire.server import WireServer

BOUND = 40.0
"""Seconds; the servers here would take sixty."""

ROOT = Path(__file__).parents[2]


BEGUN = """
import sys
from pathlib import Path
from planscope import cli
def begun(*args, work=cli._guarded):
    Path(__file__).with_name("begun").touch()
    return work(*args)
cli._guarded = begun
sys.exit(cli.main())
"""


def wait_until(what: Callable[[], object]) -> None:
    until = time.monotonic() + 120
    while not what() and time.monotonic() < until:
        time.sleep(0.01)


class Interrupted:
    """``planscope run`` in a process of its own, which has begun to heed Ctrl-C; what it leaves."""

    def __init__(self, path: Path, *args: str) -> None:
        self.path = path
        save(Session(id="s1", title="t", variants=[abc()]), path)
        (path.parent / "beginning.py").write_text(BEGUN)
        sign = path.with_name("begun")
        sign.unlink(missing_ok=True)
        environment = {
            **os.environ,
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(path.parent)]),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error::RuntimeWarning", "-m", "beginning", "run", str(path), *args],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        wait_until(lambda: sign.exists() or self.process.poll() is not None)

    def at(self, moment: Callable[[], bool], *, statuses: tuple[int, ...] = (130,)) -> None:
        """Interrupt it once ``moment`` has come; it ends with one of the statuses."""
        try:
            wait_until(lambda: moment() or self.process.poll() is not None)
            began = time.monotonic()
            self.process.send_signal(signal.SIGINT)
            self.out, self.err = self.process.communicate(timeout=60)
        finally:
            self.process.kill()
            self.process.communicate()
        assert time.monotonic() - began < BOUND
        assert self.process.returncode in statuses, self.err
        assert self.out == "" or 0 in statuses


def over_the_wire(agent: str, number: int, kind: type[Slow] | type[Drip]) -> list[Reply]:
    return [kind(60, r) if i == number else r for i, r in enumerate(speak(agent))]


@pytest.mark.parametrize(
    ("agent", "number", "kind"),
    [("react", 2, Drip), *nightly(("tools", 0, Slow), ("responses", 1, Slow))],
)
def test_while_the_server_is_slow(
    agent: str, number: int, kind: type[Slow] | type[Drip], tmp_path: Path
) -> None:
    path = tmp_path / "t.planscope.json"
    with WireServer(over_the_wire(agent, number, kind)) as server:
        run = Interrupted(path, "--model", "openai:local", "--base-url", server.base_url, "--agent", agent)
        run.at(server.dripping.is_set if kind is Drip else lambda: len(server.requests) > number)
    assert run.err == f"planscope: interrupted; the run until then is recorded as r1 in {path}\n"
    (recorded,) = load(path).runs
    check_record(recorded.events)
    assert end_of(recorded).ending == "aborted"
    assert sum(e.type == "call" for e in recorded.events) == number


def test_while_many_are_under_way(tmp_path: Path) -> None:
    """Those that had ended are kept; those under way are not."""
    path = tmp_path / "t.planscope.json"
    with WireServer([*speak("tools"), *[Slow(60, speak("tools")[0])] * 3]) as server:
        options = ["--times", "4", "--at-once", "1", "--model", "openai:local", "--base-url", server.base_url]
        run = Interrupted(path, *options)
        run.at(lambda: len(server.requests) > 4)
    assert run.err == f"planscope: interrupted; the finished run is in {path}\n"
    (recorded,) = load(path).runs
    assert end_of(recorded).ending == "stopped"


@pytest.mark.parametrize(
    ("model", "moments"),
    [
        *(("sim:slow?seconds=60", (0.0,)), ("openai:local", (0.9,))),
        *nightly(("sim:slow?seconds=60", (0.6,)), ("openai:local", (0.3, 1.2))),
    ],
)
def test_at_moments_on_the_way(model: str, moments: tuple[float, ...], tmp_path: Path) -> None:
    """While it starts, imports, runs: a run is recorded to its end, or there is none."""
    path = tmp_path / "t.planscope.json"
    for seconds in moments:
        with WireServer([Slow(60, speak("tools")[0])]) as server:
            address = ["--base-url", server.base_url] if model == "openai:local" else []
            run = Interrupted(path, "--model", model, *address)
            began = time.monotonic()
            run.at(lambda began=began, seconds=seconds: time.monotonic() - began > seconds)
        assert "Traceback" not in run.err
        assert run.err.count("\n") <= 1
        for recorded in load(path).runs:
            check_record(recorded.events)
            assert end_of(recorded).ending == "aborted"
        assert len(load(path).runs) == run.err.count("recorded")


LEAVING = """
import signal, sys, time, weakref
from planscope import cli
from planscope.commands import setup
from planscope.errors import UserError
def run(args):
    if sys.argv[1] == "a weak reference":
        class Thing: pass
        thing = Thing()
        reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
        del thing
        time.sleep(60)
    if sys.argv[1] == "made at run time":
        exec("raise_it()", {"raise_it": lambda: signal.raise_signal(signal.SIGINT)})
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise UserError("a library made another error of it") from None
setup.COMMANDS["schema"].run = run
sys.exit(cli.main(["schema"]))
"""


@pytest.mark.parametrize("how", ["made at run time", "another error", "a weak reference"])
def test_what_an_interrupt_strikes_does_not_change_the_status(how: str, tmp_path: Path) -> None:
    """``python -m`` dies of the signal where it struck code made at run time, such as a dataclass's; others lose it."""
    (tmp_path / "leaving.py").write_text(LEAVING)
    command = [sys.executable, "-m", "leaving", how]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=120, env=environment, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.nightly
def test_the_file_is_json_all_the_time(tmp_path: Path) -> None:
    """Interrupted while it judges and writes, the old file or the new one is there."""
    path = tmp_path / "t.planscope.json"
    with WireServer(speak("tools")) as server:
        run = Interrupted(path, "--model", "openai:local", "--base-url", server.base_url)
        ended = (130, 0, -signal.SIGINT)  # the last: struck when all was done and Python itself was leaving
        run.at(lambda: len(server.requests) == 4 and not time.sleep(0.03), statuses=ended)
    assert [end_of(r).ending for r in load(path).runs] in ([], ["stopped"], ["aborted"])
