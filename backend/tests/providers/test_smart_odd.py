"""Answers of smartctl and nvme-cli that are not as they should be: nothing raises, and no drive is well by mistake.

Every key of the samples is left out, null, a text, or of another type, one at a time.
"""

import copy
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from backend.tests.providers.test_smart import SAS, SATA
from lunette.domain.disk_health import CriticalWarning, DiskHealthState, DriveReading, findings, state_of
from lunette.providers.disks import smart_parse
from lunette.providers.disks.section import MOST

Path = tuple[str | int, ...]
NVME: dict[str, Any] = {
    "smartctl": {"version": [7, 4], "exit_status": 0},
    "device": {"name": "/dev/nvme0", "type": "nvme", "protocol": "NVMe"},
    "smart_status": {"passed": True, "nvme": {"value": 0}},
    "nvme_smart_health_information_log": {
        "nsid": -1,
        "critical_warning": 0,
        "temperature": 38,
        "available_spare": 100,
        "available_spare_threshold": 10,
        "percentage_used": 3,
        "data_units_written": 2000,
        "power_on_hours": 812,
        "unsafe_shutdowns": 4,
        "media_errors": 0,
        "num_err_log_entries": 0,
        "temperature_sensors": [38, None, 41],
    },
    "temperature": {"current": 38, "op_limit_max": 70},
    "power_on_time": {"hours": 812},
}
LOG = "nvme_smart_health_information_log"


def changed(document: dict[str, Any], at: Path, value: object) -> dict[str, Any]:
    found = copy.deepcopy(document)
    inner: Any = found
    for step in at[:-1]:
        inner = inner[step]
    if value is DROPPED:
        del inner[at[-1]]
    else:
        inner[at[-1]] = value
    return found


def log(**values: object) -> dict[str, Any]:
    return NVME | {LOG: NVME[LOG] | values}


def read(document: object) -> DriveReading:
    return smart_parse.reading(json.dumps(document), 7.0)


def state(document: object) -> DiskHealthState:
    reading = read(document)
    return state_of(reading, findings(reading, {}))


