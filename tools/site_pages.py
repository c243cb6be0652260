"""What the site needs beyond pages: links to files outside of docs/ lead to the repository, notebooks become pages.

MkDocs calls the functions named `on_...` (`hooks` in mkdocs.yml).
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = re.compile(r"(?<=\]\()\.\./([^)#\s]*)")
NOTEBOOK = re.compile(r"(?<=\]\()([\w-]+)\.ipynb")
STYLES = re.compile(r"\x1b\[[0-9;]*m")


def repository() -> str:
    """The address of the source, as the package's metadata have it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Source"])


def linked(text: str) -> str:
    """A page whose links out of docs/ lead to the repository, and those to notebooks to their pages."""
    text = NOTEBOOK.sub(r"\1.md", text)
    return OUTSIDE.sub(lambda found: f"{repository()}/{_kind(found[1])}/main/{found[1]}", text)


def _kind(path: str) -> str:
    return "tree" if (ROOT / path).is_dir() else "blob"


def notebook_page(notebook: dict[str, Any]) -> str:
    """The cells of a notebook as a page, each followed by what it gave."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else fenced(source, "python"))
        parts += filter(None, map(_shown, cell.get("outputs", ())))
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        # In one line, since an empty one would end the HTML; within <pre> lines are kept as entities.
        html = "".join(data["text/html"])
        return '<div class="output">' + html.replace("\n", "&#10;" if "<pre" in html else " ") + "</div>"
    text = "".join(output.get("text", data.get("text/plain", "")))
    return fenced(STYLES.sub("", text).rstrip(), "text") if text.strip() else ""


def fenced(text: str, language: str) -> str:
    """A block of code, whatever backticks stand in it."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    return f"{fence}{language}\n{text}\n{fence}"


def executed(path: Path) -> dict[str, Any]:
    """A notebook with the outputs of its cells, run in a folder of its own; without nbclient as it is."""
    try:
        import nbformat
        from nbclient import NotebookClient
    except ImportError:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    notebook = nbformat.read(path, 4)
    with tempfile.TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources=place).execute()
    return dict(notebook)


def on_files(files: Any, config: Any) -> Any:
    """Put a page in the place of each notebook."""
    from mkdocs.structure.files import File

    for file in [one for one in files if one.src_uri.endswith(".ipynb")]:
        files.remove(file)
        content = notebook_page(executed(Path(file.abs_src_path)))
        files.append(File.generated(config, file.src_uri.replace(".ipynb", ".md"), content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Mend the links of a page."""
    return linked(markdown)
