"""The model of a session: variants of a query, the runs of agents on them, and the events of each run.

New queries, edits, mutations and forks are all stored alike: as a variant or a run that names the one that it came
from.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict, Unpack

from pydantic import BaseModel, ConfigDict, Field, model_validator

from planscope.language.problem import Action, Problem
from planscope.oracle.trace import Cause

Data = dict[str, Any]
"""A JSON object."""

_FROZEN = ConfigDict(extra="allow", defer_build=True, frozen=True, ser_json_inf_nan="constants")


class _Event(BaseModel):
    """Any event of a run. ``at`` is seconds since the run began; ``timed`` is False if an imported trace does not say
    when the event was. ``kept``: it was copied from the run that was forked."""

    model_config = _FROZEN

    at: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    kept: Literal[True] | None = None
    timed: bool | None = None


class _Seen(BaseModel):
    """A part of what a model was given."""

    model_config = _FROZEN


class SeenTool(_Seen):
    """A tool as the model sees it; ``parameters`` is the JSON schema of its arguments."""

    name: str
    description: str | None = None
    parameters: Data | None = None


class SeenMessage(_Seen):
    """A message of the conversation as the model sees it; ``role`` is ``user``, ``assistant`` or ``tool``.

    ``calls``: the tool calls in it, as JSON.
    """

    role: str
    text: str
    calls: list[Data] | None = None


class Given(_Seen):
    """What a model was given with one call. A field is None if it is the same as in the call before."""

    system: str | None = None
    tools: list[SeenTool] | None = None
    messages: list[SeenMessage] | None = None


class PromptEvent(_Event):
    """The prompt of a run. ``system`` is the system prompt, if there is one.

    ``tools``: the tools that the model was offered; None in sessions of older versions, which did not record them.
    ``messages``: the messages of the first model call, if they are not just ``text``. In imported runs ``number`` is
    that of the user's message, None if there was none, and ``timed`` is set if the trace has any times.
    """

    type: Literal["prompt"] = "prompt"
    text: str
    system: str | None = None
    tools: list[SeenTool] | None = None
    messages: list[SeenMessage] | None = None
    number: int | None = None


class Usage(BaseModel):
    """Tokens of one model call, as the provider counts them."""

    model_config = _FROZEN

    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class MessageEvent(_Event):
    """One answer of the model. ``message`` is the whole message as JSON, which a fork needs.

    ``took``: seconds. ``refusal``: the words in which the model refused. ``finish``: why the answer ended early
    (``length``, ``content_filter``). ``structured``: the answer as data, if the agent asked for a schema. ``given``:
    what the model was given, if it is more than its earlier input and the messages since.

    In imported runs ``by`` says who spoke if it was not the model, or what happened between calls; ``agent`` is the
    sub-agent; ``number`` is the message's number; ``raw`` has the trace's other data.
    """

    type: Literal["message"] = "message"
    text: str = ""
    took: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    usage: Usage | None = None
    message: Data | None = None
    refusal: str | None = None
    finish: str | None = None
    structured: Any = None
    given: Given | None = None
    by: Literal["user", "system", "compacted", "handoff"] | None = None
    agent: str | None = None
    number: int | None = None
    raw: Any = None


class CallEvent(_Event):
    """One tool call, which is a step. ``arguments`` is None if they could not be read; see ``raw`` and ``error``.

    ``asked``: the agent's arguments, if the user changed them before the call was made. In imported runs ``agent`` is
    the sub-agent, and calls with the same ``message`` were made in one message. ``inside``: the step of the call inside
    which a sub-agent made this one. ``by``: the agent's program made the call, and no model asked for it.
    """

    type: Literal["call"] = "call"
    step: int = Field(ge=1)
    tool: str
    arguments: Data | None = None
    raw: str | None = None
    error: str | None = None
    call_id: str | None = None
    asked: Data | None = None
    agent: str | None = None
    message: int | None = None
    inside: int | None = Field(default=None, ge=1)
    by: Literal["program"] | None = None


class AnswerEvent(_Event):
    """The answer to the call of ``step``.

    ``took``: seconds. ``refused_by``: who blocked the call; then ``text`` tells the agent why. ``said``: the tool's
    answer, if the user changed it. ``to_graph``: the fields ``goto`` and ``update`` of a LangGraph ``Command`` that the
    tool returned; its ``lost`` names what of it is not kept. ``artifact``: what the tool returned to the program and
    not to the model. ``returned``: what it returned to a program that called it itself, if not the text.
    ``given_by``: who answered in the tool's place, which was not called: a person, or the answer of a
    recorded run.

    In imported runs ``guessed`` says that the words alone show whether the call failed, ``unsure`` that nothing shows
    it, ``captured`` is False if the trace does not have the answer, and ``raw`` has its other data about the call.
    """

    type: Literal["answer"] = "answer"
    step: int = Field(ge=1)
    text: str
    status: Literal["ok", "error"] = "ok"
    took: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    call_id: str | None = None
    refused_by: Literal["guard", "user"] | None = None
    said: str | None = None
    to_graph: Data | None = None
    artifact: Any = None
    returned: Any = None
    given_by: Literal["user", "record"] | None = None
    guessed: Literal[True] | None = None
    unsure: Literal[True] | None = None
    captured: Literal[False] | None = None
    raw: Any = None


class ErrorEvent(_Event):
    """An error of the model, the network or a tool's code, and not of the agent's planning."""

    type: Literal["error"] = "error"
    kind: str
    text: str


class EndEvent(_Event):
    """How the run ended (``planscope.oracle.trace.Ending`` without ``running``), and what ended an aborted one."""

    type: Literal["end"] = "end"
    ending: Literal["stopped", "timeout", "call_limit", "aborted"]
    reason: str | None = None
    cause: Cause | None = None


Event = Annotated[
    PromptEvent | MessageEvent | CallEvent | AnswerEvent | ErrorEvent | EndEvent, Field(discriminator="type")
]


FORMAT_VERSION = 1


class _Part(BaseModel):
    """A part of a session. Fields of later versions are kept. Infinity is written as a number, not as null."""

    model_config = ConfigDict(
        extra="allow", defer_build=True, from_attributes=True, ser_json_inf_nan="constants"
    )


class ActionRecord(_Part):
    """An action and its tool; ``duration`` in hours (timed queries).

    ``description`` and ``parameters`` (a JSON schema) come from a real tool.
    """

    id: str
    name: str
    tool: str
    duration: int | None = Field(default=None, ge=1, le=24)
    description: str | None = None
    parameters: Data | None = None


class LeftOutPart(_Part):
    """``oracle.trace.LeftOut`` in a file."""

    kind: Literal["not of this run", "not understood"]
    reason: str
    path: str = ""
    count: int = 1


class Query(_Part):
    """A query. Only the text counts: the tree is kept for other programs, and planscope derives it from the text."""

    text: str
    timed: bool = False
    topic: str | None = None
    seed: int | None = None
    tree: Data | None = None


class Limits(_Part):
    """The limits of a run, in seconds and in model calls (paper, section 5)."""

    seconds: float = Field(default=180.0, gt=0, allow_inf_nan=False)
    model_calls: int = Field(default=50, ge=1)


class Origin(_Part):
    """Where a variant comes from. A mutated one has ``mutation`` and ``number``."""

    kind: Literal["synthesized", "written", "edited", "mutated", "imported"]
    mutation: str | None = None
    number: int | None = None


class Variant(_Part):
    """One query with its tools. ``constraints`` are kept for other programs; planscope reads the text instead.

    ``own``: the tools belong to the user's agent. Each tool that the text names must be called once; the others may be
    called freely.
    """

    id: str
    parent: str | None = None
    origin: Origin
    query: Query
    actions: list[ActionRecord]
    constraints: list[Data] = Field(default_factory=list)
    limits: Limits = Field(default_factory=Limits)
    own: Literal[True] | None = None


class ExpectedCall(_Part):
    """A call of the gold plan that an imported trace has."""

    tool: str
    arguments: Data | None = None


class ForkPoint(_Part):
    """The run that a fork continues, and the last step that it keeps."""

    run: str
    step: int


class Run(_Part):
    """One run of an agent. ``model`` names provider and model, or a simulated profile; it holds no secret.

    ``recording``: the name of the journal that the run was recorded in, so that it is merged only once. An imported
    run has the id of its trace, its ``reward`` if it was graded (1: right, 0: wrong), what was left out of it, and the
    calls that its gold plan ``expected``. Of a user's own graph, ``state`` is its input (without the messages), and
    ``thread`` its checkpointer's thread.
    """

    id: str
    variant: str
    forked_from: ForkPoint | None = None
    agent: str
    model: str
    seed: int | None = None
    started: datetime | None = None
    events: list[Event] = Field(default_factory=list)
    recording: str | None = None
    reward: float | None = Field(default=None, allow_inf_nan=False)
    left_out: list[LeftOutPart] | None = None
    expected: list[ExpectedCall] | None = None
    state: Data | None = None
    thread: str | None = None


Mutation = Literal["Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize"]
"""The paper's four mutations (4.5): the same again, other words, another topic, other sentences."""

