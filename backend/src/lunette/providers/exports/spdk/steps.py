"""The difference between the desired and the present state, as requests in the order in which they may be sent. Pure.

Requests of one phase about the same object run one after another, because the target pauses a subsystem while it
changes it; others run concurrently.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lunette.providers.exports.spdk import requests
from lunette.providers.exports.spdk.state import SpdkState
from lunette.providers.exports.spdk.tree import DISCOVERY, Bdev, Listener, Namespace, SpdkTree
from lunette.system.system_port import RpcCall


class Step(NamedTuple):
    """`path` is what it creates or removes, `of` the changed object, `what` describes it."""

    path: str
    of: str
    what: str
    call: RpcCall


def namespace_path(nqn: str, nsid: int) -> str:
    return f"{nqn}/{nsid}"


def host_path(nqn: str, host: str) -> str:
    return f"{nqn}@{host}"


def listener_path(nqn: str, listener: Listener) -> str:
    return f"{nqn} at {listener.shown}"


def stale(seen: SpdkState, wanted: SpdkTree, prefix: str) -> tuple[tuple[Step, ...], ...]:
    """Removes what is not desired, or differs, from the leaves up; only subsystems with `prefix`."""
    return (
        tuple(_close(seen, wanted, prefix)),
        tuple(_free(seen, wanted, prefix)),
        tuple(
            Step(nqn, nqn, f"remove subsystem {nqn}", requests.delete_subsystem(nqn))
            for nqn in seen.subsystems
            if nqn.startswith(prefix) and not _is_right(seen, wanted, nqn)
        ),
        tuple(
            Step(name, name, f"close {bdev.device}", requests.delete_bdev(name))
            for name, bdev in seen.bdevs.items()
            if not _is_same(bdev, wanted.bdevs.get(name))
        ),
    )


def unused_keys(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    """Objects to remove once no host has them."""
    used = {
        key for one in seen.subsystems.values() for host in one.hosts.values() for key in (host.key, host.mutual_key)
    }
    return tuple(
        Step(name, name, "remove a key", requests.remove_key(name))
        for name in sorted(seen.keys - wanted.keys.keys() - used)
    )


def subsystems(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    return tuple(
        Step(nqn, nqn, f"create subsystem {nqn}", requests.make_subsystem(one))
        for nqn, one in wanted.subsystems.items()
        if nqn not in seen.subsystems
    )


def namespaces(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    return tuple(
        Step(
            namespace_path(nqn, nsid), nqn, f"create namespace {nsid} of {nqn}", requests.add_namespace(nqn, namespace)
        )
        for nqn, one in wanted.subsystems.items()
        for nsid, namespace in one.namespaces.items()
        if nqn not in seen.subsystems or nsid not in seen.subsystems[nqn].namespaces
    )


def discovery(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    """Opens the portals: hosts that connect find the list of subsystems."""
    return tuple(
        Step(listener_path(DISCOVERY, place), DISCOVERY, f"listen on {place.shown}", _listen(DISCOVERY, place))
        for place in sorted(wanted.listeners - seen.discovery, key=lambda place: place.shown)
    )


def listeners(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    return tuple(
        Step(listener_path(nqn, place), nqn, f"serve {nqn} on {place.shown}", _listen(nqn, place))
        for nqn, one in wanted.subsystems.items()
        for place in sorted(one.listeners, key=lambda place: place.shown)
        if nqn not in seen.subsystems or place not in seen.subsystems[nqn].listeners
    )


def hosts(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    """Admits hosts that are not admitted yet: to be sent only for complete subsystems."""
    return tuple(
        Step(host_path(nqn, name), nqn, f"allow {name} to access {nqn}", requests.add_host(nqn, host))
        for nqn, one in wanted.subsystems.items()
        for name, host in one.hosts.items()
        if nqn not in seen.subsystems or name not in seen.subsystems[nqn].hosts
    )


def changed_keys(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    """Connected hosts stay connected; the new key counts at the next connection."""
    return tuple(
        Step(host_path(nqn, name), nqn, f"change the keys of {name}", requests.set_keys(nqn, host))
        for nqn, one in wanted.subsystems.items()
        for name, host in one.hosts.items()
        if nqn in seen.subsystems and seen.subsystems[nqn].hosts.get(name) not in (None, host)
    )


def grown(seen: SpdkState, wanted: SpdkTree) -> tuple[Step, ...]:
    """Hosts are notified by an event."""
    return tuple(
        Step(name, name, f"update the size of {bdev.device}", requests.rescan_bdev(name))
        for name, bdev in wanted.bdevs.items()
        if name in seen.bdevs and seen.bdevs[name].size_bytes < bdev.size_bytes
    )


def _listen(nqn: str, place: Listener) -> RpcCall:
    return requests.add_listener(nqn, place)


def _close(seen: SpdkState, wanted: SpdkTree, prefix: str) -> Iterator[Step]:
    """Paths are removed before what they lead to. If a foreign subsystem listens too, discovery continues."""
    for place in sorted(seen.discovery - wanted.listeners - seen.taken, key=lambda place: place.shown):
        path, call = listener_path(DISCOVERY, place), requests.remove_listener(DISCOVERY, place)
        yield Step(path, DISCOVERY, f"close {place.shown}", call)
    for nqn, one in seen.subsystems.items():
        if not nqn.startswith(prefix) or not _is_right(seen, wanted, nqn):
            continue  # not ours, or it goes as a whole
        for place in sorted(one.listeners - wanted.subsystems[nqn].listeners, key=lambda place: place.shown):
            call = requests.remove_listener(nqn, place)
            yield Step(listener_path(nqn, place), nqn, f"stop serving {nqn} on {place.shown}", call)
        for name in one.hosts.keys() - wanted.subsystems[nqn].hosts.keys():
            call = requests.remove_host(nqn, name)
            yield Step(host_path(nqn, name), nqn, f"remove access of {name} to {nqn}", call)


def _free(seen: SpdkState, wanted: SpdkTree, prefix: str) -> Iterator[Step]:
    for nqn, one in seen.subsystems.items():
        if not nqn.startswith(prefix) or not _is_right(seen, wanted, nqn):
            continue
        for nsid, namespace in one.namespaces.items():
            if not _stands(seen, wanted, nqn, namespace):
                call = requests.remove_namespace(nqn, nsid)
                yield Step(namespace_path(nqn, nsid), nqn, f"remove namespace {nsid} of {nqn}", call)


def _is_right(seen: SpdkState, wanted: SpdkTree, nqn: str) -> bool:
    """True if the subsystem is desired and shows hosts what it should; its parts may still differ."""
    there, asked = seen.subsystems[nqn], wanted.subsystems.get(nqn)
    return asked is not None and (there.serial, there.model) == (asked.serial, asked.model)


def _stands(seen: SpdkState, wanted: SpdkTree, nqn: str, namespace: Namespace) -> bool:
    there = seen.bdevs.get(namespace.bdev)
    asked = wanted.subsystems[nqn].namespaces.get(namespace.nsid)
    return asked == namespace and there is not None and _is_same(there, wanted.bdevs.get(namespace.bdev))


def _is_same(there: Bdev, asked: Bdev | None) -> bool:
    return asked is not None and (there.device, there.uuid) == (asked.device, asked.uuid)
