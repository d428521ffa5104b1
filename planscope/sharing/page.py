"""Makes a self-contained HTML page that steps through runs in a browser and contains the session itself.

The page is blocks, and so has all that it says as static, escaped text. The script only chooses what is shown, by
numbers of rows: which of them belong together, and what changes at each step.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from planscope.case import Case, check_size, judge
from planscope.cause.told import cause_of, led_to
from planscope.debugger.run_index import RunIndex
from planscope.dissection.told import found_in
from planscope.drawing.plan import lanes_svg, svgs
from planscope.errors import UserError
from planscope.oracle.verdict_types import StepView
from planscope.report import (
    call_text,
    given_blocks,
    message_blocks,
    orders_left,
    step_notes,
    step_said,
    task_of,
    told_blocks,
    why_blocks,
)
from planscope.safe import clip, visible
from planscope.session.containers import CLOSING, OPENING, for_page
from planscope.session.files import LARGEST
from planscope.session.model import Run, Session, own_runs
from planscope.session.record import record_of
from planscope.session.run_list import ListedRun, outcome_of
from planscope.session.seen import NOT_RECORDED
from planscope.session.store import dumps
from planscope.sharing.query import QueryView
from planscope.show.blocks import Block, Fold, Heading, Own, Para, Part, Picture, Rows, Toned, Words
from planscope.show.page import page as page_of
from planscope.wording import phrases, terms

MOST_RUNS = 100
MOST_STEPS = 20_000
"""Limits for the runs that a page shows, and for the calls in all of them. The embedded session has the other runs,
and those of dissections."""

MOST_DRAWN = 6_000
"""Limit for the actions times the steps of a run whose plan is drawn at every step."""

_AFTER_LOSS = {"doomed": "dim", "broken": "dim"}
_TITLE = 200
_TURN = 300
_LONGEST = 20_000
"""Limit for a thought, an answer or arguments on the page, in characters. The session inside has all of them."""


def page(session: Session, chosen: Run | None, check: Callable[[str], None] = lambda data: None) -> str:
    """Return the page as text. It opens with the run ``chosen``. ``check`` receives every part that comes from the
    session.

    Raises UserError if the query of the chosen run cannot be read, or the page would be too large.
    """

    first = judge(session, chosen)
    check_size(first.replay)
    inside = for_page(dumps(session).decode())
    title = visible(session.title, limit=_TITLE)
    made = page_of(title, *_view(session, first), f"{OPENING.decode()}\n{inside}{CLOSING.decode()}\n")
    body = made.partition("<header>")[2].partition(OPENING.decode())[0]
    for data in (inside, html.unescape(body)):
        check(data)
    if len(made) > LARGEST:
        raise UserError(
            f"the page would be larger than {phrases.file_size(LARGEST)}, and planscope could not open it again; share "
            "the session file, or one run with --only"
        )
    return made


def _view(session: Session, first: Case) -> tuple[list[Block], dict[str, Any]]:
    """Return the page's blocks, and the numbers of its script. A query stands once for all its runs."""
    queries: dict[tuple[str, str], QueryView] = {}
    runs: list[RunView] = []
    show = steps = 0
    listed: list[Run | None] = [*worth_showing(session, first.run, MOST_RUNS)]
    for run in listed or [None]:
        steps += sum(event.type == "call" for event in run.events) if run is not None else 0
        case = first if run is first.run else (_judged(session, run) if steps <= MOST_STEPS else None)
        if case is None:
            continue
        show = len(runs) if case is first else show
        found = found_in(session, case.variant.id)
        task = task_of(case)
        query = queries.get((case.variant.id, task)) or QueryView(case.variant, case.reading, task, found)
        queries[case.variant.id, task] = query
        runs.append(RunView(case, query))
    blocks: list[Block] = [one.part(f"run-{n}", n != show) for n, one in enumerate(runs)]
    for n, query in enumerate(queries.values()):
        its = [one for one in [runs[show], *runs] if one.query is query]
        blocks.append(query.part(f"query-{n}", its[0].run, its[0] is not runs[show]))
    numbers = {id(query): n for n, query in enumerate(queries.values())}
    words: dict[tuple[str, str], int] = {}
    data = [one.data(words) | {"query": numbers[id(one.query)]} for one in runs]
    left_out = len(session.runs) - len(runs)
    if session.runs and left_out:
        more = phrases.plural(left_out, "more run")
        blocks.append(Para(Own(f"{more} in the session that this page carries; planscope open shows them.")))
    return blocks, {
        "words": [*words],
        "queries": [query.lit for query in queries.values()],
        "runs": data,
        "titles": [one.title for one in runs],
        "show": show,
    }


