"""Updates: whose are trusted, what a bundle holds, and that builder, installer and appliance use the same words."""

import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from lunette.domain.updates import COMPATIBLE
from lunette.installer import layout
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
    assert (tmp_path / f"root{rauc.KEYRING}").read_text() == first.trusted.read_text()
    assert "PRIVATE" not in first.certificate.read_text() + first.trusted.read_text()


def test_a_chosen_certificate_is_named_and_needs_no_key_to_be_trusted(tmp_path: Path) -> None:
    made = signing.signer(Cache(tmp_path), None, None).trusted
    chosen = signing.signer(Cache(tmp_path), made, None)
    assert (chosen.key, chosen.development) == (None, False)
    assert "development key, which" not in chosen.words()
    with pytest.raises(ImageProblem, match="PEM"):
        signing.signer(Cache(tmp_path), tmp_path / "none.pem", None)
    with pytest.raises(ImageProblem, match="without --cert"):
        signing.signer(Cache(tmp_path), None, made)


def made(folder: Path, name: str, *words: str, days: int = 4000) -> tuple[Path, Path]:
    """A certificate that has signed itself, and its key."""
    files = folder / f"{name}.pem", folder / f"{name}.key"
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-subj", f"/CN={name}", "-days", str(days)]
    argv += [word for one in words for word in ("-addext", one)]
    subprocess.run([*argv, "-out", str(files[0]), "-keyout", str(files[1])], check=True, capture_output=True)
    return files


def crl(folder: Path, issuer: tuple[Path, Path], days: int) -> Path:
    """The list of what this CA has revoked: nothing yet."""
    (folder / "index").touch()
    (folder / "conf").write_text("[ca]\ndefault_ca = own\n[own]\ndatabase = index\ndefault_md = sha256\n")
    words = ["-config", "conf", "-gencrl", "-cert", str(issuer[0]), "-keyfile", str(issuer[1]), "-crldays", str(days)]
    list_ = folder / f"{issuer[0].stem}-{days}.crl"
    subprocess.run(["openssl", "ca", *words, "-out", str(list_)], cwd=folder, check=True, capture_output=True)
    return list_


def expired(folder: Path) -> tuple[Path, Path]:
    """A certificate that was valid in 2020, and its key."""
    (folder / "index").touch()
    settings = ("database = index", "rand_serial = yes", "new_certs_dir = .", "default_md = sha256", "policy = any")
    lines = ("[ca]", "default_ca = own", "[own]", *settings, "[any]", "commonName = supplied", "")
    (folder / "conf").write_text("\n".join(lines))
    key, request, cert = folder / "old.key", folder / "old.csr", folder / "old.pem"
    argv = ["openssl", "req", "-newkey", "rsa:2048", "-noenc", "-subj", "/CN=old"]
    subprocess.run([*argv, "-keyout", str(key), "-out", str(request)], check=True, capture_output=True)
    argv = ["openssl", "ca", "-config", "conf", "-batch", "-selfsign", "-keyfile", str(key), "-in", str(request)]
    argv += ["-startdate", "20200101000000Z", "-enddate", "20210101000000Z", "-notext", "-out", str(cert)]
    subprocess.run(argv, cwd=folder, check=True, capture_output=True)
    return cert, key


def test_an_image_trusts_a_ca_without_what_it_revoked_and_others_sign(tmp_path: Path) -> None:
    ca, other = made(tmp_path, "ca"), made(tmp_path, "other")
    signed = made(tmp_path, "signer", signing.PURPOSE, days=30)
    both = tmp_path / "both.pem"
    both.write_text(f"of two:\n{ca[0].read_text()}{other[0].read_text()}")
    lists = tmp_path / "both.crl"
    lists.write_text(crl(tmp_path, ca, 4000).read_text() + crl(tmp_path, other, 4000).read_text())
    chosen = signing.signer(Cache(tmp_path), *signed, both, lists)
    assert (chosen.certificate, chosen.key, chosen.inputs) == (*signed, [both, lists])
    chosen.add_to(tmp_path / "root")
    keyring = (tmp_path / f"root{rauc.KEYRING}").read_text()
    assert (keyring.count("BEGIN CERTIFICATE"), keyring.count("BEGIN X509 CRL")) == (2, 2)
    assert signed[0].read_text() not in keyring
    said = (tmp_path / f"root{rauc.TRUSTS}").read_text()
    assert said.index("CN = ca, certificate SHA-256") < said.index("; CN = other, certificate SHA-256")


def test_what_an_appliance_would_refuse_one_day_is_refused_here(tmp_path: Path) -> None:
    """It may be off the network for years, and takes no update any more once what it trusts has expired."""
    ca, other, short = made(tmp_path, "ca"), made(tmp_path, "other"), made(tmp_path, "short", days=3000)
    host = made(tmp_path, "host", "basicConstraints=critical,CA:FALSE")
    late = crl(tmp_path, ca, 3000)

    def refused(words: str, *files: Path | None) -> None:
        with pytest.raises(ImageProblem, match=words):
            signing.signer(Cache(tmp_path), *files)

    refused("short, .* expires within ten years", None, None, short[0])
    refused("neither a CA nor for signing code", None, None, host[0])
    refused("is not for signing code", ca[0], ca[1])
    refused("the list of .*ca, .* ends 20", None, None, ca[0], late)
    refused("has no list of .*ca, ", None, None, ca[0], crl(tmp_path, other, 4000))
    refused("without --trust", None, None, None, late)
    refused("contains no X509 CRL", None, None, ca[0], ca[0])
    refused("contains no CERTIFICATE", None, None, late)
    refused("has expired", *expired(tmp_path), ca[0])


def test_a_development_key_of_an_earlier_builder_remains_what_is_trusted(tmp_path: Path) -> None:
    """Appliances in use trust nothing else: without that key, none of them takes an update any more."""
    folder = tmp_path / "image/signing"
    folder.mkdir(parents=True)
    for before, after in zip(made(tmp_path, "before"), ("cert.pem", "key.pem"), strict=True):
        shutil.move(before, folder / after)
    files = {name: (folder / name).read_bytes() for name in ("cert.pem", "key.pem")}
    signer = signing.signer(Cache(tmp_path), None, None)
    assert "CN = before" in signer.words()
    assert {name: (folder / name).read_bytes() for name in files} == files
    subprocess.run(["openssl", "verify", "-CAfile", signer.trusted, signer.certificate], check=True)


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
    unit = (IMAGE / "live/usr/lib/systemd/system/lunette-trial.service").read_text().splitlines()
    assert "ConditionKernelCommandLine=lunette.trial" in unit, "a failure restarts the machine: never as a rule"
    assert "FailureAction=reboot" in unit
    assert "DefaultDependencies=no" in unit
    module = next(line.split()[-1] for line in unit if line.startswith("ExecStart="))
    assert (IMAGE.parent / "backend/src" / f"{module.replace('.', '/')}.py").is_file()
    preset = (IMAGE / "live/usr/lib/systemd/system-preset/00-console.preset").read_text()
    assert "enable lunette-trial.service" in preset.splitlines()


def test_only_root_may_request_an_installation() -> None:
    policy = IMAGE / "live/etc/dbus-1/system.d/lunette-updates.conf"
    text = policy.read_text()
    assert text.index("<deny") < text.index('<policy user="root">') < text.index("<allow")
