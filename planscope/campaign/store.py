"""The database of a campaign: SQLite in WAL mode, one file a campaign. Only a campaign's own process writes to it.

A case is kept by what makes it; a run with its compressed events, in a table of their own, so that reports read little.
A *claim* says which process works on a case. It belongs to a process id with its start time and host, so that claims of
a dead process are free at once on the same host; elsewhere they are free after twice the time that the run may take.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from json import dumps
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ConfigDict, TypeAdapter, with_config

from planscope.campaign.cases import Arm, Knobs
from planscope.campaign.worker import MadeCase, Row
from planscope.dissection.evidence import CAUSES
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.oracle.verdict_types import ERROR_TYPES
from planscope.session.locations import campaigns_folder, wrong_name
from planscope.session.model import Limits

VERSION = 1
SUFFIX = ".campaign.sqlite"
MOST_TRIES = 3
"""An aborted run is tried this many times in all."""

_WAIT = 30.0
_MAGIC = 0x506C5363  # "PlSc", SQLite's application_id
_EMPTY = (0, 0, 0)

_SCHEMA = """
create table settings (key text primary key, value text not null) without rowid;
create table arms (arm integer primary key, name text not null unique, spec text not null, low integer not null,
    high integer, budget text not null);
create table cases (n integer, idx integer, seed integer not null, topic text not null, printed text not null,
    valid_orders text, synthesis_ms real not null, z3_ms real not null, z3_checks integer not null,
    primary key (n, idx)) without rowid;
create table claims (arm integer, n integer, idx integer, pid integer not null, began text not null,
    host text not null, until real not null, pass text not null, primary key (arm, n, idx)) without rowid;
create table runs (arm integer, n integer, idx integer, verdict text not null, error_type text, helped integer not null,
    lost integer, calls integer not null, model_calls integer not null, input_tokens integer, output_tokens integer,
    seconds real not null, why text, tries integer not null, pass text not null,
    primary key (arm, n, idx)) without rowid;
create table events (arm integer, n integer, idx integer, data blob not null, primary key (arm, n, idx));
create table dissections (arm integer, n integer, idx integer, method text, cause text, confidence real,
    blameless integer not null, document text not null, primary key (arm, n, idx, method)) without rowid;
"""
_CASE = "n between 2 and 200 and idx between 0 and 1e9"
_SOUND = {
    "settings": "1",
    "arms": "low between 2 and 200 and coalesce(high, low) between low and 200",
    "cases": f"{_CASE} and z3_checks >= 0 and abs(synthesis_ms) < 1e15 and abs(z3_ms) < 1e15",
    "claims": f"{_CASE} and pid between 1 and 2147483647",
    "runs": f"{_CASE} and verdict in ('right', 'wrong', 'aborted', 'unknown') and helped in (0, 1) and tries > 0 "
    f"and (error_type is null or error_type in {ERROR_TYPES}) and coalesce(lost, 0) between 0 and 1e9 "
    "and calls between 0 and 1e9 and model_calls between 0 and 1e9 and seconds between 0 and 1e12 "
    "and coalesce(input_tokens, 0) between 0 and 1e12 and coalesce(output_tokens, 0) between 0 and 1e12 "
    "and arm in (select arm from arms) "
    "and exists (select 1 from cases c where c.n = runs.n and c.idx = runs.idx)",
    "dissections": f"{_CASE} and method in ('rates', 'paper') and (cause is null or cause in {CAUSES}) "
    "and blameless in (0, 1) and coalesce(confidence, 0) between 0 and 1 and arm in (select arm from arms)",
}
"""What is true of every row of a table, beside the types of its columns. The events are checked when they are read."""
_OPS = 10_000_000
"""SQLite's steps between two looks at whether a check takes longer than a file of its size can."""


class CampaignError(UserError):
    """A campaign cannot be read, made or continued. The message, one line, says why and what to do."""


