"""Makes bindings, palette entries, help and the page of keys from the table of actions and users' own keys.

``python -m planscope.tui.keys`` prints ``docs/keys.md``.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, get_args

from platformdirs import user_config_dir
from textual._context import active_app
from textual.binding import Binding, BindingType
from textual.keys import KEY_TO_UNICODE_NAME, Keys

from planscope.safe import visible
from planscope.tui.actions import ACTIONS, BY_ID, DIFFERENT, DURING, OLD_SHIFT_F, KeyAction, Where
from planscope.tui.toml_file import FileProblem, TomlFile, Unusable, nearest, read_toml

KeyChoice = Mapping[str, tuple[str, ...]]
"""The keys of those actions whose keys the user changed, by the action's id."""

FILE_NAME = "keys.toml"
SECTION = "keys"
PRESET = "preset"
PRESETS = ("function-keys", "all")
"""What users' files may add at one stroke: F-keys, or a key for every action."""
ALWAYS_QUITS = "ctrl+q"
"""Textual's own key on every screen and in every dialog."""

_SCREENS = get_args(Where)


class HelpEntry(NamedTuple):
    """One line of the help screen."""

    keys: str
    title: str
    help: str


def keys_of(action: KeyAction, choice: KeyChoice | None = None) -> tuple[str, ...]:
    """Return an action's keys: the user's choice, or else the default."""
    return (choice or {}).get(action.id, action.all_keys)


def first_key(action: KeyAction, choice: KeyChoice | None = None) -> str:
    """Return an action's first key as it is displayed, or "" if only the palette has it."""
    keys = keys_of(action, choice)
    return shown_key(keys[0]) if keys else ""


def key_for(id: str) -> str:
    """Return how an action is done, for notices and other texts: its first key, or the palette and its title.

    In a running application it is the user's own key; otherwise, as in a test of a function, the default key.
    """
    choice = getattr(active_app.get(None), "choice", None)
    return first_key(BY_ID[id], choice) or f"{first_key(BY_ID['palette'], choice)} {BY_ID[id].title}"


def clashes(actions: Sequence[KeyAction] = ACTIONS, choice: KeyChoice | None = None) -> dict[str, list[str]]:
    """Return the keys that more than one action of the same screen has, with the ids of these actions."""
    holders: defaultdict[str, list[KeyAction]] = defaultdict(list)
    for action in actions:
        for key in dict.fromkeys(map(normal, keys_of(action, choice))):
            holders[key].append(action)
    found = {key: [a.id for a in sharers if _meets_another(a, sharers)] for key, sharers in holders.items()}
    return {key: ids for key, ids in found.items() if ids}


def _meets_another(action: KeyAction, others: Sequence[KeyAction]) -> bool:
    """Return whether an action shares a screen with one of the others."""
    return any(
        other is not action and (action.where == other.where or "everywhere" in (action.where, other.where))
        for other in others
    )


def fixed_keys(actions: Mapping[str, str], *, first: bool = False) -> list[BindingType]:
    """Return the bindings of keys that users cannot change, by key. ``first``: even before those of a field to type."""
    return [Binding(key, action, priority=first) for key, action in actions.items()]


def bindings(where: Where) -> list[Binding]:
    """Return Textual's bindings for one screen, or for all (``everywhere``)."""
    return [
        Binding(
            ",".join(map(normal, action.all_keys)) or f"no-key-{action.id}",  # users' files may give it one
            action.method,
            id=action.id,
            priority=action.method == "search",  # else letters of one burst come before it
        )
        for action in ACTIONS
        if action.where == where
    ]


def textual_keymap(choice: KeyChoice) -> dict[str, str]:
    """Return the user's keys in the form of ``App.set_keymap``."""
    return {id: ",".join(map(normal, keys)) for id, keys in choice.items()}


def here(where: Where) -> list[KeyAction]:
    """Return the actions of a screen, with those of all screens."""
    return [action for action in ACTIONS if action.where in (where, "everywhere")]


def help_sections(
    choice: KeyChoice | None = None,
    where: Where = "debug",
    works: Callable[[KeyAction], bool] = lambda action: True,
) -> list[tuple[str, list[HelpEntry]]]:
    """Return the lines of a screen's help, by group: those of actions that work now."""
    sections: defaultdict[str, list[HelpEntry]] = defaultdict(list)
    for action in filter(works, here(where)):
        chosen = (choice or {}).get(action.id, action.shown_keys)
        keys = " ".join(map(shown_key, chosen)) or "·"
        sections[action.group].append(HelpEntry(keys, action.title, action.help))
    return list(sections.items())


