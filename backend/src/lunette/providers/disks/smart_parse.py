"""Parses the JSON of smartctl and nvme-cli into values. Pure; never raises, whatever they print.

Names as in smartmontools 7.4 (nvmeprint.cpp, ataprint.cpp, scsiprint.cpp); additions of 7.5 are used if present. A
value that the drive omits is unknown. A value that exists and cannot be read is named: such a drive must not count as
healthy.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from lunette.domain.disk_health import CriticalWarning, DriveReading, EraseSupport, ErrorRecovery, HealthValues
from lunette.domain.errors import ToolFailed
from lunette.providers import reading as shapes
from lunette.providers.disks import section, selftest
from lunette.providers.disks.section import MOST, Section, whole
from lunette.providers.reading import reader

_DATA_UNIT_BYTES = 512_000
"""Of `Data Units Written`: thousands of 512 bytes (NVMe Base Specification 2.0, 5.16.1.3)."""
_ZERO_C_IN_K = 273
_COLDEST_C, _HOTTEST_C = -60, 150
"""Values outside are no temperature: 0 K and 255 °C mean that a sensor reports nothing."""
_BITS = {
    "spare_below_threshold": CriticalWarning.SPARE,
    "temperature_above_or_below_threshold": CriticalWarning.TEMPERATURE,
    "reliability_degraded": CriticalWarning.RELIABILITY,
    "media_read_only": CriticalWarning.READ_ONLY,
    "volatile_memory_backup_failed": CriticalWarning.BACKUP,
    "persistent_memory_region_unreliable": CriticalWarning.MEMORY_REGION,
}
"""In the order of the bits of the byte."""
_NVME_LOG = "nvme_smart_health_information_log"
_FAILING = 1 << 3
"""Of smartctl's exit status: the drive says that it fails (smartctl(8))."""
_REALLOCATED, _PENDING, _UNCORRECTABLE, _CRC = 5, 197, 198, 199
_READ = (_REALLOCATED, _PENDING, _UNCORRECTABLE, _CRC)
_RAW_BITS = {_REALLOCATED: 16}
"""The bits of a raw value that smartctl treats as the number; manufacturers store others above. 32 if not specified."""
_SSD_PAGE, _USED_OFFSET = 7, 8
_GENERAL_PAGE, _WRITTEN_OFFSET = 1, 0x18
_TRANSPORT_PAGE, _CRC_OFFSET = 6, 0x18
_PHY = (
    "invalid_dword_count",
    "running_disparity_error_count",
    "loss_of_dword_synchronization_count",
    "phy_reset_problem_count",
)
"""Of each phy of a SAS drive (SPL, Protocol Specific Port log page)."""
_REFUSED = {0: (0x01, 0x02, 0x0B, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12), 1: (0x09, 0x0A, 0x0D, 0x0E, 0x0F)}
"""Status codes by type: commands that the drive refuses because they were wrong. smartd ignores them too."""
_OACS_FORMAT = 1 << 1
_VWC_PRESENT = 1 << 0
_SANICAP_CRYPTO, _SANICAP_BLOCK = 1 << 0, 1 << 1
_FNA_FORMATS_ALL, _FNA_ERASES_ALL, _FNA_CRYPTO = 1 << 0, 1 << 1, 1 << 2
_NO_JSON = "smartctl printed no JSON: check whether smartmontools 7.3 or later is installed"
_NO_VERDICT = "the drive reports no overall health status, so its health is unknown"
_MOST_NAMES = 5
WHOLE = "the entire output"
Json = Mapping[str, Any]


@reader("smartctl")
def reading(text: str, now: float, exit_status: int = 0) -> DriveReading:
    """The answer of a drive at `now`. A drive without SMART has no values and a problem in words."""
    reported = section.document(text)
    if reported is None:
        return DriveReading(problem=_NO_JSON, unreadable=(WHOLE,))
    values = _values(reported)
    status = reported.section("smart_status", judged=True)
    passed, warnings = _verdict(reported, status, exit_status)
    tests = selftest.read(reported)
    odd = tuple(reported.odd)
    if values == HealthValues() and passed is None and not warnings and not odd:
        return DriveReading(problem=_why(reported))
    problem = unread(odd) if odd else _NO_VERDICT if passed is None else None
    return DriveReading(
        read_at=now,
        passed=passed,
        warnings=warnings,
        values=values,
        unreadable=odd,
        problem=problem,
        refused_only=_refused_only(reported),
        self_tests=tests,
    )


def unread(names: Iterable[str]) -> str:
    """Message that these parts of an answer could not be read, and what to do."""
    found = tuple(names)
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return (
        f"the output of smartctl cannot be read at {', '.join(found[:_MOST_NAMES])}{more}: run `smartctl --all`, and "
        "check whether the drive's firmware and smartmontools are up to date"
    )