@with_config(ConfigDict(allow_inf_nan=False))
@frozen
class Budget:
    """The limits of each arm; None for none. ``price``: of a million input tokens, and of a million output tokens."""

    seconds: float | None = None
    tokens: int | None = None
    money: float | None = None
    price: tuple[float, float] | None = None

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return (self.seconds, self.tokens, self.money) != (None, None, None)

    def spent(self, used: Used) -> bool:
        """Return whether an arm that used so much begins no more runs."""
        over = [
            self.seconds is not None and used.seconds >= self.seconds,
            self.tokens is not None and used.tokens >= self.tokens,
            self.money is not None and self.cost(used) >= self.money,
        ]
        return any(over)

    def cost(self, used: Used) -> float:
        """Return the price of tokens; 0 without a price."""
        if self.price is None:
            return 0.0
        return (used.input_tokens * self.price[0] + used.output_tokens * self.price[1]) / 1_000_000


class Used(NamedTuple):
    """What an arm's runs took: the agent's seconds, and tokens."""

    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class ArmRecord(NamedTuple):
    """An arm in the database. ``high``: the last number of actions, or None to grow until the rate is too low."""

    place: int
    arm: Arm
    low: int
    high: int | None
    budget: Budget


class Count(NamedTuple):
    """How many runs of an arm with n actions ended so."""

    arm: int
    n: int
    verdict: str
    error_type: str | None
    helped: bool
    runs: int


def campaign_path(name: str) -> Path:
    """Return the file of the campaign of that name. Raises UserError for a name with a path in it."""
    why = wrong_name(name)
    if why is not None:
        raise UserError(f"{name[:60]!r} cannot be a campaign's name: {why}")
    return campaigns_folder() / f"{name}{SUFFIX}"


def campaign_names() -> list[str]:
    """Return the names of the user's campaigns."""
    return sorted(path.name.removesuffix(SUFFIX) for path in campaigns_folder().glob(f"*{SUFFIX}"))


