"""Finds the actions that a text names in other words: in other forms ("the cash also has to be counted" for "cash
count"), and by short names of what was named before.

Only what is certain is found: a name of which words are missing is none if it may be another action's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from planscope.language import english
from planscope.language.inflection import forms, in_full, singular
from planscope.language.inflection import words as listed
from planscope.language.problem import Action

LONGEST_GAP = 6
"""Limit of words between those of a name."""


class _Name(NamedTuple):
    """``heads``: its last word, and that before a preposition: "tests" and "staging" of "run tests on staging"."""

    id: str
    words: tuple[str, ...]
    little: frozenset[str]
    heads: frozenset[str]


class Mentioned(NamedTuple):
    """An action that some words name, up to a place. ``inside``: other words among them. ``whole``: none is missing.
    ``verb``: the words begin with the name's first. No action: it is not certain which is meant."""

    action: str
    end: int
    inside: tuple[str, ...] = ()
    whole: bool = True
    verb: bool = False


def _content(name: str) -> tuple[str, ...]:
    said = re.findall(r"[^\W_]+", name.casefold())
    return tuple(word for word in said if word not in LITTLE) or tuple(said) or ("",)


def _heads(name: str) -> frozenset[str]:
    parts = re.split(r"\b(?:of|for|with|from|to|in|on|at|by)\b", name.casefold())
    return frozenset(_content(part)[-1] for part in parts)


@cache
def kin(one: str, other: str) -> bool:
    """Return whether two words are forms of one: "inspect" and "inspection", "file" and "files", "docs"."""
    one, other = in_full(one), in_full(other)
    if singular(one) == singular(other):
        return True
    short, long = sorted((one, other), key=len)
    if long.endswith(("tion", "sion")) and len(short) > 6 and long.startswith(short[:-2]):
        return True
    return any({one, other} <= forms(base).keys() for base in {*_bases(one), *_bases(other)})


def _bases(word: str) -> Iterator[str]:
    yield word
    for end in ("ing", "ed", "ion", "ation", "ment", "al", "s", "es"):
        stem = word.removesuffix(end)
        if stem != word and len(stem) > 2:
            yield from (stem, f"{stem}e", f"{stem[:-1]}y" if stem.endswith("i") else stem)
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def _match(name: _Name, keys: Sequence[str], start: int) -> tuple[list[int], int, bool]:
    """Return the places of the words of a name that stand at a place, in any order and with little words between them;
    the place after them; and whether none is missing."""
    left, used = list(name.words), list[int]()
    at = end = start
    while left and at < min(end + LONGEST_GAP, len(keys)):
        key = keys[at].removesuffix("'s")
        joint = keys[at + 1] if keys[at + 1 : at + 2] and keys[at + 1] in listed("particles") else ""
        word = next((one for one in left if kin(key, one) or (joint and _joint(key, joint, one))), None)
        both = next((pair for pair in pairwise(left) if _joint_noun(key, *pair)), ()) if word is None else ()
        if both:
            left = [one for one in left if one not in both]
            used.append(at)
            at = end = at + 1
        elif word is not None:
            left.remove(word)
            used += [at] if kin(key, word) else [at, at + 1]
            at = end = used[-1] + 1
        elif not used or key not in _BETWEEN | name.little:
            break
        else:
            at += 1
    return used, end, not left


def _joint(key: str, particle: str, word: str) -> bool:
    """Return whether two words are one: "cleaning up" for "cleanup"."""
    return word.endswith(particle) and kin(key, word.removesuffix(particle))


def _joint_noun(key: str, verb: str, particle: str) -> bool:
    """Return whether a word is a verb with its particle: "backup" for "back up"."""
    return particle in listed("particles") and singular(key) == verb + particle


