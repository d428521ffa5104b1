"""Small problems and traces, written as one would say them."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.oracle.trace import Ending, ToolCall, Trace


def problem(names: str, *said: str, timed: bool = False, durations: Sequence[int] | None = None) -> Problem:
    """``problem("A B C", "A<B", "B>=10", "C<=15")``; names stand for actions a1, a2, ..."""
    actions = make_actions(names.split(), durations if timed else None)
    ids = {a.name: a.id for a in actions}
    constraints = []
    for k, text in enumerate(said, 1):
        if ">=" in text:
            name, hour = text.split(">=")
            constraints.append(
                Constraint(f"c{k}", "start_at_least", text, action=ids[name], hour=int(hour), sentence=k - 1)
            )
        elif "<=" in text:
            name, hour = text.split("<=")
            constraints.append(
                Constraint(f"c{k}", "end_at_most", text, action=ids[name], hour=int(hour), sentence=k - 1)
            )
        else:
            before, after = text.split("<")
            constraints.append(
                Constraint(f"c{k}", "order", text, before=ids[before], after=ids[after], sentence=k - 1)
            )
    return Problem(actions, (*constraints, *rules(timed)), timed)


def trace(calls: str, ending: Ending = "stopped") -> Trace:
    """``trace("B A")``, timed ``trace("X@10 restart Y@8")``; any other word is a call of that tool."""
    made = []
    for word in calls.split():
        if word == "restart":
            made.append(ToolCall("ask_for_restart", {}))
        elif "@" in word:
            name, hour = word.split("@")
            made.append(ToolCall(name.lower(), {"start_time": int(hour)}))
        else:
            made.append(ToolCall(word.lower(), {}))
    return Trace(tuple(made), ending)
