"""Foreign exports of nvmet, read from its configfs with the keys of its hosts. Nothing is written.

Format: drivers/nvme/target/configfs.c (Linux 6.12); resv_enable came with 6.13.
"""

from collections.abc import Iterator
from typing import get_args
from uuid import UUID

from pydantic import SecretStr

from lunette.domain.adopting import ForeignNamespace, ForeignNvmeHost, ForeignNvmePort, ForeignSubsystem
from lunette.domain.border import SubsystemAttribute
from lunette.domain.exports import AdoptedSubsystem, ExportSet
from lunette.domain.identity import NO_NGUID
from lunette.providers.exports.nvmet import adopted, stale, tree
from lunette.providers.exports.nvmet.adopted import Ours
from lunette.providers.exports.nvmet.configfs import ROOT, NvmetConfigfs
from lunette.providers.reading import reader
from lunette.system.system_port import System

Places = dict[str, tuple[str, str]]
"""Volume group and logical volume by the real path of its device."""
KEPT: tuple[SubsystemAttribute, ...] = get_args(SubsystemAttribute)
_OFF = ("", "0")
_PLAIN = {"addr_treq": ("", "not specified"), "addr_tsas": ("", "none")}
"""Values of addr_tsas without TLS; kernels without TLS have no addr_tsas."""


def names(system: System, served: ExportSet | None = None) -> tuple[str, ...]:
    """NQNs of every subsystem that belongs to no Lunette appliance. `served` shows what was adopted."""
    if not system.is_dir(ROOT):
        return ()
    files = NvmetConfigfs(system)
    return stale.foreign(files, adopted.of_any(files, served))


@reader("configfs of nvmet")
def observe(
    system: System, served: ExportSet | None, places: Places
) -> tuple[tuple[ForeignSubsystem, ...], tuple[ForeignNvmePort, ...], tuple[ForeignNvmeHost, ...]]:
    """All foreign subsystems with their namespaces, ports and hosts."""
    found = names(system, served)
    if not found:
        return (), (), ()
    files = NvmetConfigfs(system)
    ours = adopted.of_any(files, served)
    subsystems = tuple(_subsystem(files, nqn, places) for nqn in found)
    ports = sorted({name for one in subsystems for name in one.ports}, key=lambda name: (len(name), name))
    hosts = sorted({nqn for one in subsystems for nqn in one.hosts})
    return subsystems, tuple(_port(files, name, ours) for name in ports), tuple(_host(files, nqn) for nqn in hosts)


def _subsystem(files: NvmetConfigfs, nqn: str, places: Places) -> ForeignSubsystem:
    path = f"subsystems/{nqn}"
    numbers = sorted(int(name) for name in files.names(f"{path}/namespaces"))
    to_hosts = {link: (files.points_to(link) or "") for link in files.links(f"{path}/allowed_hosts")}
    to_it = [link for link in _port_links(files) if files.points_to(link) == path]
    shown = {name: files.read(f"{path}/{name}") for name in KEPT}
    unusual = [name for name in ("attr_pi_enable",) if files.read(f"{path}/{name}") not in _OFF]
    if files.read(f"{path}/passthru/enable") not in _OFF:
        unusual.append("passthru")
    return ForeignSubsystem(
        nqn=nqn,
        any_host=files.read(f"{path}/attr_allow_any_host") == "1",
        hosts=tuple(target.partition("/")[2] for target in to_hosts.values()),
        ports=tuple(link.split("/")[1] for link in to_it),
        namespaces=tuple(_namespace(files, f"{path}/namespaces/{number}", number, places) for number in numbers),
        kept=AdoptedSubsystem(
            serial=files.read(f"{path}/attr_serial"),
            attributes=tuple((name, value) for name, value in shown.items() if value),
        ),
        unusual=tuple(unusual),
        odd_links=(
            *(link for link, target in to_hosts.items() if link.rpartition("/")[2] != target.partition("/")[2]),
            *(link for link in to_it if link.rpartition("/")[2] != nqn),
        ),
    )


def _port_links(files: NvmetConfigfs) -> Iterator[str]:
    return (link for name in files.names("ports") for link in files.links(f"ports/{name}/subsystems"))


def _namespace(files: NvmetConfigfs, path: str, number: int, places: Places) -> ForeignNamespace:
    device = files.read(f"{path}/device_path")
    group, name = places.get(files.system.realpath(device), (None, None)) if device.startswith("/") else (None, None)
    return ForeignNamespace(
        number=number,
        device=device,
        group=group,
        lv_name=name,
        uuid=files.read(f"{path}/device_uuid"),
        nguid=files.read(f"{path}/device_nguid") or str(UUID(NO_NGUID)),
        enabled=files.read(f"{path}/enable") == "1",
        ana_group=files.read(f"{path}/ana_grpid") or tree.ANA_GROUP,
        unusual=tuple(one for one in ("buffered_io", "resv_enable") if files.read(f"{path}/{one}") not in _OFF),
        held=files.system.is_block_device(device) and files.system.is_held(device),
    )


def _port(files: NvmetConfigfs, name: str, ours: Ours) -> ForeignNvmePort:
    path = f"ports/{name}"
    unusual = [f"{one} {found}" for one, plain in _PLAIN.items() if (found := files.read(f"{path}/{one}")) not in plain]
    for group in files.folders(f"{path}/ana_groups"):
        state = files.read(f"{path}/ana_groups/{group}/ana_state")
        if (group, state) != (tree.ANA_GROUP, "optimized"):
            unusual.append(f"ANA group {group} ({state})")
    referrals = (one for one in files.names(f"{path}/referrals") if not one.startswith(tree.REFERRAL))
    reported = {what: files.read(f"{path}/addr_{what}") for what in ("trtype", "adrfam", "traddr", "trsvcid")}
    return ForeignNvmePort(
        name=name,
        transport=reported["trtype"],
        family=reported["adrfam"],
        address=reported["traddr"],
        service=reported["trsvcid"],
        unusual=(*unusual, *(f"referral {one}" for one in referrals)),
        is_ours=ours.has_port(name),
    )


def _host(files: NvmetConfigfs, nqn: str) -> ForeignNvmeHost:
    reported = {name: files.read(f"hosts/{nqn}/dhchap_{name}") for name in ("key", "ctrl_key", "hash", "dhgroup")}
    key, mutual = (SecretStr(reported[name]) if reported[name].strip("\0") else None for name in ("key", "ctrl_key"))
    return ForeignNvmeHost(nqn=nqn, key=key, mutual_key=mutual, hash=reported["hash"], dh_group=reported["dhgroup"])
