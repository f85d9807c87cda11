"""Which Debian package brings a tool: the way out that an Unavailable error names."""

PACKAGES = {
    "blkid": "util-linux",
    "blockdev": "util-linux",
    "cryptsetup": "cryptsetup-bin",
    "dmsetup": "dmsetup",
    "hdparm": "hdparm",
    "ip": "iproute2",
    "lsblk": "util-linux",
    "lvchange": "lvm2",
    "lvconvert": "lvm2",
    "lvcreate": "lvm2",
    "lvextend": "lvm2",
    "lvm": "lvm2",
    "lvremove": "lvm2",
    "lvrename": "lvm2",
    "lvs": "lvm2",
    "mdadm": "mdadm",
    "modprobe": "kmod",
    "nft": "nftables",
    "nvme": "nvme-cli",
    "ping": "iputils-ping",
    "pvck": "lvm2",
    "pvcreate": "lvm2",
    "pvremove": "lvm2",
    "pvs": "lvm2",
    "sg_inq": "sg3-utils",
    "sg_opcodes": "sg3-utils",
    "sg_requests": "sg3-utils",
    "sg_sanitize": "sg3-utils",
    "smartctl": "smartmontools",
    "ss": "iproute2",
    "thin_check": "thin-provisioning-tools",
    "udevadm": "udev",
    "vgchange": "lvm2",
    "vgcreate": "lvm2",
    "vgextend": "lvm2",
    "vgreduce": "lvm2",
    "vgremove": "lvm2",
    "vgs": "lvm2",
    "wipefs": "util-linux",
    "zfs": "zfsutils-linux",
    "zpool": "zfsutils-linux",
}
SEARCH_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


def missing_tool(name: str) -> str:
    """Message about a tool that is not installed."""
    package = PACKAGES.get(name)
    return f"{name} is not installed" + (f": install the Debian package {package}" if package else "")
