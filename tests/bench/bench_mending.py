"""What mended documentation is worth: 30 tasks with files, judged by the folder's difference.

``python -m tests.bench.bench_mending [--seeds 3] [--model M --base-url URL]``. The fuzzer fuzzes eight file tools
(``tests/bench/mending``), their documentation is mended, and an agent does the tasks with the old and with the new one.
No part of mending sees a task. Without ``--model`` a simulated model is agent and writer (``reader.py`` says how it
reads). The last column is documentation from the text alone (Figure 23 of the paper), for comparison.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping

from planscope.toolfuzz import mending
from planscope.toolfuzz.agent_hands import InAgentHands, priors_of
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.mending import Mending
from planscope.toolfuzz.models import FuzzModels, ModelOptions
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.served import ServedTools
from tests.bench.mending.reader import PRACTICE, loaded
from tests.bench.mending.tasks import TASKS, Task
from tests.bench.yardstick import table
from tests.toolfuzz.printed import models_of

TARGET = "tests.bench.mending.file_tools:tools"


def is_done(task: Task, files: Mapping[str, str]) -> bool:
    """Whether the folder is as the task asks; empty folders that are left over do not matter."""

    def bare(found: Mapping[str, str]) -> dict[str, str]:
        return {name: text for name, text in found.items() if not name.endswith("/")}

    gone = [
        name for name in files if name.endswith("/") and name not in task.after and "Delete" in task.request
    ]
    return bare(files) == bare(task.after) and not gone


def done(models: FuzzModels, tools: ServedTools, words: Mapping[str, str]) -> list[bool]:
    """Which tasks the agent does with this documentation in place of the tools' own."""
    return [
        is_done(task, models.run(task.request, tools, descriptions=words, files=task.before).files)
        for task in TASKS
    ]


def mended(models: FuzzModels, tools: ServedTools, calls: int, seed: int) -> Report:
    """Fuzz the tools, have the agent try the findings, and mend the documentation."""
    report = Report(TARGET, seed)
    priors = priors_of(models, tools.tools, report)
    Fuzz(Options(TARGET, calls=calls, sequences=0, seed=seed, priors=priors), report).run()
    InAgentHands(models, tools, report).run()
    Mending(models, tools, report).run()
    return report


def rows(seeds: int, calls: int, model: ModelOptions | None) -> Iterator[list[str]]:
    for seed in range(1, seeds + 1):
        began = time.monotonic()
        with ServedTools(Options(TARGET)) as tools:
            models = FuzzModels(model) if model is not None else models_of(loaded(seed), files=PRACTICE)
            with models:
                report = mended(models, tools, calls, seed)
                words = {one.tool: one.after for one in report.fixes if one.after is not None}
                old, new = done(models, tools, {}), done(models, tools, words)
                alone = done(models, tools, _text_alone(models, tools))
        reported = [tuple(one.reporting.values()) for one in report.fixes if one.reporting is not None]
        before, after, of = (sum(column) for column in zip(*reported, strict=True)) if reported else (0, 0, 0)
        yield [
            str(seed), str(len(report.counted())), f"{len(words)} of {len(report.fixes)}",
            f"{before} -> {after} of {of}", f"{sum(old)} -> {sum(new)} of {len(TASKS)}",
            f"{sum(alone)} of {len(TASKS)}", f"{models.spending.calls:,}", f"{time.monotonic() - began:.1f} s",
        ]  # fmt: skip


def _text_alone(models: FuzzModels, tools: ServedTools) -> dict[str, str]:
    """One new documentation for each tool, from the old one alone."""
    found: dict[str, str] = {}
    for one in tools.tools:
        text = models.ask_for(
            "mend_text", mending.new_description, {"tool_description": f"{one.name}: {one.description}"}
        )
        found |= {one.name: text} if text is not None else {}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what mended documentation is worth.")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--model")
    parser.add_argument("--base-url")
    args = parser.parse_args()
    model = ModelOptions(args.model, base_url=args.base_url, files=PRACTICE) if args.model else None
    head = [
        "seed",
        "errors",
        "tools mended",
        "held-out prompts right",
        "tasks done",
        "text alone",
        "model calls",
        "took",
    ]
    table(
        "mending: 30 file tasks, old and new documentation", head, list(rows(args.seeds, args.calls, model))
    )


if __name__ == "__main__":
    main()
