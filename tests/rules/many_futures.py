"""Random rules and traces: every step's state and safe calls, against all calls of a small world.

``python -m tests.rules.many_futures STEPS [SEED [text]]``. A state is held against a search through every call that
there can be, with the judge alone. Each safe call is made with its witness, as a message of its own, and judged again;
of a tool that is not named, no call with any answer leaves the trace completable. Steps that the search did not decide
are left out, and counted.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from planscope.oracle.trace import Said, Tool, ToolCall, Trace
from planscope.oracle.verdict_types import SafeCall
from planscope.rules.beside import judged_trace
from planscope.rules.future import Future, now
from planscope.rules.judge import Judge, Rulebook, known_tools
from planscope.rules.report import CheckOptions, check_trace
from planscope.rules.rule import RuleFile, unseen_names
from tests.rules.many_cases import as_event, seen
from tests.rules.table import Event, as_items
from tests.rules.worlds import MORE_MODES, TEXT_MODES, World, make_world, over

MOST = 20_000
"""States of one world's search. Beyond, the case is left out."""


TOLD = (
    "steps",
    "completable",
    "doomed",
    "broken",
    "safe calls played",
    "tools refuted",
    "with a rule that looks at answers",
    "unknown steps left out",
    "cases with an unknown rule left out",
    "tools not decided",
    "unknown once played",
    "steps too large to try everything",
)


class TooLarge(Exception):
    pass


class Everything:
    """Finds whether some calls keep all rules, by making every call of a world again and again."""

    def __init__(self, book: Rulebook, world: World, tools: list[str]) -> None:
        self.book, self.world, self.file = book, world, RuleFile("", book.rules)
        like = {e.tool: e for e in world.letters}
        more = [tool for tool in (*tools, "yet another") if tool not in like]
        shapes = {e._replace(tool="") for e in world.letters if e.tool}
        self.letters = [*world.letters, *(shape._replace(tool=tool) for tool in more for shape in shapes)]
        self.known: dict[Any, bool] = {}

    def calls(self, tool: str) -> list[Event]:
        return [e for e in self.letters if e.tool == tool]

    def made(self, judge: Judge, letter: Event, message: int) -> Judge:
        after = judge.copy()
        (item,) = as_items([letter._replace(message=message)])
        after.take(replace(item, step=judge.last_step + 1) if isinstance(item, ToolCall) else item, 1)
        return after

    def possible(self, judge: Judge) -> bool:
        begin = self._key(judge)
        if begin not in self.known:
            todo, came = [(begin, judge)], {begin: judge}
            found = False
            for _, at in todo:
                if self._kept(at):
                    found = True
                    break
                for letter in self.letters:
                    for message in {
                        at.message + 1,
                        at.message if letter.tool and self.world.late else at.message + 1,
                    }:
                        after = self.made(at, letter, message)
                        key = self._key(after)
                        if key in came or self.known.get(key) is False or broken(after):
                            continue
                        if self.known.get(key):
                            found = True
                            break
                        came[key] = after
                        todo.append((key, after))
                if len(came) > MOST:
                    raise TooLarge
                if found:
                    break
            if found:
                self.known[begin] = True
            else:
                self.known.update(dict.fromkeys(came, False))
        return self.known[begin]

    def _kept(self, judge: Judge) -> bool:
        return not broken(judge) and not judge.lost_at_end()

    def _key(self, judge: Judge) -> Any:
        fresh = [judge.last_message.get(k, -1) != judge.message for k in range(len(judge.state))]
        rows = (
            (judge.owner[k], judge.key[k], now(judge, k), fresh[k] or not self.book.late[judge.owner[k]])
            for k in range(len(judge.state))
        )
        return frozenset(rows)


def broken(judge: Judge) -> bool:
    return any(judge.rule_status(rule) == "broken" for rule in range(len(judge.book.rules)))


