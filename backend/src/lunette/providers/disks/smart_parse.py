"""Turns the JSON of smartctl and nvme-cli into values: pure.

Names as in smartmontools 7.4 (nvmeprint.cpp, ataprint.cpp, scsiprint.cpp); what only 7.5 has is taken where it is.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from lunette.domain.disk_health import CriticalWarning, DriveReading, EraseSupport, ErrorRecovery, HealthValues
from lunette.domain.errors import ToolFailed

_DATA_UNIT_BYTES = 512_000
"""Of `Data Units Written`: thousands of 512 bytes (NVMe Base Specification 2.0, 5.16.1.3)."""
_ZERO_C_IN_K = 273
_BITS = {
    "spare_below_threshold": CriticalWarning.SPARE,
    "temperature_above_or_below_threshold": CriticalWarning.TEMPERATURE,
    "reliability_degraded": CriticalWarning.RELIABILITY,
    "media_read_only": CriticalWarning.READ_ONLY,
    "volatile_memory_backup_failed": CriticalWarning.BACKUP,
    "persistent_memory_region_unreliable": CriticalWarning.MEMORY_REGION,
}
_REALLOCATED, _PENDING, _UNCORRECTABLE = 5, 197, 198
_SSD_PAGE, _USED_OFFSET = 7, 8
_GENERAL_PAGE, _WRITTEN_OFFSET = 1, 0x18
_OACS_FORMAT = 1 << 1
_VWC_PRESENT = 1 << 0
_SANICAP_CRYPTO, _SANICAP_BLOCK = 1 << 0, 1 << 1
_FNA_FORMATS_ALL, _FNA_ERASES_ALL, _FNA_CRYPTO = 1 << 0, 1 << 1, 1 << 2
Json = Mapping[str, Any]


def reading(text: str, now: float) -> DriveReading:
    """What a drive answered at `now`. A drive without SMART has no values and a problem in words."""
    try:
        told = json.loads(text)
    except ValueError:
        return DriveReading(problem="smartctl printed no JSON: see whether smartmontools 7.3 or later is installed")
    values = _values(told)
    status = told.get("smart_status", {})
    if values == HealthValues() and "passed" not in status:
        return DriveReading(problem=_why(told))
    bits = status.get("nvme", {})
    return DriveReading(
        read_at=now, passed=status.get("passed"), values=values,
        warnings=tuple(warning for name, warning in _BITS.items() if bits.get(name)),
    )  # fmt: skip


def recovery(text: str) -> ErrorRecovery | None:
    """What a SATA drive says, or was just told, of its error recovery (ataPrintSCTErrorRecoveryControl); None if it
    says nothing. Of reads and writes the longer one counts; a timer that is off has no figure."""
    try:
        told = json.loads(text)
    except ValueError:
        return None
    timers = told.get("ata_sct_erc", {})
    found = [_number(timers.get(kind), "deciseconds") for kind in ("read", "write")]
    known = [tenths for tenths in found if tenths]
    return ErrorRecovery(is_limitable=bool(timers), limit_s=max(known) / 10 if len(known) == len(found) else None)


def document(text: str) -> Json:
    """What nvme-cli printed. Raises ToolFailed where that is no document."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ToolFailed("nvme printed no JSON: see whether nvme-cli 2 is installed", log=text[:1000]) from error
    if not isinstance(found, dict):
        raise ToolFailed("nvme printed what is no document: see whether nvme-cli 2 is installed", log=text[:1000])
    return found


def erases(told: Json) -> EraseSupport:
    """What the controller can erase, and whether that reaches beyond one namespace."""
    oacs, fna, sanicap = (told.get(name) or 0 for name in ("oacs", "fna", "sanicap"))
    return EraseSupport(
        format=bool(oacs & _OACS_FORMAT),
        crypto=bool(oacs & _OACS_FORMAT and fna & _FNA_CRYPTO),
        reaches_all=bool(fna & (_FNA_FORMATS_ALL | _FNA_ERASES_ALL)),
        sanitize_block=bool(sanicap & _SANICAP_BLOCK),
        sanitize_crypto=bool(sanicap & _SANICAP_CRYPTO),
    )


