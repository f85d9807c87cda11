"""What drives say of themselves: smartctl 7.4 and nvme-cli 2.13 with JSON, as far as used."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from backend.tests.fakemachine.block import sanitizing, self_tests
from backend.tests.fakemachine.block.devices import Blocks, FakeDisk
from backend.tests.fakemachine.md.manage import Answer
from lunette.domain.errors import ToolFailed

COMMANDS = ("smartctl", "nvme", *sanitizing.COMMANDS)
_BITS = (
    "spare_below_threshold",
    "temperature_above_or_below_threshold",
    "reliability_degraded",
    "media_read_only",
    "volatile_memory_backup_failed",
    "persistent_memory_region_unreliable",
)
_SANITIZING = 2


@dataclass
class Health:
    """What a drive's log would contain. Fields of other kinds of drive are not reported."""

    critical_warning: int = 0
    """NVMe: the byte of the log."""
    is_failing: bool = False
    """SATA and SAS: the drive's own verdict."""
    temperature_c: int = 35
    available_spare: int = 100
    used: int = 3
    media_errors: int = 0
    reallocated: int = 0
    pending: int = 0
    grown: int = 0
    interface: int = 0
    """Damaged frames and words on the way to a SATA or SAS drive."""
    failed_commands: int = 0
    """NVMe: entries of the error log, of which `newest_failure` is the last one's type and code of status."""
    newest_failure: tuple[int, int] = (0, 4)
    oacs: int = 0b10
    fna: int = 0b100
    """NVMe: it can be formatted, also by changing its key, and each namespace separately."""
    sanicap: int = 0b11
    """Whether it can be sanitized: bit 0 by a new key, bit 1 block by block. SATA and SAS drives tell it otherwise."""
    is_frozen: bool = False
    """SATA: it takes no sanitize until its power was off."""
    sanitized: int = 0
    """SSTAT of its log; SATA and SAS drives tell the same otherwise. 2 is in progress, and ends when it was looked at
    `sanitize_looks` times."""
    sanitize_looks: int = 3
    sanitize_left: int = 0
    sanitize_ends: int = 1
    namespaces: int = 1
    hours: int = 1234
    """How long it was on."""
    has_self_tests: bool = True
    refuses_self_tests: bool = False
    self_tests: list[tuple[str, bool, int]] = field(default_factory=list)
    """Those that are over, the newest first: short or long, whether it passed, and the hour."""
    testing: str | None = None
    """The self-test that runs; it is over after `test_looks` looks at it, and passes unless `test_fails`."""
    test_looks: int = 1
    test_fails: bool = False
    recovery_tenths: int | None = 0
    """SATA: SCT Error Recovery Control in tenths of a second; 0: it is off; None: the drive has none."""
    is_asleep: bool = False
    is_hanging: bool = False
    odd: dict[str, object] = field(default_factory=dict)
    """What smartctl prints otherwise than a sound drive and a sound tool would, by its key."""
    said: str | None = None
    """What smartctl prints, whole, as it was recorded."""


