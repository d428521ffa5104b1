"""Campaigns as files: one self-contained page with plots and all runs, CSV tables, Parquet tables.

Text from models and users is never markup on the page: tables are escaped here, and the list of runs is data that the
page's script writes as text.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from planscope import __version__
from planscope.campaign.cases import LIMIT_RATE, case_id
from planscope.campaign.report import Cell, Report
from planscope.errors import UserError
from planscope.safe import visible
from planscope.safe.page_policy import policy_tag
from planscope.session.files import write_atomic
from planscope.wording import terms
from planscope.wording.phrases import interval, percent, share

Runs = Sequence[dict[str, Any]]
Rows = list[list[Any]]

COLUMNS = ("arm", "case", "actions", "topic", "verdict", "error_type", "helped", "lost", "calls", "model_calls",
           "input_tokens", "output_tokens", "seconds", "tries", "why")  # fmt: skip
"""The columns of the table of runs. ``lost``: a step, ``end``, or empty."""

COLOURS = ("#0b6bcb", "#c2410c", "#15803d", "#7c3aed", "#b91c1c", "#0f766e", "#a16207", "#be185d")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""Lines are told apart by dashes and marks as well as by colour."""

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 320, 48, 16, 16, 40


def tables(found: Report, runs: Runs) -> dict[str, Rows]:
    """Return the tables by name, each with its heading as the first row."""
    cells = [
        [c.arm, c.agent, c.model, c.timed, c.actions, c.runs, c.right, c.wrong, c.rate, *(c.ci or (None, None)),
         c.aborted, c.unknown, c.helped] for c in found.cells
    ]  # fmt: skip
    arms = [
        [name, arm.generated, arm.errors, arm.z3_checks, arm.z3_ms, arm.synthesis_ms, arm.agent_s, arm.input_tokens,
         arm.output_tokens, arm.money, found.limit[name], arm.dissected] for name, arm in found.arms.items()
    ]  # fmt: skip
    kinds = [
        [name, kind, count] for name, arm in found.arms.items() for kind, count in arm.error_types.items()
    ]
    causes = [[name, kind, count] for name, arm in found.arms.items() for kind, count in arm.causes.items()]
    topics = [[t.topic, t.caused, t.runs, t.wrong, t.rate, *(t.ci or (None, None))] for t in found.topics]
    return {
        "cells": [["arm", "agent", "model", "timed", "actions", "runs", "right", "wrong", "rate", "low", "high",
                   "aborted", "unknown", "helped"], *cells],
        "arms": [["arm", "generated", "errors", "z3_checks", "z3_ms", "synthesis_ms", "agent_s", "input_tokens",
                  "output_tokens", "money", "limit", "dissected"], *arms],
        "error_types": [["arm", "error_type", "runs"], *kinds],
        "causes": [["arm", "cause", "errors"], *causes],
        "topics": [["topic", "caused", "runs", "wrong", "rate", "low", "high"], *topics],
        "runs": [list(COLUMNS), *map(_run_row, runs)],
    }  # fmt: skip


def _run_row(row: dict[str, Any]) -> list[Any]:
    lost = "end" if row["lost"] == 0 else None if row["lost"] is None else str(row["lost"])
    return [
        row["arm_name"], case_id(row["n"], row["idx"]), row["n"], row["topic"], row["verdict"], row["error_type"],
        bool(row["helped"]), lost, row["calls"], row["model_calls"], row["input_tokens"], row["output_tokens"],
        row["seconds"], row["tries"], row["why"],
    ]  # fmt: skip


def write_csv(found: Sequence[Report], runs: Sequence[Runs], folder: Path) -> None:
    """Write each table as a CSV file (RFC 4180). Raises UserError if a file cannot be written."""

    def data(rows: Rows) -> bytes:
        out = io.StringIO()
        csv.writer(out).writerows([[_plain(value) for value in row] for row in rows])
        return out.getvalue().encode()

    _write(found, runs, folder, ".csv", data)


