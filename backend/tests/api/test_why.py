"""Why a volume is missing, asked over HTTP on a machine where something is broken."""

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import ADDRESS, disk_ids, make_array
from backend.tests.wiring import Api


def broken(appliance: Api, volume: str, host: str | None = None) -> list[str | None]:
    """The first broken link of each chain."""
    chains = appliance.get(f"/volumes/{volume}:why", **({"host": host} if host else {}))["chains"]
    return [next((link["part"] for link in chain["links"] if link["state"] == "broken"), None) for chain in chains]


def test_the_first_broken_link_moves_along_as_things_are_corrected(appliance: Api, machine: FakeSystem) -> None:
    make_array(appliance)
    appliance.made("/volumes", {"name": "v", "array": "tank", "size_bytes": "16MiB"})
    assert appliance.get("/volumes/v:why")["chains"][0]["host"] is None
    assert broken(appliance, "v") == ["export"]
    appliance.made("/hosts", {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]})
    appliance.made("/hosts", {"name": "h2", "iqns": ["iqn.2026-01.com.example:h2"]})
    appliance.made("/host-groups", {"name": "g", "hosts": ["h2"]})
    assert broken(appliance, "v", "h1") == ["export"]
    appliance.made("/mappings", {"volume": "v", "host_group": "g"})
    assert broken(appliance, "v", "h1") == ["export"]
    appliance.until(lambda: broken(appliance, "v") == ["portal"])
    appliance.made("/portals", {"name": "front", "address": ADDRESS})
    appliance.until(lambda: broken(appliance, "v") == ["session"])
    assert [chain["host"] for chain in appliance.get("/volumes/v:why")["chains"]] == ["h2"]
    for drive in [disk for disk in machine.blocks.disks if disk.media.superblock][:3]:
        machine.pull(drive)
    appliance.until(lambda: broken(appliance, "v", "h2")[0] in ("disk", "array"))


def test_a_volume_of_a_pool_has_the_same_chain(appliance: Api, machine: FakeSystem) -> None:
    disks = disk_ids(appliance)[:3]
    appliance.made("/arrays", {"name": "pool", "engine": "zfs", "level": "raidz1", "disks": disks})
    appliance.made("/volumes", {"name": "z", "array": "pool", "size_bytes": "16MiB", "provisioning": "thin"})
    appliance.made("/hosts", {"name": "h1", "iqns": ["iqn.2026-01.com.example:h1"]})
    appliance.made("/mappings", {"volume": "z", "host": "h1"})
    appliance.made("/portals", {"name": "front", "address": ADDRESS})
    appliance.until(lambda: broken(appliance, "z") == ["session"])
    links = {link["part"]: link["words"] for link in appliance.get("/volumes/z:why")["chains"][0]["links"]}
    assert links["disk"] == "all 3 disks of array pool are present"
    assert "/dev/zvol/" in links["volume"]
    for drive in [disk for disk in machine.blocks.disks if set(disk.links()) & set(disks)][:2]:
        machine.pull(drive)
    appliance.until(lambda: broken(appliance, "z")[0] in ("disk", "array"))


def test_what_is_not_there_is_not_found(api: Api) -> None:
    refused = api.call("GET", "/volumes/nope:why")
    assert (refused.status_code, "no volume nope" in refused.json()["detail"]) == (404, True)
