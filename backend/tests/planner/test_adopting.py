"""The ten configurations of `saveconfigs/` as if they were running here: what is adopted, and why the rest is not.

`saveconfigs/NAME.adopt` is the report on each; LUNETTE_GOLDEN=write rewrites it.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.adopting import Foreign, ForeignBackstore, ForeignGroup, ForeignVolume
from lunette.domain.arrays import ArrayState, ObservedMember, WriteHole
from lunette.domain.exports import AdoptedBackstore
from lunette.domain.identity import COMPANY_ID, IdentitySource, naa_of
from lunette.domain.sizes import GIB
from lunette.domain.steps import GroupAdopt
from lunette.domain.targetcli import Finding, SavedConfig
from lunette.planner.access.portals import KnownPortal
from lunette.planner.adopting import Adoption, plan_adopt
from lunette.planner.adopting.facts import Facts, OwnArray
from lunette.planner.targetcli import inspect
from lunette.planner.targetcli.backstores import slice_of

FOLDER = Path(__file__).parent / "saveconfigs"
SHAPES = sorted(path.stem for path in FOLDER.glob("*.json"))
UUID = "d" * 32
NOTHING = Facts(
    appliance_id="0" * 12,
    arrays={},
    engine_names=frozenset(),
    volumes=frozenset(),
    hosts=frozenset(),
    host_groups=frozenset(),
    portal_names=frozenset(),
    portals=(),
    serials=frozenset(),
    naas=frozenset(),
    uuids=frozenset(),
    nguids=frozenset(),
    initiators={},
    targets=frozenset(),
    disks={},
)
ARRAY = seen.array(UUID, ("nvme-D1", "nvme-D2"), ours=False, name="0", level="raid1", chunk_bytes=None).model_copy(
    update={
        "members": tuple(
            ObservedMember(disk_id=f"nvme-D{n}", device=f"/dev/nvme{n}n1", state="in_sync", slot=n - 1) for n in (1, 2)
        )
    }
)


def saved(name: str) -> SavedConfig:
    return SavedConfig.model_validate_json((FOLDER / f"{name}.json").read_text())


def running(config: SavedConfig, **group: Any) -> Foreign:
    """As if every backstore that names a logical volume served one of a group on an array."""
    blocks = [store for store in config.storage_objects if store.plugin == "block"]
    slices = [store for store in blocks if store.dev and "volume" in (slice_of(store.dev) or "")]
    facts: dict[str, Any] = {
        "name": "vg0",
        "uuid": "vg-uuid",
        "extent_bytes": 4 << 20,
        "arrays": (UUID,),
        "devices": 1,
        "engine_name": "old:0",
        "marked_for": None,
        "volumes": tuple(
            ForeignVolume(name=store.name, size_bytes=GIB, is_open=True, is_plain=True, is_ours=False)
            for store in slices
        ),
    }
    return Foreign(
        saved=config,
        groups=(ForeignGroup(**(facts | group)),),
        backstores=tuple(
            ForeignBackstore(
                reference=store.reference,
                company_id=COMPANY_ID.lstrip("0"),
                group="vg0" if store in slices else None,
                lv_name=store.name if store in slices else None,
                kept=AdoptedBackstore(
                    path=f"core/iblock_{number}/{store.name}",
                    vendor="LIO-ORG",
                    product="IBLOCK",
                    revision="4.0",
                    attributes=(),
                ),
            )
            for number, store in enumerate(blocks)
        ),
    )


def judged(
    config: SavedConfig, facts: Facts = NOTHING, array: Any = ARRAY, *, chosen: Any = (), disks: Any = (), **group: Any
) -> Adoption:
    addresses = {
        portal.ip_address.strip("[]") for target in config.targets for tpg in target.tpgs for portal in tpg.portals
    }
    machine = seen.machine(arrays=(array,), addresses=tuple(sorted(addresses)), **({"disks": disks} if disks else {}))
    return plan_adopt(running(config, **group), machine, facts, IdentitySource(), ())


def by_path(adoption: Adoption) -> dict[str, Finding]:
    return {one.path: one for one in adoption.verdict.findings}


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_said_of_each_shape_while_it_runs(name: str) -> None:
    adoption = judged(saved(name))
    lines = [f"{'adopt' if one.fits else 'stays'} {one.path}\n      {one.words}\n" for one in adoption.verdict.findings]
    lines += [f"plan  {change.noun} {change.name}: {change.detail}\n" for change in adoption.plan.changes]
    golden = FOLDER / f"{name}.adopt"
    if os.environ.get("LUNETTE_GOLDEN") == "write":
        golden.write_text("".join(lines))
    assert "".join(lines) == golden.read_text()


def test_a_parity_log_over_volatile_caches_is_named_where_targets_bring_their_array() -> None:
    logged = ARRAY.model_copy(update={"level": "raid5", "write_hole": WriteHole.PPL})
    for cached in (True, False):
        disks = tuple(seen.disk(n, id=f"nvme-D{n}", write_cache=cached and n == 1) for n in (1, 2))
        adoption = judged(saved("discovery-auth"), array=logged, disks=disks)
        named = [
            words for words in adoption.plan.warnings if "nvme-D1, and the array has a partial parity log" in words
        ]
        assert len(named) == (1 if cached else 0)
        assert adoption.rows.arrays


@pytest.mark.parametrize("name", SHAPES)
def test_each_shape_is_right_or_refused(name: str) -> None:
    """What is taken over is as it was, all of it; what a file cannot bring over is not taken over either."""
    config = saved(name)
    adoption = judged(config)
    findings, rows = by_path(adoption), adoption.rows
    files = {one.path: one for one in inspect(config).findings}
    assert [path for path, one in findings.items() if one.fits and not files[path].fits] == []
    adopted = [target for target in config.targets if target.wwn in adoption.verdict.targets]
    assert {target.iqn for target in rows.targets} == {target.wwn for target in adopted}
    for target in adopted:
        (group,) = target.tpgs
        row = next(one for one in rows.targets if one.iqn == target.wwn)
        luns = [one for one in rows.mappings if (one.host_id, one.host_group_id) == (row.host_id, row.host_group_id)]
        assert sorted(one.lun for one in luns) == sorted(lun.index for lun in group.luns)
        for acl in group.node_acls:
            host = next(one for one in rows.hosts if one.initiator == acl.node_wwn)
            secret = host.chap.secret.get_secret_value() if host.chap else None
            reported = acl.chap_password.get_secret_value() if acl.chap_password else None
            assert secret in (None, reported)
    serials = {store.wwn for store in config.storage_objects}
    for volume in rows.volumes:
        assert volume.identity.serial in serials
        assert volume.identity.naa == naa_of(volume.identity.serial)
    for rows_of in (rows.volumes, rows.hosts, rows.groups, rows.portals, rows.arrays):
        names = [one.name for one in rows_of]
        assert len(set(names)) == len(names)
    assert len(rows.steps) == bool(adopted)


def test_some_shapes_are_taken_over() -> None:
    """Otherwise the tests above would say nothing."""
    assert [name for name in SHAPES if judged(saved(name)).verdict.targets] != []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"devices": 2}, "uses 2 devices"),
        ({"arrays": ()}, "0 of them md arrays"),
        ({"marked_for": "9" * 32}, "carries the mark of another appliance"),
        ({"engine_name": "0"}, "no name with a home host"),
    ],
)
def test_what_lies_beneath_is_judged(change: dict[str, Any], words: str) -> None:
    adoption = judged(saved("chap-and-mutual-chap"), **change)
    assert adoption.verdict.targets == ()
    assert any(words in one.words for one in adoption.verdict.findings)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (ARRAY.model_copy(update={"level": "linear"}), "has the level linear"),
        (ARRAY.model_copy(update={"state": ArrayState.FAILED}), "is failed:"),
        (
            ARRAY.model_copy(update={"members": (ObservedMember(disk_id=None, device="/dev/sdb1", state="in_sync"),)}),
            "is not a whole disk",
        ),
        (
            ARRAY.model_copy(update={"members": (ObservedMember(disk_id=None, device=None, state="missing"),)}),
            "has lost a disk",
        ),
    ],
)
def test_an_array_that_lunette_could_not_keep_is_refused(array: Any, words: str) -> None:
    adoption = judged(saved("chap-and-mutual-chap"), array=array)
    assert adoption.verdict.targets == ()
    assert any(words in one.words for one in adoption.verdict.findings)


def test_what_the_database_has_already_is_not_taken_twice() -> None:
    config = saved("chap-and-mutual-chap")
    whole = judged(config)
    rows = whole.rows
    taken: dict[str, Any] = {
        "targets": frozenset(one.iqn for one in rows.targets),
        "initiators": {one.initiator: "there" for one in rows.hosts},
        "serials": frozenset(one.identity.serial for one in rows.volumes),
        "disks": {"nvme-D1": "tank"},
        "engine_names": frozenset({"old:0"}),
        "portals": tuple(KnownPortal("p", "p", "nvme-tcp", one.address, one.port) for one in rows.portals),
    }
    for name, value in taken.items():
        found = judged(config, replace(NOTHING, **{name: value}))
        assert found.verdict.targets == (), name
        assert found.plan.changes == (), name


def test_names_that_are_taken_get_a_number() -> None:
    config = saved("chap-and-mutual-chap")
    rows = judged(config).rows
    again = judged(config, replace(NOTHING, volumes=frozenset(one.name for one in rows.volumes))).rows
    assert [one.name for one in again.volumes] == [f"{one.name}-2" for one in rows.volumes]


def test_volumes_on_an_array_of_ours_are_adopted_without_it() -> None:
    own = OwnArray("a" * 36, "tank", "ready", "vg0")
    rows = judged(saved("chap-and-mutual-chap"), replace(NOTHING, arrays={UUID: own})).rows
    assert rows.arrays == []
    assert {one.array_id for one in rows.volumes} == {own.id}
    assert [step.is_new for step in rows.steps if isinstance(step, GroupAdopt)] == [False]
