"""Puts the tokens of a natural sentence into the order and the types that natural.lark has: what says nothing is left
out, pronouns become the actions that they mean, and words that stand behind what they are about move before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planscope.language.clauses import asides, covering, listed
from planscope.language.problem import Action
from planscope.language.scan import Meaning, Token, load_hints

_AND = Meaning("AND", "and")
RELATING = ("P", "PSC", "SC", "VP", "WAIT", "WHEN", "UNTIL", "PT")
_NEGATING = ("DONT", "DONTNEG", "NEG", "NEGVP", "NOTHING")
_NATURAL_VERBS = ("NEG", "DONTNEG", "NV", "DONV", "WAIT", "NEGVP", "COME")
_VERBS = (*_NATURAL_VERBS, "VP", "VP0")
_CONTINUING = ("THEN", "AFTERWARDS", "LAST")
_STARTING = ("", "COMMA", "AND", "BUT", "SEMI", "DOT")
_BEGINNING = (*_STARTING, *_CONTINUING, "FIRST", "ORDER", "STEP", "DO", "DONT", "YOU", "MAYDO")
_SILENT = ("UNKNOWN", "HINT", "YOU", "DO", "COMMA", "SEMI", "AND", "BUT", "AT", "DOT", "BOTH", "DOING")


def arranged(text: str, tokens: Sequence[Token], actions: Sequence[Action]) -> list[Token]:
    """Return the tokens of a sentence as natural.lark has them. A part that asks nothing becomes one ASIDE at the
    beginning."""
    left_out, row = _without_asides(text, tokens)
    row = list(_bounds(row))
    row = _without_bare(_without_free_clauses(list(_named(text, _then_first(_forbidden(row)), actions))))
    return [*left_out, *_plain(text, row)]


def asks_nothing(text: str, tokens: Sequence[Token], own: Iterable[str] = ()) -> bool:
    """Return whether a sentence names no action and has no word with which it could ask for something. ``own``: words
    of the actions.

    Or it says that there is no order: "For the rest the order does not matter."
    """
    types = {token.type for token in tokens}
    if "FREE" in types:
        return types.isdisjoint((*RELATING, *_CONTINUING, "FIRST", "ORDER", "TIME"))
    words = [
        text[token.start : token.end].casefold() for token in tokens if token.type not in ("COMMA", "DOT")
    ]
    known = listed("asking") | set(own)
    said = " ".join(words)
    obliged = any(have in f" {said} " for have in (" has to ", " have to "))
    return len(words) > 2 and types <= set(_SILENT) and known.isdisjoint(said.split()) and not obliged


def _without_asides(text: str, tokens: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """Return what is said beside the order, and the rest: "(it takes a minute)", ", because it is slow", "The oven is
    free from 13:00 on, so ..." """
    if not tokens:
        return [], []
    named = [(one.start, one.end) for one in tokens if one.type in _NAMING]
    telling = [(one.start, one.end) for one in tokens if one.type not in (*_SILENT, "COME")]
    spans = asides(text, (tokens[0].start, tokens[-1].end), named, telling)
    within = covering(spans)
    left = [one for one in tokens if not within(one.start)]
    row: list[Token] = []
    opened = False
    for at, token in enumerate(left):
        said = text[token.start : token.end]
        inside = said == "(" and at + 1 < len(left) and left[at + 1].type in RELATING
        if not inside and not (said == ")" and token.type == "HINT" and not opened):
            row.append(token)
            opened = opened or said == "("
    return [Token("ASIDE", *span) for span in spans], row


_NAMING = ("ACTION", "REST", "NOTHING", "EVERYTHING", "BOTH")


