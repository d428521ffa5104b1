"""Finds values that a name marks as private: ``password = V``, ``--token V``, ``<secret>V</secret>``, columns,
logins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planscope.safe.secret_names import (
    FILE_NAME,
    FOREIGN,
    holds_secret,
    is_chosen,
    is_dotted,
    is_password,
    is_value,
    names_secret,
)
from planscope.sharing.redact.hits import NAMED, PERSONAL, SHAPE, Hit, Match, Span, is_telling, words
from planscope.sharing.redact.labels import SECRET, cells

KIND = "named-secret"
LABEL = "value of a secret's name"

_STARTS = re.compile(
    FOREIGN.pattern
    + r"|pass|pwd|secret|token|credential|creden[cz]ial|auth|dsn|cookie|key|kennwo|geheim|gangsdaten"
    r"|anmeldedaten|jeton|clave"
    r"|contrase|identifiant|mot de passe|(?<![a-z])(?:pin|cvv|cvc|otp|jwt|bearer|ssn|pat)(?![a-z])|creds?\b"
    r"|connection.?string|phrase\b"
    r"|(?<![a-z])(?:bind|root|db|user|admin|ldap|smtp|mail|pg|sql|app|ftp|wifi|my|manager)?pw(?![a-z])"
    r"|mots de passe|psk\b"
)
"""Every name of a secret contains one of these in lower case, so only their surroundings are examined."""

_LETTER = re.compile(r"[\w.$-]")
_TWO_WORDS = re.compile(
    r"(?i:\b(?:api|access|auth|pass|private|secret|encryption|signing|master|session|account|app|clave de|one-time) )\Z"
)
_LONGEST = 80
"""The limit for a name, in characters."""

_NO_SPACES = "\u2e80"
"""From this character on, a script has no spaces: what follows a name is not a part of it."""


def _quoted(mark: str, name: str) -> str:
    """Return a pattern for a quoted text. Its quotation marks may be escaped, even by different numbers of
    backslashes."""
    inside = rf"(?:[^{mark}\\\n]|\\.){{1,400}}?"
    return (
        rf"(?:{mark}{{3}}(?P<{name}_three>[^{mark}]{{1,400}}){mark}{{3}}"
        rf"|{mark}(?P<{name}>{inside}){mark}"
        rf"|(?P<{name}_escape>\\{{1,3}}){mark}(?P<{name}_escaped>{inside})(?<!\\)(?P={name}_escape){mark}"
        rf"|\\{{0,3}}{mark}(?P<{name}_odd>{inside})\\{{0,3}}{mark})"
    )


_MARKS = (("double", '"'), ("single", "'"), ("back", "`"))
_STRING = "(?:[bBrRuUfFNL@$]{0,2}#{0,2})(?:" + "|".join(_quoted(mark, name) for name, mark in _MARKS) + ")"
_BARE = (
    r"(?P<bare>[^\s\"',;&<>(){}\[\]`|\\」』”»\u3001\u3002]{1,400}(?:\\(?![nrt\"'])[^\s\"',;&<>(){}\[\]`|\\]{0,100}){0,9}"
    r"(?:[&|](?![\w.;-]{1,40}[=;]|[&|])[^\s\"',;&<>(){}\[\]]{1,100}){0,3})"
)
_VALUES = (*(name + end for name, _ in _MARKS for end in ("_three", "", "_escaped", "_odd")), "bare")
_SCHEME = r"(?:(?i:bearer|basic|token|digest|negotiate|api-?key|aws)\s+)?"
_WHOSE = (
    r"(?: (?:for|of|to|on|in|from|für|von|zu|auf|de|du|des|pour|para|per|di|do|da|dla|voor|för|till|for|til"
    r"|pro|için|для|от|к|untuk|del?|is for"
    r"|you asked for|(?:I|we|they) (?:gave|sent) you)(?: [\w.@-]{1,30}){0,4}?)?"
)
_IS = (
    r"(?i:(?:is|was|are|were|will be|should be|has been)(?: now)?(?: (?:set|changed) to)?"
    r"|lautet|ist|war|est|sera|es|será|è|é|jest|to"
    r"|är|er|on|je|este|là|είναι|є|yra|ir|blir|heißt|היא|eru|ni|ay|это|есть|adalah|ialah|है|हैं|هي|هو)"
)
_SIGN = (
    r"(?P<sign>[ \t]{0,3}:\s{0,2}(?:[A-Za-z&][\w<>\[\]&'. *?|]{0,40}?(?:\s{1,2}|(?==\s?[\"'`])))=(?![=>])|["
    r" \t]{0,3}(?::=|=>"
    r"|->|<-|→|={1,3}(?!>)|:(?!:)|%3[Dd]|\uff1a|\uff1d)"
    rf"|(?:{_WHOSE} ?|(?: (?:provided|given|used|value|entered|\([\w ]{{2,30}}\)))?)(?::(?!:)|\uff1a)"
    rf"|{_WHOSE} {_IS}(?: ?:)?(?= )|(?:'s|\u2019s)(?= )|{_WHOSE}\s?(?:[—\u2013→]|[-=]>)(?= )"
    r"|\s?(?:是|为|為|は|は\u3001|는|은|이|가)"
    r")[ \t]{0,3}(?:[*_]{1,3}[ \t]{1,3})?[「『“„«]?"
)
_ASSIGNED = re.compile(rf"[\"'\]\\*`_]{{0,5}}{_SIGN}{_SCHEME}(?P<value>{_STRING}|{_BARE}|(?P<open>[{{\[(]))")
_OF_WHAT = re.compile(rf"\w{{0,6}}(?: [^\W\d_]{{1,20}}){{0,5}}?(?=\s?[:\uff1a=]| {_IS} )|")
"""What a password is for, in a language whose prepositions are not known here."""

_LIST_ITEM = re.compile(rf"\\{{0,3}}[\"'],\s{{0,3}}{_SCHEME}{_STRING}(?!\s{{0,3}}:)")
_BESIDE = re.compile(rf"(?:[ \t]{{1,3}}|\(\s?){_SCHEME}{_STRING}|[ \t]{{1,3}}(?:(?i:key|token) )?{_BARE}")
_CELL = re.compile(
    r"(?:[`*]{0,2}\s{0,9}\|\s{0,9}|\s?\.{3,40}\s?|\s\(|</\w{1,10}>\s{0,9}(?:<[^<>]{1,80}>\s{0,9}){1,3})[`*]{0,2}"
    rf"{_BARE}"
)
"""The next cell of a row, the end of a line of dots, the next element of HTML."""

_CHANGED = re.compile(rf"\s?(?:->|=>|→)\s?{_STRING}")
"""The new value after the old one."""

_SWITCHED = re.compile(rf"(?:[ \t]{{1,3}}|\\{{0,3}}[\"'],\s{{0,3}}){_SCHEME}(?:{_STRING}|{_BARE})")
_SETS = re.compile(r"(?:^|[\s;(])(?:ENV|ARG|setenv|setx|set -[a-z]{1,3}|export -x|-e|config set) \Z")
"""The word before a variable whose value follows without a sign."""

_CALLED = re.compile(r"\([bBrRuUfF]?[\"']")
_ASKS = re.compile(r"(?i:(?:\w+\.)*_?(?:get|load|read|check|validate|verify|fetch|find|is|has|reset|hash))")
"""Functions that take the name or the place of a secret, not its value."""

_TAKES = re.compile(
    r"(?i:set|put|fill|type|write|send|append|add$|push|from|of$|encode|update|string|new|create|sign)"
)
"""Methods of a secret that take its value."""

_INPUT = re.compile(rf"\n[ \t][^\n]{{0,200}}?\binput_value={_STRING}")
_ENTRY = re.compile(
    rf"(?:(?P<key>\\{{0,3}}[\"']?[\w.$-]{{1,60}}\\{{0,3}}[\"']?)\s{{0,3}}[:=]>?\s{{0,3}})?(?:{_STRING}|{_BARE})?"
)
_PAIR_NAME = re.compile(
    r"(?i:(?:name|key|field|variable|header|param|option|label|id|column|setting|property))\\{0,3}[\"']?\s{0,3}[:=]\s{0,3}[\[(]?\\{0,3}[\"']?\Z"
)
_PAIR_VALUE = re.compile(
    rf"\b\w{{0,20}}(?i:values?|default|content|to)\\{{0,3}}[\"']?\s{{0,3}}[:=]\s{{0,3}}(?:{_STRING}|{_BARE}|(?P<open>[{{\[]))"
)
_NEXT_PAIR = re.compile(r"[{}]|\n\s{0,20}\n|/>|\b(?i:name|key|field|variable)\\{0,3}[\"']?\s{0,3}[:=]")
_REACH = 200
_MOST_BELOW = 4_000
"""The limit for the text below the name of a secret that is searched, in characters."""

_CLOSE = {"{": "}", "[": "]", "(": ")"}
_LINE_BELOW = re.compile(r"[\"']?[ \t]{0,3}:[ \t]{0,3}(?P<block>[|>][+-]?\d?)?[ \t]{0,3}(?:#[^\n]*)?\r?\n")
_LINE_VALUE = re.compile(
    r"[ \t]*(?:-[ \t]+)?(?:[\"']?[\w.$ -]{1,60}[\"']?[ \t]?[:=][ \t]+)?"
    r"[\"']?(?P<value>[^\s\"'#][^\"'\n]{0,400}?)[\"']?[ \t]*\r?$"
)
_SECTION = re.compile(r"^[ \t]*\[{1,2}[ \t]*(?P<name>[\w.\"'-]{2,80})[ \t]*\]{1,2}[ \t]*$", re.MULTILINE)
_SETTING = re.compile(rf"^[ \t]*[\w.\"'-]{{1,60}}[ \t]*=[ \t]*(?:{_STRING}|{_BARE})", re.MULTILINE)
_TAG = re.compile(r"<(?P<name>[A-Za-z_][\w:.-]{0,60})(?P<attributes>(?:\s[^<>]{0,400})?)>")
_NAMED_BY = re.compile(r"\b(?i:name|key|id)\s?=\s?[\"']([^\"'<>]{2,80})[\"']")
_BETWEEN_TAGS = re.compile(
    r"(?:(?<=>)|<!\[CDATA\[)\s{0,20}(?P<value>[^<>\s][^<>]{0,400}?)\s{0,20}(?=<|\]\]>)"
)
_CREDENTIALS = re.compile(
    r"(?i:\b(?:credentials?|zugangsdaten|anmeldedaten|identifiants|credenciales|log(?:ged)? ?in(?: as| with|:)"
    r"|sign in (?:as|with)|anmelden als|melde dich als))(?!\w)(?P<rest>[^\n]{0,120})"
)
_USED_AS = re.compile(
    r"(?i:\b(?:use|using|with|try|enter|type|take|is|has|have|had|set|put|gave|sent)) (?:it to"
    r" )?[\"'`]?(?P<value>[^\s\"'`\\]{6,100}?)[\"'`]? (?i:as|for) (?i:(?:the|your|my|our|a|an|its|their) )?"
    r"(?:[\w-]{1,20} ){0,3}?(?i:pass\w{2,7}|token|secret|credential|(?:api |access |secret |private )?key|pin|code)\b"
)
_KEY_IS = re.compile(
    r"\b(?i:key|code|login|pass|password|passphrase|token|secret|creds?|credentials)\b(?: [\w-]{1,15}){0,5}?"
    r"(?P<sign> ?(?i:is|was|are|to|from \S{1,60} to|:|->|\u2192)(?: now)?:? | )"
    r"[\"'`(]?(?!(?:SHA|MD)\d)(?:[\w.@-]{2,30}[:/])?(?P<value>(?=[^\s\"'`]{0,99}[0-9])[^\s\"'`\\]{6,100})"
)
_ALGORITHM = re.compile(r"(?i:argon|crypt|sha-?[0-9]|md5|pbkdf|aes|utf|oauth|base64|http|rfc|ldap|kerberos)")
_STATED = re.compile(
    rf"(?i:{FOREIGN.pattern}|password|passphrase|passcode)\w{{0,6}}(?: [^\W\d][^\s:;,.]{{0,24}}){{0,6}}?"
    rf" (?:{_IS}|(?i:ficou|fica|era|agora"
    r"|quedó|queda|devient|reste|bleibt|wurde|wird|blijft|wordt|werd|rimane|diventa|zostało"
    r"|zůstalo|lett|oldu|olarak|стал|остался|теперь|nu|nyt|art.k|şimdi|mostantól|most|became|stays|remains|still))"
    r"(?: [^\W\d_]{2,14}){0,3}?[:,]? [\"'`„“«]?"
    r"(?P<value>(?=\S*?(?:[0-9]|[!#$%&*?^~]\w))[^\s\"'`“”»\\]{6,100})"
)
"""What a sentence says a password is, with words between, in many languages."""

_USER_AND = re.compile(
    r"(?<![\w.@+-])(?P<user>[\w.@+-]{2,40})[\"'`]?\s?(?:/|:(?!//)|,| with | mit | avec | con )"
    r"\s?[\"'`]?(?P<value>[^\s\"'`/,]{4,100})"
)
_DATED = re.compile(
    r"[\d.,:_/-]+[A-Za-z]{0,2}|v?\d+(?:\.\w+)+|[0-9a-f]{7,12}|[0-9a-fA-F]{40}|(?:ssh|ecdsa)-[\w-]+|(?:[\w-]+[./])+[a-z]{1,5}\d?|[A-Za-z]{1,5}-?\d{1,4}|\d+-\w+"
)
"""A time, a version, a file name or a count, which may follow the name of a secret in a sentence but is not one."""


def named(text: str, lowered: str) -> Iterator[Hit]:
    """Find the values that a text calls a password, a token, a key or a login. ``lowered``: the text in lower case."""
    if _STARTS.search(lowered) or any(word in lowered for word in ("log", "sign in", "melde", " code")):
        for start, end in _named(text, lowered):
            value = text[start:end]
            if len(value) >= 3 and (is_value(value) or is_chosen(value)):
                yield Hit(start, end, KIND, LABEL, NAMED, is_telling(value))
    yield from logins(text, lowered)


def _named(text: str, lowered: str) -> Iterator[Span]:
    """Yield ranges of values. A range may contain a name with its value instead of only a value."""
    yield from _after_names(text, lowered)
    if "[" in text:
        yield from _sections(text)
    if "<" in text:
        yield from _tags(text)
    for cell in cells(text):
        value = text[cell.start : cell.end]
        if cell.what == SECRET and len(value) >= 4 and holds_secret(cell.label, value):
            yield cell.start, cell.end
    yield from _said(text)
    yield from _codes(text)


def _after_names(text: str, lowered: str) -> Iterator[Span]:
    """Yield what belongs to names. They are searched for in lower case, which takes a fraction of the time."""
    done = 0
    for word in _STARTS.finditer(lowered):
        if word.start() < done:
            continue  # the match is a part of that name, or lies below it
        start, end = _name_around(text, word.start(), word.end())
        name = text[start:end].strip(".-$")
        if FILE_NAME.fullmatch(name) or text[max(0, start - 2) : start] == "${":
            continue
        before = _TWO_WORDS.search(text, max(0, start - 20), start)
        name = f"{before[0]}{name}" if before else name
        if names_secret(name):
            end = start + len(text[start:end].rstrip("."))
            done = end
            for first, last in _values_of(text, start, end, name):
                if first < last:
                    yield first, last
                else:
                    done = max(done, last)


def _said(text: str) -> Iterator[Span]:
    """Yield what sentences call a password, a key, a code or a login."""
    for pattern in (_USED_AS, _KEY_IS):
        for match in pattern.finditer(text):
            value = match["value"].rstrip(".,;:!?)*`\"'")
            sure = match.groupdict().get("sign") != " " or (
                _is_scattered(value) and not re.fullmatch(r"(?:0x)?(?:[0-9A-F]{4}){2,10}", value)
            )
            line = text[text.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
            if (
                value.isalnum()
                and 20 <= len(value) <= 27
                and re.search(r"(?i)\b(?:ulid|ksuid|c?uid2?|xid)\b", line)
            ):
                continue
            if sure and _looks_made(value) and not re.search(r"=\w|[(]|\.\w+/|://", value):
                yield match.start("value"), match.start("value") + len(value)
    for match in _STATED.finditer(text):
        value = match["value"].rstrip(".,;:!?)*`\"'")
        signs = re.search(r"\w[!#$%&*?^~]\w", value) and is_value(value)
        made = signs or (_looks_made(value) and not (value.islower() and re.fullmatch(r"\w+", value)))
        if made and not _ALGORITHM.search(value) and not re.search(r"=\w|[(]|\.\w+/|/\w+/|://", value):
            yield match.start("value"), match.start("value") + len(value)
    for said in _CREDENTIALS.finditer(text):
        for match in _USER_AND.finditer(said["rest"]):
            value = match["value"].rstrip(".,;:!?)")
            if _is_odd(value) and not re.fullmatch(r"[\d.:-]+", value):
                start = said.start("rest") + match.start("value")
                yield start, start + len(value)


def _name_around(text: str, start: int, end: int) -> Span:
    """Return the range of the whole identifier around a word."""
    first, last = start, end
    while first > 0 and end - first < _LONGEST and _LETTER.match(text[first - 1]):
        first -= 1
    if text[last - 1] >= _NO_SPACES:
        return first, last
    while last < len(text) and last - start < _LONGEST and _LETTER.match(text[last]):
        if text.startswith("->", last):
            break
        last += 1
    return first, last


def _values_of(text: str, start: int, end: int, name: str) -> Iterator[Span]:
    """Yield ranges of the values that belong to a name. An empty range says how far the text has been examined."""
    if text.startswith("::", end) or re.search(r"[A-Za-z]::\Z", text[max(0, start - 3) : start]):
        return
    called = name.rpartition(".")[2]
    if _CALLED.match(text, end) and (called == name or names_secret(called) or _TAKES.match(called)):
        if not _ASKS.match(name):
            yield from _inside(text, end, name)
            return
    elif _CALLED.match(text, end):
        return  # a method of a field on a page
    if _PAIR_NAME.search(text, max(0, start - 30), start):
        yield from _paired(text, start, end)
    match = _ASSIGNED.match(text, end)
    if match is None and FOREIGN.fullmatch(name):
        of_what = _OF_WHAT.match(text, end)
        match = _ASSIGNED.match(text, of_what.end() if of_what else end)
    below = _LINE_BELOW.match(text, end)
    if below is not None:
        yield from _lines_below(text, start, below)
    elif match is not None:
        yield from _assigned(text, start, name, match)
    else:
        place = _listed(text, end, name) or _in_cell(text, end, name) or _beside(text, start, end, name)
        if place is not None:
            yield place


_SETTING_OF_WORDS = re.compile(
    r"(?:(?<=\S\n)|(?=[^\n]+\n[ \t]*[\w.-]{1,60}\s?[:=]))[ \t]*[\w.-]{1,60}(?::[ ]+|[ ]?=[ ]?)"
    r"(?P<value>[^\W\d_]\S*(?: [^\s#]+)+)[ \t]*\r?$",
    re.MULTILINE,
)
"""A line of settings, beside others, whose value is words without quotes."""


def _assigned(text: str, start: int, name: str, match: Match) -> Iterator[Span]:
    """Yield the value behind a sign, those in its brackets, and the new one behind an old one."""
    if match["open"]:
        yield from _inside(text, match.start("open"), name)
        return
    place, quoted = _place(match)
    sign = match["sign"].strip()
    line = _SETTING_OF_WORDS.match(text, text.rfind("\n", 0, start) + 1)
    if not quoted and line is not None and line.start("value") == place[0] and is_password(name):
        place = line.span("value") if is_chosen(line["value"]) else place
    value = text[slice(*place)]
    callee = text[place[1] : place[1] + 1] == "(" and not quoted
    if callee and re.search(r"(?i)auth|login|credential|secret|::(?:from|new)\Z|buffer|\Astr\Z", value):
        yield from _inside(text, place[1], name)
    elif text[start] == "-" and sign == "=" and not value.isupper():
        if is_value(value):
            yield place
    elif not callee and (
        (
            (quoted or not is_dotted(value) or _is_setting(text, start, place, match["sign"]))
            and _believable(value, name, sign, quoted)
        )
        or (not quoted and _is_written(value, name) and _is_note(text, start, place[1]))
    ):
        yield place
        changed = _CHANGED.match(text, match.end())
        if changed is not None:
            yield _place(changed)[0]


def _is_setting(text: str, start: int, place: Span, sign: str) -> bool:
    """Return whether a bare value stands in a shell or in settings, and not in code: ``name=value`` as a word of its
    own, YAML, a line below a ``[section]``, or it has digits within words, as no variable has."""
    before, after = text[text.rfind("\n", 0, start) + 1 : start], text[place[1] : place[1] + 1]
    value = text[slice(*place)]
    if re.search(r"[A-Za-z][0-9]+[A-Za-z]", value) and after not in ("(", "["):
        return True
    if sign == "=":
        return before[-1:] in " \t;'\"=" and after in " \t\r\n;'\""
    listed = ":" in sign and _TYPE.search(value) is None
    section = _SECTION.search(text, 0, start) is not None
    return before.strip(" \t-\"'") == "" and (listed or section) and _is_note(text, start, place[1])


def _listed(text: str, end: int, name: str) -> Span | None:
    """Return the next item of a list of strings, or the input that a validation refused."""
    for pattern in (_LIST_ITEM, _INPUT):
        match = pattern.match(text, end)
        if match is not None:
            value = text[slice(*_place(match)[0])]
            if (_is_odd(value) or name.isupper()) and holds_secret(name, value):
                return _place(match)[0]
    return None


def _in_cell(text: str, end: int, name: str) -> Span | None:
    cell = _CELL.match(text, end)
    value = text[slice(*_place(cell)[0])] if cell else ""
    told = (_is_mixed(value) or _is_written(value, name)) and holds_secret(name, value)
    return _place(cell)[0] if cell and told and not _DATED.fullmatch(value) else None


def _beside(text: str, start: int, end: int, name: str) -> Span | None:
    """Return the value that follows a switch, a variable or a word without a sign."""
    switch = text[start] == "-"
    match = None if _CELL.match(text, end) else (_SWITCHED if switch else _BESIDE).match(text, end)
    if match is None:
        return None
    place, quoted = _place(match)
    value = text[slice(*place)]
    if switch:
        listed = (
            text[end] not in " \t" and not quoted
        )  # an argument of a call, not the value in a list of strings
        variable = value.isupper() and value.replace("_", "").isalpha()
        if listed or value.startswith("-") or variable or not (is_value(value) or is_chosen(value)):
            return None
        return place if ":" not in value or quoted else (place[0] + value.find(":") + 1, place[1])
    if quoted or _SETS.search(text, max(0, start - 12), start):
        return place if _believable(value, name, "=", quoted) else None
    a_call = text[start - 1 : start] == "/" or text[place[1] : place[1] + 1] == "("
    return place if _looks_made(value) and not a_call and not re.match(r"[\w-]+=\w", value) else None


def _looks_made(value: str) -> bool:
    """Return whether a value mixes letters and digits and is no version, date, placeholder or code."""
    return _is_mixed(value) and not _DATED.fullmatch(value) and is_value(value)


def _place(match: Match) -> tuple[Span, bool]:
    """Return the range of the value that a pattern matched, and whether it is quoted."""
    group = next(g for g in _VALUES if match.groupdict().get(g) is not None)
    start, end = match.span(group)
    if group == "bare":
        end = start + len(match[group] if match[group].endswith("..") else match[group].rstrip(".,;:!?\\`*"))
    return (start, end), group != "bare"


def _believable(value: str, name: str, sign: str, quoted: bool) -> bool:
    """Return whether an assigned value can be the secret. After a colon or *is* it must not be a word."""
    if not holds_secret(name, value) or (not quoted and _IDENTIFIER.fullmatch(value) and names_secret(value)):
        return False
    if name.lower().replace("-", "") in ("cookie", "setcookie") and re.match(r"[\w.-]{1,60}=", value):
        return False  # each cookie is found by itself
    if re.search(r"\w\Z|[s—\u2013]\Z", sign) or (sign.endswith(":") and " " in sign):
        return _is_odd(value) and not value.isalpha() and len(value) >= 5
    sure = quoted or sign in ("=", "%3D", "%3d") or (name.isupper() and "_" in name)
    return len(value) >= 4 and (sure or not _IDENTIFIER.fullmatch(value))


def _is_written(value: str, name: str) -> bool:
    """Return whether a bare value after a colon is a password of several words, and no type or variable."""
    if not holds_secret(name, value):
        return False
    words_of_it = is_password(name) and _SEVERAL.fullmatch(value) and not _TYPE.search(value)
    return bool(words_of_it) or is_chosen(value) or (name.startswith(("X-", "x-")) and value.islower())


def _is_note(text: str, start: int, end: int) -> bool:
    """Return whether a line is a note or YAML: it ends after the value, and nothing on it is code."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    rest = text[end:].partition("\n")[0]
    return not rest.strip(" \t\r*_`!.") and re.search(r"[(){}<>=;?|&]", line) is None


