"""Derives constraints from a tree with spans (paper 4.2, "deriving constraints"; 4.4 for the timed language).

Constraints are numbered in the order of their relation phrases in the text (the phrases that carry "<" or ">"). If a
phrase relates lists, its pairs are ordered by the subject first. A constraint that the text states twice gets two ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from planscope.language.problem import Action, Constraint, NodePath, Problem, Span, rules
from planscope.language.scan import Meaning, surfaces
from planscope.language.tree import (
    NP,
    RELATION_WORD,
    ActionRef,
    Clause,
    Cue,
    Natural,
    Query,
    Relation,
    Relative,
    Rest,
    Time,
    ordered_links,
    rest_of,
    walk,
)


@cache
def _rules(timed: bool) -> tuple[Constraint, ...]:
    return rules(timed)


class _Collector:
    __slots__ = ("actions", "found", "timed")

    def __init__(self, timed: bool, actions: tuple[str, ...]) -> None:
        self.timed = timed
        self.actions = actions
        self.found: list[Constraint] = []

    def relative(self, np: NP | Time, path: NodePath) -> None:
        """Collect the constraints of a relative clause, if there is one."""
        if isinstance(np, NP) and (relative := np.relative) is not None:
            form, relation, words, target, _ = relative
            phrase = words[RELATION_WORD[form]].span
            self.pairs(np.actions, relation, phrase, target, (*path, "relative"))

    def pairs(
        self,
        subjects: tuple[ActionRef, ...],
        relation: Relation,
        phrase: Span,
        target: NP | Time,
        path: NodePath,
    ) -> None:
        found = self.found
        sentence = path[0]
        assert isinstance(sentence, int)
        for one, one_span in subjects:
            if not isinstance(target, NP):
                hour, hour_span = target
                cid = f"c{len(found) + 1}"
                spans = (one_span, phrase, hour_span)
                if relation == "<":
                    text = f"{one}.end <= {hour}"
                    made = Constraint(cid, "end_at_most", text, None, None, one, hour, sentence, spans, path)
                else:
                    text = f"{one}.start >= {hour}"
                    made = Constraint(
                        cid, "start_at_least", text, None, None, one, hour, sentence, spans, path
                    )
                found.append(made)
                continue
            for other, other_span in target.actions:
                before, after = (one, other) if relation == "<" else (other, one)
                text = f"{before}.end <= {after}.start" if self.timed else f"{one} {relation} {other}"
                cid = f"c{len(found) + 1}"
                spans = (one_span, phrase, other_span)
                found.append(Constraint(cid, "order", text, before, after, None, None, sentence, spans, path))

    def natural(self, natural: Natural, path: NodePath) -> None:
        """Collect the constraints of a natural clause, which the paper's grammar does not have."""
        for subject, relation, cue, target in ordered_links(natural):
            one, other = natural.items[subject], natural.items[target]
            assert isinstance(one, NP)
            if isinstance(other, Rest):
                other = rest_of(one, other, self.actions)
            self.pairs(one.actions, relation, natural.cues[cue].span, other, path)


def derive(tree: Query, *, timed: bool = False, actions: Iterable[str] = ()) -> tuple[Constraint, ...]:
    """Return the constraints ``c1, c2, ...`` of a tree with spans.

    ``actions``: the ids of all actions; "A comes first" is about them.
    """
    collector = _Collector(timed, tuple(actions))
    for s, sentence in enumerate(tree.sentences):
        for c, clause in enumerate(sentence.clauses):
            if isinstance(clause, Natural):
                collector.natural(clause, (s, "clause", c))
                continue
            form, relation, subject, target, words, _ = clause
            path = (s, "clause", c)
            phrase = words[RELATION_WORD[form]].span
            if form == "fronted" or form == "fronted_compound":
                collector.pairs(subject.actions, relation, phrase, target, path)
                collector.relative(target, (s, "clause", c, "object"))
                collector.relative(subject, (s, "clause", c, "subject"))
            else:
                collector.relative(subject, (s, "clause", c, "subject"))
                collector.pairs(subject.actions, relation, phrase, target, path)
                collector.relative(target, (s, "clause", c, "object"))
    return tuple(collector.found)


