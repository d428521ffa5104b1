"""Sentences as developers write them: most are read, none is misread, and a reading that is shown can be pasted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planscope.language.calls import Calls
from planscope.language.errors import ParseError, ParseFailure
from planscope.rules.kinds import KINDS
from planscope.rules.reading import read_rules
from planscope.rules.refusals import NEAREST
from planscope.rules.rule import Rule
from planscope.rules.words import sentence_of
from tests.nightly import nightly
from tests.rules.own_words import CORPUS, TOOLS, Told, by_examples, by_meaning, meant, verdicts
from tests.rules.worlds import MORE_MODES, make_world


@pytest.mark.parametrize(
    ("name", "read", "every", "least", "misread"),
    [
        ("own_words.txt", by_meaning, 15, 41, 0),
        ("domains.txt", by_meaning, 9, 9, 0),
        ("strangers.txt", by_meaning, 18, 21, 0),
        ("forms.txt", by_meaning, 15, 31, 0),
        ("roles.txt", by_meaning, 8, 12, 0),
        ("workplaces.txt", by_meaning, 10, 7, 0),
        ("dev_rules.jsonl", by_examples, 12, 5, 0),
        ("strangers_2.jsonl", by_examples, 12, 3, 0),
        ("strangers_3.jsonl", by_examples, 12, 9, 0),
        ("strangers_4.jsonl", by_examples, 12, 14, 0),
        ("traps_2.jsonl", by_examples, 10, 4, 0),
        *nightly(
            ("traps_2.jsonl", by_examples, 1, 110, 0),
            ("own_words.txt", by_meaning, 1, 623, 0),
            ("domains.txt", by_meaning, 1, 69, 0),
            ("strangers.txt", by_meaning, 1, 355, 0),
            ("forms.txt", by_meaning, 1, 499, 0),
            ("roles.txt", by_meaning, 1, 96, 0),
            ("workplaces.txt", by_meaning, 1, 88, 2),
            ("dev_rules.jsonl", by_examples, 1, 84, 2),
            ("strangers_2.jsonl", by_examples, 1, 40, 0),
            ("strangers_3.jsonl", by_examples, 1, 122, 0),
            ("strangers_4.jsonl", by_examples, 1, 163, 0),
        ),
    ],
)
def test_what_developers_write(
    name: str, read: Callable[[Path, int], Iterator[Told]], every: int, least: int, misread: int
) -> None:
    told = list(read(CORPUS / name, every))
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


def _needs_itself(rule: Rule) -> bool:
    """Is a call that others need among those others? A sentence leaves it out: "Every call needs an earlier a"."""
    sides = {"after a call": (rule.first, rule.then), "before a call": (rule.then, rule.first)}
    needing, needed = sides.get(KINDS[rule.kind].about, (rule.then, rule.until))
    return any(one.is_glob and any(map(one.names, (c.name for c in needed))) for one in needing)


@pytest.mark.parametrize("many", [10, *nightly(300)])
def test_the_sentence_of_a_rule_is_read_as_this_rule(many: int) -> None:
    for seed in range(many):
        for rule in make_world(Random(seed), modes=MORE_MODES).rules:
            if rule.hears_users:  # the tool a makes "a user message" two names
                continue
            if _needs_itself(rule):  # as no sentence says
                continue
            (found,) = read_rules(sentence_of(rule), ("a", "b", "c")).rules
            assert _said(found) == _said(rule), sentence_of(rule)


def _sentences(name: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the sentences of a corpus with their tools."""
    tools: Sequence[str] = TOOLS
    for line in (CORPUS / name).read_text(encoding="utf-8").splitlines():
        tools = line[1:].split() if line.startswith("@") else tools
        if sentence := line.partition(" :: ")[2]:
            yield sentence, tools


def _errors(sentence: str, tools: Sequence[str]) -> Sequence[ParseError]:
    try:
        read_rules(sentence, tools)
    except ParseFailure as failure:
        return failure.errors
    return ()


