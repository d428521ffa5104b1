"""Sends sequences of calls to all tools of a target: things are made, read, changed and deleted, in many orders.

Each sequence runs in a fresh child, with values that came from earlier answers. Hypothesis' rule-based machines would
draw and shrink likewise, but in one process; here a tool may end its process, and a finding is confirmed in another.
"""

from __future__ import annotations

import inspect
import itertools
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any, TypedDict

from planscope.toolfuzz.fuzzing import Found
from planscope.toolfuzz.host import Channel, Host
from planscope.toolfuzz.outcome import REFUSED, Outcome, Places
from planscope.toolfuzz.search import Search
from planscope.toolfuzz.shrink import Shrinker
from planscope.toolfuzz.stateful import (
    Knowledge,
    Made,
    Role,
    contradictions,
    is_absent,
    knowledge_from,
    learn,
    named,
    roles_of,
    with_hints,
    words_like_ids,
)
from planscope.toolfuzz.tools import Tool, call

if TYPE_CHECKING:
    from planscope.toolfuzz.mcp_tools import ServerHost


class Call(TypedDict):
    """A call of a sequence, as JSON has it."""

    tool: str
    arguments: dict[str, object]


LONGEST = 8
"""Limit of calls of a sequence in random order."""

SHRINK = 120
"""Limit of sequences for making one finding smaller."""

MOST_ENDED = 8
"""The search ends after this many sequences that hung or ended their process."""

MOST_KEPT = 5_000
"""Limit of bytes of an answer that is kept."""

MOST_LEARNED = 20
"""Limit of values that are learned from one answer."""

COUNTED = frozenset(("raised", "killed", "hung", "outside"))
_TEXTS = ("apple", "blue sky", "third draft", "Oslo", "n17")
_NUMBERS = (5, 7, 23, 42, 77, 99, 250, 1000)


@dataclass
class Played:
    """A sequence that was sent: the calls and their answers, the outcome of each, and of what ended it."""

    made: list[Made] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)

    def calls(self, last: int | None = None) -> list[Call]:
        made = self.made if last is None else self.made[: last + 1]
        return [{"tool": one.tool, "arguments": one.arguments} for one in made]


def plain_answer(answer: object) -> object:
    """Return an answer as JSON, cut to a size that can be kept."""
    if hasattr(answer, "tool_call_id") and hasattr(answer, "content"):
        answer = answer.content
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[0], str):
        answer = answer[0]
    try:
        if hasattr(answer, "model_dump"):
            answer = answer.model_dump(mode="json")
        text = json.dumps(answer, default=str)
        return json.loads(text) if len(text) <= MOST_KEPT else str(answer)[:MOST_KEPT]
    except Exception:  # a value that contains itself, or a broken method of the tool's own class
        return None


@dataclass
class Stage:
    """Where sequences are played. ``places``: which files are each tool's own. ``limit``: seconds of a call."""

    host: Host | ServerHost
    tools: Mapping[str, Tool]
    places: Mapping[str, Places]
    limit: float

    def play(self, next_call: Callable[[int, list[Made]], Call | None], limit: float | None = None) -> Played:
        """Send calls in a fresh child until ``next_call`` returns None. It gets the number of the call and those
        before."""
        played = Played()

        def job(channel: Channel) -> None:
            made: list[Made] = []
            for reset in {id(one.reset): one.reset for one in self.tools.values()}.values():
                if reset is not None:
                    reset()
            while (one := next_call(len(made), made)) is not None:
                done, outcome = self._call(channel, len(made), one)
                made.append(done)
                channel.send({"event": "made", "made": asdict(done), "outcome": asdict(outcome)})

        def heard(message: dict[str, Any]) -> None:
            if message["event"] == "made":
                played.made.append(Made(**message["made"]))
                played.outcomes.append(Outcome(**message["outcome"]))

        end = self.host.run(job, heard, lambda: limit or self.limit)
        if end.outcome is not None and end.text and len(played.made) == end.number:
            last = json.loads(end.text)
            played.made.append(Made(last["tool"], last["arguments"], None, end.outcome.kind))
            played.outcomes.append(end.outcome)
        return played

    def play_these(self, calls: list[Call], limit: float | None = None) -> Played:
        """Send these calls in a fresh child."""
        return self.play(lambda k, _: calls[k] if k < len(calls) else None, limit)

    def _call(self, channel: Channel, number: int, one: Call) -> tuple[Made, Outcome]:
        tool, given, places = self.tools[one["tool"]], one["arguments"], self.places[one["tool"]]
        channel.begin(number, json.dumps({"tool": tool.name, "arguments": given}))
        try:
            bound = tool.bind(json.loads(json.dumps(given)))
        except Exception:  # the schema, or a validator of the tool's own
            channel.end()
            return Made(tool.name, given, None, "refused"), REFUSED
        answer, outcome = channel.judged(lambda: call(tool, bound), given, places)
        channel.end()
        return Made(tool.name, given, plain_answer(answer), outcome.kind), outcome


