"""The tools that can be fuzzed, in the process that has imported them: all have one shape (:class:`Tool`).

A LangChain tool is known by its methods, so that LangChain is imported only if the target imports it.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import itertools
import json
import os
import sys
import tempfile
import textwrap
import warnings
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import AsyncGeneratorType, GeneratorType
from typing import Any, get_args, get_type_hints

from planscope.errors import UserError
from planscope.toolfuzz.accepts import mismatch
from planscope.toolfuzz.host import Channel, Host
from planscope.toolfuzz.injected import injected_values
from planscope.toolfuzz.loop import event_loop
from planscope.toolfuzz.outcome import CALL_ID, Places, Raised, Refused, attempt, class_name, message_of

Bind = Callable[[dict[str, object]], dict[str, object]]
MOST_YIELDED = 100
"""What is taken of a generator that may have no end."""


@dataclass
class Tool:
    """One tool. ``schema``: the JSON schema of its arguments object. ``skipped``: why it cannot be fuzzed.

    ``remote``: it is a server's, with the schema ``output`` of its answers; ``hints`` are what the server says of it.
    ``validate`` turns arguments into keyword arguments of ``function`` and raises :class:`Refused`; ``invoke`` calls
    the tool as an agent would, through a wrapper of its own if it is ``wrapped``. ``functions``: where its source is
    read from. ``reset`` resets its state. ``variable``: what it is called in the code of its target.
    """

    name: str
    description: str
    schema: dict[str, object]
    validate: Bind
    function: Callable[..., object]
    invoke: Callable[[dict[str, object]], object]
    functions: tuple[Callable[..., object], ...] = ()
    reset: Callable[[], object] | None = None
    skipped: str | None = None
    owner: object = None
    target: str = ""
    wrapped: bool = False
    variable: str = ""
    hints: dict[str, object] = field(default_factory=dict)
    remote: bool = False
    output: dict[str, object] | None = None

    def bind(self, given: dict[str, object]) -> dict[str, object]:
        """Return keyword arguments of ``function``. Raises :class:`Refused`, also if a validator fails otherwise."""
        made = attempt(lambda: self.validate(given))
        if not isinstance(made, Raised):
            return made
        error = made.error
        raise (
            error
            if isinstance(error, Refused)
            else Refused(f"{class_name(type(error))}: {message_of(error)}")
        )

    @property
    def plain(self) -> Callable[..., object]:
        """The function that the tool's author wrote."""
        function: Callable[..., object] = inspect.unwrap(
            self.functions[0] if self.functions else self.function
        )
        return function

    def places(self) -> Places:
        """Return which files are the tool's own."""
        function = self.plain
        name = (
            type(self.owner).__module__ if self.owner is not None else getattr(function, "__module__", None)
        )
        module = sys.modules.get(str(name))
        file = getattr(module, "__file__", None)
        top = sys.modules.get(str(name).partition(".")[0])
        folder = next(iter(getattr(top, "__path__", [])), None)
        if (
            folder and str(name).partition(".")[0] != "planscope"
        ):  # the fuzzer itself is not a part of an example
            return Places(os.path.realpath(folder), True)
        return Places(os.path.realpath(file) if file else "", False)


def load(target: str, reset: str | None = None) -> list[Tool]:
    """Import what a target names and return its tools. Raises UserError with one line that says what is wrong."""
    schema, _, rest = target.rpartition("=")
    if schema and schema.endswith(".json"):
        tools = [_with_schema(schema, rest)]
    else:
        if "=" in target:
            raise UserError(
                f"{target!r}: before = there must be a file of a schema, such as tool.json=module:function"
            )
        found = find(target)
        tools = list(_tools_of(found, target))
    if not tools:
        raise UserError(f"{target} has no tool; name a tool, a function, a list of them, or a factory")
    hook = find(reset) if reset else None
    for tool in tools:
        tool.target = target
        wanted = hook or tool.reset
        if wanted is not None and not callable(wanted):
            raise UserError(f"{reset or 'planscope_reset'} is not a function")
        tool.reset = wanted
    return tools


LARGEST_CODE = 20_000
"""Characters of a tool's code that a model is told."""


