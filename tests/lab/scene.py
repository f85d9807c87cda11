"""The scene of the classic Fibre Channel article, scaled down: one RAID5 of eight drives, 32 volumes, four hosts.

Everything here goes through the API, as any automation would do it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lunette.client import Client, JsonObject

MIB = 1024**2
DISK_BYTES = 256 * MIB
VOLUME_BYTES = 48 * MIB
VOLUMES, HOSTS, DRIVES = 32, 4, 8
PORTAL_PORT = 3260
Say = Callable[[str], None]


@dataclass(frozen=True)
class SceneHost:
    """One of the four hosts: what its initiator needs to log in. Two use mutual CHAP, one CHAP, one none."""

    name: str
    iqn: str
    chap: JsonObject | None
    volumes: tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """What was provisioned. `targets` gives each host's target name."""

    array: str
    hosts: tuple[SceneHost, ...]
    targets: dict[str, str]


def planned_hosts(volumes: int = VOLUMES, hosts: int = HOSTS) -> tuple[SceneHost, ...]:
    """The hosts and which volumes each is to get, in the order the split template deals them out."""
    run = volumes // hosts
    credentials: tuple[JsonObject | None, ...] = (
        {"user": "esx1", "secret": "esx1-secret-12", "mutual_user": "lunette", "mutual_secret": "mutual-secret1"},
        {"user": "esx2", "secret": "esx2-secret-12", "mutual_user": "lunette", "mutual_secret": "mutual-secret2"},
        {"user": "esx3", "secret": "esx3-secret-12", "mutual_user": None, "mutual_secret": None},
        None,
    )
    return tuple(
        SceneHost(
            name=f"esx{number + 1}",
            iqn=f"iqn.2026-01.com.example:esx{number + 1}",
            chap=credentials[number % len(credentials)],
            volumes=tuple(f"lun{index + 1:02d}" for index in range(number * run, (number + 1) * run)),
        )
        for number in range(hosts)
    )


def provision(
    client: Client, disks: list[str], say: Say, *, volumes: int = VOLUMES, volume_bytes: int = VOLUME_BYTES
) -> Scene:
    """Builds the scene on the given disks and waits for every job. Raises what the client raises."""
    spec: JsonObject = {"name": "tank", "engine": "md", "level": "raid5", "disks": disks, "chunk_bytes": "64KiB"}
    plan = client.post("/arrays", spec, dry_run=True)
    say(f"plan: {plan['title']}, {len(plan['steps'])} steps, {plan['bytes_destroyed']} bytes destroyed")
    client.wait(client.post("/arrays", spec))
    say(f"RAID5 of {len(disks)} disks, chunk 64 KiB")
    client.wait(
        client.post(
            "/volumes:create-batch",
            {"array": "tank", "name_pattern": "lun%02d", "count": volumes, "size_bytes": volume_bytes},
        ),
        seen=_progress(say),
    )
    say(f"{volumes} volumes of {volume_bytes // MIB} MiB")
    hosts = planned_hosts(volumes)
    for host in hosts:
        client.post("/hosts", {"name": host.name, "os_type": "linux", "iqns": [host.iqn], "chap": host.chap})
    client.post("/portals", {"name": "storage", "protocol": "iscsi", "address": "0.0.0.0", "port": PORTAL_PORT})
    names = [name for host in hosts for name in host.volumes]
    client.post("/mappings:create-batch", {"split": {"volumes": names, "hosts": [host.name for host in hosts]}})
    say(f"{len(hosts)} hosts, {volumes // len(hosts)} volumes mapped to each")
    targets = {host.name: str(client.get(f"/hosts/{host.name}")["target_iqn"]) for host in hosts}
    return Scene("tank", hosts, targets)


def _progress(say: Say) -> Callable[[JsonObject], None]:
    reported = -1

    def seen(job: JsonObject) -> None:
        nonlocal reported
        quarter = int(job["progress_percent"]) // 25
        if quarter > reported:
            reported = quarter
            say(f"{job['title']}: {job['progress_percent']:.0f} %")

    return seen
