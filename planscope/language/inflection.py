"""Forms of English words: what a verb in an action's name becomes in a text, and what a plural is of."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Form = Literal["base", "s", "ing", "done", "noun", "other"]
"""Build, builds, building, built; a noun such as "creation", which may be equal to the base ("the restart"); another
noun that says the same of an object."""

_VOWELS = "aeiou"


@cache
def _data() -> Mapping[str, Any]:
    text = (files("planscope.language") / "data" / "forms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def words(table: str) -> frozenset[str]:
    """Return the words of a list in ``data/forms.toml``."""
    return frozenset(_data()[table])


@cache
def forms(verb: str) -> Mapping[str, frozenset[Form]]:
    """Return every form that the verb may have, in lower case, with what it is. More forms than English has do no
    harm."""
    found: dict[str, set[Form]] = {}
    for form, kind in _forms(verb):
        found.setdefault(form, set()).add(kind)
    return {form: frozenset(kinds) for form, kinds in found.items()}


def _forms(verb: str) -> Iterator[tuple[str, Form]]:
    yield verb, "base"
    yield verb, "noun"
    if not verb.isalpha() or len(verb) < 2:
        return
    short = verb[:-1]
    doubled = verb + verb[-1]
    after_y = verb.endswith("y") and verb[-2] not in _VOWELS
    hissing = verb[-1] in "sxzo" or verb.endswith(("ch", "sh"))
    yield short + "ies" if after_y else verb + ("es" if hissing else "s"), "s"
    yield verb + "ing", "ing"
    yield doubled + "ing", "ing"
    if verb.endswith("ie"):
        yield verb[:-2] + "ying", "ing"
    elif verb.endswith("e"):
        yield short + "ing", "ing"
    regular = (
        [short + "ied"] if after_y else [verb + "d"] if verb.endswith("e") else [verb + "ed", doubled + "ed"]
    )
    for done in _irregular("done", verb) or regular:
        yield done, "done"
    stem = short if verb.endswith("e") else verb
    nouns = [stem + end for end in ("ion", "ation", "ition", "al", "ance", "ence")] + [verb + "ment"]
    if after_y:
        nouns += [short + end for end in ("ication", "ial", "iance")]
    nouns += [doubled + "ation"] * verb.endswith("l") + [short + "ssion"] * verb.endswith("it")
    for noun in (*nouns, *_irregular("noun", verb)):
        yield noun, "noun"
    for noun in _irregular("other", verb):
        yield noun, "other"


def _irregular(table: str, verb: str) -> list[str]:
    """Return the forms of a table, which a verb with a prefix shares: "rebuild", "overwrite"."""
    found: dict[str, list[str]] = _data()[table]
    for prefix in ("", "re", "un", "over", "under", "out", "pre", "proof"):
        if verb.startswith(prefix) and verb[len(prefix) :] in found:
            return [prefix + form for form in found[verb[len(prefix) :]]]
    return []


@cache
def singular(word: str) -> str:
    """Return one form for singular and plural of a noun."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def in_full(word: str) -> str:
    """Return the word that another is short for, or the word itself: "production" for "prod"."""
    found: str = _data()["short"].get(word, word)
    return found
