"""Sessions on Lunette's subsystems. SPDK shows them, but not their age."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lunette.domain.errors import LunetteError
from lunette.domain.exports import ObservedSession, UnseenSessions
from lunette.domain.mappings import Family, Protocol
from lunette.providers.exports.spdk import process, requests
from lunette.providers.exports.spdk.converge import look
from lunette.providers.exports.spdk.process import ANSWER_S, RUN_DIR, socket_in
from lunette.providers.reading import reader
from lunette.system.system_port import System

UNCOUNTED = UnseenSessions(
    family=Family.NVME, reason="SPDK's NVMe target has no counters per host: see the counters of the volumes."
)


def observe_sessions(
    system: System, run_dir: str = RUN_DIR
) -> tuple[tuple[ObservedSession, ...], UnseenSessions | None]:
    """The sessions on Lunette's subsystems; or why they are unknown, if the process does not answer."""
    try:
        if not process.answers(system, run_dir):
            return (), None
        nqns = list(look(system, run_dir).subsystems)
        answers = system.call(socket_in(run_dir), [requests.queues(nqn) for nqn in nqns], timeout_s=ANSWER_S)
        # A subsystem that went meanwhile is an error, and has no sessions.
        found = [read(nqn, answer.result or ()) for nqn, answer in zip(nqns, answers, strict=True)]
    except LunetteError as error:
        return (), UnseenSessions(family=Family.NVME, reason=error.detail)
    return tuple(session for of_one in found for session in of_one), None


@reader("SPDK")
def read(nqn: str, queues: Sequence[Mapping[str, Any]]) -> tuple[ObservedSession, ...]:
    """The sessions on a subsystem, of nvmf_subsystem_get_qpairs."""
    return tuple(_sessions(nqn, queues))


def _sessions(nqn: str, queues: Sequence[Mapping[str, Any]]) -> Iterator[ObservedSession]:
    """A controller has one administration queue, number 0, and exists as long as that does."""
    for queue in queues:
        if queue["qid"] == 0:
            yield ObservedSession(
                target=nqn,
                initiator=queue["hostnqn"],
                peer=_host(queue.get("peer_address")),
                protocol=Protocol.NVME_TCP,
                since=None,
                portal=_place(queue.get("listen_address")),
                state=queue["state"],
            )


def _host(reported: Mapping[str, str] | None) -> str | None:
    return reported["traddr"] if reported else None


def _place(reported: Mapping[str, str] | None) -> str | None:
    if reported is None:
        return None
    address = f"[{reported['traddr']}]" if ":" in reported["traddr"] else reported["traddr"]
    return f"{address}:{reported['trsvcid']}"
