"""`arcbatt watch`: runs and searches in a browser while they go on."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.errors import UsageError
from arcbatt.watch.places import watched_folder


def watch_runs(directory: Path | None, host: str, port: int | None) -> None:
    """Serve the page until someone ends it."""
    try:
        from arcbatt.watch.serve import serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "anyio", "h11"):
            raise
        raise UsageError(f"{error.name} is not installed; pip install 'arcbatt[watch]'") from error
    serve(watched_folder(directory), host, port, typer.echo)
