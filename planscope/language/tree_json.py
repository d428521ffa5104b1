"""Converts syntax trees to plain JSON data and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from planscope.errors import UserError
from planscope.language.lexicon import load_lexicon
from planscope.language.problem import Span
from planscope.language.tree import (
    FORMS,
    MAX_CLAUSES,
    NATURAL_KINDS,
    NOWHERE,
    NP,
    RELATIONS,
    RELATIVE_FORMS,
    ActionRef,
    Clause,
    Cue,
    Form,
    Link,
    Natural,
    NaturalKind,
    Query,
    Relation,
    Relative,
    RelativeForm,
    Rest,
    Sentence,
    Terminal,
    Time,
    Word,
    terminals,
)

Json = dict[str, Any]


class TreeError(UserError, ValueError):
    """The data is no syntax tree; the message names the fault."""


def dump(tree: Query) -> Json:
    """Return a tree as JSON data. Nodes without a place in a text have no "span"."""
    return _at({"sentences": [_sentence(sentence) for sentence in tree.sentences]}, tree.span)


def _at(data: Json, span: Span) -> Json:
    return data if span == NOWHERE else {**data, "span": list(span)}


def _sentence(sentence: Sentence) -> Json:
    data: Json = {"clauses": [_any_clause(clause) for clause in sentence.clauses]}
    if sentence.conj is not None:
        data["conj"] = _word(sentence.conj)
    return _at(data, sentence.span)


def _any_clause(node: Clause | Natural) -> Json:
    return _natural(node) if isinstance(node, Natural) else _clause(node)


def _natural(node: Natural) -> Json:
    items = [_at({"rest": True}, i.span) if isinstance(i, Rest) else _target(i) for i in node.items]
    cues = [_at({"words": cue.words}, cue.span) for cue in node.cues]
    return _at(
        {"natural": node.kind, "items": items, "cues": cues, "links": [list(link) for link in node.links]},
        node.span,
    )


def _clause(node: Clause) -> Json:
    words = [_word(word) for word in node.words]
    data = {"form": node.form, "relation": node.relation, "subject": _target(node.subject)}
    return _at({**data, "object": _target(node.object), "words": words}, node.span)


def _target(node: NP | Time) -> Json:
    if isinstance(node, Time):
        return _at({"hour": node.hour}, node.span)
    data: Json = {"actions": [_at({"action": ref.action}, ref.span) for ref in node.actions]}
    if (relative := node.relative) is not None:
        words = [_word(word) for word in relative.words]
        inner = {"form": relative.form, "relation": relative.relation, "words": words}
        data["relative"] = _at({**inner, "object": _target(relative.object)}, relative.span)
    return _at(data, node.span)


def _word(word: Word) -> Json:
    data = {"terminal": word.terminal, "entry": word.entry}
    return _at({**data, "modal": word.modal} if word.modal else data, word.span)


def load(data: object) -> Query:
    """Return the tree of JSON data from anywhere. Raises TreeError if it breaks the grammar or the lexicon."""
    sentences = tuple(_load_sentence(item) for item in _list(data, "sentences"))
    return Query(sentences, _span(data))


def _object(data: object) -> Json:
    if not isinstance(data, dict):
        raise TreeError(f"an object was expected, not {type(data).__name__}")
    return data


def _list(data: object, key: str) -> list[object]:
    found = _object(data).get(key)
    if not isinstance(found, list) or not found:
        raise TreeError(f'"{key}" must be a list that is not empty')
    return found


def _choice(data: Json, key: str, choices: tuple[str, ...]) -> str:
    found = data.get(key)
    if not isinstance(found, str) or found not in choices:
        raise TreeError(f'"{key}" must be one of {", ".join(choices)}')
    return found


def _span(data: object) -> Span:
    match _object(data).get("span", list(NOWHERE)):
        case [int(start), int(end)] if 0 <= start <= end:
            return (start, end)
    raise TreeError('"span" must be two places in a text')


def _load_sentence(data: object) -> Sentence:
    clauses = tuple(_load_clause(item) for item in _list(data, "clauses"))
    conj = _object(data).get("conj")
    if len(clauses) > MAX_CLAUSES or (len(clauses) > 1) != (conj is not None):
        raise TreeError("a sentence has one clause, or two with a conjunction")
    return Sentence(clauses, None if conj is None else _load_word(conj, "J"), _span(data))


def _load_words(data: Json, form: Form, relation: Relation) -> tuple[Word, ...]:
    wanted = terminals(form, relation)
    found = _list(data, "words")
    if len(found) != len(wanted):
        raise TreeError(f"a clause of form {form} has {len(wanted)} words")
    return tuple(_load_word(word, terminal) for word, terminal in zip(found, wanted, strict=True))


def _load_word(data: object, terminal: Terminal) -> Word:
    word = _object(data)
    _choice(word, "terminal", (terminal,))
    entry, modal = word.get("entry"), word.get("modal", "")
    if not isinstance(entry, str) or not isinstance(modal, str):
        raise TreeError(f'"entry" and "modal" of {terminal} must be texts')
    if (terminal, entry, modal) not in load_lexicon().forms:
        raise TreeError(f"the lexicon has no {terminal} {entry!r} with modal {modal!r}")
    return Word(terminal, entry, modal, _span(data))


def _load_natural(clause: Json) -> Natural:
    kind = cast("NaturalKind", _choice(clause, "natural", NATURAL_KINDS))
    items = tuple(_load_item(item) for item in _list(clause, "items"))
    cues = tuple(_load_cue(cue) for cue in _list(clause, "cues"))
    links = tuple(_load_link(link, items, len(cues)) for link in _list(clause, "links"))
    return Natural(kind, items, cues, links, _span(clause))


def _load_item(data: object) -> NP | Time | Rest:
    return Rest(_span(data)) if "rest" in _object(data) else _load_target(data, bare=True)


def _load_cue(data: object) -> Cue:
    words = _object(data).get("words")
    if not isinstance(words, str):
        raise TreeError('"words" of a cue must be a text')
    return Cue(words, _span(data))


def _load_link(data: object, items: Sequence[NP | Time | Rest], cues: int) -> Link:
    match data:
        case [int(subject), "<" | ">" as relation, int(cue), int(target)] if (
            0 <= subject < len(items) and 0 <= target < len(items) and 0 <= cue < cues
        ):
            if isinstance(items[subject], NP) and subject != target:
                return Link(subject, relation, cue, target)
    raise TreeError("a link is a list: subject, relation, cue, object")


def _load_clause(data: object) -> Clause | Natural:
    clause = _object(data)
    if "natural" in clause:
        return _load_natural(clause)
    form = cast("Form", _choice(clause, "form", FORMS))
    relation = cast("Relation", _choice(clause, "relation", RELATIONS))
    subject, target = _load_target(clause.get("subject")), _load_target(clause.get("object"))
    if isinstance(subject, Time) or (isinstance(target, Time) and "compound" in form):
        raise TreeError("a clock time cannot be the subject of a verb")
    return Clause(form, relation, subject, target, _load_words(clause, form, relation), _span(data))


def _load_target(data: object, *, bare: bool = False) -> NP | Time:
    target = _object(data)
    if "hour" in target:
        hour = target["hour"]
        if not isinstance(hour, int) or isinstance(hour, bool) or not 0 <= hour <= 24:
            raise TreeError('"hour" must be a whole number from 0 to 24')
        return Time(hour, _span(data))
    actions = tuple(_load_action(item) for item in _list(target, "actions"))
    relative = target.get("relative")
    if relative is not None and bare:
        raise TreeError("a relative clause cannot contain another one")
    return NP(actions, None if relative is None else _load_relative(relative), _span(data))


def _load_action(data: object) -> ActionRef:
    action = _object(data).get("action")
    if not isinstance(action, str):
        raise TreeError('"action" must be the id of an action')
    return ActionRef(action, _span(data))


def _load_relative(data: object) -> Relative:
    relative = _object(data)
    form = cast("RelativeForm", _choice(relative, "form", RELATIVE_FORMS))
    relation = cast("Relation", _choice(relative, "relation", RELATIONS))
    words = _load_words(relative, form, relation)
    return Relative(form, relation, words, _load_target(relative.get("object"), bare=True), _span(data))
