"""What is typed at a call that waits: whatever was there can be edited, and nothing else is changed by it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.debugger.errors import DebuggerError
from planscope.debugger.typed_call import arguments_of, json_of, line_of, text_of
from planscope.safe import visible
from tests.hostile import HOSTILE

TEXTS = st.one_of(st.text(max_size=40), st.sampled_from(HOSTILE))


def whole(text: str) -> str:
    """As a file can hold it: halves of surrogate pairs can be in none."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(TEXTS)
def test_a_text_can_be_typed_as_it_stands_and_is_read_back(text: str) -> None:
    line = line_of(text)
    assert all(visible(char) == char for char in line)
    assert text_of(line) == whole(text)


@pytest.mark.parametrize("text", ["School tour guidance takes 1 hour.", "", "Größe 8, naïve ☃"])
def test_a_plain_text_is_typed_as_it_is_read(text: str) -> None:
    assert line_of(text) == text


@pytest.mark.parametrize(
    ("line", "text"), [(r"a\nb", "a\nb"), (r"a\\nb", r"a\nb"), (r"\u0041\U00000042", "AB")]
)
def test_escapes(line: str, text: str) -> None:
    assert text_of(line) == text


@pytest.mark.parametrize("line", [r"\q", "\\", r"\u12", r"\U00110000", r"C:\dir"])
def test_a_backslash_that_nothing_is_known_of(line: str) -> None:
    with pytest.raises(DebuggerError, match="is not an escape") as caught:
        text_of(line)
    assert visible(str(caught.value)) == str(caught.value)


@given(
    st.dictionaries(TEXTS.map(whole), st.one_of(TEXTS.map(whole), st.integers(), st.booleans(), st.none()))
)
def test_arguments_are_read_back(arguments: dict[str, object]) -> None:
    line = json_of(arguments)
    assert line.isascii() and line.isprintable()
    assert arguments_of(line) == arguments


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "enter {} for no arguments"),
        ("   ", "enter {} for no arguments"),
        ("{", "not JSON at column 2"),
        ('{"a": }', "not JSON at column 7: expecting value"),
        ("[1]", "enter an object"),
        ("8", "enter an object"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": -Infinity}', "is not a JSON number"),
        ('{"a": 1, "a": 2}', "'a' occurs twice"),
        ('{"a": ' + "9" * 5000 + "}", "a number of more than 1,000 digits"),
        ('{"a": ' + "[" * 9000 + "]" * 9000 + "}", "nested too deeply"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(DebuggerError) as caught:
        arguments_of(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@given(TEXTS)
def test_any_text_is_read_or_refused_in_one_visible_line(text: str) -> None:
    for typed in (text, '{"x": ' + json.dumps(text) + "}", "{" + text + ": 1}"):
        try:
            read = arguments_of(typed)
        except DebuggerError as error:
            assert visible(str(error)) == str(error)
        else:
            assert json.dumps(read).encode()
