"""Reads a text into tree and problem, sentence by sentence (rendering is the inverse). Known sentences are cached."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice, pairwise

from planscope.language import english
from planscope.language.build import SentenceReading, build
from planscope.language.cuts import Scanner
from planscope.language.derive import problem_of_tree
from planscope.language.errors import ParseError, ParseFailure, Trouble
from planscope.language.item_list import NUMBERED, ItemList, announced, list_at, names_a_list, parts_of
from planscope.language.outline import OutlineNode, outline
from planscope.language.problem import Action, Problem, Span
from planscope.language.render import render
from planscope.language.scan import MAX_PIECES, ActionNameError, Names, cut
from planscope.language.sentence import SentenceReader
from planscope.language.skeleton import Skeletons, Unread
from planscope.language.tree import Query, Sentence, is_natural

__all__ = [
    "ActionNameError",
    "ParseError",
    "ParseFailure",
    "PartReading",
    "Reading",
    "paper_reading",
    "read_partly",
    "read_query",
]

MAX_TEXT = 1_000_000
"""A text of more code points is not read."""

MAX_ERRORS = 200
"""After this many broken sentences, the rest of a text is not read."""

MAX_HEADING = 60
"""The limit for a line that announces a list, in code points."""

_KEPT = 4096
_KEPT_LENGTH = 5000
"""How many sentences are cached for one set of actions. Longer ones (code points) are not cached."""

_CONTINUED = re.compile(
    r"(?:and |only )?(?:then|next|after (?:that|this)|afterwards?|subsequently|thereafter|finally|lastly|step [0-9]+:)"
    r"(?!\w)",
    re.IGNORECASE,
)
"""The beginning of a sentence that goes on the one before it."""

_POINTING = re.compile(
    r"\b(?:it|that|this|both|them|all (?:two|three|four)|the (?:two|former|latter)|afterwards?|beforehand"
    r"|comes? next|later)\b",
    re.IGNORECASE,
)
"""Words with which a sentence may speak of the one before it."""

_DENIED = (
    r"\b(?:don't|(?:do|must|should|may|shall|can) ?not|mustn't|shouldn't|never|no)\b"
    r"(?! (?:before|after|later|earlier|sooner))[^.;]*"
)
_AT = r"(?:[0-9]|noon|midnight)"
_DOUBTED = re.compile(
    rf"{_DENIED}\bbetween {_AT}|{_DENIED}\b(?:before|after|until)\b[^.;]*\bbut (?:before|after)\b"
    rf"|\bnot (?:before|after|by|until) {_AT}[^.;]*\bbut\b"
    rf"|{_DENIED}\b(?:before|after|by|until) {_AT}[^.;]*\bn?or\b[^.;]*\b(?:before|after|by|until)\b"
    r"|\b(?:can't|cannot|can not|couldn't|could not) not\b"
    r"|\b(?:afterwards?|later|then|after (?:that|this|it))\b[^.;]*\bbut\b[^.;]*\bfirst\b"
    r"|\bin (?:that|this) (?:order|sequence),? and\b"
    r"|\band\b[^.;]*\b(?:before|after) (?:you (?:do|start) |doing |starting )?(?:any|every)thing else\b"
    rf"|\bbother\b(?!.*\buntil\b)|\b(?:won't|will not|isn't|is not) (?:be )?\w+ by {_AT}",
    re.IGNORECASE,
)
"""A denial of two things, of which one may be meant, or of the hours between two."""
_CORRECTING = re.compile(
    r"\A\W*(?:correction|on second thoughts?|(?:scratch|strike) that|(?:no,? )?wait(?=,)|oops|my (?:mistake|bad)|"
    r"make (?:that|it)(?= [0-9])|actually,? (?:no|swap|reverse|make))\b|"
    r"\b(?:no|or|sorry|actually|rather|wait|oops)[ ,:-]*(?:rather )?(?:make (?:it|that) )?(?:the )?other way "
    r"a?round\b",
    re.IGNORECASE,
)
"""What takes back or changes what was said."""
_CLOSED = re.compile(
    r"[;,]\s*(?:strictly |exactly )?in (?:exactly )?(?:that|this) (?:order|sequence)\s*[.!]?\Z", re.I
)
"""Before these words, semicolons only part a list."""
_THEN = re.compile(r"\b(?:by|before|after) then\b", re.IGNORECASE)
_CLOCK = re.compile(
    rf"[0-9] ?[ap]\.?m\b|[0-9]:00|\b(?:noon|midnight|(?:before|after|by|until|from) {_AT})", re.IGNORECASE
)
"""Behind an hour, "by then" may mean it or the action."""
_BEHIND = re.compile(
    r"\b(?:and|but) (?:(?:before|after|prior to|ahead of|following) (?:that|it|this|both|doing so)|once done) "
    r"(?P<verb>\w+)(?! (?:the|an?|all|my|our|your|it)\b)|\b(?:(?:before|after|following) (?=\w+ing\b)"
    r"|(?:once|after|when|until) (?:you|we|i) (?:have )?)"
    r"(?=\w+\b[^.;:,]*\band (?:please |also )?(?P<own>\w+)(?!.*\b(?:before|after|once|until)\b))",
    re.IGNORECASE,
)
"""A command behind these may be of its own."""

_CHAINS = re.compile(r"(?P<first>[^\n]*(?:->|=>|\u2192)[^\n]*)\n[^\n]*(?:->|=>|\u2192)")
"""Lines that are chains each: they need no period."""

_BESIDE_NAMES = frozenset(("please", "and", "also", "!"))
"""What may stand beside an action in these."""

_LISTING = _BESIDE_NAMES | {",", ";", "&"}
"""The same of a list of actions."""

_HALF_OF_DAY = re.compile(r"(?<=[0-9 \u00a0])[ap]\.m\.", re.IGNORECASE)
"""Its periods end no sentence, unless the text ends there or a capital follows."""

MOST_JOINED = 50
"""Limit of sentences that are read as one."""

_WINDOW = 100
"""How many pieces are scanned for the end of a sentence if names contain periods."""


@dataclass(frozen=True)
class Reading:
    """A text with its tree and problem. The tree's spans point into ``text``.

    ``left_out``: the spans of sentences, and of words before a sentence, that name no action and ask nothing.
    """

    text: str
    tree: Query
    problem: Problem
    left_out: tuple[Span, ...] = ()

    @property
    def left_out_words(self) -> list[str]:
        """What is left out, each part in one line."""
        return [" ".join(self.text[start:end].split()) for start, end in self.left_out]

    @cached_property
    def outline(self) -> tuple[OutlineNode, ...]:
        """The tree as a flat list to display."""
        return outline(self.tree, self.problem, self.text)


class _Reader:
    def __init__(self, actions: tuple[Action, ...], timed: bool, kept: bool) -> None:
        self._names = Names(actions)
        self._scanner = Scanner(names=self._names, timed=timed)
        self._sentences = SentenceReader(self._scanner, kept)
        self._skeletons = Skeletons(self._names, timed)
        self._remembered = lru_cache(maxsize=_KEPT)(self._sentences.read)

    def sentence(self, text: str, before: str = "") -> SentenceReading | Trouble:
        """Read a sentence, or some together, also behind a greeting. ``before``: what stands before them."""
        if (taken := _CORRECTING.search(text)) is not None:
            why = "this may change what was said; say it in that sentence itself"
            return Trouble(taken.span(), taken[0], ("a sentence with one meaning",), why)
        if _CLOSED.search(text):
            text = text.replace(";", ",")
        found = self._framed(text, before)
        if isinstance(found, Trouble) or found.tree is None:
            return found
        if (title := self._title(text, found.asides)) is not None:
            told = text[slice(*title)].rstrip(" :")
            why = f'"{told}:" may say more than a title does; leave it out'
            return Trouble(title, text[slice(*title)], ("a sentence without a title",), why)
        if (doubt := self._doubt(text, before)) is None:
            return found
        why = "it is not certain what this belongs to; say it in a sentence of its own"
        return Trouble(doubt, text[slice(*doubt)], ("a sentence with one meaning",), why)

    def _framed(self, text: str, before: str) -> SentenceReading | Trouble:
        found = self._sentence(text, before)
        if not isinstance(found, Trouble) or found.readings or found.idle:
            return found
        frame = self._skeletons.frame(text)
        if frame == len(text):
            return replace(found, idle=True)
        again = self._sentence(" " * frame + text[frame:], before) if frame else found
        if isinstance(again, Trouble):
            return again if again.readings or again.idle else found
        return again._replace(asides=((0, frame), *again.asides))

    def _doubt(self, text: str, before: str) -> Span | None:
        """Return the words that may belong to one thing or to another, or None."""
        if match := _DOUBTED.search(text):
            return match.span()
        if (match := _THEN.search(text)) and (_CLOCK.search(before) or _CLOCK.search(text)):
            return match.span()
        for match in _BEHIND.finditer(text):
            if (match["verb"] or match["own"]).casefold() in self._names.first_words:
                return match.span()
        return None

    def _title(self, text: str, left_out: Sequence[Span]) -> Span | None:
        """Return what is left out before a colon if it may take back what stands behind ("Tried and failed:")."""
        for start, end in left_out:
            title = text[start:end].rstrip()
            if title[-1:] == ":" or text[end:].lstrip()[:1] == ":":
                said = " ".join(title.removesuffix(":").lower().split())
                if not announced(said) and self._skeletons.frame(title) < len(title):
                    return start, end
        return None

    def _sentence(self, text: str, before: str) -> SentenceReading | Trouble:
        found = self._remembered(text) if len(text) <= _KEPT_LENGTH else self._sentences.read(text)
        if not isinstance(found, Trouble) or found.readings or found.idle or found.expected == NUMBERED:
            return found
        try:
            ways = self._skeletons.read(text, before)
        except Unread as unread:
            return self._without(text, before, found, unread.span)
        told = [one for one in ways if one.tree is not None and one.tree.clauses]
        if len(ways) == 1 and not told:
            return replace(found, idle=True)
        if told and len(told) == len(ways):
            return self._sentences.only(text, told, [])
        listed, others = self._skeletons.named_in(text)
        return found if "" in listed or not others <= _LISTING else replace(found, lists=frozenset(listed))

    def _without(self, text: str, before: str, found: Trouble, span: Span) -> Trouble:
        """Return the error with what the text would say without a word that is not known."""
        word = text[slice(*span)]
        advised = "; write " in found.message or "did you mean" in found.message
        if advised or not word.isalpha() or word.casefold() in english.FUNCTION | english.SOFT:
            return found
        try:
            ways = self._skeletons.read(text[: span[0]] + text[span[1] :], before)
        except Unread:
            return found
        if len(ways) != 1 or ways[0].tree is None or not ways[0].tree.clauses:
            return found
        plain = render(Query((ways[0].tree,)), self._names.actions).text
        return replace(
            found, message=f'{found.message}; without "{word}" it says "{plain}"', suggestions=(plain,)
        )

    def sentences(self, text: str) -> Iterator[tuple[int, int, SentenceReading | Trouble]]:
        """Yield every sentence with its span and its reading or error. Sentences such as "Then B." are read together
        with the one before them, or else by themselves."""
        row: list[Span] = []
        left = self.spans(text)
        ahead: deque[Span] = deque()
        before: Span | None = None
        ordering = " order" in text.casefold()
        while ahead or (ahead := deque(islice(left, 1))):
            span = ahead.popleft()
            begins = ordering and (before is None or not self._skeletons.named_in(text[slice(*before)])[0])
            before = span
            size = self._in_order(text, span, left, ahead) if begins else 0
            some = [span, *islice(ahead, size)]
            if size and not isinstance(
                found := self.sentence(_as_list(text, some), text[: span[0]]), Trouble
            ):
                if row:
                    yield from self._together(text, row)
                    row = []
                before = [ahead.popleft() for _ in range(size)][-1]
                yield span[0], before[1], found
                continue
            if (
                ordering
                and row
                and self._skeletons.in_order(text[slice(*span)])
                and not self._goes_on(text, row[-1], span)
            ):
                yield from self._together(text, row)
                row = []
                why = "say of which actions it is the order: one sentence an action, and no more in it"
                yield *span, Trouble((0, span[1] - span[0]), text[slice(*span)], ("actions",), why)
                continue
            if row and not (len(row) < MOST_JOINED and self._goes_on(text, row[-1], span)):
                yield from self._together(text, row)
                row = []
            row.append(span)
        if row:
            yield from self._together(text, row)

    def _in_order(self, text: str, span: Span, left: Iterator[Span], ahead: deque[Span]) -> int:
        """Return how many sentences behind one belong to it, where all only name actions and the last says "in that
        order"; 0 if it does not. What was looked at is added to those ahead."""
        for k in range(MOST_JOINED):
            actions, others = self._skeletons.named_in(text[slice(*span)])
            if len(actions - {""}) != 1 or not others <= _BESIDE_NAMES:
                return 0
            ahead += islice(left, k == len(ahead))
            if k == len(ahead):
                return 0
            span = ahead[k]
            if k and self._skeletons.in_order(text[slice(*span)]):
                return k + 1
        return 0

    def _together(self, text: str, row: list[Span]) -> Iterator[tuple[int, int, SentenceReading | Trouble]]:
        if len(row) > 1:
            start, end = row[0][0], row[-1][1]
            found = self.sentence(text[start:end], text[:start])
            if not isinstance(found, Trouble) or found.readings:
                yield start, end, found
                return
        for start, end in row:
            yield start, end, self.sentence(text[start:end], text[:start])

    def _goes_on(self, text: str, last: Span, span: Span) -> bool:
        """Return whether a sentence goes on the one before it: it begins with "Then", or one of them cannot be read by
        itself, and the other may say "it"."""
        if _CONTINUED.match(text, span[0]):
            return True
        alone = (isinstance(self._remembered(text[slice(*one)]), Trouble) for one in (last, span))
        return _POINTING.search(text, *span) is not None and any(alone)

    def spans(self, text: str) -> Iterator[Span]:
        """Return the spans of the sentences with their periods, without surrounding white space."""
        return self._spans(text, 0, len(text), True)

    def _spans(self, text: str, start: int, stop: int, lists: bool) -> Iterator[Span]:
        """Return the spans of the sentences, and of ``lists``, in a part of the text."""
        while start < stop:
            if text[start].isspace():
                start += 1
            elif lists and (found := self._list(text, start)) is not None:
                for begin, end in parts_of(text, found):
                    whole = begin == found.start
                    yield from ((begin, end),) if whole else self._spans(text, begin, end, False)
                start = found.end
            else:
                end = min(self._period(text, start) + 1 or stop, stop)
                if (line := _CHAINS.match(text, start, end)) is not None:
                    end = line.end("first")
                yield start, end
                start = end

    def _list(self, text: str, at: int) -> ItemList | None:
        """Return the list of lines that begins at a place of the text, or None."""
        line = text.rfind("\n", 0, at) + 1
        if (
            text[at].isalpha()
            and text[at + 1 : at + 2] not in ".)"
            and ":" not in text[at : at + MAX_HEADING]
            and not names_a_list(text, at, self._names)
        ):
            return None
        return None if text[line:at].strip() else list_at(text, at, self._names)

    def _period(self, text: str, start: int) -> int:
        """Return the place of the period that ends the sentence at ``start``, or -1."""
        period = text.find(".", start)
        while period > 0 and (half := _HALF_OF_DAY.match(text, period - 1)) is not None:
            if (behind := text[half.end() :].lstrip()) and not behind[0].isupper():
                period = text.find(".", half.end())
            else:
                return half.end() - 1
        if period < 0 or not self._names.dotted:
            return period
        if not self._names.dot_ends_word and text[period + 1 : period + 2].isspace():
            return period
        for window in (_WINDOW, MAX_PIECES):
            pieces = list(islice(cut(text, start), window + self._names.longest))
            cut_off = pieces[window].start if len(pieces) > window else len(text)
            for token in self._scanner.stream(text, pieces):
                if token.start >= cut_off:
                    break
                if token.type == "DOT":
                    return token.start
        return -1


