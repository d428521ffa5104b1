"""The English of rules, without names. ``said`` reads verbs with their auxiliaries, orders to call a tool, numbers of
times and deadlines as codes such as not_happens; the shapes of sentences (``shapes.py``) are written over these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

MANY = float("inf")


class Said(NamedTuple):
    """What words say. ``low`` and ``high``: bounds of a number of calls; of a deadline its number, and whether it is in
    seconds; ``low`` of a verb: whether it must. ``agent``: who makes the call. ``exact``: a number is meant as one
    ("exactly one", "once"), not only as an article ("one lookup")."""

    code: str
    low: float = 0
    high: float = 0
    agent: str | None = None
    exact: bool = False


@cache
def late(pattern: str) -> re.Pattern[str]:
    """Return a regular expression. It is compiled when it is first needed: plain rules need few of them."""
    return re.compile(pattern)


def lines(table: str) -> list[str]:
    """Return the lines of a table. A backslash continues a line."""
    return [line.strip() for line in re.sub(r"\\\n\s*", "", table).splitlines() if line.strip()]


def rows(table: str) -> list[tuple[str, str]]:
    """Return the lines of a table, each as its name and the rest."""
    return [(name, rest) for name, _, rest in (line.partition(": ") for line in lines(table))]


def worded(table: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words of each phrase of a table, with what it says: a line is a meaning, and phrases that "|" parts."""
    for meaning, some in rows(table):
        yield from ((tuple(one.split()), meaning) for one in some.split("|"))


def longest(phrases: Mapping[tuple[str, ...], str], some: tuple[str, ...]) -> tuple[int, str]:
    """Return how many words the longest phrase at the beginning of some words has, and what it says; 0 and "" if there
    is none."""
    sizes = (size for size in range(len(some), 0, -1) if some[:size] in phrases)
    width = next(sizes, 0)
    return width, phrases.get(some[:width], "")


def _any(words: str) -> str:
    """Return a pattern for any of these words, which "|" separates; in them a blank stands for white space."""
    return f"(?:{'|'.join(' '.join(one.split()) for one in words.split('|'))})"


NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBER = rf"(?:-?[0-9]+(?:\.(?!000)[0-9]+)?|{'|'.join(NUMBERS)})"
_RUN = "(?:runs?|traces?|sessions?|conversations?|records?)"
_SOON = _any("immediately|directly|right away|straight away|straight|at once")
_LATE = _any(
    "eventually|later|at some (?:later )?(?:point|time)|sooner or later|afterwards|in turn|somewhere"
)
_ADVERB = _any(
    """always|never|not|no longer|only|also|ever|then|subsequently|previously|already|each|both|right|just|strictly|all|
    even|first|at least once|together|at all"""
)
_ADVERBS = rf"(?:(?:{_ADVERB}|{_SOON}|{_LATE}) )*"
_MODAL = _any(
    """must|should|shall|will|(?:has|have|had|got|needs?|ought|wants) to|(?:is|are)(?: not| never)? to|
    (?:has|have) got to|
    (?:is|are) (?:required|supposed|expected|meant|obliged) to"""
)
_PERMIT = _any(
    "may|can|could|(?:is|are|be) (?:(?:not|never|only|no longer|always) )?(?:allowed|permitted|free) to"
)
_BE = _any("be|is|are|was|were|been|being|gets?|got")
_AUXILIARY = rf"(?:(?:(?P<must>{_MODAL})|(?P<may>{_PERMIT})|do|does|did) )?"
_CALLED = _any(
    """called|used|invoked|executed|made|done|performed|run|carried out|triggered|issued|attempted|started|finished|
    completed|complete|over|through|due|planned|scheduled|tried|touched|hit|given|granted|obtained|received|collected|
    taken(?! place)|recorded|logged|filed|placed|read|queried|fetched|set up|entered|raised|looked up|measured|
    registered|held|pulled|in place|present|available|on file"""
)
_HAPPENS = _any(
    """happens?|happened|occurs?|occurred|takes? place|took place|taken place|runs?|ran|goes out|shows? up|appears?|
    appeared|exists?|starts?|begins?|commences?|finish(?:es)?|ends?|stops?(?! [a-z]+ing)|completes?|finished|completed|
    done|came back|come back|gone through|gone out|went out|returned|(?:goes|go|gone) ahead(?!
      of)|proceeds?|
    makes? sense"""
)
_TO_HAPPEN = rf"(?: to (?:happen|occur|run|take place|be {_CALLED}))?"
_ALLOWED = _any("allowed|permitted|ok|okay|fine|acceptable|possible|tolerated|legal|accepted|valid")
_FORBIDDEN = _any(
    "forbidden|prohibited|disallowed|banned|blocked|(?<! be )locked|barred|off limits|off the table|"
    "out of bounds|illegal|unacceptable|taboo|ruled out|unavailable|refused|rejected|denied"
)
_WRONG = _any(
    """wrong|a violation|violations|an error|errors|a mistake|a bug|a breach|a problem|a no-go|
    (?:not|no longer) an option|out of
    the question|senseless|incorrect|unacceptable|
    not (?:ok|okay|allowed|permitted|acceptable)|(?:one )?too many|too much"""
)
_CONSIDERED = _any(
    """(?:(?:(?:would|must|will) )?be|is|are|counts? as|constitutes?)(?: (?:always|also|considered|regarded as|
    treated as|counted as|seen as|deemed))*"""
)
_REQUIRED = _any("required|mandatory|necessary|obligatory|compulsory|essential")

_ANSWERED = _any(
    "returns?|returned|gives?|gave|raises?|raised|throws?|threw|reports?|reported|(?:ends?|ended|"
    "results?|resulted) (?:up )?(?:in|with)|(?:answers?|answered|responds?|responded|comes? back|came back) with"
)
_FAILURE = "(?:an? )?(?:errors?|exceptions?|failures?)"

_VERBS = rows(
    rf"""
    succeeded: succeeds?|succeeded(?! by)|pass(?:es|ed)?(?! (?:an?|the|in|to|on)\b)|\
          (?:{_CALLED}|{_HAPPENS}) (?:successfully|without (?:an \
          )?errors?)|successfully (?:{_CALLED}|{_HAPPENS})
    failed: (?:fails?|failed)(?: with (?:an )?(?:error|exception))?|errors?(?: out)?|errored(?: \
          out)?|crash(?:es|ed)?|{_ANSWERED} {_FAILURE}
    begins: (?:(?:start|begin|open)(?:s|ing|ning)?|(?:kick|lead)s? off) (?:with|by)
    ends_with: (?:end|finish|conclude|close|wrap|round)(?:s|es)?(?: up| off)? (?:with|by|in)(?! \
          (?:[0-9]|noon|mid|(?:an? )?(?:error|fail|exception)))
    called: {_CALLED}
    happens: {_HAPPENS}
    comes: comes?|came|goes|go|stands?
    allowed: {_ALLOWED}{_TO_HAPPEN}
    forbidden: {_FORBIDDEN}{_TO_HAPPEN}
    required: {_REQUIRED}{_TO_HAPPEN}
    followed_by: (?:followed|succeeded|answered|matched|confirmed|acknowledged) (?:(?:{_SOON}|{_LATE})(?: in the \
          {_RUN})? )?by
    preceded_by: preceded (?:(?:{_SOON}|{_LATE}) )?by
    precedes: precedes?
    follows: follows?
    repeats: repeated|repeats?
    contains: contains?|includes?|have|has|calls?|uses?|makes?|carry|carries|shares?|sets?|pass|specif(?:y|ies)|\
          provides?
    gets: gets?|receives?
    alternates: alternates?|take turns
    exclude: exclude each other|excludes|rules? (?:each other )?out
    combines: (?:combined|mixed|used together)(?: with)?
    accompanied_by: accompanied by
    triggers: triggers?|leads? to|entails?|causes?|results? in
    implies: impl(?:y|ies)
    enables: unlocks?|enables?|gates?|permits?|authorizes?|allows?
    blocks: blocks?|locks?|freezes?|disables?|forbids?|prohibits?|bans?|disallows?|prevents?
    exceeds: exceeds?
    needs: needs?|requires?|takes?(?! place)|presupposes?|(?:depends?|hinges?|relies|rely|conditional|contingent) \
          (?:up)?on|waits? (?:for|until|till|on)|calls? \
          for|needed|required|demands?|(?:gated|unlocked|enabled|guarded|authorized|protected) by
    """
)


_PASSIVE = ("called", "allowed", "forbidden", "required", "followed_by", "preceded_by")
_VERB = (
    rf"{_ADVERBS}(?:to )?{_AUXILIARY}{_ADVERBS}(?:(?P<have>has|have|had|having) )?{_ADVERBS}(?:(?P<be>{_BE}) "
    rf")?{_ADVERBS}(?:to )?(?:be )?{_ADVERBS}(?:{'|'.join(f'(?P<{code}>{words})' for code, words in _VERBS)})(?= )"
)
_BEING = (
    rf"{_AUXILIARY}(?:(?:not|both|all|always) )*(?:be|is|are|was)(?: (?:not|never|always|only|also))*(?= )"
)
_BEING_WRONG = rf"(?:{_CONSIDERED} {_WRONG}|makes? no sense)(?= )"
_PAST = frozenset(("happened", "occurred", "took", "ran", "was", "were", "appeared", "came"))
_SAYING = {
    code: frozenset(some.split())
    for code, some in rows(
        """
        always: always
        every: each all
        both: both
        together: together
        later: eventually later subsequently point time afterwards
        again: longer
        earlier: previously first already
        right: immediately directly right just straight
        """
    )
}
"""Adverbs that say something, by their codes."""


def _adverbs(words: Sequence[str]) -> list[Said]:
    return [Said(code) for code, some in _SAYING.items() if not some.isdisjoint(words)]


_DENYING = frozenset(("not", "never", "longer"))


def _prefix(words: Sequence[str], may: object, did: object = False) -> str:
    no = not _DENYING.isdisjoint(words)
    parts = (
        "not_" if no else "may_" if may else "",
        "only_" if "only" in words else "",
        "did_" if did else "",
    )
    return "".join(parts)


