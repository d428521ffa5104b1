"""Finds the actions of a text without a list of them: the noun phrases in the places where the grammar has actions.

Words that the language does not have, between words that it has, make a name. The result counts only if the whole text
can then be read, and if no two names look like one. Otherwise ``UnsureActions`` says what was found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from planscope.errors import UserError
from planscope.language.cuts import Scanner
from planscope.language.error_messages import NO_CLOCK
from planscope.language.errors import ParseFailure, in_a_line
from planscope.language.free_words import free_vocabulary
from planscope.language.inflection import forms, singular, words
from planscope.language.item_list import marks_of
from planscope.language.problem import Action, make_actions
from planscope.language.reading import MAX_TEXT, ActionNameError, read_query, sentence_spans
from planscope.language.scan import Names, Token, clock_at, cut, phrase_key

MOST_WORDS = 8
"""A name of more words is taken for a sentence that cannot be read."""

_WORD = re.compile(r"[^\W_]+")

_ALIKE = 0.86
"""Two names that are more similar (``SequenceMatcher.ratio``) may be one."""

_ALIKE_BUT_LAST = 0.93
"""The limit of similarity for names whose last words differ."""

_ARTICLES = "a an your our my".split()
_VERBAL = frozenset({"VP0", "NV", "DONV"})
_DOING = "call use launch trigger make start finish complete run".split()
"""Instructions that may be part of a name, such as "call the supplier" and "client's call"."""

_STARTS = frozenset(
    "YOU DOING COMMA AND BUT SEMI THEN FIRST LAST P PSC SC VP WAIT STEP BOTH DO DONT UNTIL DOT".split()
)
"""Types of tokens after which a name begins."""


NAMED = "; pass the names with --actions"


class UnsureActions(UserError, ValueError):
    """The actions of a text are not certain. ``found``: the names that were found, in the order of the text."""

    def __init__(
        self, why: str, found: Sequence[str], at: int = 0, remedy: str = NAMED, readings: Sequence[str] = ()
    ) -> None:
        """``at``: the place of the first words that cannot be read with these names. ``remedy``: what to do on the
        command line. ``readings``: lists of names, with each of which the text can be read."""
        self.at = at
        self.found = tuple(found)
        self.why = why
        self.readings = tuple(readings)
        listed = f'found "{", ".join(found)}"; ' if found else "found no action; "
        super().__init__(f"{listed}{why}{remedy}")


class _Name(NamedTuple):
    """A name with the place of its first mention. ``first``: it begins a sentence, and so has a capital."""

    key: tuple[str, ...]
    words: str
    first: bool


def find_actions(text: str, known: Sequence[str] = (), *, timed: bool = False) -> tuple[str, ...]:
    """Return the names of all actions: the known ones, then others in the text, in the order of the text.

    Raises ``UnsureActions`` if they are not certain, and ``ActionNameError`` for ``known`` as ``read_query`` does.
    """
    actions = make_actions(known)
    last: UnsureActions | None = None
    for verbal in (True, False):
        names = (*known, *new_names(text, actions, verbal=verbal))
        try:
            return _checked(text, names, timed, known)
        except UnsureActions as unsure:
            if unsure.readings:
                raise
            if last is None or unsure.at > last.at:
                last = unsure
    assert last is not None
    raise last


def new_names(text: str, actions: Sequence[Action], *, verbal: bool = False) -> tuple[str, ...]:
    """Return the names in a text that no action has, in the order of the text, whether or not it can be read with
    them.

    ``verbal``: a verb that begins a name belongs to it ("run the tests").
    """
    if len(text) > MAX_TEXT:
        return ()
    scanner = Scanner(names=Names(actions), timed=True, words=free_vocabulary())
    found: dict[tuple[str, ...], _Name] = {}
    for start, end in sentence_spans(text, actions):
        sentence = text[start:end]
        tokens = list(_with_marks(sentence, list(scanner.stream(sentence, list(cut(sentence))))))
        for name in _names(sentence, tokens, verbal):
            before = found.setdefault(name.key, name)
            if before.first and not name.first:
                found[name.key] = name
    return tuple(_plain(name) for name in found.values())


def _with_marks(text: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens with one for the mark of each item of a list."""
    marks = list(marks_of(text))
    for token in tokens:
        mark = next((one for one in marks if one[0] <= token.start < one[1]), None)
        if mark is None:
            yield token
        elif mark[0] == token.start:
            yield Token("STEP", *mark)


