"""Namespaces of Linux for the sandbox of a tool, and a watch over what runs in them.

Everything but one folder is read-only, there is no network, and of the user's own folders only what a tool needs is
there. Then all capabilities are dropped, so that nothing can undo it. What the kernel does not give is said
(:class:`Enforced`).
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

DISK = 64 * 2**20
"""Bytes of one file, and where there are namespaces of the whole temporary folder."""

PROCESSES = 64
"""Limit of processes that a tool may have at one time."""

_NEWNS, _NEWUSER, _NEWPID, _NEWNET, _NEWIPC = 0x20000, 0x10000000, 0x20000000, 0x40000000, 0x08000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 0x1, 0x2, 0x4, 0x8
_MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 0x20, 0x1000, 0x4000, 0x40000
_SYS_OPEN_TREE, _SYS_MOVE_MOUNT, _SYS_MOUNT_SETATTR = 428, 429, 442
_AT_FDCWD, _AT_RECURSIVE, _OPEN_TREE_CLONE, _EMPTY_PATH = -100, 0x8000, 0x1, 0x4
_CAPBSET_DROP, _SET_NO_NEW_PRIVS, _CAP_AMBIENT, _AMBIENT_CLEAR = 24, 38, 47, 4
_CAPABILITIES_3 = 0x20080522

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", "/proc", "/sys")
"""Folders of the system, which stay even if somebody's home is in them."""

_KEY_FOLDERS = {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", "gcloud"}
_KEY_FILES = {
    ".env",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    "credentials",
    "credentials.json",
}
_KEY_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx")


@dataclass(frozen=True)
class Enforced:
    """What holds the sandbox together here: ``namespace``, ``audit hook``, ``limit``, ``watch``, or ``nothing``.

    ``hidden``: whether the user's own folders are hidden. ``privileges``: whether capabilities are dropped, so that no
    code can undo the rest. ``processes`` is ``allowed`` or ``refused``; ``count`` says what limits their number.
    """

    writes: str = "audit hook"
    network: str = "audit hook"
    processes: str = "refused"
    memory: str = "limit"
    hidden: str = "nothing"
    privileges: str = "nothing"
    count: str = "nothing"

    def of_server(self) -> Enforced:
        """Return what holds for a server, in which there is no audit hook."""
        return replace(
            self,
            writes="nothing" if self.writes == "audit hook" else self.writes,
            network="nothing" if self.network == "audit hook" else self.network,
            processes="allowed",
        )


LIVE = Enforced(*["elsewhere"] * 7)
"""What holds for a server that runs elsewhere."""


def enter_namespaces(
    folder: Path,
    network: bool,
    private: Sequence[str] = (),
    needed: Iterable[str] = (),
    given: tuple[Path, Path] | None = None,
) -> Enforced:
    """Move this process into new namespaces. What cannot be had is left out.

    The next fork is the first process of a new process namespace; it must call :func:`seal`. The process must have one
    thread. ``folder`` becomes an empty file system of limited size, the only place that can be written. ``private``:
    more folders of the user that are hidden; ``needed``: paths that are not. ``given``: a folder, and the path under
    which it can be written.
    """
    linux = sys.platform.startswith("linux")
    without = Enforced(network="allowed" if network else "audit hook", memory="limit" if linux else "nothing")
    if not linux:
        return without
    libc = ctypes.CDLL(None, use_errno=True)
    sockets = _bound_sockets()
    flags = _NEWUSER | _NEWNS | _NEWPID | _NEWIPC | (0 if network else _NEWNET)
    user, group = os.getuid(), os.getgid()
    if libc.unshare(flags) != 0:
        return without
    without = replace(without, network="allowed" if network else "namespace")
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        _do(libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None))
    except OSError:
        return without
    hidden = "namespace"
    tree = -1 if given is None else _tree(libc, given[0])
    try:
        _hide(libc, folder, private, [*needed, *(["/etc/resolv.conf"] if network else [])], sockets)
    except OSError:
        hidden = "nothing"
    try:
        attributes = (ctypes.c_uint64 * 4)(_MS_RDONLY, 0, 0, 0)
        _do(
            libc.syscall(
                _SYS_MOUNT_SETATTR,
                _AT_FDCWD,
                b"/",
                _AT_RECURSIVE,
                ctypes.byref(attributes),
                ctypes.c_size_t(32),
            )
        )
        _tmpfs(libc, folder, f"size={DISK},nr_inodes=20000,mode=700")
        if given is not None:
            _move(libc, tree, given[1])
    except OSError:
        return replace(without, hidden=hidden)
    return replace(without, writes="namespace", processes="allowed", hidden=hidden)


