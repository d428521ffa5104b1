"""Says how a corpus of sentences is read: ``python -m tests.rules.own_words FILE...``.

``corpus/own_words.txt`` has a meaning before each sentence; a ``.jsonl`` file has, for each, tools and traces that keep
or break it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from planscope.language.calls import Calls, condition_text, path_text
from planscope.language.errors import ParseFailure
from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.rules.judge import Rulebook
from planscope.rules.reading import read_rules
from planscope.rules.report import CheckOptions, check_trace
from planscope.rules.rule import Rule

CORPUS = Path(__file__).with_name("corpus")
TOOLS = (
    "build run_tests deploy rollback notify lookup_order get_order refund cancel_order send_email verify_user "
    "delete_file backup search_flights book_flight pay charge_card approve close_ticket read_file write_file login "
    "logout escalate web_search create_invoice issue_credit"
).split()


class Told(NamedTuple):
    """What became of a sentence. ``outcome``: right, misread, refused, or both shown."""

    outcome: str
    sentence: str
    wanted: str
    found: str


def short(rule: Rule) -> str:
    """Write a rule on one line, as ``own_words.txt`` does."""

    def calls(one: Calls) -> str:
        told = f"/{condition_text(one.condition).replace(' ', '')}" if one.condition else ""
        told = "".join(f"-{but}" for but in one.but) + told
        return f"{one.name or 'user'}{told}{'!' if one.outcome == 'failed' else ''}"

    sets = ["|".join(map(calls, some)) for some in (rule.first, rule.then, rule.until) if some]
    if rule.condition:
        sets[0] += f"~{condition_text(rule.condition).replace(' ', '')}"
    words = [rule.kind, " > ".join(sets), *([str(rule.count)] if rule.count else []), rule.unit]
    words += [f"per {path_text(path)}" for path in rule.per]
    words += [f"as {path_text(path)}" for path in rule.per_then]
    return " ".join(filter(None, words))


def reads(sentence: str, tools: Sequence[str]) -> tuple[list[str], str]:
    """Return the readings of a sentence, each as the sorted rules in short, and the error or ""."""
    try:
        return [meant(read_rules(sentence, tools).rules)], ""
    except ParseFailure as failure:
        readings = [one for error in failure.errors for one in error.readings]
        return [meant(read_rules(one, tools).rules) for one in readings], str(failure.errors[0].message)


def meant(rules: Sequence[Rule]) -> str:
    return " ; ".join(sorted(map(short, rules)))


def _alike(meaning: str) -> tuple[str, ...]:
    """Return rules in short without blanks, so that equal rules are equal: two tools that exclude each other have no
    order, and after the last tool no other is called."""
    found = []
    for rule in meaning.split(" ; "):
        kind, _, sets = rule.partition(" ")
        if kind == "not_coexistence" and " as " not in sets:
            sets, *per = sets.split(" per ")
            sets = " > ".join(sorted(sets.split(" > "))) + "".join(per)
        if kind == "not_succession" and sets == f"{(tool := sets.partition(' > ')[0])} > *-{tool}":
            kind, sets = "last", tool
        found.append(f"{kind}{sets}".replace(" ", ""))
    return tuple(sorted(found))


def by_meaning(path: Path, every: int = 1) -> Iterator[Told]:
    """Read the sentences of a corpus, or one of so many."""
    tools, number = TOOLS, -1
    for line in path.read_text(encoding="utf-8").splitlines():
        tools = line[1:].split() if line.startswith("@") else tools
        wanted, _, sentence = line.partition(" :: ")
        number += bool(sentence) and not line.startswith("#")
        if sentence and not line.startswith("#") and number % every == 0:
            ways = set(map(_alike, wanted.split(" ? ")))
            found, error = reads(sentence, tools)
            same = set(map(_alike, found)) == ways
            if not found:
                outcome = "right" if wanted == "refused" else "refused"
            elif error:
                outcome = "right" if same else "both shown"
            else:
                outcome = "right" if same else "misread"
            yield Told(outcome, sentence, wanted, error if not found else " ? ".join(found))


def trace_of(calls: Sequence[dict[str, Any]]) -> Trace:
    """Make a trace of an example, with one call or one message of the user a message."""
    made: list[Any] = []
    for number, call in enumerate(calls):
        if "user" in call:
            made.append(Said("user", call["user"], message=number))
            continue
        answer = call.get("answer", "failed" if call.get("failed") else "fine")
        step = 1 + sum(isinstance(one, ToolCall) for one in made)
        made.append(
            ToolCall(
                call["tool"],
                call["arguments"],
                failed=bool(call.get("failed")),
                answer=answer,
                answered=True,
                step=step,
                message=number,
            )
        )
    return Trace(made, id="example")


def verdicts(text: str, row: dict[str, Any], examples: Sequence[dict[str, Any]]) -> list[str]:
    """Return the verdict of each example by the rules in a text. Raises ParseFailure."""
    book = Rulebook(read_rules(text, row["tools"]).rules)
    if not book.rules:
        return ["no rule"]
    return [check_trace(book, trace_of(one["calls"]), CheckOptions()).verdict for one in examples]


def by_examples(path: Path, every: int = 1) -> Iterator[Told]:
    """Judge the examples of each sentence. A sentence of class "one" has one meaning, one of "two" has two, and others
    ("beyond", "none") no rule can say."""
    for line in path.read_text(encoding="utf-8").splitlines()[::every]:
        row = json.loads(line)
        wanted = [
            [(one, "right" if one["keeps"] else "wrong") for one in some]
            for some in (row.get("readings") or [row.get("examples", [])])
        ]
        try:
            texts, error = [row["text"]], ""
            verdicts(row["text"], row, [])
        except ParseFailure as failure:
            texts, error = [reading for one in failure.errors for reading in one.readings], str(failure)
        found = [[verdicts(text, row, [one for one, _ in some]) for some in wanted] for text in texts]
        kept = [[one == [v for _, v in some] for one, some in zip(way, wanted, strict=True)] for way in found]
        if not texts:
            outcome = "right" if wanted == "refused" else "refused"
        elif row["class"] == "two":
            both = error and all(any(way[k] for way in kept) for k in range(len(wanted)))
            outcome = "right" if both else "both shown" if error else "misread"
        elif error:
            outcome = "both shown"
        else:
            outcome = "right" if row["class"] == "one" and kept[0][0] else "misread"
        if row["class"] in ("beyond", "none"):
            outcome = "right" if not texts else outcome
        told = error or " ; ".join(map(short, read_rules(row["text"], row["tools"]).rules))
        yield Told(outcome, f"{row['id']} {row['class']}: {row['text']}", " ".join(row["tools"]), told)


def main() -> None:
    for name in sys.argv[1:]:
        told = list(by_examples(Path(name)) if name.endswith(".jsonl") else by_meaning(Path(name)))
        for one in told:
            if one.outcome != "right":
                sys.stdout.write(
                    f"{one.outcome:10} {one.sentence}\n{'':11}wanted {one.wanted}\n{'':11}{one.found}\n"
                )
        counts = Counter(one.outcome for one in told)
        sys.stdout.write(f"{name} {len(told)} {dict(counts)}\n")


if __name__ == "__main__":
    main()
