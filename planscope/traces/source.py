"""A file of traces: its bytes, unpacked and bounded, and its beginning, which tells the format."""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal
from weakref import finalize

from planscope.errors import UserError
from planscope.traces.accounts import Ledger
from planscope.traces.json_stream import Broken, JsonStream, Lines, damage_in, parsed, reason_of, salvaged
from planscope.traces.values import Obj
from planscope.wording.phrases import file_size

LOOKS = (64 * 1024, 1024 * 1024)
"""How many bytes at the beginning of a file tell its format; the second number if the first do not suffice."""
SAMPLE = 50
"""Limit of lines in the sample of a file."""
BOMB_FROM = 256 * 2**20
BOMB_RATIO = 250
"""Packed data are refused if they unpack to more bytes than ``BOMB_FROM`` and than ``BOMB_RATIO`` times their size."""
GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"


def file_name(source: str) -> str:
    """Return the name of a file without its folder and its endings."""
    name = Path(source).name
    for ending in (".zst", ".gz"):
        name = name.removesuffix(ending)
    for ending in (".jsonl", ".ndjson", ".json", ".eval", ".txt", ".log"):
        name = name.removesuffix(ending)
    return name or "trace"


class Unreadable(UserError):
    """No trace can be read from a file. The message is one line with the file's name."""


@dataclass(frozen=True)
class Head:
    """The beginning of a file.

    ``kind``: ``lines`` if each line is a JSON value, ``json`` for one JSON text, ``zip``, or ``other``. ``sample``: the
    values of the first lines, or the one value, without what is cut off. ``data``: the bytes.
    """

    kind: Literal["lines", "json", "zip", "other"]
    sample: list[object]
    data: bytes = b""

    @property
    def records(self) -> list[object]:
        """Return the first records: values of lines, elements of an array, or the one value."""
        if self.kind == "json" and self.sample and type(self.sample[0]) is list:
            return list(self.sample[0][:SAMPLE])
        return self.sample

    @property
    def objects(self) -> list[Obj]:
        """Return the first records that are objects."""
        return [one for one in self.records if type(one) is dict]

    def within(self, *lists: str) -> list[Obj]:
        """Return the first objects, and the first ones in their lists under these keys."""
        found = self.objects
        inner = [one.get(key) for one in found for key in lists]
        return [
            *found,
            *(one for many in inner if type(many) is list for one in many[:SAMPLE] if type(one) is dict),
        ]


