"""Settings of the whole appliance, and the test of its alert channels."""

from collections.abc import Iterator

from fastapi import Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lunette.api.answers.settings import (
    AlertTest,
    BackupState,
    BackupTarget,
    ChannelTest,
    DeliveryState,
    DiscoveryLogin,
    Mail,
    Settings,
    StoredBackup,
    Syslog,
    Webhook,
)
from lunette.api.auth.identity import Asking
from lunette.api.openapi.responses import SHOWN, changed, refusals, router
from lunette.api.requests.changes import Changing, answer
from lunette.api.requests.services import UsedServices
from lunette.domain import settings as domain
from lunette.domain.settings import SettingsPatch, SyslogTransport
from lunette.engine.changes import settings
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.recovery import backups
from lunette.store.events import emit
from lunette.store.schema import utc_now
from lunette.store.settings import Delivery, SettingsRow, settings_of, settings_row

routes = router("/settings", "settings")


@routes.get("", operation_id="setting_show", response_model=Settings, responses=SHOWN)
def setting_show(services: UsedServices) -> Response:
    """Shows the settings of the appliance.

    Secrets are never returned.
    """
    with services.store.read() as tx:
        row = settings_row(tx)
        return answer(_answer(tx, row), version=row.version)


@routes.patch("", operation_id="setting_patch", response_model=None, responses=changed(Settings))
def setting_patch(body: SettingsPatch, change: Changing) -> Response:
    """Changes the settings of the appliance.

    Omitted fields stay unchanged; `null` clears an optional setting. Requires `If-Match`.
    """

    def act(context: ChangeContext) -> Outcome:
        change.check_match(settings_row(context.tx).version)
        return settings.patch(context, body)

    def show(tx: Session, _outcome: Outcome) -> Response:
        row = settings_row(tx)
        return answer(_answer(tx, row), version=row.version)

    return change.apply(act, show, looks="firewall" in body.model_fields_set)


@routes.post("/alerts:test", operation_id="alert_test", response_model=AlertTest, responses=refusals(409))
def alert_test(services: UsedServices, asking: Asking) -> AlertTest:
    """Sends a test message over every configured alert channel.

    For each channel, the answer says whether the message was accepted and, if not, why.
    """
    found = services.control.test_alerts(asking.actor)
    words = ", ".join(f"{one.channel.value} {'took it' if one.accepted else 'did not'}" for one in found)
    with services.store.write() as tx:
        emit(tx, "setting.tested", f"Alerts were tested: {words}", actor=asking.actor)
    return AlertTest(
        results=tuple(ChannelTest(channel=one.channel, accepted=one.accepted, detail=one.detail) for one in found)
    )


def _answer(tx: Session, row: SettingsRow) -> Settings:
    stored = settings_of(row)
    mail, hook, log, asked = stored.mail, stored.webhook, stored.syslog, stored.discovery_auth
    kept = stored.backup
    local = log is not None and log.transport is SyslogTransport.LOCAL
    return Settings(
        name=stored.name,
        host_name=stored.host_name,
        time_zone=stored.time_zone,
        session_hours=stored.session_hours,
        second_factor_required=stored.second_factor_required,
        history_days=stored.history_days,
        deleted_keep_hours=stored.deleted_keep_hours,
        number_held_hours=stored.number_held_hours,
        disk_health_minutes=stored.disk_health_minutes,
        short_test_days=stored.short_test_days,
        long_test_days=stored.long_test_days,
        mail=Mail(
            server=mail.server,
            port=mail.wanted_port,
            security=mail.security,
            user=mail.user,
            has_password="mail" in row.sealed,
            sender=mail.sender,
            recipients=mail.recipients,
        )
        if mail
        else None,
        webhook=Webhook(url=hook.url.shown, has_path="webhook.url" in row.sealed, has_secret="webhook" in row.sealed)
        if hook
        else None,
        syslog=Syslog(transport=log.transport, server=log.server, port=None if local else log.wanted_port)
        if log
        else None,
        heartbeat=stored.heartbeat,
        trusted_ca=stored.trusted_ca,
        firewall=stored.firewall,
        discovery_auth=DiscoveryLogin(
            user=asked.user,
            has_secret="discovery_auth" in row.sealed,
            mutual_user=asked.mutual_user,
            has_mutual_secret="discovery_auth.mutual" in row.sealed,
        )
        if asked
        else None,
        backup=BackupTarget(
            url=kept.url,
            user=kept.user,
            has_password="backup" in row.sealed,
            has_passphrase="backup.passphrase" in row.sealed,
            when=kept.when,
            keep=kept.keep,
            certificate=kept.certificate,
        )
        if kept
        else None,
        backup_state=_backups(tx, stored) if kept else None,
        deliveries=tuple(_deliveries(tx, stored)),
        updated_at=row.updated_at,
    )


def _backups(tx: Session, stored: domain.Settings) -> BackupState | None:
    record = backups.record_of(tx)
    if record is None or stored.backup is None or not backups.is_of(record, stored.backup):
        return None
    return BackupState(
        next_run_at=backups.next_run(record, settings.zone(stored), utc_now()),
        last_tried_at=record.tried_at,
        trouble=record.trouble,
        untidy=record.untidy,
        stored=tuple(StoredBackup.of(one) for one in reversed(record.stored)),
    )


def _deliveries(tx: Session, stored: domain.Settings) -> Iterator[DeliveryState]:
    for channel in stored.channels():
        mine = select(Delivery).where(Delivery.channel == channel.value)
        waiting = tx.scalars(mine.where(Delivery.over_at.is_(None)).order_by(Delivery.seq)).all()
        last = select(func.max(Delivery.over_at)).where(
            Delivery.channel == channel.value, Delivery.over_at.is_not(None), Delivery.is_told
        )
        yield DeliveryState(
            channel=channel,
            waiting=len(waiting),
            last_told_at=tx.scalar(last),
            trouble=(waiting[0].outcome or None) if waiting else None,
        )