def markdown() -> str:
    """Return the page ``docs/keys.md``: a table for each screen, then the letters that differ between screens."""
    parts = [_PAGE]
    for where in _SCREENS:
        actions = [action for action in ACTIONS if action.where == where]
        name = "Everywhere" if where == "everywhere" else f"{where.capitalize()} screen"
        rows = [
            f"| {_in_code(action.shown_keys) or 'palette'} | {action.title} | {_helped(action)} |\n"
            for action in actions
        ]
        parts.append(f"## {name}\n\n| Key | Action | What it does |\n| --- | --- | --- |\n{''.join(rows)}")
    told = "".join(f"- {_in_code([key])} ({where} screen): {why}\n" for key, where, why in DIFFERENT)
    parts.append(f"## What differs between screens\n\n{_ONE_MEANING}\n{told}")
    return "\n".join(parts)


_ONE_MEANING = """\
A key means the same on every screen: `n` goes to what is next, `d` compares, `y` copies, `u` undoes. So `+` makes a new
session in the library, with your own query as the first choice, and `n` does not. While you type in a text, letters
type. These keys are the exceptions:
"""


_PAGE = """\
# Keys

<!-- made by: python -m planscope.tui.keys > docs/keys.md -->

Letters come first; Shift reverses the verb. The mouse works too: click to select, scroll, double-click to zoom. `?`
shows the keys of the screen that you are on, `Ctrl+p` finds an action by its name. [Settings](settings.md) says how to
choose your own.
"""


def _helped(action: KeyAction) -> str:
    when = f" Only {DURING[action.during]}." if action.during else ""
    spare = [key for key in action.spare if key not in OLD_SHIFT_F]
    return action.help + when + (f" With a preset: {_in_code(spare)}." if spare else "")


def _in_code(keys: Sequence[str]) -> str:
    return " ".join(f"`{shown_key(key)}`" for key in keys)


def keys_file() -> Path:
    """Return the older place of users' keys, which is read if the config file has no table of keys."""
    return Path(user_config_dir("planscope")) / FILE_NAME


def read_keys(
    path: Path | None = None, config: TomlFile | None = None
) -> tuple[dict[str, tuple[str, ...]], tuple[FileProblem, ...]]:
    """Return the user's own keys, and the problems found. An entry with a problem is ignored.

    The keys are in the table ``[keys]`` of the config file, or of ``keys.toml``, the older place, in lines such as
    ``next-call = "j, right"`` or ``next-call = ["j"]``. They replace all default keys of the action. A missing file is
    no problem.
    """
    path = keys_file() if path is None else path
    if config is not None and SECTION in config.table:
        choice, problems = _read_table(config)
        if path.exists():
            problems += (
                FileProblem(path.name, f"is not read any more: {config.name} has a table [{SECTION}]"),
            )
        return choice, problems
    if not path.exists():
        return {}, ()
    try:
        file = read_toml(path)
    except Unusable as error:
        return {}, (error.problem,)
    choice, problems = _read_table(file)
    unknown = [
        file.problem(f"unknown section or key '{visible(key, limit=40)}'; only [{SECTION}] is allowed", key)
        for key in file.table
        if key != SECTION
    ]
    return choice, (*unknown, *problems)


def _read_table(file: TomlFile) -> tuple[dict[str, tuple[str, ...]], tuple[FileProblem, ...]]:
    table = file.table.get(SECTION, {})
    if not isinstance(table, dict):
        return {}, (file.problem(f"'{SECTION}' must be a table: [{SECTION}]", SECTION),)
    problems = []
    choice: dict[str, tuple[str, ...]] = {}
    preset = table.get(PRESET)
    if preset in PRESETS:
        choice |= _preset(preset)
    for id, value in table.items():
        if id == PRESET and preset in PRESETS:
            continue
        try:
            choice[id] = _read_entry(id, value)
        except ValueError as error:
            problems.append(file.problem(str(error), SECTION, id))
    problems += _drop_clashes(file, choice)
    return choice, tuple(problems)


def _preset(name: str) -> dict[str, tuple[str, ...]]:
    """Return the keys that a preset gives: those that actions have, and those that it adds."""
    added = {
        a.id: tuple(key for key in a.spare if name == "all" or normal(key).rpartition("+")[2][1:].isdigit())
        for a in ACTIONS
    }
    return {id: (*BY_ID[id].all_keys, *keys) for id, keys in added.items() if keys}


def _read_entry(id: str, value: object) -> tuple[str, ...]:
    if id not in BY_ID:
        raise ValueError(f"no action {nearest(id, BY_ID)}")
    if isinstance(value, str):
        value = [part for part in value.split(",") if part.strip()] if value != "," else [value]
    if not isinstance(value, list) or not value or not all(isinstance(key, str) for key in value):
        raise ValueError(f'{id}: keys are a text such as "j, right" or a list of them')
    names = []
    for key in value[:8]:
        try:
            name = normal(key)
        except ValueError as error:
            raise ValueError(f"{id}: {error}") from None
        if name in TAKEN:
            raise ValueError(f"{id}: '{name}' is {TAKEN[name]}")
        if name == ALWAYS_QUITS and id != "quit":
            raise ValueError(f"{id}: '{name}' always quits planscope")
        names.append(name)
    return tuple(dict.fromkeys(names))


