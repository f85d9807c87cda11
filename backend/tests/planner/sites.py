"""Strategies for sites that can be made on the machine of `seen.machine()`: eight blank disks of 10 GiB.

Two sites drawn from here agree where a field cannot change in place (an array's disks, a volume's size): what a name
stands for is fixed, which names a site holds and everything that may change is drawn. Names, disks, initiators and
numbers are few, so that two sites get into each other's way.
"""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from backend.tests.agent.exports import dhchap_key
from lunette.domain.base import Model
from lunette.domain.mappings import PortalCreate
from lunette.domain.site import Site, SiteNoun, key_of
from lunette.planner.portals import SERVED_BY

ARRAYS: dict[str, dict[str, Any]] = {
    "tank": {
        "level": "raid5",
        "disks": [f"nvme-D{n}" for n in (1, 2, 3, 4)],
        "chunk_bytes": 65536,
        "write_hole": "ppl",
    },
    "fast": {"level": "raid1", "disks": ["nvme-D6", "nvme-D5"], "chunk_bytes": None, "write_hole": "bitmap"},
    "wide": {"level": "raid0", "disks": [f"nvme-D{n}" for n in (4, 5, 7)], "chunk_bytes": 65536, "write_hole": "none"},
}
CLASH = ({"tank", "wide"}, {"fast", "wide"})
SCRUBBED = {"tank", "fast"}
"""A raid0 has nothing to compare."""
VOLUMES = {f"{array}{n}": array for array in ARRAYS for n in (1, 2, 3)}
HOSTS = ("h1", "h2", "h3")
GROUPS = ("g1", "h1")
"""A group may be called like a host."""
IQNS = tuple(f"iqn.2026-01.com.example:i{n}" for n in range(5))
NQNS = tuple(f"nqn.2026-01.com.example:n{n}" for n in range(2))
ADDRESSES = ("10.0.2.15", "127.0.0.1")
FC_PORTS = ("50:00:00:00:00:00:00:01", "50:00:00:00:00:00:00:02")
"""Of two QLogic ports of the machine."""
KEYS = tuple(map(dhchap_key, (1, 2, 3)))
SECRETS = ("secret-of-one-1", "secret-of-two-2", "secret-of-thr-3")
WORDS = st.sampled_from(["", "old", "new"])


@st.composite
def sites(draw: DrawFn) -> Site:
    """A site that says everything about what it holds."""
    arrays = draw(st.sets(st.sampled_from(sorted(ARRAYS))).filter(lambda chosen: not any(c <= chosen for c in CLASH)))
    volumes = draw(st.sets(st.sampled_from([name for name, array in VOLUMES.items() if array in arrays]))) \
        if arrays else set()  # fmt: skip
    hosts = draw(st.sets(st.sampled_from(HOSTS)))
    groups = _groups(draw, sorted(draw(st.sets(st.sampled_from(GROUPS)))), sorted(hosts))
    return Site.model_validate({
        "arrays": [{"name": name, "engine": "md", **ARRAYS[name]} for name in sorted(arrays)],
        "volumes": [
            {"name": name, "array": VOLUMES[name], "size_bytes": "64MiB",
             "provisioning": "thin" if name.endswith("3") else "thick", "description": draw(WORDS)}
            for name in sorted(volumes)
        ],
        "hosts": _hosts(draw, sorted(hosts)),
        "host_groups": groups,
        "portals": _portals(draw),
        "fc_ports": [
            {"wwpn": wwpn, "mode": draw(st.sampled_from(["target", "initiator", "disabled"]))}
            for wwpn in sorted(draw(st.sets(st.sampled_from(FC_PORTS))))
        ],
        "mappings": _mappings(draw, sorted(volumes), [
            *({"host": name} for name in sorted(hosts)), *({"host_group": group["name"]} for group in groups),
        ], {host: group["name"] for group in groups for host in group["hosts"]}),
        "schedules": _schedules(draw, sorted(arrays & SCRUBBED)),
        "settings": {"history_days": draw(st.sampled_from([30, 90])), "name": draw(st.sampled_from(["a", "b"]))},
    })  # fmt: skip