_SEVERAL = re.compile(r"(?=.*[A-Z])[A-Za-z][a-z]+(?:[-_][A-Za-z]+)+|[A-Za-z][a-z]{2,}(?:[A-Z][a-z]{2,}){1,3}")
_TYPE = re.compile(
    r"\A(?:get|is|set|on|has|my|user|new|old|current|input|form|default|non|no|optional|validate|create|required)(?=[A-Z_-])"
    r"|(?i:str|string|type|input|field|text|model|schema|number|object|value|ref|id|char|request|response|data|dto|props"
    r"|state|required|bytes|union|any|var|error|form|length|varchar|empty|blank|null|validator|config|settings|options)\Z"
    r"|\A(?:Non|No|Not|Optional|Required|Is|Has|Valid|Invalid)(?=[A-Z_-])"
)
"""What types and variables are called."""

_CODES = re.compile(
    r"(?i:\b(?:recovery|backup|rescue|scratch|emergency) (?:2fa |login )?(?:codes|keys)\b)"
    r"[^\n:]{0,60}(?::\s{1,8}|\n\s{0,6})"
)
_CODE = re.compile(
    r"(?<![\w-])(?=[a-z-]{0,12}[0-9]|[A-Z-]{0,12}[0-9])"
    r"(?:[A-Za-z0-9]{3,10}(?:[ -][A-Za-z0-9]{3,10}){1,4}|[A-Za-z0-9]{8,16})(?![\w-])"
)


