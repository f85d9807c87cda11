"""A machine of nothing but files and what commands print, for readers of shapes that the fake machine never has."""

import json
import posixpath
from collections.abc import Mapping, Sequence
from typing import cast

from backend.tests.recorded import recorded
from lunette.domain.errors import ToolFailed
from lunette.system.system_port import CommandResult, System


class Tree:
    """`commands` goes from a whole command line to what it prints; any other command fails."""

    def __init__(self, files: Mapping[str, str], commands: Mapping[str, str] | None = None) -> None:
        self.files, self.commands = dict(files), dict(commands or {})

    @property
    def system(self) -> System:
        return cast("System", self)

    def read(self, path: str) -> str:
        if path not in self.files:
            raise FileNotFoundError(2, path)
        return self.files[path]

    def listdir(self, path: str) -> list[str]:
        return sorted({one[len(path) + 1 :].split("/")[0] for one in self.files if one.startswith(f"{path}/")})

    def is_dir(self, path: str) -> bool:
        return bool(self.listdir(path))

    def exists(self, path: str) -> bool:
        return path in self.files or self.is_dir(path)

    def realpath(self, path: str) -> str:
        return posixpath.normpath(path)

    def find_tool(self, name: str) -> str | None:
        return f"/usr/sbin/{name}"

    def run(self, argv: Sequence[str], **_: object) -> CommandResult:
        line = " ".join(argv)
        if line not in self.commands:
            raise ToolFailed("no such command here", log=line)
        return CommandResult(argv=tuple(argv), returncode=0, stdout=self.commands[line], stderr="")


def md_array(name: str, attributes: Mapping[str, str], members: Mapping[str, tuple[str, str]], **export: str) -> Tree:
    """One array in sysfs; `members` go from kernel name to slot and state, `export` is what mdadm tells of it."""
    base = f"/sys/block/{name}/md"
    files = {f"/sys/block/{name}/size": "4096\n"} | {f"{base}/{key}": f"{text}\n" for key, text in attributes.items()}
    for device, (slot, state) in members.items():
        at = f"{base}/dev-{device}"
        files |= {f"{at}/slot": f"{slot}\n", f"{at}/state": f"{state}\n", f"{at}/offset": "2048\n"}
    printed = "".join(f"{key}={text}\n" for key, text in export.items())
    return Tree(files, {f"mdadm --detail --export /dev/{name}": printed})


def recorded_array(name: str) -> Tree:
    """An array as a kernel showed it, with the output of `mdadm --detail --export`."""
    files = {
        f"/sys/block/md127/md/{key}": text for key, text in json.loads(recorded(f"linux-6.12/{name}.json")).items()
    }
    reported = {"mdadm --detail --export /dev/md127": recorded("mdadm-4.4/detail-export-raid5.txt")}
    return Tree(files | {"/sys/block/md127/size": "2072576\n"}, reported)


def joined(*trees: Tree) -> Tree:
    """All of them on one machine."""
    files = {path: text for tree in trees for path, text in tree.files.items()}
    return Tree(files, {line: text for tree in trees for line, text in tree.commands.items()})