def seal(enforced: Enforced) -> Enforced:
    """Give this process, the first of its process namespace, a view of its own processes, and drop all capabilities for
    good. Return what holds then."""
    if os.getpid() != 1 or not sys.platform.startswith("linux"):
        return enforced
    libc = ctypes.CDLL(None, use_errno=True)
    with suppress(OSError):
        quiet = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
        _do(libc.mount(b"proc", b"/proc", b"proc", quiet, None))
        for name, value in (("kernel/pid_max", 300 + PROCESSES), ("user/max_user_namespaces", 0)):
            with suppress(OSError):  # 300: the kernel keeps the pids below for the first processes
                Path("/proc/sys", name).write_text(str(value))
        _do(libc.mount(None, b"/proc", None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | quiet, None))
    try:
        _drop(libc)
    except OSError:
        return replace(enforced, count="watch", memory="watch")
    return replace(enforced, privileges="namespace", count="watch", memory="watch")


def _do(status: int) -> None:
    if status < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _tree(libc: ctypes.CDLL, path: Path) -> int:
    """Return a file descriptor of a copy of the mounts at a path, negative if there is none."""
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE
    found: int = libc.syscall(_SYS_OPEN_TREE, _AT_FDCWD, os.fsencode(path), flags)
    return found


def _move(libc: ctypes.CDLL, tree: int, path: Path) -> None:
    """Mount a tree at a path."""
    _do(libc.syscall(_SYS_MOVE_MOUNT, tree, b"", _AT_FDCWD, os.fsencode(path), _EMPTY_PATH))
    os.close(tree)


def _tmpfs(libc: ctypes.CDLL, path: Path, options: str) -> None:
    _do(libc.mount(b"tmpfs", os.fsencode(path), b"tmpfs", _MS_NOSUID | _MS_NODEV, options.encode()))


def _drop(libc: ctypes.CDLL) -> None:
    """Drop every capability from all five sets, and the ways to get one back."""
    last = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
    for capability in range(last + 1):
        _do(libc.prctl(_CAPBSET_DROP, capability, 0, 0, 0))
    _do(libc.prctl(_CAP_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0))
    header, nothing = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()
    _do(libc.capset(ctypes.byref(header), ctypes.byref(nothing)))
    _do(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    libc.prctl(4, 1, 0, 0, 0)  # dumpable again: the watch reads what its children use


# What is hidden ---------------------------------------------------------------------------------------------------


def _hide(
    libc: ctypes.CDLL, folder: Path, private: Sequence[str], needed: Iterable[str], sockets: Sequence[str]
) -> None:
    """Mount empty file systems over the user's folders, with what is needed inside them."""
    covered = _covered(private)
    links, kept = _kept(needed, covered)
    trees = [(path, _tree(libc, path)) for path in kept]
    here = Path.cwd()
    known = (here.parent == here, *(here.is_relative_to(one) for one in (*covered, *map(Path, _SYSTEM))))
    secrets = [path for one in (*kept, *([] if any(known) else [here])) for path in _secrets(one)]
    for path in covered:
        _tmpfs(libc, path, "size=16m,mode=755")
    for path, tree in trees:
        _do(tree)
        if stat.S_ISDIR(os.fstat(tree).st_mode):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        _move(libc, tree, path)
    for link, target in links:
        link.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            link.symlink_to(target)
    for path in (*secrets, *map(Path, sockets)):
        with suppress(OSError):  # a socket that an empty file system hides already
            if stat.S_ISDIR(path.lstat().st_mode):
                _tmpfs(libc, path, "size=4k,mode=755")
            else:
                _do(libc.mount(b"/dev/null", os.fsencode(path), None, _MS_BIND, None))
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / "home").mkdir(exist_ok=True)


def _covered(private: Sequence[str]) -> list[Path]:
    """Return the folders that are hidden, none inside another."""
    import pwd  # Windows has no such module

    names = ["/run", "/tmp", "/var/tmp", "/dev/shm", "/home", "/root", *private]
    with suppress(KeyError):  # a user without a name, as in a container
        names.append(pwd.getpwuid(os.getuid()).pw_dir)
    found: list[Path] = []
    for path in sorted({Path(os.path.realpath(name)) for name in names if name}):
        system = any(path.is_relative_to(one) for one in _SYSTEM) and path != Path("/dev/shm")
        inside = any(path.is_relative_to(one) for one in found)
        if path.parent != path and not system and not inside and path.is_dir():
            found.append(path)
    return found


def _kept(needed: Iterable[str], covered: Sequence[Path]) -> tuple[list[tuple[Path, Path]], list[Path]]:
    """Return links to make again, and the paths to show again, none inside another.

    A folder that is hidden itself, as a home in ``sys.path``, shows only the Python code that lies in it.
    """
    links: dict[Path, Path] = {}
    wanted: set[Path] = set()
    for name in needed:
        path = _linked(Path(os.path.normpath(Path.cwd() / name)), covered, links)
        if path in covered:
            wanted.update(_linked(one, covered, links) for one in _python_in(path))
        elif path.exists() and any(path.is_relative_to(one) for one in covered):
            wanted.add(path)
    kept: list[Path] = []
    for path in sorted(wanted):
        if not any(path.is_relative_to(one) for one in kept):
            kept.append(path)
    outside = {
        link: target for link, target in links.items() if not any(link.is_relative_to(one) for one in kept)
    }
    return list(outside.items()), kept


