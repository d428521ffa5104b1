"""Which calls a sub-agent made inside which call, and which of them are hidden when that call is folded."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from planscope.session.record import RecordedCall


class Nesting:
    """The calls inside each call of a run. Calls are named by their steps' indices; 0 stands for no call.

    A record is untrusted: a call that claims to be inside itself or a later call is inside none.
    """

    def __init__(self, calls: Sequence[RecordedCall]) -> None:
        index_of = {call.number: i for i, call in enumerate(calls, 1)}
        self._caller = [0]
        self._inner: dict[int, list[int]] = {}
        self._depth = [0]
        for i, call in enumerate(calls, 1):
            found = index_of.get(call.inside, 0) if call.inside else 0
            caller = found if found < i else 0
            self._caller.append(caller)
            self._depth.append(self._depth[caller] + 1 if caller else 0)
            around = caller
            while around:
                self._inner.setdefault(around, []).append(i)
                around = self._caller[around]

    def __bool__(self) -> bool:
        return bool(self._inner)

    def caller(self, index: int) -> int:
        """Return the call inside which a step was made, or 0."""
        return self._caller[index] if index < len(self._caller) else 0

    def depth(self, index: int) -> int:
        """Return how many calls a step is inside of."""
        return self._depth[index] if index < len(self._depth) else 0

    def inner(self, index: int) -> Sequence[int]:
        """Return the steps made inside a call, at any depth."""
        return self._inner.get(index, ())

    def hidden(self, folded: Collection[int], current: int) -> frozenset[int]:
        """Return the steps that folded calls hide. Calls around the current step are open, so that it is visible."""
        opened = set()
        around = self.caller(current)
        while around:
            opened.add(around)
            around = self.caller(around)
        return frozenset(i for one in folded if one not in opened for i in self.inner(one))