def _codes(text: str) -> Iterator[Span]:
    """Yield the codes on the lines below a heading such as *Your recovery codes*."""
    for head in _CODES.finditer(text):
        at = head.end()
        for line in text[at : at + 1_000].splitlines(keepends=True):
            found = [
                m for m in _CODE.finditer(line) if len(m[0]) >= 8 and not re.match(r"\d{4}-\d\d-\d\d", m[0])
            ]
            if not found and line.strip():
                break
            yield from ((at + m.start(), at + m.end()) for m in found)
            at += len(line)


_IDENTIFIER = re.compile(r"(?:[^\W\d]|[$-])+")


def _is_odd(value: str) -> bool:
    """Return whether a value is no ordinary word."""
    return len(value) >= 3 and (
        any(c.isdigit() for c in value) or not value.isalnum() or not (value.islower() or value.istitle())
    )


def _is_mixed(value: str) -> bool:
    return len(value) >= 6 and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_scattered(value: str) -> bool:
    """Return whether digits and letters alternate, as in a key that stands in a sentence."""
    signs = re.search(r"[!#$%&*?^~]", value) and re.search("[A-Z]", value) and re.search("[a-z]", value)
    return bool(signs) or (len(value) >= 12 and len(re.findall(r"[A-Za-z][0-9]|[0-9][A-Za-z]", value)) >= 4)


