"""Out of the edit screen, with what was made of the draft; and to what stands in the way of that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planscope.tui.panes.edit_state import core_ids
from planscope.tui.rooms.edit_changes import Changing
from planscope.tui.rooms.edit_live import EditResult

if TYPE_CHECKING:
    from planscope.session.model import Variant


class Leaving(Changing):
    def action_next_trouble(self) -> None:
        seen, state = self.state.seen, self.state
        if seen is None or not state.current:
            self.tell("not read yet")
            return
        core = [c for id in core_ids(state) if seen.problem and (c := seen.problem.by_id.get(id)) is not None]
        places = [error.span for error in seen.errors] + [
            s for c in core if (s := seen.words_of(c)) is not None
        ]
        if not places:
            self.tell("nothing is wrong with it")
            return
        places = sorted(set(places))
        first = state.edited.selection[0]
        number = next((i for i, span in enumerate(places) if span[0] > first), 0)
        self.go_to_words(places[number], typing=False)
        self.tell(f"{number + 1} of {len(places)}: i types here")

    def go_to_words(self, span: tuple[int, int] | None, *, typing: bool = True) -> None:
        """To a place of the text, its words selected."""
        if span is None:
            return
        start, end = span
        edited = replace(self.state.edited, at=end, anchor=start if start < end else None)
        self.edit(edited, pane="text", typing=typing, offered=None)

    def action_leave_edit(self) -> None:
        """From typing to the commands, and from there out of the room."""
        if self.state.typing:
            self.notice = ""
            self.change(typing=False, offered=None)
        else:
            self.leave(EditResult(draft=self.state.history if self.state.changed else None))

    def action_keep_draft(self) -> None:
        if not self.state.changed:
            self.tell("nothing was changed")
            return
        self.leave(EditResult(self._variant()))

    def action_run_draft(self) -> None:
        if not self.state.changed:
            self.leave(EditResult(run=True))
            return
        seen = self.seen_now()
        if not seen.readable:
            if seen.errors and not self.state.typing:
                self.action_next_trouble()
            self.tell(f"not run: {seen.why_not}")
            return
        self.leave(EditResult(self._variant(), run=True))

    def _variant(self) -> Variant:
        from planscope.debugger.draft import variant_of_draft
        from planscope.documents.query import constraint_document
        from planscope.session.new_parts import next_variant_id

        seen = self.seen_now()
        said = [constraint_document(c) for c in seen.reading.problem.constraints] if seen.reading else None
        return variant_of_draft(
            self.state.draft, next_variant_id(self.document.open_session), self.of, seen.reading, said
        )

    def leave(self, result: EditResult) -> None:
        for name in ("edit read", "edit solve"):
            self.jobs.cancel(name)
        self.dismiss(result)

    def drafts_left(self) -> int:
        others = {*self.work.drafts.histories} - {(self.document.open_session.id, self.of.id)}
        return len(others) + self.state.changed
