"""The schemas of what lists print as JSON: models, topics, themes, the grammar's counts."""

from __future__ import annotations

from pydantic import Field

from planscope.documents.parts import Document


class ParameterDocument(Document):
    name: str
    default: float
    low: float
    high: float
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


class GrammarDocument(Document):
    """Counts of the grammar and its lexicon; lists of actions aside."""

    clause_skeletons: dict[str, int]
    wordings: dict[str, int]