class DriveTools:
    """Runs one command line against the drives."""

    def __init__(self, blocks: Blocks, half_way: Callable[[], None]) -> None:
        self._blocks, self._half_way = blocks, half_way
        self._health: dict[str, Health] = {}
        self.asked: list[str] = []
        """Serials of the drives that were asked for their health, in order."""
        self.formatted: list[tuple[str, str]] = []
        """Serials of the drives that were formatted, and how."""
        self.tested: list[tuple[str, str]] = []
        """Serials of the drives that began a self-test, and which."""

    def health(self, disk: FakeDisk) -> Health:
        """What this drive tells; tests change it."""
        return self._health.setdefault(disk.serial, Health())

    def run(self, argv: Sequence[str]) -> Answer:
        """Exit code, stdout, stderr."""
        if argv[0] in sanitizing.COMMANDS:
            return self._sanitizing(argv)
        return self._smartctl(argv) if argv[0] == "smartctl" else self._nvme(argv)

    def _sanitizing(self, argv: Sequence[str]) -> Answer:
        device = self._blocks.find(argv[-1])
        if device is None or device.disk is None:
            return 2, "", f"{argv[-1]}: No such file or directory\n"
        disk, health = device.disk, self.health(device.disk)
        if sanitizing.begins(argv):
            if health.is_frozen:
                return 5, "", "SANITIZE device error reason: Device is in Sanitize Frozen state\n"
            return self._sanitize(disk, argv)
        if sanitizing.looks(argv):
            self._look_at_sanitize(disk)
        return sanitizing.reported(argv, disk, health)

    def _smartctl(self, argv: Sequence[str]) -> Answer:
        device = self._blocks.find(argv[-1])
        if device is None or device.disk is None:
            said = {"string": f"Smartctl open device: {argv[-1]} failed: No such device", "severity": "error"}
            return 2, json.dumps({"smartctl": {"exit_status": 2, "messages": [said]}}), ""
        disk, health = device.disk, self.health(device.disk)
        if test := next((word.partition("=")[2] for word in argv if word.startswith("--test=")), None):
            return self._test(disk, health, test)
        self.asked.append(disk.serial)
        if health.is_hanging:
            raise ToolFailed("smartctl did not finish within 20 s and was stopped: check whether a disk hangs")
        if health.is_asleep and disk.transport != "nvme":
            return 3, json.dumps({"smartctl": {"exit_status": 3}}), ""
        if limits := next((word for word in argv if word.startswith("--log=scterc,")), None):
            return _limit(disk, health, limits)
        if health.said is not None:
            return json.loads(health.said)["smartctl"]["exit_status"], health.said, ""
        reported = _of_any(disk, health) | _KINDS.get(disk.transport, _scsi)(health)
        reported |= self_tests.reported(disk.transport, health) | health.odd
        return (8 if health.is_failing or health.critical_warning else 0), json.dumps(reported), ""

    def _test(self, disk: FakeDisk, health: Health, kind: str) -> Answer:
        """`smartctl --test=short`: the test runs in the background."""
        if health.refuses_self_tests or not health.has_self_tests or health.testing:
            said = {"string": "Self-tests not supported", "severity": "error"}
            return 4, json.dumps({"smartctl": {"exit_status": 4, "messages": [said]}}), ""
        health.testing, health.test_looks = kind, 1
        self.tested.append((disk.serial, kind))
        return 0, json.dumps({"smartctl": {"exit_status": 0}}), ""

    def _nvme(self, argv: Sequence[str]) -> Answer:
        name = argv[2].removeprefix("/dev/")
        there = [one for one in self._blocks.disks if one.is_present and one.transport == "nvme"]
        disk = next((one for one in there if name in (one.kernel_name, one.kernel_name.rpartition("n")[0])), None)
        if disk is None:
            return 1, "", f"{argv[2]}: No such device\n"
        match argv[1]:
            case "id-ctrl":
                health = self.health(disk)
                reported: dict[str, object] = {
                    "sn": disk.serial,
                    "mn": disk.model,
                    "wctemp": 343,
                    "cctemp": 353,
                    "oacs": health.oacs,
                    "fna": health.fna,
                    "sanicap": health.sanicap,
                    "vwc": 6 | disk.has_write_cache,
                }
            case "id-ns":
                reported = {"flbas": 1, "dps": 0, "lbafs": [{"ms": 8, "ds": 9, "rp": 0}, {"ms": 0, "ds": 9, "rp": 0}]}
            case "list-ns":
                reported = {"nsid_list": [{"nsid": number + 1} for number in range(self.health(disk).namespaces)]}
            case "format":
                return self._format(disk, argv)
            case "sanitize":
                return self._sanitize(disk, argv)
            case "sanitize-log":
                status = f"({self._look_at_sanitize(disk)}) in words"
                reported = {disk.kernel_name: {"sprog": 65535, "sstat": {"global_erased": 0, "status": status}}}
            case _:
                return 1, "", f"nvme: unknown command {argv[1]}\n"
        return 0, json.dumps(reported), ""

    def _format(self, disk: FakeDisk, argv: Sequence[str]) -> Answer:
        """`nvme format` without --force: it needs exclusive access, and the current block format as an option."""
        if self._blocks.is_held(disk.kernel_name):
            return 1, "", f"Failed to open {disk.kernel_name}.\nNamespace is currently busy.\n"
        if "--lbaf=1" not in argv:
            return 1, "", "NVMe status: INVALID_FORMAT\n"
        media = disk.media
        media.signatures, media.superblock = [], None
        self._half_way()
        _empty(disk)
        self.formatted.append((disk.serial, argv[-1]))
        return 0, "Success formatting namespace:1\n", ""

    def _sanitize(self, disk: FakeDisk, argv: Sequence[str]) -> Answer:
        """It starts, and continues in the drive whatever happens to the machine."""
        health = self.health(disk)
        if health.sanitized == _SANITIZING:
            return 1, "", "NVMe status: SANITIZE_IN_PROGRESS: The requested function is prohibited\n"
        health.sanitized, health.sanitize_left = _SANITIZING, health.sanitize_looks
        self._half_way()
        how = argv[-1] if argv[0] == "nvme" else next(word for word in argv if word in sanitizing.HOW)
        self.formatted.append((disk.serial, how))
        return 0, "", ""

    def _look_at_sanitize(self, disk: FakeDisk) -> int:
        health = self.health(disk)
        if health.sanitized == _SANITIZING:
            health.sanitize_left -= 1
            if health.sanitize_left <= 0:
                health.sanitized = health.sanitize_ends
                _empty(disk)
        return health.sanitized


