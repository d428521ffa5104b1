"""On-the-fly repair (paper, section 7): which call would doom a plan, and why, in words for the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from planscope.agents.toolset import REFUSED
from planscope.language.problem import Action, Problem
from planscope.oracle.arguments import START
from planscope.oracle.trace import Call, Trace
from planscope.oracle.words import called, listed
from planscope.session.derive import own_reading, plain_name

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

TRIES = 3
"""After so many refusals of one call, with nothing done in between, a run is ended."""

_MOST_MOVES = 8


class Guardian:
    """Judges calls before they are done. It knows the durations that the agent does not."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def objection(self, done: Sequence[Call], call: Call) -> str | None:
        """Why ``call``, after ``done``, must not be done, and what may be called instead; None where it may.

        What is lost already is not guarded any more, and a call that its tool would refuse is left to the tool.
        """
        from planscope.oracle.replay import replay  # Z3 comes with it
        from planscope.oracle.words import source

        walk = replay(self.problem, Trace((*done, call), "running"))
        *_, before, after = walk.steps
        if before.lost or not after.lost:
            return None
        said = [
            source(self.problem, self.problem.by_id[c])
            for c in (after.core.constraints if after.core else ())
        ]
        why = f", since {'; '.join(said)}" if said else ""
        lost = f"{REFUSED}this was not done. After it the requirement could not be met any more{why}."
        return f"{lost} {self._instead(walk, before.index)}"

    def _instead(self, walk: Replay, index: int) -> str:
        moves = walk.safe_moves(index)
        if not moves and walk.valid_completions(index) == 1:
            return "Everything that is required is done: no call is needed any more."
        if not moves:
            return "Choose another call."
        said = []
        for move in moves[:_MOST_MOVES]:
            tool, hours = self.problem.action_by_id[move.action].tool, ""
            if move.hours is not None:
                first, last = move.hours
                hours = f" with {START} {first}" if first == last else f" with {START} {first} to {last}"
            said.append(f"{tool}{hours}")
        more = [f"{len(moves) - _MOST_MOVES} more"] if len(moves) > _MOST_MOVES else []
        return f"Safe now: {listed([*said, *more], 'or')}."


def gives_up(refused: Sequence[Call], call: Call) -> str | None:
    """Why a run ends with the refusal of ``call``, after those in ``refused``; None where it goes on.

    ``refused``: what was refused before it since a call was done.
    """
    times = 1 + sum(one.tool == call.tool and one.arguments == call.arguments for one in refused)
    return None if times < TRIES else f"the guard refused {called(call.tool, call.arguments)} {times} times"


def problem_from(
    query: str, tools: Iterable[str], *, timed: bool = False, hours: Mapping[str, int] | None = None
) -> Problem:
    """What a query asks of an agent's own tools; an action is named like its tool, with blanks for ``_`` and ``-``.

    ``hours`` says how long each takes (timed; 1 where it does not). Raises ``ParseFailure``.
    """
    known = hours or {}
    actions = tuple(
        Action(f"a{i}", plain_name(tool), tool, known.get(tool, 1) if timed else None)
        for i, tool in enumerate(dict.fromkeys(tools), 1)
    )
    return own_reading(query, actions, {a.tool: None for a in actions}, timed=timed).problem
