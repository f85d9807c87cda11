"""Identities that are chosen once and permanent (DESIGN R12).

LIO builds a volume's NAA as 6 + company ID (24 bits) + the first 25 hex digits of the unit serial (Linux
drivers/target/target_core_spc.c, spc_gen_naa_6h_vendor_specific). So the serial is the source, and the NAA follows.
"""

import uuid
from collections.abc import Callable

from lunette.domain.base import Lean, Model
from lunette.domain.border import Serial

TARGET_AUTHORITY = "iqn.2026-11.io.lunette"
SUBSYSTEM_AUTHORITY = "nqn.2026-11.io.lunette"
COMPANY_ID = "001405"
"""IEEE OUI LIO uses by default; written to every backstore so that a kernel default never changes an identity."""
NO_NGUID = "0" * 32
"""Of a namespace that has none: NVMe hosts are shown none (NVM Express Base 2.0, Identify Namespace)."""
VENDOR, PRODUCT = "LUNETTE", "volume"
"""What SCSI INQUIRY shows. Hosts key multipath settings on it, so it never changes (DESIGN R12)."""


def subsystem_serial(target_id: str) -> str:
    """The serial of an owner's NVMe subsystem: the first 20 hex digits of a permanent, unique UUID."""
    return target_id.replace("-", "")[:20]


def naa_of(serial: str) -> str:
    """The NAA that LIO makes of any unit serial: its hex digits in order, other characters passed over.

    After spc_gen_naa_6h_vendor_specific in drivers/target/target_core_spc.c of Linux 6.12.
    """
    digits = "".join(one for one in serial.lower() if one in "0123456789abcdef")
    return f"6{COMPANY_ID}{digits[:25]:0<25}"


class VolumeIdentity(Lean):
    """What a host recognizes a volume by, on every fabric."""

    uuid: Serial
    serial: Serial
    naa: Serial
    nguid: Serial
    """NO_NGUID where hosts are shown none."""
    eui64: Serial


class KeptIdentity(Model):
    """The names of a deleted host or group, to be used again when it is restored (DESIGN R12)."""

    owner_id: str
    target_id: str
    iqn: str
    nqn: str
    subsystem: str | None = None
    """What a subsystem that was adopted shows hosts, as the record has it."""


class IdentitySource:
    """Makes identities. The planner holds one; tests give it a counter instead of randomness."""

    def __init__(self, new_uuid: Callable[[], uuid.UUID] = uuid.uuid4) -> None:
        self._new_uuid = new_uuid

    def id(self) -> str:
        """A fresh resource id: a UUID in its canonical text form."""
        return str(self._new_uuid())

    def volume(self) -> VolumeIdentity:
        """A fresh volume identity. NGUID and EUI-64 are locally administered forms drawn from the same UUID."""
        value = self._new_uuid()
        serial = value.hex
        return VolumeIdentity(
            uuid=str(value),
            serial=serial,
            naa=naa_of(serial),
            nguid=serial,
            eui64=f"02{serial[:14]}",
        )

    def target_iqn(self, appliance_id: str) -> str:
        """A fresh target name under the appliance's own prefix. `appliance_id` is 12 hex digits."""
        return f"{TARGET_AUTHORITY}:{appliance_id}.{self._new_uuid().hex[:8]}"

    def subsystem_nqn(self, appliance_id: str) -> str:
        """A fresh NVMe subsystem name under the appliance's own prefix."""
        return f"{SUBSYSTEM_AUTHORITY}:{appliance_id}.{self._new_uuid().hex[:8]}"
