"""Documents of lists: models, topics, themes, settings, the grammar, private values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import Field

from planscope.document import Document
from planscope.oracle.trace import LeftOut
from planscope.session.traces import title_of

if TYPE_CHECKING:
    from planscope.oracle.trace import Trace


class ParameterDocument(Document):
    """A number that a simulated model takes."""

    name: str
    default: int | float
    low: int | float
    high: int | float
    about: str


class ProfileDocument(Document):
    """A simulated model."""

    name: str
    about: str
    plants: str | None = Field(
        description="the error that it makes on purpose or the cause of its failures; null: none"
    )
    parameters: list[ParameterDocument]


class ProviderDocument(Document):
    """A provider of real models."""

    name: str
    package: str
    installed: bool
    keys: list[str] = Field(description="environment variables, one of which is needed")
    needs: list[str] = Field(description="environment variables, all of which are needed")
    set: list[str] = Field(description="the names of those that are set; never their values")
    base_url: bool
    ready: bool
    missing: str | None


class ModelsDocument(Document):
    """What ``models --json`` prints."""

    simulated: list[ProfileDocument]
    providers: list[ProviderDocument]
    problems: list[str] = Field(
        default_factory=list, description="models of other packages that cannot be listed, and why"
    )


class TopicDocument(Document):
    """A job with the activities that queries about it name."""

    job: str
    activities: list[str]


class TopicsDocument(Document):
    """What ``topics --json`` prints."""

    topics: list[TopicDocument]
    problems: list[str] = Field(
        default_factory=list, description="--model: the activities that were left out, and why"
    )
    remarks: list[str] = Field(
        default_factory=list, description="--model: doubts about activities that were kept"
    )


class ThemeDocument(Document):
    """A theme of the debugger."""

    name: str
    dark: bool


class ThemesDocument(Document):
    """What ``themes --json`` prints."""

    themes: list[ThemeDocument]
    problems: list[str]
    folder: str


SettingValue = str | int | float | bool | None | list[str | int]


class SettingDocument(Document):
    """A setting and where its value comes from."""

    name: str
    value: SettingValue
    source: str = Field(
        serialization_alias="from", description="default, screen, or the place in the config file"
    )
    default: SettingValue
    takes: str = Field(description="the allowed values, in words")
    help: str


class ConfigDocument(Document):
    """The settings of the debugger, the files that they come from, and their errors."""

    file: str
    exists: bool
    remembered: str
    themes: str
    settings: list[SettingDocument]
    keys: dict[str, list[str]] = Field(description="the user's own keys, by the id of the action")
    problems: list[str]


class WordsDocument(Document):
    """The forms of a modal or of a phrase of the lexicon."""

    singular: str
    plural: str
    parse_only: bool = Field(description="read in queries, but never written")


class LexiconEntryDocument(WordsDocument):
    """A phrase of the lexicon."""

    phrase: str
    adjunct: bool
    fronted: bool
    clock: bool = Field(description="whether a clock time may follow")


class GrammarDocument(Document):
    """The words of queries, and how many sentences grammar and lexicon give without lists of actions."""

    clause_skeletons: dict[str, int]
    wordings: dict[str, int]
    modals: list[WordsDocument]
    terminals: dict[str, list[LexiconEntryDocument]] = Field(
        description="by the paper's symbol, for example VP<"
    )


class PlaceDocument(Document):
    """Where a private value was found. ``variant`` or ``run`` is an id; both null: a field of the session itself."""

    field: str = Field(description="for example query.text; (key) at its end: the key of a mapping")
    variant: str | None
    run: str | None
    event: int | None = Field(description="of the run, from 0")
    step: int | None


class PrivateDocument(Document):
    """A private value, and what replaces it."""

    number: int = Field(description="for --keep and --replace")
    kind: str
    label: str
    text: str = Field(description="the value at its first place")
    replacement: str
    places: list[PlaceDocument]
    kept: bool


class PreviewDocument(Document):
    """The output of ``export --preview --json``."""

    private: list[PrivateDocument]


class PackageDocument(Document):
    """A package that planscope needs."""

    name: str
    version: str | None = Field(description="null: it is missing")


class ExtraDocument(Document):
    """An extra of planscope: a package that not everybody needs."""

    name: str
    package: str
    version: str | None
    installed: bool
    purpose: str


class FolderDocument(Document):
    """A folder in which planscope keeps files of the user."""

    name: str
    path: str
    exists: bool
    writable: bool = Field(description="it can be written to, or made")


class TerminalDocument(Document):
    """The terminal. ``colours``: 0 (NO_COLOR), 16, 256 or 16777216."""

    interactive: bool
    term: str | None
    columns: int
    rows: int
    colours: int
    encoding: str | None


class DoctorDocument(Document):
    """What ``doctor --json`` prints."""

    planscope: str
    python: str
    executable: str
    platform: str
    packages: list[PackageDocument]
    extras: list[ExtraDocument]
    folders: list[FolderDocument]
    terminal: TerminalDocument
    browser: str
    network: str
    problems: list[str]


class AttachedDocument(Document):
    """An agent that can be attached to. ``runs``: those under way. ``debugged``: another debugger decides already."""

    id: str
    pid: int | None
    title: str | None
    session: str | None
    runs: int
    debugged: bool
    trouble: str | None = Field(description="why it cannot be attached to; then the other fields are null")


class AttachDocument(Document):
    """What ``attach --json`` prints. ``folder`` has the agents' sockets."""

    folder: str
    agents: list[AttachedDocument]


class TraceLineDocument(Document):
    """A trace in a list. ``tools``: the number of different tools that were called."""

    id: str
    format: str
    calls: int
    tools: int
    failed: int
    branches: int
    title: str
    problem: str | None = Field(description="what of it could not be read")
    reward: float | None
    source: str
    left_out: list[LeftOut] = Field(default_factory=list)

    @classmethod
    def about(cls, trace: Trace) -> Self:
        """Return the line of a trace."""
        calls = trace.calls
        return cls.of(
            trace,
            calls=len(calls),
            tools=len({call.tool for call in calls}),
            failed=sum(bool(call.failed) for call in calls),
            branches=len(trace.branches),
            title=title_of(trace),
        )


class TracesDocument(Document):
    """What ``import --list --json`` prints, and with ``session`` what ``import --json`` prints."""

    traces: list[TraceLineDocument]
    session: str | None = Field(default=None, description="the file that was written")
    total: int | None = Field(default=None, description="all traces, where a server lists some of them")
