"""The keys of the list of findings."""

from __future__ import annotations

from functools import partial

from planscope.tui.actions.kinds import KeyAction, act

_act = partial(act, group="Findings", where="findings")
_shown = partial(_act, footer=True)

FINDINGS: tuple[KeyAction, ...] = (
    _shown("open-step", "o", "Open step", help="Open a step of a run that failed so, as Enter does."),
    _shown(
        "copy-reproducer",
        "y",
        "Copy test",
        help="Copy a test that fails as the tool does, or write it to a file.",
    ),
    _shown(
        "run-fuzzer",
        "r",
        "Run",
        help="Fuzz tools: asks for the target, and shows the discovery curve while it runs.",
    ),
    _act("stop-fuzzer", "X", "Stop", help="Stop the search; what it found is kept."),
    _shown(
        "label-finding",
        "v",
        "Label",
        help="Label the finding: true, false, none. The false discovery rate comes from the labels.",
    ),
    _shown(
        "specify-finding",
        "i",
        "Specified",
        help="Say how the documentation is at fault: under-, over- or ill-specified, nothing.",
    ),
    _act(
        "hide-verdicts",
        "_",
        "Hide verdicts",
        help="Hide what planscope and the model concluded, in random order, so that it does not sway labels; show it.",
    ),
    _shown(
        "look-on-finding", "space", "Scroll", help="Scroll the chosen finding.", verb="look", do="look_on"
    ),
    _shown("leave-findings", "escape", "Leave", help="Go back to the debugger."),
)