def _names(text: str, tokens: Sequence[Token], verbal: bool) -> Iterator[_Name]:
    at = 0
    while at < len(tokens):
        end = _name_end(text, tokens, at, verbal)
        if end == at:
            at += 1
            continue
        begin = at
        if text[tokens[at].start : tokens[at].end].lower() == "the" and end > at + 1:
            begin = at + 1
        words = " ".join(text[tokens[begin].start : tokens[end - 1].end].split())
        if key := phrase_key(words):
            yield _Name(key, words, begin == 0 or tokens[begin - 1].type == "STEP" or begin > at == 0)
        at = end


def _name_end(text: str, tokens: Sequence[Token], at: int, verbal: bool) -> int:
    """Return the place after the name that begins at ``at``, or ``at`` itself if none does."""
    token = tokens[at]
    own = text[token.start : token.end]
    follows = at + 1 < len(tokens) and tokens[at + 1].type == "UNKNOWN"
    if token.type == "HINT" and own.lower() in _ARTICLES:
        begins = follows or own == "A"
    elif verbal and (token.type in _VERBAL or (token.type == "DO" and own.lower() in _DOING)):
        begins = follows and (at == 0 or tokens[at - 1].type in _STARTS)
    else:
        begins = _is_name(text, token) and not own[0].isdigit()
    if not begins:
        return at
    end = at + 1
    while end < len(tokens) and (_is_name(text, tokens[end]) or _goes_on(text, tokens, end)):
        end += 1
    return end


def _is_name(text: str, token: Token) -> bool:
    """Return whether an unknown word may be part of a name: "must" and "have" begin a verb that is not known."""
    return token.type == "UNKNOWN" and text[token.start : token.end].lower() not in _BEGIN_VERBS


_BEGIN_VERBS = "must should shall will would has have had is are was were needs ought does".split()


