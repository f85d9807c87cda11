"""Strategies for sites that can be made on eight blank disks, such as those of `seen.machine()`.

Two sites drawn from here agree where a field cannot change in place (an array's disks, a volume's size): what a name
stands for is fixed, which names a site holds and everything that may change is drawn. Names, disks, initiators and
numbers are few, so that two sites get into each other's way.
"""

import re
from itertools import combinations
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from backend.tests.agent.exports import dhchap_key
from lunette.domain.arrays import ArrayCreate, ArrayEngine
from lunette.domain.base import Model
from lunette.domain.mappings import PortalCreate
from lunette.domain.site import Site, SiteNoun, key_of
from lunette.domain.sizes import GIB
from lunette.planner.access.portals import SERVED_BY
from lunette.planner.access.sharing import RESERVING

DISKS = tuple(f"nvme-D{number}" for number in range(1, 9))
DISK_BYTES = (10 * GIB, 12 * GIB, 25 * GIB)


def _disks(*numbers: int) -> list[str]:
    return [DISKS[number - 1] for number in numbers]


ARRAYS: dict[str, dict[str, Any]] = {
    "tank": {
        "engine": "md",
        "level": "raid5",
        "disks": _disks(1, 2, 3, 4),
        "chunk_bytes": 65536,
        "write_hole": "ppl",
    },
    "fast": {"engine": "md", "level": "raid1", "disks": _disks(6, 5), "chunk_bytes": None, "write_hole": "bitmap"},
    "wide": {"engine": "md", "level": "raid0", "disks": _disks(4, 5, 7), "chunk_bytes": 65536, "write_hole": "none"},
    "pool": {"engine": "zfs", "level": "mirror", "disks": _disks(7, 8), "write_hole": "copy_on_write"},
    "vault": {
        "engine": "zfs",
        "level": "raidz1",
        "disks": _disks(1, 2, 8),
        "log": _disks(3),
        "write_hole": "copy_on_write",
    },
}


def _apart(names: tuple[str, ...]) -> bool:
    disks = [disk for name in names for role in ("disks", "log") for disk in ARRAYS[name].get(role, ())]
    return len(disks) == len(set(disks))


TOGETHER = [names for count in range(len(ARRAYS)) for names in combinations(sorted(ARRAYS), count) if _apart(names)]
"""The arrays of which no two want the same disk."""
SCRUBBED = set(ARRAYS) - {"wide"}
"""A raid0 has nothing to compare."""
VOLUMES: dict[str, dict[str, Any]] = {
    f"{array}{n}": {"array": array, "size_bytes": "64MiB", "provisioning": provisioning}
    for array in ARRAYS
    for n, provisioning in ((1, "thick"), (2, "thick"), (3, "thin"))
}
SNAPPED = {
    name
    for name, volume in VOLUMES.items()
    if volume["provisioning"] == "thin" or ARRAYS[volume["array"]]["engine"] == "zfs"
}
"""A thick volume of LVM has no snapshots."""
SCHEDULES = {"nightly": "scrub", "weekly": "scrub", "hourly": "snapshot", "daily": "snapshot"}
HOSTS = ("h1", "h2", "h3")
GROUPS = ("g1", "h1")
"""A group may be called like a host."""
IQNS = tuple(f"iqn.2026-01.com.example:i{n}" for n in range(5))
NQNS = tuple(f"nqn.2026-01.com.example:n{n}" for n in range(2))
PROTOCOLS = ("iscsi", "nvme-tcp")
ADDRESSES = ("10.0.2.15", "127.0.0.1")
PORTS = (3260, 3261)
FC_PORTS = ("50:00:00:00:00:00:00:01", "50:00:00:00:00:00:00:02")
"""Of two QLogic ports of the machine."""
KEYS = tuple(map(dhchap_key, (1, 2, 3)))
SECRETS = ("secret-of-one-1", "secret-of-two-2", "secret-of-thr-3")
WORDS = st.sampled_from(["", "old", "new"])


