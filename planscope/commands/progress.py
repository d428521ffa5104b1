"""A line on standard error that says how far the work is, while a person waits there."""

from __future__ import annotations

import sys


class ProgressLine:
    """Each text takes the place of the one before; nothing is written where standard error is no terminal."""

    def __init__(self) -> None:
        self._seen = sys.stderr.isatty()
        self._width = 0

    def show(self, text: str) -> None:
        if self._seen:
            self._write(text.ljust(self._width))
            self._width = len(text)

    def clear(self) -> None:
        if self._width:
            self._write(" " * self._width + "\r")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text)
        sys.stderr.flush()
