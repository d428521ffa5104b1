"""Tools of a recorded session for an agent: a call gets the answer that a run recorded for these arguments."""

from __future__ import annotations

from typing import Self

from planscope.errors import UserError
from planscope.toolfuzz.correctness.canonical import canonical
from planscope.toolfuzz.engine import Options
from planscope.toolfuzz.outcome import OK, UNRECORDED, Made, Outcome
from planscope.toolfuzz.recorded import recorded_tools, session_of
from planscope.toolfuzz.served import ServedTools
from planscope.toolfuzz.tool_report import ToolReport

NO_ANSWER = "No answer of the tool to these arguments was recorded."
NO_SCHEMA = "no run recorded its schema"


class ServedAnswers(ServedTools):
    """The tools of a session, answering as they answered its runs; of several answers to a call the last one counts.

    Arguments are the same if their canonical form is. A tool without a schema is skipped. Nothing is executed.
    """

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._answers: dict[tuple[str, str], tuple[str, bool]] = {}

    def __enter__(self) -> Self:
        path = session_of(self.options.target)
        if path is None:
            raise UserError(f"{self.options.target} is no session")
        recorded = recorded_tools(path)
        names = [tool.name for tool in recorded]
        for name in self.options.tools:
            if name not in names:
                raise UserError(
                    f"{self.options.target} has no tool {name!r}; its tools are {', '.join(names)}"
                )
        for tool in recorded:
            if self.options.tools and tool.name not in self.options.tools:
                continue
            skipped = NO_SCHEMA if tool.schema is None else None
            self.all.append(ToolReport(tool.name, tool.description, tool.schema or {}, skipped))
            for one in tool.answers:
                self._answers[tool.name, canonical(one.arguments)] = (one.text, one.failed)
        self.tools = [one for one in self.all if not one.skipped]
        return self

    def _begin(self, files: dict[str, str]) -> None:
        """There is no folder: files are not kept."""

    def _end(self) -> dict[str, str]:
        return {}

    def _call(self, tool: str, arguments: dict[str, object]) -> Made:
        """Return the recorded answer; an outcome of kind ``unrecorded`` if there is none."""
        text, failed = self._answers.get((tool, canonical(arguments)), (None, False))
        if text is None:
            return Made(tool, arguments, None, Outcome(UNRECORDED, message=NO_ANSWER))
        return Made(tool, arguments, text, Outcome("returned", message=text) if failed else OK)
