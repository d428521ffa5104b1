"""The bundled topics keep every rule that can be held mechanically; a user's file is merged or refused."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from planscope.language.problem import make_actions, slug
from planscope.language.reading import read_query
from planscope.language.scan import load_hints
from planscope.language.topics import (
    MAX_FILE_BYTES,
    MAX_PHRASE,
    TopicError,
    TopicProblem,
    check_topics,
    keywords,
    load_topics,
)
from planscope.safe import visible
from tests.hostile import HOSTILE

TOPICS = load_topics()
PHRASES = [phrase for activities in TOPICS.values() for phrase in activities]


def lexicon_words() -> set[str]:
    """Every single word of every phrase and form in the lexicon's data, read apart from its loader."""
    data = tomllib.loads((files("planscope.language") / "data" / "lexicon.toml").read_text(encoding="utf-8"))
    words: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, str):
            words.update(value.lower().split())
        elif isinstance(value, list):
            for item in value:
                collect(item)
        elif isinstance(value, dict):
            for key, item in value.items():
                collect(key)
                collect(item)

    for table, rows in data.items():
        if table in ("heads", "modals"):
            collect(rows)
        else:  # the values are names of places, not words of a query
            collect(list(rows))
    return words


def problems(*phrases: str, job: str = "tester") -> list[TopicProblem]:
    return check_topics({job: phrases}, keywords())


def breaking(*phrases: str, job: str = "tester") -> list[TopicProblem]:
    return [p for p in problems(*phrases, job=job) if p.breaks]


# --- the bundled topics ---------------------------------------------------------------------------------


def test_fifty_jobs_with_twenty_activities_each() -> None:
    assert len(TOPICS) == 50
    assert {len(activities) for activities in TOPICS.values()} == {20}
    assert len(set(PHRASES)) == 1000


def test_bundled_topics_have_no_problem() -> None:
    assert [str(p) for p in check_topics(TOPICS, keywords())] == []


def test_no_word_of_the_lexicon_in_a_phrase() -> None:
    words = lexicon_words()
    assert {"before", "following", "place", "carried", "and", "whereas", "stage"} <= words
    assert [p for p in PHRASES if words & set(p.split())] == []


def test_no_phrase_inside_another_of_the_whole_file() -> None:
    padded = [f" {p} " for p in PHRASES]
    text = "|".join(padded)
    assert [p for p in padded if text.count(p) > 1] == []


def test_tool_names_are_unique_and_whole() -> None:
    assert len({slug(p) for p in PHRASES}) == len(PHRASES)
    for phrase in PHRASES:
        assert slug(phrase) == phrase.replace(" ", "_")  # nothing cut off at 64 characters
    for activities in TOPICS.values():
        assert [a.name for a in make_actions(activities)] == list(activities)


def test_heads_are_singular() -> None:
    in_s = {p.split()[-1] for p in PHRASES if p.endswith("s")}
    assert in_s <= {"analysis", "diagnosis", "census"}


def test_no_topic_lives_on_a_few_heads() -> None:
    for activities in TOPICS.values():
        assert len({p.split()[-1] for p in activities}) >= 16


def test_activities_of_a_topic_share_no_thing() -> None:
    for job, activities in TOPICS.items():
        modifiers = [word for p in activities for word in p.split()[:-1]]
        assert len(modifiers) == len(set(modifiers)), job


def test_jobs_are_lower_case_names() -> None:
    for job in TOPICS:
        assert job.replace(" ", "").isalpha() and job == job.lower()


def test_no_phrase_holds_words_that_the_language_only_explains() -> None:
    """Reading gives hints for these ("next to", "between"); they would make an activity hard to read."""
    hints = [f" {hint} " for hint in load_hints()]
    assert [p for p in PHRASES if any(hint in f" {p} " for hint in hints)] == []


@pytest.mark.parametrize("job", TOPICS)
def test_every_activity_reads_back_wherever_it_stands(job: str) -> None:
    names = TOPICS[job]
    actions = make_actions(names)
    text = " ".join(
        f"{a.capitalize()} precedes {b}, which occurs before {c}."
        for a, b, c in zip(names, names[1:], names[2:], strict=False)
    )
    ids = [a.id for a in actions]
    said = [(c.before, c.after) for c in read_query(text, actions).problem.said]
    assert said == [pair for a, b, c in zip(ids, ids[1:], ids[2:], strict=False) for pair in ((a, b), (b, c))]
    lists = f"{', '.join(names[:9])} and {names[9]} happen after {', '.join(names[10:19])} and {names[19]}."
    said = [(c.after, c.before) for c in read_query(lists, actions).problem.said]
    assert said == [(a, b) for a in ids[:10] for b in ids[10:]]