def _goes_on(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Return whether a name continues with a word that the language has or has a hint for."""
    token = tokens[at]
    word = text[token.start : token.end].lower()
    if token.type == "STEP":
        return False
    if token.type == "DO" and word in _DOING and tokens[at - 1].type == "UNKNOWN":
        return True
    if token.start == tokens[at - 1].end and word not in ",.;":
        return True
    if word in words("particles") and tokens[at - 1].type == "UNKNOWN" and _ends_there(tokens, at + 1):
        return True
    glued = at + 1 < len(tokens) and tokens[at + 1].start == token.end and word in "-'/"
    more = at + 1 < len(tokens) and tokens[at + 1].type in ("UNKNOWN", "HINT")
    return word in words("inside") and (glued or more) and _reaches_a_word(text, tokens, at + 1)


def _ends_there(tokens: Sequence[Token], at: int) -> bool:
    """Return whether no object can follow, so that a word before belongs to a verb: "log in before ..." """
    ends = "COMMA DOT SEMI AND BUT P PSC SC THEN".split()
    return at == len(tokens) or tokens[at].type in ends


def _reaches_a_word(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word that only names have follows, after at most a few words that may be inside a name."""
    while at < len(tokens) and text[tokens[at].start : tokens[at].end].lower() in words("inside"):
        at += 1
    return at < len(tokens) and tokens[at].type == "UNKNOWN"


def _plain(name: _Name) -> str:
    """Return the name without the capital of a sentence's first word."""
    head = name.words.partition(" ")[0]
    plain = head in ("A", "An") if len(head) < 3 else not any(c.isupper() for c in head[1:])
    if name.first and head[:1].isupper() and plain and name.words != "A":
        return name.words[0].lower() + name.words[1:]
    return name.words


def _checked(text: str, names: Sequence[str], timed: bool, known: Collection[str]) -> tuple[str, ...]:
    """Return the names if the text can be read with them and they are certain."""
    new = [name for name in names if name not in known]
    if not names:
        raise UnsureActions('write which comes before which, such as "lunch precedes nap"', (), remedy="")
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            if (one in new or other in new) and _may_be_one(one, other):
                raise _one_or_two(text, names, (one, other), timed)
    if long := next((name for name in new if len(name.split()) > MOST_WORDS), None):
        raise UnsureActions(f'"{long}" is too long for a name', names)
    try:
        reading = read_query(text, make_actions(names), timed=timed)
    except ActionNameError as error:
        raise UnsureActions(str(error), names) from None
    except ParseFailure as failure:
        why = in_a_line(failure.errors)
        remedy = "" if NO_CLOCK in why else "; correct it, or pass --actions"
        raise UnsureActions(
            f"the text cannot be read with these: {why}", names, failure.errors[0].span[0], remedy
        ) from None
    used = {action for c in reading.problem.said for action in c.actions}
    if idle := [a.name for a in reading.problem.actions if a.id not in used and a.name in new]:
        raise UnsureActions(f'nothing is said about "{idle[0]}"', names)
    if doubt := _doubtful_verb(text, names):
        raise UnsureActions(f'is "{doubt}" one name?', names, remedy=" pass the names with --actions")
    return tuple(names)


def _one_or_two(text: str, names: Sequence[str], pair: tuple[str, str], timed: bool) -> UnsureActions:
    """Return the error of two names that may be one action's, with the list of names in either case."""
    by_size = sorted(names, key=lambda name: (-len(_content(name)), len(name)))
    double = {two for i, one in enumerate(by_size) for two in by_size[i + 1 :] if _may_be_one(one, two)}
    ways = [[name for name in names if name not in double], list(names)]
    for option in ("--actions", "--timed --actions"):  # clock times are read in a timed query only
        readings = [", ".join(way) for way in ways if _can_be_read(text, way, timed or "--timed" in option)]
        if readings:
            break
    why = f'"{pair[0]}" and "{pair[1]}" may be one action; write the same words in both places'
    told = " or, if there are two, ".join(f'{option} "{way}"' for way in readings)
    return UnsureActions(why, names, remedy=f", or pass {told}" if told else NAMED, readings=readings)


def _can_be_read(text: str, names: Sequence[str], timed: bool) -> bool:
    try:
        read_query(text, make_actions(names), timed=timed)
    except (ParseFailure, ActionNameError):
        return False
    return True


def _content(name: str) -> list[str]:
    """Return the words of a name without articles."""
    return [word for word in _WORD.findall(name.casefold()) if word not in words("articles")]


def _may_be_one(one: str, other: str) -> bool:
    """Return whether two names are alike, or one has all words of the other, perhaps in another form: "refund" and "the
    customer's refund", "checking the policy" and "check the refund policy"."""
    a, b = (" ".join(_without_article(name.casefold()).split()) for name in (one, other))
    if a == b or a + "s" == b or b + "s" == a or a + "es" == b or b + "es" == a:
        return True
    few, many = sorted((_content(one), _content(other)), key=len)
    shared = all(any(_same_word(word, mate) for mate in many) for word in few)
    if few and shared and any(_same_word(word, head) for word in few for head in (many[0], many[-1])):
        return True
    ratio = SequenceMatcher(None, a, b).ratio()
    return min(len(a), len(b)) > 5 and ratio > (_ALIKE if a.split()[-1] == b.split()[-1] else _ALIKE_BUT_LAST)


def _same_word(one: str, other: str) -> bool:
    return singular(one) == singular(other) or one in forms(other) or other in forms(one)


def _without_article(name: str) -> str:
    head, _, rest = name.partition(" ")
    return rest if rest and head in ("the", *_ARTICLES) else name


def _doubtful_verb(text: str, names: Sequence[str]) -> str:
    """Return words such as "test run" in "Test run before lunch", whose verb does not agree with one action; or ""."""
    scanner = Scanner(names=Names(make_actions(names)), timed=True, words=free_vocabulary())
    tokens = list(scanner.stream(text, list(cut(text))))
    for before, one, verb in zip((None, *tokens), tokens, tokens[1:], strict=False):
        alone = before is None or before.type not in ("AND", "COMMA")
        own = text[one.start : one.end]
        plural = verb.type == "VP0" and verb.meaning.number == "p"
        if one.type == "ACTION" and plural and alone and not own.endswith("s"):
            return text[one.start : verb.end]
    return ""


def names_hours(text: str) -> bool:
    """Return whether a text has a clock time, such as 15:00, 3 pm or noon."""
    if len(text) > MAX_TEXT:
        return False
    clocks = (clock_at(text, piece.start) for piece in cut(text))
    return any(clock is not None and isinstance(clock[1], int) for clock in clocks)
