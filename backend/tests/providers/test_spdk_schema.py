"""Every request we can send, against the schema SPDK's own decoders are made from.

It is the file that LUNETTE_SPDK_SCHEMA names (SPDK's `schema/schema.yaml`), or `shared/spdk-rpc-schema-26.09.yaml`
next to the repository; without either file, these tests are skipped.
"""

import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from backend.tests.agent.exports import dhchap, exports, lun, nvme_host, subsystem, volume
from backend.tests.providers.test_spdk_converge import spdk_portal
from lunette.providers.exports.spdk import requests, tree
from lunette.system.system_port import RpcCall

OTHERS = Path(__file__).parents[4] / "shared/spdk-rpc-schema-26.09.yaml"
NAMED = os.environ.get("LUNETTE_SPDK_SCHEMA")
SCHEMA = Path(NAMED or OTHERS)
pytestmark = pytest.mark.skipif(
    not NAMED and not OTHERS.is_file(), reason=f"SPDK is not packaged by Debian: there is no schema at {OTHERS}"
)
KINDS: Mapping[str, type] = {"string": str, "boolean": bool, "uuid": str}
LIMITS = {"uint8": 2**8, "uint16": 2**16, "uint32": 2**32, "uint64": 2**64}


def sent() -> list[RpcCall]:
    """One of each kind, from a desired state with all that a desired state can have."""
    desired = exports(
        volumes=(volume(11),),
        portals=(spdk_portal(21), spdk_portal(22, "2001:db8::1")),
        subsystems=(subsystem(31, [nvme_host(41, dhchap(1, 2)), nvme_host(42)], [lun(51, 255, 11)]),),
    )
    whole = tree.build(desired)
    first = next(iter(whole.subsystems.values()))
    bdev, keyed = next(iter(whole.bdevs.values())), next(iter(first.hosts.values()))
    places, space = sorted(whole.listeners, key=lambda place: place.shown), first.namespaces[255]
    return [
        *requests.looks(),
        requests.version(),
        requests.transports(),
        requests.queues(first.nqn),
        requests.make_transport(),
        requests.make_bdev(bdev, 512),
        requests.rescan_bdev(bdev.name),
        requests.delete_bdev(bdev.name),
        requests.make_subsystem(first),
        requests.delete_subsystem(first.nqn),
        requests.add_namespace(first.nqn, space),
        requests.remove_namespace(first.nqn, 255),
        requests.add_key("k", "/k"),
        requests.remove_key("k"),
        *(requests.add_listener(first.nqn, place) for place in places),
        requests.remove_listener(first.nqn, places[0]),
        *(requests.add_host(first.nqn, host) for host in first.hosts.values()),
        requests.set_keys(first.nqn, keyed),
        requests.remove_host(first.nqn, keyed.nqn),
    ]


class Schema:
    def __init__(self, document: Mapping[str, Any]) -> None:
        def named(kind: str) -> dict[str, Any]:
            return {one["name"]: one for one in document[kind]}

        self.methods, self.objects, self.enums = named("methods"), named("objects"), named("enums")
        self.bitmasks = named("bitmasks")

    def problems(self, call: RpcCall) -> list[str]:
        method = self.methods.get(call.method)
        if method is None:
            return [f"{call.method}: no such method"]
        return [f"{call.method}: {line}" for line in self._fields(call.params, method.get("params", ()))]

    def _fields(self, given: Mapping[str, Any], known: list[dict[str, Any]]) -> list[str]:
        fields = {one["name"]: one for one in known}
        found = [f"{name} is not known" for name in given.keys() - fields.keys()]
        found += [f"{name} is missing" for name, one in fields.items() if one.get("required") and name not in given]
        for name in given.keys() & fields.keys():
            found += [f"{name}: {line}" for line in self._value(given[name], fields[name])]
            found += [f"{name} is deprecated"] if fields[name].get("deprecated") else []
        return found

    def _value(self, value: Any, field: dict[str, Any]) -> list[str]:
        kind = field["type"]
        if kind == "object":
            return self._fields(value, self.objects[field["class"]]["fields"])
        if kind == "bitmask":
            words = [one["name"] for one in self.enums[self.bitmasks[field["class"]]["enum"]]["fields"]]
            return [f"{word} is none of {words}" for word in value if word not in words]
        if kind in LIMITS:
            fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LIMITS[kind]
            return [] if fits else [f"{value!r} is no {kind}"]
        return [] if isinstance(value, KINDS[kind]) else [f"{value!r} is no {kind}"]


@pytest.fixture(scope="module")
def schema() -> Schema:
    return Schema(yaml.safe_load(SCHEMA.read_text()))


def test_every_request_keeps_to_the_schema(schema: Schema) -> None:
    assert [line for call in sent() for line in schema.problems(call)] == []


def test_no_request_is_left_out_here(schema: Schema) -> None:
    written = {word for word in inspect.getsource(requests).split('"') if word in schema.methods}
    assert written == {call.method for call in sent()}


def test_the_check_itself_sees_what_is_wrong(schema: Schema) -> None:
    wrong = RpcCall(method="nvmf_subsystem_remove_ns", params={"nqn": "n", "nsid": -1, "other": 1})
    assert len(schema.problems(wrong)) == 2
    assert schema.problems(RpcCall(method="nothing", params={}))
