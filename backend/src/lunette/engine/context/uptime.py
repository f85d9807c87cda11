"""Running time of the appliance in seconds: a retention of some hours means hours of running time.

A leap of the clock has no effect (docs/decisions/0029): the time that this process saw pass counts, as far as the clock
agrees, so that several processes do not count it twice. Time while nothing runs does not count.
"""

import datetime as dt

from sqlalchemy.orm import Session

from lunette.domain.uptime import Uptime
from lunette.store.resources import Meta
from lunette.store.schema import utc_now

KEY = "uptime"


def read(tx: Session) -> Uptime:
    """The last stored count."""
    row = tx.get(Meta, KEY)
    return Uptime.model_validate_json(row.value) if row else Uptime(seconds=0.0, at=utc_now())


def advance(tx: Session, passed_s: float, now: dt.datetime) -> Uptime:
    """Adds the time that this process measured since its last count, limited to the clock time since the last count of
    any process.
    """
    before = read(tx)
    more = max(0.0, min(passed_s, (now - before.at).total_seconds()))
    found = Uptime(seconds=before.seconds + more, at=now)
    row = tx.get(Meta, KEY)
    if row is None:
        tx.add(Meta(key=KEY, value=found.model_dump_json()))
    else:
        row.value = found.model_dump_json()
    return found
