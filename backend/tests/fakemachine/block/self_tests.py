"""The logs of self-tests as smartctl 7.4 prints them, one form for each kind of drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backend.tests.fakemachine.block.drives import Health

_CODES = {"short": 1, "long": 2}


def reported(transport: str, health: Health) -> dict[str, object]:
    """The section of a drive, which ends the test that runs once it was looked at often enough."""
    if not health.has_self_tests:
        return {}
    if health.testing and health.test_looks <= 0:
        health.self_tests.insert(0, (health.testing, not health.test_fails, health.hours))
        health.testing = None
    health.test_looks -= 1
    return {"nvme": _nvme, "sata": _ata}.get(transport, _scsi)(health)


def _nvme(health: Health) -> dict[str, object]:
    rows = [
        {
            "self_test_code": {"value": _CODES[kind], "string": kind.title()},
            "power_on_hours": hours,
            "self_test_result": {"value": 0 if passed else 7, "string": _words(passed)},
        }
        for kind, passed, hours in health.self_tests
    ]
    now = {"value": _CODES.get(health.testing or "", 0), "string": "in words"}
    return {"nvme_self_test_log": {"nsid": -1, "current_self_test_operation": now, "table": rows}}


def _ata(health: Health) -> dict[str, object]:
    rows = [
        {
            "type": {"value": _CODES[kind], "string": kind.title()},
            "lifetime_hours": hours,
            "status": {"value": 0 if passed else 0x70, "string": _words(passed), "passed": passed},
        }
        | ({} if passed else {"lba": 5000})
        for kind, passed, hours in health.self_tests
    ]
    status = {"value": 0xF9, "remaining_percent": 90} if health.testing else {"value": 0, "passed": True}
    return {
        "ata_smart_data": {"self_test": {"status": status}},
        "ata_smart_self_test_log": {"standard": {"revision": 1, "table": rows, "count": len(rows)}},
    }


def _scsi(health: Health) -> dict[str, object]:
    """A test that runs has an entry of its own."""
    rows: list[dict[str, object]] = [{"code": {"value": 1}, "result": {"value": 15}}] if health.testing else []
    rows += [
        {
            "code": {"value": _CODES[kind]},
            "result": {"value": 0 if passed else 6, "string": _words(passed)},
            "power_on_time": {"hours": hours},
        }
        for kind, passed, hours in health.self_tests
    ]
    return {"device": {"protocol": "SCSI"}} | {f"scsi_self_test_{number}": row for number, row in enumerate(rows)}


def _words(passed: bool) -> str:
    return "Completed without error" if passed else "Completed: read failure"
