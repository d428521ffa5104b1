"""Random runs, asked about at every door: ``python -m tests.doors.one_judgement 500 [SEED]``.

Each door has its own reader here: it takes what a person or a program gets there apart into verdict, errors, steps and
Z3's answer, as far as that door tells them. What two doors tell must be equal.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import lru_cache
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

from planscope.case import judge
from planscope.cli import main as command_line
from planscope.commands.sessions import list_blocks
from planscope.compare import compare
from planscope.compare import wording as compared_words
from planscope.debugger.cursor import open_run
from planscope.documents.library import EntryDocument
from planscope.doors import python
from planscope.doors.plan_rules import PlanRules
from planscope.doors.questions import Questions
from planscope.language.problem import make_actions
from planscope.oracle.replay import Replay
from planscope.oracle.verdict_types import Proof, proved, told
from planscope.report import case_blocks
from planscope.rules.in_session import problem_in
from planscope.session.library import entry_at
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    MessageEvent,
    Origin,
    PromptEvent,
    Query,
    Run,
    Session,
    Variant,
    records,
)
from planscope.session.oracle_input import has_own_tools
from planscope.session.record import record_of
from planscope.session.run_list import ListedRun, outcomes_of_runs
from planscope.session.store import save
from planscope.sharing.formats import share
from planscope.show.markdown import markdown
from planscope.show.text import lines as text_lines
from planscope.tui.controllers.judge import _read, judged
from planscope.tui.controllers.run_list import Row
from planscope.tui.panes.header import verdict_runs
from planscope.tui.screens.library.lines import columns_for
from planscope.tui.screens.runs.lines import columns_of, run_line
from planscope.tui.style.roles import seal as seal_of
from planscope.tui.view import DebugView
from planscope.walk.walker import Walker
from planscope.wording import terms
from planscope.wording.phrases import at_step

NAMES = ("look", "pay", "ship", "note", "ring")
WORDS = {words: name for name, words in terms.VERDICTS.items()}
ERRORS = {words: name for name, words in terms.FINDINGS.items()}
Told = dict[str, Any]
"""What a door tells: ``told``, ``headline``, ``error_type``, ``lost``, ``shows``, ``proof``."""


# Random runs


def random_session(random: Random) -> Session:
    """A session with one run: of a query, of rules, of both, or of neither."""
    names = list(NAMES[: random.randint(2, 5)])
    kind = random.choice(("base", "base", "timed", "timed", "rules", "rules", "both", "neither"))
    timed = kind == "timed"
    text = _query(random, names, timed) if kind in ("base", "timed", "both") else ""
    own = kind in ("rules", "both", "neither")
    actions = (
        [ActionRecord(id=f"a{k}", name=name, tool=name) for k, name in enumerate(names, 1)]
        if own
        else records(make_actions(names, [random.randint(1, 4) for _ in names] if timed else None))
    )
    origin = Origin(kind="written" if text else "imported")
    variant = Variant(
        id="v1", origin=origin, query=Query(text=text, timed=timed), actions=actions, own=own or None
    )
    rules = "\n".join(_rule(random, names) for _ in range(random.randint(1, 3)))
    assert has_own_tools(variant) == own
    made = Session(
        id="s", title="A title", variants=[variant], rules=rules if kind in ("rules", "both") else None
    )
    made.runs = [_run(random, names, timed)]
    if random.random() < 0.5 and (plan := judge(made, made.runs[0]).replay.repair()).order is not None:
        tools = {action.id: action.tool for action in actions}
        called = [tools.get(one, one) for one in plan.order]
        hours = [(plan.starts or {}).get(one, 0) for one in plan.order]
        made.runs = [_run(random, names, timed, list(zip(called, hours, strict=True)))]
    return made


def _query(random: Random, names: list[str], timed: bool) -> str:
    said = []
    for _ in range(random.randint(1, 3)):
        one, other = random.sample(names, 2)
        said.append(f"{one} comes before {other}.")
        if timed and random.random() < 0.6:
            when = random.choice(("before", "after"))
            said.append(f"{one} happens {when} {random.randint(6, 18)}:00.")
    return " ".join(said)


def _rule(random: Random, names: list[str]) -> str:
    one, other = random.sample(names, 2)
    name = random.choice(("", "", "my rule: ", f"{one} rule: "))
    return name + random.choice(
        (
            f"{one} comes before {other}.",
            f"Every {one} is followed by {other}.",
            f"{one} never happens.",
            f"{one} happens at most once.",
            f"{one} happens.",
            f"{one} comes before {other} for the same id.",
            f'{other} only if the latest {one} had status = "ok".',
        )
    )


def _run(random: Random, names: list[str], timed: bool, plan: list[tuple[str, int]] | None = None) -> Run:
    """A random run, or one that calls a plan's tools at its hours."""
    if plan is not None:
        tools = [tool for tool, _ in plan]
    elif random.random() < 0.5:
        tools = random.sample(names, len(names))
    else:
        tools = [random.choice(names) for _ in range(random.randint(0, len(names) + 2))]
    if random.random() < (0.15 if plan is None else 0.02):
        tools.insert(random.randint(0, len(tools)), "ghost")
    events: list[Event] = [PromptEvent(text="Do it.")]
    hour = random.randint(0, 9)
    for step, tool in enumerate(tools, 1):
        given: dict[str, Any] = {"id": random.choice((7, "7", "R1"))}
        if timed:
            hour = hour if plan is None or tool == "ghost" else dict(plan)[tool]
            given = {"start_time": hour} if random.random() < 0.95 else {"start_time": "late"}
            hour += random.choice((1, 2, 4, 4))
        status = random.choice(("ok", "ok", "bad"))
        events += [
            MessageEvent(at=step, text=f"Next {tool}."),
            CallEvent(at=step, step=step, tool=tool, arguments=given),
            AnswerEvent(at=step, step=step, text=json.dumps({"status": status})),
        ]
    ending = random.choice(("stopped",) * 7 + ("timeout", "call_limit", "aborted", "aborted", None))
    if ending is not None:
        reason = (
            random.choice(("no network", "RuntimeError: disk full", None)) if ending == "aborted" else None
        )
        events.append(EndEvent(at=len(tools) + 1, ending=ending, reason=reason))
    return Run(id="r1", variant="v1", agent="tools", model="sim:x", events=events)


