"""``planscope campaign``: tests agents on many queries, and reports rates, limits, errors and causes."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope import __version__
from planscope.commands import Command
from planscope.commands.common import (
    BASE_URL,
    ProgressLine,
    answer,
    has_terminal,
    leave_out,
    number,
    output_file,
    price,
    print_json,
    quoted,
    say,
    say_all,
    share,
    tell,
    whole,
    write_or_print,
)
from planscope.errors import UserError
from planscope.safe import visible
from planscope.session.locations import campaigns_folder, make_folder, wrong_name
from planscope.wording.phrases import percent, time_left

if TYPE_CHECKING:
    from planscope.campaign.cases import Arm, Knobs
    from planscope.campaign.engine import Progress
    from planscope.campaign.store import Budget, Store
    from planscope.session.model import Limits

ABOUT = (
    "Test agents in earnest: many queries, each agent with each model on the same ones. Results go to a "
    "database as they "
    "come; a campaign that was stopped goes on where it was."
)
EXAMPLE = "planscope campaign run trial --model sim:literal --actions 2..3 --cases 9"
LAST_N = 200
MOST_LISTED = 40
"""Runs that ``show`` lists without --all."""


# ---------------------------------------------------------------------- files


def _path(name: str) -> Path:
    from planscope.campaign.store import campaign_path

    return campaign_path(name)


def _store(name: str) -> Store:
    from planscope.campaign.store import Store

    return Store(_path(name))


# ---------------------------------------------------------------------- run and resume


def _begin(args: Namespace) -> int:
    from planscope.stats import needed

    if args.detect is not None:
        return _tell_needed(args, needed(args.detect, max(0.5, args.detect)))
    if not args.model:
        raise UserError(
            "a campaign needs a model; give --model, for example --model sim:careful (planscope models)"
        )
    from planscope.campaign.store import Store
    from planscope.session.model import Limits

    path = _path(args.name)
    had, limits = _before(path)
    knobs, arms = _knobs(args, had), _arms(args)
    if args.timeout is not None or limits is None:
        limits = Limits() if args.timeout is None else Limits(seconds=args.timeout)
    low, high = args.actions or (2, None)
    _check_range(knobs, low, high)
    if args.budget_seconds is not None and any(arm.options().spec.simulated for arm in arms):
        say_aside("note: simulated models take no time, so --budget-seconds does not end their runs")
    make_folder(campaigns_folder())
    with closing(Store(path, make=True)) as store:
        store.keep_settings(knobs, limits, __version__)
        for arm in arms:
            store.add_arm(arm, low, high, _budget(args))
        return _go(args, store)


def _tell_needed(args: Namespace, cases: int) -> int:
    from planscope.documents.campaign import CampaignNeededDocument

    said = (
        f"{cases} cases find a difference of {percent(args.detect)} with 80 % power, if the two differ on half of "
        "the cases (fewer are enough if they differ on fewer)"
    )
    answer(args, CampaignNeededDocument(detect=args.detect, needed=cases), said)
    return 0


def _resume(args: Namespace) -> int:
    with closing(_store(args.name)) as store:
        for record in store.arms():
            _check_arm(record.arm, again=True)
        return _go(args, store)


def _open(args: Namespace) -> int:
    from planscope.commands.open import where_left
    from planscope.tui.launch import run as run_app

    _store(args.name).close()  # an error is raised here, before the screen opens
    if not has_terminal():
        raise UserError(
            f"the screen needs a terminal; without one, use planscope campaign report {args.name}"
        )
    _, path, run, step = where_left()
    return run_app(path, run=run, step=step, campaign=args.name)


def _go(args: Namespace, store: Store) -> int:
    from planscope.campaign.engine import Campaign, dask
    from planscope.campaign.report import report
    from planscope.commands.recording import prints_aside
    from planscope.documents.campaign import CampaignRunDocument
    from planscope.views.campaign import rate_blocks

    line = ProgressLine()
    client, cluster = dask(args.cluster) if args.cluster is not None else (None, None)
    processors = os.cpu_count() or 1
    if client is not None:
        say_aside(f"the cluster's dashboard: {client.dashboard_link}")
        processors = sum(client.nthreads().values())
    campaign = Campaign(
        store,
        workers=args.workers or processors or 1,
        at_once=args.workers or max(8, processors),
        cluster=cluster,
        on_progress=lambda found: line.show(progress_text(found)),
    )
    try:
        with prints_aside():
            found = campaign.go()
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; go on with: planscope campaign resume {args.name}") from None
    finally:
        line.clear()
        if client is not None:
            client.close()
    dead = _all_aborted(store)
    with suppress(BrokenPipeError):
        if args.json:
            complete = not any(why for *_, why in found.arms)
            print_json(CampaignRunDocument.about(args.name, str(store.path), found, complete))
        else:
            tell(rate_blocks(report(store, args.name)))
            say_all(f"{arm} began no more runs: {why}" for arm, *_, why in found.arms if why)
            say(f"planscope campaign report {args.name} shows more")
    return 2 if dead else 0


def say_aside(text: str) -> None:
    """Say something on standard error, so that standard output stays one document."""
    sys.stderr.write(visible(text) + "\n")


def _all_aborted(store: Store) -> bool:
    """Return whether every run of some arm was aborted."""
    kinds: dict[int, set[str]] = {}
    for count in store.counts():
        kinds.setdefault(count.arm, set()).add(count.verdict)
    return any(kind == {"aborted"} for kind in kinds.values())


def progress_text(found: Progress) -> str:
    """Say how far a campaign is, with its rate and the time left, if that is known."""

    total = "" if found.total is None else f" of {found.total}"
    parts = [f"{found.done}{total} runs"]
    if found.seconds > 0:
        parts.append(f"{found.here / found.seconds:.1f} a second")
    if found.left is not None:
        parts.append(time_left(found.left))
    if found.money:
        parts.append(f"{found.money:.2f} spent")
    at = [f"{name} at {n} actions" for name, n, *_ in found.arms if n is not None]
    return ", ".join([*parts, *at[:2]])


def _knobs(args: Namespace, had: Knobs | None) -> Knobs:
    """Return the campaign's knobs: those given, and for a campaign that exists those that were not given."""
    from planscope.campaign.cases import Knobs

    if args.shuffle and args.actions is None and (had is None or had.drawn is None):
        raise UserError("--shuffle draws from a range; give --actions A..B, for example --actions 3..5")
    if had is None:
        return Knobs(args.seed or 0, args.timed, args.cases, args.actions if args.shuffle else None)
    return replace(
        had,
        seed=had.seed if args.seed is None else args.seed,
        timed=had.timed or args.timed,
        cases=had.cases if args.cases is None else args.cases,
        drawn=args.actions if args.actions and (args.shuffle or had.drawn) else had.drawn,
    )


