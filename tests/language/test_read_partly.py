"""Reading what can be read: the same as reading the whole where nothing is broken, the rest where something is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planscope.language.problem import make_actions
from planscope.language.reading import ParseFailure, read_partly, read_query

ACTIONS = make_actions(["network audit", "disk check", "cable survey"])
GOOD = (
    "Network audit precedes disk check.",
    "Before cable survey, disk check happens.",
    "Cable survey follows network audit, which occurs before disk check.",
)
BAD = ("Network audit tickles disk check.", "Disk check precedes.", "Whatever this is.", ".")


@given(st.lists(st.sampled_from((*GOOD, *BAD)), max_size=6), st.sampled_from([" ", "\n", "  \n "]))
def test_broken_sentences_cost_nothing_but_themselves(sentences: list[str], gap: str) -> None:
    text = gap.join(sentences)
    found = read_partly(text, ACTIONS)
    good = [s for s in sentences if s in GOOD]
    assert [text[a:b] for a, b in found.sentences] == (sentences or [""])
    assert len(found.errors) == len(sentences) - len(good) + (not sentences)
    try:
        whole = read_query(text, ACTIONS)
    except ParseFailure as failure:
        assert failure.errors == found.errors
    else:
        assert (whole, ()) == (found.reading, found.errors)
    if not good:
        assert found.reading is None
        return
    assert found.reading is not None
    alone = read_query(gap.join(good), ACTIONS).problem
    assert [(c.id, c.text) for c in found.reading.problem.constraints] == [
        (c.id, c.text) for c in alone.constraints
    ]
    for c in found.reading.problem.said:
        assert c.sentence is not None
        start, end = found.sentences[c.sentence]
        assert all(start <= a <= b <= end for a, b in c.spans)
