"""The phrases of the query language (``data/lexicon.toml``): their forms, and their allowed places."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, cast, get_args

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.tree import Terminal, Word

TERMINALS: tuple[Terminal, ...] = get_args(Terminal)
VERBS: tuple[Terminal, ...] = ("VP<", "VP>", "VP0")
PLACES = frozenset({"adjunct", "fronted", "clock", "parse_only"})


class LexiconError(UserError, ValueError):
    """The lexicon's data breaks its own rules. The message names the phrase."""


@frozen
class Entry:
    """One phrase. ``key``: its base form. ``forms``: by the key of a modal ("" for none), its singular and plural."""

    terminal: Terminal
    key: str
    forms: Mapping[str, tuple[str, str]]
    adjunct: bool = True
    fronted: bool = False
    clock: bool = False
    parse_only: bool = False


@frozen
class Modal:
    """A modal verb that may stand before the base form of any verb phrase."""

    key: str
    singular: str
    plural: str
    parse_only: bool = False

    @property
    def tells_number(self) -> bool:
        """Whether the modal's form shows singular or plural ("has to" does, "should" does not)."""
        return self.singular != self.plural


class Lexicon:
    """All entries, by terminal. ``forms`` maps (terminal, key of the entry, key of the modal) to (singular, plural)."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.modals = tuple(Modal(key, **row) for key, row in data["modals"].items())
        self.heads: Mapping[str, tuple[str, str]] = data["heads"]
        self.entries: dict[Terminal, dict[str, Entry]] = {}
        for terminal in TERMINALS:
            rows = data[terminal]
            self.entries[terminal] = {key: self._entry(terminal, key, rows[key], self.heads) for key in rows}
        self.forms: dict[tuple[str, str, str], tuple[str, str]] = {
            (e.terminal, e.key, modal): pair for e in self for modal, pair in e.forms.items()
        }
        self._written: dict[tuple[Terminal, bool, bool], tuple[Word, ...]] = {}

    def __iter__(self) -> Iterator[Entry]:
        for entries in self.entries.values():
            yield from entries.values()

    def _entry(self, terminal: Terminal, key: str, places: list[str], heads: Mapping[str, Any]) -> Entry:
        if unknown := set(places) - PLACES:
            raise LexiconError(f"{terminal} {key!r}: unknown places {sorted(unknown)}")
        if terminal not in VERBS:
            return Entry(terminal, key, {"": (key, key)}, **{place: place in places for place in PLACES})
        head, _, rest = key.partition(" ")
        if head not in heads:
            raise LexiconError(f"{terminal} {key!r}: no singular and plural of {head!r} in [heads]")
        tail = f" {rest}" if rest else ""
        singular, plural = heads[head]
        forms = {"": (singular + tail, plural + tail)}
        for modal in self.modals:
            forms[modal.key] = (f"{modal.singular} {key}", f"{modal.plural} {key}")
        return Entry(terminal, key, forms, clock="clock" in places, parse_only="parse_only" in places)

    def surface(self, word: Word, plural: bool = False) -> str:
        """Return the words as they are written, in lower case."""
        return self.forms[word[:3]][plural]

    def written(self, terminal: Terminal, *, fronted: bool = False, clock: bool = False) -> tuple[Word, ...]:
        """Return the entries that may be written in a place, without modal, in the order of the data file.

        ``fronted``: at the head of the clause, else after a verb. ``clock``: with a clock time as object.
        """
        key = (terminal, fronted, clock)
        found = self._written.get(key)
        if found is None:
            found = self._written[key] = tuple(
                Word(terminal, e.key)
                for e in self.entries[terminal].values()
                if not e.parse_only
                and (terminal in VERBS or terminal == "J" or (e.fronted if fronted else e.adjunct))
                and (e.clock or not clock or terminal in ("VP0", "J"))
            )
        return found

    def written_modals(self, *, tells_number: bool = False) -> tuple[str, ...]:
        """Return the keys of the modals that may be written; none in a subordinate clause ("before B must occur").

        ``tells_number``: only modals that agree in number. In a relative clause after a list, the verb must show that
        its subject is the whole list ("A and B, which should precede C" does not).
        """
        return tuple(m.key for m in self.modals if not m.parse_only and (m.tells_number or not tells_number))


@cache
def load_lexicon() -> Lexicon:
    """Return the bundled lexicon, which is read once."""
    text = (files("planscope.language") / "data" / "lexicon.toml").read_text(encoding="utf-8")
    return Lexicon(cast("Mapping[str, Any]", tomllib.loads(text)))
