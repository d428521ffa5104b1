"""Small word lists by meaning: what a person would write for an argument of that name or description."""

from __future__ import annotations

import re
from functools import cache

LISTS: dict[str, tuple[str, ...]] = {
    "path|file|filename|folder|dir|directory|destination|source": (
        "notes.txt", "a.txt", "data.json", "folder", "folder/inner.txt", ".", "", "..", "missing.txt", "a\0b",
        "/", "folder/", "./a.txt", "~", "ünïcode.txt", "a b.txt", "x" * 300, "table.csv", "../planscope-outside.txt",
        "/nonexistent/x.txt", "/etc/hosts", "*", "*.txt", "con", "-", "a.txt/b",
    ),
    "url|uri|link|endpoint|website": (
        "https://example.com", "http://example.com/a?b=c#d", "example.com", "ftp://example.com", "http://", "//x",
        "http://[::1",
    ),
    "mail|email": ("ada@example.com", "a.b+c@example.org", "nobody", "@", "a@b@c"),
    "date|day|deadline|birthday|since|until": (
        "2026-01-31", "2024-02-29", "2023-02-29", "31.12.2026", "12/31/2026", "tomorrow", "0000-00-00",
        "9999-12-31", "2026-13-01",
    ),
    "timezone|tz|zone": ("UTC", "Europe/Berlin", "America/New_York", "Mars/Base"),
    "branch|revision|commit|ref": ("HEAD", "main", "master", "HEAD~1"),
    "time|hour|when|clock|alarm": ("07:30", "23:59", "24:00", "99:99", "7 pm", "12:00:00", "2026-01-31T07:30:00Z"),
    "city|town|location|place|destination|origin|region": ("Zurich", "San Francisco", "São Paulo", "京都", "Sofia",
    "nowhere"),
    "country|nation": ("Germany", "France", "Italy", "Switzerland", "US", "DE", "XX"),
    "address|street": ("1600 Pennsylvania Avenue", "Bahnhofstrasse 1, 8001 Zürich",
    "PSC 3315, Box 8692 APO AE 21800"),
    "name|user|person|author|owner|customer": ("ada", "Grace Hopper", "O'Brien", "José", "admin", "root", "李"),
    "phone|telephone|mobile": ("+41 44 123 45 67", "555-0100", "0"),
    "currency|money|amount|price": ("USD", "EUR", "12.50", "$12", "1,000.00", "-1", "0"),
    "unit|measure": ("km", "kg", "celsius", "m/s", "ml", "°C"),
    "language|locale|lang": ("en", "de", "en_US", "zh-Hans", "xx"),
    "json|payload|config|data|body|order|document": ("{}", "[]", '{"a": 1}', "null", "1", '"x"', "{",
    '{"a": {"b": []}}'),
    "csv|table|rows|column": ("a,b\n1,2\n", "name\n", "a;b\n1;2", '"a\n', "a,b\n1\n", "\n"),
    "sql|query|statement": ("SELECT 1", "select * from users", "'; DROP TABLE users; --",
    "libraries in San Francisco"),
    "regex|pattern|glob": (".*", "*.txt", "[", "(a+)+$", "\\", "**/*", "?"),
    "code|expression|formula|equation": ("1 + 1", "1/0", "print(1)", "x", "((", "2**10", "a = 1"),
    "number|count|id|zip|postcode|index": ("1", "0", "-1", "42", "007", "1e9", "12345", "ABC-1"),
    "color|colour": ("red", "#ff0000", "rgb(1,2,3)"),
    "host|ip|server|domain": ("localhost", "192.0.2.1", "example.com", "::1", "256.1.1.1"),
    "version|release": ("1.0.0", "0.1", "2.4.1", "v3", "1.0.0-rc.1"),
}  # fmt: skip
"""Words by the parts of a name, as a regular expression."""

ORDINARY = (
    "hello world", "a", "libraries in San Francisco", "coffee shop", "the quick brown fox", "x=1", "yes", "no",
    "true", "None",
)  # fmt: skip

ODD = (
    "", " ", "\n", "\0", "a\0b", "\t", "\\", "'", '"', "%s", "%", "{}", "{0}", "{", "}", "$", "<b>x</b>", "ä", "ß",
    "İ", "京都",
    "👩‍👩‍👧", "\u200b", "\u202etxt", "\ufeffa", "1", "0", "-1", "1.5", "1e400", "٣", "²", "½", "nan", "inf", "null",
    "true", ",", ";", ":", "/",
    "..", "a,b", "a:b", "a=b", "a.b.c", "(", ")", "((", "[", "[]", "*", "\\d", "a\r\nb", "  x  ", "A" * 3,
    "a b c d e", "-", "_", "é", "\u0131",
)  # fmt: skip
"""Strings that break code: empty, blank, separators, null bytes, numbers that are none, Unicode."""

LONG = 16_000
"""Characters of the texts that show whether a tool takes ever longer; as JSON they must weigh less than 64 KiB."""

SLOW = ("a", "[", "(", " ", "{", "<", ",", "*a", "\n", "\\", "a.", "&", "0", '"', "(a", "é")
"""What a long text repeats: brackets, quotes and separators, which parsers and patterns go back over."""

_COMPILED = [(re.compile(rf"(?:^|[\W_]|(?<=[a-z])(?=[A-Z]))(?:{names})s?(?:$|[\W_]|(?=[A-Z]))", re.I),
words) for names, words in LISTS.items()]  # fmt: skip


@cache
def words_for(name: str, description: str = "") -> tuple[str, ...]:
    """Return the words for an argument of that name; the description counts if the name says nothing."""
    for text in (name, description):
        found = tuple(word for pattern, words in _COMPILED if pattern.search(text) for word in words)
        if found:
            return found
    return ORDINARY
