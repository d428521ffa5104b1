"""All that the debugger tells of some runs and drafts, step by step and place by place.

``PLANSCOPE_UPDATE_READINGS=1`` writes ``told.txt`` anew; look at the difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from planscope.debugger import cursor, draft, stops
from planscope.debugger.breakpoints import load_breakpoints
from planscope.debugger.completion import complete, take
from planscope.debugger.cursor import DebugState, open_run
from planscope.debugger.draft import Draft
from planscope.debugger.draft_reading import mentions, read_draft, rename_action, solve, where_named
from planscope.debugger.errors import DebuggerError
from planscope.debugger.linked import Links
from planscope.debugger.offers import breakpoint_offers, matching, watch_offers
from planscope.debugger.paused_call import PausedCall
from planscope.debugger.played import begin, options, outcome, play, restart, undo
from planscope.debugger.run_index import RunIndex
from planscope.debugger.search import Haystack, call_text, documents, next_hit, previous_hit, show_hit
from planscope.debugger.selection import (
    SelectedAction,
    SelectedConstraint,
    SelectedNode,
    SelectedStep,
    SelectedWords,
    Selection,
)
from planscope.debugger.survival import counts_left, curve
from planscope.debugger.watches import load_watches, look
from planscope.language.problem import make_actions
from planscope.language.reading import Reading, read_query
from planscope.oracle.replay import replay
from planscope.oracle.trace import RESTART_TOOL, ToolCall, Trace
from planscope.safe import visible

EXPECTED = Path(__file__).with_name("told.txt")
WORDS = "Network audit precedes disk check, which follows cable survey. Rest is after cable survey."
HOURS = "Network audit comes before disk check, which happens before 15:00. Rest follows 9:00."
NAMES = ("network audit", "disk check", "cable survey", "rest")


def request(text: str, timed: bool) -> Reading:
    return read_query(text, make_actions(NAMES, [2, 3, 1, 4] if timed else None), timed=timed)


def calls(said: str) -> tuple[ToolCall, ...]:
    """``"network_audit@8 restart rest?"``: tools, with their hours; ``rest?`` is one that could not be read."""
    made = []
    for word in said.split():
        tool, _, hour = word.partition("@")
        arguments: dict[str, Any] | None = {"start_time": int(hour)} if hour else {}
        if tool.endswith("?"):
            made.append(ToolCall(tool[:-1], None, error="no JSON"))
        else:
            made.append(ToolCall(RESTART_TOOL if tool == "restart" else tool, arguments))
    return tuple(made)


RUNS = (
    (WORDS, False, "cable_survey network_audit disk_check rest", "stopped"),
    (WORDS, False, "network_audit disk_check ghost rest? cable_survey network_audit", "stopped"),
    (WORDS, False, "cable_survey rest", "running"),
    (HOURS, True, "cable_survey@0 network_audit@8 disk_check@10 rest@20", "stopped"),
    (HOURS, True, "disk_check@13 restart network_audit@8 rest@8 disk_check@10 disk_check", "stopped"),
)
STOPS = (
    "tool disk_check", "step 2", "step end", "3", "breaks", "breaks c1", "lost", "error", "error order_error",
    "when state == possible", "when c1 == holds", "when valid_completions < 3", "when step >= 2",
    "when step == end", "when attempt > 1", "when a1.place != none", "when network_audit.start < 9",
    "when c9 == holds", "tool nothing", "step 99", "error nothing", "zork", "", "lost x", "when valid_completions",
)  # fmt: skip
WATCHES = (
    "state", "step", "attempt", "valid_completions", "a1.place", "rest.place", "c1", "b2", "a2.start", "disk_check.end",
    "step < 3", "valid_completions == many", "c1 != open", "a1.place <= a2.place", "zork", "a1.zork", "state <",
)  # fmt: skip


def or_error(work: Callable[[], Any]) -> str:
    try:
        made = work()
        if not isinstance(made, Draft):
            return str(made)
        actions = [f"{a.id} {a.name} {a.tool} {a.duration}" for a in made.actions]
        return f"{actions} {made.text!r} {made.seconds} {made.model_calls} {made.longest}"
    except DebuggerError as error:
        return f"({error})"


def of_run(reading: Reading, run: RunIndex) -> Iterator[str]:
    breakpoints, wrong = load_breakpoints(STOPS, run)
    yield from wrong
    for one in breakpoints:
        yield f"{one}: {stops.hits(one, run) if 'when' not in str(one) else ''} {stops.hit_steps(one, run)}"
    watches, wrong = load_watches(WATCHES, run.problem)
    yield from wrong
    for index in range(len(run.steps)):
        said = stops.reasons(run, index, breakpoints)
        yield f"{index}: {said} {stops.in_words(said, run.problem)}"
        looked = [look(watch, run, index) for watch in watches]
        yield "  " + ", ".join(f"{one.text} {one.value}{'*' * one.changed}" for one in looked)
        state = open_run(run.judged, index)
        for plain in (breakpoints[:4], breakpoints):
            there = stops.continue_forward(state, plain), stops.continue_back(state, plain)
            yield f"  {[one.index for one in there]}"
    yield f"marks {sorted(stops.marks(run, breakpoints))} counts {counts_left(run)}"
    for width in (1, 3, len(run.steps), 40):
        yield f"curve {[(one.glyph, one.first, one.last) for one in curve(counts_left(run), run.doomed, width)]}"
    yield from (f"offer {one.text}: {one.about}" for one in breakpoint_offers(run))
    yield from (f"watch {one.text}: {one.about}" for one in watch_offers(run.problem))
    for typed in ("b", "disk", "when st", "zork"):
        yield f"{typed}: {[one.text for one in matching(breakpoint_offers(run), typed)]}"


def of_cursor(run: RunIndex) -> Iterator[str]:
    def told(state: DebugState) -> str:
        return f"{state.index} {state.check} {state.checked} {cursor.focus(state)}"

    state = open_run(run.judged)
    for move in (cursor.next_check, cursor.previous_check, cursor.next_call, cursor.previous_call):
        for start in (cursor.go_start(state), cursor.go_end(state)):
            here, seen = start, []
            for _ in range(2 * len(run.steps)):
                here = move(here)
                seen.append(f"{here.index}.{here.check}")
            yield f"{move.__name__} {' '.join(seen)} {told(here)}"
    yield told(cursor.first_violation(state))
    for text in ("0", "2", "start", "END", "step 3", "99", "-1", "x", ""):
        yield f"{text!r} {or_error(lambda text=text: cursor.parse_step(run, text))}"
    for record in (
        {"index": 2},
        {"index": 2, "check": 0},
        {"index": 2, "check": 9},
        {"index": 99},
        {"index": "2"},
    ):
        yield f"{record} {cursor.cursor_record(cursor.restore_cursor(state, record))}"


def of_links(reading: Reading, run: RunIndex) -> Iterator[str]:
    links = Links(reading.text, reading.problem, reading.outline)
    edges = sorted({edge for c in reading.problem.said for span in c.spans for edge in span})
    chosen: list[Selection] = [SelectedWords(span) for span in pairwise(edges)]
    chosen += [
        SelectedWords((0, 0)),
        SelectedWords((edges[-1] - 1, edges[-1] + 1)),
        SelectedWords((0, edges[-1])),
    ]
    chosen += [SelectedNode(node.path) for node in reading.outline]
    chosen += [SelectedConstraint(c.id) for c in reading.problem.constraints]
    chosen += [SelectedAction(a.id) for a in reading.problem.actions]
    chosen += [SelectedStep(index) for index in range(len(run.steps))]
    for one in chosen:
        lit = links.lit(one, run)
        words = "|".join(reading.text[a:b] for a, b in lit.spans)
        yield f"{one}: {words} {sorted(map(str, lit.nodes))} {sorted(lit.constraints)} {sorted(lit.steps)}"
        if links.lit(one).spans != lit.spans:
            yield f"  without a run {links.lit(one).spans}"
    for action in reading.problem.actions:
        yield f"{action.id} {links.mentions(action.id)}"


def of_search(reading: Reading, run: RunIndex) -> Iterator[str]:
    found = documents(
        reading.text,
        run,
        plain={"c1": "GRÜSSE first"},
        answers={1: "Größe İ done", 3: ""},
        thoughts={2: "I think of the disk"},
    )
    haystack = Haystack(found)
    state = open_run(run.judged)
    for needle in ("disk", "SS", "c1", "step", "i", "", "nothing"):
        search = haystack.find(needle)
        hits = [
            f"{h.document.kind}{h.document.index or h.document.constraint or ''}{h.span}" for h in search.hits
        ]
        yield f"{needle} {hits} {search.at}"
        for moved in (search, next_hit(search), previous_hit(search)):
            shown = show_hit(state, moved)
            yield f"  {moved.at} {shown.index} {shown.selection}"
    yield " ".join(call_text(call) for call in run.judged.trace.calls)


def of_play(run: RunIndex) -> Iterator[str]:
    for index in range(len(run.judged.trace.calls) + 1):
        played = begin(run.judged, index)
        yield f"{index} {played.index} {played.view.state}"
        yield from (f"  {one}" for one in options(played))
    for action in ("a3", "a1", "a2", "a2"):
        played = play(played, action) if index else played
        yield f"{[call_text(one) for one in played.calls]} {played.view.state} {outcome(played, 'a4').state}"
    yield f"{len(undo(played).calls)} {or_error(lambda: restart(played).index)}"
    yield or_error(lambda: play(played, "a9"))
    for tool in ("disk_check", "ghost"):
        paused = PausedCall(run.judged, 2, tool)
        for text in ("{}", '{"start_time": 10}', '{"start_time": 99, "x": 1}', "{", '{"start_time": "x"}'):
            yield f"{tool} {text} {paused.judge(text)}"


DRAFTS = ("Network audit pr", "Network audit precedes disk check, wh", "Befor disk check, cabel survey happens. Re",
          "First rest, then ", "Network audit and disk check come be", "rest is carried out after 1")  # fmt: skip


def of_completion(timed: bool) -> Iterator[str]:
    for text in (*DRAFTS, WORDS):
        for at in range(0, len(text) + 1, 5 if text == WORDS else 3):
            made = complete(Draft(text, make_actions(NAMES, [1] * 4 if timed else None), timed), at)
            offers = [f"{o.text}/{o.kind}{o.span}{'~' * o.nearest}" for o in made.offers[:6]]
            yield f"{text[:at]!r}: {len(made.offers)} {offers} {made.common!r} {made.expected}"
            if made.offers:
                yield f"  {take(text, made.offers[0])}"


def of_drafts(timed: bool) -> Iterator[str]:
    before = request(HOURS if timed else WORDS, timed).problem
    made = Draft(before.text, before.actions, timed)
    steps: list[tuple[str, Callable[[], Draft]]] = [
        ("add", lambda: draft.add_action(made, " New  thing ")),
        ("add hours", lambda: draft.add_action(made, "thing", 24, ["a9", "x"])),
        ("add known", lambda: draft.add_action(made, "Rest")),
        ("add nothing", lambda: draft.add_action(made, " ")),
        ("add long", lambda: draft.add_action(made, "x" * 999)),
        ("add 25 hours", lambda: draft.add_action(made, "thing", 25)),
        ("drop", lambda: draft.drop_action(made, "a2")),
        ("drop unknown", lambda: draft.drop_action(made, "a9")),
        ("drop last", lambda: draft.drop_action(Draft("x", made.actions[:1], timed), "a1")),
        ("restore", lambda: draft.restore_action(draft.drop_action(made, "a2"), made.actions[1])),
        ("hours", lambda: draft.set_hours(made, "a1", 24)),
        ("no hours", lambda: draft.set_hours(made, "a1", 0)),
        ("limits", lambda: draft.set_limits(made, 0.5, 1)),
        ("most limits", lambda: draft.set_limits(made, 1.0, 1_000_000)),
        ("no time", lambda: draft.set_limits(made, 0, 5)),
        ("no calls", lambda: draft.set_limits(made, 5, 0)),
        ("too many calls", lambda: draft.set_limits(made, 5, 1_000_001)),
        ("timed", lambda: draft.set_timed(made, True)),
        ("not timed", lambda: draft.set_timed(made, False)),
        ("rename", lambda: rename_action(made, "a2", "hard disk check")),
        ("rename to another", lambda: rename_action(made, "a2", "rest")),
    ]
    for name, step in steps:
        yield f"{name}: {or_error(step)}"
    texts = (made.text, "Rest precedes disk check. Disk check precedes rest.", "Zork precedes rest. Rest is last.",
             "Network audit precedes disk chek.", "", f"{made.text} Network audit is before rest.")  # fmt: skip
    for text in texts:
        seen = read_draft(Draft(text, made.actions, timed), before)
        yield f"{text!r}: {seen.readable} {seen.why_not} {seen.quick} {seen.new_action!r} {solve(seen)}"
        yield "  " + ", ".join(f"{row.became} {row.constraint.text}" for row in seen.rows)
        yield f"  {seen.count('added')} {seen.count('gone')} {seen.sentences} {[tuple(k) for k in seen.known]}"
        if seen.problem is not None:
            yield f"  {[seen.words_of(c) for c in seen.problem.constraints]}"
        spans = mentions(seen.draft, "a2")
        yield f"  {spans} {where_named(spans, seen.sentences)} {where_named(spans * 3, seen.sentences, 2)}"


def everything() -> str:
    rows: list[str] = []
    for text, timed, said, ending in RUNS:
        reading = request(text, timed)
        run = RunIndex(replay(reading.problem, Trace(calls(said), ending)))
        rows += [f"== {said} {ending}", *of_run(reading, run), *of_cursor(run), *of_search(reading, run)]
        rows += [*of_links(reading, run), *of_play(run)]
    for timed in (False, True):
        rows += [f"== drafts{' timed' * timed}", *of_completion(timed), *of_drafts(timed)]
    return "\n".join(visible(row).rstrip() for row in rows) + "\n"


def test_all_that_is_told() -> None:
    made = everything()
    if os.environ.get("PLANSCOPE_UPDATE_READINGS"):
        EXPECTED.write_text(made, encoding="utf-8")
    assert made.splitlines() == EXPECTED.read_text(encoding="utf-8").splitlines()
