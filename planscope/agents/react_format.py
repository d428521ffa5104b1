"""The ReAct format (Yao et al., 2023; Table 1 of the paper): a whole conversation as one few-shot text, for any model.

Prompts are written and answers read here; simulated models also read the prompt. No line of a query or a tool's answer
can begin with one of the format's own words: such lines are indented by a blank.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from planscope.agents.toolset import ToolSpec
from planscope.frozen import frozen
from planscope.session.model import PromptEvent, SeenMessage, SeenTool

STOP = "\nObservation:"
"""The stop word. A model that writes an observation itself is cut off there, because it invents it."""

FORMAT_ERROR = "the answer is not in the ReAct format"
"""The beginning of the reason why an answer could not be read."""

_HEAD = (
    "Answer the question with the help of tools, one call at a time. These are the tools, one a line, each with "
    "the JSON schema of its arguments:\n\n"
)
_FORMAT = """

Use this format and no other:

Thought: what to do next, and why
Action: the name of one tool
Action Input: its arguments, as a JSON object
Observation: the tool's answer, which is given to you
(Thought, Action, Action Input and Observation may come again as often as needed.)
Thought: why nothing is left to do
Final Answer: a short closing word

An example of the format, with other tools:

Question: Boiling water happens before brewing tea.
Thought: Boiling water comes first.
Action: boiling_water
Action Input: {}
Observation: Boiling water has been done.
Thought: The water boils, so the tea can be brewed.
Action: brewing_tea
Action Input: {}
Observation: Brewing tea has been done.
Thought: Everything is done.
Final Answer: The tea is ready.

Begin.

