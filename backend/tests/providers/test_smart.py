"""Reading a drive's health by smartctl: what it says, what it does not say, and drives that sleep or hang.

The samples of SATA and SAS are written after ataprint.cpp and scsiprint.cpp of smartmontools 7.4: no such drive was at
hand.
"""

import json

import pytest

from backend.tests import seen
from backend.tests.fakemachine import FakeDisk, FakeSystem
from lunette.domain.disk_health import CriticalWarning, DriveReading, EraseSupport, HealthValues
from lunette.domain.disks import ObservedDisk, Transport
from lunette.providers.disks import smart, smart_parse
from lunette.providers.disks.inventory import observe_disks

SATA = {
    "smartctl": {"version": [7, 4], "exit_status": 0},
    "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
    "logical_block_size": 512,
    "smart_status": {"passed": True},
    "ata_smart_attributes": {
        "revision": 10,
        "table": [
            {
                "id": 5,
                "name": "Reallocated_Sector_Ct",
                "value": 100,
                "worst": 100,
                "thresh": 10,
                "when_failed": "",
                "raw": {"value": 65544, "string": "8 (1 0)"},
            },
            {"id": 9, "name": "Power_On_Hours", "value": 90, "raw": {"value": 8766, "string": "8766"}},
            {
                "id": 194,
                "name": "Temperature_Celsius",
                "value": 68,
                "raw": {"value": 137440329760, "string": "32 (Min/Max 19/41)"},
            },
            {"id": 197, "name": "Current_Pending_Sector", "value": 100, "raw": {"value": 2, "string": "2"}},
            {"id": 198, "name": "Offline_Uncorrectable", "value": 100, "raw": {"value": 0, "string": "0"}},
            {"id": 199, "name": "UDMA_CRC_Error_Count", "value": 200, "raw": {"value": 6, "string": "6"}},
        ],
    },
    "ata_device_statistics": {
        "pages": [
            {
                "number": 1,
                "name": "General Statistics",
                "table": [
                    {
                        "offset": 24,
                        "name": "Logical Sectors Written",
                        "size": 6,
                        "value": 1000,
                        "flags": {"valid": True},
                    }
                ],
            },
            {
                "number": 7,
                "name": "Solid State Device Statistics",
                "table": [
                    {"offset": 8, "name": "Percentage Used Endurance Indicator", "size": 1, "flags": {"valid": False}}
                ],
            },
        ]
    },
    "power_on_time": {"hours": 8766},
    "temperature": {"current": 32, "op_limit_max": 60},
}
SAS = {
    "smartctl": {"version": [7, 4], "exit_status": 0},
    "device": {"name": "/dev/sdb", "type": "scsi", "protocol": "SCSI"},
    "smart_status": {"passed": False, "scsi": {"asc": 93, "ascq": 16, "ie_string": "HARDWARE IMPENDING FAILURE"}},
    "temperature": {"current": 41, "drive_trip": 65},
    "power_on_time": {"hours": 41234, "minutes": 5},
    "scsi_grown_defect_list": 12,
    "scsi_percentage_used_endurance_indicator": 4,
    "scsi_error_counter_log": {
        "read": {"total_errors_corrected": 9, "total_uncorrected_errors": 2},
        "write": {"total_errors_corrected": 0, "total_uncorrected_errors": 1},
    },
    "scsi_sas_port_0": {
        "relative_target_port_id": 1,
        "phy_0": {
            "identifier": 0,
            "invalid_dword_count": 4,
            "running_disparity_error_count": 3,
            "loss_of_dword_synchronization_count": 1,
            "phy_reset_problem_count": 0,
        },
    },
    "scsi_sas_port_1": {"phy_0": {"identifier": 1, "invalid_dword_count": 2, "loss_of_dword_synchronization_count": 0}},
}


def reported(document: object) -> HealthValues:
    return smart_parse.reading(json.dumps(document), 7.0).values


def test_a_sata_drive_has_its_sectors_and_what_it_does_not_give_is_absent() -> None:
    assert reported(SATA) == HealthValues(
        temperature_c=32,
        temperature_warning_c=60,
        power_on_hours=8766,
        written_bytes=512_000,
        reallocated_sectors=8,
        pending_sectors=2,
        uncorrectable_sectors=0,
        interface_errors=6,
    )


