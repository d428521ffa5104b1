"""Errors in one line, without addresses and secrets."""

from __future__ import annotations

import base64
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import ToolException, tool

from planscope.agents import record
from planscope.agents.failures import LINE, explain, one_line
from planscope.cli import main
from planscope.session.store import dumps, load

from .support import Scripted, says

PLANTED = "sk-planted-0123456789abcdef"


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", PLANTED)
    monkeypatch.setenv("SOME_PASSWORD", "correct horse")


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_planted_secret_survives(before: str, after: str) -> None:
    for secret in (PLANTED, "correct horse"):
        line = one_line(f"{before}{secret}{after}")
        assert secret not in line
        assert len(line) <= LINE
        assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("no such thing. For troubleshooting, visit: https://docs.langchain.com/errors/X ", "no such thing."),
        ("bad (see https://x.example/a?k=1) value", "bad (see value"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer [secret]"),
        ("key hf_abcdefghijk is bad", "key [secret] is bad"),
        ("two\nlines\tand  blanks", "two lines and blanks"),
        ("Incorrect API key provided: sk-plant*****cdef.", "Incorrect API key provided: [secret]"),
    ],
)
def test_lines(text: str, line: str) -> None:
    assert one_line(text) == line


def test_the_deepest_cause_speaks_of_a_connection() -> None:
    class APIConnectionError(Exception):
        pass

    try:
        try:
            raise OSError("Connection refused")
        except OSError as inner:
            raise APIConnectionError("Connection error.") from inner
    except APIConnectionError as error:
        kind, line = explain(error, host="127.0.0.1:9")
    assert kind == "connection"
    assert "127.0.0.1:9" in line
    assert line.endswith("Connection refused")


def test_sdk_errors_are_known_by_their_status() -> None:
    class Odd(Exception):
        status_code = 429
        body = {"error": {"message": "quota"}}  # noqa: RUF012

    assert explain(Odd("x")) == (
        "rate_limit",
        "the provider's rate limit is reached (429); try again later: quota",
    )


def test_where_it_happened_is_said() -> None:
    assert explain(ZeroDivisionError("division by zero"), where="tool") == (
        "tool",
        "the tool crashed (ZeroDivisionError: division by zero)",
    )


ENVIRONMENT = {
    "DB_PASS": "Tulpenfeld7",
    "REGISTRY_AUTH": "bot:kranich-9-see",
    "SENTRY_DSN": "https://0a1b2c@o1.ingest.sentry.io/7",
    "OPENAIKEY": "mittags-regen-4",
    "MAIL_PWD": "swordfishes",
    "PGPASSWORD": "p@ss/w\u00f6rd 1",
}


def spelled(value: str) -> list[str]:
    """As it is, as base64 of a login, as its repr and in an address."""
    login = base64.b64encode(f"app:{value}".encode()).decode()
    return [value, base64.b64encode(value.encode()).decode(), login, repr(value)]


@pytest.mark.parametrize("name", ENVIRONMENT)
def test_no_secret_of_the_environment_is_in_a_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value = ENVIRONMENT[name]
    monkeypatch.setenv(name, value)
    for said in spelled(value):
        for where in ("model", "tool", "agent"):
            _, line = explain(ValueError(f"refused {said} today"), where=where)
            assert said.strip("'") not in line and value not in line and "today" in line
        assert "[secret]" in one_line(f"it said ({said})") or "://" in said


async def test_no_secret_of_the_environment_is_in_a_session_of_an_own_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)

    @tool
    def fail(name: str) -> str:
        """Fail with what is in the environment."""
        raise ToolException(" and ".join(["cannot connect", *spelled(ENVIRONMENT[name])]))

    @tool
    def crash(name: str) -> str:
        """Fail for good."""
        raise RuntimeError(" and ".join(["cannot connect", *spelled(ENVIRONMENT[name])]))

    fail.handle_tool_error = True
    for name, value in ENVIRONMENT.items():
        path = tmp_path / f"{name}.planscope.json"
        script: list[Any] = [says(("fail", {"name": name})), says(("crash", {"name": name})), AIMessage("ok")]
        agent = create_agent(Scripted(script=script), [fail, crash], middleware=[record(path)])
        with pytest.raises(RuntimeError):
            await agent.ainvoke({"messages": [("human", "Go.")]})
        texts = [dumps(load(path)).decode()]
        for folder, _, names in os.walk(tmp_path):  # its journal among them
            for own in names:
                with suppress(FileNotFoundError):  # it was merged into its session meanwhile
                    texts.append(Path(folder, own).read_text(encoding="utf-8"))
        kept = "\n".join(texts)
        assert kept.count("cannot connect") >= 2
        assert not [said for said in spelled(value) if said.strip("'") in kept]


def test_no_secret_of_the_environment_is_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DB_PASS", "Tulpenfeld7")
    assert main(["check", "/nowhere/Tulpenfeld7.planscope.json"]) == 2
    said = capsys.readouterr()
    assert "Tulpenfeld7" not in said.err + said.out and "[secret].planscope.json" in said.err


def test_a_part_of_a_secret_of_the_environment_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The password in a login or an address, a line of a key."""
    monkeypatch.setenv("REGISTRY_AUTH", "bot:kranich-9-see")
    monkeypatch.setenv("MAIN_DSN", "postgresql://app:Regenbogen8@db.internal/x")
    monkeypatch.setenv(
        "SIGNING_KEY", "-----BEGIN KEY-----\nAbCdEfGhIj0123\nKlMnOpQrSt4567\n-----END KEY-----"
    )
    said = one_line("got kranich-9-see, Regenbogen8, KlMnOpQrSt4567 and AbCdEfGhIj0123, bot")
    assert said == "got [secret], [secret], [secret] and [secret], bot"
