"""Fuzzes one tool: batches of calls in fresh children, and for each new error a confirmation and a smaller input."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from planscope.stats import chao1
from planscope.toolfuzz import taint
from planscope.toolfuzz.coverage import Coverage
from planscope.toolfuzz.documented import is_documented
from planscope.toolfuzz.host import Channel, End, Host
from planscope.toolfuzz.outcome import (
    LISTED_ONLY,
    OK,
    REFUSED,
    Lost,
    Outcome,
    Places,
    Refused,
    answered,
    raised,
)
from planscope.toolfuzz.sandbox import Kept
from planscope.toolfuzz.search import Search
from planscope.toolfuzz.shrink import MOST_CALLS, Shrinker
from planscope.toolfuzz.tools import Tool, call

if TYPE_CHECKING:
    from planscope.toolfuzz.mcp_tools import ServerHost

BATCH = 100
"""Calls in one child, if nothing resets the tool's state."""

LONG_BATCH = 2_000
"""Calls in one child between two reports, if a reset hook makes fresh children unnecessary."""

INVOKED = 20
"""One call of so many is also made through the wrapper of a LangChain tool."""

QUIET = 1_500
"""Calls without a new error before the estimate may end the search. By the rule of three, fewer than one call in 500
would then show another (at 95 %). The estimate alone does not say so: it is lowest if each error was seen often."""

MOST_HUNG = 25
"""The search of a tool ends after this many calls that hung."""

QUICK_LIMIT = 0.3
"""Seconds that a call may take once this tool has hung three times; longer ones are sent again with the full limit."""

MOST_RETURNED = 20
SHRINK_OF_ENDED = 40
SHRINK_OF_HUNG = 10
SHRINK_OF_RETURNED = 60


@dataclass
class Found:
    """An error. ``given``: the arguments as sent, or the calls of a sequence; ``shrunk``: smaller ones that a fresh
    child confirmed. ``knows``: of a sequence whose answers contradict each other, how they were judged."""

    outcome: Outcome
    given: Any
    at_call: int
    occurrences: int = 1
    shrunk: Any = None
    shrink_calls: int = 0
    needs: list[dict[str, object]] | None = None
    before: list[dict[str, object]] = field(default_factory=list)
    documented: bool = False
    knows: Mapping[str, object] | None = None

    def as_data(self, tool: str) -> dict[str, Any]:
        """Return the finding as the parent is told of it."""
        return {
            "tool": tool, **self.outcome.as_finding(), "input": self.given, "shrunk": self.shrunk,
            "at_call": self.at_call, "occurrences": self.occurrences, "shrink_calls": self.shrink_calls,
            "needs": self.needs, "documented": self.documented, "knows": self.knows,
        }  # fmt: skip