class Store:
    """One campaign's database. Use it from one thread; other processes may use the same file."""

    def __init__(self, path: Path, *, make: bool = False) -> None:
        self.path = path
        if not make and not path.exists():
            raise CampaignError(
                f"there is no campaign {path.name.removesuffix(SUFFIX)!r}; see: planscope campaign list"
            )
        self._db = sqlite3.connect(":memory:")
        with self._guarded():
            self._db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
            self._db.row_factory = sqlite3.Row
            try:
                self._db.execute("pragma busy_timeout = 30000")
                self._open()
            except BaseException:
                self.close()
                raise

    def _open(self) -> None:
        if self._kind() == _EMPTY:  # it is new, or the process that made it ended in the first moment
            with self._writing():
                for statement in _SCHEMA.split(";") if self._kind() == _EMPTY else ():
                    self._db.execute(statement)
                self._db.execute(f"pragma application_id = {_MAGIC}")
                self._db.execute(f"pragma user_version = {VERSION}")
        _, kind, version = self._kind()
        if kind != _MAGIC:
            raise CampaignError(f"{self.path} is a database, but not of a campaign; name another one")
        if version > VERSION:
            raise CampaignError(
                f"{self.path} was written by a later planscope (version {version} of the database, this one knows "
                f"{VERSION}); install the newer planscope"
            )
        self._check()
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = normal")

    def _kind(self) -> tuple[int, ...]:
        """Return how many tables it has, its application's id and its version."""
        asked = "select count(*) from sqlite_master", "pragma application_id", "pragma user_version"
        return tuple(self._read(one)[0][0] for one in asked)

    def _check(self) -> None:
        """Raise CampaignError unless the tables are a campaign's, and each value is one that its column can have."""
        left = 10 + self.path.stat().st_size // 100_000  # pages may be damaged so that they lead in a circle

        def too_long() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        self._db.execute("pragma trusted_schema = off")
        found = {_tidy(sql) for (sql,) in self._read("select sql from sqlite_master where sql is not null")}
        if found != {_tidy(statement) for statement in _SCHEMA.split(";")} - {""}:
            raise self._damaged("its tables are not those of a campaign")
        self._db.set_progress_handler(too_long, _OPS)
        for table, sound in _SOUND.items():
            kinds = " and ".join(
                f"typeof({name}) in ('{kind.lower()}', '{kind.lower() if needed or key else 'null'}')"
                for _, name, kind, needed, _, key in self._read(f"pragma table_info({table})")
            )
            if self._read(f"select 1 from {table} where ({kinds} and {sound}) is not 1 limit 1"):
                raise self._damaged(f"a row of its {table} has a value that it cannot have")
        self._db.set_progress_handler(None, 0)

    def _damaged(self, why: object) -> CampaignError:
        return CampaignError(
            f"{self.path} cannot be read as a campaign: {why}; if nothing else uses it, restore a copy or move it away"
        )

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._damaged(error) from None

    def _read(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query. Raises CampaignError if the file is damaged."""
        with self._guarded():
            return self._db.execute(sql, values).fetchall()

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction that begins with the lock for writing. A full disk or another failure undoes all of it."""
        try:
            self._db.execute("begin immediate")
            yield
            self._db.execute("commit")
        except (sqlite3.Error, UnicodeDecodeError) as error:
            with suppress(sqlite3.Error):
                self._db.execute("rollback")
            raise CampaignError(
                f"{self.path} cannot be written: {error}; what was written before is kept"
            ) from None
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("rollback")
            raise

    # ------------------------------------------------------------------ knobs and arms

    def setting(self, key: str) -> str | None:
        found = self._read("select value from settings where key = ?", (key,))
        return str(found[0][0]) if found else None

    def keep_settings(self, knobs: Knobs, limits: Limits, engine: str) -> None:
        """Write the campaign's settings once. Raises CampaignError if it has others."""
        wanted = {**_knob_texts(knobs), "limits": limits.model_dump_json()}
        with self._writing():
            had = dict(self._db.execute("select key, value from settings").fetchall())
            for key, value in wanted.items():
                if key in had and had[key] != value:
                    raise CampaignError(
                        f"the campaign has {key} {had[key] or 'not set'}, not {value}; give the same, or another "
                        f"name for another campaign"
                    )
            rows = [
                *wanted.items(),
                ("engine", engine),
                ("made", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())),
            ]
            self._db.executemany("insert or ignore into settings values (?, ?)", rows)

    @property
    def knobs(self) -> Knobs:
        seed, timed, cases, drawn = (self.setting(key) for key in ("seed", "timed", "cases", "shuffle"))
        try:
            low, _, high = drawn.partition("..") if drawn else ("2", "", "2")
            if timed not in (None, "yes", "no") or not 2 <= int(low) <= int(high) <= 200:
                raise ValueError
            return Knobs(
                int(seed or 0),
                timed == "yes",
                int(cases) if cases else None,
                (int(low), int(high)) if drawn else None,
            )
        except ValueError:
            raise self._damaged("its settings are not those of a campaign") from None

    @property
    def limits(self) -> Limits:
        try:
            return Limits.model_validate_json(self.setting("limits") or "{}")
        except ValueError:
            raise self._damaged("the limits of its runs are none") from None

    def add_arm(self, arm: Arm, low: int, high: int | None, budget: Budget) -> None:
        """Add an arm, or give one that is there a larger range or another budget."""
        spec = dumps({name: value for name, value in asdict(arm).items() if value not in (None, False)})
        with self._writing():
            had = next((one for one in self.arms() if one.arm.name == arm.name), None)
            if had is not None and had.arm.printed != arm.printed:
                raise CampaignError(
                    f"the prompts of {arm.name} have changed since the campaign began; name the file "
                    f"otherwise to test both"
                )
            if had is not None:
                low = min(low, had.low)
                high = None if high is None or had.high is None else max(high, had.high)
            self._db.execute(
                "insert into arms (name, spec, low, high, budget) values (?, ?, ?, ?, ?) on conflict "
                "(name) do update set "
                "low = excluded.low, high = excluded.high, budget = excluded.budget, spec = excluded.spec",
                (arm.name, spec, low, high, dumps(asdict(budget))),
            )

    def arms(self) -> list[ArmRecord]:
        found = []
        for place, name, spec, low, high, budget in self._read(
            "select arm, name, spec, low, high, budget from arms order by arm"
        ):
            try:
                arm = TypeAdapter(Arm).validate_json(spec, strict=True)
                record = ArmRecord(
                    place, arm, low, high, TypeAdapter(Budget).validate_json(budget, strict=True)
                )
            except ValueError:
                raise self._damaged(f"its agent and model {name[:80]!r} cannot be read") from None
            if record.arm.name != name:
                raise self._damaged(f"its agent and model {name[:80]!r} is another one")
            found.append(record)
        return found

    # ------------------------------------------------------------------ work

    def claim(
        self, arm: int, cases: Sequence[tuple[int, int]], most: int, current: str, until: float
    ) -> list[tuple[int, int]]:
        """Claim at most ``most`` of the cases for this process, those that have no run and that nobody works on.

        ``current``: the name of this pass, of which a process has one at a time, so that claims of its earlier passes
        are free. An aborted run of another pass is tried again, ``MOST_TRIES`` times in all.
        ``until``: when another host may take the claim (seconds since 1970).
        """
        if not cases:
            return []
        mine = (os.getpid(), began(os.getpid()), platform.node())
        wanted: dict[int, list[int]] = {}
        for n, index in cases:
            wanted.setdefault(n, []).append(index)
        with self._writing():
            gone = set[tuple[int, int]]()
            for n, indexes in wanted.items():
                place = (arm, n, min(indexes), max(indexes))
                rows = self._db.execute(
                    "select idx from runs where arm = ? and n = ? and idx between ? and ? and not (verdict = 'aborted' "
                    "and tries < ? and pass <> ?)",
                    (*place, MOST_TRIES, current),
                )
                gone |= {(n, index) for (index,) in rows}
                for index, pid, start, host, ends, claimed in self._db.execute(
                    "select idx, pid, began, host, until, pass from claims where arm = ? and n = ? and idx "
                    "between ? and ?",
                    place,
                ).fetchall():
                    own = (pid, start, host) == mine
                    if claimed == current if own else lives(pid, start, host, ends):
                        gone.add((n, index))
            taken = [case for case in cases if case not in gone][:most]
            self._db.executemany(
                "insert or replace into claims values (?, ?, ?, ?, ?, ?, ?, ?)",
                [(arm, n, index, *mine, until, current) for n, index in taken],
            )
        return taken

    def release(self, items: Iterable[tuple[int, int, int]]) -> None:
        """Give up claims on (arm, n, index) that no run came of."""
        with self._writing():
            self._db.executemany("delete from claims where arm = ? and n = ? and idx = ?", items)

    def keep(
        self, places: Sequence[int], cases: Iterable[MadeCase], rows: Sequence[Row], current: str
    ) -> None:
        """Write the results of a task in one transaction. ``places``: the arms' keys by their place in the task.

        Raises CampaignError if a case is not what it was when another arm ran it.
        """
        with self._writing():
            for case in cases:
                had = self._db.execute(
                    "select printed from cases where n = ? and idx = ?", (case.n, case.number)
                ).fetchone()
                if had is not None and had[0] != case.printed:
                    raise CampaignError(
                        f"this planscope makes another case n{case.n}-{case.number} than the one that "
                        f"began the campaign; "
                        "continue it with that version, or begin another campaign"
                    )
                orders = None if case.valid_orders is None else str(case.valid_orders)
                self._db.execute(
                    "insert or ignore into cases values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*case[:5], orders, *case[6:]),
                )
            for row in rows:
                key = (places[row.arm], row.n, row.number)
                had = self._db.execute(
                    "select tries from runs where arm = ? and n = ? and idx = ?", key
                ).fetchone()
                tries = 1 + (had[0] if had is not None else 0)
                self._db.execute(
                    "insert or replace into runs values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (*key, *row[3:13], tries, current),
                )
                self._db.execute("insert or replace into events values (?, ?, ?, ?)", (*key, row.events))
                self._db.execute("delete from claims where arm = ? and n = ? and idx = ?", key)

    def workers(self) -> list[int]:
        """Return the ids of the living processes of this host that work on cases, this process too."""
        rows = self._read("select distinct pid, began, host, until from claims")
        host = platform.node()
        return sorted({pid for pid, *claim in rows if claim[1] == host and lives(pid, *claim)})

    def planned(self) -> int | None:
        """Return the number of runs that the campaign will have, or None if an arm grows until its limit."""
        knobs, total = self.knobs, 0
        for record in self.arms():
            if record.high is None and knobs.drawn is None:
                return None
            total += knobs.number_of(record.low, record.high or record.low)
        return total

    def claimed_elsewhere(self, arm: int, n: int | None = None) -> bool:
        """Return whether other living processes work on cases of an arm, with n actions or with any number."""
        mine = os.getpid(), began(os.getpid()), platform.node()
        rows = self._read(
            "select pid, began, host, until from claims where arm = ? and n = coalesce(?, n)", (arm, n)
        )
        return any(row[:3] != mine and lives(*row) for row in rows)

    # ------------------------------------------------------------------ results

    def counts(self) -> list[Count]:
        """Return the runs, counted by arm, n, verdict, error and whether they were helped."""
        rows = self._read(
            "select arm, n, verdict, error_type, helped, count(*) from runs group by 1, 2, 3, 4, 5 "
            "order by 1, 2, 3, 4, 5"
        )
        return [Count(arm, n, kind, error, bool(helped), runs) for arm, n, kind, error, helped, runs in rows]

    def used(self) -> dict[int, Used]:
        """Return what each arm's runs took."""
        rows = self._read(
            "select arm, sum(seconds), sum(coalesce(input_tokens, 0)), sum(coalesce(output_tokens, 0)) "
            "from runs group by arm"
        )
        return {arm: Used(*found) for arm, *found in rows}

    def synthesis(self) -> dict[int, tuple[int, float, float, int]]:
        """Return for each arm the number of its cases, the milliseconds of synthesis and of Z3, and Z3's checks, as if
        the arm had made its cases alone."""
        rows = self._read(
            "select r.arm, count(*), sum(c.synthesis_ms), sum(c.z3_ms), sum(c.z3_checks) from runs r "
            "join cases c on c.n = r.n and c.idx = r.idx group by r.arm"
        )
        return {arm: (count, made, z3, checks) for arm, count, made, z3, checks in rows}

    def made(self) -> tuple[int, float, float, int]:
        """Return the number of cases, the milliseconds of synthesis and of Z3, and Z3's checks."""
        ((count, made, z3, checks),) = self._read(
            "select count(*), coalesce(sum(synthesis_ms), 0), coalesce(sum(z3_ms), 0), "
            "coalesce(sum(z3_checks), 0) from cases"
        )
        return count, made, z3, checks

    def topics(self, below: dict[int, int | None]) -> list[tuple[str, int, int]]:
        """Return (topic, right, wrong) of the runs without help with n below each arm's limit."""
        found: dict[str, list[int]] = {}
        for arm, limit in below.items():
            rows = self._read(
                "select c.topic, sum(r.verdict = 'right'), sum(r.verdict = 'wrong') from runs r join "
                "cases c on c.n = r.n "
                "and c.idx = r.idx where r.arm = ? and r.n < ? and not r.helped group by 1",
                (arm, limit if limit is not None else 10**9),
            )
            for topic, right, wrong in rows:
                counts = found.setdefault(topic, [0, 0])
                counts[0] += right
                counts[1] += wrong
        return [(topic, right, wrong) for topic, (right, wrong) in found.items()]

    def outcomes(self, arm: int) -> dict[tuple[int, int], tuple[str, bool]]:
        """Return verdict and help of an arm's runs, by case."""
        rows = self._read("select n, idx, verdict, helped from runs where arm = ?", (arm,))
        return {(n, index): (verdict, bool(helped)) for n, index, verdict, helped in rows}

    def listed(
        self,
        arm: int | None = None,
        verdict: str | None = None,
        n: int | None = None,
        error: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return runs as dictionaries, by arm and case, with the name of the arm and the topic."""
        wheres, values = [], list[Any]()
        for column, value in (("r.arm", arm), ("r.verdict", verdict), ("r.n", n), ("r.error_type", error)):
            if value is not None:
                wheres.append(f"{column} = ?")
                values.append(value)
        rows = self._read(
            "select r.arm, a.name as arm_name, r.n, r.idx, c.topic, r.verdict, r.error_type, r.helped, "
            "r.lost, r.calls, "
            "r.model_calls, r.input_tokens, r.output_tokens, r.seconds, r.why, r.tries from runs r join "
            "arms a on a.arm = r.arm "
            "join cases c on c.n = r.n and c.idx = r.idx"
            + (f" where {' and '.join(wheres)}" if wheres else "")
            + " order by r.arm, r.n, r.idx",
            values,
        )
        return [dict(row) for row in rows]

    def printed(self, n: int, index: int) -> str | None:
        """Return the hash of a case that was made, or None."""
        found = self._read("select printed from cases where n = ? and idx = ?", (n, index))
        return str(found[0][0]) if found else None

    def events(self, arm: int, n: int, index: int) -> bytes | None:
        """Return the compressed record of a run, or None if there is none."""
        found = self._read("select data from events where arm = ? and n = ? and idx = ?", (arm, n, index))
        if found and not isinstance(found[0][0], bytes):
            raise self._damaged("the record of a run is none")
        return found[0][0] if found else None

    # ------------------------------------------------------------------ dissections

    def keep_dissection(
        self,
        key: tuple[int, int, int],
        method: str,
        cause: str | None,
        confidence: float | None,
        blameless: bool,
        document: str,
    ) -> None:
        with self._writing():
            self._db.execute(
                "insert or replace into dissections values (?, ?, ?, ?, ?, ?, ?, ?)",
                (*key, method, cause, confidence, int(blameless), document),
            )

    def dissected(self, arm: int, n: int, index: int) -> str | None:
        """Return the session with a run's dissection as JSON (that by rates, if there are two), or None."""
        found = self._read(
            "select document from dissections where arm = ? and n = ? and idx = ? order by method desc limit 1",
            (arm, n, index),
        )
        return str(found[0][0]) if found else None

    def dissections(self) -> list[tuple[int, int, int, str, str | None, float | None, bool]]:
        """Return (arm, n, index, method, cause, confidence, blameless) of each dissected error."""
        rows = self._read(
            "select arm, n, idx, method, cause, confidence, blameless from dissections order by arm, n, idx, method"
        )
        return [(*row[:6], bool(row[6])) for row in rows]


def _knob_texts(knobs: Knobs) -> dict[str, str]:
    drawn = "" if knobs.drawn is None else f"{knobs.drawn[0]}..{knobs.drawn[1]}"
    return {
        "seed": str(knobs.seed),
        "timed": "yes" if knobs.timed else "no",
        "cases": "" if knobs.cases is None else str(knobs.cases),
        "shuffle": drawn,
    }


def _tidy(statement: str) -> str:
    return " ".join(statement.lower().split())


def lives(pid: int, start: str, host: str, until: float) -> bool:
    """Return whether a claim holds: its process is alive on this host, or its time on another host is not over."""
    if host != platform.node() or not start:
        return time.time() < until
    return began(pid) == start


def began(pid: int) -> str:
    """Return when a process of this host began, in the system's own form; "" if there is none or it is not told."""
    if pid == os.getpid():
        return _own_start()
    return _start_of(pid)


@cache
def _own_start() -> str:
    return _start_of(os.getpid())


def _start_of(pid: int) -> str:
    if sys.platform == "linux":
        try:
            said = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            return ""
        return "" if said[0] in (b"Z", b"X") else said[19].decode()  # a zombie has ended
    try:
        said_text = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False, timeout=5
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    return said_text.strip()
