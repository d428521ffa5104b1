"""What the answers of a sequence of calls say about each other: reads that succeed after a delete, and lies.

Tools get roles by their names (``create_note`` writes a note, ``get_note`` reads it). Everything here is a pure
function of calls and answers, so it judges recorded calls as it judges fuzzed ones.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, NamedTuple

from planscope.toolfuzz.accepts import properties, required
from planscope.toolfuzz.outcome import Made

What = Literal["read", "look", "write", "delete", "other"]
_VERBS: dict[str, What] = {
    **dict.fromkeys("get read fetch load show view retrieve lookup".split(), "read"),
    **dict.fromkeys("list search find count query check describe calculate".split(), "look"),
    **dict.fromkeys("create add set put write save store insert update edit register".split(), "write"),
    **dict.fromkeys("delete remove drop erase".split(), "delete"),
}
_SMALL_WORDS = frozenset("a an the to from in of by new value data".split())


class Role(NamedTuple):
    """What a tool does with which thing. ``needed``: the arguments that it cannot do without; ``again``: the server
    says that doing it twice is as good as once."""

    what: What
    noun: str = ""
    needed: tuple[str, ...] = ()
    again: bool = False


@dataclass
class Knowledge:
    """What sequences have shown of the tools.

    ``tells_missing``: reads that answer otherwise if a thing is not there. ``shows``: writes, reads and arguments for
    which the read has the written value in its answer.
    """

    tells_missing: set[str] = field(default_factory=set)
    shows: set[tuple[str, str, str]] = field(default_factory=set)


def as_told(roles: Mapping[str, Role], knows: Knowledge) -> dict[str, object]:
    """Return what judges answers, as a finding keeps it."""
    return {
        "tells_missing": sorted(knows.tells_missing),
        "shows": [list(one) for one in sorted(knows.shows)],
        "roles": {name: [one.what, one.noun, list(one.needed), one.again] for name, one in roles.items()},
    }


def from_told(data: Mapping[str, Any]) -> tuple[dict[str, Role], Knowledge]:
    """Return roles and knowledge of :func:`as_told`."""
    roles = {
        name: Role(what, noun, tuple(needed), *again)
        for name, (what, noun, needed, *again) in data["roles"].items()
    }
    return roles, Knowledge(set(data["tells_missing"]), {(w, r, name) for w, r, name in data["shows"]})


class Contradiction(NamedTuple):
    """Answers that cannot all be true. ``kind`` is ``sequence`` or ``lying``; ``tool`` is to blame; ``at``: the index
    of the call that shows it; ``key``: the same for contradictions of the same sort."""

    kind: str
    tool: str
    message: str
    at: int
    key: str


def role_of(name: str, schema: Mapping[str, object]) -> Role:
    """Return a tool's role by its name. A tool without a known verb is ``other``, which may change anything."""
    words = words_of(name)
    at = next((k for k, word in enumerate(words) if word in _VERBS), None)
    needed = tuple(sorted(required(schema)))
    if at is None:
        return Role("other", "", needed)
    noun = [re.sub(r"(?<=[^s])s$", "", w) for w in words[:at] + words[at + 1 :] if w not in _SMALL_WORDS]
    return Role(_VERBS[words[at]], " ".join(noun), needed)


def roles_of(
    schemas: Mapping[str, Mapping[str, object]], reads: Sequence[str] = (), writes: Sequence[str] = ()
) -> dict[str, Role]:
    """Return the roles of tools by name. ``reads`` and ``writes`` are pairs that the user named."""
    roles = {name: role_of(name, schema) for name, schema in schemas.items()}
    for number, (read, write) in enumerate(zip(reads, writes, strict=True)):
        noun = f"pair {number}"
        roles[read] = Role("read", noun, roles[read].needed)
        roles[write] = Role("write", noun, roles[write].needed)
    return roles


