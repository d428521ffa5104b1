"""Many runs of one query: simulated models one after the other in the light loop, others at once and bounded."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import cache
from typing import Any

from planscope.agents.background import wait_for
from planscope.agents.models import LoadedModel, check_model, load_model, parse_model
from planscope.agents.native import run_native
from planscope.agents.paradigms import AGENTS
from planscope.agents.runner import LiveRun, prepare
from planscope.session.events import EndEvent
from planscope.session.model import Run, Variant

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
            run = run_native(variant, model=spec.text, agent=agent, seed=own, **options)
            runs.append(run)
            if on_run is not None:
                on_run(number, run)
        return runs
    prepare()
    if spec.character is not None:
        seed = spec.character.seed
        work = _simulated(variant, spec.text, seed, times, at_once, on_run, agent=agent, **options)
    else:
        loaded = load_model(spec.text, base_url=base_url, responses=agent == "responses")
        work = _all(variant, loaded, times, at_once, retries, on_run, agent=agent, **options)
    _settle_in()
    return wait_for(work)


@cache
def _settle_in() -> None:
    """What was imported is no garbage: to look through it for some would cost a quarter of the time."""
    gc.freeze()


async def _simulated(
    variant: Variant,
    model: str,
    seed: int,
    times: int,
    at_once: int,
    on_run: OnRun | None,
    **options: Any,
) -> list[Run]:
    """People's own agents on a simulated model: each run has a seed of its own."""
    places = asyncio.Semaphore(at_once)

    async def one(number: int) -> Run:
        async with places:
            run = await LiveRun(variant, model=model, seed=seed + number, **options).go()
        if on_run is not None:
            on_run(number, run)
        return run

    return await _together([one(number) for number in range(times)])


async def _all(
    variant: Variant,
    model: LoadedModel,
    times: int,
    at_once: int,
    retries: int,
    on_run: OnRun | None,
    **options: Any,
) -> list[Run]:
    places = asyncio.Semaphore(at_once)

    async def one(number: int) -> Run:
        async with places:
            for _ in range(1 + retries):
                run = await LiveRun(variant, model=model, **options).go()
                if not aborted(run):
                    break
        if on_run is not None:
            on_run(number, run)
        return run

    try:
        return await _together([one(number) for number in range(times)])
    finally:
        await model.aclose()


async def _together(work: list[Any]) -> list[Run]:
    """All of them; where one cannot begin, or all are stopped, none goes on."""
    tasks = [asyncio.create_task(w) for w in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def aborted(run: Run) -> bool:
    """Whether model, network or user ended it, so that it counts in no rate."""
    return bool(run.events) and isinstance(run.events[-1], EndEvent) and run.events[-1].ending == "aborted"
