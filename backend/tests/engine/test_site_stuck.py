"""Resources of a running or stuck job block a site document only if the document changes them."""

import pytest
from sqlalchemy import update

from backend.tests.engine.test_site import applied, ask, document, world
from backend.tests.faults.world import World
from lunette.domain.errors import Conflict
from lunette.store.resources import Array, Volume

__all__ = ["world"]


def test_a_stuck_volume_or_array_blocks_only_what_touches_it(world: World) -> None:
    applied(world, document(world))
    with world.store.write() as tx:
        tx.execute(update(Volume).where(Volume.name == "v1").values(state="stuck"))
    more = [{"name": "front", "address": "192.0.2.1"}, {"name": "other", "address": "192.0.2.1", "port": 3261}]
    volumes = [volume.model_dump(mode="json") for volume in document(world).volumes or ()]
    volumes[1] |= {"size_bytes": "128MiB"}
    plan = applied(world, document(world, portals=more, volumes=volumes))
    assert [change.name for change in plan.changes] == ["v2", "other"]
    for touched in ({"size_bytes": "128MiB"}, {"description": "new"}):
        with pytest.raises(Conflict, match="volume/v1 is stuck now"):
            ask(world, document(world, portals=more, volumes=[volumes[0] | touched, *volumes[1:]]))
    with pytest.raises(Conflict, match="v1 is stuck"):
        ask(world, document(world, portals=more, volumes=volumes, mappings=[{"volume": "v1", "host": "h2"}]))
    with world.store.write() as tx:
        tx.execute(update(Array).values(state="stuck"))
    with pytest.raises(Conflict, match="array tank is stuck"):
        ask(world, document(world, portals=more, volumes=[*volumes, {**volumes[1], "name": "v9"}]))
    assert ask(world, document(world, portals=more, volumes=volumes)).job_id is None
