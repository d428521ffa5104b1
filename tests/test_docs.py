"""The documents say what the code does: their commands run, their links lead somewhere, their lists are up to date.

Each page has a folder and a home of its own, in which every line of its ``sh`` blocks is run. A comment before a block
(``NOT_RUN``) says why it is not run; then its commands must be understood.
"""

from __future__ import annotations

import importlib.util
import io
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from planscope.agents.simulated.profiles import PROFILES
from planscope.cli import COMMANDS, build_parser, main
from planscope.language.errors import ParseFailure
from planscope.language.problem import make_actions
from planscope.language.reading import Reading, read_query
from planscope.language.tree import is_natural
from planscope.session.merging import finish_merging
from planscope.sharing.formats import SUFFIXES
from planscope.tui.keys import markdown
from planscope.wording.terms import MEANINGS, METHODS, MUTATIONS, NO_CAUSE
from tests.agents.support import Scripted, says

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

NOT_RUN = frozenset(
    {
        *("open command", "test command", "not run: needs a key", "not run: needs the network"),
        *("not run: needs another package", "not run: takes long"),
    }
)
ON_SCREEN = ("open", "serve", "debug", "attach")
"""Commands that need a terminal, or do not end."""
ELSEWHERE = (
    "python3",
    ".venv/bin/pip",
    ".venv/bin/python",
    ".venv/bin/planscope",
    "pip",
    "ruff",
    "mypy",
    ".ci/run",
)
"""Programs of commands that are not run here."""


class Block(NamedTuple):
    """A block of code: the comment before it (or nothing), its language, its text."""

    note: str
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"(?:^<!-- ([^\n]*) -->\n)?^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(*block) for block in found]


def commands(block: Block) -> Iterator[list[str]]:
    """The commands of a block as a shell splits them, with its operators; comments are dropped."""
    for line in block.text.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        if words := list(lexer):
            yield words


def arguments(words: list[str]) -> list[str]:
    """What the command line makes of ``planscope WORDS``: a session's name alone is opened."""
    return words if words and words[0] in COMMANDS else ["open", *words]


