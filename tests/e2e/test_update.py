"""Updates of an installed appliance: a host's I/O rides through one that is healthy and one that is not."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lunette.client import Client, Endpoint, JobFailed, JsonObject, Refused
from lunette_image import signing
from tests.e2e.waiting import wait_until
from tests.initiators.kernel import KernelInitiator
from tests.lab.access import PatientClient, fingerprint_of
from tests.machines.disks import ROOT_SERIAL
from tests.machines.images import iso_image, update_bundle
from tests.machines.qemu_command import Media
from tests.machines.qemu_firmware import FirmwareQemu

pytestmark = [pytest.mark.qemu, pytest.mark.slow, pytest.mark.iso, pytest.mark.timeout(5400)]

DEADLINE_S = 1800.0
"""As in test_iso.py: two minutes where nothing else runs."""
JOB_S = 3600.0
MIB = 1 << 20
NEXT, ILL = "77.1.0", "77.2.0"
"""Versions of the two bundles: the same system with another name, and one whose API never starts."""
PASSWORD = "correct horse battery"
DOCUMENT = f"""\
version: 1
disk: {ROOT_SERIAL}
administrator:
  password: {PASSWORD}
"""
IQN, PORTAL_PORT = "iqn.2026-01.com.example:writer", 3260
SEED = 7


@dataclass
class Site:
    """An installed appliance that serves one volume to a host, which writes all the time."""

    machine: FirmwareQemu
    host: KernelInitiator
    client: Client
    target: str
    device: str

    def update(self) -> JsonObject:
        """What the appliance says of its slots."""
        return self.client.get("/updates")

    def upload(self, bundle: Path) -> JsonObject:
        with bundle.open("rb") as opened:
            answer: JsonObject = self.client.operate("update_upload", {}, {}, opened)
        return answer

    def install(self, bundle: Path) -> JsonObject:
        """The job, ended well."""
        uploaded = self.upload(bundle)
        plan = self.client.post("/updates", {"bundle": uploaded["id"]}, dry_run=True)
        assert plan["hosts_interrupted"] == ["writer"]
        job = self.client.post("/updates", {"bundle": uploaded["id"]})
        return self.client.wait(job, deadline_s=JOB_S)

    def written(self) -> int:
        return self.host.acknowledged(self.device, SEED)

    def assert_writes_go_on(self) -> None:
        """The host's path is back, and it has not noticed more than a pause."""
        wait_until("the host's path is back", lambda: self.host.is_connected(self.target), 600)
        before = self.written()
        wait_until("the host writes on", lambda: self.written() > before + 5, 300)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    media = Media(iso_image())
    machine = FirmwareQemu("update", media, nvme=3, system_mib=8192)
    with machine, KernelInitiator("update-host") as host:
        install(machine)
        machine.media = replace(media, iso=None)
        machine.start()
        machine.wait_for_api(DEADLINE_S)
        fingerprint = fingerprint_of(machine.api_url)
        with PatientClient(Endpoint(url=machine.api_url, fingerprint=fingerprint)) as first:
            first.login("admin", PASSWORD)
            wait_until("the agent answers", lambda: first.get("/status")["agent"]["answers"], 300)
            token = str(first.post("/tokens", {"name": "kept", "role": "administrator"})["token"])
        with PatientClient(Endpoint(url=machine.api_url, fingerprint=fingerprint, token=token)) as client:
            target = serve(client, [disk.serial for disk in machine.disks[:2]])
            host.login(target, f"{machine.address}:{machine.forward(PORTAL_PORT)}", IQN, replacement_timeout_s=3600)
            device = host.devices(target, expected=1)[1]
            host.start_logged_writer(device, SEED, 4096, 7200)
            yield Site(machine, host, client, target, device)


def install(machine: FirmwareQemu) -> None:
    """From the ISO, with a document on the last disk, which is blank again afterward."""
    machine.make_disks()
    medium = machine.disk_file(machine.disks[2].serial)
    text = medium.with_suffix(".yaml")
    text.write_text(DOCUMENT)
    at = ("-i", str(medium))
    for argv in (("mformat", *at, "-v", "LUNETTE_CFG", "::"), ("mcopy", *at, str(text), "::/install.yaml")):
        subprocess.run(argv, check=True)
    machine.start()
    machine.wait_for_text(r"installer: certificate +SHA-256", DEADLINE_S)
    machine.wait_for_power_off(600)
    medium.write_bytes(b"")
    with medium.open("r+b") as opened:
        opened.truncate(machine.disks[2].size_bytes)