def _verb(match: re.Match[str]) -> list[Said] | None:
    """Return the codes of "must never be called": adverbs, and the verb with what its auxiliaries say."""
    group, words = str(match.lastgroup), match[0].split()
    if group == "called" and match["have"] and words[-1] in ("finished", "completed", "run", "started"):
        group = "happens"
    helped = match["be"] or (match["have"] and group not in ("called", "followed_by", "preceded_by"))
    if group in _PASSIVE and not helped and not (words[0] == "not" and group.endswith("_by")):
        if words[-1] != "run" or not (match["must"] or match["may"] or words[0] == "to"):
            return None
        group = "happens"
    prefix = _prefix(words, match["may"])
    if {"not", "never"} <= {*words} or "not always" in match[0]:
        return None
    no = prefix.startswith("not_")
    if group in ("allowed", "forbidden", "required"):
        if no and group != "allowed":
            return None
        may = "may_only_" if "only" in words else "may_"
        prefix = "not_" if no or group == "forbidden" else may if group == "allowed" else ""
    elif (
        not match["must"]
        and not (match["have"] and match["may"])
        and (match["have"] or not _PAST.isdisjoint(words))
    ):
        prefix += "did_"
    if group == "follows" and match["must"] and not no:
        prefix += "must_"
    main = "happens" if group in ("called", "allowed", "forbidden", "required") else group
    if "both" in words and prefix.startswith(
        "not_"
    ):  # "are both forbidden" is about each, "must not both" about the pair
        denied = next((at for at, word in enumerate(words) if word in _DENYING), len(words))
        words = [word for at, word in enumerate(words) if word != "both" or at > denied]
    always = [Said("every")] if group == "required" and not prefix else []
    told = _adverbs(words)
    if match["have"] and (match["must"] or match["may"]) and Said("earlier") not in told:
        told.append(Said("earlier"))  # "must have been called"
    return [*told, *always, Said(prefix + main, low=bool(match["must"]), high=group == "allowed")]


def verb(words: Sequence[str]) -> list[Said] | None:
    """Return the codes of the verb that begins these words, or None."""
    text = "".join(f"{word} " for word in words)
    match = late(_VERB).match(text)
    if match is not None:
        return _verb(match)
    match = late(_BEING).match(text)
    return None if match is None else _being(match)


def _being(match: re.Match[str]) -> list[Said]:
    words = match[0].split()
    return [*_adverbs(words), Said(f"{_prefix(words, match['may'])}is")]


_AGENT = "(?:the |an? )?(?:agent|assistant|model|bot|robot|system|ai|llm|caller)|you|we|i|it|one|they"
ACTS = "call|use|invoke|run|do|execute|perform|make|trigger|issue|hit|touch|try|start|begin|finish|complete|employ"
_ACT = _any(
    ACTS
    + "|take|give|file|place|set up|raise|schedule|launch|kick off|carry out|grab|proceed with|go ahead with|"
    r"continue with|move on to|go on to|conduct|(?:record|log|query|fetch|look up|measure)(?= (?:the\s|an?\s)?\w+_)"
)
"""Verbs that say no more than "call". "Look up get_order" calls it, but "look up a refund" does not call refund."""
_ACTS = _any("calls|uses|invokes|runs|does|executes|performs|makes|triggers|issues|tries|starts")
_ACTED = _any("called|used|invoked|ran|executed|performed|made|done|triggered|issued|tried|started")
WAITING = (
    "depends on|depend on|relies on|rely on|waits for|wait for|wait until|waits until|hinges on|requires|require"
).split("|")
ACTING = _any(
    "calling|using|invoking|running|doing|executing|performing|making|triggering|issuing|trying|starting|finishing"
)
_ORDER = (
    rf"(?:(?:(?P<agent>{_AGENT})|the (?P<who>\w+)(?: agent)?) )?(?:please )?(?P<head>{_ADVERBS}"
    rf"(?:(?:(?P<sure>(?:do not )?forget(?: to)?|(?:be|make) sure to|remember to)|(?P<must>{_MODAL})|"
    rf"(?P<may>{_PERMIT})|do|does|did) )?{_ADVERBS}(?:(?P<have>having|have|has|had) )?{_ADVERBS})"
    rf"(?:(?P<act>{_ACT}|{_ACTS}|{_ACTED})(?= ))?"
)
_ALONE = (["only"], ["always"])


def _order(match: re.Match[str], act: str | None = None) -> list[Said] | None:
    """Return the code of "you must not call", or of "you must not" before a tool whose name is a verb (no ``act``)."""
    words = match["head"].split()
    if match["sure"]:
        if "forget" in words and _DENYING.isdisjoint(words):
            return None
        words = []
    if {"not", "never"} <= {*words}:
        return None
    prefix = _prefix(words, match["may"])
    if act is None and (
        match["who"] or not (match["agent"] or match["sure"] or prefix.startswith("not_") or words in _ALONE)
    ):
        return None
    past = match["agent"] and act and re.fullmatch(_ACTED, act) and not match["must"]
    did = "did_" if (match["have"] and not match["must"]) or past else ""
    if match["who"] in FUNCTION or not f"{match['head']}{match['agent'] or ''}{act or ''}".strip():
        return None
    return [*_adverbs(words), Said(f"{prefix}{did}do", low=bool(match["must"]), agent=match["who"])]


_POSTPONE = _any("wait with|hold off(?: on| with)?|hold back(?: on)?|postpone|delay|defer|put off")
_HOW = _any(
    """at least|at most|exactly|precisely|(?:no|not) (?:more|fewer|less) than|more than|more often than|fewer than|
    less than|up to|a (?:maximum|minimum|total) of|maximum|minimum|max|min"""
)
_OR = " or (?:more|less|fewer)"
_COUNT = (
    rf"(?:once and only once|(?:(?P<how>{_HOW}) )?(?:(?P<n>{_NUMBER}|a single)(?P<or>{_OR})? "
    rf"(?:times?|(?:calls?|uses?|invocations?)(?= \Z))|(?P<word>once|twice|thrice))"
    rf"(?P<post>{_OR}(?: times)?| at (?:the (?:very )?)?(?:most|least)| max(?:imum)?)?"
    r"|(?P<again>a (?:second|further) time)"
    rf"|(?:between )?(?P<low>{_NUMBER}) (?:and|to) (?P<high>{_NUMBER}) times)(?= )"
)
_COUNT_OF = (
    rf"(?:(?P<how>{_HOW}) )?(?P<n>{_NUMBER}|a single)(?P<or>{_OR})?(?P<of> of(?: the)?)?"
    r"(?: (?:calls|uses|invocations)(?P<post> at (?:the (?:very )?)?(?:most|least)))?(?= )"
)
_LEAST = ("at least", "or more", "min", "no fewer", "no less", "not fewer", "not less")
_MOST = ("at most", "up to", "max", "or less", "or fewer", "no more", "not more")


def _value(word: str) -> float:
    if word in ("a", "an", "a single"):
        return 1
    return NUMBERS.index(word) if word in NUMBERS else float(word)


def _count(match: re.Match[str]) -> list[Said] | None:
    """Return the bounds of "at least twice". What happens "a second time" happens more than once."""
    part = match.groupdict("")
    if part.get("again"):
        return [Said("REPEAT", 2, MANY)]
    if part.get("low"):
        return [Said("COUNT", _value(part["low"]), _value(part["high"]), exact=True)]
    n = (
        1.0
        if match[0] == "once and only once"
        else {"once": 1.0, "twice": 2.0, "thrice": 3.0}.get(part.get("word", "")) or _value(part["n"])
    )
    how = f"{part['how']}{part['or']}{part.get('post') or ''}".replace("the ", "").replace("very ", "")
    low, high = n, n
    if any(one in how for one in _LEAST):
        high = MANY
    elif any(one in how for one in _MOST):
        low = 0
    elif "more" in how:
        low, high = n + 1, MANY
    elif "than" in how:
        low, high = 0, n - 1
    code = "COUNT" if "word" in part else "COUNT_AMONG" if part["of"] else "COUNT_OF"
    return [Said(code, low, high, exact=bool(part["how"]) or code != "COUNT_OF")]


_WITHIN = (
    r"(?:within|in|among|no (?:later|more) than|at (?:most|the latest))(?: (?:the|at most|no more than|a maximum of))?"
    rf"(?: next| following)? (?P<n>{_NUMBER}|an?)(?: more| further)? (?:tool )?"
    r"(?P<unit>calls?|steps?|actions?|seconds?|secs?|minutes?|mins?)(?: (?:at most|at the latest|or less|or "
    r"fewer))?(?: later| thereafter| after (?:it|that))?(?= )"
)


def _within(match: re.Match[str]) -> list[Said]:
    """Return the deadline of "within 5 calls"."""
    number, unit = _value(match["n"]), match["unit"][:3]
    return [Said("WITHIN", number * 60 if unit == "min" else number, unit in ("min", "sec"))]


_NTH = (
    r"(?:(?:an?|any|every|each|no) (?P<nth>second|third|fourth|fifth|sixth|further|additional|other)|another)"
    r"(?: (?:calls?|uses?|invocations?|runs?)(?: (?:of|to))?)?(?= )"
)
_ORDINALS = ("", "", "second", "third", "fourth", "fifth", "sixth")


def _nth(match: re.Match[str]) -> list[Said]:
    """Return the number of "a third call": what happens a third time happens at least three times."""
    nth = match["nth"]
    no = [Said("no")] if match[0].startswith("no ") else []
    return [*no, Said("REPEAT", _ORDINALS.index(nth) if nth in _ORDINALS else 2, MANY)]


_END_RUN = rf"(?:end|finish|conclude|close|wrap up|complete|leave) (?:an?|the|each|every|any) {_RUN}(?= )"
_READERS: tuple[tuple[str, Callable[[re.Match[str]], list[Said] | None]], ...] = (
    (_VERB, _verb),
    (_BEING, _being),
    (_ORDER, lambda match: _order(match, match["act"])),
    (_COUNT, _count),
    (_COUNT_OF, _count),
    (_WITHIN, _within),
    (_NTH, _nth),
    (_BEING_WRONG, lambda match: [Said("not_happens")]),
    (_END_RUN, lambda match: [Said("end_run")]),
)

_FILLER = (
    _any(
        rf"""at any (?:time|point|moment)|anytime|sometime|at all|ever|(?:whenever|wherever) (?:you|we) (?:want|like)|
        (?:in|within|of|per|throughout|during|for)
        (?:a|any|each|every|the|its|this|that) (?:whole |entire |given )?{_RUN}|
        per {_RUN}|(?:anywhere|somewhere) in (?:the|a|the same) {_RUN}|for the (?:rest|remainder) of the {_RUN}|
        no exceptions|without exception|whatever happens|please|no matter what|then|in every case|whatsoever|explicitly|
        really|actually|in any case|in all cases|of course|no more and no (?:fewer|less)|no more no less|
        neither more nor less|obviously"""
    )
    + "(?= )"
)
_FRAME = (
    rf"(?:please |always )*(?:make sure|ensure|see to it|be sure|take care|it (?:is|must be) (?:{_REQUIRED}|important|"
    r"imperative)|see that|let|making sure|taking care|"
    r"(?:i|we) (?:also )?(?:want|need|would like)(?: you)?)(?: that| to)?(?= )"
)


