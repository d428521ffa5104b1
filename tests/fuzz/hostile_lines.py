"""Every command with every way to hand it a file: named, through standard input, or lying where planscope looks.

In a line, ``{}`` stands for the hostile file, ``GOOD`` for a sound session, ``OUT`` for a file to write. ``... < {}``:
the file's content comes through standard input. ``library: ...``: it lies in the library (``PLACES``) instead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planscope.commands import COMMANDS
from planscope.commands.export import FORMATS
from tests.fuzz.hostile_files import GOOD, HostileFile

LINES: dict[str, tuple[str, ...]] = {
    "open": ("open {}", "open - < {}", "{}"),
    "serve": ("serve {} --theme none-of-these",),
    "check": ("check {}", "check {} --json", "check {} --strict --no-certify", "check - < {}"),
    "replay": ("replay {}", "replay {} --json", "replay - --json < {}"),
    "repair": ("repair {}", "repair {} --json"),
    "export": (
        *(f"export {{}} --format {form}" for form in FORMATS),
        "export {} --preview",
        "export {} --preview --json",
        "export {} --format html --no-redact",
        "export {} --format session --no-redact -o OUT",
        "export - --format markdown < {}",
    ),
    "compare": (
        "compare {} r1 r1",
        "compare {} r1 r1 --json",
        "compare {}",
        "compare GOOD --other {}",
        "compare {} r1 r1 --format markdown",
    ),
    "mutate": (
        "mutate {} --kind Repeat --json",
        "mutate {} --seed 1 --count 1 -o OUT",
        "mutate GOOD --kind TopicChange --count 1 --topics-file {} -o OUT",
    ),
    "dissect": ("dissect {} --model sim:literal --budget 1 -o OUT",),
    "import": ("import {} --all -o OUT", "import {} --list --json", "import - --list < {}"),
    "rules": ("rules check {}", "rules check {} --json", "rules check - < {}", "check GOOD --rules {}"),
    "fork": ("fork {} --step 1 -o OUT", "fork {} --run 1 --step 1 --model sim:careful -o OUT"),
    "edit": ("edit {} --text GOOD -o OUT", "edit GOOD --text {} -o OUT"),
    "runs": ("runs {}", "runs {} --json", "runs {} right -o OUT"),
    "reasons": ("reasons {}", "reasons {} --json"),
    "run": (
        "run {} --model sim:careful -o OUT",
        "run {} --model sim:careful",
        "run {} --model sim:literal --times 2 --json -o OUT",
        "run {} --model sim:careful --live",
        "run GOOD --model sim:careful --prompts {} -o OUT",
    ),
    "sessions": (
        "sessions show {}",
        "sessions show {} --json",
        "sessions copy {}",
        "sessions list --no-judge",
        "sessions list --json",
        "sessions delete {}",
        "sessions rename {} new --title x",
        "sessions restore {}",
        "sessions recover {}",
        "library: sessions list --no-judge",
        "library: sessions list",
        "library: sessions list --json",
        "library: sessions show hostile",
        "library: sessions rename hostile --title x",
        "library: sessions rename hostile new",
        "library: sessions copy hostile",
        "library: sessions delete hostile",
        "library: sessions nonsense",
        "trash: sessions trash",
        "trash: sessions trash --json",
        "trash: sessions restore hostile",
        "trash: sessions trash --empty",
        "recovery: sessions recover",
        "recovery: sessions recover GOOD",
        "recovered: sessions recover",
        "recovered: sessions list --json --no-judge",
        "recovered: sessions show GOOD",
        "recovered: sessions recover GOOD",
        "recovered: sessions recover GOOD -o OUT",
        "index: sessions list --json",
        "lock: run GOOD --model sim:careful",
    ),
    "walk": ("walk {}", "walk - < {}"),
    "parse": ("parse {} --actions a,b", "parse {} --actions a,b --json", "parse - --actions a,b < {}"),
    "new": ("new --seed 1 --topics-file {}",),
    "topics": ("topics --file {}", "topics --file {} --json"),
    "themes": ("theme: themes", "theme: themes --json"),
    "campaign": ("campaign run c --model sim:careful --actions 2..2 --cases 1 --prompts {}",),
    "rerun": ("rerun {} --agent json:loads --prompt GOOD", "rerun GOOD --agent json:loads --prompt {}"),
    "debug": ("debug json:loads hello --rules {}",),
    "config": (
        "settings: config",
        "settings: config --json",
        "settings: config --check",
        "keys: config",
        "keys: config --check",
        "theme: config --check",
        "screen: config --json",
    ),
}
NO_FILES = {"attach", "models", "grammar", "schema", "completion", "doctor", "mcp", "fuzz"}
"""Commands that read no file, or only those that a client of theirs names (``tests/doors/test_mcp.py``), and ``fuzz``,
which starts a process for the code that its user names (``tests/toolfuzz``)."""

ALL: tuple[str, ...] = tuple(line for lines in LINES.values() for line in lines)
TYPED = {"walk": "h\nn\nn\nx\ns\nf\nG\ni\nw\nb\n/ a\nnonsense [\nq\n"}
"""What comes from standard input where no file does."""

CHANGES = frozenset({"run {} --model sim:careful", "run {} --model sim:careful --live"})
"""What may write into the file itself."""

PLACES: dict[str, str] = {
    "library": "data/planscope/sessions/hostile.planscope.json",
    "trash": "data/planscope/trash/hostile.planscope.json",
    "recovery": "state/planscope/recovery/KEY.0000.recovery.json",
    "recovered": "state/planscope/recovery/KEY.0000.recovery.json",
    "lock": "state/planscope/locks/KEY.lock",
    "index": "cache/planscope/sessions.json",
    "screen": "state/planscope/screen.json",
    "settings": "config/planscope/config.toml",
    "keys": "config/planscope/keys.toml",
    "theme": "config/planscope/themes/hostile.toml",
}
"""Where planscope looks by itself. ``KEY`` is that of the sound session."""

_RECOVERY = (
    b'{"format": "planscope-recovery", "version": 1, "path": "../\\u001b]0;x\\u0007",'
    b' "saved": "2026-01-02T03:04:05+00:00", "why": "\\u001b[31mred\\u202e", "base": null, "session": '
)


def untold() -> set[str]:
    """Commands that nobody has said here how to give a file to."""
    return set(COMMANDS) - set(LINES) - NO_FILES


def reads_session(line: str) -> bool:
    """Whether the command opens the hostile file as a session, and so must refuse what is none."""
    others = (
        "parse",
        "new",
        "topics",
        "sessions recover",
        "sessions restore",
        "import",
        "rules",
        "check GOOD",
        "campaign",
        "rerun GOOD",
        "debug",
    )
    return (
        "{}" in line
        and not line.startswith(others)
        and not any(w in line for w in ("-file {}", "-prompts {}"))
    )


@contextmanager
def home(folder: Path) -> Iterator[None]:
    """Planscope's own folders below this one, and nowhere else."""
    names = [f"XDG_{name}_HOME" for name in ("CONFIG", "DATA", "STATE", "CACHE")]
    before = {name: os.environ.get(name) for name in names}
    for name in names:
        os.environ[name] = str(folder / name.split("_")[1].lower())
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def put(file: HostileFile, place: str, folder: Path, good: Path) -> Path:
    """Write the file to where planscope looks, in a home below ``folder``, which is emptied first."""
    from planscope.session.lock import path_key

    shutil.rmtree(folder, ignore_errors=True)
    target = folder / PLACES[place].replace("KEY", path_key(good))
    target.parent.mkdir(parents=True)
    path = file.write(target.parent)
    if place == "recovered" and path.is_file():
        data = _RECOVERY + path.read_bytes() + b"}"
        path.unlink()
        target.write_bytes(data)
    elif os.path.lexists(path) and (path.name.startswith("x.") or place not in ("library", "trash")):
        target = (
            target.with_name(target.name + ".gz")
            if path.name.endswith(".json.gz") and place in ("library", "trash")
            else target
        )
        path.rename(target)
    return target


def sound_session(folder: Path) -> Path:
    path = folder / "good.planscope.json"
    path.write_bytes(GOOD)
    return path