def paths(found: Any, at: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every key and every entry of a list, with what is there."""
    inside = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for step, value in inside:
        yield (*at, step), value
        yield from paths(value, (*at, step))


DROPPED = object()
ODD: tuple[object, ...] = (
    DROPPED,
    None,
    "words",
    "",
    [],
    {},
    [None],
    {"odd": 1},
    True,
    math.nan,
    math.inf,
    -math.inf,
)
FAILS = {"passed": False, "nvme": {"value": 4, "reliability_degraded": True}}
SOUND = changed(SATA, ("ata_smart_attributes", "table", 3, "raw"), {"value": 0, "string": "0"})
WELL = {"nvme": NVME, "sata": SOUND, "sas": SAS | {"smart_status": {"passed": True}}}
ATA_TESTS: Path = ("ata_smart_self_test_log", "standard", "table")
NVME_TESTS: Path = ("nvme_self_test_log", "table")
TESTED = SOUND | {
    "ata_smart_data": {"self_test": {"status": {"value": 0, "passed": True}}},
    "ata_smart_self_test_log": {
        "standard": {
            "count": 1,
            "table": [
                {
                    "type": {"value": 2, "string": "Extended offline"},
                    "lifetime_hours": 8000,
                    "lba": 77,
                    "status": {
                        "value": 0x79,
                        "string": "Completed: read failure",
                        "remaining_percent": 90,
                        "passed": False,
                    },
                }
            ],
        }
    },
}
NVME_TESTED = NVME | {
    "nvme_self_test_log": {
        "nsid": -1,
        "current_self_test_operation": {"value": 0},
        "table": [
            None,
            {"self_test_code": {"value": 1}, "self_test_result": {"value": 7}, "power_on_hours": 800, "lba": 9},
        ],
    },
}
ILL: dict[str, dict[str, Any]] = {
    "nvme spare": log(available_spare=3),
    "nvme worn": log(percentage_used=101),
    "nvme warning": log(critical_warning=4) | {"smart_status": FAILS},
    "sata sectors": SATA,
    "sata verdict": SOUND | {"smart_status": {"passed": False}},
    "sas verdict": SAS,
    "nvme self-test": NVME_TESTED,
    "sata self-test": TESTED,
    "nvme errors": log(media_errors=5000),
    "sas defects": WELL["sas"] | {"scsi_grown_defect_list": 700},
    "sas worn": WELL["sas"] | {"scsi_percentage_used_endurance_indicator": 120},
}
TABLE: Path = ("ata_smart_attributes", "table")
NOT_REPORTED: dict[str, set[Path]] = {
    "sata sectors": {TABLE[:1], (*TABLE, 3)},
    "nvme self-test": {NVME_TESTS[:1], NVME_TESTS, (*NVME_TESTS, 1)},
    "sata self-test": {ATA_TESTS[:1], ATA_TESTS[:2], ATA_TESTS, (*ATA_TESTS, 0)},
    "sas defects": {("scsi_grown_defect_list",)},
    "sas worn": {("scsi_percentage_used_endurance_indicator",)},
}
"""Fields that a drive may lack: it cannot be noticed that one of them was dropped."""


def leaves_out(name: str, at: Path, value: object) -> bool:
    """Whether this makes another drive of the sample, which is well."""
    if at == ("smart_status", "passed"):
        return value is True
    is_nothing = value is DROPPED or value in ([], {}, [None]) or (value is None and isinstance(at[-1], int))
    return is_nothing and at in NOT_REPORTED.get(name, ())


@pytest.mark.parametrize("name", WELL)
def test_the_samples_are_well(name: str) -> None:
    assert state(WELL[name]) is DiskHealthState.OK


@pytest.mark.parametrize("name", ILL)
def test_whatever_is_odd_nothing_raises_and_no_ill_drive_becomes_well(name: str) -> None:
    assert state(ILL[name]) in (DiskHealthState.WARNING, DiskHealthState.FAILING)
    for at, _ in paths(ILL[name]):
        for value in ODD:
            if not leaves_out(name, at, value):
                found = state(changed(ILL[name], at, value))
                assert found is not DiskHealthState.OK, f"{at} is {value}"


@pytest.mark.parametrize("name", WELL | ILL)
def test_numbers_and_flags_as_text_are_read_as_what_they_say(name: str) -> None:
    sample = (WELL | ILL)[name]
    for at, value in paths(sample):
        if isinstance(value, bool | int):
            assert read(changed(sample, at, str(value))) == read(sample), at
            assert read(changed(sample, at, float(value))) == read(sample) or isinstance(value, bool), at


@pytest.mark.parametrize("name", WELL)
def test_the_rest_of_the_readers_raise_nothing_either(name: str) -> None:
    for at, _ in paths(WELL[name]):
        for value in ODD:
            smart_parse.recovery(json.dumps(changed(WELL[name], at, value)))
    for key in ("oacs", "fna", "sanicap", "vwc", "wctemp", "cctemp"):
        for value in ODD:
            reported = {key: value}
            assert isinstance(smart_parse.limits(reported), dict)
            assert smart_parse.volatile_cache(reported) in (None, True, False)
            assert smart_parse.erases(reported).crypto is False


@pytest.mark.parametrize("text", ["", "null", "[]", "3", '"ok"', "{", "[" * 100_000, '{"smart_status": 1e999}'])
def test_an_invalid_document_is_unknown(text: str) -> None:
    reading = smart_parse.reading(text, 7.0)
    assert reading.problem
    assert state_of(reading, findings(reading, {})) is DiskHealthState.UNKNOWN
    assert smart_parse.recovery(text) is None or text.startswith("{")


def test_texts_are_compared_as_numbers() -> None:
    """As a text "3" is more than "10"."""
    reported = log(available_spare="3", available_spare_threshold="10", percentage_used="101 %", media_errors="5")
    values = read(reported).values
    assert (values.available_spare_percent, values.available_spare_threshold_percent) == (3, 10)
    assert (values.used_percent, values.media_errors) == (101, 5)
    assert read(log(media_errors="1,024")).values.media_errors == 1024
    assert read(log(media_errors="0x10")).values.media_errors == 16


def test_wear_may_pass_100_percent() -> None:
    reading = read(log(percentage_used=255))
    assert [(one.kind, one.words) for one in findings(reading, {})] == [("wear", "is worn out")]
    assert reading.values.used_percent == 255


def test_counters_of_128_bits_stay_within_what_a_database_holds() -> None:
    values = read(log(data_units_written=2**128 - 1, media_errors=2**64, power_on_hours=2**70)).values
    assert (values.written_bytes, values.media_errors, values.power_on_hours) == (MOST, MOST, MOST)


def test_a_raw_value_of_48_bits_without_its_text_is_read_without_the_vendors_upper_bits() -> None:
    odd = changed(SATA, (*TABLE, 0, "raw"), {"value": 0x0001_0000_0008})
    assert read(odd).values.reallocated_sectors == 8
    odd = changed(SATA, (*TABLE, 3, "raw"), {"value": 0x7FFF_0000_0002, "string": None})
    assert read(odd).values.pending_sectors == 2


@pytest.mark.parametrize("absurd", [-273, 255, 32768, None])
def test_a_silent_sensor_is_not_a_temperature_and_the_drive_is_ok(absurd: object) -> None:
    reported = log(temperature=absurd) | {"temperature": {"current": absurd}}
    assert read(reported).values.temperature_c is None
    assert state(reported) is DiskHealthState.OK
    assert read(log(temperature=None)).values.temperature_c == 38, "smartctl has it in two places"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda reported: reported | {"smart_status": None},
        lambda reported: reported | {"smart_status": {"passed": "perhaps"}},
        lambda reported: reported | {"smart_status": {}},
        lambda reported: reported | {LOG: None},
        lambda reported: {key: value for key, value in reported.items() if key != LOG},
    ],
)
def test_a_drive_whose_verdict_or_log_cannot_be_read_is_unknown_and_says_what_to_do(
    spoil: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    reading = read(spoil(NVME))
    assert state_of(reading, findings(reading, {})) is DiskHealthState.UNKNOWN
    assert reading.problem


def test_a_verdict_is_taken_from_each_place_that_has_it() -> None:
    lost = {key: value for key, value in SOUND.items() if key != "smart_status"}
    assert smart_parse.reading(json.dumps(lost), 7.0, exit_status=8).passed is False
    assert read(lost | {"smartctl": {"exit_status": 8}}).passed is False
    assert read(log(critical_warning=8)).warnings == (CriticalWarning.READ_ONLY,)
    assert read(NVME | {"smart_status": {"passed": True, "nvme": {"value": 1}}}).warnings == (CriticalWarning.SPARE,)


def test_what_a_bridge_answers_without_attributes_is_unknown() -> None:
    said = {
        "smartctl": {"exit_status": 4, "messages": [None, "x", {"string": None}, {"string": "Read SMART Data failed"}]},
        "device": {"name": "/dev/sdx", "type": "sat", "protocol": "ATA"},
        "temperature": {"current": 0},
    }
    assert state(said) is DiskHealthState.UNKNOWN
    assert read(said).problem
