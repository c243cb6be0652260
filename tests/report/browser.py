"""A headless Chromium for the tests: the page after its script ran, what its console said, and its pixels."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass(frozen=True)
class Browser:
    program: str
    folder: Path

    def _run(self, *args: str) -> subprocess.CompletedProcess:
        fixed = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        fixed += ["--disable-dev-shm-usage", f"--user-data-dir={self.folder / 'profile'}", "--enable-logging=stderr"]
        fixed += ["--virtual-time-budget=3000", "--force-device-scale-factor=1"]
        command = [self.program, *fixed, *args]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)

    def dom(self, url: str) -> tuple[str, list[str]]:
        """The page as it is after its script ran, and the lines of its console."""
        done = self._run("--dump-dom", url)
        return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]

    def pixels(self, url: str, width: int, height: int, *, dark: bool = False) -> NDArray[np.uint8]:
        """A picture of the page: rows, columns, red, green and blue."""
        file = self.folder / "picture.png"
        file.unlink(missing_ok=True)
        scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
        self._run(f"--window-size={width},{height}", scheme, f"--screenshot={file}", url)
        return read_png(file.read_bytes())


def without_policy(page: str, script: str) -> str:
    """A copy of the page that also runs a script of the test, which the page's own policy forbids."""
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    return page.replace("</body>", f"<script>{script}</script></body>")


def read_png(data: bytes) -> NDArray[np.uint8]:
    """An 8-bit RGB or RGBA picture, not interlaced: all that a screenshot is."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, header = 8, b"", b""
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", header)
    assert (depth, interlace) == (8, 0)
    step = {2: 3, 6: 4}[colour]
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * step)
    rows = np.zeros((height, width * step), np.uint8)
    above = np.zeros(width * step, np.uint8)
    for i in range(height):
        above = rows[i] = _unfilter(raw[i, 0], raw[i, 1:], above, step)
    return rows.reshape(height, width, step)[:, :, :3]


def _unfilter(kind: int, line: NDArray[np.uint8], above: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return line + above
    out = [0] * step
    up = [0] * step + above.tolist()
    for at, value in enumerate(line.tolist(), step):
        left, high, corner = out[at - step], up[at], up[at - step]
        if kind == 3:
            guess = (left + high) // 2
        else:
            near = left + high - corner
            guess = min((left, high, corner), key=lambda one: abs(near - one))
        out.append((value + guess) & 255)
    return np.array(out[step:], np.uint8)
