"""Finds the private values of a session, chooses their replacements, and replaces them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from planscope.language.problem import slug
from planscope.safe.secret_names import PLACEHOLDER
from planscope.sharing.redact.hits import NAMED, Hit, RedactionError, Span, lower, settle
from planscope.sharing.redact.people import homes
from planscope.sharing.redact.readings import readings
from planscope.sharing.redact.scan import Surroundings, scanner_for
from planscope.sharing.redact.spellings import (
    HEAD,
    Matcher,
    canonical,
    decoded,
    spellings,
    tool_spelling,
)
from planscope.sharing.redact.walk import DEEPEST, Place, Spot, rewrite, rewrite_below, strings


class Edit(NamedTuple):
    """A range of the old text and the length of its replacement."""

    start: int
    end: int
    length: int


def moved(span: Span, edits: Sequence[Edit]) -> Span:
    """Return the range of the same words in the new text. A range that begins or ends inside an edit covers all of
    it."""
    return _moved(span[0], edits, False), _moved(span[1], edits, True)


def _moved(place: int, edits: Sequence[Edit], is_end: bool) -> int:
    shift = 0
    for edit in edits:
        if edit.end <= place:
            shift += edit.length - (edit.end - edit.start)
        elif edit.start < place:
            return edit.start + shift + (edit.length if is_end else 0)
        else:
            break
    return place + shift


def move(variant: dict[str, Any], edits: Sequence[Edit]) -> None:
    """Move the spans in a variant's tree and constraints."""
    query = variant.get("query")
    if isinstance(query, dict):
        _move_in(query.get("tree"), edits)
    _move_in(variant.get("constraints"), edits)


def _move_in(value: Any, edits: Sequence[Edit]) -> None:
    if isinstance(value, list):
        for one in value:
            _move_in(one, edits)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key == "span" and _is_span(one):
                value[key] = list(moved(tuple(one), edits))
            elif key == "spans" and isinstance(one, list):
                value[key] = [list(moved(tuple(s), edits)) if _is_span(s) else s for s in one]
            else:
                _move_in(one, edits)


def _is_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)


Json = Any

_NOT_IN_A_TOOL = re.compile(r"[^A-Za-z0-9_-]")
_TOOL_RANK = -1


@dataclass(slots=True)
class Value:
    """One private value. ``strong`` and ``edged`` as in ``Hit``."""

    kind: str
    label: str
    text: str
    rank: int
    strong: bool
    edged: bool
    replacement: str
    kept: bool = False
    places: dict[Place, None] = field(default_factory=dict)


class Decision(NamedTuple):
    kept: bool
    replacement: str


class _Spelled(NamedTuple):
    """A spelling of a private value, and its replacement. ``value`` is None for a tool's name, which follows its
    action's name."""

    value: Value | None
    replacement: str


MOST_FINDINGS = 5_000
"""The limit for the private values of a session; nobody would review more."""


class _Made(NamedTuple):
    """A redacted text, the edits that were made, and the values that were replaced or kept."""

    text: str
    edits: list[Edit]
    values: list[Value]


_About = tuple[str, str, bool, bool, str, int]


def _about(text: str, spot: Spot, depth: int) -> _About:
    """Return everything that the hits in a text depend on."""
    return (text, spot.named, spot.below_secret, spot.number, spot.lead, depth)


