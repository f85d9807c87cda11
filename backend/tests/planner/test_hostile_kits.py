"""Kits run as root on hosts: a name or secret in them is only ever data, whatever it contains.

The kits of Linux and ESXi are applied as a host does it, by every shell that this machine has, with programs that
record their arguments. PowerShell is not available: its scripts are parsed by its rules of quoting, and not run.

The API refuses most of `HOSTILE` today. Databases have rows that an older version accepted, those of a restored backup
come from elsewhere, and a kit trusts no value. `LEGAL` is what the API accepts: it arrives as it was typed.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.tests.planner import kit_facts as known
from backend.tests.planner.kit_facts import facts, nvme_facts
from lunette.domain.hosts import Chap, HostCreate, OsType
from lunette.domain.kits import HostKit
from lunette.domain.mappings import Family, Protocol
from lunette.planner.kits.build import build
from lunette.planner.kits.bundle import members
from lunette.planner.kits.facts import KitChap, KitFacts, KitPortal, KitTarget

OWNED = "owned"
HOSTILE = [
    f"x$(touch {OWNED})",
    f"x`touch {OWNED}`",
    f"x;touch {OWNED}",
    f"x'$(touch {OWNED})'",
    f'x"$(touch {OWNED})"',
    f"x&touch {OWNED}&",
    f"x|touch {OWNED}",
    f"x\\$(touch {OWNED})",
    f"-x$(touch {OWNED})",
    f"x$(b=$(date);c=${{b#???}};c=${{c%${{c#?}}}};touch${{c}}{OWNED})",
    f"x//;1etouch${{IFS}}{OWNED}",
    f"x\u2019);touch {OWNED};@(\u2018",
    f"x\u201a;touch {OWNED};\u201b",
    f"x''';touch {OWNED};'",
    f"x\u05d2;touch {OWNED};\u05d2",
    f"x\u05d2\u2019;touch {OWNED};\u00d1'",
    f"x{chr(0x1F512)}';touch {OWNED};'",
]
LEGAL = [
    ("'$(touch owned)'", f"$(touch${{IFS}}{OWNED})"),
    ('"`touch owned`"', f"`touch${{IFS}}{OWNED}`"),
    ("\\$(touch owned)", f"\\$(touch${{IFS}}{OWNED})"),
    ("';touch owned;'", f"';touch${{IFS}}{OWNED};'"),
    ("|&<touch owned>", f'"$(touch${{IFS}}{OWNED})"'),
    ("%s%n*?[a]{b}~#!", f"\u2019);touch${{IFS}}{OWNED};@(\u2018"),
]
"""A CHAP secret, and what an NQN has after its colon."""
SHELLS = {
    Path(found).resolve(): name for name in ("sh", "dash", "bash", "busybox", "ksh") if (found := shutil.which(name))
}
PROGRAMS = (
    "esxcli",
    "iscsiadm",
    "find",
    "dmsetup",
    "multipath",
    "multipathd",
    "nvme",
    "modprobe",
    "sleep",
    "systemctl",
)
PROGRAM = r"""#!/bin/sh
{ printf '%s\0' "${0##*/}" "$@"; printf '\n\0'; } >>"$RECORD"
case "${0##*/} $*" in
'esxcli iscsi adapter list'*) echo 'vmhba64 iscsi_vmk TCP' ;;
'esxcli nvme adapter list'*) echo 'vmhba65 TCP' ;;
'esxcli iscsi adapter get'*) printf '   Name: %s\n' "$NAME" ;;
'find '*) echo "$RECORD.node" ;;
'dmsetup info'*) printf 'mpath-%s\nmpath-%s lun01\n' "$WWID" "$WWID" ;;
esac
"""
LAST = {"esxcli": ("rescan", "--all"), "dmsetup": ("--separator",), "nvme": ("connect",)}
"""What is asked in the last step, or in the last but one."""
NODE = "# BEGIN RECORD\nnode.startup = manual\n# END RECORD\n"


class Shell:
    """A host without a kernel of ours: its programs write down what they are asked, and its files are in a folder."""

    def __init__(self, folder: Path, shell: Path) -> None:
        self._folder = folder
        self._record = folder / "record"
        (folder / "bin").mkdir()
        (folder / "bin/sh").symlink_to(shell)
        for name in PROGRAMS:
            program = folder / "bin" / name
            program.write_text(PROGRAM)
            program.chmod(0o755)

    def apply(self, wanted: KitFacts, *, over: bool = False) -> list[list[str]]:
        """What the programs were asked while the kit was applied, to its end; `over` what an earlier one left."""
        for earlier in ("kit",) if over else ("etc", "tmp", "kit"):
            shutil.rmtree(self._folder / earlier, ignore_errors=True)
        (self._folder / "record.node").write_text(NODE)
        self._record.write_text("")
        initiator = self._folder / "etc/iscsi/initiatorname.iscsi"
        initiator.parent.mkdir(parents=True, exist_ok=True)
        initiator.write_text("".join(f"InitiatorName={name}\n" for name in wanted.iqns))
        kit = self._moved(build(wanted))
        for member in members(kit):
            place = self._folder / "kit" / member.path.partition("/")[2]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(member.content)
        self._run(wanted, str(self._folder / "kit/apply.sh"))
        asked = [one.split("\0")[:-1] for one in self._record.read_text().split("\n\0")[:-1]]
        assert any(one[0] in LAST and set(LAST[one[0]]) <= set(one) for one in asked), asked
        return asked

    def place(self, path: str) -> Path:
        """A file below /etc."""
        return self._folder / "etc" / path

    def files(self) -> dict[str, str]:
        """What is below /etc."""
        etc = self._folder / "etc"
        return {str(one.relative_to(etc)): one.read_text() for one in etc.rglob("*") if one.is_file()}

    def _moved(self, kit: HostKit) -> HostKit:
        """The kit with its folders below ours."""

        def moved(text: str) -> str:
            return re.sub(r"/(etc|tmp)/", rf"{self._folder}/\1/", text)

        files = [one.model_copy(update={"path": moved(one.path), "content": moved(one.content)}) for one in kit.files]
        commands = [
            one.model_copy(update={"run": moved(one.run), "unless": moved(one.unless) if one.unless else None})
            for one in kit.commands
        ]
        assert all(one.path.startswith(f"{self._folder}/") for one in files)
        return kit.model_copy(update={"files": tuple(files), "commands": tuple(commands)})

    def _run(self, wanted: KitFacts, script: str) -> None:
        wwid = f"3{wanted.targets[0].volumes[0].naa.split()[0]}"
        environment = {
            "PATH": f"{self._folder}/bin:/usr/bin:/bin",
            "RECORD": str(self._record),
            "NIC": "vmnic1",
            "VMK": "vmk1",
            "NAME": wanted.iqns[0] if wanted.iqns else "",
            "WWID": wwid,
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            [f"{self._folder}/bin/sh", script],
            cwd=self._folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not [*self._folder.rglob(OWNED)]
        assert not re.search("[Ss]yntax error|[Uu]nterminated", done.stderr), done.stderr


@pytest.fixture(
    params=[
        pytest.param(shell, id=name, marks=[pytest.mark.slow] * (name == "bash" and len(SHELLS) > 1))
        for shell, name in SHELLS.items()
    ]
)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Shell:
    return Shell(tmp_path, request.param)


def hostile_facts(text: str, os_type: OsType) -> Iterator[KitFacts]:
    """Facts with the text in every place of a kit that a name, an identifier or a secret has."""
    volume = replace(known.LUN, name=text, naa=text, uuid=text)
    portal = KitPortal(text, Protocol.ISCSI, "192.0.2.1", 3260)
    chap = KitChap(text, text, SecretStr(text), SecretStr(text))
    target = KitTarget(Family.SCSI, f"{known.TARGET}:{text}", 1, (volume,))
    names = (f"{known.IQN}:{text}",)
    yield facts(os_type, host=text, iqns=names, targets=(target,), portals=(portal,), chap=chap, discovery=chap)
    over_nvme = KitTarget(Family.NVME, f"{known.SUBSYSTEM}:{text}", 1, (volume,))
    yield nvme_facts(os_type, host=text, nqns=(f"{known.NQN}:{text}",), targets=(over_nvme,))


@pytest.mark.parametrize("os_type", [OsType.LINUX, OsType.ESXI])
def test_a_unix_shell_runs_nothing_out_of_a_name(os_type: OsType, host: Shell) -> None:
    for text in HOSTILE:
        for wanted in hostile_facts(text, os_type):
            host.apply(replace(wanted, host="h1"))


def legal_facts(secret: str, own: str, os_type: OsType) -> tuple[KitFacts, KitFacts]:
    """Of a host that the API takes."""
    nqn, mutual = f"nqn.2026-01.com.example:{own}", secret[1:] + "'"
    chap = Chap(user="u:1@x", secret=SecretStr(secret), mutual_user="-m", mutual_secret=SecretStr(mutual))
    spec = HostCreate(name="h1", os_type=os_type, iqns=(known.IQN,), nqns=(nqn,), chap=chap)
    assert spec.chap
    shown = KitChap(spec.chap.user, spec.chap.mutual_user, spec.chap.secret, spec.chap.mutual_secret)
    return facts(os_type, iqns=spec.iqns, chap=shown), nvme_facts(os_type, nqns=spec.nqns)


@pytest.mark.parametrize(("secret", "own"), LEGAL)
def test_a_secret_arrives_on_esxi_as_it_was_typed(secret: str, own: str, host: Shell) -> None:
    over_iscsi, _ = legal_facts(secret, own, OsType.ESXI)
    asked = host.apply(over_iscsi)
    logins = [one[one.index("-d") :] for one in asked if "chap" in one]
    assert ["-d", "uni", "-l", "required", "-N", "u:1@x", "-S", secret] in logins
    assert ["-d", "mutual", "-l", "required", "-N", "-m", "-S", secret[1:] + "'"] in logins
    assert not [one for one in logins if one[-1] not in {secret, secret[1:] + "'"}]


@pytest.mark.parametrize(("secret", "own"), LEGAL)
def test_a_secret_and_a_name_arrive_on_linux_as_they_were_typed(
    secret: str, own: str, host: Shell, tmp_path: Path
) -> None:
    over_iscsi, over_nvme = legal_facts(secret, own, OsType.LINUX)
    asked = host.apply(over_iscsi)
    assert [one for one in asked if one[0] == "iscsiadm" and "--login" in one]
    assert not [one for one in asked if any(secret[1:-1] in word for word in one)], "everybody may read arguments"
    kept = (tmp_path / "record.node").read_text().splitlines()
    assert f"node.session.auth.password = {secret}" in kept
    assert f"node.session.auth.password_in = {secret[1:]}'" in kept
    names = {word for one in host.apply(over_nvme) if one[0] == "nvme" for word in one if word.startswith("--hostnqn")}
    assert names == {f"--hostnqn=nqn.2026-01.com.example:{own}"}


def test_a_kit_that_is_applied_over_another_one_ends_as_if_it_were_the_first(host: Shell) -> None:
    """Only the commands that were run differ: a service that is not of this kit any more is disabled."""
    over_iscsi, over_nvme = facts(chap=known.CHAP, discovery=known.CHAP), nvme_facts()
    both = facts(nqns=(known.NQN,), targets=(known.SCSI_TARGET, known.NVME_TARGET), portals=(known.A, known.NVME))
    kits = (over_iscsi, over_nvme, both, facts())
    fresh = []
    for wanted in kits:
        host.apply(wanted)
        fresh.append(host.files())
    host.place("lunette-host/applied").write_text("of the role")
    disabled = []
    for wanted, files in zip(kits, fresh, strict=True):
        disabled.append(["systemctl", "disable", "lunette-nvme.service"] in host.apply(wanted, over=True))
        left = host.files()
        assert left.pop("lunette-host/applied") == "of the role"
        assert left == files | {"iscsi/initiatorname.iscsi": left["iscsi/initiatorname.iscsi"]}
    assert disabled == [False, False, False, True]


QUOTES = "'\u2018\u2019\u201a\u201b"


def outside_of_literals(script: str) -> str:
    """PowerShell without what is in single quotes.

    Its tokenizer takes U+2018 to U+201B for the plain one, and any two in a row for one in the literal
    (CharTraits.IsSingleQuote and Tokenizer.ScanStringLiteral of PowerShell 7).
    """
    left, is_in, at = "", False, 0
    while at < len(script):
        one, after = script[at], script[at + 1 : at + 2]
        if one in QUOTES and is_in and after and after in QUOTES:
            at += 1
        elif one in QUOTES:
            is_in = not is_in
        elif not is_in:
            left += one
        at += 1
    assert not is_in, "a literal does not end"
    return left


def test_the_reader_of_powershell_sees_what_is_outside() -> None:
    assert OWNED in outside_of_literals(f"$a = 'x\u2019; {OWNED}; \u2018'")
    assert outside_of_literals("$a = 'it''s'") == "$a = "


def strings(script: str) -> set[str]:
    """The strings of a script in ASCII: literals, and those that are joined of literals and characters."""
    piece = r"'(?:[^']|'')*'|\[char\]::ConvertFromUtf32\(0x[0-9a-f]+\)"
    found = set()
    for joined in re.findall(rf"(?:{piece})(?: \+ (?:{piece}))*", script):
        text = ""
        for literal, number in re.findall(r"'((?:[^']|'')*)'|ConvertFromUtf32\(0x([0-9a-f]+)\)", joined):
            text += chr(int(number, 16)) if number else literal.replace("''", "'")
        found.add(text)
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_stays_within_its_powershell_literal(text: str) -> None:
    over_iscsi, over_nvme = hostile_facts(text, OsType.WINDOWS)
    assert not build(over_nvme).files
    scripts = {one.path.rpartition("\\")[2]: one.content for one in build(over_iscsi).files}
    assert set(scripts) == {"prepare.ps1", "connect.ps1", "check.ps1"}
    for script in scripts.values():
        assert script.isascii(), "Windows PowerShell would read it in the code page of the system"
        assert OWNED not in outside_of_literals(script)
    assert {text, f"{known.IQN}:{text}", f"{known.TARGET}:{text}"} <= strings(scripts["connect.ps1"])
    assert {text, text.upper(), f"{known.TARGET}:{text}"} <= strings(scripts["check.ps1"])


@pytest.mark.parametrize("text", HOSTILE)
def test_the_batch_file_of_windows_has_no_name_in_it(text: str) -> None:
    for wanted in hostile_facts(text, OsType.WINDOWS):
        for member in members(build(wanted)):
            assert not member.path.endswith(".cmd") or OWNED not in member.content


@pytest.mark.parametrize(("secret", "own"), LEGAL)
def test_a_secret_is_a_literal_of_powershell_as_it_was_typed(secret: str, own: str) -> None:
    over_iscsi, _ = legal_facts(secret, own, OsType.WINDOWS)
    (connect,) = [one.content for one in build(over_iscsi).files if one.path.endswith("connect.ps1")]
    assert {secret, secret[1:] + "'", "u:1@x"} <= strings(connect)
    assert OWNED not in outside_of_literals(connect)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("os_type", [OsType.LINUX, OsType.PROXMOX])
def test_the_scripts_of_linux_have_no_name_in_them(text: str, os_type: OsType) -> None:
    """Names are in files that the scripts read; the commands have none."""
    for wanted in hostile_facts(text, os_type):
        kit = build(wanted)
        assert not any(OWNED in run for one in kit.commands for run in (one.run, one.unless or ""))
        assert not any(OWNED in one.content for one in kit.files if one.path.endswith(".sh"))
