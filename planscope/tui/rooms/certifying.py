"""Z3's word on the verdict: asked for once a run is judged, when the keys leave time for it."""

from __future__ import annotations

from collections.abc import Callable

from planscope.tui.desk import Desk
from planscope.tui.judging import certify, refuted
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.room import Room
from planscope.tui.state import Certificate, RoomState


class Certifying(Room):
    """Keeps what Z3 said of every run that it was asked about, by run."""

    def __init__(self, state: RoomState, paint: Paint, desk: Desk) -> None:
        super().__init__(state, paint, desk)
        self.certificates: dict[str | None, Certificate] = {}

    def certify(self) -> None:
        """Ask Z3 about the current run, unless it was asked already."""
        state = self.state
        if state.run is not None and state.run.under_way:
            return
        if state.progress != "judged" or state.certificate != "asked" or self.jobs.running("certify"):
            return
        run = state.debug.run
        key = state.run.id if state.run else None

        def answered(certificate: Certificate) -> None:
            self.certificates[key] = certificate
            verdict = self.state.verdict
            if certificate == "denied" and verdict is not None:
                verdict = refuted(verdict)
            self.change(certificate=certificate, verdict=verdict)

        def failed(error: Exception) -> None:
            answered("gave up")
            self.tell(f"Z3 could not be asked: {shown(str(error), 120)}")

        stops: list[Callable[[], None]] = []

        def interrupt() -> None:
            for stop in stops:
                stop()

        self.jobs.start(
            "certify", lambda ticket: certify(run, stops.append), answered, failed, interrupt=interrupt
        )
