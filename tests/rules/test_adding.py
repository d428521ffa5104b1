"""``rules add`` and ``import --rules``: a session gets rules of its own, and all its runs are judged by them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from planscope.documents.schemas import schema
from planscope.session.store import load
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.rules.test_check import chat


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rules = "look first: look comes before cut.\nmust_look happens.\n"
    (tmp_path / "rules.txt").write_text(rules)
    lines = [chat("cut", id="bad"), chat("look", "cut", id="good")]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return tmp_path


def test_import_gives_the_session_its_rules(cli: Cli, files: Path) -> None:
    target = str(files / "made.planscope.json")
    runs, rules = str(files / "runs.jsonl"), str(files / "rules.txt")
    done = cli("import", runs, "--all", "--rules", rules, "-o", target)
    assert done.status == 0 and "look first" in done.out and "no trace calls or defines must_look" in done.out
    assert load(Path(target)).rules == Path(rules).read_text()
    (files / "wrong.txt").write_text("look is followed by cut.")
    done = cli("import", runs, "--all", "--rules", str(files / "wrong.txt"), "-o", str(files / "no.json"))
    assert done.status == 2 and "every look is followed by cut" in done.err.lower()
    assert not (files / "no.json").exists()


def test_rules_are_added_and_all_runs_judged_anew(cli: Cli, files: Path) -> None:
    target, rules = str(files / "made.planscope.json"), str(files / "rules.txt")
    assert cli("import", str(files / "runs.jsonl"), "--all", "-o", target).status == 0
    done = cli("rules", "add", target, rules)
    assert done.status == 0 and "added 2 rules" in done.out
    (files / "more.txt").write_text("cut happens at most once.")
    done = cli("rules", "add", target, str(files / "more.txt"), "--json")
    document = json.loads(done.out)
    Draft202012Validator(schema("rules")).validate(document)
    assert document["added"] == ["c3"] and document["summary"]["traces"] == 2
    assert [(one["applicable"], one["broken"]) for one in document["summary"]["rules"]] == [
        (2, 1),
        (2, 2),
        (2, 0),
    ]
    (files / "wrong.txt").write_text("a happens.\nlook is followed by cut.")
    before = Path(target).read_bytes()
    done = cli("rules", "add", target, str(files / "wrong.txt"))
    assert done.status == 2 and "line 2" in done.err and Path(target).read_bytes() == before
    assert "read-only" in cli("rules", "add", "first-look", rules).err


def test_a_query_that_contradicts_the_rules_is_named_early(cli: Cli, tmp_path: Path) -> None:
    """Each could be met alone. It is said when rules are checked or added, and at step 0."""
    (tmp_path / "query.txt").write_text("Alpha happens before beta.")
    (tmp_path / "rules.txt").write_text("log comes before alpha.\nbeta comes before alpha.")
    target, rules = str(tmp_path / "made.planscope.json"), str(tmp_path / "rules.txt")
    assert (
        cli("new", "--text", str(tmp_path / "query.txt"), "--actions", "alpha, beta", "-o", target).status
        == 0
    )
    said = "No sequence of calls can keep both the query and the rule \u201cbeta comes before alpha\u201d"
    assert said in " ".join(cli("rules", "check", rules, "--session", target).out.split())
    document = json.loads(cli("rules", "check", rules, "--session", target, "--json").out)
    Draft202012Validator(schema("rules")).validate(document)
    (clash,) = document["queries"]
    assert (clash["variant"], clash["constraints"], clash["rules"]) == ("v1", ["c1", "b2"], ["c2"])
    assert said in " ".join(cli("rules", "add", target, rules).out.split())
    assert cli("run", target, "--model", "sim:careful").status == 0
    first = json.loads(cli("replay", target, "--json").out)["steps"][0]
    assert (first["state"], first["core"]) == ("doomed", ["c1", "c3", "b2"])
    (tmp_path / "rules.txt").write_text("log comes before alpha.")
    assert "can be met together" in cli("rules", "check", rules, "--session", target).out


def test_a_tool_may_be_named_with_a_blank(cli: Cli, files: Path) -> None:
    """``rules add`` knows the tools of the session, as ``check`` does those of the traces."""
    target, rules = str(files / "made.planscope.json"), files / "more.txt"
    trace = files / "runs.jsonl"
    trace.write_text(trace.read_text(encoding="utf-8").replace('"cut"', '"cut_wood"'), encoding="utf-8")
    assert cli("import", str(trace), "--all", "-o", target).status == 0
    rules.write_text("cut wood happens at most 9 times.", encoding="utf-8")
    assert cli("check", str(trace), "--rules", str(rules)).status == 0
    done = cli("rules", "add", target, str(rules))
    assert done.status == 0 and "added 1 rule" in done.out
