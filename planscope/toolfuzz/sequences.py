"""Sends sequences of calls to all tools of a target: things are made, read, changed and deleted, in many orders.

Each sequence runs in a fresh child, with values that came from earlier answers. Hypothesis' rule-based machines would
draw and shrink likewise, but in one process; here a tool may end its process, and a finding is confirmed in another.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from planscope.toolfuzz.accepts import fitting, properties
from planscope.toolfuzz.findings import Findings
from planscope.toolfuzz.fuzzing import Fuzzing
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.outcome import COUNTED, Call, Made, Outcome, Places, forms_of, keyed
from planscope.toolfuzz.programs import Stage
from planscope.toolfuzz.stateful import (
    Contradiction,
    Knowledge,
    Role,
    as_told,
    contradictions,
    keys_of,
    learn,
    roles_of,
    told_by,
    with_hints,
)
from planscope.toolfuzz.tools import Tool

LONGEST = 8
"""Limit of calls of a sequence in random order."""

MOST_ENDED = 8
"""The search ends after this many sequences that hung or ended their process."""

_TEXTS = ("apple", "blue sky", "third draft", "Oslo", "n17", "a text of some more words than the others have")
_NUMBERS = (5, 7, 23, 42, 77, 99, 250, 1000)


def roles_in(tools: Mapping[str, Tool], options: Options) -> dict[str, Role]:
    """Return the roles of tools: as the user says, by a server's hints, or by their names."""
    schemas = {name: one.schema for name, one in tools.items()}
    roles = roles_of(schemas, options.reads, options.writes)
    if any(one.hints for one in tools.values()):
        paired = (*options.reads, *options.writes)
        hints = {name: one.hints for name, one in tools.items() if name not in paired}
        roles |= with_hints({n: roles[n] for n in hints}, schemas, hints)
    return roles


class Sequences:
    """The sequences of one target. ``done``: the search of each tool alone, with what it has taught and found."""

    def __init__(
        self,
        stage: Stage,
        options: Options,
        send: Callable[..., None],
        done: Sequence[Fuzzing],
    ) -> None:
        self.stage, self.tools, self._send = stage, stage.tools, send
        self.seed, self.searches = options.seed, {one.tool.name: one.search for one in done}
        self.known = {form for one in done for form in one.findings.forms}
        self.roles = roles_in(stage.tools, options)
        self.families = families(self.roles)
        self.sequences = self.calls = 0
        self.played, self.answered = Counter[str](), Counter[str]()
        self.findings = Findings(stage, send, sequences=True)

    def run(self, count: int, seconds: float | None = None) -> None:
        """Send so many sequences, or for so long, and tell what they show."""
        began, ended = time.monotonic(), 0
        played: list[list[Made]] = []
        for number in range(count):
            if ended >= MOST_ENDED or (seconds is not None and time.monotonic() - began >= seconds):
                break
            made = self.stage.play(_Drawer(self, number))
            self.sequences += 1
            ended += bool(made) and made[-1].kind in ("hung", "killed")
            played.append(made)
            for at, one in enumerate(made, 1):
                self.played[one.tool] += 1
                self.answered[one.tool] += one.kind == "ok"
                new = self.known.isdisjoint(forms_of(one.tool, one.outcome, one.arguments))
                if one.kind in COUNTED and new:
                    self.findings.heard(one.outcome, calls_of(made[:at]), self.calls + at)
            self.calls += len(made)
            self._progress()
        knows = learn(played, self.roles)
        start = 0
        for made in played:
            for contradiction in contradictions(made, self.roles, knows):
                self._contradicted(contradiction, made, knows, start)
            start += len(made)
        for key in list(self.findings.found):
            self.findings.settle(key)
        self._progress()

    def _progress(self) -> None:
        counts = self.findings.counts()
        tools = {name: (played, self.answered[name]) for name, played in self.played.items()}
        self._send("sequences", sequences=self.sequences, calls=self.calls, occurrences=counts, tools=tools)

    def _contradicted(self, one: Contradiction, made: Sequence[Made], knows: Knowledge, start: int) -> None:
        location = _line_of(self.tools[one.tool], self.stage.places(one.tool))

        def outcome_of(told: Contradiction) -> Outcome:
            return Outcome(one.kind, None, told.message, location, **keyed(one.kind, None, location, one.key))

        def shows(other: Sequence[Made]) -> Outcome | None:
            several = contradictions(other, self.roles, knows)
            return next((outcome_of(told) for told in several if told.key == one.key), None)

        calls, told = calls_of(made[: one.at + 1]), as_told(self.roles, knows)
        self.findings.heard(
            outcome_of(one), calls, start + one.at + 1, tool=one.tool, shows=shows, knows=told
        )


