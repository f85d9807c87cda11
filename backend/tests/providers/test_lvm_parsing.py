import json

from backend.tests.recorded import recorded
from lunette.providers.volumes.lvm import parse

MIB = 1024**2
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


def test_a_thin_pool_is_not_a_volume_and_reports_its_usage() -> None:
    found = parse.groups(recorded("lvm-2.03.31/vgs.json"), recorded("lvm-2.03.31/lvs.json"))
    pools, volumes = parse.observed(found)
    thin = pools[0].thin
    assert thin
    assert (thin.name, thin.size_bytes, thin.metadata_bytes, thin.volumes) == ("pool", 128 * MIB, 8 * MIB, 3)
    assert thin.used_bytes == int(128 * MIB * 28.12 / 100)
    assert thin.metadata_used_bytes == int(8 * MIB * 11.18 / 100)
    by_name = {volume.name: volume for volume in volumes}
    assert "pool" not in by_name
    assert (by_name["s1"].snapshot_id, by_name["s1"].active, by_name["s1"].used_bytes) == ("aaaa", False, None)
    assert by_name["v6512bd43d9ca"].used_bytes == int(256 * MIB * 9.38 / 100)
    assert by_name["vd3d9446802a4"].used_bytes is None


def test_a_full_pool_is_full() -> None:
    found = parse.groups(recorded("lvm-2.03.31/vgs.json"), recorded("lvm-2.03.31/lvs-pool-full.json"))
    (pool,), _ = parse.observed(found)
    assert pool.thin
    assert pool.thin.used_bytes == pool.thin.size_bytes


def test_one_report_gives_a_group_with_its_thin_volumes() -> None:
    group = parse.group_of_volumes(recorded("lvm-2.03.31/vgs-with-volumes.json"))
    assert group
    assert group.count == len(group.volumes) == 6
    assert [volume.name for volume in group.in_pool("pool")] == ["v6512bd43d9ca", "s1", "vclone"]


def test_the_group_on_a_device_is_known_with_its_tags() -> None:
    (found,) = parse.physical_volumes(recorded("lvm-2.03.31/pvs.json"))
    assert found.device == "/dev/md127"
    assert found.group == GROUP
    assert parse.tagged(found.tags, "lunette.array") == "c81e728d9d4c2f636f067f89cc14862c"


def test_a_creation_cut_short_is_reported_from_damaged_metadata() -> None:
    headers = recorded("lvm-2.03.31/pvck-headers-cut-short.txt")
    assert parse.is_bare(headers)
    assert not parse.is_bare(headers.replace("raw_locn[0].offset 0", "raw_locn[0].offset 4608"))
    assert not parse.is_bare("")


def test_a_group_that_is_its_owners_alone_is_reported_with_what_frees_it() -> None:
    vgs, lvs = recorded("lvm-2.03.31/vgs.json"), recorded("lvm-2.03.31/lvs.json")
    reported = {
        (("vg_exported", 1),): "vgimport",
        (("vg_systemid", "other"),): "belongs to the system other",
        (("vg_lock_type", "sanlock"),): "share it with locks (sanlock)",
        (("vg_exported", 0), ("vg_systemid", ""), ("vg_lock_type", "none")): None,
        (): None,
    }
    for fields, words in reported.items():
        document = json.loads(vgs)
        document["report"][0]["vg"][0].update(fields)
        closed = parse.groups(json.dumps(document), lvs)[0].closed
        assert (closed is None) if words is None else (words in (closed or "")), fields


def test_a_volume_is_plain_that_leans_on_nothing_and_on_which_nothing_leans() -> None:
    vgs, lvs = recorded("lvm-2.03.31/vgs.json"), recorded("lvm-2.03.31/lvs.json")
    shapes = {
        (("linear",), ("public",)): True,
        (("striped",), ("public",)): True,
        (("linear",), ("public", "snapshot", "thicksnapshot")): False,
        (("linear",), ("public", "origin", "thickorigin", "multithickorigin")): False,
        (("thin", "sparse"), ("public",)): False,
        (("raid", "raid1"), ("public",)): False,
        (("cache",), ("public",)): False,
    }
    for (layout, role), plain in shapes.items():
        document = json.loads(lvs)
        document["report"][0]["lv"] = [
            {**document["report"][0]["lv"][0], "lv_layout": list(layout), "lv_role": list(role), "pool_lv": ""}
        ]
        (volume,) = parse.groups(vgs, json.dumps(document))[0].volumes
        assert volume.is_plain is plain, (layout, role)