def _before(path: Path) -> tuple[Knobs | None, Limits | None]:
    """Return the knobs and the limits of a campaign that was begun, or None for each."""
    from planscope.campaign.store import Store

    if not path.exists():
        return None, None
    with closing(Store(path)) as store:
        return (store.knobs, store.limits) if store.setting("seed") is not None else (None, None)


def _check_range(knobs: Knobs, low: int, high: int | None) -> None:
    from planscope.language.problem import DAY

    if knobs.timed and (high or low) > DAY:
        raise UserError(f"{high or low} timed actions do not fit a day; ask for {DAY} at most")


def _arms(args: Namespace) -> list[Arm]:
    from planscope.campaign.cases import Arm

    arms = []
    for agent in args.agent or ["tools"]:
        for model in args.model:
            arm = Arm(agent, model, None, None, args.role, args.guard, args.base_url)
            if args.prompts is not None:
                arm = replace(arm, prompts=str(args.prompts.absolute()), printed=_print_of(args.prompts))
            arms.append(_check_arm(arm))
    names = [arm.name for arm in arms]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"{twice} is given twice; leave one out")
    return arms


def _print_of(file: Path) -> str:
    import hashlib

    from planscope.language.prompts import templates

    templates(file)  # raises if the file cannot be used
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def _check_arm(arm: Arm, *, again: bool = False) -> Arm:
    """Return the arm with its model's name as planscope writes it. Raises UserError if it cannot run."""
    if again and arm.prompts is not None and _print_of(Path(arm.prompts)) != arm.printed:
        raise UserError(
            f"{arm.prompts} has changed since the campaign began; restore it, or begin another campaign"
        )
    arm.options().check()
    return arm


def _budget(args: Namespace) -> Budget:
    from planscope.campaign.store import Budget

    if args.budget_money is not None and args.price is None:
        raise UserError("--budget-money needs --price IN,OUT: what a million tokens cost")
    return Budget(args.budget_seconds, args.budget_tokens, args.budget_money, args.price)


# ---------------------------------------------------------------------- results


