"""What makes the installed appliance differ from others, as files of its data partition.

settings/   laid over the tree at every start: name, network, machine-id, hostid
var/…       the folders that outlive the system; the first start finds the administrator's password there, and a
            certificate whose fingerprint the installer could show
"""

import os
import uuid
from pathlib import Path

from argon2 import PasswordHasher

from lunette.client import LOCAL, Client, ClientError
from lunette.domain.certificates import fingerprint
from lunette.domain.first_start import FIRST_USER, INSTALLED_PASSWORD, INSTALLED_ZONE
from lunette.domain.self_signed import self_signed_pair
from lunette.installer.document import Document, Network
from lunette.installer.interfaces import KEPT, Planned, contents, for_the_web_page

STATE = "var/lib/lunette/api"
TLS = f"{STATE}/tls"
ROOT_PASSWORD = "lunette/root-password"
"""Below /etc: what lunette-root-password.service gives root at every start."""
PORT = 8443


def write_settings(data: Path, document: Document, network: Planned = ()) -> str:
    """Write all of it below `data`, where the data partition is mounted; returns the certificate's fingerprint."""
    etc = data / "settings/etc"
    (etc / "systemd/network").mkdir(parents=True)
    _write(etc / "hostname", f"{document.hostname}\n".encode())
    _write(etc / "machine-id", f"{uuid.uuid4().hex}\n".encode(), 0o444)
    _write(etc / "hostid", os.urandom(4))
    if document.root is not None:
        (etc / "lunette").mkdir()
        _write(etc / ROOT_PASSWORD, f"{document.root.password_hash.get_secret_value()}\n".encode(), 0o600)
    if document.network is not None:
        _write(etc / "systemd/network/10-lunette.network", network_file(document.network).encode())
    (data / STATE).parent.mkdir(parents=True)
    (data / STATE).mkdir(mode=0o700)
    if network:
        (data / KEPT).parent.mkdir(mode=0o700)
        (data / KEPT).mkdir()
        for name, content in contents(network).items():
            _write(data / KEPT / name, content)
    hashed = password_hash(document)
    if hashed is not None:
        _write(data / STATE / INSTALLED_PASSWORD, f"{hashed}\n".encode(), 0o600)
    if document.time_zone is not None:
        _write(data / STATE / INSTALLED_ZONE, f"{document.time_zone}\n".encode(), 0o600)
    certificate, key = self_signed_pair(document.hostname, addresses(document))
    (data / TLS).mkdir(mode=0o700)
    _write(data / TLS / "key.pem", key.encode(), 0o600)
    _write(data / TLS / "cert.pem", certificate.encode())
    return fingerprint(certificate)


def password_hash(document: Document) -> str | None:
    """The Argon2id hash of the administrator's password, None for a one-time password at the first start."""
    who = document.administrator
    if who is None:
        return None
    if who.password is not None:
        return PasswordHasher().hash(who.password.get_secret_value())
    return who.password_hash.get_secret_value() if who.password_hash else None


def network_file(network: Network) -> str:
    """What systemd-networkd reads; before 50-dhcp.network, which is for interfaces that have no file of their own."""
    match = "PermanentMACAddress" if ":" in network.interface else "Name"
    lines = ["[Match]", f"{match}={network.interface}", "", "[Network]", "LinkLocalAddressing=ipv6"]
    lines += [f"NTP={server}" for server in network.ntp]
    if network.address is None:
        return "\n".join([*lines, "DHCP=yes", "", "[DHCPv4]", "ClientIdentifier=mac", "UseDomains=yes", ""])
    lines.append(f"Address={network.address}")
    lines += [f"Gateway={network.gateway}"] if network.gateway else []
    return "\n".join([*lines, *(f"DNS={server}" for server in network.dns), ""])


def addresses(document: Document) -> list[str]:
    """The future address of the web page: the static address, or those DHCP gave to the running system."""
    if document.network is not None and document.network.address is not None:
        return [str(document.network.address.ip)]
    # The API listens on IPv4.
    given = [one.ip for spec in for_the_web_page(document.interfaces) for one in spec.addresses if one.version == 4]
    if given:
        return [str(one) for one in given]
    try:
        with Client(LOCAL, timeout_s=60.0) as client:
            found = client.get("/status")["addresses"]
    except (ClientError, OSError):
        return []
    return [one for one in found if "." in one and not one.startswith("127.")]


def greeting(document: Document, certificate: str) -> list[str]:
    """What the user notes down before the machine starts from its disk."""
    found = addresses(document)
    lines = [f"web address  https://{one}:{PORT}" for one in found] or [
        "web address  on the console, after DHCP has answered"
    ]
    lines.append(f"certificate  SHA-256 {certificate}")
    way = "the password of the document" if document.administrator else "a one-time password, shown on the console"
    return [*lines, f"user         {FIRST_USER}, with {way}"]


def _write(file: Path, content: bytes, mode: int = 0o644) -> None:
    file.write_bytes(content)
    file.chmod(mode)
