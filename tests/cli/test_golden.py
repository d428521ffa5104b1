"""The golden cases of language and oracle, as a person at the command line gets them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import FIGURE_7, FIGURE_10, FIGURE_10_ACTIONS, Cli, Files, Step, variant

SYMBOLS = [
    (
        "Network diagnosis comes after network status check.",
        ["network diagnosis", "network status check"],
        None,
        ["a1 > a2"],
    ),
    (
        FIGURE_7,
        ["network diagnosis", "network speed test"],
        "2, 1",
        ["a1.end <= a2.start", "a2.end <= 15", "a1.start >= 10"],
    ),
    (
        FIGURE_10,
        FIGURE_10_ACTIONS,
        "1, 2, 2",
        [
            "a3.start >= 10",
            "a2.end <= a1.start",
            "a2.end <= a3.start",
            "a3.end <= a1.start",
            "a1.start >= 18",
            "a3.end <= 12",
        ],
    ),
]


@pytest.mark.parametrize("text,names,durations,expected", SYMBOLS, ids=["figure 5", "figure 7", "figure 10"])
def test_a_text_says_its_constraints(
    cli: Cli, text: str, names: list[str], durations: str | None, expected: list[str]
) -> None:
    timed = [] if durations is None else ["--timed", "--durations", durations]
    done = cli("parse", "--actions", ", ".join(names), *timed, "--json", stdin=text)
    assert done.status == 0
    assert sorted(c["text"] for c in done.json["constraints"] if c["id"][0] == "c") == sorted(expected)
    person = cli("parse", "-", "--actions", ", ".join(names), *timed, stdin=text)
    assert person.status == 0 and all(symbols in person.out for symbols in expected)


def test_figure_3(cli: Cli, files: Files) -> None:
    about = variant("A precedes B. B follows C.", ["a", "b", "c"])
    done = cli("check", files("a", "c", "b", about=about), "--json")
    assert done.status == 0
    assert done.json["verdict"] == "right" and done.json["findings"] == [] and done.json["certified"] is True


def test_one_valid_order_between_two_clock_times(cli: Cli) -> None:
    text = "A happens before 12:00. B happens after 14:00."
    done = cli("parse", "--actions", "a, b", "--timed", "--json", stdin=text)
    assert done.json["valid_orders"] == 1 and done.json["contradiction"] == []


def judged(cli: Cli, path: Path) -> dict[str, Any]:
    done = cli("check", path, "--json")
    assert done.json["certified"] is True
    assert done.status == {"right": 0, "wrong": 1, "aborted": 2}[done.json["verdict"]]
    found: dict[str, Any] = done.json
    return found


def kinds(document: dict[str, Any]) -> list[tuple[str, int | str]]:
    return [(f["type"], f["step"]) for f in document["findings"]]


def states(cli: Cli, path: Path) -> list[str]:
    return [step["state"] for step in cli("replay", path, "--json").json["steps"]]


def test_figure_10(cli: Cli, files: Files) -> None:
    path = files(
        ("attending_training_sessions", 10),
        ("applying_hair_color", 8),
        ("sanitizing_tools", 18),
        about=variant(FIGURE_10, FIGURE_10_ACTIONS, [1, 2, 2]),
    )
    verdict = judged(cli, path)
    assert (verdict["verdict"], verdict["error_type"]) == ("wrong", "parameter_error")
    assert kinds(verdict) == [("parameter_error", 2)]
    assert verdict["findings"][0]["constraints"] == ["b3"]
    first = verdict["first_violation"]
    assert first == {"step": 1, "constraint": "c3", "core": ["c3", "b3"], "steps": [1], "foreseeable": True}
    assert "hair color" in verdict["explanation"] and "a2" not in verdict["explanation"]
    assert states(cli, path) == ["completable", "doomed", "broken", "broken", "broken"]
    repaired = cli("repair", path, "--json").json
    assert repaired["order"] == ["a2", "a3", "a1"] and repaired["swaps"] == 1 and repaired["exact"] is True
    assert repaired["starts"] == {"a2": 8, "a3": 10, "a1": 18}


def test_figure_10_ships_along(cli: Cli) -> None:
    done = cli("check", "figure-10", "--json")
    assert done.status == 1
    assert kinds(done.json) == [("parameter_error", 2)] and done.json["first_violation"]["step"] == 1


def test_figure_7(cli: Cli, files: Files) -> None:
    about = variant(FIGURE_7, ["network diagnosis", "network speed test"], [2, 1])
    path = files(("network_diagnosis", 14), about=about)
    steps = cli("replay", path, "--json").json["steps"]
    assert steps[1]["state"] == "doomed" and "broken" not in steps[1]["constraints"].values()
    assert steps[1]["core"] and steps[1]["safe_next"] == [] and steps[1]["valid_completions"] == 0
    assert judged(cli, path)["first_violation"]["step"] == 1


AB = variant("A comes before B.", ["a", "b"])
ABC = variant("A comes before B.", ["a", "b", "c"])
TWO = variant("A comes before C. B comes before C.", ["a", "b", "c"])
CLOCK = variant(
    "X happens after 0:00. Y happens after 0:00. Z happens after 0:00.", ["x", "y", "z"], [2, 2, 1]
)

CASES: list[
    tuple[Any, list[Step], str | None, list[tuple[str, int | str]], tuple[Any, list[str], list[Any]] | None]
] = [
    (AB, ["b", "a"], "order_error", [("order_error", 1)], (1, ["c1"], [1])),
    (AB, ["b"], "action_lost", [("action_lost", "end"), ("order_error", 1)], (1, ["c1"], [1])),
    (AB, ["a", "b", "a"], "action_repeated", [("action_repeated", 3)], (3, ["b1"], [1, 3])),
    (AB, ["ghost", "b", "a"], "order_error", [("order_error", 2), ("act_error", 1)], (2, ["c1"], [2])),
    (AB, ["a"], "action_lost", [("action_lost", "end")], ("end", ["b2"], ["end"])),
    (AB, ["a", "b"], None, [], None),
    (AB, ["a", "ghost", "b"], None, [("act_error", 2)], None),
    (TWO, ["c"], "action_lost", [("action_lost", "end"), ("order_error", 1)], (1, ["c1"], [1])),
    (
        CLOCK,
        [("x", 10), ("y", 8), ("z", 11)],
        "parameter_error",
        [("parameter_error", 2), ("parameter_error", 3)],
        (2, ["b3"], [1, 2]),
    ),
]


@pytest.mark.parametrize("about,steps,error,findings,first", CASES)
def test_small_runs(
    cli: Cli, files: Files, about: Any, steps: list[Step], error: str | None, findings: Any, first: Any
) -> None:
    verdict = judged(cli, files(*steps, about=about))
    assert verdict["verdict"] == ("right" if error is None else "wrong")
    assert verdict["error_type"] == error
    assert kinds(verdict) == findings
    found = verdict["first_violation"]
    assert (found and (found["step"], found["core"], found["steps"])) == first


def test_a_broken_order_is_broken_at_once(cli: Cli, files: Files) -> None:
    assert states(cli, files("b", "a", about=AB)) == ["completable", "broken", "broken", "broken"]


def test_the_nearest_plan(cli: Cli, files: Files) -> None:
    repaired = cli("repair", files("b", "c", "a", about=ABC), "--json").json
    assert repaired["order"] == ["a3", "a1", "a2"] and repaired["swaps"] == 2 and repaired["exact"] is True
    assert repaired["starts"] is None


def test_what_was_lost_is_inserted_and_what_was_repeated_removed(cli: Cli, files: Files) -> None:
    repaired = cli("repair", files("a", "a", about=ABC), "--json").json
    assert repaired["removed"] == ["a1"] and sorted(repaired["inserted"]) == ["a2", "a3"]
    assert repaired["swaps"] == 0 and repaired["order"][0] == "a1"


def test_a_contradiction_is_lost_before_any_call(cli: Cli, files: Files) -> None:
    about = variant("A comes before B. B comes before A.", ["a", "b"])
    verdict = judged(cli, files("a", "b", about=about))
    assert verdict["first_violation"]["step"] == 0
    assert verdict["first_violation"]["core"] == ["c1", "c2"] and verdict["first_violation"]["steps"] == []
    assert "contradict" in verdict["explanation"]


def test_a_restart_begins_anew_and_counts_on(cli: Cli, files: Files) -> None:
    about = variant(FIGURE_7, ["network diagnosis", "network speed test"], [2, 1])
    path = files(
        ("network_diagnosis", 14),
        "ask_for_restart",
        ("network_diagnosis", 10),
        ("network_speed_test", 12),
        about=about,
    )
    steps = cli("replay", path, "--json").json["steps"]
    assert [s["attempt"] for s in steps] == [1, 1, 2, 2, 2, 2]
    assert [s["step"] for s in steps] == [0, 1, 2, 3, 4, "end"]
    assert judged(cli, path)["verdict"] == "right"
