"""Program: runs in a guest with the product's Python, as root. `exports_guest.py FAMILY DISK SIZE` prints a line of
JSON.

The size is a number of volumes, each mapped to four hosts; 250 of them share a target. The volumes are device-mapper
devices over the same first megabyte of the disk, and are never read or written. All of it is LIO over iSCSI, or nvmet
over TCP. The devices stay for the next run, with a larger size.

The floor is what the agent itself wrote to configfs for that size, replayed without looking: the same folders, links
and values in the same order, by bare system calls.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any, ClassVar, cast

from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.agent.server import answer
from lunette.domain.agent_protocol import Amend, Converge, Envelope, Request
from lunette.domain.arrays import ArrayEngine
from lunette.domain.export_change import change_between
from lunette.domain.exports import (
    ConvergeReport,
    ExportArray,
    ExportInitiator,
    ExportLun,
    ExportNvmeHost,
    ExportPortal,
    ExportSet,
    ExportSubsystem,
    ExportTarget,
    ExportVolume,
    Release,
    ReleaseKind,
    ServingState,
)
from lunette.domain.hosts import OsType
from lunette.domain.identity import IdentitySource
from lunette.domain.mappings import ExportEngine, Family, Protocol
from lunette.providers.exports.lio import configfs, tree
from lunette.providers.exports.nvmet import tree as nvmet_tree
from lunette.system.heap import give_back
from lunette.system.local import LocalSystem

SIZE_BYTES = 1 << 20
PER_TARGET, HOSTS = 250, 4
ROUNDS = 3
"""How often each of the first steps is measured, in turn; the figures are their medians."""
_ARRAY = ExportArray(
    array_id="bench", name="bench", engine=ArrayEngine.MD, uuid="0" * 32, group="lunette-bench", members=()
)
_DEVICES = Path("/dev", _ARRAY.group)
_REQUEST, _STATE = Path("/run/bench-request.json"), Path("/run/bench-agent")
_STARTS = 2
"""The first agent has no ledger that explains what is served, and removes nothing."""
RTSLIB_UP_TO = 300
"""Restoring a larger configuration with rtslib takes longer than all the rest together."""
_RTSLIB = """
import sys
from rtslib_fb import RTSRoot
{"save": lambda: RTSRoot().save_to_file("/run/saved.json"),
 "restore": lambda: RTSRoot().restore_from_file("/run/saved.json"),
 "clear": lambda: RTSRoot().clear_existing(confirm=True)}[sys.argv[1]]()
