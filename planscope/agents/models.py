"""Reads ``--model`` (``sim:PROFILE?key=value`` or ``provider:name``) and loads the model.

Package and key are checked before anything is imported, because some providers report a missing key only at the first
call.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import parse_qsl, urlsplit

from planscope.agents.failures import one_line
from planscope.agents.simulated.profiles import PROFILES, BadParameter, Character, make_character
from planscope.errors import UserError
from planscope.extensions import entries, trouble
from planscope.frozen import frozen

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from langchain_core.language_models import BaseChatModel


EXAMPLES = "give provider:name, for example openai:gpt-4o-mini, or sim:careful"


class ModelUnavailable(UserError):
    """A model cannot be used. The message says why and what to do, in one line without secrets."""


class Graph(Protocol):
    """What an agent is: a compiled graph, or another runnable of LangChain's."""

    @property
    def invoke(self) -> Callable[..., object]: ...
    @property
    def ainvoke(self) -> Callable[..., Awaitable[object]]: ...


@frozen
class ModelSpec:
    """A parsed ``--model``: ``character`` for a simulated model, else ``provider`` and ``model``."""

    text: str
    character: Character | None = None
    provider: Provider | None = None
    model: str = ""

    @property
    def simulated(self) -> bool:
        return self.character is not None


@dataclass(slots=True)
class LoadedModel:
    """A chat model ready for runs. ``keys`` and ``host`` are for error messages.

    ``agents`` has the agents compiled for it, for later runs. ``aclose`` closes its connections.
    """

    chat: BaseChatModel
    spec: ModelSpec
    keys: tuple[str, ...] = ()
    host: str | None = None
    _close: Callable[[], Awaitable[None]] | None = field(default=None, repr=False)
    agents: dict[tuple[object, ...], Graph] = field(default_factory=dict, repr=False)

    @property
    def seed(self) -> int | None:
        return self.spec.character.seed if self.spec.character else None

    async def aclose(self) -> None:
        if self._close is not None:
            await self._close()


