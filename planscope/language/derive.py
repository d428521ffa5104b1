"""Derives constraints from a tree with spans (paper 4.2, "deriving constraints"; 4.4 for the timed language).

Constraints are numbered in the order of their relation phrases in the text (the phrases that carry "<" or ">"). If a
phrase relates lists, its pairs are ordered by the subject first. A constraint that the text states twice gets two ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from planscope.language.problem import Action, Constraint, NodePath, Problem, Span, rules
from planscope.language.tree import (
    NP,
    RELATION_WORD,
    ActionRef,
    Natural,
    Query,
    Relation,
    Rest,
    Time,
    ordered_links,
    rest_of,
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
