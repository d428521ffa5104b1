"""The words and signs for each value that a session, a verdict or a comparison can have.

The keys are the values of the JSON and never change; the words may. A table shows a word as it is; :func:`sentence`
makes a sentence of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from planscope.oracle.verdict_types import ERROR_TYPES, ErrorType, State, told

Words = Mapping[str, str]

NOT_JUDGED, NOT_DECIDED = "not judged", "not decided"
CUT_OFF, ABORTED, STOPPED = "cut off", "aborted", "stopped"
VIOLATED = "violated"

MEANINGS: Words = {
    NOT_JUDGED: "nobody asked: there is no query and no rule that the calls have to meet",
    NOT_DECIDED: "asked, but the solver reached its limit, the trace does not tell, or the run is not over",
    CUT_OFF: "the trace or the record ends early",
    ABORTED: "the model, the network, a tool or the agent failed; the reason is said beside it",
    STOPPED: "a person stopped the run",
    VIOLATED: "a constraint or a rule is broken, and nothing can mend that",
}
"""What each of these words means, on every door.

In JSON the first two are ``unknown`` (``judged`` tells them apart), the next three ``aborted`` (with its ``reason``),
and the last is ``broken``.
"""

STATES: Words = {
    "completable": "possible",
    "doomed": "lost",
    "broken": VIOLATED,
    "unknown": NOT_DECIDED,
}
COMPLETE = "complete"
"""The word for the state at the end of a right run."""

STATE_MEANS: Words = {
    "completable": "the plan can still be finished",
    "doomed": "the plan is lost: nothing can save it",
    "broken": "the plan is lost: a constraint is violated",
    "unknown": "it is not decided whether the plan can be finished",
}
COMPLETE_MEANS = "every requirement is met"

RULES_MEAN: Words = {
    "completable": "every rule can still be kept",
    "doomed": "nothing that follows can keep every rule",
    "broken": "a rule is violated",
    "unknown": "it is not decided whether every rule can be kept",
}
"""The states of a run that only rules judge: it has no plan."""
ALL_KEPT = "every rule is kept"

MOVES: Words = {
    "completable": "safe",
    "doomed": "loses the plan",
    "broken": "violates a constraint",
    "unknown": NOT_DECIDED,
}
RULES_MOVES: Words = {**MOVES, "doomed": "loses the run", "broken": "violates a rule"}
"""The effect that a possible call would have, by the state after it; the second for rules without a query."""

STATE_GLYPHS: Words = {"completable": "✓", "doomed": "●", "broken": "✗", "unknown": "?"}

STATUSES: Words = {
    "holds": "holds",
    "open": "open",
    "broken": VIOLATED,
    "kept": "kept",
    "kept_so_far": "so far",
    "owed": "owed",
    "unknown": "not sure",
}
"""The states of a query's constraints and of rules about calls; ``broken`` is a state of both."""

STATUS_GLYPHS: Words = {
    "holds": "✓",
    "open": "○",
    "broken": "✗",
    "kept": "✓",
    "kept_so_far": "○",
    "owed": "◐",
    "unknown": "?",
}
STATUS_LETTERS: Words = {
    "holds": "h",
    "open": "o",
    "broken": "b",
    "kept": "y",
    "kept_so_far": "s",
    "owed": "w",
    "unknown": "u",
}
"""The states as a shared page has them."""

STATUS_MEANS: Words = {
    "holds": "it holds, whatever is called next",
    "open": "it is not decided yet",
    "broken": "it is violated, and nothing can mend that",
    "kept": "it is kept for good, whatever is called next",
    "kept_so_far": "it is kept so far; a later call could violate it",
    "owed": "a later call must still come",
    "unknown": "the trace did not capture what would decide it",
}
STATUS_ROLES: Words = {
    "holds": "holds",
    "open": "open",
    "broken": "broken",
    "kept": "holds",
    "kept_so_far": "open",
    "owed": "caution",
    "unknown": "dim",
}
"""The colour of a state, by the name that themes have for it."""

PLAN_TITLE, CHANGE_TITLE = "A correct plan", "What to change"
"""The titles of a repair: of a plan, and of the calls of a trace that has rules."""

CONSTRAINT_STATUSES = ("holds", "open", "broken")
RULE_STATUSES = ("kept", "kept_so_far", "owed", "broken", "unknown")