def volatile_cache(told: Json) -> bool | None:
    """Whether it has a volatile write cache; None from an nvme-cli that does not print VWC."""
    vwc = _number(told, "vwc")
    return None if vwc is None else bool(vwc & _VWC_PRESENT)


def limits(told: Json) -> dict[str, int]:
    """The limits of temperature in Identify Controller; 0 is one that is not told."""
    kelvin = {"temperature_warning_c": told.get("wctemp"), "temperature_critical_c": told.get("cctemp")}
    return {name: value - _ZERO_C_IN_K for name, value in kelvin.items() if value}


def _values(told: Json) -> HealthValues:
    log = told.get("nvme_smart_health_information_log")
    heat = told.get("temperature", {})
    common = {
        "temperature_c": _number(log, "temperature") if log else _number(heat, "current"),
        "power_on_hours": _number(told.get("power_on_time"), "hours"),
    }
    if log is not None:
        return HealthValues(**(common | _nvme(log)))
    if "ata_smart_attributes" in told or "ata_device_statistics" in told:
        return HealthValues(**(common | _ata(told)))
    return HealthValues(**(common | _scsi(told)))


def _nvme(log: Json) -> dict[str, int | None]:
    units = _number(log, "data_units_written")
    return {
        "available_spare_percent": _number(log, "available_spare"),
        "available_spare_threshold_percent": _number(log, "available_spare_threshold"),
        "used_percent": _number(log, "percentage_used"),
        "unsafe_shutdowns": _number(log, "unsafe_shutdowns"),
        "media_errors": _number(log, "media_errors"),
        "power_on_hours": _number(log, "power_on_hours"),
        "written_bytes": None if units is None else units * _DATA_UNIT_BYTES,
    }


def _ata(told: Json) -> dict[str, int | None]:
    raw = {row["id"]: _leading(row["raw"]["string"]) for row in told.get("ata_smart_attributes", {}).get("table", ())}
    sectors = _statistic(told, _GENERAL_PAGE, _WRITTEN_OFFSET)
    used = _statistic(told, _SSD_PAGE, _USED_OFFSET)
    block = _number(told, "logical_block_size")
    return {
        "reallocated_sectors": raw.get(_REALLOCATED),
        "pending_sectors": raw.get(_PENDING),
        "uncorrectable_sectors": raw.get(_UNCORRECTABLE),
        "used_percent": used if used is not None else _number(told.get("endurance_used"), "current_percent"),
        "written_bytes": sectors * block if sectors is not None and block else None,
        "temperature_warning_c": _number(told.get("temperature"), "op_limit_max"),
    }


def _leading(words: str) -> int | None:
    """The number a raw value begins with: makers keep others in its upper bytes, which smartctl puts behind it."""
    found = re.match(r"\d+", words)
    return int(found[0]) if found else None


def _statistic(told: Json, page: int, offset: int) -> int | None:
    """One of the device statistics (ACS-3, log 04h); one that is not valid has no value."""
    pages = told.get("ata_device_statistics", {}).get("pages", ())
    rows = (row for one in pages if one.get("number") == page for row in one.get("table", ()))
    return next((row.get("value") for row in rows if row.get("offset") == offset), None)


def _scsi(told: Json) -> dict[str, int | None]:
    counters = told.get("scsi_error_counter_log", {})
    failed = [_number(counters.get(kind), "total_uncorrected_errors") for kind in ("read", "write", "verify")]
    known = [count for count in failed if count is not None]
    used = _number(told, "scsi_percentage_used_endurance_indicator")
    return {
        "grown_defects": _number(told, "scsi_grown_defect_list"),
        "media_errors": sum(known) if known else None,
        "used_percent": used if used is not None else _number(told.get("endurance_used"), "current_percent"),
        "temperature_critical_c": _number(told.get("temperature"), "drive_trip") or None,
    }


def _number(told: Json | None, name: str) -> int | None:
    found = told.get(name) if told else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _why(told: Json) -> str:
    """Why there are no values, in smartctl's words if it has some."""
    said = [one["string"] for one in told.get("smartctl", {}).get("messages", ()) if one.get("string")]
    return f"smartctl says: {said[0][:200]}" if said else "the drive has no SMART, or does not tell it"
