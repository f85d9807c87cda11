"""Kits: what a host really has, and nothing else; secrets only where they were asked for."""

import json
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.tests.planner import kit_facts as known
from backend.tests.planner.kit_facts import facts, nvme_facts
from lunette.domain.hosts import OsType
from lunette.domain.kits import HostKit, KitProof
from lunette.domain.mappings import Protocol
from lunette.planner.kits.build import build
from lunette.planner.kits.bundle import members
from lunette.planner.kits.facts import KitFacts, KitPortal, reached
from lunette.planner.kits.linux import host_id

SCRIPTS = {"tidy.sh", "ready.sh", "connect.sh", "check.sh", "kit-files"}
SYSTEMS = [OsType.LINUX, OsType.PROXMOX, OsType.ESXI, OsType.WINDOWS]


def content(kit: HostKit, ending: str) -> str:
    return next(one.content for one in kit.files if one.path.endswith(ending))


def said(kit: HostKit) -> str:
    return kit.model_dump_json()


def test_a_linux_host_gets_a_line_for_each_portal_and_volume() -> None:
    kit = build(facts())
    assert content(kit, "iscsi-portals").splitlines() == [
        f"{known.TARGET} 192.0.2.1 3260 1 default 192.0.2.1:3260",
        f"{known.TARGET} 198.51.100.1 3260 1 default 198.51.100.1:3260",
    ]
    assert content(kit, "scsi-volumes") == f"3{known.LUN.naa} lun01\n"
    assert 'vendor               "LUNETTE"' in content(kit, "conf.d/lunette.conf")
    assert not any("nvme" in one.path for one in kit.files)
    assert "nvme" not in "".join(one.run for one in kit.commands)
    assert (kit.proof, kit.check, kit.warnings) == (KitProof.TESTED, "sh /etc/lunette-host/check.sh", ())


@pytest.mark.parametrize("wanted", [facts(), nvme_facts()])
def test_nothing_is_changed_before_the_machine_is_found_fit_for_the_kit(wanted: KitFacts) -> None:
    assert build(wanted).commands[0].run == "sh /etc/lunette-host/ready.sh"


def test_what_is_there_already_is_left_alone() -> None:
    """Neither the initiator's name nor settings that hold for other targets are written."""
    every = replace(
        facts(nqns=(known.NQN,), targets=(known.SCSI_TARGET, known.NVME_TARGET), portals=(known.A, known.NVME))
    )
    for path in (one.path for one in build(every).files):
        assert path.startswith("/etc/lunette-host/") or path in (
            "/etc/multipath/conf.d/lunette.conf",
            "/etc/systemd/system/lunette-nvme.service",
        )


def test_an_nvme_host_retains_its_disks_forever_and_keys_are_not_arguments() -> None:
    kit = build(nvme_facts(dhchap=known.DHCHAP))
    assert 'echo -1 >"$at/ctrl_loss_tmo"' in content(kit, "connect.sh")
    assert 'loss" != off' in content(kit, "check.sh")
    keys = json.loads(content(kit, "nvme.json"))[0]
    assert keys["hostid"] == known.NQN.rpartition(":")[2]
    assert keys["subsystems"][0]["ports"][0]["dhchap_key"] == "DHHC-1:00:one:"
    assert keys["subsystems"][0]["ports"][0]["dhchap_ctrl_key"] == "DHHC-1:00:two:"
    assert [one.path for one in kit.files if "DHHC" in one.content] == ["/etc/lunette-host/nvme.json"]
    assert "DHHC" not in json.dumps([one.run for one in kit.commands])
    assert "multipath" not in json.dumps([one.path for one in kit.files])


def test_a_host_identifier_is_the_same_each_time_and_another_for_each_name() -> None:
    odd = "nqn.2014-08.com.example:db1"
    assert host_id(odd) == host_id(odd) != host_id(odd + "2")


def test_fibre_channel_needs_nothing_but_multipath_and_a_scan() -> None:
    kit = build(facts(iqns=(), wwpns=(known.WWPN,), portals=(), fc_ports=("20:00:00:00:00:00:00:01",)))
    names = {one.path.rpartition("/")[2] for one in kit.files}
    assert names == SCRIPTS | {"lunette.conf", "scsi-volumes", "fc-ports"}
    assert "iscsid" not in json.dumps([one.run for one in kit.commands])
    assert kit.proof is KitProof.DOCUMENTED


@pytest.mark.parametrize("os_type", SYSTEMS)
def test_secrets_are_placeholders_unless_requested(os_type: OsType) -> None:
    both = {"nqns": (known.NQN,), "targets": (known.SCSI_TARGET, known.NVME_TARGET), "portals": (known.A, known.NVME)}
    without = build(facts(os_type, **both, **known.WITHOUT_SECRETS))
    assert (without.needs_secrets, without.has_secrets) == (True, False)
    assert "@LUNETTE-CHAP-SECRET@" in said(without)
    assert "@LUNETTE-CHAP-MUTUAL-SECRET@" in said(without)
    with_them = build(facts(os_type, **both, chap=known.CHAP, dhchap=known.DHCHAP))
    assert (with_them.needs_secrets, with_them.has_secrets) == (True, True)
    assert "@LUNETTE-CHAP-SECRET@" not in "".join(one.run for one in with_them.commands)
    assert not build(facts(os_type)).needs_secrets


