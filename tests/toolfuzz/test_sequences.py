"""Sequences of calls: errors that one call alone does not show, and answers that contradict each other."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from planscope.errors import UserError
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.formats import pytest_file
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.outcome import Made
from planscope.toolfuzz.report import Report, is_sequence
from planscope.toolfuzz.stateful import Knowledge, contains, contradictions, is_absent, learn, roles_of
from tests.nightly import nightly, rounds
from tests.toolfuzz.printed import data_of, page

SCHEMA = {"required": ["name"]}
ROLES = roles_of({"set_x": {"required": ["name", "value"]}, "get_x": SCHEMA, "delete_x": SCHEMA, "tidy": {}})
KNOWS = Knowledge({"get_x"}, {("set_x", "get_x", "value")})


def fuzz(name: str, calls: int = 10, **more: Any) -> Report:
    return Fuzz(Options(f"tests.toolfuzz.{name}", calls=calls, **more)).run()


def kinds(*made: tuple[str, Any, Any]) -> list[str]:
    """Judge calls: tool, value to write or None, answer."""
    calls = [Made(t, {"name": "a"} | ({} if v is None else {"value": v}), answer) for t, v, answer in made]
    return [one.kind for one in contradictions(calls, ROLES, KNOWS)]


def test_what_answers_of_a_sequence_contradict() -> None:
    assert kinds(("set_x", 5, "ok"), ("get_x", None, 5)) == []
    assert kinds(("set_x", 50, "ok"), ("get_x", None, 10)) == ["lying"]
    assert kinds(("set_x", 50, "ok"), ("get_x", None, None)) == ["lying"]
    assert kinds(("set_x", 50, "Error: no"), ("get_x", None, 10)) == []
    assert kinds(("set_x", 50, None), ("get_x", None, 10)) == []
    assert kinds(("set_x", 50, "ok"), ("tidy", None, "ok"), ("get_x", None, 10)) == []
    gone = [("set_x", 5, "ok"), ("delete_x", None, "deleted")]
    assert kinds(*gone, ("get_x", None, 5)) == ["sequence"]
    assert kinds(*gone, ("get_x", None, "not found")) == []
    assert kinds(*gone, ("delete_x", None, "deleted")) == ["sequence"]
    assert kinds(*gone, ("delete_x", None, None)) == []
    assert kinds(*gone, ("set_x", 5, "ok"), ("delete_x", None, "deleted")) == []
    assert kinds(("delete_x", None, "deleted"), ("delete_x", None, "deleted")) == []


def test_a_change_that_cuts_a_long_text_is_found() -> None:
    [one] = fuzz("keepers:CUTS", 5, sequences=30).counted()
    assert (one.tool, one.kind) == ("update_page", "lying") and is_sequence(one)


def test_a_read_that_never_misses_anything_proves_nothing() -> None:
    calls = [Made("set_x", {"name": "a", "value": 5}, "ok"), Made("delete_x", {"name": "a"}, "ok")]
    calls.append(Made("get_x", {"name": "a"}, "this is a"))
    assert contradictions(calls, ROLES, learn([calls, calls], ROLES)) == []


@pytest.mark.parametrize(
    "answer,absent",
    [
        (0, False), ({"note": None, "is_empty": False}, False), ({"error": "none such"}, True), ([], True),
        ("There is no such note", True), ("a b", False), ('{"found": false}', True), ({"a": None}, True),
    ],
)  # fmt: skip
def test_answers_that_say_that_there_is_nothing(answer: Any, absent: bool) -> None:
    assert is_absent(Made("get_x", {"name": "a"}, answer)) is absent


def test_a_value_is_found_in_an_answer_as_it_is_or_in_a_text() -> None:
    assert contains({"deep": ["x", 10]}, 10) and contains("it is 10.", 10) and contains('{"a": 10}', 10.0)
    assert not contains("it is 100", 10) and not contains("1.10", 10)
    assert contains("Blue  SKY", "blue sky") and not contains("red", "blue")


def test_sound_tools_have_no_finding() -> None:
    assert fuzz("stores:SOUND", 5, sequences=rounds(12, 30)).counted() == []


@pytest.mark.parametrize(
    "store,seed",
    [
        ("LIST", 1),
        *nightly(*(("PLAIN", seed) for seed in range(1, 11)), ("SAID", 1), ("JSON", 1), ("LIST", 2)),
    ],
)
def test_a_delete_that_deletes_nothing_is_found_by_the_ids_of_any_answer(store: str, seed: int) -> None:
    report = fuzz(f"keepers:{store}", 5, sequences=rounds(10, 20), seed=seed)
    found = [one for one in report.counted() if one.kind == "sequence"]
    assert {one.tool for one in found} == {"delete_note"}
    [after_delete] = [one for one in found if "still finds" in one.message]
    assert [one["tool"] for one in after_delete.shrunk][-2:] == ["delete_note", "get_note"]


@pytest.mark.parametrize("seed", [1, *nightly(2, 3)])
def test_a_delete_that_deletes_is_no_finding(seed: int) -> None:
    found = fuzz("keepers:GONE", 5, sequences=rounds(10, 20), seed=seed).counted()
    assert [one for one in found if is_sequence(one) and one.kind != "raised"] == []


@cache
def once(store: str) -> Report:
    """A report that several tests read."""
    return fuzz(f"stores:{store}")


@pytest.mark.parametrize(
    "store,tool,kind,exception,calls",
    [
        ("CART", "add_to_cart", "raised", "AttributeError", ["clear_cart", "add_to_cart"]),
        ("LIARS", "create_ticket", "lying", None, None),
        *nightly(("FLAGS", "set_flag", "lying", None, ["set_flag", "get_flag"])),
    ],
)
def test_what_the_corpus_has(
    store: str, tool: str, kind: str, exception: str | None, calls: list[str] | None
) -> None:
    (one,) = once(store).counted()
    assert (one.tool, one.kind, one.exception) == (tool, kind, exception)
    assert calls is None or [call["tool"] for call in one.shrunk] == calls


def test_a_sequence_is_in_all_reports_and_its_reproducer_fails() -> None:
    report = fuzz("stores:USERS")
    first, second = report.counted()
    assert [first.kind, second.kind] == ["sequence", "sequence"] and is_sequence(first)
    data = data_of(report)
    assert data["statistics"]["unique_errors"] == 2 and data["sequences"]["sequences"] == 10
    assert all(one["statistics"]["unique_errors"] == 0 for one in data["tools"])
    assert "delete_user" in page(report)
    names: dict[str, Any] = {}
    exec(compile(pytest_file(report), "reproducer", "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_delete_user")]
    assert len(tests) == 2
    with pytest.raises(AssertionError, match="delete_user"):
        tests[0]()


@pytest.mark.parametrize("store", ["CART", *nightly("USERS")])
def test_a_search_by_sequences_is_the_same_each_time(store: str) -> None:
    first, second = ({**data_of(one), "seconds": 0} for one in (once(store), fuzz(f"stores:{store}")))
    assert json.dumps(first) == json.dumps(second) and first["findings"]


def test_pairs_that_the_user_names() -> None:
    report = fuzz("stores:FLAGS", 2, reads=("get_flag",), writes=("set_flag",))
    assert [one.kind for one in report.counted()] == ["lying"]
    with pytest.raises(UserError, match="has no tool 'other'"):
        fuzz("stores:FLAGS", reads=("other",), writes=("set_flag",))
    assert fuzz("stores:FLAGS", 2, sequences=0).counted() == []
