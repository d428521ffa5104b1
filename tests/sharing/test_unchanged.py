"""Redaction keeps what a session says: problems, spans, orders, verdicts, names apart; or it is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.problem import Problem, make_actions
from planscope.language.reading import read_query
from planscope.oracle.replay import replay
from planscope.session.model import Session, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.store import dumps
from planscope.session.traces import trace_of
from planscope.session.validation import from_document
from planscope.sharing.formats import FORMATS, share
from planscope.sharing.redact import RedactionError, Surroundings, look_through, redact
from planscope.sharing.redact.replace import Edit, moved
from planscope.sharing.redact.review import _document
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.nightly import examples
from tests.sharing.cases import plain_session, run_of, written

NOWHERE = Surroundings()

PRIVATE = (
    "ada@acme-corp.com",
    "bob.b@mail.acme-corp.org",
    "db-1.prod.internal",
    "/home/zoe",
    "10.20.30.40",
    "sk-ant-api03-AbCdEfGhIjKlMnOpQrSt",
    "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "+49 170 1234567",
    "fe80::1ff:fe23:4567:890a",
    "https://kim:pa55w0rd@git.corp.internal/x",
)


def renamed(problem: Problem, private: Sequence[str]) -> tuple[str, list[str]]:
    """A text and its names with something private in some of the names."""
    names = [a.name for a in problem.actions]
    text = problem.text
    for name, value in zip(list(names), private, strict=False):
        new = f"{name} for {value}" if not value.startswith("https") else f"{name} of {value} copy"
        names[names.index(name)] = new
        for old in (name, name[:1].upper() + name[1:]):
            text = text.replace(old, old + new[len(name) :])
    return text, names


def words(variant: Variant) -> list[list[str]]:
    """What the kept spans of the constraints point at."""
    return [[variant.query.text[a:b] for a, b in c["spans"]] for c in variant.constraints]


@settings(max_examples=examples(15), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    size=st.integers(2, 6),
    timed=st.booleans(),
    private=st.lists(st.sampled_from(PRIVATE), min_size=1, max_size=6, unique=True),
)
def test_redacted_names_change_nothing(seed: int, size: int, timed: bool, private: list[str]) -> None:
    problem = synthesize(Request(actions=size, seed=seed, timed=timed)).problem
    text, names = renamed(problem, private)
    durations = [a.duration or 1 for a in problem.actions] if timed else None
    variant = written(text, names, durations)
    draw = random.Random(seed)
    order = draw.sample(range(size), size)
    hours = [draw.randrange(24) for _ in order] if timed else None
    session = Session(id="s", title="t", variants=[variant], runs=[run_of(variant, order, hours=hours)])
    redaction = look_through(session, NOWHERE)
    made = redact(session, redaction)

    kept = dumps(made).decode()
    assert not [value for value in private[:size] if value in kept]
    before, after = problem_of(session.variants[0]), problem_of(made.variants[0])
    assert len({a.name for a in after.actions}) == len({a.tool for a in after.actions}) == size
    assert [(c.id, c.kind, c.actions, c.hour, c.node) for c in before.constraints] == [
        (c.id, c.kind, c.actions, c.hour, c.node) for c in after.constraints
    ]
    assert [[list(span) for span in c.spans] for c in after.constraints if c.spans] == [
        c["spans"] for c in made.variants[0].constraints if c["spans"]
    ], "the kept spans are those of the new text"
    replace = {f.text: f.replacement for f in redaction.findings}
    for old, new in zip(words(session.variants[0]), words(made.variants[0]), strict=True):
        for was, now in zip(old, new, strict=True):
            for value, word in replace.items():
                was = was.replace(value, word)
            assert was == now
    one = replay(before, trace_of(session.runs[0])).verdict()
    two = replay(after, trace_of(made.runs[0])).verdict()
    assert (one.verdict, one.error_type, one.first_violation) == (
        two.verdict,
        two.error_type,
        two.first_violation,
    )
    assert look_through(made, NOWHERE).findings == ()


def test_words_that_would_fall_together_are_refused() -> None:
    variant = written(
        "Mail ada@acme-corp.com comes before mail bob.",
        ("mail ada@acme-corp.com", "mail bob"),
    )
    session = Session(id="s", title="t", variants=[variant], runs=[run_of(variant, (1, 0))])
    redaction = look_through(session, NOWHERE)
    assert redact(session, redaction).variants[0].actions[0].name == "mail REDACTED_EMAIL_1"
    with pytest.raises(RedactionError, match="variant v1 would read differently"):
        redact(session, redaction.replace_by(1, "bob"))


def test_a_request_that_cannot_be_read_is_redacted_too() -> None:
    variant = written()
    variant = variant.model_copy(
        update={"query": variant.query.model_copy(update={"text": "Ask ada@acme-corp.com."})}
    )
    session = Session(id="s", title="t", variants=[variant], runs=[])
    assert redact(session, look_through(session, NOWHERE)).variants[0].query.text == "Ask REDACTED_EMAIL_1."


def test_ids_stay_references() -> None:
    variant = written(id="ada@acme-corp.com")
    session = Session(
        id="s", title="t", variants=[variant], runs=[run_of(variant, (0, 1, 2), id="r ada@acme-corp.com")]
    )
    made = redact(session, look_through(session, NOWHERE))
    assert made.runs[0].variant == made.variants[0].id == "REDACTED_EMAIL_1"
    assert made.runs[0].id == "r REDACTED_EMAIL_1"


@given(st.text(max_size=40), st.data())
def test_spans_move_with_their_words(text: str, data: st.DataObject) -> None:
    """Against the obvious: mark the words, replace, look for the marks."""
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    edits = [
        Edit(a, b, data.draw(st.integers(0, 9))) for a, b in zip(places[::2], places[1::2], strict=False)
    ]
    made, at = "", 0
    origin: list[int | None] = []
    for edit in edits:
        origin += [*range(at, edit.start), *[None] * edit.length]
        made += text[at : edit.start] + "#" * edit.length
        at = edit.end
    made += text[at:]
    origin += list(range(at, len(text)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    a, b = moved((start, end), edits)
    assert 0 <= a <= b <= len(made)
    kept = {k for k in range(start, end) if not any(e.start <= k < e.end for e in edits)}
    assert {k for k in origin[a:b] if k is not None} == kept


def test_what_ends_where_a_replaced_value_begins_ends_there_still() -> None:
    assert moved((0, 3), [Edit(3, 5, 4)]) == (0, 3)
    assert moved((5, 7), [Edit(3, 5, 4)]) == (7, 9)
    assert moved((4, 7), [Edit(3, 5, 4)]) == (3, 9)


def test_long_names_of_tools_stay_distinct() -> None:
    base = "review of all the many things that stand in the long report of the mail"
    names = (f"{base} ada@acme-corp.com", f"{base} bob@acme-corp.com", f"{base} zoe@acme-corp.com")
    text = f"{base.capitalize()} ada@acme-corp.com comes before {base} bob@acme-corp.com."
    variant = written(
        f"{text} {base.capitalize()} zoe@acme-corp.com follows {base} bob@acme-corp.com.", names
    )
    session = Session(id="s", title="t", variants=[variant], runs=[run_of(variant, (1, 0, 2))])
    made = redact(session, look_through(session, NOWHERE))
    tools = [a.tool for a in made.variants[0].actions]
    assert len(set(tools)) == 3 and "ada" not in dumps(made).decode()
    assert [e.tool for e in made.runs[0].events if e.type == "call"] == [tools[1], tools[0], tools[2]]


def test_reading_is_what_it_was() -> None:
    """The placeholder is one word to the reader of requests, wherever it stands."""
    names = ["mail REDACTED_EMAIL_1", "copy REDACTED_HOME_2/data", "REDACTED_HOST_1"]
    text = (
        "Mail REDACTED_EMAIL_1 comes before copy REDACTED_HOME_2/data. "
        "REDACTED_HOST_1 follows mail REDACTED_EMAIL_1."
    )
    problem = read_query(text, make_actions(names)).problem
    assert [c.text for c in problem.said] == ["a1 < a2", "a3 > a1"]


HOST = "db-1.prod.internal"


@pytest.mark.parametrize(
    "part",
    [
        lambda v: v["constraints"][0],
        lambda v: v["constraints"][1].setdefault("more", {}),
        lambda v: v["query"]["tree"],
        lambda v: v["query"]["tree"]["sentences"][0]["clauses"][0],
        lambda v: v["query"],
        lambda v: v["actions"][0],
        lambda v: v["origin"],
        lambda v: v,
    ],
)
@pytest.mark.parametrize(
    "added", [{HOST: 1}, {"note": HOST}, {HOST: HOST}, {HOST: [{HOST: HOST}], f"{HOST}.": 2}]
)
def test_a_host_may_stand_in_any_key_or_value_of_a_variant(part: Any, added: dict[str, Any]) -> None:
    session = plain_session()
    document = json.loads(dumps(session))
    part(document["variants"][0]).update(added)
    session = from_document(document, "x")
    redaction = look_through(session, NOWHERE)
    assert [f.text for f in redaction.findings] == [HOST]
    for form in FORMATS:
        assert HOST not in share(session, None, form, redaction=redaction)
    made, before = redact(session, redaction).variants[0], session.variants[0]
    assert words(made) == words(before)
    assert problem_of(made).said == problem_of(before).said


def test_a_secret_may_stand_in_a_constraint() -> None:
    session = plain_session()
    session.variants[0].constraints[0]["db_password"] = {"of": "quiet-heron-lake"}
    assert b"quiet-heron" not in dumps(redact(session, look_through(session, NOWHERE)))


def test_what_cannot_be_written_at_once_is_searched_all_the_same() -> None:
    session = plain_session(notes="ask ada@acme-corp.com")
    assert _document(session, None) == _document(session, session.model_dump_json(exclude_none=True))
    session.notes += " \ud800"
    made = redact(session, look_through(session, NOWHERE))
    assert "ada@" not in made.notes and "acme" not in made.notes and made.notes.startswith("ask ")
    assert made.runs == session.runs
