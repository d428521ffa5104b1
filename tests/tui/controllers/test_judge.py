"""The judge of the run on the screen: what it cannot read, and what its threads may touch."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from planscope.session.model import Session
from planscope.tui.controllers import judge as judge_
from planscope.tui.controllers.judge import Facts
from tests.tui import sessions
from tests.tui.screen import opened


def unusable() -> Session:
    """Two of its actions have one name."""
    session = sessions.no_run()
    (variant,) = session.variants
    first, second, *rest = variant.actions
    twice = [first, second.model_copy(update={"name": first.name.upper()}), *rest]
    return session.model_copy(update={"variants": [variant.model_copy(update={"actions": twice})]})


async def test_a_query_whose_actions_cannot_be_used_can_be_run(tmp_path: Path) -> None:
    async with opened(sessions.write(unusable(), tmp_path)) as driven:
        assert driven.state.progress == "failed" and "have the same name" in driven.state.trouble
        await driven.press("r", "enter")
        await driven.until(lambda: driven.screen.work.document.runs and not driven.screen.work.live.at_work)
        await driven.answered()
        run = driven.state.run
        assert run is not None and not run.under_way and driven.state.progress == "failed"


async def test_what_is_looked_up_ahead_is_put_down_by_the_screens_thread(
    tmp_path: Path, monkeypatch: Any
) -> None:
    wrote: list[threading.Thread] = []

    class Noted(dict[Any, Facts]):
        def __setitem__(self, key: Any, value: Facts) -> None:
            wrote.append(threading.current_thread())
            super().__setitem__(key, value)

    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        judge = driven.screen.work.judge
        before = judge._facts
        judge._facts = Noted()
        judge.look_ahead(0)
        await driven.until(lambda: judge._facts.keys() >= before.keys())
    assert wrote and set(wrote) == {threading.main_thread()}


async def test_what_was_looked_up_for_nobody_is_not_kept(tmp_path: Path, monkeypatch: Any) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(*given: Any) -> Facts:
        asked.set()
        go_on.wait(30)
        return Facts(0)

    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        judge = driven.screen.work.judge
        judge._facts = {}
        monkeypatch.setattr(judge_, "facts_at", slow)
        judge.look_ahead(0)
        await driven.until(asked.is_set)
        driven.screen.work.jobs.cancel("ahead")
        go_on.set()
        await driven.pilot.pause(0.2)
        assert 0 not in {index for _, index in judge._facts}  # others were asked for by the screen
