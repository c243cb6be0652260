"""How much of a GPU's memory an engine may take, and how many arenas that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from arcbatt.engine.cuda.launch import Launcher

_LAUNCH_BYTES: Final = 1 << 14
"""What a launch allocates beside arenas and by item, at most."""
_SHARED_BYTES: Final = (1 << 26, 1 << 16)
"""Memory for loops that are shared out, and more of it for each item, where there is so much."""
_LEAST_SHARED_BYTES: Final = 1 << 20
_MOST_SHARED_BYTES: Final = 32 << 30


@dataclass(frozen=True)
class DeviceMemory:
    """The memory of the current device: CuPy's pool, within its limit or else within a fraction of what is free."""

    cupy: Any
    fraction: float
    a_block: int
    """Groups of lanes in a block."""
    groups: int
    """Groups that are resident."""

    @property
    def _pool(self) -> Any:
        return self.cupy.get_default_memory_pool()

    def _free(self) -> int:
        return int(self.cupy.cuda.runtime.memGetInfo()[0])

    def most(self) -> int:
        """Bytes that may be allocated in all."""
        pool = self._pool
        return int(pool.get_limit()) or int(self.fraction * (self._free() + pool.total_bytes()))

    def room(self) -> int:
        """Bytes that may still be allocated."""
        pool = self._pool
        return max(0, min(self.most() - int(pool.used_bytes()), self._free() + int(pool.free_bytes())))

    def groups_for(self, words: int, items: int) -> int:
        """How many groups may run so many items, each in an arena of so many words: whole blocks of groups, or none."""
        room = self.room() - _LAUNCH_BYTES - 8 * items
        groups = max(0, room) // (4 * words * self.a_block) * self.a_block
        if self._pool.total_bytes() + 4 * words * min(groups, self.groups) > self.most():
            self._pool.free_all_blocks()  # blocks of other sizes would come on top
        return groups

    def for_shares(self, words: int, groups: int, items: int) -> int:
        """Bytes for loops that are shared out, beside so many arenas; 0 where too few are left."""
        spare = self.room() - 4 * words * groups - _LAUNCH_BYTES - 64 * items
        spare = max(0, spare - Launcher.bytes_beside(spare)) // 2 // 16 * 16
        shared = min(spare, _MOST_SHARED_BYTES, _SHARED_BYTES[0] + _SHARED_BYTES[1] * items)
        return shared if shared >= _LEAST_SHARED_BYTES else 0
