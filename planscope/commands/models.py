"""``planscope models``: what ``--model`` can be here."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from planscope.commands.common import columns, print_json, say, say_all

if TYPE_CHECKING:
    from planscope.agents.models import Provider

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
    from planscope.agents.simulated.profiles import PROFILES, SEED

    providers = _providers(args.base_url)
    profiles = PROFILES.values() if args.base_url is None else ()
    if args.json:
        from planscope.documents.listings import ModelsDocument, ProfileDocument, ProviderDocument

        simulated = [ProfileDocument.of(p, parameters=[*p.parameters, SEED]) for p in profiles]
        found = [
            ProviderDocument.of(provider, set=_set(provider), ready=missing is None, missing=missing)
            for provider, missing in providers
        ]
        print_json(ModelsDocument(simulated=simulated, providers=found).as_data())
        return 0
    from planscope.report import hanging, table

    say("Simulated (--model sim:NAME, or sim:NAME?key=value&seed=3)")
    for profile in profiles:
        plants = f" (plants: {profile.plants.replace('_', ' ')})" if profile.plants else ""
        say_all(hanging(f"  {profile.name}", profile.about + plants, 20, columns()))
        for p in profile.parameters:
            bounds = f"{p.low} to {p.high}, default {p.default}: {p.about}"
            say_all(hanging(f"      {p.name}", bounds, 20, columns()))
    say()
    say("Providers (--model NAME:MODEL)")
    by_readiness = sorted(providers, key=lambda found: (found[1] is not None, found[0].name))
    say_all(table([(p.name, "not ready" if why else "ready", _missing(p, why)) for p, why in by_readiness]))
    return 0


def _providers(base_url: str | None) -> list[tuple[Provider, str | None]]:
    """Each with what it lacks; None where it is ready."""
    from planscope.agents.models import PROVIDERS, ModelSpec, ModelUnavailable, check_model

    providers: list[tuple[Provider, str | None]] = []
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
        providers.append((provider, missing))
    return providers


def _set(provider: Provider) -> list[str]:
    return [key for key in (*provider.keys, *provider.needs) if os.environ.get(key)]


def _missing(provider: Provider, missing: str | None) -> str:
    if not provider.installed:
        return f"pip install {provider.package}"
    if missing:
        return missing.partition(": ")[2].removesuffix(" in the environment")
    known = _set(provider)
    return f"with {', '.join(known)}" if known else "no key needed"
