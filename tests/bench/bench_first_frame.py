"""How soon the first frame is there, through a pty at 120x40, against a bare Textual application.

    python -m tests.bench.bench_first_frame [SESSION] [--times 9]

Prints milliseconds from starting the process to the first frame, also for an imported trace of 1,000 calls with rules.
Wanted: at most 1.15 times the bare application's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.terminal import Terminal

_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent


def first_frame(argv: list[str], wanted: bytes) -> float:
    """Milliseconds until a frame with these words in it has come."""
    terminal = Terminal(argv, columns=120, rows=40, cwd=str(_ROOT))
    try:
        seconds, _ = terminal.read_until(wanted, 30)
    finally:
        terminal.close()
    return seconds * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("session", nargs="?", default=str(_ROOT / "sessions" / "first-look.planscope.json"))
    parser.add_argument("--times", type=int, default=9)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ours = [sys.executable, "-m", "planscope"]
        started = {
            "bare application": ([sys.executable, str(_HERE / "bare_app.py")], b"READY"),
            "planscope": ([*ours, chosen.session], b"Timeline"),
            "a trace of 1,000 calls": ([*ours, str(imported(Path(folder)))], b"Timeline"),
        }
        found: dict[str, list[float]] = {name: [] for name in started}
        for _ in range(chosen.times):  # in turns, so that a busy moment hits all
            for name, (argv, wanted) in started.items():
                found[name].append(first_frame(argv, wanted))
    bare = statistics.median(found["bare application"])
    for name, figures in found.items():
        median, best = statistics.median(figures), min(figures)
        ratio = f"   ratio of medians {median / bare:.2f} (wanted 1.15)" if name != "bare application" else ""
        sys.stdout.write(f"{name:<23} median {median:6.0f} ms   best {best:6.0f} ms{ratio}\n")


def imported(folder: Path, calls: int = 1_000) -> Path:
    """Import a chat trace of some tools, with rules, and return the session's file."""
    messages: list[object] = [{"role": "user", "content": "Do it."}]
    for k in range(calls):
        function = {"name": f"tool_{k % 12}", "arguments": json.dumps({"id": f"R{k % 20}", "n": k})}
        call = {"id": f"c{k}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{k}", "content": json.dumps({"status": "done"})})
    trace, rules, session = folder / "t.json", folder / "rules.txt", folder / "t.planscope.json"
    trace.write_text(json.dumps(messages))
    lines = [f"tool_{k} comes before tool_{k + 1}." for k in range(6)]
    lines += [f"Every tool_{k} is followed by tool_{k + 1} per id." for k in range(6, 10)]
    rules.write_text("\n".join(lines))
    argv = [
        sys.executable,
        "-m",
        "planscope",
        "import",
        str(trace),
        "--rules",
        str(rules),
        "-o",
        str(session),
    ]
    subprocess.run(argv, check=True, capture_output=True, cwd=_ROOT)
    return session


if __name__ == "__main__":
    main()
