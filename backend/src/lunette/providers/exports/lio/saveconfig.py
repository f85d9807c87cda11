"""The tree as a `saveconfig.json`, which rtslib-fb restores to the same tree without Lunette. Pure.

Format: saveconfig.json(5) and the `setup` methods of rtslib-fb 2.2 (rtslib/root.py, tcm.py, target.py). Keys that older
versions do not accept, such as `exclusive` of a backstore, are left to their defaults.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lunette.domain.exports import ExportFcPort, ExportPortal, ExportSet, ExportTarget
from lunette.domain.fc import FcMode, ObservedFcPort
from lunette.domain.identity import PRODUCT, VENDOR
from lunette.domain.mappings import ExportEngine, Protocol
from lunette.domain.targetcli import Saveconfig
from lunette.providers.exports.configfs import Attribute
from lunette.providers.exports.lio import fc_tree, tree
from lunette.providers.exports.lio.tree import Backstore, Node
from lunette.providers.fabrics.fc_host import BY_DRIVER

_CREDENTIALS = {
    "auth/userid": "chap_userid",
    "auth/password": "chap_password",
    "auth/userid_mutual": "chap_mutual_userid",
    "auth/password_mutual": "chap_mutual_password",
}
_FABRICS = {"fc": "tcm_fc"}
"""Fabrics whose name in rtslib differs from their directory (rtslib/fabric.py)."""
_WWPN = re.compile(r"[125c-f][0-9a-f]{15}")
"""Names that rtslib accepts (`normalize_wwn` in rtslib/utils.py)."""
_Json = dict[str, Any]


def write(desired: ExportSet, ports: Sequence[ObservedFcPort], *, secrets: bool) -> Saveconfig:
    """The desired state as a document. `ports` are those of the machine: their drivers show which fabric serves them.

    Without `secrets`, user names and CHAP secrets are omitted, and hosts that need them are not admitted.
    """
    nodes = tree.build(desired).nodes()
    portals = [_portal(portal) for portal in desired.portals if portal.engine is ExportEngine.LIO]
    drivers = {port.wwpn: port.driver for port in ports}
    document = {
        "fabric_modules": [],
        "storage_objects": [_backstore(node) for node in nodes.values() if isinstance(node, Backstore)],
        "targets": [
            *(_target(target, nodes, portals, secrets=secrets) for target in desired.targets),
            *_fc_targets(desired, drivers),
        ],
    }
    asked = sorted({one.host for target in desired.targets for one in target.initiators if one.chap})
    return Saveconfig(
        document=document,
        has_secrets=secrets or not asked,
        left_out=tuple(_left_out(desired, drivers, () if secrets else asked)),
    )


def _backstore(node: Backstore) -> _Json:
    """`emulate_tpu` is requested everywhere: if the device cannot discard, the kernel refuses it, for rtslib as for
    Lunette.
    """
    discards = (pin.attribute for pin in tree.PINNED if pin.if_discards)
    attributes = _numbers(one for one in (*node.attributes, *discards) if one.name.startswith("attrib/"))
    return {
        "attributes": attributes,
        "dev": node.device,
        "name": _last(node.path),
        "plugin": "block",
        "readonly": False,
        "write_back": False,
        "wwn": node.serial,
    }


def _target(target: ExportTarget, nodes: dict[str, Node], portals: list[_Json], *, secrets: bool) -> _Json:
    group = tree.portal_group(target)
    names = [one.iqn for one in target.initiators if _speaks(one.iqn)]
    acls = []
    for iqn in names:
        acl = nodes[f"{group}/acls/{iqn}"]
        mapped = [nodes[f"{acl.path}/lun_{lun.lun}"] for lun in target.luns]
        acls.append(_acl(iqn, acl, mapped, secrets=secrets))
    luns = [_lun(nodes[f"{group}/lun/lun_{lun.lun}"]) for lun in target.luns]
    inside = {"attributes": _numbers(nodes[group].attributes), "luns": luns, "node_acls": acls, "portals": portals}
    return {"fabric": "iscsi", "tpgs": [{"enable": True, "tag": target.tag, **inside}], "wwn": target.iqn}


def _fc_targets(desired: ExportSet, drivers: dict[str, str]) -> Iterator[_Json]:
    numbers = fc_tree.choose_numbers({}, fc_tree.served(desired.targets))
    for port in desired.fc_ports:
        fabric = BY_DRIVER.get(drivers.get(port.wwpn, ""))
        if port.mode is not FcMode.TARGET or fabric is None or not numbers:
            continue
        place = fc_tree.place(port, fabric, None, numbers)
        volumes = fc_tree.levels([place], desired.targets)[-1]
        accesses = [
            access
            for access in fc_tree.accesses([place], desired.targets)
            if _WWPN.fullmatch(access.wwpn.replace(":", ""))
        ]
        inside = {
            "attributes": _numbers(place.attributes),
            "luns": [_lun(node) for node in volumes],
            "portals": [],
            "node_acls": [
                _acl(_naa(access.wwpn), access.nodes[0], access.nodes[1:], secrets=True) for access in accesses
            ],
        }
        yield {
            "fabric": _FABRICS.get(fabric.folder, fabric.folder),
            "tpgs": [{"enable": True, "tag": 1, **inside}],
            "wwn": _naa(port.wwpn),
        }


def _lun(node: Node) -> _Json:
    alias, backstore = node.link or ("", "")
    return {
        "alias": alias,
        "alua_tg_pt_gp_name": "default_tg_pt_gp",
        "index": _index(node.path),
        "storage_object": f"/backstores/block/{_last(backstore)}",
    }


def _acl(name: str, node: Node, mapped: Iterable[Node], *, secrets: bool) -> _Json:
    """Attributes first, then the ACLs."""
    reported = {_CREDENTIALS[one.name]: one.value for one in node.attributes if one.secret and one.value and secrets}
    switches = _numbers(one for one in node.attributes if not one.secret)
    return {"attributes": switches, "mapped_luns": [_mapped(one) for one in mapped], "node_wwn": name, **reported}


def _mapped(node: Node) -> _Json:
    alias, lun = node.link or ("", "")
    return {"alias": alias, "index": _index(node.path), "tpg_lun": _index(lun), "write_protect": False}


def _portal(portal: ExportPortal) -> _Json:
    address = tree.portal_name(portal).rpartition(":")[0]
    iser = portal.protocol is Protocol.ISER
    return {"ip_address": address, "iser": iser, "offload": False, "port": portal.port}


def _left_out(desired: ExportSet, drivers: dict[str, str], asked: Sequence[str]) -> Iterator[str]:
    if asked:
        yield (
            f"The CHAP secrets of {_enumerated(asked)}: these hosts cannot log in to a configuration restored from "
            "this file; an administrator can export it with secrets."
        )
    for target in desired.targets:
        for one in target.initiators:
            if not _speaks(one.iqn):
                yield (
                    f"Initiator {one.iqn} of {one.host}: rtslib does not accept names with an underscore; rename the "
                    "initiator on the host."
                )
        for fc in target.fc_initiators:
            if not _WWPN.fullmatch(fc.wwpn.replace(":", "")):
                yield f"Initiator {fc.wwpn} of {fc.host}: rtslib does not accept it as a WWPN; create its ACL manually."
    for port in desired.fc_ports:
        if words := _port_problem(port, drivers.get(port.wwpn)):
            yield f"Fibre Channel port {port.wwpn}: {words}"
    for wwpn, numbers in fc_tree.collisions(desired.targets).items():
        yield (
            f"LUN {min(numbers)} of {wwpn}: two volumes have this LUN over Fibre Channel; map one of them again under "
            "a different LUN."
        )
    names = {volume.volume_id: volume.name for volume in desired.volumes}
    for subsystem in desired.subsystems:
        volumes = _enumerated([names[lun.volume_id] for lun in subsystem.luns])
        yield f"{volumes} over NVMe ({subsystem.nqn}): LIO does not serve NVMe; set it up with nvmetcli."
    if desired.targets:
        yield (
            f"SCSI vendor and product: hosts will see LIO-ORG and IBLOCK instead of {VENDOR} and {PRODUCT}; serial "
            "numbers and NAAs do not change. Multipath settings that match the former must also match LIO-ORG before "
            "the migration."
        )


def _port_problem(port: ExportFcPort, driver: str | None) -> str | None:
    if port.mode is not FcMode.TARGET:
        return None
    if driver is None:
        return "it is not present now, so its fabric is unknown; export again when it is present."
    return (
        None if driver in BY_DRIVER else f"its driver {driver} has no fabric that Lunette supports; set it up manually."
    )


def _speaks(iqn: str) -> bool:
    """Whether rtslib takes the name (`normalize_wwn` in rtslib/utils.py)."""
    return "_" not in iqn


def _numbers(attributes: Iterable[Attribute]) -> dict[str, int]:
    return {one.name.removeprefix("attrib/"): int(one.value) for one in attributes}


def _naa(wwpn: str) -> str:
    return "naa." + wwpn.replace(":", "")


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _index(path: str) -> int:
    return int(path.rpartition("_")[2])


def _enumerated(names: Sequence[str]) -> str:
    """All of a few names; of many the first ones and how many more."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
