"""Reads sessions of Claude Code, which are JSON lines that form a tree by ``parentUuid``, ``--output-format
stream-json``, whose lines follow each other, and the ``loglines`` of sessions on the web. Sessions of pi are read as
such lines.

Where the user typed two turns on one parent, the user rewound: the turn that leads to the last message is live, and the
others are branches. All other siblings (calls made together, their answers) are one branch in the order of the file.
The file is read twice: for the tree, which is small, and for the content.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from planscope.oracle.trace import Item, Said, ToolCall, Trace
from planscope.traces.blocks import By, take_blocks, usage_of
from planscope.traces.build import Builder, Full
from planscope.traces.json_stream import Broken
from planscope.traces.reader import FileFormat, Options, closed, records
from planscope.traces.source import Source, Unreadable, file_source
from planscope.traces.values import Obj, as_text, dig, name, obj, rest_of, seq, some, text

REJECTED = ("The user doesn't want to proceed with this tool use", "The user doesn't want to take this action",
            "[Request interrupted by user for tool use]", "Permission to use ")  # fmt: skip
"""Beginnings of answers to calls that the user or a permission rule refused."""
DEEPEST = 5
"""The number of levels of sub-agents that are read."""
MOST_PARTS = 500
"""Limit of sub-agents' files that are read for one session."""
LONGEST_ANSWER = 4 * 2**20
"""Limit of an answer that is in a file of its own, in bytes."""
_SAVED = re.compile(r"(?:saved to|Full output[^:]*):\s*(\S[^\n]*)")
_NOT_TYPED = ("isMeta", "isSynthetic", "isCompactSummary")
_ENDS = {"error_max_turns": "its limit of turns", "error_max_budget_usd": "its limit of cost",
         "error_during_execution": "an error"}  # fmt: skip
_PLACED = frozenset(
    ("type", "uuid", "parentUuid", "sessionId", "timestamp", "message", "isSidechain", "cwd", "version", "gitBranch",
     "userType", "requestId", "logicalParentUuid", "slug", "todos", "thinkingMetadata", "entrypoint", "promptId",
     "sourceToolAssistantUUID", "permissionMode", "toolUseResult", "agentId", "sessionKind",
     "session_id", "parent_tool_use_id", "tool_use_result")
)  # fmt: skip


@dataclass
class _Node:
    """A line of the tree: its parent, whether it is live, and what decides that."""

    parent: str | None
    typed: bool = False
    """Whether it is a turn that the user typed."""
    side: bool = False
    live: bool = True
    root: str = ""
    """The first line of its rewound branch."""


@dataclass(frozen=True)
class _Form:
    """How a program writes sessions. ``line`` gives a line as Claude Code writes it; ``strict``: all but the way to the
    last line was rewound."""

    name: str
    lists: tuple[str, ...] = ()
    line: Callable[[Obj], Obj] = obj
    strict: bool = False

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        """Yield the session of a file; its sub-agents and long answers are in the folder of the same name."""
        folder = session_folder(source.path) if options.siblings and source.path is not None else None
        yield _Session(source, folder, self).trace()


def _line_of_pi(line: Obj) -> Obj:
    """Return a line of pi as Claude Code writes it."""
    kind, said = line.get("type"), obj(line.get("message"))
    if kind == "session":
        return {
            "type": "system",
            "subtype": "init",
            "sessionId": line.get("id"),
            "model": line.get("modelId"),
        }
    if kind == "session_info":
        return {"type": "summary", "summary": line.get("name")}
    made: Obj = {"timestamp": line.get("timestamp"), "uuid": line.get("id")}
    made["parentUuid"] = line.get("parentId")
    if kind == "compaction":
        return {**made, "type": "system", "subtype": "compact_boundary", "content": line.get("summary")}
    if kind not in _PI:
        return {**made, "type": kind}
    role, words = said.get("role"), some(said, ("content", "summary"))
    if role == "assistant":
        return {**made, "type": "assistant", "message": said}
    if role == "toolResult":
        answer = {"type": "tool_result", "tool_use_id": said.get("toolCallId"), "content": words}
        words = [{**answer, "is_error": said.get("isError")}]
    elif role == "bashExecution":  # a command of the user's own
        words = f"! {text(said.get('command'))}\n{text(said.get('output'))}"
    if role in _PI_NOTES:
        made["isMeta"] = True
    return {**made, "type": "user", "message": {"role": "user", "content": words}}


