"""Fuzzes one tool: batches of calls in fresh children, and for each new error a confirmation and a smaller input."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from planscope.stats import chao1
from planscope.toolfuzz import taint
from planscope.toolfuzz.coverage import Arc, Coverage
from planscope.toolfuzz.findings import QUICK_LIMIT, Findings
from planscope.toolfuzz.host import Channel, End, Host
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.lookups import Stores
from planscope.toolfuzz.mcp_tools import ServerHost, violations
from planscope.toolfuzz.outcome import (
    LISTED_ONLY,
    OK,
    Call,
    Made,
    Outcome,
    Places,
    Refused,
    forms_of,
    returned_error,
)
from planscope.toolfuzz.programs import Stage
from planscope.toolfuzz.sandbox import Kept
from planscope.toolfuzz.search import Search
from planscope.toolfuzz.tools import Tool, call

BATCH = 100
"""Calls in one child, if nothing resets the tool's state."""

LONG_BATCH = 2_000
"""Calls in one child between two reports, if a reset hook makes fresh children unnecessary."""

INVOKED = 20
"""One call of so many is also made through the wrapper of a LangChain tool."""

QUIET = 1_500
"""Calls without a new error before the estimate may end the search. By the rule of three, fewer than one call in 500
would then show another (at 95 %). The estimate alone does not say so: it is lowest if each error was seen often."""

MOST_LACKING = 5
"""A child gives up if so many calls lack a package, and no other was made."""

_LACKING = ("ModuleNotFoundError", "ImportError")
MOST_HUNG = 25
"""The search of a tool ends after this many calls that hung."""