_PERSON = "(?:the )?(?:agent|assistant|model|bot|run|trace|session|user|you|we|it|they)"
_ASIDE = " ".join(
    r"""(?:(?:it (?:is|need) )?not necessarily (?:right away|immediately|directly|straight away|next|at
    once|straight|(?:as )?the (?:very )?next (?:call|step|one)|right (?:after|before)(?: it|
    that)?|(?:(?:for|of|on|with) )?the same \S+)|(?:it|that|this) (?:need not|does not (?:have|need) to|does not
    necessarily have to) (?:be|come|happen|follow|have been) (?:right away|immediate|immediately|directly|the next
    (?:call|step|one)|next|at once|(?:for )?the same \S+)|(?:other|more) (?:\S+ )?calls? (?:may|can) (?:come|be
    made|happen|stand|sit|lie) in between|(?:other|more) (?:\S+ )?calls (?:in between|between them) (?:are|is)
    (?:fine|ok|okay|allowed)|(?:either|any|one)(?: one)?(?: of (?:them|the two|these|those|the three))? (?:will
    do|is enough|is fine|suffices|does|is ok|counts|works)|for \S+ reasons|(?:on|for|to|of|from|with|in)
    (?:whatever|whichever|any) (?!order)\S+|(?:for )?(?:all )?(?:the )?other (?:\S+ ){1,3}(?:do not(?: need
    (?:it|one|that|this))?|does not|need no such thing|(?:can|may) (?:still )?be \S+ (?:at any time|any
    ?time|whenever|freely|without (?:it|that|one))|there is no such (?:condition|rule|limit|requirement)|(?:are|is)
    (?:free|fine|ok|okay|unaffected|not affected|exempt|not concerned|allowed))|(?:the )?others (?:do not|(?:are|is)
    (?:free|fine|ok|okay|unaffected|not affected|exempt|not concerned|allowed))|\S+ before (?:it|that|then|\S+)
    (?:is|are) (?:still )?(?:fine|ok|okay|allowed|no problem)|(?:before (?:it|that|then) ,? ?)?(?:it|\S+) (?:is|are)
    (?:still )?(?:fine|ok|okay|allowed) (?:before|earlier|beforehand)|(?:the )?(?:same|one) \S+ (?:may|can)
    (?:serve|cover|do for) (?:several|many|all)(?: \S+)?|all \S+ (?:together|combined|taken
    together)|overall|(?:whoever|whatever|whichever) (?:\S+ )?(?:it|that|this) (?:was|is)
    (?:for|about|from|on|of))""".split()
)
UNORDERED = " ".join(
    r"""(?:the order(?: (?:of|between))?(?: (?:those|these|them|the))?(?: (?:two|three|calls|tools))?
    (?:is|does|makes)(?: not| no)?
    (?:up to (?:it|you|them|the agent)|matter|irrelevant|free|important|unimportant|open|difference)|(?:in
    )?(?:either|any|whichever|whatever|no particular|no fixed) order(?: (?:suits|you|is|among|of|for)
    (?:\S+ ?){1,2})?|(?:i|we) do not (?:mind|care)(?:(?: in)? (?:what|which|whatever) order| which|
      where)?|do not care|(?:the |their
    )?(?:order|sequence)(?: of the (?:two|calls|three)| between (?:them|the two)| of (?:them|these))? (?:does not|do
    not) matter|(?:no matter|regardless of|whatever) (?:in )?(?:which|the|their) order(?: of the two)?|(?:it does
    not matter |no matter )?which (?:one )?(?:of (?:them|the two|those two|these two|these|those)
    )?(?:comes|came|goes|is|was|runs|happens|happened)
    first(?: does not matter| is up to you| is irrelevant)?)""".split()
)
_BAD = (
    "(?:(?:it|that|this) (?:is|counts as|must be treated as) |treat it as |consider it )?(?:an? "
    ")?(?:bug|errors?|wrong|violation|"
    "mistake|failure|breach|defect|forbidden|unacceptable|not (?:ok|okay|allowed|acceptable))"
)
_FAILS = (
    "(?:does not pass|fails?|(?:is|are|must be|should be|gets?) (?:broken|rejected|invalid|wrong|"
    "failed|flagged|not ok|"
    "a failure|a bug|an error|a violation)|(?:must|should|shall|will) fail|(?:is|are) not (?:ok|okay|"
    "allowed|valid|acceptable))"
)
_SUITS = (
    r"(?: (?:it|that) suits(?: \S+)?| (?:you|we|i) (?:like|want|please|can|wish|have (?:the )?time|"
    r"find (?:the )?time|get to it)| there "
    r"(?:is|'s) (?:a free moment|a (?:free )?slot|time|room)| there's (?:a free moment|a (?:free "
    r")?slot|time|room)| convenient| possible| (?:he|she|they) (?:like|want)s?)?"
)
FREE = (
    rf" (?:(?:at )?any (?:time|moment|point|hour|place)(?: at all)?(?: (?:of|in|during) (?:the|a) day| "
    rf"today| is fine| will do| works| you like)?|"
    rf"any ?time|(?:whenever|wherever){_SUITS}|anywhere(?: (?:in|on) (?:the|your|my) (?:day|list|"
    rf"schedule|plan))?(?: you like)?|"
    r"(?:at )?some (?:time|point|moment)(?: today)?(?: too)?|sometime(?: today)?|somewhere(?: in "
    r"between)?|(?:has|have|needs?|with) no (?:fixed|particular|set|special) "
    r"(?:place|time|order|slot|position)|no (?:fixed|particular|set|special) order(?: among (?:those|these|them))?|"
    r"in (?:any|whatever|whichever|no particular|either) order(?: (?:you like|suits \S+|is best))?|"
    r"any order (?:is fine|will do|works)|"
    r"(?:are|is) (?:not|n't) tied to (?:any of this|anything|this|that|any of (?:that|these|those))|"
    r"(?:aren't|isn't) tied to (?:any of (?:this|that|these|those)|anything)|"
    r"(?:do|does) not matter|(?:don't|doesn't) matter|makes? no difference|(?:is|are) (?:irrelevant|"
    r"unimportant|independent(?: of each other)?)|"
    r"(?:is|are) (?:not|n't) important|isn't important|(?:is|are) up to you|(?:don't|do not) (?:care|"
    r"mind)|(?:have|has) no order|can wait|whichever way) "
)
"""What says that something has no place in the order."""
_AFTER = r"\b(?:after|once|until|till|follows?|following|waits?|waiting|when|soon|moment|instant|upon)\b"
_BEFORE = r"\b(?:before|precedes?|ahead|prior)\b"
_LAST, _FIRST = (
    r"\b(?:last|finally|(?:end|finish|close|conclude)(?:e?s)?)\b",
    r"\b(?:first|starts?|begins?|opens?)\b",
)
_SAME = "(?: [,;]| and| but)*"
_NO_MORE = r"(?:(?!\b(?:not?|never|forbidden|off limits|most|max|maximum)\b).)"
"""What stands between the last word of these and another, so that no place is looked at twice."""
_NEWEST = "(?:(?:very )?(?:latest|last)|most recent|newest)"
_ANSWER = "(?:result|answer|response|output|reply|return value)"
_MUST = "(?:must|should|shall|may|can|has to|have to|needs to|need to|is to|are to)"
_FAIL_IF = (
    rf"(?:{_BAD}|(?:fail|reject|flag|block|abort)(?: (?:the|a|any|this|it|every)(?: \S+)?)?|the "
    rf"(?:run|check|build|test|trace) {_FAILS}) (?:if|when|whenever|as soon as)"
)
_ONE = r"((?:(?!(?:and|but|yet|not|never|no|does|is|are|was|were|if|when|,|;) )\S+ ){0,4}?(?!(?:and|but|not|no) )\S+)"
"""A few words of one clause."""
_REST = r"((?:(?! (?:and|but|yet|not|never|no|exactly|precisely|only|,|;) ).)*)"
_THE_CALLS = (
    r"(?:any |one |some )?(?:of )?(?:the )?(?:next |first )?(\S+) (?:tool )?calls (?:that |which )?"
    r"(?:come |coming |made |"
    r"right |directly |immediately |straight |just )*(?:after|following|follow)(?: (?:an?|any|each|every|the))?"
)
_OTHER_TOOL = (
    r"(?:some(?:thing)? |an? |any |at least one |one )?(?:other|else|different|another)(?: (?:tool|call|one|action))?"
    r"(?: call)?s?"
    r"(?: (?:must|should|has to|have to|needs to|need to) "
    r"(?:be (?:called|used|run|made)|come|run|happen|follow|have been called))?"
)
_UNIT = (
    r"(?!(?:calls?|times?|steps?|turns?|messages?|seconds?|minutes?|hours?|may|must|should|shall|can|will|is|are|was|were|needs?|"
    r"requires?|has|have|in|on|at|by|to|for|or|and|but|before|after|until|unless|if|when|once|without|only|never|not|per|of|the|an?)\b)"
)
"""What follows is the name of an argument."""
SIMPLE = dict(
    rows(
        """
        S only after S: precedence 1 0
        S comes before S: precedence 0 1
        S before S: precedence 0 1
        S never happens after S: not_succession 1 0
        every S is followed by S: response 0 1
        every S is followed right away by S: chain_response 0 1
        S happens right after S: chain_precedence 1 0
        every S has its own S before it: alternate_precedence 1 0
        if S happens , S happens: responded_existence 0 1
        if S happens , S never happens: not_coexistence 0 1
        the first call is S: init 0
        the last call is S: end 0
        S happens first: first 0
        S happens last: last 0
        S never happens: never 0
        never call S: never 0
        S at most once: absence 0 # 1
        at most one S: absence 0 # 1
        S happens at most once: absence 0 # 1
        """
    )
)
"""What plain sentences mean, where S is a known tool: a kind, the places of its sets, and behind # its number."""
PLAINER = rf"""
    ^(?!some |at least |one )([^,;:]*?) (?:->|=>) ([^,;:]*?)(?: must come)? \
      (?:(?:right|directly|immediately) after(?: it| that)?|right \
      away|immediately|directly)$ \
      => every 1 is followed right away by 2
    ^(?!before|after|once|if|when)(.*) [:,;] both or (?:neither|none)$ => 1 both happen or neither
    w / out => without
    w /(?! o) => with
    only ever => only
    between (?:any )?two (?:consecutive|successive)(?= \S+) => between two
    ^(?!.* or )(?:any )?two (?:consecutive )?(.*?) (?:calls )?\
      (?:need|must have|require|have to have|should have) (?:an? |at least one \
      |one )?(.*?) (?:somewhere )?(?:between them|in \
      between)$ => between two 1 calls , 2
    ^(?:never|do not)(?: call)? (.*?) twice without (?:an? |calling )?(.*?) (?:in )?between(?: them)?$ => \
      between two 1 calls , 2
    ^(?:if|when) (.*?) (?:is|are|was)(?: called| used)? in (?:the|a) {_RUN} , (.*?) (?:must not|may not|can \
      not|should not) be(?: in \
      it)?(?: ,? ?and vice versa)?$ => 1 and 2 never happen together
    (?:(?:always )?(?:go|come|belong) together [:,;] )both or (?:neither|none)$|(?:always )?(?:come|go|appear) \
      (?:as a pair|hand in hand)$ => both \
      happen or neither
    ^if (?:either|one) of (.*?) (?:is|was|gets) (?:called|used|made) ,? ?(?:so must (?:be )?the other|the \
      other(?: one)? must be(?: called)?(?: too| as \
      well)?)$ => both 1 happen or neither
    for this (?:agent|assistant|bot)$ =>
    ^(?:an?|the same) ([a-z]+) (?:must|may|can|should) (?:not|never) be (\w+) (twice|more than .*)$ => no 1 may be 2 3
    ^(?:an?|each|every) ([a-z]+) (?:must|may|can|should) only be (\w+) once$ => no 1 may be 2 more than once
    ^(\S+(?: \S+)?) (?:must|may|should|can) (?:not|never) be called without => never call 1 without
    , (?:full stop|period|end of story|ever)$ =>
    (no (?:further |more |other )?(?:tool )?calls?) of any kind => 1
    (mutually exclusive) : (?:an?|each|every|one|any) {_RUN} (?:may|can|must|should) (?:contain|have|include|use|call) \
      (?:(?:either )?one or the other|only one(?: of them)?|at most one(?: of them)?)(?: ,)?(?: (?:but )?(?:never|not) \
      both)?$ => 1
    ^an? (?!(?:must|has|should|shall|needs)\b)([^,;]+?) (must|has to|should|shall|needs to) be followed by => \
      every 1 2 be followed by
    ^(.*? (?:alternates?|take turns)) ,? ?and (\S+) (?:goes|comes|is|starts|begins) first(?: [;:,] .*)?$ => \
      1 , starting with 2
    (must|has to|should|shall|needs to)(?: always)? be called with (an?|the) (\w+)$ => 1 have 2 3
    ^always (?:pass|set|give|provide|specify|include) (an?|the) (\w+) (?:when calling|to|in|for|with) \
      (?:(?:every|each|any|all|the|an?) )?(\S+)(?: calls?)?$ => every 3 must set 1 2
    (needs|requires) an? (\w+) (?:argument|parameter|field)$ => must set a 2
    (?:the )?(\w+) (?:which|that) (?:the (?:latest|last|most recent|previous) )?(\S+) (?:had |has )?\
      (?:returned|gave|reported|showed|answered)(?: before| earlier)?(?: for (?:that|the same) (\w+))$ => \
      the latest 2 's 1 for the same 3
    the (\w+) (?:which|that) (?:the (?:latest|last|most recent|previous) )(\S+) (?:had |has )?\
      (?:returned|gave|reported|showed|answered)(?: before| earlier| before it)?$ => the latest 2 's 1
    an? (\w+) (?:which|that) (?:some|an?|any) (?:earlier|previous) (\S+) (?:had |has |actually )*\
      (?:returned|gave|reported|showed|answered)$ => an earlier 2 's 1
    {_MUST} (?:use|carry|have|take|pass|be given|get|contain) (the latest|an earlier) (\S+) \
      's (\w+)(?= for|$) => only with 3 = 1 2 's 3
    ^(\S+(?: \S+)?) may only (?:touch|access|use|read|write|write to|read from|open|delete|edit|change) \
      ([a-z]+?)s (?:that|which) (start|end|begin)s? with => 1 only with 2 that 3 with
    ^(.*? (?:happens|is called|is used|may be called|must be called|called|runs) (?:exactly |only |just )?once) \
      ,? ?and (?:it|this|that) (?:is|must be) (?:always )?the (first|last) call(?: of (?:the|a) {_RUN})?$ => 1 and 2
    ^(.*? (?:once|twice|times)(?: at most)?) ,? ?and after (?:it|that|this) (?:there (?:is|are|may be|must be) )?\
      (no .*?)(?: any ?more| again)?$ => 1 ; 2 after it
    (with) both (the same \S+ and the same \S+)$ => 1 2
    ^(?:never|do not)(?: call| use| run)? (\S+(?: \S+)?) as (?:the|your|its)(?: very)? (first|last) (?:tool )?\
      (?:call|step|action)$ => 1 must not be the 2 call
    ^(?:always )?(?:call|use|run) (\S+(?: \S+)?) as (?:the|your|its)(?: very)? (first|last) (?:tool )?\
      (?:call|step|action)$ => the 2 call is 1
    ^((?:never|do not|you (?:must|may|should) (?:not|never)) \S+) an? (\w+) (twice|more than once)$ => \
      1 the same 2 3
    ^within (\S+) calls of (?:an? |the |any |each |every )?(.*?) , (.*)$ => within 1 calls after 2 , 3
    ^(after [^,]*?) (?:and|but) (until|before) ([^,]*?) , (.*)$ => 1 , 4 until 3
    ^((?:once|after) [^,]* , .*?) (?:has to|must|should|needs to) wait (?:until|for) => 1 must not happen until
    kick (?:things|it|everything) off (?:with|by) => start with
    followed up by => followed by
    ^(?!some |at least |one )(\S+(?: \S+){{0,2}}) (?:->|=>) \
      (?:the )?(?:very )?next (?:call|step)(?: is| must be)?(?: always)? (.*)$ => \
      every 1 is followed right away by 2
    ^(?!some |at least |one )([^,;:]*?) (?:->|=>) ([^,;:]*?) (within [^,;:]*)$ => every 1 is followed by 2 3
    ^(?!every |each |all |.* (?:always|never|required|needed|necessary)\b)(\S+(?: \S+){{0,2}} \
      (?:failed|fails|succeeded|succeeds)) (?:->|=>) no (?:more )?(.*?)(?: (?:after it|after \
      that|afterwards|any more|again))?$ => no 2 after 1
    (min|max) [.] => 1
    ^>= ([0-9]+)(?= \S+) => at least 1
    ^<= ([0-9]+)(?= \S+) => at most 1
    (?:, )?(?:thanks|thank you|thx|ty|cheers)$ =>
    (once|twice|times|thrice) (?:in )?(?:every|each|any) {_RUN}$ => 1
    ^(\S+(?: \S+){{0,2}}) = (?:always )?(?:the )?(first|last) call$ => 1 is always the 2 call
    either both => both
    (?:, )?or neither(?: (?:does|do|is|are|of (?:them|the two|both)))?$ => or neither
    ^((?:{_NUMBER}) .*? in a row) at (?:the )?most$ => at most 1
    ^(?:both )?(\S+(?: \S+){{0,2}}) and (\S+(?: \S+){{0,2}}) \
      (?:must |should |have to |always )*(?:(?:both )?be|are) (?:part \
      of|in) (?:the same|one) {_RUN}$ => both 1 and 2 happen or neither
    (exclude each other|mutually exclusive) (?:within|in) (?:one|a single|any|the same|a) {_RUN}$ => 1
    (only (?:make|makes) sense together) [:;] (?:a|every|each|any) {_RUN} (?:that has|with) one(?: of them)? \
      must(?: also)? have the other(?: one)?$ => 1
    ^(?:an?|any|every|each|the) {_RUN} (?:contains|has|calls) (.*?) (?:if and only if|iff) it \
      (?:contains|has|calls) (.*)$ => both 1 and 2 happen or neither
    ^(?:an?|any|every|each|the) {_RUN} (must|should|has to|shall) be (?:concluded|ended|finished|closed) \
      (?:by|with) => the run 1 end with
    ^(?:an?|any|every|each|the) {_RUN} (must|should|has to|shall) be (?:opened|started|begun) (?:by|with) => \
      the run 1 start with
    (?:with|for|on) the same (\w+) (?:argument|parameter)(?= |$) => for the same 1
    ^(.*(?:immediately|directly|right|just|(?:first|next|last) call) .*?) [,;] (?:and )?(?:never|not) (?:by \
      )?anything else$ => 1
    ^(?:hi|hello|hey|heads up)(?: there| all| team)?(?: ,)? =>
    pls|plz => please
    w / o => without
    ^assert(?: :)?(?= (?!that )\S+) =>
    ^in (each|every) {_RUN}(?: ,)?(?= .* follows ) => 1 trace
    ^((?:right|immediately|directly|straight) (?:before|after) (?:(?!,).)*?) :(?= \S+) => 1 ,
    ^(?!some |at least |one )(.*?) (?:->|=>) \
      ([^,;:]*?)(?: at)? (?:(?:some ?time|any ?time)? ?later(?: on)?|eventually|at some (?:later \
      )?(?:point|time)|sooner or \
      later)(?:(?: ,)? always)?$ => every 1 is followed by 2 later
    (?:either )?both ({_CALLED}|present) or both (?:left out|skipped|omitted|missing|absent|not \1) => both \
      called or neither
    (?:any two (?:consecutive |successive )?|one |any |each |every |an? )(\S+)(?: calls?)? and \
      (?:the|its|another) (?:next|following)(?: one| \
      call| \1(?: call)?)?(?= ,| there|$) => two 1 calls
    between any two(?= \S+) => between two
    ^([^,;:]*?) between two (?:calls (?:of|to) )?(\S+)(?: calls)?$ => between two 2 calls , 1
    ^(no .*?without .*?) , (?:(?:and|but) )?(no .*without .*)$ => 1 ; 2
    ((?:end|finish|wrap|close|conclude)(?:s|es)? .*?)(?: ,)? as (?:your|the|its)(?: very)? (?:last|final) \
      (?:tool )?(?:call|step|action)$ => 1
    ((?:start|begin|open)s? (?:.*? )?with .*?)(?: ,)? (?:before (?:you )?(?:do |doing )?anything else|as \
      (?:your|the|its)(?: very)? first (?:tool \
      )?(?:call|step|action))$ => 1
    ^(?!some |at least |one )(?:every |each |an? )?(.*? followed \
      (?:straight away|right away|immediately|directly|at once) .*?) as the \
      (?:very )?next (?:tool \
      )?(?:call|step|action)$ => every 1
    only with (.*?) as the (?:call|step) (?:right|just|immediately|directly) before(?: it| that)?$ => only \
      right after 1
    (exactly .*?) , (?:not|neither) (?:{_NUMBER}|more|less|fewer)(?: (?:and|nor|or)(?: not)? \
      (?:{_NUMBER}|more|less|fewer))?$ => 1
    , so that (?!.* (?:must|unless|if|except|but|should|only|never|not|no|before|after) ).*$ =>
    ^did (you .*?) [?] (?:then|so) => if 1 ,
    be (?:somewhere |anywhere )?in (?:the|that|this) {_RUN} => happen
    [(] (?:for )?(?:safety|security|compliance|policy|privacy|legal|audit|cost|costs|gdpr|hipaa|finance)(?: \
      reasons?| rule)? [)] =>
    ^(?:an?|the|any) (\w+) (above|over|below|under|of|=|<|>|<=|>=) ([0-9]\S*|"\S*") \
      (must|may|should|can|shall)( not| never) be \
      (?:passed|given|sent|handed) to(?: an?| the| any)? (\S+(?: calls?)?)$ => 6 with 1 2 3 4 5 happen
    ^(\S+(?: calls?)?) (must|may|should|can|shall)( not| never) exceed (?:an?|the|its) \
      (?!total|count|number|limit|max|sum)(\w+) of ([0-9]\S*)$ => 1 with 4 > 5 \
      2 3 happen
    , (?:then )?(?:please )?(?:make sure|ensure|be sure|see to it)(?: that)? => ,
    (?:is|are) (?:expected|wanted|called for)(?: (?:per|in|for)(?: an?| each| every| one| the)? {_RUN})?$ => \
      are required
    (?<!not )(?<!never )(?:limited|restricted|capped) (?:to|at) \
      (one|two|three|four|five|six|seven|eight|nine|ten|[0-9]+)(?: \
      (?:per|in|for)(?: an?| each| every| one| \
      the)? {_RUN})?$ => limited to 1 times
    ^(?:assert|check|verify|expect|confirm|require|demand|enforce|guarantee|we \
      (?:require|demand|insist|expect)|it must hold)(?: :)? \
      that =>
    ^(?:all )?(?:runs|traces|sessions|conversations)(?= (?:that|which|with|where|in which)) => every run
    (?:the )?(?:user's|user) {_NEWEST} (?:message|turn|reply)|(?!the latest user message)the \
      {_NEWEST} (?:user's message|user \
      message|message (?:from|by|of) the user) => \
      the latest user message
    the latest user message (?:at (?:that|the) (?:time|point|moment)|before (?:it|that|then|the call)|so \
      far|up to then) => the \
      latest user message
    latest user message (?:has|have) (\S+) (?:in it|somewhere in it) => latest user message contains 1
    latest user message (?:says?|said|mentions?|mentioned|(?:{_MUST}|has|have) (?:have \
      )?(?:contain|include|say|mention|contained|included|said|mentioned)) => latest user \
      message contains
    (contains?|containing|contained) (?:the )?(?:text|words?|string|phrase)(?= "\S*") => 1
    the user (?:has |had )?(?:said|written|typed|replied|answered)(?: with)? ("\S*") in \
      (?:the|their|his|her) {_NEWEST} message => the \
      latest user message contains 1
    ^the user {_MUST}(?: have)? (?:said|written|typed|replied|answered)(?: with)? ("\S*") in (?:the|their) \
      {_NEWEST} message before \
      (\S+)(?: is called| is used| runs)?$ => 2 only if the latest user message contains 1
    (?:the )?{_NEWEST} {_ANSWER} (?:of|from|by)(?: an?| the)? (\S+)(?= \
      (?:had|has|was|is|said|contained|must)) => the latest 1
    (?:the )?{_NEWEST} (\S+)(?: call)?(?: 's)? {_ANSWER}(?= (?:had|has|was|is|said|contained|must)) => the latest 1
    (?:the )?(\w+) (?:in|of|from) the {_NEWEST} (\S+)(?: call)?(?: 's)?(?: {_ANSWER})? (?:is|was|equals|=) \
      ("\S*") => the latest 2 had 1 = 3
    (\S+) (?:has been|was) called(?: already| before| earlier)? and (?:its|the) {_NEWEST} {_ANSWER} => the latest 1
    (had|has|returned|returns|said|says|reported|reports|answered) (\w+) :(?= "\S*") => 1 2 =
    {_FAIL_IF} (?:no (\S+)(?: calls?)? (?:is|was) (?:called|made)|(\S+) (?:is|was) (?:not|never) called)$ \
      => 1 2 happens
    {_FAIL_IF} (?:(?:an?|any|the|some|one) )?{_ONE} (?:is|are|was|were|gets|has been|have been) \
      (called|used|made|invoked|run|executed){_REST}$ \
      => 1 must not be 2 3
    {_FAIL_IF} (?:(?:an?|any|the|some|one) )?{_ONE} \
      (runs?|happens?|occurs?|comes?|fails?|errors?|returns?|ends?|follows?){_REST}$ => 1 must \
      not 2 3
    ^(?:an?|any|every|each|one)(?: single)? (?:failing|failed|erroring|unsuccessful) (\S+)(?: calls?)? \
      (?:{_FAILS}|{_CONSIDERED} {_WRONG}|\
      (?:fails|breaks) (?:the|a) \S+)$ => 1 must not fail
    ^(?:all|every|each|any) (\S+)(?: calls?)? (?:must|should|shall|has to|have to|needs to|need to)(?: \
      always)? (?:succeed|be \
      successful|(?:complete|return|finish|end) without (?:an? )?errors?)$ => 1 must not fail
    ^(?:an? |any )?(?:failed (\S+)|(\S+) (?:error|failure))(?: calls?)? (?:means|implies) no \
      (?:more|further|later) => after a failed 1 2 \
      , no
    ^no {_RUN} {_MUST} (?:have|contain|make|include|see|call) (more|fewer|less) => there must not be 1
    ^(?:the |a )?(?:hard )?(?:limit|cap|quota|maximum)(?: number of calls)? (?:for|on|of|to) (\S+)(?: \
      calls)? is (?:set to |at )?(\S+) \
      (?:calls?|times|uses) => 1 happens at most 2 times
    ^(?:there (?:is|must be) )?no (?:one |single |given |individual )*(\w+_\w+|\w+id) (?:(?:{_MUST}|is \
      allowed to) )?(?:gets?|have|has|\
      sees?|receives?|appears? in|be in) (more than \S+) (\S+)(?: calls?)?(?: in (?:an?|any|the|one) \
      {_RUN})?$ => there must not be 2 3 calls per 1
    (?:for|per) (?:any |each |every )?(?:one|single|given|individual) (\w+) => for each 1
    the same (\S+) [(] (?:by|same|matched by|i [.] e [.]) (\S+) [)](.*)$ => the 1 3 per 2
    (?:on|for|with|of|to|about|at|in) (?:an?|any|each|every|one|the|some) (\w+)(?= .* (?:same|per|that \
      same) \1_?(?:id|number|no|code|\
      key|ref)(?: |$)) =>
    (?:whenever|when|if|where|as long as)(?: both| they| the two| they both| both of them)*(?: calls)? \
      (?:concern|have|share|use|name|\
      carry|refer to|are (?:for|about|on|with|called with)) the same => for the same
    (?:for|on|with|of|to) (?:an?|any) (\w+) (?:that|which) (?:has|have) (?:not|never) (?:had|seen|got|been \
      through|gone through)(?: \
      an?| any| its)? (\S+)(?: calls?)?(?: first| yet| before| earlier)* => without an earlier 2 for the same 1
    before (?:the {_RUN} (?:is over|ends|finishes|is done|is finished)|the end of the {_RUN})$ => later
    (earlier|later|before|afterwards|elsewhere|already) in the same {_RUN} => 1
    (followed|preceded)((?: \w+){{0,4}}) , by => 1 2 by
    (followed)(?: up)? with => 1 by
    (once|twice|(?:{_NUMBER}) times) , (?:and |but )?(?:not|never)(?: ever)? again$ => at most 1
    ^do not (?:finish|end|stop|conclude|close)(?: (?:the|an?|any) {_RUN})?(?= without) => do not end the run
    ((?:only|needs|requires) .*?) and (?:only )?(?:if|when) (?:an? |the )?(\S+) has not been called \
      since(?: then| that| it)?$ => 1 and with \
      no 2 in between
    [(] (?:or ,? ?)?(?:for the first(?: one| call)? ?[,:] )?since the {_RUN} (?:began|started|begins|starts) [)] =>
    ^(call (?:an? )?\S+|\S+ happens) (?:being|to be|getting) called$ => 1
    for (?:an? |the )?{_UNIT}(\w+)(?= (?:of|above|over|below|under|at least|at most|more than|less \
      than|>|<|=|>=|<=) [0-9]) => with 1
    (?:of|for|with) ((?:more|less|fewer) than|at least|at most|over|under|above|below|up to) ([0-9]\S*) \
      {_UNIT}(\w+|`\w+`) => with 3 1 2
    (?:of|for|with) ([0-9]\S*) {_UNIT}(\w+|`\w+`) (or (?:more|less|higher|above|lower|fewer)) => with 2 of 1 3
    with (\w+|`\w+`) ([0-9]\S*)(?= or (?:more|less|higher|above|lower|fewer)) => with 1 of 2
    (must|should|shall|has to|have to) (?:keep|leave|hold|set|limit)(?: its| the| their)? (\w+)(?= \
      (?:below|under|above|over|at most|at \
      least|between|<|>|within)) => 1 have 2
    (may|must|can|should|shall) (not|never) (?:use|have|take|get|be given|receive|carry)(?: an?| the| any)? \
      (\w+)(?= (?:"\S*"|[0-9]|=|<|>|\
      above|below|over|under|of|at|less|more|greater)) => 1 2 be called with 3
    ^(?:the )?(\w+) ("\S*") (?:is|are) (?:{_FORBIDDEN}|not {_ALLOWED}) (?:for|in|with|on) (\S+)$ => 3 with \
      1 2 is forbidden
    ^(\w+|`\w+`) [(] (\w+) (=|<|>|<=|>=|!=) (\S+) [)](?= (?:must|may|should|can|is|are) ) => 1 with 2 3 4
    (?:makes?|puts?|renders?|turns?) (\S+) {_FORBIDDEN} => blocks 1
    and (?:the|an?) (\S+) (?:that|which) (?:follows|comes after|comes next)(?: it| that)? => and the next 1
    (\S+) (was|were|has been|have been|is) called or (?:an? |the )?(\S+) \2 called => 1 or 3 2 called
    (both)? ?have been called , (?:in )?(?:any|either|whatever|whichever) order , before => 1 have been called before
    ^after (\S+) (?:(?:consecutive|successive) (\S+)(?: calls)?|(\S+)(?: calls)? in a row) ,? ?\
      {_OTHER_TOOL}(?: before (?:the next|another|\
      any other) \S+(?: call)?)?$ => 2 3 may be called at most 1 times in a row
    ((?:not?|never|most|max|maximum){_NO_MORE}* in a row) [,;] (?:then |and then |and )?{_OTHER_TOOL}(?: \
      (?:first|between|in between|between \
      them|in - between))?$ => 1
    ^(?:none of|neither of) {_THE_CALLS} (\S+)(?: calls?)? (?:may|must|can|should) \
      (?:be|include|contain)(?: an?)? (\S+)(?: calls?)?$ => \
      3 must not be called within 1 calls after 2
    ^(?!one|some){_THE_CALLS} (\S+)(?: calls?)? (?:may|must|can|should) (?:not|never) \
      (?:be|include|contain)(?: an?| any)? (\S+)(?: calls?)?$ => 3 \
      must not be called within 1 calls after 2
    ({_MUST}(?: not| never)?) be (?:among|one of|in|within|part of) {_THE_CALLS} => 1 be called within 2 calls after
    (?:in|among|within|as|during|for) {_THE_CALLS} => within 1 calls after
    (?:in|among|within|as) (?:one|any|some) of the (?:next |following )?(\S+) calls(?: after (?:it|that))? \
      => within 1 calls
    ((?:right|directly|immediately|straight|just) .*?) ,? ?(?:with )?(?:no|nothing)(?: other)?(?: tool)?(?: \
      calls?)? (?:in )?between(?: \
      them| the two)? => 1
    (only .*?) as (?:the |an? )?(?:very )?(first|last|final) (?:tool )?(?:call|step|action)(?: of \
      (?:the|an?|any|each|every) {_RUN})? => 1 2
    ^(?:an? )?(\S+) (?:closes|ends|finishes|concludes|terminates) (?:the|an?|every) {_RUN} [:;,] (.* \
      after) (?:it|that)$ => 2 1
    (?:is|are) (?:not|none of|never) (?:the|this|that|an?|your|our|its)?(?: \
      (?:agent|assistant|model|bot)(?: 's|'s)?)? \
      ?(?:job|business|task|role|remit|concern|responsibility|call to make) => is forbidden
    ^(?:{_PERSON}|this agent) (?:has|have) no (?:permission|right|authority|licen[cs]e|clearance) to(?: \
      {_ACT})? => do not call
    (?:must|should|has to|is to) (?:stay|remain|be left|go) (?:unused|uncalled|untouched) => must not be called
    (?:keep|take) (?:your )?hands off => do not call
    ((?:not|no|never|forbidden|off limits) {_NO_MORE}*?) (?:under|in) any circumstances => 1
    [;,] (?:so |and )?(?:{_PERSON}|this agent) (must|may|should|can|shall) (not|never)(?: ever)? \
      (?:do|call|use|run) (?:it|that|this)$ => ; \
      it 1 2 be called
    ^this (?:agent|assistant|model|bot)(?= (?:must|may|should|can|shall|will|has|is)) => the agent
    ^only (one|a single|{_NUMBER})(?! of)(?= \S+(?: calls?)? (?:may|can|must|has to|should|is|are) ) => at most 1
    ^{_FILLER} , =>
    , {_FILLER}(?= ,|$) =>
    (?:avoid|refrain from|stop|no|no more) {ACTING}|hands off => do not call
    (?:do not|never) (?:bother|even think (?:about|of)|set out on|embark on|get started on|proceed to|move on \
      to)(?: with)? => do not call
    (?:(?:{_AGENT}) )?(?:(?:{_MODAL}) )?{_POSTPONE} => do not call
    (?:do not|never) (?:let|allow|have) (?:{_AGENT})(?: to)? {_ACT} => do not call
    it (?:(?:is|must be) {_FORBIDDEN}|(?:must|should|may|can) (?:never|not) (?:happen|occur|be)) that => no
    (?:(?:{_AGENT}) )?(?:has|have) no business {ACTING}|it (?:should|must|may) (?:not|never) be possible to \
      {_ACT} => do not call
    it (?:is|must be) (only )?{_ALLOWED} to(?: {_ACT})? => you may 1 call
    it (?:is|must be|counts as) (?:(?:not|never) {_ALLOWED}|{_FORBIDDEN}|{_WRONG}) to(?: {_ACT})? => do not call
    (?:(?:is|are|be|must be|should be) )?(?:limited|restricted|capped) (?:to|at)(?: (?:a maximum of|a total of|at \
      most|no more than))? (\S+) (?:times|calls?|uses?|invocations?) => may be called at most 1 times
    (?:limit|restrict|cap)(?: the number of)? (.*?) (?:to|at)(?: (?:a maximum of|a total of|at most|no more \
      than))? (\S+) (?:times|calls?|uses?|invocations?) => 1 may be called at most 2 times
    ^(.*?){_SAME} (?:not|never) (?:the other way (?:around|round)|vice versa)$ => 1
    ^((?=.*{_AFTER})(?:(?!{_BEFORE}).)*?){_SAME} (?:not|no|never)(?: any)? (?:earlier|sooner|before(?: \
      (?:it|them|that|then))?)$ => 1
    ^((?=.*{_BEFORE})(?:(?!{_AFTER}).)*?){_SAME} (?:not|no|never)(?: any)? (?:later|after(?: (?:it|them|that))?)$ => 1
    ^((?=.*{_LAST})(?:(?!{_BEFORE}|{_AFTER}).)*?){_SAME} (?:with )?nothing(?: else| comes| may come)? after \
      (?:it|that)$ => 1
    ^((?=.*{_FIRST})(?:(?!{_BEFORE}|{_AFTER}).)*?){_SAME} (?:with )?nothing(?: else| comes| may come)? before \
      (?:it|that)$ => 1
    ^(.*\bfirst\b.*?){_SAME} (?:everything|all|the rest)(?: else)? (?:afterwards|later|after (?:it|that))$ => 1
    ^(.*\blast\b.*?){_SAME} everything else (?:earlier|before(?:hand)?|before (?:it|that))$ => 1
    ^(?=.*(?:even once|single time|not ever)$)(.*\b(?:not|never|no|cannot)\b.*?)\
      {_SAME} (?:not even once|not a single time|not ever)$ => 1
    ^((?:(?!least).)*(?:once|twice|times)){_SAME} (?:not|no) more(?: often)?(?: than that)?$ => 1
    ^((?=.*{_LAST})(?:(?!{_BEFORE}|after).)*?){_SAME} (?:(?:when|once) (?:all the rest|everything else) is \
      done|after (?:all the rest|everything else))$ => 1
    , (sooner or later|eventually|always|if ever)(?: ,)? => 1
    ^(?:{_ASIDE}|{UNORDERED})$ =>
    , {_ASIDE} ,(?! (?:and|but|or|so) ) =>
    (?:[,;:(-] )+(?:and |but |though |although )*{UNORDERED}(?: [)])?(?= [;:]|$) => in any order
    (?:[,;:(-] )+(?:and |but |though |although |so )*{_ASIDE}(?: [)])?(?= [,;:]|$) =>
    [(] (?:for |on |with )?(?:the )?same (\S+)(?: value)? [)] => for the same 1
    (?:to|for|on|of|with|by|in|from) (?:that|the)(?: very)? same \S+(?= for the same \S+) =>
    (?:for|on|with|of|to|about) (?:an?|any|every|each|one|some) (\w+) (.*?)(?:for|on|with|of|to|about) \
      (?:that|the)(?: very)?(?: same)? \1 => 2 for the same 1
    (?:for|on|with|of|to) (?:an?|any|every|each|one|some) (\S+) ((?:once|after|if|when|unless|until|before) \
      .*?)(?:for|on|with|of|to) (?:it|that)$ => 2 for the same 1
    (?:for|on|with|of|to) (?:an?|any|every|each) (\S+) (?:on|for|with|to|of) which (.*?) has ((?:\S+ )?been \
      \S+)(.*)$ => once 2 has 3 4 for the same 1
    (?:that|which|who) (?:(?:is|are|was|were) not|(?:has|have|had) (?:not|never)(?: \S+)? \
      been|(?:is|are|was|were) never)(?= \S+ed| \S+n) => unless it has been
    ^(?:the )?(?:ci|check|build|pipeline|review|gate|linter|test)(?: run| check| job)? (?:must |should |will \
      )?(?:fails?|breaks?)(?: the (?:run|build))? (?:on|for|at) => no
    ^(?:fail|reject|block|flag|refuse|disallow|deny)(?: (?:the|a|any) run| it)?(?: (?:on|for|at|with))?(?= \S+ \
      .*(?:unless|without|before|until|after)) => no
    ^(?:a|any|every) {_RUN} (?:in which|where|that|with|which) (.*) {_FAILS}$ => no 1
    ^(?:{_BAD}|fail(?: the run)?|the run fails|reject the run|a {_RUN} fails) (?:if|when|whenever|for)(?: \
      (?:a|any|the|some) {_RUN})? (?:to )?(?:calls? |contains? |has |have )?(.*?) (?:but|and|yet) \
      (?:never|not|no|does not|without)(?: (?:calls?|contains?|has|have|calling|an?|any))? (.*)$ => if 1 happens \
      , 2 happens
    ^no (.*?) (?:but|and|yet) (?:never|not|no|does not|without)(?: \
      (?:calls?|contains?|has|have|calling|an?|any))? (.*)$ => if 1 happens , 2 happens
    ^no (?:any|an?|some|calls (?!to|of)|has|contains) => no
    ^{_BAD} (?:if|when|whenever) (.*?) (is|are|gets) (called|used|made|invoked|run|executed) => 1 2 never 3
    ^{_BAD} (?:if|when|whenever) (?:(?:an?|any|the) {_RUN} calls|{_PERSON} calls?) => never call
    ((?:at most |no more than |more than |at least |up to |exactly )?\S+(?: or more)?) (?:consecutive|successive) \
      (?:calls (?:of|to) )?(\S+)(?: calls)? => 2 1 times in a row
    (in a row|back to back|consecutively) ,? ?(?:[(] )?(?:i [.] e [.]?|that is|meaning) ,? ?.*between(?: \
      them)?(?: [)])? => 1
    ((?:{_NUMBER}|once|twice)(?: (?!no |not |or |and )\S+)?(?: times| calls?)?(?: (?:per|for each|for \
      every) (?!run)\S+)?)(?: (?:per|in a|in \
      one|in the|each|every) {_RUN})?(?: ,)? (?:(?:and |but )?(?:no|not) more(?: than that)?|at (?:the \
      )?(?:very )?most|tops|max|maximum)(?: \
      (?:per|in a|in one|in the|each|every) {_RUN})?(?= (?:per|for|in) |$) => at most 1
    ^(\S+) : ((?:at most|at least|exactly|no more than|max|maximum|up to) (?:{_NUMBER})) \
      (?:calls?|uses?)(?: (?:in a|per|in one|each|\
      every) {_RUN})?(?= per | for |$) => 1 happens 2 times
    (\S+)((?: \S+){{1,6}}) and (?:there )?(?:(?:has been|have been|was|were|is|are|had been) )?no (\S+)(?: calls?)? \
      since(?: (?:the|that) (?:(?:latest|last|most recent|previous) )?\1(?: call)?| then| it| that|(?= \
      [,;]|$)) => 1 2 and \
      with no 3 in between
    (\S+) , and an? (\S+)(?: call)? in between (?:voids|cancels|resets|invalidates|undoes|revokes|clears) \
      (?:it|that)(?: [:;,] (?:you|it) (?:needs?|must have) an? (?:new|fresh) \1(?: then)?)? => 1 with no 2 in \
      between
    [;,] (?:and )?(?:the |a )?(next )?(\S+) (?:unlocks|enables|unblocks|frees|reopens|allows|permits) it(?: \
      again)?$ => until the 1 2
    for the next (\S+) calls(?= |$) => within 1 calls
    ^(?:for|in|on|with) (?:(?:an?|any|every|each|the) )?(\S+)(?: calls?)? , (?:the )?(\S+)(?= \
      (?:may|must|should|can|shall|has to|is)(?: not| never| always| only)*(?: be| stay| remain)? \
      (?:exceed|at|above|below|over|under|more|less|greater|smaller|between|[0-9]\S*|"\S*")) => the 2 of 1
    (?:do not|must not|may not|never|cannot|can not|should not) (?:mix|go together|coexist|co - occur|occur \
      together|be mixed)(?: in (?:one|a|the same) {_RUN})?(?: [:;,] .*)? => are mutually exclusive
    ((?:switched|turned) off|disabled|forbidden|off limits|prohibited|banned) [,;:-] (?:so )?(?:{_PERSON} \
      )?(?:(?:must|may|should|can|shall) )?(?:never|not) (?:ever )?(?:be )?(?:call|use|touch|called|used)(?: it)? \
      => forbidden
    (?:switched|turned) off|disabled|out of use => forbidden
    ((?:begin|begins|start|starts|first) .*?) [;,:(] (?:and )?(?:no|nothing|none)(?: other)?(?: tool)?(?: calls?| \
      else)?(?: (?:may|must|should|can))?(?: (?:come|comes|happen|happens|run|runs|be called|stand))? \
      (?:before|earlier than|ahead of) (?:it|that|this)(?: [)])? => 1
    (?:i|e) [.] (?:e|g) [.]? => ,
    , so (?:that )?(?:we|you|they|it|i|people|nobody|no one|customers|users|everybody|everyone) \
      (?!.*(?:must|unless| if |except|but |should|only|never| not| no |before|after)).*$ =>
    ^(?:an?|the|any) \S+ (must|may|should|can|cannot|has to)((?: not| never| only)*) (?:go through|pass \
      through|run through|be (?:passed|sent|given|handed) to) (\S+) => 3 1 2 be called
    ^(.*(?:own|fresh|new|separate) .*) [;,] (?:an?|one|the|old) .* (?:does|do) not count$ => 1
    ^one of the (?:next )?(\S+) calls (?:right |directly |immediately |that |which |come |coming \
      )*(?:after|following|follow) (?:(?:each|every|an?|any) )?(\S+)(?: calls?)? (?:must|has to|should|shall) be \
      (?:an? )?(\S+)$ => every 2 is followed by 3 within 1 calls
    leave (.*?) alone => do not call 1
    (may|can|must|should|shall|will|could) ((?:the|an?|our|your) (?:\S+ ){{0,3}}?\S+) be(?= \S+) => 2 1 be
    then (may|can|must|should|shall|will|could) ((?:\S+ ){{0,3}}?\S+) be(?= \S+) => then 2 1 be
    (the) (?:agent|assistant|model|run|trace|session)'s => 1
    (?:start|begin|open) (?:an?|the|each|every|any) {_RUN} (?:with|by) => the run begins with
    (?:end|finish|conclude|close|wrap up|complete|leave) (?:an?|the|each|every|any) {_RUN} (?:with|by) => the run \
      ends with
    , (?:after|upon|following) which(?= ) => , then
    , (?:before|prior to) which(?= ) => ; before that ,
    in (?:whatever|whichever|no particular) order(?: (?:suits|you) \S+)?(?= [;:]|$) => in any order
    ^(?:we|i) (?:never|do not(?: ever)?) want(?: to (?:see|have))? => no
    (?:stays?|remains?)(?= (?:off limits|forbidden|blocked|locked|prohibited|unavailable|banned|out of \
      bounds|allowed)) => is
    ^(?:a|any|each|every|one|the) {_RUN}(?= (?:may|can) (?!not|contain|have|include|begin|start|end|finish)) => it
    ^(.*?) (?:needs|requires) (?:the )?user's (?:say - so|approval|consent|ok|permission|confirmation|go - ahead) \
      [:;] the (?:last|latest|most recent|newest) user message(?: before (?:it|that))? must (?:contain|say|be) \
      (\S+)$ => 1 only if the latest user message contains 2
    ((?:if|when|where) (?!.* (?:always|never) ).* (?:fails?|failed) .*?) \
      (?:(?:for|in) the (?:rest|remainder) of the {_RUN}|from \
      (?:then|that point|there) on) => 1 ever again
    ((?:before|after|until|once|unless|without|later|earlier|followed|preceded|requires?|needs?) .*?) in the same \
      {_RUN} => 1
    (?:ask|query|look) (?:for|at)(?! the same) => call
    (?:{_PERSON} )?(?:may not|must not|can not|should not|must never|never) (?:call|do|use|run) anything(?: \
      else)?(?: any ?more)?(?: ,)? (?:except|but|other than)(?: for)? (?:further|more|another) \S+(?: calls?)? => \
      no other tool may be called
"""
_ORDERING = "must|should|only|never|not|before|after|first|last|then|once|until|when|next|by|from|[0-9]"
HEADING = (
    r"(?:the |our |your |my )?(?:correct |right |required |game |following )*(?:pipeline|workflow|"
    r"process|procedure|flow|runbook|"
    r"checklist|routine|schedule|tasks?|job|requirements?|instructions|goal|plan|rollout|steps?|"
    r"actions|rules?|important|note|checks?|polic(?:y|ies)|constraints?|guidelines?|"
    r"remember|attention|warning|nb|todo|to do|mind|(?:one|only) exception|do the following|"
    r"release (?:process|checklist)|(?:deployment|build) (?:process|pipeline))"
    r"(?: is| is as follows| are| goes like this)?(?: for (?:the )?(?:\w+ )?(?:agent|assistant|model|run)s?)? :"
)
"""What stands before a colon and says nothing."""
CHANGING = _any(
    "ends?|starts?|begins?|finish(?:es)?|stops?|opens?|closes?|arrives?|leaves?|comes?|goes|sets?|rises?|gets? dark|"
    "turns?|returns?|wakes?(?: up)?"
)
"""Behind "as" a clause that ends so may say when, and not why: "as the dog walk ends"."""
REQUEST = rf"""
    ^(?:could|can|would|will) (?:you|someone|somebody|the agent|my agent) (.*) [?]$ => 1
    [!]$ =>
    (?:, )?(?:thanks|thank you|cheers|please)(?: (?:in advance|a lot))?$ =>
    ^(?:ok|okay|alright|right) so(?: :)?(?= ) =>
    ^(?:pls|plz|kindly)(?= ) => please
    ^(?:please )?be advised that =>
    ^(?:i|we) (?:would|should)(?: kindly| just| also)? (?:ask|request)(?: you)?(?: kindly)? that =>
    ^(?:the )?(?:spec|ticket|runbook|policy|plan|rule)(?: (?:says|requires|demands|states))(?: that)?(?: :)? =>
    ^(?:the|my|our|your) (?!no\b)\S+ (?:insists|demands|requires|requests) that =>
    , (?:ok|okay|right|alright|deal) [?]$ =>
    (?:, )?(?:pls|plz)$ =>
    ((?:[,;]|and|but) (?:before|after) (?:that|this))(?= [a-z]+ (?:the|an?|all|your|our|my) ) => 1 ,
    ^(?:the )?deadline (?:for|of|on) (.*?) (?::|is) ([0-9].*|noon|midnight)$ => 1 by 2
    ^btw(?: ,)? =>
    ^(?:likewise|similarly|also|and)(?: ,)(?= ) =>
    ^(?:regression |smoke |unit )?(?:test|test case|case|scenario|ticket|release gate|gate)(?: for the [a-z]+)?(?: \
      [0-9]+)? : =>
    [(] [a-h1-9] [)](?= ) =>
    12 (noon|midnight) => 1
    [+] => and
    ^(?:hi|hello|hey|dear|ok|okay)(?: [a-z]+)? ,|^(?:note|remember|see to it) that =>
    ^{HEADING} =>
    ^(?:oh|so|well|ok|okay|right|now|besides|besides that|apart from that|in addition|finally)(?: ,)?(?: and)?(?= \
      (?:i|we|the|please|you|do not|\S+ing) ) =>
    (?:for |later )?today(?! :) =>
    , (?:will|would|could|can) you$ =>
    , (?:that is|and that is) (?:all|everything) (?:i|we) (?:care|ask|want|need)(?: about| for)?$ =>
    , (?:or|or else|otherwise) (?:people|we|they|it|you|everyone|everybody|customers|somebody)(?! \
      .*(?:{_ORDERING})(?: |$)) .*$ =>
    , (?:as(?! (?:soon|long|well|does|do|did|far|an? option|needed|possible|required|necessary)|.* {CHANGING}$)|\
      since|because) (?!.*(?:{_ORDERING})(?: |$)).*$ =>
    ^(?:(?:one|two|three|four|some) (?:rules|things|points|requests|constraints)(?: for)?|here is (?:the|my|your) \
      (?:plan|order|list|schedule)(?: for)?|the (?:plan|list)(?: for)?) : =>
    (?:two|three|four|these|some) things (?:must|have to|need to|should) be (?:finished|done|over|ready|complete) \
      (?:: )? =>
    (?:can|may|could|might)((?: also| then| now)*)(?= (?:be|happen|go|come|run|start|begin|follow|take) .*(?:any \
      ?time (?:after|before)|from (?:[0-9]|noon)|earliest|latest|come next)) => must 1
    (?:the )?last (?:job|task|thing|step|item)(?= [:;,]|$) => last
    (?:turn|get|move on|get round) to(?= \S+) => do
    (?:does|do|is|are) not (?:due|open|available|possible) (before|until) => must not happen before
"""
"""How a sentence is said in plainer words: what stands before the arrow as what stands behind it (see ``SAME``). Asides
that ask for nothing go. ``REQUEST`` is about queries alone."""


