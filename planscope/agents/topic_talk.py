"""The conversation about topics: one prompt for the jobs, one for the activities of each, a few at a time."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from planscope.agents.failures import explain, one_line
from planscope.agents.models import LoadedModel
from planscope.agents.topic_answers import LARGEST_ANSWER, jobs_in
from planscope.errors import UserError
from planscope.safe import visible
from planscope.session.json_bytes import plain_text

Progress = Callable[[int, int | None], None]
"""Gets the number of topics that are done and of those there will be (None: not known yet), on another thread."""


class TopicsNotWritten(UserError):
    """There is nothing to write: why, in one line without secrets."""


def prompt(name: str, count: int, role: str = "") -> str:
    """One of the two prompts, ``jobs`` or ``activities``."""
    return _prompts()[name].replace("[count]", str(count)).replace("[role]", role)


def said(answer: str) -> str:
    """The beginning of an answer, for a line that is shown."""
    return visible(one_line(answer, 60), limit=80) or "nothing"


@cache
def _prompts() -> dict[str, str]:
    data = files("planscope.agents") / "data" / "topics_prompts.toml"
    return tomllib.loads(data.read_text(encoding="utf-8"))


@dataclass(slots=True)
class Asking:
    """The conversation: each prompt is a fresh one."""

    model: LoadedModel
    jobs: int
    activities: int
    gate: asyncio.Semaphore
    seconds: float
    on_progress: Progress | None
    done: int = 0

    async def all(self, job: str | None) -> tuple[list[str], list[tuple[str, str]]]:
        """What was left out of the list of jobs, and each job with the answer about its activities."""
        from langsmith import tracing_context

        with tracing_context(enabled=False):  # whatever the environment says
            if job is not None:
                return [], await self._about([job])
            self._tell(None)
            answer = await self._ask(prompt("jobs", self.jobs))
            listed = jobs_in(answer, self.jobs)
            if not listed.names:
                raise TopicsNotWritten(
                    f"the model was asked for jobs and gave no list of them: {said(answer)}"
                )
            missing = self.jobs - len(listed.names)
            unnamed = [f"{missing} of {self.jobs} jobs, which the model did not name"] if missing else []
            return [*listed.left_out, *unnamed], await self._about(list(listed.names))

    async def _about(self, jobs: list[str]) -> list[tuple[str, str]]:
        """All together or none: the first failure ends the others."""
        self._tell(len(jobs))
        tasks = [asyncio.create_task(self._activities(job, len(jobs))) for job in jobs]
        try:
            return list(zip(jobs, await asyncio.gather(*tasks), strict=True))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _activities(self, job: str, total: int) -> str:
        answer = await self._ask(prompt("activities", self.activities, job))
        self.done += 1
        self._tell(total)
        return answer

    async def _ask(self, text: str) -> str:
        from langchain_core.messages import HumanMessage

        async with self.gate:
            try:
                async with asyncio.timeout(self.seconds) as clock:
                    message = await self.model.chat.ainvoke([HumanMessage(text)])
                return plain_text(str(message.text)[:LARGEST_ANSWER])
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                raise TopicsNotWritten("the model gave up its answer") from None
            except Exception as error:
                if clock.expired():
                    line = f"the model gave no answer within {self.seconds:g} seconds"
                else:
                    _, line = explain(error, keys=self.model.keys, host=self.model.host)
                raise TopicsNotWritten(line) from None

    def _tell(self, total: int | None) -> None:
        if self.on_progress is not None:
            self.on_progress(self.done, total)


async def within(
    seconds: float, asking: Asking, job: str | None, *, close: bool
) -> tuple[list[str], list[tuple[str, str]]]:
    try:
        async with asyncio.timeout(seconds):
            return await asking.all(job)
    except TimeoutError:
        raise TopicsNotWritten(
            f"over {seconds:g} seconds, with {asking.done} topics done; name a single TOPIC, or a faster model"
        ) from None
    finally:
        if close:
            await asking.model.aclose()