def parse_model(text: str, *, seed: int | None = None) -> ModelSpec:
    """Parse ``--model``. ``seed`` is the default seed of a simulated model. Raises :class:`ModelUnavailable`."""
    kind, colon, rest = text.strip().partition(":")
    if not colon or not kind:
        near = [f"sim:{n}" for n in difflib.get_close_matches(kind, PROFILES, 1)]
        raise ModelUnavailable(
            f"{text[:80]!r} is not a model; {f'did you mean {near[0]}?' if near else EXAMPLES}"
        )
    if kind == "sim":
        return _simulated(rest, seed)
    name = kind.replace("-", "_").lower()
    provider = PROVIDERS.get(name) or other_providers()[0].get(name)
    if provider is None:
        known = [*PROVIDERS, *other_providers()[0]]
        near = difflib.get_close_matches(name, [*known, "sim"], 3, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the providers are {', '.join(known)}"
        raise ModelUnavailable(f"there is no provider {kind[:40]!r}; {hint}")
    if not rest:
        raise ModelUnavailable(f"{text!r} has a provider but no model; {EXAMPLES}")
    return ModelSpec(f"{name}:{rest}", provider=provider, model=rest)


def _simulated(rest: str, seed: int | None) -> ModelSpec:
    profile, _, query = rest.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    names = [name for name, _ in pairs]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise ModelUnavailable(f"{twice!r} is given twice in {rest!r}; leave one out")
    try:
        character = make_character(profile, dict(pairs), seed)
    except BadParameter as error:
        raise ModelUnavailable(str(error)) from None
    given = "&".join(f"{name}={value}" for name, value in pairs if name != "seed")
    return ModelSpec(f"sim:{profile}" + (f"?{given}" if given else ""), character=character)


def check_model(spec: ModelSpec, base_url: str | None = None) -> None:
    """Raise :class:`ModelUnavailable` if the package or the key of the model is missing. Imports nothing but the models
    of other packages."""
    provider = spec.provider
    if provider is None:
        if base_url:
            raise ModelUnavailable("a simulated model has no server; leave --base-url out")
        return
    if base_url and not provider.any_server:
        able = ", ".join(p.name for p in PROVIDERS.values() if p.any_server)
        raise ModelUnavailable(f"{provider.name} does not support --base-url; {able} do")
    if provider.entry is not None:
        provider.make()
        return
    if base_url and not re.fullmatch(r"https?://[^\s/?#]+\S*", base_url):
        raise ModelUnavailable(
            "--base-url must begin with http:// or https:// and name a server, as in http://localhost:8000/v1"
        )
    if not provider.installed:
        raise ModelUnavailable(f"{provider.name} needs a package; install it with: {provider.install}")
    missing = [name for name in provider.needs if not os.environ.get(name)]
    if (
        provider.keys
        and not any(os.environ.get(k) for k in provider.keys)
        and not _keyless(provider, base_url)
    ):
        missing.insert(0, " or ".join(provider.keys))
    if missing:
        raise ModelUnavailable(f"{provider.name} needs a key; set {' and '.join(missing)} in the environment")


def load_model(
    text: str,
    *,
    seed: int | None = None,
    base_url: str | None = None,
    retries: int = 2,
    responses: bool = False,
) -> LoadedModel:
    """Make the model that ``text`` names, with temperature 0 if it has a temperature. Imports LangChain.

    ``retries``: how often to resend a call that failed on the network or the server (OpenAI's protocol only).
    ``responses``: use the Responses API, for the agent ``responses``. Raises :class:`ModelUnavailable`.
    """
    spec = parse_model(text, seed=seed)
    check_model(spec, base_url)
    if spec.character is not None:
        from planscope.agents.simulated.chat import SimulatedChat

        return LoadedModel(SimulatedChat(character=spec.character), spec)
    assert spec.provider is not None
    if responses and spec.provider.name != "openai":
        raise ModelUnavailable(
            f"the agent responses needs a model with the Responses API, openai:NAME, not {spec.text}"
        )
    try:
        if spec.provider.name == "openai":
            return _openai(spec, base_url, retries, responses)
        return LoadedModel(_other(spec, base_url), spec, spec.provider.keys, _host(base_url))
    except ImportError as error:
        why = one_line(str(error))
        raise ModelUnavailable(
            f"{spec.provider.package} cannot be imported ({why}); install it again: {spec.provider.install}"
        ) from None
    except Exception as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelUnavailable(one_line(f"{spec.text} cannot be set up: {words[0]}")) from error


def _openai(spec: ModelSpec, base_url: str | None, retries: int, responses: bool) -> LoadedModel:
    """An OpenAI model with its own HTTP client: LangChain's shared one breaks with a second event loop."""
    openai_chat = importlib.import_module("planscope.agents.openai_models")
    assert spec.provider is not None
    chat, client = openai_chat.make(
        spec.model,
        base_url=base_url,
        retries=retries,
        responses=responses,
        placeholder_key=not any(os.environ.get(k) for k in spec.provider.keys),
    )
    return LoadedModel(chat, spec, spec.provider.keys, _host(base_url), client.aclose)


def _other(spec: ModelSpec, base_url: str | None) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    assert spec.provider is not None
    if spec.provider.entry is not None:
        made = spec.provider.make()(spec.model)
        if not callable(getattr(made, "bind_tools", None)):
            raise TypeError(f"{spec.provider.entry.value} made no chat model, but a {type(made).__name__}")
        return cast("BaseChatModel", made)
    provider = spec.provider.name
    server: dict[str, Any] = {"base_url": base_url} if base_url else {}

    def build(**sampling: Any) -> BaseChatModel:
        chat: BaseChatModel = init_chat_model(spec.model, model_provider=provider, **server, **sampling)
        return chat

    try:
        chat = build(temperature=0)
    except (
        TypeError,
        ValueError,
    ):  # pydantic's ValidationError is a ValueError: some models have no temperature
        return build()
    return build() if (chat.profile or {}).get("temperature") is False else chat


def _keyless(provider: Provider, base_url: str | None) -> bool:
    """Return whether no key is needed: for a local server with OpenAI's protocol, or through LangSmith's gateway."""
    elsewhere = base_url or os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
    gateway = os.environ.get("LANGSMITH_GATEWAY", "false").lower() not in ("", "0", "false", "no")
    return gateway or (provider.name == "openai" and bool(elsewhere))


def _host(base_url: str | None) -> str | None:
    """Return server and port of a URL, without user and password."""
    if not base_url:
        return None
    return urlsplit(base_url).netloc.rpartition("@")[2] or None


EXTRAS = {"langchain-openai": "openai"}
"""Packages that come with an extra of planscope, by package: the name of the extra."""


@frozen
class Provider:
    """A provider of ``init_chat_model``: the module to import, the package to install, where its key is.

    ``keys``: environment variables, one of which must be set; empty if the provider needs none (a local server, a
    cloud's own login). ``needs``: variables that must all be set. ``any_server``: whether another server can be used.
    ``entry``: the entry point of another package (``planscope.models``), a function that makes a chat model of a name.
    """

    name: str
    package: str
    module: str
    keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    any_server: bool = False
    entry: EntryPoint | None = None

    def make(self) -> Callable[[str], object]:
        """Return the function of the entry point. Raises :class:`ModelUnavailable`."""
        assert self.entry is not None
        try:
            made = self.entry.load()
            if not callable(made):
                raise TypeError("it is not a function")
        except Exception as error:
            raise ModelUnavailable(one_line(trouble(self.entry, error))) from error
        return cast("Callable[[str], object]", made)

    @property
    def installed(self) -> bool:
        """Whether the provider's package is installed. It is not imported."""
        return self.entry is not None or importlib.util.find_spec(self.module) is not None

    @property
    def install(self) -> str:
        """The command that installs the package, in planscope's checkout if the package comes with an extra of
        planscope."""
        extra = EXTRAS.get(self.package)
        return f"pip install '.[{extra}]'" if extra is not None else f"pip install {self.package}"


_TABLE = """
openai            any-server OPENAI_API_KEY
anthropic         any-server ANTHROPIC_API_KEY
anthropic_bedrock langchain-aws
azure_ai
azure_openai      langchain-openai AZURE_OPENAI_API_KEY AZURE_OPENAI_AD_TOKEN +AZURE_OPENAI_ENDPOINT +OPENAI_API_VERSION
baseten           BASETEN_API_KEY
bedrock           langchain-aws
bedrock_converse  langchain-aws
bedrock_mantle_anthropic langchain-aws
bedrock_mantle_openai langchain-aws
cohere            COHERE_API_KEY CO_API_KEY
deepseek          DEEPSEEK_API_KEY
fireworks         FIREWORKS_API_KEY
google_anthropic_vertex langchain-google-vertexai
google_genai      GOOGLE_API_KEY GEMINI_API_KEY
google_vertexai
groq              GROQ_API_KEY
huggingface
ibm               WATSONX_API_KEY WATSONX_APIKEY WATSONX_TOKEN WATSONX_PASSWORD
langsmith         langchain-openai LANGSMITH_GATEWAY_API_KEY LANGSMITH_API_KEY
litellm
meta              MODEL_API_KEY
mistralai         MISTRAL_API_KEY
nvidia            langchain-nvidia-ai-endpoints NVIDIA_API_KEY
ollama            any-server
openrouter        OPENROUTER_API_KEY
perplexity        PERPLEXITY_API_KEY PPLX_API_KEY
together          TOGETHER_API_KEY
upstage           UPSTAGE_API_KEY
xai               XAI_API_KEY
"""
"""A row for each provider: its name; ``any-server``; its package, unless that is named like it; the variables of its
keys; with a plus, those that must all be set."""


def _provider(name: str, *words: str) -> Provider:
    usual = f"langchain-{name.replace('_', '-')}"
    package = next((word for word in words if word.startswith("langchain-")), usual)
    needs = tuple(word[1:] for word in words if word.startswith("+"))
    keys = tuple(word for word in words if word[0].isupper())
    return Provider(name, package, package.replace("-", "_"), keys, needs, "any-server" in words)


PROVIDERS: dict[str, Provider] = {
    row.split()[0]: _provider(*row.split()) for row in _TABLE.strip().splitlines()
}


@cache
def other_providers() -> tuple[dict[str, Provider], tuple[str, ...]]:
    """Return the providers of other packages by name, and a line about each whose name cannot be used."""
    found: dict[str, Provider] = {}
    troubles: list[str] = []
    for entry in entries("planscope.models"):
        name = entry.name.replace("-", "_").lower()
        if name in PROVIDERS or name == "sim" or not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
            why = ValueError(
                "the name is taken" if name in (*PROVIDERS, "sim") else "a name has letters and digits"
            )
            troubles.append(trouble(entry, why))
            continue
        package = entry.dist.name if entry.dist is not None else entry.module
        found[name] = Provider(name, package, entry.module, entry=entry)
    return found, tuple(troubles)
