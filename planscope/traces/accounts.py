"""Accounts for every call of a file: finds whatever looks like one by a walk over the raw JSON that knows no format,
and lists what is not among the calls of a trace.

``Source`` and ``Cursor`` walk each value that a reader takes from them, or skips. What was found since the last trace
belongs to the next one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Literal, NamedTuple

from planscope.oracle.trace import DAMAGED, MAY_HOLD, LeftOut, Said, ToolCall, Trace
from planscope.traces.json_stream import parsed
from planscope.traces.values import arguments_of, compact, name, obj, seq, text

STRONG_NAMES = ("tool", "tool_name", "toolName", "function_name", "functionName", "function")
NAMES = (*STRONG_NAMES, "name", "action", "action_name", "api_name")
"""Keys that may have the name of a tool. The strong ones have nothing else."""
STRONG_ARGUMENTS = ("arguments", "args", "tool_input", "toolInput", "kwargs", "action_input", "actionInput",
                    "tool_args", "toolArgs", "tool_arguments", "function_args")  # fmt: skip
ARGUMENTS = (*STRONG_ARGUMENTS, "input", "parameters", "params", "inputs")
QUOTES = (
    "tool_call_id",
    "toolCallId",
    "tool_use_id",
    "toolUseId",
    "call_id",
    "callId",
    "source_call_id",
    "tool_id",
)
"""Keys by which an answer quotes the id of its call."""
ANSWERS = (
    "answer",
    "result",
    "output",
    "outputs",
    "response",
    "content",
    "observation",
    "observations",
    "results",
)
KINDS = ("type", "kind", "part_kind", "run_type", "span_type", "event", "state", "status")
"""Keys whose text may say that an object is a call, or which of several records of one call it is."""
MOST_WITHOUT = 100
"""Limit of records whose texts are looked at if a trace has no call."""
MOST_KNOWN, MOST_KEYS = 10_000, 50
"""Limit of lists of keys that are remembered, and of their length."""
LONGEST_TEXT = 2**20
MOST_LISTED = 50

_CALL = re.compile(r"tool|function|(?:^|[_.-])call|^action", re.IGNORECASE)
_NO_CALL = re.compile(r"result|return|response$|_output$", re.IGNORECASE)
_TOOL_NAME = re.compile(r"(?:^|[._])tool(?:Call)?[._]?name$", re.IGNORECASE)
_JSON = re.compile(r'"(?:arguments|args|tool_calls?|tool_input|action_input|parameters|input)"\s*:')
IN_TEXT = re.compile(
    r"^\s*Action\s*:.*\n+\s*Action Input\s*:|<tool_call>|<function_calls?>|<function=|<invoke name=|<tool_code>"
    r"|```(?:bash|sh|shell|tool_code|mswea_bash_command)\s*\n|```json\s*\{\s*\"(?:tool|action|name)\"",
    re.MULTILINE,
)
"""Text in which a model without calls of its own writes them."""
GOLD = "a gold plan"
"""Why calls are not of the run that a benchmark expects of it."""
_NESTED = (dict, list)
_GIVEN = frozenset((*ARGUMENTS, "function"))
_SPAN = frozenset(("run_type", "trace_id", "traceId"))
_INDEX = re.compile(r"\d+")
Link = object
Kind = Literal["not of this run", "not understood"]
"""The place of a value: the link of the value around it and its own key, or text."""


class Seen(NamedTuple):
    """Something that looks like a call, or (``answers``) an answer that quotes its id.

    ``inside``: what it is inside of, if that is text to an agent: arguments or an answer.
    """

    link: Link
    tool: str
    id: str
    given: object
    kind: str
    inside: str = ""
    answers: bool = False


class Ledger:
    """What looks like a call in the records that were read since the last trace."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.without: list[tuple[object, Link]] = []
        """Records in which nothing looks like a call. If a trace has no call, it may be in their texts."""
        self.walked = False

    def walk(self, value: object, link: Link) -> None:
        """Note whatever looks like a call in a value."""
        self.walked = True
        found: list[Seen] = []
        stack: list[tuple[object, Link, str]] = [(value, link, "")]
        while stack:
            at, place, inside = stack.pop()
            if type(at) is list:
                stack += [(one, (place, k), inside) for k, one in enumerate(at) if type(one) in _NESTED]
                continue
            if type(at) is not dict:
                continue
            here = _here(at)
            seen = None if here is None else _seen_in(at, here, place, inside)
            inner = [(key, one) for key, one in at.items() if type(one) in _NESTED and one]
            if seen is None:
                stack += [(one, (place, key), inside) for key, one in inner]
                continue
            found.append(seen)
            for key, one in inner:
                if seen.answers or key not in _GIVEN:
                    within = "text inside an answer" if key in ANSWERS else ""
                    stack.append((one, (place, key), inside or within))
        if found:
            found.reverse()
            self.seen += found
        else:
            self.unread(value, link)

    def unread(self, value: object, link: Link) -> None:
        """Note a record in which nothing looks like a call."""
        if len(self.without) < MOST_WITHOUT:
            self.without.append((value, link))

    def _walk_texts(self) -> None:
        """Walk the JSON in texts of the records that have nothing else."""
        stack, self.without = self.without[::-1], []
        while stack:
            at, place = stack.pop()
            if type(at) is dict:
                stack += [(one, (place, key)) for key, one in at.items()]
            elif type(at) is list:
                stack += [(one, (place, k)) for k, one in enumerate(at)]
            elif type(at) is str and at[:1] in ("[", "{") and len(at) < LONGEST_TEXT and _JSON.search(at):
                with suppress(ValueError):
                    self.walk(parsed(at), place)

    def take(self, *keys: str | int) -> list[Seen]:
        """Return what was found, which does not belong to the next trace. ``keys``: only that below these keys."""
        seen, self.seen = self.seen, []
        if keys:
            self.seen = [one for one in seen if not _is_below(one.link, keys)]
            seen = [one for one in seen if _is_below(one.link, keys)]
        return seen

    def settle(self, trace: Trace, aside: Mapping[str, str]) -> None:
        """List in the trace what was found and is not among its calls. ``aside``: reasons by the keys under which
        nothing is of the run."""
        calls = trace.calls
        if not calls and not self.seen:
            self._walk_texts()
        self.without = []
        seen = self.take()
        if seen and _in_order(seen, calls) and not trace.branches:
            return
        if seen or (trace.branches and _is_new(trace)) or not calls:
            _Account(trace, seen, aside).close()