_PI = ("message", "message_end")
_PI_NOTES = ("bashExecution", "custom", "branchSummary", "compactionSummary")


def session_folder(path: Path) -> Path | None:
    """Return the folder of a session's own files, which is beside its file and has its name."""
    folder = path.with_suffix("")
    return folder if folder != path and folder.is_dir() and not folder.is_symlink() else None


def inside(folder: Path, file: Path) -> Path | None:
    """Return the file if it is inside the folder, also after links are followed, and is a regular file."""
    try:
        place = file.resolve()
        return place if place.is_relative_to(folder.resolve()) and place.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def files_in(folder: Path, most: int, *patterns: str) -> list[Path]:
    """Return the files of these names in a folder that is a session's own, sorted."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    try:
        found = sorted({file for pattern in patterns for file in folder.glob(pattern)})
    except OSError:
        return []
    return [place for file in found[:most] if (place := inside(folder, file)) is not None]


class _Session:
    """Reads one file: the main session's or a sub-agent's."""

    def __init__(
        self,
        source: Source,
        folder: Path | None,
        form: _Form,
        *,
        depth: int = 0,
        agent: str | None = None,
    ) -> None:
        self.source, self.folder, self.depth, self.agent = source, folder, depth, agent
        self.form = form
        self.whole = depth > 0  # all lines of a sub-agent's file are side lines
        self.nodes: dict[str, _Node] = {}
        self.last: str | None = None
        self.chained = False
        """Whether a line names an earlier one as its parent."""
        self.build = Builder(source.stem, form.name)
        self.started: dict[str, str] = {}
        """The call that started each sub-agent, by the agent's id."""
        self.usage_of: set[str] = set()
        self.calls_at: dict[str, int] = {}
        """The number of calls up to each line at which a branch begins."""
        self.branches: dict[str, Builder] = {}
        self.sides: dict[str, Builder] = {}
        self.side_prompts: dict[str, str] = {}

    def trace(self) -> Trace:
        """Return the trace, with the sub-agents' calls in it."""
        broken: Broken | None = None
        try:
            self._grow()
        except Broken as error:
            broken = error
        self._decide()
        try:
            self._fill()
        except Full:
            self.build.full()
        except Broken as error:
            broken = error
        for root, branch in self.branches.items():
            self._close_branch(root, branch)
        self._put_in_sub_agents()
        return closed(self.build, self.source, broken)

    # the tree -----------------------------------------------------------------------------------------------------

    def _lines(self, *, again: bool) -> Iterator[tuple[str, Obj]]:
        """Yield each line with its id, which is made of its number where a message has none."""
        for number, (record, _) in enumerate(records(self.source, self.form.lists, again=again), 1):
            line = self.form.line(record)
            uuid = name(line.get("uuid"))
            yield uuid or (f"#{number}" if type(line.get("message")) is dict else ""), line

    def _side_of(self, line: Obj) -> bool:
        return not self.whole and (line.get("isSidechain") is True or bool(line.get("parent_tool_use_id")))

    def _grow(self) -> None:
        nodes = self.nodes
        before: str | None = None
        for uuid, line in self._lines(again=True):
            if not uuid or uuid in nodes:
                continue
            parent = name(line.get("parentUuid")) or name(line.get("logicalParentUuid")) or None
            side = self._side_of(line)
            if parent is not None and parent not in nodes:
                parent = None if side else before
            elif parent is not None:
                self.chained = self.chained or not side
            elif not side and (before is not None and line.get("isCompactSummary") is True):
                parent = before
            nodes[uuid] = _Node(parent, _is_typed(line), side)
            if not side:
                before = uuid
                if line.get("type") in ("user", "assistant"):
                    self.last = uuid

    def _decide(self) -> None:
        """Give every line that was rewound, or is a sub-agent's, the first line of its branch."""
        nodes = self.nodes
        way: set[str] = set()
        at = self.last
        while at is not None and at not in way:
            way.add(at)
            at = nodes[at].parent
        typed: dict[str | None, list[str]] = {}
        for uuid, node in nodes.items():
            if node.typed and not node.side and (node.parent is not None or self.chained):
                typed.setdefault(node.parent, []).append(uuid)
        gone: set[str] = set()
        for turns in typed.values():
            kept = next((one for one in turns if one in way), turns[-1])
            gone.update(one for one in turns if one != kept)
        if self.form.strict and self.chained:
            gone.update(
                one for one, node in nodes.items() if one not in way and (node.parent or "") in {*way, ""}
            )
        for uuid, node in nodes.items():
            above = nodes[node.parent] if node.parent is not None else None
            if node.side:
                node.live, node.root = False, above.root if above is not None and above.side else uuid
            elif above is not None and not above.live and not above.side:
                node.live, node.root = False, above.root
            elif uuid in gone:
                node.live, node.root = False, uuid

    # the content --------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        seen: set[str] = set()
        forks = {n.parent for n in self.nodes.values() if n.parent is not None and not n.live and not n.side}
        for uuid, line in self._lines(again=False):
            if not uuid:
                self._note(line)
                continue
            if uuid in seen or uuid not in self.nodes:
                continue
            seen.add(uuid)
            node = self.nodes[uuid]
            if node.live:
                self._take(self.build, line)
                if uuid in forks:
                    self.calls_at[uuid] = self.build.steps
            elif node.side:
                self._take_side(name(line.get("parent_tool_use_id")) or node.root, line)
            else:
                self._take_rewound(node.root, line)

    def _note(self, line: Obj) -> None:
        kind = line.get("type")
        if kind == "summary":
            self.build.trace.title = self.build.trace.title or text(line.get("summary"))
        elif kind in ("custom-title", "ai-title"):
            self.build.trace.title = (
                text(line.get("customTitle")) or text(line.get("title")) or self.build.trace.title
            )
        else:
            self._take(self.build, line)

    def _take(self, build: Builder, line: Obj) -> None:
        kind = line.get("type")
        if build is self.build:
            session = name(line.get("sessionId")) or name(line.get("session_id"))
            if session and build.trace.id == self.source.stem and not self.whole:
                build.trace.id = session
        if kind == "system":
            self._take_system(build, line)
        elif kind in ("user", "assistant"):
            self._take_message(build, line)
        elif kind == "result":
            self._take_result(build, line)
        else:
            build.unknown(kind)

    def _take_result(self, build: Builder, line: Obj) -> None:
        """Add the end of a stream: what was refused, and what ended the run."""
        for one in seq(line.get("permission_denials")):
            call = build.last(obj(one).get("tool_use_id"))
            if call is not None:
                call.refused, call.failed = True, False
        end = text(line.get("subtype"))
        if end in _ENDS:
            build.problem(
                f"the run was ended by {_ENDS[end]}", cause="model" if end.endswith("on") else "stopped"
            )

    def _take_system(self, build: Builder, line: Obj) -> None:
        build.time = build.at(line.get("timestamp"))
        if line.get("subtype") == "init":
            build.trace.model = text(line.get("model")) or build.trace.model
            for tool in seq(line.get("tools")):
                build.tool(tool)
        elif line.get("subtype") in ("compact_boundary", "microcompact_boundary"):
            build.message += 1
            build.mark("compacted", line.get("content") or "the conversation was compacted")
        elif line.get("subtype") == "api_error":
            build.mark("error", as_text(line.get("error")) or line.get("content"))
        else:
            build.unknown(f"system {text(line.get('subtype'))}".strip())

    def _take_message(self, build: Builder, line: Obj) -> None:
        """Add one line. Blocks of one message of the model may be in several lines with the message's id."""
        message = obj(line.get("message"))
        build.time, raw = build.at(line.get("timestamp")), rest_of(line, _PLACED)
        content, key = message.get("content"), name(message.get("id"))
        side = name(line.get("agentId")) if line.get("isSidechain") is True else ""
        build.agent = self.agent or side or None
        by: By = (
            "model" if line["type"] == "assistant" else "system" if line.get("isMeta") is True else "user"
        )
        if by != "model" or not key or build.turn != key:
            build.message += 1
            build.turn = key if by == "model" else ""
        model = text(message.get("model"))
        if line.get("isCompactSummary") is True:
            build.mark("compacted", content)
            return
        if model == "<synthetic>":
            build.mark("error", content, raw=raw)
            return
        if model and by == "model" and not self.whole:
            build.trace.model = model
        usage = None
        if by == "model" and key not in self.usage_of:
            self.usage_of |= {key} - {""}
            usage = usage_of(message.get("usage"))
        if type(content) is list:
            blocks = [self._longer(block) for block in content if not self._copied(build, obj(block))]
            started = name(dig(line, "toolUseResult.agentId", "tool_use_result.agentId"))
            for block in map(obj, blocks if started else ()):
                if block.get("type") == "tool_result":
                    self.started[started] = name(block.get("tool_use_id"))
            take_blocks(build, blocks, "model" if by == "model" else "user", usage=usage, raw=raw)
            for block in map(obj, blocks):
                self._mark_refused(build, block)
        else:
            build.said(by, content, agent=build.agent, usage=usage, raw=raw)
        if message.get("errorMessage"):
            build.mark("error", message["errorMessage"])

    def _copied(self, build: Builder, block: Obj) -> bool:
        """Return whether a call or an answer is a copy of one in the trace, as in a session that was resumed."""
        if block.get("type") == "tool_use":
            return build.known(block.get("id"))
        return block.get("type") == "tool_result" and build.is_answered(block.get("tool_use_id"))

    def _mark_refused(self, build: Builder, block: Obj) -> None:
        call = build.last(block.get("tool_use_id")) if block.get("type") == "tool_result" else None
        refused = block.get("is_error") is True and as_text(block.get("content")).startswith(REJECTED)
        if call is not None and refused:
            call.refused, call.failed = True, False

    def _longer(self, block: object) -> object:
        """Return an answer with its text, if that is in the folder ``tool-results``."""
        if self.folder is None or type(block) is not dict or block.get("type") != "tool_result":
            return block
        words = as_text(block.get("content"))
        if "tool-results" not in words or len(words) > 100_000:
            return block
        found = _SAVED.search(words)
        file_name = re.split(r"[/\\]", found[1].strip())[-1] if found is not None else ""
        file = inside(self.folder, self.folder / "tool-results" / file_name) if file_name else None
        if file is None:
            return block
        try:
            with file.open("rb") as opened:
                data = opened.read(LONGEST_ANSWER)
        except OSError:
            return block
        return {**block, "content": data.decode("utf-8", "replace"), "preview": words[:500]}

    # branches and sub-agents --------------------------------------------------------------------------------------

    def _take_rewound(self, root: str, line: Obj) -> None:
        after = self.calls_at.get(self.nodes[root].parent or "", 0)
        self._take_part(self.branches, root, "rewound branch", line, after, self.build.message)

    def _take_part(
        self, parts: dict[str, Builder], root: str, what: str, line: Obj, after: int = 0, message: int = -1
    ) -> None:
        """Add a line of a part of the session, whose times are the session's."""
        if root not in parts:
            if len(parts) >= MOST_PARTS:
                self.build.unknown(f"a line of one {what} too many")
                return
            parts[root] = Builder("", self.form.name, steps=after, message=message)
            parts[root].trace.started = self.build.trace.started
        self._take(parts[root], line)

    def _close_branch(self, root: str, branch: Builder) -> None:
        """Keep the branch, unless all its calls are copies of calls on the live branch."""
        calls = branch.trace.calls
        if calls and all(self.build.known(call.call_id) for call in calls):
            return
        if not calls:
            live = {(one.by, one.text) for one in self.build.items if isinstance(one, Said)}
            if all(isinstance(one, Said) and (one.by, one.text) in live for one in branch.items):
                return
        for kind, count in branch.trace.unknown_lines.items():
            self.build.unknown(kind, count)
        if branch.items:
            self.build.branch(self.calls_at.get(self.nodes[root].parent or "", 0), branch.items)

    def _take_side(self, root: str, line: Obj) -> None:
        """Add a line of a sub-agent in the same file, as older versions write it."""
        self.side_prompts.setdefault(root, as_text(dig(line, "message.content")))
        self._take_part(self.sides, root, "sub-agent", line)

    def _put_in_sub_agents(self) -> None:
        calls = {call.call_id: call for call in self.build.trace.calls if call.call_id}
        prompts: dict[str, ToolCall] = {}
        for call in calls.values():
            asked = text(obj(call.arguments).get("prompt"))
            if asked:
                prompts.setdefault(asked, call)
        for root, side in self.sides.items():
            self.build.parts.append((calls.get(root) or prompts.get(self.side_prompts[root]), side.items))
        own = self.folder / "subagents" if self.folder is not None and self.depth < DEEPEST else None
        for file in files_in(own, MOST_PARTS, "agent-*.jsonl") if own is not None else ():
            agent = file.stem.removeprefix("agent-")
            part, prompt = self._sub_agent(file, agent)
            call_id = _meta(file).get("toolUseId") or self.started.get(agent, "")
            self.build.parts.append((calls.get(call_id) or prompts.get(prompt), part))
        self.build.put_in()

    def _sub_agent(self, file: Path, agent: str) -> tuple[list[Item], str]:
        """Return the items of a sub-agent's file, and its prompt."""
        try:
            source = file_source(file)
        except Unreadable as error:
            self.build.unread(str(error))
            return [], ""
        session = _Session(
            source,
            session_folder(file),
            self.form,
            depth=self.depth + 1,
            agent=_meta(file).get("agentType") or agent,
        )
        session.build.trace.started = self.build.trace.started
        try:
            trace = session.trace()
        except Unreadable as error:
            self.build.unread(str(error))
            return [], ""
        finally:
            source.close()
        if trace.problem is not None:
            self.build.problem(f"sub-agent {agent}: {trace.problem}")
        self.build.trace.left_out += trace.left_out
        for kind, count in trace.unknown_lines.items():
            self.build.unknown(kind, count)
        first = next((one for one in trace.items if isinstance(one, Said)), None)
        return list(trace.items), first.text if first is not None else ""


