"""``planscope check``: is a run right?"""

from __future__ import annotations

import argparse

from planscope.commands.common import add_run_choice, find_run, judged, open_session, print_json, say

HELP = "judge a run: exit status 0 right, 1 wrong, 2 aborted, unknown or no run"


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument("--strict", action="store_true", help="warnings fail a run that is otherwise right")
    parser.add_argument(
        "--no-certify", action="store_true", help="do not ask Z3 to confirm the verdict and its core"
    )


def run(args: argparse.Namespace) -> int:
    from planscope.documents.judgement import nothing_to_judge, verdict_document

    session = open_session(args.session)
    chosen = find_run(session, args.run)
    if chosen is None:
        document = nothing_to_judge("The session holds no run.")
    else:
        replay = judged(session, chosen)
        document = verdict_document(replay.verdict(strict=args.strict))
        document["certified"] = None if args.no_certify else replay.certify()
        if document["certified"] is False:
            document["verdict"] = "unknown"
            document["explanation"] = "Z3 does not confirm what planscope found; please report this session."
    document["run"] = chosen.id if chosen else None
    if args.json:
        print_json(document)
    else:
        _tell(document)
    return {"right": 0, "wrong": 1}.get(document["verdict"], 2)


def _tell(document: dict[str, object]) -> None:
    kind = str(document["verdict"]).upper()
    error = document["error_type"]
    say(f"{kind}: {str(error).replace('_', ' ')}" if error else kind)
    say(str(document["explanation"]))
    findings = document["findings"]
    assert isinstance(findings, list)
    for finding in findings:
        what = f"  {finding['severity']} at step {finding['step']}: {finding['type'].replace('_', ' ')}"
        concerned = ", ".join(finding["constraints"])
        say(what + (f" ({concerned})" if concerned else ""))
    if document.get("certified"):
        say("confirmed by Z3")
