"""Finds objects in nvmet's configfs with Lunette's mark that are no longer desired, and removes them from the leaves
up.

Lunette's marks: the authority in a subsystem's name, the number of a port, and on a host name, which is the host's own,
the unusable key: it is written before the last of Lunette's subsystems drops the host. Adopted objects have none of
them and are identified by the ledger.
"""

from collections.abc import Iterable
from functools import partial

from lunette.providers.exports.configfs import KernelRefused, attempt
from lunette.providers.exports.nvmet.adopted import Ours
from lunette.providers.exports.nvmet.configfs import NvmetConfigfs
from lunette.providers.exports.nvmet.tree import REFERRAL, Namespace, Tree


def foreign(files: NvmetConfigfs, ours: Ours) -> tuple[str, ...]:
    """Foreign subsystems: shown, never changed."""
    return ours.foreign(files.names("subsystems"))


def foreign_hosts(files: NvmetConfigfs, ours: Ours) -> dict[str, str]:
    """For each host name that a foreign subsystem allows: that subsystem. Its key is not Lunette's to set."""
    return {
        f"hosts/{nqn}": name for name in foreign(files, ours) for nqn in files.names(f"subsystems/{name}/allowed_hosts")
    }


def stop_listening(files: NvmetConfigfs, ports: Iterable[str], ours: Ours) -> dict[str, str]:
    """Remove Lunette's subsystems from these ports: the first that is restored makes a port listen again. Returns what
    was refused.
    """
    failed: dict[str, str] = {}
    for port in ports:
        for link in files.links(f"{port}/subsystems"):
            if ours.has_link(files, link):
                attempt(failed, link, partial(files.unlink, link))
    return failed


def remove(files: NvmetConfigfs, wanted: Tree, ours: Ours) -> dict[str, str]:
    """Remove every stale object. Returns what was refused, by path: the next run retries."""
    sweeper = Sweeper(files, wanted, ours)
    sweeper.close_subsystems()
    for subsystem in ours.subsystem_paths(files):
        sweeper.subsystem(subsystem)
    for port in ours.port_paths(files):
        sweeper.port(port)
    for name in files.names("hosts"):
        sweeper.host(f"hosts/{name}")
    return sweeper.failed


class Sweeper:
    """Removes what is not in `wanted`. `failed` is what was refused, by path."""

    def __init__(self, files: NvmetConfigfs, wanted: Tree, ours: Ours) -> None:
        self.files, self.wanted, self.ours = files, wanted.nodes(), ours
        self.failed: dict[str, str] = {}

    def close_subsystems(self) -> None:
        """Paths are removed before what they lead to: all links in ports first, so that a port stops listening soon."""
        for port in self.ours.port_paths(self.files):
            kept = self._is_right(port)
            for link in self.files.links(f"{port}/subsystems"):
                if self.ours.has_link(self.files, link) and not (kept and link in self.wanted):
                    attempt(self.failed, link, partial(self.files.unlink, link))

    def subsystem(self, path: str) -> None:
        for link in self.files.links(f"{path}/allowed_hosts"):
            if link not in self.wanted:
                attempt(self.failed, link, partial(self.release, path, link))
        for namespace in self.files.links(f"{path}/namespaces"):
            if not self.stands(namespace):
                attempt(self.failed, namespace, partial(self.take_away, namespace))
        if path not in self.wanted:
            attempt(self.failed, path, partial(self.files.rmdir, path))

    def port(self, path: str) -> None:
        """A port that is not desired, or has another address; one that serves a foreign subsystem stays.

        The kernel accepts no other address for an active referral, so one that differs is created again.
        """
        for referral in self.files.links(f"{path}/referrals"):
            if referral.rpartition("/")[2].startswith(REFERRAL) and not self._is_right_referral(referral):
                attempt(self.failed, referral, partial(self.files.rmdir, referral))
        if not self._is_right(path) and not self.files.names(f"{path}/subsystems"):
            attempt(self.failed, path, partial(self.files.rmdir, path))

    def host(self, path: str) -> None:
        if path not in self.wanted and self.files.is_closed(path):
            attempt(self.failed, path, partial(self.files.rmdir, path))

    def release(self, subsystem: str, link: str) -> None:
        """The kernel checks access only when a host connects (6.12), so connected hosts are disconnected and checked
        again.

        The other hosts of the subsystem reconnect automatically, after their reconnect delay. A host that no subsystem
        allows is recognized as Lunette's only by its key, so it is not dropped before it has that one.
        """
        host = self.files.points_to(link)
        if host is None:
            raise KernelRefused(f"{link} does not show which host it allows")
        if host not in self.wanted:
            self.files.close(host)
        for place in self.ours.places_of(self.files, subsystem):
            self.files.unlink(place)
        self.files.unlink(link)

    def take_away(self, namespace: str) -> None:
        """Connected hosts are notified by an event; outstanding I/O ends first."""
        if self.files.read(f"{namespace}/enable") == "1":
            self.files.write(f"{namespace}/enable", "0")
        self.files.rmdir(namespace)

    def stands(self, namespace: str) -> bool:
        """True if it is desired, and serves what it should or nothing yet."""
        node = self.wanted.get(namespace)
        if not isinstance(node, Namespace):
            return False
        if self.files.read(f"{namespace}/enable") != "1":
            return True
        return self._is_its_device(namespace, node.device) and all(
            self.files.read(f"{namespace}/{a.name}") == a.value for a in node.attributes if a.name != "device_path"
        )

    def _is_its_device(self, namespace: str, device: str) -> bool:
        """True if the written path leads to the device: an adopted one may have another path."""
        written = self.files.read(f"{namespace}/device_path")
        return written == device or self.files.system.realpath(written) == self.files.system.realpath(device)

    def _is_right_referral(self, referral: str) -> bool:
        """True if it is desired, and leads where it should or was never completed."""
        node = self.wanted.get(referral)
        if node is None:
            return False
        if self.files.read(f"{referral}/enable") != "1":
            return True
        return all(self.files.read(f"{referral}/{a.name}") == a.value for a in node.attributes)

    def _is_right(self, port: str) -> bool:
        """True if a port is desired and has its address, or none yet."""
        node = self.wanted.get(port)
        if node is None:
            return False
        if not self.files.names(f"{port}/subsystems"):
            return True
        return all(self.files.read(f"{port}/{a.name}") == a.value for a in node.attributes)


def withdraw(files: NvmetConfigfs, ours: Ours) -> dict[str, str]:
    """Remove everything of Lunette, whatever the appliance ID. Returns what was refused, by path."""
    try:
        return remove(files, Tree(), ours)
    except KernelRefused as error:
        return {"nvmet": str(error)}
