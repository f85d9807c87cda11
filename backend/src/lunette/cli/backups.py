"""`lunette backup`, `restore`, `rebuild` and `support`: the appliance as a file, and what its data disks tell of it."""

import base64
from collections import Counter
from pathlib import Path

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.private import write_privately
from lunette.cli.spec import Command, JsonObject, Param

_SHOWN = 20
"""So many differences are shown; --json has all."""
_PASSPHRASE = Param("--passphrase-file", "File with the passphrase; asked for if not given.", file=True)


def backup(call: Call) -> None:
    """Makes a backup and writes it to a file."""
    output: str = call["file"]
    passphrase = call.secret("passphrase_file", "Passphrase for the backup", twice=True)
    body = {"passphrase": passphrase, "certificate": not call["no_certificate"]}
    made: bytes = call.client.operate("appliance_backup", {}, {}, body)
    write_privately(output, made)
    call.screen.note(f"Written to {output}. Keep it and its passphrase apart; without the passphrase it is of no use.")


def support(call: Call) -> None:
    """Makes a support bundle and writes it to a file."""
    output: str = call["file"]
    made: bytes = call.client.operate("appliance_support")
    write_privately(output, made)
    call.screen.note(f"Written to {output}. It holds no secrets, but names, addresses and serial numbers.")


def restore(call: Call) -> None:
    """Shows what differs, asks, and restores."""
    try:
        content = base64.b64encode(Path(call["file"]).read_bytes()).decode()
    except OSError as error:
        raise Wrong(f"{call['file']} cannot be read: {error.strerror}") from error
    body = {
        "content": content,
        "passphrase": call.secret("passphrase_file", "Passphrase of the backup"),
        "certificate": not call["no_certificate"],
        "give_up": call["give_up"] or [],
    }
    found = call.client.operate("appliance_restore", {}, {}, body, dry_run=True)
    if call.dry_run:
        call.show(found, lambda _: _print(call, found))
        return
    if not call["yes"]:
        if call.screen.can_ask:
            _print(call, found)
        call.confirm("Restore this backup?", "--yes")
    answer = call.client.operate("appliance_restore", {}, {}, body)
    call.show(answer, lambda done: _done(call, done))


def _print(call: Call, found: JsonObject) -> None:
    line = call.screen.line
    made_at = found["made_at"][:19].replace("T", " ")
    line(f"Backup of {found['appliance']}, made at {made_at} UTC by version {found['version']}", "bold")
    counts = Counter((one["noun"], one["change"]) for one in found["differences"])
    for (noun, change), count in sorted(counts.items()):
        line(f"{noun}: {count} {change}")
    for one in found["differences"][:_SHOWN]:
        line(f"  {one['change']} {one['noun']} {one['name']}")
    if len(found["differences"]) > _SHOWN:
        line(f"  and {len(found['differences']) - _SHOWN} more")
    for one in found["left_out"]:
        line(f"left out: {one['words']}", "yellow")
    for one in found["still_served"]:
        line(f"stays served: {one['words']} ({one['id']})", "yellow")
    for warning in found["warnings"]:
        line(f"warning: {warning}", "yellow")
    if not found["differences"]:
        line("Nothing differs by name.")


def _done(call: Call, done: JsonObject) -> None:
    for one in (*done["left_out"], *done["still_served"]):
        call.screen.note(f"look at: {one['words']}")
    call.screen.note("Restored. Users, passwords and tokens are those of the backup now; the API starts anew.")
    if done["kept"]:
        call.screen.note(f"The state before is kept in {done['kept']}, under the same passphrase.")


def rebuild(call: Call) -> None:
    """Shows what the disks tell, asks, and rebuilds; what was sealed elsewhere only where that is asked by name."""
    body = {"arrays": call["array"] or [], "degraded": bool(call["degraded"]), "adopt": bool(call["adopt"])}
    body["digest"] = call["digest"]
    found = call.client.operate("appliance_rebuild", {}, {}, body, dry_run=True)
    if call.dry_run or not any(one["chosen"] for one in found["arrays"]):
        call.show(found, lambda _: _print_found(call, found))
        return
    if not call["yes"]:
        if call.screen.can_ask:
            _print_found(call, found)
        if any(one["chosen"] and not one["sealed_here"] for one in found["arrays"]) and not call["adopt"]:
            call.confirm("No key of this appliance has sealed these copies. Adopt what they say?", "--adopt")
            body["adopt"] = True
        else:
            call.confirm("Rebuild these arrays?", "--yes")
    body["digest"] = found["digest"]
    answer = call.client.operate("appliance_rebuild", {}, {}, body)
    call.show(answer, lambda done: _rebuilt(call, done))


