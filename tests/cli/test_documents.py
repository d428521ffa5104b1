"""Every JSON document: the contract's fields, their types, and the schema that planscope itself prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from planscope.documents.schemas import DOCUMENTS
from planscope.session.locations import bundled
from tests.cli.contract import check_errors, check_query, check_repair, check_replay, check_verdict
from tests.cli.support import FIGURE_7, Cli, Files, Step, run, session, variant


@pytest.fixture(scope="module")
def validators() -> dict[str, Draft202012Validator]:
    """A validator for each schema, as ``planscope schema`` prints them."""
    import contextlib
    import io

    from planscope.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["schema"]) == 0
    found = {}
    for name, schema in json.loads(out.getvalue()).items():
        Draft202012Validator.check_schema(schema)
        found[name] = Draft202012Validator(schema)
    return found


Valid = Callable[[str, Any], None]


@pytest.fixture
def valid(validators: dict[str, Draft202012Validator]) -> Valid:
    def check(name: str, document: Any) -> None:
        validators[name].validate(document)
        Draft202012Validator(closed(validators[name].schema)).validate(document)

    return check


def closed(schema: Any) -> Any:
    """The schema with no room for fields that it does not tell of; what is a session's own stays open."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    if found.get("type") == "object" and "properties" in found:
        found["additionalProperties"] = False
    return found


