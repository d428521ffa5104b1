"""Makes one call again, for the tests that ``planscope fuzz --pytest`` writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planscope.toolfuzz.engine import Fuzz, Options


def outcome(
    target: str,
    tool: str,
    given: dict[str, Any],
    needs: Sequence[dict[str, Any]] = (),
    reset: str | None = None,
    limit: float = 2.0,
) -> dict[str, Any]:
    """Make the calls ``needs`` and then ``given`` in a fresh child. Return kind, exception, message and traceback.

    ``limit``: seconds that a call may take. Raises UserError if the target cannot be used.
    """
    options = Options(target, tools=(tool,), reset=reset, call_limit=limit)
    return Fuzz(options).send({"needs": list(needs), "given": given})


def check(
    target: str,
    tool: str,
    given: dict[str, Any],
    needs: Sequence[dict[str, Any]] = (),
    reset: str | None = None,
    limit: float = 2.0,
) -> None:
    """Raise AssertionError if the tool fails on these arguments."""
    found = outcome(target, tool, given, needs, reset, limit)
    if found["kind"] not in ("ok", "refused"):
        raise AssertionError(
            f"{tool} {found['kind']}: {found['exception'] or ''} {found['message']}\n{found['traceback']}"
        )
