"""A server that is set up by a play gets what the image has: one list of packages, units and settings for both."""

import tarfile
from pathlib import Path

from lunette_image.apt import packages, parse_packages
from lunette_image.bundle import _pack_files, manifest
from lunette_image.rootfs import Sources

IMAGE = Path(__file__).resolve().parents[1]


def test_what_a_server_needs_is_in_the_image_too() -> None:
    said = manifest(IMAGE, "1.0-0")
    assert set(said["packages"]) < set(packages(IMAGE))
    assert {"mdadm", "lvm2", "python3"} <= set(said["packages"])
    assert "linux-image-amd64" not in said["packages"], "a server that runs has its kernel"
    assert "zfs-dkms" not in packages(IMAGE), "the image carries no compiler"
    assert "zfsutils-linux" in said["zfs_packages"]


def test_units_that_are_enabled_are_those_of_the_image_and_exist() -> None:
    units = manifest(IMAGE, "1.0-0")["units"]
    ours = {path.name for path in (IMAGE / "server/usr/lib/systemd/system").iterdir()}
    trial = {"lunette-network-revert.timer", "lunette-network-revert.service"}
    assert ours - set(units) == trial | {"lunette-spdk.service"}, "these are started by the agent"
    assert "systemd-networkd.service" not in units, "the network of a server is its own"


def test_nothing_is_in_both_trees_and_a_bare_image_has_none_of_ours() -> None:
    trees = [
        {path.relative_to(tree) for path in tree.rglob("*") if not path.is_dir()}
        for tree in (IMAGE / "server", IMAGE / "appliance")
    ]
    assert trees[0] & trees[1] == set()
    assert Sources(IMAGE, None, None, bare=True).overlays() == [IMAGE / "appliance"]
    assert not [path for path in trees[1] if path.name.startswith("lunette-") and path.suffix == ".service"]


def test_settings_are_packed_with_their_links_and_without_folders(tmp_path: Path) -> None:
    _pack_files(IMAGE / "server", tmp_path / "system.tar.gz")
    with tarfile.open(tmp_path / "system.tar.gz") as packed:
        entries = {entry.name: entry for entry in packed}
    assert entries["etc/systemd/system/multipathd.service"].linkname == "/dev/null"
    assert not [entry for entry in entries.values() if entry.isdir()], "/etc keeps its own permissions"
    assert {entry.uid for entry in entries.values()} == {0}
    assert {f"/{name}" for name in entries} == set(manifest(IMAGE, "1.0-0")["files"])
    assert {"/etc/lvm/devices/system.devices"} == set(manifest(IMAGE, "1.0-0")["kept"])


def test_what_is_left_out_in_addition_to_others_is_all_that_masks_and_replaces() -> None:
    said = manifest(IMAGE, "1.0-0")
    alone, server = set(said["alone"]), IMAGE / "server"
    assert {name for name in said["files"] if (server / name[1:]).is_symlink() and name.startswith("/etc")} <= alone
    assert {"/etc/mdadm/mdadm.conf", "/etc/lvm/lvmlocal.conf", "/etc/udev/rules.d/64-md-raid-assembly.rules"} <= alone
    assert set(said["kept"]) <= alone, "an empty list of devices would hide every volume group"
    assert "/etc/modprobe.d/lunette.conf" in alone, "a port of an HBA may lead to disks of the server"
    assert "/usr/lib/sysctl.d/60-lunette.conf" in alone, "hosts are connected"
    others = set(said["files"]) - alone
    assert all("lunette" in name for name in others), "whatever else is put there may be somebody's"


def test_sections_of_the_list_are_the_known_ones() -> None:
    assert set(parse_packages((IMAGE / "packages.txt").read_text())) == {
        "image",
        "server",
        "zfs",
        "zfs modules",
        "firmware",
    }