def _is_new(trace: Trace) -> bool:
    """Return whether a trace lists nothing yet but what is damaged."""
    return all(one.reason == DAMAGED for one in trace.left_out)


def _in_order(seen: list[Seen], calls: list[ToolCall]) -> bool:
    """Return whether what was found are calls of the trace in their order, and their answers: nearly always."""
    ids: set[str] = set()
    asked = iter(calls)
    for one in seen:
        if one.answers:
            if one.id not in ids:
                return False
            continue
        call = next(asked, None)
        if call is None or not one.id or call.call_id != one.id or call.tool != one.tool or one.inside:
            return False
        ids.add(one.id)
    return True


class _Keys(NamedTuple):
    """The keys of objects with the same keys that may matter; ``answers`` and ``span``: it may be one; ``wraps``: the
    name and the arguments may be in its member ``function``."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    quotes: tuple[str, ...]
    arguments: tuple[str, ...]
    answers: bool
    span: bool
    wraps: bool


_known: dict[tuple[str, ...], _Keys | None] = {}


def _keys_of(keys: tuple[str, ...]) -> _Keys | None:
    """Return the keys that matter, or None if an object with these keys looks like nothing."""
    have = frozenset(keys)
    made = _Keys(
        tuple(key for key in NAMES if key in have),
        tuple(key for key in KINDS if key in have),
        tuple(key for key in QUOTES if key in have),
        tuple(key for key in ARGUMENTS if key in have),
        "error" in have or not have.isdisjoint(ANSWERS),
        "attributes" in have or "tags" in have,
        "function" in have,
    )
    asked = made.arguments and (made.names or made.quotes)
    found = made if made.wraps or asked or (made.quotes and made.answers) or made.span else None
    if len(keys) <= MOST_KEYS:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[keys] = found
    return found


def _here(at: dict[str, object]) -> _Keys | None:
    """Return the keys of an object that matter."""
    keys = tuple(at)
    return _known[keys] if keys in _known else _keys_of(keys)


def seen_in(at: dict[str, object]) -> Seen | None:
    """Return the call or the answer that an object looks like, or None."""
    here = _here(at)
    return None if here is None else _seen_in(at, here, "", "")


def is_no_call(at: dict[str, object]) -> bool:
    """Return whether an object cannot look like a call, by its keys."""
    here = _here(at)
    return here is None or not (here.arguments or here.span)


@lru_cache(1000)
def _hint(kind: str) -> bool | None:
    """Return whether this kind of object is a call: True if its name says so, False if it says the opposite."""
    if _CALL.search(kind) is None:
        return None
    return _NO_CALL.search(kind) is None


def _seen_in(at: dict[str, object], keys: _Keys, link: Link, inside: str) -> Seen | None:
    """Return what an object looks like."""
    id = next((found for key in keys.quotes if (found := name(at[key]))), "")
    if keys.wraps and type(at["function"]) is dict:
        inner = at["function"]
        of = _here(inner)
        made = _call_in(inner, of, id, link, inside) if of is not None and of.arguments else None
        if made is not None:
            return made._replace(id=id or name(at.get("id")))
    seen = _call_in(at, keys, id, link, inside) if keys.arguments else None
    if seen is None and id and keys.answers:
        return Seen(link, name(at.get("name")), id, None, "", inside, True)
    if seen is None and keys.span:
        return _span_in(at, link, inside)
    return seen


def _call_in(at: dict[str, object], keys: _Keys, id: str, link: Link, inside: str) -> Seen | None:
    """Return the call that an object looks like: a name with arguments, or arguments with an id that answers quote."""
    named = next((key for key in keys.names if text(at[key])), "")
    strong = named in STRONG_NAMES
    tool = text(at[named]).removeprefix("" if strong else "running tool: ") if named else ""  # pydantic-ai
    kind = next((kind for key in keys.kinds if type(kind := at[key]) is str), "")
    hint = _hint(kind) if kind else None
    if hint is False or not (tool or (id and hint)):
        return None
    sure = bool(strong or hint or id)
    for key in keys.arguments:
        given = at[key]
        if not sure and key not in STRONG_ARGUMENTS:
            continue
        if type(given) is dict and (is_schema(given) or (not given and "description" in at and not id)):
            return None
        if _may_be_given(given, strong, sure, bool(id or hint)):
            # a span's id is no call's
            own = id or ("" if not _SPAN.isdisjoint(at) else name(at.get("id")))
            return Seen(link, tool or kind, own, given, kind, inside)
    return None


def _may_be_given(given: object, strong: bool, sure: bool, told: bool) -> bool:
    """Return whether a value may be a call's arguments. ``told``: an id or the object's kind says that it is a call."""
    if type(given) is str:
        return sure or given[:1] == "{"
    return strong if type(given) is list else type(given) is dict or (given is None and told)


def is_schema(given: dict[str, object]) -> bool:
    """Return whether an object is the JSON schema of arguments."""
    if type(given.get("properties")) is dict or "$schema" in given:
        return True
    return bool(given) and all(
        type(one) is dict and ("type" in one or "anyOf" in one) for one in given.values()
    )


def _span_in(at: dict[str, object], link: Link, inside: str) -> Seen | None:
    """Return the call that a span is, by attributes whose names end in ``tool.name`` and the like."""
    given = at.get("attributes", at.get("tags"))
    pairs = [*obj(given).items(), *((name(obj(p).get("key")), obj(p).get("value")) for p in seq(given))]
    for key, value in pairs:
        if _TOOL_NAME.search(key) is not None:
            value = value.get("stringValue") if type(value) is dict else value
            if type(value) is str and value:
                return Seen(link, value, "", None, "span", inside)
    return None


def path_of(link: Link) -> str:
    """Return the path of a place, such as ``line 3: message.content[0]``."""
    parts: list[str] = []
    while type(link) is tuple:
        link, key = link
        parts.append(f"[{key}]" if type(key) is int else f".{key}")
    path, below = str(link), "".join(reversed(parts))
    if path.startswith("line ") and below:
        return f"{path}: {below.removeprefix('.')}"
    return (path + below).removeprefix(".")


def _is_below(link: Link, keys: tuple[str | int, ...]) -> bool:
    found: list[str | int] = []
    while type(link) is tuple:
        link, key = link
        found.append(key)
    return tuple(reversed(found[-len(keys) :])) == keys


def written(seen: Seen) -> list[object]:
    """Return it as JSON, which ``Seen(*...)`` reads."""
    return [path_of(seen.link), *seen[1:]]


class _Account:
    """Compares what was found with the calls of one trace."""

    def __init__(self, trace: Trace, seen: list[Seen], aside: Mapping[str, str]) -> None:
        self.trace, self.seen, self.aside = trace, seen, aside
        rewound = [one for b in trace.branches for one in b.items if isinstance(one, ToolCall)]
        self.gone = {call.call_id for call in rewound}
        self.calls = [*rewound, *trace.calls]
        self.by_id = {call.call_id: call for call in self.calls if call.call_id is not None}
        self.ids = Counter(call.call_id for call in self.calls)
        self.asked = {one.id for one in seen if one.id and not one.answers}
        self.told: Counter[str] = Counter()
        """How often each call of the trace was found."""
        self.listed: dict[tuple[Kind, str], tuple[Link, int]] = {}
        self.gold = ""
        """The shape of the paths of the gold plan."""
        self.rewound = len(rewound)
        self.first_rewound: Link = ""

    def close(self) -> None:
        """List what is left."""
        rest = [one for one in self.seen if not self._placed(one)]
        if rest:
            self._compare(rest)
        new = _is_new(self.trace)
        if self.rewound and new:
            self._list("not of this run", "rewound", self.first_rewound, self.rewound)
        if not self.trace.calls and not rest and new:
            self._look_into_words()
        self.trace.left_out += [
            LeftOut(kind, reason, path_of(link), count)
            for (kind, reason), (link, count) in self.listed.items()
        ]

    def _placed(self, one: Seen) -> bool:
        """Return whether an id or a place says what this is, and list what is not of the run."""
        why = one.inside or self._aside(one.link)
        kept = self.by_id.get(one.id) if one.id else None
        if kept is not None and (kept.tool == one.tool or one.answers):
            if one.answers:
                return True
            self.told[one.id] += 1
            if one.id in self.gone:
                self.first_rewound = self.first_rewound or one.link
            if self.ids[one.id] > 1 and not why:
                return False  # ids that are used again do not tell calls apart
            if self.told[one.id] > 1:
                self._list("not of this run", why or "a copy of a call that is kept", one.link)
        elif why:
            self._list("not of this run", why, one.link)
            if why == GOLD and not one.answers:
                self._expect(one)
        elif not one.answers:
            return False
        elif one.id not in self.asked:
            self._list("not understood", "an answer without its call", one.link)
        return True

    def _expect(self, one: Seen) -> None:
        """Add a call to the gold plan. The first list is taken, since plans are told again; that of all tasks of a file
        is no run's own."""
        shape = _INDEX.sub("", path_of(one.link))
        if shape.startswith("tasks["):
            return
        self.gold = self.gold or shape
        if shape == self.gold:
            self.trace.expected.append(ToolCall(one.tool, arguments_of(one.given)[0]))

    def _aside(self, link: Link) -> str:
        keys = re.split(r"[.\[\]: ]+", path_of(link)) if self.aside else ()
        return next((self.aside[key] for key in keys if key in self.aside), "")

    def _list(self, kind: Kind, reason: str, link: Link, count: int = 1) -> None:
        first, before = self.listed.get((kind, reason), (link, 0))
        if before or len(self.listed) < MOST_LISTED:
            self.listed[kind, reason] = first, before + count

    def _compare(self, rest: list[Seen]) -> None:
        """List those that no call equals in tool and arguments. In each shape of path as many are accounted for as
        there are equal calls: the same call may be told in several shapes."""
        known = set(self.by_id)
        shapes: dict[tuple[str, str], dict[object, Seen]] = {}
        for k, one in enumerate(rest):
            shape = _INDEX.sub("", path_of(one.link)), one.kind
            told = shapes.setdefault(shape, {})
            told.setdefault(
                (one.id, one.tool, _key(one.given)) if one.id and self.ids[one.id] < 2 else k, one
            )
        excused = [((call.tool, _key(call.arguments)), why) for why, call in self.trace.excused]
        ids = {call.call_id: why for why, call in self.trace.excused if call.call_id}
        # what has an id that no call has may be one of those whose id was not found
        pools = _Pool(self.calls), _Pool([call for call in self.calls if call.call_id not in self.asked])
        for told in shapes.values():
            every, others = pools[0].copy(), pools[1].copy()
            gone = dict(excused)
            left: list[tuple[Seen, _Pool]] = []
            for one in told.values():
                pool = others if one.id and one.id not in known else every
                if not pool.take(one):
                    left.append((one, pool))
            for one, pool in left:
                same = self.by_id.get(one.id) if one.id in known and self.ids[one.id] < 2 else None
                if same is not None and (one.tool == same.tool or _key(one.given) == _key(same.arguments)):
                    continue
                why = ids.get(one.id) or gone.get((one.tool, _key(one.given)))
                if pool.take_alike(one):
                    continue
                if why is not None:
                    self._list("not of this run", why, one.link)
                else:
                    self._list(
                        "not understood", f"it looks like a call of {one.tool[:80] or 'a tool'}", one.link
                    )

    def _look_into_words(self) -> None:
        for item in self.trace.items:
            if isinstance(item, Said) and item.by == "model" and IN_TEXT.search(item.text) is not None:
                self._list("not understood", f"the model's text {MAY_HOLD}", f"message {item.message + 1}")


