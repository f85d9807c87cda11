"""The four hosts of the scene: initiators with their own names, in one guest outside of the appliance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.initiators.kernel import KernelInitiator, LoginFailed
from tests.initiators.libiscsi import Chap
from tests.lab.scene import PORTAL_PORT, Scene, SceneHost
from tests.machines.machine import Machine

PATTERN_BLOCKS = 512
"""4 KiB blocks written to each volume: 2 MiB."""


class LabHosts:
    """What the hosts do together. `initiator` is the guest they live in."""

    def __init__(self, initiator: KernelInitiator) -> None:
        self.initiator = initiator

    @contextmanager
    def logged_in(self, scene: Scene, machine: Machine) -> Iterator[None]:
        """All hosts are logged in for the time of the block."""
        try:
            for host in scene.hosts:
                self._login(scene, machine, host)
            yield
        finally:
            for host in scene.hosts:
                self.initiator.logout(scene.targets[host.name])

    def write_and_verify(self, scene: Scene, machine: Machine, seed: int) -> dict[str, int]:
        """Every host writes its volumes, leaves, comes back and verifies. Volumes verified by host."""
        with self.logged_in(scene, machine):
            for seeds in self._seeds(scene, seed).values():
                self.initiator.write_patterns(seeds, PATTERN_BLOCKS)
        return self.verify(scene, machine, seed)

    def verify(self, scene: Scene, machine: Machine, seed: int) -> dict[str, int]:
        """Every host comes, verifies and leaves. Volumes verified by host; raises if a block is wrong."""
        with self.logged_in(scene, machine):
            return self.verify_logged_in(scene, seed)

    def verify_logged_in(self, scene: Scene, seed: int) -> dict[str, int]:
        """Verifies with the sessions that are there."""
        counts: dict[str, int] = {}
        for host, seeds in self._seeds(scene, seed).items():
            self.initiator.verify_patterns(seeds, PATTERN_BLOCKS)
            counts[host] = len(seeds)
        return counts

    def verify_if_possible(self, scene: Scene, machine: Machine, seed: int) -> dict[str, int] | None:
        """As verify; None while a host cannot log in."""
        try:
            return self.verify(scene, machine, seed)
        except LoginFailed:
            return None

    def _login(self, scene: Scene, machine: Machine, host: SceneHost) -> None:
        chap = Chap(**host.chap) if host.chap else None
        portal = f"{machine.address}:{machine.forward(PORTAL_PORT)}"
        self.initiator.login(scene.targets[host.name], portal, host.iqn, chap)

    def _seeds(self, scene: Scene, seed: int) -> dict[str, dict[str, int]]:
        """By host, its devices by LUN and the seed of each; raises if a host does not see exactly its own."""
        found: dict[str, dict[str, int]] = {}
        for host in scene.hosts:
            devices = self.initiator.devices(scene.targets[host.name], expected=len(host.volumes))
            if sorted(devices) != list(range(1, len(host.volumes) + 1)):
                raise AssertionError(f"{host.name} sees LUNs {sorted(devices)} instead of 1 to {len(host.volumes)}")
            first = seed + 1 + sum(map(len, found.values()))
            found[host.name] = {devices[lun]: first + index for index, lun in enumerate(sorted(devices))}
        return found


@contextmanager
def lab_hosts(name: str) -> Iterator[LabHosts]:
    """The guest with the four hosts, for the time of the block."""
    with KernelInitiator(name) as initiator:
        yield LabHosts(initiator)
