"""libiscsi's conformance tests against a volume, and the table of docs/reference/conformance.md they must agree with.

Each test that fails has a line there that says why; LUNETTE_GOLDEN=write writes the first table anew.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import pytest

from tests.e2e.waiting import wait_until
from tests.initiators import conformance
from tests.initiators.conformance import Asked
from tests.initiators.libiscsi import LibiscsiInitiator
from tests.lab.appliance import appliance
from tests.machines.uml import Uml
from tests.run.command import ROOT

pytestmark = [pytest.mark.uml, pytest.mark.timeout(1800)]

MIB = 1 << 20
FIRST, SECOND = "iqn.2026-01.com.example:first", "iqn.2026-01.com.example:second"
PORTAL_PORT = 3260
THIN = {"provisioning": "thin"}
TABLE = ROOT / "docs/reference/conformance.md"
HEAD = "| suite | passed | failed | not applicable |\n|---|---|---|---|\n"
RESERVATIONS = re.compile(r"Prin|Prout|Reserve6")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """libiscsi's URL of a thin volume that is mapped to one host with both initiator names."""
    with appliance(Uml("conformance", disks=2, disk_mib=1024)) as made:
        client = made.client
        disks = made.disk_ids("ubd")
        client.wait(client.post("/arrays", {"name": "tank", "engine": "md", "level": "raid1", "disks": disks}))
        client.wait(
            client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 256 * MIB, "provisioning": "thin"})
        )
        client.post("/hosts", {"name": "host", "iqns": [FIRST, SECOND]})
        client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
        client.post("/mappings", {"volume": "lun", "host": "host"})
        (mapping,) = wait_until(
            "the mapping is served", lambda: [m for m in client.list("/mappings") if m["state"] == "open"]
        )
        initiator = LibiscsiInitiator(FIRST, made.machine.address, made.machine.forward(PORTAL_PORT))
        yield initiator.url(str(client.get("/hosts/host")["target_iqn"]), int(mapping["lun"]))


def test_every_persistent_reservation_is_kept_as_the_standard_wants(url: str) -> None:
    names = [name for name in conformance.suites() if RESERVATIONS.match(name)]
    assert len(names) == 8
    asked = [test for name in names for test in conformance.ask(name, url, FIRST, SECOND)]
    assert [test for test in asked if test.outcome == "failed"] == []
    assert sum(test.outcome == "passed" for test in asked if test.suite.startswith(("Prin", "Prout"))) == 20


@pytest.mark.slow
def test_every_suite_ends_as_the_published_table_says(url: str) -> None:
    asked = [test for name in conformance.suites() for test in conformance.ask(name, url, FIRST, SECOND)]
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
