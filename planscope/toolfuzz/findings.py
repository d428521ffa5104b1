"""The errors of one search: each is confirmed by a program of calls in a fresh child, and made smaller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from planscope.toolfuzz.coverage import Coverage
from planscope.toolfuzz.documented import is_documented
from planscope.toolfuzz.host import Channel
from planscope.toolfuzz.mcp_process import PATIENCE, address_of
from planscope.toolfuzz.outcome import LISTED_ONLY, Call, Made, Outcome, forms_of
from planscope.toolfuzz.programs import Stage
from planscope.toolfuzz.shrink import MOST_CALLS, Shrinker

MOST_RETURNED = 20
SHRINK_OF_SEQUENCE = 120
SHRINK_OF_ENDED = 40
SHRINK_OF_HUNG = 10
SHRINK_OF_RETURNED = 60
SHRINK_OF_NEEDS = 25
"""Limits of programs for making one finding smaller."""

QUICK_LIMIT = 0.3
"""Seconds that a call may take once this tool has hung three times; longer ones are sent again with the full limit."""

Shows = Callable[[Sequence[Made]], Outcome | None]
"""Says which outcome of a played program shows the error; None: none does."""


@dataclass
class Found:
    """An error while it is settled. ``finding``: the fields of a ``FuzzFinding``; ``outcome``: as it was first;
    ``calls``: its program; ``before``: arguments that its child was sent before."""

    finding: dict[str, Any]
    outcome: Outcome
    calls: Sequence[Call]
    shows: Shows
    before: Sequence[dict[str, object]] = ()

    def change(self, **fields: object) -> None:
        self.finding |= fields

    def take(self, again: Outcome) -> None:
        """Say what the confirming call said. What the tool's own wrapper turned into an answer is *returned*."""
        told = again.as_finding()
        fields = {name: told[name] for name in ("message", "traceback", "printed")}
        kind = again.kind if again.kind == "returned" else self.finding["kind"]
        self.change(**fields, source=again.line or self.finding["source"], kind=kind)


