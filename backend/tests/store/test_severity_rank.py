"""Alerts are sorted by how grave they are, in the database."""

from sqlalchemy import select

from lunette.domain.alerts import Severity
from lunette.store.database import Store
from lunette.store.journal import Alert
from lunette.store.schema import utc_now


def test_alerts_are_sorted_by_severity_and_not_by_its_name(sqlite_store: Store) -> None:
    with sqlite_store.write() as tx:
        for one in (Severity.CRITICAL, Severity.INFO, Severity.WARNING):
            tx.add(
                Alert(
                    id=one.value, key=one.value, severity=one.value, message="", cause="", fix="", raised_at=utc_now()
                )
            )
        tx.flush()
        found = tx.scalars(select(Alert.severity).order_by(Alert.severity_rank.desc())).all()
        assert tx.scalars(select(Alert)).first() is not None
    assert found == [Severity.CRITICAL, Severity.WARNING, Severity.INFO]
