"""``kill -9`` at a random moment of saving, again and again: the old or the new file is there, whole, each time.

``python -m tests.session.kill_loop 300`` does it 300 times. A child saves version after version, and says through a
pipe which one it begins and which one is done; when it is killed, the file must hold the last one that was done, or the
one that was begun. Nor may it leave a lock behind, nor more than one unfinished file.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from planscope.session.library import delete, rename, restore
from planscope.session.locations import library_folder, name_of
from planscope.session.lock import holder_of
from planscope.session.model import Session
from planscope.session.recovery import recoverable
from planscope.session.store import load, save
from planscope.session.writer import SessionWriter, adding
from tests.session.make import figure_10

Say = Callable[[bytes, int], None]


def version(number: int) -> Session:
    """Sizes differ, from 5 kB to a megabyte: so do the moments at which a kill strikes."""
    session = figure_10()
    session.title = str(number)
    session.notes = "x" * (number * 7919 % 17) ** 5
    return session


def by_keeper(path: Path, say: Say) -> None:
    keeper = SessionWriter(path)
    number = int(load(path).title)
    while True:
        number += 1
        say(b"B", number)
        keeper.save(version(number))
        say(b"D", number)


def by_command(path: Path, say: Say) -> None:
    number = int(load(path).title)
    while True:
        number += 1
        say(b"B", number)
        with adding(load(path), path, path, {"v1"}) as now:
            now.title, now.notes = version(number).title, version(number).notes
        say(b"D", number)


def by_store(path: Path, say: Say) -> None:
    number = int(load(path).title)
    while True:
        number += 1
        say(b"B", number)
        save(version(number), path)
        say(b"D", number)


def into_journal(path: Path, say: Say) -> None:
    """The file cannot be saved to: what is kept for recovery must be whole as well."""
    keeper = SessionWriter(path)
    path.write_bytes(path.read_bytes() + b" ")
    number = int(load(path).title)
    while True:
        number += 1
        say(b"B", number)
        try:
            keeper.save(version(number))
        except Exception as error:
            assert "are kept, and offered" in str(error), error
            say(b"D", number)
        else:
            raise AssertionError("it was saved over what another program had written")


def by_name(path: Path, say: Say) -> None:
    """Renamed, thrown away and taken back, again and again: it is always somewhere, once."""
    here, number = path, 0
    while True:
        number += 1
        say(b"B", number)
        here = rename(here, f"name {number}")
        here = restore(delete(here))
        say(b"D", number)


WAYS = {
    "keeper": (by_keeper, "x.planscope.json"),
    "packed": (by_keeper, "x.planscope.json.gz"),
    "command": (by_command, "x.planscope.json"),
    "store": (by_store, "x.planscope.json"),
    "journal": (into_journal, "x.planscope.json"),
    "names": (by_name, "x.planscope.json"),
}


def struck(way: str, path: Path, wait: float) -> tuple[int, int]:
    """Let a child save, kill it after so many seconds; which version was done last, and which was begun."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # never returns: it is killed, or says why not
        try:
            os.close(reader)
            WAYS[way][0](path, lambda what, number: void(os.write(writer, what + b"%d\n" % number)))
        finally:
            os._exit(1)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        first = told.readline()
        time.sleep(wait)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"{way}: the child ended by itself, status {status}"
        lines = [first, *told.read().splitlines()]
    begun = [int(line[1:]) for line in lines if line.startswith(b"B")]
    done = [int(line[1:]) for line in lines if line.startswith(b"D")]
    return (done[-1] if done else begun[0] - 1), begun[-1]


def void(_: object) -> None: ...


def check(way: str, path: Path, done: int, begun: int) -> str:
    """What is there after a kill: ``old`` or ``new``."""
    assert holder_of(path) is None, "the lock of a dead process is still held"
    if way == "names":
        everywhere = [
            *library_folder().glob("*.planscope.json"),
            *library_folder().parent.glob("trash/*.planscope.json"),
        ]
        assert len(everywhere) == 1, everywhere
        load(everywhere[0])
        everywhere[0].rename(path)
        return "whole"
    if way == "journal":
        found = recoverable(path)
        number = int(found.load().title) if found is not None else done
        assert found is not None or done == int(load(path).title), "what was kept is gone"
        if found is not None:
            found.discard()
    else:
        session = load(path)
        number = int(session.title)
        assert session == version(number).model_copy(update={"created": session.created}), "a mixture"
    assert number in (done, begun), f"{number} is neither {done} nor {begun}"
    left = [p for p in path.parent.iterdir() if p.name.endswith(".tmp")]
    assert len(left) <= 1, left
    for one in left:
        one.unlink()
    return "old" if number == done < begun else "new"


def loop(times: int, seed: int = 0) -> Counter[str]:
    """So many kills, dealt out over all ways of saving; how often the old and the new file was there."""
    found: Counter[str] = Counter()
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as base:
        for name in ("DATA", "STATE", "CACHE", "CONFIG"):
            os.environ[f"XDG_{name}_HOME"] = f"{base}/{name}"
        for number in range(times):
            way = list(WAYS)[number % len(WAYS)]
            folder = library_folder() if way == "names" else Path(base) / way
            path = folder / WAYS[way][1]
            if not path.exists():
                save(version(1), path)
            done, begun = struck(way, path, draw.random() * draw.choice([0.004, 0.02, 0.06]))
            found[f"{way}: {check(way, path, done, begun)}"] += 1
            assert name_of(path) == "x"
    return found


if __name__ == "__main__":
    counts = loop(int(sys.argv[1]) if len(sys.argv) > 1 else 30, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for what, count in sorted(counts.items()):
        print(f"{count:>5}  {what}")
    print(f"{counts.total()} kills: a whole file each time")
