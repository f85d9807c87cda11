"""The login that LIO requires for discovery: one for the machine, `iscsi/discovery_auth`.

With it, LIO allows discovery only with CHAP (iscsi_disc_enforce_discovery_auth_store, Linux 6.12). It also applies to
targets of other systems, so if such targets exist and no login was configured here, it is left unchanged.
"""

from collections.abc import Collection

from lunette.domain.exports import ExportSet
from lunette.providers.exports.configfs import Attribute
from lunette.providers.exports.lio import stale, tree
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.tree import DISCOVERY, Node

_NAMES = ("iqn.", "eui.", "naa.")


def nodes(files: LioConfigfs, desired: ExportSet, adopted: Collection[str]) -> tuple[Node, ...]:
    """Credentials are set before they are required, and removed after. Nothing if it is not Lunette's to change."""
    asks = Attribute(name="enforce_discovery_auth", value=str(int(desired.discovery is not None)))
    credentials = tuple(tree.credentials(desired.discovery))
    if desired.discovery is not None:
        return (Node(path=DISCOVERY, attributes=(*credentials, asks)),)
    theirs = stale.foreign(files, tree.target_prefix(desired.appliance_id), adopted)
    if any(name.startswith(_NAMES) for name in theirs):
        return ()
    return (Node(path=DISCOVERY, attributes=(asks, *credentials)),)
