"""What is missing behind a target of LIO, and what a target whose deadline has passed opens without.

Excused is only what results from a volume that cannot be served: a LUN, or a LUN mapped to an initiator, whose
backstore failed, that fails for this very reason, and that has nothing under its number. Otherwise a host could see the
wrong disk.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.tree import Backstore, Node


@dataclass(frozen=True)
class Lack:
    """`reason` is the first missing object, in words; None if nothing is missing."""

    reason: str | None = None
    volumes: tuple[str, ...] = ()
    """IDs of the volumes that cannot be served, each once."""
    can_be_excused: bool = False
    """True if only these are missing, and a volume exists: a host must not see an empty target."""

    def keeps_closed(self, patient: Collection[str] | None) -> bool:
        """True if a target waits for it. `patient` are the volumes that are waited for without a deadline; None:
        all.
        """
        if self.reason is None:
            return False
        return patient is None or not self.can_be_excused or any(volume in patient for volume in self.volumes)


class Lacks:
    """Checks paths of one run: `wanted` are its nodes, `failed` their results so far."""

    def __init__(self, files: LioConfigfs, wanted: Mapping[str, Node], failed: Mapping[str, str]) -> None:
        self._files, self._wanted, self._failed = files, wanted, failed

    def of(self, needs: Iterable[str]) -> Lack:
        """What of these is missing."""
        paths = tuple(needs)
        missing = [path for path in paths if path in self._failed]
        if not missing:
            return Lack()
        sources = [self._volume_behind(path) for path in missing]
        there = any(self._store(path) for path in paths if path not in self._failed)
        return Lack(
            reason=self._failed[missing[0]],
            volumes=tuple(dict.fromkeys(one for one in sources if one is not None)),
            can_be_excused=there and None not in sources,
        )

    def _volume_behind(self, path: str) -> str | None:
        """The volume that caused a failure; None if it has another cause."""
        node, store = self._wanted.get(path), self._store(path)
        if node is None or node.link is None or store is None or self._failed.get(store.path) != self._failed[path]:
            return None
        stands = self._files.follow(path, node.link[0], adopted=node.adopted) is not None
        return None if stands else store.volume_id

    def _store(self, path: str) -> Backstore | None:
        """The backstore to which links lead from here."""
        node = self._wanted.get(path)
        while node is not None and node.link is not None:
            node = self._wanted.get(node.link[1])
        return node if isinstance(node, Backstore) else None