# What each door tells


def of_words(text: str) -> Told:
    """Read ``order error``, or ``not decided``."""
    text = text.strip().casefold()
    return {"told": "wrong", "headline": ERRORS[text]} if text in ERRORS else {"told": WORDS[text]}


def of_line(line: str) -> Told:
    """Read ``WRONG: order error`` or ``ABORTED (a tool failed)``."""
    kind, _, error = re.sub(r" \(.*\)", "", line).partition(": ")
    made = of_words(kind)
    assert bool(error) == (made["told"] == "wrong"), line
    return made | ({"headline": ERRORS[error.casefold()]} if error else {})


def of_where(text: str) -> Told:
    """Read ``lost at step 2, shows at step 3``: a step that shows the error alone is only said if nothing was lost."""
    made: Told = {"lost": None}
    for part in filter(None, text.split(", ")):
        if part == "contradictory query":
            made["lost"] = 0
        elif part.startswith("lost "):
            made["lost"] = _step(part.removeprefix("lost "))
        else:
            made["shows"] = _step(part.removeprefix("shows "))
    if "shows" not in made and made["lost"]:  # beside a contradictory query no step is said on the screen
        made["shows"] = made["lost"]
    return made


def _step(text: str) -> Any:
    steps = {at_step(one): one for one in ("end", *range(40))} | {f"{one}": one for one in range(40)}
    return steps[text]


def of_check(document: Any) -> Told:
    """Read what ``check --json`` prints."""
    first, named = document["first_violation"], document["headline"]
    assert document["certified"] == {"confirmed": True, "denied": False}.get(document["proof"])
    return of_fields(document) | {
        "lost": None if first is None else first["step"],
        "proof": document["proof"],
        "shows": None if named is None else named["step"],
    }


