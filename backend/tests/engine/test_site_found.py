"""Faults that the properties of a site found, each as a case of its own."""

from pathlib import Path

import pytest

from backend.tests.engine.conftest import Appliance
from backend.tests.engine.site_rehearsals import deleted, made, played
from backend.tests.engine.test_site import ask, there
from backend.tests.fakemachine import FakeSignature
from backend.tests.planner.sites import ARRAYS, DISK_BYTES, facts
from lunette.domain.site import Site
from lunette.engine.site import changes as engine


@pytest.mark.parametrize(("before", "after", "server"), [("iscsi", "nvme-tcp", "nvmet"), ("nvme-tcp", "iscsi", "lio")])
def test_a_portal_with_another_protocol_has_the_engine_that_serves_it(
    lone: Appliance, before: str, after: str, server: str
) -> None:
    def site(protocol: str) -> Site:
        return Site.model_validate({"portals": [{"name": "front", "protocol": protocol, "address": "127.0.0.1"}]})

    with played(lone) as world:
        world.bring_to(site(before))
        world.bring_to(site(after), {"portal/front"})
        assert {(fact["protocol"], fact["engine"]) for fact in world.facts().values()} == {(after, server)}


def test_a_disk_of_any_role_may_be_named_by_any_of_its_links(template: Path) -> None:
    site = Site.model_validate(
        {
            "arrays": [
                {
                    "name": "pool",
                    "engine": "zfs",
                    "level": "mirror",
                    "disks": ["nvme-D1", "nvme-Disk_D2"],
                    "log": ["nvme-Disk_D3"],
                    "spares": ["nvme-Disk_D4"],
                },
                {
                    "name": "fast",
                    "level": "raid1",
                    "disks": ["nvme-D5", "nvme-Disk_D6"],
                    "write_mostly": ["nvme-Disk_D6"],
                    "spares": ["nvme-Disk_D7"],
                },
            ],
        }
    )
    with made(template, DISK_BYTES[:1] * 8) as machine:
        machine.world.machine.blocks.disks[2].media.signatures = [FakeSignature("ext4", 1080)]
        machine.bring_to(site, {"disk/nvme-Disk_D3"})
        assert ask(machine.world, site).job_id is None
        pool, fast = (there(machine.world)[f"array/{name}"] for name in ("pool", "fast"))
        assert (pool["log"], fast["write_mostly"]) == ({"nvme-D3"}, {"nvme-D6"})


def test_a_schedule_that_lost_all_it_was_about_is_still_there(lone: Appliance) -> None:
    whole = Site.model_validate(
        {
            "arrays": [{"name": "pool", **ARRAYS["pool"]}],
            "volumes": [{"name": "v", "array": "pool", "size_bytes": "64MiB"}],
            "schedules": [
                {"name": "daily", "action": "snapshot", "volumes": ["v"], "when": "0 2 * * *", "keep": {"last": 7}}
            ],
        }
    )
    without = whole.model_copy(update={"volumes": (), "schedules": ()})
    with played(lone) as world:
        world.bring_to(whole)
        world.bring_to(without, {"volume/v"})
        world.bring_to(whole)
        assert world.facts().keys() == facts(whole).keys()
        world.bring_to(without, {"volume/v"})
        assert engine.export(world._tx, None).schedules == ()
        assert deleted(world.bring_to(without, {"schedule/daily"})) == {"schedule/daily"}
