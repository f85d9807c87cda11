"""Undo: what it restores, what prevents it, and what is never stored in plain text."""

import threading

import pytest
from sqlalchemy import func, select, text

from backend.tests.engine.conftest import ADMIN, Appliance
from lunette.domain.errors import Conflict, InUse, LunetteError, NotFound
from lunette.domain.exports import ReleaseKind
from lunette.domain.hosts import Chap, HostCreate, HostGroupCreate, HostGroupPatch, HostPatch
from lunette.domain.jobs import JobKind
from lunette.domain.mappings import MappingCreate, Split
from lunette.domain.settings import SettingsPatch
from lunette.domain.undo import JOB_REASONS, why_not
from lunette.domain.volumes import VolumePatch
from lunette.engine.changes import host_groups, hosts, mappings, settings, volumes
from lunette.engine.context.outcome import Outcome
from lunette.engine.exports import exportset
from lunette.engine.undo import undo as undoing
from lunette.store.journal import Event
from lunette.store.resources import Host, Mapping, Target, Volume
from lunette.store.secrets import SecretBox
from lunette.store.settings import with_secrets
from lunette.store.undo import KeptState

SECRET = "the-secret-of-h1"


def last_event(appliance: Appliance) -> int:
    with appliance.store.read() as tx:
        return tx.scalar(select(func.max(KeptState.event_seq))) or 0


def undo(appliance: Appliance, seq: int | None = None, *, dry_run: bool = False) -> Outcome:
    with appliance.store.write() as tx:
        return undoing.undo(appliance.control.change(tx, ADMIN, dry_run=dry_run), seq or last_event(appliance))


def refused(appliance: Appliance, seq: int, kind: type[LunetteError] = Conflict) -> str:
    """The words of the refusal; nothing was written."""
    with appliance.store.read() as tx:
        before = tx.scalar(select(func.max(Event.seq)))
    with pytest.raises(kind) as refusal:
        undo(appliance, seq)
    with appliance.store.read() as tx:
        assert tx.scalar(select(func.max(Event.seq))) == before
    return refusal.value.detail


def mapped(appliance: Appliance) -> int:
    """v1 and v2 for h1, each by an event; the number of the last."""
    appliance.array()
    appliance.volumes("v1", "v2", "v3")
    appliance.host("h1")
    appliance.portal()
    appliance.map(MappingCreate(volume="v1", host="h1"))
    appliance.map(MappingCreate(volume="v2", host="h1"))
    return last_event(appliance)


def unmap(appliance: Appliance, volume: str) -> int:
    with appliance.store.write() as tx:
        query = select(Mapping.id).join(Volume).where(Volume.name == volume)
        mappings.delete(appliance.control.change(tx, ADMIN), tx.scalars(query).one())
    return last_event(appliance)


def luns(appliance: Appliance) -> dict[str, int]:
    with appliance.store.read() as tx:
        return dict(tx.execute(select(Volume.name, Mapping.lun).join(Mapping)).all())


def test_an_unmapped_volume_is_restored_under_its_number_and_id(appliance: Appliance) -> None:
    mapped(appliance)
    with appliance.store.read() as tx:
        before = exportset.build(tx, appliance.store.box)
    seq = unmap(appliance, "v2")
    appliance.converge()
    undo(appliance)
    appliance.converge()
    with appliance.store.read() as tx:
        after = exportset.build(tx, appliance.store.box)
        event = tx.get_one(Event, last_event(appliance))
        assert tx.get_one(KeptState, seq).undone_by == event.seq
    assert after.targets == before.targets
    assert event.kind == "mapping.created"
    assert event.message.endswith(f"undoing event {seq}")


def test_a_mapping_that_is_undone_is_released_so_that_the_agent_lets_go_of_it(appliance: Appliance) -> None:
    seq = mapped(appliance)
    appliance.converge()
    undo(appliance, seq)
    with appliance.store.read() as tx:
        released = exportset.build(tx, appliance.store.box).released
    assert ReleaseKind.MAPPING in {one.kind for one in released}
    assert luns(appliance) == {"v1": 1}


def test_a_number_that_was_given_away_since_is_named_with_a_free_one(appliance: Appliance) -> None:
    mapped(appliance)
    seq = unmap(appliance, "v2")
    appliance.map(MappingCreate(volume="v3", host="h1", lun=2))
    words = refused(appliance, seq)
    assert "LUN 2 of h1 is used by volume v3; 3 is free" in words
    assert luns(appliance) == {"v1": 1, "v3": 2}


