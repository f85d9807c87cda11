"""A kit as files of an archive: what to write, and one script that writes it and runs the commands."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from lunette.domain.hosts import OsType
from lunette.domain.kits import HostKit


@dataclass(frozen=True)
class Member:
    """One file of the archive; `path` is relative, `mode` as chmod expects it."""

    path: str
    mode: int
    content: str


def members(kit: HostKit) -> tuple[Member, ...]:
    """Everything in one directory with the name of the host."""
    folder = f"lunette-{kit.host}"
    found = [Member(f"{folder}/README.txt", 0o644, _readme(kit))]
    found += [Member(f"{folder}/files/{_place(one.path)}", int(one.mode, 8), one.content) for one in kit.files]
    if kit.commands:
        is_windows = kit.os_type is OsType.WINDOWS
        apply = ("apply.cmd", _batch(kit)) if is_windows else ("apply.sh", _shell(kit))
        found.append(Member(f"{folder}/{apply[0]}", 0o700, apply[1]))
    return tuple(found)


def _place(path: str) -> str:
    """A path on the host as a relative path: without drive and leading slash."""
    return path.replace("\\", "/").rpartition(":")[2].lstrip("/")


def _readme(kit: HostKit) -> str:
    apply = "apply.cmd" if kit.os_type is OsType.WINDOWS else "sh apply.sh"
    lines = [f"Setup kit of host {kit.host} ({kit.os_type.value}), created by its Lunette appliance.", ""]
    if kit.commands:
        lines += [
            f"Run `{apply}` as the superuser; it can be run repeatedly. It writes the files and performs these steps:",
            "",
        ]
        lines += [f"{number}. {one.purpose}\n   {one.run}" for number, one in enumerate(kit.commands, 1)]
    lines += ["", *(f"Files: {one.path}: {one.purpose}" for one in kit.files)]
    lines += ["", *(f"WARNING: {text}" for text in kit.warnings), *(f"Note: {text}" for text in kit.notes)]
    if kit.needs_secrets and not kit.has_secrets:
        lines += [
            "",
            "Secrets are not included: replace @LUNETTE-...@ with them, or download the kit with its secrets.",
        ]
    return "\n".join(lines) + "\n"


def _shell(kit: HostKit) -> str:
    """Files are written next to their destination and renamed, so that a crash leaves the old or the new file."""
    return "\n".join(["#!/bin/sh", "set -eu", 'cd "$(dirname "$0")"', "umask 077", *_writes(kit), *_runs(kit), ""])


def _writes(kit: HostKit) -> Iterator[str]:
    for one in kit.files:
        place, source = shlex.quote(one.path), shlex.quote(f"files/{_place(one.path)}")
        folder = shlex.quote(one.path.rpartition("/")[0])
        yield f"[ -d {folder} ] || {{ mkdir -p {folder} && chmod 0755 {folder}; }}"
        yield f"cp {source} {place}.new && chmod {one.mode} {place}.new && mv -f {place}.new {place}"


def _runs(kit: HostKit) -> Iterator[str]:
    for one in kit.commands:
        yield f"echo {shlex.quote('lunette: ' + one.purpose)}"
        run = f"{{ {one.run}\n}}"
        yield f"if ! {{ {one.unless}\n}} >/dev/null 2>&1; then {run}; fi" if one.unless else run


def _batch(kit: HostKit) -> str:
    lines = ["@echo off", 'cd /d "%~dp0"']
    for one in kit.files:
        source, folder = "files\\" + _place(one.path).replace("/", "\\"), one.path.rpartition("\\")[0]
        lines += [f'if not exist "{folder}" mkdir "{folder}"', f'copy /y "{source}" "{one.path}" >nul || exit /b 1']
    for each in kit.commands:
        lines += [f"echo {each.purpose}", f"{each.run} || exit /b 1"]
    return "\r\n".join([*lines, ""])
