"""Typing: what is in the draft is what a list of characters would hold, and every step can be undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.debugger import draft_typing as typing
from planscope.debugger.draft import Draft, DraftError, add_action
from planscope.debugger.draft_typing import Edited, History, Kind
from planscope.language.problem import make_actions
from planscope.session.json_bytes import plain_text
from tests.hostile import HOSTILE
from tests.nightly import examples

DRAFT = Draft("One two.", make_actions(["one", "two"]))

MOVES = (typing.left, typing.right, typing.word_left, typing.word_right)
TAKES = (typing.backspace, typing.delete, typing.backspace_word, typing.delete_word)

KEYS = st.one_of(
    st.tuples(st.just("put"), st.one_of(st.sampled_from([h[:300] for h in HOSTILE]), st.text(max_size=4))),
    st.tuples(st.just("take"), st.sampled_from(TAKES)),
    st.tuples(st.just("move"), st.tuples(st.sampled_from(MOVES), st.booleans())),
    st.tuples(st.just("go"), st.tuples(st.integers(-3, 60), st.booleans())),
    st.tuples(st.just("undo"), st.none()),
    st.tuples(st.just("redo"), st.none()),
    st.tuples(st.just("action"), st.none()),
)


@given(st.lists(KEYS, max_size=40))
@settings(max_examples=examples(150))
def test_the_text_is_what_was_typed(keys: list[tuple[str, object]]) -> None:
    history = History(Edited(DRAFT))
    steps = [DRAFT]  # what each undo must lead back to
    undone: list[Draft] = []
    for key, what in keys:
        now = history.now
        chars = list(now.text)
        start, end = now.selection
        kind: Kind = "other"
        if key == "put":
            made = typing.put(now, what)
            chars[start:end] = plain_text(what)
            assert made.text == "".join(chars) and made.at == start + len(plain_text(what))
        elif key == "take":
            made = what(now)
            if start < end:
                assert made.text == now.text[:start] + now.text[end:]
            else:
                assert now.text.startswith(made.text[: made.at])
                assert now.text.endswith(made.text[made.at :])
                assert len(made.text) <= len(now.text)
        elif key == "move":
            move, select = what
            made = move(now, select=select)
            assert made.draft == now.draft
        elif key == "go":
            made = typing.go(now, what[0], select=what[1])
        elif key == "action":
            made = replace(now, draft=add_action(now.draft, f"action {len(now.draft.actions)}"))
        else:
            back, forth = (steps, undone) if key == "undo" else (undone, steps)
            last = history.now.draft
            history = typing.undo(history) if key == "undo" else typing.redo(history)
            if len(back) > (key == "undo"):
                forth.append(back.pop())
            else:
                assert history.now.draft == last
            assert history.now.draft == steps[-1]
            continue
        history = typing.record(history, made, kind)
        assert history.now == made
        if made.draft != now.draft:
            steps.append(made.draft)
            undone = []
        assert 0 <= made.at <= len(made.text)
        assert made.anchor is None or 0 <= made.anchor <= len(made.text)
    while history.past:
        history = typing.undo(history)
    assert history.now.draft == DRAFT
    while history.future:
        history = typing.redo(history)
    assert history.now.draft == (undone[0] if undone else steps[-1])


def type_in(history: History, text: str) -> History:
    for char in text:
        history = typing.record(history, typing.put(history.now, char), "type")
    return history


def test_typed_keys_are_undone_word_by_word() -> None:
    history = type_in(History(Edited(replace(DRAFT, text=""))), "one two  three")
    seen = [history.now.text]
    while history.past:
        history = typing.undo(history)
        seen.append(history.now.text)
    assert seen == ["one two  three", "one two  ", "one ", ""]


def test_a_move_begins_a_new_step() -> None:
    history = type_in(History(Edited(replace(DRAFT, text=""))), "on")
    history = typing.record(history, typing.left(history.now))
    history = typing.record(history, typing.right(history.now))
    history = type_in(history, "e")
    assert typing.undo(history).now.text == "on"


def test_one_history_holds_text_and_actions() -> None:
    history = type_in(History(Edited(DRAFT, 8)), "x")
    history = typing.record(history, replace(history.now, draft=add_action(history.now.draft, "three")))
    history = type_in(history, "y")
    told = []
    while True:
        told.append((history.now.text, len(history.now.draft.actions)))
        if not history.past:
            break
        history = typing.undo(history)
    assert told == [("One two.xy", 3), ("One two.x", 3), ("One two.x", 2), ("One two.", 2)]


def test_the_caret_skips_what_stands_on_a_letter_and_backspace_takes_it_off() -> None:
    edited = Edited(replace(DRAFT, text="ae\u0301\u0302b"), 1)
    assert typing.right(edited).at == 4
    assert typing.left(typing.right(edited)).at == 1
    assert typing.backspace(typing.right(edited)).text == "ae\u0301b"
    assert typing.delete(edited).text == "ab"


def test_words() -> None:
    edited = Edited(replace(DRAFT, text="one  two, three."), 16)
    stops = []
    while edited.at:
        edited = typing.word_left(edited)
        stops.append(edited.at)
    assert stops == [15, 10, 8, 5, 0]
    assert typing.select_word(edited, 6).selected == "two"


def test_a_text_has_an_end_and_old_steps_are_dropped() -> None:
    with pytest.raises(DraftError, match="300,000"):
        typing.put(Edited(DRAFT), "x" * DRAFT.longest)
    history = History(Edited(replace(DRAFT, text="x" * 290_000)))
    for _ in range(120):
        history = typing.record(history, typing.put(history.now, "y"), "other")
    assert sum(len(step.text) for step in history.past) <= typing.MOST_KEPT
    assert len(history.past) > 10
