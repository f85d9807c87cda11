from backend.tests.recorded import recorded
from lunette.providers.volumes.lvm import parse

GROUP = "lunette-c4ca4238a0b9"


def test_an_empty_group_is_listed() -> None:
    (group,) = parse.groups(recorded("lvm-2.03.31/vgs-empty.json"), recorded("lvm-2.03.31/lvs-empty.json"))
    assert group.name == GROUP
    assert group.volumes == ()
    assert group.free_bytes == group.size_bytes
    assert group.extent_bytes == 4 * 1024**2


def test_volumes_carry_their_id_their_seal_and_whether_they_are_open() -> None:
    found = parse.groups(recorded("lvm-2.03.31/vgs.json"), recorded("lvm-2.03.31/lvs.json"))
    pools, volumes = parse.observed(found)
    assert pools[0].array_uuid == "c81e728d9d4c2f636f067f89cc14862c"
    assert pools[0].ours
    by_name = {volume.name: volume for volume in volumes}
    sealed, fresh, foreign = by_name["vd3d9446802a4"], by_name["v6512bd43d9ca"], by_name["foreign"]
    assert (sealed.sealed, sealed.open, sealed.active) == (True, True, True)
    assert sealed.volume_id == "d3d94468-02a4-4259-755d-38e6d163e820"
    assert sealed.device == f"/dev/{GROUP}/vd3d9446802a4"
    assert sealed.size_bytes == 64 * 1024**2
    assert (fresh.sealed, fresh.open) == (False, False)
    assert (foreign.volume_id, foreign.active, foreign.open) == (None, False, False)


def test_the_group_on_a_device_is_known_with_its_tags() -> None:
    (found,) = parse.physical_volumes(recorded("lvm-2.03.31/pvs.json"))
    assert found.device == "/dev/md127"
    assert found.group == GROUP
    assert parse.tagged(found.tags, "lunette.array") == "c81e728d9d4c2f636f067f89cc14862c"


def test_a_creation_cut_short_is_told_from_damaged_metadata() -> None:
    headers = recorded("lvm-2.03.31/pvck-headers-cut-short.txt")
    assert parse.is_bare(headers)
    assert not parse.is_bare(headers.replace("raw_locn[0].offset 0", "raw_locn[0].offset 4608"))
    assert not parse.is_bare("")
