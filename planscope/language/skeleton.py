"""Reads what the table of constructions does not: by the skeleton of a text, which is the row of its actions, its hours
and its words of order.

Every other word must be in a closed list of words that say nothing, or stand in a clause that only explains. All ways
to read the skeleton are tried (``orders.py``); if they differ in meaning, none counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from planscope.language import english
from planscope.language.build import SentenceReading
from planscope.language.clauses import asides, covering, listed
from planscope.language.cuts import Scanner, Token, full, tokens
from planscope.language.item_list import announced, rows_of
from planscope.language.named import ARTICLES, Mentioned, Named
from planscope.language.orders import Meaning, Skeleton, Symbol
from planscope.language.problem import Span
from planscope.language.prose import unread
from planscope.language.resolve import plainer
from planscope.language.said import Said, reading_of
from planscope.language.scan import Names, clock_at, hour_of, words_of

LONGEST = 1_000
"""Longer texts (code points) are not read."""
MOST_SYMBOLS = 60

_CODES = """
b: precede | precedes | to precede | must precede | should precede
    | before | b4 | prior to | ahead of | in advance of | earlier than | sooner than | any time before | at any time
    before | some time before | at some point before | in time for
f: after | once | as soon as | following | subsequent to | any time after | at any time after
    | anytime after | some time after | at some point after | upon | later than | follows | follow | after having
    | from the moment | for after
u: until | till | unless and until | up until
n: not | neither | never | no | nobody | no one | not a single | not one | none of
o: only
w: needs the output of | needs the result of | needs the results of | need the output of
    | can wait until | can wait till | can wait for
    | requires | require | depends on | depend on | waits for | wait for | wait until | waits until | wait till
    | hinges on | hinge on | relies on | rely on | wait on | waits on | needs | need | presupposes |
    presuppose | rests on | awaits | await | is blocked by | are blocked by | builds on | build on | waits
    till | conditional on | dependent on
B: beforehand | in advance
I: by then | before that | before this | before then | beforehand | prior to that | prior to this | ahead of
    that
F: for
>: then | next | afterwards | afterward | after that | after this | thereafter | subsequently | only then |
    finally | followed by | lastly | after which | next up | following that | last but not least | in turn |
    next in line | after it | once done | when done | second | secondly | third | thirdly | fourth | only
    after that | only after this | only afterwards | fifth | after these | after those | after them | from
    there | up next | continue with | go on to | go on with | move on to | proceed to
    | after that one | after this one | fourthly | fifthly | then and only then | the second
    | the third | the fourth | the fifth
1: first | firstly | first of all | first thing | at first | first up | to begin with | to start with | for
    starters
k: at the very beginning | at the beginning | at the very start | first in line | opens the day | at the
    start
E: everything else | all the others | all others | all the rest | the rest | anything else | all else | the
    others | all other jobs | all other tasks | every other job | every other task | everything | the
    remaining jobs | the remaining tasks | the remaining ones | whatever else there is | the remainder | all
    the other jobs | all the other tasks | all of the rest | all of the others | the other two | the other
    three | the other four | the other jobs | the other tasks | any other job | any other task | all other
    work | any other work
Z: nothing moves | nothing goes | nothing happens | nothing else | none of the others | none of the rest | no
    other job | no other task | nothing
j: two things | three things | four things | two jobs | three jobs | two tasks | three tasks | the following
    | four jobs | the following things | these two things | these three things | four tasks | any of the
    following | all of the following | each of the following | the following two | the following three | the
    following four | these two | these three | five things | five jobs | these tasks | these jobs
h: leave | hold off | hold back | hold off on | hold off with | wait with | put off | save | postpone | delay
    | keep
l: no later than | not later than | by | at the latest by | at the latest at | by no later than | latest by
e: no earlier than | not earlier than | no sooner than | not sooner than | from | at the earliest at |
    starting at | starting from | as from | as of | any time from | at any time from | earliest at
L: at the latest | or earlier | or sooner | latest | at latest
G: at the earliest | or later | onwards | onward | earliest | on | or after | at earliest
p: past | beyond | run past | run beyond | go past | go beyond | go on past | go on beyond
W: when | with
S: working on | start | starts | starting | started | begin | begins | beginning | begun | commence |
    commences | start on | begin on | starting on | work on | kick off | kicks off | touch | begin with |
    start with
K: finish | finishes | finished | finished with | through with | end | ends | ended | over | complete |
    completed | stop | stops | ready | through | wrapped up | concluded | completion | finishing | ending |
    out of the way | behind us | over with | over and done with | completely done | fully done
X: stop | stops
D: on | done | done with | signed off | settled | up to date | in place | sorted | up | in | out | off my
    desk | taken care of | green | is clean | are clean | is current | passed | successful | succeeded | looks good |
    look good | looks fine | looks right | gone | good to go | is live | is dry | is tidy | gone through
m: may | can | could | allowed to | free to | possible | may follow | can follow
H: has been | have been
N: that
q: it | this | that one | this one | that last one | that last bit | the last one | the last of these | the
    latter one
3: a prerequisite for | a precondition for | prerequisite for | precondition for | needed for | required for |
    necessary for | required before | needed before | out of the way for
2: both | those | these
Q: them | they | those two | the two | both of them | all of them | all three | all of these | those three |
    all of those | all four | both of these | both of those | the three | those four | the four | all five |
    all three of them | all four of them
