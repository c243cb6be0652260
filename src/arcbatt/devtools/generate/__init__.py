"""Random programs: drawn from the op table, or mutants of given ones.

Everything is drawn from one `random.Random`, so a seed names a program for ever within one version: version 1 draws
well-typed programs, version 2 everything the language allowed then, version 3 the primitives since as well,
version 4 loops that carry a state, version 5 mutants that can all be read again, and version 6 only calls in which
several parts fail.
"""

from arcbatt.devtools.generate.generator import VERSION, VERSIONS, Generator
from arcbatt.devtools.generate.mutants import crossover, mutants

__all__ = ["VERSION", "VERSIONS", "Generator", "crossover", "mutants"]
