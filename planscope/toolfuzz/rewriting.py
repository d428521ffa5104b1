"""Changes a tool's documentation in the user's source: the one string literal that it is, and no more."""

from __future__ import annotations

import ast
import difflib
import inspect
import io
import json
import re
import textwrap
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

from planscope.errors import UserError

LARGEST_FILE = 5_000_000
WIDTH = 100
"""Columns of a docstring's lines."""


class NotRewritten(UserError):
    """The documentation cannot be changed where it is. The message says why, in one line."""


@dataclass(frozen=True)
class Rewritten:
    """A file with other documentation. ``before`` and ``after``: the file's bytes."""

    path: Path
    before: bytes
    after: bytes

    @property
    def patch(self) -> str:
        """The change as a unified diff, which ``git apply`` and ``patch -p1`` take."""
        name = self.path.as_posix()
        old, new = (
            text.decode("utf-8", "replace").splitlines(keepends=True) for text in (self.before, self.after)
        )
        lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
        return "".join(
            one if one.endswith("\n") else f"{one}\n\\ No newline at end of file\n" for one in lines
        )

    def write(self) -> None:
        """Replace the file, atomically. Raises :class:`NotRewritten` if it was changed meanwhile, and SessionError."""
        from planscope.session.files import write_atomic

        if _read(self.path) != self.before:
            raise NotRewritten(f"{self.path} was changed meanwhile; it is left as it is")
        write_atomic(self.path, self.after)


@dataclass
class Rewriting:
    """Changes of several documentations. Those in one file are made one after another."""

    _files: dict[Path, Rewritten] = field(default_factory=dict)

    def add(self, file: str, line: int, before: str, after: str) -> None:
        """Change one documentation; see :func:`rewritten`. ``line`` may be off by what was changed before."""
        known = self._files.get(Path(file).resolve())
        made = rewritten(file, line, before, after, known.after if known is not None else None)
        first = known.before if known is not None else made.before
        self._files[Path(file).resolve()] = Rewritten(made.path, first, made.after)

    @property
    def patch(self) -> str:
        return "".join(one.patch for one in self._files.values())


def rewritten(file: str, line: int, before: str, after: str, now: bytes | None = None) -> Rewritten:
    """Return a source file with the documentation ``after`` in place of ``before``, written nowhere yet.

    ``file``: a Python or JSON file; ``line``: where the tool's function begins, from 1; ``now``: what the file shall be
    taken to hold. Raises :class:`NotRewritten` unless the documentation is one string literal of a file in the current
    folder.
    """
    if not file:
        raise NotRewritten("the tool has no source here; change its documentation by hand")
    path = Path(file)
    here, real = Path.cwd().resolve(), path.resolve()
    if not real.is_relative_to(here):
        raise NotRewritten(f"{file} is not in the current folder; change it by hand")
    data = _read(real) if now is None else now
    is_json = real.suffix == ".json"
    made = _json_with(data, before, after) if is_json else _python_with(data, line, before, after, file)
    return Rewritten(real.relative_to(here), data, made)


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NotRewritten(f"{path} cannot be read: {error.strerror or error}") from None
    if len(data) > LARGEST_FILE:
        raise NotRewritten(f"{path} is larger than {LARGEST_FILE:,} bytes; change it by hand")
    return data


def _json_with(data: bytes, before: str, after: str) -> bytes:
    text = data.decode("utf-8", "strict")
    found = [m for m in re.finditer(r'"(?:[^"\\]|\\.)*"', text) if json.loads(m[0], strict=False) == before]
    if len(found) != 1:
        raise NotRewritten("the file has not exactly one text that is the documentation; change it by hand")
    at = found[0]
    return (text[: at.start()] + json.dumps(after) + text[at.end() :]).encode()


