"""How big the arenas of the engines are at first."""

from __future__ import annotations

from typing import Final

CPU_ARENA_BYTES: Final = 64 << 20
"""Of a thread."""
GPU_ARENA_BYTES: Final = 4 << 20
"""Of a resident group of lanes."""
