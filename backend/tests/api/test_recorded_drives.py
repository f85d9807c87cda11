"""Logs of ailing drives, as smartctl prints them, from the drive to a mail and to what the page is made of.

The logs have the form of recorded ones, with names and figures of our own.
"""

import json
import os
from pathlib import Path

from backend.tests.engine.listeners import PASSWORD, USER, Authority, mail_server
from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import Api
from lunette.agent.core import Agent

LOGS = Path(__file__).parents[1] / "golden" / "smartctl-7"
SHOWN = Path(__file__).parents[3] / "frontend" / "mock" / "recorded-drives.json"
"""What the API says of these drives. The page's own test shows it (frontend/src/features/disks/recorded.spec.ts)."""
SUBJECTS = {
    "nvme": ["can no longer protect its cache against power loss"],
    "sas": ["has too many grown defects", "has too many media errors"],
    "sata": [
        "failed its self-test",
        "has pending sectors",
        "has too many reallocated sectors",
        "predicts its own failure",
    ],
}
"""What is mailed of each drive, behind its name."""


def test_what_ailing_drives_say_is_mailed_and_shown(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    disks = {transport: machine.add_disks(1, transport)[0] for transport in sorted(SUBJECTS)}
    for transport, disk in disks.items():
        machine.tools.drives.health(disk).said = (LOGS / f"{transport}.json").read_text()
    machine.changed()
    authority = Authority()
    with mail_server(authority) as server:
        mail = {
            "server": "localhost",
            "port": server.port,
            "user": USER,
            "password": PASSWORD,
            "sender": "san@example.com",
            "recipients": ["ops@example.com"],
        }
        spec = {"mail": mail, "trusted_ca": authority.pem, "name": "san1"}
        assert appliance.call("PATCH", "/settings", json=spec, headers={"If-Match": "*"}).status_code == 200
        serials = {disk.serial: transport for transport, disk in disks.items()}
        appliance.until(lambda: serials.keys() <= {disk["serial"] for disk in appliance.items("/disks")})
        agent.ask_disks()
        wanted = sorted(f"{transport}: {words}" for transport, all_words in SUBJECTS.items() for words in all_words)
        appliance.until(lambda: len(server.mails) >= len(wanted))
        reported = ["".join(str(one["Subject"]).splitlines()) for one in server.mails]
    assert sorted(_without_name(subject, serials) for subject in reported) == wanted
    assert all("What to do: " in one.as_string() for one in server.mails)
    listed = [disk for disk in appliance.items("/disks") if disk["serial"] in serials]
    shown = {serials[disk["serial"]]: {**disk["health"], "read_at": None} for disk in listed}
    if os.environ.get("LUNETTE_GOLDEN") == "write":
        SHOWN.write_text(json.dumps(shown, indent=2, sort_keys=True) + "\n")
    assert shown == json.loads(SHOWN.read_text())
    assert len(appliance.items("/alerts", active="true")) == len(wanted)


def _without_name(subject: str, serials: dict[str, str]) -> str:
    """`[san1] Disk ID (serial S) words` as its kind of drive and the words."""
    name, _, words = subject.removeprefix("[san1] Disk ").partition(") ")
    return f"{serials[name.rpartition(' ')[2]]}: {words}"
