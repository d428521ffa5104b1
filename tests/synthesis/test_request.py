"""Names, topics, and what is refused with a line that helps."""

from __future__ import annotations

import pytest

from planscope.language.reading import read_query
from planscope.language.topics import load_topics
from planscope.synthesis.generate import cases, synthesize
from planscope.synthesis.request import Request, SynthesisError

NAMES = ("iOS build", "v2 rollout", "women's shelter visit")


def test_given_names_keep_their_order() -> None:
    for timed in (False, True):
        for made in cases(Request(actions=NAMES, timed=timed), 60):
            assert tuple(a.name for a in made.problem.actions) == NAMES
            assert made.topic == ""
            assert read_query(made.text, made.problem.actions, timed=timed).problem == made.problem


def test_given_names_may_have_a_topic() -> None:
    assert synthesize(Request(actions=NAMES, topic="releases")).topic == "releases"


def test_actions_come_from_one_topic() -> None:
    topics = load_topics()
    seen = set()
    for made in cases(Request(actions=7), 150):
        assert {a.name for a in made.problem.actions} <= set(topics[made.topic])
        seen.add(made.topic)
    assert len(seen) > 40


def test_a_topic_can_be_named() -> None:
    for made in cases(Request(topic="waiter"), 20):
        assert made.topic == "waiter"
    for made in cases(Request(topic="waiter", actions=30), 3):
        assert made.topic.startswith("waiter, ")


def test_topics_of_the_users_own() -> None:
    topics = {
        "sailor": ("deck scrubbing", "sail mending", "anchor greasing"),
        "cook": ("pan search", "pan polish"),
    }
    for made in cases(Request(actions=3, topics=topics, topic="sailor"), 10):
        assert {a.name for a in made.problem.actions} == set(topics["sailor"])
    for made in cases(Request(actions=5, topics=topics), 10):
        assert len(made.problem.actions) == 5


def test_activities_of_several_topics_do_not_hold_each_other() -> None:
    topics = {
        "a": ("sail mending", "deck scrubbing"),
        "b": ("Sail mending", "old sail mending", "rope coiling", "brass polishing"),
    }
    for made in cases(Request(actions=5, topics=topics | {"c": ("pan search",)}, topic="a"), 20):
        names = [a.name.casefold() for a in made.problem.actions]
        assert not any(one in other for one in names for other in names if one is not other)


@pytest.mark.parametrize(
    ("request_", "part"),
    [
        (Request(actions=1), "at least two actions, not 1"),
        (Request(actions=-3), "at least two actions"),
        (Request(actions=("one thing",)), "at least two actions"),
        (Request(actions=("one thing", "One thing")), "is listed twice"),
        (Request(actions=("one thing", "mopping before lunch")), 'contains the keyword "before"'),
        (Request(actions=("one thing", "\x1b[31m")), "single blanks"),
        (Request(actions=25, timed=True), "25 timed actions do not fit a day"),
        (Request(actions=5000), "activities of the topics fit into one query"),
        (Request(seed=-1), "must be 0 or more"),
        (Request(sentences=0), "at least one sentence"),
        (
            Request(actions=20, sentences=1, lists=0.0),
            "1 sentence of this kind cannot mention 20 actions; ask for 3",
        ),
        (Request(topic="waitor"), "did you mean waiter"),
        (Request(topic="\x1b]0;x"), "there is no topic"),
        (Request(topics={}), "there are no topics"),
        (Request(redundant=1.5), "redundant is a share from 0 to 1"),
        (Request(relatives=float("nan")), "relatives is a share"),
        (Request(list_length=0), "list_length cannot be 0"),
        (Request(forms={"direct": 0}), "weight 0"),
        (Request(forms={"direct": -1}), "from 0 on"),
        (Request(forms={"direct": float("inf")}), "from 0 on"),
        (Request(forms={"sideways": 1}), "there is no clause form"),
    ],
)
def test_refusals(request_: Request, part: str) -> None:
    with pytest.raises(SynthesisError) as raised:
        synthesize(request_)
    assert part in str(raised.value)
    assert "\n" not in str(raised.value)


def test_as_few_sentences_as_there_can_be() -> None:
    """Room is made for every action where sentences are few."""
    for n, sentences in ((8, 1), (20, 2), (20, 1), (24, 2)):
        for timed in (False, True):
            request = Request(actions=n, sentences=sentences, timed=timed, relatives=0.2, second_clauses=0.2)
            for made in cases(request, 4):
                assert len(made.tree.sentences) == sentences
                assert {a for c in made.problem.said for a in c.actions} == {
                    a.id for a in made.problem.actions
                }
