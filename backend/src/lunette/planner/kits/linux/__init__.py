"""The kit of a Linux host: settings in drop-in directories, four scripts, and their data.

No existing file is changed: neither /etc/multipath.conf nor iscsid.conf nor the name of the initiator. The scripts are
the same for every host; the data files next to them differ, with one line for each portal and volume.
"""

import json
import uuid
from collections.abc import Iterator

from lunette.domain.hosts import OsType
from lunette.domain.identity import PRODUCT, VENDOR
from lunette.domain.kits import KitCommand, KitFile, KitProof
from lunette.domain.mappings import Family, Protocol
from lunette.planner.kits.facts import (
    CHAP_MUTUAL,
    CHAP_SECRET,
    DHCHAP_KEY,
    DHCHAP_MUTUAL,
    DISCOVERY_MUTUAL,
    DISCOVERY_SECRET,
    NOOP_S,
    REPLACEMENT_S,
    KitChap,
    KitFacts,
    KitPortal,
    plain,
)
from lunette.planner.kits.parts import KitParts, command, script

FOLDER = "/etc/lunette-host"
MULTIPATH = "/etc/multipath/conf.d/lunette.conf"
UNIT = "/etc/systemd/system/lunette-nvme.service"
FC_UNIT = "nvmefc-boot-connections.service"
"""Unit of nvme-cli: the kernel announces every port it sees to udev again, and udev connects
(70-nvmf-autoconnect.rules).
"""
_TIMING = {"reconnect_delay": 5, "keep_alive_tmo": 10}
"""Seconds between two reconnection attempts, and how long a path may be silent (nvme-connect(1))."""
LOGIN_RETRIES = 20
"""Retries of 15 s: a host that boots together with the appliance waits that long for it (open-iscsi's
node.session.initial_login_retry_max times node.conn[0].timeo.login_timeout).
"""
_MULTIPATH = """\
# Volumes of Lunette. See multipath.conf(5). This file belongs to the setup kit and can be removed with it.
devices {{
    device {{
        vendor               "{vendor}"
        product              "{product}"
        # I/O is distributed over all paths of the same priority (ALUA, which the target reports).
        path_grouping_policy group_by_prio
        prio                 alua
        path_checker         tur
        path_selector        "service-time 0"
        failback             immediate
        # While all paths are down, I/O waits without limit: the appliance may be restarting, or an array may start
        # late.
        no_path_retry        queue
        # A lost path is failed after {replacement} s, and reinstated when it returns.
        fast_io_fail_tmo     {replacement}
        dev_loss_tmo         infinity
    }}
}}
"""
_UNIT = f"""\
[Unit]
Description=Volumes of Lunette over NVMe
Wants=network-online.target
After=network-online.target
Before=remote-fs-pre.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh {FOLDER}/connect.sh
# A host that connects before all its volumes are available is asked to try again later.
Restart=on-failure
RestartSec=10

[Install]
WantedBy=multi-user.target
"""


def build(facts: KitFacts) -> KitParts:
    """Files, commands and notes. Empty if there is nothing that the host can connect to."""
    over_scsi = facts.over_iscsi or facts.over_fc
    over_nvme = facts.over_nvme or facts.over_nvme_fc
    if not (over_scsi or over_nvme):
        return KitParts()
    found = [*_scripts(), *(_scsi(facts) if over_scsi else ()), *(_nvme(facts) if over_nvme else ())]
    found.append(
        _data("kit-files", [one.path for one in found], "Files of this kit: all other files are from an earlier kit.")
    )
    return KitParts(
        files=tuple(found),
        commands=tuple(_commands(facts)),
        check=f"sh {FOLDER}/check.sh",
        proof=_proof(facts),
        notes=tuple(_notes(facts)),
        warnings=tuple(_warnings(facts)),
    )


