"""Ends sessions of hosts, as a job. Nothing of it is in the database: sessions are read from the machine."""

from lunette.domain.errors import NotFound
from lunette.domain.jobs import JobKind
from lunette.domain.performance import session_key
from lunette.domain.sessions import session_id
from lunette.engine.context import connected
from lunette.engine.context.change import ChangeContext
from lunette.engine.context.outcome import Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.access import sessions as planner


def disconnect(context: ChangeContext, id_: str) -> Outcome:
    """Ends a session, and all others of its initiator with its target; the host logs in again automatically.

    Raises NotFound for a session that has ended, Conflict for one that cannot be ended.
    """
    services = context.services
    seen = services.sessions()
    session = next((one for one in seen.sessions if session_id(one) == id_), None)
    if session is None:
        raise NotFound(
            f"There is no session {id_}; it has ended. If its host logged in again, that is a new session; see the "
            "list of sessions."
        )
    hosts = connected.hosts(context.tx, [session])
    sessions = next((one.sessions for one in seen.counts if one.target == session.target), 1)
    now = services.rates_of(session_key(session.target, session.initiator))
    plan = planner.plan_disconnect(session, hosts[0] if hosts else None, sessions, now)
    if context.dry_run:
        return Outcome(plan=plan)
    return file_job(context, JobKind.SESSION_DISCONNECT, Outcome(plan=plan, ids=(id_,)))
