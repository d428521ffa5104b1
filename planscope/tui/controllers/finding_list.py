"""The findings of a session's fuzzings and the sets of prompts that show none, and which one is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from random import Random
from typing import NamedTuple, TypeVar

from planscope.frozen import frozen
from planscope.session.model import FuzzedTool, FuzzFinding, Fuzzing, own_runs
from planscope.session.run_list import Facet
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.keeping import predicted
from planscope.toolfuzz.labels import (
    NEXT_LABEL,
    NEXT_SPECIFIED,
    Label,
    Labelled,
    Place,
    Specified,
    labelled_at,
    with_label,
)
from planscope.toolfuzz.report import Discovered, false_discovery, is_counted
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.listed import ListControl, Listed

Value = TypeVar("Value")
PROMPTS = "prompts"
"""The kind of a set of prompts that is not faulty."""

MOST_RUNS = 500
"""Steps are looked for in so many runs, the last first."""


class Step(NamedTuple):
    """A step of a run that failed as a finding says. ``exactly``: on the very arguments that the fuzzer sent.

    ``prompt``: the run is the agent's own with this prompt of the set, from 1.
    """

    run: str
    step: int
    exactly: bool
    prompt: int | None = None


class Row(NamedTuple):
    """A finding, the fuzzing that it is from, and the steps that failed so.

    ``set``: the set of prompts that shows it. A set that is not faulty has a row without a finding. ``place``: what a
    label belongs to. ``only``: a tool in which nothing was found, or that was skipped.
    """

    fuzzing: Fuzzing
    finding: FuzzFinding | None
    steps: tuple[Step, ...] = ()
    set: PromptSet | None = None
    place: Place = Place("")
    only: FuzzedTool | None = None

    @property
    def labelled(self) -> Labelled | None:
        """What a label belongs to: the finding, or the set of prompts."""
        return labelled_at(self.fuzzing, self.place)

    @property
    def tool(self) -> str:
        named = self.finding or self.set or self.only
        return "" if named is None else named.tool

    @property
    def kind(self) -> str:
        """The kind of the finding; ``prompts`` for a set that is not faulty, ``skipped`` or ``nothing`` for a tool."""
        if self.only is not None:
            return "skipped" if self.only.skipped else "nothing"
        return PROMPTS if self.finding is None else self.finding.kind

    @property
    def counted(self) -> bool:
        """Whether it counts as an error; others are only listed."""
        return self.finding is not None and is_counted(self.finding)

    @property
    def weight(self) -> tuple[object, ...]:
        """Sorts rows: errors first, of them those that runs showed, then those that many calls showed."""
        times = self.finding.occurrences if self.finding is not None else 0
        return self.finding is None, not self.counted, not self.steps, -times, self.tool

    @property
    def words(self) -> str:
        """What a search looks in."""
        one = self.finding
        more = (one.exception or "", one.message, one.location or "") if one is not None else ()
        template = self.set.template if self.set is not None else ""
        return "\n".join((self.tool, self.kind, template, *more)).casefold()


@frozen
class FindingState(Listed[Row]):
    """The state of the list. ``rows``: all. ``hidden``: verdicts are hidden, so that they do not sway labels. Then the
    rows are those that were drawn to be labelled, or all if none was, in random order; else the weightiest is first."""

    key = "place"
    rows: tuple[Row, ...] = ()
    hidden: bool = False

    @property
    def everything(self) -> Sequence[Row]:
        if not self.hidden:
            return self.rows
        labelled = [row for row in self.rows if row.labelled is not None]
        return [row for row in labelled if row.labelled is not None and row.labelled.sampled] or labelled

    def facets_of(self, thing: Row) -> AbstractSet[Facet]:
        tool = Facet("tool", thing.tool)
        if self.hidden:
            return {tool}
        made = "counted" if thing.counted else "listed only"
        return {tool, Facet("finding", thing.kind)} | (
            {Facet("made", made)} if thing.finding is not None else set()
        )

    def ordered(self, found: list[Row]) -> Sequence[Row]:
        if self.hidden:
            Random("labels").shuffle(found)
        else:
            found.sort(key=lambda row: row.weight)
        return found

    @property
    def count(self) -> int:
        """How many of the listed rows are findings; if verdicts are hidden, how many there are."""
        return len(self.listed) if self.hidden else sum(row.finding is not None for row in self.listed)


class FindingList(ListControl[FindingState]):
    """Reads the findings of a session, and writes their labels. ``begin``: the finding that is chosen at first.

    Verdicts are hidden at first if some findings that were drawn to be labelled have no label.
    """

    def __init__(self, document: Document, post: Post, begin: FuzzFinding | None = None) -> None:
        super().__init__(FindingState(), post)
        self._document = document
        self._steps = _steps_of(document)
        self.read()
        rows = self.state.rows
        drawn = [row.labelled for row in rows if row.labelled is not None and row.labelled.sampled]
        self.arrange(hidden=begin is None and any(one.label is None for one in drawn))
        listed = self.state.listed
        self.choose(
            next((k for k, row in enumerate(listed) if begin is not None and row.finding is begin), 0)
        )

    def read(self) -> None:
        """Read the session's findings anew."""
        session = self._document.open_session
        runs = {run.id for run in session.runs}
        self.fuzzings: Sequence[Fuzzing] = session.fuzzings or ()
        self.arrange(rows=tuple(row for one in self.fuzzings for row in _rows(one, self._steps, runs)))

    def label(self) -> Label:
        """Give the chosen row the next label. Return it."""
        return self._next("label", NEXT_LABEL)

    def specify(self) -> Specified:
        """Say the next thing of the chosen row's documentation. Return it."""
        return self._next("specified", NEXT_SPECIFIED)

    def _next(self, field: str, following: Mapping[Value, Value]) -> Value | None:
        """Give a field of the chosen row its next value. Return it, None if nothing there has a label."""
        row = self.state.chosen
        if row is None or row.labelled is None:
            return None
        value: Value = following[getattr(row.labelled, field)]
        self._document.edit(fuzzings=with_label(self.fuzzings, row.place, **{field: value}))
        self.read()
        return value

    @property
    def rate(self) -> Discovered | None:
        """The false discovery rate of all findings, None without labels."""
        return false_discovery(one for fuzzing in self.fuzzings for one in fuzzing.findings)


