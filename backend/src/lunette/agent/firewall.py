"""Keeps the firewall in line with portals and roles: opened before a portal opens, closed after it has closed. Errors
are reported and do not prevent serving.
"""

import logging
import threading

from lunette.domain.errors import LunetteError, Unavailable
from lunette.domain.exports import ExportSet
from lunette.domain.firewall import (
    DesiredFirewall,
    FirewallMode,
    FirewallState,
    ObservedFirewall,
    Opening,
    openings,
)
from lunette.providers.firewall import facts, run
from lunette.providers.firewall.rules import Rules, portals_of, render
from lunette.providers.network import files
from lunette.system.system_port import System

log = logging.getLogger(__name__)
AGAIN_S = {FirewallState.UNAVAILABLE: 60.0, FirewallState.FAILED: 5.0}
"""Retry interval: a tool that hangs must not delay serving in every round."""
NOTHING = Rules(frozenset(), frozenset(), frozenset())
GONE, CHANGED = "its table was missing", "its rules had been changed by another program"


class Firewall:
    """One table in the kernel, one file for the next start. Callers may be in several threads."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._lock = threading.Lock()
        self._desired = DesiredFirewall()
        self._portals: frozenset[Opening] = frozenset()
        self._loaded: tuple[str, run.Listing | None] | None = None
        """The table that was loaded last, and what the kernel showed then."""
        self._retry_at = 0.0
        self._reported: ObservedFirewall | None = None
        self._is_off = False

    @property
    def reported(self) -> ObservedFirewall | None:
        """Result of the last check."""
        return self._reported

    def open_for(self, exports: ExportSet) -> int:
        """Before exports change: opens what they will need, in addition to what is open now. Returns the number of
        repairs.
        """
        with self._lock:
            self._desired = exports.firewall
            return self._guarded(wanted_portals(exports), only_more=True)

    def settle(self, exports: ExportSet | None, *, keep_all: bool = False) -> int:
        """After exports have changed: opens what they need and what still listens, and closes the rest. Returns the
        number of repairs. With `keep_all`, the exports are unknown, so nothing is closed.
        """
        with self._lock:
            self._desired = exports.firewall if exports else self._desired
            wanted = wanted_portals(exports) if exports else frozenset()
            known = {target.iqn for target in exports.targets} if exports else set()
            return self._guarded(wanted, only_more=keep_all, known=frozenset(known))

    def follow_roles(self) -> None:
        """Applies changed roles of interfaces."""
        with self._lock:
            self._guarded(self._portals, only_more=True)

    def _guarded(self, wanted: frozenset[Opening], *, only_more: bool, known: frozenset[str] = frozenset()) -> int:
        try:
            return self._round(wanted, only_more=only_more, known=known)
        except (LunetteError, OSError) as error:
            words = error.detail if isinstance(error, LunetteError) else str(error)
            state = FirewallState.UNAVAILABLE if isinstance(error, Unavailable) else FirewallState.FAILED
            if self._reported is None or (self._reported.state, self._reported.reason) != (state, words):
                log.warning("firewall %s: %s", state.value, words)
            self._report(state, reason=words)
            self._loaded = None
            self._is_off = False
            self._retry_at = self._system.monotonic() + AGAIN_S[state]
            return 0

    def _round(self, wanted: frozenset[Opening], *, only_more: bool, known: frozenset[str]) -> int:
        if self._mode() is FirewallMode.OFF:
            if not self._is_off:
                run.drop(self._system)
                self._portals, self._loaded, self._is_off = frozenset(), None, True
            self._report(FirewallState.OFF)
            return 0
        self._is_off = False
        if self._reported and self._reported.state in AGAIN_S and self._system.monotonic() < self._retry_at:
            self._report(self._reported.state, reason=self._reported.reason)
            return 0
        reason = run.blocker(self._system)
        if reason is not None:
            raise Unavailable(reason)
        seen = run.look(self._system)
        self._portals = self._judged(wanted, seen, only_more=only_more, known=known)
        return self._put(seen)

    def _judged(
        self, wanted: frozenset[Opening], seen: run.Listing | None, *, only_more: bool, known: frozenset[str]
    ) -> frozenset[Opening]:
        """What to admit: portals that are desired, and those that still listen although they are not."""
        before = self._portals | (portals_of(seen or ()) if self._loaded is None else frozenset())
        if only_more:
            return wanted | before
        others = facts.standing(self._system, known)
        if before - wanted - others:
            others = facts.standing(self._system)  # what is about to close may still listen on a target of Lunette
        return wanted | others

    def _put(self, seen: run.Listing | None) -> int:
        management = facts.management(self._system, self._desired.api_port)
        storage, kept = (facts.storage_alone(self._system, folder) for folder in (files.READ, files.KEPT))
        closed = self._reached_otherwise(storage)
        self._keep(Rules(self._portals, management, closed if kept == storage else self._reached_otherwise(kept)))
        now = Rules(self._portals, management, closed)
        text = render(now)
        repaired = None
        if self._loaded is None or self._loaded[0] != text or self._loaded[1] != seen:
            if self._loaded is not None and self._loaded[0] == text:
                repaired = GONE if seen is None else CHANGED
            run.load(self._system, text)
            self._loaded = (text, run.look(self._system))
        broken = run.broken_at_start(self._system)
        if broken is not None:
            repaired = f"its rules could not be loaded at startup, so all ports were open until now: {broken}"
        self._report(FirewallState.IN_FORCE, rules=now, kept_open_on=storage - closed, repaired=repaired)
        if repaired:
            log.error("the firewall was repaired: %s", repaired)
        return 1 if repaired else 0

    def _reached_otherwise(self, storage: frozenset[str]) -> frozenset[str]:
        """These interfaces, if an administrator can connect through another one; otherwise none, to avoid a lockout."""
        return storage if storage and facts.is_reached_otherwise(self._system, storage) else frozenset()

    def _keep(self, rules: Rules) -> None:
        """Stores the rules for the next start. If the drive accepts no file, the present rules are still in effect."""
        try:
            run.keep(self._system, render(rules))
        except (LunetteError, OSError) as error:
            log.warning("the firewall rules could not be stored for the next start: %s", error)

    def _mode(self) -> FirewallMode:
        default = FirewallMode.MANAGED if self._system.exists(run.BY_DEFAULT) else FirewallMode.OFF
        return self._desired.mode or default

    def _report(
        self,
        state: FirewallState,
        *,
        reason: str | None = None,
        rules: Rules = NOTHING,
        kept_open_on: frozenset[str] = frozenset(),
        repaired: str | None = None,
    ) -> None:
        before = self._reported
        self._reported = ObservedFirewall(
            mode=self._mode(),
            is_asked=self._desired.mode is not None,
            state=state,
            reason=reason,
            lacking=run.blocker(self._system),
            portals=tuple(sorted(rules.portals, key=lambda one: one.order)),
            management=tuple(sorted(rules.management, key=lambda one: one.order)),
            closed_on=tuple(sorted(rules.closed_on)),
            kept_open_on=tuple(sorted(kept_open_on)),
            repaired=repaired or (before.repaired if before else None),
            repaired_at=self._system.now() if repaired else before.repaired_at if before else None,
        )


def wanted_portals(exports: ExportSet) -> frozenset[Opening]:
    """What the portals of a document need, whether they already listen or wait."""
    return frozenset(
        one for portal in exports.portals for one in openings(portal.protocol, portal.address, portal.port)
    )
