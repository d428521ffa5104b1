"""Queries that mean the same as another one, as ``mutate`` makes them."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.documents.query import MutateDocument
from planscope.safe import clip
from planscope.show.blocks import GAP, Block, Code, Para


def mutant_blocks(found: MutateDocument) -> Iterator[Block]:
    """Return the mutants by kind, each with its text, and why there are no more of a kind."""
    old, many = clip(found.variant, 40), len(found.mutants)
    same = [one for one in found.mutants if one.kind == "Repeat"]
    if same:
        yield Para(f"Repeat 1{f' to {len(same)}' if len(same) > 1 else ''}: {old} itself")
        yield Para(same[0].text, "  ", keep=True)
    others = [one for one in found.mutants if one.kind != "Repeat"]
    for one in others:
        topic = f", {clip(one.topic or '', 60)}" if one.kind == "TopicChange" else ""
        yield Para(f"{one.kind} {one.number}: {one.variant}{topic}")
        yield Para(one.text, "  ", keep=True)
    yield from (Para(f"{one.kind}: {one.reason}") for one in found.missing)
    yield GAP
    all_of_them = "both" if many == 2 else f"all {many}"
    proved = "that it means the same" if many == 1 else f"of {all_of_them} that they mean the same"
    where = f"variants of {old}, in {found.session}" if others else "no variant to add"
    yield Code([f"Z3 proved {proved}; {where}"])
