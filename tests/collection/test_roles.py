"""The roles can be read by Ansible, and say about each of their variables what it means."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.collection.playing import COLLECTION, Player

ROLES = sorted((COLLECTION / "roles").iterdir())


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_every_variable_of_a_role_is_documented(role: Path) -> None:
    defaults = yaml.safe_load((role / "defaults/main.yml").read_text())
    options = yaml.safe_load((role / "meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    needed = {name for name, option in options.items() if option.get("required")}
    assert set(options) == set(defaults) | needed
    said = {name: option["default"] for name, option in options.items() if "default" in option}
    assert said == {name: defaults[name] for name in said}


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_role_can_be_read_by_ansible(role: Path, tmp_path: Path) -> None:
    link = tmp_path / "ansible_collections/lunette/appliance"
    link.parent.mkdir(parents=True)
    link.symlink_to(COLLECTION)
    tasks = [{"ansible.builtin.import_tasks": str(file)} for file in sorted((role / "tasks").glob("*.yml"))]
    book = tmp_path / "play.yml"
    book.write_text(yaml.safe_dump([{"hosts": "all", "roles": [f"lunette.appliance.{role.name}"], "tasks": tasks}]))
    ended = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "--syntax-check", "-i", "localhost,", str(book)],
        env={"ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "ANSIBLE_HOME": str(tmp_path / "home"), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("system", [pytest.param("Ubuntu 24 x86_64", marks=pytest.mark.slow), "Debian 12 x86_64"])
def test_the_role_appliance_refuses_other_systems_and_says_why(system: str, player: Player, tmp_path: Path) -> None:
    """In check mode, so that nothing happens on this machine whatever it is."""
    said = {"debian": "13", "architecture": "x86_64"}
    (tmp_path / "manifest.json").write_text(json.dumps(said))
    role = {"role": "lunette.appliance.appliance", "appliance_bundle": str(tmp_path)}
    book = tmp_path / "play.yml"
    book.write_text(json.dumps([{"hosts": "all", "connection": "local", "gather_facts": False, "roles": [role]}]))
    printed = player.run(book, "--check", "-e", json.dumps({"appliance_system": system}))
    assert f"is {system}, and this bundle is for Debian 13 x86_64" in printed, printed
    assert "Nothing was changed." in printed
    assert "changed=0" in printed
