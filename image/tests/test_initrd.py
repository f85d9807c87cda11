"""The initrd's archive format and the order of its modules."""

from lunette_image.initrd import cpio_entry, load_order, parse_dependencies

MODULES_DEP = """\
kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko.xz kernel/fs/jbd2/jbd2.ko.xz
kernel/lib/crc16.ko.xz:
kernel/fs/jbd2/jbd2.ko.xz: kernel/lib/crc16.ko.xz
kernel/drivers/block/virtio_blk.ko.xz:
kernel/drivers/net/other-card.ko.xz:
"""


def test_a_module_comes_after_what_it_needs() -> None:
    order = load_order(("ext4", "virtio_blk", "built_in"), parse_dependencies(MODULES_DEP))
    assert [file.rsplit("/", 1)[1] for file in order] == [
        "crc16.ko.xz",
        "jbd2.ko.xz",
        "ext4.ko.xz",
        "virtio_blk.ko.xz",
    ]


def test_members_of_the_archive_are_aligned_and_carry_their_size() -> None:
    entry = cpio_entry(1, "init", 0o100755, b"12345")
    assert len(entry) % 4 == 0
    assert entry.startswith(b"070701")
    assert int(entry[54:62], 16) == 5
    assert int(entry[94:102], 16) == len("init") + 1
    assert entry[110:115] == b"init\0"
