"""Sentences as developers write them: most are read, none is misread, and a reading that is shown can be pasted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planscope.language.calls import Calls
from planscope.rules.reading import read_rules
from planscope.rules.rule import Rule
from planscope.rules.words import sentence_of
from tests.rules.own_words import CORPUS, Told, by_examples, by_meaning
from tests.rules.worlds import MORE_MODES, make_world


@pytest.mark.parametrize(
    ("name", "read", "least", "misread"),
    [
        ("own_words.txt", by_meaning, 565, 0),
        ("domains.txt", by_meaning, 68, 0),
        ("forms.txt", by_meaning, 443, 0),
        ("dev_rules.jsonl", by_examples, 78, 2),
    ],
)
def test_what_developers_write(
    name: str, read: Callable[[Path], Iterator[Told]], least: int, misread: int
) -> None:
    told = list(read(CORPUS / name))
    counts = Counter(one.outcome for one in told)
    assert counts["right"] >= least, [one for one in told if one.outcome != "right"]
    assert counts["misread"] <= misread, [one for one in told if one.outcome == "misread"]


def _said(rule: Rule) -> tuple[object, ...]:
    """A rule without its words."""

    def calls(some: tuple[Calls, ...]) -> frozenset[Calls]:
        return frozenset(replace(one, text="") for one in some)

    counted = rule.kind in ("existence", "absence", "exactly", "in_row", "within", "not_within")
    sets = calls(rule.first), calls(rule.then), calls(rule.until)
    return rule.kind, sets, rule.count if counted else 0, rule.per, rule.per_then, rule.condition


def test_the_sentence_of_a_rule_is_read_as_this_rule() -> None:
    for seed in range(300):
        for rule in make_world(Random(seed), modes=MORE_MODES).rules:
            if rule.hears_users:  # the tool a makes "a user message" two names
                continue
            (found,) = read_rules(sentence_of(rule), ("a", "b", "c")).rules
            assert _said(found) == _said(rule), sentence_of(rule)
