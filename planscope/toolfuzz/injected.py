"""Neutral values for the arguments that a framework injects into a tool: state, store, runtime, and others by type."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import types
import typing
from collections.abc import Callable, Collection
from enum import Enum
from functools import partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from planscope.toolfuzz.outcome import CALL_ID, Raised, attempt

DEEPEST = 6
_HOLDERS = (list, dict, set, frozenset, tuple)


def injected_values(
    tool: Any, called: Callable[..., object]
) -> tuple[Callable[[], dict[str, object]], str | None]:
    """Return what makes neutral values for a LangChain tool's injected arguments, and why that is impossible, if it is.

    They are made for each call, since a tool may change them. ``called``: what the tool calls.
    """
    if isinstance(tool.args_schema, dict):
        return dict, None
    model, visible = tool.get_input_schema(), tool.tool_call_schema
    shown = set(getattr(visible, "model_fields", {}))
    hidden = {name: one for name, one in getattr(model, "model_fields", {}).items() if name not in shown}
    found = attempt(lambda: get_type_hints(called, include_extras=True))
    plain = {name: one.annotation for name, one in inspect.signature(called).parameters.items()}
    hints = plain if isinstance(found, Raised) else found
    wanted: dict[str, object] = {}
    for name in sorted({*hidden, *getattr(tool, "_injected_args_keys", ())} - {"run_manager", "callbacks"}):
        one = hidden.get(name)
        hint = hints.get(name, one.annotation if one is not None else Any)
        text = f"{hint}{getattr(one, 'metadata', '')}"
        if name == "tool_call_id" or "InjectedToolCallId" in text:
            continue
        if one is not None and not one.is_required() and "Injected" not in text:
            continue
        wanted[name] = hint
        if isinstance(attempt(partial(_neutral, hint)), Raised):
            shape = inspect.formatannotation(hint)
            why = f"its argument {name} is injected, and no neutral value could be made of {shape}"
            return dict, why[:300]
    return lambda: {name: _neutral(hint) for name, hint in wanted.items()}, None


def _neutral(hint: object, depth: int = 0) -> object:
    """Return an empty value of a type. Raises TypeError where none can be made."""
    if depth > DEEPEST:
        raise TypeError("it nests too deep")
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        marks = " ".join(
            getattr(m if isinstance(m, type) else type(m), "__name__", "") for m in arguments[1:]
        )
        if "Store" in marks:
            return _store()
        state = "State" in marks and arguments[0] in (Any, object, dict)
        return {} if state else _neutral(arguments[0], depth + 1)
    if origin in (typing.Required, typing.NotRequired):
        return _neutral(arguments[0], depth + 1)
    if hint in (Any, object, inspect.Parameter.empty):
        return {}
    if origin in (Union, types.UnionType):
        return None if type(None) in arguments else _neutral(arguments[0], depth + 1)
    return arguments[0] if origin is Literal else _of_class(origin or hint, depth)


def _of_class(kind: object, depth: int) -> object:
    if not isinstance(kind, type):
        raise TypeError(f"{kind} is no type")
    if kind.__name__ == "ToolRuntime":
        return _runtime(kind)
    if "BaseStore" in {base.__name__ for base in kind.__mro__}:
        return _store()
    if issubclass(kind, Enum):
        return next(iter(kind))
    if fields := _fields(kind):
        return kind(**{name: _neutral(one, depth + 1) for name, one in fields.items()})
    holders = (one for one in _HOLDERS if issubclass(one, kind))  # an abstract class such as Sequence, too
    return next(holders, kind)()


def _fields(kind: type) -> dict[str, object]:
    """Return the types of the fields that a class of data must be given."""
    models = getattr(kind, "model_fields", {})
    if models:
        return {name: one.annotation for name, one in models.items() if one.is_required()}
    names: Collection[str] = getattr(
        kind, "__required_keys__", frozenset()
    )  # a TypedDict, of typing or of typing_extensions
    if dataclasses.is_dataclass(kind):
        missing = dataclasses.MISSING
        several = (f for f in dataclasses.fields(kind) if f.init and f.default is missing)
        names = {f.name for f in several if f.default_factory is missing}
    hints = get_type_hints(kind, include_extras=True) if names else {}
    return {name: one for name, one in hints.items() if name in names}


def _store() -> object:
    """Return an empty store of langgraph, or None without langgraph."""
    try:
        return importlib.import_module("langgraph.store.memory").InMemoryStore()
    except ImportError:
        return None


def _runtime(kind: Callable[..., object]) -> object:
    known = {"state": {}, "context": None, "config": {}, "stream_writer": lambda _: None, "tool_call_id": CALL_ID,
    "store": _store()}  # fmt: skip
    more = {name: None for name in inspect.signature(kind).parameters if name not in known}
    return kind(**known, **more)
