"""The check of a device before an export engine opens it: one for LIO, nvmet and SPDK.

LIO claims a device, nvmet (Linux 6.12) and SPDK do not: only this check keeps two engines off one volume.
"""

from collections.abc import Callable, Mapping

from lunette.providers.exports.configfs import KernelRefused
from lunette.system.system_port import System


class DeviceGuard:
    """Which devices an engine may open in one run.

    By volume id, `reasons` are why devices are missing and `held` are why volumes must not be opened now. `unsafe`
    returns why this engine in particular must not serve a device, or None.
    """

    def __init__(
        self,
        system: System,
        reasons: Mapping[str, str],
        held: Mapping[str, str],
        unsafe: Callable[[str], str | None] = lambda _device: None,
    ) -> None:
        self._system, self._reasons, self._held, self._unsafe = system, reasons, held, unsafe

    def missing(self, volume_id: str, device: str) -> str:
        """Why the device of a volume does not exist."""
        return self._reasons.get(volume_id, f"its device {device} does not exist")

    def check(self, volume_id: str, device: str, size_bytes: int) -> None:
        """Check a device that is not open yet.

        A device larger than `size_bytes` passes: it has grown before the desired state says so, and its hosts have the
        new size already.

        Raises KernelRefused if the device is missing, held, too small, unsafe or in use, or cannot be examined, such as
        one that vanishes meanwhile.
        """
        if not self._system.is_block_device(device):
            raise KernelRefused(self.missing(volume_id, device))
        if reason := self._held.get(volume_id):
            raise KernelRefused(reason)
        try:
            self._examine(device, size_bytes)
        except (OSError, ValueError) as error:
            raise KernelRefused(f"{device} cannot be examined: {error}") from error

    def _examine(self, device: str, size_bytes: int) -> None:
        if reason := self._unsafe(device):
            raise KernelRefused(reason)
        size = self._system.unheld_bytes(device)
        if size is None:
            raise KernelRefused(f"{device} is in use by another program: free it first")
        if size < size_bytes:
            raise KernelRefused(f"{device} has {size} bytes instead of {size_bytes}: not served")
