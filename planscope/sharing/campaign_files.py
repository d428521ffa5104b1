"""Campaigns as files: one page with plots and all runs, CSV tables, Parquet tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from planscope.campaign.result import CampaignReportDocument
from planscope.document import Document
from planscope.documents.campaign import CampaignCaseDocument
from planscope.errors import UserError
from planscope.session.files import write_atomic
from planscope.show.blocks import Block, Heading, Para
from planscope.show.page import page
from planscope.views.campaign import case_table, report_blocks

Runs = Sequence[Mapping[str, Any]]
"""Rows of the database's table of runs."""
Rows = list[list[object]]


def campaign_page(found: Sequence[CampaignReportDocument], runs: Sequence[Runs]) -> str:
    """Return one page for one or several campaigns, whose runs can be searched."""
    blocks: list[Block] = [block for one in found for block in report_blocks(one)]
    cases = [CampaignCaseDocument.about(row) for rows in runs for row in rows]
    blocks += [
        Heading("Runs"),
        case_table(cases, "Filter"),
        Para("planscope campaign show NAME CASE --arm AGENT/MODEL -o FILE writes one as a session."),
    ]
    return page("Campaign " + ", ".join(one.name for one in found), blocks)


def tables(found: CampaignReportDocument, runs: Runs) -> dict[str, Rows]:
    """Return the tables by name, each with its heading as the first row."""
    arms = [{"arm": name, "limit": found.limit[name], **_flat(arm)} for name, arm in found.arms.items()]

    def counts(name: str, kind: str, count: str) -> Rows:
        each = ((arm["arm"], *one) for arm in arms for one in arm[name].items())
        return [["arm", kind, count], *map(list, each)]

    return {
        "cells": _sheet(
            "arm agent model timed actions runs right wrong rate low high aborted unknown helped",
            map(_flat, found.cells),
        ),
        "arms": _sheet(
            "arm generated errors z3_checks z3_ms synthesis_ms agent_s input_tokens output_tokens money limit "
            "dissected",
            arms,
        ),
        "error_types": counts("error_types", "error_type", "runs"),
        "causes": counts("causes", "cause", "errors"),
        "topics": _sheet("topic caused runs wrong rate low high", map(_flat, found.topics)),
        "runs": _sheet(
            "arm case actions topic verdict error_type helped lost calls model_calls input_tokens output_tokens "
            "seconds tries why",
            (row | _told(CampaignCaseDocument.about(row)) for row in map(dict, runs)),
        ),
    }


def _sheet(columns: str, records: Iterable[Mapping[str, Any]]) -> Rows:
    names = columns.split()
    return [list(names), *([record[name] for name in names] for record in records)]


def _flat(document: Document) -> dict[str, Any]:
    """Return the fields of a document, with an interval as two."""
    fields = document.model_dump()
    fields["low"], fields["high"] = fields.pop("ci", None) or (None, None)
    return fields


def _told(case: CampaignCaseDocument) -> dict[str, Any]:
    return case.model_dump() | {"lost": None if case.lost is None else str(case.lost)}


def write_csv(found: Sequence[CampaignReportDocument], runs: Sequence[Runs], folder: Path) -> None:
    """Write each table as a CSV file (RFC 4180). Raises UserError if a file cannot be written."""

    def data(rows: Rows) -> bytes:
        out = io.StringIO()
        csv.writer(out).writerows([[_plain(value) for value in row] for row in rows])
        return out.getvalue().encode()

    _write(found, runs, folder, ".csv", data)


def _plain(value: object) -> object:
    """Return a value for a spreadsheet: a text that it would read as a formula begins with an apostrophe."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return "" if value is None else value


def write_parquet(found: Sequence[CampaignReportDocument], runs: Sequence[Runs], folder: Path) -> None:
    """Write each table as a Parquet file. Raises UserError if pyarrow is missing, or a file cannot be written."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UserError("--parquet needs a package; install it with: pip install '.[campaign]'") from None

    def data(rows: Rows) -> bytes:
        heading, *body = rows
        columns = {name: [row[k] for row in body] for k, name in enumerate(heading)}
        sink = pyarrow.BufferOutputStream()
        parquet.write_table(pyarrow.table(columns), sink)
        return bytes(sink.getvalue())

    _write(found, runs, folder, ".parquet", data)


def _write(
    found: Sequence[CampaignReportDocument],
    runs: Sequence[Runs],
    folder: Path,
    suffix: str,
    data: Callable[[Rows], bytes],
) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}") from None
    for one, rows in zip(found, runs, strict=True):
        for name, table in tables(one, rows).items():
            stem = name if len(found) == 1 else f"{one.name}-{name}"
            write_atomic(folder / f"{stem}{suffix}", data(table))
