"""Packages that extend planscope: the example of the docs works as if installed, and broken ones are one line."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
import tomllib
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.metadata import DistributionFinder, MetadataPathFinder, PathDistribution
from pathlib import Path

import pytest

from planscope import extensions
from planscope.agents import models
from planscope.traces import opening
from tests.cli.completing import words
from tests.cli.conftest import cli as cli
from tests.cli.support import Cli

NAMED = DistributionFinder.Context()
EXAMPLE = Path(__file__).parents[2] / "docs" / "example-package"
BROKEN = {
    "planscope.traces": {"gone": "no_such_package:Reader", "odd": "json:dumps"},
    "planscope.models": {"gone": "no_such_package:make", "openai": "json:dumps", "text": "json:__name__"},
    "planscope.themes": {"gone": "no_such_package:themes", "odd": "json:__name__"},
}


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder on the path in which packages are looked for; what was found before and in it is forgotten."""
    caches = (extensions.entries, extensions.loaded, opening.other_readers, models.other_providers)
    for one in caches:
        one.cache_clear()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.syspath_prepend(str(EXAMPLE))
    yield tmp_path / "site"
    for one in caches:
        one.cache_clear()
    for name in [name for name in sys.modules if name.startswith("acme_planscope")]:
        del sys.modules[name]


def install(site: Path, name: str, points: dict[str, dict[str, str]]) -> None:
    folder = site / f"{name}-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    lines = [
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in points.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    importlib.invalidate_caches()


def test_a_package_in_an_archive_is_found(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(fresh, "zipped", {"planscope.themes": {"night": "json:__name__"}})
    monkeypatch.syspath_prepend(shutil.make_archive(str(tmp_path / "packed"), "zip", fresh))
    shutil.rmtree(fresh)
    assert [entry.name for entry in extensions.entries("planscope.themes")] == ["night"]


def test_a_package_of_a_finder_is_found(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(fresh, "found", {"planscope.themes": {"night": "json:__name__"}})
    elsewhere = [place for place in sys.path if place != str(fresh)]
    monkeypatch.setattr(sys, "path", elsewhere)

    class Finder(PathFinder):
        @classmethod
        def find_distributions(
            cls, context: DistributionFinder.Context = NAMED
        ) -> Iterator[PathDistribution]:
            return MetadataPathFinder.find_distributions(
                DistributionFinder.Context(name=context.name, path=[str(fresh)])
            )

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert [entry.name for entry in extensions.entries("planscope.themes")] == ["night"]


def test_the_example_package(fresh: Path, cli: Cli, tmp_path: Path) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    install(fresh, project["name"], project["entry-points"])
    log = {"acme_log": "run 7", "calls": [{"tool": "cancel", "with": {"id": 7}, "said": "done"}]}
    (tmp_path / "log.json").write_text(json.dumps(log))
    (tmp_path / "rules.txt").write_text("look comes before cancel.")
    done = cli("check", "log.json", "--rules", "rules.txt", "--json")
    assert (done.status, done.json["traces"][0]["id"], done.json["traces"][0]["calls"]) == (1, "run 7", 1)
    (acme,) = [one for one in cli("models", "--json").json["providers"] if one["name"] == "acme"]
    assert acme["ready"] and acme["package"] == "acme-planscope"
    pytest.importorskip("langchain_openai")
    assert models.load_model("acme:large").chat.model_name == "large"
    assert {"name": "acme", "dark": True} in cli("themes", "--json").json["themes"]
    assert words("run", "x", "--model", "acm") == ["acme:"]
    assert words("open", "--theme", "ac") == ["acme"]
    assert cli("doctor", "--json").json["problems"] == []


def test_a_broken_extension_is_one_line_and_the_rest_works(fresh: Path, cli: Cli, tmp_path: Path) -> None:
    install(fresh, "broken", BROKEN)
    (tmp_path / "run.json").write_text('[{"role":"user","content":"hi"}]')
    (tmp_path / "rules.txt").write_text("look never happens. look is a tool.")
    assert cli("check", "run.json", "--rules", "rules.txt").status == 0
    done = cli("import", "run.json", "-o", "run.planscope.json")
    first, second = done.err.splitlines()
    assert done.status == 0 and "read: OpenAI chat messages" in done.out
    assert first.startswith(
        "planscope: the trace reader gone (no_such_package:Reader) of another package cannot"
    )
    assert second.startswith(
        "planscope: the trace reader odd (json:dumps) of another package cannot be used: "
    )
    for name, why in (("gone", "No module named 'no_such_package'"), ("text", "it is not a function")):
        said = cli("run", "first-look", "-o", "new.planscope.json", "--model", f"{name}:x").complaint()
        assert said.startswith(f"the models {name} (") and why in said
    found = cli("models", "--json").json
    assert [one["ready"] for one in found["providers"] if one["name"] == "gone"] == [False]
    assert found["problems"] == [
        "the models openai (json:dumps) of another package cannot be used: ValueError: the name is taken"
    ]
    assert "gone" in cli("models").out
    themes = cli("themes", "--json").json
    assert len(themes["themes"]) >= 5 and len(themes["problems"]) == 2
    doctor = cli("doctor")
    assert doctor.status == 2 and doctor.out.count("wrong: ") == 7