def with_hints(
    roles: Mapping[str, Role],
    schemas: Mapping[str, Mapping[str, object]],
    hints: Mapping[str, Mapping[str, object]],
) -> dict[str, Role]:
    """Return roles with what a server's readOnlyHint, destructiveHint and idempotentHint say of its tools.

    A tool without a known verb reads if the server says that it only reads, and writes or deletes if it says that it
    changes something. It belongs to a tool whose thing its name has, or to one with the same first word and the same
    key; if it takes more than the key it writes. A tool that only reads changes nothing, whatever its name says.
    """
    found = dict(roles)
    for name, told in hints.items():
        if told.get("readOnlyHint") is True and roles[name].what in ("write", "delete", "other"):
            found[name] = Role("look", "", roles[name].needed)
    reads = [n for n, told in hints.items() if told.get("readOnlyHint") is True and found[n].needed]
    reads = [n for n in reads if roles[n].what in ("read", "other")]
    for name, told in hints.items():
        if found[name].what != "other" or not (
            told.get("readOnlyHint") is False or "destructiveHint" in told
        ):
            continue
        needed = found[name].needed
        for read in reads:
            noun, keys = roles[read].noun or words_of(read)[0], found[read].needed
            if set(keys) <= set(needed) and set(noun.split()) <= set(words_of(name)):
                more = set(properties(schemas[name])) - set(keys)
                adds = more or told.get("destructiveHint") is False
                found[name] = Role("write" if adds else "delete", noun, needed)
                found[read] = Role("read", noun, keys)
                break
    return {
        name: role._replace(again=hints.get(name, {}).get("idempotentHint") is True)
        for name, role in found.items()
    }


