"""Tools of a recorded session for an agent: a call gets the answer that a run recorded for these arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from planscope.errors import UserError
from planscope.toolfuzz.correctness.canonical import canonical
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.outcome import UNRECORDED, Made, Outcome
from planscope.toolfuzz.recorded import recorded_tools, session_of
from planscope.toolfuzz.served import ServedTools

NO_ANSWER = "No answer of the tool to these arguments was recorded."


class ServedAnswers(ServedTools):
    """The tools of a session, answering as they answered its runs; of several answers to a call the last one counts.

    Arguments are the same if their canonical form is. A tool without a schema is skipped. Nothing is executed.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._answers: dict[tuple[str, str], Made] = {}

    def __enter__(self) -> Self:
        path = session_of(self.options.target)
        if path is None:
            raise UserError(f"{self.options.target} is no session")
        recorded = recorded_tools(path)
        if missing := [name for name in self.options.tools if name not in recorded]:
            known = f"its tools are {', '.join(recorded)}"
            raise UserError(f"{self.options.target} has no tool {missing[0]!r}; {known}")
        for name, (tool, answers) in recorded.items():
            if not self.options.tools or name in self.options.tools:
                self.all.append(tool)
                self._answers.update({(name, canonical(one.arguments)): one for one in answers})
        self.tools = [one for one in self.all if not one.skipped]
        return self

    def _begin(self, files: dict[str, str]) -> None:
        """There is no folder: files are not kept."""

    def _end(self) -> dict[str, str]:
        return {}

    def _call(self, tool: str, arguments: dict[str, object]) -> Made:
        """Return the recorded answer; an outcome of kind ``unrecorded`` if there is none."""
        unknown = Made(tool, arguments, None, Outcome(UNRECORDED, message=NO_ANSWER))
        return replace(self._answers.get((tool, canonical(arguments)), unknown), arguments=arguments)
