"""Everything a rebuild changes, in sentences. The author of the disks decides who gets access, so this is reviewed
first.
"""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from lunette.domain.mappings import NO_PORT
from lunette.store.resources import Host, HostGroup, Volume

Row = dict[str, Any]
Rows = dict[str, list[Row]]


def changes(tx: Session, rows: Rows) -> Iterator[str]:
    """A sentence for each new row; objects that it names may exist already."""
    names = _Names(tx, rows)
    yield from (f"Array {row['name']} is added, with volume group {row['group_name']}" for row in rows["array"])
    for row in rows["array"]:
        if row.get("health_command"):
            yield f"Array {row['name']} is monitored by the health command {row['health_command']}"
    for row in rows["volume"]:
        yield f"Volume {row['name']} is added: logical volume {row['lv_name']}"
        if row.get("backstore"):
            yield f"Volume {row['name']} is served by the adopted backstore {_adopted(row['backstore'])}"
    yield from (f"Snapshot {row['name']} of volume {names.volume(row)} is added" for row in rows["snapshot"])
    yield from (f"Deleted volume {row['name']} can be recovered" for row in rows["deleted_volume"])
    yield from (f"Deleted snapshot {row['name']} can be recovered" for row in rows["deleted_snapshot"])
    for row in rows["host_initiator"]:
        yield f"Host {names.host(row)} can connect as {row['name']}"
    for row in rows["host_group_member"]:
        yield f"Host {names.host(row)} is in host group {names.group(row)}"
    for row in rows["target"]:
        yield f"{names.owner(row)} is served as {row['iqn']} and {row['nqn']}"
        if row.get("subsystem"):
            yield f"{names.owner(row)} sees the adopted subsystem {_adopted(row['subsystem'])}"
    for row in rows["mapping"]:
        yield f"{names.owner(row)} gets volume {names.volume(row)} under number {row['lun']} ({row['family']})"
    for row in rows["held_number"]:
        yield f"Number {row['lun']} is reserved for {row['initiator']}: it belonged to volume {row['volume_name']}"
    for row in rows["portal"]:
        port = "" if row["port"] == NO_PORT else f", port {row['port']}"
        yield f"Portal {row['name']} is created: {row['protocol']} on {row['address']}{port}"
    yield from (f"Fibre Channel port {row['wwpn']} is set to {row['mode']}" for row in rows["fc_port"])


class _Names:
    """Names that rows refer to: from new rows, or from existing ones."""

    def __init__(self, tx: Session, rows: Rows) -> None:
        new = (row for table in ("host", "host_group", "volume") for row in rows[table])
        self._names: dict[str, str] = {row["id"]: row["name"] for row in new}
        for model in (Host, HostGroup, Volume):
            self._names |= {row.id: row.name for row in tx.execute(select(model.id, model.name))}

    def host(self, row: Row) -> str:
        return self._names.get(row["host_id"], str(row["host_id"]))

    def group(self, row: Row) -> str:
        return self._names.get(row["host_group_id"], str(row["host_group_id"]))

    def volume(self, row: Row) -> str:
        return self._names.get(row["volume_id"], str(row["volume_id"]))

    def owner(self, row: Row) -> str:
        return f"Host {self.host(row)}" if row["host_id"] else f"Host group {self.group(row)}"


def _adopted(text: str) -> str:
    """What it shows hosts, in one line."""
    return ", ".join(
        f"{key} {value}" if not isinstance(value, list) else " ".join("=".join(one) for one in value)
        for key, value in json.loads(text).items()
    )
