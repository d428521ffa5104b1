"""A simulated model for the benchmark: as an agent it reads documentation by stated rules, as a writer it writes some.

The agent has habits, and gives one up only if the documentation of the tool that it calls says otherwise (``RULES``):
it writes paths with a leading slash, moves a file to the folder alone, copies without making the folder, counts lines
from 1, appends text without a line end, and deletes a folder without emptying it. It stops at the first error.

The writer knows only what it is shown: from an error it takes what the error says must be done; from source code it
takes the texts of the errors in it. Some of its candidates are worse: vague, wrong, or off the point (``NOISE``).
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

from planscope.agents.models import LoadedModel, ModelSpec
from planscope.toolfuzz.prompts import load_prompts
from tests.agents.wire.replies import Say, ToolCall

RULES = {
    "relative": re.compile(r"\brelative\b|without a leading slash", re.I),
    "file name": re.compile(r"include the file name|with the file name", re.I),
    "folder first": re.compile(r"must exist|create it first", re.I),
    "from 0": re.compile(r"\bfrom 0\b|\bfrom zero\b", re.I),
    "line end": re.compile(r"\bline end\b|\bnewline\b", re.I),
    "empty": re.compile(r"must be empty|delete its files first", re.I),
}
"""What the agent understands of a tool's documentation, and by which words."""

NOISE = (
    "A precise and reliable tool for files. Use it with care.",
    "The destination is a folder; paths begin with a slash.",
    "Lines are counted from 1. Ask the user before you use it. Do not use this tool.",
)
NAMES = ("letter", "budget", "recipe", "agenda", "minutes", "essay", "sketch", "survey")
FOLDERS = ("trunk", "attic", "cellar", "pantry", "garage")
POLITE = "Please do this: "
PRACTICE = {
    **{f"{name}.txt": "one\ntwo\nthree\n" for name in NAMES},
    "box/in.txt": "in\n", "shelf/in.txt": "in\n", "trunk/a.txt": "a\n", "trunk/b.txt": "b\n", "attic/c.txt": "c\n",
    "cellar/d.txt": "d\n", "pantry/e.txt": "e\n", "garage/f.txt": "f\n",
}  # fmt: skip
"""The folder in which documentation is tried; none of its names is in a task of the benchmark."""


