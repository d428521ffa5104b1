"""One run, one judgement: a trace and the session that is imported from it are judged alike through every door.

``python -m tests.rules.same_everywhere 5000 [SEED]`` compares random pairs of a trace and rules. It also counts what
the pairs had: a comparison of runs without calls, or without anything unknown, would show nothing.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from planscope.case import judge, judge_by
from planscope.cause.find import add_cause
from planscope.cause.told import cause_of
from planscope.oracle.trace import Item, Mark, Said, Tool, ToolCall, Trace
from planscope.oracle.verdict_types import Blame
from planscope.rules.beside import judged_trace
from planscope.rules.in_session import read_text, with_rules
from planscope.rules.many import check_traces
from planscope.rules.names import tools_of
from planscope.rules.report import Checked, CheckOptions
from planscope.rules.rule import RuleFile
from planscope.session.model import Run, Session
from planscope.session.store import dumps, loads
from planscope.session.traces import session_of
from planscope.wording.explain import explain_verdict

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

# the doors --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judgement:
    """What one door says of a run. A field is None if the door does not say it."""

    verdict: str | None = None
    reason: str | None = None
    """Why the run is said to have ended early, "" if it did not."""
    rules: tuple[str, ...] | None = None
    """What became of each rule."""
    words: str | None = None
    """What is said of a verdict, unless the run is lost: some doors say where, and what to change."""
    violation: tuple[Any, ...] | None = None
    """The first lost step, with the rules and the steps of its core; empty if no step is lost."""
    states: tuple[str, ...] | None = None
    lost: int | None = None
    """The index of the first lost step, -1 if there is none."""
    safe: tuple[frozenset[str], ...] | None = None
    cause: tuple[Blame | None] | None = None
    """What is most likely to blame, or None in a tuple if that was not sought."""


@dataclass
class Pair:
    """A trace and rules, and the same trace as a run of a session that was written and read again."""

    trace: Trace
    text: str

    @cached_property
    def session(self) -> Session:
        return loads(dumps(session_of([self.trace])))

    def by(self, text: str) -> Pair:
        """The same trace and session with other rules."""
        made = Pair(self.trace, text)
        made.session = self.session
        return made

    @property
    def run(self) -> Run:
        return self.session.runs[-1]

    @property
    def file(self) -> RuleFile:
        return read_text(self.text, frozenset(tools_of([self.trace])))

    @cached_property
    def replayed(self) -> Replay:
        session = with_rules(self.session, self.text)
        return judge(session, session.runs[-1]).replay


def _checked(pair: Pair, checked: Checked) -> Judgement:
    cause = (_named(checked.cause),)
    why = checked.why
    core = None if why is None else () if why.step is None else (why.step, why.rules, why.steps)
    words = _words(pair, checked.verdict, checked.explanation)
    rules = tuple(one.state for one in checked.results)
    return Judgement(checked.verdict, checked.reason or "", rules, words, core, cause=cause)


def _named(cause: Blame | None) -> Blame | None:
    """A cause without its words: a file's rule has a number in them, a session's its text."""
    if cause is None:
        return None
    chain = tuple(replace(link, what="") for link in cause.chain)
    return replace(cause, reasons=("",) * len(cause.reasons), chain=chain, label="")


def _words(pair: Pair, verdict: str, words: str) -> str | None:
    lost = verdict != "unknown" and pair.replayed.first_doomed is not None
    return None if verdict == "wrong" or lost else words


def _stepped(run: Replay) -> Judgement:
    by_id = run.problem.action_by_id
    states = tuple(view.state for view in run.steps)
    safe = tuple(
        frozenset(by_id[m.action].tool if m.action in by_id else m.action for m in run.safe_moves(view.index))
        for view in run.steps
    )
    return Judgement(states=states, lost=_lost(states), safe=safe)


def _lost(states: tuple[str, ...]) -> int:
    return next((k for k, state in enumerate(states) if state in ("doomed", "broken")), -1)


def check_trace(pair: Pair) -> Judgement:
    """``check TRACE --rules``."""
    (found,) = check_traces([pair.trace], pair.file, CheckOptions())
    add_cause(found, pair.file)
    return _checked(pair, found.checked)


def replay_trace(pair: Pair) -> Judgement:
    """``replay TRACE --rules``."""
    return _stepped(judged_trace(pair.file, pair.trace))


def check_session(pair: Pair) -> Judgement:
    """``check SESSION --rules``."""
    return _checked(pair, judge_by(pair.session, pair.run, pair.file))


def replay_session(pair: Pair) -> Judgement:
    """``replay SESSION --rules``."""
    return _stepped(judge(pair.session, pair.run, pair.file).replay)


def own_rules(pair: Pair) -> Judgement:
    """``check SESSION`` and ``replay SESSION``, with the rules as the session's own."""
    verdict = pair.replayed.verdict()
    first = verdict.first_violation
    violation = () if first is None else (first.step, first.core.constraints, first.core.steps)
    said = None if verdict.verdict != "wrong" else violation
    return replace(
        _stepped(pair.replayed),
        verdict=verdict.verdict,
        reason=verdict.reason or "",
        words=_words(pair, verdict.verdict, explain_verdict(pair.replayed, verdict)),
        violation=said,
        cause=(_named(cause_of(pair.replayed, verdict)),),
    )


