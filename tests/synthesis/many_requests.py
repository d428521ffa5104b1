"""Requests of every sort for the tests of mutants: synthesized ones, and what somebody might write by hand."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from planscope.language.problem import Action, make_actions
from planscope.language.reading import ParseFailure, Reading, read_query
from planscope.language.render import render
from planscope.language.tree import ActionRef, Query, Word, walk
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.language.trees import NAMES, Trees


def drawn(seed: int, most: int = 8) -> tuple[Reading, str]:
    """A synthesized request with its topic; sizes, language and knobs are drawn."""
    rng = Random(seed)
    request = Request(
        actions=rng.randint(2, most),
        timed=rng.random() < 0.5,
        seed=seed,
        lists=rng.choice([0.2, 0.6]),
        relatives=rng.choice([0.0, 0.3, 0.8]),
        clock_times=rng.choice([0.3, 0.8, 1.0]),
        redundant=rng.choice([None, None, 0.0, 0.5]),
    )
    made = synthesize(request)
    return Reading(made.text, made.tree, made.problem), made.topic


def by_hand(seed: int, most: int = 6) -> Reading | None:
    """The same with odd names, any words of the lexicon, and the liberties that people take; None if unreadable."""
    rng = Random(seed)
    old, _ = drawn(seed, most)
    timed = old.problem.timed
    names = rng.sample(NAMES, len(old.problem.actions))
    actions = make_actions(names, [a.duration for a in old.problem.actions] if timed else None)
    trees = Trees(rng.choice, [a.id for a in actions], timed=timed)
    text, tree = render(_reworded(old.tree, trees), actions)
    try:
        return read_query(_scribbled(text, tree, actions, rng), actions, timed=timed)
    except ParseFailure:
        return None


def _reworded(tree: Query, trees: Trees) -> Query:
    """The tree with other words, of all that can be read."""

    def anew(node: object) -> object:
        if isinstance(node, Word):
            return trees.word(node.terminal)
        if isinstance(node, tuple):
            parts = [anew(part) for part in node]
            return type(node)(*parts) if hasattr(node, "_fields") else tuple(parts)
        return node

    found = anew(tree)
    assert isinstance(found, Query)
    return found


def _scribbled(text: str, tree: Query, actions: Sequence[Action], rng: Random) -> str:
    """Names with "the", in backquotes, as tools or in capitals; lines broken anywhere, commas left out."""
    tools = {a.id: a.tool for a in actions}
    out, done = [], 0
    for start, end, action in sorted((*n.span, n.action) for _, n in walk(tree) if isinstance(n, ActionRef)):
        name = text[start:end]
        name = rng.choice(
            [*[name] * 8, f"the {name}", f"`{tools[action]}`", tools[action], name.upper(), name.title()]
        )
        out += [text[done:start], name]
        done = end
    whole = "".join([*out, text[done:]])
    odds = {" ": "\n", ",": ""}
    return "".join(odds[c] if c in odds and rng.random() < 0.1 else c for c in whole)