# --- the rules find what they are for -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("menu update before lunch", '"before"'),
        ("profit and loss", '"and"'),
        ("check in advance of flight", '"in advance of"'),
        ("a job which matters", '"which"'),
        ("what follows lunch", '"follows"'),
        ("Before Lunch", '"before"'),
        ("order, then delivery", "single blanks"),
        ("two  blanks", "single blanks"),
        (" leading blank", "single blanks"),
        ("line\nbreak", "single blanks"),
        ("tab\tstop", "single blanks"),
        ("", "single blanks"),
        ("15", "single blanks"),
        ("tool_name", "single blanks"),
        ("x" * (MAX_PHRASE + 1), "shorten"),
    ],
)
def test_what_breaks_reading_is_found(phrase: str, said: str) -> None:
    (problem,) = breaking("window cleaning", phrase)
    assert said in str(problem)
    assert problem.topic == "tester" and problem.phrase == phrase


@pytest.mark.parametrize(
    "phrase",
    [
        "MRI scan",
        "patient's chart",
        "follow-up visit",
        "phase 2 audit",
        "café visit",
        "state of the art",
        "test run",
    ],
)
def test_what_is_only_unusual_does_not_break(phrase: str) -> None:
    assert breaking("window cleaning", phrase) == []


@pytest.mark.parametrize(
    ("phrases", "said"),
    [
        (["weekly report", "window cleaning", "closing shift"], "closing"),
        (["placing bets", "window cleaning"], "placing"),
        (["carried load", "window cleaning"], "carried"),
        (["the report", "window cleaning"], "the"),
        (["class notes", "window cleaning"], "plural"),
        (["survey data", "window cleaning"], "plural"),
        (["cleaning", "window washing"], "two to four words"),
        (["Window cleaning", "door painting"], "two to four words"),
        (["lesson plan writing", "lesson plan grading"], '"lesson" again'),
        (["wall painting", "door painting", "roof painting"], '"painting" again'),
        (["report reading", "tax report"], '"report" again'),
        (["network check", "big network check log"], 'the activity "network check"'),
    ],
)
def test_what_is_poor_style_is_found_and_does_not_break(phrases: list[str], said: str) -> None:
    found = problems(*phrases)
    assert any(said in str(p) for p in found)
    assert not any(p.breaks for p in found)


def test_a_phrase_of_very_many_words_costs_little() -> None:
    endless = "a " * 20_000
    assert len(problems("window cleaning", endless)) == 1


def test_a_phrase_with_another_apostrophe_is_the_same() -> None:
    (problem,) = breaking("patient's chart", "Patient\u2019s chart")
    assert "twice" in str(problem)


def test_two_duties_of_one_kind_are_fine() -> None:
    assert problems("wall painting", "door painting", "network analysis") == []


def test_across_topics_same_phrases_and_tool_names_are_found() -> None:
    topics = {"one": ["window cleaning", "data-entry"], "two": ["window cleaning", "data entry"]}
    found = [str(p) for p in check_topics(topics, keywords())]
    assert sum("more than once" in p for p in found) == 2
    assert sum('same tool name as "data-entry"' in p for p in found) == 1


@pytest.mark.parametrize("job", ["", "  ", "x" * 61, "a\nb", "\x1b[31mred"])
def test_jobs_that_cannot_be_named(job: str) -> None:
    (problem,) = breaking("window cleaning", "door painting", job=job)
    assert problem.phrase is None
    assert str(problem).isprintable()


@settings(deadline=None)
@given(st.lists(st.text(max_size=100) | st.sampled_from(HOSTILE), max_size=6), st.text(max_size=100))
def test_any_text_is_checked_and_what_is_said_is_printable(phrases: list[str], job: str) -> None:
    for problem in check_topics({job: phrases}, keywords()):
        line = str(problem)
        assert "\n" not in line and "\x1b" not in line
        assert len(line) < 400


@settings(deadline=None)
@given(st.lists(st.sampled_from(PHRASES), min_size=2, max_size=20, unique=True))
def test_bundled_phrases_never_break_wherever_they_are_put(phrases: list[str]) -> None:
    assert breaking(*phrases) == []


@settings(deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["the", "a", "MRI", "Follow-up", "café", "run", "test", "patient's", "2", "is", "of"]
            )
            | st.sampled_from(sorted(lexicon_words()))
            | st.text("abcÄß\u03c3\u03c2-'\u201919", min_size=1, max_size=6),
            min_size=1,
            max_size=4,
        ).map(" ".join),
        min_size=2,
        max_size=5,
    )
)
def test_what_does_not_break_reads_back(names: list[str]) -> None:
    assume(not breaking(*names))
    actions = make_actions(names)
    text = " ".join(f"{a} precedes {b}." for a, b in pairwise(names))
    said = [(c.before, c.after) for c in read_query(text, actions).problem.said]
    assert said == list(pairwise(a.id for a in actions))


