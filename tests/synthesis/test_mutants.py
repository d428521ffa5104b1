"""Mutants: another request that means the same. ``python -m tests.synthesis.prove_mutants`` tries thousands."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice

import pytest

from planscope.language.lexicon import load_lexicon
from planscope.language.problem import make_actions
from planscope.language.reading import Reading, read_query
from planscope.language.render import render
from planscope.language.topics import load_topics
from planscope.language.tree import Relative, Word, skeleton, walk
from planscope.oracle import equivalence
from planscope.synthesis import mutants as module
from planscope.synthesis.generate import synthesize
from planscope.synthesis.mutants import KINDS, CannotMutate, Kind, Mutant, mutants, reworded
from planscope.synthesis.request import Request
from planscope.synthesis.substitution import places
from tests.cli.support import FIGURE_7, FIGURE_10, FIGURE_10_ACTIONS
from tests.nightly import nightly
from tests.oracle.brute import timed_starts
from tests.synthesis.many_requests import drawn
from tests.synthesis.mutant_checks import check_mutant, said
from tests.synthesis.prove_mutants import prove

OTHERS = KINDS[1:]


def read(text: str, *names: str, durations: list[int] | None = None, timed: bool = False) -> Reading:
    return read_query(text, make_actions(names, durations), timed=timed or durations is not None)


def some(reading: Reading, kind: Kind, count: int, **options: object) -> list[Mutant]:
    return list(islice(mutants(reading, kind, **options), count))


def make_mutant(reading: Reading, kind: Kind, number: int, **options: object) -> Mutant:
    return next(mutants(reading, kind, first=number, **options))


@pytest.mark.parametrize("block", [0, *nightly(*range(1, 10))])
def test_whatever_the_request_they_mean_the_same(block: int) -> None:
    for seed in range(9 * block, 9 * block + 9):
        prove(seed, each=1)


@pytest.mark.parametrize("seed", [*range(4), *nightly(*range(4, 12))])
def test_hour_by_hour(seed: int) -> None:
    """Three timed actions: the start hours that meet the mutant are those that meet the request."""
    made = synthesize(Request(actions=3, timed=True, seed=seed, clock_times=0.8))
    reading = Reading(made.text, made.tree, made.problem)
    hours = timed_starts(reading.problem)
    assert hours
    for mutant in some(reading, "QuerySynthesize", 3):
        assert timed_starts(mutant.problem) == hours


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("seed", [0, 1, *nightly(2, 3, 4, 5)])
def test_other_numbers_are_other_mutants(seed: int, kind: Kind) -> None:
    reading, topic = drawn(seed)
    made = some(reading, kind, 30, topic=topic)
    assert [m.number for m in made] == list(range(1, 31)) and {m.kind for m in made} == {kind}
    assert len({m.problem.text for m in made} | {reading.text}) == 31
    if kind == "QuerySynthesize":
        assert len({skeleton(m.tree) for m in made} | {skeleton(reading.tree)}) == 31
    if kind == "TopicChange":
        assert len({m.topic for m in made}) == 30 and topic not in {m.topic for m in made}


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_is_always_the_same_mutant(kind: Kind) -> None:
    for seed in range(4):
        reading, topic = drawn(seed)
        series = some(reading, kind, 4, topic=topic, seed=9)
        for mutant in series:
            assert make_mutant(reading, kind, mutant.number, topic=topic, seed=9) == mutant
        again = some(reading, kind, 4, topic=topic, seed=10)
        assert again == series if kind == "Repeat" else again != series


def test_words_that_a_caller_chose_stand_in_their_places() -> None:
    reading = read("A comes before B.", "a", "b")
    found = places(reading.tree)
    words = [next(word for word in place.options if word != place.word) for place in found]
    mutant = reworded(reading, words, 3)
    assert (mutant.kind, mutant.number) == ("TerminalSubstitute", 3)
    assert mutant.problem.text != reading.problem.text
    assert said(mutant.problem) == said(reading.problem)


def test_the_same_in_every_process() -> None:
    code = (
        "from tests.synthesis.test_mutants import *\n"
        "requests = [drawn(seed) for seed in (5,)]\n"
        "print([make_mutant(r, kind, 2, topic=t).problem.text for r, t in requests for kind in KINDS])"
    )
    outs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "."},
            capture_output=True, text=True, check=True,
        ).stdout
        for hash_seed in ("0", "77")
    }  # fmt: skip
    assert len(outs) == 1


def test_repeat_is_the_request_itself() -> None:
    reading = read("B comes\nafter the A.", "a", "b")
    for mutant in some(reading, "Repeat", 3, topic="letters"):
        assert mutant.problem is reading.problem and mutant.tree is reading.tree and mutant.topic == "letters"


def test_other_words_are_words_that_the_request_did_not_use() -> None:
    """An agent that takes a phrase amiss does so wherever it stands."""
    reading = read("A happens before B. Before C, B occurs; C precedes D.", "a", "b", "c", "d")
    old = {node.entry for _, node in walk(reading.tree) if isinstance(node, Word)}
    for mutant in some(reading, "TerminalSubstitute", 40):
        assert not old & {node.entry for _, node in walk(mutant.tree) if isinstance(node, Word)}


def test_modals_are_dropped_added_and_swapped() -> None:
    """They are forms of the same terminal as the verb."""
    reading = read("A must happen before B. B precedes C.", "a", "b", "c")
    found = []
    for mutant in some(reading, "TerminalSubstitute", 40):
        words = [node for _, node in walk(mutant.tree) if isinstance(node, Word)]
        assert words[0].modal != "must"
        found.append((bool(words[0].modal), bool(words[2].modal)))
    assert {dropped for dropped, _ in found} == {added for _, added in found} == {True, False}


def test_words_are_written_where_they_may_stand() -> None:
    lexicon = load_lexicon()
    reading = read(
        "Before 12:00, A takes place. B precedes A, which occurs after 9:00.", "a", "b", timed=True
    )
    for mutant in some(reading, "TerminalSubstitute", 30):
        first, *_ = (w for _, w in walk(mutant.tree) if isinstance(w, Word) and w.terminal == "P<")
        behind = next(n for _, n in walk(mutant.tree) if isinstance(n, Relative)).words[1]
        assert lexicon.entries["P<"][first.entry].fronted and lexicon.entries["P<"][first.entry].clock
        assert lexicon.entries["P>"][behind.entry].adjunct and lexicon.entries["P>"][behind.entry].clock


@pytest.mark.parametrize(
    "text", ["A precedes B; B precedes C.", "B precedes C, which follows A, and A precedes B."]
)
def test_conjunctions_stand_as_they_should(text: str) -> None:
    """Word for word what rendering the tree anew gives."""
    reading = read(text, "A", "B", "C")
    for mutant in some(reading, "TerminalSubstitute", 30):
        assert mutant.problem.text == render(mutant.tree, mutant.problem.actions).text


@pytest.mark.parametrize("seed", range(20))
def test_what_a_synthesizer_wrote_is_written_as_it_writes(seed: int) -> None:
    """Putting words into the text and rendering the tree come to the same."""
    reading, topic = drawn(seed)
    kinds: tuple[Kind, ...] = ("TerminalSubstitute", "TopicChange")
    for mutant in (m for kind in kinds for m in some(reading, kind, 2, topic=topic)):
        assert mutant.problem.text == render(mutant.tree, mutant.problem.actions).text


def test_a_text_by_hand_keeps_its_hand() -> None:
    """Lines, articles, quotes and missing commas stay; only words change, or only names."""
    reading = read(
        "The Napkin Folding comes   before\n`window_washing`.\n\nWindow washing should follow oven_repair",
        "napkin folding",
        "window washing",
        "oven repair",
    )
    words = make_mutant(reading, "TerminalSubstitute", 1).problem.text
    assert words.startswith("The Napkin Folding ") and "\n`window_washing`.\n\nWindow washing " in words
    assert words.endswith(" oven_repair")
    mutant = make_mutant(reading, "TopicChange", 1)
    one, two, three = mutant.problem.actions
    first, second = one.name.capitalize(), two.name.capitalize()
    assert mutant.problem.text == (
        f"The {first} comes   before\n`{two.tool}`.\n\n{second} should follow {three.tool}"
    )


def test_a_plural_name_keeps_its_verb_and_a_new_one_gets_its_own() -> None:
    """Figure 10 says "training sessions follow", and "should be carried out" of them."""
    reading = read(FIGURE_10, *FIGURE_10_ACTIONS, durations=[1, 2, 2])
    for mutant in some(reading, "TerminalSubstitute", 25):
        text = mutant.problem.text
        assert not any(
            f"sessions {verb} " in text for verb in ("comes", "needs", "has", "is", "takes", "happens")
        )
        check_mutant(reading, mutant)
    for mutant in some(reading, "TopicChange", 5):
        name = mutant.problem.actions[2].name
        assert mutant.problem.text.startswith(f"{name.capitalize()} follows 10:00.")
        assert "are" not in mutant.problem.text.split() and " which occurs before " in mutant.problem.text
        check_mutant(reading, mutant)


def test_figure_7_in_other_sentences() -> None:
    reading = read(FIGURE_7, "network diagnosis", "network speed test", durations=[2, 1])
    for mutant in some(reading, "QuerySynthesize", 10):
        check_mutant(reading, mutant)
        kinds = {(c.kind, c.hour) for c in mutant.problem.said if c.kind != "order"}
        follow = {("end_at_most", 14), ("start_at_least", 11)}
        assert {("end_at_most", 15), ("start_at_least", 10)} <= kinds
        assert kinds <= {("end_at_most", 15), ("start_at_least", 10)} | follow


def test_hours_that_the_day_says_anyway_are_not_made_up() -> None:
    """B follows A, so that A ends by 23:00 on any day; nobody said so."""
    reading = read("A precedes B. B precedes C.", "a", "b", "c", timed=True)
    for mutant in some(reading, "QuerySynthesize", 10):
        assert {c.kind for c in mutant.problem.said} == {"order"}


def test_an_action_with_nothing_but_midnight_stays_mentioned() -> None:
    reading = read("A happens before 24:00. B happens after 0:00. C precedes D.", *"abcd", timed=True)
    for mutant in some(reading, "QuerySynthesize", 20):
        check_mutant(reading, mutant)


def test_what_is_never_mentioned_is_still_an_action() -> None:
    """A text by hand need not speak of every action; the prompt asks for all of them."""
    reading = read("B comes after D.", *"abcd")
    for kind in KINDS:
        for mutant in some(reading, kind, 3):
            check_mutant(reading, mutant)
            assert [a.id for a in mutant.problem.actions] == ["a1", "a2", "a3", "a4"]


def test_ids_need_not_be_in_a_row() -> None:
    actions = [a for a in make_actions("vwxyz") if a.id not in ("a1", "a4")]
    reading = read_query("Z comes after W. X precedes Z.", actions)
    for kind in KINDS:
        for mutant in some(reading, kind, 2):
            check_mutant(reading, mutant)
            assert [a.id for a in mutant.problem.actions] == ["a2", "a3", "a5"]


def test_a_topic_is_another_one_even_if_nobody_told_which_it_was() -> None:
    made = synthesize(Request(actions=4, topic="nurse", seed=1))
    reading = Reading(made.text, made.tree, made.problem)
    jobs = len(load_topics())
    topics = [m.topic for m in some(reading, "TopicChange", 2 * jobs)]
    assert "nurse" not in topics and topics[: jobs - 1] == topics[jobs - 1 : 2 * jobs - 2]
    assert len(set(topics)) == jobs - 1


def test_many_actions_take_several_topics() -> None:
    made = synthesize(Request(actions=25, seed=3))
    reading = Reading(made.text, made.tree, made.problem)
    for mutant in some(reading, "TopicChange", 3, topic=made.topic):
        assert mutant.topic.count(", ") == 1
        assert not set(made.topic.split(", ")) & set(mutant.topic.split(", "))
        check_mutant(reading, mutant)


def test_topics_of_ones_own() -> None:
    topics = {"wizard": ("wand repair", "potion brewing"), "baker": ("oven cleaning", "dough mixing")}
    reading = read("Wand repair precedes potion brewing.", "wand repair", "potion brewing")
    one, other = some(reading, "TopicChange", 2, topics=topics)
    assert {one.topic, other.topic} == {"baker"} and one.problem.text != other.problem.text
    with pytest.raises(CannotMutate, match="only 2 mutants of the kind TopicChange, so there is no number 3"):
        make_mutant(reading, "TopicChange", 3, topics=topics)
    with pytest.raises(CannotMutate, match="no other topic has enough activities; give topics of your own"):
        make_mutant(reading, "TopicChange", 1, topics={"wizard": topics["wizard"]})


def test_tools_are_others_too() -> None:
    """ "Wand-repair" is no name of the request, but its tool would be."""
    topics = {"smith": ("wand-repair", "anvil care"), "baker": ("oven cleaning", "dough mixing")}
    reading = read("Wand repair precedes potion brewing.", "wand repair", "potion brewing")
    assert {m.topic for m in some(reading, "TopicChange", 2, topics=topics)} == {"baker"}


def test_the_manner_of_new_sentences() -> None:
    reading, _ = drawn(8)
    plain = Request(relatives=0.0, lists=0.0, second_clauses=0.0, modals=0.0, forms={"direct": 1.0})
    for mutant in some(reading, "QuerySynthesize", 5, manner=plain):
        check_mutant(reading, mutant)
        nodes = [node for _, node in walk(mutant.tree)]
        assert not any(isinstance(node, Relative) for node in nodes)
        assert not any(isinstance(node, Word) and (node.modal or node.terminal == "J") for node in nodes)


def test_there_are_only_so_many() -> None:
    reading = read("A precedes B.", "a", "b")
    verbs = [e for e in load_lexicon().entries["VP<"].values() if not e.parse_only]
    many = 2 * (len(verbs) - 1)  # each with a modal and without
    made = some(reading, "TerminalSubstitute", many)
    assert {m.tree.sentences[0].clauses[0].words[0].entry for m in made} == {e.key for e in verbs} - {
        "precede"
    }
    with pytest.raises(CannotMutate, match=f"has only {many} mutants of the kind TerminalSubst"):
        make_mutant(reading, "TerminalSubstitute", many + 1)


def test_one_action_alone() -> None:
    reading = read("A happens before 15:00.", "a", timed=True)
    for kind in KINDS:
        for mutant in some(reading, kind, 5):
            check_mutant(reading, mutant)
    with pytest.raises(
        CannotMutate, match=r"has only \d+ mutants of the kind QuerySynthesize, so there is no number 500"
    ):
        make_mutant(reading, "QuerySynthesize", 500)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "reading",
    [
        read("A precedes B. B precedes A.", "a", "b"),
        read("A precedes A.", "a", "b"),
        read("A happens before 9:00. A happens after 9:00.", "a", timed=True),
        read("A happens before 12:00. B happens before 12:00.", "a", "b", durations=[8, 8]),
    ],
)
def test_what_cannot_be_met_is_no_request_to_mutate(reading: Reading, kind: Kind) -> None:
    with pytest.raises(CannotMutate, match=r"no plan meets the query.*correct it first") as caught:
        make_mutant(reading, kind, 1)
    assert "\n" not in str(caught.value)


def test_numbers_and_kinds_that_are_none() -> None:
    reading = read("A precedes B.", "a", "b")
    with pytest.raises(CannotMutate, match="numbered from 1; there is no number 0"):
        make_mutant(reading, "Repeat", 0)
    with pytest.raises(CannotMutate, match="no mutation 'Other'; the kinds are Repeat, TerminalSubstitute"):
        make_mutant(reading, "Other", 1)


def test_nothing_is_given_out_that_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = read("A precedes B. B happens before 15:00.", "a", "b", timed=True)
    monkeypatch.setattr(module, "equivalent", lambda *_, **__: None)
    for kind in KINDS:
        with pytest.raises(CannotMutate, match=f"Z3 could not prove in time that {kind} 1 means the same"):
            make_mutant(reading, kind, 1)
    monkeypatch.setattr(module, "equivalent", lambda *_, **__: False)
    with pytest.raises(AssertionError, match="means something else"):
        make_mutant(reading, "QuerySynthesize", 1)


def test_every_mutant_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def noted(one: object, other: object, **options: object) -> bool | None:
        asked.append((one, other))
        return equivalence.equivalent(one, other, **options)

    monkeypatch.setattr(module, "equivalent", noted)
    reading, topic = drawn(2)
    made = [m for kind in KINDS for m in some(reading, kind, 3, topic=topic)]
    assert asked == [(reading.problem, m.problem) for m in made]
    assert all(said(m.problem) for m in made)
