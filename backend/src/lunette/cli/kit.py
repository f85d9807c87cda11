"""`lunette host kit`: what a host needs for its volumes. `lunette host paths`: whether it is there over every path, and
`lunette host verify-paths`: whether it goes on without each of them."""

import io
import os
import tarfile
from pathlib import Path, PurePosixPath

from lunette.cli.call import Call, NotWell
from lunette.cli.parsing import Wrong
from lunette.cli.running import send
from lunette.cli.spec import Command, JsonObject, Param

_HOST = Param("host", "Its name or id.", noun="host")
_MARKS = {"up": ("✓", "green"), "down": ("✗", "red"), "unknown": ("?", "yellow")}


def kit(call: Call) -> None:
    """The kit on the screen, or as files with a script that applies it."""
    if call["output"] is not None:
        _write(call, Path(call["output"]))
        return
    secrets = True if call["secrets"] else None
    call.show(call.client.host_kit(call["host"], secrets=secrets), lambda found: _print(call, found))


def paths(call: Call) -> None:
    """Raises NotWell if a path is missing."""
    answer = call.client.host_paths(call["host"])
    call.show(answer, lambda found: _print_paths(call, found))
    if answer["state"] == "down":
        raise NotWell


def verify_paths(call: Call) -> None:
    """The confirmation is that of the command: it shows the plan and asks, or --yes answered before."""
    body: JsonObject = {"confirm": call.client.host_show(call["host"])["name"]}
    if call["away"] is not None:
        body["away_s"] = call["away"]
    send(call, body)


def _print_paths(call: Call, found: JsonObject) -> None:
    call.screen.line(found["sentence"], "bold")
    for one in (*found["paths"], *found["volumes"]):
        mark, style = _MARKS[one["state"]]
        what = f"volume {one['volume']}: " if "volume" in one else ""
        call.screen.line(f"  {mark} {what}{one['words']}", style)
    if tried := found["verification"]:
        call.screen.line(f"Tried at {tried['at']}: {'passed' if tried['is_passed'] else 'not passed'}.", "bold")
        for words in tried["words"]:
            call.screen.line(f"  {words}")


def _write(call: Call, output: Path) -> None:
    """For this user alone: with or without secrets, it is one kit that may be fetched again with them."""
    packed = call.client.host_kit_download(call["host"], secrets=True if call["secrets"] else None)
    try:
        if output.suffix == ".tar":
            output.touch(mode=0o600)
            output.write_bytes(packed)
        else:
            output.mkdir(mode=0o700, parents=True, exist_ok=True)
            unpack(packed, output)
    except OSError as error:
        raise Wrong(f"{output} cannot be written: {error.strerror}") from error
    call.screen.note(f"Written to {output}; README.txt in it says what to do.")


def unpack(packed: bytes, folder: Path) -> None:
    """Writes the files of a tar archive below `folder`, in place of those that are there.

    Raises Wrong, with nothing written, where the archive is damaged, holds anything but files below the folder, or
    would follow a link that leads out of it; OSError where they cannot be written. By hand, because `tarfile` of
    Debian 12's Python has no filters: those came with 3.11.4.
    """
    files, inside = [], folder.resolve()
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:") as tar:
            for entry in tar:
                path = PurePosixPath(entry.name)
                content = tar.extractfile(entry) if entry.isreg() else None
                if content is None or path.is_absolute() or ".." in path.parts:
                    raise Wrong(f"nothing of it was written: {entry.name!r} in the kit is no file below {folder}")
                target = folder / path
                if not target.parent.resolve().is_relative_to(inside):
                    raise Wrong(f"nothing of it was written: {target.parent} leads out of {folder}; choose another one")
                files.append((target, entry.mode & 0o755, content.read()))
    except tarfile.TarError as error:
        raise Wrong(f"what the appliance sent is no tar archive ({error}): fetch the kit again") from error
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
        line("Written against the vendor's documentation, not run by Lunette's tests.", "yellow")
    for one in found["files"]:
        line(f"# {one['path']} ({one['mode']}): {one['purpose']}", "bold")
        line(one["content"])
    for number, one in enumerate(found["commands"], 1):
        line(f"{number}. {one['purpose']}", "bold")
        line(f"   {one['run']}")
    if found["needs_secrets"] and not found["has_secrets"]:
        line("Secrets are left out: @LUNETTE-…@ stands in their place. --secrets fills them in.")
    for note in found["notes"]:
        line(f"note: {note}")


KIT = Command(
    "kit",
    "Shows what to write and to run on a host for its volumes, or writes it as files.",
    ("host_kit", "host_kit_download"),
    (
        _HOST,
        Param("--secrets", "Fill in secrets; the events tell who asked.", flag=True),
        Param("--output", "Write it to this folder, or to this file ending in .tar.", path=True),
    ),
    kit,
)
PATHS = Command(
    "paths", "Tells over which paths a host is logged in, and what is missing.", ("host_paths",), (_HOST,), paths
)
VERIFY_PATHS = Command(
    "verify-paths",
    "Takes each path of a host away in turn, and passes if its I/O went on.",
    ("host_verify_paths",),
    (
        _HOST,
        Param("--away", "Seconds that each path is away; 45 if not given.", number=True, metavar="SECONDS"),
    ),
    verify_paths,
    interrupts=True,
    more="The host must read or write all the time. Only paths over iSCSI are tried.",
)