def _print_found(call: Call, found: JsonObject) -> None:
    line = call.screen.line
    for one in found["arrays"]:
        if one["problem"]:
            line(f"array {one['name']} ({one['uuid']}): {one['problem']}", "yellow")
            continue
        word = "rebuild" if one["chosen"] else "leave"
        written = one["written_at"][:19].replace("T", " ")
        line(
            f"{word} array {one['name']} ({one['uuid']}) of appliance {one['appliance'] or one['appliance_id']}", "bold"
        )
        line(f"  {one['volumes']} volumes, {one['mappings']} mappings; copy {one['generation']} of {written} UTC")
        if not one["sealed_here"]:
            line("  no key of this appliance has sealed it: whoever had the disks may have written it", "yellow")
    if found["hosts"]:
        line(f"hosts that come back: {', '.join(found['hosts'])}")
    for name in found["secrets_missing"]:
        line(f"secret must be set again: host {name} is not let in before", "yellow")
    for warning in found["warnings"]:
        line(f"warning: {warning}", "yellow")
    for change in found["changes"]:
        line(f"  {change}")
    if any(one["chosen"] for one in found["arrays"]):
        line(f"digest of what the disks say: {found['digest']}")
    else:
        line(
            "Nothing is rebuilt. Name arrays where those of several appliances are here."
            if found["arrays"]
            else "No array with Lunette's mark is here that the database does not know."
        )


def _rebuilt(call: Call, done: JsonObject) -> None:
    for name in done["secrets_missing"]:
        call.screen.note(f"set the secret of host {name} again: it is not let in before")
    call.screen.note("Rebuilt. Users, settings and schedules are not on the disks: set them anew.")


COMMANDS = {
    "backup": (
        Command(
            "",
            "Writes database, secrets and certificate to one file that only a passphrase opens.",
            ("appliance_backup",),
            (
                Param("file", "Where to write it.", path=True),
                _PASSPHRASE,
                Param("--no-certificate", "Leave out the certificate and its private key.", flag=True),
            ),
            backup,
        ),
    ),
    "restore": (
        Command(
            "",
            "Restores a backup, after showing what differs from now.",
            ("appliance_restore",),
            (
                Param("file", "The backup.", path=True),
                _PASSPHRASE,
                Param("--no-certificate", "Keep the certificate that is in use.", flag=True),
                Param(
                    "--give-up",
                    "Id of what is served and unknown to the backup: stop serving it; repeatable.",
                    many=True,
                    metavar="ID",
                ),
            ),
            restore,
            interrupts=True,
            more="Nothing that hosts use is taken from them, unless --give-up names it.",
        ),
    ),
    "support": (
        Command(
            "",
            "Writes logs, configuration, kernel and hardware facts to one tar.gz, without secrets.",
            ("appliance_support",),
            (Param("file", "Where to write it.", path=True),),
            support,
        ),
    ),
    "rebuild": (
        Command(
            "",
            "Rebuilds arrays, volumes, hosts and mappings from the data disks, after showing them.",
            ("appliance_rebuild",),
            (
                Param(
                    "array",
                    "Name or UUID; all if none is given and all are of one appliance.",
                    many=True,
                    optional=True,
                ),
                Param("--degraded", "Start arrays without disks that are missing.", flag=True),
                Param(
                    "--adopt",
                    "Take up copies that no key of this appliance has sealed, such as those of another one.",
                    flag=True,
                ),
                Param("--digest", "Only if the disks still say what a dry run with this digest showed."),
            ),
            rebuild,
            interrupts=True,
            more="For an appliance that lost its database and has no backup; that holds more.",
        ),
    ),
}
