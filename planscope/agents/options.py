"""The options of a run: which agent runs with which model, and how. Every door takes them whole, from the command to
the run."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from planscope.agents.models import LoadedModel, ModelSpec, check_model, load_model, parse_model
from planscope.agents.paradigms import AGENTS, load_factory
from planscope.frozen import frozen

if TYPE_CHECKING:
    from planscope.session.model import Limits


@frozen
class RunOptions:
    """As on the command line. ``model`` is the text of ``--model``, ``seed`` that of a simulated model, ``base_url``
    another server.

    ``agent`` is one of ``AGENTS`` or ``package.module:factory``, which is imported. ``role`` is a role prompt,
    ``prompts`` a file with prompt templates, ``limits`` replace those of the variant. ``guard`` blocks calls that make
    the plan impossible, or that make it impossible to keep the session's ``rules`` (their text). ``tracing`` uploads
    the run to LangSmith, if the environment sets that up.
    """

    agent: str = "tools"
    model: str = "sim:careful"
    seed: int | None = None
    base_url: str | None = None
    guard: bool = False
    role: str | None = None
    prompts: Path | None = None
    tracing: bool = False
    limits: Limits | None = None
    rules: str | None = None

    @classmethod
    def of(cls, options: RunOptions, **more: Any) -> Self:
        """Return the options with ``more``, as a kind of options that has them."""
        return cls(**{field.name: getattr(options, field.name) for field in fields(RunOptions)}, **more)

    @property
    def spec(self) -> ModelSpec:
        """The model that the text names. Raises ``ModelUnavailable``."""
        return parse_model(self.model, seed=self.seed)

    @property
    def light(self) -> bool:
        """Whether the run needs neither LangChain nor an event loop: a simulated model, and no agent of the user."""
        return self.spec.simulated and self.agent in AGENTS

    def check(self) -> ModelSpec:
        """Return the model that the text names. Raises ``ModelUnavailable`` or ``UnknownAgent`` if no run can begin."""
        spec = self.spec
        check_model(spec, self.base_url)
        load_factory(self.agent)
        return spec

    def load(self) -> LoadedModel:
        """Load the model, for many runs. Raises ``ModelUnavailable``."""
        return load_model(
            self.model, seed=self.seed, base_url=self.base_url, responses=self.agent == "responses"
        )
