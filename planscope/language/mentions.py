"""Finds actions that a text names in other forms of their words: "after building the image", "once the image has been
built", "the creation of the account", "push it".

A mention is certain or none: it has all words of one action's name, but for articles, plurals and the form of the verb;
or, if only one action has this verb, the verb with "it", with some of the words, or alone as a noun ("the migration").
In the passive the object is the token of the action, and auxiliary and verb are read as those of "executed": in "the
image can't be pushed" the words "can't be pushed" mean "can't be executed".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import NamedTuple

from planscope.language import english
from planscope.language.inflection import forms, in_full, singular, words
from planscope.language.problem import Action
from planscope.language.scan import Piece, Token, cut, phrase_key

LONGEST_GAP = 7
"""Limit of pieces between an object and its verb in the passive."""

_MOST_ARTICLES = 20

_JOINED = ("AND", "COMMA", "OR", "BOTH")
_BESIDE = ("P", "PSC", "VP")


_BEFORE_NOUN = frozenset(
    "no any all many more fewer most least than of every each second later earlier previous prior subsequent".split()
)
_CAUSING = "have get let want having getting".split()
_USING = "call use using make leave leaving touch keep save open close buy sell".split()
"""Behind these an object is not the action that has it."""
_VAGUE = frozenset("order step task action thing rest time day end start beginning call tool".split())
"""Objects that mean something else alone."""


class _Action(NamedTuple):
    """An action's content words: ``verb``, ``rest``, and the ``particle`` of the verb ("up"), or none. ``whole``:
    another way to read a name such as "web search", which is mentioned by all its words only."""

    id: str
    verb: str
    rest: tuple[str, ...]
    particle: str
    whole: bool = False


def _token(action: _Action, pieces: Sequence[Piece], start: int, end: int) -> Token:
    return Token("ACTION", pieces[start].start, pieces[end - 1].end, action=action.id)


class Mention(NamedTuple):
    """Tokens for some pieces. ``elliptic``: the verb of the mention before is its verb, too ("has been built and
    pushed")."""

    tokens: tuple[Token, ...]
    width: int
    action: _Action
    elliptic: bool = False


class Named:
    """What was named so far in a sentence. ``passive``: the last mention was in the passive."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []
        self.last: Mention | None = None
        self.token = ""
        """The type of the last token."""
        self.passive = False

    @property
    def needs(self) -> bool:
        """Whether a list behind "needs" begins or goes on here."""
        row = dropwhile(lambda one: one.type in (*_JOINED, "ACTION"), reversed(self.tokens))
        return self.token != "ACTION" and next((one.type for one in row), "") == "WAIT"

    def add(self, token: Token) -> None:
        self.tokens.append(token)
        self.token = token.type

    def tell(self, mention: Mention) -> None:
        """Add the tokens of a mention. An elliptic one goes before the verb that it shares."""
        if mention.elliptic:
            verb = max(
                (k for k, one in enumerate(self.tokens) if one.type not in (*_JOINED, "ACTION")), default=-1
            )
            self.tokens += [*mention.tokens, self.tokens.pop(verb)]
        else:
            self.tokens += mention.tokens
            self.passive = len(mention.tokens) > 1
        self.last, self.token = mention, "ACTION"


def _words(name: str) -> Iterator[str]:
    for piece in cut(name):
        yield from (word for word in piece.key.split("_") if word and word not in words("articles"))


def _ways(action: Action) -> Iterator[_Action]:
    """Yield the ways to read a name: look up the order, lookup order, and web search, whose verb is last."""
    verb, *rest = [*_words(action.name)] or [""]
    if len(verb) < 2:
        return
    particle = ""
    if rest and (rest[0] in words("particles") or rest[-1] in words("particles")):
        particle = rest.pop(0 if rest[0] in words("particles") else -1)
    yield _Action(action.id, verb, tuple(rest), particle)
    for end in words("particles"):
        if rest and not particle and verb.endswith(end) and len(verb) > len(end) + 2:
            yield _Action(action.id, verb.removesuffix(end), tuple(rest), end, whole=True)
    if len(rest) == 1 and len(phrase_key(action.name)) == 2 and len(rest[0]) > 1:
        yield _Action(action.id, rest[0], (verb,), "", whole=True)


def _command(action: Action, actions: Sequence[Action]) -> Iterator[_Action]:
    """Yield the way to read git_push by its last word, if no other action has it."""
    space, *rest = [*_words(action.name)] or [""]
    if len(rest) == 1 and space in words("spaces"):
        others = {word for one in actions if one.id != action.id for word in _words(one.name)}
        if forms(rest[0]).keys().isdisjoint({*others, *map(singular, others)}):
            yield _Action(action.id, rest[0], (), "", whole=True)


def _is(said: str, word: str, *, last: bool) -> bool:
    said, word = in_full(said), in_full(word)
    return said == word or (last and singular(said) == singular(word))


def _form(word: str) -> str:
    return singular(in_full(word))


Auxiliary = Callable[[Sequence[Piece]], tuple[int, Token | None]]
"""Reads "has been executed" at the beginning of some pieces: how many it takes, and its token, or None."""


class Mentions:
    """Finds mentions of some actions among the pieces of a text."""

    def __init__(self, actions: Iterable[Action], auxiliary: Auxiliary, *, nouns: bool = False) -> None:
        """``nouns``: "the release" means "publish the release" if no other action has these words."""
        actions = tuple(actions)
        self.nouns = nouns
        self.bare = {a.id for a in actions if not any(p.key in words("articles") for p in cut(a.name))}
        self.auxiliary = auxiliary
        self.actions: list[_Action] = []
        self.verbs: dict[str, list[_Action]] = {}
        """By form of a verb, the actions that have the verb."""
        self.objects: dict[str, list[_Action]] = {}
        """By first word of an object."""
        self.words: set[str] = set()
        """All forms of the actions' verbs, and the last words of their names."""
        self.articles = frozenset(words("articles")) - {action.name.casefold() for action in actions}
        for made in (way for action in actions for way in (*_ways(action), *_command(action, actions))):
            if not made.whole:
                self.actions.append(made)
                self.words |= {*forms(made.verb), *made.rest[-1:], *map(singular, made.rest[-1:])}
            for form in forms(made.verb):
                self.verbs.setdefault(form, []).append(made)
            if made.rest:
                self.objects.setdefault(_form(made.rest[0]), []).append(made)

    def at(self, pieces: Sequence[Piece], at: int, said: Named) -> Mention | None:
        """Return the longest mention that begins at a place, or None if there is none or it is not certain."""
        start = self._skip(pieces, at) if pieces[at].key != "both" else at
        if start >= len(pieces):
            return None
        found = [
            *self._active(pieces, at, start, said.token),
            *self._passive(pieces, start, said),
            *self._object(pieces, at, start),
            *self._caused(pieces, at),
        ]
        if said.last is not None and said.token in (*_JOINED, "THEN"):
            found += self._shared(pieces, start, said)
        if said.token in _BESIDE and start > at:
            found += self._other_object(pieces, start, said)
        if not found:
            return None
        width = max(one.width for one in found)
        longest = [one for one in found if one.width == width]
        one = longest[0]
        if any(other.action.id != one.action.id for other in longest):
            return None
        return one._replace(width=width + start - at)

    def _skip(self, pieces: Sequence[Piece], at: int) -> int:
        """Return the place after articles. Of a long row of them, which nobody writes, some are left."""
        start = at
        while at < min(start + _MOST_ARTICLES, len(pieces)):
            of_all = pieces[at].key == "of" and at > start and pieces[at - 1].key in ("all", "both")
            if pieces[at].key not in self.articles and not of_all:
                break
            at += 1
        return at

    def _match(self, wanted: Sequence[str], pieces: Sequence[Piece], at: int) -> int | None:
        """Return the place after all these words, which may have articles, or None. The last may be in the plural."""
        for left, word in zip(range(len(wanted) - 1, -1, -1), wanted, strict=True):
            at = self._skip(pieces, at)
            if at >= len(pieces) or not _is(pieces[at].key, word, last=left == 0):
                return None
            at += 1
        return at

    def _some(self, wanted: Sequence[str], pieces: Sequence[Piece], at: int) -> int | None:
        """Return the place after some of these words in their order, the last one included, or None."""
        left = list(wanted)
        end = None
        while left and (at := self._skip(pieces, at)) < len(pieces):
            found = next(
                (k for k, word in enumerate(left) if _is(pieces[at].key, word, last=k + 1 == len(left))), None
            )
            if found is None:
                break
            left = left[found + 1 :]
            at = end = at + 1
        return None if left else end

    def _alone(self, action: _Action, as_noun: bool = False) -> bool:
        """Return whether no other action has this verb, and as a noun, whether no name has it among its other words."""
        own = forms(action.verb)
        others = [other for other in self.actions if other.id != action.id]
        if any(other.verb in own for other in others):
            return False
        return not as_noun or not any(singular(word) in own for other in others for word in other.rest)

    def _active(self, pieces: Sequence[Piece], at: int, start: int, before: str) -> Iterator[Mention]:
        """Yield mentions with the verb first: "build the image", "building of the image", "push it"."""
        piece = pieces[start]
        for action in self.verbs.get(piece.key, ()) or self.verbs.get(singular(piece.key), ()):
            kinds = forms(action.verb).get(piece.key) or forms(action.verb)[singular(piece.key)] & {"noun"}
            ends = [self._rest(action, pieces, start + 1, of=bool(kinds & {"ing", "noun", "other"}))]
            as_noun = "noun" in kinds and (start > at or piece.key != action.verb)
            as_noun |= not kinds.isdisjoint(("s", "noun")) and self._counted(pieces, start)
            if ends == [None] and not action.whole and self._alone(action, as_noun):
                ends = [self._partly(action, pieces, start + 1)]
                instructed = "base" in kinds and before in ("DO", "DONT", "YOU")
                if ends == [None] and ("ing" in kinds or as_noun or instructed):
                    behind = pieces[start + 1].key if start + 1 < len(pieces) else ""
                    ends = [start + 1 + (behind == action.particle != "")]
            if ends == [None]:
                ends = [self._sharing_object(action, pieces, start + 1)]
            for end in ends:
                if end is not None:
                    yield Mention((_token(action, pieces, start, end),), end - start, action)

    def _object(self, pieces: Sequence[Piece], at: int, start: int) -> Iterator[Mention]:
        """Yield "the smoke tests" for "run the smoke tests", whose verb says no more than "do", and "the release" for
        "publish the release"."""
        behind = pieces[at - 1].key if at else ""
        for action in self.objects.get(_form(pieces[start].key), ()):
            vague = action.verb in words("doing") and not action.particle
            vague |= action.verb in words("making") and (self._counted(pieces, start) or start > at)
            definite = start > at and pieces[start - 1].key in ("the", "our", "your")
            noun = self.nouns and definite and action.id not in self.bare and behind not in _USING
            noun = noun and not _VAGUE.issuperset(action.rest)
            if (
                (vague or noun)
                and not self._elsewhere(action)
                and (end := self._match(action.rest, pieces, start)) is not None
            ):
                yield Mention((_token(action, pieces, start, end),), end - start, action)

    def _caused(self, pieces: Sequence[Piece], at: int) -> Iterator[Mention]:
        """Yield "have the office cleaned", "get it done" and "let the dough rest"."""
        if not self.nouns or pieces[at].key not in _CAUSING:
            return
        start = self._skip(pieces, at + 1)
        said = pieces[start].key if start < len(pieces) else ""
        for action in self.actions:
            end = self._match(action.rest, pieces, start) if action.rest else None
            if said in words("pronouns") and self._alone(action):
                end = start + 1
            kind = "base" if pieces[at].key == "let" else "done"
            if end is not None and end < len(pieces) and kind in forms(action.verb).get(pieces[end].key, ()):
                yield Mention((_token(action, pieces, at, end + 1),), end + 1 - at, action)

    def _elsewhere(self, action: _Action) -> bool:
        """Return whether another action has a word of this one's object."""
        own = set(map(singular, action.rest))
        return any(
            other.id != action.id and not own.isdisjoint(map(singular, (other.verb, *other.rest)))
            for other in self.actions
        )

    def _rest(self, action: _Action, pieces: Sequence[Piece], at: int, of: bool) -> int | None:
        """Return the place after all other words of an action, whose particle may be in two places."""
        orders = [action.rest]
        if action.particle:
            orders = [(*action.rest, action.particle), (action.particle, *action.rest)]
        starts = [at]
        if at < len(pieces) and pieces[at].key in words("more") and pieces[at].key != action.particle:
            starts.append(at + 1)
        if of and at < len(pieces) and pieces[at].key == "of":
            starts.append(at + 1)
        ends = [self._match(order, pieces, begin) for order in orders for begin in starts]
        return max((end for end in ends if end is not None), default=None)

    def _partly(self, action: _Action, pieces: Sequence[Piece], at: int) -> int | None:
        """Return the place after "it", or after some of the words of the only action with a verb."""
        if at < len(pieces) and pieces[at].key == "of":
            at += 1
        new = self._skip(pieces, at)
        if action.rest and [piece.key for piece in pieces[new : new + 2]] in (
            ["new", "one"],
            ["other", "one"],
        ):
            return new + 2
        if action.rest and at < len(pieces) and pieces[at].key in words("pronouns"):
            at += 1
            if action.particle and at < len(pieces) and pieces[at].key == action.particle:
                at += 1
            return at
        return self._some(action.rest, pieces, at) if len(action.rest) > 1 else None

    def _sharing_object(self, action: _Action, pieces: Sequence[Piece], at: int) -> int | None:
        """Return ``at`` if the verb has its object behind another verb: "download and clean the data"."""
        behind = at
        while behind < len(pieces) and pieces[behind].key in (",", "and", "or"):
            behind += 1
        if behind == at or behind >= len(pieces):
            return None
        for other in self.verbs.get(pieces[behind].key, ()):
            same = other.rest == action.rest and other.rest and not action.particle
            if same and self._rest(other, pieces, behind + 1, of=False) is not None:
                return at
        return None

    def _passive(self, pieces: Sequence[Piece], start: int, said: Named) -> Iterator[Mention]:
        """Yield mentions with the object first: "the image has been built", "it's been built", "the image build"."""
        if pieces[start].key in words("pronouns"):
            clear = {action.id: () for action in self.actions if self._alone(action)}
            yield from self._done(pieces, start, start + 1, clear, said)
            return
        ends: dict[int, dict[str, tuple[str, ...]]] = {}
        for action in self.objects.get(_form(pieces[start].key), ()):
            for size in range(1, len(action.rest) + 1):
                if (end := self._match(action.rest[:size], pieces, start)) is not None:
                    ends.setdefault(end, {})[action.id] = action.rest[size:]
        for end, left in ends.items():
            yield from self._done(pieces, start, end, left, said)

    def _done(
        self, pieces: Sequence[Piece], start: int, end: int, left: Mapping[str, tuple[str, ...]], said: Named
    ) -> Iterator[Mention]:
        """Yield mentions whose object is from ``start`` to ``end``. ``left``: by action, the words behind the verb."""
        at = end
        while at < min(end + LONGEST_GAP, len(pieces)):
            several = pieces[at].key not in self.verbs
            for action in self.verbs.get(singular(pieces[at].key) if several else pieces[at].key, ()):
                particle = (action.particle,) if action.particle else ()
                stop = None
                if action.id in left:
                    stop = self._match((*left[action.id], *particle), pieces, at + 1)
                if stop is None:
                    continue
                own = forms(action.verb)
                kinds = own[singular(pieces[at].key)] & {"noun"} if several else own[pieces[at].key]
                elliptic = said.passive and said.token in _JOINED and "done" in kinds
                verbal = {*words("pronouns"), *self.articles}.intersection(
                    one.key for one in (pieces[start], *pieces[at + 1 : at + 2])
                )
                nominal = not kinds.isdisjoint(("ing", "other")) or (
                    "noun" in kinds and (singular(pieces[at].key) != action.verb or not verbal)
                )
                nominal |= "done" in kinds and said.needs  # "needs the tests run"
                nominal |= kinds == {"s"} and self._counted(pieces, start)  # "two flight searches"
                if at > end and "done" in kinds:
                    yield from self._with_auxiliary(action, pieces, (start, end, at, stop))
                elif at == end and (elliptic or nominal):
                    yield Mention((_token(action, pieces, start, stop),), stop - start, action, elliptic)
            if pieces[at].key not in words("auxiliaries"):
                return
            at += 1

    def _counted(self, pieces: Sequence[Piece], start: int) -> bool:
        """Return whether a noun must begin here, and no verb: "no transfer", not "once the customer calls"."""
        before = pieces[start - 1].key if start else ""
        return not self.nouns and (before in english.COUNTING | _BEFORE_NOUN or before.isdigit() or not start)

    def _with_auxiliary(
        self, action: _Action, pieces: Sequence[Piece], places: tuple[int, int, int, int]
    ) -> Iterator[Mention]:
        """Yield the mention whose object, auxiliary and verb end at these places, if the auxiliary has a meaning."""
        start, end, verb, stop = places
        said = {one.key for one in pieces[end:verb]}
        if start and pieces[start - 1].key == "all" and not said.isdisjoint(("not", "never", "t")):
            return  # "all nodes are not drained" may be about some
        for instead in ("executed", "done"):
            whole = Piece(pieces[verb].start, pieces[stop - 1].end, instead, False)
            row = [*pieces[end:verb], whole, *pieces[stop : stop + LONGEST_GAP]]
            width, done = self.auxiliary(row)
            if done is not None and width > verb - end:
                yield Mention(
                    (_token(action, pieces, start, end), done),
                    stop - start + width - (verb - end) - 1,
                    action,
                )
                return

    def _shared(self, pieces: Sequence[Piece], start: int, said: Named) -> Iterator[Mention]:
        """Yield mentions that share the verb or the object of the last one: "write the code and the tests", "has been
        trained and evaluated"."""
        assert said.last is not None
        last = said.last.action
        for action in self.actions:
            if action.verb == last.verb and action.rest and (end := self._match(action.rest, pieces, start)):
                yield Mention((_token(action, pieces, start, end),), end - start, action)
        for action in self.verbs.get(pieces[start].key, ()) if said.passive else ():
            if action.rest == last.rest and "done" in forms(action.verb)[pieces[start].key]:
                elliptic = said.token != "THEN"
                yield Mention((_token(action, pieces, start, start + 1),), 1, action, elliptic)

    def _other_object(self, pieces: Sequence[Piece], start: int, said: Named) -> Iterator[Mention]:
        """Yield "the flight" in "book the hotel before the flight", which has the verb of the last mention. If another
        action has this object, too, either can be meant."""
        named = next((token.action for token in reversed(said.tokens) if token.type == "ACTION"), "")
        last = next((one for one in self.actions if one.id == named), None)
        if last is None:
            return
        others = [one for one in self.actions if one.rest and one.id != last.id]
        for one in others:
            end = self._match(one.rest, pieces, start)
            if one.verb == last.verb and not one.particle and end is not None:
                token = _token(one, pieces, start, end)
                same = [other.id for other in others if other.rest[-len(one.rest) :] == one.rest]
                either = tuple((token._replace(action=own),) for own in same) if len(same) > 1 else ()
                yield Mention((token._replace(either=either),), end - start, one)