class Fuzzing:
    """The fuzzing of one tool. ``send`` takes events."""

    def __init__(
        self,
        tool: Tool,
        host: Host | ServerHost,
        job: dict[str, Any],
        send: Callable[[dict[str, Any]], None],
    ) -> None:
        self.tool, self.host, self.job, self._send = tool, host, job, send
        self.search = Search(tool, int(job["seed"]), guided=not job.get("blind") and not tool.remote)
        self.search.use_priors((job.get("priors") or {}).get(tool.name) or {})
        self.found: dict[str, Found] = {}
        self.forms: dict[str, str] = {}
        self.calls = self.refused = self.hung = 0
        self.curve: list[tuple[int, int]] = []
        self._last_new = 0
        self._limit = float(job.get("call_limit") or 2.0)
        self._looping = 0.0

    def run(self) -> None:
        """Fuzz until the budget is spent."""
        wrong = self._violations()
        most = None if self.job.get("calls") is None else self.job["calls"] - len(wrong)
        seconds = self.job.get("seconds")
        began, paused = time.monotonic(), 0.0
        stopped = "budget"
        while most is None or self.calls < most:
            until = None if seconds is None else began + paused + float(seconds)
            if until is not None and time.monotonic() >= until:
                break
            if self.hung >= MOST_HUNG:
                stopped = "hung"
                break
            if self._is_complete():
                stopped = "complete"
                break
            size = BATCH if self.tool.reset is None else LONG_BATCH
            count = size if most is None else min(size, most - self.calls)
            new = self._batch(count, until)
            at = time.monotonic()
            for key in new:
                self._settle(key)
            paused += time.monotonic() - at
            self._progress()
        self._violate(wrong)
        self._send({
            "event": "summary", "tool": self.tool.name, "calls": self.calls, "refused": self.refused,
            "curve": self.curve, "stopped": stopped, "looping": self._looping, "occurrences": self._occurrences(),
        })  # fmt: skip

    def send_one(self, before: list[dict[str, object]], given: dict[str, object]) -> None:
        """Make one call after others in a fresh child, and send its outcome."""
        self._send({"event": "outcome", "outcome": asdict(self._after(before, given, violates=True))})

    def _violations(self) -> list[dict[str, object]]:
        """Return arguments that a server must refuse; for any other tool none."""
        if not self.tool.remote:
            return []
        from planscope.toolfuzz.mcp_tools import violations

        found = violations(self.tool.schema, self.search.generator.arguments)
        return found if self.job.get("calls") is None else found[: self.job["calls"] // 2]

    def _violate(self, several: list[dict[str, Any]]) -> None:
        """Send arguments that the schema refuses. What they show is confirmed, and not made smaller."""
        outcomes: list[Outcome] = []

        def job(channel: Channel) -> None:
            for given in several:
                try:
                    outcome = _one_call(channel, self.tool, self.host, given, details=True, violates=True)
                except Lost as lost:
                    lost.again()
                    outcome = lost.outcome
                outcomes.append(outcome)

        if not several:
            return
        self.host.run(job, lambda message: None, lambda: self._limit)
        for given, outcome in zip(several, outcomes, strict=False):
            self.calls += 1
            new: list[str] = []
            if outcome.failed:
                self._heard(outcome, given, self.calls, [], new)
            for key in new:
                if self._after([], given, violates=True).shows(key, outcome.plain):
                    self.found[key].shrunk = given
                    self._tell(key)
                else:
                    self._drop(key)
        self._progress()

    def _is_complete(self) -> bool:
        if not self.job.get("stop_early") or self.calls - self._last_new < QUIET:
            return False
        counts = [f.occurrences for f in self.found.values() if f.outcome.kind not in LISTED_ONLY]
        return chao1(len(counts), counts.count(1), counts.count(2)) - len(counts) < 0.5

    def _progress(self) -> None:
        self._send({
            "event": "progress", "tool": self.tool.name, "calls": self.calls, "refused": self.refused,
            "unique": self._unique(), "curve": self.curve, "occurrences": self._occurrences(),
        })  # fmt: skip

    def _occurrences(self) -> dict[str, int]:
        return {key: one.occurrences for key, one in self.found.items()}

    def _unique(self) -> int:
        return sum(one.outcome.kind not in LISTED_ONLY for one in self.found.values())

    # --- search ---

    def _batch(self, count: int, until: float | None) -> list[str]:
        """Send calls in one child. Return the keys of new errors."""
        start, new = self.calls, list[str]()
        search = self.search
        self.search.draw_pools()
        before = list[dict[str, object]]()

        def heard(message: dict[str, Any]) -> None:
            match message["event"]:
                case "learned":
                    search.knowledge.merge(message["news"])
                    if message["arcs"]:
                        arcs = [(file, a, b, often) for file, a, b, often in message["arcs"]]
                        search.keep(message["number"], arcs, message["given"])
                case "error":
                    outcome = Outcome(**message["outcome"])
                    self._heard(outcome, message["given"], message["number"] + 1, message["before"], new)
                case "again":
                    if message["key"] in self.found:
                        self.found[message["key"]].occurrences += 1
                case "batch":
                    self.calls = start + message["calls"]
                    self.refused += message["refused"]
                    self._looping += message["seconds"]

        end = self.host.run(
            lambda channel: _send_calls(channel, self.tool, self.host, search, start, count, until, dict(self.forms)),
            heard,
            lambda: self._limit if self.hung < 3 or self.tool.remote else min(self._limit, QUICK_LIMIT),
        )  # fmt: skip
        if end.how == "done":
            if self.calls == start:
                self.calls = start + count  # the child ended without a word: never try the same batch again
            return new
        self._ended(end, start, before, new)
        return new

    def _ended(self, end: End, start: int, before: list[dict[str, object]], new: list[str]) -> None:
        """A call hung or ended its process."""
        if end.number < 0:
            self.calls = max(self.calls, start + 1)
            why = end.outcome.message if end.outcome is not None else end.how
            self._send({
                "event": "remark", "text": f"{self.tool.name}: a process ended between two calls ({why})."
            })  # fmt: skip
            return
        if end.outcome is None:
            self.calls = end.number + 1
            return
        self.calls = end.number + 1
        given = json.loads(end.text)
        outcome = end.outcome
        if end.how == "hung":
            if self.hung >= 3 and outcome.key not in self.forms:
                again = self._alone(given)  # perhaps it is only slow
                if again.kind != "hung":
                    if again.failed:
                        self._heard(again, given, self.calls, before, new)
                    return
                outcome = again
            self.hung += 1
        self._heard(outcome, given, self.calls, before, new)

    def _heard(
        self,
        outcome: Outcome,
        given: dict[str, object],
        at: int,
        before: list[dict[str, object]],
        new: list[str],
    ) -> None:
        key = self.forms.get(outcome.plain) or self.forms.get(outcome.key)
        if key is not None:
            if key in self.found:
                self.found[key].occurrences += 1
            return
        key = outcome.key
        if (
            outcome.kind == "returned"
            and sum(f.outcome.kind == "returned" for f in self.found.values()) >= MOST_RETURNED
        ):
            return
        self.found[key] = Found(outcome, given, at, before=before)
        self.forms[outcome.plain] = self.forms[key] = key
        self._last_new = at
        new.append(key)
        if outcome.kind not in LISTED_ONLY:
            self.curve.append((at, self._unique()))
        self._tell(key)

    def _tell(self, key: str) -> None:
        self._send({"event": "finding", "key": key, "finding": self.found[key].as_data(self.tool.name)})

    # --- confirmation ---

    def _settle(self, key: str) -> None:
        """Confirm a new error in a fresh child and shrink it. One that does not come again is dropped."""
        one = self.found[key]
        if (
            self.tool.remote and one.outcome.kind == "returned"
        ):  # only listed, and a server may be slow to start
            one.shrunk = self._shrunk_in_child(one, SHRINK_OF_RETURNED)
            self._tell(key)
            return
        alone = self._alone(one.given)
        if alone.kind == "returned" and one.outcome.kind == "raised":
            one.outcome = replace(one.outcome, kind="returned")  # the tool handles its own errors
        elif not alone.shows(key, one.outcome.plain) and not alone.kind == one.outcome.kind == "hung":
            self._with_calls_before(key)
            return
        one.outcome = replace(
            one.outcome,
            message=alone.message,
            traceback=alone.traceback,
            told=alone.told,
            line=alone.line or one.outcome.line,
        )
        one.documented = one.outcome.kind == "raised" and is_documented(self.tool, one.outcome)
        one.shrunk = self._shrunk(one, alone)
        self._tell(key)

    def _shrunk(self, one: Found, wanted: Outcome) -> Any:
        most = {"returned": SHRINK_OF_RETURNED, "hung": SHRINK_OF_HUNG}.get(one.outcome.kind, MOST_CALLS)
        ended = one.outcome.exception is None and one.outcome.kind in ("killed", "hung")
        if self.tool.remote and one.outcome.kind in ("killed", "hung"):
            best = self._shrunk_in_child(one, min(most, SHRINK_OF_ENDED))
        elif ended:
            quick = min(self._limit, QUICK_LIMIT)
            shrinker = Shrinker(
                one.given, lambda given: _same(self._alone(given, quick), wanted), min(most, SHRINK_OF_ENDED)
            )
            best = shrinker.run()
            one.shrink_calls = shrinker.calls
        else:
            best = self._shrunk_in_child(one, most)
        final = self._alone(best)
        if _same(final, wanted):
            one.outcome = replace(
                one.outcome, message=final.message, traceback=final.traceback, told=final.told
            )
            return best
        return one.given

    def _shrunk_in_child(self, one: Found, most: int) -> Any:
        """Shrink in one child; if a call ends it, take the smallest input so far."""
        best, outcome = [one.given], one.outcome

        def heard(message: dict[str, Any]) -> None:
            if message["event"] == "smaller":
                best[0] = message["given"]
            if message["event"] in ("smaller", "shrunk"):
                one.shrink_calls = message["calls"]

        def job(channel: Channel) -> None:
            def fails(given: dict[str, object]) -> bool:
                try:
                    return _same(_one_call(channel, self.tool, self.host, given, details=False), outcome)
                except Lost as lost:
                    lost.again()
                    return _same(lost.outcome, outcome)

            shrinker = Shrinker(
                one.given,
                fails,
                most,
                lambda b: channel.send({"event": "smaller", "given": b, "calls": shrinker.calls}),
            )
            shrinker.run()
            channel.send({"event": "shrunk", "calls": shrinker.calls})

        quick = min(self._limit, QUICK_LIMIT) if one.outcome.kind == "hung" else self._limit
        self.host.run(job, heard, lambda: quick)
        return best[0]

    def _with_calls_before(self, key: str) -> None:
        """An error that a fresh child does not show: keep it with the calls before it, or drop it."""
        one = self.found[key]
        before = one.before
        if before and _same(self._after(before, one.given), one.outcome):
            size = len(before) // 2
            tries = 0
            while size and tries < 24:
                start = 0
                while start < len(before) and tries < 24:
                    fewer = before[:start] + before[start + size :]
                    tries += 1
                    if _same(self._after(fewer, one.given), one.outcome):
                        before = fewer
                    else:
                        start += size
                size //= 2
            one.needs = before
            one.shrink_calls = tries
            one.documented = is_documented(self.tool, one.outcome)
            self._tell(key)
            return
        self._drop(key)

    def _drop(self, key: str) -> None:
        one = self.found.pop(key)
        self.curve = [point for point in self.curve if point[0] < one.at_call] + [
            (at, unique - 1) for at, unique in self.curve if at > one.at_call
        ]
        self._send({"event": "dropped", "key": key, "tool": self.tool.name})

    def _alone(self, given: dict[str, object], limit: float | None = None) -> Outcome:
        """Return the outcome of one call in a fresh child, made as an agent makes it."""
        return self._after([], given, limit)

    def _after(
        self,
        before: list[dict[str, object]],
        given: dict[str, object],
        limit: float | None = None,
        violates: bool = False,
    ) -> Outcome:
        """Return the outcome of a call after others in a fresh child. ``violates``: a server's schema may refuse it."""
        answers: list[Outcome] = []

        def job(channel: Channel) -> None:
            for one in before:
                _one_call(channel, self.tool, self.host, one, details=False)
            outcome = _one_call(
                channel, self.tool, self.host, given, details=True, invoke=not before, violates=violates
            )
            channel.send({"event": "outcome", "outcome": asdict(outcome)})

        def heard(message: dict[str, Any]) -> None:
            if message["event"] == "outcome":
                answers.append(Outcome(**message["outcome"]))

        end = self.host.run(job, heard, lambda: limit or self._limit)
        if end.outcome is not None:
            return end.outcome
        return answers[0] if answers else OK


def _same(one: Outcome, other: Outcome) -> bool:
    return one.shows(other.key, other.plain)


# --- in the child ---


def _one_call(
    channel: Channel,
    tool: Tool,
    host: Host | ServerHost,
    given: dict[str, object],
    *,
    details: bool,
    invoke: bool = False,
    violates: bool = False,
) -> Outcome:
    """Make one call without taint."""
    text = json.dumps(given)
    if tool.reset is not None:
        tool.reset()
    channel.begin(0, text)
    try:
        bound = tool.bind(json.loads(text))
    except Refused:
        if not (violates and tool.remote):
            channel.end()
            return REFUSED
        bound = json.loads(text)
    _, outcome = channel.judged(
        lambda: tool.invoke(json.loads(text)) if invoke else call(tool, bound), given, host.places, details
    )
    channel.end()
    told = channel.told.take()
    if details and told:
        outcome = replace(outcome, told=host.places.clean(told))
    return outcome


def _send_calls(
    channel: Channel,
    tool: Tool,
    host: Host | ServerHost,
    search: Search,
    start: int,
    count: int,
    until: float | None,
    known: dict[str, str],
) -> None:
    """Send a batch of calls in this child, and tell what is new."""
    places, watch, knowledge = host.places, channel.watch, search.knowledge
    coverage = Coverage(places.own)
    if search.guided:
        taint.watch(
            [vars(m) for m in list(sys.modules.values()) if places.own(getattr(m, "__file__", None) or "")]
        )
        channel.kept = Kept()
    batch: list[str] = []
    refused = made = 0
    search.begin(start)
    bind, function, reset, is_async = tool.bind, tool.function, tool.reset, tool.is_async
    began = time.process_time()
    for number in range(start, start + count):
        if until is not None and time.monotonic() >= until:
            break
        given, text = search.draw(number)
        if reset is not None:
            reset()
        channel.begin(number, text)
        made += 1
        try:
            bound = bind(given)
        except Refused:
            refused += 1
            channel.end()
            continue
        except Exception:  # a validator of the tool's own that fails otherwise
            refused += 1
            channel.end()
            continue
        if search.carries_taint(number):
            bound = {k: taint.taint(v, knowledge.node(k)) if k in given else v for k, v in bound.items()}
        measured = search.is_measured(number)
        outcome = OK
        try:
            if measured:
                coverage.start()
            try:
                answer = call(tool, bound) if is_async else function(**bound)
                if not is_async and hasattr(answer, "__await__"):
                    answer = call(tool, bound)
            finally:
                channel.kept.restore()
                arcs = coverage.stop() if measured else None
            if watch.refusals or type(answer) is not str or answer[:1] in _MAY_BE_ERROR:
                outcome = answered(answer, given, places, watch.refusals)
        except Lost:
            raise
        except BaseException as error:
            channel.kept.restore_all()
            outcome = raised(error, given, places, watch.refusals, False)
            if outcome.key not in known and outcome.plain not in known:
                outcome = raised(error, given, places, watch.refusals, True)
        if outcome is OK and tool.wrapped and number % INVOKED == INVOKED - 1:
            outcome = _of_wrapper(channel, tool, places, text)
        channel.end()
        new = search.reached(number, arcs, json.loads(text)) if arcs and not arcs <= search.arcs else []
        if new or knowledge.news:
            channel.send({
                "event": "learned", "news": knowledge.news, "arcs": new, "given": json.loads(text), "number": number
            })  # fmt: skip
            knowledge.news.clear()
        if outcome is not OK and outcome.failed:
            key = known.get(outcome.plain) or known.get(outcome.key)
            if key is not None:
                channel.send({"event": "again", "key": key})
            else:
                known[outcome.key] = known[outcome.plain] = outcome.key
                before = [json.loads(one) for one in batch] if reset is None else []
                channel.send(
                    {
                        "event": "error",
                        "number": number,
                        "given": json.loads(text),
                        "outcome": asdict(outcome),
                        "before": before,
                    }
                )
        if reset is None:
            batch.append(text)
    channel.send(
        {"event": "batch", "calls": made, "refused": refused, "seconds": time.process_time() - began}
    )


def _of_wrapper(channel: Channel, tool: Tool, places: Places, text: str) -> Outcome:
    """Make a call again through the tool's wrapper. Return what the wrapper itself raises, such as on an answer of a
    wrong shape."""
    try:
        tool.invoke(json.loads(text))
    except BaseException as error:
        channel.kept.restore_all()
        outcome = raised(error, json.loads(text), places, channel.watch.refusals, True)
        return outcome if outcome.location is None else OK
    channel.kept.restore()
    return OK


_MAY_BE_ERROR = frozenset("ET \t\n\r")
