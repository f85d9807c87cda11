"""A plain Debian 13 guest that plays make an appliance of, and the guest that is its client.

The guests have Debian's packages of the appliance's image and nothing of Lunette: neither the product nor its settings.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from lunette.client import Client, Endpoint
from tests.collection.connections.guest import mount
from tests.collection.playing import COLLECTION, Player
from tests.lab.access import PatientClient, fingerprint_of
from tests.machines.images import bundle
from tests.machines.uml import Uml

BOOK = COLLECTION / "playbooks/bare_servers.yml"
PASSWORD = "a-long-enough-passphrase"
_SCENE = {
    "lunette_transport": "ubd",
    "lunette_disks": 3,
    "lunette_volumes": 4,
    "lunette_volume_size": "16MiB",
    "vault_admin": PASSWORD,
}


@dataclass
class Server:
    """A guest that becomes an appliance, and what a play needs to reach it and its client."""

    appliance: Uml
    player: Player
    hosts: Path
    share: Path

    def play(self, book: Path = BOOK, **values: object) -> str:
        """What Ansible printed."""
        everything = json.dumps({**_SCENE, "bundle": str(bundle()), "token_file": str(self.share / "token"), **values})
        return self.player.run(book, "-i", str(self.hosts), "-e", everything, env={"LUNETTE_SHARE": str(self.share)})

    def install(self, release: Path, **values: object) -> str:
        """Runs the role `appliance` alone with another bundle."""
        book = self.hosts.parent / "install.yml"
        role = {"role": "lunette.appliance.appliance", "appliance_bundle": str(release), **values}
        book.write_text(json.dumps([{"hosts": "appliances", "gather_facts": False, "roles": [role]}]))
        return self.play(book)

    def connect(self, **values: object) -> str:
        """Runs the role `initiator` alone."""
        book, url = self.hosts.parent / "connect.yml", self.appliance.api_url
        connection = {
            "appliance_url": url,
            "appliance_token": (self.share / "token").read_text(),
            "appliance_fingerprint": fingerprint_of(url),
        }
        role = {"role": "lunette.appliance.initiator", **values}
        defaults = {"group/lunette.appliance.all": connection}
        play = {"hosts": "clients", "gather_facts": False, "module_defaults": defaults, "roles": [role]}
        book.write_text(json.dumps([play]))
        return self.play(book)

    def api(self) -> Client:
        """To look behind the plays."""
        url = self.appliance.api_url
        client = PatientClient(Endpoint(url=url, fingerprint=fingerprint_of(url)))
        client.login("admin", PASSWORD)
        return client


def booted(machine: Uml, share: Path) -> None:
    machine.start()
    machine.wait_for_shell()
    mount(machine, share)


def inventory(url: str) -> dict[str, object]:
    guest = {
        "ansible_connection": "guest",
        "ansible_python_interpreter": "/usr/bin/python3",
        "ansible_become": False,  # the shell of the guest is root's
    }
    server = {**guest, "ansible_host": "play-server", "lunette_url": url}
    client = {**guest, "ansible_host": "play-client", "initiator_install": False}
    return {
        "appliances": {"hosts": {"san": server}},
        "clients": {"hosts": {"esx1": client}},
        "here": {"hosts": {"localhost": {"ansible_connection": "local"}}},
    }


def changed(printed: str, host: str) -> int:
    found = re.search(rf"^{host} .*changed=(\d+) .*unreachable=0 .*failed=0", printed, re.M)
    assert found, printed
    return int(found[1])
