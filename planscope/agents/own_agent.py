"""Record a user's own agent, with its own model and real tools: two lines in any ``create_agent`` script.

::

    from planscope import record
    agent = create_agent(model, tools, middleware=[record("my_agent.planscope.json", rules="rules.txt")])

Then ``planscope my_agent.planscope.json`` opens the run. Anything that takes callbacks can be recorded, too:
``config={"callbacks": [record(...)]}``. The recorder does not change, slow down or serialise the agent, and its errors
never reach it. With ``rules`` or ``query`` the debugger judges the calls; without them, it only shows them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from langchain.agents.middleware import ModelRequest, ModelResponse

from planscope.agents.conversations import Conversations, Talk
from planscope.agents.gated import Gated
from planscope.agents.graphs import listen
from planscope.agents.recorder import Recorder
from planscope.session.containers import is_session_file
from planscope.session.files import SessionError, read_bytes, writable_target
from planscope.session.locations import library_folder
from planscope.session.lock import Held
from planscope.session.merging import merge_now, merge_soon, recorded_elsewhere, stand_in, stand_ins, warn
from planscope.session.recordings import Journal

if TYPE_CHECKING:
    from planscope.agents.attach.listener import AttachPoint

ATTACH = "PLANSCOPE_ATTACH"
"""The environment variable that lets debuggers attach to every agent that is recorded."""


class FileRecorder(Recorder):
    """Records into journals beside the session file ``path``, and from there into the file.

    ``attach``: a debugger may be attached from another process.
    """

    def __init__(self, path: Path, head: dict[str, object], *, attach: bool = False) -> None:
        self.wanted: Path = path
        self.path = path
        self._head = head
        self._point: AttachPoint | None = None
        super().__init__(Conversations(self.journal, self.complete, place=lambda: str(self.path)))
        self.attempt(self._find_place)
        self.attempt(listen)
        if attach:
            self.attempt(self._let_attach)

    def _let_attach(self) -> None:
        """Let debuggers attach. If that is not possible, warn; the agent is recorded without them."""
        from planscope.agents.attach.listener import attach_point
        from planscope.agents.attach.place import CannotAttach

        try:
            self._point = attach_point(str(self._head["title"]), self.path)
        except CannotAttach as error:
            warn(f"no debugger can be attached to this agent: {error}")
            return
        self.gate = Gated(self.talks, self._point, self.attempt)
        self._point.join(self)

    @property
    def pauses(self) -> bool:
        """Whether a debugger can pause its calls: as a middleware, not as a callback handler."""
        return self._as_middleware

    def watched(self, watch: Callable[..., object] | None) -> None:
        """Call ``watch`` after each event, until another function or None is given."""
        self.talks.watch = watch

    def _answered_by(
        self, talk: Talk | None, began: float, request: ModelRequest, response: object
    ) -> ModelResponse[object] | None:
        if self._point is not None:
            self.talks.deferred = self._point.decides
        return super()._answered_by(talk, began, request, response)

    def _find_place(self) -> None:
        """Record in the library if the given path cannot be a session file, or could not be written before."""
        if self.path in stand_ins:
            self.path = stand_ins[self.path]
            return
        try:
            place = writable_target(self.path)
            if not is_session_file(place) or (
                place.exists() and b'"planscope-session"' not in read_bytes(place)
            ):
                raise SessionError(f"{self.path} is not a session file")
        except SessionError as error:
            self._move(error)

    def _move(self, why: object) -> None:
        self.path = stand_in(self.wanted)
        self.warn(recorded_elsewhere(self.wanted, why), self.wanted)

    def journal(self, said: Mapping[str, object]) -> Journal:
        """Begin the journal of a run. Raises OSError."""
        try:
            journal = Journal(
                self.path,
                {**self._head, **said},
                lambda why: self.warn(f"planscope waits to record: {why.strerror}", self.wanted),
            )
        except OSError as error:
            if self.path.parent == library_folder():
                raise
            self._move(error.strerror)
            return self.journal(said)
        if not self.path.exists():
            merge_soon(self.path)
        if self._point is not None:
            self._point.began(journal, self)
        return journal

    def complete(self) -> None:
        """Merge complete journals into the session's file, soon and in the background."""
        merge_soon(self.path)
        if self._point is not None:
            self._point.ended()

    def leave(self, settle: bool) -> None:
        super().leave(settle)
        if settle:
            with suppress(Held):
                if (said := merge_now(self.path)) is not None:
                    self.warn(said, self.wanted)


def record(
    path: str | Path,
    *,
    title: str | None = None,
    query: str = "",
    timed: bool = False,
    rules: str | Path | Sequence[str] = "",
    attach: bool | None = None,
) -> FileRecorder:
    """Make a middleware that records an agent's runs in a session file. An existing session gets more runs.

    ``rules``: a file of rules about the tools, or the rules as a list of sentences. ``query``: a plan in planscope's
    language; the tools that it names are to be called once each, in its order. It names a tool by its name with blanks
    (``boil_water`` is "boil water"). ``timed``: the query has clock times. Put the recorder first in the list of
    middlewares, so that it sees what the others refuse. It is a callback handler, too. It never raises: a problem is
    one warning, and if the path cannot be a session file, the runs go to the library.

    ``attach``: ``planscope attach`` may debug the agent from another terminal while it runs; by default if the
    environment variable ``PLANSCOPE_ATTACH`` is set, but for "0".
    """
    target = Path(path)
    head = {"title": title or target.name.split(".")[0], "query": query, "timed": timed}
    if attach is None:
        attach = os.environ.get(ATTACH, "") not in ("", "0")
    recorder = FileRecorder(target, head, attach=attach)
    if rules:
        from planscope.rules.in_session import given_text

        head["rules"] = recorder.attempt(given_text, rules) or ""
    return recorder
