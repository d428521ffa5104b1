"""Where two runs part: what a fork kept, and the first step at which they are not the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from planscope.compare.actions import Matching
from planscope.compare.calls import Key
from planscope.compare.result import Divergence, Kept, Reason, Side, SideName, StepSide
from planscope.session.model import Run, Session

_SURE = ("completable", "doomed", "broken")


def kept(
    session_a: Session,
    a: Run,
    side_a: Side,
    keys_a: Mapping[int, Key],
    session_b: Session,
    b: Run,
    side_b: Side,
    keys_b: Mapping[int, Key],
) -> Kept | None:
    """What both have from one run, which may be one of them; as much of it as is the same in both, or None."""
    if session_a.id != session_b.id or a.id == b.id:
        return None
    line_a, line_b = dict(_line(session_a, a)), dict(_line(session_b, b))
    shared = [(min(steps, line_b[run]), run) for run, steps in line_a.items() if run in line_b]
    if not shared:
        return None
    steps, run = max(shared, key=lambda one: one[0])
    same = 0
    while same < min(steps, len(keys_a), len(keys_b)):
        one, other = side_a.steps[same + 1], side_b.steps[same + 1]
        if keys_a[same + 1] != keys_b[same + 1] or one.attempt != other.attempt:
            break
        same += 1
    return Kept(run, same) if same else None


def _line(session: Session, run: Run) -> Iterator[tuple[str, int]]:
    """The run, all of it, and those that it was forked from, each with the number of its steps that came through."""
    known = {r.id: r for r in session.runs}
    seen: set[str] = set()
    steps = len(run.events)
    here: Run | None = run
    while here is not None and here.id not in seen:
        seen.add(here.id)
        yield here.id, steps
        fork = here.forked_from
        steps = min(steps, fork.step) if fork is not None else 0
        here = known.get(fork.run) if fork is not None else None


def divergence(
    a: Side, b: Side, keys_a: Mapping[int, Key], keys_b: Mapping[int, Key], matching: Matching
) -> Divergence | None:
    """The first step at which call, answer or state differ, both runs followed from their beginnings."""
    said_a, said_b = _renaming(matching, "a"), _renaming(matching, "b")
    for index in range(max(len(a.steps), len(b.steps)) if a.steps and b.steps else 0):
        one, other = (steps[index] if index < len(steps) else None for steps in (a.steps, b.steps))
        if one is None or other is None:  # a run that goes on has no end yet
            return Divergence(min(index, len(a.steps) - 1), min(index, len(b.steps) - 1), ("ending",))
        reasons = list(_calls(one, other, keys_a, keys_b, said_a, said_b))
        if one.state in _SURE and other.state in _SURE and one.state != other.state:
            reasons.append("state")
        if one.step == other.step == "end" and a.ending != b.ending:
            reasons.append("ending")
        if reasons:
            return Divergence(index, index, tuple(reasons))
    return None


def _calls(
    one: StepSide,
    other: StepSide,
    keys_a: Mapping[int, Key],
    keys_b: Mapping[int, Key],
    said_a: Callable[[str], str],
    said_b: Callable[[str], str],
) -> Iterator[Reason]:
    if one.call is None and other.call is None:
        return
    if one.call is None or other.call is None:
        yield "call"
        return
    key_a, key_b = keys_a[one.index], keys_b[other.index]
    if key_a.action != key_b.action:
        yield "call"
    elif key_a.whole != key_b.whole:
        yield "arguments"
    elif (one.answered, one.refused_by, said_a(one.answer or "")) != (
        other.answered,
        other.refused_by,
        said_b(other.answer or ""),
    ):
        yield "answer"


def _renaming(matching: Matching, side: SideName) -> Callable[[str], str]:
    """A text with marks where it speaks of actions that are called otherwise on the other side."""
    keys = matching.keys_a if side == "a" else matching.keys_b
    marks: dict[str, str] = {}
    for row in matching.rows:
        action = row.a if side == "a" else row.b
        if action is not None and ("name" in row.differs or "tool" in row.differs):
            marks |= {name: f"\0{keys[action.id]}\0" for name in (action.name, action.tool) if name}
    longest_first = sorted(marks, key=lambda name: (-len(name), name))

    def renamed(text: str) -> str:
        for name in longest_first:
            if name in text:
                text = text.replace(name, marks[name])
        return text

    return renamed
