"""The `arcbatt` command: errors become one clear message and exit code 2."""

from __future__ import annotations

import sys

from arcbatt.cli.app import app
from arcbatt.errors import ArcbattError


def main() -> None:
    """Run the command line."""
    try:
        app()
    except ArcbattError as error:
        print(f"arcbatt: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(141)
    except KeyboardInterrupt:
        print("arcbatt: interrupted", file=sys.stderr)
        sys.exit(130)
