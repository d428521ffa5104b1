"""``planscope completion``: prints a script that completes the command line in bash, zsh or fish.

The script asks planscope at each press of Tab, so it knows the sessions, runs, models and themes that there are, and
stays right when planscope changes. Names are quoted here, because a shell would run parts of some.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from planscope.commands import COMMANDS as ALL_COMMANDS
from planscope.commands import Command, command
from planscope.commands.common import emit
from planscope.errors import UserError

ABOUT = (
    "Print a script that completes commands, options, sessions, runs, models and themes when you press Tab. For bash, "
    '~/.bashrc has the line: eval "$(planscope completion bash)"; for zsh, ~/.zshrc has after compinit: eval '
    '"$(planscope completion zsh)"; for fish, the output goes to ~/.config/fish/completions/planscope.fish.'
)
SHELLS = ("bash", "zsh", "fish")
MOST = 1_000
"""Limit of suggestions."""
LARGEST = 32 * 2**20
"""The runs of a larger session are not listed, because reading it takes too long, in bytes."""
LONGEST = 100_000
"""Limit of a command line, in characters."""

BASH = """\
_planscope() {
  local line first=1
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$first" = 1 ]; then
      first=
      case "$line" in *nospace*) compopt -o nospace 2>/dev/null ;; esac
      case "$line" in *files*) compopt -o filenames 2>/dev/null
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}") ;;
      esac
    else
      COMPREPLY+=("$line")
    fi
  done < <(printf '%s' "${COMP_LINE:0:COMP_POINT}" |
    PLANSCOPE_BREAKS="$COMP_WORDBREAKS" PROGRAM completion bash --answer 2>/dev/null)
}
complete -F _planscope planscope
"""
ZSH = """\
#compdef planscope
_planscope() {
  local line
  local -a answer values shown
  answer=("${(@f)$(printf '%s\\0' "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" |
    PROGRAM completion zsh --answer 2>/dev/null)}")
  for line in "${(@)answer[2,-1]}"; do
    values+=("${line%%$'\\t'*}")
    shown+=("${line/$'\\t'/  }")
  done
  if [[ $answer[1] == *nospace* ]]; then
    compadd -S '' -l -d shown -a values
  elif (( $#values )); then
    compadd -l -d shown -a values
  fi
  [[ $answer[1] == *files* ]] && _files
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _planscope "$@"
else
  compdef _planscope planscope
fi
"""
FISH = """\
function __planscope_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l word (commandline -ct)
    set -l answer (printf '%s\\0' $words "$word" | PROGRAM completion fish --answer 2>/dev/null)
    if string match -q '*files*' -- $answer[1]
        __fish_complete_path "$word"
    end
    if set -q answer[2]
        printf '%s\\n' $answer[2..-1]
    end
end
complete -c planscope -e
complete -c planscope -f -a '(__planscope_complete)'
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}

FILES = frozenset(("FILE", "RULES", "TRACE", "GOOD", "BAD", "FOLDER", "DIR", "F", "POLICY", "SESSION|TRACE"))
"""Names of arguments (metavar) that are files."""


class Suggestion(NamedTuple):
    """A word that could stand here, with a few words about it."""

    word: str
    about: str = ""


class Answer(NamedTuple):
    """``files``: if none of the words fits, the shell suggests names of files."""

    words: list[Suggestion]
    files: bool = False


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)


def _completion(args: argparse.Namespace) -> int:
    if not args.answer:
        emit(SCRIPTS[args.shell].replace("PROGRAM", shlex.quote(_program())))
        return 0
    if sys.stdin is None:
        raise UserError("standard input is closed; the script of this shell writes the command line to it")
    text = sys.stdin.buffer.read(4 * LONGEST).decode("utf-8", "replace")
    if args.shell == "bash":
        line = Line(text, os.environ.get("PLANSCOPE_BREAKS", "=:"))
        words, put = line.words, line.put
    else:
        words, put = text.split("\0")[:-1] or [""], _described
        words[-1] = words[-1].lstrip("'\"") if args.shell == "fish" else words[-1]
    answer = suggest(words)
    marks = [*(["files"] if answer.files else []), *(["nospace"] if _goes_on(answer) else [])]
    emit("\n".join([" ".join(marks), *map(put, answer.words)]) + "\n")
    return 0


def _program() -> str:
    """Return the command that runs this planscope: its name, or its path if the name means another one or none."""
    own = os.path.realpath(sys.argv[0])
    found = shutil.which("planscope")
    return (
        own if os.access(own, os.X_OK) and (found is None or os.path.realpath(found) != own) else "planscope"
    )


def _goes_on(answer: Answer) -> bool:
    """Return whether what is suggested is only the beginning of a word, such as ``openai:``."""
    return bool(answer.words) and not answer.files and all(one.word.endswith(":") for one in answer.words)


def _described(one: Suggestion) -> str:
    about = " ".join(one.about.split())
    return f"{one.word}\t{about}" if about else one.word


# what could stand here ------------------------------------------------------------------------------------------------


