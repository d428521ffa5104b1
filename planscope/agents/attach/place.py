"""The folder of the sockets to which debuggers attach, and the check of who is at the other end.

The folder is ``planscope`` in the user's run-time folder (``XDG_RUNTIME_DIR``, or ``/run/user/UID``), or else
``planscope-UID`` in the temporary folder. It has mode 0700 and belongs to the user, or it is not used. Only the same
user may attach, not even root.
"""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
import tempfile
from pathlib import Path

from planscope.errors import UserError

SYSTEMS = ("linux", "darwin")
SUFFIX = ".sock"
LONGEST = 100
"""Limit of a socket's path in bytes; the systems allow 104 and more."""

_LOCAL_PEERCRED = 1
_XUCRED = struct.Struct("2IH")


class CannotAttach(UserError):
    """No debugger can be attached here; the message is one line for a person."""


def check_system() -> None:
    """Raise :class:`CannotAttach` where there are no Unix sockets that tell their peer's user."""
    if sys.platform not in SYSTEMS or not hasattr(socket, "AF_UNIX"):
        raise CannotAttach("attach works on Linux and macOS only")


def socket_folder() -> Path:
    """Return the folder of the sockets, which may be missing."""
    user = os.geteuid()
    for place in (Path(os.environ.get("XDG_RUNTIME_DIR", "")), Path(f"/run/user/{user}")):
        if place.is_absolute() and _is_mine(place, 0o022):
            return place / "planscope"
    return Path(tempfile.gettempdir()) / f"planscope-{user}"


def _is_mine(folder: Path, closed: int) -> bool:
    """Return whether it is a folder of this user, and no link, without the permissions ``closed`` for others."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & closed


def checked_folder() -> Path:
    """Return the folder of the sockets; it is made if it is missing. Raises :class:`CannotAttach`."""
    check_system()
    folder = socket_folder()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise CannotAttach(f"the folder {folder} cannot be made: {error.strerror}") from None
    if not _is_mine(folder, 0o077):
        raise CannotAttach(
            f"the folder {folder} is not safe: it must be yours alone (mode 0700), and no link"
        )
    return folder


def sockets() -> list[Path]:
    """Return the sockets in the folder, by their names. Raises :class:`CannotAttach`."""
    check_system()
    folder = socket_folder()
    if not os.path.lexists(folder):
        return []
    found = [one for one in checked_folder().iterdir() if one.name.endswith(SUFFIX)]
    return sorted(found, key=lambda one: (len(one.name), one.name))


def id_of(place: Path) -> str:
    """Return the id of the agent behind a socket: its process, and a number if the process has several."""
    return place.name.removesuffix(SUFFIX)


def connected(place: Path, seconds: float) -> socket.socket:
    """Connect to an agent. A socket that nobody listens at is removed. Raises OSError, :class:`CannotAttach`."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.settimeout(seconds)
        made.connect(os.fspath(place))
        check_peer(made)
    except ConnectionRefusedError:
        made.close()
        place.unlink(missing_ok=True)
        raise
    except BaseException:
        made.close()
        raise
    return made


def check_peer(peer: socket.socket) -> None:
    """Raise :class:`CannotAttach` unless the process at the other end belongs to this user."""
    if user_of(peer) != os.geteuid():
        raise CannotAttach("the process at the other end belongs to another user")


def user_of(peer: socket.socket) -> int:
    """Return the user of the process at the other end of a Unix socket, as the system knows it. Raises OSError."""
    if sys.platform == "darwin":
        data = peer.getsockopt(0, _LOCAL_PEERCRED, 256)
        _, user, _ = _XUCRED.unpack_from(data)
        return int(user)
    data = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", data)[1])