def serve(client: Client, serials: list[str]) -> str:
    """A volume of an array over the disks, served to the one host. The target's name."""
    known = {disk["serial"]: str(disk["id"]) for disk in client.list("/disks")}
    spec = {"name": "tank", "engine": "md", "level": "raid0", "disks": [known[serial] for serial in serials]}
    client.wait(client.post("/arrays", spec))
    client.wait(client.post("/volumes", {"name": "lun", "array": "tank", "size_bytes": 64 * MIB}))
    client.post("/hosts", {"name": "writer", "iqns": [IQN]})
    client.post("/portals", {"name": "storage", "address": "0.0.0.0", "port": PORTAL_PORT})
    client.post("/mappings", {"volume": "lun", "host": "writer"})
    wait_until("the mapping is served", lambda: {one["state"] for one in client.list("/mappings")} == {"open"}, 300)
    return str(client.get("/hosts/writer")["target_iqn"])


def slots(site: Site) -> dict[str, JsonObject]:
    return {slot["name"]: slot for slot in site.update()["slots"]}


def test_what_is_truncated_foreign_or_of_a_stranger_is_refused_in_words(site: Site, tmp_path: Path) -> None:
    before = site.update()
    assert (before["available"], before["on_trial"], before["last"]) == (True, False, None)
    assert "development key" in before["trusts"]
    assert (slots(site)["a"]["running"], slots(site)["b"]["version"]) == (True, None)
    stranger = (tmp_path / "stranger.pem", tmp_path / "stranger.key")
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-subj", "/CN=stranger", "-days", "4000"]
    argv += ["-addext", signing.PURPOSE]
    subprocess.run([*argv, "-out", str(stranger[0]), "-keyout", str(stranger[1])], check=True, capture_output=True)
    of_a_stranger = update_bundle(NEXT, "--empty", "--cert", str(stranger[0]), "--key", str(stranger[1]))
    half = tmp_path / "half.raucb"
    content = update_bundle(NEXT, "--empty").read_bytes()
    half.write_bytes(content[: len(content) // 2])
    for bundle, words in (
        (of_a_stranger, "its signer is not trusted by this appliance"),
        (half, "not a bundle, or it is incomplete"),
        (update_bundle(NEXT, "--empty", "--compatible", "toaster"), "for toaster"),
    ):
        with pytest.raises(Refused) as refused:
            site.upload(bundle)
        assert words in refused.value.problem["detail"]
    assert site.update()["slots"] == before["slots"]
    assert site.written() > 0


def test_a_host_rides_through_an_update_and_keeps_its_data_and_identities(site: Site) -> None:
    volume, disk = site.client.get("/volumes/lun"), slots(site)["a"]["version"]
    site.install(update_bundle(NEXT))
    site.assert_writes_go_on()
    now = slots(site)
    assert (now["b"]["running"], now["b"]["next"], now["b"]["version"]) == (True, True, NEXT)
    assert (now["a"]["running"], now["a"]["next"], now["a"]["version"]) == (False, False, disk)
    assert site.update()["last"]["state"] == "healthy"
    assert site.update()["outage_s"] > 0
    after = site.client.get("/volumes/lun")
    for name in ("id", "serial", "naa", "uuid"):
        assert after.get(name) == volume.get(name)
    assert str(site.client.get("/hosts/writer")["target_iqn"]) == site.target


def test_what_does_not_prove_healthy_gives_way_to_the_system_before(site: Site, tmp_path: Path) -> None:
    overlay = tmp_path / "ill"
    units = overlay / "etc/systemd/system"
    (units / "lunette-trial.service.d").mkdir(parents=True)
    (units / "lunette-api.service.d").mkdir()
    (units / "lunette-api.service.d/ill.conf").write_text("[Service]\nExecStartPre=/bin/false\n")
    (units / "lunette-trial.service.d/short.conf").write_text("[Service]\nEnvironment=LUNETTE_TRIAL_S=120\n")
    with pytest.raises(JobFailed) as failed:
        site.install(update_bundle(ILL, "--overlay", str(overlay)))
    assert "does not answer" in str(failed.value.job["error"]["detail"])
    site.assert_writes_go_on()
    now = slots(site)
    assert (now["b"]["running"], now["b"]["next"], now["b"]["version"]) == (True, True, NEXT)
    last = site.update()["last"]
    assert (last["version"], last["state"]) == (ILL, "failed")
    wait_until("the alert tells why", lambda: [a for a in alerts(site) if "does not answer" in a["cause"]], 300)
    site.host.stop_logged_writer(site.device, SEED)
    assert site.host.verify_logged(site.device, SEED) > 0


def alerts(site: Site) -> list[JsonObject]:
    return [one for one in site.client.list("/alerts", active="true") if one["key"] == "system.update"]
