"""Reads themes from TOML files: the bundled ones and users' own.

A theme file has a ``name``, ``dark`` (whether its background is dark), ``ansi`` (whether it uses the terminal's own
colours), a table ``[colors]`` of Textual's base colours and a table ``[roles]`` of ours. Missing entries come from the
theme that ``inherits`` names (by default ``dark``, ``light`` or, with ``ansi``, ``terminal``). Style sheets use a role
as a variable: ``$planscope-holds``.

All values are checked here: Textual accepts any string as a colour, and raises later, when it paints.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from platformdirs import user_config_dir
from textual.color import Color, ColorParseError
from textual.theme import Theme

from planscope.errors import UserError
from planscope.extensions import loaded, trouble
from planscope.resources import shipped
from planscope.safe import visible
from planscope.tui.toml_file import FileProblem, TomlFile, Unusable, nearest, read_toml

DEFAULT = "dark"
FEW_COLOURS = "terminal"
"""The default in a terminal of 16 colours or fewer."""
VARIABLE = "planscope-"
MAX_FILES = 200
EXTENSION = "extension"
"""What problems of other packages' themes have in place of a file's name."""

BASE_COLORS = tuple(
    "primary secondary warning error success accent foreground background surface panel".split()
)
TEXT_ROLES = tuple(
    (
        "dim holds open broken core doomed safe unknown caution linked selected step-current "
        "action tool number key breakpoint"
    ).split()
)
"""Colours of text and glyphs; they are legible on every background."""
GROUND_ROLES: tuple[str, ...] = ("linked-ground", "selected-ground", "current-ground", "hit-ground", "bar")
"""Background colours. In an ``ansi`` theme they are the terminal's default."""
FRAME_ROLES: tuple[str, ...] = ("frame", "frame-active")
ROLES: tuple[str, ...] = (*TEXT_ROLES, *GROUND_ROLES, *FRAME_ROLES)

_NAME = re.compile(r"[a-z0-9][a-z0-9 _-]{0,39}")
_COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-z][a-z_]{1,30}")
_TOP = {"name": str, "inherits": str, "dark": bool, "ansi": bool, "colors": dict, "roles": dict}
_KINDS = {str: "a text", bool: "true or false", dict: "a table"}
TABLES: Mapping[str, tuple[str, ...]] = {"colors": BASE_COLORS, "roles": ROLES}


