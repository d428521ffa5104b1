"""Templates with placeholders, and the prompts that their fillings make."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_PLACEHOLDER = re.compile(r"\[\s*([A-Za-z][A-Za-z0-9_ -]{0,40}?)\s*\]")
_OPENING = re.compile(r"[\[\]]")

LONGEST = 2000
"""Characters of a template or a filling; longer ones are degenerate answers of a model."""

MOST_FILLINGS = 24
_CANDIDATES = 8
_TRIES = 50


@dataclass(frozen=True)
class Filled:
    """A prompt of a set. ``words``: which filling each placeholder has."""

    text: str
    words: Mapping[str, str]


def placeholders(template: str) -> list[str]:
    """Return the names of a template's placeholders, each once, in their order."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(template)))


def read_templates(answer: object, *, loose: bool = False) -> list[str]:
    """Return the usable templates in a model's answer: those whose brackets are all placeholders. Each comes once.

    ``loose``: also those with an underscore in a placeholder, which a model is told to avoid.
    """
    found: dict[str, str] = {}
    for one in texts_in(answer):
        text = " ".join(one.split())
        names = placeholders(text)
        good = names and len(text) <= LONGEST and not _OPENING.search(_PLACEHOLDER.sub("", text))
        if good and (loose or not any("_" in name for name in names)):
            found.setdefault(text.casefold(), text)
    return list(found.values())


def read_fillings(answer: object, template: str) -> dict[str, list[str]] | None:
    """Return the fillings of each placeholder in a model's answer, or None if one has none or all have one only.

    A filling that repeats its placeholder, or has one, is left out: it is no example.
    """
    names = placeholders(template)
    if isinstance(answer, Mapping) and len(answer) == 1:
        [inner] = answer.values()  # such as {"infills": {"A": [...]}}
        objects = isinstance(inner, list) and all(isinstance(one, Mapping) for one in inner)
        if isinstance(inner, Mapping) or objects:
            answer = inner
    given: dict[object, object] = dict(answer) if isinstance(answer, Mapping) else {}
    if isinstance(answer, Sequence) and not isinstance(answer, str):
        for part in answer:  # a list of {"placeholder": ..., "infills": [...]} or of {"A": [...]}
            if isinstance(part, Mapping):
                name = next(
                    (part[k] for k in ("placeholder", "name", "mask") if isinstance(part.get(k), str)), None
                )
                listed = next((v for v in part.values() if isinstance(v, list)), None)
                given.update(part if name is None else {name: listed})
    by_name = {_plain(str(key)): value for key, value in given.items()}
    found: dict[str, list[str]] = {}
    for name in names:
        words: dict[str, None] = {}
        for one in texts_in(by_name.get(_plain(name), [])):
            word = " ".join(one.split())
            if (
                word
                and len(word) <= LONGEST
                and not _PLACEHOLDER.search(word)
                and _plain(word) != _plain(name)
            ):
                words.setdefault(word)
        if not words:
            return None
        found[name] = list(words)[:MOST_FILLINGS]
    return found if math.prod(map(len, found.values())) > 1 else None


def fill(template: str, words: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: words[match[1]], template)


def prompts(template: str, fillings: Mapping[str, Sequence[str]], most: int, seed: str) -> list[Filled]:
    """Draw at most ``most`` different prompts from the product of the fillings.

    Each is drawn such that words which few prompts have come first: so every word is seen as soon as there is room, and
    words of several placeholders do not always come together. The same seed draws the same prompts.
    """
    total = math.prod(map(len, fillings.values()))
    draw = random.Random(f"prompts\x1f{seed}\x1f{template}")
    seen: Counter[tuple[str, str]] = Counter()
    made: dict[str, Filled] = {}
    for _ in range(_TRIES * most):
        if len(made) >= min(most, total):
            break
        several = [{name: draw.choice(words) for name, words in fillings.items()} for _ in range(_CANDIDATES)]
        new = [words for words in several if fill(template, words) not in made]
        if new:
            words = min(new, key=lambda words: _freshness(words, seen))
            made[fill(template, words)] = Filled(fill(template, words), words)
            seen.update(words.items())
    return list(made.values())


def _freshness(words: Mapping[str, str], seen: Mapping[tuple[str, str], int]) -> tuple[int, int]:
    counts = [seen[item] for item in words.items()]
    return sum(counts), max(counts)


def natural(filled: Sequence[Filled], answer: object) -> list[str] | None:
    """Return a model's natural wordings of these prompts, or None if there is not one for each.

    A wording that is empty, degenerate or the same as another prompt's is the prompt itself.
    """
    texts = [" ".join(one.split()) for one in texts_in(answer)]
    if len(texts) != len(filled):
        return None
    taken: set[str] = set()
    made = []
    for one, text in zip(filled, texts, strict=True):
        good = text and len(text) <= LONGEST and not _PLACEHOLDER.search(text) and text not in taken
        made.append(text if good else one.text)
        taken.add(made[-1])
    return made if len(taken) == len(made) else [one.text for one in filled]


def same_meaning(answer: object, count: int) -> list[bool] | None:
    """Return a model's word on each pair, or None if it cannot be read: then no new wording is used."""
    if isinstance(answer, Mapping):
        lists = [one for one in answer.values() if isinstance(one, list)]
        answer = lists[0] if len(lists) == 1 else None
    if not isinstance(answer, list) or len(answer) != count:
        return None
    said = [
        next((v for v in one.values() if isinstance(v, bool)), None) if isinstance(one, Mapping) else one
        for one in answer
    ]
    return [one is True for one in said] if all(isinstance(one, bool) for one in said) else None


def texts_in(answer: object) -> Iterable[str]:
    """Yield the texts of a list, or of an object that has one list."""
    if isinstance(answer, Mapping):
        lists = [one for one in answer.values() if isinstance(one, list)]
        answer = lists[0] if len(lists) == 1 else []
    for one in answer if isinstance(answer, list | tuple) else []:
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            texts = [value for value in one.values() if isinstance(value, str)]
            if len(texts) == 1:
                yield texts[0]


def _plain(text: str) -> str:
    return re.sub(r"[\s\[\]{}_-]+", " ", text).strip().casefold()
