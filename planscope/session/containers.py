"""Reads sessions from other containers: a page (HTML) or a test (Python) made for sharing, and standard input.

Nothing in them is evaluated or run. From a page the bytes of one marked element are taken, which must be JSON without a
single ``<``; from a test the lines of one marked literal, quoted as planscope quotes them. planscope never writes to
them: changes to their session go to another file.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from planscope.session.files import GZIP, LARGEST, SessionError, read_bytes, unpacked

OPENING = b'<script type="application/json" id="planscope-session">'
CLOSING = b"</script>"
TEST_OPENING = b'"""A planning case, written by planscope'
STANDARD_INPUT = "standard input"

_BEFORE_MARKUP = b"\xef\xbb\xbf \t\r\n"
_LOOKED_AT, _SEARCHED = 4096, 2**16
_FORMAT = re.compile(rb'"format"\s*:\s*"planscope-session"')
CONTAINER_SUFFIXES = (".html", ".htm", ".xhtml", ".html.gz", ".htm.gz", ".py", ".py.gz")
_PASSING = "planscope-passing-"
_TO_ESCAPE = re.compile("[<>&]|[^\x00-\x7f]")

_LITERAL = b"\nSESSION = (\n"
_LITERAL_END = b"\n)"
_QUOTED = re.compile(rb"""    (?:'((?:[^'\\]|\\['\\])*)'|"((?:[^"\\]|\\\\)*)")""")
_ESCAPED = re.compile(rb"\\(.)")
_WIDTH = 100


def for_page(json_text: str) -> str:
    """Return JSON that is safe inside a page: without ``<``, ``>``, ``&`` and non-ASCII characters."""
    return _TO_ESCAPE.sub(lambda found: _escaped(found[0]), json_text)


def _escaped(character: str) -> str:
    """The escape of JSON and JavaScript, ``\\u003c``; two of them for a character beyond 16 bits."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i] << 8 | units[i + 1]:04x}" for i in range(0, len(units), 2))


def is_page(data: bytes) -> bool:
    """Return whether bytes are markup; unlike JSON, markup begins with ``<``."""
    return data[:_LOOKED_AT].lstrip(_BEFORE_MARKUP).startswith(b"<")


def holds_session(file: IO[bytes]) -> bool:
    """Return whether a file, also a packed one, begins as a session, a page or a test does. What only speaks of
    sessions does not."""
    head = file.read(_SEARCHED)
    if head.startswith(GZIP):
        with suppress(zlib.error):
            head = zlib.decompressobj(31).decompress(head, _SEARCHED)
    return is_page(head) or is_test(head) or _FORMAT.search(head) is not None


def for_test(json_text: str) -> str:
    """Return ASCII JSON as the lines of a Python string literal in brackets."""
    return "\n".join(f"    {json_text[i : i + _WIDTH]!r}" for i in range(0, len(json_text), _WIDTH))


def is_test(data: bytes) -> bool:
    """Return whether bytes are a test that planscope wrote (``export --format pytest``)."""
    return data[:_LOOKED_AT].lstrip(_BEFORE_MARKUP).startswith(TEST_OPENING)


def session_json(data: bytes, name: str) -> bytes:
    """Return the session's JSON from a page or a test; other bytes are returned unchanged. Raises
    :class:`SessionError`."""
    if is_page(data):
        return _of_page(data, name)
    return _of_test(data, name) if is_test(data) else data


def _of_page(data: bytes, name: str) -> bytes:
    found = _between(data, OPENING, CLOSING, name)
    if found is None:
        raise SessionError(
            f"{name} is a page (HTML), but contains no session; planscope export --format html makes one"
        )
    if b"<" in found:
        raise SessionError(f"{name} has markup in place of its session; planscope did not make it")
    return found


def _of_test(data: bytes, name: str) -> bytes:
    found = _between(data.replace(b"\r\n", b"\n"), _LITERAL, _LITERAL_END, name)
    if found is None:
        raise SessionError(
            f"{name} is a test (pytest), but contains no session; export it again with planscope"
        )
    return b"".join(_unquoted(line, name) for line in found.split(b"\n"))


def _unquoted(line: bytes, name: str) -> bytes:
    quoted = _QUOTED.fullmatch(line)
    if quoted is None:
        raise SessionError(f"{name} has other code in place of its session; planscope did not make it")
    return _ESCAPED.sub(rb"\1", quoted[1] if quoted[1] is not None else quoted[2])


def _between(data: bytes, opening: bytes, closing: bytes, name: str) -> bytes | None:
    """Return the bytes between the marks, or None without the opening mark."""
    start = data.find(opening)
    if start < 0:
        return None
    if data.find(opening, start + 1) >= 0:
        raise SessionError(f"{name} contains more than one session; planscope did not make it")
    start += len(opening)
    end = data.find(closing, start)
    if end < 0:
        raise SessionError(f"{name} ends in the middle of its session; get the file again")
    return data[start:end]


def read_stream(stream: IO[bytes], name: str = STANDARD_INPUT) -> bytes:
    """Return the content of a stream, unpacked if it is gzip; at most the size of a session file."""
    try:
        data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise SessionError(f"{name} cannot be read: {error}") from None
    return unpacked(data, name)


@contextmanager
def temporary_file(data: bytes) -> Iterator[Path]:
    """Yield a temporary file with the content of standard input. Sessions are not saved to it."""
    with TemporaryDirectory(prefix=_PASSING) as folder:
        path = Path(folder) / f"{STANDARD_INPUT.replace(' ', '-')}.planscope.json"
        path.write_bytes(data)
        yield path


def is_passing(path: Path) -> bool:
    """Return whether the file is a temporary one with the content of standard input."""
    return path.parent.name.startswith(_PASSING)


def is_session_file(path: Path) -> bool:
    """Return whether a session that was opened from ``path`` may be saved there: not into a page, a test or standard
    input.

    For an existing file its content decides, for a new file its name.
    """
    if path.name.lower().endswith(CONTAINER_SUFFIXES) or is_passing(path):
        return False
    try:
        if not path.is_file():
            return True
        with path.open("rb") as file:
            head = file.read(_LOOKED_AT)
        begins = read_bytes(path) if head.startswith(GZIP) else head
        return not (is_page(begins) or is_test(begins))
    except (OSError, ValueError, SessionError):
        return True  # nothing can be lost here; writing will raise the error
