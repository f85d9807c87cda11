"""The parts that handlers use: created once per process, reached through the request."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from lunette.api.auth.passwords import LoginLimit, OneTimePassword, Passwords
from lunette.api.events.feed import EventFeed
from lunette.engine.control import Control
from lunette.store.database import Store


@dataclass(frozen=True)
class Files:
    """Where the API stores what is not a row: its directory, and the certificate. `own`: the API creates and replaces
    it.
    """

    data: Path
    tls_cert: Path
    tls_key: Path
    own: bool


@dataclass(frozen=True)
class ApiServices:
    """The store, the engine, and what only HTTP needs. `name` is the host name of this process."""

    store: Store
    control: Control
    feed: EventFeed
    one_time: OneTimePassword
    passwords: Passwords = field(default_factory=Passwords)
    login_limit: LoginLimit = field(default_factory=LoginLimit)
    name: Callable[[], str] = lambda: "lunette"
    ui: Path | None = None
    files: Files | None = None
    restart: Callable[[], None] = lambda: None
    """Ends this process soon, so that its service starts it again."""
    renew_certificate: Callable[[], None] = lambda: None
    """The files of the certificate have changed: new connections get their content."""


def services_of(request: Request) -> ApiServices:
    """The parts of the application that serves this request."""
    services: ApiServices = request.app.state.services
    return services


UsedServices = Annotated[ApiServices, Depends(services_of)]
