"""Puts the tokens of a natural sentence into the order and the types that natural.lark has: what says nothing is left
out, pronouns become the actions that they mean, and words that stand behind what they are about move before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planscope.language.natural import asking
from planscope.language.problem import Action
from planscope.language.scan import Meaning, Token, load_hints

_AND = Meaning("AND", "and")
_RELATING = ("P", "PSC", "SC", "VP", "WAIT", "WHEN", "UNTIL", "PT")
_NEGATING = ("DONT", "DONTNEG", "NEG", "NEGVP", "NOTHING")
_NATURAL_VERBS = ("NEG", "DONTNEG", "NV", "DONV", "WAIT", "NEGVP", "COME")
_CONTINUING = ("THEN", "AFTERWARDS", "LAST")
_BEGINNING = (
    "",
    "COMMA",
    "AND",
    "BUT",
    "SEMI",
    "DOT",
    "FIRST",
    "ORDER",
    "STEP",
    "DO",
    "DONT",
    "YOU",
    "MAYDO",
    *_CONTINUING,
)
_PRONOUNS = ("it", "that", "this")
_SILENT = (
    "UNKNOWN",
    "HINT",
    "YOU",
    "DO",
    "COMMA",
    "SEMI",
    "AND",
    "BUT",
    "AT",
    "DOT",
    "BOTH",
    "DOING",
)


def arranged(text: str, tokens: Sequence[Token], actions: Sequence[Action]) -> list[Token]:
    """Return the tokens of a sentence as natural.lark has them. A part that asks nothing becomes one ASIDE at the
    beginning."""
    row = list(tokens)
    row = list(_bounds(_without_aside(text, _without_tail(row))))
    row = _without_free_clauses(list(_named(text, row, actions)))
    return list(_plain(text, row))


def asks_nothing(text: str, tokens: Sequence[Token], own: Iterable[str] = ()) -> bool:
    """Return whether a sentence names no action and has no word with which it could ask for something. ``own``: words
    of the actions.

    Or it says that there is no order: "For the rest the order does not matter."
    """
    types = {token.type for token in tokens}
    if "FREE" in types:
        return types.isdisjoint((*_RELATING, *_CONTINUING, "FIRST", "REST", "ORDER", "TIME"))
    words = [
        text[token.start : token.end].casefold() for token in tokens if token.type not in ("COMMA", "DOT")
    ]
    known = asking() | set(own)
    said = " ".join(words)
    obliged = any(have in f" {said} " for have in (" has to ", " have to "))
    return len(words) > 2 and types <= set(_SILENT) and known.isdisjoint(said.split()) and not obliged


def _without_aside(text: str, tokens: list[Token]) -> list[Token]:
    """Make an ASIDE of "We do it so: ..." and "To cut a release, ..." at the beginning, if it asks nothing."""
    for at, token in enumerate(tokens):
        said = text[token.start : token.end]
        purpose = said == "," and text[tokens[0].start : tokens[0].end].lower() == "to"
        aside = (said == ":" or purpose) and 1 < at < len(tokens) - 2 and asks_nothing(text, tokens[:at])
        if aside and all(one.type != "FREE" for one in tokens[:at]):
            return [Token("ASIDE", tokens[0].start, token.end), *tokens[at + 1 :]]
        if token.type not in _SILENT or said == ":":
            return tokens
    return tokens


def _without_free_clauses(tokens: list[Token]) -> list[Token]:
    """Leave out a clause that says that there is no order, to its comma: "It doesn't matter how you do A, but ..." """
    free = next((at for at, token in enumerate(tokens) if token.type == "FREE"), None)
    if free is None:
        return tokens
    end = next((at for at in range(free, len(tokens)) if tokens[at].type in ("COMMA", "SEMI")), None)
    if end is None or any(token.type in ("COMMA", "SEMI") for token in tokens[:free]):
        return tokens
    rest = tokens[end + 1 :]
    return rest[1:] if rest and rest[0].type in ("AND", "BUT") else rest


def _without_tail(tokens: list[Token]) -> list[Token]:
    """Leave out ", not before" behind "B after A", and ", not the other way around"."""
    end = len(tokens) - (bool(tokens) and tokens[-1].type == "DOT")
    if end < 2:
        return tokens
    tail, comma = tokens[end - 1], tokens[end - 2]
    relations = {token.meaning.relation for token in tokens[: end - 1]} - {""}
    same = tail.type == "PT" and comma.type == "COMMA" and relations == {tail.meaning.relation}
    if not same and tail.type != "TAIL":
        return tokens
    return tokens[: end - 1 - (comma.type == "COMMA")] + tokens[end:]


def _bounds(tokens: Sequence[Token]) -> Iterator[Token]:
    """Put the word of a bound before its clock time: "at 15:00 or later", "by 15:00 at the latest"."""
    for at, token in enumerate(tokens):
        if token.type == "AT" and _bound(tokens, at + 2) is not None:
            continue
        if token.type == "BOUND" and _bound(tokens, at) is not None:
            continue
        bound = _bound(tokens, at + 1)
        if bound is not None and (at == 0 or tokens[at - 1].type != "PT"):
            yield bound._replace(type="PT")
        yield token


def _bound(tokens: Sequence[Token], at: int) -> Token | None:
    """Return the token at a place if it says which bound the clock time before it is."""
    if not 0 < at < len(tokens) or (tokens[at].type, tokens[at - 1].type) != ("BOUND", "TIME"):
        return None
    said = tokens[at - 2] if at > 1 else None
    if said is None or said.type != "PT" or said.meaning.relation == tokens[at].meaning.relation:
        return tokens[at]
    return None


def _named(text: str, tokens: Sequence[Token], actions: Sequence[Action]) -> Iterator[Token]:
    """Yield the actions that "it", "both", "everything", "which" and the beginning "Then" mean."""
    said: dict[str, Token] = {}
    for at, token in enumerate(tokens):
        before = tokens[at - 1].type if at else ""
        after = tokens[at + 1].type if at + 1 < len(tokens) else ""
        if token.type == "ACTION":
            said[token.action] = token
        word = text[token.start : token.end].lower()
        if token.type == "HINT" and word in _PRONOUNS and before in _RELATING and len(said) == 1:
            yield from (one._replace(start=token.start, end=token.end) for one in said.values())
        elif token.type == "BOTH" and after != "ACTION" and len(two := _before_the_clause(tokens[:at])) == 2:
            one, other = (Token("ACTION", token.start, token.end, action=action) for action in two)
            yield from (one, Token("AND", token.start, token.start, _AND), other)
        elif token.type == "AND" and len(said) == 1 and _afterwards(tokens, at):
            yield token._replace(type="SEMI", meaning=Meaning("SEMI", ";"))
            yield from said.values()
            yield tokens[at + 2]
        elif token.type == "AFTERWARDS" and at > 1 and len(said) == 2 and _afterwards(tokens, at - 2):
            continue
        elif token.type == "EVERYTHING" and "TIME" in [t.type for t in tokens[at + 1 : at + 4]]:
            for place, action in enumerate(actions):
                if place:
                    yield Token(
                        "AND" if place + 1 == len(actions) else "COMMA", token.start, token.start, _AND
                    )
                yield Token("ACTION", token.start, token.end, action=action.id)
        elif token.type == "WHICH" and after in _NATURAL_VERBS and _single(tokens, at):
            yield token._replace(type="AND", meaning=_AND)
            yield tokens[at - 2]
        elif token.type == "DOT" and after in _CONTINUING and len(said) == 1 and not _chained(tokens[:at]):
            yield token._replace(type="SEMI", meaning=Meaning("SEMI", ";"))
            yield from (one._replace(start=token.start, end=token.end) for one in said.values())
        else:
            yield token


def _before_the_clause(tokens: Sequence[Token]) -> list[str]:
    """Return the actions that were named before the last mark between clauses."""
    mark = max((at for at, token in enumerate(tokens) if token.type in ("COMMA", "SEMI")), default=0)
    return list(dict.fromkeys(token.action for token in tokens[:mark] if token.type == "ACTION"))


def _afterwards(tokens: Sequence[Token], at: int) -> bool:
    """Return whether "and B afterwards" begins here, behind something else that is said about A."""
    types = [token.type for token in tokens[at : at + 4]]
    ends = types[3:] in ([], ["DOT"], ["SEMI"], ["COMMA"])
    return (
        types[:3] == ["AND", "ACTION", "AFTERWARDS"]
        and ends
        and any(t.type in _RELATING for t in tokens[:at])
    )


def _single(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a "which" is behind a single action and a comma."""
    types = ["", *(token.type for token in tokens[:at])]
    return types[-2:] == ["ACTION", "COMMA"] and types[-3] not in ("AND", "COMMA")


