"""Sentences as developers write them: most are read, none is misread, and a reading that is shown can be pasted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.rules.own_words import CORPUS, Told, by_examples, by_meaning


@pytest.mark.parametrize(
    ("name", "read", "least", "misread"),
    [("own_words.txt", by_meaning, 487, 0), ("dev_rules.jsonl", by_examples, 65, 2)],
)
def test_what_developers_write(
    name: str, read: Callable[[Path], Iterator[Told]], least: int, misread: int
) -> None:
    told = list(read(CORPUS / name))
    counts = Counter(one.outcome for one in told)
    assert counts["right"] >= least, [one for one in told if one.outcome != "right"]
    assert counts["misread"] <= misread, [one for one in told if one.outcome == "misread"]