def test_a_lost_volume_is_named_even_if_another_has_its_name_now(appliance: Appliance) -> None:
    mapped(appliance)
    seq = unmap(appliance, "v2")
    with appliance.store.write() as tx:
        deletion = volumes.delete(appliance.control.change(tx, ADMIN), "v2")
    appliance.finish(deletion)
    appliance.volumes("v2")
    assert "Volume v2 no longer exists, and another with that name is not the same" in refused(appliance, seq)
    assert luns(appliance) == {"v1": 1}


def test_a_batch_of_mappings_is_one_change_and_is_removed_as_one(appliance: Appliance) -> None:
    appliance.array()
    names = [f"v{number}" for number in range(1, 5)]
    appliance.volumes(*names)
    appliance.host("h1")
    appliance.host("h2")
    appliance.map(*Split(volumes=tuple(names), hosts=("h1", "h2")).expand())
    made = last_event(appliance)
    plan = undo(appliance, made, dry_run=True).plan
    assert [change.name for change in plan.changes] == names
    undo(appliance, made)
    assert luns(appliance) == {}
    undo(appliance)
    assert luns(appliance) == {"v1": 1, "v2": 2, "v3": 1, "v4": 2}


def test_a_deleted_host_is_restored_with_its_secret_and_its_target_names(appliance: Appliance) -> None:
    chap = Chap.model_validate({"user": "u", "secret": SECRET})
    with appliance.store.write() as tx:
        host = hosts.create(appliance.control.change(tx, ADMIN), HostCreate(name="h1", chap=chap)).ids[0]
        tx.flush()
        names = tx.execute(select(Target.id, Target.iqn, Target.nqn)).one()
    with appliance.store.write() as tx:
        hosts.delete(appliance.control.change(tx, ADMIN), "h1")
    undo(appliance)
    with appliance.store.read() as tx:
        row = tx.get_one(Host, host)
        assert appliance.store.box.open(row.chap_secret_sealed or "").get_secret_value() == SECRET
        assert tx.execute(select(Target.id, Target.iqn, Target.nqn)).one() == names


def test_no_secret_is_stored_or_reported_in_plain_text(lone: Appliance) -> None:
    chap = Chap.model_validate({"user": "u", "secret": SECRET})
    webhook = {"url": "https://hooks.example/x", "secret": "sixteen-characters"}
    with lone.store.write() as tx:
        hosts.create(lone.control.change(tx, ADMIN), HostCreate(name="h1", chap=chap))
        settings.patch(lone.control.change(tx, ADMIN), SettingsPatch.model_validate({"webhook": webhook}))
        settings.patch(lone.control.change(tx, ADMIN), SettingsPatch.model_validate({"webhook": None}))
    with lone.store.engine.connect() as connection:
        rows = [*connection.execute(text("SELECT * FROM kept_state")), *connection.execute(text("SELECT * FROM event"))]
    assert len(rows) == 6
    assert not [row for row in rows if SECRET in str(row) or "sixteen-characters" in str(row)]


def test_a_setting_is_restored_with_its_secret(appliance: Appliance) -> None:
    webhook = {"url": "https://hooks.example/x", "secret": "sixteen-characters"}
    for wanted in (webhook, None):
        with appliance.store.write() as tx:
            settings.patch(appliance.control.change(tx, ADMIN), SettingsPatch.model_validate({"webhook": wanted}))
    undo(appliance)
    with appliance.store.write() as tx:
        back = with_secrets(tx).webhook
    assert back is not None
    assert back.secret is not None
    assert back.secret.get_secret_value() == "sixteen-characters"


