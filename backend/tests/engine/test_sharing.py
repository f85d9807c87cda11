"""A host has one way to a volume: through its own target or its group's. Every door refuses a second one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from backend.tests import seen
from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.engine.test_reconciler import Clock, alerts
from backend.tests.engine.test_watcher import look
from backend.tests.exploring import explored, fixed
from backend.tests.faults.world import World, database_template
from lunette.domain.agent_protocol import Observe
from lunette.domain.arrays import Level
from lunette.domain.errors import Conflict, Invalid, LunetteError
from lunette.domain.hosts import HostCreate, HostGroupCreate, HostGroupPatch, HostPatch, OsType
from lunette.domain.mappings import Family, MappingCreate
from lunette.domain.site import SiteRequest
from lunette.engine.background.watcher import Watcher
from lunette.engine.changes import host_groups, mappings
from lunette.engine.changes import hosts as hosts_changes
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.observing import ObservationCache
from lunette.engine.control import Control
from lunette.engine.site import changes as site
from lunette.engine.site.known import known
from lunette.engine.undo import undo as undoing
from lunette.engine.undo.undo import undo
from lunette.planner.site import difference as planner
from lunette.store.database import store_of
from lunette.store.resources import Host, HostGroup, HostGroupMember, Mapping, Volume
from lunette.store.undo import KeptState

SHARED = "Volume v1 has several owners over NVMe, but its hosts cannot lock it"
VOLUMES, HOSTS, GROUPS = ("v1", "v2"), ("h1", "h2", "h3"), ("g1", "g2")


def furnish(appliance: Appliance) -> None:
    """Two volumes, hosts with an IQN and an NQN each, two groups without hosts."""
    appliance.array()
    appliance.volumes(*VOLUMES)
    with appliance.store.write() as tx:
        for name in HOSTS:
            names: dict[str, Any] = {"iqns": [f"iqn.2026-01.com.example:{name}"], "nqns": [f"nqn.2026-01.com:{name}"]}
            hosts_changes.create(appliance.control.change(tx, ADMIN), HostCreate(name=name, **names))
        for name in GROUPS:
            host_groups.create(appliance.control.change(tx, ADMIN), HostGroupCreate(name=name))


def join(appliance: Appliance, group: str, *hosts: str) -> None:
    with appliance.store.write() as tx:
        host_groups.patch(appliance.control.change(tx, ADMIN), group, HostGroupPatch(hosts=hosts))


def refused(
    appliance: Appliance, change: Callable[[ChangeContext], object], kind: type[LunetteError] = Conflict
) -> str:
    with pytest.raises(kind) as refusal, appliance.store.write() as tx:
        change(appliance.control.change(tx, ADMIN))
    return refusal.value.detail


def test_a_host_and_its_group_do_not_get_one_volume_even_if_shared(appliance: Appliance) -> None:
    furnish(appliance)
    join(appliance, "g1", "h1")
    appliance.map(MappingCreate(volume="v1", host="h1"), MappingCreate(volume="v2", host_group="g1"))
    for spec in (
        MappingCreate(volume="v1", host_group="g1", shared=True),
        MappingCreate(volume="v2", host="h1", shared=True),
    ):
        words = refused(appliance, partial(mappings.create, specs=[spec]))
        assert f"host h1 would see volume {spec.volume} twice" in words
        assert f"delete the mapping of {spec.volume} to h1 or to g1 first" in words
    appliance.map(MappingCreate(volume="v2", host="h2", shared=True))


def test_a_batch_is_checked_as_a_whole(appliance: Appliance) -> None:
    furnish(appliance)
    join(appliance, "g1", "h1")
    both = [MappingCreate(volume="v1", host="h1"), MappingCreate(volume="v1", host_group="g1", shared=True)]
    refused(appliance, lambda context: mappings.create(context, both))


def test_a_host_does_not_join_a_group_that_has_its_volume(appliance: Appliance) -> None:
    furnish(appliance)
    appliance.map(MappingCreate(volume="v1", host="h1"), MappingCreate(volume="v1", host_group="g1", shared=True))
    words = refused(
        appliance,
        lambda context: host_groups.patch(context, "g1", HostGroupPatch(hosts=("h2", "h1"))),
    )
    assert "host h1 would see volume v1 twice" in words
    join(appliance, "g1", "h2")


def test_a_windows_or_esxi_host_does_not_come_into_a_group_over_nvme(appliance: Appliance) -> None:
    furnish(appliance)
    appliance.map(MappingCreate(volume="v1", host_group="g1", family=Family.NVME))
    join(appliance, "g1", "h1")
    control = appliance.control
    for os_type in (OsType.ESXI, OsType.WINDOWS):
        words = refused(appliance, partial(hosts_changes.patch, host_id="h1", spec=HostPatch(os_type=os_type)))
        assert f"g1 is a cluster of {os_type} hosts" in words
        with appliance.store.write() as tx:
            hosts_changes.patch(control.change(tx, ADMIN), "h2", HostPatch(os_type=os_type))
        words = refused(appliance, lambda context: host_groups.patch(context, "g1", HostGroupPatch(hosts=("h1", "h2"))))
        assert "map the volume over SCSI" in words


def test_undo_brings_no_second_way_back(appliance: Appliance) -> None:
    furnish(appliance)
    join(appliance, "g1", "h1")
    join(appliance, "g1")
    with appliance.store.read() as tx:
        left = tx.scalar(select(func.max(KeptState.event_seq))) or 0
    appliance.map(MappingCreate(volume="v1", host="h1"), MappingCreate(volume="v1", host_group="g1", shared=True))
    words = refused(appliance, lambda context: undoing.undo(context, left))
    assert words.startswith(f"Event {left} ")
    assert "twice" in words


def test_a_site_document_with_a_second_way_is_refused_with_its_place(lone: Appliance) -> None:
    furnish(lone)
    lone.map(MappingCreate(volume="v1", host="h1"))
    with lone.store.read() as tx:
        there = known(tx, None).site.model_dump(mode="json", exclude_unset=True)
    there["host_groups"][0]["hosts"] = ["h1"]
    there["mappings"][0]["shared"] = True
    there["mappings"].append({"volume": "v1", "host_group": "g1", "shared": True})
    request = SiteRequest.model_validate({"site": there})
    with pytest.raises(Conflict) as refusal, lone.store.write() as tx:
        site.apply(lone.control.change(tx, ADMIN), request)
    assert "twice" in refusal.value.detail
    assert refusal.value.errors[0].field == "mappings[1].volume"


def put_twice(appliance: Appliance) -> None:
    """As a database of an older version may hold it."""
    furnish(appliance)
    appliance.map(
        MappingCreate(volume="v1", host="h1", family=Family.NVME),
        MappingCreate(volume="v1", host_group="g1", family=Family.NVME, shared=True),
    )
    with appliance.store.write() as tx:
        host = tx.scalars(select(Host).where(Host.name == "h1")).one()
        host.os_type = OsType.ESXI
        group_id = tx.scalars(select(HostGroup.id).where(HostGroup.name == "g1")).one()
        tx.add(HostGroupMember(host_id=host.id, host_group_id=group_id))


def test_what_an_older_version_let_through_is_served_and_reported_until_it_is_over(lone: Appliance) -> None:
    put_twice(lone)
    clock = Clock()
    watcher = Watcher(lone.store, ObservationCache(lone.agent, monotonic=clock.seconds), clock)
    look(watcher, clock)
    assert alerts(lone) == {
        "mapping.twice": "Host h1 sees volume v1 twice: by its own mapping and by that of host group g1",
        "mapping.reservations": "Host group g1 has volumes over NVMe, but its hosts cannot lock them",
        "mapping.shared": SHARED,
    }
    with lone.store.write() as tx:
        hosts_changes.patch(
            lone.control.change(tx, ADMIN), "h1", HostPatch(description="other changes go on", os_type=OsType.WINDOWS)
        )
        host_groups.patch(lone.control.change(tx, ADMIN), "g1", HostGroupPatch(hosts=("h1", "h2")))
    join(lone, "g1", "h2")
    look(watcher, clock)
    assert alerts(lone) == {"mapping.shared": SHARED}
    with lone.store.write() as tx:
        hosts_changes.patch(lone.control.change(tx, ADMIN), "h1", HostPatch(os_type=OsType.LINUX))
    look(watcher, clock)
    assert alerts(lone) == {}


def test_single_hosts_that_lock_what_they_share_do_not_share_over_nvme(lone: Appliance) -> None:
    furnish(lone)
    control, nvme = lone.control, {"family": Family.NVME, "shared": True}
    with lone.store.write() as tx:
        for host in ("h1", "h2"):
            hosts_changes.patch(control.change(tx, ADMIN), host, HostPatch(os_type=OsType.ESXI))
    one, other = (MappingCreate.model_validate({"volume": "v1", "host": host, **nvme}) for host in ("h1", "h2"))
    words = refused(lone, partial(mappings.create, specs=[one, other]), Invalid)
    assert "volume v1 would have several owners over NVMe, and esxi hosts need reservations" in words
    lone.map(one)
    linux = MappingCreate.model_validate({"volume": "v1", "host": "h3", **nvme})
    for spec in (other, linux):
        assert "map it over SCSI" in refused(lone, partial(mappings.create, specs=[spec]), Invalid)
    with lone.store.write() as tx:
        hosts_changes.patch(control.change(tx, ADMIN), "h1", HostPatch(os_type=OsType.LINUX))
    lone.map(linux)
    change = partial(hosts_changes.patch, host_id="h1", spec=HostPatch(os_type=OsType.WINDOWS))
    assert "and windows hosts need reservations" in refused(lone, change)
    lone.map(*(MappingCreate(volume="v2", host=host, shared=True, family=Family.SCSI) for host in ("h2", "h3")))


class Accesses:
    """Every change that decides what a host sees, in a transaction that leaves nothing behind."""

    def __init__(self, tx: Session, appliance: Appliance) -> None:
        self._tx, self._control = tx, appliance.control

    def try_one(self, change: tuple[Any, ...]) -> None:
        """A refusal leaves what hosts see as it was."""
        before = self.seen()
        refusal: LunetteError | None = None
        try:
            getattr(self, f"_{change[0]}")(*change[1:])
        except LunetteError as error:
            refusal = error
        assert refusal is None or (refusal.status < 500 and self.seen() == before), refusal
        self._tx.flush()
        self._tx.expire_all()

    def _map(self, volume: str, owner: str, family: Family) -> None:
        place = "host" if owner in HOSTS else "host_group"
        spec = MappingCreate.model_validate({"volume": volume, place: owner, "family": family, "shared": True})
        mappings.create(self._control.change(self._tx, ADMIN), [spec])

    def _unmap(self, place: int) -> None:
        ids = self._tx.scalars(select(Mapping.id).order_by(Mapping.lun, Mapping.id)).all()
        if ids:
            mappings.delete(self._control.change(self._tx, ADMIN), ids[place % len(ids)])

    def _members(self, group: str, hosts: set[str]) -> None:
        host_groups.patch(self._control.change(self._tx, ADMIN), group, HostGroupPatch(hosts=tuple(sorted(hosts))))

    def _runs(self, host: str, os_type: OsType) -> None:
        hosts_changes.patch(self._control.change(self._tx, ADMIN), host, HostPatch(os_type=os_type))

    def _undo(self, back: int) -> None:
        seqs = self._tx.scalars(select(KeptState.event_seq).order_by(KeptState.event_seq.desc())).all()
        if seqs:
            undo(self._control.change(self._tx, ADMIN), seqs[back % len(seqs)])

    def _site(self, group: str, hosts: set[str], volume: str) -> None:
        """A document that fills a group and maps a volume to it."""
        there = known(self._tx, store_of(self._tx).box).site.model_dump(exclude_unset=True)
        document = {
            "host_groups": [{"name": group, "hosts": sorted(hosts)}],
            "mappings": [*there["mappings"], {"volume": volume, "host_group": group, "shared": True}],
        }
        kept = {
            (one["volume"], one.get("host"), one.get("host_group")): one | {"shared": True}
            for one in document["mappings"]
        }
        request = SiteRequest.model_validate({"site": document | {"mappings": list(kept.values())}})
        changes = planner.difference(request, known(self._tx, store_of(self._tx).box)).changes
        stage = site.Rehearsal(self._control.services)
        context = ChangeContext(self._tx, stage.services, ADMIN)
        site.rehearse(context, changes)
        site.play(context, stage, changes)

    def seen(self) -> dict[str, list[tuple[str, str, bool]]]:
        """By host the volume, family and whether by the group, of each mapping it meets."""
        tx = self._tx
        tx.flush()
        found: dict[str, list[tuple[str, str, bool]]] = {}
        for host in tx.scalars(select(Host)):
            groups = select(HostGroupMember.host_group_id).where(HostGroupMember.host_id == host.id)
            query = select(Volume.name, Mapping.family, Mapping.host_group_id).join(Volume)
            met = tx.execute(query.where((Mapping.host_id == host.id) | Mapping.host_group_id.in_(groups)))
            found[f"{host.name} {host.os_type}"] = [(name, family, group is not None) for name, family, group in met]
        return found

    def check(self) -> None:
        several = select(Volume.name).join(Mapping).group_by(Volume.name).having(func.count() > 1)
        shared = set(self._tx.scalars(several))
        for host, met in self.seen().items():
            assert len({volume for volume, _, _ in met}) == len(met), (host, met)
            if host.endswith(("esxi", "windows")):
                assert not [one for one in met if one[1] == "nvme" and (one[2] or one[0] in shared)], (host, met)


def changes() -> st.SearchStrategy[tuple[Any, ...]]:
    volumes, hosts, groups = st.sampled_from(VOLUMES), st.sampled_from(HOSTS), st.sampled_from(GROUPS)
    members, number = st.sets(hosts), st.integers(0, 5)
    return st.one_of(
        st.tuples(st.just("map"), volumes, st.sampled_from(HOSTS + GROUPS), st.sampled_from(Family)),
        st.tuples(st.just("unmap"), number),
        st.tuples(st.just("members"), groups, members),
        st.tuples(st.just("runs"), hosts, st.sampled_from([OsType.LINUX, OsType.ESXI, OsType.WINDOWS])),
        st.tuples(st.just("undo"), number),
        st.tuples(st.just("site"), groups, members, volumes),
    )


FEW, MANY = 12, 1000


def check_no_order_of_changes(appliance: Appliance, asked: list[tuple[Any, ...]]) -> None:
    with appliance.store.read() as tx:
        is_new = tx.scalar(select(func.count()).select_from(Volume)) == 0
    if is_new:
        furnish(appliance)
    with appliance.store.write() as tx:
        accesses = Accesses(tx, appliance)
        for change in asked:
            accesses.try_one(change)
            accesses.check()
        tx.rollback()


@fixed("no_volume_twice", FEW)
@given(asked=st.lists(changes(), min_size=6, max_size=16))
def test_no_order_of_changes_gives_a_host_a_volume_twice(lone: Appliance, asked: list[tuple[Any, ...]]) -> None:
    check_no_order_of_changes(lone, asked)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("no_volume_twice", MANY)
@given(asked=st.lists(changes(), min_size=6, max_size=30))
def test_no_order_of_very_many_changes_gives_a_host_a_volume_twice(
    lone: Appliance, asked: list[tuple[Any, ...]]
) -> None:
    check_no_order_of_changes(lone, asked)


def test_esxi_gets_no_volume_of_4096_byte_blocks_by_any_target(lone: Appliance) -> None:
    lone.agent.show(disks=tuple(seen.disk(number, logical_block_bytes=4096) for number in range(1, 9)))
    furnish(lone)
    control = lone.control
    with lone.store.write() as tx:
        hosts_changes.patch(control.change(tx, ADMIN), "h1", HostPatch(os_type=OsType.ESXI))
    spec = [MappingCreate(volume="v1", host="h1")]
    assert "volume v1 has a block size of 4096 bytes" in refused(
        lone, lambda context: mappings.create(context, spec), Invalid
    )
    lone.map(MappingCreate(volume="v1", host="h2"), MappingCreate(volume="v2", host_group="g1"))
    esxi = HostPatch(os_type=OsType.ESXI)
    assert "only blocks of 512 bytes" in refused(lone, lambda context: hosts_changes.patch(context, "h2", esxi))
    members = HostGroupPatch(hosts=("h1", "h3"))
    assert "volume v2 has" in refused(lone, lambda context: host_groups.patch(context, "g1", members))
    join(lone, "g1", "h3")
    assert "volume v2 has" in refused(lone, lambda context: hosts_changes.patch(context, "h3", esxi))


def test_while_the_block_size_is_unknown_the_plan_warns_and_an_alert_follows(lone: Appliance) -> None:
    lone.agent.show(disks=tuple(seen.disk(number, logical_block_bytes=4096) for number in range(1, 9)))
    furnish(lone)
    lone.agent.away = True
    control = Control(lone.store, lone.agent)
    with lone.store.write() as tx:
        hosts_changes.patch(control.change(tx, ADMIN), "h1", HostPatch(os_type=OsType.ESXI))
        made = mappings.create(control.change(tx, ADMIN), [MappingCreate(volume="v1", host="h1")])
    assert [line for line in made.plan.warnings if "block size of volume v1 is currently unknown" in line]
    lone.agent.away = False
    clock = Clock()
    look(Watcher(lone.store, ObservationCache(lone.agent, monotonic=clock.seconds), clock), clock)
    assert alerts(lone) == {"mapping.blocks": "ESXi on h1 cannot use volume v1: its block size is 4096 bytes"}


def test_the_block_size_of_a_volume_is_read_from_its_device(sqlite_template: Path, tmp_path: Path) -> None:
    """On the fake machine: md and LVM give it on from the drives, as the kernel's stacking of limits does."""
    world = World(database_template(sqlite_template, tmp_path))
    disks = world.machine.add_disks(4)
    for disk in world.machine.blocks.disks[-2:]:
        disk.logical_block_bytes = 4096
    world.converge()
    for name, members in (("small", disks[:2]), ("large", disks[2:])):
        world.finish(world.create_array(name, Level.RAID1, members).job_id or "")
        world.finish(world.create_volumes(name, f"on-{name}").job_id or "")
    with world.store.read() as tx:
        names = dict(tx.execute(select(Volume.id, Volume.name)).all())
    found = {names[one.volume_id]: one.block_bytes for one in world.agent.ask(Observe()).volumes if one.volume_id}
    assert found == {"on-small": 512, "on-large": 4096}
    world.close()