def code_of(tool: Tool) -> str:
    """Return the code of a tool's functions, or "" where it cannot be read."""
    parts = []
    for function in tool.functions:
        try:
            parts.append(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
        except (OSError, TypeError):
            continue
    return "\n".join(parts)[:LARGEST_CODE]


def place_of(tool: Tool) -> dict[str, object] | None:
    """Return where a tool's documentation is: ``file`` and ``line``, from 1. None if nowhere."""
    if tool.owner is None and not tool.functions:
        return None
    place: Any = type(tool.owner) if tool.owner is not None else tool.plain
    try:
        _, line = inspect.getsourcelines(place)
        file = inspect.getsourcefile(place)
    except (OSError, TypeError):
        return None
    schema, _, _ = tool.target.rpartition("=")
    return {"file": schema or file or "", "line": line}


def find(name: str) -> object:
    """Return the object that ``module:object`` names. Raises UserError."""
    module_name, colon, path = name.partition(":")
    if not colon or not module_name or not path:
        raise UserError(f"{name[:200]!r} is not a target; write module:object, such as my_tools:search")
    module = attempt(lambda: importlib.import_module(module_name))
    if isinstance(module, Raised):
        error = module.error
        if isinstance(error, ModuleNotFoundError) and error.name and module_name.startswith(error.name):
            raise UserError(f"there is no module {error.name}; start planscope in its folder, or install it")
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError):
            why = f"there is no module {error.name}"
        raise UserError(f"{module_name} cannot be imported: {why}")
    found: object = module
    for part in path.split("."):
        if not hasattr(found, part):
            near = [n for n in dir(found) if not n.startswith("_")][:8]
            raise UserError(f"{module_name} has no {path}; it has {', '.join(near) or 'nothing'}")
        found = getattr(found, part)
    return found


def is_langchain(one: object) -> bool:
    """Return whether an object is a LangChain tool."""
    names = {f"{base.__module__}.{base.__qualname__}" for base in type(one).__mro__}
    return "langchain_core.tools.base.BaseTool" in names


def _tools_of(found: object, target: str) -> Iterator[Tool]:
    if is_langchain(found):
        yield replace(_langchain(found), variable=_variable(found, target))
    elif isinstance(found, Mapping):
        for name, one in found.items():
            if callable(one):
                yield replace(_function(one, str(name)), variable=_variable(one, f"{target}[{name!r}]"))
    elif isinstance(found, list | tuple | set):
        for k, one in enumerate(found):
            yield from _tools_of(one, f"{target}[{k}]")
    elif hasattr(found, "get_tools") and not isinstance(found, type):
        yield from _tools_of(_made_by(found.get_tools, f"{target}.get_tools"), f"{target}.get_tools()")
    elif isinstance(found, type):
        made = attempt(found)
        if isinstance(made, Raised):
            raise UserError(f"{target} is a class that cannot be made without arguments: {made.error}")
        yield from () if isinstance(made, type) else _tools_of(made, f"{target}()")
    elif callable(found):
        factory = _factory_answer(found)
        if factory is not None:
            yield from _tools_of(factory, f"{target}()")
        else:
            yield replace(_function(found), variable=_variable(found, target))


def _variable(one: object, target: str) -> str:
    """Return what the target's module calls an object, else the way to it from there."""
    module, _, way = target.partition(":")
    return next((name for name, value in vars(sys.modules[module]).items() if value is one), way)