def test_without_the_key_of_the_secrets_nothing_is_undone(lone: Appliance) -> None:
    lone.host("h1")
    seq = last_event(lone)
    lone.store.box = SecretBox(b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    assert "a different key than the current one in the key file" in refused(lone, seq)


def test_a_field_changed_since_prevents_the_undo_and_another_one_does_not(appliance: Appliance) -> None:
    appliance.host("h1")
    control = appliance.control
    for patch in (HostPatch(description="one"), HostPatch(description="two", name="h1b")):
        with appliance.store.write() as tx:
            hosts.patch(control.change(tx, ADMIN), tx.scalars(select(Host.id)).one(), patch)
    first, second = last_event(appliance) - 1, last_event(appliance)
    words = refused(appliance, first)
    assert f"Host h1b was changed since (description), last by event {second}" in words
    assert "Undo that first, or change it manually" in words
    undo(appliance, second)
    undo(appliance, first)
    with appliance.store.read() as tx:
        assert tx.execute(select(Host.name, Host.description)).one() == ("h1", "")


def test_what_was_put_into_a_new_host_since_is_not_thrown_away(appliance: Appliance) -> None:
    appliance.host("h1")
    seq = last_event(appliance)
    with appliance.store.write() as tx:
        hosts.patch(appliance.control.change(tx, ADMIN), "h1", HostPatch(iqns=("iqn.2026-01.com.example:new",)))
    assert "was changed since (iqns)" in refused(appliance, seq)


def test_a_host_that_is_mapped_or_in_a_group_is_not_undone(appliance: Appliance) -> None:
    mapped(appliance)
    with appliance.store.read() as tx:
        seq = tx.scalars(select(Event.seq).where(Event.kind == "host.created")).one()
    assert "it has 2 mappings (volumes v1, v2); delete them first" in refused(appliance, seq, InUse)


def test_a_member_that_left_a_group_is_restored_unless_it_joined_another(appliance: Appliance) -> None:
    appliance.host("h1")
    control = appliance.control
    with appliance.store.write() as tx:
        host_groups.create(control.change(tx, ADMIN), HostGroupCreate(name="g1", hosts=("h1",)))
    with appliance.store.write() as tx:
        host_groups.patch(control.change(tx, ADMIN), "g1", HostGroupPatch(hosts=()))
    left = last_event(appliance)
    with appliance.store.write() as tx:
        host_groups.create(control.change(tx, ADMIN), HostGroupCreate(name="g2", hosts=("h1",)))
    assert "g2" in refused(appliance, left)
    undo(appliance)
    undo(appliance, left)


def test_a_renamed_volume_has_its_name_back(appliance: Appliance) -> None:
    appliance.array()
    appliance.volumes("v1")
    with appliance.store.write() as tx:
        volumes.patch(appliance.control.change(tx, ADMIN), "v1", VolumePatch(name="renamed"))
    undo(appliance)
    with appliance.store.read() as tx:
        assert tx.scalars(select(Volume.name)).all() == ["v1"]


def test_an_event_is_undone_once_and_the_undo_can_be_undone(appliance: Appliance) -> None:
    appliance.portal()
    made = last_event(appliance)
    undo(appliance, made)
    undone = last_event(appliance)
    assert f"was undone already, by event {undone}" in refused(appliance, made)
    undo(appliance, undone)
    with pytest.raises(Conflict, match="was undone already"):
        undo(appliance, made)


def test_two_who_undo_the_same_at_once_do_it_once(appliance: Appliance) -> None:
    appliance.portal()
    seq, ends = last_event(appliance), list[str]()

    def one() -> None:
        try:
            undo(appliance, seq)
            ends.append("done")
        except Conflict:
            ends.append("refused")

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ends) == ["done", "refused"]


def test_what_holds_data_says_why_it_cannot_be_undone(appliance: Appliance) -> None:
    appliance.array()
    appliance.volumes("v1")
    with appliance.store.read() as tx:
        seq = tx.scalars(select(Event.seq).where(Event.kind == "volume.created")).one()
    assert "Hosts may already have written data to it" in refused(appliance, seq)
    with pytest.raises(NotFound):
        undo(appliance, 10_000)


def test_every_kind_of_job_and_every_event_says_why_not() -> None:
    assert JOB_REASONS.keys() == set(JobKind)
    assert why_not("host.created").startswith("The change was made by a version")
    assert "Grant or revoke access" in why_not("user.created")
    assert why_not("disk.gone") == why_not("job.finished")


def test_a_write_that_fails_in_the_middle_of_an_undo_leaves_all_as_it_was(lone: Appliance) -> None:
    """A full disk may refuse any of its writes: each table it writes to refuses once."""
    mapped(lone)
    seq = unmap(lone, "v2")
    for table, verb in (("mapping", "INSERT"), ("kept_state", "INSERT"), ("event", "INSERT"), ("kept_state", "UPDATE")):
        with lone.store.write() as tx:
            tx.execute(text(f"CREATE TRIGGER full BEFORE {verb} ON {table} BEGIN SELECT RAISE(FAIL, 'full'); END"))
        with pytest.raises(LunetteError):
            undo(lone, seq)
        with lone.store.write() as tx:
            tx.execute(text("DROP TRIGGER full"))
        assert luns(lone) == {"v1": 1}
        with lone.store.read() as tx:
            assert tx.get_one(KeptState, seq).undone_by is None
    undo(lone, seq)
    assert luns(lone) == {"v1": 1, "v2": 2}
