"""One table of actions: no clash, no invalid key, and everything made of it agrees."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from platformdirs import user_config_dir
from textual.app import App
from textual.screen import Screen

from planscope.oracle.trace import ToolCall, Trace
from planscope.safe import visible
from planscope.session.locations import bundled
from planscope.session.store import save
from planscope.session.traces import session_of
from planscope.tui.actions import ACTIONS, BY_ID, DIFFERENT, DURING, PANES, KeyAction, Where
from planscope.tui.dialogs.help import help_lines
from planscope.tui.keys import (
    TAKEN,
    bindings,
    clashes,
    help_sections,
    here,
    key_for,
    keys_of,
    markdown,
    normal,
    read_keys,
    shown_key,
    textual_keymap,
)
from tests.hostile import SAVEABLE
from tests.tui import sessions
from tests.tui.screen import opened

DEFAULT_KEYS = True


def check(actions: Sequence[KeyAction] = ACTIONS) -> list[str]:
    """Return what is wrong with a table of actions: invalid or reserved keys, clashes, duplicate ids."""
    problems: list[str] = []
    for action in actions:
        for key in action.all_keys + action.spare:
            try:
                name = normal(key)
            except ValueError as error:
                problems.append(f"{action.id}: {error}")
                continue
            if name in TAKEN:
                problems.append(f"{action.id}: '{name}' is {TAKEN[name]}")
    if problems:
        return problems
    problems += [f"'{key}' is a key of {', '.join(ids)}" for key, ids in clashes(actions).items()]
    ids = [action.id for action in actions]
    return problems + [f"{id}: occurs twice" for id in dict.fromkeys(ids) if ids.count(id) > 1]


def test_the_table_has_no_clash_and_no_invalid_key() -> None:
    assert check() == []


def test_the_table_says_what_the_specification_says() -> None:
    wanted = {
        "n": "next-call",
        "N": "previous-call",
        "right": "next-call",
        "left": "previous-call",
        "s": "next-check",
        "c": "continue",
        "f": "first-violation",
        "home": "go-start",
        "end": "go-end",
        "b": "toggle-breakpoint",
        "B": "list-breakpoints",
        "x": "explain",
        "z": "zoom",
        "/": "search",
        "y": "copy",
        "r": "rerun",
        "d": "compare",
        "tab": "next-pane",
        "shift+tab": "previous-pane",
        "ctrl+p": "palette",
        "?": "help",
        "q": "quit",
        **{str(i): f"show-pane-{name}" for i, name in enumerate(PANES, 1)},
    }
    held = {key: action.id for action in here("debug") for key in action.all_keys}
    assert {key: held.get(key) for key in wanted} == wanted


def test_one_key_means_one_verb_on_every_screen() -> None:
    excused = {(key, where) for key, where, _ in DIFFERENT}
    meanings: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
    for action in ACTIONS:
        for key in action.all_keys:
            if (key, action.where) not in excused:
                meanings[key].setdefault(action.meaning, []).append(action.id)
    assert {key: verbs for key, verbs in meanings.items() if len(verbs) > 1} == {}
    for key in "nNsfdr":
        assert [ids[0] for ids in meanings[key].values()] == [a.id for a in here("debug") if key in a.keys]


def test_each_key_that_is_said_to_differ_differs() -> None:
    for key, where, why in DIFFERENT:
        mine = {action.meaning for action in ACTIONS if key in action.all_keys and action.where == where}
        others = {action.meaning for action in ACTIONS if key in action.all_keys and action.where != where}
        assert len(mine) == 1 and others and not mine & others, (key, where)
        assert why.endswith(".")


def test_j_and_k_are_free_to_move_in_lists() -> None:
    assert not {"j", "k"} & {key for action in ACTIONS for key in action.all_keys}


def test_keys_that_terminals_grab_are_aliases_alone() -> None:
    assert {"f10", "f11"} <= {key for action in ACTIONS for key in action.spare}
    for action in ACTIONS:
        assert {key for key in action.all_keys if re.search(r"f\d+$", key)} <= {"f1"}


MOVES = {"up", "down", "left", "right", "enter", "home", "end", "pageup", "pagedown"}


def test_the_debug_screen_has_thirty_actions_with_a_key_and_a_mode_adds_its_own() -> None:
    """The five digits are one; arrows, Enter, Home, End and the page keys do not count."""
    counted = {
        "digits" if action.keys[0] in "12345" else action.id
        for action in here("debug")
        if not action.during and set(action.all_keys) - MOVES
    }
    assert len(counted) == 30, sorted(counted)
    assert {action.id for action in here("debug") if not action.all_keys} >= {
        "watch",
        "save",
        "picture",
        "tools",
    }
    assert {action.during for action in ACTIONS} == {"", *DURING}


async def test_keys_of_a_mode_work_while_it_lasts() -> None:
    async with opened(bundled()["first-look"]) as driven:
        for key in ("h", "K", "P", "X", "a", "plus", "w", "t"):
            await driven.press(key)
            assert driven.state.notice == "" and driven.app.screen is driven.screen
        await driven.press("question_mark")
        assert "Next hit" not in (lines := "\n".join(line.text for line in driven.app.screen.text.lines))
        assert "next search hit" not in lines and "what-if" not in lines.lower().replace("what if", "")
        await driven.press("escape", "slash", *"tour", "enter", "h")
        assert driven.state.search is not None and driven.state.search.at == 1
        await driven.press("home", "p")
        await driven.until(lambda: driven.state.play is not None)
        await driven.press("enter", "u")
        assert not driven.state.play.played.calls


def test_presets_add_keys_and_users_keys_come_before(tmp_path: Path) -> None:
    file = '[keys]\npreset = "function-keys"\nnext-call = "j"\n'
    for preset, wanted in (("function-keys", ("c", "f5")), ("all", ("c", "f5"))):
        choice, problems = read_keys(write(tmp_path, file.replace("function-keys", preset)))
        assert not problems and choice["continue"] == wanted and choice["next-call"] == ("j",)
        assert choice.get("watch", ()) == (("w",) if preset == "all" else ())
        assert clashes(choice=choice) == {}
    (problem,) = read_keys(write(tmp_path, '[keys]\npreset = "emacs"\n'))[1]
    assert "preset" in str(problem)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (KeyAction("a", ("ctrl+i",), "A", "a", "Panes"), "the same key as 'tab'"),
        (KeyAction("a", ("ctrl+m",), "A", "a", "Panes"), "the same key as 'enter'"),
        (KeyAction("a", ("ctrl+h",), "A", "a", "Panes"), "the same key as 'backspace'"),
        (KeyAction("a", ("rihgt",), "A", "a", "Panes"), "nearest: 'right'"),
        (KeyAction("a", ("shift+n",), "A", "a", "Panes"), "write 'N'"),
        (KeyAction("a", ("n",), "A", "a", "Panes"), "key of next-call, a"),
        (KeyAction("a", ("down",), "A", "a", "Panes"), "used inside the panes"),
        (KeyAction("quit", ("Q",), "A", "a", "Panes"), "occurs twice"),
    ],
)
def test_a_wrong_row_is_found(row: KeyAction, complaint: str) -> None:
    assert complaint in "\n".join(check((*ACTIONS, row)))


def screen_of(screen: Where) -> type[Screen[None]]:
    return type("OneScreen", (Screen,), {"BINDINGS": bindings(screen)})


class Recorder(App[None]):
    """An app with the whole table whose every action notes that it ran."""

    BINDINGS = bindings("everywhere")

    def get_default_screen(self) -> Screen[Any]:
        return screen_of(self.shown)()

    def __init__(self, shown: Where = "debug") -> None:
        self.shown = shown
        super().__init__()
        self.ran: list[str] = []

    async def run_action(self, action: Any, *args: Any, **kwargs: Any) -> bool:
        self.ran.append(action if isinstance(action, str) else str(action))
        return True


SCREENS = sorted({action.where for action in ACTIONS} - {"everywhere"})


@pytest.mark.parametrize("screen", SCREENS)
async def test_textual_runs_each_action_by_each_of_its_keys(screen: Where) -> None:
    app = Recorder(screen)
    async with app.run_test() as pilot:
        for action in here(screen):
            for key in action.all_keys:
                app.ran.clear()
                await pilot.press(normal(key))
                names = {"quit", "app.quit"} if key == "ctrl+q" else {action.method}
                names |= {"command_palette", "app.command_palette"} if key == "ctrl+p" else set()
                assert names & set(app.ran), (action.id, key, app.ran)


async def test_textual_takes_a_users_keys() -> None:
    app, next_call = Recorder(), "do('next-call')"
    async with app.run_test() as pilot:
        app.set_keymap(textual_keymap({"next-call": ("j", "comma")}))
        for key, expected in (("j", [next_call]), ("comma", [next_call]), ("n", [])):
            app.ran.clear()
            await pilot.press(key)
            assert app.ran == expected


@pytest.mark.parametrize("screen", SCREENS)
def test_palette_and_help_tell_the_same(screen: Where) -> None:
    told = {entry.title for _, entries in help_sections(where=screen) for entry in entries}
    assert told == {action.title for action in here(screen)}
    assert [a.footer for a in here(screen)].count(True) in range(1, 14)


def test_the_page_of_keys_has_every_action_under_its_screen() -> None:
    told: dict[str, list[str]] = {}
    for line in markdown().splitlines():
        if line.startswith("## "):
            section = told.setdefault(line[3:], [])
        elif line.startswith(("| `", "| palette")):
            section.append(line)
    for screen in (*SCREENS, "everywhere"):
        actions = [action for action in ACTIONS if action.where == screen]
        rows = told["Everywhere" if screen == "everywhere" else f"{screen.capitalize()} screen"]
        assert len(rows) == len(actions)
        for row, action in zip(rows, actions, strict=True):
            assert f" | {action.title} | {action.help}" in row and action.help.endswith(".")
            assert all(f"`{shown_key(key)}`" in row for key in action.shown_keys)


def test_the_module_prints_the_page_of_keys() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "planscope.tui.keys"], capture_output=True, text=True, check=True
    )
    assert done.stdout == markdown()


@pytest.mark.parametrize(
    ("key", "name", "shown"),
    [
        ("?", "question_mark", "?"),
        ("/", "slash", "/"),
        ("+", "plus", "+"),
        ("ctrl++", "ctrl+plus", "Ctrl++"),
        (",", "comma", ","),
        ("_", "underscore", "_"),
        ("Right", "right", "→"),
        ("space", "space", "Space"),
        ("backspace", "backspace", "Backspace"),
        ("Delete", "delete", "Delete"),
        ("shift+f8", "shift+f8", "Shift+F8"),
        ("Ctrl+S", None, None),
        ("ctrl+", None, None),
        ("a+b", None, None),
        (" ", None, None),
        ("", None, None),
        ("\x1b", None, None),
        ("hyper+x", None, None),
    ],
)
def test_names_of_keys(key: str, name: str | None, shown: str | None) -> None:
    if name is None:
        with pytest.raises(ValueError, match=r"key|terminal"):
            normal(key)
    else:
        assert normal(key) == name
        assert shown_key(key) == shown
        assert normal(name) == name


@given(st.one_of(st.text(max_size=20), st.sampled_from(SAVEABLE)))
@example("\u1071")
def test_any_text_is_a_key_or_says_why_not(text: str) -> None:
    try:
        name = normal(text)
    except ValueError as error:
        assert visible(str(error)) == str(error)
    else:
        assert normal(name) == name
        assert visible(shown_key(name)) == shown_key(name)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "keys.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_users_keys_replace_the_defaults(tmp_path: Path) -> None:
    choice, problems = read_keys(write(tmp_path, '[keys]\nnext-call = "j, Right"\nsearch = ["/", ","]\n'))
    assert problems == ()
    assert choice == {"next-call": ("j", "right"), "search": ("slash", "comma")}
    assert keys_of(BY_ID["next-call"], choice) == ("j", "right")
    assert clashes(choice=choice) == {}
    entries = {e.title: e.keys for _, section in help_sections(choice) for e in section}
    assert entries["Next"] == "j →"


def test_keys_can_be_swapped(tmp_path: Path) -> None:
    choice, problems = read_keys(write(tmp_path, '[keys]\nnext-call = "c"\ncontinue = "n"\n'))
    assert (choice, problems) == ({"next-call": ("c",), "continue": ("n",)}, ())


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ('[keys]\n\nnext-cal = "j"', 3, "no action 'next-cal'; nearest: 'next-call'"),
        ('[keys]\nnext-call = "ctrl+i"', 2, "next-call: 'ctrl+i' is the same key as 'tab'"),
        ('[keys]\nnext-call = "c"', 2, "next-call: 'c' is a key of continue too"),
        ("[keys]\nnext-call = 3", 2, "next-call: keys are a text"),
        ("[keys]\nnext-call = []", 2, "next-call: keys are a text"),
        ('[keys]\nnext-call = ""', 2, "next-call: keys are a text"),
        ('[keys]\n"next-call" = "down"', 2, "used inside the panes"),
        ('[keys]\nzoom = "ctrl+q"', 2, "zoom: 'ctrl+q' always quits planscope"),
        ('\n[kyes]\nnext-call = "j"', 2, "unknown section or key 'kyes'"),
        ('[keys]\nnext-call = "j', 2, "is not TOML"),
        ("keys = 3", 1, "must be a table"),
    ],
)
def test_a_wrong_key_is_named_with_its_line(tmp_path: Path, text: str, line: int, complaint: str) -> None:
    choice, problems = read_keys(write(tmp_path, text))
    assert choice == {}
    assert [problem.line for problem in problems] == [line]
    assert complaint in str(problems[0])
    assert str(problems[0]).startswith(f"keys.toml:{line}: ")


def test_one_wrong_key_leaves_the_others(tmp_path: Path) -> None:
    choice, problems = read_keys(write(tmp_path, '[keys]\nnext-call = "j"\nzoom = "j"\nwatch = "i"\n'))
    assert choice == {"watch": ("i",)}
    assert len(problems) == 2


def test_no_file_is_no_problem_and_a_folder_is_one(tmp_path: Path) -> None:
    assert read_keys(tmp_path / "none.toml") == ({}, ())
    choice, problems = read_keys(tmp_path)
    assert choice == {}
    assert "is not a file" in str(problems[0])


# Texts name an action's key by ``key_for``, since users choose their own

TUI = Path(__file__).parent.parent.parent / "planscope" / "tui"
_NAMED = re.compile(
    r"\b[Pp]ress \S|(?<![\w'.])([a-zA-Z0-9.*!/+]|Space|Tab|Esc|F\d{1,2}|Ctrl\+\w) "
    r"(?!is |as |was |has |this |us )[a-z]+s\b"
)
"""``press r``, ``r runs``, ``Esc leaves``."""
_FIXED = "Ctrl+c copies selected text; "
"""The terminal's own key."""


