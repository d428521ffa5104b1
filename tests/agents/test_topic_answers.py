"""Lists as models write them, and as nobody should: what is read from an answer is fit for a topic, always."""

from __future__ import annotations

import time
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.agents.topic_writer import (
    LARGEST_ANSWER,
    MAX_WORDS,
    activities_in,
    jobs_in,
    toml_string,
    toml_topics,
)
from planscope.language.topics import MAX_PHRASE, breaking_problems, keywords
from tests.hostile import HOSTILE

THREE = ("hive inspection", "honey extraction", "frame repair")


def activities(answer: str, wanted: int = 3) -> tuple[str, ...]:
    return activities_in(answer, "beekeeper", wanted).names


@pytest.mark.parametrize(
    "answer",
    [
        "1. Hive inspection\n2. Honey extraction\n3. Frame repair",
        "1.Hive inspection\n2.Honey extraction\n3.Frame repair",
        "1) Hive inspection.\n2) The honey extraction;\n3) A frame repair,",
        "(1) Hive inspection\n(2) Honey extraction\n(3) Frame repair",
        "1: Hive inspection\r\n2: Honey extraction\r\n3: Frame repair\r\n",
        "- Hive inspection\n- Honey extraction\n- Frame repair",
        "* *Hive inspection*\n* _Honey extraction_\n* `Frame repair`",
        "•Hive inspection\n•\tHoney extraction\n• Frame repair",
        "- [ ] Hive inspection\n- [x] Honey extraction\n- [ ] Frame repair",
        "**1. Hive inspection**\n**2. Honey extraction**\n**3. Frame repair**",
        "### 1. Hive inspection\n### 2. Honey extraction\n### 3. Frame repair",
        "1. **Hive inspection**: looking at every hive, twice\n2. **Honey extraction** - with care\n"
        "3. **Frame repair** (if one is broken)",
        "1. Hive inspection — daily\n2. Honey extraction \u2013 in summer\n3. Frame repair -- ever",
        "1. “Hive inspection”\n2. 'Honey extraction'\n3. «Frame repair»",
        "Here are 3 activities:\n\n1. Hive inspection\n\n2. Honey extraction\n\n3. Frame repair\n\nI hope this helps!",
        "hive inspection, honey extraction, frame repair",
        "Hive inspection, honey extraction, and frame repair.",
        "A beekeeper may do these: hive inspection; honey extraction; frame repair",
        "Hive inspection, honey extraction,\nframe repair\n\nTell me if you want more, or fewer.",
        "Hive inspection\nHoney extraction\nFrame repair",
        "Hive inspection.\nHoney extraction.\nFrame repair.",
        "Sure!\n\nHive inspection\nHoney extraction\nFrame repair\n\nGood luck with the bees.",
        '["Hive inspection", "Honey extraction", "Frame repair"]',
        '```json\n[\n  "Hive inspection",\n  "Honey extraction",\n  "Frame repair"\n]\n```',
        '{"activities": ["Hive inspection", "Honey extraction", "Frame repair"]}',
        "<think>1. Wrong thing\n2. Other thing\n3. Third thing</think>\n1. Hive inspection\n2. Honey extraction\n"
        "3. Frame repair",
        "1. Hive inspection\n2. HIVE  INSPECTION\n3. Honey extraction\n4. Frame repair",
        "1. Hive inspection\n   - smoke\n   - veil\n2. Honey extraction\n   - knife\n3. Frame repair\n   - glue",
    ],
)
def test_lists_as_models_write_them(answer: str) -> None:
    assert activities(answer) == THREE


def test_numbers_that_are_set_flush_right() -> None:
    names = [f"{letter * 3} duty" for letter in "abcdefghijklmnopqrst"]
    answer = "\n".join(f"{i:>2}. {name}" for i, name in enumerate(names, 1))
    assert activities(answer, 20) == tuple(names)


@pytest.mark.parametrize("head", ["**{}**", "### {}", "{}:", "- {}", "* **{}:**"])
def test_jobs_in_groups(head: str) -> None:
    groups = {
        "Healthcare": ["Nurse", "Surgeon"],
        "Education": ["Teacher", "Librarian"],
        "Food": ["Chef", "Baker"],
    }
    number, lines = 0, []
    for group, jobs in groups.items():
        lines.append(head.format(group))
        for job in jobs:
            number += 1
            lines.append(f"{number}. {job}")
    assert jobs_in("\n".join(lines), 6).names == ("nurse", "surgeon", "teacher", "librarian", "chef", "baker")


def test_jobs_below_numbered_groups() -> None:
    answer = "1. **Healthcare**\n   - Nurse\n   - Surgeon\n2. **Education**\n   - Teacher\n   - Librarian\n   - Dean"
    assert jobs_in(answer, 5).names == ("nurse", "surgeon", "teacher", "librarian", "dean")