def test_files_with_secrets_are_for_root_alone() -> None:
    kit = build(facts(chap=known.CHAP))
    secret = [one for one in kit.files if known.SECRET in one.content]
    assert [(one.path, one.mode, one.is_secret) for one in secret] == [
        ("/etc/lunette-host/iscsi-node.conf", "0600", True)
    ]
    modes = {member.path: member.mode for member in members(kit)}
    assert modes["lunette-h1/files/etc/lunette-host/iscsi-node.conf"] == 0o600


def test_secrets_survive_the_quotes_of_each_shell() -> None:
    esxi = [one.run for one in build(facts(OsType.ESXI, chap=known.CHAP)).commands if "auth chap" in one.run]
    assert [shlex.split(run)[-1] for run in esxi] == [known.SECRET, known.MUTUAL] * 2
    assert "'it''s $HOME `x`'" in content(build(facts(OsType.WINDOWS, chap=known.CHAP)), "connect.ps1")


def test_the_login_before_discovery_is_in_the_kits_that_need_it() -> None:
    linux = build(facts(discovery=known.CHAP))
    login = content(linux, "iscsi-discovery.conf").splitlines()
    assert f"discovery.sendtargets.auth.username_in = {known.CHAP.mutual_user}" in login
    assert "iscsi-discovery.conf" in " ".join(linux.notes)
    windows = content(build(facts(OsType.WINDOWS, discovery=known.CHAP)), "connect.ps1")
    assert "$Discovery = @{ AuthenticationType = 'MUTUALCHAP'; ChapUsername = 'u'; ChapSecret = 'it''s" in windows
    assert "$Chap = @{}" in windows
    assert "New-IscsiTargetPortal -TargetPortalAddress $Address -TargetPortalPortNumber $Port @Discovery" in windows
    both = build(facts(OsType.WINDOWS, discovery=known.CHAP, chap=known.CHAP))
    assert "Windows stores only one mutual secret" in " ".join(both.warnings)
    assert "false" not in build(facts(OsType.ESXI, discovery=known.WITHOUT_SECRETS["chap"])).commands[0].run


def test_a_kit_for_esxi_without_its_secrets_stops_at_once() -> None:
    assert build(facts(OsType.ESXI, **known.WITHOUT_SECRETS)).commands[0].run.endswith("false")
    assert "false" not in build(facts(OsType.ESXI, chap=known.CHAP)).commands[0].run


@pytest.mark.parametrize(("os_type", "words"), [(OsType.WINDOWS, "no initiator"), (OsType.ESXI, "RDMA adapters")])
def test_iser_is_refused_with_the_reason_without_an_initiator_for_it(os_type: OsType, words: str) -> None:
    kit = build(facts(os_type, portals=(known.A, known.ISER)))
    assert any(words in one for one in kit.warnings)
    assert "3261" not in "".join(one.content for one in kit.files) + "".join(one.run for one in kit.commands)
    assert "iser 192.0.2.1:3261" in content(build(facts(portals=(known.A, known.ISER))), "iscsi-portals")


def test_windows_with_iser_alone_gets_no_kit_but_the_reason() -> None:
    kit = build(facts(OsType.WINDOWS, portals=(known.ISER,)))
    assert (kit.files, kit.commands) == ((), ())
    assert "no initiator" in kit.warnings[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"targets": ()}, "No volume is mapped"),
        ({"portals": ()}, "No portal serves iSCSI"),
        ({"iqns": ()}, "enter its IQN"),
        ({"iqns": (), "wwpns": (known.WWPN,)}, "No Fibre Channel port"),
        ({"targets": (known.NVME_TARGET,)}, "enter its NQN"),
    ],
)
def test_the_kit_of_a_host_that_cannot_connect_names_what_is_missing(changes: dict[str, Any], words: str) -> None:
    kit = build(facts(**changes))
    assert (kit.files, kit.commands, kit.check) == ((), (), None)
    assert words in kit.warnings[0]


def test_one_path_is_a_warning() -> None:
    assert "only one path" in build(facts(portals=(known.A,))).warnings[0]


def test_the_kit_of_an_unknown_system_says_where_to_connect() -> None:
    kit = build(facts(OsType.OTHER))
    assert f"Target {known.TARGET} with lun01 (1)" in kit.notes
    assert "Portal b: 198.51.100.1:3260 over iscsi" in kit.notes


