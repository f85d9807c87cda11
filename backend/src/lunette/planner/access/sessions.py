"""The plan that ends a session: whom it interrupts, and the effect on its I/O."""

from lunette.domain.errors import Conflict
from lunette.domain.exports import ObservedSession
from lunette.domain.performance import Rates
from lunette.domain.plans import Action, Plan, PlannedChange
from lunette.domain.sessions import stays_because
from lunette.domain.steps import SessionEnd
from lunette.domain.units import format_size

COMES_BACK = (
    "The host logs in again automatically within seconds while volumes are mapped to it: delete its mappings to "
    "prevent this."
)


def plan_disconnect(session: ObservedSession, host: str | None, sessions: int, now: Rates | None) -> Plan:
    """`sessions` are all of its target; `now` is the I/O of the initiator, None if unknown.

    Raises Conflict for a session that cannot be ended.
    """
    reason = stays_because(session)
    if reason is not None or session.number is None or session.queue_depth is None or session.tag is None:
        raise Conflict(f"The session of {session.initiator} was not ended. {reason}")
    name = host or session.initiator
    step = SessionEnd(
        target=session.target,
        tag=session.tag,
        initiator=session.initiator,
        number=session.number,
        queue_depth=session.queue_depth,
    )
    detail = f"its session {session.number} with {session.target} ends, together with all its other sessions there"
    change = PlannedChange(action=Action.INTERRUPT, noun="session", name=session.initiator, detail=detail)
    warnings = [COMES_BACK]
    if sessions > 1:
        warnings.append(
            f"The target currently has {sessions} sessions. LIO ends all sessions of an initiator together: a host "
            "with several paths loses all paths to this target."
        )
    warnings.append(_io(now))
    return Plan(
        title=f"Disconnect {name}",
        changes=(change,),
        steps=(step,),
        hosts_interrupted=(name,),
        warnings=tuple(warnings),
    )


def _io(now: Rates | None) -> str:
    if now is None:
        return "It is not known whether the host is performing I/O."
    if now.iops == 0 and not now.read_bytes_s and not now.write_bytes_s:
        return "The host is not performing I/O."
    return (
        f"The host currently performs {now.iops:.0f} IOPS, reading {format_size(int(now.read_bytes_s))} and writing "
        f"{format_size(int(now.write_bytes_s))} per second: outstanding I/O waits for it, or uses another path."
    )
