"""The handlers' view of the machine: the engine's observation, or the fact that the agent does not answer."""

import datetime as dt
from dataclasses import dataclass

from lunette.api.answers.seen import Observed, ObservedSessions
from lunette.api.requests.services import ApiServices
from lunette.domain.errors import Unavailable
from lunette.domain.exports import ConvergeReport

FRESH_S = 2.0
"""Old enough to be shared by the lists of one page, recent enough to count as current; the response contains its
age.
"""


@dataclass(frozen=True)
class MachineView:
    """The machine now; `away` says why there is no observation."""

    seen: Observed
    report: ConvergeReport | None
    report_at: dt.datetime | None
    away: str | None


def machine_view(services: ApiServices) -> MachineView:
    """Asks the engine for a recent observation; never raises while the agent does not answer."""
    mapped = services.control.mapped()  # before the report: a mapping is not called open by a report that is older
    report, report_at = services.control.exports(), services.control.exports_at
    try:
        return MachineView(
            Observed(services.control.observation(FRESH_S, amid_steps=True), report, mapped), report, report_at, None
        )
    except Unavailable as error:
        return MachineView(Observed(None, report, mapped), report, report_at, error.detail)


def observed_now(services: ApiServices) -> Observed:
    """Only what joining with stored rows needs."""
    return machine_view(services).seen


def sessions_now(services: ApiServices) -> ObservedSessions:
    """Who is logged in; empty and unknown while the agent does not answer."""
    try:
        return ObservedSessions(services.control.sessions())
    except Unavailable:
        return ObservedSessions(None)
