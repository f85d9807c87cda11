"""The deadline of a host or a group in a document: set, left alone where it is left out, taken away by null."""

from typing import Any

from backend.tests.engine.test_site import applied, ask, there, world
from backend.tests.faults.world import ACTOR, World
from lunette.domain.hosts import HostCreate, HostGroupCreate
from lunette.domain.site import Site
from lunette.engine.changes import host_groups, hosts

__all__ = ["world"]
FIELD = "opens_without_missing_after_s"


def test_a_deadline_is_set_left_alone_and_taken_away(world: World) -> None:
    world.do(lambda tx: hosts.create(world.control.change(tx, ACTOR), HostCreate(name="h1")))
    world.do(lambda tx: host_groups.create(world.control.change(tx, ACTOR), HostGroupCreate(name="g")))
    specs: dict[str, Any] = {"hosts": [{"name": "h1"}], "host_groups": [{"name": "g"}]}
    for value in (300, None):
        named = {section: [{**entry[0], FIELD: value}] for section, entry in specs.items()}
        applied(world, Site.model_validate(named))
        assert {key: entry[FIELD] for key, entry in there(world).items()} == {"host/h1": value, "host-group/g": value}
        assert ask(world, Site.model_validate(specs)).job_id is None, "what is left out stays as it is"
