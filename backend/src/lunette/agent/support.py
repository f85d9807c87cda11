"""Collects logs, settings, kernel and hardware details for remote support, and no secrets.

Everything is only read. Attributes with secrets are omitted (configfs), and secrets of the boot ledger are removed from
all text. What cannot be read is noted in its place; a single failure never spoils the rest.
"""

from collections.abc import Callable, Iterator
from functools import partial

from pydantic import SecretStr

from lunette.domain.base import Model
from lunette.domain.errors import LunetteError
from lunette.domain.exports import ExportSet
from lunette.domain.support import SupportFacts, SupportFile
from lunette.system.system_port import System

TIMEOUT_S = 20.0
TEXT_CHARS = 1024 * 1024
LOG_CHARS = 8 * TEXT_CHARS
ALL_CHARS = 40 * TEXT_CHARS
"""All of it is sent in one message (agent_protocol.MAX_MESSAGE_BYTES), in which a character may need more than a
byte.
"""
STRUCK = "(secret)"
_ANY_CODE = tuple(range(256))
_JOURNAL = ("journalctl", "--no-pager", "--output=short-iso-precise", "--lines=40000")
_COMMANDS = {
    "logs/lunette.txt": (*_JOURNAL, "--unit=lunette-*", "--since=-14days"),
    "logs/kernel.txt": (*_JOURNAL, "--dmesg", "--boot=0"),
    "logs/kernel-of-the-boot-before.txt": (*_JOURNAL, "--dmesg", "--boot=-1"),
    "logs/warnings.txt": (*_JOURNAL, "--priority=warning", "--since=-14days"),
    "system/kernel.txt": ("uname", "--all"),
    "system/modules.txt": ("lsmod",),
    "system/packages.txt": ("dpkg-query", "--show"),
    "system/units.txt": ("systemctl", "--no-pager", "--full", "--all", "list-units"),
    "system/failed.txt": ("systemctl", "--no-pager", "--full", "--failed", "status"),
    "hardware/cpu.txt": ("lscpu",),
    "hardware/pci.txt": ("lspci", "-nnk"),
    "hardware/nvme.json": ("nvme", "list", "--output-format=json"),
    "network/addresses.txt": ("ip", "-details", "-statistics", "address"),
    "network/routes.txt": ("ip", "route", "show", "table", "all"),
    "network/rules.txt": ("ip", "rule"),
    "network/firewall.txt": ("nft", "list", "ruleset"),
    "network/sockets.txt": ("ss", "--all", "--numeric", "--tcp", "--udp"),
    "network/rdma.txt": ("rdma", "link", "show"),
    "disks/lsblk.json": ("lsblk", "--json", "--bytes", "--output-all"),
    "arrays/zpool-status.txt": ("zpool", "status", "-v"),
    "arrays/zpool-list.txt": ("zpool", "list", "-v"),
    "volumes/pvs.txt": ("pvs", "--all", "--options", "+pv_uuid,dev_size,pv_tags"),
    "volumes/vgs.txt": ("vgs", "--options", "+vg_uuid,vg_tags,vg_extent_size,vg_free_count"),
    "volumes/lvs.txt": ("lvs", "--all", "--options", "+lv_uuid,lv_tags,devices,data_percent,metadata_percent"),
    "volumes/zfs.txt": ("zfs", "list", "-t", "all", "-o", "space"),
}
_FILES = {
    "system/command-line.txt": "/proc/cmdline",
    "system/release.txt": "/etc/os-release",
    "system/load.txt": "/proc/loadavg",
    "system/pressure-of-memory.txt": "/proc/pressure/memory",
    "system/pressure-of-io.txt": "/proc/pressure/io",
    "hardware/memory.txt": "/proc/meminfo",
    "hardware/interrupts.txt": "/proc/interrupts",
    "arrays/mdstat.txt": "/proc/mdstat",
    "arrays/arcstats.txt": "/proc/spl/kstat/zfs/arcstats",
    "volumes/devices-file.txt": "/etc/lvm/devices/system.devices",
}
_TREES = {"exports/target.txt": "/sys/kernel/config/target", "exports/nvmet.txt": "/sys/kernel/config/nvmet"}
_SECRET_ATTRIBUTES = frozenset({"password", "password_mutual", "dhchap_key", "dhchap_ctrl_key"})
_LEFT_OUT_FOLDERS = frozenset({"statistics"})
"""Counters: the metrics contain them, and at 3,000 exports reading them all takes minutes."""


