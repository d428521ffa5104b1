"""From every earlier version of the format to today's, one step at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planscope.session.files import SessionError
from planscope.session.model import FORMAT_VERSION

STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""From a version to the next. Empty while there is only one: fields that may be missing need no new version."""


def migrate(document: Any, name: str) -> dict[str, Any]:
    """Bring a file's JSON to today's version, or say why that cannot be done."""
    if not isinstance(document, dict) or document.get("format") != "planscope-session":
        raise SessionError(f'{name} is JSON but no planscope session (its "format" is missing)')
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise SessionError(f'{name}: its "version" is not a version number')
    if version > FORMAT_VERSION:
        raise SessionError(
            f"{name} was written by a newer planscope (format {str(version)[:20]}, this one reads up to "
            f"{FORMAT_VERSION}); update planscope to open it"
        )
    migrated: dict[str, Any] = document
    while version < FORMAT_VERSION:
        version += 1
        migrated = STEPS[version - 1](migrated) | {"version": version}
    return migrated