@pytest.mark.parametrize(("outage_s", "kept", "guests"), [(None, 600, 180), (74.0, 600, 180), (310.2, 621, 621)])
def test_hosts_wait_for_an_update_that_fails_and_never_less_than_before(
    outage_s: float | None, kept: int, guests: int
) -> None:
    """Two restarts, as ADR 37 says: each as long as the last one was."""
    windows, esxi, other = (
        build(facts(system, outage_s=outage_s)) for system in (OsType.WINDOWS, OsType.ESXI, OsType.OTHER)
    )
    assert f"$KeepSeconds = {kept}\r\n" in content(windows, "prepare.ps1")
    assert f"/Misc/APDTimeout -i {kept})" in esxi.notes[1]
    assert f"a timeout of {guests} s or more" in esxi.notes[1]
    assert f"timeouts of {kept} s or more" in other.notes[-1]
    why = "not been measured" if outage_s is None else f"for {outage_s:.0f} s; an update that fails takes twice as long"
    assert all(why in kit.notes[-1] for kit in (windows, esxi, other))


def test_a_portal_on_every_address_is_one_for_each_that_can_be_reached() -> None:
    every = replace(known.A, address="0.0.0.0")
    found = reached([every, known.B], ["127.0.0.1", "192.0.2.7", "169.254.1.1", "2001:db8::1", "::1"], [])
    assert [one.address for one in found] == ["192.0.2.7", "198.51.100.1"]
    over_rdma = KitPortal("r", known.ISER.protocol, "::", 3261)
    assert [one.shown for one in reached([over_rdma], ["2001:db8::1"], ["2001:db8::2"])] == ["[2001:db8::2]:3261"]


def test_a_portal_on_every_address_is_warned_of() -> None:
    twice = replace(known.A, address="192.0.2.7")
    assert "192.0.2.1:3260, 192.0.2.7:3260" in build(facts(portals=(known.A, twice))).warnings[0]
    assert build(facts()).warnings == ()


@pytest.mark.parametrize("os_type", SYSTEMS)
def test_commands_and_scripts_of_a_unix_can_be_read_by_a_shell(os_type: OsType, tmp_path: Path) -> None:
    both = {"nqns": (known.NQN,), "targets": (known.SCSI_TARGET, known.NVME_TARGET), "portals": (known.A, known.NVME)}
    for member in members(build(facts(os_type, **both, chap=known.CHAP, dhchap=known.DHCHAP))):
        if member.path.endswith(".sh"):
            script = tmp_path / "script"
            script.write_text(member.content)
            for shell in ("sh", "bash"):
                read = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
                assert (read.returncode, read.stderr) == (0, ""), member.path


@pytest.mark.parametrize("os_type", SYSTEMS)
def test_an_archive_holds_every_file_once_and_what_applies_it(os_type: OsType) -> None:
    kit = build(facts(os_type))
    paths = [member.path for member in members(kit)]
    assert len(set(paths)) == len(paths) == len(kit.files) + 2
    assert not any(".." in path or path.startswith("/") for path in paths)


def test_applying_writes_the_files_and_runs_what_is_not_done(tmp_path: Path) -> None:
    """The archive's own script, with harmless commands in place of the kit's."""
    kit = build(facts())
    one = kit.files[0].model_copy(update={"path": f"{tmp_path}/etc/one", "content": "new\n", "mode": "0640"})
    commands = [
        kit.commands[0].model_copy(update={"run": f"echo {n} >>{tmp_path}/ran", "unless": unless})
        for n, unless in ((1, None), (2, "true"), (3, "false"))
    ]
    small = kit.model_copy(update={"files": (one,), "commands": tuple(commands)})
    for member in members(small):
        place = tmp_path / member.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(member.content)
    for _ in range(2):
        subprocess.run(["sh", str(tmp_path / "lunette-h1/apply.sh")], check=True, capture_output=True)
    assert (tmp_path / "etc/one").read_text() == "new\n"
    assert (tmp_path / "etc/one").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "ran").read_text().split() == ["1", "3", "1", "3"]


FABRIC = KitPortal("f", Protocol.NVME_FC, "nn-0x20000000c9000001:pn-0x10000000c9000001", 0)


def test_over_nvme_fc_the_kit_lets_linux_discover_our_ports() -> None:
    kit = build(nvme_facts(portals=(FABRIC,)))
    assert kit.proof is KitProof.DOCUMENTED
    assert {one.path.rpartition("/")[2] for one in kit.files} == SCRIPTS | {"nvme-volumes", "nvme-names"}
    assert [one.run for one in kit.commands if "nvmefc-boot-connections.service" in one.run]
    assert not [one.run for one in kit.commands if "lunette-nvme.service" in one.run]
    assert [one for one in build(nvme_facts(portals=(FABRIC,), dhchap=known.DHCHAP)).warnings if "DH-HMAC-CHAP" in one]


def test_over_a_network_and_nvme_fc_linux_has_both() -> None:
    kit = build(nvme_facts(portals=(known.NVME, FABRIC)))
    portals = next(one.content for one in kit.files if one.path.endswith("/nvme-portals"))
    assert "nn-0x" not in portals
    assert {"nvmefc-boot-connections", "lunette-nvme"} <= {
        word.removesuffix(".service") for one in kit.commands for word in one.run.split()
    }