@reader("smartctl")
def recovery(text: str) -> ErrorRecovery | None:
    """A SATA drive's error recovery settings, as read or just set (ataPrintSCTErrorRecoveryControl); None if it reports
    none. The longer one of reads and writes counts; a disabled timer has no value.
    """
    reported = section.document(text)
    if reported is None:
        return None
    timers = reported.section("ata_sct_erc")
    found = [timers.section(kind).count("deciseconds") for kind in ("read", "write")]
    known = [tenths for tenths in found if tenths]
    limit_s = max(known) / 10 if len(known) == len(found) else None
    return ErrorRecovery(is_limitable=bool(timers.names()), limit_s=limit_s)


def document(text: str) -> Json:
    """The output of nvme-cli. Raises ToolFailed if it is not a document."""
    try:
        found = shapes.document(text)
    except (ValueError, RecursionError) as error:
        raise ToolFailed("nvme printed no JSON: check whether nvme-cli 2 is installed", log=text[:1000]) from error
    if not isinstance(found, dict):
        raise ToolFailed("nvme printed unexpected JSON: check whether nvme-cli 2 is installed", log=text[:1000])
    return found


@reader("nvme id-ctrl")
def erases(reported: Json) -> EraseSupport:
    """The erase methods of the controller, and whether they affect more than one namespace; yes if unknown."""
    controller = Section(reported)
    oacs, sanicap = (controller.count(name) or 0 for name in ("oacs", "sanicap"))
    fna = controller.count("fna")
    if fna is None:
        fna = _FNA_FORMATS_ALL
    return EraseSupport(
        format=bool(oacs & _OACS_FORMAT),
        crypto=bool(oacs & _OACS_FORMAT and fna & _FNA_CRYPTO),
        reaches_all=bool(fna & (_FNA_FORMATS_ALL | _FNA_ERASES_ALL)),
        sanitize_block=bool(sanicap & _SANICAP_BLOCK),
        sanitize_crypto=bool(sanicap & _SANICAP_CRYPTO),
    )


def volatile_cache(reported: Json) -> bool | None:
    """True if it has a volatile write cache; None from an nvme-cli that does not print VWC."""
    vwc = Section(reported).count("vwc")
    return None if vwc is None else bool(vwc & _VWC_PRESENT)


def limits(reported: Json) -> dict[str, int]:
    """The temperature limits in Identify Controller; 0 means unspecified."""
    controller = Section(reported)
    kelvin = {"temperature_warning_c": "wctemp", "temperature_critical_c": "cctemp"}
    found = {name: _celsius((controller.count(key) or 0) - _ZERO_C_IN_K) for name, key in kelvin.items()}
    return {name: value for name, value in found.items() if value is not None}


def _verdict(reported: Section, status: Section, exit_status: int) -> tuple[bool | None, tuple[CriticalWarning, ...]]:
    """The drive's verdict and its warnings, from each source: the worst one counts."""
    bits = status.section("nvme", judged=True)
    log = reported.section(_NVME_LOG)
    byte = (bits.count("value", judged=True) or 0) | (log.count("critical_warning") or 0)
    warnings = tuple(
        warning
        for place, (name, warning) in enumerate(_BITS.items())
        if bits.flag(name, judged=True) or byte >> place & 1
    )
    passed = status.flag("passed", judged=True)
    exits = exit_status | (reported.section("smartctl").count("exit_status") or 0)
    return (False if exits & _FAILING or byte else passed), warnings


def _values(reported: Section) -> HealthValues:
    heat, log = reported.section("temperature"), reported.section(_NVME_LOG, judged=True)
    protocol = reported.section("device").text("protocol")
    sensed = _celsius(log.number("temperature"))
    common = {
        "temperature_c": sensed if sensed is not None else _celsius(heat.number("current")),
        "power_on_hours": reported.section("power_on_time").count("hours"),
    }
    if _NVME_LOG in reported or (protocol == "NVMe" and "smart_status" in reported):
        return HealthValues(**(common | _nvme(log)))
    if protocol == "ATA" or "ata_smart_attributes" in reported or "ata_device_statistics" in reported:
        return HealthValues(**(common | _ata(reported)))
    if common["temperature_c"] == 0 and not heat.count("drive_trip"):
        common["temperature_c"] = None  # a volume of a RAID controller reports 0 for both: it has no sensor
    return HealthValues(**(common | _scsi(reported)))


def _nvme(log: Section) -> dict[str, int | None]:
    """smartctl prints every field of the log except the temperature, so a missing one was lost."""
    units = log.count("data_units_written")
    log.count("critical_warning", needed=True)
    hours = log.count("power_on_hours")
    return {
        "available_spare_percent": log.count("available_spare", needed=True),
        "available_spare_threshold_percent": log.count("available_spare_threshold", needed=True),
        "used_percent": log.count("percentage_used", needed=True),
        "unsafe_shutdowns": log.count("unsafe_shutdowns"),
        "media_errors": log.count("media_errors", needed=True),
        "error_log_entries": log.count("num_err_log_entries"),
        "written_bytes": None if units is None else min(units * _DATA_UNIT_BYTES, MOST),
    } | ({} if hours is None else {"power_on_hours": hours})


