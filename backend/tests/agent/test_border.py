"""A compromised API process may send the agent any request: nothing outside our own roots is touched.

The attacks are generated from the protocol's own types, so a new field is attacked automatically.
"""

from __future__ import annotations

import datetime as dt
import enum
import itertools
import json
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel, SecretStr, TypeAdapter, ValidationError

from backend.tests.agent.exports import (
    APPLIANCE,
    CHAP,
    dhchap,
    exports,
    id_of,
    initiator,
    lun,
    nvme_host,
    nvme_portal,
    portal,
    subsystem,
    target,
)
from backend.tests.fakemachine import FakeSystem
from backend.tests.providers.test_nvmet_converge import ExportRig
from backend.tests.wiring_agent import PATIENT_S
from lunette.agent import serving
from lunette.agent.core import Agent
from lunette.agent.server import answer
from lunette.domain.agent_protocol import REQUESTS, DoStep, Envelope, ProblemReply, UndoStep
from lunette.domain.arrays import ArrayEngine
from lunette.domain.errors import ProblemType
from lunette.domain.export_change import ExportChange
from lunette.domain.exports import AdoptedBackstore, AdoptedSubsystem, ExportSet, ServingState
from lunette.domain.steps import AnyStep
from lunette.providers.disks.inventory import observe_disks

HOSTILE = (
    '--config=log{file="/tmp/owned" level=7}',
    "-y",
    "../../../../tmp/owned",
    "a/../../../../tmp/owned",
    "/etc/shadow",
    "/dev/disk/by-partlabel/lunette-b",
    "/dev/vda2",
    "/dev/mapper/control",
    "..",
    "a\x00b",
    "owned\nowned",
    "owned\r\nowned",
    "owned owned",
    "$(touch /tmp/owned)",
    "x" * 70_000,
    "\u202eowned",
    "\u2025/owned",
    "\uff0fetc\uff0fowned",
    "lunette\u20100123456789ab",
)
MARKS = ("owned", "/etc/shadow", "lunette-b", "vda2", "mapper/control", "\u2010", "\uff0f", "x" * 500)
"""What gives a hostile text away wherever it turns up."""
SAMPLES = (
    "lunette-0123456789ab",
    "0123456789abcdef0123456789abcdef",
    "192.0.2.1",
    "iqn.2026-01.com.example:host1",
    "nqn.2026-01.com.example:host1",
    "21:00:00:24:ff:00:00:01",
    "eth1",
    "/dev/lunette-0123456789ab/v0123456789ab",
    "core/iblock_0/disk",
    "iscsi/iqn.2026-01.com.example:t",
    "subsystems/n",
    "draid1:2d:4c:1s",
    "1.0",
    "Europe/Berlin",
    "192.0.2.1/24",
    "2001:db8::1/64",
    "2001:db8::1",
)
NUMBERS = (1, 4096, 30, 16 * 1024**2, 0)
OURS = (
    "/sys/kernel/config/target/",
    "/sys/kernel/config/nvmet/",
    "/etc/target",
    "/var/lib/lunette/agent/",
    "/run/lunette",
    "/etc/hostid",
    "/etc/hostname",
    "/proc/sys/kernel/hostname",
    "/sys/module/zfs/parameters/",
    "/sys/block/md127/md/",
)


class Recorder:
    """A system port that records what is changed through it, and passes everything to the fake machine."""

    _CHANGES = (
        "write",
        "write_durably",
        "append_durably",
        "mkdir",
        "rmdir",
        "unlink",
        "zero",
        "write_range",
        "symlink",
    )

    def __init__(self, machine: FakeSystem) -> None:
        self._machine = machine
        self.paths: list[str] = []
        self.words: list[str] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._machine, name)

        def noted(*given: Any, **more: Any) -> Any:
            self._note(name, *given)
            return found(*given, **more)

        return noted if name in (*self._CHANGES, "run", "ask") else found

    def _note(self, name: str, first: Any, *rest: Any) -> None:
        """Which device is served is a word like those of a command."""
        if name in {"run", "ask"}:
            self.words.extend(first if isinstance(first, list | tuple) else (first, *rest[0]))
        elif name == "symlink":
            self.paths.extend((first, *rest))
        else:
            self.paths.append(first)
        if name == "write" and first.rpartition("/")[2] in {"control", "udev_path", "device_path"}:
            self.words.append(rest[0])


