"""Fibre Channel ports as sysfs tells them. Values are recorded from Linux 6.12: fcoe from a guest with FCoE VN2VN on a
veth pair, qla2xxx from the driver's own formats (qla_attr.c), as no such HBA was at hand."""

import pytest

from backend.tests.fakemachine import FakeSystem
from lunette.domain.fc import FcMode
from lunette.providers.fabrics import fc_host

PORT, REMOTE = "20:00:ea:a0:41:91:a3:01", "20:00:1e:3c:b1:60:c4:4c"


@pytest.mark.parametrize("word", ["enabled", "disabled", "dual", "exclusive"])
def test_the_mode_a_qlogic_port_is_set_to(word: str) -> None:
    shown = f"Supported options: enabled | disabled | dual | exclusive\nCurrent selection: {word}\n"
    assert fc_host.parse_ini_mode(shown) == word


def test_a_port_without_a_reported_mode() -> None:
    assert fc_host.parse_ini_mode("Supported options: enabled | disabled | dual | exclusive\n") is None


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("FCP Initiator\n", ("FCP Initiator",)),
        ("FCP Target, FCP Initiator\n", ("FCP Target", "FCP Initiator")),
        ("unknown\n", ()),
        ("", ()),
    ],
)
def test_roles_of_a_remote_port(text: str, roles: tuple[str, ...]) -> None:
    assert fc_host.parse_roles(text) == roles


@pytest.mark.parametrize(
    ("text", "value"), [("(null)\n", None), ("unknown\n", None), ("", None), ("9.12.01 (d0d5)\n", "9.12.01 (d0d5)")]
)
def test_what_a_driver_does_not_report_is_none(text: str, value: str | None) -> None:
    assert fc_host.plain(text) == value


def test_a_machine_without_ports_says_what_to_put_in() -> None:
    assert "QLogic HBA" in (fc_host.lacking(FakeSystem()) or "")
    assert fc_host.observe(FakeSystem()) == ()


def test_a_port_of_a_software_fabric() -> None:
    machine = FakeSystem()
    port = machine.add_fc_port(PORT)
    machine.fc.join(REMOTE, port)
    [seen] = fc_host.observe(machine)
    assert (seen.wwpn, seen.driver, seen.host, seen.state, seen.speed) == (PORT, "fcoe", "host7", "Online", "10 Gbit")
    assert (seen.mode, seen.modes) == (FcMode.INITIATOR, (FcMode.TARGET, FcMode.INITIATOR))
    assert [(one.wwpn, one.roles) for one in seen.remotes] == [(REMOTE, ("FCP Initiator",))]
    assert (seen.firmware, seen.disks) == (None, 0)


@pytest.mark.parametrize(
    ("ini_mode", "mode"),
    [("disabled", FcMode.DISABLED), ("enabled", FcMode.INITIATOR), ("exclusive", FcMode.INITIATOR)],
)
def test_a_qlogic_port(ini_mode: str, mode: FcMode) -> None:
    machine = FakeSystem()
    port = machine.add_fc_port(PORT, "qla2xxx")
    port.ini_mode, port.targets = ini_mode, 2
    machine.changed()
    [seen] = fc_host.observe(machine)
    assert (seen.driver, seen.mode, seen.disks) == ("qla2xxx", mode, 2)
    assert FcMode.DISABLED in seen.modes


def test_a_missing_module_is_reported_with_the_package_that_has_it() -> None:
    machine = FakeSystem()
    machine.available_modules.discard("tcm_qla2xxx")
    machine.add_fc_port(PORT, "qla2xxx")
    fc_host.prepare(machine)
    [seen] = fc_host.observe(machine)
    assert seen.reason == fc_host.lacking(machine)
    assert "tcm_qla2xxx" in (seen.reason or "")
    assert "linux-image-amd64" in (seen.reason or "")


def test_a_driver_without_a_target_half_is_named() -> None:
    machine = FakeSystem()
    machine.add_fc_port(PORT, "lpfc")
    assert "lpfc has no target mode" in (fc_host.lacking(machine) or "")
    assert fc_host.observe(machine)[0].modes == ()
