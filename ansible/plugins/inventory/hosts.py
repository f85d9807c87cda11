"""The hosts that an appliance knows, as an inventory."""

# Copyright (c) 2026 The Lunette authors
# GNU General Public License v3.0+ (see https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: hosts
short_description: Hosts of Lunette appliances
version_added: 0.1.0
author: The Lunette authors (!UNKNOWN)
description:
  - Lists the hosts that an appliance serves, so that plays for them need no list of their own.
  - A host group of the appliance becomes a group of the inventory. What a name of a group cannot hold becomes V(_).
  - How a host is reached is not known to the appliance. Its name is used, unless O(compose) says otherwise.
  - The file must end in C(lunette.yml) or C(lunette.yaml).
extends_documentation_fragment:
  - ansible.builtin.constructed
options:
  plugin:
    description: Says that the file is for this plugin.
    type: str
    required: true
    choices: [lunette.appliance.hosts]
  appliance_url:
    description: Address of the appliance, such as V(https://appliance.example).
    type: str
    env:
      - name: LUNETTE_URL
  appliance_token:
    description: API token; the role C(viewer) is enough.
    type: str
    env:
      - name: LUNETTE_TOKEN
  appliance_username:
    description: User to log in as, where there is no token.
    type: str
    env:
      - name: LUNETTE_USERNAME
  appliance_password:
    description: Password of O(appliance_username).
    type: str
    env:
      - name: LUNETTE_PASSWORD
  appliance_fingerprint:
    description:
      - SHA-256 fingerprint of the appliance's certificate, in hex with or without colons. This certificate is trusted
        and no other.
    type: str
    env:
      - name: LUNETTE_FINGERPRINT
  appliance_ca_path:
    description: File with the certificates of authorities to trust instead of the system's.
    type: path
    env:
      - name: LUNETTE_CA_PATH
  appliance_timeout:
    description: Seconds to wait for each answer.
    type: int
    default: 60
notes:
  - The variables of a host are C(lunette_host) (its name on the appliance), C(lunette_os_type), C(lunette_iqns),
    C(lunette_nqns), C(lunette_wwpns), C(lunette_group), C(lunette_targets), C(lunette_subsystems) and
    C(lunette_portals).
  - C(lunette_targets) and C(lunette_subsystems) have the names of what the host logs in to, its own and its group's,
    as far as volumes are mapped there.
  - C(lunette_portals) has the portals that lead there, each with C(protocol), C(address) and C(port). A portal on every
    address of the appliance has the name from O(appliance_url).
"""

EXAMPLES = r"""
# san.lunette.yml
plugin: lunette.appliance.hosts
appliance_url: https://appliance.example
appliance_fingerprint: 5f:2c:…
compose:
  ansible_host: inventory_hostname ~ '.example.com'
keyed_groups:
  - key: lunette_os_type
    separator: ""
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Constructable, to_safe_group_name
from ansible_collections.lunette.appliance.plugins.module_utils.client import CONNECTION, Client, Refused, Unreachable

EVERYWHERE = frozenset(("0.0.0.0", "::"))  # noqa: S104 (portals are compared with it, nothing is opened)
SCSI = frozenset(("iscsi", "iser"))
NVME = frozenset(("nvme-tcp", "nvme-rdma"))
PLAIN = ("os_type", "iqns", "nqns", "wwpns", "group")


def names(host: dict[str, Any], mappings: list[dict[str, Any]], name: str) -> list[str]:
    """Names of one kind (`target_iqn`, `subsystem_nqn`) under which the host's volumes, and its group's, are."""
    owners = [("host_id", host["id"]), ("host_group_id", host["group_id"])]
    mine = [one for one in mappings if any(owner and one[key] == owner for key, owner in owners)]
    return sorted({one[name] for one in mine if one[name]})


def places(portals: list[dict[str, Any]], protocols: frozenset[str], own_name: str) -> Iterator[dict[str, Any]]:
    """The portals of some protocols, as a host reaches them."""
    for portal in portals:
        if portal["protocol"] in protocols:
            address = own_name if portal["address"] in EVERYWHERE else portal["address"]
            yield {"protocol": portal["protocol"], "address": address, "port": portal["port"]}


class InventoryModule(BaseInventoryPlugin, Constructable):  # type: ignore[misc]  # ansible-core has no types
    """Asks one appliance."""

    NAME = "lunette.appliance.hosts"

    def verify_file(self, path: str) -> bool:
        """Whether the file is for this plugin, by its name."""
        return bool(super().verify_file(path)) and path.endswith(("lunette.yml", "lunette.yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Fills the inventory. Raises AnsibleParserError with what the appliance says."""
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        client = None
        try:
            client = Client({name[len("appliance_") :]: self.get_option(name) for name in CONNECTION})
            self._fill(client)
        except (Refused, Unreachable, ValueError) as error:
            raise AnsibleParserError(f"{path}: {error}") from error
        finally:
            if client:
                client.close()

    def _fill(self, client: Client) -> None:
        portals, mappings = client.items("/portals", {}), client.items("/mappings", {})
        own_name = urlsplit(client.url).hostname or ""
        for group in client.items("/host-groups", {}):
            self.inventory.add_group(to_safe_group_name(group["name"]))
        for host in client.items("/hosts", {}):
            targets, subsystems = names(host, mappings, "target_iqn"), names(host, mappings, "subsystem_nqn")
            protocols = (SCSI if targets and host["iqns"] else frozenset()) | (NVME if subsystems else frozenset())
            found = list(places(portals, protocols, own_name))
            self._add(host, {"targets": targets, "subsystems": subsystems, "portals": found})

    def _add(self, host: dict[str, Any], found: dict[str, Any]) -> None:
        name = host["name"]
        self.inventory.add_host(name)
        if host["group"]:
            self.inventory.add_child(to_safe_group_name(host["group"]), name)
        for key, value in {"host": name, **{one: host[one] for one in PLAIN}, **found}.items():
            self.inventory.set_variable(name, f"lunette_{key}", value)
        # What is composed can use what other sources of the inventory say about the host.
        known = self.inventory.get_host(name).get_vars()
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), known, name, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), known, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), known, name, strict=strict)