def _ata(reported: Section) -> dict[str, int | None]:
    raw = dict(_attributes(reported))
    sectors = _statistic(reported, _GENERAL_PAGE, _WRITTEN_OFFSET)
    used = _statistic(reported, _SSD_PAGE, _USED_OFFSET, judged=True)
    block = reported.count("logical_block_size")
    return {
        "reallocated_sectors": raw.get(_REALLOCATED),
        "pending_sectors": raw.get(_PENDING),
        "uncorrectable_sectors": raw.get(_UNCORRECTABLE),
        "interface_errors": raw.get(_CRC, _statistic(reported, _TRANSPORT_PAGE, _CRC_OFFSET)),
        "used_percent": used if used is not None else _endurance(reported),
        "written_bytes": min(sectors * block, MOST) if sectors is not None and block else None,
        "temperature_warning_c": _limit(reported, "op_limit_max"),
    }


def _attributes(reported: Section) -> Iterable[tuple[int, int]]:
    """The raw values of the attributes, by ID. A row without an ID cannot be identified."""
    rows = tuple(reported.section("ata_smart_attributes", judged=True).rows("table", judged=True))
    if "ata_smart_attributes" in reported and not rows:
        reported.odd.append("ata_smart_attributes.table")
    for row in rows:
        number = row.count("id", needed=True)
        if number is None:
            continue
        raw = row.section("raw")
        value = whole(raw.text("string"))
        if value is None and (whole_raw := raw.count("value")) is not None:
            value = whole_raw & ((1 << _RAW_BITS.get(number, 32)) - 1)
        if value is not None and value >= 0:
            yield number, value
        elif number in _READ:
            reported.odd.append(f"ata_smart_attributes.table.raw of {number}")


def _statistic(reported: Section, page: int, offset: int, judged: bool = False) -> int | None:
    """One of the device statistics (ACS-3, log 04h); one that is not valid has no value."""
    pages = reported.section("ata_device_statistics", judged).rows("pages", judged)
    for one in pages:
        if one.count("number", judged) != page:
            continue
        for row in one.rows("table", judged):
            if row.count("offset", judged) == offset:
                is_valid = row.section("flags").flag("valid") is not False
                return row.count("value", judged and is_valid) if is_valid else None
    return None


def _scsi(reported: Section) -> dict[str, int | None]:
    counters = reported.section("scsi_error_counter_log", judged=True)
    kinds = [counters.section(kind, judged=True) for kind in ("read", "write", "verify")]
    known = [count for kind in kinds if (count := kind.count("total_uncorrected_errors", judged=True)) is not None]
    used = reported.count("scsi_percentage_used_endurance_indicator", judged=True)
    return {
        "grown_defects": reported.count("scsi_grown_defect_list", judged=True),
        "media_errors": min(sum(known), MOST) if known else None,
        "interface_errors": _of_phys(reported),
        "used_percent": used if used is not None else _endurance(reported),
        "temperature_critical_c": _limit(reported, "drive_trip"),
    }


def _of_phys(reported: Section) -> int | None:
    """The errors of all phys of all ports of a SAS drive."""
    ports = [reported.section(name) for name in reported.names() if name.startswith("scsi_sas_port_")]
    phys = [port.section(name) for port in ports for name in port.names() if name.startswith("phy_")]
    known = [count for phy in phys for name in _PHY if (count := phy.count(name)) is not None]
    return min(sum(known), MOST) if known else None


def _refused_only(reported: Section) -> bool:
    """True if the log of an NVMe drive has errors, and all are commands that it refused."""
    statuses = [row.section("status_field") for row in reported.section("nvme_error_information_log").rows("table")]
    codes = [(status.count("status_code_type"), status.count("status_code")) for status in statuses]
    return bool(codes) and all(kind is not None and code in _REFUSED.get(kind, ()) for kind, code in codes)


def _endurance(reported: Section) -> int | None:
    return reported.section("endurance_used").count("current_percent", judged=True)


def _limit(reported: Section, name: str) -> int | None:
    """A temperature limit; 0 means unspecified."""
    return _celsius(reported.section("temperature").count(name)) or None


def _celsius(value: int | None) -> int | None:
    return value if value is not None and _COLDEST_C < value < _HOTTEST_C else None


def _why(reported: Section) -> str:
    """Why there are no values, in the words of smartctl if it printed any."""
    said = [text for one in reported.section("smartctl").rows("messages") if (text := one.text("string"))]
    return f"smartctl reports: {said[0][:200]}" if said else "the drive has no SMART, or does not report it"