CellKind = Literal["Original", Mutation, "Combined", "Control", "Culprit"]
"""The kinds of queries in a dissection: the query as it is, its mutations, several of them at once, fresh queries,
and queries with a few changes that look for the words to blame."""


class Cell(_Part):
    """One mutant of a dissection and the ids of its runs.

    ``Original`` and ``Repeat`` are the dissected variant itself. ``number`` counts from 1 within a kind. ``changes``:
    for ``Culprit``, the numbers of the changes that this query has (``planscope.dissection.changes``).
    """

    kind: CellKind
    number: int = Field(ge=1)
    variant: str
    runs: list[str] = Field(default_factory=list)
    changes: list[int] | None = None


CULPRIT_BUDGET = 40
"""The default number of runs that look for the words to blame, besides those that the budget has left."""

Method = Literal["rates", "paper"]
"""How a dissection decides: by comparing rates, or by the first success, as the paper does."""


class Dissection(_Part):
    """The runs of mutants that look for the cause of a failure. The cause is not kept: it follows from the runs.

    ``run`` is the failing run that it began with, if any; ``budget`` is the largest number of runs. ``stopped`` says
    why it ended undecided: ``budget``, ``user`` or one line about an error. ``culprit_budget``: runs that look for the
    words to blame, besides those that ``budget`` has left; 0 for none. ``closed``: kinds that no more mutants can
    be made of, and why.
    """

    id: str
    variant: str
    run: str | None = None
    method: Method = "rates"
    agent: str
    model: str
    seed: int | None = None
    budget: int = Field(default=60, ge=1)
    culprit_budget: int = Field(default=0, ge=0)
    started: datetime | None = None
    stopped: str | None = None
    closed: dict[CellKind, str] = Field(default_factory=dict)
    cells: list[Cell] = Field(default_factory=list)