Question: """

_WORDS = "Question|Thought|Action Input|Action|Observation|Final Answer"
_SPOOF = re.compile(rf"^(?=(?:{_WORDS})\s*:)", re.MULTILINE | re.IGNORECASE)
_PART = re.compile(rf"^(?P<word>{_WORDS}):[ ]?", re.MULTILINE)
_MARK = re.compile(
    r"^[ \t]*[*_#]*(?P<word>Action Input|Action|Observation|Final Answer)[*_]*:[*_]*", re.M | re.I
)
_TOOL = re.compile(r"(?P<name>[A-Za-z0-9_-]{1,64}): (?P<about>.*) Arguments: (?P<schema>\{.*\})")
_FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*[*_]*Thought[*_]*:[*_]*\s*", re.IGNORECASE)


@frozen
class Turn:
    """A call and its answer in a prompt; without a tool, only a thought. ``given`` may be invalid JSON."""

    thought: str
    tool: str | None = None
    given: str = "{}"
    observation: str | None = None


@frozen
class Decision:
    """What a model decided: a short thought and a call; without a tool, ``thought`` is the final answer.

    ``arguments`` is None if ``raw`` cannot be read; ``error`` says why. ``wait``: the seconds that the answer takes.
    """

    thought: str
    tool: str | None = None
    arguments: Mapping[str, object] | None = None
    raw: str | None = None
    error: str | None = None
    wait: float = 0.0


def write_prompt(tools: Sequence[ToolSpec], question: str, turns: Sequence[Turn]) -> str:
    """Write the conversation so far as one text, which ends where the model continues."""
    lines = "\n".join(_tool_line(tool) for tool in tools)
    return f"{_HEAD}{lines}{_FORMAT}{_quoted(question)}\n{''.join(map(_turn, turns))}Thought:"


def prompt_event(agent: str, text: str, role: str | None, tools: Sequence[ToolSpec]) -> PromptEvent:
    """Return what the model of an agent is given at first. ReAct writes everything, also the tools, into one
    message."""
    whole = write_prompt(tools, text, ()) if agent == "react" else None
    return PromptEvent(
        text=text,
        system=role,
        tools=[
            SeenTool(name=t.name, description=t.description, parameters=dict(t.parameters)) for t in tools
        ],
        messages=None if whole is None else [SeenMessage(role="user", text=whole)],
    )


def _tool_line(tool: ToolSpec) -> str:
    about = " ".join(tool.description.split())
    return f"{tool.name}: {about} Arguments: {json.dumps(tool.parameters)}"


def _turn(turn: Turn) -> str:
    text = f"Thought: {_quoted(turn.thought)}\n"
    if turn.tool is not None:
        text += f"Action: {_one_line(turn.tool)}\nAction Input: {_quoted(turn.given)}\n"
    if turn.observation is not None:
        text += f"Observation: {_quoted(turn.observation)}\n"
    return text


def _quoted(text: str) -> str:
    """Indent each line of a text that looks like a line of the format."""
    return _SPOOF.sub(" ", "\n".join(text.splitlines()))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_prompt(prompt: str) -> tuple[tuple[ToolSpec, ...], str, tuple[Turn, ...]] | None:
    """Return tools, question and turns of a prompt that :func:`write_prompt` wrote, or None for any other text."""
    head, found, rest = prompt.partition(_FORMAT)
    if not found or not head.startswith(_HEAD):
        return None
    tools = []
    for line in head[len(_HEAD) :].splitlines():
        match = _TOOL.fullmatch(line)
        if match:
            tools.append(ToolSpec(match["name"], match["about"], json.loads(match["schema"])))
    marks = list(_PART.finditer(rest))
    question = rest[: marks[0].start()] if marks else rest
    parts = _parts(rest, marks, len(rest))
    turns: list[Turn] = []
    for word, text in parts[:-1]:  # the last word has no text yet: the model continues there
        if word == "Thought" or not turns:
            turns.append(Turn(text))
            continue
        last = turns[-1]
        if word == "Action":
            turns[-1] = Turn(last.thought, text)
        elif word == "Action Input":
            turns[-1] = Turn(last.thought, last.tool, text)
        elif word == "Observation":
            turns[-1] = Turn(last.thought, last.tool, last.given, text)
    return tuple(tools), question.strip(), tuple(turns)


def _parts(text: str, marks: Sequence[re.Match[str]], end: int) -> list[tuple[str, str]]:
    """Yield the words of the format, each with the text that follows it, up to ``end``."""
    ends = [*(m.start() for m in marks[1:]), end]
    return [(m["word"], text[m.end() : stop].strip()) for m, stop in zip(marks, ends, strict=False)]


def write_answer(thought: str, tool: str | None, given: str) -> str:
    """Write an answer in the format."""
    if tool is None:
        return f"Thought: Nothing is left to do.\nFinal Answer: {thought}"
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {given}"


def read_answer(text: str) -> Decision:
    """Read a model's answer up to the first observation, which a model must not write."""
    marks = list(_MARK.finditer(text))
    cut = next((m.start() for m in marks if m["word"].lower() == "observation"), len(text))
    said = text[:cut].strip()
    found: dict[str, str] = {}
    marks = [m for m in marks if m.start() < cut]
    before = text[: marks[0].start()] if marks else said
    for word, part in _parts(text, marks, cut):
        if word.lower() in found:
            return Decision(said, "", None, said, f"{FORMAT_ERROR}: more than one {word} in it")
        found[word.lower()] = part
    thought = _THOUGHT.sub("", before).strip()
    if "action" in found and "final answer" in found:
        return Decision(said, "", None, said, f"{FORMAT_ERROR}: it is both an action and a final answer")
    if "final answer" in found:
        return Decision(found["final answer"] or thought)
    if not found.get("action"):
        missing = "the action has no name" if "action" in found else "neither an action nor a final answer"
        return Decision(said, "", None, said, f"{FORMAT_ERROR}: {missing}")
    tool = found["action"].strip("`*\"' ").removesuffix("()")
    return _with_arguments(thought, _one_line(tool), found.get("action input"))


def _with_arguments(thought: str, tool: str, given: str | None) -> Decision:
    raw = (given or "").strip()
    fenced = _FENCE.match(raw)
    body = fenced.group(1) if fenced else raw.strip("`")
    if body in ("", "None", "null"):
        return Decision(thought, tool, {}, raw)
    try:
        arguments = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return Decision(thought, tool, None, raw)
    return Decision(thought, tool, arguments if isinstance(arguments, dict) else None, raw)
