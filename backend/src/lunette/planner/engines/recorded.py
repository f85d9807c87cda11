"""Names as recorded, in steps that are planned with the names Lunette gives: adopted objects keep their own."""

from collections.abc import Sequence

from lunette.domain.steps import AnyStep, GroupErase, GroupRemove, MdDestroy, VolumeAside, VolumeDelete, VolumeGrow


def of_volume(steps: Sequence[AnyStep], backing_name: str) -> tuple[AnyStep, ...]:
    """Steps on one volume in its place. Without a name they stay unchanged."""
    return tuple(
        step.model_copy(update={"backing_name": backing_name})
        if backing_name and isinstance(step, VolumeAside | VolumeDelete | VolumeGrow)
        else step
        for step in steps
    )


def of_array(steps: Sequence[AnyStep], group: str, md_name: str) -> tuple[AnyStep, ...]:
    """Steps that destroy an array with its volume group."""
    return tuple(_of_array(step, group, md_name) for step in steps)


def _of_array(step: AnyStep, group: str, md_name: str) -> AnyStep:
    if isinstance(step, GroupRemove | GroupErase) and group:
        return step.model_copy(update={"group": group})
    if isinstance(step, MdDestroy) and md_name:
        return step.model_copy(update={"md_name": md_name})
    return step
