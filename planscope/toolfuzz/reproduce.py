"""Makes calls again, for the tests that ``planscope fuzz --pytest`` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.outcome import Call, Made
from planscope.toolfuzz.stateful import contradictions, from_told


class Settings(TypedDict, total=False):
    """How calls are made: ``reset``, a hook; ``limit``, seconds that a call may take; ``environment``, names of
    variables that the tool gets; whether the ``network`` is allowed; a ``folder`` of which the tool gets a copy."""

    reset: str | None
    limit: float
    environment: Sequence[str]
    network: bool
    folder: str


def check(
    target: str,
    tool: str,
    given: dict[str, object],
    needs: Sequence[dict[str, object]] = (),
    **settings: Unpack[Settings],
) -> None:
    """Make the calls ``needs`` and then ``given`` in a fresh child. Raise AssertionError if the tool fails on it.

    Raises UserError if the target cannot be used.
    """
    calls: list[Call] = [{"tool": tool, "arguments": one} for one in (*needs, given)]
    for one in _played(target, calls, (tool,), settings)[-1:]:
        if one.outcome.failed:
            raise AssertionError(f"{tool} {one.outcome.said}")


def check_sequence(
    target: str,
    calls: Sequence[Call],
    kind: str,
    exception: str | None = None,
    knows: Mapping[str, object] | None = None,
    **settings: Unpack[Settings],
) -> None:
    """Make a sequence of calls in a fresh child. Raise AssertionError if it shows an error of this kind.

    ``knows``: what the fuzzer had learned of the tools, for answers that contradict each other.
    """
    made = _played(target, calls, (), settings)
    if knows is not None:
        said = [one.message for one in contradictions(made, *from_told(knows)) if one.kind == kind]
    else:
        said = [one.outcome.said for one in made if (one.kind, one.outcome.exception) == (kind, exception)]
    if said:
        raise AssertionError("; ".join(said))


def _played(target: str, calls: Sequence[Call], tools: tuple[str, ...], settings: Settings) -> list[Made]:
    given = dict[str, Any](settings)
    limit = given.pop("limit", Options.call_limit)
    return Fuzz(Options(target, tools, call_limit=limit, **given)).play(calls)