class _Pool:
    """Calls that are not accounted for yet, by tool and arguments."""

    def __init__(self, calls: list[ToolCall]) -> None:
        self.exact = Counter((call.tool, _key(call.arguments)) for call in calls)
        self.tools = Counter(call.tool for call in calls)
        self.given = Counter(_key(call.arguments) for call in calls if call.arguments)

    def copy(self) -> _Pool:
        made = _Pool([])
        made.exact, made.tools, made.given = self.exact.copy(), self.tools.copy(), self.given.copy()
        return made

    def take(self, one: Seen) -> bool:
        """Take an equal call. Return whether there is one."""
        key = _key(one.given)
        if self.exact[one.tool, key] <= 0:
            return False
        self.exact[one.tool, key] -= 1
        self.tools[one.tool] -= 1
        self.given[key] -= 1
        return True

    def take_alike(self, one: Seen) -> bool:
        """Take a call whose tool the reader names otherwise, or that was told with less, or wrapped."""
        key = _key(one.given)
        if key != _NOTHING and self.given[key] > 0:
            self.given[key] -= 1
            return True
        if self.tools[one.tool] > 0:
            self.tools[one.tool] -= 1
            return True
        return False


_NOTHING = ""


def _key(given: object) -> str:
    """Return a key for arguments that is equal if they are."""
    if not given:
        return _NOTHING
    found = given if type(given) is dict else arguments_of(given)[0]
    if found is None:
        return compact(given)
    return compact(dict(sorted((str(key), value) for key, value in found.items())))
