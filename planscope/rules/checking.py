"""Examines a file of rules alone: contradictions, implied rules, and tools that can never be called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from planscope.frozen import frozen
from planscope.language.calls import Calls, Path
from planscope.rules.core import Lost, each, find_core
from planscope.rules.future import Found, Future
from planscope.rules.judge import Judge, Rulebook
from planscope.rules.rule import Rule, RuleFile, unseen_names


@frozen
class Findings:
    """``contradiction``: ids of a minimal set of rules that no trace keeps, or None. ``implied``: each with the rules
    that imply it. ``uncallable``: tools that no trace which keeps the rules can call."""

    contradiction: tuple[str, ...] | None
    implied: tuple[tuple[str, tuple[str, ...]], ...]
    uncallable: tuple[str, ...]


def examine(rules: Sequence[Rule]) -> Findings:
    """Examine rules. If the search does not decide something, nothing is claimed about it."""
    book = Rulebook(rules)
    if search(book).possible is False:
        return Findings(
            find_core(Lost(book, tools_of(book), 0, (), each(r.id for r in rules))).constraints, (), ()
        )
    return Findings(None, tuple(_implied(rules)), tuple(_uncallable(rules)))


def search(book: Rulebook) -> Found:
    """Return whether some trace keeps the rules, as far as the search can tell."""
    return Future(book, tools_of(book)).of(Judge(book))


def warnings_about(file: RuleFile, tools: Collection[str]) -> list[str]:
    """Return the warnings of a file of rules. ``tools``: those that there are; none if nobody knows."""
    from planscope.rules.report import name_warnings

    return [*file.warnings, *(name_warnings(file.rules, {*tools, *file.declared}) if tools else ())]


def tools_of(book: Rulebook) -> list[str]:
    """Return tools for traces that nobody has seen yet: those that rules name, and unseen ones for their globs."""
    return [*book.literal, *unseen_names(book.globs)]


def _groups(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Return the rules as they hold for whole traces, and as they hold for the calls with each value."""
    names: dict[tuple[tuple[Path, ...], tuple[Path, ...]], None] = {}
    for rule in rules:
        if rule.per:
            names[rule.per, rule.per_then] = None
    alone = [
        [replace(rule, per=(), per_then=()) for rule in rules if (rule.per, rule.per_then) == name]
        for name in names
    ]
    return [[rule for rule in rules if not rule.per], *alone]


def _implied(rules: Sequence[Rule]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the rules that the others imply, from the last to the first. An implied rule no longer counts."""
    found = []
    for group in _groups(rules):
        left = list(group)
        for rule in reversed(group):
            others = [other for other in left if other is not rule]
            by = implied_by(rule, others)
            if by is not None:
                left = others
                found.append((rule.id, tuple(other.id for other in by)))
    place = {rule.id: k for k, rule in enumerate(rules)}
    return sorted(found, key=lambda one: place[one[0]])


def implied_by(rule: Rule, others: Sequence[Rule]) -> list[Rule] | None:
    """Return a minimal set of other rules that imply the rule, or None if some trace keeps them and breaks it. Nothing
    is said of what is compared with answers."""
    if rule.against is not None:
        return None
    enough = _enough(rule, others)
    if enough is None:
        return None
    kept = enough
    for one in reversed(enough):
        rest = [other for other in kept if other is not one]
        if _enough(rule, rest) is not None:
            kept = rest
    return kept


def _enough(rule: Rule, others: Sequence[Rule]) -> list[Rule] | None:
    book = Rulebook([rule, *others])
    book.machines[0] = book.machines[0].inverted()
    found = search(book)
    if found.possible is not False:
        return None
    return [book.rules[i] for i in sorted(found.rules) if i]


def _uncallable(rules: Sequence[Rule]) -> list[str]:
    named = dict.fromkeys(
        calls.name for rule in rules for calls in rule.sets if calls.name and not calls.is_glob
    )
    groups = _groups(rules)
    return [name for name in named if any(not _callable(name, group) for group in groups)]


def _callable(tool: str, rules: Sequence[Rule]) -> bool:
    """Return whether some trace that keeps the rules calls the tool."""
    if not any(calls.names(tool) for rule in rules for calls in rule.sets):
        return True
    wanted = Rule("wanted", "existence", (Calls(tool),), count=1)
    return search(Rulebook([*rules, wanted])).possible is not False
