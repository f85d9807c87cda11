"""libiscsi's conformance tests against a volume, and the table of docs/reference/conformance.md they must agree with.

Each test that fails has a line there with the reason; LUNETTE_GOLDEN=write writes the first table again.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import pytest

from lunette.client import JsonObject
from tests.e2e.waiting import wait_until
from tests.initiators import conformance
from tests.initiators.conformance import Asked
from tests.initiators.reservations import (
    BLOCK_BYTES,
    CONFLICT,
    GOOD,
    WRITE_EXCLUSIVE_REGISTRANTS_ONLY,
    Action,
    logged_in,
)
from tests.lab.appliance import Appliance, appliance
from tests.machines.uml import Uml
from tests.run.command import ROOT

pytestmark = [pytest.mark.uml, pytest.mark.timeout(1800), pytest.mark.slow]

MIB = 1 << 20
FIRST, SECOND = "iqn.2026-01.com.example:first", "iqn.2026-01.com.example:second"
PORTAL_PORT = 3260
THIN = {"provisioning": "thin"}
TABLE = ROOT / "docs/reference/conformance.md"
HEAD = "| suite | passed | failed | not applicable |\n|---|---|---|---|\n"
RESERVATIONS = re.compile(r"Prin|Prout|Reserve6")
AFTER_A_SESSION = {"Logout", "ITNexusLoss"}
"""Of Reserve6: they end a session, and ask at once for what it had reserved."""


@dataclass(frozen=True)
class Scenario:
    """A thin volume that is mapped to one host with two initiator names."""

    appliance: Appliance
    portal: str
    target: str
    lun: int

    @property
    def url(self) -> str:
        """As libiscsi writes the LUN."""
        return f"iscsi://{self.portal}/{self.target}/{self.lun}"


@pytest.fixture(scope="module")
def scenario() -> Iterator[Scenario]:
    """On user-mode Linux."""
    with appliance(Uml("conformance", disks=2, disk_mib=1024)) as made:
        client, machine = made.client, made.machine
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
        client.wait(client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 256 * MIB, **THIN}))
        client.post("/hosts", {"name": "host", "iqns": [FIRST, SECOND]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "host"})
        mapping = wait_until("the mapping is served", lambda: served(made))
        portal = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        yield Scenario(made, portal, str(client.get("/hosts/host")["target_iqn"]), int(mapping["lun"]))


def ask(scenario: Scenario, suite: str) -> list[conformance.Asked]:
    """Runs a suite, and once more where it was quicker than the kernel.

    LIO ends a session, and with it a reservation of SPC-2, after it has answered the logout or has noticed that the
    connection is gone (`iscsit_logout_post_handler_closesession`): on a busy machine the next host may come before.
    """
    asked = conformance.ask(suite, scenario.url, FIRST, SECOND)
    too_early = [one for one in asked if one.test in AFTER_A_SESSION and "RESERVATION CONFLICT" in one.said]
    return conformance.ask(suite, scenario.url, FIRST, SECOND) if too_early else asked


def served(made: Appliance) -> JsonObject | None:
    """The mapping, once hosts can use it."""
    return next((mapping for mapping in made.client.list("/mappings") if mapping["state"] == "open"), None)


def test_every_persistent_reservation_is_kept_as_the_standard_wants(scenario: Scenario) -> None:
    names = [name for name in conformance.suites() if RESERVATIONS.match(name)]
    assert len(names) == 8
    asked = [test for name in names for test in ask(scenario, name)]
    assert [test for test in asked if test.outcome == "failed"] == []
    assert sum(test.outcome == "passed" for test in asked if test.suite.startswith(("Prin", "Prout"))) == 20


def test_a_reservation_that_a_host_wants_kept_keeps_another_out_after_a_reset(scenario: Scenario) -> None:
    place = (scenario.portal, scenario.target, scenario.lun)
    with logged_in(FIRST, *place, session=1) as holder:
        assert holder.reserve(Action.REGISTER, 0, 0xA, kept=True) == GOOD
        assert holder.reserve(Action.RESERVE, 0xA, kind=WRITE_EXCLUSIVE_REGISTRANTS_ONLY) == GOOD
        assert holder.write(bytes([1]) * BLOCK_BYTES) == GOOD
    scenario.appliance.machine.reset()
    scenario.appliance.wait_for_api()
    wait_until("the mapping is served", lambda: served(scenario.appliance))
    with logged_in(SECOND, *place, session=2) as other:
        assert other.write(bytes([2]) * BLOCK_BYTES) == CONFLICT
        assert other.keys() == [0xA]
    with logged_in(FIRST, *place, session=1) as holder:
        assert holder.write(bytes([3]) * BLOCK_BYTES) == GOOD
        assert holder.reserve(Action.CLEAR, 0xA) == GOOD
    with logged_in(SECOND, *place, session=2) as other:
        assert other.keys() == []
        assert other.write(bytes([4]) * BLOCK_BYTES) == GOOD


def test_every_suite_ends_as_the_published_table_says(scenario: Scenario) -> None:
    asked = [test for name in conformance.suites() for test in ask(scenario, name)]
    text = TABLE.read_text()
    if os.environ.get("LUNETTE_GOLDEN") == "write":
        start = text.index(HEAD) + len(HEAD)
        text = text[:start] + table(asked) + text[text.index("\n## ", start) :]
        TABLE.write_text(text)
    failed = {f"{test.suite}.{test.test}": test.said for test in asked if test.outcome == "failed"}
    assert {name: said for name, said in failed.items() if name not in explained(text)} == {}
    assert explained(text) - failed.keys() == set()
    assert HEAD + table(asked) in text


def table(asked: Sequence[Asked]) -> str:
    """A line for each suite: how many of its tests passed, failed, and were about what a LUN does not offer."""
    lines = []
    for suite, tests in groupby(asked, key=lambda test: test.suite):
        count = Counter(test.outcome for test in tests)
        lines.append(f"| {suite} | {count['passed']} | {count['failed']} | {count['skipped']} |\n")
    return "".join(lines)


def explained(text: str) -> set[str]:
    """The tests that the second table says to fail."""
    return set(re.findall(r"^\| `(\w+\.\w+)` \|", text, re.MULTILINE))
