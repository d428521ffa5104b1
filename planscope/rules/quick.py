"""Judges plain traces (``traces/plain.py``) by the rules' tables alone, without a ``Judge`` and without building their
calls where the name of the tool decides. A trace that is not certainly right is left to ``Judge``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_

from planscope.language.calls import ASSISTANT, USER
from planscope.oracle.trace import ToolCall
from planscope.rules.judge import Rulebook, key_in
from planscope.rules.values import Place
from planscope.traces.plain import PlainTrace, plain_arguments
from planscope.traces.values import says_error

MOST_KNOWN = 20_000
"""Limit of sets of tools that are remembered."""
MOST_VALUES = 255


class Quick:
    """The plain traces that keep the rules of one book for sure."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        compared = any(rule.against is not None for rule in book.rules)
        self.fits = not (book.hears or book.unnamed or book.followed or compared)
        """Whether the tables do for these rules: they do not depend on times, messages, answers that arguments are
        compared with, and calls that no rule names."""
        self.timed = any(book.seconds) or ASSISTANT in book.hears
        """Whether they depend on times, or on what the model said, which plain traces lack."""
        self.users = USER in book.hears
        self.answers = book.succeeded_only or any(
            rule.kind in ("latest", "compared") or any(calls.needs_answer for calls in rule.sets)
            for rule in book.rules
        )
        """Whether the rules depend on answers."""
        self._by_value = [calls for rule in book.rules if rule.per for calls in rule.sets]
        self._known: dict[frozenset[str], bool] = {}

    def right(self, trace: PlainTrace) -> tuple[bytes, frozenset[str]] | None:
        """Return for how many values each rule is put to the test, and the tools, if the trace keeps all rules for
        sure."""
        tools = frozenset([call[0] for call in trace.calls])
        if trace.tools:
            if self._by_value and self._seen_by_value(frozenset(trace.tools) - tools):
                return None  # the schema of such a tool may not have the argument that a rule goes by
            tools = tools.union(trace.tools)
        tested = _tested(self.book.for_tools(tools), trace)
        return None if tested is None else (tested, tools)

    def _seen_by_value(self, tools: frozenset[str]) -> bool:
        """Return whether a rule with values names one of these tools."""
        found = self._known.get(tools)
        if found is None:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            found = self._known[tools] = any(c.names(tool) for c in self._by_value for tool in tools)
        return found


def _tested(book: Rulebook, trace: PlainTrace) -> bytes | None:
    """Return for how many values each rule is put to the test, or None if a rule may not be kept."""
    machines, rows = book.machines, book.rows
    now: dict[Place, tuple[int, int]] = {
        (i, None): (machines[i].start, 0) for i, rule in enumerate(book.rules) if not rule.per
    }
    """The state of each rule, for every value so far, and what was seen."""
    last: dict[Place, int] = {}
    for tool, given, message, answer, _ in trace.calls:
        failed = None if answer is None else says_error(answer)
        if failed and book.succeeded_only:
            continue
        decided, others = book.touches(tool)
        for i, letter in decided:
            state, seen = now[i, None]
            now[i, None] = rows[i][state][letter], seen | letter
        if not others:
            continue
        if (arguments := plain_arguments(given)) is None:
            return None
        call = ToolCall(tool, arguments, answer=answer, answered=answer is not None, failed=failed)
        for touch in others:
            i, key = touch.rule, key_in(touch, arguments) if touch.paths else None
            if touch.paths and key is None:
                if touch.letter:
                    return None  # the rule names the tool, and the call lacks its value
                continue
            place, letters = (i, key), touch.of(call)
            state, seen = now.get(place) or (machines[i].start, 0)
            if book.late[i] and last.get(place) != message:
                state, last[place] = machines[i].flush(state), message
            now[place] = machines[i].after(state, letters), reduce(or_, letters, seen)
    return _counted(book, now)


def _counted(book: Rulebook, now: Mapping[Place, tuple[int, int]]) -> bytes | None:
    counts = [0] * len(book.rules)
    for (i, _), (state, seen) in now.items():
        accepting, mask, always = book.shortcuts[i]
        if not accepting[state]:
            return None
        counts[i] += always or bool(seen & mask)
    return bytes(counts) if max(counts, default=0) <= MOST_VALUES else None