def test_a_schema_by_its_name_is_the_one_among_all(cli: Cli) -> None:
    every = cli("schema").json
    assert set(every) == set(DOCUMENTS)
    for name in every:
        assert cli("schema", name, "--json").json == every[name]
        assert every[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"


WRONG: dict[str, Callable[[Any], object]] = {
    "new": lambda d: d.pop("valid_orders"),
    "parse": lambda d: d.update(timed="no"),
    "check": lambda d: d.update(verdict="perhaps"),
    "replay": lambda d: d["steps"][1].update(state="lost"),
    "repair": lambda d: d.update(order="a1"),
}


def test_the_schemas_refuse_what_is_no_such_document(
    cli: Cli, files: Files, validators: dict[str, Draft202012Validator]
) -> None:
    path = files("b", "a", about=variant("A comes before B.", ["a", "b"]))
    made = {name: cli(name, path, "--json").json for name in ("check", "replay", "repair")}
    made["new"] = cli("new", "--seed", "1", "--json").json
    made["parse"] = cli("parse", "--actions", "a, b", "--json", stdin="A comes before B.").json
    for name, spoil in WRONG.items():
        assert validators[name].is_valid(made[name])
        spoil(made[name])
        assert not validators[name].is_valid(made[name]), name


@pytest.mark.parametrize("timed", [[], ["--timed"]])
@pytest.mark.parametrize("actions", [2, 5, 21])
def test_new(cli: Cli, valid: Valid, timed: list[str], actions: int) -> None:
    done = cli("new", "--actions", str(actions), "--seed", "7", *timed, "--json")
    assert done.status == 0 and done.err == ""
    document = done.json
    check_query(document)
    valid("new", document)
    assert document["seed"] == 7 and document["timed"] is bool(timed) and document["certified"] is True
    assert len(document["actions"]) == actions
    assert (document["valid_orders"] is None) == (actions > 20)


def test_parse_prints_what_new_prints(cli: Cli, valid: Valid) -> None:
    made = cli("new", "--actions", "6", "--seed", "11", "--json").json
    names = ", ".join(a["name"] for a in made["actions"])
    read = cli("parse", "--actions", names, "--json", stdin=made["text"]).json
    check_query(read)
    valid("parse", read)
    for same in ("id", "timed", "text", "prompt", "actions", "constraints", "valid_orders"):
        assert read[same] == made[same], same
    assert read["seed"] is None and read["topic"] is None and read["contradiction"] == []


def test_parse_reads_back_a_timed_request(cli: Cli, valid: Valid) -> None:
    made = cli("new", "--actions", "5", "--seed", "4", "--timed", "--json").json
    names = ", ".join(a["name"] for a in made["actions"])
    hours = ", ".join(str(a["duration"]) for a in made["actions"])
    read = cli(
        "parse", "--actions", names, "--timed", "--durations", hours, "--json", stdin=made["text"]
    ).json
    check_query(read)
    valid("parse", read)
    assert (read["constraints"], read["valid_orders"]) == (made["constraints"], made["valid_orders"])


def test_parse_errors(cli: Cli, valid: Valid) -> None:
    text = "A comes before B.\n\nA comes near B. B comes zork before A.\nA follows B"
    done = cli("parse", "--actions", "a, b", "--json", stdin=text)
    assert done.status == 1 and done.err == ""
    check_errors(done.json)
    valid("parse", done.json)
    first, second = done.json["errors"]
    assert (first["line"], first["column"]) == (3, 3)
    assert second["line"] == 3 and 17 <= second["column"] <= 25


def test_a_contradiction_is_no_error(cli: Cli, valid: Valid) -> None:
    text = "A comes before B. C comes before D. B comes before A."
    done = cli("parse", "--actions", "a, b, c, d", "--json", stdin=text)
    assert done.status == 0
    check_query(done.json)
    valid("parse", done.json)
    assert done.json["valid_orders"] == 0 and done.json["contradiction"] == ["c1", "c3"]


ABC = variant("A comes before B. B comes before C.", ["a", "b", "c"])
TIMED = variant(FIGURE_7, ["network diagnosis", "network speed test"], [2, 1])

RUNS: list[tuple[Any, tuple[Step, ...], dict[str, Any]]] = [
    (ABC, ("a", "b", "c"), {}),
    (ABC, ("c", "b", "a"), {}),
    (ABC, ("a", "a", "c"), {}),
    (ABC, (), {}),
    (ABC, ("ghost", "a", ("b", None), ("b", {"x": [1, {"y": None}]}), "c"), {}),
    (ABC, ("a",), {"ending": "timeout", "reason": "over 180 seconds"}),
    (ABC, ("a",), {"ending": "call_limit"}),
    (ABC, ("a", "b"), {"ending": "aborted", "reason": "the network is down"}),
    (ABC, ("a",), {"ending": None}),
    (TIMED, (("network_diagnosis", 10), ("network_speed_test", 12)), {}),
    (TIMED, (("network_diagnosis", 14), "ask_for_restart", ("network_diagnosis", 10)), {}),
    (TIMED, (("network_speed_test", {"start_time": "8"}), ("network_diagnosis", -3)), {}),
    (TIMED, (("network_diagnosis", {"start_time": 10.0, "hours": 2}), ("network_speed_test", 99)), {}),
    (TIMED, (("network_diagnosis", {"start_time": 1e300}),), {}),
]


@pytest.mark.parametrize("about,steps,options", RUNS)
def test_a_run_judged(cli: Cli, files: Files, valid: Valid, about: Any, steps: Any, options: Any) -> None:
    path = files(*steps, about=about, **options)
    checked = cli("check", path, "--json")
    check_verdict(checked.json)
    valid("check", checked.json)
    assert checked.status == {"right": 0, "wrong": 1, "aborted": 2}[checked.json["verdict"]]
    replayed = cli("replay", path, "--json")
    assert replayed.status == 0
    check_replay(replayed.json)
    valid("replay", replayed.json)
    assert len(replayed.json["steps"]) == len(steps) + 2, "every call of any kind is a step"
    repaired = cli("repair", path, "--json")
    assert repaired.status == 0
    check_repair(repaired.json)
    valid("repair", repaired.json)
    assert (repaired.json["starts"] is None) == (about is ABC)
    exported = cli("export", path, "--format", "json")
    assert exported.status == 0
    valid("export", exported.json)
    valid("export", cli("export", path, "--preview", "--json").json)
    assert exported.json["replay"]["steps"] == replayed.json["steps"]
    plain = {k: v for k, v in checked.json.items() if k != "run"}
    plain |= {"certified": None, "proof": "not_asked"}
    assert exported.json["check"] == plain == replayed.json["check"]


def test_numbers_without_end_are_no_json(cli: Cli, files: Files, valid: Valid) -> None:
    """JSON may say 1e999, which Python reads as infinity and would write as ``Infinity``."""
    path = files(("network_diagnosis", {"start_time": 77777}), about=TIMED)
    path.write_text(path.read_text().replace("77777", "1e999"))
    for command in ("check", "replay", "repair"):
        done = cli(command, path, "--json")
        valid(command, done.json)
    assert cli("replay", path, "--json").json["steps"][1]["call"]["arguments"] == {"start_time": "inf"}
    valid("export", cli("export", path, "--format", "json").json)


def test_a_session_without_a_run(cli: Cli, files: Files, valid: Valid) -> None:
    path = files.keep(session(ABC))
    done = cli("check", path, "--json")
    assert done.status == 2 and done.err == ""
    check_verdict(done.json)
    valid("check", done.json)
    assert done.json["verdict"] == "unknown" and done.json["run"] is None
    valid("export", cli("export", path, "--format", "json").json)


def test_the_run_is_chosen(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC, run("a", "b", "c", run_id="r1"), run("c", run_id="late")))
    assert cli("check", path, "--json").json["run"] == "late"
    assert cli("check", path, "--json", "--run", "r1").json["verdict"] == "right"
    assert cli("replay", path, "--json").json["run"] == "late"
    assert cli("replay", path, "--json", "--run", "r1").json["run"] == "r1"
    assert cli("repair", path, "--json").json["run"] == "late"
    assert cli("repair", path, "--json", "--run", "r1").json["swaps"] == 0
    assert cli("export", path, "--format", "json").json["run"]["id"] == "late"
    assert cli("export", path, "--format", "json", "--run", "r1").json["run"]["id"] == "r1"


