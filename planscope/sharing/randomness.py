"""Text that only a machine would write: long, of several kinds of characters, changing between them all the time."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from planscope.sharing.hits import RANDOM, Hit

_TOKEN = re.compile(r"(?<![A-Za-z0-9_+/.-])[A-Za-z0-9_+/-]{32,}={0,2}(?![A-Za-z0-9_+/=-])")
_HEX = re.compile(r"(?:0x)?[0-9a-f]{32,}|(?:0x)?[0-9A-F]{32,}")
_KNOWN = re.compile(
    r"(?:call|chatcmpl|resp|msg|run|lc_run|rs|fc|toolu|asst|thread|item|req|gen|ws|cmpl|fp)[_-].*"
    r"|sha(?:1|256|512)[-:].*",
    re.IGNORECASE,
)
"""Numbers that providers give to messages and calls; sums of files."""

_DIGEST = re.compile(
    r"(?:\b(?:commit|tree|parent|blob|merge|etag|md5|sha-?[0-9]{0,3}|hash|digest|checksum|integrity|revision|rev|head|\w{0,20}id)\b"
    r"|data:[a-z]+/[a-z0-9.+-]+;base64)\W{0,5}(?:W/\")?\Z",
    re.IGNORECASE,
)
"""Before the sum of a file, a commit, a picture."""

_FILE_FOLLOWS = re.compile(r" [ *][^\s]+\.\w{1,6}(?!\S)")
"""As md5sum and its like write it."""

_LONGEST = 4096


def _classes(token: str) -> list[str]:
    return ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.islower() else "s" for c in token]


def _entropy(token: str) -> float:
    """Bits a character, by the token's own frequencies (Shannon)."""
    return -sum(n / len(token) * math.log2(n / len(token)) for n in Counter(token).values())


def looks_random(token: str) -> bool:
    """Whether a token of 20 characters or more can hardly be words, a path or a name."""
    token = token[:_LONGEST].rstrip("=")
    if _HEX.fullmatch(token):
        return len(set(token)) >= 8 and sum(c.isdigit() for c in token) >= 4
    kinds = _classes(token)
    changes = sum(a != b for a, b in pairwise(kinds))
    mixed = "d" in kinds and ("u" in kinds) + ("l" in kinds) >= 1
    if not mixed or changes < 0.3 * len(token):
        return False
    return _entropy(token) >= min(4.0, math.log2(len(token)) - 1.0)


def random_looking(text: str, once: str) -> Iterator[Hit]:
    """Tokens of 32 characters or more that look random and are not the number of a message or a call.

    ``once``: the different words of the text.
    """
    for match in _TOKEN.finditer(text) if _TOKEN.search(once) else ():
        token = match[0]
        if _DIGEST.search(text, max(0, match.start() - 30), match.start()) or _FILE_FOLLOWS.match(
            text, match.end()
        ):
            continue
        if not _KNOWN.fullmatch(token) and token.count("/") <= 4 and looks_random(token):
            yield Hit(*match.span(), "random-text", "random-looking text", RANDOM)