def no_color(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether NO_COLOR is set and not empty. Call it before Textual starts, which removes the variable."""
    return bool((os.environ if environ is None else environ).get("NO_COLOR"))


def few_colours(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether the terminal has 16 colours or fewer, by the rules of Textual and Rich."""
    given = os.environ if environ is None else environ
    system = given.get("TEXTUAL_COLOR_SYSTEM", "auto").casefold()
    if system in ("standard", "256", "truecolor"):
        return system == "standard"
    if given.get("COLORTERM", "").strip().casefold() in ("truecolor", "24bit"):
        return False
    kind = given.get("TERM", "").strip().casefold().rpartition("-")[2]
    return kind not in ("kitty", "256color", "direct")


def bundled_themes() -> Path:
    """Return the folder of our own themes."""
    return shipped("themes")


def user_themes_folder() -> Path:
    """Return the folder of users' own themes."""
    return Path(user_config_dir("planscope")) / "themes"


def need_theme(wanted: str, names: Sequence[str]) -> str:
    """Return ``wanted`` if it is one of the names, or else raise ``UserError``, which lists them."""
    if wanted in names:
        return wanted
    raise UserError(f"no theme {nearest(wanted, names)}; there are: {', '.join(names)}")


def first_theme(name: str) -> Theme | None:
    """Read one bundled theme, without the others. Return None if there is none, or if the user has themes."""
    path = bundled_themes() / f"{name}.toml"
    if "/" in name or user_themes_folder().exists() or not path.is_file():
        return None
    try:
        file = read_toml(path)
        return None if list(check_theme(file)) else _build(name, _resolve(file, {name: file}, {}))
    except Unusable:
        return None


def load_themes(
    user: Path | None = None, bundled: Path | None = None
) -> tuple[tuple[Theme, ...], tuple[FileProblem, ...]]:
    """Return all valid themes (``dark`` first, then the bundled ones, those of other packages, the user's) and the
    problems found.

    A user's theme replaces another one of the same name. Invalid files never raise.
    """
    problems: list[FileProblem] = []
    ours = _read_folder(bundled_themes() if bundled is None else bundled, problems)
    theirs = _read_folder(user_themes_folder() if user is None else user, problems)
    others = _of_packages(ours, problems)
    order = sorted(ours, key=lambda name: (name != DEFAULT, name))
    order += sorted(others) + sorted(set(theirs) - {*ours, *others})
    themes: list[Theme] = []
    for name in order:
        for files, beside in ((theirs, theirs), (others, others), (ours, {})):
            if name not in files:
                continue
            try:
                themes.append(_build(name, _resolve(files[name], ours, beside)))
                break
            except Unusable as error:
                problems.append(error.problem)
                own = files[name].name
                if error.problem.file != own:
                    problems.append(
                        FileProblem(
                            own,
                            f"inherits from {visible(error.problem.file, limit=120)}, which cannot be used",
                        )
                    )
    problems = list(dict.fromkeys(problems))
    return tuple(themes), tuple(problems)


def _of_packages(ours: Mapping[str, TomlFile], problems: list[FileProblem]) -> dict[str, TomlFile]:
    """Return the themes of other packages: each entry point names a folder, or a function that returns one."""
    found: dict[str, TomlFile] = {}
    extensions, troubles = loaded("planscope.themes")
    problems += [FileProblem(EXTENSION, line) for line in troubles]
    for entry, folder in extensions:
        try:
            path = Path(folder() if callable(folder) else folder)
            if not path.is_dir():
                raise ValueError(f"{visible(str(path), limit=200)} is no folder")
        except Exception as error:  # noqa: BLE001  (another package's code may raise anything)
            problems.append(FileProblem(EXTENSION, trouble(entry, error)))
            continue
        for name, file in _read_folder(path, problems).items():
            if name in ours or name in found:
                problems.append(file.problem(f"'{name}' is the name of another theme already", None, "name"))
            else:
                found[name] = file
    return found


def _read_folder(folder: Path, problems: list[FileProblem]) -> dict[str, TomlFile]:
    """Return the valid files of a folder by the names of their themes; none if there is no such folder."""
    found: dict[str, TomlFile] = {}
    try:
        paths = sorted((p for p in folder.iterdir() if p.name.endswith(".toml")), key=lambda p: p.name)
    except FileNotFoundError:
        return found
    except OSError as error:
        problems.append(FileProblem(folder.name, f"cannot be read: {error.strerror or 'unknown reason'}"))
        return found
    for path in paths[:MAX_FILES]:
        try:
            file = read_toml(path)
        except Unusable as error:
            problems.append(error.problem)
            continue
        wrong = list(check_theme(file))
        name = name_of(file)
        if not wrong and name in found:
            wrong = [
                file.problem(f"'{name}' is the name of {visible(found[name].name)} already", None, "name")
            ]
        problems += wrong
        if not wrong:
            found[name] = file
    if len(paths) > MAX_FILES:
        problems.append(FileProblem(folder.name, f"has more than {MAX_FILES} themes; the rest is left out"))
    return found


def _default_base(file: TomlFile) -> str:
    if file.table.get("ansi"):
        return "terminal"
    return DEFAULT if file.table.get("dark", True) else "light"


def _resolve(file: TomlFile, ours: Mapping[str, TomlFile], theirs: Mapping[str, TomlFile]) -> dict[str, Any]:
    """Return a theme's content, completed from the themes that it inherits from."""
    chain = [file]
    while True:
        last = chain[-1]
        name = name_of(last)
        wanted = last.table.get("inherits")
        if wanted is None:
            if last in ours.values():
                break
            wanted, theirs = _default_base(last), {}
        base = ours.get(wanted) if wanted == name else theirs.get(wanted, ours.get(wanted))
        if base is None:
            known = nearest(wanted, {*ours, *theirs} - {name})
            raise Unusable(last.problem(f"inherits from an unknown theme {known}", None, "inherits"))
        if base in chain:
            raise Unusable(file.problem("inherits in a circle", None, "inherits"))
        if base.table.get("ansi", False) != last.table.get("ansi", False):
            message = f"'ansi' must be the same as in '{wanted}', from which it inherits"
            raise Unusable(last.problem(message, None, "inherits"))
        chain.append(base)
    whole: dict[str, Any] = {"colors": {}, "roles": {}}
    for part in reversed(chain):
        for key, value in part.table.items():
            if isinstance(value, dict):
                whole[key].update(value)
            else:
                whole[key] = value
    missing = [k for section, keys in TABLES.items() for k in keys if k not in whole[section]]
    if missing:
        raise Unusable(file.problem(f"'{missing[0]}' is missing, and nothing that it inherits from has it"))
    return whole


def _build(name: str, whole: Mapping[str, Any]) -> Theme:
    colors, roles = whole["colors"], whole["roles"]
    variables = {VARIABLE + role: roles[role] for role in ROLES}
    ansi = whole.get("ansi", False)
    variables |= _textual_variables(colors, roles, ansi)
    return Theme(name=name, **colors, dark=whole.get("dark", True), ansi=ansi, variables=variables)


def _textual_variables(colors: Mapping[str, str], roles: Mapping[str, str], ansi: bool) -> dict[str, str]:
    """Variables of Textual's own widgets, set to our roles."""
    cursor = {
        "block-cursor-foreground": colors["foreground"],
        "block-cursor-background": roles["selected-ground"],
        "block-cursor-text-style": "bold reverse" if ansi else "bold",
        "border": roles["frame-active"],
        "border-blurred": roles["frame"],
        "footer-key-foreground": roles["key"],
        "footer-background": roles["bar"],
    }
    if ansi:  # Textual's style sheet needs these two in an ansi theme
        return cursor | {"ansi-background": colors["background"], "ansi-foreground": colors["foreground"]}
    return cursor | {
        "block-hover-background": roles["current-ground"],
        "input-selection-background": roles["selected-ground"],
        "screen-selection-background": roles["selected-ground"],
        "scrollbar": roles["dim"],
        "scrollbar-hover": roles["key"],
        "scrollbar-active": roles["key"],
        "scrollbar-background": colors["background"],
        "scrollbar-background-hover": colors["background"],
        "scrollbar-background-active": colors["background"],
        "scrollbar-corner-color": colors["background"],
    }


# Checks of one file


def name_of(file: TomlFile) -> str:
    return str(file.table.get("name", file.name.removesuffix(".toml").casefold()))


def check_theme(file: TomlFile) -> Iterable[FileProblem]:
    """Return the problems of a file, without those of the themes that it inherits from."""
    for key, value in file.table.items():
        if key not in _TOP:
            yield file.problem(f"unknown key {nearest(key, _TOP)}", None, key)
        elif type(value) is not _TOP[key]:
            yield file.problem(f"'{key}' must be {_KINDS[_TOP[key]]}", None, key)
        elif isinstance(value, dict):
            yield from _check_table(file, key, value)
    if not _NAME.fullmatch(name_of(file)):
        shown = visible(name_of(file), limit=50)
        yield file.problem(
            f"'{shown}' is not a name for a theme (small letters, digits, - and _)", None, "name"
        )


def _check_table(file: TomlFile, section: str, table: dict[str, Any]) -> Iterable[FileProblem]:
    ansi = file.table.get("ansi")
    for key, value in table.items():
        if key not in TABLES[section]:
            what = "colour" if section == "colors" else "role"
            yield file.problem(f"unknown {what} {nearest(key, TABLES[section])}", section, key)
            continue
        complaint = _color_problem(value, ansi)
        if complaint:
            yield file.problem(f"{key}: {complaint}", section, key)


def _color_problem(value: object, ansi: object) -> str | None:
    if not isinstance(value, str):
        return 'a colour is a text such as "#2f4d73"'
    shown = visible(value, limit=40)
    if not _COLOR.fullmatch(value):
        return f"'{shown}' is not a colour; write #rrggbb or a name"
    try:
        color = Color.parse(value)
    except ColorParseError:
        return f"'{shown}' is not the name of a colour"
    if color.a != 1:
        return f"'{shown}' is not opaque"
    if ansi is True and color.ansi is None:
        return f"'{shown}' is not one of the terminal's colours (ansi_red, ansi_default, ...)"
    if ansi is not True and color.ansi is not None:
        return f"'{shown}' needs 'ansi = true' in this file"
    return None
