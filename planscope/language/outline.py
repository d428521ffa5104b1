"""The syntax tree as a flat list of lines to display, each with its span and its constraints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from planscope.frozen import frozen
from planscope.language.problem import Constraint, NodePath, Problem, Span
from planscope.language.tree import (
    NP,
    RELATION_WORD,
    ActionRef,
    Clause,
    Cue,
    Natural,
    Node,
    Query,
    Relative,
    Rest,
    Sentence,
    Time,
    Word,
    children,
    terminals,
)


@frozen
class OutlineNode:
    """One line of the tree. ``depth``: 0 for the query. ``constraints``: ids of those that the node's words state,
    in order.

    ``label`` names the node by the grammar's symbols, for JSON. ``plain`` names it in plain words, for people;
    ``symbol`` is the paper's symbol shown beside it, or empty.
    """

    path: NodePath
    depth: int
    label: str
    span: Span
    constraints: tuple[str, ...]
    plain: str = ""
    symbol: str = ""


_CLAUSES = {"<": "before-clause", ">": "after-clause"}
_NATURAL = {
    "chain": "chain: one after the other",
    "order": "order clause",
    "fronted": "order clause, object first",
    "place": "first or last of all",
}
_WORDS = {"VP": "verb", "P": "preposition", "SC": "conjunction", "J": "joined by"}


def _named(path: NodePath, node: Node, names: dict[str, str], text: str) -> tuple[str, str, str]:
    """Return label, plain label and symbol of a node."""
    match node:
        case Clause(form=form, relation=relation):
            symbol = terminals(form, relation)[RELATION_WORD[form]]
            return f"{form.replace('_', ' ')} {symbol}", _CLAUSES[relation], symbol
        case Relative(form=form, relation=relation):
            symbol = terminals(form, relation)[RELATION_WORD[form]]
            return f"which {symbol}", 'relative clause "which"', symbol
        case Natural(kind=kind):
            return f"natural {kind}", _NATURAL[kind], ""
        case Cue(words=words):
            return f"cue {words}", f'words "{words}"', ""
        case Word(terminal=terminal):
            said = " ".join(text[slice(*node.span)].split())
            return f"{terminal} {said}", f"{_WORDS[terminal.rstrip('<>0')]} {said}", terminal
    label = _label(path, node, names)
    return label, label, ""


def _label(
    path: NodePath, node: Query | Sentence | NP | ActionRef | Time | Rest, names: dict[str, str]
) -> str:
    match node:
        case Query():
            return "query"
        case Sentence():
            return f"sentence {int(path[0]) + 1}"
        case NP(actions=actions):
            role = "actions" if path[-2:-1] == ("item",) else str(path[-1])
            role = "action" if role == "actions" and len(actions) == 1 else role
            return f"{role} {names[actions[0].action]}" if _single(node) else f"{role} of {len(actions)}"
        case ActionRef(action=action):
            return f"{action} {names[action]}"
        case Time(hour=hour):
            return f"{'time' if path[-2:-1] == ('item',) else path[-1]} {hour:02}:00"
        case Rest():
            return "all other actions"


def _single(np: NP) -> bool:
    return len(np.actions) == 1 and np.relative is None


def _below(node: Node) -> Iterable[tuple[NodePath, Node]]:
    """Yield the children in the order of the text. A noun phrase of one action is one line."""
    if isinstance(node, NP) and _single(node):
        return ()
    if isinstance(node, Natural) and isinstance(node.items[-1], Rest):
        # The word for all other actions is one line, not two.
        rest = node.items[-1]
        shown = (one for one in children(node) if not (isinstance(one[1], Cue) and one[1].span == rest.span))
        return sorted(shown, key=lambda item: item[1].span)
    return sorted(children(node), key=lambda item: item[1].span)


def _lines(
    path: NodePath, depth: int, node: Node, said: Sequence[Constraint], names: dict[str, str], text: str
) -> Iterator[OutlineNode]:
    start, end = node.span
    here = [c for c in said if any(start <= a and b <= end for a, b in c.spans)]
    label, plain, symbol = _named(path, node, names, text)
    yield OutlineNode(path, depth, label, node.span, tuple(c.id for c in here), plain, symbol)
    for step, child in _below(node):
        yield from _lines(path + step, depth + 1, child, here, names, text)


def outline(tree: Query, problem: Problem, text: str) -> tuple[OutlineNode, ...]:
    """Yield the lines of a tree with its spans in ``text``, parents first, in the order of the text."""
    names = {action.id: action.name for action in problem.actions}
    said: dict[int | None, list[Constraint]] = defaultdict(list)
    for c in problem.said:
        said[c.sentence].append(c)
    lines = [OutlineNode((), 0, "query", tree.span, tuple(c.id for c in problem.said), "query")]
    for step, sentence in _below(tree):
        lines += _lines(step, 1, sentence, said[int(step[0])], names, text)
    return tuple(lines)
