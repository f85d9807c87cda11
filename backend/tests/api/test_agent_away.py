"""Without the agent, what is stored is still answered, and what would have to be looked at is refused in words."""

from pathlib import Path

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import Api, AwayAgent, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role


def test_stored_facts_are_answered_as_not_observed(tmp_path: Path, sqlite_url: str, machine: FakeSystem) -> None:
    services = make_services(tmp_path, Agent(machine), sqlite_url)
    with running(services) as http:
        api = Api(http, add_token(services.store, Role.ADMINISTRATOR))
        disks = [disk["id"] for disk in api.items("/disks")][:2]
        api.made("/arrays", {"name": "tank", "level": "raid1", "disks": disks})
        api.made("/volumes", {"name": "v", "array": "tank", "size_bytes": "16MiB"})
    again = make_services(tmp_path, AwayAgent(), sqlite_url)
    with running(again) as http:
        api = Api(http, add_token(again.store, Role.ADMINISTRATOR))
        array = api.get("/arrays/tank")
        assert (array["state"], array["health"], array["observed"], array["free_bytes"]) == (
            "ready",
            "unknown",
            None,
            None,
        )
        assert {member["state"] for member in array["members"]} == {"unknown"}
        volume = api.get("/volumes/v")
        assert (volume["state"], volume["observed"], volume["size_bytes"]) == ("ready", None, 16 * 1024**2)
        assert {(d["id"], d["state"], d["array"]) for d in api.items("/disks")} == {
            (d, "unknown", "tank") for d in disks
        }
        refused = api.post("/volumes", {"name": "w", "array": "tank", "size_bytes": "16MiB"})
        assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")
        assert "lunette-agent" in refused.json()["detail"]


def test_the_status_says_that_the_agent_is_away(api: Api) -> None:
    status = api.get("/status")
    assert status["health"] == "critical"
    assert status["sentence"] == "The agent does not answer: check whether lunette-agent is running."
    assert status["agent"]["answers"] is False
    assert status["exports"]["state"] == "unknown"
    assert status["counts"]["disks"] is None


@pytest.mark.parametrize("path", ["/sessions", "/engines"])
def test_what_only_the_agent_knows_is_unavailable(api: Api, path: str) -> None:
    refused = api.call("GET", path)
    assert (refused.status_code, refused.json()["type"]) == (503, "unavailable")
    assert refused.headers["Retry-After"]


def test_hosts_can_be_entered_while_the_agent_is_away(api: Api, services: ApiServices) -> None:
    made = api.made("/hosts", {"name": "h", "iqns": ["iqn.2026-01.com.example:h"]})
    assert made["export"] == {"state": "none", "reason": None}
    assert made["sessions"] is None