def _linked(path: Path, covered: Sequence[Path], links: dict[Path, Path]) -> Path:
    """Return the path without links; those in hidden folders are noted."""
    for _ in range(40):
        for part in (*reversed(path.parents), path):
            if part.is_symlink():
                target = Path(os.path.normpath(part.parent / part.readlink()))
                if any(part.is_relative_to(one) and part != one for one in covered):
                    links[part] = target
                path = target / path.relative_to(part)
                break
        else:
            return path
    return path


def _python_in(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        for path in folder.iterdir():
            if path.suffix in (".py", ".so", ".pth", ".zip") or (path / "__init__.py").is_file():
                yield path


def _secrets(root: Path) -> Iterator[Path]:
    """Yield keys, sockets and FIFOs below a path. Installed packages have files like keys, which are nobody's own."""
    folders = [(str(root), any(map(_is_installed, root.parts)))]
    while folders:
        folder, installed = folders.pop()
        with suppress(OSError):
            for entry in os.scandir(folder):
                if entry.is_symlink():
                    continue
                is_folder = entry.is_dir()
                if not (is_folder or entry.is_file()) or (
                    not installed and is_key(entry.name.casefold(), is_folder)
                ):
                    yield Path(entry.path)
                elif is_folder:
                    folders.append((entry.path, installed or _is_installed(entry.name)))


def _is_installed(part: str) -> bool:
    return part.endswith("-packages") or part.startswith("python3")


def is_key(name: str, is_folder: bool) -> bool:
    """Return whether a file or folder of this name holds keys."""
    if is_folder:
        return name in _KEY_FOLDERS
    if name.startswith("id_") and name.endswith(".py"):
        return False
    return name in _KEY_FILES or name.startswith((".env.", "id_")) or name.endswith(_KEY_ENDINGS)


def _bound_sockets() -> list[str]:
    """Return the paths of sockets that somebody listens at, wherever they are."""
    with suppress(OSError):
        lines = Path("/proc/net/unix").read_text(errors="surrogateescape").splitlines()[1:]
        parts = (line.split(None, 7) for line in lines if " /" in line)
        return sorted({one[7] for one in parts if len(one) > 7})
    return []


# What runs in it --------------------------------------------------------------------------------------------------


class Crowd:
    """The processes of this process namespace, if this is its first process: their number and their memory.

    ``memory``: bytes that all together may use beyond what this process uses now: data, shared pages, files in memory.
    ``folder``: the scratch folder.
    """

    def __init__(self, memory: int, folder: Path) -> None:
        self._folder, self._page = folder, os.sysconf("SC_PAGE_SIZE")
        self._watches = os.getpid() == 1 and sys.platform.startswith("linux")
        self._own = Path("/proc/self").readlink().name == "1" if self._watches else False
        self._most = memory + (self._resident("self") if self._watches else 0)
        self._memory = memory

    def over(self) -> str | None:
        """Return in words which limit is passed, or None."""
        if not self._watches:
            return None
        here = [
            e.name
            for e in os.scandir("/proc")
            if e.name.isdigit() and e.name != "1" and self._is_here(e.name)
        ]
        if len(here) > PROCESSES:
            return f"it had more than {PROCESSES} processes at one time"
        used = self._in_memory(here)
        if used + sum(map(self._resident, here)) > self._most:
            # pages that processes share are counted once
            used += sum(map(self._proportional, here))
            if used > self._most:
                return f"it used more than {self._memory // 2**20} MB of memory"
        return None

    def _is_here(self, process: str) -> bool:
        """Whether a process belongs to this namespace. The list is that of all where /proc could not be mounted."""
        if self._own:
            return True
        with suppress(OSError):
            here = Path("/proc/self/ns/pid_for_children").readlink()
            return Path(f"/proc/{process}/ns/pid").readlink() == here
        return False

    def _resident(self, process: str) -> int:
        with suppress(OSError, IndexError, ValueError):
            return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * self._page
        return 0

    def _proportional(self, process: str) -> int:
        with suppress(OSError, IndexError, ValueError):
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
        return self._resident(process)

    def _in_memory(self, processes: Sequence[str]) -> int:
        """Return the bytes of the scratch folder and of files that exist in memory only."""
        seen: dict[tuple[int, int], int] = {}
        for process in processes:
            with suppress(OSError):
                for entry in os.scandir(f"/proc/{process}/fd"):
                    with suppress(OSError):
                        if str(Path(entry.path).readlink()).startswith("/memfd:"):
                            found = entry.stat()
                            seen[(found.st_dev, found.st_ino)] = found.st_blocks * 512
        with suppress(OSError):
            scratch = os.statvfs(self._folder)
            return sum(seen.values()) + (scratch.f_blocks - scratch.f_bfree) * scratch.f_frsize
        return sum(seen.values())


def end_all() -> None:
    """End all processes of this process namespace but this one, if it is the first."""
    if os.getpid() == 1:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(-1, 9)
