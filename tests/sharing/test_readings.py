"""What a terminal, a browser and a parser show of a text, and where each character of it stands."""

from __future__ import annotations

import html
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.sharing.redact.readings import readings
from planscope.sharing.redact.scan import Scanner, Surroundings

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("plain", ["plain"]),
        ("\x1b[31mred\x1b[0m", ["red"]),
        ("\x1b[1;38;5;208mbright\x1b[22;39m", ["bright"]),
        ("a\x1b[2Kb\x1b(Bc\x1b=d", ["abcd"]),
        ("\\u001b[33myellow\\u001b[0m", ["yellow"]),
        ("\\x1b[33m\\033[1myellow\\e[0m", ["yellow"]),
        ("\x1b]8;;http://h/x\x1b\\link\x1b]8;;\x1b\\", [" http://h/x link  "]),
        ("\x1b]0;title\x07rest", [" title rest"]),
        ("g\u200bhp_\ufeffx", ["ghp_x"]),
        ("N\x08NA\x08A", ["NA"]),
        ("a &lt;b&gt; &#x27;c&#39; &amp;amp; &nosuch;", ["a <b> 'c' & &nosuch;"]),
        (
            "caf\\u00e9 \\ud83d\\ude00 \\ud83d",
            ["caf\\u00e9 \\ud83d\\ude00 \\ud83d", "caf\u00e9 \U0001f600 \ufffd"],
        ),
        ("%2Fhome%2Fx 100%", ["%2Fhome%2Fx 100%", "/home/x 100%"]),
        ("a%252Fb", ["a%252Fb", "a/b"]),
        ("C:\\Users\\x", ["C:\\Users\\x"]),
    ],
)
def test_what_is_read(written: str, read: list[str]) -> None:
    assert [reading.text for reading in readings(written)] == read


@given(
    st.lists(
        st.sampled_from(
            ["a", "b", " ", "\x1b[31m", "\x1b[0m", "&amp;", "&#x27;", "%2F", "\\u0041", "\u200b", "&amp;lt;"]
        ),
        max_size=12,
    )
)
def test_a_range_that_is_read_reads_the_same_alone(parts: list[str]) -> None:
    """What stands in the written range of a reading's range is read as that range."""
    text = "".join(parts)
    for reading in readings(text):
        for start in range(len(reading.text)):
            for end in range(start + 1, len(reading.text) + 1):
                first, last = reading.written(start, end)
                assert 0 <= first < last <= len(text)
                assert reading.text[start:end] in {one.text for one in readings(text[first:last])}


HIDDEN = {
    "split by a colour": f"{KEY[:9]}\x1b[31m{KEY[9:]}",
    "after a colour": f"\x1b[31m{KEY}\x1b[0m",
    "HTML": html.escape(f'<b title="{KEY}">'),
    "no width": f"{KEY[:4]}\u200b{KEY[4:]}",
    "percent": quote(f"token={KEY}", safe=""),
    "code points": json.dumps(KEY).replace("g", "\\u0067"),
}


@pytest.mark.parametrize("how", HIDDEN)
def test_a_key_is_found_where_it_is_written_and_told_as_it_is_read(how: str) -> None:
    (hit,) = Scanner(Surroundings()).find(HIDDEN[how])
    assert (hit.read or HIDDEN[how][hit.start : hit.end]) == KEY
    left = HIDDEN[how][: hit.start] + HIDDEN[how][hit.end :]
    assert "0123" not in left and "ABCD" not in left
