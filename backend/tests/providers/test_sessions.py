from backend.tests.recorded import recorded
from lunette.domain.exports import ObservedConnection
from lunette.domain.mappings import Protocol
from lunette.providers.exports.lio.connected import parse_table
from lunette.providers.exports.lio.sessions import parse_info


def test_a_login_reports_state_and_peer() -> None:
    assert parse_info(recorded("linux-6.12/iscsi-acl-logged-in.txt")) == (
        "logged in",
        "127.0.0.1",
        Protocol.ISCSI,
        1,
        "00023d000001",
    )


def test_a_login_over_iser_is_called_sctp_by_the_kernel() -> None:
    assert parse_info(recorded("linux-6.12/iscsi-acl-logged-in-iser.txt")) == (
        "logged in",
        "192.168.77.2",
        Protocol.ISER,
        1,
        "00023d000001",
    )


def test_an_idle_initiator_has_no_session() -> None:
    assert parse_info(recorded("linux-6.12/iscsi-acl-idle.txt")) is None
    assert parse_info("") is None


def test_connections_are_those_established_to_the_requested_ports() -> None:
    over_4 = list(parse_table(recorded("linux-6.18/proc-net-tcp.txt"), {3260}))
    assert over_4 == [ObservedConnection(address="127.0.0.1", port=3260, peer="127.0.0.1")]
    over_6 = list(parse_table(recorded("linux-6.18/proc-net-tcp6.txt"), {3270}))
    assert [one.peer for one in over_6] == ["::1", "127.0.0.1"]
    assert list(parse_table("", {3260})) == []
