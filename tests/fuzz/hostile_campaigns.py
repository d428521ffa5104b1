"""Databases of campaigns, damaged in every way: ``python -m tests.fuzz.hostile_campaigns [MUTANTS] [SEED]``.

Each command reads a damaged database or says in one line what is wrong with it, and ``campaign list`` lists the others.
"""

from __future__ import annotations

import faulthandler
import io
import os
import random
import resource
import sqlite3
import sys
import tempfile
import time
import zlib
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from planscope.campaign.cases import Arm, Knobs
from planscope.campaign.dissecting import dissect
from planscope.campaign.engine import Campaign
from planscope.campaign.store import SUFFIX, Budget, CampaignError, Store
from planscope.cli import main as command
from planscope.session.model import Limits

PAGE = 4096
SLOW = 20.0
"""No command on so small a database takes longer, in seconds of the processor."""
COMMANDS = (
    "list --json",
    "report c --json",
    "report c",
    "report c --html -",
    "show c --all --json",
    "show c n3-1 --arm literal -o {folder}/run.planscope.json",
    "compare c tools/sim:careful literal --json",
    "export c --format preferences -o -",
    "resume c --workers 1 --json",
)
ODD: tuple[Any, ...] = (
    None, 0, -1, 3, 199, 2**31, 2**62, 1.5, -1e300, 9e999, "", "x", "right", "\0", "10" * 3000, "\u202e\x1b[31m", b"", b"\xff\xfe",
    "{}", "[]", "null", '{"agent": 1}', '{"agent": "tools", "model": "sim:careful", "x": 1}', '{"seconds": 1e999}', "[" * 5000,
    zlib.compress(b"{}"), zlib.compress(b"[1]"), zlib.compress(b"null"), zlib.compress(bytes(100_000_000), 9), zlib.compress(b"[" * 5000),
    zlib.compress(b'{"id": "r1", "variant": "v1", "agent": "x", "model": "x", "events": [{"type": "call", "step": 7}]}'),
)  # fmt: skip
SCHEMAS = (
    "drop table {table}",
    "drop table {table}; create view {table} as with recursive t(arm) as (select 1 union all select arm + 1 from t) select * from t",
    "create table more (x)",
    "create index odd on {table} ({column})",
    "create trigger odd after insert on {table} begin delete from {table}; end",
    "alter table {table} rename column {column} to odd",
    "pragma user_version = 0",
    "pragma application_id = 0",
    "delete from {table}",
)  # fmt: skip


def sound(folder: Path) -> bytes:
    """Return the bytes of a campaign with runs of two arms and a dissection."""
    path = folder / f"sound{SUFFIX}"
    with closing(Store(path, make=True)) as store:
        store.keep_settings(Knobs(cases=3), Limits(), "1")
        for name in ("careful", "literal"):
            store.add_arm(Arm("tools", f"sim:{name}"), 2, 4, Budget(money=5.0, price=(1.0, 2.0)))
        Campaign(store).go()
        dissect(store, size=1, method="rates", budget=6)
        store._db.execute("pragma wal_checkpoint(truncate)")
    return path.read_bytes()


def mutant(data: bytes, draw: random.Random) -> bytes:
    """Return the database with some damage: of bytes, of pages, of values, or of its tables."""
    way, made, size = draw.randrange(10), bytearray(data), len(data)
    if way < 2:
        for _ in range(draw.choice((1, 4, 30))):
            made[draw.randrange(size)] = draw.randrange(256)
    elif way == 2:
        made[draw.randrange(100)] = draw.randrange(256)
    elif way == 3:
        del made[draw.choice((0, 1, 15, 100, PAGE, draw.randrange(size))) :]
    elif way < 6:
        at, source = (draw.randrange(size // PAGE) * PAGE for _ in range(2))
        page = draw.choice((bytes(PAGE), draw.randbytes(PAGE), data[source : source + PAGE]))
        made[at : at + PAGE] = page
    else:
        return _by_sql(data, draw, values=way < 9)
    return bytes(made)


def _by_sql(data: bytes, draw: random.Random, *, values: bool) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        path.write_bytes(data)
        with closing(sqlite3.connect(path)) as db:
            db.execute("pragma synchronous = off")
            tables = [name for (name,) in db.execute("select name from sqlite_master where type = 'table'")]
            for _ in range(draw.choice((1, 1, 3))):
                table = draw.choice(tables)
                with suppress(sqlite3.Error):  # some are not allowed; the next one is
                    columns = [row[1] for row in db.execute(f"pragma table_info({table})")]
                    column = draw.choice(columns or ["x"])
                    if values:
                        where = draw.choice(("", f" where {column} = (select min({column}) from {table})"))
                        change = f"update or replace {table} set {column} = ?{where}"
                        db.execute(change, (draw.choice(ODD),))
                    else:
                        db.executescript(draw.choice(SCHEMAS).format(table=table, column=column))
            db.commit()
            db.execute("pragma wal_checkpoint(truncate)")
        return path.read_bytes()


def troubles(data: bytes, folder: Path) -> list[str]:
    """Run all commands on the database, beside a sound one. Return what is wrong with how they end."""
    campaigns = folder / "planscope" / "campaigns"
    found = []
    for line in COMMANDS:
        for suffix in ("", "-wal", "-shm", "-journal"):
            (campaigns / f"c{SUFFIX}{suffix}").unlink(missing_ok=True)
        (campaigns / f"c{SUFFIX}").write_bytes(data)
        if line.startswith("resume") and _more_work(campaigns / f"c{SUFFIX}"):
            continue
        out, err, began = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), time.process_time()
        with redirect_stdout(out), redirect_stderr(err):
            status = command(["campaign", *line.format(folder=folder).split()])
        out.seek(0)
        said, told = out.read(), err.getvalue()
        if (
            status not in (0, 1, 2)
            or "a bug in" in told
            or "Traceback" in told
            or time.process_time() - began > SLOW
        ):
            found.append(f"{line}: status {status}, {told.strip()[-300:]}")
        elif status == 2 and told.count("\n") != 1 and "export" not in line:
            found.append(f"{line}: {told.count(chr(10))} lines: {told[:300]}")
        elif line.startswith("list") and '"sound"' not in said:
            found.append(f"{line}: the sound campaign is not listed")
    return found


def _more_work(path: Path) -> bool:
    """Return whether going on would take long: the damage may have changed how much there is to do."""
    try:
        with closing(Store(path)) as store:
            return (store.planned() or 1000) > 20 or any(
                not arm.arm.model.startswith("sim:") for arm in store.arms()
            )
    except CampaignError:
        return False


def main(count: int = 1000, seed: int = 1) -> int:
    draw, bad, began = random.Random(seed), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_DATA_HOME"] = home
        folder = Path(home)
        (folder / "planscope" / "campaigns").mkdir(parents=True)
        data = sound(folder / "planscope" / "campaigns")
        if said := troubles(data, folder):
            raise SystemExit("\n".join(said))
        for number in range(count):
            faulthandler.dump_traceback_later(6 * SLOW, exit=True)
            said = troubles(mutant(data, draw), folder)
            bad += bool(said)
            for line in said:
                print(f"mutant {number}: {line}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    took = time.monotonic() - began
    print(f"{count} mutants, {bad} bad, {took:.0f} s, {peak} MB at most")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