@dataclass
class _Shown:
    """A finding of a sequence. ``shows`` tells whether another sequence has it too."""

    key: str
    tool: str
    found: Found
    shows: Callable[[Played], bool]


class Sequences:
    """The sequences of one target. ``searches`` and ``known``: what fuzzing each tool alone has taught and found."""

    def __init__(
        self,
        stage: Stage,
        job: Mapping[str, Any],
        send: Callable[[dict[str, Any]], None],
        searches: Mapping[str, Search],
        known: Mapping[str, set[str]],
    ) -> None:
        self.stage, self.tools = stage, stage.tools
        self.job, self._send = job, send
        self.searches, self.known = searches, known
        schemas = {name: one.schema for name, one in stage.tools.items()}
        pairs = job.get("reads") or (), job.get("writes") or ()
        self.roles = roles_of(schemas, *pairs)
        if any(one.hints for one in stage.tools.values()):
            hints = {
                name: one.hints for name, one in stage.tools.items() if name not in (*pairs[0], *pairs[1])
            }
            self.roles |= with_hints({n: self.roles[n] for n in hints}, schemas, hints)
        self._families = families(self.roles)
        self.sequences = self.calls = 0
        self._found: dict[str, _Shown] = {}
        self._forms: dict[str, str] = {}

    def keys(self, noun: str) -> set[str]:
        """Return the arguments by which the things of this noun are read."""
        return {name for r in self.roles.values() if r.what == "read" and r.noun == noun for name in r.needed}

    def run(self, count: int, seconds: float | None = None) -> None:
        """Send so many sequences, or for so long, and tell what they show."""
        began, ended = time.monotonic(), 0
        all_played: list[Played] = []
        for number in range(count):
            if ended >= MOST_ENDED or (seconds is not None and time.monotonic() - began >= seconds):
                break
            played = self.stage.play(_Drawer(self, number))
            self.sequences += 1
            ended += bool(played.made) and played.made[-1].kind in ("hung", "killed")
            all_played.append(played)
            self._errors(played)
            self.calls += len(played.made)
            self._progress()
        knows = learn([one.made for one in all_played], self.roles)
        start = 0
        for played in all_played:
            self._contradictions(played, knows, start)
            start += len(played.made)
        for one in list(self._found.values()):
            self._settle(one)
        self._progress()

    def _progress(self) -> None:
        self._send({
            "event": "sequences", "sequences": self.sequences, "calls": self.calls,
            "occurrences": {key: one.found.occurrences for key, one in self._found.items()},
        })  # fmt: skip

    def _errors(self, played: Played) -> None:
        for at, (one, outcome) in enumerate(zip(played.made, played.outcomes, strict=True)):
            if outcome.kind not in COUNTED:
                continue
            forms = [f"{one.tool}\x1f{form}" for form in (outcome.key, outcome.plain or outcome.key)]
            key = next((self._forms[form] for form in forms if form in self._forms), forms[0])
            self._forms.update(dict.fromkeys(forms, key))
            if {outcome.key, outcome.plain} & self.known.get(one.tool, set()):
                continue

            def shows(
                other: Played, tool: str = one.tool, key: str = outcome.key, plain: str = outcome.plain
            ) -> bool:
                return any(
                    made.tool == tool and got.shows(key, plain)
                    for made, got in zip(other.made, other.outcomes, strict=True)
                )

            self._note(key, one.tool, outcome, played.calls(at), self.calls + at + 1, shows, None)

    def _contradictions(self, played: Played, knows: Knowledge, start: int) -> None:
        for one in contradictions(played.made, self.roles, knows):
            location = _line_of(self.tools[one.tool], self.stage.places[one.tool])
            outcome = Outcome(one.kind, None, one.message, location, one.key, one.key)

            def shows(other: Played, key: str = one.key) -> bool:
                return any(key == c.key for c in contradictions(other.made, self.roles, knows))

            calls = played.calls(one.at)
            self._note(one.key, one.tool, outcome, calls, start + one.at + 1, shows, knows)

    def _note(
        self,
        key: str,
        tool: str,
        outcome: Outcome,
        calls: list[Call],
        at: int,
        shows: Callable[[Played], bool],
        knows: Knowledge | None,
    ) -> None:
        if key in self._found:
            self._found[key].found.occurrences += 1
            return
        told = None if knows is None else {**knows.as_data(), "roles": self._roles_as_data()}
        self._found[key] = _Shown(key, tool, Found(outcome, calls, at, knows=told), shows)
        self._tell(key)

    def _roles_as_data(self) -> dict[str, object]:
        return {
            name: [role.what, role.noun, list(role.needed), role.again] for name, role in self.roles.items()
        }

    def _tell(self, key: str) -> None:
        one = self._found[key]
        self._send({"event": "finding", "key": f"sequence\x1f{key}", "finding": one.found.as_data(one.tool)})

    def _settle(self, one: _Shown) -> None:
        """Confirm a finding with the same calls in a fresh child, and make them fewer and smaller. Else drop it."""
        found = one.found
        if not one.shows(self.stage.play_these(found.given)):
            del self._found[one.key]
            self._send({"event": "dropped", "key": f"sequence\x1f{one.key}", "tool": one.tool})
            return

        def fails(calls: object) -> bool:
            if not isinstance(calls, list) or not all(_is_call(c, self.tools) for c in calls):
                return False
            return one.shows(self.stage.play_these(calls, min(self.stage.limit, 0.5)))

        shrinker = Shrinker(found.given, fails, SHRINK)
        found.shrunk = shrinker.run()
        found.shrink_calls = shrinker.calls
        last = self.stage.play_these(found.shrunk)
        said = found.outcome
        if found.knows is None:
            for got in last.outcomes:
                if got.key == one.key.partition("\x1f")[2]:
                    said = replace(said, message=got.message, traceback=got.traceback, told=got.told)
        else:
            for told in contradictions(last.made, self.roles, knowledge_from(found.knows)):
                if told.key == one.key:
                    said = replace(said, message=told.message)
        found.outcome = said
        self._tell(one.key)


