"""Notebooks run as people run them: in a kernel, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient


def execute(
    notebook: Path, folder: Path, *, skip: tuple[str, ...] = (), change: Callable[[str], str] = str
) -> list[Any]:
    """The cells after they ran in a folder, less those with a tag to skip; raises what a cell raises."""
    book = nbformat.read(notebook, 4)
    book.cells = [cell for cell in book.cells if not set(skip) & set(cell.metadata.get("tags", []))]
    for cell in book.cells:
        if cell.cell_type == "code":
            cell.source = change(cell.source)
    NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    return book.cells


def shown(cells: list[Any], source: str) -> dict[str, str]:
    """What the last output of the cell with a line shows, by type."""
    (cell,) = [cell for cell in cells if cell.cell_type == "code" and source in cell.source.splitlines()]
    return dict(cell.outputs[-1].get("data", {}))