def test_a_sas_drive_has_defects_its_wear_and_its_verdict() -> None:
    reading = smart_parse.reading(json.dumps(SAS), 7.0)
    assert reading.passed is False
    assert reading.values == HealthValues(
        temperature_c=41,
        temperature_critical_c=65,
        power_on_hours=41234,
        media_errors=3,
        grown_defects=12,
        used_percent=4,
        interface_errors=10,
    )


def test_a_sata_drive_without_attribute_199_has_its_interface_errors_in_the_statistics() -> None:
    page = {"number": 6, "table": [{"offset": 24, "value": 9, "flags": {"valid": True}}]}
    assert (
        reported({"smart_status": {"passed": True}, "ata_device_statistics": {"pages": [page]}}).interface_errors == 9
    )


def test_commands_that_an_nvme_drive_refused_are_distinguished_from_those_that_failed() -> None:
    machine, fake, disk = plugged("nvme")
    health = machine.tools.drives.health(fake)
    assert not smart.read(machine, disk, None).refused_only
    health.failed_commands = 7
    for status, is_refused in (((0, 0x02), True), ((1, 0x09), True), ((0, 0x04), False), ((2, 0x81), False)):
        health.newest_failure = status
        reading = smart.read(machine, disk, None)
        assert (reading.values.error_log_entries, reading.refused_only) == (7, is_refused)


def test_a_trip_temperature_of_zero_is_ignored() -> None:
    assert reported(SAS | {"temperature": {"current": 41, "drive_trip": 0}}).temperature_critical_c is None


def test_a_volume_of_a_controller_that_has_no_sensor_is_not_at_0_degrees() -> None:
    assert reported(SAS | {"temperature": {"current": 0, "drive_trip": 0}}).temperature_c is None
    assert reported(SAS | {"temperature": {"current": 0, "drive_trip": 65}}).temperature_c == 0


def test_a_device_without_smart_has_a_problem_in_smartctls_words_and_no_zeros() -> None:
    said = {"smartctl": {"exit_status": 1, "messages": [{"string": "/dev/sdx: Unable to detect device type"}]}}
    reading = smart_parse.reading(json.dumps(said), 7.0)
    assert reading.problem == "smartctl reports: /dev/sdx: Unable to detect device type"
    assert (reading.read_at, reading.passed, reading.values) == (None, None, HealthValues())


def test_invalid_json_is_a_problem() -> None:
    assert "smartmontools" in (smart_parse.reading("smartctl 6.6", 7.0).problem or "")


def plugged(transport: str) -> tuple[FakeSystem, FakeDisk, ObservedDisk]:
    machine = FakeSystem()
    (fake,) = machine.add_disks(1, transport)
    return machine, fake, observe_disks(machine)[0]


def test_an_nvme_drive_reports_its_log_its_bits_and_its_limits() -> None:
    machine, fake, disk = plugged("nvme")
    machine.tools.drives.health(fake).critical_warning = 0b101
    reading = smart.read(machine, disk, None)
    assert reading.warnings == (CriticalWarning.SPARE, CriticalWarning.RELIABILITY)
    assert reading.values == HealthValues(
        temperature_c=35,
        temperature_warning_c=70,
        temperature_critical_c=80,
        available_spare_percent=100,
        available_spare_threshold_percent=10,
        used_percent=3,
        power_on_hours=1234,
        unsafe_shutdowns=4,
        written_bytes=1_024_000_000,
        media_errors=0,
        error_log_entries=0,
    )
    assert reading.read_at is not None


def test_an_nvme_drive_is_safe_from_power_cuts_only_if_it_says_that_it_has_no_volatile_cache() -> None:
    machine, fake, disk = plugged("nvme")
    assert disk.power_loss_protection() is None, "it was not asked"
    for has_cache, is_safe in ((True, None), (False, True)):
        fake.has_write_cache = has_cache
        reported = disk.model_copy(update={"health": smart.read(machine, disk, None)})
        assert reported.power_loss_protection() is is_safe
    machine.tools.remove("nvme")
    reported = disk.model_copy(update={"health": smart.read(machine, disk, None)})
    assert reported.power_loss_protection() is None
    assert smart_parse.volatile_cache({"sn": "1"}) is None


@pytest.mark.parametrize(
    ("transport", "cache_type", "is_safe"),
    [
        ("sas", "write back", None),
        ("sas", "write through", True),
        ("sata", "none", True),
        ("sata", "write back, no read (daft)", None),
        ("virtio", "write through", None),
        ("sas", None, None),
    ],
)
def test_a_scsi_drive_is_safe_from_power_cuts_if_its_cache_is_off_and_no_other_is_guessed_at(
    transport: str, cache_type: str | None, is_safe: bool | None
) -> None:
    disk = seen.disk(1, transport=Transport(transport), cache_type=cache_type)
    assert disk.power_loss_protection() is is_safe


