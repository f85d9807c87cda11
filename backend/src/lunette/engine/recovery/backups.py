"""Scheduled backups: the configuration is sealed and stored on a server at set times.

The clock is never trusted (planner/system/calendar.py): a run is due according to the last one, and old backups are
deleted by their number, never by their age. A backup is deleted only after a newer one was stored.
"""

import datetime as dt
import re
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from zoneinfo import ZoneInfo

from pydantic import SecretStr, ValidationError
from sqlalchemy.orm import Session

from lunette.domain.alerts import Severity
from lunette.domain.backups import BackupRecord, StoredBackup
from lunette.domain.base import Model
from lunette.domain.errors import Conflict
from lunette.domain.settings import BackupSettings
from lunette.engine.alerts.board import AlertBoard, Cause
from lunette.engine.alerts.outbox import appliance_name
from lunette.engine.changes import settings
from lunette.engine.context.loop import Loop
from lunette.engine.notifications.failure import DeliveryFailed
from lunette.engine.recovery import webdav
from lunette.planner.system import calendar
from lunette.store.database import Store
from lunette.store.events import SYSTEM, emit
from lunette.store.resources import Meta
from lunette.store.schema import utc_now
from lunette.store.settings import lost_secrets, read_settings, with_secrets

PERIOD_S = 15.0
RETRY = dt.timedelta(minutes=15)
"""Pause after a failed run."""
LEASE = dt.timedelta(minutes=30)
"""For this long a run belongs to one process."""
FAMILY = "backup."
ALERT = f"{FAMILY}scheduled"
KEY = "scheduled_backups"
"""Key of the record in the table meta."""
Maker = Callable[[SecretStr, bool], bytes]


class _Run(Model):
    """One backup to store, and what to do with it."""

    target: BackupSettings
    trusted_ca: str | None
    lost: tuple[str, ...]
    file: StoredBackup
    leftover: StoredBackup | None


