"""The last health reading of each drive, and when the next is due. One thread reads; observations use its results."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lunette.domain.disk_health import DriveReading, ErrorRecovery
from lunette.domain.disks import ObservedDisk
from lunette.domain.errors import LunetteError
from lunette.domain.self_tests import SelfTests, SelfTestSchedule, due
from lunette.providers.disks import recovery, selftest, smart, smart_parse
from lunette.providers.disks.inventory import observe_disks
from lunette.providers.disks.paths import path_of
from lunette.system.system_port import System

log = logging.getLogger(__name__)
LOOK_S = 60.0
"""How often this thread observes the machine if nothing else does."""
SLOWEST = 16
"""A drive that does not answer is read less and less often, at most by this factor."""
AGAIN_S = 86400.0
"""Minimum interval between two requests for a self-test: a drive may refuse them, or not record them."""
_Key = tuple[str, str]


@dataclass(frozen=True)
class _Known:
    reading: DriveReading
    asked_at: float
    """On the machine's monotonic clock."""


@dataclass(frozen=True)
class _Tried:
    """When a self-test was requested, and why it did not start."""

    at: float
    refused: str | None


class DiskHealth:
    """Drives are identified by ID and serial: another drive under an old name starts again."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._disks: tuple[ObservedDisk, ...] = ()
        self._looked_at: float | None = None
        self._known: dict[_Key, _Known] = {}
        self._tried: dict[_Key, _Tried] = {}

    def reported(self, disks: tuple[ObservedDisk, ...]) -> tuple[ObservedDisk, ...]:
        """The disks just observed, with their last readings."""
        self._disks, self._looked_at = disks, self._system.monotonic()
        return tuple(self._with(disk) for disk in disks)

    def _with(self, disk: ObservedDisk) -> ObservedDisk:
        if not smart.reports_health(disk):
            return disk
        known = self._known.get((disk.id, disk.serial))
        return disk.model_copy(update={"tells_health": True, "health": known.reading if known else None})

    def round(self, period_s: float, schedule: SelfTestSchedule | None = None) -> bool:
        """Reads the drives that are due, starts self-tests that are due, and sets the time limits of members of arrays.
        Returns whether anything is new.
        """
        asked = {(disk.id, disk.serial): disk for disk in self._seen() if smart.reports_health(disk)}
        before = self._known
        self._known = {key: known for key, known in before.items() if key in asked}
        self._tried = {key: tried for key, tried in self._tried.items() if key in asked}
        changed = False
        for key, disk in asked.items():
            known = self._known.get(key)
            read = self._read(disk, known, period_s)
            now = self._settled(disk, self._tested(disk, read, asked, schedule) if read is not known else read)
            self._known = self._known | {key: now}
            changed = changed or known is None or _undated(now.reading) != _undated(known.reading)
        return changed

    def _read(self, disk: ObservedDisk, known: _Known | None, period_s: float) -> _Known:
        if known is not None and self._system.monotonic() < known.asked_at + _pause(known.reading, period_s):
            return known
        before = known.reading if known else None
        try:
            reading = smart.read(self._system, disk, before)
        except Exception as error:
            log.exception("the answer of disk %s was not understood", disk.id)
            reading = _broken(disk, before or DriveReading(), error)
        if reading.problem and (known is None or reading.problem != known.reading.problem):
            log.warning("health of disk %s not read: %s", disk.id, reading.problem)
        return _Known(reading, self._system.monotonic())

    def _tested(
        self, disk: ObservedDisk, known: _Known, asked: Mapping[_Key, ObservedDisk], schedule: SelfTestSchedule | None
    ) -> _Known:
        """Starts the self-test that is due: one at a time in each array, and one among the disks in no array."""
        reading, tests, key = known.reading, known.reading.self_tests, (disk.id, disk.serial)
        if schedule is None or tests is None or reading.is_asleep or reading.misses:
            return known
        kind = due(tests, reading.values.power_on_hours, schedule)
        tried = self._tried.get(key)
        if kind is None or (tried and known.asked_at - tried.at < AGAIN_S) or self._is_testing(disk, asked):
            refused = tried.refused if tried and kind else None
            return _with_tests(known, tests.model_copy(update={"refused": refused}))
        try:
            refused = selftest.start(self._system, path_of(disk), kind)
        except LunetteError as error:
            refused = error.detail
        log.info("self-test (%s) of disk %s: %s", kind.value, disk.id, refused or "begun")
        self._tried[key] = _Tried(known.asked_at, refused)
        return _with_tests(known, tests.model_copy(update={"refused": refused, "is_running": refused is None}))

    def _is_testing(self, disk: ObservedDisk, asked: Mapping[_Key, ObservedDisk]) -> bool:
        return any(
            (other.array_uuid, other.used_by_system) == (disk.array_uuid, disk.used_by_system)
            and (known := self._known.get(key)) is not None
            and known.reading.self_tests is not None
            and known.reading.self_tests.is_running
            and not (known.reading.is_asleep or known.reading.misses)  # it reported this long ago
            for key, other in asked.items()
            if other.id != disk.id
        )

    def _settled(self, disk: ObservedDisk, known: _Known) -> _Known:
        reported = known.reading.recovery
        if reported is None or known.reading.is_asleep:
            return known
        try:
            now: ErrorRecovery | None = recovery.settle(self._system, disk, reported)
        except Exception:
            log.exception("the time limits of disk %s are not maintained until it is read again", disk.id)
            now = None
        return known if now == reported else replace(known, reading=known.reading.model_copy(update={"recovery": now}))

    def _seen(self) -> tuple[ObservedDisk, ...]:
        now = self._system.monotonic()
        if self._looked_at is None or now - self._looked_at >= LOOK_S:
            try:
                self._disks = observe_disks(self._system)
            except Exception as error:  # noqa: BLE001 - known drives are read all the same
                log.warning("the drives cannot be listed: %s: %s", type(error).__name__, error)
            self._looked_at = now
        return self._disks


def _broken(disk: ObservedDisk, known: DriveReading, error: Exception) -> DriveReading:
    """Reads one drive. An error never keeps the agent from reading the next one."""
    said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    problem = (
        f"the agent does not understand the response of the drive ({said}): run `smartctl --all {disk.device}`, and "
        "report the problem with the agent's journal"
    )
    return known.model_copy(update={"problem": problem, "unreadable": (smart_parse.WHOLE,), "is_asleep": False})


def _with_tests(known: _Known, tests: SelfTests) -> _Known:
    return replace(known, reading=known.reading.model_copy(update={"self_tests": tests}))


def _undated(reading: DriveReading) -> DriveReading:
    return reading.model_copy(update={"read_at": None})


def _pause(reading: DriveReading, period_s: float) -> float:
    return period_s * min(1 << reading.misses, SLOWEST)