def problem_of_tree(
    tree: Query, actions: Iterable[Action], *, timed: bool = False, text: str = ""
) -> Problem:
    """Return the problem of a tree with spans in ``text``: the constraints of the text, then the rules."""
    actions = tuple(actions)
    said = derive(tree, timed=timed, actions=(action.id for action in actions))
    return Problem(actions, said + _rules(timed), timed, text)


Doubt = Literal["", "response", "start", "end", "none_after"]


@dataclass(frozen=True, slots=True)
class Statement:
    """What one phrase of a text says about order, for readers of rules, whose calls need not happen.

    ``orders``: pairs of action ids, the earlier one first, by their place in the text. A ``chain`` ("First A, then B,
    then C") is one statement, and its orders are the pairs of its neighbours. ``place``: "A comes first" or "last" says
    it of ``about``; its orders are those to all other actions.

    ``doubt``: what such words also mean if calls need not happen. "response": "A is followed by B", "After A, B
    happens" and "Once A is done, B happens" may ask for a later B after each A. "start": "Start with C" may ask that
    there is a C at all. "end": the same of "End with C". "none_after": "Never do A after B" and "After B, don't do A"
    only say that no A comes after a B; the order is that of A before B.
    """

    kind: Literal["order", "chain", "place"]
    orders: tuple[tuple[str, str], ...]
    about: tuple[str, ...]
    span: Span
    place: Literal["", "first", "last"] = ""
    doubt: Doubt = ""


def statements(tree: Query, said: Sequence[Constraint]) -> Iterator[Statement]:
    """Yield the statements of a tree, whose constraints are ``said``. Clock times are left out."""
    for path, node in walk(tree):
        if isinstance(node, Clause | Relative):
            word = node.words[RELATION_WORD[node.form]]
            late = node.relation == ">" and node.form in ("fronted", "fronted_compound")
            doubt: Doubt = "response" if late or word.entry in _FOLLOWED else ""
            yield from _statement(said, path, word.span, doubt)
        elif isinstance(node, Natural) and node.kind == "place":
            subject = node.items[0]
            assert isinstance(subject, NP)
            first = node.links[0].relation == "<"
            starting = _meaning(node.cues[0]).type == "WITH"
            doubt = "" if not starting else "start" if first else "end"
            about = tuple(ref.action for ref in subject.actions)
            orders = tuple(_order(c) for c in said if c.node == path)
            yield Statement("place", orders, about, node.span, "first" if first else "last", doubt)
        elif isinstance(node, Natural) and node.kind == "chain":
            yield from _statement(said, path, None, "")
        elif isinstance(node, Natural):
            for link in {link.cue: link for link in ordered_links(node)}.values():
                cue = node.cues[link.cue]
                yield from _statement(said, path, cue.span, _doubt(node, cue, link.relation))


_FOLLOWED = ("be followed by", "be succeeded by")


def _meaning(cue: Cue) -> Meaning:
    from planscope.language.natural import natural_phrases

    return surfaces().get(cue.words) or natural_phrases().get(cue.words, Meaning(""))


def _doubt(node: Natural, cue: Cue, relation: Relation) -> Doubt:
    meaning = _meaning(cue)
    if any(entry in _FOLLOWED for _, (entry, _) in meaning.words):
        return "response"
    if meaning.type == "HAVING" and node.kind == "fronted":
        return "response"
    if meaning.relation != ">" or cue.words.startswith("only"):
        return ""
    return "none_after" if relation == "<" else "response" if node.kind == "fronted" else ""


def _statement(
    said: Sequence[Constraint], path: NodePath, phrase: Span | None, doubt: Doubt
) -> Iterator[Statement]:
    """Yield the statement of a phrase (None: of all phrases of a chain), unless it is about clock times only."""
    own = [c for c in said if c.node == path and c.kind == "order" and phrase in (None, c.spans[1])]
    if own:
        about = tuple(dict.fromkeys(action for c in own for action in c.actions))
        places = [place for c in own for span in c.spans for place in span]
        kind: Literal["order", "chain"] = "chain" if phrase is None else "order"
        yield Statement(kind, tuple(map(_order, own)), about, (min(places), max(places)), "", doubt)


def _order(c: Constraint) -> tuple[str, str]:
    return str(c.before), str(c.after)
