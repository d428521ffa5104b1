"""Record one real program per framework: ``python -m tests.traces.frameworks [NAME ...] [--environments FOLDER]``.

Each runs in an environment of its own, which is made here, since not all of them can stand beside planscope, and talks
to a scripted server over a real socket. The recordings lie in ``tests/traces/recorded``, with what the tools themselves
noted (``NAME.called.jsonl``), and ``tests/traces/test_frameworks.py`` reads them.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.agents.wire.replies import Reply, Say, call, calls
from tests.agents.wire.server import WireServer
from tests.traces.frameworks import RECORDED

LARGE = 20_000
"""Recordings of more bytes are packed."""
LOOK = calls(call("look_up", {"order_id": "7"}, "c1"), call("look_up", {"order_id": "8"}, "c2"))
TOO_MUCH = calls(call("refund", {"order_id": "7", "amount": 500}, "c3"))
REFUND = calls(call("refund", {"order_id": "7", "amount": 40}, "c4"))
DONE = Say("Refunded 40.")


COMMANDS = ("echo hello", "false", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo done")
SHELL: list[Reply] = [calls(call("bash", {"command": one}, f"c{k}")) for k, one in enumerate(COMMANDS, 1)]
WRITTEN: list[Reply] = [Say(f"THOUGHT: so.\n\n```mswea_bash_command\n{one}\n```") for one in COMMANDS]


def shell(tool: str, key: str) -> list[Reply]:
    """Return what the model of a coding agent answers: two commands in one message, and one that fails."""
    two = [call(tool, {key: command}, f"c{k}") for k, command in enumerate(("echo hello", "echo two"), 1)]
    return [calls(*two), calls(call(tool, {key: "false"}, "c3")), DONE]


def story(*end: Reply, handoff: str = "") -> list[Reply]:
    """Return what the model answers: two calls in one message, a handoff, a call that fails, and one that does not."""
    over = [calls(call(handoff, {}, "h1"))] if handoff else []
    return [LOOK, *over, TOO_MUCH, REFUND, *end]


PROGRAMS: dict[str, tuple[Sequence[str], list[Reply]]] = {
    "openai_agents": (
        ("openai-agents", "openinference-instrumentation-openai-agents"),
        story(DONE, handoff="transfer_to_clerk"),
    ),
    "smolagents": (
        ("smolagents[openai]", "openinference-instrumentation-smolagents"),
        story(calls(call("final_answer", {"answer": "Refunded 40."}, "c5"))),
    ),
    "pydantic_ai": (
        ("pydantic-ai-slim[openai]",),
        story(calls(call("final_result", {"amount": 40}, "c5"))),
    ),
    "autogen": (
        ("autogen-agentchat", "autogen-ext[openai]", "openinference-instrumentation-autogen-agentchat"),
        story(DONE, handoff="transfer_to_clerk"),
    ),
    "llama_index": (
        ("llama-index-core", "llama-index-llms-openai-like", "openinference-instrumentation-llama-index"),
        story(DONE),
    ),
    "inspect": (
        ("inspect-ai", "openai"),
        story(calls(call("submit", {"answer": "Refunded 40."}, "c5"))),
    ),
    "vercel": (tuple(f"npm:{one}" for one in ("ai", "@ai-sdk/openai-compatible", "zod")), story(DONE)),
    "pi": (("npm:@mariozechner/pi-coding-agent",), shell("bash", "command")),
    "codex": (("npm:@openai/codex",), shell("exec_command", "cmd")),
    "mini_swe": (("mini-swe-agent", "mcp"), [*SHELL, *WRITTEN]),
    "crewai": (
        ("crewai", "openinference-instrumentation-crewai", "openinference-instrumentation-openai"),
        story(DONE),
    ),
}


def record(name: str, environments: Path) -> int:
    """Record one program. Returns its exit status."""
    packages, replies = PROGRAMS[name]
    place = environments / name
    npm = [package.removeprefix("npm:") for package in packages if package.startswith("npm:")]
    python = Path(sys.executable) if npm else place / "bin" / "python"
    if npm and not place.exists():
        place.mkdir(parents=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *npm], cwd=place, check=True)
    elif not npm and not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages, "opentelemetry-sdk"], check=True)
    for old in RECORDED.glob(f"{name}.*"):
        old.unlink()
    (program,) = Path(__file__).parent.glob(f"run_{name}.*")
    runs: list[str | Path] = [python, program]
    if program.suffix == ".mjs":  # Node looks for packages beside a program
        runs = ["node", shutil.copy(program, place)]
    clean = {key: value for key, value in os.environ.items() if key in ("LANG", "SSL_CERT_FILE")}
    clean["PATH"] = f"{place.resolve() / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    with WireServer(replies) as server, tempfile.TemporaryDirectory() as home:
        given = [*runs, server.base_url, RECORDED, name]
        done = subprocess.run(given, cwd=home, env=clean | {"HOME": home}, timeout=300, check=False)
    for large in RECORDED.glob(f"{name}.*"):
        if large.stat().st_size > LARGE:
            data = large.read_bytes()
            large.unlink()
            large.with_name(f"{large.name}.gz").write_bytes(gzip.compress(data, mtime=0))
    return done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    parser.add_argument("--environments", type=Path, help="a folder to keep the environments in")
    given = parser.parse_args()
    RECORDED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        status = {name: record(name, given.environments or Path(made)) for name in given.names or PROGRAMS}
    sys.stdout.write(f"{status}\n")
    return max(status.values())


if __name__ == "__main__":
    sys.exit(main())
