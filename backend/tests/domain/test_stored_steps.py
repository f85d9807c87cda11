"""The journal and the plans of jobs hold steps for as long as their jobs are retained, so the names under which the
fields of a step are stored stay, whatever a field is called in the code.

A version that an update falls back to reads the same rows, so a new name is no way out even with a migration.
LUNETTE_GOLDEN=write adds what is new.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from lunette.domain.base import Model
from lunette.domain.steps import AnyStep, GroupCreate, SealedVolume, VolumesSeal
from lunette.domain.volumes import VolumeEngine

GOLDEN = Path(__file__).parent.parent / "golden" / "stored-steps.json"
STEPS: tuple[type[Model], ...] = get_args(get_args(AnyStep)[0])


def _classes(annotation: object) -> list[type[Model]]:
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return [annotation]
    return [inner for part in get_args(annotation) for inner in _classes(part)]


def _stored(model: type[Model]) -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        stored = field.serialization_alias or field.alias or name
        yield stored, "required" if field.is_required() else "optional"
        for inner in _classes(field.annotation):
            yield from ((f"{stored}.{below}", need) for below, need in _stored(inner))


def now() -> dict[str, dict[str, str]]:
    """The stored names of every step, by its kind; those of the models in its fields behind a dot."""
    return {kind: dict(_stored(step)) for kind, step in sorted((s.model_fields["kind"].default, s) for s in STEPS)}


def test_what_a_step_is_stored_as_stays() -> None:
    before: dict[str, dict[str, str]] = json.loads(GOLDEN.read_text())
    today = now()
    gone = {f"{kind}: {name}" for kind, names in before.items() for name in names if name not in today.get(kind, {})}
    assert not gone, "older rows of the journal can no longer be read. Give the field its stored name as an alias"
    needed = {
        f"{kind}: {name}"
        for kind, names in today.items()
        if kind in before
        for name, need in names.items()
        if need == "required" and name not in before[kind]
    }
    assert not needed, "older rows of the journal lack this field. Give it a default"
    if os.environ.get("LUNETTE_GOLDEN") == "write":
        GOLDEN.write_text(json.dumps(today, indent=1) + "\n")
    assert today == json.loads(GOLDEN.read_text()), "LUNETTE_GOLDEN=write pytest backend/tests/domain adds what is new"


@pytest.mark.parametrize("uuid", ["md_uuid", "array_uuid"])
@pytest.mark.parametrize("name", ["lv_name", "backing_name"])
def test_a_step_is_read_by_its_stored_name_and_by_its_name_in_code(uuid: str, name: str) -> None:
    group = {"array_id": "a1", uuid: "0" * 32, "group": "g1", "extent_bytes": 4096}
    made = GroupCreate.model_validate(group)
    assert made.array_uuid == "0" * 32
    assert "md_uuid" in made.model_dump(mode="json")
    sealed = VolumesSeal.model_validate(
        {"engine": "lvm", "group": "g1", "volumes": [{"volume_id": "v1", name: "v111"}]},
    )
    assert sealed == VolumesSeal(
        engine=VolumeEngine.LVM, group="g1", volumes=(SealedVolume(volume_id="v1", backing_name="v111"),)
    )
    assert sealed.model_dump(mode="json")["volumes"] == [{"volume_id": "v1", "lv_name": "v111"}]


def test_a_step_with_both_names_of_a_field_is_refused() -> None:
    """Which of the two is meant cannot be known."""
    both = {"array_id": "a1", "md_uuid": "0" * 32, "array_uuid": "1" * 32, "group": "g1", "extent_bytes": 4096}
    with pytest.raises(ValidationError, match="array_uuid"):
        GroupCreate.model_validate(both)