def test_repair_from_a_step(cli: Cli, files: Files, valid: Valid) -> None:
    path = files("c", "a", "b", about=variant("A comes before B.", ["a", "b", "c"]))
    for step in range(4):
        document = cli("repair", path, "--json", "--from-step", str(step)).json
        check_repair(document)
        valid("repair", document)
        assert document["order"] == ["a3", "a1", "a2"]
    lost = cli("repair", files("b", "a", "c", about=ABC, name="lost"), "--json", "--from-step", "1")
    assert lost.status == 0
    check_repair(lost.json)
    assert lost.json["order"] is None and lost.json["reason"]


EVERY = """
new --seed 3 -o case.planscope.json
new --seed 3 --count 2
parse query.txt --actions alpha-review,beta-review
parse wrong.txt --actions a,b
edit case.planscope.json --text query.txt --new-actions
mutate case.planscope.json --count 1
run case.planscope.json --model sim:literal
run case.planscope.json --model sim:flaky --times 3
check case.planscope.json
check first-look
check error-lost
check chat.json --rules rules.txt
check first-look --rules rules.txt
check - --running --rules rules.txt
replay first-look
replay first-look --changes
replay chat.json --rules rules.txt
repair first-look
repair chat.json --rules rules.txt
reasons first-look
reasons chat.json --rules rules.txt
compare first-look r1 r1
compare error-lost v1 v1 --other first-look --variants
runs case.planscope.json
runs case.planscope.json --delete r1
runs case.planscope.json --restore
fork figure-7 --run 1 --step 1 --model sim:careful -o fork.planscope.json
dissect first-look --model sim:word-blind --budget 12 -o dissected.planscope.json
campaign run c --model sim:literal --model sim:flaky --actions 2..3 --cases 2
campaign run c --detect 0.2
campaign resume c
campaign list
campaign show c
campaign report c
campaign report c c
campaign compare c tools/sim:literal tools/sim:flaky
campaign dissect c --sample 1 --budget 6
campaign export c --format finetune -o lines.jsonl
campaign delete c --yes
attach
fuzz tests.toolfuzz.tools:figure_3 --calls 20
models
models --base-url http://localhost:1
export first-look --format json
export first-look --preview
topics
topics nurse
themes
config
doctor
grammar
rules check rules.txt
rules check wrong.txt
rules check rules.txt --session case.planscope.json
rules add case.planscope.json rules.txt
rules mine chat.json --bad bad.json
import chat.json --list
import chat.json -o imported.planscope.json
sessions
sessions list first
sessions copy first-look copied
sessions rename copied renamed
sessions delete renamed
sessions restore renamed
schema
"""


