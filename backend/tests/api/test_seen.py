"""The index of an observation is shared by requests, and never used for another observation.

A mapping is open only once the agent has it, even if its volume and the target of its host have long been open; a host
or a group is open once all of its mappings are.
"""

import gc
import weakref

from backend.tests.api.test_metrics import IQN, Serving, serving, standing
from backend.tests.scene import ADDRESS
from lunette.api.answers.seen import AWAY, Observed
from lunette.domain.exports import ConvergeReport, ServingState, TargetReport
from lunette.domain.mappings import Family
from lunette.domain.observations import Observation
from lunette.domain.volumes import ObservedVolume

__all__ = ["serving", "standing"]


def look(*ids: str) -> Observation:
    volumes = tuple(
        ObservedVolume(
            volume_id=one,
            group="g",
            name=one,
            device=f"/dev/g/{one}",
            size_bytes=1,
            active=True,
            open=False,
            sealed=True,
        )
        for one in ids
    )
    return Observation(
        taken_at=1.0, hostname="", kernel="", disks=(), arrays=(), groups=(), volumes=volumes, engines=(), addresses=()
    )


def report(*targets: TargetReport) -> ConvergeReport:
    return ConvergeReport(
        generation=1,
        accepted=True,
        refusal=None,
        changed=0,
        targets=targets,
        volumes=(),
        portals=(),
        unexplained=(),
        foreign=(),
    )


def test_the_index_is_that_of_the_requested_observation() -> None:
    first, second = look("a"), look("a", "b")
    assert Observed(first, None).volumes is Observed(first, None).volumes
    assert set(Observed(second, None).volumes) == {"a", "b"}
    assert set(Observed(first, None).volumes) == {"a"}
    assert Observed(None, None).volumes == {}


def test_the_index_does_not_keep_an_observation_in_memory() -> None:
    """At 10,000 volumes each has 15 MiB, and the next one may be indexed much later."""
    observation = look("a", "b")
    assert set(Observed(observation, None).volumes) == {"a", "b"}
    reference = weakref.ref(observation)
    del observation
    gc.collect()
    assert reference() is None
    assert set(Observed(look("c"), None).volumes) == {"c"}


def test_a_mapping_is_not_open_before_the_agent_has_it(serving: Serving) -> None:
    """Volume `data` is served to another host, and this host is served another volume: only their mapping is new."""
    api = serving.api
    second = f"{IQN}-2"
    api.made("/hosts", {"name": "second", "iqns": [second]})
    api.made("/volumes", {"name": "own", "array": "tank", "size_bytes": "64MiB"})
    own = api.made("/mappings", {"volume": "own", "host": "second"})
    api.until(lambda: api.get(f"/mappings/{own['id']}")["state"] == "open")
    target = api.get("/hosts/second")["target_iqn"]
    with serving.services.control.exports_held():
        made = api.made("/mappings", {"volume": "data", "host": "second", "shared": True})
        assert (made["state"], made["reason"]) == ("pending", "the agent has not applied it yet")
        assert {one["id"]: one["state"] for one in api.items("/mappings", host="second")} == {
            own["id"]: "open",
            made["id"]: "pending",
        }
        assert api.get("/volumes/data")["export"]["state"] == "open", "to the other host"
        assert api.get("/hosts/second")["export"] == {
            "state": "pending",
            "reason": "the agent has not applied 1 of 2 mappings yet",
        }, "its door is open, and yet it does not see all that is mapped to it"
        assert {one["name"]: one["export"]["state"] for one in api.items("/hosts", name="s*")} == {"second": "pending"}
        assert serving.machine.login(second, target, f"{ADDRESS}:3260").luns.keys() == {1}
    api.until(lambda: api.get(f"/mappings/{made['id']}")["state"] == "open")
    assert api.get("/hosts/second")["export"] == {"state": "open", "reason": None}
    assert serving.machine.login(second, target, f"{ADDRESS}:3260").luns.keys() == {1, 2}


def test_a_group_is_not_open_before_the_agent_has_all_its_mappings(serving: Serving) -> None:
    api = serving.api
    api.made("/hosts", {"name": "member", "iqns": [f"{IQN}-3"]})
    api.made("/host-groups", {"name": "cluster", "hosts": ["member"]})
    for name in ("one", "two"):
        api.made("/volumes", {"name": name, "array": "tank", "size_bytes": "64MiB"})
    first = api.made("/mappings", {"volume": "one", "host_group": "cluster"})
    api.until(lambda: api.get(f"/mappings/{first['id']}")["state"] == "open")
    assert api.get("/host-groups/cluster")["export"]["state"] == "open"
    with serving.services.control.exports_held():
        second = api.made("/mappings", {"volume": "two", "host_group": "cluster"})
        assert api.get("/host-groups/cluster")["export"]["state"] == "pending"
        assert api.get("/hosts/member")["export"]["state"] == "none", "nothing is mapped to the host itself"
    api.until(lambda: api.get(f"/mappings/{second['id']}")["state"] == "open")
    assert api.get("/host-groups/cluster")["export"]["state"] == "open"


def test_what_a_target_waits_for_is_reported_before_what_is_new() -> None:
    blocked = TargetReport(target_id="t", state=ServingState.BLOCKED, reason="waiting for array tank")
    seen = Observed(look("a"), report(blocked), frozenset({"m1"}))
    assert seen.owner_export("t", {Family.SCSI: ["m1", "m2"]}).reason == "waiting for array tank"
    assert Observed(None, report(), frozenset()).owner_export("t", {Family.SCSI: ["m1"]}) is AWAY