def test_the_cache_type_is_the_kernels_word() -> None:
    machine, fake, disk = plugged("sata")
    assert (disk.cache_type, disk.power_loss_protection()) == ("write through", True)
    fake.has_write_cache = True
    machine.changed()
    (disk,) = observe_disks(machine)
    assert (disk.cache_type, disk.power_loss_protection()) == ("write back", None)
    _, _, other = plugged("nvme")
    assert other.cache_type is None


def test_without_nvme_cli_the_limits_alone_are_missing() -> None:
    machine, _, disk = plugged("nvme")
    machine.tools.remove("nvme")
    reading = smart.read(machine, disk, None)
    assert (reading.values.temperature_warning_c, reading.values.temperature_c) == (None, 35)


def test_a_sleeping_drive_retains_its_last_reading_and_its_time() -> None:
    machine, fake, disk = plugged("sata")
    awake = smart.read(machine, disk, None)
    machine.tools.drives.health(fake).is_asleep = True
    machine.tools.drives.health(fake).pending = 9
    asleep = smart.read(machine, disk, awake)
    assert asleep == awake.model_copy(update={"is_asleep": True})
    machine.tools.drives.health(fake).is_asleep = False
    assert smart.read(machine, disk, asleep).values.pending_sectors == 9


def test_a_drive_that_hangs_retains_its_last_reading_and_each_miss_counts() -> None:
    machine, fake, disk = plugged("sas")
    before = smart.read(machine, disk, None)
    machine.tools.drives.health(fake).is_hanging = True
    once = smart.read(machine, disk, before)
    twice = smart.read(machine, disk, once)
    assert (once.misses, twice.misses, twice.values) == (1, 2, before.values)
    assert "did not finish" in (twice.problem or "")
    machine.tools.drives.health(fake).is_hanging = False
    assert smart.read(machine, disk, twice).misses == 0


def test_a_drive_that_can_no_longer_be_opened_retains_its_last_reading() -> None:
    machine, fake, disk = plugged("sas")
    machine.tools.drives.health(fake).is_failing = True
    before = smart.read(machine, disk, None)
    machine.pull(fake)
    after = smart.read(machine, disk, before)
    assert (after.passed, after.read_at, after.values) == (False, before.read_at, before.values)
    assert "No such device" in (after.problem or "")


def test_without_smartmontools_the_package_is_named() -> None:
    machine, _, disk = plugged("nvme")
    machine.tools.remove("smartctl")
    assert smart.read(machine, disk, None) == DriveReading(
        problem="smartctl is not installed: install the Debian package smartmontools"
    )


def test_a_drive_is_queried_by_its_stable_name() -> None:
    machine, fake, disk = plugged("nvme")
    taken = [argv for argv in _commands(machine, disk) if argv.startswith("smartctl")]
    assert all(word.endswith(f"/dev/disk/by-id/{disk.id}") for word in taken)
    assert fake.serial in machine.tools.drives.asked


def _commands(machine: FakeSystem, disk: ObservedDisk) -> list[str]:
    machine.faults.calls.clear()
    smart.read(machine, disk, None)
    return [call.detail for call in machine.faults.calls if call.name == "run"]


def test_a_virtual_disk_is_not_queried() -> None:
    machine = FakeSystem()
    (disk,) = machine.add_disks(1, "virtio")
    disk.kernel_name = "vda"
    assert not smart.reports_health(observe_disks(machine)[0])


@pytest.mark.parametrize(("transport", "tool"), [("sata", "hdparm"), ("sas", "sg_opcodes")])
def test_a_sata_or_sas_drive_is_queried_once_for_its_sanitize_methods(transport: str, tool: str) -> None:
    machine = FakeSystem()
    (drive,) = machine.add_disks(1, transport=transport)
    machine.tools.drives.health(drive).sanicap = 0b01
    (disk,) = observe_disks(machine)
    reading = smart.read(machine, disk, None)
    assert reading.erases == EraseSupport(sanitize_crypto=True)
    asked = len([call for call in machine.faults.calls if call.detail.startswith(tool)])
    assert smart.read(machine, disk, reading).erases == reading.erases
    assert len([call for call in machine.faults.calls if call.detail.startswith(tool)]) == asked
    machine.tools.remove(tool)
    assert smart.read(machine, disk, None).erases is None