z: back | off
O: or | nor | either
!: not earlier | no earlier | not sooner | no sooner | never earlier | not any earlier | not any sooner
5: some time later | sometime later | at some later point | at a later point
    | later | later on | all come afterwards | all come later | all come after that
6: today : | for today :
R: when to | when exactly to
Y: except that | except
g: we have | i have | there is | there are | on the list | on today's list
?: so do | so does | so must | so should | so is | so are | so has | so have | neither do | neither does |
    nor does | nor do
    | then : | then , too
    | later today | later in the day | write up | writes up | written up | not need to | no need | no need to |
    not have to | does not precede | do not precede | does not follow | do not follow | does not come | do not come
    | does not happen | do not happen | does not occur | do not occur | not needed | not necessary | need not
    | not required
c: which
+: too | as well
V: plan | hold | make | makes | making | made | take | takes | taken | take care of | carry out | carried out
    | write | written | give | handle | handled | handling | tackle | tackled | drawn up | draw up | draw |
    drawn | held | given | deal with | dealt with | turn to | fill in | filled in | pull | fill out | put in
    | get to | get on with | get round to | go over | go through | work through | visit | conduct | conducted
    | perform | performed | set up | put together | assemble | compile | compose | produce | create | host |
    chair | undertake | sit down with | attend to | attended to | see to | seen to | drive out to | issue |
    issued | send out | sent out | finalise | tackling | dealing with | taking care of | run | running | go
    on | going on | doing | take in | take on | put out | put on | put up | read out | get through | get
    around to | give out | hand in | hand out | put | deliver | send | post | publish | release | place |
    pick up | pick out | lay | lay down | lay out | throw | throw in | slot | fit | embark on | proceed with
    | crack on with | press on with | carry on with | move to | jump to | switch to | pass to | go to | head
    to | head for | head out for | go off to | look after | produced | compiled | created | published |
    placed | laid | delivered | sent | put through | push through | start with | squeeze in | fit in | slot
    in | squeeze | do up | bring in | bring out | bring | gets its | give it
-: whatever you do | u | ur | can u | could u | gotta | thx
    | already | a | an | the | my | your | our | his | her | its | to | of | all | also | today | please | kindly | can
    you | could you | will you | would you | i would like | i want | we want | we would like | i need you to
    | want | hey | hi | hello | hi there | good morning | oh | well | itself | themselves | so | is | are |
    be | being | am | get | gets | got | getting | have | has | had | having | will | would | shall | should
    | must | do | does | doing | i | you | we | let | us | let's | me | go | goes | going
    | go out | goes out | were | pls | plz
    | my agent | the agent | our agent | your agent | go ahead
    | come | comes | coming | happen | happens | take place | takes place | make sure | make sure that |
    ensure | ensure that | be sure to | remember to | see to it that |
    go on | fits | slotted in | be slotted in | squeezed in | due | supposed to |
    ought to | has to | have to | had to | needs to | need to | go into | in the day | besides | besides that
    | moreover | however | additionally | also on the list | as for | in any case | anyway |
    actually | strictly | for today | during the day | in the course of the day | this | these | there | i
    have to | i am going to | i will | thanks | it is important that | it is important to | thank you | for
    me | by the way | the day | is to | are to | required | necessary | i need | we need | i also need | we
    also need | you need to | , in turn , | quickly | schedule | scheduled | each | anybody | anyone |
    somebody | someone | people | he | she | everybody | everyone | who | the team | the crew | the staff |
    the job of | the task of | the business of | the step | step | job | task | jobs | tasks | properly |
    carefully | thoroughly | fully | safely | definitely | certainly | really | simply | ok | okay then | now
    | thanks a lot | many thanks | thanks in advance | cheers | dear all | if you please | if you would |
    would you mind | would you kindly | want to | wants to | see that | make certain | make certain that | be
    careful to | take care to | take care that | bear in mind that | keep in mind that | note that |
    important | remember that | don't forget to | not forget to | not forget that | we also have | i also
    have | go and | plan it that way | the only thing that matters is that | all that matters is that | the
    main thing is that | apart from that deadline | we also need to | i also need to | we also have to | i
    also have to | also on for today | on for today | on the agenda | on the schedule | in our schedule | in
    the schedule | on the plan | in the plan | on our list | on my list | on the programme | apart from that
    | other than that | beyond that | in addition | on top of that | on top | further | furthermore | that
    said | that is | i mean | namely | i.e | specifically | in other words | , namely , | as planned | as
    usual | as always | as agreed | as discussed | whole | entire | own | sitting | round | at all | expected
    to | meant to | planned | planned for | plan to | we plan to | going to | gonna | wanna | it is essential
    that | it is essential to | it is crucial that | it is vital that | it is necessary to | it is necessary
    that | you should | you must | you will | we must | we will | we should | they must | they should | they
    have to | not vice versa | not the other way round | not the other way around | and not the other way
    round | and not the other way around | and not vice versa | not the reverse | no exceptions | one thing
    only | only one thing | just one thing | one thing | independent of that | independent of this |
    independently | independently of that | separately | happening | occurring | taking place | occur |
    occurs | taking | work | session | itself too
