"""The command line: one module for each command, and `main`, which runs them."""

from lsbn.cli.app import main

__all__ = ["main"]
