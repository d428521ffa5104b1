"""Commands for setting up: models, themes, config, schema."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planscope.agents.models import (
    PROVIDERS,
    ModelSpec,
    ModelUnavailable,
    Provider,
    check_model,
    other_providers,
)
from planscope.agents.simulated.profiles import PROFILES, SEED, Profile
from planscope.commands import Command
from planscope.commands.common import answer, emit, say_all
from planscope.errors import UserError
from planscope.json_text import json_text
from planscope.show.blocks import GAP, Block, Code, Heading, Para, Table

if TYPE_CHECKING:
    from planscope.documents.listings import ConfigDocument, ModelsDocument, ThemesDocument
    from planscope.tui.keys import KeyChoice
    from planscope.tui.settings import ScreenSettings, Setting
    from planscope.tui.toml_file import FileProblem

MODELS_ABOUT = (
    "List the values of --model: simulated models with their parameters, which need no key and no network, and "
    "providers, with the package and the environment variable that each needs. Contacts no server and shows no key."
)


_MODELS = (
    ("--base-url URL", "only providers that can use a server of your own, at URL"),
    ("--json", "print the same as JSON"),
)


def _models(args: Namespace) -> int:

    providers, problems = _providers(args.base_url), other_providers()[1]
    profiles = list(PROFILES.values()) if args.base_url is None else []

    def document() -> ModelsDocument:
        from planscope.documents.listings import ModelsDocument, ProfileDocument, ProviderDocument

        return ModelsDocument(
            simulated=[ProfileDocument.of(p, parameters=[*p.parameters, SEED]) for p in profiles],
            providers=[
                ProviderDocument.of(
                    one, base_url=one.any_server, set=_set(one), ready=why is None, missing=why
                )
                for one, why in providers
            ],
            problems=list(problems),
        )

    answer(args, document, _model_blocks(profiles, providers, problems))
    return 0


def _model_blocks(
    profiles: Sequence[Profile], providers: Sequence[tuple[Provider, str | None]], problems: Sequence[str]
) -> Iterator[Block]:
    from planscope.wording.terms import said

    yield Heading("Simulated models (--model sim:NAME, or sim:NAME?key=value&seed=3)")
    for profile in profiles:
        plants = f" (its fault: {said(profile.plants)})" if profile.plants else ""
        yield Para(profile.about + plants, label=f"  {profile.name}", column=20)
        for p in profile.parameters:
            bounds = f"{p.low} to {p.high}, default {p.default}: {p.about}"
            yield Para(bounds, label=f"      {p.name}", column=20)
    yield Heading("Providers (--model NAME:MODEL)")
    by_readiness = sorted(providers, key=lambda found: (found[1] is not None, found[0].name))
    yield Table([(p.name, "not ready" if why else "ready", _missing(p, why)) for p, why in by_readiness])
    yield from (Para(f"not listed: {problem}") for problem in problems)


def _providers(base_url: str | None) -> list[tuple[Provider, str | None]]:
    """Return each provider with an error that says what it lacks, or None if it is ready."""

    providers: list[tuple[Provider, str | None]] = []
    for provider in (*PROVIDERS.values(), *other_providers()[0].values()):
        if base_url is not None and not provider.any_server:
            continue
        missing = None
        try:
            check_model(ModelSpec(f"{provider.name}:x", provider=provider, model="x"), base_url)
        except ModelUnavailable as error:
            if base_url is not None and "--base-url" in str(error):
                raise
            missing = str(error)
        providers.append((provider, missing))
    return providers


def _set(provider: Provider) -> list[str]:
    return [key for key in (*provider.keys, *provider.needs) if os.environ.get(key)]


def _missing(provider: Provider, missing: str | None) -> str:
    if provider.entry is not None:
        return missing or f"from {provider.package}"
    if not provider.installed:
        return provider.install
    if missing:
        return missing.partition(": ")[2].removesuffix(" in the environment")
    known = _set(provider)
    return f"with {', '.join(known)}" if known else "no key needed"


THEMES_ABOUT = "List the themes of the debugger, bundled and your own, and what is wrong with a theme file."


_THEMES = (("--json", "print themes and errors as JSON"),)


def _themes(args: Namespace) -> None:
    from planscope.documents.listings import ThemesDocument
    from planscope.tui.style.themes import load_themes, user_themes_folder

    themes, problems = load_themes()
    folder = str(user_themes_folder())
    found = {"themes": themes, "problems": list(map(str, problems)), "folder": folder}
    answer(args, ThemesDocument.model_validate(found), _theme_blocks)


def _theme_blocks(told: ThemesDocument) -> Iterator[Block]:

    yield Table([(theme.name, "dark" if theme.dark else "light") for theme in told.themes], indent="")
    yield from (Para(f"not loaded: {problem}") for problem in told.problems)
    yield from (GAP, Code([f"Put your own themes into {told.folder}"]))


CONFIG_ABOUT = (
    "Show the settings of the debugger: each value, the file it comes from, and what is wrong with a file. Settings "
    "are a TOML file that you write by hand; choices on the screen are saved in another file."
)


_CONFIG = (
    ("--check", "show only what is wrong; exit status 2 if something is"),
    ("--example", "print a config file with every setting, as a start"),
    ("--json", "print the same as JSON"),
)


def _config(args: Namespace) -> int:
    if args.example:
        if args.check or args.json:
            raise UserError("--example goes with no other option; leave --check and --json out")
        emit("\n".join(_example_file()))
        return 0
    settings, choice, problems = _read_settings()
    if args.check and not args.json:
        say_all(map(str, problems) if problems else ["The settings have no errors."])
    else:
        answer(args, _settings_document(settings, choice, problems), _settings_blocks)
    return 2 if args.check and problems else 0


def _read_settings() -> tuple[ScreenSettings, KeyChoice, list[FileProblem]]:
    """Return all settings and keys, and the errors in them and in theme files."""
    from planscope.tui.keys import read_keys
    from planscope.tui.settings import BY_NAME, ScreenSettings
    from planscope.tui.style.themes import load_themes, need_theme

    settings = ScreenSettings()
    config = settings.config
    config.read_late()
    themes, broken = load_themes()
    try:
        need_theme(config["theme"], [theme.name for theme in themes])
    except UserError as error:
        config.leave_out(BY_NAME["theme"], str(error))
    choice, wrong = read_keys(config=config.file)
    mine = sorted([*config.problems, *wrong], key=lambda problem: (problem.file, problem.line or 0))
    return settings, choice, [*mine, *broken]


def _source(settings: ScreenSettings, setting: Setting) -> str:
    """Return where a setting's value comes from: ``default``, ``screen`` or ``file:line``."""
    config = settings.config
    if settings.chosen(setting.name):
        return "screen"
    if setting.name not in config.given:
        return "default"
    line = config.line(setting)
    return config.path.name if line is None else f"{config.path.name}:{line}"