def said(words: Sequence[str], first: bool) -> Sequence[tuple[int, tuple[Said, ...]]]:
    """Return what these words may say from their beginning: how many they are, and their codes. Words that say nothing
    have none. ``first``: they begin a sentence."""
    return _told("".join(f"{word} " for word in words), first)


@lru_cache(maxsize=4096)
def _told(text: str, first: bool) -> Sequence[tuple[int, tuple[Said, ...]]]:
    return tuple(_said(text, text.split(), first))


def _said(text: str, words: Sequence[str], first: bool) -> Iterator[tuple[int, tuple[Said, ...]]]:
    for pattern, made in _READERS:
        if (match := late(pattern).match(text)) and (codes := made(match)):
            yield len(match[0].split()), tuple(codes)
    if (match := late(_ORDER).match(text)) and match["act"] and (codes := _order(match)):
        yield len(text[: match.start("act")].split()), tuple(codes)
    longest: dict[str, int] = {}
    for width in range(1, min(_LONGEST, len(words)) + 1):
        for code in PHRASES.get(tuple(words[:width]), ()):
            longest[code] = width
    for code, width in longest.items():
        yield width, (Said(code),)
    if match := late(_FILLER).match(text):
        yield len(match[0].split()), ()
    if first and (match := late(_FRAME).match(text)):
        yield len(match[0].split()), (Said("sure"),)


