"""Where two runs part: what a fork kept, and the first step at which they are not the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planscope.compare.actions import Matching
from planscope.compare.calls import Keys
from planscope.compare.result import Divergence, Kept, Reason, Side, SideName, StepSide
from planscope.language.scan import Phrases, cut, phrase_key
from planscope.session.model import Run, Session

_SURE = ("completable", "doomed", "broken")


def kept(
    session_a: Session, a: Run, session_b: Session, b: Run, of_a: tuple[Side, Keys], of_b: tuple[Side, Keys]
) -> Kept | None:
    """What both have from one run, which may be one of them; as much of it as is the same in both, or None."""
    if session_a.id != session_b.id or a.id == b.id:
        return None
    line_a, line_b = dict(_line(session_a, a)), dict(_line(session_b, b))
    shared = [(min(steps, line_b[run]), run) for run, steps in line_a.items() if run in line_b]
    if not shared:
        return None
    steps, run = max(shared, key=lambda one: one[0])
    (side_a, keys_a), (side_b, keys_b) = of_a, of_b
    same = 0
    for (at, one), other in zip(list(keys_a.items())[:steps], keys_b.values(), strict=False):
        if one != other or side_a.steps[at].attempt != side_b.steps[at].attempt:
            break
        same = at
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


def divergence(a: Side, b: Side, keys_a: Keys, keys_b: Keys, matching: Matching) -> Divergence | None:
    """The first step at which call, answer or state differ, both runs followed from their beginnings."""
    said_a, said_b = _renaming(matching, "a"), _renaming(matching, "b")
    for index in range(max(len(a.steps), len(b.steps)) if a.steps and b.steps else 0):
        one, other = (steps[index] if index < len(steps) else None for steps in (a.steps, b.steps))
        if one is None or other is None:  # a run that goes on has no end yet
            return Divergence(min(index, len(a.steps) - 1), min(index, len(b.steps) - 1), ("ending",))
        reasons: list[Reason] = []
        key_a, key_b = keys_a.get(index), keys_b.get(index)
        if key_a != key_b:
            reasons.append("arguments" if key_a and key_b and key_a.action == key_b.action else "call")
        elif _answered(one, said_a) != _answered(other, said_b):
            reasons.append("answer")
        if one.state in _SURE and other.state in _SURE and one.state != other.state:
            reasons.append("state")
        if one.step == other.step == "end" and a.ending != b.ending:
            reasons.append("ending")
        if reasons:
            return Divergence(index, index, tuple(reasons))
    return None


def _answered(step: StepSide, said: Callable[[str], list[str]]) -> tuple[object, ...]:
    return step.answered, step.refused_by, None if step.answer is None else said(step.answer)


def _renaming(matching: Matching, side: SideName) -> Callable[[str], list[str]]:
    """A text by words, with what matched actions have in common for names that differ on the two sides."""
    keys = matching.keys_a if side == "a" else matching.keys_b
    names: Phrases[str] = Phrases()
    renamed = False
    for row in matching.rows:
        action = row.a if side == "a" else row.b
        if action is not None and ("name" in row.differs or "tool" in row.differs):
            renamed = True
            for name in (action.name, action.tool):
                if key := phrase_key(name):
                    names.add(key, f"action {keys[action.id]}")

    def words(text: str) -> list[str]:
        pieces = list(cut(text))
        found: list[str] = []
        at = 0
        while at < len(pieces):
            width, action = names.longest(pieces, at)
            found.append(action or text[pieces[at].start : pieces[at].end])
            at += max(width, 1)
        return found

    return words if renamed else lambda text: [text]
