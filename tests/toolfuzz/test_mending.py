"""New documentation: chosen on one half of held-out prompts, reported on the other, written if the user says so."""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.commands.fuzz_fix import is_wanted, write_fixes
from planscope.documents.fuzz import FuzzDocument
from planscope.errors import UserError
from planscope.session.model import FuzzFinding, FuzzFix, Session
from planscope.session.store import load
from planscope.show.text import lines
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.keeping import put, record_of
from planscope.toolfuzz.mending import MOST_WORDS, Mending, new_description
from planscope.toolfuzz.models import FuzzModels
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.served import ServedTools
from planscope.toolfuzz.tool_report import ToolReport
from planscope.tui.controllers.finding_list import Row, Step, _led_first
from planscope.tui.screens.findings.lines import chosen_lines
from planscope.views.fuzz import fix_blocks
from tests.bench.bench_mending import TARGET, done
from tests.bench.mending import file_tools
from tests.bench.mending.reader import PRACTICE, Reader, loaded, reply
from tests.bench.mending.tasks import TASKS
from tests.nightly import nightly
from tests.toolfuzz.printed import data_of, is_what_the_schema_says, models_of
from tests.toolfuzz.reader import Answering
from tests.toolfuzz.reader import Reader as Reader_

GOOD = {
    "move_file": "Paths are relative; the destination must include the file name.",
    "copy_file": "Paths are relative; the folder must exist.",
    "delete_folder": "The path is relative; the folder must be empty.",
    "replace_line": "The path is relative; lines count from 0.",
    "append_text": "End the text with a newline.",
}


@pytest.fixture(scope="module")
def served() -> Iterator[ServedTools]:
    with ServedTools(Options(TARGET)) as tools:
        yield tools


def found(served: ServedTools, *calls: tuple[str, dict[str, Any]]) -> Report:
    """A report with what these calls raise."""
    report = Report(TARGET, 1, list(served.tools))
    for number, (tool, given) in enumerate(calls, 1):
        with served.stage(PRACTICE) as stage:
            outcome = stage.call(tool, given).outcome
        assert outcome.kind == "raised"
        data = {"tool": tool, **outcome.as_finding(), "input": given, "at_call": number}
        report.findings[(tool, str(number))] = FuzzFinding.model_validate(data)
    return report


MOVES = (
    ("move_file", {"source": "/letter.txt", "destination": "/box"}),
    ("move_file", {"source": "letter.txt", "destination": "box"}),
)


def mended(
    served: ServedTools, report: Report, seed: int = 1, noise: float = 0.4, **options: Any
) -> FuzzModels:
    models = models_of(loaded(seed, noise), files=PRACTICE, **options)
    Mending(models, served, report).run()
    return models


def test_the_best_of_ten_is_chosen_on_one_half_and_reported_on_the_other(served: ServedTools) -> None:
    report = found(served, *MOVES)
    mended(served, report)
    [one] = report.fixes
    [chosen] = [candidate for candidate in one.candidates if candidate["chosen"]]
    assert one.after == chosen["text"]
    assert "relative" in one.after and "include the file name" in one.after
    assert one.choosing == {"before": 0, "after": 4, "prompts": 4} == one.reporting
    assert (one.cures, one.leaves, one.untried) == ([1, 2], [], [])
    assert 2 <= len(one.candidates) <= 10 and {c["from"] for c in one.candidates} >= {
        "mend_prompts",
        "mend_source",
    }
    assert max(c["passed"] for c in one.candidates if c["complete"]) == chosen["passed"] == 4
    assert all(len(c["text"].split()) <= MOST_WORDS for c in one.candidates)
    data = data_of(report)["fixes"][0]
    assert data["reporting"] == {"before": 0, "after": 4, "prompts": 4} and data["written"] is None
    assert json.loads(json.dumps(data)) == data


