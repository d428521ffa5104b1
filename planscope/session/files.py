"""Bytes of a session file to JSON and back: bounded, atomic, and with one clear line where something is wrong."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import stat
import sys
import tempfile
import time
import zlib
from contextlib import suppress
from glob import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from planscope.errors import UserError

DEEPEST = 200
"""Lists and objects inside one another; more cannot be written again."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a session file, unpacked."""
WIDEST = 96 * 1024 * 1024
"""Bytes that a file's text may take in memory, where one rare letter makes all of them two or four bytes wide."""
MOST_VALUES = 1_000_000
"""Values in a file: each takes some hundred bytes once it is read, whatever it takes on the disk."""
LONGEST_STRING = 8 * 1024 * 1024
"""Bytes of one text in a file, give or take an eighth."""
LONGEST_NUMBER = 1000
"""Digits. Python prints no more than 4,300, and those of a sum may be one more."""
GZIP = b"\x1f\x8b"
_ABANDONED = 3600.0
"""Seconds after which what a writer left is nobody's."""
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (LONGEST_NUMBER + 1))
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_NO_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))
_PIECE = 1024 * 1024
_SURROGATE = re.compile("[\ud800-\udfff]")


class SessionError(UserError):
    """A session cannot be read or written."""


def read_bytes(path: Path) -> bytes:
    """The content of a regular file, unpacked where it is gzip; never more than ``LARGEST``."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise SessionError(f"{path} is a directory, not a session file; name a file in it")
        if not stat.S_ISREG(status.st_mode):
            raise SessionError(f"{path} is not a regular file; copy its content to one first")
        if status.st_size > LARGEST:
            raise SessionError(_too_large(path))
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise SessionError(f"there is no file {path}; check the name") from None
    except PermissionError:
        raise SessionError(f"{path} may not be read; change its permissions (chmod u+r)") from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{path} cannot be read: {_reason(error)}") from None
    return unpacked(data, str(path))


def unpacked(data: bytes, name: str) -> bytes:
    """Bytes out of their gzip, if they are in one; never more than ``LARGEST``. ``name`` says where they came from."""
    return _unpack(name, data) if data.startswith(GZIP) else _bounded(name, data)


def _bounded(name: str, data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise SessionError(_too_large(name))
    return data


def _unpack(name: str, data: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, LARGEST + 1)
    except zlib.error as error:
        raise SessionError(f"{name} is damaged gzip: {error}; get the file again") from None
    if not unpacker.eof and len(found) <= LARGEST:
        raise SessionError(f"{name} is cut off in the middle of its gzip data; get the file again")
    return _bounded(name, found)


def _too_large(path: Path | str) -> str:
    return f"{path} is larger than {LARGEST // 2**20} MB; a session is never that large"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def parse_json(data: bytes, name: str, *, deepest: int = DEEPEST) -> Any:
    """JSON from bytes. ``name`` says where they came from, for the error.

    Refused besides what is no JSON: what takes too much memory or is nested too deeply, a name given twice in one
    object, numbers that cannot be printed.
    """
    try:
        _check_bounds(data, name, deepest)
        text = data.decode("utf-8-sig")
        if sys.getsizeof(text) > WIDEST:
            raise SessionError(_too_large(name))
        document = json.loads(
            text,
            parse_constant=_no_constant,
            parse_int=_whole if _LONG_NUMBER.search(data) else None,
            object_pairs_hook=_each_once,
        )
        return without_surrogates(document) if b"\\ud" in data or b"\\uD" in data else document
    except UnicodeDecodeError as error:
        raise SessionError(f"{name} is not UTF-8 text (byte {error.start}); is it a session file?") from None
    except json.JSONDecodeError as error:
        if not data.strip():
            raise SessionError(f"{name} is empty; is it a session file?") from None
        where = f"line {error.lineno}, column {error.colno}"
        if error.pos >= len(error.doc.rstrip()) - 1 or "Unterminated" in error.msg:
            raise SessionError(f"{name} ends in the middle ({where}); it was cut off, get it again") from None
        raise SessionError(f"{name} is not JSON ({where}: {error.msg}); is it a session file?") from None
    except RecursionError:
        raise SessionError(f"{name} is nested too deeply to be a session") from None
    except ValueError as error:
        raise SessionError(f"{name} cannot be read: {error}") from None


def _check_bounds(data: bytes, name: str, deepest: int) -> None:
    """Before it is read: how many values, how long a string, how deep. Raises SessionError, or RecursionError."""
    if data.count(b"[") + data.count(b"{") <= deepest and len(data) <= LONGEST_STRING:
        return
    left = _structure(data, name).translate(None, _NO_BRACKETS)
    for _ in range(deepest):  # each time the innermost ones go
        before = len(left)
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if len(left) == before:
            return  # nothing left, or what is no JSON
    if left:
        raise RecursionError


def _structure(data: bytes, name: str) -> bytes:
    """The brackets and commas of JSON that stand in no string. A piece at a time: there may be many strings."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    found: list[bytes] = []
    values = inside = unbroken = 0
    for start in range(0, len(data), _PIECE):
        parts = data[start : start + _PIECE].split(b'"')
        found.append(b"".join(parts[inside::2]).translate(None, _NO_STRUCTURE))
        unbroken = unbroken + 1 if inside and len(parts) == 1 else 0
        inside ^= (len(parts) - 1) & 1
        values += sum(found[-1].count(one) for one in (b",", b"[", b"{"))
        if values > MOST_VALUES:
            raise SessionError(f"{name} holds more than {MOST_VALUES:,} values; a session never has as many")
        if unbroken * _PIECE >= LONGEST_STRING:
            raise SessionError(
                f"{name} holds a text of more than {LONGEST_STRING // 2**20} MB; no session does"
            )
    return b"".join(found)


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > LONGEST_NUMBER:
        raise ValueError(f"it holds a number of {len(digits):,} digits, more than {LONGEST_NUMBER:,}")
    return int(digits)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; two values of one name would be read differently by different programs."""
    made = dict(pairs)
    if len(made) != len(pairs):
        ordered = sorted(name for name, _ in pairs)
        twice = next(a for a, b in pairwise(ordered) if a == b)
        raise ValueError(f"it holds {twice[:80]!r} twice in one object")
    return made


def without_surrogates(value: Any) -> Any:
    """The same JSON with halves of surrogate pairs, which no file can hold, as U+FFFD."""
    if isinstance(value, str):
        if value.isascii() or _SURROGATE.search(value) is None:
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [without_surrogates(one) for one in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(one) for key, one in value.items()}
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that a session may hold")


def writable_target(path: Path) -> Path:
    """The file that writing to ``path`` writes: the one rule for the command line and the screen.

    A link stays, and the file that it leads to is written. Raises :class:`SessionError` for what must not be replaced:
    directories, devices, pipes, and files that are write-protected (without any write bit for root, too).
    """
    try:
        place = path.resolve() if path.is_symlink() else path
        status = place.stat() if place.exists() else None
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise SessionError(f"{path} is a directory; name a file in it")
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise SessionError(f"{path} is not a regular file; name a file that can be replaced")
        if status is not None and not (status.st_mode & 0o222 and os.access(place, os.W_OK)):
            raise SessionError(f"{path} is write-protected; choose another file, or allow it (chmod u+w)")
        folder = place.parent
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            raise SessionError(f"{path} cannot be written: {folder} is not a directory")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise SessionError(
                f"{path} cannot be written: no permission to write in {folder}; choose another place"
            )
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise SessionError(f"{str(path)[:200]} cannot be written: {_reason(error)}") from None
    return place


def write_atomic(path: Path, data: bytes) -> None:
    """Write, flush to the disk, rename: at any moment the old or the new file is there, whole.

    Mode bits stay, and owner and group where that is allowed. Raises :class:`SessionError`, see
    :func:`writable_target`; then the old file is as it was.
    """
    packed = gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data
    place = writable_target(path)
    temporary = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(
            dir=place.parent, prefix=f".{_short(place.name)}.", suffix=".tmp"
        )
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
            file.flush()
            _dress(handle, place)
            os.fsync(file.fileno())
        Path(temporary).replace(place)
        temporary = None
        _sync_directory(place.parent)
    except PermissionError:
        raise SessionError(f"{path} may not be written; choose another place with -o") from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{path} cannot be written: {_reason(error)}{_advice(error)}") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                Path(temporary).unlink()


def sweep(path: Path) -> None:
    """Remove what writers of ``path`` that were killed left beside it. No writing takes as long as an hour."""
    with suppress(OSError):
        for left in path.parent.glob(f".{escape(_short(path.name))}.*.tmp"):
            if left.is_file() and time.time() - left.stat().st_mtime > _ABANDONED:
                left.unlink()


def _short(name: str) -> str:
    return os.fsencode(name)[:80].decode("utf-8", "ignore")


def _advice(error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT):
        return "; the old file is as it was, make room or choose another disk"
    if number == errno.EROFS:
        return "; choose another place"
    return ""


def _dress(handle: int, path: Path) -> None:
    """Give the new file the old one's permissions, and its owner and group where that is allowed."""
    with suppress(OSError, AttributeError):  # no owners and no fchmod on Windows
        old = path.stat()
        if (old.st_uid, old.st_gid) != (os.getuid(), os.getgid()):
            with suppress(OSError):
                os.fchown(handle, old.st_uid, old.st_gid)
    with suppress(AttributeError):
        os.fchmod(handle, _mode(path))


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, or those that the user's umask gives to a new one."""
    with suppress(OSError):
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_directory(path: Path) -> None:
    """Make the rename itself last, where the system can do that for directories."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