def _python_with(data: bytes, line: int, before: str, after: str, file: str) -> bytes:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
        tree = ast.parse(text)
    except (SyntaxError, ValueError, LookupError) as error:
        raise NotRewritten(f"{file} cannot be read as Python: {error}") from None
    found = _literal(tree, line, before)
    if found is None:
        raise NotRewritten(f"the documentation is not one string in {file}; change it by hand")
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)
    start, end = (
        _offset(lines, found.lineno, found.col_offset),
        _offset(lines, found.end_lineno, found.end_col_offset),
    )
    docstring = any(found is _docstring_of(one) for one in ast.walk(tree))
    indent = " " * found.col_offset if docstring else ""
    literal = _docstring(after, indent) if docstring else _string(after)
    newline = "\r\n" if "\r\n" in text else "\n"
    made = text[:start] + literal.replace("\n", newline) + text[end:]
    _check(tree, made, found, after, file)
    try:
        return made.encode(encoding)
    except UnicodeEncodeError:
        raise NotRewritten(f"{file} is written in {encoding}, which cannot say the new text") from None


def _offset(lines: list[str], line: int | None, column: int | None) -> int:
    """Return where a place of the syntax tree is in the text: its columns count bytes."""
    assert line is not None and column is not None
    before = "".join(lines[: line - 1])
    return len(before) + len(lines[line - 1].encode()[:column].decode())


def _literal(tree: ast.Module, line: int, before: str) -> ast.Constant | None:
    """Return the literal that is the documentation: the docstring of the function at the line, or the only such
    text."""
    wanted = _words(before)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
            own = _docstring_of(function)
            if first <= line <= function.lineno and own is not None and _words(str(own.value)) == wanted:
                return own
    inside = [part for one in ast.walk(tree) if isinstance(one, ast.JoinedStr) for part in one.values]
    texts = (one for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, str))
    same = [one for one in texts if wanted and _words(str(one.value)) == wanted]
    return same[0] if len(same) == 1 and not any(same[0] is part for part in inside) else None


def _words(text: str) -> list[str]:
    return inspect.cleandoc(text).split()


def _docstring_of(node: ast.AST) -> ast.Constant | None:
    """Return the docstring of a function, a class or a module."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Module():
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str()) as own), *_]:
                    return own
    return None


def _escaped(text: str, quotes: bool) -> str:
    """Return text inside quotation marks of Python: nothing in it ends the literal or hides from a reader."""
    text = text.replace("\\", "\\\\")
    if quotes:
        text = text.replace('"', '\\"')
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _docstring(text: str, indent: str) -> str:
    parts = [
        part
        for line in text.strip().split("\n")
        for part in textwrap.wrap(
            line, max(WIDTH - len(indent) - 3, 40), break_on_hyphens=False, break_long_words=False
        )
        or [""]
    ]
    last = len(parts) - 1
    lines = [_escaped(part, k == last or '"""' in part) for k, part in enumerate(parts)]
    if len(lines) == 1:
        return f'"""{lines[0]}"""'
    body = "\n".join(f"{indent}{one}" if one else "" for one in lines[1:])
    return f'"""{lines[0]}\n{body}\n{indent}"""'


def _string(text: str) -> str:
    return json.dumps(text) if text.isascii() and text.isprintable() else ascii(text)


def _check(tree: ast.Module, made: str, found: ast.Constant, after: str, file: str) -> None:
    """Make sure that the new text is the old one but for the documentation."""
    old = found.value
    try:
        new = ast.parse(made)
    except (SyntaxError, ValueError):
        raise NotRewritten(f"{file} could not be changed safely; change it by hand") from None
    pairs = zip(ast.walk(tree), ast.walk(new), strict=False)
    twin = next((other for one, other in pairs if one is found), None)
    if isinstance(twin, ast.Constant) and isinstance(twin.value, str) and _words(twin.value) == _words(after):
        twin.value = old
        if ast.dump(new) == ast.dump(tree):
            return
    raise NotRewritten(f"{file} could not be changed safely; change it by hand")
