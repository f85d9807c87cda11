"""What the product puts on a server promises: who starts, and that a restarted agent leaves exports alone."""

import re
from pathlib import Path

from lunette.providers.arrays.md.parse import HOMEHOST
from lunette.providers.arrays.md.plan import md_name
from lunette.providers.exports.spdk.plan import TOOL
from lunette.providers.exports.spdk.process import RUN_DIR, UNIT, socket_in
from lunette.providers.volumes.lvm.plan import group_name

IMAGE = Path(__file__).resolve().parents[1]
SERVER, APPLIANCE = IMAGE / "server", IMAGE / "appliance"
UNITS = SERVER / "usr/lib/systemd/system"


def unit(name: str) -> dict[str, list[str]]:
    """Settings of a unit: every value of each key, in order."""
    settings: dict[str, list[str]] = {}
    for line in (UNITS / name).read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            settings.setdefault(key, []).extend(value.split())
    return settings


def test_only_shutdown_closes_exports() -> None:
    agent, exports = unit("lunette-agent.service"), unit("lunette-exports.service")
    assert "ExecStop" not in agent
    assert exports["ExecStop"] == ["/opt/lunette/bin/lunette-agent", "shutdown"]
    assert exports["RefuseManualStop"] == ["yes"]
    for tie in ("Requires", "BindsTo", "PartOf", "Requisite"):
        assert tie not in agent
        assert tie not in exports


def test_exports_stop_after_the_agent_and_before_network_and_file_systems() -> None:
    assert "lunette-exports.service" in unit("lunette-agent.service")["After"]
    assert {"network.target", "local-fs.target", "sys-kernel-config.mount"} <= set(
        unit("lunette-exports.service")["After"]
    )


def test_the_api_runs_without_privileges_and_does_not_need_the_agent() -> None:
    api = unit("lunette-api.service")
    assert api["User"] == ["lunette-api"]
    assert api["CapabilityBoundingSet"] == []
    assert api["NoNewPrivileges"] == api["PrivateDevices"] == ["yes"]
    assert api["Wants"] == ["lunette-agent.service"]
    assert "Requires" not in api


