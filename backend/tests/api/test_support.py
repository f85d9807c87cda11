"""The support bundle: one archive, without secrets, also without an agent."""

import io
import json
import tarfile

from httpx2 import Response

from backend.tests.scene import make_scene
from backend.tests.wiring import Api

CHAP = {"user": "shy", "secret": "secretsecret1", "mutual_user": "us", "mutual_secret": "mutualmutual1"}


def unpacked(answer: Response) -> dict[str, str]:
    """Texts by their path below the one folder."""
    assert answer.status_code == 200, answer.text
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        members = archive.getmembers()
        assert {member.mode for member in members} == {0o600}
        (folder,) = {member.name.partition("/")[0] for member in members}
        assert f'filename="{folder}.tar.gz"' in answer.headers["content-disposition"]
        return {
            member.name.partition("/")[2]: file.read().decode()
            for member in members
            if (file := archive.extractfile(member)) is not None
        }


def test_it_contains_configuration_events_and_facts_of_the_machine(appliance: Api) -> None:
    make_scene(appliance)
    appliance.made("/hosts", {"name": "shy", "iqns": ["iqn.2026-01.com.example:shy"], "chap": CHAP})
    appliance.until(lambda: {m["state"] for m in appliance.items("/mappings")} == {"open"})
    files = unpacked(appliance.post("/appliance:support", None))
    assert "tank" in {array["name"] for array in json.loads(files["database/site.json"])["arrays"]}
    assert len(json.loads(files["observation.json"])["volumes"]) == 8
    assert "appliance.support_bundle" in {event["kind"] for event in json.loads(files["database/events.json"])}
    assert {job["state"] for job in json.loads(files["database/jobs.json"])} == {"succeeded"}
    assert "/udev_path = /dev/" in files["exports/target.txt"]
    assert "send the bundle only to people" in files["README.txt"]
    assert not [name for name, text in files.items() if "secretsecret1" in text or "mutualmutual1" in text]


def test_without_an_agent_it_has_what_the_database_knows(api: Api) -> None:
    files = unpacked(api.post("/appliance:support", None))
    assert "the agent" in files["machine-not-read.txt"]
    assert json.loads(files["database/status.json"])["version"]
    assert "observation.json" not in files
