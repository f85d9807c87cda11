"""`create` of every noun that can be made: options become the request's fields, the appliance checks them."""

from pathlib import Path
from typing import Annotated

import typer

from lunette.cli import show
from lunette.cli.client import JsonObject
from lunette.cli.commands import AsJson, DryRun, connect, group

Name = Annotated[str, typer.Argument(help="Its name.")]
Description = Annotated[str, typer.Option(help="Free text.")]


def send(path: str, body: JsonObject, *, dry_run: bool, as_json: bool) -> None:
    """Posts the wish; shows the plan, or follows the job, or shows what was made."""
    with connect() as client:
        answer = client.post(path, {k: v for k, v in body.items() if v is not None}, dry_run=dry_run)
        show.outcome(client, answer, dry_run=dry_run, bare=as_json)


def register_create() -> None:
    """Adds the create commands to their nouns."""
    for noun, command in (
        ("array", array), ("volume", volume), ("snapshot", snapshot), ("host", host), ("host-group", host_group),
        ("portal", portal), ("mapping", mapping), ("user", user), ("token", token),
    ):  # fmt: skip
        group(noun, f"{noun.capitalize()}s of the appliance.").command("create")(command)


def array(
    name: Name,
    level: Annotated[str, typer.Option(help="raid0, raid1, raid5, raid6 or raid10.")],
    disk: Annotated[list[str], typer.Option(help="Stable disk id; repeat for each disk.")],
    spare: Annotated[list[str] | None, typer.Option(help="Disk that stands by; repeatable.")] = None,
    engine: Annotated[str, typer.Option(help="Array engine.")] = "md",
    chunk: Annotated[str | None, typer.Option(help="Stripe unit, such as 64KiB.")] = None,
    write_hole: Annotated[str | None, typer.Option(help="ppl, bitmap or none.")] = None,
    wipe: Annotated[list[str] | None, typer.Option(help="Disk whose signatures may be destroyed.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Creates an array of disks."""
    body: JsonObject = {"name": name, "engine": engine, "level": level, "disks": disk, "spares": spare or [],
                        "wipe": wipe or [], "chunk_bytes": chunk, "write_hole": write_hole}  # fmt: skip
    send("/arrays", body, dry_run=dry_run, as_json=as_json)


def volume(
    name: Annotated[str, typer.Argument(help="Its name; with --count a pattern such as lun%02d.")],
    array: Annotated[str, typer.Option(help="Array it is cut from.")],
    size: Annotated[str, typer.Option(help="Such as 10GiB.")],
    count: Annotated[int | None, typer.Option(help="Make this many, all or nothing.")] = None,
    provisioning: Annotated[str, typer.Option(help="thick, or thin: it takes space as hosts write.")] = "thick",
    description: Description = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Creates one volume, or with --count a batch."""
    body: JsonObject = {"array": array, "size_bytes": size, "provisioning": provisioning, "description": description}
    if count is None:
        send("/volumes", {"name": name, **body}, dry_run=dry_run, as_json=as_json)
    else:
        send("/volumes:batch", {"name_pattern": name, "count": count, **body}, dry_run=dry_run, as_json=as_json)


def snapshot(
    name: Name,
    volume: Annotated[str, typer.Option(help="Thin volume it is taken of.")],
    description: Description = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Takes a snapshot of a volume."""
    send("/snapshots", {"name": name, "volume": volume, "description": description}, dry_run=dry_run, as_json=as_json)


def host(
    name: Name,
    iqn: Annotated[list[str] | None, typer.Option(help="iSCSI initiator name; repeatable.")] = None,
    wwpn: Annotated[list[str] | None, typer.Option(help="Fibre Channel port name; repeatable.")] = None,
    nqn: Annotated[list[str] | None, typer.Option(help="NVMe host name; repeatable.")] = None,
    os_type: Annotated[str, typer.Option(help="linux, esxi, windows, proxmox or other.")] = "linux",
    chap_user: Annotated[str | None, typer.Option(help="CHAP user the host logs in with.")] = None,
    chap_secret_file: Annotated[Path | None, typer.Option(help="File with the CHAP secret.")] = None,
    mutual_user: Annotated[str | None, typer.Option(help="CHAP user the appliance answers with.")] = None,
    mutual_secret_file: Annotated[Path | None, typer.Option(help="File with the mutual secret.")] = None,
    dhchap_file: Annotated[Path | None, typer.Option(help="File with the host's DHHC-1 key for NVMe.")] = None,
    dhchap_mutual_file: Annotated[Path | None, typer.Option(help="File with the appliance's DHHC-1 key.")] = None,
    dhchap_hash: Annotated[str, typer.Option(help="sha256, sha384 or sha512.")] = "sha256",
    dh_group: Annotated[str, typer.Option(help="null, ffdhe2048 to ffdhe8192.")] = "ffdhe2048",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Creates a host. Secrets are read from files, never from the command line, which others can see."""
    if chap_user and chap_secret_file is None:
        raise typer.BadParameter("--chap-user needs --chap-secret-file")
    if dhchap_mutual_file and dhchap_file is None:
        raise typer.BadParameter("--dhchap-mutual-file needs --dhchap-file")
    chap = {"user": chap_user, "secret": _secret(chap_secret_file), "mutual_user": mutual_user,
            "mutual_secret": _secret(mutual_secret_file)}  # fmt: skip
    dhchap = {"secret": _secret(dhchap_file), "hash": dhchap_hash, "dh_group": dh_group,
              "mutual_secret": _secret(dhchap_mutual_file)}  # fmt: skip
    body: JsonObject = {"name": name, "os_type": os_type, "iqns": iqn or [], "wwpns": wwpn or [], "nqns": nqn or [],
                        "chap": chap if chap_user else None, "dhchap": dhchap if dhchap_file else None}  # fmt: skip
    send("/hosts", body, dry_run=dry_run, as_json=as_json)


def _secret(path: Path | None) -> str | None:
    return path.read_text().rstrip("\n") if path else None


def host_group(
    name: Name,
    host: Annotated[list[str] | None, typer.Option(help="Member host; repeatable.")] = None,
    description: Description = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Creates a group of hosts that share volumes."""
    body: JsonObject = {"name": name, "hosts": host or [], "description": description}
    send("/host-groups", body, dry_run=dry_run, as_json=as_json)


def portal(
    name: Name,
    address: Annotated[str, typer.Option(help="IPv4 or IPv6 address to listen on.")],
    protocol: Annotated[str, typer.Option(help="iscsi, nvme-tcp or nvme-rdma.")] = "iscsi",
    port: Annotated[int | None, typer.Option(help="Port; the protocol's own if not given.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Creates a portal."""
    body: JsonObject = {"name": name, "address": address, "protocol": protocol, "port": port}
    send("/portals", body, dry_run=dry_run, as_json=as_json)


def mapping(
    volume: Annotated[list[str], typer.Option(help="Volume; repeatable.")],
    host: Annotated[list[str] | None, typer.Option(help="Host; with several, volumes are split evenly.")] = None,
    host_group: Annotated[str | None, typer.Option(help="Host group instead of a host.")] = None,
    lun: Annotated[int | None, typer.Option(help="LUN number; the lowest free one from 1 if not given.")] = None,
    family: Annotated[str | None, typer.Option(help="scsi or nvme; what the owner speaks if not given.")] = None,
    shared: Annotated[bool, typer.Option(help="The volume may have several owners.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Maps volumes: one to its owner, several to one owner, or several split over several hosts."""
    hosts = host or []
    if len(hosts) > 1:
        if lun is not None or host_group or shared:
            raise typer.BadParameter("a split over several hosts takes no --lun, --host-group or --shared")
        body: JsonObject = {"split": {"volumes": volume, "hosts": hosts, "family": family}}
        send("/mappings:batch", body, dry_run=dry_run, as_json=as_json)
        return
    owner: JsonObject = {"host": hosts[0]} if hosts else {"host_group": host_group}
    wishes = [{"volume": v, "lun": lun, "family": family, "shared": shared, **owner} for v in volume]
    if len(wishes) == 1:
        send("/mappings", wishes[0], dry_run=dry_run, as_json=as_json)
    else:
        send("/mappings:batch", {"mappings": wishes}, dry_run=dry_run, as_json=as_json)


def user(
    username: Annotated[str, typer.Argument(help="User name.")],
    role: Annotated[str, typer.Option(help="viewer, operator or administrator.")] = "viewer",
) -> None:
    """Creates a user; asks for the password, which must be changed at the first login."""
    password = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    send("/users", {"username": username, "password": password, "role": role}, dry_run=False, as_json=False)


def token(
    name: Name,
    role: Annotated[str | None, typer.Option(help="Role of the token; yours if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Creates an API token and prints it this once."""
    send("/tokens", {"name": name, "role": role}, dry_run=False, as_json=as_json)
