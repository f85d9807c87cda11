"""Every request that is ever sent to SPDK. Their parameters are those of the RPC schema of SPDK 26.09."""

from ipaddress import ip_address
from typing import Any

from lunette.providers.exports.nvmet.tree import ANA_GROUP, CNTLID_MAX
from lunette.providers.exports.spdk.tree import Bdev, Host, Listener, Namespace, Subsystem
from lunette.system.system_port import RpcCall

TRANSPORT = "TCP"
MAX_NAMESPACES = 256
"""Numbers go to 255; SPDK's own default is 32 (NVMF_SUBSYSTEM_DEFAULT_NAMESPACES)."""
LOOKS = ("nvmf_get_transports", "nvmf_get_subsystems", "bdev_get_bdevs", "keyring_get_keys")


def looks() -> tuple[RpcCall, ...]:
    """Requests for the whole state; `seen.read` parses the answers."""
    return tuple(RpcCall(method=method, params={}) for method in LOOKS)


def version() -> RpcCall:
    return RpcCall(method="spdk_get_version", params={})


def transports() -> RpcCall:
    return RpcCall(method="nvmf_get_transports", params={})


def queues(nqn: str) -> RpcCall:
    return RpcCall(method="nvmf_subsystem_get_qpairs", params={"nqn": nqn})


def make_transport() -> RpcCall:
    """Reservations and fused compare-and-write are masked: they would be lost with the process."""
    params = {"trtype": TRANSPORT, "masked_oncs": ["reservs"], "masked_fuses": ["fcws"]}
    return RpcCall(method="nvmf_create_transport", params=params)


def make_bdev(bdev: Bdev, block_bytes: int) -> RpcCall:
    """AIO, not io_uring: SPDK's uring bdev tells hosts that there is no cache to flush, and drops their flushes."""
    params = {"name": bdev.name, "filename": bdev.device, "block_size": block_bytes, "uuid": bdev.uuid}
    return RpcCall(method="bdev_aio_create", params=params)


def rescan_bdev(name: str) -> RpcCall:
    return RpcCall(method="bdev_aio_rescan", params={"name": name})


def delete_bdev(name: str) -> RpcCall:
    return RpcCall(method="bdev_aio_delete", params={"name": name})


def make_subsystem(subsystem: Subsystem) -> RpcCall:
    params: dict[str, Any] = {
        "nqn": subsystem.nqn,
        "serial_number": subsystem.serial,
        "model_number": subsystem.model,
        "allow_any_host": False,
        "max_namespaces": MAX_NAMESPACES,
        "ana_reporting": True,
        "min_cntlid": 1,
        "max_cntlid": CNTLID_MAX,
    }
    return RpcCall(method="nvmf_create_subsystem", params=params)


def delete_subsystem(nqn: str) -> RpcCall:
    return RpcCall(method="nvmf_delete_subsystem", params={"nqn": nqn})


def add_namespace(nqn: str, namespace: Namespace) -> RpcCall:
    reported = {
        "nsid": namespace.nsid,
        "bdev_name": namespace.bdev,
        "uuid": namespace.uuid,
        "nguid": namespace.nguid.upper(),
        "anagrpid": int(ANA_GROUP),
    }
    return RpcCall(method="nvmf_subsystem_add_ns", params={"nqn": nqn, "namespace": reported})


def remove_namespace(nqn: str, nsid: int) -> RpcCall:
    return RpcCall(method="nvmf_subsystem_remove_ns", params={"nqn": nqn, "nsid": nsid})


def add_listener(nqn: str, listener: Listener) -> RpcCall:
    return RpcCall(method="nvmf_subsystem_add_listener", params={"nqn": nqn, "listen_address": _place(listener)})


def remove_listener(nqn: str, listener: Listener) -> RpcCall:
    return RpcCall(method="nvmf_subsystem_remove_listener", params={"nqn": nqn, "listen_address": _place(listener)})


def add_host(nqn: str, host: Host) -> RpcCall:
    return RpcCall(method="nvmf_subsystem_add_host", params={"nqn": nqn, "host": host.nqn, **_keys(host)})


def set_keys(nqn: str, host: Host) -> RpcCall:
    return RpcCall(method="nvmf_subsystem_set_keys", params={"nqn": nqn, "host": host.nqn, **_keys(host)})


def remove_host(nqn: str, host: str) -> RpcCall:
    """It is disconnected too."""
    return RpcCall(method="nvmf_subsystem_remove_host", params={"nqn": nqn, "host": host})


def add_key(name: str, path: str) -> RpcCall:
    return RpcCall(method="keyring_file_add_key", params={"name": name, "path": path})


def remove_key(name: str) -> RpcCall:
    return RpcCall(method="keyring_file_remove_key", params={"name": name})


def _keys(host: Host) -> dict[str, str]:
    named = {"dhchap_key": host.key, "dhchap_ctrlr_key": host.mutual_key}
    return {parameter: name for parameter, name in named.items() if name is not None}


def _place(listener: Listener) -> dict[str, str]:
    family = f"ipv{ip_address(listener.address).version}"
    return {"trtype": TRANSPORT, "adrfam": family, "traddr": listener.address, "trsvcid": str(listener.port)}
