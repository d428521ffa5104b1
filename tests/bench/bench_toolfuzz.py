"""The fuzzer beside plain Hypothesis strategies, and beside itself without guidance.

``python -m tests.bench.bench_toolfuzz [--calls 2000 | --seconds 10] [--seeds 1] [--only figure|planted|nested|sound|
files|sequences|data]``. All arms run in the same sandbox and tell errors apart by the same rule; they differ in which
arguments they send. *no coverage* is planscope without branch coverage; *unguided* draws as planscope does, but without
reading the source, without taint and without coverage. The labels of planted and sound tools were written before the
fuzzer was tuned; the nested ones are for the worth of coverage. The seven file tools need langchain-community
(``PYTHONPATH`` may say where it is).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from planscope.errors import UserError
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.fuzzing import Fuzzing
from planscope.toolfuzz.host import Host
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.mcp_tools import serve
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.toolfuzz.search import Search
from planscope.toolfuzz.tools import Tool, load
from tests.bench.toolfuzz_corpus.planted import PLANTED
from tests.bench.toolfuzz_corpus.sequences import SEQUENCES
from tests.bench.toolfuzz_corpus.sound import SOUND
from tests.bench.yardstick import table

ARMS = ("planscope", "no coverage", "unguided", "plain Hypothesis")
ARMS_NOW = [*ARMS]
HERE = "tests.bench.toolfuzz_corpus"
FILE_TOOLS = ("CopyFile", "DeleteFile", "FileSearch", "ListDirectory", "MoveFile", "ReadFile", "WriteFile")
HUNG_AFTER = 1.0
"""Seconds of a call; shorter than by default, as hanging tools would take most of the time."""


def strategy_of(schema: Any, definitions: Any = None) -> Any:
    """The strategy that one writes for a JSON schema without knowing the tool."""
    known = definitions or schema.get("$defs") or {}
    if "$ref" in schema:
        return strategy_of(known[schema["$ref"].rpartition("/")[2]], known)
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if "anyOf" in schema or "oneOf" in schema:
        return st.one_of(*(strategy_of(one, known) for one in schema.get("anyOf") or schema["oneOf"]))
    if "allOf" in schema:
        return strategy_of(schema["allOf"][0], known)
    low, high = schema.get("minimum"), schema.get("maximum")
    match schema.get("type"):
        case "string" if "pattern" in schema:
            return st.from_regex(schema["pattern"], fullmatch=True)
        case "string":
            least, most = schema.get("minLength", 0), schema.get("maxLength")
            return st.text(st.characters(exclude_categories=["Cs"]), min_size=least, max_size=most)
        case "integer":
            return st.integers(low, high)
        case "number":
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            return st.lists(strategy_of(schema.get("items", {}), known), min_size=schema.get("minItems", 0))
        case "object" if "properties" in schema:
            must = set(schema.get("required", ()))
            parts = {name: strategy_of(one, known) for name, one in schema["properties"].items()}
            return st.fixed_dictionaries(
                {k: v for k, v in parts.items() if k in must},
                optional={k: v for k, v in parts.items() if k not in must},
            )
        case "object":
            return st.dictionaries(st.text(max_size=8), _ANYTHING, max_size=4)
    return _ANYTHING


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def drawn(strategy: Any, count: int, name: str) -> list[Any]:
    """Return what Hypothesis draws with a fixed seed."""
    found: list[Any] = []

    @seeded(Random(name).getrandbits(64))
    @settings(
        database=None,
        deadline=None,
        max_examples=count,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    return found


class PlainSearch(Search):
    """Sends what Hypothesis draws, and learns nothing."""

    def __init__(self, tool: Tool, seed: int, calls: int) -> None:
        super().__init__(tool, seed, guided=False)
        self._examples = drawn(strategy_of(tool.schema), calls, f"{seed}/{tool.name}") or [{}]
        Random(seed).shuffle(self._examples)

    def draw(self, number: int) -> tuple[dict[str, Any], str]:
        given = self._examples[number % len(self._examples)]
        return given, json.dumps(given, allow_nan=False)


class Result(NamedTuple):
    """What one arm found in one tool. ``errors``: kind, exception, location."""

    tool: str
    errors: list[tuple[str, str | None, str | None]]
    calls: int
    seconds: float
    succeeded: int = 0


@contextmanager
def _host(tool: Tool) -> Iterator[Host]:
    with tempfile.TemporaryDirectory() as folder:
        places = tool.places()
        places.sandbox, places.base = folder, str(Path.cwd())
        yield Host(Path(folder), places, False, True)


SECONDS: list[float] = []
"""The budget of a tool in seconds, if it is not in calls."""


def run(tool: Tool, arm: str, calls: int, seed: int = 1, served: Any = None) -> Result:
    """Fuzz one tool in one way. ``served``: what calls it, if a server has it."""
    found: dict[str, dict[str, Any]] = {}

    def heard(event: str, key: str = "", finding: Any = None, **_: object) -> None:
        if event == "finding":
            found[key] = finding
        elif event == "dropped":
            found.pop(key, None)

    with _host(tool) if served is None else nullcontext(served) as host:
        seconds = SECONDS[0] if SECONDS else None
        options = Options("", calls=calls, seconds=seconds, seed=seed, call_limit=HUNG_AFTER)
        fuzzing = Fuzzing(tool, host, options, heard)
        if arm == ARMS[1]:
            fuzzing.search.is_measured = lambda number: False
        if arm == ARMS[2]:
            fuzzing.search = Search(tool, seed, guided=False)
        if arm == ARMS[3]:
            fuzzing.search = PlainSearch(
                tool, seed, calls if not SECONDS else int(4_000 * SECONDS[0]) if served is None else 2_000
            )
        began = time.perf_counter()
        fuzzing.run()
        errors = [(one["kind"], one.get("exception"), one.get("location")) for one in found.values()]
        return Result(tool.name, errors, fuzzing.calls, time.perf_counter() - began, fuzzing.succeeded)


def _short(name: str | None) -> str | None:
    return None if name is None else name.rpartition(".")[2]


def _is_labelled(error: tuple[str, str | None, str | None], labels: list[tuple[str, str | None]]) -> bool:
    return any(
        (error[0], _short(error[1])) == label or (error[0] == label[0] and label[0] in LISTED_ONLY)
        for label in labels
    )


def planted(calls: int) -> None:
    """The labelled bugs: how many each arm finds, what else it finds, and the calls for each."""
    names = dir(importlib.import_module(f"{HERE}.planted"))
    tools = {t.name: t for n in names for t in _tools_named(f"{HERE}.planted:{n}") if t.name in PLANTED}
    labels = sum(map(len, PLANTED.values()))
    rows, missed = [], dict[str, list[str]]()
    for arm in ARMS_NOW:
        results = [run(tools[name], arm, calls) for name in PLANTED if name in tools]
        true, other, spent = 0, 0, 0
        for one in results:
            wanted = PLANTED[one.tool]
            got = {w for w in wanted if any(_is_labelled(error, [w]) for error in one.errors)}
            true += len(got)
            other += sum(e[0] not in LISTED_ONLY and not _is_labelled(e, wanted) for e in one.errors)
            spent += one.calls
            missed.setdefault(arm, []).extend(one.tool for w in wanted if w not in got)
        seconds = sum(one.seconds for one in results)
        rows.append((arm, f"{true} of {labels}", other, f"{spent / max(true, 1):,.0f}", f"{seconds:.0f} s"))
    table(
        f"Planted bugs, {calls:,} calls a tool", ("", "found", "other errors", "calls for each", "time"), rows
    )
    for arm, names in missed.items():
        print(f"  missed by {arm}: {', '.join(names) or 'none'}")


def _tools_named(target: str) -> list[Tool]:
    try:
        found = load(target)
    except Exception:
        return []
    return [tool for tool in found if tool.name in PLANTED]


def sound(calls: int) -> None:
    """Tools without a bug: every finding is false."""
    rows = []
    for arm in ARMS_NOW:
        results = [run(tool, arm, calls) for tool in load(f"{HERE}.sound:SOUND")]
        false = [
            f"{one.tool} {e[0]} {e[1]}" for one in results for e in one.errors if e[0] not in LISTED_ONLY
        ]
        rows.append((arm, len(false), ", ".join(false)[:80]))
    table(f"{len(SOUND)} sound tools, {calls:,} calls a tool", ("", "false findings", ""), rows)


def nested(calls: int, seeds: int) -> None:
    """Bugs behind several computed checks: what coverage is worth."""
    tools = load(f"{HERE}.nested:NESTED")
    rows = []
    for arm in ARMS_NOW:
        results = {t.name: [run(t, arm, calls, seed + 1) for seed in range(seeds)] for t in tools}
        hits = {
            name: sum(any(_short(e[1]) == "RuntimeError" for e in one.errors) for one in runs)
            for name, runs in results.items()
        }
        seconds = sum(one.seconds for runs in results.values() for one in runs)
        said = ", ".join(f"{name} {count}" for name, count in hits.items())
        rows.append((arm, f"{sum(hits.values())} of {len(tools) * seeds}", f"{seconds:.0f} s", said))
    table(f"Nested checks, {_budget(calls)}, {seeds} seeds", ("", "found", "time", ""), rows)


def _budget(calls: int) -> str:
    return f"{SECONDS[0]:g} s a tool" if SECONDS else f"{calls:,} calls a tool"


def file_tools() -> list[Any]:
    """The seven, bound to the folder that they run in."""
    from langchain_community.tools import file_management

    return [getattr(file_management, f"{name}Tool")(root_dir=".") for name in FILE_TOOLS]


def free_file_tools() -> list[Any]:
    """The seven as they are made without options: the whole file system is theirs."""
    from langchain_community.tools import file_management

    return [getattr(file_management, f"{name}Tool")() for name in FILE_TOOLS]


def files(calls: int, seeds: int) -> None:
    """The seven file tools of langchain-community, with a folder of their own and without."""
    if importlib.util.find_spec("langchain_community") is None:
        print("langchain-community is not installed: the seven file tools are left out")
        return
    for name in ("file_tools", "free_file_tools"):
        for seed in range(1, seeds + 1):
            _files(name, calls, seed)


def _files(name: str, calls: int, seed: int) -> None:
    tools = load(f"tests.bench.bench_toolfuzz:{name}")
    rows = []
    for arm in ARMS_NOW:
        results = [run(tool, arm, calls, seed) for tool in tools]
        errors = sorted(
            {
                (one.tool, e[0], str(_short(e[1])))
                for one in results
                for e in one.errors
                if e[0] not in LISTED_ONLY
            }
        )
        many = sum(e[0] not in LISTED_ONLY for one in results for e in one.errors)
        spent, seconds = sum(one.calls for one in results), sum(one.seconds for one in results)
        rows.append((arm, many, f"{spent / max(many, 1):,.0f}", f"{seconds:.0f} s"))
        for tool in sorted({e[0] for e in errors}):
            print(f"  {arm}: {tool}: {', '.join(f'{k} {n}' for t, k, n in errors if t == tool)}")
    title = f"Seven {name.replace('_', ' ')}, {_budget(calls)}, seed {seed}"
    table(title, ("", "unique errors", "calls for each", "time"), rows)


def figure(calls: int) -> None:
    """The tool of Figure 3: calls a second in the child's loop, with limits on."""
    report = Fuzz(
        Options(
            "tests.toolfuzz.tools:figure_3", calls=max(calls, 20_000), reset="tests.toolfuzz.tools:reset_seen"
        )
    ).run()
    (tool,) = report.tools
    rate = tool.calls / max(tool.looping, 1e-9)
    rows = [(f"{tool.calls:,}", f"{rate:,.0f}", len(report.counted()), "10,000")]
    table("Figure 3's tool", ("calls", "calls a second", "errors", "wanted a second"), rows)


