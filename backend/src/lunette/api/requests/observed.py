"""The handlers' view of the machine: the engine's observation, or the fact that the agent does not answer."""

import datetime as dt
from dataclasses import dataclass

from lunette.api.answers.seen import Seen, SeenSessions
from lunette.api.requests.parts import Parts
from lunette.domain.errors import Unavailable
from lunette.domain.exports import ConvergeReport

FRESH_S = 2.0
"""Old enough to be shared by the lists of one page, recent enough to count as current; the response contains its
age.
"""


@dataclass(frozen=True)
class Look:
    """The machine now; `away` says why there is no observation."""

    seen: Seen
    report: ConvergeReport | None
    report_at: dt.datetime | None
    away: str | None


def look(parts: Parts) -> Look:
    """Asks the engine for a recent observation; never raises when the agent is away."""
    mapped = parts.control.mapped()  # before the report: a mapping is not called open by a report that is older
    report, report_at = parts.control.exports(), parts.control.exports_at
    try:
        return Look(Seen(parts.control.observation(FRESH_S, amid_steps=True), report, mapped), report, report_at, None)
    except Unavailable as error:
        return Look(Seen(None, report, mapped), report, report_at, error.detail)


def seen_now(parts: Parts) -> Seen:
    """Only what merging with stored rows needs."""
    return look(parts).seen


def sessions_now(parts: Parts) -> SeenSessions:
    """Who is logged in; empty and unknown when the agent is away."""
    try:
        return SeenSessions(parts.control.sessions())
    except Unavailable:
        return SeenSessions(None)
