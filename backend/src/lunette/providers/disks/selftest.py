"""Self-tests by smartctl: the log of a SATA, SAS or NVMe drive, and how a test is started.

Codes as in ataprint.cpp, scsiprint.cpp and nvmeprint.cpp of smartmontools 7.4, which also starts those of NVMe.
"""

from collections.abc import Iterator

from lunette.domain.self_tests import MOST_TESTS, SelfTest, SelfTestKind, SelfTestResult, SelfTests
from lunette.providers.disks.section import Section, document
from lunette.system.system_port import System

TIMEOUT_S = 20.0
_NOT_BEGUN = 0b111
"""Of smartctl's exit status: the command line, the device, or the command to it was refused."""
_SHORT, _LONG, _OTHER = SelfTestKind.SHORT, SelfTestKind.LONG, SelfTestKind.OTHER
_ATA_KINDS = {0x01: _SHORT, 0x81: _SHORT, 0x02: _LONG, 0x82: _LONG}
_SCSI_KINDS = {1: _SHORT, 5: _SHORT, 2: _LONG, 6: _LONG}
_NVME_KINDS = {1: _SHORT, 2: _LONG}
_ATA_FAILED, _SCSI_FAILED, _NVME_FAILED = range(3, 9), range(3, 8), range(5, 8)
_RUNNING = 0xF


def read(reported: Section) -> SelfTests | None:
    """The drive's log of its tests; None if it has no log."""
    if "nvme_self_test_log" in reported:
        log = reported.section("nvme_self_test_log", judged=True)
        running = log.section("current_self_test_operation").count("value", needed=True) or 0
        return _tests(_of_nvme(log), bool(running & 0xF))
    if "ata_smart_self_test_log" in reported:
        logs = reported.section("ata_smart_self_test_log", judged=True)
        log = logs.section("extended" if "extended" in logs else "standard", judged=True)
        if "table" not in log:
            log.count("count", needed=True)  # it reports that there are none
        status = reported.section("ata_smart_data").section("self_test").section("status").count("value") or 0
        return _tests(_of_ata(log), status >> 4 == _RUNNING)
    if reported.section("device").text("protocol") == "SCSI" and "smart_status" in reported:
        status = reported.section("scsi_self_test_status").flag("in_progress") or False
        return _tests(_of_scsi(reported), status)
    return None


def start(system: System, disk_path: str, kind: SelfTestKind) -> str | None:
    """Starts a test in the background, which the drive itself interrupts for the I/O of hosts; None if it started, else
    why not.
    """
    argv = ["smartctl", "--json", f"--test={kind.value}", disk_path]
    answer = system.run(argv, timeout_s=TIMEOUT_S, ok=tuple(range(256)))
    if not answer.returncode & _NOT_BEGUN:
        return None
    reported = document(answer.stdout)
    said = (
        [text for one in reported.section("smartctl").rows("messages") if (text := one.text("string"))]
        if reported
        else []
    )
    return said[0][:200] if said else f"smartctl ended with exit status {answer.returncode}"


def _tests(rows: Iterator[SelfTest | None], is_running: bool) -> SelfTests:
    found = tuple(rows)
    log = tuple(test for test in found if test is not None)[:MOST_TESTS]
    return SelfTests(log=log, is_running=is_running or None in found)


def _of_nvme(log: Section) -> Iterator[SelfTest | None]:
    for row in log.rows("table", judged=True):
        kind = _NVME_KINDS.get(row.section("self_test_code").count("value") or 0, _OTHER)
        result = row.section("self_test_result", judged=True)
        code = result.count("value", needed=True)
        if code is not None:
            yield _test(kind, code, _NVME_FAILED, row.count("power_on_hours"), row.count("lba"), result)


def _of_ata(log: Section) -> Iterator[SelfTest | None]:
    for row in log.rows("table", judged=True):
        kind = _ATA_KINDS.get(row.section("type").count("value") or 0, _OTHER)
        status = row.section("status", judged=True)
        code = status.count("value", needed=True)
        if code is not None:
            yield _test(kind, code >> 4, _ATA_FAILED, row.count("lifetime_hours"), row.count("lba"), status)


def _of_scsi(reported: Section) -> Iterator[SelfTest | None]:
    for number in range(MOST_TESTS):
        name = f"scsi_self_test_{number}"
        if name not in reported:
            continue
        row = reported.section(name, judged=True)
        kind = _SCSI_KINDS.get(row.section("code").count("value") or 0, _OTHER)
        result = row.section("result", judged=True)
        code = result.count("value", needed=True)
        if code is not None:
            hours, lba = row.section("power_on_time").count("hours"), row.section("lba_first_failure").count("value")
            yield _test(kind, code, _SCSI_FAILED, hours, lba, result)


def _test(
    kind: SelfTestKind, code: int, failed: range, hours: int | None, lba: int | None, said: Section
) -> SelfTest | None:
    """None for a running one."""
    if code == _RUNNING:
        return None
    result = SelfTestResult.FAILED if code in failed else SelfTestResult.ABORTED if code else SelfTestResult.PASSED
    return SelfTest(kind=kind, result=result, hours=hours, lba=lba, words=(said.text("string") or "")[:100])
