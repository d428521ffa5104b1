"""Has a model propose the rules of a policy in prose (``rules/policy.py`` reads policies without one).

A proposal that cannot be read is sent back once, with the error. Each stands beside the sentence of the policy that it
comes from, which must really be in the policy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from planscope.agents.asking import THOUGHT, ask, prompts_in, with_model
from planscope.agents.models import LoadedModel
from planscope.agents.options import RunOptions
from planscope.errors import UserError
from planscope.rules.policy import Draft, Proposal, check_policy, sorted_out
from planscope.safe import visible

ANSWER_SECONDS = 180.0
LARGEST_ANSWER = 200_000
"""The limit for the part of an answer that is read, in characters."""
MOST_PROPOSALS = 300
MOST_TOOLS = 300
"""The limit for names of tools that the model is told."""

_LINE = re.compile(r"[\s>*#-]*\**(POLICY|RULE|NONE)(?:\s+(\d{1,4}))?\**\s*:\**\s*(.*)", re.IGNORECASE)
_ENDS = " \t\"'`\u201c\u201d"


class RulesNotDrafted(UserError):
    """No rules were proposed. The message says why, in one line without secrets."""


def draft_rules(
    policy: str,
    model: RunOptions | LoadedModel,
    tools: Collection[str] = (),
    *,
    on_progress: Callable[[str], None] | None = None,
) -> Draft:
    """Ask a model for the rules of a policy. ``tools``: names that the rules may use.

    A :class:`LoadedModel` stays open. Blocks, so do not call it from the screen's thread. Raises ``ModelUnavailable``,
    :class:`RulesNotDrafted`, and UserError for a policy that is empty or too long.
    """
    check_policy(policy)
    tell, names = on_progress or (lambda _: None), sorted(tools)

    async def draft(asked: LoadedModel) -> Draft:
        tell("the model reads the policy")
        found = proposals_in(await _ask(asked, request(policy, names)))
        if not found:
            raise RulesNotDrafted("the model's answer has no line that begins with RULE: or NONE:")
        for one in found:
            _read(one, policy, names)
        wrong = [one for one in found if one.text and not one.rules]
        if wrong:
            tell(f"{len(wrong)} of {len(found)} proposals cannot be read; the model is asked again")
            _mend(wrong, await _ask(asked, mending(wrong, names)), policy, names)
        return sorted_out(found)

    return with_model(model, draft, "draft rules", RulesNotDrafted)


async def _ask(model: LoadedModel, text: str) -> str:
    return (await ask(model, text, ANSWER_SECONDS, LARGEST_ANSWER, RulesNotDrafted)).text


def _named(tools: Sequence[str]) -> str:
    shown = ", ".join(visible(tool, limit=100) for tool in tools[:MOST_TOOLS])
    return shown or "not known; use the names that the policy suggests, with underscores"


def request(policy: str, tools: Sequence[str]) -> str:
    """Return what the model is asked first."""
    prompts = prompts_in("rules_prompts.toml")
    return (
        prompts["draft"]
        .replace("[sentences]", prompts["sentences"])
        .replace("[tools]", _named(tools))
        .replace("[policy]", policy.replace("</policy>", "< /policy>"))
    )


def mending(wrong: Sequence[Proposal], tools: Sequence[str]) -> str:
    """Return what the model is asked about proposals that cannot be read."""
    prompts = prompts_in("rules_prompts.toml")
    lines = [f"RULE {k}: {one.text}\nERROR {k}: {one.why}" for k, one in enumerate(wrong, 1)]
    return (
        prompts["mend"]
        .replace("[sentences]", prompts["sentences"])
        .replace("[tools]", _named(tools))
        .replace("[wrong]", "\n".join(lines))
    )


def _lines_of(answer: str) -> list[tuple[str, int, str]]:
    """Return the lines of an answer that say something: the word, its number or 0, and the text."""
    found: list[tuple[str, int, str]] = []
    for line in THOUGHT.sub("", answer).splitlines():
        match = _LINE.fullmatch(line.rstrip())
        if match:
            text = " ".join(match[3].split()).strip().removesuffix("**")
            if text.startswith("`") and text.endswith("`"):
                text = text[1:-1]
            found.append((match[1].upper(), int(match[2] or 0), text))
    return found


def proposals_in(answer: str) -> list[Proposal]:
    """Return what an answer proposes, in its order."""
    found: list[Proposal] = []
    policy = ""
    for word, _, text in _lines_of(answer):
        if word == "POLICY":
            policy = text.strip(_ENDS)[:2_000]
        elif word == "NONE":
            found.append(Proposal(policy, why=text[:500]))
        elif text:
            found.append(Proposal(policy, text[:2_000]))
        if len(found) == MOST_PROPOSALS:
            break
    return found


def _mend(wrong: Sequence[Proposal], answer: str, policy: str, tools: Sequence[str]) -> None:
    for word, number, text in _lines_of(answer):
        if not 1 <= number <= len(wrong) or not text:
            continue
        one = wrong[number - 1]
        if one.rules or not one.text:
            continue
        if word == "NONE":
            one.text, one.why = "", text[:500]
        elif word == "RULE":
            one.text = text[:2_000]
            _read(one, policy, tools)


def _read(one: Proposal, policy: str, tools: Sequence[str]) -> None:
    """Read a proposal as rules, and look whether its sentence is in the policy."""
    one.quoted = bool(one.policy) and _plain(one.policy) in _plain(policy)
    if one.text:
        one.read(tools)


def _plain(text: str) -> str:
    """Return the words of a text, to find a sentence again whatever its marks and line breaks are."""
    return " ".join(re.findall(r"\w+", text.casefold()))