def _chained(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence only names actions, so that a "Then" behind it goes on a chain."""
    return {token.type for token in tokens} <= {
        "ACTION",
        "COMMA",
        "AND",
        "DO",
        "DOT",
        *_CONTINUING,
        "FIRST",
        "ORDINAL",
    }


def _plain(text: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield every token with the type that it has where it stands, without marks and words that say nothing there."""
    for at, token in enumerate(tokens):
        before = tokens[at - 1].type if at else ""
        after = tokens[at + 1].type if at + 1 < len(tokens) else ""
        said = text[token.start : token.end].lower()
        if token.type == "COMMA" and _trailing(text, tokens, at):
            continue
        if token.type == "DOT" and after == "STEP":
            continue
        if token.type == "HINT" and before == "AND" and said == _preposition(tokens[:at]):
            continue
        if said in ("!", "?") and not after and (said == "!" or tokens[0].type in ("DO", "DONT")):
            yield token._replace(type="DOT")
            continue
        kind = _type(text, tokens, at, before, said)
        if kind in _UNUSED:
            yield _unread("when" if kind == "WHEN?" else said, token)
        elif kind == "AND" and token.type != "AND":
            yield token._replace(type="AND", meaning=_AND)
        else:
            yield token._replace(type=kind, words=token.words or said)


def _type(text: str, tokens: Sequence[Token], at: int, before: str, said: str) -> str:
    """Return the type of a token where it stands: "run" as an instruction or as a verb, and so on."""
    token = tokens[at]
    match token.type:
        case "NOR":
            return "AND"
        case "OR" if _each(tokens, at):
            return "AND"
        case "VP0" if said == "run" and before in _BEGINNING:
            return "DO"
        case "NEG" if said.endswith(" run") and before in _BEGINNING:
            return "DONT"
        case "MAY" if at + 1 < len(tokens) and _says_only(text, tokens[at + 1]):
            return "NV"
        case "MAY" if all(one.type != "NOTHING" for one in tokens):
            return "MAY?"
        case "MAYDO" if at and _says_only(text, tokens[0]):
            return "DO"
        case "DO" if _says_only(text, token):
            relation = next((one.meaning.relation for one in tokens[at:] if one.meaning.relation), "")
            return "DO?" if relation == "<" else "DO"
        case "WHEN" if token.meaning.relation == ">" and _happening(tokens, at):
            return "WHEN?"
    return token.type


def _preposition(tokens: Sequence[Token]) -> str:
    """Return the last word of "depends on", which may be repeated: "depends on A and on B"."""
    return next((token.words.split()[-1] for token in reversed(tokens) if token.type == "WAIT"), "")


_UNUSED = ("OR", "AT", "LEAD", "TAIL", "BOUND", "EVERYTHING", "MAYDO", "MAY?", "DO?", "WHEN?")
"""Types of words that mean nothing where they stand: "may happen", "only do A before B", "when B happens"."""


def _unread(said: str, token: Token) -> Token:
    """Return a token for words that mean nothing where they are, with their hint or that of their first word."""
    hints = load_hints()
    hint = hints.get(said) or hints.get(said.split()[0])
    return token._replace(type="HINT" if hint else "UNKNOWN", meaning=Meaning("HINT", hint or ""))


def _happening(tokens: Sequence[Token], at: int) -> bool:
    """Return whether "when" does not mean after: "when B happens", "A must be finished when B has started"."""
    if any(token.type in ("NV", "DONV") and token.meaning.value == "end" for token in tokens[:at]):
        return True
    verbs = ("VP0", "NV", "DONV", "DOING", "YOU", "HAVING")
    verb = next((token for token in tokens[at:] if token.type in verbs), None)
    done = verb is not None and (verb.type == "DOING" or verb.meaning.value == "end")
    return not done


def _says_only(text: str, token: Token) -> bool:
    return text[token.start : token.end].lower().startswith("only")


def _trailing(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Return whether words that say nothing were left out between a comma and the end (", please.")."""
    if at + 1 == len(tokens):
        return any(char.isalpha() for char in text[tokens[at].end :])
    return tokens[at + 1].type == "DOT" and any(
        char.isalpha() for char in text[tokens[at].end : tokens[at + 1].start]
    )


_BEFORE_OR = ("ACTION", "COMMA", "OR", "NOR", "DOING", "YOU", "DO", "HAVING")


def _each(tokens: Sequence[Token], at: int) -> bool:
    """Return whether an "or" means each: "before A or B", "don't do A or B"."""
    head = at - 1
    while head > 0 and tokens[head].type in _BEFORE_OR:
        head -= 1
    if tokens[head].type in ("DONT", "DONTNEG"):
        return True
    negated = any(token.type in _NEGATING for token in tokens[:at])
    return (
        tokens[head].type in ("P", "PSC", "SC", "WHEN")
        and tokens[head].meaning.relation == "<"
        and not negated
    )
