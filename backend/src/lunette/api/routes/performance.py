"""Performance of the appliance, its volumes, sessions, hosts, arrays and disks: now and over up to 30 days."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Query

from lunette.api.answers.performance import (
    Performance,
    PerformanceHistory,
    PerformancePage,
    courses_answer,
    performance_answer,
    times_answer,
)
from lunette.api.answers.sessions import Unseen
from lunette.api.lists.matching import matches
from lunette.api.lists.paging import NameFilter, Paging, Value, observed_page
from lunette.api.metrics.names import names
from lunette.api.openapi.responses import LISTED, refusals, router
from lunette.api.requests.lookup import Reference
from lunette.api.requests.services import UsedServices
from lunette.domain.errors import NotFound, Unavailable
from lunette.domain.performance import Measured
from lunette.domain.performance_history import HistoryRange
from lunette.store.settings import read_settings

routes = router("/performance", "performance")
Sort = Annotated[
    Literal[
        "name",
        "-name",
        "iops",
        "-iops",
        "read_bytes_s",
        "-read_bytes_s",
        "write_bytes_s",
        "-write_bytes_s",
        "latency_ms",
        "-latency_ms",
    ],
    Query(description="Field to sort by. A leading `-` sorts in descending order."),
]
_Range = Annotated[HistoryRange, Query(description="Time range of the history, up to now.")]
_Of = Annotated[Measured, Query(description="Kind of object to list.")]


@routes.get("", operation_id="performance_list", response_model=PerformancePage, responses=LISTED)
def performance_list(
    services: UsedServices, page: Paging, of: _Of = Measured.VOLUME, sort: Sort = "-iops", name: NameFilter = None
) -> PerformancePage:
    """Lists the current performance of all objects of one kind.

    `name` matches the name of the object or, for a session, of its host. Volumes are listed while they are mapped.
    Fails with 503 while the agent is unavailable.
    """
    measured = services.control.performance.now()
    with services.store.read() as tx:
        known = names(tx, read_settings(tx).present_host_name(services.name()), measured)
    items = [
        performance_answer(key, rates, known)
        for key, rates in measured.rates.items()
        if key.of is of and known.of(key) is not None
    ]
    found = observed_page((one for one in items if matches(name, one.name, one.host)), page, sort, _key)
    unseen = measured.counters.unseen if of is Measured.SESSION else ()
    return PerformancePage(
        items=tuple(found.rows),
        next_cursor=found.next_cursor,
        total=found.total,
        at=datetime.fromtimestamp(measured.at, UTC),
        seconds=measured.seconds,
        unseen=tuple(Unseen(family=one.family, reason=one.reason) for one in unseen),
    )


@routes.get(
    "/{performance}", operation_id="performance_show", response_model=PerformanceHistory, responses=refusals(404)
)
def performance_show(
    performance: Reference,
    services: UsedServices,
    range: _Range = HistoryRange.HOUR,  # noqa: A002 as in the request
) -> PerformanceHistory:
    """Shows the performance of an object now and over time.

    The object is given by ID; the ID `appliance` stands for the sum of all volumes. The history survives a restart of
    the appliance. It covers the appliance and the 1000 objects that had I/O last.
    """
    try:
        measured = services.control.performance.now()
    except Unavailable:
        measured = None
    with services.store.read() as tx:
        known = names(tx, read_settings(tx).present_host_name(services.name()), measured)
    key = next(known.find(performance), None)
    if key is None:
        raise NotFound(f"No measured object has the ID {performance!r}; see GET /api/v1/performance.")
    rates = measured.rates.get(key) if measured else None
    history = services.control.performance.history(key, range)
    return PerformanceHistory(
        of=key.of,
        id=key.id,
        name=known.of(key) or key.id,
        now=performance_answer(key, rates, known) if rates else None,
        range=range,
        step_seconds=history.step_s,
        times=times_answer(history),
        **courses_answer(history),
    )


def _key(one: Performance, field: str) -> tuple[Value, str]:
    value = one.name if field == "name" else getattr(one, field)
    return (value if isinstance(value, str) else -1 if value is None else round(value * 1000)), one.id
