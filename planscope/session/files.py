"""The bytes of session files: read with a limit, written atomically, and compared with what was read before."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
import time
import zlib
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

from planscope.errors import UserError
from planscope.frozen import frozen

LARGEST = 64 * 1024 * 1024
"""The size limit of a session file, in bytes after unpacking: one run of 100,000 calls, or thousands of a real model.
A file of 50 MB is read in 5 s, in 0.7 GB of memory."""
GZIP, ZLIB = b"\x1f\x8b", b"\x78"
_ABANDONED = 3600.0
"""Seconds after which a temporary file counts as left by a writer that was killed."""


class SessionError(UserError):
    """A session cannot be read or written; the message is one line for a person."""


class TooLarge(SessionError):
    """The session is too large for one file; it may still fit into several."""


def size_words(size: int) -> str:
    """Write a size for an error. The words are imported only then, as the first frame needs the readers of files."""
    from planscope.wording.phrases import file_size

    return file_size(size)


def names_itself(path: Path) -> bool:
    """Return whether a file says at its beginning that it is a session, unpacked. It may be one even if it does not."""
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as opened:
                return b'"planscope-' in opened.read(4096)
    return False


def read_bytes(path: Path) -> bytes:
    """Return the content of a regular file, unpacked if it is gzip; at most ``LARGEST`` bytes. Raises SessionError."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)  # checks the open file, since the name may lead elsewhere by now
            if not stat.S_ISREG(status.st_mode):
                raise SessionError(f"{path} is not a regular file; copy its content to one first")
            if status.st_size > LARGEST:
                raise SessionError(_too_large(path))
            data = file.read(LARGEST + 1)
    except IsADirectoryError:
        raise SessionError(f"{path} is a directory, not a session file; name a file in it") from None
    except FileNotFoundError:
        raise SessionError(f"there is no file {path}; check the name") from None
    except PermissionError:
        raise SessionError(f"{path} cannot be read: permission denied; change it with chmod u+r") from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{path} cannot be read: {_reason(error)}") from None
    return unpacked(data, str(path))


def open_regular(path: Path) -> BufferedReader:
    """Open a regular file. Raises OSError for others, since reading a pipe may block and a device may never end."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file")
    return file


def unpacked(data: bytes, name: str, packed: bytes = GZIP) -> bytes:
    """Return the bytes, unpacked if they are gzip or, with ``ZLIB``, zlib; at most ``LARGEST``. ``name`` is their
    source, for errors."""
    return _unpack(name, data) if data.startswith(packed) else _bounded(name, data)


def _bounded(name: str, data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise SessionError(_too_large(name))
    return data


def _unpack(name: str, data: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # gzip or zlib, as its first bytes say
    try:
        found = unpacker.decompress(data, LARGEST + 1)
    except zlib.error as error:
        raise SessionError(
            f"{name} is damaged (it cannot be unpacked: {error}); get the file again"
        ) from None
    if not unpacker.eof and len(found) <= LARGEST:
        raise SessionError(f"{name} is cut off in the middle of its packed data; get the file again")
    return _bounded(name, found)


def _too_large(path: Path | str) -> str:
    return f"{path} is larger than {size_words(LARGEST)}; no session is that large"


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def writable_target(path: Path) -> Path:
    """Return the file that is written when a session is saved to ``path``. A link stays, and its target is written.

    Raises :class:`SessionError` for what must not be replaced: directories, devices, pipes and write-protected files,
    even if root could write them.
    """
    try:
        place = path.resolve() if path.is_symlink() else path
        status = place.stat() if place.exists() else None
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise SessionError(f"{path} is a directory; name a file in it")
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise SessionError(f"{path} is not a regular file; name a file that can be replaced")
        if status is not None and not (status.st_mode & 0o222 and os.access(place, os.W_OK)):
            raise SessionError(f"{path} is write-protected{_why_protected(place, status.st_mode)}")
        folder = place.parent
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            raise SessionError(f"{path} cannot be written: {folder} is not a directory")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise SessionError(
                f"{path} cannot be written: no permission to write in {folder}; choose another place"
            )
    except (OSError, ValueError, RuntimeError) as error:  # a link that leads to itself raises RuntimeError
        raise SessionError(f"{str(path)[:200]} cannot be written: {_reason(error)}") from None
    return place


def _why_protected(path: Path, mode: int) -> str:
    if mode & 0o222 and hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_RDONLY:
        return ", because its file system is read-only; choose another place"
    return "; choose another file, or allow it (chmod u+w)"


def write_atomic(path: Path, data: bytes) -> None:
    """Write a temporary file, flush it to the disk, and rename it, so that at any moment either the old or the new
    file is whole.

    The mode is kept, and owner and group if the system allows it. Raises :class:`SessionError`, and then the old file
    is unchanged; see also :func:`writable_target`.
    """
    packed = data
    if path.name.endswith(".gz"):
        import gzip  # imported late: the first frame needs no gzip

        packed = gzip.compress(data, mtime=0)
    place = writable_target(path)
    temporary = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(
            dir=place.parent, prefix=f".{short_name(place.name)}.", suffix=".tmp"
        )
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
            file.flush()
            _copy_permissions(handle, place)
            os.fsync(file.fileno())
        Path(temporary).replace(place)
        temporary = None
        _sync_directory(place.parent)
    except PermissionError:
        raise SessionError(f"{path} cannot be written: permission denied; choose another place") from None
    except (OSError, ValueError) as error:
        raise SessionError(f"{path} cannot be written: {_reason(error)}{_advice(error)}") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                Path(temporary).unlink()


def recordings_of(path: Path) -> Path:
    """Return the folder beside a session's file that has the recordings which are not merged into it yet."""
    place = path.resolve() if path.is_symlink() else path
    return place.with_name(f".{short_name(place.name)}.recording")