def check_step(
    every: Everything,
    judge: Judge,
    trace: Trace,
    state_said: str,
    safe_calls: Sequence[SafeCall],
    told: Counter[str],
) -> None:
    possible = every.possible(judge)
    state = "broken" if broken(judge) else "completable" if possible else "doomed"
    assert state_said == state, (every.book.rules, trace.items, state_said, state)
    if state != "completable":
        return
    message = max([judge.message, *(item.message for item in trace.items)]) + 1
    for safe in safe_calls:
        told["safe calls played"] += 1
        assert safe.arguments is not None, (every.book.rules, trace.items, safe)
        answer = safe.answer if safe.answer is not None or not safe.answered else "done"
        failed = bool(safe.failed) if safe.answered else None
        call = ToolCall(safe.tool, dict(safe.arguments), step=len(trace.calls) + 1, message=message)
        call.answer, call.answered, call.failed, call.agent = answer, safe.answered, failed, safe.agent
        again = judged_trace(every.file, replace(trace, items=[*trace.items, call])).steps[-2].state
        if again == "unknown":
            told["unknown once played"] += 1
        else:
            assert again == "completable", (every.book.rules, trace.items, safe)
        after = every.made(judge, as_event(safe, message), message)
        after.take(Said("model", "", message + 1), 1)
        assert every.possible(after), (every.book.rules, trace.items, safe)
    for tool in known_tools(every.book, trace):
        if any(call.tool == tool for call in safe_calls):
            continue
        if Future(every.book, known_tools(every.book, trace)).of(judge, tool).possible is None:
            told["tools not decided"] += 1
            continue
        told["tools refuted"] += 1
        for letter in every.calls(tool):
            after = every.made(judge, letter, message)
            after.take(Said("model", "", message + 1), 1)
            assert broken(after) or not every.possible(after), (every.book.rules, trace.items, tool, letter)


def case(seed: int, told: Counter[str], modes: tuple[str, ...] = MORE_MODES) -> None:
    random = Random(seed)
    world = make_world(random, modes=modes)
    happened = world.trace(random, 7)
    book = Rulebook(world.rules)
    trace = Trace(as_items(happened), id="t", format="test")
    if random.random() < 0.5:  # what it defines and calls is then all that there is
        trace.tools = {e.tool: Tool(e.tool) for e in world.letters if e.tool}
    unseen = [] if trace.tools else unseen_names(book.globs)
    every = Everything(book, world, unseen)
    looks = any(rule.late or any(c.needs_answer for c in rule.sets) for rule in world.rules)
    places = [0, *(size for size, e in enumerate(happened, 1) if e.tool)]
    run = judged_trace(every.file, trace)
    if any(one.state == "unknown" for one in check_trace(book, trace, CheckOptions()).results):
        told["cases with an unknown rule left out"] += 1  # whose argument a call lacks: nobody judges it
        return
    for size, view in zip(places, run.steps, strict=False):
        if view.state == "unknown":
            told["unknown steps left out"] += 1
            continue
        judge = Judge(book)
        for event, k in seen(happened[:size], over(happened, size)):
            judge.take(event, k)
        try:
            upto = replace(trace, items=as_items(happened[:size]))
            check_step(every, judge, upto, view.state, run.safe_calls(view.index), told)
        except TooLarge:
            told["steps too large to try everything"] += 1
            continue
        told["steps"] += 1
        told[view.state] += 1
        told["with a rule that looks at answers"] += looks


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    told: Counter[str] = Counter()
    begun, first = time.monotonic(), seed
    while told["steps"] < count:
        try:
            case(seed, told, TEXT_MODES if "text" in sys.argv else MORE_MODES)
        except BaseException:
            sys.stderr.write(f"seed {seed}\n")
            raise
        seed += 1
    parts = [f"{told[name]:,} {name}" for name in TOLD]
    sys.stdout.write(
        f"{'; '.join(parts)}; {seed - first:,} cases; {time.monotonic() - begun:.0f} s; 0 wrong\n"
    )


if __name__ == "__main__":
    main()