def _is_call(one: object, tools: Mapping[str, Tool]) -> bool:
    return (
        isinstance(one, dict)
        and set(one) == {"tool", "arguments"}
        and isinstance(one["tool"], str)
        and one["tool"] in tools
        and isinstance(one["arguments"], dict)
    )


def _line_of(tool: Tool, places: Places) -> str | None:
    """Return file and line of a tool's function, or None if a server has it."""
    if tool.remote:
        return None
    function: Any = inspect.unwrap(tool.functions[0] if tool.functions else tool.function)
    code = getattr(function, "__code__", None)
    return f"{places.name(code.co_filename)}:{code.co_firstlineno}" if code is not None else None


def families(roles: Mapping[str, Role]) -> list[tuple[str, str, str | None]]:
    """Return the tools that write, read and perhaps delete the same thing."""
    found: list[tuple[str, str, str | None]] = []
    for write, role in roles.items():
        if role.what != "write":
            continue
        for read, other in roles.items():
            if other.what == "read" and other.noun == role.noun:
                gone: list[str | None] = [
                    n for n, r in roles.items() if r.what == "delete" and r.noun == role.noun
                ]
                found += [(write, read, one) for one in gone or [None]]
    return found


class _Drawer:
    """Draws the calls of one sequence, knowing the answers so far."""

    def __init__(self, run: Sequences, number: int) -> None:
        self.run, self.number = run, number
        self.random = Random(f"{run.job['seed']}/sequence/{number}")
        self.pool: dict[str, list[Any]] = {}
        self._seen = 0
        for search in run.searches.values():
            search.begin(number)
        plan: list[str] = []
        if run._families and number % 3 < 2:
            write, read, gone = run._families[(number - number // 3) % len(run._families)]
            looks = [n for n, r in run.roles.items() if (r.what, r.noun) == ("look", run.roles[read].noun)]
            look = self.random.choice(looks) if looks else None
            parts = [read, write, look, read, write, look, read, gone, read, gone, read]
            plan = [name for name in parts if name is not None and self.random.random() < 0.85]
        self.plan = plan or [
            self.random.choice(list(run.tools)) for _ in range(self.random.randint(2, LONGEST))
        ]
        self.scenario = bool(plan)

    def __call__(self, k: int, made: list[Made]) -> Call | None:
        for one in made[self._seen :]:
            self._remember(one)
        self._seen = len(made)
        if k >= len(self.plan) or (made and made[-1].kind == "killed"):
            return None
        name = self.plan[k]
        return {"tool": name, "arguments": self._arguments(self.run.tools[name])}

    def _remember(self, one: Made) -> None:
        """Keep arguments and what an answer names, for later calls. What was made last is read first."""
        for name, value in one.arguments.items():
            if isinstance(value, str | int):
                self.pool.setdefault(name, []).append(value)
        role = self.run.roles[one.tool]
        keys = self.run.keys(role.noun)
        told = list(itertools.islice(named(one.answer), MOST_LEARNED))
        plain = [(key, v) for key, v in told if isinstance(v, str | int) and not isinstance(v, bool)]
        learned = [(key, v) for key, v in plain if key is not None]
        learned += [(f"{role.noun}_id", v) for key, v in learned if key == "id"]
        names_one = {"id", *keys} & {key for key, _ in told}  # then the answer says which value is the id
        if role.what in ("write", "look", "other") and not names_one and not is_absent(one):
            words = (word for _, v in plain for word in words_like_ids(str(v), one.arguments))
            learned += [(key, word) for word in itertools.islice(words, MOST_LEARNED) for key in keys]
        for key, v in learned:
            self.pool.setdefault(key, []).insert(0, v)

    def _arguments(self, tool: Tool) -> dict[str, object]:
        search, random = self.run.searches[tool.name], self.random
        given, _ = search.draw(len(self.pool) + 1_000)
        keys = self.run.keys(self.run.roles[tool.name].noun)
        for name, schema in (tool.schema.get("properties") or {}).items():
            if name in keys or not self.scenario:
                known = [v for one in self.pool.get(name, ()) if (v := _of_type(schema, one)) is not None]
                if known and random.random() < (0.9 if self.scenario else 0.6):
                    latest = self.scenario and random.random() < 0.9
                    given[name] = known[0] if latest else random.choice(known)
                elif name in given and name in keys:
                    given[name] = _plain(schema, given[name], random, f"{name}-{self.number}")
            elif name in given and random.random() < 0.8:
                given[name] = _plain(schema, given[name], random)
        return given


def _of_type(schema: object, value: str | int) -> str | int | None:
    """Return a value as the schema's type, an id of digits as the number or the text; None if it is of another type."""
    wanted = schema.get("type") if isinstance(schema, dict) else None
    if wanted == "string":
        return str(value)
    if wanted == "integer" and isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else None
    return value


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
