"""What was said beside a call: that it is not wanted, something else than it names, or more than it does.

The words are English. Where they fit two things alike, nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from planscope.cause.provenance import Provenance, Source, holds_id, leaves
from planscope.oracle.trace import Json, ToolCall

_NO = re.compile(
    r"^\W*(?:no\b(?! (?:problem|worries|need))|wait|hold on|stop)|\bnot yet\b|chang\w* my mind|never ?mind|rather not"
    r"|second thought|\b(?:do not|don['\u2019]t) (?:do|go|make|book|send|cancel|change|return|exchange)\b",
    re.I,
)
_YES = re.compile(r"\b(?:yes|yeah|proceed|go ahead|confirm)", re.I)
_WITHDRAWS = re.compile(
    r"chang\w* my mind|never ?mind|second thought|hold off|forget (?:about )?(?:it|that)\b"
    r"|let['\u2019]?s (?:not|forget)\b|(?:keep|leave) (?:it|everything|them|things|the order)(?: \w+)?(?:[.!]| as )"
    r"|(?:do not|don['\u2019]t) want (?:anything|to (?:do|go|change|cancel|return|exchange)\b)"
    r"|(?:give|get) me a (?:human|person)|\bactually,? (?:\w+ ){0,6}(?:rather|instead|changed|prefer)"
    r"|\brather keep|leave (?:that|this) one out"
    r"|could you make it the one .* instead",
    re.I,
)
_STAYS = re.compile(r"\b(?:keep|except|remain|remaining|stay|unchanged|instead|other than|not the)\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")
_UNSURE = re.compile(
    r"\?|\b(?:if|once|when|after|until|unless|before|cannot|can't|no|not|nothing|none|never|you have)\b", re.I
)
_DONE = re.compile(
    r"(?:\b(?:has|have) (?:\w+ ){0,2}been |\bI(?:['\u2019]ve| have)? )(?:\w+ly |also |now |just )*"
    r"(?:(cancel+ed)|(exchanged)|returned|modified|updated|changed|booked|purchased|processed|submitted|deleted"
    r"|requested|switched|credited|refunded|registered|transferred|added)\b",
    re.I,
)
_OBJECTS = re.compile(
    r"\b(?:that|this|it)(?:['\u2019]s| is| was) (?:not|wrong)|n['\u2019]t (?:right|correct|what)"
    r"|\bI (?:asked|said|wanted|never)\b"
    r"|\bwhy (?:is|does|did|has|are|would)\b|\b(?:fix|correct|undo) (?:it|that|this)|\byou (?:forgot|missed)|\bmistake",
    re.I,
)
_DECLINES = re.compile(
    r"\b(?:unable|can(?:not|['\u2019]t)|could(?: not|n['\u2019]t)|not (?:able|eligible|possible|allowed)"
    r"|unfortunately)\b",
    re.I,
)
MOST_THINGS = 50
"""Things side by side that are compared."""


def refuses(turn: str) -> bool:
    """Return whether a turn of the user says no."""
    return _NO.search(turn) is not None and _YES.search(turn) is None


def agrees(turn: str) -> bool:
    """Return whether a turn of the user says yes."""
    return _YES.search(turn) is not None


def objects(turn: str) -> bool:
    """Return whether the user objects to what was done."""
    return _OBJECTS.search(turn) is not None


def declines(turn: str) -> bool:
    """Return whether the agent says that something cannot be done."""
    return _DECLINES.search(turn) is not None


def withdraws(turn: str) -> bool:
    """Return whether the user no longer wants something."""
    return _WITHDRAWS.search(turn) is not None and _YES.search(turn) is None


def claim(text: str, done: Sequence[str]) -> str:
    """Return the first sentence that says that something was done which none of the tools ``done`` does, or ""."""
    for sentence in _SENTENCE.split(text):
        if (told := _DONE.search(sentence)) is not None and _UNSURE.search(sentence) is None:
            tool = "cancel|delet|remov" if told[1] else "exchang|modif|swap|chang" if told[2] else ""
            if not any(re.search(tool, one, re.I) for one in done):
                return sentence.strip()
    return ""


def _plain(text: Json) -> str:
    """Return a text as small words between blanks."""
    return f" {' '.join(re.findall(r'[a-z0-9#]+(?:[.][0-9]+)*', str(text).lower()))} "


class Things:
    """The things that answers list side by side, and the words that tell one from the other."""

    def __init__(self, sources: Provenance) -> None:
        self.sources = sources
        self._known: dict[int, tuple[set[str], set[str], str]] = {}

    def _beside(self, one: Source, call: ToolCall) -> tuple[Json, list[Json]]:
        """Return the thing that an id names in an earlier answer, and those beside it."""
        for place in reversed(self.sources.places(one.value)):
            if place.by != "answer" or place.message >= call.message:
                continue
            path = place.path
            # The id is a field of the thing, or the name under which it stands
            for begin, key in ((path[:-2], path[-2:-1]), (path, (str(one.value),))):
                held: Json = self.sources.answers[place.step]
                for part in begin:
                    held = held[part]
                rows = dict(enumerate(held)) if isinstance(held, list) else held
                if not isinstance(rows, Mapping):
                    continue
                things = {name: thing for name, thing in rows.items() if isinstance(thing, Mapping)}
                if len(things) > 1 and key and key[0] in things:
                    return things.pop(key[0]), list(things.values())[:MOST_THINGS]
        return None, []

    def _parts(self, thing: Json) -> tuple[set[str], set[str], str]:
        """Return the words of a thing, its ids and its name."""
        if id(thing) not in self._known:
            words, ids = set[str](), set[str]()
            for path, value in leaves(thing):
                if holds_id(path):
                    ids.add(str(value))
                elif not isinstance(value, bool) and 6 <= len(text := _plain(value)) < 62:
                    words.add(text)
            self._known[id(thing)] = words, ids, _plain(thing.get("name", ""))
        return self._known[id(thing)]

    def misses(
        self, call: ToolCall, ids: Iterable[Source], said: str, told: str
    ) -> Iterator[tuple[str, str]]:
        """Yield what a call has otherwise than was said: ``other`` with a word that fits something else better, or
        ``left`` with the name of a thing that the agent says it did it for. ``said``: before the call, ``told``: after
        it."""
        given = {str(one.value) for one in ids}
        said, told = _plain(said), _plain(told)
        for one in ids:
            own, others = self._beside(one, call)
            parts = [self._parts(thing) for thing in (own, *others) if thing is not None]
            known = {word for words, held, _ in parts if held & given for word in words}
            names = [name for _, _, name in parts]
            for words, held, name in parts[1:]:
                if held & given:
                    continue
                theirs = {word for word in words if word in said}
                if theirs - known and theirs > {word for word in parts[0][0] if word in said}:
                    yield "other", min(theirs - known).strip()
                listed = len(one.path) > 1 and name.strip() and names.count(name) == 1
                if listed and name in told and not _STAYS.search(told):
                    yield "left", name.strip()