def remove_leftovers(path: Path) -> None:
    """Remove temporary files that killed writers of ``path`` left behind. A file an hour old has no writer any more."""
    from glob import escape

    with suppress(OSError):
        for left in path.parent.glob(f".{escape(short_name(path.name))}.*.tmp"):
            if left.is_file() and time.time() - left.stat().st_mtime > _ABANDONED:
                left.unlink()


def short_name(name: str) -> str:
    """Return a file's name, cut so that it fits into the name of another file."""
    return os.fsencode(name)[:80].decode("utf-8", "ignore")


def _advice(error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT):
        return "; the old file is unchanged; make room or choose another place"
    if number == errno.EROFS:
        return "; choose another place"
    return ""


def _copy_permissions(handle: int, path: Path) -> None:
    """Give the new file the mode of the old one, and its owner and group if the system allows it."""
    with suppress(OSError, AttributeError):  # Windows has no owners and no fchmod
        old = path.stat()
        if (old.st_uid, old.st_gid) != (os.getuid(), os.getgid()):
            with suppress(OSError):
                os.fchown(handle, old.st_uid, old.st_gid)
    with suppress(AttributeError):
        os.fchmod(handle, _mode(path))


def _mode(path: Path) -> int:
    """Return the mode of the file that is replaced, or by the user's umask the mode of a new file."""
    with suppress(OSError):
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_directory(path: Path) -> None:
    """Flush the rename to the disk, if the system can flush directories."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Changed(SessionError):
    """The file is not the one that was read: another program changed or removed it."""


@frozen
class Fingerprint:
    """The state of a file when it was read: modification time, size, inode and SHA-256."""

    mtime_ns: int
    size: int
    inode: int
    digest: str


def fingerprint_of(path: Path) -> Fingerprint | None:
    """Return the file's fingerprint, or None if it cannot be read."""
    try:
        with open_regular(path) as file:
            status = _status(path)
            return Fingerprint(*status, hashlib.file_digest(file, "sha256").hexdigest())
    except OSError:
        return None


def _status(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


def check_unchanged(path: Path, fingerprint: Fingerprint | None) -> None:
    """Raise :class:`Changed` if the content has changed since the fingerprint (None: there was no file)."""
    try:
        now = _status(path)
    except FileNotFoundError:
        if fingerprint is None:
            return
        raise Changed(f"{path} was deleted after it was read; nothing was written") from None
    except OSError as error:
        raise Changed(f"{path} cannot be read any more ({error.strerror}); nothing was written") from None
    if fingerprint is not None and now == (fingerprint.mtime_ns, fingerprint.size, fingerprint.inode):
        return
    found = fingerprint_of(path)
    if fingerprint is None or found is None or found.digest != fingerprint.digest:
        raise Changed(f"{path} was changed by another program since it was read; it was not overwritten")
