"""The tools of a user's agent that is debugged: each call passes the gate of the run that it is made in.

LangGraph's ``ToolNode`` lets its calls through the gate. A tool that the program calls itself is caught in LangChain's
``BaseTool``, and a tool's function in its code, for as long as a run is at work: in its context, that is, and in the
threads that it starts.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import threading
import warnings
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, get_type_hints

from langchain_core.messages import ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from planscope.agents.both_ways import Result, found_by
from planscope.agents.conversations import inside_call
from planscope.agents.event_loop import at_once
from planscope.agents.gate import StoppedAtGate
from planscope.agents.interrupts import value_of
from planscope.agents.messages import RETURNED, is_json, said_of, text_of
from planscope.session.json_bytes import Obj, plain

if TYPE_CHECKING:
    from planscope.agents.recorder import Recorder

Sync = Callable[[ToolCallRequest], Result]
Async = Callable[[ToolCallRequest], Awaitable[Result]]

running: ContextVar[Recorder | None] = ContextVar("planscope_running", default=None)
"""The recorder of the run that this code belongs to."""

_at_work: list[Recorder] = []
_in_threads: list[Recorder] = []
_wrapped: weakref.WeakSet[ToolNode] = weakref.WeakSet()
_collected: list[list[ToolNode]] = []
_patching = threading.Lock()


def _recorder() -> Recorder | None:
    """Return the recorder of the run that this code belongs to, if that is at work."""
    found = running.get()
    return found if found in _at_work else None


class collecting:
    """Collects the tool nodes that are made in the block, wherever the user's code makes them."""

    def __init__(self, nodes: list[ToolNode]) -> None:
        self._nodes = nodes

    def __enter__(self) -> None:
        with _patching:
            if not _collected:
                self._patch()
            _collected.append(self._nodes)

    def __exit__(self, *error: object) -> None:
        with _patching:
            _collected.remove(self._nodes)

    @staticmethod
    @functools.cache
    def _patch() -> None:
        before = ToolNode.__init__

        @functools.wraps(before)
        def init(node: ToolNode, *given: Any, **more: Any) -> None:
            before(node, *given, **more)
            for nodes in _collected:
                nodes.append(node)
                let_through(node)

        type.__setattr__(ToolNode, "__init__", init)


def find_nodes(made: object, nodes: list[ToolNode], depth: int = 0) -> None:
    """Add the tool nodes of a compiled graph and of its subgraphs."""
    for node in (getattr(made, "nodes", None) or {}).values() if depth < 8 else ():
        for part in _parts(getattr(node, "bound", node)):
            if isinstance(part, ToolNode):
                if part not in nodes:
                    nodes.append(part)
                let_through(part)
            elif hasattr(part, "nodes"):
                find_nodes(part, nodes, depth + 1)


def _parts(bound: object) -> Iterator[object]:
    yield bound
    yield from getattr(bound, "steps", None) or ()


def let_through(node: ToolNode) -> None:
    """Let the calls of a tool node pass the recorder and the gate of the run that they are made in."""
    if node in _wrapped:
        return
    _wrapped.add(node)
    sync, asynchronous = node._wrap_tool_call, node._awrap_tool_call  # noqa: SLF001  # LangGraph has no other way in

    def wrap(request: ToolCallRequest, execute: Sync) -> Result:
        def inner(one: ToolCallRequest) -> Result:
            return execute(one) if sync is None else sync(one, execute)

        recorder = _recorder()
        return inner(request) if recorder is None else recorder.wrap_tool_call(request, inner)

    async def awrap(request: ToolCallRequest, execute: Async) -> Result:
        loop = asyncio.get_running_loop()

        async def made(one: ToolCallRequest) -> Result:
            return await execute(one)

        def here(one: ToolCallRequest) -> Result:
            return asyncio.run_coroutine_threadsafe(made(one), loop).result()

        async def inner(one: ToolCallRequest) -> Result:
            reached = False

            async def noted(last: ToolCallRequest) -> Result:
                nonlocal reached
                reached = True
                return await execute(last)

            if asynchronous is not None:
                try:
                    return await asynchronous(one, noted)
                except NotImplementedError:  # a middleware of the user's is only synchronous
                    if reached or sync is None:
                        raise
            return await execute(one) if sync is None else await asyncio.to_thread(sync, one, here)

        recorder = _recorder()
        return await inner(request) if recorder is None else await recorder.awrap_tool_call(request, inner)

    node._wrap_tool_call, node._awrap_tool_call = wrap, awrap  # noqa: SLF001  # as above