def words_of(name: str) -> list[str]:
    """Return the words of a name in small letters, as ``order`` and ``id`` of ``orderId``."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)] or [""]


# --- answers ---

_ABSENT = re.compile(
    r"\b(no|not|unknown|missing|nothing|none|null|empty|error|fail\w*|invalid|cannot|can't|doesn't|unable|"
    r"already|denied|refused|does not|could not)\b",
    re.IGNORECASE,
)
_PLAIN_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.-]{0,38}[A-Za-z0-9]|[A-Za-z0-9]")
_PLAIN_TEXT = re.compile(r"[ -~]{0,300}")


_ID = re.compile(r"(?<![\w.-])(?=[\w-]*\d)\w[\w-]{0,63}(?![\w-])", re.ASCII)
_ONE_WORD = re.compile(r"\w[\w-]{0,63}", re.ASCII)
_SAYS = ("status", "message", "detail", "result", "reason")
_TRUE_IF_DONE = ("found", "exists", "ok", "success", "created", "deleted", "updated")


def is_absent(one: Made) -> bool:
    """Return whether an answer says that there is nothing, or that the call failed."""
    answer = one.answer
    if one.kind != "ok" or answer is None or answer is False or answer in ("", [], {}):
        return True
    if isinstance(answer, str) and answer[:1] == "{":
        with suppress(ValueError, RecursionError):
            answer = json.loads(answer)
    if isinstance(answer, dict):
        if answer.get("error") or any(answer.get(name) is False for name in _TRUE_IF_DONE):
            return True
        said = [answer[name] for name in _SAYS if isinstance(answer.get(name), str)]
        empty = all(value in (None, "", [], {}) for value in answer.values())
        return empty or any(_says_absent(text, one.arguments) for text in said)
    return isinstance(answer, str) and _says_absent(answer, one.arguments)


def _says_absent(text: str, arguments: Mapping[str, object]) -> bool:
    return len(text) < 400 and _ABSENT.search(_without(text, arguments)) is not None


def _without(text: str, arguments: Mapping[str, object]) -> str:
    """Return an answer without the arguments of its own call, which prove nothing."""
    for value in arguments.values():
        if isinstance(value, str) and len(value) > 1:
            text = text.replace(value, "")
    return text


def _is_plain(value: object) -> bool:
    """Return whether a value is one that no tool has a reason to change."""
    if isinstance(value, str):
        has_word = _PLAIN_TEXT.fullmatch(value) is not None and any(c.isalnum() for c in value)
        return has_word and _ABSENT.search(value) is None
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float) and math.isfinite(value) and abs(value) < 1e9


def _is_plain_key(key: Key) -> bool:
    return all(
        (isinstance(v, str) and _PLAIN_KEY.fullmatch(v) and not _ABSENT.search(v))
        or (isinstance(v, int) and not isinstance(v, bool))
        for v in key
    )


def _form(text: str) -> str:
    return " ".join(text.split()).casefold()


def named(answer: object) -> Iterator[tuple[str | None, object]]:
    """Yield each text, number, truth value and null of an answer with its name, None where it has none, the outer ones
    first. A text that is an object or a list of JSON is what it says; a value of a list has the list's name."""
    todo: deque[tuple[str | None, object]] = deque([(None, answer)])
    while todo:
        name, value = todo.popleft()
        if isinstance(value, str) and value[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        if isinstance(value, dict):
            todo.extend(value.items())
        elif isinstance(value, list):
            todo.extend((name, one) for one in value)
        else:
            yield name, value


def words_like_ids(text: str, arguments: Mapping[str, object]) -> list[str]:
    """Return the words of an answer that may be ids, the likeliest last: plain numbers, then words with a digit, or the
    text if it is one word. The call's own arguments are left out."""
    words = [one for one in _ID.findall(text) if one not in map(str, arguments.values())]
    return sorted(words, key=lambda one: not one.isdigit()) or [text] * bool(_ONE_WORD.fullmatch(text))


MOST_OF_AN_ANSWER = 60


def told_by(one: Made, roles: Mapping[str, Role]) -> Iterator[tuple[str, str | float]]:
    """Yield the values that an answer tells, each with the name of an argument, or of a thing, that it may be for.

    What has no name is of the thing that the tool is about; its words that look like ids come last.
    """
    role = roles[one.tool]
    noun, keys = role.noun.rpartition(" ")[2], keys_of(roles, role.noun)
    told = list(islice(named(one.answer), MOST_OF_AN_ANSWER)) if one.kind == "ok" else []
    # The answer says which value is the id, or the call has said it.
    says = {"id", *keys} & {name for name, _ in told} or keys & one.arguments.keys() or is_absent(one)
    for name, value in told:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        if name is not None:
            yield name, value
        if name in ("id", "name"):
            yield from ((one, value) for one in (noun, f"{noun}_id")[: 1 + (name == "id")])
        if not says:
            lines = str(value).splitlines() if name is None else []
            yield from ((noun, line.strip()) for line in lines if 0 < len(line) <= 80)
            yield from (
                (key, word) for word in words_like_ids(str(value), one.arguments) for key in (noun, *keys)
            )


def keys_of(roles: Mapping[str, Role], noun: str) -> set[str]:
    """Return the arguments by which the things of this noun are read."""
    return {name for r in roles.values() if r.what == "read" and r.noun == noun for name in r.needed}


def id_in(answer: object, name: str) -> object:
    """Return the id that an answer gives a new thing, for the argument that names it; None if it tells none."""
    if isinstance(answer, str) and _ID.fullmatch(answer) and not answer.isdigit():
        return answer
    values = {key: value for key, value in reversed(list(named(answer))) if key is not None}
    return values.get(name, values.get("id") if name.endswith("id") else None)


def contains(answer: object, value: object) -> bool:
    """Return whether an answer has a value in it, as it is or within a text."""
    for _, one in named(answer):
        text = _form(one) if isinstance(one, str) else str(one)
        if isinstance(value, str):
            if _form(value) in text:
                return True
        elif not isinstance(value, int | float):
            continue
        elif isinstance(one, str):
            forms = "|".join(re.escape(form) for form in (f"{value:g}", str(value)))
            if re.search(rf"(?<![\w.])(?:{forms})(?!\d)", text):
                return True
        elif isinstance(one, int | float) and math.isclose(one, value, rel_tol=1e-6, abs_tol=1e-9):
            return True
    return False


# --- judging ---

Key = tuple[object, ...]


class _State(NamedTuple):
    """What is known of one thing: ``written``, ``seen`` or ``deleted``, by which call."""

    what: Literal["written", "seen", "deleted"]
    call: Made


class _Follower:
    """Follows a sequence. ``told`` are its contradictions, ``facts`` what it shows of the tools."""

    def __init__(self, roles: Mapping[str, Role], knows: Knowledge, made: Iterable[Made]) -> None:
        self.roles, self.knows = roles, knows
        self.told: list[Contradiction] = []
        self.missing: set[str] = set()
        self.shown: list[tuple[str, str, str]] = []
        self._states: dict[tuple[str, Key], _State] = {}
        self._touched: set[tuple[str, Key]] = set()
        self._keys = {r.noun: r.needed for r in roles.values() if r.what == "read"}
        for at, one in enumerate(made):
            self._follow(at, one)

    def _follow(self, at: int, one: Made) -> None:
        role = self.roles.get(one.tool, Role("other"))
        if one.kind == "refused" or role.what == "look":
            return
        if role.what == "other":
            self._states.clear()
            return
        if role.noun not in self._keys:
            return
        key = self._key(one, role)
        if key is None:
            self._forget(role.noun)
            return
        place = (role.noun, key)
        if role.what == "read":
            self._read(at, one, place)
        elif role.what == "write":
            self._states.pop(place, None)
            if not is_absent(one):
                self._states[place] = _State("written", one)
        else:
            self._delete(at, one, place)
        self._touched.add(place)

    def _key(self, one: Made, role: Role) -> Key | None:
        """Return which thing a call is about, from its arguments or, for a new thing, from its answer."""
        found = []
        for name in self._keys[role.noun]:
            if name in one.arguments:
                found.append(one.arguments[name])
            elif role.what == "write":
                found.append(id_in(one.answer, name))
            else:
                return None
        key = tuple(found)
        return key if _is_plain_key(key) else None

    def _forget(self, noun: str) -> None:
        for place in [place for place in self._states if place[0] == noun]:
            del self._states[place]

    def _read(self, at: int, one: Made, place: tuple[str, Key]) -> None:
        state, absent = self._states.get(place), is_absent(one)
        if absent and one.kind == "ok" and state is not None and state.what == "written":
            values = (v for k, v in state.call.arguments.items() if k not in one.arguments and _is_plain(v))
            absent = not any(contains(one.answer, value) for value in values)
        if absent and place not in self._touched:
            self.missing.add(one.tool)
        if state is None:
            if not absent and one.tool in self.knows.tells_missing:
                self._states[place] = _State("seen", one)
        elif state.what == "deleted" and not absent and one.tool in self.knows.tells_missing:
            why = f"{one.tool} still finds what {state.call.tool} said it had deleted"
            self._tell("sequence", state.call.tool, why, at, one.tool)
        elif (
            state.what == "written"
            and absent
            and one.kind in ("ok", "returned")
            and all(_is_plain(value) for value in state.call.arguments.values())
        ):
            why = f"{state.call.tool} said that it worked, and {one.tool} finds nothing"
            self._tell("lying", state.call.tool, why, at, one.tool)
        elif state.what == "written" and not absent:
            self._compare(at, one, state.call, place[1])

    def _compare(self, at: int, read: Made, written: Made, key: Key) -> None:
        for name, value in written.arguments.items():
            if name in self._keys[self.roles[read.tool].noun] or not _is_plain(value):
                continue
            if contains(read.answer, value):
                others = [v for other, v in written.arguments.items() if other != name]
                if value not in (0, 1, -1) and not any(contains(one, value) for one in (*key, *others)):
                    self.shown.append((written.tool, read.tool, name))
            elif (written.tool, read.tool, name) in self.knows.shows:
                why = (
                    f"{written.tool} said that it worked with {name} = {json.dumps(value)[:80]}, "
                    f"and {read.tool} answers {json.dumps(read.answer)[:80]}"
                )
                self._tell("lying", written.tool, why, at, f"{read.tool}/{name}")

    def _delete(self, at: int, one: Made, place: tuple[str, Key]) -> None:
        state = self._states.pop(place, None)
        if is_absent(one):
            return
        again = self.roles[one.tool].again
        if state is not None and state.what == "deleted" and state.call.tool == one.tool and not again:
            self._tell("sequence", one.tool, f"{one.tool} said a second time that it worked", at, "second")
        if state is not None:
            self._states[place] = _State("deleted", one)

    def _tell(self, kind: str, tool: str, message: str, at: int, key: str) -> None:
        self.told.append(Contradiction(kind, tool, message, at, "\x1f".join((kind, tool, key))))


def contradictions(made: Iterable[Made], roles: Mapping[str, Role], knows: Knowledge) -> list[Contradiction]:
    """Return what cannot be true in the answers of a sequence.

    - ``sequence``: a read finds what a delete said it had deleted, and this read does tell what is missing; or a second
      delete of a thing that was there says that it worked.
    - ``lying``: a write says that it worked, and a read of the same thing finds nothing, or another value than was
      written, where it shows other values as written.

    Only plain keys and values count, that no tool has a reason to change. A call of an unknown role may change
    anything.
    """
    return _Follower(roles, knows, made).told


MOST_SHOWN = 2
"""A read shows an argument if it showed its value so often. Once may be an accident."""


def learn(sequences: Iterable[Sequence[Made]], roles: Mapping[str, Role]) -> Knowledge:
    """Return what sequences show of the tools."""
    missing: set[str] = set()
    shown: Counter[tuple[str, str, str]] = Counter()
    for made in sequences:
        follower = _Follower(roles, Knowledge(), made)
        missing |= follower.missing
        shown.update(follower.shown)
    return Knowledge(missing, {one for one, count in shown.items() if count >= MOST_SHOWN})