class FuzzLed(_Part):
    """How an agent was led to a finding by a user's ``request``. ``run``: the id of its run in the session."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    hit: bool | None = Field(default=None, description="the tool failed so; null if that is not known")
    request: str | None = None
    step: int | None = Field(default=None, description="the call that failed, from 1")
    why: str = Field(default="", description="why it did not")
    tries: int = 0
    run: str | None = None


class FuzzFinding(_Part):
    """One error of a tool. Calls that show the same error are one finding.

    ``branches``: steps from line to line of the tool's code that its smallest calls take; None: not seen.
    """

    model_config = ConfigDict(frozen=True, defer_build=True)

    tool: str
    kind: str = Field(
        description="raised, returned, hung, killed, outside, sequence, lying, protocol, inconsistent, infrastructure"
    )
    exception: str | None = Field(
        default=None, description="the full class name; null where nothing was raised"
    )
    message: str = ""
    location: str | None = Field(
        default=None, description="file:line of the deepest frame in the tool's own package"
    )
    input: Any = Field(
        default=None, description="the whole argument object as it was sent; for sequences a list of calls"
    )
    shrunk: Any = Field(default=None, description="a smaller one, confirmed in a fresh child, or null")
    needs: list[Any] | None = Field(default=None, description="calls that must come before, or null")
    branches: int | None = None
    at_call: int = Field(default=0, description="the first call that showed it, from 1; 0: none did")
    occurrences: int = 1
    shrink_calls: int = 0
    documented: bool = Field(default=False, description="schema or documentation state the limit")
    traceback: str = ""
    source: str = Field(default="", description="the line that raised")
    printed: str = Field(default="", description="what the tool printed")
    knows: Data | None = Field(
        default=None, description="what sequences showed of the tools, by which answers were judged, or null"
    )
    prompt: str | None = Field(default=None, description="the prompt of a baseline that showed it")
    set: int | None = Field(
        default=None, description="the number, from 1, of the set of prompts that shows it"
    )
    label: Literal["true", "false"] | None = Field(
        default=None, description="whether the user says that it is an error"
    )
    specified: Literal["under", "over", "ill"] | None = Field(
        default=None, description="how the documentation is at fault, in the user's word"
    )
    sampled: bool = Field(default=False, description="it was drawn to be labelled")
    sane: bool | None = Field(
        default=None, description="a model would make the call; null: not asked, or not readable"
    )
    reason: str = Field(default="", description="the model's, in its words")
    agent: FuzzLed | None = Field(default=None, description="how an agent got there; null: not tried")


class FuzzCall(_Part):
    """A call that an agent made while its tools were fuzzed. ``output``: what the tool gave back, None if nothing."""

    tool: str
    arguments: Any = None
    output: str | None = None
    failed: bool = False


class FuzzPrompt(_Part):
    """What an agent did with one prompt of a set."""

    prompt: str = Field(default="", description="as it was sent")
    filled: str = Field(
        default="", description="the prompt as the template gives it, before it was made natural"
    )
    words: dict[str, str] = Field(default_factory=dict, description="the filling of each placeholder")
    calls: list[FuzzCall] = Field(default_factory=list, description="also of other tools")
    answer: str | None = None
    score: int | None = Field(default=None, description="0 to 10; null: unjudged, or no data")
    reason: str = Field(default="", description="the judge's")
    error: str | None = Field(
        default=None, description="why the agent did not get to an end: such a prompt is no data"
    )
    run: str | None = Field(default=None, description="the recorded run in the session, or null")

    @property
    def answered(self) -> bool:
        """Whether there is an answer that can be judged."""
        return self.error is None and bool((self.answer or "").strip())


class FuzzSet(_Part):
    """Prompts that mean the same, filled into one template, and what an agent did with each.

    The checks are made from the runs (``planscope.toolfuzz.correctness.checks``).
    """

    tool: str
    template: str
    fillings: dict[str, list[str]] = Field(default_factory=dict)
    runs: list[FuzzPrompt] = Field(default_factory=list)
    expectation: str | None = None
    label: Literal["true", "false"] | None = None
    specified: Literal["under", "over", "ill"] | None = None
    sampled: bool = False

    @model_validator(mode="before")
    @classmethod
    def _of_lists(cls, data: object) -> object:
        """Read what an earlier version wrote: prompts and scores beside their runs."""
        if not isinstance(data, dict) or not isinstance(data.get("prompts"), list):
            return data
        several = [data.get(name) for name in ("prompts", "scores", "runs")]
        if not all(isinstance(one, list) for one in several):
            return data
        kept = {name: one for name, one in data.items() if name not in ("prompts", "scores")}
        runs = [
            {**run, "prompt": prompt, "score": score}
            for prompt, score, run in zip(*several, strict=False)
            if isinstance(run, dict)
        ]
        return {**kept, "runs": runs}


class FuzzedTool(_Part):
    """A tool that was fuzzed. ``fingerprint``: of its schema (``planscope.toolfuzz.keeping``).

    ``succeeded``: calls that answered well, None if that was not counted; ``refusal``: the commonest error;
    ``wrapped``: it is an object of LangChain, which is invoked; ``variable``: what the target's code calls it.
    """

    tool: str
    description: str = ""
    fingerprint: str | None = None
    calls: int = 0
    succeeded: int | None = None
    refusal: str | None = None
    skipped: str | None = None
    wrapped: bool = False
    variable: str | None = None


class FuzzFix(_Part):
    """What mending a tool's documentation came to: ``fixes`` of ``planscope fuzz --json``.

    ``after``: the new documentation, None if none is better (``why``). ``choosing`` and ``reporting``: prompts right
    ``before`` and ``after``, and all, on the two halves. ``cures``, ``leaves``, ``untried``: numbers of findings.
    """

    tool: str
    before: str = ""
    after: str | None = None
    why: str = ""
    candidates: list[Data] = Field(default_factory=list)
    choosing: Data | None = None
    reporting: Data | None = None
    cures: list[int] = Field(default_factory=list)
    leaves: list[int] = Field(default_factory=list)
    untried: list[int] = Field(default_factory=list)
    written: str | None = None


class Fuzzing(_Part):
    """A run of the fuzzer on one target. ``calls``: of the search. ``reset``: the function that resets the tools.

    ``sets``: prompts that mean the same, and what an agent did with them. ``matrix``: which tools they led to.
    ``settings``: what a test of a finding needs besides.
    """

    id: str
    target: str
    seed: int = 1
    started: datetime | None = None
    calls: int = 0
    seconds: float = 0.0
    reset: str | None = None
    settings: Data | None = None
    model: Data | None = None
    statistics: Data = Field(default_factory=dict)
    tools: list[FuzzedTool] = Field(default_factory=list)
    fixes: list[FuzzFix] | None = None
    findings: list[FuzzFinding] = Field(default_factory=list)
    sets: list[FuzzSet] = Field(default_factory=list)
    matrix: list[Any] = Field(default_factory=list)


class Removal(_Part):
    """Queries, runs and dissections that were deleted together. The file keeps them, so that they can be restored.

    ``places``: for each list of the session, the indexes that the deleted items had, in ascending order.
    """

    deleted: datetime = Field(default_factory=lambda: datetime.now(UTC))
    variants: list[Variant] = Field(default_factory=list)
    runs: list[Run] = Field(default_factory=list)
    dissections: list[Dissection] = Field(default_factory=list)
    places: dict[Literal["variants", "runs", "dissections"], list[int]] = Field(default_factory=dict)


class Session(_Part):
    """The content of a session file. ``removed``: what was deleted, the last deletion at the end; None: nothing.
    ``gone``: the ids of what was deleted for good, which nothing else gets.

    ``rules``: the text of the rules that every run has to keep, as it was written; ``rules_before``: the texts that it
    replaced, the last one at the end. Only ``planscope.rules.in_session`` reads and changes them, but for those that
    a recorder was given; ``rules_recorded`` is their text. ``fuzzings``: what was found in tools, one for each target.
    """

    format: Literal["planscope-session"] = "planscope-session"
    version: int = FORMAT_VERSION
    id: str
    title: str
    notes: str = ""
    created: datetime = Field(default_factory=lambda: datetime.now(UTC))
    variants: list[Variant] = Field(default_factory=list)
    runs: list[Run] = Field(default_factory=list)
    dissections: list[Dissection] = Field(default_factory=list)
    breakpoints: list[str] = Field(default_factory=list)
    watches: list[str] = Field(default_factory=list)
    cursor: Data = Field(default_factory=dict)
    removed: list[Removal] | None = None
    gone: list[str] | None = None
    rules: str | None = None
    rules_before: list[str] | None = None
    rules_recorded: str | None = None
    fuzzings: list[Fuzzing] | None = None


def _next(prefix: str, taken: Iterable[str]) -> str:
    used = set(taken)
    n = len(used) + 1
    while f"{prefix}{n}" in used:
        n += 1
    return f"{prefix}{n}"


def _gone(session: Session, prefix: str) -> list[str]:
    return [id for id in session.gone or () if id.startswith(prefix) and id[len(prefix) :].isdecimal()]


def next_run_id(session: Session, promised: Iterable[str] = ()) -> str:
    """Return the next free id: ``r1``, ``r2``, ... ``promised``: ids that running agents will use.

    The ids of what was deleted are not free: it can be restored, and others may still speak of it.
    """
    return _next("r", (*(r.id for r in all_runs(session)), *promised, *_gone(session, "r")))


def variant_of_tools(id: str, actions: list[ActionRecord]) -> Variant:
    """Return a variant of real tools, without a query: for runs of agents that were asked in words of their own."""
    return Variant(id=id, origin=Origin(kind="imported"), query=Query(text=""), actions=actions, own=True)


def next_variant_id(session: Session) -> str:
    """Return the next free id: ``v1``, ``v2``, ..."""
    return _next("v", (*(v.id for v in all_variants(session)), *_gone(session, "v")))


def next_dissection_id(session: Session) -> str:
    """Return the next free id: ``d1``, ``d2``, ..."""
    removed = (d.id for one in session.removed or () for d in one.dissections)
    return _next("d", (*(d.id for d in session.dissections), *removed, *_gone(session, "d")))


def next_fuzzing_id(session: Session) -> str:
    """Return the next free id: ``z1``, ``z2``, ..."""
    return _next("z", (one.id for one in session.fuzzings or ()))


def all_runs(session: Session) -> list[Run]:
    """Return the session's runs, and the deleted ones."""
    return [*session.runs, *(run for one in session.removed or () for run in one.runs)]