def take(system: System, served: ExportSet | None) -> SupportFacts:
    """Reads everything. Never raises for what a machine lacks."""
    secrets = sorted(set(_secrets(served)), key=len, reverse=True) if served else []
    left, files = ALL_CHARS, []
    for name, read in _sources(system):
        limit = min(left, LOG_CHARS if name.startswith("logs/") else TEXT_CHARS)
        text = _cut(_strike(_readable(read), secrets), limit)
        left -= len(text)
        files.append(SupportFile(name=name, text=text))
    return SupportFacts(files=tuple(files))


def _sources(system: System) -> Iterator[tuple[str, Callable[[], str]]]:
    for name, argv in _COMMANDS.items():
        yield name, partial(_ran, system, argv)
    for kernel_name in (name for name in system.listdir("/sys/block") if name.startswith("md")):
        yield f"arrays/{kernel_name}.txt", partial(_ran, system, ("mdadm", "--detail", f"/dev/{kernel_name}"))
    for name, path in _FILES.items():
        yield name, partial(system.read, path)
    for name, path in _TREES.items():
        yield name, partial(_text_of_tree, system, path)


def _ran(system: System, argv: tuple[str, ...]) -> str:
    found = system.run(argv, timeout_s=TIMEOUT_S, ok=_ANY_CODE)
    reported = f"$ {' '.join(argv)}\n{found.stdout}{found.stderr}"
    return reported if found.returncode == 0 else f"{reported}\n[exit {found.returncode}]\n"


def _readable(read: Callable[[], str]) -> str:
    try:
        return read()
    except LunetteError as error:
        return f"not read: {error.detail}\n"
    except OSError as error:
        return f"not read: {error.strerror or error}\n"


def _text_of_tree(system: System, folder: str) -> str:
    return "".join(f"{line}\n" for line in _tree(system, folder))


def _tree(system: System, folder: str) -> Iterator[str]:
    """A line for each attribute and link below a directory of configfs, without secrets."""
    names = system.listdir(folder)
    if not names and not system.is_dir(folder):
        yield f"{folder} does not exist: its kernel module is not loaded"
    for name in names:
        path = f"{folder}/{name}"
        target = _link_target(system, path)
        if target is not None:
            yield f"{path} -> {target}"
        elif system.is_dir(path):
            if name not in _LEFT_OUT_FOLDERS:
                yield from _tree(system, path)
        elif name in _SECRET_ATTRIBUTES:
            yield f"{path} = {STRUCK}"
        else:
            yield f"{path} = {_readable(partial(system.read, path)).strip()}"


def _link_target(system: System, path: str) -> str | None:
    try:
        return system.readlink(path)
    except OSError:
        return None


def _cut(text: str, limit: int) -> str:
    """The end of a text: the newest part of a log says most."""
    return text if len(text) <= limit else f"[the first {len(text) - limit} characters are omitted]\n{text[-limit:]}"


def _strike(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, STRUCK)
    return text


def _secrets(found: object) -> Iterator[str]:
    """Every secret in a model, at any depth."""
    if isinstance(found, SecretStr):
        yield found.get_secret_value()
    elif isinstance(found, Model):
        for name in type(found).model_fields:
            yield from _secrets(getattr(found, name))
    elif isinstance(found, tuple | list):
        for item in found:
            yield from _secrets(item)
    elif isinstance(found, dict):
        for item in found.values():
            yield from _secrets(item)