def _as_list(text: str, spans: Sequence[Span]) -> str:
    """Return some sentences and one that says "in that order" as one, in which all places stay."""
    parts = [text[start : after - 1] + "," for (start, _), (after, _) in pairwise(spans)]
    parts = [re.sub(r"[.!;]", ",", part) for part in parts]
    start, end = spans[-1]
    return f"{''.join(parts)}{'in that order':{end - start}}"


@lru_cache(maxsize=8)
def _reader(key: tuple[tuple[str, str, str], ...], timed: bool, kept: bool) -> _Reader:
    return _Reader(tuple(Action(*row) for row in key), timed, kept)


@dataclass(frozen=True)
class PartReading:
    """The readable part of a text. ``reading``: the sentences without errors, or None if there are none.

    ``sentences``: the spans of all sentences, broken ones too; a constraint's ``sentence`` counts all of them.
    """

    reading: Reading | None
    errors: tuple[ParseError, ...]
    sentences: tuple[Span, ...]


def read_query(text: str, actions: Iterable[Action], *, timed: bool = False, kept: bool = False) -> Reading:
    """Read a paragraph about the given actions. In a timed query an action without a duration takes 1 hour.

    ``kept``: the text comes from a file that was read before. Older versions of synthesis wrote "A precedes B, which
    follows C, D and E" to say that B follows all three; a kept text is read so, while in a new text this is ambiguous.

    Raises ParseFailure with an error for every broken sentence (up to ``MAX_ERRORS``), and ActionNameError for an empty
    name or two names that are equal but for case.
    """
    actions = tuple(actions)
    sentences = []
    errors: list[ParseError] = []
    left_out: list[Span] = []
    for span, found in _sentences(text, actions, timed, kept):
        if isinstance(found, ParseError):
            errors.append(found)
            left_out.append(span)
        else:
            sentences.append(build(*found))
            left_out += _aside(*found)
    if not sentences:
        raise ParseFailure([error for error in errors if not error.idle] or errors)
    reading = _reading(text, tuple(sentences), actions, timed, tuple(left_out))
    if wrong := _unread(errors, reading):
        raise ParseFailure(wrong)
    return reading


