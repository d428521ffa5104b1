"""Read many chat traces from one large file: ``python -m tests.bench.bench_traces [MEGABYTES]``.

The yardstick is a loop that only parses the same lines with ``json``. One process reads; ``bench_rules`` has the whole
way from bytes to verdicts with worker processes. Memory must not grow with the file.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from planscope.oracle.trace import Trace
from planscope.traces import open_traces
from tests.bench.yardstick import table

CALLS = 10
"""Calls of a trace."""


def chat(draw: random.Random) -> dict[str, object]:
    """A trace of some ten kilobytes."""
    words = [f"word{k}" for k in range(50)]

    def text(count: int) -> str:
        return " ".join(draw.choices(words, k=count))

    messages: list[dict[str, object]] = [
        {"role": "system", "content": text(400)},
        {"role": "user", "content": text(40)},
    ]
    for k in range(CALLS):
        given = json.dumps({"order_id": f"#W{draw.randrange(10**7)}", "note": text(10)})
        call = {
            "id": f"call_{k}",
            "type": "function",
            "function": {"name": f"tool_{k % 6}", "arguments": given},
        }
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append(
            {"role": "tool", "tool_call_id": f"call_{k}", "content": json.dumps({"status": text(60)})}
        )
    return {"id": f"t{draw.randrange(10**9)}", "messages": messages}


def write(path: Path, megabytes: int) -> int:
    """Write traces until the file is large enough; the number of traces."""
    draw = random.Random(1)
    some = [json.dumps(chat(draw)).encode() + b"\n" for _ in range(200)]
    count = size = 0
    with path.open("wb") as file:
        while size < megabytes * 2**20:
            size += file.write(some[count % len(some)])
            count += 1
    return count


def calls_of(trace: Trace) -> int:
    return len(trace.calls)


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        count = write(path, megabytes)
        rows = []

        def timed(name: str, found: int, began: float, base: float | None) -> float:
            took = time.perf_counter() - began
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            share = f"{base / took:.2f}" if base is not None else "1"
            rows.append(
                [name, f"{took:.1f}", f"{megabytes / took:.0f}", share, f"{memory:.0f}", f"{found:,}"]
            )
            return took

        began = time.perf_counter()
        with path.open("rb") as file:
            parsed = sum(1 for line in file if json.loads(line))
        base = timed("json alone", parsed, began, None)
        began = time.perf_counter()
        timed("open_traces", sum(calls_of(trace) for trace in open_traces([path])), began, base)
        title = f"{count:,} chat traces of {CALLS} calls, {megabytes:,} MB"
        table(title, ["way", "seconds", "MB/s", "speed of json", "MB at most", "found"], rows)


if __name__ == "__main__":
    main()