_PHRASES = """
before: before | by the time | by the time that | sooner than | prior to | ahead of | in advance of | earlier
    than | any time before | anytime before | at any time before | sometime before | at some point before | at some
    time before | at any point before
after: after | following | upon | subsequent to | later than | any time after | anytime after | at any time
    after | sometime after | at some point after | at some time after | at any point after
while: as long as | so long as | while
right: right | immediately | directly | just | straight | right away | straight away
until: until | till | until after | unless and until | until such time as
unless: unless
if: if | on condition that | on the condition that | under the condition that | in the event that | in the event
    of | in case | provided that | provided | where
when: when | whenever | as soon as | the moment | the moment that | the instant | the instant that
    | every time | each time | any time
once: once | having | after having | once you are done | once you are done with | when you are done | when you
    have finished | when you are done with | once you have finished | after you have finished | upon completion of |
    on completion of | after completion of | following completion of | upon completing | upon finishing | after
    finishing
without: without | without having
every: every | each | any | all | all of | for every | for each | for any
no: no | no more | no further
none: nobody | no one | no agent | nothing | no call | no tool | none | no further call | no calls | no further
    calls | no more calls | no
    tools | no further tools | no action | no further action | no tool call | no further tool call | no tool calls |
    no further tool calls | no tool whatsoever | no call whatsoever | nothing whatsoever
none_else: nothing else | no other call | no other tool | nothing else whatsoever | no other calls | no other
    tools | no other action | no other tool call | no other tool calls
both: both of | both of them | both of these | all of them
not_both: but not both | but never both | not both | never both | but not both of them | but never both of them
whoever: whoever | who | an agent that
else: everything else | anything else | all other calls | any other call | all others | every other call | the
    rest | doing anything | doing anything else | you do anything | all other tools | any other tool | all other
    steps | all the other steps | all other actions | all the other actions | all other tasks | all the other tasks
    | all the rest | the others | all the others
nothing_else: nothing else | no other tool | no other tools
own: own | of its own | of their own | all its own | its own | its very own | their own | a new | a fresh | a
    separate | another | a new one | fresh | anew | afresh | new | a dedicated
keep: keep | leave | save
anything: anything | any action | any step
everything: everything | all actions | all the actions | all steps | all the steps | all tasks | all the tasks |
    every action | every step | every task
chain: then | next | afterwards | afterward | after that | after this | subsequently | thereafter | only then |
    finally | lastly | last of all | at last | followed by | in the end
in_order: do the following in this order | do the following in order | run these in order | do these in order |
    do these in this order | do these steps in order | run these in this order | in that order | in this order | in
    exactly that order | in exactly this order | exactly in that order | exactly in this order | in the order given
    | in the given order | in sequence | in that sequence | in this sequence | in order | in the following order |
    one after the other | one after another | the order is | sequence | the order must be | the order should be | the
    correct order is
right_later: immediately afterwards | directly afterwards | right afterwards | straight afterwards | right after
    | immediately after | directly after | straight after | right after it | immediately after it | directly after
    it | right after that | immediately after that | directly after that | as the next call | as the very next call
    | next | right away | immediately | directly | straight away | at once
right_earlier: immediately before | directly before | right before | just before | immediately before it |
    directly before it | right before it | just before it | right before that | immediately beforehand
yet: yet | so far
again: again | any more | anymore | any longer | ever again | once more
earlier: by then | by that time | up to then | earlier | before | first | at least once | before it | before
    that | beforehand | previously | prior | previous | preceding | already | before then | before them | at some
    earlier point | at some earlier time | somewhere before it | somewhere before them | in the past | at some point
    before it | at some time before it | somewhere earlier | sometime earlier | at some point earlier
    | some time earlier
later: later | at some point later | at some point after it | at some point after that | after it | after that |
    afterwards | afterward | subsequent | subsequently | at some later time | at some later point | at some point
    afterwards | at some time afterwards | at some time later | eventually | later on
    | some time later | at a later point | at any later point | at any later time | sometime later | somewhere later
    | somewhere after it | sooner or later | from then on
too: too | in it | in it too | in it as well | as well | also | somewhere | anywhere | somewhere in it | before
    or after | before or after it | whether earlier or later | whether before or after | whether before or after it
    | earlier or later | be it before or after | be it earlier or later | whichever comes first | no matter which
    comes first | no matter in which order
any_order: in any order | in either order | in whatever order | in whichever order | in no particular order
together: in the same run | in the same trace | in the same session | in the same conversation | in one run | in
    one trace | in one session | in one conversation | together | taken together | in total | altogether | combined
sometime: at some point | at some time | sometime
in_message: per message | per turn | at a time | in a message | in one message | in the same message | at the
    same time
same_message: in the same message as | in a message with
ordinal: second | secondly | third | thirdly | fourth | fourthly | fifth
completed: done | done first | finished | executed | completed | to be done first
in_row: in a row | in succession | consecutively | back to back | one after the other
next: next | very next
last: last | very last | last of all | final | very final | at the end | at the very end | in the end | as a
    last step | as a final step | as the last step | as the final step | as the very last step | for last | for the
    end | for the very end | until the end | until the very end
first: first | at first | very first | first of all | at the start | at the beginning | at the very beginning
    | at the very start | as a first step | as the first step | as the very first step | firstly | to begin
    with | to start with | initially | first and foremost
latest: latest | most recent | newest | last | latest call of | last call of | answer of the latest | answer of
    the newest | answer of the last | answer of the most recent
call_is: call | action | step | tool | tool call | call made | tool called | tool used | thing | thing the agent
    does | call the agent makes | tool the agent calls | tool the agent uses | thing you do | call you make | tool
    you call | tool that is called | tool that is used | call that is made | tool to be called | tool to be used |
    thing done | thing that happens | thing to happen | what you do | what we do | what is done | thing we do |
    thing to be done | job | task | step to take | step of all | call to be made | thing to do | thing to call
    | call to make | tool
    to call
there: there is | there was | there were | there has been | there have been | we expect | i expect | we want
    | expect | there are | there must be | there should be | there
    shall be | there has to be | there have to be | there needs to be | we need | there must exist | there exists |
    there must also be | there should also be | there must already be
there_may: there may be | there can be
there_no: there is not | there must not be | there should not be | there can not be | there may not be
no_way: under no circumstances | at no point | at no moment | in no event | in no case | at no time | on no account
number_of: number of
in_between: in between | between the two | between the two calls | between them | in the meantime | since then | since
outside: outside | outside of | except
onwards: onwards | onward | on
from: from | starting from | starting with | beginning with | beginning from | as from
only_one: the only tool | the only call | the only action | the only step | the only thing | the only tools |
    the only calls
allowed: allowed | permitted
at_most: at most | maximum | at the most | tops
not_did_happens: is missing | are missing | is still missing | is outstanding | is pending | has yet to happen |
    has yet to be called | has yet to run
nothing_between: with nothing in between | with no call in between | with no other call in between | and nothing
    in between | with nothing between them
exclude: mutually exclusive | exclusive | incompatible | alternatives
enough: is plenty | are plenty | is enough | are enough | suffices | suffice | is sufficient | are sufficient
prerequisite: a prerequisite for | a prerequisite of | a precondition for | a precondition of | a prerequisite
    to | a must before | a must for | a dependency of | a condition for | a requirement for | prerequisite for |
    prerequisite of | prerequisites for | prerequisites of | requirement for | required before | mandatory before |
    necessary before | needed before | required for | necessary for | needed for | required by | needed by
that: that | which | both of which | all of which
of: of
optional: optional
trace: run | trace | session | conversation | runs | traces | sessions | conversations
and: and | and also | as well as | and by | and also by
only_reads: only reads | only read
writes: writes | write
is_tool: is a tool | are tools
"""


