"""Runs to debug: one built by hand without an oracle, and judged ones of every shape."""

from __future__ import annotations

from hypothesis import strategies as st

from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import RESTART_TOOL, ToolCall, Trace
from planscope.oracle.verdict_types import Core, Finding, Status, StepNo, StepView, Verdict


def order(id: str, before: str, after: str) -> Constraint:
    return Constraint(id, "order", f"{before} < {after}", before=before, after=after)


class HandMade:
    """What the debugger needs of a replay, said step by step. It counts how often it is asked for counts."""

    def __init__(
        self,
        problem: Problem,
        steps: list[StepView],
        statuses: dict[str, str],
        counts: list[int | None],
        findings: tuple[Finding, ...] = (),
    ) -> None:
        self.problem = problem
        self.steps = tuple(steps)
        self.trace = Trace(tuple(view.call for view in steps if view.call))
        self._statuses = statuses
        self._counts = counts
        self._findings = findings
        self.asked: list[int] = []

    def status(self, constraint_id: str, index: int) -> Status:
        known: dict[str, Status] = {"h": "holds", "o": "open", "b": "broken"}
        return known[self._statuses[constraint_id][index]]

    def valid_completions(self, index: int) -> int | None:
        self.asked.append(index)
        return self._counts[index]

    def verdict(self) -> Verdict:
        return Verdict("wrong" if self._findings else "right", None, self._findings, None)


def hand_made() -> HandMade:
    """Actions a1 to a4; a1 < a2, a3 < a4, a2 < a4. The run a1, a2, ghost, a4, a3: broken at step 4."""
    problem = Problem(
        make_actions(["first task", "second task", "third task", "fourth task"]),
        (order("c1", "a1", "a2"), order("c2", "a3", "a4"), order("c3", "a2", "a4"), *rules(False)),
    )
    core = Core(("c2",), (4,))
    ghost = Finding("act_error", 3, severity="warning")
    broken = Finding("order_error", 4, ("c2",), actions=("a3", "a4"))

    def view(
        step: StepNo,
        index: int,
        tool: str | None,
        action: str | None,
        changed: tuple[str, ...],
        *findings: Finding,
    ) -> StepView:
        lost = index >= 4
        return StepView(
            step,
            index,
            1,
            ToolCall(tool) if tool else None,
            action,
            None,
            None,
            "broken" if lost else "completable",
            changed,
            core if lost else None,
            findings,
        )

    steps = [
        view(0, 0, None, None, ()),
        view(1, 1, "first_task", "a1", ("c1",)),
        view(2, 2, "second_task", "a2", ("c3",)),
        view(3, 3, "ghost", None, (), ghost),
        view(4, 4, "fourth_task", "a4", ("c2",), broken),
        view(5, 5, "third_task", "a3", ("b2",)),
        view("end", 6, None, None, ("b1",)),
    ]
    statuses = {"c1": "ohhhhhh", "c2": "oooobbb", "c3": "oohhhhh", "b1": "ooooooh", "b2": "ooooohh"}
    return HandMade(problem, steps, statuses, [None, 2, 1, 1, 0, 0, 0], (broken, ghost))


@st.composite
def judged(draw: st.DrawFn) -> Replay:
    """Any run of the base language, with refused calls, repetitions and contradictory texts among them."""
    size = draw(st.integers(1, 5))
    actions = make_actions([f"task {i}" for i in range(size)])
    ids = st.sampled_from([action.id for action in actions])
    pairs = draw(st.lists(st.tuples(ids, ids), max_size=7))
    said = tuple(order(f"c{i}", a, b) for i, (a, b) in enumerate(pairs, 1))
    tools = st.sampled_from([*(action.tool for action in actions), "ghost"])
    calls = draw(st.lists(tools, max_size=8))
    ending = draw(st.sampled_from(["stopped", "running", "call_limit", "aborted"]))
    return replay(Problem(actions, (*said, *rules(False))), Trace(tuple(map(ToolCall, calls)), ending))


def figure_10() -> Replay:
    """The paper's Figure 10, with a restart before it and what the agent did wrong there."""
    actions = make_actions(
        ["sanitizing tools", "applying hair color", "attending training sessions"], [1, 2, 2]
    )
    said = (
        Constraint("c1", "start_at_least", "a3.start >= 10", action="a3", hour=10),
        Constraint("c2", "order", "a2.end <= a1.start", before="a2", after="a1"),
        Constraint("c3", "order", "a2.end <= a3.start", before="a2", after="a3"),
        Constraint("c4", "order", "a3.end <= a1.start", before="a3", after="a1"),
        Constraint("c5", "start_at_least", "a1.start >= 18", action="a1", hour=18),
        Constraint("c6", "end_at_most", "a3.end <= 12", action="a3", hour=12),
    )
    calls = (
        ToolCall("sanitizing_tools", {"start_time": 18}),
        ToolCall(RESTART_TOOL, {}),
        ToolCall("attending_training_sessions", {"start_time": 10}),
        ToolCall("applying_hair_color", {"start_time": 8}),
        ToolCall("sanitizing_tools", {"start_time": 18}),
    )
    return replay(Problem(actions, (*said, *rules(True)), timed=True), Trace(calls))


def long_run(size: int = 1_000, constraints: int = 2_000) -> Replay:
    """A thousand steps under two thousand constraints, with one pair of actions swapped."""
    actions = make_actions([f"task {i}" for i in range(size)])
    said = []
    for k in range(constraints):
        first = (k * 7919) % (size - 1)
        second = first + 1 + (k * 104729) % (size - 1 - first)
        said.append(order(f"c{k + 1}", actions[first].id, actions[second].id))
    done = list(actions)
    done[size // 2], done[size // 2 + 1] = done[size // 2 + 1], done[size // 2]
    problem = Problem(
        actions, (*said, order(f"c{constraints + 1}", done[size // 2 + 1].id, done[size // 2].id))
    )
    return replay(problem, Trace(tuple(ToolCall(action.tool) for action in done)))
