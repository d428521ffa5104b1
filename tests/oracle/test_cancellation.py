"""A long question ends when nobody waits for its answer, and does no harm to the next one."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest

from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.oracle.cancellation import Cancelled, cancelled_by, check_cancelled, interruptible
from planscope.oracle.formula import encode
from planscope.oracle.precedence import count_orders, masks, order_counter
from planscope.oracle.schedule import NEVER, Schedule
from planscope.oracle.smt import Judge


class Impatient:
    """Waits for so many looks; ``drop`` ends it from any thread."""

    def __init__(self, looks: int) -> None:
        self.looks = looks
        self.acts: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        self.looks -= 1
        return self.looks < 0

    def when_cancelled(self, act: Callable[[], None]) -> Callable[[], None]:
        self.acts.append(act)
        return lambda: self.acts.remove(act)

    def drop(self) -> None:
        self.looks = 0
        for act in self.acts:
            act()


def hard() -> Schedule:
    """Sixteen actions of which hundreds of sets have to be looked at."""
    draw = random.Random(280)
    takes = [draw.choice([1, 2, 3]) for _ in range(16)]
    day = sum(takes)
    release = [draw.randint(0, day // 2) for _ in range(16)]
    deadline = [min(day, hour + draw.randint(day // 3, day)) for hour in release]
    return Schedule(takes, release, deadline, [])


def test_without_anyone_named_all_is_worked_out() -> None:
    check_cancelled()
    with interruptible(lambda: pytest.fail("nobody said so")):
        pass
    assert count_orders(9, [(0, 1)]) == 181_440


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_scheduling_ends_and_can_be_asked_again(looks: int) -> None:
    everything = (1 << 16) - 1
    fresh, schedule, waiter = hard(), hard(), Impatient(looks)
    with cancelled_by(waiter), pytest.raises(Cancelled):
        schedule.latest(everything)
    assert schedule.latest(everything) == fresh.latest(everything)
    assert (schedule.latest_way(everything) is None) == (fresh.latest(everything) == NEVER)


def test_counting_ends_and_can_be_asked_again() -> None:
    edges = [(i, i + 3) for i in range(13)]
    count = order_counter(*masks(16, edges))
    with cancelled_by(Impatient(1)), pytest.raises(Cancelled):
        count((1 << 16) - 1)
    assert count((1 << 16) - 1) == count_orders(16, edges)


def test_one_who_waits_inside_of_another_is_the_one_that_counts() -> None:
    with cancelled_by(Impatient(0)):
        with cancelled_by(Impatient(1)):
            check_cancelled()
        with pytest.raises(Cancelled):
            check_cancelled()
    check_cancelled()


def pigeons(n: int) -> Problem:
    """Hours for one action less than there are, in windows that all look alike: very long for Z3."""
    actions = make_actions([f"task {i}" for i in range(n)], [1] * n)
    said = [
        Constraint(f"c{i}", "end_at_most", f"by {n - 1}", action=a.id, hour=n - 1)
        for i, a in enumerate(actions)
    ]
    return Problem(actions, (*said, *rules(True)), True)


def test_z3_is_interrupted() -> None:
    judge = Judge(encode(pigeons(13), (), ended=False), timeout=600_000)
    waiter = Impatient(10**9)
    ended: list[BaseException | str] = []

    def ask() -> None:
        try:
            with cancelled_by(waiter):
                ended.append(judge.check())
        except Cancelled as error:
            ended.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while thread.is_alive() and not waiter.acts:
        thread.join(0.01)
    while thread.is_alive():  # an interrupt that comes before the question is asked does nothing
        waiter.drop()
        thread.join(0.05)
    assert isinstance(ended[0], Cancelled) and not waiter.acts
