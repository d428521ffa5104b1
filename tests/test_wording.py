"""What planscope says stands once: tables for every value in ``wording``, and no word list anywhere else."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from planscope.compare.result import CallChange
from planscope.debugger.draft_reading import Became
from planscope.dissection.evidence import CAUSES, CHANGED, CellOutcome
from planscope.language.problem import RuleKind
from planscope.oracle.trace import Cause, Ending
from planscope.oracle.verdict_types import ERROR_TYPES, Proof, SearchEnd, State, Status, Told
from planscope.session.model import CellKind, Dissection
from planscope.tui.style.painter import ROLES
from planscope.wording import phrases, terms
from planscope.wording.terms import error_type_of

ROOT = Path(__file__).parent.parent / "planscope"

METHODS = get_args(Dissection.model_fields["method"].annotation)

TABLES = [
    ("STATES", get_args(State)),
    ("STATE_MEANS", get_args(State)),
    ("STATE_GLYPHS", get_args(State)),
    ("MOVES", get_args(State)),
    ("RULES_MEAN", get_args(State)),
    ("RULES_MOVES", get_args(State)),
    ("STATUSES", get_args(Status)),
    ("STATUS_GLYPHS", get_args(Status)),
    ("VERDICTS", get_args(Told)),
    ("REASONS", get_args(Cause)),
    ("OUTCOME_GLYPHS", {*get_args(Told), *get_args(CellOutcome)}),
    ("ENDINGS", get_args(Ending)),
    ("FINDINGS", ERROR_TYPES),
    ("RULES", get_args(RuleKind)),
    ("CERTIFICATES", {"asked", *get_args(Proof)}),
    ("SEARCH_ENDS", get_args(SearchEnd)),
    ("MUTATIONS", get_args(CellKind)),
    ("MUTATIONS_MEAN", get_args(CellKind)),
    ("NO_MUTANT", CHANGED[:3]),
    ("SEALS", ("confirmed", "gave_up")),
    ("ARMS", get_args(CellKind)),
    ("METHODS", METHODS),
    ("CHANGES", get_args(CallChange)),
    ("CHANGE_SIGNS", get_args(CallChange)),
    ("DRAFT_SIGNS", get_args(Became)),
]

VALUES = [frozenset(values) for _, values in TABLES]
NOT_WORDS = {*ROLES, "", *CAUSES}
"""Values of a table that are no words for people: roles of the theme, names of causes."""

THE_JSONS_OWN = {("language/problem.py", "_RULES")}
"""A rule's ``text``, which is a field of the JSON."""


@pytest.mark.parametrize(("table", "values"), TABLES, ids=[name for name, _ in TABLES])
def test_a_table_has_every_value(table: str, values: tuple[str, ...]) -> None:
    assert set(getattr(terms, table)) == set(values)
    assert all(getattr(terms, table).values())


def texts(node: ast.expr) -> Iterator[str]:
    """The strings that a value of a table is made of."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def word_lists(source: str, name: str) -> Iterator[str]:
    """Where a file puts values into words by itself: in a table, or by blanks in place of underscores."""
    tree = ast.parse(source)
    allowed = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if (name, ast.unparse(target)) in THE_JSONS_OWN
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and id(node) not in allowed:
            keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
            said = [text for value in node.values for text in texts(value) if isinstance(value, _WORDY)]
            if len(keys) > 1 and any(keys <= values for values in VALUES) and not NOT_WORDS.issuperset(said):
                yield f"{name}:{node.lineno}: a table of {', '.join(sorted(map(str, keys)))}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".replace"):
            of = ast.unparse(node.func).casefold()
            blanks = [ast.unparse(argument) for argument in node.args] == ["'_'", "' '"]
            if blanks and of.removesuffix(".replace") not in NO_VALUES:
                yield f"{name}:{node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.FormattedValue) and _said_as_it_is(node):
            yield f"{name}:{node.lineno}: {ast.unparse(node.value)} is not put into words"


NO_VALUES = {"tool", "tool.name", "form", "base", "json_name"}
"""Names of tools, of clauses' forms and of keys, and a value as JSON has it, which a search finds, too."""

_WORDY = ast.Constant | ast.JoinedStr | ast.Tuple


def _said_as_it_is(node: ast.FormattedValue) -> bool:
    """``f"{view.state}"``; a colon before it, as in ``f"error_type: {...}"``, does not make words of it."""
    value = node.value
    return isinstance(value, ast.Attribute) and value.attr in ("error_type", "becomes", "outcome", "verdict")