DOORS: Mapping[str, Callable[[Pair], Judgement]] = {
    "check TRACE --rules": check_trace,
    "replay TRACE --rules": replay_trace,
    "check SESSION --rules": check_session,
    "replay SESSION --rules": replay_session,
    "SESSION": own_rules,
}
"""Every way to ask for a judgement. A door that is added here is compared with all others."""


def differences(pair: Pair) -> list[str]:
    """Return one line for each field that two doors do not answer alike."""
    said = {name: door(pair) for name, door in DOORS.items()}
    found = []
    for field in fields(Judgement):
        answers = {
            name: value for name, one in said.items() if (value := getattr(one, field.name)) is not None
        }
        if len(set(answers.values())) > 1:
            found.append(f"{field.name}: {answers}")
    return found


# random traces and rules ------------------------------------------------------------------------------------------

RULES = """\
get_order comes before cancel_order.
get_order comes before cancel_order for the same order_id.
get_order comes before refund per order_id.
Every refund has its own get_order before it.
Every cancel_order is followed by notify.
Every cancel_order is followed by notify per order_id.
refund happens right after get_order.
Every get_order is followed right away by refund.
Every cancel_order is followed by notify within 2 calls.
Every cancel_order is followed by notify within 30 seconds.
Every get_order is followed by refund within 5 seconds per order_id.
get_order happens.
refund happens at most 1 time.
refund happens at most 1 time per order_id.
get_order happens exactly 2 times.
refund never happens.
refund with amount > 100 never happens.
cancel_order never happens after refund.
cancel_order never happens after refund per order_id.
If cancel_order happens, refund never happens.
If cancel_order happens, notify happens.
get_order happens first.
notify happens last.
The first call is get_order.
The last call is notify.
refund only if the latest get_order had status = "ok".
refund only if the latest get_order for the same order_id had status = "ok".
cancel_order only if the latest get_order had answer.amount >= 100.
refund never happens after get_order that failed.
get_order that succeeded comes before refund.
Every refund that failed is followed by notify.
get_order by planner comes before refund.
refund by writer never happens.
cancel_order by shop never happens.
cancel_order by `openai-chat` never happens.
Every cancel_order is followed by any call of notify_*.
Every refund is followed by any call of archive_*.
any call of get_* comes before any call of cancel_*.
a user message comes before refund.
a user message with text containing "yes" comes before cancel_order.
Every refund is followed by a user message.
cancel_order happens right after a user message.
any call happens at most 6 times.
get_order with status is missing never happens.
refund.amount is at most the latest get_order's amount.
refund.amount in dollars is at most the latest get_order's amount, for the same order_id.
refund only with amount below an earlier get_order's amount.
cancel_order only with order_id among the latest get_order's ids.
refund only with amount other than amount of the latest get_order that succeeded.
refund only if the latest user message contains "yes".
cancel_order only if the latest assistant message has a word of ["see"].
notify only with order_id part of the latest user message.
Only one call at a time.
At most two calls of get_order in a message.
No call in the same message as an assistant message.
""".splitlines()

TOOLS = ("get_order", "cancel_order", "refund", "notify", "write_log")
ANSWERS = (
    '{"status": "ok", "amount": 120}',
    '{"status": "bad"}',
    '{"status": "ok"}',
    "Error: busy",
    "done",
    "",
)
SCHEMA = {"type": "object", "properties": {"order_id": {}, "amount": {"type": "number"}}}
ENDS: tuple[tuple[str, str | None], ...] = (
    *[("stopped", None)] * 7,
    *[("aborted", "cut_off")] * 2,
    ("aborted", "model"),
    ("timeout", None),
)


def random_pair(random: Random) -> Pair:
    text = "\n".join(random.sample(RULES, random.choice((1, 1, 2, 2, 3))))
    return Pair(random_trace(random), text)


