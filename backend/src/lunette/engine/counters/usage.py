"""Whether hosts use a volume now, so that it is not removed by mistake. What was not counted is unknown."""

import datetime as dt
from collections.abc import Iterable

from lunette.domain.plans import Leaving
from lunette.domain.usage import VolumeUse
from lunette.engine.counters.performance import Recorder


def uses(recorder: Recorder, leaving: Iterable[Leaving]) -> tuple[VolumeUse, ...]:
    """How each of these volumes is used, as far as the passes taken so far show; no system is queried."""
    found = []
    for one in dict.fromkeys(leaving):
        iops, at = recorder.use_of(one.volume_id)
        last = dt.datetime.fromtimestamp(at, dt.UTC) if at is not None else None
        found.append(VolumeUse(name=one.name, iops=iops, last_io_at=last))
    return tuple(found)
