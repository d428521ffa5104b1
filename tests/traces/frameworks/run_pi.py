"""pi, a coding agent in Node: its session, and the events of ``--mode json``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import desk

MODEL = {"id": "local", "name": "local", "reasoning": False, "input": ["text"], "contextWindow": 200_000,
         "maxTokens": 4_000, "cost": dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)}  # fmt: skip
PROVIDER = {"baseUrl": desk.BASE_URL, "apiKey": "none", "api": "openai-completions", "models": [MODEL]}
own = Path.home() / ".pi" / "agent"
own.mkdir(parents=True)
(own / "models.json").write_text(json.dumps({"providers": {"local": PROVIDER}}))
asked = ["pi", "--provider", "local", "--model", "local", "--mode", "json", "-p", "Say hello, then fail."]
done = subprocess.run(asked, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
for line in done.stdout.splitlines():
    if '"message_update"' not in line:
        desk.note(line.replace(str(Path.cwd()), "desk"), "events.jsonl")
(session,) = own.glob("sessions/*/*.jsonl")
for line in session.read_text().splitlines():
    desk.note(line.replace(str(Path.cwd()), "desk"), "session.jsonl")
