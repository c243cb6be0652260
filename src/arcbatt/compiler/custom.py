"""Kernels of custom operations: an expression over cells, or a function written in the kernel's own terms.

An operation's entry in the language holds its kernel; `arcbatt.op` puts it there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from arcbatt.compiler.abi import MAX_ARGS, PATTERNS
from arcbatt.compiler.cpp_names import KEYWORDS
from arcbatt.compiler.lower.variants import NATIVE
from arcbatt.errors import UsageError
from arcbatt.language.table import current
from arcbatt.language.types import BOOL, CELL, GRID, INT, Rule


@dataclass(frozen=True)
class CellKernel:
    """An expression over cells, as the words its instruction carries."""

    rule: Rule
    words: tuple[int, ...]


@dataclass(frozen=True)
class SourceKernel:
    """The body of a C++ function `Status name(Ctx& c, <arguments>, <type>& out)`."""

    name: str
    rule: Rule
    params: tuple[str, ...]
    body: str

    @property
    def number(self) -> int:
        """What its instruction names it by: the same for the same function, in every process."""
        text = "\0".join([self.name, str(self.rule), *self.params, self.body])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")

    @property
    def pattern(self) -> str:
        """What it takes and gives, for the check on load."""
        return "".join(PATTERNS[NATIVE[kind]] for kind in self.rule.params) + ":" + PATTERNS[NATIVE[self.rule.result]]

    @property
    def text(self) -> str:
        """The function in C++, and one of words around it, to stand behind native/exec/dispatch.h."""
        kinds = [NATIVE[kind] for kind in (self.rule.result, *self.rule.params)]
        params = ", ".join(f"{kind} {name}" for kind, name in zip(kinds[1:], self.params, strict=True))
        return f"""
namespace custom {{
AB_FN Status {self.name}(Ctx& c, {params}, {kinds[0]}& out) {{
    (void)c;
#line 1 "{self.name}"
{self.body}
}}
}}  // namespace custom
AB_CALL Status custom_{self.number}(Ctx& c, const u32* const* args, u32* result) {{
    {kinds[0]} out{{}};
    Status s = Variant<{", ".join(kinds)}>::run([&](auto&&... a) {{ return custom::{self.name}(c, a...); }}, args, out);
    if (s == OK) Form<{kinds[0]}>::store(result, out);
    return s;
}}
"""


Kernel = CellKernel | SourceKernel


def kernel_of(name: str) -> Kernel | None:
    """The kernel of a custom operation of the language in use, if it has one."""
    spec = current().ops.get(name)
    kernel = spec.kernel if spec else None
    return kernel if isinstance(kernel, CellKernel | SourceKernel) else None


def cell_kernel(rule: Rule, words: tuple[int, ...]) -> CellKernel:
    """A kernel of an expression; raises UsageError where the types are others than of a grid and numbers."""
    numbers = rule.params[1:]
    if not rule.params or (rule.params[0], rule.result) != (GRID, GRID) or not set(numbers) <= {INT, BOOL}:
        raise UsageError(f"an expression over cells takes a Grid, then Int or Bool, and gives a Grid, not {rule}")
    _check_count(rule)
    return CellKernel(rule, words)


def source_kernel(name: str, rule: Rule, params: tuple[str, ...], body: str) -> SourceKernel:
    """A kernel of a C++ body; raises UsageError where its types or names have no form there."""
    _check_count(rule)
    for kind in (*rule.params, rule.result):
        if kind not in NATIVE or kind == CELL:
            known = ", ".join(str(one) for one in NATIVE if one != CELL)
            raise UsageError(f"{kind} cannot be passed to a function of the kernel; these can: {known}")
    for word in (name, *params):
        if word in KEYWORDS | {"c", "out"} or "__" in word or not word.isascii():
            raise UsageError(f"{word!r} cannot be a name in a function of the kernel (c and out are its own)")
    return SourceKernel(name, rule, params, body)


def _check_count(rule: Rule) -> None:
    if len(rule.params) > MAX_ARGS:
        raise UsageError(f"a kernel takes {MAX_ARGS} arguments at most, {rule} has {len(rule.params)}")


def device_text(kernels: Iterable[SourceKernel]) -> str:
    """What stands in place of native/custom.inc in the source of a GPU kernel that has these functions."""
    chosen = sorted(kernels, key=lambda kernel: kernel.number)
    cases = " ".join(f"case {kernel.number}u: return custom_{kernel.number}(c, args, result);" for kernel in chosen)
    return "".join(kernel.text for kernel in chosen) + (f"#define AB_CUSTOM_CASES {cases}\n" if cases else "")


def source_numbered(number: int) -> SourceKernel:
    """The function an instruction names by that number; UsageError where no operation of the language in use has it."""
    for spec in current().ops.values():
        if isinstance(spec.kernel, SourceKernel) and spec.kernel.number == number:
            return spec.kernel
    raise UsageError(f"no custom operation has the number {number}; it may have been removed since")


def source_kernels(names: Iterable[str]) -> list[SourceKernel]:
    """Those of some operations that are functions of the kernel."""
    found = (kernel_of(name) for name in sorted(set(names)))
    return [kernel for kernel in found if isinstance(kernel, SourceKernel)]
