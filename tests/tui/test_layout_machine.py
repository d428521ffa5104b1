"""Any keys and drags on the panes: what is seen fills the window, nothing overlaps, and the current pane is there."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from textual.message import Message

from planscope.tui.arrangement import ALL_PANES, FIRST, HIDEABLE, LEAST, UPPER, Arrangement
from planscope.tui.controllers.pane_layout import PaneLayout
from planscope.tui.messages import Arranged
from tests.nightly import examples

SIZES = st.one_of(
    st.sampled_from([(80, 24), (120, 40), (200, 60), (60, 15), (59, 15), (4, 2), (169, 44), (170, 43)]),
    st.tuples(st.integers(1, 260), st.integers(2, 90)),
)
panes = st.sampled_from(ALL_PANES)
cells = st.tuples(st.integers(0, 260), st.integers(0, 90))


class Panes(RuleBasedStateMachine):
    """``told`` is what a program would have if it only listened to what is posted."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[Any, Arrangement] = dict(FIRST)
        self.layout = PaneLayout(post=self.hear)
        self.layout.fit(120, 40)

    def hear(self, message: Message) -> None:
        assert isinstance(message, Arranged)
        self.told[message.kind] = message.arrangement or FIRST[message.kind]

    @rule(size=SIZES)
    def resize(self, size: tuple[int, int]) -> None:
        self.layout.fit(*size)

    @rule(pane=panes)
    def turn(self, pane: str) -> None:
        self.layout.turn_to(pane)

    @rule(pane=st.sampled_from(HIDEABLE))
    def show(self, pane: str) -> None:
        self.layout.show(pane)
        assert pane not in self.layout.arrangement.hidden
        if pane in ALL_PANES:
            assert self.layout.pane == pane

    @rule(pane=st.sampled_from(HIDEABLE))
    def hide(self, pane: str) -> None:
        said = self.layout.hide(pane)
        stays = (pane == "step" and self.layout.playing) or "last pane" in said
        assert stays or pane in self.layout.arrangement.hidden

    @rule()
    def inspect(self) -> None:
        self.layout.toggle_inspector()

    @rule(pane=panes)
    def reveal(self, pane: str) -> None:
        self.layout.reveal(pane)

    @rule(by=st.sampled_from([-1, 1]))
    def go_round(self, by: int) -> None:
        before = self.layout.pane
        self.layout.next(by)
        after = self.layout.pane
        assert after == before or after not in self.layout.arrangement.hidden or self.layout.playing

    @rule(on=st.booleans())
    def zoom(self, on: bool) -> None:
        self.layout.zoom(on)

    @rule(on=st.booleans())
    def play(self, on: bool) -> None:
        self.layout.play(on)

    @rule(across=st.booleans(), by=st.integers(-9, 9).filter(bool))
    def grow(self, across: bool, by: int) -> None:
        layout = self.layout
        before, pane = layout.places(), "play" if layout.playing and layout.pane == "step" else layout.pane
        refused = layout.grow(across=across, by=by)
        if refused or layout.too_small:
            assert layout.places() == before
            return
        axis = 2 if across else 3
        assert (layout.places()[pane][axis] - before[pane][axis]) * by >= 0

    @rule(start=cells, to=cells, let_go=st.booleans())
    def drag(self, start: tuple[int, int], to: tuple[int, int], let_go: bool) -> None:
        before = self.layout.arrangement
        if not self.layout.drag(start, to):
            assert self.layout.arrangement == before
        if let_go:
            self.layout.drop()

    @rule()
    def reset(self) -> None:
        self.layout.reset()
        assert self.layout.arrangement == FIRST[self.layout.kind]

    @invariant()
    def every_cell_belongs_to_one_place(self) -> None:
        layout = self.layout
        found = layout.places()
        area = sum(rect.width * rect.height for rect in found.values())
        assert area == layout.columns * layout.rows
        for rect in found.values():
            assert rect.x >= 0 and rect.y >= 0
            assert rect.x + rect.width <= layout.columns and rect.y + rect.height <= layout.rows
        boxes = list(found.values())
        for i, a in enumerate(boxes):
            for b in boxes[i + 1 :]:
                across = a.x < b.x + b.width and b.x < a.x + a.width
                assert not (across and a.y < b.y + b.height and b.y < a.y + a.height)

    @invariant()
    def what_is_seen_can_be_read(self) -> None:
        layout = self.layout
        if layout.too_small:
            return
        found = layout.places()
        assert ("play" if layout.playing and layout.pane == "step" else layout.pane) in found
        assert sum(name in found for name in UPPER) <= (1 if layout.kind == "narrow" else 3)
        for name, rect in found.items():
            if name not in ("header", "footer"):
                assert rect.width >= LEAST[0] and rect.height >= LEAST[1]

    @invariant()
    def all_that_changed_was_posted(self) -> None:
        assert self.told == self.layout.arrangements

    @invariant()
    def one_pane_always_stays(self) -> None:
        assert any(not set(ALL_PANES) <= one.hidden for one in self.layout.arrangements.values())
        assert not set(ALL_PANES) <= self.layout.arrangement.hidden


TestPanes = Panes.TestCase
TestPanes.settings = settings(max_examples=examples(25), stateful_step_count=40, deadline=None)
