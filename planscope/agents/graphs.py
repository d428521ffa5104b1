"""Hears when graphs begin, end or wait for a person, whatever a middleware of theirs can see.

A middleware sees calls of models and tools, and not the end of its graph: another middleware may stop it, wait for a
person's approval or answer a call, or the program leaves it. LangChain tells it to callbacks, which this module adds to
each graph of the process as soon as something is recorded.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Protocol
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.tracers.context import register_configure_hook
from langgraph.config import get_config
from langgraph.errors import GraphInterrupt
from langgraph.types import Command

from planscope.session.json_bytes import Obj, plain, plain_text
from planscope.wording import phrases


class Outermost:
    """Knows the outermost chain of each chain under way: what it asks a person, and what the person answered."""

    def __init__(self) -> None:
        self._of: dict[UUID, UUID] = {}
        self._asked: dict[UUID, list[str]] = {}
        self._answers: dict[UUID, str] = {}

    def begins(self, run_id: UUID, parent: UUID | None, inputs: object = None) -> UUID:
        """Note a chain, and return its outermost one."""
        root = self._of[run_id] = run_id if parent is None else self._of.get(parent, run_id)
        if root == run_id and isinstance(inputs, Command) and inputs.resume is not None:
            self._answers[root] = text_of_value(inputs.resume)
        return root

    def of(self, run_id: UUID | None) -> UUID | None:
        """Return the outermost chain of a chain that is under way."""
        return None if run_id is None else self._of.get(run_id)

    def answer(self, root: UUID | None) -> str:
        """Return what a person answered, if the outermost chain goes on from an interrupt; "" else."""
        return "" if root is None else self._answers.get(root, "")

    def ends(self, run_id: UUID, error: BaseException | None = None) -> tuple[bool, list[str]]:
        """Forget a chain. Return whether it was an outermost one, and what that asked a person."""
        root = self._of.pop(run_id, run_id)
        if isinstance(error, GraphInterrupt):
            asked = self._asked.setdefault(root, [])
            asked += [text for text in asked_by(error) if text not in asked]
        if root != run_id:
            return False, []
        self._answers.pop(root, None)
        return True, self._asked.pop(root, [])


def asked_by(error: GraphInterrupt) -> list[str]:
    """Return what an interrupt asks a person; "" if it asks nothing."""
    values = [getattr(one, "value", one) for one in (error.args[0] if error.args else ())]
    return [question_of(value) for value in values] or [""]


def question_of(value: object) -> str:
    """Say what one interrupt asks a person; "" if it asks nothing."""
    return _approval(value) or text_of_value(value)


def _approval(value: object) -> str:
    """Say what a request for approval of calls is about; "" if it is another question."""
    said = [phrases.call(name, arguments, named=True) for name, arguments in calls_to_approve(value)]
    return f"approval of {phrases.listed(said)}" if said else ""


def calls_to_approve(value: object) -> list[tuple[str, Obj]]:
    """Return the calls that an interrupt asks to approve, several or one alone; none if it asks for something else."""
    if not isinstance(value, dict):
        return []
    calls = [value] if value.get("type") == "tool_approval" else value.get("action_requests")
    found = []
    for one in calls if isinstance(calls, list) else ():
        name, arguments = (one.get("name"), one.get("args")) if isinstance(one, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return []
        found.append((name, plain(arguments)))
    return found


def text_of_value(value: object) -> str:
    """Return what a person is asked or answers as text: JSON, if it is no text."""
    if value is None:
        return ""
    return plain_text(value if isinstance(value, str) else json.dumps(plain(value)))[:MOST_TEXT]


MOST_TEXT = 4000
"""The limit for what a person is asked and answers, in characters."""


class Hearer(Protocol):
    """Wants to know when its graphs end, with which outputs, or what they ask a person if they were interrupted."""

    def graph_over(
        self, root: UUID, outputs: object, error: BaseException | None, asked: list[str]
    ) -> None: ...


class _Listener(BaseCallbackHandler):
    """A callback handler of each graph, which passes on what concerns a recorder's graph."""

    run_inline = True
    ignore_llm = True
    ignore_chat_model = True
    ignore_retriever = True

    def __init__(self) -> None:
        self.chains = Outermost()
        self._hearers: dict[UUID, weakref.WeakSet[Hearer]] = {}
        self._lock = threading.Lock()

    def hears(self, root: UUID, hearer: Hearer) -> None:
        with self._lock:
            self._hearers.setdefault(root, weakref.WeakSet()).add(hearer)

    def on_chain_start(
        self,
        serialized: object,
        inputs: object,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: object,
    ) -> None:
        self.chains.begins(run_id, parent_run_id, inputs)

    def on_chain_end(self, outputs: object, *, run_id: UUID, **more: object) -> None:
        self._over(run_id, outputs)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **more: object) -> None:
        self._over(run_id, None, error)

    def on_tool_start(
        self,
        serialized: object,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: Obj | None = None,
        tool_call_id: str | None = None,
        **more: object,
    ) -> None:
        self.chains.begins(run_id, parent_run_id)
        told = calling.get()
        if told is not None and inputs is not None:
            told(tool_call_id, inputs)

    def on_tool_end(self, output: object, *, run_id: UUID, **more: object) -> None:
        self._over(run_id, None)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **more: object) -> None:
        self._over(run_id, None, error)

    def _over(self, run_id: UUID, outputs: object, error: BaseException | None = None) -> None:
        outermost, asked = self.chains.ends(run_id, error)
        if not outermost:
            return
        with self._lock:
            hearers = list(self._hearers.pop(run_id, ()))
        for hearer in hearers:
            hearer.graph_over(run_id, outputs, error, asked)


calling: ContextVar[Callable[[str | None, Obj], object] | None] = ContextVar(
    "planscope_calling", default=None
)
"""Is told the id and the arguments that a tool is really called with, inside of all middleware."""

_listener: _Listener | None = None
_lock = threading.Lock()


def listen() -> None:
    """Hear of each graph that begins from now on, in any thread."""
    global _listener
    with _lock:
        if _listener is None:
            _listener = _Listener()
            heard: ContextVar[object] = ContextVar("planscope_graphs", default=_listener)
            register_configure_hook(heard, inheritable=True)


def heard_by(hearer: Hearer) -> tuple[UUID | None, str]:
    """Tell ``hearer`` when the outermost graph that this code runs in ends. Return the graph's id, None outside one,
    and what a person answered if it goes on from an interrupt."""
    if _listener is None:
        return None, ""
    try:
        around = get_config().get("callbacks")
    except RuntimeError:  # outside a graph
        return None, ""
    root = _listener.chains.of(getattr(around, "parent_run_id", None))
    if root is not None:
        _listener.hears(root, hearer)
    return root, _listener.chains.answer(root)
