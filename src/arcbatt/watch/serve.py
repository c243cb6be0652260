"""Serving the page until someone ends it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final
from urllib.parse import quote

import uvicorn

from arcbatt.errors import UsageError
from arcbatt.watch.access import Access
from arcbatt.watch.app import make_app

PORT: Final = 8420
_PORTS: Final = 20
"""Ports that are tried where none is asked for."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def serve(folder: Path, host: str, port: int | None, say: Callable[[str], None]) -> None:
    """Serve the runs of a folder until Ctrl-C or SIGTERM; `say` is told where."""
    access = Access.of(host)
    with _listening(host, port, say) as listener:
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{listener.getsockname()[1]}/"
        token = "" if access.token is None else f"?token={quote(access.token)}"
        say(f"watching {folder}")
        say(f"{address}{token}  (Ctrl-C ends it)")
        if access.token is not None:
            say(f"metrics: {address}metrics with the header Authorization: Bearer {access.token}")
        config = uvicorn.Config(
            make_app(folder, access),
            log_level="error",  # what strangers send is theirs to mend
            ws="none",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """Ends at the first signal, and does not pass it on: ending is what it is for. Ctrl-C stays ignored where it is."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM end the server as long as it runs."""
        chosen = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before: dict[signal.Signals, Any] = {number: signal.signal(number, self._end) for number in chosen}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _end(self, _: int, __: FrameType | None) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


@contextmanager
def _listening(host: str, port: int | None, say: Callable[[str], None]) -> Iterator[socket.socket]:
    """A socket that listens on a port, or on the next free one where none is asked for; UsageError if there is none."""
    wanted = range(PORT, PORT + _PORTS) if port is None else (port,)
    for number in wanted:
        try:
            found = _bound(host, number)
        except (OSError, UnicodeError) as error:  # the latter for what cannot be a host's name
            problem = f"{host} port {number}: {getattr(error, 'strerror', None) or error}"
            if port is None:
                say(problem)
                continue
            raise UsageError(f"{problem}; give another with --port") from error
        with found:
            yield found
        return
    raise UsageError(f"{host}: none of the ports {wanted[0]} to {wanted[-1]} can be used; give one with --port")


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(128)
    except OSError:
        found.close()
        raise
    return found