def data(calls: int) -> None:
    """Ten public tools over data, and five public MCP servers (``data_tools``), beside plain Hypothesis as long."""
    from tests.bench.data_tools import EVERY, SERVERS, given_for

    for title, rows in (("Ten tools over data", EVERY), ("Five MCP servers", SERVERS)):
        found = []
        for row in rows:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found += list(_beside(row, given_for(row, Path(folder)), calls))
                except (UserError, ImportError) as error:
                    found.append((row.tool, row.source, "left out", str(error)[:50], "", "", ""))
        head = ("tool", "of", "entered by planscope", "by Hypothesis", "errors", "by Hypothesis", "seconds")
        table(f"{title}, {calls} calls a tool", head, found)


def _beside(row: Any, given: dict[str, Any], calls: int) -> Iterator[tuple[object, ...]]:
    options = Options(row.target, tools=(row.tool,) if row.tool else (), calls=calls, sequences=0, **given)
    report = Fuzz(options).run()
    for one in report.counted():
        print(f"  {one.tool}: {one.kind} {one.exception or ''} {one.message[:100]!r}")
    fuzzed = [tool for tool in report.tools if not tool.skipped]
    each = report.seconds / max(1, len(fuzzed))
    SECONDS[:] = [each]
    with tempfile.TemporaryDirectory() as folder:
        if row.target.startswith("mcp:"):
            tools, hosts = serve(row.target, Path(folder) / "server", Path.cwd())
        else:
            tools, hosts = load(row.target), {}
        for tool in fuzzed:
            (known,) = [one for one in tools if one.name == tool.name]
            plain = run(known, ARMS[3], calls, served=hosts.get(tool.name))
            true = sum(e[0] not in LISTED_ONLY for e in plain.errors)
            yield (
                tool.name, row.source, f"{tool.succeeded} of {tool.calls}", f"{plain.succeeded} of {plain.calls}",
                len(report.counted(tool.name)), true, f"{each:.1f}",
            )  # fmt: skip
        for host in hosts.values():
            host.server.stop()
    SECONDS.clear()


