"""Kits run as root on hosts: no name or secret in them does more than to be one, whatever it is made of.

The API refuses most of these names today. Rows that an older version took are in databases, and a kit trusts nobody.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from backend.tests.planner import kit_facts as known
from backend.tests.planner.kit_facts import facts, nvme_facts
from lunette.domain.hosts import OsType
from lunette.domain.mappings import Family, Protocol
from lunette.planner.kits.build import build
from lunette.planner.kits.facts import KitChap, KitDoor, KitFacts, KitPortal

OWNED = "owned"
HOSTILE = [
    f"x$(touch {OWNED})", f"x`touch {OWNED}`", f"x;touch {OWNED}", f"x'$(touch {OWNED})'", f'x"$(touch {OWNED})"',
    f"x&touch {OWNED}&", f"x|touch {OWNED}", f"x\\$(touch {OWNED})", f"-x$(touch {OWNED})",
    f"x$(b=$(date);c=${{b#???}};c=${{c%${{c#?}}}};touch${{c}}{OWNED})",
    f"x\u2019);touch {OWNED};@(\u2018", f"x\u201a;touch {OWNED};\u201b", f"x''';touch {OWNED};'",
]  # fmt: skip
ESXCLI = """#!/bin/sh
case "$*" in *'adapter list'*) echo 'vmhba64 iscsi_vmk TCP' ;; esac
"""


def hostile_facts(text: str, os_type: OsType) -> Iterator[KitFacts]:
    """Facts with the text in every place of a kit that a name or a secret has."""
    volume = replace(known.LUN, name=text)
    portal = KitPortal(text, Protocol.ISCSI, "192.0.2.1", 3260)
    chap = KitChap(text, text, SecretStr(text), SecretStr(text))
    door = KitDoor(Family.SCSI, f"{known.TARGET}:{text}", 1, (volume,))
    names = (f"{known.IQN}:{text}",)
    yield facts(os_type, host=text, iqns=names, doors=(door,), portals=(portal,), chap=chap)
    over_nvme = KitDoor(Family.NVME, f"{known.SUBSYSTEM}:{text}", 1, (volume,))
    yield nvme_facts(os_type, host=text, nqns=(f"{known.NQN}:{text}",), doors=(over_nvme,))


@pytest.mark.parametrize("text", HOSTILE)
def test_the_shell_of_esxi_runs_nothing_out_of_a_name(text: str, tmp_path: Path) -> None:
    program = tmp_path / "esxcli"
    program.write_text(ESXCLI)
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "NIC": "vmnic1", "VMK": "vmk1"}
    for wanted in hostile_facts(text, OsType.ESXI):
        kit = build(wanted)
        scripts = [one.content for one in kit.files]
        scripts += [run for one in kit.commands for run in (one.run, one.unless) if run and not run.startswith("sh /")]
        assert len(scripts) > 4
        for script in scripts:
            subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, check=False)
            assert not (tmp_path / OWNED).exists(), script


def outside_of_literals(script: str) -> str:
    """PowerShell without what is in single quotes.

    Its tokenizer takes U+2018 to U+201B for the plain one, and any two in a row for one in the literal
    (CharTraits.IsSingleQuote and Tokenizer.ScanStringLiteral of PowerShell 7).
    """
    quotes = "'\u2018\u2019\u201a\u201b"
    left, is_in, at = "", False, 0
    while at < len(script):
        one, after = script[at], script[at + 1 : at + 2]
        if one in quotes and is_in and after and after in quotes:
            at += 1
        elif one in quotes:
            is_in = not is_in
        elif not is_in:
            left += one
        at += 1
    assert not is_in, "a literal does not end"
    return left


def test_the_reader_of_powershell_sees_what_is_outside() -> None:
    assert OWNED in outside_of_literals(f"$a = 'x\u2019; {OWNED}; \u2018'")
    assert outside_of_literals("$a = 'it''s'") == "$a = "


@pytest.mark.parametrize("text", HOSTILE)
def test_powershell_keeps_a_name_in_its_literal(text: str) -> None:
    for wanted in hostile_facts(text, OsType.WINDOWS):
        scripts = [one.content for one in build(wanted).files]
        assert scripts or wanted.nqns
        assert not any(OWNED in outside_of_literals(script) for script in scripts)


@pytest.mark.parametrize("text", [one for one in HOSTILE if max(one) < "\u2018"])
@pytest.mark.parametrize("os_type", [OsType.LINUX, OsType.PROXMOX])
def test_the_scripts_of_linux_have_no_name_in_them_and_a_line_for_each(text: str, os_type: OsType) -> None:
    """Names are in files that the scripts read; the commands have none."""
    for wanted in hostile_facts(text, os_type):
        kit = build(wanted)
        assert not any(OWNED in run for one in kit.commands for run in (one.run, one.unless or ""))
        assert not any(OWNED in one.content for one in kit.files if one.path.endswith(".sh"))
