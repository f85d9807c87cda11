"""GET /metrics for Prometheus and compatible systems: outside of the API, with a separate role."""

from importlib.metadata import version

from fastapi import Request, Response
from prometheus_client.exposition import choose_encoder
from sqlalchemy import func, select

from lunette.api.answers.disks import health_figures
from lunette.api.metrics.exposition import Exposition, Row
from lunette.api.metrics.names import names
from lunette.api.openapi.responses import router
from lunette.api.requests.services import ApiServices, UsedServices
from lunette.domain.alerts import Severity
from lunette.domain.errors import Unavailable
from lunette.engine.conditions import disk_health
from lunette.store.journal import Alert
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings

routes = router("", "metrics", below="")

HEALTH_AGE_S = 30.0
"""The watcher looks more often, so no scrape waits for the machine."""


@routes.get("/metrics", operation_id="metrics_show", include_in_schema=False)
def metrics_show(request: Request, services: UsedServices) -> Response:
    """Returns all metrics as Prometheus text or OpenMetrics.

    The `Accept` header selects the format. While the agent is unavailable, measured values are missing.
    """
    try:
        measured = services.control.performance.now()
    except Unavailable:
        measured = None
    with services.store.read() as tx:
        known = names(tx, read_settings(tx).present_host_name(services.name()), measured)
        standing = select(Alert.severity, func.count()).where(Alert.resolved_at.is_(None)).group_by(Alert.severity)
        alerts = dict.fromkeys((severity.value for severity in Severity), 0) | dict(tx.execute(standing).all())
        health = _health(services, disk_health.grown(tx, utc_now())) if measured else ()
    _, media_type = choose_encoder(request.headers.get("accept", ""))
    reported = Exposition(version("lunette"), alerts, known, health=health)
    text = reported.text(openmetrics=media_type.startswith("application/openmetrics-text"))
    return Response(text, media_type=media_type, headers={"Cache-Control": "no-store"})


def _health(services: ApiServices, growth: disk_health.Grown) -> list[Row]:
    """Last reported health of each disk; no drive is queried for it."""
    try:
        disks = services.control.observation(HEALTH_AGE_S, amid_steps=True).disks
    except Unavailable:
        return []
    return [
        ((disk.id,), health_figures(disk.health, growth.get(disk.id, {})))
        for disk in disks
        if disk.health is not None and disk.health.read_at is not None
    ]