# --- a user's own file ----------------------------------------------------------------------------------

GOOD = '[[topic]]\njob = "Beekeeper"\nactivities = ["hive painting", "honey extraction"]\n'


def write(path: Path, text: str) -> Path:
    file = path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_users_topic_goes_behind_the_bundled_ones(tmp_path: Path) -> None:
    topics = load_topics(write(tmp_path, GOOD))
    assert list(topics)[:-1] == list(TOPICS)
    assert topics["Beekeeper"] == ("hive painting", "honey extraction")


def test_a_users_topic_takes_the_place_of_a_bundled_one(tmp_path: Path) -> None:
    topics = load_topics(write(tmp_path, GOOD.replace("Beekeeper", "Teacher")))
    assert list(topics) == list(TOPICS)
    assert topics["teacher"] == ("hive painting", "honey extraction")
    assert load_topics()["teacher"] == TOPICS["teacher"]  # what is cached stays as it was


def test_what_is_handed_out_can_be_changed(tmp_path: Path) -> None:
    load_topics().clear()
    assert load_topics() == TOPICS


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert "Beekeeper" in load_topics(file)


ROW = '[[topic]]\njob = "beekeeper"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "[[topic]]"),
        ('beekeeper = ["hive painting"]', "[[topic]]"),
        ("topic = []", "[[topic]]"),
        ("topic = 3", "[[topic]]"),
        ("topic = [1]", "topic 1 has no job"),
        ('[topic]\njob = "beekeeper"', "[[topic]]"),
        ('[[topic]]\nactivities = ["hive painting", "bee counting"]', "topic 1 has no job"),
        (GOOD + "[[topic]]\njob = 7\n", "topic 2 has no job"),
        (ROW, 'topic "beekeeper" has no list of activities'),
        (ROW + 'activities = "hive painting"', 'topic "beekeeper" has no list of activities'),
        (ROW + 'activities = ["hive painting", 3]', "activity 2 is not a text"),
        (ROW + "activities = []", "fewer than two"),
        (ROW + 'activities = ["hive painting"]', "fewer than two"),
        (ROW + 'activities = ["hive painting", "Hive Painting"]', '"Hive Painting" is listed twice'),
        (ROW + 'activities = ["hive painting", "honey, comb"]', '"honey, comb" is not words'),
        (GOOD + GOOD.lower(), 'topic "beekeeper" occurs twice'),
        (GOOD + "[[topic]\n", "line 4"),
        (ROW + "activities = " + "[" * 50_000, "nested too deeply"),
        (ROW + "activities = " + "9" * 5_000, "not TOML"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(TopicError) as caught:
        load_topics(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ") and said in message
    assert "\n" not in message


def test_several_problems_are_counted(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match=r"\(1 more like this\)"):
        load_topics(write(tmp_path, ROW + 'activities = ["honey, comb", "before noon"]'))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match=r"gone\.toml: No such file or directory; check the path"):
        load_topics(tmp_path / "gone.toml")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="not a file"):
        load_topics(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TopicError, match="not a file"):
        load_topics(tmp_path / "pipe")


def test_too_large(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match="larger than 256 kB"):
        load_topics(write(tmp_path, GOOD + "#" * MAX_FILE_BYTES))
    padded = GOOD + "#" * (MAX_FILE_BYTES - len(GOOD))
    assert "Beekeeper" in load_topics(write(tmp_path, padded))


def test_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_bytes(b'[[topic]]\njob = "caf\xe9"\n')
    with pytest.raises(TopicError, match="line 2 is not UTF-8"):
        load_topics(file)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_phrases_are_refused_or_harmless(tmp_path: Path, hostile: str) -> None:
    escaped = "".join(f"\\U{ord(c):08x}" for c in hostile if not 0xD800 <= ord(c) <= 0xDFFF)
    file = write(tmp_path, ROW + f'activities = ["hive painting", "{escaped}"]')
    try:
        phrase = load_topics(file)["beekeeper"][1]
    except TopicError as error:
        assert visible(str(error)) == str(error)
    else:
        assert phrase.isprintable()


# --- the start ---------------------------------------------------------------------------------------------


def test_the_data_is_not_read_before_it_is_needed() -> None:
    code = "import planscope.language.topics as t; assert t._bundled.cache_info().currsize == 0"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_keywords_are_in_order_and_whole() -> None:
    said = keywords()
    assert all(a < b for a, b in pairwise(said))
    assert {"before", "which", "and", "comes ahead of", "take place"} <= set(said)