@st.composite
def sites(draw: DrawFn, like: Site | None = None) -> Site:
    """A site that says everything about what it holds. With `like`, it shares an array with that one if it has any."""
    held = {array.name for array in (like.arrays if like else None) or ()}
    arrays = draw(st.sampled_from([names for names in TOGETHER if held & set(names)] or TOGETHER))
    volumes = sorted(some(draw, [name for name, volume in VOLUMES.items() if volume["array"] in arrays]))
    hosts = _hosts(draw, sorted(draw(st.sets(st.sampled_from(HOSTS)))))
    groups = _groups(draw, sorted(draw(st.sets(st.sampled_from(GROUPS)))), [host["name"] for host in hosts])
    return Site.model_validate(
        {
            "arrays": [{"name": name, **ARRAYS[name]} for name in arrays],
            "volumes": [{"name": name, **VOLUMES[name], "description": draw(WORDS)} for name in volumes],
            "hosts": hosts,
            "host_groups": groups,
            "portals": _portals(draw),
            "fc_ports": [
                {"wwpn": wwpn, "mode": draw(st.sampled_from(["target", "initiator", "disabled"]))}
                for wwpn in sorted(draw(st.sets(st.sampled_from(FC_PORTS))))
            ],
            "mappings": _mappings(draw, volumes, hosts, groups),
            "schedules": _schedules(
                draw,
                {
                    "arrays": [name for name in arrays if name in SCRUBBED],
                    "volumes": [name for name in volumes if name in SNAPPED],
                },
            ),
            "settings": {"history_days": draw(st.sampled_from([30, 90])), "name": draw(st.sampled_from(["a", "b"]))},
        }
    )


def some(draw: DrawFn, names: list[str], least: int = 0, most: int | None = None) -> set[str]:
    return draw(st.sets(st.sampled_from(names), min_size=least, max_size=most)) if names else set()


def _schedules(draw: DrawFn, subjects: dict[str, list[str]]) -> list[dict[str, Any]]:
    """`subjects` are the arrays that can be scrubbed and the volumes of which snapshots can be taken."""
    about = {"scrub": "arrays", "snapshot": "volumes"}
    names = some(draw, [name for name, action in SCHEDULES.items() if subjects[about[action]]])
    return [_schedule(draw, name, about[SCHEDULES[name]], subjects) for name in sorted(names)]


def _schedule(draw: DrawFn, name: str, field: str, subjects: dict[str, list[str]]) -> dict[str, Any]:
    keep = st.fixed_dictionaries({"last": st.integers(1, 3)}, optional={"daily": st.just(7)})
    return {
        "name": name,
        "action": SCHEDULES[name],
        "arrays": [],
        "volumes": [],
        field: sorted(some(draw, subjects[field], least=1)),
        "keep": draw(keep) if field == "volumes" else None,
        "when": draw(st.sampled_from(["0 2 * * *", "30 4 * * 0"])),
        "missed": draw(st.sampled_from(["skip", "run_once"])),
        "snapshot_name": draw(st.sampled_from(["{volume}.{date}-{time}", "{volume}-{date}"])),
        "enabled": draw(st.booleans()),
        "description": draw(WORDS),
    }


def _dealt(draw: DrawFn, items: list[str], names: list[str]) -> dict[str, list[str]]:
    """Each item to one of the names, or to none."""
    dealt: dict[str, list[str]] = {name: [] for name in names}
    for item in items:
        if (name := draw(st.sampled_from([None, *names]))) is not None:
            dealt[name].append(item)
    return dealt


def _hosts(draw: DrawFn, names: list[str]) -> list[dict[str, Any]]:
    iqns, nqns = _dealt(draw, list(IQNS), names), _dealt(draw, list(NQNS), names)
    return [
        {
            "name": name,
            "os_type": draw(st.sampled_from(["linux", "esxi"])),
            "iqns": iqns[name],
            "wwpns": [],
            "nqns": nqns[name],
            "description": draw(WORDS),
            "chap": draw(st.none() | _chaps()),
            "dhchap": draw(st.none() | _dhchaps()),
        }
        for name in names
    ]


def _chaps() -> st.SearchStrategy[dict[str, str | None]]:
    pairs = st.permutations(SECRETS)
    return st.builds(
        lambda secrets, mutual: {
            "user": "u",
            "secret": secrets[0],
            "mutual_user": "m" if mutual else None,
            "mutual_secret": secrets[1] if mutual else None,
        },
        pairs,
        st.booleans(),
    )


def _dhchaps() -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda keys, mutual, group: {
            "secret": keys[0],
            "is_mutual": mutual,
            "mutual_secret": keys[1] if mutual else None,
            "hash": "sha256",
            "dh_group": group,
        },
        st.permutations(KEYS),
        st.booleans(),
        st.sampled_from(["null", "ffdhe2048"]),
    )


def _groups(draw: DrawFn, names: list[str], hosts: list[str]) -> list[dict[str, Any]]:
    members = _dealt(draw, hosts, names)
    return [{"name": name, "hosts": members[name], "description": draw(WORDS)} for name in names]


