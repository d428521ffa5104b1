"""A tiny language over one step: a value of the plan, or two values compared. No ``eval``.

    expression = operand [ operator (operand | literal) ]
    operand    = action "." ("place" | "start" | "end") | constraint
               | "valid_completions" | "state" | "step" | "attempt"
    operator   = "<" | "<=" | ">" | ">=" | "==" | "!="

An action is written as its id, tool or name, in quotes if that has blanks or signs: ``"hair color".start``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from typing import Literal, get_args

from planscope.debugger.errors import DebuggerError, shown, unknown
from planscope.frozen import frozen
from planscope.language.problem import Action, Problem
from planscope.oracle.verdict_types import State
from planscope.wording.terms import CONSTRAINT_STATUSES, RULE_STATUSES, STATES, STATUSES

Aspect = Literal["place", "start", "end"]
FactName = Literal["valid_completions", "state", "step", "attempt"]
Operator = Literal["<", "<=", ">", ">=", "==", "!="]

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
FACTS: tuple[FactName, ...] = get_args(FactName)
MAX_LENGTH = 400


@frozen
class ActionValue:
    """An action's place among the executed ones (from 1), or its start or end hour; None before it ran."""

    action: str
    aspect: Aspect
    written: str

    def __str__(self) -> str:
        return f"{quoted(self.written)}.{self.aspect}"


@frozen
class ConstraintStatus:
    """A constraint's status: ``holds``, ``open`` or ``broken`` (which can also be written ``violated``); a rule's:
    ``kept``, ``kept_so_far``, ``owed``, ``broken`` or ``unknown``, or the words that the screen shows for them."""

    constraint: str

    def __str__(self) -> str:
        return self.constraint


@frozen
class Fact:
    """A fact about the whole step, such as its state."""

    name: FactName

    def __str__(self) -> str:
        return self.name


Operand = ActionValue | ConstraintStatus | Fact


@frozen
class Comparison:
    """A condition. ``right`` is an operand, a number, a value's word in the JSON, or None for ``none``.

    ``word`` is that word as the user wrote it.
    """

    left: Operand
    operator: Operator
    right: Operand | int | str | None
    word: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.word or ('none' if self.right is None else self.right)}"


Expression = Operand | Comparison

_TOKEN = re.compile(
    r"""\s*(?:(?P<quote>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<operator><=|>=|==|!=|<|>)|(?P<dot>\.)"""
    r"""|(?P<word>[^\s<>=!."']+)|(?P<other>\S))"""
)
_PLAIN = re.compile(r"[^\s<>=!.\"']+")
_NUMBER = re.compile(r"-?[0-9]{1,9}")

Token = tuple[str, str]


