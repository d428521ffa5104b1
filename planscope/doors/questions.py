"""The questions that a coding agent asks about runs (``planscope mcp``). Each answer is one JSON document.

Only files below the allowed folders are read, besides the user's library and the bundled sessions. Links are followed
before that is checked. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.document import Document
from planscope.doors import python
from planscope.errors import UserError
from planscope.safe import visible
from planscope.wording.phrases import file_size

if TYPE_CHECKING:
    from planscope.documents.judgement import ReplayDocument, StepDocument
    from planscope.session.model import Run, Session

LARGEST = 64 * 2**20
"""A larger file is not read, in bytes; ``planscope check`` reads any."""
LONGEST = 80_000
"""Limit of one answer, in characters: coding agents refuse more, or lose the thread."""
MOST_LISTED = 100
"""Runs in one list."""
KEPT = 4
"""So many files stay in memory while they do not change."""


class Questions:
    """Answers questions about sessions and traces. ``roots``: the folders whose files may be read.

    Every method raises UserError, one line that says what is wrong and what to do.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = [root.resolve() for root in roots]
        self._loaded: dict[tuple[str, int, int], python.Loaded] = {}

    def list_runs(self, source: str, limit: int = MOST_LISTED, offset: int = 0) -> Document:
        """List the runs of a session with verdict, error and the step that lost the plan, or the traces of a file with
        their calls. For more than 100, ask again with a larger offset."""
        loaded = self._load(source)
        if not 1 <= limit <= MOST_LISTED or offset < 0:
            raise UserError(f"limit is 1 to {MOST_LISTED}, offset 0 or more")
        if loaded.session is None:
            from planscope.documents.listings import TraceLineDocument, TracesDocument

            chosen = loaded.traces[offset : offset + limit]
            lines = list(map(TraceLineDocument.about, chosen))
            return _of_many(TracesDocument(traces=lines), len(lines), loaded)
        from planscope.documents.runs import RunListDocument
        from planscope.rules.in_session import problem_in
        from planscope.session.run_list import listed_runs, losses_of

        session = loaded.session
        numbered = islice(enumerate(session.runs, 1), offset, offset + limit)
        listed = list(listed_runs(session, numbered, problem_in))
        document = RunListDocument.about(listed, losses_of(listed), len(session.removed or ()))
        return _of_many(document, len(listed), loaded)

    def why(
        self,
        source: str,
        run: str | None = None,
        rules: str | None = None,
        rules_file: str | None = None,
        allow_unknown: bool = False,
    ) -> Document:
        """Say whether a run is right, and if not, which call lost the plan and why: verdict, findings, first violation
        with its unsat core, explanation. Without run: the last one. rules: sentences to judge by; or rules_file.
        allow_unknown: a rule about a tool that nothing calls or defines gets a warning, and is not unknown."""
        loaded = self._load(source)
        given = self._rules(rules, rules_file)
        chosen = self._one(loaded, run) if given is not None else run
        return python.check(loaded, rules=given, run=chosen, allow_unknown=allow_unknown)

    def state_at(
        self,
        source: str,
        step: int | str,
        run: str | None = None,
        rules: str | None = None,
        rules_file: str | None = None,
    ) -> Document:
        """Say the state after a step (0: before the first call; end): the call, state, every constraint or rule, core,
        safe next calls."""
        replayed, steps = self._replayed(source, run, rules, rules_file)
        return _only(replayed, steps, step, f"the steps are 0 to {len(steps) - 2} and end")

    def safe_moves(
        self,
        source: str,
        step: int | str | None = None,
        run: str | None = None,
        rules: str | None = None,
        rules_file: str | None = None,
    ) -> Document:
        """Say which calls keep the plan possible after a step (safe_next, and safe_hours if it is timed). Without step:
        at the last step from which the plan could still be met."""
        replayed, steps = self._replayed(source, run, rules, rules_file, changes=True)
        if step is None:
            possible = [one.step for one in steps if one.state == "completable" and one.step != "end"]
            if not possible:
                raise UserError(
                    "no step has a safe move: the plan was lost from the beginning, or is not judged"
                )
            step = possible[-1]
        steps = [one.model_copy(update={"constraints": {}}) for one in steps]
        return _only(replayed, steps, step, "leave it out for the last safe one")

    def _replayed(
        self,
        source: str,
        run: str | None,
        rules: str | None,
        rules_file: str | None,
        *,
        changes: bool = False,
    ) -> tuple[ReplayDocument, list[StepDocument]]:
        loaded = self._load(source)
        given = self._rules(rules, rules_file)
        replayed = python.replay(loaded, run=self._one(loaded, run), rules=given, changes=changes)
        return replayed, list(replayed.steps)

    def repair(
        self,
        source: str,
        run: str | None = None,
        from_step: int = 0,
        rules: str | None = None,
        rules_file: str | None = None,
    ) -> Document:
        """Find the correct plan nearest to a run, with the first from_step calls as they are; with rules the cheapest
        change of its calls: moved, inserted, removed."""
        loaded = self._load(source)
        given = self._rules(rules, rules_file)
        found = python.repair(loaded, run=self._one(loaded, run), from_step=from_step, rules=given)
        if found is None:
            raise UserError("no repair is known: the trace broke off, or no change keeps all rules")
        return found

    def first_difference(
        self, source: str, run_a: str, run_b: str, other_source: str | None = None
    ) -> Document:
        """Compare two runs, of one session or (other_source) of two: the first step at which they differ, the calls up
        to it, and both verdicts."""
        from planscope.compare import compare
        from planscope.documents.comparison import ComparisonDocument

        one = self._run(self._load(source), run_a)
        other = self._run(self._load(other_source if other_source is not None else source), run_b)
        document = ComparisonDocument.about(compare(*one, *other))
        where = document.divergence
        if where is not None:
            _cut(document, where.a, where.b)
        return document

    def answer(self, document: Document) -> str:
        """Return a document as JSON in ASCII, so that nothing in it can steer a terminal."""
        text = document.as_line()
        if len(text) > LONGEST:
            raise UserError(
                f"the answer has {len(text):,} characters, and {LONGEST:,} are the limit; ask about one run or step, "
                "or use the command line"
            )
        return text

    # files ------------------------------------------------------------------------------------------------------------

    def _load(self, source: str) -> python.Loaded:
        from planscope.session.locations import bundled, in_library

        named = None if "/" in source or "\\" in source else bundled().get(source) or in_library(source)
        path = self._allowed(source) if named is None else named
        status = path.stat()
        if status.st_size > LARGEST:
            raise UserError(
                f"{path.name} is larger than {file_size(LARGEST)}; use planscope check on the command line"
            )
        key = (str(path), status.st_mtime_ns, status.st_size)
        if key not in self._loaded:
            while len(self._loaded) >= KEPT:
                del self._loaded[next(iter(self._loaded))]
            self._loaded[key] = python.load_named(str(path), path.name, siblings=False)
        return self._loaded[key]

    def _allowed(self, name: str) -> Path:
        """Return the file of that name if it may be read, with links resolved."""
        shown = visible(name, limit=200)
        try:
            path = Path(name).expanduser()
            found = (self._roots[0] / path if not path.is_absolute() else path).resolve()
            inside = any(found.is_relative_to(root) for root in self._roots)
            there = inside and found.is_file()
        except (OSError, ValueError, RuntimeError) as error:
            raise UserError(f"{shown} cannot be read: {error}") from None
        if not inside:
            folders = ", ".join(map(str, self._roots))
            raise UserError(
                f"{shown} is outside the folders that may be read ({folders}); see planscope mcp --root"
            )
        if not there:
            raise UserError(f"there is no file {shown} in {self._roots[0]}, nor a session of that name")
        return found

    def _rules(self, text: str | None, file: str | None) -> str | Path | None:
        """Return rules that were given as text or as a file. A text is never taken for the name of a file."""
        if text is not None and file is not None:
            raise UserError("give rules or rules_file, not both")
        if file is not None:
            return self._allowed(file)
        return None if text is None else f"{text}\n"

    def _one(self, loaded: python.Loaded, run: str | None) -> str | None:
        """Return the run's id, by default that of the last one."""
        return run if run is not None or not loaded.runs else loaded.runs[-1]

    def _run(self, loaded: python.Loaded, id: str) -> tuple[Session, Run]:
        session, run = python.find(loaded, id)
        assert run is not None  # an id finds a run or raises
        return session, run


def _only(replayed: ReplayDocument, steps: list[StepDocument], step: int | str, known: str) -> ReplayDocument:
    """Return a replay with one of its steps. Raises UserError, with what to do, if there is no such step."""
    replayed.steps = found = [one for one in steps if str(one.step) == str(step)]
    if not found:
        raise UserError(f"there is no step {visible(str(step)[:40])}; {known}")
    return replayed


def _of_many(document: Document, listed: int, loaded: python.Loaded) -> Document:
    """Return a list that is only a part, with the number of all."""
    total = len(loaded.runs)
    return document if listed == total else document.model_copy(update={"total": total})


def _cut(document: Any, a: int, b: int) -> None:
    """Keep of a comparison what leads to the first difference. Indexes stay right, because only ends are cut."""
    kept = {"a": a + 1, "b": b + 1}
    for name, most in kept.items():
        side = getattr(document, name)
        side.steps, side.outline = side.steps[:most], []
    if document.calls is not None:
        document.calls.rows = [
            row
            for row in document.calls.rows
            if (row.a is None or row.a <= a) and (row.b is None or row.b <= b)
        ]
    if document.tree is not None:
        document.tree.rows = []
