"""CHAP that an older version accepted and the kernel treats as none: no host gets access with it, all else works."""

from pydantic import SecretStr
from sqlalchemy import update

from backend.tests.engine.conftest import ADMIN, Appliance
from backend.tests.engine.test_exportset import document, furnish
from lunette.domain.agent_protocol import Converge
from lunette.domain.hosts import Chap, HostPatch
from lunette.domain.settings import DiscoveryAuth, SettingsPatch
from lunette.engine.changes import hosts, settings
from lunette.engine.site import known
from lunette.store.resources import Host
from lunette.store.settings import SettingsRow, read_settings

GOOD = SecretStr("orange-kettle-7")


def test_a_host_with_it_is_not_let_in_and_the_others_are(lone: Appliance) -> None:
    furnish(lone)
    with lone.store.write() as tx:
        hosts.patch(lone.control.change(tx, ADMIN), "h1", HostPatch(chap=Chap(user="u", secret=GOOD)))
    assert [one.host for one in document(lone).targets[0].initiators] == ["h1"]
    for column, value in (
        ("chap_user", "NULLu"),
        ("chap_secret_sealed", lone.store.box.seal(SecretStr("NULLkettle-7"))),
    ):
        with lone.store.write() as tx:
            tx.execute(update(Host).where(Host.name == "h1").values({"chap_user": "u", column: value}))
        found = document(lone)
        assert found.targets[0].initiators == ()
        assert Converge(wanted=found).wanted == found
        with lone.store.read() as tx:
            held = known.known(tx, lone.store.box)
        assert [bool(one.chap) for one in held.site.hosts or ()] == [True, False]


def test_a_discovery_login_with_it_is_still_required_and_not_shown(lone: Appliance) -> None:
    with lone.store.write() as tx:
        settings.patch(
            lone.control.change(tx, ADMIN), SettingsPatch(discovery_auth=DiscoveryAuth(user="u", secret=GOOD))
        )
    asked = document(lone).discovery
    assert asked is not None
    assert asked.user == "u"
    with lone.store.write() as tx:
        tx.execute(update(SettingsRow).values(document={"discovery_auth": {"user": "NULLu"}}))
    with lone.store.read() as tx:
        held = read_settings(tx).discovery_auth
    assert held is not None
    assert held.user == "NULLu"
    found = document(lone)
    with lone.store.read() as tx:
        assert known.known(tx, lone.store.box).site.settings is not None
    assert found.discovery is not None
    assert (found.discovery.user, found.discovery.secret.get_secret_value()) == ("", "")
    assert Converge(wanted=found).wanted == found
    with lone.store.write() as tx:
        settings.patch(lone.control.change(tx, ADMIN), SettingsPatch(session_hours=3))
    with lone.store.read() as tx:
        assert read_settings(tx).session_hours == 3
