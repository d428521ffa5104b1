"""A variant, for tests that must not import LangChain."""

from __future__ import annotations

from planscope.session.model import ActionRecord, Origin, Query, Variant


def case() -> Variant:
    names = ("alpha", "beta")
    actions = [ActionRecord(id=f"a{i}", name=name, tool=name) for i, name in enumerate(names, 1)]
    query = Query(text="Alpha happens before beta.")
    return Variant(id="v1", origin=Origin(kind="written"), query=query, actions=actions)
