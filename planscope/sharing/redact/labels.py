"""Finds what stands under a heading or after a label: cells of tables by their column, and values after a sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from planscope.safe.secret_names import name_parts, names_secret
from planscope.sharing.redact.hits import words

SECRET, USER, HOST = "secret", "user", "host"


class Labelled(NamedTuple):
    """A value that a label names: what it is (secret, user, host), its label, its range, and whether it is quoted."""

    what: str
    label: str
    start: int
    end: int
    quoted: bool = False


@lru_cache(maxsize=20_000)
def kind_of(label: str) -> str:
    """Return what the value of a label is: secret, user or host, or nothing of these. ``DB_HOST`` is a host's."""
    if names_secret(label):
        return SECRET
    parts = name_parts(label)
    if parts and parts[-1] == "name" and len(parts) > 1:
        parts = [*parts[:-2], parts[-2] + "name"]
    if not parts or parts[0] in words("label", "not_first"):
        return ""
    for what in (USER, HOST):
        if parts[-1] in words(what, "labels") or "".join(parts[-2:]) in words(what, "labels"):
            return "" if what == USER and parts[0] in words("label", "services") else what
    return ""


_NAME = re.compile(r"[\w.@%()#+/-]+")
_NAMES = re.compile(r"[\w.@%()#+/ \t\r\n-]+")
_BEHIND_A_LOG = re.compile(r"\S[^\n]*:\s+(?=\S)")
_RULER = re.compile(r"[-=+|:│┼├┤─ \t]{3,}\r?\n?")
_GROUP = re.compile(r"[-=]{2,}")
_INSERT = re.compile(r"\((?P<head>[^()\n]{3,300})\)\s{0,3}(?i:values)\s{0,3}\((?P<row>[^()\n]{3,2000})\)")
_EDGES = " \t\r\n\"'`*│|"
_SIGNS = "|│\t;,"

_Columns = list[tuple[str, int, int]]
"""Heading, and where it begins and ends: in characters, or the number of the cell."""


@lru_cache(maxsize=4)
def cells(text: str) -> tuple[Labelled, ...]:
    """Return the cells below headings that name a secret, a user or a host.

    Read are tables with a sign between cells (CSV, Markdown, databases), columns that blanks align, pairs below the
    headings *Key* and *Value*, and SQL's INSERT.
    """
    return tuple(_cells(text))


def _cells(text: str) -> Iterator[Labelled]:
    for match in _INSERT.finditer(text):
        columns = _headings(match["head"], ",")
        if columns:
            yield from _row(match["row"], ",", columns, match.start("row"))
    rows = text.splitlines(keepends=True)
    at, columns, sign, head = 0, [], "", ""
    for n, row in enumerate(rows):
        ruler = _RULER.fullmatch(row) is not None
        if columns and ruler and not sign and head:
            columns = _under_ruler(head, row) or columns
        elif columns and not ruler and row.strip() and (not sign or row.count(sign) == head.count(sign)):
            yield from _row(row, sign, columns, at)
        elif not ruler and n + 1 < len(rows):
            columns, head = [], row
            for sign in (*(one for one in _SIGNS if one in row), ""):
                columns = _headings(row, sign) if sign else _aligned(row, rows[n + 1])
                if columns:
                    break
        at += len(row)


def _headings(row: str, sign: str) -> _Columns:
    """Return the headings between signs, by number, or nothing if one of them is no name or none says anything."""
    found = [cell.strip(_EDGES) for cell in row.split(sign)]
    if not all(len(cell) <= 30 and re.fullmatch(r"(?:@@)?[\w.-]*(?: [\w.-]+)?", cell) for cell in found):
        return []
    columns = [(cell, n, n) for n, cell in enumerate(found)]
    return columns if _says_anything(columns) else []


def _aligned(row: str, below: str) -> _Columns:
    """Return headings that blanks separate: in capitals, or with at least two blanks between them."""
    head = _BEHIND_A_LOG.match(row)
    row = row[head.end() :] if head else row
    one = len(_GROUP.findall(below)) == 1 and re.search(r"\S\s{2,}\S", row)
    if _GROUP.search(below) and not one and _RULER.fullmatch(below) and len(row) <= len(below) + 30:
        return _under_ruler(row, below)
    found = list(_NAME.finditer(row)) if _NAMES.fullmatch(row) else []
    apart = re.fullmatch(r"\s*[\w.@%-]+(?:\s{2,}[\w.@%-]+)+\s*", row) is not None
    capitals = (
        len(found) >= 3
        and not below.isupper()
        and all(not m[0][0].islower() and m[0][0] not in "-/.(" for m in found)
    )
    columns = [(m[0], m.start(), m.end()) for m in found]
    return columns if (apart or capitals) and _says_anything(columns) else []