def suggest(words: list[str]) -> Answer:
    """Return what could stand for the last word, which may be empty. ``words``: those after ``planscope``.

    Never raises: what cannot be read suggests nothing.
    """
    try:
        found = _suggest(words)
        beginning = words[-1]
        known: dict[str, Suggestion] = {}
        for one in found.words:
            if one.word.startswith(beginning) and one.word.isprintable():
                known.setdefault(one.word, one)
            if len(known) == MOST:
                break
        return Answer(list(known.values()), found.files and not known)
    except (UserError, OSError, ValueError):
        return Answer([])


def _suggest(words: list[str]) -> Answer:
    *before, word = words
    if not before:
        return _first(word)
    called = before[0] if before[0] in ALL_COMMANDS else "open"
    given = before[1:] if before[0] in ALL_COMMANDS else before
    place = _Place(_parser(called), given)
    value, joint = place.option, ""
    if value is None and word.startswith("--") and "=" in word and not place.only_arguments:
        joint = word[: word.index("=") + 1]
        value = place.options.get(joint[:-1])
        if value is None:
            return Answer([])
    if value is not None:
        found = _values(value, place, called)
        return Answer([Suggestion(joint + one.word, one.about) for one in found.words], found.files)
    if word.startswith("-") and not place.only_arguments:
        return Answer(list(place.free_options()))
    action = place.argument
    return Answer([]) if action is None else _values(action, place, called)


def _first(word: str) -> Answer:
    """Return what could stand first: a command, or the session to open."""
    if word.startswith("-"):
        return Answer([Suggestion("--help", "show help"), Suggestion("--version", "show the version")])
    commands = [Suggestion(name, about) for name, about in ALL_COMMANDS.items()]
    if not word:
        return Answer(commands)
    return Answer([*commands, *_sessions(), *_session_files()], files=True)


def _parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command. Only its module is imported."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", "--help", action="help", help="show this help")
    command(name).add(parser)
    return parser


class _Place:
    """The place after some words of a command: what they name, and what may come next."""

    def __init__(self, parser: argparse.ArgumentParser, words: list[str]) -> None:
        self.named: dict[str, list[str]] = {}
        self.option: argparse.Action | None = None
        """The option whose value comes next."""
        self.only_arguments = False
        self._enter(parser)
        for word in words:
            self._take(word)

    def _enter(self, parser: argparse.ArgumentParser) -> None:
        self.options = dict(parser._option_string_actions)
        self._arguments = [one for one in parser._actions if not one.option_strings]

    @property
    def argument(self) -> argparse.Action | None:
        """The argument that comes next."""
        return self._arguments[0] if self._arguments else None

    def free_options(self) -> Iterator[Suggestion]:
        for name, action in self.options.items():
            if action.help != argparse.SUPPRESS:
                yield Suggestion(name, action.help or "")

    def _take(self, word: str) -> None:
        if self.option is not None and not (self.option.nargs in ("*", "+") and word.startswith("-")):
            self.named.setdefault(self.option.dest, []).append(word)
            if self.option.nargs not in ("*", "+"):
                self.option = None
            return
        self.option = None
        if word == "--" and not self.only_arguments:
            self.only_arguments = True
        elif word.startswith("-") and len(word) > 1 and not self.only_arguments:
            name, joint, value = word.partition("=")
            action = self.options.get(name)
            if action is not None and joint:
                self.named.setdefault(action.dest, []).append(value)
            elif action is not None and action.nargs != 0:
                self.option = action
        elif self._arguments:
            action = self._arguments[0]
            if isinstance(action, argparse._SubParsersAction):
                if word in action.choices:
                    self._enter(action.choices[word])
                return
            self.named.setdefault(action.dest, []).append(word)
            if action.nargs not in ("*", "+"):
                self._arguments.pop(0)


def _values(action: argparse.Action, place: _Place, called: str) -> Answer:
    """Return the values of an option or an argument, by its name in the help."""
    if isinstance(action, argparse._SubParsersAction):
        abouts = {one.dest: one.help or "" for one in action._get_subactions()}
        return Answer([Suggestion(name, abouts.get(name, "")) for name in action.choices])
    if action.choices is not None:
        return Answer([Suggestion(str(one)) for one in action.choices])
    kind = action.metavar if isinstance(action.metavar, str) else ""
    if kind in ("SESSION", "SESSION|TRACE") or (called in ("open", "serve") and action.dest == "file"):
        return Answer([*_sessions(), *_session_files()], files=True)
    if kind in FILES:
        return Answer([], files=True)
    if called == "attach" and action.dest == "id":
        return Answer(list(_agents_attachable()))
    if kind == "ID" and action.dest != "resume":
        named = place.named.get("session") or place.named.get("file") or []
        return Answer(list(_ids(named, action.dest)))
    named_kinds: dict[tuple[str, str], Callable[[], Iterable[Suggestion]]] = {
        ("NAME", "theme"): _themes,
        ("NAME", "name"): {"schema": _schemas, "campaign": _campaigns}.get(called, list),
        ("M", "model"): _models,
        ("A", "agent"): _agents,
        ("T", "topic"): _topics,
        ("TOPIC", "topic"): _topics,
        ("E", "error_type"): _error_types,
    }
    find = named_kinds.get((kind, action.dest))
    return Answer(list(find()) if find is not None else [])


