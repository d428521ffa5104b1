"""Runs and queries deleted, taken back, deleted for good, saved and opened again in any order: none is lost."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from pytest import MonkeyPatch
from textual.message import Message

from planscope.session.model import ForkPoint, Removal, Run, Session, Variant, next_run_id, next_variant_id
from planscope.session.recovery import recoverable
from planscope.session.store import load
from planscope.tui.controllers import autosave as autosave_
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.run_list import RunList
from planscope.tui.messages import DocumentChanged
from planscope.tui.opening.load import open_session
from tests.fuzz.ledger import Ledger
from tests.nightly import examples
from tests.tui import sessions
from tests.tui.controllers.at_once import JobsAtOnce, Loop, Pool, Posted

Parts = dict[str, Any]
"""What each run and each query of a session holds, by its id."""


def parts_of(session: Session | Removal) -> Parts:
    parts: list[Run | Variant] = [*session.variants, *session.runs]
    return {one.id: one.model_dump() for one in parts}


def in_file(session: Session) -> tuple[Parts, list[Parts]]:
    """What is listed, and what each deletion can bring back."""
    return parts_of(session), [parts_of(removal) for removal in session.removed or ()]


class Removing(RuleBasedStateMachine):
    """``listed`` and ``deleted`` are what has to be there; ``gone``: ids of what the user deleted for good."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.patch = MonkeyPatch()
        for name in ("DATA", "STATE", "CACHE"):
            self.patch.setenv(f"XDG_{name}_HOME", str(self.folder / name.lower()))
        self.loop = Loop()
        self.patch.setattr("asyncio.get_running_loop", lambda: self.loop)
        self.patch.setattr(autosave_, "ThreadPoolExecutor", Pool)
        self.path = sessions.write(sessions.figure_10(), self.folder)
        self.ledger = Ledger()
        self.gone: set[str] = set()
        self.live = ""
        self.open()
        self.listed, self.deleted = in_file(self.session)
        self.saved = in_file(self.session)

    def teardown(self) -> None:
        self.autosave.close()
        self.patch.undo()
        shutil.rmtree(self.folder)

    @property
    def session(self) -> Session:
        return self.document.open_session

    def open(self) -> None:
        """As the application opens a session, and connects what is told."""
        self.document = Document(self.path, self.heard)
        self.autosave = Autosave(self.document, Posted())
        opened = open_session(self.path, self.autosave.hold)
        self.document.open(opened.recovery.load() if opened.recovery is not None else opened.session)
        if opened.recovery is not None:
            self.document.touch()
        self.ledger.watch(self.document, self.autosave)
        self.runs = RunList(self.document, JobsAtOnce("run-verdicts"), Posted())
        self.runs.read()

    def heard(self, message: Message) -> None:
        assert isinstance(message, DocumentChanged)
        if hasattr(self, "runs") and self.runs.document is self.document:
            self.autosave.heard(message)
            self.ledger.heard(message)
            self.runs.heard(message)

    # What is made

    @rule(data=st.data())
    def run_ends(self, data: st.DataObject) -> None:
        """Another run, perhaps a fork of one."""
        of = data.draw(st.sampled_from(self.session.variants)).id
        mine = [run.id for run in self.session.runs if run.variant == of]
        origin = data.draw(st.sampled_from(["", *mine]))
        id = next_run_id(self.session)
        assert id not in self.gone
        forked = ForkPoint(run=origin, step=1) if origin else None
        made = sessions.figure_10().runs[0]
        self.document.put_run(
            made.model_copy(update={"id": id, "variant": of, "forked_from": forked, "title": id})
        )
        self.listed[id] = self.document.run(id).model_dump()

    @precondition(lambda self: not self.live)
    @rule()
    def run_begins(self) -> None:
        made, self.live = sessions.figure_10().runs[0], next_run_id(self.session)
        assert self.live not in self.gone
        run = made.model_copy(update={"id": self.live, "variant": self.session.variants[0].id, "events": []})
        self.document.put_run(run, under_way=True)
        self.listed[self.live] = self.document.run(self.live).model_dump()

    @precondition(lambda self: self.live)
    @rule(over=st.booleans())
    def run_goes_on(self, over: bool) -> None:
        events = sessions.figure_10().runs[0].events
        run = self.document.run(self.live)
        assert run is not None
        if len(run.events) < len(events):
            self.document.append(self.live, events[len(run.events)])
        self.listed[self.live] = run.model_dump()
        if over:
            self.document.put_run(run)
            self.live = ""

    @rule(data=st.data())
    def query_is_edited(self, data: st.DataObject) -> None:
        parent = data.draw(st.sampled_from(self.session.variants))
        id = next_variant_id(self.session)
        assert id not in self.gone
        made = parent.model_copy(update={"id": id, "parent": parent.id})
        self.document.put_variant(made)
        self.listed[id] = made.model_dump()

    # What is deleted

    @rule(row=st.integers(0, 12), all_listed=st.booleans())
    def delete(self, row: int, all_listed: bool) -> None:
        all_listed &= row > 6
        self.runs.choose(row)
        chosen = self.runs.state.chosen
        assert chosen is not None
        said = self.runs.delete(set(), listed=all_listed)
        if said.startswith("not done: "):
            return
        now = parts_of(self.session)
        lost = {id: part for id, part in self.listed.items() if id not in now}
        assert lost and (all_listed or (chosen.place.run or chosen.place.variant) in lost)
        self.deleted.append(lost)
        self.listed = {id: part for id, part in self.listed.items() if id in now}

    @rule()
    def take_back(self) -> None:
        said = self.runs.take_back()
        assert said.startswith("restored: ") == bool(self.deleted), said
        if self.deleted:
            self.listed |= self.deleted.pop()

    @rule()
    def delete_for_good(self) -> None:
        self.runs.delete_for_good()
        self.gone |= {id for one in self.deleted for id in one}
        self.deleted = []

    # What goes on beside

    @rule(seconds=st.sampled_from([0.1, 1.0, 30.0]))
    def time_passes(self, seconds: float) -> None:
        self.loop.pass_time(seconds)

    @rule()
    def title_is_changed(self) -> None:
        self.document.edit(title=self.session.title + "x")

    @rule()
    def another_program_changes_the_file(self) -> None:
        self.path.write_text(self.path.read_text() + " ")

    @rule()
    def leave_and_come_back(self) -> None:
        """What was changed is in the file, or else offered as unsaved work, and nothing of it is missing."""
        if self.live:
            self.run_goes_on(over=True)
        self.runs.close()
        trouble = self.autosave.close()
        found = recoverable(self.path)
        assert bool(trouble) == (found is not None), trouble
        kept = found.load() if found is not None else load(self.path)
        assert in_file(kept) == (self.listed, self.deleted)
        self.open()
        if found is not None:
            found.discard()

    @invariant()
    def nothing_is_lost(self) -> None:
        assert in_file(self.session) == (self.listed, self.deleted)
        assert not self.ledger.broken
        order = [run.id for run in self.session.runs]
        assert len(set(order)) == len(order)
        at_rest = not self.document.unsaved and self.document.saving.state == "saved"
        if at_rest:
            assert in_file(load(self.path)) == (self.listed, self.deleted)


TestRemoving = Removing.TestCase
TestRemoving.settings = settings(max_examples=examples(12), stateful_step_count=25, deadline=None)