def test_every_command_prints_what_its_schema_says(
    cli: Cli, valid: Valid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No field that is printed is missing in the schema, and none has another type; no schema is left out."""
    monkeypatch.chdir(tmp_path)
    query = "Alpha review comes before beta review."
    good = [{"role": "user", "content": "go"}, *_call("look"), *_call("cut")]
    texts = {
        "chat.json": json.dumps(good),
        "bad.json": json.dumps([good[0], *_call("cut")]),
        "query.txt": query,
    }
    texts |= {
        "rules.txt": "look comes before cut.\nEvery look is followed by cut.\n",
        "wrong.txt": "A comes near B.",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    troubles, seen = [], set()
    for line in EVERY.strip().splitlines():
        name, *words = line.split()
        asks = [] if "--format" in words and name == "export" else ["--json"]
        done = cli(name, *words, *asks, stdin=texts["chat.json"] if "-" in words else "")
        lines = (
            done.out.splitlines() if {"--count", "--running"} & {*words} and name != "mutate" else [done.out]
        )
        try:
            for document in map(json.loads, lines):
                if name != "schema":
                    valid(name, document)
        except ValidationError as error:
            troubles.append(f"{line}: {error.message[:300]}")
        except ValueError:
            troubles.append(f"{line}: {done.err}")
        seen.add(name)
    assert troubles == []
    assert set(DOCUMENTS) - seen == {"session"}


def _call(tool: str) -> list[dict[str, Any]]:
    called = {"id": tool, "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": tool, "content": "ok"},
    ]


def test_the_bundled_sessions_fit_the_schema(validators: dict[str, Draft202012Validator]) -> None:
    for path in bundled().values():
        validators["session"].validate(json.loads(path.read_text(encoding="utf-8")))


def test_topics(cli: Cli, tmp_path: Path) -> None:
    from planscope.language.topics import load_topics

    topics = cli("topics", "--json").json["topics"]
    assert len(topics) == 50 and all(len(t["activities"]) == 20 for t in topics)
    assert topics[0] == {"job": "teacher", "activities": list(load_topics()["teacher"])}
    mine = tmp_path / "mine.toml"
    mine.write_text('[[topic]]\njob = "Beekeeper"\nactivities = ["hive painting", "honey extraction"]\n')
    document = cli("topics", "--file", mine, "--json").json
    assert document["topics"][-1] == {"job": "Beekeeper", "activities": ["hive painting", "honey extraction"]}
    assert cli("topics", "nurse", "--json").json == {"topics": [t for t in topics if t["job"] == "nurse"]}


def test_grammar_counts(cli: Cli) -> None:
    report = cli("grammar", "--json").json
    assert report["clause_skeletons"]["base"] == 250
    assert report["wordings"]["total"] > 340
    assert report["wordings"]["total"] == sum(v for k, v in report["wordings"].items() if k != "total")


def test_themes(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "config" / "planscope" / "themes"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('name = "mine"\ninherits = "dark"\n[colors]\nprimary = "#ff0000"\n')
    (folder / "broken.toml").write_text("name = \n")
    document = cli("themes", "--json").json
    names = [t["name"] for t in document["themes"]]
    assert names[0] == "dark" and "mine" in names
    assert len(document["problems"]) == 1 and "broken.toml:1" in document["problems"][0]
    assert document["folder"] == str(folder)
    person = cli("themes")
    assert "mine" in person.out and "not loaded: broken.toml:1" in person.out


@pytest.mark.parametrize(
    "args,stdin",
    [
        (["new", "--json"], ""),
        (["new", "--count", "1"], ""),
        (["parse", "--actions", "a, b", "--json"], "A happens before B."),
        (["parse", "--actions", "a, b", "--json"], "A happens."),
        (["check", "first-look", "--json"], ""),
        (["replay", "first-look", "--json"], ""),
        (["repair", "first-look", "--json"], ""),
        (["export", "first-look", "--format", "json"], ""),
        (["topics", "--json"], ""),
        (["grammar", "--json"], ""),
        (["schema"], ""),
        (["themes", "--json"], ""),
    ],
)
def test_json_is_one_ascii_document_and_nothing_else(cli: Cli, args: list[str], stdin: str) -> None:
    done = cli(*args, stdin=stdin)
    assert done.err == ""
    assert isinstance(done.json, dict)
    assert done.out.isascii() and done.out.endswith("}\n") and done.out.count("\n}\n") <= 1


HOSTILE = {
    "del": "\x7f\x1b",
    "half": "\udcff",
    "big": 10**400,
    "end": float("-inf"),
    "none": [float("nan"), {}],
}


@pytest.mark.parametrize("key", [*HOSTILE, "nested"])
def test_a_line_of_json_says_what_the_data_says(key: str) -> None:
    """Lines are written by pydantic, all else by the standard library."""
    from planscope.documents.judgement import CallDocument
    from planscope.json_text import json_text
    from planscope.oracle.trace import ToolCall

    value: Any = HOSTILE.get(key)
    for _ in range(300 if key == "nested" else 0):
        value = {"a": value}
    document = CallDocument.of(ToolCall(f"tool {key}", {key: value, "\udcff": value}))
    line = document.as_line()
    assert line.isascii() and line.isprintable()
    assert (
        json.loads(line) == json.loads(json_text(document.as_data())) and json.loads(line)["refused"] is False
    )


def test_arguments_nested_too_deeply_are_refused_in_one_line() -> None:
    from planscope.documents.judgement import CallDocument
    from planscope.errors import UserError
    from planscope.oracle.trace import ToolCall

    value: Any = {}
    for _ in range(100_000):
        value = {"a": value}
    with pytest.raises(UserError, match="nested too deeply"):
        CallDocument.of(ToolCall("a", value))


@pytest.mark.parametrize("name", ["first-look", "figure-10", "error-repeated", "error-lost"])
def test_changes_say_all_that_every_status_says(cli: Cli, valid: Valid, name: str) -> None:
    """Step after step the same statuses come of them; what does not change is not said again."""
    whole, few = (cli("replay", name, "--json", *more).json for more in ((), ("--changes",)))
    valid("replay", few)
    known: dict[str, str] = {}
    for full, step in zip(whole["steps"], few["steps"], strict=True):
        assert all(known.get(c) != status for c, status in step["constraints"].items())
        known |= step["constraints"]
        assert known == full["constraints"]
        assert {**step, "constraints": None} == {**full, "constraints": None}
    assert sum(len(step["constraints"]) for step in few["steps"]) < sum(
        len(step["constraints"]) for step in whole["steps"]
    )


def test_changes_belong_to_json(cli: Cli) -> None:
    assert "--changes needs --json" in cli("replay", "first-look", "--changes").complaint()
