"""Documents that ``sessions`` prints: a list of sessions, one session, changed sessions, unsaved work."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field

from planscope.document import Document
from planscope.documents.judgement import Helped
from planscope.documents.runs import CameOutDocument, outcome_fields
from planscope.session.library_index import Place
from planscope.session.record import help_of

if TYPE_CHECKING:
    from planscope.session.library_index import Entry
    from planscope.session.lock import Holder
    from planscope.session.model import Run, Session
    from planscope.session.recovery import Recovery
    from planscope.session.tally import Outcome


def _in_seconds(moment: Any) -> Any:
    return moment.isoformat(timespec="seconds") if isinstance(moment, datetime) else moment


Moment = Annotated[str, BeforeValidator(_in_seconds)]
"""A time in ISO 8601, to the second."""

PathText = Annotated[str, BeforeValidator(str)]


class OutcomesDocument(Document):
    """The results of all runs of a session that no dissection made."""

    right: int
    wrong: int
    counted: int = Field(description="right and wrong runs without help")
    aborted: int
    unknown: int
    cut_off: int = Field(default=0, description="of the aborted ones")
    stopped: int = Field(default=0, description="of the aborted ones: by a person")
    not_judged: int = Field(default=0, description="of the unknown ones: those without a query and rules")
    helped: int = Field(description="right and wrong runs with help")
    helped_right: int
    errors: dict[str, int] = Field(
        description="the number of runs by primary type of error, including helped runs"
    )
    headlines: dict[str, int] = Field(
        default_factory=dict, description="the number of runs by the error that words name (see headline)"
    )
    text: str


class EntryDocument(CameOutDocument):
    """A session in a list. Agent, model, verdict, error type and help are those of the last run."""

    name: str
    open: str = Field(
        validation_alias="address",
        description="the argument for planscope open: the name, or the path if another session has the name",
    )
    place: Place
    path: PathText
    title: str
    topic: str | None
    agent: str | None
    model: str | None
    runs: int
    variants: int
    findings: int = Field(default=0, description="errors that the fuzzer found in tools")
    helped: Annotated[str | None, BeforeValidator(lambda text: text or None)] = Field(
        default=None, description="in words; null: there was no help"
    )
    outcomes: OutcomesDocument | None = Field(default=None, description="null: as for verdict")
    created: Moment | None = Field(description="times are ISO 8601, UTC")
    changed: Moment
    deleted: Moment | None
    size: int = Field(description="bytes of the file")
    wrong: str | None = Field(description="why it cannot be opened")

    @classmethod
    def listed(cls, entry: Entry, **more: Any) -> Self:
        """Return the document of an entry."""
        return cls.of(entry, address=entry.address, **outcome_fields(entry.outcome), **more)


class RecoveryDocument(Document):
    """Work that could not be written to its file."""

    path: PathText = Field(description="the session that it belongs to")
    saved: Moment
    why: str
    file: PathText


class WriterDocument(Document):
    """The process that has a session open for writing."""

    pid: int
    host: str
    since: Moment


class RunLine(CameOutDocument):
    """A run in the document of its session."""

    id: str
    variant: str
    agent: str
    model: str
    seed: int | None
    started: Moment | None
    calls: int
    helped: Helped = None


class VariantLine(Document):
    """A variant in the document of its session."""

    id: str
    parent: str | None
    origin: str
    text: str
    actions: int


class FindingLine(Document):
    """A finding of the fuzzer in a session."""

    target: str
    tool: str
    kind: str
    error: str = Field(description="kind, exception and message in one line")
    shrunk: Any = Field(description="the smallest arguments that show it, or a list of calls")


class SessionDocument(EntryDocument):
    """What ``sessions show`` prints."""

    id: str
    notes: str
    variant_list: list[VariantLine]
    run_list: list[RunLine]
    dissections: int
    finding_list: list[FindingLine] = Field(default_factory=list)
    breakpoints: list[str]
    watches: list[str]
    deletions: int = Field(default=0, description="deletions of queries and runs that can be undone")
    writer: WriterDocument | None
    recovery: RecoveryDocument | None

    @classmethod
    def about(
        cls,
        entry: Entry,
        session: Session,
        outcomes: Mapping[str, Outcome],
        holder: Holder | None,
        left: Recovery | None,
    ) -> Self:
        """Return the document of one session. ``outcomes``: those of the judged runs, by their ids."""
        return cls.listed(
            entry,
            id=session.id,
            notes=session.notes,
            variant_list=[
                VariantLine.of(v, origin=v.origin.kind, text=v.query.text, actions=len(v.actions))
                for v in session.variants
            ],
            run_list=[_run_line(run, outcomes.get(run.id)) for run in session.runs],
            dissections=len(session.dissections),
            finding_list=_findings(session),
            breakpoints=session.breakpoints,
            watches=session.watches,
            deletions=len(session.removed or ()),
            writer=holder,
            recovery=left,
        )


def _run_line(run: Run, outcome: Outcome | None) -> RunLine:
    calls = sum(event.type == "call" for event in run.events)
    return RunLine.of(run, calls=calls, **outcome_fields(outcome), helped=help_of(run))


class SessionsDocument(Document):
    """What ``sessions list`` and ``sessions trash`` print."""

    folder: PathText
    sessions: list[EntryDocument]
    recoveries: list[RecoveryDocument] = Field(default_factory=list)


class ChangedDocument(Document):
    """What the other actions print: the changed sessions, and where they are now."""

    action: Literal["rename", "copy", "delete", "restore", "empty", "recover"]
    sessions: list[dict[str, str]] = Field(description="the name and path of each after the change")
    removed: int = 0


def _findings(session: Session) -> list[FindingLine]:
    if not session.fuzzings:
        return []
    from planscope.toolfuzz.formats import smallest, title

    return [
        FindingLine(
            target=fuzzing.target,
            tool=one.tool,
            kind=one.kind,
            error=title(one),
            shrunk=smallest(one),
        )
        for fuzzing in session.fuzzings
        for one in fuzzing.findings
    ]
