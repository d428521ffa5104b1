"""A rule and its parts. A rule is about one or two sets of calls; its kind says how they must follow one another."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from planscope.frozen import frozen
from planscope.language.calls import Against, Calls, CallSet, Condition, Path, glob
from planscope.language.constructions import Kind
from planscope.language.problem import Span
from planscope.rules.kinds import KINDS, machine_of
from planscope.rules.machine import FIRST, LATER, MET, THEN, UNTIL, Machine

MOST_GLOBS = 12
"""Globs that are looked at together."""
MOST_NAMES = 100


def common_name(one: str, other: str) -> str | None:
    """Return a name that both globs name, which keeps their ``*``, or None if no name fits both."""
    (head, *inner, tail), (begin, *middle, end) = one.split("*"), other.split("*")
    first, last = max(head, begin, key=len), max(tail, end, key=len)
    if first.startswith(head) and first.startswith(begin) and last.endswith(tail) and last.endswith(end):
        return "*".join([first, *inner, *middle, last])
    return None


def unseen_names(globs: Sequence[str]) -> list[str]:
    """Return names for tools that nobody has seen yet: one for each glob, and one for globs that some name fits
    together.

    A name keeps the ``*``, which no tool's name has. "any call" needs no name: ``OTHER_TOOL`` stands for it.
    """
    names = [one for one in globs if one.strip("*")]
    few = names[:MOST_GLOBS]
    found: dict[frozenset[str], str] = {}
    for name in names:
        fits = frozenset(one for one in globs if glob(one).fullmatch(name))
        if fits not in found and len(found) < MOST_NAMES:
            found[fits] = name
            names += [both for one in few if one not in fits and (both := common_name(name, one))]
    return list(found.values())


@frozen
class Rule:
    """One rule.

    ``first``: the calls that the rule takes as the earlier ones (the only ones of a kind about one set); ``then``:
    the others; ``until``: those that end a scope, of the kinds that have one. ``count``: a number of calls or, for
    ``within`` with ``unit`` "seconds", seconds. ``per``: names of arguments; calls with equal values are judged as
    a trace of their own. ``per_then``: their names in the calls of ``then`` if they differ. ``condition``
    (``latest`` only): what the answer of ``first`` must have met. ``against`` (``compared`` only): how a call of
    ``then`` is compared with that answer. ``span`` is the sentence in the file, ``spans``
    the words of ``first`` and ``then``.
    """

    id: str
    kind: Kind
    first: CallSet
    then: CallSet = ()
    count: int = 0
    unit: Literal["calls", "seconds", ""] = ""
    per: tuple[Path, ...] = ()
    per_then: tuple[Path, ...] = ()
    condition: Condition | None = None
    against: Against | None = None
    name: str | None = None
    text: str = ""
    line: int = 1
    span: Span = (0, 0)
    spans: tuple[Span, ...] = ()
    until: CallSet = ()

    @property
    def title(self) -> str:
        """The rule's name, or else its number: a query has a c1, too."""
        return self.name or f"rule {self.id.removeprefix('c')}"

    @property
    def sets(self) -> Iterator[Calls]:
        """Every set of calls that the rule names."""
        yield from self.first
        yield from self.then
        yield from self.until

    @property
    def every_call(self) -> bool:
        """Whether calls that the rule does not name matter as well: with values, such a call may bring a new one."""
        about = KINDS[self.kind]
        by_value = bool(self.per) and about.tested == "always"
        return by_value or about.every_call or (self.kind == "within" and self.unit == "calls")

    @property
    def hears_users(self) -> bool:
        return any(calls.is_user for calls in self.sets)

    @property
    def hears(self) -> frozenset[str]:
        """The names of the sets of messages that matter."""
        return frozenset(calls.name for calls in self.sets if calls.is_said)

    @property
    def late(self) -> bool:
        """Whether messages matter: some calls of ``first`` count from the next message on."""
        return any(self.later(calls) for calls in self.first)

    def later(self, calls: Calls) -> bool:
        """Return whether only the answer shows that a call belongs to this part of ``first``, or what it shows."""
        return KINDS[self.kind].by_message or calls.needs_answer

    @property
    def seconds(self) -> bool:
        """Whether the rule has a deadline in seconds."""
        return self.kind == "within" and self.unit == "seconds"

    @property
    def machine(self) -> Machine:
        """The automaton that judges the rule."""
        return machine_of(self.kind, self.count, self.seconds)

    @property
    def machine_with_gaps(self) -> Machine:
        """The automaton that judges traces which lack calls: calls of any tool, but no messages of the user."""
        bits = MET if self.kind == "latest" else MET | FIRST if self.against is not None else 0
        bits |= UNTIL if any(not calls.is_said for calls in self.until) else 0
        for calls in self.first:
            bits |= 0 if calls.is_said else LATER if self.later(calls) else FIRST
        bits |= 0 if all(calls.is_said for calls in self.then) else THEN
        return self.machine.with_gaps(bits)