def of_fields(document: Any) -> Told:
    """Read verdict and errors, which every document has under the same names."""
    named = document["headline"]
    return {
        "told": told(document["verdict"], document["judged"], document["reason"]),
        "error_type": document["error_type"],
        "headline": None if named is None else named["type"],
    }


def of_proof(text: str) -> Proof:
    found = [name for name in ("confirmed", "gave_up", "denied") if terms.CERTIFICATES[name] in text]
    assert len(found) < 2 and bool(found) == ("Z3" in text), text
    return found[0] if found else "not_asked"


def printed(*arguments: str) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        command_line(list(arguments))
    return out.getvalue()


def doors(path: Path, session: Session) -> Iterator[tuple[str, Told]]:
    """Ask about the session's run at each door. Doors without Z3 say nothing of it."""
    (run,) = session.runs
    name = str(path)
    document = json.loads(printed("check", name, "--json"))
    yield "check --json", of_check(document)
    text = printed("check", name)
    yield "check", of_line(text.splitlines()[0]) | {"proof": of_proof(text)}
    loaded = python.load(path)
    yield "planscope.check", of_check(python.check(loaded).as_data())
    yield "planscope.explain", of_line(python.explain(loaded).splitlines()[0])
    ask = Questions([path.parent])
    yield "why", of_check(json.loads(ask.answer(ask.why(path.name))))
    for door, list_ in (
        ("runs --json", json.loads(printed("runs", name, "--json"))),
        ("list_runs", json.loads(ask.answer(ask.list_runs(path.name)))),
    ):
        (listed,) = list_["runs"]
        yield door, of_fields(listed) | _lost_of_list(listed["verdict"], listed["lost"])
    lines = printed("runs", name).splitlines()
    cells = re.split(r"  +", lines[1].strip())
    at = cells[3].removeprefix("lost ") if cells[3].startswith("lost ") else ""
    yield "runs", of_words(cells[2]) | _lost_of_list(document["verdict"], _step(at) if at else None)
    entry = entry_at(path, session, problem_in)
    yield "sessions list --json", of_fields(EntryDocument.listed(replace(entry, place="library")).as_data())
    row = list(text_lines(list_blocks([replace(entry, place="library")], path.parent), 100))[1]
    yield "sessions list", of_words(re.split(r"  +", row.strip())[1])

    case = judge(session, run)
    (outcome,) = outcomes_of_runs(session, [run], problem_in)
    yield "library screen", of_words(_library_word(entry))
    listed_row = Row(0, session.variants[0], ListedRun(1, record_of(run), outcome))
    shown = run_line(listed_row, False, columns_of([listed_row], "")).text
    yield "runs screen", of_words(re.split(r"  +", shown.strip())[1][2:])

    walk = list(Walker(session).verdict())
    kind, _, error = walk[0].removeprefix("Verdict: ").removesuffix(".").partition(", ")
    yield "walk", of_words(kind) | ({"headline": ERRORS[error]} if error else {})
    page = share(session, run.id, "html", redaction=None)
    heading = re.search(r'<div class="verdict"><h2>(.*?)</h2>', page)
    assert heading is not None
    line, _, at = re.sub("<[^>]*>", "", unescape(heading[1])).partition(" · ")
    yield "page", of_line(line[2:]) | of_where(at)
    title = markdown(case_blocks(case)).splitlines()[0].removeprefix("## ")[2:]
    head, where = re.fullmatch(r"(.*?)(?:(?:, | (?=at ))((?:contra|lost|at).*))?", title).groups()
    yield "Markdown", of_line(head) | of_where(where or "")
    both = compare(session, run, session, run)
    yield "compare", of_line(compared_words.judged(both.a))

    certificate = case.replay.certify()
    judgement, _ = judged(("v1", "r1"), _read(session, session.variants[0]), record_of(run))
    assert judgement.verdict is not None
    verdict = proved(judgement.verdict, certificate)
    view = DebugView(
        open_run(judgement.run.judged),
        run=record_of(run),
        progress="judged",
        verdict=verdict,
        certificate=certificate,
    )
    chip, *rest = verdict_runs(view)
    seal = {"Z3 ✓": "confirmed", "Z3 ?": "gave_up", "": "not_asked"}[
        "".join(r.text for r in seal_of(view.certificate)).strip()
    ]
    screen = of_words(chip.text.strip()[2:]) | {"proof": seal}
    if verdict.verdict == "wrong":
        screen |= of_where("".join(r.text for r in rest).strip())
    yield "screen", screen
    if session.rules is not None:
        yield "plan_rules", {"told": _of_test(session)}