def _plain(value: Any) -> Any:
    """Return a value for a spreadsheet: a text that it would read as a formula begins with an apostrophe."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return "" if value is None else value


def write_parquet(found: Sequence[Report], runs: Sequence[Runs], folder: Path) -> None:
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
    found: Sequence[Report], runs: Sequence[Runs], folder: Path, suffix: str, data: Callable[[Rows], bytes]
) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}") from None
    for one, rows in zip(found, runs, strict=True):
        for name, table in tables(one, rows).items():
            stem = name if len(found) == 1 else f"{one.name}-{name}"
            write_atomic(folder / f"{stem}{suffix}", data(table))


# ---------------------------------------------------------------------- the page


def page(found: Sequence[Report], runs: Sequence[Runs]) -> str:
    """Return one page for one or several campaigns. It loads nothing, and its script is only the list of runs."""
    title = "Campaign " + ", ".join(one.name for one in found)
    body = [f"<h1>{_text(title)}</h1>"]
    listed = []
    for one, rows in zip(found, runs, strict=True):
        body += _campaign(one, several=len(found) > 1)
        listed += [_listed(row) for row in rows]
    data = json.dumps(listed, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    body.append(_LIST)
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"{policy_tag(_STYLE, _SCRIPT)}"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + f'\n<p class="quiet">Made by planscope {__version__}.</p></main>\n'
        f'<script type="application/json" id="runs">{data}</script>\n<script>{_SCRIPT}</script>\n</body></html>\n'
    )
    return page.encode("ascii", "xmlcharrefreplace").decode()


def _campaign(one: Report, *, several: bool) -> Iterator[str]:
    language = "with clock times" if one.timed else "without clock times"
    if several:
        yield f"<h2>{_text(one.name)}</h2>"
    yield f"<p>{one.cases} queries {language}, {one.runs} runs, seed {one.seed}.</p>"
    yield "<h3>Success rate by number of actions</h3>"
    agents = list(dict.fromkeys(cell.agent for cell in one.cells))
    if len(agents) == 1:  # one plot with a line a model says more than a plot for each
        yield plot(agents[0], [cell._replace(agent=cell.model) for cell in one.cells])
    else:
        for model in dict.fromkeys(cell.model for cell in one.cells):
            yield plot(model, [cell for cell in one.cells if cell.model == model])
    yield _table(
        ("agent/model", "actions", "right", "rate", "95 % interval", "aborted", "helped"),
        (
            (
                c.arm,
                c.actions,
                f"{c.right}/{c.right + c.wrong}",
                percent(c.rate),
                interval(c.ci),
                c.aborted,
                c.helped,
            )
            for c in one.cells
        ),
    )
    limits = (f"{arm}: {limit if limit is not None else 'none found'}" for arm, limit in one.limit.items())
    yield f"<p>Limit, the first number of actions with under 20 % right. {_text('; '.join(limits))}.</p>"
    yield "<h3>Errors and times</h3>"
    yield _table(
        ("agent/model", "runs", "wrong", "Z3 checks", "Z3 (s)", "synthesis (s)", "agent (s)", "tokens"),
        (
            (name, a.generated, a.errors, a.z3_checks, f"{a.z3_ms / 1000:.2f}", f"{a.synthesis_ms / 1000:.2f}",
             f"{a.agent_s:.1f}", a.input_tokens + a.output_tokens)
            for name, a in one.arms.items()
        ),
    )  # fmt: skip
    yield "<h3>Types of errors</h3><p>Of queries below the limit.</p>"
    yield _by_arm(one, "error_types", one.error_types, terms.said)
    yield "<h3>Causes</h3>"
    if one.dissected:
        yield f"<p>Of {one.dissected} dissected errors, of queries below the limit.</p>"
        yield _by_arm(one, "causes", one.causes, terms.cause)
    else:
        yield "<p>No error was dissected.</p>"
    yield "<h3>Topics</h3>"
    yield _table(
        ("topic", "caused", "wrong", "share", "95 % interval"),
        ((t.topic, t.caused, f"{t.wrong}/{t.runs}", percent(t.rate), interval(t.ci)) for t in one.topics),
    )


def plot(title: str, cells: Sequence[Cell]) -> str:
    """Return a plot as SVG: one line an agent with its band, and the 20 % line dashed (Figures 8 and 9)."""
    parts = [
        f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_text(f"success rates of {title}")}">',
        *_drawn(cells),
        "</svg><figcaption>",
        _text(title),
    ]
    for k, agent in enumerate(_agents(cells)):
        swatch = f'<svg class="key" viewBox="0 0 12 12">{_mark(k, 6, 6, COLOURS[k % len(COLOURS)])}</svg>'
        parts.append(f"<span>{swatch} {_text(agent)}</span>")
    parts.append("</figcaption></figure>")
    return "".join(parts)


def picture(title: str, cells: Sequence[Cell]) -> str:
    """Return the same plot as an SVG file that stands alone, with its legend in two columns below."""
    agents = _agents(cells)
    height = HEIGHT + 20 * ((len(agents) + 1) // 2) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{_text(title)}">'
        "<style>text{font:12px sans-serif}.grid{stroke:#ddd}.limit{stroke:#444;stroke-dasharray:4 4}</style>"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        *_drawn(cells),
    ]
    for k, agent in enumerate(agents):
        x, y = LEFT + k % 2 * (WIDTH - LEFT) / 2, HEIGHT + 16 + 20 * (k // 2)
        parts.append(_mark(k, x, y, COLOURS[k % len(COLOURS)]))
        parts.append(f'<text x="{x + 12:.0f}" y="{y + 4}">{_text(agent)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _agents(cells: Sequence[Cell]) -> list[str]:
    return list(dict.fromkeys(cell.agent for cell in cells if cell.rate is not None))


def _drawn(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the plot's elements."""
    shown = [cell for cell in cells if cell.rate is not None]
    ns = sorted({cell.actions for cell in shown}) or [2]
    low, high = ns[0], max(ns[-1], ns[0] + 1)

    def x(n: int) -> float:
        return LEFT + (n - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(rate: float) -> float:
        return TOP + (1 - rate) * (HEIGHT - TOP - BOTTOM)

    for step in range(0, 101, 20):
        at = y(step / 100)
        dashed = ' class="limit"' if step == round(LIMIT_RATE * 100) else ' class="grid"'
        yield f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}"{dashed}/>'
        yield f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{step} %</text>'
    for n in range(low, high + 1, max(1, (high - low) // 12)):
        yield f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{n}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 4}" text-anchor="middle">actions</text>'
    for k, agent in enumerate(_agents(shown)):
        line = [cell for cell in shown if cell.agent == agent]
        colour, dash = COLOURS[k % len(COLOURS)], DASHES[k // len(COLOURS) % len(DASHES)]
        upper = [f"{x(c.actions):.1f},{y(c.ci[1]):.1f}" for c in line if c.ci]
        lower = [f"{x(c.actions):.1f},{y(c.ci[0]):.1f}" for c in reversed(line) if c.ci]
        yield f'<polygon points="{" ".join(upper + lower)}" fill="{colour}" fill-opacity="0.12"/>'
        points = [(x(c.actions), y(c.rate or 0.0)) for c in line]
        joined = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        yield f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        yield "".join(_mark(k, a, b, colour) for a, b in points)


def _mark(k: int, a: float, b: float, colour: str) -> str:
    """Return the mark of the k-th line, whose shape tells it apart without colour."""
    shapes = (
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>',
        f'<rect x="{a - 3.5:.1f}" y="{b - 3.5:.1f}" width="7" height="7" fill="{colour}"/>',
        f'<path d="M{a:.1f} {b - 5:.1f}l5 9h-10z" fill="{colour}"/>',
        f'<path d="M{a:.1f} {b - 5:.1f}l5 5-5 5-5-5z" fill="{colour}"/>',
    )
    return shapes[k % len(shapes)]


def _listed(row: dict[str, Any]) -> list[Any]:
    kind = row["error_type"] or row["verdict"]
    lost = "" if row["lost"] is None else "the end" if row["lost"] == 0 else f"step {row['lost']}"
    name = case_id(row["n"], row["idx"])
    return [
        name,
        visible(row["arm_name"]),
        visible(row["topic"]),
        terms.said(kind),
        row["verdict"],
        lost,
        row["calls"],
    ]


def _by_arm(one: Report, field: str, kinds: dict[str, int], name: Callable[[str], str]) -> str:
    def row(arm: str) -> tuple[Any, ...]:
        counts: dict[str, int] = getattr(one.arms[arm], field)
        return arm, *(share(counts.get(kind, 0), sum(counts.values())) for kind in kinds)

    return _table(("agent/model", *map(name, kinds)), map(row, one.arms)) if kinds else "<p>None.</p>"


def _table(heading: Sequence[str], rows: Any) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in heading)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _text(value: Any) -> str:
    return html.escape(visible(str(value)), quote=True)


_LIST = """<h2>Runs</h2>
<p><label>Filter <input id="filter" placeholder="n5, wrong, a topic ..." autocomplete="off"></label>
<span id="count" class="quiet"></span></p>
<div class="wide"><table><thead><tr><th>case</th><th>agent/model</th><th>topic</th><th>outcome</th><th>lost at</th>
<th>calls</th></tr></thead><tbody id="list"></tbody></table></div>
<p class="quiet">planscope campaign show NAME CASE --arm AGENT/MODEL -o FILE writes one as a session.</p>"""

_SCRIPT = re.sub(
    r"\n\s+",
    "\n",
    """"use strict";
    const runs = JSON.parse(document.getElementById("runs").textContent), most = 200;
    const list = document.getElementById("list"), field = document.getElementById("filter");
    const words = runs.map(r => (r[0] + " " + r[1] + " " + r[2] + " " + r[3] + " " + r[4]).toLowerCase());
    function draw() {
      const wanted = field.value.toLowerCase().split(/\\s+/).filter(Boolean), rows = [];
      let found = 0;
      for (let i = 0; i < runs.length; i++) {
        if (!wanted.every(w => words[i].includes(w))) continue;
        found++;
        if (rows.length < most) rows.push(runs[i]);
      }
      list.replaceChildren(...rows.map(r => {
        const row = document.createElement("tr");
        for (const k of [0, 1, 2, 3, 5, 6]) row.insertCell().textContent = r[k];
        return row;
      }));
      const shown = found > most ? ", the first " + most + " are shown" : "";
      document.getElementById("count").textContent = found + " of " + runs.length + " runs" + shown;
    }
    field.addEventListener("input", draw);
    draw();""",
)

_STYLE = re.sub(
    r"\n\s+",
    "\n",
    """:root { color-scheme: light dark; }
    body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
    main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { margin-top: 2rem; } .quiet { opacity: 0.7; }
    .wide { overflow-x: auto; } table { border-collapse: collapse; }
    td, th { padding: 0.15rem 0.6rem 0.15rem 0; text-align: left; white-space: nowrap; }
    th { border-bottom: 1px solid; font-weight: 600; } td { font-variant-numeric: tabular-nums; }
    figure { margin: 1rem 0; } figure > svg { width: 100%; max-width: 40rem; }
    svg text { font-size: 12px; fill: currentColor; }
    figcaption { display: flex; flex-wrap: wrap; gap: 1rem; } .key { width: 0.8rem; height: 0.8rem; }
    .grid { stroke: currentColor; stroke-opacity: 0.15; } .limit { stroke: currentColor; stroke-dasharray: 4 4; }
    input { font: inherit; }""",
)