def _drop_clashes(file: TomlFile, choice: dict[str, tuple[str, ...]]) -> list[FileProblem]:
    """Remove entries from ``choice`` until no keys clash. The defaults alone never clash."""
    problems: list[FileProblem] = []
    while found := clashes(choice=choice):
        key, ids = next(iter(found.items()))
        chosen = [id for id in ids if id in choice]
        for id in chosen:
            others = ", ".join(other for other in ids if other != id)
            problems.append(file.problem(f"{id}: '{shown_key(key)}' is a key of {others} too", SECTION, id))
            del choice[id]
    return problems


# Names of keys, as users write them, as Textual names them, and as they are displayed:

TAKEN = {
    "ctrl+c": "the terminal's own key for copying and stopping",
    "ctrl+z": "the terminal's own key for suspending",
    **dict.fromkeys(("up", "down", "enter", "pageup", "pagedown"), "used inside the panes"),
}
"""Keys that no action may have, with the reason."""

_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super"})
_SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape"}
_SIGNS = {"left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc", "tab": "Tab", "comma": ","}
_RENAMED = {  # names that Textual spells differently
    "slash": "SOLIDUS",
    "backslash": "REVERSE SOLIDUS",
    "at": "COMMERCIAL AT",
    "minus": "HYPHEN-MINUS",
    "plus": "PLUS SIGN",
    "underscore": "LOW LINE",
}
_KNOWN = {key.value for key in Keys} | set(KEY_TO_UNICODE_NAME) | set(_RENAMED)


def normal(key: str) -> str:
    """Return Textual's name of a key. Raises ``ValueError`` with one line if there is no such key."""
    written = key.strip()
    head, _, base = written.rpartition("+")
    if written == "+" or written.endswith("++"):
        head, base = written[:-2], "+"
    modifiers = [word.casefold() for word in head.split("+")] if head else []
    wrong = [word for word in modifiers if word not in _MODIFIERS]
    if not base or wrong or len(set(modifiers)) < len(modifiers):
        raise ValueError(f"'{visible(written, limit=40)}' is not a key")
    one = len(base) == 1 and base.isprintable() and base != " "
    if one:
        if modifiers and base.isalpha() and (base != base.lower() or "shift" in modifiers):
            plain = "+".join(m for m in modifiers if m != "shift")
            hint = f"{plain}+{base.lower()}" if plain else base.upper()
            raise ValueError(f"terminals cannot distinguish '{visible(written, limit=40)}'; write '{hint}'")
        base = next(iter(Binding.make_bindings([Binding("comma" if base == "," else base, "x")]))).key
    else:
        base = base.casefold()
    if not (one and len(base) == 1) and base not in _KNOWN and not _sign_named(base):
        near = get_close_matches(base[:40], sorted(_KNOWN), n=1)
        hint = f"; nearest: '{near[0]}'" if near else ""
        raise ValueError(f"'{visible(written, limit=40)}' is not a key{hint}")
    name = "+".join([*(m for m in ("alt", "ctrl", "shift", "super") if m in modifiers), base])
    if name in _SAME:
        raise ValueError(f"'{name}' is the same key as '{_SAME[name]}' in a terminal")
    return name


def _sign_named(base: str) -> bool:
    """Return whether ``base`` names a sign, such as ``question_mark``."""
    try:
        sign = unicodedata.lookup(base.replace("_", " "))
    except KeyError:
        return False
    return len(sign) == 1 and sign.isprintable() and not sign.isalnum()


def shown_key(key: str) -> str:
    """Return a key as it is displayed: ``?``, ``→``, ``F8``, ``Shift+F8``, ``Ctrl+s``."""
    *modifiers, base = normal(key).split("+")
    if base in _SIGNS:
        sign = _SIGNS[base]
    elif len(base) == 1:
        sign = base
    elif base[0] == "f" and base[1:].isdigit():
        sign = base.upper()
    else:
        sign = _sign(base)
    return visible("+".join([*(m.capitalize() for m in modifiers), sign]))


def _sign(base: str) -> str:
    name = _RENAMED.get(base) or KEY_TO_UNICODE_NAME.get(base) or base.replace("_", " ")
    try:
        sign = unicodedata.lookup(name)
    except KeyError:
        return base.capitalize()
    return sign if sign.isprintable() and not sign.isspace() else base.capitalize()


if __name__ == "__main__":
    sys.stdout.write(markdown())
