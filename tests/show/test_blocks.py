"""Blocks in the three writers: all of them say what a block says, and nothing from outside is markup in any."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from unicodedata import category

from hypothesis import given
from hypothesis import strategies as st

from planscope.show.blocks import (
    GAP,
    Beside,
    Block,
    Code,
    Fold,
    Heading,
    Marked,
    Own,
    Para,
    Part,
    Picture,
    Rows,
    Strong,
    Table,
    Toned,
)
from planscope.show.markdown import markdown
from planscope.show.page import markup, page
from planscope.show.text import lines
from tests.hostile import SAVEABLE

TABLE = Table(
    [(Own("1"), "a", "", Own("")), (Own("2"), "b|c", "", Own("x"))],
    ("no", "name", "empty", "note"),
    notes=[(), (Own("below it"),)],
)


def blocks(text: str) -> Iterator[Block]:
    """Every kind of block, with this text at each place that words from outside have."""
    yield Heading((Own("Title "), text))
    yield from (
        Para(text),
        Para(text, keep=True),
        Para(text, label="label"),
        Para((Own("by "), Marked(text))),
    )
    yield Code([text])
    yield Table(
        [(text, Own("1"), Strong("now")), ("b", Own("2"), Own(""))], ("a", "n", ""), notes=[(text,), ()]
    )
    yield Beside([Para(text)], [Code([text])])
    yield Fold("Fold", [Para(text)], open=True)
    rows = [Rows("text", [[text], [Marked(text)]]), Rows("steps", [[Toned("1", "bad"), text, ""]])]
    yield Part("pane", rows, (Own("Pane "), text))
    yield GAP


def test_a_text_has_columns_notes_and_headings() -> None:
    made = list(lines([Heading("One"), Para("Words.", label="  at"), Heading("Two", 3), TABLE], 60))
    assert made == [
        "One",
        "  at          Words.",
        "",
        "Two",
        "  no  name  note",
        "  1   a",
        "  2   b|c   x",
        "         below it",
    ]


def test_markdown_has_what_a_text_has() -> None:
    picture = Picture("Plan", "<svg/>")
    made = markdown([Heading("One", 3), Para(Own("Ours.")), Para("a <b>"), Para("c"), TABLE, picture])
    assert made.split("\n\n") == [
        "### One",
        "Ours.",
        "```text\na <b>\nc\n```",
        "| no | name | note |  |\n| --- | --- | --- | --- |\n| 1 | `a` |  |  |\n| 2 | `b\\|c` | x | below it |",
        '<img alt="Plan" src="data:image/svg+xml;base64,PHN2Zy8+">\n',
    ]


def test_a_page_has_it_as_static_text_and_searches_long_tables() -> None:
    rows = [(f"r{k}", Own(k)) for k in range(300)]
    made = page("A <title>", [TABLE, Table(rows, ("run", "n"), search="Filter")])
    assert made.isascii() and "A &lt;title&gt;" in made and "<td>b|c</td>" in made and "below it" in made
    assert "<td>r199</td>" in made and "<td>r200</td>" not in made and '["r299","299"]' in made
    assert made.count("<script") == 2 and "script-src 'sha256-" in made.replace("&#x27;", "'")
    assert page("t", [TABLE]).count("<script") == 1


def test_a_table_without_anything_in_it_is_nothing() -> None:
    for empty in (Table([], ("a", "b")), Table([("", "")], ("a", "b"), search="Filter")):
        made = [Para(Own("before")), empty, Para(Own("after"))]
        assert list(lines(made)) == ["before", "after"] and markdown(made) == "before\n\nafter\n"
        assert markup(made, []) == "<p>before</p>\n<p>after</p>"


class Tags(HTMLParser):
    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        assert {name for name, _ in attrs} <= {"class", "id", "open"}, attrs


OURS = {
    "h2",
    "p",
    "br",
    "dl",
    "dt",
    "dd",
    "pre",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "mark",
    "strong",
    "details",
    "summary",
    "section",
    "ul",
    "li",
    "span",
}


@given(st.one_of(st.text(), st.sampled_from(SAVEABLE)))
def test_nothing_from_outside_is_markup(text: str) -> None:
    made = list(blocks(text))
    for line in lines(made, 40):
        assert not {category(c) for c in line} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    written = markup(made, [])
    assert Tags(written).found <= OURS and "://" not in written
    outside = re.sub(r"(?ms)^(`{3,})\w*\n.*?^\1$", "", markdown(made))
    spans = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    assert not set(spans) & set("<@") and "](" not in spans
