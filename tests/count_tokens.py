"""Tokens a room of planscope, and the bytes of its other files: ``python -m tests.count_tokens [TREE]``.

Line ends, indents and comments count nothing. An f-string is one token, as in Python 3.11, on every Python. A string
that is no docstring counts one more for each 40 characters of its source.
"""

from __future__ import annotations

import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).parent.parent

FREE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}
FSTRING_START: int = getattr(
    tokenize, "FSTRING_START", -1
)  # Python 3.12 and later cut f-strings into their parts
FSTRING_END: int = getattr(tokenize, "FSTRING_END", -1)
BEGINS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
"""After one of these tokens a statement begins."""


def _strings_whole(source: str) -> Iterator[tuple[int, int]]:
    """Every token that is no comment and no NL: its type, and the characters of its source."""
    lines = list(StringIO(source))
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))

    def at(place: tuple[int, int]) -> int:
        return offsets[min(place[0] - 1, len(lines))] + place[1]

    depth, began = 0, 0
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == FSTRING_START:
            began = began if depth else at(token.start)
            depth += 1
        elif token.type == FSTRING_END:
            depth -= 1
            if not depth:
                yield tokenize.STRING, at(token.end) - began
        elif not depth and token.type not in (tokenize.COMMENT, tokenize.NL):
            yield token.type, len(token.string)


def tokens_of(source: str) -> int:
    """Tokens of a Python file's text."""
    tokens = [(tokenize.ENCODING, 0), *_strings_whole(source), (tokenize.NEWLINE, 0)]
    count = 0
    for (before, _), (kind, length), (after, _) in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if kind in FREE:
            continue
        docstring = before in BEGINS and after == tokenize.NEWLINE
        count += 1 + (length // 40 if kind == tokenize.STRING and not docstring else 0)
    return count


def counted(tree: Path = ROOT) -> tuple[Counter[str], Counter[str]]:
    """Tokens, and bytes of other files, by room: a folder of planscope, or ``top`` for its loose modules."""
    top = tree / "planscope"
    tokens, other = Counter[str](), Counter[str]()
    for path in top.rglob("*"):
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        room = path.relative_to(top).parts[0] if path.parent != top else "top"
        if path.suffix == ".py":
            tokens[room] += tokens_of(path.read_text(encoding="utf-8"))
        else:
            other[room] += path.stat().st_size
    return tokens, other


def main() -> None:
    tokens, other = counted(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    for room, count in tokens.most_common():
        print(f"{count:9,} {room}" + (f", and {other[room]:,} bytes" if other[room] else ""))
    print(f"{tokens.total():9,} tokens, {other.total():,} bytes in all")


if __name__ == "__main__":
    main()