def _proof(facts: KitFacts) -> KitProof:
    """Tests apply the kit of a Linux host over iSCSI and NVMe/TCP; for other protocols, it is based on
    documentation.
    """
    ran = {Protocol.ISCSI, Protocol.NVME_TCP}
    is_run = facts.os_type is OsType.LINUX and not facts.over_fc and {one.protocol for one in facts.portals} <= ran
    return KitProof.TESTED if is_run else KitProof.DOCUMENTED


def host_id(nqn: str) -> str:
    """The host identifier for an NQN: the UUID in it, or one derived from it. Kernels since 6.5 refuse one identifier
    under two names (nvmf_host_add in drivers/nvme/host/fabrics.c).
    """
    text = nqn.rpartition("uuid:")[2]
    try:
        return str(uuid.UUID(text))
    except ValueError:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, nqn))


def _file(path: str, content: str, purpose: str, mode: str = "0644", *, is_secret: bool = False) -> KitFile:
    return KitFile(path=path, mode=mode, content=content, purpose=purpose, is_secret=is_secret)


def _data(name: str, lines: list[str], purpose: str) -> KitFile:
    return _file(f"{FOLDER}/{name}", "".join(f"{line}\n" for line in lines), purpose)


def _scripts() -> Iterator[KitFile]:
    purposes = {
        "ready.sh": "Checks that this machine can use the kit, before anything is changed.",
        "tidy.sh": "Removes files of an earlier kit that this kit does not contain.",
        "connect.sh": "Connects to every portal that is not connected yet.",
        "check.sh": "Checks that every volume is visible over every path.",
    }
    for name, purpose in purposes.items():
        yield _file(f"{FOLDER}/{name}", script(__name__, name), purpose, "0755")


def _scsi(facts: KitFacts) -> Iterator[KitFile]:
    targets = facts.targets_of(Family.SCSI)
    text = _MULTIPATH.format(vendor=VENDOR, product=PRODUCT, replacement=REPLACEMENT_S)
    yield _file(MULTIPATH, text, "Combines the paths of a volume into one disk, for these volumes only.")
    # udev and multipath put a 3 before an NAA: type of the identifier in VPD page 0x83.
    volumes = [f"3{volume.naa} {volume.name}" for target in targets for volume in target.volumes]
    yield _data("scsi-volumes", volumes, "Identifiers and names of the volumes.")
    if facts.over_iscsi:
        yield _data("initiator-names", list(facts.iqns), "Names under which the appliance knows this host.")
        portals = facts.portals_of(Protocol.ISCSI, Protocol.ISER)
        lines = [
            f"{target.name} {portal.address} {portal.port} {target.tag} {_interface(portal)} {portal.shown}"
            for target in targets
            for portal in portals
        ]
        yield _data("iscsi-portals", lines, "Target, address, port, portal group and interface of each path.")
        settings = "".join(f"{key} = {value}\n" for key, value in _settings(facts.chap).items())
        purpose = "Settings for the records of the targets, see iscsid.conf. Readable only by root."
        yield _file(f"{FOLDER}/iscsi-node.conf", settings, purpose, "0600", is_secret=facts.chap is not None)
        if facts.discovery:
            purpose = "Credentials for discovery. This kit does not need discovery: it contains the targets."
            login = "".join(f"{key} = {value}\n" for key, value in _discovery(facts.discovery).items())
            yield _file(f"{FOLDER}/iscsi-discovery.conf", login, purpose, "0600", is_secret=True)
    if facts.over_fc:
        yield _data("fc-ports", list(facts.fc_ports), "The appliance's Fibre Channel ports.")


def _interface(portal: KitPortal) -> str:
    """open-iscsi defines these two interfaces by default (iscsiadm(8), section on ifaces)."""
    return "iser" if portal.protocol is Protocol.ISER else "default"