CORE_GLYPH = "●"
IN_CORE = "conflict"
"""The mark of a constraint in the core."""

CONFLICT, CONFLICT_MEANS = "CONFLICT (unsat core)", "these cannot all hold"
DROP_ONE = "Drop any one and the rest can be met."
LOST_HERE, NO_RETURN = "LOST HERE", "point of no return"
SAME_MESSAGE = "in one message with the call before, so it knew no answer to that"
PAUSED_GLYPH, NOT_DONE = "‖", "not done"
"""The mark of a paused call, and its word in place of an answer."""

WRITES_GLYPH = "✎"
"""The mark of a call whose tool writes, as the rules say."""

HIT_GLYPH = "»"
CAUSE = "↤ cause"
"""The mark of the step that is most likely to blame, if it comes before the one that lost the plan."""
FAILED, ANSWERED_ERROR = "! failed", "the tool answered with an error"
# of the words to blame in a query, and of the first difference of two runs:
BLAMED_GLYPH, PARTED_GLYPH = "◉", "≠"
NO_RUN = "no run"

VERDICTS: Words = {
    "right": "right",
    "wrong": "wrong",
    "aborted": ABORTED,
    "cut_off": CUT_OFF,
    "stopped": STOPPED,
    "unknown": NOT_DECIDED,
    "not_judged": NOT_JUDGED,
}
"""A verdict as words tell it (``Verdict.told``)."""

REASONS: Words = {
    "cut_off": "the record ends early",
    "model": "the model failed",
    "network": "the network failed",
    "tool": "a tool or the agent failed",
    "stopped": "a person stopped the run",
}
"""Why a run was aborted."""
NO_REASON = "no reason was recorded"

OUTCOME_GLYPHS: Words = {
    "right": "✓",
    "wrong": "✗",
    "mixed": "±",
    "aborted": "!",
    "cut_off": "!",
    "stopped": "!",
    "pending": "·",
    "unknown": "?",
    "not_judged": "?",
}
"""The glyphs of verdicts, and of mutants with several runs."""

OUTCOME_LEGEND = "✓ right  ✗ wrong  ± both  ! aborted  · not run"

ENDINGS: Words = {
    "stopped": "the agent ended the run",
    "timeout": "out of time",
    "call_limit": "too many model calls",
    "aborted": ABORTED,
    "running": "still running",
}

FINDINGS: Words = {
    "timeout": "timeout",
    "act_error": "failed call",
    "action_lost": "missing action",
    "action_repeated": "repeated action",
    "parameter_error": "parameter error",
    "order_error": "order error",
    "rule_broken": "rule violated",
}

RULES: Words = {
    "once": "no action is done twice",
    "all_done": "every action is done",
    "one_by_one": "actions run one by one",
    "start_range": "starts are 0:00 to 23:00",
    "end_range": "ends are 1:00 to 24:00",
}

CERTIFICATES: Words = {
    "asked": "Z3 is being asked…",
    "confirmed": "confirmed by Z3",
    "gave_up": "Z3 gave up: not confirmed",
    "denied": "planscope and Z3 disagree about this run, so it is not decided. Please report this session.",
    "not_asked": "Z3 was not asked",
}
"""Z3's answer about a verdict. That it was not asked is not shown."""

SEALS: Words = {"confirmed": "Z3 ✓", "gave_up": "Z3 ?"}
"""Z3's answer in the short form beside a verdict."""

SEARCH_ENDS: Words = {
    "all": "these are all",
    "most": "there are more, but the search has reached its limit",
    "stopped": "there may be more: the search was stopped",
    "unknown": "there may be more: a question was too hard for the solver",
}

MUTATIONS: Words = {
    "Original": "original",
    "Repeat": "same again",
    "TerminalSubstitute": "other words",
    "TopicChange": "other topic",
    "QuerySynthesize": "other sentences",
    "Combined": "words and topic",
    "Control": "fresh query",
    "Culprit": "small changes",
}
"""The kinds of queries in a dissection, by what they change."""

MUTATIONS_MEAN: Words = {
    "Original": "the unchanged query",
    "Repeat": "the same query again (Repeat in the paper)",
    "TerminalSubstitute": "other words in the same sentences (TerminalSubstitute in the paper)",
    "TopicChange": "another job's actions and tools (TopicChange in the paper)",
    "QuerySynthesize": "other sentences with the same meaning (QuerySynthesize in the paper)",
    "Combined": "another job's actions and other words at once, in every second mutant other sentences too",
    "Control": "fresh queries of this size with another meaning",
    "Culprit": "the query with a few changes, to find the words to blame",
}

