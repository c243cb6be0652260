"""What a soak finds, as files that pytest runs: to be moved into the tests once the cause is mended."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Final

from arcbatt.devtools.soak.counts import Counts, Finding
from arcbatt.support.files import atomic_write

MOST_OF_A_KIND: Final = 50
"""Findings of one kind that are written; those beyond are only counted."""


class Findings:
    """A folder of test files, one for each finding; the same finding is written once."""

    def __init__(self, folder: Path, counts: Counts) -> None:
        self.folder, self.counts = folder, counts

    def add(self, kind: str, title: str, seed: int, test: str, given: Path | None = None) -> None:
        """Keep a finding: a test, in which `{given}` stands for the name of a copy of the given folder beside it."""
        name = f"{kind}_{hashlib.sha256((title + test).encode()).hexdigest()[:12]}"
        path = self.folder / f"test_{name}.py"
        known = sum(one.kind == kind for one in self.counts.findings)
        if any(one.file == str(path) for one in self.counts.findings):
            return
        self.counts.findings.append(Finding(kind, title, seed, str(path)))
        if path.exists() or known >= MOST_OF_A_KIND:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        if given is not None:
            shutil.copytree(given, self.folder / name, symlinks=True, dirs_exist_ok=True)
        with atomic_write(path) as file:
            file.write(f"# Found by a soak, seed {seed}.\n" + test.replace("{given}", name))


def command_test(args: list[str], statuses: tuple[int, ...] = (0, 1, 2)) -> str:
    """A test that a command in a copy of the given folder ends as it should."""
    return f"""import shutil
from pathlib import Path

from arcbatt.devtools.soak.commands import command


def test_the_command_ends_well(tmp_path):
    folder = shutil.copytree(Path(__file__).parent / "{{given}}", tmp_path / "given", symlinks=True)
    assert command({args!r}, folder).problem({statuses!r}) == ""
"""
