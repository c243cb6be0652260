"""The language as an object: its primitives and its constants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from arcbatt.errors import UsageError
from arcbatt.language.spec import Fact, OpSpec

Constants = Mapping[str, int | tuple[int, int]]


class Language:
    """Primitives and constants by name. It never changes: one more operation makes another language."""

    def __init__(self, ops: Iterable[OpSpec], constants: Constants) -> None:
        self.ops: Mapping[str, OpSpec] = MappingProxyType({spec.name: spec for spec in ops})
        self.constants = constants
        self._with: dict[Fact, frozenset[str]] = {}
        if both := self.ops.keys() & constants.keys():
            raise UsageError(f"names both primitive and constant: {', '.join(sorted(both))}")

    def op(self, name: str) -> OpSpec:
        """The primitive of this name."""
        return self.ops[name]

    def names_with(self, fact: Fact) -> frozenset[str]:
        """The primitives of which a fact holds."""
        if fact not in self._with:
            self._with[fact] = frozenset(name for name, spec in self.ops.items() if fact in spec.facts)
        return self._with[fact]

    def extended(self, spec: OpSpec) -> Language:
        """The language with one more primitive; its name must be free."""
        if spec.name in self.ops:
            raise UsageError(f"{spec.name!r} is a primitive already")
        return Language([*self.ops.values(), spec], self.constants)

    def without(self, name: str) -> Language:
        """The language without one of its primitives."""
        return Language([spec for spec in self.ops.values() if spec.name != name], self.constants)