class Plan:
    """What is private in a session's JSON. ``text`` is that JSON, if pydantic could write it."""

    def __init__(self, document: Json, around: Surroundings, text: str | None = None) -> None:
        self.text = text
        self.values: dict[str, Value] = {}
        self._known: dict[str, str] = {}
        self._noted: set[_About] = set()
        self.document = document
        texts = strings(document)
        self._scanner = scanner_for(around, _users(texts, around))
        self._scanner.looked_at = 0
        self._next = _numbers_taken(texts)
        rewrite(document, self._note, self._note_number)

    def decide(self, decisions: Mapping[str, Decision]) -> None:
        """Take the user's decisions, by canonical text. Call it before ``apply``."""
        for key, decision in decisions.items():
            if key in self.values:
                self.values[key].kept, self.values[key].replacement = decision
        self._made: dict[_About, _Made] = {}
        self._edits: dict[str, list[Edit]] = {}
        self._spelled: dict[str, _Spelled] = {}
        self._spell()
        self._matcher = _matcher(self._spelled)
        self._rename_tools(self.document)

    # Finding values

    def _note(self, text: str, spot: Spot, depth: int = 0) -> str:
        key = _about(text, spot, depth)
        if key in self._noted:
            return text
        self._noted.add(key)
        if depth < DEEPEST:
            for inside in decoded(text):
                below = lambda one, at: self._note(one, at, depth + 1)  # noqa: E731
                rewrite_below(inside, spot, below, self._note_number)
        for hit in self._find(text, spot):
            self._add(hit, hit.read or text[hit.start : hit.end])
        return text

    def _note_number(self, number: int | float, spot: Spot) -> int | float:
        text = str(number)
        for hit in self._find(text, spot):
            if (hit.start, hit.end) == (0, len(text)):
                self._add(hit, text)
        return number

    def _find(self, text: str, spot: Spot) -> list[Hit]:
        named = "" if spot.named == "start_time" else spot.named
        return self._scanner.find(
            text, named=named, below_secret=spot.below_secret, number=spot.number, lead=spot.lead
        )

    def _key(self, kind: str, text: str) -> str:
        return self._known.get(lower(text)) or canonical(kind, text)

    def _add(self, hit: Hit, text: str) -> None:
        key = self._key(hit.kind, text)
        known = self.values.get(key)
        if known is not None:
            known.strong = known.strong or hit.strong
            return
        if len(self.values) >= MOST_FINDINGS:
            raise RedactionError(
                f"the session contains more than {MOST_FINDINGS:,} different private values, too many to review; "
                "--no-redact shares it unchanged"
            )
        word = re.sub(r"[^A-Z0-9]+", "_", hit.kind.upper())[:24].strip("_")
        number = self._next[word] = self._next.get(word, 0) + 1
        self.values[key] = Value(
            hit.kind,
            hit.label,
            text,
            hit.rank,
            hit.strong,
            hit.edged,
            f"REDACTED_{word}_{number}",
        )
        for spelling in spellings(text):
            self._known.setdefault(lower(spelling), key)

    # Choosing their replacements:

    def _spell(self) -> None:
        for value in self.values.values():
            if not value.strong or len(value.text) < HEAD:
                continue
            for spelling in filter(lambda s: len(s) >= HEAD, spellings(value.text)):
                self._spelled.setdefault(lower(spelling), _Spelled(value, value.replacement))
            tool = tool_spelling(value.text)
            if tool is not None:
                self._spelled.setdefault(tool, _Spelled(value, value.replacement.lower()))

    def _rename_tools(self, document: Json) -> None:
        """Rename tools everywhere if their action's name changes: a tool is named after its action."""
        actions = [a for v in document.get("variants", ()) for a in v.get("actions", ())]
        taken = {a["tool"] for a in actions}
        renamed: dict[str, _Spelled] = {}
        for action in actions:
            old, name = action["tool"], action["name"]
            if lower(old) in renamed:
                continue
            new = self._new_tool(old, name)
            if new == old:
                continue
            base, n = new, 1
            while new in taken:
                n += 1
                new = f"{base[: 64 - len(str(n)) - 1]}_{n}"
            taken.add(new)
            renamed[lower(old)] = _Spelled(None, new)
        if renamed:
            self._spelled = {**self._spelled, **renamed}
            self._matcher = _matcher(self._spelled)

    def _new_tool(self, old: str, name: str) -> str:
        changed = self._replaced(name, Spot(Place(""))).text
        made = slug(name)
        if changed != name and re.fullmatch(rf"{re.escape(made[:58])}.{{0,6}}", old):
            return slug(changed)
        return _NOT_IN_A_TOOL.sub("_", self._replaced(old, Spot(Place(""))).text)[:64]

    # Replacing them

    def apply(self) -> Json:
        """Return the redacted document, and note the places of all values."""
        made = rewrite(self.document, self._change, self._change_number)
        for n, variant in enumerate(made.get("variants", ())):
            edits = self._edits.get(str(variant.get("id")))
            if edits:
                made["variants"][n] = moved = deepcopy(variant)
                move(moved, edits)
        return made

    def _change(self, text: str, spot: Spot) -> str:
        key = _about(text, spot, 0)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = self._replaced(text, spot)
        for value in made.values:
            value.places[spot.place] = None
        if spot.place.field == "query.text" and made.edits and spot.place.variant is not None:
            new = self._replaced(spot.place.variant, Spot(Place("id"), number=True)).text
            self._edits[new] = made.edits
        return made.text

    def _change_number(self, number: int | float, spot: Spot) -> Json:
        return _number(number, self._change(str(number), spot))

    def _replaced(self, text: str, spot: Spot, depth: int = 0) -> _Made:
        """Redact one text, and the JSON in it."""
        made, edits, values = self._edited(text, spot)
        if depth < DEEPEST:
            for inside in decoded(text):
                found: list[Value] = []

                def below(one: str, at: Spot, found: list[Value] = found) -> str:
                    replaced = self._replaced(one, at, depth + 1)
                    found.extend(replaced.values)
                    return replaced.text

                def below_number(number: int | float, at: Spot) -> Json:
                    return _number(number, below(str(number), at))

                wanted = rewrite_below(inside, spot, below, below_number)
                values = [*values, *found]
                if wanted != inside and list(decoded(made)) != [wanted]:
                    again = self._edited(json.dumps(wanted, ensure_ascii=False), spot)
                    made, edits = again.text, [Edit(0, len(text), len(again.text))]
                    values = [*values, *again.values]
        return _Made(made, edits, values)

    def _edited(self, text: str, spot: Spot) -> _Made:
        hits = [*self._spelled_in(text), *self._find(text, spot)]
        if not hits:
            return _Made(text, [], [])
        parts, edits, values, at = [], [], [], 0
        for hit in settle(hits):
            written = hit.read or text[hit.start : hit.end]
            found = self._spelled.get(lower(written))
            value = found.value if found else self.values.get(self._key(hit.kind, written))
            if value is not None:
                values.append(value)
            if (found is None and value is None) or (value is not None and value.kept):
                continue
            new = found.replacement if found else value.replacement if value else written
            parts += [text[at : hit.start], new]
            edits.append(Edit(hit.start, hit.end, len(new)))
            at = hit.end
        return _Made("".join([*parts, text[at:]]), edits, values)

    def _spelled_in(self, text: str) -> Iterable[Hit]:
        for reading in readings(text):
            for start, end, known in self._matcher.find(reading.text):
                found = self._spelled[known]
                rank = found.value.rank if found.value else _TOOL_RANK
                kind = found.value.kind if found.value else "tool"
                yield Hit(*reading.written(start, end), kind, "", rank, read=reading.text[start:end])

    def left_in(self, text: str) -> str | None:
        """Return the label of a value that a text still contains although it is to be replaced, or None."""
        for _, _, known in self._matcher.find(text):
            value = self._spelled[known].value
            if value is not None and not value.kept:
                return value.label
        return None