def _without_free_clauses(tokens: list[Token]) -> list[Token]:
    """Leave out a clause that says that there is no order, to its comma: "It doesn't matter how you do A, but ..." """
    free = next((at for at, token in enumerate(tokens) if token.type == "FREE"), None)
    if free is None:
        return tokens
    marks = ("COMMA", "SEMI", "DOT")
    end = next((at for at in range(free, len(tokens) - 1) if tokens[at].type in marks), None)
    if end is None or any(token.type in ("COMMA", "SEMI") for token in tokens[:free]):
        return tokens
    rest = tokens[end + 1 :]
    return rest[1:] if rest and rest[0].type in ("AND", "BUT") else rest


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


def _forbidden(row: list[Token]) -> list[Token]:
    """Put what forbids a whole order before it: "A before B is not allowed"."""
    *types, last = [token.type for token in row if token.type != "DOT"] or [""]
    single = types[:1] + types[2:] in (["ACTION", "ACTION"], ["ACTION", "DOING", "ACTION"])
    if not single or last not in ("NEG", "DONTNEG") or types[1] not in ("P", "PSC", "UNTIL", "WITHOUT"):
        return row
    at = len(types)
    return [row[at]._replace(type="DONT", meaning=Meaning("DONT")), *row[:at], *row[at + 1 :]]


def _then_first(tokens: Sequence[Token]) -> list[Token]:
    """Put a "then" before its action: "and B afterwards", "B comes next"."""
    row = list(tokens)
    for at, token in enumerate(row):
        ends = at + 1 == len(row) or row[at + 1].type in ("DOT", "SEMI", "COMMA", "AND")
        if token.type not in ("THEN", "AFTERWARDS") or not ends:
            continue
        begin = at - 1 - (row[at - 1].type in ("COME", "NV"))
        if begin < 1 or row[begin].type != "ACTION":
            continue
        while row[begin - 1].type in ("DO", "YOU") and begin > 1:
            begin -= 1
        if row[begin - 1].type in ("AND", "SEMI", "DOT", "COMMA"):
            row[begin : at + 1] = [token, *(one for one in row[begin:at] if one.type != "COME")]
    return row


def _named(text: str, tokens: Sequence[Token], actions: Sequence[Action]) -> Iterator[Token]:
    """Yield the actions that "it", "both", "everything", "which" and the beginning "Then" mean."""
    every = [tuple(action.id for action in actions)]
    for at, token in enumerate(tokens):
        before = tokens[at - 1].type if at else ""
        after = tokens[at + 1].type if at + 1 < len(tokens) else ""
        word = text[token.start : token.end].lower()
        if token.type == "HINT" and word in _PRONOUNS and (_refers(before, after) or "e " in word):
            found = _candidates(tokens, at, word)
            if before == "DO" and word == "that":  # behind a list, "do that" may mean its last action
                found += [one[-1:] for one in found if len(one) > 1]
            yield from named(token, found) or (token,)
        elif token.type == "BOTH" and after != "ACTION":
            two = _before_the_clause(tokens[:at])
            wanted = next((_SIZES[one] for one in word.split() if one in _SIZES), 0)
            fits = len(two) == wanted or (not wanted and len(two) > 1)
            yield from named(token, [tuple(two)]) if fits else (token,)
        elif token.type == "BEFOREHAND" and before and (found := _candidates(tokens, at, "that")):
            yield Token("P", token.start, token.end, Meaning("P", "", "<"))
            yield from named(token, found)
        elif _is_every(tokens, at, word):
            yield from named(token, every)
        elif before == "NOTHING" and token.type in _HAPPENING and _timed(tokens, at + 1):
            yield token._replace(type="NEG", meaning=token.meaning._replace(relation=""))
        elif token.type == "WHICH" and after in _NATURAL_VERBS and _single(tokens, at):
            yield token._replace(type="AND", meaning=_AND)
            yield tokens[at - 2]
        else:
            yield token


_SIZES = {"both": 2, "two": 2, "three": 3, "four": 4}
_PRONOUNS = ("it", "that", "this", "the former", "the latter")


_HAPPENING = ("MAY", "NV", "DONV", "VP0")


