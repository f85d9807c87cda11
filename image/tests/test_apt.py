"""Mirrors are taken from apt's own indexes, or left to mmdebstrap."""

from lunette_image.apt import (
    Mirrors,
    configured_mirrors,
    derive_mirrors,
    parse_index_targets,
    parse_packages,
    parse_proxies,
)

DEBIAN = """\
MetaKey: main/binary-amd64/Packages
Origin: Debian
Label: Debian
Repo-URI: http://mirror.example/debian/

MetaKey: main/binary-amd64/Packages
Origin: Debian
Label: Debian-Security
Repo-URI: http://mirror.example/debian-security/

Origin: Example
Label: Debian
Repo-URI: http://vendor.example/debian/
"""

UBUNTU = """\
Origin: Ubuntu
Label: Ubuntu
Repo-URI: http://mirror.example/ubuntu/
"""


def test_a_debian_machine_lends_its_mirrors() -> None:
    mirrors = derive_mirrors(parse_index_targets(DEBIAN))
    assert mirrors == Mirrors("http://mirror.example/debian/", "http://mirror.example/debian-security/")


def test_a_vendor_archive_that_calls_itself_debian_is_not_taken() -> None:
    vendor_only = [record for record in parse_index_targets(DEBIAN) if record["Origin"] == "Example"]
    assert derive_mirrors(vendor_only) is None


def test_an_ubuntu_machine_has_no_debian_mirror() -> None:
    assert derive_mirrors(parse_index_targets(UBUNTU)) is None


def test_the_environment_overrides_the_machine() -> None:
    chosen = configured_mirrors({"LUNETTE_MIRROR": "http://mine.example/debian"})
    assert chosen == Mirrors("http://mine.example/debian", None)


def test_sources_name_updates_and_security_of_the_suite() -> None:
    lines = Mirrors("http://a.example/debian", "http://a.example/security").sources()
    assert [line.split()[2] for line in lines] == ["trixie", "trixie-updates", "trixie-security"]
    assert len(Mirrors("http://a.example/debian").sources()) == 2


def test_comments_and_blank_lines_are_no_packages_and_sections_keep_them_apart() -> None:
    text = "[image]  # boots\n# kernel\nlinux-image-amd64\n\n[server]\nfio   # load\n"
    assert parse_packages(text) == {"image": ["linux-image-amd64"], "server": ["fio"]}


def test_a_cdrom_is_not_a_mirror() -> None:
    records = [{"Origin": "Debian", "Label": "Debian", "Repo-URI": "cdrom://[Debian 13]/"}]
    assert derive_mirrors(records) is None


def test_proxies_of_apt_are_passed_on() -> None:
    dump = 'Acquire::http::Proxy "http://proxy.example:3128";\nAcquire::https::Proxy "DIRECT";\n'
    assert parse_proxies(dump) == {"http_proxy": "http://proxy.example:3128"}