def random_trace(random: Random) -> Trace:
    """A trace that leaves out what traces leave out: answers, agents, times, definitions, arguments, marks."""
    names = random.choice(((None,), (None,), ("planner", "writer"), (None, "planner")))
    timed = random.choice(("no", "no", "all", "some"))
    least = random.choice((0.0, 0.0, 0.3))
    made: list[Item] = []
    message, now, step = 0, 0.0, 0

    def at() -> float | None:
        nonlocal now
        now += random.choice((0.0, 1.0, 4.0, 20.0))
        return now if timed == "all" or (timed == "some" and random.random() < 0.6) else None

    if random.random() < 0.3:
        made.append(Said("system", "Be kind.", message, at()))
        message += 1
    if random.random() < 0.8:
        made.append(Said("user", random.choice(("Refund order 1.", "")), message, at()))
        message += 1
    for _ in range(random.choice((0, 1, 2, 2, 3, 3, 4, 5))):
        if random.random() < 0.2:
            made.append(Said("user", random.choice(("yes", "no, wait")), message, at()))
            message += 1
        if random.random() < 0.1:
            kind = random.choice(("compacted", "handoff", "error"))
            made.append(Mark(kind, "something else", message, at()))
            message += random.choice((0, 1))
        if random.random() < 0.3:
            made.append(Said("model", "Let me see.", message, at(), random.choice(names)))
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            step += 1
            made.append(_call(random, step, message, random.choice(names), at(), least))
        message += 1
    if random.random() < 0.2:
        made.append(Said("user", "yes", message, at()))
    ending, cause = random.choice(ENDS)
    known = random.choice(((), (), TOOLS, TOOLS[:2], ("get_order", "archive_it")))
    tools = {name: Tool(name, None, random.choice((None, SCHEMA))) for name in known}
    if ending == "timeout" and random.random() < 0.5:
        made = [item for item in made if not isinstance(item, ToolCall)]
    return Trace(
        made,
        ending,
        "line 9: it is not JSON" if cause else None,
        cause,
        tools,
        id="t",
        format=random.choice(("openai-chat", "test")),
        agent=random.choice((None, None, "shop", "planner")),
        started=1.7e9 if timed != "no" and random.random() < 0.8 else None,
        reward=random.choice((None, None, 0.0, 1.0)),
    )


def _call(
    random: Random, step: int, message: int, agent: str | None, at: float | None, least: float
) -> ToolCall:
    given: dict[str, Any] | None = {}
    if random.random() < 0.8:
        given["order_id"] = random.choice((1, 1, 2, "1", None))
    if random.random() < 0.4:
        given["amount"] = random.choice((50, 150, 1e6, "150"))
    if random.random() < 0.06:
        given = None
    call = ToolCall(
        tool=random.choice((*TOOLS, "get_order", "refund")),
        arguments=given,
        step=step,
        message=message,
        agent=agent,
        at=at,
        call_id=random.choice((None, f"c{step}", "c1")),
    )
    if random.random() < 0.1:
        return call
    call.answered = True
    call.answer = None if random.random() < least else random.choice(ANSWERS)
    call.refused = random.random() < 0.07
    if call.refused:
        call.failed = False
    elif call.answer is None:
        call.failed = random.choice((None, None, True, False))
    else:
        call.failed, call.guessed = call.answer.startswith("Error"), random.random() < 0.5
    return call


# many of them -----------------------------------------------------------------------------------------------------


def traits(pair: Pair) -> Iterator[str]:
    """Yield what a pair has that a comparison of judgements can be wrong about."""
    trace, said = pair.trace, check_trace(pair)
    calls = trace.calls
    if calls:
        yield "a call"
    if any(a.message == b.message for a, b in pairwise(calls)):
        yield "parallel calls"
    if any(one.answered and one.answer is None for one in calls):
        yield "an answer that was not captured"
    if any(one.refused for one in calls):
        yield "a refused call"
    if any(one.at is None for one in trace.items) and any(one.at is not None for one in trace.items):
        yield "times for some"
    if not trace.tools and calls:
        yield "tools that nothing defines"
    if trace.cause is not None:
        yield "an early end"
    assert said.rules is not None
    if "unknown" in said.rules:
        yield "an unknown rule"
    if "broken" in said.rules:
        yield "a broken rule"
    if said.cause != (None,):
        yield f"a cause is sought in a run that is {said.verdict}"
    if replay_trace(pair).lost not in (-1, len(calls) + 1):
        yield "a lost step before the end"
    yield f"verdict {said.verdict}"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    had: Counter[str] = Counter()
    differ = 0
    for seed in range(first, first + count):
        pair = random_pair(Random(seed))
        had.update(traits(pair))
        found = differences(pair)
        differ += bool(found)
        if found and differ <= 20:
            sys.stdout.write(f"seed {seed}\n  {pair.text!r}\n  " + "\n  ".join(found) + "\n")
    sys.stdout.write(f"{count:,} pairs through {len(DOORS)} doors: {differ:,} differ\n")
    for name, number in sorted(had.items()):
        sys.stdout.write(f"  {number:>6,}  {name}\n")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
