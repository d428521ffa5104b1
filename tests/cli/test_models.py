"""What --model can be, without asking any server and without showing any key."""

from __future__ import annotations

import pytest

from planscope.agents.models import PROVIDERS
from planscope.agents.simulated.profiles import PROFILES
from tests.cli.support import Cli

PLANTED = "sk-planted-0123456789abcdef"


def test_profiles_and_providers_are_listed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    found = cli("models", "--json")
    assert found.status == 0
    assert PLANTED not in found.out
    assert [p["name"] for p in found.json["simulated"]] == list(PROFILES)
    assert [p["name"] for p in found.json["providers"]] == list(PROVIDERS)
    flaky = next(p for p in found.json["simulated"] if p["name"] == "flaky")
    assert [p["name"] for p in flaky["parameters"]] == ["p", "seed"]
    by_name = {p["name"]: p for p in found.json["providers"]}
    assert by_name["openai"]["ready"] == by_name["openai"]["installed"]
    assert by_name["openai"]["set"] == ["OPENAI_API_KEY"]
    assert not by_name["anthropic"]["ready"]
    told = cli("models")
    assert PLANTED not in told.out
    for name in (*PROFILES, *PROVIDERS):
        assert f" {name}" in told.out


def test_with_a_server_of_ones_own(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = cli("models", "--base-url", "http://localhost:8000/v1", "--json").json
    assert found["simulated"] == []
    assert {p["name"] for p in found["providers"]} == {p.name for p in PROVIDERS.values() if p.any_server}
    openai = next(p for p in found["providers"] if p["name"] == "openai")
    assert openai["ready"] == openai["installed"]  # a local server asks for no key
    wrong = cli("models", "--base-url", "localhost")
    assert wrong.status == 2
    assert "--base-url" in wrong.err
