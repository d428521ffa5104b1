"""Makes one call again, for the tests that ``planscope fuzz --pytest`` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planscope.toolfuzz.engine import Fuzz, Options
from planscope.toolfuzz.outcome import Outcome
from planscope.toolfuzz.stateful import Made, Role, contradictions, knowledge_from


def check(
    target: str,
    tool: str,
    given: dict[str, object],
    needs: Sequence[dict[str, object]] = (),
    reset: str | None = None,
    limit: float = 2.0,
    environment: Sequence[str] = (),
    network: bool = False,
) -> None:
    """Make the calls ``needs`` and then ``given`` in a fresh child. Raise AssertionError if the tool fails on it.

    ``limit``: seconds that a call may take; ``environment``: names of variables that the tool gets. Raises UserError if
    the target cannot be used.
    """
    options = Options(
        target,
        tools=(tool,),
        reset=reset,
        call_limit=limit,
        environment=tuple(environment),
        network=network,
    )
    found = Outcome(**Fuzz(options).send({"needs": list(needs), "given": given}))
    if found.failed:
        raise AssertionError(f"{tool} {_said(found)}")


def _said(one: Outcome) -> str:
    return f"{one.kind}: {one.exception or ''} {one.message}\n{one.traceback}"


def check_sequence(
    target: str,
    calls: Sequence[dict[str, Any]],
    kind: str,
    exception: str | None = None,
    knows: Mapping[str, Any] | None = None,
    reset: str | None = None,
    limit: float = 2.0,
    environment: Sequence[str] = (),
    network: bool = False,
) -> None:
    """Make a sequence of calls in a fresh child. Raise AssertionError if it shows an error of this kind.

    ``knows``: what the fuzzer had learned of the tools, for answers that contradict each other.
    """
    options = Options(target, reset=reset, call_limit=limit, environment=tuple(environment), network=network)
    played = Fuzz(options).play(list(calls))
    made = [Made(**one) for one in played["made"]]
    if knows is not None:
        roles = {
            name: Role(what, noun, tuple(needed), *again)
            for name, (what, noun, needed, *again) in knows["roles"].items()
        }
        told = contradictions(made, roles, knowledge_from(knows))
        if any(one.kind == kind for one in told):
            raise AssertionError("; ".join(one.message for one in told if one.kind == kind))
        return
    for one in (Outcome(**data) for data in played["outcomes"]):
        if (one.kind, one.exception) == (kind, exception):
            raise AssertionError(_said(one))