def _under_ruler(row: str, below: str) -> _Columns:
    starts = [m.start() for m in _GROUP.finditer(below)]
    ends = [*starts[1:], max(len(row), len(below))]
    columns = [(row[s:e].strip(), s, e) for s, e in zip(starts, ends, strict=True)]
    return columns if _says_anything(columns) else []


def _says_anything(columns: _Columns) -> bool:
    return len(columns) >= 1 and (_is_pairs(columns) or any(kind_of(heading) for heading, _, _ in columns))


def _is_pairs(columns: _Columns) -> bool:
    said = [heading.lower() for heading, _, _ in columns if heading]
    return len(said) == 2 and said[0] in words("label", "keys") and said[1] in words("label", "values")


def _row(row: str, sign: str, columns: _Columns, at: int) -> Iterator[Labelled]:
    found = [(at + m.start(), at + m.end()) for m in re.finditer(rf"[^{sign}]+" if sign else r"\S+", row)]
    if sign:
        ends = [at - 1]
        for part in row.split(sign):
            ends.append(ends[-1] + len(part) + 1)
        found = [(a + 1, b) for a, b in pairwise(ends)]
    under = [
        next((place for place in found if place[0] < at + e and place[1] > at + s), None)
        if not sign
        else (found[s] if s < len(found) else None)
        for _, s, e in columns
    ]
    pairs = _is_pairs(columns)
    label = ""
    for (heading, _, _), place in zip(columns, under, strict=True):
        if place is None or not heading:
            continue
        raw = row[place[0] - at : place[1] - at]
        value = raw.strip(_EDGES)
        what = kind_of(label if pairs else heading)
        if what and value:
            start = place[0] + raw.index(value)
            yield Labelled(what, label if pairs else heading, start, start + len(value), raw != value)
        label = value


_WORD = re.compile(
    r"(?i:user|login|logname|owner|account|author|assignee|committer|identity|realname"
    r"|host|nodelist|node|server|machine|computer|workstation|fqdn"
    r"|csname|agent|runner|instance|actor|netbios name|by\b)"
    r"(?i:_?id|[ ._-]?name)?(?![A-Za-z])"
)
_LETTER = re.compile(r"[\w.-]")
_SIGN = re.compile(
    r"(?:[\"'\]\\*`]{0,4}(?P<sign>[ \t]{0,24}(?:\. ?){0,30}(?::|=>?|\uff1a)[ \t]{0,24})"
    r"|</(?i:key|th|td|dt|strong|b)>\s{0,20}<\w{1,10}>|(?P<tag>)>|(?P<gap>\t{1,4}|[ ]{3,40}))"
    r"(?P<open>[*]{0,2}[\\]{0,3}[\"'`\[<\u2018]{0,2}|[*]{0,2} ?`)"
    r"(?:(?P<domain>[A-Za-z][\w.-]{1,30})\\{1,2}|\\{2,4})?(?P<value>[^\W\d_][\w.-]{1,80}+)(?! ?=)"
    r"(?P<after>\[[0-9,-]{1,20}\])?(?P<more>\s?\(?)"
)


def labelled(text: str) -> Iterator[Labelled]:
    """Find values after the label of a user or a host and a sign: ``user=V``, ``Host Name . . : V``."""
    for word in _WORD.finditer(text):
        start = word.start()
        while start > 0 and word.end() - start < 40 and _LETTER.match(text[start - 1]):
            start -= 1
        label, before = text[start : word.end()], text[start - 1 : start]
        what = kind_of(label.lstrip("-"))
        match = _SIGN.match(text, word.end()) if what in (USER, HOST) and not is_column(label) else None
        if match is None or before in (("<",) if match["tag"] is None else ()) or before in ("$", "{", "%"):
            continue
        if match["gap"] and (text[:start].rpartition("\n")[2].strip() or label.isupper() or label.islower()):
            continue
        quoted = bool(match["open"]) or match["tag"] is not None
        if not quoted and (match["more"] == "(" or _is_code(text, match, what)):
            continue
        group = "domain" if match["domain"] and what == HOST else "value"
        end = match.start("value") + len(match["value"].rstrip(".-"))
        yield Labelled(what, label, match.start(group), match.end("after") if match["after"] else end, quoted)


def is_column(label: str) -> bool:
    """Return whether a label names an account only at the head of a column; a repository has an owner, too."""
    return label.lower() in words("label", "columns")


def _is_code(text: str, match: re.Match[str], what: str) -> bool:
    """Return whether the value is a variable: an argument (``user=user,``), or a part of an expression."""
    after = text[match.end("value") : match.end("value") + 1]
    argument = (match["sign"] or "").strip() == "=" and after in (",", ")") and what == USER
    return after in ("(", "[", "?", "$") or argument
