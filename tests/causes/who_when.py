"""Judge the search for a cause on Who&When: runs of several agents that failed, in which people named the wrong step.

    python -m tests.causes.who_when FOLDER

FOLDER is "Who&When" of a copy of ag2ai/Agents_Failure_Attribution. These histories have no structured calls: agents
talk, and a terminal runs their code. So each turn of an agent is read as a call of that agent, with what the terminal
answers as its answer. A step is the number of a turn in the history. No rule is given, and nothing was fitted on these
runs.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.oracle.verdict_types import StepNo
from tests.causes.measure import Judge, Row, calibration

TERMINAL = re.compile(r"computer_?terminal", re.I)
CODE = re.compile(r"exitcode: (\d+)")


def run_of(path: Path) -> tuple[Trace, list[int], int]:
    """Return a run, the number of the turn that each call stands for, and the number of the wrong turn."""
    held = json.loads(path.read_text(encoding="utf-8"))
    items: list[Said | ToolCall] = [Said("user", held["question"])]
    turns: list[int] = []
    for number, turn in enumerate(held["history"]):
        who, text = str(turn.get("name") or turn["role"]), str(turn["content"])
        if who == "human":
            continue
        last = items[-1]
        if TERMINAL.fullmatch(who) and isinstance(last, ToolCall):
            code = CODE.match(text)
            failed = code is not None and code[1] != "0"
            items[-1] = replace(last, answer=text, answered=True, failed=failed)
            continue
        turns.append(number)
        agent = who.split(" (")[0]
        items.append(ToolCall(agent, {"said": text}, step=len(turns), message=number + 1, failed=False))
    trace = Trace(items, id=path.stem, reward=0.0)
    return trace, turns, int(held["mistake_step"])


def runs_of(folder: Path) -> Iterator[tuple[Trace, list[int], int]]:
    for path in sorted(folder.glob("*.json"), key=lambda one: int(one.stem)):
        yield run_of(path)


def turn_of(step: StepNo | None, turns: list[int]) -> StepNo | None:
    return turns[step - 1] if isinstance(step, int) else step


def first_turn(trace: Trace) -> tuple[StepNo | None, float]:
    return 1, 1.0


def table(folder: Path) -> None:
    judge, runs = Judge(""), list(runs_of(folder))
    print(f"\n### {folder.name}\n\n{len(runs)} labelled runs.\n")
    print("| named by | speaks of | exact | within 1 | within 3 |\n| --- | --- | --- | --- | --- |")
    error = ""
    for name, guess in {**judge.guesses(), "first turn": first_turn}.items():
        row, pairs = Row(name), []
        for trace, turns, label in runs:
            step, sure = guess(trace)
            turn = turn_of(step, turns)
            row.add(label, turn, turns[-1])
            pairs.append((sure, turn == label))
        error = error or f"{calibration(pairs):.3f}"
        print(f"| {row.line().rsplit(' | ', 1)[0]} |")
    print(f"\nExpected calibration error: {error}.")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for part in ("Algorithm-Generated", "Hand-Crafted"):
        table(folder / part)


if __name__ == "__main__":
    main()
