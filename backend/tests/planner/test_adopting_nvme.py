"""What cannot be adopted of a running nvmet: reported at each object, with what to do; its subsystem is left alone.

The configuration is created on a fake machine, read as the agent reads it, and judged.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from backend.tests import seen
from backend.tests.fakemachine import FakeSystem
from backend.tests.faults import foreign_subsystems as made
from backend.tests.faults.foreign_subsystems import DB, DB_NQN, KEYS, NGUID, UUIDS, WEB1, WEB2, WEB_NQN
from backend.tests.faults.foreign_targets import UUID as ARRAY_UUID
from backend.tests.planner.test_adopting import NOTHING
from lunette.agent import foreign
from lunette.domain.adopting import Foreign
from lunette.domain.arrays import ObservedMember
from lunette.domain.identity import IdentitySource
from lunette.planner.access.portals import KnownPortal
from lunette.planner.adopting import Adoption, plan_adopt
from lunette.planner.adopting.facts import Facts
from lunette.providers.exports.lio import plan as lio
from lunette.providers.exports.nvmet import plan as nvmet
from lunette.providers.exports.nvmet.configfs import ROOT
from lunette.providers.exports.nvmet.tree import WAITING

DB_PATH, WEB_PATH = f"subsystems/{DB_NQN}", f"subsystems/{WEB_NQN}"
FIRST, LAST, SHARED = f"{DB_PATH}/namespaces/3", f"{DB_PATH}/namespaces/7", f"{WEB_PATH}/namespaces/1"


class Scenario:
    def __init__(self) -> None:
        self.machine = FakeSystem()
        disks = self.machine.add_disks(3)
        self.machine.run(["modprobe", "nvmet-tcp"])
        made.two_subsystems(self.machine, disks[:2])
        self.spare = f"/dev/{disks[2].kernel_name}"
        self.seen = seen.machine(
            addresses=("192.0.2.1",),
            engines=(lio.capability(), nvmet.capability()),
            arrays=(
                seen.array(
                    ARRAY_UUID, ("nvme-D1", "nvme-D2"), ours=False, name="0", level="raid1", chunk_bytes=None
                ).model_copy(
                    update={
                        "members": tuple(
                            ObservedMember(disk_id=f"nvme-D{n}", device=f"/dev/nvme{n}n1", state="in_sync", slot=n - 1)
                            for n in (1, 2)
                        )
                    }
                ),
            ),
        )

    def write(self, path: str, value: str) -> None:
        self.machine.write(f"{ROOT}/{path}", value)

    def again(self, path: str, **attributes: str) -> None:
        """A namespace that is taken down and set up in another way."""
        self.write(f"{path}/enable", "0")
        for name, value in attributes.items():
            self.write(f"{path}/{name}", value)
        self.write(f"{path}/enable", "1")

    def moved(self, **place: str) -> None:
        """The port at another place, which serves both again."""
        for nqn in (DB_NQN, WEB_NQN):
            self.machine.unlink(f"{ROOT}/ports/1/subsystems/{nqn}")
        for name, value in place.items():
            self.write(f"ports/1/addr_{name}", value)
        for nqn in (DB_NQN, WEB_NQN):
            made.serve(self.machine, nqn, f"{ROOT}/ports/1")

    def second(self, hosts: list[str], number: int, device: str) -> None:
        """One more subsystem, at a port of its own."""
        made.subsystem(self.machine, "nqn.2020-01.com.example:more", hosts)
        made.namespace(self.machine, "nqn.2020-01.com.example:more", number, device)
        made.serve(self.machine, "nqn.2020-01.com.example:more", made.port(self.machine, "2", "4422"))

    def judged(self, facts: Facts = NOTHING, *chosen: str, found: Foreign | None = None) -> Adoption:
        return plan_adopt(found or foreign.observe(self.machine, None), self.seen, facts, IdentitySource(), chosen)


def words(adoption: Adoption, *, fits: bool = False) -> dict[str, str]:
    findings = adoption.verdict.findings
    return {one.path.removeprefix("/nvmet/"): one.words for one in findings if one.fits is fits}


@pytest.fixture
def scenario() -> Scenario:
    return Scenario()


def any_host(scenario: Scenario) -> None:
    scenario.machine.unlink(f"{ROOT}/{DB_PATH}/allowed_hosts/{DB}")
    scenario.write(f"{DB_PATH}/attr_allow_any_host", "1")


def odd_link(scenario: Scenario) -> None:
    scenario.machine.unlink(f"{ROOT}/{DB_PATH}/allowed_hosts/{DB}")
    scenario.machine.symlink(f"{ROOT}/hosts/{DB}", f"{ROOT}/{DB_PATH}/allowed_hosts/friend")


def no_port(scenario: Scenario) -> None:
    scenario.machine.unlink(f"{ROOT}/ports/1/subsystems/{DB_NQN}")


def empty(scenario: Scenario) -> None:
    for path in (FIRST, LAST):
        scenario.machine.rmdir(f"{ROOT}/{path}")


def twice(scenario: Scenario) -> None:
    made.namespace(scenario.machine, DB_NQN, 9, "/dev/srv/disk0", uuid=UUIDS["disk0"], nguid=NGUID)


def high(scenario: Scenario) -> None:
    made.namespace(scenario.machine, DB_NQN, 256, "/dev/srv/idle")


def referral(scenario: Scenario) -> None:
    scenario.machine.mkdir(f"{ROOT}/ports/1/referrals/partner")


CASES: list[tuple[str, Callable[[Scenario], None], str, str]] = [
    ("any host", any_host, DB_PATH, "write 0 to attr_allow_any_host"),
    ("a link of another name", odd_link, DB_PATH, "friend has another name than its destination"),
    ("no port", no_port, DB_PATH, "No port serves it"),
    ("no namespace", empty, DB_PATH, "It has no namespace"),
    ("a namespace that is off", lambda s: s.write(f"{LAST}/enable", "0"), LAST, "It is not enabled"),
    ("a volume twice", twice, f"{DB_PATH}/namespaces/9", "the same volume as namespace 3"),
    ("a high number", high, f"{DB_PATH}/namespaces/256", "from 1 to 255"),
    ("the page cache", lambda s: s.again(FIRST, buffered_io="1"), FIRST, "buffered_io"),
    ("another ANA group", lambda s: s.write(f"{FIRST}/ana_grpid", "2"), FIRST, "It is in ANA group 2"),
    ("no UUID", lambda s: s.again(FIRST, device_uuid="0" * 32), FIRST, "It has no UUID"),
    ("a disk", lambda s: s.again(FIRST, device_path=s.spare), FIRST, "is not a logical volume known to LVM"),
    ("the same UUID", lambda s: s.again(FIRST, device_uuid=UUIDS["disk1"]), FIRST, "hosts would treat the two as one"),
    (
        "a key that is none",
        lambda s: s.write(f"hosts/{DB}/dhchap_key", WAITING),
        f"{DB_PATH}/allowed_hosts/{DB}",
        "DH-HMAC-CHAP does not fit (secret)",
    ),
    (
        "two keys alike",
        lambda s: s.write(f"hosts/{DB}/dhchap_ctrl_key", KEYS[0]),
        f"{DB_PATH}/allowed_hosts/{DB}",
        "must differ",
    ),
    ("half a key", lambda s: s.write(f"hosts/{DB}/dhchap_key", "\0"), f"{DB_PATH}/allowed_hosts/{DB}", "no dhchap_key"),
    (
        "an address in another form",
        lambda s: s.moved(trsvcid="04421"),
        "ports/1",
        "Lunette writes this as 192.0.2.1 port 4421",
    ),
    ("TLS", lambda s: s.moved(tsas="tls1.3"), "ports/1", "addr_tsas tls1.3"),
    ("a secure channel", lambda s: s.moved(treq="required"), "ports/1", "addr_treq required"),
    (
        "an ANA state",
        lambda s: s.write("ports/1/ana_groups/1/ana_state", "non-optimized"),
        "ports/1",
        "ANA group 1 (non-optimized)",
    ),
    ("a referral", referral, "ports/1", "referral partner"),
]


def test_everything_is_adopted_if_nothing_prevents_it(scenario: Scenario) -> None:
    """Otherwise the tests below would say nothing."""
    adoption = scenario.judged()
    assert set(adoption.verdict.targets) == {DB_NQN, WEB_NQN}
    assert words(adoption) == {}
    reported = words(adoption, fits=True)
    assert reported[FIRST] == f"Volume srv/disk0, as UUID {UUIDS['disk0']} with NGUID {NGUID}."
    assert reported[LAST].endswith("with no NGUID.")
    assert reported[f"{DB_PATH}/allowed_hosts/{DB}"] == "Host with its key both ways."
    assert reported[f"{WEB_PATH}/allowed_hosts/{WEB1}"] == "Host with no key."
    assert reported["ports/1"] == "Portal on tcp 192.0.2.1 port 4421."
    assert not [one for one in reported.values() if "DHHC" in one]


@pytest.mark.parametrize(("change", "path", "why"), [one[1:] for one in CASES], ids=[one[0] for one in CASES])
def test_what_does_not_fit_is_named_and_excludes_its_subsystem(
    scenario: Scenario, change: Callable[[Scenario], None], path: str, why: str
) -> None:
    change(scenario)
    adoption = scenario.judged()
    assert why in words(adoption)[path]
    assert DB_NQN not in adoption.verdict.targets
    assert DB_PATH in words(adoption)
    served = scenario.machine.exists(f"{ROOT}/ports/1/subsystems/{DB_NQN}")
    assert bool(adoption.rows.steps) is not served, "who shares its port stays with it"
    assert not [one for one in words(adoption).values() if "DHHC-1:00:A" in one]


@pytest.mark.parametrize(
    ("place", "change", "path", "why"),
    [
        ("subsystems", {"unusual": ("passthru",)}, DB_PATH, "passes a whole drive through"),
        ("subsystems", {"unusual": ("attr_pi_enable",)}, DB_PATH, "protection information"),
        ("subsystems", {"nqn": "old-db"}, "subsystems/old-db", "does not support the name"),
        ("nvme_ports", {"transport": "fc"}, "ports/1", "Ports over fc cannot be adopted"),
        ("nvme_ports", {"address": "fe80::1%eth0"}, "ports/1", "Lunette writes this as"),
    ],
)
def test_what_the_fake_cannot_make_is_refused_as_it_is_reported(
    scenario: Scenario, place: str, change: dict[str, object], path: str, why: str
) -> None:
    found = foreign.observe(scenario.machine, None)
    first, *rest = getattr(found, place)
    adoption = scenario.judged(found=found.model_copy(update={place: (first.model_copy(update=change), *rest)}))
    assert why in words(adoption)[path]
    assert adoption.verdict.targets == ()


def test_a_host_of_several_subsystems_has_one_of_its_own_and_one_of_its_group(scenario: Scenario) -> None:
    scenario.second([WEB1], 4, "/dev/srv/idle")
    adoption = scenario.judged()
    assert len(adoption.verdict.targets) == 3
    owners = {target.nqn: (target.host_id, target.host_group_id) for target in adoption.rows.targets}
    (web1,) = [host.id for host in adoption.rows.hosts if host.initiator == WEB1]
    assert owners["nqn.2020-01.com.example:more"] == (web1, None)
    assert web1 in adoption.rows.groups[0].host_ids


@pytest.mark.parametrize(
    ("hosts", "device", "why"),
    [
        ([DB], "/dev/srv/idle", "In Lunette a host has one subsystem of its own"),
        ([WEB1, WEB2], "/dev/srv/idle", "In Lunette a host is in one group"),
        ([WEB1], "/dev/srv/shared", "through several subsystems"),
    ],
)
def test_a_host_that_appears_twice_is_refused(scenario: Scenario, hosts: list[str], device: str, why: str) -> None:
    scenario.second(hosts, 1, device)
    adoption = scenario.judged()
    assert why in words(adoption)[f"subsystems/nqn.2020-01.com.example:more/allowed_hosts/{hosts[0]}"]
    assert "nqn.2020-01.com.example:more" not in adoption.verdict.targets


def test_a_volume_with_two_identities_is_refused(scenario: Scenario) -> None:
    scenario.second(["nqn.2014-08.com.example:other"], 4, "/dev/srv/disk0")
    assert "has a different UUID or NGUID in another subsystem" in words(scenario.judged())[FIRST]


def test_who_shares_a_host_with_one_that_stays_stays_too(scenario: Scenario) -> None:
    """Its key is one for both, and Lunette would set it."""
    scenario.second([WEB1], 4, "/dev/srv/idle")
    adoption = scenario.judged(NOTHING, "nqn.2020-01.com.example:more")
    reported = words(adoption)["subsystems/nqn.2020-01.com.example:more"]
    assert reported.startswith(f"Host {WEB1} also belongs to {WEB_NQN}, which is not adopted")
    assert adoption.verdict.targets == ()


def test_others_at_another_port_do_not_keep_it_out(scenario: Scenario) -> None:
    scenario.second(["nqn.2014-08.com.example:other"], 4, scenario.spare)
    assert set(scenario.judged().verdict.targets) == {DB_NQN, WEB_NQN}


@pytest.mark.parametrize(
    ("facts", "path", "why"),
    [
        ({"targets": frozenset({DB_NQN})}, DB_PATH, "already served under this name"),
        ({"initiators": {DB: "db"}}, f"{DB_PATH}/allowed_hosts/{DB}", "already an initiator of host db in Lunette"),
        ({"uuids": frozenset({UUIDS["disk0"]})}, FIRST, "A volume of Lunette already has the UUID"),
        ({"nguids": frozenset({NGUID.replace("-", "")})}, FIRST, "A volume of Lunette already has the NGUID"),
        (
            {"portals": (KnownPortal("p", "mine", "nvme-tcp", "192.0.2.1", 4421, "nvmet"),)},
            "ports/1",
            "portal mine already listens on 192.0.2.1:4421",
        ),
        ({"portals": (KnownPortal("p", "mine", "nvme-tcp", "192.0.2.1", 4420, "spdk"),)}, "ports/1", "served by spdk"),
    ],
)
def test_what_collides_with_the_database_stays(
    scenario: Scenario, facts: dict[str, object], path: str, why: str
) -> None:
    adoption = scenario.judged(replace(NOTHING, **facts))  # type: ignore[arg-type]
    assert why in words(adoption)[path]
    assert adoption.verdict.targets == ()


def test_a_mounted_volume_stays(scenario: Scenario) -> None:
    scenario.machine.blocks.open_exclusively("/dev/srv/disk0", "a file system")
    assert "is also mounted or in use" in words(scenario.judged())[FIRST]
