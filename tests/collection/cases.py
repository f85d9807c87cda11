"""What each module is asked for when it is run for real. A noun or verb without a case fails the completeness test."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.collection.rig import FakeRig, Options, Rig

MIB = 1024**2
WWPN = "21:00:00:24:ff:00:00:01"
NVME_FC = "nn-0x20000000c9000001:pn-0x10000000c9000001"


def _nothing(_rig: Rig) -> Options:
    return {}


@dataclass(frozen=True)
class Case:
    """Options that make it; `also` come from the appliance; `change` can be changed, `fixed` cannot."""

    make: Options
    also: Callable[[Rig], Options] = _nothing
    """Makes what the resource needs, and answers the options that are known only then."""
    change: Options = field(default_factory=dict)
    fixed: Options = field(default_factory=dict)
    holds_data: bool = False


@dataclass(frozen=True)
class VerbCase:
    """`ready` makes what the verb acts on and answers its options; `proof` is true once it was done."""

    ready: Callable[[Rig], Options]
    proof: Callable[[Rig, Options], bool]
    acts_each_time: bool = False
    destroys: bool = False


def _scsi_disks(rig: Rig) -> Options:
    found = rig.free_disks(4, "scsi")
    return {"disks": found[:3], "spares": found[3:]}


def _pool(rig: Rig) -> Options:
    """An array to cut volumes from, which stays."""
    if not rig.api.items("/arrays", name="pool"):
        rig.api.made("/arrays", {"name": "pool", "level": "raid5", "disks": rig.free_disks(4)})
    return {}


def _hba(rig: Rig) -> Options:
    assert isinstance(rig, FakeRig), "only a fake machine can be given an HBA"
    rig.add_hba(WWPN)
    return {}


def _nvme_fc(rig: Rig) -> Options:
    assert isinstance(rig, FakeRig), "only a fake machine can be given an HBA"
    rig.add_nvme_fc(NVME_FC)
    return {}


def _hosts(rig: Rig) -> Options:
    for name in ("member1", "member2"):
        if not rig.api.items("/hosts", name=name):
            nqns = [f"nqn.2014-08.com.example:{name}"]
            rig.api.made("/hosts", {"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"], "nqns": nqns})
    return {}


def _volume_and_host(rig: Rig) -> Options:
    _pool(rig)
    _hosts(rig)
    if not rig.api.items("/volumes", name="mapped"):
        rig.api.made("/volumes", {"name": "mapped", "array": "pool", "size_bytes": "8MiB"})
    return {}


def _thin(rig: Rig) -> Options:
    _pool(rig)
    if not rig.api.items("/volumes", name="thin"):
        spec = {"name": "thin", "array": "pool", "size_bytes": "8MiB", "provisioning": "thin"}
        rig.api.made("/volumes", spec)
    return {}


def _snapshot(rig: Rig) -> None:
    _thin(rig)
    if not rig.api.items("/snapshots", name="before"):
        rig.api.made("/snapshots", {"name": "before", "volume": "thin"})


CASES = {
    "array": Case(
        {"name": "made", "level": "raid5", "chunk_bytes": "64KiB", "sync_speed_min_bytes_s": "1MiB"},
        _scsi_disks,
        change={"sync_speed_min_bytes_s": "2MiB", "sync_speed_max_bytes_s": "20MB"},
        fixed={"level": "raid0"},
        holds_data=True,
    ),
    "volume": Case(
        {"name": "made", "array": "pool", "size_bytes": "8MiB", "description": "by a play"},
        _pool,
        change={"description": "changed by a play", "size_bytes": "16MiB"},
        fixed={"size_bytes": "12MiB"},
        holds_data=True,
    ),
    "snapshot": Case(
        {"name": "made", "volume": "thin", "description": "by a play"},
        _thin,
        fixed={"description": "changed by a play"},
        holds_data=True,
    ),
    "host": Case(
        {
            "name": "made",
            "os_type": "esxi",
            "iqns": ["iqn.1998-01.com.vmware:made"],
            "nqns": ["nqn.2014-08.com.example:made"],
            "chap": {"user": "made", "secret": "made-secret-1234"},
            "dhchap": {"secret": "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:", "hash": "sha384"},
            "opens_without_missing_after_s": 300,
        },
        change={
            "iqns": ["iqn.1998-01.com.vmware:made", "iqn.1998-01.com.vmware:second"],
            "opens_without_missing_after_s": 600,
        },
    ),
    "host_group": Case(
        {"name": "made", "hosts": ["member1"]},
        _hosts,
        change={"hosts": ["member2", "member1"], "opens_without_missing_after_s": 60},
    ),
    "portal": Case(
        {"name": "made", "address": "2001:DB8::1", "port": 3261}, change={"port": 3262}, fixed={"protocol": "iser"}
    ),
    "fc_port": Case({"wwpn": WWPN, "mode": "target"}, _hba, change={"mode": "initiator"}),
    "mapping": Case({"volume": "mapped", "host": "member1", "lun": 7}, _volume_and_host, fixed={"lun": 8}),
    "user": Case({"username": "made", "password": "first-password-1"}, change={"role": "operator"}),
    "schedule": Case(
        {"name": "made", "action": "snapshot", "volumes": ["thin"], "when": "0 3 * * *", "keep": {"last": 2}},
        _thin,
        change={"when": "30 4 * * MON", "enabled": False},
        fixed={"action": "scrub"},
    ),
    "setting": Case(
        {
            "time_zone": "Europe/Berlin",
            "webhook": {"url": "https://127.0.0.1:9/lunette", "secret": "a-secret-of-sixteen"},
            "discovery_auth": {"user": "hosts", "secret": "secret-of-hosts1"},
            "backup": {"url": "https://127.0.0.1:9/backups", "passphrase": "a-passphrase-of-backups"},
        },
        change={"session_hours": 8},
    ),
    "token": Case({"name": "made", "role": "viewer", "expires_days": 3}, fixed={"role": "operator"}),
}
"""By noun: made, repeated, changed, refused and taken away again."""

MORE = {
    "portal over NVMe": ("portal", Case({"name": "fast", "protocol": "nvme-tcp", "address": "192.0.2.1"})),
    "portal over NVMe/FC": ("portal", Case({"name": "fabric-a", "protocol": "nvme-fc", "address": NVME_FC}, _nvme_fc)),
    "mapping over NVMe": (
        "mapping",
        Case({"volume": "mapped", "host": "member2", "family": "nvme"}, _volume_and_host, fixed={"family": "scsi"}),
    ),
    "thin volume": (
        "volume",
        Case(
            {"name": "slim", "array": "pool", "size_bytes": "64MiB", "provisioning": "thin"},
            _pool,
            fixed={"provisioning": "thick"},
            holds_data=True,
        ),
    ),
}
"""Further shapes of a noun: (noun, case)."""


def _care(level: str = "raid6", spares: int = 0) -> Callable[[Rig], Options]:
    """An array `care` of four disks, rebuilt; `new` is a disk outside it."""

    def ready(rig: Rig) -> Options:
        disks = rig.free_disks(5 + spares)
        body = {"name": "care", "level": level, "disks": disks[:4], "spares": disks[4 : 4 + spares]}
        rig.api.made("/arrays", body)
        rig.rebuilt("care")
        # What is copied or scrubbed next is still seen at it.
        assert rig.api.patch("/arrays/care", {"sync_speed_max_bytes_s": "1MiB"}).is_success
        return {"array": "care", "disk": disks[3 + spares], "new": disks[-1]}

    return ready


def _failed(rig: Rig) -> Options:
    options = _one_disk(rig)
    rig.api.made("/arrays/care:fail", {"disk": options["disk"]})
    rig.api.until(lambda: rig.states("care")[options["disk"]] == "faulty")
    return options


def _one_disk(rig: Rig) -> Options:
    options = _care()(rig)
    return {"array": "care", "disk": options["disk"]}


def _dirty(rig: Rig) -> Options:
    """The power went while it was written to, and it lost a disk."""
    rig.cut_while_written("care", _care()(rig)["disk"])
    rig.api.until(lambda: rig.api.get("/arrays/care")["health"] == "missing")
    return {"array": "care", "confirm": "care"}


def _runs_degraded(rig: Rig, _options: Options) -> bool:
    """Its volume group follows as soon as the agent looks."""
    rig.looks()
    return bool(rig.api.get("/arrays/care")["health"] == "degraded")


def _spare(rig: Rig) -> Options:
    options = _care(spares=1)(rig)
    return {"array": "care", "disk": options["disk"]}


def _another_disk(rig: Rig) -> Options:
    return {"array": "care", "disks": [_care()(rig)["new"]]}


def _to_raid6(rig: Rig) -> Options:
    return {"array": "care", "level": "raid6", "disks": [_care("raid5")(rig)["new"]]}


def _pool_and_a_disk(rig: Rig) -> Options:
    """A pool `care`, and a disk that it can have as a cache."""
    disks = rig.free_disks(3)
    rig.api.made("/arrays", {"name": "care", "engine": "zfs", "level": "mirror", "disks": disks[:2]})
    return {"array": "care", "role": "cache", "disks": disks[2:]}


def _has_role(rig: Rig, options: Options) -> bool:
    roles = {member["disk_id"]: member["role"] for member in rig.api.get("/arrays/care")["members"]}
    return all(roles.get(disk) == options["role"] for disk in options["disks"])


def _scrub(rig: Rig) -> Options:
    _care()(rig)
    return {"array": "care"}


def _is_scrubbing(rig: Rig, _options: Options) -> bool:
    progress: dict[str, Any] = rig.api.get("/arrays/care")["observed"]["progress"] or {}
    return progress.get("action") == "check"


def _roll_back(rig: Rig) -> Options:
    _snapshot(rig)
    return {"volume": "thin", "snapshot": "before", "keep": False}


def _clone(rig: Rig) -> Options:
    _snapshot(rig)
    return {"snapshot": "before", "name_pattern": "clone%02d", "count": 2}


def _has_clones(rig: Rig, _options: Options) -> bool:
    return {"clone01", "clone02"} <= {volume["name"] for volume in rig.api.items("/volumes")}


def _scheduled(rig: Rig) -> Options:
    _thin(rig)
    if not rig.api.items("/schedules", name="by-verb"):
        spec = {"name": "by-verb", "action": "snapshot", "volumes": ["thin"], "when": "0 3 1 1 *", "keep": {"last": 1}}
        rig.api.made("/schedules", spec)
    return {"schedule": "by-verb"}


def _has_run(rig: Rig, _options: Options) -> bool:
    return (rig.api.get("/schedules/by-verb")["last_run"] or {}).get("state") == "succeeded"


def _site(rig: Rig) -> Options:
    _pool(rig)
    volume = {"name": "sited", "array": "pool", "size_bytes": "8MiB"}
    host = {"name": "sited", "iqns": ["iqn.2026-01.com.example:sited"], "chap": {"user": "sited", "secret": "x" * 12}}
    return {"site": {"volumes": [volume], "hosts": [host], "mappings": [{"volume": "sited", "host": "sited"}]}}


VERB_CASES = {
    "array_add_spares": VerbCase(_another_disk, lambda rig, o: rig.states("care").get(o["disks"][0]) == "spare"),
    "array_add_disks": VerbCase(_pool_and_a_disk, _has_role),
    "array_grow": VerbCase(_another_disk, lambda rig, o: rig.states("care").get(o["disks"][0]) == "in_sync"),
    "array_reshape": VerbCase(_to_raid6, lambda rig, _o: rig.api.get("/arrays/care")["observed"]["level"] == "raid6"),
    "array_replace": VerbCase(_care(), lambda rig, o: rig.states("care").get(o["new"]) == "replacing"),
    "array_fail": VerbCase(_one_disk, lambda rig, o: rig.states("care")[o["disk"]] == "faulty"),
    "array_force_start": VerbCase(_dirty, _runs_degraded),
    "array_remove": VerbCase(_spare, lambda rig, o: o["disk"] not in rig.states("care")),
    "array_readd": VerbCase(_failed, lambda rig, o: rig.states("care")[o["disk"]] in ("rebuilding", "in_sync")),
    "array_scrub": VerbCase(_scrub, _is_scrubbing),
    "snapshot_clone": VerbCase(_clone, _has_clones),
    "schedule_run": VerbCase(_scheduled, _has_run, acts_each_time=True),
    "volume_roll_back": VerbCase(
        _roll_back,
        lambda rig, _o: rig.api.items("/jobs")[0]["kind"] == "volume.roll_back",
        acts_each_time=True,
        destroys=True,
    ),
    "site": VerbCase(_site, lambda rig, _o: len(rig.api.items("/mappings", volume="sited")) == 1),
}
"""By module: what a check leaves alone, what it does, and that the second run changes nothing."""


def take_away(rig: Rig) -> None:
    """What the cases of verbs made, but for what they share."""
    for path, names in (
        ("/mappings", ("sited",)),
        ("/volumes", ("sited", "clone01", "clone02")),
        ("/arrays", ("care",)),
    ):
        for one in rig.api.items(path):
            if one.get("name", one.get("volume")) in names:
                answer = rig.api.delete(f"{path}/{one['id']}")
                assert answer.is_success, answer.text
                if answer.status_code == 202:
                    rig.api.done(answer.json())
    if rig.api.items("/hosts", name="sited"):
        rig.api.delete("/hosts/sited")