def test_jobs_that_are_none() -> None:
    found = jobs_in(
        "1. Nurse\n2. The nurse\n3. I'm sorry\n4. x ]] y\n5. R&D Manager\n6. Chef/Cook\n7. straße\n8. STRASSE",
        9,
    )
    assert found.names == ("nurse", "r&d manager", "chef/cook", "straße")
    assert len(found.left_out) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   \n\n",
        "I'm sorry, but I can't help with that.",
        "I cannot do that. As a model, I have no days, no jobs, and no activities, sadly.",
        "Sure! What does a beekeeper do?",
        "<think>1. Hive inspection\n2. Honey extraction\n3. Frame repair",
        "1.\n2.\n3.",
        "- \n- \n---\n***",
        "```\n```",
        "no",
    ],
)
def test_answers_that_hold_no_list(answer: str) -> None:
    assert len(activities(answer, 20)) < 2


@pytest.mark.parametrize(
    ("item", "why"),
    [
        ("Briefing before noon", 'the keyword "before"'),
        ("Cleaning and repair", 'the keyword "and"'),
        ("Phone/email support", "is not words"),
        ("8:30 briefing", "is not words"),
        ("Coffee break 3", "digit"),
        ("Tea or coffee service", '"or"'),
        ("I like bees", "not a short noun phrase"),
        ("one two three four five six seven eight nine", "not a short noun phrase"),
        ("x" * (MAX_PHRASE + 1), "longer than"),
        ("honey\x1b[31m jar", "is not words"),
        ("honey\u202ejar", "is not words"),
        ("honey\u200bjar", "is not words"),
        ("honey\x00jar", "is not words"),
        ('honey" ] ] jar', "is not words"),
        ("honey\\jar", "is not words"),
    ],
)
def test_what_breaks_a_rule_is_left_out_and_named(item: str, why: str) -> None:
    found = activities_in(f"1. Hive inspection\n2. {item}\n3. Frame repair", "beekeeper", 3)
    assert found.names == ("hive inspection", "frame repair")
    (line,) = found.left_out
    assert why in line and 'topic "beekeeper"' in line
    assert line.isprintable()


def test_never_more_than_asked_for() -> None:
    many = "\n".join(f"{i}. {'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]} duty" for i in range(100))
    assert len(activities(many, 20)) == 20
    assert len(jobs_in(many, 50).names) == 50
    spare = "1. Lunch, then nap\n2. Nap and lunch\n" + many
    assert len(activities(spare, 20)) == 20  # those that are too many stand in for those that break


def test_an_answer_without_end_costs_no_time() -> None:
    began = time.process_time()
    for answer in (
        "1. a\n" * 10**6,
        "," * 10**6,
        "<think>" * 10**5,
        "((1. " * 10**5,
        " " * 10**6,
        "- [ ] " * 10**5,
    ):
        assert len(activities(answer, 20)) <= 20
        assert len(jobs_in(answer, 50).left_out) <= 200
    activities("\n".join("- " + "a " * 2000 for _ in range(LARGEST_ANSWER // 4000)), 20)
    assert time.process_time() - began < 60  # anything but linear would take hours


texts = st.one_of(st.text(max_size=60), st.sampled_from(HOSTILE))
answers = st.one_of(
    st.text(max_size=300),
    st.lists(texts).map(lambda items: "\n".join(f"{i}. {item}" for i, item in enumerate(items, 1))),
    st.lists(texts).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(texts).map(", ".join),
)


@settings(deadline=None)
@given(answers, st.integers(2, 20))
def test_whatever_is_read_is_fit(answer: str, wanted: int) -> None:
    found = activities_in(answer, "beekeeper", wanted)
    assert len(found.names) <= wanted
    assert [
        p for p in breaking_problems({"beekeeper": found.names}, keywords()) if p.phrase is not None
    ] == []
    assert all(len(name.split()) <= MAX_WORDS for name in found.names)
    jobs = jobs_in(answer, wanted)
    assert breaking_problems(dict.fromkeys(jobs.names, THREE), keywords()) == []
    assert len({job.casefold() for job in jobs.names}) == len(jobs.names) <= wanted
    assert all(line.isprintable() for line in (*found.left_out, *jobs.left_out))


@given(st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(HOSTILE)))
def test_toml_strings_come_back(text: str) -> None:
    written = toml_string(text)
    assert written.isascii() and written.isprintable()
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert tomllib.loads(f"x = {written}")["x"] == whole


@given(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.sampled_from(THREE))),
    st.text(),
)
def test_toml_files_come_back(topics: dict[str, list[str]], comment: str) -> None:
    found = tomllib.loads(toml_topics(topics, comment))
    assert [(row["job"], row["activities"]) for row in found.get("topic", [])] == list(topics.items())
