"""The documents of the command line, field by field, as the contract has them: written down apart from the schemas."""

from __future__ import annotations

from typing import Any

TYPES = {"order_error", "parameter_error", "action_lost", "action_repeated", "act_error", "timeout"}
VERDICTS = {"right", "wrong", "aborted", "unknown"}
STATES = {"completable", "doomed", "broken", "unknown"}
STATUSES = {"holds", "open", "broken"}
RULES = {"once", "all_done", "one_by_one", "start_range", "end_range"}


def _is(value: Any, *kinds: type | None) -> bool:
    """Of one of the types; a truth value is no number."""
    return any(value is None if k is None else type(value) is k for k in kinds)


def _texts(value: Any) -> bool:
    return _is(value, list) and all(_is(one, str) for one in value)


def _step(value: Any) -> bool:
    return value == "end" or (_is(value, int) and value >= 0)


def check_query(document: Any) -> None:
    """What ``new --json`` and ``parse --json`` print."""
    assert _is(document["id"], str) and document["id"]
    assert _is(document["seed"], int, None)
    assert _is(document["topic"], str, None)
    assert _is(document["timed"], bool)
    assert _is(document["text"], str) and _is(document["prompt"], str)
    assert document["text"] in document["prompt"]
    assert _is(document["valid_orders"], int, None)
    actions = document["actions"]
    assert [a["id"] for a in actions] == [f"a{k}" for k in range(1, len(actions) + 1)]
    for action in actions:
        assert _is(action["name"], str) and _is(action["tool"], str)
        assert _is(action["duration"], int) if document["timed"] else action["duration"] is None
    ids = {a["id"] for a in actions}
    said = [c for c in document["constraints"] if c["kind"] not in RULES]
    rules = document["constraints"][len(said) :]
    assert [c["id"] for c in said] == [f"c{k}" for k in range(1, len(said) + 1)]
    assert [c["id"] for c in rules] == [f"b{k}" for k in range(1, len(rules) + 1)]
    assert {c["kind"] for c in rules} == (RULES if document["timed"] else {"once", "all_done"})
    for c in document["constraints"]:
        assert _is(c["text"], str) and c["text"]
    for c in said:
        assert _is(c["sentence"], int) and c["sentence"] >= 0
        assert len(c["spans"]) == 3
        for begin, end in c["spans"]:
            assert 0 <= begin < end <= len(document["text"])
        if c["kind"] == "order":
            assert {c["before"], c["after"]} <= ids and "hour" not in c
        else:
            assert c["kind"] in ("start_at_least", "end_at_most")
            assert c["action"] in ids and _is(c["hour"], int) and 0 <= c["hour"] <= 24


def check_errors(document: Any) -> None:
    """What ``parse --json`` prints for what it cannot read."""
    assert list(document) == ["errors"] and document["errors"]
    for error in document["errors"]:
        assert _is(error["line"], int) and error["line"] >= 1
        assert _is(error["column"], int) and error["column"] >= 1
        assert _is(error["found"], str) and _texts(error["expected"])
        assert _is(error["message"], str) and error["message"] and "\n" not in error["message"]


def check_verdict(document: Any) -> None:
    """What ``check --json`` prints."""
    assert document["verdict"] in VERDICTS
    assert document["error_type"] is None or document["error_type"] in TYPES
    assert (document["error_type"] is not None) == (document["verdict"] == "wrong")
    for finding in document["findings"]:
        assert finding["type"] in TYPES
        assert _step(finding["step"]) and finding["step"] != 0
        assert _texts(finding["constraints"])
        assert finding["severity"] in ("error", "warning")
    if document["error_type"] is not None:
        assert document["findings"][0]["type"] == document["error_type"]
    first = document["first_violation"]
    if first is not None:
        assert _step(first["step"]) and all(map(_step, first["steps"]))
        assert _texts(first["core"]) and first["constraint"] == first["core"][0]
        assert _is(first["foreseeable"], bool)
    assert _is(document["explanation"], str) and document["explanation"]


def check_replay(document: Any) -> None:
    """What ``replay --json`` prints."""
    steps = document["steps"]
    assert [s["step"] for s in steps] == [*range(len(steps) - 1), "end"]
    assert steps[0]["call"] is None and steps[-1]["call"] is None
    for step in steps:
        assert _is(step["attempt"], int) and step["attempt"] >= 1
        if step["step"] not in (0, "end"):
            assert _is(step["call"]["tool"], str) and _is(step["call"]["arguments"], dict, None)
        assert step["state"] in STATES
        assert _texts(step["safe_next"])
        assert _is(step["valid_completions"], int, None)
        assert step["constraints"] and set(step["constraints"].values()) <= STATUSES
        assert _texts(step["core"])
        assert step["core"] or step["state"] in ("completable", "unknown")


def check_repair(document: Any) -> None:
    """What ``repair --json`` prints."""
    assert document["order"] is None or _texts(document["order"])
    starts = document["starts"]
    assert starts is None or all(_is(k, str) and _is(v, int) for k, v in starts.items())
    assert _is(document["swaps"], int) or document["order"] is None
    assert _texts(document["inserted"]) and _texts(document["removed"])
    assert _is(document["exact"], bool)
