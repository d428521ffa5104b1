"""Requests that are being written: found again after a crash, and only then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planscope.session.locations import recovery_folder
from planscope.session.model import Variant
from planscope.session.recovery import DraftFile, left_drafts
from tests.fuzz.hostile_files import SMALL
from tests.hostile import SAVEABLE
from tests.session.make import figure_10


def draft(text: str = "A new text.") -> Variant:
    before = figure_10().variants[0]
    query = before.query.model_copy(update={"text": text})
    return before.model_copy(update={"id": "draft", "parent": before.id, "query": query})


def test_a_draft_is_found_when_its_writer_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.planscope.json"
    kept = DraftFile(path)
    for text in ("One.", "Two."):
        kept.keep("s", draft(text))
    assert left_drafts(path) == []  # it is being written still
    kept.close()
    (left,) = left_drafts(path)
    assert (left.session, left.variant.parent, left.variant.query.text) == ("s", "v1", "Two.")
    assert left_drafts(tmp_path / "b.planscope.json") == []
    left.discard()
    assert left_drafts(path) == [] and not list(recovery_folder().glob("*.draft.json"))


def test_a_draft_that_is_dropped_is_gone(tmp_path: Path) -> None:
    kept = DraftFile(tmp_path / "a.planscope.json")
    kept.drop()  # before anything was written
    kept.keep("s", draft())
    kept.drop()
    assert not list(recovery_folder().glob("*.draft.json"))


def test_the_newest_comes_first_and_texts_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "a.planscope.json"
    for text in SAVEABLE:
        kept = DraftFile(path)
        kept.keep("s", draft(text))
        kept.close()
    assert [left.variant.query.text for left in left_drafts(path)] == [*reversed(SAVEABLE)]


@pytest.mark.parametrize(
    "change",
    [
        {"format": "planscope-session"},
        {"session": None, "draft": None},
        {"draft": {}},
        {"draft": {"id": "v", "origin": {"kind": "edited"}, "query": {"text": 5}, "actions": []}},
        {"saved": "yesterday"},
        {"saved": 5},
    ],
)
def test_what_is_no_draft_counts_for_nothing(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "a.planscope.json"
    kept = DraftFile(path)
    kept.keep("s", draft())
    kept.close()
    (left,) = left_drafts(path)
    left.file.write_text(json.dumps(json.loads(left.file.read_text()) | change))
    assert left_drafts(path) == []


def test_two_actions_of_one_id_are_no_draft(tmp_path: Path) -> None:
    made = draft()
    kept = DraftFile(tmp_path / "a.planscope.json")
    kept.keep("s", made.model_copy(update={"actions": [made.actions[0]] * 2}))
    kept.close()
    assert left_drafts(tmp_path / "a.planscope.json") == []


def test_hostile_files_count_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.planscope.json"
    kept = DraftFile(path)
    kept.keep("s", draft())
    kept.close()
    name = left_drafts(path)[0].file.name
    for number, hostile in enumerate(SMALL[::9]):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = hostile.write(folder)
        found.rename(recovery_folder() / name.replace(".draft", f"{number}.draft"))
    assert len(left_drafts(path)) == 1
