"""The mutants of a dissection and its fresh queries: what they must keep, and what must differ."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.dissection.evidence import Counts
from planscope.dissection.results import Results
from planscope.dissection.variants import MOST, Mutants, NoVariant, Shape, fresh_request
from planscope.language.tree import same_tree
from planscope.oracle.equivalence import equivalent
from planscope.session.model import Dissection, Session, Variant
from planscope.session.oracle_input import reading_of
from planscope.synthesis.request import SynthesisError
from tests.nightly import examples, nightly

from .cases import query


def results(variant: Variant) -> Results:
    session = Session(id="s", title="s", variants=[variant])
    record = Dissection(id="d1", variant=variant.id, agent="tools", model="sim:careful")
    return Results(session, record, variant)


@settings(max_examples=examples(8))
@given(st.integers(0, 400), st.booleans(), st.integers(0, 9))
def test_mutants_mean_the_same_and_fresh_requests_do_not(number: int, timed: bool, seed: int) -> None:
    variant = query(number, timed=timed)
    old = reading_of(variant)
    known = results(variant)
    mutants = Mutants(variant, seed)
    for kind in ("TerminalSubstitute", "TopicChange", "QuerySynthesize", "Control"):
        texts = set()
        for k in (1, 2, 3):
            try:
                made = mutants.make(kind, k, known)
            except NoVariant:
                break
            known.add_cell(kind, k, made)
            assert made.query.text != variant.query.text
            assert made.query.text not in texts
            texts.add(made.query.text)
            new = reading_of(made)
            assert (made.parent, made.origin.mutation, made.origin.number) == (variant.id, kind, k)
            assert len(made.actions) == len(variant.actions)
            if kind == "Control":
                assert Shape(new.problem).closure != Shape(old.problem).closure
                assert [a.name for a in made.actions] == [a.name for a in variant.actions]
                assert len(new.tree.sentences) == len(old.tree.sentences)
                continue
            assert equivalent(old.problem, new.problem) is True
            assert same_tree(old.tree, new.tree) == (kind != "QuerySynthesize")
            names = {a.name for a in made.actions} & {a.name for a in variant.actions}
            assert bool(names) == (kind != "TopicChange")
            assert [a.duration for a in made.actions] == [a.duration for a in variant.actions]


def test_what_was_run_before_changes_the_words() -> None:
    variant = query(12)
    blank = results(variant)
    first = Mutants(variant, 0).make("TerminalSubstitute", 1, blank)
    again = Mutants(variant, 0).make("TerminalSubstitute", 1, results(variant))
    assert first.query.text == again.query.text
    blank.add_cell("TerminalSubstitute", 1, first)
    blank._counts["TerminalSubstitute", 1] = Counts(0, 3)
    second = Mutants(variant, 0).make("TerminalSubstitute", 2, blank)
    assert second.query.text != first.query.text


def test_a_repeat_is_the_request_itself() -> None:
    variant = query(3)
    assert Mutants(variant, 0).make("Repeat", 5, results(variant)) is variant
    assert Mutants(variant, 0).make("Original", 1, results(variant)) is variant


def test_numbers_without_end_are_refused() -> None:
    variant = query(3)
    with pytest.raises(NoVariant, match=f"up to {MOST}"):
        Mutants(variant, 0).make("TopicChange", MOST + 1, results(variant))


@pytest.mark.parametrize("many", [5, *nightly(30)])
def test_fresh_requests_differ_in_shape_and_hardly_in_size(many: int) -> None:
    """Most have some with many more valid orders, or many fewer: a shape of the request's is not in all of them."""
    apart = 0
    for number in range(many):
        reading = reading_of(query(number))
        old = Shape(reading.problem)
        made = [fresh_request(reading, k, 0, None) for k in range(1, 7)]
        assert min(abs(len(m.problem.said) - len(reading.problem.said)) for m in made) <= 3
        assert max(Shape(m.problem).distance(old) for m in made) > 0
        orders = [m.valid_orders or 0 for m in made]
        apart += max(orders) >= 4 * min(orders)
    assert apart >= 0.8 * many


def test_that_no_fresh_request_was_found_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.dissection.variants._drawn", lambda request: iter(()))
    with pytest.raises(SynthesisError, match="no fresh query was found"):
        fresh_request(reading_of(query(3)), 1, 0, None)


def test_two_actions_still_have_fresh_requests() -> None:
    reading = reading_of(query(3, actions=2))
    made = fresh_request(reading, 1, 0, None)
    assert Shape(made.problem).closure != Shape(reading.problem).closure


def test_the_record_keeps_no_secret_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "Wq7rT2mZx9Lp4Vb8Nc3K"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    made = results(query(1, timed=False))
    made.close("Control", f"no request: {key}")
    made.ended(f"3 runs in a row were aborted: {key}")
    record = made.copy()
    assert record.closed == {"Control": "no request: [secret]"}
    assert record.stopped == "3 runs in a row were aborted: [secret]"
