"""On-the-fly repair (paper, section 7): which call would doom a plan, and why, in words for the agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from planscope.agents.toolset import REFUSED
from planscope.language.problem import Action, Problem
from planscope.oracle.trace import Call, Trace
from planscope.session.derive import own_reading, plain_name


class Guardian:
    """Judges calls before they are done. It knows the durations that the agent does not."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def objection(self, done: Sequence[Call], call: Call) -> str | None:
        """Why ``call``, after ``done``, must not be done; None where it may.

        What is lost already is not guarded any more, and a call that its tool would refuse is left to the tool.
        """
        from planscope.oracle.replay import replay  # Z3 comes with it
        from planscope.oracle.words import source

        *_, before, after = replay(self.problem, Trace((*done, call), "running")).steps
        if before.lost or not after.lost:
            return None
        said = [
            source(self.problem, self.problem.by_id[c])
            for c in (after.core.constraints if after.core else ())
        ]
        why = f", since {'; '.join(said)}" if said else ""
        return f"{REFUSED}this was not done. After it the requirement could not be met any more{why}."


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
