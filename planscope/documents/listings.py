"""What lists print as JSON: models, topics, themes, settings, the grammar, what is private."""

from __future__ import annotations

from pydantic import Field

from planscope.documents.document import Document


class ParameterDocument(Document):
    name: str
    default: int | float
    low: int | float
    high: int | float
    about: str


class ProfileDocument(Document):
    name: str
    about: str
    plants: str | None = Field(description="the error or the cause of failing that it is made to have")
    parameters: list[ParameterDocument]


class ProviderDocument(Document):
    name: str
    package: str
    installed: bool
    keys: list[str] = Field(description="environment variables, one of which is needed")
    needs: list[str] = Field(description="environment variables that must all be set")
    set: list[str] = Field(description="which of them are; never their values")
    base_url: bool
    ready: bool
    missing: str | None


class ModelsDocument(Document):
    """What ``models --json`` prints."""

    simulated: list[ProfileDocument]
    providers: list[ProviderDocument]


class TopicDocument(Document):
    job: str
    activities: list[str]


class TopicsDocument(Document):
    topics: list[TopicDocument]
    problems: list[str] = Field(default_factory=list, description="--model: what was left out, and why")
    remarks: list[str] = Field(default_factory=list, description="--model: what is there, and odd")


class ThemeDocument(Document):
    name: str
    dark: bool


class ThemesDocument(Document):
    themes: list[ThemeDocument]
    problems: list[str]
    folder: str


SettingValue = str | int | float | bool | None | list[str | int]


class SettingDocument(Document):
    name: str
    value: SettingValue
    source: str = Field(
        serialization_alias="from", description="default, screen, or the place in the config file"
    )
    default: SettingValue
    takes: str = Field(description="what it may be, in words")
    help: str


class ConfigDocument(Document):
    """The settings of the debugger, the files that they come from, and what is wrong with them."""

    file: str
    exists: bool
    remembered: str
    themes: str
    settings: list[SettingDocument]
    keys: dict[str, list[str]] = Field(description="the user's own keys, by the id of the action")
    problems: list[str]


class WordsDocument(Document):
    """A phrase of the lexicon; for a modal only its forms."""

    singular: str
    plural: str
    parse_only: bool = Field(description="read, never written")


class EntryDocument(WordsDocument):
    phrase: str
    adjunct: bool
    fronted: bool
    clock: bool = Field(description="may stand before a clock time")


class GrammarDocument(Document):
    """The words of requests, and counts of what grammar and lexicon give; lists of actions aside."""

    clause_skeletons: dict[str, int]
    wordings: dict[str, int]
    modals: list[WordsDocument]
    terminals: dict[str, list[EntryDocument]] = Field(description="by the paper's terms, as in VP<")


class PlaceDocument(Document):
    """``variant`` or ``run`` is an id; all null: a field of the session itself."""

    field: str = Field(description="as in query.text; (key) at its end: the key of a mapping")
    variant: str | None
    run: str | None
    event: int | None = Field(description="of the run, from 0")
    step: int | None


class PrivateDocument(Document):
    number: int = Field(description="for --keep and --replace")
    kind: str
    label: str
    text: str = Field(description="the value as it was found first")
    replacement: str
    places: list[PlaceDocument]
    kept: bool


class PreviewDocument(Document):
    """What ``export --preview --json`` prints."""

    private: list[PrivateDocument]
