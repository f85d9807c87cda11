"""How long the appliance has run, in seconds: what is kept for some hours is kept for hours of running.

A clock that leaps says nothing here (docs/decisions/0029): what counts is the time this process saw pass, as far as the
clock agrees, so that several processes do not count it twice. Time while nothing runs does not count.
"""

import datetime as dt

from sqlalchemy.orm import Session

from lunette.domain.uptime import Uptime
from lunette.store.resources import Meta
from lunette.store.schema import utc_now

KEY = "uptime"


def read(tx: Session) -> Uptime:
    """As it was last counted."""
    row = tx.get(Meta, KEY)
    return Uptime.model_validate_json(row.value) if row else Uptime(seconds=0.0, at=utc_now())


def advance(tx: Session, passed_s: float, now: dt.datetime) -> Uptime:
    """Counts what this process saw pass since it counted last, but no more than the clock says since anybody did."""
    before = read(tx)
    more = max(0.0, min(passed_s, (now - before.at).total_seconds()))
    found = Uptime(seconds=before.seconds + more, at=now)
    row = tx.get(Meta, KEY)
    if row is None:
        tx.add(Meta(key=KEY, value=found.model_dump_json()))
    else:
        row.value = found.model_dump_json()
    return found
