"""Ten public tools over data, and five public MCP servers. ``bench_toolfuzz --only data --calls 200`` fuzzes them.

They were chosen by name, and what *entered* means was written down for each, before the fuzzer learned to get in
(2026-11-24). The last five were first called for the closing figure. The packages are not installed with planscope:
``pip install agentdojo==0.1.35 langchain-community==0.4.2 agno==3.1.10 sqlalchemy mcp-server-git==2026.10.19`` in an
environment of its own, and tau-bench (commit 59a200c) on the path. A tool whose package is missing is left out.
"""

from __future__ import annotations

import functools
import http.server
import importlib
import inspect
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One tool. ``entered``: the answer that counts, in words; ``shows``: a pattern of it, for tools called here."""

    tool: str
    source: str
    target: str
    entered: str
    shows: str = ""


HERE = "tests.bench.data_tools"
GIT = "mcp:mcp-server-git"
SEEN = (
    Row("get_order_details", "tau-bench retail", f"{HERE}:order", "the order as JSON, with its order_id", '"order_id"'),
    Row("get_reservation_details", "tau-bench airline", f"{HERE}:reservation", "the reservation as JSON",
        '"reservation_id"'),
    Row("get_file_by_id", "AgentDojo workspace", f"{HERE}:file_by_id", "the file, with its id_", "id_"),
    Row("sql_db_schema", "langchain-community", f"{HERE}:schema", "the CREATE TABLE of a table", "CREATE TABLE"),
    Row("git_log", "mcp-server-git", GIT, "commits; no isError"),
)  # fmt: skip
UNSEEN = (
    Row("find_user_id_by_name_zip", "tau-bench retail", f"{HERE}:user_by_name", "an id such as ada_lovelace_1234",
        r"\w+_\d+"),
    Row("get_user_details", "tau-bench airline", f"{HERE}:airline_user", "the user as JSON, with name", '"name"'),
    Row("get_hotels_address", "AgentDojo travel", f"{HERE}:hotel_address", "the address of a hotel", r"\w.+\w"),
    Row("describe_table", "agno SQLTools", f"{HERE}:describe_table", "the columns of a table, with an id", r"\bid\b"),
    Row("git_show", "mcp-server-git", GIT, "a commit with its author; no isError"),
)  # fmt: skip

EVERY = (*SEEN, *UNSEEN)
SERVERS = (
    Row("", "mcp-server-time", "mcp:mcp-server-time", "a time"),
    Row("", "mcp-server-git", GIT, "an answer without isError"),
    Row(
        "",
        "mcp-server-fetch",
        "mcp:mcp-server-fetch --ignore-robots-txt --allow-private-ips",
        "a page, from a server on this machine",
    ),
    Row("", "mcp-server-sqlite", "mcp:mcp-server-sqlite --db-path shop.db", "an answer without isError"),
    Row("", "mcp-server-calculator", "mcp:mcp-server-calculator", "a number"),
)


def _checked(function: Callable[..., Any], given: dict[str, Any], row: Row) -> Callable[..., Any]:
    """Return the function with some parameters given. An answer that does not count raises."""

    @functools.wraps(function)
    def checked(**arguments: object) -> object:
        answer = function(**given, **arguments)
        if not str(answer).startswith("Error") and re.search(row.shows, str(answer)) is None:
            raise LookupError(f"not entered: {str(answer)[:80]}")
        return answer

    left = [
        p
        for name, p in inspect.signature(function).parameters.items()
        if name not in given and name != "self"
    ]
    setattr(checked, "__signature__", inspect.Signature(left))  # noqa: B010
    checked.__annotations__ = {k: v for k, v in checked.__annotations__.items() if k not in given}
    checked.__name__ = row.tool
    return checked


def _tau(domain: str, row: Row) -> Callable[..., Any]:
    from unittest.mock import MagicMock

    sys.modules.setdefault("litellm", MagicMock())
    data = importlib.import_module(f"tau_bench.envs.{domain}.data").load_data()
    module = importlib.import_module(f"tau_bench.envs.{domain}.tools.{row.tool}")
    name = "".join(part.capitalize() for part in row.tool.split("_"))
    return _checked(getattr(module, name).invoke, {"data": data}, row)


def _dojo(suite: str, row: Row) -> Callable[..., Any]:
    from agentdojo.task_suite.load_suites import get_suite

    found = get_suite("v1", suite)
    world = found.load_and_inject_default_environment({})
    (tool,) = [one for one in found.tools if one.name == row.tool]
    given = {name: one.extract_dep_from_env(world) for name, one in tool.dependencies.items()}
    return _checked(tool.run, given, row)


def _database() -> str:
    """Make a small shop's database, in the folder of the process."""
    path = Path(tempfile.mkdtemp(prefix="data-tools-")) / "shop.db"
    _fill(path)
    return f"sqlite:///file:{path}?mode=ro&immutable=1&uri=true"


