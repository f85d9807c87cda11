"""Two ways to change an interface, with the same rules and the same trial: the API, or the agent while the API is down.

Nothing about an interface is in the database (docs/decisions/0031), so the API shows changes made over the agent once
it answers again.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from lunette.client import Client, ClientError, JsonObject, Refused, Unreachable
from lunette.domain.agent_protocol import DoStep, Observe, ObserveServed
from lunette.domain.errors import Conflict, LunetteError
from lunette.domain.identity import IdentitySource
from lunette.domain.interfaces import InterfaceChange, ObservedInterface
from lunette.domain.plans import Plan
from lunette.domain.steps import InterfaceKeep, InterfaceRevert
from lunette.planner.access.connected import Connected
from lunette.planner.access.portals import KnownPortal
from lunette.planner.network.interface_rules import Paths
from lunette.planner.network.interfaces import plan_change
from lunette.system.agent_port import AgentPort

JOB = "console"
"""The name in the agent's journal for a change without a job of the API."""
AWAY = "the API does not answer"
Problem = (ClientError, LunetteError, OSError, ValueError)
"""Exceptions of either way; the last is for input that no rule foresaw."""


@dataclass(frozen=True)
class Card:
    """An interface to choose."""

    name: str
    mac: str
    link: bool
    addresses: tuple[str, ...]
    how: str
    """DHCP, static, or why Lunette does not manage it."""
    trial_left_s: float | None


class Backend(Protocol):
    """Every call may raise one of Problem."""

    def cards(self) -> list[Card]: ...

    def plan(self, name: str, spec: JsonObject) -> JsonObject:
        """Title, changes and warnings, as the API answers them; nothing is changed."""
        ...

    def begin(self, name: str, spec: JsonObject) -> None:
        """Starts the trial: it is reverted automatically unless it is confirmed."""
        ...

    def end(self, name: str, *, keep: bool) -> None: ...


class ApiBackend:
    """Like every other change: with a job, events, and the users of a portal."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def cards(self) -> list[Card]:
        return [_card_of_answer(one) for one in self._client.pages("interface_list")]

    def plan(self, name: str, spec: JsonObject) -> JsonObject:
        found: JsonObject = self._client.operate("interface_change", {"interface": name}, None, spec, dry_run=True)
        return found

    def begin(self, name: str, spec: JsonObject) -> None:
        job = self._client.operate("interface_change", {"interface": name}, None, spec)
        self._client.wait(job, deadline_s=120.0)

    def end(self, name: str, *, keep: bool) -> None:
        operation = "interface_confirm" if keep else "interface_revert"
        self._client.operate(operation, {"interface": name})


class AgentBackend:
    """Without the API: planner and agent steps are the same. Portals are those of the boot ledger."""

    def __init__(self, agent: AgentPort) -> None:
        self._agent = agent

    def cards(self) -> list[Card]:
        return [_card_of_seen(one) for one in self._agent.ask(Observe()).interfaces]

    def plan(self, name: str, spec: JsonObject) -> JsonObject:
        return self._plan(name, spec).model_dump(mode="json", include={"title", "changes", "warnings"})

    def begin(self, name: str, spec: JsonObject) -> None:
        for step in self._plan(name, spec).steps:
            self._agent.ask(DoStep(job_id=JOB, step=step))

    def end(self, name: str, *, keep: bool) -> None:
        trial = self._interface(name).trial
        if trial is None:
            raise Conflict(f"no change of interface {name} awaits confirmation: it was already reverted")
        step = InterfaceKeep if keep else InterfaceRevert
        self._agent.ask(DoStep(job_id=JOB, step=step(trial_id=trial.id, interface=name)))

    def _plan(self, name: str, spec: JsonObject) -> Plan:
        change = InterfaceChange.model_validate(spec)
        identity = IdentitySource().id()
        return plan_change(self._interface(name), change, self._agent.ask(Observe()), self._paths(), identity)

    def _interface(self, name: str) -> ObservedInterface:
        found = next((one for one in self._agent.ask(Observe()).interfaces if one.name == name), None)
        if found is None:
            raise Conflict(f"interface {name} no longer exists")
        return found

    def _paths(self) -> Paths:
        """Names of portals are in the database; here their addresses are used instead."""
        served = self._agent.ask(ObserveServed())
        portals = [
            KnownPortal(
                id=one.portal_id,
                name=f"{one.address}:{one.port}",
                protocol=one.protocol.value,
                address=one.address,
                port=one.port,
            )
            for one in (served.portals if served else ())
        ]
        return Paths(portals, {one.name: Connected(unknown=AWAY) for one in portals}, None)


def find_backend(client: Client, agent: AgentPort) -> tuple[Backend, list[Card]]:
    """The API if it answers and knows the machine, else the agent. Raises one of Problem if neither does."""
    api = ApiBackend(client)
    try:
        cards = api.cards()
        if cards:
            return api, cards
    except Unreachable:
        pass
    except Refused as error:
        if error.status < 500:
            raise
    direct = AgentBackend(agent)
    return direct, direct.cards()


def words_of(problem: BaseException) -> list[str]:
    """The refusal, its reason, and the field that is wrong."""
    if isinstance(problem, Refused):
        return problem.lines()
    if isinstance(problem, LunetteError):
        return [problem.detail, *(f"  {one.field}: {one.message}" for one in problem.errors)]
    return [str(problem)]


def portals_in_the_way(problem: BaseException) -> list[str]:
    """Names of portals that would lose their address and must be specified; empty for any other problem."""
    if isinstance(problem, Refused):
        errors: list[Any] = list(problem.problem.get("errors") or ())
        found = [(one.get("field"), one.get("value")) for one in errors]
    elif isinstance(problem, LunetteError):
        found = [(one.field, one.value) for one in problem.errors]
    else:
        return []
    return [str(value) for _, value in found] if found and all(field == "portals" for field, _ in found) else []


def _card_of_answer(one: JsonObject) -> Card:
    addresses = tuple(f"{a['address']}{' (DHCP)' if a['dynamic'] else ''}" for a in one["addresses"])
    wanted = one["wanted"]
    how = one["reason"] or _how(wanted["dhcp"] if wanted else None, one["configured_by"])
    return Card(one["name"], one["mac"] or "", one["link"], addresses, how, one["trial_left_s"])


def _card_of_seen(one: ObservedInterface) -> Card:
    addresses = tuple(f"{a.address}{' (DHCP)' if a.dynamic else ''}" for a in one.addresses)
    how = one.reason or _how(one.settings.dhcp if one.settings else None, one.configured_by)
    return Card(one.name, one.mac or "", one.link, addresses, how, one.trial.left_s if one.trial else None)


def _how(dhcp: bool | None, file: str | None) -> str:
    if dhcp is None:
        return f"configured by {file.rpartition('/')[2]}" if file else "not configured"
    return "DHCP" if dhcp else "static"