def _settings(chap: KitChap | None) -> dict[str, str]:
    """Keys and their meaning: open-iscsi's iscsid.conf."""
    settings = {
        "node.startup": "automatic",
        "node.conn[0].startup": "automatic",
        "node.session.timeo.replacement_timeout": str(REPLACEMENT_S),
        "node.conn[0].timeo.noop_out_interval": str(NOOP_S),
        "node.conn[0].timeo.noop_out_timeout": str(NOOP_S),
        "node.session.initial_login_retry_max": str(LOGIN_RETRIES),
        "node.session.auth.authmethod": "CHAP" if chap else "None",
    }
    if chap:
        settings["node.session.auth.username"] = chap.user
        settings["node.session.auth.password"] = plain(chap.secret, CHAP_SECRET)
    if chap and chap.mutual_user:
        settings["node.session.auth.username_in"] = chap.mutual_user
        settings["node.session.auth.password_in"] = plain(chap.mutual_secret, CHAP_MUTUAL)
    return settings


def _discovery(chap: KitChap) -> dict[str, str]:
    """Keys and their meaning: open-iscsi's iscsid.conf."""
    key = "discovery.sendtargets.auth"
    settings = {f"{key}.authmethod": "CHAP", f"{key}.username": chap.user}
    settings[f"{key}.password"] = plain(chap.secret, DISCOVERY_SECRET)
    if chap.mutual_user:
        settings[f"{key}.username_in"] = chap.mutual_user
        settings[f"{key}.password_in"] = plain(chap.mutual_secret, DISCOVERY_MUTUAL)
    return settings


def _nvme(facts: KitFacts) -> Iterator[KitFile]:
    targets, portals = facts.targets_of(Family.NVME), facts.portals_of(Protocol.NVME_TCP, Protocol.NVME_RDMA)
    host = facts.nqns[0]
    volumes = [f"{volume.uuid} {volume.name}" for target in targets for volume in target.volumes]
    yield _data("nvme-volumes", volumes, "UUID and name of each volume.")
    if facts.over_nvme_fc:
        yield _data("nvme-names", list(facts.nqns), "Names under which the appliance knows this host.")
    if not facts.over_nvme:
        return
    lines = [
        f"{target.name} {portal.address} {portal.port} {_transport(portal)} {host} {host_id(host)}"
        for target in targets
        for portal in portals
    ]
    yield _data("nvme-portals", lines, "Subsystem, address, port, transport and this host's name for each path.")
    purpose = "Timing and keys for `nvme connect --config`, in libnvme's format. Readable only by root."
    yield _file(f"{FOLDER}/nvme.json", _keys(facts), purpose, "0600", is_secret=facts.dhchap is not None)
    yield _file(UNIT, _UNIT, "Connects at every boot, and retries until it succeeds.")


def _transport(portal: KitPortal) -> str:
    return "rdma" if portal.protocol.is_rdma else "tcp"


def _keys(facts: KitFacts) -> str:
    """As described in libnvme's doc/config-schema.json.

    `nvme connect` takes keys and timing of a path from this file, and then no timing from its command line
    (nvmf_add_ctrl; seen on libnvme 1.13).
    """
    keys = {"dhchap_key": plain(facts.dhchap.secret, DHCHAP_KEY)} if facts.dhchap else {}
    if facts.dhchap and facts.dhchap.is_mutual:
        keys["dhchap_ctrl_key"] = plain(facts.dhchap.mutual_secret, DHCHAP_MUTUAL)
    ports = [
        {"transport": _transport(one), "traddr": one.address, "trsvcid": str(one.port), **_TIMING, **keys}
        for one in facts.portals_of(Protocol.NVME_TCP, Protocol.NVME_RDMA)
    ]
    subsystems = [{"nqn": target.name, "ports": ports} for target in facts.targets_of(Family.NVME)]
    host = {"hostnqn": facts.nqns[0], "hostid": host_id(facts.nqns[0]), "subsystems": subsystems}
    return json.dumps([host], indent=2) + "\n"


