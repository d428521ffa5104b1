"""Writes a campaign's results as lines of text (Tables 2 to 7 of the paper).

Apart from ``campaign.py``, because it needs modules that ``--help`` should not import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from planscope.campaign.cases import case_id
from planscope.campaign.paired import Compared
from planscope.campaign.report import Report
from planscope.report import table
from planscope.stats import LEVEL
from planscope.wording import terms
from planscope.wording.phrases import duration, interval, p_value, percent, share

MOST_TOPICS = 5
"""The paper shows five topics (Table 5)."""

BAR = 20
FULL, HALF, EMPTY = "█", "▌", "·"


def text_lines(found: Report) -> Iterator[str]:
    """Yield the whole report."""
    language = "with clock times" if found.timed else "without clock times"
    yield f"Campaign {found.name}: {found.cases} queries {language}, {found.runs} runs, seed {found.seed}"
    yield ""
    yield from rate_lines(found)
    yield ""
    yield from effect_lines(found)
    yield ""
    yield from error_lines(found)
    yield ""
    yield from cause_lines(found)
    yield ""
    yield from topic_lines(found)


def rate_lines(found: Report) -> Iterator[str]:
    """Yield the success rates by number of actions (Figures 8 and 9), and each arm's limit."""
    rows = [("agent/model", "actions", "right", "rate", "95 % interval", "", "aborted", "helped")]
    for cell in found.cells:
        bar = "" if cell.rate is None else bar_of(cell.rate)
        judged = f"{cell.right}/{cell.right + cell.wrong}"
        rows.append(
            (
                cell.arm,
                str(cell.actions),
                judged,
                percent(cell.rate),
                interval(cell.ci),
                bar,
                str(cell.aborted or ""),
                str(cell.helped or ""),
            )
        )
    yield from _tidy(rows)
    for arm, limit in found.limit.items():
        yield (
            f"{arm}: limit {limit} actions (fewer than 20 % are right)"
            if limit is not None
            else f"{arm}: no limit found"
        )


def bar_of(rate: float) -> str:
    """Return a rate as a bar, with a mark at 20 %."""
    halves = round(rate * BAR * 2)
    bar = FULL * (halves // 2) + HALF * (halves % 2)
    return bar + EMPTY * (BAR - len(bar))


def effect_lines(found: Report) -> Iterator[str]:
    """Yield errors, Z3's checks and the times of each arm (Table 2)."""
    rows = [("agent/model", "runs", "wrong", "Z3 checks", "Z3", "synthesis", "agent", "tokens", "money")]
    for name, arm in found.arms.items():
        tokens = arm.input_tokens + arm.output_tokens
        rows.append(
            (
                name,
                str(arm.generated),
                share(arm.errors, arm.generated),
                str(arm.z3_checks),
                duration(arm.z3_ms / 1000),
                duration(arm.synthesis_ms / 1000),
                duration(arm.agent_s),
                str(tokens or "-"),
                "-" if arm.money is None else f"{arm.money:.2f}",
            )
        )
    yield from _tidy(rows)


def error_lines(found: Report) -> Iterator[str]:
    """Yield the types of errors of each arm (Tables 3 and 6)."""
    yield "Types of errors, of queries below the limit"
    kinds = list(found.error_types)
    if not kinds:
        yield "  no errors"
        return
    rows: list[tuple[str, ...]] = [("agent/model", *(terms.said(kind) for kind in kinds))]
    for name, arm in found.arms.items():
        total = sum(arm.error_types.values())
        rows.append((name, *(share(arm.error_types.get(kind, 0), total) for kind in kinds)))
    yield from _tidy(rows)


def cause_lines(found: Report) -> Iterator[str]:
    """Yield the causes of dissected errors (Tables 4 and 7)."""
    if not found.dissected:
        yield f"Causes: no error was dissected yet; planscope campaign dissect {found.name}"
        return
    yield f"Causes of {found.dissected} dissected errors, of queries below the limit"
    kinds = list(found.causes)
    rows: list[tuple[str, ...]] = [("agent/model", *(terms.cause(kind) for kind in kinds), "dissected")]
    for name, arm in found.arms.items():
        rows.append(
            (name, *(share(arm.causes.get(kind, 0), arm.dissected) for kind in kinds), str(arm.dissected))
        )
    yield from _tidy(rows)


def topic_lines(found: Report) -> Iterator[str]:
    """Yield the topics with most errors (Table 5)."""
    yield "Topics, by errors that the topic causes, then by the share of wrong runs"
    rows = [("topic", "caused", "wrong", "share", "95 % interval")]
    for one in found.topics[:MOST_TOPICS]:
        rows.append(
            (one.topic, str(one.caused), f"{one.wrong}/{one.runs}", percent(one.rate), interval(one.ci))
        )
    yield from _tidy(rows)
    if found.dissected:
        yield f"{sum(not one.caused for one in found.topics)} of {len(found.topics)} topics cause no dissected error"


def case_lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield runs as a table."""
    if not rows:
        yield "no such runs"
        return
    heading = ("case", "agent/model", "topic", "outcome", "lost at", "calls")
    yield from _tidy(
        [
            heading,
            *(
                (
                    case_id(row["n"], row["idx"]),
                    row["arm_name"],
                    row["topic"],
                    terms.said(row["error_type"]) if row["error_type"] else terms.said(row["verdict"]),
                    "" if row["lost"] is None else f"step {row['lost']}" if row["lost"] else "the end",
                    str(row["calls"]),
                )
                for row in rows
            ),
        ]
    )


def compared_lines(found: Compared, detect: float | None) -> Iterator[str]:
    """Yield the comparison of two arms."""
    if found.p is None or found.ci is None or found.difference is None:
        yield f"{found.a} and {found.b} have no judged case in common"
    else:
        judged = "better" if found.difference > 0 else "worse"
        said = f"{found.b} is {judged}" if found.p < LEVEL else "no difference was found"
        size, low, high = (f"{100 * part:+.1f} %" for part in (found.difference, *found.ci))
        yield f"{said}: {size} (95 % interval {low} to {high}, {p_value(found.p)})"
        yield (
            f"{found.pairs} cases: {found.both} right in both, {found.only_a} only with {found.a}, {found.only_b} only "
            f"with {found.b}, {found.neither} with neither"
        )
        if found.left_out:
            yield f"{found.left_out} more cases were left out: a run of them was aborted, undecided or helped"
    if found.needed is not None:
        size = "this difference" if detect is None else f"a difference of {percent(detect)}"
        yield f"{found.needed} cases find {size} with 80 % power"
    yield found.method


def _tidy(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Return a table without the columns that are empty in every row below the heading."""
    kept = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    return table([[row[k] for k in kept] for row in rows])
