"""The kit of an ESXi host: commands for its shell, written against VMware's documentation and not run by our tests.

Claim rule: "Add Multipathing SATP claim rules" in vSphere Storage 8.0 (esxcli storage nmp satp rule add); round robin
that changes path with each I/O: VMware KB 2069356. iSCSI: "ESXCLI concepts and examples", on managing iSCSI. NVMe:
"Configuring NVMe over TCP on ESXi", vSphere Storage 8.0. A host fails a device after Misc.APDTimeout, 140 s ("Handling
transient APD conditions", vSphere Storage 8.0); the I/O of virtual machines continues to wait.
"""

import shlex
from collections.abc import Iterator

from lunette.domain.identity import PRODUCT, VENDOR
from lunette.domain.kits import KitCommand, KitFile
from lunette.domain.mappings import Family, Protocol
from lunette.planner.kits.facts import CHAP_MUTUAL, CHAP_SECRET, GUEST_S, KEEP_S, KitFacts, plain
from lunette.planner.kits.parts import KitParts, command, script

CHECK = "/tmp/lunette-check.sh"  # noqa: S108 - ESXi keeps no other folder for such; it lasts until the next boot
_NOTE = (
    "Every command goes into the ESXi shell. Written against VMware's documentation; not run by the project's tests."
)
_ADAPTER = "A=$(esxcli iscsi adapter list | awk '/iscsi_vmk/ { print $1; exit }')"


def build(facts: KitFacts) -> KitParts:
    """Files, commands and notes. Empty if there is nothing that the host can connect to."""
    if not (facts.over_iscsi or facts.over_fc or facts.over_nvme):
        return KitParts(warnings=tuple(_warnings(facts)))
    return KitParts(
        files=(_check(facts),),
        commands=tuple(_commands(facts)),
        check=f"sh {CHECK}",
        notes=(_NOTE, _waiting(facts)),
        warnings=tuple(_warnings(facts)),
    )


def _waiting(facts: KitFacts) -> str:
    return (
        "While all paths are down, virtual machines wait. After Misc.APDTimeout (140 s) the host itself stops waiting: "
        "set it above the time the appliance takes to boot (esxcli system settings advanced set -o /Misc/APDTimeout "
        f"-i {facts.wait_s(KEEP_S)}), and give the guests' disks a timeout of {facts.wait_s(GUEST_S)} s or more. "
        f"{facts.measured}"
    )


def _check(facts: KitFacts) -> KitFile:
    lines = []
    for kit_target in facts.targets_of(Family.SCSI):
        portals = facts.portals_of(Protocol.ISCSI) if facts.iqns else ()
        lines += [f"iscsi {_word(one.address)} {_word(one.shown)}" for one in portals]
        paths = len(portals) + int(facts.over_fc)
        lines += [f"scsi {_word(volume.naa)} {_word(volume.name)} {paths}" for volume in kit_target.volumes]
    lines += [f"nvme {_word(kit_target.name)}" for kit_target in facts.targets_of(Family.NVME) if facts.over_nvme]
    content = script(__name__, "check.sh") + "".join(f"{line}\n" for line in lines) + 'exit "$failed"\n'
    purpose = "Checks that every volume is visible over every path."
    return KitFile(path=CHECK, mode="0755", content=content, purpose=purpose, is_secret=False)


def _commands(facts: KitFacts) -> Iterator[KitCommand]:
    if facts.needs_secrets and not facts.has_secrets:
        missing = "echo 'lunette: secrets are missing: fetch the kit with its secrets' >&2; false"
        yield command(missing, "Stops here because secrets are missing: download the kit with its secrets.")
    if facts.over_iscsi or facts.over_fc:
        rule = (
            f"esxcli storage nmp satp rule add -s VMW_SATP_ALUA -V {VENDOR} -M {PRODUCT} -c tpgs_on -P VMW_PSP_RR "
            "-O iops=1 -e Lunette"
        )
        listed = f"esxcli storage nmp satp rule list | grep -q {VENDOR}"
        yield command(rule, "Distributes I/O over all paths. Applies to volumes that are claimed afterward.", listed)
    if facts.over_iscsi:
        yield from _iscsi(facts)
    if facts.over_nvme:
        yield from _nvme(facts)
    yield command("esxcli storage core adapter rescan --all", "Scans for volumes.")
    yield command(f"sh {CHECK}", "Checks that every volume is visible over every path.")