class Named:
    """Finds some actions in texts."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self.known = [
            _Name(one.id, _content(one.name), LITTLE & {*one.name.casefold().split()}, _heads(one.name))
            for one in actions
        ]
        self._beginning = cache(lambda first: [name for name in self.known if _match(name, first, 0)[0]])
        """Returns the names, few of many, that begin with a word, or with a word and a particle."""

    def row(self, keys: Sequence[str], named: dict[str, None]) -> Iterator[tuple[int, Mentioned]]:
        """Yield the places of a sentence where actions are named, and which. ``named``: those named so far, to which
        these are added."""
        at = 0
        while at < len(keys):
            one = self.at(keys, at, named)
            if one is not None:
                yield at, one
                for k in range(at + 1, one.end):  # "after that the box is packed"
                    if keys[k - 1] not in ARTICLES:
                        break
                    yield k, one
                if one.action:
                    named[one.action] = None
            at = max(one.end if one else 0, at + 1)

    def at(self, keys: Sequence[str], at: int, named: Collection[str]) -> Mentioned | None:
        """Return the action that is named at a place, or None. ``named``: the actions named before."""
        start = at
        while start < len(keys) and keys[start] in ARTICLES:
            start += 1
        if keys[at] in _PRONOUNS and (one := self._done(keys, at, named)):
            return one
        first = tuple(keys[start : start + 2])
        known = self._beginning(first if first[1:] and first[1] in listed("particles") else first[:1])
        ways = [(name, *_match(name, keys, start)) for name in known]
        whole = [way for way in ways if way[3]]
        most = max((len(way[1]) for way in whole or ways), default=0)
        ways = [way for way in whole or ways if len(way[1]) == most]
        if not most:
            return None
        name, used, end, _ = ways[0]
        said = [keys[k].removesuffix("'s") for k in used]
        if len(ways) > 1:
            return Mentioned("", end)
        verb = kin(said[0], name.words[0])
        if not whole:
            pronoun = verb and end < len(keys) and keys[end] in ("it", "them")
            if pronoun and not self._related(name, named):
                return Mentioned("", end)
            bare = _DEFINITE.isdisjoint(keys[at:start]) and not pronoun
            if not self._short(name, said, name.id in named, bare, pronoun):
                return Mentioned("", end)
            end += pronoun
        inside = tuple(keys[k] for k in range(start, end) if k not in used)
        goes_on = any(keys[k - 1] in ("is", "are") and keys[k].endswith("ing") for k in used[1:])
        if goes_on or ("not" in inside and not {"need", "needs"}.isdisjoint(inside)):
            return Mentioned("", end)  # "until the rice is cooking" is no end
        asked = keys[at] == name.words[0] or (
            len(name.words) > 1
            and name.little.isdisjoint(ARTICLES)  # "change the oil" asks; "oil change" does not
            and name.words[-1] in forms(keys[at])
            and not keys[at].endswith(("ing", "ed", "s"))
        )
        return Mentioned(name.id, end, inside, bool(whole), asked)

    def _done(self, keys: Sequence[str], at: int, named: Collection[str]) -> Mentioned | None:
        """Return the only action that "it has been built" may mean; no action if it is one of another thing than those
        that were named."""
        end = at + 1
        while end < min(at + LONGEST_GAP, len(keys)) and keys[end] in _BETWEEN:
            end += 1
        verb = "".join(keys[end : end + 1])
        done = [name for name in self.known if "done" in forms(name.words[0]).get(verb, ())]
        if end == at + 1 or len(done) != 1 or not named:
            return None
        action = done[0].id if self._related(done[0], named) else ""
        return Mentioned(action, end + 1, tuple(keys[at + 1 : end]), whole=False)

    def strays(self, keys: Sequence[str]) -> bool:
        """Return whether "it" would be another thing than those that are named: "repair the fence after it is drained"
        where only the tank is drained."""
        pronouns = [at for at, key in enumerate(keys) if key in _PRONOUNS]
        found = dict(self.row(keys, {})) if pronouns else {}
        for at in pronouns:
            if not (at in found and found[at].action):
                named = [one.action for k, one in found.items() if k < at and one.action]
                one = self._done(keys, at, named)
                if one is not None and not one.action:
                    return True
        return False

    def _related(self, name: _Name, named: Collection[str]) -> bool:
        """Return whether "it" may be what an action is done to: something of one that was named, if any was."""
        others = [one for one in self.known if one.id in named and len(one.words) > 1]
        shared = any(kin(a, b) for one in others for a in one.words[1:] for b in name.words[1:])
        return shared or not others or len(name.words) < 2

    def _short(self, name: _Name, said: Sequence[str], named: bool, bare: bool, pronoun: bool) -> bool:
        """Return whether some words of a name are certain to mean it: all but its verb, its verb, or what it is done
        to, of which no other name has any; or what only this name has, if it was named before."""
        shared = [
            sum(any(kin(one, word) for word in other.words) for one in said)
            for other in self.known
            if other is not name
        ]
        behind = len(said) > 1 and len(said) == len(name.words) - 1
        ends = (any(kin(one, word) for one in said) for word in (name.words[0], name.words[-1]))
        if behind and not any(shared) and not all(ends):
            return True
        if len(said) == 1 and not any(shared):
            if pronoun:  # "restart it"
                return True
            plain = said[0] not in _VAGUE | english.FUNCTION
            if plain and any(kin(said[0], one) for one in {name.words[0], *name.heads}):
                return True  # "test, then push", "the migration", "staging"
        vague = len(said) == 1 and (said[0] in _VAGUE or (bare and not _NOMINAL.search(said[0])))
        return named and not vague and len(said) not in shared


_VAGUE = english.words(
    "order step task action thing rest time day end start list call tool job back up first last"
)
"""One word of these is no short name."""
_BETWEEN = english.words(
    """must should shall would will may can could is are be been has have had not also only to a an the my your our
    their his her its of for with from in on get gets got need needs wants all both up out off
    that those this these still being"""
)
"""Words that may stand between those of a name."""
_PRONOUNS = ("it", "they")
_DEFINITE = english.words("the this that these those my your our their his her all")
ARTICLES = _DEFINITE | english.words("a an")
LITTLE = english.words("a an the of for with from to in on at by and")
"""Words of a name that a text may leave out."""
_NOMINAL = re.compile(r"(?:ing|ings|ion|ions|ment|s)$")