def all_variants(session: Session) -> list[Variant]:
    """Return the session's variants, and the deleted ones."""
    return [*session.variants, *(variant for one in session.removed or () for variant in one.variants)]


def records(actions: tuple[Action, ...]) -> list[ActionRecord]:
    """Return the actions of a problem as a variant stores them."""
    return [ActionRecord(id=a.id, name=a.name, tool=a.tool, duration=a.duration) for a in actions]


class _Made(TypedDict, total=False):
    """What is known of a variant besides its problem."""

    id: str
    parent: str | None
    topic: str | None
    seed: int | None
    tree: dict[str, object] | None
    constraints: list[Data] | None
    limits: Limits


def make_variant(problem: Problem, origin: Origin, **known: Unpack[_Made]) -> Variant:
    """Make a variant with the text and the actions of ``problem``."""
    query = Query(text=problem.text, timed=problem.timed, topic=known.get("topic"), seed=known.get("seed"))
    query.tree = known.get("tree")
    return Variant(
        id=known.get("id", "v1"),
        parent=known.get("parent"),
        origin=origin,
        query=query,
        actions=records(problem.actions),
        constraints=known.get("constraints") or [],
        limits=known.get("limits") or Limits(),
    )


def own_runs(session: Session) -> list[Run]:
    """Return the runs that no dissection made, or all runs if dissections made all of them.

    A dissection adds dozens of runs, which are not what a user means by "the last run".
    """
    spent = {run for one in session.dissections for cell in one.cells for run in cell.runs}
    return [run for run in session.runs if run.id not in spent] or session.runs


