"""Names of keys: as people and files write them, as Textual knows them, as a reader sees them."""

from __future__ import annotations

import unicodedata
from difflib import get_close_matches

from textual.binding import Binding
from textual.keys import KEY_TO_UNICODE_NAME, Keys

from planscope.safe import visible

TAKEN = {
    "ctrl+c": "the terminal's own key for copying and stopping",
    "ctrl+z": "the terminal's own key for suspending",
    **dict.fromkeys(("up", "down", "enter", "pageup", "pagedown"), "used inside the panes"),
}
"""Keys that no action may have, and why."""

_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super"})
_SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape"}
_SIGNS = {"left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc", "tab": "Tab", "comma": ","}
_RENAMED = {  # by Textual
    "slash": "SOLIDUS",
    "backslash": "REVERSE SOLIDUS",
    "at": "COMMERCIAL AT",
    "minus": "HYPHEN-MINUS",
    "plus": "PLUS SIGN",
    "underscore": "LOW LINE",
}
_KNOWN = {key.value for key in Keys} | set(KEY_TO_UNICODE_NAME) | set(_RENAMED)


def normal(key: str) -> str:
    """The name by which Textual knows a key; ValueError says in one line why there is no such key."""
    written = key.strip()
    head, _, base = written.rpartition("+")
    if written == "+" or written.endswith("++"):
        head, base = written[:-2], "+"
    modifiers = [word.casefold() for word in head.split("+")] if head else []
    wrong = [word for word in modifiers if word not in _MODIFIERS]
    if not base or wrong or len(set(modifiers)) < len(modifiers):
        raise ValueError(f"'{visible(written, limit=40)}' is no key")
    one = len(base) == 1 and base.isprintable() and base != " "
    if one:
        if modifiers and base.isalpha() and (base != base.lower() or "shift" in modifiers):
            plain = "+".join(m for m in modifiers if m != "shift")
            hint = f"{plain}+{base.lower()}" if plain else base.upper()
            raise ValueError(f"terminals do not tell '{visible(written, limit=40)}' apart; say '{hint}'")
        base = next(iter(Binding.make_bindings([Binding("comma" if base == "," else base, "x")]))).key
    else:
        base = base.casefold()
    if not (one and len(base) == 1) and base not in _KNOWN and not _sign_named(base):
        near = get_close_matches(base[:40], sorted(_KNOWN), n=1)
        hint = f"; nearest: '{near[0]}'" if near else ""
        raise ValueError(f"'{visible(written, limit=40)}' is no key{hint}")
    name = "+".join([*(m for m in ("alt", "ctrl", "shift", "super") if m in modifiers), base])
    if name in _SAME:
        raise ValueError(f"'{name}' is the same key as '{_SAME[name]}' in a terminal")
    return name


def _sign_named(base: str) -> bool:
    """Whether a name is that of a sign, as in ``question_mark``."""
    try:
        sign = unicodedata.lookup(base.replace("_", " "))
    except KeyError:
        return False
    return len(sign) == 1 and sign.isprintable() and not sign.isalnum()


def shown_key(key: str) -> str:
    """A key as a reader knows it: ``?``, ``→``, ``F8``, ``Shift+F8``, ``Ctrl+s``."""
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
