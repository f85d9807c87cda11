"""The scene of `make lab`, made through the API: one array, volumes that 4 hosts share evenly, one portal."""

from typing import Any

from backend.tests.wiring import Api

ADDRESS = "192.0.2.1"
"""An address the fake machine has."""


def disk_ids(api: Api, transport: str = "nvme") -> list[str]:
    return [disk["id"] for disk in api.items("/disks", transport=transport)]


def make_array(api: Api, name: str = "tank", disks: int = 8) -> Any:
    body = {"name": name, "level": "raid5", "chunk_bytes": "64KiB", "disks": disk_ids(api)[:disks]}
    job = api.made("/arrays", body)
    return api.get(f"/arrays/{job['resource_ids'][0]}")


WHOLE = 32
"""As many volumes as the lab has."""


def make_scene(api: Api, size: str = "16MiB", volumes: int = 8) -> None:
    """Everything of the scene; returns once all of it is made, not yet once all of it is served."""
    make_array(api)
    api.made(
        "/volumes:create-batch", {"array": "tank", "name_pattern": "lun%02d", "count": volumes, "size_bytes": size}
    )
    for number in range(1, 5):
        api.made("/hosts", {"name": f"host{number}", "iqns": [f"iqn.2026-01.com.example:host{number}"]})
    api.made("/portals", {"name": "front", "address": ADDRESS})
    split = {"volumes": [f"lun{n:02d}" for n in range(1, volumes + 1)], "hosts": [f"host{n}" for n in range(1, 5)]}
    api.made("/mappings:create-batch", {"split": split})