class Backups:
    """One thread. Several processes may run one each: a run is claimed in a transaction."""

    def __init__(self, store: Store, now: Callable[[], dt.datetime] = utc_now, pace: float = 1.0) -> None:
        self._store = store
        self._now = now
        self._one = threading.Lock()
        self._board = AlertBoard(store, (FAMILY,))
        self._loop = Loop("backups", self.round, pace)
        self.start, self.stop, self.wake = self._loop.start, self._loop.stop, self._loop.wake
        self.make: Maker | None = None
        """Makes the file of a backup under a passphrase, with or without the certificate. The API sets it."""

    def round(self) -> float:
        """Stores a backup if one is due; raises and resolves the alert. Returns the seconds until the next look."""
        with self._store.read() as tx:
            wanted = read_settings(tx)
            record = record_of(tx)
        if wanted.backup is None:
            if record is not None and record.when:
                self._pause()
            self._board.show((), self._now())
            return PERIOD_S
        now, zone = self._now(), settings.zone(wanted)
        if record is None or not is_of(record, wanted.backup) or calendar.is_set_back(record.anchor_at, now):
            self._begin(wanted.backup, now)
        elif self.make is not None and _is_due(record, zone, now):
            try:
                self._run(SYSTEM)
            except Conflict:
                return PERIOD_S
        with self._store.read() as tx:
            record = record_of(tx)
        self._board.show(causes(wanted.backup, record, zone, self._now()), self._now())
        return PERIOD_S

    def run(self, actor: str) -> StoredBackup:
        """Stores a backup now. It waits for the server, so call it outside of any transaction.

        Raises Conflict if no scheduled backups are set up, one is being stored now, or it cannot be stored.
        """
        stored, trouble = self._run(actor)
        self.wake()
        if trouble is not None:
            raise Conflict(f"The backup was not stored: {trouble}.")
        return stored

    def _begin(self, target: BackupSettings, now: dt.datetime) -> None:
        """Counts from now on: the backups are new, go elsewhere or run at other times, or the clock was set back."""
        with self._store.write() as tx:
            record = record_of(tx)
            fresh = BackupRecord(url=target.url, when=target.when, since=now, anchor_at=now)
            if record is not None and record.url == target.url:
                update = {"when": target.when, "since": now, "anchor_at": now, "tried_at": None}
                fresh = record.model_copy(update=update)
            _write(tx, fresh)

    def _pause(self) -> None:
        """The backups have ended: set up again, they count from then on, and know what they stored."""
        with self._store.write() as tx:
            _write(tx, _need(tx).model_copy(update={"when": "", "trouble": None, "untidy": None}))

    def _run(self, actor: str) -> tuple[StoredBackup, str | None]:
        """The backup, and why it was not stored."""
        if self.make is None:
            raise Conflict("This process makes no backups.")
        if not self._one.acquire(blocking=False):
            raise _busy()
        try:
            run = self._claim()
            try:
                return self._store_one(run, self.make, actor)
            except Exception as error:
                words = error.detail if isinstance(error, DeliveryFailed) else f"{type(error).__name__}: {error}"
                self._failed(run, words, actor)
                if not isinstance(error, DeliveryFailed):
                    raise
                return run.file, words
        finally:
            self._one.release()

    def _claim(self) -> _Run:
        now = self._now().replace(microsecond=0)
        with self._store.write() as tx:
            wanted = with_secrets(tx)
            if wanted.backup is None:
                raise Conflict("No scheduled backups are set up: set `backup` in the settings first.")
            record = record_of(tx)
            if record is None or record.url != wanted.backup.url:
                record = BackupRecord(url=wanted.backup.url, when=wanted.backup.when, since=now, anchor_at=now)
            if record.lease_until is not None and now < record.lease_until < now + calendar.SET_BACK:
                raise _busy()
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", appliance_name(wanted))[:60]
            appliance = tx.get_one(Meta, "appliance_id").value[:8]
            file = StoredBackup(
                name=f"{name}-{appliance}-{now:%Y%m%dT%H%M%SZ}.lunette-backup", made_at=now, size_bytes=0
            )
            update = {"when": wanted.backup.when, "anchor_at": now, "tried_at": now, "lease_until": now + LEASE}
            _write(tx, record.model_copy(update=update))
            lost = tuple(key for key in lost_secrets(tx) if key.partition(".")[0] == "backup")
            return _Run(target=wanted.backup, trusted_ca=wanted.trusted_ca, lost=lost, file=file, leftover=record.begun)

    def _store_one(self, run: _Run, make: Maker, actor: str) -> tuple[StoredBackup, None]:
        if run.lost or run.target.passphrase is None:
            raise DeliveryFailed(
                "the stored passphrase or password was sealed with a different key: enter it again", was_answered=False
            )
        content = make(run.target.passphrase, run.target.certificate)
        file = run.file.model_copy(update={"size_bytes": len(content)})
        with webdav.opened(run.target, run.trusted_ca) as folder:
            found = () if run.leftover is None else _settled(folder, run.leftover)
            with self._store.write() as tx:
                record = _need(tx)
                _write(tx, record.model_copy(update={"begun": file, "stored": (*record.stored, *found)}))
            folder.store(file.name, content)
            with self._store.write() as tx:
                record = _need(tx)
                update = {"trouble": None, "begun": None, "stored": (*record.stored, file)}
                _write(tx, record.model_copy(update=update))
                emit(
                    tx, "appliance.backup_stored", f"Backup {file.name} was stored on {run.target.server}", actor=actor
                )
            self._delete_surplus(folder, run.target)
        return file, None

    def _delete_surplus(self, folder: webdav.Folder, target: BackupSettings) -> None:
        """Deletes the oldest backups beyond the number to retain, and ends the run."""
        untidy = None
        with self._store.read() as tx:
            surplus = _need(tx).stored[: -target.keep]
        gone: set[str] = set()
        try:
            for one in surplus:
                folder.delete(one.name)
                gone.add(one.name)
        except DeliveryFailed as error:
            untidy = error.detail
        with self._store.write() as tx:
            record = _need(tx)
            stored = tuple(one for one in record.stored if one.name not in gone)
            _write(tx, record.model_copy(update={"stored": stored, "untidy": untidy, "lease_until": None}))

    def _failed(self, run: _Run, words: str, actor: str) -> None:
        with self._store.write() as tx:
            record = _need(tx)
            is_news = record.trouble != words
            _write(tx, record.model_copy(update={"trouble": words, "lease_until": None}))
            if is_news or actor != SYSTEM:
                emit(tx, "appliance.backup_failed", f"The backup was not stored: {words}", actor=actor)