def _empty(disk: FakeDisk) -> None:
    media = disk.media
    media.signatures, media.superblock, media.pv, media.zfs = [], None, None, None
    media.data, media.below = {}, {}
    disk.partitions.clear()


def _of_any(disk: FakeDisk, health: Health) -> dict[str, object]:
    return {
        "json_format_version": [1, 0],
        "smartctl": {"version": [7, 4], "exit_status": 0},
        "model_name": disk.model,
        "serial_number": disk.serial,
        "logical_block_size": disk.logical_block_bytes,
        "smart_status": {"passed": not (health.is_failing or health.critical_warning)},
        "temperature": {"current": health.temperature_c},
        "power_on_time": {"hours": health.hours},
    }


def _nvme(health: Health) -> dict[str, object]:
    byte = health.critical_warning
    bits = {name: bool(byte >> place & 1) for place, name in enumerate(_BITS)}
    return {
        "smart_status": {"passed": not byte, "nvme": {"value": byte, **(bits if byte else {})}},
        "nvme_smart_health_information_log": {
            "critical_warning": byte,
            "temperature": health.temperature_c,
            "available_spare": health.available_spare,
            "available_spare_threshold": 10,
            "percentage_used": health.used,
            "data_units_read": 1000,
            "data_units_written": 2000,
            "host_reads": 10,
            "host_writes": 20,
            "controller_busy_time": 0,
            "power_cycles": 12,
            "power_on_hours": health.hours,
            "unsafe_shutdowns": 4,
            "media_errors": health.media_errors,
            "num_err_log_entries": health.failed_commands,
        },
        "nvme_error_information_log": {"size": 64, "read": 16, "unread": 0} | _failures(health),
    }


def _failures(health: Health) -> dict[str, object]:
    kind, code = health.newest_failure
    row = {"error_count": health.failed_commands, "status_field": {"status_code_type": kind, "status_code": code}}
    return {"table": [row]} if health.failed_commands else {}


def _ata(health: Health) -> dict[str, object]:
    counts = {
        5: ("Reallocated_Sector_Ct", health.reallocated),
        197: ("Current_Pending_Sector", health.pending),
        198: ("Offline_Uncorrectable", 0),
        199: ("UDMA_CRC_Error_Count", health.interface),
    }
    rows = [
        {"id": number, "name": name, "value": 100, "raw": {"value": count, "string": str(count)}}
        for number, (name, count) in counts.items()
    ]
    return {"ata_smart_attributes": {"revision": 16, "table": rows}} | _recovery(health)


def _recovery(health: Health) -> dict[str, object]:
    """A timer that is off has no figure; a drive without them has no section (ataprint.cpp)."""
    tenths = health.recovery_tenths
    timer = {"enabled": bool(tenths)} | ({"deciseconds": tenths} if tenths else {})
    return {} if tenths is None else {"ata_sct_erc": {"read": timer, "write": timer}}


def _limit(disk: FakeDisk, health: Health, words: str) -> Answer:
    """`smartctl --log=scterc,READ,WRITE`: the drive forgets it when its power goes."""
    if disk.transport != "sata" or health.recovery_tenths is None:
        return 4, json.dumps({"smartctl": {"exit_status": 4}}), ""
    health.recovery_tenths = int(words.split(",")[1])
    return 0, json.dumps({"smartctl": {"exit_status": 0}} | _recovery(health)), ""


def _scsi(health: Health) -> dict[str, object]:
    return {
        "scsi_grown_defect_list": health.grown,
        "scsi_error_counter_log": {"read": {"total_uncorrected_errors": health.media_errors}},
        "scsi_sas_port_0": {"phy_0": {"identifier": 0, "invalid_dword_count": health.interface}},
    }


_KINDS: dict[str, Callable[[Health], dict[str, object]]] = {"nvme": _nvme, "sata": _ata, "sas": _scsi}
