"""Same seed, same query: over time, hash seeds, earlier cases and ways to ask."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planscope import synthesis
from planscope.oracle.precedence import bits
from planscope.synthesis.generate import Synthesizer, cases, synthesize
from planscope.synthesis.random_choices import RandomChoices
from planscope.synthesis.request import Request
from tests.nightly import nightly
from tests.synthesis import golden


def test_pinned_queries() -> None:
    """If this fails on purpose: ``python -m tests.synthesis.golden``."""
    assert golden.current() == json.loads(golden.FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("every", [4, *nightly(1)])
def test_pinned_sums(every: int) -> None:
    """Like the pinned queries, for every option. A sum that differs names the kind of request."""
    pinned = json.loads(golden.SUMS.read_text(encoding="utf-8"))
    assert golden.sums(golden.SEEDS[::every]) == {name: sums[::every] for name, sums in pinned.items()}


def test_hash_seeds_do_not_matter() -> None:
    program = "import json; from tests.synthesis import golden; print(json.dumps(golden.current()))"
    said = set()
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            cwd=Path(__file__).parent.parent.parent,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        said.add(done.stdout)
    assert len(said) == 1


def test_case_i_is_the_case_of_seed_plus_i() -> None:
    for request in (Request(seed=40), Request(seed=40, timed=True), Request(seed=40, valid_orders=(1, 6))):
        for i, made in enumerate(cases(request, 5)):
            assert made.seed == 40 + i
            assert made == synthesize(replace(request, seed=40 + i))


def test_earlier_cases_do_not_matter() -> None:
    used, new = Synthesizer(Request(timed=True)), Synthesizer(Request(timed=True))
    for seed in range(50):
        used.case(seed)
    assert used.case(7) == new.case(7)


def test_seeds_differ() -> None:
    assert len({made.text for made in cases(Request(), 300)}) == 300


def test_random_is_used_through_one_method() -> None:
    """``random()`` is the only method whose numbers Python keeps from version to version."""
    for path in Path(synthesis.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "random":
                assert path.name == "random_choices.py" and [name.name for name in node.names] == ["Random"]
            if isinstance(node, ast.Import):
                assert not {"random", "secrets", "time"} & {name.name for name in node.names}
            # what a set is walked through for has no order of its own
            assert not (isinstance(node, ast.For) and isinstance(node.iter, ast.Set | ast.SetComp))


def test_draw() -> None:
    draw, twin = RandomChoices(5), Random(5)
    assert [draw.random() for _ in range(3)] == [twin.random() for _ in range(3)]
    assert {draw.between(3, 5) for _ in range(100)} == {3, 4, 5}
    assert {draw.choose("abc") for _ in range(100)} == set("abc")
    assert {draw.weighted((0.0, 2.0, 2.0, 3.0)) for _ in range(100)} == {1, 3}
    assert {draw.bit(0b1010) for _ in range(100)} == {1, 3}
    assert {draw.bit(1 << 70 | 1) for _ in range(100)} == {0, 70}
    assert sorted(draw.sample("abcdef", 6)) == list("abcdef")
    assert len({tuple(draw.sample("abc", 2)) for _ in range(200)}) == 6
    for mask in (0, 1, 0b1011, 1023, 1024, 1 << 40 | 5):
        assert list(bits(mask)) == [i for i in range(64) if mask >> i & 1]