class Findings:
    """The errors by key. ``sequences``: their input is the whole program, else the arguments of its one call.

    ``forms``: keys under which an error is known, also of those that were dropped. ``curve``: call and number of errors
    at each new one.
    """

    def __init__(self, stage: Stage, send: Callable[..., None], *, sequences: bool = False) -> None:
        self.stage, self._send, self.sequences = stage, send, sequences
        self.found: dict[str, Found] = {}
        self.forms: dict[str, str] = {}
        self.occurrences: Counter[str] = Counter()
        self.curve: list[tuple[int, int]] = []

    def heard(
        self,
        outcome: Outcome,
        calls: Sequence[Call],
        at: int,
        *,
        tool: str = "",
        before: Sequence[dict[str, object]] = (),
        shows: Shows | None = None,
        knows: Mapping[str, object] | None = None,
    ) -> str | None:
        """Count an error that the last of these calls showed. Return its key if it is new.

        ``at``: the call's number; ``tool``: to blame, if it is not the last one.
        """
        tool = tool or calls[-1]["tool"]
        forms = forms_of(tool, outcome, calls[-1]["arguments"])
        key = next((self.forms[form] for form in forms if form in self.forms), None)
        if key is not None:
            self.occurrences[key] += 1
            return None
        returned = sum(one.finding["kind"] == "returned" for one in self.found.values())
        if outcome.kind == "returned" and returned >= MOST_RETURNED:
            return None
        key = f"sequence\x1f{forms[-1]}" if self.sequences else forms[-1]
        given = list(calls) if self.sequences else calls[-1]["arguments"]
        self.found[key] = Found(
            {"tool": tool, **outcome.as_finding(), "input": given, "at_call": at, "knows": knows},
            outcome,
            calls,
            shows or self._shows(tool, outcome),
            before,
        )
        self.forms.update(dict.fromkeys(forms, key))
        self.occurrences[key] = 1
        if outcome.kind not in LISTED_ONLY:
            self.curve.append((at, self.unique))
        self.tell(key)
        return key

    def _shows(self, tool: str, outcome: Outcome) -> Shows:
        def shows(made: Sequence[Made]) -> Outcome | None:
            several = made if self.sequences else made[-1:]
            same = (one.outcome for one in several if one.tool == tool and one.outcome.same(outcome))
            return next(same, None)

        return shows

    @property
    def unique(self) -> int:
        return sum(one.finding["kind"] not in LISTED_ONLY for one in self.found.values())

    def counts(self) -> dict[str, int]:
        return {key: self.occurrences[key] for key in self.found}

    def tell(self, key: str) -> None:
        one = self.found[key]
        one.change(occurrences=self.occurrences[key])
        self._send("finding", key=key, finding=one.finding)

    def drop(self, key: str) -> None:
        """Forget an error that does not come again. It is not reported when it is seen later."""
        one = self.found.pop(key).finding
        self.curve = [
            (at, unique - (at > one["at_call"])) for at, unique in self.curve if at != one["at_call"]
        ]
        self._send("dropped", key=key, tool=one["tool"])

    # --- settling ---

    def settle(self, key: str) -> None:
        """Confirm an error by its program in a fresh child, and make it smaller."""
        one = self.found[key]
        agent = not self.sequences
        # A server may be slow to start: only what is smallest is confirmed, once.
        warm = self._remote and agent
        again = one.outcome
        if not warm:
            made = self.stage.play(one.calls, agent=agent)
            shown = one.shows(made) or self._nearly(one, made)
            if shown is None:
                self._with_calls_before(key)
                return
            one.take(again := shown)
        raises, tool = one.finding["kind"] == "raised", self.stage.tools[one.finding["tool"]]
        best, calls = self._smaller(one)
        one.change(
            documented=raises and is_documented(tool, one.outcome, partial(self._needs_empty, one, best))
        )
        one.change(shrunk=best, shrink_calls=calls)
        if not (warm and one.outcome.kind == "returned"):  # which is only listed
            # Nobody sees how busy a server elsewhere is.
            patient = one.outcome.kind == "hung" and address_of(tool.target) is not None
            limit = self.stage.limit * PATIENCE if patient else None
            made = self.stage.play(self._program(one, best), limit, agent=agent)
            final = one.shows(made) or next((m.outcome for m in made[-1:] if m.outcome.same(again)), None)
            if final is None:  # what is smaller needs the calls before it, or hung only for less time
                one.change(shrunk=one.finding["input"])
                final = one.shows(self.stage.play(one.calls, limit, agent=agent)) if warm else again
            if final is None:
                one.change(shrunk=None, shrink_calls=0)
                self._with_calls_before(key)
                return
            one.take(final)
        one.change(branches=self._branches(self._program(one, one.finding["shrunk"])))
        self.tell(key)

    def confirm(self, key: str) -> None:
        """Confirm an error of arguments that the schema may refuse, and leave them as they are."""
        one = self.found[key]
        if one.shows(replace(self.stage, violates=True).play(one.calls)) is None:
            self.drop(key)
            return
        one.change(shrunk=one.finding["input"])
        self.tell(key)

    def _branches(self, calls: Sequence[Call]) -> int | None:
        """Return how many branches of the tools' code a program takes; None if they are not seen, or a call ends it."""
        taken: list[int] = []

        def job(channel: Channel) -> None:
            coverage = Coverage(
                lambda file: any(self.stage.places(name).own(file) for name in self.stage.tools)
            )
            coverage.start()
            for _ in self.stage.perform(channel, calls):
                pass
            channel.send("taken", branches=len(coverage.stop()))

        if not self._remote:
            self.stage.host.run(job, lambda event, branches: taken.append(branches), lambda: self.stage.limit)
        return taken[0] if taken else None

    @property
    def _remote(self) -> bool:
        return any(one.remote for one in self.stage.tools.values())

    def _nearly(self, one: Found, made: Sequence[Made]) -> Outcome | None:
        """Return what a call came to as an agent makes it, if it is the same error though its key is another: the
        tool's wrapper answers with its own errors, and where a call hangs differs."""
        kinds = (one.outcome.kind, made[-1].kind if made else "")
        return made[-1].outcome if kinds in (("raised", "returned"), ("hung", "hung")) else None

    def _needs_empty(self, one: Found, given: object, name: str) -> bool:
        """Return whether an argument is zero or empty in the smallest input, and must be for the error."""
        if not isinstance(given, dict) or given.get(name) not in (0, "", [], {}):
            return False
        fuller = {**given, name: "a" if given[name] == "" else 1}
        return one.shows(self.stage.play(self._program(one, fuller))) is None

    def _program(self, one: Found, given: object) -> list[Call]:
        """Return the program of an input, none if it is not one."""
        several = given if self.sequences else [{"tool": one.finding["tool"], "arguments": given}]
        calls = several if isinstance(several, list) else []
        whole = all(
            isinstance(call, dict)
            and call.get("tool") in self.stage.tools
            and isinstance(call.get("arguments"), dict)
            for call in calls
        )
        return calls if whole else []

    def _smaller(self, one: Found) -> tuple[object, int]:
        """Return the smallest input that still shows the error, and how many programs that took."""
        kind = one.outcome.kind
        most = {"returned": SHRINK_OF_RETURNED, "hung": SHRINK_OF_HUNG}.get(kind, MOST_CALLS)
        ended = kind in ("killed", "hung") and (one.outcome.exception is None or self._remote)
        most = SHRINK_OF_SEQUENCE if self.sequences else min(most, SHRINK_OF_ENDED) if ended else most
        fresh = self.sequences or (ended and not self._remote)
        limit = min(self.stage.limit, QUICK_LIMIT) if fresh or kind == "hung" else self.stage.limit
        if not fresh:
            return self._smaller_in_child(one, most, limit)

        def fails(given: object) -> bool:
            calls = self._program(one, given)
            return bool(calls) and one.shows(self.stage.play(calls, limit)) is not None

        shrinker = Shrinker(one.finding["input"], fails, most)
        return shrinker.run(), shrinker.calls

    def _smaller_in_child(self, one: Found, most: int, limit: float) -> tuple[object, int]:
        """Make a single call smaller in one child; if a call ends it, take the smallest input so far."""
        so_far: list[tuple[object, int]] = [(one.finding["input"], 0)]

        def job(channel: Channel) -> None:
            def fails(given: object) -> bool:
                [call] = self._program(one, given)
                return one.shows([self.stage.perform_one(channel, call)]) is not None

            def better(given: object) -> None:
                channel.send("smaller", given=given, calls=shrinker.calls)

            shrinker = Shrinker(one.finding["input"], fails, most, better)
            better(shrinker.run())

        self.stage.host.run(
            job, lambda event, given, calls: so_far.append((given, calls)), lambda: limit, warm=True
        )
        return so_far[-1]

    def _with_calls_before(self, key: str) -> None:
        """An error that a fresh child does not show: keep it with the calls before it, or drop it."""
        one = self.found[key]

        def fails(before: object) -> bool:
            several = before if isinstance(before, list) else []
            calls = [call for given in several for call in self._program(one, given)]
            return len(calls) == len(several) and one.shows(self.stage.play([*calls, *one.calls])) is not None

        if (
            self.stage.host.is_gone
        ):  # nobody can say whether it comes again: it ended a server that does not start anew
            self.tell(key)
            return
        if not one.before or not fails(list(one.before)):
            self.drop(key)
            return
        shrinker = Shrinker(list(one.before), fails, SHRINK_OF_NEEDS)
        one.change(needs=shrinker.run(), shrink_calls=shrinker.calls)
        self.tell(key)