def quoted(name: str) -> str:
    """Write a name as the language reads it, in double quotes if it needs them."""
    if _PLAIN.fullmatch(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(text: str) -> str:
    """Return the name in a quoted token."""
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def parse_expression(text: str, problem: Problem) -> Expression:
    """Read an expression over a problem's names. Raises DebuggerError, which says in one line what is wrong."""
    if len(text) > MAX_LENGTH:
        raise DebuggerError(f"an expression has at most {MAX_LENGTH} characters")
    reader = _Reader(text, problem)
    if not reader.tokens:
        raise DebuggerError("enter an expression, such as valid_completions or a1.place")
    expression = reader.expression()
    if reader.tokens:
        raise DebuggerError(f"unexpected {shown(reader.tokens[0][1])} after {shown(str(expression))}")
    return expression


def parse_condition(text: str, problem: Problem) -> Comparison:
    """Read an expression, which must be a comparison."""
    expression = parse_expression(text, problem)
    if not isinstance(expression, Comparison):
        raise DebuggerError(f"{shown(str(expression))} is a value; a condition compares it, as in 'step > 3'")
    return expression


def costly(expression: Expression) -> bool:
    """Return whether the value needs the oracle's counts, which may take a while."""
    if isinstance(expression, Comparison):
        sides = (expression.left, expression.right)
        return any(isinstance(side, Fact) and costly(side) for side in sides)
    return isinstance(expression, Fact) and expression.name == "valid_completions"


JSON_VALUES = {word: value for value, word in (*STATES.items(), *STATUSES.items())}
"""JSON values by the words that are displayed for them; conditions may use both."""


def _words(operand: ActionValue | Fact) -> tuple[str, ...]:
    if isinstance(operand, ActionValue):
        return ("none",)
    named: dict[FactName, tuple[str, ...]] = {
        "state": get_args(State),
        "step": ("end",),
        "valid_completions": ("many",),
        "attempt": (),
    }
    return named[operand.name]


def _shown(values: Iterable[str]) -> list[str]:
    """Return the displayed words for values, and then the values."""
    return list(dict.fromkeys([*map(value_in_words, values), *values]))


def value_in_words(value: str) -> str:
    return STATES.get(value) or STATUSES.get(value, value)


def _is_number(operand: Operand) -> bool:
    return isinstance(operand, ActionValue) or (isinstance(operand, Fact) and operand.name != "state")


class _Reader:
    def __init__(self, text: str, problem: Problem) -> None:
        self.problem = problem
        self.tokens: list[Token] = []
        for match in _TOKEN.finditer(text.strip()):
            kind = str(match.lastgroup)
            if kind == "other":
                hint = "; equality is ==" if match["other"] == "=" else ""
                raise DebuggerError(f"{shown(match['other'])} is unexpected here{hint}")
            self.tokens.append((kind, match[kind]))

    def expression(self) -> Expression:
        left = self.operand()
        if not self.tokens or self.tokens[0][0] != "operator":
            return left
        operator = self.tokens.pop(0)[1]
        if not self.tokens:
            raise DebuggerError(f"there is nothing to compare with after {shown(operator)}")
        return self.comparison(left, operator)

    def comparison(self, left: Operand, operator: str) -> Comparison:
        kind, word = self.tokens[0]
        right: Operand | int | str | None
        words = self.words(left)
        alone = len(self.tokens) == 1
        written = ""
        said = self.rest().casefold()
        if said and (value := JSON_VALUES.get(said, said)) in words:
            self.tokens.clear()
            right = None if value == "none" else value
            written = said
        elif alone and kind == "word" and _NUMBER.fullmatch(word):
            if not _is_number(left):
                raise unknown(f"value of {left}", word, _shown(words))
            self.tokens.pop(0)
            right = int(word)
        elif alone and kind == "word" and not self.names_operand(word):
            kinds = (*words, "a number") if _is_number(left) else _shown(words)
            raise unknown(f"value of {left}", word, kinds)
        else:
            right = self.operand()
            if _is_number(left) != _is_number(right) or (not _is_number(left) and self.words(right) != words):
                raise DebuggerError(f"{shown(str(left))} and {shown(str(right))} cannot be compared")
        ordered = _is_number(left) and (
            isinstance(right, int) or not (right is None or isinstance(right, str))
        )
        for known in get_args(Operator):
            if operator == known and (ordered or known in ("==", "!=")):
                return Comparison(left, known, right, written)
        raise DebuggerError(
            f"{operator} compares numbers; {shown(str(left))} can only be compared by == and !="
        )

    def rest(self) -> str:
        """Return the rest of the text if it is words alone, or one name in quotes; else ""."""
        if len(self.tokens) == 1 and self.tokens[0][0] == "quote":
            return unquoted(self.tokens[0][1])
        return " ".join(w for _, w in self.tokens) if all(kind == "word" for kind, _ in self.tokens) else ""

    def words(self, operand: Operand) -> tuple[str, ...]:
        """Return the words that an operand's value can be. Rules have other statuses than a query's constraints."""
        if isinstance(operand, ConstraintStatus):
            rule = self.problem.by_id[operand.constraint].kind == "of_calls"
            return RULE_STATUSES if rule else CONSTRAINT_STATUSES
        return _words(operand)

    def names_operand(self, word: str) -> bool:
        return word.casefold() in FACTS or self.constraint(word) is not None or self.action(word) is not None

    def operand(self) -> Operand:
        kind, written = self.tokens.pop(0)
        if kind not in ("word", "quote"):
            raise DebuggerError(f"found {shown(written)} where a name was expected")
        name = unquoted(written) if kind == "quote" else written
        if self.tokens and self.tokens[0][0] == "dot":
            self.tokens.pop(0)
            return self.action_value(name)
        folded = name.casefold()
        for fact in FACTS:
            if kind == "word" and folded == fact:
                return Fact(fact)
        constraint = self.constraint(name)
        if kind == "word" and constraint is not None:
            return ConstraintStatus(constraint)
        if self.action(name) is not None:
            raise DebuggerError(f"{shown(name)} is an action; ask for its .place, .start or .end")
        if kind == "word" and _NUMBER.fullmatch(name):
            raise DebuggerError(f"the number comes last: 'step > {name}', not '{name} < step'")
        constraints = [c.id for c in self.problem.constraints]
        raise unknown(
            "value", name, [*FACTS, *constraints, *(f"{a.tool}.place" for a in self.problem.actions)]
        )

    def action_value(self, name: str) -> ActionValue:
        action = self.action(name)
        if action is None:
            raise unknown("action", name, [n for a in self.problem.actions for n in (a.tool, a.name, a.id)])
        aspect = self.tokens.pop(0)[1] if self.tokens else ""
        for known in ASPECTS:
            if aspect.casefold() == known:
                if known != "place" and not self.problem.timed:
                    raise DebuggerError(f"this query has no clock times, so {shown(name)} has only .place")
                return ActionValue(action.id, known, name)
        raise unknown(f"part of {shown(name)}", aspect, ASPECTS)

    def constraint(self, name: str) -> str | None:
        for word in (name, name.casefold()):
            if word in self.problem.by_id:
                return word
        return None

    def action(self, name: str) -> Action | None:
        problem = self.problem
        found = problem.action_by_id.get(name) or problem.action_by_tool.get(name)
        if found is None:
            folded = name.casefold()
            for action in problem.actions:
                if folded in (action.name.casefold(), action.id.casefold(), action.tool.casefold()):
                    return action
        return found
