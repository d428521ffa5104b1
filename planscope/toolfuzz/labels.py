"""What the user says of findings: true or false, and how the documentation is at fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple

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
    """A finding, or a set of prompts, of a fuzzing, by its index from 0; neither if ``kind`` is empty. A label is the
    finding's if there is one."""

    fuzzing: str
    kind: Literal["findings", "sets", ""] = ""
    at: int = 0


def was_sampled(fuzzing: Fuzzing) -> int:
    """Return how many findings and sets were drawn to be labelled."""
    return sum(one.sampled for one in fuzzing.findings) + sum(one.sampled for one in fuzzing.sets)


Labelled = FuzzFinding | FuzzSet


def with_label(fuzzings: Sequence[Fuzzing], place: Place, **fields: object) -> list[Fuzzing]:
    """Return the fuzzings with other labels at one place. ``fields``: ``label``, ``specified``."""
    made = []
    for one in fuzzings:
        if one.id == place.fuzzing:
            several = list(getattr(one, place.kind))
            several[place.at] = several[place.at].model_copy(update=fields)
            one = one.model_copy(update={place.kind: several})
        made.append(one)
    return made


def labelled_at(fuzzing: Fuzzing, place: Place) -> Labelled | None:
    found: Labelled | None = getattr(fuzzing, place.kind)[place.at] if place.kind else None
    return found


def sampled(fuzzing: Fuzzing, most: int, seed: int) -> Fuzzing:
    """Draw at most ``most`` findings and sets of each tool, to be labelled. Findings that are listed only are none."""
    tools = dict.fromkeys([*(one.tool for one in fuzzing.findings), *(one.tool for one in fuzzing.sets)])
    told = {one.set - 1 for one in fuzzing.findings if one.set is not None}
    drawn = set[tuple[str, int]]()
    for tool in tools:
        counted = (k for k, one in enumerate(fuzzing.findings) if one.tool == tool and is_counted(one))
        places = [("findings", k) for k in counted]
        places += [("sets", k) for k, one in enumerate(fuzzing.sets) if one.tool == tool and k not in told]
        drawn.update(Random(f"{seed}/sample/{tool}").sample(places, min(most, len(places))))
    update = {
        kind: [
            one.model_copy(update={"sampled": (kind, k) in drawn})
            for k, one in enumerate(getattr(fuzzing, kind))
        ]
        for kind in ("findings", "sets")
    }
    return fuzzing.model_copy(update=update)
