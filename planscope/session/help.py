"""The help that a run had: calls that were kept from their tools, and what a person changed while it waited.

A run that was helped says less about its agent: whoever tells how it came out tells of the help, and rates count it
apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class Help:
    """How many calls the guard refused and a person did; whose arguments, and how many answers, a person changed.

    What a fork kept from another run counts, too: the agent goes on from there.
    """

    refused_by_guard: int = 0
    refused_by_user: int = 0
    arguments_edited: int = 0
    answers_edited: int = 0

    def __bool__(self) -> bool:
        return bool(
            self.refused_by_guard + self.refused_by_user + self.arguments_edited + self.answers_edited
        )

    @property
    def text(self) -> str:
        """``1 call refused, 2 answers edited by hand``; empty where there was no help."""
        counts = (
            (self.refused_by_guard, "call", "refused"),
            (self.refused_by_user, "call", f"refused {BY_HAND}"),
            (self.arguments_edited, "call", f"edited {BY_HAND}"),
            (self.answers_edited, "answer", f"edited {BY_HAND}"),
        )
        return ", ".join(f"{n} {what}{'' if n == 1 else 's'} {done}" for n, what, done in counts if n)

    @property
    def note(self) -> str:
        """What follows a verdict: ``, helped: 1 call refused``; empty where there was no help."""
        return f", helped: {self.text}" if self else ""

    def agent(self, name: str) -> str:
        """The agent with what stood behind it: ``tools + guard``."""
        return f"{name} + guard" if self.refused_by_guard else name


NO_HELP = Help()


class Told(Protocol):
    """What is known of one call."""

    @property
    def refused_by(self) -> str | None: ...
    @property
    def asked(self) -> object | None: ...
    @property
    def said(self) -> str | None: ...


def help_in(calls: Iterable[Told]) -> Help:
    """The help in calls, each with its answer."""
    told = list(calls)
    return Help(
        sum(call.refused_by == "guard" for call in told),
        sum(call.refused_by == "user" for call in told),
        sum(call.asked is not None for call in told),
        sum(call.said is not None for call in told),
    )
