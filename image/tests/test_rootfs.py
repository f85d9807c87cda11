"""What every machine has of its own does not come with the image."""

from pathlib import Path

from lunette_image.rootfs import forget_identity
from lunette_image.tree import linked_copy


def test_no_two_machines_share_an_identity_and_the_base_retains_its_files(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "etc").mkdir(parents=True)
    (base / "etc/hostid").write_bytes(bytes.fromhex("3cfda24e"))
    (base / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    (base / "etc/nvme").mkdir()
    for name in ("hostnqn", "hostid", "discovery.conf"):
        (base / "etc/nvme" / name).write_text("of the machine that built this\n")
    linked_copy(base, tmp_path / "root")
    forget_identity(tmp_path / "root")
    assert not (tmp_path / "root/etc/hostid").exists()
    assert (tmp_path / "root/etc/machine-id").read_text() == ""
    assert [path.name for path in (tmp_path / "root/etc/nvme").iterdir()] == ["discovery.conf"]
    assert (base / "etc/nvme/hostnqn").exists()
    assert (base / "etc/hostid").read_bytes().hex() == "3cfda24e"
    assert (base / "etc/machine-id").read_text().startswith("0123")
