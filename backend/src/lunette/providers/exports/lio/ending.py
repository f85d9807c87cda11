"""Ends the sessions of one initiator with one target of Lunette.

The only request for it that preserves the ACL is another queue depth: `cmdsn_depth` of the ACL. The kernel closes all
sessions of the ACL and waits until they are gone, and it does nothing if the depth is unchanged
(core_tpg_set_initiator_node_queue_depth and target_shutdown_sessions in drivers/target/target_core_tpg.c, Linux 6.12).
So the depth is changed and restored immediately; a login in between is closed a second time, and returns again.
"""

from collections.abc import Collection

from lunette.domain.errors import Conflict, ToolFailed
from lunette.domain.identity import TARGET_AUTHORITY
from lunette.domain.steps import SessionEnd
from lunette.providers.exports.configfs import KernelRefused
from lunette.providers.exports.lio import stale
from lunette.providers.exports.lio.configfs import LioConfigfs
from lunette.providers.exports.lio.sessions import parse_info
from lunette.system.system_port import System


def end(system: System, step: SessionEnd, adopted: Collection[str] = ()) -> str | None:
    """None if that session has ended already, whether or not its host has logged in again.

    Raises Conflict for a target that is not Lunette's, ToolFailed if the kernel refuses.
    """
    files = LioConfigfs(system)
    group = f"iscsi/{step.target}/tpgt_{step.tag}"
    if step.target not in stale.own_targets(files, f"{TARGET_AUTHORITY}:", adopted):
        if step.target in files.names("iscsi"):
            raise Conflict(f"target {step.target} does not belong to Lunette: its sessions were not changed")
        return None
    if step.initiator not in files.names(f"{group}/acls"):
        return None
    acl = f"{group}/acls/{step.initiator}"
    try:
        if _number(files, acl) == step.number:
            return _end(files, acl, step)
        return _set_back(files, acl, step)
    except KernelRefused as error:
        raise ToolFailed(f"the sessions of {step.initiator} were not ended: {error}", log=str(error)) from error


def _end(files: LioConfigfs, acl: str, step: SessionEnd) -> str:
    try:
        files.write(f"{acl}/cmdsn_depth", str(step.other_depth))
    finally:
        files.write(f"{acl}/cmdsn_depth", str(step.queue_depth))
    if _number(files, acl) == step.number:
        raise ToolFailed(
            f"session {step.number} of {step.initiator} still exists after the kernel was requested to end it"
        )
    return _ended(step)


def _set_back(files: LioConfigfs, acl: str, step: SessionEnd) -> str | None:
    """Restores the depth if this step was interrupted between its two writes."""
    if files.read(f"{acl}/cmdsn_depth") != str(step.other_depth):
        return None
    files.write(f"{acl}/cmdsn_depth", str(step.queue_depth))
    return _ended(step)


def _number(files: LioConfigfs, acl: str) -> int | None:
    """LIO's number of the newest session; None if there is none."""
    reported = parse_info(files.read(f"{acl}/info"))
    return reported.number if reported else None


def _ended(step: SessionEnd) -> str:
    return f"session {step.number} of {step.initiator} was ended"
