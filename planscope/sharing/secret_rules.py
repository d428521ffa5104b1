"""Keys and tokens by their shapes: the rules of ``data/secrets.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from planscope.safe.secret_names import is_value
from planscope.sharing.hits import NAMED, SHAPE, Hit
from planscope.sharing.logins import is_telling
from planscope.sharing.randomness import looks_random

END = "."
"""What ends a sentence, and no key."""

_SEPARATOR = r"[\s\"\x27,]{1,4}"
_VALUE = r"(?P<value>[^\s\"\x27`,;|@]{3,200})"

BEFORE = 40
"""Characters between a word and the value that it tells of, at most."""


class Rule(NamedTuple):
    """``needs``: without one of these in the text the pattern cannot match; ``folded``: in the text in lower case.

    ``named``: what stands there may be any word, so that it counts only if it can be a value.
    """

    kind: str
    label: str
    needs: tuple[str, ...]
    folded: bool
    pattern: re.Pattern[str]
    named: bool = False


class NearRule(NamedTuple):
    """``body`` counts where one of ``words`` stands before it; ``random``: and where it looks random, too."""

    kind: str
    label: str
    words: tuple[str, ...]
    body: re.Pattern[str]
    random: bool


@cache
def load_rules() -> tuple[tuple[Rule, ...], tuple[NearRule, ...]]:
    """The rules that ship with planscope."""
    text = (files("planscope.sharing") / "data" / "secrets.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    rules = tuple(
        Rule(r["kind"], r["label"], tuple(r["needs"]), "(?i" in r["pattern"], re.compile(r["pattern"]))
        for r in data["rule"]
    )
    rules += tuple(
        Rule(
            "named-secret", "value of a secret's name", tuple(r["needs"]), False, _command(r["pattern"]), True
        )
        for r in data["named"]
    )
    near = tuple(
        NearRule(
            r["kind"],
            r["label"],
            tuple(r["words"]),
            re.compile(rf"(?<![A-Za-z0-9_+/-])(?:{r['body']})(?![A-Za-z0-9_+/-])"),
            r.get("random", False),
        )
        for r in data["near"]
    )
    return rules, near


def _command(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace("SEP", _SEPARATOR).replace("VALUE", _VALUE))


class Chosen(NamedTuple):
    """The rules that may find anything in some texts."""

    rules: tuple[Rule, ...]
    near: tuple[NearRule, ...]


def chosen_for(text: str, lowered: str, once: str) -> Chosen:
    """Those for which what they need stands in the text. ``lowered``: in lower case; ``once``: its different words."""
    folded = lowered if once is text else once.lower()
    letters = frozenset(once).union(folded, " ")

    def stands(need: str, low: bool) -> bool:
        if not letters.issuperset(need):
            return False
        spaced = need.split() != [need]
        return need in ((lowered if low else text) if spaced else (folded if low else once))

    rules, near = load_rules()
    return Chosen(
        tuple(r for r in rules if any(stands(need, r.folded) for need in r.needs)),
        tuple(r for r in near if any(stands(word, True) for word in r.words)),
    )


def shaped(text: str, lowered: str, chosen: Chosen) -> Iterator[Hit]:
    """What can be told by its shape. ``lowered`` is the text in lower case."""
    for rule in chosen.rules:
        where = lowered if rule.folded else text
        if any(need in where for need in rule.needs):
            for match in rule.pattern.finditer(text):
                named = "value" in match.re.groupindex and match["value"] is not None
                start, end = match.span("value") if named else match.span()
                end = start + len(text[start:end].rstrip(END))
                if rule.named and is_value(text[start:end]):
                    yield Hit(start, end, rule.kind, rule.label, NAMED, is_telling(text[start:end]))
                elif start < end and not rule.named:
                    yield Hit(start, end, rule.kind, rule.label, SHAPE)


def beside_words(text: str, lowered: str, chosen: Chosen) -> Iterator[Hit]:
    """What can be told only beside a word such as the name of a vendor."""
    for rule in chosen.near:
        if any(word in lowered for word in rule.words):
            for match in rule.body.finditer(text):
                before = lowered[max(0, match.start() - BEFORE - 20) : match.start()]
                if any(word in before for word in rule.words) and (not rule.random or looks_random(match[0])):
                    yield Hit(*match.span(), rule.kind, rule.label, NAMED)