def _is_typed(line: Obj) -> bool:
    """Return whether a line is a turn that the user typed, and not answers or a note of the program."""
    if line.get("type") != "user" or any(line.get(key) is True for key in _NOT_TYPED):
        return False
    content = obj(line.get("message")).get("content")
    if type(content) is str:
        return not content.startswith("[Request interrupted")
    kinds = {obj(block).get("type") for block in seq(content)}
    return "tool_result" not in kinds and not as_text(content).startswith("[Request interrupted")


def _meta(file: Path) -> dict[str, str]:
    """Return the content of the file beside a sub-agent's, which says what started it."""
    meta = file.with_suffix(".meta.json")
    try:
        if meta.is_symlink() or meta.stat().st_size > 2**20:
            return {}
        found = obj(json.loads(meta.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return {}
    return {key: value for key, value in found.items() if isinstance(value, str)}


CLAUDE_CODE = _Form("claude-code", ("loglines",))
PI = _Form("pi", line=_line_of_pi, strict=True)
_SPOKEN = "type=user|assistant & message:dict"
READERS = (
    FileFormat(
        CLAUDE_CODE.name,
        "a Claude Code session",
        (
            (0.95, f"{_SPOKEN} & uuid|session_id|sessionId|parent_tool_use_id"),
            (0.95, f"{_SPOKEN} & all[].loglines:list"),
            (0.5, "type=file-history-snapshot|summary & all[].sessionId/leafUuid/messageId"),
        ),
        CLAUDE_CODE.read,
        CLAUDE_CODE.lists,
    ),
    FileFormat(
        PI.name,
        "a pi session",
        (
            (0.95, "type=session & id & cwd"),
            (0.95, "type=session & id & all[].message.role=user|assistant|toolResult"),
            (0.8, "type=message|message_end & message.role=toolResult"),
        ),
        PI.read,
    ),
)
