"""Watches: expressions whose values are displayed at every step."""

from __future__ import annotations

from collections.abc import Iterable

from planscope.debugger.errors import DebuggerError
from planscope.debugger.expressions import (
    ActionValue,
    Comparison,
    ConstraintStatus,
    Expression,
    Operand,
    costly,
    parse_expression,
    value_in_words,
)
from planscope.debugger.run_index import RunIndex
from planscope.frozen import frozen
from planscope.language.problem import Problem

Value = int | str | bool | None
"""None means not known yet; ``"many"`` means too many orders to count."""

MANY = "many"


@frozen
class Watch:
    """A watched expression."""

    expression: Expression

    def __str__(self) -> str:
        return str(self.expression)

    @property
    def costly(self) -> bool:
        """Whether the watch may be slow to evaluate, so that the screen evaluates it in another thread."""
        return costly(self.expression)


@frozen
class WatchLine:
    """A watch as it is displayed: its text, its value, and whether the value changed at this step."""

    text: str
    value: str
    changed: bool


def parse_watch(text: str, problem: Problem) -> Watch:
    """Read a watch. Raises DebuggerError, which says in one line what is wrong."""
    return Watch(parse_expression(text, problem))


def load_watches(texts: Iterable[str], problem: Problem) -> tuple[tuple[Watch, ...], tuple[str, ...]]:
    """Return the watches of a session file, and an error line for each that does not fit this query."""
    watches: list[Watch] = []
    problems: list[str] = []
    for text in texts:
        try:
            watches.append(parse_watch(text, problem))
        except DebuggerError as error:
            problems.append(f"watch: {error}")
    return tuple(watches), tuple(problems)


def evaluate(expression: Expression, run: RunIndex, index: int) -> Value:
    """Return the value at an index of the run. A comparison is True or False."""
    if isinstance(expression, Comparison):
        return _compare(expression, run, index)
    return _value(expression, run, index)


def _value(operand: Operand, run: RunIndex, index: int) -> Value:
    if isinstance(operand, ActionValue):
        execution = run.execution(operand.action, index)
        return None if execution is None else getattr(execution, operand.aspect)
    if isinstance(operand, ConstraintStatus):
        return run.replay.status(operand.constraint, index)
    if operand.name == "valid_completions":
        count = run.valid_completions(index)
        return MANY if count is None else count
    view = run.steps[index]
    if operand.name == "state":
        return view.state
    return view.step if operand.name == "step" else view.attempt


def _compare(comparison: Comparison, run: RunIndex, index: int) -> bool:
    """Compare two values. An unknown value equals only ``none`` or ``many``, and is neither less nor more than
    anything."""
    left = _value(comparison.left, run, index)
    right = comparison.right
    if isinstance(right, Operand):
        right = _value(right, run, index)
    if comparison.operator == "==":
        return left == right
    if comparison.operator == "!=":
        return left != right
    a, b = (run.last if side == "end" else side for side in (left, right))
    if not isinstance(a, int) or not isinstance(b, int):
        return False
    less, equal = a < b, a == b
    return {"<": less, "<=": less or equal, ">": not (less or equal), ">=": not less}[comparison.operator]


def in_words(value: Value) -> str:
    """Return a value as it is displayed."""
    if value is None:
        return "not yet"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value_in_words(str(value))


def look(watch: Watch, run: RunIndex, index: int) -> WatchLine:
    """Evaluate a watch at an index. A costly value counts as changed only if the one before it is known already."""
    value = evaluate(watch.expression, run, index)
    compare = index > 0 and (not watch.costly or run.has_count(index - 1))
    changed = compare and evaluate(watch.expression, run, index - 1) != value
    return WatchLine(str(watch), in_words(value), changed)
