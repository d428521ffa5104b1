"""What a fork keeps of the run that it begins with."""

from __future__ import annotations

from typing import Any

from planscope.session.events import AnswerEvent, CallEvent, Event, MessageEvent, PromptEvent
from planscope.session.model import Run


def events_up_to(run: Run, step: int, *, answer: str | None = None) -> list[Event]:
    """The run's events up to the answer to ``step`` (0: the prompt), each marked as kept.

    ``answer`` stands in for the answer to ``step``. Calls of the same message behind it are gone: they were never
    made here.
    """
    last = next((i for i, e in enumerate(run.events) if isinstance(e, CallEvent) and e.step == step), -1)
    kept: list[Event] = []
    for place, event in enumerate(run.events):
        change: dict[str, Any] = {"kept": True}
        match event:
            case PromptEvent():
                pass
            case MessageEvent() if place < last:
                pass
            case CallEvent() if event.step <= step:
                pass
            case AnswerEvent() if event.step <= step:
                if event.step == step and answer is not None:
                    change |= {"text": answer, "said": event.said or event.text}
            case _:
                continue
        kept.append(event.model_copy(update=change))
    return kept