def in_order(words: str) -> bool:
    """Return whether the line above a list says that its items are in order."""
    said = words.removesuffix(" is as follows").removesuffix(" are as follows")
    return "in_order" in PHRASES.get(tuple(words.split()), ()) or said in (
        "order",
        "the order",
        "sequence",
        "the sequence",
    )


PHRASES: dict[tuple[str, ...], list[str]] = {}
"""The codes of phrases, by their words."""
for _words, _code in worded(_PHRASES.replace("\n    ", " ")):
    PHRASES.setdefault(_words, []).append(_code)
_LONGEST = max(map(len, PHRASES))


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SOFT = words(
    """
    read reads write writes run runs use uses start starts end ends stop begin begins finish finishes wait
    waits follow follows precede precedes require requires need needs execute perform complete completes check
    set get try hit touch issue make do succeed succeeds antecede antecedes antedate antedates postdate
    postdates predate predates fail fails own fine over past behind following open opens close closes new
    fresh final last first rest thing
    """
)
"""Words of the language that name a tool, too, where nothing else makes a sentence."""

PLAIN = words(
    """
    a an the this that these those my your our their his her its some any every each all both either
    neither nor no none nothing anything everything something someone anyone everyone it they them he she
    we you i us me who whom whose which what where when whenever while whereas how why whether if unless
    until till once since because although though so then than as and or but yet not never always only
    also too again even ever just already still soon often sometimes usually normally preferably ideally
    eventually immediately directly right straight strictly simply later earlier afterwards beforehand
    subsequently previously before after during within without with of to in on at by for from into onto
    over under above below between among through throughout against about around across along beside
    besides behind beyond near off out outside inside up down upon via per except despite toward towards
    like unlike prior ahead is are was were be been being am has have had having do does did must should
    shall will would may can could might ought please make sure ensure here there now today tomorrow
    yesterday twice thrice times time second seconds minute minutes hour hours day days call calls tool
    tools action actions step steps message messages user trace run session conversation agent assistant
    model latest most least more less fewer many much few several other others another same else own such
    different very zero one two three four five six seven eight nine ten eleven twelve first last next final exactly
    precisely maximum minimum max min total single rather half pm noon midnight midday morning afternoon
    evening night abroad away elsewhere nowhere everywhere somewhere anywhere together alone apart instead
    quite perhaps maybe happens happen occurs occur comes come goes go called used made appear done
    finished started include includes contains contain mind
    """
)
"""Words that name nothing."""