def _portals(draw: DrawFn) -> list[dict[str, Any]]:
    places = draw(st.lists(st.tuples(st.sampled_from(ADDRESSES), st.sampled_from(PORTS)), unique=True, max_size=3))
    names = draw(st.permutations(["front", "back", "side"]))
    return [
        {"name": name, "protocol": draw(st.sampled_from(PROTOCOLS)), "address": address, "port": port}
        for name, (address, port) in zip(names, places, strict=False)
    ]


def _mappings(
    draw: DrawFn, volumes: list[str], hosts: list[dict[str, Any]], groups: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """No host has a volume both directly and by group, and no cluster that locks volumes, group or not, has one over
    NVMe: both are refused. A volume is served over SCSI or over NVMe.
    """
    owners = [*({"host": host["name"]} for host in hosts), *({"host_group": group["name"]} for group in groups)]
    if not volumes or not owners:
        return []
    group_of = {host: group["name"] for group in groups for host in group["hosts"]}
    locking = {group_of.get(host["name"]) for host in hosts if host["os_type"] in RESERVING}
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(volumes), st.sampled_from(range(len(owners)))), unique=True, max_size=6)
    )
    by_group = {(volume, owners[index]["host_group"]) for volume, index in pairs if "host_group" in owners[index]}
    pairs = [
        (volume, index)
        for volume, index in pairs
        if (volume, group_of.get(owners[index].get("host", ""))) not in by_group
    ]
    alone = {host["name"] for host in hosts if host["os_type"] in RESERVING}
    of_several = {volume for volume, _ in pairs if sum(volume == other for other, _ in pairs) > 1}
    locked = {volume for volume, group in by_group if group in locking}
    locked |= {volume for volume, index in pairs if volume in of_several and owners[index].get("host") in alone}
    over_nvme = {volume for volume in sorted({volume for volume, _ in pairs} - locked) if draw(st.booleans())}
    numbers = {index: draw(st.permutations(range(1, 8))) for index in range(len(owners))}
    found: list[dict[str, Any]] = []
    for volume, index in pairs:
        shared = sum(volume == other for other, _ in pairs) > 1
        family = "nvme" if volume in over_nvme else "scsi"
        number = numbers[index].pop()
        found.append({"volume": volume, **owners[index], "lun": number, "family": family, "shared": shared})
    return found


@st.composite
def open_sites(draw: DrawFn) -> Site:
    """A site that leaves fields open: those that may be left out are, at random."""
    full = draw(sites()).model_dump(mode="json", exclude_unset=True)
    needed = {
        "name",
        "level",
        "disks",
        "array",
        "size_bytes",
        "address",
        "volume",
        "host",
        "host_group",
        "shared",
        "wwpn",
        "action",
        "when",
        "arrays",
        "volumes",
        "keep",
    }
    for section in full.values():
        for entry in section if isinstance(section, list) else ():
            entry.pop("chap", None)  # their secrets do not survive JSON
            entry.pop("dhchap", None)
            pool = {"engine"} if entry.get("engine") == "zfs" else set()  # without it, it would be an array of md
            for name in [name for name in entry if name not in needed | pool]:
                if draw(st.booleans()):
                    del entry[name]
    for portal in full["portals"]:
        portal.setdefault("port", PORTS[ADDRESSES.index(portal["address"])])
    unique = {(portal["address"], portal["port"]): portal for portal in full["portals"]}
    return Site.model_validate({**full, "portals": list(unique.values())})


Facts = dict[str, dict[str, object]]


def facts(site: Site) -> Facts:
    """What a site says, by key, in a form in which the order of lists means nothing. Settings, which are always there,
    are left out. The spares of an array of md count as its disks: they become members by themselves.

    A portal without an engine has the first that serves its protocol.
    """
    made = [noun for noun in SiteNoun if noun is not SiteNoun.SETTING]
    return {key_of(noun, entry): _facts(entry) for noun in made for entry in site.entries(noun)}


def _facts(entry: Model) -> dict[str, object]:
    chosen = {"engine": entry.engine or SERVED_BY[entry.protocol][0]} if isinstance(entry, PortalCreate) else {}
    values = {name: value for name, value in entry if name != "renamed_from"}
    if isinstance(entry, ArrayCreate) and entry.engine is ArrayEngine.MD:
        values |= {"disks": (*entry.disks, *entry.spares), "spares": ()}
    return {
        name: frozenset(map(_own, value)) if isinstance(value, tuple) else value for name, value in values.items()
    } | chosen


def _own(value: object) -> object:
    """A disk by the name that it has in DISKS, which is one of its links."""
    return re.sub(r"^nvme-Disk_(D\d+)_1$", r"nvme-\1", value) if isinstance(value, str) else value
