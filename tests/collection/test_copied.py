"""The tasks that the web page shows for a change are valid for their modules, and ask for what the page asks for."""

import importlib
import json
import re
from typing import Any

import pytest
import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from lunette_collection.document import load
from tests.collection.imported import COLLECTION_NAME, compare
from tests.run.command import ROOT

SAMPLES = json.loads((ROOT / "frontend/src/changes/commands/samples.gen.json").read_text())
LOOKUP = re.compile(r"^\{\{ lookup\('ansible\.builtin\.env', '(\w+)'\) \}\}$")


def named(sample: dict[str, Any]) -> str:
    return f"{sample['operation']}: {sample['name']}"


def filled(value: Any, secrets: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: filled(one, secrets) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, secrets) for one in value]
    found = LOOKUP.match(value) if isinstance(value, str) else None
    return secrets[found[1]] if found else value


def plain(value: Any, name: str = "") -> Any:
    """Sizes as bytes, and nothing that is not said."""
    if isinstance(value, dict):
        return {key: plain(one, key) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return compare.size_in_bytes(str(value)) if name.endswith(("_bytes", "_bytes_s")) else value


def test_every_operation_has_a_task_or_a_reason() -> None:
    with_one = {sample["operation"] for sample in SAMPLES if "ansible" in sample}
    assert {sample["operation"] for sample in SAMPLES} - with_one <= set(load().exceptions.operations)


@pytest.mark.parametrize("sample", [one for one in SAMPLES if "ansible" in one], ids=named)
def test_the_task_is_valid_and_asks_for_the_same(sample: dict[str, Any]) -> None:
    (task,) = yaml.safe_load(sample["ansible"])
    assert task.pop("name") == "Change"
    ((module, options),) = task.items()
    name = module.removeprefix("lunette.appliance.")
    given = filled(options, sample["secrets"])
    spec = importlib.import_module(f"{COLLECTION_NAME}.plugins.modules.{name}").ARGUMENTS
    validated = ArgumentSpecValidator(spec).validate(json.loads(json.dumps(given)))
    assert validated.error_messages == []
    assert plain(sample["body"]).items() <= plain(given).items()
    removed = {field for field, value in sample["body"].items() if value is None}
    assert removed <= set(given.get("clear", ()))
    names = {"lun01", "esx1"} if name == "mapping" and sample["path"] else set(sample["path"].values())
    assert names <= {str(one) for one in given.values()}
