"""`lunette backup`, `restore`, `rebuild` and `support`: the configuration as a file, or from the data disks."""

import base64
from collections import Counter
from pathlib import Path

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.private import write_privately
from lunette.cli.spec import Command, JsonObject, Param

_SHOWN = 20
"""Maximum number of differences shown; --json has all."""
_PASSPHRASE = Param("--passphrase-file", "File with the passphrase; prompts if omitted.", file=True)


def backup(call: Call) -> None:
    """Makes a backup and writes it to a file."""
    output: str = call["file"]
    passphrase = call.secret("passphrase_file", "Passphrase for the backup", twice=True)
    body = {"passphrase": passphrase, "certificate": not call["no_certificate"]}
    made: bytes = call.client.operate("appliance_backup", {}, {}, body)
    write_privately(output, made)
    call.screen.note(
        f"Written to {output}. Store it apart from its passphrase: without the passphrase, it cannot be read."
    )


def support(call: Call) -> None:
    """Makes a support bundle and writes it to a file."""
    output: str = call["file"]
    made: bytes = call.client.operate("appliance_support")
    write_privately(output, made)
    call.screen.note(f"Written to {output}. It contains names, addresses and serial numbers, but no secrets.")


def restore(call: Call) -> None:
    """Shows the differences, asks for confirmation, and restores."""
    try:
        content = base64.b64encode(Path(call["file"]).read_bytes()).decode()
    except OSError as error:
        raise UsageError(f"Cannot read {call['file']}: {error.strerror}") from error
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
    line(f"Backup of {found['appliance']}, created at {made_at} UTC by version {found['version']}", "bold")
    counts = Counter((one["noun"], one["change"]) for one in found["differences"])
    for (noun, change), count in sorted(counts.items()):
        line(f"{noun}: {count} {change}")
    for one in found["differences"][:_SHOWN]:
        line(f"  {one['change']} {one['noun']} {one['name']}")
    if len(found["differences"]) > _SHOWN:
        line(f"  and {len(found['differences']) - _SHOWN} more")
    for one in found["left_out"]:
        line(f"not restored: {one['words']}", "yellow")
    for one in found["still_served"]:
        line(f"still served: {one['words']} ({one['id']})", "yellow")
    for warning in found["warnings"]:
        line(f"warning: {warning}", "yellow")
    if not found["differences"]:
        line("No named object differs.")


def _done(call: Call, done: JsonObject) -> None:
    for one in (*done["left_out"], *done["still_served"]):
        call.screen.note(f"check: {one['words']}")
    call.screen.note("Restored. Users, passwords and API tokens are now those of the backup. The API restarts.")
    if done["kept"]:
        call.screen.note(f"The previous state is stored in {done['kept']}, with the same passphrase.")


def rebuild(call: Call) -> None:
    """Shows the content of the copies, asks for confirmation, and rebuilds; foreign copies only with --adopt."""
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
            call.confirm("These copies have no seal of this appliance. Accept them?", "--adopt")
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
        word = "rebuild" if one["chosen"] else "skip"
        written = one["written_at"][:19].replace("T", " ")
        line(
            f"{word} array {one['name']} ({one['uuid']}) of appliance {one['appliance'] or one['appliance_id']}", "bold"
        )
        line(
            f"  {one['volumes']} volumes, {one['mappings']} mappings; sealed copy {one['generation']} of {written} UTC"
        )
        if not one["sealed_here"]:
            line("  no seal of this appliance: any person with access to the disks may have written the copy", "yellow")
    if found["hosts"]:
        line(f"hosts to add: {', '.join(found['hosts'])}")
    for name in found["secrets_missing"]:
        line(f"host {name} cannot log in until its secret is set again", "yellow")
    for warning in found["warnings"]:
        line(f"warning: {warning}", "yellow")
    for change in found["changes"]:
        line(f"  {change}")
    if any(one["chosen"] for one in found["arrays"]):
        line(f"digest of the sealed copies: {found['digest']}")
    else:
        line(
            "Nothing is rebuilt. If the arrays belong to several appliances, name the arrays to rebuild."
            if found["arrays"]
            else "No array with a sealed copy is missing from the database."
        )


def _rebuilt(call: Call, done: JsonObject) -> None:
    for name in done["secrets_missing"]:
        call.screen.note(f"Set the secret of host {name} again: until then, the host cannot log in.")
    call.screen.note("Rebuilt. Users, settings and schedules are not stored on the disks: create them again.")


COMMANDS = {
    "backup": (
        Command(
            "",
            "Writes a backup of the configuration to a file that is encrypted with a passphrase.",
            ("appliance_backup",),
            (
                Param("file", "File to write.", path=True),
                _PASSPHRASE,
                Param("--no-certificate", "Leave out the certificate and its private key.", flag=True),
            ),
            backup,
        ),
    ),
    "restore": (
        Command(
            "",
            "Restores the configuration from a backup, after showing the differences.",
            ("appliance_restore",),
            (
                Param("file", "Backup file.", path=True),
                _PASSPHRASE,
                Param("--no-certificate", "Do not restore the certificate of the backup.", flag=True),
                Param(
                    "--give-up",
                    "ID of an object that is missing from the backup, to stop serving it; repeatable.",
                    many=True,
                    metavar="ID",
                ),
            ),
            restore,
            interrupts=True,
            more="Objects that are missing from the backup stay served, unless --give-up names them.",
        ),
    ),
    "support": (
        Command(
            "",
            "Writes a tar.gz file with logs, configuration, kernel and hardware data, without secrets.",
            ("appliance_support",),
            (Param("file", "File to write.", path=True),),
            support,
        ),
    ),
    "rebuild": (
        Command(
            "",
            "Rebuilds arrays, volumes, hosts and mappings from the sealed copies on the data disks.",
            ("appliance_rebuild",),
            (
                Param(
                    "array",
                    "Name or UUID of an array; by default, all, provided that they belong to one appliance.",
                    field="arrays",
                    many=True,
                    optional=True,
                ),
                Param("--degraded", "Start arrays even if disks are missing.", flag=True),
                Param(
                    "--adopt",
                    "Accept copies without a seal of this appliance, such as those of another appliance.",
                    flag=True,
                ),
                Param("--digest", "Rebuild only if the disks are unchanged since the dry run with this digest."),
            ),
            rebuild,
            interrupts=True,
            more="For an appliance that has lost its database and has no backup. A backup contains more data.",
        ),
    ),
}
