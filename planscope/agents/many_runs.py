"""Makes many runs of one query: simulated models run in the light loop, others several at once."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from planscope.agents.event_loop import wait_for
from planscope.agents.models import LoadedModel, check_model
from planscope.agents.options import RunOptions
from planscope.agents.runner import LiveRun, prepare
from planscope.agents.simulated_runs import run_simulated
from planscope.session.model import EndEvent, Run, Variant

AT_ONCE = 8

OnRun = Callable[[int, Run], None]
"""A function that receives each finished run with its number, from 0. It is called on another thread than the
caller's."""


def run_many(
    variant: Variant,
    options: RunOptions,
    *,
    times: int,
    at_once: int = AT_ONCE,
    on_run: OnRun | None = None,
) -> list[Run]:
    """Make ``times`` runs and return them in order. Run i of a simulated model has the seed ``seed + i``.

    At most ``at_once`` run at the same time. Blocks; an interrupt stops all runs. Raises the errors of :class:`LiveRun`
    if a run cannot start.
    """
    spec = options.spec
    first = spec.character.seed if spec.character is not None else 0

    def seeded(number: int) -> RunOptions:
        return replace(options, model=spec.text, seed=first + number if spec.simulated else options.seed)

    if options.light and not (
        options.guard and options.rules
    ):  # the light loop hears no answers and tells nobody
        check_model(spec, options.base_url)
        runs = []
        for number in range(times):
            run = run_simulated(variant, seeded(number))
            runs.append(run)
            if on_run is not None:
                on_run(number, run)
        return runs
    prepare()
    loaded = None if spec.simulated else options.load()

    def live(number: int) -> LiveRun:
        return LiveRun(variant, seeded(number), loaded=loaded)

    _settle_in()
    return wait_for(_all(live, times, at_once, on_run, loaded))


@cache
def _settle_in() -> None:
    """Exempt imported modules from garbage collection, which would take a quarter of the time."""
    gc.freeze()


async def _all(
    live: Callable[[int], LiveRun],
    times: int,
    at_once: int,
    on_run: OnRun | None,
    model: LoadedModel | None,
) -> list[Run]:
    """Make all runs, and close ``model`` at the end. If one cannot start, or all are stopped, cancel the others."""
    places = asyncio.Semaphore(at_once)

    async def one(number: int) -> Run:
        async with places:
            run = await live(number).go()
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
    """Return whether model, network or user aborted the run. Rates do not count such runs."""
    return bool(run.events) and isinstance(run.events[-1], EndEvent) and run.events[-1].ending == "aborted"
