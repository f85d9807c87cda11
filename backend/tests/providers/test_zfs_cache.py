"""How much memory the cache of ZFS may have."""

import pytest

from backend.tests.providers.test_zfs_steps import Farm
from lunette.domain.sizes import GIB
from lunette.providers.arrays.zfs.module import CACHE_LIMIT, most_cache


@pytest.fixture
def farm() -> Farm:
    return Farm()


@pytest.mark.parametrize(
    ("memory_gib", "cache_gib"), [(1, 0.25), (4, 2.0), (8, 6.0), (16, 12.0), (512, 384.0)], ids=str
)
def test_the_cache_leaves_a_quarter_of_the_memory_and_2_gib_to_what_serves_hosts(
    memory_gib: int, cache_gib: float
) -> None:
    assert most_cache(memory_gib * GIB) == cache_gib * GIB


def test_the_cache_is_limited_before_a_pool_is_there_and_after_every_start(farm: Farm) -> None:
    calls = [f"{call.name} {call.detail}" for call in farm.machine.faults.calls]
    limited = next(number for number, call in enumerate(calls) if call.startswith(f"write {CACHE_LIMIT}"))
    assert limited < next(number for number, call in enumerate(calls) if call.startswith("run zpool create"))
    farm.machine.power_cut()
    assert farm.bring_up() is None
    assert int(farm.machine.read(CACHE_LIMIT)) == most_cache(farm.machine.memory_bytes)


def test_a_pool_that_ran_before_the_agent_gets_the_limit_too(farm: Farm) -> None:
    farm.machine.zfs.arc_max = 0
    farm.machine.changed()
    assert farm.bring_up() is None
    assert int(farm.machine.read(CACHE_LIMIT)) == most_cache(farm.machine.memory_bytes)


def test_a_limit_that_an_administrator_chose_stays(farm: Farm) -> None:
    farm.machine.zfs.arc_max_option = 3 * GIB
    farm.machine.power_cut()
    assert farm.bring_up() is None
    assert int(farm.machine.read(CACHE_LIMIT)) == 3 * GIB
