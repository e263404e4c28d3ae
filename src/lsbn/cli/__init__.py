"""The command line."""

from lsbn.cli.commands import main

__all__ = ["main"]
