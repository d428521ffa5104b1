"""No secret of the corpus stays, and next to nothing of what is ordinary goes."""

from __future__ import annotations

import html
import json
from collections import Counter
from typing import Any

import pytest

from planscope.session.model import AnswerEvent, CallEvent, EndEvent, ErrorEvent, Event, Run, Session
from planscope.session.store import dumps
from planscope.sharing.redact import Surroundings, look_through, own, redact, redact_data, shapes
from planscope.sharing.redact.scan import scanner_for
from tests.hostile import in_turn
from tests.nightly import nightly
from tests.sharing import corpus
from tests.sharing.cases import written

NOWHERE = Surroundings()


@pytest.fixture(autouse=True)
def own_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    scanner_for.cache_clear()
    monkeypatch.setattr(shapes, "_scanner", lambda: None)


def holding(case: corpus.Case, *, as_text: bool = False) -> Session:
    """JSON stands in a call's arguments, or as a text; a text in an answer; an error line in an error."""
    if as_text and not isinstance(case.content, str):
        case = case._replace(content=f"The tool said {json.dumps(case.content)}")
    variant = written()
    tool = variant.actions[0].tool
    events: list[Event]
    if isinstance(case.content, str):
        events = [CallEvent(step=1, tool=tool, arguments={}), AnswerEvent(step=1, text=case.content)]
        if case.group == "error":
            events.append(ErrorEvent(kind="network", text=case.content))
    else:
        events = [CallEvent(step=1, tool=tool, arguments=case.content), AnswerEvent(step=1, text="Done.")]
    run = Run(id="r1", variant="v1", agent="tools", model="m", events=[*events, EndEvent(ending="stopped")])
    return Session(id="s", title="A case", variants=[variant], runs=[run])


def shared(session: Session, around: Surroundings = NOWHERE) -> str:
    return json.dumps(json.loads(dumps(redact(session, look_through(session, around)))), ensure_ascii=False)


@pytest.mark.parametrize("every", [12, *nightly(1)])
@pytest.mark.parametrize(
    ("style", "as_text"),
    [(k, one) for k in range(len(corpus.VALUES)) for one in in_turn((False, True), k, 2)],
)
def test_no_secret_in_a_structured_place_stays(style: int, as_text: bool, every: int) -> None:
    left = []
    for case in list(corpus.secrets(style))[style % every :: every]:
        text = shared(holding(case, as_text=as_text))
        if any(secret in text for secret in case.secrets):
            left.append(case.line)
    assert left == []


@pytest.mark.parametrize("style", range(len(corpus.VALUES)))
def test_no_value_of_a_secret_variable_of_the_environment_stays(style: int) -> None:
    left = []
    for case in corpus.environment(style):
        text = shared(holding(case), own({case.group: case.value, "HOME": "", "LOGNAME": ""}))
        if any(secret in text for secret in case.secrets):
            left.append(case.line)
    assert left == []


def test_what_agents_print_is_redacted_in_any_place() -> None:
    """Colours, HTML, JSON, diffs and listings hide nothing. The figures of the issue: at most 3 % of each group."""
    left: dict[str, list[str]] = {}
    number: Counter[str] = Counter()
    for group, place, text, secrets in corpus.agents(places=3):
        number[group] += 1
        if any(secret in said(text) for secret in secrets):
            left.setdefault(group, []).append(f"{place}: {text}")
    assert sum(number.values()) >= 500 and len(number) == 5
    assert {g: lines for g, lines in left.items() if len(lines) > 0.03 * number[g]} == {}


def test_what_an_output_names_is_redacted_whatever_it_looks_like() -> None:
    """Users, machines, passwords of words and codes are told by where they stand."""
    cases = [*corpus.outputs()]
    left = [text for _, text, secrets in cases if any(secret in said(text) for secret in secrets)]
    assert len(cases) >= 50 and left == []
    logged = [f"2026-05-01 10:00:00,123 INFO main: {text}" for _, text, _ in cases]
    left = [t for t, (_, _, secrets) in zip(logged, cases, strict=True) if any(s in said(t) for s in secrets)]
    assert left == []


def test_what_agents_print_is_left_alone() -> None:
    """At most 2 % of harmless lines are touched."""
    touched, number = {}, 0
    for _, content in corpus.harmless():
        number += 1
        if said(content) != content:
            touched[str(content)] = said(content)
    assert number >= 500 and len(touched) <= 0.02 * number, touched


def test_a_harmless_line_is_as_harmless_in_colour_and_in_html() -> None:
    lines = [content for _, content in corpus.harmless() if isinstance(content, str)]
    coloured = {line: f"\x1b[32m{line}\x1b[0m" for line in lines}
    escaped = {line: html.escape(line) for line in lines}
    for shown in (coloured, escaped):
        touched = [line for line, text in shown.items() if said(text) != text]
        assert len(touched) <= 0.02 * len(lines), touched


def said(content: Any) -> Any:
    """What a text or arguments become."""
    return redact_data(content, NOWHERE)


def test_ordinary_texts_stay_as_they_are() -> None:
    lost = {}
    for case in corpus.ordinary():
        if found := look_through(holding(case), NOWHERE).findings:
            lost[case.line] = [f"{f.kind}: {f.text}" for f in found]
    assert len(lost) <= 3, lost