def _schedules(draw: DrawFn, arrays: list[str]) -> list[dict[str, Any]]:
    names = sorted(draw(st.sets(st.sampled_from(["nightly", "weekly"])))) if arrays else []
    return [
        {"name": name, "action": "scrub", "arrays": sorted(draw(st.sets(st.sampled_from(arrays), min_size=1))),
         "volumes": [], "keep": None, "when": draw(st.sampled_from(["0 2 * * *", "30 4 * * 0"])), "missed": "skip",
         "snapshot_name": "{volume}.{date}-{time}", "enabled": draw(st.booleans()), "description": draw(WORDS)}
        for name in names
    ]  # fmt: skip


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
        {"name": name, "os_type": draw(st.sampled_from(["linux", "esxi"])), "iqns": iqns[name], "wwpns": [],
         "nqns": nqns[name], "description": draw(WORDS), "chap": draw(st.none() | _chaps()),
         "dhchap": draw(st.none() | _dhchaps())}
        for name in names
    ]  # fmt: skip


def _chaps() -> st.SearchStrategy[dict[str, str | None]]:
    pairs = st.permutations(SECRETS)
    return st.builds(
        lambda secrets, mutual: {
            "user": "u", "secret": secrets[0], "mutual_user": "m" if mutual else None,
            "mutual_secret": secrets[1] if mutual else None,
        }, pairs, st.booleans(),
    )  # fmt: skip


def _dhchaps() -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda keys, mutual, group: {
            "secret": keys[0], "is_mutual": mutual, "mutual_secret": keys[1] if mutual else None,
            "hash": "sha256", "dh_group": group,
        }, st.permutations(KEYS), st.booleans(), st.sampled_from(["null", "ffdhe2048"]),
    )  # fmt: skip


def _groups(draw: DrawFn, names: list[str], hosts: list[str]) -> list[dict[str, Any]]:
    members = _dealt(draw, hosts, names)
    return [{"name": name, "hosts": members[name], "description": draw(WORDS)} for name in names]


def _portals(draw: DrawFn) -> list[dict[str, Any]]:
    places = draw(st.lists(st.tuples(st.sampled_from(ADDRESSES), st.sampled_from([3260, 3261])), unique=True,
                           max_size=2))  # fmt: skip
    names = draw(st.permutations(["front", "back"]))
    return [
        {"name": name, "protocol": "iscsi", "address": address, "port": port}
        for name, (address, port) in zip(names, places, strict=False)
    ]


def _mappings(
    draw: DrawFn, volumes: list[str], owners: list[dict[str, str]], group_of: dict[str, str]
) -> list[dict[str, Any]]:
    """No host has a volume by itself and by its group: that is refused."""
    if not volumes or not owners:
        return []
    pairs = draw(st.lists(st.tuples(st.sampled_from(volumes), st.sampled_from(range(len(owners)))), unique=True,
                          max_size=6))  # fmt: skip
    by_group = {(volume, owners[index]["host_group"]) for volume, index in pairs if "host_group" in owners[index]}
    pairs = [
        (volume, index)
        for volume, index in pairs
        if (volume, group_of.get(owners[index].get("host", ""))) not in by_group
    ]
    numbers = {index: draw(st.permutations(range(1, 8))) for index in range(len(owners))}
    found: list[dict[str, Any]] = []
    for volume, index in pairs:
        shared = sum(volume == other for other, _ in pairs) > 1
        number = numbers[index].pop()
        found.append({"volume": volume, **owners[index], "lun": number, "family": "scsi", "shared": shared})
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
    }
    for section in full.values():
        for entry in section if isinstance(section, list) else ():
            entry.pop("chap", None)  # their secrets do not survive JSON
            entry.pop("dhchap", None)
            for name in [name for name in entry if name not in needed]:
                if draw(st.booleans()):
                    del entry[name]
    for portal in full["portals"]:
        portal.setdefault("port", 3260 if portal["address"] == ADDRESSES[0] else 3261)
    unique = {(portal["address"], portal["port"]): portal for portal in full["portals"]}
    return Site.model_validate({**full, "portals": list(unique.values())})


Facts = dict[str, dict[str, object]]


def facts(site: Site) -> Facts:
    """What a site says, by key, in a form in which the order of lists means nothing. Settings, which are always there,
    are left out.

    A portal without an engine has the first that serves its protocol.
    """
    made = [noun for noun in SiteNoun if noun is not SiteNoun.SETTING]
    return {key_of(noun, entry): _facts(entry) for noun in made for entry in site.entries(noun)}


def _facts(entry: Model) -> dict[str, object]:
    chosen = {"engine": entry.engine or SERVED_BY[entry.protocol][0]} if isinstance(entry, PortalCreate) else {}
    return {name: frozenset(value) if isinstance(value, tuple) else value for name, value in entry} | chosen