def _inside(text: str, at: int, name: str) -> Iterator[Span]:
    """Yield ranges of all values between an opening bracket and its closing one."""
    if text.startswith("{{", at):
        yield at, at
        return
    close, depth, here = _CLOSE[text[at]], 0, at
    limit = min(len(text), at + _MOST_BELOW)
    while here < limit:
        if text[here] in "{[(":
            depth += 1
        elif text[here] in "}])":
            depth -= 1
            if depth == 0:
                break
        else:
            entry = _ENTRY.match(text, here)
            if entry is not None and entry.end() > here:
                if any(entry[group] is not None for group in _VALUES):
                    place, quoted = _place(entry)
                    value = text[slice(*place)]
                    alone = text[at] == "{" and close == text[place[1] : place[1] + 1] and place[0] == at + 1
                    if (
                        holds_secret(name, value)
                        and (quoted or re.search(r"[A-Za-z].*[0-9]|[0-9].*[A-Za-z]", value))
                        and not (alone and names_secret(value))
                    ):
                        yield place
                here = entry.end()
                continue
        here += 1
    yield here, here


def _paired(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the value of a name-value pair, in either order: ``{"name": "API_TOKEN", "value": V}``."""
    after = _PAIR_VALUE.search(text, end, min(len(text), end + _REACH))
    stop = _NEXT_PAIR.search(text, end, after.start() if after else end)
    if after is not None and stop is None:
        if after["open"]:
            yield from _inside(text, after.start("open"), text[start:end])
        else:
            yield _place(after)[0]
        return
    head = _PAIR_NAME.search(text, max(0, start - 30), start)
    first = max(0, start - _REACH)
    last = head.start() if head else start
    for match in [*_PAIR_VALUE.finditer(text, first, last)][-1:]:
        if not match["open"] and _NEXT_PAIR.search(text, match.end(), last) is None:
            yield _place(match)[0]


def _lines_below(text: str, start: int, head: Match) -> Iterator[Span]:
    """Yield YAML values on the lines that are indented below the name, or in the list below it."""
    line = text.rfind("\n", 0, start) + 1
    lead = text[line:start].rstrip("\"'")
    if lead.strip(" \t-"):
        return
    margin = len(lead) - len(lead.lstrip(" \t"))
    at = head.end()
    while at < min(len(text), head.end() + _MOST_BELOW):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        row = text[at:end]
        inner = len(row) - len(row.lstrip(" \t"))
        if not row.strip() or not (inner > margin or (inner == margin and row.lstrip().startswith("- "))):
            return
        match = _LINE_VALUE.match(row)
        if (
            match is not None
            and (len(match["value"].split()) <= 3 or is_chosen(match["value"]))
            and (head["block"] or _says_value(row))
            and holds_secret("" if head["block"] is None else text[start : head.start()], match["value"])
        ):
            yield at + match.start("value"), at + match.end("value")
        at = end + 1


def _says_value(row: str) -> bool:
    return re.match(r"\s*(?:-\s+\S|[\"']?[\w.$-]{1,60}[\"']?[ \t]?[:=][ \t]+\S)", row) is not None


def _sections(text: str) -> Iterator[Span]:
    """Yield all values of a TOML or INI table with the name of a secret."""
    heads = list(_SECTION.finditer(text))
    for n, head in enumerate(heads):
        if names_secret(head["name"]):
            end = heads[n + 1].start() if n + 1 < len(heads) else min(len(text), head.end() + _MOST_BELOW)
            for match in _SETTING.finditer(text, head.end(), end):
                yield _place(match)[0]


def _tags(text: str) -> Iterator[Span]:
    """Yield the text of an XML element whose name, or name attribute, is the name of a secret."""
    for head in _TAG.finditer(text):
        tag, name, attributes = head["name"], head["name"].rpartition(":")[2], head["attributes"]
        if attributes.endswith("/"):
            continue
        by = _NAMED_BY.search(attributes)
        if not (names_secret(name) or (by is not None and names_secret(by[1]))):
            continue
        end = text.find(f"</{tag}", head.end(), head.end() + _MOST_BELOW)
        translated = by is not None and tag in ("string", "data")
        for match in _BETWEEN_TAGS.finditer(text, head.end() - 1, end + 1 if end >= 0 else head.end()):
            if translated and re.fullmatch(r"[^\d_]{1,200}", match["value"]):
                continue  # what a label says in a language
            yield match.span("value")


_IN_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,30}:(?:\\{0,4}/){2}"
    r"(?P<user>[^\s/@:\"'<>\\]{0,100}):(?P<secret>[^\s/@\"'<>]{1,200})@(?=[A-Za-z0-9_\[{$-])"
)
_BEHIND_SWITCH = re.compile(
    r"(?:(?<=\s)-u|--user)[ =]{1,3}[\"']?(?P<user>[^\s:\"'/]{1,60}):(?P<secret>[^\s\\\"'/:]{3,100})"
)
_LOGINS = (
    ("login-in-address", "password in an address", "@", _IN_ADDRESS),
    ("curl-login", "password on a command line", "-u", _BEHIND_SWITCH),
)
_COOKIES = re.compile(
    r"(?i:\b(?P<set>Set-)?Cookie)[\"']{0,2}\s{0,3}:\s{0,3}[\"']{0,2}(?P<pairs>[\w.-]{1,60}=[^\n\\\"'<>]{1,4000})"
)
_PAIR = re.compile(r"(?:^|;)\s{0,3}[\w.-]{1,60}=(?P<value>[^\s;`)]{5,4000}[^\s;`).,])")


def logins(text: str, lowered: str) -> Iterator[Hit]:
    """Find user names and passwords in addresses and commands, and cookies. ``lowered``: the text in lower case."""
    for kind, label, needs, pattern in _LOGINS:
        for match in pattern.finditer(text) if needs in text else ():
            yield from _login(match, kind, label)
    if "cookie" in lowered:
        for match in _COOKIES.finditer(text):
            for pair in _PAIR.finditer(match["pairs"]):
                start, end = (match.start("pairs") + place for place in pair.span("value"))
                yield Hit(start, end, "cookie", "cookie", SHAPE, is_telling(pair["value"]))
                if match["set"]:
                    break  # the attributes of a cookie follow: expiry, path


def has_login(text: str) -> bool:
    """Return whether a text contains an address with a password."""
    return "@" in text and _IN_ADDRESS.search(text) is not None


_STANDS_IN = re.compile(
    r"(?i:[0-9]+:[0-9]+|[^:]*:(?:\$\{?\w+\}?|%\(?\w+\)?[s%]?|\*+|x{3,}|\.{3,}|\{.*|\[.*)|(?:user(?:name)?|usr|login|name|foo):(?:pass(?:w(?:or)?d)?|pwd|pw|secret|bar))"
)
"""A user and a password that stand for others: variables, masks, the words themselves."""


def _login(match: Match, kind: str, label: str) -> Iterator[Hit]:
    user = match["user"]
    common = user.lower() in words("user", "common")
    if (common and match["secret"] == user) or _STANDS_IN.fullmatch(f"{user}:{match['secret']}"):
        return  # the default of a database, or no password
    if user and not common and user.lower() not in words("user", "nobody"):
        yield Hit(*match.span("user"), "user-name", "user name", PERSONAL, strong=False)
    secret = match.span("secret")
    yield Hit(*secret, kind, label, SHAPE, is_telling(match["secret"]))