FILES = [path for path in sorted(ROOT.rglob("*.py")) if "wording" not in path.parts]


def test_no_word_list_stands_elsewhere() -> None:
    found = [
        hit
        for path in FILES
        for hit in word_lists(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        'STATES = {"completable": "✓", "doomed": "●", "broken": "✗", "unknown": "?"}',
        'words = {"right": ("✓ right", "holds"), "wrong": ("✗ wrong", "broken")}[verdict]',
        'ABOUT: dict[str, str] = {"Repeat": "again", "Control": f"fresh {n}"}',
        'said = finding.type.replace("_", " ")',
        'said = kind.replace("_", " ")',
        'text = f"{run.verdict}: {run.error_type}"',
        'ends = {"all": "all", "most": "more"}',
    ],
)
def test_a_word_list_is_found(source: str) -> None:
    assert list(word_lists(source, "x.py"))


@pytest.mark.parametrize(
    "source",
    [
        'ROLES = {"right": "holds", "wrong": "broken"}',
        'STATUS = {"right": 0, "wrong": 1}',
        'CAUSE_OF = {"Repeat": "Probability", "Control": "Constraint"}',
        'KEYS = {"open": "open a session", "stopped": "x"}',
        'name = tool.replace("_", " ")',
    ],
)
def test_other_tables_are_not(source: str) -> None:
    assert not list(word_lists(source, "x.py"))


@pytest.mark.parametrize(
    "text", ["missing action", "Missing-Action", "action_lost", "action lost", " ACTION-LOST "]
)
def test_an_error_is_known_by_its_words_and_by_its_name(text: str) -> None:
    assert error_type_of(text) == "action_lost"


@pytest.mark.parametrize("text", ["", "lost", "action", "missing"])
def test_half_a_name_is_no_error(text: str) -> None:
    assert error_type_of(text) is None


def test_words_are_light() -> None:
    heavy = ["textual", "rich", "z3", "lark", "langchain", "langchain_core", "openai", "pydantic"]
    modules = "planscope.wording.phrases, planscope.wording.constraints, planscope.wording.explain"
    code = f"import sys, {modules}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_times_and_sizes_are_written_in_one_way() -> None:
    measured = {
        0: "0 s",
        2e-05: "under 0.001 s",
        0.25: "0.25 s",
        59.44: "59.4 s",
        99.96: "100 s",
        1234.6: "1,235 s",
    }
    assert {took: phrases.measured(took) for took in measured} == measured
    left = {0: "0 s left", 89.4: "89 s left", 90: "2 min left", 3600: "60 min left"}
    assert {seconds: phrases.time_left(seconds) for seconds in left} == left
    sizes = {
        0: "0 B", 1023: "1023 B", 1024: "1 kB", 17_400: "17 kB", 2**20 - 513: "1023 kB", 2**20 - 1: "1 MB",
        66_000_000: "62.9 MB", 64 * 2**20: "64 MB", 2**40: "1,048,576 MB",
    }  # fmt: skip
    assert {size: phrases.file_size(size) for size in sizes} == sizes
    # Two lie below the wording, one imports nothing of ours, and one repeats the words of a header.
    own = {"language/topics.py", "language/prompts.py", "toolfuzz/namespaces.py", "agents/failures.py"}
    for path in ROOT.rglob("*.py"):
        if str(path.relative_to(ROOT)) not in own | {"wording/phrases.py"}:
            found = re.search(r"\} (s|ms|min|%|[kM]i?B)(?!\w)", path.read_text("utf-8"))
            assert found is None, f"{path} formats a number with its unit; see wording/phrases.py"


def test_a_rate_is_written_in_one_way() -> None:
    rates = (None, 0.0, 0.004, 0.5, 0.996, 1.0)
    assert [phrases.percent(rate) for rate in rates] == ["-", "0 %", "0 %", "50 %", "99 %", "100 %"]
    assert phrases.interval((0.996, 1.0)) == "99 % to 100 %" and phrases.interval(None) == "-"
    assert (phrases.share(1, 3), phrases.share(0, 0)) == ("1 (33 %)", "-")
    assert [phrases.p_value(p) for p in (1.0, 0.0426, 1.2e-9)] == ["p = 1", "p = 0.043", "p = 1.2e-09"]
    for path in ROOT.rglob("*.py"):
        assert not re.search(r":[+]?\.\d%}", path.read_text("utf-8")), path