class Reader(BaseChatModel):
    """The model. ``seed`` decides which of the writer's candidates are noise; ``asked`` counts the prompts."""

    seed: int = 1
    noise: float = 0.4
    asked: Counter[str] = Counter()  # noqa: RUF012  (pydantic copies it for each instance)

    @property
    def _llm_type(self) -> str:
        return "reader"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(t) for t in tools])

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        if kwargs.get("tools"):
            said = self._act(
                messages, {t["function"]["name"]: t["function"]["description"] for t in kwargs["tools"]}
            )
        else:
            name, fields = which(str(messages[-1].text))
            self.asked[name] += 1
            said = AIMessage(json.dumps(getattr(self, f"_{name}")(fields)))
        return ChatResult(generations=[ChatGeneration(message=said)])

    # --- the agent ---

    def _act(self, messages: Sequence[BaseMessage], says: Mapping[str, str]) -> AIMessage:
        request = plainly(next(str(m.text) for m in messages if isinstance(m, HumanMessage)))
        answers = [m for m in messages if isinstance(m, ToolMessage)]
        if answers and answers[-1].status == "error":
            return AIMessage(f"It did not work: {answers[-1].text}")
        names = json.loads(str(answers[0].text)) if answers and answers[0].name == "list_folder" else []
        plan = list(self.plan(request, says, names))
        if len(answers) >= len(plan):
            return AIMessage("Done." if plan else "I cannot do that.")
        tool, given = plan[len(answers)]
        return AIMessage("", tool_calls=[tool_call(name=tool, args=given, id=f"c{len(answers)}")])

    def plan(
        self, request: str, says: Mapping[str, str], names: Sequence[str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the calls for a request. ``names``: what the folder has, once it was listed."""

        def knows(tool: str, rule: str) -> bool:
            return bool(RULES[rule].search(says[tool]))

        def path(tool: str, name: str) -> str:
            return name if knows(tool, "relative") else f"/{name}"

        if m := re.fullmatch(r"Move (.*) into (.*)\.", request, re.DOTALL):
            target = f"{m[2]}/{m[1]}" if knows("move_file", "file name") else m[2]
            yield "move_file", {"source": path("move_file", m[1]), "destination": path("move_file", target)}
        elif m := re.fullmatch(r"Copy (.*) to (.*) as (.*)\.", request, re.DOTALL):
            if knows("copy_file", "folder first"):
                yield "make_folder", {"path": m[2]}
            target = path("copy_file", f"{m[2]}/{m[3]}")
            yield "copy_file", {"source": path("copy_file", m[1]), "destination": target}
        elif m := re.fullmatch(r"Replace line (-?\d+) of (.*) with '(.*)'\.", request, re.DOTALL):
            number = int(m[1]) - knows("replace_line", "from 0")
            yield "replace_line", {"path": path("replace_line", m[2]), "number": number, "text": m[3]}
        elif m := re.fullmatch(r"Append '(.*)' to (.*)\.", request, re.DOTALL):
            yield "append_text", {"path": m[2], "text": m[1] + "\n" * knows("append_text", "line end")}
        elif m := re.fullmatch(r"Delete the folder (.*)\.", request, re.DOTALL):
            if knows("delete_folder", "empty"):
                yield "list_folder", {"path": m[1]}
                for name in names:
                    yield "delete_file", {"path": f"{m[1]}/{name}"}
            yield "delete_folder", {"path": path("delete_folder", m[1])}

    # --- the writer ---

    def _priors(self, fields: Mapping[str, str]) -> Any:
        return {
            "path": ["letter.txt", "trunk", "/letter.txt"], "source": ["letter.txt", "/budget.txt"],
            "destination": ["box", "/box/new.txt", "nowhere/letter.txt"], "number": [1, 3, 9], "text": ["word"],
        }  # fmt: skip

    def _sane(self, fields: Mapping[str, str]) -> Any:
        given = json.loads(fields["bad_arg"])
        return {"sane": all(str(one).isprintable() and len(str(one)) < 200 for one in given.values())}

    def _request(self, fields: Mapping[str, str]) -> Any:
        given = json.loads(fields["bad_arg"])
        return {"request": request_for(fields["tool_name"], lambda key: str(given.get(key, "x")))}

    def _similar(self, fields: Mapping[str, str]) -> Any:
        tool = fields["tool_prompt"].partition(":")[0]
        draw = random.Random(f"{self.seed}{tool}")
        made = []
        for k in range(int(fields["count"])):
            values = {
                "source": f"{NAMES[k % len(NAMES)]}.txt", "destination": ("box", "shelf", "loft", "barn")[k % 4],
                "path": FOLDERS[k % len(FOLDERS)] if tool == "delete_folder" else f"{NAMES[k]}.txt",
                "number": str(draw.choice((1, 2, 3))), "text": f"word {k}",
            }  # fmt: skip
            if tool == "move_file":
                values["destination"] = ("box", "shelf")[k % 2]
            made.append(request_for(tool, values.__getitem__))
        return {"requests": [[one, f"{POLITE}{one}"] for one in dict.fromkeys(made)]}

    def _same_meaning(self, fields: Mapping[str, str]) -> Any:
        pairs = json.loads(fields["pairs"])
        return {"same": [plainly(one["before"]) == plainly(one["after"]) for one in pairs]}

    def _answers(self, fields: Mapping[str, str]) -> Any:
        return {"answers": ["It is done."]}

    def _expectation(self, fields: Mapping[str, str]) -> Any:
        return {"expectation": fields["sentences"]}

    def _judge(self, fields: Mapping[str, str]) -> Any:
        return {"correctness_degree": 9 if fields["agent_output"] == "Done." else 2, "reason": ""}

    def _mend_prompts(self, fields: Mapping[str, str]) -> Any:
        said = re.findall(r"error: \w+: (.*)", fields["bad_examples"])
        return self._written(fields, said)

    def _mend_source(self, fields: Mapping[str, str]) -> Any:
        texts = re.findall(r'raise \w+\(f?"([^"]*)"\)', fields["tool_source"])
        said = re.findall(r"error: \w+: (.*)", fields["bad_examples"])
        return self._written(fields, [*texts, *said])

    def _mend_text(self, fields: Mapping[str, str]) -> Any:
        return self._written(fields, [])

    def _written(self, fields: Mapping[str, str], lessons: Sequence[str]) -> Any:
        self.asked["written"] += 1
        draw = random.Random(f"{self.seed}/{self.asked['written']}")
        old = fields["tool_description"].partition("\n")[0].partition(": ")[2]
        kept = [one for one in dict.fromkeys(lessons) if draw.random() > self.noise]
        told = " ".join(f"{one[:1].upper()}{one[1:].rstrip('.')}." for one in kept)
        noise = draw.choice(NOISE) if draw.random() < self.noise else ""
        return {"description": " ".join(f"{old} {told} {noise}".split())}


def reply(model: Reader, body: Mapping[str, Any]) -> Say:
    """The model's answer to a request of OpenAI's protocol, for a local server."""
    names: dict[str, str] = {}
    messages: list[BaseMessage] = []
    for one in body["messages"]:
        names |= {call["id"]: call["function"]["name"] for call in one.get("tool_calls") or ()}
        text = str(one.get("content") or "")
        if one["role"] == "tool":
            status = "error" if text.startswith("Error") else "success"
            made: BaseMessage = ToolMessage(
                text, tool_call_id=one["tool_call_id"], name=names[one["tool_call_id"]], status=status
            )
        else:
            made = HumanMessage(text) if one["role"] == "user" else AIMessage(text)
        messages.append(made)
    said = model._generate(messages, tools=body.get("tools") or []).generations[0].message
    assert isinstance(said, AIMessage)
    calls = [ToolCall(call["name"], json.dumps(call["args"]), call["id"] or "") for call in said.tool_calls]
    return Say(str(said.text) or None, calls)


def plainly(request: str) -> str:
    """A request without the polite words of its second wording."""
    return request.removeprefix(POLITE)


def request_for(tool: str, value: Callable[[str], str]) -> str:
    """The words of a user that lead to a call of this tool."""
    match tool:
        case "move_file":
            return f"Move {value('source')} into {value('destination')}."
        case "copy_file":
            return f"Copy {value('source')} to {value('destination')} as {value('source')}."
        case "replace_line":
            return f"Replace line {value('number')} of {value('path')} with '{value('text')}'."
        case "append_text":
            return f"Append '{value('text')}' to {value('path')}."
        case "delete_folder":
            return f"Delete the folder {value('path')}."
        case _:
            return f"Use {tool}."


def which(text: str) -> tuple[str, dict[str, str]]:
    """Which of the fuzzer's prompts this is, and its fields."""
    prompts = load_prompts()
    for name, prompt in prompts.texts.items():
        parts = re.split(r"\{([a-z_]+)\}", prompt.strip())
        pattern, seen = "", set[str]()
        for k, part in enumerate(parts):
            if k % 2 == 0:
                pattern += re.escape(part)
            elif part == "format_instructions":
                pattern += re.escape(prompts.forms[name])
            else:
                pattern += f"(?P={part})" if part in seen else f"(?P<{part}>.*?)"
                seen.add(part)
        if found := re.fullmatch(pattern, text, re.DOTALL):
            return name, found.groupdict()
    raise AssertionError(f"no prompt of the fuzzer: {text[:200]}")


def loaded(seed: int = 1, noise: float = 0.4) -> LoadedModel:
    return LoadedModel(Reader(seed=seed, noise=noise), ModelSpec("test:reader"))
