"""The constructions of English that say in which order calls must be, or how often: one table, by what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Kind = Literal[
    "chain_response",
    "chain_precedence",
    "alternate_precedence",
    "response",
    "precedence",
    "within",
    "not_succession",
    "not_within",
    "not_coexistence",
    "responded_existence",
    "latest",
    "compared",
    "in_message",
    "together",
    "since",
    "after_until",
    "not_between",
    "init",
    "end",
    "first",
    "last",
    "exactly",
    "absence",
    "in_row",
    "existence",
    "never",
]

FORMS: Mapping[Kind, str] = {
    "chain_response": r"""
        (?:every )?<first>(?: every| always)* (?:needs|has|contains) (?:COUNT_OF )?(?:<then> \
          right_later|right_later <then>)
        (?:every <first>|<first> always) right followed_by <then>
        (?:next |right )?call_is (?:that )?(?:right )?(?:comes )?(?:right )?after (?:every )?<first> \
          is <then>
        (?:every <first>(?: always)?|<first> always) followed_by <then> right_later(?:(?: ,)? nothing_between)?
        <first> followed_by <then> right_later(?:(?: ,)? nothing_between)?
        call_is (?:that )?(?:right )?(?:comes )?right after (?:every )?<first> is <then>
        call_is (?:that )?right comes after (?:every )?<first> is <then>
        (?:right )?(?:after|once|when|if)(?: every)? <DONE> ?,? <AFTER> is <then>
        (?:after|once|when|if)(?: every)? <DONE> ?,? <then> is <AFTER>
        <AFTER> (?:after|once|when|if)(?: every)? <DONE> is <then>
        <then> is <AFTER> (?:after|once|when|if)(?: every)? <DONE>
        <first> right followed_by <then>
        <first> right precedes <then>
        <then> right must_follows <first>
        """,
    "chain_precedence": r"""
        (?:every )?<then>(?: every| always)* (?:needs|has|contains) (?:COUNT_OF )?(?:<first> \
          right_earlier|right_earlier <first>)
        <first> followed_by <then> right_later(?:(?: ,)? nothing_between)?
        (?:no|not_do|there_no) <then>(?: (?:may_)?happens)? unless <BEFORE> is <first>
        (?:no|not_do|there_no) <then>(?: (?:may_)?happens)? unless <first> is <BEFORE>
        <then> not_(?:may_)?happens unless <BEFORE> is <first>
        <then> not_(?:may_)?happens unless <first> is <BEFORE>
        (?:<then> (?:may_)?only_happens|(?:may_)?only_do <then>|<then> only) (?:if|when) <BEFORE> is \
          <first>
        (?:<then> (?:may_)?only_happens|(?:may_)?only_do <then>|<then> only) (?:if|when) <first> is \
          <BEFORE>
        earlier call_is before (?:every )?<then> is <first>
        (?:if|when|before) (?:every )?(?:do )?<then>(?: happens)? ?,? <BEFORE> is <first>
        (?:if|when|before) (?:every )?(?:do )?<then>(?: happens)? ?,? <first> is <BEFORE>
        <first> is (?:call_is right preceding|right preceding call_is|call_is right before) (?:every \
          )?<then>
        call_is (?:that )?(?:comes )?(?:right before|(?:right )?preceding) (?:every )?<then>(?: always)? is <first>
        (?:every )?<then>(?: always)? right preceded_by <first>
        (?:every )?<then>(?: always)? preceded_by <first> ?,? nothing_between
        <then> right (?:must_)?follows <first>
        <first> right followed_by <then>
        <first> right precedes <then>
        """,
    "alternate_precedence": r"""
        before every <then> ,? ?(?:do )?<first>(?: <V>)? again
        (?:every )?<then> (?:every )?(?:has|needs|preceded_by|contains) (?:earlier )?own (?:earlier \
          )?<first>(?: earlier)?
        (?:every )?<then> (?:every )?(?:has|needs) (?:earlier )?<first>(?: earlier)? own(?: earlier)?
        before every <then> ,? ?(?:(?:there|do|comes) )?own <first>(?: happens| comes| earlier)*
        before every <then> ,? ?(?:do )?<first>(?: happens)? own
        (?:do )?<first>(?: happens)? own before every <then>
        (?:do )?own <first>(?: happens)? before every <then>
        (?:no|not_do|there_no) <then> without own <first>(?: earlier)?
        """,
    "response": r"""
        every trace <then> follows <first>
        <first> followed_by (?:later <then>|<then> later)
        (?:every <first>|<first>)(?: (?:always|every|later))+ followed_by (?:later )?(?:every \
          )?<then>(?: later)?
        every <first> (?:later )?followed_by (?:later )?<then>(?: later)?
        (?:every )?<first>(?: always)? (?:needs|has|contains) (?:COUNT_OF )?(?:later <then>|<then> \
          later)(?: later)*
        (?:every )?<first> (?:that )?not_followed_by (?:later )?<then>(?: later)? not_happens
        after every <first> ?,? (?:there|comes) (?:later )?<then>(?: later)?
        every <first> (?:(?:, )?there|, comes) (?:COUNT_OF )?(?:later <then>|<then> later)
        (?:after|once|when|if)(?: every)? <DONE> ?,? <then> must_follows
        <first> followed_by <then>
        <then> must_follows <first>
        (?:every )?<first> triggers <then>
        (?:every )?<first> (?:implies|triggers) (?:later <then>|<then> later)
        (?:every )?<first> gets <then>
        """,
    "precedence": r"""
        every trace <then> follows <first>
        <NEEDS> (?:earlier |did_do )*<first> (?:did_<V>|may_<V> earlier|<V> earlier)(?: earlier)*
        (?P<first>S)(?: happens)? is prerequisite (?:every )?<then>(?: (?:may_)?happens)?
        <first> <V> earlier ,? ?(?:and )?<then>(?: <V>)? later
        (?:every )?<then> (?:that )?not_preceded_by (?:earlier )?<first> not_happens
        <first> followed_by <then>
        (?:every )?<then>(?: every| always| earlier)* preceded_by (?:earlier )?<first>(?: earlier| \
          later|(?: ,)? too)*
        (?:every )?<then>(?: every| always)* needs (?:COUNT_OF |earlier |once |do |did_do )*<first>(?: earlier| \
          before)?
        every <then> (?:(?:, )?there|, comes) (?:COUNT_OF )?(?:earlier <first>|<first> earlier)
        needs <first>(?: (?:did_)?<V>)? before (?:every )?(?:do |did_do )?<then>(?: <V>)?
        (?:every )?<then> (?:has|contains) (?:COUNT_OF )?(?:earlier <first>|<first> earlier)
        <first>(?: always)? precedes (?:every )?<then>
        (?:every )?<then>(?: always)? (?:may_only_)?follows <first>
        <first> (?:enables|blocks) (?:every )?<then>
        (?:every )?<then> implies (?:earlier <first>|<first> earlier)
        (?:every )?<then>(?: (?:may_)?(?:only_)?(?:<V>|contains))? as (?:earlier )?<first>
        every <then>(?: always)? must_follows <first>
        <then> must_follows <first>
        """,
    "within": r"""
        <then> (?:must_)?follows (?:every )?<first>(?: ,)? WITHIN
        (?:after|once)(?: every)? <DONE> ?,? <then> (?:must_)?follows WITHIN
        (?:every )?<first>(?: every| always)* followed_by (?:later )?<then>(?: ,)? WITHIN
        (?:every )?<first>(?: every| always)* followed_by WITHIN <then>
        (?:when|if|after every) <DONE> ?,? <then> (?:(?:must_)?follows|happens|is) WITHIN
        (?:every )?<first>(?: always)? (?:needs|has|contains) (?:COUNT_OF )?(?:later )?<then>(?: \
          later)? WITHIN
        """,
    "not_succession": r"""
        <first> not_followed_by (?:later )?<then>(?: later)?
        <then> not_follows <first>
        (?:every )?<then> not_preceded_by (?:earlier )?<first>
        <first> exclude (?:every )?later <then>
        from (?:every |earlier )?<DONE>(?: onwards)? ?,? <NO_THEN>
        <NO_THEN> from (?:every )?<DONE>(?: onwards)?
        <first> blocks (?:every |later )*<then>
        """,
    "not_within": r"""
        (?:next )?call_is (?:that )?(?:right |comes )*(?:right_later|after) (?:every )?<first> not_(?:may_)?is <then>
        (?:every )?<first> right not_followed_by <then>
        (?:every )?<first> not_followed_by <then> right_later
        <first> right not_precedes (?:every )?<then>
        <then> (?:not_(?:may_)?is|not_do is) (?:next )?call_is (?:right )?after (?:every )?<first>
        <then> right not_follows (?:every )?<first>
        """,
    "not_coexistence": r"""
        (?P<first>S) and (?P<then>S) (?:every )?(?:may_)?exclude
        no trace (?:may_)?contains (?:both )?(?P<first>S) and (?P<then>S)(?: together)?
        trace not_contains both (?P<first>S) and (?P<then>S)(?: together)?
        trace (?:with|that contains) (?P<first>S) not_contains (?P<then>S)
        trace that (?P<first>S) not_do (?P<then>S)
        not_do (?P<first>S) and (?P<then>S) together
        (?:(?:not_do|not|no|never) both|both not_do) (?P<first>S) and (?P<then>S)(?: together)?
        (?P<first>S) and (?P<then>S) (?:(?:both|together) not_happens(?: together)?|not_happens (?:both|together))
        (?P<first>S) exclude (?:every )?(?P<then>S)(?: ,)? too
        (?P<first>S) and (?P<then>S) is exclude
        (?P<first>S) and (?P<then>S) not_(?:may_)?combines
        (?P<first>S) not_(?:may_)?combines (?P<then>S)
        no_way may (?P<first>S) and (?P<then>S) both <V>
        <first> blocks (?:every )?<then>
        """,
    "responded_existence": r"""
        (?:every )?<first>(?: always)? (?:needs|has) (?:COUNT_OF )?<then>(?:(?: ,)? too)+
        (?:every )?<first>(?: always)? (?:implies|accompanied_by|gets) <then>
        whoever (?:contains|do|did_do) (?P<first>S) ,? ?(?:contains|do) (?:too )?<then>(?:(?: ,)? \
          too)*
        if <RUN> contains <first> ,? ?(?:it |do )?contains <then>(?:(?: ,)? too)*
        <RUN> (?:with|that contains) <first> (?:too )*contains <then>(?:(?: ,)? too)*
        <RUN> (?:with|that contains) <first> (?:too )+needs <then>(?:(?: ,)? too)*
        <RUN> (?:with|that contains) <first> needs <then>(?:(?: ,)? too)+
        """,
    "latest": r"""
        <NEEDS> latest <first> COND
        (?:before|if|when) (?:every )?(?:do )?<then>(?: happens)? ?,? latest <first> COND
        """,
    "compared": r"""
        (?:every )?<then>(?: (?:may_)?(?:only_)?<V>)?(?: only| always| every)* AGAINST <first>(?: ,)?
        (?:may_)?only_do <then> AGAINST <first>(?: ,)?
        """,
    "together": r"""
        (?:every )?<first> not_(?:may_)?<V> same_message <then>
        (?:no|not_do|there_no) <first>(?: (?:may_)?<V>)? same_message <then>
        (?:not_do|never) (?P<first>S) and (?P<then>S) in_message
        (?P<first>S) and (?P<then>S) not_(?:may_)?<V> in_message
        """,
    "since": r"""
        (?:<then> (?:may_)?only_<V>|(?:may_)?only_do <then>|<then>(?: (?:may_)?<V>)? only|only <then>(?: may_<V>)?) \
          <BETWEEN>
        <NO_THEN> (?:unless|outside|except) <BETWEEN>
        (?:<then>(?: (?:may_)?(?:only_)?<V>)?(?: only)?|(?:may_)?only_(?:do|contains) <then>|<NO_THEN>) \
          (?:if|when|after|once|unless) (?:did_do |earlier )?<first>(?: (?:did_)?<V>)?(?: earlier| before)*(?: ,)? \
          ?(?:and )?\
          (?:with no|without|with none) <until>(?: (?:did_)?<V>)? in_between
        (?:outside|except) <BETWEEN> ?,? <NO_THEN>
        (?:every )?<then>(?: always| every)* (?:preceded_by|has|needs|contains) (?:earlier )?<first>(?: earlier)* \
          ?,? ?(?:and )?(?:with no|without|with none) <until> in_between
        """,
    "after_until": r"""
        (?:after|once|when|if)(?: every)? <DONE> ?,? (?:do |there )?<until>(?: <V>)? before (?:next|chain) <then>
        from (?:every )?<DONE> (?:until|to) (?:next |every )?(?:do |did_do )?<until>(?: (?:did_)?<V>)? ?,? <NO_THEN>
        <NO_THEN> from (?:every )?<DONE> (?:until|to) (?:next |every )?(?:do |did_do )?<until>(?: (?:did_)?<V>)?
        (?:after|once|when|if)(?: every)? <DONE> ?,? <NO_THEN> (?:until|before) (?:do |did_do |next |every \
          )?<until>(?: (?:did_)?<V>)?(?: again)?
        <NO_THEN> (?:after|once) <DONE> until (?:do |did_do )?<until>(?: (?:did_)?<V>)?(?: again)?
        <first> blocks (?:every )?<then> until (?:next |every )*<until>
        """,
    "not_between": r"""
        <NO_THEN> <BETWEEN>
        <BETWEEN> ?,? <NO_THEN>
        """,
    "init": r"""
        <NONE> (?:(?:may_)?<V> |is )?(?:before|until) (?:every )?<DONE>
        (?:before|until) (?:every )?<DONE> ?,? <NONE>(?: (?:may_)?(?:<V>|is))?(?: earlier)*
        <NONE> (?:may_)?precedes <first>
        (?:do |always |every )+begin_trace <first>
        (?:always )*do (?:always )*begins <first>
        first call_is(?: happens)?(?: always)? is(?: always)? <first>
        <first> <IS> first call_is(?: happens)?
        <RUN> (?:always )?begins <first>(?: first)?
        begin_trace <first>(?: first)?
        begins <first>
        <first> (?:comes|happens) before else
        <first> is prerequisite (?:every )?else
        """,
    "end": r"""
        (?:do |always |every )+end_trace <first>
        (?:always )*do (?:always )*ends_with <first>
        trace not_happens unless last call_is is <first>
        last call_is(?: happens)?(?: always)? is(?: always)? <first>
        <first> <IS> last call_is(?: happens)?
        <RUN> (?:always )?ends_with <first>(?: last)?
        end_trace <first>(?: last)?
        ends_with <first>
        <first> (?:comes|happens) after else
        """,
    "first": r"""
        (?:no|not_do|there_no) <first>(?: (?:may_)?<V>)? (?:once|after|when|if) (?:every )?else(?: (?:did_)?<V>)?
        (?:do )?<first><MAY> first or not(?:_do|_happens)?
        first ,? (?:do )?<first>(?: <V>)?
        <NONE> (?:(?:may_)?<V> |is )?(?:before|until) (?:every )?<DONE>
        (?:before|until) (?:every )?<DONE> ?,? <NONE>(?: (?:may_)?(?:<V>|is))?(?: earlier)*
        <NONE> (?:may_)?precedes <first>
        <first> not_(?:may_)?<V> (?:once|after|when|if) (?:every )?else(?: (?:did_)?<V>)?
        (?:do )?<first><MAY> first
        (?:if|when) (?:do |did_do )?<first>(?: happens)?(?: too)? ?, <NONE> (?:may_)?<V> \
          earlier
        <first> is optional ,? ?but <NONE> (?:may_)?<V> earlier
        <first> is optional ,? ?but (?:if|when) it happens ,? ?it is first call_is
        begins <first>
        <first> (?:comes|happens) before else
        if (?:do )?<first>(?: happens)? ,? ?(?:it )?is first call_is
        """,
    "last": r"""
        (?:do )?<first><MAY> last or not(?:_do|_happens)?
        last ,? (?:do )?<first>(?: <V>)?
        (?:<NO_OTHER>|<OTHER>(?: (?:may_)?<V>| is)?) (?:after|once) (?:every )?<DONE>
        from (?:every |earlier )?<DONE>(?: onwards)? ?,? (?:<NO_OTHER>|<OTHER>(?: (?:may_)?(?:<V>|is))?)(?: \
      later| again)*
        (?:after|once|when) (?:every )?<DONE> ?,? (?:<NO_OTHER>|<OTHER>(?: (?:may_)?(?:<V>|is|follows))?)(?: later| \
          again)*
        <OTHER> (?:may_)?follows <first>
        (?:do )?<first><MAY> last
        (?:if|when) (?:do |did_do )?<first>(?: happens)?(?: too)? ?, <NONE> (?:may_)?<V> later
        <first> is optional ,? ?but <NONE> (?:may_)?<V> later
        <first> is optional ,? ?but (?:if|when) it happens ,? ?it is last call_is
        ends_with <first>
        <first> (?:comes|happens) after else
        if (?:do )?<first>(?: happens)? ,? ?(?:it )?is last call_is
        """,
    "absence": r"""
        <first> not_repeats
        """,
    "in_row": r"""
        <first> not_repeats
        """,
    "existence": r"""
        (?:every )?trace without (?:COUNT_OF )?(?:do )?<first> not_happens
        (?:no|not_do) trace without (?:COUNT_OF )?(?:do )?<first>
        not_do end_run without (?:did_do |do |once )?<first>
        """,
}
"""The shapes of sentences that say it (``shapes.py``), one a line; what stands at two kinds may mean either."""

CLAUSES_BESIDE: Mapping[Kind, str] = {
    "chain_response": r"""
        s x: do right before | only right before | not without x_right_later
        x s: do right after front | do right after every | do if right_later | do when right_later
        """,
    "chain_precedence": r"""
        s x: do right before | do right before every | do if right_earlier | do when right_earlier
        x s: do right after | do right after front | only right after | not without x_right_earlier | \
          not unless x_right_earlier | only if x_right_earlier
        """,
    "response": r"""
        x s: do if sometime | do after front | do after every | do once front | do if later | do if done | \
          do if x_earlier | do when | do when later | do when x_earlier | do once later
        s x: not without x_later | not unless x_later
        """,
    "precedence": r"""
        s x: do before | do if earlier | do when earlier | only before
        x s: do after | do after front | do once | do once front | only after | only once | only if \
          | only if done | only if x_earlier | only when | only when done | only when x_earlier | not \
          before | not until | not unless | not unless done | not unless x_earlier | not without | not \
          without x_earlier | not if undone | not when undone | not while undone
        """,
    "within": r"""
        x s: do within after | do within if | do within when | do within after front
        """,
    "not_within": r"""
        x s: not right after | not within after
        s x: not right before
    """,
    "not_succession": r"""
        x s: only before | only until | only if undone | only when undone | only while undone | \
          not after | not once | not if done | not if later | not if x_earlier | not when | not when done | \
          not when x_earlier | not when later
        s x: not if earlier | not when earlier | not if x_later | not when x_later
        """,
    "not_coexistence": r"""
        x s: not if | not when
        """,
    "responded_existence": r"""
        x s: do if sometime | do if | do if done | do when | do if too | do when too
        s x: only if | only when | not unless | not without | not without too | not unless too | \
          only if too
        """,
    "latest": r"""
        x s: only if latest | only when latest | not unless latest | not if latest
        """,
}
"""The clauses beside a main clause with which both together say it, behind the earlier and the later set. "earlier"
stands in the main clause, x_earlier in the one beside."""

SAME = r"""
    (S) did_do(?! S| every| both) => 1 did_happens
    ^(S) not_(?:may_)?contains$ => 1 not_happens
    without (S) own => without own 1
    (ends_with|begins) (S) happens$ => 1 2
    sometime(?= .*too) =>
    ^sure ((?:(?!BESIDE )[^ ]+ )*?)did_do => sure 1 do
    ^sure ((?:(?!BESIDE )[^ ]+ )*?)did_happens => sure 1 happens
    sure =>
    (S) did_happens (,|and|, and)(?= S did_happens) => 1 2
    (LIST) may_(?:happens|comes|do)(?: at)? ((?:before|after) T) => 1 happens 2
    ^(?!before |after |until |once |without )(.* )(before|after|until|once|without) \
      (.*and) \2(?= S(?! happens , (?:and|but) )) => 1 2 3
    ^(before|after|until|once|without) ([^,]*and) \1(?= S) => 1 2
    ^(?=.*(?<!\S)(?:before|after|earlier|later|(?:must_)?followed_by|preceded_by|until|once) .*any_order)(.* \
      and .*?)(?: ,)? \
      any_order => 1
    ^((?:(?! and ).)*) any_order => 1 too
    gets (own|earlier LIST|LIST earlier) => needs 1
    gets (later LIST|LIST later) => contains 1
    (outside|between) (S) to (S) => 1 between 2 and 3
    (outside|except) (S) and (S) => 1 between 2 and 3
    ^(LIST) is only_one(?: that)?(?: may_happens| may_do| allowed)?( (?:after|once) .*)?$ => only 1 happens 2
    ^(LIST) is only_one(?: that)? (?:may_)?follows (.*)$ => only 1 happens after 2
    ^((?:after|once) .*? , )?only_one(?: that)?(?: may_happens| may_do| allowed)? is (LIST)( (?:after|once) \
      .*)?$ => 1 only 2 happens 3
    ^((?:no_way )?(?:may|must|should|shall|can) LIST) (?:do|trace)(?! S) => 1 happens
    none (?:may_)?(?:do|contains)(?= S) => no
    sometime(?= later| earlier) =>
    (later|earlier) sometime => 1
    ^(?!.*(?:if|when) )(.*)sometime => 1 later
    ^((?:after|once|when|if)(?: every)? (?:do |did_do )?S(?: (?:did_)?V)?) later do(?= S) => 1 , later do
    ^(S) :(?= (?:every |always )*needs| must| only| not| may| COUNT) => 1
    ^(S) : (S)(?: V)? (?:first|earlier)$ => 2 before 1
    ,$ =>
    ^(first|last) call_is : => 1 call_is is
    ^(if|when) ((?:do )?S)(?: V)? ,? ?(?:do )?too needs (S)(?: too)* => 1 2 , 3 happens too
    ^(if|when) ((?:do )?S)(?: V)? ,? ?(?:do )?needs (S)(?: ,)?(?: too)+ => 1 2 , 3 happens too
    ^(S) is optional ,? ?but (if|when) it happens(?! ,? ?it) => 2 1 happens
    ^(?:for|every) (LIST) , (.* (?:earlier|later))$ => if 1 happens , 2
    (prerequisite (?:every )?S) and before(?= S) => 1 and
    ^(?:do )?(LIST) (COUNT) (not_happens)$ => 1 3 2
    ^if (?:there )?no (S) ,? (?:there )?no (S)$ => if 2 happens , 1 happens
    ^((?:if|when) .* ,? LIST) did_happens earlier$ => 1 happens earlier
    ^between (T) and (T) ,? ?(.*) => 3 after 1 and before 2
    (?:earlier |later |when )?between (T) and (T)( ,)? => after 1 and before 2 3
    chain (?:is|comes)(?= (?:do )?S) => chain
    (?:both|every) is (before|after) => comes 1
    ^(first .*?S(?: V)?)(?: ,| ;)?(?: and)? ordinal(?: call_is)?(?: is)? ((?:do )?S)(?= |$) => 1 , chain 2
    ^first call_is is (S(?: ,)? chain) => first 1
    (needs|presupposes) that => needs
    (needs (?:that )?(?:both )?LIST) (?:is to |to )?(?:did_)?happens$ => 1
    ^(S) ,? ?but (?:do )?(S)(?: V)? (?:earlier|first)$ => 2 before 1
    ^(?:do )?(S) ,? ?but first(?: ,)? (?:do )?(S)$ => 2 before 1
    ^(?:not_do|no) (S) before (S) ,? ?nor (S) before (S)$ => 2 happens before 1 and 4 happens before 3
    ^((?:(?!BESIDE)[^ ]+ )*?S(?: V| BESIDE T)*) (?:,|and|, and|and ,) ((?:do )?S)(?: V)? (?:chain|later)(?= ,| \
      and|$) => 1 , chain 2
    ^(?:before|earlier) (?:do )?else ,? ?(?:do )?(LIST)(?: V)?$ => 1 comes before else
    ^(?:after|once|when) (?:do )?else(?: V)? ,? ?(?:do )?(LIST)(?: V)?$ => 1 comes after else
    ^(?:do )?(LIST)(?: V)?(?: only)? (before|after)(?: do)? else(?: V)?$ => 1 comes 2 else
    ^(?:do )?(LIST)(?: V)?(?: only)? (?:once|when) else V$ => 1 comes after else
    ^else (?:V )?(?:needs|after)(?: that)? (LIST)(?: V| (?:did_)?V)?$ => 1 comes before else
    ^else (?:V )?(?:precedes|before) (LIST)(?: V)?$ => 1 comes after else
    ^(LIST) needs else(?: V)?$ => 1 comes after else
    ^else (?:may_)?follows (LIST)$ => 1 comes before else
    ^(?:none|none_else) (?:(?:may_)?V )?(before|after) (T)$ => ANY not_happens 1 2
    ^not_do anything (before|after) (T)$ => ANY not_happens 1 2
    ^(?:everything|every action)(?: V)? (before|after) (T)$ => ANY happens 1 2
    (BESIDE(?: did_do| do| that)*(?: both)? S) (?:did_|may_)*V , (S (?:did_|may_)*V (?:and|, and) (?:do )?S(?: \
      (?:did_|may_)*V)?)(?= ,|$) => 1 , 2
    (BESIDE(?: did_do| do| that)*(?: both)? LIST)(?: both)? (?:did_|may_)*V (?:and|, and) (S \
      (?:did_|may_)*V)(?= ,|$) => 1 and 2
    ^((?:do )?S(?: V)?) (?:first|earlier)( ,)?(?: and)? (S)(?: V)? ordinal => 1 first , chain 3
    (chain S)(?: ,)?(?: and)? (S)(?: V)? (?:ordinal|last) => 1 , chain 2
    ^keep (LIST) last$ => do 1 last
    every of(?= S) => every
    ^only do(?= S) => only_do
    (needs (?:that )?(?:both )?LIST) completed$ => 1
    ^every (S(?: earlier)? happens (?:before|after) T)$ => 1
    ^(S) is (?:first|earlier) call_is and (S) is last(?: call_is)?$ => 1 first and 2 last
    is call_is (first|last)$ => is 1 call_is
    ^(?:contains|do) (LIST) (first|earlier|last|latest) call_is$ => 1 is 2 call_is
    (call_is) is to(?= S) => 1 is
    ^prerequisite (LIST) is (LIST)$ => 1 needs 2
    ^no_way(?= S) => not_do
    (S)(?: (?:may_)?V)? (?:not_do|not|no) before(?= S) => 1 after
    ^not_happens(?= S) => not_do
    ^happens(?= S) => do
    ^(?:earlier|first) comes (S) => first 1
    ^(S)(?: V)? (?:first|earlier) , (S) last$ => 1 first and 2 last
    (and|but|, and|, but) (?:not_do|not|no) before(?= S) => 1 after
    not_is (before|after) => not_comes 1
    is (before|after) => comes 1
    (S(?: V)?) only last => 1 last
    before (?:do )?anything => before else
    (S and S) ,? ?any_order(?: ,)? => both 1
    ^(?:both )?(LIST) ,? ?(?:but |and )?(?:do )?both (BESIDE) => both 1 2
    (and|but|, and|, but) both (BESIDE) => 1 2
    ^(LIST) , but (BESIDE) => 1 2
    ; chain => , chain
    (S)( earlier)? happens and (S) did_happens$ => 1 and 3 2 happens
    (without|needs|after) earlier (S) and earlier (S) => 1 earlier 2 and 3
    ^happens with (S) => do 1
    (and|but|, and|, but) happens with (S) => 1 2
    (chain .*?)(?: ,| ;)?(?: and)? last(?: call_is)?(?: is| comes)? ((?:do )?S)$ => 1 , chain 2
    ^(first|last) (?:is|comes|do is) (S)$ => 1 call_is is 2
    and (?:on|by|to|for)(?= S) => and
    ^(do (?:begins )?S(?: V)?) ; => 1 ;
    ^only (before|after|once|when|if|until) (S.*?) may do (S)$ => 3 may_only_happens 1 2
    ^only (before|after|once|when|if|until) (S.*?) may (S) happens$ => 3 may_only_happens 1 2
    """
"""Other ways to say the same: what stands before the arrow is read as what stands behind it. A number is a \
      group; LIST,
