"""Models of Acme: ``planscope run SESSION --model acme:NAME``."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel


def make_model(name: str) -> BaseChatModel:
    """Make the chat model ``name``. Acme has none of its own; a real package makes that of its provider here."""
    from langchain.chat_models import init_chat_model

    return init_chat_model(name, model_provider="openai", base_url="http://127.0.0.1:8000/v1", api_key="none")
