"""What ``--model`` means, and the one line where a model cannot be had."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.agents.models import PROVIDERS, ModelUnavailable, check_model, load_model, parse_model
from planscope.agents.simulated.profiles import PROFILES


def refusal(text: str, **options: Any) -> str:
    with pytest.raises(ModelUnavailable) as error:
        load_model(text, **options)
    line = str(error.value)
    assert line
    assert "\n" not in line
    return line


@pytest.fixture
def no_keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for provider in PROVIDERS.values():
        for name in (*provider.keys, *provider.needs):
            monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "LANGSMITH_GATEWAY"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_table_is_langchains() -> None:
    from langchain.chat_models import base

    known = {name: module.split(".")[0] for name, (module, _, _) in base._BUILTIN_PROVIDERS.items()}
    ours = {name: p.module for name, p in PROVIDERS.items()}
    assert known.items() <= ours.items()  # a newer LangChain may drop one, and is told so by its own error


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_loads(name: str) -> None:
    loaded = load_model(f"sim:{name}", seed=5)
    assert loaded.spec.simulated
    assert loaded.spec.text == f"sim:{name}"
    assert loaded.seed == 5


def test_parameters_and_seed() -> None:
    spec = parse_model("sim:time-blind?day=6&seed=9", seed=5)
    assert spec.character is not None
    assert (spec.character.seed, spec.character["day"], spec.text) == (9, 6, "sim:time-blind?day=6")
    assert parse_model("sim:time-blind").character["day"] == 8
    assert parse_model("sim:careful").character.seed == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gpt-4o", "openai:gpt"),
        ("careful", "sim:careful"),
        ("", "provider:name"),
        (":x", "provider:name"),
        ("openai:", "no model"),
        ("opnai:gpt-4o", "openai"),
        ("zzz:gpt", "anthropic"),
        ("sim:carful", "careful"),
        ("sim:", "careful, literal, flaky, word-blind, "),
        ("sim:time-blind?day=24", "from 0 to 23"),
        ("sim:time-blind?day=x", "whole number"),
        ("sim:time-blind?day=", "whole number"),
        ("sim:time-blind?days=3", "'day'"),
        ("sim:careful?p=1", "seed"),
        ("sim:careful?seed=-1", "from 0"),
        ("sim:careful?seed=1&seed=2", "twice"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, says: str) -> None:
    assert says in refusal(text)


def test_a_missing_package_says_what_to_install(no_keys: pytest.MonkeyPatch) -> None:
    no_keys.setattr("planscope.agents.models.importlib.util.find_spec", lambda name: None)
    for name, provider in PROVIDERS.items():
        assert provider.install in refusal(f"{name}:x")


def test_a_missing_key_says_what_to_set(no_keys: pytest.MonkeyPatch) -> None:
    assert "OPENAI_API_KEY" in refusal("openai:gpt-4o-mini")
    no_keys.setattr("planscope.agents.models.importlib.util.find_spec", lambda name: object())
    for name, provider in PROVIDERS.items():
        if provider.keys:
            with pytest.raises(ModelUnavailable, match=provider.keys[0]):
                check_model(parse_model(f"{name}:x"))
    no_keys.setenv("AZURE_OPENAI_API_KEY", "k")
    with pytest.raises(ModelUnavailable, match="AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION"):
        check_model(parse_model("azure-openai:x"))


def test_base_url_is_checked(no_keys: pytest.MonkeyPatch) -> None:
    assert "--base-url" in refusal("sim:careful", base_url="http://x")
    assert "openai" in refusal("groq:x", base_url="http://x/v1")
    for bad in ("localhost:8000", "file:///etc/passwd", "http://", "http:///v1"):
        assert "http://" in refusal("openai:x", base_url=bad)


async def test_a_local_server_needs_no_key(no_keys: pytest.MonkeyPatch) -> None:
    loaded = load_model("openai:local", base_url="http://user:pass@127.0.0.1:9/v1")
    assert loaded.host == "127.0.0.1:9"
    assert loaded.spec.text == "openai:local"
    await loaded.aclose()


async def test_temperature_is_zero_where_the_model_takes_one(no_keys: pytest.MonkeyPatch) -> None:
    no_keys.setenv("OPENAI_API_KEY", "sk-test")
    for name, wanted in [("gpt-4o-mini", 0), ("local-thing", 0), ("o3-mini", None), ("gpt-5", None)]:
        loaded = load_model(f"openai:{name}")
        assert loaded.chat.temperature == wanted, name
        assert loaded.chat.use_responses_api is False
        sequential = name != "o3-mini"
        assert loaded.chat.one_by_one == sequential
        await loaded.aclose()


def test_other_providers_go_through_init_chat_model(no_keys: pytest.MonkeyPatch) -> None:
    import langchain.chat_models as chat_models

    asked = []

    class Profiled:
        def __init__(self, takes: bool) -> None:
            self.profile = {"temperature": takes}

    def fake(model: str, **options: Any) -> Profiled:
        asked.append((model, options))
        if model == "strict" and "temperature" in options:
            raise TypeError("no temperature here")
        return Profiled(model != "reasoner")

    no_keys.setattr(chat_models, "init_chat_model", fake)
    no_keys.setattr("planscope.agents.models.importlib.util.find_spec", lambda name: object())
    no_keys.setenv("GROQ_API_KEY", "k")
    for name, last in [("plain", {"temperature": 0}), ("reasoner", {}), ("strict", {})]:
        load_model(f"groq:{name}")
        assert asked[-1] == (name, {"model_provider": "groq", **last})


def test_a_model_that_cannot_be_set_up_says_so_without_the_key(no_keys: pytest.MonkeyPatch) -> None:
    import langchain.chat_models as chat_models

    def fake(model: str, **options: Any) -> None:
        raise RuntimeError("key gsk_planted_key_123456 is odd\nsecond line https://docs.example/errors")

    no_keys.setattr(chat_models, "init_chat_model", fake)
    no_keys.setattr("planscope.agents.models.importlib.util.find_spec", lambda name: object())
    no_keys.setenv("GROQ_API_KEY", "gsk_planted_key_123456")
    line = refusal("groq:x")
    assert "planted" not in line
    assert "http" not in line


def test_a_broken_package_is_no_crash(no_keys: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise ImportError("libfoo.so is missing")

    no_keys.setenv("OPENAI_API_KEY", "sk-test")
    no_keys.setattr("planscope.agents.models.importlib.import_module", broken)
    assert "libfoo.so" in refusal("openai:x")


@given(st.text(max_size=30))
def test_any_text_is_a_model_or_one_line(text: str) -> None:
    try:
        spec = parse_model(text)
    except ModelUnavailable as error:
        assert not re.search(r"[\r\n\x0b\x0c\x85\u2028\u2029]", str(error))
    else:
        assert spec.simulated or spec.model


@given(st.sampled_from(sorted(PROFILES)), st.text(max_size=20))
def test_any_parameters_are_read_or_refused(profile: str, query: str) -> None:
    try:
        spec = parse_model(f"sim:{profile}?{query}")
    except ModelUnavailable as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert spec.character is not None


def test_installed_is_asked_of_python_itself() -> None:
    assert PROVIDERS["openai"].installed == (importlib.util.find_spec("langchain_openai") is not None)