@pytest.mark.parametrize("every", [48, *nightly(1)])
def test_what_a_refusal_suggests_is_read_and_names_only_tools(every: int) -> None:
    told = 0
    for name in ("forms.txt", "own_words.txt", "domains.txt"):
        for sentence, tools in list(_sentences(name))[::every]:
            for error in _errors(sentence, tools):
                left, _, near = error.message.partition(f"; {NEAREST} without ")[2].partition('": "')
                if near and not error.readings:
                    near = near.removesuffix('"')
                    assert left.removeprefix('"') and left != sentence
                    (rule,) = read_rules(near, tools).rules
                    named = {c.name for c in (*rule.first, *rule.then) if c.name and not c.is_glob}
                    assert named <= set(tools), sentence
                    told += 1
    assert told > 14 // every


@pytest.mark.parametrize("every", [360, *nightly(9)])
def test_no_word_of_a_sentence_is_left_out(every: int) -> None:
    """A word that nobody knows makes a sentence unread, or stands in its rules."""
    read = 0
    for sentence, tools in list(_sentences("forms.txt"))[::every]:
        words = sentence.split()
        for at in range(1, len(words)):
            odd = " ".join([*words[:at], "zugly", *words[at:]])
            if "(" not in sentence and not _errors(odd, tools):
                rules = read_rules(odd, tools).rules
                agents = [one.agent for rule in rules for one in (*rule.first, *rule.then)]
                assert "zugly" in meant(rules) or "zugly" in agents, odd
                read += 1
    assert read > 0


def test_a_suggestion_names_what_it_leaves_out() -> None:
    for sentence, left in (
        (
            "Never call refund outside office hours.",
            'without "outside office hours": "refund never happens."',
        ),
        ("Skip lookup before refund.", 'without "Skip": "lookup comes before refund."'),
        (
            "At least two lookups before refund.",
            'without "before refund": "lookup happens at least 2 times."',
        ),
    ):
        (error,) = _errors(sentence, ("lookup", "refund"))
        assert error.message.endswith(left), error.message


@pytest.mark.parametrize("number", ["1,000", "1.000", "12,000,000"])
def test_a_number_with_marks_between_its_digits_is_not_another_number(number: str) -> None:
    (error,) = _errors(f"refund happens at most {number} times.", ("lookup", "refund"))
    assert f'write "{number.replace(",", "").replace(".", "")}"' in error.message
    assert NEAREST not in error.message


def test_a_heading_is_said_to_be_left_out() -> None:
    found = read_rules("## Never do this\n- refund comes after lookup\n# a comment", ("refund", "lookup"))
    assert found.warnings == ('line 1: the heading "Never do this" is left out, as comments are',)
    assert len(found.rules) == 1


@pytest.mark.parametrize("every", [9, *nightly(1)])
def test_no_trap_is_read_in_another_way(every: int) -> None:
    """``traps.jsonl``: sentences that a hasty reader gets wrong, with runs that keep or break them in each meaning. Of
    class "none" are those that require nothing. What is read judges these runs rightly."""
    read = 0
    for line in (CORPUS / "traps.jsonl").read_text(encoding="utf-8").splitlines()[::every]:
        row = json.loads(line)
        wanted = [*((run, "right") for run in row["good"]), *((run, "wrong") for run in row["bad"])]
        runs = [{"calls": [{"tool": tool, "arguments": {}} for tool in run]} for run, _ in wanted]
        try:
            judged = verdicts(row["text"], row, runs)
        except ParseFailure:
            continue
        if (
            row["id"] == "t108"
        ):  # "Call read last.": a tool is named "last", too, and the word counts as usual
            continue
        assert row["class"] != "none", row
        assert judged == [verdict for _, verdict in wanted], row
        read += 1
    assert read >= 19 // every


@pytest.mark.parametrize(
    "sentence",
    [
        'pay only if the latest user message does not say "stop".',
        'Never call pay if the latest user message says "stop".',
        "The number of tries passed to `pay` must stay below 10.",
    ],
)
def test_no_suggestion_leaves_out_a_negation_or_a_condition(sentence: str) -> None:
    with pytest.raises(ParseFailure) as failure:
        read_rules(sentence, TOOLS)
    assert NEAREST not in failure.value.errors[0].message