def _agents_attachable() -> Iterator[Suggestion]:
    """Yield the ids of the agents that can be attached to."""
    from planscope.agents.attach.client import found

    yield from (Suggestion(one.id, one.welcome.title) for one in found() if one.welcome is not None)


def _sessions() -> Iterator[Suggestion]:
    from planscope.session.locations import bundled, library_names

    yield from (Suggestion(name, "your library") for name in library_names())
    yield from (Suggestion(name, "bundled session") for name in bundled())


def _session_files() -> Iterator[Suggestion]:
    """Yield the session files in this folder."""
    from planscope.session.locations import SUFFIXES

    names = (path.name for path in Path().iterdir())
    yield from (Suggestion(name, "file") for name in sorted(names) if name.endswith(SUFFIXES))


def _ids(named: list[str], dest: str) -> Iterator[Suggestion]:
    """Yield the ids of the runs or queries of the session that the line names."""
    from planscope.session.locations import DEFAULT, resolve
    from planscope.session.store import load

    path = resolve(os.path.expanduser(named[0]) if named else DEFAULT)  # noqa: PTH111
    if path.stat().st_size > LARGEST:
        return
    session = load(path)
    if dest != "variant":
        yield from (Suggestion(run.id, f"{run.agent}, {run.model}") for run in reversed(session.runs))
    if dest in ("variant", "ids", "delete"):
        yield from (Suggestion(one.id, one.query.text[:60]) for one in session.variants)


def _themes() -> Iterator[Suggestion]:
    from platformdirs import user_config_dir

    from planscope.extensions import loaded
    from planscope.resources import shipped

    others = [Path(folder) for _, folder in loaded("planscope.themes")[0] if isinstance(folder, str | Path)]
    for folder in (shipped("themes"), *others, Path(user_config_dir("planscope")) / "themes"):
        yield from (Suggestion(path.stem) for path in sorted(folder.glob("*.toml")))


def _models() -> Iterator[Suggestion]:
    from planscope.agents.models import PROVIDERS, other_providers
    from planscope.agents.simulated.profiles import PROFILES

    yield from (Suggestion(f"sim:{one.name}", one.about) for one in PROFILES.values())
    yield from (Suggestion(f"{name}:") for name in (*PROVIDERS, *other_providers()[0]))


def _agents() -> Iterator[Suggestion]:
    yield Suggestion("tools", "function calling")
    yield Suggestion("react", "text")
    yield Suggestion("responses", "OpenAI's Responses API")


def _topics() -> Iterator[Suggestion]:
    from planscope.language.topics import load_topics

    yield from map(Suggestion, load_topics())


def _schemas() -> Iterator[Suggestion]:
    from planscope.documents.schemas import DOCUMENTS

    yield from map(Suggestion, DOCUMENTS)


def _campaigns() -> Iterator[Suggestion]:
    from planscope.session.locations import campaigns_folder

    ending = ".campaign.sqlite"
    names = (path.name for path in campaigns_folder().glob(f"*{ending}"))
    yield from (Suggestion(name.removesuffix(ending)) for name in sorted(names))


def _error_types() -> Iterator[Suggestion]:
    from planscope.oracle.verdict_types import ERROR_TYPES

    yield from map(Suggestion, ERROR_TYPES)


# bash -----------------------------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[\w@%+=:,./-]")
_ASSIGNED = re.compile(r"\w+=")


class Line:
    """A command line of bash up to the cursor, split into words as the shell does it.

    bash replaces only the part of the last word after the last of its ``breaks``, such as a colon.
    """

    def __init__(self, text: str, breaks: str) -> None:
        self.words: list[str] = []
        self._quote = ""
        word, begun, self._kept = "", False, 0
        k = 0
        while k < len(text):
            c = text[k]
            k += 1
            if self._quote:
                if c == self._quote:
                    self._quote = ""
                elif c == "\\" and self._quote == '"' and text[k : k + 1] in ("$", "`", '"', "\\"):
                    word, k = word + text[k], k + 1
                else:
                    word += c
            elif c in "'\"":
                self._quote, begun, self._kept = c, True, len(word)
            elif c == "\\":
                word, k, begun = word + text[k : k + 1], k + 1, True
            elif c.isspace():
                if begun:
                    self.words.append(word)
                word, begun, self._kept = "", False, 0
            else:
                word, begun = word + c, True
                if c in breaks and c in "=:":
                    self._kept = len(word)
        self.words.append(word)
        while len(self.words) > 1 and _ASSIGNED.match(self.words[0]):
            del self.words[0]
        self.words = self.words[1:] or [""]

    def put(self, one: Suggestion) -> str:
        """Return what bash puts in place of the last word's end, quoted as it has to be."""
        rest = one.word[self._kept :]
        if self._quote == "'":
            return rest.replace("'", "'\\''")
        if self._quote == '"':
            return re.sub(r'([$`"\\])', r"\\\1", rest)
        return "".join(c if _PLAIN.match(c) else f"\\{c}" for c in rest)


COMMANDS = {"completion": Command(ABOUT, "planscope completion bash", _add, _completion)}
