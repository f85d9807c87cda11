"""Brings up arrays and their volumes as listed in the ledger, concurrently; takes everything down at shutdown.

Each array has a thread for the duration of one pass. A tool that hangs delays only its own array: the round continues
without it, and what comes up later is served then (decision 0049).
"""

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, cast

from lunette.agent.array_pass import GRACE_S, ArrayPass
from lunette.agent.serving import open_devices, withdraw
from lunette.domain.errors import InUse
from lunette.domain.exports import ExportArray, ExportSet
from lunette.domain.steps import AnyStep
from lunette.providers.arrays.machines import ARRAY_MACHINES
from lunette.providers.volumes.machines import VOLUME_MACHINES
from lunette.system.system_port import CommandResult, System

__all__ = ["GRACE_S", "BringUp", "shut_down"]
log = logging.getLogger(__name__)
HEAD_START_S = 0.2
"""Most arrays are up, and checking one takes milliseconds: the next array starts after it, or after this time."""
PATIENCE_S = 3.0
"""How long a round waits for slower arrays before what is available is served without them."""
READY_S = GRACE_S + 15.0
"""How long a step waits for its array after a boot: until it starts without its late drives, plus a margin."""
HANGS_S = 30.0
"""A tool that runs longer is reported as hanging, even if the array waited for something before."""
AT_ONCE = 16
"""Maximum number of concurrent passes. Arrays that delayed a round have their turn after the others."""


