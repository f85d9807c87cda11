"""Who raises which alerts: threads keep out of each other's families, and every family is one the API names."""

from itertools import permutations

import pytest
from pydantic import ValidationError

from lunette.domain.alerts import AlertFamily, Severity, family_of
from lunette.domain.settings import Channel
from lunette.engine.alerts import outbox, stuck_jobs
from lunette.engine.alerts.board import Cause
from lunette.engine.background import sealer, thin_pools, watcher
from lunette.engine.changes import schedules
from lunette.engine.conditions import twins
from lunette.engine.exports import reconciler
from lunette.engine.recovery import backups
from lunette.store.journal import Job

THREADS = (
    thin_pools.FAMILIES,
    reconciler.FAMILIES,
    sealer.FAMILIES,
    watcher.FAMILIES,
    (twins.FAMILY,),
    (backups.FAMILY,),
)


def test_no_thread_resolves_the_alerts_of_another() -> None:
    taken = [(own, other) for ours, theirs in permutations(THREADS, 2) for own in ours for other in theirs]
    assert [(own, other) for own, other in taken if own.startswith(other)] == []


def test_the_api_names_every_family_that_is_raised_and_no_other() -> None:
    stuck = stuck_jobs.stuck_alert(Job(id="j", title="t", message="m")).key
    single = [stuck, schedules.alert_key("s"), outbox.trouble_key(Channel.MAIL)]
    raised = {family_of(key) for key in [*single, *(prefix for thread in THREADS for prefix in thread)]}
    assert raised == set(AlertFamily)


def test_an_alert_without_a_family_is_our_mistake_and_an_old_one_is_still_shown() -> None:
    with pytest.raises(ValidationError, match=r"comet\.near is of no AlertFamily"):
        Cause(key="comet.near", severity=Severity.INFO, message="", cause="", fix="")
    assert family_of("comet.near:1") is None
