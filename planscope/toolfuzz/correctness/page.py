"""Sets of prompts on the web page: the checks, the buckets side by side, and which words led to which call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from planscope.toolfuzz.correctness.baselines import Tried, outcome_of
from planscope.toolfuzz.correctness.checks import PromptSet
from planscope.toolfuzz.correctness.said import (
    agreed_and_wrong,
    checks,
    difference_rows,
    difference_title,
    input_lines,
    matrix_rows,
    number_of,
    output_lines,
    output_title,
    pieces,
    prompts_of,
    verdict,
)
from planscope.toolfuzz.markup import safe_html

STYLE = """
.buckets { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.2rem } .buckets > div { min-width: 0 }
.buckets pre { margin: .2rem 0 .8rem } .buckets h3 { font-size: 1rem } .bad { color: #b00 }
.wide { width: 100% } .wide td { padding-right: .8rem } .wide td, .wide th { border-top: 1px solid #8884 }
.wide td { overflow-wrap: anywhere } .wide .where { overflow-wrap: normal; min-width: 5.5rem }
 .wide .number { text-align: right; overflow-wrap: normal }
mark { background: #fe9; color: #222; border-radius: .2rem; padding: 0 .15rem }
.scroll { overflow-x: auto } a { color: inherit }
@media (max-width: 45rem) { .buckets { grid-template-columns: 1fr } }
@media (prefers-color-scheme: dark) { .bad { color: #f77 } mark { background: #665500; color: #fff } }
"""


def sections(sets: Sequence[PromptSet], matrix: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """Yield the page's part about sets of prompts, in which nothing is cut."""
    if not sets:
        return
    faulty = sum(one.faulty for one in sets)
    yield f"<h2>Prompts that mean the same</h2><p>{len(sets):,} sets of prompts, {faulty:,} faulty. A set is faulty if "
    yield f"inputs differ, outputs differ, and the oracle fails.</p><p>{agreed_and_wrong(sets)}</p>"
    if len(matrix) > 1:
        yield from _matrix(matrix)
    for k, one in enumerate(sets, 1):
        yield from _set(one, k)


def _matrix(matrix: Sequence[Mapping[str, object]]) -> Iterator[str]:
    head, *rows = matrix_rows(matrix)
    yield (
        '<h3>Tools that were called</h3><div class="scroll"><table><tr>'
        + "".join(f"<th>{safe_html(c)}</th>" for c in head)
        + "</tr>"
    )
    for row in rows:
        yield "<tr>" + "".join(f"<td>{safe_html(cell)}</td>" for cell in row) + "</tr>"
    yield "</table></div>"


def _set(one: PromptSet, number: int) -> Iterator[str]:
    bad = ' class="bad"' if one.faulty else ""
    yield f'<h2 id="set{number}">Set {number}, {safe_html(one.tool)}: <span{bad}>{verdict(one)}</span></h2>'
    yield f"<p>{safe_html(one.template)}<br>{safe_html(', '.join(checks(one)))}</p>"
    if one.expectation:
        yield f"<p>Expected: {safe_html(one.expectation)}</p>"
    for difference in one.differences:
        yield f'<p>{safe_html(difference_title(difference))}:</p><table class="wide">'
        for words, value, numbers in difference_rows(difference, one):
            yield f"<tr><td>{safe_html(words)}</td><td><code>{safe_html(value)}</code></td>"
            yield f'<td class="where">{numbers}</td></tr>'
        yield "</table>"
    if told := output_title(one):
        yield f"<p>{safe_html(told)}</p>"
    yield '<div class="buckets"><div><h3>Calls</h3>'
    for k, bucket in enumerate(one.inputs, 1):
        yield f"<div>call {k}: {prompts_of(bucket.prompts)}</div>"
        yield f"<pre>{safe_html(chr(10).join(input_lines(bucket)))}</pre>"
    yield "</div><div><h3>Outputs of the tool</h3>"
    for k, bucket in enumerate(one.outputs, 1):
        yield f"<div>output {k}: {prompts_of(bucket.prompts)}</div>"
        yield f"<pre>{safe_html(chr(10).join(output_lines(bucket)))}</pre>"
    yield "</div></div>"
    yield from _prompts(one)


def _prompts(one: PromptSet) -> Iterator[str]:
    names = ("", "prompt", "answer", "call", "output", "score")
    yield f'<table class="wide"><tr>{"".join(f"<th>{name}</th>" for name in names)}</tr>'
    for k, run in enumerate(one.runs, 1):
        text = "".join(
            f'<mark title="{safe_html(piece.placeholder)}">{safe_html(piece.text)}</mark>'
            if piece.placeholder
            else safe_html(piece.text)
            for piece in pieces(run)
        )
        said = run.answer or "" if run.error is None else f"no data: {run.error}"
        score = "unjudged" if run.score is None else f"{run.score}"
        cells = (number_of(one.inputs, k), number_of(one.outputs, k), score if run.answered else "no data")
        reason = f"<br>{safe_html(run.reason)}" if run.reason else ""
        yield f'<tr><td class="number">{k}</td><td>{text}</td><td>{safe_html(said)}{reason}</td>'
        yield "".join(f'<td class="number">{"" if c is None else c}</td>' for c in cells) + "</tr>"
    yield "</table>"


def tried_section(tried: Sequence[Tried], method: str) -> Iterator[str]:
    """Yield the page's part about the prompts of a baseline."""
    if not tried:
        return
    yield f"<h2>Prompts of the baseline, {safe_html(method)}</h2>"
    names = ("tool", "prompt", "calls", "answer", "judge")
    yield f'<table class="wide"><tr>{"".join(f"<th>{name}</th>" for name in names)}</tr>'
    for one in tried:
        calls = "\n".join(f"{c.tool} {json.dumps(c.arguments)}: {c.output or ''}" for c in one.run.calls)
        said = f"no data: {one.run.error}" if one.run.error else f"{outcome_of(one)} {one.run.reason}"
        cells = (one.tool, one.run.prompt, calls, one.run.answer or "", said)
        yield "<tr>" + "".join(f"<td>{safe_html(cell)}</td>" for cell in cells) + "</tr>"
    yield "</table>"
