"""What the user says of findings: true or false, and how the documentation is at fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple, TypeVar

from planscope.session.model import FuzzFinding, Fuzzing, FuzzSet
from planscope.toolfuzz.report import is_counted

Label = Literal["true", "false"] | None
Specified = Literal["under", "over", "ill"] | None

NEXT_LABEL: Mapping[Label, Label] = {None: "true", "true": "false", "false": None}
NEXT_SPECIFIED: Mapping[Specified, Specified] = {None: "under", "under": "over", "over": "ill", "ill": None}
SPECIFIED: Mapping[str, str] = {
    "under": "under-specified: the documentation leaves out what the agent must know",
    "over": "over-specified: the documentation promises more than the tool does",
    "ill": "ill-specified: the documentation says something else than the tool does",
}


class Place(NamedTuple):
    """A finding, or a set of prompts, of a fuzzing: their indexes from 0. A label is the finding's if there is one."""

    fuzzing: str
    finding: int | None = None
    set: int | None = None


def was_sampled(fuzzing: Fuzzing) -> int:
    """Return how many findings and sets were drawn to be labelled."""
    return sum(one.sampled for one in fuzzing.findings) + sum(one.sampled for one in fuzzing.sets)


Labelled = FuzzFinding | FuzzSet
_One = TypeVar("_One", FuzzFinding, FuzzSet)


def with_label(fuzzings: Sequence[Fuzzing], place: Place, **fields: object) -> list[Fuzzing]:
    """Return the fuzzings with other labels at one place. ``fields``: ``label``, ``specified``."""
    made = []
    for one in fuzzings:
        if one.id == place.fuzzing and place.finding is not None:
            one = one.model_copy(update={"findings": _changed(one.findings, place.finding, fields)})
        elif one.id == place.fuzzing and place.set is not None:
            one = one.model_copy(update={"sets": _changed(one.sets, place.set, fields)})
        made.append(one)
    return made


def _changed(several: Sequence[_One], at: int, fields: Mapping[str, object]) -> list[_One]:
    return [one.model_copy(update=fields) if k == at else one for k, one in enumerate(several)]


def labelled_at(fuzzing: Fuzzing, place: Place) -> Labelled | None:
    if place.finding is not None:
        return fuzzing.findings[place.finding]
    return fuzzing.sets[place.set] if place.set is not None else None


def sampled(fuzzing: Fuzzing, most: int, seed: int) -> Fuzzing:
    """Draw at most ``most`` findings and sets of each tool, to be labelled. Findings that are listed only are none."""
    tools = dict.fromkeys([*(one.tool for one in fuzzing.findings), *(one.tool for one in fuzzing.sets)])
    told = {one.set - 1 for one in fuzzing.findings if one.set is not None}
    findings, sets = set[int](), set[int]()
    for tool in tools:
        counted = (k for k, one in enumerate(fuzzing.findings) if one.tool == tool and is_counted(one))
        places = [("f", k) for k in counted]
        places += [("s", k) for k, one in enumerate(fuzzing.sets) if one.tool == tool and k not in told]
        for what, k in Random(f"{seed}/sample/{tool}").sample(places, min(most, len(places))):
            (findings if what == "f" else sets).add(k)
    return fuzzing.model_copy(
        update={
            "findings": [
                o.model_copy(update={"sampled": k in findings}) for k, o in enumerate(fuzzing.findings)
            ],
            "sets": [o.model_copy(update={"sampled": k in sets}) for k, o in enumerate(fuzzing.sets)],
        }
    )