def _settings_document(
    settings: ScreenSettings, choice: KeyChoice, problems: Sequence[FileProblem]
) -> ConfigDocument:
    from planscope.documents.listings import ConfigDocument, SettingDocument
    from planscope.tui.settings import SETTINGS, plain
    from planscope.tui.style.themes import user_themes_folder

    return ConfigDocument(
        file=str(settings.config.path),
        exists=settings.config.path.exists(),
        remembered=str(settings.remembered.path),
        themes=str(user_themes_folder()),
        settings=[
            SettingDocument(
                name=setting.name,
                value=plain(settings[setting.name]),
                source=_source(settings, setting),
                default=plain(setting.default),
                takes=setting.kind.takes,
                help=setting.help,
            )
            for setting in SETTINGS
        ],
        keys={id: list(keys) for id, keys in choice.items()},
        problems=list(map(str, problems)),
    )


def _settings_blocks(told: ConfigDocument) -> Iterator[Block]:
    from planscope.tui.keys import keys_file, shown_key
    from planscope.tui.settings import toml

    missing = "" if told.exists else "  (does not exist; planscope config --example prints one)"
    older = [("Older keys", str(keys_file()))] if keys_file().exists() else []
    places = [
        ("Settings", f"{told.file}{missing}"),
        *older,
        ("Themes", told.themes),
        ("Remembered", told.remembered),
    ]
    yield Table(places, indent="")
    yield GAP
    rows = [
        (one.name, "not set" if one.value is None else toml(one.value), one.source) for one in told.settings
    ]
    yield Table(rows, indent="")
    if told.keys:
        yield GAP
        yield Table(
            [(f"keys.{id}", " ".join(map(shown_key, keys))) for id, keys in told.keys.items()], indent=""
        )
    if told.problems:
        yield GAP
        yield from (Para(problem, label="wrong", column=7) for problem in told.problems)


def _example_file() -> Iterator[str]:
    """Return the lines of a whole config file. Everything but the table names is commented out."""
    from planscope.tui.actions import ACTIONS
    from planscope.tui.keys import normal
    from planscope.tui.settings import KEYS, SECTIONS, SETTINGS, toml

    yield "# Settings of planscope. To change one, remove the # and edit the value; each line shows the default."
    yield "# planscope config shows the values in use and what is wrong."
    yield ""
    section = ""
    for setting in SETTINGS:
        if setting.section != section:
            section = setting.section
            yield from ("", f"# {SECTIONS[section]}", f"[{section}]")
        value = "" if setting.default is None else toml(setting.default)
        yield f"# {setting.help} Takes {setting.kind.takes}."
        yield f"# {setting.key} = {value}".rstrip()
    yield from ("", "# Keys of an action; they replace all its default keys.", f"[{KEYS}]")
    yield '# preset = "function-keys"  # adds F-keys; "all": a key for every action'
    width = max(len(action.id) for action in ACTIONS)
    for action in ACTIONS:
        yield f"# {action.id:<{width}} = {toml([normal(key) for key in action.shown_keys or action.spare])}"
    yield ""


SCHEMA_ABOUT = (
    "Print the JSON Schema (2020-12) of the session file, or of what a command prints with --json. Without NAME: one "
    "object with all schemas by name."
)


_SCHEMA = (
    ("name NAME?", "session, new, parse, check, ... (default: all)"),
    ("--json", "no effect: the output is always JSON"),
)


def _schema(args: Namespace) -> None:
    from planscope.documents.schemas import DOCUMENTS, schema

    if args.name is not None and args.name not in DOCUMENTS:
        raise UserError(f"there is no schema {args.name!r}; the schemas are {', '.join(DOCUMENTS)}")
    found = schema(args.name) if args.name else {name: schema(name) for name in DOCUMENTS}
    emit(json_text(found, indent=2) + "\n")


COMMANDS = {
    "models": Command(MODELS_ABOUT, "planscope models", _MODELS, _models),
    "themes": Command(THEMES_ABOUT, "planscope themes", _THEMES, _themes),
    "config": Command(CONFIG_ABOUT, "planscope config --example", _CONFIG, _config),
    "schema": Command(SCHEMA_ABOUT, "planscope schema check", _SCHEMA, _schema),
}