def models(annotation: Any) -> list[type[BaseModel]]:
    """The models of a union, in order."""
    if get_origin(annotation) is Annotated:
        return models(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType}:
        return [model for one in get_args(annotation) for model in models(one)]
    return [annotation]


def example(annotation: Any, *marks: Any) -> Any:
    """A value of this type, with everything in it that may be left out."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return example(inner[0], *inner[1:], *marks)
    if origin in {Union, types.UnionType}:
        return example(next(one for one in inner if one is not type(None)), *marks)
    if origin is Literal:
        return inner[0]
    if origin in {tuple, list, frozenset}:
        kinds = [one for one in inner if one is not Ellipsis]
        return [example(kind) for kind in (kinds if Ellipsis not in inner else kinds[:1])]
    if origin is dict:
        return {example(inner[0]): example(inner[1])}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return filled(annotation)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return next(iter(annotation)).value
    simple = {
        bool: (False,),
        SecretStr: ("a secret of 16 and more",),
        dt.datetime: ("2026-01-01T00:00:00Z",),
        str: SAMPLES,
    }
    for value in simple.get(annotation, (*NUMBERS, *SAMPLES)):
        if fits(Annotated[(annotation, *marks)] if marks else annotation, value):
            return value
    raise AssertionError(f"no sample fits {annotation} {marks}: add one")


def fits(annotation: Any, value: Any) -> bool:
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True


def filled(model: type[BaseModel]) -> dict[str, Any]:
    """An object of a model. Where its fields do not go together, what may be left out is."""
    whole = {name: example(field.annotation, *field.metadata) for name, field in model.model_fields.items()}
    needed = {name for name, field in model.model_fields.items() if field.is_required()}
    for left_out in itertools.chain.from_iterable(
        itertools.combinations(sorted(set(whole) - needed), count) for count in range(len(whole) - len(needed) + 1)
    ):
        tried = {name: value for name, value in whole.items() if name not in left_out}
        if fits(model, tried):
            return tried
    raise AssertionError(f"no example of {model.__name__} is accepted")


def requests() -> Iterator[tuple[str, dict[str, Any]]]:
    """An example of every request; doing and undoing a step have one for each kind of step."""
    for model in REQUESTS.values():
        if model in {DoStep, UndoStep}:
            for step in models(AnyStep):
                kind = model.model_fields["kind"].default
                yield (
                    f"{kind} {step.model_fields['kind'].default}",
                    {"kind": kind, "job_id": SAMPLES[0], "step": filled(step)},
                )
        elif "order" in model.model_fields and len(models(model.model_fields["order"].annotation)) > 1:
            for order in models(model.model_fields["order"].annotation):
                yield f"use_key {order.__name__}", {"kind": "use_key", "order": filled(order)}
        else:
            yield model.model_fields["kind"].default, filled(model)


def leaves(value: Any, *where: str | int) -> Iterator[tuple[str | int, ...]]:
    """Where the texts are, but for the words that say what kind of thing it is."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key != "kind":
                yield from leaves(one, *where, key)
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from leaves(one, *where, number)
    elif isinstance(value, str):
        yield where


def with_text(value: Any, where: Sequence[str | int], text: str) -> Any:
    """A copy with another text there."""
    copied = json.loads(json.dumps(value))
    holder = copied
    for part in where[:-1]:
        holder = holder[part]
    holder[where[-1]] = text
    return copied


def fresh() -> tuple[Agent, Recorder]:
    machine = FakeSystem()
    machine.add_disks(2)
    serving.prepare(machine)
    recorder = Recorder(machine)
    return Agent(typing.cast(Any, recorder), patience_s=0.0), recorder