def sequences(calls: int) -> None:
    """The labelled cases that only a sequence shows."""
    rows = []
    for name, (tools, label, pair) in SEQUENCES.items():
        reads = (pair["reads"],) if pair else ()
        writes = (pair["writes"],) if pair else ()
        target = f"tests.bench.bench_toolfuzz:SEQUENCE_{list(SEQUENCES).index(name)}"
        report = Fuzz(Options(target, calls=min(calls, 200), sequences=40, reads=reads, writes=writes)).run()
        found = [(one.kind, _short(one.exception)) for one in report.counted()]
        hits = sum(one == label for one in found)
        rows.append((name, "found" if hits else "MISSED", ", ".join(str(k) for k, _ in found), len(tools)))
    table("Sequences, 40 each", ("case", "", "findings", "tools"), rows)


SEQUENCE_0, SEQUENCE_1, SEQUENCE_2, SEQUENCE_3 = [tools for tools, _, _ in SEQUENCES.values()]
PARTS = {"figure": figure, "sequences": sequences, "sound": sound, "planted": planted, "data": data}
SEEDED = {"files": files, "nested": nested}


def main(given: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--arm", choices=ARMS, action="append", help="only these arms, of planted, sound, nested, files"
    )
    parser.add_argument("--only", choices=[*PARTS, *SEEDED], action="append")
    args = parser.parse_args(given)
    if args.arm:
        ARMS_NOW[:] = [one for one in ARMS if one in args.arm]
    SECONDS[:] = [args.seconds] if args.seconds else []
    for name in args.only or [*PARTS, *SEEDED]:
        if name in SEEDED:
            SEEDED[name](args.calls, args.seeds)
        else:
            PARTS[name](args.calls)


if __name__ == "__main__":
    main()