def _commands(facts: KitFacts) -> Iterator[KitCommand]:
    over_scsi = facts.over_iscsi or facts.over_fc
    yield command(
        f"sh {FOLDER}/ready.sh", "Stops here if a program or a secret is missing, or the name does not match."
    )
    yield command(f"sh {FOLDER}/tidy.sh", "Removes files of an earlier kit that this kit does not contain.")
    services = [*(["iscsid"] if facts.over_iscsi else []), *(["multipathd"] if over_scsi else [])]
    if services:
        names = " ".join(services)
        unless = f"systemctl is-active --quiet {names} && systemctl is-enabled --quiet {names}"
        yield command(f"systemctl enable --now {names}", "Starts the services, now and at every boot.", unless)
        yield command("multipathd reconfigure", "Reloads the settings of multipathd.")
    yield command(f"sh {FOLDER}/connect.sh", "Connects missing paths, and scans for new volumes.")
    if facts.over_iscsi:
        either = [f"systemctl {{}} {name}.service 2>/dev/null" for name in ("open-iscsi", "iscsi")]
        enable, is_enabled = (
            " || ".join(one.format(verb) for one in either) for verb in ("enable", "is-enabled --quiet")
        )
        yield command(enable, "Logs in at every boot (open-iscsi on Debian, iscsi on Red Hat and SUSE).", is_enabled)
    if facts.over_nvme_fc:
        begin = f"systemctl enable {FC_UNIT} && systemctl restart {FC_UNIT}"
        yield command(begin, "Connects over Fibre Channel with nvme-cli, now and at every boot.")
    if facts.over_nvme:
        enable = "systemctl daemon-reload && systemctl enable lunette-nvme.service"
        yield command(enable, "Connects at every boot.", "systemctl is-enabled --quiet lunette-nvme.service")
    yield command(f"sh {FOLDER}/check.sh", "Checks that every volume is visible over every path.")


def _warnings(facts: KitFacts) -> Iterator[str]:
    if facts.over_nvme and len(facts.nqns) > 1:
        yield (
            f"The appliance knows host {facts.host} by {len(facts.nqns)} NQNs; the kit uses {facts.nqns[0]}. Create a "
            "separate host for each machine."
        )
    if facts.over_nvme_fc and facts.dhchap:
        yield (
            "The host has a DH-HMAC-CHAP key, which this kit cannot set up over Fibre Channel: remove the key from "
            "the host."
        )
    ways = len(facts.portals) if facts.over_iscsi or facts.over_nvme or facts.over_nvme_fc else 2
    if ways == 1 and not facts.over_fc:
        yield f"There is only one path, over portal {facts.portals[0].name}: add a portal on another network."


def _notes(facts: KitFacts) -> Iterator[str]:
    if facts.over_iscsi or facts.over_fc:
        yield (
            "Use the volumes as /dev/mapper/…, never as /dev/sd…, which are single paths. On Red Hat, multipathd "
            "starts only after `mpathconf --enable`."
        )
        yield (
            "While all paths are down, I/O waits without limit. A waiting process cannot be killed until a path "
            "returns."
        )
    if facts.over_iscsi and facts.discovery:
        yield (
            "The appliance requires CHAP for discovery. Before you discover targets by hand (iscsiadm -m discovery), "
            f"copy the lines of {FOLDER}/iscsi-discovery.conf to /etc/iscsi/iscsid.conf."
        )
    if facts.over_nvme:
        paths = [
            f"controller = transport={_transport(one)};traddr={one.address};trsvcid={one.port};nqn={target.name}"
            for target in facts.targets_of(Family.NVME)
            for one in facts.portals_of(Protocol.NVME_TCP, Protocol.NVME_RDMA)
        ]
        yield (
            "If nvme-stas manages the connections, disable lunette-nvme.service and add these lines to the section "
            "[Controllers] of /etc/stas/stacd.conf, with ctrl-loss-tmo = -1 in its section [Global]: "
            + " / ".join(paths)
        )
    if facts.over_nvme_fc:
        yield (
            "For NVMe/FC, enable NVMe on the HBA of the host, and zone the HBA to the ports of the appliance. Check "
            "the "
            "paths with `nvme list-subsys`."
        )
    if facts.portals_of(Protocol.ISER, Protocol.NVME_RDMA):
        yield "On a machine without an RDMA device, portals over RDMA are skipped, and the check reports this."