""".replace("\n    ", " ")
"""What words of order, of hours and of permission are in a skeleton (``orders.py``). Behind "V" stand verbs that say no
more than "do" beside a whole name, and behind "-" what says nothing."""

_WITHIN = (
    r"(?: (?:of|among|between|within|in) (?:(?:the|these|those|this|that|them) ?)?"
    r"(?:two|three|four|five|rest|others|them|these|those|list|themselves)?)?"
)
_ANY = "(?:any|either|whichever|whatever|what|which|no particular|no fixed|no special)"
_UP_TO_YOU = (
    r"(?: (?:(?:is|are) (?:all )?(?:up to you|free|flexible|open|your choice|your call|fine|"
    r"irrelevant|unimportant|yours)|(?:that )?(?:suits|fits|works)(?: you)?(?: best)?|will do|"
    r"does not matter|do not matter|is not important|makes no difference|of your choice|"
    r"of your choosing|you (?:like|want|please|prefer|choose|wish|fancy|see fit)|there is|goes|"
    r"is best|is convenient))?"
)
_SUITABLY = (
    r"(?: (?:it|that|they|this|there|you|we|i|is|are|has|have|suits?|fits?|works?|likes?|can|see|find|the|some|"
    r"a|time|get|moment|chance|round|around|to|space|allows|pass|feel|best|for|in|free|quiet|happen|nothing|else|on|going|good))"
)
_SUIT = (
    "suits|suit|fits|fit|works|work|convenient|like|likes|want|wants|please|wish|can|time|moment|minute|chance|"
    "room|space|slot|gap|allows|permits|by|best|today|prefer|choose|possible|good|for you|suits you"
)
_PATTERNS = rf"""
    y: (?:(?:i|we) do not (?:mind|care)(?: about)? |it does not matter |it makes no difference |no matter |\
        otherwise |just |there is |with |feel free to choose )*(?:in )?(?:{_ANY}|the|their|its|\
        your own) (?:order|sequence|rest|order of these|way round|way around){_WITHIN}{_UP_TO_YOU}(?= )
    8: (?:(?:i|we) do not (?:mind|care) |it does not matter |it makes no difference |no matter |\
        no preference |no preference as to |it is up to you )*(?:whichever|which|either|\
        what)(?: one)?{_WITHIN}(?: you (?:take|do|prefer|like|want|choose|start with|tackle))?\
        (?: to begin with)?(?: (?:comes|\
        goes|is|is done|gets done|runs))?(?: first| last| later| earlier| to begin with)(?: (?:is up to you|\
        does not matter|is your choice|is your call|makes no difference))?(?= )
    y: (?:can go |may go |go )?(?:whichever|whatever|either|any) (?:way|way round|\
        way around)(?: (?:you like|round|around))?(?= )|(?:are |is )?(?:free|independent|flexible|\
        interchangeable|unordered)(?: (?:among|between|of) (?:themselves|each other|them|one another))(?= )
    x: (?:just |and |but )?(?:whenever|wherever|no matter when|no matter where|anywhere|any ?time|\
        regardless of when|\
        when(?={_SUITABLY}* (?:{_SUIT}) ))(?:{_SUITABLY}* (?:{_SUIT}))?(?= )
    x: (?:at (?:any|some|a|whatever|no set|no fixed|no particular) (?:quiet |free |convenient |suitable |good )?\
        (?:time|moment|point|stage|hour)(?: (?:(?:of|in|during) the day|of your (?:choice|choosing)|that suits(?: you)?\
        |you like|convenient to you|which suits you))?|no (?:fixed|set|particular|special) (?:place|time|slot\
        |point|timing)\
        (?: for (?:it|that|this|them|those))?|no (?:order|ordering|timing|constraints?)(?: (?:needed|required))?|\
        (?:i|we) do not (?:care|mind) when|your choice when|(?:order|timing|time) (?:is )?irrelevant|\
        (?:somewhere|anywhere|sometime|\
        some time)(?: (?:in|during|on) the (?:day|list|schedule|plan|course of the day))?|\
        free to go anywhere|(?:independent|independently|regardless) of (?:all )?(?:this|that|the rest|\
        everything else|the others|both|these|those|them)|(?:not|un)(?: \
        tied| bound|related| linked| connected) to (?:anything|\
        any of (?:this|that|these|those)|the rest|the others)|when (?:you do|to do|exactly you do|\
        to fit in) (?:it|that|those|them|this) (?:is (?:your choice|up to you|your call)|does not matter)|\
        on the side|freely|flexible|(?:in )?any slot|(?:it )?(?:does not|do not) matter when|\
        no matter when|(?:has|have|with) no (?:constraints?|restrictions?|(?:fixed|particular|set) (?:time|slot|place)|\
        deadline|dependencies)|not time[- ]critical|(?:as|if) time (?:allows|permits)|(?:as|\
        when) convenient|in your own time|at your (?:leisure|convenience)|(?:the )?(?:time|timing|moment|\
        hour) (?:is (?:up to you|your choice|free|open|flexible)|does not matter)|(?:is|are) (?:up to you|\
        your call|your choice|independent|not urgent|completely free|entirely free)|\
        (?:is|are) (?:free|open)(?= (?:[.;,)]|$)))(?= )
    y: (?:otherwise (?:, )?)?mix (?:the (?:jobs|tasks|rest|others)|them|things|everything) (?:as|however|\
        any way) you (?:like|please|wish|want|prefer|see fit)(?= )
    k: (?:(?:before|ahead of) (?:everything else|anything else|all else|all the (?:others|rest)|all others|\
        the (?:others|rest)|everything|anything|all other (?:work|jobs|tasks)|any other (?:work|job|task))|\
        the (?:very )?first (?:job|task|thing|step|item|one)(?: (?:on the list|of the day|today))?|(?:start|\
        begin|open|kick)s?(?: (?:off|out|the day|today|things|things off))?(?: (?:with|by))(?! (?:[0-9]|\
        noon|mid|\w+ o'clock)))(?= )
    9: (?:(?:after|(?:for )?(?:when|once) )(?: )?(?:everything else|\
        the other (?:two|three|four)|all else|all the (?:others|rest)|all others|\
        the others|the rest|everything)(?: (?:is|has been|are) (?:done|finished|over|complete))?|(?:at|\
        until|till|for|to|as) the (?:very )?end|(?:as )?the (?:very )?(?:last|final) (?:job|task|thing|step|\
        item|one)(?: (?:on the list|of the day|today))?|(?:until |till |\
        for )?(?:the )?(?:very )?last(?: of all)?(?: thing)?|to (?:finish|end|close|round|wrap|finish off|\
        round off|wrap up|top it off)(?: (?:with|it all off|things off|the day))?|(?:end|finish|close|wrap|\
        conclude|round)s?(?: (?:up|off|the day|things off|things up|it off))? (?:with|by)(?! (?:[0-9]|noon|\
        mid|\w+ o'clock))|(?:concludes|closes|ends|rounds off|wraps up|finishes off) (?:the day|things|\
        everything|the list))(?= )
    >: (?:once|when|as soon as|after) (?:it|that|this) (?:is|has been) (?:done|finished|over|through|complete|\
        completed|ready)(?= )
    >: (?:when|once|as soon as) you (?:are|have) (?:done|through|finished)(?: with)? (?:it|that|this|them|\
        those)(?= )
    r: (?:please )?(?:(?:all |always )?(?:keep|stick|hold|adhere|do (?:them|it|these|this|everything|all)|\
        follow|take (?:them|these)|work (?:through|down)(?: (?:them|it|these))?|one by one|go) )?(?:please |\
        strictly |exactly |precisely |all |only )*(?:to |in |by )?(?:please |strictly |exactly |precisely |\
        just )*(?:this|that|the (?:given|listed|stated|above|following|same|right|numbered)|exactly that|\
        exactly this) (?:order|sequence)(?: (?:given|listed|above|below|please|as written|only|today))*(?= )
    r: (?:in order(?! to )|in sequence|(?:strictly |always |all )*one (?:after|behind) (?:the other|\
        another)(?: like (?:that|this))?|as (?:numbered|listed|written)(?: (?:here|above|below))?|(?:keep|\
        stick) to the (?:numbers|numbering|order|sequence|list)|by (?:the )?numbers?|in (?:that|\
        this) (?:order|sequence)|from (?:the )?top to (?:the )?bottom|top to bottom|step by step|\
        (?:the )?(?:running |exact |planned |intended )?(?:order|sequence|chain)(?: (?:of (?:the day|work|\
        things|jobs|events)|for (?:today|the day)))?(?: (?:is|goes|runs|looks like this|is as follows|\
        is this))*(?= [;:])|strictly in order|keep (?:strictly )?to (?:that|this|the) (?:order|sequence)|\
        not change the (?:order|sequence)|no swapping|without swapping)(?= )
    !: (?:not|never) before(?: (?:that|then))?(?= (?:[,;.)]|$))
    -: (?:there is |there are )?(?:just |only |but )*(?:one|two|a few|some) (?:simple )?(?:rule|thing|\
        condition|constraint|request|point|note)s?(?: (?:for|to|today|watch|note|remember|consider|that|\
        matters|counts|the day))*(?= [;:,])
"""
"""Words of order whose ways are many: regular expressions over the words behind a place, with a blank at each end."""

_DONE = english.words(
    "do make write take get have hold run finish start begin complete draw give prepare put"
)
"""Behind these a name is asked for, too: "do the stock count"."""
_ASKED = re.compile(r"\b(?:can|could|will|would|may) (?:you|we|i)\b")
_EXACT = re.compile(r"\b(?:until|noon|[0-9])")
"""Never in an aside."""
_BOUNDS = {"b": "d", "l": "t", "L": "t", "f": "P", "e": "T", "G": "T", "u": "v", "p": "7"}
_INSIDE = {
    "is": "=",
    "are": "=",
    "was": "=",
    "were": "=",
    "being": "?",
    "not": "n",
    "may": "m",
    "can": "m",
    "could": "m",
    "only": "o",
    "been": "H",
}
"""The letters of words inside a name: "the fence may be repaired"."""
_SIGNS = {
    ",": ",",
    **dict.fromkeys(("and", "but", "plus", "&", "though"), "&"),
    "yet": "Y",
    "(": "(",
    ")": ")",
    "*": ",",
    ":": "4",
    **dict.fromkeys((";", "\u2013", "\u2014", "!", "?", "."), ";"),
    **dict.fromkeys(("->", "=>", "\u2192"), ">"),
}
_REQUESTING = english.words("please can could would must should need needs has have someone somebody")
"""With one of these a sentence asks for an action, and is no bare command."""
_GREETING = english.words(
    """hi hello hey hiya dear morning good oh well ok okay thanks thank thx many kind best warm cheers regards greetings
    yours sincerely love kisses bye goodbye"""
)
_FRAMING = _GREETING | english.words(
    """a an the my our your his her their of to for from and i you we me us he is are am was have has so very much all
    everyone everybody there afternoon evening again"""
)
"""Words that begin a frame (``Skeletons.frame``), and words of the language that may stand in one."""
_TELLING = re.compile(
    r"(?:order|sequen|revers|opposite|vice|swap|switch|exchang|chang|correct|priorit|urgent|important|deadline|prep|"
    r"prereq|pre$|post$|phase|stage|part|round|init|ultim|begin|start|finish|end|clos|open|follow|wrap|kick|lead|head|"
    r"cancel|skip|ignor|postpon|delay|depend|wait|block|allow|forbid|bann?|prohibit|restrict|option|parallel|simultan|"
    r"altern|old$|plan|schedul|former|draft|example|common|bad$|obsolete|deprec|condition|provid|assum|ditto|likewise|"
    r"similar|ready|gone|off$|free$|jok|kid|[ap]m$|.+ly$)"
)
"""How words begin that may tell an order, or take one back."""
_AFTER_HOURS = english.words("please but because as since so") | _SIGNS.keys()
_HOUR_ALONE = re.compile(r"(1[2-9]|2[0-4])(?:00)?|(0[0-9]|1[01])00")
"""An hour that is a number alone ("by 14", "by 0900"), and what may stand behind it: "by 14 May" is none."""
_WINDOW = 16
"""So many words of a phrase are looked at."""


@cache
def _phrases() -> Mapping[tuple[str, ...], str]:
    return dict(english.worded(_CODES))


@cache
def _patterns() -> Sequence[tuple[str, re.Pattern[str], int]]:
    told = [("y", english.UNORDERED), *english.rows(_PATTERNS)]
    return [*((code, re.compile(one), 1) for code, one in told), ("x", english.late(english.FREE), 0)]


@cache
def _phrase(some: tuple[str, ...]) -> tuple[int, str]:
    """Return the longest phrase at the beginning of some words: how many words it has, and its letter."""
    width, code = english.longest(_phrases(), some[:8])
    text = f" {' '.join(some)} "
    for letter, pattern, start in _patterns():
        match = pattern.match(text, start)
        if match is not None and len(match[0].split()) > width:
            width, code = len(match[0].split()), letter
    sign = _SIGNS.get(some[0], "") if some else ""
    return (width, code) if width else (len(sign), sign)


@cache
def _tells(key: str) -> bool:
    """Return whether a word may say more than a greeting does."""
    if key in _FRAMING:
        return False
    small = english.PLAIN | english.SOFT | listed("asking") | listed("denying") | listed("ruling")
    return key in small or "'" in key or bool(_TELLING.match(key))


class Unread(Exception):
    """Raised where a word has no place in a skeleton. ``span``: where it is."""

    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.span = span


class Skeletons:
    """Reads the skeletons of texts about some actions."""

    def __init__(self, names: Names, timed: bool) -> None:
        self.names, self.timed = names, timed
        self.scanner = Scanner(names=names, timed=timed, prose=True)
        self.named = Named(names.actions)
        worded = any(len(words) == 1 and words[0] in english.FUNCTION for words in map(words_of, names.ids))
        self.ids = [] if worded else [action.id for action in names.actions]
        """None if an action is named like a word of the language ("a"): then only the other grammars read."""

    def read(self, text: str, before: str = "") -> list[SentenceReading]:
        """Return the readings of some sentences that stand behind others, which differ in meaning. The tree has no
        clauses if they say no order. Raises Unread if a word has no place."""
        if len(text) > LONGEST or len(before) > LONGEST or not self.ids:
            return []
        named: dict[str, None] = {}
        stood = rows_of(before) if before.strip() else []
        past: list[Symbol] = []
        for row in stood:
            known = dict(named)
            list(self.named.row([token.key for token in self._full(row)], named))
        if stood:
            try:
                past, _ = self._symbols(before, stood[-1], known)
            except Unread:
                past = []
        symbols: list[Symbol] = []
        left_out: list[Span] = []
        rows = rows_of(text)
        for row in rows:
            some, idle = self._symbols(text, row, named)
            symbols += [*some, Symbol(".", (row[-1].end, row[-1].end))]
            left_out += idle
        if rows and not {one.code for one in symbols} - {*",;.&ai"}:
            return [self._reading(text, rows, (), ())] if self._only_asks(text) else []
        if len(symbols) > MOST_SYMBOLS or not any(one.action or one.code in "ryqQ" for one in symbols):
            return []
        skeleton = Skeleton(symbols, self.ids, self._last(past), past)
        found = skeleton.meanings()
        return [
            self._reading(text, rows, one, skeleton.symbols)._replace(asides=tuple(left_out)) for one in found
        ]

    def _last(self, symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
        """Return the actions that "it" and "then" are about behind a sentence; none if that is not certain."""
        if any(one.code == "1" for one in symbols):
            return ()
        ways = set(Skeleton(symbols, self.ids).meanings().values())
        if len(ways) == 1:
            return tuple(symbols[k] for k in ways.pop())
        named = {one.action: one for one in symbols if one.action}
        return tuple(named.values()) if len(named) == 1 else ()

    def _only_asks(self, text: str) -> bool:
        """Return whether a text without words of order says none. Bare commands may be in their order."""
        actions, beside = self.named_in(text)
        asks = bool(beside & _REQUESTING) and beside.isdisjoint({"too", "now"})
        return "" not in actions and (asks or not actions)

    def frame(self, text: str) -> int:
        """Return how many letters in front of a text are a greeting or the like ("Hello boss,", "Kind regards from the
        barn."): they begin with a word of these, name no action, and have no word that may tell more."""
        row = list(tokens(text)) if len(text) <= LONGEST else []
        keys = [one.key for one in row]
        if not row or keys[0] not in _GREETING:
            return 0
        told = (k for k, one in enumerate(row) if one.kind not in ("word", "mark", "line") or _tells(one.key))
        stop = min((*dict(self.named.row(keys, {})), *told), default=len(row))
        marks = [one.end for one in row[:stop] if one.text in ",!\n"]
        return len(text) if stop == len(row) else max(marks, default=0)

    def named_in(self, text: str) -> tuple[set[str], set[str]]:
        """Return the actions that a text names, "" for one that is not certain, and all other words."""
        if len(text) > LONGEST:
            return {""}, set()
        keys = [token.key for row in rows_of(text) for token in self._full(row)]
        found = dict(self.named.row(keys, {}))
        inside = {k for at, one in found.items() for k in range(at, one.end)}
        return {one.action for one in found.values()}, {key for k, key in enumerate(keys) if k not in inside}

    def in_order(self, text: str) -> bool:
        """Return whether a sentence only says that those before it are a sequence: "In that order."."""
        try:
            codes = {one.code for row in rows_of(text) for one in self._symbols(text, row, {})[0]}
        except Unread:
            return False
        return "r" in codes and codes <= {*"r,;.&qQE"}

    # Words

    def _full(self, row: Sequence[Token]) -> list[Token]:
        """Return the tokens of a sentence, without hyphens inside words."""
        some = [
            replace(token, text=word)
            for token in full(row, self.names.known)
            for word in (filter(None, token.text.split("_")) if token.kind == "word" else (token.text,))
        ]
        return [
            one
            for k, one in enumerate(some)
            if one.text not in ("'", "\u2019")
            and not (one.text == "-" and 0 < k < len(some) - 1 and some[k - 1].end == one.start)
        ]

    def _symbols(
        self, text: str, row: Sequence[Token], named: dict[str, None]
    ) -> tuple[list[Symbol], list[Span]]:
        """Return the symbols of a sentence, and what is left out of it. ``named``: the actions named so far."""
        row = self._full(row)
        plain = plainer(self.scanner, row, english.REQUEST)
        greeting = list(unread([row], covering((one.start, one.end) for one in plain)))
        if not (row := plain):
            return [], greeting
        keys = [token.key for token in row]
        if (need := english.NOT_NEEDED.search(" ".join(keys))) is not None:
            at = need.string.count(" ", 0, need.start())
            raise Unread((row[at].start, row[at].end))
        if "?" in keys and not _ASKED.search(" ".join(keys)):
            raise Unread((row[-1].start, row[-1].end))
        mentions = dict(self.named.row(keys, named))
        spans = [(row[at].start, row[one.end - 1].end) for at, one in mentions.items()]
        told = asides(text, (row[0].start, row[-1].end), spans, [])
        idle = [one for one in told if not _EXACT.search(text, *one)] + list(_reasons(row, mentions))
        found: list[Symbol] = []
        at = keys.index(":") + 1 if ":" in keys else 0
        said = announced(" ".join(keys[: at - 1])) if at else ""
        if said:
            found.append(Symbol("r" if said == "order" else ",", (row[0].start, row[at - 1].end)))
        at = at if said else 0
        while at < len(row):
            own = at + (keys[at] == ",")
            free = _phrase(tuple(keys[own : own + _WINDOW]))[1] in ("x", "y", "8", "g", "6")
            if not free and any(start <= row[at].start < end for start, end in idle):
                at += 1
                continue
            at, some = self._at(text, row, at, mentions)
            found += some
        settled = _settled(found)
        if idle and (choice := next((one for one in settled if one.code == "O"), None)):
            raise Unread(choice.span)  # "before A or B, whichever is later"
        return settled, [*greeting, *(one for one in idle if text[slice(*one)].strip(" ,;:()"))]

    def _at(
        self, text: str, row: Sequence[Token], at: int, mentions: Mapping[int, Mentioned]
    ) -> tuple[int, list[Symbol]]:
        """Return the place after what begins at a place, and its symbols. Raises Unread."""
        keys = [token.key for token in row]
        if (hour := self._hour(text, row, at)) is not None:
            return hour
        width, code = _phrase(tuple(keys[at : at + _WINDOW]))
        if code == ">" and keys[at] == "after" and not _BEING.isdisjoint(keys[at + width : at + width + 1]):
            width, code = 1, "f"  # "brushed after it has been fed"
        last = at + width - 1
        that = mentions.get(last) if width > 1 and keys[last] in ("that", "this") else None
        if that is not None and keys[last + 1] not in ARTICLES and not that.whole:
            width, code = _phrase(tuple(keys[at:last]))  # "after that setup"
        elif that is not None and that.end == last + 2 and that.whole:
            raise Unread((row[last].start, row[last + 1].end))
        mention = mentions.get(at)
        if mention is not None and mention.end == at + 1 and not mention.whole and width:
            mention = None  # "finish" is a word of order before it is short for "finish the report"
        if mention is not None and mention.end - at >= width:
            span = row[at].start, row[mention.end - 1].end
            if not mention.action:
                raise Unread(span)
            asked = "i" if mention.verb or keys[max(at - 1, 0)] in _DONE else "a"
            inside = [_INSIDE.get(key, "") for key in mention.inside]
            inside = [one for one in inside if one not in ("=?" if "?" in inside else "?")]
            short = "" if mention.whole else "short"
            return mention.end, [
                Symbol(asked, span, mention.action, words=short),
                *(Symbol(one, span) for one in inside if one),
            ]
        dangling = keys[at] == "to" and (at + 1 == len(keys) or keys[at + 1] in _SIGNS)
        if not width or dangling:
            raise Unread((row[at].start, row[at].end))
        span = row[at].start, row[at + width - 1].end
        others = [
            english.SIZES[key]
            for k, key in enumerate(keys[at : at + width])
            if key in english.SIZES and keys[at + k - 1] == "other"
        ]
        if others not in ([], [len(self.ids) - 1]):
            raise Unread(span)
        return at + width, [Symbol(code, span, words=" ".join(keys[at : at + width]))] * (code != "-")

    def _hour(self, text: str, row: Sequence[Token], at: int) -> tuple[int, list[Symbol]] | None:
        """Read a clock time with the words that bound it: "by 8 pm at the latest"."""
        keys = [token.key for token in row]
        width, code = _phrase(tuple(keys[at : at + _WINDOW]))
        bound = code if code in _BOUNDS else ""
        begin = at + width if bound else at + (keys[at] == "at")
        clock = self._clock(text, row, begin) if begin < len(row) and self.timed else None
        if clock is None:
            return None
        end, hour, doubt = clock
        behind, follows = _phrase(tuple(keys[end : end + _WINDOW])) if end < len(keys) else (0, "")
        follows = follows if follows in ("L", "G") else ""
        said = {_BOUNDS[one] for one in (bound, follows) if one}
        if said in ({"d", "t"}, {"P", "T"}):
            said -= {"d", "P"}
        if len(said) != 1:
            return None
        end += behind if follows else 0
        return end, [Symbol(said.pop(), (row[begin].start, row[end - 1].end), hour=hour, words=doubt)]

    def _clock(self, text: str, row: Sequence[Token], at: int) -> tuple[int, int, str] | None:
        """Return the place after a clock time, its hour, and a word if it may be another: "nine o'clock"."""
        word, end = row[at].key, row[at].end
        number = str(english.NUMBERS.index(word)) if word in english.NUMBERS else word
        exact = re.compile(r"\s*o['\u2019]clock", re.IGNORECASE).match(text, end)
        end = exact.end() if exact else end
        goes_on = at + 1 < len(row) and row[at + 1].key not in _AFTER_HOURS
        alone = not goes_on and _HOUR_ALONE.fullmatch(word)
        hour, stop, doubt = int(number) if exact and number.isdigit() else 0, end, ""
        if alone:
            hour = int(alone[1] or alone[2])
        clock = clock_at(number + text[end:], 0)
        if clock is not None and isinstance(clock[1], int):
            stop, hour = end - len(number) + clock[0], clock[1]
        elif not (7 <= hour <= 24 or alone):
            return None
        else:
            doubt = "o'clock" if hour < 12 and not alone else ""
        return next((k for k in range(at, len(row)) if row[k].start >= stop), len(row)), hour, doubt

    # Trees

    def _reading(
        self, text: str, rows: Sequence[Sequence[Token]], meaning: Meaning, symbols: Sequence[Symbol]
    ) -> SentenceReading:
        """Return the tree of a meaning. What stands in a sentence before has its place at the beginning."""
        told: dict[Said, Mapping[str | None, Span]] = {}
        for one, relation, other in meaning:
            a, b = symbols[one], symbols[other] if other is not None else Symbol("", (0, 0))
            target = b.action or (hour_of(b.hour, relation) if b.code else None)
            told.setdefault((a.action, relation, target), {a.action: a.span, b.action or None: b.span})
        return reading_of(text, list(told.items()), rows)


def _reasons(row: Sequence[Token], mentions: Mapping[int, Mentioned]) -> Iterator[Span]:
    """Yield the parts of a sentence that name no action and only tell why: "as it is closed", "they get restless"."""
    keys = [one.key for one in row]
    inside = {k for at, one in mentions.items() for k in range(at, one.end)}
    marks = [k for k, key in enumerate(keys) if key in _MARKS and k not in inside]
    for start in range(len(row)):
        reason = keys[start] in _REASONS
        begin = start + reason
        end = next((k for k in marks if k >= begin), len(row))
        some = keys[begin:end]
        so = keys[end + 1 : end + 2] == ["so"]
        bracket = keys[start - 1] == "(" and keys[end : end + 1] == [")"] and not _BEING.isdisjoint(some)
        speaking = so or bracket or keys[start] == "because" or (some[:1] and some[0] in _SPEAKING)
        if not speaking or len(some) < 3 or not (reason or start == 0 or start - 1 in marks):
            continue
        wrong = (
            _ORDERING
            if reason
            else _ORDERING | (listed("asking") | listed("doubtful") | english.COUNTING) - {"always", "at"}
        )
        if so:
            wrong = _ORDERING - _NEGATIVE | english.COUNTING
        told = some[: -2 if some[-2:] == ["until", "then"] else None]
        if (
            inside.isdisjoint(range(begin, end))
            and wrong.isdisjoint(told)
            and not re.search(f"[0-9]|^as .* {english.CHANGING}$", " ".join(keys[start:end]))
        ):
            yield row[start - bracket].start, row[end - 1 + bracket].end


_MARKS = (",", ";", ":", "(", ")")
_REASONS = english.words("as so because since otherwise or")
_SPEAKING = english.words(
    "the a an it we you they i there he she people this our their nobody somebody everyone everybody guests"
)
_BEING = english.words("is are was were will has have")
_NEGATIVE = english.words("no not never first last only without")
_ORDERING = english.words(
    """way swap swapped reverse instead skip ignore
    if unless except before after only when once first last until till never no without while provided soon noon
    midnight midday optional fine ok okay by from"""
) | listed("denying")
"""With these a clause says more than why."""


def _settled(found: Sequence[Symbol]) -> list[Symbol]:
    """Return the symbols of a sentence without those that say nothing beside the others. Raises Unread."""
    kept: list[Symbol] = []
    raw = "".join(one.code for one in found)
    colons = {k: _said("4", raw[:k], raw[k + 1 :]) for k, code in enumerate(raw) if code == "4"}
    found = [one._replace(code=colons.get(k, one.code)) for k, one in enumerate(found)]
    found = [one for one in found if one.code != "-"]
    letters = "".join("s" if one.action and one.words == "short" else one.code for one in found)
    for k, one in enumerate(found):
        before = "".join("s" if other.words == "short" else other.code for other in kept)
        said = _said(one.code, before, letters[k + 1 :])
        if said == "?":
            raise Unread(one.span)
        if said != "-":
            kept.append(one._replace(code=said))
    return kept


def _said(code: str, before: str, behind: str) -> str:
    """Return the letter that a symbol has between others."""
    for own, rest in english.rows(_BETWEEN):
        left, _, right = rest.partition(" / ")
        if own[0] == code and re.search(left, before) and re.search(right, behind):
            return own[-1]
    return code


_BETWEEN = """
R -: ^ / ^[ais]x
R ?: ^ / ^
Y ;: y,*$ / ^
Y Y: n[ais]$ / ^(?:;|$)
Y &: [,;]$ / ^
Y ?: ^ / ^
g -: ^ / ^6
6 g: ^[;,]*$ / ^[ai](?:,?&[ai]|,[ai])*[;,]*$
6 ;: ^ / ^
g g: ^[;,]*$ / ^[,;]*[ai](?:,?&[ai]|,[ai])*[;,]*$
g -: ^ / ^
8 y: (?:^|[;.&>,])[,;m]*[ais](?:,?&?m?[ais])+[,;(]*$ / ^
8 y: ^[,;]*$ / ^[;.$]*$
8 ?: ^ / ^
W f: o$ / .
W f: ^ / ^[^,;]*[KDH]
W f: ^ / ^s?[ai]=(?:,?&s?[ai]=)*[,;]
= -: ^ / ^
W ?: ^ / ^
V ?: s$ / ^
V ?: ^ / ^s
V -: ^ / ^
+ ?: [bf][^,;.]*& / ^
+ -: ^ / ^
z -: h / ^
z ?: ^ / ^
h h: ^ / [u9]
h ?: ^ / ^
2 -: [ais]$ / ^
2 -: ^ / ^[ais]
2 Q: ^ / ^
N -: ^ / ^[ais]
N -: ^,*[ai],+$ / ^
N q: ^ / ^
q -: >$ / ^[ais]
q -: ^,*[ai],+$ / ^
H H: [fuwj>W]|n.*b[^,;]*$ / ^
H ?: ^ / ^
O O: (?:^|[,;.&])[^n,;.&O]*[ais][^n,;.&O]*b(?:[as][=H]*(?:,[as][=H]*)*|i(?:,i)*)$ / ^[ais](?![^;.]*[xy])
O O: (?:^|[;.])b[ais][=H]*$ / ^[ais][=H]*,(?![^;.]*[xy])
O &: n[^bfuw;]*$ / ^
O ?: ^ / ^
F F: ^[,;&]*$ / ^
F ?: ^ / ^
X K: [ais] / ^
3 ?: n[^,;.]*$ / ^
3 3: [ais] / ^
3 ?: ^ / ^
4 ?: ^[^ais]*[DHKSVXx][^ais]*$ / ^
S ?: S[^,;]*[bfuw] / ^
K ?: K[^,;]*f / ^
4 -: (?:^|[,;&])[ai]$ / ^[oftdTPvnbuwDK]
4 j: [bfu]$ / ^[ai]
4 ;: ^ / ^
X ?: ^ / ^
r -: r$ / ^
L ?: ^ / ^
G ?: ^ / ^
e ?: ^ / ^
l ?: ^ / ^
p ?: ^ / ^
"""
"""What a letter becomes between those before and behind it, where "s" is a short name: "-" if it says nothing there,
"?" if it has no place. The first line that fits counts."""
