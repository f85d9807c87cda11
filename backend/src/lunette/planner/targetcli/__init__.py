"""Reads a targetcli configuration: what Lunette could serve as it is, and what not and why. Pure (decision 0023).

The verdict is about what hosts see: names, LUN numbers, identities, credentials. Whether the machine has the devices is
not looked at.
"""

from lunette.domain.targetcli import Finding, Inspection, SavedConfig
from lunette.planner.targetcli import fc, iscsi
from lunette.planner.targetcli.backstores import Backstores
from lunette.planner.targetcli.fc import FABRICS as FC_FABRICS

_DISCOVERY = (
    "Discovery asks for CHAP. Lunette's does not: it shows each initiator the targets it may use and no others. "
    "Initiators that keep such credentials are let in all the same."
)


def inspect(saved: SavedConfig) -> Inspection:
    """Every object with its verdict, in the order of the file."""
    stores = Backstores(saved)
    asking = (fabric for fabric in saved.fabric_modules if fabric.discovery_enable_auth)
    findings = [
        *stores.findings(),
        *(Finding(path=f"/{fabric.name}", fits=False, words=_DISCOVERY) for fabric in asking),
    ]
    over_ip, over_fc = iscsi.Targets(saved, stores), fc.Ports(saved, stores)
    for target in saved.targets:
        if target.fabric == "iscsi":
            findings += over_ip.judge(target)
        elif target.fabric in FC_FABRICS:
            findings += over_fc.judge(target)
        else:
            path = f"/{target.fabric}/{target.wwn}"
            words = f"Lunette does not serve over {target.fabric}: give its volumes to hosts over iSCSI, NVMe or FC."
            findings.append(Finding(path=path, fits=False, words=words))
    fits = sum(one.fits for one in findings)
    return Inspection(fits=fits, refused=len(findings) - fits, findings=tuple(findings))
