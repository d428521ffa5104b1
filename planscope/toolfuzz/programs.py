"""Programs of calls, of one call or more. Each is played from the tools' first state in a fresh child."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from planscope.toolfuzz.host import Channel, Host
from planscope.toolfuzz.mcp_tools import ServerHost
from planscope.toolfuzz.outcome import Call, Lost, Made, Outcome, Places, Refused, plain_answer
from planscope.toolfuzz.tools import Tool, call

Hosts = Mapping[str, Host | ServerHost]
Drawer = Callable[[Sequence[Made]], Call | None]
"""Says which call comes next, knowing those before; None: the program is over."""


@dataclass
class Stage:
    """Where programs are played. ``hosts``: by tool, also of others; any one starts the child. ``limit``: seconds of
    a call. ``violates``: a server is sent what its schema refuses, too."""

    hosts: Hosts
    tools: Mapping[str, Tool]
    limit: float
    violates: bool = False

    @property
    def host(self) -> Host | ServerHost:
        return self.hosts[next(iter(self.tools))]

    def places(self, tool: str) -> Places:
        """Return which files are the tool's own."""
        return self.hosts[tool].places

    def play(
        self, calls: Sequence[Call] | Drawer, limit: float | None = None, *, agent: bool = False
    ) -> list[Made]:
        """Play a program in a fresh child. Return its calls, up to one that hung or ended its process.

        ``agent``: calls go through the tool's own wrapper, as an agent makes them.
        """
        done: list[Made] = []

        def job(channel: Channel) -> None:
            for one in self.perform(channel, calls, agent):
                channel.send("made", made=asdict(one))

        end = self.host.run(job, lambda event, made: done.append(Made.of(made)), lambda: limit or self.limit)
        if end.outcome is not None and end.text and len(done) == end.number:
            last = json.loads(end.text)
            done.append(Made(last["tool"], last["arguments"], None, end.outcome))
        return done

    def reset(self) -> None:
        """Reset the state of all tools, each by its hook."""
        for hook in {id(one.reset): one.reset for one in self.tools.values()}.values():
            if hook is not None:
                hook()

    def perform(
        self, channel: Channel, calls: Sequence[Call] | Drawer, agent: bool = False
    ) -> Iterator[Made]:
        """Make the calls of a program in this child."""
        self.reset()
        done: list[Made] = []
        while one := calls(done) if callable(calls) else calls[len(done)] if len(done) < len(calls) else None:
            done.append(self.make(channel, one, len(done), agent))
            yield done[-1]

    def perform_one(self, channel: Channel, one: Call) -> Made:
        """Make a program of one call, and go on with another server if it ends this one."""
        try:
            return next(self.perform(channel, [one]))
        except Lost as lost:
            lost.again()
            return Made(one["tool"], one["arguments"], None, lost.outcome)

    def make(self, channel: Channel, one: Call, number: int, agent: bool = False) -> Made:
        """Make one call, without taint."""
        tool, given, places = self.tools[one["tool"]], one["arguments"], self.places(one["tool"])
        text = json.dumps(given)
        channel.begin(number, json.dumps(one))
        try:
            bound = tool.bind(json.loads(text))
        except Refused as error:
            if not (self.violates and tool.remote):
                channel.end()
                why = places.clean(str(error))[:2000] or "the schema does not accept the arguments"
                return Made(tool.name, given, None, Outcome("refused", message=why))
            bound = json.loads(text)
        answer, outcome = channel.judged(
            lambda: tool.invoke(json.loads(text)) if agent else call(tool.function, bound), given, places
        )
        plain = plain_answer(answer)
        channel.end()
        if told := channel.told.take():
            outcome = replace(outcome, told=places.clean(told))
        return Made(tool.name, given, plain, outcome)
