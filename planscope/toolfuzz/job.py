"""What the process of the tools is asked to do. It imports this, and not what only its parent needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planscope.toolfuzz.mcp_process import is_server
from planscope.toolfuzz.outcome import Call

MOST_FILES = 500
LARGEST_FILES = 2_000_000
"""Limits of the tools' folder: files that are told, and their bytes together."""


@dataclass(frozen=True)
class Options:
    """What to fuzz, and how far. ``calls`` and ``seconds`` are for each tool; ``call_limit`` is in seconds.

    ``sequences``: sequences of calls to all tools together; None: by the calls. ``reads`` and ``writes``: names of
    tools in pairs, of which the one reads what the other writes. ``priors``: values that fit the meaning of arguments,
    by tool and argument. ``examples``: calls that are known to work; one without a tool's name is for all. ``folder``:
    one of the user's, of which tools get a copy. ``live_writes``: call also tools of a server at an address that may
    change something there.
    """

    target: str
    tools: tuple[str, ...] = ()
    calls: int | None = 2000
    seconds: float | None = None
    seed: int = 1
    reset: str | None = None
    network: bool = False
    call_limit: float = 2.0
    stop_early: bool = False
    environment: tuple[str, ...] = ()
    sequences: int | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    priors: Mapping[str, Mapping[str, list[object]]] = field(default_factory=dict)
    examples: Sequence[Call] = ()
    folder: str | None = None
    live_writes: bool = False

    @property
    def most_calls(self) -> int | None:
        """The calls of each tool; None: as many as the seconds allow."""
        return None if self.seconds else self.calls

    @property
    def for_tests(self) -> dict[str, object]:
        """What a test of a finding needs besides target and call, where it is not as usual."""
        given = {
            "environment": list(self.environment),
            "network": self.network,
            "folder": self.folder,
            "limit": None if self.call_limit == Options.call_limit else self.call_limit,
        }
        return {name: value for name, value in given.items() if value}

    @property
    def most_sequences(self) -> int:
        """The number of sequences: as given, or else a tenth of the calls, from 10 to 200; at most 40 for a server,
        which is started for each."""
        if self.sequences is not None:
            return self.sequences
        return min(max((self.calls or 2000) // 10, 10), 40 if is_server(self.target) else 200)


@dataclass(frozen=True)
class Job:
    """What the process of the tools is to do. ``work``: ``fuzz``, ``serve`` or ``play``, the program ``play``.

    ``folder``: an empty one; ``base``: the user's; ``private``: more folders that are hidden.
    """

    options: Options
    token: str
    folder: str
    base: str
    private: Sequence[str]
    work: str = "fuzz"
    play: Sequence[Call] = ()