def _unread(errors: Iterable[ParseError], reading: Reading) -> list[ParseError]:
    """Return the errors of sentences that ask for something: not of those that only list actions whose order the others
    say."""
    said = [{c.before, c.after} for c in reading.problem.said if c.kind == "order"]
    return [one for one in errors if not (one.idle or any(pair <= one.lists for pair in said))]


def read_partly(text: str, actions: Iterable[Action], *, timed: bool = False) -> PartReading:
    """Read a text that is still being written: all sentences without errors. Raises ActionNameError as
    ``read_query`` does."""
    actions = tuple(actions)
    sentences, numbers = [], []
    broken: list[tuple[ParseError, Span]] = []
    spans: list[Span] = []
    left_out: list[Span] = []
    for span, found in _sentences(text, actions, timed):
        if isinstance(found, ParseError):
            broken.append((found, span))
        else:
            sentences.append(build(*found))
            numbers.append(len(spans))
            left_out += _aside(*found)
        spans.append(span)
    every = [error for error, _ in broken]
    if not sentences:
        return PartReading(None, tuple(every), tuple(spans))
    reading = _reading(text, tuple(sentences), actions, timed, ())
    errors = _unread(every, reading)
    left_out += [span for error, span in broken if error not in errors]
    reading = replace(reading, left_out=tuple(sorted(left_out)))
    if errors:
        counted = tuple(
            c if c.sentence is None else replace(c, sentence=numbers[c.sentence])
            for c in reading.problem.constraints
        )
        reading = replace(reading, problem=replace(reading.problem, constraints=counted))
    return PartReading(reading, tuple(errors), tuple(spans))


