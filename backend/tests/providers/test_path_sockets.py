"""What ss says of connections: a line recorded of iproute2 6.1, and its other forms of addresses."""

from lunette.domain.steps import HostLink
from lunette.providers.exports.paths.sockets import of_link, parse

RECORDED = """\
0      0      127.0.0.1:3260  127.0.0.5:33033 bbr wscale:10,10 rto:204 rtt:0.022/0.011 mss:32768 pmtu:65535 \
bytes_received:2 lastsnd:16 lastrcv:1016 lastack:16 pacing_rate 340531187816bps delivered:1 minrtt:0.022
0      0      [::ffff:192.0.2.1]:3260  [::ffff:192.0.2.10]:51000 cubic wscale:7,7 lastsnd:8 lastrcv:8 lastack:8
0      0      [2001:db8::1]:3260  [2001:db8::10]:51001 cubic
0      0      *:22  *:*
"""


def test_ends_are_read_whatever_their_form_and_silence_in_seconds() -> None:
    found = list(parse(RECORDED))
    assert [(one.address, one.port, one.peer, one.silent_s) for one in found] == [
        ("127.0.0.1", 3260, "127.0.0.5", 1.016),
        ("192.0.2.1", 3260, "192.0.2.10", 0.008),
        ("2001:db8::1", 3260, "2001:db8::10", None),
    ]
    assert found[1].ours == "[::ffff:192.0.2.1]:3260"


def test_a_time_of_zero_that_ss_omits_is_not_silence() -> None:
    line = "0 0 192.0.2.1:3260 192.0.2.10:51000 cubic rto:204 mss:1448 cwnd:10 bytes_received:1 lastack:8"
    assert [one.silent_s for one in parse(line)] == [0.0]


def test_a_link_has_the_connections_of_its_own_ends_only() -> None:
    link = HostLink(portal="a", address="192.0.2.1", port=3260, peer="192.0.2.10")
    found = list(parse(RECORDED))
    assert [one.theirs for one in of_link(found, link)] == ["[::ffff:192.0.2.10]:51000"]
    assert of_link(found, link.model_copy(update={"port": 3261})) == []
