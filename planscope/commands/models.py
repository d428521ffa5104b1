"""``planscope models``: what ``--model`` can be here."""

from __future__ import annotations

import argparse
import os
from typing import Any

from planscope.commands.common import columns, print_json, say, say_all

ABOUT = (
    "List what --model takes: the simulated profiles with their parameters, which need no key and no network, and "
    "the providers, with the package each needs and where its key is looked for. Nothing is asked of any server, "
    "and no key is shown."
)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--base-url", metavar="URL", help="only the providers that can be sent to a server of your own"
    )
    parser.add_argument("--json", action="store_true", help="print the same as JSON")


def run(args: argparse.Namespace) -> int:
    document = _document(args.base_url)
    if args.json:
        print_json(document)
        return 0
    from planscope.report import hanging, table

    say("Simulated (--model sim:NAME, or sim:NAME?key=value&seed=3)")
    for profile in document["simulated"]:
        plants = f" (plants: {profile['plants'].replace('_', ' ')})" if profile["plants"] else ""
        say_all(hanging(f"  {profile['name']}", profile["about"] + plants, 20, columns()))
        for p in profile["parameters"]:
            if p["name"] != "seed":
                bounds = f"{p['low']} to {p['high']}, default {p['default']}: {p['about']}"
                say_all(hanging(f"      {p['name']}", bounds, 20, columns()))
    say()
    say("Providers (--model NAME:MODEL)")
    rows = [
        (p["name"], "ready" if p["ready"] else "not ready", _missing(p))
        for p in sorted(document["providers"], key=lambda p: (not p["ready"], p["name"]))
    ]
    say_all(table(rows))
    return 0


def _document(base_url: str | None) -> dict[str, Any]:
    from planscope.agents.models import ModelSpec, ModelUnavailable, check_model
    from planscope.agents.providers import PROVIDERS
    from planscope.agents.simulated.profiles import PROFILES, SEED

    providers = []
    for provider in PROVIDERS.values():
        if base_url is not None and not provider.base_url:
            continue
        missing = None
        try:
            check_model(ModelSpec(f"{provider.name}:x", provider=provider, model="x"), base_url=base_url)
        except ModelUnavailable as error:
            if base_url is not None and "--base-url" in str(error):
                raise
            missing = str(error)
        providers.append(
            {
                "name": provider.name,
                "package": provider.package,
                "installed": provider.installed,
                "keys": list(provider.keys),
                "needs": list(provider.needs),
                "set": [k for k in (*provider.keys, *provider.needs) if os.environ.get(k)],
                "base_url": provider.base_url,
                "ready": missing is None,
                "missing": missing,
            }
        )
    simulated = [
        {
            "name": profile.name,
            "about": profile.about,
            "plants": profile.plants,
            "parameters": [
                {"name": p.name, "default": p.default, "low": p.low, "high": p.high, "about": p.about}
                for p in (*profile.parameters, SEED)
            ],
        }
        for profile in PROFILES.values()
    ]
    return {"simulated": [] if base_url is not None else simulated, "providers": providers}


def _missing(provider: dict[str, Any]) -> str:
    if not provider["installed"]:
        return f"pip install {provider['package']}"
    if provider["missing"]:
        return str(provider["missing"]).partition(": ")[2].removesuffix(" in the environment")
    return f"with {', '.join(provider['set'])}" if provider["set"] else "no key needed"