def _iscsi(facts: KitFacts) -> Iterator[KitCommand]:
    on = "esxcli iscsi software set --enabled=true"
    yield command(on, "Enables the software initiator.", "esxcli iscsi software get | grep -q true")
    names = " ".join(f"-e {shlex.quote(f'Name: {name}')}" for name in facts.iqns)
    right = f"{_ADAPTER}; esxcli iscsi adapter get -A $A | grep -qiF {names}"
    called = shlex.quote(f" does not have the name {' or '.join(facts.iqns)}: enter its name on the appliance")
    stop = f'{_ADAPTER}; echo "$A"{called}; false'
    yield command(stop, "Stops here unless the name of the adapter is known to the appliance.", right)
    for kit_target in facts.targets_of(Family.SCSI):
        for portal in facts.portals_of(Protocol.ISCSI):
            target, place = _word(kit_target.name), _word(portal.shown)
            listing = f"{_ADAPTER}; esxcli iscsi adapter discovery statictarget"
            there = f"{listing} list -A $A | grep -F -e {target} | grep -qF -e {place}"
            yield command(f"{listing} add -A $A -a {place} -n {target}", f"Target on portal {portal.name}.", there)
            yield from _chap(facts, target, place)


def _chap(facts: KitFacts, target: str, portal: str) -> Iterator[KitCommand]:
    """Target and portal are quoted for the shell already."""
    if facts.chap is None:
        return
    ways = [("uni", facts.chap.user, plain(facts.chap.secret, CHAP_SECRET))]
    if facts.chap.mutual_user:
        ways.append(("mutual", facts.chap.mutual_user, plain(facts.chap.mutual_secret, CHAP_MUTUAL)))
    for direction, user, secret in ways:
        run = (
            f"{_ADAPTER}; esxcli iscsi adapter target portal auth chap set -A $A -a {portal} -n {target} "
            f"-d {direction} -l required -N {_word(user)} -S {_word(secret)}"
        )
        yield command(
            run,
            "Sets the CHAP credentials of the host."
            if direction == "uni"
            else "Sets the CHAP credentials of the target.",
        )


def _nvme(facts: KitFacts) -> Iterator[KitCommand]:
    nic = "esxcli nvme fabrics enable --protocol TCP --device ${NIC:?set NIC to the network adapter, such as vmnic1}"
    yield command(nic, "Creates an NVMe/TCP adapter on a network adapter.", "esxcli nvme adapter list | grep -qi tcp")
    tag = "esxcli network ip interface tag add -i ${VMK:?set VMK to a VMkernel interface, such as vmk1} -t NVMeTCP"
    yield command(tag, "Enables NVMe/TCP on the VMkernel interface.")
    adapter = "A=$(esxcli nvme adapter list | awk '/[Tt][Cc][Pp]/ { print $1; exit }')"
    for kit_target in facts.targets_of(Family.NVME):
        for portal in facts.portals_of(Protocol.NVME_TCP):
            target, place = _word(kit_target.name), _word(portal.address)
            run = f"{adapter}; esxcli nvme fabrics connect -a $A -i {place} -p {portal.port} -s {target}"
            there = f"esxcli nvme controller list | grep -F -e {target} | grep -qF -e {place}"
            yield command(run, f"Connects through portal {portal.name}; persists after a reboot.", there)


def _word(text: str) -> str:
    """One word for the shell, whatever it contains."""
    return shlex.quote(text)


def _warnings(facts: KitFacts) -> Iterator[str]:
    left_out = [one.name for one in facts.portals_of(Protocol.ISER, Protocol.NVME_RDMA)]
    if left_out:
        yield f"Portals over RDMA ({', '.join(left_out)}) are omitted: on ESXi, RDMA adapters must be set up by hand."
    if facts.over_nvme_fc:
        yield (
            "This kit sets up nothing for NVMe over Fibre Channel: ESXi finds the ports automatically. This was not "
            "tested."
        )
    if facts.over_nvme or facts.over_nvme_fc:
        yield (
            "The NVMe target of the appliance does not support reservations or fused compare-and-write: put a "
            "datastore that several ESXi hosts share on iSCSI or Fibre Channel."
        )
    if facts.over_nvme and facts.dhchap:
        yield "The host has a DH-HMAC-CHAP key, which this kit cannot set up on ESXi: remove the key from the host."