def serving_desired() -> tuple[FakeSystem, dict[str, Any]]:
    """A machine with volumes, and a desired state with everything in it that they can be served with."""
    rig = ExportRig()
    serving.prepare(rig.machine)
    kept = AdoptedBackstore(
        path="core/iblock_0/old", vendor="LIO-ORG", product="IBLOCK", revision="4.0", attributes=(("emulate_3pc", "0"),)
    )
    shown = AdoptedSubsystem(serial="theirs", attributes=(("attr_model", "theirs"),))
    whole = exports(
        arrays=(rig.array.model_copy(update={"health_command": "a"}),),
        volumes=(rig.volumes[0].model_copy(update={"adopted": kept}), *rig.volumes[1:]),
        portals=(portal(21), nvme_portal(22)),
        targets=(target(31, [initiator(41, CHAP)], [lun(51, 1, 11)]), target(32, [initiator(42)], [lun(54, 1, 13)])),
        subsystems=(
            subsystem(31, [nvme_host(43, dhchap(1, 2))], [lun(52, 2, 12)]).model_copy(update={"adopted": shown}),
        ),
        discovery=CHAP,
    )
    return rig.machine, whole.model_dump(mode="json")


def difference_to(base: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The request that sends all parts of a document as if each of them differed from those of `base`."""
    change = {name: value for name, value in document.items() if name in ExportChange.model_fields}
    return {"kind": "amend", "database_id": base["database_id"], "base": base["generation"], "change": change}


def difference_in_luns(document: dict[str, Any]) -> dict[str, Any]:
    """The request that sends the LUNs of a document as if only those differed, and one mapping were gone."""
    luns = {
        f"{kind}_luns": [
            {"target_id": one["target_id"], "luns": one["luns"], "gone_mappings": [one["luns"][0]["mapping_id"]]}
            for one in document[f"{kind}s"]
        ]
        for kind in ("target", "subsystem")
    }
    change = {"generation": document["generation"], "released": [], **luns}
    return {"kind": "amend", "database_id": document["database_id"], "base": document["generation"], "change": change}


CASES = dict(requests())
IN_LUNS = [where for where in leaves(difference_in_luns(serving_desired()[1])["change"]) if where[0] != "released"]
DESIRED = [where for where in leaves(serving_desired()[1]) if "secret" not in str(where[-1])]


@pytest.mark.parametrize("name", CASES)
def test_every_example_is_understood(name: str) -> None:
    """Or else an attack would be refused for another reason than the text."""
    Envelope.model_validate({"request": CASES[name]})


def test_a_refused_text_is_named_and_not_shown() -> None:
    agent, _ = fresh()
    attack = with_text(CASES["do_step volume.cut"], ("step", "group"), HOSTILE[0])
    reply = answer(agent, json.dumps({"request": attack}).encode())
    assert isinstance(reply, ProblemReply)
    assert "step.volume.cut.group: expected the name of a volume group or pool" in reply.detail
    assert "owned" not in reply.model_dump_json()


@pytest.mark.parametrize("field", ["user", "secret", "mutual_user", "mutual_secret"])
@pytest.mark.parametrize("place", ["initiator", "discovery", "initiator of a difference"])
def test_chap_that_the_kernel_takes_for_none_is_refused_and_nothing_served(field: str, place: str) -> None:
    agent, system_port = fresh()
    chap = CHAP.model_copy(update={field: "NULLowned" if "user" in field else SecretStr("NULLowned-4711")})
    parts = {"discovery": chap} if place == "discovery" else {"targets": (target(31, [initiator(41, chap)], []),)}
    document = exports(**parts).model_dump(mode="json")
    desired = {"kind": "converge", "wanted": document}
    if place == "initiator of a difference":
        desired = difference_to(document, document)
    reply = answer(agent, json.dumps({"request": desired}).encode())
    assert isinstance(reply, ProblemReply)
    assert "do not begin with NULL" in reply.detail
    check_untouched(system_port, reply.model_dump_json())


def test_the_desired_state_is_served_as_it_is() -> None:
    """Or else an attack on it would end before it came to configfs."""
    machine, desired = serving_desired()
    report = Agent(machine, patience_s=PATIENT_S).converge(ExportSet.model_validate(desired))
    assert {target.state for target in (*report.targets, *report.subsystems)} == {ServingState.OPEN}, report


OTHERS = "debian-vg"
"""The volume group of the system, such as a server has that a play made an appliance."""


@pytest.mark.parametrize("engine", [ArrayEngine.MD, ArrayEngine.EXTERNAL, ArrayEngine.LVM, ArrayEngine.ZFS])
@pytest.mark.parametrize("claimed", ["volume", "array", "array that is up", "array beside one that is up"])
def test_a_volume_group_that_is_not_ours_is_not_served(claimed: str, engine: ArrayEngine) -> None:
    """Whether the volume alone is said to lie there, or the whole array, one of ours that runs already too."""
    machine, desired = serving_desired()
    honest = ExportSet.model_validate(desired | {"generation": 0})
    disk = machine.add_disks(1)[0]
    machine.run(["vgcreate", "-y", OTHERS, f"/dev/{disk.kernel_name}"])
    machine.run(["lvcreate", "-y", "--name", "root", "--size", "64m", OTHERS])
    if engine is ArrayEngine.EXTERNAL:
        desired["arrays"][0]["members"] = [one.id for one in observe_disks(machine) if one.serial == disk.serial]
    desired["arrays"][0]["engine"] = engine.value
    if claimed != "volume":
        desired["arrays"][0]["group"] = OTHERS
    for one in desired["volumes"]:
        one |= {"group": OTHERS, "device": f"/dev/{OTHERS}/root", "adopted": None}
    system_port = Recorder(machine)
    agent = Agent(typing.cast(Any, system_port), patience_s=PATIENT_S)
    if claimed.endswith("up"):  # under new ids, for what is served under the old ones stays
        report = agent.converge(honest)
        assert {one.state for one in report.volumes} == {ServingState.OPEN}, report.volumes
        ours, theirs = f"{APPLIANCE}.000000", f"{APPLIANCE}.000001"
        words = json.dumps(desired).replace(id_of(0)[:-2], id_of(256)[:-2]).replace(ours, theirs)
        desired = json.loads(words)
        system_port.paths.clear()
    if claimed == "array beside one that is up":
        desired["arrays"] = [honest.arrays[0].model_dump(mode="json"), *desired["arrays"]]
    agent.converge(ExportSet.model_validate(desired))
    agent.bring_up()
    report = agent.converge(ExportSet.model_validate(desired | {"generation": 2}))
    assert {one.volume_id for one in report.volumes} >= {one["volume_id"] for one in desired["volumes"]}
    served = {one.volume_id for one in honest.volumes} if claimed.endswith("up") else set()
    assert {one.volume_id for one in report.volumes if one.state is ServingState.OPEN} == served, report.volumes
    assert not any(OTHERS in word for word in system_port.words if word.startswith("/dev")), system_port.words
    assert not any(path.endswith("/udev_path") for path in system_port.paths)


@pytest.mark.parametrize("where", DESIRED, ids=lambda where: ".".join(map(str, where)))
def test_no_text_of_a_desired_state_leads_out_of_our_own_roots(where: tuple[str | int, ...]) -> None:
    machine, desired = serving_desired()
    system_port = Recorder(machine)
    agent = Agent(typing.cast(Any, system_port), patience_s=PATIENT_S)
    for generation, text in enumerate(HOSTILE, start=1):
        attack = {"kind": "converge", "wanted": with_text(desired, where, text) | {"generation": generation}}
        reply = answer(agent, json.dumps({"request": attack}).encode())
        if not (isinstance(reply, ProblemReply) and reply.type is ProblemType.MALFORMED):
            check_untouched(system_port, f"{'.'.join(map(str, where))} = {text[:60]!r}: {reply}")


@pytest.mark.parametrize(
    "where",
    [where for where in DESIRED if where[0] in ExportChange.model_fields],
    ids=lambda where: ".".join(map(str, where)),
)
def test_no_text_of_a_difference_leads_out_of_our_own_roots(where: tuple[str | int, ...]) -> None:
    machine, desired = serving_desired()
    system_port = Recorder(machine)
    agent = Agent(typing.cast(Any, system_port), patience_s=PATIENT_S)
    assert agent.converge(ExportSet.model_validate(desired)).accepted
    base = desired
    for generation, text in enumerate(HOSTILE, start=desired["generation"] + 1):
        attack = with_text(desired, where, text) | {"generation": generation}
        reply = answer(agent, json.dumps({"request": difference_to(base, attack)}).encode())
        if not (isinstance(reply, ProblemReply) and reply.type is ProblemType.MALFORMED):
            base = attack
            check_untouched(system_port, f"{'.'.join(map(str, where))} = {text[:60]!r}: {reply}")


@pytest.mark.parametrize("first", ["new", "known", "mapped"])
def test_a_difference_serves_no_volume_of_a_group_that_is_not_ours(first: str) -> None:
    """Whatever the agent knew of the volume before."""
    machine, desired = serving_desired()
    disk = machine.add_disks(1)[0]
    machine.run(["vgcreate", "-y", OTHERS, f"/dev/{disk.kernel_name}"])
    machine.run(["lvcreate", "-y", "--name", "root", "--size", "64m", OTHERS])
    system_port = Recorder(machine)
    agent = Agent(typing.cast(Any, system_port), patience_s=PATIENT_S)
    desired |= {"subsystems": [], "volumes": [one | {"adopted": None} for one in desired["volumes"]]}
    honest = dict(desired)
    if first != "mapped":
        honest["targets"] = desired["targets"][1:]
    if first == "new":
        honest["volumes"] = desired["volumes"][1:]
    assert agent.converge(ExportSet.model_validate(honest)).accepted
    system_port.paths.clear()
    system_port.words.clear()
    foreign = {"group": OTHERS, "device": f"/dev/{OTHERS}/root"}
    attack = desired | {
        "generation": desired["generation"] + 1,
        "volumes": [one | foreign for one in desired["volumes"]],
    }
    answer(agent, json.dumps({"request": difference_to(honest, attack)}).encode())
    agent.converge(ExportSet.model_validate(attack))
    assert not any(OTHERS in word for word in system_port.words if "/dev/" in word), system_port.words


def check_untouched(system_port: Recorder, reported: str) -> None:
    """That nothing hostile came through, and nothing that is not ours was changed."""
    assert not any(mark in word for word in system_port.words for mark in MARKS), reported
    assert not any(".." in path.split("/") for path in system_port.paths), reported
    assert not any(mark in path for path in system_port.paths for mark in MARKS), reported
    assert all(path.startswith(OURS) for path in system_port.paths), (reported, system_port.paths)


@pytest.mark.parametrize("name", CASES)
def test_no_text_of_a_request_leads_out_of_our_own_roots(name: str) -> None:
    for where in leaves(CASES[name]):
        agent, system_port = fresh()
        for text in HOSTILE:
            system_port.paths.clear()
            system_port.words.clear()
            attack = {"request": with_text(CASES[name], where, text)}
            reply = answer(agent, json.dumps(attack).encode())
            if not (isinstance(reply, ProblemReply) and reply.type is ProblemType.MALFORMED):
                check_untouched(system_port, f"{name}: {'.'.join(map(str, where))} = {text[:60]!r}: {reply}")


@pytest.mark.parametrize("where", IN_LUNS, ids=lambda where: ".".join(map(str, where)))
def test_no_text_of_a_difference_in_luns_leads_out_of_our_own_roots(where: tuple[str | int, ...]) -> None:
    machine, desired = serving_desired()
    system_port = Recorder(machine)
    agent = Agent(typing.cast(Any, system_port), patience_s=PATIENT_S)
    assert agent.converge(ExportSet.model_validate(desired)).accepted
    asked = difference_in_luns(desired)
    for text in HOSTILE:
        change = with_text(asked["change"], where, text) | {"generation": asked["base"] + 1}
        reply = answer(agent, json.dumps({"request": asked | {"change": change}}).encode())
        if not (isinstance(reply, ProblemReply) and reply.type is ProblemType.MALFORMED):
            asked["base"] += 1
            check_untouched(system_port, f"{'.'.join(map(str, where))} = {text[:60]!r}: {reply}")
