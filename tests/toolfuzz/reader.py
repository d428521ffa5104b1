"""A simulated model behind the local server. It answers all of the fuzzer's prompts, and as an agent it reads a tool's
documentation, with stated faults:

- ``day-first``: it takes 04/03 for the 4th of March, unless the documentation says which comes first;
- ``no-units``: it drops the unit of a weight, unless the documentation names the unit;
- ``no-percent``: it reads 15 % as 15, unless the documentation says to divide, or names this very value;
- ``second-choice``: for a word that is no value of an enum it takes the second value, unless the documentation says
  what the word means.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planscope.toolfuzz.prompts import load_prompts
from tests.agents.wire.replies import Fail, Reply, Say, call, calls
from tests.agents.wire.server import WireServer

MONTHS = {"march": 3, "april": 4}
WORDS = {
    "date": ["04/03/2025", "4/3/2025", "3 April 2025", "04-03-2025"],
    "weight": ["500 g", "500 grams", "0.5 kg", "half a kilo"],
    "speed": ["fast", "quick", "urgent", "express"],
    "rate": ["15 %", "15 percent", "0.15", "fifteen percent"],
}
SPEEDS = {"enum": ["express", "standard", "economy"]}
OTHER_RATES = (20, 7, 19, 25, 8, 10)
TEMPLATES = {
    "date": ["Who is on duty on [day]?", "Which team works on [day] here?"],
    "weight": ["What does a parcel of [A] cost?", "Price for [A] please?"],
    "rate": ["What do 100 cost with [rate] VAT?"],
    "speed": ["When does a parcel arrive that is sent [how]?", "I send it [how], when is it there?"],
}


@dataclass
class Reader:
    """The model. ``asked`` counts its answers by prompt, ``agent`` those of the agent; ``context``: what it was told;
    ``down``: how often the agent fails at first; ``writes``: new documentation, in turns."""

    faults: frozenset[str] = frozenset()
    overrides: Mapping[str, str] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    down: int = 0
    context: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Reply:
        messages = body["messages"]
        if body.get("tools"):
            self.asked["agent"] += 1
            if self.down:
                self.down -= 1
                return Fail(400, "broken")
            return self._act(messages, [one["function"] for one in body["tools"]])
        name, fields = _which(str(messages[-1]["content"]))
        self.asked[name] += 1
        if name in self.overrides:
            return Say(self.overrides[name])
        return Say(json.dumps(getattr(self, f"_{name}")(**fields)))

    # --- as the agent ---

    def _act(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Reply:
        prompt = next(one["content"] for one in messages if one["role"] == "user")
        last = messages[-1]
        if last["role"] == "tool":
            sent = next(one for one in reversed(messages) if one.get("tool_calls"))
            arguments = json.loads(sent["tool_calls"][0]["function"]["arguments"])
            return Say(f"{_told(arguments)}: {last['content']}")
        for tool in tools:
            [name] = tool["parameters"]["properties"]
            value = self.read(
                prompt, name, tool["description"], tool["parameters"]["properties"][name], self.faults
            )
            if value is not None:
                return calls(call(tool["name"], {name: value}))
        return Say("I do not know.")

    @staticmethod
    def read(
        prompt: str, name: str, documentation: str, schema: Mapping[str, Any], faults: frozenset[str]
    ) -> Any:
        """Read an argument out of a prompt; None if the prompt has none of it."""
        match name:
            case "date":
                if found := re.search(r"(\d+)[/-](\d+)[/-](\d{4})", prompt):
                    month, day = int(found[1]), int(found[2])
                    if "day-first" in faults and "month first" not in documentation:
                        month, day = day, month
                    return f"{found[3]}-{month:02}-{day:02}"
                if found := re.search(r"(\d+) (March|April) (\d{4})", prompt):
                    return f"{found[3]}-{MONTHS[found[2].lower()]:02}-{int(found[1]):02}"
            case "weight":
                if found := re.search(r"([\d.]+) (kg|g)", prompt):
                    drops = "no-units" in faults and "kilogram" not in documentation
                    return float(found[1]) / (1000 if found[2] == "g" and not drops else 1)
                return 0.5 if "half a kilo" in prompt else None
            case "speed":
                word = next((one for one in WORDS["speed"] if one in prompt), None)
                values: list[str] = schema.get("enum", [])
                known = word in values or word is None or word in documentation
                return (
                    None
                    if word is None
                    else values[0]
                    if known or "second-choice" not in faults
                    else values[1]
                )
            case "rate":
                if found := re.search(r"[Aa]lways pass ([\d.]+\d)", documentation):
                    return float(found[1])
                if found := re.search(r"(\d+) ?(?:%|percent)", prompt.replace("fifteen", "15")):
                    known = "divide" in documentation or f"{found[1]} % is" in documentation
                    return int(found[1]) / (100 if known or "no-percent" not in faults else 1)
                return float(found[0]) if (found := re.search(r"0\.\d+", prompt)) else None
        return None

    # --- as the model that asks and judges; it reads without faults ---

    def _priors(self, tool_prompt: str) -> Any:
        return {_argument(tool_prompt): WORDS[_argument(tool_prompt)]}

    def _sane(self, **_: str) -> Any:
        return {"sane": True, "reason": "why not"}

    def _request(self, tool_prompt: str, tool_name: str, bad_arg: str) -> Any:
        return {"request": f"Use {bad_arg}."}

    def _templates(self, tool_prompt: str, tool_context: str, count: str) -> Any:
        self.context.append(tool_context)
        return {"templates": TEMPLATES[_argument(tool_prompt)][: int(count)]}

    def _fillings(self, template_prompt: str, tool_prompt: str, **_: str) -> Any:
        name = re.findall(r"\[(\w+)\]", template_prompt)[0]
        return {name: WORDS[_argument(tool_prompt)]}

    def _natural(self, prompts: str, **_: str) -> Any:
        """The last wording means something else: it must not be used."""
        given = json.loads(prompts)
        return {"prompts": [*(f"hey, {one}" for one in given[:-1]), "hey, what about tomorrow?"]}

    def _same_meaning(self, pairs: str) -> Any:
        return {"same": [_meaning(one["before"]) == _meaning(one["after"]) for one in json.loads(pairs)]}

    def _similar(self, tool_prompt: str, requests: str, count: str, wordings: str) -> Any:
        some = [(f"{one} %", f"{one} percent", f"{one / 100}") for one in OTHER_RATES[: int(count)]]
        return {"requests": [[f"What do 100 cost with {word} VAT?" for word in words] for words in some]}

    def _mend_text(self, **_: str) -> Any:
        self.writes.append(self.writes.pop(0))
        return {"description": self.writes[-1]}

    _mend_prompts = _mend_source = _mend_text

    def _answers(self, tool_prompt: str, questions: str) -> Any:
        name = _argument(tool_prompt)
        read = [self.read(one, name, "", SPEEDS, frozenset()) for one in questions.split("\n")]
        return {"answers": [_told({name: value}) for value in read]}

    def _expectation(self, sentences: str) -> Any:
        return {"expectation": Counter(sentences.split("\n")).most_common(1)[0][0]}

    def _judge(self, agent_output: str, expected: str, tool_output: str) -> Any:
        return {"correctness_degree": 9 if expected in agent_output else 2, "reason": f"expected {expected}"}

    def _wrong_prompts(self, tool_info: str) -> Any:
        return {
            "prompts": [
                "Who is on duty on 04/03/2025?",
                f"With its code {'def ' in tool_info}: 3 April 2025?",
            ]
        }

    def _crash_prompts(self, tool_info: str) -> Any:
        return {"prompts": ["Who is on duty on 13/13/2025?"]}

    def _is_correct(self, question: str, answer: str) -> Any:
        return {"correct": "2025-04-03" in answer, "reason": "April is meant"}


class Answering(WireServer):
    """A server that answers each request by a function of its body."""

    def __init__(self, reader: Any) -> None:
        super().__init__([])
        self.reader = reader

    def _next(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        with self._lock:
            self.paths.append(path)
            self.headers.append(headers)
            self.requests.append(body)
            reply: Reply = self.reader(body)
            return reply


def _meaning(prompt: str) -> Any:
    """What a careful reader reads in a prompt, whatever it is about."""
    read = ((name, Reader.read(prompt, name, "", SPEEDS, frozenset())) for name in WORDS)
    return next((one for one in read if one[1] is not None), None)


def _told(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in arguments.items())


def _argument(tool_prompt: str) -> str:
    return next(name for name in WORDS if f'"{name}"' in tool_prompt)


def _which(text: str) -> tuple[str, dict[str, str]]:
    """Return which prompt of the data file this is, and its fields."""
    prompts = load_prompts()
    for name, template in prompts.texts.items():
        seen: set[str] = set()

        def group(match: re.Match[str], seen: set[str] = seen) -> str:
            once = match[1] not in seen
            seen.add(match[1])
            return f"(?P<{match[1]}>.*)" if once else ".*"

        pattern = re.sub(r"\\\{([a-z_]+)\\\}", group, re.escape(template.strip()))
        found = re.fullmatch(pattern, text.strip(), re.DOTALL)
        if found:
            return name, {
                key: value for key, value in found.groupdict().items() if key != "format_instructions"
            }
    raise AssertionError(text)
