"""What every mutant must be, checked without Z3 and without the code that makes mutants."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

from planscope.language.problem import Problem
from planscope.language.reading import Reading, read_query
from planscope.language.topics import load_topics
from planscope.language.tree import ActionRef, Query, Word, same_tree, walk
from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.synthesis.mutants import Mutant
from tests.oracle.brute import timed_one
from tests.synthesis.support import brute_orders

_FAR = 10**6
Differences = dict[tuple[str, str], int]
"""(x, y): the largest that x - y may be, for start and end of each action ("s a1", "e a1") and midnight ("0")."""


def check_mutant(old: Reading, mutant: Mutant, brute: int = 5) -> None:
    """Whatever the kind; ``brute``: orders are tried out for so many actions at most."""
    was, now = old.problem, mutant.problem
    assert [(a.id, a.duration) for a in was.actions] == [(a.id, a.duration) for a in now.actions]
    assert was.timed == now.timed
    again = read_query(now.text, now.actions, timed=now.timed)
    assert again.problem == now, "the text says something else than the mutant"
    assert again.tree == mutant.tree
    assert mentions(mutant.tree) == mentions(old.tree)
    assert same_order(was) == same_order(now)
    if was.timed:
        assert closure(was) == closure(now)
    if len(was.actions) <= brute:
        assert brute_orders(was) == brute_orders(now)
    judged_alike(was, now, Random(now.text))
    {
        "Repeat": check_repeat,
        "TerminalSubstitute": check_words,
        "TopicChange": check_topic,
        "QuerySynthesize": check_sentences,
    }[mutant.kind](old, mutant)


def check_repeat(old: Reading, mutant: Mutant) -> None:
    assert mutant.problem == old.problem and mutant.tree == old.tree


def check_words(old: Reading, mutant: Mutant) -> None:
    """Every phrase is another one, and nothing else changes."""
    assert mutant.problem.text != old.text
    assert mutant.problem.actions == old.problem.actions
    assert same_tree(mutant.tree, old.tree)
    assert said(mutant.problem) == said(old.problem)
    for (_, one), (_, other) in zip(walk(old.tree), walk(mutant.tree), strict=True):
        if isinstance(one, Word) and one.span != (0, 0):
            assert isinstance(other, Word) and one.entry != other.entry


def check_topic(old: Reading, mutant: Mutant) -> None:
    """Every action and every tool is another one, of the topics that the mutant names."""
    assert mutant.problem.text != old.text
    assert same_tree(mutant.tree, old.tree)
    assert said(mutant.problem) == said(old.problem)
    assert words(mutant.tree) == words(old.tree)
    names = [a.name for a in mutant.problem.actions]
    topics = load_topics()
    pool = {name for job in mutant.topic.split(", ") for name in topics[job]}
    assert len(set(names)) == len(names) and set(names) <= pool
    assert not {n.casefold() for n in names} & {a.name.casefold() for a in old.problem.actions}
    tools = [a.tool for a in mutant.problem.actions]
    assert len(set(tools)) == len(tools) and not set(tools) & {a.tool for a in old.problem.actions}


def check_sentences(old: Reading, mutant: Mutant) -> None:
    """The tree is another one; the actions are not."""
    assert mutant.problem.text != old.text
    assert mutant.problem.actions == old.problem.actions
    assert not same_tree(mutant.tree, old.tree)


def mentions(tree: Query) -> set[str]:
    return {node.action for _, node in walk(tree) if isinstance(node, ActionRef)}


def words(tree: Query) -> list[tuple[str, str, str]]:
    return [node[:3] for _, node in walk(tree) if isinstance(node, Word)]


def said(problem: Problem) -> list[tuple[object, ...]]:
    """The constraints without their places in the text."""
    return [(c.id, c.kind, c.before, c.after, c.action, c.hour, c.sentence, c.node) for c in problem.said]


def same_order(problem: Problem) -> set[tuple[str, str]]:
    """Which action comes before which, by what is said of orders alone (Warshall)."""
    found = {(c.before or "", c.after or "") for c in problem.said if c.kind == "order"}
    ids = [a.id for a in problem.actions]
    for middle in ids:
        first = [a for a in ids if (a, middle) in found]
        found |= {(a, b) for b in ids if (middle, b) in found for a in first}
    return found


def closure(problem: Problem) -> Differences:
    """All that follows of starts and ends, whatever the durations are, and whether or not calls may overlap (Floyd)."""
    ids = [a.id for a in problem.actions]
    points = ["0", *(f"{kind} {i}" for i in ids for kind in "se")]
    most = {(x, y): 0 if x == y else _FAR for x, y in product(points, points)}

    def at_most(x: str, y: str, k: int) -> None:
        most[x, y] = min(most[x, y], k)

    for i in ids:
        at_most(f"s {i}", f"e {i}", -1)
        at_most("0", f"s {i}", 0)
        at_most(f"e {i}", "0", 24)
    for c in problem.said:
        if c.kind == "order":
            at_most(f"e {c.before}", f"s {c.after}", 0)
        elif c.kind == "start_at_least":
            at_most("0", f"s {c.action}", -(c.hour or 0))
        else:
            at_most(f"e {c.action}", "0", c.hour or 0)
    for z, x, y in product(points, points, points):
        at_most(x, y, most[x, z] + most[z, y])
    return most


def judged_alike(was: Problem, now: Problem, luck: Random, plans: int = 6) -> None:
    """Random plans, half of them near to a right one: for the oracle both are right, or both lost at the same step.

    The type of error may differ: a latest end that follows from an order, said, makes it one of hours.
    """
    takes = {a.id: a.duration or 1 for a in was.actions}
    ahead = Counter(after for _, after in same_order(was))
    for k in range(plans):
        order = luck.sample(sorted(takes), len(takes))
        if k % 2:
            order.sort(key=ahead.__getitem__)
        starts, clock = dict[str, int](), 0
        for action in order:
            released = [c.hour or 0 for c in was.said if c.kind == "start_at_least" and c.action == action]
            starts[action] = clock = max([clock + luck.choice([0, 0, 1]), *released])
            clock += takes[action]
        verdicts = []
        for problem in (was, now):
            calls = [
                ToolCall(problem.action_by_id[a].tool, {"start_time": starts[a]} if was.timed else {})
                for a in order
            ]
            found = replay(problem, Trace(tuple(calls), "stopped"))
            verdicts.append((found.verdict().verdict, [step.state == "completable" for step in found.steps]))
        assert verdicts[0] == verdicts[1], (order, starts, verdicts)
        if was.timed and clock <= 24:
            assert all(timed_one(was, c, starts) for c in was.said) == all(
                timed_one(now, c, starts) for c in now.said
            )
