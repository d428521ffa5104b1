"""Owns the draft of a query in the edit screen: its undo history, and its reading, which is computed in threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, Literal, TypeVar

from planscope.debugger import draft_typing as typing
from planscope.debugger.completion import Completion, Offer, complete, take
from planscope.debugger.draft import Draft, DraftError, draft_of, variant_of_draft
from planscope.debugger.draft_reading import DraftReading, Solved, problem_of_draft, read_draft, solve
from planscope.debugger.draft_typing import Edited, History, Kind
from planscope.frozen import frozen
from planscope.language.errors import ParseError
from planscope.language.problem import Action, Problem, Span
from planscope.session.model import Variant, next_variant_id
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.drafts import Drafts
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.messages import Notice, StateChanged
from planscope.tui.style.lines import shown

Answer = TypeVar("Answer")

READ, SOLVE = "edit read", "edit solve"

PaneName = Literal["text", "reading", "constraints", "actions"]
PANES: tuple[PaneName, ...] = ("text", "reading", "constraints", "actions")
"""The panes of the edit screen, in the order of their digits."""


@frozen
class ActionLine:
    """An action in the draft and in the parent. ``now`` is None if it was dropped, ``was`` is None if it was added."""

    now: Action | None
    was: Action | None


@frozen
class EditState:
    """The state of the edit screen. ``before``: the parent's query. ``seen``: the last reading, perhaps of an older
    text.

    ``typing``: letters go into the text; otherwise they are commands. ``chosen``: the selected line of each list pane.
    ``offered``: the open completion; ``at_offer``: the selected offer. ``goal``: the column that up and down keep.
    """

    before: Draft
    history: History
    seen: DraftReading | None = None
    solved: Solved | None = None
    pane: PaneName = "text"
    typing: bool = True
    chosen: dict[PaneName, int] = field(default_factory=dict)
    offered: Completion | None = None
    at_offer: int = 0
    goal: int | None = None

    @property
    def edited(self) -> Edited:
        return self.history.now

    @property
    def draft(self) -> Draft:
        return self.history.now.draft

    @property
    def changed(self) -> bool:
        return self.draft != self.before

    @property
    def current(self) -> bool:
        """Whether the reading is that of the current draft."""
        return self.seen is not None and self.seen.draft == self.draft

    @property
    def core(self) -> tuple[str, ...]:
        """The ids of constraints that contradict each other."""
        return self.solved.core if self.solved is not None else ()

    @property
    def actions(self) -> list[ActionLine]:
        """The draft's actions, then the dropped ones."""
        old = {action.id: action for action in self.before.actions}
        lines = [ActionLine(action, old.pop(action.id, None)) for action in self.draft.actions]
        return lines + [ActionLine(None, action) for action in old.values()]

    def line_chosen(self, pane: PaneName, count: int) -> int | None:
        """The selected line of a pane, or None if another pane is the current one or there are no lines."""
        if self.pane != pane or self.typing or not count:
            return None
        return min(self.chosen.get(pane, 0), count - 1)

    def being_written(self, error: ParseError) -> bool:
        """Return whether an error is only about the word or the sentence that is being typed at the caret."""
        at, (start, end) = self.edited.at, error.span
        if not self.typing or at < start:
            return False
        return at <= end or (not error.found and not self.draft.text[end:at].strip())


class _Latest:
    """Works on one question at a time in a thread. Of the questions that come meanwhile, only the newest is kept."""

    def __init__(self, jobs: Jobs, name: str, failed: Callable[[Exception], None]) -> None:
        self._jobs = jobs
        self._name = name
        self._failed = failed
        self._next: Callable[[], None] | None = None

    def ask(self, work: Callable[[], Answer], done: Callable[[Answer], None]) -> None:
        """Work on a question. ``done`` receives the answer, unless a newer question replaced it before the work
        began."""

        def go() -> None:
            self._jobs.start(self._name, lambda token: work(), answered, failed)

        def answered(answer: Answer) -> None:
            self._go_on()
            done(answer)

        def failed(error: Exception) -> None:
            self._go_on()
            self._failed(error)

        if self._jobs.running(self._name):
            self._next = go
        else:
            go()

    def _go_on(self) -> None:
        waiting, self._next = self._next, None
        if waiting is not None:
            waiting()

    def stop(self) -> None:
        self._next = None
        self._jobs.cancel(self._name)


