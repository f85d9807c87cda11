"""What a person may write into an installation document, and how a wrong one is refused."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from lunette.api.auth.passwords import Passwords
from lunette.domain.errors import Invalid
from lunette.installer.document import MAX_BYTES, Document, parse
from lunette.installer.settings import ROOT_PASSWORD, network_file, password_hash, write_settings

SMALLEST = {"version": 1, "disk": "ata-Disk_S1"}
HASH = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$RdescudvJCsgt3ub+b27dWRJJTmaaJObGRdescudvJC"


def document(**words: Any) -> Document:
    """The smallest document with these words added."""
    return parse(yaml.safe_dump({**SMALLEST, **words}).encode())


def refused(content: bytes) -> str:
    """The message and the fields of a refusal."""
    with pytest.raises(Invalid) as found:
        parse(content)
    return "; ".join([found.value.detail, *(f"{one.field}: {one.message}" for one in found.value.errors)])


def test_the_smallest_document_uses_dhcp_and_removes_nothing() -> None:
    made = document()
    assert (made.disks, made.wipe) == (("ata-Disk_S1",), ())
    assert (made.network, made.administrator, made.dry_run) == (None, None, False)
    assert made.afterwards == "power-off"
    assert made.hostname == "lunette"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"dsik": "x"}, "dsik: is not a key"),
        ({"content": "x"}, "content: is not a key"),
        ({"network": {"interface": "eth0", "mtu": 9000}}, "network.mtu: is not a key"),
        ({"version": 2}, "version: "),
        ({"disk": "/dev/sda"}, "disk: must be a name below /dev/disk/by-id"),
        ({"disk": "nvme0n1"}, "disk: must be a name below /dev/disk/by-id"),
        ({"disk": 1234}, "disk: must be text: put it in quotes"),
        ({"wipe": "ata-Other"}, "wipe names ata-Other, but the disk to install to is ata-Disk_S1"),
        ({"disk": []}, "disk: "),
        ({"disk": ["a", "b", "c"]}, "disk: must be one disk, or two disks for a mirror"),
        ({"disk": ["a", "/dev/disk/by-id/a"]}, "disk: names a twice: a mirror needs two disks"),
        ({"disk": ["a", 7]}, "disk: must be text: put it in quotes"),
        ({"disk": ["a", "/dev/sdb"]}, "disk: must be a name below /dev/disk/by-id"),
        ({"disk": ["a", "b"], "wipe": ["b", "c"]}, "wipe names c, but the disk to install to is a and b"),
        ({"disks": ["a", "b"]}, "disks: is not a key"),
        ({"hostname": "Shelf 7"}, "hostname: must have at most 63 lower-case letters"),
        ({"network": {"interface": "eth0\nDHCP=yes"}}, "network.interface: must be the name"),
        ({"network": {"interface": "eth0", "address": "192.0.2.7"}}, "must have a prefix length"),
        ({"network": {"interface": "eth0", "gateway": "192.0.2.1"}}, "require a static address"),
        (
            {"network": {"interface": "eth0", "address": "192.0.2.7/24", "gateway": "198.51.100.1"}},
            "the gateway 198.51.100.1 is outside 192.0.2.0/24",
        ),
        (
            {"network": {"interface": "eth0", "ntp": ["192.0.2.1\nGateway=192.0.2.254"]}},
            "network.ntp.0: must be an address or a name of a time server",
        ),
        ({"interfaces": [{"name": "eth 0", "dhcp": True}]}, "name: must be the name of an interface, or a hardware"),
        ({"administrator": {"password": "short"}}, "administrator.password: "),
        ({"administrator": {}}, "administrator: specify either password or password_hash"),
        ({"administrator": {"password": "a" * 12, "password_hash": HASH}}, "specify either password or password_hash"),
        ({"administrator": {"password_hash": "$6$x$y"}}, "is not an Argon2id hash"),
        ({"afterwards": "explode"}, "afterwards: "),
        ({"time_zone": "Mars/Olympus"}, "time_zone: "),
        ({"root": {"password_hash": "secret"}}, "root.password_hash: must be a hash as in /etc/shadow"),
        ({"root": {"password_hash": "$6$a:b\nroot2:$6$0123456789abcdefghij"}}, "must be a hash as in /etc/shadow"),
        ({"root": {"password": "correct horse battery"}}, "root.password: is not a key"),
    ],
)
def test_a_wrong_word_is_named_with_its_field(words: dict[str, Any], message: str) -> None:
    assert message in refused(yaml.safe_dump({**SMALLEST, **words}).encode())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a list of"),
        (b"- a\n- b\n", "is not a list of"),
        (b"version: [", "is not valid YAML"),
        (b"\xff\xfe\x00", "is not valid YAML"),
        (b"version: 1\ndisk: a\ndisk: b\n", "'disk' is specified twice"),
        (b"version: 1\ndisk: !!python/object:os.system x\n", "is not valid YAML"),
        (b"#" * (MAX_BYTES + 1), "more than"),
        (b"version: 1\n", "disk: Field required"),
    ],
)
def test_an_invalid_document_is_refused(content: bytes, message: str) -> None:
    assert message in refused(content)


def test_no_refusal_repeats_a_password() -> None:
    assert "secret99" not in refused(yaml.safe_dump({**SMALLEST, "administrator": {"password": "secret99"}}).encode())


def test_two_disks_make_a_mirror_and_each_is_let_go_by_its_own_name() -> None:
    made = document(disk=["ata-A", "/dev/disk/by-id/ata-B"], wipe="ata-B")
    assert (made.disks, made.wipe) == (("ata-A", "ata-B"), ("ata-B",))
    assert made.identity(0) == made.identity()
    assert made.identity(1) != made.identity(0)


def test_the_identity_follows_the_bytes_and_nothing_else() -> None:
    assert document().identity() == document().identity()
    assert document().identity() != document(hostname="other").identity()


def test_the_password_of_the_document_is_what_the_appliance_will_accept() -> None:
    hashed = password_hash(document(administrator={"password": "correct horse battery"}))
    assert hashed is not None
    assert Passwords().is_right("correct horse battery", hashed)
    assert password_hash(document(administrator={"password_hash": HASH})) == HASH
    assert password_hash(document()) is None


def test_a_static_address_and_dhcp_become_what_networkd_reads() -> None:
    words = {"interface": "52:54:00:4c:55:01", "address": "192.0.2.7/24", "gateway": "192.0.2.1", "dns": ["192.0.2.2"]}
    words |= {"ntp": ["time.example.com"]}
    other = {"interface": "enp3s0", "ntp": ["192.0.2.123"]}
    static, dhcp = (document(network=one).network for one in (words, other))
    assert static is not None
    assert dhcp is not None
    text = network_file(static)
    for line in ("PermanentMACAddress=52:54:00:4c:55:01", "Address=192.0.2.7/24", "Gateway=192.0.2.1", "DNS=192.0.2.2"):
        assert line in text.splitlines()
    assert "DHCP=yes" not in text
    assert "NTP=time.example.com" in text[: text.index("Gateway")].splitlines()
    assert "NTP=192.0.2.123" in network_file(dhcp)[: network_file(dhcp).index("[DHCPv4]")].splitlines()
    assert "Name=enp3s0" in network_file(dhcp).splitlines()
    assert "DHCP=yes" in network_file(dhcp).splitlines()


def test_roots_hash_is_laid_over_the_system_for_root_alone(tmp_path: Path) -> None:
    hashed = "$6$0123456789abcdef$" + "x" * 86
    write_settings(tmp_path, document(root={"password_hash": hashed}))
    file = tmp_path / "settings/etc" / ROOT_PASSWORD
    assert (file.read_text(), file.stat().st_mode & 0o777) == (f"{hashed}\n", 0o600)
    units = Path(__file__).parents[3] / "image/live/usr/lib/systemd/system"
    assert f"/etc/{ROOT_PASSWORD}" in (units / "lunette-root-password.service").read_text()
    write_settings(tmp_path / "other", document())
    assert not (tmp_path / "other/settings/etc" / ROOT_PASSWORD).exists()
