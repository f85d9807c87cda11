"""The kit of a Windows host: PowerShell, based on Microsoft's documentation and not run by the project's tests.

Cmdlets and their parameters: the modules MPIO and iSCSI of Windows Server on learn.microsoft.com (New-MSDSMSupportedHW,
Set-MSDSMGlobalDefaultLoadBalancePolicy, Set-MPIOSetting, New-IscsiTargetPortal, Connect-IscsiTarget,
Set-IscsiChapSecret). PDORemovePeriod is how long a disk is retained after it lost its last path, 20 s by default, and
DiskTimeout is the timeout of a request. Windows has no iSER and no native initiator for NVMe over fabrics.
"""

import re
from collections.abc import Iterator

from lunette.domain.identity import PRODUCT, VENDOR
from lunette.domain.kits import KitFile
from lunette.domain.mappings import Family, Protocol
from lunette.planner.kits.facts import (
    CHAP_MUTUAL,
    CHAP_SECRET,
    DISCOVERY_MUTUAL,
    DISCOVERY_SECRET,
    KEEP_S,
    KitChap,
    KitFacts,
    plain,
)
from lunette.planner.kits.parts import KitParts, command, script

FOLDER = "C:\\ProgramData\\Lunette"
_NOTES = (
    "Run everything as an administrator. This kit is based on Microsoft's documentation and was not tested.",
    "`mpclaim -s -d` lists the paths of each disk. A new disk is offline: bring it online with Set-Disk.",
)
_SHELL = "powershell -NoProfile -ExecutionPolicy Bypass -File"


def build(facts: KitFacts) -> KitParts:
    """Files, commands and notes. Empty if there is nothing that the host can connect to."""
    over_iscsi = bool(facts.over_iscsi and facts.portals_of(Protocol.ISCSI))
    if not (over_iscsi or facts.over_fc):
        return KitParts(warnings=tuple(_warnings(facts)))
    steps = {"prepare": "Installs and sets up Multipath I/O.", "connect": "Logs in through every portal."}
    names = [name for name in steps if name != "connect" or over_iscsi]
    commands = [command(f'{_SHELL} "{FOLDER}\\{name}.ps1"', steps[name]) for name in names]
    if facts.over_fc:
        commands.append(command("powershell -NoProfile -Command Update-HostStorageCache", "Scans for volumes."))
    check = f'{_SHELL} "{FOLDER}\\check.ps1"'
    return KitParts(
        files=tuple(_files(facts, over_iscsi=over_iscsi)),
        commands=(*commands, command(check, "Checks that every volume is visible over every portal.")),
        check=check,
        notes=(*_NOTES, f"A disk without paths is retained for {facts.wait_s(KEEP_S)} s. {facts.measured}"),
        warnings=tuple(_warnings(facts)),
    )


def _files(facts: KitFacts, *, over_iscsi: bool) -> Iterator[KitFile]:
    said = {"Vendor": _quoted(VENDOR), "Product": _quoted(PRODUCT), "KeepSeconds": str(facts.wait_s(KEEP_S))}
    yield _file("prepare.ps1", _assigned(said) + script(__name__, "prepare.ps1"), "Sets up Multipath I/O.")
    targets, portals = facts.targets_of(Family.SCSI), facts.portals_of(Protocol.ISCSI) if over_iscsi else ()
    pairs = [f"{_quoted(target.name)} {_quoted(one.address)} {one.port}\n" for target in targets for one in portals]
    if over_iscsi:
        calls = "".join(f"Connect-Lunette {pair}" for pair in pairs) + "Update-HostStorageCache\n"
        connect = _assigned(_credentials(facts)) + script(__name__, "connect.ps1") + calls
        yield _file("connect.ps1", connect, "Logs in through every portal.", is_secret=facts.needs_secrets)
    tests = [f"Test-Portal {pair}" for pair in pairs]
    tests += [
        f"Test-Volume {_quoted(one.naa.upper())} {_quoted(one.name)}\n" for target in targets for one in target.volumes
    ]
    check = script(__name__, "check.ps1") + "".join(tests) + "exit $failed\n"
    yield _file("check.ps1", check, "Checks that every volume is visible.")


def _credentials(facts: KitFacts) -> dict[str, str]:
    """Names known to the appliance, and CHAP as parameters of Connect-IscsiTarget and New-IscsiTargetPortal."""
    known, chap, asked = ", ".join(_quoted(name) for name in facts.iqns), facts.chap, facts.discovery
    mutual = "$null"
    if chap and chap.mutual_user:
        mutual = _quoted(plain(chap.mutual_secret, CHAP_MUTUAL))
    elif asked and asked.mutual_user:
        mutual = _quoted(plain(asked.mutual_secret, DISCOVERY_MUTUAL))
    return {
        "Known": f"@({known})",
        "Chap": _chap(chap, CHAP_SECRET),
        "Discovery": _chap(asked, DISCOVERY_SECRET),
        "Mutual": mutual,
    }


def _chap(chap: KitChap | None, placeholder: str) -> str:
    if chap is None:
        return "@{}"
    asked = {
        "AuthenticationType": "MUTUALCHAP" if chap.mutual_user else "ONEWAYCHAP",
        "ChapUsername": chap.user,
        "ChapSecret": plain(chap.secret, placeholder),
    }
    fields = "; ".join(f"{key} = {_quoted(value)}" for key, value in asked.items())
    return f"@{{ {fields} }}"


def _assigned(values: dict[str, str]) -> str:
    return "".join(f"${name} = {value}\n" for name, value in values.items())


def _quoted(text: str) -> str:
    """A literal in ASCII only (about_Quoting_Rules), so that it reads the same in every encoding. Windows PowerShell
    reads a file without a byte order mark in the system's code page, in which bytes of many letters are typographic
    quotation marks, which also end a literal.
    """
    pieces = [
        "'" + run.replace("'", "''") + "'" if run.isascii() else f"[char]::ConvertFromUtf32(0x{ord(run):x})"
        for run in re.findall(r"[\x00-\x7f]+|[^\x00-\x7f]", text)
    ]
    return f"({' + '.join(pieces)})" if len(pieces) > 1 or not text.isascii() else "".join(pieces) or "''"


def _file(name: str, content: str, purpose: str, *, is_secret: bool = False) -> KitFile:
    text = content.replace("\n", "\r\n")
    return KitFile(path=f"{FOLDER}\\{name}", mode="0600", content=text, purpose=purpose, is_secret=is_secret)


def _warnings(facts: KitFacts) -> Iterator[str]:
    for portal in facts.portals_of(Protocol.ISER):
        yield (
            f"Portal {portal.name} uses iSER, for which Windows has no initiator, so it is omitted: add an iSCSI "
            "portal for this host."
        )
    if facts.chap and facts.chap.mutual_user and facts.discovery and facts.discovery.mutual_user:
        yield (
            "Windows stores only one mutual secret, but discovery and this host have different ones: set the same for "
            "both, or remove that of discovery."
        )
    if facts.targets_of(Family.NVME):
        yield "Windows has no native initiator for NVMe over fabrics: map the volumes over SCSI instead."