def _lost_of_list(verdict: str, lost: Any) -> Told:
    """A list says where a run was lost only if it is wrong."""
    return {"lost": lost} if verdict == "wrong" else {}


def _library_word(entry: Any) -> str:
    columns = columns_for(160, [entry], entry.changed, place=False)
    row, at, told = columns.row(entry, False).text, 2, {}
    for column in columns.whole:
        told[column.name] = row[at : at + column.width].strip()
        at += column.width + column.gap
    return told["verdict"][2:]


def _of_test(session: Session) -> str:
    try:
        PlanRules(f"{session.rules}\n").check(python.Loaded("s", ("r1",), (), session, ()))
    except AssertionError as error:
        found = re.match(r"r1: ([A-Z ]+)\.", str(error))
        assert found is not None, error
        return WORDS[found[1].casefold()]
    return "right"


@contextmanager
def z3_asked_once() -> Iterator[None]:
    """Z3 is slow, so its answer about one run is given to every door that asks. It gives up now and then."""
    certify: Callable[[Replay], Proof] = Replay.certify
    known: dict[str, Proof] = {}

    def once(run: Replay, *args: Any, **options: Any) -> Proof:
        key = repr((run.problem, run.trace))
        if key not in known:
            known[key] = certify(run)
            if known[key] == "confirmed" and len(known) % 8 == 0:
                known[key] = "gave_up"
        return known[key]

    Replay.certify = once
    try:
        yield
    finally:
        Replay.certify = certify


def case(seed: int, folder: Path, counts: Counter[str]) -> None:
    """Ask all doors about one run, and compare."""
    session = random_session(Random(seed))
    path = folder / f"case-{seed}.planscope.json"
    save(session, path)
    told: dict[str, dict[str, Any]] = {}
    for door, found in doors(path, session):
        for field, value in found.items():
            told.setdefault(field, {})[door] = value
    for field, by_door in told.items():
        if field == "headline":  # a door that names an error names it whenever the run is wrong
            by_door = {door: value for door, value in by_door.items() if value is not None}
        asked = by_door
        if field == "proof":
            asked = {door: value for door, value in by_door.items() if door != "planscope.explain"}
        if field == "shows":
            asked = {door: value for door, value in by_door.items() if value is not None}
        assert len(set(asked.values())) <= 1, (seed, field, asked)
    known = {field: next(iter(by_door.values())) for field, by_door in told.items()}
    counts[known["told"]] += 1
    counts[f"headline {known['headline']}"] += known["headline"] is not None
    counts[f"primary {known['error_type']}"] += known["error_type"] is not None
    counts["headline is not primary"] += known["headline"] != known["error_type"]
    counts[f"Z3 {known['proof']}"] += 1
    path.unlink()


@lru_cache
def count(cases: int, first: int) -> Counter[str]:
    """Ask about so many runs; return how many there were of each kind."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, z3_asked_once():
        for seed in range(first, first + cases):
            try:
                case(seed, Path(folder), counts)
            except BaseException:
                sys.stderr.write(f"seed {seed}\n")
                raise
    return counts


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    for what, times in sorted(count(number, int(sys.argv[2]) if len(sys.argv) > 2 else 0).items()):
        if times:
            sys.stdout.write(f"{times:>6}  {what}\n")
