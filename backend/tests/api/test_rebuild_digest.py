"""Between the look at the data disks and the rebuild the disks can be exchanged: only what was seen is taken up."""

import base64
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from backend.tests.api.rebuilding import Standing, rebuilt, reinstalled, settled
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids, make_array
from backend.tests.wiring import Api
from lunette.domain.agent_protocol import ReadCopies, SealCopy
from lunette.domain.sealed_copies import SealOrder
from lunette.engine.background import sealer
from lunette.store.resources import Array, HostInitiator

ADOPT = {"adopt": True}


def looked(api: Api, **wanted: Any) -> str:
    answer = api.post("/appliance:rebuild", {**ADOPT, **wanted}, dry_run=True)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["digest"])


def left_alone(api: Api) -> bool:
    return api.items("/arrays") == api.items("/hosts") == []


def test_changes_of_the_disks_since_the_dry_run_are_not_used(
    with_host: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    """The disks are altered to give another host access after a person has read which hosts get it."""
    _, services = with_host
    settled(services)
    with services.store.write() as tx:
        tx.execute(update(HostInitiator).values(name="iqn.2026-01.com.example:thief"))
        forged = base64.b64encode(sealer.content(tx)).decode()
        tx.rollback()
    with services.store.read() as tx:
        group = tx.scalars(select(Array.group_name)).one()
    with reinstalled(machine, services, tmp_path / "new") as (fresh, new):
        seen = looked(fresh)
        assert looked(fresh) == seen, "a look changes nothing"
        agent = new.control.agent
        [before] = agent.ask(ReadCopies())
        assert before.header is not None
        agent.ask(SealCopy(order=SealOrder(group=group, header=before.header, content=forged)))

        refused = fresh.post("/appliance:rebuild", {**ADOPT, "digest": seen})
        assert (refused.status_code, refused.json()["type"]) == (412, "precondition-failed")
        assert "Repeat the dry run" in refused.json()["detail"]
        assert fresh.post("/appliance:rebuild", {**ADOPT, "digest": seen}, dry_run=True).status_code == 412
        assert left_alone(fresh)

        again = looked(fresh)
        assert again != seen
        assert fresh.post("/appliance:rebuild", {**ADOPT, "digest": again}).json()["rebuilt"] is True


def test_an_array_lost_since_the_observation_is_noticed(
    standing: Standing, machine: FakeSystem, tmp_path: Path
) -> None:
    """Without names it is every array that is there, which a person has read."""
    api, services = standing
    make_array(api, disks=3)
    api.made("/arrays", {"name": "other", "level": "raid1", "disks": disk_ids(api)[-2:]})
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        seen = looked(fresh)
        others = [disk for disk in machine.blocks.disks if disk.media.superblock][-2:]
        for disk in others:
            machine.pull(disk)
        assert fresh.post("/appliance:rebuild", {**ADOPT, "digest": seen}).status_code == 412
        assert left_alone(fresh)


def test_nothing_is_rebuilt_without_a_dry_run(with_host: Standing, machine: FakeSystem, tmp_path: Path) -> None:
    _, services = with_host
    settled(services)
    with reinstalled(machine, services, tmp_path / "new") as (fresh, _):
        refused = fresh.post("/appliance:rebuild", ADOPT)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "digest")
        assert "dry run" in refused.json()["detail"]
        for digest in ("", "0", "*", "G" * 64, f"{'0' * 64}\n"):
            assert fresh.post("/appliance:rebuild", {**ADOPT, "digest": digest}).status_code == 422, digest
        assert left_alone(fresh)
        assert rebuilt(fresh)["rebuilt"] is True
