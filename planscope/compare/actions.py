"""Which action of one request is which of the other, whatever they are called there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from planscope.compare.result import ActionRow, Differing, Matched
from planscope.language.problem import Action, Constraint
from planscope.language.scan import phrase_key
from planscope.session.model import Session, Variant
from planscope.session.oracle_input import actions_of


@dataclass(frozen=True)
class Matching:
    """The actions of both. ``keys_a`` and ``keys_b``: ids to what is equal for matched actions, and for no others."""

    matched: Matched
    rows: tuple[ActionRow, ...]
    keys_a: dict[str, str]
    keys_b: dict[str, str]

    @property
    def one_to_one(self) -> bool:
        """Whether every action has its match."""
        return all(row.a is not None and row.b is not None for row in self.rows)

    @property
    def same_durations(self) -> bool:
        return not any("duration" in row.differs for row in self.rows)


def meaning(c: Constraint, keys: dict[str, str]) -> tuple[object, ...]:
    """Equal for constraints that say the same about matched actions."""
    return (c.kind, *(keys[action] for action in c.actions), c.hour)


def match_actions(session_a: Session, a: Variant, session_b: Session, b: Variant) -> Matching:
    """By ids where the variants have an ancestor in common, else by names.

    Mutants keep their ids, whatever they call the actions. Whoever edits a request may give ids anew, so on such a
    way equal names go before equal ids.
    """
    actions_a, actions_b = actions_of(a), actions_of(b)
    way = _way(session_a, a, session_b, b)
    matched: Matched = "names" if way is None else "ids"
    by_name: list[Callable[[Action], Hashable]] = [lambda x: phrase_key(x.name) or x.name, lambda x: x.tool]
    by_id: list[Callable[[Action], Hashable]] = [lambda x: x.id]
    if way is None:
        pairs = _pairs(actions_a, actions_b, by_name)
    elif all(variant.origin.kind == "mutated" for variant in way):
        pairs = _pairs(actions_a, actions_b, by_id)
    else:
        pairs = _pairs(actions_a, actions_b, [by_name[0], *by_id])
    rows = tuple(_rows(actions_a, actions_b, pairs, a.query.timed and b.query.timed))
    keys_a = {x.id: f"{x.id} in a" for x in actions_a}
    keys_b = {x.id: f"{x.id} in b" for x in actions_b}
    for one, other in pairs.items():
        keys_a[actions_a[one].id] = keys_b[actions_b[other].id] = f"{actions_a[one].id} {actions_b[other].id}"
    return Matching(matched, rows, keys_a, keys_b)


def _pairs(
    a: Sequence[Action], b: Sequence[Action], rules: Sequence[Callable[[Action], Hashable]]
) -> dict[int, int]:
    """By the first rule that matches, the earlier first where a rule matches several."""
    pairs: dict[int, int] = {}
    left_b = dict.fromkeys(range(len(b)))
    for rule in rules:
        found: dict[Hashable, list[int]] = {}
        for j in left_b:
            found.setdefault(rule(b[j]), []).append(j)
        for i, action in enumerate(a):
            same = found.get(rule(action)) if i not in pairs else None
            if same:
                pairs[i] = same.pop(0)
                del left_b[pairs[i]]
    return pairs


def _rows(
    a: Sequence[Action], b: Sequence[Action], pairs: dict[int, int], timed: bool
) -> Iterator[ActionRow]:
    """In the order of ``a``, then what was added."""
    for i, action in enumerate(a):
        if i not in pairs:
            yield ActionRow("gone", action, None)
            continue
        other = b[pairs[i]]
        told: tuple[Differing, ...] = ("name", "tool", "duration") if timed else ("name", "tool")
        differs = tuple(name for name in told if getattr(action, name) != getattr(other, name))
        yield ActionRow("changed" if differs else "same", action, other, differs)
    taken = set(pairs.values())
    yield from (ActionRow("added", None, action) for j, action in enumerate(b) if j not in taken)


def _way(session_a: Session, a: Variant, session_b: Session, b: Variant) -> list[Variant] | None:
    """The variants that were made on the way from one to the other; None where they do not descend from each other.

    The ancestor itself was not made on the way. Two files may hold the same session, grown apart.
    """
    if session_a.id != session_b.id:
        return None
    line_a, line_b = _line(session_a, a), _line(session_b, b)
    for steps, one in enumerate(line_a):
        for others, other in enumerate(line_b):
            same = one.query.text == other.query.text and one.actions == other.actions
            if one.id == other.id and same:
                return line_a[:steps] + line_b[:others]
    return None


def _line(session: Session, variant: Variant) -> list[Variant]:
    """The variant and its ancestors, the nearest first."""
    known = {v.id: v for v in session.variants}
    line, seen = [variant], {variant.id}
    while (parent := known.get(line[-1].parent or "")) is not None and parent.id not in seen:
        seen.add(parent.id)
        line.append(parent)
    return line
