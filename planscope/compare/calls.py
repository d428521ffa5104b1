"""The calls of two runs, each reduced to what makes it the same as another one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planscope.compare.result import ArgumentChange, StepSide
from planscope.oracle.trace import Call


@dataclass(frozen=True, slots=True)
class Key:
    """``action``: equal for the tools of matched actions, else the tool's name. ``whole``: with the arguments."""

    action: str
    whole: tuple[str, str]


def keys(steps: Sequence[StepSide], actions: Mapping[str, str]) -> dict[int, Key]:
    """The key of every step that is a call. ``actions``: ids to what matched actions have in common."""
    found = {}
    for step in steps:
        if step.call is not None:
            action = f"tool {step.call.tool}" if step.action is None else f"action {actions[step.action]}"
            found[step.index] = Key(action, (action, written(step.call)))
    return found


def written(call: Call) -> str:
    """A call's arguments as text: equal where they are, for one in which 8 and 8.0 are the same hour."""
    return f"unreadable: {call.error}" if call.arguments is None else _json(dict(call.arguments))


def _json(value: Any) -> str:
    try:
        return json.dumps(_whole(value), sort_keys=True, default=repr)
    except RecursionError:  # no file holds such a value
        return "nested too deeply"


def _whole(value: Any) -> Any:
    """Floats that are whole numbers as integers: the judge does not tell them apart either."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {str(key): _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list | tuple) else value


def changes(a: Call, b: Call) -> Iterator[ArgumentChange]:
    """What is different in the arguments, in the order in which ``a`` has them, then what was added.

    Arguments that cannot be read are none.
    """
    in_a, in_b = a.arguments or {}, b.arguments or {}
    for name, value in in_a.items():
        if name not in in_b:
            yield ArgumentChange(name, "gone", value, None)
        elif _json(value) != _json(in_b[name]):
            yield ArgumentChange(name, "changed", value, in_b[name])
    for name, value in in_b.items():
        if name not in in_a:
            yield ArgumentChange(name, "added", None, value)
