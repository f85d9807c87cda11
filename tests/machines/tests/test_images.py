"""Machines boot what the image builder names, and go on booting it when the cache has forgotten it."""

import json
from pathlib import Path

import pytest

from tests.machines.images import parse, pinned
from tests.machines.model import MachineError


def manifest(folder: Path) -> str:
    """A builder's answer whose files exist."""
    paths = {"rootfs": folder / "rootfs.ext4", "kernel": folder / "vmlinuz", "initrd": folder / "initrd.img"}
    for path in (*paths.values(), folder / "linux"):
        path.write_text(path.name)
    rest = {"uml_command": ["env", str(folder / "linux")]}
    return json.dumps({key: str(path) for key, path in paths.items()} | rest)


def test_an_image_with_a_missing_file_is_refused(tmp_path: Path) -> None:
    text = manifest(tmp_path)
    (tmp_path / "vmlinuz").unlink()
    with pytest.raises(MachineError, match="vmlinuz, which does not exist"):
        parse(text)


def test_a_pinned_image_outlives_the_cache(tmp_path: Path) -> None:
    cache, machine = tmp_path / "cache", tmp_path / "machine"
    cache.mkdir()
    machine.mkdir()
    image = parse(manifest(cache))
    first = pinned(image, machine)
    for path in (image.rootfs, image.kernel, image.initrd):
        path.unlink()
    again = pinned(image, machine)
    assert first == again
    assert again.rootfs.read_text() == "rootfs.ext4"
    assert again.uml == image.uml
