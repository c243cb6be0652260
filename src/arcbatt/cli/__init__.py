"""The command line: reads options, calls the other packages, prints what came of it."""

import time
from typing import Final

BEGAN: Final = time.monotonic()
"""When the command began: before everything else was imported, which takes its time too."""