def texts_and_keys(path: Path) -> tuple[list[str], list[str]]:
    """A file's texts without its docstrings, and the actions whose keys it names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in docs]
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "key_for"]
    named = [n.args[0].value for n in calls if isinstance(n.args[0], ast.Constant)]
    return [n.value for n in constants if isinstance(n.value, str)], [str(id) for id in named]


def test_no_text_names_a_default_key() -> None:
    assert _NAMED.search("not run yet: r runs it") and _NAMED.search("Esc leaves")
    files = [path for path in TUI.rglob("*.py") if path.name != "actions.py"]
    found, named = zip(*map(texts_and_keys, files), strict=True)
    literal = [(path.name, text) for path, texts in zip(files, found, strict=True) for text in texts]
    assert [(name, text) for name, text in literal if _NAMED.search(text) and text != _FIXED] == []
    ids = set(chain.from_iterable(named))
    assert len(ids) > 20 and ids <= set(BY_ID)


def test_the_help_has_a_filter() -> None:
    def found(wanted: str) -> str:
        return "\n".join(line.text for line in help_lines({}, 100, "debug", wanted))

    assert "next call" in found("n") and "Search" not in found("n") and "breakpoint" in found("breakpoint")
    assert "Go to the previous search hit." in found("hit previous") and "n →" not in found("hit previous")
    assert found("signs").startswith("Signs") and found("qqq") == "Nothing is found."
    assert found("") == found(" ") == "\n".join(line.text for line in help_lines({}, 100))


async def test_the_palette_shows_keys_and_finds_by_them() -> None:
    async with opened(bundled()["first-look"]) as driven:
        await driven.press("ctrl+p")
        await driven.sees("Next  n")
        await driven.type("E")
        await driven.until(lambda: "Share  E" in driven.text.split("Search")[0])


async def test_the_palette_begins_with_what_the_footer_names(tmp_path: Path) -> None:
    trace = tmp_path / "run.planscope.json"
    save(session_of([Trace([ToolCall("look", {}), ToolCall("cancel", {})])]), trace)
    async with opened(trace) as driven:
        named = [hint.id for hint in driven.screen.named_keys()]
        titles = [entry.title for entry in driven.screen.palette_entries()]
        assert titles[:4] == ["Next", "Back", "Edit: write rules", "Look"] and named[2] == "edit"
        assert titles.index("Rerun") > titles.index("Runs")
        assert len(set(titles)) == len(titles)


async def test_notices_name_the_users_own_keys(tmp_path: Path) -> None:
    config = Path(user_config_dir("planscope"))
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text('[keys]\nrerun = "f6"\nkeep-play = "f4"\n', encoding="utf-8")
    async with opened(sessions.write(sessions.no_run(), tmp_path)) as driven:
        assert "Not run yet; press F6." in driven.text
        await driven.press("F")
        assert driven.state.notice == "no run to fork: F6 runs the query"
        await driven.press("p")
        assert "F4 keep" in driven.text
        await driven.press("F")
        assert driven.state.notice == "this is what-if play: F4 keeps the calls as a run, Esc leaves"
    assert key_for("rerun") == "r"
