"""The providers that ``init_chat_model`` knows: the package each needs, and where its key is looked for.

Checked before anything is imported, since some providers complain of a missing key only at the first call.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass


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