class BringUp:
    """Rounds and steps may come from several threads; no array is ever worked on by two. `on_late` is called when an
    array comes up that its round did not wait for.
    """

    def __init__(
        self, system: System, *, patience_s: float = PATIENCE_S, on_late: Callable[[], None] = lambda: None
    ) -> None:
        self._system, self._patience_s, self._on_late = system, patience_s, on_late
        self._passes = ArrayPass()
        self._state = threading.Condition()
        """Held only briefly, to read or change the state below."""
        self._under_way: dict[str, _Work] = {}
        self._reasons: dict[str, str] = {}
        self._slow: set[str] = set()
        self._held: list[frozenset[str]] = []
        self._is_stopping = False

    @property
    def waiting(self) -> dict[str, str]:
        """Reasons by array ID, for arrays that are not up."""
        with self._state:
            found = dict(self._reasons)
            for id_, work in self._under_way.items():
                if not self._passes.is_active(work.array) and (work.hangs or id_ not in found):
                    found[id_] = work.words
            return found

    @property
    def locked(self) -> frozenset[str]:
        """IDs of arrays that run and wait for their key."""
        return self._passes.locked

    def is_up(self, array: ExportArray) -> bool:
        """True if the array was brought up and runs: a cheap check that repairs nothing."""
        return self._passes.is_up(self._system, array)

    def run(self, served: ExportSet, is_wanted: Callable[[ExportArray], bool] = lambda _: True) -> None:
        """Runs one pass over each array except those that still hang; what is up already stays unchanged.

        `is_wanted` is asked again when the turn of an array comes: arrays that have left the ledger meanwhile are
        skipped.
        """
        begun = []
        for array in sorted(served.arrays, key=lambda array: array.array_id in self._slow):
            work = self._begin(array, served, is_wanted) or self._under_way.get(array.array_id)
            if work is not None and not work.is_late:
                begun.append(work)
                self._wait_for([work], min(HEAD_START_S, self._patience_s))
        self._wait_for(begun, self._patience_s)
        known = {array.array_id for array in served.arrays}
        with self._state:
            self._reasons = {id_: reason for id_, reason in self._reasons.items() if id_ in known}
            left = [work for work in begun if not work.is_over]
            for work in left:
                work.is_late = True
            self._slow = (self._slow & known) | {work.array.array_id for work in left}
        for work in left:
            log.warning("%s; the other arrays are served", work.words)
        _raise_crash(begun)

    def prove(self, served: ExportSet) -> None:
        """Runs one pass over each array that was not brought up in its desired form although devices of its volumes
        exist: only a pass proves that they belong to Lunette. A pass that does not finish in time continues, and its
        volumes are served when it ends.
        """
        left = {one.array_id for one in served.arrays if not self._passes.is_active(one)}
        if not left:
            return
        devices = ((one.array_id, one.device) for one in served.volumes if one.array_id in left)
        there = {array_id for array_id, device in devices if self._system.exists(device)}
        arrays = [one for one in served.arrays if one.array_id in there]
        works = [self._begin(one, served, lambda _: True) or self._under_way.get(one.array_id) for one in arrays]
        begun = [work for work in works if work is not None and not work.is_late]
        self._wait_for(begun, self._patience_s)
        with self._state:
            for work in begun:
                work.is_late = not work.is_over
        _raise_crash(begun)

    def is_proven(self, array: ExportArray) -> bool:
        """True if it was brought up in this form, so that its group or pool is known to belong to Lunette."""
        return self._passes.is_active(array)

    def bring(self, array: ExportArray, served: ExportSet) -> None:
        """Runs one pass over this array, or waits for the one that is running, however long it takes."""
        work = self._begin(array, served, lambda _: True) or self._under_way.get(array.array_id)
        if work is not None:
            self._wait_for([work], None)
            _raise_crash([work])

    @contextmanager
    def hold(self, names: Collection[str], timeout_s: float | None = None) -> Iterator[None]:
        """Prevents bringing up arrays with one of these names while the block runs. Waits for running passes; raises
        InUse if they do not end in time.
        """
        mine = frozenset(names)
        with self._state:
            if not self._state.wait_for(lambda: not self._in_hand(mine), timeout_s):
                raise InUse(f"{self._in_hand(mine)[0].words}: try again when it has finished")
            self._held.append(mine)
        try:
            yield
        finally:
            with self._state:
                self._held.remove(mine)

    def _in_hand(self, names: frozenset[str]) -> "list[_Work]":
        return [work for work in self._under_way.values() if names & work.names]

    def stop(self, timeout_s: float) -> None:
        """Start no further passes, and wait for running ones, so that none of their commands is interrupted."""
        with self._state:
            self._is_stopping = True
            self._state.wait_for(lambda: not self._under_way, timeout_s)

    def _begin(self, array: ExportArray, served: ExportSet, is_wanted: Callable[[ExportArray], bool]) -> "_Work | None":
        """None while another thread works on it, or no slot is free."""
        work = _Work(self._system, array)
        with self._state:
            if self._is_stopping or array.array_id in self._under_way or not is_wanted(array):
                return None
            if len(self._under_way) >= AT_ONCE or any(names & work.names for names in self._held):
                if not self._passes.is_active(array):
                    self._reasons.setdefault(array.array_id, f"array {array.name} is waiting to be started")
                return None
            self._under_way[array.array_id] = work
        thread = threading.Thread(target=self._pass, args=(work, served), name=f"array {array.name}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            with self._state:
                del self._under_way[array.array_id]
                self._reasons[array.array_id] = f"array {array.name} was not started: {error}"
                self._state.notify_all()
            return None
        return work

    def _pass(self, work: "_Work", served: ExportSet) -> None:
        array, was_up = work.array, self._passes.is_active(work.array)
        reason: str | None = (
            f"array {array.name} did not start because of an internal error of the agent: see its journal"
        )
        try:
            reason = self._passes.run(work.system, array, served.volumes)
        except Exception:
            log.exception("array %s failed", array.name)
        except BaseException as crash:  # noqa: BLE001 - raised again by the thread that waits for this pass
            work.crash = crash
        with self._state:
            del self._under_way[array.array_id]
            before = self._reasons.pop(array.array_id, None)
            if reason is not None:
                self._reasons[array.array_id] = reason
            if not work.is_late:
                self._slow.discard(array.array_id)
            work.is_over = True
            self._state.notify_all()
        if reason not in (None, before):
            log.warning("%s", reason)
        if work.is_late and reason is None and not was_up:
            self._on_late()

    def _wait_for(self, works: "list[_Work]", timeout_s: float | None) -> None:
        with self._state:
            self._state.wait_for(lambda: all(work.is_over for work in works), timeout_s)


class _Work:
    """A running pass."""

    def __init__(self, system: System, array: ExportArray) -> None:
        self.array = array
        self.names = frozenset((array.array_id, array.uuid, array.group))
        self._system, self._began = system, system.monotonic()
        self._watched = _Watched(system)
        self.system = cast(System, self._watched)
        self.is_over = False
        self.is_late = False
        """True if the round continued without it."""
        self.crash: BaseException | None = None

    @property
    def hangs(self) -> bool:
        return self._system.monotonic() - self._began >= HANGS_S

    @property
    def words(self) -> str:
        """What it waits for."""
        tool = self._watched.tool
        if tool and self.hangs:
            return f"array {self.array.name} is being started, but {tool} has not finished: check whether a disk hangs"
        return f"array {self.array.name} is being started" + (f" ({tool})" if tool else "")


class _Watched:
    """Access to the system, and the tool that was called through it and has not returned."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.tool: str | None = None

    def run(self, argv: list[str], **options: Any) -> CommandResult:
        self.tool = " ".join(argv[:2])
        try:
            return self._system.run(argv, **options)
        finally:
            self.tool = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)


def names_of(step: AnyStep) -> frozenset[str]:
    """The array of a step, by whichever of ID, UUID and group the step contains."""
    found = (getattr(step, name, None) for name in ("array_id", "uuid", "array_uuid", "guid", "group"))
    return frozenset(name for name in found if name)


def _raise_crash(works: "list[_Work]") -> None:
    for work in works:
        if work.crash is not None:
            raise work.crash


def shut_down(system: System, served: ExportSet | None = None) -> list[str]:
    """Close paths before devices: exports, then volumes, then arrays; everything that carries Lunette's mark. Returns
    what was refused. The ledger stays unchanged: the next start brings everything up again.
    """
    refused = [f"{path}: {why}" for path, why in withdraw(system, served).items()]
    still_open = open_devices(system)
    for volumes in VOLUME_MACHINES.values():
        refused += volumes.shut_down(system)
    for machine in ARRAY_MACHINES.values():
        refused += machine.shut_down(system, still_open)
    return refused