def _led_first(one: FuzzFinding, steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps with those of the run that was led to the finding first."""
    led = one.agent.run if one.agent is not None else None
    return sorted(steps, key=lambda step: step.run != led)


def _steps_of(document: Document) -> dict[Place, list[Step]]:
    """Return the steps of the last runs that failed as a finding says."""
    session = document.open_session
    places = {
        id(one): Place(fuzzing.id, "findings", k)
        for fuzzing in session.fuzzings or ()
        for k, one in enumerate(fuzzing.findings)
    }
    steps: dict[Place, list[Step]] = {}
    for run in own_runs(session)[: -MOST_RUNS - 1 : -1] if places else ():
        for one in predicted(session, document.record(run.id)):
            steps.setdefault(places[id(one.finding)], []).append(Step(run.id, one.step, one.exactly))
    return steps


def _rows(fuzzing: Fuzzing, steps: Mapping[Place, Sequence[Step]], runs: AbstractSet[str]) -> Iterator[Row]:
    """Yield the findings, then the sets of prompts that no finding is about, then the tools that have neither."""
    sets = [PromptSet.of(one) for one in fuzzing.sets]
    told: set[int] = set()
    for k, one in enumerate(fuzzing.findings):
        number = one.set if one.set is not None and 0 < one.set <= len(sets) else None
        found = sets[number - 1] if number is not None else None
        if number is not None:
            told.add(number)
        kept = (
            _led_first(one, steps.get(Place(fuzzing.id, "findings", k), ()))
            if found is None
            else _runs_of(found, runs)
        )
        yield Row(fuzzing, one, tuple(kept), found, Place(fuzzing.id, "findings", k))
    for number, made in enumerate(sets, 1):
        if number not in told:
            yield Row(fuzzing, None, tuple(_runs_of(made, runs)), made, Place(fuzzing.id, "sets", number - 1))
    yield from _without(fuzzing)


def _without(fuzzing: Fuzzing) -> Iterator[Row]:
    found = {one.tool for one in fuzzing.findings} | {one.tool for one in fuzzing.sets}
    for tool in fuzzing.tools:
        if tool.tool not in found:
            yield Row(fuzzing, None, place=Place(f"{fuzzing.id}/{tool.tool}"), only=tool)


def _runs_of(one: PromptSet, runs: AbstractSet[str]) -> Iterator[Step]:
    """Yield the recorded runs of a set's prompts, that with the lowest score first."""
    order = sorted(enumerate(one.runs, 1), key=lambda item: 11 if item[1].score is None else item[1].score)
    for number, run in order:
        if run.run in runs and run.run is not None:
            own = next((k for k, call in enumerate(run.calls, 1) if call.tool == one.tool), 0)
            yield Step(run.run, own, False, number)