class Shell:
    """Runs planscope in this process, and what feeds it or stands before it in one of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capsys, self._patch = capsys, patch

    def run(self, words: list[str]) -> None:
        fed = b""
        if "|" in words:
            bar = words.index("|")
            fed = subprocess.run(words[:bar], capture_output=True, check=True).stdout
            words = words[bar + 1 :]
        if words[0] != "planscope":
            self._plain(words)
            return
        args = arguments(words[1:])
        parsed = build_parser(args[:1]).parse_args(args)
        if args[0] in ON_SCREEN or getattr(parsed, "live", False):
            if session := getattr(parsed, "session", None) or getattr(parsed, "file", None):
                self._call(["walk", session], b"q\n")  # what opens here opens there
            return
        self._call(args, fed)

    def _plain(self, words: list[str]) -> None:
        """``echo``, with or without ``> FILE``; the line that puts planscope on the PATH does nothing here."""
        if words == [".", ".venv/bin/activate"]:
            return
        if words[0] == "python" and Path(words[1]).exists():
            runpy.run_path(words[1], run_name="__main__")
            finish_merging()  # as the end of the program does
            return
        assert words[0] == "echo", words
        assert words[-2] == ">", words
        Path(words[-1]).write_text(" ".join(words[1:-2]) + "\n", encoding="utf-8")

    def _call(self, args: list[str], fed: bytes) -> None:
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(fed), encoding="utf-8"))
        status = main(args)
        said = self._capsys.readouterr()
        assert status in (0, 1), (args, said.err)
        assert said.out or "-o" in args or args[0] == "sessions", (args, said.err)


@pytest.mark.parametrize("name", NAMES)
def test_its_commands_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{folder}_HOME", str(tmp_path / folder.lower()))
    monkeypatch.chdir(tmp_path)
    shell = Shell(capsys, monkeypatch)
    for block in blocks(ROOT / name):
        if saved := re.fullmatch(r"saved as (\w+\.py)", block.note):
            Path(saved[1]).write_text(block.text, encoding="utf-8")
            monkeypatch.syspath_prepend(str(tmp_path))
        elif block.language == "python" and block.note != "a file of tests":
            run_script(block, monkeypatch)
        if block.language != "sh":
            continue
        assert block.note == "" or block.note in NOT_RUN, block
        for words in commands(block):
            if block.note == "":
                shell.run(words)
            else:
                check_unrun(words)


def check_unrun(words: list[str]) -> None:
    """A command that is not run: planscope understands its arguments, and a module that it names exists."""
    while words:
        end = next((k for k, word in enumerate(words) if word == "&&"), len(words))
        one, words = words[:end], words[end + 1 :]
        while "=" in one[0]:
            one = one[1:]
        if one[0] == "planscope":
            args = arguments(one[1:])
            build_parser(args[:1]).parse_args(args)
        elif one[0] == "python":
            assert one[1] == "-m" and importlib.util.find_spec(one[2]), one
            assert all((ROOT / word).exists() for word in one[3:] if "/" in word), one
        else:
            assert one[0] in (*ELSEWHERE, ".", "echo"), one


class Builder(Scripted):
    """A model that calls the two tools of the example, for ``invoke``."""

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])


def run_script(block: Block, patch: pytest.MonkeyPatch) -> None:
    script = [says(("build_image", {})), says(("deploy", {})), AIMessage("Done.")]
    patch.setattr("langchain.chat_models.init_chat_model", lambda name: Builder(script=script))
    exec(compile(block.text, "example", "exec"), {"__name__": "__main__"})


def test_the_settings_of_the_example_are_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = [block.text for block in blocks(DOCS / "settings.md") if block.language == "toml"]
    assert set(tomllib.loads(example)) == {"theme", "commands", "keys", "layout", "defaults"}
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "planscope").mkdir()
    (tmp_path / "planscope" / "config.toml").write_text(example, encoding="utf-8")
    assert main(["config", "--check"]) == 0


def rows(page: Path, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    section = page.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    table = re.search(r"(?:^\| .*\n)+", section, re.MULTILINE)
    assert table
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()[2:]]


LANGUAGE = DOCS / "query-language.md"


def read(text: str) -> Reading:
    names = ["build image", "run tests", "deploy", "checkout", "alpha", "beta", "gamma"]
    letters = {"A": "Alpha", "B": "beta", "C": "gamma"}
    text = re.sub(r"\b[ABC]\b", lambda letter: letters[letter[0]], text)
    return read_query(text, make_actions(names, [1] * len(names)), timed=True)


def test_what_is_said_to_be_read_is_read() -> None:
    for _, example in rows(LANGUAGE, "What is read"):
        assert read(example).problem.constraints, example
    natural = rows(LANGUAGE, "Natural sentences")
    assert len(natural) > 7
    for examples, _ in natural:
        reading = read(examples)
        assert is_natural(reading.tree) or "Both" in examples, examples
        assert {c.sentence for c in reading.problem.said} == set(range(len(reading.tree.sentences))), examples


def test_what_is_said_to_be_refused_is_refused_and_what_to_write_instead_is_read() -> None:
    table = rows(LANGUAGE, "What is refused")
    assert len(table) > 6
    for refused, instead in table:
        with pytest.raises(ParseFailure):
            read(refused)
        assert read(instead.split(" (")[0]).problem.constraints, instead


def test_the_tables_name_every_model_and_every_format() -> None:
    models = {row[0].strip("`").removeprefix("sim:") for row in rows(DOCS / "agents.md", "Simulated models")}
    assert models == set(PROFILES)
    text = (DOCS / "sharing.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == set(SUFFIXES)


def test_words_mean_what_the_page_says() -> None:
    """Each word has the meaning of the one table of words."""
    page = (DOCS / "getting-started.md").read_text(encoding="utf-8")
    for word, meaning in MEANINGS.items():
        assert f"| {word} | {meaning} |" in page, word


def test_the_page_of_dissection_has_the_words_of_the_screen() -> None:
    page = (DOCS / "dissection.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| ([\w ]+) \| [^|]+ \| ([A-Z]\w+) \| [A-Z]", page, re.MULTILINE)
    assert {kind: words for words, kind in told} == {k: w for k, w in MUTATIONS.items() if k != "Original"}
    for words in METHODS.values():
        assert words.split(" (")[0] in page, words
    assert NO_CAUSE in page


def test_the_wrong_setting_is_reported_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "planscope").mkdir()
    (tmp_path / "planscope" / "config.toml").write_text('[keys]\nnext-call = "x"\n', encoding="utf-8")
    assert main(["config", "--check"]) == 2
    said = re.search(r"`(config\.toml:2: [^`]*)`", (DOCS / "settings.md").read_text(encoding="utf-8"))
    assert said and said[1] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", NAMES)
def test_the_places_that_it_names_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:planscope|tests|docs|sessions|themes|\.readme|\.ci)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path


def test_the_page_of_keys_is_up_to_date() -> None:
    kept = (DOCS / "keys.md").read_text(encoding="utf-8")
    assert kept == markdown(), "make it again: python -m planscope.tui.keys > docs/keys.md"


@pytest.mark.parametrize("name", NAMES)
def test_its_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    prose = re.sub(
        r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    links = re.findall(r"\]\(([^)]*)\)", prose)
    for link in links:
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_page_is_reached_from_the_readme() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")
    assert [name for name in NAMES[1:] if f"]({name})" not in readme] == []


def test_every_benchmark_is_named_on_the_page_of_figures() -> None:
    named = set(re.findall(r"`(?:[\w.]*\.)?(bench_\w+)`", (DOCS / "figures.md").read_text(encoding="utf-8")))
    assert named == {path.stem for path in (ROOT / "tests" / "bench").glob("bench_*.py")}


MAP = (DOCS / "ARCHITECTURE.md").read_text(encoding="utf-8")


def places(path: str) -> list[Path]:
    """Where a path of the map may be: it is told as from the top, or as from a folder named before it."""
    folders = ["", "planscope", "planscope/tui", "tests"]
    return [ROOT / folder / path for folder in (*folders, *re.findall(r"`(planscope/[\w/]+/)`", MAP))]


def test_every_path_in_the_map_exists() -> None:
    paths = set(re.findall(r"`([\w/]+(?:\.py|/))`", MAP))
    assert len(paths) > 60
    gone = [path for path in paths if not any(place.exists() for place in places(path))]
    assert gone == []


def test_every_package_is_in_the_map() -> None:
    table = MAP.split("\n## ")[0]
    names = [path.name for path in (ROOT / "planscope").iterdir() if (path / "__init__.py").exists()]
    assert [name for name in names if f"`planscope/{name}/`" not in table and f"`{name}/`" not in table] == []


def test_every_name_on_the_three_ways_is_in_its_file() -> None:
    stops = re.findall(r"^\d+\. `(planscope/[\w/.]+)`, `([\w.]+)`", MAP, re.MULTILINE)
    assert len(stops) > 20
    for path, name in stops:
        assert re.search(rf"\b(def|class) {name.split('.')[-1]}\b", (ROOT / path).read_text()), (path, name)
