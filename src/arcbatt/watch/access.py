"""Who may see the page: whoever is on this machine, or has the token."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_COOKIE: Final = "arcbatt_watch"
_LOCAL_NAMES: Final = frozenset({"localhost"})


@dataclass(frozen=True)
class Access:
    """Where the server listens, and the token that is asked for where that is not this machine alone."""

    host: str
    token: str | None = None
    names: frozenset[str] = field(default=frozenset())
    """Names of this machine that a browser may have asked for."""

    @classmethod
    def of(cls, host: str) -> Access:
        """What to ask for where the server listens on a host."""
        if is_loopback(host):
            return cls(host)
        names = frozenset(name.lower() for name in (host, socket.gethostname(), socket.getfqdn()))
        return cls(host, secrets.token_urlsafe(24), names)

    def knows(self, header: str) -> bool:
        """Whether a Host header names this server.

        A page elsewhere can have a name of its own lead to this machine and then read from it what it likes (DNS
        rebinding); its requests carry that name. An address is no name, and cannot be made to lead elsewhere.
        """
        name = _host_name(header)
        if is_loopback(name):
            return True
        return self.token is not None and (name in self.names or _is_address(name))

    def allows(self, given: str | None) -> bool:
        """Whether a token is the one that is asked for; compared in a time that says nothing about where it differs."""
        if self.token is None:
            return True
        return given is not None and secrets.compare_digest(given.encode(), self.token.encode())


def is_loopback(host: str) -> bool:
    """Whether a host is reached from this machine alone."""
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host_name(header: str) -> str:
    """A Host header without its port and brackets."""
    text = header.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    name, _, port = text.rpartition(":")
    return name if port.isdecimal() and name else text


class Guard:
    """Refuses requests of other names or without the token, and adds to every answer what browsers must not do."""

    def __init__(self, app: ASGIApp, access: Access, policy: str) -> None:
        self.app = app
        self.access = access
        self.headers = {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have the application answer it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        answer = self._refusal(scope)
        await (self.app if answer is None else answer)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self.access.knows(headers.get("host", "")):
            return PlainTextResponse("This server does not go by that name.", 421)
        if self.access.token is None:
            return None
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        given = dict(query).get("token")
        if given is not None and self.access.allows(given):
            return self._welcome(scope["path"], [pair for pair in query if pair[0] != "token"])
        if self.access.allows(_bearer(headers)) or self.access.allows(_cookie(headers)):
            return None
        return PlainTextResponse(
            "The token is missing or wrong; arcbatt watch prints the address with it.",
            401,
            headers={"WWW-Authenticate": "Bearer"},
        )

    def _welcome(self, path: str, query: list[tuple[str, str]]) -> Response:
        """The same address without the token, which is in a cookie from now on."""
        place = "/" + path.lstrip("/")  # two slashes would be another server's address
        answer = RedirectResponse(place + (f"?{urlencode(query)}" if query else ""), 303)
        answer.set_cookie(_COOKIE, self.access.token or "", httponly=True, samesite="strict")
        return answer


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_COOKIE)
    except CookieError:
        return None
    return found.value if found else None
