"""Whether the work of a verb is done already: one function for each idempotent verb.

Each returns True if there is nothing to do, False if the appliance must be asked, None if the work is in progress.
`found` is the object that the verb acts on, `read` reads any other; disks may be given by any of their names.
"""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Params = dict[str, Any]
Read = Callable[..., Any]
TAKES_PART = ("in_sync", "rebuilding", "replacing", "spare")


def array_add_spares(params: Params, found: Any, read: Read) -> bool | None:
    members = _members(found)
    return all(_disk(one, read) in members for one in params["disks"])


def array_add_disks(params: Params, found: Any, read: Read) -> bool | None:
    """A disk of another role is refused by the appliance."""
    roles = {disk: member["role"] for disk, member in _members(found).items()}
    return all(roles.get(_disk(one, read)) == params["role"] for one in params["disks"])


def array_grow(params: Params, found: Any, read: Read) -> bool | None:
    """A spare is not a member yet, and neither is a disk whose state is not known."""
    states = {disk: member["state"] for disk, member in _members(found).items()}
    return all(states.get(_disk(one, read), "spare") not in ("spare", "unknown") for one in params["disks"])


def array_reshape(params: Params, found: Any, _read: Read) -> bool | None:
    """What is observed is what the array is: the appliance's own record follows a moment later."""
    return bool(params["level"] == (found["observed"] or {}).get("level"))


def array_replace(params: Params, found: Any, read: Read) -> bool | None:
    members = _members(found)
    old = members.get(_disk(params["disk"], read))
    return _disk(params["new"], read) in members and (old is None or old["leaving"])


def array_fail(params: Params, found: Any, read: Read) -> bool | None:
    member = _members(found).get(_disk(params["disk"], read))
    return member is not None and member["state"] == "faulty"


def array_force_start(_params: Params, found: Any, _read: Read) -> bool | None:
    """One that runs needs nothing; whether one that does not can be forced, the appliance says."""
    return bool(found["health"] != "missing")


def array_remove(params: Params, found: Any, read: Read) -> bool | None:
    return _disk(params["disk"], read) not in _members(found)


def array_readd(params: Params, found: Any, read: Read) -> bool | None:
    member = _members(found).get(_disk(params["disk"], read))
    return member is not None and member["state"] in TAKES_PART


def array_scrub(params: Params, found: Any, _read: Read) -> bool | None:
    progress = (found.get("observed") or {}).get("progress") or {}
    wanted = params.get("action") or "check"
    if wanted == "stop":
        return progress.get("action") not in ("check", "repair")
    return progress.get("action") == wanted


def array_unlock(_params: Params, found: Any, _read: Read) -> bool | None:
    """Done once it does not wait for its key."""
    return found["locked"] is False


def snapshot_clone(params: Params, _found: Any, read: Read) -> bool | None:
    """Volumes of these names are taken to be the clones."""
    names = [params["name"]]
    if params["name"] is None:
        first, count = (params[key] if params[key] is not None else 1 for key in ("first", "count"))
        names = [(params["name_pattern"] or "%d") % number for number in range(first, first + count)]
    volumes = [read("/volumes/{volume}", volume=name) for name in names]
    if any(volume and volume["state"] == "creating" for volume in volumes):
        return None
    return all(volumes)


def _members(array: Any) -> dict[str, Any]:
    return {member["disk_id"]: member for member in array["members"]}


def _disk(reference: str, read: Read) -> str:
    """The id of a disk; of one the appliance does not know, what it was called."""
    return str((read("/disks/{disk}", disk=reference) or {"id": reference})["id"])