def _report(args: Namespace) -> None:
    from planscope.campaign.report import report
    from planscope.documents.campaign import CampaignReportsDocument
    from planscope.sharing.campaign_files import campaign_page, write_csv, write_parquet
    from planscope.views.campaign import report_blocks

    files = [where for where in (args.html, args.csv, args.parquet) if where is not None]
    found, runs = [], []
    for name in args.name:
        with closing(_store(name)) as store:
            found.append(report(store, name))
            runs.append(store.listed() if files else [])
    if args.html is not None:
        write_or_print(campaign_page(found, runs), None if args.html == "-" else Path(args.html))
    if args.csv is not None:
        write_csv(found, runs, args.csv)
    if args.parquet is not None:
        write_parquet(found, runs, args.parquet)
    if args.json or not files:
        whole = found[0] if len(found) == 1 else CampaignReportsDocument(campaigns=found)
        answer(args, whole, lambda _: (block for one in found for block in report_blocks(one)))
    else:
        say_all(f"written: {where}" for where in files if where != "-")


def _compare(args: Namespace) -> int:
    from planscope.campaign.paired import compare
    from planscope.views.campaign import compared_blocks

    with closing(_store(args.name)) as store:
        other_name, b = _other(args.b)
        if other_name is None:
            found = compare(store, args.a, store, b, args.detect)
        else:
            with closing(_store(other_name)) as other:
                found = compare(store, args.a, other, b, args.detect)
    answer(args, found, lambda told: compared_blocks(told, args.detect))
    if args.fail_if_worse is None:
        return 0
    bad = found.worse if args.fail_if_worse < 0 else not found.within(args.fail_if_worse)
    return 1 if bad else 0


def _other(text: str) -> tuple[str | None, str]:
    """Split ``OTHER:AGENT/MODEL``: a name of a campaign that exists, before the first colon, names another campaign."""

    name, colon, arm = text.partition(":")
    if colon and "/" not in name and wrong_name(name) is None and _path(name).exists():
        return name, arm
    return None, text


def _dissect(args: Namespace) -> None:
    from planscope.campaign.dissecting import dissect
    from planscope.campaign.paired import place_of
    from planscope.campaign.report import report
    from planscope.documents.campaign import CampaignChangedDocument
    from planscope.views.campaign import cause_blocks

    line = ProgressLine()
    with closing(_store(args.name)) as store:
        try:
            count = dissect(
                store,
                size=args.sample,
                method=args.method,
                budget=args.budget,
                arm=None if args.arm is None else place_of(store, args.arm),
                on_progress=lambda done, total: line.show(f"dissected {done} of {total} errors"),
            )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                "interrupted; finished dissections are kept; the same command goes on"
            ) from None
        finally:
            line.clear()
        found = report(store, args.name)
    done = CampaignChangedDocument(name=args.name, action="dissect", count=count)
    answer(args, done, lambda _: cause_blocks(found))


def _show(args: Namespace) -> None:
    from planscope.campaign.cases import read_case_id
    from planscope.campaign.paired import place_of
    from planscope.documents.campaign import CampaignCaseDocument, CampaignCasesDocument
    from planscope.views.campaign import case_table

    if args.case is not None:
        leave_out(args, ("all",), "is for the list of runs; leave it out, or CASE")
    with closing(_store(args.name)) as store:
        arm = None if args.arm is None else place_of(store, args.arm)
        rows = store.listed(arm, args.verdict, args.actions)
        if args.case is not None:
            wanted = read_case_id(args.case)
            rows = [row for row in rows if (row["n"], row["idx"]) == wanted]
            if not rows:
                raise UserError(
                    f"the campaign has no such run of case {args.case}; see: planscope campaign show {args.name}"
                )
        if args.output is not None:
            _write_case(args, store, rows)
            return
    runs = [CampaignCaseDocument.about(row) for row in rows]
    shown = runs if args.all or args.case is not None else runs[:MOST_LISTED]
    answer(args, CampaignCasesDocument(name=args.name, runs=runs), lambda _: [case_table(shown)])
    if len(shown) < len(runs) and not args.json:
        say(f"and {len(runs) - len(shown)} more; --all lists them, --verdict wrong only the wrong ones")


def _write_case(args: Namespace, store: Store, rows: Sequence[dict[str, Any]]) -> None:
    from planscope.campaign.dissecting import Error, kept_dissection, session_of
    from planscope.session.store import save

    if len(rows) != 1:
        raise UserError(f"{len(rows)} runs are meant; name one with CASE and --arm, as the list shows them")
    error = Error(rows[0]["arm"], rows[0]["n"], rows[0]["idx"])
    output = output_file(args.output)
    save(kept_dissection(store, error) or session_of(store, error), output)
    say(f"written: {args.output}; look at it with: planscope {args.output}")


