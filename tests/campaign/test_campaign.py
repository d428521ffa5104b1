"""Campaigns go on where they were, run nothing twice, and count what they should."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from planscope.campaign import engine
from planscope.campaign.cases import Arm, Knobs, make_case
from planscope.campaign.dissecting import Error, session_of
from planscope.campaign.engine import Campaign, Progress
from planscope.campaign.paired import compare
from planscope.campaign.report import limit_of, report
from planscope.campaign.store import MOST_TRIES, SUFFIX, Budget, CampaignError, Store, Used, began, lives
from planscope.campaign.training import Left, failed, finetune_lines, preference_lines
from planscope.campaign.worker import Task, run_of
from planscope.errors import UserError
from planscope.oracle.replay import replay
from planscope.session.files import LARGEST, SessionError
from planscope.session.model import Limits
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from tests.nightly import nightly

from ..agents.wire.replies import Fail, Say
from ..agents.wire.server import WireServer
from ..fuzz.hostile_campaigns import mutant, sound, troubles

SIX, ANY = Knobs(cases=6), Budget()
CAREFUL, LITERAL, FLAKY = (Arm("tools", f"sim:{name}") for name in ("careful", "literal", "flaky"))


def made(
    tmp_path: Path,
    arms: Sequence[Arm] = (CAREFUL, LITERAL),
    name: str = "c",
    knobs: Knobs = SIX,
    actions: tuple[int, int | None] = (2, 3),
    budget: Budget = ANY,
) -> Store:
    store = Store(tmp_path / f"{name}{SUFFIX}", make=True)
    store.keep_settings(knobs, Limits(), "1")
    for arm in arms:
        store.add_arm(arm, *actions, budget)
    return store


def rows(store: Store) -> list[tuple[object, ...]]:
    """All that a campaign keeps of its runs, but for the pass that made them."""
    listed = store.listed()
    return [(*row.values(), store.events(row["arm"], row["n"], row["idx"])) for row in listed]


def test_every_case_is_run_once_on_every_arm(tmp_path: Path) -> None:
    store = made(tmp_path)
    told: list[Progress] = []
    found = Campaign(store, on_progress=told.append).go()
    assert (found.done, found.total) == (24, 24)
    assert len(rows(store)) == 24
    assert told[-1].done == 24
    assert store.made()[0] == 12
    again = Campaign(store).go()
    assert again.done == 24
    assert [row["tries"] for row in store.listed()] == [1] * 24


def test_the_same_rows_whatever_the_order_and_however_often_it_was_stopped(tmp_path: Path) -> None:
    whole, parts = (
        made(tmp_path, (CAREFUL, LITERAL, FLAKY)),
        made(tmp_path, (CAREFUL, LITERAL, FLAKY), "parts"),
    )
    Campaign(whole).go()
    passes = 0
    while len(parts.listed()) < 36:
        campaign = Campaign(parts)
        campaign._on_progress = lambda _: campaign.stop()  # noqa: B023, it is used at once
        campaign.go()
        passes += 1
    assert passes > 3
    assert rows(parts) == rows(whole)


def test_two_processes_share_the_work(tmp_path: Path) -> None:
    store = made(tmp_path, knobs=Knobs(cases=30))
    code = (
        "import sys; from pathlib import Path; from planscope.campaign.engine import Campaign; "
        "from planscope.campaign.store import Store; print(Campaign(Store(Path(sys.argv[1]))).go().here)"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(store.path)], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    shares = [int(one.communicate(timeout=60)[0]) for one in both]
    assert sum(shares) == 120
    assert [row["tries"] for row in store.listed()] == [1] * 120


def test_claims_of_the_dead_are_free(tmp_path: Path) -> None:
    store = made(tmp_path)
    cases = [(2, number) for number in range(6)]
    now = time.time()
    assert store.claim(1, cases, 4, "a", now + 60) == cases[:4]
    assert store.claim(1, cases, 6, "a", now + 60) == cases[4:]
    assert not store.claimed_elsewhere(1)
    me = began(os.getpid())
    assert lives(os.getpid(), me, os.uname().nodename, now - 1)
    assert not lives(
        os.getpid(), me + "0", os.uname().nodename, now + 60
    )  # the number was given to another process
    assert not lives(2**22 + 1, "1", os.uname().nodename, now + 60)
    assert lives(1, "1", "elsewhere", now + 60)
    assert not lives(1, "1", "elsewhere", now - 1)
    with sqlite3.connect(store.path) as db:
        db.execute("update claims set pid = 4194305, began = '1'")
    assert store.claim(1, cases, 6, "a", now + 60) == cases


def test_an_arm_without_a_range_grows_until_too_few_are_right(tmp_path: Path) -> None:
    store = made(tmp_path, (LITERAL,), knobs=Knobs(cases=12), actions=(2, None))
    Campaign(store).go()
    found = report(store, "c")
    rates = [cell.rate or 0.0 for cell in found.cells]
    assert [cell.actions for cell in found.cells] == list(range(2, 2 + len(rates)))
    assert all(rate >= 0.2 for rate in rates[:-1])
    assert rates[-1] < 0.2
    assert found.limit == {LITERAL.name: found.cells[-1].actions} == {LITERAL.name: limit_of(found.cells)}
    below = sum(cell.wrong for cell in found.cells[:-1])
    assert sum(found.error_types.values()) == below < found.arms[LITERAL.name].errors


def test_a_budget_is_for_each_arm(tmp_path: Path) -> None:
    store = made(tmp_path, budget=Budget(tokens=1000))
    found = Campaign(store).go()
    assert [why for *_, why in found.arms] == ["budget", "budget"]
    for used in store.used().values():
        assert 1000 <= used.tokens < 10_000
    priced = Budget(money=1.0, price=(1.0, 10.0))
    assert priced.cost(Used(0, 500_000, 50_000)) == 1.0
    assert priced.spent(Used(0, 500_000, 50_000))
    assert not priced.spent(Used(0, 500_000, 49_999))


def test_aborted_runs_are_tried_three_times_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with WireServer([Fail(400, "odd") for _ in range(40)]) as server:
        arm = Arm("tools", "openai:local", base_url=server.base_url)
        store = made(tmp_path, (arm,), knobs=Knobs(cases=2), actions=(2, 2))
        for _ in range(MOST_TRIES + 2):
            Campaign(store, at_once=1).go()
        assert [row["tries"] for row in store.listed()] == [MOST_TRIES] * 2
    cell = report(store, "c").cells[0]
    assert (cell.aborted, cell.rate, cell.ci) == (2, None, None)


def test_a_model_on_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with WireServer([Fail(429, "slow down"), *(Say("done") for _ in range(3))]) as server:
        arm = Arm("tools", "openai:local", base_url=server.base_url)
        store = made(tmp_path, (arm,), knobs=Knobs(cases=3), actions=(2, 2))
        Campaign(store, at_once=1).go()
    listed = store.listed()
    assert [row["verdict"] for row in listed] == ["wrong"] * 3  # it stopped without a call
    assert [row["lost"] for row in listed] == [0] * 3


def test_a_worker_that_dies_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, deaths = made(tmp_path), 0

    class Dying(engine._Pools):
        def submit(self, task: Task, *, light: bool, here: bool) -> Future[engine.Done]:
            nonlocal deaths
            deaths += 1
            if deaths in (1, 2, 5):
                failed: Future[engine.Done] = Future()
                failed.set_exception(BrokenProcessPool("killed"))
                return failed
            return super().submit(task, light=light, here=here)

    monkeypatch.setattr(engine, "_Pools", Dying)
    assert Campaign(store).go().done == 24
    assert [row["tries"] for row in store.listed()] == [1] * 24


WORKERS = """
import time
from planscope.campaign.cases import Arm, Knobs
from planscope.campaign.engine import _Pools
from planscope.campaign.worker import Item, Task
from planscope.session.model import Limits

