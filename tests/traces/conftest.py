"""The command line in process, as in the tests of commands."""

from tests.cli.conftest import cli as cli