def test_no_candidate_has_seen_a_prompt_that_it_is_tried_on(
    served: ServedTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    told = Reader._written

    def noted(self: Reader, fields: Any, lessons: Any) -> Any:
        asked.append(json.dumps(dict(fields)))
        return told(self, fields, lessons)

    runs: list[str] = []
    run = FuzzModels.run

    def counted(self: FuzzModels, request: str, *args: Any, **options: Any) -> Any:
        runs.append(request)
        return run(self, request, *args, **options)

    monkeypatch.setattr(Reader, "_written", noted)
    monkeypatch.setattr(FuzzModels, "run", counted)
    mended(served, found(served, *MOVES))
    assert runs and asked
    assert not [one for one in set(runs) for text in asked if one in text]


def test_nothing_is_proposed_that_is_not_better(served: ServedTools) -> None:
    report = found(served, MOVES[0])
    mended(served, report, noise=1.0)
    [one] = report.fixes
    assert one.after is None and one.why == NOT_BETTER
    assert one.reporting is None and not any(candidate["chosen"] for candidate in one.candidates)
    blocks = fix_blocks(FuzzDocument.of_report(report))
    assert f"  nothing is proposed: {NOT_BETTER}" in list(lines(blocks, 200))


def test_a_budget_that_ends_before_the_report_proposes_nothing(served: ServedTools) -> None:
    whole = found(served, *MOVES)
    spent = mended(served, whole).spending
    report = found(served, *MOVES)
    mended(served, report, tokens=spent.tokens_in + spent.tokens_out - 2_000)
    assert all(one.after is None for one in report.fixes)
    assert "tokens is spent; the documentation of move_file is not mended." in report.remarks[0]


def test_a_finding_that_does_not_count_is_not_mended(served: ServedTools) -> None:
    report = found(served, MOVES[0])
    report.change(("move_file", "1"), sane=False)
    models = mended(served, report)
    assert report.fixes == [] and models.spending.calls == 0


@pytest.mark.parametrize("text", ["", "word " * (MOST_WORDS + 1), "x" * 5000, 3, None])
def test_documentation_that_cannot_be_used_is_no_candidate(text: Any) -> None:
    assert new_description({"description": text}) is None
    assert new_description({"description": "fine"}) == "fine"


# --- what never wins ---

UNIFORM = "VAT of 100. Always pass 0.07."
SHOWN = "VAT of 100. 15 % is 0.15."
ONE = "VAT of 100. 20 % is 0.2."
CHOSEN = "VAT of 100. 20 % is 0.2 and 19 % is 0.19."
RIGHT = "VAT of 100. rate: a fraction; divide a percentage by 100. For example, a rate of 50 % is 0.5."
NOT_BETTER = "no candidate cures a finding and is better than the documentation as it is"


def vat_mended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], what: str, *texts: str, **said: str
) -> Any:
    """What ``--fix`` makes of a tool whose agent reads 15 % as 15, if these are the candidates."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    reader = Reader_(frozenset({"no-percent"}), overrides=said, writes=list(texts))
    with Answering(reader) as server:
        given = [
            "--model",
            "openai:x",
            "--base-url",
            server.base_url,
            "--sets",
            "1",
            "--call-limit",
            "60",
            "--json",
            *(("--calls", "20", "--no-sanity") if what == "--runtime" else ()),
        ]
        main(["fuzz", "tests.toolfuzz.misleading:vat", what, "--fix", *given])
    data = json.loads(capsys.readouterr().out)
    assert is_what_the_schema_says(data)
    return data


WRONG_FOR_SOME = (
    (UNIFORM, NOT_BETTER),
    (SHOWN, NOT_BETTER),
    (ONE, NOT_BETTER),
    (CHOSEN, "the best candidate cures nothing where it was not chosen: 0 of 6 prompts right, 0 as it was"),
)


@pytest.mark.parametrize(
    "text,why,what",
    [
        *((*WRONG_FOR_SOME[k], what) for k, what in ((1, "--runtime"), (3, "--correctness"))),
        *nightly(*((*WRONG_FOR_SOME[k], what) for k, what in ((1, "--correctness"), (3, "--runtime")))),
        *nightly(*((*WRONG_FOR_SOME[k], what) for k in (0, 2) for what in ("--correctness", "--runtime"))),
    ],
)
def test_documentation_that_is_wrong_for_all_or_right_for_a_few_values_never_wins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], what: str, text: str, why: str
) -> None:
    data = vat_mended(monkeypatch, capsys, what, text)
    [one] = data["fixes"]
    assert [c["text"] for c in one["candidates"]] == [text]
    assert (one["after"], one["cures"], one["why"]) == (None, [], why) and one["choosing"]["after"] is None


@pytest.mark.parametrize("what", ["--correctness", *nightly("--runtime")])
def test_documentation_that_cures_wins_over_what_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    [one] = vat_mended(monkeypatch, capsys, what, UNIFORM, SHOWN, RIGHT, ONE)["fixes"]
    assert {c["text"] for c in one["candidates"]} == {UNIFORM, SHOWN, RIGHT, ONE}
    assert (one["after"], one["leaves"]) == (RIGHT, [])
    assert one["reporting"] == {"before": 0, "after": 6, "prompts": 6}


@pytest.mark.parametrize(
    "similar",
    [
        json.dumps({"requests": [[f"VAT of {n} %?", f"VAT of {n} percent?"] for n in (20, 19, 7)]}),
        "[]",
        *nightly(
            '{"requests": ["What do 100 cost with 20 % VAT?", "And with 19 %?", "And with 7 %?", "And with 8 %?"]}',
            json.dumps({"requests": [[f"VAT{s} 20 %?", f"{s} VAT 20 percent?"] for s in "abcdef"]}),
            json.dumps({"requests": [[f"VAT{s} 15 %?", f"{s} VAT 15 percent?"] for s in "abcdef"]}),
            json.dumps({"requests": [[f"VAT of {n} %?", f"VAT of {n + 1} %?"] for n in (2, 4, 6, 8, 10)]}),
        ),
    ],
)
def test_too_few_other_requests_are_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], similar: str
) -> None:
    [one] = vat_mended(monkeypatch, capsys, "--correctness", RIGHT, similar=similar)["fixes"]
    assert one["why"].startswith("too few other requests: each half needs 2") and one["untried"] == [1]
    assert (one["after"], one["candidates"]) == (None, [])


def test_no_value_is_in_both_halves_and_each_has_its_wordings(served: ServedTools) -> None:
    report = found(served, *MOVES)
    models = models_of(loaded(), files=PRACTICE)
    mending = Mending(models, served, report)
    tool = report.tool("move_file")
    first, second = mending._groups(tool)
    mending._ask_for_values(tool, first, [])
    mending._ask_for_values(tool, second, first.values)
    halves = [{text for g in (first, second) for one in g.half(k) for text in one.wordings} for k in (0, 1)]
    assert first.fair and second.fair and not halves[0] & halves[1]
    assert all(len(one.wordings) >= 2 and one.expected for g in (first, second) for one in g.values)


# --- the user's word ---

SOURCE = 'def move_file(source: str, destination: str) -> str:\n    """Move a file."""\n    return source\n'


def options(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"fix": True, "fix_write": False, "fix_patch": None, "json": False, **given})


def proposal(path: Path) -> Report:
    one = FuzzFix(tool="move_file", before="Move a file.", after="New <b>text</b>.")
    tool = ToolReport("move_file", place={"file": str(path), "line": 1})
    return Report("x:y", 1, tools=[tool], fixes=[one])


def ended(_: str) -> str:
    raise EOFError


def stopped(_: str) -> str:
    raise KeyboardInterrupt


def test_what_was_found_is_kept_if_the_question_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tools.py"
    path.write_text(SOURCE)

    def find(_: Options, report: Report, *__: object, **___: object) -> None:
        report.tools, report.fixes = proposal(path).tools, proposal(path).fixes

    monkeypatch.setattr("planscope.commands.fuzz._find", find)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", stopped)
    given = ["fuzz", "tools:move_file", "--fix", "--model", "openai:x", "--base-url", "http://127.0.0.1:1/v1"]
    assert main([*given, "-o", "k.planscope.json"]) == 130
    [fuzzing] = list(load(tmp_path / "k.planscope.json").fuzzings or ())
    assert fuzzing.fixes and path.read_text() == SOURCE


def test_nothing_is_written_without_the_users_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tools.py"
    path.write_text(SOURCE)
    report = proposal(path)
    write_fixes(report, options())  # no terminal
    write_fixes(report, options(fix_patch="fix.patch"))
    assert path.read_text() == SOURCE and report.fixes[0].written is None
    patch = (tmp_path / "fix.patch").read_text()
    assert '-    """Move a file."""\n+    """New <b>text</b>."""\n' in patch and "+++ b/tools.py" in patch
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: "no")
    write_fixes(report, options())
    assert path.read_text() == SOURCE
    monkeypatch.setattr("builtins.input", ended)
    write_fixes(report, options())  # Ctrl-D
    assert path.read_text() == SOURCE
    questions = [""]
    monkeypatch.setattr("builtins.input", lambda asked: (questions.append(asked), "y")[1])
    write_fixes(report, options())
    assert questions[1] == "Write the documentation of move_file into tools.py? [y/N] "
    assert ast.get_docstring(ast.parse(path.read_text()).body[0]) == "New <b>text</b>."
    assert report.fixes[0].written == "tools.py"


def test_an_option_writes_and_says_where_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tools.py"
    path.write_text(SOURCE)
    write_fixes(proposal(path), options(fix=False, fix_write=True))
    assert "New <b>text</b>." in path.read_text()
    assert "written: the documentation of move_file in tools.py" in capsys.readouterr().out
    write_fixes(proposal(path), options(fix=False, fix_write=True))
    assert "move_file: the documentation is not one string in" in capsys.readouterr().err
    with pytest.raises(UserError, match="give one of them"):
        is_wanted(options(fix_write=True, fix_patch="a.patch"))


def test_the_findings_screen_shows_the_diff_that_was_kept(served: ServedTools) -> None:
    report = found(served, *MOVES)
    mended(served, report)
    session = Session(id="s", title="t")
    put(session, record_of(report))
    session = Session.model_validate_json(session.model_dump_json())
    [fuzzing] = list(session.fuzzings or ())
    row = Row(fuzzing, fuzzing.findings[0], ())
    text = "\n".join("".join(run.text for run in line.runs) for line in chosen_lines(row, 80))
    assert "New documentation  4 of 4 prompts right, 0 as it was" in text
    assert "\n- Move a file.\n+ Move a file. " in text


def test_the_run_that_was_led_to_a_finding_is_opened_first() -> None:
    one = FuzzFinding(tool="t", kind="raised", agent={"run": "r2", "hit": True})
    steps = [Step("r3", 1, False), Step("r2", 4, False), Step("r1", 1, True)]
    assert [step.run for step in _led_first(one, steps)] == ["r2", "r3", "r1"]


def test_the_command_fuzzes_mends_writes_and_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("planscope.toolfuzz.mending.CANDIDATES", 4)
    Path("files.py").write_text(Path(file_tools.__file__).read_text())
    for name, text in PRACTICE.items():
        (tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / name).write_text(text)
    model = Reader(seed=2, noise=0.1)
    with Answering(lambda body: reply(model, body)) as server:
        given = [
            "fuzz",
            "files:move_file",
            "--runtime",
            "--calls",
            "40",
            "--no-sanity",
            "--model",
            "openai:x",
        ]
        more = [
            "--base-url",
            server.base_url,
            "--files",
            "folder",
            "--fix-write",
            "--json",
            "-o",
            "k.planscope.json",
        ]
        assert main([*given, *more]) == 1
    [fix] = json.loads(capsys.readouterr().out)["fixes"]
    assert fix["written"] == "files.py" and fix["reporting"] == {"before": 0, "after": 4, "prompts": 4}
    assert " ".join(fix["after"].split()) in " ".join(Path("files.py").read_text().split())
    [fuzzing] = list(load(tmp_path / "k.planscope.json").fuzzings or ())
    assert [one.after for one in fuzzing.fixes or ()] == [fix["after"]]


# --- the benchmark ---


def test_tasks_of_the_benchmark_are_done_with_good_documentation_and_not_without(
    served: ServedTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [TASKS[k] for k in (0, 8, 14, 21, 25)]
    assert len(TASKS) == 30 and all(task.after != task.before for task in TASKS)
    monkeypatch.setattr("tests.bench.bench_mending.TASKS", few)
    models = models_of(loaded())
    assert done(models, served, {}) == [False] * 5
    assert done(models, served, GOOD) == [True] * 5