# Tools that the program calls itself

_LEVELS = {"ainvoke": 0, "invoke": 1, "run": 2, "arun": 2}
"""The ways into a tool. Each calls one of a higher level, or the same of a class above."""

_caught: dict[tuple[object, str], object] = {}
_passing: ContextVar[tuple[BaseTool, int, type] | None] = ContextVar("planscope_passing", default=None)
"""The tool that this code has let pass, and the way and the class in which it is now."""


@contextmanager
def at_work(recorder: Recorder) -> Iterator[None]:
    """Catch the tools that a run's program calls itself, until the run and its work in threads are over."""
    with _patching:
        _at_work.append(recorder)
    catch_all()
    try:
        yield
    finally:
        _done(_at_work, recorder)


def _done(at: list[Recorder], recorder: Recorder) -> None:
    """Note that a run or a piece of its work is over. With the last one everything is as it was."""
    with _patching:
        at.remove(recorder)
        while _caught and not _at_work and not _in_threads:
            (kind, name), before = _caught.popitem()
            setattr(kind, name, before)


def catch_all() -> None:
    """Catch the tools of all classes that there are now, and threads and their pools."""
    with _patching:
        for kind, name in _own_of(BaseTool, *_LEVELS):
            _put(kind, name, functools.partial(_way_in, (_LEVELS[name], kind)))
        for kind, name in _own_of(ThreadPoolExecutor, "submit"):
            _put(kind, name, _submitted)
        _put(threading.Thread, "start", _thread_started)
        for one in gc.get_objects():
            for function in _functions(one) if issubclass(type(one), BaseTool) else ():
                _put(function, "__code__", functools.partial(_around, one, function))


def _own_of(kind: type, *names: str) -> Iterator[tuple[type, str]]:
    """Yield the methods of these names that a class and those below it have of their own."""
    yield from ((kind, name) for name in names if name in vars(kind))
    subclasses: list[type] = kind.__subclasses__()
    for below in subclasses:
        yield from _own_of(below, *names)


def _put(kind: object, name: str, made: Callable[[Any], object]) -> None:
    if (kind, name) not in _caught:
        _caught[kind, name] = before = vars(kind)[name] if isinstance(kind, type) else getattr(kind, name)
        setattr(kind, name, made(before))


def _functions(tool: BaseTool) -> list[FunctionType]:
    """Return the functions that a tool is made of."""
    found = (getattr(tool, name, None) for name in ("func", "coroutine"))
    return [one for work in found if isinstance(one := getattr(work, "__func__", work), FunctionType)]