ORIGINS: Words = {**MUTATIONS, "imported": "recorded"}
"""Where a query comes from. Runs of people's own agents are recorded, by planscope or by another program."""

NO_MUTANT: Words = {
    "TerminalSubstitute": "no other words of the lexicon can be read in their places",
    "TopicChange": "no other topic has enough activities; give topics of your own",
    "QuerySynthesize": "no other sentences were found that say the same",
}
"""The reason why a query has no mutant of a kind."""

ARMS: Words = {
    "Original": "the unchanged query",
    "Repeat": "the unchanged query",
    "TerminalSubstitute": "with its words replaced",
    "TopicChange": "about another topic",
    "QuerySynthesize": "in other sentences with the same meaning",
    "Combined": "with words and topic replaced at once",
    "Control": "fresh queries of the same size",
    "Culprit": "with a few changes",
}
"""The kinds of queries as the sentence with a dissection's reason names them."""

METHODS: Words = {"rates": "compare rates", "paper": "first success (paper)"}
CAUSES: Words = {
    "Terminal": "the words",
    "Topic": "the topic",
    "Structure": "the sentences",
    "Constraint": "the constraints",
    "Probability": "chance",
}
"""The causes by the paper's names, with what in the query each is."""

NO_CAUSE = "no cause in the query"
MORE_CAUSES = "more than one cause"
PENDING = "to be judged"
"""A run or a session that a list has not judged so far."""

IMPLIED = "implied by the others"
"""Describes a constraint that only one query states."""

LANGUAGES: Words = {"base": "order only", "timed": "with clock times"}

CHANGES: Words = {
    "same": "the same",
    "changed": "changed",
    "moved": "moved",
    "gone": "only in a",
    "added": "only in b",
}
DRAFT_SIGNS: Words = {"added": "+", "gone": "\u2212", "same": "=", "unread": "?"}
"""The sign of a constraint compared with the query before it was edited."""

CHANGE_SIGNS: Words = {"same": " ", "changed": "~", "added": "+", "gone": "-", "moved": "↕"}

FIELDS: Words = {
    "limit_seconds": "time limit, seconds",
    "limit_model_calls": "limit of model calls",
    "error_type": "type of error",
    "input_tokens": "tokens read",
    "output_tokens": "tokens written",
    "model_seconds": "seconds of the model",
}
"""Fields of a run whose label differs from their name in the JSON."""


def label(field: str) -> str:
    """Return the label of a field of a run: ``first violation``."""
    return FIELDS.get(field, field.replace("_", " "))


def error_type_of(words: str) -> ErrorType | None:
    """Return the type of error that a person means: ``missing action``, ``Order error``, ``order-error``,
    ``action_lost``."""
    folded = " ".join(words.casefold().replace("_", " ").replace("-", " ").split())
    return next((t for t in ERROR_TYPES if folded in (t.replace("_", " "), FINDINGS[t])), None)


def capital(text: str) -> str:
    """Return a text that begins with a capital."""
    return text[:1].upper() + text[1:]


def sentence(words: str) -> str:
    """Make a sentence: its first letter is a capital, and a period ends it."""
    return capital(stop(words))


def stop(text: str) -> str:
    """Return a text that ends with a period, or another mark that ends a sentence."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def state(value: State, ended: bool = False, unjudged: object = None) -> str:
    """Return a state's word. ``ended``: the run is over, and was not aborted. ``unjudged``: why nothing is judged."""
    if unjudged and value == "unknown":
        return NOT_JUDGED
    return COMPLETE if ended and value == "completable" else STATES[value]


def ended(ending: str, cause: str | None = None) -> str:
    """Say how a run ended. ``cause``: what ended an aborted one."""
    return VERDICTS[told("aborted", reason=cause)] if ending == "aborted" else ENDINGS.get(ending, ending)


def said(value: str) -> str:
    """Return the words for a verdict or a type of error."""
    return next((words[value] for words in (FINDINGS, VERDICTS) if value in words), value)


def cause(value: str) -> str:
    """Return a cause of failures in plain words; ``none`` means that the query has none."""
    return NO_CAUSE if value == "none" else said(value)
