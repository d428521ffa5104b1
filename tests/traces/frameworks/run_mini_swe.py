"""mini-SWE-agent: the same commands by a model that calls its tool, and by one that writes them as text."""

from __future__ import annotations

import os

os.environ |= {
    "MSWEA_SILENT_STARTUP": "1",
    "MSWEA_COST_TRACKING": "ignore_errors",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}

from pathlib import Path

import desk
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import LitellmModel
from minisweagent.models.litellm_textbased_model import LitellmTextbasedModel


class Noted(LocalEnvironment):
    """Notes each command that is run."""

    kind = ""

    def execute(self, action, *given, **more):
        desk.note({"tool": "bash", "arguments": {"command": action["command"]}}, f"called_{self.kind}.jsonl")
        return super().execute(action, *given, **more)


ASKS = {"system_template": "Be kind.", "instance_template": "{{task}}"}
for kind, model in (("calls", LitellmModel), ("text", LitellmTextbasedModel)):
    Noted.kind = kind
    made = model(model_name="openai/local", model_kwargs={"api_base": desk.BASE_URL, "api_key": "none"})
    agent = DefaultAgent(made, Noted(), **ASKS, output_path=Path(desk.FOLDER, f"{desk.NAME}.{kind}.json"))
    agent.run("Say hello, then fail.")
