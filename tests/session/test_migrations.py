"""Every version so far can be opened, and the format does not change without a decision about its version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planscope.session import validation
from planscope.session.files import SessionError
from planscope.session.model import FORMAT_VERSION, Session
from planscope.session.store import dumps, load, loads
from tests.session.shape import VERSIONS, shape

FILES = sorted(VERSIONS.glob("*.planscope.json"))
DECIDE = (
    "the shape of session files changed. A field that may be missing and that older planscopes may ignore needs no "
    "new version: run python -m tests.session.shape. Anything else does: raise FORMAT_VERSION, add a step to "
    "planscope.session.validation.STEPS, and keep a file of the version so far in tests/session/versions"
)


def version_of(path: Path) -> int:
    return int(path.name.split(".")[0].split("-")[0])


def test_there_is_a_file_of_every_version_and_a_step_from_each() -> None:
    assert {version_of(p) for p in FILES} == set(range(1, FORMAT_VERSION + 1))
    assert set(validation.STEPS) == set(range(1, FORMAT_VERSION))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_a_file_of_every_version_opens_with_all_that_it_says(path: Path) -> None:
    session = load(path)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["version"] == version_of(path) and session.version == FORMAT_VERSION
    assert loads(dumps(session)) == session
    if version_of(path) == FORMAT_VERSION:
        assert contains(json.loads(dumps(session)), written)


def contains(now: Any, before: Any) -> bool:
    """Everything that was there is there; fields may have been added."""
    if isinstance(before, dict):
        return isinstance(now, dict) and all(k in now and contains(now[k], v) for k, v in before.items())
    if isinstance(before, list):
        return len(now) == len(before) and all(map(contains, now, before))
    return bool(now == before)


def test_the_shape_is_the_one_that_was_decided_on() -> None:
    assert shape() == json.loads((VERSIONS / "shape.json").read_text(encoding="utf-8")), DECIDE


@pytest.mark.parametrize("path", sorted(VERSIONS.glob("*-shape.json")), ids=lambda p: p.name)
def test_what_a_version_had_at_first_it_has_still(path: Path) -> None:
    """Within a version fields are only added, and none that must be there."""
    first, now = json.loads(path.read_text(encoding="utf-8")), shape()
    if first["version"] != now["version"]:
        return
    for part, fields in first["parts"].items():
        for field, kind in fields.items():
            assert now["parts"][part][field] == kind, f"{part}.{field}: {DECIDE}"
        for field in now["parts"][part].keys() - fields.keys():
            assert now["parts"][part][field].startswith("optional"), f"{part}.{field}: {DECIDE}"


def test_the_test_sees_a_change() -> None:
    class Changed(Session):
        must: int

    before = Session.model_json_schema
    try:
        Session.model_json_schema = Changed.model_json_schema
        assert shape()["parts"]["Session"]["must"].startswith("required")
    finally:
        Session.model_json_schema = before


def test_steps_are_taken_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []

    def step(number: int) -> Any:
        def go(document: dict[str, Any]) -> dict[str, Any]:
            assert document["version"] == number
            taken.append(number)
            return {**document, "title": f"{document['title']}{number}"}

        return go

    monkeypatch.setattr(validation, "FORMAT_VERSION", 4)
    monkeypatch.setattr(validation, "STEPS", {1: step(1), 2: step(2), 3: step(3)})
    old = {"format": "planscope-session", "version": 2, "title": "t"}
    assert validation.migrate(old, "x") == {"format": "planscope-session", "version": 4, "title": "t23"}
    assert taken == [2, 3] and old["version"] == 2
    with pytest.raises(SessionError, match="newer planscope"):
        validation.migrate({**old, "version": 5}, "x")
