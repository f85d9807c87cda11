"""Hosts that do not exist, for the tests of their kits."""

from typing import Any

from pydantic import SecretStr

from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family, Protocol
from lunette.planner.kits.facts import KitChap, KitDhChap, KitFacts, KitPortal, KitTarget, KitVolume

IQN, WWPN = "iqn.2026-01.com.example:h1", "21:00:00:24:ff:00:00:01"
NQN = "nqn.2014-08.org.nvmexpress:uuid:12345678-1234-4234-8234-123456789abc"
TARGET, SUBSYSTEM = "iqn.2026-11.io.lunette:x.h1", "nqn.2026-11.io.lunette:x.h1"
SECRET, MUTUAL = "it's $HOME `x`", 'other "one"'
LUN = KitVolume(
    name="lun01", lun=1, naa="60014055cd2a4d8c8e1b2f3a4b5c6d7e", uuid="0f5e7e0e-6d0b-4f0e-9a53-2f4b1f3b6a01"
)
A, B = (KitPortal(name, Protocol.ISCSI, address, 3260) for name, address in (("a", "192.0.2.1"), ("b", "198.51.100.1")))
ISER = KitPortal("r", Protocol.ISER, "192.0.2.1", 3261)
NVME = KitPortal("n", Protocol.NVME_TCP, "2001:db8::1", 4420)
SCSI_TARGET, NVME_TARGET = KitTarget(Family.SCSI, TARGET, 1, (LUN,)), KitTarget(Family.NVME, SUBSYSTEM, 1, (LUN,))
CHAP = KitChap("u", "m", SecretStr(SECRET), SecretStr(MUTUAL))
DHCHAP = KitDhChap(True, SecretStr("DHHC-1:00:one:"), SecretStr("DHHC-1:00:two:"))


def facts(os_type: OsType = OsType.LINUX, **changes: Any) -> KitFacts:
    """A host with an IQN and one volume, on two portals."""
    reported: dict[str, Any] = {
        "host": "h1",
        "os_type": os_type,
        "iqns": (IQN,),
        "wwpns": (),
        "nqns": (),
        "targets": (SCSI_TARGET,),
        "portals": (A, B),
        "fc_ports": (),
        "has_secrets": True,
    }
    return KitFacts(**(reported | changes))


def nvme_facts(os_type: OsType = OsType.LINUX, **changes: Any) -> KitFacts:
    """A host with an NQN and one volume, on one portal."""
    return facts(os_type, **({"iqns": (), "nqns": (NQN,), "targets": (NVME_TARGET,), "portals": (NVME,)} | changes))


WITHOUT_SECRETS: dict[str, Any] = {"chap": KitChap("u", "m"), "dhchap": KitDhChap(True), "has_secrets": False}
