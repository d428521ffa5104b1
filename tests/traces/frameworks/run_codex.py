"""Codex, a coding agent: its rollout without its own instructions, and the events of ``exec --json``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import desk

own = Path.home() / ".codex"
own.mkdir()
(own / "config.toml").write_text(
    'model = "local"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\nwire_api = "responses"\n'
    f'base_url = "{desk.BASE_URL}"\n'
)
asked = ["codex", "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
done = subprocess.run(
    [*asked, "Say hello, then fail."], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
)
for line in done.stdout.splitlines():
    desk.note(line.replace(str(Path.cwd()), "desk"), "exec.jsonl")
(rollout,) = own.glob("sessions/*/*/*/rollout-*.jsonl")
for line in rollout.read_text().splitlines():
    record = json.loads(line)
    payload = record.get("payload") or {}
    if (
        record["type"] in ("response_item", "event_msg", "session_meta")
        and payload.get("role") != "developer"
    ):
        payload.pop("base_instructions", None)
        desk.note(json.dumps(record).replace(str(Path.cwd()), "desk"), "rollout.jsonl")