def _factory_answer(function: Callable[..., object]) -> object:
    """Return the tools that a factory makes, or None if the function is itself the tool.

    A factory has no required parameters. It is called in a child in the sandbox first, which tells whether it answers
    tools, since a tool without parameters may do anything.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    if any(
        p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        for p in signature.parameters.values()
    ):
        return None
    told: list[bool] = []

    def job(channel: Channel) -> None:
        channel.begin(0, "{}")
        made = attempt(lambda: _made(function))
        channel.kept.restore()
        failed = isinstance(made, Raised) and _is_named_factory(function)
        channel.send("made", tools=failed or _are_tools(made))

    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder), Places("", False), False, False)
        host.run(job, lambda event, tools: told.append(tools), lambda: FACTORY_LIMIT)
        host.close()
    name = getattr(function, "__name__", "")
    return _made_by(function, name) if any(told) else None


FACTORY_LIMIT = 30.0
"""Seconds that a factory may take."""


def _is_named_factory(function: Callable[..., object]) -> bool:
    """Return whether a function that raised is named like a factory: then the user is told why."""
    return getattr(function, "__name__", "").endswith(("tools", "toolkit"))


def _are_tools(made: object) -> bool:
    several = made if isinstance(made, list | tuple) else ()
    return (
        is_langchain(made)
        or (bool(several) and all(is_langchain(one) or callable(one) for one in several))
        or (hasattr(made, "get_tools") and not isinstance(made, type))
    )


def _made(factory: Callable[..., object]) -> object:
    made = factory()
    return asyncio.run(made) if inspect.iscoroutine(made) else made


def _made_by(factory: Callable[..., object], name: str) -> object:
    made = attempt(lambda: _made(factory))
    if isinstance(made, Raised):
        why = " ".join(message_of(made.error).split())[:300]
        raise UserError(f"{name} makes no tools, it raised {type(made.error).__name__}: {why}")
    return made


# --- plain functions ---


def _function(function: Callable[..., object], name: str = "") -> Tool:
    inner = _inside(function)
    named = (getattr(one, "__name__", "") for one in (function, inner))
    name = name or next(filter(None, named), type(function).__name__)
    description = inspect.getdoc(inner) or ""
    skipped: str | None = None
    schema: dict[str, object] = {"type": "object", "properties": {}}
    bind: Bind = dict
    found = attempt(lambda: _validation(function))
    if not isinstance(found, Raised):
        schema, bind = found
    elif isinstance(found.error, UserError):
        skipped = str(found.error)
    else:
        skipped = f"its parameters have no schema: {type(found.error).__name__}: {found.error}"[:300]
    signature = attempt(lambda: inspect.signature(function).parameters.values())
    several = () if isinstance(signature, Raised) else signature
    positional = [one.name for one in several if one.kind is one.POSITIONAL_ONLY]
    plain = function
    if positional:

        @functools.wraps(function)
        def plain(**given: object) -> object:
            first = [given.pop(one) for one in positional if one in given]
            return function(*first, **given)

    return Tool(
        name=name,
        description=description,
        schema=schema,
        validate=bind,
        function=plain,
        invoke=lambda given: call(plain, bind(given)),
        functions=(inner,),
        reset=_reset_of(function, _module_of(inner)),
        skipped=skipped,
    )


def _inside(function: Callable[..., object]) -> Callable[..., object]:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _validation(function: Callable[..., object]) -> tuple[dict[str, object], Bind]:
    """Return the schema of a function's parameters and what validates arguments by its type hints."""
    from pydantic import ConfigDict, Field, PydanticUserError, ValidationError, create_model

    signature = inspect.signature(function)
    plain = _inside(function)
    plain = plain if inspect.isroutine(plain) else type(plain).__call__
    told = attempt(lambda: get_type_hints(plain, include_extras=True))
    hints = {} if isinstance(told, Raised) else told
    names: dict[str, str] = {}
    fields: dict[str, Any] = {}
    for one in signature.parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        hint = hints.get(one.name, Any)
        default = ... if one.default is one.empty else one.default
        fault = f"is nothing that JSON can carry: {hint}" if _is_injected(hint) else _fault_of(hint)
        if fault:
            if default is ...:
                raise UserError(f"its argument {one.name} {fault}")
            continue
        alias = f"a{len(fields)}"
        names[alias] = one.name
        from pydantic.fields import FieldInfo

        if isinstance(default, FieldInfo):
            default = default.get_default(call_default_factory=True) if not default.is_required() else ...
        fields[alias] = (hint, Field(default, alias=one.name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = create_model(
            getattr(function, "__name__", "arguments"), __config__=ConfigDict(extra="forbid"), **fields
        )
        try:
            schema = model.model_json_schema(by_alias=True)
        except PydanticUserError as error:
            raise UserError(f"its parameters have no schema: {str(error).splitlines()[0]}") from None

    def bind(given: dict[str, object]) -> dict[str, object]:
        try:
            made = model.model_validate(given)
        except ValidationError as error:
            raise Refused(str(error)) from None
        return {names[alias]: getattr(made, alias) for alias in made.model_fields_set}

    return schema, bind


def _is_injected(hint: object) -> bool:
    return any(
        "Injected" in getattr(one if isinstance(one, type) else type(one), "__name__", "")
        for one in get_args(hint)[1:]
    )


def _fault_of(hint: Any) -> str:
    """Return why a type hint has no schema, or ""."""
    from pydantic import PydanticUserError, TypeAdapter

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = attempt(lambda: TypeAdapter(hint).json_schema())
    if not isinstance(made, Raised):
        return ""
    if isinstance(made.error, PydanticUserError) and made.error.code == "typed-dict-version":
        return f"has no schema: {message_of(made.error).splitlines()[0]}"
    return f"is nothing that JSON can carry: {hint}"


# --- a schema with a function ---


def _with_schema(file: str, name: str) -> Tool:
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"there is no file {file}; name a tool's schema as JSON") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{file} cannot be read as JSON: {error}") from None
    if not isinstance(data, dict):
        raise UserError(f"{file} is not a tool's schema; it must be an object with name and parameters")
    described: dict[str, object] = data["function"] if isinstance(data.get("function"), dict) else data
    named = (described.get(k) for k in ("parameters", "input_schema", "inputSchema"))
    schema = next((one for one in named if isinstance(one, dict)), data)
    if schema is data and data.get("type") != "object":
        raise UserError(f"{file} has no parameters; it must be a tool's schema as OpenAI has it")
    function = find(name)
    if not callable(function):
        raise UserError(f"{name} is not a function")

    def bind(given: dict[str, object]) -> dict[str, object]:
        return dict(json.loads(json.dumps(accepted(given, schema))))

    return Tool(
        name=str(described.get("name") or getattr(function, "__name__", "tool")),
        description=str(described.get("description") or inspect.getdoc(function) or ""),
        schema=schema,
        validate=bind,
        function=function,
        invoke=lambda given: call(function, bind(given)),
        functions=(function,),
        reset=getattr(function, "planscope_reset", None),
        variable=_variable(function, name),
    )


# --- LangChain tools ---


def _module_of(function: object) -> object:
    return sys.modules.get(str(getattr(function, "__module__", "")))


def _reset_of(*places: object) -> Callable[[], object] | None:
    """Return the first hook that resets the tool's state, of those that these things have."""
    return next((hook for one in places if (hook := getattr(one, "planscope_reset", None))), None)


def _langchain(tool: Any) -> Tool:
    schema_of = tool.tool_call_schema
    schema = schema_of if isinstance(schema_of, dict) else schema_of.model_json_schema()
    called, others = _called_by(tool)
    injected, skipped = injected_values(tool, called)
    run, arun, arguments_of = (getattr(tool, name) for name in _METHODS)
    is_async = inspect.iscoroutinefunction(called)
    extra: dict[str, object] = {}
    parameters = inspect.signature(called).parameters
    for one in parameters.values():
        if one.name in ("run_manager", "callbacks"):
            extra[one.name] = None
        elif "RunnableConfig" in str(one.annotation) or (one.name == "config" and called == run):
            extra[one.name] = {}
    from pydantic import ValidationError
    from pydantic.v1 import ValidationError as ValidationErrorV1

    def bind(given: dict[str, object]) -> dict[str, object]:
        try:
            first, rest = arguments_of({**given, **injected()}, CALL_ID)
        except (ValidationError, ValidationErrorV1) as error:
            raise Refused(str(error)) from None
        made = dict(zip(parameters, first, strict=False)) if first else {}
        return {**made, **rest, **{k: v for k, v in extra.items() if k not in rest}}

    if isinstance(tool.args_schema, dict):
        plain_bind, dictionary = bind, tool.args_schema

        def bind(given: dict[str, object]) -> dict[str, object]:
            return plain_bind(accepted(given, dictionary))

    def invoke(given: dict[str, object]) -> object:
        call = {"type": "tool_call", "id": CALL_ID, "name": tool.name, "args": {**given, **injected()}}
        return event_loop().run_until_complete(tool.ainvoke(call)) if is_async else tool.invoke(call)

    plain = inspect.unwrap(called)
    owned = called in (run, arun)
    return Tool(
        name=str(tool.name),
        description=str(tool.description or ""),
        schema=schema,
        validate=bind,
        function=called,
        invoke=invoke,
        functions=(plain, *others),
        wrapped=True,
        reset=_reset_of(tool, plain, _module_of(plain)),
        skipped=skipped,
        owner=tool if owned else None,
    )  # fmt: skip


_METHODS = ("_run", "_arun", "_to_args_and_kwargs")
"""What a LangChain tool's author writes, and what makes a call's arguments of them."""


def _called_by(tool: Any) -> tuple[Callable[..., object], tuple[Callable[..., object], ...]]:
    """Return what a LangChain tool calls, its coroutine if it has one, and what else tells what it does."""
    function: Any = getattr(tool, "func", None)
    coroutine: Any = getattr(tool, "coroutine", None)
    if coroutine is not None or function is not None:
        both = coroutine is not None and function is not None
        return (function if coroutine is None else coroutine), ((function,) if both else ())
    run, arun = (getattr(tool, name) for name in _METHODS[:2])
    own = next(kind for kind in type(tool).__mro__ if "_arun" in vars(kind))
    left_out = own.__module__.startswith("langchain_core.") or _is_left_out(arun)
    return (run, ()) if left_out else (arun, (run,))


def _is_left_out(method: Callable[..., object]) -> bool:
    """Return whether a method only raises NotImplementedError."""
    code = getattr(inspect.unwrap(method), "__code__", None)
    return code is not None and code.co_names[:1] == ("NotImplementedError",)


# --- calling ---


def accepted(given: dict[str, object], schema: Mapping[str, object]) -> dict[str, object]:
    """Return arguments that a schema accepts. Raises :class:`Refused` for others."""
    why = mismatch(given, schema)
    if why is not None:
        raise Refused(why)
    return given


def call(function: Callable[..., object], bound: dict[str, object]) -> object:
    """Call the function behind the validation, to its end. Of a generator, take what it yields first."""
    made = function(**bound)
    made = event_loop().run_until_complete(made) if hasattr(made, "__await__") else made
    if type(made) is AsyncGeneratorType:  # a tool may have replaced isinstance
        return event_loop().run_until_complete(_first(made))
    return list(itertools.islice(made, MOST_YIELDED)) if type(made) is GeneratorType else made


async def _first(several: AsyncGenerator[object]) -> list[object]:
    found: list[object] = []
    async for one in several:
        found.append(one)
        if len(found) == MOST_YIELDED:
            break
    return found
