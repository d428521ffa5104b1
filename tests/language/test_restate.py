"""Names in other forms, short names, and words that say nothing: what is read by them, and what must not be."""

from __future__ import annotations

from typing import Any

import pytest

from planscope.language.problem import make_actions
from planscope.language.reading import ParseFailure, read_query
from planscope.language.restate import kin
from tests.language.test_own_words import _read

FARM = [
    "repair the fence",
    "clean the milk tank",
    "soil test",
    "stock count",
    "morning ward round",
    "order fresh pipettes",
]
SOIL_FIRST = {("<", "soil test", "stock count")}


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (
            "Stock count before soil test. The test must be over by 5 pm. The count by 4 pm.",
            {
                ("<", "stock count", "soil test"),
                ("end_at_most", "soil test", 17),
                ("end_at_most", "stock count", 16),
            },
        ),
        ("The soil is tested before the stock is counted.", SOIL_FIRST),
        ("Testing the soil comes before the counting of the stock.", SOIL_FIRST),
        ("Get the soil tested before you do the stock count, so the vet knows.", SOIL_FIRST),
        (
            "Two things must be done before the soil test: the stock count and the fence repair.",
            {("<", "stock count", "soil test"), ("<", "repair the fence", "soil test")},
        ),
        (
            "For the soil test we need the stock count and the fence repair beforehand.",
            {("<", "stock count", "soil test"), ("<", "repair the fence", "soil test")},
        ),
        ("Leave the stock count until the soil has been tested.", SOIL_FIRST),
        ("The soil test must not run past 11 am.", {("end_at_most", "soil test", 11)}),
        (
            "Soil test before stock count. The fence can be repaired whenever it suits you.",
            SOIL_FIRST,
        ),
        (
            "Here is the order for today:\n1) soil test\n2) the stock count\n3) repair of the fence",
            {
                ("<", "soil test", "stock count"),
                ("<", "soil test", "repair the fence"),
                ("<", "stock count", "repair the fence"),
            },
        ),
    ],
)
def test_what_is_said_in_other_words_is_read(text: str, meaning: set[tuple[str, str, Any]]) -> None:
    assert _read(text, FARM, True) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "The count must be over by 5 pm.",  # not named before
        "The round must be over before the soil test.",
        "Check the fence before the soil test.",
        "Repair the tank before the soil test.",
        "Repair the fence before the soil test. The fence must be painted by 5 pm.",
        "Repair the fence before the soil test. Paint the fence by 5 pm.",
        "Order the fresh pipettes before the soil test. Count the pipettes by 5 pm.",
        "Order the fresh pipettes before the soil test. Use the pipettes after the stock count.",
        "The soil test report is written before the stock count.",
        "Review the soil test before the stock count.",
        "Cancel the soil test before the stock count.",
        "Skip the soil test before the stock count.",
        "The soil is tested twice before the stock is counted.",
        "The soil need not be tested before the stock is counted.",
        "The soil doesn't have to be tested before the stock is counted.",
        "Once the soil has been tested, the stock can be counted.",
        "Taking the soil test before the stock count is fine.",
        "Do the soil test before the stock count, because the fence is repaired first.",
        "Do the soil test before the stock count, so the vet knows if it is needed.",
        "Do the soil test as late as possible, before the stock count.",
        "Do the soil test just before the stock count.",
        "Either test the soil before the stock is counted or repair the fence.",
        "On Mondays: test the soil before the stock is counted.",
        "Optional: test the soil before the stock is counted.",
        "Two things must be done after the soil test: the stock count or the fence repair.",
        "The stock count shouldn't be left for last.",
        "Don't leave the stock count until the soil has been tested.",
        "The soil test starts past 11 am.",
        "Is the soil tested before the stock is counted?",
        "In no particular order: soil test, stock count. Then repair the fence.",
        "Soil test before stock count is fine.",
        "Soil test before stock count is okay too.",
        "Stop the soil test before the stock count.",
    ],
)
def test_what_is_not_certain_is_refused(text: str) -> None:
    with pytest.raises(ParseFailure):
        read_query(text, make_actions(FARM), timed=True)


def test_a_short_name_of_two_actions_is_refused() -> None:
    names = ["stamp the certificate", "tax certificate mailing", "lunch"]
    text = "Stamp the certificate, then do the tax certificate mailing. The certificate must be done by 5 pm."
    with pytest.raises(ParseFailure):
        read_query(text, make_actions(names), timed=True)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("inspection", "inspect", True),
        ("files", "filing", True),
        ("notified", "notify", True),
        ("conversion", "convert", True),
        ("swept", "sweep", True),
        ("rebuild", "build", False),
        ("station", "statistics", False),
        ("contact", "contract", False),
    ],
)
def test_forms_of_one_word(one: str, other: str, same: bool) -> None:
    assert kin(one, other) == kin(other, one) == same


def test_a_query_without_actions_is_refused() -> None:
    with pytest.raises(ParseFailure):
        read_query("Beta happens before alpha.", ())
