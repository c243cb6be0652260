"""Which rewrites run. Each can be turned off, and off must equal on."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Rewrites:
    """Switches of the rewrites, all on unless told otherwise."""

    commutative: bool = True
    """add(a, b) and add(b, a) are one node (passes/commutative.py)."""
    fold: bool = True
    """Calls of constants are computed when the program is compiled (passes/fold.py)."""
    body_sharing: bool = True
    """Equal calls in one loop body are computed once (body.py)."""
    hoist: bool = True
    """Calls in a loop body that do not depend on the item move out of it (passes/hoist.py)."""
    algebra: bool = True
    """Identities of rotations, idempotent and self-inverse calls, and colours of rotated grids (passes/algebra.py)."""
    unroll: bool = True
    """Short powers of cheap functions outside of loops are written out (specialize.py)."""
    columns: bool = True
    """The engine runs loops over numbers for many items at once (lower/columns.py)."""

    @property
    def exact(self) -> Rewrites:
        """Those of these that leave out no call, for runs with fewer steps than calls that are left out might take."""
        return replace(self, fold=False, algebra=False, unroll=False)

    @property
    def every_step(self) -> bool:
        """Whether every step counts, so that any call outside of loops may take too many (`CompiledSet.exact`)."""
        return not self.fold

    @staticmethod
    def names() -> tuple[str, ...]:
        """The name of every switch."""
        return tuple(field.name for field in fields(Rewrites))

    @staticmethod
    def none() -> Rewrites:
        """Everything off."""
        return Rewrites(*(False for _ in fields(Rewrites)))
