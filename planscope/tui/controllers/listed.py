"""A list with a cursor, a search and filters: frozen state, and the base of the controllers that write it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar, Generic, Self, TypeVar

from planscope.session.run_list import Facet, counts_of, passes
from planscope.tui.controllers.document import Post
from planscope.tui.messages import StateChanged

Thing = TypeVar("Thing")
_words = attrgetter("words")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Generic[Thing]):
    """``listed``: the displayed things, in order. ``at``: the index of the chosen one. ``words``: the search.
    ``facets``: the filters that are set.

    Subclasses define ``everything``, ``facets_of`` and ``ordered``. A search looks in the ``words`` of things, in small
    letters. ``key``: the attribute of a thing that no other has, and that it keeps.
    """

    key: ClassVar[str]
    words: str = ""
    facets: frozenset[Facet] = frozenset()
    listed: tuple[Thing, ...] = ()
    at: int = 0

    @property
    def everything(self) -> Sequence[Thing]:
        """All things that search and filters choose from."""
        raise NotImplementedError

    def facets_of(self, thing: Thing) -> Set[Facet]:
        """Return all filters that find a thing."""
        raise NotImplementedError

    def ordered(self, found: list[Thing]) -> Sequence[Thing]:
        """Sort what is displayed."""
        raise NotImplementedError

    def arranged(self, chosen: object = None) -> Self:
        """Search, filter and sort again. Choose the thing of this key, or keep the chosen one."""
        words = self.words.casefold().split()
        found = [
            thing
            for thing in self.everything
            if passes(self.facets_of(thing), self.facets)
            and (not words or all(map(_words(thing).__contains__, words)))
        ]
        return self.listing(self.ordered(found), chosen)

    @property
    def filtered(self) -> bool:
        """Whether a search or a filter may hide things."""
        return bool(self.words.strip() or self.facets)

    @property
    def chosen(self) -> Thing | None:
        return self.listed[self.at] if self.at < len(self.listed) else None

    def counts(self, kind: str = "") -> list[tuple[Facet, int]]:
        """Return the filters to offer, of a kind, with the numbers of things; those that are set are among them."""
        found = counts_of(map(self.facets_of, self.everything))
        missing = self.facets - {facet for facet, _ in found}
        offered = [*((facet, 0) for facet in sorted(missing)), *found]
        return [(facet, count) for facet, count in offered if kind in ("", facet.kind)]

    def choosing(self, at: int) -> Self:
        """Choose the thing at an index, or the nearest one."""
        return replace(self, at=min(max(at, 0), max(len(self.listed) - 1, 0)))

    def listing(self, found: Sequence[Thing], chosen: object = None) -> Self:
        """Display other things. The one whose key is ``chosen`` is chosen, by default the same as before."""
        key = attrgetter(self.key)
        if chosen is None and self.chosen is not None:
            chosen = key(self.chosen)
        at = next((i for i, thing in enumerate(found) if key(thing) == chosen), self.at)
        return replace(self, listed=tuple(found)).choosing(at)


State = TypeVar("State", bound=Listed[Any])


class ListControl(Generic[State]):
    """The only writer of ``state``. Posts :class:`StateChanged` when it changes."""

    def __init__(self, state: State, post: Post) -> None:
        self.state = state
        self._post = post

    def set(self, state: State) -> None:
        self.state = state
        self._post(StateChanged())

    def arrange(self, chosen: object = None, /, **changes: Any) -> None:
        """Change fields of the state, then search, filter and sort again. ``chosen``: the key of what to choose."""
        self.set(replace(self.state, **changes).arranged(chosen))

    def choose(self, at: int) -> None:
        self.set(self.state.choosing(at))

    def search(self, words: str) -> None:
        self.arrange(words=words)

    def toggle(self, facet: Facet) -> None:
        """Set a filter, or clear it."""
        self.arrange(facets=self.state.facets ^ {facet})

    def clear(self) -> None:
        """End search and filters; the chosen thing stays chosen."""
        self.arrange(words="", facets=frozenset())
