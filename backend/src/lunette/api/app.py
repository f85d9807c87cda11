"""Builds the application. Main and the tests need only `make_app`."""

import functools
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import APIRouter, FastAPI
from pydantic.warnings import UnsupportedFieldAttributeWarning

from lunette.api.appliance import backup_extras
from lunette.api.openapi.describe import describe
from lunette.api.problems import documents
from lunette.api.requests.services import ApiServices
from lunette.api.routes import (
    alerts,
    appliance,
    array_changes,
    array_keys,
    arrays,
    certificate,
    deleted_snapshots,
    deleted_volumes,
    disks,
    document,
    drift,
    events,
    fc_ports,
    firewall,
    foreign_arrays,
    health,
    host_access,
    host_groups,
    hosts,
    initiators,
    interfaces,
    jobs,
    layouts,
    login,
    logins,
    mappings,
    metrics,
    performance,
    portals,
    rdma_devices,
    schedules,
    search,
    second_factor,
    sessions,
    settings,
    site,
    snapshots,
    targetcli,
    tokens,
    updates,
    users,
    volumes,
    why,
)
from lunette.api.server import page
from lunette.api.server.compression import CompressedLists
from lunette.api.server.middleware import SecurityHeaders

# FastAPI ignores this warning while it declares a body; a body is built at its first request, as every model is.
warnings.filterwarnings("ignore", category=UnsupportedFieldAttributeWarning)

_ROUTERS: tuple[APIRouter, ...] = (
    health.routes,
    login.routes,
    logins.routes,
    second_factor.routes,
    users.routes,
    tokens.routes,
    disks.routes,
    layouts.routes,
    arrays.routes,
    array_changes.routes,
    array_keys.routes,
    foreign_arrays.routes,
    volumes.batches,
    volumes.deletions,
    why.routes,
    volumes.routes,
    deleted_volumes.recoveries,
    deleted_volumes.erasures,
    deleted_volumes.routes,
    snapshots.batches,
    snapshots.deletions,
    snapshots.routes,
    deleted_snapshots.recoveries,
    deleted_snapshots.erasures,
    deleted_snapshots.routes,
    host_access.routes,
    hosts.deletions,
    hosts.routes,
    host_groups.routes,
    initiators.routes,
    portals.routes,
    rdma_devices.routes,
    fc_ports.routes,
    interfaces.routes,
    firewall.routes,
    mappings.batches,
    mappings.deletions,
    mappings.routes,
    sessions.routes,
    performance.routes,
    schedules.routes,
    settings.routes,
    certificate.routes,
    certificate.verbs,
    site.routes,
    site.verbs,
    appliance.verbs,
    updates.routes,
    updates.verbs,
    targetcli.verbs,
    drift.routes,
    search.routes,
    jobs.routes,
    events.verbs,
    events.routes,
    alerts.routes,
    document.routes,
    metrics.routes,
)


class Lunette(FastAPI):
    """FastAPI with our own OpenAPI document."""

    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            self.openapi_schema = describe(super().openapi())
        return self.openapi_schema


def make_app(services: ApiServices | None) -> FastAPI:
    """The application. Without parts it can only describe itself."""
    app = Lunette(
        title="Lunette",
        version=version("lunette"),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        summary="Storage target appliance: disks, arrays, volumes, and the hosts that use them.",
    )
    app.state.services = services
    documents.install(app)
    # `include_router` would build every route a second time, at the first request.
    app.router.routes.extend(route for router in _ROUTERS for route in router.routes)
    if services and services.ui:
        page.install(app, services.ui)
    app.add_middleware(CompressedLists)
    app.add_middleware(SecurityHeaders)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: ApiServices = app.state.services
    services.feed.open()
    services.control.backups.make = functools.partial(backup_extras.backup, services, version("lunette"))
    services.control.start()
    try:
        yield
    finally:
        services.feed.close()
        services.control.stop()
