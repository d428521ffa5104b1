"""Many runs of one query: simulated models in the light loop, others at once and bounded."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import cache
from typing import Any

from planscope.agents.event_loop import wait_for
from planscope.agents.models import LoadedModel, check_model, load_model, parse_model
from planscope.agents.paradigms import AGENTS
from planscope.agents.runner import LiveRun, prepare
from planscope.agents.simulated_runs import run_simulated
from planscope.session.model import EndEvent, Run, Variant

AT_ONCE = 8

OnRun = Callable[[int, Run], None]
"""Gets each run as it ends, with its number from 0 on, on another thread than the caller's."""


def run_many(
    variant: Variant,
    *,
    model: str,
    times: int,
    agent: str = "tools",
    seed: int | None = None,
    base_url: str | None = None,
    at_once: int = AT_ONCE,
    retries: int = 0,
    on_run: OnRun | None = None,
    **options: Any,
) -> list[Run]:
    """``times`` runs, in their order. Run i of a simulated model has the seed ``seed + i``.

    ``at_once`` are under way at a time. A run that model or network aborted is tried again, ``retries`` times.
    ``options`` are those of :class:`LiveRun` (``role``, ``prompts``, ``limits``, ``guard``). Blocks; an interrupt
    stops what is under way. Raises what :class:`LiveRun` raises where it cannot begin.
    """
    spec = parse_model(model, seed=seed)
    if spec.character is not None and agent in AGENTS:
        options.pop("tracing", None)  # there is nothing in the light loop that LangSmith could trace
        if base_url:
            check_model(spec, base_url=base_url)
        runs = []
        for number in range(times):
            own = spec.character.seed + number
            run = run_simulated(variant, model=spec.text, agent=agent, seed=own, **options)
            runs.append(run)
            if on_run is not None:
                on_run(number, run)
        return runs
    prepare()
    loaded, first = None, 0
    if spec.character is not None:
        first = spec.character.seed
    else:
        loaded = load_model(spec.text, base_url=base_url, responses=agent == "responses")

    def live(number: int) -> LiveRun:
        if loaded is not None:
            return LiveRun(variant, model=loaded, agent=agent, **options)
        return LiveRun(variant, model=spec.text, seed=first + number, agent=agent, **options)

    _settle_in()
    return wait_for(_all(live, times, at_once, retries, on_run, loaded))


@cache
def _settle_in() -> None:
    """What was imported is no garbage: to look through it for some would cost a quarter of the time."""
    gc.freeze()


async def _all(
    live: Callable[[int], LiveRun],
    times: int,
    at_once: int,
    retries: int,
    on_run: OnRun | None,
    model: LoadedModel | None,
) -> list[Run]:
    """All of them; where one cannot begin, or all are stopped, none goes on. The ``model`` is closed at the end."""
    places = asyncio.Semaphore(at_once)

    async def one(number: int) -> Run:
        async with places:
            for _ in range(1 + retries):
                run = await live(number).go()
                if not aborted(run):
                    break
        if on_run is not None:
            on_run(number, run)
        return run

    tasks = [asyncio.create_task(one(number)) for number in range(times)]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if model is not None:
            await model.aclose()


def aborted(run: Run) -> bool:
    """Whether model, network or user ended it, so that it counts in no rate."""
    return bool(run.events) and isinstance(run.events[-1], EndEvent) and run.events[-1].ending == "aborted"