def _is_every(tokens: Sequence[Token], at: int, word: str) -> bool:
    """Return whether "everything", "nothing" or "anything" beside a clock time means all actions."""
    token, behind = tokens[at], [token.type for token in tokens[at + 1 : at + 4]]
    if token.type == "NOTHING":
        return behind[:1] != [] and behind[0] in _HAPPENING and _timed(tokens, at + 2)
    if word == "anything":
        return at > 0 and tokens[at - 1].type in ("DONT", "DO") and _timed(tokens, at + 1)
    return token.type == "EVERYTHING" and "TIME" in behind


def _refers(before: str, after: str) -> bool:
    """Return whether "it" between such tokens is an action."""
    return before in (*RELATING, "DO", "DONV", "NOTBEFORE") or (before in _STARTING and after in _VERBS)


def _timed(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a clock time stands behind the preposition at a place."""
    return [token.type for token in tokens[at : at + 2]] in (["P", "TIME"], ["PSC", "TIME"], ["PT", "TIME"])


def named(token: Token, groups: Sequence[tuple[str, ...]]) -> tuple[Token, ...]:
    """Return the tokens of the actions that a word means, or one token with all ways to read it; none if there are no
    actions."""
    rows = []
    for group in groups:
        row = [Token("EACH", token.start, token.start)] if len(group) > 1 else []
        for place, action in enumerate(group):
            if place:
                row.append(
                    Token("AND" if place + 1 == len(group) else "COMMA", token.start, token.start, _AND)
                )
            row.append(Token("ACTION", token.start, token.end, action=action, words=_POINTING))
        rows.append(tuple(row))
    if len(rows) > 1:
        return (rows[0][0]._replace(either=tuple(rows)),)
    return rows[0] if rows else ()


_POINTING = "it"


def _candidates(tokens: Sequence[Token], at: int, word: str) -> list[tuple[str, ...]]:
    """Return the actions, or lists of them, that a pronoun may mean: those of the clause before its own."""
    start = at
    while start and not _is_boundary(tokens, start - 1):
        start -= 1
    end = next((k for k in range(at, len(tokens)) if tokens[k].type in ("SEMI", "DOT")), len(tokens))
    if not start:
        one, more = (
            {token.action for token in part if token.type == "ACTION"} for part in (tokens[:at], tokens[at:])
        )
        return [tuple(one)] if len(one) == 1 and more - one else []
    own = {token.action for token in tokens[start:end] if token.type == "ACTION"}
    first = max((k + 1 for k in range(start - 1) if tokens[k].type in ("SEMI", "DOT")), default=0)
    found = list(dict.fromkeys(groups(tokens[first : start - 1])))
    if _CONTINUING_ALL & {token.type for token in tokens[: start - 1]}:
        found = found[-1:] if tokens[at].type != "BEFOREHAND" and _relation(tokens, at) != "<" else []
    if word in ("the former", "the latter"):
        return [found[word == "the latter"]] if len(found) == 2 else []
    return [one for one in found if own.isdisjoint(one) and (word != "it" or len(one) == 1)]


_CONTINUING_ALL = {"THEN", "AFTERWARDS", "STEP", "ORDER", "ORDINAL"}


def _relation(tokens: Sequence[Token], at: int) -> str:
    return tokens[at - 1].meaning.relation if at else ""


def _is_boundary(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a mark is between clauses: a comma only behind a clause that relates something."""
    if tokens[at].type in ("SEMI", "DOT"):
        return True
    if tokens[at].type != "COMMA":
        return False
    return any(token.type in (*RELATING, "COME", "TIME") for token in tokens[:at])


def groups(tokens: Sequence[Token]) -> Iterator[tuple[str, ...]]:
    """Yield the lists of actions in some tokens, single ones too."""
    group: list[str] = []
    for token in (*tokens, Token("DOT", 0, 0)):
        if token.type == "ACTION":
            group.append(token.action)
        elif token.type not in ("AND", "COMMA", "BOTH") and group:
            yield tuple(group)
            group = []


def _without_bare(tokens: list[Token]) -> list[Token]:
    """Leave out a part that only names actions of which the next one speaks: "Do A. Once it is done, do B." """
    named: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type in ("SEMI", "DOT", "COMMA") and named:
            rest = tokens[at + 1 :]
            while rest and rest[0].type in ("AND", "BUT"):
                rest = rest[1:]
            end = next((k for k, one in enumerate(rest) if one.type in ("SEMI", "DOT")), len(rest))
            pointed = any(one.words == _POINTING or one.type in ("EACH", "DONT") for one in rest[:2])
            told = {one.action for token in rest[:end] for row in token.either or ((token,),) for one in row}
            again = named <= told and end > 1
            if again and (token.type != "COMMA" or pointed):
                return rest if rest[0].type != "DO" else rest[1:]
        if token.type == "ACTION" and token.words != _POINTING:
            named.add(token.action)
        elif token.type not in ("COMMA", "AND", "DO", "DONV", "YOU", "ANYORDER", "BOTH", "SEMI", "DOT"):
            return tokens
        if token.type in ("SEMI", "DOT"):
            return tokens
    return tokens


def _before_the_clause(tokens: Sequence[Token]) -> list[str]:
    """Return the actions that were named before the last mark between clauses."""
    mark = max((at for at, token in enumerate(tokens) if token.type in ("COMMA", "SEMI", "DOT")), default=0)
    return list(dict.fromkeys(token.action for token in tokens[:mark] if token.type == "ACTION"))


def _single(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a "which" is behind a single action and a comma."""
    types = ["", *(token.type for token in tokens[:at])]
    return types[-2:] == ["ACTION", "COMMA"] and types[-3] not in ("AND", "COMMA")


def _plain(text: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield every token with the type that it has where it stands, without marks and words that say nothing there."""
    for at, token in enumerate(tokens):
        before = tokens[at - 1].type if at else ""
        after = tokens[at + 1].type if at + 1 < len(tokens) else ""
        said = text[token.start : token.end].lower()
        if token.type == "COMMA" and _trailing(text, tokens, at):
            continue
        if (
            said in ("can", "may")
            and before == "YOU"
            and at > 1
            and tokens[at - 2].type in ("P", "PSC", "SC", "UNTIL")
        ):
            continue  # "before you can deploy"
        clauses = [one.type in _VERBS for one in tokens[at + 1 : at + 6]]
        if token.type == "BOTH" and clauses == [
            False,
            True,
            False,
            False,
            True,
        ]:  # "both A is done and B is done"
            continue
        if token.type == "DOT" and after == "STEP":
            continue
        if (
            token.type == "DOT"
            and after
            and after not in _CONTINUING
            and "STEP" not in {t.type for t in tokens}
        ):
            yield token._replace(type="SEMI", meaning=Meaning("SEMI", ";"))
            continue
        if token.type == "FIRST" and not at and after == "COMMA" and said.startswith("as the"):
            yield token._replace(type="NTH", meaning=Meaning("NTH", "first"), words=said)
            continue
        if token.type == "NOTBEFORE" and after == "TIME":
            yield token._replace(type="BUT")
            yield token._replace(type="PT", meaning=Meaning("PT", "", ">"))
            continue
        if token.type == "IDLE" and after in (*RELATING, *_VERBS, "COMMA", "DOT", ""):
            continue
        if token.type == "HINT" and said in (":", "-") and before == "ACTION" and after in ("P", "PSC", "SC"):
            continue
        if token.type == "COMMA" and before == "IDLE" and (after == "BUT" or after in RELATING):
            continue
        if token.type == "BUT" and [t.type for t in tokens[max(at - 2, 0) : at]] == ["IDLE", "COMMA"]:
            continue
        if token.type == "HINT" and before == "AND" and said == _preposition(tokens[:at]):
            continue
        if said in ("!", "?") and not after and (said == "!" or tokens[0].type in ("DO", "DONT")):
            yield token._replace(type="DOT")
            continue
        kind = _type(text, tokens, at, before, after, said)
        if kind in _UNUSED:
            yield _unread("when" if kind == "WHEN?" else said, token)
        elif kind == "AND" and token.type != "AND":
            yield token._replace(type="AND", meaning=_AND)
        else:
            yield token._replace(type=kind, words=token.words or said)


def _type(text: str, tokens: Sequence[Token], at: int, before: str, after: str, said: str) -> str:
    """Return the type of a token where it stands: "run" as an instruction or as a verb, and so on."""
    token = tokens[at]
    match token.type:
        case "NOR":
            return "AND"
        case "PAST" | "MAY" if _subordinate(tokens, at):
            return "NV"
        case "PT" if said.startswith(("no ", "not ")) and after in ("ACTION", "DOING", "YOU"):
            return "PSC"
        case "TOEND" if not any(one.type == "WAIT" for one in tokens[:at]):
            return "NV"
        case "HINT" if said == "anything" and before in ("P", "PSC", "DOING", "DO", "YOU"):
            return "REST"
        case "OR" if _each(tokens, at):
            return "AND"
        case "VP0" if said == "run" and before in _BEGINNING:
            return "DO"
        case "NEG" if said.endswith(" run") and before in _BEGINNING:
            return "DONT"
        case "MAY" if after and (
            _says_only(text, tokens[at + 1]) or (after == "PT" and tokens[at + 1].words[:2] == "no")
        ):
            return "NV"
        case "MAY" if all(one.type != "NOTHING" for one in tokens):
            return "MAY?"
        case "MAYDO" if at and any(_says_only(text, one) for one in (tokens[0], tokens[at - 1])):
            return "DO"
        case "DO" if _says_only(text, token):
            relation = next((one.meaning.relation for one in tokens[at:] if one.meaning.relation), "")
            return "DO?" if relation == "<" else "DO"
        case "WHEN" if token.meaning.relation == ">" and _happening(tokens, at):
            return "WHEN?"
    return token.type


def _subordinate(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a verb stands in "before A can start", "after A was done" or "then A can be done"."""
    head = at - 1
    while head > 0 and tokens[head].type in ("ACTION", "COMMA", "AND", "BOTH"):
        head -= 1
    if at == 0 or tokens[at - 1].type != "ACTION":
        return False
    if tokens[at].type == "PAST":
        return tokens[head].type in ("SC", "PSC", "UNTIL", "WHEN")
    return tokens[head].type == "THEN" or (
        tokens[head].type in ("SC", "PSC") and tokens[head].meaning.relation == "<"
    )


def _preposition(tokens: Sequence[Token]) -> str:
    """Return the last word of "depends on", which may be repeated: "depends on A and on B"."""
    return next((token.words.split()[-1] for token in reversed(tokens) if token.type == "WAIT"), "")


_UNUSED = ("OR", "AT", "LEAD", "BOUND", "EVERYTHING", "MAYDO", "MAY?", "DO?", "WHEN?", "PAST", "IDLE")
"""Types of words that mean nothing where they stand: "may happen", "only do A before B", "when B happens"."""


def _unread(said: str, token: Token) -> Token:
    """Return a token for words that mean nothing where they are, with their hint or that of their first word."""
    hints = load_hints()
    hint = hints.get(said) or hints.get(said.split()[0])
    return token._replace(type="HINT" if hint else "UNKNOWN", meaning=Meaning("HINT", hint or ""))


def _happening(tokens: Sequence[Token], at: int) -> bool:
    """Return whether "when" does not mean after: "when B happens", "A must be finished when B has started"."""
    if tokens[at].words.startswith("only") or (tokens[0].type == "DO" and tokens[0].words == "only"):
        return False
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
    end = tokens[at + 1].type == "DOT" or text[tokens[at + 1].start] == "!"
    return end and any(char.isalpha() for char in text[tokens[at].end : tokens[at + 1].start])


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