"""


class Recorder(LocalSystem):
    """Remembers what was written, to do it once more without looking."""

    def __init__(self) -> None:
        self.done: list[Callable[[], None]] = []

    def mkdir(self, path: str) -> None:
        super().mkdir(path)
        self.done.append(lambda: os.mkdir(path))  # noqa: PTH102 - the bare call is what is measured

    def symlink(self, target: str, link: str) -> None:
        super().symlink(target, link)
        self.done.append(lambda: os.symlink(target, link))  # noqa: PTH211 - as above

    def write(self, path: str, text: str) -> None:
        super().write(path, text)
        self.done.append(lambda: _write(path, text.encode()))


def main(family: Family, disk: str, size: int) -> int:
    """Measures the size; RuntimeError where the exports are not what they should be."""
    volumes = _volumes(disk, size + 1)
    engine = next(one for one in serving.ENGINES if one.family is family)
    if missing := engine.prepare(LocalSystem()):
        raise RuntimeError(missing)
    desired = _over_nvme if family is Family.NVME else _over_scsi
    present = desired(volumes[:size], 1)
    larger = {"one more": desired(volumes, 1), "one host": _with_host(present), "one portal": _with_portal(present)}
    print(json.dumps(_measure(present, larger)))
    return 0


def _measure(desired: ExportSet, larger: dict[str, ExportSet]) -> dict[str, float]:
    """`larger` by the names of what there is one more of."""
    system, recorder = LocalSystem(), Recorder()
    found: dict[str, float] = {"volumes": len(desired.volumes)}
    _serve(recorder, desired)
    rounds: dict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        _withdraw(system)
        rounds["floor"].append(_seconds(lambda: [call() for call in recorder.done]))
        _withdraw(system)
        rounds["restore"].append(_seconds(lambda: _serve(system, desired)))
        rounds["again"].append(_seconds(lambda: _unchanged(_serve(system, desired))))
    agent, present = _agent(desired), desired
    for name, wanted in [*larger.items()] * ROUNDS:
        more = wanted.model_copy(update={"generation": present.generation + 1})
        rounds[name].append(_seconds(partial(_amend, agent, present, more)))
        present = _released(desired, more)
        took = _seconds(partial(_amend, agent, more, present))
        if name == "one more":
            rounds["one fewer"].append(took)
    found |= {name: statistics.median(times) for name, times in rounds.items()}
    _unchanged(_serve(system, desired))
    found["guest MiB"] = _used_mib()
    found["withdraw"] = _seconds(lambda: _withdraw(system))
    if desired.targets and found["volumes"] <= RTSLIB_UP_TO:
        _serve(system, desired)
        _rtslib("save")
        _withdraw(system)
        found["rtslib"] = _seconds(lambda: _rtslib("restore"))
        _rtslib("clear")
    _REQUEST.write_bytes(_bytes_of(Converge(wanted=desired)))
    _forget()
    for _ in range(_STARTS):
        measured = subprocess.run([sys.executable, __file__, "agent"], check=True, stdout=subprocess.PIPE)
    found |= json.loads(measured.stdout)
    _withdraw(system)
    return found


def serve_alone() -> int:
    """Prints the memory of an agent that serves the exports of the request and does nothing else, in MiB: what is
    resident once they are served, and at the most until then."""
    agent = _started()
    give_back()
    _check(answer(agent, _REQUEST.read_bytes()).model_dump_json())
    give_back()
    # Not ru_maxrss: a program that another process starts has inherited its peak (setmax_mm_hiwater_rss in fs/exec.c).
    words = Path("/proc/self/status").read_text().split()
    fields = {"agent MiB": "VmRSS:", "peak MiB": "VmHWM:"}
    print(json.dumps({name: int(words[words.index(field) + 1]) / 1024 for name, field in fields.items()}))
    return 0


def _volumes(disk: str, count: int) -> list[ExportVolume]:
    """The devices that are not there yet, and the volumes that are served from all of them."""
    names = [f"bench{number:05}" for number in range(count)]
    tables = [f"{name},,,rw,0 {SIZE_BYTES // 512} linear {disk} 0" for name in names]
    there = len(list(Path("/sys/block").glob("dm-*")))
    for start in range(there, count, 500):  # what one argument may hold
        part = ";".join(tables[start : start + 500])
        subprocess.run(["dmsetup", "create", "--noudevsync", "--concise", part], check=True)
    _DEVICES.mkdir(exist_ok=True)
    for number in range(there, count):
        (_DEVICES / names[number]).symlink_to(f"../dm-{number}")
    ids = IdentitySource()
    return [
        ExportVolume(
            volume_id=ids.id(),
            name=name,
            array_id=_ARRAY.array_id,
            group=_ARRAY.group,
            device=f"{_DEVICES}/{name}",
            size_bytes=SIZE_BYTES,
            identity=ids.volume(),
        )
        for name in names
    ]


def _desired(volumes: Sequence[ExportVolume], generation: int) -> ExportSet:
    return ExportSet(
        database_id="bench",
        appliance_id="bench",
        generation=generation,
        arrays=(_ARRAY,),
        volumes=tuple(volumes),
        portals=(),
        targets=(),
    )


def _over_scsi(volumes: Sequence[ExportVolume], generation: int) -> ExportSet:
    portal = _portal(Protocol.ISCSI, ExportEngine.LIO, 3260)
    targets = tuple(starmap(_target, enumerate(_parts(volumes))))
    return _desired(volumes, generation).model_copy(update={"portals": (portal,), "targets": targets})


def _over_nvme(volumes: Sequence[ExportVolume], generation: int) -> ExportSet:
    portal = _portal(Protocol.NVME_TCP, ExportEngine.NVMET, 4420)
    subsystems = tuple(starmap(_subsystem, enumerate(_parts(volumes))))
    return _desired(volumes, generation).model_copy(update={"portals": (portal,), "subsystems": subsystems})


def _parts(volumes: Sequence[ExportVolume]) -> list[Sequence[ExportVolume]]:
    """What shares a target. One volume more does not get one of its own."""
    starts = range(0, max(len(volumes) - 1, 1), PER_TARGET)
    return [volumes[start : start + PER_TARGET] for start in starts[:-1]] + [volumes[starts[-1] :]]


def _portal(protocol: Protocol, engine: ExportEngine, port: int) -> ExportPortal:
    return ExportPortal(
        portal_id=str(uuid.UUID(int=port)), protocol=protocol, engine=engine, address="127.0.0.1", port=port
    )


def _hosts(number: int) -> list[str]:
    return [f"host{number:03}-{at}" for at in range(HOSTS)]


def _luns(number: int, volumes: Sequence[ExportVolume]) -> tuple[ExportLun, ...]:
    return tuple(
        ExportLun(mapping_id=f"{number}-{lun}", lun=lun, volume_id=volume.volume_id)
        for lun, volume in enumerate(volumes, 1)
    )


def _target(number: int, volumes: Sequence[ExportVolume]) -> ExportTarget:
    return ExportTarget(
        target_id=f"group{number:03}",
        owner=f"group{number:03}",
        tag=1,
        os_type=OsType.LINUX,
        iqn=f"{tree.target_prefix('bench')}{number:03}",
        initiators=tuple(
            ExportInitiator(initiator_id=host, host=host, iqn=f"iqn.2026-01.com.example:{host}", chap=None)
            for host in _hosts(number)
        ),
        luns=_luns(number, volumes),
    )


def _subsystem(number: int, volumes: Sequence[ExportVolume]) -> ExportSubsystem:
    return ExportSubsystem(
        target_id=f"group{number:03}",
        owner=f"group{number:03}",
        nqn=f"{nvmet_tree.subsystem_prefix('bench')}{number:03}",
        serial=f"{number:020}",
        hosts=tuple(
            ExportNvmeHost(initiator_id=host, host=host, nqn=f"nqn.2026-01.com.example:{host}", dhchap=None)
            for host in _hosts(number)
        ),
        luns=_luns(number, volumes),
    )


def _serve(system: LocalSystem, desired: ExportSet) -> ConvergeReport:
    report = serving.serve(system, desired, {}, {_ARRAY.array_id})
    served = (*report.targets, *report.subsystems)
    blocked = [one.reason for one in served if one.state is not ServingState.OPEN]
    blocked += [one.reason for one in report.volumes if one.state is not ServingState.OPEN]
    if blocked:
        raise RuntimeError(f"{len(blocked)} are not served, the first because {blocked[0]}")
    return report


def _with_host(desired: ExportSet) -> ExportSet:
    """Also with a group of hosts that has the first volume."""
    first, number = desired.volumes[:1], len((*desired.targets, *desired.subsystems))
    if desired.targets:
        return desired.model_copy(update={"targets": (*desired.targets, _target(number, first))})
    return desired.model_copy(update={"subsystems": (*desired.subsystems, _subsystem(number, first))})


def _with_portal(desired: ExportSet) -> ExportSet:
    (first,) = desired.portals
    return desired.model_copy(update={"portals": (first, _portal(first.protocol, first.engine, first.port + 1))})


def _released(desired: ExportSet, larger: ExportSet) -> ExportSet:
    """The smaller document as a later one, with what permits the agent to end the rest."""
    generation = larger.generation + 1
    ids = {
        ReleaseKind.VOLUME: [{one.volume_id for one in part.volumes} for part in (larger, desired)],
        ReleaseKind.TARGET: [{one.target_id for one in part.targets} for part in (larger, desired)],
        ReleaseKind.SUBSYSTEM: [{one.target_id for one in part.subsystems} for part in (larger, desired)],
        ReleaseKind.PORTAL: [{one.portal_id for one in part.portals} for part in (larger, desired)],
        ReleaseKind.MAPPING: [set(part.mapping_ids) for part in (larger, desired)],
    }
    gone = [(kind, id_) for kind, (all_, left) in ids.items() for id_ in sorted(all_ - left)]
    released = tuple(Release(kind=kind, id=id_, generation=generation) for kind, id_ in gone)
    return desired.model_copy(update={"generation": generation, "released": released})


class _Running:
    """In the place of what brings up arrays: there is none, and the volumes stand for ours."""

    waiting: ClassVar[dict[str, str]] = {}

    def prove(self, _exports: ExportSet) -> None:
        """Nothing is started."""

    def is_proven(self, _array: ExportArray) -> bool:
        return True


def _forget() -> None:
    """No agent has a ledger any more."""
    shutil.rmtree(_STATE, ignore_errors=True)
    _STATE.mkdir()


def _started() -> Agent:
    """An agent with the ledger of the one before."""
    agent = Agent(LocalSystem(), state_dir=str(_STATE))
    agent._bring_up = cast(Any, _Running())
    return agent


def _agent(desired: ExportSet) -> Agent:
    """The agent itself, which serves this and has it in its ledger."""
    _forget()
    for _ in range(_STARTS):
        agent = _started()
        _answered(agent, Converge(wanted=desired))
    return agent


def _amend(agent: Agent, before: ExportSet, after: ExportSet) -> None:
    """From the bytes of the request to those of the answer, with the ledger on stable storage."""
    change = change_between(before, after)
    if change is None:
        raise RuntimeError("the change cannot be sent as one")
    _answered(agent, Amend(database_id=before.database_id, base=before.generation, change=change))


def _answered(agent: Agent, request: Request[Any]) -> None:
    _check(answer(agent, _bytes_of(request)).model_dump_json())


def _bytes_of(request: Request[Any]) -> bytes:
    return Envelope(request=cast(Any, request)).model_dump_json().encode()


def _check(reply: str) -> None:
    if '"accepted":true' not in reply:
        raise RuntimeError(f"the agent answered {reply[:500]}")


def _unchanged(report: ConvergeReport) -> None:
    if report.changed:
        raise RuntimeError(f"{report.changed} changes where nothing should change: {report.found[:5]}")


def _withdraw(system: LocalSystem) -> None:
    if refused := serving.withdraw(system):
        raise RuntimeError(f"not taken away: {refused}")
    if system.exists(f"{configfs.ROOT}/{tree.HBA}"):
        system.rmdir(f"{configfs.ROOT}/{tree.HBA}")


def _rtslib(verb: str) -> None:
    subprocess.run(["/usr/bin/python3", "-c", _RTSLIB, verb], check=True)


def _used_mib() -> float:
    """What the whole guest has in use and cannot give away, in MiB."""
    words = [line.split() for line in Path("/proc/meminfo").read_text().splitlines()]
    kib = {name: int(value) for name, value, *_ in words}
    return (kib["MemTotal:"] - kib["MemAvailable:"]) / 1024


def _write(path: str, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY)
    os.write(handle, data)
    os.close(handle)


def _seconds(what: Callable[[], object]) -> float:
    began = time.monotonic()
    what()
    return time.monotonic() - began


if __name__ == "__main__":
    sys.exit(serve_alone() if sys.argv[1] == "agent" else main(Family(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
