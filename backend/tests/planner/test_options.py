"""The options that a level offers for a creation are exactly those that its engine accepts."""

import itertools
from typing import Any

import pytest

from backend.tests import seen
from lunette.domain.arrays import ArrayCreate, ArrayEngine, LevelCapability, MemberRole
from lunette.domain.sizes import KIB, MIB, TIB
from lunette.planner.engines.array_engines import ARRAY_ENGINES
from lunette.planner.engines.volume_engines import role_problems

ALWAYS = {"name", "engine", "level", "disks", "wipe"}
ELSEWHERE = {"health_command", "encryption", "passphrase", "keep_key"}
"""Judged by what the machine has: see test_external.py, and tests/api/test_encrypted_arrays.py."""
TAKEN_IN_SILENCE = {"write_hole", "sync_speed_min_bytes_s", "sync_speed_max_bytes_s"}
"""Accepted where there is nothing to choose: raid0 keeps a pace for nothing, the one policy there is may be named."""
CASES = [
    pytest.param(engine, facts, id=f"{engine.value}-{facts.level.value}")
    for engine, planning in ARRAY_ENGINES.items()
    for facts in planning.capability().levels
]


def value(field: str, facts: LevelCapability) -> Any:
    """Something no rule but "there is no such thing here" could refuse."""
    if field in {role.field for role in MemberRole}:
        return tuple(f"nvme-D{20 + n}" for n in range(4 if field == "special" else 1))
    return {
        "chunk_bytes": 64 * KIB,
        "layout": "n2",
        "write_hole": facts.write_hole[0],
        "skip_copy": True,
        "group_data_disks": 1,
        "distributed_spares": 1,
        "group_thread_cnt": 2,
        "stripe_cache_size": 256,
        "scheduler": "none",
        "write_mostly": ("nvme-D1",),
        "integrity": True,
        "spare_group": "shelf",
    }.get(field, MIB)


def refused(engine: ArrayEngine, facts: LevelCapability, field: str) -> bool:
    count = min(facts.min_disks + 1, facts.max_disks)
    data = tuple(f"nvme-D{n}" for n in range(1, count + 1))
    asked = {"name": "tank", "engine": engine, "level": facts.level, "disks": data}
    spec = ArrayCreate.model_validate({**asked, field: value(field, facts)})
    disks = [seen.disk(n, size_bytes=TIB) for n, _ in enumerate(itertools.chain(*spec.by_role().values()), 1)]
    problems = [*ARRAY_ENGINES[engine].problems(spec, disks), *role_problems(spec)]
    return any(problem.field.startswith(field) for problem in problems)


@pytest.mark.parametrize(("engine", "facts"), CASES)
def test_a_level_accepts_what_it_offers_and_refuses_what_it_does_not(
    engine: ArrayEngine, facts: LevelCapability
) -> None:
    fields = set(ArrayCreate.model_fields) - ALWAYS - ELSEWHERE
    accepted = {field for field in fields if not refused(engine, facts, field)}
    offered = set(facts.options) - ELSEWHERE
    assert offered <= accepted
    assert accepted - offered <= TAKEN_IN_SILENCE
    assert set(facts.options) <= set(ArrayCreate.model_fields)