def _number(number: int | float, made: str) -> Json:
    """Return the number, or its replacement."""
    return number if str(number) in made else made


def _matcher(spelled: Mapping[str, _Spelled]) -> Matcher:
    return Matcher({text: _beside(found) for text, found in spelled.items()})


def _beside(found: _Spelled) -> str | None:
    """Return what may not stand beside a spelling: nothing is replaced inside an identifier, unless it has a
    shape of its own."""
    if found.value is None:
        return "_-"  # the name of a tool
    if found.replacement.islower():
        return ""  # a part of the name of a tool
    return "_" if found.value.edged or found.value.rank == NAMED else None


def _users(texts: Iterable[str], around: Surroundings) -> frozenset[str]:
    """Return the users of the home directories in the texts, and the user of this machine."""
    found = {around.user} if around.user else set()
    for text in texts:
        if "/" in text or "\\" in text:
            found.update(home.user for home in homes(text))
    return frozenset(user for user in found if len(user) >= 3)


def _numbers_taken(texts: Iterable[str]) -> dict[str, int]:
    """Return the highest number of each kind of placeholder that the texts contain already."""
    taken: dict[str, int] = {}
    for text in texts:
        if "redacted_" in text.lower():
            for match in PLACEHOLDER.finditer(text):
                word, _, number = match[0].upper().removeprefix("REDACTED_").rpartition("_")
                taken[word] = max(taken.get(word, 0), int(number))
    return taken
