"""``planscope config``: where settings are, what they are, what is wrong with them."""

from __future__ import annotations

from pathlib import Path

from tests.cli.support import Cli


def write(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "config" / "planscope"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text, encoding="utf-8")


def test_without_a_file_everything_is_as_it_comes(cli: Cli, tmp_path: Path) -> None:
    done = cli("config")
    assert done.status == 0 and done.err == ""
    assert f"Settings    {tmp_path}/config/planscope/config.toml  (does not exist" in done.out
    assert "layout.wide.upper   [8, 7, 9]                default" in done.out
    assert cli("config", "--check") == cli("config", "--check")
    assert cli("config", "--check").out == "The settings have no errors.\n"


def test_what_is_set_and_what_is_wrong(cli: Cli, tmp_path: Path) -> None:
    write(
        tmp_path, 'theme = "lihgt"\n[defaults]\nseed = 5\nbudget = 0\n[keys]\nzoom = "Z"\nnext-call = "c"\n'
    )
    themes = tmp_path / "config" / "planscope" / "themes"
    themes.mkdir()
    (themes / "mine.toml").write_text("dark = 3")
    done = cli("config")
    assert done.status == 0
    assert "defaults.seed       5                        config.toml:3" in done.out
    assert "keys.zoom  Z" in done.out
    checked = cli("config", "--check")
    assert checked.status == 2 and checked.err == ""
    assert checked.out.splitlines() == [
        "config.toml:1: theme: no theme 'lihgt'; nearest: 'light'; there are: dark, colour-blind, high-contrast, "
        "light, terminal",
        "config.toml:4: defaults.budget must be a whole number from 1 to 1000, not 0",
        "config.toml:7: next-call: 'c' is a key of continue too",
        "mine.toml:1: 'dark' must be true or false",
    ]
    document = cli("config", "--json").json
    assert document["exists"] and document["keys"] == {"zoom": ["Z"]} and len(document["problems"]) == 4
    found = {entry["name"]: (entry["value"], entry["from"]) for entry in document["settings"]}
    assert found["theme"] == ("dark", "default") and found["defaults.seed"] == (5, "config.toml:3")
    assert found["layout.wide.hide"] == ([], "default")


def test_older_keys_are_read_until_the_config_file_has_some(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, "")
    older = tmp_path / "config" / "planscope" / "keys.toml"
    older.write_text('[keys]\nzoom = "Z"\n')
    done = cli("config")
    assert f"Older keys  {older}" in done.out and "keys.zoom  Z" in done.out
    assert cli("config", "--check").status == 0
    write(tmp_path, '[keys]\nwatch = "i"\n')
    checked = cli("config", "--check")
    assert checked.out == "keys.toml: is not read any more: config.toml has a table [keys]\n"
    assert cli("config", "--json").json["keys"] == {"watch": ["i"]}


def test_the_example_is_one(cli: Cli, tmp_path: Path) -> None:
    example = cli("config", "--example")
    assert example.status == 0
    write(tmp_path, example.out)
    assert cli("config", "--check").status == 0
    assert "goes with no other option" in cli("config", "--example", "--json").complaint()


def test_themes_asked_for_by_name_and_not_there(cli: Cli) -> None:
    """``open`` and ``export`` say the same of a theme that is not there; see also tests/tui/test_start.py."""
    told = cli("export", "first-look", "--format", "svg", "--theme", "drak").complaint()
    assert told.startswith("no theme 'drak'; nearest: 'dark'; there are: dark, ")