def _fill(path: Path) -> None:
    with sqlite3.connect(path) as made:
        made.executescript(
            "CREATE TABLE artists (id INTEGER PRIMARY KEY, full_name TEXT);"
            "CREATE TABLE albums (id INTEGER PRIMARY KEY, artist_id INTEGER, title TEXT);"
            "INSERT INTO artists VALUES (17, 'Clara Haskil'), (23, 'Dinu Lipatti');"
            "INSERT INTO albums VALUES (1, 17, 'Sonatas'), (2, 23, 'Waltzes');"
        )


def _schema(row: Row) -> Any:
    from langchain_community.tools.sql_database.tool import InfoSQLDatabaseTool
    from langchain_community.utilities import SQLDatabase

    tool = InfoSQLDatabaseTool(db=SQLDatabase.from_uri(_database()))
    plain = tool._run
    object.__setattr__(
        tool, "_run", types.MethodType(lambda self, **given: _checked(plain, {}, row)(**given), tool)
    )
    return tool


def _agno(row: Row) -> Callable[..., Any]:
    from agno.tools.sql import SQLTools

    return _checked(getattr(SQLTools(db_url=_database()), row.tool), {}, row)


_MAKE: dict[str, Callable[[Row], Any]] = {
    "order": functools.partial(_tau, "retail"), "reservation": functools.partial(_tau, "airline"),
    "file_by_id": functools.partial(_dojo, "workspace"), "schema": _schema,
    "user_by_name": functools.partial(_tau, "retail"), "airline_user": functools.partial(_tau, "airline"),
    "hotel_address": functools.partial(_dojo, "travel"), "describe_table": _agno,
}  # fmt: skip


def __getattr__(name: str) -> object:
    row = next((one for one in (*SEEN, *UNSEEN) if one.target == f"{HERE}:{name}"), None)
    if row is None:
        raise AttributeError(name)
    return _MAKE[name](row)


def _repository(folder: Path) -> Path:
    """Make a git repository with two commits."""
    made = folder / "notes"
    made.mkdir()
    for number, text in enumerate(("tea\n", "tea and cake\n")):
        (made / "list.txt").write_text(text)
        git = ["git", "-C", str(made), "-c", "user.name=ada", "-c", "user.email=ada@example.com"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", f"change {number}"]):
            subprocess.run([*git, *command], check=True, capture_output=True)
    return made


def _shop(folder: Path) -> Path:
    """Make a folder with the shop's database."""
    made = folder / "shop"
    made.mkdir()
    _fill(made / "shop.db")
    return made


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Be quiet."""


def given_for(row: Row, folder: Path) -> dict[str, Any]:
    """Return what a row needs besides its target, as options of the fuzzer: a folder, or a page to fetch."""
    if "git" in row.target:
        return {"folder": str(_repository(folder))}
    if "sqlite" in row.target:
        return {"folder": str(_shop(folder))}
    if "fetch" in row.target:
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))
        )
        (folder / "index.html").write_text("<h1>Tea</h1><p>Green tea, and cake.</p>")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = {"url": f"http://127.0.0.1:{server.server_port}/index.html"}
        return {"network": True, "examples": [{"tool": "fetch", "arguments": page}]}
    return {}
