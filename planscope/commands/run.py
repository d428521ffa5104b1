"""``planscope run``: an agent on a session's query."""

from __future__ import annotations

import argparse
from pathlib import Path

from planscope.commands.common import only_variant, open_session, print_json, say
from planscope.errors import UserError

HELP = "run an agent on a session's query, on mock tools, and record it in the session"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a session file, or the name of a bundled session")
    parser.add_argument("--model", required=True, metavar="M", help="sim:PROFILE or provider:name")
    parser.add_argument("--agent", default="tools", metavar="A", help="the paradigm: tools (default)")
    parser.add_argument("--variant", metavar="ID", help="which variant; the newest by default")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of a simulated model")
    parser.add_argument("--role", metavar="TEXT", help="a role prompt for the agent")
    parser.add_argument("--base-url", metavar="URL", help="a server that speaks the provider's protocol")
    parser.add_argument("--max-seconds", type=float, metavar="S", help="limit (default 180)")
    parser.add_argument("--max-calls", type=int, metavar="N", help="limit of model calls (default 50)")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write here instead of into the session")
    parser.add_argument("--json", action="store_true", help="print what happened as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.agents.runner import run_once
    from planscope.documents.judgement import verdict_document
    from planscope.session.bundled import is_bundled, resolve
    from planscope.session.derive import problem_of
    from planscope.session.edit import next_run_id
    from planscope.session.store import save

    source = resolve(args.session)
    session = open_session(args.session)
    target = Path(args.output) if args.output else source
    if args.output is None and is_bundled(source):
        raise UserError(
            f"{args.session} ships with planscope and is not written to; name a file with -o FILE"
        )
    variant = only_variant(session)
    if args.variant is not None:
        variant = next((v for v in session.variants if v.id == args.variant), variant)
        if variant.id != args.variant:
            known = ", ".join(v.id for v in session.variants)
            raise UserError(f"the session has no variant {args.variant!r}; its variants: {known}")
    problem_of(variant)
    limits = variant.limits.model_copy(
        update={
            k: v
            for k, v in {"seconds": args.max_seconds, "model_calls": args.max_calls}.items()
            if v is not None
        }
    )
    if not limits.seconds > 0 or limits.model_calls < 1:
        raise UserError("--max-seconds must be above 0, and --max-calls at least 1")
    made = run_once(
        variant,
        model=args.model,
        agent=args.agent,
        seed=args.seed,
        role=args.role,
        base_url=args.base_url,
        limits=limits,
        run_id=next_run_id(session),
    )
    session.runs.append(made)
    save(session, target)
    from planscope.commands.common import judged

    verdict = judged(session, made).verdict()
    document = {
        "run": made.id,
        "session": str(target),
        "agent": made.agent,
        "model": made.model,
        "events": [e.model_dump(mode="json", exclude_none=True) for e in made.events],
        "check": verdict_document(verdict),
    }
    if args.json:
        print_json(document)
    else:
        error = f": {verdict.error_type.replace('_', ' ')}" if verdict.error_type else ""
        say(f"run {made.id} of {made.agent} with {made.model}: {verdict.verdict}{error}")
        say(verdict.explanation)
        say(f"recorded in {target}")
    return 2 if verdict.verdict == "aborted" else 0