@dataclass
class Source:
    """One file, or standard input. ``opened`` returns its bytes from the start each time, still packed."""

    name: str
    opened: Callable[[], IO[bytes]]
    path: Path | None = None
    damaged: list[Broken] = field(default_factory=list)
    """The first damaged line that others follow, and the one in which the file ends."""
    damaged_count: int = 0
    open_files: list[IO[bytes]] = field(default_factory=list)
    seen: Head = field(default_factory=lambda: Head("other", []))
    """The beginning by which the format was recognised."""
    ledger: Ledger = field(default_factory=Ledger)
    """What looks like a call in the values that were read."""
    part: str = ""
    """What the places of a file that belongs to another one begin with."""

    @property
    def stem(self) -> str:
        """The name that a trace without an id gets."""
        return file_name(self.name)

    def raw(self) -> IO[bytes]:
        """Return the bytes as they are. :meth:`close` closes the file if nobody else does."""
        try:
            file = self.opened()
        except OSError as error:
            raise Unreadable(f"{self.name} cannot be read: {error.strerror or error}") from None
        self.open_files = [one for one in self.open_files if not one.closed]
        self.open_files.append(file)
        return file

    def close(self) -> None:
        """Close the files that were opened."""
        for file in self.open_files:
            file.close()
        self.open_files = []

    def stream(self) -> IO[bytes]:
        """Return the bytes, unpacked if they are gzip or zstd. Reading raises Broken for damage and for bombs."""
        file = self.raw()
        begins = file.read(4)
        file.seek(0)
        if begins.startswith(GZIP):
            return io.BufferedReader(Unpacked(file, gzip.GzipFile(fileobj=file, mode="rb")), 2**18)
        if begins == ZSTD:
            return io.BufferedReader(Unpacked(file, zstandard(self.name, file)), 2**18)
        if begins[:2] in (b"\xff\xfe", b"\xfe\xff"):  # PowerShell writes such files
            return _recoded(file)
        return file

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines that are not blank, with their numbers. Raises Broken."""
        with self.stream() as file:
            yield from Lines(file)

    def records(self, *, again: bool = False) -> Iterator[tuple[int, object]]:
        """Yield the JSON value of each line. A damaged line is noted and left out; Broken ends them.

        ``again``: the values are accounted for elsewhere.
        """
        self.damaged, self.damaged_count = (
            [],
            0,
        )  # some readers look twice, and a stream is read again and again
        for number, line in self.lines():
            try:
                value = parsed(text_of_line(line))
            except ValueError as error:
                damage = damage_of(number, line, error)
                if not self.damaged or damage.cut:
                    self.damaged.append(damage)
                self.damaged_count += not damage.cut
                continue
            if not again:
                self.ledger.walk(value, f"{self.part}line {number}")
            yield number, value

    def json(self, *, again: bool = False) -> JsonStream:
        """Return the JSON values of the file. The caller reads it to its end."""
        return JsonStream(self.stream(), heard=None if again else self.ledger.walk)

    def head(self, size: int) -> Head:
        """Return the first bytes and values. Raises Unreadable if the file cannot be opened or unpacked."""
        file = self.raw()
        with file:
            if file.read(4) == ZIP:
                return Head("zip", [], ZIP)
        try:
            with self.stream() as unpacked:
                data = unpacked.read(size)
                damage = damage_in(unpacked)
                if damage is not None and not data:
                    raise damage
        except Broken as broken:
            raise Unreadable(f"{self.name} cannot be read: {broken}") from None
        except (OSError, EOFError, zlib.error) as error:
            raise Unreadable(f"{self.name} cannot be unpacked: {error}") from None
        return head_of(data, whole=len(data) < size)


def head_of(data: bytes, *, whole: bool) -> Head:
    """Return the beginning of a file as a sample of values. ``whole``: these are all its bytes."""
    text = data.decode("utf-8-sig", "replace")
    start = text.lstrip()
    if not start or start[0] not in "[{":
        return Head("other", [], data)
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    ended = whole or text.endswith("\n")
    sample = [value for line in lines[:SAMPLE] if (value := _value(line)) is not None]
    first_alone = _value(lines[0]) is not None and len(lines[0].strip()) > 2
    if len(lines) > 1 and (first_alone or (len(sample) > 1 and len(sample) * 2 >= len(lines[:SAMPLE]))):
        return Head("lines", sample, data)
    if len(lines) == 1 and first_alone and ended:
        return Head("json", sample, data)
    if whole:
        try:
            return Head("json", [parsed(text)], data)
        except json.JSONDecodeError as error:  # what stands before the mistake tells the format
            start = text[: error.pos].lstrip()
        except ValueError:
            pass
    value = salvaged(start, partial_elements=True)
    return Head("json", [value] if value is not None else [], data)


def _value(line: str) -> object:
    """Return the object or list of one line, or None if it is neither."""
    begins = line.lstrip()[:1]
    if begins not in ("{", "["):
        return None
    try:
        return parsed(line)
    except ValueError:
        return None


def damage_of(number: int, line: bytes, error: ValueError) -> Broken:
    """Return what is wrong with a line, and whether the file ends in it."""
    cut = not line.endswith(b"\n")
    why = f"{reason_of(error)}; the file ends there" if cut else reason_of(error)
    return Broken(why, f"line {number:,}", cut=cut)


def text_of_line(line: bytes) -> str:
    """Return the text of a line of UTF-8, with U+FFFD for other bytes."""
    return line.decode("utf-8-sig" if line.startswith(b"\xef\xbb\xbf") else "utf-8", "replace")


class Unpacked(io.RawIOBase):
    """Unpacked bytes; raises Broken for data that unpack to far too much. Damage ends the data, and is in ``damage``.

    ``size``: the bytes of the packed data, if they are only a part of the file ``packed``.
    """

    def __init__(
        self, packed: IO[bytes], unpacked: IO[bytes] | gzip.GzipFile, size: int | None = None
    ) -> None:
        self._packed, self._size = packed, size
        self._count = 0
        self.damage: Broken | None = None
        # read() would lose what it has when it comes to the damage
        self._read: Callable[[int], bytes] = getattr(unpacked, "read1", unpacked.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.damage is not None:
            return 0
        try:
            data = self._read(len(buffer))
        except (OSError, EOFError, zlib.error, MemoryError) as error:
            self.damage = self._damaged(error)
            return 0
        except Exception as error:  # of packages that cannot be named here
            if type(error).__name__ not in ("ZstdError", "BadZipFile"):
                raise
            self.damage = self._damaged(error)
            return 0
        self._count += len(data)
        packed = self._packed.tell() if self._size is None else self._size
        if self._count > BOMB_FROM and self._count > BOMB_RATIO * max(packed, 1):
            raise Broken(
                f"it unpacks to more than {BOMB_RATIO} times its size, as no log does",
                f"after {file_size(self._count)}",
                cut=False,
            )
        buffer[: len(data)] = data
        return len(data)

    def _damaged(self, error: Exception) -> Broken:
        return Broken(f"the packed data are damaged: {error}", f"after {self._count:,} bytes")

    def close(self) -> None:
        if self._size is None:
            self._packed.close()
        super().close()


def spooled(size: int) -> IO[bytes]:
    """Return a temporary file that is in memory up to this number of bytes."""
    return tempfile.SpooledTemporaryFile(size)


def _recoded(file: IO[bytes]) -> IO[bytes]:
    """Convert UTF-16 to UTF-8, in a temporary file."""
    made = spooled(8 * 2**20)
    with io.TextIOWrapper(file, "utf-16", "replace", newline="") as text:
        while piece := text.read(2**20):
            made.write(piece.encode("utf-8", "replace"))
    made.seek(0)
    return made


def zstandard(name: str, packed: Any) -> IO[bytes]:
    """Return the unpacked bytes of zstd. Raises Unreadable, which says how to get the package for it."""
    try:
        from zstandard import ZstdDecompressor
    except ImportError:
        raise Unreadable(
            f"{name} is packed with zstd, which needs the package zstandard; install it with: pip install '.[traces]'"
        ) from None
    unpacked: IO[bytes] = ZstdDecompressor(max_window_size=2**27).stream_reader(
        packed, read_across_frames=True
    )
    return unpacked


def file_source(path: Path) -> Source:
    """Return a regular file as a source. Raises Unreadable for others."""
    try:
        status = path.stat()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable(f"{path} is not a regular file; copy its content to one, or pipe it in and use -")
    if not status.st_size:
        raise Unreadable(f"{path} is empty; name a file with a trace")

    def opened() -> IO[bytes]:
        return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), "rb", 2**18)

    return Source(str(path), opened, path)


def stream_source(stream: IO[bytes] | None, name: str = "standard input") -> Source:
    """Return a stream, which can be read once, as a source. It is kept in a temporary file. Raises Unreadable."""
    if stream is None:
        raise Unreadable(f"{name} is closed; name a file")
    kept = spooled(32 * 2**20)
    try:
        while piece := stream.read(2**20):
            kept.write(piece)
    except (OSError, ValueError) as error:
        kept.close()
        raise Unreadable(f"{name} cannot be read: {error}") from None
    if not kept.tell():
        kept.close()
        raise Unreadable(f"{name} is empty; pipe a trace into it")

    source = Source(name, partial(reopened, kept))
    finalize(source, kept.close)
    return source


class _Kept(io.RawIOBase):
    """The bytes of a temporary file that outlives its readers."""

    def __init__(self, kept: IO[bytes]) -> None:
        self._kept = kept

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._kept.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._kept.seek(offset, whence)

    def tell(self) -> int:
        return self._kept.tell()


def reopened(kept: IO[bytes]) -> IO[bytes]:
    """Return a temporary file from its start. Closing what is returned does not close it."""
    kept.seek(0)
    return io.BufferedReader(_Kept(kept), 2**18)


def standard_input() -> Source:
    """Return standard input as a source. Raises Unreadable."""
    return stream_source(sys.stdin.buffer if sys.stdin is not None else None)
