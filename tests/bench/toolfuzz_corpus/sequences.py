"""Tools whose bugs show only in a sequence of calls. ``SEQUENCES``: the tools of each case, and its label."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_USERS: dict[str, str] = {}
_NOTES: dict[str, str] = {}
_CART: list[str] = []
_FLAGS: dict[str, int] = {}


def create_user(name: str, mail: str) -> dict[str, Any]:
    """Create a user."""
    _USERS[name] = mail
    return {"created": name}


def get_user(name: str) -> dict[str, Any]:
    """Read a user."""
    if name not in _USERS:
        return {"error": "no such user"}
    return {"name": name, "mail": _USERS[name]}


def delete_user(name: str) -> dict[str, Any]:
    """Delete a user."""
    return {"deleted": name}


def create_note(title: str, text: str) -> str:
    """Create a note."""
    _NOTES[title] = text
    return "ok"


def get_note(title: str) -> str:
    """Read a note."""
    return _NOTES.get(title, "Error: no such note")


def delete_note(title: str) -> str:
    """Delete a note. Deleting twice says that it worked."""
    _NOTES.pop(title, None)
    return "deleted"


def add_to_cart(item: str) -> int:
    """Add an item."""
    _CART.append(item)
    return len(_CART)


def clear_cart() -> str:
    """Empty the cart."""
    global _CART
    _CART = None
    return "empty"


def set_flag(name: str, value: int) -> str:
    """Set a flag from 0 to 100."""
    _FLAGS[name] = min(value, 10)
    return "success"


def get_flag(name: str) -> int | None:
    """Read a flag."""
    return _FLAGS.get(name)


SEQUENCES: dict[str, tuple[list[Callable[..., Any]], tuple[str, str | None], dict[str, str]]] = {
    "read after delete": ([create_user, get_user, delete_user], ("sequence", None), {}),
    "second delete": ([create_note, get_note, delete_note], ("sequence", None), {}),
    "add after clear": ([add_to_cart, clear_cart], ("raised", "AttributeError"), {}),
    "flag that lies": ([set_flag, get_flag], ("lying", None), {"reads": "get_flag", "writes": "set_flag"}),
}
