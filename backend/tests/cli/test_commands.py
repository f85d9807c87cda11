"""The command line and the API document agree: every operation has a command, every column and word exists there."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.tests.cli.transcripts import GOLDEN
from lunette.cli import exits
from lunette.cli.completing import NAMES_OF
from lunette.cli.main import run
from lunette.cli.manual import SHELL_PLACES
from lunette.cli.registry import GROUPS, commands_of
from lunette.cli.screen import Screen
from lunette.cli.spec import Command, all_params, documented, purpose_of
from lunette.client.generated import enums
from lunette.client.generated.operations import OPERATIONS

DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
SCHEMAS = DOCUMENT["components"]["schemas"]
COMMANDS = {
    f"{group.word} {command.name}".strip(): command for group in GROUPS for command in commands_of(group.word).values()
}
OWN_WORDS = {
    "completion": [set(SHELL_PLACES)],
    "export": [{"site", "targetcli"}],
    "array add-disks": [{"log", "cache", "special"}],
}
"""Words that are no closed set of the API by themselves."""
TESTED_ELSEWHERE = {
    "array force-start": "needs an array that was cut off: test_array_force_start.py",
    "array forget": "needs an array whose disks are gone: test_array_forget.py",
    "array release": "needs an array with nothing mapped: test_array_release.py",
    "host verify-paths": "needs a host that writes: test_host_paths.py",
    "initiator": "needs a port on the fabric: test_host_paths.py",
    "login": "asks and needs TLS: test_access.py",
    "logout": "forgets what login remembered: test_access.py",
    "disk history": "its days vary: test_disk_history.py",
    "drift": "what was put right in a round varies: test_drift.py",
    "alert show": "needs the id of an alert: test_alerts.py",
    "alert acknowledge": "needs the id of an alert: test_alerts.py",
    "alert silence": "needs the id of an alert: test_alerts.py",
    "alert reopen": "needs the id of an alert: test_alerts.py",
    "event show": "needs the number of an event: test_undo.py",
    "event undo": "needs the number of an event: test_undo.py",
    "certificate": "its times and fingerprints vary, and needs TLS: test_certificate.py",
    "event export": "numbers and times: test_undo.py",
    "event follow": "never ends: test_terminal.py",
    "job wait": "follows a job that runs: test_terminal.py",
    "completion": "test_completion.py",
    "top": "its figures vary: test_top.py",
    "performance": "its figures vary: test_top.py",
    "array capacity": "its days vary: test_top.py",
    "inspect": "reads a file of targetcli: test_targetcli.py",
    "adopt": "needs targets of others: test_adopting.py",
    "foreign-array": "needs arrays of others: test_adopting.py",
    "backup": "writes a file: test_backup.py",
    "update": "needs an appliance with two slots: test_updates.py",
    "session disconnect": "needs a host that is logged in: test_sessions.py",
    "second-factor": "needs codes of an app: test_second_factor.py",
    "user logins": "needs a browser that is logged in: test_logins.py",
    "user end-login": "needs a browser that is logged in: test_logins.py",
    "support": "writes a file: test_backup.py",
    "restart": "ends with the machine: test_power.py",
    "power-off": "ends with the machine: test_power.py",
    "restore": "reads one: test_backup.py",
    "rebuild": "needs a database that forgot: test_backup.py",
    "host kit": "long, and written as files: test_kit.py",
    "host paths": "needs a host that is logged in: test_kit.py",
}


def operations() -> dict[str, Any]:
    return {one["operationId"]: one for methods in DOCUMENT["paths"].values() for one in methods.values()}


def fields(operation_id: str) -> set[str]:
    """The fields of an item of a list, nested ones with a dot."""
    page = operations()[operation_id]["responses"]["200"]["content"]["application/json"]["schema"]
    item = _of(_of(page)["properties"]["items"]["items"])
    found = set()
    for name, field in item["properties"].items():
        found.add(name)
        for kind in (field, *field.get("anyOf", ())):
            if "$ref" in kind:
                found |= {f"{name}.{inner}" for inner in _of(kind).get("properties", ())}
    return found


def _of(reference: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = SCHEMAS[reference["$ref"].rsplit("/", 1)[-1]]
    return found


def test_every_operation_of_the_api_has_a_command() -> None:
    reached = {one for command in COMMANDS.values() for one in command.operations}
    assert set(operations()) <= reached
    assert reached <= set(operations())


def test_every_command_is_in_a_transcript_or_named_with_the_test_that_runs_it() -> None:
    typed = [line for path in GOLDEN.glob("*.txt") for line in path.read_text().splitlines() if line.startswith("$ ")]
    words = [" ".join(line[2:].split()[1:]).removeprefix("--yaml ") + " " for line in typed]
    absent = {name for name in COMMANDS if not any(line.startswith(f"{name} ") for line in words)}
    assert {
        name for name in absent if name not in TESTED_ELSEWHERE and name.split()[0] not in TESTED_ELSEWHERE
    } == set()


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if one.columns])
def test_every_column_is_a_field_of_the_answer(name: str) -> None:
    assert set(COMMANDS[name].columns) <= fields(COMMANDS[name].operations[0])


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if one.operations and one.run is None])
def test_what_a_plain_command_sends_is_what_the_api_takes(name: str) -> None:
    command = COMMANDS[name]
    operation = command.operation
    fields = {(param.field or param.key).partition(".")[0] for param in command.params}
    taken = fields - set(operation.parameters)
    known = set(SCHEMAS[operation.body]["properties"]) if operation.body else set()
    assert taken <= known
    assert set(operation.parameters) <= {param.key for param in command.params}
    needed = set(SCHEMAS[operation.body].get("required", ())) if operation.body else set()
    assert needed <= taken, f"{name} cannot give {needed - taken}"


@pytest.mark.parametrize("name", COMMANDS)
def test_words_are_those_of_the_api_and_options_say_what_they_are(name: str) -> None:
    sets = [set(words) for words in vars(enums).values() if isinstance(words, tuple)] + OWN_WORDS.get(name, [])
    assert purpose_of(COMMANDS[name]).endswith(".")
    for param in documented(COMMANDS[name]):
        assert param.help.endswith("."), f"{param.name}: its help is no sentence"
        filtered = dict(COMMANDS[name].operation.words) if COMMANDS[name].columns or COMMANDS[name].is_filtered else {}
        assert not param.words or param.key in filtered or set(param.words) in sets
        if param.noun:
            assert f"{param.noun.replace('-', '_')}_list" in OPERATIONS


def test_what_loses_data_requires_a_name() -> None:
    asking = {name for name, command in COMMANDS.items() if command.destroys}
    assert asking == {
        "array delete",
        "volume delete",
        "deleted-volume erase",
        "snapshot delete",
        "deleted-snapshot erase",
        "volume roll-back",
        "disk wipe",
    }


def test_every_type_of_problem_has_an_exit_code() -> None:
    assert set(exits.OF_PROBLEMS) == set(enums.PROBLEM_TYPE)
    assert set(exits.OF_PROBLEMS.values()) <= set(exits.MEANINGS)


def test_completion_names_things_by_a_field_they_have() -> None:
    nouns = {param.noun for command in COMMANDS.values() for param in all_params(command) if param.noun} - {"mapping"}
    for noun in nouns:
        assert NAMES_OF.get(noun, "name") in fields(f"{noun.replace('-', '_')}_list")


def test_help_never_calls_an_appliance_and_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", *COMMANDS):
        assert run([*name.split(), "--help"], Screen(), {}) == exits.OK
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 500
    wide = [line for line in lines if len(line) > 80 and not line.startswith("Usage:")]
    assert [line for line in wide if line.startswith("   ") or "|" not in line] == []


def test_commands_know_each_option_once() -> None:
    for name, command in COMMANDS.items():
        keys = [param.key for param in all_params(command)]
        assert len(keys) == len(set(keys)), f"{name}: {sorted(keys)}"
    assert isinstance(COMMANDS["volume grow"], Command)


@pytest.mark.parametrize("words", ["volume create v --array tank --size 1GiB", "snapshot clone before copy"])
def test_the_first_number_of_a_batch_is_refused_for_one_volume(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words.split(), "--first", "2"], Screen(), {}) == exits.USAGE
    assert "--first requires --count" in capsys.readouterr().err