class Fuzzing:
    """The search of one tool. ``send`` takes events."""

    def __init__(
        self, tool: Tool, host: Host | ServerHost, options: Options, send: Callable[..., None]
    ) -> None:
        self.tool, self.host, self.options, self._send = tool, host, options, send
        self.search = Search(tool, options.seed, guided=not tool.remote)
        self.search.use((), options.priors.get(tool.name, {}))
        self.stage = Stage({tool.name: host}, {tool.name: tool}, options.call_limit)
        self.findings = Findings(self.stage, send)
        self.calls = self.refused = self.hung = self.succeeded = 0
        self._last_new, self._new = 0, list[str]()
        self._looping = 0.0

    def run(self) -> None:
        """Fuzz until the budget is spent."""
        wrong = self._violations()
        most = None if self.options.most_calls is None else self.options.most_calls - len(wrong)
        seconds = self.options.seconds
        began, paused = time.monotonic(), 0.0
        stopped = ""
        while not stopped and (most is None or self.calls < most):
            until = None if seconds is None else began + paused + seconds
            if until is not None and time.monotonic() >= until:
                break
            size = BATCH if self.tool.reset is None else LONG_BATCH
            self._batch(size if most is None else min(size, most - self.calls), until)
            at = time.monotonic()
            for key in self._new:
                self.findings.settle(key)
            paused += time.monotonic() - at
            self._progress("progress")
            stopped = "hung" if self.hung >= MOST_HUNG else "complete" if self._is_complete() else ""
            stopped = "unusable" if self._lacks_a_package() else stopped
        self._violate(wrong)
        self._progress("summary", stopped=stopped or "budget", looping=self._looping)

    def _violations(self) -> list[dict[str, object]]:
        """Return arguments that a server must refuse; for any other tool none."""
        if not self.tool.remote:
            return []
        found, most = violations(self.tool.schema, self.search.generator.arguments), self.options.most_calls
        return found if most is None else found[: most // 2]

    def _violate(self, several: list[dict[str, object]]) -> None:
        """Send arguments that the schema refuses. What they show is confirmed, and not made smaller."""
        made: list[Made] = []

        def job(channel: Channel) -> None:
            stage = replace(self.stage, violates=True)
            made.extend(stage.perform_one(channel, self._call(given)) for given in several)

        if not several:
            return
        self._new = []
        self.host.run(job, lambda **_: None, lambda: self.stage.limit, warm=True)
        for one in made:
            self.calls += 1
            if one.outcome.failed:
                self._heard(one.outcome, one.arguments, self.calls)
        for key in self._new:
            self.findings.confirm(key)

    def _call(self, given: dict[str, object]) -> Call:
        return {"tool": self.tool.name, "arguments": given}

    def _is_complete(self) -> bool:
        if not self.options.stop_early or self.calls - self._last_new < QUIET:
            return False
        found = self.findings.found.items()
        counts = [
            self.findings.occurrences[key] for key, one in found if one.finding["kind"] not in LISTED_ONLY
        ]
        return chao1(len(counts), counts.count(1), counts.count(2)) - len(counts) < 0.5

    def _lacks_a_package(self) -> bool:
        """Return whether every call ended for want of a package. That is no error of the tool."""
        for key, one in self.findings.found.items():
            every = self.findings.occurrences[key] >= self.calls - self.refused
            if one.finding["exception"] in _LACKING and every:
                one.change(kind="infrastructure")
                self.findings.tell(key)
                return True
        return False

    def _progress(self, event: str, **more: object) -> None:
        found = self.findings
        self._send(
            event, tool=self.tool.name, calls=self.calls, refused=self.refused, succeeded=self.succeeded,
            branches=None if self.tool.remote else len({arc[:3] for arc in self.search.arcs}), unique=found.unique,
            curve=found.curve, occurrences=found.counts(), **more,
        )  # fmt: skip

    # --- search ---

    def _batch(self, count: int, until: float | None) -> None:
        """Send calls in one child, and note the keys of new errors."""
        start, self._new = self.calls, []
        self.search.draw_pools()
        forms = dict(self.findings.forms)

        def job(channel: Channel) -> None:
            _Batch(channel, self.tool, self.host.places, self.search, forms).run(start, count, until)

        def batch(calls: int, seconds: float) -> None:
            self.calls = start + calls
            self._looping += seconds

        def again(key: str) -> None:
            self.findings.occurrences[key] += 1

        def learned(news: list[Any], arcs: list[Arc], given: dict[str, object], number: int) -> None:
            self.search.knowledge.merge(news)
            if arcs:
                self.search.keep(number, [(file, a, b, often) for file, a, b, often in arcs], given)

        def error(made: Mapping[str, object], number: int, before: list[str]) -> None:
            one = Made.of(made)
            self._heard(one.outcome, one.arguments, number + 1, before)

        events: dict[str, Callable[..., None]] = {
            "batch": batch, "again": again, "learned": learned, "error": error
        }  # fmt: skip
        full = self.stage.limit
        end = self.host.run(
            job,
            lambda event, **said: events[event](**said),
            lambda: full if self.hung < 3 or self.tool.remote else min(full, QUICK_LIMIT),
            warm=True,
        )
        self.refused += end.refused
        self.succeeded += end.succeeded
        if end.how != "done":
            self._ended(end, start)
        elif self.calls == start:
            self.calls = start + count  # the child ended without a word: never try the same batch again

    def _ended(self, end: End, start: int) -> None:
        """A call hung or ended its process."""
        if end.number < 0:
            self.calls = max(self.calls, start + (end.refused + end.succeeded or 1))
            why = end.outcome.message if end.outcome is not None else end.how
            self._send("remark", text=f"{self.tool.name}: a process ended between two calls ({why}).")
            return
        self.calls = end.number + 1
        if end.outcome is None:
            return
        given, outcome = json.loads(end.text), end.outcome
        if end.how == "hung":
            if self.hung >= 3 and forms_of(self.tool.name, outcome, given)[-1] not in self.findings.forms:
                made = self.stage.play([self._call(given)], agent=True)  # perhaps it is only slow
                outcome = made[-1].outcome if made else OK
            if outcome.kind == "hung":
                self.hung += 1
            elif not outcome.failed:
                return
        self._heard(outcome, given, self.calls, end.before)

    def _heard(self, outcome: Outcome, given: dict[str, object], at: int, before: Sequence[str] = ()) -> None:
        """``before``: what was sent in the same child before, as JSON."""
        earlier = () if self.tool.reset is not None else [json.loads(one) for one in before]
        key = self.findings.heard(outcome, [self._call(given)], at, before=earlier)
        if key is not None:
            self._last_new = at
            self._new.append(key)


class _Batch:
    """Calls to one tool in this child, with taint and coverage. What is new is told. ``known``: keys by their forms."""

    def __init__(
        self, channel: Channel, tool: Tool, places: Places, search: Search, known: dict[str, str]
    ) -> None:
        self.channel, self.tool, self.places, self.search, self.known = channel, tool, places, search, known
        self.coverage = Coverage(places.own)
        self.keys = {form.partition("\x1f")[2] for form in known}
        self.lacking = 0
        self.stores = Stores(search.knowledge)
        if search.guided:
            modules = list(sys.modules.values())
            taint.watch([vars(one) for one in modules if places.own(getattr(one, "__file__", None) or "")])
            self.stores.listen()
            channel.kept = Kept()

    def run(self, start: int, count: int, until: float | None) -> None:
        """Make so many calls, or until a time."""
        made = 0
        self.search.begin(start)
        began = time.process_time()
        for number in range(start, start + count):
            if until is not None and time.monotonic() >= until:
                break
            given, text = self.search.draw(number)
            if self.tool.reset is not None:
                self.tool.reset()
            self.channel.begin(number, text)
            made += 1
            try:
                bound = self.tool.bind(given)
            except Refused:
                self.channel.refused += 1
                self.channel.end()
                continue
            self._make(number, given, text, bound)
            if self.lacking == MOST_LACKING == made - self.channel.refused:
                break
        spent = time.process_time() - began
        self.channel.send("batch", calls=made, seconds=spent)

    def _make(self, number: int, given: dict[str, object], text: str, bound: dict[str, object]) -> None:
        channel, search, tool, knowledge = self.channel, self.search, self.tool, self.search.knowledge
        if search.carries_taint(number):
            bound = {k: taint.taint(v, knowledge.node(k)) if k in given else v for k, v in bound.items()}
        self.stores.current = {str(one): name for name, one in given.items() if isinstance(one, str | int)}
        arcs = set[Arc]()

        def measured() -> object:
            self.coverage.start()
            try:
                return call(tool.function, bound)
            finally:
                channel.kept.restore()
                arcs.update(self.coverage.stop())

        invoke = measured if search.is_measured(number) else lambda: call(tool.function, bound)
        answer, outcome = channel.judged(invoke, given, self.places, self.keys)
        self.lacking += outcome.exception in _LACKING
        channel.succeeded += outcome is OK and returned_error(answer) is None
        if outcome is OK and tool.wrapped and number % INVOKED == INVOKED - 1:
            outcome = self._of_wrapper(text)
        channel.end()
        self.stores.learn()
        search.try_next(json.loads(text), knowledge.news)
        new = search.reached(number, arcs, json.loads(text)) if not arcs <= search.arcs else []
        if new or knowledge.news:
            channel.send("learned", news=knowledge.news, arcs=new, given=json.loads(text), number=number)
            knowledge.news.clear()
        if outcome.failed:
            self._failed(number, text, outcome)

    def _failed(self, number: int, text: str, outcome: Outcome) -> None:
        forms = forms_of(self.tool.name, outcome, json.loads(text))
        key = next((self.known[form] for form in forms if form in self.known), None)
        if key is not None:
            self.channel.send("again", key=key)
            return
        self.known.update(dict.fromkeys(forms, forms[-1]))
        self.keys |= {outcome.key, outcome.plain}
        made = Made(self.tool.name, json.loads(text), None, outcome)
        self.channel.send("error", made=asdict(made), number=number, before=self.channel.before())

    def _of_wrapper(self, text: str) -> Outcome:
        """Make a call again through the tool's wrapper. Return what the wrapper itself raises, such as on an answer of
        a wrong shape."""
        _, outcome = self.channel.judged(
            lambda: self.tool.invoke(json.loads(text)), json.loads(text), self.places
        )
        return outcome if outcome.exception is not None and outcome.location is None else OK
