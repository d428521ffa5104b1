"""Random typists: no key, paste or command crashes the edit screen or loses what was typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.typist import let_type
from tests.nightly import nightly
from tests.tui import sessions


@pytest.mark.parametrize(("seed", "edits"), [(1, 12), *nightly((1, 120), (2, 120))])
async def test_nothing_that_was_typed_is_lost(seed: int, edits: int, tmp_path: Path) -> None:
    path = sessions.write(sessions.out_of_order(), tmp_path)
    typist = await let_type(path, seed, edits=edits)
    assert typist.edits >= edits and len(typist.seen) > edits // 2
