"""Ends sessions of hosts, as a job. Nothing of it is in the database: who is logged in is asked of the machine."""

from collections.abc import Callable

from sqlalchemy.orm import Session

from lunette.domain.errors import NotFound
from lunette.domain.jobs import JobKind
from lunette.domain.performance import Key, Rates, session_key
from lunette.domain.sessions import session_id
from lunette.engine.context import connected
from lunette.engine.context.desk import Desk
from lunette.engine.context.outcome import Actor, Outcome
from lunette.engine.journal.filing import file_job
from lunette.planner.access import sessions as planner


class Logins:
    """Who is logged in, as far as it can be changed. `rates_of` tells what an initiator does now."""

    def __init__(self, desk: Desk, rates_of: Callable[[Key], Rates | None]) -> None:
        self._desk, self._rates_of = desk, rates_of

    def disconnect(self, tx: Session, actor: Actor, id_: str, dry_run: bool = False) -> Outcome:
        """Ends a session, and all others of its initiator with its target; the host comes back by itself.

        Raises NotFound for a session that has ended, Conflict for one that cannot be ended.
        """
        seen = self._desk.sessions()
        session = next((one for one in seen.sessions if session_id(one) == id_), None)
        if session is None:
            raise NotFound(
                f"There is no session {id_}; it has ended. If its host logged in again, that is a new session; see the "
                "list of sessions."
            )
        hosts = connected.hosts(tx, [session])
        sessions = next((one.sessions for one in seen.counts if one.target == session.target), 1)
        now = self._rates_of(session_key(session.target, session.initiator))
        plan = planner.plan_disconnect(session, hosts[0] if hosts else None, sessions, now)
        if dry_run:
            return Outcome(plan=plan)
        return file_job(tx, self._desk, actor, JobKind.SESSION_DISCONNECT, Outcome(plan=plan, ids=(id_,)))
