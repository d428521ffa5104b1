"""Natural sentences: each is read as the constraints that a person means, or refused with the sentence to write."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.language.errors import ParseFailure
from planscope.language.grammar import clause_skeletons, grammar_report
from planscope.language.lexicon import load_lexicon
from planscope.language.problem import make_actions
from planscope.language.reading import paper_reading, read_partly, read_query
from planscope.language.tree import Natural, is_natural, walk
from planscope.language.tree_json import dump, load
from planscope.session.oracle_input import own_reading
from tests.language.support import LETTERS, error, errors, read, said
from tests.nightly import examples

READ = [
    ("First a, then b, then c.", ["a1 < a2", "a2 < a3"]),
    ("First do a and b, next c, and finally do d.", ["a1 < a3", "a2 < a3", "a3 < a4"]),
    ("A, followed by b, followed by c.", ["a1 < a2", "a2 < a3"]),
    ("A, b, then c.", ["a1 < a2", "a2 < a3"]),
    ("First a, b, c, and finally d.", ["a1 < a2", "a2 < a3", "a3 < a4"]),
    ("A, b and then c.", ["a1 < a2", "a2 < a3"]),
    ("First a, then b, c, and finally d.", ["a1 < a2", "a2 < a3", "a3 < a4"]),
    ("Do a, do b, c, then do d.", ["a1 < a2", "a2 < a3", "a3 < a4"]),
    ("A, b, c, d, e, then f.", [f"a{i} < a{i + 1}" for i in range(1, 6)]),
    ("A and b, c, then d.", ["a1 < a3", "a2 < a3", "a3 < a4"]),
    ("First a and b, then c, and finally both d and e.", ["a1 < a3", "a2 < a3", "a3 < a4", "a3 < a5"]),
    ("First a, then b and c in any order.", ["a1 < a2", "a1 < a3"]),
    ("A, b, c and d, in that order.", ["a1 < a2", "a2 < a3", "a3 < a4"]),
    ("Do a, b, c, d, e, f in exactly this order.", [f"a{i} < a{i + 1}" for i in range(1, 6)]),
    ("In the following order: a, b and c.", ["a1 < a2", "a2 < a3"]),
    ("a -> b -> c", ["a1 < a2", "a2 < a3"]),
    ("A. Then b. Finally, c.", ["a1 < a2", "a2 < a3"]),
    ("Step 1: a. Step 2: do b. Step 3: c.", ["a1 < a2", "a2 < a3"]),
    ("Start with a. Then b.", [*(f"a1 < a{i}" for i in range(2, 7)), "a1 < a2"]),
    ("A and b afterwards.", ["a1 < a2"]),
    ("A, but b first.", ["a1 > a2"]),
    ("A must not precede b. C is never before d.", ["a1 > a2", "a3 > a4"]),
    ("A must come before b as well as c.", ["a1 < a2", "a1 < a3"]),
    ("Always do a before b.", ["a1 < a2"]),
    ("Call a before b. A must be called before c.", ["a1 < a2", "a1 < a3"]),
    ("Never call a before b.", ["a1 > a2"]),
    ("After a, never call b.", ["a2 < a1"]),
    ("Do a before you do b.", ["a1 < a2"]),
    ("Don't do a without b. No c without d.", ["a1 > a2", "a3 > a4"]),
    ("Neither a nor b before c is done.", ["a1 > a3", "a2 > a3"]),
    ("Don't do a or b until c is done.", ["a1 > a3", "a2 > a3"]),
    ("As long as a has not happened, you must not do b.", ["a2 > a1"]),
    ("Having done a, do b.", ["a2 > a1"]),
    ("Wait for a before doing b.", ["a1 < a2"]),
    ("A comes before everything else.", [f"a1 < a{i}" for i in range(2, 7)]),
    ("Everything else must wait until a is done.", [f"a1 < a{i}" for i in range(2, 7)]),
    ("Nothing else may happen after a.", [f"a1 > a{i}" for i in range(2, 7)]),
    ("Before anything else, do a.", [f"a1 < a{i}" for i in range(2, 7)]),
    ("F is the last step.", [f"a6 > a{i}" for i in range(1, 6)]),
    ("The first action is a.", [f"a1 < a{i}" for i in range(2, 7)]),
    ("Please make sure that a is done before b starts!", ["a1 < a2"]),
    ("Could you do a before b?", ["a1 < a2"]),
    ("A after b, not before. C before d, not the other way around.", ["a1 > a2", "a3 < a4"]),
    (
        "A precedes b; c must wait for d; e happens before f and after b.",
        ["a1 < a2", "a3 > a4", "a5 < a6", "a5 > a2"],
    ),
    ("A happens after b and after c.", ["a1 > a2", "a1 > a3"]),
    ("A happens after b, but before c and d.", ["a1 > a2", "a1 < a3", "a1 < a4"]),
    ("A follows b and precedes c.", ["a1 > a2", "a1 < a3"]),
    ("After b and c, a happens.", ["a1 > a2", "a1 > a3"]),
    ("After b and c, do a.", ["a1 > a2", "a1 > a3"]),
    ("Once b is done, do a.", ["a1 > a2"]),
    ("Do a before b.", ["a1 < a2"]),
    ("Please do a before doing b and c.", ["a1 < a2", "a1 < a3"]),
    ("A before b.", ["a1 < a2"]),
    ("B only after a and c.", ["a2 > a1", "a2 > a3"]),
    ("A must wait for b.", ["a1 > a2"]),
    ("A and b have to wait until c is done.", ["a1 > a3", "a2 > a3"]),
    ("A depends on b and c.", ["a1 > a2", "a1 > a3"]),
    ("A is required for b.", ["a1 < a2"]),
    ("A can only happen after b.", ["a1 > a2"]),
    ("A can happen only after b is done.", ["a1 > a2"]),
    ("Don't do a until b is done.", ["a1 > a2"]),
    ("Until b is done, don\u2019t do a.", ["a1 > a2"]),
    ("A should not be executed before b.", ["a1 > a2"]),
    ("Never do a after b.", ["a1 < a2"]),
    ("Don't a until b is done.", ["a1 > a2"]),
    ("A last.", [f"a1 > a{i}" for i in range(2, 7)]),
    ("A starts before b.", ["a1 < a2"]),
    ("A and b finish before c.", ["a1 < a3", "a2 < a3"]),
    ("A and b don't start until c is done.", ["a1 > a3", "a2 > a3"]),
    ("Finish a before b; don't start c until a is done.", ["a1 < a2", "a3 > a1"]),
    ("A should be done before b starts.", ["a1 < a2"]),
    ("Both a and b precede c.", ["a1 < a3", "a2 < a3"]),
    ("C happens after both a and b.", ["a3 > a1", "a3 > a2"]),
    ("A comes first.", [f"a1 < a{i}" for i in range(2, 7)]),
    ("Do f last.", [f"a6 > a{i}" for i in range(1, 6)]),
    ("Start with a and b.", [f"a{i} < a{j}" for i in (1, 2) for j in range(3, 7)]),
    ("A precedes b; first c, then d.", ["a1 < a2", "a3 < a4"]),
    ("1. a\n2. b and c\n3. d", ["a1 < a2", "a1 < a3", "a2 < a4", "a3 < a4"]),
    ("Do these in order:\n- do a\n- do b.\n\nC follows b.", ["a1 < a2", "a3 > a2"]),
    ("Rules:\n- A precedes b. C follows d\n* do e before f", ["a1 < a2", "a3 > a4", "a5 < a6"]),
    ("1) A precedes b.\n2) C follows b\n   and precedes d.", ["a1 < a2", "a3 > a2", "a3 < a4"]),
    ("As the very first step, a.", [f"a1 < a{i}" for i in range(2, 7)]),
    ("At the end, do f.", [f"a6 > a{i}" for i in range(1, 6)]),
    ("Start with a, then do b.", [*(f"a1 < a{i}" for i in range(2, 7)), "a1 < a2"]),
    ("A. Once that is done, do b.", ["a2 > a1"]),
    ("A and b. Both must happen before c.", ["a1 < a3", "a2 < a3"]),
    ("A, b, c; all three before d.", ["a1 < a4", "a2 < a4", "a3 < a4"]),
    ("A, and don't do b until a is done.", ["a2 > a1"]),
    ("First a. Then b. Do c after that.", ["a1 < a2", "a3 > a2"]),
    ("A comes before b, and the latter before c.", ["a1 < a2", "a2 < a3"]),
    ("A before b, b before c, c before d.", ["a1 < a2", "a2 < a3", "a3 < a4"]),
    ("After a, do b and then c.", ["a2 > a1", "a2 < a3"]),
    ("A must happen before b can start.", ["a1 < a2"]),
    ("A happens after b was done, not earlier.", ["a1 > a2"]),
    ("A before b, because it takes long (about an hour).", ["a1 < a2"]),
    ("The queue is long, so do a before b.", ["a1 < a2"]),
    ("Pipeline: a, then b.", ["a1 < a2"]),
    ("A prerequisite for b is a.", ["a2 > a1"]),
    ("a < b < c", ["a1 < a2", "a2 < a3"]),
    ("Wait for a to finish before you do b.", ["a1 < a2"]),
    ("Do a at any time before b.", ["a1 < a2"]),
    ("C must not happen until a and b is done, and d precedes e.", ["a3 > a1", "a3 > a2", "a4 < a5"]),
    (
        "A before d; both b and c come first.",
        ["a1 < a4", *(f"a{i} < a{j}" for i in (2, 3) for j in (1, 4, 5, 6))],
    ),
    ("As soon as a is done, do b.", ["a2 > a1"]),
    ("B happens as soon as a has been completed, but not earlier.", ["a2 > a1"]),
    ("The moment a is done, do b.", ["a1 < a2"]),
    ("Do b the instant that a is done.", ["a2 > a1"]),
    ("Upon a, do b and c.", ["a1 < a2", "a1 < a3"]),
    ("Only upon a may b be done.", ["a1 < a2"]),
    ("Prior to a, do b.", ["a1 > a2"]),
    ("By the time a starts, b must be done.", ["a2 < a1"]),
    (
        "Nothing comes before a. Nothing follows f.",
        [f"a1 < a{i}" for i in range(2, 7)] + [f"a{i} < a6" for i in range(1, 6)],
    ),
]


@pytest.mark.parametrize(("text", "formulas"), READ)
def test_natural_sentences(text: str, formulas: list[str]) -> None:
    assert said(text) == formulas


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("A happens after 10:00 and before 15:00.", ["a1.start >= 10", "a1.end <= 15"]),
        ("A no later than 15:00.", ["a1.end <= 15"]),
        ("A happens no earlier than 10 am.", ["a1.start >= 10"]),
        ("A happens between noon and 3:00 pm.", ["a1.start >= 12", "a1.end <= 15"]),
        ("Between 10:00 and 3pm, do a.", ["a1.start >= 10", "a1.end <= 15"]),
        ("A happens before midnight and after 12 am.", ["a1.end <= 24", "a1.start >= 0"]),
        ("Before 12 pm, a happens.", ["a1.end <= 12"]),
        ("A starts after 10:00 and finishes by 15:00.", ["a1.start >= 10", "a1.end <= 15"]),
        ("A happens after b is done and after 10:00.", ["a2.end <= a1.start", "a1.start >= 10"]),
        ("Don't start a until 10:00.", ["a1.start >= 10"]),
        ("A must not happen after 15:00.", ["a1.end <= 15"]),
        ("A happens by 15. B happens between 9 and 17.", ["a1.end <= 15", "a2.start >= 9", "a2.end <= 17"]),
        ("A happens after b, but not before 10:00.", ["a2.end <= a1.start", "a1.start >= 10"]),
        ("A no earlier than b.", ["a2.end <= a1.start"]),
        ("A happens before 15:00, then b.", ["a1.end <= 15", "a1.end <= a2.start"]),
        ("Nothing may start before 10:00.", [f"a{i}.start >= 10" for i in range(1, 7)]),
        ("Don't do anything after 15:00.", [f"a{i}.end <= 15" for i in range(1, 7)]),
        ("Do a after 10:00; b is done before that.", ["a1.start >= 10", "a2.end <= a1.start"]),
        ("Do a after 10:00; b is done beforehand.", ["a1.start >= 10", "a2.end <= a1.start"]),
    ],
)
def test_natural_hours(text: str, formulas: list[str]) -> None:
    assert said(text, timed=True) == formulas


@pytest.mark.parametrize(
    ("text", "found", "write"),
    [
        ("A happens before 15:30.", "15:30", "15:00 or 16:00"),
        ("A happens before 3:30 pm.", "3:30 pm", "15:00 or 16:00"),
        ("A starts before 15:00.", "starts", '"A happens before 15:00."'),
        ("A happens after b and is done after 15:00.", "is done", '"A happens after 15:00."'),
        ("A happens between b and c.", "between", '"A happens after b and before c."'),
        ("A happens at 15:00.", "at", '"A happens after 15:00."'),
        ("A must start by 15:00.", "must start", '"A happens before 15:00."'),
        ("A must not start after 15:00.", "must not", '"A happens before 15:00."'),
        ("A is from 9:00 to 11:00.", "from", '"A happens after 9:00 and before 11:00."'),
        ("A happens in the morning.", "in the morning", "after 8:00 and before 12:00"),
        ("First zork, then a.", "zork", "an action"),
        ("A before b (if there is time).", "(", '"A precedes b."'),
        ("A before b, because c is slow.", "because", "write"),
        ("Then a precedes b.", "Then", '"First a, then b."'),
        ("A precedes b, c, then d.", "then", '"First a, then b, then c, then d."'),
        ("- a\n- b", "-", '"1. ..."'),
        ("1. a\n2. zork", "zork", "an action"),
    ],
)
def test_refused_with_what_to_write(text: str, found: str, write: str) -> None:
    wrong = error(text, timed=True)
    assert wrong.found == found and write in wrong.message


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        (
            "After a, b, c.",
            ("B and c follow a.", "C follows a and b."),
        ),
        ("A, b then c.", ("A and b precede c.", "A precedes b. B precedes c.")),
        ("A, b and c, then d.", ("A, b and c precede d.", "A precedes b. B precedes c. C precedes d.")),
        ("First a, then b and c.", ("A precedes b and c.", "A precedes b. B precedes c.")),
        (
            "A comes after b. It comes before c.",
            ("A follows b. A precedes c.", "A follows b. B precedes c."),
        ),
        ("Do a before b after c.", ("A precedes b. A follows c.", "A precedes b. B follows c.")),
        ("A before b and c after d.", ("A precedes b and c. A follows d.", "A precedes b. C follows d.")),
        ("A before b. After that, c.", ("A precedes b. A precedes c.", "A precedes b. B precedes c.")),
        ("A comes first, then b.", ("A precedes b.", "A precedes b, c, d, e and f. A precedes b.")),
        ("Do a first, then b.", ("A precedes b.", "A precedes b, c, d, e and f. A precedes b.")),
        ("A and b before c.", ("A and b precede c.", "B precedes c.")),
        ("A, then b, c.", ("A precedes b and c.", "A precedes b. B precedes c.")),
        ("A, then b, and c.", ("A precedes b and c.", "A precedes b. B precedes c.")),
        (
            "A, b, then c, d, e.",
            (
                "A precedes b. B precedes c, d and e.",
                "A precedes b. B precedes c. C precedes d. D precedes e.",
            ),
        ),
        (
            "First a, then b, and c precedes d, which follows e, and f.",
            (
                "A precedes b. C precedes d. D follows e and f.",
                "A precedes b. C precedes d. D follows e. C precedes f.",
            ),
        ),
    ],
)
def test_two_meanings_are_shown(text: str, readings: tuple[str, str]) -> None:
    shown = error(text).readings
    assert set(shown) == set(readings)
    assert len({frozenset(c.meaning for c in read(one).problem.said) for one in shown}) == 2


def test_first_is_of_all_actions_if_they_are_all_named() -> None:
    names = ("a", "b", "c")
    assert said("A first, b second, and c third.", names) == ["a1 < a2", "a2 < a3"]
    assert said("A first, then b and c in any order.", names) == ["a1 < a2", "a1 < a3"]


def test_spans_are_what_the_text_says() -> None:
    text = "First a, then b. C must wait for b; d comes last.\n\n1. e\n2. f"
    found = [(c.text, [text[slice(*span)] for span in c.spans]) for c in read(text).problem.said]
    assert found[:3] == [
        ("a1 < a2", ["a", "then", "b"]),
        ("a3 > a2", ["C", "must wait for", "b"]),
        ("a4 > a1", ["d", "comes", "last"]),
    ]
    assert found[-1] == ("a5 < a6", ["e", "2.", "f"])


def test_a_sequence_with_commas_is_said_by_the_then_behind_them() -> None:
    text = "First a, b, c, then d."
    found = [(c.text, [text[slice(*span)] for span in c.spans]) for c in read(text).problem.said]
    assert found == [
        ("a1 < a2", ["a", "then", "b"]),
        ("a2 < a3", ["b", "then", "c"]),
        ("a3 < a4", ["c", "then", "d"]),
    ]


def test_the_tree_names_them_plainly_and_survives_json() -> None:
    reading = read("First a, then b. C must wait for b and happens before d. A comes first.")
    assert load(json.loads(json.dumps(dump(reading.tree)))) == reading.tree
    lines = [line.plain for line in reading.outline]
    assert lines[1:7] == [
        "sentence 1",
        "chain: one after the other",
        'words "first"',
        "action a",
        'words "then"',
        "action b",
    ]
    assert lines[-4:] == ["first or last of all", "action a", 'words "comes"', "all other actions"]
    links = [node.links for _, node in walk(reading.tree) if isinstance(node, Natural)]
    assert [len(each) for each in links] == [1, 2, 1]


@pytest.mark.parametrize("text", [text for text, _ in READ])
def test_in_the_papers_words_they_say_the_same(text: str) -> None:
    reading = read(text)
    again = paper_reading(reading)
    assert not is_natural(again.tree)
    assert [c.text for c in again.problem.said] == [c.text for c in reading.problem.said]


@settings(deadline=None, max_examples=examples(100))
@given(
    st.lists(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=3, unique=True), min_size=2, max_size=4),
    st.sampled_from(LETTERS),
)
def test_chains_survive_rendering(groups: list[list[str]], last: str) -> None:
    groups = [*groups, [last]]
    text = "First " + ", then ".join(" and ".join(group) for group in groups) + "."
    wanted = [(one, other) for a, b in pairwise(groups) for one in a for other in b]
    for reading in (found := read(text), paper_reading(found)):
        names = {action.id: action.name for action in reading.problem.actions}
        assert sorted((names[str(c.before)], names[str(c.after)]) for c in reading.problem.said) == sorted(
            wanted
        )


def test_synthesis_has_the_words_of_the_paper_alone() -> None:
    lexicon = load_lexicon()
    assert sum(len(entries) for entries in lexicon.entries.values()) == 121
    assert (clause_skeletons(), grammar_report().clause_skeletons["timed"]) == (250, 864)


def test_first_of_all_is_about_the_tools_that_the_text_names() -> None:
    actions = make_actions(LETTERS)
    problem = own_reading("A comes first. B precedes c.", actions, {}).problem
    assert [a.name for a in problem.actions] == ["a", "b", "c"]
    assert [c.text for c in problem.said] == ["a1 < a2", "a1 < a3", "a2 < a3"]


def test_a_name_wins_over_a_natural_word() -> None:
    names = ("first aid check", "then b", "last", "noon meeting", "a")
    assert said("First aid check precedes then b. Noon meeting precedes last.", names) == [
        "a1 < a2",
        "a4 < a3",
    ]


def test_lists_keep_the_places_of_errors() -> None:
    found = errors("Rules:\n- a precedes b\n- a precedez c\n- c follows zork")
    assert [(e.line, e.column, e.found) for e in found] == [(3, 5, "precedez"), (4, 13, "zork")]


def test_a_list_in_a_text_is_one_sentence() -> None:
    text = "A precedes b.\n1. c\n2. d\nE follows f."
    problem = read_query(text, make_actions(LETTERS)).problem
    assert [(c.text, c.sentence) for c in problem.said] == [("a1 < a2", 0), ("a3 < a4", 1), ("a5 > a6", 2)]


@pytest.mark.parametrize("names", ["a, b, c", "wash, dry, fold", "alpha check, beta test, gamma review"])
def test_a_list_with_bullets_is_blamed_at_its_first_mark(names: str) -> None:
    listed = "".join(f"- {name}\n" for name in names.split(", "))
    found = error(listed, tuple(names.split(", ")))
    assert (found.line, found.column, found.span) == (1, 1, (0, 1))


@pytest.mark.parametrize(
    "text", ["A precedes the b", "a precedes the b.", "The a precedes the b", "First a, then the b"]
)
def test_the_last_sentence_may_lack_its_period_and_a_name_may_have_an_article(text: str) -> None:
    assert said(text) == ["a1 < a2"]


@pytest.mark.parametrize("half", ["am", "pm"])
@pytest.mark.parametrize("hour", range(1, 13))
def test_hours_of_half_a_day(hour: int, half: str) -> None:
    number = hour % 12 + (12 if half == "pm" else 0)
    for spelling in (f"{hour} {half}", f"{hour}{half}", f"{hour}:00 {half.upper()}"):
        assert said(f"A happens after {spelling}.", timed=True) == [f"a1.start >= {number}"]
        assert said(f"A happens before {spelling}.", timed=True) == [f"a1.end <= {number or 24}"]
    assert (
        f"write {number:02}:00 or {number + 1:02}:00"
        in error(f"A is before {hour}:30 {half}.", timed=True).message
    )


def test_both_are_two() -> None:
    assert [one.span for one in errors("A, b and c. Both before d.")][-1] == (12, 16)


@pytest.mark.parametrize("behind", ["b is to be done afterwards", "b is done later", "b is done afterwards"])
def test_a_clause_about_a_later_time_is_refused_and_not_dropped(behind: str) -> None:
    with pytest.raises(ParseFailure):
        said(f"Starting at 10:00, do a; {behind}.", timed=True)


@pytest.mark.parametrize(
    "text",
    [
        "Don't do b as soon as a is done.",
        "Do b soon after a.",
        "As soon as a is done twice, do b.",
        "Do b again as soon as a is done.",
        "Do b as soon as a is done or c is done.",
        "Do b as soon as possible after a.",
        "The moment before a, do b.",
        "No sooner is a done than b is done.",
        "zork Step 1: a. Step 2: do b. Step 3: c.",
    ],
)
def test_how_soon_how_often_and_what_stands_before_a_list_is_not_dropped(text: str) -> None:
    assert not any(wrong.readings for wrong in errors(text))


_PLAINLY = [text for text, _ in READ if "because" not in text and "queue" not in text and "\n" not in text]


@settings(deadline=None, max_examples=examples(100))
@given(
    st.sampled_from(_PLAINLY), st.floats(0, 1), st.sampled_from(("zork", "twice", "unless", "immediately"))
)
def test_no_word_of_a_sentence_that_is_read_is_left_unused(text: str, where: float, word: str) -> None:
    """A word more that says something, or that nobody knows, is never left out without a word."""
    words = text.split(" ")
    at = min(int(where * (len(words) + 1)), len(words) - 1)
    changed = " ".join([*words[:at], word, *words[at:]])
    try:
        reading = read(changed)
    except ParseFailure:
        return
    assert any(word in told for told in reading.left_out_words), changed


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("A before b, because it takes long (about an hour).", ["because it takes long (about an hour"]),
        ("Hi team, please run a before b, thanks.", ["Hi team", "thanks"]),
        ("To save money, a before b.", ["To save money"]),
        ("The workflow: first a, then b.", ["The workflow"]),
        ("A before b; the order of c and d does not matter.", ["the order of c and d does not matter"]),
        ("A comes after b, not before.", ["not before"]),
        ("Please do a, then b, and finally c.", []),
        ("First a. Then b. Do c after that.", []),
        ("1. a\n2. b\n3. c", []),
        ("A happens before b, but b and c come before d.", []),
    ],
)
def test_what_a_sentence_says_beside_its_orders_is_told(text: str, left_out: list[str]) -> None:
    assert read(text).left_out_words == left_out


LISTED = make_actions(["draw the plan", "order the wood", "build the shed"])


@pytest.mark.parametrize(
    "said",
    [
        "Order the wood after you draw the plan.",
        "Draw the plan, order the wood, build the shed. Order the wood after you draw the plan.",
        "Please draw the plan, order the wood and build the shed. Drawing the plan comes before ordering the wood.",
        "Build the shed, draw the plan, order the wood. Draw the plan before you order the wood. Many thanks.",
    ],
)
def test_a_list_of_actions_says_no_order_where_others_say_it(said: str) -> None:
    reading = read_query(said, LISTED)
    assert [(c.before, c.after) for c in reading.problem.said] == [("a1", "a2")]
    part = read_partly(said, LISTED)
    assert part.reading is not None and not part.errors
    assert part.reading.left_out_words == reading.left_out_words
    assert (len(reading.left_out) > 0) == ("shed" in said)


@pytest.mark.parametrize(
    "said",
    [
        "Draw the plan, order the wood, build the shed.",
        "Draw the plan, order the wood, build the shed. Build the shed by 17:00.",
        "Draw the plan, order the wood. Build the shed after you order the wood.",
        "Draw the plan, order the wood, perhaps build the shed. Order the wood after you draw the plan.",
    ],
)
def test_a_list_of_actions_may_be_their_order(said: str) -> None:
    with pytest.raises(ParseFailure):
        read_query(said, LISTED, timed=True)


@pytest.mark.parametrize(
    "said",
    [
        "Draw the plan, order the wood, and build the shed when both are done, by 17:00.",
        "Start drawing the plan before you start ordering the wood.",
    ],
)
def test_both_make_no_chain_and_a_start_before_a_start_is_no_order(said: str) -> None:
    with pytest.raises(ParseFailure):
        read_query(said, LISTED, timed=True)