def _around(tool: BaseTool, function: FunctionType, before: CodeType) -> CodeType:
    """Return code that lets calls of a tool's function pass the gate, too, by whatever name the program has it."""
    plain = FunctionType(
        before, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    plain.__kwdefaults__ = function.__kwdefaults__
    signature = inspect.signature(function)
    vars(function)["__signature__"] = signature  # its code will not tell it
    asynchronous = inspect.iscoroutinefunction(function)

    def enter(given: tuple[object, ...], more: Obj) -> object:
        within = _passing.get()
        if _recorder() is None or (within is not None and function in _functions(within[0])):
            return plain(*given, **more)
        asked = dict(signature.bind(*given, **more).arguments)
        own = given[: asked.pop("self", None) is not None]  # a method has it

        def real(_: BaseTool, arguments: Obj) -> Any:
            return plain(*given, **more) if arguments == asked else plain(*own, **arguments)

        async def areal(tool: BaseTool, arguments: Obj) -> object:
            return await real(tool, arguments)

        return _way_in((len(_LEVELS), BaseTool), areal if asynchronous else real)(tool, asked)

    wait = "await " if asynchronous else ""
    names = ", ".join(before.co_freevars)  # code that takes the place of another has as many
    source = f"def outer({names}):\n {'async ' if wait else ''}def inner(*given, **more):\n"
    source += f"  if 0: ({names})\n  return {wait}''(given, more)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        code = compile(source, before.co_filename, "exec")
    for _ in range(2):
        code = next(one for one in code.co_consts if isinstance(one, CodeType))
    return code.replace(co_consts=tuple(enter if one == "" else one for one in code.co_consts))


def _thread_started(before: Callable[..., None]) -> Callable[..., None]:
    """Let the threads of a run have its context."""

    @functools.wraps(before)
    def start(thread: threading.Thread) -> None:
        if (recorder := _recorder()) is not None:
            work = _of_run(recorder, thread.run)

            def run() -> None:
                with suppress(StoppedAtGate):  # nobody hears it here; the run has ended
                    work()

            vars(thread)["run"] = run
        before(thread)

    return start


def _submitted(before: Callable[..., Future[object]]) -> Callable[..., Future[object]]:
    """Let the work that a run gives to a pool have its context, whose thread ever does it."""

    @functools.wraps(before)
    def submit(
        pool: ThreadPoolExecutor, work: Callable[..., object], /, *given: object, **more: object
    ) -> Future[object]:
        recorder = _recorder()
        if recorder is None:
            return before(pool, work, *given, **more)
        made = _of_run(recorder, work)
        token = running.set(None)  # a thread of the pool is not the run's
        try:
            future = before(pool, made, *given, **more)
        finally:
            running.reset(token)
        future.add_done_callback(lambda _: _done(_in_threads, recorder) if future.cancelled() else None)
        return future

    return submit


def _of_run(recorder: Recorder, work: Callable[..., object]) -> Callable[..., object]:
    """Return work for another thread of a run, which is at work until it is done."""
    enter: Callable[..., object] = copy_context().run
    _in_threads.append(recorder)

    def done(*given: object, **more: object) -> object:
        try:
            return enter(work, *given, **more)
        finally:
            _done(_in_threads, recorder)

    return done


def _way_in(here: tuple[int, type], before: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a tool that lets the run's gate decide first."""

    async def way(tool: BaseTool, given: object, more: Sequence[object], options: Obj, later: bool) -> object:
        call = _call(tool, here, given, options)
        if call is None:
            with _let(tool, here):
                return await found_by(before(tool, given, *more, **options), later)

        async def really(request: ToolCallRequest) -> Result:
            with _let(tool, here):
                return call.heard(await found_by(before(tool, call.input(request), *more, **options), later))

        made = really if later else lambda request: at_once(really(request))
        return call.value(await call.gate.call(*call.asked, made, later))

    @functools.wraps(before)
    def sync(tool: BaseTool, given: object, *more: object, **options: object) -> object:
        return at_once(way(tool, given, more, options, False))

    @functools.wraps(before)
    async def asynchronous(tool: BaseTool, given: object, *more: object, **options: object) -> object:
        return await way(tool, given, more, options, True)

    return asynchronous if inspect.iscoroutinefunction(before) else sync


@contextmanager
def _let(tool: BaseTool, here: tuple[int, type]) -> Iterator[None]:
    token = _passing.set((tool, *here))
    try:
        yield
    finally:
        _passing.reset(token)


def _call(tool: BaseTool, here: tuple[int, type], given: object, options: Obj) -> _Call | None:
    """Return the call to decide about; None if this is no run's, or if its gate has let it pass."""
    recorder = running.get()
    if recorder is None or recorder.gate is None:
        return None
    if recorder not in _at_work:
        if recorder.closed:
            raise StoppedAtGate("the run is over")
        return None
    before = _passing.get()
    if before is not None and before[0] is tool:
        level, kind = before[1:]
        if here[0] > level or (here[0] == level and here[1] is not kind and issubclass(kind, here[1])):
            return None
    around = inside_call.get()
    if around is not None and around[1] in around[0].let and around[2] == tool.name:
        around[0].let.discard(around[1])
        return None
    return _Call(recorder, tool, given, options)


class _Call:
    """A call that the program makes itself, as the gate is asked about it."""

    def __init__(
        self, recorder: Recorder, tool: BaseTool, given: object, options: Mapping[str, object]
    ) -> None:
        assert recorder.gate is not None
        self.gate = recorder.gate
        self._tool, self._given = tool, given
        whole = isinstance(given, dict) and given.get("type") == "tool_call" and "args" in given
        self._whole: Obj | None = given if whole and isinstance(given, dict) else None
        found = given if self._whole is None else self._whole["args"]
        sent = options.get("tool_call_id") if self._whole is None else self._whole.get("id")
        self._sent = sent if isinstance(sent, str) else None
        if not isinstance(found, dict):
            found = {next(iter(tool.args), "input"): found}
        shown = tool._filter_injected_args(found)  # noqa: SLF001  # as LangChain shows them to callbacks
        self._injected = {key: value for key, value in found.items() if key not in shown}
        self._shown = dict(shown)
        talk, identity = recorder.called_by_program(tool.name, plain(self._shown), self._sent)
        call = tool_call(name=tool.name, args=self._shown, id=self._sent or "")
        request = ToolCallRequest(call, tool, {}, None)  # type: ignore[arg-type]  # it has no runtime
        self.asked = talk, identity, request
        self._returned: object = None
        self._message: ToolMessage | None = None

    def input(self, request: ToolCallRequest) -> object:
        """Return what the tool is really given. It may call itself, which is another call."""
        self.asked[0].let.discard(self.asked[1])
        arguments = request.tool_call["args"]
        if arguments == self._shown:
            return self._given
        made = {**self._injected, **arguments}
        return made if self._whole is None else {**self._whole, "args": made}

    def heard(self, returned: object) -> Result:
        """Return a tool's answer as a message, to be recorded."""
        if isinstance(returned, ToolMessage | Command):
            return returned
        kept = {} if isinstance(returned, str) or not is_json(returned) else {RETURNED: returned}
        self._returned = returned
        self._message = ToolMessage(
            said_of(returned), name=self._tool.name, tool_call_id=self._sent or "", additional_kwargs=kept
        )
        return self._message

    def value(self, answer: object) -> object:
        """Return what the program gets: without an id, a tool returns no message but its content."""
        if answer is self._message:
            return self._returned
        if self._sent or not isinstance(answer, ToolMessage):
            return answer
        if RETURNED in answer.additional_kwargs:
            return answer.additional_kwargs[RETURNED]
        return answer.content if self._says_text() else value_of(text_of(answer))

    def _says_text(self) -> bool:
        """Return whether the tool returns text, as far as it says what it returns."""
        tool = self._tool
        work = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
        try:
            return get_type_hints(work or type(tool)._run).get("return", str) in (str, Any)  # noqa: SLF001  # a tool's own
        except (NameError, TypeError, AttributeError, SyntaxError):  # annotations of the user's
            return True


# Tools that cannot be caught


def is_no_tool(name: str) -> bool:
    """Return whether no tool of LangChain's has this name, and no class whose data a model may be asked for has it."""
    for one in gc.get_objects():
        kind = type(one)
        if issubclass(kind, BaseTool) and getattr(one, "name", None) == name:
            return False
        if issubclass(kind, type) and one.__name__ == name and "langchain_core" not in str(one.__module__):
            return False
    return True