def calls_of(made: Sequence[Made]) -> list[Call]:
    return [{"tool": one.tool, "arguments": one.arguments} for one in made]


def _line_of(tool: Tool, places: Places) -> str | None:
    """Return file and line of a tool's function, or None if a server has it."""
    code = None if tool.remote else getattr(tool.plain, "__code__", None)
    return f"{places.name(code.co_filename)}:{code.co_firstlineno}" if code is not None else None


def families(roles: Mapping[str, Role]) -> list[tuple[str, str, str | None]]:
    """Return the tools that write, read and perhaps delete the same thing."""

    def named(what: str, noun: str) -> list[str]:
        return [name for name, role in roles.items() if (role.what, role.noun) == (what, noun)]

    return [
        (write, read, gone)
        for write, role in roles.items()
        if role.what == "write"
        for read in named("read", role.noun)
        for gone in (*named("delete", role.noun),) or (None,)
    ]


class _Drawer:
    """Draws the calls of one sequence, knowing the answers so far."""

    def __init__(self, run: Sequences, number: int) -> None:
        self.run, self.number = run, number
        self.random = Random(f"{run.seed}/sequence/{number}")
        self.pool: dict[str, list[str | float]] = {}
        self._seen = 0
        for search in run.searches.values():
            search.begin(number)
        plan: list[str] = []
        if run.families and number % 3 < 2:
            write, read, gone = run.families[(number - number // 3) % len(run.families)]
            noun = run.roles[read].noun
            looks, writes = (
                [n for n, r in run.roles.items() if (r.what, r.noun) == (what, noun)]
                for what in ("look", "write")
            )
            look = self.random.choice(looks) if looks else None
            taken = {
                name: keys_of(run.roles, noun) & properties(run.tools[name].schema).keys() for name in writes
            }
            # What changes a thing needs one.
            makers = [name for name in writes if taken[write] and not taken[name]]
            parts = [*makers[:1], read, write, look, read, write, look, read, gone, read, gone, read]
            plan = [name for name in parts if name is not None and self.random.random() < 0.85]
        self.plan = plan or [
            self.random.choice(list(run.tools)) for _ in range(self.random.randint(2, LONGEST))
        ]
        self.scenario = bool(plan)

    def __call__(self, made: Sequence[Made]) -> Call | None:
        for one in made[self._seen :]:
            self._remember(one)
        self._seen = len(made)
        if len(made) >= len(self.plan) or (made and made[-1].kind == "killed"):
            return None
        name = self.plan[len(made)]
        return {"tool": name, "arguments": self._arguments(self.run.tools[name])}

    def _remember(self, one: Made) -> None:
        """Keep arguments and what an answer names, for later calls. What was made last is read first."""
        for name, value in one.arguments.items():
            if isinstance(value, str | int):
                self.pool.setdefault(name, []).append(value)
        for name, told in told_by(one, self.run.roles):
            self.pool.setdefault(name, []).insert(0, told)

    def _arguments(self, tool: Tool) -> dict[str, object]:
        search, random = self.run.searches[tool.name], self.random
        given, _ = search.draw(len(self.pool) + 1_000)
        keys = keys_of(self.run.roles, self.run.roles[tool.name].noun)
        for name, schema in properties(tool.schema).items():
            if name in keys or not self.scenario:
                known = fitting(self.pool.get(name, ()), schema, tool.schema)
                if known and random.random() < (0.9 if self.scenario else 0.6):
                    latest = self.scenario and random.random() < 0.9
                    given[name] = known[0] if latest else random.choice(known)
                elif name in given and name in keys:
                    given[name] = _plain(schema, given[name], random, f"{name}-{self.number}")
            elif name in given and random.random() < 0.8:
                given[name] = _plain(schema, given[name], random)
        return given


_FREE = frozenset(("type", "title", "description", "default"))


def _plain(schema: object, drawn: object, random: Random, text: str = "") -> object:
    """Return a plain value of a schema without limits, or else the drawn one."""
    if not isinstance(schema, dict) or not set(schema) <= _FREE:
        return drawn
    if schema.get("type") == "string":
        return text or random.choice(_TEXTS)
    if schema.get("type") == "integer":
        return random.choice(_NUMBERS)
    if schema.get("type") == "number":
        return float(random.choice(_NUMBERS))
    return drawn