def test_every_unit_has_only_the_capabilities_and_calls_that_it_needs() -> None:
    """How systemd applies these settings is checked by tests/e2e/test_privileges.py, on the booted appliance."""
    asked = ("LockPersonality", "NoNewPrivileges", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID")
    for path in UNITS.glob("*.service"):
        settings = unit(path.name)
        assert all(settings.get(name) == ["yes"] for name in asked), path.name
        for name in ("CapabilityBoundingSet", "RestrictAddressFamilies"):
            assert name in settings, path.name
            assert not any(word.startswith("~") for word in settings[name]), f"{path.name}: what is new comes in"
        assert settings["SystemCallArchitectures"] == ["native"], path.name


def test_what_closes_the_paths_may_less_than_the_agent() -> None:
    """It takes volumes and arrays down, and makes none."""
    agent, exports = (
        {word for line in unit(f"lunette-{name}.service")["CapabilityBoundingSet"] for word in line.split()}
        for name in ("agent", "exports")
    )
    assert agent - exports == {"CAP_IPC_LOCK", "CAP_IPC_OWNER", "CAP_MKNOD", "CAP_NET_BIND_SERVICE"}
    assert exports < agent


def test_nothing_restores_exports_or_assembles_arrays_by_itself() -> None:
    masked = {path.name for path in (SERVER / "etc/systemd/system").iterdir() if path.is_symlink()}
    assert {"rtslib-fb-targetctl.service", "target.service", "multipathd.service", "open-iscsi.service"} <= masked
    assert "AUTO -all" in (SERVER / "etc/mdadm/mdadm.conf").read_text().splitlines()
    assert (SERVER / "etc/udev/rules.d/69-lvm.rules").is_symlink()


def test_the_content_of_volumes_is_not_probed() -> None:
    rules = (SERVER / "etc/udev/rules.d/57-lunette-volumes.rules").read_text()
    assert f'ENV{{DM_VG_NAME}}=="{group_name("0" * 32).rstrip("0")}*"' in rules
    assert 'ENV{DM_UDEV_DISABLE_DISK_RULES_FLAG}="1"' in rules
    assert 'KERNEL=="zd*", ENV{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}="1"' in rules


def test_no_program_warns_of_volumes_without_a_serial_number() -> None:
    """sg3-utils' file is between these two."""
    folder = SERVER / "etc/udev/rules.d"
    before, after = sorted(path.name for path in folder.glob("55-*"))
    assert "55-dm.rules" < before < "55-scsi-sg3_id.rules" < after < "56-lvm.rules"
    assert 'ENV{ID_SERIAL}!="?*", ENV{ID_SERIAL}="none"' in (folder / before).read_text()
    assert 'ENV{ID_SERIAL}=="none", ENV{ID_SERIAL}=""' in (folder / after).read_text()


def test_lunettes_arrays_and_no_others_are_not_watched() -> None:
    rules = (SERVER / "etc/udev/rules.d/65-lunette-arrays.rules").read_text().splitlines()
    name = f"{HOMEHOST}:{md_name('0' * 32)[0]}*"
    assert [line for line in rules if not line.startswith("#")] == [
        f'SUBSYSTEM=="block", KERNEL=="md*", ENV{{MD_NAME}}=="{name}", OPTIONS:="nowatch"'
    ]


def test_no_fabric_module_is_loaded_before_the_agent() -> None:
    lines = (SERVER / "etc/modules-load.d/lunette.conf").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == ["target_core_mod"]


def test_only_what_the_api_prints_reaches_the_console() -> None:
    api = unit("lunette-api.service")
    assert api["StandardOutput"] == ["journal+console"]
    assert api["StandardError"] == ["journal"]


def test_a_qlogic_port_is_not_an_initiator_until_it_is_enabled() -> None:
    lines = (SERVER / "etc/modprobe.d/lunette.conf").read_text().splitlines()
    assert "options qla2xxx qlini_mode=disabled" in lines
    assert {"blacklist bnx2fc", "blacklist cnic"} <= set(lines)


def test_spdk_is_started_by_the_agent_alone_and_retains_its_keys_over_a_restart() -> None:
    spdk = unit("lunette-spdk.service")
    assert "WantedBy" not in spdk
    presets = (SERVER / "usr/lib/systemd/system-preset/00-lunette.preset").read_text()
    assert "lunette-spdk" not in presets
    assert socket_in(RUN_DIR) in spdk["ExecStart"]
    assert spdk["ExecStart"][0] == TOOL
    assert f"/run/{spdk['RuntimeDirectory'][0]}" == RUN_DIR
    assert (spdk["RuntimeDirectoryMode"], spdk["RuntimeDirectoryPreserve"]) == (["0700"], ["restart"])
    assert (spdk["Restart"], spdk["CapabilityBoundingSet"]) == (["always"], [])
    assert (UNITS / UNIT).exists()


def test_shutdown_closes_exports_before_spdk_ends() -> None:
    """What starts after another is stopped before it."""
    assert "lunette-exports.service" in unit("lunette-spdk.service")["Before"]


def test_if_memory_is_short_the_api_is_killed_first_and_the_agent_never() -> None:
    api, agent = unit("lunette-api.service"), unit("lunette-agent.service")
    assert (api["MemoryMax"], api["OOMScoreAdjust"], api["Restart"]) == (["50%"], ["500"], ["always"])
    assert "MemoryMax" not in agent
    assert int(agent["OOMScoreAdjust"][0]) < 0


def test_files_are_enough_for_thousands_of_exports_and_clients() -> None:
    for name in ("lunette-api.service", "lunette-agent.service", "lunette-spdk.service"):
        assert unit(name)["LimitNOFILE"] == ["65536"], name


def test_logs_outlive_a_restart_and_never_fill_the_partition_of_the_database() -> None:
    journald = (APPLIANCE / "etc/systemd/journald.conf.d/lunette.conf").read_text().splitlines()
    assert {"Storage=persistent", "SystemMaxUse=200M"} <= set(journald)
    packages = (IMAGE / "packages.txt").read_text()
    assert not re.search(r"syslog", packages), "a second log would need a rotation of its own"


def test_the_image_sets_its_clock() -> None:
    assert re.search(r"^systemd-timesyncd\b", (IMAGE / "packages.txt").read_text(), re.MULTILINE)
    presets = (APPLIANCE / "usr/lib/systemd/system-preset/01-image.preset").read_text().splitlines()
    assert "enable systemd-timesyncd.service" in presets
