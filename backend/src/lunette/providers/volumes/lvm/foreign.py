"""Foreign volume groups, as shown for an adoption."""

from lunette.domain.adopting import ForeignGroup, ForeignVolume
from lunette.providers.volumes.lvm import parse
from lunette.providers.volumes.lvm.plan import TAG


def described(group: parse.Group, arrays: tuple[str, ...], md_name: str, *, is_listed: bool = True) -> ForeignGroup:
    """A volume group with the UUIDs of the arrays below it."""
    return ForeignGroup(
        name=group.name,
        uuid=group.uuid,
        extent_bytes=group.extent_bytes,
        devices=group.devices,
        arrays=arrays,
        engine_name=md_name,
        size_bytes=group.size_bytes,
        free_bytes=group.free_bytes,
        closed=group.closed,
        is_listed=is_listed,
        marked_for=parse.tagged(group.tags, "lunette.array") if TAG in group.tags else None,
        volumes=tuple(
            ForeignVolume(
                name=one.name,
                size_bytes=one.size_bytes,
                is_open=one.open,
                is_ours=TAG in one.tags,
                is_plain=one.is_plain,
            )
            for one in group.volumes
        ),
    )
