"""`lunette export --format targetcli` and `lunette inspect`: migration to and from targetcli."""

import json
from typing import Any

from lunette.cli.call import Call, read_text
from lunette.cli.errors import CheckFailed, UsageError
from lunette.cli.private import write_privately
from lunette.cli.spec import Command, JsonObject, Param

READ = frozenset(
    {
        "storage_objects",
        "name",
        "plugin",
        "dev",
        "wwn",
        "readonly",
        "exclusive",
        "attributes",
        "alua_tpgs",
        "alua_access_state",
        "targets",
        "fabric",
        "tpgs",
        "tag",
        "enable",
        "luns",
        "index",
        "storage_object",
        "alua_tg_pt_gp_name",
        "portals",
        "ip_address",
        "port",
        "iser",
        "offload",
        "node_acls",
        "node_wwn",
        "mapped_luns",
        "tpg_lun",
        "write_protect",
        "chap_userid",
        "chap_password",
        "chap_mutual_userid",
        "chap_mutual_password",
        "fabric_modules",
        "discovery_enable_auth",
        "pi_prot_type",
        "authentication",
        "generate_node_acls",
        "prod_mode_write_protect",
        "default_erl",
        "t10_pi",
        "fabric_prot_type",
    }
)
"""Parts of a saveconfig that are judged. The rest, which is most of it, is not sent."""


def export(call: Call) -> None:
    """Prints JSON as targetctl reads it; what it does not contain is printed to standard error."""
    found = call.client.site_saveconfig(secrets=True if call["secrets"] else None)
    if call["output"] is None:
        call.screen.json(found["document"])
    else:
        text = json.dumps(found["document"], indent=2, sort_keys=True) + "\n"
        write_privately(call["output"], text.encode())
        call.screen.note(f"Written to {call['output']}.")
    for words in found["left_out"]:
        call.screen.note(f"Left out: {words}")


def inspect(call: Call) -> None:
    """Raises CheckFailed if an object does not fit."""
    file = call["file"]
    try:
        saved = json.loads(read_text(file))
    except ValueError as error:
        raise UsageError(f"{file} is not valid JSON: {error}") from error
    if not isinstance(saved, dict) or not {"storage_objects", "targets"} & saved.keys():
        raise UsageError(f"{file} is not a saveconfig.json: it contains neither storage_objects nor targets")
    found = call.client.operate("site_inspect", body={"saveconfig": _slim(saved)})
    call.show(found, lambda shown: _print(call, shown))
    if found["refused"]:
        raise CheckFailed


def _slim(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _slim(inner) for key, inner in value.items() if key in READ}
    return [_slim(inner) for inner in value] if isinstance(value, list) else value


def _print(call: Call, found: JsonObject) -> None:
    for one in found["findings"]:
        mark, style = ("✓", "green") if one["fits"] else ("✗", "red")
        call.screen.line(f"{mark} {one['path']}", style)
        call.screen.line(f"    {one['words']}")
    call.screen.line(
        f"Lunette can serve {found['fits']} objects and cannot serve {found['refused']}. Nothing was changed.",
        "bold",
    )


INSPECT = Command(
    "",
    "Shows which objects of a targetcli configuration Lunette can serve, and why not the others.",
    ("site_inspect",),
    (Param("file", "A saveconfig.json; - for standard input.", path=True),),
    inspect,
    more="Nothing is changed or stored. The exit code is 0 only if Lunette can serve all objects.",
)
