"""``planscope reasons``: what it prints for people and as JSON, for runs, bare requests and wrong arguments."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from planscope.documents.schemas import schema
from planscope.oracle import timed
from tests.cli.support import FIGURE_7, Cli, Done, Files, Step, harmless, session, variant

ABC = variant("A comes before C. B comes before C.", ["a", "b", "c"])
SPEED = variant(FIGURE_7, ["network diagnosis", "network speed test"], [2, 1])
KNOT = variant("A comes before B. B comes before A. B comes before C.", ["a", "b", "c"])


def document(done: Done) -> dict:
    assert done.status == 0 and done.err == ""
    Draft202012Validator(schema("reasons")).validate(done.json)
    found: dict = done.json
    return found


def sets(found: dict, kind: str) -> list[list[object]]:
    return [[*one["constraints"], *one["steps"]] for one in found[kind]]


def test_two_cores_and_what_ends_them(cli: Cli, files: Files) -> None:
    path = files("c", "a", "b", about=ABC)
    found = document(cli("reasons", path, "--json"))
    assert (found["run"], found["step"], found["state"]) == ("r1", 1, "broken")
    assert sets(found, "cores") == [["c1", 1], ["c2", 1]]
    assert sets(found, "corrections") == [[1], ["c1", "c2"]]
    assert found["complete"] and found["ended"] == "all" and found["certified"] is True
    assert found["cores"][0]["explanation"] == (
        "At step 1 c ran before a, but sentence 1 says: “A comes before C”."
    )
    assert [one["explanation"] for one in found["corrections"]] == [
        "Had step 1 not done c then, the plan could still be finished.",
        "Without the requirement that a comes before c (sentence 1) and the requirement that b comes before c "
        "(sentence 2), the plan could still be finished.",
    ]
    first = cli("check", path, "--json").json["first_violation"]
    assert [*first["core"], *first["steps"]] == sets(found, "cores")[0], "check's own core comes first"


def test_people_read_the_same(cli: Cli, files: Files) -> None:
    done = cli("reasons", files("c", "a", "b", about=ABC))
    assert done.status == 0 and harmless(done.out)
    assert max(map(len, done.out.splitlines())) <= 80
    head = "At step 1 the plan is lost. Minimal cores (these cannot all hold): 2"
    assert done.out.startswith(f"{head}\n   1  c1, step 1\n")
    assert "Minimal corrections (drop these and the rest can be met): 2\n   1  step 1\n" in done.out
    assert done.out.endswith("These are all.\nZ3 confirms each of them.\n")


def test_a_request_that_contradicts_itself_needs_no_run(cli: Cli, files: Files) -> None:
    path = files.keep(session(KNOT))
    found = document(cli("reasons", path, "--json"))
    assert (found["run"], found["step"]) == (None, 0)
    assert sets(found, "cores") == [["c1", "c2"]] and sets(found, "corrections") == [["c1"], ["c2"]]
    assert found["corrections"][0]["explanation"].endswith("(sentence 1), the query could be met.")
    ran = files("a", "b", "c", about=KNOT, name="ran")
    assert document(cli("reasons", ran, "--json", "--step", "0")) == {**found, "run": "r1"}


@pytest.mark.parametrize(
    "steps,step,cores",
    [
        (("b", "a"), "end", [["b2", "end"]]),
        (("b", "c", "a"), "2", [["c1", 2]]),
        (("a", "a", "c", "b"), "end", [["b1", 1, 2], ["c2", 3]]),
    ],
)
def test_at_any_step(
    cli: Cli, files: Files, steps: tuple[Step, ...], step: str, cores: list[list[object]]
) -> None:
    found = document(cli("reasons", files(*steps, about=ABC), "--step", step, "--json"))
    assert found["step"] == (step if step == "end" else int(step)) and sets(found, "cores") == cores


def test_timed(cli: Cli, files: Files) -> None:
    path = files(("network_diagnosis", 14), about=SPEED)
    found = document(cli("reasons", path, "--json"))
    assert sets(found, "cores")[0] == ["c1", "c2", 1] and found["certified"] is True
    assert "from 14:00 to 16:00" in cli("reasons", path).out.replace("\n      ", " ")


def test_no_more_than_were_asked_for(cli: Cli, files: Files) -> None:
    path = files("c", "a", "b", about=ABC)
    found = document(cli("reasons", path, "--most", "1", "--json"))
    assert len(found["cores"]) == len(found["corrections"]) == 1
    assert not found["complete"] and found["ended"] == "most"
    assert "--most N lists more" in cli("reasons", path, "--most", "1").out


def test_where_nothing_is_lost(cli: Cli, files: Files) -> None:
    path = files("a", "b", "c", about=ABC)
    found = document(cli("reasons", path, "--json"))
    assert found["step"] == "end" and found["cores"] == found["corrections"] == [] and found["complete"]
    assert found["certified"] is None
    told = "At step 1, the plan can still be finished.\n"
    assert cli("reasons", path, "--step", "1").out == told
    assert cli("reasons", path).out == "At the end, every requirement is met.\n"


def test_what_z3_says_of_it(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files("c", about=ABC)
    assert document(cli("reasons", path, "--no-certify", "--json"))["certified"] is None
    assert "Z3" not in cli("reasons", path, "--no-certify").out
    for said, told in ((False, "planscope and Z3 disagree"), (None, "Z3 gave up")):
        monkeypatch.setattr("planscope.oracle.certificate.certify_reasons", lambda *_, said=said, **__: said)
        assert document(cli("reasons", path, "--json"))["certified"] is said
        assert told in cli("reasons", path).out


def test_no_longer_than_was_asked_for(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files("c", "a", "b", about=ABC)
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr("planscope.case.time.monotonic", lambda: next(hours))
    found = document(cli("reasons", path, "--json", "--seconds", "3000"))
    assert found["ended"] == "stopped" and not found["complete"]
    assert sets(found, "cores") == [["c1", 1]] and sets(found, "corrections") == [], "what was known before"
    assert found["certified"] is None
    assert "--seconds S extends it" in cli("reasons", path, "--seconds", "3000").out


def test_what_is_too_hard_is_said_to_be(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files(("network_diagnosis", 14), about=SPEED)
    monkeypatch.setattr(timed, "EFFORT", -1)
    monkeypatch.setattr("planscope.oracle.smt.Judge.check", lambda self, members=None: "unknown")
    found = document(cli("reasons", path, "--no-certify", "--json"))
    assert found["ended"] == "unknown" and not found["complete"] and len(found["cores"]) == 1
    assert "There may be more" in cli("reasons", path, "--no-certify").out


@pytest.mark.parametrize("step", ["5", "-1", "first", "", "²", "9" * 50, "\x1b[2J"])
def test_steps_that_are_not_there(cli: Cli, files: Files, step: str) -> None:
    path = files("c", "a", "b", about=ABC)
    assert cli("reasons", path, f"--step={step}").complaint().endswith("the steps are 0 to 3 and end")


def test_a_bare_request_has_no_end(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    assert cli("reasons", path, "--step", "end").complaint().endswith("the steps are 0")
    assert "whole number" in cli("reasons", path, "--most", "0").complaint()
