"""What people see beside the text: outline, plain words, prompts, counts."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.documents.listings import GrammarDocument
from planscope.language.derive import problem_of_tree
from planscope.language.grammar import clause_skeletons, grammar_report, wordings
from planscope.language.lexicon import load_lexicon
from planscope.language.outline import outline
from planscope.language.problem import Action, Constraint, Problem, make_actions
from planscope.language.prompts import LARGEST, PromptError, prompt_for
from planscope.language.render import render
from planscope.language.tree import FORMS, RELATIONS, Query, at, terminals
from planscope.safe import wrap
from planscope.wording.constraints import in_room, plain
from tests.language.support import read
from tests.language.test_golden import FIGURE_10
from tests.language.trees import queries

HAIR = ("sanitizing tools", "applying hair color", "attending training sessions")


def test_outline_of_figure_10() -> None:
    reading = read(FIGURE_10, HAIR, timed=True)
    lines = [("  " * node.depth + node.label, node.constraints) for node in reading.outline]
    assert lines[:6] == [
        ("query", ("c1", "c2", "c3", "c4", "c5", "c6")),
        ("  sentence 1", ("c1",)),
        ("    direct VP>", ("c1",)),
        ("      subject attending training sessions", ("c1",)),
        ("      VP> follow", ("c1",)),
        ("      object 10:00", ("c1",)),
    ]
    assert ("          P< before", ("c2",)) in lines
    assert ("        which P<", ("c2",)) in lines


@settings(deadline=None)
@given(queries())
def test_outline_lines_are_nodes_in_the_order_of_the_text(
    case: tuple[Query, tuple[Action, ...], bool],
) -> None:
    tree, actions, timed = case
    text, placed = render(tree, actions)
    problem = problem_of_tree(placed, actions, timed=timed)
    lines = outline(placed, problem, text)
    assert lines[0].constraints == tuple(c.id for c in problem.said)
    assert len({line.path for line in lines}) == len(lines)
    for line in lines:
        assert at(placed, line.path).span == line.span
        assert line.label.isprintable()
    assert [line.span[0] for line in lines] == sorted(line.span[0] for line in lines)
    for c in problem.said:
        (own,) = [line for line in lines if line.path == c.node]
        assert c.id in own.constraints


def test_plain_words() -> None:
    timed = read(FIGURE_10, HAIR, timed=True).problem
    assert [plain(c, timed) for c in timed.said] == [
        "attending training sessions starts at 10:00 or later",
        "applying hair color ends before sanitizing tools starts",
        "applying hair color ends before attending training sessions starts",
        "attending training sessions ends before sanitizing tools starts",
        "sanitizing tools starts at 18:00 or later",
        "attending training sessions ends at 12:00 or earlier",
    ]
    base = read("a follows b.").problem
    assert [plain(c, base) for c in base.constraints] == [
        "b comes before a",
        "no action is done twice",
        "every action is done",
    ]
    assert len({plain(c, timed) for c in timed.constraints if c.is_rule}) == 5


def test_a_list_has_names_in_every_room() -> None:
    timed = read(FIGURE_10, HAIR, timed=True).problem
    first, second = in_room(timed.said[:2], timed, 33)
    assert first == "attending training sessions starts at 10:00 or later"
    assert second == "applying hair color before sanitizing tools"
    assert in_room(timed.said[1:2], timed, 19) == ["a2 before a1"]


@given(st.integers(20, 90), st.lists(st.text(min_size=1, max_size=120), min_size=2, max_size=5))
def test_shortened_names_stay_distinct_and_within_three_lines(room: int, names: list[str]) -> None:
    actions = make_actions([*names, "a long, long name that is the same at both of its ends: " * 2] * 2)
    orders = tuple(
        Constraint(f"c{i}", "order", "", before=a.id, after=actions[0].id) for i, a in enumerate(actions[1:])
    )
    texts = in_room(orders, Problem(actions, orders), room)
    assert len(set(texts)) == len(texts)
    assert all(len(wrap(text, room)) <= 3 for text in texts)


def test_prompts_are_the_papers() -> None:
    text = "Network diagnosis comes after [text]."
    assert prompt_for(text, timed=False) == (
        "You need to execute all the tasks one by one in the correct order that meets the requirement. "
        f"Each task can only be executed once. Here is the requirement: {text}"
    )
    timed = prompt_for(text, timed=True)
    assert timed == (
        "You need to execute all tasks one by one in the correct order and within the time range set by the "
        "requirement. Note that all tasks should only be executed once. Start all tasks within the range of "
        "[0, 23]. Each task will take one or more hours to finish. The consumption of time will be revealed after "
        "the task is done. If you realize that the requirement has already been unsatisfied after completing "
        "several tasks, you must ask for a restart. After permission is granted, you will have to start over, "
        "then adjust your strategy to correct the discovered mistake. Here is the requirement: " + text
    )


def test_prompts_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('base = "Do this: [text]!"\ntimed = "In time: [text]"\n', encoding="utf-8")
    assert prompt_for("x.", timed=False, file=file) == "Do this: x.!"
    for wrong in (
        'base = "no place"\ntimed = "[text]"',
        'base = "[text]"',
        "base = ",
        'base = 3\ntimed = "[text]"',
        f"base = {'[' * 3000}{']' * 3000}",
        f"base = {'1' * 5000}",
    ):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(PromptError, match=r"mine\.toml"):
            prompt_for("x.", timed=False, file=file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(PromptError):
        prompt_for("x.", timed=True, file=file)


def test_files_that_hold_no_prompts_are_told_of_and_not_read_without_end(tmp_path: Path) -> None:
    for odd, said in (
        (tmp_path / "nope.toml", r"nope\.toml cannot be read: No such file"),
        (tmp_path, "is not a file of prompts"),
        (Path("/dev/zero"), "is not a file of prompts"),
        (Path("/dev/zero/x"), "cannot be read: Not a directory"),
    ):
        with pytest.raises(PromptError, match=said):
            prompt_for("x.", timed=False, file=odd)
    large = tmp_path / "large.toml"
    large.write_text('base = "[text]"\ntimed = "[text]"\n' + "#" * LARGEST)
    with pytest.raises(PromptError, match="at most 256 kB"):
        prompt_for("x.", timed=False, file=large)
    large.write_text(large.read_text()[:LARGEST])
    assert prompt_for("x.", timed=False, file=large) == "x."


def test_clause_skeletons() -> None:
    assert clause_skeletons() == 250 == 10 * 5 * 5
    # A relative clause's object, and the object of three of the five forms, may be a clock time.
    assert clause_skeletons(timed=True) == 2 * (3 * 9 * 10 + 2 * 9 * 9)


def test_wordings() -> None:
    lexicon = load_lexicon()
    total = 0
    for form in FORMS:
        by_hand = sum(
            prod(
                len(lexicon.written(t, fronted=form.startswith("fronted"))) for t in terminals(form, relation)
            )
            for relation in RELATIONS
        )
        assert wordings(form) == by_hand
        total += by_hand
    assert total > 340


def test_report_is_json() -> None:
    report = json.loads(json.dumps(GrammarDocument.of(grammar_report()).as_data()))
    assert report["clause_skeletons"]["base"] == 250
    assert report["wordings"]["total"] > 340
    assert set(report["terminals"]) == {"VP<", "VP>", "VP0", "P<", "P>", "SC<", "SC>", "J"}
    assert {"phrase": "behind", "parse_only": True}.items() <= {
        k: v for e in report["terminals"]["P>"] if e["phrase"] == "behind" for k, v in e.items()
    }.items()
