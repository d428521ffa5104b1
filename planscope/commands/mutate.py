"""``planscope mutate``: makes queries that mean the same as a session's query."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.case import read_variant
from planscope.commands import Command
from planscope.commands.common import (
    OUTPUT,
    SESSION,
    also,
    answer,
    leave_out,
    open_session,
    whole,
)
from planscope.commands.recording import Addition, newest_original
from planscope.errors import UserError
from planscope.oracle.trace import Trace

if TYPE_CHECKING:
    from planscope.documents.query import MutateDocument
    from planscope.session.model import Variant
    from planscope.synthesis.mutants import Kind, Mutant

ABOUT = (
    "Make mutants of a session's query: queries that mean the same, proved by Z3. They are added to the session as "
    "variants; planscope run SESSION --variant ID runs an agent on one. With --json and without -o they are only "
    "printed. Repeat is the query itself and adds no variant."
)
ALL = "all"
KINDS_IN_WORDS = {
    "same again": "Repeat",
    "other words": "TerminalSubstitute",
    "other topic": "TopicChange",
    "other sentences": "QuerySynthesize",
}
"""Kinds of mutants by what they change; ``--kind`` accepts both names."""

NAMES = ("Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize")
MOST = 1000
"""The limit for the mutants of one kind, since one file keeps them all."""


_MUTATE = (
    SESSION,
    ("--variant ID", "the variant of the query (default: the newest that is not a mutant)"),
    (
        "--kind K",
        "other-words (TerminalSubstitute in the paper), other-topic (TopicChange), other-sentences "
        "(QuerySynthesize), same-again (Repeat), or all (default); the paper's names are values, too",
        {"choices": [*NAMES, ALL], "type": also(KINDS_IN_WORDS), "default": ALL},
    ),
    ("--count N", "how many of each kind (default 3)", whole(1, MOST), 3),
    ("--seed S", "the same seed gives the same mutants (default 0)", whole(0), 0),
    ("--topics-file FILE", "a file with topics of your own, for TopicChange", Path),
    OUTPUT,
    ("--json", "print the mutants as JSON"),
)


def _mutate(args: Namespace) -> None:
    if args.kind not in (ALL, "TopicChange"):
        leave_out(args, ("topics_file",), "is for --kind other-topic; leave it out")
    place = None if args.json and args.output is None else Addition(args)  # else they are only printed
    variant = newest_original(place.session if place else open_session(args.session), args.variant)
    made, missing = _make(args, variant)
    ids = _record(made, args.seed, variant, place) if place is not None else {}
    where = place.name if place is not None else None
    from planscope.views.mutants import mutant_blocks

    answer(args, _document(args, variant, made, missing, ids, where), mutant_blocks, quiet=True)


def _make(args: Namespace, variant: Variant) -> tuple[list[Mutant], dict[str, str]]:
    """Make the mutants. Return them with the reason for each kind that has too few. Raises UserError if there are
    none at all."""
    from planscope.language.topics import load_topics
    from planscope.session.oracle_input import reading_of
    from planscope.synthesis.mutants import KINDS, CannotMutate, mutants

    read_variant(variant)
    reading = reading_of(variant)
    topics = load_topics(args.topics_file) if args.topics_file is not None else None
    kinds: Sequence[Kind] = KINDS if args.kind == ALL else [k for k in KINDS if k == args.kind]
    made: list[Mutant] = []
    missing: dict[str, str] = {}
    for kind in kinds:
        try:
            more = mutants(reading, kind, seed=args.seed, topic=variant.query.topic, topics=topics)
            for mutant in islice(more, args.count):
                made.append(mutant)
        except CannotMutate as error:
            missing[kind] = str(error)
    if not made:
        raise UserError(missing[kinds[0]])
    return made, missing


def _record(made: Sequence[Mutant], seed: int, old: Variant, place: Addition) -> dict[tuple[str, int], str]:
    """Add the mutants to the session as variants, and return their ids. A mutant that it has already keeps its id."""
    from planscope.session.model import next_variant_id

    ids: dict[tuple[str, int], str] = {}
    with place.adding(old.id) as now:
        there = {(v.parent, v.origin.mutation, v.origin.number, v.query.text): v.id for v in now.variants}
        for mutant in made:
            if mutant.kind == "Repeat":
                continue
            known = there.get((old.id, mutant.kind, mutant.number, mutant.problem.text))
            if known is None:
                now.variants.append(_variant(mutant, old, next_variant_id(now), seed))
                known = now.variants[-1].id
            ids[mutant.kind, mutant.number] = known
    return ids


def _variant(mutant: Mutant, old: Variant, id: str, seed: int) -> Variant:
    from planscope.documents.query import constraint_documents
    from planscope.language.tree_json import dump
    from planscope.session.model import Origin, make_variant

    return make_variant(
        mutant.problem,
        Origin(kind="mutated", mutation=mutant.kind, number=mutant.number),
        id=id,
        parent=old.id,
        topic=mutant.topic or None,
        seed=seed,
        tree=dump(mutant.tree),
        constraints=constraint_documents(mutant.problem),
        limits=old.limits.model_copy(),
    )


def _document(
    args: Namespace,
    old: Variant,
    made: Sequence[Mutant],
    missing: dict[str, str],
    ids: dict[tuple[str, int], str],
    where: str | None,
) -> MutateDocument:
    from planscope.documents.query import MissingMutantsDocument, MutantDocument, MutateDocument
    from planscope.oracle.replay import replay

    blank = replay(read_variant(old).problem, Trace((), "running"))
    orders = blank.valid_completions(0)  # the same for all mutants
    rows = []
    for mutant in made:
        is_old = mutant.kind == "Repeat"
        variant = old.id if is_old else ids.get((mutant.kind, mutant.number))
        seed = old.query.seed if is_old else args.seed
        row = MutantDocument.about(
            mutant.problem,
            topic=mutant.topic,
            seed=seed,
            valid_orders=orders,
            kind=mutant.kind,
            number=mutant.number,
            proved=True,
            variant=variant,
        )
        rows.append(row)
    short = [MissingMutantsDocument(kind=kind, reason=reason) for kind, reason in missing.items()]
    return MutateDocument(session=where, variant=old.id, seed=args.seed, mutants=rows, missing=short)


COMMANDS = {
    "mutate": Command(
        ABOUT, "planscope mutate first-look --count 2 -o mutants.planscope.json", _MUTATE, _mutate
    )
}
