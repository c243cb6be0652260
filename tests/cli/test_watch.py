"""`arcbatt watch` as a command: where it listens, what it says, how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager

import pytest

from cli.commands import arcbatt
from watch.records import make_search


@contextmanager
def watching(*args: str, **options):
    command = [sys.executable, "-m", "arcbatt", "watch", *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def said_lines(process, count: int) -> list[str]:
    return [process.stdout.readline().rstrip("\n") for _ in range(count)]


def fetched(address: str, **headers: str) -> str:
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30) as answer:
        return answer.read().decode()


@pytest.fixture
def folder(tmp_path):
    make_search(tmp_path / "search")
    return tmp_path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_it_is_ended(folder, number, sigint):
    with watching(str(folder), "--port", "0") as process:
        place, address = said_lines(process, 2)
        assert place == f"watching {folder}"
        address = address.split()[0]
        assert address.startswith("http://127.0.0.1:")
        with socket.create_connection(
            ("127.0.0.1", int(address.rstrip("/").rpartition(":")[2]))
        ):  # one that says nothing
            assert "Programs found" in fetched(address)
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
        assert (process.returncode, errors) == (0, "")


ODD_REQUESTS = (
    b"\x00\xff" * 500,
    b"GET / HTTP/9.9",
    b"GET /run/%ff%00/../../etc/passwd HTTP/1.1\r\nHost: localhost",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000,
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
)


def test_odd_requests_and_clients_that_wait_neither_stop_it_nor_make_it_talk(folder, sigint):
    with watching(str(folder), "--port", "0") as process, ExitStack() as clients:
        address = said_lines(process, 2)[1].split()[0]
        port = int(address.rstrip("/").rpartition(":")[2])
        for number in range(100):
            one = clients.enter_context(socket.create_connection(("127.0.0.1", port)))
            one.sendall(ODD_REQUESTS[number % len(ODD_REQUESTS)] + (b"\r\n\r\n" if number % 2 else b"\r\nX"))
        assert "Programs found" in fetched(address)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize("host", ["..", "nosuch.invalid", "a\x1b[2Jb", "999.1.1.1"])
def test_a_host_that_there_is_not(folder, host):
    assert "give another with --port" in arcbatt("watch", folder, "--host", host, "--port", 0).refused()


def test_a_port_that_is_taken(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with watching(str(folder), "--port", str(port)) as process:
            _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert errors == f"arcbatt: 127.0.0.1 port {port}: Address already in use; give another with --port\n"


def test_the_next_port_is_taken_where_none_was_asked_for(folder, monkeypatch):
    from arcbatt.watch import serve

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(serve, "PORT", port)
        said: list[str] = []
        with serve._listening("127.0.0.1", None, said.append) as listener:
            assert port < listener.getsockname()[1] < port + serve._PORTS
    assert said[0] == f"127.0.0.1 port {port}: Address already in use"


def test_a_directory_that_is_not_there(tmp_path):
    with watching(str(tmp_path / "none")) as process:
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (2, f"arcbatt: {tmp_path / 'none'}: no such directory\n")


def test_elsewhere_a_token_is_printed_and_asked_for(folder):
    with watching(str(folder), "--port", "0", "--host", "0.0.0.0") as process:
        _, address, metrics = said_lines(process, 3)
        address = address.split()[0].replace("0.0.0.0", "127.0.0.1")
        plain, _, token = address.partition("?token=")
        assert metrics.endswith(f"Bearer {token}")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            fetched(plain)
        assert "arcbatt_info" in fetched(f"{plain}metrics", Authorization=f"Bearer {token}")


def test_without_the_extra_it_says_what_to_install(folder):
    code = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from arcbatt.cli.main import main\n"
        "sys.argv = ['arcbatt', 'watch', sys.argv[1]]\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "arcbatt: uvicorn is not installed; pip install 'arcbatt[watch]'\n")