def _export(args: Namespace) -> None:
    from planscope.campaign.paired import place_of
    from planscope.campaign.training import Left, failed, finetune_lines, preference_lines
    from planscope.documents.campaign import CampaignChangedDocument
    from planscope.sharing.redact import look_through, redact

    make = finetune_lines if args.format == "finetune" else preference_lines
    left, lines = Left(), list[str]()
    with closing(_store(args.name)) as store:
        arms = None if args.arm is None else [place_of(store, args.arm)]
        for session in failed(store, arms):
            lines += make(redact(session, look_through(session)), left)
    write_or_print("".join(f"{line}\n" for line in lines), None if args.output == "-" else Path(args.output))
    unused = left.no_plan + left.not_lost
    if args.json and args.output != "-":
        print_json(
            CampaignChangedDocument(
                name=args.name, action="export", count=len(lines), left_out=unused, output=args.output
            )
        )
        return
    say_aside(f"{len(lines)} lines" + (f"; {unused} failed runs gave none" if unused else ""))


def _list(args: Namespace) -> None:
    from planscope.campaign.store import Store, campaign_names
    from planscope.documents.campaign import CampaignListDocument, ListedCampaignDocument
    from planscope.show.blocks import Para
    from planscope.views.campaign import list_table

    found = []
    for name in campaign_names():
        told: dict[str, Any] = {"made": None, "timed": False, "arms": [], "cases": 0, "runs": 0}
        try:
            with closing(Store(_path(name))) as store:
                told |= {"runs": sum(count.runs for count in store.counts()), "cases": store.made()[0]}
                told |= {"arms": [record.arm.name for record in store.arms()], "made": store.setting("made")}
                told["timed"] = store.knobs.timed
        except UserError as error:
            told["trouble"] = str(error)
        found.append(ListedCampaignDocument(name=name, path=str(_path(name)), **told))
    none = f"you have no campaigns yet; begin one with: {EXAMPLE}"
    answer(
        args, CampaignListDocument(campaigns=found), lambda told: [list_table(told) if found else Para(none)]
    )


def _delete(args: Namespace) -> None:
    from planscope.campaign.store import Store
    from planscope.documents.campaign import CampaignChangedDocument

    path = _path(args.name)
    with closing(Store(path)) as store:
        runs = sum(count.runs for count in store.counts())
        if any(store.claimed_elsewhere(record.place) for record in store.arms()):
            raise UserError("another process runs this campaign; stop it first")
    if not args.yes:
        if not sys.stdin.isatty():
            raise UserError(f"this deletes {runs} runs for good; say so with --yes")
        if input(f"Delete {args.name} with {runs} runs for good? [y/N] ").strip().lower() not in ("y", "yes"):
            return
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    done = CampaignChangedDocument(name=args.name, action="delete", count=runs)
    answer(args, done, f"deleted: {args.name} with {runs} runs")


# ---------------------------------------------------------------------- argument types


def _range(text: str) -> tuple[int, int]:
    """Argument type: ``A..B``, or one number for both."""
    found = re.fullmatch(r"\s*([0-9]{1,3})\s*(?:\.\.\s*([0-9]{1,3})\s*)?", text)
    if found is None or not 2 <= int(found[1]) <= int(found[2] or found[1]) <= LAST_N:
        raise ArgumentTypeError(
            f"{quoted(text)} is no range of actions; give A..B with 2 <= A <= B <= {LAST_N}, as in 2..8"
        )
    return int(found[1]), int(found[2] or found[1])


_amount = number(sys.float_info.max, "a number above 0", positive=True)


def _difference(text: str) -> float:
    """Argument type: a difference of rates, above 0 and at most 1."""
    value = share(text)
    if not value:
        raise ArgumentTypeError("a difference of 0 cannot be found; give one above 0, such as 0.1")
    return value


_PASS = (
    (
        "--workers N",
        "processes for simulated models (default: one for each processor), runs at once for others (default 8)",
        whole(1, 256),
    ),
    ("--cluster ADDRESS", "run on a Dask cluster: local, or tcp://HOST:PORT (the extra cluster)"),
)
_NAME = ("name NAME", "the campaign's name")
_JSON = ("--json", "print one JSON document")


