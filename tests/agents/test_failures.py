"""Errors in one line, without addresses and secrets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.agents.failures import LINE, explain, one_line

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
        "the provider's rate limit is reached (429), try again later: quota",
    )


def test_where_it_happened_is_said() -> None:
    assert explain(ZeroDivisionError("division by zero"), where="tool") == (
        "tool",
        "the tool crashed (ZeroDivisionError: division by zero)",
    )