@frozen
class RuleFile:
    """A file of rules. ``reads`` and ``writes``: tools that were marked as such. ``declared``: the names of those, and
    of others that the file says to be tools. ``warnings``: lines about sentences that may mean something else.
    ``known``: all tools that there are, in any trace; a rule that names another one and is not broken is unknown. None:
    any name may be a tool's."""

    text: str
    rules: tuple[Rule, ...]
    reads: tuple[Calls, ...] = ()
    writes: tuple[Calls, ...] = ()
    declared: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    known: frozenset[str] | None = None

    def among(self, tools: Iterable[str]) -> RuleFile:
        """Return the same rules, about these tools and those that the file declares."""
        return replace(self, known=frozenset(tools).union(self.declared))

    def only_reads(self, tool: str) -> bool:
        """Return whether a tool is marked as only reading. Without a mark it counts as writing."""
        return any(c.names(tool) for c in self.reads) and not any(c.names(tool) for c in self.writes)


def sides(rule: Rule) -> Iterator[tuple[CallSet, tuple[Path, ...]]]:
    """Yield the sets of calls of a rule, each with the names of the arguments that they are judged by."""
    yield rule.first, rule.per
    if rule.until:
        yield rule.until, rule.per
    if rule.then:
        yield rule.then, rule.per_then or rule.per


def names_of(rules: Iterable[Rule]) -> dict[str, int]:
    """Return the names of tools in rules, globs too, each with the line where it is first."""
    found: dict[str, int] = {}
    for rule in rules:
        for calls in rule.sets:
            for name in (calls.name, *calls.but):
                if not calls.is_said and name != "*":
                    found.setdefault(name, rule.line)
    return found


def unknown_names(rules: Iterable[Rule], known: Collection[str]) -> dict[str, int]:
    """Return the names in rules that no known tool has, in any case and with blanks for underscores, and the globs that
    fit none; each with the line where it is first."""
    by_loose: dict[str, int] = {}
    for tool in set(known):
        by_loose[loose(tool)] = by_loose.get(loose(tool), 0) + 1

    def fits(name: str) -> bool:
        if "*" in name:
            return any(glob(name).fullmatch(tool) for tool in known)
        return name in known or by_loose.get(loose(name)) == 1

    return {name: line for name, line in names_of(rules).items() if not fits(name)}


_BLANKS = re.compile(r"[\s_]+")


def loose(name: str) -> str:
    """Return a key that is equal for names that differ only in case, and in blanks for underscores."""
    return "_".join(filter(None, _BLANKS.split(name.casefold())))


@lru_cache(maxsize=20_000)
def resolved(names: tuple[str, ...], tools: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """For each name that no tool has exactly, return the one tool that has it but for case and blanks, if there is
    one."""
    near: dict[str, list[str]] = {}
    for tool in tools:
        near.setdefault(loose(tool), []).append(tool)
    ones = ((name, near.get(loose(name), [])) for name in names if name not in tools)
    return tuple((name, some[0]) for name, some in ones if len(some) == 1)
