"""What was chosen on screen, in a file that planscope writes: theme, sizes of panes, hidden panes.

Each choice is kept with what the config file said then, so that a line that is changed there counts again. The file
holds nothing that could not be chosen anew: one that cannot be read is as good as none.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from planscope.tui.settings_table import BY_NAME

FILE_NAME = "screen.json"
MOST_BYTES = 64 * 1024


def state_file() -> Path:
    return user_state_path("planscope") / FILE_NAME


class Remembered:
    """The choices, by the names of their settings."""

    def __init__(self, path: Path | None = None) -> None:
        self.path: Path | None = state_file() if path is None else path
        self._changed: set[str] = set()
        self._one = threading.Lock()
        self._kept = _read(self.path)

    @classmethod
    def nothing(cls) -> Remembered:
        """Without a file."""
        made = cls(Path())
        made.path = None
        return made

    def get(self, name: str, config: Any) -> Any:
        """What was chosen while the config file said what it says now; None where nothing was."""
        value, instead_of = self._kept.get(name, (None, None))
        return value if instead_of == config else None

    def put(self, name: str, value: Any, config: Any) -> None:
        self._kept[name] = (value, config)
        self._changed.add(name)

    def drop(self, name: str) -> None:
        if self._kept.pop(name, None) is not None:
            self._changed.add(name)

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._changed) and self.path is not None

    def write(self) -> None:
        """Write what was changed here, over what others wrote meanwhile. Raises ``UserError`` (one line).

        From any thread, one at a time.
        """
        from planscope.session.files import write_atomic
        from planscope.session.places import make_folder

        with self._one:
            if self.path is None:
                return
            changed, self._changed = self._changed, set()
            kept = _read(self.path)
            for name in changed:
                kept.pop(name, None)
                if (entry := self._kept.get(name)) is not None:
                    kept[name] = entry
            values = {
                name: {"value": _plain(value), "instead_of": _plain(config)}
                for name, (value, config) in sorted(kept.items())
            }
            make_folder(self.path.parent)
            text = json.dumps({"planscope": 1, "chosen": values}, indent=1)
            write_atomic(self.path, text.encode())


def _read(path: Path) -> dict[str, tuple[Any, Any]]:
    """The sound choices of a file."""
    try:
        if not path.is_file():
            return {}
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        whole = json.loads(data) if len(data) <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    chosen = whole.get("chosen") if isinstance(whole, dict) else None
    found = {}
    for name, entry in chosen.items() if isinstance(chosen, dict) else ():
        if name in BY_NAME and isinstance(entry, dict):
            kind = BY_NAME[name].kind
            try:
                found[name] = (kind.read(entry.get("value")), kind.read(entry.get("instead_of")))
            except ValueError:
                continue
    return found


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value