def worth_showing(session: Session, chosen: Run | None, most: int) -> list[Run]:
    """Return the first ``most`` runs that no dissection made, in order. The chosen one is always among them."""
    own = {run.id for run in own_runs(session)}
    listed = [run for run in session.runs if run.id in own or run is chosen]
    if len(listed) <= most:
        return listed
    kept = listed[:most]
    if chosen is not None and not any(run is chosen for run in kept):
        kept[-1] = chosen
    return kept


def _judged(session: Session, run: Run | None) -> Case | None:
    try:
        return judge(session, run)
    except UserError:
        return None


class RunView:
    """One run of the page, or a query without a run. ``title``: in the list of runs."""

    def __init__(self, case: Case, query: QueryView) -> None:
        self.case, self.query = case, query
        self.run = case.replay
        self.index = RunIndex(case.replay)
        self.record = record_of(case.run) if case.run is not None else None
        self.verdict = self.run.verdict() if self.record is not None else None
        self.title = self.named = "the query alone"
        if case.run is not None and self.record is not None and self.verdict is not None:
            listed = ListedRun(0, self.record, outcome_of(self.verdict, case.run))
            who = [one for one in (self.record.helped_agent, self.record.model) if one != NOT_RECORDED]
            self.named = visible(
                ": ".join([self.record.id, *([", ".join(who)] if who else [])]), limit=_TITLE
            )
            told = [self.named, listed.verdict, *([listed.where] if listed.lost else [])]
            self.title = visible(" · ".join(told), limit=_TITLE)

    def part(self, place: str, spare: bool) -> Part:
        """Return verdict, timeline and steps."""
        calls = phrases.plural(len(self.record.calls) if self.record is not None else 0, "call")
        rows = Rows("steps", [*self._rows()])
        steps = [Part("step", [*self._step(i)]) for i in range(len(self.index.steps))]
        return Part(
            "run",
            [
                Part("verdict", [*self._told()]),
                Part("pane p4", [rows], (Toned("4", "call"), Own(" Timeline "), Toned(calls, "dim"))),
                Part("pane p5", steps, (Toned("5", "call"), Own(" Step"))),
            ],
            place=place,
            spare=spare,
        )

    def _told(self) -> Iterator[Block]:
        """Return the verdict and what belongs to the whole run."""
        verdict, notes = self.verdict, self.case.session.notes
        if verdict is None or self.record is None:
            yield Heading(Own(f"{terms.OUTCOME_GLYPHS['pending']} not run yet"))
        else:
            line = (
                f"{terms.OUTCOME_GLYPHS[verdict.told]} {phrases.verdict_line(verdict, self.case.help.note)}"
            )
            where = phrases.where(verdict)
            yield Heading(
                (
                    Toned(line, verdict.verdict),
                    Toned(f" · {where}" if where else "", "dim"),
                )
            )
            yield Para(Toned(self.named, "dim"))
            yield from why_blocks(self.run, verdict)
            if fork := self.record.forked_from:
                yield Para((Own("Forked from "), phrases.fork_point(fork)))
        for title, blocks in told_blocks(self.case, verdict):
            yield Fold(title, blocks, open=True)
        if lanes := lanes_svg(self.record, self.run):
            yield Fold("Calls of each agent", [Picture("Calls of each agent", lanes)])
        if notes.strip():
            yield Fold("Notes", [Para(notes.strip(), keep=True)])

    def _rows(self) -> Iterator[Sequence[Words]]:
        """Return a row for each step: what was said before it, number, state, call, trouble, hours, state in words."""
        attempt = 1
        says_itself = range(len(self.index.steps)) if self.run.problem.unjudged else self.index.doomed
        for i, view in enumerate(self.index.steps):
            before = [f"{who}: {clip(' '.join(turn.split()), _TURN)}" for who, turn in self._turns(i)]
            if view.attempt != attempt:
                before.append(f"attempt {view.attempt}")
            attempt = view.attempt
            tone = view.state if i in self.index.doomed else _AFTER_LOSS.get(view.state, view.state)
            said = call_text(view)
            if view.call is None:
                said = Toned(_named(view) if view.step == 0 else phrases.ending(self.record), "dim")
            yield (
                Toned("\n".join(before), "dim"),
                Toned(str(view.step), "dim"),
                Toned(terms.STATE_GLYPHS[view.state], tone),
                said,
                Toned(", ".join(self._trouble(i)), "core" if i in self.index.doomed else "caution"),
                Toned(phrases.hours(view.start, view.end), "dim"),
                Toned("" if i in says_itself else phrases.step_word(self.run, view), tone),
            )

    def _turns(self, i: int) -> list[tuple[str, str]]:
        return self.record.turns(i) if self.record is not None else []

    def _trouble(self, i: int) -> Iterator[str]:
        view = self.index.steps[i]
        if i in self.index.doomed:
            yield terms.LOST_HERE
        if view.call is not None and view.call.refused:
            yield "refused"
        if phrases.failed(view):
            yield terms.FAILED
        if self.record is not None and self.record.unanswered == i:
            yield "may not have been done"
        yield from (terms.FINDINGS[one.type] for one in self.index.findings[i])

    def _step(self, i: int) -> Iterator[Block]:
        """Return all that is known of a step."""
        view = self.index.steps[i]
        state = f"{terms.STATE_GLYPHS[view.state]} {phrases.step_word(self.run, view)}"
        yield Heading((Own(terms.capital(_named(view)) + " "), Toned(state, view.state)), 3)
        for label, text, its in step_said(self.record, view) if self.record is not None else ():
            yield Para(Toned(_cut(text), its), keep=True, label=label)
        yield from map(Para, step_notes(self.run, view, safe=view.step != "end"))
        if view.state == "completable" and view.step != "end" and self.run.problem.counted:
            yield Para(Own(f"valid orders left: {orders_left(self.run, view)}"))
        if self.record is None:
            return
        if i == 0:
            yield Fold("What the model was given", [*given_blocks(self.record, _LONGEST)], open=True)
        else:
            yield from message_blocks(self.record, i, _LONGEST)
        few = len(self.index.steps) * len(self.run.problem.actions) <= MOST_DRAWN
        if few and (drawn := svgs(self.index, i)):
            yield Fold("The plan", [Picture(*one) for one in drawn])

    def data(self, words: dict[tuple[str, str], int]) -> dict[str, Any]:
        """Return the numbers of the script: links, and what constraints and actions become at each step.

        ``words``: numbers of texts with their tones; new ones are added.
        """
        at = first = self.index.first_violation
        steps = self.index.steps
        links = self.query.steps_lit(self.index)
        if at is None and self.verdict is not None:
            at = led_to(cause_of(self.run, self.verdict), self.index.index_of)
        return {
            "at": at if at is not None else len(steps) - 1,
            "first": first,
            "lit": links,
            "constraints": self._changes([*self._statuses()], words),
            "actions": self._changes([*self._done()], words),
        }

    @staticmethod
    def _changes(
        told: Iterable[Mapping[int, tuple[str, str]]], words: dict[tuple[str, str], int]
    ) -> list[list[list[int]]]:
        return [[[n, words.setdefault(word, len(words))] for n, word in one.items()] for one in told]

    def _statuses(self) -> Iterator[Mapping[int, tuple[str, str]]]:
        """Yield for each step the words of the constraints that change there."""
        number_of = self.query.number_of
        before: frozenset[str] = frozenset()
        for i, view in enumerate(self.index.steps):
            core = frozenset(view.core.constraints if view.core else ()) & number_of.keys()
            changed = (
                [*number_of] if i == 0 else [c for c in {*view.changed, *(core ^ before)} if c in number_of]
            )
            before = core
            yield {number_of[c]: self.query.status(self.run, i, c, core) for c in changed}

    def _done(self) -> Iterator[Mapping[int, tuple[str, str]]]:
        """Yield for each step the words of the actions that change there: which step did them."""
        actions = self.run.problem.actions
        todo = ("○ to do", "open") if self.query.required else ("", "dim")
        place = {action.id: n for n, action in enumerate(actions)}
        attempt, done = 0, set[str]()
        for view in self.index.steps:
            changed: dict[int, tuple[str, str]] = {}
            if view.attempt != attempt:
                attempt = view.attempt
                changed = dict.fromkeys(range(len(actions)), todo)
                done.clear()
            if view.action in place and view.action not in done:
                done.add(view.action)
                changed[place[view.action]] = (f"✓ {phrases.step_name(view.step)}", "holds")
            yield changed


def _named(view: StepView) -> str:
    return phrases.step_name(view.step) if view.step else "before any call"


def _cut(text: str) -> str:
    return visible(text, limit=_LONGEST, keep_newlines=True)
