"""What every test runs under: the same wherever it is started, whoever starts it."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from unittest.mock import patch

import pytest
from hypothesis import settings

from tests import nightly

gc.disable()  # until all is collected: what imports make stays

# Files in memory where there is room: making, writing and removing a folder is fifty times as quick as on a disk.
if "TMPDIR" not in os.environ and os.access("/dev/shm", os.W_OK):
    _memory = os.statvfs("/dev/shm")
    if _memory.f_bavail * _memory.f_frsize > 2_000_000_000 and not _memory.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = "/dev/shm"

# No folder of whoever runs the tests is read or written: neither here nor in processes that tests start.
_HOME = tempfile.mkdtemp(prefix="planscope-tests-")
for _name in ("CONFIG", "DATA", "STATE", "CACHE"):
    os.environ[f"XDG_{_name}_HOME"] = f"{_HOME}/{_name.lower()}"
os.environ["XDG_RUNTIME_DIR"] = f"{_HOME}/run"
os.mkdir(os.environ["XDG_RUNTIME_DIR"], 0o700)  # noqa: PTH102

# Nor have the terminal, the proxies and the keys of the shell a say; a test that wants one sets it.
for _name in list(os.environ):
    if _name.upper().startswith(("OPENAI_", "LANGSMITH_", "LANGCHAIN_", "TEXTUAL_")) or _name.upper() in (
        *("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "LINES"),
        *("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "EDITOR", "VISUAL", "PLANSCOPE_TRACEBACK"),
        "PLANSCOPE_ATTACH",
        *("PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHONIOENCODING"),
        "PYTHONDONTWRITEBYTECODE",  # the many processes that tests start would compile planscope each time
    ):
        del os.environ[_name]
os.environ["TERM"] = "xterm-256color"
os.environ["TEXTUAL_FPS"] = "250"  # the screen's tests wait for frames, and slept for most of their time

# No test speaks TLS, and reading the certificates of the machine took a third of the time of a run over the wire.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = f"{_HOME}/no-certificates"
os.mkdir(os.environ["SSL_CERT_DIR"])  # noqa: PTH102

# The library that finds secrets keeps its detectors in a folder. All processes of a test run share one: to make them
# took each process that shares or exports anything five seconds.
os.environ.setdefault("KF_RULE_CACHE_DIR", f"{_HOME}/detectors")

# What is started in the background of a script ignores Ctrl-C, and what nohup starts the end of its terminal; so would
# the programs that tests interrupt.
for _number in (getattr(signal, name, None) for name in ("SIGINT", "SIGHUP", "SIGQUIT", "SIGTERM")):
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL)

# No deadline: machines are noisy, and time is measured in tests/bench. Fixed examples where others wait for the
# answer, and in the nightly run six times as many; PLANSCOPE_RANDOM=1 looks for new ones. No file of examples: the
# folder may be one that nobody may write to.
settings.register_profile(
    "fixed", max_examples=100 if nightly.WANTED else 16, deadline=None, derandomize=True, database=None
)
settings.register_profile("random", deadline=None, database=None)
settings.load_profile("random" if os.environ.get("PLANSCOPE_RANDOM") else "fixed")


_DETECTORS = pytest.StashKey[subprocess.Popen[bytes]]()

collect_ignore = ["bench", "fuzz"]
"""Programs, run by name."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out nightly cases that are not wanted; where the whole suite is collected, see that they are few.

    Tests that fork for every call of a tool come first: a fork of a process that has grown to a gigabyte takes forty
    times as long as one of a young one.
    """
    marked = sum(item.get_closest_marker("nightly") is not None for item in items)
    if len(items) > 5000 and marked > nightly.MOST * len(items):
        raise pytest.UsageError(f"{marked} of {len(items)} cases are nightly, more than {nightly.MOST:.0%}")
    left_out = [item for item in items if not nightly.wanted(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if nightly.wanted(item)]
    items.sort(key=lambda item: "toolfuzz" not in item.path.parts)


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and leave out what imports and collecting made: it took a third of the suite's time."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()
    patch("gc.freeze").start()  # planscope's own calls would keep the garbage of earlier tests for ever


def pytest_configure(config: pytest.Config) -> None:
    """Make the detectors of secrets while the workers collect, and compile planscope for the processes that tests
    start: once, and not in each of them. pytest keeps what it compiles for itself, and the process of the tools keeps
    nothing."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        code = "import compileall; compileall.compile_dir('planscope', quiet=2)\n"
        code += "from kingfisher_sdk import Scanner; Scanner()"
        config.stash[_DETECTORS] = subprocess.Popen(
            [sys.executable, "-c", code], cwd=config.rootpath, stderr=subprocess.DEVNULL
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    if _DETECTORS in config.stash:
        config.stash[_DETECTORS].wait()
    shutil.rmtree(_HOME, ignore_errors=True)
