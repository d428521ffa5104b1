"""What ``--model`` means: ``sim:PROFILE?key=value`` or ``provider:name``.

Package and key are checked before anything is imported: some providers report a missing key only at the first call.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from planscope.agents.failures import one_line
from planscope.agents.simulated.profiles import PROFILES, BadParameter, Character, make_character
from planscope.errors import UserError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

EXAMPLES = "say provider:name, for example openai:gpt-4o-mini, or sim:careful"


class ModelUnavailable(UserError):
    """Why a model cannot be used, and what to do about it, in one line without secrets."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model's name as asked for. Either ``character`` (simulated) or ``provider`` with ``model`` is set."""

    text: str
    character: Character | None = None
    provider: Provider | None = None
    model: str = ""

    @property
    def simulated(self) -> bool:
        return self.character is not None


@dataclass(slots=True)
class LoadedModel:
    """A chat model ready for runs. ``keys`` and ``host`` serve error texts; ``aclose`` frees its connections.

    ``agents`` are those that were compiled for it, for the next runs.
    """

    chat: BaseChatModel
    spec: ModelSpec
    keys: tuple[str, ...] = ()
    host: str | None = None
    _client: Any = field(default=None, repr=False)
    agents: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)

    @property
    def seed(self) -> int | None:
        return self.spec.character.seed if self.spec.character else None

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()


