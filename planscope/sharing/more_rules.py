"""A detector library beside our own rules: Kingfisher (Apache 2.0, MongoDB), where ``planscope[redact]`` is installed.

It knows hundreds of services more, scans in this very process, and asks no service whether a key is live.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from planscope.sharing.hits import SHAPE, Hit
from planscope.sharing.logins import has_login
from planscope.sharing.secret_rules import END

_SHORTEST = 8
_MOST = 1000
"""Different secrets in one text; each is looked for by itself."""


@cache
def _scanner() -> Any:
    """None where the library is not there, or does not load on this machine."""
    try:
        from kingfisher_sdk import Scanner
    except Exception:  # a native library may fail in any way; our own rules are there all the same
        return None
    return Scanner()


def has_library() -> bool:
    """Whether the library is there."""
    return _scanner() is not None


def found_by_library(text: str) -> Iterator[Hit]:
    """What the library takes for a secret."""
    scanner = _scanner()
    if scanner is None or len(text) < _SHORTEST:
        return
    secrets: dict[str, str] = {}
    for finding in scanner.scan(text):
        secret = finding.secret
        if not finding.visible or not isinstance(secret, str) or has_login(secret):
            continue  # of a whole address the password and the host are found by themselves
        secret = secret.rstrip(END)
        if len(secret) >= _SHORTEST:
            secrets.setdefault(secret, str(finding.rule_id).rpartition(".")[2])
    for secret, rule in list(secrets.items())[:_MOST]:
        name = re.sub(r"[^a-z0-9]+", "-", rule.lower()).strip("-")[:40] or "secret"
        start = text.find(secret)
        while start >= 0:
            yield Hit(start, start + len(secret), name, name.replace("-", " "), SHAPE)
            start = text.find(secret, start + len(secret))
