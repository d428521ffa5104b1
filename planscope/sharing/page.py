"""One self-contained page: a session stepped through in a browser, and the session itself inside.

No word of the session is ever markup: it lies in two elements of JSON whose ``<``, ``>`` and ``&`` are escaped, and
the script puts it on the page as text. The page asks nothing of any network, and its content security policy, with
the sums of its one script and its one style sheet, would not let it. It is ASCII, whatever it says.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from planscope import __version__
from planscope.case import Case, check_size, judge
from planscope.errors import UserError
from planscope.report import text_report
from planscope.safe import visible
from planscope.session.containers import CLOSING, OPENING, for_page
from planscope.session.files import LARGEST
from planscope.sharing.view_request import RequestView
from planscope.sharing.view_run import run_document, title_of, worth_showing
from planscope.wording import terms

if TYPE_CHECKING:
    from planscope.session.model import Run, Session

MOST_RUNS = 100
MOST_STEPS = 20_000
"""Runs that a page steps through, and calls of all of them. What is more, and what a dissection ran on its way, is
carried in the session and not shown.
"""

_TITLE = 200

_WORDS = {
    "statuses": {s[0]: f"{glyph} {terms.STATUSES[s]}" for s, glyph in terms.STATUS_GLYPHS.items()}
    | {"k": f"{terms.CORE_GLYPH} {terms.IN_CORE}"},
    "glyphs": terms.STATE_GLYPHS,
    "states": terms.STATES,
    "outcomes": {**terms.OUTCOME_GLYPHS, "none": terms.OUTCOME_GLYPHS["pending"]},
    "lost": terms.LOST_HERE,
    "no_return": terms.NO_RETURN,
    "conflict": terms.IN_CORE,
    "conflict_means": terms.CONFLICT_MEANS,
}
"""What the script says of states and statuses."""


def page(session: Session, chosen: Run | None, check: Callable[[str], None] = lambda data: None) -> str:
    """The page as text, opened on ``chosen``. ``check`` is handed all that comes from the session.

    Raises UserError where the request of the chosen run cannot be read.
    """
    from planscope.session.store import dumps

    first = judge(session, chosen)
    check_size(first.replay)
    view = for_page(json.dumps(_view(session, first), ensure_ascii=False, separators=(",", ":")))
    inside = for_page(dumps(session).decode())
    report = "\n".join(_report(first))
    title = visible(session.title, limit=_TITLE)
    for data in (view, inside, report, title):
        check(data)
    style = re.sub("[^\x00-\x7f]", lambda c: f"\\{ord(c[0]):x} ", _data("page.css"))
    script = re.sub("[^\x00-\x7f]", lambda c: f"\\u{ord(c[0]):04x}", _data("page.js"))
    policy = (
        f"default-src 'none'; script-src '{_sum(script)}'; style-src '{_sum(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": html.escape(policy, quote=True),
        "version": html.escape(__version__),
        "title": html.escape(title),
        "style": style,
        "script": script,
        "report": html.escape(report),
        "view": view,
        "session": f"{OPENING.decode()}\n{inside}{CLOSING.decode()}",
    }
    made = re.sub(r"\{\{([a-z]+)\}\}", lambda found: parts[found[1]], _data("page.html"))
    made = made.encode("ascii", "xmlcharrefreplace").decode()
    if len(made) > LARGEST:
        raise UserError(
            f"the page would be larger than {LARGEST // 2**20} MB, and could not be opened again; "
            "share the session itself"
        )
    return made


def _view(session: Session, first: Case) -> dict[str, Any]:
    """What the script shows: requests, and runs that point to them."""
    requests: dict[str, tuple[int, RequestView]] = {}
    runs: list[dict[str, Any]] = []
    titles: list[str] = []
    show = left_out = steps = 0
    listed: list[Run | None] = [*worth_showing(session, first.run, MOST_RUNS)]
    for run in listed or [None]:
        steps += sum(event.type == "call" for event in run.events) if run is not None else 0
        chosen = run is first.run
        case = first if chosen else (_judged(session, run) if steps <= MOST_STEPS else None)
        if case is None:
            left_out += 1
            continue
        if case.variant.id not in requests:
            requests[case.variant.id] = (len(requests), RequestView(case.variant, case.reading))
        number, request = requests[case.variant.id]
        show = len(runs) if chosen else show
        titles.append(title_of(run))
        runs.append(run_document(run, case.replay, request, number))
    return {
        "title": visible(session.title, limit=_TITLE),
        "notes": visible(session.notes, limit=4000, keep_newlines=True),
        "words": _WORDS,
        "requests": [request.document() for _, request in requests.values()],
        "runs": runs,
        "titles": titles,
        "show": show,
        "left_out": max(0, len(session.runs) - len(runs)) if session.runs else left_out,
    }


def _judged(session: Session, run: Run | None) -> Case | None:
    try:
        return judge(session, run)
    except UserError:
        return None


def _report(case: Case) -> list[str]:
    """The whole run as text, for where no script runs."""
    run = case.run
    agent, model = (run.agent, run.model) if run is not None else ("none", "none")
    return [visible(line) for line in text_report(case.replay, case.session.title, agent, model, case.help)]


def _data(name: str) -> str:
    return (files("planscope.sharing") / "data" / name).read_text(encoding="utf-8")


def _sum(text: str) -> str:
    """What a content security policy knows an inline element by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