def parse_model(text: str, *, seed: int | None = None) -> ModelSpec:
    """Read a ``--model``. ``seed`` is for simulated models that name none. Raises :class:`ModelUnavailable`."""
    kind, colon, rest = text.strip().partition(":")
    if not colon or not kind:
        near = [f"sim:{n}" for n in difflib.get_close_matches(kind, PROFILES, 1)]
        raise ModelUnavailable(f"{text[:80]!r} names no model: {near[0] + '?' if near else EXAMPLES}")
    if kind == "sim":
        return _simulated(rest, seed)
    name = kind.replace("-", "_").lower()
    provider = PROVIDERS.get(name)
    if provider is None:
        near = difflib.get_close_matches(name, [*PROVIDERS, "sim"], 3, 0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the providers are {', '.join(PROVIDERS)}"
        raise ModelUnavailable(f"there is no provider {kind[:40]!r}: {hint}")
    if not rest:
        raise ModelUnavailable(f"{text!r} names a provider but no model: {EXAMPLES}")
    return ModelSpec(f"{name}:{rest}", provider=provider, model=rest)


def _simulated(rest: str, seed: int | None) -> ModelSpec:
    profile, _, query = rest.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    names = [name for name, _ in pairs]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise ModelUnavailable(f"{twice!r} is given twice in {rest!r}")
    try:
        character = make_character(profile, dict(pairs), seed)
    except BadParameter as error:
        raise ModelUnavailable(str(error)) from None
    given = "&".join(f"{name}={value}" for name, value in pairs if name != "seed")
    return ModelSpec(f"sim:{profile}" + (f"?{given}" if given else ""), character=character)


def check_model(spec: ModelSpec, *, base_url: str | None = None) -> None:
    """Is the package there, is the key set? Imports nothing. Raises :class:`ModelUnavailable`."""
    provider = spec.provider
    if provider is None:
        if base_url:
            raise ModelUnavailable("a simulated model has no server: leave --base-url out")
        return
    if base_url and not provider.base_url:
        able = ", ".join(p.name for p in PROVIDERS.values() if p.base_url)
        raise ModelUnavailable(f"{provider.name} takes no --base-url (these do: {able})")
    if base_url and not re.fullmatch(r"https?://[^\s/?#]+\S*", base_url):
        raise ModelUnavailable("--base-url must begin with http:// or https:// and name a server")
    if not provider.installed:
        raise ModelUnavailable(f"{provider.name} needs a package: pip install {provider.package}")
    missing = [name for name in provider.needs if not os.environ.get(name)]
    if (
        provider.keys
        and not any(os.environ.get(k) for k in provider.keys)
        and not _keyless(provider, base_url)
    ):
        missing.insert(0, " or ".join(provider.keys))
    if missing:
        raise ModelUnavailable(f"{provider.name} needs a key: set {' and '.join(missing)} in the environment")


def load_model(
    text: str,
    *,
    seed: int | None = None,
    base_url: str | None = None,
    retries: int = 2,
    responses: bool = False,
) -> LoadedModel:
    """Make the model that ``text`` asks for, at temperature 0 where it takes one.

    ``retries`` is how often a request that failed for no fault of ours is sent again (OpenAI's protocol).
    ``responses``: over the Responses API, for the agent of that name.
    Imports LangChain. Raises :class:`ModelUnavailable`.
    """
    spec = parse_model(text, seed=seed)
    check_model(spec, base_url=base_url)
    if spec.character is not None:
        from planscope.agents.simulated.chat import SimulatedChat

        return LoadedModel(SimulatedChat(character=spec.character), spec)
    assert spec.provider is not None
    if responses and spec.provider.name != "openai":
        raise ModelUnavailable(
            f"the agent responses needs a model with the Responses API (openai:NAME), not {spec.text}"
        )
    try:
        if spec.provider.name == "openai":
            return _openai(spec, base_url, retries, responses)
        return LoadedModel(_other(spec, base_url), spec, spec.provider.keys, _host(base_url))
    except ImportError as error:
        why = one_line(str(error))
        raise ModelUnavailable(f"{spec.provider.package} is there but cannot be imported: {why}") from None
    except Exception as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelUnavailable(one_line(f"{spec.text} cannot be set up: {words[0]}")) from None


def _openai(spec: ModelSpec, base_url: str | None, retries: int, responses: bool) -> LoadedModel:
    """A client of its own for each model: LangChain's shared one breaks with the second event loop."""
    openai_chat = importlib.import_module("planscope.agents.openai_models")
    assert spec.provider is not None
    chat, client = openai_chat.make(
        spec.model,
        base_url=base_url,
        retries=retries,
        responses=responses,
        placeholder_key=not any(os.environ.get(k) for k in spec.provider.keys),
    )
    return LoadedModel(chat, spec, spec.provider.keys, _host(base_url), client)


def _other(spec: ModelSpec, base_url: str | None) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    assert spec.provider is not None
    provider = spec.provider.name
    server: dict[str, Any] = {"base_url": base_url} if base_url else {}

    def build(**sampling: Any) -> BaseChatModel:
        chat: BaseChatModel = init_chat_model(spec.model, model_provider=provider, **server, **sampling)
        return chat

    try:
        chat = build(temperature=0)
    except (TypeError, ValueError):  # pydantic's ValidationError is a ValueError: some take no temperature
        return build()
    return build() if (chat.profile or {}).get("temperature") is False else chat


def _keyless(provider: Provider, base_url: str | None) -> bool:
    """A local server that speaks OpenAI's protocol asks for no key, and LangSmith's gateway brings its own."""
    elsewhere = base_url or os.environ.get("OPENAI_API_BASE") or os.environ.get("OPENAI_BASE_URL")
    gateway = os.environ.get("LANGSMITH_GATEWAY", "false").lower() not in ("", "0", "false", "no")
    return gateway or (provider.name == "openai" and bool(elsewhere))


def _host(base_url: str | None) -> str | None:
    """Server and port, without user and password."""
    if not base_url:
        return None
    return urlsplit(base_url).netloc.rpartition("@")[2] or None


@dataclass(frozen=True, slots=True)
class Provider:
    """``module`` is what is imported, ``package`` what pip installs.

    ``keys``: environment variables, one of which is needed; none where the provider has other ways (a local
    server, a cloud's own login). ``needs``: variables that must all be set. ``base_url``: can be sent elsewhere.
    """

    name: str
    package: str
    module: str
    keys: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    base_url: bool = False

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def _provider(
    name: str,
    *keys: str,
    package: str | None = None,
    needs: tuple[str, ...] = (),
    base_url: bool = False,
) -> Provider:
    package = package or f"langchain-{name.replace('_', '-')}"
    return Provider(name, package, package.replace("-", "_"), keys, needs, base_url)


_ALL = (
    _provider("openai", "OPENAI_API_KEY", base_url=True),
    _provider("anthropic", "ANTHROPIC_API_KEY", base_url=True),
    _provider("anthropic_bedrock", package="langchain-aws"),
    _provider("azure_ai", package="langchain-azure-ai"),
    _provider(
        "azure_openai",
        "AZURE_OPENAI_API_KEY",
        "AZURE_OPENAI_AD_TOKEN",
        package="langchain-openai",
        needs=("AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"),
    ),
    _provider("baseten", "BASETEN_API_KEY"),
    _provider("bedrock", package="langchain-aws"),
    _provider("bedrock_converse", package="langchain-aws"),
    _provider("bedrock_mantle_anthropic", package="langchain-aws"),
    _provider("bedrock_mantle_openai", package="langchain-aws"),
    _provider("cohere", "COHERE_API_KEY", "CO_API_KEY"),
    _provider("deepseek", "DEEPSEEK_API_KEY"),
    _provider("fireworks", "FIREWORKS_API_KEY"),
    _provider("google_anthropic_vertex", package="langchain-google-vertexai"),
    _provider("google_genai", "GOOGLE_API_KEY", "GEMINI_API_KEY"),
    _provider("google_vertexai"),
    _provider("groq", "GROQ_API_KEY"),
    _provider("huggingface"),
    _provider("ibm", "WATSONX_API_KEY", "WATSONX_APIKEY", "WATSONX_TOKEN", "WATSONX_PASSWORD"),
    _provider("langsmith", "LANGSMITH_GATEWAY_API_KEY", "LANGSMITH_API_KEY", package="langchain-openai"),
    _provider("litellm"),
    _provider("meta", "MODEL_API_KEY"),
    _provider("mistralai", "MISTRAL_API_KEY"),
    _provider("nvidia", "NVIDIA_API_KEY", package="langchain-nvidia-ai-endpoints"),
    _provider("ollama", base_url=True),
    _provider("openrouter", "OPENROUTER_API_KEY"),
    _provider("perplexity", "PERPLEXITY_API_KEY", "PPLX_API_KEY"),
    _provider("together", "TOGETHER_API_KEY"),
    _provider("upstage", "UPSTAGE_API_KEY"),
    _provider("xai", "XAI_API_KEY"),
)

PROVIDERS: dict[str, Provider] = {p.name: p for p in _ALL}
