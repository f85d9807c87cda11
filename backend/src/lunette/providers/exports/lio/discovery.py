"""The login that LIO asks for before it tells a host its targets: one for the machine, `iscsi/discovery_auth`.

With it LIO lets nobody discover without CHAP (iscsi_disc_enforce_discovery_auth_store, Linux 6.12). It holds for the
targets of others too, so where such stand and nobody asked for a login here, it is theirs and left alone.
"""

from collections.abc import Collection

from lunette.domain.exports import ExportSet
from lunette.providers.exports.configfs import Attribute
from lunette.providers.exports.lio import strays, tree
from lunette.providers.exports.lio.configfs import Configfs
from lunette.providers.exports.lio.tree import DISCOVERY, Node

_NAMES = ("iqn.", "eui.", "naa.")


def nodes(files: Configfs, desired: ExportSet, adopted: Collection[str]) -> tuple[Node, ...]:
    """Credentials come before they are asked for, and go after. Nothing where it is not ours to change."""
    asks = Attribute(name="enforce_discovery_auth", value=str(int(desired.discovery is not None)))
    credentials = tuple(tree.credentials(desired.discovery))
    if desired.discovery is not None:
        return (Node(path=DISCOVERY, attributes=(*credentials, asks)),)
    theirs = strays.foreign(files, tree.target_prefix(desired.appliance_id), adopted)
    if any(name.startswith(_NAMES) for name in theirs):
        return ()
    return (Node(path=DISCOVERY, attributes=(asks, *credentials)),)
