"""All controllers of one open session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from planscope.tui.arrangement import Arrangement, Kind
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.dissecting import Dissecting
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.drafts import Drafts
from planscope.tui.controllers.findings import Findings
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.judge import Judge
from planscope.tui.controllers.live_run import LiveRun, RunChoice
from planscope.tui.controllers.pane_layout import PaneLayout
from planscope.tui.controllers.what_if import WhatIf

LONGEST_STOP = 3.0
"""Seconds to wait for a stopped run to end."""


@dataclass(frozen=True)
class Workspace:
    """The controllers of one session. ``autosave`` is None if nothing is saved."""

    document: Document
    jobs: Jobs
    judge: Judge
    live: LiveRun
    what_if: WhatIf
    layout: PaneLayout
    drafts: Drafts
    dissecting: Dissecting
    findings: Findings
    autosave: Autosave | None
    post: Post


def workspace(
    document: Document,
    autosave: Autosave | None,
    jobs: Jobs,
    drafts: Drafts,
    post: Post,
    preset: RunChoice,
    arrangements: Mapping[Kind, Arrangement],
    configured: Callable[[Kind], Arrangement],
) -> Workspace:
    return Workspace(
        document,
        jobs,
        Judge(document, jobs, post),
        LiveRun(document, jobs, post, preset),
        WhatIf(document),
        PaneLayout(arrangements, configured, post),
        drafts,
        Dissecting(document, jobs, post),
        Findings(document, jobs, post),
        autosave,
        post,
    )


async def leave(work: Workspace) -> str:
    """Stop runs and dissections, and save. Return why saving failed, in one line, or ""."""
    work.live.leave()
    work.dissecting.stop()
    waited = 0.0
    while waited < LONGEST_STOP and (work.live.at_work or work.dissecting.running):
        await asyncio.sleep(0.02)
        waited += 0.02
    return await work.autosave.flush() if work.autosave is not None else ""
