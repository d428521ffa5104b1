"""The edit screen's state, and the draft read while it is typed: in threads, so that no key waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from planscope.debugger.draft import Draft, DraftError, draft_of
from planscope.debugger.draft_reading import DraftReading, Solved, problem_of_draft, read_draft, solve
from planscope.debugger.draft_typing import Edited, History, Kind, record
from planscope.language.problem import Problem
from planscope.tui.app_screen import keys_for
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.panes.edit_state import EditState
from planscope.tui.screens.side import SideScreen

if TYPE_CHECKING:
    from planscope.session.model import Variant

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class EditResult:
    """What the edit screen is left with.

    ``variant``: a new one, not yet in the session. ``run``: and it is to be run (without a variant: the parent as it
    is). ``draft``: what was typed and is neither.
    """

    variant: Variant | None = None
    run: bool = False
    draft: History | None = None


class Latest:
    """One question at a time in a thread; of those asked meanwhile only the newest is asked after it."""

    def __init__(self, jobs: Jobs, name: str, failed: Callable[[Exception], None]) -> None:
        self._jobs = jobs
        self._name = name
        self._failed = failed
        self._next: Callable[[], None] | None = None

    @property
    def busy(self) -> bool:
        return self._jobs.running(self._name)

    def ask(self, work: Callable[[], Answer], done: Callable[[Answer], None]) -> None:
        """``done`` hears of the answer, unless a newer question took its place before it was asked."""

        def go() -> None:
            self._jobs.start(self._name, lambda ticket: work(), answered, failed)

        def answered(answer: Answer) -> None:
            self._go_on()
            done(answer)

        def failed(error: Exception) -> None:
            self._go_on()
            self._failed(error)

        if self.busy:
            self._next = go
        else:
            go()

    def _go_on(self) -> None:
        waiting, self._next = self._next, None
        if waiting is not None:
            waiting()


class Live(SideScreen):
    """Owns the state. ``change`` shows what follows from it; a draft that changed is read."""

    where = "edit"
    BINDINGS = keys_for("edit")

    def __init__(
        self,
        paint: Paint,
        work: Workspace,
        parent: Variant,
        history: History | None = None,
        at: int | None = None,
    ) -> None:
        """``history``: a draft to go on with. ``at``: where the caret stands in a new one."""
        super().__init__(paint, work)
        self.of = parent
        before = draft_of(parent)
        text = before.text
        begun = history or History(Edited(before, len(text) if at is None else min(max(at, 0), len(text))))
        self.state = EditState(before, begun)
        self._reads = Latest(work.jobs, "edit read", self._not_read)
        self._solves = Latest(work.jobs, "edit solve", self._not_read)
        self._said_before: list[Problem | None] = []

    @property
    def at_rest(self) -> bool:
        """Whether all is shown that follows from the draft."""
        return self.state.current and self.state.solved is not None

    def change(self, **changes: Any) -> None:
        """Replace fields of the state and show what follows from it."""
        old = self.state
        self.state = replace(old, **changes)
        if self.state.draft is not old.draft and self.state.draft != old.draft:
            draft = self.state.draft if self.state.changed else None
            document = self.document
            self.work.drafts.note(document.path, document.open_session.id, self.of, draft)
            self.read()
        self.show_state()

    def edit(self, edited: Edited, kind: Kind = "other", **changes: Any) -> None:
        """Take in what a key made of the draft, as a step that can be undone."""
        self.notice = ""
        self.change(history=record(self.state.history, edited, kind), **changes)

    def redraft(self, change: Callable[[Draft], Draft]) -> str | None:
        """Change the draft in another way than by typing; says in one line what is wrong, if anything."""
        edited = self.state.edited
        try:
            draft = change(edited.draft)
        except DraftError as error:
            return str(error)
        at = edited.at if draft.text == edited.text else min(edited.at, len(draft.text))
        self.edit(Edited(draft, at, edited.anchor if draft.text == edited.text else None))
        return None

    def show_state(self) -> None:
        raise NotImplementedError

    # Reading

    def read(self) -> None:
        draft = self.state.draft
        self._reads.ask(lambda: self._look(draft), self._on_read)

    def seen_now(self) -> DraftReading:
        """The reading of the draft as it is, at once."""
        if self.state.current and self.state.seen is not None:
            return self.state.seen
        return read_draft(self.state.draft, self._before())

    def _before(self) -> Problem | None:
        """What the parent says; found out once."""
        if not self._said_before:
            self._said_before.append(problem_of_draft(self.state.before))
        return self._said_before[0]

    def _look(self, draft: Draft) -> tuple[DraftReading, Solved | None]:
        seen = read_draft(draft, self._before())
        return seen, solve(seen) if seen.quick else None

    def _on_read(self, found: tuple[DraftReading, Solved | None]) -> None:
        seen, solved = found
        if seen.draft != self.state.draft or not self.is_mounted:
            return  # typed on: a newer one is being read
        if solved is None:
            self._solves.ask(lambda: (seen, solve(seen)), self._on_solved)
        self.change(seen=seen, solved=solved)

    def _on_solved(self, found: tuple[DraftReading, Solved]) -> None:
        seen, solved = found
        if seen is self.state.seen and self.is_mounted:
            self.change(solved=solved)

    def _not_read(self, error: Exception) -> None:
        self.tell(f"not read: {shown(str(error) or type(error).__name__, 200)}")