_ACTIONS = {
    "run": Command(
        "begin a campaign, or go on with one; add agents, models and numbers of actions to it",
        EXAMPLE,
        (
            _NAME,
            (
                "--agent A...",
                "an agent: react, tools, responses, or module:function; may be given more than once (default tools)",
            ),
            ("--model M...", "a model; may be given more than once; each agent is tested with each model"),
            (
                "--actions A..B",
                "numbers of actions; without it they grow from 2 until fewer than 20 %% are right",
                _range,
            ),
            (
                "--cases K",
                "queries for each number of actions n (default as in the paper: 10 n (n-1), at most 300)",
                whole(1, 1_000_000),
            ),
            ("--shuffle", "draw each query's number of actions from --actions, as the paper does from 3..5"),
            ("--timed", "queries with clock times"),
            ("--seed S", "the seed of all queries and of simulated models (default 0)", whole(0)),
            ("--prompts FILE", "a file with prompt templates of your own (TOML)", Path),
            ("--role TEXT", "a role prompt for the agents"),
            ("--guard", "block calls that make the plan impossible; such runs count as helped"),
            BASE_URL,
            (
                "--budget-seconds S",
                "for each agent and model: begin no run after its runs took this long",
                _amount,
            ),
            ("--budget-tokens N", "for each agent and model: begin no run after this many tokens", whole(1)),
            (
                "--budget-money X",
                "for each agent and model: begin no run after this much money; needs --price",
                _amount,
            ),
            ("--price IN,OUT", "the price of a million tokens, input and output", price),
            ("--timeout S", "the time limit of a run in seconds (default 180)", _amount),
            ("--detect D", "say how many cases are needed to find a difference of D, then stop", _difference),
            *_PASS,
            _JSON,
        ),
        _begin,
    ),
    "resume": Command("go on with a campaign as it was begun", "", (_NAME, *_PASS, _JSON), _resume),
    "open": Command(
        "show it on the screen: tables, curves, progress, and any run in the debugger", "", (_NAME,), _open
    ),
    "report": Command(
        "show rates, limits, types of errors, causes and topics",
        "",
        (
            ("name NAME+", "the campaign's name"),
            ("--html F", "write one page with plots and all runs to this file"),
            ("--csv DIR", "write the tables as CSV files to this folder", Path),
            ("--parquet DIR", "write the tables as Parquet files to this folder", Path),
            _JSON,
        ),
        _report,
    ),
    "compare": Command(
        "say whether one agent and model is better than another, on the same queries",
        "",
        (
            _NAME,
            ("a A", "the old agent and model, as the report names them: AGENT/MODEL"),
            ("b B", "the new ones; OTHER:AGENT/MODEL for those of another campaign"),
            (
                "--fail-if-worse MARGIN?",
                "exit status 1 if B is worse (p < 0.05); with a margin: unless B is certainly worse by less than it",
                {"const": -1.0, "type": share},
            ),
            ("--detect D", "how many cases a difference of D needs", _difference),
            _JSON,
        ),
        _compare,
    ),
    "dissect": Command(
        "find the causes of a sample of the errors",
        "",
        (
            _NAME,
            ("--sample N", "dissect N errors (default 100)", whole(1), 100),
            ("--method", "how to decide (default rates)", ("rates", "paper"), "rates"),
            ("--budget N", "runs for each error (default 60)", whole(1), 60),
            ("--arm ARM", "draw the sample from the errors of this agent and model alone"),
            _JSON,
        ),
        _dissect,
    ),
    "show": Command(
        "list the runs, or write one as a session",
        "",
        (
            _NAME,
            ("case CASE?", "one case, as the list names it: n5-17"),
            ("--arm ARM", "only this agent and model"),
            ("--verdict", "only runs that ended so", ("right", "wrong", "aborted", "unknown")),
            ("--actions N", "only queries of N actions", whole(2)),
            ("--all", f"list all runs, not only {MOST_LISTED}"),
            ("-o FILE", "write the case and its run as a session"),
            _JSON,
        ),
        _show,
    ),
    "export": Command(
        "write data for fine-tuning from the failed runs",
        "",
        (
            _NAME,
            (
                "--format",
                "finetune: right plans; preferences: a safe call over the call that lost the plan",
                {"required": True, "choices": ("finetune", "preferences")},
            ),
            ("-o F!", "write to this file; - for standard output"),
            ("--arm ARM", "only the runs of this agent and model"),
            _JSON,
        ),
        _export,
    ),
    "list": Command("list your campaigns", "", (_JSON,), _list),
    "delete": Command("delete a campaign", "", (_NAME, ("--yes", "do not ask"), _JSON), _delete),
}

COMMANDS = {"campaign": Command(ABOUT, EXAMPLE, _ACTIONS)}
