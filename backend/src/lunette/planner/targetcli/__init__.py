"""Inspects a targetcli configuration: what Lunette could serve unchanged, and why not the rest. Pure (decision 0023).

The verdict is about what hosts see: names, LUNs, identities and credentials. It does not check that the devices exist.
"""

from lunette.domain.targetcli import Finding, Inspection, SavedConfig
from lunette.planner.targetcli import fc, iscsi
from lunette.planner.targetcli.backstores import Backstores
from lunette.planner.targetcli.fc import FABRICS as FC_FABRICS

_DISCOVERY = (
    "Discovery requires CHAP. Lunette's discovery does not: it shows each initiator only the targets that it may use. "
    "Initiators configured with discovery credentials can still discover and log in."
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
            words = f"Lunette does not serve over {target.fabric}: map its volumes over iSCSI, NVMe or FC."
            findings.append(Finding(path=path, fits=False, words=words))
    fits = sum(one.fits for one in findings)
    return Inspection(fits=fits, refused=len(findings) - fits, findings=tuple(findings))
