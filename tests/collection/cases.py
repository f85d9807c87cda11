"""What each noun's module is asked for when it is run for real. A noun without a case fails the completeness test."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from backend.tests.scene import disk_ids, make_array
from backend.tests.wiring import Api

Options = dict[str, Any]


def _nothing(_api: Api) -> Options:
    return {}


@dataclass(frozen=True)
class Case:
    """Options that make it; `also` come from the appliance; `change` can be changed, `fixed` cannot."""

    make: Options
    also: Callable[[Api], Options] = _nothing
    """Makes what the resource needs, and answers the options that are known only then."""
    change: Options = field(default_factory=dict)
    fixed: Options = field(default_factory=dict)
    holds_data: bool = False


def _scsi_disks(api: Api) -> Options:
    return {"disks": disk_ids(api, "scsi")[:3]}


def _array(api: Api) -> Options:
    if not api.items("/arrays", name="pool"):
        make_array(api, "pool", disks=4)
    return {}


def _hosts(api: Api) -> Options:
    for name in ("member1", "member2"):
        if not api.items("/hosts", name=name):
            api.made("/hosts", {"name": name, "iqns": [f"iqn.2026-01.com.example:{name}"]})
    return {}


def _volume_and_host(api: Api) -> Options:
    _array(api)
    _hosts(api)
    if not api.items("/volumes", name="mapped"):
        api.made("/volumes", {"name": "mapped", "array": "pool", "size_bytes": "8MiB"})
    return {}


CASES = {
    "array": Case(
        {"name": "made", "level": "raid5", "chunk_bytes": "64KiB"},
        _scsi_disks,
        fixed={"level": "raid0"},
        holds_data=True,
    ),
    "volume": Case(
        {"name": "made", "array": "pool", "size_bytes": "8MiB", "description": "by a play"},
        _array,
        change={"description": "changed by a play"},
        fixed={"size_bytes": "12MiB"},
        holds_data=True,
    ),
    "host": Case(
        {
            "name": "made",
            "os_type": "esxi",
            "iqns": ["iqn.1998-01.com.vmware:made"],
            "chap": {"user": "made", "secret": "made-secret-1234"},
        },
        change={"iqns": ["iqn.1998-01.com.vmware:made", "iqn.1998-01.com.vmware:second"]},
    ),
    "host_group": Case({"name": "made", "hosts": ["member1"]}, _hosts, change={"hosts": ["member2", "member1"]}),
    "portal": Case({"name": "made", "address": "2001:DB8::1", "port": 3261}, fixed={"port": 3262}),
    "mapping": Case({"volume": "mapped", "host": "member1", "lun": 7}, _volume_and_host, fixed={"lun": 8}),
    "user": Case({"username": "made", "password": "first-password-1"}, change={"role": "operator"}),
    "token": Case({"name": "made", "role": "viewer", "expires_days": 3}, fixed={"role": "operator"}),
}
