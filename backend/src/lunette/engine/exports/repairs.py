"""Reports exports that another program removed or changed and the agent repaired: an event in words."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.store.events import emit
from lunette.store.resources import Host, HostGroup, Target, Volume

AGAIN = dt.timedelta(hours=1)
"""Minimum interval between reports of the same repair."""
SHOWN = 5


class RepairReports:
    """Remembers what was reported, so that a tool that conflicts with the appliance does not fill the log."""

    def __init__(self) -> None:
        self._at: dict[str, dt.datetime] = {}

    def announce(self, tx: Session, repaired: Iterable[str], now: dt.datetime) -> None:
        """Writes one event for all repairs that were not reported within the hour."""
        self._at = {words: at for words, at in self._at.items() if now - at < AGAIN}
        new = [words for words in dict.fromkeys(repaired) if words not in self._at]
        if not new:
            return
        self._at |= dict.fromkeys(new, now)
        lines = list(_named(tx, new))
        rest = f"; and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
        message = (
            f"Exports were changed by something other than the appliance and were restored: "
            f"{'; '.join(lines[:SHOWN])}{rest}"
        )
        emit(tx, "export.repaired", message, data={"repaired": lines})


def _named(tx: Session, lines: Sequence[str]) -> Iterator[str]:
    """The repairs, with the names of hosts, groups and volumes in front if the text contains their identity."""
    names = dict(_identities(tx))
    for line in lines:
        found = [name for identity, name in names.items() if identity in line]
        yield f"{', '.join(found)}: {line}" if found else line


def _identities(tx: Session) -> Iterator[tuple[str, str]]:
    for table, noun, owned in ((Host, "host", Target.host_id), (HostGroup, "host group", Target.host_group_id)):
        for iqn, nqn, name in tx.execute(select(Target.iqn, Target.nqn, table.name).join(table, table.id == owned)):
            yield iqn, f"{noun} {name}"
            yield nqn, f"{noun} {name}"
    for volume_id, name in tx.execute(select(Volume.id, Volume.name)):
        yield volume_id, f"volume {name}"