if __name__ == "__main__":
    pools = _Pools(2, 1, None)
    tasks = [Task(Knobs(), (Arm("tools", "sim:careful"),), (Item(0, 5, n),), Limits()) for n in range(2)]
    for future in [pools.submit(task, light=True, here=False) for task in tasks]:
        future.result()
    print(*pools._processes._processes, flush=True)
    time.sleep(60)
"""


CLUSTER_AT_WORK = """
import os, sys
from pathlib import Path
from planscope.campaign import engine
from planscope.campaign.store import Store

if __name__ == "__main__":
    client, cluster = engine.dask("local")
    workers, told = client.run(os.getpid).values(), []

    def tell(found):
        if found.done and not told:
            told.append(1)
            print(*workers, flush=True)

    engine.Campaign(Store(Path(sys.argv[1])), workers=2, cluster=cluster, on_progress=tell).go()
"""


@pytest.mark.parametrize("parents", [WORKERS, CLUSTER_AT_WORK], ids=["processes", "cluster"])
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path, parents: str) -> None:
    if parents is CLUSTER_AT_WORK:
        pytest.importorskip("distributed")
    path, script = made(tmp_path, knobs=Knobs(cases=3000)).path, tmp_path / "parents.py"
    script.write_text(parents)  # a worker imports it again, as it does the planscope command
    parent = subprocess.Popen(
        [sys.executable, str(script), str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert parent.stdout is not None
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    assert workers and all(began(pid) for pid in workers)
    parent.kill()
    parent.communicate()
    ends = time.monotonic() + 60
    while any(began(pid) for pid in workers):
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_killed_worker_of_a_cluster_loses_nothing(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    whole, shared = (made(tmp_path, name=name, knobs=Knobs(cases=20)) for name in ("whole", "shared"))
    Campaign(whole).go()
    client, cluster = engine.dask("local")
    with client:
        workers = client.run(os.getpid)
        assert len(workers) == len(set(workers.values())) >= 1
        killed = []

        def kill(found: Progress) -> None:
            if found.done and not killed:
                killed.append(workers.popitem()[1])
                os.kill(killed[0], signal.SIGKILL)

        found = Campaign(shared, workers=2, cluster=cluster, on_progress=kill).go()
        assert killed and found.done == found.total == 80
    assert rows(shared) == rows(whole)


CLUSTER = """
import asyncio
from distributed import Scheduler, Worker

