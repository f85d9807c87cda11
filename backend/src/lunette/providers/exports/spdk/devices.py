"""Which devices SPDK must not serve because of volatile caches, and the block size of those that it serves.

Its AIO bdev treats a write that should bypass the cache (FUA) like any other (module/bdev/aio of SPDK 26.09 knows no
FUA). On a drive with a volatile write cache, a power failure could then lose a host's journal although it was
acknowledged. So every drive below a volume must show `write through` in queue/write_cache, and no layer between may
cache writes: md caches nothing, but always shows `write back` (md_init_stacking_limits, Linux 6.12), so its members are
checked; a thin volume keeps its map until it is flushed (flush_supported in dm-thin.c); a zvol is `write back` itself.
"""

from collections.abc import Iterator

from lunette.system.system_port import System

BLOCK = "/sys/class/block"
"""Attributes of block devices, by kernel name."""
WRITE_THROUGH = "write through"
NAMED = 4
_WAY_OUT = "use a portal of engine nvmet, which writes through caches when a host requests it"


class Devices:
    """One check; a device below many volumes is read once."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._known: dict[str, tuple[str, ...]] = {}

    def block_bytes(self, device: str) -> int:
        """The block size that hosts are to see. Raises OSError or ValueError."""
        return int(self._read(self._name(device), "queue/logical_block_size"))

    def volatile(self, device: str) -> str | None:
        """Why acknowledged writes may be lost in a power failure; None if they may not."""
        keepers = self._keepers(self._name(device))
        if not keepers:
            return None
        shown = ", ".join(keepers[:NAMED]) + (f" and {len(keepers) - NAMED} more" if len(keepers) > NAMED else "")
        return (
            f"SPDK does not write through volatile caches, and {device} depends on: {shown}. Disable the write "
            f"caches of the drives, use thick volumes, or {_WAY_OUT}"
        )

    def _name(self, device: str) -> str:
        """The kernel's name of a device that may be given by a link."""
        return self._system.realpath(device).rpartition("/")[2]

    def _keepers(self, name: str) -> tuple[str, ...]:
        """What below a device, or the device itself, may hold writes that are not stable yet."""
        if name not in self._known:
            self._known[name] = tuple(dict.fromkeys(self._look(name)))
        return self._known[name]

    def _look(self, name: str) -> Iterator[str]:
        below = self._system.listdir(f"{BLOCK}/{name}/slaves")
        is_through = self._write_cache(name) == WRITE_THROUGH
        if not below and not is_through:
            yield f"{name} (a write cache)"
        if below and not is_through and not self._is_plain(name, below):
            yield f"{name} (not a plain volume)"
        for one in below:
            yield from self._keepers(one)

    def _is_plain(self, name: str, below: list[str]) -> bool:
        """md, or an LVM volume directly on something outside the device mapper: linear or striped."""
        if self._system.is_dir(f"{BLOCK}/{name}/md"):
            return True
        return self._text(name, "dm/uuid").startswith("LVM-") and not any(
            self._system.is_dir(f"{BLOCK}/{one}/dm") for one in below
        )

    def _write_cache(self, name: str) -> str:
        """A partition has its drive's."""
        found = self._text(name, "queue/write_cache")
        if found or not self._text(name, "partition"):
            return found
        return self._text(self._system.realpath(f"{BLOCK}/{name}").split("/")[-2], "queue/write_cache")

    def _read(self, name: str, attribute: str) -> str:
        return self._system.read(f"{BLOCK}/{name}/{attribute}").strip()

    def _text(self, name: str, attribute: str) -> str:
        try:
            return self._read(name, attribute)
        except OSError:
            return ""
