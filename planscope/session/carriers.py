"""What carries a session besides a session file: a page (HTML) that was made for sharing, and standard input.

Nothing of a page is evaluated: of all its bytes those of one marked element are taken, which must be JSON without a
single ``<``. A page is never written to; what is done with its session goes elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from planscope.session.files import GZIP, LARGEST, SessionError, read_bytes, unpacked

OPENING = b'<script type="application/json" id="planscope-session">'
CLOSING = b"</script>"
STANDARD_INPUT = "standard input"

_BEFORE_MARKUP = b"\xef\xbb\xbf \t\r\n"
_LOOKED_AT = 4096
PAGE_NAMES = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz")
_PASSING = "planscope-passing-"
_TO_ESCAPE = re.compile("[<>&]|[^\x00-\x7f]")


def for_page(json_text: str) -> str:
    """JSON as it can stand in a page: nothing in it ends an element, opens one, is an entity, or needs an encoding."""
    return _TO_ESCAPE.sub(lambda found: _escaped(found[0]), json_text)


def _escaped(character: str) -> str:
    """As JSON and JavaScript write it: ``\\u003c``; two of these for what is beyond 16 bits."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i] << 8 | units[i + 1]:04x}" for i in range(0, len(units), 2))


def is_page(data: bytes) -> bool:
    """Whether bytes are markup; no JSON begins like that."""
    return data[:_LOOKED_AT].lstrip(_BEFORE_MARKUP).startswith(b"<")


def carried(data: bytes, name: str) -> bytes:
    """The JSON of the session that the bytes of a page carry; other bytes as they are. Raises ``SessionError``."""
    if not is_page(data):
        return data
    start = data.find(OPENING)
    if start < 0:
        raise SessionError(
            f"{name} is a page (HTML), but carries no session; planscope export --format html makes one"
        )
    if data.find(OPENING, start + 1) >= 0:
        raise SessionError(f"{name} carries more than one session; planscope has not made it")
    start += len(OPENING)
    end = data.find(CLOSING, start)
    if end < 0:
        raise SessionError(f"{name} ends in the middle of the session that it carries; get the file again")
    found = data[start:end]
    if b"<" in found:
        raise SessionError(f"{name} carries markup where its session should be; planscope has not made it")
    return found


def read_stream(stream: IO[bytes], name: str = STANDARD_INPUT) -> bytes:
    """Everything from a stream, unpacked where it is gzip; never more than a session file may hold."""
    try:
        data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise SessionError(f"{name} cannot be read: {error}") from None
    return unpacked(data, name)


@contextmanager
def passing_file(data: bytes) -> Iterator[Path]:
    """A file for what came through standard input, for as long as it is open; it is no place to save to."""
    with TemporaryDirectory(prefix=_PASSING) as folder:
        path = Path(folder) / f"{STANDARD_INPUT.replace(' ', '-')}.planscope.json"
        path.write_bytes(data)
        yield path


def is_session_file(path: Path) -> bool:
    """Whether a session that was opened from ``path`` may be saved there: not into a page, whatever its name.

    Of a file that is not there yet, its name tells. What came through standard input has no place of its own.
    """
    if path.name.lower().endswith(PAGE_NAMES) or path.parent.name.startswith(_PASSING):
        return False
    try:
        if not path.is_file():
            return True
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
        return not is_page(read_bytes(path) if head.startswith(GZIP) else head)
    except (OSError, ValueError, SessionError):
        return True  # there is nothing to lose, and writing says what is wrong