FUNCTION = (PLAIN | {word for phrase in PHRASES for word in phrase}) - SOFT
"""Words that name no tool unless it is known or in backquotes."""

ARTICLES = words("the a an your its their our")
ADJECTIVES = words(
    """
    number first last next latest newest recent final own prior previous preceding earlier later subsequent call
    calls tool tools action actions step steps user thing total second single same most very other run trace session
    conversation immediately directly right prerequisite prerequisites requirement precondition
    """
)
"""Words of the language that an article may precede."""

COUNTING = frozenset(NUMBERS)
"""Numbers before "calls"."""
SIZES = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5}


def size_of(phrase: str) -> int:
    """Return how many things a phrase such as "all three" names; 0 if it does not say."""
    return next((SIZES[word] for word in phrase.split() if word in SIZES), 0)


LITERAL = words(
    """and or nor but no not never neither either both with has that between of to may must can should shall will do it
    only always on by for at"""
)
"""Words that shapes of sentences have as they are."""


_TELLING = words(
    """after before first last then until till once when if unless not never ignore skip except tomorrow yesterday
    optional maybe rather instead kidding noon midnight swap reverse way"""
)


def says_nothing(dropped: Sequence[str], own: Set[str]) -> bool:
    """Return whether words that a row of ``REQUEST`` leaves out tell no order and are of no action, but for those of a
    reason and of a heading. ``own``: words of the actions."""
    apart = dropped[:2] in ([",", "as"], [",", "since"], [",", "because"]) or dropped[-1:] == [":"]
    return _TELLING.isdisjoint(dropped) and (apart or own.isdisjoint(dropped))


NOT_NEEDED = re.compile(
    r"\b(?:neither|no|none|nobody|never)\b[^.;,]*\b(?:ha(?:s|ve) to|needs?(?: to)?|needed|required|necessary)\b"
)
"""No need is no ban."""