async def main():
    async with Scheduler(port=0, dashboard_address=None) as scheduler, Worker(scheduler.address, nthreads=1):
        print(scheduler.address, flush=True)
        await scheduler.finished()

asyncio.run(main())
"""


GOES_ON = """
import sys
from pathlib import Path
from planscope.campaign import engine
from planscope.campaign.store import Store
from planscope.errors import UserError

client, cluster = engine.dask(sys.argv[2])
tell = lambda _: print("on", flush=True)
try:
    engine.Campaign(Store(Path(sys.argv[1])), workers=2, cluster=cluster, on_progress=tell).go()
except UserError as error:
    print(error, flush=True)
client.close()
"""


def test_a_scheduler_that_dies_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    path = made(tmp_path, knobs=Knobs(cases=3000)).path
    with subprocess.Popen([sys.executable, "-c", CLUSTER], stdout=subprocess.PIPE, text=True) as cluster:
        assert cluster.stdout is not None
        command = [sys.executable, "-c", GOES_ON, str(path), cluster.stdout.readline().strip()]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stdout.readline() == "on\n"
            cluster.kill()
            out, err = process.communicate()
    assert out.endswith("the cluster is gone; the runs so far are kept\n") and err == ""


def test_a_cluster_that_is_gone_or_never_was_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(Executor):
        def submit(self, *_: object, **options: object) -> Future[engine.Done]:
            gone: Future[engine.Done] = Future()
            gone.cancel()
            gone.set_running_or_notify_cancel()
            return gone

    store = made(tmp_path)
    with pytest.raises(UserError, match="the cluster is gone; the runs so far are kept"):
        Campaign(store, cluster=Gone()).go()
    assert Campaign(store).go().done == 24
    pytest.importorskip("distributed")
    monkeypatch.setattr(engine, "CONNECT", 0.2)
    with pytest.raises(UserError, match=r"the cluster tcp://127\.0\.0\.1:1 cannot be reached"):
        engine.dask("tcp://127.0.0.1:1")


def test_settings_stay(tmp_path: Path) -> None:
    store = made(tmp_path)
    for knobs in (Knobs(seed=1, cases=6), Knobs(cases=7), Knobs(cases=6, timed=True)):
        with pytest.raises(CampaignError, match="the campaign has"):
            store.keep_settings(knobs, Limits(), "1")
    store.add_arm(LITERAL, 2, 5, Budget())
    assert [(record.arm.name, record.high) for record in store.arms()] == [
        (CAREFUL.name, 3),
        (LITERAL.name, 5),
    ]
    store.add_arm(Arm("tools", "m", prompts="/x/a.toml", printed="1"), 2, 3, Budget())
    with pytest.raises(CampaignError, match="have changed"):
        store.add_arm(Arm("tools", "m", prompts="/x/a.toml", printed="2"), 2, 3, Budget())


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (
            lambda path: path.write_bytes(b"not a database, but long enough to look like one " * 30),
            "cannot be read",
        ),
        (lambda path: sqlite3.connect(path).execute("pragma user_version = 99"), "later planscope"),
        (lambda path: sqlite3.connect(path).execute("pragma application_id = 5"), "not of a campaign"),
    ],
)
def test_other_files(tmp_path: Path, damage: Callable[[Path], object], says: str) -> None:
    store = made(tmp_path)
    store.close()
    for suffix in ("-wal", "-shm"):
        store.path.with_name(store.path.name + suffix).unlink(missing_ok=True)
    damage(store.path)
    with pytest.raises(CampaignError, match=says):
        Store(store.path)


def test_an_empty_file_is_a_new_campaign(tmp_path: Path) -> None:
    """The process that made it may have been killed in the first moment, or the disk was full."""
    for name in ("c", "d"):
        (tmp_path / f"{name}{SUFFIX}").touch()
    assert Store(tmp_path / f"c{SUFFIX}").counts() == []
    assert Campaign(made(tmp_path, name="d")).go().done == 24


def test_a_record_that_unpacks_to_too_much_is_one_line(tmp_path: Path) -> None:
    store = made(tmp_path, (LITERAL,))
    Campaign(store).go()
    row = store.listed()[0]
    error = Error(row["arm"], row["n"], row["idx"])
    for data, says in (
        (zlib.compress(bytes(LARGEST + 1)), "is larger than 64 MB"),
        (zlib.compress(b"{}")[:-2], "cut off"),
        (b"\x78nothing", "damaged"),
        (zlib.compress(b'{"id": "r1"}'), "is not a valid session: runs.0.agent: Field required"),
        (zlib.compress(b"[" * 5000), "nested too deeply"),
    ):
        with sqlite3.connect(store.path) as db:
            db.execute("update events set data = ?", (data,))
        with pytest.raises(SessionError, match=says):
            session_of(store, error)


def test_a_database_with_endless_rows_is_refused(tmp_path: Path) -> None:
    """Damaged pages can lead in a circle; here a view does."""
    store = made(tmp_path)
    store.close()
    with sqlite3.connect(store.path) as db:
        db.executescript(
            "drop table claims; create view claims as with recursive t(arm, n, idx, pid, began, host, until, pass) as "
            "(select 1, 1, 1, 1, '', '', 1, '' union all select arm + 1, 1, 1, 1, '', '', 1, '' from t) select * from t"
        )
    with pytest.raises(CampaignError, match="its tables are not those of a campaign"):
        Store(store.path)


@pytest.mark.parametrize("many", [3, *nightly(30)])
def test_damaged_databases_are_one_line_and_the_others_are_listed(
    many: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fixed sample; ``python -m tests.fuzz.hostile_campaigns`` tries more."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder, draw = tmp_path / "planscope" / "campaigns", random.Random(26)
    folder.mkdir(parents=True)
    data = sound(folder)
    assert troubles(data, tmp_path) == []
    found = [troubles(mutant(data, draw), tmp_path) for _ in range(many)]
    assert [line for lines in found for line in lines] == []


def test_a_full_disk_keeps_what_was_written(tmp_path: Path) -> None:
    store = made(tmp_path)
    size = store._db.execute("pragma page_count").fetchone()[0]
    store._db.execute(f"pragma max_page_count = {size + 1}")
    with pytest.raises(CampaignError, match="full"):
        Campaign(store).go()
    kept = len(store.listed())
    assert store._db.execute("pragma integrity_check").fetchone()[0] == "ok"
    store._db.execute("pragma max_page_count = 1073741823")
    assert Campaign(store).go().done == 24 > kept


def test_a_case_of_another_version_is_refused(tmp_path: Path) -> None:
    store = made(tmp_path, (CAREFUL,))
    Campaign(store).go()
    with sqlite3.connect(store.path) as db:
        db.execute("update cases set printed = 'x'")
    store.add_arm(LITERAL, 2, 3, Budget())
    with pytest.raises(CampaignError, match="another case"):
        Campaign(store).go()


def test_comparing(tmp_path: Path) -> None:
    store, other = made(tmp_path), made(tmp_path, (LITERAL,), "d", actions=(2, 2))
    Campaign(store).go()
    Campaign(other).go()
    found = compare(store, CAREFUL.name, store, "literal")
    right = sum(row["verdict"] == "right" for row in store.listed(arm=2))
    assert (found.pairs, found.both, found.only_a, found.only_b) == (12, right, 12 - right, 0)
    assert found.difference == pytest.approx((right - 12) / 12)
    assert found.worse == (found.p is not None and found.p < 0.05)
    assert not found.within(0.1)
    across = compare(store, "careful", other, "literal")
    assert across.pairs == 6  # only the number of actions that both ran
    with pytest.raises(CampaignError, match="no arm 'none'"):
        compare(store, "none", store, "literal")
    with pytest.raises(CampaignError, match="'sim' alone"):
        compare(store, "sim", store, "literal")
    strange = made(tmp_path, (LITERAL,), "e", knobs=Knobs(seed=1, cases=6))
    with pytest.raises(CampaignError, match="cannot be paired"):
        compare(store, "careful", strange, "literal")


@pytest.mark.parametrize("timed", [False, True])
def test_training_data_is_right(tmp_path: Path, timed: bool) -> None:
    import json

    from planscope.oracle.trace import ToolCall, Trace

    arm = LITERAL if not timed else Arm("tools", "sim:time-blind")
    store = made(tmp_path, (arm,), knobs=Knobs(cases=10, timed=timed), actions=(3, 3))
    Campaign(store).go()
    wrong = store.listed(verdict="wrong")
    assert wrong
    (session,) = failed(store)
    left = Left()
    chats = [json.loads(line) for line in finetune_lines(session, left)]
    assert len(chats) + left.no_plan == len(wrong)
    for chat, run in zip(chats, session.runs, strict=False):
        problem = problem_of(next(v for v in session.variants if v.id == run.variant))
        calls = tuple(
            ToolCall(one["function"]["name"], json.loads(one["function"]["arguments"]))
            for message in chat["messages"]
            for one in message.get("tool_calls", ())
        )
        assert replay(problem, Trace(calls, "stopped")).verdict().verdict == "right"
        assert {tool["function"]["name"] for tool in chat["tools"]} >= {
            action.tool for action in problem.actions
        }
    pairs = [json.loads(line) for line in preference_lines(session, Left())]
    assert pairs
    for pair in pairs:
        assert pair["preferred_output"] != pair["non_preferred_output"]


def test_a_row_keeps_its_run(tmp_path: Path) -> None:
    store = made(tmp_path, (LITERAL,))
    Campaign(store).go()
    for row in store.listed():
        case = make_case(store.knobs, row["n"], row["idx"])
        run = run_of(store.events(row["arm"], row["n"], row["idx"]) or b"", case.variant, "it")
        verdict = replay(problem_of(case.variant), trace_of(run)).verdict()
        assert (verdict.verdict, verdict.error_type) == (row["verdict"], row["error_type"])


def test_a_kept_dissection_is_found_by_its_run(tmp_path: Path) -> None:
    store = Store(tmp_path / f"c{SUFFIX}", make=True)
    for method, document in (("rates", "by rates"), ("belief", "by belief")):
        store.keep_dissection((0, 5, 2), method, "order", 0.9, False, document)
    assert store.dissected(0, 5, 2) == "by rates" and store.dissected(0, 5, 3) is None
    assert store.dissections() == [(0, 5, 2, one, "order", 0.9, False) for one in ("belief", "rates")]
