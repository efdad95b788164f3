"""What all commands of this project do before they run: refuse a Nutch configuration that cannot be used."""

from __future__ import annotations

import argparse
import os

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from nutchlike.nutch_properties import configured_conf


class NutchCommand(ScrapyCommand):
    """Ends with one line and exit code 2 on a bad NUTCH_CONF_DIR: in the add-on, Scrapy would show a traceback."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set settings from the command line, then look at the Nutch configuration that they name."""
        super().process_options(args, opts)
        assert self.settings is not None
        try:
            configured_conf(self.settings, environ=os.environ)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
