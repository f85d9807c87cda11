"""The health of disks as the API shows it."""

from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import disk_ids
from backend.tests.wiring import Api
from lunette.agent.core import Agent


def test_a_disk_shows_its_health_and_what_is_wrong_in_words(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    first = disk_ids(appliance)[0]
    assert appliance.get(f"/disks/{first}")["health"]["problem"] == "it has not been queried yet"
    agent.ask_disks()
    appliance.until(lambda: appliance.get(f"/disks/{first}")["health"]["state"] == "ok")
    health = appliance.get(f"/disks/{first}")["health"]
    assert health["values"]["temperature_c"] == 35
    assert health["values"]["pending_sectors"] is None, "an NVMe drive has none, which is not zero"
    assert health["read_at"] is not None
    machine.tools.drives.health(machine.blocks.disks[0]).critical_warning = 0b1000
    machine.advance(700)
    agent.ask_disks()
    appliance.until(lambda: len(appliance.items("/disks", health="failing")) == 1)
    (failing,) = appliance.items("/disks", health="failing")
    assert failing["health"]["reasons"] == [
        {
            "kind": "read_only",
            "severity": "critical",
            "message": "It no longer accepts writes. The bit `read_only` of its critical warning is set.",
        }
    ]


def test_power_loss_protection_is_reported_where_it_is_known(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    first = disk_ids(appliance)[0]
    assert appliance.get(f"/disks/{first}")["observed"]["power_loss_protection"] is None
    machine.blocks.disks[0].has_write_cache = False
    agent.ask_disks()
    appliance.until(lambda: appliance.get(f"/disks/{first}")["observed"]["power_loss_protection"])


def test_the_setting_says_how_often_drives_are_queried(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    answer = appliance.call("PATCH", "/settings", json={"disk_health_minutes": 1}, headers={"If-Match": "*"})
    assert answer.status_code == 200
    served = agent.served
    appliance.until(lambda: (found := served()) is not None and found.disk_health_s == 60)
    agent.ask_disks()
    machine.tools.drives.asked.clear()
    machine.advance(61)
    agent.ask_disks()
    assert len(machine.tools.drives.asked) == 12
    refused = appliance.call("PATCH", "/settings", json={"disk_health_minutes": 0}, headers={"If-Match": "*"})
    assert refused.status_code == 422


def test_self_tests_run_on_schedule_and_their_results_are_shown(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    wanted = {"short_test_days": 3, "long_test_days": 0}
    assert appliance.call("PATCH", "/settings", json=wanted, headers={"If-Match": "*"}).status_code == 200
    served = agent.served
    appliance.until(lambda: (found := served()) is not None and found.self_tests.short_days == 3)
    drive = machine.tools.drives.health(machine.blocks.disks[0])
    drive.test_fails = True
    agent.ask_disks()
    assert (machine.blocks.disks[0].serial, "short") in machine.tools.drives.tested
    for _ in range(2):
        machine.advance(700)
        agent.ask_disks()
    first = disk_ids(appliance)[0]
    appliance.until(lambda: appliance.get(f"/disks/{first}")["health"]["state"] == "failing")
    health = appliance.get(f"/disks/{first}")["health"]
    assert [reason["kind"] for reason in health["reasons"]] == ["self_test"]
    assert health["self_tests"] == {
        "is_running": False,
        "refused": None,
        "log": [{"kind": "short", "result": "failed", "hours": 1234, "lba": None, "words": "Completed: read failure"}],
    }
    text = appliance.ask("GET", "/metrics").text
    assert f'lunette_disk_self_test_failed{{disk="{first}"}} 1' in text


def test_a_scrape_has_the_health_of_disks(appliance: Api, machine: FakeSystem, agent: Agent) -> None:
    machine.tools.drives.health(machine.blocks.disks[0]).used = 97
    agent.ask_disks()
    first = disk_ids(appliance)[0]
    appliance.until(lambda: appliance.get(f"/disks/{first}")["health"]["state"] == "warning")
    text = appliance.ask("GET", "/metrics").text
    assert f'lunette_disk_used_ratio{{disk="{first}"}} 0.97' in text
    assert f'lunette_disk_health_state{{disk="{first}"}} 1' in text
    assert "lunette_disk_pending_reallocations{" not in text


def test_the_history_of_a_disk_is_found_by_its_serial_and_after_it_was_pulled(
    appliance: Api, machine: FakeSystem, agent: Agent
) -> None:
    first = disk_ids(appliance)[0]
    agent.ask_disks()
    appliance.until(lambda: appliance.get(f"/disks/{first}/history")["days"])
    serial = appliance.get(f"/disks/{first}")["serial"]
    history = appliance.get(f"/disks/{serial}/history")
    assert history == appliance.get(f"/disks/{first}/history")
    (day,) = history["days"]
    assert (history["disk"], day["state"], day["hottest_c"], day["serial"]) == (first, "ok", 35, serial)
    assert day["values"] == appliance.get(f"/disks/{first}")["health"]["values"]
    machine.pull(machine.blocks.disks[0])
    machine.changed()
    appliance.until(lambda: first not in disk_ids(appliance))
    assert appliance.get(f"/disks/{first}/history") == history
    assert appliance.ask("GET", "/disks/nobody/history").status_code == 404
