"""How many errors there are in all: said as far as the counts tell, and no further."""

from __future__ import annotations

import json

import pytest

from planscope.cli import main
from planscope.documents.fuzz import FuzzDocument
from planscope.session.model import FuzzFinding
from planscope.toolfuzz import chao1
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.tool_report import ToolReport
from planscope.tui.controllers.tool_search import progress_of
from tests.toolfuzz.printed import data_of, page, text_of

TARGET = "planscope.toolfuzz.examples:map_search"


def report(*occurrences: int) -> Report:
    made = Report("m:f", 1, tools=[ToolReport("f", calls=60)])
    for k, often in enumerate(occurrences):
        made.findings["f", str(k)] = _finding(k, often)
    return made


def _finding(number: int, often: int) -> FuzzFinding:
    return FuzzFinding(
        tool="f", kind="raised", exception=f"Error{number}", input={}, at_call=number + 1, occurrences=often
    )


@pytest.mark.parametrize(
    ("occurrences", "interval", "upper", "words"),
    [
        ((46,), None, 4, "1 (95 % upper bound 4)"),
        ((20, 9, 1), None, 8, "3 (95 % upper bound 8)"),
        ((1, 1, 4, 2, 5, 2, 4, 1, 2), [9.07, 17.45], 17.45, "9.75 (95 % interval 9.07 to 17.45)"),
        ((1, 1, 4, 5), [4.08, 17.27], 17.27, "5 (95 % interval 4.08 to 17.27)"),
    ],
)
def test_without_errors_seen_once_there_is_a_bound_and_no_interval(
    occurrences: tuple[int, ...], interval: list[float] | None, upper: float, words: str
) -> None:
    made = report(*occurrences)
    data = data_of(made)
    figures = FuzzDocument.model_validate(data).statistics
    assert figures.chao1_ci == (None if interval is None else pytest.approx(interval, abs=0.006))
    assert figures.upper == pytest.approx(upper, abs=0.006)
    assert data["tools"][0]["statistics"]["upper"] == figures.upper
    text = text_of(made)
    assert f"estimate of all errors: {words}, under guidance" in text
    number, bounds = words.split(" (")
    assert progress_of(made, "f", 60).estimate == f"about {number} in all ({bounds}"
    assert f"estimate of all errors: {words}, under guidance" in page(made)


def test_before_the_first_call_nothing_is_estimated() -> None:
    made = Report("m:f", 1, tools=[ToolReport("f", skipped="it has no schema")])
    figures = data_of(made)["statistics"]
    assert (figures["chao1"], figures["chao1_ci"], figures["upper"]) == (0, None, None)
    assert "estimate" not in page(made) and "estimate" not in text_of(made)
    assert data_of(report())["statistics"]["upper"] == 3 and not progress_of(report(), "f", 60).estimate


def test_the_estimate_alone_does_not_end_a_search(capsys: pytest.CaptureFixture[str]) -> None:
    """Its errors are seen many times each, so the estimate is what was found, whatever else there is."""
    main(["fuzz", TARGET, "--calls", "4000", "--seed", "1", "--stop-early", "--json"])
    (tool,) = json.loads(capsys.readouterr().out)["tools"]
    assert tool["statistics"]["chao1"] == tool["statistics"]["unique_errors"] == 2
    assert tool["curve"][-1][0] + 1_500 <= tool["calls"] < tool["curve"][-1][0] + 1_700


def test_the_estimate_is_the_packages_own() -> None:
    assert chao1(10, 5, 2) == pytest.approx(13.33, abs=0.01)