def _sentences(
    text: str, actions: tuple[Action, ...], timed: bool, kept: bool = False
) -> Iterator[tuple[Span, tuple[SentenceReading, int] | ParseError]]:
    """Yield every sentence with its place and its reading, whose places count from there, or its error.

    After ``MAX_ERRORS`` broken ones the rest is left out. A text that is too long or empty has one error.
    """
    reader = _reader(tuple((a.id, a.name, a.tool) for a in actions), timed, kept)
    if len(text) > MAX_TEXT:
        message = f"the text is longer than {MAX_TEXT:,} characters"
        whole = (0, len(text))
        yield whole, ParseError(1, 1, "", ("a shorter text",), message, whole)
        return
    broken = 0
    empty = True
    for start, end, found in reader.sentences(text):
        empty = False
        if not isinstance(found, Trouble):
            yield (start, end), (found, start)
            continue
        yield (start, end), found.located(text, start)
        broken += 1
        if broken >= MAX_ERRORS:
            return
    if empty:
        yield (0, 0), ParseError(1, 1, "", ("a sentence",), "the text is empty", (0, 0))


def _aside(found: SentenceReading, start: int) -> Iterator[Span]:
    return ((begin + start, end + start) for begin, end in found.asides)


def _reading(
    text: str,
    sentences: tuple[Sentence, ...],
    actions: tuple[Action, ...],
    timed: bool,
    left_out: tuple[Span, ...],
) -> Reading:
    if timed:
        actions = tuple(replace(a, duration=1) if a.duration is None else a for a in actions)
    tree = Query(sentences, (sentences[0].span[0], sentences[-1].span[1]))
    return Reading(text, tree, problem_of_tree(tree, actions, timed=timed, text=text), left_out)


def sentence_spans(text: str, actions: Iterable[Action]) -> Iterator[Span]:
    """Yield the spans of the sentences of a text, and of its lists of actions, whether or not they can be read."""
    key = tuple((a.id, a.name, a.tool) for a in actions)
    return _reader(key, True, False).spans(text)


def paper_reading(reading: Reading) -> Reading:
    """Return the query in the paper's words if it has natural sentences: the same constraints in another text. Else
    itself."""
    if not is_natural(reading.tree):
        return reading
    actions, timed = reading.problem.actions, reading.problem.timed
    found = read_query(render(reading.tree, actions).text, actions, timed=timed)
    return replace(found, problem=replace(found.problem, own=reading.problem.own))