def own_variants(session: Session) -> list[Variant]:
    """Return the variants that no dissection made, or all variants if dissections made all of them."""
    made = {cell.variant for one in session.dissections for cell in one.cells}
    made -= {one.variant for one in session.dissections}
    return [variant for variant in session.variants if variant.id not in made] or session.variants


def variant_of(session: Session, run: Run) -> Variant:
    """Return the variant of a run."""
    return next(v for v in session.variants if v.id == run.variant)


def events_up_to(run: Run, step: int, *, answer: str | None = None) -> list[Event]:
    """Return the events that a fork after ``step`` keeps, each marked as kept. Step 0 keeps only the prompt.

    ``answer`` replaces the answer to ``step``. Later calls of the same message are left out, since the fork never makes
    them.
    """
    last = next((i for i, e in enumerate(run.events) if isinstance(e, CallEvent) and e.step == step), -1)
    kept: list[Event] = []
    for place, event in enumerate(run.events):
        change: Data = {"kept": True}
        match event:
            case PromptEvent():
                pass
            case MessageEvent() if place < last:
                pass
            case CallEvent() if event.step <= step:
                pass
            case AnswerEvent() if event.step <= step:
                if event.step == step and answer is not None:
                    change |= {"text": answer, "said": event.said or event.text}
            case _:
                continue
        kept.append(event.model_copy(update=change))
    return kept