def causes(target: BackupSettings, record: BackupRecord | None, zone: ZoneInfo, now: dt.datetime) -> Iterator[Cause]:
    """What needs attention: a failed run, or that the newest backup is older than twice the interval."""
    if record is None or not is_of(record, target):
        return
    newest = record.succeeded_at
    if newest is not None and calendar.is_set_back(newest, now):
        newest = None  # dated by a wrong clock
    second = next(islice(calendar.upcoming(target.when, zone, newest or record.since), 1, None))
    fix = (
        "Correct the server or the settings of the backup, then store a backup with `lunette setting store-backup`. "
        "The appliance tries again every 15 minutes."
    )
    age = f"The newest is of {newest:%Y-%m-%d %H:%M} UTC" if newest else "None was stored since the start"
    if second <= now:
        yield Cause(
            key=ALERT,
            severity=Severity.CRITICAL,
            message="The newest backup of the configuration is older than two intervals",
            cause=f"{age}: {record.trouble or 'no run has ended'}",
            fix=fix,
        )
    elif record.trouble is not None:
        yield Cause(
            key=ALERT,
            severity=Severity.WARNING,
            message="The scheduled backup of the configuration failed",
            cause=record.trouble,
            fix=fix,
        )
    elif record.untidy is not None:
        yield Cause(
            key=ALERT,
            severity=Severity.WARNING,
            message="Old backups of the configuration cannot be deleted",
            cause=record.untidy,
            fix="Give the user of the backup the right to delete files, or delete old backups on the server.",
        )


def _settled(folder: webdav.Folder, leftover: StoredBackup) -> tuple[StoredBackup, ...]:
    """Deletes the part of a backup whose run failed; returns the backup if it is whole after all."""
    folder.delete(leftover.name + webdav.PARTIAL)
    return (leftover,) if folder.has(leftover.name) else ()


def record_of(tx: Session) -> BackupRecord | None:
    """What is known of the scheduled backups; None if nothing is, or only in the form of another version."""
    row = tx.get(Meta, KEY)
    try:
        return BackupRecord.model_validate_json(row.value) if row else None
    except ValidationError:
        return None


def next_run(record: BackupRecord, zone: ZoneInfo, now: dt.datetime) -> dt.datetime:
    """When the next backup is made: a failed one is repeated."""
    if record.trouble is not None and record.tried_at is not None and record.tried_at <= now:
        return max(now, record.tried_at + RETRY)
    return max(now, next(calendar.upcoming(record.when, zone, record.anchor_at)))


def is_of(record: BackupRecord, target: BackupSettings) -> bool:
    """Whether this is known of the backups that these settings ask for."""
    return (record.url, record.when) == (target.url, target.when)


def _is_due(record: BackupRecord, zone: ZoneInfo, now: dt.datetime) -> bool:
    return next_run(record, zone, now) <= now


def _need(tx: Session) -> BackupRecord:
    return BackupRecord.model_validate_json(tx.get_one(Meta, KEY).value)


def _write(tx: Session, record: BackupRecord) -> None:
    tx.merge(Meta(key=KEY, value=record.model_dump_json()))


def _busy() -> Conflict:
    return Conflict("A backup is being stored now; wait for its end, then repeat.")
