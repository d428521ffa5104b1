"""What the edit screen shows, as one immutable value that the room owns and hands down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from planscope.debugger.completion import Completion
from planscope.debugger.draft import Draft
from planscope.debugger.draft_reading import DraftReading, Solved
from planscope.debugger.draft_typing import Edited, History
from planscope.language.errors import ParseError
from planscope.language.problem import Action, Span

PaneName = Literal["text", "reading", "constraints", "actions"]
PANES: tuple[PaneName, ...] = ("text", "reading", "constraints", "actions")
"""By their digit."""


@dataclass(frozen=True, slots=True)
class ActionLine:
    """An action beside what it was: ``now`` None where it was dropped, ``was`` None where it was added."""

    now: Action | None
    was: Action | None


@dataclass(frozen=True, slots=True)
class EditState:
    """``before`` is the parent's request. ``seen`` is the last reading, of this draft or of one typed before it.

    ``typing``: letters go into the text; else they are commands. ``chosen`` is a line of each pane but the text's.
    ``offered`` is the completion that is open, with the place in it.
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
        """Whether the reading is that of the draft as it is now."""
        return self.seen is not None and self.seen.draft == self.draft

    def line_chosen(self, pane: PaneName, count: int) -> int | None:
        """The line of a pane that is chosen, where the pane is the current one and has lines."""
        if self.pane != pane or self.typing or not count:
            return None
        return min(self.chosen.get(pane, 0), count - 1)


def action_lines(state: EditState) -> list[ActionLine]:
    """The draft's actions, then those that were dropped."""
    old = {action.id: action for action in state.before.actions}
    lines = [ActionLine(action, old.pop(action.id, None)) for action in state.draft.actions]
    return lines + [ActionLine(None, action) for action in old.values()]


def being_written(state: EditState, error: ParseError) -> bool:
    """Whether an error is no more than a word that is being typed, or a sentence that goes on at the caret."""
    at, (start, end) = state.edited.at, error.span
    if not state.typing or at < start:
        return False
    return at <= end or (not error.found and not state.draft.text[end:at].strip())


def core_ids(state: EditState) -> tuple[str, ...]:
    return state.solved.core if state.solved is not None else ()


def moved_spans(spans: Sequence[tuple[Span, str]], old: str, new: str) -> list[tuple[int, int, str]]:
    """Ranges of a text with their roles, moved along with what was typed since; what was typed into is left out."""
    if old == new:
        return [(*span, role) for span, role in spans]
    head, tail = _alike(old, new)
    shift = len(new) - len(old)
    moved = []
    for (a, b), role in spans:
        if b <= head:
            moved.append((a, b, role))
        elif a >= len(old) - tail:
            moved.append((a + shift, b + shift, role))
    return moved


def _alike(old: str, new: str) -> tuple[int, int]:
    """How long the texts are equal at their beginnings, and behind that at their ends."""
    size = min(len(old), len(new))
    head = _common(size, lambda n: old[:n] == new[:n])
    tail = _common(size - head, lambda n: old[len(old) - n :] == new[len(new) - n :])
    return head, tail


def _common(size: int, alike: Callable[[int], bool]) -> int:
    """The largest number up to ``size`` for which it holds; it holds for all smaller ones."""
    low, high = 0, size
    while low < high:
        middle = (low + high + 1) // 2
        if alike(middle):
            low = middle
        else:
            high = middle - 1
    return low