V and BESIDE stand for a list of sets, a verb and a word of time."""

DOUBTS = r"""
    ^(?:do )?begins (S(?: (?:,|and|, and) S)+)$ => both 1 happens first
    ^(?:do )?ends_with (S(?: (?:,|and|, and) S)+)$ => both 1 happens last
    ^(?:do )?((?:S (?:,|and) )*S (?:and|, and) (S)) (BESIDE .*)$ => 2 3 | both 1 3
    ^(?:do )?(LIST) (before|after) (S) (before|after) (S|T)$ => 1 2 3 ; 1 4 5 | 1 2 3 ; 3 4 5
    ^(?:do )?(LIST)(?: V)? (?:before|precedes) (LIST)(?: V)? , (before|after) (T)$ => 1 before 2 ; 1 3 4 | \
      1 before 2 ; 2 3 4
    ^(?:do )?(LIST) (before|after) (LIST) and (?:do )?(S) (before|after) (LIST|T)$ => 1 2 3 and 4 ; 1 5 6 | 1 2 \
      3 ; 4 5 6
    ^(.* (?:before|after)) do (S) and (S)$ => 1 2 | 1 2 and 3
    ^(?:do )?(S)(?: V)? (?:first|earlier)((?: ,| and)* chain .*)$ => 1 2 | 1 2 ; 1 first
    ^(?:do )?(S) chain (S) , and (?:do )?(S) chain (S)$ => 1 chain both 2 and 3 , chain 4 | 1 chain 2 ; 3 chain 4
    ^(?:do )?(LIST)(?: V)? (before|after) (S) and (S) too$ => 1 2 3 ; 4 2 3 | 1 2 3 and 4
    ^(before|after|once) (S) , (?:do )?(S) , (?:do )?(S)$ => 1 2 , 3 and 4 | 1 2 and 3 , 4
    """
"""What can be meant in two ways where each action is done once: both are shown."""