class DraftEditor:
    """Owns the state of one draft. All methods are for the screen's thread; reading and solving is done in threads.

    Posts :class:`StateChanged` on each change of the state. A changed draft is read again, and saved through
    ``drafts``. Methods that change the draft raise :class:`DraftError` if the change is invalid.
    """

    def __init__(
        self,
        parent: Variant,
        document: Document,
        jobs: Jobs,
        drafts: Drafts,
        post: Post,
        history: History | None = None,
        at: int | None = None,
    ) -> None:
        """``history``: a draft to continue. ``at``: the caret's place in a new one."""
        self.of = parent
        self.document = document
        self._drafts = drafts
        self._post = post
        before = draft_of(parent)
        length = len(before.text)
        begun = history or History(Edited(before, length if at is None else min(max(at, 0), length)))
        self.state = EditState(before, begun)
        self._reads = _Latest(jobs, READ, self._not_read)
        self._solves = _Latest(jobs, SOLVE, self._not_read)
        self._parent_problem: list[Problem | None] = []
        self._closed = False

    @property
    def at_rest(self) -> bool:
        """Whether the current draft was read and solved."""
        return self.state.current and self.state.solved is not None

    def change(self, **changes: Any) -> None:
        """Replace fields of the state."""
        old = self.state
        self.state = replace(old, **changes)
        if self.state.draft is not old.draft and self.state.draft != old.draft:
            draft = self.state.draft if self.state.changed else None
            self._drafts.note(self.document.path, self.document.open_session.id, self.of, draft)
            self.read()
        self._post(StateChanged())

    def close(self) -> None:
        """Cancel reading and solving."""
        self._closed = True
        self._reads.stop()
        self._solves.stop()

    # Changes of the draft, which can be undone:

    def edit(self, edited: Edited, kind: Kind = "other", **changes: Any) -> None:
        """Change the text or the caret, and close the completion. A moved caret alone is no step to undo."""
        changes = {"offered": None, "goal": None, **changes}
        self.change(history=typing.record(self.state.history, edited, kind), **changes)

    def type_over(self, edited: Edited, kind: Kind = "other") -> None:
        """Insert typed text. An open completion follows it as long as something matches."""
        offered = None
        if self.state.offered is not None:
            found = complete(edited.draft, edited.at)
            begun = found.offers and not found.offers[0].nearest and found.offers[0].span[0] < edited.at
            offered = found if begun else None
        self.edit(edited, kind, offered=offered, at_offer=0)

    def insert(self, text: str, kind: Kind = "other") -> None:
        """Insert a text at the caret. It replaces the selection."""
        self.type_over(typing.put(self.state.edited, text), kind)

    def replace_text(self, text: str) -> bool:
        """Replace the whole text and keep the caret. Return False if the text is the same."""
        edited = self.state.edited
        whole = replace(edited, at=len(edited.text), anchor=0)
        made = typing.put(whole, text)
        self.edit(typing.go(made, min(edited.at, len(text))))
        return made.text != edited.text

    def redraft(self, made: Callable[[Draft], Draft]) -> None:
        """Change the draft otherwise than by typing."""
        edited = self.state.edited
        draft = made(edited.draft)
        same = draft.text == edited.text
        at = edited.at if same else min(edited.at, len(draft.text))
        self.edit(Edited(draft, at, edited.anchor if same else None))

    def refused(self, made: Callable[[Draft], Draft]) -> str | None:
        """Return why a change would be refused, in one line, or None. The change is not made."""
        try:
            made(self.state.draft)
        except DraftError as error:
            return str(error)
        return None

    def start_over(self) -> None:
        """Go back to the parent's query."""
        before = self.state.before
        self.edit(Edited(before, len(before.text)))

    def travel(self, step: Callable[[History], History]) -> bool:
        """Undo or redo a change. Return False if there is none."""
        history = step(self.state.history)
        if history is self.state.history:
            return False
        self.change(history=history, offered=None, goal=None)
        return True

    # Completion

    def complete(self) -> Completion:
        """Insert the only match, or the common beginning of all matches, and offer these. Return the matches."""
        self.type_text()
        found = complete(self.state.draft, self.state.edited.at)
        if not found.offers:
            return found
        only = found.offers[0]
        if len(found.offers) == 1 and not only.nearest:
            self.take(only)
            return found
        start, end = only.span
        if len(found.common) > end - start > 0:
            begun = self.state.draft.text[start:end]
            more = found.common[len(begun) :]
            self.edit(typing.cut_out(self.state.edited, start, end, begun + more))
            found = complete(self.state.draft, self.state.edited.at)
        self.change(offered=found if found.offers else None, at_offer=0)
        return found

    def take(self, offer: Offer) -> None:
        draft = self.state.draft
        text, at = take(draft.text, offer)
        self.edit(Edited(replace(draft, text=text), at))

    # Panes and selection

    def type_text(self) -> None:
        """Let letters go into the text from now on."""
        if not self.state.typing or self.state.pane != "text":
            self.change(pane="text", typing=True)

    def command(self, pane: PaneName | None = None) -> None:
        """Let letters be commands from now on, for the current pane or another one."""
        self.change(pane=pane or self.state.pane, typing=False, offered=None)

    def choose(self, pane: PaneName, line: int) -> None:
        self.change(chosen={**self.state.chosen, pane: line})

    def select(self, span: Span, *, typing: bool) -> None:
        """Select a range of the text."""
        start, end = span
        edited = replace(self.state.edited, at=end, anchor=start if start < end else None)
        self.edit(edited, pane="text", typing=typing)

    def troubles(self) -> list[Span] | None:
        """Return the ranges of errors and contradictions in the text, in order, or None while it is being read."""
        seen, state = self.state.seen, self.state
        if seen is None or not state.current:
            return None
        core = [c for id in state.core if seen.problem and (c := seen.problem.by_id.get(id)) is not None]
        words = [span for c in core if (span := seen.words_of(c)) is not None]
        return sorted({*(error.span for error in seen.errors), *words})

    def action_meant(self) -> ActionLine | None:
        """Return the action that a command is for: the selected one in the actions pane, or else the one at the
        caret."""
        state = self.state
        lines = state.actions
        if state.pane == "actions" and not state.typing:
            chosen = state.line_chosen("actions", len(lines))
            return None if chosen is None else lines[chosen]
        at = state.edited.at
        for known in state.seen.known if state.current and state.seen is not None else ():
            if known.action and known.span[0] <= at <= known.span[1]:
                return next(
                    (line for line in lines if line.now is not None and line.now.id == known.action), None
                )
        return None

    # Reading

    def read(self) -> None:
        draft = self.state.draft
        self._reads.ask(lambda: self._look(draft), self._on_read)

    def seen_now(self) -> DraftReading:
        """Return the reading of the current draft, which is computed now if necessary."""
        if self.state.current and self.state.seen is not None:
            return self.state.seen
        return read_draft(self.state.draft, self._before())

    def variant(self) -> Variant:
        """Return the draft as a new variant, which is not in the session yet."""
        from planscope.documents.query import constraint_documents

        seen = self.seen_now()
        said = constraint_documents(seen.reading.problem) if seen.reading else None
        id = next_variant_id(self.document.open_session)
        return variant_of_draft(self.state.draft, id, self.of, seen.reading, said)

    def _before(self) -> Problem | None:
        """Return the parent's problem, computed once."""
        if not self._parent_problem:
            self._parent_problem.append(problem_of_draft(self.state.before))
        return self._parent_problem[0]

    def _look(self, draft: Draft) -> tuple[DraftReading, Solved | None]:
        seen = read_draft(draft, self._before())
        return seen, solve(seen) if seen.quick else None

    def _on_read(self, found: tuple[DraftReading, Solved | None]) -> None:
        seen, solved = found
        if seen.draft != self.state.draft or self._closed:
            return  # the text changed meanwhile, and is being read again
        if solved is None:
            self._solves.ask(lambda: (seen, solve(seen)), self._on_solved)
        self.change(seen=seen, solved=solved)

    def _on_solved(self, found: tuple[DraftReading, Solved]) -> None:
        seen, solved = found
        if seen is self.state.seen and not self._closed:
            self.change(solved=solved)

    def _not_read(self, error: Exception) -> None:
        self._post(Notice(f"not read: {shown(str(error) or type(error).__name__, 200)}"))
