"""The report of a round: what was repaired, but not what was requested or appeared automatically."""

from backend.tests.agent.exports import exports
from backend.tests.fakemachine import FakeSystem
from lunette.agent.repairs import MOST, Repairs
from lunette.domain.exports import ConvergeReport, PortalReport, ServingState
from lunette.providers.exports.configfs import Configfs

GONE = "iscsi/iqn.x/tpgt_1/lun/lun_1 was missing"


def report(*found: str, portal: str | None = None) -> ConvergeReport:
    state = ServingState.BLOCKED if portal else ServingState.OPEN
    return ConvergeReport(
        generation=1,
        accepted=True,
        refusal=None,
        changed=len(found),
        targets=(),
        volumes=(),
        unexplained=(),
        foreign=(),
        portals=(PortalReport(portal_id="p", state=state, reason=portal),),
        found=found,
    )


def reported(repairs: Repairs) -> tuple[str, ...]:
    ended = repairs.reported(report())
    assert ended.found == ()
    return ended.repaired


def test_what_the_first_round_or_a_change_creates_is_not_a_repair() -> None:
    repairs = Repairs()
    repairs.note(exports(generation=1), report(GONE))
    repairs.note(exports(generation=2), report(GONE))
    assert reported(repairs) == ()


def test_foreign_removals_are_reported_once_and_retained_until_then() -> None:
    repairs = Repairs()
    for found in ((), (GONE,), (), ("x was different",)):
        repairs.note(exports(generation=1), report(*found))
    assert reported(repairs) == (GONE, "x was different")
    assert reported(repairs) == ()
    for number in range(MOST + 5):
        repairs.note(exports(generation=1), report(f"{number} was missing"))
    assert len(reported(repairs)) == MOST


def test_a_portal_that_opens_with_its_address_is_not_a_repair() -> None:
    repairs = Repairs()
    repairs.note(exports(generation=1), report(portal="the appliance does not have this address"))
    repairs.note(exports(generation=1), report("np/10.0.0.1:3260 was missing"))
    assert reported(repairs) == ()
    repairs.note(exports(generation=1), report("np/10.0.0.1:3260 was missing"))
    assert reported(repairs) == ("np/10.0.0.1:3260 was missing",)


def test_what_is_tried_in_vain_each_time_is_not_corrected() -> None:
    files = Configfs(FakeSystem(), "/sys/kernel/config/target")
    files.found = [
        ("core/a", "was unexpected"),
        ("core/a", "was missing"),
        ("core/a/control", "was different"),
        ("core/ab", "was missing"),
    ]
    assert files.put_right({"core/a": "the kernel refused"}.keys()) == ("core/ab was missing",)


def test_what_is_below_a_folder_that_was_missing_itself_is_not_reported_alongside_it() -> None:
    files = Configfs(FakeSystem(), "/sys/kernel/config/target")
    files.found = [
        ("core/a", "was missing"),
        ("core/a/control", "was different"),
        ("core/a/lun/lun_1", "was missing"),
        ("core/ab", "was different"),
        ("core/ab/x was missing", "was different"),
    ]
    assert files.put_right({}.keys()) == (
        "core/a was missing",
        "core/ab was different",
        "core/ab/x was missing was different",
    )
