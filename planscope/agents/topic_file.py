"""Topics as the TOML file that ``load_topics`` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_ESCAPED = {'"': '\\"', "\\": "\\\\"}


def toml_string(text: str) -> str:
    """A basic string of TOML in plain ASCII, whatever the text holds: nothing reaches a terminal raw."""
    return '"' + "".join(map(_character, text)) + '"'


def toml_topic(job: str, activities: Sequence[str]) -> str:
    """One table ``[[topic]]``, an activity a line."""
    lines = "".join(f"    {toml_string(name)},\n" for name in activities)
    return f"\n[[topic]]\njob = {toml_string(job)}\nactivities = [\n{lines}]\n"


def toml_topics(topics: Mapping[str, Sequence[str]], comment: str) -> str:
    """The whole file, in plain ASCII. ``comment`` is a line at its top."""
    return f"# {toml_string(comment)[1:-1]}\n" + "".join(toml_topic(*topic) for topic in topics.items())


def _character(char: str) -> str:
    code = ord(char)
    if char in _ESCAPED:
        return _ESCAPED[char]
    if 0x20 <= code < 0x7F:
        return char
    if 0xD800 <= code < 0xE000:
        code = 0xFFFD  # half of a surrogate pair: no file can hold it
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
