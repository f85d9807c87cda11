"""`lunette host kit`: what a host needs for its volumes. `lunette host paths`: the paths over which it is logged in.
`lunette host verify-paths`: whether its I/O continues without each of them."""

import io
import os
import tarfile
from pathlib import Path, PurePosixPath

from lunette.cli.call import Call
from lunette.cli.errors import CheckFailed, UsageError
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, JsonObject, Param

_HOST = Param("host", "Name or ID of the host.", noun="host")
_MARKS = {"up": ("✓", "green"), "down": ("✗", "red"), "unknown": ("?", "yellow")}


def kit(call: Call) -> None:
    """The kit on the screen, or as files with a script that applies it."""
    if call["output"] is not None:
        _write(call, Path(call["output"]))
        return
    secrets = True if call["secrets"] else None
    call.show(call.client.host_kit(call["host"], secrets=secrets), lambda found: _print(call, found))


def paths(call: Call) -> None:
    """Raises CheckFailed if a path is missing."""
    answer = call.client.host_paths(call["host"])
    call.show(answer, lambda found: _print_paths(call, found))
    if answer["state"] == "down":
        raise CheckFailed


def verify_paths(call: Call) -> None:
    """The command has asked for confirmation already, or --yes was given."""
    send(call, {"confirm": call.client.host_show(call["host"])["name"], **body_of(call)})


def _print_paths(call: Call, found: JsonObject) -> None:
    call.screen.line(found["sentence"], "bold")
    for one in (*found["paths"], *found["volumes"]):
        mark, style = _MARKS[one["state"]]
        what = f"volume {one['volume']}: " if "volume" in one else ""
        call.screen.line(f"  {mark} {what}{one['words']}", style)
    if tried := found["verification"]:
        call.screen.line(f"Tested at {tried['at']}: {'passed' if tried['is_passed'] else 'failed'}.", "bold")
        for words in tried["words"]:
            call.screen.line(f"  {words}")


def _write(call: Call, output: Path) -> None:
    """Readable by this user only, also without secrets: the same kit may be fetched again with them."""
    packed = call.client.host_kit_download(call["host"], secrets=True if call["secrets"] else None)
    try:
        if output.suffix == ".tar":
            output.touch(mode=0o600)
            output.write_bytes(packed)
        else:
            output.mkdir(mode=0o700, parents=True, exist_ok=True)
            unpack(packed, output)
    except OSError as error:
        raise UsageError(f"Cannot write {output}: {error.strerror}") from error
    call.screen.note(f"Written to {output}. The README.txt of the setup kit contains the instructions.")


def unpack(packed: bytes, folder: Path) -> None:
    """Writes the files of a tar archive below `folder`, in place of those that are there.

    Raises UsageError, with nothing written, if the archive is damaged, contains anything but files below the folder, or
    would follow a link out of it; OSError if they cannot be written. Unpacked here because `tarfile` of
    Debian 12's Python has no filters: 3.11.4 added them.
    """
    files, inside = [], folder.resolve()
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as tar:
            for entry in tar:
                path = PurePosixPath(entry.name)
                content = tar.extractfile(entry) if entry.isreg() else None
                if content is None or path.is_absolute() or ".." in path.parts:
                    raise UsageError(
                        f"Nothing was written: {entry.name!r} in the setup kit is not a file below {folder}"
                    )
                target = folder / path
                if not target.parent.resolve().is_relative_to(inside):
                    raise UsageError(
                        f"Nothing was written: {target.parent} leads out of {folder}. Choose another folder"
                    )
                files.append((target, entry.mode & 0o755, content.read()))
    except tarfile.TarError as error:
        raise UsageError(f"The setup kit is not a valid tar archive ({error}). Download the kit again") from error
    for target, mode, text in files:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)


def _print(call: Call, found: JsonObject) -> None:
    line = call.screen.line
    for warning in found["warnings"]:
        line(f"warning: {warning}", "yellow")
    if found["proof"] == "documented" and found["commands"]:
        line("Based on the documentation of the vendor. Lunette's tests do not cover these commands.", "yellow")
    for one in found["files"]:
        line(f"# {one['path']} ({one['mode']}): {one['purpose']}", "bold")
        line(one["content"])
    for number, one in enumerate(found["commands"], 1):
        line(f"{number}. {one['purpose']}", "bold")
        line(f"   {one['run']}")
    if found["needs_secrets"] and not found["has_secrets"]:
        line("Placeholders (@LUNETTE-…@) replace the secrets. --secrets includes them.")
    for note in found["notes"]:
        line(f"note: {note}")


KIT = Command(
    "kit",
    "Shows the setup kit that connects a host to its volumes, or writes it to files.",
    ("host_kit", "host_kit_download"),
    (
        _HOST,
        Param("--secrets", "Include secrets, which is recorded as an event.", flag=True),
        Param("--output", "Folder to write to, or a file that ends in .tar.", path=True),
    ),
    kit,
)
PATHS = Command("paths", operations=("host_paths",), params=(_HOST,), run=paths)
VERIFY_PATHS = Command(
    "verify-paths",
    operations=("host_verify_paths",),
    params=(
        _HOST,
        Param(
            "--away",
            "Seconds for which each path is blocked. Default: 45.",
            field="away_s",
            number=True,
            metavar="SECONDS",
        ),
    ),
    run=verify_paths,
    follows=("confirm",),
    interrupts=True,
    more="The test passes only if the I/O of the host continues each time, so the host must read or write during the "
    "whole test. Only iSCSI paths are tested.",
)
