"""Updates: whose are trusted, what a bundle holds, and that builder, installer and appliance use the same words."""

import tarfile
from pathlib import Path

import pytest

from installer import layout
from lunette.domain.updates import COMPATIBLE
from lunette.providers.updates import rauc, record
from lunette_image import signing, update
from lunette_image.cache import Cache
from lunette_image.problem import ImageProblem

IMAGE = Path(__file__).resolve().parents[1]


def test_without_a_certificate_a_development_key_is_made_once_and_the_image_says_so(tmp_path: Path) -> None:
    first = signing.signer(Cache(tmp_path), None, None)
    assert first == signing.signer(Cache(tmp_path), None, None)
    assert first.development
    assert first.key is not None
    assert first.key.stat().st_mode & 0o077 == 0
    first.add_to(tmp_path / "root")
    said = (tmp_path / f"root{rauc.TRUSTS}").read_text()
    assert said.startswith("a development key")
    assert (tmp_path / f"root{rauc.KEYRING}").read_text() == first.certificate.read_text()
    assert "PRIVATE" not in first.certificate.read_text()


def test_a_chosen_certificate_is_named_and_needs_no_key_to_be_trusted(tmp_path: Path) -> None:
    made = signing.signer(Cache(tmp_path), None, None).certificate
    chosen = signing.signer(Cache(tmp_path), made, None)
    assert (chosen.key, chosen.development) == (None, False)
    assert "development key, which" not in chosen.words()
    with pytest.raises(ImageProblem, match="PEM"):
        signing.signer(Cache(tmp_path), tmp_path / "none.pem", None)
    with pytest.raises(ImageProblem, match="without --cert"):
        signing.signer(Cache(tmp_path), None, made)


def test_a_slot_holds_what_the_installer_puts_there(tmp_path: Path) -> None:
    assert set(update.FILES) == set(layout.SLOT_FILES)
    files = {}
    for name in ("vmlinuz", "initrd.img", "root.squashfs"):
        files[name] = tmp_path / name
        files[name].write_bytes(name.encode())
    packed = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        update.pack(folder / "system.tar", files, "1.2.3")
        packed.append((folder / "system.tar").read_bytes())
    assert packed[0] == packed[1], "the same files make the same bytes"
    with tarfile.open(tmp_path / "1/system.tar") as opened:
        assert sorted(opened.getnames()) == ["live", *(f"live/{name}" for name in sorted(layout.SLOT_FILES))]
        version = opened.extractfile("live/version")
        assert version is not None
        assert version.read() == b"1.2.3\n"
    assert record.OWN_VERSION == "/run/live/medium/live/version"


def test_builder_and_appliance_name_the_product_alike() -> None:
    assert update.COMPATIBLE == COMPATIBLE
    assert f"compatible={COMPATIBLE}\n" in update.manifest("1.2.3")
    assert f"/{signing.FOLDER}/keyring.pem" == rauc.KEYRING
    assert f"/{signing.FOLDER}/trusts" == rauc.TRUSTS


def test_a_trial_is_watched_by_a_program_of_its_own_and_only_then() -> None:
    unit = (IMAGE / "iso/root/usr/lib/systemd/system/lunette-trial.service").read_text().splitlines()
    assert "ConditionKernelCommandLine=lunette.trial" in unit, "a failure restarts the machine: never as a rule"
    assert "FailureAction=reboot" in unit
    assert "DefaultDependencies=no" in unit
    module = next(line.split()[-1] for line in unit if line.startswith("ExecStart="))
    assert (IMAGE.parent / "backend/src" / f"{module.replace('.', '/')}.py").is_file()
    preset = (IMAGE / "iso/root/usr/lib/systemd/system-preset/00-console.preset").read_text()
    assert "enable lunette-trial.service" in preset.splitlines()


def test_only_root_may_ask_for_an_installation() -> None:
    policy = IMAGE / "iso/root/etc/dbus-1/system.d/lunette-updates.conf"
    text = policy.read_text()
    assert text.index("<deny") < text.index('<policy user="root">') < text.index("<allow")
